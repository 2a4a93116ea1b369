// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's blocks (block.c with sets.c and power.c) on the hardware of hardware.h. Random walks
 * over everything that the kernel tells the driver and that happens to the hardware meanwhile, for
 * each kind of block. Power and clocks are lost as soon as the driver knows that they may be, and
 * others close the Software lock. Each access, which must not get an error response, each outcome,
 * each sample, and what the driver leaves behind are compared with the model.
 *
 * Usage: test-block [--seed N] [--steps N] [--kind N]
 */
#include <arch-model/control-regs.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arm_pcsample.h"
#include "kinds.h"
#include "test.h"

#define READER	0
#define PE	1

/* Number of an event counter */
#define EVENTS	2

/* How often the driver polls the status of a capture */
#define PATIENCE	64

struct pcs_driver arm_pcsample;

/*
 * struct world - the surroundings of the block
 * @online: CPU hotplug has told the driver that the PE is up
 * @idle: the PE has told the driver that it enters idle
 * @cluster: the same of its cluster
 * @stuck: the PE takes no interrupt
 * @silent: nor does it while somebody waits for that
 * @was_unanswered: a question was not answered in time
 * @no_branch_yet: likewise, and the PE has retired no branch since sampling is active
 * @question: what it is asked meanwhile
 * @asleep: the machine is suspended
 * @gone: the device was removed
 * @clocks: how often the clock was enabled
 * @domain: how often the power domain was
 * @was_prohibited: sampling was prohibited or the PE in Debug state, and no branch retired since
 * @control: PMPCSCTL as others have left it
 * @sc2: EDSCR.SC2 as others have left it
 * @edprcr: EDPRCR as others have left it
 * @honours: the power controller does what EDPRCR asks for
 * @locked: the Software lock as others have left it
 * @was_disabled: the authentication interface prohibited sampling of the kernel
 * @was_double_locked: firmware left the OS Double Lock set
 * @lock_was_stuck: the Software lock did not open
 * @takes_captures: MDCR_EL2.PMSSE passes Capture events on
 * @prohibits: when they are asked for, the authentication interface prohibits sampling
 * @counts: the driver has a cycle counter, and an event counter of 32 bits
 */
static struct world {
	bool online, idle, cluster, asleep, gone;
	bool stuck, silent, was_unanswered, no_branch_yet;
	struct __call_single_data *question;
	int clocks, domain;
	bool was_prohibited;
	u64 control;
	bool sc2, locked;
	u32 edprcr;
	bool honours;
	bool was_disabled, was_double_locked, lock_was_stuck;
	bool takes_captures, prohibits, counts;
} world;

static struct pcs_host host;
static struct pcs_block block;
static const struct kind *kind;
static int cpu_now;

/* Walks of each kind, from successive seeds: what the machine is like is drawn once a walk */
#define WALKS	8

static u64 seed = 17;
static unsigned int steps = 3000;
static int only_kind = -1;

static unsigned int seen[PCS_NR_OUTCOMES], snapshots;

/* The last line of the driver's log */
static char said[256];

/*
 * The last steps of a walk, to print on a failure
 */

#define TOLD	24

static char told[TOLD][64];
static unsigned int tells, step;
static bool walking;

__attribute__((format(printf, 1, 2)))
static void tell(const char *format, ...)
{
	char *line = told[tells++ % TOLD];
	int len = snprintf(line, sizeof(told[0]), "%u: ", step);
	va_list ap;

	va_start(ap, format);
	vsnprintf(line + len, sizeof(told[0]) - len, format, ap);
	va_end(ap);
}

static int show(void **state)
{
	unsigned int i;

	(void)state;
	if (!walking)
		return 0;
	for (i = tells > TOLD ? tells - TOLD : 0; i < tells; i++)
		printf("#   %s\n", told[i % TOLD]);
	printf("#   accesses: %.400s\n", hw.log);
	printf("# again: test-block --seed %llu --steps %u --kind %d\n",
	       (unsigned long long)seed, steps, (int)(kind - kinds));
	return 0;
}

/*
 * The kernel around block.c
 */

static void run_kernel(void);
static void wake_up(void);
static void power_up(void);

/* The driver's own code has branches everywhere, and some depend on a value that was read. */
static void execute_driver(void)
{
	if (cpu_now == PE)
		run_kernel();
}

void cpu_relax(void)
{
	execute_driver();
}

void test_lock(raw_spinlock_t *lock)
{
	assert_false(lock->held);
	lock->held = true;
}

bool test_trylock(raw_spinlock_t *lock)
{
	bool was_free = !lock->held;

	lock->held = true;
	return was_free;
}

void test_unlock(raw_spinlock_t *lock)
{
	assert_true(lock->held);
	execute_driver();
	lock->held = false;
}

int smp_processor_id(void)
{
	return cpu_now;
}

/* A CPU that is asked takes a while. A reader comes first, while the block is not open yet. */
static void read_before_it_comes(void)
{
	enum pcs_outcome outcome;
	struct pcs_regs regs;
	int caller = cpu_now;

	cpu_now = READER;
	hardware_forget_log();
	outcome = pcs_block_read(&block, &regs);
	cpu_now = caller;
	assert_string_equal(hw.log, "");
	if (pcs_power_is_on(&block.power) && !block.fault)
		assert_int_equal(outcome, PCS_NO_BRANCH);
}

static void interrupt(void (*function)(void *info), void *info)
{
	int caller = cpu_now;

	cpu_now = PE;
	if (world.idle)
		wake_up();
	power_up();
	run_kernel();
	function(info);
	cpu_now = caller;
}

/* Of a probe: nobody waits for a CPU that may be stuck. */
int smp_call_function_single(int cpu, void (*function)(void *info), void *info, int wait)
{
	assert_false(block.lock.held);
	assert_true(wait);
	assert_false(block.checked);
	assert_int_equal(cpu, PE);
	read_before_it_comes();
	if (!world.online)
		return -ENXIO;
	interrupt(function, info);
	return 0;
}

static void answer(void)
{
	struct __call_single_data *question = world.question;

	world.stuck = false;
	world.question = NULL;
	if (question)
		interrupt(question->function, question->info);
}

/* A question is free to be asked again once its answer has begun. */
int smp_call_function_single_async(int cpu, struct __call_single_data *csd)
{
	assert_false(block.lock.held);
	assert_int_equal(cpu, PE);
	assert_null(world.question);
	read_before_it_comes();
	if (!world.online)
		return -ENXIO;
	world.question = csd;
	if (!world.stuck)
		answer();
	return 0;
}

void init_completion(struct completion *x)
{
	x->done = 0;
}

void complete(struct completion *x)
{
	x->done++;
}

bool try_wait_for_completion(struct completion *x)
{
	if (!x->done)
		return false;
	x->done--;
	return true;
}

