/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects that the clock was set, or that the machine slept, during a recording.
 */
#ifndef PCSAMPLE_CAPTURE_CLOCKS_H
#define PCSAMPLE_CAPTURE_CLOCKS_H

#include <stddef.h>

#include <arch-model/types.h>

/**
 * struct clocks - how far two clocks are ahead of CLOCK_MONOTONIC, the clock of samples, ns
 * @wall: CLOCK_REALTIME. Both are slewed alike, so this changes only when the time of day is set
 * @asleep: CLOCK_BOOTTIME: how long the machine was suspended since it booted
 */
struct clocks {
	s64 wall, asleep;
};

void clocks_read(struct clocks *c);

/* What happened between two readings, as notes for the recording; empty if nothing did */
struct clocks_notes {
	char wall[160], asleep[160];
};

void clocks_compare(const struct clocks *before, const struct clocks *after,
		    struct clocks_notes *notes);

#endif /* PCSAMPLE_CAPTURE_CLOCKS_H */
