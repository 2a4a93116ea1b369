// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page that shows a recording and needs only a browser: export/page/, with the data in it.
 *
 * The page has three tables of counted samples. Counts by block of the recording and stack are for
 * the whole recording, with the report's intervals, which come from the spread over these blocks
 * (profile/stats.h). Counts by time slot, CPU and stack are for a part of the time or of the CPUs,
 * with intervals from the spread over the slots. Counts by CPU, time and mode are for the strip
 * that shows what each CPU did when, which can be finer. A single table by all of these would have
 * nearly as many entries as there are samples.
 */
#include "base/radix.h"
#include "export/job.h"
#include "profile/rows.h"

/*
 * Columns of the time strip: as many as a wide screen has pixels; fewer if a CPU would have less
 * than COLUMN_SAMPLES samples in a column, so that a pause could not be told from chance, or if all
 * CPUs together would have more than STRIP_MAX columns. A slot is a number of columns: there are at
 * most SLOTS, and half as many again and again while there are more than CELLS_MAX counts.
 */
#define COLUMNS		4096
#define COLUMNS_MIN	16
#define COLUMN_SAMPLES	16
#define STRIP_MAX	200000
#define SLOTS		256
#define SLOTS_MIN	16
#define CELLS_MAX	400000
/*
 * Functions that a page shows. The others, those with the fewest samples, are merged into one for
 * each object, or, with call chains, into one for each caller, with all that they call. If only one
 * function of an object has few samples it is shown: merging it would save nothing.
 */
#define FUNCTIONS_MAX	20000

#define NOT_SHOWN	(~0U)

/* A count of the samples that have the same key */
struct cell {
	u64 key;	/* first: radix_sort(), numbers_get() */
	u64 samples;
	u64 weight;	/* sum of their periods */
};

struct counts {
	struct cell *cell;
	size_t nr, cap;
	struct numbers by_key;
};

/* Keys. Of blocks: block, node. Of slots: slot, CPU, node. Of the strip: CPU, column, mode */
#define BLOCK_SHIFT	32
#define SLOT_SHIFT	48
#define CPU_SHIFT	32
#define LANE_SHIFT	24
#define COLUMN_SHIFT	8

_Static_assert(COLUMNS <= 1 << (LANE_SHIFT - COLUMN_SHIFT), "a field of a key");

struct page {
	const struct export_job *job;
	struct stacks stacks;
	u64 first, column_ns;
	unsigned int columns, slot_columns, slots;
	struct counts blocks, slot, strip;
	double n, weight, weight_squares;	/* of all samples: see profile/stats.h */
	u64 *samples;		/* of each node; with call chains, also of all nodes below it */
	u32 *shown_as;		/* for each node, the node that it is merged into, or itself */
	u32 *number;		/* of each node in the page */
};

/* Counting */

static int count(struct counts *c, u64 key, u64 weight)
{
	const struct cell new = { key, 0, 0 };
	u32 i = numbers_get(&c->by_key, &c->cell, &c->cap, key, &new);

	if (i == NUMBERS_NONE)
		return -ENOMEM;
	c->nr = c->by_key.nr;
	c->cell[i].samples++;
	c->cell[i].weight += weight;
	return 0;
}

static void counts_deinit(struct counts *c)
{
	numbers_deinit(&c->by_key);
	free(c->cell);
}

static int count_sample(void *ctx, const struct sample_seen *sample)
{
	struct page *page = ctx;
	u64 column, cpu = min(sample->x.cpu, (u32)NO_CPU);
	u32 node;

	if (stacks_add(&page->stacks, sample, &node))
		return -ENOMEM;
	column = (max(sample->x.time, page->first) - page->first) / page->column_ns;
	column = min(column, (u64)page->columns - 1);
	if (count(&page->blocks, (u64)sample->block << BLOCK_SHIFT | node, sample->weight) ||
	    count(&page->slot, column / page->slot_columns << SLOT_SHIFT | cpu << CPU_SHIFT | node,
		  sample->weight) ||
	    count(&page->strip, cpu << LANE_SHIFT | column << COLUMN_SHIFT |
		  page->stacks.node[node].mode, sample->weight))
		return -ENOMEM;
	page->n++;
	page->weight += sample->weight;
	page->weight_squares += (double)sample->weight * sample->weight;
	return 0;
}

