// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/mapped-dsos.h"
#include "capture/embed-files.h"
#include "capture/frozen.h"
#include "capture/clocks.h"
#include "capture/diagnose.h"
#include "capture/host-info.h"
#include "capture/recorder.h"
#include "base/text-file.h"
#include "base/clock.h"
#include "base/fnv.h"
#include "capture/snapshot.h"

#define DEVICE	"/sys/bus/event_source/devices/" PCSAMPLE_PMU

/*
 * @meta is the text of PERFDATA_PCS_METADATA so far. What is known before the first sample is also
 * written in front of all records, for files whose recorder is killed.
 */
struct recorder {
	struct recorder_config config;
	struct capture *capture;
	struct perfdata_writer *writer;
	struct dso_set *dsos;
	struct build_id_cache *build_ids;
	struct capture_files *files;	/* NULL: not wanted */
	struct perfdata_blob meta;
	struct perfdata_blob notes;
	struct error failure;	/* why the recording ended; also a note in the file */
	struct ledgers before;
	struct ledgers during;
	struct clocks clocks;
	struct frozen_watch *frozen;	/* NULL where all samples may be of one task */
	char *modules;
	u64 started;
	u64 stopped;
};

/* Metadata */

static void __attribute__((format(printf, 2, 3)))
meta(struct recorder *r, const char *format, ...)
{
	char line[CPUS_TEXT_MAX + 64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line) - 1, format, ap);
	va_end(ap);
	strcat(line, "\n");
	perfdata_blob_bytes(&r->meta, line, strlen(line));
}

static void meta_cpus(struct recorder *r, const char *key, const struct cpus *cpus)
{
	char text[CPUS_TEXT_MAX];

	cpus_format(cpus, text, sizeof(text));
	meta(r, "%s %s", key, text);
}

static void note(struct recorder *r, const char *text)
{
	meta(r, "note %s", text);
	perfdata_blob_bytes(&r->notes, text, strlen(text));
	perfdata_blob_bytes(&r->notes, "\n", 2);
	r->notes.size -= !r->notes.failed;	/* the next note overwrites the NUL */
}

static void meta_pcsample(struct recorder *r)
{
	char method[64];

	if (sysfs_read(method, sizeof(method), "%s" DEVICE "/caps/attribution",
		       r->config.capture.root) > 0)
		meta(r, "method %s", method);
	meta_cpus(r, "readers", capture_cpus(r->capture));
	meta(r, "jitter %s", r->config.capture.event.config[0] >> 8 & 2 ? "off" : "on");
	meta(r, "seed %u", r->config.capture.seed);
}

/*
 * Identifies the machine, even if it is renamed. A hash of its id, as machine-id(5) says that the
 * id itself is confidential.
 */
static void meta_machine(struct recorder *r)
{
	char id[64];
	int len = sysfs_read(id, sizeof(id), "%s/etc/machine-id", r->config.capture.root);

	if (len > 0)
		meta(r, "machine %016llx", (unsigned long long)fnv_hash(id, len));
}

static void meta_at_start(struct recorder *r)
{
	const struct capture_config *c = &r->config.capture;

	meta(r, "version 1");
	meta(r, "tool %s", r->config.tool);
	meta_machine(r);
	meta(r, "event %s", capture_events(r->capture)[0].name);
	meta(r, "scope %s", c->system_wide ? "system" : "process");
	if (c->freq)
		meta(r, "frequency %llu", (unsigned long long)c->freq);
	if (c->freq && c->event.in_ns)
		meta(r, "period %llu", 1000000000ULL / (unsigned long long)c->freq);
	else if (!c->freq)
		meta(r, "period %llu", (unsigned long long)c->period);
	meta_cpus(r, "targets", capture_targets(r->capture));
	meta(r, "ring %zu", capture_ring_bytes(r->capture));
	if (event_is_pcsample(&c->event))
		meta_pcsample(r);
	if (*capture_unread(r->capture))
		note(r, capture_unread(r->capture));
}

static void meta_ledger(struct recorder *r, const char *who, const struct ledger *ledger)
{
	unsigned int i;

	for (i = 0; i < ledger->nr; i++)
		meta(r, "ledger.%s.%s %llu", who, ledger->counts[i].name,
		     (unsigned long long)ledger->counts[i].value);
}