/* Some are only slow. */
unsigned long wait_for_completion_timeout(struct completion *x, unsigned long timeout)
{
	assert_false(block.lock.held);
	assert_true(timeout > 0 && timeout <= 1000);
	if (!x->done && !world.silent && chance(30))
		answer();
	world.no_branch_yet |= !x->done;
	world.was_unanswered |= !x->done;
	return try_wait_for_completion(x);
}

void wait_for_completion(struct completion *x)
{
	assert_false(block.lock.held);
	if (!x->done)
		answer();
	assert_true(try_wait_for_completion(x));
}

void mutex_lock(struct mutex *lock)
{
	assert_int_equal(lock->held++, 0);
}

void mutex_unlock(struct mutex *lock)
{
	assert_int_equal(lock->held--, 1);
}

static void lose_lock(void)
{
	if (!hw.lsr)
		return;
	hw.lsr = LSR_LOCKED;
	world.locked = true;
}

static void lose_debug_power(void)
{
	lose_lock();
	hw.edprcr &= ~COREPURQ;
	if (!block.frame.power_is_ours)
		world.edprcr = hw.edprcr;
}

static void supply(void)
{
	hw.no_clock = !world.clocks || !world.domain;
	/* From now on the Debug power domain may lose its state. */
	if (hw.no_clock && chance(30))
		lose_debug_power();
}

int clk_bulk_prepare_enable(int nr, const struct clk_bulk_data *clocks)
{
	(void)nr;
	(void)clocks;
	if (chance(5))
		return -EIO;
	world.clocks++;
	supply();
	return 0;
}

void clk_bulk_disable_unprepare(int nr, const struct clk_bulk_data *clocks)
{
	(void)nr;
	(void)clocks;
	assert_true(world.clocks-- > 0);
	supply();
}

/* Of a device that is suspended by runtime power management, which the kernel's suspend disables */
int pm_runtime_resume_and_get(struct device *dev)
{
	(void)dev;
	if (world.asleep)
		return -EACCES;
	if (chance(5))
		return -EIO;
	world.domain++;
	supply();
	return 0;
}

int pm_runtime_put(struct device *dev)
{
	(void)dev;
	assert_true(world.domain-- > 0);
	supply();
	return 0;
}

static void say(const char *format, va_list ap)
{
	assert_false(block.lock.held);
	vsnprintf(said, sizeof(said), format, ap);
	said[strcspn(said, "\n")] = '\0';
	tell("%.50s", said);
}

