// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample script: print every sample as a line of text, in the order of time.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arch-model/pc-sample.h>

#include "base/arena.h"
#include "base/out.h"
#include "commands/command.h"
#include "commands/habits.h"
#include "commands/input-options.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "profile/branches.h"
#include "profile/callchain.h"
#include "profile/not-shown.h"
#include "profile/provenance.h"
#include "profile/rows.h"
#include "profile/samples.h"
#include "profile/tracepoints.h"
#include "symbols/demangle.h"
#include "symbols/dwarf.h"
#include "symbols/load.h"
#include "symbols/names.h"

/* Fields. Those that perf script has are printed in its order and layout. */
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
	F_TRACE = 1 << 17,
	F_BRSTACK = 1 << 18,
	F_BRSTACKSYM = 1 << 19,
	F_BRSTACKOFF = 1 << 20,
	F_COUNTS = 1 << 21,
};

static const char *const field_names[] = {
	"comm", "pid", "tid", "cpu", "time", "period", "event", "ip", "sym", "symoff", "dso", "el",
	"state", "vmid", "srcline", "inline", "cgroup", "trace", "brstack", "brstacksym",
	"brstackoff", "counts",
};

#define F_PLACE (F_IP | F_SYM | F_SYMOFF | F_DSO)
#define F_BRANCHES (F_BRSTACK | F_BRSTACKSYM | F_BRSTACKOFF)
#define F_TRACEPOINT (F_COMM | F_TID | F_CPU | F_TIME | F_EVENT | F_TRACE)

/* Fields that no sample of some recordings has */
#define F_RECORDED (F_CPU | F_TIME | F_EL | F_STATE | F_VMID | F_CGROUP | F_TRACE | F_BRANCHES | \
		    F_COUNTS)

/* As in perf, the default fields depend on the kind of event */
enum kind { KIND_TRACEPOINT, KIND_TRACEPOINT_CHAINS, KIND_OTHER, NR_KINDS };

static const unsigned int default_fields[NR_KINDS] = {
	[KIND_TRACEPOINT] = F_TRACEPOINT,
	[KIND_TRACEPOINT_CHAINS] = F_TRACEPOINT | F_PLACE,
	[KIND_OTHER] = F_COMM | F_TID | F_CPU | F_TIME | F_PERIOD | F_EVENT | F_PLACE,
};

struct options {
	struct input_options in;
	unsigned int fields[NR_KINDS];
	unsigned int asked;	/* fields that the user named */
	struct name_list *symbols;
	bool json, no_chains, no_inline;
	bool header, header_only, topology;
	enum { TIME_CLOCK, TIME_SINCE_FIRST, TIME_SINCE_LAST } times;
	bool ns;
};

enum { OPT_JSON = 256, OPT_NO_INLINE, OPT_HEADER, OPT_HEADER_ONLY, OPT_NS, OPT_RELTIME,
	OPT_DELTATIME, OPT_MAX_STACK };

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Output:", 2 },
	{ "fields", 'F', "FIELD,...", 0,
	  "print these fields: comm, pid, tid, cpu, time, period, event, ip, sym, symoff, dso, el, "
	  "state, vmid, srcline, inline, cgroup, trace; branch stacks as addresses, symbols or "
	  "places in files: brstack, brstacksym, brstackoff; counts of PMU snapshots: counts; "
	  "+FIELD adds FIELD to the default, -FIELD removes it", 0 },
	{ "symbols", 'S', "NAME,...", 0, "print only samples in these symbols", 0 },
	{ "hide-call-graph", 'G', NULL, 0,
	  "leave out callers, even if perf record -g recorded them", 0 },
	{ "max-stack", OPT_MAX_STACK, "N", 0, "use only the first N addresses of call chains", 0 },
	{ "no-inline", OPT_NO_INLINE, NULL, 0,
	  "leave inlined functions out of call chains", 0 },
	{ "ns", OPT_NS, NULL, 0, "print times with nanoseconds", 0 },
	{ "reltime", OPT_RELTIME, NULL, 0, "print times since the first sample", 0 },
	{ "deltatime", OPT_DELTATIME, NULL, 0, "print times since the previous sample", 0 },
	{ "header", OPT_HEADER, NULL, 0,
	  "print first where the recording comes from: machine, command line, events", 0 },
	{ "header-only", OPT_HEADER_ONLY, NULL, 0, "print the header and nothing else", 0 },
	{ "show-info", 'I', NULL, 0, "print the header, CPU siblings and memory nodes", 0 },
	{ "json", OPT_JSON, NULL, 0, "print one JSON object per line", 0 },
	TAKES_BACK("no-fields", 'F'),
	TAKES_BACK("no-symbols", 'S'),
	TAKES_BACK("no-hide-call-graph", 'G'),
	TAKES_BACK("no-max-stack", OPT_MAX_STACK),
	TAKES_BACK("inline", OPT_NO_INLINE),
	TAKES_BACK("no-ns", OPT_NS),
	TAKES_BACK("no-reltime", OPT_RELTIME),
	TAKES_BACK("no-deltatime", OPT_DELTATIME),
	TAKES_BACK("no-header", OPT_HEADER),
	TAKES_BACK("no-header-only", OPT_HEADER_ONLY),
	TAKES_BACK("no-show-info", 'I'),
	{ 0 }
};

/* Is it a field list of perf for one kind of event, as in "trace:comm,trace"? */
static bool is_of_kind(const char *name, size_t len)
{
	return memchr(name, ':', len);
}

static void no_such_field(const char *name, size_t len, struct argp_state *state)
{
	const char *use = habit_of_field(name, len);

	if (is_of_kind(name, len))
		use = "one list is for all events; perf script -F has one for each kind";
	if (use)
		argp_failure(state, EXIT_USAGE, 0, "-F %.*s: %s", (int)len, name, use);
	argp_error(state, "no field is called '%.*s'", (int)len, name);
}

/*
 * Parse -F: "ip,sym" prints these two; as in perf, "+srcline,-cpu" changes @fields, which are the
 * default or those of an earlier -F.
 * @asked: the fields that the user named to be printed, changed in the same way
 */
