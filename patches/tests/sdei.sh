#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: the CPUs have FEAT_EBEP and firmware has SDEI, so Profiling exceptions are refused
# and said to be. SDEI events come while a CPU is profiled by interrupts: backtraces that sysrq-l
# asks for (ARM_SDEI_NMI). An event ends by SDEI_EVENT_COMPLETE if it came with interrupts masked,
# and by SDEI_EVENT_COMPLETE_AND_RESUME if it did not: see do_sdei_event().
#
# Usage: sdei.sh ROUNDS, prints KTAP. Linux 6.12 has nothing that signals an event: ROUNDS is 0 for
# it, which tests the refusal and the interrupts.

. "$(dirname "$0")/lib.sh"
rounds=$1

dmesg | grep -q 'sdei: SDEIv1.* detected in firmware'
result $? "firmware has SDEI"
dmesg | grep -q 'detected: Exception-based event profiling'
result $? "the CPUs have Profiling exceptions"
[ "$(dmesg | grep -c 'profexc: firmware has SDEI, .*: using interrupts')" = 1 ]
result $? "the kernel says once that it does not use them"
dmesg | grep -q 'hw perfevents: enabled .*counters available$'
result $? "the PMU reports overflows by interrupts"
said="$(cat /sys/bus/event_source/devices/armv8_pmuv3*/caps/profexc_cpus)"
said="$said $(cat /sys/module/arm_pmuv3/parameters/profexc)"
[ "$said" = ' N' ]
result $? "sysfs says that no CPU uses exceptions: $said"
echo Y >/sys/module/arm_pmuv3/parameters/profexc
[ "$(cat /sys/module/arm_pmuv3/parameters/profexc)" = N ]
result $? "nor can they be switched on"

# What CPU 1 is interrupted in: all kinds of code
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
modprobe pcs_spin cpu=1 percent=40
taskset 2 sh -c 'while :; do :; done' &
loop=$!
taskset 2 sh -c 'while :; do kill -0 $$; done' &
calls=$!

# samples FILE: how many there are in user space and in the kernel, as "USER KERNEL"
samples()
{
	perf script -i "$1" -F ip,sym,dso 2>/dev/null |
		awk '/\[kernel|\[pcs_spin/ { k++; next } NF { u++ } END { print u + 0, k + 0 }'
}

# Events while CPU 1 is sampled. Sets figures.
test_events()
{
	printk=$(cat /proc/sys/kernel/printk)
	echo 0 >/proc/sys/kernel/printk		# a backtrace that was asked for is no complaint
	dmesg -c >/dev/null
	before=$(pmu_irqs)
	perf record -q -C 1 -c 400000 -e cycles -o /tmp/sdei.data -- sh -c "
		for round in \$(seq $rounds); do
			taskset 1 sh -c 'echo l >/proc/sysrq-trigger'
			sleep 0.1
			dmesg -c
		done" >/tmp/sdei.dmesg 2>/tmp/sdei.log
	result $? "CPU 1 is sampled while events come"
	sed 's/^/# /' /tmp/sdei.log
	irqs=$(($(pmu_irqs) - before))
	dmesg -c >>/tmp/sdei.dmesg
	echo "$printk" >/proc/sys/kernel/printk

	# What an event has interrupted: the first pstate that is printed after the header of CPU 1
	# shellcheck disable=SC2046 # the words that it prints
	set -- $(awk '
		/NMI backtrace for cpu/ { mine = /cpu 1( |$)/; all += mine }
		/NMI backtrace for cpu 1 skipped/ { mine = 0 }
		mine && match($0, /pstate: [0-9a-f]+/) {
			p = substr($0, RSTART + 8, RLENGTH - 8)
			irq = index("89abcdef", substr(p, length(p) - 1, 1))
			if (substr(p, length(p), 1) == "0") user++
			else if (irq) masked++
			else open++
			mine = 0
		}
		END { print all + 0, masked + 0, open + 0, user + 0 }' /tmp/sdei.dmesg)
	events=$1 complete=$2 resume=$(($3 + $4))
	[ "$events" = "$rounds" ]
	result $? "CPU 1 has taken $events events"
	[ "$complete" -ge 3 ] && [ "$resume" -ge 3 ] && [ "$4" -ge 1 ]
	result $? "$complete ended by COMPLETE, $resume by COMPLETE_AND_RESUME, $4 in user space"
	grep -E 'BUG|WARNING|Unable to handle|unexpected|sdei_nmi: SDEI_EVENT' /tmp/sdei.dmesg \
		>/tmp/sdei.complaints
	[ $? = 1 ]
	result $? "the kernel complains of nothing"
	# A handler must not take an exception, and do_sdei_event() sees it if one has. This one
	# does for a worker that has no work: print_worker_info() follows a NULL pointer, which is
	# there to read by copy_from_kernel_nofault(), and arm64 has no
	# copy_from_kernel_nofault_allowed() to refuse it.
	# shellcheck disable=SC2046 # the words that it prints
	set -- $(awk '
		/NMI backtrace for cpu/ { fault = 0 }
		/CPU: 1 .* Comm: kworker/ { fault = 1 }
		/Workqueue: [^ ]/ { fault = 0 }
		/unsafe: exception during handler/ { all++; known += fault; fault = 0 }
		END { print all + 0, known + 0 }' /tmp/sdei.dmesg)
	[ "$1" = "$2" ]
	result $? "$1 handlers have taken an exception, $2 of them for a worker without work"
	counts=$(samples /tmp/sdei.data)
	[ "${counts% *}" -gt 100 ] && [ "${counts#* }" -gt 100 ] && [ "$irqs" -gt 200 ]
	result $? "samples of user space and kernel while they came: $counts, $irqs PMU interrupts"
	figures="$events events, $complete over COMPLETE, $resume over COMPLETE_AND_RESUME,"
	figures="$figures $irqs PMU interrupts"
}

figures='no events'
[ "$rounds" = 0 ] || test_events

perf record -q -C 1 -c 400000 -e cycles -o /tmp/sdei.data -- sleep 1 2>/dev/null
counts=$(samples /tmp/sdei.data)
[ "${counts% *}" -gt 50 ] && [ "${counts#* }" -gt 50 ]
result $? "samples of user space and kernel while none come: $counts"
kill $loop $calls
modprobe -r pcs_spin
figures "$figures"
end