static void meta_at_end(struct recorder *r, const struct recorder_result *result)
{
	char who[32];
	unsigned int i;

	meta(r, "duration %llu", (unsigned long long)result->duration);
	meta(r, "samples %llu", (unsigned long long)result->counts.samples);
	if (result->ran)
		meta(r, "ran %llu", (unsigned long long)result->ran);
	if (!r->config.capture.system_wide)
		meta(r, "discarded %llu", (unsigned long long)result->counts.discarded);
	meta(r, "lost %llu", (unsigned long long)result->lost);
	if (!result->has_ledger)
		return;
	meta_ledger(r, "total", &r->during.total);
	for (i = 0; i < r->during.nr; i++) {
		snprintf(who, sizeof(who), "cpu%u", r->during.of[i].cpu);
		meta_ledger(r, who, &r->during.of[i].ledger);
	}
}

/* Records on their way to the file */

static int write_record(void *arg, const struct perf_event_header *record, struct error *err)
{
	struct recorder *r = arg;

	if (r->frozen)
		frozen_watch_note(r->frozen, record);
	if (dso_set_note(r->dsos, record) ||
	    (r->files && capture_files_note(r->files, record)))
		return error_set(err, -ENOMEM, "%s: out of memory", r->config.output);
	return perfdata_write_record(r->writer, record, err);
}

/* Only of those processes that can have samples; of all if these are not known */
static int synth_tasks(struct synth *synth, const struct capture_config *config,
		       const pid_t *tasks, unsigned int nr, struct error *err)
{
	unsigned int i;
	int ret = 0;

	if (config->system_wide || !nr)
		return synth_processes(synth, err);
	for (i = 0; i < nr && !ret; i++)
		ret = config->attach ? synth_process(synth, tasks[i], err)
				     : synth_newborn(synth, tasks[i], err);
	return ret;
}

/*
 * Record what exists already. The kernel reports changes from now on. With no @tasks, all processes
 * are recorded.
 */
static int write_existing(struct recorder *r, const pid_t *tasks, unsigned int nr,
			  struct error *err)
{
	struct synth synth = {
		.root = r->config.capture.root,
		.trailer = capture_trailer(r->capture),
		.sink = write_record,
		.arg = r,
		.build_ids = r->build_ids,
	};
	struct error why;
	int ret;

	ret = synth_kernel(&synth, &why);
	if (ret == -EACCES || ret == -ENOENT)
		note(r, why.text);
	else if (ret)
		return error_set(err, ret, "%s", why.text);
	free(r->modules);
	ret = synth_modules(&synth, NULL, &r->modules, err);
	if (!ret && capture_events(r->capture)[0].attr.sample_type & PERF_SAMPLE_CGROUP)
		ret = synth_cgroups(&synth, err);
	if (!ret)
		ret = synth_tasks(&synth, &r->config.capture, tasks, nr, err);
	/* With this capability only the maps of exiting processes are closed: nothing to tell */
	if (!ret && synth.nr_unreadable && !has_capability(synth.root, CAP_SYS_PTRACE)) {
		snprintf(why.text, sizeof(why.text),
			 "the maps of %u of %u processes are closed to this user: their samples stay without names",
			 synth.nr_unreadable, synth.nr_processes);
		note(r, why.text);
	}
	return ret;
}

/* Modules that were loaded while recording */
static int write_new_modules(struct recorder *r, struct error *err)
{
	struct synth synth = {
		.root = r->config.capture.root,
		.trailer = capture_trailer(r->capture),
		.sink = write_record,
		.arg = r,
	};

	return synth_modules(&synth, r->modules, NULL, err);
}

/* Beginning */

int recorder_create(struct recorder **ret, const struct recorder_config *config, struct error *err)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int rc = -ENOMEM;

	if (r) {
		r->config = *config;
		r->dsos = dso_set_create();
		r->build_ids = build_id_cache_create();
		if (r->build_ids && config->keep_files)
			r->files = capture_files_create(r->build_ids);
	}
	if (!r || !r->dsos || !r->build_ids || (config->keep_files && !r->files))
		error_set(err, rc, "out of memory");
	else
		rc = capture_create(&r->capture, &config->capture, err);
	if (rc) {
		recorder_destroy(r);
		return rc;
	}
	*ret = r;
	return 0;
}

