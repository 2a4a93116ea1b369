// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample explain: say what register values mean in the architecture, and by which rule or row of
 * a table.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text-file.h"
#include "commands/command.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "explain/topics.h"

/* Limit on the size of a pasted text */
#define PASTE_MAX	(1 << 20)

/**
 * struct explain_options - the command line
 * @topic: what is asked about
 * @state: the registers
 * @paste: file with registers and their values, or NULL
 * @json: print JSON
 * @list: print the names in place of answers
 */
struct explain_options {
	const struct arch_topic *topic;
	struct arch_state state;
	const char *paste;
	bool json;
	bool list;
};

static const struct arch_topic *find_topic(const char *name)
{
	const struct arch_topic *topic;

	for (topic = arch_topics; topic->name; topic++)
		if (!strcmp(topic->name, name))
			return topic;
	return NULL;
}

/* Arguments are applied after the pasted text, so that they override it */
static void take_registers(struct argp_state *state, struct explain_options *o, char **words)
{
	struct error err;
	size_t size;
	char *text;
	int ret;

	if (o->paste) {
		ret = sysfs_slurp(&text, &size, PASTE_MAX,
				  strcmp(o->paste, "-") ? o->paste : "/dev/stdin");
		if (ret)
			argp_error(state, "cannot read %s: %s", o->paste, strerror(-ret));
		if (!arch_state_paste(&o->state, o->topic->units, text))
			argp_error(state, "%s names no register that matters; '%s %s --list'"
				   " prints the names", o->paste, state->name, o->topic->name);
		free(text);
	}
	for (; *words; words++)
		if (arch_state_set(&o->state, o->topic->units, *words, &err))
			argp_error(state, "%s; '%s %s --list' prints the names", err.text,
				   state->name, o->topic->name);
	arch_state_settle(&o->state);
}

static const struct plain_option plain[] = {
	SETS('j', struct explain_options, json),
	SETS('l', struct explain_options, list),
	SETS('p', struct explain_options, paste),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct explain_options *o = state->input;
	char **words;

	switch (key) {
	case ARGP_KEY_ARGS:
		words = state->argv + state->next;
		o->topic = find_topic(*words);
		if (!o->topic)
			argp_error(state, "'%s' is not a topic", *words);
		else
			take_registers(state, o, words + 1);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected a topic; --help lists them");
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ "paste", 'p', "FILE", 0,
	  "read the values of registers from a text, such as a debugger's output; - is standard"
	  " input", 0 },
	{ "list", 'l', NULL, 0,
	  "list the registers and features that TOPIC uses, with their values", 0 },
	{ 0 }
};

static char *topics_in_help(int key, const char *text, void *input)
{
	const struct arch_topic *topic;
	char *help = NULL;
	size_t size;
	FILE *f;

	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	f = open_memstream(&help, &size);
	if (!f)
		return (char *)text;
	fprintf(f, "Topics:\n");
	for (topic = arch_topics; topic->name; topic++)
		fprintf(f, "  %-10s %s\n", topic->name, topic->summary);
	fprintf(f, "\n%s", text);
	fclose(f);
	return help;
}

const struct argp explain_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "TOPIC [NAME=VALUE]...",
	.doc = "Explain what register values mean in the Arm architecture, and name the rule or"
	       " table row that decides. The values may come from any machine: this command reads"
	       " no register. Without NAME=VALUE, a register has the value that --list shows."
	       "\vNAME is a register, REGISTER.FIELD, or a feature, as the Arm manual calls it;"
	       " VALUE is a number: 5, 0x5 or 0b101.",
	.help_filter = topics_in_help,
};

/* --list: names of registers, fields and features, with their sizes and values */

static void list_text(void *ctx, const char *name, unsigned int bits, u64 value)
{
	struct out *o = ctx;

	out_left(o, name, 40);
	out_u64(o, bits, 2);
	out_text(o, bits == 1 ? " bit   " : " bits  ");
	out_hex(o, value, bits > 32 ? 16 : bits > 8 ? 8 : 2);
	out_char(o, '\n');
}

static void list_json(void *ctx, const char *name, unsigned int bits, u64 value)
{
	struct json *j = ctx;

	json_object(j, NULL);
	json_string(j, "name", name);
	json_u64(j, "bits", bits);
	json_u64(j, "value", value);
	json_object_end(j);
}

static void print_names(struct out *o, const struct explain_options *e)
{
	struct json j;

	if (!e->json) {
		arch_state_each(e->topic->units, &e->state, list_text, o);
		return;
	}
	json_begin(&j, o, "pcsample-explain", 1);
	json_string(&j, "topic", e->topic->name);
	json_array(&j, "names");
	arch_state_each(e->topic->units, &e->state, list_json, &j);
	json_array_end(&j);
	json_end(&j);
}

/* The answers */

static void answer_text(void *ctx, const struct arch_answer *answer)
{
	struct out *o = ctx;

	out_left(o, answer->question, 48);
	out_text(o, answer->answer);
	out_char(o, '\n');
	if (answer->because[0]) {
		out_spaces(o, 4);
		out_text(o, answer->because);
		out_text(o, " (");
		out_text(o, answer->rule);
		out_text(o, ")\n");
	}
	if (answer->remedy[0]) {
		out_spaces(o, 4);
		out_text(o, answer->remedy);
		out_char(o, '\n');
	}
}

static void answer_json(void *ctx, const struct arch_answer *answer)
{
	struct json *j = ctx;

	json_object(j, NULL);
	json_string(j, "question", answer->question);
	json_string(j, "answer", answer->answer);
	if (answer->because[0]) {
		json_string(j, "because", answer->because);
		json_string(j, "rule", answer->rule);
	}
	if (answer->remedy[0])
		json_string(j, "remedy", answer->remedy);
	json_object_end(j);
}

static void print_answers(struct out *o, const struct explain_options *e)
{
	struct json j;

	if (!e->json) {
		e->topic->explain(&e->state, &(struct arch_answers){ answer_text, o });
		return;
	}
	json_begin(&j, o, "pcsample-explain", 1);
	json_string(&j, "topic", e->topic->name);
	json_array(&j, "answers");
	e->topic->explain(&e->state, &(struct arch_answers){ answer_json, &j });
	json_array_end(&j);
	json_end(&j);
}

int cmd_explain(int argc, char **argv)
{
	static struct explain_options o;
	static struct out out;

	arch_state_init(&o.state);
	argp_parse(&explain_argp, argc, argv, 0, NULL, &o);
	out_init(&out, STDOUT_FILENO);
	if (o.list)
		print_names(&out, &o);
	else
		print_answers(&out, &o);
	return output_end(&out, "pcsample explain");
}
