// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>

#include <linux/arm_pcsample.h>

#include "base/clock.h"
#include "base/text-file.h"
#include "capture/batch.h"
#include "capture/diagnose.h"
#include "capture/order.h"
#include "capture/process-tree.h"
#include "capture/rings.h"

/* Both events have the same sample_id, as perf reads that of each record by the first event */
#define TRAILER_TYPE	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_IDENTIFIER)
#define TRAILER_BYTES	(4 * sizeof(u64))
#define SAMPLE_TYPE	(TRAILER_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD)

/* A sample ring holds this many seconds of samples, within limits */
#define RING_SECONDS	2
#define RING_MIN	(256U << 10)
#define RING_MAX	(32U << 20)
#define SIDE_BAND_RING	(512U << 10)

/* Longest time until a side-band ring is emptied, where poll() cannot wait for it, ms */
#define SIDE_BAND_MS	20

/*
 * Upper bound of a sample, to size the rings. A sample that shares its record with nine others or
 * more takes less, too. One with fewer takes up to 264 bytes, but then its reader takes fewer than
 * 1000 a second, as it waits for others for ARM_PCSAMPLE_BATCH_AGE: RING_MIN is enough for these.
 */
#define SAMPLE_BYTES	128

enum { SAMPLED, SIDE_BAND };

/* Threads to open an event on. If there are none, it is opened for all threads of its CPUs */
struct threads {
	pid_t *list;
	size_t nr;
	size_t cap;
};

/*
 * One of the two events: its libperf objects live from opening to capture_destroy().
 *
 * @cpus and @nr_threads are as in libperf's maps, so that an index is the same in both.
 * @optional: bits of attr.sample_type that are left out if the kernel does not accept them
 */
struct source {
	struct perf_event_attr attr;
	u64 optional;
	struct cpus cpus;
	unsigned int nr_threads;
	struct perf_evlist *evlist;
	struct perf_evsel *evsel;
	u64 *ids;
	u64 lost_records;
};

/*
 * @round has the samples of the round that is delivered, one after the other, and @side_band its
 * other records. When @disabled, the next round is the last one.
 *
 * @per_task: the events follow tasks. Otherwise they are of CPUs, and if only some processes are to
 * be sampled (@by_tree), @tree tells their samples from the others.
 *
 * @unread: why one of the CPUs is not sampled, or empty
 * @batched: samples share records, of which @layout is the layout
 * @cannot_poll: an event's task has ended, so that poll() no longer waits for the other events.
 */
struct capture {
	struct capture_config config;
	bool per_task;
	bool by_tree;
	struct process_tree tree;
	struct cpus targets;
	struct error unread;
	struct source sources[CAPTURE_NR_EVENTS];
	struct perfdata_event events[CAPTURE_NR_EVENTS];
	char name[sizeof(((struct event_spec *)0)->name) + 4];
	size_t ring_bytes;
	struct perfdata_blob round;
	struct capture_order side_band;
	struct capture_rounds rounds;
	struct sample_layout layout;
	bool batched;
	bool disabled;
	bool cannot_poll;
	struct capture_counts counts;
};

/* What to sample, and where */

static int read_cpus(struct cpus *cpus, const char *root, const char *what)
{
	char text[CPUS_TEXT_MAX];
	int ret;

	ret = sysfs_read(text, sizeof(text), "%s/sys/devices/system/cpu/%s", root, what);
	return ret < 0 ? ret : cpus_parse(cpus, text);
}

/* The CPUs asked for, or all that are online */
static int choose_targets(struct capture *c, const struct cpus *online, struct error *err)
{
	struct cpus missing = c->config.cpus;

	if (cpus_empty(&c->config.cpus)) {
		c->targets = *online;
		return 0;
	}
	c->targets = c->config.cpus;
	cpus_and_not(&missing, online);
	if (!cpus_empty(&missing))
		return error_set(err, -ENODEV, "CPU %d is not online", cpus_next(&missing, 0));
	return 0;
}

