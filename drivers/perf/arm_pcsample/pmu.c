// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf PMU: events and sysfs.
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include "arm_pcsample.h"
#ifndef PCS_IN_TREE
#include "kernel-api.h"
#endif

/*
 * User ABI: fields of perf_event_attr, as include/uapi/linux/arm_pcsample.h describes them
 */

#define PCS_CONFIG_EVENT	GENMASK_ULL(7, 0)
#define PCS_CONFIG_JITTER	GENMASK_ULL(9, 8)
#define PCS_CONFIG_SNAPSHOT	BIT_ULL(10)
#define PCS_CONFIG_BATCH	BIT_ULL(11)
#define PCS_CONFIG2_SEED	GENMASK_ULL(31, 0)
#define PCS_CONFIG2_COUNTER	GENMASK_ULL(47, 32)

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(jitter, "config:8-9");
PMU_FORMAT_ATTR(snapshot, "config:10");
PMU_FORMAT_ATTR(batch, "config:11");
PMU_FORMAT_ATTR(targets, "config1:0-63");
PMU_FORMAT_ATTR(seed, "config2:0-31");
PMU_FORMAT_ATTR(counter, "config2:32-47");

static struct attribute *pcs_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_jitter.attr,
	&format_attr_snapshot.attr,
	&format_attr_batch.attr,
	&format_attr_targets.attr,
	&format_attr_seed.attr,
	&format_attr_counter.attr,
	NULL
};

static const struct attribute_group pcs_format_group = {
	.name = "format",
	.attrs = pcs_format_attrs,
};

PMU_EVENT_ATTR_STRING(pc, pcs_event_attr_pc, "event=0x00");
PMU_EVENT_ATTR_STRING(pc.unit, pcs_event_attr_pc_unit, "ns");

static struct attribute *pcs_event_attrs[] = {
	&pcs_event_attr_pc.attr.attr,
	&pcs_event_attr_pc_unit.attr.attr,
	NULL
};

static const struct attribute_group pcs_events_group = {
	.name = "events",
	.attrs = pcs_event_attrs,
};

/*
 * cpumask: where tools open events: on the current readers
 */

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	cpumask_var_t readers;
	ssize_t len;

	if (!zalloc_cpumask_var(&readers, GFP_KERNEL))
		return -ENOMEM;
	pcs_get_readers(readers);
	len = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(readers));
	free_cpumask_var(readers);
	return len;
}

static DEVICE_ATTR_RO(cpumask);

/*
 * readers: the same CPUs, to be chosen. No other PMU lets anybody write its cpumask, which tools
 * and their users take for a fact about the hardware.
 */

static ssize_t readers_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return cpumask_show(dev, attr, buf);
}

static ssize_t readers_store(struct device *dev, struct device_attribute *attr, const char *buf,
			     size_t count)
{
	cpumask_var_t readers;
	int ret;

	if (!zalloc_cpumask_var(&readers, GFP_KERNEL))
		return -ENOMEM;
	ret = cpulist_parse(buf, readers);
	if (!ret)
		ret = pcs_set_readers(readers);
	free_cpumask_var(readers);
	return ret ?: count;
}
static DEVICE_ATTR_RW(readers);

static struct attribute *pcs_attrs[] = {
	&dev_attr_cpumask.attr,
	&dev_attr_readers.attr,
	NULL
};

static const struct attribute_group pcs_group = {
	.attrs = pcs_attrs,
};

/*
 * caps: what tools want to know beforehand
 */

static ssize_t attribution_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	if (!arm_pcsample.host.kernel.names_tasks)
		return sysfs_emit(buf, "none\n");
	return sysfs_emit(buf, "contextidr_el%u\n", pcs_kernel_el(&arm_pcsample.host));
}
static DEVICE_ATTR_RO(attribution);

static ssize_t guests_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", pcs_guests_name(pcs_guests(&arm_pcsample.host)));
}
static DEVICE_ATTR_RO(guests);

static ssize_t min_period_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", PCS_PERIOD_MIN);
}
static DEVICE_ATTR_RO(min_period);

static ssize_t pcs_show_blocks(char *buf, bool (*which)(const struct pcs_block *block))
{
	cpumask_var_t cpus;
	ssize_t len;
	int cpu;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&arm_pcsample.lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (arm_pcsample.block[cpu] && which(arm_pcsample.block[cpu]))
			cpumask_set_cpu(cpu, cpus);
	mutex_unlock(&arm_pcsample.lock);
	len = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpus));
	free_cpumask_var(cpus);
	return len;
}

