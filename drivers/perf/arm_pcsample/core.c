// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perf PMU of the PC Sample-based Profiling Extension (FEAT_PCSRv8, FEAT_PCSRv8p2, FEAT_PCSRv8p9).
 *
 * One CPU, the reader, reads the PC-sample registers of others, its targets. A running target
 * executes nothing for that. On its way into and out of an idle state that loses power it runs
 * pcs_cpu_pm(), which keeps the readers off its registers meanwhile.
 *
 * This file finds the blocks, and tells the others when CPUs come and go.
 * Documentation/admin-guide/perf/arm_pcsample.rst describes the use.
 */
#include <linux/acpi.h>
#include <linux/amba/bus.h>
#include <linux/clk.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <arch-model/pmpcsr-regs.h>

#include "arm_pcsample.h"
#ifndef PCS_IN_TREE
#include "kernel-api.h"
#endif

struct pcs_driver arm_pcsample = {
	.lock = __MUTEX_INITIALIZER(arm_pcsample.lock),
	.ledger_lock = __RAW_SPIN_LOCK_UNLOCKED(arm_pcsample.ledger_lock),
	.running = LIST_HEAD_INIT(arm_pcsample.running),
};

/*
 * CPUs come and go
 */

/*
 * perf's locks are taken outside the driver's, as perf calls the driver with its own held
 * (perf_try_init_event()). While this module cannot be unloaded nor can its PMU go, and when it is
 * being unloaded there are no events.
 */
static void pcs_move_events(int from, int to)
{
	if (from == PCS_NOBODY || to == PCS_NOBODY || !try_module_get(THIS_MODULE))
		return;
	perf_pmu_migrate_context(&arm_pcsample.pmu, from, to);
	module_put(THIS_MODULE);
}

/* Runs on the CPU. Also if it was going and did not go, as another callback refused. */
static int pcs_cpu_online(unsigned int cpu)
{
	struct pcs_block *block;
	int stand_in;

	mutex_lock(&arm_pcsample.lock);
	pcs_rom_cpu_online();
	/* Before its block is there: the package decides who reads it. */
	stand_in = pcs_seats_cpu_online(cpu);
	block = arm_pcsample.block[cpu];
	if (block && block->checked)
		pcs_block_power(block, PCS_POWER_ONLINE);
	else if (block && !pcs_block_attach(block))
		pcs_seats_block_changed();
	mutex_unlock(&arm_pcsample.lock);

	pcs_move_events(stand_in, cpu);
	pcs_counters_cpu_online();
	return 0;
}

/*
 * Runs on the CPU, well before it is really gone. This is the last moment to move its events: perf
 * ends those that it finds on the CPU, and does so before pcs_cpu_dead().
 */
static int pcs_cpu_offline(unsigned int cpu)
{
	int stand_in;

	mutex_lock(&arm_pcsample.lock);
	if (arm_pcsample.block[cpu])
		pcs_block_power(arm_pcsample.block[cpu], PCS_POWER_OFFLINE);
	stand_in = pcs_seats_cpu_offline(cpu);
	mutex_unlock(&arm_pcsample.lock);

	pcs_move_events(cpu, stand_in);
	return 0;
}

/* Runs on another CPU. Events of other PMUs, too, have ended on the one that is gone. */
static int pcs_cpu_dead(unsigned int cpu)
{
	mutex_lock(&arm_pcsample.lock);
	pcs_seats_cpu_dead(cpu);
	mutex_unlock(&arm_pcsample.lock);
	return 0;
}

/*
 * Runs on the CPU, IRQs disabled, on its way into or out of an idle state without power. Without
 * an event it notes the state and nothing else.
 */
static int pcs_cpu_pm(struct notifier_block *nb, unsigned long action, void *unused)
{
	static const enum pcs_power_event events[] = {
		[CPU_PM_ENTER] = PCS_POWER_IDLE_ENTER,
		[CPU_PM_ENTER_FAILED] = PCS_POWER_IDLE_FAILED,
		[CPU_PM_EXIT] = PCS_POWER_IDLE_EXIT,
		[CPU_CLUSTER_PM_ENTER] = PCS_POWER_CLUSTER_ENTER,
		[CPU_CLUSTER_PM_ENTER_FAILED] = PCS_POWER_CLUSTER_FAILED,
		[CPU_CLUSTER_PM_EXIT] = PCS_POWER_CLUSTER_EXIT,
	};
	struct pcs_block *block = READ_ONCE(arm_pcsample.block[smp_processor_id()]);

	if (!block || action >= ARRAY_SIZE(events))
		return NOTIFY_DONE;
	pcs_block_power(block, events[action]);
	return NOTIFY_OK;
}

