// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perf PMU of the PC Sample-based Profiling Extension (FEAT_PCSRv8p2, FEAT_PCSRv8p9).
 *
 * One CPU, the reader, reads the PC-sample registers of others, its targets; those run nothing
 * for it. This file finds the blocks and says who reads whom, also when CPUs come and go.
 * Documentation/admin-guide/perf/arm_pcsample.rst describes the use.
 */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include <asm/cpufeature.h>
#include <asm/virt.h>

#include <arch-model/pmpcsr-regs.h>

#include "arm_pcsample.h"

static char *pcs_readers_param;
module_param_named(readers, pcs_readers_param, charp, 0444);
MODULE_PARM_DESC(readers, "List of the CPUs that read the others (default: two, spread over packages)");

struct pcs_driver pcs = {
	.lock = __MUTEX_INITIALIZER(pcs.lock),
	.ledger_lock = __RAW_SPIN_LOCK_UNLOCKED(pcs.ledger_lock),
	.running = LIST_HEAD_INIT(pcs.running),
};

/*
 * Who reads whom
 */

/*
 * Recompute pcs.seats.reader for the seats, CPUs and blocks of now, and let running events
 * follow. If @afresh, no target keeps its reader for old times' sake. Under pcs.lock.
 */
static void pcs_reassign(bool afresh)
{
	int cpu;

	raw_spin_lock_irq(&pcs.ledger_lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		pcs.seats.is_target[cpu] = pcs.block[cpu] && pcs.block[cpu]->checked;
		if (afresh)
			pcs.seats.reader[cpu] = PCS_NOBODY;
	}
	pcs_assign(&pcs.seats);
	raw_spin_unlock_irq(&pcs.ledger_lock);
	pcs_reader_replan();
}

/*
 * Who sits in for a reader whose CPU is offline: a CPU that does not read yet, of the same package
 * if possible, or else another reader. Under pcs.lock.
 */
static int pcs_find_stand_in(int seat)
{
	int cpu, best = PCS_NOBODY, best_score = -1;

	for_each_cpu(cpu, &pcs.online) {
		int score = pcs.seats.package[cpu] == pcs.seats.package[seat];
		int other;

		score += 2;
		for (other = 0; other < nr_cpu_ids; other++)
			if (pcs.seats.acting[other] == cpu) {
				score -= 2;
				break;
			}
		if (score > best_score) {
			best = cpu;
			best_score = score;
		}
	}
	return best;
}

static void pcs_set_acting(int seat, int cpu)
{
	raw_spin_lock_irq(&pcs.ledger_lock);
	pcs.seats.acting[seat] = cpu;
	raw_spin_unlock_irq(&pcs.ledger_lock);
}

/*
 * Let each reader sit where the user wants it, or find somebody to sit in. While there are events
 * nothing may move but away from a CPU that goes down: a ring buffer is written by one CPU, the
 * one whose side-band goes there too. Under pcs.lock, with no events.
 */
static void pcs_seat_readers(void)
{
	int seat;

	for (seat = 0; seat < nr_cpu_ids; seat++)
		pcs_set_acting(seat, PCS_NOBODY);
	for_each_cpu_and(seat, &pcs.wanted, &pcs.online)
		pcs_set_acting(seat, seat);
	for_each_cpu(seat, &pcs.wanted)
		if (pcs.seats.acting[seat] == PCS_NOBODY)
			pcs_set_acting(seat, pcs_find_stand_in(seat));
	pcs_reassign(true);
}

/*
 * Two CPUs, so that each is read by the other, on different packages, so that most reads stay on
 * a package; and none that the user keeps free of such work. Under pcs.lock.
 */
static void pcs_choose_readers(struct cpumask *readers)
{
	const struct cpumask *domain = housekeeping_cpumask(HK_TYPE_DOMAIN);
	const struct cpumask *tick = housekeeping_cpumask(HK_TYPE_TICK);
	int cpu, first = PCS_NOBODY, second = PCS_NOBODY;

	for_each_cpu_and(cpu, &pcs.online, domain) {
		if (!cpumask_test_cpu(cpu, tick))
			continue;
		if (first == PCS_NOBODY)
			first = cpu;
		else if (second == PCS_NOBODY)
			second = cpu;
		else if (pcs.seats.package[second] == pcs.seats.package[first] &&
			 pcs.seats.package[cpu] != pcs.seats.package[first])
			second = cpu;
	}

	cpumask_clear(readers);
	cpumask_set_cpu(first == PCS_NOBODY ? cpumask_first(&pcs.online) : first, readers);
	if (second != PCS_NOBODY)
		cpumask_set_cpu(second, readers);
}

