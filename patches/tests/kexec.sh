#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: while exceptions are in use, starts a kernel that does not know them (the same one
# with arm64.noebep). Nothing at EL1 turns off what the first kernel has left enabled, so that one
# would be killed by its first overflow. What is printed comes from there: it runs boot.sh.
#
# Usage: kexec.sh, prints nothing unless it fails.

dmesg | grep -q 'hw perfevents: enabled .*using Profiling exceptions' || {
	echo "not ok 1 - the first kernel uses exceptions"
	exit 1
}
perf record -q -a -c 1000000 -e cycles -o /tmp/kexec.data -- sleep 60 >/dev/null 2>&1 &
sleep 1
exec /tests/programs/kexec /tests/kexec/Image /tests/kexec/initrd \
	"$(cat /proc/cmdline) earlycon=pl011,0x9000000 arm64.noebep"
