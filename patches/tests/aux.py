#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What perf has recorded of a trace: bytes, parts, how often the buffer or a half of it was full,
and how often perf was late, so that the trace is truncated. perf script -D says it too, with all
of the trace in between.

Usage: aux.py FILE"""

import struct
import sys

AUX, AUXTRACE = 11, 71
TRUNCATED, COLLISION = 1, 8

data = open(sys.argv[1], "rb").read()
at, size = struct.unpack_from("<QQ", data, 40)
end = at + size
total = parts = wraps = truncated = 0
while at < end:
	kind, _, size = struct.unpack_from("<IHH", data, at)
	if kind == AUX:
		_, part, flags = struct.unpack_from("<QQQ", data, at + 8)
		total += part
		parts += 1
		wraps += flags & COLLISION != 0
		truncated += flags & TRUNCATED != 0
	elif kind == AUXTRACE:
		size += struct.unpack_from("<Q", data, at + 8)[0]
	at += size
print(total, parts, wraps, truncated)