static bool pcs_block_is_usable(const struct pcs_block *block)
{
	return block->checked;
}

static bool pcs_block_is_disabled(const struct pcs_block *block)
{
	return block->checked && READ_ONCE(block->fault) == PCS_FAULT_DISABLED;
}

static ssize_t blocks_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return pcs_show_blocks(buf, pcs_block_is_usable);
}
static DEVICE_ATTR_RO(blocks);

static ssize_t disabled_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return pcs_show_blocks(buf, pcs_block_is_disabled);
}
static DEVICE_ATTR_RO(disabled);

/**
 * pcs_show_values() - which CPUs have which value of a register
 * @buf: a page, for a line for each value: the CPUs that have it, and the value
 * @get: the value of a CPU; returns false if it has none. Called under arm_pcsample.lock
 *
 * Context: process.
 *
 * Return: length of the text, or -ENOMEM.
 */
int pcs_show_values(char *buf, bool (*get)(int cpu, u64 *value))
{
	cpumask_var_t same;
	u64 value, other;
	int cpu, i, len = 0;

	if (!zalloc_cpumask_var(&same, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&arm_pcsample.lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!get(cpu, &value))
			continue;
		cpumask_clear(same);
		for (i = 0; i < nr_cpu_ids; i++)
			if (get(i, &other) && other == value)
				cpumask_set_cpu(i, same);
		if (cpumask_first(same) == cpu)
			len += sysfs_emit_at(buf, len, "%*pbl 0x%llx\n", cpumask_pr_args(same),
					     value);
	}
	mutex_unlock(&arm_pcsample.lock);
	free_cpumask_var(same);
	return len;
}

static bool pcs_authstatus_of(int cpu, u64 *value)
{
	const struct pcs_block *block = arm_pcsample.block[cpu];

	if (!block || !block->checked)
		return false;
	*value = READ_ONCE(block->frame.authstatus);
	return true;
}

static ssize_t authstatus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return pcs_show_values(buf, pcs_authstatus_of);
}
static DEVICE_ATTR_RO(authstatus);

static bool pcs_block_has_snapshots(const struct pcs_block *block)
{
	return block->checked && block->frame.snapshots;
}

static ssize_t snapshots_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return pcs_show_blocks(buf, pcs_block_has_snapshots);
}
static DEVICE_ATTR_RO(snapshots);

static struct attribute *pcs_caps_attrs[] = {
	&dev_attr_attribution.attr,
	&dev_attr_guests.attr,
	&dev_attr_min_period.attr,
	&dev_attr_blocks.attr,
	&dev_attr_disabled.attr,
	&dev_attr_authstatus.attr,
	&dev_attr_snapshots.attr,
	NULL
};

static const struct attribute_group pcs_caps_group = {
	.name = "caps",
	.attrs = pcs_caps_attrs,
};

/*
 * ledger: a file for each target, and total
 */

struct pcs_ledger_attr {
	struct device_attribute attr;
	int cpu;
	char name[16];
};

static ssize_t pcs_ledger_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct pcs_ledger_attr *ledger_attr = container_of(attr, struct pcs_ledger_attr, attr);
	struct pcs_ledger sum;
	ssize_t len;
	int i;

	/* It shows when a CPU is idle, in another world or in Debug state. */
	if (!perfmon_capable())
		return -EACCES;
	pcs_ledger_snapshot(ledger_attr->cpu, &sum);
	len = sysfs_emit(buf, "planned %llu\n", sum.planned);
	for (i = 0; i < PCS_NR_OUTCOMES; i++)
		len += sysfs_emit_at(buf, len, "%s %llu\n", pcs_outcome_name(i), sum.outcome[i]);
	return len;
}

static umode_t pcs_ledger_is_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct pcs_ledger_attr *ledger_attr =
		container_of(attr, struct pcs_ledger_attr, attr.attr);

	if (ledger_attr->cpu >= 0 && !arm_pcsample.block[ledger_attr->cpu])
		return 0;
	return attr->mode;
}

static struct attribute_group pcs_ledger_group = {
	.name = "ledger",
	.is_visible = pcs_ledger_is_visible,
};

static struct pcs_ledger_attr *pcs_ledger_attrs;

