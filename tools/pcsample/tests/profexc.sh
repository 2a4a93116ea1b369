#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample profexc on recordings that this test makes.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

GOLDEN=$(realpath "$(dirname "${BASH_SOURCE[0]}")/golden/profexc")

# IP, TID, TIME, CPU, PERIOD and RAW
type=0x587

# head_of [NAME]: begin a recording with this event, and a process 7 that has code
head_of() {
	python3 - "${1:-arm_profexc/any/}" > desc << 'END'
import struct, sys
name = sys.argv[1].encode() + bytes(64 - len(sys.argv[1]))
sys.stdout.buffer.write(struct.pack("<II128xII", 1, 128, 0, 64) + name)
END
	printf 'type %s\nblob 12 desc\n' "$type"
	printf 'comm 7 7 prog 1\nmmap 7 0x400000 0x1000 0 /nowhere/prog 1\n'
}

# events COUNT CLASS MODE EL CPU FROM: exceptions with sequence numbers that begin at FROM
events() {
	awk -v n="$1" -v class="$2" -v mode="$3" -v el="$4" -v cpu="$5" -v from="$6" 'BEGIN {
		ip = el ? "0xffff800080010000" : "0x400100"
		for (i = 0; i < n; i++)
			printf "profexc %s 7 7 %d %d %s %d %d %d\n", ip, 1000000 + from + i, cpu,
				class, mode, el, from + i
	}'
}

classes_modes_and_levels() {
	{
		head_of
		events 6 0x20 1 0 0 1
		events 3 0x20 1 1 0 7
		events 2 0x01 2 1 1 1
		events 1 0x21 1 2 1 3
	} | "$MKREC" r.data
	"$PCSAMPLE" profexc report --json -i r.data > out
	json out 'd["schema"] == "pcsample-profexc-report" and d["events"] == 12 and d["cpus"] == 2'
	json out 'd["missing"] == 0 and d["lost"] == 0 and d["others"] == 0'
	json out '[(c["class"], c["delivered"], c["events"], c["el0"], c["el1"], c["el2"])
		for c in d["classes"]] == [
		("pmu_async", "exception", 9, 6, 3, 0), ("trbe_full", "irq", 2, 0, 2, 0),
		("pmu_sync", "exception", 1, 0, 0, 1)]'
	"$PCSAMPLE" profexc report -i r.data > out
	says out '75.00%         9         6         3         0  exception  pmu_async'
	says out '16.67%         2         0         2         0  irq        trbe_full'
	says out '(/nowhere/prog)'
}

places() {
	{ head_of; events 6 0x20 1 0 0 1; events 3 0x20 2 0 0 7; events 2 0x20 1 1 0 10; } |
		"$MKREC" r.data
	"$PCSAMPLE" profexc report --json -i r.data > out
	json out '[(p["dso"], p["events"], p["exceptions"]) for p in d["places"]][0] ==
		("/nowhere/prog", 9, 6)'
	json out 'sum(p["events"] for p in d["places"]) == d["events"] == 11'
	"$PCSAMPLE" profexc report --json --limit 1 -i r.data > out
	json out 'len(d["places"]) == 1'
	"$PCSAMPLE" profexc report --limit 1 -i r.data > out
	says out '# 1 more places: --limit 0 shows them'
}

what_is_missing_is_counted() {
	{
		head_of
		events 5 0x20 1 0 0 1
		events 5 0x20 1 0 0 11
		events 4 0x20 1 0 3 100
		echo 'lost 2'
	} | "$MKREC" r.data
	"$PCSAMPLE" profexc report --json -i r.data > out
	json out 'd["missing"] == 5 and d["lost"] == 2 and d["cpus"] == 2'
	"$PCSAMPLE" profexc report -i r.data > out
	says out '# Missing:     5 events in between'
	"$PCSAMPLE" profexc report --json -C 3 -i r.data > out
	json out 'd["events"] == 4 and d["missing"] == 0'
}

# Records of a newer module, and of one older than the first release
other_records() {
	{ head_of; events 2 0x3f 7 0 0 1; echo 'profexc 0x400100 7 7 1000003 0 0x20 1 0 3 8'; } |
		"$MKREC" r.data
	"$PCSAMPLE" profexc report --json -i r.data > out
	json out 'd["events"] == 2 and d["others"] == 1'
	json out 'd["classes"][0]["class"] == "unknown" and d["classes"][0]["class_id"] == 63'
}

