# SPDX-License-Identifier: GPL-2.0-only
"""mkcorpus.py DIR: write a recording of each kind that perf record can make, and that others have.

Their writer shares no code with a reader. A file is called VERDICT-KIND.data: what tests/corpus has
to say of it. Values come from a generator with a fixed seed, so that a file is always the same.
"""
import os
import random
import struct
import sys

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH, REGS_USER, STACK_USER, \
    WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR = (
        1 << i for i in (*range(19), 19))
CGROUP = 1 << 21
TRACING, BUILD_ID = 1, 2
USUAL = IP | TID | TIME | CPU | PERIOD
GROUP_FORMAT, ID_FORMAT = 8, 4
HW_INDEX, COUNTERS = 1 << 17, 1 << 19       # of branch_sample_type

MMAP, LOST, COMM, EXIT, THROTTLE, FORK, READ_RECORD, SAMPLE, MMAP2, AUX, ITRACE_START, SWITCH, \
    CGROUP_RECORD, CALLCHAIN_DEFERRED = 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 19, 22
HEADER_ATTR, TRACING_DATA, FINISHED_ROUND, AUXTRACE_INFO, AUXTRACE, STAT_CONFIG, STAT, \
    STAT_ROUND, FEATURE = 64, 66, 68, 70, 71, 75, 76, 77, 80
KERNEL, USER, GUEST_KERNEL, GUEST_USER = 1, 2, 4, 5
CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_USER_DEFERRED = 2**64 - 128, 2**64 - 512, 2**64 - 640

TEXT, KTEXT = 0x400000, 0xffffffff81000000
ATTR_SIZE, ATTR_SIZE_1 = 112, 80


class Event:
    def __init__(self, name, kind=0, config=0, sample_type=USUAL, period=4000, freq=True,
                 read_format=0, branches=0, flags=0, regs=0, stack=0, intr=0, inherit=True):
        self.name, self.kind, self.config, self.period = name, kind, config, period
        self.freq, self.sample_type, self.read_format = freq, sample_type, read_format
        self.branches, self.flags, self.regs, self.stack = branches, flags, regs, stack
        self.intr, self.inherit = intr, inherit
        self.ids = []


