// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample annotate: instructions and source lines of functions, with their shares.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/safe-file.h"
#include "commands/command.h"
#include "commands/habits.h"
#include "commands/input-options.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "profile/annotate.h"
#include "profile/code.h"
#include "profile/events.h"
#include "profile/not-shown.h"
#include "profile/recording.h"
#include "profile/rows.h"
#include "symbols/disasm.h"
#include "symbols/dwarf.h"

struct options {
	struct input_options in;
	struct report_filter rows;
	const char *vmlinux, *event;
	u64 most;
	bool intel, no_source, json;
};

/* Options */

enum { OPT_STDIO = 256, OPT_JSON, OPT_PERCENT_LIMIT, OPT_NO_SOURCE, OPT_EVENT, OPT_NUMBER };

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Functions:", 2 },
	{ "symbol", 's', "NAME,...", 0,
	  "show only these functions; they can also be arguments", 0 },
	{ "percent-limit", OPT_PERCENT_LIMIT, "PERCENT", 0,
	  "show only functions with at least this share (default: 0)", 0 },
	{ "number", OPT_NUMBER, "N", 0,
	  "show the N functions with the most samples (default: 5)", 0 },
	{ "event", OPT_EVENT, "NAME", 0,
	  "use only events with this name (default: each that has samples)", 0 },
	{ NULL, 0, NULL, 0, "Code:", 3 },
	{ "vmlinux", 'k', "FILE", 0, "read the kernel's code from this ELF file", 0 },
	{ "disassembler-style", 'M', "STYLE", 0,
	  "print x86-64 code in this syntax: att or intel (default: att)", 0 },
	{ "no-source", OPT_NO_SOURCE, NULL, 0, "leave out source lines", 0 },
	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "json", OPT_JSON, NULL, 0, "print JSON", 0 },
	{ "stdio", OPT_STDIO, NULL, 0, "print text, the default; accepted as in perf", 0 },
	{ "show-nr-samples", 'n', NULL, 0,
	  "print numbers of samples, the default; accepted as in perf", 0 },
	TAKES_BACK("no-symbol", 's'),
	TAKES_BACK("no-percent-limit", OPT_PERCENT_LIMIT),
	TAKES_BACK("no-vmlinux", 'k'),
	TAKES_BACK("no-disassembler-style", 'M'),
	TAKES_BACK("source", OPT_NO_SOURCE),
	{ 0 }
};

static void parse_more(struct options *o, int key, const char *arg, struct argp_state *state)
{
	if (key == OPT_PERCENT_LIMIT) {
		o->rows.least = parse_percentage(arg, state);
	} else if (key == OPT_NUMBER) {
		if (!plain_number(&o->most, arg, 100000, NULL) || !o->most)
			argp_error(state, "expected a number from 1 to 100000, not '%s'", arg);
	} else if (key == 'M') {
		o->intel = !strcmp(arg, "intel");
		if (!o->intel && strcmp(arg, "att"))
			argp_error(state, "-M takes att or intel, not '%s'", arg);
	}
}

