// SPDX-License-Identifier: GPL-2.0-only
/*
 * Helpers of the tests of arm_pcsample; see pcs_perf.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pcs_perf.h"

char pcs_why_not[128];

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("Bail out! ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
	exit(1);
}

/*
 * sysfs
 */

static int read_path(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, buf, size - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	if (len < 0)
		return len;
	while (len > 0 && buf[len - 1] == '\n')
		len--;
	buf[len] = 0;
	return len;
}

int pcs_read_file(const char *name, char *buf, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), PCS_SYSFS "%s", name);
	return read_path(path, buf, size);
}

bool pcs_in_tree(void)
{
	char taint[16];

	/* O means out of tree. A built-in driver has no such file. */
	return read_path("/sys/module/arm_pcsample/taint", taint, sizeof(taint)) < 0 ||
	       !strchr(taint, 'O');
}

int pcs_write_path(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int pcs_write_file(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), PCS_SYSFS "%s", name);
	return pcs_write_path(path, text);
}

int pcs_set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return pcs_write_path(path, online ? "1" : "0");
}

uint64_t pcs_read_number(const char *path)
{
	char buf[64];

	if (read_path(path, buf, sizeof(buf)) < 0)
		die("%s: %s", path, strerror(errno));
	return strtoull(buf, NULL, 0);
}

bool pcs_available(void)
{
	if (access(PCS_SYSFS "type", R_OK)) {
		snprintf(pcs_why_not, sizeof(pcs_why_not), "no PMU arm_pcsample here");
		return false;
	}
	if (geteuid()) {
		snprintf(pcs_why_not, sizeof(pcs_why_not), "must be root");
		return false;
	}
	return true;
}

/* Returns what is not part of a list */
static const char *parse_cpulist(char *p, cpu_set_t *set)
{
	CPU_ZERO(set);
	while (*p >= '0' && *p <= '9') {
		long first = strtol(p, &p, 10), last = first;

		if (*p == '-')
			last = strtol(p + 1, &p, 10);
		for (; first <= last; first++)
			CPU_SET(first, set);
		p += *p == ',';
	}
	return p;
}

void pcs_read_cpulist(const char *name, cpu_set_t *set)
{
	char buf[256];

	if (pcs_read_file(name, buf, sizeof(buf)) < 0)
		die("cannot read %s", name);
	if (*parse_cpulist(buf, set))
		die("%s: not a list of CPUs: %s", name, buf);
}

void pcs_read_system_cpus(const char *name, cpu_set_t *set)
{
	char path[64], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", name);
	f = fopen(path, "r");
	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	parse_cpulist(line, set);
}

bool pcs_is_isolated(int cpu)
{
	cpu_set_t isolated, nohz_full;

	pcs_read_system_cpus("isolated", &isolated);
	pcs_read_system_cpus("nohz_full", &nohz_full);
	return CPU_ISSET(cpu, &isolated) || CPU_ISSET(cpu, &nohz_full);
}

int pcs_first_cpu(const cpu_set_t *set)
{
	int cpu;

	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, set))
			return cpu;
	die("an empty list of CPUs");
}

int pcs_last_cpu(const cpu_set_t *set)
{
	int cpu, last = -1;

	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, set))
			last = cpu;
	return last;
}

void pcs_read_targets(cpu_set_t *targets)
{
	cpu_set_t readers;

	pcs_read_cpulist("caps/blocks", targets);
	pcs_read_cpulist("cpumask", &readers);
	if (CPU_COUNT(&readers) == 1)
		CPU_CLR(pcs_first_cpu(&readers), targets);
}

int pcs_first_target(void)
{
	cpu_set_t targets;

	pcs_read_targets(&targets);
	return pcs_first_cpu(&targets);
}

/*
 * The ledger
 */

void pcs_read_account(int cpu, struct pcs_account *account)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {
#define FIELD(name) { #name, offsetof(struct pcs_account, name) }
		FIELD(planned), FIELD(sample), FIELD(filtered), FIELD(idle), FIELD(prohibited),
		FIELD(debug), FIELD(no_branch), FIELD(error), FIELD(late), FIELD(preempted),
		FIELD(buffer_full),
#undef FIELD
	};
	char buf[1024], name[32], *line = buf;
	unsigned int i;

	snprintf(name, sizeof(name), cpu < 0 ? "ledger/total" : "ledger/cpu%d", cpu);
	if (pcs_read_file(name, buf, sizeof(buf)) < 0)
		die("cannot read %s", name);
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value;
		char word[32];
		int used = 0;

		if (sscanf(line, "%31s %" SCNu64 "%n", word, &value, &used) != 2 ||
		    strcmp(word, fields[i].name))
			die("%s: line %u is not %s", name, i + 1, fields[i].name);
		*(uint64_t *)((char *)account + fields[i].offset) = value;
		line += used + (line[used] == '\n');
	}
	if (*line)
		die("%s: what is this: %s", name, line);
}

