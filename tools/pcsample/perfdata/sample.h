/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the fields of a sample are (perf_event_open(2), PERF_RECORD_SAMPLE).
 */
#ifndef PCSAMPLE_PERFDATA_SAMPLE_H
#define PCSAMPLE_PERFDATA_SAMPLE_H

#include <stdbool.h>
#include <linux/perf_event.h>
#include <linux/arm_pcsample.h>

#include "base/array.h"

/*
 * A record is a byte pointer: in a pipe, and after compressed records, records need not be aligned.
 */
static inline u32 rec_type(const u8 *rec)
{
	return load32(rec + offsetof(struct perf_event_header, type));
}

static inline u16 rec_misc(const u8 *rec)
{
	return load16(rec + offsetof(struct perf_event_header, misc));
}

static inline u16 rec_size(const u8 *rec)
{
	return load16(rec + offsetof(struct perf_event_header, size));
}

/*
 * Number of bytes behind a complete record that belong to it. Adding the record's size to it does
 * not overflow.
 */
u64 perfdata_payload(const u8 *rec);

/*
 * The fields before PERF_SAMPLE_READ have fixed places, so a hot loop needs only their offsets. An
 * offset of 0 means that the event does not have the field: offset 0 is the record header.
 *
 * Records of the event that are not samples end with the fields of sample_id_all. The offsets of
 * these, tail_..., count back from the end of the record. So does @cgroup in samples: of the fields
 * of variable size only AUX comes after it. With AUX, @cgroup is 0.
 */
struct sample_layout {
	u64 type;		/* attr.sample_type */
	u64 read_format;
	u64 weight;		/* for samples without a period */
	u16 size;		/* bytes up to the end of the fixed fields; no sample is shorter */
	u16 id, ip, tid, time, addr, cpu, period, cgroup;
	u16 tail_size;		/* 0 if other records lack these fields */
	u16 tail_id, tail_tid, tail_time, tail_cpu;
	u64 branch_type, user_regs;	/* attr.branch_sample_type, .sample_regs_user */
};

/**
 * sample_layout_init() - compute the offsets for an event
 * @attr: sample_type, read_format and sample_id_all are used
 */
void sample_layout_init(struct sample_layout *l, const struct perf_event_attr *attr);

/* Get a field of a sample of at least l->size bytes; @absent if the event does not have it */
static inline u64 sample_u64(const u8 *rec, u16 offset, u64 absent)
{
	return offset ? load64(rec + offset) : absent;
}

static inline u32 sample_u32(const u8 *rec, u16 offset, u32 absent)
{
	return offset ? load32(rec + offset) : absent;
}

/*
 * Offset at which the tail of a record that is not a sample ends. The kernel (seen with 6.18)
 * writes a PERF_RECORD_KSYMBOL for one event after the other, and makes it longer each time. So its
 * tail is not at its end, but behind its name, which is padded to 8 bytes.
 */
static inline u32 sample_tail_end(const struct sample_layout *l, const u8 *rec)
{
	const u32 name = 24;
	u32 size = rec_size(rec), end;

	if (likely(rec_type(rec) != PERF_RECORD_KSYMBOL) || size < name)
		return size;
	end = name + ALIGN_UP(strnlen((const char *)rec + name, size - name) + 1, 8) + l->tail_size;
	return min(end, size);
}

/* Do samples have address, thread and time, as they nearly always do? For resolve() */
static inline bool sample_is_full(const struct sample_layout *l)
{
	return l->ip && l->tid && l->time;
}

/* Weight of a sample: its period, else that of the event, or 1 if neither is known */
static inline u64 sample_weight(const struct sample_layout *l, const u8 *rec)
{
	return sample_u64(rec, l->period, l->weight);
}

/* The id of a sample's cgroup; 0 if the sample does not have it, or the kernel did not know it */
static inline u64 sample_cgroup(const struct sample_layout *l, const u8 *rec)
{
	u16 size = rec_size(rec);

	return l->cgroup && size >= l->size + l->cgroup ? load64(rec + size - l->cgroup) : 0;
}

/**
 * sample_tail_time() - time of a record that is not a sample
 *
 * Return: the time; 0 if the record has none. Records that perf synthesizes for the state before
 * the recording have time 0.
 */
