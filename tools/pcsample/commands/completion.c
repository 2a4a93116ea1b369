// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample completion: completion for shells, made from the option tables of all commands.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/json.h"
#include "commands/command.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "export/export.h"

struct options {
	const char *shell;
	bool json;
};

static const struct plain_option plain[] = {
	SETS('j', struct options, json),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (o->shell || (strcmp(arg, "bash") && strcmp(arg, "zsh")))
			argp_error(state, "expected bash or zsh, not '%s'", arg);
		o->shell = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->shell && !o->json)
			argp_error(state, "expected the name of a shell, bash or zsh");
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_option option_table[] = {
	{ "json", 'j', NULL, 0, "print the options of all commands as JSON instead", 0 },
	{ 0 }
};

const struct argp completion_argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "bash|zsh",
	.doc = "Print completion for a shell.\v"
	       "Examples:\n"
	       "  pcsample completion bash > /etc/bash_completion.d/pcsample\n"
	       "  pcsample completion zsh > /usr/share/zsh/vendor-completions/_pcsample",
};

/* Walking the tables */

typedef void (*option_fn)(const struct argp_option *o, void *arg);

static void walk_options(const struct argp *argp, option_fn fn, void *arg)
{
	const struct argp_option *o;
	const struct argp_child *child;

	for (o = argp->options; o && (o->name || o->key || o->doc || o->group); o++)
		if (o->name && !(o->flags & (OPTION_HIDDEN | OPTION_DOC)))
			fn(o, arg);
	for (child = argp->children; child && child->argp; child++)
		walk_options(child->argp, fn, arg);
}

/*
 * How shells complete the argument of an option, by the argument's name in --help.
 * @format: the names of export formats are printed behind @bash or @zsh
 */
#define EVENTS	"$(pcsample list 2>/dev/null | grep -oE \"^  [^ ]+\")"

static const struct argument {
	const char *name, *bash, *zsh;
	bool format;
} arguments[] = {
	{ "FILE", "compgen -f", "_files", false },
	{ "DIR", "compgen -d", "_files -/", false },
	{ "EVENT", "compgen -W \"" EVENTS "\"", "(" EVENTS ")", false },
	{ "FORMAT", "compgen -W \"", "(", true },
};

static void print_formats(const char *end)
{
	const struct export_format *f;
	size_t i;

	for (i = 0; (f = export_format_at(i)); i++)
		printf("%s%s", i ? " " : "", f->name);
	printf("%s", end);
}

static bool has_letter(const struct argp_option *o)
{
	return o->key > 0 && o->key < 128 && isprint(o->key);
}

/* bash: for each command a case with its options, and in it a case for their arguments */

static void bash_option(const struct argp_option *o, void *arg)
{
	if (has_letter(o))
		printf(" -%c", o->key);
	printf(" --%s", o->name);
}

struct wanted {
	const char *arg;
	const char *separator;
};

static void bash_argument(const struct argp_option *o, void *arg)
{
	struct wanted *w = arg;

	if (!o->arg || strcmp(o->arg, w->arg))
		return;
	printf("%s--%s", w->separator, o->name);
	w->separator = " | ";
	if (has_letter(o))
		printf(" | -%c", o->key);
}

/* Print this for each command, since a letter can be another option in another command */
static void bash_arguments(const struct command *c)
{
	struct wanted w;
	size_t i;

	printf("\t%s)\n\t\toptions='", c->name);
	walk_options(c->argp, bash_option, NULL);
	printf(" -? --help --usage'\n\t\tcase $prev in\n");
	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		w = (struct wanted){ arguments[i].name, "\t\t" };
		walk_options(c->argp, bash_argument, &w);
		if (!strcmp(w.separator, "\t\t"))
			continue;
		printf(") action='%s", arguments[i].bash);
		if (arguments[i].format)
			print_formats("\"");
		printf("' ;;\n");
	}
	printf("\t\tesac\n\t\t;;\n");
}

static void print_bash(void)
{
	size_t i;

	printf("# bash completion for pcsample, made by 'pcsample completion bash'\n\n"
	       "_pcsample()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	       "\tlocal command='' options='' action='' i\n\n"
	       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	       "\t\tif [[ ${COMP_WORDS[i]} != -* ]]; then\n"
	       "\t\t\tcommand=${COMP_WORDS[i]}\n\t\t\tbreak\n\t\tfi\n\tdone\n"
	       "\tif [[ $cur == '=' ]]; then\n\t\tcur=''\n"
	       "\telif [[ $prev == '=' ]]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	       "\tcase $command in\n"
	       "\t'')\n\t\toptions='--color --config --no-pager --help --version");
	for (i = 0; i < nr_commands; i++)
		printf(" %s", commands[i].name);
	printf("'\n\t\t[[ $cur == -* ]] || action=\"compgen -W '$options'\"\n\t\t;;\n");
	for (i = 0; i < nr_commands; i++)
		bash_arguments(&commands[i]);
	printf("\tesac\n"
	       "\tif [[ $cur == -* ]]; then\n\t\taction=\"compgen -W '$options'\"\n"
	       "\telif [[ -z $action ]]; then\n\t\taction='compgen -f'\n\tfi\n"
	       "\tmapfile -t COMPREPLY < <(eval \"$action\" -- '\"$cur\"')\n"
	       "}\n\ncomplete -o filenames -F _pcsample pcsample\n");
}

