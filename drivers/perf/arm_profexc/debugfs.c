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

/* routing: the rows of the manual's tables that apply to each CPU */

struct prx_question {
	struct prx_controls controls;
	u8 source;
};

static void prx_ask_controls(void *info)
{
	struct prx_question *question = info;

	prx_read_controls(&question->controls, question->source);
}

static void prx_show_rows(struct seq_file *m, u64 rows)
{
	const char *separator = "";
	int row;

	for (row = 0; row < 64; row++) {
		if (!(rows & BIT_ULL(row)))
			continue;
		seq_printf(m, "%s%d", separator, row);
		separator = ",";
	}
	if (!rows)
		seq_putc(m, '-');
}

/* One line: "cpu0 pmu D13-1 PM=0 row 19: EL3 Msk; EL2 EL2; EL1 n/a; EL0 EL2" */
static void prx_show_table(struct seq_file *m, int cpu, u8 source, enum prx_table table,
			   const struct prx_controls *controls, const char *when)
{
	struct prx_answer answer;
	unsigned int i;

	prx_look_up(table, controls, &answer);
	seq_printf(m, "cpu%d %s %s%s row ", cpu, prx_source_name(source), prx_table_name(table),
		   when);
	prx_show_rows(m, answer.rows);
	for (i = 0; i < answer.nr_results; i++)
		seq_printf(m, "%s %s %s", i ? ";" : ":", answer.result[i].name,
			   answer.result[i].value);
	seq_putc(m, '\n');
}

static void prx_show_both_pm(struct seq_file *m, int cpu, u8 source, enum prx_table table,
			     struct prx_controls controls)
{
	prx_control_is(&controls, PRX_PSTATE_PM, 0);
	prx_show_table(m, cpu, source, table, &controls, " PM=0");
	prx_control_is(&controls, PRX_PSTATE_PM, 1);
	prx_show_table(m, cpu, source, table, &controls, " PM=1");
}

static void prx_show_controls(struct seq_file *m, int cpu, u8 source,
			      const struct prx_controls *controls)
{
	bool of_pmu = source == ARM_PROFEXC_SOURCE_PMU;
	const char *separator;
	int control, value;

	seq_printf(m, "cpu%d %s controls:", cpu, prx_source_name(source));
	for (control = 0; control < PRX_PSTATE_PM; control++) {
		bool pmu = control == PRX_MDCR_EL3_PMEE || control == PRX_MDCR_EL2_PMEE ||
			   control == PRX_PMECR_EL1_PMEE || control == PRX_PMECR_EL1_KPME;

		if (control != PRX_HCR_EL2_TGE && pmu != of_pmu)
			continue;
		seq_printf(m, " %s ", prx_control_name(control));
		separator = "";
		for (value = 0; value < 4; value++) {
			if (!(controls->may[control] & BIT(value)))
				continue;
			seq_printf(m, "%s%d", separator, value);
			separator = "|";
		}
	}
	seq_putc(m, '\n');
}

static void prx_show_pmu_routing(struct seq_file *m, int cpu, const struct prx_controls *controls)
{
	prx_show_both_pm(m, cpu, ARM_PROFEXC_SOURCE_PMU, PRX_TABLE_D13_1, *controls);
}

/* Where events are recorded, and what comes of it there */
static void prx_show_trbe_routing(struct seq_file *m, int cpu, const struct prx_controls *controls)
{
	const u8 source = ARM_PROFEXC_SOURCE_TRBE;
	struct prx_answer recorded;
	const char *other;

	prx_show_table(m, cpu, source, PRX_TABLE_D6_5, controls, "");
	prx_show_table(m, cpu, source, PRX_TABLE_D6_6, controls, "");
	prx_show_table(m, cpu, source, PRX_TABLE_D6_7, controls, "");

	prx_look_up(PRX_TABLE_D6_7, controls, &recorded);
	other = recorded.result[recorded.nr_results - 1].value;
	if (!strcmp(other, "EL1") || !strcmp(other, "?"))
		prx_show_both_pm(m, cpu, source, PRX_TABLE_D6_8, *controls);
	if (!strcmp(other, "EL2") || !strcmp(other, "?"))
		prx_show_both_pm(m, cpu, source, PRX_TABLE_D6_9, *controls);
	if (!strcmp(other, "EL3") || !strcmp(other, "?"))
		prx_show_table(m, cpu, source, PRX_TABLE_D6_10, controls, "");
}

static void prx_show_routing(struct seq_file *m, int cpu, u8 source, bool has, bool exc,
			     void (*show)(struct seq_file *m, int cpu,
					  const struct prx_controls *controls))
{
	struct prx_question question = { .source = source };

	if (!exc) {
		seq_printf(m, "cpu%d %s %s\n", cpu, prx_source_name(source),
			   has ? "has no exception: interrupt" : "is not there");
		return;
	}
	smp_call_function_single(cpu, prx_ask_controls, &question, true);
	prx_show_controls(m, cpu, source, &question.controls);
	show(m, cpu, &question.controls);
}

static int routing_show(struct seq_file *m, void *unused)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		const struct prx_features *f = &per_cpu(prx_cpu, cpu).features;

		prx_show_routing(m, cpu, ARM_PROFEXC_SOURCE_PMU, f->pmu, f->ebep,
				 prx_show_pmu_routing);
		prx_show_routing(m, cpu, ARM_PROFEXC_SOURCE_TRBE, f->trbe, f->trbe_exc,
				 prx_show_trbe_routing);
	}
	cpus_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(routing);

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
	debugfs_create_file("routing", 0400, prx_dir, NULL, &routing_fops);
	debugfs_create_file("stats", 0400, prx_dir, NULL, &stats_fops);
	debugfs_create_file("inject", 0200, prx_dir, NULL, &inject_fops);
}

/* Undo prx_debugfs_create(); when this returns no file is being used */
void prx_debugfs_remove(void)
{
	debugfs_remove_recursive(prx_dir);
}
