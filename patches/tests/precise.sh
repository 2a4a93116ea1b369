#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: the instruction of every sample of an event with :p or :pp is one that generated the
# event, and the sample says that its address is exact; without :p that is not so. What cannot be
# precise is refused, and all perfs get along with it: that of 6.12 in the root, that of 6.1, and
# that of the kernel's own source.
#
# Usage: precise.sh [kvm], prints KTAP. With kvm the machine can have guests, in which an event that
# is precise must not count.

. "$(dirname "$0")/lib.sh"
kvm=${1:-}
program=/tests/programs/branches
param=/sys/module/arm_pmuv3/parameters/profexc
max_precise=$(echo /sys/bus/event_source/devices/armv8_pmuv3*/caps/max_precise)
perfs="perf /tests/perf-6.1/perf /tests/perf/perf"

# test_event EVENT MISC: counts the samples of the program in user space whose instruction is a
# branch, and those with MISC in the header of the record
test_event()
{
	event=$1 misc=$2
	rm -f /tmp/precise.data
	$perf record -q -c 10007 -e "$event" -o /tmp/precise.data -- $program 2>/tmp/precise.log
	sed 's/^/# /' /tmp/precise.log
	$perf script -i /tmp/precise.data -F ip 2>/dev/null >/tmp/precise.ips
	exact=$($perf script -i /tmp/precise.data -D 2>/dev/null |
		grep -c "PERF_RECORD_SAMPLE(IP, $misc)")
	number=$((number + 1))
	python3 - "$program" /tmp/precise.ips "$event" "$exact" $number "$perf" <<'END' || status=1
import struct
import sys

program, ips, event, exact, number, perf = sys.argv[1:]
image = open(program, "rb").read()
phoff, = struct.unpack_from("<Q", image, 32)
phentsize, phnum = struct.unpack_from("<HH", image, 54)
segments = [struct.unpack_from("<IIQQQQ", image, phoff + i * phentsize) for i in range(phnum)]

def word(address):
	for kind, _, offset, start, _, size in segments:
		if kind == 1 and start <= address < start + size:
			return struct.unpack_from("<I", image, offset + address - start)[0]
	return None

# B, BL; B.cond; CBZ, CBNZ, TBZ, TBNZ; BR, BLR, RET
BRANCHES = ((0x7c000000, 0x14000000), (0xff000000, 0x54000000), (0x7c000000, 0x34000000),
	    (0xfe000000, 0xd6000000))

samples = [int(line, 16) for line in open(ips) if line.strip()]
branches = sum(any(word(ip) is not None and word(ip) & mask == value for mask, value in BRANCHES)
	       for ip in samples)
kinds = len(set(samples))
precise = ":p" in event
if "r21" in event and precise:
	good = len(samples) > 500 and branches == len(samples) == int(exact) and kinds > 8
elif precise:
	good = len(samples) > 500 and len(samples) == int(exact) and kinds > 15
else:
	good = len(samples) > 500 and branches < len(samples) and int(exact) == 0
print("%s %s - %s, %s: %d samples, %d of them branches at %d addresses, %s exact" %
      ("ok" if good else "not ok", number, perf, event, len(samples), branches, kinds, exact))
if event == "r21:ppu":
	print("# figures: %s: %s of %d samples exact, %d at branches" %
	      (event, exact, len(samples), branches))
sys.exit(not good)
END
}

# opens EVENT PRECISE_IP EXCLUDE_GUEST exact|inexact|refused: what becomes of such an event
opens()
{
	said=$(/tests/programs/precise "$1" "$2" "$3")
	samples=${said% *} exact=${said#* }
	case $4 in
	refused) [ "$said" = EOPNOTSUPP ] ;;
	exact) [ "$samples" -gt 50 ] && [ "$exact" = "$samples" ] ;;
	inexact) [ "$samples" -gt 50 ] && [ "$exact" = 0 ] ;;
	esac 2>/dev/null
	result $? "event $1, precise_ip $2, exclude_guest $3 is $4: $said"
}

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
for perf in $perfs; do
	test_event r21:u 0x4002
	test_event r21:pu 0x4002
	test_event r21:ppu 0x4002
	test_event r08:ppu 0x4002
	! $perf record -q -e cycles:pp -o /tmp/precise.data -- $program 2>/tmp/precise.log &&
		said=$(grep -m 1 cycles:pp /tmp/precise.log)
	result $? "$perf says that cycles cannot be precise: $said"
done

[ "$(cat "$max_precise")" = 2 ]
result $? "max_precise is 2"
opens 0x21 0 0 inexact
opens 0x21 2 0 "$([ "$kvm" ] && echo refused || echo exact)"
opens 0x21 2 1 exact
opens 0x21 3 1 refused
opens 0x11 1 1 refused
# An overflow that meets a PSTATE.PPEND of another, after which there is no address for it
modprobe pcs_ppend
said=$(taskset 1 /tests/programs/precise 0x21 2 1 /sys/module/pcs_ppend/parameters/stale)
samples=${said% *} exact=${said#* }
[ "$samples" -gt 50 ] 2>/dev/null && [ "$exact" = $((samples - 1)) ]
result $? "a sample whose exception was pending for another overflow is not exact: $said"
modprobe -r pcs_ppend
# perf's default, cycles:P, is as precise as the event can be
for perf in $perfs; do
	$perf record -q -o /tmp/precise.data -- $program 2>/tmp/precise.log
	result $? "$perf records by default"
	sed 's/^/# /' /tmp/precise.log
done

# With interrupts nothing is precise. The hard lockup detector is what needs exceptions.
! echo N 2>/dev/null >$param && [ "$(cat $param)" = Y ]
result $? "exceptions stay on while the hard lockup detector uses them"
echo 0 >/proc/sys/kernel/nmi_watchdog
echo N >$param
[ "$(cat "$max_precise")" = 0 ]
result $? "max_precise is 0 with interrupts"
opens 0x21 2 1 refused
opens 0x21 0 1 inexact
end
