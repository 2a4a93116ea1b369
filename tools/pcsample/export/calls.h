/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts samples by call chain, for formats that hold counts.
 */
#ifndef PCSAMPLE_EXPORT_CALLS_H
#define PCSAMPLE_EXPORT_CALLS_H

#include "export/job.h"
#include "profile/call-paths.h"
#include "symbols/kernel-idle.h"

/**
 * struct call - an address in a chain
 * @caller: index of what called it, always less than its own, or CALL_NONE
 * @addr: in its DSO
 */
struct call {
	u32 caller;
	u32 dso;
	u64 addr;
};

/**
 * struct calls - all of the events that are exported
 * @call: all addresses with all that called them; a chain is one of them and its callers
 * @hist: samples by the innermost call of their chain, event, thread, CPU, privilege, cgroup and
 *	idle
 */
struct calls {
	const struct export_job *job;
	struct call *call;
	size_t nr, cap;
	struct hist hist;

	/* private */
	struct numbers by_caller;
	struct callchain chain;
	struct kernel_idle idle;
	u32 event;		/* whose samples are counted */
};

/* Return: 0 or -ENOMEM. */
int calls_find(struct calls *c, const struct export_job *job);
void calls_deinit(struct calls *c);

/**
 * calls_place() - what an entry of @c->hist is the count of
 * @p: takes it; what else the fields are for is not told apart
 *
 * Return: index of its innermost call.
 */
u32 calls_place(const struct calls *c, size_t entry, struct place *p);

#endif /* PCSAMPLE_EXPORT_CALLS_H */
