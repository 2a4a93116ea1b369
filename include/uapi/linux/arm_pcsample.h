/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * User ABI of the arm_pcsample perf PMU: event configuration and the raw hardware sample.
 *
 * Documentation/admin-guide/perf/arm_pcsample.rst describes its use.
 */
#ifndef _UAPI_LINUX_ARM_PCSAMPLE_H
#define _UAPI_LINUX_ARM_PCSAMPLE_H

#include <linux/types.h>

/*
 * struct perf_event_attr
 *
 * config[7:0]   event, ARM_PCSAMPLE_EVENT_*
 * config[9:8]   jitter, ARM_PCSAMPLE_JITTER_*
 * config[10]    snapshot: samples are PMU snapshots, with counts (FEAT_PMUv3_SS, or those of cores
 *		 before it)
 * config[11]    batch: a record has up to ARM_PCSAMPLE_BATCH_MAX samples, see
 *		 struct arm_pcsample_batch; needs PERF_SAMPLE_RAW
 * config1[63:0] targets: mask of the CPUs to sample, 0 for all that this reader serves
 * config2[31:0] seed of the dithered clock, 0 to let the driver choose
 * config2[47:32] counter: with snapshot, number of a PMU event to count beside cycles and
 *		 instructions, 0 for none
 *
 * Periods are nanoseconds of target time: each target of the event is read once per period, and
 * a sample stands for one period, that of a batch for as many as it has members. The counter is in
 * nanoseconds for the same reason.
 */
#define ARM_PCSAMPLE_EVENT_PC		0x00

#define ARM_PCSAMPLE_JITTER_DEFAULT	0	/* dithered */
#define ARM_PCSAMPLE_JITTER_ON		1
#define ARM_PCSAMPLE_JITTER_OFF		2

/*
 * How the process of a sample was found.
 */
enum arm_pcsample_attribution {
	ARM_PCSAMPLE_ATTR_NONE = 0,		/* not known: Context ID not usable */
	ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1 = 1,	/* PMCID1SR holds the TID */
	ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2 = 2,	/* PMCID2SR holds the TID (VHE kernel) */
	ARM_PCSAMPLE_ATTR_VMID = 3,		/* guest, PMVIDSR names it */
	ARM_PCSAMPLE_ATTR_OTHER_WORLD = 4,	/* Secure, Realm, Root or EL3: no Linux task */
};

/*
 * Which kind of register block gave a sample. Whichever it is, @pmpcsr has the format of PMPCSR.
 */
enum arm_pcsample_source {
	ARM_PCSAMPLE_SOURCE_UNKNOWN = 0,	/* not said: a record of before this field */
	ARM_PCSAMPLE_SOURCE_PMU32 = 1,		/* external PMU, 32-bit registers (EXT32) */
	ARM_PCSAMPLE_SOURCE_PMU64 = 2,		/* external PMU, 64-bit registers (EXT64) */
	ARM_PCSAMPLE_SOURCE_FRAME32 = 3,	/* PC sampling's own frame, EXT32 */
	ARM_PCSAMPLE_SOURCE_FRAME64 = 4,	/* PC sampling's own frame, EXT64 */
	ARM_PCSAMPLE_SOURCE_DEBUG = 5,		/* external debug block, EDPCSR (FEAT_PCSRv8) */
	ARM_PCSAMPLE_SOURCE_SNAPSHOT = 6,	/* PMU snapshot (FEAT_PMUv3_SS) */
	ARM_PCSAMPLE_SOURCE_IMPDEF = 7,		/* PMU snapshot, IMPLEMENTATION DEFINED */
};

/*
 * Fields of struct arm_pcsample_record that the hardware gave. Those without their bit are zero, as
 * Context IDs are in events that were opened without CAP_PERFMON: they are TIDs of the init PID
 * namespace. A count has no bit where its counter was not in use without a break since the last
 * snapshot, as in the first sample of a CPU.
 */
#define ARM_PCSAMPLE_HAS_CID1		(1U << 0)
#define ARM_PCSAMPLE_HAS_CID2		(1U << 1)
#define ARM_PCSAMPLE_HAS_VMID		(1U << 2)
#define ARM_PCSAMPLE_HAS_CYCLES		(1U << 3)
#define ARM_PCSAMPLE_HAS_INSTRUCTIONS	(1U << 4)
#define ARM_PCSAMPLE_HAS_COUNTED	(1U << 5)

