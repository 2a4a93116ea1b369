#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: while exceptions are in use, and observed by arm_profexc, starts a kernel that does
# not use them (the same one with arm64.noebep). Nothing at EL1 turns off what the first kernel has
# left enabled: a kernel without the series would be killed by its first overflow, and this one says
# that an exception was unexpected. What is printed comes from there: it runs boot.sh.
#
# Usage: kexec.sh, prints nothing unless it fails.

fail()
{
	echo "not ok 1 - $1"
	exit 1
}

dmesg | grep -q 'hw perfevents: enabled .*using Profiling exceptions' ||
	fail "the first kernel uses exceptions"
modprobe arm_profexc || fail "the first kernel has arm_profexc"
perf stat -a -e arm_profexc/any/ -o /tmp/kexec.stat -- sleep 60 &
perf record -q -a -c 1000000 -e cycles -o /tmp/kexec.data -- sleep 60 >/dev/null 2>&1 &
until [ "$(cat /sys/module/arm_profexc/refcnt)" != 0 ]; do
	sleep 0.1
done
sleep 1
exec /tests/programs/kexec /tests/kexec/Image /tests/kexec/initrd \
	"$(cat /proc/cmdline) earlycon=pl011,0x9000000 arm64.noebep"
