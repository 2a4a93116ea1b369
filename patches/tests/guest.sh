#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest, which is the host of one of its own: samples of host and guest while that runs.
#
# Usage: guest.sh SECONDS vhe|nvhe|pkvm MODIFIER... [exits] [exact], with the modifiers H, G and HG
# of perf. Prints KTAP. exits tests what is the guest's of one that is left all the time, exact a
# precise event of the host beside a guest. In a VHE host exceptions go on while there is a guest,
# in others interrupts end the guest. A protected host does not count in guests.

. "$(dirname "$0")/lib.sh"
seconds=$1 mode=$2
shift 2
programs=/tests/programs
figures=''

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
for modifier; do
	case $modifier in
	exits | exact) continue ;;
	esac
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
	case $event,$mode in
	*:H,* | *:HG,pkvm) [ "$host" -gt 50 ] && [ "$guest" = 0 ] ;;
	*:G,*) [ "$host" = 0 ] && [ "$guest" -gt 50 ] ;;
	*) [ "$host" -gt 50 ] && [ "$guest" -gt 50 ] ;;
	esac
	result $? "$event: $host samples of the host and $guest of the guest"
	irqs=$(($(pmu_irqs) - before))
	[ "$mode" != vhe ] || [ $irqs = 0 ]
	result $? "$event: there were $irqs PMU interrupts"
	figures="$figures$modifier $host/$guest, "
done

# A guest that is left all the time: what the host does with a vCPU loaded is none of the guest's. A
# counter that counts in guests alone tells how much there is of it. The period is long beside what
# the host does after each sample, of which there are no samples: with 200,000 cycles a guest of VHE
# has a quarter too many. A round of the guest has 3000 instructions on average, and seven entries.
# At each of them some 60 instructions of the host come after the look at what has overflowed, and
# their samples are the guest's, too. So it has a seventh too many, some 700 samples for 600: the
# 900 that fail are 8 standard deviations more. If nobody looks it has more than twice as many.
test_exits()
{
	perf stat -x, -a -e cycles:G -o /tmp/guest.stat -- \
		perf record -q -a -c 1000000 -e cycles:HG -o /tmp/guest.data -- \
		$programs/guest $((3 * seconds)) $programs/guest-code 1000 >/tmp/guest.log 2>&1
	result $? "a guest that is left all the time is not disturbed"
	sed 's/^/# /' /tmp/guest.log
	guest=$(perf script -i /tmp/guest.data -D 2>/dev/null |
		grep -Ec 'PERF_RECORD_SAMPLE.*0x[0-9a-f]*[45]\)')
	cycles=$(awk -F, '/cycles/ { print int($1 / 1000000) }' /tmp/guest.stat)
	[ "$cycles" -gt 400 ] && [ "$guest" -gt $((cycles * 3 / 4)) ] &&
		[ "$guest" -lt $((cycles * 3 / 2)) ]
	result $? "of a guest that is left all the time $guest samples, and cycles for $cycles"
	figures="$figures$guest of $cycles if it is left all the time, "
}

# On VHE, KVM changes the filter of an event that counts in the host alone each time a vCPU is
# loaded. The event stays precise: if SYNC is lost, none of its samples is exact from then on.
test_exact()
{
	perf record -q -C 1 -c 10007 -e r21:ppH -o /tmp/guest.data -- sh -c "
		taskset 2 $programs/guest $seconds $programs/guest-code &
		taskset 2 $programs/branches
		wait \$!" >/tmp/guest.log 2>&1
	result $? "a guest is not disturbed by a precise event"
	sed 's/^/# /' /tmp/guest.log
	counts=$(perf script -i /tmp/guest.data -D 2>/dev/null | awk '
		/PERF_RECORD_SAMPLE\(IP, 0x4002\)/ { exact++ }
		/PERF_RECORD_SAMPLE\(IP, 0x(400)?2\)/ { all++ }
		END { print exact + 0, all + 0 }')
	exact=${counts% *} all=${counts#* }
	[ "$all" -gt 2000 ] && [ $((exact * 20)) -ge $((all * 19)) ]
	result $? "beside a guest $exact of $all samples of user space are exact"
	figures="$figures$exact of $all exact, "
}

case " $* " in
*' exits '*) test_exits ;;
esac
case " $* " in
*' exact '*) test_exact ;;
esac
all_expected
figures "${figures}samples of host/guest"
end
