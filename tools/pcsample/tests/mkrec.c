// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkrec FILE: write the recording that standard input describes, one record a line. Numbers are in
 * C notation; the time is the last word, or where it is shown:
 *
 *	type SAMPLE_TYPE		of the event; before any record
 *	event TYPE CONFIG
 *	clockid N			times are of that clock
 *	pipe				write the pipe form
 *	compress TYPE BYTES		pack the records, BYTES into each of TYPE 81 or 83; status 2
 *					if built without zstd
 *	feature BIT TEXT		a feature that is one string
 *	meta KEY VALUE...		a line of pcsample's metadata
 *	blob BIT FILE			a feature section with a file's contents
 *	comm PID TID NAME TIME [exec]
 *	fork PPID PTID PID TID TIME
 *	mmap PID START LEN PGOFF PATH TIME [BUILD-ID | MAJ:MIN INODE]
 *	kernel START LEN REF PATH TIME [BUILD-ID]
 *	ksymbol ADDR LEN NAME TIME
 *	namespaces PID MOUNT TIME	of its first thread
 *	cgroup ID PATH TIME
 *	chain ADDR...			call chain of the next sample, its contexts as -128 and -512
 *	sample MODE IP PID TID TIME CPU [PERIOD [EVENT [CGROUP]]]	MODE: user kernel hyp
 *					guest
 *	hw IP PID TID TIME CPU PMPCSR VMID METHOD [PERIOD [CGROUP]]	a sample with a
 *					hardware record
 *	has BITS			in the hardware records from here on; 4, the VMID, before
 *	source N			register set of the hardware records from here on
 *	counts CYCLES INSTRUCTIONS EVENT	of the hardware records from here on, which are
 *					snapshots; with their bits in "has"
 *	counter EVENT			number of the event that these count
 *	profexc IP PID TID TIME CPU CLASS MODE EL SEQ [SIZE]	the same of arm_profexc
 *	lost N				a record of the kernel
 *	lost_samples N [MISC]		what a recorder says at its end
 *	round				of the recorder ends
 */
#include <linux/arm_pcsample.h>
#include <linux/arm_profexc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "perfdata/reader.h"
#include "tests/mkdata.h"

#define WORDS 64
#define SPACE "\n "

static struct mkdata m;
static u64 chain[WORDS];
static unsigned int nr_chain;
static u8 hw_has = ARM_PCSAMPLE_HAS_VMID;
static u8 hw_source;
static u64 hw_counts[3];
static bool hw_snapshots;
static char *meta;
static size_t meta_size;
static bool as_pipe;
static u32 packed_type;
static size_t packed_bytes;