/* Keep the targets that can be sampled. If the user named one that cannot, that is an error. */
static int check_blocks(struct capture *c, struct error *err)
{
	struct cpus blocks, missing = c->targets;
	char text[CPUS_TEXT_MAX];
	int ret;

	ret = sysfs_read(text, sizeof(text),
			 "%s/sys/bus/event_source/devices/" PCSAMPLE_PMU "/caps/blocks",
			 c->config.root);
	if (ret < 0 || cpus_parse(&blocks, text))
		return error_set(err, -ENODEV, "%s: cannot read which CPUs it can sample",
				 c->config.event.name);
	cpus_and_not(&missing, &blocks);
	if (!cpus_empty(&c->config.cpus) && !cpus_empty(&missing))
		return error_set(err, -ENODEV, "%s: CPU %d has no PC-sample block; these have: %s",
				 c->config.event.name, cpus_next(&missing, 0), text);
	cpus_and(&c->targets, &blocks);
	return 0;
}

/* No CPU reads itself: where there is one reader, it is no target. */
static int check_others(struct capture *c, struct error *err)
{
	const struct cpus *readers = &c->sources[SAMPLED].cpus;
	int only = cpus_next(readers, 0);

	if (cpus_count(readers) > 1 || !cpus_has(&c->targets, only))
		return 0;
	cpus_and_not(&c->targets, readers);
	error_set(&c->unread, -ENODEV,
		  "%s: CPU %d is the only reader, and no CPU reads itself: name another, if there is one, in "
		  "/sys/bus/event_source/devices/" PCSAMPLE_PMU "/readers",
		  c->config.event.name, only);
	return cpus_empty(&c->targets) ? error_set(err, -ENODEV, "%s", c->unread.text) : 0;
}

/*
 * arm_pcsample is opened on all readers: the driver knows which of them serves which target. Its
 * config1 has room for 64 CPUs.
 */
static int choose_readers(struct capture *c, const struct cpus *online, struct error *err)
{
	u64 mask = c->config.cpus.bits[0];
	struct cpus low = { .bits = { mask } };
	int ret;

	c->sources[SAMPLED].cpus = c->config.event.cpumask;
	cpus_and(&c->sources[SAMPLED].cpus, online);
	if (cpus_empty(&c->sources[SAMPLED].cpus))
		return error_set(err, -ENODEV, "%s: no CPU of its cpumask is online",
				 c->config.event.name);
	cpus_and_not(&c->sources[SAMPLED].cpus, &c->config.stay_off);
	if (cpus_empty(&c->sources[SAMPLED].cpus))
		return error_set(err, -ENODEV, "%s: none of its readers answers: choose others, as "
				 "echo 0 > /sys/bus/event_source/devices/" PCSAMPLE_PMU "/readers",
				 c->config.event.name);
	if (!event_is_pcsample(&c->config.event))
		return 0;
	ret = check_blocks(c, err);
	if (!ret)
		ret = check_others(c, err);
	if (ret || cpus_empty(&c->config.cpus))
		return ret;
	if (!cpus_within(&c->config.cpus, &low))
		return error_set(err, -EINVAL,
				 "%s: CPU %d: targets above CPU 63 cannot be chosen one by one; record all, and choose in the report",
				 c->config.event.name, cpus_next(&c->config.cpus, 64));
	c->config.event.config[1] = mask;
	return 0;
}

static int choose_cpus(struct capture *c, struct error *err)
{
	struct cpus online;
	int ret;

	ret = read_cpus(&online, c->config.root, "online");
	if (ret)
		return error_set(err, ret, "%s/sys/devices/system/cpu/online: cannot read it",
				 c->config.root);
	ret = choose_targets(c, &online, err);
	if (ret)
		return ret;
	c->sources[SIDE_BAND].cpus = online;
	c->per_task = !c->config.system_wide && !c->config.event.on_cpumask;
	c->by_tree = !c->config.system_wide && !c->per_task;
	if (c->config.event.on_cpumask)
		return choose_readers(c, &online, err);
	c->sources[SAMPLED].cpus = c->targets;
	return 0;
}

static size_t power_of_two(u64 bytes)
{
	size_t size = RING_MIN;

	while (size < bytes && size < RING_MAX)
		size *= 2;
	return size;
}

