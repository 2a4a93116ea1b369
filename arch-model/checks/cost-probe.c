// SPDX-License-Identifier: GPL-2.0-only
/*
 * The computations that a reader's timer does for one sample, in one function: checks/cost counts
 * its instructions.
 */
#include <arch-model/linux-sample.h>

/**
 * struct decoded - a sample, ready for a perf record
 * @pc: virtual address
 * @tid: task, where the Context ID of the kernel names it
 * @el: Exception level
 * @state: Security state
 */
struct decoded {
	u64 pc;
	u32 tid;
	u8 el;
	u8 state;
};

/* The registers come from MMIO reads, whose cost does not count */
bool cost_decode(const struct am_linux *host, u64 pmpcsr, u32 cid1, u32 cid2, struct decoded *out)
{
	if (pcs_is_none(pmpcsr))
		return false;
	out->pc = pcs_pc(pmpcsr);
	out->el = pcs_el(pmpcsr);
	out->state = pcs_state(pmpcsr);
	out->tid = am_linux_tid(host, cid1, cid2);
	return true;
}