static void pcs_init_ledger_attr(struct pcs_ledger_attr *attr, int cpu)
{
	attr->cpu = cpu;
	if (cpu < 0)
		strscpy(attr->name, "total", sizeof(attr->name));
	else
		snprintf(attr->name, sizeof(attr->name), "cpu%d", cpu);
	sysfs_attr_init(&attr->attr.attr);
	attr->attr.attr.name = attr->name;
	attr->attr.attr.mode = 0444;
	attr->attr.show = pcs_ledger_show;
}

static void pcs_free_ledger_attrs(void)
{
	kfree(pcs_ledger_group.attrs);
	kfree(pcs_ledger_attrs);
}

static int pcs_alloc_ledger_attrs(void)
{
	struct attribute **list;
	int cpu;

	pcs_ledger_attrs = kcalloc(nr_cpu_ids + 1, sizeof(*pcs_ledger_attrs), GFP_KERNEL);
	list = kcalloc(nr_cpu_ids + 2, sizeof(*list), GFP_KERNEL);
	pcs_ledger_group.attrs = list;
	if (!pcs_ledger_attrs || !list) {
		pcs_free_ledger_attrs();
		return -ENOMEM;
	}
	for (cpu = -1; cpu < (int)nr_cpu_ids; cpu++) {
		pcs_init_ledger_attr(&pcs_ledger_attrs[cpu + 1], cpu);
		list[cpu + 1] = &pcs_ledger_attrs[cpu + 1].attr.attr;
	}
	return 0;
}

static const struct attribute_group *pcs_groups[] = {
	&pcs_group,
	&pcs_format_group,
	&pcs_events_group,
	&pcs_caps_group,
	&pcs_ledger_group,
	NULL
};

/*
 * Perf callbacks
 */

#define to_pcs_event(event)	((struct pcs_event *)(event)->pmu_private)

/* What is asked for is no event of this PMU: -EINVAL */
static bool pcs_config_is_valid(const struct perf_event_attr *attr)
{
	if (attr->config & ~(PCS_CONFIG_EVENT | PCS_CONFIG_JITTER | PCS_CONFIG_SNAPSHOT |
			     PCS_CONFIG_BATCH))
		return false;
	if (FIELD_GET(PCS_CONFIG_EVENT, attr->config) != ARM_PCSAMPLE_EVENT_PC)
		return false;
	if (FIELD_GET(PCS_CONFIG_JITTER, attr->config) > ARM_PCSAMPLE_JITTER_OFF)
		return false;
	if (attr->config2 & ~(PCS_CONFIG2_SEED | PCS_CONFIG2_COUNTER))
		return false;
	if ((attr->config2 & PCS_CONFIG2_COUNTER) && !(attr->config & PCS_CONFIG_SNAPSHOT))
		return false;
#if PCS_HAVE_CONFIG3
	if (attr->config3)
		return false;
#endif
#if PCS_HAVE_CONFIG4
	if (attr->config4)
		return false;
#endif
	return true;
}

/*
 * Snapshots are of samples. And for a member of a group perf holds one of its mutexes. Opening the
 * counters on other CPUs would take that mutex again, or in the reverse order.
 */
static bool pcs_snapshot_is_valid(struct perf_event *event)
{
	return is_sampling_event(event) && event->group_leader == event;
}

/* A batch is of samples, in their raw data. */
static bool pcs_batch_is_valid(struct perf_event *event)
{
	return is_sampling_event(event) && (event->attr.sample_type & PERF_SAMPLE_RAW);
}

/*
 * What the hardware cannot do: -EOPNOTSUPP. Few things, as perf reports that as "PMU Hardware
 * doesn't support sampling".
 */
static bool pcs_request_is_possible(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return !attr->precise_ip && !attr->branch_sample_type &&
	       !attr->aux_output && pcs_sample_type_is_supported(attr->sample_type);
}

static bool pcs_period_is_valid(u64 period)
{
	return period >= PCS_PERIOD_MIN && period <= PCS_PERIOD_MAX;
}

/*
 * The clock has a fixed rate, so a frequency is a period, as for cpu-clock, and the core's
 * feedback stays out of it. A frequency is clamped, a period is taken at its word.
 */
static int pcs_set_period(struct perf_event *event)
{
	u64 period = event->attr.sample_period;

	if (!is_sampling_event(event))
		return 0;
	if (event->attr.freq) {
		period = clamp(div64_u64(NSEC_PER_SEC, event->attr.sample_freq), PCS_PERIOD_MIN,
			       PCS_PERIOD_MAX);
		event->attr.freq = 0;
		event->attr.sample_period = period;
		event->hw.sample_period = period;
		event->hw.last_period = period;
		local64_set(&event->hw.period_left, period);
	}
	return pcs_period_is_valid(period) ? 0 : -EINVAL;
}