class Recording:
    """Records, in one byte order; @bits: of addresses"""

    pids = 10, 11

    def __init__(self, *events, order="<", version=2, pipe=False, arch="x86_64", bits=64,
                 named=True):
        self.events, self.order, self.version, self.pipe = events, order, version, pipe
        self.data, self.features, self.bits, self.named = b"", {}, bits, named
        # Attributes were this long when version 2 was introduced; perf accepts no others for
        # version 1
        self.attr_size = ATTR_SIZE_1 if version == 1 else ATTR_SIZE
        self.rng = random.Random(7)
        self.now = 5000000000
        self.cut = 0
        for i, e in enumerate(events):
            e.ids = [100 + i]
        self.feature_string(3, "host")
        self.feature_string(4, "6.1.0-corpus")
        self.feature_string(6, arch)
        self.features[BUILD_ID] = self.build_id("[kernel.kallsyms]", KERNEL)

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def string(self, text):
        room = (len(text) + 64) // 64 * 64
        return self.pack("I", room) + text.encode().ljust(room, b"\0")

    def feature_string(self, bit, text):
        self.features[bit] = self.string(text)

    # A build id of no existing kernel, so that no tool takes the running kernel's symbols
    def build_id(self, path, misc):
        name = path.encode().ljust(64, b"\0")
        return self.pack("IHHi20sB3s", 67, misc, 36 + len(name), -1, b"\x5a" * 20, 0, b"") + name

    def record(self, kind, body, misc=0, tail=True):
        body += b"\0" * (-len(body) % 8)
        if tail and kind < 64:
            body += self.tail()
        self.data += self.pack("IHH", kind, misc, 8 + len(body)) + body

    def tail(self):
        kind, out = self.events[0].sample_type, b""
        if kind & TID:
            out += self.pack("II", 1, 1)
        if kind & TIME:
            out += self.pack("Q", self.now)
        if kind & ID:
            out += self.pack("Q", self.events[0].ids[0])
        if kind & CPU:
            out += self.pack("II", 0, 0)
        if kind & IDENTIFIER:
            out += self.pack("Q", self.events[0].ids[0])
        return out

    def comm(self, pid, tid, name):
        self.record(COMM, self.pack("II", pid, tid) + name.encode() + b"\0")

    def fork(self, ppid, pid, tid):
        self.record(FORK, self.pack("IIIIQ", pid, ppid, tid, ppid, self.now))

    def mmap(self, pid, start, size, path, pgoff=0, misc=USER):
        self.record(MMAP, self.pack("IIQQQ", pid & 0xffffffff, max(pid, 0), start, size, pgoff) +
                    path.encode() + b"\0", misc)

    # @file: what tells which one it is
    def mmap2(self, start, file, path, misc):
        self.record(MMAP2, self.pack("IIQQQ", 10, 10, start, 0x1000, 0) + file +
                    self.pack("II", 5, 2) + path.encode() + b"\0", misc)

    def sample(self, event=0, ip=TEXT, pid=1, tid=1, cpu=0, period=1, misc=USER, chain=(), reads=(),
               raw=b"", branches=(), regs=(), stack=b"", weight=0, source=0, addr=0, phys=0, abi=2,
               intr=(), cgroup=0):
        e = self.events[event]
        self.now += self.rng.randrange(900, 100000)
        fields = [
            (IDENTIFIER, lambda: self.pack("Q", e.ids[0])),
            (IP, lambda: self.pack("Q", ip)),
            (TID, lambda: self.pack("II", pid, tid)),
            (TIME, lambda: self.pack("Q", self.now)),
            (ADDR, lambda: self.pack("Q", addr)),
            (ID, lambda: self.pack("Q", e.ids[0])),
            (STREAM_ID, lambda: self.pack("Q", e.ids[0])),
            (CPU, lambda: self.pack("II", cpu, 0)),
            (PERIOD, lambda: self.pack("Q", period)),
            (READ, lambda: self.pack("Q", len(reads)) +
             b"".join(self.pack("QQ", *r) for r in reads)),
            (CALLCHAIN, lambda: self.pack(f"Q{len(chain)}Q", len(chain), *chain)),
            (RAW, lambda: self.raw(raw)),
            (BRANCH, lambda: self.stack(e, branches)),
            (REGS_USER, lambda: self.pack(f"Q{len(regs)}Q", abi if regs else 0, *regs)),
            (STACK_USER, lambda: self.pack("Q", len(stack)) + stack +
             (self.pack("Q", len(stack)) if stack else b"")),
            (WEIGHT, lambda: self.pack("Q", weight)),
            (DATA_SRC, lambda: self.pack("Q", source)),
            (TRANSACTION, lambda: self.pack("Q", 0)),
            (REGS_INTR, lambda: self.pack(f"Q{len(intr)}Q", abi if intr else 0, *intr)),
            (PHYS_ADDR, lambda: self.pack("Q", phys)),
            (CGROUP, lambda: self.pack("Q", cgroup)),
        ]
        self.record(SAMPLE, b"".join(make() for bit, make in fields if e.sample_type & bit), misc,
                    tail=False)

    # The index of the hardware's stack comes before the branches, their counters come after them
    def stack(self, e, branches):
        out = self.pack("Q", len(branches))
        if e.branches & HW_INDEX:
            out += self.pack("Q", 3)
        out += b"".join(self.pack("QQQ", *self.branch(*b)) for b in branches)
        if e.branches & COUNTERS:
            out += b"".join(self.pack("Q", 0x40 + i) for i in range(len(branches)))
        return out

    # Bit fields begin at the other end of the word on a big-endian machine
    def branch(self, source, target, flags):
        if self.order == "<":
            return source, target, flags
        out, low, free = 0, 0, 64
        for width in 1, 1, 1, 1, 16, 4, 2, 4, 3, 31:
            free -= width
            out |= (flags >> low & (1 << width) - 1) << free
            low += width
        return source, target, out

    def raw(self, data):
        size = (len(data) + 4 + 7) // 8 * 8 - 4
        return self.pack("I", size) + data.ljust(size, b"\0")

    # What all recordings have: two processes, one of them with a second thread, and the kernel

    def begin(self):
        self.mmap(-1, KTEXT & (2**self.bits - 1), 0x1000000, "[kernel.kallsyms]_text",
                  KTEXT & (2**self.bits - 1), KERNEL)
        first, second = self.pids
        self.comm(first, first, "first")
        self.mmap(first, TEXT, 0x10000, "/nowhere/first")
        self.fork(first, second, second)
        self.comm(second, second, "second one")
        self.mmap(second, TEXT, 0x10000, "/nowhere/second")
        self.mmap(second, 0x7f000000, 0x10000, "/nowhere/libc.so.6", 0x1000)
        self.record(FINISHED_ROUND, b"")
        return self

    def some(self, n=40, **more):
        """@n samples; what is in @more is called with their number"""
        for i in range(n):
            pid, kernel = self.pids[i % 2], i % 5 == 4
            base = KTEXT & (2**self.bits - 1) if kernel else (TEXT, 0x7f000000)[i % 4 == 1]
            at = dict(ip=base + self.rng.randrange(0x8000) * 4 % 0x10000, pid=pid, tid=pid, cpu=i % 3,
                      period=self.rng.randrange(1, 1000000), misc=KERNEL if kernel else USER)
            at.update({k: f(i, at) for k, f in more.items()})
            self.sample(**at)
        self.record(FINISHED_ROUND, b"")
        return self

    # The file

    def attr(self, e):
        flags = 1 | 2 * e.inherit | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | e.flags
        if e.freq:
            flags |= 1 << 10
        # Bit fields begin at the other end of the word on a big-endian machine
        bits = sum(1 << (i if self.order == "<" else 63 - i) for i in range(64) if flags >> i & 1)
        return self.pack("IIQQQQQIIQQQQIIQIHH", e.kind, self.attr_size, e.config, e.period,
                         e.sample_type, e.read_format, bits, 0, 0, 0, 0, e.branches, e.regs,
                         e.stack, 0, e.intr, 0, 0, 0)[:self.attr_size].ljust(self.attr_size, b"\0")

    def event_desc(self):
        out = self.pack("II", len(self.events), self.attr_size)
        for e in self.events:
            out += self.attr(e) + self.pack("I", len(e.ids)) + self.string(e.name)
            out += self.pack(f"{len(e.ids)}Q", *e.ids)
        return out

    def write(self, path):
        if self.named:
            self.features[12] = self.event_desc()
        with open(path, "wb") as f:
            whole = self.as_pipe() if self.pipe else self.as_file()
            f.write(whole[:self.end(whole) if self.cut else None])

    def end(self, whole):
        """Where the file ends if the last @cut bytes of its records are missing, and what follows"""
        return whole.index(self.data) + len(self.data) - self.cut

    def as_pipe(self):
        head, data = self.pack("QQ", 0x32454c4946524550, 16), self.data
        self.data = b""
        for e in self.events:
            self.record(HEADER_ATTR, self.attr(e) + self.pack(f"{len(e.ids)}Q", *e.ids))
        for bit in sorted(self.features):
            if bit == BUILD_ID:
                self.data += self.features[bit]
            elif bit == TRACING:
                section = self.features[bit] + b"\0" * (-len(self.features[bit]) % 8)
                self.record(TRACING_DATA, self.pack("I", len(section)))
                self.data += section
            else:
                self.record(FEATURE, self.pack("Q", bit) + self.features[bit])
        return head + self.data + data

    def as_file(self):
        magic = 0x32454c4946524550
        ids, places = b"", []
        for e in self.events:
            places.append((104 + len(ids), 8 * len(e.ids)))
            ids += self.pack(f"{len(e.ids)}Q", *e.ids)
        attrs_at = 104 + len(ids)
        attrs = b"".join(self.attr(e) + self.pack("QQ", *p) for e, p in zip(self.events, places))
        data_at = attrs_at + len(attrs)
        # In words of the machine: a 32-bit one in this order has the lower half first
        bits = [0] * (256 // self.bits)
        for bit in self.features:
            bits[bit // self.bits] |= 1 << bit % self.bits
        types = (0, 0)
        head = self.pack("QQQ", magic, 104, self.attr_size + 16)
        if self.version == 1:
            head = b"PERFFILE" + head[8:]
        head += self.pack("QQQQQQ", attrs_at, len(attrs), data_at, len(self.data), *types)
        head += self.pack("4Q" if self.bits == 64 else "8I", *bits)
        at = data_at + len(self.data) + 16 * len(self.features)
        table, sections = b"", b""
        for bit in sorted(self.features):
            table += self.pack("QQ", at + len(sections), len(self.features[bit]))
            sections += self.features[bit]
        return head + ids + attrs + self.data + table + sections


def tracing_data(r, formats):
    """What perf record keeps of tracefs: {(system, name): text}"""
    long = 8
    out = b"\x17\x08\x44tracing0.6\0" + bytes([r.order == ">", long]) + r.pack("I", 4096)
    page = b"".join(b"\tfield: %s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % f for f in (
        (b"u64 timestamp", 0, 8, 0), (b"local_t commit", 8, 8, 1), (b"int overwrite", 8, 1, 1),
        (b"char data", 16, 4080, 1)))
    out += b"header_page\0" + r.pack("Q", len(page)) + page
    out += b"header_event\0" + r.pack("Q", 1) + b"\n"
    out += r.pack("I", 0)
    systems = sorted({system for system, name in formats})
    out += r.pack("I", len(systems))
    for system in systems:
        of = [text for (s, name), text in sorted(formats.items()) if s == system]
        out += system.encode() + b"\0" + r.pack("I", len(of))
        for text in of:
            out += r.pack("Q", len(text)) + text.encode()
    return out + r.pack("II", 0, 0) + r.pack("Q", 0)


def trace_format(name, number, fields, print_format):
    """A file of tracefs; fields are (declaration, offset, size, signed)"""
    common = (("unsigned short common_type", 0, 2, 0), ("unsigned char common_flags", 2, 1, 0),
              ("unsigned char common_preempt_count", 3, 1, 0), ("int common_pid", 4, 4, 1))

    def lines(of):
        return "".join("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % f for f in of)
    return (f"name: {name}\nID: {number}\nformat:\n{lines(common)}\n{lines(fields)}\n"
            f"print fmt: {print_format}\n")


WAKEUP = trace_format("corpus_wakeup", 777, (
    ("char comm[16]", 8, 16, 0), ("pid_t pid", 24, 4, 1), ("int prio", 28, 4, 1)),
    '"comm=%s pid=%d prio=%d", REC->comm, REC->pid, REC->prio')

# A field of each kind; the text follows them
KINDS_OF_FIELDS = trace_format("corpus_kinds", 778, (
    ("__data_loc char[] name", 8, 4, 0), ("int state", 12, 4, 1), ("u64 flags", 16, 8, 0),
    ("u8 bytes[8]", 24, 8, 0), ("void * function", 32, 8, 0), ("s64 delta", 40, 8, 1),
    ("u32 len", 48, 4, 0), ("bool on", 52, 1, 0)),
    '"name=%s state=%s%s flags=%s bytes=%s %s at=%ps delta=%lld on=%d", __get_str(name), '
    '__print_symbolic(REC->state, { 0, "R" }, { 1, "S" }), REC->state > 1 ? "+" : "", '
    '__print_flags(REC->flags, "|", { 1, "ONE" }, { 2, "TWO" }), __print_hex(REC->bytes, 8), '
    '__print_hex_str(REC->bytes, REC->len), REC->function, REC->delta, REC->on')


def chain_of(r):
    def chain(i, at):
        callers = [at["ip"]] + [r.rng.choice((TEXT, TEXT + 0x100)) + 4 * r.rng.randrange(512)
                                for _ in range(i % 7)]
        if at["misc"] == KERNEL:
            return [CONTEXT_KERNEL, at["ip"], (KTEXT & (2**r.bits - 1)) + 0x500, CONTEXT_USER,
                    *callers[1:]]
        return [CONTEXT_USER, *callers]
    return chain


def branches_of(r):
    return lambda i, at: [(TEXT + 16 * r.rng.randrange(512), TEXT + 16 * r.rng.randrange(512),
                           2 >> r.rng.randrange(2) | r.rng.randrange(64) << 4)
                          for _ in range(i % 9)]


def two_events():
    return [Event("cpu_core/cycles/", 0, 4 << 32, USUAL | ID | IDENTIFIER),
            Event("cpu_atom/cycles/", 0, 8 << 32, USUAL | ID | IDENTIFIER)]


def plain(**how):
    return Recording(Event("cycles"), **how).begin().some()


def chains(**how):
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN), **how).begin()
    return r.some(chain=chain_of(r))


