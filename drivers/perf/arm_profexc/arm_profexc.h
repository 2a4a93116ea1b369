/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the module share. Each file calls only those below it:
 *
 *	core.c		load and unload, hotplug
 *	debugfs.c	features, registers, stats, inject
 *	observe.c	exceptions and interrupts come in
 *	report.c	an event is classified, counted, and given to tracepoints and perf
 *	inject.c	events that software makes
 *	pmu.c		perf callbacks and sysfs
 *	registers.c	the registers that route exceptions, raw
 *	exceptions.c	the kernel's interface for Profiling exceptions, where it has one
 *	cpu.c		the state and the features of each CPU
 *	decode.c	from registers to classes: pure logic
 *
 * arch-model/ is the manual as code.
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

#include <asm/sysreg.h>

#include "decode.h"

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

/* By encoding: the kernel's name for it is newer than the oldest kernel that this builds for */
#define PRX_ID_AA64DFR2_EL1	sys_reg(3, 0, 0, 5, 2)

/* Registers of a CPU, in the order in which debugfs shows them */
enum prx_register {
	PRX_REG_ID_AA64PFR0_EL1,
	PRX_REG_ID_AA64DFR0_EL1,
	PRX_REG_ID_AA64DFR1_EL1,
	PRX_REG_ID_AA64DFR2_EL1,
	PRX_REG_HCR_EL2,
	PRX_REG_MDCR_EL2,
	PRX_REG_PMECR_EL1,
	PRX_REG_TRFCR_EL1,
	PRX_REG_TRFCR_EL2,
	PRX_NR_REGISTERS,
};

/**
 * struct prx_registers - what routes the Profiling exceptions of a CPU
 * @value: the registers
 * @have: bit n is set if register n was read
 * @pmu_mode: how the PMU reports, ARM_PROFEXC_MODE_*; 0: it has not been tried or seen
 * @trbe_mode: how the trace buffer does
 */
struct prx_registers {
	u64 value[PRX_NR_REGISTERS];
	u32 have;
	u8 pmu_mode;
	u8 trbe_mode;
};

/* observe.c */
int prx_observe(void);
void prx_ignore(void);

/* report.c */
void prx_report(struct pt_regs *regs, struct arm_profexc_record *record, bool sync);

/* inject.c */
int prx_inject_pmu(int cpu);
int prx_inject_trbe(int cpu, u64 trbsr);

/* pmu.c */
int prx_pmu_register(void);
void prx_pmu_unregister(void);
void prx_pmu_report(struct pt_regs *regs, const struct arm_profexc_record *record);

/* registers.c */
const char *prx_register_name(enum prx_register which);
void prx_read_registers(struct prx_registers *registers);

/* exceptions.c */
typedef void prx_taken_fn(struct pt_regs *regs, struct arm_profexc_record *record, bool sync);

bool prx_kernel_takes_exceptions(void);
int prx_observe_exceptions(prx_taken_fn *taken);
void prx_ignore_exceptions(void);
bool prx_is_enabled_local(u8 source);
void prx_enabled_cpus(u8 source, struct cpumask *cpus);
int prx_own_trbe(void);
void prx_disown_trbe(void);
int prx_inject_trbe_local(u64 trbsr);

/* cpu.c */
void prx_read_features(struct prx_features *features);
void prx_cpus_with(struct cpumask *cpus, bool (*has)(const struct prx_features *features));

/* debugfs.c */
void prx_debugfs_create(void);
void prx_debugfs_remove(void);

#endif /* ARM_PROFEXC_H */