static unsigned int parse_fields(const char *p, unsigned int fields, unsigned int *asked,
				 struct argp_state *state)
{
	unsigned int i, bits;
	bool remove;
	size_t n;

	if (*p != '+' && *p != '-')
		fields = *asked = 0;
	for (; *(p += strspn(p, ",")); p += n) {
		remove = *p == '-';
		p += remove || *p == '+';
		n = strcspn(p, ",");
		for (i = 0; i < ARRAY_SIZE(field_names); i++)
			if (text_is(p, n, field_names[i]))
				break;
		if (i == ARRAY_SIZE(field_names))
			no_such_field(p, n, state);
		bits = 1U << i;
		/* symoff prints the symbol as well, and is in the default */
		if (remove && bits == F_SYM)
			bits |= F_SYMOFF;
		fields = remove ? fields & ~bits : fields | bits;
		*asked = remove ? *asked & ~bits : *asked | bits;
	}
	return fields;
}

static void set_times(struct options *o, int key, struct argp_state *state)
{
	if (o->times != TIME_CLOCK)
		argp_error(state, "--reltime and --deltatime exclude each other");
	o->times = key == OPT_RELTIME ? TIME_SINCE_FIRST : TIME_SINCE_LAST;
}

static void set_default_fields(struct options *o)
{
	memcpy(o->fields, default_fields, sizeof(o->fields));
	o->asked = 0;
}

static const struct plain_option plain[] = {
	CHILD_INPUT(struct options, in),
	SETS(OPT_NS, struct options, ns),
	SETS('G', struct options, no_chains),
	SETS(OPT_NO_INLINE, struct options, no_inline),
	SETS(OPT_HEADER, struct options, header),
	SETS(OPT_HEADER_ONLY, struct options, header_only),
	SETS('I', struct options, topology),
	SETS(OPT_JSON, struct options, json),
	NO_ARGUMENTS(INPUT_HINT),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	unsigned int kind, asked = o->asked;

	switch (key) {
	case OPT_RELTIME:
	case OPT_DELTATIME:
		set_times(o, key, state);
		return 0;
	case UNSET | OPT_RELTIME:
		if (o->times == TIME_SINCE_FIRST)
			o->times = TIME_CLOCK;
		return 0;
	case UNSET | OPT_DELTATIME:
		if (o->times == TIME_SINCE_LAST)
			o->times = TIME_CLOCK;
		return 0;
	case 'S':
	case UNSET | 'S':
		parse_names(&o->symbols, "--symbols", arg, state);
		return 0;
	case OPT_MAX_STACK:
		o->in.session.max_stack = parse_count(arg, state);
		return 0;
	case UNSET | OPT_MAX_STACK:
		o->in.session.max_stack = 0;
		return 0;
	case 'F':
		for (kind = 0; kind < NR_KINDS; kind++) {
			o->asked = asked;
			o->fields[kind] = parse_fields(arg, o->fields[kind], &o->asked, state);
			if (!o->fields[kind])
				argp_error(state, "no field to print");
		}
		return 0;
	case UNSET | 'F':
		set_default_fields(o);
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

static const struct argp_child children[] = {
	{ &input_argp, 0, NULL, 1 }, { &script_habits_argp, 0, NULL, 0 }, { 0 }
};

const struct argp script_argp = {
	.options = option_table,
	.parser = parse,
	.children = children,
	.doc = "Print every sample of a recording, in the order of time.\v"
	       "The lines have the layout of perf script. Example:\n"
	       "  pcsample script -F comm,tid,time,ip,sym,dso",
};

#define NS_PER_SECOND 1000000000U

/*
 * Text that many lines share is formatted once and copied: a thread, and a symbol with its object.
 * It is copied in steps of this size: source and target have room for one, even if it is shorter.
 */
#define PIECE_STEP 32

struct piece {
	char *text;		/* NULL: not made yet */
	size_t len;
};

/* An array of pieces; each is made when it is first used */
struct pieces {
	struct piece *of;
	size_t nr;
};

/* Size of the cache of thread texts, which is indexed by TID modulo this */
#define NR_THREADS 1024

struct thread_piece {
	s32 pid, tid;
	u32 comm;
	bool padded;
	bool plain;		/* for print_plain(): padded, and not too long */
	struct piece piece;
};

struct script {
	struct session *s;
	const struct options *opt;
	struct tracepoints *tracepoints;	/* NULL if their fields are not known */
	unsigned int fields;	/* F_... of the sample being printed */
	size_t name_width;	/* to pad names of events as perf does; 0 if there is one event */
	bool prints_symbols;	/* as text */
	bool plain;		/* use print_plain(), which suits most recordings */
	struct resolver *resolver;
	struct names names;
	struct thread_piece thread[NR_THREADS];
	struct pieces dsos;
	struct pieces *symbols;	/* by DSO; the first piece of each is for code without a symbol */
	struct pool texts;	/* of @symbols */
	struct piece no_symbol;	/* used if @symbols cannot be allocated */
	struct callchain chain;
	u64 printed;
	u64 second;		/* start of the second in @time_text, in ns */
	char time_text[16];
	size_t time_len;
	u32 three_digits[1000];	/* "000" to "999", the first in the lowest byte */
	bool timed;		/* @since is set */
	u64 since;		/* --reltime, --deltatime: times are relative to this one */
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

/* Format the text of a piece, in place of an earlier one */
static int make_piece(struct piece *p, const char *format, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, format);
	len = vasprintf(&text, format, ap);
	va_end(ap);
	if (len < 0)
		return -ENOMEM;
	clean_text(text, len);
	free(p->text);
	p->len = len;
	p->text = realloc(text, max(len + 1, PIECE_STEP));
	if (!p->text)
		free(text);
	return p->text ? 0 : -ENOMEM;
}

/*
 * Return: the end of the copy. Bytes up to the end of the first step are overwritten, too.
 *
 * The texts of symbols have two or three steps, at random: three are copied without a branch, the
 * second over the last one if there are two.
 */
static inline char *copy_piece(char *to, const struct piece *p)
{
	const char *text = p->text;
	size_t len = p->len, last, at;

	memcpy(to, text, PIECE_STEP);
	if (len <= PIECE_STEP)
		return to + len;
	last = len - PIECE_STEP;
	at = min(last, (size_t)PIECE_STEP);
	memcpy(to + at, text + at, PIECE_STEP);
	memcpy(to + last, text + last, PIECE_STEP);
	for (at = 2 * PIECE_STEP; unlikely(at < last); at += PIECE_STEP)
		memcpy(to + at, text + at, PIECE_STEP);
	return to + len;
}

static inline void print_piece(struct out *o, const struct piece *p)
{
	if (unlikely(p->len > OUT_ITEM_MAX - PIECE_STEP)) {
		out_bytes(o, p->text, p->len);
		return;
	}
	copy_piece(out_room(o, OUT_ITEM_MAX), p);
	out_took(o, p->len);
}

/* Parts of a line */

#define THREAD_MAX 64

static int make_thread(struct script *sc, struct thread_piece *t, const struct resolved *x,
		       bool padded)
{
	struct place place = { .comm = x->comm };
	unsigned int f = sc->fields;
	char buf[REPORT_TEXT_MAX], numbers[32] = "";
	const char *comm = report_comm(sc->s, &place, buf);
	int ret;

	if (f & F_PID && f & F_TID)
		snprintf(numbers, sizeof(numbers), "%5d/%-5d ", x->pid, x->tid);
	else if (f & (F_PID | F_TID))
		snprintf(numbers, sizeof(numbers), "%5d ", f & F_PID ? x->pid : x->tid);
	t->pid = x->pid;
	t->tid = x->tid;
	t->comm = x->comm;
	t->padded = padded;
	ret = f & F_COMM ? make_piece(&t->piece, "%*s %s", padded ? 16 : 0, comm, numbers) :
			   make_piece(&t->piece, "%s", numbers);
	t->plain = !ret && padded && t->piece.len <= THREAD_MAX;
	return ret;
}

/* Is @t the text for this thread? Written with a single branch, as it nearly always is. */
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

static void make_digits(struct script *sc)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sc->three_digits); i++)
		sc->three_digits[i] = (i / 100 | i / 10 % 10 << 8 | i % 10 << 16) + 0x303030;
}

