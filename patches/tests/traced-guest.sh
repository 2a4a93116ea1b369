#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest, which is the host of one of its own: the host's program that runs that one is traced
# into a buffer that fills up, while the guest comes and goes and the CPUs are sampled. What is
# traced is the host's, and the guest computes what it should.
#
# Usage: traced-guest.sh SECONDS, prints KTAP.

. "$(dirname "$0")/lib.sh"
seconds=$1
programs=/tests/programs

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
[ -e /dev/kvm ]
result $? "there is KVM"
[ "$(cat /sys/bus/coresight/devices/trbe0/profexc)" = 1 ]
result $? "the TRBE reports events by exceptions"
perf record -q -a -c 100000 -e cycles -o /tmp/samples.data -- sleep $((seconds + 2)) \
	>/dev/null 2>&1 &
sampling=$!
before=$(trbe_irqs)
perf record -q --per-thread -m ,128K -e cs_etm// -o /tmp/trace.data -- \
	$programs/guest "$seconds" $programs/guest-code >/tmp/guest.log 2>/tmp/trace.log
result $? "a guest is not disturbed by trace"
sed 's/^/# /' /tmp/trace.log /tmp/guest.log
irqs=$(($(trbe_irqs) - before))
wait $sampling
# shellcheck disable=SC2046 # the words that it prints
set -- $(python3 /tests/aux.py /tmp/trace.data)
[ "${1:-0}" -gt 100000 ] && [ "${3:-0}" -gt 0 ]
result $? "there are ${1:-?} bytes of trace in ${2:-?} parts, the buffer was full ${3:-?} times"
rounds=$(awk '/ rounds,/ { print $2 }' /tmp/guest.log)
samples=$(perf script -i /tmp/samples.data -F ip 2>/dev/null | grep -c .)
[ "${rounds:-0}" -gt 0 ] && [ "$samples" -gt 100 ]
result $? "there are $samples samples besides, and the guest ran ${rounds:-0} rounds"
[ "$irqs" = 0 ]
result $? "there were $irqs interrupts of the TRBE"
all_expected
figures "${1:-?} bytes of trace, full ${3:-?} times, $samples samples, ${rounds:-0} rounds"
end