struct pcs_account pcs_account_since(const struct pcs_account *before,
				     const struct pcs_account *after)
{
	struct pcs_account since;
	const uint64_t *b = (const uint64_t *)before, *a = (const uint64_t *)after;
	uint64_t *s = (uint64_t *)&since;
	unsigned int i;

	for (i = 0; i < sizeof(since) / sizeof(*s); i++)
		s[i] = a[i] - b[i];
	return since;
}

int64_t pcs_account_gap(const struct pcs_account *account)
{
	return account->planned - account->sample - account->filtered - account->idle -
	       account->prohibited - account->debug - account->no_branch - account->error -
	       account->late - account->preempted - account->buffer_full;
}

/*
 * Events
 */

void pcs_attr_init(struct perf_event_attr *attr, uint64_t period)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pcs_read_number(PCS_SYSFS "type");
	attr->sample_period = period;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
	attr->disabled = 1;
	attr->exclude_guest = 1;
}

int pcs_try_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int pcs_try(struct perf_event_attr *attr, int cpu)
{
	int fd = pcs_try_open(attr, -1, cpu, -1, 0);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int pcs_open_former_leader(struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr clock = {
		.size = sizeof(clock),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
	};
	int leader, member;

	leader = pcs_try_open(&clock, -1, cpu, -1, 0);
	if (leader < 0)
		return leader;
	member = pcs_try_open(attr, -1, cpu, leader, 0);
	if (member < 0) {
		close(leader);
		return member;
	}
	close(member);
	return leader;
}

bool pcs_must_have_snapshots(void)
{
	char guests[16] = "";
	bool firmware_lets;
	glob_t found;

	firmware_lets = !glob("/sys/firmware/devicetree/base/{*,*/*}/arm,pmu-snapshots",
			      GLOB_BRACE, NULL, &found);
	globfree(&found);
	pcs_read_file("caps/guests", guests, sizeof(guests));
	return firmware_lets && strncmp(guests, "vmid", strlen("vmid"));
}

int pcs_attr_init_snapshots(struct perf_event_attr *attr, uint64_t period, int target, int reader)
{
	cpu_set_t targets;
	int fd;

	pcs_read_cpulist("caps/snapshots", &targets);
	if (!CPU_ISSET(target, &targets))
		return -ENODEV;
	pcs_attr_init(attr, period);
	attr->config = PCS_SNAPSHOT;
	attr->config1 = 1ULL << target;
	fd = pcs_try_open(attr, -1, reader, -1, 0);
	if (fd == -EOPNOTSUPP)
		return fd;
	if (fd < 0)
		die("snapshots of CPU %d: %s", target, strerror(-fd));
	close(fd);
	return 0;
}

int pcs_try_record(const struct perf_event_attr *attr, int cpu, unsigned int order,
		   struct pcs_event **result)
{
	struct pcs_event *event = calloc(1, sizeof(*event));
	long page = sysconf(_SC_PAGESIZE);
	int ret;

	if (!event)
		die("out of memory");
	event->attr = *attr;
	event->cpu = cpu;
	event->fd = pcs_try_open(&event->attr, -1, cpu, -1, 0);
	if (event->fd < 0) {
		ret = event->fd;
		goto out_free;
	}
	event->ring_size = page << order;
	event->ring = mmap(NULL, page + event->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			   event->fd, 0);
	if (event->ring == MAP_FAILED) {
		ret = -errno;
		goto out_close;
	}
	*result = event;
	return 0;

out_close:
	close(event->fd);
out_free:
	free(event);
	return ret;
}

struct pcs_event *pcs_open(const struct perf_event_attr *attr, int cpu, unsigned int order)
{
	struct pcs_event *event;
	int ret = pcs_try_record(attr, cpu, order, &event);

	if (ret)
		die("an event with a ring buffer on reader %d: %s", cpu, strerror(-ret));
	return event;
}

void pcs_close(struct pcs_event *event)
{
	munmap(event->ring, sysconf(_SC_PAGESIZE) + event->ring_size);
	close(event->fd);
	free(event);
}

void pcs_enable(struct pcs_event *event)
{
	event->on[0] = pcs_now();
	if (ioctl(event->fd, PERF_EVENT_IOC_ENABLE, 0))
		die("enable: %s", strerror(errno));
	event->on[1] = pcs_now();
}

void pcs_disable(struct pcs_event *event)
{
	event->off[0] = pcs_now();
	if (ioctl(event->fd, PERF_EVENT_IOC_DISABLE, 0))
		die("disable: %s", strerror(errno));
	event->off[1] = pcs_now();
}

uint64_t pcs_shortest_time(const struct pcs_event *event)
{
	return event->off[0] - event->on[1];
}

uint64_t pcs_longest_time(const struct pcs_event *event)
{
	return event->off[1] - event->on[0];
}

uint64_t pcs_count(struct pcs_event *event)
{
	uint64_t count;

	if (read(event->fd, &count, sizeof(count)) != sizeof(count))
		die("read of the count: %s", strerror(errno));
	return count;
}

int pcs_open_all(const struct perf_event_attr *attr, struct pcs_event **events)
{
	cpu_set_t readers;
	int cpu, n = 0;

	pcs_read_cpulist("cpumask", &readers);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		if (CPU_ISSET(cpu, &readers))
			events[n++] = pcs_open(attr, cpu, 8);
	return n;
}

int pcs_reader_of(int target)
{
	struct perf_event_attr attr;
	cpu_set_t readers;
	int cpu;

	pcs_read_cpulist("cpumask", &readers);
	pcs_attr_init(&attr, 0);	/* counts, and plans nothing */
	attr.config1 = 1ULL << target;
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++) {
		struct pcs_event *event;
		uint64_t count;

		if (!CPU_ISSET(cpu, &readers))
			continue;
		event = pcs_open(&attr, cpu, 0);
		pcs_enable(event);
		pcs_sleep(1000000);
		count = pcs_count(event);
		pcs_close(event);
		if (count)
			return cpu;
	}
	die("no reader serves CPU%d", target);
}