/* The eight characters of "%06u: " as a number, the first in the lowest byte */
static inline u64 microseconds_text(const struct script *sc, u32 us)
{
	u64 low = sc->three_digits[us % 1000];

	return 0x203a000000000000ULL | low << 24 | sc->three_digits[us / 1000];
}

static u64 shown_time(struct script *sc, u64 ns)
{
	u64 since = sc->timed ? sc->since : ns;

	if (sc->opt->times == TIME_CLOCK)
		return ns;
	if (!sc->timed || sc->opt->times == TIME_SINCE_LAST)
		sc->since = ns;
	sc->timed = true;
	return ns - since;
}

/* --ns: append three digits to the microseconds; @p is where their ": " begins */
static void print_rest_of_ns(struct out *o, char *p, unsigned int ns)
{
	p[0] = '0' + ns / 100;
	p[1] = '0' + ns / 10 % 10;
	p[2] = '0' + ns % 10;
	memcpy(p + 3, ": ", 2);
	out_took(o, 3);
}

/* Print "seconds.microseconds: ". The second is mostly that of the previous line: keep its text. */
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
	us = microseconds_text(sc, (u32)(ns - sc->second) / 1000);
	p = out_room(o, sizeof(sc->time_text) + sizeof(us) + 3);
	memcpy(p, sc->time_text, sizeof(sc->time_text));
	memcpy(p + sc->time_len, &us, sizeof(us));
	out_took(o, sc->time_len + sizeof(us));
	if (unlikely(sc->opt->ns))
		print_rest_of_ns(o, p + sc->time_len + 6, ns % 1000);
}

/* Print the character @before, and "%16x" */
static inline void print_ip(struct out *o, char before, u64 ip)
{
	char *p = out_room(o, 17);

	*p = before;
	out_hex_right(p + 1, ip);
	out_took(o, 17);
}

/* Make the piece " (path)" */
static int make_dso(struct script *sc, u32 dso)
{
	return make_piece(&sc->dsos.of[dso], " (%s)", session_dso(sc->s, dso)->path);
}

static void print_dso(struct script *sc, u32 dso)
{
	struct piece *p = &sc->dsos.of[dso];

	if (unlikely(!p->text) && make_dso(sc, dso)) {
		sc->out.error = -ENOMEM;
		return;
	}
	print_piece(&sc->out, p);
}

/* Make the piece " symbol (path)", or " symbol" if the path is not printed or follows an offset */
static int make_symbol(struct script *sc, struct piece *p, u32 index, u32 sym)
{
	const struct dso *dso = session_dso(sc->s, index);
	bool path = (sc->fields & (F_DSO | F_SYMOFF)) == F_DSO;
	const char *name = "[unknown]";
	struct piece *of_dso = &sc->dsos.of[index];
	size_t len, name_len;

	if (path && !of_dso->text && make_dso(sc, index))
		return -ENOMEM;
	if (sym != SYM_NONE)
		name = names_symbol(&sc->names, dso, index, sym);
	name_len = strlen(name);
	len = 1 + name_len + (path ? of_dso->len : 0);
	p->text = pool_alloc(&sc->texts, max(len + 1, (size_t)PIECE_STEP));
	if (!p->text)
		return -ENOMEM;
	p->len = len;
	p->text[0] = ' ';
	memcpy(p->text + 1, name, name_len);
	clean_text(p->text + 1, name_len);
	if (path)
		memcpy(p->text + 1 + name_len, of_dso->text, of_dso->len);
	return 0;
}

