// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>

#include <arch-model/pc-sample.h>

#include "base/radix.h"
#include "profile/rows.h"

/* Texts */

void report_value(const struct report *r, size_t i, struct report_value *row)
{
	const struct hist_counts *f = report_counts(r, i);
	const struct hist_entry *e = report_entry(r, i);

	aggregate_place(&r->a->hist, e->key, &row->place);
	row->children = (struct report_self){ e->weight, f->count, f->squares };
	row->self = report_self(r, i);
	row->interval = report_interval(r, &row->self);
}

const char *report_comm(const struct session *s, const struct place *p, char *buf)
{
	u32 tid = p->comm & ~COMM_UNNAMED;

	if (!(p->comm & COMM_UNNAMED))
		return intern_text(&s->sb.comms, p->comm);
	if (!tid)
		return "swapper";
	/* as in perf; ~0 is the kernel's TID -1 for a thread that had exited */
	if (tid == (u32)~COMM_UNNAMED)
		return ":-1";
	snprintf(buf, REPORT_TEXT_MAX, ":%u", tid);
	return buf;
}

char report_level(const struct place *p)
{
	static const char letters[PERF_RECORD_MISC_CPUMODE_MASK + 1] = {
		[PERF_RECORD_MISC_KERNEL] = 'k',
		[PERF_RECORD_MISC_USER] = '.',
		[PERF_RECORD_MISC_HYPERVISOR] = 'H',
		[PERF_RECORD_MISC_GUEST_KERNEL] = 'g',
		[PERF_RECORD_MISC_GUEST_USER] = 'u',
	};
	char letter = letters[p->mode & PERF_RECORD_MISC_CPUMODE_MASK];

	return letter ? letter : '?';
}

const char *report_el(unsigned int el, char *buf)
{
	if (el == NO_EL)
		return "-";
	if (el == EL_NOT_KNOWN)
		return "not known";
	snprintf(buf, REPORT_TEXT_MAX, "EL%u", el);
	return buf;
}

const char *report_vmid(unsigned int vmid, char *buf)
{
	if (vmid == NO_VMID)
		return "-";
	if (vmid == VMID_NOT_KNOWN)
		return "not known";
	snprintf(buf, REPORT_TEXT_MAX, "%u", vmid);
	return buf;
}

void report_json_vmid(struct json *j, unsigned int vmid)
{
	if (vmid == VMID_NOT_KNOWN)
		json_string(j, "vmid", "not known");
	else if (vmid != NO_VMID)
		json_u64(j, "vmid", vmid);
}

const char *report_state(unsigned int state)
{
	static const char *const names[] = {
		[PCS_STATE_SECURE] = "Secure",
		[PCS_STATE_NONSECURE] = "Non-secure",
		[PCS_STATE_ROOT] = "Root",
		[PCS_STATE_REALM] = "Realm",
	};

	return names[state & 3];
}

const char *report_method(unsigned int method)
{
	static const char *const names[] = {
		[ARM_PCSAMPLE_ATTR_NONE] = "nothing",
		[ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1] = "CONTEXTIDR_EL1",
		[ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2] = "CONTEXTIDR_EL2",
		[ARM_PCSAMPLE_ATTR_VMID] = "VMID",
		[ARM_PCSAMPLE_ATTR_OTHER_WORLD] = "other world",
	};

	return method < ARRAY_SIZE(names) ? names[method] : "?";
}

const char *report_symbol(struct report *r, const struct place *p, char *buf)
{
	if (p->named)
		return names_symbol(&r->names, r->s->dsos.dso[p->dso], p->dso, p->where);
	if (!(r->a->by & BY_ADDR))
		return "[unknown]";
	snprintf(buf, REPORT_TEXT_MAX, "0x%016llx", (unsigned long long)p->where);
	return buf;
}

const char *report_dso(const struct report *r, u32 dso)
{
	if (r->dso_text && r->dso_text[dso])
		return r->dso_text[dso];
	return session_dso(r->s, dso)->name;
}

/* An object of the rows */
struct row_dso {
	const struct dso *dso;
	u32 index;
};

