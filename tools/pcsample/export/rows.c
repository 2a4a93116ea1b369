// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows for a database with the profiles of many machines: samples by minute, command, object, build
 * id and function, and for each minute a row with the ledger, to compute shares.
 *
 * The texts of a row are the same on each machine and in each recording, so that rows can be added
 * up. Its key is a hash of these texts alone, so that a row that is sent twice is not mistaken for
 * two rows. Documentation/pcsample-export.1.scd has the columns.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/fnv.h"
#include "base/intern.h"
#include "base/utf8.h"
#include "export/gzip.h"
#include "export/job.h"
#include "perfdata/outcomes.h"
#include "profile/recording.h"
#include "profile/rows.h"

#define MINUTE_NS	60000000000ULL

/* A month: a file that claims more is damaged, and each minute is a row */
#define MINUTES_MAX	(31 * 24 * 60)

/* Text that grows. After a failure nothing more is added. */
struct text {
	char *p;
	size_t len, cap;
	bool failed;
};

static void text_add(struct text *t, const char *data, size_t size)
{
	if (t->failed || mem_grow(&t->p, &t->cap, t->len + size)) {
		t->failed = true;
		return;
	}
	memcpy(t->p + t->len, data, size);
	t->len += size;
}

static void text_puts(struct text *t, const char *text)
{
	text_add(t, text, strlen(text));
}

/*
 * A field between tabs, escaped as ClickHouse and PostgreSQL read it. Bytes that are not UTF-8, and
 * control characters, are replaced by '?': no real name has them, and database drivers fail on
 * them.
 */
static void text_field(struct text *t, const char *text, size_t len)
{
	const char *end = text + len;
	unsigned int n;

	for (; text < end; text += n ? n : 1) {
		n = utf8_length(text);
		if (*text == '\\')
			text_puts(t, "\\\\");
		else if (!n || (u8)*text < ' ' || *text == 0x7f)
			text_puts(t, "?");
		else
			text_add(t, text, n);
	}
}

static void text_u64(struct text *t, u64 value)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%" PRIu64, value);
	text_puts(t, buf);
}

/*
 * @start: of the recording, on its own clock
 * @wall: the same in ms since 1970
 * @minutes: how many the recording has
 * @counts: samples by (command, object) and (symbol, minute)
 * @samples: of each minute
 * @texts: the texts of rows: "COMMAND\tOBJECT\tBUILD_ID\tFUNCTION"
 */
struct rows {
	const struct export_job *job;
	u64 start, duration, wall;
	u64 minutes;
	struct hist counts;
	u64 *samples;
	struct intern texts;
	struct names names;
	struct text line;
	struct gzip gz;
};

/* Counting */

/*
 * Minutes begin with the recording, not with a minute of the clock: a file of --every 60s is one
 * minute, not two halves. A rest of less than half a minute at the end belongs to the last minute.
 */
static u64 minutes_of(u64 duration)
{
	u64 minutes = duration / MINUTE_NS + (duration % MINUTE_NS >= MINUTE_NS / 2);

	return max(minutes, (u64)1);
}

static u32 minute_of(const struct rows *r, u64 time)
{
	u64 minute = time > r->start ? (time - r->start) / MINUTE_NS : 0;

	return min(minute, r->minutes - 1);
}

/* All threads get the name of their process: there may be many, with numbers in their own names */
static u32 command_of(const struct session *s, const struct resolved *x)
{
	u32 comm = x->pid == x->tid ? x->comm : session_comm_at(s, x->pid, x->time);

	return comm == SIDEBAND_NO_COMM ? x->comm : comm;
}

static int count_sample(void *ctx, const struct sample_seen *sample)
{
	const u64 one = 1;
	struct rows *r = ctx;
	u32 minute = minute_of(r, sample->x.time);
	u64 key[] = {
		(u64)command_of(r->job->s, &sample->x) << 32 | sample->x.dso,
		(u64)sample->sym << 32 | minute,
	};

	r->samples[minute]++;
	return hist_add(&r->counts, key, &one, 1, 0);
}

/* Texts */

/*
 * Names of kernel threads contain the number of a CPU or a worker, and behind it what the worker
 * does at present, cut off after 15 bytes: kworker/13:1-eve. Replace this by a star.
 */
static void put_command(struct text *t, const char *comm)
{
	const char *end = comm;

	do
		end += strcspn(end, "/:");
	while (*end && (*++end < '0' || *end > '9'));
	text_field(t, comm, end - comm);
	if (*end)
		text_puts(t, "*");
}