/* Large enough for RING_SECONDS without a reader */
static size_t choose_ring(const struct capture *c)
{
	u64 hz = c->config.freq;

	if (c->config.pages)
		return (size_t)c->config.pages * sysconf(_SC_PAGESIZE);
	if (!hz)
		hz = c->config.event.in_ns ? 1000000000ULL / c->config.period : CAPTURE_DEFAULT_HZ;
	hz = hz * cpus_count(&c->targets) / cpus_count(&c->sources[SAMPLED].cpus);
	return power_of_two(hz * SAMPLE_BYTES * RING_SECONDS);
}

/* Attributes */

static void set_common(struct perf_event_attr *attr, bool per_task)
{
	attr->size = sizeof(*attr);
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->sample_id_all = 1;
	attr->inherit = per_task;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
}

static void set_config(struct perf_event_attr *attr, const struct event_spec *event)
{
	attr->config = event->config[0];
	attr->config1 = event->config[1];
	attr->config2 = event->config[2];
}

static void set_sampled(struct capture *c)
{
	struct perf_event_attr *attr = &c->sources[SAMPLED].attr;
	const struct event_spec *event = &c->config.event;

	set_common(attr, c->per_task);
	attr->type = event->type;
	set_config(attr, event);
	attr->sample_type = SAMPLE_TYPE;
	if (event_is_pcsample(event) || event_is_profexc(event))
		attr->sample_type |= PERF_SAMPLE_RAW;
	c->sources[SAMPLED].optional = PERF_SAMPLE_CGROUP;
	attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (c->config.freq) {
		attr->freq = 1;
		attr->sample_freq = c->config.freq;
	} else {
		attr->sample_period = c->config.period;
	}
	attr->disabled = 1;
	attr->enable_on_exec = c->per_task && !c->config.attach;
	attr->exclude_user = event->exclude_user;
	attr->exclude_kernel = event->exclude_kernel;
	/*
	 * perf excludes guests by default. arm_pcsample samples them, too: samples carry their VMID
	 */
	attr->exclude_guest = !event_is_pcsample(event);
}

/*
 * Let samples share records if the driver knows how. A sink gets plain samples in any case, so the
 * event is described without the field, even if the user has set it.
 */
static void set_batched(struct capture *c)
{
	struct event_spec batched = c->config.event;
	struct error unsaid;

	if (event_set_term(&batched, c->config.root, "batch", 1, &unsaid))
		return;
	event_set_term(&c->config.event, c->config.root, "batch", 0, &unsaid);
	set_config(&c->sources[SAMPLED].attr, &batched);
	c->rounds.age = BATCH_OLDEST;
	c->batched = true;
}

static void set_side_band(struct capture *c)
{
	struct perf_event_attr *attr = &c->sources[SIDE_BAND].attr;

	set_common(attr, c->per_task);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_type = TRAILER_TYPE;
	attr->sample_period = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->exclude_guest = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	attr->bpf_event = 1;
	attr->namespaces = 1;
	attr->cgroup = 1;
	attr->build_id = 1;
}

/* Drop the newest feature that may have caused @code; false if there is none left */
static bool ask_for_less(struct source *s, int code)
{
	struct perf_event_attr *attr = &s->attr;

	if (code == -EACCES || code == -EPERM) {
		if (!attr->namespaces)
			return false;
		attr->namespaces = 0;
		return true;
	}
	if ((code == -EOPNOTSUPP || code == -EINVAL) && attr->sample_type & s->optional) {
		attr->sample_type &= ~s->optional;
		return true;
	}
	if (code != -EINVAL)
		return false;
	if (attr->read_format & PERF_FORMAT_LOST) {	/* 6.0 */
		attr->read_format &= ~PERF_FORMAT_LOST;
		attr->sample_type |= s->optional;	/* perhaps not the reason */
	} else if (attr->build_id) {			/* 5.12 */
		attr->build_id = 0;
	} else if (attr->cgroup) {			/* 5.7 */
		attr->cgroup = 0;
	} else if (attr->ksymbol) {			/* 5.1 */
		attr->ksymbol = 0;
		attr->bpf_event = 0;
	} else {
		return false;
	}
	return true;
}

/* Opening */