void dev_err(const struct device *dev, const char *format, ...)
{
	va_list ap;

	(void)dev;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

void dev_warn(const struct device *dev, const char *format, ...)
{
	va_list ap;

	(void)dev;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

void dev_notice(const struct device *dev, const char *format, ...)
{
	va_list ap;

	(void)dev;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

/* host.c and counters.c */

u64 pcs_mpidr(void)
{
	assert_int_equal(cpu_now, PE);
	return 0x80000000;
}

bool pcs_os_is_locked(void)
{
	assert_int_equal(cpu_now, PE);
	return hw.os_lock || hw.double_lock;
}

bool pcs_os_unlock(void)
{
	assert_int_equal(cpu_now, PE);
	assert_true(hw.os_lock || hw.double_lock);
	hw.os_lock = false;
	return !hw.double_lock;
}

bool pcs_core_has_snapshots(void)
{
	assert_int_equal(cpu_now, PE);
	return kind->impdef;
}

bool pcs_core_has_el3(void)
{
	return kind->feat & AM_FEAT_EL3;
}

void pcs_allow_captures(const struct pcs_host *of)
{
	assert_ptr_equal(of, &host);
	assert_int_equal(cpu_now, PE);
	hw.sse = AM_CTL_ON;
	if (world.prohibits)
		hw.auth.noninvasive = false;
}

void pcs_counters_look(int cpu, struct pcs_look *look)
{
	unsigned int i;

	assert_int_equal(cpu, PE);
	for (i = 0; i < PCS_NR_COUNTS; i++)
		look[i] = (struct pcs_look){ .counter = PCS_COUNTER_NONE };
	if (!world.counts)
		return;
	look[PCS_COUNT_CYCLES] = (struct pcs_look){
		.counter = PCS_COUNTER_CYCLES, .since = 1, .mask = ~0ULL,
	};
	look[PCS_COUNT_EVENT] = (struct pcs_look){
		.counter = EVENTS, .since = 1, .mask = 0xFFFFFFFF,
	};
}

/*
 * The PE
 */

static bool is_powered(void)
{
	return !hw.off;
}

/* Note if sampling is not allowed now, or the PE is in Debug state. */
static void note_prohibited(void)
{
	if (hw.pe.halted || am_pcs_allowed(&hw.pe, &hw.auth).is <= 0)
		world.was_prohibited = true;
	if (!hw.auth.noninvasive)
		world.was_disabled = true;
}

static void execute(const struct am_pcs_insn *insn)
{
	hw.counter[PCS_COUNTER_CYCLES] += 1 + any() % 1000;
	hw.counter[EVENTS] += any() % 1000;
	note_prohibited();
	retire(insn);
	if (insn->branch && hw.pcsr.sample.valid) {
		world.was_prohibited = false;
		world.no_branch_yet = false;
	}
}

/* Random code with random TIDs; 0 is the idle task */
static struct am_pcs_insn some_code(void)
{
	return (struct am_pcs_insn){
		.pc = (any() & 0xFFFFFFFFFFFFF0) + 0x1000, .branch = chance(70),
		.contextidr = any() % 4, .contextidr_el2 = any() % 4, .vmid = any() % 3,
		.vs = true,
	};
}

static void run_kernel(void)
{
	struct am_pcs_insn insn = some_code();

	hw.pe.el = kind->kernel == AM_KERNEL_VHE ? 2 : 1;
	hw.pe.hcr_el2 = kind->kernel == AM_KERNEL_VHE ? HCR_EL2_E2H | HCR_EL2_TGE : 0;
	hw.pe.scr_el3 = SCR_EL3_NS;
	hw.pe.aa32 = 0;
	hw.pe.halted = false;
	insn.pc |= BIT_ULL(63) | BIT_ULL(55);
	insn.branch = true;
	assert_true(is_powered());
	am_pcsr_note_state(&hw.pcsr, &hw.pe, &hw.auth);
	execute(&insn);
}

static void run_something(void)
{
	struct am_pcs_insn insn;

	if (!is_powered() || world.idle)
		return;
	if (chance(40))
		change_pe();
	note_prohibited();
	insn = some_code();
	execute(&insn);
	/* The same code again, as in a loop */
	if (chance(50))
		execute(&insn);
}

/* A PE that does not need power any more may lose it at any time. */
static void maybe_lose_power(void)
{
	if (world.online && !world.idle && !world.asleep)
		return;
	if (world.honours && hw.edprcr)
		return;
	if (is_powered() && chance(50)) {
		hw.off = true;
		tell("no power");
	}
}

/* Power up as far as the kernel gets before it tells the driver */
static void power_up(void)
{
	if (is_powered())
		return;
	hw.off = false;
	hardware_reset();
	if (!block.frame.control_is_ours) {
		world.control = 0;
		world.sc2 = false;
	}
	if (!block.frame.power_is_ours)
		world.edprcr = hw.edprcr;
	hw.sse = 0;
	hw.nc = true;
	hw.os_lock = chance(6);
	hw.double_lock = chance(3);
	world.was_double_locked |= hw.double_lock;
	if (chance(30))
		lose_debug_power();
	/* The kernel has restored its registers, also what Capture events need in MDCR_EL2. */
	run_kernel();
}

static void event(enum pcs_power_event event)
{
	static const char * const names[] = {
		"online", "offline", "idle", "not idle after all", "wakes up", "cluster idle",
		"cluster not idle after all", "cluster wakes up",
	};

	assert_int_equal(cpu_now, PE);
	tell("%s", names[event]);
	pcs_block_power(&block, event);
}

static void wake_up(void)
{
	bool failed = is_powered() && chance(30);

	power_up();
	if (world.cluster && chance(50)) {
		world.cluster = false;
		event(failed ? PCS_POWER_CLUSTER_FAILED : PCS_POWER_CLUSTER_EXIT);
	}
	world.idle = false;
	world.cluster = false;
	event(failed ? PCS_POWER_IDLE_FAILED : PCS_POWER_IDLE_EXIT);
}

static void idle_or_wake(void)
{
	if (world.idle) {
		wake_up();
		return;
	}
	run_kernel();
	event(PCS_POWER_IDLE_ENTER);
	world.idle = true;
	if (chance(40)) {
		event(PCS_POWER_CLUSTER_ENTER);
		world.cluster = true;
	}
}

/* Nothing keeps the driver from giving EDPRCR back: then it has. */
static void compare_withdrawn(void)
{
	if (!hw.lock_is_stuck && !block.os_locked && !world.asleep && !world.stuck)
		assert_false(block.frame.power_is_ours);
}

static void on_or_off(void)
{
	if (world.online) {
		if (world.idle)
			wake_up();
		run_kernel();
		event(PCS_POWER_OFFLINE);
		if (block.holds)
			compare_withdrawn();
		world.online = false;
		/* On its way offline it enters idle once more. */
		if (chance(50))
			idle_or_wake();
		return;
	}
	power_up();
	run_kernel();
	world.online = true;
	world.idle = false;
	world.cluster = false;
	event(PCS_POWER_ONLINE);
}

/*
 * What others do to the block
 */

static void others(void)
{
	switch (any() % 5) {
	case 0:
		hw.auth = (struct am_auth){
			.noninvasive = chance(80), .secure = chance(50), .realm = chance(50),
			.root = chance(50),
		};
		am_pcsr_note_state(&hw.pcsr, &hw.pe, &hw.auth);
		note_prohibited();
		tell("auth %u%u", hw.auth.noninvasive, hw.auth.secure);
		break;
	case 1:
		lose_lock();
		tell("somebody locks");
		break;
	case 2:
		hw.lock_is_stuck = hw.lsr && chance(20);
		world.lock_was_stuck |= hw.lock_is_stuck;
		break;
	case 3:
		hw.busy = chance(20) ? 10 * PATIENCE : any() % 10;
		hw.refuses = chance(10);
		world.counts = chance(70);
		break;
	case 4:
		tell(world.stuck ? "answers" : "is stuck");
		if (world.stuck)
			answer();
		else
			world.stuck = world.online && !world.asleep;
		break;
	}
}

/*
 * The driver's users
 */

/*
 * The block holds its supplies if and only if somebody holds the block, except in a suspended
 * machine.
 */
static void compare_supply(void)
{
	assert_int_equal(world.domain, block.holds > 0);
	assert_int_equal(world.clocks, block.holds && !world.asleep);
}

/* While the driver does not use the control registers, they keep the values that others set. */
static void compare_control(void)
{
	u64 control = hw.pcsr.pmpcsctl & (PMPCSCTL_EN | PMPCSCTL_SS);

	if (block.frame.control_is_ours)
		return;
	/* The driver could not write them. */
	if (hw.lock_is_stuck) {
		world.control = control;
		world.sc2 = hw.sc2;
	}
	assert_int_equal(control, world.control);
	assert_int_equal(hw.sc2, world.sc2);
}

/* While the block is open its requests are made, and otherwise the driver leaves EDPRCR alone. */
static void compare_requests(void)
{
	const u32 both = CORENPDRQ | COREPURQ;

	if (!block.frame.power_is_ours) {
		assert_int_equal(hw.edprcr, world.edprcr);
		assert_false(pcs_power_is_open(&block.power) && block.frame.requests);
	} else if (pcs_power_is_open(&block.power)) {
		assert_int_equal(hw.edprcr, hw.id.in_core_domain ? CORENPDRQ : both);
	}
}

static bool is_off(void)
{
	return !world.online || world.idle || world.cluster || world.asleep || world.gone ||
	       !block.holds;
}

static void hold(void)
{
	int ret = pcs_block_hold(&block);

	tell("hold %u: %d", block.holds, ret);
	if (!ret)
		pcs_block_open(&block);
}

/* What the driver can reach, also by waking up the CPU, is as it was found. */
static void compare_left(void)
{
	if (!world.online || world.asleep || hw.lock_is_stuck || block.os_locked ||
	    !hw.auth.noninvasive || world.stuck)
		return;
	assert_false(block.frame.control_is_ours);
	if (hw.lsr)
		assert_int_equal(hw.lsr, world.locked ? LSR_LOCKED : LSR_OPEN);
}

/*
 * The last user restores the block as it was found, if possible. A CPU that is idle is woken up to
 * do so.
 */
static void release(void)
{
	tell("release %u", block.holds);
	pcs_block_release(&block);
	if (block.holds)
		return;
	if (world.online)
		compare_withdrawn();
	compare_left();
}

static void want_snapshots(bool wanted)
{
	arm_pcsample.nr_snapshots = wanted;
	tell("snapshots %u", wanted);
	if (block.holds)
		pcs_block_reopen(&block);
}

/*
 * As each new event does. Where the authentication interface prohibits sampling no more, and the
 * CPU has power, that is noticed.
 */
static void open_again(void)
{
	if (!block.holds)
		return;
	tell("open");
	pcs_block_open(&block);
	if (!is_off() && hw.auth.noninvasive)
		assert_int_not_equal(block.fault, PCS_FAULT_DISABLED);
}

static void use(void)
{
	switch (any() % 8) {
	case 0:
	case 1:
		if (block.holds < 3)
			hold();
		break;
	case 2:
		if (block.holds > 1 || (block.holds && chance(30)))
			release();
		break;
	case 3:
		if (chance(30))
			want_snapshots(!arm_pcsample.nr_snapshots);
		break;
	case 4:
		open_again();
		break;
	default:
		break;
	}
}

static void sleep_or_resume(void)
{
	if (world.asleep) {
		if (!world.online)
			on_or_off();
		else if (world.idle)
			wake_up();
		else
			power_up();
		world.asleep = false;
		cpu_now = READER;
		tell("resume: %d", pcs_block_resume(&block));
		if (block.holds && !block.clocked) {
			/*
			 * The clock could not be enabled: the driver does not touch the block any
			 * more.
			 */
			world.asleep = true;
		}
		return;
	}
	cpu_now = READER;
	tell("suspend");
	pcs_block_suspend(&block);
	if (block.holds)
		compare_left();
	world.asleep = true;
}

/*
 * Reading
 */

/* What the model expects of one sample, computed on a copy of its state */
static enum am_pcs_outcome expect(enum am_why *why)
{
	struct am_pcsr copy = hw.pcsr;
	struct am_pcs_read read;

	if (block.frame.set != block.frame.snapshots) {
		read = hardware_read(&copy, AM_PCS_REG_PC_LO);
		*why = read.verdict.why;
		return read.verdict.is;
	}
	*why = AM_WHY_NONE;
	if (is_impdef(block.frame.set)) {
		struct am_impdef_snapshot snapshot = hw.snapshot;

		if (hw.refuses)
			return AM_PCS_NONE;
		read = hardware_capture_impdef(&snapshot, &copy);
		*why = read.verdict.why;
		return read.verdict.is;
	}
	switch (am_capture_control(&hw.pe, hw.sse, hw.os_lock, false).is) {
	case AM_CAPTURE_DISABLED:
		return AM_PCS_LATCHED;
	case AM_CAPTURE_PROHIBITED:
		return AM_PCS_NONE;
	default:
		am_pcsr_capture(&copy, &hw.pe, &hw.auth);
		if (copy.pmpcsr.unknown & PMPCSR_LO_NONE)
			return AM_PCS_UNKNOWN;
		return (u32)copy.pmpcsr.value == PMPCSR_LO_NONE ? AM_PCS_NONE : AM_PCS_SAMPLE;
	}
}

/* Each counter, at the snapshot */
static void compare_counts(const struct pcs_counts *counts)
{
	if (!world.counts) {
		assert_int_equal(counts->valid, 0);
		return;
	}
	assert_int_equal(counts->valid, BIT(PCS_COUNT_CYCLES) | BIT(PCS_COUNT_EVENT));
	assert_int_equal(counts->value[PCS_COUNT_CYCLES], hw.saved[PCS_COUNTER_CYCLES]);
	assert_int_equal(counts->value[PCS_COUNT_EVENT], (u32)hw.saved[EVENTS]);
}

/* The next sample is compared with this one. */
static void compare_kept(const struct pcs_regs *regs)
{
	const struct pcs_counts *kept = &block.last.counts;

	assert_int_equal(block.last.pmpcsr, regs->pmpcsr);
	assert_int_equal(kept->valid, regs->counts.valid);
	if (kept->valid)
		assert_memory_equal(kept, &regs->counts, sizeof(*kept));
}

/* A set with UNKNOWN registers if there was no branch: is this the idle task again? */
static bool is_idle_again(const struct pcs_regs *regs, const struct pcs_regs *last)
{
	u32 tid = kind->kernel == AM_KERNEL_VHE ? regs->pmcid2sr : regs->pmcid1sr;

	return block.frame.set->repeats_unknown && !tid && regs->pmpcsr == last->pmpcsr;
}

/* There was no access: check the reason that the driver gives */
static void compare_unread(enum pcs_outcome outcome)
{
	assert_string_equal(hw.log, "");
	if (is_off()) {
		assert_int_equal(outcome, PCS_IDLE);
		return;
	}
	/* Only the PE can look at its OS lock, or allow Capture events. */
	if (world.stuck && !block.fault) {
		assert_true(!block.os_lock_is_known || arm_pcsample.nr_snapshots);
		assert_int_equal(outcome, PCS_NO_BRANCH);
		return;
	}
	switch (block.fault) {
	case PCS_FAULT_NONE:
		/* The driver opens an accessible block, or reports why it cannot. */
		fail();
		break;
	case PCS_FAULT_DISABLED:
		assert_int_equal(outcome, PCS_PROHIBITED);
		assert_true(world.was_disabled);
		break;
	case PCS_FAULT_OS_LOCK:
		assert_int_equal(outcome, PCS_ERROR);
		/* Only the PE can open its OS lock. */
		assert_true(world.was_double_locked || (world.stuck && block.os_locked));
		break;
	case PCS_FAULT_SOFTWARE_LOCK:
		assert_int_equal(outcome, PCS_ERROR);
		assert_true(world.lock_was_stuck);
		break;
	}
}

static void compare_read(enum pcs_outcome outcome, const struct pcs_regs *regs,
			 const struct pcs_regs *last, enum am_pcs_outcome expected,
			 enum am_why why, bool locked, bool busy)
{
	bool impdef = is_impdef(block.frame.set);

	assert_int_equal(regs->source, block.frame.set->source);
	if (hw.dead) {
		/* Without EDVIDSR, all ones look like Debug state. */
		if (outcome != PCS_DEBUG && outcome != PCS_PROHIBITED)
			assert_int_equal(outcome, PCS_ERROR);
		else
			assert_true(is_debug(kind) && !block.frame.has_vid);
		return;
	}
	if (busy && block.frame.set == block.frame.snapshots && !impdef) {
		assert_int_equal(outcome, PCS_ERROR);
		return;
	}
	/* A closed lock does no harm to a snapshot, which the driver cannot rely on. */
	if (locked && impdef && outcome == (hw.lock_is_stuck ? PCS_ERROR : PCS_NO_BRANCH))
		return;
	/* With the lock closed, the contexts may not belong to the PC: it must be no sample. */
	if (locked && !impdef && (expected == AM_PCS_SAMPLE || expected == AM_PCS_UNKNOWN)) {
		assert_int_not_equal(outcome, PCS_SAMPLE);
		return;
	}
	/* The Context ID is that of the idle task again. */
	if (outcome == PCS_SAMPLE && block.frame.set->repeats_unknown)
		assert_false(pcs_is_idle_again(&host, regs, last));
	switch (expected) {
	case AM_PCS_SAMPLE:
		compare_kept(regs);
		if (outcome == PCS_NO_BRANCH) {
			assert_true(is_idle_again(regs, last) ||
				    pcs_counts_stand_still(&last->counts, &regs->counts));
			break;
		}
		assert_int_equal(outcome, PCS_SAMPLE);
		compare_sample(&block.frame, regs);
		break;
	case AM_PCS_NONE:
		/* A prohibited Capture event is reported by the hardware. */
		if (block.frame.set == block.frame.snapshots &&
		    (impdef ? hw.snapshot.nc : hw.nc))
			assert_int_equal(outcome, PCS_PROHIBITED);
		else
			assert_int_equal(outcome, is_all_allowed() ? PCS_DEBUG : PCS_PROHIBITED);
		break;
	case AM_PCS_UNKNOWN:
		/*
		 * Software cannot detect UNKNOWN in general; but it can know that sampling was
		 * suspended.
		 */
		if (why == AM_WHY_PCS_ACTIVATED) {
			assert_true(world.was_unanswered);
			assert_int_not_equal(outcome, PCS_SAMPLE);
		}
		if (why == AM_WHY_PCS_NO_BRANCH)
			assert_true(world.was_prohibited || world.no_branch_yet);
		/* Without a branch since the last read they may show that they are UNKNOWN. */
		if (why == AM_WHY_PCS_SAME_BRANCH && pcs_is_unknown(&host, regs))
			assert_int_equal(outcome, PCS_NO_BRANCH);
		break;
	default:
		fail();
	}
}

/*
 * The counts of a read are those of its own snapshot, and there are none if it took none, whatever
 * its outcome.
 */
static void compare_counts_of(const struct pcs_regs *regs, bool reads)
{
	if (reads && block.frame.set == block.frame.snapshots && regs->captured)
		compare_counts(&regs->counts);
	else
		assert_int_equal(regs->counts.valid, 0);
}

/* The reader has one struct for all of its targets: it is full of what another CPU did. */
static void fill_with_another(struct pcs_regs *regs)
{
	*regs = (struct pcs_regs){
		.pmpcsr = any(), .pmcid1sr = any(), .pmcid2sr = any(), .pmvidsr = any(),
		.host_vmid = any(), .source = any(), .given = any(), .el_by_address = chance(50),
		.captured = true, .saved = { any(), any(), any() },
		.counts = {
			.valid = BIT(PCS_NR_COUNTS) - 1, .value = { any(), any(), any() },
			.since = { 1, 1, 1 },
		},
	};
}

static enum pcs_outcome read_block(void)
{
	bool locked = hw.lsr == LSR_LOCKED, busy = hw.busy >= PATIENCE;
	bool reads = !is_off() && !block.fault && pcs_power_is_open(&block.power);
	bool discarded = block.may_activate;
	struct pcs_regs last = block.last, regs;
	enum am_pcs_outcome expected = AM_PCS_LATCHED;
	enum pcs_outcome outcome;
	enum am_why why;

	fill_with_another(&regs);
	note_prohibited();
	if (reads)
		expected = expect(&why);
	cpu_now = READER;
	hardware_forget_log();
	if (chance(20)) {
		block.lock.held = true;
		outcome = PCS_NR_OUTCOMES;
		pcs_block_try_read(&block, &regs, &outcome);
		assert_int_equal(outcome, PCS_NR_OUTCOMES);
		assert_string_equal(hw.log, "");
		block.lock.held = false;
		pcs_block_try_read(&block, &regs, &outcome);
		assert_int_not_equal(outcome, PCS_NR_OUTCOMES);
	} else {
		outcome = pcs_block_read(&block, &regs);
	}
	seen[outcome]++;
	snapshots += outcome == PCS_SAMPLE && block.frame.set == block.frame.snapshots;
	tell("read: %d, the model: %d", outcome, expected);
	compare_counts_of(&regs, reads);
	if (!reads)
		compare_unread(outcome);
	else if (discarded && outcome == PCS_NO_BRANCH)
		assert_true(world.was_unanswered);
	else
		compare_read(outcome, &regs, &last, expected, why, locked, busy);
	return outcome;
}

/* When nothing prevents them any more, there are samples. */
static void settle(void)
{
	unsigned int tries;

	cpu_now = PE;
	if (world.asleep || world.gone)
		return;
	answer();
	if (!world.online)
		on_or_off();
	if (world.idle)
		wake_up();
	hw.double_lock = false;
	hw.lock_is_stuck = false;
	hw.busy = 0;
	hw.refuses = false;
	hw.auth = (struct am_auth){ true, true, true, true };
	run_kernel();
	cpu_now = READER;
	while (block.holds)
		release();
	for (tries = 0; !block.holds && tries < 20; tries++)
		hold();
	assert_true(block.holds);
	assert_int_equal(block.fault, PCS_FAULT_NONE);
	assert_true(pcs_power_is_open(&block.power));
	world.was_disabled = false;
	world.was_double_locked = false;
	world.lock_was_stuck = false;
	world.was_unanswered = block.may_activate;
	run_kernel();
	tell("nothing in the way");
	for (tries = 0; tries < 4 && read_block() != PCS_SAMPLE; tries++)
		run_kernel();
	assert_true(tries < 4);
}

/*
 * Walks
 */

/* With FEAT_DoPD there is no Software lock, and no COREPURQ. A debugger may ask for power. */
static void start_requests(void)
{
	if (chance(30)) {
		hw.ids.devid |= EDDEVID_DEBUGPOWER_DOPD << 4;
		hw.id = am_pcs_identify(&hw.ids);
		hw.lsr = 0;
		world.locked = false;
	}
	if (chance(30))
		hw.edprcr = hw.id.in_core_domain ? CORENPDRQ : any() & (CORENPDRQ | COREPURQ);
	world.edprcr = hw.edprcr;
	world.honours = chance(70);
}

static void describe_block(void)
{
	host = (struct pcs_host){ .kernel = kernel_of(kind) };
	block = (struct pcs_block){
		.host = &host, .cpu = PE, .node = is_debug(kind) ? PCS_NODE_DEBUG : PCS_NODE_PMU,
		.frame = {
			.base = hardware_block, .kernel = &host.kernel, .may_capture = true,
			.may_request = chance(60),
		},
	};
	pcs_block_init(&block);
	arm_pcsample.nr_snapshots = 0;
	cpu_now = READER;
}

/* A machine with this kind of block, which the driver has probed */
static void start(void)
{
	unsigned int tries;

	plug_in(kind);
	hw.chosen = (struct am_pcs_impdef){ chance(70), chance(70) };
	hardware_reset();
	hw.executes = execute_driver;
	hw.counter[PCS_COUNTER_CYCLES] = any();
	hw.counter[EVENTS] = any();
	hw.activates = chance(50);
	if (!am_has(&hw.pe, AM_FEAT_DEBUGV8P4 | AM_FEAT_PMUV3_EXT64) && chance(70))
		hw.lsr = chance(80) ? LSR_LOCKED : LSR_OPEN;
	if (kind->feat & (AM_FEAT_DEBUGV8P4 | AM_FEAT_PMUV3_EXT64))
		hw.lsr = 0;
	world = (struct world){
		.online = true, .takes_captures = chance(80), .counts = chance(70),
		.sc2 = hw.id.has_sc2 && am_has(&hw.pe, AM_FEAT_EL2) && chance(50),
	};
	if (world.takes_captures)
		hw.pe.mdcr_el2 = FIELD_PREP(MDCR_EL2_PMSSE, AM_CTL_DELEGATE);
	hw.pe.mdcr_el3 = FIELD_PREP(MDCR_EL3_PMSSE, AM_CTL_DELEGATE);
	hw.nc = true;
	hw.sc2 = world.sc2;
	world.locked = hw.lsr == LSR_LOCKED;
	am_pcsr_write_pmpcsctl(&hw.pcsr, &hw.pe, any());
	world.control = hw.pcsr.pmpcsctl & (PMPCSCTL_EN | PMPCSCTL_SS);
	block = (struct pcs_block){};
	if (is_debug(kind))
		start_requests();
	supply();
	describe_block();
	for (tries = 0; pcs_block_attach(&block) && tries < 20; tries++)
		;
	assert_true(block.checked);
	assert_int_equal(block.holds, 0);
	assert_int_equal(block.frame.reads->source, kind->source);
	assert_int_equal(block.frame.authstatus, hardware_authstatus());
	assert_int_equal(world.clocks, 0);
	assert_int_equal(world.domain, 0);
}

static void one_step(void)
{
	unsigned int n = any() % 100;

	hardware_forget_log();
	cpu_now = READER;
	maybe_lose_power();
	if (n < 30) {
		run_something();
	} else if (n < 60) {
		if (chance(80))
			run_something();
		read_block();
	} else if (n < 68) {
		others();
	} else if (n < 76) {
		if (!world.asleep)
			use();
	} else if (n < 86) {
		cpu_now = PE;
		if (world.online && !world.asleep && !world.stuck && (world.idle || chance(50)))
			idle_or_wake();
	} else if (n < 90) {
		cpu_now = PE;
		if (!world.asleep && !world.stuck && (!world.online || chance(40)))
			on_or_off();
	} else if (n < 93) {
		cpu_now = PE;
		if (!world.stuck && (world.asleep || chance(30)))
			sleep_or_resume();
	} else if (n < 94) {
		hw.dead = true;
		hw.dead_value = chance(50) ? ~0ULL : 0;
		read_block();
		hw.dead = false;
	} else if (n < 97) {
		settle();
	}
	compare_control();
	compare_requests();
	compare_supply();
}

/* The device is removed, as by pcs_remove_block() of core.c. */
static void remove_block(void)
{
	cpu_now = PE;
	if (world.asleep)
		sleep_or_resume();
	cpu_now = READER;
	block.checked = false;
	pcs_block_gone(&block);
	if (world.online && block.holds)
		compare_withdrawn();
	if (block.holds)
		compare_left();
	pcs_block_exit(&block);
	assert_null(world.question);
	world.gone = true;
	hardware_forget_log();
	assert_int_equal(read_block(), PCS_IDLE);
}

static void walk(void)
{
	tells = 0;
	memset(seen, 0, sizeof(seen));
	snapshots = 0;
	walking = true;
	start();
	for (step = 0; step < steps; step++)
		one_step();
	remove_block();
	walking = false;
}

static void walk_and_tell(int i)
{
	kind = &kinds[i];
	seed_any(seed * NR_KINDS + i);
	walk();
	printf("# kind %d, %s, from seed %llu: %u samples, %u of them snapshots, %u idle, "
	       "%u prohibited, %u debug, %u no branch, %u errors\n", i, block.frame.reads->name,
	       (unsigned long long)seed, seen[PCS_SAMPLE], snapshots, seen[PCS_IDLE],
	       seen[PCS_PROHIBITED], seen[PCS_DEBUG], seen[PCS_NO_BRANCH], seen[PCS_ERROR]);
	assert_true(seen[PCS_SAMPLE] > steps / 20);
	assert_true(snapshots || !kind->impdef);
}

static void test_like_the_model(void **state)
{
	unsigned int n;
	int i;

	(void)state;
	for (n = 0; n < WALKS; n++, seed++) {
		for (i = 0; i < NR_KINDS; i++) {
			if (only_kind < 0 || i == only_kind)
				walk_and_tell(i);
		}
	}
}

/* The power domain comes on, if not at once */
static int attach_with_power(void)
{
	int ret;

	do
		ret = pcs_block_attach(&block);
	while (ret == -EIO);
	return ret;
}

/* A debug block without PC sampling: only a core of Armv8.2 or later has it elsewhere. */
static void test_no_pc_sampling(void **state)
{
	static const char none[] =
		"CPU1's external debug block has no PC sampling (EDDEVID 0x00000000)";
	static const char v8p2[] =
		"CPU1 is of Armv8.2 or later, where the external PMU samples and not the debug"
		" block (EDDEVARCH 0x47708a15, EDDEVID 0x00000000): the address of its PMU frame"
		" is needed, in the device tree or as blocks=1@ADDRESS";
	static const struct {
		u32 devarch;
		const char *says;
	} rows[] = { { 0x47706A15, none }, { 0x47707A15, none }, { 0x47708A15, v8p2 } };
	unsigned int i;

	(void)state;
	for (kind = kinds; !is_debug(kind); kind++)
		;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		plug_in(kind);
		hw.ids.devarch = rows[i].devarch;
		hw.ids.devid = 0;
		world = (struct world){ .online = true };
		describe_block();
		assert_int_equal(attach_with_power(), -ENXIO);
		assert_false(block.checked);
		assert_string_equal(said, rows[i].says);
	}
}

/*
 * The CPUs come online before devices are resumed. A block that did not fit before is not looked at
 * then, without a word: nothing is wrong with its power domain.
 */
static void test_looked_at_while_asleep(void **state)
{
	(void)state;
	for (kind = kinds; !is_debug(kind); kind++)
		;
	plug_in(kind);
	hw.ids.devid = 0;
	world = (struct world){ .online = true };
	describe_block();
	assert_int_equal(attach_with_power(), -ENXIO);
	pcs_block_suspend(&block);
	world.asleep = true;
	said[0] = '\0';
	assert_int_equal(pcs_block_attach(&block), -EAGAIN);
	assert_string_equal(said, "");

	world.asleep = false;
	assert_int_equal(pcs_block_resume(&block), 0);
	assert_int_equal(attach_with_power(), -ENXIO);
}

/* A block of a kind, before the driver has seen it */
static void plug_in_unknown(const struct kind *of, bool power_request)
{
	kind = of;
	plug_in(kind);
	hw.executes = execute_driver;
	if (!(kind->feat & (AM_FEAT_DEBUGV8P4 | AM_FEAT_PMUV3_EXT64)))
		hw.lsr = LSR_LOCKED;
	hw.pe.mdcr_el2 = FIELD_PREP(MDCR_EL2_PMSSE, AM_CTL_DELEGATE);
	hw.pe.mdcr_el3 = FIELD_PREP(MDCR_EL3_PMSSE, AM_CTL_DELEGATE);
	hw.nc = true;
	world = (struct world){ .online = true, .locked = hw.lsr, .counts = true };
	describe_block();
	block.frame.may_request = power_request;
	supply();
}

/* The same, which an event samples */
static void start_event(const struct kind *of, bool power_request)
{
	plug_in_unknown(of, power_request);
	assert_int_equal(attach_with_power(), 0);
	while (!block.holds)
		hold();
	assert_true(pcs_power_is_open(&block.power));
}

/*
 * The VMID of the host: what runs in the first reads that the PE makes of its own block is not the
 * kernel at Non-secure EL1, and says nothing of it.
 */

#define HOST_VMID	0x1234

struct foreign {
	unsigned int el;
	bool secure;
};

static struct foreign foreign;
static unsigned int foreign_reads, reads_of_itself;

static void execute_at(unsigned int el, bool secure, u16 vmid)
{
	struct am_pcs_insn insn = some_code();

	hw.pe.el = el;
	hw.pe.hcr_el2 = 0;
	hw.pe.scr_el3 = secure ? 0 : SCR_EL3_NS;
	insn.branch = true;
	insn.contextidr = 42;
	insn.vmid = vmid;
	if (el)
		insn.pc |= BIT_ULL(63) | BIT_ULL(55);
	else
		insn.pc &= ~BIT_ULL(55);
	am_pcsr_note_state(&hw.pcsr, &hw.pe, &hw.auth);
	execute(&insn);
}

static void execute_foreign_first(void)
{
	if (cpu_now != PE)
		return;
	if (reads_of_itself++ < foreign_reads)
		execute_at(foreign.el, foreign.secure, 7);
	else
		execute_at(1, false, HOST_VMID);
}

/* The read that makes sampling active, and then @reads more */
static void attach_while_foreign(const struct kind *of, struct foreign code, unsigned int reads)
{
	plug_in_unknown(of, false);
	hw.auth = (struct am_auth){ true, true, true, true };
	hw.executes = execute_foreign_first;
	foreign = code;
	foreign_reads = 1 + reads;
	reads_of_itself = 0;
	said[0] = '\0';
	assert_int_equal(attach_with_power(), 0);
}

/* The CPU loses power in an idle state, and is about to tell the driver that it has woken up. */
static void lose_power(void)
{
	cpu_now = PE;
	event(PCS_POWER_IDLE_ENTER);
	hw.off = true;
	power_up();
	hw.os_lock = false;
	hw.double_lock = false;
}

/* The CPU loses power and opens the block again. Returns how often it has read it for that. */
static unsigned int reads_after_power_loss(void)
{
	lose_power();
	reads_of_itself = 0;
	event(PCS_POWER_IDLE_EXIT);
	cpu_now = READER;
	assert_true(pcs_power_is_open(&block.power));
	return reads_of_itself;
}

static void find_host_behind(const struct kind *of, struct foreign code, unsigned int reads)
{
	bool found = reads < 16;
	struct pcs_regs regs;

	attach_while_foreign(of, code, reads);
	assert_int_equal(block.host_is_known, found);
	assert_int_equal(block.host_vmid, found ? HOST_VMID : 0);
	assert_int_equal(block.secure_seen, code.secure && reads);
	assert_int_equal(!!strstr(said, "runs in Secure state"), code.secure && !found);
	/* With PMPCSCTL.EN the block is opened anew, and the search goes on. */
	foreign_reads = UINT_MAX;
	while (!block.holds)
		hold();
	execute_at(1, false, HOST_VMID);
	assert_int_equal(pcs_block_read(&block, &regs), PCS_SAMPLE);
	assert_int_equal(regs.pmvidsr, HOST_VMID);
	assert_int_equal(regs.host_vmid, found ? HOST_VMID : 0);

	/* Who knows does not look again, nor who cannot know. */
	foreign_reads = 0;
	assert_int_equal(reads_after_power_loss(), found || code.secure ? 1 : 2);
	assert_int_equal(block.host_is_known, found || !code.secure);
}

static void test_host_vmid(void **state)
{
	static const struct foreign foreigns[] = { { 0, false }, { 2, false }, { 1, true } };
	static const unsigned int reads[] = { 0, 1, 15, 16 };
	unsigned int i, n;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		if (kinds[i].kernel != AM_KERNEL_EL1 || !(kinds[i].feat & AM_FEAT_EL2))
			continue;
		for (n = 0; n < ARRAY_SIZE(foreigns) * ARRAY_SIZE(reads); n++)
			find_host_behind(&kinds[i], foreigns[n / ARRAY_SIZE(reads)],
					 reads[n % ARRAY_SIZE(reads)]);
	}
}

/* That the kernel runs in Secure state is said once. */
static void test_secure_kernel(void **state)
{
	(void)state;
	attach_while_foreign(&kinds[5], (struct foreign){ 1, true }, 100);
	assert_string_equal(said, "CPU1: this kernel runs in Secure state: samples count as"
				  " another world's");
	said[0] = '\0';
	while (!block.holds)
		hold();
	assert_null(strstr(said, "Secure"));
}

/* FEAT_PCSRv8p9 with FEAT_PMUv3_SS and EXT64 */
static const struct kind *wide_snapshots(void)
{
	unsigned int i = 0;

	while (kinds[i].source != ARM_PCSAMPLE_SOURCE_PMU64 || kinds[i].devid != 0x12)
		i++;
	return &kinds[i];
}

/*
 * The last event ends while the CPU is in an idle state that keeps the registers, from which it
 * wakes up after the clocks have stopped.
 */
static void test_left_while_idle(void **state)
{
	unsigned int i, changed = 0;

	(void)state;
	for (i = 0; i < 2 * NR_KINDS; i++) {
		start_event(&kinds[i / 2], i & 1);
		changed += hw.pcsr.pmpcsctl & PMPCSCTL_EN;
		cpu_now = PE;
		event(PCS_POWER_IDLE_ENTER);
		world.idle = true;
		cpu_now = READER;
		release();
		assert_int_equal(hw.pcsr.pmpcsctl & PMPCSCTL_EN, 0);
		assert_int_equal(hw.edprcr, 0);
		if (hw.lsr)
			assert_int_equal(hw.lsr, LSR_LOCKED);
		assert_false(hw.sc2);
	}
	assert_true(changed >= 2 * 3);
}

/*
 * The authentication interface prohibits sampling when the last event ends. Then the control
 * register is left alone, and is put back when the next one ends.
 */
static void test_left_while_prohibited(void **state)
{
	(void)state;
	start_event(wide_snapshots(), false);
	hw.auth.noninvasive = false;
	hardware_forget_log();
	release();
	assert_null(strstr(hw.log, ":e50"));
	hw.auth.noninvasive = true;
	arm_pcsample.nr_snapshots = 1;
	while (!block.holds)
		hold();
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);
	assert_ptr_equal(block.frame.set, block.frame.snapshots);
	release();
	assert_int_equal(hw.pcsr.pmpcsctl & PMPCSCTL_EN, 0);
}

