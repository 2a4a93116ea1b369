/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings of machines with the other byte order. They are converted in memory before anything
 * else reads them, each value in its place, so that all offsets stay.
 *
 * What is damaged is converted up to the damage, which its reader then finds.
 */
#ifndef PCSAMPLE_PERFDATA_SWAP_H
#define PCSAMPLE_PERFDATA_SWAP_H

#include "base/idmap.h"
#include "perfdata/format.h"
#include "perfdata/sample.h"

/**
 * struct swapper - what is known of a recording of the other byte order
 * @event: what its samples hold
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

/* Is it a recording of the other byte order? @p: @size bytes of its beginning */
bool swap_needed(const u8 *p, u64 size);

/**
 * swap_file() - convert a recording: a file or a pipe
 * @s: filled with zeros; for swap_records() afterwards
 * @p: all of it, writable
 *
 * Return: 0 or -ENOMEM.
 */
int swap_file(struct swapper *s, u8 *p, u64 size);

/**
 * swap_records() - convert more records of it: of another file, or compressed
 *
 * Return: 0 or -ENOMEM.
 */
int swap_records(struct swapper *s, u8 *p, u64 size);
void swapper_deinit(struct swapper *s);

#endif /* PCSAMPLE_PERFDATA_SWAP_H */