/* Those of one name side by side, and of these those of one path */
static int compare_dsos(const void *x, const void *y)
{
	const struct dso *a = ((const struct row_dso *)x)->dso;
	const struct dso *b = ((const struct row_dso *)y)->dso;

	if (a->alike != b->alike)
		return a->alike < b->alike ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* The path, and what makes @dso another file than @other, of the same path, if there is one */
static char *path_and_more(const struct dso *dso, const struct dso *other)
{
	char id[BUILD_ID_HEX], theirs[BUILD_ID_HEX], *text;
	int len;

	if (!other)
		len = asprintf(&text, "%s", dso->path);
	else if (strcmp(build_id_hex(&dso->build_id, id), build_id_hex(&other->build_id, theirs)))
		len = asprintf(&text, "%s (build id %.8s)", dso->path, id[0] ? id : "not known");
	else if (dso->inode != other->inode)
		len = asprintf(&text, "%s (inode %llu)", dso->path, (unsigned long long)dso->inode);
	else if (dso->generation != other->generation)
		len = asprintf(&text, "%s (inode %llu, generation %llu)", dso->path,
			       (unsigned long long)dso->inode,
			       (unsigned long long)dso->generation);
	else if (dso->mount_ns != other->mount_ns)
		len = asprintf(&text, "%s (mount namespace %llu)", dso->path,
			       (unsigned long long)dso->mount_ns);
	else
		len = asprintf(&text, "%s (process %d)", dso->path, dso->pid);
	return len < 0 ? NULL : text;
}

static int name_apart(struct report *r, struct row_dso *dsos, size_t nr)
{
	const struct dso *near[2], *same;
	bool alike;
	size_t i, k;

	qsort(dsos, nr, sizeof(*dsos), compare_dsos);
	for (i = 0; i < nr; i++) {
		near[0] = i ? dsos[i - 1].dso : NULL;
		near[1] = i + 1 < nr ? dsos[i + 1].dso : NULL;
		same = NULL;
		alike = false;
		for (k = 0; k < 2; k++) {
			if (!near[k] || near[k]->alike != dsos[i].dso->alike)
				continue;
			alike = true;
			if (!strcmp(near[k]->path, dsos[i].dso->path))
				same = near[k];
		}
		if (!alike)
			continue;
		r->dso_text[dsos[i].index] = path_and_more(dsos[i].dso, same);
		if (!r->dso_text[dsos[i].index])
			return -ENOMEM;
	}
	return 0;
}

int report_tell_apart(struct report *r, size_t *nr)
{
	size_t all = session_dsos(r->s), nr_dsos = 0, i;
	struct row_dso *dsos = calloc(all, sizeof(*dsos));
	struct place p;
	int ret = -ENOMEM;

	*nr = 0;
	r->dso_text = calloc(all, sizeof(*r->dso_text));
	if (dsos && r->dso_text) {
		for (i = 0; i < r->nr; i++) {
			aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
			*nr += !dsos[p.dso].dso;
			dsos[p.dso] = (struct row_dso){ session_dso(r->s, p.dso), p.dso };
		}
		for (i = 0; i < r->nr && r->a->by & BY_BRANCHES; i++) {
			aggregate_place(&r->a->hist, report_entry(r, i)->key, &p);
			dsos[p.from.dso] = (struct row_dso){ session_dso(r->s, p.from.dso),
							     p.from.dso };
		}
		for (i = 0; i < all; i++)
			if (dsos[i].dso)
				dsos[nr_dsos++] = dsos[i];
		ret = name_apart(r, dsos, nr_dsos);
	}
	free(dsos);
	return ret;
}

struct place report_source(const struct place *p)
{
	return (struct place){
		.dso = p->from.dso, .mode = p->from.mode, .named = p->from.named,
		.where = p->from.where,
	};
}

const char *report_mispredicted(const struct place *p)
{
	return p->predicted ? "N" : p->mispredicted ? "Y" : "N/A";
}

const char *report_inlined(struct report *r, const struct place *p)
{
	if (p->inlined == INLINED_NOTHING)
		return "-";
	return names_inlined(&r->names, &r->s->inlines, p->inlined);
}

static const char *__attribute__((format(printf, 2, 3)))
format_line(struct names *n, const char *format, ...)
{
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (len < 0 || mem_grow(&n->line, &n->line_cap, (size_t)len + 1))
		return "??:0";
	va_start(ap, format);
	vsnprintf(n->line, n->line_cap, format, ap);
	va_end(ap);
	return n->line;
}

const char *report_srcline(struct names *n, const struct session *s, const struct place *p)
{
	const struct dso *dso = s->dsos.dso[p->dso];

	if (p->file != NO_SOURCE_FILE)
		return format_line(n, "%s:%u", intern_text(&s->inlines.files, p->file), p->line);
	if (p->named)
		return format_line(n, "%s+%u", names_symbol(n, dso, p->dso, p->where), p->line);
	if (p->dso == DSO_INDEX_UNKNOWN)
		return "??:0";
	return format_line(n, "%s[%llx]", dso->name, (unsigned long long)p->where);
}

const char *report_srcfile(const struct session *s, const struct place *p)
{
	return p->file == NO_SOURCE_FILE ? "-" : intern_text(&s->inlines.files, p->file);
}

const char *report_cgroup(const struct session *s, const struct place *p)
{
	if (p->cgroup == CGROUP_NONE)
		return "N/A";
	if (p->cgroup == CGROUP_UNKNOWN)
		return "unknown";
	return intern_text(&s->sb.cgroups, p->cgroup);
}

/* Which rows */

void report_filter_deinit(struct report_filter *f)
{
	name_list_free(f->comms);
	name_list_free(f->dsos);
	name_list_free(f->symbols);
}

static bool passes(struct report *r, const struct report_filter *f, const struct place *p)
{
	const struct dso *dso = r->s->dsos.dso[p->dso];
	char buf[REPORT_TEXT_MAX];

	if (f->comms && !name_list_has(f->comms, report_comm(r->s, p, buf)))
		return false;
	if (f->dsos && !name_list_has(f->dsos, dso->name) && !name_list_has(f->dsos, dso->path))
		return false;
	if (f->named && !(p->named && (p->from.named || !(r->a->by & BY_BRANCHES))))
		return false;
	if (!f->symbols)
		return true;
	return name_list_has(f->symbols, report_symbol(r, p, buf)) ||
	       (p->named && name_list_has(f->symbols, symtab_name(&dso->symtab, p->where)));
}

struct report_self report_find_self(const struct report *r, size_t i)
{
	const struct hist *h = &r->a->hist;
	size_t at = hist_find(h, report_entry(r, i)->key);
	const struct hist_counts *f;

	if (at == HIST_NONE)
		return (struct report_self){ 0 };
	f = hist_counts(h, at);
	return (struct report_self){ hist_entry(h, at)->weight, f->count, f->squares };
}

/* Rows of BY_CALLERS count a sample several times: take the event's totals from a->hist */
static void sum_own(struct report *r, int event)
{
	const struct hist *h = &r->a->hist;
	struct place place;
	size_t i;

	r->weight = r->others.weight;
	r->samples = r->others.samples;
	for (i = 0; i < h->nr; i++) {
		aggregate_place(h, hist_entry(h, i)->key, &place);
		if (event >= 0 && place.event != event)
			continue;
		r->weight += hist_entry(h, i)->weight;
		r->samples += hist_counts(h, i)->count;
	}
}

/*
 * Most rows of a large report have the least weight of all, that of one sample. They are put behind
 * the others without sorting, and only the @nr_top others are sorted.
 */
static int sort_rows(struct report *r, u64 least, size_t nr_top)
{
	struct report_row *top = malloc((nr_top + 1) * sizeof(*top));
	size_t i, to = r->nr, at = nr_top;
	int ret;

	if (!top)
		return -ENOMEM;
	for (i = r->nr; i--; ) {
		if (r->row[i].key == ~least)
			r->row[--to] = r->row[i];
		else
			top[--at] = r->row[i];
	}
	ret = radix_sort((void **)&top, nr_top, nr_top, sizeof(*top));
	memcpy(r->row, top, nr_top * sizeof(*top));
	free(top);
	return ret;
}

int report_init(struct report *r, struct session *s, const struct aggregate *a, int event,
		const struct report_filter *f, bool demangle)
{
	bool select = f && (f->comms || f->dsos || f->symbols || f->named);
	const struct hist *h = a->by & BY_CALLERS ? &a->callers : &a->hist;
	const struct hist_entry *e;
	struct place place;
	size_t i, nr_least = 0;
	u64 least = UINT64_MAX;
	int ret;

	memset(r, 0, sizeof(*r));
	r->s = s;
	r->a = a;
	r->rows = h;
	r->others = a->others[event < 0 ? max(s->pd->only, 0) : event];
	r->weight = r->others.weight;
	r->samples = r->others.samples;
	names_init(&r->names, demangle);
	r->row = malloc((h->nr + 1) * sizeof(*r->row));
	if (!r->row)
		return -ENOMEM;
	mem_touch(r->row, h->nr * sizeof(*r->row));
	for (i = 0; i < h->nr; i++) {
		e = hist_entry(h, i);
		if (event >= 0 || select) {
			aggregate_place(h, e->key, &place);
			if (event >= 0 && place.event != event)
				continue;
		}
		r->weight += e->weight;
		r->samples += hist_counts(h, i)->count;
		if (select && !passes(r, f, &place))
			continue;
		if (e->weight < least) {
			least = e->weight;
			nr_least = 0;
		}
		nr_least += e->weight == least;
		r->row[r->nr++] = (struct report_row){
			.key = ~e->weight, .entry = i, .dso = aggregate_dso(e->key),
			.named = aggregate_named(e->key),
		};
	}
	if (a->by & BY_CALLERS)
		sum_own(r, event);
	r->blocks = a->blocks[event < 0 ? max(s->pd->only, 0) : event];
	r->blocks.weight = r->weight;
	ret = sort_rows(r, least, r->nr - nr_least);
	while (f && r->nr && report_entry(r, r->nr - 1)->weight < f->least * r->weight) {
		r->nr--;
		r->nr_small++;
	}
	if (ret)
		report_deinit(r);
	return ret;
}

/* Rows between one prefetch and the next for the same row */
#define AHEAD 8

void report_prefetch(const struct report *r, size_t i)
{
	struct dso *const *dso = r->s->dsos.dso;
	const struct report_row *row = &r->row[i];
	size_t left = r->nr - i;
	u32 sym;

	if (left > AHEAD && row[AHEAD].named) {
		sym = report_entry(r, i + AHEAD)->key[0];
		__builtin_prefetch(symtab_name(&dso[row[AHEAD].dso]->symtab, sym));
	}
	if (left > 2 * AHEAD && row[2 * AHEAD].named) {
		sym = report_entry(r, i + 2 * AHEAD)->key[0];
		__builtin_prefetch(&dso[row[2 * AHEAD].dso]->symtab.syms[sym]);
	}
	if (left > 3 * AHEAD)
		__builtin_prefetch(report_entry(r, i + 3 * AHEAD));
}

u64 *report_nameless(const struct report *r)
{
	const struct dso_table *dsos = &r->s->dsos;
	u64 *nameless = calloc(dsos->nr + 1, sizeof(*nameless));
	bool self = r->rows == &r->a->hist;
	const struct report_row *row;
	size_t i;

	for (i = 0; nameless && i < r->nr + r->nr_small; i++) {
		row = &r->row[i];
		if (!row->named && row->dso < dsos->nr)
			nameless[row->dso] += self ? ~row->key : report_find_self(r, i).weight;
	}
	return nameless;
}

/*
 * A file may have symbols, but none of this code: strip leaves those that the dynamic linker needs
 */
const char *report_why_nameless(const struct dso *dso, struct error *made)
{
	if (dso_problem(dso)[0])
		return dso_problem(dso);
	if (dso->kind == DSO_FILE)
		error_set(made, -ENOENT, "%s: no symbols of this code; install its debug symbols",
			  dso->path);
	else
		error_set(made, -ENOENT, "%s: %s", dso->name, dso->kind == DSO_UNKNOWN ?
			  "nothing was mapped there" : "no symbols of this code");
	return made->text;
}

void report_deinit(struct report *r)
{
	size_t i;

	for (i = 0; r->dso_text && i < session_dsos(r->s); i++)
		free(r->dso_text[i]);
	free(r->dso_text);
	free(r->row);
	names_deinit(&r->names);
	memset(r, 0, sizeof(*r));
}
