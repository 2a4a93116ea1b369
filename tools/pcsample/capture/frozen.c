// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cpu-progress.h"
#include "capture/frozen.h"
#include "perfdata/sample.h"

/*
 * A CPU is frozen if all samples say "idle" although it was busy for at least half of the time, or
 * the other way round. Were each of 100 samples such by chance, with probability 1/2, all would be
 * with 1 in 10^30. But successive reads see the same thing, so it takes 100 changes rather than 100
 * samples: a second of accounted time is required, too.
 */
#define FROZEN_SAMPLES	100
#define FROZEN_TICKS	100	/* sysconf(_SC_CLK_TCK) is 100 on every current system */
#define FROZEN_PERCENT	50

/* Samples of one CPU */
struct seen {
	u64 samples;
	bool moved;	/* they are of several tasks */
	u32 tid;	/* of the latest */
};

struct frozen_watch {
	struct sample_layout layout;
	const char *root;
	struct liveness before;
	struct seen *seen;	/* by CPU, CPUS_MAX of them */
};

int frozen_watch_create(struct frozen_watch **ret, const struct perf_event_attr *attr,
			const char *root, struct error *err)
{
	struct frozen_watch *w = calloc(1, sizeof(*w));
	int rc;

	if (w)
		w->seen = calloc(CPUS_MAX, sizeof(*w->seen));
	if (!w || !w->seen) {
		frozen_watch_destroy(w);
		return error_set(err, -ENOMEM, "out of memory");
	}
	w->root = root;
	sample_layout_init(&w->layout, attr);
	rc = liveness_read(&w->before, root, err);
	if (rc) {
		frozen_watch_destroy(w);
		return rc;
	}
	*ret = w;
	return 0;
}

void frozen_watch_note(struct frozen_watch *w, const struct perf_event_header *record)
{
	const struct sample_layout *l = &w->layout;
	const u8 *rec = (const u8 *)record;
	struct seen *seen;
	u32 cpu, tid;

	if (record->type != PERF_RECORD_SAMPLE || record->size < l->size || !l->cpu || !l->tid)
		return;
	cpu = load32(rec + l->cpu);
	tid = load32(rec + l->tid + 4);
	if (cpu >= CPUS_MAX)
		return;
	seen = &w->seen[cpu];
	if (seen->samples++ && seen->tid != tid)
		seen->moved = true;
	seen->tid = tid;
}

/* Time accounted to @cpu since the watch began */
static u64 ticks(const struct frozen_watch *w, const struct liveness *now, unsigned int cpu)
{
	if (cpu >= w->before.nr || cpu >= now->nr)
		return 0;
	return now->busy[cpu] - w->before.busy[cpu] + now->idle[cpu] - w->before.idle[cpu];
}

static bool can_tell(const struct frozen_watch *w, const struct liveness *now, unsigned int cpu)
{
	return w->seen[cpu].samples >= FROZEN_SAMPLES && ticks(w, now, cpu) >= FROZEN_TICKS;
}

void frozen_watch_undecided(const struct frozen_watch *w, const struct cpus *cpus,
			    struct cpus *undecided)
{
	struct liveness now;
	struct error err;
	int cpu;

	memset(undecided, 0, sizeof(*undecided));
	if (liveness_read(&now, w->root, &err)) {
		*undecided = *cpus;
		return;
	}
	cpus_for_each(cpu, cpus)
		if (!can_tell(w, &now, cpu))
			cpus_add(undecided, cpu);
	liveness_deinit(&now);
}

static unsigned int percent(u64 part, u64 whole)
{
	return whole ? part * 100 / whole : 0;
}

static void look_at(const struct frozen_watch *w, const struct liveness *after, unsigned int cpu,
		    void (*tell)(void *arg, unsigned int cpu, const char *text), void *arg)
{
	const struct seen *seen = &w->seen[cpu];
	u64 busy = after->busy[cpu] - w->before.busy[cpu];
	u64 idle = after->idle[cpu] - w->before.idle[cpu];
	unsigned int against;
	char text[256];

	/* The tid is -1 for a task that has exited, and for code outside this kernel. */
	if (seen->moved || !can_tell(w, after, cpu) || seen->tid == -1U)
		return;
	against = percent(seen->tid ? idle : busy, busy + idle);
	if (against < FROZEN_PERCENT)
		return;
	if (seen->tid)
		snprintf(text, sizeof(text),
			 "CPU %u: all %llu samples are of task %u, though it was idle for %u %% of the time: its registers are frozen, do not believe these samples",
			 cpu, (unsigned long long)seen->samples, seen->tid, against);
	else
		snprintf(text, sizeof(text),
			 "CPU %u: all %llu samples are idle, though it was busy for %u %% of the time: its registers are frozen, do not believe these samples",
			 cpu, (unsigned long long)seen->samples, against);
	tell(arg, cpu, text);
}

void frozen_watch_end(struct frozen_watch *w,
		      void (*tell)(void *arg, unsigned int cpu, const char *text), void *arg)
{
	struct liveness after;
	struct error err;
	unsigned int cpu;

	if (liveness_read(&after, w->root, &err))
		return;
	for (cpu = 0; cpu < w->before.nr && cpu < after.nr; cpu++)
		look_at(w, &after, cpu, tell, arg);
	liveness_deinit(&after);
}

void frozen_watch_destroy(struct frozen_watch *w)
{
	if (!w)
		return;
	liveness_deinit(&w->before);
	free(w->seen);
	free(w);
}
