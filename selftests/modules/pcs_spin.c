// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel thread that spins a given share of a CPU with interrupts masked, in a function of its
 * own. A profiler that needs interrupts charges this time to other code.
 *
 * modprobe pcs_spin cpu=0 percent=30; the share is kept for the whole time since then, and the
 * parameters spun_ns and elapsed_ns have the true values. Writing 1 to the parameter wedge makes
 * the CPU hang, as a deadlock on a lock would, until 0 is written; wedged is Y while it hangs.
 */
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include <asm/sysreg.h>

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "CPU to spin on (default 0)");

static unsigned int percent = 30;
module_param(percent, uint, 0444);
MODULE_PARM_DESC(percent, "Share of the CPU, 1 to 90 (default 30)");

static unsigned int period_us = 10000;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "Time from one spin to the next, 100 to 100000 (default 10000)");

static bool wedge;
module_param(wedge, bool, 0644);
MODULE_PARM_DESC(wedge, "Spin without a pause until 0 is written, 60 s at most");

static bool wedged;
module_param(wedged, bool, 0444);
MODULE_PARM_DESC(wedged, "Whether it spins without a pause");

static unsigned long spun_ns;
module_param(spun_ns, ulong, 0444);
MODULE_PARM_DESC(spun_ns, "Time spent spinning, up to the end of the last spin");

static unsigned long elapsed_ns;
module_param(elapsed_ns, ulong, 0444);
MODULE_PARM_DESC(elapsed_ns, "Time since the thread began, up to the end of the last spin");

static struct task_struct *thread;

/*
 * The whole spin is in this function: it calls nothing, and reads the counter inline. The inner
 * loop makes reads of the counter rare: an emulator may take a lock for each.
 */
static noinline void pcs_spin_masked(u64 counts)
{
	u64 begin = read_sysreg(cntvct_el0);
	unsigned int i;

	while (read_sysreg(cntvct_el0) - begin < counts)
		for (i = 0; i < 20000; i++)
			barrier();
}

static void pcs_spin_wedge(u64 frequency)
{
	unsigned int left = 60 * MSEC_PER_SEC;
	unsigned long flags;

	local_irq_save(flags);
	WRITE_ONCE(wedged, true);
	while (READ_ONCE(wedge) && left--)
		pcs_spin_masked(frequency / MSEC_PER_SEC);
	WRITE_ONCE(wedged, false);
	WRITE_ONCE(wedge, false);
	local_irq_restore(flags);
}

/* How long to spin now, to get the right share for the whole time so far */
static u64 pcs_spin_due(u64 elapsed)
{
	u64 due = elapsed * percent / 100;

	/* After a long delay, catch up in small steps: interrupts are never masked for long. */
	return due > spun_ns ? min_t(u64, due - spun_ns, period_us * NSEC_PER_USEC) : 0;
}

static int pcs_spin_thread(void *unused)
{
	u64 frequency = read_sysreg(cntfrq_el0);
	ktime_t start, next;

	start = ktime_get();
	next = start;
	while (!kthread_should_stop()) {
		unsigned long flags;
		ktime_t begin;
		u64 due;

		if (READ_ONCE(wedge)) {
			pcs_spin_wedge(frequency);
			start = ktime_get();
			next = start;
			spun_ns = 0;
		}
		due = pcs_spin_due(ktime_to_ns(ktime_sub(ktime_get(), start)));

		/*
		 * Read the clock with interrupts masked, before and after: else another task may
		 * run in between.
		 */
		local_irq_save(flags);
		begin = ktime_get();
		pcs_spin_masked(due * frequency / NSEC_PER_SEC);
		spun_ns += ktime_to_ns(ktime_sub(ktime_get(), begin));
		local_irq_restore(flags);

		elapsed_ns = ktime_to_ns(ktime_sub(ktime_get(), start));

		next = ktime_add_us(next, period_us);
		if (ktime_before(next, ktime_get()))
			next = ktime_get();
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule_hrtimeout(&next, HRTIMER_MODE_ABS);
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static int __init pcs_spin_init(void)
{
	if (percent < 1 || percent > 90 || period_us < 100 || period_us > 100000 ||
	    cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;

	thread = kthread_create_on_cpu(pcs_spin_thread, NULL, cpu, "pcs_spin/%u");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wake_up_process(thread);
	return 0;
}

static void __exit pcs_spin_exit(void)
{
	kthread_stop(thread);
}

module_init(pcs_spin_init);
module_exit(pcs_spin_exit);

MODULE_DESCRIPTION("Spins with interrupts masked, for tests of profilers");
MODULE_LICENSE("GPL");
