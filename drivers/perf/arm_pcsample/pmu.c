// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf PMU: events and sysfs.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "arm_pcsample.h"
#include "kernel-api.h"

/*
 * User ABI: fields of perf_event_attr, as include/uapi/linux/arm_pcsample.h describes them
 */

#define PCS_CONFIG_EVENT	GENMASK_ULL(7, 0)
#define PCS_CONFIG_JITTER	GENMASK_ULL(9, 8)
#define PCS_CONFIG2_SEED	GENMASK_ULL(31, 0)

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(jitter, "config:8-9");
PMU_FORMAT_ATTR(targets, "config1:0-63");
PMU_FORMAT_ATTR(seed, "config2:0-31");

static struct attribute *pcs_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_jitter.attr,
	&format_attr_targets.attr,
	&format_attr_seed.attr,
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
 * cpumask: the readers
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

static ssize_t cpumask_store(struct device *dev, struct device_attribute *attr, const char *buf,
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
static DEVICE_ATTR_RW(cpumask);

static struct attribute *pcs_attrs[] = {
	&dev_attr_cpumask.attr,
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
	if (!pcs.host.contextidr)
		return sysfs_emit(buf, "none\n");
	return sysfs_emit(buf, "contextidr_el%u\n", pcs.host.kernel_el);
}
static DEVICE_ATTR_RO(attribution);

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
	mutex_lock(&pcs.lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (pcs.block[cpu] && which(pcs.block[cpu]))
			cpumask_set_cpu(cpu, cpus);
	mutex_unlock(&pcs.lock);
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
	return block->checked && block->disabled;
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

static struct attribute *pcs_caps_attrs[] = {
	&dev_attr_attribution.attr,
	&dev_attr_min_period.attr,
	&dev_attr_blocks.attr,
	&dev_attr_disabled.attr,
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

	if (ledger_attr->cpu >= 0 && !pcs.block[ledger_attr->cpu])
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
	if (attr->config & ~(PCS_CONFIG_EVENT | PCS_CONFIG_JITTER))
		return false;
	if (FIELD_GET(PCS_CONFIG_EVENT, attr->config) != ARM_PCSAMPLE_EVENT_PC)
		return false;
	if (FIELD_GET(PCS_CONFIG_JITTER, attr->config) > ARM_PCSAMPLE_JITTER_OFF)
		return false;
	if (attr->config2 & ~PCS_CONFIG2_SEED)
		return false;
#if PCS_HAVE_CONFIG3
	if (attr->config3)
		return false;
#endif
	return true;
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
		period = clamp(NSEC_PER_SEC / event->attr.sample_freq, PCS_PERIOD_MIN,
			       PCS_PERIOD_MAX);
		event->attr.freq = 0;
		event->attr.sample_period = period;
		event->hw.sample_period = period;
		event->hw.last_period = period;
		local64_set(&event->hw.period_left, period);
	}
	return pcs_period_is_valid(period) ? 0 : -EINVAL;
}

static void pcs_take_filter(struct pcs_event *ev, struct perf_event_attr *attr)
{
	ev->filter = (struct pcs_filter) {
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_idle = attr->exclude_idle,
		.exclude_host = attr->exclude_host,
		.exclude_guest = attr->exclude_guest,
	};
	/*
	 * From now on the bit is for perf alone: kernels that look at it then do not ask which
	 * vCPU the reader has loaded (see pcs_vcpu_is_loaded() for the others).
	 */
	attr->exclude_guest = 1;
}

static void pcs_event_destroy(struct perf_event *event)
{
	kfree(to_pcs_event(event));
	pcs_event_closed();
}

static int pcs_event_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct pcs_event *ev;
	int ret;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	/* An event belongs to the CPU that reads, never to a task. */
	if (event->cpu < 0 || (event->attach_state & PERF_ATTACH_TASK))
		return -EINVAL;
	if (!pcs_config_is_valid(attr))
		return -EINVAL;
	if (!pcs_request_is_possible(event))
		return -EOPNOTSUPP;
	ret = pcs_set_period(event);
	if (ret)
		return ret;

	ev = kzalloc(struct_size(ev, target, nr_cpu_ids), GFP_KERNEL);
	if (!ev)
		return -ENOMEM;
	ev->event = event;
	ev->targets_mask = attr->config1;
	ev->dither = FIELD_GET(PCS_CONFIG_JITTER, attr->config) != ARM_PCSAMPLE_JITTER_OFF;
	ev->seed = attr->config2 ?: get_random_u32();
	pcs_reader_init_event(ev);
	ret = pcs_event_opened(ev);
	if (ret) {
		kfree(ev);
		return ret;
	}

	pcs_take_filter(ev, attr);
	/*
	 * Samples go straight to the handler, so that no BPF program would see them on most
	 * kernels. With a context that is taken, perf refuses to attach one.
	 */
	if (!event->overflow_handler_context)
		event->overflow_handler_context = event;
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

static void pcs_event_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		pcs_reader_update(to_pcs_event(event));
}

static int pcs_event_check_period(struct perf_event *event, u64 period)
{
	return pcs_period_is_valid(period) ? 0 : -EINVAL;
}

/*
 * Registration
 */

/* Under pcs.lock. */
static int pcs_pmu_register_locked(void)
{
	int cpu, ret, n = 0;

	pcs.pmu = (struct pmu) {
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
	ret = perf_pmu_register(&pcs.pmu, PCS_NAME, -1);
	if (ret)
		return ret;
	pcs.registered = true;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		n += !!pcs.block[cpu];
	pr_info(PCS_NAME ": %d CPUs, readers %*pbl, task from %s\n", n,
		cpumask_pr_args(&pcs.wanted),
		pcs.host.contextidr ? "Context ID" : "nowhere (no CONFIG_PID_IN_CONTEXTIDR)");
	return 0;
}

static bool pcs_has_blocks(void)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (pcs.block[cpu])
			return true;
	return false;
}

/**
 * pcs_pmu_block_added() - a block was found: show it
 *
 * The PMU appears when the module has looked at all blocks that there were when it was loaded,
 * or with the first one that comes later.
 *
 * Context: process, under pcs.lock.
 *
 * Return: 0 or the error of perf_pmu_register().
 */
int pcs_pmu_block_added(void)
{
	if (pcs.registered)
		return sysfs_update_group(&pcs.pmu.dev->kobj, &pcs_ledger_group);
	return pcs.ready ? pcs_pmu_register_locked() : 0;
}

/**
 * pcs_pmu_register() - make the PMU known to perf, if there is a block
 *
 * Return: 0 or a negative errno.
 */
int pcs_pmu_register(void)
{
	int ret = pcs_alloc_ledger_attrs();

	if (ret)
		return ret;
	mutex_lock(&pcs.lock);
	pcs.ready = true;
	if (pcs_has_blocks())
		ret = pcs_pmu_register_locked();
	mutex_unlock(&pcs.lock);
	if (ret)
		pcs_free_ledger_attrs();
	return ret;
}

/**
 * pcs_pmu_unregister() - undo pcs_pmu_register()
 *
 * There are no events: each one holds the module.
 */
void pcs_pmu_unregister(void)
{
	bool registered;

	/* Not under the lock: sysfs waits for files that are being read, and they take it. */
	mutex_lock(&pcs.lock);
	registered = pcs.registered;
	pcs.registered = false;
	pcs.ready = false;
	mutex_unlock(&pcs.lock);
	if (registered)
		perf_pmu_unregister(&pcs.pmu);
	pcs_free_ledger_attrs();
}
