/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory and time of one input: a target that is bounded takes no more than its size allows,
 * whatever the input claims.
 */
#ifndef PCSAMPLE_TESTS_FUZZ_WATCH_H
#define PCSAMPLE_TESTS_FUZZ_WATCH_H

#include "tests/fuzz/targets.h"

/* Bytes that the target unpacked its input to, set by it: that is the size then */
extern size_t watch_unpacked;

/**
 * watch_run() - run a target, and end the program if it takes too much
 *
 * It ends by abort(), which libFuzzer takes for a crash and keeps the input.
 */
void watch_run(const struct fuzz_target *t, const u8 *p, size_t size);

#endif /* PCSAMPLE_TESTS_FUZZ_WATCH_H */