static int write_version(struct recorder *r, struct error *err)
{
	struct perfdata_blob version = { 0 };

	perfdata_blob_string(&version, r->config.tool);
	return perfdata_write_feature(r->writer, PERFDATA_VERSION, &version, err);
}

static int write_beginning(struct recorder *r, const pid_t *tasks, unsigned int nr,
			   struct error *err)
{
	int ret;

	ret = perfdata_write_events(r->writer, capture_events(r->capture), CAPTURE_NR_EVENTS, err);
	if (!ret)
		ret = write_version(r, err);
	if (!ret)
		ret = host_write_features(r->writer, r->config.capture.root, r->config.argv, err);
	if (!ret)
		ret = host_write_clock(r->writer, CLOCK_MONOTONIC, err);
	if (!ret)
		ret = perfdata_write_early(r->writer, err);
	if (ret)
		return ret;
	meta_at_start(r);
	ret = perfdata_write_private(r->writer, PERFDATA_PCS_METADATA, r->meta.data, r->meta.size,
				     err);
	return ret ? ret : write_existing(r, tasks, nr, err);
}

static int open_output(struct recorder *r, const pid_t *tasks, unsigned int nr, struct error *err)
{
	int ret = perfdata_writer_create(&r->writer, r->config.output, err);

	return ret ? ret : write_beginning(r, tasks, nr, err);
}

int recorder_open(struct recorder *r, const pid_t *tasks, unsigned int nr, struct error *err)
{
	int ret = capture_open(r->capture, tasks, nr, err);

	return ret ? ret : open_output(r, tasks, nr, err);
}

/*
 * Processes that are sampled by now may have lost their parents, so that they cannot be found below
 * the first ones: record all.
 */
int recorder_renew(struct recorder *r, const char *output, struct error *err)
{
	perfdata_writer_destroy(r->writer);
	r->writer = NULL;
	r->meta.size = 0;
	r->config.output = output;
	return open_output(r, NULL, 0, err);
}

const struct capture *recorder_capture(const struct recorder *r)
{
	return r->capture;
}

/* Do all tasks of the CPUs have samples, so that idle and busy times are those of the CPUs? */
static bool sees_all(const struct recorder *r)
{
	const struct perf_event_attr *attr = &capture_events(r->capture)[0].attr;

	return r->config.capture.system_wide && !attr->exclude_user && !attr->exclude_kernel &&
	       !attr->exclude_idle;
}

static int start_pcsample(struct recorder *r, struct error *err)
{
	const char *root = r->config.capture.root;
	struct error unsaid;

	/*
	 * Without /proc there is nothing to compare samples with. That does not stop the recording.
	 */
	if (sees_all(r) && frozen_watch_create(&r->frozen, &capture_events(r->capture)[0].attr,
					       root, &unsaid))
		r->frozen = NULL;
	return ledgers_read(&r->before, root, err);
}

int recorder_start(struct recorder *r, struct error *err)
{
	int ret;

	if (event_is_pcsample(&r->config.capture.event)) {
		ret = start_pcsample(r, err);
		if (ret)
			return ret;
	}
	clocks_read(&r->clocks);
	r->started = now_ns();
	return capture_enable(r->capture, err);
}

int recorder_pump(struct recorder *r, int timeout_ms, struct error *err)
{
	int nr = capture_pump(r->capture, timeout_ms, write_record, r, err);
	int ret = nr < 0 ? nr : perfdata_write_flush(r->writer, err);

	if (ret < 0)
		r->failure = *err;
	return ret ? ret : nr;
}

/* End */

static int read_ledger_change(struct recorder *r, struct error *err)
{
	int ret;

	if (!event_is_pcsample(&r->config.capture.event) || !r->before.nr)
		return 0;
	ret = ledgers_read(&r->during, r->config.capture.root, err);
	if (!ret)
		ledgers_subtract(&r->during, &r->before);
	return ret;
}