/**
 * pcs_get_readers() - the CPUs that read now
 * @readers: filled
 */
void pcs_get_readers(struct cpumask *readers)
{
	int seat;

	cpumask_clear(readers);
	mutex_lock(&pcs.lock);
	for_each_cpu(seat, &pcs.wanted)
		if (pcs.seats.acting[seat] != PCS_NOBODY)
			cpumask_set_cpu(pcs.seats.acting[seat], readers);
	mutex_unlock(&pcs.lock);
}

/**
 * pcs_set_readers() - change the readers
 * @readers: CPUs that shall read
 *
 * Return: 0, -EINVAL if @readers is empty or a CPU of it is offline, -EBUSY if there are events.
 */
int pcs_set_readers(const struct cpumask *readers)
{
	int ret = 0;

	mutex_lock(&pcs.lock);
	if (cpumask_empty(readers) || !cpumask_subset(readers, &pcs.online)) {
		ret = -EINVAL;
	} else if (pcs.nr_events) {
		ret = -EBUSY;
	} else {
		cpumask_copy(&pcs.wanted, readers);
		pcs_seat_readers();
	}
	mutex_unlock(&pcs.lock);
	return ret;
}

/* Is there a block for each CPU of an event's mask, and a reader for any CPU? Under pcs.lock. */
static int pcs_check_targets(u64 mask)
{
	bool any = false;
	int cpu;

	for (cpu = 0; cpu < 64; cpu++)
		if ((mask & BIT_ULL(cpu)) && (cpu >= nr_cpu_ids || !pcs.block[cpu]))
			return -EINVAL;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		any |= pcs.seats.reader[cpu] != PCS_NOBODY;
	return any ? 0 : -ENODEV;
}

/**
 * pcs_event_opened() - an event is made: which readers does it speak for?
 * @ev: the event; its @seats is set
 *
 * Return: 0; -EINVAL if its CPU is no reader, or its mask names a CPU without a block; -ENODEV if
 * nothing at all can be sampled, as with a single CPU online.
 */
int pcs_event_opened(struct pcs_event *ev)
{
	int seat, ret;

	mutex_lock(&pcs.lock);
	for_each_cpu(seat, &pcs.wanted)
		if (pcs.seats.acting[seat] == ev->event->cpu)
			cpumask_set_cpu(seat, &ev->seats);
	ret = cpumask_empty(&ev->seats) ? -EINVAL : pcs_check_targets(ev->targets_mask);
	if (!ret)
		pcs.nr_events++;
	mutex_unlock(&pcs.lock);
	return ret;
}

/**
 * pcs_event_closed() - an event of pcs_event_opened() is gone
 *
 * With the last one readers return to their own CPUs, if others sat in for them.
 */
void pcs_event_closed(void)
{
	mutex_lock(&pcs.lock);
	if (!--pcs.nr_events)
		pcs_seat_readers();
	mutex_unlock(&pcs.lock);
}

/*
 * CPUs come and go
 */

struct pcs_attachment {
	struct pcs_block *block;
	enum pcs_ident_fault fault;
	struct pcs_ident id;
	u64 mpidr;
};

static void pcs_attach_local(void *info)
{
	struct pcs_attachment *at = info;

	at->fault = pcs_block_attach(at->block, &at->id, &at->mpidr);
}

