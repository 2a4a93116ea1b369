#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: everything that Profiling exceptions have to get along with, at once, with samples
# every 500 us: context switches and interrupt stacks, faults of the handler on user addresses,
# hostile PSTATEs, ptrace, kprobes, a guest of KVM that is entered and left, CPUs that come and go,
# exceptions turned off and on. What the kernel complains of is scripts/vm's to see.
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
	sleep $((seconds / 2))
	while sleep 3; do
		echo 0 >/sys/devices/system/cpu/cpu1/online
		echo 1 >/sys/devices/system/cpu/cpu1/online
		echo N >$param
		sleep 0.2
		echo Y >$param
	done
) 2>/dev/null &
changes=$!
kvm=''
if [ -e /dev/kvm ]; then
	while :; do
		$programs/guest 3 $programs/guest-code || echo "not as it should be: $?"
	done >/tmp/kvm.log 2>&1 &
	kvm=$!
fi

# In the first half all CPUs stay and exceptions are on, so that the samples can be counted.
$programs/count $((seconds / 2 - 2)) 500000 >/tmp/count.log 2>&1 &
count=$!

precise=''
for file in /sys/bus/event_source/devices/armv8_pmuv3*/caps/max_precise; do
	[ ! -e "$file" ] || precise='-e r21:pp'
done
# shellcheck disable=SC2086 # two words or none
perf record -q -a -g -c 500000 -e cycles $precise -o /tmp/stress.data -- \
	$programs/hostile $((seconds / 2)) >/tmp/hostile.log 2>/tmp/perf.log
result $? "no task sees the bits, or gains by setting them"
cat /tmp/hostile.log /tmp/perf.log | sed 's/^/# /'
wait $count
# shellcheck disable=SC2086 # one or none
kill $changes $pipe $junk $kvm
wait 2>/dev/null

# A period that ends while exceptions are masked, or while the host does not run the emulated CPU,
# becomes one with the next; so there may be fewer samples than periods. More there are if any comes
# twice.
# shellcheck disable=SC2046 # the words that it prints
set -- $(cat /tmp/count.log)
[ "${4:-}" ] && [ "$2" -gt $((seconds * 100)) ] && [ "$2" -le $(($1 + 2)) ] &&
	[ "$3" = 0 ] && [ "$4" = 0 ]
result $? "there were $1 periods and $2 samples, $3 lost, $4 twice"
if [ "$kvm" ]; then
	rounds=$(awk '/rounds/ { n += $2 } END { print n + 0 }' /tmp/kvm.log)
	[ "$rounds" -gt 10 ] && ! grep -q 'not as it should be' /tmp/kvm.log
	result $? "a guest of KVM has run $rounds rounds as it should"
	grep 'not as' /tmp/kvm.log | sed 's/^/# /'
fi

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