static const struct plain_option plain[] = {
	CHILD_INPUT(struct options, in),
	SETS('k', struct options, vmlinux),
	SETS(OPT_NO_SOURCE, struct options, no_source),
	SETS(OPT_EVENT, struct options, event),
	SETS(OPT_JSON, struct options, json),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_STDIO:
	case 'n':
		return 0;
	case 's':
	case UNSET | 's':
		parse_names(&o->rows.symbols, "--symbol", arg, state);
		return 0;
	case UNSET | OPT_PERCENT_LIMIT:
		o->rows.least = 0;
		return 0;
	case UNSET | 'M':
		o->intel = false;
		return 0;
	case OPT_PERCENT_LIMIT:
	case OPT_NUMBER:
	case 'M':
		parse_more(o, key, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (o->rows.symbols)
			argp_error(state, "a second list of functions: '%s'; separate by commas",
				   arg);
		parse_names(&o->rows.symbols, "functions", arg, state);
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_child children[] = {
	{ &input_argp, 0, NULL, 1 }, { &annotate_habits_argp, 0, NULL, 0 }, { 0 }
};

const struct argp annotate_argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "[NAME,...]",
	.children = children,
	.doc = "Print instructions and source lines of the functions with the most samples, with "
	       "the share of each.\v"
	       "A line before each function says how exact its addresses are. Examples:\n"
	       "  pcsample annotate\n"
	       "  pcsample annotate memcpy --dsos libc.so.6\n"
	       "  pcsample annotate schedule --vmlinux /usr/lib/debug/boot/vmlinux-6.12",
};

/* A function, ready to be shown */

/*
 * @code: the instructions; if the code cannot be read, an entry for each address that has samples
 * @counts: samples of each instruction, at any address in it
 * @leader: does a basic block begin at this instruction? @block then has the block's samples.
 * @line: source line of each instruction, with the samples of all instructions of that line
 * @at_leaders: samples at the first instructions of blocks
 * @problem: why the code could not be read
 */
struct view {
	const struct annotate_function *f;
	const struct dso *dso;
	const char *name;
	char level;
	u64 start, size;
	struct code_bytes bytes;
	struct instruction *code;
	size_t nr;
	struct annotate_address *counts;
	bool *leader;
	struct view_sum {
		u64 samples, weight;
	} *block;
	struct line {
		const char *file;	/* NULL if not known */
		u32 line;
		struct view_sum sum;
	} *line;
	struct stats_blocks blocks;
	u64 at_leaders;
	struct error problem;
};

static void view_deinit(struct view *v)
{
	code_deinit(&v->bytes);
	free(v->code);
	free(v->counts);
	free(v->leader);
	free(v->block);
	free(v->line);
}

/* As in report and in perf, shares are of the periods that samples stand for */
static double share_of(const struct view *v, u64 weight)
{
	return v->f->weight ? (double)weight / v->f->weight : 0;
}

static void add_to(struct view_sum *sum, const struct view_sum *part)
{
	sum->samples += part->samples;
	sum->weight += part->weight;
}

static struct view_sum sum_of(const struct annotate_address *a)
{
	return (struct view_sum){ a->samples, a->weight };
}

/* Index of the instruction that contains an address */
static size_t instruction_at(const struct view *v, u64 vaddr)
{
	size_t n = nr_up_to(v->code, v->nr, vaddr, vaddr);

	return n - !!n;
}

static void find_blocks(struct view *v)
{
	u64 end = v->bytes.vaddr + v->bytes.size;
	struct view_sum part;
	size_t i, k, leader = 0;

	v->leader[0] = v->nr;
	for (i = 0; i < v->nr; i++) {
		if (!v->code[i].branches)
			continue;
		if (i + 1 < v->nr)
			v->leader[i + 1] = true;
		if (v->code[i].target < v->bytes.vaddr || v->code[i].target >= end)
			continue;
		k = instruction_at(v, v->code[i].target);
		if (v->code[k].vaddr == v->code[i].target)
			v->leader[k] = true;
	}
	for (i = 0; i < v->nr; i++) {
		if (v->leader[i]) {
			leader = i;
			v->at_leaders += v->counts[i].samples;
		}
		part = sum_of(&v->counts[i]);
		add_to(&v->block[leader], &part);
	}
}

/* Count the samples of each instruction */
static void assign_samples(struct view *v)
{
	const struct annotate_address *a;
	size_t i, k;

	for (i = 0; i < v->f->nr; i++) {
		a = &v->f->address[i];
		k = instruction_at(v, v->bytes.vaddr + (a->addr - v->start));
		/*
		 * If an instruction has samples at several addresses, the sum of the squares is
		 * only a lower bound
		 */
		v->counts[k].samples += a->samples;
		v->counts[k].squares += a->squares;
		v->counts[k].weight += a->weight;
	}
}

static int make_room(struct view *v)
{
	v->counts = calloc(v->nr + 1, sizeof(*v->counts));
	v->leader = calloc(v->nr + 1, sizeof(*v->leader));
	v->block = calloc(v->nr + 1, sizeof(*v->block));
	v->line = calloc(v->nr + 1, sizeof(*v->line));
	return v->counts && v->leader && v->block && v->line ? 0 : -ENOMEM;
}

/* Without code, list the addresses that have samples */
static int addresses_alone(struct view *v)
{
	size_t i;

	free(v->code);
	v->code = calloc(v->f->nr + 1, sizeof(*v->code));
	v->nr = v->f->nr;
	if (!v->code || make_room(v))
		return -ENOMEM;
	for (i = 0; i < v->nr; i++) {
		v->code[i].vaddr = v->f->address[i].addr;
		v->counts[i] = v->f->address[i];
	}
	return 0;
}

static int compare_lines(const void *x, const void *y)
{
	const struct line *a = *(const struct line *const *)x, *b = *(const struct line *const *)y;
	int c = strcmp(a->file, b->file);

	return c ? c : a->line < b->line ? -1 : a->line > b->line;
}

/* Sum up the samples of each source line; @sorted has the known lines */
static void sum_lines(struct line **sorted, size_t nr)
{
	struct view_sum sum;
	size_t i, k;

	qsort(sorted, nr, sizeof(*sorted), compare_lines);
	for (i = 0; i < nr; i = k) {
		sum = (struct view_sum){ 0 };
		for (k = i; k < nr && !compare_lines(&sorted[i], &sorted[k]); k++)
			add_to(&sum, &sorted[k]->sum);
		while (i < k)
			sorted[i++]->sum = sum;
	}
}

/* Find the line of each instruction, in the innermost of the functions inlined there */
static int find_lines(struct view *v, struct dso *dso)
{
	struct line **sorted = calloc(v->nr + 1, sizeof(*sorted));
	struct source_frame frames[SOURCE_FRAMES_MAX];
	size_t i, nr = 0;
	u64 addr;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; dso->kind == DSO_FILE && i < v->nr; i++) {
		addr = v->code[i].vaddr + (v->bytes.p ? v->start - v->bytes.vaddr : 0);
		if (!source_find(dso, addr, frames) || !frames[0].file || !frames[0].line)
			continue;
		v->line[i] = (struct line){ frames[0].file, frames[0].line,
					    sum_of(&v->counts[i]) };
		sorted[nr++] = &v->line[i];
	}
	sum_lines(sorted, nr);
	free(sorted);
	return 0;
}

