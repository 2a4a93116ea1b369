#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module arm_profexc while the machine is suspended: open events continue after resume, and
# exceptions and interrupts arrive as before. Tests suspend to idle, woken by the clock, and a
# low-power state in which the CPUs lose their registers, which the module pcs_power emulates.

cd "$(dirname "$0")" || exit 1
. ../ktap.sh
. ./profexc_common.sh

wake=/sys/class/rtc/rtc0/wakealarm

caps()
{
	grep . "$pmu/caps/"*
}

one_overflow_on_each_cpu()
{
	sed -n 's/^cpu\([0-9]*\) .*/\1/p' "$debug/features" | while read -r cpu; do
		echo "pmu $cpu" >"$debug/inject" || echo failed
	done
}

# Wait until perf has enabled its events
enable_events()
{
	timeout 60 sh -c 'echo enable >/tmp/profexc.ctl && read -r _ </tmp/profexc.ack'
}

# goes_on COMMAND: an event that is open meanwhile counts one overflow on each CPU before COMMAND
# and one after it, and no others; the way of delivery does not change
goes_on()
{
	caps >/tmp/profexc.caps
	mode=2
	[ -z "$(cat "$pmu/caps/pmu_exceptions")" ] || mode=1
	one_overflow_on_each_cpu
	rm -f /tmp/profexc.go /tmp/profexc.ctl /tmp/profexc.ack
	mkfifo /tmp/profexc.ctl /tmp/profexc.ack
	perf stat -x, -a -D -1 --control fifo:/tmp/profexc.ctl,/tmp/profexc.ack \
		-e arm_profexc/pmu/ -e "arm_profexc/pmu,mode=$mode/" -o /tmp/profexc.stat \
		-- sh -c 'until [ -e /tmp/profexc.go ]; do sleep 0.1; done' &
	stat=$!
	if ! enable_events; then
		kill "$stat"
		return 1
	fi
	failed=$(one_overflow_on_each_cpu)
	"$@" || failed="$failed; status $?"
	failed=$failed$(one_overflow_on_each_cpu)
	touch /tmp/profexc.go
	wait "$stat"
	caps | diff /tmp/profexc.caps - || return 1
	cat /tmp/profexc.stat
	cpus=$(grep -c '^cpu' "$debug/features")
	echo "$failed, CPUs $cpus"
	[ -z "$failed" ] && awk -F, -v expected=$((2 * cpus)) '
		/arm_profexc/ { n[++i] = $1 }
		END { exit !(n[1] == expected && n[2] == expected) }' /tmp/profexc.stat
}

suspend()
{
	echo 0 >"$wake"
	echo +2 >"$wake"
	echo freeze >/sys/power/state
}

lose_registers()
{
	modprobe pcs_power && modprobe -r pcs_power
}

if [ -w "$wake" ] && grep -qw freeze /sys/power/state 2>/dev/null; then
	check "events go on after suspend to idle" goes_on suspend
else
	skip "events go on after suspend to idle" "no suspend to idle, or no clock to wake up"
fi
if modinfo pcs_power >/dev/null 2>&1; then
	check "events go on after registers were lost" goes_on lose_registers
else
	skip "events go on after registers were lost" "no module pcs_power"
fi
finish
