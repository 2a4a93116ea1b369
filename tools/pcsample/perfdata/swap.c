// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/swap.h"

/* Values */

static void swap16(u8 *p)
{
	u16 v = __builtin_bswap16(load16(p));

	memcpy(p, &v, sizeof(v));
}

static void swap32(u8 *p)
{
	u32 v = __builtin_bswap32(load32(p));

	memcpy(p, &v, sizeof(v));
}

static void swap64(u8 *p)
{
	u64 v = __builtin_bswap64(load64(p));

	memcpy(p, &v, sizeof(v));
}

/*
 * Convert bit fields. In the other byte order the first field is at the other end of the word: move
 * each field, and keep the order of bits within it.
 * @widths: of the first fields; the others have one bit
 */
static void swap_bits(u8 *p, const char *widths)
{
	u64 from = __builtin_bswap64(load64(p)), to = 0;
	unsigned int at, width;

	for (at = 0; at < 64; at += width) {
		width = *widths ? *widths++ : 1;
		to |= (from >> (64 - at - width) & ((1ULL << width) - 1)) << at;
	}
	memcpy(p, &to, sizeof(to));
}

/*
 * The rest of a record or a section. A value that does not fit into it is damage, and is not
 * converted.
 */
struct rest {
	u8 *p;
	u64 left;
};

/* noinline: otherwise gcc 12 warns about writes to the NULL that it returns */
static __attribute__((noinline)) u8 *step(struct rest *r, u64 size)
{
	if (size > r->left) {
		r->left = 0;
		return NULL;
	}
	r->p += size;
	r->left -= size;
	return r->p - size;
}

static u32 next32(struct rest *r)
{
	u8 *p = step(r, 4);

	if (!p)
		return 0;
	swap32(p);
	return load32(p);
}

static u64 next64(struct rest *r)
{
	u8 *p = step(r, 8);

	if (!p)
		return 0;
	swap64(p);
	return load64(p);
}

static void next64s(struct rest *r, u64 nr)
{
	while (nr-- && r->left)
		next64(r);
}

/* Only precise_ip has more than one bit; all fields after it have one */
static const char attr_widths[] = { [0 ... 14] = 1, 2, 0 };

/*
 * Convert values. Letters of @form: '2', '4' and '8' are numbers of that many bytes; 'b' is the bit
 * fields of an attribute; 'x' is eight bytes that are not converted; 's' is a u32 length and that
 * many bytes. '(' and ')' enclose values that repeat to the end. '[' stands for a u32 count; the
 * values up to ']' repeat that many times.
 */
static void swap_form(struct rest *r, const char *form)
{
	const char *again = NULL;
	u32 times = 0;
	u8 *p;

	while (*form && r->left) {
		switch (*form) {
		case '2':
			p = step(r, 2);
			if (p)
				swap16(p);
			break;
		case '4':
			next32(r);
			break;
		case '8':
			next64(r);
			break;
		case 'b':
			p = step(r, 8);
			if (p)
				swap_bits(p, attr_widths);
			break;
		case 'x':
			step(r, 8);
			break;
		case 's':
			step(r, next32(r));
			break;
		case '(':
			again = form;
			break;
		case '[':
			times = next32(r);
			again = form;
			form += times ? 0 : strcspn(form, "]");
			break;
		case ')':
			form = again;
			break;
		case ']':
			form = --times ? again : form;
			break;
		}
		form++;
	}
}

/* Events */

/* struct perf_event_attr, up to the version of 136 bytes (PERF_ATTR_SIZE_VER8) */
static const char attr_form[] = "448888b4488884484224488";

static void swap_attr(u8 *p, u64 size)
{
	swap_form(&(struct rest){ p, size }, attr_form);
}

static int add_event(struct swapper *s, const u8 *p, u64 size)
{
	struct perf_event_attr attr = { 0 };
	struct swapped_event *e;

	if (mem_grow(&s->event, &s->cap, s->nr + 1))
		return -ENOMEM;
	e = &s->event[s->nr++];
	memcpy(&attr, p, min(size, (u64)sizeof(attr)));
	sample_layout_init(&e->layout, &attr);
	e->branch_type = attr.branch_sample_type;
	e->user_regs = attr.sample_regs_user;
	e->intr_regs = attr.sample_regs_intr;
	return 0;
}

