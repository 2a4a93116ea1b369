#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: a program is traced into buffers that wrap, and what perf decodes is compared with
# what the program does.
#
# Usage: trace.sh exceptions|interrupts ITERATIONS, prints KTAP.

. "$(dirname "$0")/lib.sh"
method=$1
iterations=${2:-8000}
program=/tests/programs/trace

uses=0
[ "$method" != exceptions ] || uses=1
[ "$(cat /sys/bus/coresight/devices/trbe0/profexc)" = $uses ]
result $? "the TRBE reports events by $method"

# Each CPU has a trace buffer of its own, and perf cannot decode a recording of a thread that was on
# two: so keep perf and the program on one. Where perf does not read the buffer in time the trace is
# truncated, [T]: that is none to compare.
for try in 1 2 3 4 5; do
	before=$(trbe_irqs)
	# -q would keep the reason for a failure back.
	taskset 2 perf record --per-thread -m ,128K -e cs_etm//u -o /tmp/trace.data -- \
		$program "$iterations" >/tmp/trace.said 2>&1
	ended=$?
	irqs=$(($(trbe_irqs) - before))
	if ! perf script -i /tmp/trace.data -D 2>>/tmp/trace.said | grep 'PERF_RECORD_AUX ' \
		>/tmp/trace.aux; then
		echo "# perf record ended with $ended, and there is no trace:"
		sed 's/^/# /' /tmp/trace.said
	fi
	grep -q '\[[^]]*T' /tmp/trace.aux || break
	echo "# try $try was truncated"
done
wraps=$(grep -c 'flags: 0x108' /tmp/trace.aux)
# One for each time that the task was scheduled out, or the buffer had to be moved on
parts=$(wc -l </tmp/trace.aux)
perf script -i /tmp/trace.data --itrace=b -F ip,addr 2>/dev/null >/tmp/trace.branches
# shellcheck disable=SC2046 # the words that it prints
set -- $(python3 /tests/trace.py $program "$iterations" /tmp/trace.branches)
lost=$(($2 - $1))

[ "$wraps" -ge 3 ]
result $? "the buffer wrapped $wraps times"
if [ $uses = 1 ]; then
	[ "$irqs" = 0 ]
else
	[ "$irqs" -ge "$wraps" ]
fi
result $? "there were $irqs interrupts of the TRBE"
[ "$4" = 0 ] && [ "$1" -gt 1000 ]
result $? "of $1 branches $4 are none of the program's"
# None may come twice, which would make up for those that are lost. Each part can lack what was in a
# packet of atoms that was not complete, three branches, and the one on its way.
[ $lost -ge "$3" ] && [ $lost -le $((parts * 4)) ]
result $? "of $2 branches $lost are missing, at $3 gaps"
figures "$wraps wraps, $lost of $2 branches missing, $4 illegal, $irqs interrupts"
end
