// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf PMU: events and sysfs.
 */
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "arm_profexc.h"
#include "kernel-probes.h"

/*
 * User ABI: fields of perf_event_attr, as include/uapi/linux/arm_profexc.h describes them
 */

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(mode, "config1:0-1");

static struct attribute *prx_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_mode.attr,
	NULL
};

static const struct attribute_group prx_format_group = {
	.name = "format",
	.attrs = prx_format_attrs,
};

PMU_EVENT_ATTR_STRING(any, prx_event_any, "event=0x00");
PMU_EVENT_ATTR_STRING(pmu, prx_event_pmu, "event=0x41");
PMU_EVENT_ATTR_STRING(pmu_async, prx_event_pmu_async, "event=0x20");
PMU_EVENT_ATTR_STRING(pmu_sync, prx_event_pmu_sync, "event=0x21");
PMU_EVENT_ATTR_STRING(trbe, prx_event_trbe, "event=0x40");
PMU_EVENT_ATTR_STRING(trbe_full, prx_event_trbe_full, "event=0x01");
PMU_EVENT_ATTR_STRING(trbe_wrap, prx_event_trbe_wrap, "event=0x02");
PMU_EVENT_ATTR_STRING(trbe_trigger, prx_event_trbe_trigger, "event=0x03");
PMU_EVENT_ATTR_STRING(trbe_s1_fault, prx_event_trbe_s1_fault, "event=0x10");
PMU_EVENT_ATTR_STRING(trbe_s2_fault, prx_event_trbe_s2_fault, "event=0x11");
PMU_EVENT_ATTR_STRING(trbe_gpf, prx_event_trbe_gpf, "event=0x12");
PMU_EVENT_ATTR_STRING(trbe_gpc, prx_event_trbe_gpc, "event=0x13");
PMU_EVENT_ATTR_STRING(trbe_external_abort, prx_event_trbe_external_abort, "event=0x14");
PMU_EVENT_ATTR_STRING(trbe_alignment, prx_event_trbe_alignment, "event=0x15");
PMU_EVENT_ATTR_STRING(trbe_other, prx_event_trbe_other, "event=0x1e");
PMU_EVENT_ATTR_STRING(trbe_impdef, prx_event_trbe_impdef, "event=0x1f");
PMU_EVENT_ATTR_STRING(spe, prx_event_spe, "event=0x28");
PMU_EVENT_ATTR_STRING(spurious, prx_event_spurious, "event=0x30");

static struct attribute *prx_event_attrs[] = {
	&prx_event_any.attr.attr,
	&prx_event_pmu.attr.attr,
	&prx_event_pmu_async.attr.attr,
	&prx_event_pmu_sync.attr.attr,
	&prx_event_trbe.attr.attr,
	&prx_event_trbe_full.attr.attr,
	&prx_event_trbe_wrap.attr.attr,
	&prx_event_trbe_trigger.attr.attr,
	&prx_event_trbe_s1_fault.attr.attr,
	&prx_event_trbe_s2_fault.attr.attr,
	&prx_event_trbe_gpf.attr.attr,
	&prx_event_trbe_gpc.attr.attr,
	&prx_event_trbe_external_abort.attr.attr,
	&prx_event_trbe_alignment.attr.attr,
	&prx_event_trbe_other.attr.attr,
	&prx_event_trbe_impdef.attr.attr,
	&prx_event_spe.attr.attr,
	&prx_event_spurious.attr.attr,
	NULL
};

static const struct attribute_group prx_events_group = {
	.name = "events",
	.attrs = prx_event_attrs,
};

/*
 * caps: lists of CPUs. The first three have the feature, the others use it now.
 */

static bool prx_has_ebep(const struct prx_features *features)
{
	return features->ebep;
}

static bool prx_has_sebep(const struct prx_features *features)
{
	return features->sebep;
}

static bool prx_has_trbe_exc(const struct prx_features *features)
{
	return features->trbe_exc;
}

static ssize_t prx_show_cpus(char *buf, bool (*has)(const struct prx_features *features),
			     u8 source)
{
	cpumask_var_t cpus;
	ssize_t len;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	if (has)
		prx_cpus_with(cpus, has);
	else
		prx_enabled_cpus(source, cpus);
	len = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpus));
	free_cpumask_var(cpus);
	return len;
}

