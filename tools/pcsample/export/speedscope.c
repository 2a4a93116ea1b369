// SPDX-License-Identifier: GPL-2.0-only
/*
 * speedscope's own format: what each CPU did, as a profile of its own, in the order of time.
 */
#include <stdio.h>

#include "export/job.h"
#include "profile/recording.h"

/* A CPU was in a stack for @length; STACK_ROOT if nothing is known */
struct run {
	u64 length;
	u32 node;
};

/*
 * The time line of a CPU. A sample is shown for its period, from its time on, or from the end of
 * the previous sample (@end) if that is later. So the time of a function is that of its samples,
 * and dither does not make holes. A hole is shown only if there was no sample for more than a
 * period.
 */
struct lane {
	u32 cpu;
	u64 end;
	struct run *run;
	size_t nr, cap;
};

struct speedscope {
	struct stacks stacks;
	u32 *frame;		/* by node */
	bool in_ns;
	u64 start;
	struct lane *lane;
	size_t nr, cap;
	struct idmap by_cpu;
};

static struct lane *lane_of(struct speedscope *sp, u32 cpu)
{
	u32 index = idmap_element(&sp->by_cpu, cpu, &sp->lane, &sp->nr, &sp->cap);

	if (index == IDMAP_NONE)
		return NULL;
	sp->lane[index].cpu = cpu;
	return &sp->lane[index];
}

static int extend(struct lane *lane, u32 node, u64 length)
{
	lane->end += length;
	if (lane->nr && lane->run[lane->nr - 1].node == node) {
		lane->run[lane->nr - 1].length += length;
		return 0;
	}
	if (mem_grow(&lane->run, &lane->cap, lane->nr + 1))
		return -ENOMEM;
	lane->run[lane->nr++] = (struct run){ length, node };
	return 0;
}

static int take_sample(void *ctx, const struct sample_seen *sample)
{
	u64 at = sample->x.time, period = sample->weight;
	struct speedscope *sp = ctx;
	struct lane *lane;
	u32 node;

	lane = lane_of(sp, sample->x.cpu);
	if (!lane || stacks_add(&sp->stacks, sample, &node))
		return -ENOMEM;
	at = at > sp->start ? at - sp->start : 0;
	if (sp->in_ns && at > lane->end + period && extend(lane, STACK_ROOT, at - lane->end))
		return -ENOMEM;
	return extend(lane, node, period);
}

static u64 frame_hash(const struct stack_node *n)
{
	return hash64((u64)n->level << 62 | (u64)n->dso << 32 | n->text);
}

/* @first: for each frame, the first node that has it */
struct frames {
	const struct stack_node *node;
	u32 *first;
	size_t nr, cap;
	struct numbers numbers;
};

static u64 frame_hash_at(const void *frames, u32 index)
{
	const struct frames *f = frames;

	return frame_hash(&f->node[f->first[index]]);
}

static bool same_frame(const void *frames, u32 index, const void *key)
{
	const struct frames *f = frames;
	const struct stack_node *a = &f->node[f->first[index]], *b = key;

	return a->text == b->text && a->level == b->level && a->dso == b->dso;
}

/* print_frames() needs frames to be numbered in the order of their first nodes */
static int find_frame(struct frames *f, u32 node, u32 *frame)
{
	u64 hash = frame_hash(&f->node[node]);

	*frame = numbers_find(&f->numbers, hash, same_frame, f, &f->node[node]);
	if (*frame != NUMBERS_NONE)
		return 0;
	*frame = f->nr;
	if (mem_grow(&f->first, &f->cap, f->nr + 1) ||
	    numbers_add(&f->numbers, hash, frame_hash_at, f))
		return -ENOMEM;
	f->first[f->nr++] = node;
	return 0;
}

