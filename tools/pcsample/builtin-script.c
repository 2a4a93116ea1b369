// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample script: every sample as a line of text, in the order of time.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arch-model/pc-sample.h>

#include "builtin.h"
#include "input-options.h"
#include "lib/callchain.h"
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
	F_CGROUP = 1 << 16,
};

static const char *const field_names[] = {
	"comm", "pid", "tid", "cpu", "time", "period", "event", "ip", "sym", "symoff", "dso", "el",
	"state", "vmid", "srcline", "inline", "cgroup",
};

#define F_DEFAULT (F_COMM | F_TID | F_CPU | F_TIME | F_PERIOD | F_EVENT | F_IP | F_SYM | \
		   F_SYMOFF | F_DSO)

struct options {
	struct input_options in;
	unsigned int fields;
	const char *symbols;
	bool json, no_chains, no_inline;
};

enum { OPT_JSON = 256, OPT_NO_INLINE };

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Output:", 2 },
	{ "fields", 'F', "FIELD,...", 0,
	  "what to print: comm, pid, tid, cpu, time, period, event, ip, sym, symoff, dso, el, "
	  "state, vmid, srcline, inline, cgroup; +FIELD or -FIELD with or without it", 0 },
	{ "symbols", 'S', "NAME,...", 0, "only these symbols", 0 },
	{ "hide-call-graph", 'G', NULL, 0,
	  "leave callers out, where perf record -g recorded them", 0 },
	{ "no-inline", OPT_NO_INLINE, NULL, 0,
	  "leave functions out that were inlined into one of a call chain", 0 },
	{ "json", OPT_JSON, NULL, 0, "print a JSON object a line", 0 },
	{ 0 }
};