static void close_source(struct source *s)
{
	perf_evlist__delete(s->evlist);
	free(s->ids);
	s->evlist = NULL;
	s->evsel = NULL;
	s->ids = NULL;
}

static int set_maps(struct source *s, const struct threads *threads)
{
	char text[CPUS_TEXT_MAX];
	struct perf_thread_map *map;
	struct perf_cpu_map *cpus;

	cpus_format(&s->cpus, text, sizeof(text));
	cpus = perf_cpu_map__new(text);
	if (threads->nr)
		map = perf_thread_map__new_array(threads->nr, threads->list);
	else
		map = perf_thread_map__new_dummy();
	if (cpus && map)
		perf_evlist__set_maps(s->evlist, cpus, map);
	perf_cpu_map__put(cpus);
	perf_thread_map__put(map);
	s->nr_threads = threads->nr ? threads->nr : 1;
	return cpus && map ? 0 : -ENOMEM;
}

static int open_evlist(struct source *s, const struct threads *threads)
{
	int ret;

	s->evlist = perf_evlist__new();
	s->evsel = perf_evsel__new(&s->attr);
	if (!s->evlist || !s->evsel) {
		perf_evsel__delete(s->evsel);
		return -ENOMEM;
	}
	perf_evlist__add(s->evlist, s->evsel);
	ret = set_maps(s, threads);
	return ret ? ret : perf_evlist__open(s->evlist);
}

static unsigned int nr_instances(const struct source *s)
{
	return cpus_count(&s->cpus) * s->nr_threads;
}

/* Counter, id and losses of one instance */
static int read_instance(const struct source *s, unsigned int i,
			 struct perf_counts_values *values)
{
	return perf_evsel__read(s->evsel, i / s->nr_threads, i % s->nr_threads, values);
}

/* The kernel's ids of the events: reading them with PERF_FORMAT_ID gives these */
static int read_ids(struct source *s)
{
	struct perf_counts_values values;
	unsigned int i;
	int ret;

	s->ids = calloc(nr_instances(s), sizeof(*s->ids));
	if (!s->ids)
		return -ENOMEM;
	for (i = 0; i < nr_instances(s); i++) {
		ret = read_instance(s, i, &values);
		if (ret)
			return ret;
		s->ids[i] = values.id;
	}
	return 0;
}

/* libperf cannot repeat a failed mmap, so each attempt starts from the beginning. */
static int try_source(struct source *s, const struct threads *threads, size_t ring)
{
	int ret;

	s->attr.wakeup_watermark = ring / 4;
	ret = open_evlist(s, threads);
	if (!ret && perf_evlist__mmap(s->evlist, ring / sysconf(_SC_PAGESIZE)))
		ret = errno == EPERM ? -ENOBUFS : -errno;
	if (!ret)
		ret = read_ids(s);
	if (ret)
		close_source(s);
	return ret;
}

/*
 * Only the kernel knows: a leader that has ended stays in /proc as long as other threads of its
 * process live.
 */
static bool has_ended(const struct source *s, pid_t tid)
{
	struct threads thread = { .list = &tid, .nr = 1 };
	struct source probe = { .attr = s->attr };
	int ret;

	cpus_add(&probe.cpus, cpus_next(&s->cpus, 0));
	ret = open_evlist(&probe, &thread);
	close_source(&probe);
	return ret == -ESRCH;
}

/*
 * Threads end between listing and opening: leave those out. They are not listed again, so that this
 * ends, however fast new ones come. False if no thread is left, or if none has ended.
 */
static bool leave_out_ended(const struct source *s, struct threads *threads, int code)
{
	size_t i, nr = 0;
	bool ended;

	if (code != -ESRCH)
		return false;
	for (i = 0; i < threads->nr; i++)
		if (!has_ended(s, threads->list[i]))
			threads->list[nr++] = threads->list[i];
	ended = nr < threads->nr;
	threads->nr = nr;
	return nr && ended;
}

/* Halve the rings until they fit this user's limit of locked memory */
static int open_source(struct source *s, struct threads *threads, size_t *ring)
{
	const size_t least = 2 * sysconf(_SC_PAGESIZE);
	int ret;

	for (;;) {
		ret = try_source(s, threads, *ring);
		if (ret == -ENOBUFS && *ring > least)
			*ring /= 2;
		else if (!ret || !(leave_out_ended(s, threads, ret) || ask_for_less(s, ret)))
			return ret;
	}
}

