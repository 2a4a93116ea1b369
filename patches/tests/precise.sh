#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: the instruction of every sample of an event with :p or :pp is one that generated the
# event, and the sample says that its address is exact; without :p that is not so.
#
# Usage: precise.sh, prints KTAP.

program=/tests/programs/branches
number=0 status=0

# test_event EVENT MISC: counts the samples of the program in user space whose instruction is a
# branch, and those with MISC in the header of the record
test_event()
{
	event=$1 misc=$2
	perf record -q -c 10007 -e "$event" -o /tmp/precise.data -- $program 2>/dev/null
	perf script -i /tmp/precise.data -F ip 2>/dev/null >/tmp/precise.ips
	exact=$(perf script -i /tmp/precise.data -D 2>/dev/null |
		grep -c "PERF_RECORD_SAMPLE(IP, $misc)")
	number=$((number + 1))
	python3 - "$program" /tmp/precise.ips "$event" "$exact" $number <<'END' || status=1
import struct
import sys

program, ips, event, exact, number = sys.argv[1:]
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
print("%s %s - %s: %d samples, %d of them branches at %d addresses, %s exact" %
      ("ok" if good else "not ok", number, event, len(samples), branches, kinds, exact))
if event == "r21:ppu":
	print("# figures: %s: %s of %d samples exact, %d at branches" %
	      (event, exact, len(samples), branches))
sys.exit(not good)
END
}

echo "KTAP version 1"
echo 1..5
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent	# no throttling
test_event r21:u 0x4002
test_event r21:pu 0x4002
test_event r21:ppu 0x4002
test_event r08:ppu 0x4002
[ "$(cat /sys/bus/event_source/devices/armv8_pmuv3*/caps/max_precise)" = 2 ]
result=$?
[ $result = 0 ] && echo "ok 5 - max_precise is 2" || echo "not ok 5 - max_precise is 2"
exit $((status | result))
