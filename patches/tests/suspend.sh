#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: exceptions go on after the machine was suspended to idle, and to where pm_test goes
# without firmware that powers it off, while it is being profiled; and after a low-power state of
# the CPUs in which their registers are lost, which pcs_power does in software.
#
# Usage: suspend.sh, prints KTAP.

. "$(dirname "$0")/lib.sh"

# Sets samples to how many there are on CPUs 0 and 1 in a file
count_samples()
{
	samples=$(perf script -i "$1" -F cpu 2>/dev/null | awk '
		/000/ { a++ } /001/ { b++ } END { print a + 0 " and " b + 0 }')
	[ "${samples% and *}" -gt 20 ] && [ "${samples#* and }" -gt 20 ]
}

# events_go_on WHAT: those that were there while it happened, in during.data, and new ones
events_go_on()
{
	count_samples /tmp/during.data
	result $? "$1: $samples samples on CPUs 0 and 1 in events across it"
	perf record -q -a -c 4000000 -e cycles -o /tmp/after.data -- sleep 1 2>/dev/null
	count_samples /tmp/after.data
	result $? "$1: $samples samples on CPUs 0 and 1 after it"
}

# go_to_sleep WHAT
go_to_sleep()
{
	perf record -q -a -c 4000000 -e cycles -o /tmp/during.data -- sh -c '
		echo +3 >/sys/class/rtc/rtc0/wakealarm
		echo freeze >/sys/power/state
		sleep 2' 2>/tmp/perf.log
	result $? "$1: the machine comes back"
	sed 's/^/# /' /tmp/perf.log
	events_go_on "$1"
}

before=$(pmu_irqs)
# Something to sample on both CPUs
taskset 1 sh -c 'while :; do :; done' &
loop0=$!
taskset 2 sh -c 'while :; do :; done' &
loop1=$!

go_to_sleep 'suspend to idle'
for level in devices platform; do
	echo $level >/sys/power/pm_test
	go_to_sleep "pm_test $level"
done
echo none >/sys/power/pm_test

perf record -q -a -c 4000000 -e cycles -o /tmp/during.data -- sh -c '
	modprobe pcs_power
	sleep 2' 2>/dev/null
lost=$(cat /sys/module/pcs_power/parameters/lost)
[ "$lost" = 2 ]
result $? "the registers of $lost CPUs are lost"
events_go_on 'low-power state'

kill $loop0 $loop1
irqs=$(($(pmu_irqs) - before))
[ $irqs = 0 ]
result $? "there were $irqs PMU interrupts"
end
