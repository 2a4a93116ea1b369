#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: a kprobe is hit all the time, and the handler of the Profiling exceptions has one,
# too. An exception that comes while the instruction of the first is executed out of line hits the
# second inside the first, and that one is missed.
#
# Usage: kprobes.sh SECONDS, prints KTAP.

. "$(dirname "$0")/lib.sh"
seconds=$1
tracing=/sys/kernel/tracing

hits()
{
	awk -v name="$1" '$1 == name { print $2 + 0 }' $tracing/kprobe_profile
}

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
for function in __arm64_sys_kill perf_event_overflow; do
	echo "p:$function $function+0x10" >>$tracing/kprobe_events
	echo 1 >$tracing/events/kprobes/$function/enable
done
taskset 2 sh -c 'while :; do kill -0 $$; done' &
calls=$!
perf record -q -C 1 -c 200003 -e cycles:k -o /tmp/kprobes.data -- sleep "$seconds" \
	2>/tmp/kprobes.log
result $? "a CPU is sampled that hits kprobes"
sed 's/^/# /' /tmp/kprobes.log
kill $calls
wait $calls 2>/dev/null
overflows=$(hits perf_event_overflow) calls=$(hits __arm64_sys_kill)
missed=$(awk '{ n += $3 } END { print n + 0 }' $tracing/kprobe_profile)
[ "$overflows" -gt 1000 ]
result $? "the kprobe of the handler was hit $overflows times"
[ "$calls" -gt 1000 ]
result $? "that of a system call $calls times"
[ "$missed" = 0 ]
result $? "$missed were missed, as they were hit inside another"
all_expected
echo 0 >$tracing/events/kprobes/enable
echo >$tracing/kprobe_events
figures "kprobes hit $calls times, and $overflows times in the handler"
end