/* Exclude the kernel for users who may not sample it, as perf does */
static bool retreat_to_user(struct capture *c, int code)
{
	struct perf_event_attr *attr = &c->sources[SAMPLED].attr;

	if ((code != -EACCES && code != -EPERM) || !c->per_task || attr->exclude_kernel ||
	    attr->exclude_user)
		return false;
	attr->exclude_kernel = 1;
	strcat(c->name, strchr(c->name, ':') || strchr(c->name, '/') ? "u" : ":u");
	return true;
}

static int open_sampled(struct capture *c, struct threads *threads)
{
	int ret;

	do {
		ret = open_source(&c->sources[SAMPLED], threads, &c->ring_bytes);
	} while (ret && retreat_to_user(c, ret));
	return ret;
}

static void describe(struct perfdata_event *event, const struct source *s, const char *name)
{
	event->attr = s->attr;
	event->name = name;
	event->ids = s->ids;
	event->nr_ids = nr_instances(s);
}

static int add_thread(struct threads *threads, pid_t tid)
{
	if (mem_grow(&threads->list, &threads->cap, threads->nr + 1))
		return -ENOMEM;
	threads->list[threads->nr++] = tid;
	return 0;
}

/*
 * Every thread that a process has now; later ones inherit the event. A process that ends meanwhile
 * has none: without any thread, the event would be opened for all that runs.
 */
static int add_threads(struct threads *threads, const char *root, pid_t pid)
{
	size_t before = threads->nr;
	struct dirent *entry;
	char path[PATH_MAX];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc/%d/task", root, pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			ret = add_thread(threads, atoi(entry->d_name));
	closedir(dir);
	return !ret && threads->nr == before ? -ENOENT : ret;
}

static int take_tasks(struct capture *c, struct threads *threads, const pid_t *tasks,
		      unsigned int nr, struct error *err)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (c->by_tree)
			ret = process_tree_add(&c->tree, tasks[i]);
		else if (c->per_task)
			ret = add_threads(threads, c->config.root, tasks[i]);
		if (ret == -ENOENT)
			return error_set(err, ret, "%d: no such process", tasks[i]);
	}
	return ret ? error_set(err, ret, "cannot take up the processes: %s", strerror(-ret)) : 0;
}

int capture_open(struct capture *capture, const pid_t *tasks, unsigned int nr, struct error *err)
{
	size_t side_band_ring = SIDE_BAND_RING;
	struct threads threads = { 0 };
	int ret;

	ret = take_tasks(capture, &threads, tasks, nr, err);
	if (ret)
		goto out;
	ret = open_sampled(capture, &threads);
	if (!ret && !capture->config.hands_off)
		ret = open_source(&capture->sources[SIDE_BAND], &threads, &side_band_ring);
	if (ret) {
		explain_open(&capture->config, !capture->per_task, ret, err);
		goto out;
	}
	describe(&capture->events[SAMPLED], &capture->sources[SAMPLED], capture->name);
	set_config(&capture->events[SAMPLED].attr, &capture->config.event);
	sample_layout_init(&capture->layout, &capture->events[SAMPLED].attr);
	if (capture->config.hands_off)
		goto out;
	describe(&capture->events[SIDE_BAND], &capture->sources[SIDE_BAND], "dummy:u");
out:
	free(threads.list);
	return ret;
}

/* Keep libperf from printing warnings */
static int no_print(enum libperf_print_level level, const char *format, va_list ap)
{
	return 0;
}

int capture_create(struct capture **ret, const struct capture_config *config, struct error *err)
{
	struct capture *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return error_set(err, -ENOMEM, "out of memory");
	libperf_init(no_print);
	c->config = *config;
	strcpy(c->name, config->event.name);
	rc = choose_cpus(c, err);
	if (!rc && event_is_pcsample(&c->config.event))
		rc = event_set_term(&c->config.event, c->config.root, "seed", config->seed, err);
	if (rc) {
		free(c);
		return rc;
	}
	c->ring_bytes = choose_ring(c);
	set_sampled(c);
	set_side_band(c);
	if (event_is_pcsample(&c->config.event))
		set_batched(c);
	*ret = c;
	return 0;
}

