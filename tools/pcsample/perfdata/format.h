/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.data on disk, as perf 6.1 to 7.3 write it, and what pcsample adds.
 *
 * The kernel's records and struct perf_event_attr are in <linux/perf_event.h>; this header has what
 * the perf tool adds around them. Names start with PERFDATA_ so that libperf's headers can be
 * included, too. All values have the byte order of the machine that wrote the file.
 *
 *	struct perfdata_header
 *	ids of the events, struct perfdata_attr for each event
 *	data: records, each beginning with a struct perf_event_header
 *	one struct perfdata_section for each bit set in header.features, in the order of the bits
 *	the feature sections
 *
 * A pipe has only a struct perfdata_pipe_header and records; attributes and features are records,
 * too.
 */
#ifndef PCSAMPLE_PERFDATA_FORMAT_H
#define PCSAMPLE_PERFDATA_FORMAT_H

#include <linux/perf_event.h>
#include <arch-model/types.h>

/* Events whose names begin like this are PC samples: "arm_pcsample//", "arm_pcsample//u" */
#define PCSAMPLE_PMU		"arm_pcsample"

#define PERFDATA_MAGIC		0x32454c4946524550ULL	/* "PERFILE2", little-endian */
#define PERFDATA_MAGIC_1	0x454c494646524550ULL	/* "PERFFILE", before Linux 3.7 */
#define PERFDATA_MAGIC_SWAPPED	0x50455246494c4532ULL	/* "PERFILE2", other byte order */

struct perfdata_section {
	u64 offset;
	u64 size;
};

#define PERFDATA_FEATURE_BITS	256

struct perfdata_header {
	u64 magic;
	u64 size;			/* of this header: 104 */
	u64 attr_size;			/* of struct perfdata_attr in this file */
	struct perfdata_section attrs;
	struct perfdata_section data;	/* size 0: the recorder was killed before the end */
	struct perfdata_section event_types;	/* not used */
	u64 features[PERFDATA_FEATURE_BITS / 64];
};

struct perfdata_pipe_header {
	u64 magic;
	u64 size;			/* of this header: 16 */
};

/*
 * An event: its attribute, and the section with its u64 ids. In a file the attribute takes
 * header.attr_size - sizeof(ids) bytes, of which attr.size are valid.
 */
struct perfdata_attr {
	struct perf_event_attr attr;
	struct perfdata_section ids;
};

/* Size of the first version of struct perf_event_attr; every version has attr.size within it */
#define PERFDATA_ATTR_SIZE_MIN	64

/*
 * Feature sections. A string is a u32 length (padded to 64) and that many bytes with a NUL in them;
 * a list of strings is a u32 count and the strings.
 */
enum perfdata_feature {
	PERFDATA_TRACING_DATA = 1,
	PERFDATA_BUILD_ID = 2,		/* struct perfdata_build_id, one after the other */
	PERFDATA_HOSTNAME = 3,		/* string */
	PERFDATA_OSRELEASE = 4,		/* string */
	PERFDATA_VERSION = 5,		/* string: version of perf */
	PERFDATA_ARCH = 6,		/* string: uname -m */
	PERFDATA_NRCPUS = 7,		/* u32 available, u32 online (sic) */
	PERFDATA_CPUDESC = 8,		/* string */
	PERFDATA_CPUID = 9,		/* string */
	PERFDATA_TOTAL_MEM = 10,	/* u64, KiB */
	PERFDATA_CMDLINE = 11,		/* list of strings */
	PERFDATA_EVENT_DESC = 12,	/* u32 nr, u32 size, then attr, u32 nr ids, string, ids */
	PERFDATA_CPU_TOPOLOGY = 13,
	PERFDATA_NUMA_TOPOLOGY = 14,
	PERFDATA_BRANCH_STACK = 15,
	PERFDATA_PMU_MAPPINGS = 16,	/* u32 nr, then u32 type, string name */
	PERFDATA_GROUP_DESC = 17,
	PERFDATA_AUXTRACE = 18,
	PERFDATA_STAT = 19,
	PERFDATA_CACHE = 20,
	PERFDATA_SAMPLE_TIME = 21,	/* u64 first, u64 last */
	PERFDATA_MEM_TOPOLOGY = 22,
	PERFDATA_CLOCKID = 23,
	PERFDATA_DIR_FORMAT = 24,	/* the data is spread over the files of a directory */
	PERFDATA_BPF_PROG_INFO = 25,
	PERFDATA_BPF_BTF = 26,
	PERFDATA_COMPRESSED = 27,	/* u32 version, type, level, ratio, mmap_len */
	PERFDATA_CPU_PMU_CAPS = 28,
	PERFDATA_CLOCK_DATA = 29,
	PERFDATA_HYBRID_TOPOLOGY = 30,
	PERFDATA_PMU_CAPS = 31,
	PERFDATA_CPU_DOMAIN_INFO = 32,

