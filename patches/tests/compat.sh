#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: a 32-bit program is sampled by Profiling exceptions, and is none the wiser: no
# signal ends it, and what it computes is right.
#
# Usage: compat.sh, prints KTAP.

. "$(dirname "$0")/lib.sh"
program=/tests/programs/arm/compat

uses_exceptions
$program
result $? "the program runs without being sampled"
all=0
# No synchronous ones: the emulated CPU counts what retires in 64-bit code alone.
for event in cycles:u cycles; do
	before=$(pmu_irqs)
	perf record -q -c 200003 -e $event -o /tmp/compat.data -- $program 2>/tmp/compat.log
	result $? "it runs while it is sampled, $event"
	sed 's/^/# /' /tmp/compat.log
	samples=$(perf script -i /tmp/compat.data -F ip 2>/dev/null |
		awk 'NF && length($1) <= 8 { n++ } END { print n + 0 }')
	irqs=$(($(pmu_irqs) - before))
	[ "$samples" -gt 200 ] && [ $irqs = 0 ]
	result $? "$samples samples of it, $irqs PMU interrupts"
	all=$((all + samples))
done
all_expected
figures "$all samples of a 32-bit program"
end
