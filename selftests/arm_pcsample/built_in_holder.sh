#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# External debug blocks that a driver has which is built into the kernel, by name
# coresight-cpu-debug: the log and pcsample doctor say how to boot without it, and not to unload it.
#
# Needs debug blocks of Arm's cores in the device tree, and pcs_holder, which acts as that driver.
# Unloads and loads arm_pcsample.

cd "$(dirname "$0")" || exit 1
. ../ktap.sh

holder=/sys/bus/amba/drivers/coresight-cpu-debug

[ -d /sys/bus/amba/drivers/arm_pcsample ] || skip_all "no driver arm_pcsample"
find "/lib/modules/$(uname -r)/" -name 'pcs_holder.ko*' | grep -q . ||
	skip_all "no module pcs_holder"
[ -e "$holder" ] && skip_all "coresight-cpu-debug is loaded"
number=$(find /sys/bus/amba/drivers/arm_pcsample/ -name '*.debug' | wc -l)
[ "$number" -gt 0 ] || skip_all "no external debug block"

dir=$(mktemp -d)
trap 'modprobe -r arm_pcsample; modprobe -r pcs_holder; modprobe arm_pcsample; rm -rf "$dir"' EXIT

takes_the_blocks()
{
	modprobe -r arm_pcsample && modprobe pcs_holder &&
		[ "$(find "$holder/" -name '*.debug' | wc -l)" = "$number" ]
}

# initcalls: which ones the text on standard input says to leave out
initcalls()
{
	sed -n 's/.*\(initcall_blacklist=[a-z_,]*\).*/\1/p'
}

log_tells()
{
	dmesg | wc -l >"$dir/mark"
	modprobe arm_pcsample || return 1
	dmesg | awk -v from="$(cat "$dir/mark")" 'NR > from' >"$dir/log"
	cat "$dir/log"
	grep "coresight-cpu-debug holds $number debug blocks: .*if it is built into the kernel" \
		"$dir/log" >"$dir/line" && [ "$(wc -l <"$dir/line")" = 1 ] &&
		initcalls <"$dir/line" | grep .
}

# Neither names what the other does not.
doctor_agrees()
{
	! pcsample doctor >"$dir/doctor" || return 1
	cat "$dir/doctor"
	[ "$(initcalls <"$dir/doctor")" = "$(initcalls <"$dir/line")" ]
}

check "a driver without a module takes the blocks" takes_the_blocks
check "the log says how to boot without it" log_tells
if command -v pcsample >/dev/null; then
	check "the doctor says the same" doctor_agrees
else
	skip "the doctor says the same" "no pcsample"
fi
finish