def events(**how):
    r = Recording(*two_events(), **how).begin()
    return r.some(event=lambda i, at: i % 3 % 2)


# As with Intel PT as the first event: all samples are of the second event
def second_event():
    r = Recording(*two_events()).begin()
    return r.some(event=lambda i, at: 1)


# As perf wrote them before groups could be inherited
def group(kind=USUAL | ID | READ, **how):
    form = GROUP_FORMAT | ID_FORMAT
    r = Recording(Event("{leader", 0, 0, kind, 1000, False, form, inherit=False),
                  Event("member", 0, 1, kind, 0, False, form, inherit=False),
                  Event("other}", 0, 2, kind, 0, False, form, inherit=False), **how).begin()
    return r.some(period=lambda i, at: 1000, chain=chain_of(r),
                  reads=lambda i, at: [(990 * (i + 1) + i % 7, 100), (30 * i * i, 101),
                                       (7 * (i // 2), 102)])


def branches(**how):
    r = Recording(Event("cycles", sample_type=USUAL | BRANCH, branches=1 | 8), **how).begin()
    return r.some(branches=branches_of(r))


# PERF_SAMPLE_BRANCH_USER | CALL_STACK: kernel frames are in a chain, user frames in branches
def lbr_chains():
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN | BRANCH,
                        branches=1 | 1 << 11)).begin()
    return r.some(misc=lambda i, at: USER, ip=lambda i, at: TEXT + 4 * i,
                  chain=lambda i, at: [CONTEXT_USER, TEXT + 4 * i],
                  branches=lambda i, at: [(TEXT + 256 * (k + 1) + 4 * i, TEXT + 256 * k, 0)
                                          for k in range(1 + i % 6)])


def memory():
    r = Recording(Event("cpu/mem-loads/", 4, 0x1cd,
                        USUAL | ADDR | WEIGHT | DATA_SRC | PHYS_ADDR)).begin()
    return r.some(weight=lambda i, at: i, source=lambda i, at: 0x68100142, phys=lambda i, at: 64 * i,
                  addr=lambda i, at: 0x7ffc0000 + 8 * i)


def tracepoint(**how):
    kind = USUAL | ID | IDENTIFIER | RAW
    r = Recording(Event("corpus:corpus_wakeup", 2, 777, kind, 1, False),
                  Event("corpus:corpus_kinds", 2, 778, kind, 1, False), **how)
    r.features[TRACING] = tracing_data(r, {("corpus", "corpus_wakeup"): WAKEUP,
                                     ("corpus", "corpus_kinds"): KINDS_OF_FIELDS})
    r.begin()

    def raw(i, at):
        if i % 3 < 2:
            return r.pack("HBBi16sii", 777, 0, 0, at["pid"], b"a task" if i % 4 else b"task%d" % i,
                          100 + i % 2, 120)
        name = b"name%d\0" % (i % 4)
        return r.pack("HBBiIiQ8sQqI?xxx", 778, 0, 0, at["pid"], len(name) << 16 | 56, i % 4, i % 8,
                      b"%08d" % i, KTEXT + 16 * i, -i, i % 8, i % 2) + name
    return r.some(event=lambda i, at: i % 3 // 2, raw=raw)


# As perf wrote pipes before 4.14: names are made from attributes. perf adds HG to the name.
def unnamed(**how):
    kind = USUAL | ID | IDENTIFIER
    r = Recording(Event("L1-dcache-load-misses", 3, 0x10000, kind),
                  Event("dTLB-stores", 3, 0x103, kind), Event("raw 0x1a8", 4, 0x1a8, kind),
                  Event("cpu-clock", 1, 0, kind), Event("instructions", 0, 1, kind),
                  named=False, **how)
    return r.begin().some(event=lambda i, at: i % 5)


def guest():
    r = Recording(Event("cycles:GH")).begin()
    return r.some(misc=lambda i, at: (GUEST_KERNEL, GUEST_USER, USER)[i % 3])


# Intel BTS: to decode it, the binaries are needed
def trace(samples):
    r = Recording(Event("intel_bts//", 7, 0, USUAL | IDENTIFIER, 1, False),
                  Event("cycles", sample_type=USUAL | IDENTIFIER)).begin()
    r.record(AUXTRACE_INFO, r.pack("IIQQQQQQ", 2, 0, 7, 0, 1, 0, 0, 0))
    r.record(ITRACE_START, r.pack("II", 10, 10))
    r.record(AUX, r.pack("QQQ", 0, 64, 0))
    r.record(AUXTRACE, r.pack("QQQIIII", 64, 0, 0, 0, 10, 0, 0))
    r.data += bytes(64)
    if samples:
        r.some(event=lambda i, at: 1)
    return r


# perf stat record writes no samples
def stat():
    r = Recording(Event("cycles"), Event("instructions", config=1))
    r.record(STAT_CONFIG, r.pack("QQQ", 1, 0, 1))
    for i, e in enumerate(r.events):
        r.record(STAT, r.pack("QIIQQQ", e.ids[0], 0, 0, 1000 * (i + 1), 100, 100))
    r.record(STAT_ROUND, r.pack("QQ", 1, 5000))
    return r


# Registers of x86-64; 6 to 8 are BP, SP and IP. The code is in no file here: then perf prints
# nothing, not even the sampled address.
def stacks():
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN | REGS_USER | STACK_USER,
                        regs=7 << 6, stack=64)).begin()
    return r.some(misc=lambda i, at: USER, ip=lambda i, at: TEXT + 4 * i,
                  regs=lambda i, at: (0x7ffc0040, 0x7ffc0000, TEXT + 4 * i),
                  stack=lambda i, at: bytes(64))


# perf before 7.3 unwinds none of them on a machine of 64 bits
def narrow_stacks():
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN | REGS_USER | STACK_USER,
                        regs=7 << 6, stack=64)).begin()
    return r.some(misc=lambda i, at: USER, ip=lambda i, at: TEXT + 4 * i, abi=lambda i, at: 1,
                  regs=lambda i, at: (0x7ffc0040, 0x7ffc0000, TEXT + 4 * i),
                  stack=lambda i, at: bytes(64))