static struct pcs_filter pcs_filter_of(const struct perf_event_attr *attr)
{
	return (struct pcs_filter) {
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_idle = attr->exclude_idle,
		.exclude_host = attr->exclude_host,
		.exclude_guest = attr->exclude_guest,
	};
}

static u16 pcs_counted(const struct perf_event *event)
{
	return FIELD_GET(PCS_CONFIG2_COUNTER, event->attr.config2);
}

static u8 pcs_wanted_counts(const struct perf_event_attr *attr)
{
	if (!(attr->config & PCS_CONFIG_SNAPSHOT))
		return 0;
	return BIT(PCS_COUNT_CYCLES) | BIT(PCS_COUNT_INSTRUCTIONS) |
	       (attr->config2 & PCS_CONFIG2_COUNTER ? BIT(PCS_COUNT_EVENT) : 0);
}

#ifdef PCS_IN_TREE
/*
 * perf asks perf_allow_kernel() itself of any event that does not exclude the kernel; what is left
 * is an event that excludes the kernel but not what lies below and beside it.
 */
static bool pcs_is_allowed(const struct perf_event_attr *attr)
{
	return attr->exclude_hv || !perf_allow_kernel();
}
#else
/*
 * A user who sees code outside user space needs the permission that perf_allow_kernel() checks.
 * perf checks it itself, security modules included, for each event that does not exclude the
 * kernel. That leaves events that exclude the kernel, but not what runs below and beside it. Not
 * all kernels export what that function needs, so a stronger right is asked for.
 */
static bool pcs_is_allowed(const struct perf_event_attr *attr)
{
	return !attr->exclude_kernel || attr->exclude_hv || perfmon_capable();
}
#endif

/*
 * An event that was only made to see whether it may be. It is let go by a work item: with
 * PREEMPT_RT that waits for an RCU grace period (_free_event(), irq_work_sync()), and a CPU that is
 * stuck lets none end. To see where that one is, an event must be opened meanwhile.
 */
struct pcs_trial {
	struct work_struct work;
	struct perf_event *event;
};

static struct workqueue_struct *pcs_trials;

static void pcs_end_trial(struct work_struct *work)
{
	struct pcs_trial *trial = container_of(work, struct pcs_trial, work);

	perf_event_release_kernel(trial->event);
	kfree(trial);
}

/*
 * May this user open an event of a CPU? perf asks that itself (perf_allow_cpu()), but only after
 * event_init(), which turns clocks on and interrupts CPUs to open their blocks. Who has no right to
 * events of CPUs must not be able to cause that. What the function needs is not exported. But perf
 * asks the same of whoever makes an event in the kernel, so one is made that counts nothing.
 *
 * Not for a member of a group, as perf holds the mutex of its leader then. The leader of one that
 * perf would take is an event of the same CPU, of whose owner it has asked.
 */
static int pcs_may_open(const struct perf_event *event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	const struct perf_event *leader = event->group_leader;
	struct pcs_trial *trial;
	int ret;

	if (leader != event)
		return leader->cpu == event->cpu && !(leader->attach_state & PERF_ATTACH_TASK) ?
			       0 : -EINVAL;
	trial = kmalloc(sizeof(*trial), GFP_KERNEL);
	if (!trial)
		return -ENOMEM;
	trial->event = perf_event_create_kernel_counter(&attr, event->cpu, NULL, NULL, NULL);
	if (IS_ERR(trial->event)) {
		ret = PTR_ERR(trial->event);
		kfree(trial);
		return ret;
	}
	INIT_WORK(&trial->work, pcs_end_trial);
	queue_work(pcs_trials, &trial->work);
	return 0;
}

static void pcs_free_event(struct pcs_event *ev)
{
	kvfree(ev->batch);
	kvfree(ev);
}

static void pcs_event_destroy(struct perf_event *event)
{
	bool snapshot = to_pcs_event(event)->counts;

#ifdef PCS_IN_TREE
	pcs_reader_exit_event(to_pcs_event(event));
#endif
	pcs_free_event(to_pcs_event(event));
	pcs_event_closed(snapshot);
	if (snapshot)
		pcs_counters_put(pcs_counted(event));
}

