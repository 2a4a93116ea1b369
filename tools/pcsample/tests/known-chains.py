# SPDX-License-Identifier: GPL-2.0-only
"""A recording with call chains of which everything is known.

known-chains.py MKREC DIR writes DIR/known.data, DIR/plain.data, which has the same samples without
their chains, DIR/kallsyms, and DIR/expected.json: a list of [stack, samples], a stack being a list
that begins with the command and goes on with [function, object] from the outermost caller on.
The code is in DIR/prog, which has functions f0 to f9, DIR/stripped, which has no symbols, and the
kernel.
"""
import json
import os
import random
import re
import subprocess
import sys

PERIOD_NS = 1000000
KERNEL = 0xffff800080000000
KERNEL_SYMBOLS = ["k%d" % i for i in range(8)]
BASE, OTHER = 0x400000, 0x7f0000000000
KERNEL_CONTEXT, USER_CONTEXT, DEFERRED, UNKNOWN_CONTEXT = -128, -512, -640, -3000
THREADS = [(100, 100, "app"), (100, 101, "worker;1"), (200, 200, "other")]

mkrec, out = sys.argv[1:3]
rng = random.Random(11)


def output(*command):
    return subprocess.check_output(command, text=True, cwd=out)


code = "".join("int f%d(int x) { return x * %d + 1; }\n" % (i, i) for i in range(10))
with open(os.path.join(out, "prog.c"), "w") as f:
    f.write(code + "int main(int c, char **v) { return f1(c); }\n")
# No gaps between functions, so that a return address can be the start of the next function
output("gcc", "-O1", "-fno-pie", "-no-pie", "-falign-functions=1", "-o", "prog", "prog.c")
output("gcc", "-O1", "-s", "-o", "stripped", "prog.c")
# [name, object, address, size]
names = re.findall(r"^(\w+) (\w+) T (f\d)$", output("nm", "-S", "prog"), re.M)
user = sorted((int(start, 16), int(size, 16), name) for start, size, name in names)
load = re.search(r"LOAD +(\S+) (\S+) \S+ (\S+) \S+ R E", output("readelf", "-lW", "prog"))
pgoff, vaddr, length = (int(n, 16) for n in load.groups())
user = [(name, "prog", start - vaddr + BASE, size) for start, size, name in user]
kernel = [(name, "[kernel.kallsyms]", KERNEL + 0x100 * i, 0x100)
          for i, name in enumerate(KERNEL_SYMBOLS)]
stripped = [("[stripped]", "stripped", OTHER + 0x40, 0x800)]
nowhere = [("[unknown]", "[unknown]", 0x10000000, 0x1000)]


def interrupted(f):
    return f[2] + rng.choice([0, rng.randrange(f[3])])


def returns_to(f):
    """Behind a call, which may be the last instruction of the function"""
    return f[2] + rng.choice([f[3], rng.randrange(1, f[3] + 1)])


def part(functions, depth):
    """Frames and their addresses, the innermost first"""
    frames = [rng.choice(functions) for _ in range(depth)]
    return frames, [interrupted(frames[0])] + [returns_to(f) for f in frames[1:]]


def make(i):
    """Mode, address, chain and frames of a sample, the innermost first"""
    places = user * 4 + stripped + nowhere
    frames, at = part(places, rng.randrange(1, 9))
    kind = i % 10
    if kind < 5:
        return "user", at[0], [USER_CONTEXT] + at, frames
    inside, kernel_at = part(kernel, rng.randrange(1, 7))
    chain = [KERNEL_CONTEXT] + kernel_at
    if kind == 5:       # the chain has only the user's part
        return "kernel", kernel_at[0], [USER_CONTEXT] + at, inside[:1] + frames
    if kind == 6:       # the user's part is deferred
        return "kernel", kernel_at[0], chain + [DEFERRED, user[0][2]], inside
    if kind == 7:       # a context marker of later kernels
        return "user", at[0], [USER_CONTEXT] + at + [UNKNOWN_CONTEXT, user[0][2]], frames + nowhere
    return "kernel", kernel_at[0], chain + [USER_CONTEXT] + at, inside + frames


head = ["kernel %#x %#x %#x [kernel.kallsyms]_text 0" % (KERNEL, 0x100000, KERNEL)]
for pid, tid, comm in THREADS:
    head.append("comm %d %d %s 1" % (pid, tid, comm))
for pid in (100, 200):
    head.append("mmap %d %#x %#x %#x %s 2" % (pid, BASE, length, pgoff,
                                              os.path.realpath(os.path.join(out, "prog"))))
    head.append("mmap %d %#x 0x1000 0 %s 2" % (pid, OTHER,
                                               os.path.realpath(os.path.join(out, "stripped"))))
chains, plain, expected = ["type 0x1a7", *head], ["type 0x187", *head], {}
for i in range(1500):
    pid, tid, comm = THREADS[i // 5 % len(THREADS)]
    mode, ip, chain, frames = make(i)
    sample = "sample %s %#x %d %d %d %d %d" % (mode, ip, pid, tid, 5000000000 + i * PERIOD_NS,
                                               i % 2, PERIOD_NS)
    chains += ["chain " + " ".join(map(str, chain)), sample]
    plain.append(sample)
    key = (comm,) + tuple((name, dso) for name, dso, *_ in reversed(frames))
    expected[key] = expected.get(key, 0) + 1

with open(os.path.join(out, "kallsyms"), "w") as f:
    for name, dso, start, size in kernel:
        f.write("%016x T %s\n" % (start, name))
    f.write("%016x T _end\n" % (kernel[-1][2] + kernel[-1][3]))
for name, lines in ("known.data", chains), ("plain.data", plain):
    subprocess.run([mkrec, os.path.join(out, name)], check=True, text=True, input="\n".join(lines))
with open(os.path.join(out, "expected.json"), "w") as f:
    json.dump(list(expected.items()), f)