static ssize_t ebep_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return prx_show_cpus(buf, prx_has_ebep, 0);
}
static DEVICE_ATTR_RO(ebep);

static ssize_t sebep_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return prx_show_cpus(buf, prx_has_sebep, 0);
}
static DEVICE_ATTR_RO(sebep);

static ssize_t trbe_exc_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return prx_show_cpus(buf, prx_has_trbe_exc, 0);
}
static DEVICE_ATTR_RO(trbe_exc);

static ssize_t pmu_exceptions_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return prx_show_cpus(buf, NULL, ARM_PROFEXC_SOURCE_PMU);
}
static DEVICE_ATTR_RO(pmu_exceptions);

static ssize_t trbe_exceptions_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return prx_show_cpus(buf, NULL, ARM_PROFEXC_SOURCE_TRBE);
}
static DEVICE_ATTR_RO(trbe_exceptions);

static ssize_t kernel_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", prx_kernel_takes_exceptions());
}
static DEVICE_ATTR_RO(kernel);

static struct attribute *prx_caps_attrs[] = {
	&dev_attr_kernel.attr,
	&dev_attr_ebep.attr,
	&dev_attr_sebep.attr,
	&dev_attr_trbe_exc.attr,
	&dev_attr_pmu_exceptions.attr,
	&dev_attr_trbe_exceptions.attr,
	NULL
};

static const struct attribute_group prx_caps_group = {
	.name = "caps",
	.attrs = prx_caps_attrs,
};

static const struct attribute_group *prx_groups[] = {
	&prx_format_group,
	&prx_events_group,
	&prx_caps_group,
	NULL
};

/*
 * Counting and samples
 */

/**
 * struct prx_event - the module's side of a perf event
 * @event: the perf event
 * @node: in prx_cpu.events of the CPU that it counts on
 * @filter: what it wants
 */
struct prx_event {
	struct perf_event *event;
	struct hlist_node node;
	struct prx_filter filter;
};

#define to_prx_event(event)	((struct prx_event *)(event)->pmu_private)

/*
 * perf puts a u32 length in front of the raw data and pads both together to eight bytes. The size
 * of the record leaves nothing to pad.
 */
static void prx_fill_raw(struct perf_sample_data *data, struct perf_raw_record *raw,
			 struct arm_profexc_record *record)
{
	BUILD_BUG_ON((sizeof(*record) + sizeof(u32)) % sizeof(u64));

	*raw = (struct perf_raw_record) {
		.frag = { .data = record, .size = sizeof(*record) },
		.size = sizeof(*record),
	};
	data->raw = raw;
	data->sample_flags |= PERF_SAMPLE_RAW;
#if PCS_HAVE_DYN_SIZE
	data->dyn_size += sizeof(u32) + sizeof(*record);
#endif
}

/*
 * The kernel does not export perf_event_overflow(), so there is neither its throttling, of which
 * the events that are observed have their own, nor BPF, which event_init excludes.
 */
static void prx_sample(struct perf_event *event, struct pt_regs *regs,
		       const struct arm_profexc_record *seen)
{
	struct arm_profexc_record record = *seen;
	perf_overflow_handler_t output = READ_ONCE(event->overflow_handler);
	struct perf_sample_data data;
	struct perf_raw_record raw;

	if (event->attr.exclude_kernel)
		prx_hide_kernel(&record);
	perf_sample_data_init(&data, record.source == ARM_PROFEXC_SOURCE_TRBE ?
			      record.trbptr : record.pmiar, event->hw.last_period);
	data.sample_flags |= PERF_SAMPLE_ADDR;
	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		prx_fill_raw(&data, &raw, &record);
	event->pending_kill = POLL_IN;
	output(event, &data, regs);
}

/* Each hw.sample_period'th is a sample; perf changes that for a frequency. */
static void prx_hit(struct perf_event *event, struct pt_regs *regs,
		    const struct arm_profexc_record *record)
{
	struct hw_perf_event *hw = &event->hw;

	local64_inc(&event->count);
	if (!is_sampling_event(event) || local64_sub_return(1, &hw->period_left) > 0)
		return;
	hw->last_period = hw->sample_period;
	local64_add(hw->sample_period, &hw->period_left);
	prx_sample(event, regs, record);
}