/* Sort the cells, and merge those that have the same key */
static int merge_cells(struct counts *c)
{
	size_t i, n = 0;

	if (radix_sort((void **)&c->cell, c->nr, c->cap, sizeof(*c->cell)))
		return -ENOMEM;
	for (i = 0; i < c->nr; i++) {
		if (n && c->cell[n - 1].key == c->cell[i].key) {
			c->cell[n - 1].samples += c->cell[i].samples;
			c->cell[n - 1].weight += c->cell[i].weight;
		} else {
			c->cell[n++] = c->cell[i];
		}
	}
	c->nr = n;
	return 0;
}

/* Leaving out */

static u32 node_of(const struct cell *cell)
{
	return cell->key;
}

/*
 * Functions with fewer samples than @least are merged. If there are too many functions with as many
 * samples as the smallest that could be shown (mostly one), all of these are merged.
 */
static int least_samples(const struct page *page, u64 *least)
{
	size_t i, n = 0;
	u64 *sorted;

	*least = 0;
	for (i = 0; i < page->stacks.nr; i++)
		n += !!page->samples[i];
	if (n <= FUNCTIONS_MAX)
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0, n = 0; i < page->stacks.nr; i++)
		if (page->samples[i])
			sorted[n++] = page->samples[i];
	qsort(sorted, n, sizeof(*sorted), by_first_u64);
	*least = sorted[n - FUNCTIONS_MAX - 1] + 1;
	free(sorted);
	return 0;
}

static int count_nodes(struct page *page)
{
	const struct stacks *st = &page->stacks;
	size_t i;

	page->samples = calloc(st->nr + 1, sizeof(*page->samples));
	page->shown_as = calloc(st->nr + 1, sizeof(*page->shown_as));
	if (!page->samples || !page->shown_as)
		return -ENOMEM;
	for (i = 0; i < page->blocks.nr; i++)
		page->samples[node_of(&page->blocks.cell[i])] += page->blocks.cell[i].samples;
	for (i = st->nr; st->chains && i--; )
		if (st->node[i].parent != STACK_ROOT)
			page->samples[st->node[i].parent] += page->samples[i];
	return 0;
}

/* The node that @node is merged into since its caller is: callers come before what they call */
static u32 node_around(const struct page *page, u32 node)
{
	u32 parent = page->stacks.node[node].parent;

	if (!page->stacks.chains || parent == STACK_ROOT || page->shown_as[parent] == parent)
		return node;
	return page->shown_as[parent];
}

/*
 * Number the nodes that the page shows: those that are not merged, the nodes "[other]", which are
 * those from @nr on, and the parents of both, which come before them
 */
static int number_nodes(struct page *page, size_t nr)
{
	const struct stacks *st = &page->stacks;
	u32 next = 0, *number;
	size_t i;

	number = reallocarray(page->number, st->nr + 1, sizeof(*page->number));
	if (!number)
		return -ENOMEM;
	page->number = number;
	for (i = 0; i < st->nr; i++)
		page->number[i] = i >= nr || page->shown_as[i] == i ? 0 : NOT_SHOWN;
	for (i = st->nr; i--; )
		if (page->number[i] != NOT_SHOWN && st->node[i].parent != STACK_ROOT)
			page->number[st->node[i].parent] = 0;
	for (i = 0; i < st->nr; i++)
		if (page->number[i] != NOT_SHOWN)
			page->number[i] = next++;
	return 0;
}

/* Give the counts of merged nodes to the nodes that they are merged into */
static void count_as_shown(const struct page *page, struct counts *c)
{
	struct cell *cell;

	for (cell = c->cell; cell < c->cell + c->nr; cell++)
		cell->key = (cell->key & ~0ULL << CPU_SHIFT) | page->shown_as[node_of(cell)];
}