/* Under pcs.lock and cpu_hotplug_lock; the block's CPU is up. Says in one line what is wrong. */
static int pcs_attach(struct pcs_block *block)
{
	struct pcs_attachment at = { .block = block };
	struct device *dev = block->dev;

	smp_call_function_single(block->cpu, pcs_attach_local, &at, true);

	switch (at.fault) {
	case PCS_IDENT_GOOD:
		if (block->disabled)
			dev_warn(dev, "CPU%d: non-invasive debug is disabled (PMAUTHSTATUS.NSNID), it will give no samples\n",
				 block->cpu);
		return 0;
	case PCS_IDENT_CIDR:
		dev_err(dev, "no CoreSight component here (PMCIDR 0x%02x 0x%02x 0x%02x 0x%02x): wrong reg?\n",
			at.id.cidr[0], at.id.cidr[1], at.id.cidr[2], at.id.cidr[3]);
		break;
	case PCS_IDENT_DEVARCH:
		dev_err(dev, "not an external PMU (PMDEVARCH 0x%08x): wrong reg?\n", at.id.devarch);
		break;
	case PCS_IDENT_DEVTYPE:
		dev_err(dev, "not an external PMU (PMDEVTYPE 0x%02x, PMDEVARCH 0x%08x): wrong reg?\n",
			at.id.devtype, at.id.devarch);
		break;
	case PCS_IDENT_NO_PCSAMPLE:
		dev_err(dev, "CPU%d's external PMU has no PC sampling (PMDEVID 0x%08x)\n",
			block->cpu, at.id.devid);
		break;
	case PCS_IDENT_AFFINITY:
		dev_err(dev, "the block of PE 0x%llx, not of CPU%d, which is 0x%llx: wrong cpu or reg?\n",
			at.id.devaff & PMDEVAFF_AFF, block->cpu, at.mpidr & PMDEVAFF_AFF);
		break;
	}
	return -ENXIO;
}

/* Runs on the CPU. */
static int pcs_cpu_online(unsigned int cpu)
{
	struct pcs_block *block;
	unsigned long flags;

	mutex_lock(&pcs.lock);
	cpumask_set_cpu(cpu, &pcs.online);
	pcs.seats.package[cpu] = topology_physical_package_id(cpu);
	block = pcs.block[cpu];
	if (block && block->checked) {
		local_irq_save(flags);
		pcs_block_power_up(block);
		local_irq_restore(flags);
	} else if (block && !pcs_attach(block)) {
		pcs_reassign(false);
	}
	if (!pcs.nr_events)
		pcs_seat_readers();
	mutex_unlock(&pcs.lock);
	return 0;
}

/* Move the readers that sit on a CPU to another, with their events. Under pcs.lock. */
static void pcs_leave_cpu(int cpu)
{
	int seat, stand_in = PCS_NOBODY;

	for_each_cpu(seat, &pcs.wanted) {
		if (pcs.seats.acting[seat] != cpu)
			continue;
		/* perf moves all events of a CPU to one other. */
		if (stand_in == PCS_NOBODY)
			stand_in = pcs_find_stand_in(seat);
		pcs_set_acting(seat, stand_in);
	}
	if (stand_in == PCS_NOBODY)
		return;
	pcs_reassign(false);
	if (pcs.registered)
		perf_pmu_migrate_context(&pcs.pmu, cpu, stand_in);
}

/* Runs on the CPU, well before it is really gone. */
static int pcs_cpu_offline(unsigned int cpu)
{
	struct pcs_block *block;
	unsigned long flags;

	mutex_lock(&pcs.lock);
	cpumask_clear_cpu(cpu, &pcs.online);
	block = pcs.block[cpu];
	if (block) {
		local_irq_save(flags);
		pcs_block_power_down(block);
		local_irq_restore(flags);
	}
	pcs_leave_cpu(cpu);
	mutex_unlock(&pcs.lock);
	return 0;
}

/* Runs on the CPU, IRQs disabled, on its way into or out of an idle state without power. */
static int pcs_cpu_pm(struct notifier_block *nb, unsigned long action, void *unused)
{
	struct pcs_block *block = READ_ONCE(pcs.block[smp_processor_id()]);

	if (!block || !block->checked)
		return NOTIFY_DONE;

	switch (action) {
	case CPU_PM_ENTER:
		pcs_block_power_down(block);
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		pcs_block_power_up(block);
		break;
	default:
		return NOTIFY_DONE;
	}
	return NOTIFY_OK;
}

static struct notifier_block pcs_cpu_pm_nb = {
	.notifier_call = pcs_cpu_pm,
};