#ifdef __SANITIZE_ADDRESS__
/* Leak detection takes half of the time. test-writer looks for leaks of the library. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

static u64 number(const char *text)
{
	return text[0] == '-' ? (u64)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
}

static void add_string(unsigned int bit, const char *text)
{
	size_t len = strlen(text) + 1, room = (len + 63) / 64 * 64;
	u32 *p = calloc(1, 4 + room);

	*p = room;
	memcpy(p + 1, text, len);
	mkdata_feature(&m, bit, p, 4 + room);
}

static void add_blob(unsigned int bit, const char *path)
{
	FILE *f = fopen(path, "rb");
	u8 *p = malloc(64 << 20);
	size_t n;

	if (!f || !p)
		abort();
	n = fread(p, 1, 64 << 20, f);
	fclose(f);
	mkdata_feature(&m, bit, p, n);
}

static void add_meta(char *const *w, int n)
{
	int i;

	meta = realloc(meta, meta_size + 4096);
	meta_size += sprintf(meta + meta_size, "%s", w[1]);
	for (i = 2; i < n; i++)
		meta_size += sprintf(meta + meta_size, " %s", w[i]);
	meta[meta_size++] = '\n';
}

static void read_id(u8 *id, const char *hex)
{
	unsigned int byte;
	int i;

	for (i = 0; i < 20 && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		id[i] = byte;
}

static void add_mmap(char *const *w, int n)
{
	unsigned int maj, min;
	u8 id[20] = { 0 };

	if (n < 8) {
		mkdata_mmap(&m, number(w[1]), number(w[2]), number(w[3]), number(w[4]), w[5],
			    number(w[6]));
		return;
	}
	if (n > 8 && sscanf(w[7], "%u:%u", &maj, &min) == 2) {
		mkdata_mmap_inode(&m, number(w[1]), number(w[2]), number(w[3]), number(w[4]), w[5],
				  maj, min, number(w[8]), number(w[6]));
		return;
	}
	read_id(id, w[7]);
	mkdata_mmap_id(&m, number(w[1]), number(w[2]), number(w[3]), number(w[4]), w[5], id,
		       number(w[6]));
}

static void add_kernel(char *const *w, int n)
{
	u8 id[20] = { 0 };

	if (n < 7) {
		mkdata_kernel(&m, number(w[1]), number(w[2]), number(w[3]), w[4], number(w[5]));
		return;
	}
	read_id(id, w[6]);
	mkdata_kernel_id(&m, number(w[1]), number(w[2]), number(w[3]), w[4], id, number(w[5]));
}

static void add_ksymbol(char *const *w)
{
	struct {
		u64 addr;
		u32 len;
		u16 type, flags;
		char name[256];
	} body = { .addr = number(w[1]), .len = number(w[2]), .type = 1 };

	strncpy(body.name, w[3], sizeof(body.name) - 1);
	mkdata_record(&m, PERF_RECORD_KSYMBOL, 0, &body, 16 + strlen(w[3]) + 1, 0, 0, number(w[4]));
}

static void add_namespaces(char *const *w)
{
	struct {
		s32 pid, tid;
		u64 nr;
		struct perf_ns_link_info link[NR_NAMESPACES];
	} body = { .pid = number(w[1]), .tid = number(w[1]), .nr = NR_NAMESPACES };

	body.link[MNT_NS_INDEX].ino = number(w[2]);
	mkdata_record(&m, PERF_RECORD_NAMESPACES, 0, &body, sizeof(body), body.pid, body.tid,
		      number(w[3]));
}

static void add_cgroup(char *const *w)
{
	struct {
		u64 id;
		char path[256];
	} body = { .id = number(w[1]) };

	strncpy(body.path, w[2], sizeof(body.path) - 1);
	mkdata_record(&m, PERF_RECORD_CGROUP, 0, &body, 8 + strlen(w[2]) + 1, 0, 0, number(w[3]));
}

static void add_sample(char *const *w, int n)
{
	static const char *const modes[] = { "", "kernel", "user", "hyp", "guest" };
	struct mkdata_sample s = {
		.ip = number(w[2]), .pid = number(w[3]), .tid = number(w[4]), .time = number(w[5]),
		.cpu = number(w[6]),
		.period = n > 7 ? number(w[7]) : 1,
		.event = n > 8 ? number(w[8]) : 0,
		.cgroup = n > 9 ? number(w[9]) : 0,
		.chain = chain, .nr_chain = nr_chain,
	};

	for (s.misc = 1; s.misc < 4 && strcmp(modes[s.misc], w[1]); s.misc++)
		;
	mkdata_sample(&m, &s);
	nr_chain = 0;
}

static void set_chain(char *const *w, int n)
{
	for (nr_chain = 0; nr_chain + 1 < n; nr_chain++)
		chain[nr_chain] = number(w[nr_chain + 1]);
}

static void add_hw(char *const *w, int n)
{
	struct arm_pcsample_record hw = {
		.size = hw_snapshots ? sizeof(hw) : offsetof(struct arm_pcsample_record, cycles),
		.cycles = hw_counts[0],
		.instructions = hw_counts[1],
		.counted = hw_counts[2],
		.source = hw_source,
		.pmpcsr = number(w[6]),
		.pmvidsr = number(w[7]),
		.has = hw_has,
		.attribution = number(w[8]),
		.target = number(w[5]),
	};
	struct mkdata_sample s = {
		.ip = number(w[1]), .pid = number(w[2]), .tid = number(w[3]), .time = number(w[4]),
		.cpu = number(w[5]),
		.period = n > 9 ? number(w[9]) : 1,
		.cgroup = n > 10 ? number(w[10]) : 0,
		/* the driver gives no address for code that is not Linux's */
		.misc = number(w[1]) >> 63 || !number(w[1]) ? PERF_RECORD_MISC_KERNEL :
							      PERF_RECORD_MISC_USER,
		.raw = &hw, .raw_size = hw.size,
	};

	mkdata_sample(&m, &s);
}

static void set_counts(char *const *w)
{
	unsigned int i;

	hw_snapshots = true;
	hw_source = ARM_PCSAMPLE_SOURCE_SNAPSHOT;
	for (i = 0; i < ARRAY_SIZE(hw_counts); i++)
		hw_counts[i] = number(w[i + 1]);
}

/* This makes the event one of snapshots */
static void set_counter(char *const *w)
{
	m.attr[0].config |= PCSAMPLE_SNAPSHOT;
	m.attr[0].config2 = number(w[1]) << 32;
}

static void add_profexc(char *const *w, int n)
{
	struct arm_profexc_record hw = {
		.size = n > 10 ? number(w[10]) : sizeof(hw),
		.class = number(w[6]),
		.mode = number(w[7]),
		.el = number(w[8]),
		.seq = number(w[9]),
		.pc = number(w[1]),
	};
	struct mkdata_sample s = {
		.ip = number(w[1]), .pid = number(w[2]), .tid = number(w[3]), .time = number(w[4]),
		.cpu = number(w[5]),
		.misc = hw.el ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		.raw = &hw, .raw_size = sizeof(hw),
	};

	mkdata_sample(&m, &s);
}

