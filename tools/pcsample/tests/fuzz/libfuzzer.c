// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the targets under libFuzzer; FUZZ_TARGET in the environment names one. See
 * tests/fuzz/run.sh.
 */
#include <stdio.h>

#include "tests/fuzz/watch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *p, size_t size);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	for (target = fuzz_targets; target->name; target++)
		if (name && !strcmp(name, target->name))
			return 0;
	fprintf(stderr, "libfuzzer: FUZZ_TARGET is no target\n");
	exit(1);
}

int LLVMFuzzerTestOneInput(const u8 *p, size_t size)
{
	watch_run(target, p, size);
	return 0;
}