/*
 * Probe
 */

static void pcs_set_block(int cpu, struct pcs_block *block)
{
	raw_spin_lock_irq(&pcs.ledger_lock);
	WRITE_ONCE(pcs.block[cpu], block);
	raw_spin_unlock_irq(&pcs.ledger_lock);
}

static void pcs_remove_block(void *data)
{
	struct pcs_block *block = data;

	mutex_lock(&pcs.lock);
	block->checked = false;
	pcs_reassign(false);
	pcs_set_block(block->cpu, NULL);
	mutex_unlock(&pcs.lock);
	/* The CPU may be in pcs_cpu_pm() with it. */
	synchronize_rcu();
	pcs_block_detach(block);
}

/* Under cpu_hotplug_lock. */
static int pcs_add_block(struct pcs_block *block)
{
	int cpu = block->cpu;
	int ret = 0;

	mutex_lock(&pcs.lock);
	if (pcs.block[cpu]) {
		dev_err(block->dev, "CPU%d has a block already: %s\n", cpu,
			dev_name(pcs.block[cpu]->dev));
		ret = -ENXIO;
		goto out_unlock;
	}
	/* A CPU that is down may have no power to be read with; it is looked at when it is up. */
	if (cpumask_test_cpu(cpu, &pcs.online))
		ret = pcs_attach(block);
	if (ret)
		goto out_unlock;
	pcs_set_block(cpu, block);
	pcs_reassign(!pcs.nr_events);
	ret = pcs_pmu_block_added();
out_unlock:
	mutex_unlock(&pcs.lock);
	return ret;
}

static int pcs_find_cpu(struct device *dev)
{
	struct device_node *node = of_parse_phandle(dev->of_node, "cpu", 0);
	int cpu;

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

/* -ENXIO makes the driver core add no line of its own. */
static void __iomem *pcs_map(struct platform_device *pdev)
{
	struct resource *res = platform_get_resource(pdev, IORESOURCE_MEM, 0);
	void __iomem *base;

	if (!res || resource_size(res) < PCSR_BLOCK_SIZE) {
		dev_err(&pdev->dev, "reg property: a block of 0x%x bytes is needed\n",
			PCSR_BLOCK_SIZE);
		return IOMEM_ERR_PTR(-ENXIO);
	}
	base = devm_ioremap_resource(&pdev->dev, res);	/* says itself what is wrong */
	return IS_ERR(base) ? IOMEM_ERR_PTR(-ENXIO) : base;
}

static int pcs_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct pcs_block *block;
	int ret;

	block = devm_kzalloc(dev, sizeof(*block), GFP_KERNEL);
	if (!block)
		return -ENOMEM;
	block->dev = dev;
	raw_spin_lock_init(&block->lock);

	block->cpu = pcs_find_cpu(dev);
	if (block->cpu < 0)
		return block->cpu;
	block->base = pcs_map(pdev);
	if (IS_ERR(block->base))
		return PTR_ERR(block->base);

	cpus_read_lock();
	ret = pcs_add_block(block);
	cpus_read_unlock();
	if (ret)
		return ret;
	return devm_add_action_or_reset(dev, pcs_remove_block, block);
}

static const struct of_device_id pcs_of_match[] = {
	{ .compatible = "arm,pmu-pc-sample" },
	{}
};
MODULE_DEVICE_TABLE(of, pcs_of_match);

static struct platform_driver pcs_platform_driver = {
	.driver = {
		.name = PCS_NAME,
		.of_match_table = pcs_of_match,
		/* Events hold the module, not single blocks. */
		.suppress_bind_attrs = true,
	},
	.probe = pcs_probe,
};

/*
 * Module
 */

static int pcs_cpuhp_state;

static void pcs_free(void)
{
	kfree(pcs.block);
	kfree(pcs.ledger);
	kfree(pcs.seats.acting);
	kfree(pcs.seats.package);
	kfree(pcs.seats.is_target);
	kfree(pcs.seats.reader);
	kfree(pcs.seats.load);
}

