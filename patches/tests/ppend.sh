#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: of a program with a sample every 97 instructions neither its tracer nor a signal
# handler sees PSTATE.PPEND. Without what hides the bit a tracer sees it in one of a hundred stops.
# An interrupt has to lead to the signal handler, which sees it in one of thousands or in none.
#
# Usage: ppend.sh SECONDS, prints KTAP

. "$(dirname "$0")/lib.sh"
programs=/tests/programs

# No throttling: the rate is refused once there is no limit on the time
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
perf record -q -c 97 -e r08:ppu --switch-output=2M --switch-max-files=2 -o /tmp/ppend.data -- \
	$programs/hostile "$1" 20 >/tmp/hostile.log 2>/tmp/perf.log
result $? "no signal handler or tracer sees PSTATE.PPEND"
sed 's/^/# /' /tmp/hostile.log /tmp/perf.log
figures "$(sed 's/^# //' /tmp/hostile.log | paste -sd ';')"
end