static int find_code(struct view *v, struct session *s, const struct options *o)
{
	ssize_t n;
	int ret;

	ret = code_read(s, v->f->dso, v->start, v->size, o->vmlinux, &v->bytes, &v->problem);
	if (ret)
		return addresses_alone(v);
	n = disassemble(v->bytes.p, v->bytes.size, v->bytes.vaddr, v->bytes.machine, o->intel,
			&v->code, &v->problem);
	if (n <= 0)
		return addresses_alone(v);
	v->nr = n;
	if (make_room(v))
		return -ENOMEM;
	assign_samples(v);
	find_blocks(v);
	return 0;
}

static int view_init(struct view *v, struct session *s, struct report *r,
		     const struct annotate_function *f, u64 nr_blocks, const struct options *o)
{
	const struct symbol *sym;
	int ret;

	memset(v, 0, sizeof(*v));
	v->f = f;
	v->dso = session_dso(s, f->dso);
	sym = &v->dso->symtab.syms[f->sym];
	v->name = names_symbol(&r->names, v->dso, f->dso, f->sym);
	v->start = sym->start;
	v->size = sym->size;
	v->blocks = (struct stats_blocks){ nr_blocks, f->samples, f->squares, f->weight,
					   f->weight_squares };
	ret = find_code(v, s, o);
	return ret || o->no_source ? ret : find_lines(v, session_dso(s, f->dso));
}

/* How exact the addresses are */

/* With fewer samples, do not conclude that the hardware shows targets of branches alone */
#define LEADERS_KNOWN	100

static void describe_pc_samples(const struct view *v, char *text, size_t size)
{
	double share = v->f->samples ? 100.0 * v->at_leaders / v->f->samples : 0;
	const char *seen = "";

	if (v->bytes.p && v->f->samples >= LEADERS_KNOWN)
		seen = v->at_leaders == v->f->samples ?
			"; here all of them are: this hardware shows targets of branches alone" :
			"; this hardware shows others too";
	snprintf(text, size,
		 "blocks are exact: a PC-sample register shows an instruction that was executed, with no offset, but it need only show targets of branches (%.0f %% of these samples are)%s",
		 share, seen);
}