static inline u64 sample_tail_time(const struct sample_layout *l, const u8 *rec)
{
	u16 size = rec_size(rec);

	if (!l->tail_time || size < sizeof(struct perf_event_header) + l->tail_size)
		return 0;
	return load64(rec + sample_tail_end(l, rec) - l->tail_time);
}

/**
 * sample_raw() - payload of PERF_SAMPLE_RAW
 * @rec: the record; header.size bytes are readable
 * @size: receives the size of the payload
 *
 * Return: the payload; NULL if the event has none, or if it would go beyond the end of the record.
 */
const u8 *sample_raw(const struct sample_layout *l, const u8 *rec, u32 *size);

/**
 * sample_raw_record() - copy a record of a module of ours from PERF_SAMPLE_RAW
 * @ret: receives @size bytes: the record, which begins with its size as u16, and zeros for fields
 *	that an older module does not have
 * @least: the smallest size of such a record
 *
 * Return: false if the sample has none, or a damaged one.
 */
bool sample_raw_record(const struct sample_layout *l, const u8 *rec, void *ret, size_t size,
		       size_t least);

/**
 * sample_callchain() - addresses of PERF_SAMPLE_CALLCHAIN
 * @nr: receives their number
 *
 * Return: @nr unaligned u64; NULL as sample_raw().
 */
const u8 *sample_callchain(const struct sample_layout *l, const u8 *rec,
			   u64 *nr);

/**
 * sample_branches() - entries of PERF_SAMPLE_BRANCH_STACK, newest branch first
 * @nr: receives their number
 *
 * Return: @nr unaligned struct perf_branch_entry: from, to, flags; NULL as sample_raw().
 */
const u8 *sample_branches(const struct sample_layout *l, const u8 *rec, u64 *nr);

/* Linux 6.8 */
#ifndef PERF_SAMPLE_BRANCH_COUNTERS
#define PERF_SAMPLE_BRANCH_COUNTERS	(1U << 19)
#endif

/* Bit fields of struct perf_branch_entry, since the header of Debian 12 does not have all */
#define BRANCH_SIZE		24
#define BRANCH_MISPREDICTED	(1ULL << 0)
#define BRANCH_PREDICTED	(1ULL << 1)
#define BRANCH_IN_TX		(1ULL << 2)
#define BRANCH_ABORT		(1ULL << 3)
#define BRANCH_CYCLES		(0xffffULL << 4)
#define BRANCH_TYPE		(0xfULL << 20)
#define BRANCH_SPEC		(3ULL << 24)
#define BRANCH_NEW_TYPE		(0xfULL << 26)
#define BRANCH_NOT_TAKEN	(1ULL << 33)

static inline u64 branch_from(const u8 *branch)
{
	return load64(branch);
}

static inline u64 branch_to(const u8 *branch)
{
	return load64(branch + 8);
}

static inline u64 branch_flags(const u8 *branch)
{
	return load64(branch + 16);
}

/**
 * struct user_state - PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER of a sample
 * @abi: PERF_SAMPLE_REGS_ABI_*
 * @regs: unaligned u64, one for each bit of layout.user_regs
 * @stack: @size bytes from the stack pointer on
 */
struct user_state {
	u64 abi;
	const u8 *regs, *stack;
	u64 size;
};

/* Return: false if the sample does not have both */
bool sample_user_state(const struct sample_layout *l, const u8 *rec, struct user_state *u);

/**
 * sample_arm_record() - hardware sample of the arm_pcsample PMU
 * @ret: receives a copy; fields that an older driver did not have are 0
 *
 * Return: false if the sample has none, or a damaged one.
 */
bool sample_arm_record(const struct sample_layout *l, const u8 *rec,
		       struct arm_pcsample_record *ret);

/* Exception level of a sample from registers that do not tell EL0 from EL1 */
#define EL_NOT_KNOWN	0xe

/* Exception level, 0 to 3, or EL_NOT_KNOWN */
u8 sample_el(const struct arm_pcsample_record *hw);

/* No VMIDs, which have 16 bits: of code that has none, and where registers do not tell it */
#define NO_VMID		0x10000
#define VMID_NOT_KNOWN	0x20000

/* VMID of a sample, NO_VMID or VMID_NOT_KNOWN */
u32 sample_vmid(const struct arm_pcsample_record *hw);

#endif /* PCSAMPLE_PERFDATA_SAMPLE_H */
