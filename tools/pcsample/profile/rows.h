/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a report, and the text of each column.
 */
#ifndef PCSAMPLE_PROFILE_ROWS_H
#define PCSAMPLE_PROFILE_ROWS_H

#include "base/json.h"
#include "base/name-list.h"
#include "profile/aggregate.h"
#include "symbols/names.h"

/**
 * struct report_filter - which rows to show; NULL lists mean all
 * @comms, @dsos, @symbols: names. A DSO is named as in the report, or by its path; a symbol as in
 *	the report, or as in its file.
 * @named: only code with a symbol; of branches, at both ends
 * @least: smallest share
 */
struct report_filter {
	struct name_list *comms;
	struct name_list *dsos;
	struct name_list *symbols;
	bool named;
	double least;
};

/* Free the lists */
void report_filter_deinit(struct report_filter *f);

/**
 * struct report - the rows of one event, largest first
 * @rows: the histogram of the rows: a->callers with BY_CALLERS, else a->hist
 * @row: entries of @rows
 * @weight: of all samples of the event, shown or not
 * @samples: of the event, shown or not
 * @nr_small: rows behind the last one, with less than the filter's least share
 * @others: those of the event that can be in no row
 * @blocks: for the intervals of the event's shares
 * @dso_text: private: of report_tell_apart()
 */
struct report {
	struct session *s;
	const struct aggregate *a;
	const struct hist *rows;
	struct names names;
	struct report_row {
		u64 key;	/* for sorting: first, as radix_sort() wants it */
		u32 entry;
		u32 dso : 31;	/* these two of the entry's key: it is in a far cache line */
		u32 named : 1;
	} *row;
	size_t nr, nr_small;
	u64 weight;
	u64 samples;
	struct aggregate_others others;
	struct stats_blocks blocks;
	char **dso_text;
};

/**
 * report_init() - collect and sort the rows of an event
 * @event: index, or -1 if all samples are of one event
 *
 * Rows of equal weight are in the order of their first samples.
 *
 * Return: 0 or -ENOMEM.
 */
int report_init(struct report *r, struct session *s, const struct aggregate *a, int event,
		const struct report_filter *filter, bool demangle);
void report_deinit(struct report *r);

/* With BY_CALLERS these also count samples in what the row's code called */
static inline const struct hist_entry *report_entry(const struct report *r, size_t i)
{
	return hist_entry(r->rows, r->row[i].entry);
}

static inline const struct hist_counts *report_counts(const struct report *r, size_t i)
{
	return hist_counts(r->rows, r->row[i].entry);
}

/**
 * report_prefetch() - prefetch for the texts of rows a little behind row @i
 *
 * Rows are sorted by weight, so their entries are scattered in memory, and symbols and names are in
 * any case. Each depends on the one before, so it is asked for some rows later.
 */
void report_prefetch(const struct report *r, size_t i);

/* Samples that were taken in the row's code */
struct report_self {
	u64 weight, count, squares;
};

/* private: report_self() with BY_CALLERS */
struct report_self report_find_self(const struct report *r, size_t i);

static inline struct report_self report_self(const struct report *r, size_t i)
{
	const struct hist_counts *f = report_counts(r, i);

	if (unlikely(r->rows != &r->a->hist))
		return report_find_self(r, i);
	return (struct report_self){ report_entry(r, i)->weight, f->count, f->squares };
}

/* The share of @weight in all samples of the event, where @whole is all of them: 1 or 100 */
static inline double report_share(const struct report *r, double whole, u64 weight)
{
	return r->weight ? whole * weight / r->weight : 0;
}

static inline struct stats_interval report_interval(const struct report *r,
						    const struct report_self *counts)
{
	return stats_share(&r->blocks, counts->count, counts->squares, counts->weight);
}

/**
 * struct report_value - a row as every format shows it
 * @place: its key, decoded
 * @self: samples in the row's code
 * @interval: of the share of @self
 * @children: with BY_CALLERS, samples in the row's code or in what it called; else as @self
 */
struct report_value {
	struct place place;
	struct report_self self;
	struct stats_interval interval;
	struct report_self children;
};

void report_value(const struct report *r, size_t i, struct report_value *row);

#define REPORT_TEXT_MAX 64

/* Name of the thread of a row; @buf has REPORT_TEXT_MAX bytes for a name that is made up */
const char *report_comm(const struct session *s, const struct place *p, char *buf);

/**
 * report_symbol() - name of the code of a row
 *
 * Return: the symbol's name; the address, or "[unknown]", if there is none. Lives as long as @r.
 */
const char *report_symbol(struct report *r, const struct place *p, char *buf);

/**
 * report_tell_apart() - have different names for the objects of the rows
 *
 * Several files of one name are called by their paths then, and with what else is different.
 * @nr: takes the number of objects; of branches, of those that they went to
 *
 * Return: 0 or -ENOMEM.
 */
int report_tell_apart(struct report *r, size_t *nr);

/* Name of an object */
const char *report_dso(const struct report *r, u32 dso);

/* Where a branch came from, as if it were the place of a sample */
struct place report_source(const struct place *p);

/* Was a branch mispredicted? As in perf: Y, N or N/A */
const char *report_mispredicted(const struct place *p);

/* Name of the function that was inlined where the samples of a row are; "-" for none */
const char *report_inlined(struct report *r, const struct place *p);

/**
 * report_srcline() - the source line of a row
 * @n: of @s
 * @p: of BY_SRCLINE
 *
 * If there is none: the symbol and the offset from its start, or the object and the address, as in
 * perf.
 *
 * Return: a text that is valid until the next call with @n.
 */
const char *report_srcline(struct names *n, const struct session *s, const struct place *p);

/* Name of the file of a row's source; "-" if it is not known */
const char *report_srcfile(const struct session *s, const struct place *p);

/* The path of a row's cgroup; as in perf, "N/A" if none was recorded, "unknown" if not its path */
const char *report_cgroup(const struct session *s, const struct place *p);

/* As in perf: . user, k kernel, H hypervisor; of guests g kernel, u user */
char report_level(const struct place *p);

/* "EL1", "not known", or "-" if it is no hardware sample; @buf has REPORT_TEXT_MAX bytes */
const char *report_el(unsigned int el, char *buf);

/* "5", "not known", or "-" if the code has none; @buf has REPORT_TEXT_MAX bytes */
const char *report_vmid(unsigned int vmid, char *buf);

/* The member vmid of a JSON object: a number or "not known", absent if the code has none */
void report_json_vmid(struct json *j, unsigned int vmid);

/* Name of a Security state */
const char *report_state(unsigned int state);

/* How the process of a sample was found, by enum arm_pcsample_attribution */
const char *report_method(unsigned int method);

/**
 * report_nameless() - the weight of samples in code without a symbol, for each DSO
 *
 * All rows that the filter chose are counted, however small.
 *
 * Return: an array by DSO, with a 0 behind the last one, for free(). NULL if out of memory.
 */
u64 *report_nameless(const struct report *r);

/** report_why_nameless() - why code of @dso has no symbol; @made has room for the text */
const char *report_why_nameless(const struct dso *dso, struct error *made);

#endif /* PCSAMPLE_PROFILE_ROWS_H */