/* The machine sleeps, and wakes up with a lock of the CPU set, which only the CPU can see. */
static void sleep_and_lock(bool *lock)
{
	pcs_block_suspend(&block);
	world.asleep = true;
	hw.off = true;
	power_up();
	hw.os_lock = false;
	hw.double_lock = false;
	*lock = true;
	world.asleep = false;
}

static void resume(void)
{
	while (pcs_block_resume(&block))
		;
}

/* The CPU opens the OS lock. */
static void reopen_with(bool *lock, enum pcs_fault fault)
{
	start_event(wide_snapshots(), false);
	hw.auth.noninvasive = false;
	sleep_and_lock(lock);
	resume();
	assert_int_equal(block.fault, PCS_FAULT_DISABLED);
	hw.auth.noninvasive = true;
	want_snapshots(true);
	assert_int_equal(block.fault, fault);
	assert_false(hw.os_lock);
	assert_int_equal(block.said_os_unlocked, lock == &hw.os_lock);
}

static void test_reopened_with_os_lock(void **state)
{
	(void)state;
	reopen_with(&hw.os_lock, PCS_FAULT_NONE);
	reopen_with(&hw.double_lock, PCS_FAULT_OS_LOCK);
}

/* The CPU is stuck, so nobody knows of its OS lock: the block is not touched before it answers. */
static void test_stuck_after_sleep(void **state)
{
	(void)state;
	start_event(wide_snapshots(), false);
	sleep_and_lock(&hw.os_lock);
	world.stuck = true;
	world.silent = true;
	resume();
	assert_true(hw.os_lock);
	hardware_forget_log();
	assert_int_equal(read_block(), PCS_NO_BRANCH);
	answer();
	assert_false(hw.os_lock);
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);
}

