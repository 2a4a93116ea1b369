#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# External debug blocks that coresight-cpu-debug has: the log says so, pcsample doctor prints the
# commands that release them, and the rule that is installed keeps it from coming first.
#
# Needs debug blocks in the device tree or of ACPI, the module coresight_cpu_debug, and modprobe of
# kmod, which udev's is: others take blacklists in other ways. Unloads and loads arm_pcsample.

cd "$(dirname "$0")" || exit 1
. ../ktap.sh

pmu=/sys/bus/event_source/devices/arm_pcsample

# ACPI's are devices of the platform bus from Linux 6.12 on.
find_blocks()
{
	find /sys/bus/amba/devices/ /sys/bus/platform/devices/ -name 'ARMHC503:*' 2>/dev/null
	find /sys/bus/amba/devices/ -name '*.debug' 2>/dev/null
}

number=$(find_blocks | wc -l)
[ "$number" -gt 0 ] || skip_all "no external debug block"
modprobe --version 2>/dev/null | grep -q kmod || skip_all "no modprobe of kmod"
modprobe -n coresight_cpu_debug 2>/dev/null || skip_all "no module coresight_cpu_debug"
command -v pcsample >/dev/null || skip_all "no pcsample"

unload()
{
	modprobe -r arm_pcsample && modprobe -r coresight_cpu_debug
}

dir=$(mktemp -d)
trap 'unload; modprobe arm_pcsample; rm -rf "$dir"' EXIT
find_blocks >"$dir/blocks"
sed 's/^/# /' "$dir/blocks"

# are_held_by DRIVER...: each block is, by one of them
are_held_by()
{
	while read -r block; do
		driver=$(readlink "$block/driver")
		echo "$block: $driver"
		case " $* " in
		*" ${driver##*/} "*) ;;
		*) return 1 ;;
		esac
	done <"$dir/blocks"
}

# log_says TEXT: one line since mark_log has it
mark_log()
{
	dmesg | wc -l >"$dir/mark"
}

log_says()
{
	dmesg | awk -v from="$(cat "$dir/mark")" 'NR > from' >"$dir/log"
	cat "$dir/log"
	[ "$(grep -cF "$1" "$dir/log")" = 1 ]
}

perf_finds_no_pmu()
{
	! perf record -q -e arm_pcsample// -a -o "$dir/data" -- true >"$dir/said" 2>&1 || return 1
	cat "$dir/said"
	grep -q "Unable to find PMU.*'arm_pcsample'" "$dir/said"
}

# Where the PMU is missing, though its driver is loaded, this is the command to turn to.
record_names_the_doctor()
{
	! pcsample record -o "$dir/data" -a -- true >"$dir/said" 2>&1 || return 1
	cat "$dir/said"
	grep -q "'pcsample doctor' says what is missing" "$dir/said"
}

doctor_tells()
{
	! pcsample doctor >"$dir/doctor" || return 1
	cat "$dir/doctor"
	grep -q "^bad *holder *coresight-cpu-debug holds $number debug blocks$" "$dir/doctor" ||
		return 1
	grep -E 'held by coresight-(cpu-debug|debug-platform)$' "$dir/doctor" >"$dir/held-by"
	[ "$(wc -l <"$dir/held-by")" = "$number" ]
}

# remedy: print what doctor says to do
remedy()
{
	awk '/^bad *holder/ { getline; sub(/^ *do: */, ""); print }' "$dir/doctor"
}

follow_the_doctor()
{
	remedy
	commands=$(remedy | sed -n 's/; to keep it so, .*//p')
	[ -n "$commands" ] && sh -e -c "$commands" && are_held_by arm_pcsample
}

samples()
{
	perf record -q -e arm_pcsample// -a -o "$dir/data" -- sleep 1 &&
		[ "$(perf script -i "$dir/data" -F ip 2>/dev/null | wc -l)" -gt 20 ] &&
		awk '$1 == "sample" { exit !($2 > 20) }' "$pmu/ledger/total" &&
		pcsample doctor >"$dir/doctor" && ! grep holder "$dir/doctor"
}

# The second one to come gets nothing.
comes_too_late()
{
	modprobe coresight_cpu_debug && are_held_by arm_pcsample && samples
}

# as_udev MODPROBE-OPTION...: load what udev would at boot
as_udev()
{
	unload || return 1
	while read -r block; do
		modprobe "$@" -b "$(sed -n 's/^MODALIAS=//p' "$block/uevent")" || return 1
	done <"$dir/blocks"
}

is_loaded()
{
	[ -d "/sys/module/$1" ]
}

# Without a rule there are two drivers, and it depends on their order which one gets the blocks.
two_drivers_for_them()
{
	as_udev -C /dev/null && is_loaded arm_pcsample && is_loaded coresight_cpu_debug
}

# keeps_it_out RULES: with this file, or folder, of modprobe's, arm_pcsample alone is loaded
keeps_it_out()
{
	as_udev -C "$1" && is_loaded arm_pcsample && ! is_loaded coresight_cpu_debug &&
		are_held_by arm_pcsample && samples
}

# As doctor wants it: write "TEXT" to FILE
rule_of_the_doctor()
{
	remedy | sed -n 's/.* write "\(.*\)" to .*\.conf$/\1/p' >"$dir/rule"
	grep . "$dir/rule" && keeps_it_out "$dir/rule"
}

unload
modprobe coresight_cpu_debug
check "coresight-cpu-debug takes the blocks" are_held_by coresight-cpu-debug \
	coresight-debug-platform
mark_log
modprobe arm_pcsample
check "the log says who has them" log_says \
	"arm_pcsample: coresight_cpu_debug holds $number debug blocks: unload it, then"
check "perf has no such PMU" perf_finds_no_pmu
check "pcsample record names the doctor" record_names_the_doctor
check "the doctor says who has them" doctor_tells
cp "$dir/doctor" "$dir/held"
check "the doctor's commands release them" follow_the_doctor
check "then they are sampled" samples
check "coresight-cpu-debug gets none of them after that" comes_too_late
check "without a rule both drivers are loaded" two_drivers_for_them
cp "$dir/held" "$dir/doctor"
check "the doctor's rule keeps coresight-cpu-debug out" rule_of_the_doctor
if [ -e /etc/modprobe.d/arm_pcsample.conf ]; then
	check "so does the rule that is installed" keeps_it_out /etc/modprobe.d/arm_pcsample.conf
else
	skip "so does the rule that is installed" "it is not installed"
fi
finish
