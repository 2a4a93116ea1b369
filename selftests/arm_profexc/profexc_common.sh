# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# The shell tests of arm_profexc begin with this: without the module nothing can be tested.

pmu=/sys/bus/event_source/devices/arm_profexc
debug=/sys/kernel/debug/arm_profexc

[ -d "$pmu" ] || modprobe -q arm_profexc 2>/dev/null || true
[ -d "$pmu" ] || skip_all "no PMU arm_profexc here"
[ -w "$debug/inject" ] || skip_all "no debugfs, or not root"

# The hard lockup detector is a perf event itself. On kernels without it the file cannot be written.
watchdog=/proc/sys/kernel/nmi_watchdog
watchdog_before=$(cat $watchdog 2>/dev/null)
if [ -n "$watchdog_before" ] && (echo 0 >$watchdog) 2>/dev/null; then
	trap 'echo "$watchdog_before" >$watchdog' EXIT
fi
