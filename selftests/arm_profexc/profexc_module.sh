#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module arm_profexc: compares sysfs with its documentation, and tests tracepoints, what it says
# about each CPU, and unloading while it is in use.

cd "$(dirname "$0")" || exit 1
. ../ktap.sh
. ./profexc_common.sh

tracing=/sys/kernel/tracing
abi=sysfs-bus-event_source-devices-arm_profexc
[ -d ../../Documentation ] && abi=../../Documentation/ABI/testing/$abi

fail_if_any()
{
	! grep .
}

every_file_is_documented()
{
	(cd "$pmu/" && find caps events format -type f) | while read -r file; do
		case $file in
		caps/*) grep -qx "What:.*$pmu/$file" "$abi" ;;
		*) grep -qE "^			${file#*/}	" "$abi" ;;
		esac || echo "$file is not in $abi"
	done | fail_if_any
}

everything_documented_is_there()
{
	{
		sed -n "s,^What:[[:space:]]*$pmu/\(caps/.*\),\1,p" "$abi"
		sed -nE 's,^			([a-z_0-9]+)	.*,\1,p' "$abi"
	} | while read -r name; do
		[ -e "$pmu/$name" ] || [ -e "$pmu/events/$name" ] || [ -e "$pmu/format/$name" ] ||
			echo "$name is in $abi, and is not there"
	done | fail_if_any
}

# is_in_caps FILE CPU: print 1 or 0
is_in_caps()
{
	tr ',' '\n' <"$pmu/caps/$1" | awk -F- -v cpu="$2" '
		NF && cpu >= $1 && cpu <= $NF { found = 1 }
		END { print found + 0 }'
}

# uses_exceptions CPU: are its PMU overflows exceptions?
uses_exceptions()
{
	[ "$(is_in_caps pmu_exceptions "$1")" = 1 ]
}

# If CPUs have the exception and do not use it, the log also says that it may have been denied
the_log_says_what_there_is()
{
	if [ "$(cat "$pmu/caps/kernel")" = 1 ]; then
		raise=exceptions
		[ -n "$(cat "$pmu/caps/pmu_exceptions")" ] ||
			raise="interrupts on CPUs .* which have FEAT_EBEP: denied by firmware"
		dmesg | grep -Eq "arm_profexc: PMU overflows raise (Profiling )?$raise"
	else
		dmesg | grep -q 'arm_profexc: Profiling exceptions are not available on this system'
	fi
}

tracepoints()
{
	echo 0 >"$tracing/tracing_on"
	echo >"$tracing/trace"
	echo 1 >"$tracing/events/arm_profexc/enable"
	echo 1 >"$tracing/tracing_on"
	echo pmu 0 >"$debug/inject"
	echo 0 >"$tracing/events/arm_profexc/enable"
	name=profexc_irq
	! uses_exceptions 0 || name=profexc_taken
	cat "$tracing/trace"
	[ "$(grep -c ": $name: source=pmu class=pmu_async seq=[0-9]* el=[12] pc=0x" \
		"$tracing/trace")" = 1 ] &&
		! grep -q "profexc_trbe" "$tracing/trace"
}

# features has one line for each CPU, and agrees with caps/
features_are_those_of_caps()
{
	awk '/^cpu/ { print substr($1, 4), $3, $5, $9 }' "$debug/features" >/tmp/profexc.features
	[ "$(wc -l </tmp/profexc.features)" = "$(grep -c '^processor' /proc/cpuinfo)" ] || return 1
	while read -r cpu ebep sebep trbe_exc; do
		[ "$ebep" = "$(is_in_caps ebep "$cpu")" ] &&
			[ "$sebep" = "$(is_in_caps sebep "$cpu")" ] &&
			[ "$trbe_exc" = "$(is_in_caps trbe_exc "$cpu")" ] ||
			echo "CPU $cpu: not what caps/ says"
	done </tmp/profexc.features | fail_if_any
}

# trbe_event CPU: make a stage 1 translation fault of its trace buffer, as an exception
trbe_event()
{
	if [ -n "$(cat "$pmu/caps/trbe_exceptions")" ]; then
		modprobe -q pcs_trace && echo "$1 fault" >/sys/module/pcs_trace/parameters/make
	else
		echo "trbe $1 90020007" >"$debug/inject"
	fi
}

