/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds callers in a copy of the stack (perf record --call-graph dwarf) by the call frame
 * information of the code. Recordings of x86-64 and arm64 are unwound on any machine.
 */
#ifndef PCSAMPLE_PROFILE_UNWIND_H
#define PCSAMPLE_PROFILE_UNWIND_H

#include "profile/resolve.h"

struct cfi_row;

/**
 * struct unwind_frame - a frame of user space
 * @ip: the sampled address; in callers, an address in the call instruction
 * @dso, @addr: the object of @ip, and the address in it
 */
struct unwind_frame {
	u64 ip, addr;
	u32 dso;
};

/* Cache of the rows of recent addresses: to look in a DSO's own table takes a lock */
#define UNWIND_RECENT	1024

/**
 * struct unwinder - for one thread; filled with zeros at first
 * @frame: of the last sample, the innermost first
 */
struct unwinder {
	struct unwind_frame *frame;
	size_t nr, cap;
	struct unwind_recent {
		u64 addr;
		u32 dso;	/* index + 1 */
		const struct cfi_row *row;
	} recent[UNWIND_RECENT];
};

/* Can stacks of a recording be unwound? That depends on its machine, and on libdw. */
bool unwind_possible(const struct session *s);

/* Are there stacks of 32-bit programs in it, of which only the innermost frame is found? */
bool unwind_leaves_out(const struct session *s);

/**
 * unwind() - the frames of a sample
 * @x: what resolve() found for it
 *
 * Return: 0 or -ENOMEM.
 */
int unwind(struct unwinder *u, struct session *s, struct resolver *rs,
	   const struct sample_layout *l, const u8 *rec, const struct resolved *x);
void unwinder_deinit(struct unwinder *u);

#endif /* PCSAMPLE_PROFILE_UNWIND_H */
