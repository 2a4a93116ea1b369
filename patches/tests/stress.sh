#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: everything that Profiling exceptions have to get along with, at once, while two
# events sample each CPU: context switches and interrupt stacks, faults of the handler on user
# addresses, hostile PSTATEs, ptrace, kprobes, a guest of KVM that is entered and left, and in the
# second half CPUs that come and go, and exceptions turned off and on. What the kernel complains of
# is scripts/vm's to see.
#
# Usage: stress.sh SECONDS PERIOD [counted], prints KTAP. PERIOD is that of either event, in us. It
# has to be several times what a sample takes, 0.3 ms with KASAN and lockdep: nothing limits the
# rate, and a kernel that does nothing but take samples looks locked up. With "counted" there is no
# second half and no sample may be missing: for a machine whose clock counts instructions.

. "$(dirname "$0")/lib.sh"
seconds=$1 period=${2}000 counted=${3:-}
programs=/tests/programs
param=/sys/module/arm_pmuv3/parameters/profexc
tracing=/sys/kernel/tracing

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
if [ ! "$counted" ]; then
	# A CPU that the host does not run for half a minute is not locked up; what is locked up
	# stays so for more than two. A second is enough for dl_server_timer() to find that the
	# timer it has just started has expired, of which it warns.
	for runtime in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		echo 0 >"$runtime"
	done
	echo 60 >/proc/sys/kernel/watchdog_thresh
	echo 120 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
fi

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
half=$((seconds / 2)) changes=''
[ ! "$counted" ] || half=$seconds

# In the first half all CPUs stay and exceptions are on, so that the samples can be counted. Not
# before perf has opened its events, though: for each of them those of the CPU are taken off and put
# back, and armpmu_start() makes no sample of a period that has ended meanwhile.
(
	until pidof hostile >/dev/null; do
		sleep 0.1
	done
	$programs/count $((half - 2)) "$period" >/tmp/count.new 2>&1
	mv /tmp/count.new /tmp/count.log
) &
count=$!
if [ ! "$counted" ]; then
	(
		until [ -e /tmp/count.log ]; do
			sleep 1
		done
		echo 0 >/proc/sys/kernel/nmi_watchdog	# or exceptions cannot be turned off
		while sleep 3; do
			echo 0 >/sys/devices/system/cpu/cpu1/online
			echo 1 >/sys/devices/system/cpu/cpu1/online
			echo N >$param
			sleep 0.2
			echo Y >$param
		done
	) 2>/dev/null &
	changes=$!
fi
kvm=''
if [ -e /dev/kvm ]; then
	while :; do
		$programs/guest 3 $programs/guest-code || echo "not as it should be: $?"
	done >/tmp/kvm.log 2>&1 &
	kvm=$!
fi

precise=''
for file in /sys/bus/event_source/devices/armv8_pmuv3*/caps/max_precise; do
	[ ! -e "$file" ] || precise='-e r21:pp'
done
# Of what it records the last is kept: memory is all there is to keep it in.
# shellcheck disable=SC2086 # two words or none
perf record -q -a -g -c $period -e cycles $precise --switch-output=2M --switch-max-files=2 \
	-o /tmp/stress.data -- $programs/hostile $(((seconds + 2) / 3)) \
	>/tmp/hostile.log 2>/tmp/perf.log
result $? "no task sees the bits, or gains by setting them"
cat /tmp/hostile.log /tmp/perf.log | sed 's/^/# /'
wait $count
# shellcheck disable=SC2086 # each one or none
kill $changes $pipe $junk $kvm
wait 2>/dev/null

# A period that ends while the host does not run the emulated CPU becomes one with the next. The
# program tells these from those after which the CPU took interrupts, but no exception: of which
# there may be none. Where the clock stands still meanwhile none may be missing. None may ever come
# twice.
# shellcheck disable=SC2046 # the words that it prints
set -- $(cat /tmp/count.log)
[ "${6:-}" ] && [ "$2" -gt 1000 ] && [ "$4" = 0 ] && [ "$5" = 0 ] && [ "$6" = 0 ] &&
	{ [ ! "$counted" ] || [ "$3" = 0 ]; }
result $? "of ${1:-?} periods ${3:-?} have no sample, ${4:-?} of which ended on a CPU that ran"
echo "# ${2:-?} samples, ${5:-?} of them for the second time, ${6:-?} lost"
if [ "$kvm" ]; then
	rounds=$(awk '/rounds/ { n += $2 } END { print n + 0 }' /tmp/kvm.log)
	[ "$rounds" -gt 3 ] && ! grep -q 'not as it should be' /tmp/kvm.log
	result $? "a guest of KVM has run $rounds rounds as it should"
	grep -v ' rounds, 0 wrong, a feature seen 0 times' /tmp/kvm.log | sed 's/^/# /'
fi

samples=$(for file in /tmp/stress.data.*; do
	perf script -i "$file" -F ip -G 2>/dev/null
done | grep -c .)
[ "$samples" -gt 1000 ]
result $? "there are $samples samples with call chains in what perf has kept"
hits=$(awk '{ n += $2 } END { print n + 0 }' $tracing/kprobe_profile)
[ "$hits" -gt 1000 ]
result $? "kprobes were hit $hits times"
all_expected
echo "# $(pmu_irqs) PMU interrupts while exceptions were off"
figures "$seconds s, of ${1:-?} periods ${3:-?} without sample (${4:-?} while running)," \
	"${5:-?} with two, ${6:-?} lost"

echo 0 >$tracing/events/kprobes/enable
echo >$tracing/kprobe_events
end
