// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples itself in user space with a precise event. What perf asks for besides differs from one
 * version to the next: exclude_guest is 1 by default up to 6.12 and 0 after it.
 *
 * Usage: precise EVENT PRECISE_IP EXCLUDE_GUEST [STALE]: prints how many samples there are and how
 * many of them say that their address is exact, "SAMPLES EXACT", or what the kernel says instead.
 * EVENT is a number of the PMU, STALE a parameter of pcs_ppend, which makes one more overflow.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES	64

static void work(void)
{
	volatile unsigned long sum = 0;
	unsigned long i;

	for (i = 0; i < 1000000; i++)
		sum += i & 1 ? i : sum;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= PERF_TYPE_RAW,
		.sample_period	= 10007,
		.sample_type	= PERF_SAMPLE_IP,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
		.disabled	= 1,
	};
	unsigned long samples = 0, exact = 0;
	struct perf_event_mmap_page *page;
	struct perf_event_header *header;
	uint64_t at;
	char *data;
	int fd;

	if (argc < 4 || argc > 5)
		return 2;
	attr.config = strtoul(argv[1], NULL, 0);
	attr.precise_ip = atoi(argv[2]);
	attr.exclude_guest = atoi(argv[3]);
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0) {
		printf("%s\n", errno == EOPNOTSUPP ? "EOPNOTSUPP" : strerror(errno));
		return 0;
	}
	page = mmap(NULL, (PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work();
	if (argc > 4 && write(open(argv[4], O_WRONLY), "1", 1) != 1) {
		perror(argv[4]);
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	/* The ring is larger than all that is written to it */
	data = (char *)page + page->data_offset;
	for (at = 0; at < page->data_head; at += header->size) {
		header = (struct perf_event_header *)(data + at);
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		if (header->misc & PERF_RECORD_MISC_EXACT_IP)
			exact++;
	}
	printf("%lu %lu\n", samples, exact);
	return 0;
}