static struct notifier_block pcs_cpu_pm_nb = {
	.notifier_call = pcs_cpu_pm,
};

static void pcs_cpu_pm_exit(void)
{
	cpu_pm_unregister_notifier(&pcs_cpu_pm_nb);
	/* A CPU that leaves an idle state may be in the chain, which it walks under RCU alone. */
	synchronize_rcu();
}

/*
 * Blocks come and go
 */

static void pcs_set_block(int cpu, struct pcs_block *block)
{
	raw_spin_lock_irq(&arm_pcsample.ledger_lock);
	WRITE_ONCE(arm_pcsample.block[cpu], block);
	raw_spin_unlock_irq(&arm_pcsample.ledger_lock);
}

/* No event visits the block any more, or ever did. Under arm_pcsample.lock. */
static void pcs_forget_block(struct pcs_block *block)
{
	pcs_block_gone(block);
	pcs_set_block(block->cpu, NULL);
	/* The CPU may be in pcs_cpu_pm() with it. */
	synchronize_rcu();
}

/*
 * What remove() does, and a probe that fails. devres would be too late for a block that is held,
 * which is closed here: before it runs, amba_remove() and a failing amba_probe() disable runtime
 * power management and apb_pclk, and older kernels detach the power domain on both buses.
 */
static void pcs_remove_block(struct device *dev)
{
	struct pcs_block *block = dev_get_drvdata(dev);

	mutex_lock(&arm_pcsample.lock);
	block->checked = false;
	pcs_seats_block_changed();
	pcs_forget_block(block);
	while (block->holds)
		pcs_block_release(block);
	mutex_unlock(&arm_pcsample.lock);
	pcs_block_exit(block);
}

/*
 * Under cpu_hotplug_lock. The notifier must see the block before its CPU is taken to have power,
 * which the CPU may lose a moment later.
 */
static int pcs_add_block(struct pcs_block *block)
{
	int cpu = block->cpu;
	int ret = 0;

	mutex_lock(&arm_pcsample.lock);
	if (arm_pcsample.block[cpu]) {
		dev_err(block->dev, "CPU%d has a block already: %s\n", cpu,
			dev_name(arm_pcsample.block[cpu]->dev));
		ret = -ENXIO;
		goto out_unlock;
	}
	pcs_set_block(cpu, block);
	/* A CPU that is down may have no power to be read with; it is looked at when it is up. */
	if (cpumask_test_cpu(cpu, &arm_pcsample.online))
		ret = pcs_block_attach(block);
	if (!ret && arm_pcsample.nr_events)
		ret = pcs_block_hold(block);
	/* Fails only where nobody holds it yet */
	if (!ret && pcs_panic_wants_blocks())
		ret = pcs_block_hold(block);
	if (ret) {
		pcs_forget_block(block);
		goto out_unlock;
	}
	if (block->holds)
		pcs_block_open(block);
	pcs_seats_block_changed();
out_unlock:
	mutex_unlock(&arm_pcsample.lock);
	return ret;
}

#ifdef CONFIG_ACPI
/* A CPU that is possible has no device until it is present (arch_register_cpu()). */
static struct acpi_device *pcs_acpi_processor(int cpu)
{
	struct device *device = get_cpu_device(cpu);

	return device ? ACPI_COMPANION(device) : NULL;
}

/* ACPI has the block below its processor ("ACPI for CoreSight", DEN0067) */
static int pcs_find_acpi_cpu(struct device *dev)
{
	struct acpi_device *processor = acpi_dev_parent(ACPI_COMPANION(dev));
	int cpu;

	for_each_possible_cpu(cpu)
		if (processor && pcs_acpi_processor(cpu) == processor)
			return cpu;
	dev_err(dev, "not below a processor of this system: whose block is this?\n");
	return -ENXIO;
}

static const struct pcs_soc *pcs_acpi_soc(void)
{
	const struct acpi_table_header *header = &acpi_gbl_FADT.header;

	return acpi_disabled ? NULL : pcs_match_oem(header->oem_id, header->oem_table_id);
}
#else
static int pcs_find_acpi_cpu(struct device *dev)
{
	return -ENXIO;
}

static const struct pcs_soc *pcs_acpi_soc(void)
{
	return NULL;
}
#endif