trace_buffer_events_are_traced()
{
	el=$(sed -n 's/^kernel takes .* at EL\([12]\)/\1/p' "$debug/features")
	echo >"$tracing/trace"
	echo 1 >"$tracing/events/arm_profexc/enable"
	echo 1 >"$tracing/tracing_on"
	trbe_event 0
	echo 0 >"$tracing/events/arm_profexc/enable"
	cat "$tracing/trace" "$debug/registers"
	syndrome="ec=0x24 mss=0x0007 s=1 wrap=0 trg=0 irq=1 trbptr=0x"
	grep -q ": profexc_taken: source=trbe class=trbe_s1_fault seq=[0-9]* el=$el " \
		"$tracing/trace" &&
		grep ": profexc_trbe: class=trbe_s1_fault mode=exception " "$tracing/trace" |
		grep -q " trbsr_el$el=0x[0-9a-f]* $syndrome"
}

# Each CPU has the registers that any kernel can read, and the way in which its PMU reported last
registers()
{
	sed -n 's/^cpu\([0-9]*\) .*/\1/p' "$debug/features" | while read -r cpu; do
		echo "pmu $cpu" >"$debug/inject" || echo "CPU $cpu: nothing was reported"
		mode=irq
		! uses_exceptions "$cpu" || mode=exception
		for line in 'kernel EL[12]' 'ID_AA64DFR0_EL1 0x[0-9a-f]*' "pmu $mode"; do
			grep -qx "cpu$cpu $line" "$debug/registers" || echo "no cpu$cpu $line"
		done
	done | fail_if_any
}

# routing_of CPU EL: check its line. What was just delivered tells what firmware has set.
routing_of()
{
	says=IRQ
	! uses_exceptions "$1" || says=EL$2
	if grep -q "^cpu$1 ebep 0 " "$debug/features"; then
		grep -q "^  cpu$1 pmu has no exception: interrupt" /tmp/profexc.list
	else
		grep -q "^  cpu$1 pmu D13-1 PM=0 row [0-9,]*:.*[ ;] EL$2 $says" /tmp/profexc.list
	fi || echo "CPU $1: not $says at EL$2"
}

routing()
{
	el=$(sed -n 's/^kernel takes .* at EL\([12]\)/\1/p' "$debug/features")
	sed -n 's/^cpu\([0-9]*\) .*/\1/p' "$debug/features" | while read -r cpu; do
		echo "pmu $cpu" >"$debug/inject" || echo "CPU $cpu: nothing was reported"
		pcsample profexc list >/tmp/profexc.list || echo "pcsample: $?"
		routing_of "$cpu" "$el"
	done | fail_if_any
}

an_event_holds_the_module()
{
	perf stat -a -e arm_profexc/any/ -- sleep 3 >/dev/null 2>&1 &
	pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ "$(cat /sys/module/arm_profexc/refcnt)" = 0 ] || break
		sleep 0.2
	done
	! rmmod arm_profexc 2>/dev/null
	result=$?
	wait "$pid"
	return "$result"
}

# Fill the trace buffer of CPU 1 repeatedly, if there is one
trace_all_the_time()
{
	while [ -e /sys/bus/coresight/devices/trbe1 ]; do
		taskset 2 perf record -q --per-thread -m ,128K -e cs_etm//u -o /tmp/profexc.trace \
			-- awk 'BEGIN { for (i = 0; i < 60000; i++) n += i % 7 }'
	done >/dev/null 2>&1
}

# While the PMU overflows all the time, and events come and go
load_and_unload_under_load()
{
	perf record -q -a -e cycles -c 500000 -o /tmp/profexc.data -- sleep 600 >/dev/null 2>&1 &
	load=$!
	trace_all_the_time &
	trace=$!
	i=0
	result=0
	while [ "$i" -lt 15 ]; do
		i=$((i + 1))
		if ! rmmod arm_profexc || ! modprobe arm_profexc; then
			result=1
			break
		fi
		[ $((i % 5)) != 0 ] ||
			perf stat -a -e arm_profexc/any/ -- echo >/dev/null 2>&1 || result=2
	done
	kill "$trace" "$load"
	wait "$trace" "$load"
	rm -f /tmp/profexc.data /tmp/profexc.trace
	[ "$result" = 0 ] && [ -d "$pmu" ]
}

