// SPDX-License-Identifier: GPL-2.0-only
/*
 * CSV and JSON: the finest rows, for programs that make tables of their own.
 */
#include "base/utf8.h"
#include "export/job.h"
#include "profile/rows.h"

/* Sums of what the CPU counted between PMU snapshots; each takes a pass over the samples */
enum { CYCLES, INSTRUCTIONS, COUNTED, NR_COUNTS };

static const struct {
	const char *name;
	unsigned int of;
} counts[NR_COUNTS] = {
	[CYCLES] = { "cycles", OF_CYCLES },
	[INSTRUCTIONS] = { "instructions", OF_INSTRUCTIONS },
	[COUNTED] = { "counted", OF_COUNTED },
};

/* @nr: how many of them the recording has; it has the first ones */
struct sums {
	struct aggregate a[NR_COUNTS];
	unsigned int nr;
};

/* A row of either format */
struct row {
	struct report_value is;
	const char *comm, *symbol, *cgroup;
	const struct dso *dso;
	double share;
	u64 count[NR_COUNTS];
	unsigned int nr_counts;
	char comm_buf[REPORT_TEXT_MAX], symbol_buf[REPORT_TEXT_MAX];
};

static void sums_deinit(struct sums *sums)
{
	while (sums->nr)
		aggregate_deinit(&sums->a[--sums->nr]);
}

static int sums_init(struct sums *sums, const struct export_job *job, struct error *err)
{
	const struct recorded_event *e = session_event(job->s, job->event);
	unsigned int nr = 0;
	int ret;

	if (export_has_counts(job))
		nr = e->attr.config2 >> 32 ? NR_COUNTS : COUNTED;
	for (sums->nr = 0; sums->nr < nr; sums->nr++) {
		ret = aggregate_run(&sums->a[sums->nr], job->s,
				    job->total->by | counts[sums->nr].of, job->filter, err);
		if (ret) {
			sums_deinit(sums);
			return ret;
		}
	}
	return 0;
}

static void get_counts(const struct sums *sums, const u64 *key, struct row *row)
{
	unsigned int i;
	size_t entry;

	row->nr_counts = sums->nr;
	for (i = 0; i < sums->nr; i++) {
		entry = hist_find(&sums->a[i].hist, key);
		row->count[i] = entry == HIST_NONE ? 0 :
				hist_entry(&sums->a[i].hist, entry)->weight;
	}
}

static void get_row(struct report *r, size_t i, struct row *row)
{
	const struct place *p = &row->is.place;

	report_value(r, i, &row->is);
	row->comm = report_comm(r->s, p, row->comm_buf);
	row->symbol = report_symbol(r, p, row->symbol_buf);
	row->cgroup = report_cgroup(r->s, p);
	row->dso = session_dso(r->s, p->dso);
	row->share = report_share(r, 1, row->is.self.weight);
}

/*
 * CSV by RFC 4180, but with LF as the end of a line. Readers take the file for UTF-8, and some
 * refuse all of it for a byte that is none: such a byte becomes '?'.
 */

static void print_field(struct out *o, const char *text)
{
	const char *quote = text[strcspn(text, ",\"\r\n")] ? "\"" : "";
	unsigned int n;

	out_text(o, quote);
	for (; *text; text += n ? n : 1) {
		n = utf8_length(text);
		if (*text == '"')
			out_char(o, '"');
		out_bytes(o, n ? text : "?", n ? n : 1);
	}
	out_text(o, quote);
}

