// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether any sample is missing or comes twice: each sample of an event on all CPUs has the value
 * of its counter, and that says whether it was due, and how late it is.
 *
 * Usage: count SECONDS PERIOD: prints "PERIODS SAMPLES MISSED RAN DOUBLED LOST", where PERIODS is
 * how many there were by the counters at the end, MISSED how many have no sample, RAN how many of
 * these ended on a CPU that took interrupts afterwards, DOUBLED how many samples were not due, and
 * LOST how many the kernel had no space for.
 *
 * After an overflow that is handled late the next one is on time. Only if it is late by a whole
 * period or more, armpmu_event_set_period() makes one sample of all and begins to count anew.
 *
 * The emulated counter of cycles goes on, 1 each ns, while the host runs neither the CPU nor the
 * thread that has timers expire. When a CPU takes an interrupt, though, the emulator looks at the
 * counter, and the exception is unmasked before the interrupt has its handler. The counter may
 * reach the value at which a sample is due between the two, so only the second interrupt after that
 * proves something: that the CPU did not take the exception. A timer interrupts each CPU at least
 * twice in a period.
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

/*
 * @due: the value of the counter at which there is to be a sample
 * @interrupts: when the last two interrupts were, the older one first, in ns
 */
struct ring {
	int fd;
	uint64_t id, interrupt_id;
	struct perf_event_mmap_page *page;
	uint64_t due;
	uint64_t interrupts[2];
};

static unsigned long period, samples, missed, ran, doubled, lost;

static void count_interrupt(struct ring *ring, uint64_t time)
{
	ring->interrupts[0] = ring->interrupts[1];
	ring->interrupts[1] = time;
}

static void count_sample(struct ring *ring, uint64_t time, uint64_t value)
{
	uint64_t late = value - ring->due;

	samples++;
	if (value < ring->due) {
		doubled++;
	} else if (late < period) {
		ring->due += period;
	} else {
		missed += late / period;
		/* It was due @late ns ago or earlier: the counter may stop, but not outrun time */
		if (ring->interrupts[0] >= time - late)
			ran += late / period;
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
			if (record.body[0] == ring->id)
				count_sample(ring, record.body[1], record.body[2]);
			else if (record.body[0] == ring->interrupt_id)
				count_interrupt(ring, record.body[1]);
			break;
		case PERF_RECORD_LOST:
			lost += record.body[1];
			break;
		}
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int open_event(struct perf_event_attr *attr, int cpu, uint64_t *id)
{
	int fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, 0);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_ID, id))
		fail("perf_event_open");
	return fd;
}

/* The number of the tracepoint at which an interrupt has its handler called */
static unsigned long interrupt_tracepoint(void)
{
	FILE *file = fopen("/sys/kernel/tracing/events/irq/irq_handler_entry/id", "r");
	unsigned long number;

	if (!file || fscanf(file, "%lu", &number) != 1)
		fail("irq_handler_entry");
	fclose(file);
	return number;
}

/*
 * Samples and interrupts go to the same ring, so what is read of it is in order. The timer has no
 * ring: it is there to interrupt, 2.5 times in a period.
 */
static void open_ring(struct ring *ring, int cpu)
{
	struct perf_event_attr cycles = {
		.size		= sizeof(cycles),
		.type		= PERF_TYPE_HARDWARE,
		.config		= PERF_COUNT_HW_CPU_CYCLES,
		.sample_period	= period,
		.sample_type	= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
		.disabled	= 1,
	};
	struct perf_event_attr clock = {
		.size		= sizeof(clock),
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.sample_period	= period * 2 / 5,
	};
	struct perf_event_attr interrupt = {
		.size		= sizeof(interrupt),
		.type		= PERF_TYPE_TRACEPOINT,
		.config		= interrupt_tracepoint(),
		.sample_period	= 1,
		.sample_type	= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
	};
	int fd;

	*ring = (struct ring){ .due = period };
	ring->fd = open_event(&cycles, cpu, &ring->id);
	ring->page = mmap(NULL, (PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, 0);
	if (ring->page == MAP_FAILED)
		fail("mmap");
	open_event(&clock, cpu, &(uint64_t){ 0 });
	fd = open_event(&interrupt, cpu, &ring->interrupt_id);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
		fail("PERF_EVENT_IOC_SET_OUTPUT");
}

/* What is left in the ring, and the periods since the last sample */
static unsigned long close_ring(struct ring *ring)
{
	uint64_t count;

	ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(ring->fd, &count, sizeof(count)) != sizeof(count))
		fail("read");
	drain(ring);
	if (count >= ring->due)
		missed += (count - ring->due) / period + 1;
	return count / period;
}

int main(int argc, char **argv)
{
	unsigned long periods = 0;
	struct ring rings[MAX_CPUS];
	struct pollfd fds[MAX_CPUS];
	int nr, i;
	time_t end;

	if (argc != 3)
		return 2;
	period = strtoul(argv[2], NULL, 0);
	for (nr = 0; nr < MAX_CPUS && nr < sysconf(_SC_NPROCESSORS_ONLN); nr++) {
		open_ring(&rings[nr], nr);
		fds[nr] = (struct pollfd){ .fd = rings[nr].fd, .events = POLLIN };
	}
	for (i = 0; i < nr; i++)
		ioctl(rings[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	for (end = time(NULL) + atoi(argv[1]); time(NULL) < end;) {
		poll(fds, nr, 100);
		for (i = 0; i < nr; i++)
			drain(&rings[i]);
	}
	for (i = 0; i < nr; i++)
		periods += close_ring(&rings[i]);
	printf("%lu %lu %lu %lu %lu %lu\n", periods, samples, missed, ran, doubled, lost);
	return 0;
}
