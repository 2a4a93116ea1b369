#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: what is lost of a trace when its buffer fills up, of a program that spends 30 % of
# its time in the kernel with interrupts masked. An interrupt waits for the end of that, and an
# exception does not.
#
# Usage: loss.sh exceptions|interrupts, prints KTAP.

. "$(dirname "$0")/lib.sh"
method=$1
rounds=38 user=1400 masked=6000

# record SIZE MASKED: sets bytes to the trace that there is of the program, with a buffer of that
# size; wraps to how often a half of it was full, and truncated to how often perf was late.
record()
{
	perf record -q --per-thread -m ,"$1" -e cs_etm// -o /tmp/loss.data -- \
		/tests/programs/loops $rounds $user "$2" >/tmp/loss.said 2>&1 ||
		sed "s/^/# perf record, which ended with $?: /" /tmp/loss.said
	# shellcheck disable=SC2046 # the words that it prints
	set -- $(python3 /tests/aux.py /tmp/loss.data)
	bytes=$1 wraps=$3 truncated=$4
	echo "# $bytes bytes, $wraps wraps, $truncated truncated"
}

uses=0
[ "$method" != exceptions ] || uses=1
[ "$(cat /sys/bus/coresight/devices/trbe0/profexc)" = $uses ]
result $? "the TRBE reports events by $method"
modprobe pcs_loop

# All that there is, and how much of it a branch of the masked loop is
late=0
record 8M $((2 * masked))
late=$((late + truncated)) twice=$bytes
record 8M $masked
late=$((late + truncated)) all=$bytes
before=$(trbe_irqs)
record 512K $masked
late=$((late + truncated))
irqs=$(($(trbe_irqs) - before))
[ $late = 0 ]
result $? "no trace was truncated"
[ "$wraps" -ge 8 ]
result $? "the buffer wrapped $wraps times"
if [ $uses = 1 ]; then
	[ "$irqs" = 0 ]
else
	[ "$irqs" -ge "$wraps" ]
fi
result $? "there were $irqs interrupts of the TRBE"
# A smaller buffer wakes perf more often, which is in the trace: none lost shows as some too many.
lost=$(((all - bytes) * 2 * rounds * masked / (twice - all)))
per_wrap=$((lost / wraps))
# The interrupt waits for the end of the loop, and trace begins there again. Until it wraps the next
# time there are some 13500 branches, two loops and a quarter: it waits for three quarters of one.
if [ $uses = 1 ]; then
	[ $per_wrap -lt 200 ]
else
	[ $per_wrap -gt 1000 ]
fi
result $? "$lost branches are lost, $per_wrap per wrap"
modprobe -r pcs_loop
figures "$per_wrap branches lost per wrap, $wraps wraps"
end