/*
 * The ring buffer. Records are copied, as they may wrap around its end.
 */

static _Alignas(8) char record_buf[65536];

/* @size: bytes there are */
static void copy_record(struct arm_pcsample_record *record, const void *data, size_t size)
{
	memset(record, 0, sizeof(*record));
	memcpy(record, data, size < sizeof(record->size) ? size : sizeof(record->size));
	if (size > record->size)
		size = record->size;
	memcpy(record, data, size < sizeof(*record) ? size : sizeof(*record));
}

static const uint64_t *parse(uint64_t type, const struct perf_event_attr *attr,
			     const uint64_t *p, struct pcs_sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		p++;
	if (type & PERF_SAMPLE_IP)
		s->ip = *p++;
	if (type & PERF_SAMPLE_TID) {
		s->pid = (uint32_t)*p;
		s->tid = *p++ >> 32;
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = *p++;
	if (type & PERF_SAMPLE_ADDR)
		s->addr = *p++;
	if (type & PERF_SAMPLE_ID)
		s->id = *p++;
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = *p++;
	if (type & PERF_SAMPLE_CPU)
		s->cpu = *p++;
	if (type & PERF_SAMPLE_PERIOD)
		s->period = *p++;
	if (type & PERF_SAMPLE_READ)
		s->count = *p++;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->nr_chain = *p++;
		s->chain = p;
		p += s->nr_chain;
	}
	if (type & PERF_SAMPLE_RAW) {
		s->raw_size = *(const uint32_t *)p;
		s->raw_data = (const char *)p + 4;
		copy_record(&s->raw, s->raw_data, s->raw_size);
		p += (s->raw_size + 4) / 8;
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		s->user_abi = *p++;
		if (s->user_abi)
			p += __builtin_popcountll(attr->sample_regs_user);
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		s->stack_size = *p++;
		if (s->stack_size)
			p += s->stack_size / 8 + 1;
	}
	if (type & PERF_SAMPLE_REGS_INTR) {
		s->intr_abi = *p++;
		if (s->intr_abi)
			p += __builtin_popcountll(attr->sample_regs_intr);
	}
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = *p++;
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = *p++;
	return p;
}

static void copy_out(struct pcs_event *event, uint64_t tail, size_t size)
{
	const char *data = (char *)event->ring + sysconf(_SC_PAGESIZE);
	size_t at = tail & (event->ring_size - 1);
	size_t first = event->ring_size - at < size ? event->ring_size - at : size;

	memcpy(record_buf, data + at, first);
	memcpy(record_buf + first, data, size - first);
}

