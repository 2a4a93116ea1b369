/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the module share.
 *
 *	core.c		per-CPU state, interrupts in place of exceptions, hotplug, load and unload
 *	exceptions.c	the kernel's interface for Profiling exceptions, where it has one
 *	pmu.c		perf callbacks and sysfs
 *	controls.c	what a CPU says of its features and controls
 *	debugfs.c	features, routing, stats, inject
 *	inject.c	events that software makes
 *
 * The rest, decode.c and routing.c, is pure logic, and arch-model/ is the manual as code.
 *
 * An event is reported on the CPU that it happened on, in NMI context or with interrupts masked.
 * No locks there: the state is per CPU and changes in single instructions, and an exception may
 * come in the middle of the report of an interrupt.
 */
#ifndef ARM_PROFEXC_H
#define ARM_PROFEXC_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>

#include "decode.h"
#include "routing.h"

#define PRX_NAME	"arm_profexc"

/**
 * struct prx_features - what the ID registers of a CPU say
 * @pmu: it has a PMU
 * @ebep: FEAT_EBEP
 * @sebep: FEAT_SEBEP
 * @trbe: FEAT_TRBE
 * @trbe_exc: FEAT_TRBE_EXC
 * @trf: FEAT_TRF
 */
struct prx_features {
	bool pmu;
	bool ebep;
	bool sebep;
	bool trbe;
	bool trbe_exc;
	bool trf;
};

/**
 * struct prx_cpu - the state of a CPU, changed on that CPU only
 * @features: read each time that the CPU comes up
 * @events: the perf events that count here, &struct prx_event.node; changed with interrupts
 *	    masked, in a way that an exception in between finds whole
 * @seq: number of the last event
 * @count: events, by mode and class
 * @last_mode: how each source reported last
 * @switches: how often that changed
 */
struct prx_cpu {
	struct prx_features features;
	struct hlist_head events;
	u64 seq;
	u64 count[PRX_NR_MODES][PRX_NR_CLASSES];
	u8 last_mode[PRX_NR_SOURCES];
	u64 switches;
};

DECLARE_PER_CPU(struct prx_cpu, prx_cpu);

/* core.c */
void prx_report(struct pt_regs *regs, struct arm_profexc_record *record, bool sync);
void prx_read_source(struct arm_profexc_record *record);
void prx_cpus_with(struct cpumask *cpus, bool (*has)(const struct prx_features *features));

/* exceptions.c */
bool prx_kernel_takes_exceptions(void);
int prx_observe_exceptions(void);
void prx_ignore_exceptions(void);
bool prx_is_enabled_local(u8 source);
void prx_enabled_cpus(u8 source, struct cpumask *cpus);
int prx_own_trbe(void);
void prx_disown_trbe(void);
int prx_inject_trbe_local(u64 trbsr);

/* pmu.c */
int prx_pmu_register(void);
void prx_pmu_unregister(void);
void prx_pmu_report(struct pt_regs *regs, const struct arm_profexc_record *record);

/* controls.c */
void prx_read_features(struct prx_features *features);
void prx_read_controls(struct prx_controls *controls, u8 source);

/* inject.c */
int prx_inject_pmu(int cpu);
int prx_inject_trbe(int cpu, u64 trbsr);

/* debugfs.c */
void prx_debugfs_create(void);
void prx_debugfs_remove(void);

#endif /* ARM_PROFEXC_H */