static void add_lost(u64 lost)
{
	const u64 body[2] = { 0, lost };

	mkdata_record(&m, PERF_RECORD_LOST, 0, body, sizeof(body), 0, 0, 1);
}

static void add_lost_samples(u64 lost, u16 misc)
{
	mkdata_record(&m, PERF_RECORD_LOST_SAMPLES, misc, &lost, sizeof(lost), 0, 0, 1);
}

static void set_clock(s32 clockid)
{
	m.attr[0].use_clockid = 1;
	m.attr[0].clockid = clockid;
}

static void set_compression(u32 type, size_t bytes)
{
	if (!HAVE_ZSTD)
		exit(2);
	packed_type = type;
	packed_bytes = bytes;
}

static void line(char **w, int n)
{
	static const struct perf_event_header round_record[] = {
		{ PERFDATA_RECORD_FINISHED_ROUND, 0, sizeof(round_record[0]) }
	};

	if (!strcmp(w[0], "type"))
		m.attr[0].sample_type = number(w[1]);
	else if (!strcmp(w[0], "clockid"))
		set_clock(number(w[1]));
	else if (!strcmp(w[0], "event"))
		mkdata_add_event(&m, number(w[1]), number(w[2]));
	else if (!strcmp(w[0], "pipe"))
		as_pipe = true;
	else if (!strcmp(w[0], "compress"))
		set_compression(number(w[1]), number(w[2]));
	else if (!strcmp(w[0], "feature"))
		add_string(number(w[1]), w[2]);
	else if (!strcmp(w[0], "blob"))
		add_blob(number(w[1]), w[2]);
	else if (!strcmp(w[0], "meta"))
		add_meta(w, n);
	else if (!strcmp(w[0], "comm"))
		mkdata_comm(&m, number(w[1]), number(w[2]), w[3], number(w[4]), n > 5);
	else if (!strcmp(w[0], "fork"))
		mkdata_fork(&m, number(w[1]), number(w[2]), number(w[3]), number(w[4]),
			    number(w[5]));
	else if (!strcmp(w[0], "mmap"))
		add_mmap(w, n);
	else if (!strcmp(w[0], "kernel"))
		add_kernel(w, n);
	else if (!strcmp(w[0], "namespaces"))
		add_namespaces(w);
	else if (!strcmp(w[0], "cgroup"))
		add_cgroup(w);
	else if (!strcmp(w[0], "ksymbol"))
		add_ksymbol(w);
	else if (!strcmp(w[0], "chain"))
		set_chain(w, n);
	else if (!strcmp(w[0], "sample"))
		add_sample(w, n);
	else if (!strcmp(w[0], "has"))
		hw_has = number(w[1]);
	else if (!strcmp(w[0], "source"))
		hw_source = number(w[1]);
	else if (!strcmp(w[0], "counts"))
		set_counts(w);
	else if (!strcmp(w[0], "counter"))
		set_counter(w);
	else if (!strcmp(w[0], "hw"))
		add_hw(w, n);
	else if (!strcmp(w[0], "profexc"))
		add_profexc(w, n);
	else if (!strcmp(w[0], "round"))
		mkdata_bytes(&m, round_record, sizeof(round_record));
	else if (!strcmp(w[0], "lost"))
		add_lost(number(w[1]));
	else if (!strcmp(w[0], "lost_samples"))
		add_lost_samples(number(w[1]), n > 2 ? number(w[2]) : 0);
	else
		abort();
}

int main(int argc, char **argv)
{
	char text[8192], *w[WORDS], *save;
	size_t size;
	FILE *f;
	u8 *p;
	int n;

	if (argc != 2)
		return 1;
	mkdata_init(&m, MKDATA_TYPE);
	while (fgets(text, sizeof(text), stdin)) {
		n = 0;
		for (w[0] = strtok_r(text, SPACE, &save); w[n] && n + 1 < WORDS; )
			w[++n] = strtok_r(NULL, SPACE, &save);
		if (n && w[0][0] != '#')
			line(w, n);
	}
	if (meta)
		mkdata_feature(&m, PERFDATA_PCS_METADATA, meta, meta_size);
	if (packed_type)
		mkdata_compress(&m, packed_type, packed_bytes);
	p = as_pipe ? mkdata_pipe(&m, &size) : mkdata_file(&m, &size);
	f = fopen(argv[1], "wb");
	if (!f || fwrite(p, 1, size, f) != size || fclose(f))
		return 1;
	free(p);
	for (n = 0; n < m.nr_features; n++)
		if (m.feature[n].bit != PERFDATA_COMPRESSED)
			free((void *)m.feature[n].p);
	mkdata_deinit(&m);
	return 0;
}
