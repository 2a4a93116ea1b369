#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Arm PC Sample-based Profiling: samples of other CPUs (exclusive)
#
# A program that does nothing but run is sampled by the CPUs that read. Each
# sample has to be of another CPU than the one that took it, the program has to
# be in them, and every read that was planned has to be accounted for.

device=/sys/bus/event_source/devices/arm_pcsample

[ -d $device ] || exit 2

perfdata=$(mktemp /tmp/__perf_test.perf.data.XXXXX)
err=0
load=0

cleanup() {
	rm -f "$perfdata" "$perfdata".old
	[ $load = 0 ] || kill $load 2>/dev/null
	trap - EXIT TERM INT
}

trap_cleanup() {
	cleanup
	exit 1
}
trap trap_cleanup EXIT TERM INT

fail() {
	echo "arm_pcsample: $1 [Failed]"
	err=1
}

# The first CPU that has registers and does not read
target_cpu() {
	local cpu

	for cpu in $(seq 0 "$(getconf _NPROCESSORS_CONF)"); do
		[ -e $device/ledger/cpu"$cpu" ] || continue
		grep -qE "(^|,)$cpu(,|$)" <(perf_cpus $device/cpumask) && continue
		echo "$cpu"
		return
	done
}

# A list of CPUs without ranges
perf_cpus() {
	local range out=""

	for range in $(tr , ' ' < "$1"); do
		out="$out $(seq -s ' ' "${range%-*}" "${range#*-}")"
	done
	echo "$out" | tr -s ' ' ',' | sed 's/^,//'
}

test_record() {
	local cpu samples

	cpu=$(target_cpu)
	[ -n "$cpu" ] || cpu=$(perf_cpus $device/cpumask | cut -d, -f1)
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	load=$!
	if ! perf record -q -o "$perfdata" -e arm_pcsample/pc/ -a -F 500 -- sleep 1; then
		fail "record"
		return
	fi
	samples=$(perf script -i "$perfdata" -F tid,cpu 2>/dev/null |
		  awk -v tid=$load -v cpu="$cpu" '{ gsub(/[][]/, "") }
			$1 == tid && $2 + 0 == cpu { n++ } END { print n + 0 }')
	[ "$samples" -gt 10 ] || fail "$samples samples of a busy program on CPU $cpu"
	kill $load
	wait $load 2>/dev/null
	load=0
}

test_stat() {
	perf stat -x, -e arm_pcsample/pc/ -a -- sleep 0.1 2>&1 | grep -q '^[1-9]' ||
		fail "stat counts no time"
}

test_ledger() {
	awk '$1 == "planned" { planned = $2; next } { sum += $2 }
		END { exit !(planned > 0 && planned == sum) }' $device/ledger/total ||
		fail "the ledger does not balance"
}

test_task() {
	! perf record -q -o "$perfdata" -e arm_pcsample/pc/ --per-thread -- true 2>/dev/null ||
		fail "an event of a task was opened"
}

test_record
test_stat
test_ledger
test_task
cleanup
exit $err