# user_time FILE: print the CPU time of a report, in ms
user_time() {
	local TIMEFORMAT=%U seconds
	seconds=$( { time "$PCSAMPLE" profexc report --json -i "$1" > out; } 2>&1)
	echo $((10#${seconds/./}))
}

# No file makes the report slow. Samples in all classes and modes that a record can hold take about
# as long as the same number in one. With a linear search they took a hundred times as long.
any_number_of_classes() {
	local samples=60000 one all

	{
		head_of
		events $samples 0x20 1 0 0 1
	} | "$MKREC" one.data
	{
		head_of
		awk -v n=$samples 'BEGIN {
			for (i = 0; i < n; i++)
				printf "profexc 0x400100 7 7 %d 0 %d %d 0 %d\n", 1000000 + i,
					i % 256, int(i / 256) % 256, i + 1
		}'
	} | "$MKREC" all.data
	one=$(user_time one.data)
	all=$(user_time all.data)
	json out "len(d['classes']) == $samples"
	echo "$all ms, where one class takes $one ms"
	((all < 10 * one + 300))
}

nothing_to_report() {
	{ head_of cycles; events 3 0x20 1 0 0 1; } | "$MKREC" r.data
	status 2 "$PCSAMPLE" profexc report -i r.data > out 2> err
	says err 'nothing of arm_profexc in it'
	status 1 "$PCSAMPLE" profexc report -i nowhere.data 2> err
	says err nowhere.data
}

# The expected rows are those that the module printed for these CPUs in the emulated machine, when
# the module still interpreted the tables itself: kernels at EL1 and EL2, with exceptions granted,
# denied, and not yet tried, on all CPUs and on one.
routing() {
	local registers name

	for registers in "$GOLDEN"/*.registers; do
		name=${registers##*/}
		"$PCSAMPLE" profexc list --registers "$registers" > out
		sed 's/^/  /' "${registers%.registers}.routing" > expected
		diff expected out || die "$name"
	done
	"$PCSAMPLE" profexc list --json --registers "$GOLDEN/vhe.registers" > out
	json out 'd["routing"][1] ==
		"cpu0 pmu D13-1 PM=0 row 19: EL3 Msk; EL2 EL2; EL1 n/a; EL0 EL2"'
}

other_registers() {
	echo 'ADDR 0x1' > none
	status 2 "$PCSAMPLE" profexc list --registers none 2> err
	says err 'none: no registers in it; copy /sys/kernel/debug/arm_profexc/registers'
	status 1 "$PCSAMPLE" profexc list --registers nowhere 2> err
	says err 'nowhere: No such file'
	# Registers of a newer module, and truncated lines
	printf 'cpu7 NEW_EL1 0x5\ncpu7\ncpu7 ID_AA64DFR0_EL1 0x100\ncpu7 pmu' > some
	"$PCSAMPLE" profexc list --registers some > out
	says out '  cpu7 pmu has no exception: interrupt'
	says out '  cpu7 trbe is not there'
}

usage() {
	status 129 "$PCSAMPLE" profexc 2> err
	says err 'expected list, report or record'
	status 129 "$PCSAMPLE" profexc lists 2> err
	status 129 "$PCSAMPLE" profexc report x 2> err
	status 129 "$PCSAMPLE" profexc report --limit x 2> err
}

without_the_module() {
	[[ ! -e /sys/bus/event_source/devices/arm_profexc ]] || skip "it is loaded"
	status 1 "$PCSAMPLE" profexc list 2> err
	says err 'modprobe arm_profexc'
	status 1 "$PCSAMPLE" profexc record -o r.data -- true 2> err
	says err 'modprobe arm_profexc'
	# The message is about the missing event, not about the options
	status 1 "$PCSAMPLE" profexc record -e arm_profexc/pmu/ -o r.data -- true 2> err
	says err 'modprobe arm_profexc'
	status 1 "$PCSAMPLE" profexc record -F 100 -o r.data -- true 2> err
	says err 'modprobe arm_profexc'
}

tap classes_modes_and_levels places what_is_missing_is_counted other_records any_number_of_classes \
	nothing_to_report routing other_registers usage without_the_module
