#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: the kernel is up, the PMU reports overflows in the way it should, and goes on doing
# so on a CPU that was offline. Where a CPU lacks the feature none of its code is in the kernel.
# What the kernel complains of is scripts/vm's to see.
#
# Usage: boot.sh exceptions|nmis|interrupts [inert|active|denied], prints KTAP. The second argument
# is what the code for the feature is, in the kernel that patches/alternatives has looked at; or
# that EL3 denies the feature.

. "$(dirname "$0")/lib.sh"
method=$1 code=${2:-}

# samples CPU: sets user and kernel to the samples of either in 1 s of system calls on that CPU
samples()
{
	counts=$(perf record -q -C "$1" -c 2000000 -e cycles -o /tmp/boot.data -- \
		taskset "$((1 << $1))" timeout 1 sh -c 'while :; do kill -0 $$; done' \
		>/dev/null 2>&1
	perf script -i /tmp/boot.data -F ip,sym,dso 2>/dev/null |
		awk '/\[kernel/ { k++; next } NF { u++ } END { print u + 0, k + 0 }')
	user=${counts% *} kernel=${counts#* }
}

case $method in
exceptions) says='using Profiling exceptions' ;;
nmis) says='using NMIs' ;;
interrupts) says='counters available$' ;;
esac
dmesg | grep -q "hw perfevents: enabled .*$says"
result $? "the PMU reports overflows by $method"
says=' N'
[ "$method" != exceptions ] || says="$(cat /sys/devices/system/cpu/online) Y"
said="$(cat /sys/bus/event_source/devices/armv8_pmuv3*/caps/profexc_cpus)"
said="$said $(cat /sys/module/arm_pmuv3/parameters/profexc)"
[ "$said" = "$says" ]
result $? "sysfs says on which CPUs exceptions are in use, and whether on any: $said"

before=$(pmu_irqs)
all=0
for cpu in 0 1; do
	samples $cpu
	all=$((all + user + kernel))
	[ "$user" -gt 20 ] && [ "$kernel" -gt 20 ]
	result $? "CPU $cpu is sampled: $user samples of user space and $kernel of the kernel"
done
irqs=$(($(pmu_irqs) - before))
case $method in
exceptions) [ $irqs = 0 ] ;;
*) [ $irqs -gt 40 ] ;;
esac
result $? "there were $irqs PMU interrupts"
figures="$all samples, $irqs PMU interrupts"

all_expected

echo 0 >/sys/devices/system/cpu/cpu1/online
if [ "$method" = exceptions ]; then
	said="$(cat /sys/bus/event_source/devices/armv8_pmuv3*/caps/profexc_cpus)"
	[ "$said" = "$(cat /sys/devices/system/cpu/online)" ]
	result $? "and that CPU 1 does not while it is offline: $said"
fi
echo 1 >/sys/devices/system/cpu/cpu1/online
before=$(pmu_irqs)
samples 1
irqs=$(($(pmu_irqs) - before))
[ "$user" -gt 20 ] && [ "$kernel" -gt 20 ] && [ $((irqs > 0)) = $((0$(
	[ "$method" = exceptions ] || echo 1))) ]
result $? "CPU 1 is sampled after it was offline: $user and $kernel samples, $irqs interrupts"

case $code in
denied)
	[ "$(dmesg | grep -c 'denies PMU Profiling exceptions')" -ge 2 ]
	result $? "that EL3 denies the exceptions is found out, and said for each CPU"
	figures="$figures, EL3 denies"
	;;
?*)
	nops=$(python3 /tests/inert.py /tests/alternatives "$code")
	result $? "where there is code for the feature it is $code, $nops are NOPs"
	figures="$figures, $nops places are NOPs"
	;;
esac

figures "$figures"
end
