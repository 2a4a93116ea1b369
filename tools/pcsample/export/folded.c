// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folded stacks: a line for each stack, with its frames joined by semicolons and the weighted
 * number of its samples, or their weight.
 */
#include "base/utf8.h"
#include "export/job.h"

struct folded {
	struct stacks stacks;
	u64 *weight;		/* by node */
	size_t cap;
};

static int count_sample(void *ctx, const struct sample_seen *sample)
{
	struct folded *f = ctx;
	size_t before = f->cap;
	u32 node;

	if (stacks_add(&f->stacks, sample, &node) ||
	    mem_grow(&f->weight, &f->cap, f->stacks.nr))
		return -ENOMEM;
	memset(f->weight + before, 0, (f->cap - before) * sizeof(*f->weight));
	f->weight[node] += sample->weight;
	return 0;
}

/*
 * A semicolon would end the frame, and a newline the stack. Readers that take the file for UTF-8
 * (inferno, Python) refuse all of it for a byte that is none.
 */
static void print_frame(struct out *o, const char *text)
{
	unsigned int n;

	for (; *text; text += n ? n : 1) {
		n = utf8_printable_length(text);
		if (*text == ';')
			out_char(o, ':');
		else if (!n)
			out_char(o, '?');
		else
			out_bytes(o, text, n);
	}
}

static void print_stack(struct out *o, struct stacks *st, u32 node)
{
	size_t nr, i;
	const u32 *path = stacks_path(st, node, &nr);

	for (i = 0; i < nr; i++) {
		if (i)
			out_char(o, ';');
		print_frame(o, stacks_text(st, path[i]));
	}
}

int export_folded(const struct export_job *job, struct out *o, struct error *err)
{
	u64 unit = export_count_weight(job);
	struct folded f = { 0 };
	u32 node;
	int ret;

	stacks_init(&f.stacks, job->s, STACK_PROCESS, job->inlined, job->chains,
		    job->demangle);
	ret = each_sample(job->s, job->event, job->filter, count_sample, &f);
	for (node = 0; !ret && node < f.stacks.nr; node++) {
		if (!f.weight[node])
			continue;
		print_stack(o, &f.stacks, node);
		out_char(o, ' ');
		out_u64(o, max((f.weight[node] + unit / 2) / unit, (u64)1), 0);
		out_char(o, '\n');
	}
	stacks_deinit(&f.stacks);
	free(f.weight);
	return ret ? error_set(err, ret, "out of memory") : 0;
}
