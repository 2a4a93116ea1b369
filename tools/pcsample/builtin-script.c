// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample script: every sample as a line of text, in the order of time.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arch-model/pc-sample.h>

#include "builtin.h"
#include "input-options.h"
#include "lib/demangle.h"
#include "lib/in-order.h"
#include "lib/names.h"
#include "lib/out.h"
#include "lib/report.h"
#include "lib/source.h"
#include "terminal.h"

/* Fields, in the order in which perf script prints them, and in its layout */
enum {
	F_COMM = 1 << 0,
	F_PID = 1 << 1,
	F_TID = 1 << 2,
	F_CPU = 1 << 3,
	F_TIME = 1 << 4,
	F_PERIOD = 1 << 5,
	F_EVENT = 1 << 6,
	F_IP = 1 << 7,
	F_SYM = 1 << 8,
	F_SYMOFF = 1 << 9,
	F_DSO = 1 << 10,
	F_EL = 1 << 11,
	F_STATE = 1 << 12,
	F_VMID = 1 << 13,
	F_SRCLINE = 1 << 14,
	F_INLINE = 1 << 15,
};

static const char *const field_names[] = {
	"comm", "pid", "tid", "cpu", "time", "period", "event", "ip", "sym", "symoff", "dso", "el",
	"state", "vmid", "srcline", "inline",
};

#define F_DEFAULT (F_COMM | F_TID | F_CPU | F_TIME | F_PERIOD | F_EVENT | F_IP | F_SYM | \
		   F_SYMOFF | F_DSO)

struct options {
	struct input_options in;
	unsigned int fields;
	const char *symbols;
	bool json;
};

enum { OPT_JSON = 256 };

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Output:", 2 },
	{ "fields", 'F', "FIELD,...", 0,
	  "what to print: comm, pid, tid, cpu, time, period, event, ip, sym, symoff, dso, el, "
	  "state, vmid, srcline, inline", 0 },
	{ "symbols", 'S', "NAME,...", 0, "only these symbols", 0 },
	{ "json", OPT_JSON, NULL, 0, "print a JSON object a line", 0 },
	{ 0 }
};