static void print_csv_row(struct out *o, const struct row *row)
{
	const struct place *p = &row->is.place;
	char buf[REPORT_TEXT_MAX];
	unsigned int i;

	out_u64(o, row->is.self.count, 0);
	out_char(o, ',');
	out_u64(o, row->is.self.weight, 0);
	out_char(o, ',');
	out_fixed(o, row->share, 8, 0);
	out_char(o, ',');
	out_fixed(o, row->is.interval.low, 8, 0);
	out_char(o, ',');
	out_fixed(o, row->is.interval.high, 8, 0);
	out_char(o, ',');
	print_field(o, row->comm);
	out_char(o, ',');
	out_s64(o, p->pid, 0);
	out_char(o, ',');
	out_s64(o, p->tid, 0);
	out_char(o, ',');
	if (p->cpu != NO_CPU)
		out_u64(o, p->cpu, 0);
	out_char(o, ',');
	out_text(o, export_privilege(p->mode));
	out_char(o, ',');
	if (p->el != NO_EL && p->el != EL_NOT_KNOWN)
		out_u64(o, p->el, 0);
	out_char(o, ',');
	if (p->el != NO_EL)
		out_text(o, report_state(p->state));
	out_char(o, ',');
	if (p->vmid != NO_VMID)
		out_text(o, report_vmid(p->vmid, buf));
	out_char(o, ',');
	print_field(o, row->dso->path);
	out_char(o, ',');
	print_field(o, p->named ? row->symbol : "");
	out_char(o, ',');
	print_field(o, p->cgroup < CGROUP_UNKNOWN ? row->cgroup : "");
	for (i = 0; i < NR_COUNTS; i++) {
		out_char(o, ',');
		if (i < row->nr_counts)
			out_u64(o, row->count[i], 0);
	}
	out_char(o, '\n');
}

static int each_row(const struct export_job *job, void (*print)(void *ctx, const struct row *row),
		    void *ctx, struct error *err)
{
	struct sums sums;
	struct report r;
	struct row row;
	size_t i;
	int ret;

	ret = sums_init(&sums, job, err);
	if (ret)
		return ret;
	if (report_init(&r, job->s, job->total, job->event, NULL, job->demangle)) {
		sums_deinit(&sums);
		return error_set(err, -ENOMEM, "out of memory");
	}
	for (i = 0; i < r.nr; i++) {
		get_row(&r, i, &row);
		get_counts(&sums, report_entry(&r, i)->key, &row);
		print(ctx, &row);
	}
	report_deinit(&r);
	sums_deinit(&sums);
	return 0;
}

static void take_csv_row(void *ctx, const struct row *row)
{
	print_csv_row(ctx, row);
}

int export_csv(const struct export_job *job, struct out *o, struct error *err)
{
	out_text(o, "samples,period,share,low,high,comm,pid,tid,cpu,privilege,el,state,vmid,object,"
		 "symbol,cgroup,cycles,instructions,counted\n");
	return each_row(job, take_csv_row, o, err);
}

/* JSON */

static void take_json_row(void *ctx, const struct row *row)
{
	const struct place *p = &row->is.place;
	struct json *j = ctx;
	unsigned int i;

	out_char(j->o, '\n');
	json_object(j, NULL);
	json_u64(j, "samples", row->is.self.count);
	json_u64(j, "period", row->is.self.weight);
	json_fixed(j, "share", row->share, 8);
	json_fixed(j, "low", row->is.interval.low, 8);
	json_fixed(j, "high", row->is.interval.high, 8);
	json_fixed(j, "effective_samples", row->is.interval.effective, 1);
	json_string(j, "comm", row->comm);
	json_s64(j, "pid", p->pid);
	json_s64(j, "tid", p->tid);
	if (p->cpu != NO_CPU)
		json_u64(j, "cpu", p->cpu);
	json_string(j, "privilege", export_privilege(p->mode));
	if (p->el != NO_EL) {
		if (p->el != EL_NOT_KNOWN)
			json_u64(j, "el", p->el);
		json_string(j, "state", report_state(p->state));
	}
	report_json_vmid(j, p->vmid);
	json_string(j, "object", row->dso->path);
	if (p->named)
		json_string(j, "symbol", row->symbol);
	if (p->cgroup < CGROUP_UNKNOWN)
		json_string(j, "cgroup", row->cgroup);
	for (i = 0; i < row->nr_counts; i++)
		json_u64(j, counts[i].name, row->count[i]);
	json_object_end(j);
}

int export_json(const struct export_job *job, struct out *o, struct error *err)
{
	struct json j;
	int ret;

	json_begin(&j, o, "pcsample-export", 1);
	json_object(&j, "recording");
	export_recording(&j, job);
	json_object_end(&j);
	json_array(&j, "rows");
	ret = each_row(job, take_json_row, &j, err);
	json_array_end(&j);
	json_end(&j);
	return ret;
}