static bool has_few(const struct page *page, u32 node, u64 least)
{
	return page->samples[node] && page->samples[node] < least;
}

/* Is it the only child of its parent with few samples? count_few() has put their number there */
static bool is_alone(const struct page *page, u32 node)
{
	u32 parent = page->stacks.node[node].parent;

	return !page->stacks.chains && parent != STACK_ROOT && page->number[parent] == 1;
}

static int count_few(struct page *page, u64 least)
{
	const struct stack_node *node = page->stacks.node;
	size_t i;

	page->number = calloc(page->stacks.nr + 1, sizeof(*page->number));
	if (!page->number)
		return -ENOMEM;
	for (i = 0; i < page->stacks.nr; i++)
		if (node[i].parent != STACK_ROOT && has_few(page, i, least))
			page->number[node[i].parent]++;
	return 0;
}

static int put_together(struct page *page)
{
	size_t nr = page->stacks.nr, i;
	u64 least;
	u32 node;

	if (count_nodes(page) || least_samples(page, &least) || count_few(page, least))
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		node = node_around(page, i);
		if (node == i && has_few(page, i, least) && !is_alone(page, i) &&
		    stacks_add_other(&page->stacks, i, &node))
			return -ENOMEM;
		page->shown_as[i] = node;
	}
	count_as_shown(page, &page->blocks);
	count_as_shown(page, &page->slot);
	return number_nodes(page, nr);
}

static int halve_slots(struct page *page)
{
	const u64 low = (1ULL << SLOT_SHIFT) - 1;
	struct cell *c;

	for (c = page->slot.cell; c < page->slot.cell + page->slot.nr; c++)
		c->key = (c->key >> SLOT_SHIFT) / 2 << SLOT_SHIFT | (c->key & low);
	page->slots = (page->slots + 1) / 2;
	page->slot_columns *= 2;
	return merge_cells(&page->slot);
}

static void divide_time(struct page *page)
{
	const struct export_job *job = page->job;
	/* Samples of tasks may have no CPU */
	unsigned int cpus = max(job->total->cpus_seen, 1U);
	u64 most = min(STRIP_MAX / cpus, (unsigned int)COLUMNS);
	u64 columns = min(job->samples / cpus / COLUMN_SAMPLES, most);

	page->first = job->total->first;
	page->columns = max(columns, (u64)COLUMNS_MIN);
	page->column_ns = (job->total->last - job->total->first) / page->columns + 1;
	page->slot_columns = (page->columns - 1) / SLOTS + 1;
	page->slots = (page->columns - 1) / page->slot_columns + 1;
}

static int collect(struct page *page)
{
	const struct export_job *job = page->job;
	int ret;

	divide_time(page);
	ret = each_sample(job->s, job->event, job->filter, count_sample, page);
	/* put_together() changes the nodes in keys, so the indexes are not valid any more */
	numbers_deinit(&page->blocks.by_key);
	numbers_deinit(&page->slot.by_key);
	if (!ret)
		ret = put_together(page);
	if (ret || merge_cells(&page->blocks) || merge_cells(&page->slot) ||
	    merge_cells(&page->strip))
		return -ENOMEM;
	while (!ret && page->slot.nr > CELLS_MAX && page->slots > SLOTS_MIN)
		ret = halve_slots(page);
	return ret;
}

/* The data */

static void print_nodes(struct json *j, const struct page *page)
{
	const struct stacks *st = &page->stacks;
	const struct stack_node *node;
	size_t i;

	json_array(j, "texts");
	for (i = 0; i < st->texts.nr; i++)
		json_string(j, NULL, intern_text(&st->texts, i));
	json_array_end(j);
	/* of each node: parent + 1, text, level, object, mode */
	json_array(j, "nodes");
	for (i = 0; i < st->nr; i++) {
		node = &st->node[i];
		if (page->number[i] == NOT_SHOWN)
			continue;
		json_u64(j, NULL, node->parent == STACK_ROOT ? 0 : page->number[node->parent] + 1);
		json_u64(j, NULL, node->text);
		json_u64(j, NULL, node->level);
		json_u64(j, NULL, node->dso);
		json_u64(j, NULL, node->mode);
	}
	json_array_end(j);
}

