/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings of machines with the other byte order. They are converted in memory before anything
 * else reads them. Each value is converted in its place, so that all offsets remain valid.
 *
 * Damaged data is converted up to the damage; the reader finds the damage then.
 */
#ifndef PCSAMPLE_PERFDATA_SWAP_H
#define PCSAMPLE_PERFDATA_SWAP_H

#include "base/idmap.h"
#include "perfdata/format.h"
#include "perfdata/sample.h"

/**
 * struct swapper - state to convert a recording
 * @event: which fields the samples of each event have
 * @event_ids: index of the event for each sample id
 */
struct swapper {
	struct swapped_event {
		struct sample_layout layout;
		u64 branch_type, user_regs, intr_regs;
	} *event;
	size_t nr, cap;
	struct idmap event_ids;
};

/* Does a file that begins with @p have the other byte order? */
bool swap_needed(const u8 *p, u64 size);

/**
 * swap_file() - convert a recording: a file, or all that came from a pipe
 * @s: filled with zeros; pass it to swap_records() later
 * @p: the whole file, writable
 *
 * Return: 0 or -ENOMEM.
 */
int swap_file(struct swapper *s, u8 *p, u64 size);

/**
 * swap_records() - convert records that swap_file() could not see: of other files, or compressed
 *
 * Return: 0 or -ENOMEM.
 */
int swap_records(struct swapper *s, u8 *p, u64 size);
void swapper_deinit(struct swapper *s);

#endif /* PCSAMPLE_PERFDATA_SWAP_H */