/*
 * The authentication interface prohibits sampling just when the CPU finds out that there are no
 * snapshots. Once it allows that again, the next event has samples.
 */
static void test_prohibited_meanwhile(void **state)
{
	(void)state;
	start_event(wide_snapshots(), false);
	hw.pe.mdcr_el3 = 0;
	world.prohibits = true;
	want_snapshots(true);
	assert_true(block.no_captures);
	assert_int_equal(block.fault, PCS_FAULT_DISABLED);
	hw.auth.noninvasive = true;
	open_again();
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);
	arm_pcsample.nr_snapshots = 0;
}

/*
 * What was captured without a cycle counter proves nothing. Once there is one, a block is found out
 * whose Capture events were disabled meanwhile, which still shows the last one.
 */
static void test_no_proof_without_cycles(void **state)
{
	(void)state;
	start_event(wide_snapshots(), false);
	world.counts = false;
	want_snapshots(true);
	assert_ptr_equal(block.frame.set, block.frame.snapshots);
	assert_false(block.captures);
	assert_int_equal(read_block(), PCS_SAMPLE);

	hw.pe.mdcr_el3 = 0;
	world.counts = true;
	want_snapshots(true);
	assert_true(block.no_captures);
	assert_ptr_equal(block.frame.set, block.frame.reads);
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);
	arm_pcsample.nr_snapshots = 0;
}