static bool is_event(DIR *fds, const char *fd)
{
	char file[32];
	ssize_t len = readlinkat(dirfd(fds), fd, file, sizeof(file) - 1);

	file[max(len, (ssize_t)0)] = '\0';
	return !strcmp(file, "anon_inode:[perf_event]");
}

/* The child's: keep nothing but events until @closed is at its end */
static _Noreturn void hold_events(int closed)
{
	DIR *fds = opendir("/proc/self/fd");
	struct dirent *entry;
	char byte;

	while (fds && (entry = readdir(fds))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd != closed && fd != dirfd(fds) &&
		    !is_event(fds, entry->d_name))
			close(fd);
	}
	while (read(closed, &byte, 1) > 0)
		;
	_exit(0);
}

/*
 * Where a CPU is stuck, whoever closes an event last may wait for it for ever: a kernel with
 * PREEMPT_RT waits for an RCU grace period then (irq_work_sync()). So that is left to a child, for
 * which nobody waits. It has none of this process's files but the events, as somebody may wait for
 * the end of those.
 *
 * Return: what to close when the events have been closed here; -1 if there can be no child.
 */
static int hold_events_in_child(void)
{
	int closed[2];
	pid_t pid;

	if (pipe2(closed, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		close(closed[1]);
		hold_events(closed[0]);
	}
	close(closed[0]);
	if (pid > 0)
		return closed[1];
	close(closed[1]);
	return -1;
}

void capture_destroy(struct capture *capture)
{
	int held = -1;
	unsigned int i;

	if (!capture)
		return;
	if (!cpus_empty(&capture->config.stay_off))
		held = hold_events_in_child();
	for (i = 0; i < CAPTURE_NR_EVENTS; i++)
		close_source(&capture->sources[i]);
	if (held >= 0)
		close(held);
	process_tree_deinit(&capture->tree);
	perfdata_blob_release(&capture->round);
	capture_order_deinit(&capture->side_band);
	free(capture);
}

const struct perfdata_event *capture_events(const struct capture *capture)
{
	return capture->events;
}

size_t capture_trailer(const struct capture *capture)
{
	return TRAILER_BYTES;
}

const struct cpus *capture_cpus(const struct capture *capture)
{
	return &capture->sources[SAMPLED].cpus;
}

const char *capture_unread(const struct capture *capture)
{
	return capture->unread.text;
}

const struct cpus *capture_targets(const struct capture *capture)
{
	return &capture->targets;
}

const struct capture_counts *capture_counts(const struct capture *capture)
{
	return &capture->counts;
}

size_t capture_ring_bytes(const struct capture *capture)
{
	return capture->ring_bytes;
}

/* Running */

int capture_enable(struct capture *capture, struct error *err)
{
	struct source *s = &capture->sources[SAMPLED];

	if (!s->attr.enable_on_exec && perf_evsel__enable(s->evsel))
		return error_set(err, -errno, "%s: cannot enable it: %s", capture->name,
				 strerror(errno));
	return 0;
}

void capture_disable(struct capture *capture)
{
	perf_evsel__disable(capture->sources[SAMPLED].evsel);
	capture->disabled = true;
}

/* The first words of a sample are IDENTIFIER, IP, TID, TIME */
static u64 sample_word(const struct perf_event_header *record, unsigned int i)
{
	u64 word;

	if (record->size < sizeof(*record) + (i + 1) * sizeof(word))
		return 0;
	memcpy(&word, (const u8 *)(record + 1) + i * sizeof(word), sizeof(word));
	return word;
}

u64 sample_ip(const struct perf_event_header *record)
{
	return sample_word(record, 1);
}

/* The word has pid and tid, and pid comes first: all machines that record are little-endian */
u32 sample_pid(const struct perf_event_header *record)
{
	return sample_word(record, 2);
}

static u64 sample_time(const struct perf_event_header *record)
{
	return sample_word(record, 3);
}

static void count_sample(struct capture_counts *counts, const struct perf_event_header *record)
{
	u64 time = sample_time(record);

	if (!counts->samples++ || time < counts->first)
		counts->first = time;
	if (time > counts->last)
		counts->last = time;
}

static void count(struct capture *c, const struct perf_event_header *record)
{
	if (record->type == PERF_RECORD_SAMPLE)
		count_sample(&c->counts, record);
	else
		c->counts.side_band++;
}

static void count_lost_record(struct source *s, const struct perf_event_header *record)
{
	const struct perf_record_lost *lost = (const void *)record;

	if (record->type == PERF_RECORD_LOST && record->size >= sizeof(*lost))
		s->lost_records += lost->lost;
}

/* Is it a sample of a process that is not to be sampled? */
static bool is_foreign(struct capture *c, const struct perf_event_header *record)
{
	return c->by_tree && record->type == PERF_RECORD_SAMPLE &&
	       !process_tree_has(&c->tree, sample_pid(record), sample_time(record));
}

static int deliver(struct capture *c, const struct perf_event_header *record, capture_sink sink,
		   void *arg, struct error *err)
{
	if (is_foreign(c, record)) {
		c->counts.discarded++;
		return 0;
	}
	if (c->by_tree && process_tree_note(&c->tree, record))
		return error_set(err, -ENOMEM, "out of memory for the processes to sample");
	count(c, record);
	return sink(arg, record, err);
}

/*
 * Move what the sample rings hold now to @round; of each at most the size of a ring, so that this
 * ends. The next round continues there: perf_mmap__read_done() is for rings that are overwritten,
 * and would skip what came meanwhile.
 */
static int collect_samples(struct capture *c)
{
	struct source *s = &c->sources[SAMPLED];
	union perf_event *event;
	struct perf_mmap *map;
	size_t left, size;

	c->round.size = 0;
	perf_evlist__for_each_mmap(s->evlist, map, false) {
		if (perf_mmap__read_init(map))
			continue;
		left = c->ring_bytes;
		while ((event = perf_mmap__read_event(map))) {
			size = event->header.size;
			count_lost_record(s, &event->header);
			if (!c->batched || !batch_split(&c->round, &c->layout, &event->header))
				perfdata_blob_bytes(&c->round, event, size);
			perf_mmap__consume(map);
			if (size > left)
				break;
			left -= size;
		}
	}
	return c->round.failed ? -ENOMEM : 0;
}

/* Here, too, at most the size of a ring is taken from each */
static int collect_side_band(struct capture *c)
{
	struct source *s = &c->sources[SIDE_BAND];
	union perf_event *event;
	struct perf_mmap *map;
	size_t left, size;
	int ret = 0;

	perf_evlist__for_each_mmap(s->evlist, map, false) {
		if (perf_mmap__read_init(map))
			continue;
		left = SIDE_BAND_RING;
		while (!ret && (event = perf_mmap__read_event(map))) {
			size = event->header.size;
			count_lost_record(s, &event->header);
			ret = capture_order_add(&c->side_band, &event->header);
			/* The ring of a task that is gone is unmapped when it is empty */
			perf_mmap__consume(map);
			if (size > left)
				break;
			left -= size;
		}
	}
	capture_order_sort(&c->side_band);
	return ret;
}

/*
 * Deliver the records up to the moment before the rings were read. Later ones wait: an earlier one
 * may be in a ring that had been read already. The round's samples are older than that moment.
 */
static int deliver_side_band(struct capture *c, capture_sink sink, void *arg, struct error *err)
{
	u64 until = c->disabled ? UINT64_MAX : now_ns();
	const struct perf_event_header *record;
	int ret = 0, nr = 0;

	if (!c->sources[SIDE_BAND].evlist)
		return 0;
	ret = collect_side_band(c);
	if (ret)
		return error_set(err, ret, "out of memory for side-band records");
	for (; !ret && (record = capture_order_next(&c->side_band, until)); nr++)
		ret = deliver(c, record, sink, arg, err);
	if (!ret && capture_order_drop(&c->side_band))
		ret = error_set(err, -ENOMEM, "out of memory for side-band records");
	return ret ? ret : nr;
}

static int deliver_samples(struct capture *c, capture_sink sink, void *arg, struct error *err)
{
	const struct perf_event_header *record;
	int ret = 0, nr = 0;
	size_t at;

	for (at = 0; at < c->round.size && !ret; at += record->size, nr++) {
		record = (const void *)(c->round.data + at);
		ret = deliver(c, record, sink, arg, err);
	}
	return ret ? ret : nr;
}

int capture_drain(struct capture *capture, capture_sink sink, void *arg, struct error *err)
{
	static const struct perf_event_header end_of_round = {
		.type = PERFDATA_RECORD_FINISHED_ROUND,
		.size = sizeof(end_of_round),
	};
	u64 began = now_ns();
	int side_band, samples, ret;

	ret = collect_samples(capture);
	if (ret)
		return error_set(err, ret, "out of memory for %zu bytes of samples",
				 capture->round.size);
	side_band = deliver_side_band(capture, sink, arg, err);
	if (side_band < 0)
		return side_band;
	samples = deliver_samples(capture, sink, arg, err);
	if (samples < 0)
		return samples;
	if (side_band + samples && capture_round_ends(&capture->rounds, began, now_ns()))
		ret = sink(arg, &end_of_round, err);
	return ret ? ret : side_band + samples;
}

/*
 * The rate of samples is known, and their rings are large enough for it. Side-band comes in bursts,
 * so wake up for side-band.
 *
 * poll() returns at once for an event whose task has ended: libperf 6.12 filters what to wait for,
 * but leaves the descriptor in the list. libperf does not give the descriptors, so sleep from then
 * on.
 */
static void wait_for_records(struct capture *c, int timeout_ms)
{
	const struct source *s = &c->sources[SIDE_BAND];

	if (!s->evlist) {
		poll(NULL, 0, timeout_ms);
	} else if (c->cannot_poll) {
		poll(NULL, 0, min(timeout_ms, SIDE_BAND_MS));
	} else {
		perf_evlist__poll(s->evlist, timeout_ms);
		c->cannot_poll = perf_evlist__filter_pollfd(s->evlist, POLLERR | POLLHUP) <
				 (int)nr_instances(s);
	}
}

int capture_pump(struct capture *capture, int timeout_ms, capture_sink sink, void *arg,
		 struct error *err)
{
	wait_for_records(capture, timeout_ms);
	return capture_drain(capture, sink, arg, err);
}

/* What was lost */

/*
 * A LOST record comes with the next record that finds room, so losses at the very end are only in
 * the event's own count, which kernels have since 6.0.
 */
static u64 lost_of(const struct source *s)
{
	struct perf_counts_values values;
	unsigned int i;
	u64 lost = 0;

	if (!s->evlist)
		return 0;
	if (!(s->attr.read_format & PERF_FORMAT_LOST))
		return s->lost_records;
	for (i = 0; i < nr_instances(s); i++)
		if (!read_instance(s, i, &values))
			lost += values.lost;
	return lost;
}

u64 capture_ran(const struct capture *capture)
{
	const struct source *s = &capture->sources[SAMPLED];
	struct perf_counts_values values;
	unsigned int i;
	u64 ran = 0;

	for (i = 0; capture->per_task && i < nr_instances(s); i++)
		if (!read_instance(s, i, &values))
			ran += values.run;
	return ran;
}

u64 capture_lost(const struct capture *capture)
{
	return lost_of(&capture->sources[SAMPLED]) + lost_of(&capture->sources[SIDE_BAND]);
}

int capture_tell_lost(struct capture *capture, capture_sink sink, void *arg, struct error *err)
{
	struct {
		struct perf_event_header header;
		u64 lost;
		u64 trailer[TRAILER_BYTES / sizeof(u64)];
	} record = { .header = { .type = PERF_RECORD_LOST_SAMPLES, .size = sizeof(record) } };
	unsigned int i;
	int ret = 0;

	for (i = 0; i < CAPTURE_NR_EVENTS && !ret; i++) {
		record.lost = lost_of(&capture->sources[i]);
		record.trailer[TRAILER_BYTES / sizeof(u64) - 1] = capture->sources[i].ids[0];
		if (record.lost)
			ret = sink(arg, &record.header, err);
	}
	return ret;
}
