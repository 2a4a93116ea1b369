#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: a program is sampled every 13 instructions, and neither its tracer nor its signal
# handler sees PSTATE.PPEND. If the kernel did not hide the bit, the tracer would see it in one of
# 13 stops, and the handler in one of six signals that the tracer delivers after a single step.
#
# Usage: ppend.sh SECONDS, prints KTAP

. "$(dirname "$0")/lib.sh"
programs=/tests/programs

# No throttling: the rate is refused once there is no limit on the time
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
perf record -q -c 13 -e r08:ppu --switch-output=2M --switch-max-files=2 -o /tmp/ppend.data -- \
	$programs/hostile "$1" 20 >/tmp/hostile.log 2>/tmp/perf.log
result $? "no signal handler or tracer sees PSTATE.PPEND"
sed 's/^/# /' /tmp/hostile.log /tmp/perf.log
set -- /tmp/ppend.data.*
samples=$(perf script -F ip -i "$1" 2>/dev/null | grep -c .)
[ "$samples" -gt 1000 ]
result $? "there are $samples samples in the first file that perf has kept"
figures "$(sed 's/^# //' /tmp/hostile.log | paste -sd ';')"
end
