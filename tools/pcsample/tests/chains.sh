#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Call chains, as of perf record -g. Exports are compared with a recording whose contents are known,
# script and report --children with perf. tests/readers has what other programs read from exports.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

known() {
	python3 "$here/known-chains.py" "$MKREC" .
}

# export_as FORMAT [ARG...]: export to the file out
export_as() {
	"$PCSAMPLE" export -i known.data --kallsyms kallsyms -f "$@" -o out
}

# holds CODE: run Python with `expected` {stack: samples}; a stack is (command, function, ...)
holds() {
	python3 - <<-END
		import collections, gzip, json, re
		stacks = json.load(open("expected.json"))
		stacks = [((s[0], *map(tuple, s[1:])), n) for s, n in stacks]
		names = lambda s: (s[0], *(f for f, o in s[1:]))
		expected = collections.Counter()
		for s, n in stacks:
		    expected[names(s)] += n
		$1
	END
}

folded_has_every_chain() {
	once known
	export_as folded
	holds '
got = collections.Counter()
for line in open("out"):
    stack, n = line.rstrip("\n").rsplit(" ", 1)
    got[tuple(stack.split(";"))] += int(n)
assert got == {tuple(t.replace(";", ":") for t in k): n for k, n in expected.items()}, got
assert max(map(len, got)) > 10'
}

speedscope_has_every_chain() {
	once known
	export_as speedscope
	holds '
d = json.load(open("out"))
frames, got = d["shared"]["frames"], collections.Counter()
for p in d["profiles"]:
    for stack, weight in zip(p["samples"], p["weights"]):
        got[tuple(frames[i]["name"] for i in stack)] += weight
got.pop((), None)
assert got == {s: n * 1000000 for s, n in expected.items()}, got
of = {(f["name"], f["file"].rsplit("/", 1)[-1]) for f in frames if "file" in f}
assert of == {frame for s, n in stacks for frame in s[1:]}, of'
}

firefox_has_every_chain() {
	once known
	export_as firefox
	holds '
d = json.load(open("out"))
shared, got = d["shared"], collections.Counter()
stack, frame, func = (shared[t] for t in ("stackTable", "frameTable", "funcTable"))
lib = lambda f: d["libs"][shared["resourceTable"]["lib"][func["resource"][f]]]["name"]
for t in d["threads"]:
    for at in t["samples"]["stack"]:
        path = []
        while at is not None:
            f = frame["func"][stack["frame"][at]]
            path.insert(0, (shared["stringArray"][func["name"][f]], lib(f)))
            at = stack["prefix"][at]
        got[(t["name"], *path)] += 1
assert got == dict(stacks), got
assert d["meta"]["stackwalk"] == 1'
}

html_has_every_chain() {
	once known
	export_as html
	holds '
page = open("out").read()
d = json.loads(re.search(r"id=\"data\">(.*?)</script>", page, re.S).group(1))
assert d["chains"] is True and not d["recording"]["notes"]
cells, i, got = d["cells"], 0, collections.Counter()
while i < len(cells):
    n = cells[i + 2]
    for k in range(i + 3, i + 3 + 3 * n, 3):
        stack, node = [], cells[k] + 1
        while node:
            parent, text, level, dso, mode = d["nodes"][5 * (node - 1):5 * node]
            assert level == (2 if parent else 0) and parent < node, (level, parent, node)
            name = d["texts"][text]
            stack.insert(0, (name, d["objects"][dso]["name"]) if level else name)
            node = parent
        got[tuple(stack)] += cells[k + 1]
    i += 3 + 3 * n
assert got == dict(stacks), got'
}