static void each_impdef(void (*test)(const struct kind *of))
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++)
		if (kinds[i].impdef)
			test(&kinds[i]);
}

/* What somebody else has captured, as the registers of IMPLEMENTATION DEFINED snapshots show it */
static void capture_by_others(void)
{
	run_kernel();
	test_write(1, hardware_block + 0x6F0, 4);
	assert_false(hw.snapshot.nc);
}

/*
 * Requests for IMPLEMENTATION DEFINED snapshots are ignored. Whether the registers show nothing or
 * an old capture, that is found out and said, and samples are taken by reads. The next event looks
 * again.
 */
static void requests_are_ignored_of(const struct kind *of, bool captured)
{
	start_event(of, false);
	if (captured)
		capture_by_others();
	hw.ignores = true;
	said[0] = '\0';
	want_snapshots(true);
	assert_string_equal(said, "CPU1: no snapshots: requests capture nothing");
	assert_ptr_equal(block.frame.set, block.frame.reads);
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);

	hw.ignores = false;
	want_snapshots(true);
	assert_true(is_impdef(block.frame.set));
	assert_true(block.captures);
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);
	arm_pcsample.nr_snapshots = 0;
}

static void requests_are_ignored(const struct kind *of)
{
	requests_are_ignored_of(of, false);
	requests_are_ignored_of(of, true);
}

