#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Arm PC Sample-based Profiling: samples of other CPUs (exclusive)
#
# A program that does nothing but run is sampled by the CPUs that read. Each
# sample has to be of another CPU than the one that took it, the program has to
# be in them, and every read that was planned has to be accounted for.

device=/sys/bus/event_source/devices/arm_pcsample

[ -d $device ] || exit 2

perfdata=$(mktemp /tmp/__perf_test.perf.data.XXXXXX)
err=0
load=

cleanup() {
	rm -f "$perfdata" "$perfdata".old
	[ -z "$load" ] || kill "$load" 2>/dev/null
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

# The CPUs of a list, one a line
cpus() {
	tr ',' '\n' < "$1" | while IFS=- read -r first last; do
		seq "$first" "${last:-$first}"
	done
}

# The first CPU that has registers and does not read; if all read, another one reads it
target_cpu() {
	for cpu in $(cpus $device/caps/blocks); do
		cpus $device/cpumask | grep -qx "$cpu" && continue
		echo "$cpu"
		return
	done
	cpus $device/caps/blocks | head -n 1
}

test_record() {
	cpu=$(target_cpu)
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	load=$!
	if ! perf record -q -o "$perfdata" -e arm_pcsample/pc/ -a -F 500 -- sleep 1; then
		fail "record"
		return
	fi
	samples=$(perf script -i "$perfdata" -F tid,cpu 2>/dev/null |
		  awk -v tid="$load" -v cpu="$cpu" '{ gsub(/[][]/, "") }
			$1 == tid && $2 + 0 == cpu { n++ } END { print n + 0 }')
	[ "$samples" -gt 10 ] || fail "$samples samples of a busy program on CPU $cpu"
	kill "$load"
	wait "$load" 2>/dev/null
	load=
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