# perf before 6.19 does not know these records; the chain of a cookie comes when the thread returns
# to user space
def deferred():
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN)).begin()
    for i in range(8):
        at = KTEXT + 16 * i
        r.sample(ip=at, pid=10, tid=10, misc=KERNEL,
                 chain=[CONTEXT_KERNEL, at, KTEXT + 0x500, CONTEXT_USER_DEFERRED, i + 1])
        r.now += 100
        tail = r.pack("IIQII", 10, 10, r.now, 0, 0)
        body = r.pack("QQ3Q", i + 1, 3, CONTEXT_USER, TEXT + 4 * i, TEXT + 0x100)
        r.record(CALLCHAIN_DEFERRED, body + tail, USER, tail=False)
    r.record(FINISHED_ROUND, b"")
    return r


def switches():
    r = plain()
    for i in range(4):
        r.record(SWITCH, b"", 1 << 13 if i % 2 else 0)
    return r


# perf record -s: the count of a thread, written when it exits
def reads():
    r = plain()
    for pid in r.pids:
        r.record(READ_RECORD, r.pack("IIQ", pid, pid, 12345))
    return r


def raw_data():
    r = Recording(Event("ibs_op//", 11, 0, USUAL | RAW, 1000)).begin()
    return r.some(raw=lambda i, at: bytes(range(20)))


