/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * May the registers of a block be touched, and are they ready to be read?
 *
 * The sample registers are in the Core power domain of the sampled PE, the ID registers and the
 * Software lock in its Debug power domain (Arm DDI 0487 M.a.a, I3.1, H6.2), and a board may stop
 * the clock of both. An access to a register without power or clock gets an error response, which
 * most systems deliver as an external abort that the kernel does not survive.
 *
 * So the state of a block is a set of reasons not to touch it, and what the driver has done to it
 * since the last one. Every event adds reasons or takes them away; the table in power.c is the only
 * place that says which. Reasons are independent of each other: that a CPU left an idle state says
 * nothing about whether it is about to go offline.
 *
 * Pure: unit tests compile it in user space. The caller holds the lock of the block, and events of
 * the PE itself (see enum pcs_power_event) come from that PE with its interrupts disabled, so that
 * no other event of it is overtaken.
 */
#ifndef ARM_PCSAMPLE_POWER_H
#define ARM_PCSAMPLE_POWER_H

#include <arch-model/bits.h>
#include <arch-model/types.h>

/* Reasons not to touch a block */
#define PCS_OFF_OFFLINE		BIT_ULL(0)	/* the CPU is not up, as CPU hotplug sees it */
#define PCS_OFF_IDLE		BIT_ULL(1)	/* in an idle state without power, or nearly */
#define PCS_OFF_CLUSTER		BIT_ULL(2)	/* likewise its cluster */
#define PCS_OFF_ASLEEP		BIT_ULL(3)	/* the machine is suspended, or on its way there */
#define PCS_OFF_UNHELD		BIT_ULL(4)	/* nobody holds the clocks and the power domain */
#define PCS_OFF_GONE		BIT_ULL(5)	/* removed, or shut down: for good */

/* What the driver has done to a block */
#define PCS_DONE_ACTIVE		BIT_ULL(0)	/* sampling is active, and a branch retired since */
#define PCS_DONE_OPEN		BIT_ULL(1)	/* ... and its locks are open: it can be read */

/**
 * struct pcs_power - state of one block
 * @off: PCS_OFF_*; the registers may be touched while there is none
 * @done: PCS_DONE_*
 */
struct pcs_power {
	u8 off;
	u8 done;
};

/**
 * enum pcs_power_event - what happens to a block
 * @PCS_POWER_ONLINE: CPU hotplug: the CPU is up, also after an offline that was rolled back
 * @PCS_POWER_OFFLINE: the CPU is going down, also after an online that was rolled back
 * @PCS_POWER_IDLE_ENTER: CPU_PM_ENTER
 * @PCS_POWER_IDLE_FAILED: CPU_PM_ENTER_FAILED
 * @PCS_POWER_IDLE_EXIT: CPU_PM_EXIT
 * @PCS_POWER_CLUSTER_ENTER: CPU_CLUSTER_PM_ENTER
 * @PCS_POWER_CLUSTER_FAILED: CPU_CLUSTER_PM_ENTER_FAILED
 * @PCS_POWER_CLUSTER_EXIT: CPU_CLUSTER_PM_EXIT
 * @PCS_POWER_SUSPEND: the device is suspended with the machine
 * @PCS_POWER_RESUME: and resumed
 * @PCS_POWER_HOLD: clocks and power domain are on
 * @PCS_POWER_RELEASE: they may go off
 * @PCS_POWER_GONE: shutdown, or removal of the device
 * @PCS_POWER_ACTIVATED: the PE itself activated sampling, and retired a branch after that; or it
 *	does not answer, and the next read is to activate it
 * @PCS_POWER_OPENED: the locks are open
 * @PCS_POWER_SUSPENDED_SAMPLING: the driver suspended sampling again (PMPCSCTL.EN)
 * @PCS_POWER_NR_EVENTS: number of events
 *
 * Those up to @PCS_POWER_CLUSTER_EXIT are of the PE itself.
 */
enum pcs_power_event {
	PCS_POWER_ONLINE,
	PCS_POWER_OFFLINE,
	PCS_POWER_IDLE_ENTER,
	PCS_POWER_IDLE_FAILED,
	PCS_POWER_IDLE_EXIT,
	PCS_POWER_CLUSTER_ENTER,
	PCS_POWER_CLUSTER_FAILED,
	PCS_POWER_CLUSTER_EXIT,
	PCS_POWER_SUSPEND,
	PCS_POWER_RESUME,
	PCS_POWER_HOLD,
	PCS_POWER_RELEASE,
	PCS_POWER_GONE,
	PCS_POWER_ACTIVATED,
	PCS_POWER_OPENED,
	PCS_POWER_SUSPENDED_SAMPLING,
	PCS_POWER_NR_EVENTS
};

/**
 * pcs_power_init() - state of a block that was just found
 * @power: the state
 *
 * Its CPU is offline and its clocks are off until somebody who knows says otherwise.
 */
void pcs_power_init(struct pcs_power *power);

/**
 * pcs_power_event() - something happens to a block
 * @power: the state
 * @event: what happens
 *
 * The caller uses the registers until just before an event that may take power away, and from just
 * after one that gives power. It holds the lock of the block over the event and this change.
 */
void pcs_power_event(struct pcs_power *power, enum pcs_power_event event);

/**
 * pcs_power_is_on() - may the registers be touched?
 * @power: the state
 */
static inline bool pcs_power_is_on(const struct pcs_power *power)
{
	return !power->off;
}

/**
 * pcs_power_is_asleep() - is the machine suspended?
 * @power: the state
 */
static inline bool pcs_power_is_asleep(const struct pcs_power *power)
{
	return power->off & PCS_OFF_ASLEEP;
}

/**
 * pcs_power_is_open() - is what the sample registers show a sample?
 * @power: the state
 */
static inline bool pcs_power_is_open(const struct pcs_power *power)
{
	return !power->off && (power->done & PCS_DONE_OPEN);
}

#endif /* ARM_PCSAMPLE_POWER_H */