static void test_ignored_requests(void **state)
{
	(void)state;
	each_impdef(requests_are_ignored);
}

/* Of a block whose requests have captured before, an old capture is no sample. */
static void requests_are_ignored_later(const struct kind *of)
{
	struct pcs_regs regs;

	start_event(of, false);
	want_snapshots(true);
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);
	hw.ignores = true;
	run_kernel();
	assert_int_equal(pcs_block_read(&block, &regs), PCS_NO_BRANCH);
	arm_pcsample.nr_snapshots = 0;
}

static void test_ignored_later(void **state)
{
	(void)state;
	each_impdef(requests_are_ignored_later);
}

/* The CPU loses power; then each request takes longer to capture than the driver waits for it. */
static void wake_up_slow(void)
{
	lose_power();
	hw.late = 10;
	event(PCS_POWER_IDLE_EXIT);
	cpu_now = READER;
	hw.late = 0;
	hw.capture_in = 0;
}

/*
 * A block goes back to reads after a wake-up whose captures were slow only if the driver never had
 * a cycle counter to see a capture by. The samples are right. The next event is told, and has
 * snapshots again.
 */
static void captures_are_slow_of(const struct kind *of, bool proven)
{
	start_event(of, false);
	world.counts = proven;
	want_snapshots(true);
	assert_int_equal(block.captures, proven);
	assert_true(is_impdef(block.frame.set));

	wake_up_slow();
	assert_int_equal(is_impdef(block.frame.set), proven);
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);
	said[0] = '\0';
	open_again();
	assert_string_equal(said, proven ? "" : "CPU1: no snapshots: requests capture nothing");

	want_snapshots(true);
	assert_true(is_impdef(block.frame.set));
	run_kernel();
	assert_int_equal(read_block(), PCS_SAMPLE);
	arm_pcsample.nr_snapshots = 0;
}

static void captures_are_slow(const struct kind *of)
{
	captures_are_slow_of(of, true);
	captures_are_slow_of(of, false);
}

static void test_slow_captures(void **state)
{
	(void)state;
	each_impdef(captures_are_slow);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_pc_sampling),
		cmocka_unit_test(test_looked_at_while_asleep),
		cmocka_unit_test(test_host_vmid),
		cmocka_unit_test(test_secure_kernel),
		cmocka_unit_test(test_left_while_idle),
		cmocka_unit_test(test_left_while_prohibited),
		cmocka_unit_test(test_reopened_with_os_lock),
		cmocka_unit_test(test_stuck_after_sleep),
		cmocka_unit_test(test_prohibited_meanwhile),
		cmocka_unit_test(test_no_proof_without_cycles),
		cmocka_unit_test(test_ignored_requests),
		cmocka_unit_test(test_ignored_later),
		cmocka_unit_test(test_slow_captures),
		cmocka_unit_test_teardown(test_like_the_model, show),
	};
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--steps"))
			steps = strtoul(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--kind"))
			only_kind = atoi(argv[i + 1]);
	}
	return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