/* Not fields */
#define ARM_PCSAMPLE_NO_EL		(1U << 6)	/* EL in @pmpcsr is a guess: not EL2 */
#define ARM_PCSAMPLE_MAY_BE_GUEST	(1U << 7)	/* EL0 of a guest or not: caps/guests */

/**
 * struct arm_pcsample_record - one hardware sample, the payload of PERF_SAMPLE_RAW
 * @size: bytes of this record that are valid; newer kernels append fields
 * @attribution: enum arm_pcsample_attribution
 * @has: ARM_PCSAMPLE_HAS_*: which of the fields below are not UNKNOWN; ARM_PCSAMPLE_NO_EL,
 *	 ARM_PCSAMPLE_MAY_BE_GUEST
 * @pmpcsr: PMPCSR or PMPCSSR as read, or made from EDPCSR and EDVIDSR
 * @planned: time the read was due, CLOCK_MONOTONIC, ns
 * @seq: number of this read in the plan of its event, from 0; a gap is a read without a sample
 * @pmcid1sr: CONTEXTIDR_EL1: PMCID1SR, PMCIDSSR or EDCIDSR as read
 * @pmcid2sr: CONTEXTIDR_EL2: PMCID2SR, PMCID2SSR, or EDVIDSR with EDSCR.SC2 = 1, as read
 * @pmvidsr: PMVIDSR as read, or made from EDVIDSR with EDSCR.SC2 = 0
 * @late: ns from @planned to the read, saturating
 * @target: logical number of the sampled CPU
 * @reader: logical number of the CPU that read it
 * @source: enum arm_pcsample_source
 * @reserved: 0
 * @cycles: CPU_CYCLES of the sampled CPU since the last snapshot that this event took of it
 * @instructions: INST_RETIRED, likewise
 * @counted: the event of config2[47:32], likewise
 *
 * 76 bytes, or 52 without the counts, in events without snapshot: with the u32 length that perf
 * puts in front, a multiple of eight, so perf adds no padding. The record is therefore only 4-byte
 * aligned in a perf.data file: copy it out.
 */
struct arm_pcsample_record {
	__u16 size;
	__u8 attribution;
	__u8 has;
	__u32 target;
	__u64 pmpcsr;
	__u64 planned;
	__u64 seq;
	__u32 pmcid1sr;
	__u32 pmcid2sr;
	__u32 pmvidsr;
	__u32 late;
	__u16 reader;
	__u8 source;
	__u8 reserved;
	__u64 cycles;
	__u64 instructions;
	__u64 counted;
} __attribute__((packed, aligned(4)));

/* Most samples of a batch, and the longest time that one waits for the others, ns */
#define ARM_PCSAMPLE_BATCH_MAX		32
#define ARM_PCSAMPLE_BATCH_AGE		10000000

/**
 * struct arm_pcsample_member - one sample of a batch, as a record of its own would have it
 * @ip: PERF_SAMPLE_IP
 * @pid: PERF_SAMPLE_TID
 * @tid: PERF_SAMPLE_TID
 * @period: PERF_SAMPLE_PERIOD
 * @cgroup: PERF_SAMPLE_CGROUP, if the event has that; else 0
 * @misc: PERF_RECORD_MISC_* of the header
 * @reserved: 0
 * @record: PERF_SAMPLE_RAW; @record.target is PERF_SAMPLE_CPU, and @record.planned + @record.late
 *	    is PERF_SAMPLE_TIME of an event with CLOCK_MONOTONIC, just before the read
 */
struct arm_pcsample_member {
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u64 period;
	__u64 cgroup;
	__u16 misc;
	__u16 reserved;
	struct arm_pcsample_record record;
} __attribute__((packed, aligned(4)));

/**
 * struct arm_pcsample_batch - what follows the record in PERF_SAMPLE_RAW of an event with batch
 * @nr: number of members that follow, 1 to ARM_PCSAMPLE_BATCH_MAX
 * @stride: bytes from one member to the next; newer kernels append fields
 * @reserved: 0
 *
 * The sample that has the batch is one of its members, chosen at random, with @nr times its
 * period. Tools that do not unpack batches see a fair profile of fewer samples. Tools that do use
 * the members instead of the sample.
 */
struct arm_pcsample_batch {
	__u16 nr;
	__u16 stride;
	__u32 reserved;
} __attribute__((packed, aligned(4)));

#endif /* _UAPI_LINUX_ARM_PCSAMPLE_H */
