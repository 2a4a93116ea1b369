# SPDX-License-Identifier: GPL-2.0-only
"""dense.py DIR BYTES: recordings of about BYTES that are full of one thing, each in its smallest
form and each another one: what a reader keeps of each of them must not be much more than they are.
"""
import struct
import sys

MMAP, COMM, FORK, SAMPLE, NAMESPACES, KSYMBOL, CGROUP, DEFERRED = 1, 3, 7, 9, 16, 17, 19, 22
USER, KERNEL, EXEC = 2, 1, 0x2000
IP, TID, TIME, READ, CHAIN, PERIOD = 1, 2, 4, 0x10, 0x20, 0x100
RAW, BRANCHES, REGS, STACK, IDENTIFIER = 0x400, 0x800, 0x1000, 0x2000, 0x10000


def record(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def attribute(kind=IP | TID, config=0, regs=0, read=0):
    return struct.pack("<IIQQQQQ", 1, 112, config, 1000, kind, read, 1 << 10).ljust(80, b"\0") + \
        struct.pack("<QII", regs, 0, 0).ljust(32, b"\0")


def string(text):
    return struct.pack("<I", len(text) + 1) + text + b"\0"


def file(records, attrs=None, ids=(), features=()):
    """ids: of the first event; features: pairs of number and contents, in order"""
    attrs = attrs or [attribute()]
    at = 104
    sections = struct.pack("<QQ", at, 8 * len(ids))
    head_ids = struct.pack(f"<{len(ids)}Q", *ids)
    at += len(head_ids)
    table = b"".join(a + (sections if not i else struct.pack("<QQ", at, 0))
                     for i, a in enumerate(attrs))
    attrs_at, data_at = at, at + len(table)
    data = b"".join(records)
    at = data_at + len(data)
    bits = [0] * 4
    places, contents, at = b"", b"", at + 16 * len(features)
    for bit, text in features:
        bits[bit // 64] |= 1 << bit % 64
        places += struct.pack("<QQ", at + len(contents), len(text))
        contents += text
    return struct.pack("<13Q", 0x32454c4946524550, 104, 128, attrs_at, len(table), data_at,
                       len(data), 0, 0, *bits) + head_ids + table + data + places + contents


def pipe(records, attrs=None):
    attrs = attrs or [attribute()]
    return struct.pack("<QQ", 0x32454c4946524550, 16) + \
        b"".join(record(64, 0, a + struct.pack("<Q", i)) for i, a in enumerate(attrs)) + \
        b"".join(records)


def mmap(pid, start, size, path, misc=USER):
    return record(MMAP, misc, struct.pack("<iiQQQ", pid, pid, start, size, 0) + path + b"\0")


def comm(pid, tid, name, misc=0):
    return record(COMM, misc, struct.pack("<ii", pid, tid) + name + b"\0")


def fork(pid, parent):
    return record(FORK, 0, struct.pack("<iiiiQ", pid, parent, pid, parent, 0))


def sample(fields, misc=USER):
    return record(SAMPLE, misc, struct.pack(f"<{len(fields)}Q", *fields))


def fill(make, size):
    """make(0), make(1) ... of that size together"""
    out, have = [], 0
    while have < size:
        out.append(make(len(out)))
        have += len(out[-1])
    return out


def name(i):
    return b"%x" % i


def kinds(size):
    page = 4096
    few = size // 3
    yield "ids", file([], ids=range(1, size // 8))
    yield "attrs", file([], attrs=[attribute(config=i) for i in range(size // 128)])
    yield "pipe-attrs", pipe([], attrs=[attribute(config=i) for i in range(size // 128)])
    yield "threads", file(fill(lambda i: comm(i, i, name(i)), size))
    yield "names", file(fill(lambda i: comm(1, 1, name(i)), size))
    yield "execs", file(fill(lambda i: comm(i, i, name(i), EXEC), size))
    yield "forks", file(fill(lambda i: fork(i + 1, i), size))
    yield "families", file(fill(lambda i: fork(i + 1, i // 8) +
                                mmap(i + 1, page * i, page, b"/a"), size))
    yield "maps", file(fill(lambda i: mmap(1, page * i, page, b"/" + name(i)), size))
    yield "processes", file(fill(lambda i: mmap(i, page, page, b"/a"), size))
    yield "modules", file(fill(lambda i: mmap(-1, page * i, page, b"[" + name(i) + b"]", KERNEL),
                               size))
    yield "anonymous", file(fill(lambda i: mmap(i, page, page, b"//anon"), size))
    nr = size // 96
    yield "nested", file(fill(lambda i: mmap(1, page * i, 2 * page * (nr - i), b"/a"), few))
    yield "covering", file(fill(lambda i: mmap(1, page * (nr - i), 2 * page * i + 1, b"/a"), few))
    yield "shifted", file(fill(lambda i: mmap(1, page * i, page * nr, b"/a"), few))
    yield "many-nested", file(fill(lambda i: mmap(i % 16, page * i, 2 * page * (nr - i), b"/a"),
                                   few))
    yield "programs", file(fill(lambda i: record(KSYMBOL, KERNEL, struct.pack(
        "<QIHH", page * i, page, 1, 0) + name(i) + b"\0"), size) +
        2 * [sample([page, 1 << 32 | 1])])
    yield "cgroups", file(fill(lambda i: record(CGROUP, 0, struct.pack("<Q", i) + name(i) + b"\0"),
                               size))
    yield "namespaces", file(fill(lambda i: record(NAMESPACES, 0, struct.pack(
        "<iiQ", i, i, 7) + struct.pack("<14Q", *range(14))), size))
    yield "addresses", file(fill(lambda i: sample([page * i, 1 << 32 | 1]), size))
    yield "tids", file(fill(lambda i: sample([page, (i + 1) << 32 | 1]), size))
    yield "empty", file(fill(lambda i: sample([]), size), [attribute(0)])
    yield "weights", file(fill(lambda i: sample([page * i, 1 << 32 | 1, i]), size),
                          [attribute(IP | TID | PERIOD)])
    yield "chains", file(fill(lambda i: sample([page, 1 << 32 | 1, 4] + [
        page * (4 * i + k) for k in range(4)]), size), [attribute(IP | TID | CHAIN)])
    yield "long-chains", file(fill(lambda i: sample([page, 1 << 32 | 1, 1000] + [
        page * (1000 * i + k) for k in range(1000)]), size), [attribute(IP | TID | CHAIN)])
    yield "branches", file(fill(lambda i: sample([page, 1 << 32 | 1, 16] + [
        page * (48 * i + k) for k in range(48)]), size), [attribute(IP | TID | BRANCHES)])
    yield "stacks", file(fill(lambda i: sample([page, 1 << 32 | 1, 2] + [
        page * (3 * i + k) for k in range(3)] + [64] + list(range(8)) + [64]), size),
        [attribute(IP | TID | REGS | STACK, regs=1 << 6 | 1 << 7 | 1 << 8)])
    yield "counts", file(fill(lambda i: sample([i % 8 + 1, page, 1 << 32 | 1, 8] + [
        v for k in range(8) for v in (i * 100 + k, k + 1)]), size),
        [attribute(IDENTIFIER | IP | TID | READ, read=4 | 8)], ids=range(1, 9))
    yield "deferred", file(fill(lambda i: record(DEFERRED, USER, struct.pack("<QQ", i, 0)), size))
    yield "unknown", file(fill(lambda i: record(100 + i % 1000, 0, b""), size))
    yield "rounds", file(fill(lambda i: record(68, 0, b"") + sample([page, 1 << 32 | 1]), size))
    yield "build-ids", file([], features=[(2, b"".join(fill(lambda i: record(
        0, USER, struct.pack("<i24s", -1, name(i).ljust(20, b"x")) + b"/" + name(i) + b"\0"),
        size)))])
    yield "command-line", file([], features=[(11, struct.pack("<I", size // 8) + b"".join(
        fill(lambda i: string(b"abc"), size)))])
    yield "descriptions", file([], features=[(12, struct.pack("<II", size // 160, 112) + b"".join(
        fill(lambda i: attribute(config=i) + struct.pack("<I", 0) + string(name(i)), size)))])
    yield "pmus", file([], features=[(16, struct.pack("<I", size // 12) + b"".join(
        fill(lambda i: struct.pack("<I", i) + string(b"abc"), size)))])
    yield "groups", file([], features=[(17, struct.pack("<I", size // 16) + b"".join(
        fill(lambda i: string(b"abc") + struct.pack("<II", i, 1), size)))])
    yield "metadata", file([], features=[(240, b"".join(fill(lambda i: b"note %x\n" % i, size)))])
    yield "pipe-features", pipe(fill(lambda i: record(80, 0, struct.pack("<Q", i % 256)), size))
    yield "updates", pipe(fill(lambda i: record(78, 0, struct.pack("<QQ", 0, i) + b"a\0"), size))


def main():
    directory, size = sys.argv[1], int(sys.argv[2])
    for kind, content in kinds(size):
        with open(f"{directory}/{kind}", "wb") as f:
            f.write(content)


main()