static int pcs_find_cpu(struct device *dev)
{
	struct device_node *node;
	int cpu;

	if (pcs_by_hand_cpu(dev, &cpu))
		return cpu;
	if (has_acpi_companion(dev))
		return pcs_find_acpi_cpu(dev);
	node = of_parse_phandle(dev->of_node, "cpu", 0);
	if (!node) {
		dev_err(dev, "no cpu property: whose block is this?\n");
		return -ENXIO;
	}
	cpu = of_cpu_node_to_id(node);
	if (cpu < 0) {
		dev_err(dev, "cpu property: %pOF is no CPU of this system\n", node);
		cpu = -ENXIO;
	}
	of_node_put(node);
	return cpu;
}

/*
 * -ENXIO makes the driver core add no line of its own. Want of memory is left to it: of that devres
 * says nothing (dev_err_probe()).
 */
static void __iomem *pcs_map(struct device *dev, const struct resource *res)
{
	void __iomem *base;

	if (!res || resource_size(res) < PCSR_BLOCK_SIZE) {
		dev_err(dev, "%s: a block of 0x%x bytes is needed\n",
			has_acpi_companion(dev) ? "_CRS" : "reg property", PCSR_BLOCK_SIZE);
		return IOMEM_ERR_PTR(-ENXIO);
	}
	base = devm_ioremap_resource(dev, res);	/* says itself what else is wrong */
	return IS_ERR(base) && PTR_ERR(base) != -ENOMEM ? IOMEM_ERR_PTR(-ENXIO) : base;
}

static bool pcs_force;
module_param_named(force, pcs_force, bool, 0444);
MODULE_PARM_DESC(force, "Read blocks also on systems where that is known to hang (default: no)");

static bool pcs_snapshots;
module_param_named(snapshots, pcs_snapshots, bool, 0444);
MODULE_PARM_DESC(snapshots, "Firmware allows PMU snapshots, whatever the device tree says (default: no)");

static bool pcs_assume_pcsample;
module_param_named(assume_pcsample, pcs_assume_pcsample, bool, 0444);
MODULE_PARM_DESC(assume_pcsample,
		 "PMU blocks sample the PC also where PMDEVID does not say so (default: no)");

static bool pcs_power_request;
module_param_named(power_request, pcs_power_request, bool, 0444);
MODULE_PARM_DESC(power_request,
		 "Request power for CPUs while their debug blocks are used (default: no)");

/*
 * EDPRCR is in the debug block alone. On Qualcomm's SoCs the power-up request of the trace unit
 * stops the watchdog counter of the CPU (the binding of arm,coresight-etm4x,
 * qcom,skip-power-up), so none is made there.
 */
static bool pcs_may_request(struct device *dev, enum pcs_node node)
{
	const char *compatible;
	int len = 0;

	if (!pcs_power_request || node == PCS_NODE_PMU)
		return false;
	compatible = of_get_property(of_root, "compatible", &len);
	if (!pcs_match_qualcomm(compatible, len) && !pcs_core_is_qualcomm())
		return true;
	dev_warn(dev, "power_request=1: not on Qualcomm's SoCs, as it may stop CPUs' watchdogs\n");
	return false;
}

/* Asked before any access: there is no way back from a bus that hangs. */
static bool pcs_is_safe(struct device *dev)
{
	const struct pcs_soc *soc;
	const char *compatible;
	int len = 0;

	compatible = of_get_property(of_root, "compatible", &len);
	soc = pcs_match_soc(compatible, len);
	if (!soc)
		soc = pcs_acpi_soc();
	if (!soc)
		return true;
	if (soc->refused && !pcs_force) {
		dev_err(dev, "%s: %s; not read without force=1\n", soc->compatible, soc->why);
		return false;
	}
	dev_warn(dev, "%s: %s\n", soc->compatible, soc->why);
	return true;
}

static struct pcs_block *pcs_make_block(struct device *dev, enum pcs_node node,
					const struct resource *res)
{
	struct pcs_block *block;

	if (!pcs_is_safe(dev))
		return ERR_PTR(-ENXIO);
	block = devm_kzalloc(dev, sizeof(*block), GFP_KERNEL);
	if (!block)
		return ERR_PTR(-ENOMEM);
	block->dev = dev;
	block->node = node;
	block->host = &arm_pcsample.host;
	block->frame.kernel = &block->host->kernel;
	block->frame.may_capture = pcs_snapshots ||
				   device_property_read_bool(dev, "arm,pmu-snapshots");
	block->frame.assumes_pcsample = pcs_assume_pcsample;
	block->frame.may_request = pcs_may_request(dev, node);
	pcs_block_init(block);

	block->cpu = pcs_find_cpu(dev);
	if (block->cpu < 0)
		return ERR_PTR(block->cpu);
	block->frame.base = pcs_map(dev, res);
	if (IS_ERR(block->frame.base))
		return ERR_CAST(block->frame.base);
	return block;
}

