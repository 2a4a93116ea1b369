// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample stat: count samples without keeping them; print the rate and what became of the reads.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "capture/diagnose.h"
#include "capture/ledger.h"
#include "commands/capture-options.h"
#include "commands/command.h"
#include "commands/plain-options.h"
#include "commands/terminal.h"

#define PUMP_MS	100

struct stat_options {
	struct capture_options capture;
	bool json;
};

static const struct plain_option plain[] = {
	CHILD_INPUT(struct stat_options, capture),
	SETS('j', struct stat_options, json),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return plain_option(plain, key, arg, state);
}

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print JSON, to standard output", 0 },
	{ 0 }
};

static const struct argp_child children[] = { { &capture_argp, 0, NULL, 0 }, { 0 } };

const struct argp stat_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[-- COMMAND [ARG...]]",
	.doc = "Count samples without writing a file. Print for each CPU how many there were, what"
	       " became of every planned read, and the rate that was achieved."
	       "\vWithout COMMAND it runs until Ctrl-C or --duration. The counts go to standard"
	       " error, since COMMAND may use standard output; JSON goes to standard output.\n\n"
	       "Examples:\n"
	       "  pcsample stat -a --duration 5\n"
	       "  pcsample stat -a -F 10000 --json -- sleep 1",
	.children = children,
};

/*
 * The result.
 * @hz: the rate asked for, 0 if it is not known
 * @ran: as returned by capture_ran()
 * @has_ledgers: the event is of arm_pcsample, and this process may read its ledger
 * @before, @during: ledgers at the start, and their change since
 */
struct counted {
	struct event_spec event;
	double hz;
	double seconds;
	u64 samples;
	u64 discarded;
	u64 lost;
	u64 ran;
	u64 *per_cpu;
	struct cpus targets;
	bool has_ledgers;
	struct ledgers before;
	struct ledgers during;
};

/* Counting */

static int count_record(void *arg, const struct perf_event_header *record, struct error *err)
{
	struct counted *counted = arg;
	u32 cpu;

	/* Samples begin with IDENTIFIER, IP, TID, TIME and CPU, of 8 bytes each: capture/rings.c */
	if (record->type != PERF_RECORD_SAMPLE || record->size < sizeof(*record) + 5 * sizeof(u64))
		return 0;
	memcpy(&cpu, (const u8 *)(record + 1) + 4 * sizeof(u64), sizeof(cpu));
	if (cpu < CPUS_MAX)
		counted->per_cpu[cpu]++;
	return 0;
}

static int count(struct counted *counted, struct capture *capture, struct run *run,
		 struct error *err)
{
	u64 start;
	int ret = 0;

	if (event_is_pcsample(&counted->event)) {
		ret = ledgers_read(&counted->before, "", err);
		counted->has_ledgers = !ret && ledgers_known(&counted->before);
	}
	start = now_ns();
	if (!ret)
		ret = capture_enable(capture, err);
	if (!ret)
		ret = run_start(run, err);
	while (ret >= 0 && run_goes_on(run))
		ret = capture_pump(capture, PUMP_MS, count_record, counted, err);
	capture_disable(capture);
	counted->seconds = (now_ns() - start) / 1e9;
	if (ret >= 0)
		ret = capture_drain(capture, count_record, counted, err);
	if (ret >= 0 && counted->has_ledgers)
		ret = ledgers_read(&counted->during, "", err);
	if (ret < 0)
		return ret;
	ledgers_subtract(&counted->during, &counted->before);
	counted->samples = capture_counts(capture)->samples;
	counted->discarded = capture_counts(capture)->discarded;
	counted->lost = capture_lost(capture);
	counted->ran = capture_ran(capture);
	return 0;
}

/* Text */

/* Number of reads that took place: those planned, without late and preempted ones */
static double reads_done(const struct ledger *ledger)
{
	return ledger_get(ledger, OUTCOME_PLANNED) - ledger_outcome(ledger, OUTCOME_LATE) -
	       ledger_outcome(ledger, OUTCOME_PREEMPTED);
}