/* Convert the ids of the last event */
static int swap_ids(struct swapper *s, struct rest ids)
{
	while (ids.left >= 8)
		if (idmap_set(&s->event_ids, next64(&ids), s->nr - 1))
			return -ENOMEM;
	return 0;
}

/* Samples: perf_event_open(2), PERF_RECORD_SAMPLE */

static void swap_counts(struct rest *r, u64 format)
{
	u64 times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	u64 value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1U << 4) /* PERF_FORMAT_LOST */);

	if (format & PERF_FORMAT_GROUP)
		value *= min(next64(r), r->left / 8);
	next64s(r, times + value);
}

/* Flags of struct perf_branch_entry: four bits, cycles, type, spec, new_type, priv */
static const char branch_widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 0 };

static void swap_branches(struct rest *r, u64 type)
{
	u64 nr = next64(r), i;
	u8 *p;

	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		next64(r);
	for (i = 0; i < nr && r->left; i++) {
		next64s(r, 2);
		p = step(r, 8);
		if (p)
			swap_bits(p, branch_widths);
	}
	if (type & PERF_SAMPLE_BRANCH_COUNTERS)
		next64s(r, nr);
}

static void swap_stack(struct rest *r)
{
	u64 size = next64(r);

	step(r, size);
	if (size)
		next64(r);
}

static void swap_registers(struct rest *r, u64 mask)
{
	if (next64(r))
		next64s(r, __builtin_popcountll(mask));
}