def unknown_records():
    r = plain()
    for i in range(3):
        r.record(40 + i % 2, bytes(8 * i))
    return r


# From before records had event ids, and before sample_id_all
def old():
    r = Recording(Event("cycles", sample_type=IP | TID | TIME), version=1)
    return r.begin().some()


# Whose registers they are is not known, so neither tool can follow the stack
def unknown_stacks():
    r = stacks()
    del r.features[6]
    return r


# By a later perf record, whose attributes are longer than those that perf knows
def later_attributes():
    r = Recording(Event("cycles", sample_type=USUAL & ~CPU))
    r.attr_size = 256
    return r.begin().some()


def no_times():
    return Recording(Event("cycles", sample_type=IP | TID | PERIOD)).begin().some()


def arm32():
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN), arch="armv7l", bits=32).begin()
    return r.some(chain=chain_of(r))


def damaged():
    r = plain()
    r.data += r.pack("IHH", SAMPLE, 0, 4) + bytes(40)
    return r


def cut(r, size):
    r.cut = size
    return r


# Code that a program has in a memfd, and did not write into a file
def memfd():
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN)).begin()
    r.mmap(r.pids[0], 0x7e000000, 0x10000, "/memfd:code (deleted)", 0xa000)
    return r.some(ip=lambda i, at: 0x7e000000 + 4 * i, pid=lambda i, at: r.pids[0],
                  tid=lambda i, at: r.pids[0], misc=lambda i, at: USER,
                  chain=lambda i, at: (-512 & 2**64 - 1, at["ip"], 0x7e000100))