/* Clocks and power domain of the block can be had by now: pcs_block_hold() */
static int pcs_show_block(struct pcs_block *block)
{
	int ret;

	dev_set_drvdata(block->dev, block);
	cpus_read_lock();
	ret = pcs_add_block(block);
	cpus_read_unlock();
	if (ret) {
		pcs_block_exit(block);
		return ret;
	}
	pcs_counters_cpu_online();
	ret = pcs_pmu_show_block(block->cpu);
	if (ret)
		pcs_remove_block(block->dev);
	return ret;
}

/*
 * A reboot or kexec: leave the block to the next kernel as this one found it, since no other code
 * does
 */
static void pcs_leave_block(struct device *dev)
{
	pcs_block_gone(dev_get_drvdata(dev));
}

static int pcs_suspend(struct device *dev)
{
	mutex_lock(&arm_pcsample.lock);
	pcs_block_suspend(dev_get_drvdata(dev));
	mutex_unlock(&arm_pcsample.lock);
	return 0;
}

static int pcs_resume(struct device *dev)
{
	struct pcs_block *block = dev_get_drvdata(dev);
	int ret;

	cpus_read_lock();
	mutex_lock(&arm_pcsample.lock);
	ret = pcs_block_resume(block);
	if (!ret && !block->checked && cpumask_test_cpu(block->cpu, &arm_pcsample.online) &&
	    !pcs_block_attach(block))
		pcs_seats_block_changed();
	mutex_unlock(&arm_pcsample.lock);
	cpus_read_unlock();
	return ret;
}

static DEFINE_SIMPLE_DEV_PM_OPS(pcs_pm_ops, pcs_suspend, pcs_resume);

/*
 * Nodes of external PMU blocks, of our own binding; debug blocks that ACPI has, which before Linux
 * 6.12 are devices of the AMBA bus; and blocks of any kind that nothing describes
 */

static enum pcs_node pcs_node_of(struct device *dev)
{
	if (has_acpi_companion(dev))
		return PCS_NODE_DEBUG;
	return dev->of_node ? PCS_NODE_PMU : PCS_NODE_BY_HAND;
}

static int pcs_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	const struct resource *res = pcs_by_hand_region(dev);
	struct pcs_block *block;
	int ret;

	res = res ?: platform_get_resource(pdev, IORESOURCE_MEM, 0);
	block = pcs_make_block(dev, pcs_node_of(dev), res);
	if (IS_ERR(block))
		return PTR_ERR(block);
	block->nr_clocks = devm_clk_bulk_get_all(dev, &block->clocks);
	if (block->nr_clocks < 0)
		return dev_err_probe(dev, block->nr_clocks, "clocks property\n");
	ret = devm_pm_runtime_enable(dev);
	if (ret)
		return ret;
	return pcs_show_block(block);
}

#if PCS_HAVE_INT_REMOVE
/* Before Linux 6.11 */
static int pcs_remove(struct platform_device *pdev)
{
	pcs_remove_block(&pdev->dev);
	return 0;
}
#else
static void pcs_remove(struct platform_device *pdev)
{
	pcs_remove_block(&pdev->dev);
}
#endif

static void pcs_shutdown(struct platform_device *pdev)
{
	pcs_leave_block(&pdev->dev);
}

static const struct of_device_id pcs_of_match[] = {
	{ .compatible = "arm,pmu-pc-sample" },
	{}
};
MODULE_DEVICE_TABLE(of, pcs_of_match);

/* coresight-cpu-debug's; no ID says that a block is one of the external PMU */
static const struct acpi_device_id pcs_acpi_match[] = {
	{ "ARMHC503" },
	{}
};
MODULE_DEVICE_TABLE(acpi, pcs_acpi_match);

static struct platform_driver pcs_platform_driver = {
	.driver = {
		.name = PCS_NAME,
		.of_match_table = pcs_of_match,
		.acpi_match_table = pcs_acpi_match,
		.pm = pm_sleep_ptr(&pcs_pm_ops),
		/* Events hold the module, not single blocks. */
		.suppress_bind_attrs = true,
	},
	.probe = pcs_probe,
	.remove = pcs_remove,
	.shutdown = pcs_shutdown,
};

