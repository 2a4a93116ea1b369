/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains of samples: what called the code that was sampled. Those that the kernel recorded
 * (PERF_SAMPLE_CALLCHAIN); behind its own frames, those of a copy of the user's stack, or of the
 * calls that the CPU remembers (PERF_SAMPLE_BRANCH_CALL_STACK); and those that it recorded when the
 * thread returned to user space (PERF_RECORD_CALLCHAIN_DEFERRED).
 */
#ifndef PCSAMPLE_PROFILE_CALLCHAIN_H
#define PCSAMPLE_PROFILE_CALLCHAIN_H

#include "profile/unwind.h"

/**
 * struct callchain_frame - an address of a chain
 * @ip: as recorded: where code was interrupted, or where a call will return to
 * @addr: of the code in its DSO, whose symbols are loaded
 * @back: that is so many bytes before @ip: 1 in a call, which may be the last instruction of its
 *	function
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
 * @caller: index of the first frame that is not the place of the sample itself: 1 or 0
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
 * callchain_find() - look the chain of a sample up
 * @c: takes it, in place of the one before; filled with zeros at first
 * @rs: of @s
 * @l: layout of the sample's event
 * @rec: l->size bytes of it are readable
 * @x: what resolve() found for it
 *
 * A record that is damaged, or has no chain, has one of no frames.
 *
 * Return: 0 or -ENOMEM.
 */
int callchain_find(struct callchain *c, struct session *s, struct resolver *rs,
		   const struct sample_layout *l, const u8 *rec, const struct resolved *x);
void callchain_deinit(struct callchain *c);

#endif /* PCSAMPLE_PROFILE_CALLCHAIN_H */