bool pcs_next(struct pcs_event *event, struct pcs_sample *sample)
{
	struct perf_event_mmap_page *page = event->ring;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;

	while (tail != head) {
		struct perf_event_header *header = (void *)record_buf;
		bool is_sample;

		copy_out(event, tail, sizeof(*header));
		copy_out(event, tail, header->size);
		tail += header->size;
		is_sample = header->type == PERF_RECORD_SAMPLE;
		if (is_sample) {
			const uint64_t *body = (const uint64_t *)(header + 1), *end;

			memset(sample, 0, sizeof(*sample));
			sample->misc = header->misc;
			end = parse(event->attr.sample_type, &event->attr, body, sample);
			if ((const char *)end != record_buf + header->size)
				die("a sample of %u bytes, of which %zu are explained",
				    header->size, (const char *)end - record_buf);
		} else if (header->type == PERF_RECORD_LOST) {
			event->lost += ((uint64_t *)(header + 1))[1];
		} else if (header->type == PERF_RECORD_THROTTLE) {
			event->throttled++;
		}
		__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
		if (is_sample)
			return true;
	}
	return false;
}

/* The batch of a sample; @head is filled. NULL if the sample has none */
static const char *find_batch(const struct pcs_sample *sample, struct arm_pcsample_batch *head)
{
	if (sample->raw_size < sample->raw.size + sizeof(*head))
		return NULL;
	memcpy(head, sample->raw_data + sample->raw.size, sizeof(*head));
	return sample->raw_data + sample->raw.size + sizeof(*head);
}

unsigned int pcs_nr_members(const struct pcs_sample *sample)
{
	struct arm_pcsample_batch head;

	if (!find_batch(sample, &head))
		return 0;
	if (!head.nr || head.nr > ARM_PCSAMPLE_BATCH_MAX || head.reserved ||
	    head.stride != offsetof(struct arm_pcsample_member, record) + sample->raw.size ||
	    sample->raw_size != sample->raw.size + sizeof(head) + head.nr * head.stride)
		die("a batch of %u members, %u bytes each, after a record of %u, in %u bytes",
		    head.nr, head.stride, sample->raw.size, sample->raw_size);
	return head.nr;
}

void pcs_get_member(const struct pcs_sample *sample, unsigned int i, struct pcs_sample *member)
{
	struct arm_pcsample_member m = {};
	struct arm_pcsample_batch head;
	const char *first = find_batch(sample, &head);

	memcpy(&m, first + i * head.stride, offsetof(struct arm_pcsample_member, record));
	*member = (struct pcs_sample) {
		.misc = m.misc,
		.ip = m.ip,
		.pid = m.pid,
		.tid = m.tid,
		.period = m.period,
		.cgroup = m.cgroup,
		.raw_data = first + i * head.stride +
			    offsetof(struct arm_pcsample_member, record),
	};
	copy_record(&member->raw, member->raw_data, sample->raw.size);
	if (m.reserved || member->raw.size != sample->raw.size)
		die("a member of a batch with a record of %u bytes, reserved %u",
		    member->raw.size, m.reserved);
	member->raw_size = member->raw.size;
	member->cpu = member->raw.target;
	member->time = member->raw.planned + member->raw.late;
}

unsigned int pcs_each_member(const struct pcs_sample *sample, pcs_each_fn each, void *arg)
{
	unsigned int nr = pcs_nr_members(sample), i;
	struct pcs_sample member;

	for (i = 0; i < nr; i++) {
		pcs_get_member(sample, i, &member);
		each(&member, arg);
	}
	return nr;
}

static void drain(struct pcs_event **events, int nr, pcs_each_fn each, void *arg)
{
	struct pcs_sample sample;
	int i;

	for (i = 0; i < nr; i++)
		while (pcs_next(events[i], &sample))
			if (each)
				each(&sample, arg);
}

static uint64_t reads_made(void)
{
	struct pcs_account account;

	pcs_read_account(-1, &account);
	return account.planned - account.late - account.preempted;
}

static void collect(struct pcs_event **events, int nr, uint64_t ns, uint64_t longest,
		    pcs_each_fn each, void *arg)
{
	uint64_t begin = pcs_now(), enough = ns / events[0]->attr.sample_period / 2;
	uint64_t made = reads_made();
	int i;

	for (i = 0; i < nr; i++)
		pcs_enable(events[i]);
	while (pcs_now() < begin + ns ||
	       (reads_made() - made < enough && pcs_now() < begin + longest)) {
		pcs_sleep(20000000);
		drain(events, nr, each, arg);
	}
	for (i = 0; i < nr; i++)
		pcs_disable(events[i]);
	drain(events, nr, each, arg);
}

void pcs_collect(struct pcs_event **events, int nr, uint64_t ns, pcs_each_fn each, void *arg)
{
	collect(events, nr, ns, 15 * ns, each, arg);
}

void pcs_collect_for(struct pcs_event **events, int nr, uint64_t ns, pcs_each_fn each, void *arg)
{
	collect(events, nr, ns, ns, each, arg);
}

/*
 * Time and place
 */

void pcs_pin(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		die("cannot pin to CPU%d: %s", cpu, strerror(errno));
}

uint64_t pcs_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void pcs_sleep(uint64_t ns)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}
