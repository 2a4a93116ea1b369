// SPDX-License-Identifier: GPL-2.0-only
#include <arch-model/pc-sample.h>

#include "perfdata/format.h"
#include "perfdata/sample.h"

u64 perfdata_payload(const u8 *rec)
{
	u32 at = sizeof(struct perf_event_header);

	switch (rec_type(rec)) {
	case PERFDATA_RECORD_AUXTRACE:
		return rec_size(rec) < at + 8 ? 0 : min(load64(rec + at), (u64)INT64_MAX);
	case PERFDATA_RECORD_HEADER_TRACING_DATA:
		return rec_size(rec) < at + 4 ? 0 : ALIGN_UP((u64)load32(rec + at), 8);
	}
	return 0;
}

/*
 * Bits of sample_type with which the place of the cgroup is known: up to PERF_SAMPLE_WEIGHT_STRUCT,
 * without AUX. Fields that later kernels add may come after the cgroup.
 */
#define SAMPLE_KNOWN	(((1ULL << 25) - 1) & ~(u64)PERF_SAMPLE_AUX)

void sample_layout_init(struct sample_layout *l, const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;
	u16 at = sizeof(struct perf_event_header), back = 0;

	memset(l, 0, sizeof(*l));
	l->type = type;
	l->read_format = attr->read_format;
	l->weight = attr->freq ? 1 : attr->sample_period;
	l->branch_type = attr->branch_sample_type;
	l->user_regs = attr->sample_regs_user;

#define FIELD(bit, member) do {		\
		if (type & (bit)) {	\
			member = at;	\
			at += 8;	\
		}			\
	} while (0)
	FIELD(PERF_SAMPLE_IDENTIFIER, l->id);
	FIELD(PERF_SAMPLE_IP, l->ip);
	FIELD(PERF_SAMPLE_TID, l->tid);
	FIELD(PERF_SAMPLE_TIME, l->time);
	FIELD(PERF_SAMPLE_ADDR, l->addr);
	FIELD(PERF_SAMPLE_ID, l->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		at += 8;
	FIELD(PERF_SAMPLE_CPU, l->cpu);
	FIELD(PERF_SAMPLE_PERIOD, l->period);
#undef FIELD
	l->size = at;
	if (type & PERF_SAMPLE_CGROUP && !(type & ~SAMPLE_KNOWN))
		l->cgroup = 8 + !!(type & PERF_SAMPLE_DATA_PAGE_SIZE) * 8 +
			    !!(type & PERF_SAMPLE_CODE_PAGE_SIZE) * 8;
	if (!attr->sample_id_all)
		return;

	/* The tail is TID TIME ID STREAM_ID CPU IDENTIFIER: take it from its end */
#define FIELD(bit, member) do {		\
		if (type & (bit)) {	\
			back += 8;	\
			member = back;	\
		}			\
	} while (0)
	FIELD(PERF_SAMPLE_IDENTIFIER, l->tail_id);
	FIELD(PERF_SAMPLE_CPU, l->tail_cpu);
	if (type & PERF_SAMPLE_STREAM_ID)
		back += 8;
	FIELD(PERF_SAMPLE_ID, l->tail_id);
	FIELD(PERF_SAMPLE_TIME, l->tail_time);
	FIELD(PERF_SAMPLE_TID, l->tail_tid);
#undef FIELD
	l->tail_size = back;
}

/* The rest of a record, while fields of variable size are taken from its front */
struct cursor {
	const u8 *p;
	u64 left;
};

static bool skip(struct cursor *c, u64 nr, u64 size)
{
	if (nr > c->left / size)
		return false;
	c->p += nr * size;
	c->left -= nr * size;
	return true;
}

static bool take_u64(struct cursor *c, u64 *v)
{
	if (c->left < 8)
		return false;
	*v = load64(c->p);
	return skip(c, 1, 8);
}

static bool skip_read(struct cursor *c, u64 format)
{
	u64 times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	u64 value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1U << 4) /* PERF_FORMAT_LOST */);
	u64 nr;

	if (!(format & PERF_FORMAT_GROUP))
		return skip(c, value + times, 8);
	return take_u64(c, &nr) && skip(c, times, 8) && skip(c, nr, value * 8);
}

static bool at_callchain(const struct sample_layout *l, const u8 *rec,
			 struct cursor *c)
{
	if (rec_size(rec) < l->size)
		return false;
	c->p = rec + l->size;
	c->left = rec_size(rec) - l->size;
	return !(l->type & PERF_SAMPLE_READ) || skip_read(c, l->read_format);
}

const u8 *sample_callchain(const struct sample_layout *l, const u8 *rec,
			   u64 *nr)
{
	struct cursor c;

	if (!(l->type & PERF_SAMPLE_CALLCHAIN) || !at_callchain(l, rec, &c) || !take_u64(&c, nr) ||
	    *nr > c.left / 8)
		return NULL;
	return c.p;
}

