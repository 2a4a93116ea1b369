/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What hostile input is fed to: one function for each format. They must return whatever the bytes
 * are, without a report of the sanitizers.
 */
#ifndef PCSAMPLE_TESTS_FUZZ_TARGETS_H
#define PCSAMPLE_TESTS_FUZZ_TARGETS_H

#include <stdbool.h>

#include "base/array.h"

struct fuzz_target {
	const char *name;
	void (*run)(const u8 *p, size_t size);
	bool bounded;		/* memory and time are, by the size: watch.h */
};

/* What the recorder reads of the files of other processes */
void fuzz_build_id(const u8 *p, size_t size);

/* The last one has no name */
extern const struct fuzz_target fuzz_targets[];

#endif /* PCSAMPLE_TESTS_FUZZ_TARGETS_H */
