#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: PMECR_EL1.SSE was set when the kernel started, which allows snapshots of counters
# (FEAT_PMUv3_SS). A kernel that takes Profiling exceptions leaves the field as it was, on each CPU,
# and on one that comes back. arm_profexc shows the register.
#
# Usage: snapshots.sh, prints KTAP.

. "$(dirname "$0")/lib.sh"

# keeps_sse CPU WHEN
keeps_sse()
{
	pmecr=$(sed -n "s/^cpu$1 PMECR_EL1 //p" /sys/kernel/debug/arm_profexc/registers)
	[ $((${pmecr:-0} & 0x18)) = $((0x18)) ]
	result $? "CPU $1 $2: PMECR_EL1 is $pmecr"
}

uses_exceptions
modprobe arm_profexc
result $? "arm_profexc is loaded"
keeps_sse 0 'at first'
keeps_sse 1 'at first'
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 1 >/sys/devices/system/cpu/cpu1/online
keeps_sse 1 'after it was offline'
all_expected
figures "PMECR_EL1 is $pmecr"
end
