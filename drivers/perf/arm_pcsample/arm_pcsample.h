/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the driver share. Each calls those below it and none above.
 *
 *	core.c		probe, CPU hotplug, CPU PM
 *	by_hand.c	blocks that nothing describes
 *	amba_ids.c	by what the AMBA bus tells the external debug blocks
 *	panic.c		where CPUs hang at a panic
 *	rom.c		where the CPUs' debug components are, for people
 *	pmu.c		perf callbacks and sysfs
 *	seats.c		who reads whom; holds the blocks while there are events
 *	reader.c	the timer of an event: plan, budget, ledger
 *	sample.c	one PC sample -> PERF_RECORD_SAMPLE
 *	block.c		locks, clocks, power -> one PC sample
 *	counters.c	the PMU counters that snapshots are read for
 *	sets.c		the registers of each kind of block
 *	host.c		this kernel: its tasks, guests and counters
 *
 * The rest, plan.c, budget.h, ledger.c, ident.c, power.c, attribution.c, assign.c, counts.c and
 * match.c, is pure logic.
 *
 * Locks, outermost first. perf's mutexes are outside all of them, because perf calls event_init()
 * with its own held. The mutex of counters.c is outside perf's.
 *	cpu_hotplug_lock	which CPUs are online
 *	.lock (mutex)		readers, blocks, number of events
 *	pcs_asking (mutex)	who asks a CPU to open or leave its block
 *	.ledger_lock (raw)	who reads whom, as the timers see it; list of running events
 *	reader event lock (raw)	progress and counts of one event
 *	block lock (raw)	registers and power state of one block
 */
#ifndef ARM_PCSAMPLE_H
#define ARM_PCSAMPLE_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mod_devicetable.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#ifdef PCS_IN_TREE
#include <linux/timer.h>
#endif

#include "assign.h"
#include "attribution.h"
#include "counts.h"
#include "ident.h"
#include "ledger.h"
#include "match.h"
#include "plan.h"
#include "power.h"
#include "sets.h"

#define PCS_NAME	"arm_pcsample"

/* attr.config1 of the CPU's PMU: a counter of 64 bits */
#define PCS_ARM_PMU_LONG	1

struct clk_bulk_data;

/**
 * enum pcs_fault - why a block that has power cannot be read
 * @PCS_FAULT_NONE: it can
 * @PCS_FAULT_DISABLED: the authentication interface prohibits it to sample this kernel
 * @PCS_FAULT_OS_LOCK: the OS lock does not open, or the OS Double Lock is set: a read would be an
 *	error response
 * @PCS_FAULT_SOFTWARE_LOCK: the Software lock stays shut: contexts would not belong to the PC
 */
enum pcs_fault {
	PCS_FAULT_NONE,
	PCS_FAULT_DISABLED,
	PCS_FAULT_OS_LOCK,
	PCS_FAULT_SOFTWARE_LOCK,
};

/**
 * struct pcs_block - the PC-sample block of one CPU
 * @dev: its device
 * @node: what firmware describes it as
 * @host: this kernel
 * @cpu: the CPU it samples
 * @nr_clocks: length of @clocks
 * @clocks: its clocks
 * @clocked: they run; under arm_pcsample.lock
 * @holds: who wants the clocks and the power domain on; under arm_pcsample.lock
 * @said: the fault that the log has; under arm_pcsample.lock
 * @said_os_unlocked: the log says that the OS lock was opened; under arm_pcsample.lock
 * @said_relocked: the log says that the Software lock was closed; under arm_pcsample.lock
 * @said_no_captures: the log says that there are no snapshots; under arm_pcsample.lock
 * @said_secure: the log says that the kernel runs in Secure state; under arm_pcsample.lock
 * @checked: the ID registers fit; set on the CPU itself
 * @question: what the CPU is asked with; see pcs_ask()
 * @answered: completed each time that it has answered
 * @asked: it has not answered yet; under pcs_asking
 * @lock: for everything below, and for the registers: a read latches several of them
 * @frame: the registers; all but its base is valid once @checked
 * @power: may the registers be touched, and are they ready?
 * @os_locked: the OS lock was set when the CPU looked last: at each event of its power
 * @os_lock_is_known: it has looked since it got power, if it has any
 * @os_unlocked: it was set, and the driver has opened it
 * @farewell: the CPU is asked to report this event; PCS_POWER_NR_EVENTS if it is asked to open the
 *	block
 * @fault: why not, if it has power
 * @may_activate: the next sample is UNKNOWN, as its read may be the one that activates sampling
 * @captures: Capture events have been seen to happen
 * @no_captures: no Capture event happened when snapshots were wanted last: samples are taken by
 *	reads in their place
 * @last: the last sample
 * @host_is_known: @host_vmid was seen
 * @host_vmid: VMID under which the CPU runs the host; 0, as KVM has it, until it was seen
 * @secure_seen: what should be a sample of this kernel was taken in Secure state
 */
