// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether any sample is missing or comes twice: each sample of an event on all CPUs has the value
 * of its counter, and that says whether it was due, and how late it is.
 *
 * Usage: count SECONDS PERIOD: prints "PERIODS SAMPLES MISSED DOUBLED LOST", where PERIODS is how
 * many there were by the counters at the end, MISSED how many have no sample, DOUBLED how many
 * samples were not due, and LOST how many the kernel had no space for.
 *
 * After an overflow that is handled late the next one is on time. Only if it is late by a whole
 * period or more, armpmu_event_set_period() makes one sample of all and begins to count anew.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_CPUS	8
#define PAGES		256

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t due;		/* The value of the counter at which there is to be a sample */
};

static unsigned long period, samples, missed, doubled, lost;

static void count_sample(struct ring *ring, uint64_t value)
{
	samples++;
	if (value < ring->due) {
		doubled++;
	} else if (value - ring->due < period) {
		ring->due += period;
	} else {
		missed += (value - ring->due) / period;
		ring->due = value + period;
	}
}

/* The record is copied out, as it may begin at the end of the ring and end at its beginning */
static void copy_record(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->page + ring->page->data_offset;
	uint64_t offset = at % ring->page->data_size;
	size_t first = ring->page->data_size - offset;

	if (first > size)
		first = size;
	memcpy(to, data + offset, first);
	memcpy((char *)to + first, data, size - first);
}

static void drain(struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct {
		struct perf_event_header header;
		uint64_t body[8];
	} record;

	for (; tail < head; tail += record.header.size) {
		copy_record(ring, tail, &record.header, sizeof(record.header));
		copy_record(ring, tail, &record, record.header.size < sizeof(record) ?
			    record.header.size : sizeof(record));
		switch (record.header.type) {
		case PERF_RECORD_SAMPLE:
			count_sample(ring, record.body[0]);
			break;
		case PERF_RECORD_LOST:
			lost += record.body[1];
			break;
		}
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= PERF_TYPE_HARDWARE,
		.config		= PERF_COUNT_HW_CPU_CYCLES,
		.sample_type	= PERF_SAMPLE_READ,
		.disabled	= 1,
	};
	unsigned long periods = 0;
	struct ring rings[MAX_CPUS];
	struct pollfd fds[MAX_CPUS];
	int nr, i;
	time_t end;

	if (argc != 3)
		return 2;
	period = strtoul(argv[2], NULL, 0);
	attr.sample_period = period;
	for (nr = 0; nr < MAX_CPUS && nr < sysconf(_SC_NPROCESSORS_ONLN); nr++) {
		rings[nr].due = period;
		rings[nr].fd = syscall(SYS_perf_event_open, &attr, -1, nr, -1, 0);
		if (rings[nr].fd < 0) {
			perror("perf_event_open");
			return 1;
		}
		rings[nr].page = mmap(NULL, (PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE,
				      MAP_SHARED, rings[nr].fd, 0);
		if (rings[nr].page == MAP_FAILED) {
			perror("mmap");
			return 1;
		}
		fds[nr] = (struct pollfd){ .fd = rings[nr].fd, .events = POLLIN };
	}
	for (i = 0; i < nr; i++)
		ioctl(rings[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	for (end = time(NULL) + atoi(argv[1]); time(NULL) < end;) {
		poll(fds, nr, 100);
		for (i = 0; i < nr; i++)
			drain(&rings[i]);
	}
	for (i = 0; i < nr; i++) {
		uint64_t count = 0;

		ioctl(rings[i].fd, PERF_EVENT_IOC_DISABLE, 0);
		if (read(rings[i].fd, &count, sizeof(count)) != sizeof(count))
			return 1;
		periods += count / period;
		drain(&rings[i]);
		if (count >= rings[i].due)
			missed += (count - rings[i].due) / period + 1;
	}
	printf("%lu %lu %lu %lu %lu\n", periods, samples, missed, doubled, lost);
	return 0;
}