/* A function is the same frame in all processes, so that the viewer can add up its times */
static int find_frames(struct speedscope *sp)
{
	struct frames f = { .node = sp->stacks.node };
	u32 i;
	int ret = 0;

	sp->frame = calloc(sp->stacks.nr + 1, sizeof(*sp->frame));
	if (!sp->frame)
		return -ENOMEM;
	for (i = 0; i < sp->stacks.nr && !ret; i++)
		ret = find_frame(&f, i, &sp->frame[i]);
	numbers_deinit(&f.numbers);
	free(f.first);
	return ret;
}

static void print_frames(struct json *j, const struct speedscope *sp)
{
	const struct stack_node *node;
	u32 i, next = 0;

	json_object(j, "shared");
	json_array(j, "frames");
	for (i = 0; i < sp->stacks.nr; i++) {
		node = &sp->stacks.node[i];
		if (sp->frame[i] != next)
			continue;
		next++;
		json_object(j, NULL);
		json_string(j, "name", stacks_text(&sp->stacks, i));
		if (node->level != STACK_PROCESS)
			json_string(j, "file", session_dso(sp->stacks.s, node->dso)->path);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static void print_stack(struct json *j, struct speedscope *sp, u32 node)
{
	const u32 *path;
	size_t nr, i;

	if (node == STACK_ROOT)
		return;
	path = stacks_path(&sp->stacks, node, &nr);
	for (i = 0; i < nr; i++)
		json_u64(j, NULL, sp->frame[path[i]]);
}

static void print_lane(struct json *j, struct speedscope *sp, const struct lane *lane)
{
	char name[32];
	size_t i;

	snprintf(name, sizeof(name), "CPU %u", lane->cpu);
	json_object(j, NULL);
	json_string(j, "type", "sampled");
	json_string(j, "name", lane->cpu == NO_CPU ? "all CPUs" : name);
	json_string(j, "unit", sp->in_ns ? "nanoseconds" : "none");
	json_u64(j, "startValue", 0);
	json_u64(j, "endValue", lane->end);
	json_array(j, "samples");
	for (i = 0; i < lane->nr; i++) {
		json_array(j, NULL);
		print_stack(j, sp, lane->run[i].node);
		json_array_end(j);
	}
	json_array_end(j);
	json_array(j, "weights");
	for (i = 0; i < lane->nr; i++)
		json_u64(j, NULL, lane->run[i].length);
	json_array_end(j);
	json_object_end(j);
}

static int by_cpu(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void print_file(struct out *o, const struct export_job *job, struct speedscope *sp)
{
	struct json j = { .o = o };
	size_t i;

	qsort(sp->lane, sp->nr, sizeof(*sp->lane), by_cpu);
	json_object(&j, NULL);
	json_string(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_string(&j, "exporter", "pcsample");
	json_string(&j, "name", session_path(job->s));
	json_u64(&j, "activeProfileIndex", 0);
	print_frames(&j, sp);
	json_array(&j, "profiles");
	for (i = 0; i < sp->nr; i++)
		print_lane(&j, sp, &sp->lane[i]);
	json_array_end(&j);
	json_end(&j);
}

int export_speedscope(const struct export_job *job, struct out *o, struct error *err)
{
	struct speedscope sp = {
		.in_ns = recording_in_ns(session_event(job->s, job->event)),
		.start = job->total->first,
	};
	size_t i;
	int ret;

	stacks_init(&sp.stacks, job->s, STACK_PROCESS, job->inlined, job->chains,
		    job->demangle);
	ret = each_sample(job->s, job->event, job->filter, take_sample, &sp);
	if (!ret)
		ret = find_frames(&sp);
	if (!ret)
		print_file(o, job, &sp);
	free(sp.frame);
	for (i = 0; i < sp.nr; i++)
		free(sp.lane[i].run);
	free(sp.lane);
	idmap_deinit(&sp.by_cpu);
	stacks_deinit(&sp.stacks);
	return ret ? error_set(err, ret, "out of memory") : 0;
}
