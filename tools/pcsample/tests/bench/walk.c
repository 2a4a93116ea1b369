// SPDX-License-Identifier: GPL-2.0-only
/*
 * walk FILE: visit every record and check that it is whole, which is the least that a reader of a
 * recording must do. The bench divides the time of the report by that of this program, so that the
 * noise of the machine affects both. It does not use the library: else a faster reader would make
 * the report look slower.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/format.h"

int main(int argc, char **argv)
{
	const struct perf_event_header *rec;
	const struct perfdata_header *h;
	unsigned long long samples = 0;
	const char *p, *end;
	struct stat st;
	int fd;

	fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	if (fd < 0 || fstat(fd, &st) || st.st_size < sizeof(*h))
		return 1;
	h = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (h == MAP_FAILED || h->magic != PERFDATA_MAGIC || h->data.offset > st.st_size ||
	    h->data.size > st.st_size - h->data.offset)
		return 1;
	p = (const char *)h + h->data.offset;
	for (end = p + h->data.size; end - p >= sizeof(*rec); p += rec->size) {
		rec = (const struct perf_event_header *)p;
		if (rec->size < sizeof(*rec) || rec->size > end - p)
			return 1;
		samples += rec->type == PERF_RECORD_SAMPLE;
	}
	printf("%llu\n", samples);
	return 0;
}
