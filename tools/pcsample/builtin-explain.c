// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample explain: register values in, what the architecture makes of them out, with the rule or
 * table row that decided.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "lib/arch-explain.h"
#include "lib/json.h"
#include "terminal.h"

struct explain_options {
	const struct arch_topic *topic;
	struct arch_state state;
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct explain_options *o = state->input;
	struct error err;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case 'l':
		o->list = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!o->topic) {
			o->topic = find_topic(arg);
			if (!o->topic)
				argp_error(state, "'%s' is not a topic", arg);
			return 0;
		}
		if (arch_state_set(&o->state, o->topic->units, arg, &err))
			argp_error(state, "%s; '%s %s --list' prints the names", err.text,
				   state->name, o->topic->name);
		return 0;
	case ARGP_KEY_END:
		if (!o->topic)
			argp_error(state, "which topic?");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ "list", 'l', NULL, 0, "print the names that matter to TOPIC, with their values", 0 },
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
	.doc = "Tell what the Arm architecture makes of register values, and the rule or table row"
	       " that decides. No register is read: what is not given has the value that --list"
	       " shows."
	       "\vNAME is a register, REGISTER.FIELD, or a feature, as the Arm manual calls it;"
	       " VALUE is a number: 5, 0x5 or 0b101.",
	.help_filter = topics_in_help,
};

/* The names, and what they are */

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
	if (!answer->because[0])
		return;
	out_spaces(o, 4);
	out_text(o, answer->because);
	out_text(o, " (");
	out_text(o, answer->rule);
	out_text(o, ")\n");
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
