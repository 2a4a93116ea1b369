// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of each CPU, and the features that its ID registers name.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>

#include <asm/sysreg.h>

#include "arm_profexc.h"

DEFINE_PER_CPU(struct prx_cpu, prx_cpu);

/*
 * Fields by numbers of bits: the kernel's names for them have changed, or are newer than the
 * oldest kernel that this builds for.
 */
#define PRX_DFR0_PMUVER		GENMASK_ULL(11, 8)
#define PRX_DFR0_PMUVER_IMPDEF	0xf
#define PRX_DFR0_SEBEP		GENMASK_ULL(27, 24)
#define PRX_DFR0_TRACEFILT	GENMASK_ULL(43, 40)
#define PRX_DFR0_TRACEBUFFER	GENMASK_ULL(47, 44)
#define PRX_DFR1_EBEP		GENMASK_ULL(51, 48)
#define PRX_DFR2_TRBE_EXC	GENMASK_ULL(27, 24)

/**
 * prx_read_features() - read the ID registers of this CPU
 * @features: filled
 */
void prx_read_features(struct prx_features *features)
{
	u64 dfr0 = read_sysreg_s(SYS_ID_AA64DFR0_EL1);
	u64 dfr1 = read_sysreg_s(SYS_ID_AA64DFR1_EL1);
	u64 dfr2 = read_sysreg_s(PRX_ID_AA64DFR2_EL1);
	unsigned int pmuver = FIELD_GET(PRX_DFR0_PMUVER, dfr0);

	*features = (struct prx_features) {
		.pmu = pmuver && pmuver != PRX_DFR0_PMUVER_IMPDEF,
		.sebep = FIELD_GET(PRX_DFR0_SEBEP, dfr0),
		.trf = FIELD_GET(PRX_DFR0_TRACEFILT, dfr0),
		.trbe = FIELD_GET(PRX_DFR0_TRACEBUFFER, dfr0),
		.ebep = FIELD_GET(PRX_DFR1_EBEP, dfr1),
		.trbe_exc = FIELD_GET(PRX_DFR2_TRBE_EXC, dfr2),
	};
}

/**
 * prx_cpus_with() - the CPUs that have a feature, of those that were ever up
 * @cpus: filled
 * @has: the feature
 */
void prx_cpus_with(struct cpumask *cpus, bool (*has)(const struct prx_features *features))
{
	int cpu;

	cpumask_clear(cpus);
	for_each_possible_cpu(cpu)
		if (has(&per_cpu(prx_cpu, cpu).features))
			cpumask_set_cpu(cpu, cpus);
}