/* Ignore precise_ip of software events: perf sets it for cpu-clock:ppp, which cannot be precise */
static void describe_interrupts(const struct recorded_event *e, const struct view *v, char *text,
				size_t size)
{
	static const char *const precise[] = {
		"the address is where the interrupt was taken: some instructions late (skid), and at the end of code that masks interrupts",
		"the address is some instructions late, always as many (precise_ip 1)",
		"the instruction that caused the event, as far as the hardware could (precise_ip 2)",
		"the very instruction that caused the event (precise_ip 3)",
	};
	const struct perf_event_attr *attr = &e->attr;
	const char *how = precise[0];

	if (attr->type == PERF_TYPE_TRACEPOINT ||
	    (attr->type == PERF_TYPE_SOFTWARE && !recording_in_ns(e)))
		how = "where the kernel counted the event";
	else if (attr->type != PERF_TYPE_SOFTWARE)
		how = precise[attr->precise_ip];
	snprintf(text, size, "%s; %" PRIu64 " of %" PRIu64 " samples are marked as exact", how,
		 v->f->exact, v->f->samples);
}

static void describe_exactness(const struct session *s, unsigned int event, const struct view *v,
			       char *text, size_t size)
{
	const struct recorded_event *e = session_event(s, event);

	if (perfdata_event_is_pcsample(e))
		describe_pc_samples(v, text, size);
	else
		describe_interrupts(e, v, text, size);
}

/* Source lines */

#define SOURCE_MAX	(16U << 20)

/* The source file that was read last; @line points to the start of each line */
struct source_text {
	char *path, *text;
	char **line;
	size_t nr, cap;
};

static void drop_text(struct source_text *t)
{
	free(t->path);
	free(t->text);
	free(t->line);
	memset(t, 0, sizeof(*t));
}

/* Debug information may name any path, also of a device: read regular files only */
static char *read_source(const char *path)
{
	size_t size;
	char *text;

	return regular_read(path, SOURCE_MAX, &text, &size) ? NULL : text;
}

static void split_lines(struct source_text *t)
{
	char *p = t->text, *end;

	for (; p && *p; p = end ? end + 1 : NULL) {
		if (mem_grow(&t->line, &t->cap, t->nr + 1))
			return;
		t->line[t->nr++] = p;
		end = strchr(p, '\n');
		if (end)
			*end = '\0';
	}
}

/* Return: the line's text; NULL if this machine does not have the file */
static const char *source_line(struct source_text *t, const char *symfs, const char *file, u32 line)
{
	char path[PATH_MAX];

	if (!t->path || strcmp(t->path, file)) {
		drop_text(t);
		t->path = strdup(file);
		snprintf(path, sizeof(path), "%s%s", symfs ? symfs : "", file);
		t->text = read_source(path);
		if (!t->text && symfs)
			t->text = read_source(file);
		split_lines(t);
	}
	return line && line <= t->nr ? t->line[line - 1] : NULL;
}

/* Text */

static struct out out;

static void print_head(const struct session *s, const struct report *r, const struct view *v,
		       unsigned int event)
{
	struct out *o = &out;
	char text[512];

	out_text(o, "# Function:  ");
	out_clean(o, v->name, 0);
	out_text(o, " of ");
	out_clean(o, v->dso->path, 0);
	out_count(o, "\n# Samples:   ", v->f->samples, " of ");
	out_clean(o, session_event(s, event)->name, 0);
	out_text(o, ", ");
	out_fixed(o, r->weight ? 100.0 * v->f->weight / r->weight : 0, 2, 0);
	out_text(o, " % of all");
	out_text(o, "\n# Code:      ");
	out_clean(o, v->problem.text[0] ? v->problem.text : v->bytes.from, 0);
	out_text(o, "\n# Addresses: ");
	describe_exactness(s, event, v, text, sizeof(text));
	out_text(o, text);
	out_text(o, "\n#\n"
		    "#  Share   95 % interval   Samples   Block            Address  Instruction\n"
		    "#\n");
}

