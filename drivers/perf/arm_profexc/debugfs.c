// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/arm_profexc
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include <asm/virt.h>

#include "arm_profexc.h"

static struct dentry *prx_dir;

/* features: what each CPU has, and how its sources report now */

struct prx_modes {
	bool pmu;
	bool trbe;
};

static void prx_ask_modes(void *info)
{
	struct prx_modes *modes = info;

	modes->pmu = prx_is_enabled_local(ARM_PROFEXC_SOURCE_PMU);
	modes->trbe = prx_is_enabled_local(ARM_PROFEXC_SOURCE_TRBE);
}

static const char *prx_mode_text(bool has, bool enabled)
{
	if (!has)
		return "none";
	return prx_mode_name(enabled ? ARM_PROFEXC_MODE_EXCEPTION : ARM_PROFEXC_MODE_IRQ);
}

static int features_show(struct seq_file *m, void *unused)
{
	int cpu;

	seq_printf(m, "kernel takes Profiling exceptions: %s, at EL%u\n",
		   prx_kernel_takes_exceptions() ? "yes" : "no",
		   is_kernel_in_hyp_mode() ? 2 : 1);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		const struct prx_features *f = &per_cpu(prx_cpu, cpu).features;
		struct prx_modes modes;

		smp_call_function_single(cpu, prx_ask_modes, &modes, true);
		seq_printf(m, "cpu%d ebep %d sebep %d trbe %d trbe_exc %d pmu %s trbe %s\n", cpu,
			   f->ebep, f->sebep, f->trbe, f->trbe_exc,
			   prx_mode_text(f->pmu, modes.pmu),
			   prx_mode_text(f->trbe, modes.trbe));
	}
	cpus_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(features);

/* registers: what says where the exceptions of each CPU go. "cpu0 PMECR_EL1 0x5" */

static void prx_ask_registers(void *info)
{
	prx_read_registers(info);
}

static void prx_show_mode(struct seq_file *m, int cpu, u8 source, u8 mode)
{
	seq_printf(m, "cpu%d %s %s\n", cpu, prx_source_name(source),
		   mode ? prx_mode_name(mode) : "unknown");
}

static void prx_show_registers(struct seq_file *m, int cpu)
{
	struct prx_registers registers;
	unsigned int i;

	smp_call_function_single(cpu, prx_ask_registers, &registers, true);
	seq_printf(m, "cpu%d kernel EL%u\n", cpu, is_kernel_in_hyp_mode() ? 2 : 1);
	for (i = 0; i < PRX_NR_REGISTERS; i++)
		if (registers.have & BIT(i))
			seq_printf(m, "cpu%d %s 0x%llx\n", cpu, prx_register_name(i),
				   registers.value[i]);
	prx_show_mode(m, cpu, ARM_PROFEXC_SOURCE_PMU, registers.pmu_mode);
	prx_show_mode(m, cpu, ARM_PROFEXC_SOURCE_TRBE, registers.trbe_mode);
}

static int registers_show(struct seq_file *m, void *unused)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		prx_show_registers(m, cpu);
	cpus_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

/* stats: what was seen since the module was loaded. "cpu0 exception pmu_async 12" */

static int stats_show(struct seq_file *m, void *unused)
{
	int cpu, mode, class;

	for_each_possible_cpu(cpu) {
		const struct prx_cpu *pc = per_cpu_ptr(&prx_cpu, cpu);

		seq_printf(m, "cpu%d seq %llu\n", cpu, READ_ONCE(pc->seq));
		seq_printf(m, "cpu%d switches %llu\n", cpu, READ_ONCE(pc->switches));
		for (mode = 0; mode < PRX_NR_MODES; mode++) {
			for (class = 0; class < PRX_NR_CLASSES; class++) {
				u64 count = READ_ONCE(pc->count[mode][class]);

				if (count)
					seq_printf(m, "cpu%d %s %s %llu\n", cpu,
						   prx_mode_name(mode), prx_class_name(class),
						   count);
			}
		}
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

/* inject: "pmu CPU", "trbe CPU TRBSR" */

static DEFINE_MUTEX(prx_inject_lock);

static int prx_inject(const char *line)
{
	unsigned int cpu;
	u64 trbsr;
	int ret, end = 0;

	if (sscanf(line, "pmu %u %n", &cpu, &end) == 1 && end && !line[end]) {
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
			return -ENXIO;
		mutex_lock(&prx_inject_lock);
		ret = prx_inject_pmu(cpu);
		mutex_unlock(&prx_inject_lock);
		return ret;
	}
	if (sscanf(line, "trbe %u %llx %n", &cpu, &trbsr, &end) == 2 && end && !line[end]) {
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
			return -ENXIO;
		mutex_lock(&prx_inject_lock);
		ret = prx_inject_trbe(cpu, trbsr);
		mutex_unlock(&prx_inject_lock);
		return ret;
	}
	return -EINVAL;
}

static ssize_t inject_write(struct file *file, const char __user *user, size_t size, loff_t *pos)
{
	char line[64];
	int ret;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, user, size))
		return -EFAULT;
	line[size] = 0;
	ret = prx_inject(line);
	return ret ?: size;
}

static const struct file_operations inject_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = inject_write,
};

/**
 * prx_debugfs_create() - make the files
 *
 * Without debugfs there are none, and the rest works.
 */
void prx_debugfs_create(void)
{
	prx_dir = debugfs_create_dir(PRX_NAME, NULL);
	debugfs_create_file("features", 0400, prx_dir, NULL, &features_fops);
	debugfs_create_file("registers", 0400, prx_dir, NULL, &registers_fops);
	debugfs_create_file("stats", 0400, prx_dir, NULL, &stats_fops);
	debugfs_create_file("inject", 0200, prx_dir, NULL, &inject_fops);
}

/* Undo prx_debugfs_create(); when this returns no file is being used */
void prx_debugfs_remove(void)
{
	debugfs_remove_recursive(prx_dir);
}