# If there are more stacks than a page may show, the samples count for the frames around them
html_puts_stacks_together() {
	python3 - <<-'END' > lines
		import random
		rng = random.Random(5)
		print("type 0x1a7\ncomm 1 1 app 1\nkernel 0xffff800080000000 0x100000",
		      "0xffff800080000000 [kernel.kallsyms]_text 0")
		at = lambda f: 0xffff800080000000 + 256 * f + 8
		for i in range(40000):
		    # Half are of two functions; most of the others have chains of their own
		    chain = [rng.randrange(64 if i % 2 else 2) for _ in range(4)]
		    print("chain -128", *map(at, chain))
		    print("sample kernel", at(chain[0]), 1, 1, 1000 + i, 0, 1)
		with open("kallsyms", "w") as f:
		    f.writelines("%x T k%d\n" % (at(i) - 8, i) for i in range(65))
	END
	"$MKREC" known.data < lines
	export_as html
	python3 - <<-'END'
		import collections, json, re
		want = collections.Counter()
		for line in open("lines"):
		    if line.startswith("chain"):
		        at = [int(a) - 0xffff800080000008 for a in line.split()[2:]]
		        stack = ("app", *(f"k{a // 256}" for a in reversed(at)))
		        for n in range(1, len(stack) + 1):
		            want[stack[:n]] += 1
		page = open("out").read()
		d = json.loads(re.search(r"id=\"data\">(.*?)</script>", page, re.S).group(1))
		nodes, cells, got, i = d["nodes"], d["cells"], collections.Counter(), 0
		assert len(nodes) // 5 < 30000, len(nodes) // 5
		while i < len(cells):
		    n = cells[i + 2]
		    for k in range(i + 3, i + 3 + 3 * n, 3):
		        path, node = [], cells[k] + 1
		        while node:
		            path.insert(0, d["texts"][nodes[5 * (node - 1) + 1]])
		            node = nodes[5 * (node - 1)]
		        for n_outer in range(1, len(path) + 1):
		            got[tuple(path[:n_outer])] += cells[k + 1]
		    i += 3 + 3 * n
		assert got["app",] == 40000
		others = [s for s in got if "[other]" in s]
		assert others and all(s.index("[other]") == len(s) - 1 for s in others)
		assert len(got) - len(others) > 1000
		wrong = {s: (n, want[s]) for s, n in got.items()
		         if s not in others and n != want[s]}
		assert not wrong, wrong
	END
}

# A chain of pcsample's own PMU is only the sample's address, and is not used as a chain
chains_of_pc_samples() {
	local format type

	python3 - <<-'END'
		import struct
		name = b"arm_pcsample//".ljust(64, b"\0")
		open("event", "wb").write(struct.pack("<II", 1, 128) + bytes(128) +
		    struct.pack("<II", 0, len(name)) + name)
	END
	for type in 0x1a7 0x187; do
		mkdir $type
		{
			echo "type $type"
			echo "blob 12 event"
			echo "comm 1 1 app 1"
			for i in {1..20}; do
				[[ $type == 0x187 ]] || echo "chain -512 0x400100"
				echo "sample user 0x400100 1 1 $((1000 * i)) 0 1000"
			done
		} | "$MKREC" $type/known.data
		: > $type/kallsyms
		(
			cd $type
			for format in folded speedscope firefox html csv json; do
				export_as $format
				mv out out.$format
			done
			"$PCSAMPLE" script -i known.data > out.script
			"$PCSAMPLE" report -i known.data > out.report
			status 1 "$PCSAMPLE" report -i known.data --children 2> out.said
			rm known.data
		)
	done
	says 0x1a7/out.report 'of arm_pcsample//'
	# Only what the head lists as recorded may differ
	sed -i "s/|CALLCHAIN//" 0x1a7/out.*
	diff -r 0x1a7 0x187
}

# Parses the wire format of protobuf. The location of a caller must be in the call instruction.
pprof_has_every_chain() {
	need_feature protobuf-c
	once known
	export_as pprof
	holds '
def varints(b):
    v = shift = 0
    for byte in b:
        v |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield v
            v = shift = 0
def fields(b):
    f, i = collections.defaultdict(list), 0
    def varint():
        nonlocal i
        start = i
        while b[i] > 127:
            i += 1
        i += 1
        return next(varints(b[start:i]))
    while i < len(b):
        key = varint()
        n = varint()
        if key & 7:
            f[key >> 3].append(b[i:i + n])
            i += n
        else:
            f[key >> 3].append(n)
    return f
packed = lambda l: [v for c in l for v in ([c] if isinstance(c, int) else varints(c))]
p = fields(gzip.open("out").read())
strings = [s.decode() for s in p[6]]
text = lambda f, n: strings[(f.get(n) or [0])[0]]
functions = {f[1][0]: text(f, 2) for f in map(fields, p[5])}
mappings = {m[1][0]: m for m in map(fields, p[3])}
locations = {}
for l in map(fields, p[4]):
    m = mappings[l[2][0]]
    assert (m.get(2) or [0])[0] <= l[3][0] < m[3][0], (l, m)
    dso = text(m, 5).rsplit("/", 1)[-1]
    name = functions[fields(l[4][0])[1][0]] if 4 in l else dso if dso[0] == "[" else f"[{dso}]"
    locations[l[1][0]] = (name, dso)
got, seen = collections.Counter(), set()
for s in map(fields, p[2]):
    labels = {text(f, 1): text(f, 2) or (f.get(3) or [0])[0] for f in map(fields, s[3])}
    key = s[1][0], json.dumps(labels)
    assert key not in seen, "a row twice"
    seen.add(key)
    assert labels["pid"] == (200 if labels["thread_comm"] == "other" else 100)
    count, ns = packed(s[2])
    assert ns == count * 1000000
    got[(labels["thread_comm"], *(locations[i] for i in reversed(packed(s[1]))))] += count
assert got == dict(stacks), got'
}

