#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: how many samples of `perf record -e cycles` are in code that runs with interrupts
# masked, with PMU interrupts and with Profiling exceptions in turn. pcs_spin spins on CPU 0 for a
# known share of the time, and a loop in user space uses up the rest.
#
# Usage: masked.sh SECONDS, prints KTAP.

. "$(dirname "$0")/lib.sh"
seconds=${1:-4}
param=/sys/module/arm_pmuv3/parameters/profexc
spin=/sys/module/pcs_spin/parameters
data=/tmp/masked.data

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
echo 0 >/proc/sys/kernel/nmi_watchdog			# or exceptions cannot be turned off
modprobe pcs_spin cpu=0 percent=30
taskset 1 sh -c 'while :; do :; done' &
loop=$!

# With 8000 samples a share of 0.3 has a standard error of half a point, so chance exceeds the two
# points of tolerance in one of 10,000 runs. The sampling period is no part of the spins'. With
# interrupts no sample at all is wanted. No run is tried again.
test_mode()
{
	mode=$1 number=$2
	echo "$mode" >$param
	irqs=$(pmu_irqs)
	spun=$(cat $spin/spun_ns) elapsed=$(cat $spin/elapsed_ns)
	perf record -q -C 0 -c 499979 -e cycles -o $data -- sleep "$seconds" 2>/dev/null
	spun=$(($(cat $spin/spun_ns) - spun)) elapsed=$(($(cat $spin/elapsed_ns) - elapsed))
	irqs=$(($(pmu_irqs) - irqs))
	perf script -i $data -F ip,sym 2>/dev/null | awk -v mode="$mode" -v number="$number" \
		-v irqs="$irqs" -v truth="$((spun * 1000 / elapsed))" '
		/pcs_spin_masked/ { masked++ }
		NF { all++ }
		END {
			share = all ? 100 * masked / all : 0
			truth /= 10
			if (mode == "N")
				good = all > 100 && masked == 0 && irqs > 100
			else
				good = all > 6000 && irqs == 0 &&
					share > truth - 2 && share < truth + 2
			printf "%s %d - %s: ", good ? "ok" : "not ok", number,
				mode == "N" ? "interrupts" : "exceptions"
			printf "%d of %d samples masked, %.1f %%, true %.1f %%, ",
				masked, all, share, truth
			printf "%d PMU interrupts\n", irqs
			if (mode == "Y")
				printf "# figures: %.1f %% of samples masked, %.1f %% of time\n",
					share, truth
			exit !good
		}'
}

for number in 1 2 3 4 5 6; do
	mode=N
	[ $((number % 2)) = 1 ] || mode=Y
	test_mode "$mode" "$number" || status=1
done
kill $loop
modprobe -r pcs_spin
end