/*
 * Nodes of external debug blocks, arm,coresight-cpu-debug: the AMBA bus has read the peripheral ID,
 * and its runtime power management is that of apb_pclk and of the power domain.
 */

static int pcs_amba_probe(struct amba_device *adev, const struct amba_id *id)
{
	struct pcs_block *block = pcs_make_block(&adev->dev, PCS_NODE_DEBUG, &adev->res);
	int ret;

	if (IS_ERR(block))
		return PTR_ERR(block);
	ret = pcs_show_block(block);
	/* The bus keeps the device powered for the probe; after it, holders of the block do. */
	if (!ret)
		pm_runtime_put(&adev->dev);
	return ret;
}

static void pcs_amba_remove(struct amba_device *adev)
{
	pcs_remove_block(&adev->dev);
	/* Undo the pm_runtime_put() of the probe: the bus undoes its own get. */
	pm_runtime_get_noresume(&adev->dev);
}

static void pcs_amba_shutdown(struct amba_device *adev)
{
	pcs_leave_block(&adev->dev);
}

static struct amba_driver pcs_amba_driver = {
	.drv = {
		.name = PCS_NAME,
		.owner = THIS_MODULE,
		.pm = pm_sleep_ptr(&pcs_pm_ops),
		.suppress_bind_attrs = true,
	},
	.probe = pcs_amba_probe,
	.remove = pcs_amba_remove,
	.shutdown = pcs_amba_shutdown,
	.id_table = pcs_amba_ids,
};

/*
 * A device has one driver, and coresight-cpu-debug may have the debug blocks. The driver core never
 * offers them to this driver then, not even when the other one has gone. Log why there is no block.
 */

struct pcs_held {
	char by[MODULE_NAME_LEN];
	bool by_module;
	unsigned int blocks;
};

static bool pcs_is_debug_node(struct device *dev)
{
	return acpi_match_device(pcs_acpi_match, dev) ||
	       of_device_is_compatible(dev->of_node, "arm,coresight-cpu-debug");
}

static int pcs_count_held(struct device *dev, void *data)
{
	struct pcs_held *held = data;
	const struct device_driver *driver;

	if (!pcs_is_debug_node(dev))
		return 0;
	/* The driver is there as long as it has the device. */
	device_lock(dev);
	driver = dev->driver;
	if (driver && strcmp(driver->name, PCS_NAME)) {
		held->by_module = driver->owner;
		strscpy(held->by, driver->owner ? module_name(driver->owner) : driver->name,
			sizeof(held->by));
		held->blocks++;
	}
	device_unlock(dev);
	return 0;
}

/*
 * The kernel may lack an AMBA bus: the bus of the registered driver is asked for.
 *
 * coresight-cpu-debug has no module if it is built into the kernel, and did not name its module
 * before Linux 6.10. Its initcall is debug_init, and was debug_driver_init while it was a driver of
 * the AMBA bus alone.
 */
static void pcs_tell_held(void)
{
	struct pcs_held held = {};

	bus_for_each_dev(pcs_amba_driver.drv.bus, NULL, &held, pcs_count_held);
	bus_for_each_dev(pcs_platform_driver.driver.bus, NULL, &held, pcs_count_held);
	if (held.blocks && held.by_module)
		pr_warn(PCS_NAME ": %s holds %u debug blocks: unload it, then load this driver again\n",
			held.by, held.blocks);
	else if (held.blocks)
		pr_warn(PCS_NAME ": %s holds %u debug blocks: unload it, then load this driver again; if it is built into the kernel, boot with initcall_blacklist=debug_init,debug_driver_init\n",
			held.by, held.blocks);
}

static int pcs_find_blocks(void)
{
	int ret = platform_driver_register(&pcs_platform_driver);

	if (ret)
		return ret;
	ret = amba_driver_register(&pcs_amba_driver);
	if (ret)
		goto out_platform;
	ret = pcs_by_hand_add();
	if (ret)
		goto out_amba;
	pcs_tell_held();
	return 0;

out_amba:
	amba_driver_unregister(&pcs_amba_driver);
out_platform:
	platform_driver_unregister(&pcs_platform_driver);
	return ret;
}

static void pcs_leave_blocks(void)
{
	pcs_by_hand_remove();
	amba_driver_unregister(&pcs_amba_driver);
	platform_driver_unregister(&pcs_platform_driver);
}

/*
 * Module
 */

static int pcs_cpuhp_dead;
static int pcs_cpuhp_state;