static void put_object(struct text *t, const struct dso *dso)
{
	static const char deleted[] = " (deleted)";
	const char *path = dso->path;
	size_t len = strlen(path), cut = strlen(deleted);

	/* These have the pid in their names */
	if (dso->kind == DSO_GENERATED || dso->kind == DSO_JITDUMP) {
		path = "[JIT]";
		len = strlen(path);
	}
	/* The file was replaced while the program ran, as by an upgrade of its package */
	if (len > cut && !strcmp(path + len - cut, deleted))
		len -= cut;
	text_field(t, path, len);
}

/* Return: id in @r->texts, or -ENOMEM */
static int describe(struct rows *r, const u64 *key)
{
	u32 object = (u32)key[0], sym = key[1] >> 32;
	const struct place p = { .comm = key[0] >> 32 };
	const struct dso *dso = session_dso(r->job->s, object);
	char buf[REPORT_TEXT_MAX], hex[BUILD_ID_HEX];
	struct text *t = &r->line;
	const char *name;

	t->len = 0;
	put_command(t, report_comm(r->job->s, &p, buf));
	text_puts(t, "\t");
	put_object(t, dso);
	text_puts(t, "\t");
	text_puts(t, build_id_hex(&dso->build_id, hex));
	text_puts(t, "\t");
	if (sym != SYM_NONE) {
		name = names_symbol(&r->names, dso, object, sym);
		if (!name)
			return -ENOMEM;
		text_field(t, name, strlen(name));
	}
	return t->failed ? -ENOMEM : intern_add(&r->texts, t->p, t->len);
}

/* Rows are sorted: databases and gzip compress similar neighbours better */

struct row {
	const char *text;
	u32 minute;
	u64 samples;
};

static int by_minute_and_text(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->minute != y->minute)
		return x->minute < y->minute ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* Merge rows with the same texts: several symbols of one name, several workers of the kernel */
static size_t add_up(struct row *row, size_t nr)
{
	size_t i, kept = 0;

	for (i = 1; i < nr; i++) {
		if (by_minute_and_text(&row[kept], &row[i]))
			row[++kept] = row[i];
		else
			row[kept].samples += row[i].samples;
	}
	return nr ? kept + 1 : 0;
}

/* Return: rows in *@ret, to be freed; or -ENOMEM */
static ssize_t make_rows(struct rows *r, struct row **ret)
{
	const struct hist_entry *e;
	struct row *row = calloc(max(r->counts.nr, (size_t)1), sizeof(*row));
	size_t i;
	int id;

	*ret = row;
	if (!row)
		return -ENOMEM;
	for (i = 0; i < r->counts.nr; i++) {
		e = hist_entry(&r->counts, i);
		id = describe(r, e->key);
		if (id < 0)
			return id;
		row[i].text = intern_text(&r->texts, id);
		row[i].minute = (u32)e->key[1];
		row[i].samples = e->weight;
	}
	qsort(row, r->counts.nr, sizeof(*row), by_minute_and_text);
	return add_up(row, r->counts.nr);
}

/* The ledger */

/*
 * A number for the machine: from /etc/machine-id, which stays if the machine is renamed; else a
 * hash of the hostname
 */
static u64 host_key(const struct session *s)
{
	const char *name = session_string(s, PERFDATA_HOSTNAME), *machine;
	char *end;
	size_t len;
	u64 key;

	machine = session_meta(s, "machine", &len);
	if (machine) {
		key = strtoull(machine, &end, 16);
		if (end - machine == 16 && len == 16)
			return key;
	}
	return name ? fnv_hash(name, strlen(name)) : 0;
}

static u64 minute_length(const struct rows *r, u32 minute)
{
	u64 from = minute * MINUTE_NS;

	if (minute + 1 < r->minutes)
		return MINUTE_NS;
	return r->duration > from ? r->duration - from : 0;
}

/* A damaged recording may have a name of any length, and put_ledger() has a buffer */
static void json_name(struct json *j, const char *key, const char *name)
{
	json_part(j, key, name ? name : "", name ? strlen(name) : 0);
}

/*
 * The driver's counts are for the recording as a whole. If it has several minutes, they are in the
 * row of the first minute, so that their sum is right.
 */
