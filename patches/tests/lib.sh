# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the tests have in common, for them to source: they print KTAP by result() and end by end().

number=0 status=0
echo "KTAP version 1"

# result STATUS DESCRIPTION: passes if the status is 0
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

# figures TEXT...: for the table of check-series
figures()
{
	echo "# figures: $*"
}

end()
{
	echo "1..$number"
	exit $status
}

# interrupts NAME: how many there were on all CPUs of the interrupt with that name
interrupts()
{
	awk -v name="$1" '$0 ~ name {
		n = 0
		for (i = 2; $i ~ /^[0-9]+$/; i++)
			n += $i
		print n
	}' /proc/interrupts
}

pmu_irqs()
{
	interrupts arm-pmu
}

trbe_irqs()
{
	interrupts arm_trbe
}

# uses_exceptions: says in which way the PMU reports overflows
uses_exceptions()
{
	dmesg | grep -q 'hw perfevents: enabled .*using Profiling exceptions'
	result $? "the PMU reports overflows by exceptions"
}

# all_expected: that no exception came to where nobody wanted it
all_expected()
{
	[ "$(dmesg | grep -c 'profexc: .*unexpected')" = 0 ]
	result $? "no exception was unexpected"
}