static unsigned int parse_fields(const char *p, struct argp_state *state)
{
	unsigned int fields = 0, i;
	size_t n;

	for (; *p; p += n + !!p[n]) {
		n = strcspn(p, ",");
		for (i = 0; i < ARRAY_SIZE(field_names); i++)
			if (strlen(field_names[i]) == n && !strncmp(p, field_names[i], n))
				break;
		if (i == ARRAY_SIZE(field_names))
			argp_error(state, "no field is called '%.*s'", (int)n, p);
		fields |= 1U << i;
	}
	return fields;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->in;
		return 0;
	case 'F':
		o->fields = parse_fields(arg, state);
		return 0;
	case 'S':
		o->symbols = arg;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", arg);
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = { { &input_argp, 0, NULL, 1 }, { 0 } };

const struct argp script_argp = {
	.options = option_table,
	.parser = parse,
	.children = children,
	.doc = "Print every sample of a recording, in the order of time.\v"
	       "The layout is that of perf script. Example:\n"
	       "  pcsample script -F comm,tid,time,ip,sym,dso",
};

/*
 * Samples are printed in groups: all are looked up, then all are printed, so that the memory that
 * the look-ups wait for arrives together.
 */
#define GROUP 32

struct line {
	struct resolved x;
	const u8 *rec;
	u32 event;
	u32 sym;		/* SYM_NONE */
	bool skip;
};

/*
 * What many lines have in common is made once, and copied: the name of a thread, a symbol and a
 * path with what is around them.
 */
struct piece {
	char *text;		/* NULL: not made yet */
	size_t len;
};

struct pieces {
	struct piece *of;
	size_t nr;
};

struct script {
	struct session *s;
	const struct options *opt;
	struct resolver resolver;
	struct names names;
	struct line line[GROUP];
	struct pieces comms, dsos;
	struct pieces *symbols;	/* by DSO */
	u64 stray, printed;
	u64 seconds;		/* that @time_text has */
	char time_text[24];
	size_t time_len;
	struct out out;
};

/* Pieces */

static int pieces_init(struct pieces *p, size_t nr)
{
	p->of = calloc(nr + 1, sizeof(*p->of));
	p->nr = p->of ? nr : 0;
	return p->of ? 0 : -ENOMEM;
}

static void pieces_deinit(struct pieces *p)
{
	while (p->nr)
		free(p->of[--p->nr].text);
	free(p->of);
}

/* @text as out_clean() writes it, @before and @after around it, at least @width columns in all */
static int make_piece(struct piece *p, const char *before, const char *text, const char *after,
		      size_t width)
{
	size_t len[] = { strlen(before), strlen(text), strlen(after) }, pad, i;
	char *to;

	p->len = len[0] + len[1] + len[2];
	pad = p->len < width ? width - p->len : 0;
	p->len += pad;
	p->text = malloc(p->len + 1);
	if (!p->text)
		return -ENOMEM;
	memset(p->text, ' ', pad);
	to = p->text + pad;
	memcpy(to, before, len[0]);
	to += len[0];
	for (i = 0; i < len[1]; i++)
		to[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
	memcpy(to + len[1], after, len[2] + 1);
	return 0;
}

static void print_piece(struct out *o, const struct piece *p)
{
	out_bytes(o, p->text, p->len);
}

/* Parts of a line */

static void print_comm(struct script *sc, const struct resolved *x)
{
	struct place place = { .comm = x->comm };
	struct piece made, *p = x->comm < sc->comms.nr ? &sc->comms.of[x->comm] : &made;
	char buf[REPORT_TEXT_MAX];

	made.text = NULL;
	if (unlikely(!p->text) &&
	    make_piece(p, "", report_comm(sc->s, &place, buf), " ", 17)) {
		sc->out.error = -ENOMEM;
		return;
	}
	print_piece(&sc->out, p);
	free(made.text);
}

/* "%12s: " of seconds and microseconds; the seconds are those of the line before most times */
static void print_time(struct script *sc, u64 ns)
{
	u64 seconds = ns / 1000000000, us = ns % 1000000000 / 1000;
	struct out *o = &sc->out;
	unsigned int i;
	char *p;

	if (seconds != sc->seconds || !sc->time_len) {
		sc->time_len = snprintf(sc->time_text, sizeof(sc->time_text), "%5" PRIu64 ".",
					seconds);
		sc->seconds = seconds;
	}
	out_bytes(o, sc->time_text, sc->time_len);
	p = out_room(o, 8);
	for (i = 6; i--; us /= 10)
		p[i] = '0' + us % 10;
	p[6] = ':';
	p[7] = ' ';
	out_took(o, 8);
}

/* "%16x": all digits, then spaces over the leading zeros */
static void print_ip(struct out *o, u64 ip)
{
	unsigned int digits = ip ? (67 - __builtin_clzll(ip)) / 4 : 1;
	char *p = out_room(o, 40);

	out_hex_digits(p + 1, ip);
	memset(p, ' ', 17 - digits);
	out_took(o, 17);
}

static void print_symbol(struct script *sc, const struct line *l)
{
	const struct dso *dso = sc->s->dsos.dso[l->x.dso];
	struct pieces *symbols = &sc->symbols[l->x.dso];
	struct out *o = &sc->out;
	struct piece *p;

	if (l->sym == SYM_NONE) {
		out_bytes(o, " [unknown]", 10);
		return;
	}
	if (unlikely(!symbols->of) && pieces_init(symbols, dso->symtab.nr)) {
		o->error = -ENOMEM;
		return;
	}
	p = &symbols->of[l->sym];
	if (unlikely(!p->text) &&
	    make_piece(p, " ", names_symbol(&sc->names, dso, l->x.dso, l->sym), "", 0)) {
		o->error = -ENOMEM;
		return;
	}
	print_piece(o, p);
	if (sc->opt->fields & F_SYMOFF) {
		u64 offset = l->x.addr - dso->symtab.syms[l->sym].start;

		out_char(o, '+');
		out_hex(o, offset, offset ? (67 - __builtin_clzll(offset)) / 4 : 1);
	}
}

static void print_dso(struct script *sc, const struct line *l)
{
	struct piece *p = &sc->dsos.of[l->x.dso];

	if (unlikely(!p->text) &&
	    make_piece(p, " (", sc->s->dsos.dso[l->x.dso]->path, ")", 0)) {
		sc->out.error = -ENOMEM;
		return;
	}
	print_piece(&sc->out, p);
}

/* " file:line", and with F_INLINE each function that was inlined, the innermost first */
static void print_source(struct script *sc, const struct line *l)
{
	struct source_frame frame[SOURCE_FRAMES_MAX];
	struct dso *dso = sc->s->dsos.dso[l->x.dso];
	unsigned int nr = source_find(dso, l->x.addr, frame), i;
	struct out *o = &sc->out;
	char *name;

	for (i = 0; i < nr; i++) {
		if (sc->opt->fields & F_INLINE && i + 1 < nr && frame[i].name) {
			name = sc->opt->in.demangle ? demangle(frame[i].name) : NULL;
			out_char(o, ' ');
			out_clean(o, name ? name : frame[i].name, 0);
			out_bytes(o, " inlined", 8);
			free(name);
		}
		if (sc->opt->fields & F_SRCLINE && frame[i].file) {
			out_char(o, ' ');
			out_clean(o, frame[i].file, 0);
			out_char(o, ':');
			out_u64(o, frame[i].line, 0);
		}
		if (!(sc->opt->fields & F_INLINE))
			break;
	}
}

static void print_hardware(struct script *sc, const struct line *l)
{
	struct arm_pcsample_record hw;
	unsigned int f = sc->opt->fields;
	struct out *o = &sc->out;

	if (!sample_arm_record(&sc->s->pd->events[l->event].layout, l->rec, &hw))
		return;
	if (f & F_EL) {
		out_text(o, " EL");
		out_u64(o, pcs_el(hw.pmpcsr), 0);
	}
	if (f & F_STATE) {
		out_char(o, ' ');
		out_text(o, report_state(pcs_state(hw.pmpcsr)));
	}
	if (f & F_VMID && hw.has & ARM_PCSAMPLE_HAS_VMID) {
		out_text(o, " vmid ");
		out_u64(o, FIELD_GET(PMVIDSR_VMID, hw.pmvidsr), 0);
	}
}

static void print_line(struct script *sc, const struct line *l)
{
	const struct recorded_event *e = &sc->s->pd->events[l->event];
	unsigned int f = sc->opt->fields;
	struct out *o = &sc->out;

	if (f & F_COMM)
		print_comm(sc, &l->x);
	if (f & F_PID) {
		out_s64(o, l->x.pid, 5);
		out_char(o, f & F_TID ? '/' : ' ');
	}
	if (f & F_TID) {
		out_s64(o, l->x.tid, f & F_PID ? 0 : 5);
		if (f & F_PID && l->x.tid < 10000 && l->x.tid >= 0)
			out_spaces(o, l->x.tid < 10 ? 4 : l->x.tid < 100 ? 3 :
				      l->x.tid < 1000 ? 2 : 1);
		out_char(o, ' ');
	}
	if (f & F_CPU) {
		out_char(o, '[');
		if (l->x.cpu < 100)
			out_bytes(o, "00", l->x.cpu < 10 ? 2 : 1);
		out_u64(o, l->x.cpu, 0);
		out_bytes(o, "] ", 2);
	}
	if (f & F_TIME)
		print_time(sc, l->x.time);
	if (f & F_PERIOD) {
		out_u64(o, sample_u64(l->rec, e->layout.period, e->attr.sample_period), 10);
		out_char(o, ' ');
	}
	if (f & F_EVENT) {
		out_clean(o, e->name, 0);
		out_bytes(o, ": ", 2);
	}
	if (f & F_IP)
		print_ip(o, l->x.ip);
	if (f & (F_SYM | F_SYMOFF))
		print_symbol(sc, l);
	if (f & F_DSO)
		print_dso(sc, l);
	if (f & (F_SRCLINE | F_INLINE))
		print_source(sc, l);
	if (f & (F_EL | F_STATE | F_VMID))
		print_hardware(sc, l);
	out_char(o, '\n');
}

static void json_text(struct out *o, const char *key, const char *text)
{
	out_text(o, key);
	out_json(o, text);
	out_char(o, '"');
}

static void print_json(struct script *sc, const struct line *l)
{
	const struct dso *dso = sc->s->dsos.dso[l->x.dso];
	struct place p = { .comm = l->x.comm };
	struct arm_pcsample_record hw;
	char buf[REPORT_TEXT_MAX];
	struct out *o = &sc->out;

	out_text(o, "{\"schema\":\"pcsample-script\",\"schema_version\":1,\"time_ns\":");
	out_u64(o, l->x.time, 0);
	json_text(o, ",\"event\":\"", sc->s->pd->events[l->event].name);
	json_text(o, ",\"comm\":\"", report_comm(sc->s, &p, buf));
	out_text(o, ",\"pid\":");
	out_s64(o, l->x.pid, 0);
	out_text(o, ",\"tid\":");
	out_s64(o, l->x.tid, 0);
	if (l->x.cpu != NO_CPU) {
		out_text(o, ",\"cpu\":");
		out_u64(o, l->x.cpu, 0);
	}
	out_text(o, ",\"ip\":\"");
	out_hex(o, l->x.ip, 16);
	json_text(o, "\",\"dso\":\"", dso->path);
	if (l->sym != SYM_NONE)
		json_text(o, ",\"symbol\":\"",
			  names_symbol(&sc->names, dso, l->x.dso, l->sym));
	if (sample_arm_record(&sc->s->pd->events[l->event].layout, l->rec, &hw)) {
		out_text(o, ",\"el\":");
		out_u64(o, pcs_el(hw.pmpcsr), 0);
		json_text(o, ",\"state\":\"", report_state(pcs_state(hw.pmpcsr)));
	}
	out_text(o, "}\n");
}

static void look_up(struct script *sc, struct line *l, const struct in_order_item *item)
{
	struct perfdata *pd = sc->s->pd;
	struct dso *dso;

	l->rec = pd->data + item->pos;
	l->event = perfdata_event_of(pd, l->rec);
	l->skip = l->event == IDMAP_NONE || rec_size(l->rec) < pd->events[l->event].layout.size;
	if (l->skip) {
		sc->stray++;
		return;
	}
	resolve(&sc->resolver, &pd->events[l->event].layout, l->rec, item->pos, false, &l->x);
	if (!aggregate_passes(&sc->opt->in.filter, &l->x)) {
		l->skip = true;
		return;
	}
	dso = sc->s->dsos.dso[l->x.dso];
	dso_load(&sc->s->dsos, dso);
	__builtin_prefetch(symtab_bucket(&dso->symtab, l->x.addr));
}

/* By its name in the file or in the source */
static bool is_wanted(struct script *sc, const struct line *l)
{
	const struct dso *dso = sc->s->dsos.dso[l->x.dso];

	if (!sc->opt->symbols)
		return true;
	return l->sym != SYM_NONE &&
	       (report_in_list(sc->opt->symbols, symtab_name(&dso->symtab, l->sym)) ||
		report_in_list(sc->opt->symbols,
			       names_symbol(&sc->names, dso, l->x.dso, l->sym)));
}

static void print_group(struct script *sc, const struct in_order_item *item, size_t n)
{
	struct line *l;
	size_t i;

	for (i = 0; i < n; i++)
		look_up(sc, &sc->line[i], &item[i]);
	for (i = 0; i < n; i++) {
		l = &sc->line[i];
		if (l->skip)
			continue;
		l->sym = symtab_find(&sc->s->dsos.dso[l->x.dso]->symtab, l->x.addr);
		if (!is_wanted(sc, l))
			continue;
		sc->printed++;
		if (sc->opt->json)
			print_json(sc, l);
		else
			print_line(sc, l);
	}
}

static int print_samples(struct script *sc)
{
	const struct in_order_item *item;
	struct in_order order;
	ssize_t n, i;

	in_order_init(&order, sc->s);
	while ((n = in_order_next(&order, &item)) > 0 && !sc->out.error)
		for (i = 0; i < n; i += GROUP)
			print_group(sc, item + i, min(n - i, (ssize_t)GROUP));
	in_order_deinit(&order);
	return n < 0 ? n : 0;
}

static int script_init(struct script *sc, struct session *s, const struct options *opt)
{
	sc->s = s;
	sc->opt = opt;
	names_init(&sc->names, opt->in.demangle);
	resolver_init(&sc->resolver, s);
	out_init(&sc->out, STDOUT_FILENO);
	sc->symbols = calloc(s->dsos.nr, sizeof(*sc->symbols));
	if (!sc->symbols || pieces_init(&sc->comms, s->sb.comms.nr) ||
	    pieces_init(&sc->dsos, s->dsos.nr))
		return -ENOMEM;
	return 0;
}

static void script_deinit(struct script *sc)
{
	size_t i;

	for (i = 0; sc->symbols && i < sc->s->dsos.nr; i++)
		pieces_deinit(&sc->symbols[i]);
	free(sc->symbols);
	pieces_deinit(&sc->comms);
	pieces_deinit(&sc->dsos);
	names_deinit(&sc->names);
}

static int script(struct session *s, const struct options *opt)
{
	struct script *sc = calloc(1, sizeof(*sc));
	int ret, status = EXIT_OK;

	if (!sc) {
		fprintf(stderr, "pcsample script: out of memory\n");
		return EXIT_FAILED;
	}
	ret = script_init(sc, s, opt);
	if (!ret)
		ret = print_samples(sc);
	if (ret)
		fprintf(stderr, "pcsample script: %s\n", strerror(-ret));
	status = ret ? EXIT_FAILED : output_end(&sc->out, "pcsample script");
	if (!status && !sc->printed)
		status = EXIT_NOTHING;
	if (status == EXIT_NOTHING && !s->pd->damage.text[0])
		fprintf(stderr, "pcsample script: %s: no samples to print; see pcsample report\n",
			s->pd->path);
	script_deinit(sc);
	free(sc);
	return status;
}

int cmd_script(int argc, char **argv)
{
	struct options opt = { .fields = F_DEFAULT };
	struct session *s;
	int status = EXIT_FAILED;

	argp_parse(&script_argp, argc, argv, 0, NULL, &opt);
	s = input_open(&opt.in, argv[0]);
	if (s)
		status = input_close(s, argv[0], script(s, &opt));
	input_options_deinit(&opt.in);
	return status;
}