static void swap_sample(const struct swapped_event *e, struct rest r)
{
	u64 type = e->layout.type;
	u64 fixed = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;

	next64s(&r, __builtin_popcountll(type & fixed));
	if (type & PERF_SAMPLE_TID)
		swap_form(&r, "44");
	fixed = PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
	next64s(&r, __builtin_popcountll(type & fixed));
	if (type & PERF_SAMPLE_CPU)
		swap_form(&r, "44");
	if (type & PERF_SAMPLE_PERIOD)
		next64(&r);
	if (type & PERF_SAMPLE_READ)
		swap_counts(&r, e->layout.read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		next64s(&r, next64(&r));
	/*
	 * Not the contents, which only the event knows. The format of a tracepoint tells the byte
	 * order of its fields.
	 */
	if (type & PERF_SAMPLE_RAW)
		step(&r, next32(&r));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		swap_branches(&r, e->branch_type);
	if (type & PERF_SAMPLE_REGS_USER)
		swap_registers(&r, e->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		swap_stack(&r);
	fixed = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
		PERF_SAMPLE_TRANSACTION;
	next64s(&r, __builtin_popcountll(type & fixed));
	if (type & PERF_SAMPLE_REGS_INTR)
		swap_registers(&r, e->intr_regs);
	fixed = PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
		PERF_SAMPLE_CODE_PAGE_SIZE;
	next64s(&r, __builtin_popcountll(type & fixed));
	if (type & PERF_SAMPLE_AUX)
		next64(&r);
}

static const struct swapped_event *event_of(const struct swapper *s, const u8 *rec, u64 size)
{
	u16 at = s->event[0].layout.id;
	u32 event;

	if (s->nr == 1 || !at || at + 8 > size)
		return &s->event[0];
	event = idmap_get(&s->event_ids, __builtin_bswap64(load64(rec + at)));
	return event == IDMAP_NONE ? NULL : &s->event[event];
}

/* Other records */

/*
 * Records of the kernel, without the fields of sample_id_all. Bytes behind a form, such as texts,
 * and records without a form are not converted.
 */
static const char *const kernel_forms[] = {
	[PERF_RECORD_MMAP] = "44888",
	[PERF_RECORD_LOST] = "88",
	[PERF_RECORD_COMM] = "44",
	[PERF_RECORD_EXIT] = "44448",
	[PERF_RECORD_THROTTLE] = "888",
	[PERF_RECORD_UNTHROTTLE] = "888",
	[PERF_RECORD_FORK] = "44448",
	[PERF_RECORD_READ] = "44(8)",
	[PERF_RECORD_MMAP2] = "44888448844",
	[PERF_RECORD_AUX] = "888",
	[PERF_RECORD_ITRACE_START] = "44",
	[PERF_RECORD_LOST_SAMPLES] = "8",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "44",
	[PERF_RECORD_NAMESPACES] = "44(8)",
	[PERF_RECORD_KSYMBOL] = "8422",
	[PERF_RECORD_BPF_EVENT] = "224",
	[PERF_RECORD_CGROUP] = "8",
	[PERF_RECORD_TEXT_POKE] = "822",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "8",
	[PERFDATA_RECORD_CALLCHAIN_DEFERRED] = "(8)",
};

static const char *const tool_forms[] = {
	[PERFDATA_RECORD_HEADER_EVENT_TYPE - PERFDATA_RECORD_USER] = "8",
	[PERFDATA_RECORD_HEADER_TRACING_DATA - PERFDATA_RECORD_USER] = "4",
	[PERFDATA_RECORD_HEADER_BUILD_ID - PERFDATA_RECORD_USER] = "4",
	[PERFDATA_RECORD_ID_INDEX - PERFDATA_RECORD_USER] = "(8)",
	[PERFDATA_RECORD_AUXTRACE_INFO - PERFDATA_RECORD_USER] = "44(8)",
	[PERFDATA_RECORD_AUXTRACE - PERFDATA_RECORD_USER] = "8884444",
	[PERFDATA_RECORD_AUXTRACE_ERROR - PERFDATA_RECORD_USER] = "44444488",
	[PERFDATA_RECORD_THREAD_MAP - PERFDATA_RECORD_USER] = "8(8xx)",
	[PERFDATA_RECORD_CPU_MAP - PERFDATA_RECORD_USER] = "2",
	[PERFDATA_RECORD_STAT_CONFIG - PERFDATA_RECORD_USER] = "8(8)",
	[PERFDATA_RECORD_STAT - PERFDATA_RECORD_USER] = "844888",
	[PERFDATA_RECORD_STAT_ROUND - PERFDATA_RECORD_USER] = "88",
	[PERFDATA_RECORD_EVENT_UPDATE - PERFDATA_RECORD_USER] = "888",
	[PERFDATA_RECORD_TIME_CONV - PERFDATA_RECORD_USER] = "88888",
	[PERFDATA_RECORD_COMPRESSED2 - PERFDATA_RECORD_USER] = "8",
};

static u64 tail_id(const u8 *end)
{
	return __builtin_bswap64(load64(end - 8));
}

/*
 * Layout of the event that a record was written for. perf sets IDENTIFIER if events have different
 * fields: then the id of the event ends each record, and begins each sample.
 */
static const struct sample_layout *tail_of(const struct swapper *s, const struct rest *r)
{
	u32 event = IDMAP_NONE;

	if (s->nr > 1 && s->event[0].layout.type & PERF_SAMPLE_IDENTIFIER && r->left >= 8)
		event = idmap_get(&s->event_ids, tail_id(r->p + r->left));
	return &s->event[event == IDMAP_NONE ? 0 : event].layout;
}

static void swap_tail(const struct sample_layout *l, struct rest r)
{
	u64 each = PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;

	if (l->type & PERF_SAMPLE_TID)
		swap_form(&r, "44");
	next64s(&r, __builtin_popcountll(l->type & each));
	if (l->type & PERF_SAMPLE_CPU)
		swap_form(&r, "44");
	if (l->type & PERF_SAMPLE_IDENTIFIER)
		next64(&r);
}

static void swap_kernel_record(const struct swapper *s, const u8 *rec, struct rest r)
{
	const struct sample_layout *l = tail_of(s, &r);
	u32 type = rec_type(rec), end = sample_tail_end(l, rec);
	struct rest tail = { NULL };

	/* The tail of a KSYMBOL need not be at its end: sample_tail_end() */
	if (end >= sizeof(struct perf_event_header) + l->tail_size) {
		tail = (struct rest){ r.p + end - sizeof(struct perf_event_header) - l->tail_size,
				      l->tail_size };
		r.left = tail.p - r.p;
	}
	if (type == PERF_RECORD_MMAP2 && rec_misc(rec) & PERF_RECORD_MISC_MMAP_BUILD_ID)
		swap_form(&r, "44888xxx44");
	else if (type < ARRAY_SIZE(kernel_forms) && kernel_forms[type])
		swap_form(&r, kernel_forms[type]);
	swap_tail(l, tail);
}

static void swap_record_header(u8 *rec)
{
	struct rest r = { rec, sizeof(struct perf_event_header) };

	swap_form(&r, "422");
}

/* Sections of the header */

static const char *const feature_forms[] = {
	[PERFDATA_HOSTNAME] = "s",
	[PERFDATA_OSRELEASE] = "s",
	[PERFDATA_VERSION] = "s",
	[PERFDATA_ARCH] = "s",
	[PERFDATA_NRCPUS] = "44",
	[PERFDATA_CPUDESC] = "s",
	[PERFDATA_CPUID] = "s",
	[PERFDATA_TOTAL_MEM] = "8",
	[PERFDATA_CMDLINE] = "[s]",
	[PERFDATA_CPU_TOPOLOGY] = "[s][s](4)",
	[PERFDATA_NUMA_TOPOLOGY] = "[488s]",
	[PERFDATA_PMU_MAPPINGS] = "[4s]",
	[PERFDATA_GROUP_DESC] = "[s44]",
	[PERFDATA_SAMPLE_TIME] = "88",
	[PERFDATA_CLOCKID] = "8",
	[PERFDATA_DIR_FORMAT] = "8",
	[PERFDATA_COMPRESSED] = "44444",
	[PERFDATA_CLOCK_DATA] = "4488",
};

static void swap_event_desc(struct rest r)
{
	u32 nr = next32(&r), size = next32(&r), nr_ids;
	u8 *p;

	while (nr-- && r.left) {
		p = step(&r, size);
		if (p)
			swap_attr(p, size);
		nr_ids = next32(&r);
		step(&r, next32(&r));
		next64s(&r, nr_ids);
	}
}

/* Entries of PERFDATA_BUILD_ID begin like records */
static void swap_build_ids(struct rest r)
{
	struct rest one = r;

	while (r.left >= sizeof(struct perfdata_build_id)) {
		one.p = r.p;
		one.left = sizeof(struct perfdata_build_id);
		swap_form(&one, "4224");
		if (!rec_size(r.p))
			break;
		step(&r, rec_size(r.p));
	}
}

static void swap_feature(u64 feature, struct rest r)
{
	if (feature == PERFDATA_EVENT_DESC)
		swap_event_desc(r);
	else if (feature == PERFDATA_BUILD_ID)
		swap_build_ids(r);
	else if (feature < ARRAY_SIZE(feature_forms) && feature_forms[feature])
		swap_form(&r, feature_forms[feature]);
}

static int swap_attr_record(struct swapper *s, struct rest r)
{
	u32 size;

	if (r.left < PERFDATA_ATTR_SIZE_MIN)
		return 0;
	size = __builtin_bswap32(load32(r.p + offsetof(struct perf_event_attr, size)));
	if (size < PERFDATA_ATTR_SIZE_MIN || size > r.left)
		return 0;
	swap_attr(r.p, size);
	if (add_event(s, r.p, size))
		return -ENOMEM;
	return swap_ids(s, (struct rest){ r.p + size, r.left - size });
}

static int swap_body(struct swapper *s, u8 *rec)
{
	struct rest r = { rec + sizeof(struct perf_event_header),
			  rec_size(rec) - sizeof(struct perf_event_header) };
	u32 type = rec_type(rec);
	const struct swapped_event *e;
	u64 feature;

	if (type == PERFDATA_RECORD_HEADER_ATTR)
		return swap_attr_record(s, r);
	if (type == PERFDATA_RECORD_HEADER_FEATURE) {
		feature = next64(&r);
		swap_feature(feature, r);
		return 0;
	}
	if (type >= PERFDATA_RECORD_USER) {
		type -= PERFDATA_RECORD_USER;
		if (type < ARRAY_SIZE(tool_forms) && tool_forms[type])
			swap_form(&r, tool_forms[type]);
		return 0;
	}
	if (!s->nr)
		return 0;
	if (type != PERF_RECORD_SAMPLE) {
		swap_kernel_record(s, rec, r);
		return 0;
	}
	e = event_of(s, rec, rec_size(rec));
	if (e)
		swap_sample(e, r);
	return 0;
}

int swap_records(struct swapper *s, u8 *p, u64 size)
{
	u64 at, len;
	int ret = 0;

	for (at = 0; !ret && size - at >= sizeof(struct perf_event_header); at += len) {
		swap_record_header(p + at);
		len = rec_size(p + at);
		if (len < sizeof(struct perf_event_header) || len > size - at)
			break;
		ret = swap_body(s, p + at);
		len += perfdata_payload(p + at);
		if (len > size - at)
			break;
	}
	return ret;
}

/* Files */

static struct rest section(u8 *p, u64 size, u64 at, u64 len)
{
	at = min(at, size);
	return (struct rest){ p + at, min(len, size - at) };
}

/*
 * In a damaged file many attributes may name the same bytes as their ids. Stop once there are more
 * ids than the file can hold, as read_attrs() does, which reports this.
 */
static int swap_attrs(struct swapper *s, u8 *p, u64 size, const struct perfdata_header *h)
{
	u64 bytes = h->attr_size - sizeof(struct perfdata_section), left = size;
	struct rest attrs = section(p, size, h->attrs.offset, h->attrs.size), r, ids;
	u8 *attr;

	while ((attr = step(&attrs, h->attr_size))) {
		swap_attr(attr, bytes);
		r = (struct rest){ attr + bytes, sizeof(struct perfdata_section) };
		swap_form(&r, "88");
		ids = section(p, size, load64(attr + bytes), load64(attr + bytes + 8));
		if (add_event(s, attr, bytes))
			return -ENOMEM;
		if (ids.left > left)
			break;
		left -= ids.left;
		if (swap_ids(s, ids))
			return -ENOMEM;
	}
	return 0;
}

static bool has(const struct perfdata_header *h, unsigned int bit)
{
	return h->features[bit / 64] >> (bit % 64) & 1;
}

/*
 * 32-bit machines write the bitmap in 32-bit words. perf always sets the bit of the host name: if
 * it is not at its place, exchange the words.
 */
static void fit_features(struct perfdata_header *h)
{
	unsigned int i;

	if (has(h, PERFDATA_HOSTNAME))
		return;
	for (i = 0; i < ARRAY_SIZE(h->features); i++)
		h->features[i] = h->features[i] >> 32 | h->features[i] << 32;
}

static void swap_features(u8 *p, u64 size, const struct perfdata_header *h)
{
	struct rest table = section(p, size, h->data.offset + h->data.size, size), r;
	unsigned int bit;
	u64 at, len;

	for (bit = 0; bit < PERFDATA_FEATURE_BITS && table.left; bit++) {
		if (!has(h, bit))
			continue;
		at = next64(&table);
		len = next64(&table);
		r = section(p, size, at, len);
		swap_feature(bit, r);
	}
}

static int swap_whole_file(struct swapper *s, u8 *p, u64 size)
{
	struct rest all = { p, sizeof(struct perfdata_header) }, data;
	struct perfdata_header h;
	int ret;

	/* Skip the magic number; the other 12 members of the header are u64 */
	step(&all, 8);
	swap_form(&all, "888888888888");
	memcpy(&h, p, sizeof(h));
	if (h.attr_size < PERFDATA_ATTR_SIZE_MIN + sizeof(struct perfdata_section))
		return 0;
	fit_features(&h);
	memcpy(p, &h, sizeof(h));
	ret = swap_attrs(s, p, size, &h);
	data = section(p, size, h.data.offset, h.data.size ? h.data.size : size);
	if (!ret)
		ret = swap_records(s, data.p, data.left);
	if (h.data.size && h.size == sizeof(h))
		swap_features(p, size, &h);
	return ret;
}

bool swap_needed(const u8 *p, u64 size)
{
	u64 magic = size < 16 ? 0 : load64(p);

	if (magic == PERFDATA_MAGIC_1)
		return load64(p + 8) > UINT32_MAX;
	return magic == PERFDATA_MAGIC_SWAPPED;
}

int swap_file(struct swapper *s, u8 *p, u64 size)
{
	const u64 magic = PERFDATA_MAGIC, head = sizeof(struct perfdata_pipe_header);
	struct rest pipe = { p + 8, 8 };

	memcpy(p, &magic, sizeof(magic));
	if (__builtin_bswap64(load64(p + 8)) == head) {
		swap_form(&pipe, "8");
		return swap_records(s, p + head, size - head);
	}
	return size < sizeof(struct perfdata_header) ? 0 : swap_whole_file(s, p, size);
}

void swapper_deinit(struct swapper *s)
{
	free(s->event);
	idmap_deinit(&s->event_ids);
	memset(s, 0, sizeof(*s));
}
