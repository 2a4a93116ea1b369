#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module arm_profexc: sysfs against its documentation, tracepoints, what it says of routing, and
# unloading it while it is used.

cd "$(dirname "$0")" || exit 1
. ./ktap.sh

pmu=/sys/bus/event_source/devices/arm_profexc
debug=/sys/kernel/debug/arm_profexc
tracing=/sys/kernel/tracing
abi=sysfs-bus-event_source-devices-arm_profexc
[ -d ../Documentation ] && abi=../Documentation/ABI/testing/$abi

[ -d "$pmu" ] || modprobe -q arm_profexc 2>/dev/null || true
[ -d "$pmu" ] || skip_all "no PMU arm_profexc here"
[ -w "$debug/inject" ] || skip_all "no debugfs, or not root"

# The hard lockup detector is a perf event of its own
watchdog=/proc/sys/kernel/nmi_watchdog
if [ -e $watchdog ]; then
	before=$(cat $watchdog)
	echo 0 >$watchdog
	trap 'echo "$before" >$watchdog' EXIT
fi

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

# uses_exceptions CPU
uses_exceptions()
{
	tr ',' '\n' <"$pmu/caps/pmu_exceptions" | awk -F- -v cpu="$1" '
		NF && cpu >= $1 && cpu <= $NF { found = 1 }
		END { exit !found }'
}

the_log_says_what_there_is()
{
	if [ "$(cat "$pmu/caps/kernel")" = 1 ]; then
		dmesg | grep -q 'arm_profexc: PMU overflows raise '
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

# What was just delivered tells what firmware did. routing_of CPU EL: what is wrong with its line
routing_of()
{
	says=IRQ
	! uses_exceptions "$1" || says=EL$2
	if grep -q "^cpu$1 ebep 0 " "$debug/features"; then
		grep -q "^cpu$1 pmu has no exception: interrupt" "$debug/routing"
	else
		grep -q "^cpu$1 pmu D13-1 PM=0 row [0-9,]*:.*[ ;] EL$2 $says" "$debug/routing"
	fi || echo "CPU $1: not $says at EL$2"
}

routing()
{
	el=$(sed -n 's/^kernel takes .* at EL\([12]\)/\1/p' "$debug/features")
	sed -n 's/^cpu\([0-9]*\) .*/\1/p' "$debug/features" | while read -r cpu; do
		echo "pmu $cpu" >"$debug/inject" || echo "CPU $cpu: nothing was reported"
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

# With the PMU overflowing all the time, and events that come and go
load_and_unload_under_load()
{
	perf record -q -a -e cycles -c 500000 -o /tmp/profexc.data -- sleep 600 >/dev/null 2>&1 &
	load=$!
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
	kill "$load"
	wait "$load"
	rm -f /tmp/profexc.data
	[ "$result" = 0 ] && [ -d "$pmu" ]
}

events_are_counted_under_load()
{
	perf stat -x, -a -e arm_profexc/any/ -- perf record -q -a -e cycles -c 2000000 \
		-o /tmp/profexc.data -- sleep 1 2>/tmp/profexc.stat >/dev/null
	cat /tmp/profexc.stat
	awk -F, '/arm_profexc/ { n = $1 } END { exit !(n > 50) }' /tmp/profexc.stat
}

# Ten overflows on CPU 0, found again in what the tool recorded
the_tool_shows_them()
{
	mode=irq
	! uses_exceptions 0 || mode=exception
	pcsample profexc list >/tmp/profexc.list || return 1
	grep -q "^  cpu0 pmu " /tmp/profexc.list || return 1
	pcsample profexc record -q -C 0 -o /tmp/profexc.data -- sh -c \
		'for i in 1 2 3 4 5 6 7 8 9 10; do
			echo pmu 0 >/sys/kernel/debug/arm_profexc/inject
		done' || return 1
	pcsample profexc report -i /tmp/profexc.data >/tmp/profexc.report
	cat /tmp/profexc.list /tmp/profexc.report
	rm -f /tmp/profexc.data
	awk -v mode="$mode" '$NF == "pmu_async" && $(NF - 1) == mode { n = $2 }
		END { exit !(n >= 10) }' /tmp/profexc.report &&
		grep -q 'prx_inject_pmu_local' /tmp/profexc.report
}

# A program that fills its trace buffer again and again, and nothing else uses that
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
		perf record -q --per-thread -m ,128K -e cs_etm//u -o /tmp/profexc.data -- \
		awk 'BEGIN { for (i = 0; i < 60000; i++) n += i % 7 }' \
		2>/tmp/profexc.stat >/dev/null
	rm -f /tmp/profexc.data
	cat /tmp/profexc.stat
	awk -F, '/arm_profexc/ { n[++i] = $1 }
		END { exit !(n[1] >= 3 && n[2] == 0 && n[3] + n[4] == n[1]) }' /tmp/profexc.stat
}

check "the log says what there is" the_log_says_what_there_is
check "every file is documented" every_file_is_documented
check "everything documented is there" everything_documented_is_there
check "an event is traced" tracepoints
check "routing is what happens" routing
check "overflows are counted" events_are_counted_under_load
check "an event holds the module" an_event_holds_the_module
check "loaded and unloaded under load" load_and_unload_under_load
if [ -e /sys/bus/coresight/devices/trbe0 ]; then
	check "trace buffers are seen" trace_buffers_are_seen
else
	skip "trace buffers are seen" "no trace buffer"
fi
if command -v pcsample >/dev/null; then
	check "the tool shows them" the_tool_shows_them
else
	skip "the tool shows them" "no pcsample"
fi
finish