/* The counters first: what they count shows whether snapshots are taken. */
static int pcs_open_event(const struct perf_event *event, const struct pcs_event *ev)
{
	int ret = 0;

	if (ev->counts)
		ret = pcs_counters_get(pcs_counted(event), ev->targets_mask);
	if (ret)
		return ret;
	ret = pcs_event_opened(event->cpu, ev->targets_mask, ev->counts);
	if (ret && ev->counts)
		pcs_counters_put(pcs_counted(event));
	return ret;
}

static int pcs_event_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct pcs_filter filter;
	struct pcs_event *ev;
	int ret;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	/* An event belongs to the CPU that reads, never to a task. */
	if (event->cpu < 0 || (event->attach_state & PERF_ATTACH_TASK))
		return -EINVAL;
#ifndef PCS_IN_TREE
	if (pcs_member_hangs_perf(event))
		return -EINVAL;
#endif
	if (!pcs_config_is_valid(attr))
		return -EINVAL;
	if ((attr->config & PCS_CONFIG_SNAPSHOT) && !pcs_snapshot_is_valid(event))
		return -EINVAL;
	if ((attr->config & PCS_CONFIG_BATCH) && !pcs_batch_is_valid(event))
		return -EINVAL;
	filter = pcs_filter_of(attr);
	if (!pcs_filter_is_possible(&arm_pcsample.host, &filter))
		return -EINVAL;
	if (!pcs_request_is_possible(event))
		return -EOPNOTSUPP;
	if (!pcs_is_allowed(attr))
		return -EACCES;
	ret = pcs_set_period(event);
	if (ret)
		return ret;
	if (!pcs_is_reader(event->cpu))
		return -EINVAL;
	ret = pcs_may_open(event);
	if (ret)
		return ret;

	ev = kvzalloc(struct_size(ev, target, nr_cpu_ids), GFP_KERNEL);
	if (!ev)
		return -ENOMEM;
	ev->event = event;
	ev->targets_mask = attr->config1;
	ev->filter = filter;
	ev->with_ids = perfmon_capable();
	ev->dither = FIELD_GET(PCS_CONFIG_JITTER, attr->config) != ARM_PCSAMPLE_JITTER_OFF;
	ev->counts = pcs_wanted_counts(attr);
	ev->recorded = attr->sample_type & PERF_SAMPLE_RAW;
	ev->record_size = pcs_record_size(ev->counts);
	ev->seed = FIELD_GET(PCS_CONFIG2_SEED, attr->config2) ?: get_random_u32();
	ev->sample = &ev->alone;
	pcs_reader_init_event(ev);
	if (attr->config & PCS_CONFIG_BATCH)
		ret = pcs_batch_create(ev);
	if (!ret)
		ret = pcs_open_event(event, ev);
	if (ret) {
		pcs_free_event(ev);
		return ret;
	}

#ifndef PCS_IN_TREE
	/*
	 * From now on the bit is for perf alone: kernels that look at it then do not ask which
	 * vCPU the reader has loaded (see pcs_vcpu_is_loaded() for the others).
	 */
	attr->exclude_guest = 1;
	/*
	 * Samples go straight to the handler, so that no BPF program would see them on most
	 * kernels. With a context that is taken, perf refuses to attach one.
	 */
	if (!event->overflow_handler_context)
		event->overflow_handler_context = event;
#endif
	event->pmu_private = ev;
	event->destroy = pcs_event_destroy;
	return 0;
}

static void pcs_event_start(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		return;
	event->hw.state = 0;
	pcs_reader_start(to_pcs_event(event));
}

static void pcs_event_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	pcs_reader_stop(to_pcs_event(event));
}

static int pcs_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		pcs_event_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

static void pcs_event_del(struct perf_event *event, int flags)
{
	pcs_event_stop(event, flags);
	perf_event_update_userpage(event);
}

/* Possibly in an NMI, for a BPF program that reads it */
static void pcs_event_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		pcs_reader_update(to_pcs_event(event), ktime_get_mono_fast_ns());
}

static int pcs_event_check_period(struct perf_event *event, u64 period)
{
	return pcs_period_is_valid(period) ? 0 : -EINVAL;
}

/*
 * Registration
 */

/* Of registration alone: perf and sysfs take their own locks under it, and never it under theirs */
static DEFINE_MUTEX(pcs_pmu_mutex);
static bool pcs_pmu_is_registered, pcs_pmu_has_blocks, pcs_pmu_may_register;

/**
 * pcs_pmu_init() - prepare what follows
 *
 * Return: 0 or -ENOMEM
 */
