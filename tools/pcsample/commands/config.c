// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "commands/config.h"

/* Limits, since the path may name a device or a pipe that never ends */
#define LINE_MAX_CHARS	4096
#define LINES_MAX	65536

/* The file */

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

static int add_line(struct config *c, unsigned int number, const char *section, const char *key,
		    const char *value)
{
	struct config_line *l;

	if (mem_grow(&c->line, &c->cap, c->nr + 1))
		return -ENOMEM;
	l = &c->line[c->nr];
	*l = (struct config_line){ number, strdup(section), strdup(key), strdup(value) };
	c->nr++;
	return l->section && l->key && l->value ? 0 : -ENOMEM;
}

/* Parse a line; changes @text. @section: the section so far, replaced by a line "[section]" */
static int parse_line(struct config *c, unsigned int number, char *text, char *section,
		      size_t size, struct error *err)
{
	char *equals, *end;

	text = trim(text);
	if (!*text || *text == '#' || *text == ';')
		return 0;
	if (*text == '[') {
		end = strchr(text, ']');
		if (!end || end[1] || end - text - 1 >= (ptrdiff_t)size)
			return error_set(err, -EINVAL, "%s:%u: expected [section], not '%s'",
					 c->path, number, text);
		*end = '\0';
		memcpy(section, text + 1, end - text);
		return 0;
	}
	equals = strchr(text, '=');
	if (!equals || equals == text)
		return error_set(err, -EINVAL, "%s:%u: expected key = value, not '%s'", c->path,
				 number, text);
	if (!*section)
		return error_set(err, -EINVAL, "%s:%u: no [section] before '%s'", c->path, number,
				 text);
	*equals = '\0';
	return add_line(c, number, section, trim(text), trim(equals + 1));
}

static int parse_file(struct config *c, FILE *f, struct error *err)
{
	unsigned int number = 0;
	char section[32] = "";
	char text[LINE_MAX_CHARS + 2];	/* with '\n' and NUL */
	int ret = 0;

	while (!ret && fgets(text, sizeof(text), f)) {
		if (++number > LINES_MAX)
			return error_set(err, -E2BIG, "%s: more than %u lines", c->path, LINES_MAX);
		if (strlen(text) + 1 == sizeof(text) && text[LINE_MAX_CHARS] != '\n')
			return error_set(err, -E2BIG, "%s:%u: more than %u characters", c->path,
					 number, LINE_MAX_CHARS);
		ret = parse_line(c, number, text, section, sizeof(section), err);
	}
	if (!ret && ferror(f))
		ret = error_set(err, -EIO, "%s: %s", c->path, strerror(errno));
	return ret;
}

static char *default_path(void)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int n = -1;

	/* XDG Base Directory Specification: paths that are not absolute must be ignored */
	if (xdg && *xdg == '/')
		n = asprintf(&path, "%s/pcsample/config", xdg);
	else if (home && *home)
		n = asprintf(&path, "%s/.config/pcsample/config", home);
	return n < 0 ? NULL : path;
}