static void print_objects(struct json *j, const struct session *s, bool named)
{
	char id[BUILD_ID_HEX];
	const struct dso *dso;
	size_t i;

	json_array(j, "objects");
	for (i = 0; i < session_dsos(s); i++) {
		dso = session_dso(s, i);
		json_object(j, NULL);
		json_string(j, "path", dso->path);
		if (named)
			json_string(j, "name", dso->name);
		if (dso->build_id.size)
			json_string(j, "build_id", build_id_hex(&dso->build_id, id));
		if (dso_problem(dso)[0])
			json_string(j, "problem", dso_problem(dso));
		json_object_end(j);
	}
	json_array_end(j);
}

/* How many cells from @i on have the same key, apart from its lowest @shift bits? */
static size_t alike(const struct counts *c, size_t i, unsigned int shift)
{
	size_t end = i + 1;

	while (end < c->nr && c->cell[end].key >> shift == c->cell[i].key >> shift)
		end++;
	return end - i;
}

/* The number of stacks, and each of these with its samples and their weight in samples */
static size_t print_stacks(struct json *j, const struct page *page, const struct counts *c,
			   size_t i)
{
	double unit = export_sample_weight(page->job);
	size_t end = i + alike(c, i, CPU_SHIFT);

	json_u64(j, NULL, end - i);
	for (; i < end; i++) {
		json_u64(j, NULL, page->number[node_of(&c->cell[i])]);
		json_u64(j, NULL, c->cell[i].samples);
		json_fixed(j, NULL, c->cell[i].weight / unit, 2);
	}
	return end;
}

static void print_blocks(struct json *j, const struct page *page)
{
	const struct counts *c = &page->blocks;
	size_t i;

	json_array(j, "blocks");
	for (i = 0; i < c->nr; i = print_stacks(j, page, c, i))
		json_u64(j, NULL, c->cell[i].key >> BLOCK_SHIFT);
	json_array_end(j);
}

static void print_slots(struct json *j, const struct page *page)
{
	const struct counts *c = &page->slot;
	size_t i;

	json_array(j, "cells");
	for (i = 0; i < c->nr; i = print_stacks(j, page, c, i)) {
		json_u64(j, NULL, c->cell[i].key >> SLOT_SHIFT);
		json_u64(j, NULL, c->cell[i].key >> CPU_SHIFT & 0xffff);
	}
	json_array_end(j);
}

/* CPU, number of counts, and for each count the column, the mode and the weight in samples */
static void print_strip(struct json *j, const struct page *page)
{
	double unit = export_sample_weight(page->job);
	const struct counts *c = &page->strip;
	size_t i, n;

	json_array(j, "strip");
	for (i = 0; i < c->nr;) {
		n = alike(c, i, LANE_SHIFT);
		json_u64(j, NULL, c->cell[i].key >> LANE_SHIFT);
		json_u64(j, NULL, n);
		for (; n--; i++) {
			json_u64(j, NULL, c->cell[i].key >> COLUMN_SHIFT & 0xffff);
			json_u64(j, NULL, c->cell[i].key & 0xff);
			json_fixed(j, NULL, c->cell[i].weight / unit, 2);
		}
	}
	json_array_end(j);
}

/* Weights by Exception level, Security state and VMID, if the samples have these */
static void print_levels(struct json *j, const struct export_job *job)
{
	const struct hist *h = &job->total->hist;
	struct place p;
	size_t i;

	json_array(j, "levels");
	for (i = 0; i < h->nr; i++) {
		aggregate_place(h, hist_entry(h, i)->key, &p);
		if (p.event != job->event || p.el == NO_EL)
			continue;
		json_object(j, NULL);
		if (p.el != EL_NOT_KNOWN)
			json_u64(j, "el", p.el);
		json_string(j, "state", report_state(p.state));
		report_json_vmid(j, p.vmid);
		json_u64(j, "weight", hist_entry(h, i)->weight);
		json_object_end(j);
	}
	json_array_end(j);
}