static void pcs_free(void)
{
	pcs_counters_free();
	pcs_seats_free();
	kfree(arm_pcsample.block);
	kfree(arm_pcsample.ledger);
}

static int pcs_alloc(void)
{
	arm_pcsample.block = kcalloc(nr_cpu_ids, sizeof(*arm_pcsample.block), GFP_KERNEL);
	arm_pcsample.ledger = kcalloc(nr_cpu_ids, sizeof(*arm_pcsample.ledger), GFP_KERNEL);
	if (!arm_pcsample.block || !arm_pcsample.ledger || pcs_seats_alloc())
		goto out_free;
	if (pcs_counters_alloc())
		goto out_seats;
	return 0;

out_seats:
	pcs_seats_free();
out_free:
	kfree(arm_pcsample.block);
	kfree(arm_pcsample.ledger);
	return -ENOMEM;
}

/* The first register set that there is; a block whose CPU is offline has none yet */
static const char *pcs_name_set(void)
{
	const char *name = "none";
	int cpu;

	mutex_lock(&arm_pcsample.lock);
	for (cpu = nr_cpu_ids - 1; cpu >= 0; cpu--)
		if (arm_pcsample.block[cpu] && arm_pcsample.block[cpu]->checked)
			name = arm_pcsample.block[cpu]->frame.reads->name;
	mutex_unlock(&arm_pcsample.lock);
	return name;
}

static void pcs_say_hello(void)
{
	cpumask_var_t readers;
	int cpu, n = 0;

	if (!zalloc_cpumask_var(&readers, GFP_KERNEL))
		return;
	pcs_get_readers(readers);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		n += !!READ_ONCE(arm_pcsample.block[cpu]);
	if (n)
		pr_info(PCS_NAME ": %d CPUs, readers %*pbl, registers %s, task from %s\n", n,
			cpumask_pr_args(readers), pcs_name_set(),
			arm_pcsample.host.kernel.names_tasks ?
			"Context ID" : "nowhere (no CONFIG_PID_IN_CONTEXTIDR)");
	free_cpumask_var(readers);
}

static int __init pcs_init(void)
{
	int ret;

	ret = pcs_alloc();
	if (ret)
		return ret;
	pcs_know_host(&arm_pcsample.host);
#ifndef PCS_IN_TREE
	pcs_find_kvm();
#endif

	ret = pcs_pmu_init();
	if (ret)
		goto out_free;
	ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "perf/arm/pcsample:dead",
					NULL, pcs_cpu_dead);
	if (ret < 0)
		goto out_pmu;
	pcs_cpuhp_dead = ret;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/arm/pcsample:online",
				pcs_cpu_online, pcs_cpu_offline);
	if (ret < 0)
		goto out_dead;
	pcs_cpuhp_state = ret;
	ret = pcs_seats_init();
	if (ret)
		goto out_cpuhp;
	ret = cpu_pm_register_notifier(&pcs_cpu_pm_nb);
	if (ret)
		goto out_cpuhp;
	ret = pcs_find_blocks();
	if (ret)
		goto out_cpu_pm;
	/* Last, as an event's reference does not keep a module whose init fails. */
	ret = pcs_pmu_register();
	if (ret)
		goto out_blocks;
	pcs_panic_init();
	pcs_say_hello();
	return 0;

out_blocks:
	pcs_leave_blocks();
out_cpu_pm:
	pcs_cpu_pm_exit();
out_cpuhp:
	cpuhp_remove_state_nocalls(pcs_cpuhp_state);
out_dead:
	cpuhp_remove_state_nocalls(pcs_cpuhp_dead);
out_pmu:
	pcs_pmu_exit();
out_free:
#ifndef PCS_IN_TREE
	pcs_put_kvm();
#endif
	pcs_free();
	return ret;
}

static void __exit pcs_exit(void)
{
	pcs_panic_exit();
	/* First, as a block that is found registers the PMU if it is not there */
	pcs_leave_blocks();
	pcs_pmu_unregister();
	pcs_cpu_pm_exit();
	cpuhp_remove_state_nocalls(pcs_cpuhp_state);
	cpuhp_remove_state_nocalls(pcs_cpuhp_dead);
	pcs_pmu_exit();
#ifndef PCS_IN_TREE
	pcs_put_kvm();
#endif
	pcs_free();
}

module_init(pcs_init);
module_exit(pcs_exit);

MODULE_DESCRIPTION("Perf PMU of the Arm PC Sample-based Profiling Extension");
MODULE_LICENSE("GPL");
