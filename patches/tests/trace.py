# SPDX-License-Identifier: GPL-2.0-only
#
# Reads the branches that perf decoded from a trace of programs/trace, "FROM => TO" a line, and
# compares them with what the program does: whether each is one that the program has, and how many
# are missing where the trace was interrupted.
#
# Usage: trace.py PROGRAM ITERATIONS FILE: prints "DECODED EXPECTED GAPS ILLEGAL"

import re
import struct
import sys

program, iterations, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
image = open(program, "rb").read()
phoff, = struct.unpack_from("<Q", image, 32)
phentsize, phnum = struct.unpack_from("<HH", image, 54)
code = {}
for i in range(phnum):
	kind, flags, offset, start, _, size = struct.unpack_from("<IIQQQQ", image, phoff + i * phentsize)
	if kind == 1 and flags & 1:
		for at in range(0, size & ~3, 4):
			code[start + at] = struct.unpack_from("<I", image, offset + at)[0]
entry, = struct.unpack_from("<Q", image, 24)
code = {pc: word for pc, word in code.items() if pc >= entry}

def signed(value, bits):
	return value - (1 << bits) if value >> (bits - 1) else value

# The branches of the program: FROM -> the TOs it can have; None stands for any
def targets(pc, word):
	if word & 0x7c000000 == 0x14000000:
		return {pc + 4 * signed(word & 0x3ffffff, 26)}
	if word & 0xff000010 == 0x54000000 or word & 0x7e000000 == 0x34000000:
		return {pc + 4 * signed(word >> 5 & 0x7ffff, 19)}
	if word & 0x7e000000 == 0x36000000:
		return {pc + 4 * signed(word >> 5 & 0x3fff, 14)}
	if word & 0xfffffc1f == 0xd65f03c0 & 0xfffffc1f:
		return {call + 4 for call, w in code.items()
			if w & 0xfc000000 == 0x94000000 or w & 0xfffffc1f == 0xd63f0000}
	if word & 0xff9ffc1f in (0xd61f0000, 0xd63f0000):
		return {at + signed((w >> 5 & 0x7ffff) << 2 | w >> 29 & 3, 21)
			for at, w in code.items() if w & 0x9f000000 == 0x10000000}
	return None

branches = {pc: to for pc, to in ((pc, targets(pc, word)) for pc, word in code.items()) if to}

# From where a branch has gone to, the branches that can be the next one that is taken
def following(pc):
	found = set()
	while pc in code:
		if pc in branches:
			found.add(pc)
			word = code[pc]
			if not (word & 0xff000010 == 0x54000000 or word & 0x7c000000 == 0x34000000):
				break
		pc += 4
	return found

following_of = {}
decoded = gaps = illegal = 0
last = None
for line in open(path):
	found = re.match(r"\s*([0-9a-f]+)\s*(?:\S+\s*)?=>\s*([0-9a-f]+)", line)
	if not found:
		continue
	source, to = (int(x, 16) for x in found.groups())
	if source not in code or to not in code:
		continue
	decoded += 1
	if to not in branches.get(source, ()):
		illegal += 1
	if last is not None:
		if last[1] not in following_of:
			following_of[last[1]] = following(last[1])
		if source not in following_of[last[1]]:
			gaps += 1
	last = (source, to)

# bl, ret, blr, br, ret, b, and b.ne but for the last time; tbz every other time; and a few to start
digits = len(sys.argv[2])
print(decoded, 7 * iterations - 1 + iterations // 2 + digits + 1, gaps, illegal)
