#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Device trees that are damaged or wrong: boards and board-tree end, say in one line which file is bad
and why, and exit with 1. They have sanitizers, which say more if they read what is not there.

Usage: bad-trees.py BOARDS BOARD-TREE
"""

import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

BOARDS, BOARD_TREE = (Path(program).resolve() for program in sys.argv[1:])

# Both blocks are debug blocks on a bus with two cells for addresses, and two for sizes.
GOOD = """/dts-v1/;
/ {
	model = "Good";
	compatible = "acme,board", "acme,soc";
	#address-cells = <2>;
	#size-cells = <2>;
	cpus {
		#address-cells = <1>;
		#size-cells = <0>;
		cpu0: cpu@0 { device_type = "cpu"; compatible = "arm,cortex-a53"; reg = <0>; };
		cpu1: cpu@1 { device_type = "cpu"; compatible = "arm,cortex-a53"; reg = <1>; };
	};
	clock: pc-sample-clock { compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <1>; };
	soc {
		#address-cells = <2>;
		#size-cells = <2>;
		ranges;
		debug@0 {
			compatible = "arm,coresight-cpu-debug", "arm,primecell";
			reg = <0 0 0 0x1000>;
			clocks = <&clock>;
			cpu = <&cpu0>;
			clock-names = "apb_pclk";
		};
		debug@852000 {
			compatible = "arm,coresight-cpu-debug", "arm,primecell";
			reg = <0 0x852000 0 0x1000>;
			cpu = <&cpu1>;
			clocks = <&clock>;
			clock-names = "apb_pclk";
		};
	};
};
"""
FIRST, LAST = "/soc/debug@0", "/soc/debug@852000"

# With a slash before and behind it, all of the 256 bytes that boards has for a path
LONG = "x" * 254


def without(text, *lines):
    for line in lines:
        assert line in text, line
        text = text.replace(line, "")
    return text


def instead(old, new):
    """The good tree but for the last place in which this is"""
    before, found, after = GOOD.rpartition(old)
    assert found, old
    return before + new + after


# What is wrong with the last block: the source, and what is said of it
WRONG = {
    "short-reg": (instead("<0 0x852000 0 0x1000>", "<0 0x852000 0x1000>"), "reg is no block"),
    "no-reg": (without(GOOD, "reg = <0 0x852000 0 0x1000>;"), "reg is no block"),
    "small-reg": (instead("0x852000 0 0x1000", "0x852000 0 0xfff"), "reg is no block"),
    "no-cpu": (without(GOOD, "cpu = <&cpu1>;"), "names no CPU"),
    "short-cpu": (instead("cpu = <&cpu1>", "cpu = [01]"), "names no CPU"),
    "cpu-nowhere": (instead("cpu = <&cpu1>", "cpu = <0x1234>"), "names no CPU"),
    "cpu-0": (instead("cpu = <&cpu1>", "cpu = <0>"), "names no CPU"),
    "cpu-is-a-clock": (instead("cpu = <&cpu1>", "cpu = <&clock>"), "names no CPU"),
    "two-of-a-cpu": (instead("cpu = <&cpu1>", "cpu = <&cpu0>"), "its CPU has a block already"),
    "two-at-an-address": (instead("0 0x852000 0", "0 0x800 0"), "the block of another CPU is there"),
    "not-on-amba": (instead(', "arm,primecell"', ""), "is not on the AMBA bus"),
    "no-clock": (instead('clock-names = "apb_pclk"', 'clock-names = "other"'), "has no apb_pclk"),
    "no-end-of-a-name": (instead('"apb_pclk"', "[61 70 62 5f 70 63 6c 6b]"), "has no apb_pclk"),
    "other-core": (instead('"arm,cortex-a53"', '"arm,cortex-a55"'), "is of a CPU that is not"),
}

# What is wrong with the bus, and so with both
WRONG_BUS = {
    "many-cells": instead("#address-cells = <2>;", "#address-cells = <3>;"),
    "no-cells": instead("#size-cells = <2>;", "#size-cells = <0>;"),
    "cells-of-2-bytes": instead("#size-cells = <2>;", "#size-cells = [00 02];"),
}


def compiled(source):
    done = subprocess.run(["dtc", "-q", "-f", "-I", "dts", "-O", "dtb"], input=source.encode(),
                          stdout=subprocess.PIPE, timeout=60, check=True)
    return done.stdout


def with_header(tree, **fields):
    """The tree with other numbers in its header"""
    names = ("magic", "totalsize", "off_dt_struct", "off_dt_strings", "off_mem_rsvmap", "version",
             "last_comp_version", "boot_cpuid_phys", "size_dt_strings", "size_dt_struct")
    values = list(struct.unpack(">10I", tree[:40]))
    for name, value in fields.items():
        values[names.index(name)] = value
    return struct.pack(">10I", *values) + tree[40:]


def misaligned(tree):
    """All but the header is a byte later."""
    off = struct.unpack(">5I", tree[:20])
    return with_header(tree[:40] + b"\0" + tree[40:], totalsize=off[1] + 1,
                       off_dt_struct=off[2] + 1, off_dt_strings=off[3] + 1,
                       off_mem_rsvmap=off[4] + 1)


def run(files):
    """Exit status, total, and lines of stderr"""
    done = subprocess.run([BOARDS, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300, check=False)
    said = done.stderr.decode(errors="replace").splitlines()
    lines = done.stdout.decode(errors="replace").splitlines()
    # Sanitizers exit with 1, too, but there is no total then.
    assert done.returncode in (0, 1) and lines and lines[-1].startswith("total\t"), said
    assert all(line.count("\t") == 8 for line in lines[:-1]), lines
    return done.returncode, [int(n) for n in lines[-1].split("\t")[1:]], said


def is_good(file):
    done = run([file])
    assert done == (0, [1, 1, 0], []), (file, done)


def is_told(file, *reasons):
    """Of this file, beside a good one, boards says these in a line each, in any order."""
    status, total, said = run([GOOD_TREE, file])
    assert (status, total[0], total[2]) == (1, 2, len(reasons)), (file, status, total, said)
    assert len(said) == len(reasons), (file, said)
    for reason in reasons:
        assert any(line.startswith(f"{file}: ") and reason in line for line in said), (reason, said)


def tree(name, data):
    file = Path(name + ".dtb")
    file.write_bytes(data)
    return file


def good_trees():
    """The second one has two buses, and a block at address 0 of each."""
    first, middle, second = GOOD.partition("\t\tdebug@852000")
    bus = GOOD[GOOD.index("\tsoc {"):GOOD.index("\t\tdebug@0")].replace("soc", "other")
    two = first + "\t};\n" + bus + middle + second.replace("0x852000", "0")
    is_good(GOOD_TREE)
    is_good(tree("two-buses", compiled(two)))


def wrong_nodes():
    for name, (source, reason) in WRONG.items():
        is_told(tree(name, compiled(source)), f"{LAST}: {reason}")
    for name, source in WRONG_BUS.items():
        is_told(tree(name, compiled(source)), f"{FIRST}: reg is no block",
                f"{LAST}: reg is no block")


def no_cpus():
    source = re.sub(r"\tcpus {.*?\n\t};\n", "", GOOD, flags=re.S)
    source = re.sub("<&cpu[01]>", "<0x1234>", source)
    none = (f"{FIRST}: names no CPU", f"{LAST}: names no CPU")
    is_told(tree("no-cpus", compiled(source)), *none)
    is_told(tree("no-cpu-in-cpus", compiled(without(GOOD, 'device_type = "cpu";'))), *none)
    status, total, said = run(["no-cpus.dtb"])
    assert total == [1, 0, 2], (status, total, said)


def long_path():
    source = without(GOOD.replace("\tsoc {", f"\t{LONG} {{"), "cpu = <&cpu1>;")
    is_told(tree("long-path", compiled(source)), "a node with a long path: names no CPU")


def any_text():
    """Names and texts with a new line and an escape stay in one line, and do nothing there."""
    data = compiled(without(GOOD, "cpu = <&cpu1>;"))
    data = data.replace(b"debug@852000", b"debug@8\n20\33[").replace(b"Good", b"Go\n\t")
    is_told(tree("any-text", data), "/soc/debug@8?20?[: names no CPU")


def no_trees():
    good = GOOD_TREE.read_bytes()
    is_told(tree("magic", with_header(good, magic=0xd00dfeee)), "FDT_ERR_BADMAGIC")
    is_told(tree("text", GOOD.encode()), "FDT_ERR_BADMAGIC")
    is_told(tree("version", with_header(good, version=1, last_comp_version=1)),
            "FDT_ERR_BADVERSION")
    is_told(tree("larger", with_header(good, totalsize=len(good) + 1)), "FDT_ERR_TRUNCATED")
    is_told(tree("outside", with_header(good, off_dt_struct=0x7ffffffc)), "no device tree: ")
    is_told(tree("empty", b""), "cannot be read: ")
    is_told(Path("missing.dtb"), "cannot be read: No such file")
    is_told(Path("."), "cannot be read: ")


def cut_anywhere():
    good = GOOD_TREE.read_bytes()
    files = [tree(f"cut-{n}", good[:n]) for n in range(len(good))]
    status, total, said = run(files)
    assert (status, total) == (1, [len(files), 0, len(files)]), (status, total)
    assert all(line.startswith(f"{file}: ") for file, line in zip(files, said, strict=True))


def not_aligned():
    is_good(tree("misaligned", misaligned(GOOD_TREE.read_bytes())))


def damaged_anywhere():
    """Each line names a file, whatever byte of it is damaged, and however."""
    good = GOOD_TREE.read_bytes()
    files = []
    for at, byte in enumerate(good):
        for other in {0, 0xff, byte ^ 4} - {byte}:
            files.append(tree(f"byte-{at}-{other}", good[:at] + bytes([other]) + good[at + 1:]))
    status, total, said = run(files)
    assert (status, total[0], total[2]) == (1, len(files), len(said)), (status, total, len(said))
    known = {str(file) for file in files}
    assert all(line.split(":")[0] in known for line in said)


def is_merged(file, status):
    """With a machine that is as the good tree but for the blocks"""
    # Where it dies it leaves its memory to the system.
    done = subprocess.run([BOARD_TREE, file, "machine.dtb", "merged.dtb"], stderr=subprocess.PIPE,
                          timeout=60, check=False,
                          env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"})
    said = done.stderr.decode(errors="replace")
    assert done.returncode == status, (file, status, said)
    if status:
        assert said.startswith(f"board-tree: {file}: ") and said.count("\n") == 1, said


def merged_into_a_machine():
    good = GOOD_TREE.read_bytes()
    tree("machine", compiled(re.sub(r"\tsoc {.*?\n\t};\n", "", GOOD, flags=re.S)))
    is_merged(GOOD_TREE, 0)
    is_merged(tree("misaligned", misaligned(good)), 0)
    for size in range(0, len(good), 97):
        is_merged(tree("cut", good[:size]), 1)
    is_merged(tree("magic", with_header(good, magic=0)), 1)
    for name in ("no-cpu", "short-cpu", "cpu-nowhere", "cpu-0", "cpu-is-a-clock"):
        is_merged(tree(name, compiled(WRONG[name][0])), 1)
    is_merged(tree("cells", compiled(instead("#clock-cells = <0>", "#clock-cells = [00]"))), 1)
    # Of the largest number the next clock is where this one is: dtc would not end, so it gets another.
    many = compiled(instead("#clock-cells = <0>", "#clock-cells = <0x1234567>"))
    is_merged(tree("cells", many), 1)
    is_merged(tree("cells", many.replace(b"\1\x23\x45\x67", b"\xff\xff\xff\xff")), 1)


TESTS = [good_trees, wrong_nodes, no_cpus, long_path, any_text, no_trees, cut_anywhere,
         not_aligned, damaged_anywhere, merged_into_a_machine]

FAILED = []
with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    GOOD_TREE = tree("good", compiled(GOOD))
    for test in TESTS:
        try:
            test()
        except (AssertionError, subprocess.SubprocessError) as why:
            FAILED.append(test.__name__)
            print(f"{test.__name__}: {why}")
sys.exit(bool(FAILED))
