/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts samples by call chain, for formats that contain counts.
 */
#ifndef PCSAMPLE_EXPORT_CALLS_H
#define PCSAMPLE_EXPORT_CALLS_H

#include "export/job.h"
#include "profile/call-paths.h"
#include "symbols/kernel-idle.h"

/**
 * struct call - an address and the chain of its callers
 * @caller: index of its caller, always less than its own; or CALL_NONE
 * @addr: in its DSO
 */
struct call {
	u32 caller;
	u32 dso;
	u64 addr;
};

/**
 * struct calls - the chains of all events that are exported
 * @call: chains share their outer callers: each is an element and, by @caller, those that called it
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
 * calls_place() - decode the key of an entry of @c->hist
 * @p: receives it; fields that are not in the key are 0, NO_EL or NO_VMID
 *
 * Return: index of its innermost call.
 */
u32 calls_place(const struct calls *c, size_t entry, struct place *p);

#endif /* PCSAMPLE_EXPORT_CALLS_H */
