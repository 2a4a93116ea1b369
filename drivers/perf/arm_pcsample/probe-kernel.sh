#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# probe-kernel.sh COMPILER [FLAG...]: prints kernel-probes.h for the kernel whose flags are given.

set -eu

# probe NAME STATEMENT COMPILER [FLAG...]: PCS_HAVE_NAME is 1 if the statement compiles. If $header
# names a file, it is included.
header=
probe()
{
	name=$1
	statement=$2
	shift 2
	have=0
	if "$@" -Werror=implicit-function-declaration -fsyntax-only -x c - >/dev/null 2>&1; then
		have=1
	fi <<END
#include <linux/hrtimer.h>
#include <linux/perf_event.h>
${header:+#include <$header>}
void probe(struct perf_event *event, struct perf_event_attr *attr, struct perf_sample_data *data,
	   struct hrtimer *timer);
void probe(struct perf_event *event, struct perf_event_attr *attr, struct perf_sample_data *data,
	   struct hrtimer *timer)
{
	$statement;
}
END
	echo "#define PCS_HAVE_$name $have"
}

echo "/* Made by probe-kernel.sh */"

# If this does not compile, nothing does, and the answers below would all be no.
[ "$(probe ANYTHING '' "$@")" = "#define PCS_HAVE_ANYTHING 1" ] || {
	echo "probe-kernel.sh: the kernel's headers do not compile:" >&2
	echo "#include <linux/perf_event.h>" | "$@" -fsyntax-only -x c - >&2
	exit 1
}

probe CONFIG3		'attr->config3 = 0' "$@"
probe CONFIG4		'attr->config4 = 0' "$@"
probe DYN_SIZE		'data->dyn_size = 0' "$@"
probe HRTIMER_SETUP	'hrtimer_setup(timer, NULL, 0, 0)' "$@"
probe PMU_CTX		'event->pmu_ctx = NULL' "$@"
probe PMU_CPU_CONTEXT	'event->pmu->pmu_cpu_context = NULL' "$@"
header=linux/perf/arm_pmuv3.h
probe PMUV3_INDEX	'(void)ARMV8_PMU_CYCLE_IDX' "$@"
header=linux/platform_device.h
probe INT_REMOVE	'(void)(((struct platform_driver *)NULL)->remove(NULL) == 0)' "$@"
header=
probe EMBEDDED_PMU_CTX	'event->pmu->cpu_pmu_context->epc.ctx = NULL' "$@"
