#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: a 32-bit program is sampled by Profiling exceptions, and is none the wiser: no
# signal ends it, and what it computes is right.
#
# Usage: compat.sh, prints KTAP.

program=/tests/programs/arm/compat
number=0 status=0

result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		status=1
	fi
}

pmu_irqs()
{
	awk '/arm-pmu/ { n = 0; for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i; print n }' \
		/proc/interrupts
}

echo "KTAP version 1"
dmesg | grep -q 'hw perfevents: enabled .*using Profiling exceptions'
result $? "the PMU reports overflows by exceptions"
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
[ "$(dmesg | grep -c 'profexc: .*unexpected')" = 0 ]
result $? "no exception was unexpected"
echo "# figures: $all samples of a 32-bit program"
echo "1..$number"
exit $status
