#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: pseudo-NMIs of others come while each CPU takes Profiling exceptions at 10 kHz. They
# keep PSTATE.PM set, wherever they come from, so no sample is from inside one.
#
# Usage: nmi.sh ROUNDS, prints KTAP.

. "$(dirname "$0")/lib.sh"
rounds=$1

# What CPU 1 is interrupted in: code with interrupts enabled, of either kind. Interrupts that are
# none of these NMIs are sampled as ever.
taskset 2 sh -c 'while :; do :; done' &
loop=$!
taskset 2 sh -c 'while :; do kill -0 $$; done' &
calls=$!

dmesg | grep -q 'Pseudo-NMIs enabled'
result $? "there are pseudo-NMIs"
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
printk=$(cat /proc/sys/kernel/printk)
echo 0 >/proc/sys/kernel/printk		# a backtrace that was asked for is no complaint
perf record -q -g -C 1 -c 100000 -e cycles -o /tmp/nmi.data -- sh -c "
	for round in \$(seq $rounds); do
		taskset 1 sh -c 'echo l >/proc/sysrq-trigger'
		sleep 0.1
		dmesg -c
	done" >/tmp/nmi.dmesg 2>/tmp/nmi.log
result $? "the CPUs are sampled while they are asked for backtraces"
sed 's/^/# /' /tmp/nmi.log
kill $loop $calls
dmesg -c >>/tmp/nmi.dmesg
echo "$printk" >/proc/sys/kernel/printk

backtraces=$(grep -c 'NMI backtrace for cpu 1' /tmp/nmi.dmesg)
[ "$backtraces" = "$rounds" ]
result $? "CPU 1 has answered by an NMI $backtraces times"
grep -Eq 'BUG|WARNING|Unable to handle|unexpected' /tmp/nmi.dmesg
[ $? = 1 ]
result $? "the kernel complains of nothing"

# Counts samples, those in handlers of interrupts, and those in handlers of NMIs
# The CPU that asks looks at itself in no NMI, so it is the other that counts
perf script -i /tmp/nmi.data -F cpu,ip,sym 2>/dev/null >/tmp/nmi.samples
# shellcheck disable=SC2046 # the words that it prints
set -- $(awk '
	function sample() {
		all += lines > 0
		interrupts += irq
		nmis += nmi
		lines = irq = nmi = 0
	}
	!NF { sample(); next }
	{ lines++ }
	/gic_handle_irq/ { irq = 1 }
	/__gic_handle_nmi|generic_handle_domain_nmi/ { nmi = 1 }
	END { sample(); print all + 0, interrupts + 0, nmis + 0 }' /tmp/nmi.samples)
[ "$1" -gt 1000 ] && [ "$2" -gt 10 ]
result $? "there are $1 samples, $2 of them in interrupts"
[ "$3" = 0 ]
result $? "$3 samples are from inside an NMI"
all_expected
figures "$1 samples, $2 in interrupts, $3 in NMIs, $backtraces NMIs"
end
