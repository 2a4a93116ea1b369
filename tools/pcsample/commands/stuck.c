// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample stuck: show where a CPU executes that no longer responds, without disturbing it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arch-model/pc-sample.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text-file.h"
#include "capture/cpu-progress.h"
#include "capture/diagnose.h"
#include "capture/ledger.h"
#include "capture/rings.h"
#include "commands/command.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"
#include "perfdata/sample.h"
#include "profile/rows.h"
#include "symbols/live-names.h"

#define PUMP_MS		50
#define SHOWN_PCS	10

struct stuck_options {
	struct cpus cpus;
	bool all, json;
	u64 freq, duration_ms;
};

/* Options */

enum { OPT_DURATION = 256 };

static const struct argp_option option_table[] = {
	{ "all-cpus", 'a', NULL, 0, "sample all CPUs, stuck or not", 0 },
	{ "cpu", 'C', "LIST", 0, "sample these CPUs, stuck or not, such as 0-3,8", 0 },
	{ "freq", 'F', "HZ", 0, "take HZ samples per second of each CPU (default: 200)", 0 },
	{ "duration", OPT_DURATION, "MS", 0, "sample for MS milliseconds (default: 1000)", 0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 }
};

static u64 parse_number(const char *text, u64 most, struct argp_state *state)
{
	u64 value = 0;

	if (!plain_number(&value, text, most, NULL) || !value)
		argp_error(state, "expected a number from 1 to %" PRIu64 ", not '%s'", most, text);
	return value;
}