static void print_place(struct source_text *t, const struct options *opt, const struct view *v,
			const struct line *l)
{
	const char *text = source_line(t, opt->in.session.symfs, l->file, l->line);

	out_color(&out, COLOR_FAINT);
	if (l->sum.samples) {
		out_fixed(&out, 100 * share_of(v, l->sum.weight), 2, 7);
		out_text(&out, "%  ");
	} else {
		out_spaces(&out, 10);
	}
	out_clean(&out, l->file, 0);
	out_char(&out, ':');
	out_u64(&out, l->line, 0);
	if (text) {
		out_text(&out, "  ");
		out_clean(&out, text + strspn(text, " \t"), 0);
	}
	out_color_end(&out);
	out_char(&out, '\n');
}

/* For a branch out of the function, print its target as "<function+0x1c>" */
static void print_target(struct report *r, const struct view *v, const struct instruction *in)
{
	u64 addr = in->target - v->bytes.vaddr + v->start;
	u32 sym;

	if (!in->target || (in->target >= v->bytes.vaddr &&
			    in->target < v->bytes.vaddr + v->bytes.size))
		return;
	sym = symtab_find(&v->dso->symtab, addr);
	if (sym == SYM_NONE)
		return;
	out_text(&out, "  <");
	out_clean(&out, names_symbol(&r->names, v->dso, v->f->dso, sym), 0);
	if (addr != v->dso->symtab.syms[sym].start) {
		out_char(&out, '+');
		out_hex(&out, addr - v->dso->symtab.syms[sym].start, 4);
	}
	out_char(&out, '>');
}

static void print_instruction(struct report *r, const struct view *v, size_t i)
{
	const struct annotate_address *c = &v->counts[i];
	struct stats_interval in;
	double share;

	if (c->samples) {
		in = stats_share(&v->blocks, c->samples, c->squares, c->weight);
		share = 100 * share_of(v, c->weight);
		if (share >= 5)
			out_color(&out, COLOR_RED);
		else if (share >= 0.5)
			out_color(&out, COLOR_GREEN);
		out_fixed(&out, share, 2, 7);
		out_text(&out, "%");
		out_fixed(&out, 100 * in.low, 2, 7);
		out_text(&out, " -");
		out_fixed(&out, 100 * in.high, 2, 6);
		out_u64(&out, c->samples, 10);
		out_color_end(&out);
	} else {
		out_spaces(&out, 33);
	}
	if (v->leader[i] && v->block[i].samples) {
		out_fixed(&out, 100 * share_of(v, v->block[i].weight), 1, 7);
		out_char(&out, '%');
	} else {
		out_spaces(&out, 8);
	}
	out_char(&out, v->leader[i] ? '>' : ' ');
	out_hex(&out, v->code[i].vaddr, 16);
	out_text(&out, "  ");
	out_text(&out, v->code[i].text);
	if (v->bytes.p)
		print_target(r, v, &v->code[i]);
	out_char(&out, '\n');
}

static void print_view(struct session *s, struct report *r, const struct view *v,
		       unsigned int event, const struct options *o)
{
	struct source_text text = { NULL };
	const struct line *last = NULL;
	size_t i;

	print_head(s, r, v, event);
	for (i = 0; i < v->nr && !out.error; i++) {
		if (v->line[i].file && (!last || v->line[i].line != last->line ||
					strcmp(v->line[i].file, last->file))) {
			last = &v->line[i];
			print_place(&text, o, v, last);
		}
		print_instruction(r, v, i);
	}
	drop_text(&text);
}

/* JSON */

static void json_instruction(struct json *j, const struct view *v, size_t i)
{
	const struct annotate_address *c = &v->counts[i];
	struct stats_interval in;
	char hex[32];

	snprintf(hex, sizeof(hex), "0x%016" PRIx64, (uint64_t)v->code[i].vaddr);
	json_object(j, NULL);
	json_string(j, "address", hex);
	if (v->code[i].text[0])
		json_string(j, "instruction", v->code[i].text);
	json_u64(j, "samples", c->samples);
	if (c->samples) {
		in = stats_share(&v->blocks, c->samples, c->squares, c->weight);
		json_fixed(j, "share", share_of(v, c->weight), 6);
		json_fixed(j, "low", in.low, 6);
		json_fixed(j, "high", in.high, 6);
	}
	if (v->leader[i])
		json_u64(j, "block_samples", v->block[i].samples);
	if (v->line[i].file) {
		json_string(j, "file", v->line[i].file);
		json_u64(j, "line", v->line[i].line);
		json_u64(j, "line_samples", v->line[i].sum.samples);
	}
	json_object_end(j);
}