/**
 * prx_pmu_report() - let the perf events of this CPU count
 * @regs: what was interrupted
 * @record: a complete record
 *
 * Context: NMI or interrupts masked, so no event comes or goes.
 */
void prx_pmu_report(struct pt_regs *regs, const struct arm_profexc_record *record)
{
	bool idle = is_idle_task(current);
	struct prx_event *ev;

	rcu_read_lock();
	hlist_for_each_entry_rcu(ev, this_cpu_ptr(&prx_cpu.events), node) {
		if (!(ev->event->hw.state & PERF_HES_STOPPED) &&
		    prx_wants(&ev->filter, record, idle))
			prx_hit(ev->event, regs, record);
	}
	rcu_read_unlock();
}

/*
 * Perf callbacks
 */

/* -EINVAL: these numbers are no event of this PMU */
static bool prx_config_is_valid(const struct perf_event_attr *attr, struct prx_filter *filter)
{
#if PCS_HAVE_CONFIG3
	if (attr->config3)
		return false;
#endif
#if PCS_HAVE_CONFIG4
	if (attr->config4)
		return false;
#endif
	return !attr->config2 && prx_filter_parse(attr->config, attr->config1, filter);
}

/* -EOPNOTSUPP: nothing of the kind is there to observe */
static bool prx_request_is_possible(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return !attr->precise_ip && !attr->branch_sample_type && !attr->aux_output &&
	       !attr->sigtrap && !attr->exclude_host;
}

static void prx_event_destroy(struct perf_event *event)
{
	kfree(to_prx_event(event));
}

static int prx_event_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct prx_filter filter = {
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_idle = attr->exclude_idle,
	};
	struct prx_event *ev;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	if (!prx_config_is_valid(attr, &filter))
		return -EINVAL;
	if (!prx_request_is_possible(event))
		return -EOPNOTSUPP;

	ev = kzalloc(sizeof(*ev), GFP_KERNEL);
	if (!ev)
		return -ENOMEM;
	ev->event = event;
	ev->filter = filter;
	/*
	 * Samples go straight to the handler, so that no BPF program would see them on most
	 * kernels. With a context that is taken, perf refuses to attach one.
	 */
	if (!event->overflow_handler_context)
		event->overflow_handler_context = event;
	event->pmu_private = ev;
	event->destroy = prx_event_destroy;
	return 0;
}

static void prx_event_start(struct perf_event *event, int flags)
{
	WRITE_ONCE(event->hw.state, 0);
}

static void prx_event_stop(struct perf_event *event, int flags)
{
	WRITE_ONCE(event->hw.state, PERF_HES_STOPPED | PERF_HES_UPTODATE);
}

static int prx_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	hlist_add_head_rcu(&to_prx_event(event)->node, this_cpu_ptr(&prx_cpu.events));
	if (flags & PERF_EF_START)
		prx_event_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

/* What reports is on this CPU and not under way, so the event may be freed after this. */
static void prx_event_del(struct perf_event *event, int flags)
{
	prx_event_stop(event, flags);
	hlist_del_rcu(&to_prx_event(event)->node);
	perf_event_update_userpage(event);
}

static void prx_event_read(struct perf_event *event)
{
}

static struct pmu prx_pmu = {
	.module		= THIS_MODULE,
	.name		= PRX_NAME,
	.task_ctx_nr	= perf_sw_context,
	.attr_groups	= prx_groups,
	.event_init	= prx_event_init,
	.add		= prx_event_add,
	.del		= prx_event_del,
	.start		= prx_event_start,
	.stop		= prx_event_stop,
	.read		= prx_event_read,
};

/**
 * prx_pmu_register() - make the PMU known to perf
 *
 * Return: 0 or a negative errno.
 */
int prx_pmu_register(void)
{
	return perf_pmu_register(&prx_pmu, PRX_NAME, -1);
}

/* Undo prx_pmu_register(). There are no events: each one holds the module. */
void prx_pmu_unregister(void)
{
	perf_pmu_unregister(&prx_pmu);
}