/* The square of the coefficient of variation of the weights */
static double weight_variation(const struct page *page)
{
	double square = page->weight * page->weight;

	return square > 0 ? max(0.0, page->n * page->weight_squares / square - 1) : 0;
}

/* Names of the events in the page, in their order */
static void print_names(struct json *j, const struct export_job *job)
{
	size_t i;

	json_array(j, "events");
	for (i = 0; i < job->nr_events; i++)
		json_string(j, NULL, session_event(job->s, job->events[i])->name);
	json_array_end(j);
}

static void print_data(struct out *o, const struct page *page)
{
	struct json j;

	json_begin(&j, o, "pcsample-page", 3);
	json_object(&j, "recording");
	export_recording(&j, page->job);
	json_object_end(&j);
	if (page->job->nr_events > 1)
		print_names(&j, page->job);
	json_u64(&j, "columns", page->columns);
	json_u64(&j, "column_ns", page->column_ns);
	json_u64(&j, "slots", page->slots);
	json_u64(&j, "slot_columns", page->slot_columns);
	json_fixed(&j, "weight_variation", weight_variation(page), 6);
	if (page->job->chains)
		json_bool(&j, "chains", true);
	print_nodes(&j, page);
	/* With chains, no frame has the object's name */
	print_objects(&j, page->job->s, page->job->chains);
	print_blocks(&j, page);
	print_slots(&j, page);
	print_strip(&j, page);
	print_levels(&j, page->job);
	json_end(&j);
}

/*
 * The page: the files of export/page/. The symbols are hidden: a position-independent program would
 * else take their addresses from its global offset table, where GNU ld for arm64 makes one entry
 * for all local symbols of a section, and each part would be empty.
 */

#define PART(name, file)						\
	asm(".pushsection .rodata\n"					\
	    "part_" #name ": .incbin \"" PAGE_DIR "/" file "\"\n"	\
	    "part_" #name "_end: .byte 0\n"				\
	    ".popsection\n");						\
	extern const char __attribute__((visibility("hidden")))		\
		part_##name[], part_##name##_end[]

PART(html, "page.html");
PART(css, "page.css");
PART(js, "page.js");

#define out_part(o, name) out_bytes(o, part_##name, part_##name##_end - part_##name)

static int print_event(const struct export_job *job, struct out *o)
{
	struct page page = { .job = job };
	int ret;

	stacks_init(&page.stacks, job->s, STACK_PROCESS, job->inlined, job->chains,
		    job->demangle);
	ret = collect(&page);
	if (!ret)
		print_data(o, &page);
	stacks_deinit(&page.stacks);
	counts_deinit(&page.blocks);
	counts_deinit(&page.slot);
	counts_deinit(&page.strip);
	free(page.samples);
	free(page.shown_as);
	free(page.number);
	return ret;
}

/* Each event has an element of its own; the page reads only the one that is shown */
static int print_events(const struct export_job *job, struct out *o)
{
	struct export_job of;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < job->nr_events; i++) {
		out_text(o, "<script type=\"application/json\" class=\"event\"");
		out_text(o, i ? ">" : " id=\"data\">");
		of = export_of_event(job, job->events[i]);
		ret = print_event(&of, o);
		out_text(o, "</script>\n");
	}
	return ret;
}

/* page.html has marks, "@@CSS@@" and the like, where the other parts are inserted */
int export_html(const struct export_job *job, struct out *o, struct error *err)
{
	const char *p = part_html, *mark;
	int ret = 0;

	for (; !ret && (mark = strstr(p, "@@")); p = strstr(mark + 2, "@@") + 2) {
		out_bytes(o, p, mark - p);
		if (!strncmp(mark, "@@CSS@@", 7))
			out_part(o, css);
		else if (!strncmp(mark, "@@JS@@", 6))
			out_part(o, js);
		else
			ret = print_events(job, o);
	}
	out_text(o, p);
	return ret ? error_set(err, ret, "out of memory") : 0;
}