/* "ip,sym" are these two; "+srcline,-cpu" changes the default, as perf has it */
static unsigned int parse_fields(const char *p, struct argp_state *state)
{
	unsigned int fields = *p == '+' || *p == '-' ? F_DEFAULT : 0, i;
	bool remove;
	size_t n;

	for (; *p; p += n + !!p[n]) {
		remove = *p == '-';
		p += remove || *p == '+';
		n = strcspn(p, ",");
		for (i = 0; i < ARRAY_SIZE(field_names); i++)
			if (strlen(field_names[i]) == n && !strncmp(p, field_names[i], n))
				break;
		if (i == ARRAY_SIZE(field_names))
			argp_error(state, "no field is called '%.*s'", (int)n, p);
		fields = remove ? fields & ~(1U << i) : fields | 1U << i;
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
		if (!o->fields)
			argp_error(state, "no field to print");
		return 0;
	case 'S':
		o->symbols = arg;
		return 0;
	case 'G':
		o->no_chains = true;
		return 0;
	case OPT_NO_INLINE:
		o->no_inline = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'; a recording is given with -i", arg);
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

#define NS_PER_SECOND 1000000000U

/*
 * What many lines have in common is made once, and copied: a thread, and a symbol with its object.
 * Copied are whole steps, so there is room for them at both ends.
 */
#define PIECE_STEP 32

struct piece {
	char *text;		/* NULL: not made yet */
	size_t len;
};

/*
 * Samples are printed in groups: step by step each is looked up and asks for the memory of its next
 * step, so that what the steps wait for arrives together; then all are printed.
 */
#define GROUP 32

/*
 * @bucket: of @x.addr in the symbols of the object
 * @sym: SYM_NONE
 * @symbol: its text, perhaps not made yet; NULL if no text is asked for
 */
struct line {
	struct resolved x;
	const u8 *rec;
	const struct recorded_event *event;
	const struct symtab *symtab;
	const u32 *bucket;
	u32 sym;
	struct piece *symbol;
};

struct pieces {
	struct piece *of;
	size_t nr;
};

/* Threads whose numbers are equal modulo NR_THREADS take the place from each other */
#define NR_THREADS 64

struct thread_piece {
	s32 pid, tid;
	u32 comm;
	bool padded;
	struct piece piece;
};

struct script {
	struct session *s;
	const struct options *opt;
	const struct aggregate_filter *filter;	/* NULL: all samples */
	bool full;		/* samples of all events have address, thread and time */
	bool prints_symbols;	/* as text */
	struct resolver resolver;
	struct names names;
	struct line line[GROUP];
	struct thread_piece thread[NR_THREADS];
	struct pieces dsos;
	struct pieces *symbols;	/* by DSO; of one, the last is of code without a symbol */
	struct callchain chain;
	u64 stray, printed;
	u64 second;		/* that @time_text has, in ns */
	char time_text[24];
	size_t time_len;
	struct out out;
};

/* Pieces */

static int pieces_init(struct pieces *p, size_t nr)
{
	p->of = calloc(nr, sizeof(*p->of));
	p->nr = p->of ? nr : 0;
	return p->of ? 0 : -ENOMEM;
}

static void pieces_deinit(struct pieces *p)
{
	while (p->nr)
		free(p->of[--p->nr].text);
	free(p->of);
}

static int make_piece(struct piece *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* printf() into a piece; control characters become '?' */
static int make_piece(struct piece *p, const char *format, ...)
{
	va_list ap;
	char *text;
	int len, i;

	va_start(ap, format);
	len = vasprintf(&text, format, ap);
	va_end(ap);
	if (len < 0)
		return -ENOMEM;
	for (i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	free(p->text);
	p->len = len;
	p->text = realloc(text, ALIGN_UP(len + 1, PIECE_STEP));
	if (!p->text)
		free(text);
	return p->text ? 0 : -ENOMEM;
}

static inline void print_piece(struct out *o, const struct piece *p)
{
	const char *text = p->text, *end = text + p->len;
	char *to;

	if (unlikely(p->len > OUT_ITEM_MAX - PIECE_STEP)) {
		out_bytes(o, text, p->len);
		return;
	}
	to = out_room(o, OUT_ITEM_MAX);
	out_took(o, p->len);
	do {
		memcpy(to, text, PIECE_STEP);
		to += PIECE_STEP;
		text += PIECE_STEP;
	} while (text < end);
}

/* Parts of a line */

static int make_thread(struct script *sc, struct thread_piece *t, const struct resolved *x,
		       bool padded)
{
	struct place place = { .comm = x->comm };
	unsigned int f = sc->opt->fields;
	char buf[REPORT_TEXT_MAX], numbers[32] = "";
	const char *comm = report_comm(sc->s, &place, buf);

	if (f & F_PID && f & F_TID)
		snprintf(numbers, sizeof(numbers), "%5d/%-5d ", x->pid, x->tid);
	else if (f & (F_PID | F_TID))
		snprintf(numbers, sizeof(numbers), "%5d ", f & F_PID ? x->pid : x->tid);
	t->pid = x->pid;
	t->tid = x->tid;
	t->comm = x->comm;
	t->padded = padded;
	return f & F_COMM ? make_piece(&t->piece, "%*s %s", padded ? 16 : 0, comm, numbers) :
			    make_piece(&t->piece, "%s", numbers);
}

/* One branch, as all of it is nearly always so */
static inline bool thread_is(const struct thread_piece *t, const struct resolved *x, bool padded)
{
	u32 other = (t->tid ^ x->tid) | (t->pid ^ x->pid) | (t->comm ^ x->comm);

	return !other & (t->padded == padded) & !!t->piece.text;
}

static void print_thread(struct script *sc, const struct resolved *x, bool padded)
{
	struct thread_piece *t = &sc->thread[(u32)x->tid % NR_THREADS];

	if (unlikely(!thread_is(t, x, padded)) && make_thread(sc, t, x, padded)) {
		sc->out.error = -ENOMEM;
		return;
	}
	print_piece(&sc->out, &t->piece);
}

/* "%06u: ", all digits at once: two each in 16 bits, then one each in 8 */
static inline u64 microseconds_text(u32 us)
{
	u64 pairs = us / 10000 | (u64)(us / 100 % 100) << 16 | (u64)(us % 100) << 32;
	u64 tens = (pairs * 103 >> 10) & 0xf000f000fULL;	/* v / 10 of v < 100 */

	return (tens | (pairs - 10 * tens) << 8) + 0x203a303030303030ULL;
}

/* "%12s: " of seconds and microseconds; the second is that of the line before most times */
static void print_time(struct script *sc, u64 ns)
{
	struct out *o = &sc->out;
	u64 us;
	char *p;

	if (unlikely(ns - sc->second >= NS_PER_SECOND || !sc->time_len)) {
		sc->time_len = snprintf(sc->time_text, sizeof(sc->time_text), "%5" PRIu64 ".",
					ns / NS_PER_SECOND);
		sc->second = ns - ns % NS_PER_SECOND;
	}
	us = microseconds_text((u32)(ns - sc->second) / 1000);
	p = out_room(o, sizeof(sc->time_text) + sizeof(us));
	memcpy(p, sc->time_text, sizeof(sc->time_text));
	memcpy(p + sc->time_len, &us, sizeof(us));
	out_took(o, sc->time_len + sizeof(us));
}

/* @before, and "%16x" */
static inline void print_ip(struct out *o, char before, u64 ip)
{
	char *p = out_room(o, 17);

	*p = before;
	out_hex_right(p + 1, ip);
	out_took(o, 17);
}

/* " (path)" */
static void print_dso(struct script *sc, u32 dso)
{
	struct piece *p = &sc->dsos.of[dso];

	if (unlikely(!p->text) && make_piece(p, " (%s)", sc->s->dsos.dso[dso]->path)) {
		sc->out.error = -ENOMEM;
		return;
	}
	print_piece(&sc->out, p);
}

static int make_symbol(struct script *sc, struct piece *p, u32 index, u32 sym)
{
	const struct dso *dso = sc->s->dsos.dso[index];
	const char *name = "[unknown]";

	if (sym != SYM_NONE)
		name = names_symbol(&sc->names, dso, index, sym);
	if ((sc->opt->fields & (F_DSO | F_SYMOFF)) == F_DSO)
		return make_piece(p, " %s (%s)", name, dso->path);
	return make_piece(p, " %s", name);
}

/* The text of a symbol, perhaps not made yet; NULL if there is no memory for it */
static inline struct piece *symbol_piece(struct script *sc, u32 dso, u32 sym)
{
	struct pieces *symbols = &sc->symbols[dso];
	u32 nr = sc->s->dsos.dso[dso]->symtab.nr;

	if (unlikely(!symbols->of) && pieces_init(symbols, nr + 1)) {
		sc->out.error = -ENOMEM;
		return NULL;
	}
	return &symbols->of[min(sym, nr)];
}

/* "+offset (path)" behind a symbol, the path if it is asked for */
static void print_offset(struct script *sc, u32 dso, u32 sym, u64 addr)
{
	const struct symtab *st = &sc->s->dsos.dso[dso]->symtab;
	struct out *o = &sc->out;
	u64 offset;

	if (sym != SYM_NONE) {
		offset = addr - st->syms[sym].start;
		out_char(o, '+');
		out_hex(o, offset, offset ? (67 - __builtin_clzll(offset)) / 4 : 1);
	}
	if (sc->opt->fields & F_DSO)
		print_dso(sc, dso);
}

/* " symbol+offset (path)" of an address in @dso, the offset and the path if they are asked for */
static inline void print_symbol(struct script *sc, struct piece *p, u32 dso, u32 sym, u64 addr)
{
	if (unlikely(!p || (!p->text && make_symbol(sc, p, dso, sym)))) {
		sc->out.error = -ENOMEM;
		return;
	}
	print_piece(&sc->out, p);
	if (sc->opt->fields & F_SYMOFF)
		print_offset(sc, dso, sym, addr);
}

/* " file:line", and with F_INLINE each function that was inlined, the innermost first */
static void print_source(struct script *sc, u32 dso, u64 addr)
{
	struct source_frame frame[SOURCE_FRAMES_MAX];
	unsigned int nr = source_find(sc->s->dsos.dso[dso], addr, frame), i;
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

	if (!sample_arm_record(&l->event->layout, l->rec, &hw))
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

/* Where the sample was taken, behind what else is known of it */
static void print_place(struct script *sc, const struct line *l)
{
	unsigned int f = sc->opt->fields;

	if (f & F_IP)
		print_ip(&sc->out, ' ', l->x.ip);
	if (f & (F_SYM | F_SYMOFF))
		print_symbol(sc, l->symbol, l->x.dso, l->sym, l->x.addr);
	else if (f & F_DSO)
		print_dso(sc, l->x.dso);
	if (f & (F_SRCLINE | F_INLINE))
		print_source(sc, l->x.dso, l->x.addr);
}

/* The number that stands for a frame: perf has addresses of files where there is one */
static u64 shown_address(const struct callchain_frame *f)
{
	if (f->mode != PERF_RECORD_MISC_USER || f->dso == DSO_INDEX_UNKNOWN)
		return f->ip;
	return f->addr + f->back;
}

/* A line of each function that was inlined where a frame is, the innermost first */
static void print_inlined(struct script *sc, const struct callchain_frame *f)
{
	struct inlines *in = &sc->s->inlines;
	struct source_spot spot;
	struct out *o = &sc->out;
	u32 call;

	if (inlines_find(in, sc->s->dsos.dso[f->dso], f->dso, f->addr, &spot)) {
		o->error = -ENOMEM;
		return;
	}
	for (call = spot.call; call != INLINED_NOTHING; call = in->call[call].outer) {
		print_ip(o, '\t', shown_address(f));
		out_char(o, ' ');
		out_clean(o, names_inlined(&sc->names, in, in->call[call].name), 0);
		out_text(o, " (inlined)\n");
	}
}

static void print_frame(struct script *sc, const struct callchain_frame *f)
{
	unsigned int fields = sc->opt->fields;
	struct out *o = &sc->out;

	if (fields & (F_SYM | F_SYMOFF) && !sc->opt->no_inline)
		print_inlined(sc, f);
	print_ip(o, '\t', shown_address(f));
	if (fields & (F_SYM | F_SYMOFF))
		print_symbol(sc, symbol_piece(sc, f->dso, f->sym), f->dso, f->sym,
			     f->addr + f->back);
	else if (fields & F_DSO)
		print_dso(sc, f->dso);
	if (fields & F_SRCLINE)
		print_source(sc, f->dso, f->addr);
	out_char(o, '\n');
}

static bool shows_chain(const struct script *sc, const struct line *l)
{
	const struct recorded_event *e = l->event;

	return unlikely(e->layout.type & PERF_SAMPLE_CALLCHAIN) && !sc->opt->no_chains &&
	       callchain_recorded(e);
}

static int find_chain(struct script *sc, const struct line *l)
{
	int ret = callchain_find(&sc->chain, sc->s, &sc->resolver, &l->event->layout, l->rec,
				 &l->x);

	if (ret)
		sc->out.error = ret;
	return ret;
}

/* Lines of their own, and an empty one behind them */
static void print_chain(struct script *sc, const struct line *l)
{
	size_t i;

	out_char(&sc->out, '\n');
	if (find_chain(sc, l))
		return;
	for (i = 0; i < sc->chain.nr; i++)
		print_frame(sc, &sc->chain.frame[i]);
}

static void print_cgroup(struct script *sc, const struct line *l)
{
	const struct place p = {
		.cgroup = sideband_cgroup(&sc->s->sb, sample_cgroup(&l->event->layout, l->rec)),
	};

	out_char(&sc->out, ' ');
	out_clean(&sc->out, report_cgroup(sc->s, &p), 0);
}

static void print_line(struct script *sc, const struct line *l)
{
	const struct recorded_event *e = l->event;
	unsigned int f = sc->opt->fields;
	bool chain = f & F_IP && shows_chain(sc, l);
	struct out *o = &sc->out;

	if (f & (F_COMM | F_PID | F_TID))
		print_thread(sc, &l->x, !chain);
	if (f & F_CPU && l->x.cpu != NO_CPU) {
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
	if (chain)
		print_chain(sc, l);
	else
		print_place(sc, l);
	if (f & (F_EL | F_STATE | F_VMID))
		print_hardware(sc, l);
	if (f & F_CGROUP)
		print_cgroup(sc, l);
	out_char(o, '\n');
}

static void json_text(struct out *o, const char *key, const char *text)
{
	out_text(o, key);
	out_json(o, text);
	out_char(o, '"');
}

static void print_json_code(struct script *sc, u64 ip, u32 dso, u32 sym)
{
	const struct dso *d = sc->s->dsos.dso[dso];
	struct out *o = &sc->out;

	out_text(o, "\"ip\":\"");
	out_hex(o, ip, 16);
	json_text(o, "\",\"dso\":\"", d->path);
	if (sym != SYM_NONE)
		json_text(o, ",\"symbol\":\"", names_symbol(&sc->names, d, dso, sym));
}

static void print_json_chain(struct script *sc, const struct line *l)
{
	const struct callchain_frame *f;
	struct out *o = &sc->out;
	size_t i;

	if (find_chain(sc, l))
		return;
	out_text(o, ",\"callchain\":[");
	for (i = 0; i < sc->chain.nr; i++) {
		f = &sc->chain.frame[i];
		out_text(o, i ? ",{" : "{");
		print_json_code(sc, f->ip, f->dso, f->sym);
		out_char(o, '}');
	}
	out_char(o, ']');
}

static void print_json(struct script *sc, const struct line *l)
{
	struct place p = { .comm = l->x.comm };
	struct arm_pcsample_record hw;
	char buf[REPORT_TEXT_MAX];
	struct out *o = &sc->out;

	out_text(o, "{\"schema\":\"pcsample-script\",\"schema_version\":1,\"time_ns\":");
	out_u64(o, l->x.time, 0);
	json_text(o, ",\"event\":\"", l->event->name);
	json_text(o, ",\"comm\":\"", report_comm(sc->s, &p, buf));
	out_text(o, ",\"pid\":");
	out_s64(o, l->x.pid, 0);
	out_text(o, ",\"tid\":");
	out_s64(o, l->x.tid, 0);
	if (l->x.cpu != NO_CPU) {
		out_text(o, ",\"cpu\":");
		out_u64(o, l->x.cpu, 0);
	}
	out_char(o, ',');
	print_json_code(sc, l->x.ip, l->x.dso, l->sym);
	if (shows_chain(sc, l))
		print_json_chain(sc, l);
	if (sample_arm_record(&l->event->layout, l->rec, &hw)) {
		out_text(o, ",\"el\":");
		out_u64(o, pcs_el(hw.pmpcsr), 0);
		json_text(o, ",\"state\":\"", report_state(pcs_state(hw.pmpcsr)));
	}
	out_text(o, "}\n");
}

/* Return: is it one to print? */
static inline __attribute__((always_inline))
bool look_up(struct script *sc, struct line *l, const struct in_order_item *item, const bool full)
{
	struct perfdata *pd = sc->s->pd;
	u32 event;
	struct dso *dso;

	l->rec = pd->data + item->pos;
	event = perfdata_event_of(pd, l->rec);
	if (unlikely(event == IDMAP_NONE || rec_size(l->rec) < pd->events[event].layout.size)) {
		sc->stray++;
		return false;
	}
	l->event = &pd->events[event];
	resolve(&sc->resolver, &l->event->layout, l->rec, item->pos, full, &l->x);
	if (unlikely(sc->filter) && !aggregate_passes(sc->filter, &l->x))
		return false;
	dso = sc->s->dsos.dso[l->x.dso];
	dso_load(&sc->s->dsos, dso);
	l->symtab = &dso->symtab;
	l->bucket = symtab_bucket(l->symtab, l->x.addr);
	__builtin_prefetch(l->bucket);
	return true;
}

static void find_symbols(struct script *sc, size_t n)
{
	struct line *l, *end = sc->line + n;

	for (l = sc->line; l < end; l++)
		__builtin_prefetch(symtab_first(l->symtab, l->bucket));
	for (l = sc->line; l < end; l++) {
		l->sym = symtab_find_in(l->symtab, l->bucket, l->x.addr);
		l->symbol = NULL;
		if (!sc->prints_symbols)
			continue;
		l->symbol = symbol_piece(sc, l->x.dso, l->sym);
		__builtin_prefetch(l->symbol);
	}
	for (l = sc->line; l < end; l++)
		if (l->symbol)
			__builtin_prefetch(l->symbol->text);
}

/* By its name in the file or in the source */
static bool is_wanted(struct script *sc, const struct line *l)
{
	if (!sc->opt->symbols)
		return true;
	return l->sym != SYM_NONE &&
	       (report_in_list(sc->opt->symbols, symtab_name(l->symtab, l->sym)) ||
		report_in_list(sc->opt->symbols,
			       names_symbol(&sc->names, sc->s->dsos.dso[l->x.dso], l->x.dso,
					    l->sym)));
}

static void print_group(struct script *sc, const struct in_order_item *item, size_t nr)
{
	struct line *l;
	size_t n = 0, i;

	for (i = 0; i < nr; i++) {
		if (sc->full)
			n += look_up(sc, &sc->line[n], &item[i], true);
		else
			n += look_up(sc, &sc->line[n], &item[i], false);
	}
	find_symbols(sc, n);
	for (l = sc->line; l < sc->line + n; l++) {
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

static bool all_full(const struct perfdata *pd)
{
	size_t i;

	for (i = 0; i < pd->nr_events; i++)
		if (!sample_is_full(&pd->events[i].layout))
			return false;
	return true;
}

static int script_init(struct script *sc, struct session *s, const struct options *opt)
{
	sc->s = s;
	sc->opt = opt;
	sc->filter = opt->in.filtered ? &opt->in.filter : NULL;
	sc->full = all_full(s->pd);
	sc->prints_symbols = !opt->json && opt->fields & (F_SYM | F_SYMOFF);
	names_init(&sc->names, opt->in.demangle);
	resolver_init(&sc->resolver, s);
	out_init(&sc->out, STDOUT_FILENO);
	sc->symbols = calloc(s->dsos.nr, sizeof(*sc->symbols));
	return sc->symbols ? pieces_init(&sc->dsos, s->dsos.nr) : -ENOMEM;
}

static void script_deinit(struct script *sc)
{
	size_t i;

	for (i = 0; sc->symbols && i < sc->s->dsos.nr; i++)
		pieces_deinit(&sc->symbols[i]);
	free(sc->symbols);
	for (i = 0; i < NR_THREADS; i++)
		free(sc->thread[i].piece.text);
	pieces_deinit(&sc->dsos);
	callchain_deinit(&sc->chain);
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