static void json_view(struct json *j, struct session *s, const struct report *r,
		      const struct view *v, unsigned int event)
{
	char text[512];
	size_t i;

	json_object(j, NULL);
	json_string(j, "event", session_event(s, event)->name);
	json_string(j, "name", v->name);
	json_string(j, "dso", v->dso->path);
	json_u64(j, "samples", v->f->samples);
	json_fixed(j, "share", r->weight ? (double)v->f->weight / r->weight : 0, 6);
	if (v->problem.text[0])
		json_string(j, "problem", v->problem.text);
	else
		json_string(j, "code", v->bytes.from);
	describe_exactness(s, event, v, text, sizeof(text));
	json_string(j, "addresses", text);
	json_u64(j, "exact_samples", v->f->exact);
	json_u64(j, "samples_at_block_starts", v->at_leaders);
	json_array(j, "instructions");
	for (i = 0; i < v->nr; i++)
		json_instruction(j, v, i);
	json_array_end(j);
	json_object_end(j);
}

/* The command */

/* Choose the first @o->most rows that are functions */
static size_t choose(const struct report *r, const struct options *o,
		     struct annotate_function *function)
{
	struct place p;
	size_t i, nr = 0;

	for (i = 0; i < r->nr && nr < o->most; i++) {
		aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
		if (p.named)
			function[nr++] = (struct annotate_function){ .dso = p.dso, .sym = p.where };
	}
	return nr;
}

/* The share of the largest function that --percent-limit hides, or 0 */
static double largest_hidden(const struct report *r)
{
	struct place p;
	size_t i;

	for (i = r->nr; i < r->nr + r->nr_small; i++) {
		aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
		if (p.named)
			return report_share(r, 1, report_entry(r, i)->weight);
	}
	return 0;
}

/* @j: used with --json; @first: nothing was printed yet */
static int show(struct session *s, struct report *r, const struct annotate_function *function,
		size_t nr, u64 nr_blocks, unsigned int event, const struct options *o,
		struct json *j, bool *first)
{
	struct view v;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < nr; i++) {
		ret = view_init(&v, s, r, &function[i], nr_blocks, o);
		if (!ret && o->json) {
			json_view(j, s, r, &v, event);
		} else if (!ret) {
			if (!*first)
				out_char(&out, '\n');
			*first = false;
			print_view(s, r, &v, event, o);
		}
		view_deinit(&v);
	}
	return ret;
}

static int annotate_report(struct session *s, struct report *r, unsigned int event,
			   const struct options *o, struct json *j, bool *first)
{
	struct annotate_function *function = calloc(min(r->nr, o->most) + 1, sizeof(*function));
	struct error err = { "" };
	u64 nr_blocks;
	size_t nr;
	int ret;

	if (!function)
		return -ENOMEM;
	nr = choose(r, o, function);
	ret = nr ? annotate_count(s, event, function, nr,
				  o->in.filtered ? &o->in.filter : NULL, &nr_blocks, &err) :
		   -ENODATA;
	if (!ret) {
		ret = show(s, r, function, nr, nr_blocks, event, o, j, first);
		annotate_deinit(function, nr);
	}
	free(function);
	return ret;
}

/*
 * @hidden: receives the share of the largest function that --percent-limit hides
 *
 * Return: 0, -ENODATA if no event has samples of such functions, -ENOMEM
 */
static int annotate_events(struct session *s, const struct event_list *list,
			   const struct aggregate *a, const struct options *o, struct json *j,
			   double *hidden)
{
	bool first = true, found = false;
	struct report r;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < list->nr; i++) {
		ret = report_init(&r, s, a, session_only_event(s) < 0 ? (int)list->event[i] : -1,
				  &o->rows, o->in.demangle);
		if (ret)
			break;
		*hidden = fmax(*hidden, largest_hidden(&r));
		ret = annotate_report(s, &r, list->event[i], o, j, &first);
		report_deinit(&r);
		found |= !ret;
		if (ret == -ENODATA)
			ret = 0;
	}
	return ret ? ret : found ? 0 : -ENODATA;
}