/* The piece of a symbol; its text may not be made yet */
static inline struct piece *symbol_piece(struct script *sc, u32 dso, u32 sym)
{
	struct pieces *symbols = &sc->symbols[dso];

	if (unlikely(!symbols->of) &&
	    pieces_init(symbols, session_dso(sc->s, dso)->symtab.nr + 1UL)) {
		sc->out.error = -ENOMEM;
		return &sc->no_symbol;
	}
	return &symbols->of[sym + 1];		/* SYM_NONE + 1 is 0 */
}

static void print_hex(struct out *o, u64 n)
{
	out_hex(o, n, n ? (67 - __builtin_clzll(n)) / 4 : 1);
}

/* Print "+offset (path)" behind a symbol, the path with F_DSO */
static void print_offset(struct script *sc, u32 dso, u32 sym, u64 addr)
{
	const struct symtab *st = &session_dso(sc->s, dso)->symtab;
	struct out *o = &sc->out;

	if (sym != SYM_NONE) {
		out_char(o, '+');
		print_hex(o, addr - st->syms[sym].start);
	}
	if (sc->fields & F_DSO)
		print_dso(sc, dso);
}

/* Print " symbol+offset (path)" of an address: the offset with F_SYMOFF, the path with F_DSO */
static inline void print_symbol(struct script *sc, struct piece *p, u32 dso, u32 sym, u64 addr)
{
	if (unlikely(!p->text && make_symbol(sc, p, dso, sym))) {
		sc->out.error = -ENOMEM;
		return;
	}
	print_piece(&sc->out, p);
	if (sc->fields & F_SYMOFF)
		print_offset(sc, dso, sym, addr);
}

/* Print " file:line", and with F_INLINE each function that was inlined, the innermost first */
static void print_source(struct script *sc, u32 dso, u64 addr)
{
	struct source_frame frame[SOURCE_FRAMES_MAX];
	unsigned int nr = source_find(session_dso(sc->s, dso), addr, frame), i;
	struct out *o = &sc->out;
	char *name;

	for (i = 0; i < nr; i++) {
		if (sc->fields & F_INLINE && i + 1 < nr && frame[i].name) {
			name = sc->opt->in.demangle ? demangle(frame[i].name) : NULL;
			out_char(o, ' ');
			out_clean(o, name ? name : frame[i].name, 0);
			out_bytes(o, " inlined", 8);
			free(name);
		}
		if (sc->fields & F_SRCLINE && frame[i].file) {
			out_char(o, ' ');
			out_clean(o, frame[i].file, 0);
			out_char(o, ':');
			out_u64(o, frame[i].line, 0);
		}
		if (!(sc->fields & F_INLINE))
			break;
	}
}

/* Print what the CPU counted since the previous sample; the user's event is called by its number */
static void print_counts(struct script *sc, const struct sample_seen *l,
			 const struct arm_pcsample_record *hw)
{
	struct out *o = &sc->out;

	if (hw->has & ARM_PCSAMPLE_HAS_CYCLES)
		out_number(o, " cycles ", hw->cycles);
	if (hw->has & ARM_PCSAMPLE_HAS_INSTRUCTIONS)
		out_number(o, " instructions ", hw->instructions);
	if (hw->has & ARM_PCSAMPLE_HAS_COUNTED) {
		out_char(o, ' ');
		print_hex(o, (u16)(l->event->attr.config2 >> 32));
		out_char(o, ' ');
		out_u64(o, hw->counted, 0);
	}
}

static void print_hardware(struct script *sc, const struct sample_seen *l)
{
	struct arm_pcsample_record hw;
	unsigned int f = sc->fields;
	char buf[REPORT_TEXT_MAX];
	struct out *o = &sc->out;

	if (!sample_arm_record(&l->event->layout, l->rec, &hw))
		return;
	if (f & F_EL) {
		out_char(o, ' ');
		out_text(o, report_el(sample_el(&hw), buf));
	}
	if (f & F_STATE) {
		out_char(o, ' ');
		out_text(o, report_state(pcs_state(hw.pmpcsr)));
	}
	if (f & F_VMID && sample_vmid(&hw) != NO_VMID) {
		out_text(o, " vmid ");
		out_text(o, report_vmid(sample_vmid(&hw), buf));
	}
	if (f & F_COUNTS)
		print_counts(sc, l, &hw);
}

/* Print the code that was sampled */
static void print_place(struct script *sc, const struct sample_seen *l)
{
	unsigned int f = sc->fields;

	if (f & F_IP)
		print_ip(&sc->out, ' ', l->x.ip);
	if (f & (F_SYM | F_SYMOFF))
		print_symbol(sc, l->priv, l->x.dso, l->sym, l->x.addr);
	else if (f & F_DSO)
		print_dso(sc, l->x.dso);
	if (f & (F_SRCLINE | F_INLINE))
		print_source(sc, l->x.dso, l->x.addr);
}

/* The address to print for a frame. As in perf: in user space, the address in the file if known */
static u64 shown_address(const struct callchain_frame *f)
{
	if (f->mode != PERF_RECORD_MISC_USER || f->dso == DSO_INDEX_UNKNOWN)
		return f->ip;
	return f->addr + f->back;
}