/* zsh: _arguments with the text of --help */

static void zsh_quoted(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_action(const char *argument)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		if (strcmp(argument, arguments[i].name))
			continue;
		printf("%s", arguments[i].zsh);
		if (arguments[i].format)
			print_formats(")");
	}
}

static void zsh_words(const struct argp_option *o, const char *dashes, const char *name)
{
	printf(" \\\n\t\t\t'%s%s%s[", dashes, name, o->arg && dashes[1] ? "=" : "");
	zsh_quoted(o->doc ? o->doc : "");
	putchar(']');
	if (o->arg) {
		putchar(':');
		zsh_quoted(o->arg);
		putchar(':');
		zsh_action(o->arg);
	}
	putchar('\'');
}

static void zsh_option(const struct argp_option *o, void *arg)
{
	const char letter[] = { (char)o->key, 0 };

	if (has_letter(o))
		zsh_words(o, "-", letter);
	zsh_words(o, "--", o->name);
}

static void print_zsh(void)
{
	size_t i;

	printf("#compdef pcsample\n# made by 'pcsample completion zsh'\n\n"
	       "_pcsample()\n{\n\tlocal context state state_descr line\n"
	       "\tlocal -A opt_args\n\tlocal -a commands=(");
	for (i = 0; i < nr_commands; i++) {
		printf("\n\t\t'%s:", commands[i].name);
		zsh_quoted(commands[i].summary);
		putchar('\'');
	}
	printf("\n\t)\n\n\t_arguments -C '--help[print the commands]' \\\n"
	       "\t\t'--version[print the version]' '--color=[use colours]:WHEN:(auto always never)' \\\n"
	       "\t\t'--config=[configuration file]:FILE:_files' '--no-pager[do not use a pager]' \\\n"
	       "\t\t'1:command:->command' '*::argument:->argument'\n"
	       "\tcase $state in\n\tcommand) _describe command commands ;;\n"
	       "\targument)\n\t\tcase $words[1] in\n");
	for (i = 0; i < nr_commands; i++) {
		printf("\t\t%s)\n\t\t\t_arguments -s", commands[i].name);
		walk_options(commands[i].argp, zsh_option, NULL);
		printf(" \\\n\t\t\t'(- *)-?[print the options]' \\\n"
		       "\t\t\t'(- *)--help[print the options]' \\\n"
		       "\t\t\t'(- *)--usage[print the options in short]' '*:file:_files'\n\t\t\t;;\n");
	}
	printf("\t\tesac\n\t\t;;\n\tesac\n}\n\n_pcsample \"$@\"\n");
}

/* JSON, to generate completion for other shells, or pages */

static void json_option(const struct argp_option *o, void *arg)
{
	const char letter[] = { (char)o->key, 0 };
	struct json *j = arg;

	json_object(j, NULL);
	json_string(j, "name", o->name);
	if (has_letter(o))
		json_string(j, "letter", letter);
	if (o->arg)
		json_string(j, "argument", o->arg);
	json_string(j, "text", o->doc ? o->doc : "");
	json_object_end(j);
}

static int print_json(void)
{
	static struct out out;
	struct json j;
	size_t i;

	out_init(&out, STDOUT_FILENO);
	json_begin(&j, &out, "pcsample-completion", 1);
	json_array(&j, "commands");
	for (i = 0; i < nr_commands; i++) {
		json_object(&j, NULL);
		json_string(&j, "name", commands[i].name);
		json_string(&j, "summary", commands[i].summary);
		json_array(&j, "options");
		walk_options(commands[i].argp, json_option, &j);
		json_array_end(&j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_end(&j);
	return output_end(&out, "pcsample completion");
}

int cmd_completion(int argc, char **argv)
{
	struct options o = { NULL };

	argp_parse(&completion_argp, argc, argv, 0, NULL, &o);
	if (o.json)
		return print_json();
	if (!strcmp(o.shell, "bash"))
		print_bash();
	else
		print_zsh();
	return EXIT_OK;
}