static int none_shown(const struct session *s, const struct aggregate *a, const struct options *o,
		      double hidden, struct error *err)
{
	const char *dsos = o->rows.dsos ? o->rows.dsos->text : NULL;

	if (!a->samples && a->left_out)
		return error_set(err, -ENODATA, "%s: " INPUT_NONE_CHOSEN, session_path(s));
	if (hidden > 0)
		return error_set(err, -ENODATA, "%s: no such function has %g %% of the samples, "
				 "and the one with the most has %.2f %%: lower --percent-limit",
				 session_path(s), 100 * o->rows.least, 100 * hidden);
	if (o->rows.symbols)
		return error_set(err, -ENODATA, "%s: no samples in %s%s%s", session_path(s),
				 o->rows.symbols->text, dsos ? " of " : "", dsos ? dsos : "");
	return error_set(err, -ENODATA, "%s: no samples in functions with a name%s%s; pcsample "
			 "report -v says why names are missing", session_path(s),
			 dsos ? " in " : "", dsos ? dsos : "");
}

static int print_all(struct session *s, const struct event_list *list, const struct aggregate *a,
		     const struct options *o, struct error *err)
{
	double hidden = 0;
	struct json j;
	int ret;

	out_init(&out, STDOUT_FILENO);
	if (o->json) {
		json_begin(&j, &out, "pcsample-annotate", 1);
		json_string(&j, "file", session_path(s));
		json_string(&j, "event", session_event(s, list->event[0])->name);
		json_array(&j, "not_shown");
		not_shown_json(&j, s, 0);
		json_array_end(&j);
		json_array(&j, "functions");
	} else {
		not_shown_print(&out, s, 0, NULL);
	}
	ret = annotate_events(s, list, a, o, &j, &hidden);
	if (ret == -ENODATA)
		return none_shown(s, a, o, hidden, err);
	if (!ret && o->json) {
		json_array_end(&j);
		json_end(&j);
	}
	if (!ret)
		ret = out_flush(&out);
	if (ret && ret != -EPIPE)
		error_set(err, ret, "%s%s", out.error ? "standard output: " : "", strerror(-ret));
	return ret;
}

static int annotate(struct session *s, const struct options *o)
{
	struct error err = { "" };
	struct event_list list;
	struct aggregate a;
	int ret;

	ret = events_find(&list, s, o->event, &err);
	if (!ret) {
		ret = aggregate_run(&a, s,
				    BY_DSO | BY_SYM | (session_only_event(s) < 0 ? BY_EVENT : 0),
				    o->in.filtered ? &o->in.filter : NULL, &err);
		if (!ret) {
			ret = print_all(s, &list, &a, o, &err);
			aggregate_deinit(&a);
		}
		events_free(&list);
	}
	/* If the recording is damaged, input_close() reports that as the reason */
	if (ret && err.text[0] && !(ret == -ENODATA && session_damage(s)[0]))
		fprintf(stderr, "pcsample annotate: %s\n", err.text);
	return ret == -ENODATA ? EXIT_NOTHING : ret ? EXIT_FAILED : EXIT_OK;
}

int cmd_annotate(int argc, char **argv)
{
	struct options o = { .most = 5 };
	int status = EXIT_FAILED;
	struct session *s = NULL;
	struct error err;

	argp_parse(&annotate_argp, argc, argv, 0, NULL, &o);
	/* Choose functions; their shares remain relative to all samples */
	o.rows.dsos = o.in.dsos;
	o.in.dsos = NULL;
	if (o.vmlinux && access(o.vmlinux, R_OK)) {
		error_set(&err, -errno, "--vmlinux %s: %s", o.vmlinux, strerror(errno));
		complain(argv[0], &err);
	} else {
		s = input_open(&o.in, argv[0]);
	}
	if (s)
		status = input_close(s, argv[0], annotate(s, &o));
	report_filter_deinit(&o.rows);
	input_options_deinit(&o.in);
	return status;
}
