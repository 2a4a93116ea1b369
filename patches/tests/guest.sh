#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest, which is the host of one of its own: samples of host and guest while that runs.
#
# Usage: guest.sh SECONDS vhe|nvhe MODIFIER..., with the modifiers H, G and HG of perf; prints KTAP.
# In a VHE host exceptions go on while there is a guest, in others interrupts end the guest.

. "$(dirname "$0")/lib.sh"
seconds=$1 mode=$2
shift 2
programs=/tests/programs
figures=''

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
for modifier; do
	event=cycles:$modifier
	before=$(pmu_irqs)
	perf record -q -a -c 1000000 -e "$event" -o /tmp/guest.data -- \
		$programs/guest "$seconds" $programs/guest-code >/tmp/guest.log 2>&1
	result $? "a guest is not disturbed by $event"
	sed 's/^/# /' /tmp/guest.log
	counts=$(perf script -i /tmp/guest.data -D 2>/dev/null | awk '
		/PERF_RECORD_SAMPLE/ { if (/0x[0-9a-f]*[45]\)/) guest++; else host++ }
		END { print host + 0, guest + 0 }')
	host=${counts% *} guest=${counts#* }
	case $event in
	*:H) [ "$host" -gt 50 ] && [ "$guest" = 0 ] ;;
	*:G) [ "$host" = 0 ] && [ "$guest" -gt 50 ] ;;
	*) [ "$host" -gt 50 ] && [ "$guest" -gt 50 ] ;;
	esac
	result $? "$event: $host samples of the host and $guest of the guest"
	irqs=$(($(pmu_irqs) - before))
	[ "$mode" != vhe ] || [ $irqs = 0 ]
	result $? "$event: there were $irqs PMU interrupts"
	figures="$figures$modifier $host/$guest, "
done
all_expected
figures "${figures}samples of host/guest"
end
