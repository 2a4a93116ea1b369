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
 * config1[63:0] targets: mask of the CPUs to sample, 0 for all that this reader serves
 * config2[31:0] seed of the dithered clock, 0 to let the driver choose
 *
 * Periods are nanoseconds of target time: each target of the event is read once per period, and
 * a sample stands for one period. The counter is in nanoseconds for the same reason.
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

/* Fields of struct arm_pcsample_record that the hardware gave */
#define ARM_PCSAMPLE_HAS_CID1		(1U << 0)
#define ARM_PCSAMPLE_HAS_CID2		(1U << 1)
#define ARM_PCSAMPLE_HAS_VMID		(1U << 2)

/**
 * struct arm_pcsample_record - one hardware sample, the payload of PERF_SAMPLE_RAW
 * @size: bytes of this record that are valid; newer kernels append fields
 * @attribution: enum arm_pcsample_attribution
 * @has: ARM_PCSAMPLE_HAS_*: which of the fields below are not UNKNOWN
 * @pmpcsr: PMPCSR as read
 * @planned: time the read was due, CLOCK_MONOTONIC, ns
 * @seq: number of this read in the plan of its event, from 0; a gap is a read without a sample
 * @pmcid1sr: PMCID1SR as read
 * @pmcid2sr: PMCID2SR as read
 * @pmvidsr: PMVIDSR as read
 * @late: ns from @planned to the read, saturating
 * @target: logical number of the sampled CPU
 * @reader: logical number of the CPU that read it
 *
 * 52 bytes: with the u32 length that perf puts in front, a multiple of eight, so perf adds no
 * padding. The record is therefore only 4-byte aligned in a perf.data file: copy it out.
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
	__u32 reader;
} __attribute__((packed, aligned(4)));

#endif /* _UAPI_LINUX_ARM_PCSAMPLE_H */