/* Print a column for counts that are not 0, and for planned reads and samples in any case */
static bool has_column(const struct counted *c, const struct ledger_count *count)
{
	return count->value || !strcmp(count->name, "planned") || !strcmp(count->name, "sample");
}

static void print_ledger_line(const struct counted *c, const char *who,
			      const struct ledger *ledger, double targets)
{
	const struct ledger *total = &c->during.total;
	unsigned int i;

	fprintf(stderr, "  %-8s", who);
	for (i = 0; i < total->nr; i++)
		if (has_column(c, &total->counts[i]))
			fprintf(stderr, " %12llu",
				(unsigned long long)ledger_get(ledger, total->counts[i].name));
	fprintf(stderr, " %12.1f\n", reads_done(ledger) / c->seconds / targets);
}

static void print_ledgers(const struct counted *c)
{
	const struct ledger *total = &c->during.total;
	char who[32];
	unsigned int i;

	fprintf(stderr, "  %-8s", "target");
	for (i = 0; i < total->nr; i++)
		if (has_column(c, &total->counts[i]))
			fprintf(stderr, " %12s", total->counts[i].name);
	fprintf(stderr, " %12s\n", "reads/s");
	for (i = 0; i < c->during.nr; i++) {
		if (!cpus_has(&c->targets, c->during.of[i].cpu))
			continue;
		snprintf(who, sizeof(who), "cpu%u", c->during.of[i].cpu);
		print_ledger_line(c, who, &c->during.of[i].ledger, 1);
	}
	print_ledger_line(c, "total", total, cpus_count(&c->targets));
	if (!ledger_adds_up(total))
		fprintf(stderr, "  The counts do not add up to the planned reads: other events are"
			" being read.\n");
}

static void print_cpus(const struct counted *c)
{
	int cpu;

	fprintf(stderr, "  %-8s %12s %12s\n", "cpu", "samples", "samples/s");
	cpus_for_each(cpu, &c->targets)
		fprintf(stderr, "  cpu%-5d %12llu %12.1f\n", cpu,
			(unsigned long long)c->per_cpu[cpu], c->per_cpu[cpu] / c->seconds);
	fprintf(stderr, "  %-8s %12llu %12.1f\n", "total", (unsigned long long)c->samples,
		c->samples / c->seconds);
}

static void print_text(const struct counted *c)
{
	fprintf(stderr, "\n%s for %.3f s", c->event.name, c->seconds);
	if (c->ran)
		fprintf(stderr, "; the tasks had %.3f s of CPU time: %.1f Hz", c->ran / 1e9,
			c->samples / (c->ran / 1e9));
	if (c->hz)
		fprintf(stderr, ", asked for %.1f Hz%s", c->hz, c->ran ? "" : " on each CPU");
	fprintf(stderr, "\n\n");
	if (c->has_ledgers)
		print_ledgers(c);
	else
		print_cpus(c);
	if (event_is_pcsample(&c->event) && !c->has_ledgers)
		fprintf(stderr, "  Only users with CAP_PERFMON may see what became of the"
			" reads.\n");
	if (c->discarded)
		fprintf(stderr, "  %llu samples were of other processes\n",
			(unsigned long long)c->discarded);
	if (c->lost)
		fprintf(stderr, "  %llu records were lost: the ring buffers were full\n",
			(unsigned long long)c->lost);
	fprintf(stderr, "\n");
}

/* JSON */

static const struct ledger *ledger_of(const struct counted *c, int cpu)
{
	unsigned int i;

	for (i = 0; i < c->during.nr; i++)
		if (c->during.of[i].cpu == cpu)
			return &c->during.of[i].ledger;
	return NULL;
}

