/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains of samples: what called the code that was sampled. The frames come from the chain
 * that the kernel recorded with the sample (PERF_SAMPLE_CALLCHAIN). Those of user space may instead
 * come from a copy of the user's stack (PERF_SAMPLE_STACK_USER), from the calls that the CPU
 * remembers (PERF_SAMPLE_BRANCH_CALL_STACK), or from a record that the kernel wrote when the thread
 * returned to user space (PERF_RECORD_CALLCHAIN_DEFERRED).
 */
#ifndef PCSAMPLE_PROFILE_CALLCHAIN_H
#define PCSAMPLE_PROFILE_CALLCHAIN_H

#include "profile/unwind.h"

/**
 * struct callchain_frame - an address of a chain
 * @ip: as recorded: where code was interrupted, or where a call will return to
 * @addr: of the code in its DSO, whose symbols are loaded
 * @back: how many bytes before @ip that was looked up: 1 for a return address, since the call
 *	before it may be the last instruction of its function; else 0
 * @dso: index
 * @sym: index in the symbols of the DSO, or SYM_NONE
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, ...; _CPUMODE_UNKNOWN of a context that is not known
 */
struct callchain_frame {
	u64 ip, addr;
	u32 dso, sym;
	u8 mode, back;
};

/**
 * struct callchain - the chain of a sample
 * @frame: the innermost first. A record has room for 8190.
 * @caller: index of the first caller: 1 if frame 0 is the sampled code itself, else 0
 */
struct callchain {
	struct callchain_frame *frame;
	size_t nr, cap;
	unsigned int caller;
	struct unwinder *unwinder;	/* private */
};

/* Do the samples of an event have chains of more than their own address? */
bool callchain_recorded(const struct recorded_event *e);

/**
 * callchain_find() - look up the chain of a sample
 * @c: receives it, in place of an earlier one; filled with zeros at first
 * @rs: of @s
 * @l: layout of the sample's event
 * @rec: l->size bytes of it are readable
 * @x: what resolve() found for it
 *
 * A record that is damaged, or has no chain, gives 0 frames.
 *
 * Return: 0 or -ENOMEM.
 */
int callchain_find(struct callchain *c, struct session *s, struct resolver *rs,
		   const struct sample_layout *l, const u8 *rec, const struct resolved *x);
void callchain_deinit(struct callchain *c);

#endif /* PCSAMPLE_PROFILE_CALLCHAIN_H */