static const struct plain_option plain[] = {
	SETS('a', struct stuck_options, all),
	SETS('j', struct stuck_options, json),
	NO_ARGUMENTS(""),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stuck_options *o = state->input;

	switch (key) {
	case 'C':
		if (cpus_parse(&o->cpus, arg) || cpus_empty(&o->cpus))
			argp_error(state, "-C %s: not a list of CPUs such as 0-3,8", arg);
		return 0;
	case 'F':
		o->freq = parse_number(arg, 100000, state);
		return 0;
	case OPT_DURATION:
		o->duration_ms = parse_number(arg, 600000, state);
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

const struct argp stuck_argp = {
	.options = option_table,
	.parser = parse,
	.doc = "Find CPUs that no longer respond, and show where they execute, by PC-sample "
	       "registers that other CPUs read.\v"
	       "A CPU counts as stuck if it takes no interrupt for half a second and the kernel "
	       "accounts none of its time. Other CPUs read its registers: the stuck CPU executes "
	       "nothing, and its state does not change. The exit status is 2 if a CPU is stuck. "
	       "Examples:\n"
	       "  pcsample stuck\n"
	       "  pcsample stuck -C 3 --duration 5000",
};

/* What is found */

struct pc {
	u64 pc;
	u32 tid, pid;
	u8 el, state, attribution;
	u32 vmid;		/* or NO_VMID, VMID_NOT_KNOWN */
	bool kernel;
	u64 count;
};

/* A CPU; after sample(), @pc is sorted by number of samples, most first */
struct found {
	int cpu;
	bool stuck;
	u64 samples;
	struct pc *pc;
	size_t nr, cap;
	struct ledger ledger;
};

struct stuck {
	const struct stuck_options *o;
	struct capture_config config;
	struct cpus online, stuck;
	struct sample_layout layout;
	struct found *found;
	size_t nr;
	double seconds;
	bool ledgers_known;
	struct live_names names;
};

/* Samples */

static bool same_place(const struct pc *a, const struct pc *b)
{
	return a->pc == b->pc && a->tid == b->tid && a->el == b->el && a->state == b->state;
}

static int add_pc(struct found *f, const struct pc *pc)
{
	size_t i;

	for (i = 0; i < f->nr && !same_place(&f->pc[i], pc); i++)
		;
	if (i == f->nr) {
		if (mem_grow(&f->pc, &f->cap, f->nr + 1))
			return -ENOMEM;
		f->pc[f->nr++] = *pc;
	}
	f->pc[i].count++;
	f->samples++;
	return 0;
}

static int take_record(void *arg, const struct perf_event_header *record, struct error *err)
{
	const u8 *rec = (const u8 *)record;
	struct arm_pcsample_record hw;
	struct stuck *s = arg;
	struct pc pc = { 0 };
	size_t i;

	if (record->type != PERF_RECORD_SAMPLE || record->size < s->layout.size ||
	    !sample_arm_record(&s->layout, rec, &hw))
		return 0;
	pc.pc = load64(rec + s->layout.ip);
	pc.pid = load32(rec + s->layout.tid);
	pc.tid = load32(rec + s->layout.tid + 4);
	pc.el = sample_el(&hw);
	pc.state = pcs_state(hw.pmpcsr);
	pc.attribution = hw.attribution;
	pc.vmid = sample_vmid(&hw);
	pc.kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	for (i = 0; i < s->nr; i++)
		if (s->found[i].cpu == hw.target && add_pc(&s->found[i], &pc))
			return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int take_ledgers(struct stuck *s, struct ledgers *before, struct error *err)
{
	struct ledgers during;
	unsigned int i, k;
	int ret;

	ret = ledgers_read(&during, "", err);
	if (ret)
		return ret;
	s->ledgers_known = ledgers_known(&during);
	ledgers_subtract(&during, before);
	for (i = 0; i < during.nr; i++)
		for (k = 0; k < s->nr; k++)
			if (s->found[k].cpu == during.of[i].cpu)
				s->found[k].ledger = during.of[i].ledger;
	ledgers_release(&during);
	return 0;
}

static int run_capture(struct stuck *s, struct capture *capture, struct error *err)
{
	struct ledgers before;
	u64 start, end;
	int ret;

	ret = ledgers_read(&before, "", err);
	if (ret)
		return ret;
	sample_layout_init(&s->layout, &capture_events(capture)[0].attr);
	start = now_ns();
	end = start + s->o->duration_ms * 1000000ULL;
	ret = capture_enable(capture, err);
	while (ret >= 0 && now_ns() < end)
		ret = capture_pump(capture, PUMP_MS, take_record, s, err);
	capture_disable(capture);
	s->seconds = (now_ns() - start) / 1e9;
	if (ret >= 0)
		ret = capture_drain(capture, take_record, s, err);
	if (ret >= 0)
		ret = take_ledgers(s, &before, err);
	ledgers_release(&before);
	return ret < 0 ? ret : 0;
}

static int by_count(const void *a, const void *b)
{
	const struct pc *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

static int sample(struct stuck *s, struct error *err)
{
	struct capture *capture;
	size_t i;
	int ret;

	s->config.freq = s->o->freq;
	s->config.system_wide = true;
	s->config.seed = 1;
	s->config.hands_off = true;
	s->config.stay_off = s->stuck;
	ret = capture_create(&capture, &s->config, err);
	if (ret)
		return ret;
	ret = capture_open(capture, NULL, 0, err);
	if (!ret)
		ret = run_capture(s, capture, err);
	capture_destroy(capture);
	for (i = 0; i < s->nr; i++)
		qsort(s->found[i].pc, s->found[i].nr, sizeof(*s->found[i].pc), by_count);
	return ret;
}

/* Text */

static void comm_of(u32 tid, char *comm, size_t size)
{
	if (!tid)
		snprintf(comm, size, "swapper");
	else if (sysfs_read(comm, size, "/proc/%u/comm", tid) < 0)
		snprintf(comm, size, "?");
}

/* Look up the name of code of this Linux. A guest's code and firmware get an empty text. */
static void name_of(struct stuck *s, const struct pc *pc, char *text)
{
	text[0] = '\0';
	if (pc->attribution == ARM_PCSAMPLE_ATTR_VMID ||
	    pc->attribution == ARM_PCSAMPLE_ATTR_OTHER_WORLD)
		return;
	if (pc->kernel)
		live_name_kernel(&s->names, pc->pc, text);
	else if (pc->pid && (s32)pc->pid > 0)
		live_name_user(&s->names, pc->pid, pc->pc, text);
}

static void print_outcomes(struct out *o, const struct found *f)
{
	unsigned int i;
	bool any = false;

	for (i = 0; i < f->ledger.nr; i++) {
		if (!f->ledger.counts[i].value || !strcmp(f->ledger.counts[i].name, "planned"))
			continue;
		out_text(o, any ? ", " : "");
		out_text(o, f->ledger.counts[i].name);
		out_char(o, ' ');
		out_u64(o, f->ledger.counts[i].value, 0);
		any = true;
	}
	if (!any)
		out_text(o, "none; is there a reader for this CPU, and does it respond?");
}

static void print_pc(struct out *o, struct stuck *s, const struct found *f, const struct pc *pc)
{
	char name[LIVE_NAME_MAX], comm[32], buf[REPORT_TEXT_MAX];

	comm_of(pc->tid, comm, sizeof(comm));
	name_of(s, pc, name);
	out_fixed(o, 100.0 * pc->count / f->samples, 1, 7);
	out_text(o, "%  ");
	out_hex(o, pc->pc, 16);
	out_text(o, "  ");
	out_text(o, report_el(pc->el, buf));
	out_char(o, ' ');
	out_text(o, report_state(pc->state));
	if (pc->vmid != NO_VMID && pc->attribution == ARM_PCSAMPLE_ATTR_VMID) {
		out_text(o, " vmid ");
		out_text(o, report_vmid(pc->vmid, buf));
	}
	out_text(o, "  ");
	out_clean(o, comm, 0);
	out_char(o, '/');
	out_u64(o, pc->tid, 0);
	out_text(o, "  ");
	out_clean(o, name[0] ? name : "?", 0);
	out_char(o, '\n');
}

static void print_cpu(struct out *o, struct stuck *s, const struct found *f)
{
	size_t i;

	out_color(o, f->stuck ? COLOR_RED : COLOR_BOLD);
	out_number(o, "CPU ", f->cpu);
	out_text(o, f->stuck ? ": stuck: no interrupt and no time accounted" : ": answers");
	out_color_end(o);
	out_number(o, "\n  samples: ", f->samples);
	out_text(o, " in ");
	out_fixed(o, s->seconds, 1, 0);
	out_number(o, " s, at ", f->nr);
	out_text(o, f->nr == 1 ? " place\n  reads:   " : " places\n  reads:   ");
	if (s->ledgers_known)
		print_outcomes(o, f);
	else
		out_text(o, "not known: only users with CAP_PERFMON may see what became of them");
	out_char(o, '\n');
	for (i = 0; i < min(f->nr, (size_t)SHOWN_PCS); i++)
		print_pc(o, s, f, &f->pc[i]);
	if (f->nr > SHOWN_PCS) {
		out_number(o, "         ", f->nr - SHOWN_PCS);
		out_text(o, " more\n");
	}
}

static void print_text(struct out *o, struct stuck *s)
{
	char text[CPUS_TEXT_MAX];
	size_t i;

	cpus_format(&s->online, text, sizeof(text));
	if (cpus_empty(&s->stuck)) {
		out_text(o, "Every CPU answers: ");
		out_text(o, text);
		out_char(o, '\n');
	}
	for (i = 0; i < s->nr; i++)
		print_cpu(o, s, &s->found[i]);
	if (s->nr && s->names.no_kernel.text[0]) {
		out_text(o, "No names of the kernel: ");
		out_text(o, s->names.no_kernel.text);
		out_char(o, '\n');
	}
}

/* JSON */

static void json_pc(struct json *j, struct stuck *s, const struct pc *pc)
{
	char name[LIVE_NAME_MAX], comm[32], hex[32];

	comm_of(pc->tid, comm, sizeof(comm));
	name_of(s, pc, name);
	snprintf(hex, sizeof(hex), "0x%016" PRIx64, (uint64_t)pc->pc);
	json_object(j, NULL);
	json_string(j, "pc", hex);
	json_u64(j, "samples", pc->count);
	if (pc->el != EL_NOT_KNOWN)
		json_u64(j, "el", pc->el);
	json_string(j, "state", report_state(pc->state));
	report_json_vmid(j, pc->vmid);
	json_u64(j, "tid", pc->tid);
	json_string(j, "comm", comm);
	if (name[0])
		json_string(j, "name", name);
	json_object_end(j);
}

static void json_found(struct json *j, struct stuck *s, const struct found *f)
{
	size_t i;

	json_object(j, NULL);
	json_u64(j, "cpu", f->cpu);
	json_bool(j, "stuck", f->stuck);
	json_u64(j, "samples", f->samples);
	ledger_json(j, &f->ledger);
	json_array(j, "places");
	for (i = 0; i < f->nr; i++)
		json_pc(j, s, &f->pc[i]);
	json_array_end(j);
	json_object_end(j);
}

static void print_json(struct out *o, struct stuck *s)
{
	struct json j;
	size_t i;
	int cpu;

	json_begin(&j, o, "pcsample-stuck", 1);
	json_fixed(&j, "seconds", s->seconds, 3);
	json_array(&j, "stuck");
	cpus_for_each(cpu, &s->stuck)
		json_u64(&j, NULL, cpu);
	json_array_end(&j);
	json_array(&j, "cpus");
	for (i = 0; i < s->nr; i++)
		json_found(&j, s, &s->found[i]);
	json_array_end(&j);
	json_end(&j);
}

/* The command */

/* Choose the CPUs that the user named, or else the stuck ones */
static int choose(struct stuck *s, struct error *err)
{
	struct cpus chosen = s->o->all ? s->online : s->o->cpus;
	int cpu;

	if (cpus_empty(&chosen))
		chosen = s->stuck;
	s->found = calloc(cpus_count(&chosen) + 1, sizeof(*s->found));
	if (!s->found)
		return error_set(err, -ENOMEM, "out of memory");
	cpus_for_each(cpu, &chosen) {
		s->found[s->nr].cpu = cpu;
		s->found[s->nr++].stuck = cpus_has(&s->stuck, cpu);
	}
	s->config.cpus = chosen;
	return 0;
}

static int find(struct stuck *s, struct error *err)
{
	int ret;

	ret = liveness_watch("", &s->online, &s->stuck, err);
	if (!ret)
		ret = choose(s, err);
	if (ret || !s->nr)
		return ret;
	/* Only now, since finding stuck CPUs does not need the driver */
	s->config.root = "";
	ret = event_parse(&s->config.event, "", PCSAMPLE_PMU, err);
	if (ret == -ENODEV)
		ret = explain_no_pmu("", err);
	if (!ret)
		ret = sample(s, err);
	return ret;
}

static struct out out;

int cmd_stuck(int argc, char **argv)
{
	struct stuck_options o = { .freq = 200, .duration_ms = 1000 };
	struct stuck *s = calloc(1, sizeof(*s));
	char text[CPUS_TEXT_MAX];
	struct error err;
	size_t i;
	int ret, status;

	argp_parse(&stuck_argp, argc, argv, 0, NULL, &o);
	if (!s || live_names_init(&s->names)) {
		fprintf(stderr, "pcsample stuck: out of memory\n");
		free(s);
		return EXIT_FAILED;
	}
	s->o = &o;
	ret = find(s, &err);
	status = cpus_empty(&s->stuck) ? EXIT_OK : EXIT_NOTHING;
	if (ret) {
		cpus_format(&s->stuck, text, sizeof(text));
		if (status)
			fprintf(stderr, "pcsample stuck: stuck: CPU %s\n", text);
		status = complain("pcsample stuck", &err);
	} else {
		out_init(&out, STDOUT_FILENO);
		if (o.json)
			print_json(&out, s);
		else
			print_text(&out, s);
		if (output_end(&out, "pcsample stuck"))
			status = EXIT_FAILED;
	}
	for (i = 0; i < s->nr; i++)
		free(s->found[i].pc);
	free(s->found);
	live_names_deinit(&s->names);
	free(s);
	return status;
}
