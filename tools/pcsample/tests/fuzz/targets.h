/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is fuzzed with hostile input: one function for each format. Each must return, whatever the
 * bytes are, and no sanitizer may report an error.
 */
#ifndef PCSAMPLE_TESTS_FUZZ_TARGETS_H
#define PCSAMPLE_TESTS_FUZZ_TARGETS_H

#include <stdbool.h>

#include "base/array.h"

struct fuzz_target {
	const char *name;
	void (*run)(const u8 *p, size_t size);
	bool bounded;		/* memory and CPU time are limited by the size: watch.h */
};

/* Build-ids of files of other processes, as the recorder reads them */
void fuzz_build_id(const u8 *p, size_t size);

/* The last entry has no name */
extern const struct fuzz_target fuzz_targets[];

#endif /* PCSAMPLE_TESTS_FUZZ_TARGETS_H */