# perf prints newlines as they are, also behind a parenthesis
def newlines():
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN)).begin()
    r.comm(r.pids[0], r.pids[0], "new\nline")
    r.mmap(r.pids[1], TEXT, 0x10000, "/nowhere/a (file)\n of two lines")
    return r.some(chain=chain_of(r))


# A program without frame pointers: the number in a chain is in data, whose mapping was recorded
def in_data():
    r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN)).begin()
    r.mmap(r.pids[0], 0x7d000000, 0x10000, "/nowhere/first", 0x20000, USER | 1 << 13)
    return r.some(ip=lambda i, at: TEXT + 4 * i, pid=lambda i, at: r.pids[0],
                  tid=lambda i, at: r.pids[0], misc=lambda i, at: USER,
                  chain=lambda i, at: (CONTEXT_USER, at["ip"], 0x7d000123))


# Fields and sections that none of the kinds below has, in a byte order; an s390x has no stacks that
# we unwind. The id of the cgroup is behind all other fields of a sample.
def everything(order):
    r = Recording(Event("cycles", sample_type=USUAL | ADDR | CALLCHAIN | RAW | BRANCH | REGS_USER |
                        STACK_USER | WEIGHT | DATA_SRC | TRANSACTION | REGS_INTR | PHYS_ADDR |
                        CGROUP, branches=1 | HW_INDEX | COUNTERS, regs=7, stack=64, intr=3),
                  order=order, arch="s390x")

    def texts(*some):
        return r.pack("I", len(some)) + b"".join(map(r.string, some))

    r.features.update({
        7: r.pack("II", 4, 8), 8: r.string("a cpu"), 9: r.string("an id"),
        10: r.pack("Q", 123456789), 11: texts("record", "-a"),
        13: texts() + texts("0", "1") + r.pack("8I", *range(8)),
        14: r.pack("IIQQ", 1, 3, 1000, 500) + r.string("0-1"),
        16: r.pack("II", 2, 4) + r.string("cpu") + r.pack("I", 6) + r.string("other"),
        21: r.pack("QQ", 5000000000, 6000000000), 23: r.pack("Q", 1),
        29: r.pack("IIQQ", 1, 1, 1795305600000000000, 5000000000)})
    r.begin()
    for n in range(2):
        build_id = r.pack("B3x20s", 20, bytes(range(n, n + 20)))
        r.mmap2(0x8000000 + n * 0x100000, build_id, "/nowhere/built%d" % n, USER | 1 << 14)
    r.mmap2(0x9000000, r.pack("IIQQ", 8, 1, 77, 2), "/nowhere/inode", USER)
    r.record(LOST, r.pack("QQ", 1, 7))
    r.record(CGROUP_RECORD, r.pack("Q", 1 << 40 | 5) + b"/a.slice\0")
    return r.some(
        chain=chain_of(r), branches=branches_of(r), raw=lambda i, at: bytes(i % 9),
        ip=lambda i, at: 0x8000000 + i % 3 * 0x100000 * (i % 2), pid=lambda i, at: 10,
        tid=lambda i, at: 10, misc=lambda i, at: USER, weight=lambda i, at: i,
        regs=lambda i, at: (1, 2, 3) * (i % 2), intr=lambda i, at: (4, 5) * (i % 3 % 2),
        stack=lambda i, at: bytes(64) * (i % 3 % 2), cgroup=lambda i, at: 1 << 40 | i % 7)


