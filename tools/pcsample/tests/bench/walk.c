// SPDX-License-Identifier: GPL-2.0-only
/*
 * walk FILE: the least that a reader can do: visit every record and check that it is whole. The
 * bench compares the report with it, because both see the same noise of the machine.
 */
#include <stdio.h>

#include "lib/perfdata.h"

int main(int argc, char **argv)
{
	struct error err = { "" };
	struct perfdata *pd;
	u64 pos = 0, samples = 0;
	const u8 *rec;

	if (argc != 2 || perfdata_open(&pd, argv[1], &err)) {
		fprintf(stderr, "walk: %s\n", err.text);
		return 1;
	}
	while ((rec = perfdata_next(pd, &pos)))
		samples += rec_type(rec) == PERF_RECORD_SAMPLE;
	printf("%llu\n", (unsigned long long)samples);
	perfdata_close(pd);
	return 0;
}
