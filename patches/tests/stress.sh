#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: everything that Profiling exceptions have to get along with, at once, with a sample
# every 500 us: context switches and interrupt stacks, faults of the handler on user addresses,
# hostile PSTATEs, ptrace, kprobes, CPUs that come and go, exceptions turned off and on. What the
# kernel complains of is scripts/vm's to see.
#
# Usage: stress.sh SECONDS, prints KTAP.

seconds=${1:-20}
programs=/tests/programs
param=/sys/module/arm_pmuv3/parameters/profexc
tracing=/sys/kernel/tracing
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

echo "KTAP version 1"
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling

for function in __arm64_sys_getppid hrtimer_interrupt schedule; do
	echo "p:$function $function+0x10" >>$tracing/kprobe_events
	echo 1 >$tracing/events/kprobes/$function/enable
done
$programs/junkfp &
junk=$!
while :; do
	perf bench sched pipe -l 2000 >/dev/null 2>&1
done &
pipe=$!
(
	while sleep 3; do
		echo 0 >/sys/devices/system/cpu/cpu1/online
		echo 1 >/sys/devices/system/cpu/cpu1/online
		echo N >$param
		sleep 0.2
		echo Y >$param
	done
) 2>/dev/null &
changes=$!

precise=''
for file in /sys/bus/event_source/devices/armv8_pmuv3*/caps/max_precise; do
	[ ! -e "$file" ] || precise='-e r21:pp'
done
# shellcheck disable=SC2086 # two words or none
perf record -q -a -g -c 500000 -e cycles $precise -o /tmp/stress.data -- \
	$programs/hostile $((seconds / 2)) >/tmp/hostile.log 2>/tmp/perf.log
result $? "no task sees the bits, or gains by setting them"
cat /tmp/hostile.log /tmp/perf.log | sed 's/^/# /'
kill $changes $pipe $junk
wait 2>/dev/null

samples=$(perf script -i /tmp/stress.data -F ip -G 2>/dev/null | grep -c .)
[ "$samples" -gt $((seconds * 50)) ]
result $? "there are $samples samples"
hits=$(awk '{ n += $2 } END { print n + 0 }' $tracing/kprobe_profile)
[ "$hits" -gt 1000 ]
result $? "kprobes were hit $hits times"
unexpected=$(dmesg | grep -c 'profexc: .*unexpected')
[ "$unexpected" = 0 ]
result $? "no exception was unexpected"
irqs=$(awk '/arm-pmu/ { print $2 + $3 }' /proc/interrupts)
echo "# $irqs PMU interrupts while exceptions were off"

echo 0 >$tracing/events/kprobes/enable
echo >$tracing/kprobe_events
echo "1..$number"
exit $status