	/*
	 * pcsample's own. perf prints the number of a feature that it does not know, and goes on.
	 *
	 * METADATA is UTF-8 text of lines "KEY VALUE\n". Readers skip keys they do not know.
	 *	version 1
	 *	method contextidr_el1|contextidr_el2|mixed|none	how tasks of samples were found
	 *	readers CPULIST		CPUs that read the registers
	 *	targets CPULIST		CPUs that were sampled
	 *	period NS		requested period, in time of the target
	 *	jitter on|off
	 *	seed N			of the dithered clock
	 *	duration NS		from enabling the event to disabling it, CLOCK_MONOTONIC
	 *	ran NS			of CPU time that the sampled tasks had, on all CPUs
	 *	ledger.total.OUTCOME N	OUTCOME is planned, sample, filtered, ... as the driver's
	 *	ledger.cpuN.OUTCOME N	ledger/ files name them; N is the change over the recording
	 *	lost N			samples lost as the ring buffers were full
	 *	note TEXT		a limitation, which report prints; may repeat
	 */
	PERFDATA_PCS_METADATA = 240,
	PERFDATA_PCS_KALLSYMS = 241,	/* /proc/kallsyms of the recorded kernel, one zstd frame */
	PERFDATA_PCS_VDSO = 242,	/* ELF image of the recorded machine's vDSO */
	PERFDATA_PCS_FILES = 243,	/* struct perfdata_kept_file, one after the other */
};

/*
 * A file with samples that its path would not find: it was deleted, or is one of a container.
 * @stored bytes follow, padded to 8: the contents if @stored is @size, else a zstd frame of them.
 */
#define KEPT_FILE_MAX	(64U << 20)	/* bytes; keeps recordings small enough to send */

struct perfdata_kept_file {
	u8 build_id[20];
	u8 build_id_size;
	u8 reserved[3];
	u64 size;
	u64 stored;
};

/* A record of the kernel, since Linux 6.19 */
#define PERFDATA_RECORD_CALLCHAIN_DEFERRED	22

/* Records of the perf tool; the kernel's types are below 64 */
enum perfdata_record {
	PERFDATA_RECORD_USER = 64,
	PERFDATA_RECORD_HEADER_ATTR = 64,
	PERFDATA_RECORD_HEADER_EVENT_TYPE = 65,
	PERFDATA_RECORD_HEADER_TRACING_DATA = 66,	/* u32 size of what follows the record */
	PERFDATA_RECORD_HEADER_BUILD_ID = 67,
	PERFDATA_RECORD_FINISHED_ROUND = 68,
	PERFDATA_RECORD_ID_INDEX = 69,
	PERFDATA_RECORD_AUXTRACE_INFO = 70,
	PERFDATA_RECORD_AUXTRACE = 71,			/* u64 size of what follows the record */
	PERFDATA_RECORD_AUXTRACE_ERROR = 72,
	PERFDATA_RECORD_THREAD_MAP = 73,
	PERFDATA_RECORD_CPU_MAP = 74,
	PERFDATA_RECORD_STAT_CONFIG = 75,
	PERFDATA_RECORD_STAT = 76,
	PERFDATA_RECORD_STAT_ROUND = 77,
	PERFDATA_RECORD_EVENT_UPDATE = 78,
	PERFDATA_RECORD_TIME_CONV = 79,
	PERFDATA_RECORD_HEADER_FEATURE = 80,		/* u64 feature, then as the section */
	PERFDATA_RECORD_COMPRESSED = 81,		/* part of a zstd stream of records */
	PERFDATA_RECORD_FINISHED_INIT = 82,
	PERFDATA_RECORD_COMPRESSED2 = 83,		/* u64 size, that many bytes, padding */
};

/* PERFDATA_BUILD_ID and PERFDATA_RECORD_HEADER_BUILD_ID; the file name follows, NUL-padded */
struct perfdata_build_id {
	struct perf_event_header header;
	s32 pid;			/* -1 host */
	u8 build_id[20];
	u8 build_id_size;		/* valid if PERFDATA_MISC_BUILD_ID_SIZE, else 20 */
	u8 reserved[3];
};

#define PERFDATA_MISC_BUILD_ID_SIZE	(1 << 15)

/* Of a PERF_RECORD_LOST_SAMPLES of perf: a filter dropped them, perf record --filter with BPF */
#define PERFDATA_MISC_LOST_SAMPLES_BPF	(1 << 15)

/* Added to the number of one of perf's features if it is written among the records of a file */
#define PERFDATA_EARLY		0x100

/*
 * A feature among the records. In a pipe, all of pcsample's own features (PERFDATA_PCS_*) are such
 * records. A file has what is known before the first sample, so that it survives a killed recorder.
 * For the same reason a file has features of perf here, with PERFDATA_EARLY added, since perf uses
 * small numbers for its own updates. The payload follows, padded to 8 bytes; the payloads of
 * several records of one feature are joined. In metadata, the last line with a key counts, and the
 * section at the end of a file comes after all records.
 *
 * The record is a PERFDATA_RECORD_EVENT_UPDATE of a type that perf does not know, which perf skips.
 * At a PERFDATA_RECORD_HEADER_FEATURE with an unknown feature perf would stop reading.
 */
struct perfdata_private {
	struct perf_event_header header;
	u64 feature;
	u64 id;				/* of the first event */
	u64 size;			/* of the payload in this record */
};

#endif /* PCSAMPLE_PERFDATA_FORMAT_H */