# With --no-call-graph the export is as without chains, but says that there are some
old_form() {
	local format

	once known
	mkdir with without
	mv known.data with
	mv plain.data without/known.data
	cp kallsyms with
	cp kallsyms without
	for format in folded speedscope firefox csv; do
		(cd with && export_as $format --no-call-graph)
		(cd without && export_as $format)
		cmp {with,without}/out
	done
	(cd with && export_as json) && says with/out 'call chains were recorded'
	(cd with && export_as html --no-call-graph) && says with/out 'call chains were recorded'
	(cd without && export_as html) && cp without/out plain.html
	! grep -c 'call chains were' plain.html || die "there are none"
	for format in -G '-G --json'; do
		# shellcheck disable=SC2086 # two words
		for dir in with without; do
			(cd $dir && "$PCSAMPLE" script $format -i known.data > out)
		done
		cmp {with,without}/out
	done
}

# Functions inlined at a caller's call, as addr2line(1) prints them, are frames
inlined_callers() {
	local address at

	need_feature libdw
	cat > prog.c <<-'END'
		__attribute__((noinline)) int leaf(volatile int *x) { return *x + 1; }
		static inline __attribute__((always_inline)) int inner(volatile int *x)
		{
			return leaf(x) * 2 + leaf(x + 1);
		}
		static inline __attribute__((always_inline)) int middle(volatile int *x)
		{
			return inner(x) + *x;
		}
		__attribute__((noinline)) int outer(volatile int *x) { return middle(x) + 3; }
		int main(int c, char **v)
		{
			volatile int x[2] = { c, c };
			return outer(x);
		}
	END
	gcc -O1 -g -no-pie -o prog prog.c
	# Return addresses of the calls of leaf() in outer()
	objdump -d --disassemble=outer prog |
		sed -En '/(call|bl) .*<leaf>/{n;s/^ *([0-9a-f]*):.*/0x\1/p}' > returns
	[[ $(wc -l < returns) == 2 ]] || die "not two calls: $(< returns)"
	{
		echo "type 0x1a7"
		echo "comm 7 7 prog 1"
		readelf -lW prog | awk -v p="$PWD/prog" '$1 == "LOAD" && / R E / {
			print "mmap 7", $3, $6, $2, p, 2 }'
		while read -r address; do
			at=$(nm prog | awk '$3 == "leaf" { print "0x" $1 }')
			echo "chain -512 $at $address"
			echo "sample user $at 7 7 $((address)) 0 1"
		done < returns
	} | "$MKREC" known.data
	: > kallsyms
	while read -r address; do
		addr2line -ife prog "$(printf '0x%x' $((address - 1)))" | awk 'NR % 2' | tac |
			paste -sd ';'
	done < returns | sed 's/^/prog;/; s/$/;leaf/' | sort | uniq -c |
		awk '{ print $2, $1 }' > expected
	says expected 'prog;outer;middle;inner;leaf'
	export_as folded
	sort out | diff expected -
	export_as folded --no-inline
	[[ $(< out) == 'prog;outer;leaf 2' ]] || die "$(< out)"
	"$PCSAMPLE" script -i known.data -F ip,sym,dso | awk 'NF { print $2, $3 }' > out
	for _ in 1 2; do
		printf '%s\n' "leaf ($PWD/prog)" 'inner (inlined)' 'middle (inlined)' \
			"outer ($PWD/prog)"
	done | diff - out
	"$PCSAMPLE" script -i known.data --no-inline -F ip,sym,dso > out
	! grep inlined out || die "of inlined functions"
}

