#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: the hard lockup detector works by Profiling exceptions, without pseudo-NMIs. A CPU
# spins with interrupts masked for longer than it allows, and it says so while that goes on.
#
# Usage: lockup.sh, prints KTAP.

. "$(dirname "$0")/lib.sh"

uses_exceptions
[ "$(cat /proc/sys/kernel/nmi_watchdog)" = 1 ]
result $? "the hard lockup detector is on"

# Of a second, for a CPU of 5 GHz: 5 s for the emulated one, and the second period is the one that
# tells. What was asked for is no complaint, so it is neither left on the console nor in the log.
echo 1 >/proc/sys/kernel/watchdog_thresh
printk=$(cat /proc/sys/kernel/printk)
echo 0 >/proc/sys/kernel/printk
dmesg -c >/dev/null
# On the CPU that does not spin is who ends that
taskset -p 1 $$ >/dev/null
modprobe pcs_spin cpu=1 percent=1
spin=/sys/module/pcs_spin/parameters
echo 1 >$spin/wedge
until grep -q Y $spin/wedged; do sleep 0.1; done
sleep 14
echo 0 >$spin/wedge
until grep -q N $spin/wedged; do sleep 0.1; done
modprobe -r pcs_spin
dmesg -c >/tmp/lockup.dmesg
echo "$printk" >/proc/sys/kernel/printk

grep -qi 'hard LOCKUP on cpu 1' /tmp/lockup.dmesg
result $? "the detector finds the CPU that spins with interrupts masked"
grep -q 'pcs_spin_masked' /tmp/lockup.dmesg
result $? "and says where it spins"
! grep -qi 'hard LOCKUP on cpu 0' /tmp/lockup.dmesg
result $? "it does not find the other"
grep -iE 'hard LOCKUP|pcs_spin_masked' /tmp/lockup.dmesg | sed 's/^/# /'
end
