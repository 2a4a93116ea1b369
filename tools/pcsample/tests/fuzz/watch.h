/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits memory and CPU time of one input: a bounded target takes no more than its size allows,
 * whatever the input claims.
 */
#ifndef PCSAMPLE_TESTS_FUZZ_WATCH_H
#define PCSAMPLE_TESTS_FUZZ_WATCH_H

#include "tests/fuzz/targets.h"

/* Set by a target that unpacks its input: the unpacked size counts then */
extern size_t watch_unpacked;

/**
 * watch_run() - run a target, and end the program if it takes too much
 *
 * It ends by abort(): libFuzzer takes that for a crash and keeps the input.
 */
void watch_run(const struct fuzz_target *t, const u8 *p, size_t size);

#endif /* PCSAMPLE_TESTS_FUZZ_WATCH_H */