int pcs_pmu_init(void)
{
	int ret;

	arm_pcsample.pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.name		= PCS_NAME,
		.task_ctx_nr	= perf_invalid_context,
		.attr_groups	= pcs_groups,
		.event_init	= pcs_event_init,
		.add		= pcs_event_add,
		.del		= pcs_event_del,
		.start		= pcs_event_start,
		.stop		= pcs_event_stop,
		.read		= pcs_event_read,
		.check_period	= pcs_event_check_period,
	};
	pcs_trials = alloc_workqueue(PCS_NAME, WQ_UNBOUND, 0);
	if (!pcs_trials)
		return -ENOMEM;
	ret = pcs_alloc_ledger_attrs();
	if (ret)
		destroy_workqueue(pcs_trials);
	return ret;
}

/**
 * pcs_pmu_exit() - undo pcs_pmu_init()
 */
void pcs_pmu_exit(void)
{
	destroy_workqueue(pcs_trials);
	pcs_free_ledger_attrs();
}

/*
 * A file that is there is of a block that this CPU had. sysfs_update_group() would make the files
 * of all CPUs anew, and leave none if it fails.
 */
static int pcs_pmu_show_account(int cpu)
{
	struct attribute *attr = &pcs_ledger_attrs[cpu + 1].attr.attr;
	struct kobject *kobj = &arm_pcsample.pmu.dev->kobj;

	sysfs_remove_file_from_group(kobj, attr, pcs_ledger_group.name);
	return sysfs_add_file_to_group(kobj, attr, pcs_ledger_group.name);
}

/* Under pcs_pmu_mutex */
static int pcs_pmu_show(void)
{
	int ret;

	if (!pcs_pmu_has_blocks || !pcs_pmu_may_register)
		return 0;
	ret = perf_pmu_register(&arm_pcsample.pmu, PCS_NAME, -1);
	pcs_pmu_is_registered = !ret;
	/* perf may have made the device and let it go: it makes one only where there is none. */
	if (ret)
		arm_pcsample.pmu.dev = NULL;
	return ret;
}

/**
 * pcs_pmu_show_block() - a block was found: show it, and with the first one the PMU
 * @cpu: its CPU
 *
 * Context: process, under no lock of the driver.
 *
 * Return: 0 or a negative errno.
 */
int pcs_pmu_show_block(int cpu)
{
	int ret;

	mutex_lock(&pcs_pmu_mutex);
	pcs_pmu_has_blocks = true;
	ret = pcs_pmu_is_registered ? pcs_pmu_show_account(cpu) : pcs_pmu_show();
	mutex_unlock(&pcs_pmu_mutex);
	return ret;
}

/**
 * pcs_pmu_register() - the module stays: show the PMU now, or with the first block
 *
 * Context: process, under no lock of the driver.
 *
 * Return: 0 or a negative errno.
 */
int pcs_pmu_register(void)
{
	int ret;

	mutex_lock(&pcs_pmu_mutex);
	pcs_pmu_may_register = true;
	ret = pcs_pmu_show();
	/* If this failed the module goes, and a block that is found meanwhile shows no PMU. */
	pcs_pmu_may_register = !ret;
	mutex_unlock(&pcs_pmu_mutex);
	return ret;
}

#ifndef PCS_IN_TREE
static bool pcs_contexts_are_in_use(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (pcs_context_is_in_use(&arm_pcsample.pmu, cpu))
			return true;
	return false;
}

/*
 * In idle state, so that the hung-task detector does not report a wait that users make long, and
 * freezable under no lock, so that the machine can be suspended meanwhile
 */
static void pcs_wait_for_contexts(void)
{
	if (!pcs_contexts_are_in_use())
		return;
	pr_info(PCS_NAME ": waiting for software events that were in a group with ours\n");
	while (pcs_contexts_are_in_use()) {
		__set_current_state(TASK_IDLE | TASK_FREEZABLE);
		schedule_timeout(HZ / 50);
	}
}
#endif

/**
 * pcs_pmu_unregister() - take the PMU back, if it was shown
 *
 * There are no events of ours, as each one holds the module, and no block is found any more.
 *
 * Context: process; may wait for the owners of other events.
 */
void pcs_pmu_unregister(void)
{
	if (!pcs_pmu_is_registered)
		return;
#ifndef PCS_IN_TREE
	pcs_wait_for_contexts();
#endif
	perf_pmu_unregister(&arm_pcsample.pmu);
	pcs_pmu_is_registered = false;
}
