#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: what is lost of a trace when its buffer fills up, of a program that spends 30 % of
# its time in the kernel with interrupts masked. An interrupt waits for the end of that, and an
# exception does not.
#
# Usage: loss.sh exceptions|interrupts, prints KTAP.

method=$1
rounds=60 user=875 masked=3750
number=0 status=0

result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		status=1
	fi
}

trbe_irqs()
{
	awk '/arm_trbe/ { n = 0; for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i; print n }' \
		/proc/interrupts
}

# record SIZE MASKED: sets bytes to the trace that there is of the program, with a buffer of that
# size; wraps to how often a half of it was full, and truncated to how often perf was late.
record()
{
	perf record -q --per-thread -m ,"$1" -e cs_etm// -o /tmp/loss.data -- \
		/tests/programs/loops $rounds $user "$2" >/tmp/loss.said 2>&1 ||
		sed "s/^/# perf record, which ended with $?: /" /tmp/loss.said
	# shellcheck disable=SC2046 # the words that it prints
	set -- $(python3 - /tmp/loss.data <<'END'
import struct
import sys

AUX, AUXTRACE = 11, 71
TRUNCATED, COLLISION = 1, 8

data = open(sys.argv[1], "rb").read()
at, size = struct.unpack_from("<QQ", data, 40)
end = at + size
total = wraps = truncated = 0
while at < end:
	kind, _, size = struct.unpack_from("<IHH", data, at)
	if kind == AUX:
		_, part, flags = struct.unpack_from("<QQQ", data, at + 8)
		total += part
		wraps += flags & COLLISION != 0
		truncated += flags & TRUNCATED != 0
	elif kind == AUXTRACE:
		size += struct.unpack_from("<Q", data, at + 8)[0]
	at += size
print(total, wraps, truncated)
END
)
	bytes=$1 wraps=$2 truncated=$3
	echo "# $bytes bytes, $wraps wraps, $truncated truncated"
}

echo "KTAP version 1"
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
# The interrupt waits for half of the loop on average, if it is in that: 3750 branches.
if [ $uses = 1 ]; then
	[ $per_wrap -lt 200 ]
else
	[ $per_wrap -gt 1000 ]
fi
result $? "$lost branches are lost, $per_wrap per wrap"
modprobe -r pcs_loop
echo "# figures: $per_wrap branches lost per wrap, $wraps wraps"
echo "1..$number"
exit $status
