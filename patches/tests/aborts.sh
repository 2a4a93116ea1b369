#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: a protected hypervisor injects aborts into its host, which reads memory of the
# hypervisor, while the kernel is sampled. Like an exception that the CPU takes an injected one has
# to set PSTATE.PM: else a Profiling exception can come before the entry code has saved ELR_EL1 and
# SPSR_EL1, and the kernel does not survive that.
#
# Usage: aborts.sh SECONDS, prints KTAP.

. "$(dirname "$0")/lib.sh"
seconds=$1
tracing=/sys/kernel/tracing

uses_exceptions
address=$(dmesg | sed -nE 's/.*kvm .*Reserved [0-9]+ MiB at (0x[0-9a-f]+).*/\1/p')
[ "$address" ]
result $? "the hypervisor has memory of its own, at $address"

echo "p:aborts fixup_exception" >$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/aborts/enable
reads=$(python3 /tests/aborts.py "$address" 0.2)
hits=$(awk '$1 == "aborts" { print $2 + 0 }' $tracing/kprobe_profile)
echo 0 >$tracing/events/kprobes/enable
echo >$tracing/kprobe_events
[ "${reads:-0}" -gt 0 ] && [ "$hits" -ge "$reads" ]
result $? "the host cannot read it: $hits aborts of $reads reads"

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
perf record -q -C 1 -c 50021 -e cycles:k -o /tmp/aborts.data -- \
	taskset 2 python3 /tests/aborts.py "$address" "$seconds" >/tmp/aborts.log 2>&1
result $? "nor while the kernel is sampled"
reads=$(tail -n 1 /tmp/aborts.log)
samples=$(perf script -i /tmp/aborts.data -F ip 2>/dev/null | wc -l)
[ "$samples" -gt 1000 ]
result $? "there were $samples samples in $reads reads"
all_expected
figures "$samples samples in $reads aborts"
end