static void json_ledger(struct json *j, const struct rows *r, u32 minute)
{
	const struct export_job *job = r->job;
	const struct session_counts *c = session_counts(job->s);
	const struct recorded_event *e = session_event(job->s, job->event);
	const char *name = session_string(job->s, PERFDATA_HOSTNAME);
	const char *release = session_string(job->s, PERFDATA_OSRELEASE);
	u64 length = minute_length(r, minute), n;
	unsigned int i;

	json_object(j, NULL);
	json_name(j, "hostname", name);
	json_name(j, "kernel", release);
	json_name(j, "event", e->name);
	recording_json_asked(j, job->s, e);
	json_u64(j, "ms", length / 1000000);
	json_u64(j, "minutes", r->minutes);
	json_u64(j, "cpus", job->total->cpus_seen);
	json_u64(j, "samples", r->samples[minute]);
	if (!minute) {
		json_u64(j, "lost", c->lost);
		json_u64(j, "throttled", c->throttled);
		if (recording_ledger(job->s, OUTCOME_PLANNED, &n))
			json_u64(j, OUTCOME_PLANNED, n);
		for (i = 0; i < NR_OUTCOMES; i++)
			if (recording_ledger(job->s, outcomes[i].name, &n))
				json_u64(j, outcomes[i].name, n);
	}
	json_object_end(j);
}

static void put_ledger(struct rows *r, u32 minute, struct out *scratch)
{
	struct json j = { .o = scratch };

	scratch->used = 0;
	json_ledger(&j, r, minute);
	text_field(&r->line, scratch->buf, scratch->used);
}

/* Lines */

static void begin_line(struct rows *r, u32 minute, u64 host, u64 key)
{
	r->line.len = 0;
	text_u64(&r->line, host);
	text_puts(&r->line, "\t");
	text_u64(&r->line, r->wall + minute * (MINUTE_NS / 1000000));
	text_puts(&r->line, "\t");
	text_u64(&r->line, key);
	text_puts(&r->line, "\t");
}

static void end_line(struct rows *r)
{
	text_puts(&r->line, "\n");
	if (!r->line.failed)
		gzip_write(&r->gz, r->line.p, r->line.len);
}

static void write_rows(struct rows *r, const struct row *row, size_t nr, struct out *scratch)
{
	static const char head[] =
		"host\tstart\tkey\tcommand\tobject\tbuild_id\tfunction\tsamples\tledger\n";
	u64 host = host_key(r->job->s);
	u32 minute;
	size_t i = 0;

	gzip_write(&r->gz, head, strlen(head));
	for (minute = 0; minute < r->minutes; minute++) {
		begin_line(r, minute, host, 0);
		text_puts(&r->line, "\t\t\t\t0\t");
		put_ledger(r, minute, scratch);
		end_line(r);
		for (; i < nr && row[i].minute == minute; i++) {
			begin_line(r, minute, host, fnv_hash(row[i].text, strlen(row[i].text)));
			text_puts(&r->line, row[i].text);
			text_puts(&r->line, "\t");
			text_u64(&r->line, row[i].samples);
			text_puts(&r->line, "\t");
			end_line(r);
		}
	}
	gzip_end(&r->gz);
}

static int count_and_write(struct rows *r)
{
	struct out *scratch = malloc(sizeof(*scratch));
	struct row *row = NULL;
	ssize_t nr = -ENOMEM;

	r->samples = calloc(r->minutes, sizeof(*r->samples));
	if (r->samples && scratch) {
		out_init(scratch, -1);
		nr = each_sample(r->job->s, r->job->event, NULL, count_sample, r);
	}
	if (!nr)
		nr = make_rows(r, &row);
	if (nr >= 0)
		write_rows(r, row, nr, scratch);
	free(row);
	free(scratch);
	return nr < 0 || r->line.failed ? -ENOMEM : 0;
}

int export_rows(const struct export_job *job, struct out *o, struct error *err)
{
	struct rows r = {
		.job = job,
		.start = job->total->first,
		.duration = recording_duration(job->s, job->total),
		.wall = recording_wall_clock(job->s, job->total->first) / 1000000,
	};
	int ret;

	if (job->filter)
		return error_set(err, -EINVAL,
				 "rows are of whole recordings: leave out --time, --cpu and the like");
	if (!r.wall)
		return error_set(err, -EINVAL,
				 "%s does not tell the time of day, and a row needs it: use pcsample record, or perf record -k CLOCK_MONOTONIC",
				 session_path(job->s));
	r.minutes = minutes_of(r.duration);
	if (r.minutes > MINUTES_MAX)
		return error_set(err, -EINVAL, "%s: rows are of recordings of up to a month",
				 session_path(job->s));
	ret = gzip_init(&r.gz, o);
	if (!ret)
		ret = hist_init(&r.counts, 2);
	names_init(&r.names, job->demangle);
	if (!ret)
		ret = count_and_write(&r);
	names_deinit(&r.names);
	intern_deinit(&r.texts);
	hist_deinit(&r.counts);
	gzip_deinit(&r.gz);
	free(r.samples);
	free(r.line.p);
	return ret ? error_set(err, ret, "out of memory") : 0;
}