int config_read(struct config *c, const char *path, struct error *err)
{
	bool must_exist = true;
	FILE *f;
	int ret;

	memset(c, 0, sizeof(*c));
	if (!path)
		path = getenv("PCSAMPLE_CONFIG");
	must_exist = path;
	c->path = path ? strdup(path) : default_path();
	if (!c->path || !*c->path)
		return 0;
	f = fopen(c->path, "re");
	if (!f && !must_exist && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return 0;
	if (!f)
		return error_set(err, -errno, "%s: %s", c->path, strerror(errno));
	ret = parse_file(c, f, err);
	fclose(f);
	if (ret == -ENOMEM)
		error_set(err, ret, "out of memory");
	return ret;
}

void config_deinit(struct config *c)
{
	size_t i;

	for (i = 0; i < c->nr; i++) {
		free(c->line[i].section);
		free(c->line[i].key);
		free(c->line[i].value);
		if (c->word)
			free(c->word[i]);
	}
	free(c->word);
	free(c->argv);
	free(c->line);
	free(c->path);
	memset(c, 0, sizeof(*c));
}

const char *config_get(const struct config *c, const char *section, const char *key)
{
	size_t i;

	for (i = c->nr; i--; )
		if (!strcmp(c->line[i].section, section) && !strcmp(c->line[i].key, key))
			return c->line[i].value;
	return NULL;
}

/* Options */

static bool is_end(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc && !o->group;
}

/*
 * Find an option by its long name in @argp and its children. Return: for an alias, the option that
 * it stands for
 */
static const struct argp_option *find_option(const struct argp *argp, const char *name, size_t len)
{
	const struct argp_option *o, *primary = NULL;
	const struct argp_child *child;

	for (o = argp->options; o && !is_end(o); o++) {
		if (!(o->flags & OPTION_ALIAS))
			primary = o;
		if (o->name && text_is(name, len, o->name))
			return primary;
	}
	for (child = argp->children; child && child->argp; child++) {
		o = find_option(child->argp, name, len);
		if (o)
			return o;
	}
	return NULL;
}

static const struct argp_option *find_key(const struct argp *argp, int key)
{
	const struct argp_option *o;
	const struct argp_child *child;

	for (o = argp->options; o && !is_end(o); o++)
		if (o->key == key && !(o->flags & OPTION_ALIAS))
			return o;
	for (child = argp->children; child && child->argp; child++) {
		o = find_key(child->argp, key);
		if (o)
			return o;
	}
	return NULL;
}

/*
 * Find a long option by its name or the beginning of it. The first match does: getopt_long()
 * refuses a beginning that several options have.
 */
static const struct argp_option *find_prefix(const struct argp *argp, const char *name, size_t len)
{
	const struct argp_option *o = find_option(argp, name, len), *found;
	const struct argp_child *child;

	if (o)
		return o;
	for (o = argp->options; o && !is_end(o); o++)
		if (o->name && !strncmp(o->name, name, len))
			return o;
	for (child = argp->children; child && child->argp; child++) {
		found = find_prefix(child->argp, name, len);
		if (found)
			return found;
	}
	return NULL;
}

/*
 * Is @wanted one of the letters "abc" in "-abc"?
 * @takes_next: receives whether the next word is the argument of the last letter
 */
static bool in_letters(const struct argp *argp, const char *letters, int wanted, bool *takes_next)
{
	const struct argp_option *o;

	for (; *letters; letters++) {
		o = find_key(argp, (unsigned char)*letters);
		if (o && o->key == wanted)
			return true;
		if (o && o->arg) {
			*takes_next = !letters[1];
			return false;
		}
	}
	return false;
}

/* Does the command line have the option? */
static bool is_given(const struct argp *argp, const struct argp_option *wanted, bool in_order,
		     int argc, char **argv)
{
	const struct argp_option *o;
	bool takes_next;
	const char *word;
	size_t len;
	int i;

	for (i = 1; i < argc; i++) {
		word = argv[i];
		takes_next = false;
		if (!strcmp(word, "--"))
			return false;
		if (word[0] != '-' || !word[1]) {
			if (in_order)
				return false;
			continue;
		}
		if (word[1] == '-') {
			len = strcspn(word + 2, "=");
			o = find_prefix(argp, word + 2, len);
			if (o == wanted)
				return true;
			takes_next = o && o->arg && !word[2 + len];
		} else if (in_letters(argp, word + 1, wanted->key, &takes_next)) {
			return true;
		}
		i += takes_next;
	}
	return false;
}

/* Turn a setting into a word of the command line; NULL if it is "false" for a flag */
static int make_word(const struct config *c, const struct config_line *l,
		     const struct argp_option *o, char **word, struct error *err)
{
	bool on = !strcmp(l->value, "true");
	int n;

	*word = NULL;
	if (o->arg) {
		n = asprintf(word, "--%s=%s", l->key, l->value);
	} else if (on || !strcmp(l->value, "false")) {
		n = on ? asprintf(word, "--%s", l->key) : 0;
	} else {
		return error_set(err, -EINVAL, "%s:%u: %s is true or false, not '%s'", c->path,
				 l->number, l->key, l->value);
	}
	return n < 0 ? error_set(err, -ENOMEM, "out of memory") : 0;
}

int config_apply(struct config *c, const char *section, const struct argp *argp, bool in_order,
		 int *argc, char ***argv, struct error *err)
{
	const struct argp_option *o;
	const struct config_line *l;
	int n = 0, ret = 0;
	size_t i;

	c->argv = calloc(*argc + c->nr + 1, sizeof(*c->argv));
	c->word = calloc(c->nr + 1, sizeof(*c->word));
	if (!c->argv || !c->word)
		return error_set(err, -ENOMEM, "out of memory");
	c->argv[n++] = (*argv)[0];
	for (i = 0; !ret && i < c->nr; i++) {
		l = &c->line[i];
		if (strcmp(l->section, section))
			continue;
		o = find_option(argp, l->key, strlen(l->key));
		if (!o)
			ret = error_set(err, -EINVAL, "%s:%u: '%s' is not an option of pcsample %s",
					c->path, l->number, l->key, section);
		else if (config_get(c, section, l->key) == l->value &&
			 !is_given(argp, o, in_order, *argc, *argv))
			ret = make_word(c, l, o, &c->word[i], err);
		if (!ret && c->word[i])
			c->argv[n++] = c->word[i];
	}
	if (ret || n == 1)
		return ret;
	memcpy(c->argv + n, *argv + 1, (*argc - 1) * sizeof(*c->argv));
	*argc += n - 1;
	*argv = c->argv;
	return 0;
}