/* All other sections that perf knows were written or queued at the beginning */
static int write_end(struct recorder *r, const struct recorder_result *result, struct error *err)
{
	struct perfdata_blob times = { 0 };
	struct error why;
	int ret;

	perfdata_blob_u64(&times, result->counts.first);
	perfdata_blob_u64(&times, result->counts.last);
	ret = perfdata_write_feature(r->writer, PERFDATA_SAMPLE_TIME, &times, err);
	if (!ret)
		ret = dso_set_write(r->dsos, r->writer, err);
	if (ret)
		return ret;
	ret = host_write_kallsyms(r->writer, r->config.capture.root, &why);
	if (ret && ret != -EACCES && ret != -ENOENT)
		return error_set(err, ret, "%s", why.text);
	ret = host_write_vdso(r->writer, err);
	if (ret)
		return ret;
	meta_at_end(r, result);
	return perfdata_write_feature(r->writer, PERFDATA_PCS_METADATA, &r->meta, err);
}

/* Report the first failure: it caused the second */
static int first_failure(int ret, struct error *err, int next, const struct error *next_err)
{
	if (!ret && next)
		*err = *next_err;
	return ret ? ret : next;
}

static void note_clocks(struct recorder *r)
{
	struct clocks_notes notes;
	struct clocks now;

	clocks_read(&now);
	clocks_compare(&r->clocks, &now, &notes);
	if (notes.asleep[0])
		note(r, notes.asleep);
	if (notes.wall[0])
		note(r, notes.wall);
}

static int write_files(struct recorder *r, struct error *err)
{
	unsigned int left_out = 0;
	char text[160];
	int ret = 0;

	if (r->files)
		ret = capture_files_write(r->files, r->writer, &left_out, err);
	if (left_out) {
		snprintf(text, sizeof(text),
			 "%u files of containers and deleted files are too large or too many to keep: pack them while they run, by pcsample archive",
			 left_out);
		note(r, text);
	}
	return ret;
}

static void tell(void *arg, unsigned int cpu, const char *text)
{
	(void)cpu;
	note(arg, text);
}

int recorder_stop(struct recorder *r, struct recorder_result *result, struct error *err)
{
	struct error later;
	int ret = 0;

	memset(result, 0, sizeof(*result));
	capture_disable(r->capture);
	r->stopped = now_ns();
	ret = capture_drain(r->capture, write_record, r, err);
	ret = ret < 0 ? ret : 0;
	ret = first_failure(ret, err, capture_tell_lost(r->capture, write_record, r, &later),
			    &later);
	ret = first_failure(ret, err, write_new_modules(r, &later), &later);
	ret = first_failure(ret, err, read_ledger_change(r, &later), &later);
	result->counts = *capture_counts(r->capture);
	result->lost = capture_lost(r->capture);
	result->duration = r->stopped - r->started;
	result->ran = capture_ran(r->capture);
	result->has_ledger = ledgers_known(&r->during);
	result->ledgers = &r->during;
	note_clocks(r);
	if (r->frozen)
		frozen_watch_end(r->frozen, tell, r);
	ret = first_failure(ret, err, write_files(r, &later), &later);
	if (ret || r->failure.text[0])
		note(r, ret ? err->text : r->failure.text);
	ret = first_failure(ret, err, write_end(r, result, &later), &later);
	ret = first_failure(ret, err, perfdata_writer_finish(r->writer, &later), &later);
	result->bytes = perfdata_writer_size(r->writer);
	return ret;
}

int recorder_flush(struct recorder *r, struct error *err)
{
	return perfdata_write_flush(r->writer, err);
}

u64 recorder_bytes(const struct recorder *r)
{
	return perfdata_writer_data_size(r->writer);
}

const char *recorder_notes(const struct recorder *r)
{
	return r->notes.data && !r->notes.failed ? (const char *)r->notes.data : "";
}

void recorder_destroy(struct recorder *r)
{
	if (!r)
		return;
	capture_destroy(r->capture);
	perfdata_writer_destroy(r->writer);
	dso_set_destroy(r->dsos);
	capture_files_destroy(r->files);
	build_id_cache_destroy(r->build_ids);
	perfdata_blob_release(&r->meta);
	perfdata_blob_release(&r->notes);
	ledgers_release(&r->before);
	ledgers_release(&r->during);
	frozen_watch_destroy(r->frozen);
	free(r->modules);
	free(r);
}