static bool at_raw(const struct sample_layout *l, const u8 *rec, struct cursor *c)
{
	u64 nr;

	if (!at_callchain(l, rec, c))
		return false;
	return !(l->type & PERF_SAMPLE_CALLCHAIN) || (take_u64(c, &nr) && skip(c, nr, 8));
}

const u8 *sample_raw(const struct sample_layout *l, const u8 *rec, u32 *size)
{
	struct cursor c;

	if (!(l->type & PERF_SAMPLE_RAW) || !at_raw(l, rec, &c) || c.left < 4)
		return NULL;
	*size = load32(c.p);
	return *size <= c.left - 4 ? c.p + 4 : NULL;
}

static bool skip_raw(struct cursor *c)
{
	u32 size;

	if (c->left < 4)
		return false;
	size = load32(c->p);
	return skip(c, 1, 4) && skip(c, size, 1);
}

static bool at_branches(const struct sample_layout *l, const u8 *rec, struct cursor *c)
{
	return at_raw(l, rec, c) && (!(l->type & PERF_SAMPLE_RAW) || skip_raw(c));
}

/* Take what is in front of the entries, and check that these fit into the record */
static bool take_branches(const struct sample_layout *l, struct cursor *c, u64 *nr)
{
	return take_u64(c, nr) &&
	       (!(l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX) || skip(c, 1, 8)) &&
	       *nr <= c->left / BRANCH_SIZE;
}

const u8 *sample_branches(const struct sample_layout *l, const u8 *rec, u64 *nr)
{
	struct cursor c;

	if (!(l->type & PERF_SAMPLE_BRANCH_STACK) || !at_branches(l, rec, &c) ||
	    !take_branches(l, &c, nr))
		return NULL;
	return c.p;
}

static bool skip_branches(const struct sample_layout *l, struct cursor *c)
{
	u64 nr;

	return take_branches(l, c, &nr) && skip(c, nr, BRANCH_SIZE) &&
	       (!(l->branch_type & PERF_SAMPLE_BRANCH_COUNTERS) || skip(c, nr, 8));
}

#define WITH_STACK	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

bool sample_user_state(const struct sample_layout *l, const u8 *rec, struct user_state *u)
{
	struct cursor c;
	u64 room;

	if ((l->type & WITH_STACK) != WITH_STACK || !at_branches(l, rec, &c) ||
	    (l->type & PERF_SAMPLE_BRANCH_STACK && !skip_branches(l, &c)) ||
	    !take_u64(&c, &u->abi) || !u->abi)
		return false;
	u->regs = c.p;
	if (!skip(&c, __builtin_popcountll(l->user_regs), 8) || !take_u64(&c, &room) || !room)
		return false;
	u->stack = c.p;
	return skip(&c, room, 1) && take_u64(&c, &u->size) && u->size <= room;
}

bool sample_raw_record(const struct sample_layout *l, const u8 *rec, void *ret, size_t size,
		       size_t least)
{
	u32 left, has;
	const u8 *raw = sample_raw(l, rec, &left);

	if (!raw || left < sizeof(u16))
		return false;
	has = load16(raw);
	if (has < least || has > left)
		return false;
	memset(ret, 0, size);
	memcpy(ret, raw, min((size_t)has, size));
	return true;
}

bool sample_arm_record(const struct sample_layout *l, const u8 *rec,
		       struct arm_pcsample_record *ret)
{
	return sample_raw_record(l, rec, ret, sizeof(*ret),
				 offsetof(struct arm_pcsample_record, planned));
}

u8 sample_el(const struct arm_pcsample_record *hw)
{
	return hw->has & ARM_PCSAMPLE_NO_EL ? EL_NOT_KNOWN : pcs_el(hw->pmpcsr);
}

/*
 * The driver leaves out a VMID that may be UNKNOWN, and does not say why. EL2 and EL3 have none,
 * nor has user space of a kernel at EL2. A kernel at EL1 and its user space have one if there is
 * EL2, and then the driver uses no register set that does not tell it. A guest of a kernel at EL2
 * has one, which a debug block with EDSCR.SC2 = 1 and IMPLEMENTATION DEFINED snapshots do not tell.
 * Whether there is one in Secure state, and at EL0 of Realm state, depends on registers that Linux
 * cannot read.
 */
u32 sample_vmid(const struct arm_pcsample_record *hw)
{
	if (hw->has & ARM_PCSAMPLE_HAS_VMID)
		return FIELD_GET(PMVIDSR_VMID, hw->pmvidsr);
	if (pcs_el(hw->pmpcsr) >= 2)
		return NO_VMID;
	switch (hw->attribution) {
	case ARM_PCSAMPLE_ATTR_VMID:
	case ARM_PCSAMPLE_ATTR_OTHER_WORLD:
		return VMID_NOT_KNOWN;
	default:
		return hw->has & ARM_PCSAMPLE_MAY_BE_GUEST ? VMID_NOT_KNOWN : NO_VMID;
	}
}
