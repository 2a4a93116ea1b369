/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the driver share.
 *
 *	core.c		probe, CPU hotplug, who reads whom
 *	block.c		layouts, locks, power -> one PC sample
 *	reader.c	the timer of an event: plan, budget, ledger
 *	sample.c	one PC sample -> PERF_RECORD_SAMPLE
 *	pmu.c		perf callbacks and sysfs
 *
 * The rest, plan.c, budget.h, ledger.c, ident.c, attribution.c and assign.c, is pure logic.
 *
 * Locks, outermost first:
 *	cpu_hotplug_lock	which CPUs are online
 *	pcs.lock (mutex)	readers, blocks, number of events
 *	pcs.ledger_lock (raw)	who reads whom, as the timers see it; list of running events
 *	reader event lock (raw)	progress and counts of one event
 *	block lock (raw)	registers and power state of one block
 */
#ifndef ARM_PCSAMPLE_H
#define ARM_PCSAMPLE_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>

#include "assign.h"
#include "attribution.h"
#include "ident.h"
#include "ledger.h"
#include "plan.h"

#define PCS_NAME	"arm_pcsample"

/**
 * struct pcs_block - the PC-sample block of one CPU
 * @dev: its platform device
 * @base: its registers
 * @cpu: the CPU it samples
 * @layout: how its registers are reached; valid once @checked
 * @checked: the ID registers fit; set once, on the CPU itself, under pcs.lock
 * @disabled: PMAUTHSTATUS says that the host cannot be sampled; valid once @checked
 * @host_vmid: VMID under which the CPU runs the host; valid once @checked
 * @lock: for everything below, and for the registers: a read latches several of them
 * @powered: the Core power domain is on and stays on while @lock is held
 * @os_locked: the OS lock is set: a read of the samples would be an error response
 * @open: Software lock opened and first read discarded since power-up
 * @was_suspended: PMPCSCTL.EN was 0 before the driver came
 * @warned: a complaint about this block was printed since power-up
 * @last: last sample
 * @repeats: how often in succession the Exception level and the contexts of @last were read
 * @busy_since: time the CPU had been busy when that began, ns
 * @since: clock when that began, ns
 * @contradictions: how often in succession the scheduler contradicted a repeated context
 */
struct pcs_block {
	struct device *dev;
	void __iomem *base;
	int cpu;
	struct pcs_layout layout;
	bool checked;
	bool disabled;
	u16 host_vmid;

	raw_spinlock_t lock;
	bool powered;
	bool os_locked;
	bool open;
	bool was_suspended;
	bool warned;
	struct pcs_regs last;
	u32 repeats;
	u64 busy_since;
	u64 since;
	u32 contradictions;
};

/**
 * struct pcs_target - one target of one event
 * @cpu: the CPU that is sampled
 * @unseen: reads planned since the last one that was made; the next one stands for their time too
 * @ledger: its account since the event was started; @ledger.planned stays 0 until it is closed
 */
struct pcs_target {
	int cpu;
	u64 unseen;
	struct pcs_ledger ledger;
};

/**
 * struct pcs_event - the driver's side of a perf event
 * @event: the perf event
 * @node: in pcs.running while the event runs; under pcs.ledger_lock
 * @seats: the readers, by seat, that the event speaks for: those on its CPU when it was opened
 * @targets_mask: attr.config1: CPUs to sample, bit by bit; 0 for all
 * @filter: what of the samples it wants
 * @dither: see struct pcs_plan
 * @seed: see struct pcs_plan
 * @timer: pinned to the event's CPU
 * @lock: for what follows, between the timer and readers of the ledger
 * @plan: valid if @nr_targets and the event samples
 * @done: reads of the plan that are accounted for
 * @seq: reads of the plans before this one
 * @blocked_until: clock until which the reader stayed away for want of budget, ns
 * @nr_targets: length of @target
 * @target: what this event samples now
 */
struct pcs_event {
	struct perf_event *event;
	struct list_head node;
	struct cpumask seats;
	u64 targets_mask;
	struct pcs_filter filter;
	bool dither;
	u32 seed;
	struct hrtimer timer;

	raw_spinlock_t lock;
	struct pcs_plan plan;
	u64 done;
	u64 seq;
	u64 blocked_until;
	u32 nr_targets;
	struct pcs_target target[];
};

/**
 * struct pcs_driver - the one instance of the driver
 * @pmu: the perf PMU
 * @ready: the module is far enough for @pmu to be registered; under @lock
 * @registered: @pmu is registered; under @lock
 * @host: this kernel
 * @lock: see the list of locks above
 * @online: CPUs that are up, as far as the driver's hotplug callbacks have seen; under @lock
 * @wanted: seats of the readers, as the user or the default chose them; under @lock
 * @nr_events: events that exist; under @lock
 * @block: by CPU, NULL where there is none or it does not fit. Written under @lock and
 *	@ledger_lock, and no event visits a target whose block is taken away
 * @ledger_lock: see the list of locks above
 * @seats: who reads whom. Written under @lock and @ledger_lock
 * @running: events that run, &struct pcs_event.node; under @ledger_lock
 * @ledger: by CPU, accounts of what ran before; under @ledger_lock
 */
struct pcs_driver {
	struct pmu pmu;
	bool ready;
	bool registered;
	struct pcs_host host;

	struct mutex lock;		/* see the list of locks */
	struct cpumask online;
	struct cpumask wanted;
	unsigned int nr_events;
	struct pcs_block **block;

	raw_spinlock_t ledger_lock;
	struct pcs_seats seats;
	struct list_head running;
	struct pcs_ledger *ledger;
};

extern struct pcs_driver pcs;

/* block.c */
enum pcs_ident_fault pcs_block_attach(struct pcs_block *block, struct pcs_ident *id, u64 *mpidr);
void pcs_block_detach(struct pcs_block *block);
void pcs_block_power_up(struct pcs_block *block);
void pcs_block_power_down(struct pcs_block *block);
void pcs_block_forget(struct pcs_block *block);
enum pcs_outcome pcs_block_read(struct pcs_block *block, struct pcs_regs *regs);

/* sample.c */
bool pcs_sample_is_impossible(const struct pcs_block *block, const struct pcs_regs *regs);
u64 pcs_busy_time(int cpu);
enum pcs_outcome pcs_sample_output(struct pcs_event *ev, const struct pcs_regs *regs, u64 period,
				   struct arm_pcsample_record *record);
bool pcs_sample_type_is_supported(u64 sample_type);
bool pcs_vcpu_is_loaded(void);
void pcs_find_kvm(void);
void pcs_put_kvm(void);

/* reader.c */
void pcs_reader_init_event(struct pcs_event *ev);
void pcs_reader_start(struct pcs_event *ev);
void pcs_reader_stop(struct pcs_event *ev);
void pcs_reader_update(struct pcs_event *ev);
void pcs_reader_replan(void);
void pcs_ledger_snapshot(int cpu, struct pcs_ledger *sum);

/* pmu.c */
int pcs_pmu_register(void);
void pcs_pmu_unregister(void);
int pcs_pmu_block_added(void);

/* core.c */
int pcs_event_opened(struct pcs_event *ev);
void pcs_event_closed(void);
int pcs_set_readers(const struct cpumask *readers);
void pcs_get_readers(struct cpumask *readers);

#endif /* ARM_PCSAMPLE_H */
