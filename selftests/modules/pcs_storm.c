// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of selftests/arm_pcsample/storm that a program cannot do.
 *
 * Write a CPU to /sys/module/pcs_storm/parameters/cpu_pm: 100 times that CPU notifies all drivers
 * that it is about to lose power, alone or with its cluster, and then that it has power again, or
 * that it did not lose it. It keeps its power and its registers. In between the OS Lock makes
 * external accesses to them fail with an error response, as without power (I3.1), and at once, so
 * that this hits a read in flight. Sometimes it is left set, as by firmware that forgets it.
 *
 * Write a number to rebind: arm_pcsample is unbound from the block of that number, counted from 0,
 * and bound again, as happens where a clock or a power domain of the block goes away. Blocks are on
 * the platform bus and on the AMBA bus.
 */
#include <linux/amba/bus.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/sysreg.h>

#define PCS_STORM_ROUNDS	100
/* Some last as long as a host may take to resume an emulated CPU in the middle of a read. */
#define PCS_STORM_LONG_US	2000

/*
 * Power
 */

static DEFINE_PER_CPU(bool, pcs_storm_refuse);

/* The last one of the chain: when it refuses, the others have been notified already. */
static int pcs_storm_notify(struct notifier_block *nb, unsigned long action, void *unused)
{
	if (action == CPU_PM_ENTER && this_cpu_read(pcs_storm_refuse))
		return NOTIFY_BAD;
	return NOTIFY_OK;
}

static struct notifier_block pcs_storm_nb = {
	.notifier_call = pcs_storm_notify,
	.priority = INT_MIN,
};

static void pcs_storm_lock(bool lock)
{
	write_sysreg(lock, oslar_el1);
	isb();
}

static void pcs_storm_round(unsigned int round)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_write(pcs_storm_refuse, round % 4 == 3);
	if (!cpu_pm_enter()) {
		if (round % 2 && !cpu_cluster_pm_enter())
			cpu_cluster_pm_exit();
		pcs_storm_lock(true);
		udelay(round % 16 ? round % 8 : PCS_STORM_LONG_US);
		if (round % 8 != 5)
			pcs_storm_lock(false);
		cpu_pm_exit();
	}
	this_cpu_write(pcs_storm_refuse, false);
	local_irq_restore(flags);
}

/* In a task: the interrupt controller's notifier loses the interrupt that is being handled */
static int pcs_storm_rounds(void *unused)
{
	unsigned int round;

	for (round = 0; round < PCS_STORM_ROUNDS; round++) {
		pcs_storm_round(round);
		cond_resched();
	}
	return 0;
}

static int pcs_storm_set_cpu_pm(const char *val, const struct kernel_param *kp)
{
	unsigned int cpu;
	int ret = kstrtouint(val, 0, &cpu);

	if (ret)
		return ret;
	cpus_read_lock();
	ret = smp_call_on_cpu(cpu, pcs_storm_rounds, NULL, false);
	cpus_read_unlock();
	return ret;
}

static const struct kernel_param_ops pcs_storm_cpu_pm_ops = {
	.set = pcs_storm_set_cpu_pm,
};
module_param_cb(cpu_pm, &pcs_storm_cpu_pm_ops, NULL, 0200);
MODULE_PARM_DESC(cpu_pm, "CPU to send through the notifications of a loss of power");

/*
 * Blocks
 */

struct pcs_storm_search {
	unsigned int left;
	struct device *found;
};

/* Firmware describes blocks in several ways, and some are not described. All have the driver. */
static int pcs_storm_look(struct device *dev, void *data)
{
	struct pcs_storm_search *search = data;
	bool bound;

	device_lock(dev);
	bound = dev->driver && !strcmp(dev->driver->name, "arm_pcsample");
	device_unlock(dev);
	if (!bound || search->left--)
		return 0;
	search->found = get_device(dev);
	return 1;
}

/* -ENODEV: there is no such block, or the driver is away. -EAGAIN: it has gone meanwhile. */
static int pcs_storm_set_rebind(const char *val, const struct kernel_param *kp)
{
	struct pcs_storm_search search = {};
	int ret = kstrtouint(val, 0, &search.left);

	if (ret)
		return ret;
	if (!bus_for_each_dev(&platform_bus_type, NULL, &search, pcs_storm_look) &&
	    !bus_for_each_dev(&amba_bustype, NULL, &search, pcs_storm_look))
		return -ENODEV;
	device_release_driver(search.found);
	usleep_range(1000, 2000);
	ret = device_attach(search.found);
	put_device(search.found);
	if (ret < 0)
		return ret;
	return ret ? 0 : -EAGAIN;
}

static const struct kernel_param_ops pcs_storm_rebind_ops = {
	.set = pcs_storm_set_rebind,
};
module_param_cb(rebind, &pcs_storm_rebind_ops, NULL, 0200);
MODULE_PARM_DESC(rebind, "number of the block to unbind arm_pcsample from, and to bind it to again");

static int __init pcs_storm_init(void)
{
	return cpu_pm_register_notifier(&pcs_storm_nb);
}

static void __exit pcs_storm_exit(void)
{
	cpu_pm_unregister_notifier(&pcs_storm_nb);
}

module_init(pcs_storm_init);
module_exit(pcs_storm_exit);

MODULE_DESCRIPTION("Power and device events for a test of arm_pcsample");
MODULE_LICENSE("GPL");