static void json_cpu(struct json *j, const struct counted *c, int cpu)
{
	const struct ledger *ledger = ledger_of(c, cpu);

	json_object(j, NULL);
	json_u64(j, "cpu", cpu);
	json_u64(j, "samples", c->per_cpu[cpu]);
	json_fixed(j, "samples_per_second", c->per_cpu[cpu] / c->seconds, 3);
	if (ledger) {
		json_fixed(j, "reads_per_second", reads_done(ledger) / c->seconds, 3);
		ledger_json(j, ledger);
	}
	json_object_end(j);
}

static int print_json(const struct counted *c)
{
	static struct out o;
	struct json j;
	int cpu;

	out_init(&o, STDOUT_FILENO);
	json_begin(&j, &o, "pcsample-stat", 1);
	json_string(&j, "event", c->event.name);
	json_u64(&j, "duration_ns", c->seconds * 1e9);
	if (c->hz)
		json_fixed(&j, "requested_hz", c->hz, 3);
	if (c->ran) {
		json_u64(&j, "ran_ns", c->ran);
		json_fixed(&j, "rate_hz", c->samples / (c->ran / 1e9), 3);
	}
	json_u64(&j, "samples", c->samples);
	json_u64(&j, "discarded", c->discarded);
	json_u64(&j, "lost", c->lost);
	if (c->has_ledgers)
		ledger_json(&j, &c->during.total);
	json_array(&j, "cpus");
	cpus_for_each(cpu, &c->targets)
		json_cpu(&j, c, cpu);
	json_array_end(&j);
	json_end(&j);
	return output_end(&o, "pcsample stat");
}

/* The command */

static int print_result(const struct stat_options *o, const struct counted *c)
{
	int status = EXIT_OK;
	struct error why;

	if (o->json)
		status = print_json(c);
	else
		print_text(c);
	if (c->samples || status)
		return status;
	explain_no_samples(&c->event, c->discarded, c->has_ledgers ? &c->during.total : NULL, &why);
	complain("pcsample stat", &why);
	return EXIT_NOTHING;
}

static int run_stat(const struct stat_options *o, const struct capture_config *config,
		    struct counted *counted)
{
	struct capture *capture = NULL;
	const pid_t *tasks;
	struct error err;
	struct run run;
	unsigned int nr;
	int ret, status = EXIT_FAILED;

	ret = capture_create(&capture, config, &err);
	if (ret)
		return complain("pcsample stat", &err);
	ret = run_prepare(&run, &o->capture, &err);
	if (!ret) {
		tasks = run_tasks(&run, &nr);
		ret = capture_open(capture, tasks, nr, &err);
	}
	if (!ret) {
		run_keep_away(capture, config);
		counted->targets = *capture_targets(capture);
		ret = count(counted, capture, &run, &err);
	}
	status = ret ? complain("pcsample stat", &err) : print_result(o, counted);
	capture_destroy(capture);
	return run_finish(&run, status);
}

int cmd_stat(int argc, char **argv)
{
	struct capture_config config;
	struct stat_options o = { 0 };
	struct counted *counted;
	struct error err;
	int status;

	argp_parse(&stat_argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
	if (capture_options_resolve(&o.capture, &config, &err))
		return complain("pcsample stat", &err);
	counted = calloc(1, sizeof(*counted));
	if (counted)
		counted->per_cpu = calloc(CPUS_MAX, sizeof(*counted->per_cpu));
	if (!counted || !counted->per_cpu) {
		error_set(&err, -ENOMEM, "out of memory");
		free(counted);
		return complain("pcsample stat", &err);
	}
	counted->event = config.event;
	counted->hz = config.freq;
	if (!config.freq && config.event.in_ns)
		counted->hz = 1e9 / config.period;
	status = run_stat(&o, &config, counted);
	ledgers_release(&counted->before);
	ledgers_release(&counted->during);
	free(counted->per_cpu);
	free(counted);
	free(o.capture.pids);
	return status;
}
