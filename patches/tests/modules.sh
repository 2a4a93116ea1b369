#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: the driver of the trace buffer is a module that uses Profiling exceptions. It is
# loaded, traces a program into a buffer that fills up, and is removed, again and again; it is not
# removed while it traces.
#
# Usage: modules.sh ROUNDS, prints KTAP.

. "$(dirname "$0")/lib.sh"
rounds=$1
module=/tests/coresight-trbe.ko
program=/tests/programs/trace

is_loaded()
{
	grep -q '^coresight_trbe ' /proc/modules
}

# Sets bytes to the trace that there is of a run of the program, on one CPU: perf cannot read the
# recording of a thread that used the trace buffers of two.
trace_once()
{
	bytes=0
	taskset 2 perf record --per-thread -m ,16K -e cs_etm//u -o /tmp/modules.data -- \
		$program "$1" >/tmp/modules.log 2>&1 || return
	bytes=$(perf script -i /tmp/modules.data -D 2>>/tmp/modules.log |
		sed -n 's/.*PERF_RECORD_AUXTRACE size: \(0x[0-9a-f]*\).*/\1/p' |
		while read -r size; do echo $((size)); done | awk '{ n += $1 } END { print n + 0 }')
	[ "$bytes" -gt 1000 ]
}

! is_loaded
result $? "the driver of the trace buffer is not there before it is loaded"
loaded=0 uses=0 traced=0 removed=0 all=0
for _ in $(seq "$rounds"); do
	! insmod $module || loaded=$((loaded + 1))
	[ "$(cat /sys/bus/coresight/devices/trbe*/profexc 2>/dev/null | sort -u)" != 1 ] ||
		uses=$((uses + 1))
	! trace_once 300 || traced=$((traced + 1))
	all=$((all + bytes))
	! rmmod coresight_trbe || is_loaded || removed=$((removed + 1))
done
[ "$loaded" = "$rounds" ]
result $? "of $rounds rounds it was loaded in $loaded"
[ "$uses" = "$rounds" ]
result $? "the trace buffers of all CPUs used exceptions in $uses"
[ "$traced" = "$rounds" ]
result $? "a program was traced in $traced"
sed 's/^/# /' /tmp/modules.log
[ "$removed" = "$rounds" ]
result $? "it was removed in $removed"

insmod $module
perf record -q --per-thread -m ,128K -e cs_etm//u -o /tmp/modules.data -- sh -c "
	! rmmod coresight_trbe 2>/dev/null && grep -q '^coresight_trbe ' /proc/modules &&
		echo stays >/tmp/modules.stays" >/tmp/modules.log 2>&1
[ "$(cat /tmp/modules.stays)" = stays ]
result $? "it is not removed while it traces"
rmmod coresight_trbe
result $? "it is removed after that"
all_expected
figures "$removed of $rounds rounds, $all bytes of trace"
end