# Reference for report --children: a sample counts once for each row in its chain
children_are_counted_once() {
	local sort

	once known
	for sort in comm,dso,sym sym comm dso cpu,sym; do
		"$PCSAMPLE" report -i known.data --kallsyms kallsyms --children --sort $sort \
			--json > out
		holds '
keys = "'$sort'".split(",")
(event,) = json.load(open("out"))["events"]
rows = event["rows"]
name = {"comm": "comm", "dso": "dso", "sym": "symbol", "cpu": "cpu"}
total = sum(expected.values())
if "cpu" not in keys:
    want, own = collections.Counter(), collections.Counter()
    for s, n in stacks:
        def row(frame):
            f, o = frame
            sym = "[unknown]" if f[0] == "[" else f
            return tuple({"comm": s[0], "dso": o, "sym": sym}[k] for k in keys)
        for r in {row(frame) for frame in s[1:]}:
            want[r] += n
        own[row(s[-1])] += n
    got = collections.Counter()
    for r in rows:
        got[tuple(r[name[k]] for k in keys)] += r["children_samples"]
    # Code without a symbol may be in two privilege levels, which are two rows
    if "[unknown]" not in {k for r in got for k in r}:
        assert got == want, (got, want)
    for r in want:
        assert got[r] == want[r] or "[unknown]" in r, (r, got[r], want[r])
    for r in rows:
        key = tuple(r[name[k]] for k in keys)
        assert "[unknown]" in key or r["samples"] == own[key], (r, own[key])
assert [r["children"] for r in rows] == sorted((r["children"] for r in rows), reverse=True)
for r in rows:
    assert abs(r["children"] - r["children_samples"] / total) < 1e-6, r
    assert r["children_low"] <= r["children"] <= r["children_high"], r
    assert r["samples"] <= r["children_samples"], r
assert sum(r["samples"] for r in rows) == total'
	done
	"$PCSAMPLE" report -i known.data --kallsyms kallsyms --children > out
	says out '# Children   Overhead   95 % interval    Samples  Command'
	! grep 'Note:' out || die "callers are counted"
	"$PCSAMPLE" report -i known.data --kallsyms kallsyms --children -t '|' -q > out
	awk -F '|' 'NF != 7 || $1 + 0 < $2 + 0 { exit 1 }' out || die "$(head out)"
	"$PCSAMPLE" report -i known.data --kallsyms kallsyms --children --no-children > out
	says out '# Overhead   95 % interval    Samples  Command'
	says out 'call chains were recorded'
}

children_need_chains() {
	once known
	status 1 "$PCSAMPLE" report -i plain.data --children 2> said
	says said 'pcsample report: plain.data: --children counts call chains, and it has none'
	[[ $(wc -l < said) == 1 ]] || die "$(< said)"
	status 129 "$PCSAMPLE" report -i known.data --children --sort srcline 2> said
	says said 'does not work with the keys inline'
}

# recorded EXITS [OPTION...]: perf's recording of a program with frame pointers, which runs in user
# space, in the kernel and in a signal handler. If EXITS is 1, functions end in calls that do not
# return.
recorded() {
	local exits=$1

	shift
	need_perf
	[[ $(uname -m) == x86_64 ]] || skip "perf adds callers that the link register has"
	cat > prog.c <<-'END'
		#include <fcntl.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <unistd.h>

		volatile int sink;
		static __attribute__((noinline)) void leaf(int n)
		{
			for (int i = 0; i < n; i++)
				sink += i;
		}
		static __attribute__((noinline)) void again(int depth)
		{
			if (depth)
				again(depth - 1);
			else
				leaf(20000);
			sink++;
		}
		static __attribute__((noinline)) void reads(void)
		{
			static char buf[65536];
			int fd = open("/dev/zero", O_RDONLY);

			for (int i = 0; i < 20; i++)
				sink += read(fd, buf, sizeof(buf));
			close(fd);
			sink++;
		}
		static __attribute__((noinline)) void handler(int sig)
		{
			leaf(10000);
			sink++;
		}
		static __attribute__((noinline)) void finish(void)
		{
			again(5);
			if (EXITS || sink)
				exit(0);
		}
		static __attribute__((noinline)) void last(void)
		{
			leaf(2000000);
			sink++;
			finish();
		}
		int main(void)
		{
			signal(SIGUSR1, handler);
			for (int i = 0; i < 1000; i++) {
				leaf(10000);
				again(5);
				reads();
				raise(SIGUSR1);
			}
			last();
		}
	END
	gcc -O1 "-DEXITS=$exits" -fno-omit-frame-pointer -fno-optimize-sibling-calls -o prog prog.c
	perf record -q -B -e cpu-clock "$@" -o known.data true 2> said ||
		skip "perf record: $(head -n 1 said)"
	until_true perf_reads_what_it_recorded "$@"
}