struct pcs_block {
	struct device *dev;
	enum pcs_node node;
	const struct pcs_host *host;
	int cpu;
	int nr_clocks;
	struct clk_bulk_data *clocks;
	bool clocked;
	unsigned int holds;
	enum pcs_fault said;
	bool said_os_unlocked;
	bool said_relocked;
	bool said_no_captures;
	bool said_secure;
	bool checked;
	struct __call_single_data question;
	struct completion answered;
	bool asked;

	raw_spinlock_t lock;
	struct pcs_frame frame;
	struct pcs_power power;
	enum pcs_power_event farewell;
	bool os_locked;
	bool os_lock_is_known;
	bool os_unlocked;
	enum pcs_fault fault;
	bool may_activate;
	bool captures;
	bool no_captures;
	struct pcs_regs last;
	bool host_is_known;
	u16 host_vmid;
	bool secure_seen;
};

/* A call chain of the sampled PC alone; layout of struct perf_callchain_entry */
struct pcs_callchain {
	u64 nr;
	u64 ip[2];
};

/**
 * struct pcs_perf_sample - what perf takes a record from
 * @data: perf reads none of it but what perf_sample_data_init() and its sample_flags say is filled
 * @regs: what is not filled stays 0
 * @chain: if @data names it
 * @raw: if @data names it
 *
 * Not on the stack: kernels that zero variables there, as Debian's do (CONFIG_INIT_STACK_ALL_ZERO),
 * would do so for each record. Not of the CPU: for a record perf may stop the whole group of an
 * event, and then another event of the group hands its batch over meanwhile.
 */
struct pcs_perf_sample {
	struct perf_sample_data data;
	struct pt_regs regs;
	struct pcs_callchain chain;
	struct perf_raw_record raw;
};

/**
 * struct pcs_batch - samples of an event that share a record
 * @nr: how many wait. Below ARM_PCSAMPLE_BATCH_MAX between two reads
 * @since: clock of the first one's read, ns; valid if @nr
 * @random: chooses the member that the record is of
 * @raw: a struct arm_pcsample_record of the event's size, the struct arm_pcsample_batch, and its
 *	members
 */
struct pcs_batch {
	u32 nr;
	u64 since;
	struct rnd_state random;
	u8 raw[sizeof(struct arm_pcsample_record) + sizeof(struct arm_pcsample_batch) +
	       ARM_PCSAMPLE_BATCH_MAX * sizeof(struct arm_pcsample_member)];
};

/**
 * struct pcs_owner - whose a sample is
 * @host: this kernel, as far as the sample shows it
 * @tid: what it says of the task, whether or not it has one
 * @in_vcpu: the task ran a guest, where that is what tells
 */
struct pcs_owner {
	struct pcs_host host;
	u32 tid;
	bool in_vcpu;
};

/**
 * struct pcs_view - what part of the system ran, and what follows from that
 * @is_filled: the rest is valid
 * @world: enum am_world
 * @attribution: enum arm_pcsample_attribution
 * @has: see pcs_has(), of a sample with all registers whose Exception level is known
 * @has_task: see am_linux_has_task()
 * @misc: PERF_RECORD_MISC_*
 * @filtered: whether the event excludes it, bit by bit of PCS_VIEW_*
 */
struct pcs_view {
	bool is_filled;
	u8 world;
	u8 attribution;
	u8 has;
	bool has_task;
	u8 misc;
	u8 filtered;
} __aligned(8);

/* One for each value of the bits that pcs_view_of() puts together */
#define PCS_NR_VIEWS		256

/* Bits of the index into &struct pcs_view.filtered */
#define PCS_VIEW_EL_IS_KNOWN	1
#define PCS_VIEW_IS_IDLE	2
#define PCS_VIEW_NR		4

/**
 * struct pcs_target - one target of one event
 * @cpu: the CPU that is sampled
 * @tid: of the last sample, once the task had to be asked for a guest; see pcs_take()
 * @usual: what reads take that ask the task, see pcs_took_too_long()
 * @seen: reads planned of it up to the last one that was made; the next one stands for the time
 *	since then
 * @outcome: of that read. @ledger does not have it yet while its planned is below @seen
 * @counts: of the last snapshot that this event took
 * @ledger: its account since the event was started; the outcomes lack those of @batched
 * @batched: samples in the event's batch, whose outcome is not known yet
 */
struct pcs_target {
	int cpu;
	u32 tid;
	u64 usual;
	u64 seen;
	enum pcs_outcome outcome;
	struct pcs_counts counts;
	struct pcs_ledger ledger;
	u32 batched;
};

