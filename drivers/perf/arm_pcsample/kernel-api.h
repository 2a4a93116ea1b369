/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels that the driver builds for. probe-kernel.sh makes kernel-probes.h
 * by asking the compiler: stable kernels backport changes, so version numbers do not tell.
 */
#ifndef ARM_PCSAMPLE_KERNEL_API_H
#define ARM_PCSAMPLE_KERNEL_API_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>

#include "kernel-probes.h"

#if PCS_HAVE_HRTIMER_SETUP
#define pcs_hrtimer_setup	hrtimer_setup
#else
static inline void pcs_hrtimer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*function)(struct hrtimer *),
				     clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#if PCS_HAVE_PMU_CTX
static inline bool pcs_member_hangs_perf(const struct perf_event *event)
{
	return false;
}
#else
/*
 * Before Linux 6.2 each PMU has contexts of its own. A group that a software event leads goes to
 * ours with its first member that is ours, and to another reader with all our events. The move sets
 * the leader's group_caps back to "software" (list_add_event()). When perf_event_open() adds one
 * more member, it therefore moves the group again, from our context to our context:
 * __perf_event_ctx_lock_double() takes its mutex twice. That task hangs, and with it CPU hotplug.
 *
 * Context: event_init, for which perf holds the mutex of the leader's context, so that the leader
 * does not move now. It may move before perf takes that mutex to install @event. Then their CPUs
 * differ, and perf refuses @event. If they differ now, the leader might come to @event's CPU, so
 * @event is refused here.
 */
static inline bool pcs_member_hangs_perf(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (leader == event || !is_software_event(leader))
		return false;
	return leader->cpu != event->cpu || (leader->ctx->pmu == event->pmu &&
					     (leader->group_caps & PERF_EV_CAP_SOFTWARE));
}
#endif

/*
 * A software event that was in a group with one of ours stays in our context after the end of that
 * one, and holds no reference to our module. Before Linux 6.15 perf_pmu_unregister() frees the
 * context all the same, and the software event writes to it when it is closed. From then on the
 * event holds the context, but the context points to our struct pmu, through which perf comes back
 * to the context (event_sched_out()). A context that was used holds one reference to itself.
 *
 * Context: any. Once it is false for a PMU whose module is going it stays so: an event comes to our
 * context by being ours, or into a group that is there.
 */
static inline bool pcs_context_is_in_use(const struct pmu *pmu, int cpu)
{
#if PCS_HAVE_PMU_CPU_CONTEXT
	return refcount_read(&per_cpu_ptr(pmu->pmu_cpu_context, cpu)->ctx.refcount) > 1;
#elif PCS_HAVE_EMBEDDED_PMU_CTX
	return READ_ONCE(per_cpu_ptr(pmu->cpu_pmu_context, cpu)->epc.ctx);
#else
	const struct perf_cpu_pmu_context *context = *per_cpu_ptr(pmu->cpu_pmu_context, cpu);

	return context && atomic_read(&context->epc.refcount) > 1;
#endif
}

#endif /* ARM_PCSAMPLE_KERNEL_API_H */
