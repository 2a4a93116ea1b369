# SPDX-License-Identifier: GPL-2.0-only
"""A program of 32-bit Arm with A32 and T32 functions, made without a compiler for it.

aarch32.py PROGRAM writes the program, and prints its addresses, one a line: ADDRESS NAME, where
NAME is that of the function that the address is in. It runs for ever, seven tenths of the time in
arm_work(), and the rest in thumb_work().
"""
import os
import struct
import sys

EM_ARM, ET_EXEC = 40, 2
BASE = 0x10000
HEADERS = 52 + 32	# of the file, and of its one segment
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB = 1, 2, 3
SHF_ALLOC_EXEC = 2 | 4
STB_LOCAL, STB_GLOBAL = 0, 1
STT_NOTYPE, STT_FUNC = 0, 2
TEXT, SYMTAB, STRTAB, SHSTRTAB = 1, 2, 3, 4

code = bytearray()
names = bytearray(b"\0")
symbols = []	# name, address, size, binding, type
places = []	# address, function


def here():
    return BASE + HEADERS + len(code)


def name_at(table, name):
    at = len(table)
    table += name.encode() + b"\0"
    return at


def mapping(name):
    """As the assembler does: $a before A32, $t before T32, $d before data"""
    symbols.append((name, here(), 0, STB_LOCAL, STT_NOTYPE))


def function(name, thumb, body, pool, binding=STB_GLOBAL):
    """Code and a literal pool. Bit 0 of a T32 function's symbol is set."""
    start = here()
    mapping("$t" if thumb else "$a")
    for insn in body:
        places.append((here(), name))
        code.extend(struct.pack("<H" if thumb else "<I", insn))
    if pool:
        mapping("$d")
        places.append((here(), name))
        code.extend(struct.pack("<I", pool))
    symbols.append((name, start | thumb, here() - start, binding, STT_FUNC))
    return start


def branch(opcode, at, target):
    return opcode | (target - at - 8) >> 2 & 0xffffff


ROUNDS = 10000
START_BYTES, ARM_BYTES = 12, 20
start = here()
arm_work = start + START_BYTES
thumb_work = arm_work + ARM_BYTES

function("_start", False, [
    branch(0xeb000000, start, arm_work),		# bl arm_work
    branch(0xfa000000, start + 4, thumb_work),		# blx thumb_work
    branch(0xea000000, start + 8, start),		# b _start
], 0)
assert arm_work == function("arm_work", False, [
    0xe59f0008,		# ldr r0, =7 * ROUNDS
    0xe2500001,		# 1: subs r0, r0, #1
    0x1afffffd,		# bne 1b
    0xe12fff1e,		# bx lr
], 7 * ROUNDS)
assert thumb_work == function("thumb_work", True, [
    0x4801,		# ldr r0, =3 * ROUNDS
    0x3801,		# 1: subs r0, #1
    0xd1fd,		# bne 1b
    0x4770,		# bx lr
], 3 * ROUNDS)
# The next one is T32 too, and local; nothing calls it. An A32 label follows, with no type or size.
function("thumb_local", True, [0x3001, 0x4770], 0, STB_LOCAL)
mapping("$a.label")
symbols.append(("arm_label", here(), 0, STB_LOCAL, STT_NOTYPE))
places += [(here(), "arm_label"), (here() + 4, "arm_label")]
code += struct.pack("<II", 0xe2800001, 0xe12fff1e)

# Local symbols come first.
symbols.sort(key=lambda s: s[3])
symtab = bytes(16)
for name, value, size, binding, kind in symbols:
    symtab += struct.pack("<IIIBBH", name_at(names, name), value, size, binding << 4 | kind, 0,
                          TEXT)
nr_local = 1 + sum(s[3] == STB_LOCAL for s in symbols)

section_names = bytearray(b"\0")
at = HEADERS
body = b""
sections = [struct.pack("<10I", *[0] * 10)]
for name, kind, flags, address, data, link, info, entry in (
        (".text", SHT_PROGBITS, SHF_ALLOC_EXEC, BASE + HEADERS, code, 0, 0, 0),
        (".symtab", SHT_SYMTAB, 0, 0, symtab, STRTAB, nr_local, 16),
        (".strtab", SHT_STRTAB, 0, 0, names, 0, 0, 0),
        (".shstrtab", SHT_STRTAB, 0, 0, section_names, 0, 0, 0)):
    at_name = name_at(section_names, name)
    sections.append(struct.pack("<10I", at_name, kind, flags, address, at + len(body), len(data),
                                link, info, 4, entry))
    body += bytes(data) + bytes(-len(data) % 4)

ehdr = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack(
    "<HHIIIIIHHHHHH", ET_EXEC, EM_ARM, 1, BASE + HEADERS, 52, at + len(body), 0x5000000, 52, 32, 1,
    40, len(sections), SHSTRTAB)
size = HEADERS + len(code)
phdr = struct.pack("<8I", 1, 0, BASE, BASE, size, size, 5, 0x1000)

with open(sys.argv[1], "wb") as out:
    out.write(ehdr + phdr + body + b"".join(sections))
os.chmod(sys.argv[1], 0o755)
for address, name in places:
    print("%#x %s" % (address, name))