static int pcs_alloc(void)
{
	struct pcs_seats *seats = &pcs.seats;
	int cpu;

	pcs.block = kcalloc(nr_cpu_ids, sizeof(*pcs.block), GFP_KERNEL);
	pcs.ledger = kcalloc(nr_cpu_ids, sizeof(*pcs.ledger), GFP_KERNEL);
	seats->nr_cpus = nr_cpu_ids;
	seats->acting = kcalloc(nr_cpu_ids, sizeof(*seats->acting), GFP_KERNEL);
	seats->package = kcalloc(nr_cpu_ids, sizeof(*seats->package), GFP_KERNEL);
	seats->is_target = kcalloc(nr_cpu_ids, sizeof(*seats->is_target), GFP_KERNEL);
	seats->reader = kcalloc(nr_cpu_ids, sizeof(*seats->reader), GFP_KERNEL);
	seats->load = kcalloc(nr_cpu_ids, sizeof(*seats->load), GFP_KERNEL);
	if (!pcs.block || !pcs.ledger || !seats->acting || !seats->package ||
	    !seats->is_target || !seats->reader || !seats->load) {
		pcs_free();
		return -ENOMEM;
	}
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		seats->acting[cpu] = PCS_NOBODY;
		seats->reader[cpu] = PCS_NOBODY;
	}
	return 0;
}

static void pcs_know_host(void)
{
	u64 pfr0 = read_sanitised_ftr_reg(SYS_ID_AA64PFR0_EL1);

	pcs.host.kernel_el = is_kernel_in_hyp_mode() ? 2 : 1;
	pcs.host.has_el2 = !!cpuid_feature_extract_unsigned_field(pfr0, ID_AA64PFR0_EL1_EL2_SHIFT);
	pcs.host.contextidr = IS_ENABLED(CONFIG_PID_IN_CONTEXTIDR);
}

/* The CPUs of the readers parameter, or the default ones */
static int pcs_init_readers(void)
{
	int ret;

	mutex_lock(&pcs.lock);
	pcs_choose_readers(&pcs.wanted);
	mutex_unlock(&pcs.lock);
	if (pcs_readers_param) {
		static struct cpumask readers;

		ret = cpulist_parse(pcs_readers_param, &readers);
		if (!ret)
			ret = pcs_set_readers(&readers);
		if (ret) {
			pr_err(PCS_NAME ": readers=%s: not a list of CPUs that are online\n",
			       pcs_readers_param);
			return ret;
		}
		return 0;
	}

	mutex_lock(&pcs.lock);
	pcs_seat_readers();
	mutex_unlock(&pcs.lock);
	return 0;
}

static int __init pcs_init(void)
{
	int ret;

	ret = pcs_alloc();
	if (ret)
		return ret;
	pcs_know_host();
	pcs_find_kvm();

	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/arm/pcsample:online",
				pcs_cpu_online, pcs_cpu_offline);
	if (ret < 0)
		goto out_free;
	pcs_cpuhp_state = ret;
	ret = pcs_init_readers();
	if (ret)
		goto out_cpuhp;
	ret = cpu_pm_register_notifier(&pcs_cpu_pm_nb);
	if (ret)
		goto out_cpuhp;
	ret = platform_driver_register(&pcs_platform_driver);
	if (ret)
		goto out_cpu_pm;
	ret = pcs_pmu_register();
	if (ret)
		goto out_driver;
	return 0;

out_driver:
	platform_driver_unregister(&pcs_platform_driver);
out_cpu_pm:
	cpu_pm_unregister_notifier(&pcs_cpu_pm_nb);
out_cpuhp:
	cpuhp_remove_state_nocalls(pcs_cpuhp_state);
out_free:
	pcs_put_kvm();
	pcs_free();
	return ret;
}

static void __exit pcs_exit(void)
{
	pcs_pmu_unregister();
	platform_driver_unregister(&pcs_platform_driver);
	cpu_pm_unregister_notifier(&pcs_cpu_pm_nb);
	cpuhp_remove_state_nocalls(pcs_cpuhp_state);
	pcs_put_kvm();
	pcs_free();
}

module_init(pcs_init);
module_exit(pcs_exit);

MODULE_DESCRIPTION("Perf PMU of the Arm PC Sample-based Profiling Extension");
MODULE_LICENSE("GPL");