KINDS = {
    "identical-plain": plain,
    "identical-pipe": lambda: plain(pipe=True),
    "identical-arm64": lambda: plain(arch="aarch64"),
    "identical-arm32": arm32,
    "identical-chains": chains,
    "identical-chains-pipe": lambda: chains(pipe=True),
    "identical-hybrid": events,
    "identical-hybrid-pipe": lambda: events(pipe=True),
    "identical-second-event": second_event,
    "identical-no-times": no_times,
    "explained-later-attributes": later_attributes,
    "explained-guest": guest,
    "identical-version1": old,
    "identical-other-order": lambda: plain(order=">", arch="s390x"),
    "identical-other-order-chains": lambda: chains(order=">", arch="s390x"),
    "identical-other-order-hybrid": lambda: events(order=">", arch="s390x"),
    "explained-other-order-pipe": lambda: events(order=">", arch="s390x", pipe=True),
    "identical-other-order-branches": lambda: branches(order=">", arch="s390x"),
    "identical-other-order-group": lambda: group(order=">", arch="s390x"),
    "identical-other-order-tracepoint": lambda: tracepoint(order=">", arch="s390x"),
    "identical-other-order-32": lambda: events(order=">", arch="ppc", bits=32),
    "identical-other-order-version1": lambda: plain(order=">", arch="s390x", version=1),
    "identical-branches": branches,
    "identical-lbr-chains": lbr_chains,
    "identical-group": group,
    "identical-group-pipe": lambda: group(pipe=True),
    "identical-group-chains": lambda: group(USUAL | ID | READ | CALLCHAIN | IDENTIFIER),
    "identical-group-no-periods": lambda: group((USUAL | ID | READ) & ~PERIOD),
    "told-memory": memory,
    "identical-tracepoint": tracepoint,
    "identical-tracepoint-pipe": lambda: tracepoint(pipe=True),
    "explained-unnamed": unnamed,
    "explained-unnamed-pipe": lambda: unnamed(pipe=True),
    "identical-unnamed-tracepoint-pipe": lambda: tracepoint(pipe=True, named=False),
    "told-trace": lambda: trace(True),
    "told-trace-alone": lambda: trace(False),
    "told-stat": stat,
    "told-raw-data": raw_data,
    "told-unknown-records": unknown_records,
    "explained-stacks": stacks,
    "identical-unknown-stacks": unknown_stacks,
    "explained-narrow-stacks": narrow_stacks,
    "explained-deferred": deferred,
    "identical-switches": switches,
    "identical-reads": reads,
    "told-damaged": damaged,
    "told-cut-sample": lambda: cut(plain(), 60),
    "told-cut-stat": lambda: cut(stat(), 13),
    "explained-memfd": memfd,
    "identical-newlines": newlines,
    "explained-in-data": in_data,
}


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for name, make in KINDS.items():
        make().write(os.path.join(out, name + ".data"))


if __name__ == "__main__":
    main()