# -B, because perf 6.1 overruns its stack for build-ids of some linkers. It also crashes when
# another recording on the machine asks for build-ids.
perf_reads_what_it_recorded() {
	rm -f known.data
	perf record -q -B -e cpu-clock -F 2000 -g "$@" -o known.data -- ./prog &&
		perf script -i known.data > theirs
}

# If a call is the last instruction of a function, pcsample takes that function, and perf the next
# one. If only one of them has a symbol, or they choose different symbols of one address, compare
# the offset.
script_is_perfs() {
	local fields

	need_whole_cpus
	recorded 1
	perf script -i known.data > theirs 2> said
	"$PCSAMPLE" script -i known.data --no-inline > ours
	same_lines 100
	while read -r fields; do
		# shellcheck disable=SC2086 # two words
		perf script -i known.data $fields > theirs 2> said
		# shellcheck disable=SC2086
		"$PCSAMPLE" script -i known.data --no-inline $fields > ours
		same_lines 50
	done <<-END
		-F ip
		-F ip,dso
		-F ip,sym
		-F ip,sym,symoff
		-F comm,tid,time,event,ip,sym,dso
		-F pid,tid,ip,sym
		-F comm,time
		-F +pid
		-G
		-G -F comm,ip,sym
	END
	# Other programs that run meanwhile are not known, so leave them out
	recorded 1 -a
	# perf 6.12 forgets a thread's name at its exit, though samples may follow
	perf script -i known.data 2> said | awk -v RS= -v ORS='\n\n' '
		$1 == "prog" { pid = $2 }
		$1 == ":" pid { sub(/[^ ]+/, "prog") }
		$1 == "prog" || $1 == "swapper"' > theirs
	"$PCSAMPLE" script -i known.data --comms prog,swapper --no-inline > ours
	same_lines 100
}

# same_lines LEAST: ours and theirs are equal, except for names of callers at the end of a symbol
same_lines() {
	python3 - "$1" <<-'END'
		import re, sys
		ours, theirs = (open(f).read().split("\n\n") for f in ("ours", "theirs"))
		assert len(ours) == len(theirs), (len(ours), len(theirs))
		# perf 6.12 has wider columns than 6.1, and prints user addresses in chains as
		# sampled, not as file offsets: only the last digits are the same
		user = r"^\t +(?!ffff[0-9a-f]{12}\b)[0-9a-f]*?([0-9a-f]{1,3})\b"
		short = any(re.search(r"^\t +[0-9a-f]{12}\b", s, re.M) for s in theirs)

		def common(text):
		    text = re.sub("^ +", "", re.sub("  +", " ", text), flags=re.M)
		    if not short:
		        return text
		    return re.sub(user, lambda m: "\t " + m[1].zfill(3), text, flags=re.M)

		ours, theirs = ([common(s) for s in l] for l in (ours, theirs))
		cut = r"^(.*\s[0-9a-f]+) (\S+?)(\+0x[0-9a-f]+)?( \(.*\))?$"
		lines = unlike = 0

		def like(our, their):
		    if our == their:
		        return True
		    o, t = re.match(cut, our), re.match(cut, their)
		    assert o and t, (our, their)
		    # During exec(), an address of the old program: perf still has that program's
		    # mappings
		    if o[2] == "[unknown]":
		        return False
		    assert o[1] == t[1] and o[4] == t[4], (our, their)
		    # Another symbol of the same address, or the next symbol, or none; or for a stub
		    # that perf 6.1 cannot name, the symbol before
		    assert o[3] == t[3] or t[3] == "+0x0" or t[2] == "[unknown]" or \
		           (o[2].endswith("@plt") and t[2] == "_init"), (our, their)
		    return False

		for our, their in zip(ours, theirs):
		    our, their = our.split("\n"), their.split("\n")
		    # A user frame may be any number. If it looks like a context marker that perf
		    # does not know, perf prints nothing of the chain.
		    if len(our) > len(their) and not [l for l in their if l.startswith("\t")]:
		        unlike += 1
		        continue
		    assert len(our) == len(their), (our, their)
		    lines += len(our)
		    unlike += sum(not like(*pair) for pair in zip(our, their))
		assert lines >= int(sys.argv[1]) and unlike < lines / 5, (unlike, lines)
	END
}

