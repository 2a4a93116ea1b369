# SPDX-License-Identifier: GPL-2.0-only
"""A recording of which everything is known, for tests of what is made of recordings.

known.py MKREC DIR writes DIR/known.data and DIR/kallsyms, and DIR/expected.json: a list of
[comm, object, symbol, samples]. Names are as bad as names can be.
"""
import json
import os
import subprocess
import sys

PERIOD_NS = 1000000
KERNEL = 0xffff800080000000
START_NS = 5000000000
COUNT = 900

# Kernel symbols, of 0x1000 bytes each
SYMBOLS = ["idle_loop", "a;b,c\"d", "</script><!--x", "_ZN4core3fmt5write17h0123456789abcdefE",
           "lock", "unlock", "copy", "free"]
# pid, tid, name, cgroup id. A surrogate is a byte that is not UTF-8.
THREADS = [(100, 100, "server;x,\"y\"", 11), (100, 101, "worker", 12), (200, 200, "caf\udce9", 13)]
# One cgroup has no known path
CGROUPS = {11: "/a,b.slice/c", 12: "/"}

lines = ["type 0x200587", "meta duration %d" % (COUNT * PERIOD_NS), "meta method CONTEXTIDR_EL1",
         "meta jitter on", "meta seed 7", "meta note this is a note",
         "meta ledger.total.planned %d" % (2 * COUNT),
         "meta ledger.total.sample %d" % (2 * COUNT - COUNT // 3),
         "meta ledger.total.idle %d" % (COUNT // 3),
         "kernel %#x %#x %#x [kernel.kallsyms]_text 0" % (KERNEL, 0x100000, KERNEL)]
for pid, tid, name, cgroup in THREADS:
    lines.append("comm %d %d %s 1" % (pid, tid, name))
for cgroup, path in CGROUPS.items():
    lines.append("cgroup %d %s 0" % (cgroup, path))
expected = {}
for i in range(COUNT):
    for cpu in (0, 1):
        # CPU 1 is idle in the middle third; functions alternate at different speeds
        if cpu == 1 and COUNT // 3 <= i < 2 * COUNT // 3:
            continue
        pid, tid, name, cgroup = THREADS[(i // 7 + cpu) % 3]
        symbol = (i * (3 + cpu) // 5) % len(SYMBOLS)
        ip = KERNEL + 0x1000 * symbol + 4 * (i % 16)
        el, ns, vmid = (2, 1, 0) if i % 10 else (1, 0, 5)
        pmpcsr = ns << 63 | el << 61 | ip & 0xffffffffffffff
        lines.append("hw %#x %d %d %d %d %#x %d %d %d %d" %
                     (ip, pid, tid, START_NS + i * PERIOD_NS + cpu, cpu, pmpcsr, vmid, 1, PERIOD_NS,
                      cgroup))
        key = (name, "[kernel.kallsyms]", symbol)
        expected[key] = expected.get(key, 0) + 1

mkrec, out = sys.argv[1:3]
with open(os.path.join(out, "kallsyms"), "w") as f:
    for i, symbol in enumerate(SYMBOLS):
        f.write("%016x T %s\n" % (KERNEL + 0x1000 * i, symbol))
    f.write("%016x T _end\n" % (KERNEL + 0x1000 * len(SYMBOLS)))
subprocess.run([mkrec, os.path.join(out, "known.data")], check=True,
               input="\n".join(lines).encode("utf-8", "surrogateescape"))
demangled = {3: "core::fmt::write"}
with open(os.path.join(out, "expected.json"), "w") as f:
    json.dump([[comm, dso, demangled.get(sym, SYMBOLS[sym]), n]
               for (comm, dso, sym), n in sorted(expected.items())], f)