/**
 * struct pcs_event - the driver's side of a perf event
 * @event: the perf event
 * @node: in arm_pcsample.running while the event runs; under arm_pcsample.ledger_lock
 * @targets_mask: attr.config1: CPUs to sample, bit by bit; 0 for all
 * @filter: what of the samples it wants
 * @with_ids: who opened it may have Context IDs
 * @counts: what it wants of snapshots, bit by bit of enum pcs_counter; 0 if it wants none
 * @recorded: it wants the raw record; for other events none is made, which saves time
 * @record_size: bytes of the raw record
 * @dither: see struct pcs_plan
 * @seed: see struct pcs_plan
 * @timer: pinned to the event's CPU
 * @tick: gives the event's CPU a tick, at which perf lets an event go on that it has throttled
 * @samples_since: jiffies since which perf counts samples of this tick
 * @lock: for what follows, between the timer and readers of the ledger
 * @plan: valid if @nr_targets and the event samples
 * @due: rounds of the plan that were due at the reader's last look at the clock
 * @planned: when the last of these was due; valid if there is one
 * @next: when the one after these will be
 * @turn: the target with which the next round begins, or goes on if it was @cut
 * @cut: the slice ended before the reader had looked at all targets
 * @seq: reads of the plans before this one
 * @blocked_until: clock until which the reader stays away for want of budget, ns
 * @blocked: rounds of the plan that are due by then
 * @booked: it has booked credit for then; on the event's CPU only, without @lock
 * @is_busy: the timer's function runs, or the batch is handed over; on the event's CPU only,
 *	without @lock
 * @stops: perf stopped the event from there; as @is_busy
 * @regs: the read that is being made; as @is_busy. Here and not on the stack, where kernels that
 *	zero variables would do so for each read
 * @owner: whose it is; as @regs
 * @view: by a sample's state bits, see pcs_view_of(); as @regs
 * @corrected: of a sample whose Exception level the task has corrected; as @regs
 * @sample: what is made of it; as @regs. In @batch, or @alone
 * @alone: the only sample of its record, if there is no @batch
 * @perf: what perf takes the record from
 * @batch: NULL: each sample has a record of its own. Written on the event's CPU, IRQs disabled
 * @nr_targets: length of @target
 * @target: what this event samples now
 */
struct pcs_event {
	struct perf_event *event;
	struct list_head node;
	u64 targets_mask;
	struct pcs_filter filter;
	bool with_ids;
	u8 counts;
	bool recorded;
	u16 record_size;
	bool dither;
	u32 seed;
	struct hrtimer timer;
#ifdef PCS_IN_TREE
	struct timer_list tick;
	unsigned long samples_since;
#endif

	raw_spinlock_t lock;
	struct pcs_plan plan;
	u64 due;
	u64 planned;
	u64 next;
	u32 turn;
	bool cut;
	u64 seq;
	u64 blocked_until;
	u64 blocked;
	bool booked;
	bool is_busy;
	bool stops;
	struct pcs_regs regs;
	struct pcs_owner owner;
	struct pcs_view view[PCS_NR_VIEWS];
	struct pcs_view corrected;
	struct arm_pcsample_member *sample;
	struct arm_pcsample_member alone;
	struct pcs_perf_sample perf;
	struct pcs_batch *batch;
	u32 nr_targets;
	struct pcs_target target[];
};

/* Is a CPU among those that an event's mask names? */
static inline bool pcs_mask_has(u64 targets_mask, int cpu)
{
	return !targets_mask || (cpu < 64 && (targets_mask & BIT_ULL(cpu)));
}

/**
 * struct pcs_driver - the one instance of the driver
 * @pmu: the perf PMU, registered with the first block
 * @host: this kernel
 * @lock: see the list of locks above
 * @online: CPUs that are up, as far as the driver's hotplug callbacks have seen; under @lock
 * @wanted: CPUs that shall read, as the user or the default chose them; under @lock
 * @readers: CPUs that do; under @lock
 * @leaving: readers that are on their way offline while there are events; under @lock
 * @seats: who shall read whom; under @lock
 * @stands_in_for: by CPU, the one of @leaving in whose place it is a reader, or PCS_NOBODY. It
 *	reads nothing before that CPU is gone; under @lock
 * @nr_events: events that exist; under @lock
 * @nr_snapshots: those of them whose samples are PMU snapshots; written under @lock
 * @block: by CPU, NULL where there is none or it does not fit. Written under @lock and
 *	@ledger_lock, and no event visits a target whose block is taken away
 * @ledger_lock: see the list of locks above
 * @reader: by CPU, who reads it now, or PCS_NOBODY. Written under @lock and @ledger_lock
 * @running: events that run, &struct pcs_event.node; under @ledger_lock
 * @ledger: by CPU, accounts of what ran before; under @ledger_lock
 */
struct pcs_driver {
	struct pmu pmu;
	struct pcs_host host;