# Compares the sums with perf's, for names that both have. A caller that the two name differently
# (see script_is_perfs) counts for different functions, whose sums are left out.
report_is_perfs() {
	recorded 0
	perf script -i known.data -F ip,sym > frames.theirs 2> said
	"$PCSAMPLE" script -i known.data --no-inline --no-demangle -F ip,sym > frames.ours
	perf report -i known.data --stdio --children -g none --no-inline --no-demangle \
		--sort comm,dso,sym -t '|' 2> said > theirs
	"$PCSAMPLE" report -i known.data --children --no-demangle -q -t '|' > ours
	python3 - <<-'END'
		def rows(path):
		    got = {}
		    for line in open(path):
		        cells = [c.strip() for c in line.rstrip("\n").split("|")]
		        if len(cells) < 5 or cells[0].startswith("#"):
		            continue
		        comm, dso, sym = cells[-3:]
		        got[comm, dso, sym] = tuple(float(c.rstrip("%")) for c in cells[:2])
		    return got
		def names(path):
		    return [" ".join(l.split()[1:]) for l in open(path)]

		ours, theirs = names("frames.ours"), names("frames.theirs")
		assert len(ours) == len(theirs), (len(ours), len(theirs))
		differ = {"[.] " + n for o, t in zip(ours, theirs) if o != t for n in (o, t)}
		ours, theirs = rows("ours"), rows("theirs")
		both = {k for k in set(ours) & set(theirs) if k[2] not in differ}
		large = {k for k, (children, own) in theirs.items()
		         if children > 3 and "0x" not in k[2]}
		# At least six large rows, or all if there are fewer: signals make some
		assert len(large & both) >= min(6, len(large)), (large, ours)
		wrong = {k: (ours[k], theirs[k]) for k in both
		         if any(abs(a - b) > 0.011 for a, b in zip(ours[k], theirs[k]))}
		assert not wrong, wrong
		named = {k[2][4:] for k in large & both}
		assert {"main", "again", "leaf"} <= named, named
	END
}

# While execve() runs, the address in user space is that of its caller, whose program is gone. What
# is behind that address, and what the new program has in its chains, is not.
caller_of_exec() {
	"$MKREC" perf.data <<-'END'
		type 0x1a7
		kernel 0xffff800080000000 0x100000 0xffff800080000000 [kernel.kallsyms]_text 0
		comm 7 7 old 1
		mmap 7 0x400000 0x1000 0 /x/old 2
		comm 7 7 new 10 exec
		chain -128 0xffff800080000010 0xffff800080000100 -512 0x400100 0x400200
		sample kernel 0xffff800080000010 7 7 11 0
		mmap 7 0x500000 0x1000 0 /x/new 12
		chain -512 0x500100 0x400100
		sample user 0x500100 7 7 13 0
		comm 8 8 lone 14
		chain -128 0xffff800080000010 -512 0x400100
		sample kernel 0xffff800080000010 8 8 15 0
	END
	"$PCSAMPLE" script --kallsyms /dev/null -F comm,ip,dso > out 2> said
	printf '%s\n' new '([kernel.kallsyms])' '([kernel.kallsyms])' '(/x/old)' '([unknown])' \
		new '(/x/new)' '([unknown])' lone '([kernel.kallsyms])' '([unknown])' > want
	awk 'NF { print $NF }' out | diff want -
}

# The cgroup in script is the one that report has, at the end of the line
script_has_cgroups() {
	"$MKREC" perf.data <<-'END'
		type 0x200187
		comm 1 1 app 1
		cgroup 11 /a.slice/b 0
		sample user 0x400100 1 1 10 0 1 0 11
		sample user 0x400100 1 1 11 0 1 0 12
	END
	"$PCSAMPLE" script -F comm,ip,cgroup > out
	diff - out <<-'END'
		             app            400100 /a.slice/b
		             app            400100 unknown
	END
	"$MKREC" perf.data <<-'END'
		type 0x2001a7
		comm 1 1 app 1
		cgroup 11 /a.slice/b 0
		chain -512 0x400100 0x400200
		sample user 0x400100 1 1 10 0 1 0 11
	END
	"$PCSAMPLE" script -F comm,ip,cgroup > out
	printf '%s\n' 'app ' $'\t          400100' $'\t          400200' ' /a.slice/b' | diff - out
}

tap folded_has_every_chain speedscope_has_every_chain firefox_has_every_chain html_has_every_chain \
	html_puts_stacks_together pprof_has_every_chain old_form chains_of_pc_samples \
	inlined_callers children_are_counted_once \
	children_need_chains script_is_perfs report_is_perfs caller_of_exec script_has_cgroups
