# SPDX-License-Identifier: GPL-2.0-only
#
# Reads a word of physical memory again and again by /proc/kcore, which says 0 for a word that it
# cannot read.
#
# Usage: aborts.py ADDRESS SECONDS: prints how often it did, fails if the word can be read

import struct
import sys
import time

address, seconds = int(sys.argv[1], 0), float(sys.argv[2])
with open("/proc/kcore", "rb", buffering=0) as kcore:
	header = kcore.read(64)
	phoff, = struct.unpack_from("<Q", header, 32)
	phentsize, phnum = struct.unpack_from("<HH", header, 54)
	kcore.seek(phoff)
	table = kcore.read(phentsize * phnum)
	for i in range(phnum):
		kind, _, offset, _, start, size = struct.unpack_from("<IIQQQQ", table, i * phentsize)
		if kind == 1 and start <= address < start + size:
			break
	else:
		sys.exit("aborts.py: %x is not in /proc/kcore" % address)

	reads, end = 0, time.monotonic() + seconds
	while time.monotonic() < end:
		kcore.seek(offset + address - start)
		if any(kcore.read(8)):
			sys.exit("aborts.py: %x can be read" % address)
		reads += 1
print(reads)