	struct mutex lock;		/* see the list of locks */
	struct cpumask online;
	struct cpumask wanted;
	struct cpumask readers;
	struct cpumask leaving;
	struct pcs_seats seats;
	int *stands_in_for;
	unsigned int nr_events;
	unsigned int nr_snapshots;
	struct pcs_block **block;

	raw_spinlock_t ledger_lock;
	int *reader;
	struct list_head running;
	struct pcs_ledger *ledger;
};

extern struct pcs_driver arm_pcsample;

/* amba_ids.c */
extern const struct amba_id pcs_amba_ids[];

/* by_hand.c */
int pcs_by_hand_add(void);
void pcs_by_hand_remove(void);
bool pcs_by_hand_cpu(struct device *dev, int *cpu);
const struct resource *pcs_by_hand_region(struct device *dev);

/* panic.c */
bool pcs_panic_wants_blocks(void);
void pcs_panic_init(void);
void pcs_panic_exit(void);

/* rom.c */
void pcs_rom_cpu_online(void);

/* host.c */
void pcs_know_host(struct pcs_host *host);
struct task_struct *pcs_find_task(u32 tid);
bool pcs_in_vcpu(u32 tid);
u64 pcs_mpidr(void);
u64 pcs_read_mdrar(void);
bool pcs_os_is_locked(void);
bool pcs_os_unlock(void);
void pcs_allow_captures(const struct pcs_host *host);
bool pcs_core_has_snapshots(void);
bool pcs_core_has_el3(void);
bool pcs_core_is_qualcomm(void);
int pcs_counter_number(const struct perf_event *event);
u64 pcs_counter_mask(const struct perf_event *event);
#ifndef PCS_IN_TREE
bool pcs_vcpu_is_loaded(void);
void pcs_find_kvm(void);
void pcs_put_kvm(void);
#endif

/* counters.c */
int pcs_counters_alloc(void);
void pcs_counters_free(void);
int pcs_counters_get(u16 event, u64 targets_mask);
void pcs_counters_put(u16 event);
void pcs_counters_cpu_online(void);
void pcs_counters_look(int cpu, struct pcs_look *look);

/* block.c */
int pcs_block_attach(struct pcs_block *block);
int pcs_block_hold(struct pcs_block *block);
void pcs_block_release(struct pcs_block *block);
void pcs_block_init(struct pcs_block *block);
void pcs_block_exit(struct pcs_block *block);
void pcs_block_open(struct pcs_block *block);
void pcs_block_reopen(struct pcs_block *block);
void pcs_block_suspend(struct pcs_block *block);
int pcs_block_resume(struct pcs_block *block);
void pcs_block_power(struct pcs_block *block, enum pcs_power_event event);
void pcs_block_gone(struct pcs_block *block);
enum pcs_outcome pcs_block_read(struct pcs_block *block, struct pcs_regs *regs);
void pcs_block_try_read(struct pcs_block *block, struct pcs_regs *regs, enum pcs_outcome *outcome);

/* sample.c */
enum pcs_outcome pcs_sample_output(struct pcs_event *ev, int cpu, u64 period);
u16 pcs_record_size(bool has_counts);
int pcs_batch_create(struct pcs_event *ev);
enum pcs_outcome pcs_batch_output(struct pcs_event *ev);
bool pcs_sample_type_is_supported(u64 sample_type);

/* reader.c */
void pcs_reader_init_event(struct pcs_event *ev);
#ifdef PCS_IN_TREE
void pcs_reader_exit_event(struct pcs_event *ev);
#endif
void pcs_reader_start(struct pcs_event *ev);
void pcs_reader_stop(struct pcs_event *ev);
void pcs_reader_update(struct pcs_event *ev, u64 now);
bool pcs_reader_runs(int cpu);
void pcs_reader_replan(void);
void pcs_ledger_snapshot(int cpu, struct pcs_ledger *sum);

/* seats.c */
int pcs_seats_alloc(void);
void pcs_seats_free(void);
int pcs_seats_init(void);
int pcs_seats_cpu_online(int cpu);
int pcs_seats_cpu_offline(int cpu);
void pcs_seats_cpu_dead(int cpu);
void pcs_seats_block_changed(void);
bool pcs_is_reader(int cpu);
int pcs_event_opened(int cpu, u64 targets_mask, bool snapshot);
void pcs_event_closed(bool snapshot);
int pcs_set_readers(const struct cpumask *readers);
void pcs_get_readers(struct cpumask *readers);

/* pmu.c */
int pcs_pmu_init(void);
void pcs_pmu_exit(void);
int pcs_pmu_show_block(int cpu);
int pcs_pmu_register(void);
int pcs_show_values(char *buf, bool (*get)(int cpu, u64 *value));
void pcs_pmu_unregister(void);

#endif /* ARM_PCSAMPLE_H */