events_are_counted_under_load()
{
	perf stat -x, -a -e arm_profexc/any/ -- perf record -q -a -e cycles -c 2000000 \
		-o /tmp/profexc.data -- timeout 2 sh -c 'while :; do :; done' \
		2>/tmp/profexc.stat >/dev/null
	cat /tmp/profexc.stat
	awk -F, '/arm_profexc/ { n = $1 } END { exit !(n > 50) }' /tmp/profexc.stat
}

# recorded_by_the_tool OPTION...: record ten overflows on CPU 0, and find them in the report
recorded_by_the_tool()
{
	mode=irq
	! uses_exceptions 0 || mode=exception
	pcsample profexc record -q -C 0 "$@" -o /tmp/profexc.data -- sh -c \
		'for i in 1 2 3 4 5 6 7 8 9 10; do
			echo pmu 0 >/sys/kernel/debug/arm_profexc/inject
		done' || return 1
	pcsample profexc report -i /tmp/profexc.data >/tmp/profexc.report
	cat /tmp/profexc.report
	rm -f /tmp/profexc.data
	awk -v mode="$mode" '$NF == "pmu_async" && $(NF - 1) == mode { n = $2 }
		END { exit !(n >= 10) }' /tmp/profexc.report &&
		grep -q 'prx_inject_pmu_local' /tmp/profexc.report
}

the_tool_shows_them()
{
	pcsample profexc list >/tmp/profexc.list || return 1
	cat /tmp/profexc.list
	grep -q "^  cpu0 pmu " /tmp/profexc.list &&
		recorded_by_the_tool && recorded_by_the_tool -e arm_profexc/pmu_async/
}

# A program fills the trace buffer of CPU 0 repeatedly; nothing else uses that buffer. perf only
# traces a task if all CPUs have one.
trace_buffers_are_seen()
{
	mode=2
	other=1
	if [ -n "$(cat "$pmu/caps/trbe_exceptions")" ]; then
		mode=1
		other=2
	fi
	perf stat -x, -a -e "arm_profexc/trbe,mode=$mode/" -e "arm_profexc/trbe,mode=$other/" \
		-e arm_profexc/trbe_full/ -e arm_profexc/trbe_wrap/ -- \
		taskset 2 perf record -q -C 0 -m ,128K -e cs_etm//u -o /tmp/profexc.data -- \
		taskset 1 awk 'BEGIN { for (i = 0; i < 20000; i++) n += i % 7 }' \
		2>/tmp/profexc.stat >/dev/null
	rm -f /tmp/profexc.data
	cat /tmp/profexc.stat
	awk -F, '/arm_profexc/ { n[++i] = $1 }
		END { exit !(n[1] >= 3 && n[2] == 0 && n[3] + n[4] == n[1]) }' /tmp/profexc.stat
}

check "the log says what there is" the_log_says_what_there_is
check "every file is documented" every_file_is_documented
check "everything documented is there" everything_documented_is_there
check "features are those of caps" features_are_those_of_caps
check "an event is traced" tracepoints
if trbe_event 0 2>/dev/null; then
	check "events of the trace buffer are traced" trace_buffer_events_are_traced
else
	skip "events of the trace buffer are traced" "no exceptions of the trace buffer"
fi
check "registers are those of each CPU" registers
check "overflows are counted" events_are_counted_under_load
check "an event holds the module" an_event_holds_the_module
check "loaded and unloaded under load" load_and_unload_under_load
if [ -e /sys/bus/coresight/devices/trbe0 ]; then
	check "trace buffers are seen" trace_buffers_are_seen
else
	skip "trace buffers are seen" "no trace buffer"
fi
if command -v pcsample >/dev/null; then
	check "routing is what happens" routing
	check "the tool shows them" the_tool_shows_them
else
	skip "routing is what happens" "no pcsample"
	skip "the tool shows them" "no pcsample"
fi
finish
