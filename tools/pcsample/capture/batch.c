// SPDX-License-Identifier: GPL-2.0-only
#include "capture/batch.h"

/* A member up to its record, and the records of events without counts, the shortest */
#define MEMBER_HEAD	offsetof(struct arm_pcsample_member, record)
#define RECORD_LEAST	offsetof(struct arm_pcsample_record, cycles)

/*
 * A batch that was found to be in its record as a whole
 *
 * @member: @nr of them, @stride bytes apart
 * @record_size: bytes of the record in each
 */
struct batch {
	const u8 *member;
	u16 nr, stride, record_size;
};

static bool find_batch(struct batch *batch, const struct sample_layout *l, const u8 *rec)
{
	struct arm_pcsample_batch head;
	const u8 *raw;
	u32 left;

	raw = sample_raw(l, rec, &left);
	if (!raw || left < RECORD_LEAST)
		return false;
	batch->record_size = load16(raw);
	if (batch->record_size < RECORD_LEAST || left < batch->record_size + sizeof(head))
		return false;
	memcpy(&head, raw + batch->record_size, sizeof(head));
	left -= batch->record_size + sizeof(head);
	batch->member = raw + batch->record_size + sizeof(head);
	batch->nr = head.nr;
	batch->stride = head.stride;
	return head.nr && head.stride >= MEMBER_HEAD + batch->record_size &&
	       left / head.stride >= head.nr;
}

static void put(u8 *sample, u16 offset, const void *field, size_t size)
{
	memcpy(sample + offset, field, size);
}

/* What is in front of PERF_SAMPLE_RAW. The rest is the same for all samples of a record */
static void put_fixed(u8 *sample, const struct sample_layout *l,
		      const struct arm_pcsample_member *m, u16 size)
{
	const struct arm_pcsample_record *hw = &m->record;
	u64 time = hw->planned + hw->late;

	put(sample, offsetof(struct perf_event_header, misc), &m->misc, sizeof(m->misc));
	put(sample, offsetof(struct perf_event_header, size), &size, sizeof(size));
	put(sample, l->ip, &m->ip, sizeof(m->ip));
	put(sample, l->tid, &m->pid, sizeof(m->pid));
	put(sample, l->tid + sizeof(m->pid), &m->tid, sizeof(m->tid));
	put(sample, l->time, &time, sizeof(time));
	put(sample, l->cpu, &hw->target, sizeof(hw->target));
	put(sample, l->period, &m->period, sizeof(m->period));
}

/* A record's size is one that needs no padding so far; perf would pad others */
static void add_sample(struct perfdata_blob *to, const struct sample_layout *l, const u8 *rec,
		       const struct batch *batch, const u8 *member)
{
	size_t start = to->size, padded = ALIGN_UP(sizeof(u32) + batch->record_size, sizeof(u64));
	static const u8 padding[sizeof(u64)];
	struct arm_pcsample_member m;

	memcpy(&m, member, MEMBER_HEAD + RECORD_LEAST);
	perfdata_blob_bytes(to, rec, l->size);
	perfdata_blob_u32(to, padded - sizeof(u32));
	perfdata_blob_bytes(to, member + MEMBER_HEAD, batch->record_size);
	perfdata_blob_bytes(to, padding, padded - sizeof(u32) - batch->record_size);
	if (l->cgroup)
		perfdata_blob_u64(to, m.cgroup);
	if (!to->failed)
		put_fixed(to->data + start, l, &m, to->size - start);
}

bool batch_split(struct perfdata_blob *to, const struct sample_layout *layout,
		 const struct perf_event_header *record)
{
	const u8 *rec = (const u8 *)record;
	struct batch batch;
	unsigned int i;

	if (record->type != PERF_RECORD_SAMPLE || !find_batch(&batch, layout, rec))
		return false;
	for (i = 0; i < batch.nr; i++)
		add_sample(to, layout, rec, &batch, batch.member + i * batch.stride);
	return true;
}