/* Print a line for each function that is inlined at the code of a frame, the innermost first */
static void print_inlined(struct script *sc, const struct callchain_frame *f)
{
	const struct inlines *in = session_inlines(sc->s);
	struct source_spot spot;
	struct out *o = &sc->out;
	u32 call;

	if (session_source(sc->s, f->dso, f->addr, &spot)) {
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
	unsigned int fields = sc->fields;
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

static bool shows_chain(const struct script *sc, const struct sample_seen *l)
{
	const struct recorded_event *e = l->event;

	return unlikely(e->layout.type & PERF_SAMPLE_CALLCHAIN) && !sc->opt->no_chains &&
	       callchain_recorded(e);
}

static int find_chain(struct script *sc, const struct sample_seen *l)
{
	int ret = callchain_find(&sc->chain, sc->s, sc->resolver, &l->event->layout, l->rec,
				 &l->x);

	if (ret)
		sc->out.error = ret;
	return ret;
}

/* Print a line for each frame. print_line() ends with an empty line behind them. */
static void print_chain(struct script *sc, const struct sample_seen *l)
{
	size_t i;

	out_char(&sc->out, '\n');
	if (find_chain(sc, l))
		return;
	for (i = 0; i < sc->chain.nr; i++)
		print_frame(sc, &sc->chain.frame[i]);
}

/* Print the source or the target of a branch */
static void print_end(struct script *sc, const struct sample_seen *l, u64 ip)
{
	u16 mode;
	const struct range *r = resolve_branch(sc->resolver, &l->x, ip, &mode);
	const struct dso *dso = session_load_dso(sc->s, r->dso);
	u32 sym = symtab_find(&dso->symtab, ip + r->shift);
	bool in_file = mode == PERF_RECORD_MISC_USER && r->dso != DSO_INDEX_UNKNOWN;
	struct out *o = &sc->out;

	if (sc->fields & F_BRSTACK) {
		print_hex(o, ip);
	} else if (sc->fields & F_BRSTACKSYM && sym == SYM_NONE) {
		out_text(o, "[unknown]");
	} else if (sc->fields & F_BRSTACKSYM) {
		out_clean(o, names_symbol(&sc->names, dso, r->dso, sym), 0);
		out_char(o, '+');
		print_hex(o, ip + r->shift - dso->symtab.syms[sym].start);
	} else {
		print_hex(o, in_file ? ip + r->shift : ip);
	}
	if (sc->fields & F_DSO)
		print_dso(sc, r->dso);
}

/* Print " from/to/prediction/in_tx/abort/cycles/type/speculation " for each branch, newest first */
static void print_branches(struct script *sc, const struct sample_seen *l)
{
	struct out *o = &sc->out;
	const u8 *branch;
	u64 nr, i, flags;

	branch = sample_branches(&l->event->layout, l->rec, &nr);
	for (i = 0; branch && i < nr; i++, branch += BRANCH_SIZE) {
		flags = branch_flags(branch);
		out_char(o, ' ');
		print_end(sc, l, branch_from(branch));
		out_char(o, '/');
		print_end(sc, l, branch_to(branch));
		out_char(o, '/');
		out_text(o, branch_prediction(flags));
		out_text(o, flags & BRANCH_IN_TX ? "/X" : "/-");
		out_number(o, flags & BRANCH_ABORT ? "/A/" : "/-/",
			   FIELD_GET(BRANCH_CYCLES, flags));
		out_char(o, '/');
		out_text(o, branch_kind(sc->s, flags));
		out_char(o, '/');
		out_text(o, branch_speculation(flags));
		out_char(o, ' ');
	}
}

static void print_cgroup(struct script *sc, const struct sample_seen *l)
{
	const struct place p = {
		.cgroup = session_cgroup(sc->s, &l->event->layout, l->rec),
	};

	out_char(&sc->out, ' ');
	out_clean(&sc->out, report_cgroup(sc->s, &p), 0);
}

static struct tracepoint_sample of_tracepoint(const struct sample_seen *l)
{
	return (struct tracepoint_sample){
		.e = l->event, .rec = l->rec, .time = l->x.time, .cpu = l->x.cpu,
	};
}

static void print_trace(struct script *sc, const struct sample_seen *l)
{
	const struct tracepoint_sample x = of_tracepoint(l);
	const char *text = tracepoints_text(sc->tracepoints, &x);

	if (text)
		out_clean(&sc->out, text, 0);
}

static unsigned int fields_of(const struct script *sc, const struct recorded_event *e)
{
	if (!sc->tracepoints || !tracepoints_is(e))
		return sc->opt->fields[KIND_OTHER];
	return sc->opt->fields[callchain_recorded(e) ? KIND_TRACEPOINT_CHAINS : KIND_TRACEPOINT];
}

static void print_line(struct script *sc, const struct sample_seen *l)
{
	const struct recorded_event *e = l->event;
	unsigned int f = fields_of(sc, e);
	bool chain = f & F_IP && shows_chain(sc, l);
	struct out *o = &sc->out;

	sc->fields = f;
	if (f & (F_COMM | F_PID | F_TID))
		print_thread(sc, &l->x, !chain);
	if (f & F_CPU && l->x.cpu != NO_CPU) {
		out_char(o, '[');
		if (l->x.cpu < 100)
			out_bytes(o, "00", l->x.cpu < 10 ? 2 : 1);
		out_u64(o, l->x.cpu, 0);
		out_bytes(o, "] ", 2);
	}
	if (f & F_TIME && l->event->layout.time)
		print_time(sc, shown_time(sc, l->x.time));
	if (f & F_PERIOD) {
		out_u64(o, sample_u64(l->rec, e->layout.period, e->attr.sample_period), 10);
		out_char(o, ' ');
	}
	if (f & F_EVENT) {
		if (sc->name_width)
			out_spaces(o, sc->name_width - strlen(e->name));
		out_clean(o, e->name, 0);
		out_bytes(o, ": ", 2);
	}
	if (f & F_TRACE && sc->tracepoints && tracepoints_is(e))
		print_trace(sc, l);
	if (chain)
		print_chain(sc, l);
	else
		print_place(sc, l);
	if (f & (F_EL | F_STATE | F_VMID | F_COUNTS))
		print_hardware(sc, l);
	if (f & F_BRANCHES)
		print_branches(sc, l);
	if (f & F_CGROUP)
		print_cgroup(sc, l);
	out_char(o, '\n');
}

/*
 * Fast path for lines that have only these fields, and whose texts are made already: copy the texts
 * one behind the other, and check the room in the buffer once for many lines. print_line() prints
 * all other lines, and makes their texts.
 */
#define F_PLAIN (F_COMM | F_PID | F_TID | F_TIME | F_IP | F_SYM | F_DSO)
#define PLAIN_NEEDS (F_TIME | F_IP | F_SYM)
#define SYMBOL_MAX 256
#define PLAIN_MAX 512

_Static_assert(THREAD_MAX + SYMBOL_MAX + 2 * PIECE_STEP + 16 + sizeof(u64) + 18 <= PLAIN_MAX,
	       "what print_plain() writes");
_Static_assert(SAMPLES_GROUP * PLAIN_MAX <= OUT_BYTES, "the lines of a group");

/* Are the texts for a line made, and is the one of the second that of the sample's second? */
static inline bool is_made(const struct script *sc, const struct thread_piece *t,
			   const struct sample_seen *l)
{
	const struct piece *symbol = l->priv;
	u64 ids = load64(&t->pid) ^ load64(&l->x.pid);

	/* A text that is not made has no bytes: 1 to SYMBOL_MAX in one test */
	return likely(!(ids | (t->comm ^ l->x.comm)) & t->plain &
		      (symbol->len - 1 < SYMBOL_MAX) & (l->x.time - sc->second < NS_PER_SECOND));
}

static inline char *put_plain(const struct script *sc, const struct thread_piece *t,
			      const struct sample_seen *l, char *p)
{
	u64 us = microseconds_text(sc, (u32)(l->x.time - sc->second) / 1000);

	p = copy_piece(p, &t->piece);
	memcpy(p, sc->time_text, sizeof(sc->time_text));
	p += sc->time_len;
	memcpy(p, &us, sizeof(us));
	p += sizeof(us);
	*p++ = ' ';
	out_hex_right(p, l->x.ip);
	p = copy_piece(p + 16, l->priv);
	*p++ = '\n';
	return p;
}

static void print_plain(struct script *sc, const struct sample_seen *l, size_t nr)
{
	const struct sample_seen *end = l + nr;
	const struct thread_piece *t;
	char *start, *p;

	while (l < end) {
		start = out_room(&sc->out, SAMPLES_GROUP * PLAIN_MAX);
		for (p = start; l < end && sc->time_len; l++) {
			t = &sc->thread[(u32)l->x.tid % NR_THREADS];
			if (!is_made(sc, t, l))
				break;
			p = put_plain(sc, t, l, p);
		}
		out_took(&sc->out, p - start);
		if (l < end)
			print_line(sc, l++);
	}
}

/* Can print_plain() print the lines of all events? */
static bool is_plain(const struct session *s, const struct options *opt)
{
	unsigned int f = opt->fields[KIND_OTHER];
	const struct recorded_event *e;
	size_t i;

	for (i = 0; i < session_events(s); i++) {
		e = session_event(s, i);
		if (tracepoints_is(e) || (perfdata_event_samples(e) && !e->layout.time) ||
		    (e->layout.type & PERF_SAMPLE_CALLCHAIN && !opt->no_chains))
			return false;
	}
	return !(f & ~F_PLAIN) && (f & PLAIN_NEEDS) == PLAIN_NEEDS && !opt->json && !opt->symbols &&
	       opt->times == TIME_CLOCK && !opt->ns;
}

static void json_text(struct out *o, const char *key, const char *text)
{
	out_text(o, key);
	out_json(o, text);
	out_char(o, '"');
}

static void print_json_code(struct script *sc, u64 ip, u32 dso, u32 sym)
{
	const struct dso *d = session_dso(sc->s, dso);
	struct out *o = &sc->out;

	out_text(o, "\"ip\":\"");
	out_hex(o, ip, 16);
	json_text(o, "\",\"dso\":\"", d->path);
	if (sym != SYM_NONE)
		json_text(o, ",\"symbol\":\"", names_symbol(&sc->names, d, dso, sym));
}

static void print_json_chain(struct script *sc, const struct sample_seen *l)
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

static void print_json_end(struct script *sc, const struct sample_seen *l, u64 ip,
			   const char *keys[3])
{
	u16 mode;
	const struct range *r = resolve_branch(sc->resolver, &l->x, ip, &mode);
	const struct dso *dso = session_load_dso(sc->s, r->dso);
	u32 sym = symtab_find(&dso->symtab, ip + r->shift);
	struct out *o = &sc->out;

	out_text(o, keys[0]);
	out_hex(o, ip, 16);
	json_text(o, keys[1], dso->path);
	if (sym != SYM_NONE)
		json_text(o, keys[2], names_symbol(&sc->names, dso, r->dso, sym));
}

static void print_json_branches(struct script *sc, const struct sample_seen *l)
{
	static const char *from[] = {
		"\"from\":\"", "\",\"dso_from\":\"", ",\"symbol_from\":\"",
	};
	static const char *to[] = {
		",\"to\":\"", "\",\"dso_to\":\"", ",\"symbol_to\":\"",
	};
	struct out *o = &sc->out;
	const u8 *branch;
	u64 nr, i, flags;

	branch = sample_branches(&l->event->layout, l->rec, &nr);
	if (!branch)
		return;
	out_text(o, ",\"branches\":[");
	for (i = 0; i < nr; i++, branch += BRANCH_SIZE) {
		flags = branch_flags(branch);
		out_text(o, i ? ",{" : "{");
		print_json_end(sc, l, branch_from(branch), from);
		print_json_end(sc, l, branch_to(branch), to);
		json_text(o, ",\"prediction\":\"", branch_prediction(flags));
		out_text(o, ",\"in_tx\":");
		out_text(o, flags & BRANCH_IN_TX ? "true" : "false");
		out_text(o, ",\"abort\":");
		out_text(o, flags & BRANCH_ABORT ? "true" : "false");
		out_number(o, ",\"cycles\":", FIELD_GET(BRANCH_CYCLES, flags));
		json_text(o, ",\"type\":\"", branch_kind(sc->s, flags));
		json_text(o, ",\"speculation\":\"", branch_speculation(flags));
		out_char(o, '}');
	}
	out_char(o, ']');
}

static void print_json_fields(struct script *sc, const struct sample_seen *l)
{
	const struct tracepoint_sample x = of_tracepoint(l);
	const char *text = tracepoints_text(sc->tracepoints, &x), *name;
	struct out *o = &sc->out;
	bool number = false;
	unsigned int i;

	if (!text)
		return;
	json_text(o, ",\"trace\":\"", text);
	out_text(o, ",\"fields\":{");
	for (i = 0; (name = tracepoints_field_name(sc->tracepoints, l->event, i)); i++) {
		json_text(o, i ? ",\"" : "\"", name);
		text = tracepoints_field_text(sc->tracepoints, &x, i, &number);
		out_char(o, ':');
		if (text && number)
			out_text(o, text);
		else
			json_text(o, "\"", text ? text : "");
	}
	out_char(o, '}');
}

static void print_json_counts(struct out *o, const struct arm_pcsample_record *hw)
{
	if (hw->has & ARM_PCSAMPLE_HAS_CYCLES)
		out_number(o, ",\"cycles\":", hw->cycles);
	if (hw->has & ARM_PCSAMPLE_HAS_INSTRUCTIONS)
		out_number(o, ",\"instructions\":", hw->instructions);
	if (hw->has & ARM_PCSAMPLE_HAS_COUNTED)
		out_number(o, ",\"counted\":", hw->counted);
}

static void print_json(struct script *sc, const struct sample_seen *l)
{
	struct place p = { .comm = l->x.comm };
	struct arm_pcsample_record hw;
	char buf[REPORT_TEXT_MAX];
	struct out *o = &sc->out;

	out_text(o, "{\"schema\":\"pcsample-script\",\"schema_version\":1");
	if (l->event->layout.time)
		out_number(o, ",\"time_ns\":", l->x.time);
	json_text(o, ",\"event\":\"", l->event->name);
	json_text(o, ",\"comm\":\"", report_comm(sc->s, &p, buf));
	out_text(o, ",\"pid\":");
	out_s64(o, l->x.pid, 0);
	out_text(o, ",\"tid\":");
	out_s64(o, l->x.tid, 0);
	if (l->x.cpu != NO_CPU)
		out_number(o, ",\"cpu\":", l->x.cpu);
	out_char(o, ',');
	print_json_code(sc, l->x.ip, l->x.dso, l->sym);
	if (sc->tracepoints && tracepoints_is(l->event))
		print_json_fields(sc, l);
	if (shows_chain(sc, l))
		print_json_chain(sc, l);
	print_json_branches(sc, l);
	if (sample_arm_record(&l->event->layout, l->rec, &hw)) {
		if (sample_el(&hw) != EL_NOT_KNOWN)
			out_number(o, ",\"el\":", sample_el(&hw));
		json_text(o, ",\"state\":\"", report_state(pcs_state(hw.pmpcsr)));
		if (sample_vmid(&hw) == VMID_NOT_KNOWN)
			out_text(o, ",\"vmid\":\"not known\"");
		else if (sample_vmid(&hw) != NO_VMID)
			out_number(o, ",\"vmid\":", sample_vmid(&hw));
		print_json_counts(o, &hw);
	}
	out_text(o, "}\n");
}

/*
 * Look up the texts of symbols. Samples come in groups: each step of a look-up is done for all
 * samples of a group and prefetches memory for the next step, so that their cache misses overlap.
 */
static void find_pieces(struct script *sc, struct sample_seen *seen, size_t nr)
{
	struct sample_seen *l;
	const char *text;

	for (l = seen; l < seen + nr; l++) {
		l->priv = symbol_piece(sc, l->x.dso, l->sym);
		__builtin_prefetch(l->priv);
	}
	/* Most texts are in two cache lines */
	for (l = seen; l < seen + nr; l++) {
		text = ((struct piece *)l->priv)->text;
		__builtin_prefetch(text);
		__builtin_prefetch(text + 2 * PIECE_STEP - 1);
	}
}

/* Is the symbol one of --symbols, by its name in the file or its demangled name? */
static bool is_wanted(struct script *sc, const struct sample_seen *l)
{
	const struct name_list *wanted = sc->opt->symbols;
	const struct dso *dso = session_dso(sc->s, l->x.dso);

	if (!wanted)
		return true;
	return l->sym != SYM_NONE &&
	       (name_list_has(wanted, symtab_name(l->symtab, l->sym)) ||
		name_list_has(wanted, names_symbol(&sc->names, dso, l->x.dso, l->sym)));
}

static int print_group(void *ctx, struct resolver *rs, struct sample_seen *seen, size_t nr)
{
	struct script *sc = ctx;
	struct sample_seen *l;

	sc->resolver = rs;
	if (sc->prints_symbols)
		find_pieces(sc, seen, nr);
	if (sc->plain) {
		sc->printed += nr;
		print_plain(sc, seen, nr);
		return !!sc->out.error;
	}
	for (l = seen; l < seen + nr; l++) {
		if (!is_wanted(sc, l))
			continue;
		sc->printed++;
		if (sc->opt->json)
			print_json(sc, l);
		else
			print_line(sc, l);
	}
	return !!sc->out.error;
}

static int script_init(struct script *sc, struct session *s, const struct options *opt)
{
	size_t i;

	sc->s = s;
	sc->opt = opt;
	sc->plain = is_plain(s, opt);
	sc->prints_symbols = !opt->json && opt->fields[KIND_OTHER] & (F_SYM | F_SYMOFF);
	for (i = 0; session_events(s) > 1 && i < session_events(s); i++)
		sc->name_width = max(sc->name_width, strlen(session_event(s, i)->name));
	names_init(&sc->names, opt->in.demangle);
	make_digits(sc);
	out_init(&sc->out, STDOUT_FILENO);
	sc->symbols = calloc(session_dsos(s), sizeof(*sc->symbols));
	return sc->symbols ? pieces_init(&sc->dsos, session_dsos(s)) : -ENOMEM;
}

static void script_deinit(struct script *sc)
{
	size_t i;

	for (i = 0; sc->symbols && i < session_dsos(sc->s); i++)
		free(sc->symbols[i].of);
	free(sc->symbols);
	pool_deinit(&sc->texts);
	for (i = 0; i < NR_THREADS; i++)
		free(sc->thread[i].piece.text);
	pieces_deinit(&sc->dsos);
	tracepoints_close(sc->tracepoints);
	callchain_deinit(&sc->chain);
	names_deinit(&sc->names);
}

/* --header. With --json it is the first line. */
static void print_header(struct script *sc, const struct options *opt)
{
	struct json j;

	if (!opt->json) {
		provenance_print(&sc->out, sc->s, opt->topology);
		return;
	}
	json_begin(&j, &sc->out, "pcsample-script-header", 1);
	provenance_json(&j, "header", sc->s);
	json_end(&j);
}

static void open_tracepoints(struct script *sc, struct session *s)
{
	struct error err = { "" };
	size_t i;

	for (i = 0; i < session_events(s) && !tracepoints_is(session_event(s, i)); i++)
		;
	if (i < session_events(s) && tracepoints_open(&sc->tracepoints, s, &err))
		fprintf(stderr, "pcsample script: not shown: %s\n", err.text);
}

/* The fields of F_RECORDED that the samples of an event have, except for branch stacks */
static unsigned int recorded_fields(const struct recorded_event *e)
{
	const struct sample_layout *l = &e->layout;

	return (l->cpu ? F_CPU : 0) | (l->time ? F_TIME : 0) | (l->cgroup ? F_CGROUP : 0) |
	       (perfdata_event_has_counts(e) ? F_COUNTS : 0) |
	       (tracepoints_is(e) ? F_TRACE :
		l->type & PERF_SAMPLE_RAW ? F_EL | F_STATE | F_VMID : 0);
}

static const char *why_missing(unsigned int field)
{
	switch (field) {
	case F_CPU:
		return "no sample has its CPU; perf record --sample-cpu records it";
	case F_TIME:
		return "no sample has its time; perf record -T records it";
	case F_CGROUP:
		return "no sample has its control group; perf record --all-cgroups records it";
	case F_TRACE:
		return "no event is a tracepoint";
	case F_EL:
	case F_STATE:
	case F_VMID:
		return "no sample is of the hardware that has it; see pcsample list";
	case F_COUNTS:
		return "no sample is a PMU snapshot; arm_pcsample/snapshot=1/ records those";
	}
	return "brstack prints branch stacks, and it has none; perf record -b records some, and "
	       "perf script -F +brstack --itrace=i100usl makes some of hardware traces";
}

/*
 * Refuse a field that the user named if no sample has it: it would print nothing. Leave such fields
 * out of the default ones.
 */
static bool see_to_fields(const struct session *s, struct options *opt)
{
	unsigned int has = session_has_branches(s) ? F_BRANCHES : 0, missing, kind;
	bool sampled = false;
	size_t i;

	for (i = 0; i < session_events(s); i++) {
		has |= recorded_fields(session_event(s, i));
		sampled |= session_event(s, i)->attr.sample_period;
	}
	/* perf stat record writes no samples: then do not complain about fields */
	if (!sampled)
		return true;
	missing = F_RECORDED & ~has;
	if (opt->times != TIME_CLOCK)
		opt->asked |= F_TIME;
	for (kind = 0; kind < NR_KINDS; kind++)
		opt->fields[kind] &= ~(missing & ~opt->asked);
	missing &= opt->asked;
	/* As in perf, -F trace without tracepoints is not an error */
	if (missing & F_TRACE)
		fprintf(stderr, "pcsample script: not shown: -F trace: %s\n", why_missing(F_TRACE));
	missing &= ~F_TRACE;
	if (!missing)
		return true;
	i = __builtin_ctz(missing);
	if (missing & F_BRANCHES)
		fprintf(stderr, "pcsample script: %s: %s\n", session_path(s),
			why_missing(missing & F_BRANCHES));
	else
		fprintf(stderr, "pcsample script: %s: -F %s: %s\n", session_path(s),
			field_names[i], why_missing(1U << i));
	return false;
}

static int script(struct session *s, struct options *opt)
{
	struct script *sc = calloc(1, sizeof(*sc));
	char instead[NOT_SHOWN_MAX];
	int ret, status = EXIT_OK;

	if (!sc) {
		fprintf(stderr, "pcsample script: out of memory\n");
		return EXIT_FAILED;
	}
	if (!see_to_fields(s, opt)) {
		free(sc);
		return EXIT_FAILED;
	}
	input_tell_not_shown(s, "pcsample script", SHOWS_FIELDS |
			     (opt->json || opt->fields[KIND_OTHER] & F_BRANCHES ?
			      SHOWS_BRANCHES : 0) |
			     (opt->json || opt->fields[KIND_OTHER] & F_COUNTS ? SHOWS_COUNTS : 0) |
			     (opt->no_chains ? 0 : SHOWS_CHAINS));
	open_tracepoints(sc, s);
	ret = script_init(sc, s, opt);
	if (!ret && (opt->header || opt->header_only || opt->topology))
		print_header(sc, opt);
	if (!ret && !opt->header_only)
		ret = samples_by_group(s, -1, opt->in.filtered ? &opt->in.filter : NULL,
				       print_group, sc);
	if (ret < 0)
		fprintf(stderr, "pcsample script: %s\n", strerror(-ret));
	status = ret < 0 ? EXIT_FAILED : output_end(&sc->out, "pcsample script");
	if (!status && !sc->printed && !opt->header_only)
		status = EXIT_NOTHING;
	if (status == EXIT_NOTHING && !session_damage(s)[0] && !not_shown_instead(s, instead))
		fprintf(stderr, "pcsample script: %s: %s\n", session_path(s),
			opt->in.filtered ? INPUT_NONE_CHOSEN :
			opt->symbols ? "no samples in these symbols" :
				       "no samples to print; see pcsample report");
	script_deinit(sc);
	free(sc);
	return status;
}

int cmd_script(int argc, char **argv)
{
	struct session *s;
	int status = EXIT_FAILED;
	struct options opt = { 0 };

	set_default_fields(&opt);
	argp_parse(&script_argp, argc, argv, 0, NULL, &opt);
	s = input_open(&opt.in, argv[0]);
	if (s)
		status = input_close(s, argv[0], script(s, &opt));
	name_list_free(opt.symbols);
	input_options_deinit(&opt.in);
	return status;
}
