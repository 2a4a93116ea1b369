# SPDX-License-Identifier: GPL-2.0-only
#
# Reads the running kernel's own code where patches/alternatives says that there is code for
# FEAT_EBEP: it has to be NOPs on a CPU that lacks the feature or does not use it, and must not be
# on one that does.
#
# Usage: inert.py OFFSETS inert|active: prints how many are NOPs, of how many

import struct
import sys

NOP = 0xd503201f

with open("/proc/kallsyms") as kallsyms:
	text = next(int(line.split()[0], 16) for line in kallsyms if line.split()[2] == "_text")
with open(sys.argv[1]) as offsets:
	sites = [text + int(line, 16) for line in offsets]

with open("/proc/kcore", "rb", buffering=0) as kcore:
	header = kcore.read(64)
	phoff, = struct.unpack_from("<Q", header, 32)
	phentsize, phnum = struct.unpack_from("<HH", header, 54)
	kcore.seek(phoff)
	table = kcore.read(phentsize * phnum)
	segments = [struct.unpack_from("<IIQQQQ", table, i * phentsize) for i in range(phnum)]

	def word(address):
		for kind, _, offset, start, _, size in segments:
			if kind == 1 and start <= address < start + size:
				kcore.seek(offset + address - start)
				return struct.unpack("<I", kcore.read(4))[0]
		sys.exit("inert.py: %x is not in /proc/kcore" % address)

	nops = sum(word(site) == NOP for site in sites)

print("%d of %d" % (nops, len(sites)))
sys.exit(not sites or nops != (len(sites) if sys.argv[2] == "inert" else 0))
