#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample export, compared with a recording whose contents are known. tests/readers has what other
# programs read from exports.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

known() {
	python3 "$here/known.py" "$MKREC" .
}

# export_as FORMAT [ARG...]: export to the file out
export_as() {
	"$PCSAMPLE" export -i known.data --kallsyms kallsyms -f "$@" -o out
}

# holds CODE: run Python with `expected` {(comm, object, symbol): samples}; CODE reads `out`
holds() {
	python3 - <<-END
		import csv, collections, gzip, json, re
		def printed(t):  # as JSON has it
		    return t.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
		expected = {(c, o, s): n for c, o, s, n in json.load(open("expected.json"))}
		total = sum(expected.values())
		$1
	END
}

folded_has_every_sample() {
	once known
	export_as folded
	holds '
got = {}
for line in open("out", encoding="utf-8"):
    stack, n = line.rstrip("\n").rsplit(" ", 1)
    assert stack not in got, stack
    got[tuple(stack.split(";"))] = int(n)
folded = lambda t: printed(t).replace("\ufffd", "?").replace(";", ":")
assert got == {tuple(map(folded, k)): n for k, n in expected.items()}, got'
}

csv_has_every_sample() {
	once known
	export_as csv
	holds '
got = collections.Counter()
rows = list(csv.DictReader(open("out", encoding="utf-8", newline="")))
for row in rows:
    got[row["comm"], row["object"], row["symbol"]] += int(row["samples"])
    assert float(row["low"]) <= float(row["share"]) <= float(row["high"])
    assert row["privilege"] == "kernel" and row["cpu"] in "01"
    world = row["el"], row["state"], row["vmid"]
    assert world in (("2", "Non-secure", "0"), ("1", "Secure", "5")), world
assert got == {(printed(c).replace("\ufffd", "?"), o, s): n
               for (c, o, s), n in expected.items()}, got
assert abs(sum(float(r["share"]) for r in rows) - 1) < 1e-4
assert {(r["pid"], r["tid"], r["cgroup"]) for r in rows} == {
    ("100", "100", "/a,b.slice/c"), ("100", "101", "/"), ("200", "200", "")}'
}

json_has_every_sample() {
	once known
	export_as json
	holds '
d = json.load(open("out", encoding="utf-8"))
assert (d["schema"], d["schema_version"]) == ("pcsample-export", 1)
r = d["recording"]
assert r["samples"] == total and r["cpus"] == 2 and r["lost"] == 0
assert r["ledger"] == {"planned": 1800, "sample": total, "idle": 300}
assert r["notes"][0] == "this is a note" and r["jitter"] == "on" and r["seed"] == "7"
got = collections.Counter()
for row in d["rows"]:
    got[row["comm"], row["object"], row["symbol"]] += row["samples"]
    assert row.get("cgroup") == {100: "/a,b.slice/c", 101: "/", 200: None}[row["tid"]], row
assert got == {(printed(c), o, s): n for (c, o, s), n in expected.items()}, got'
}

# More functions than the first tables have room for, in two processes: each is one frame
many_functions() {
	local base=0xffff800080000000

	awk 'BEGIN { for (i = 0; i < 3000; i++)
		printf "ffff8000800%05x T f%d\n", i * 16, i }' > kallsyms
	{
		echo kernel $base 0x100000 $base '[kernel.kallsyms]_text' 0
		awk 'BEGIN { for (i = 0; i < 6000; i++) {
			pid = 1 + int(i / 3000)
			printf "sample kernel 0xffff8000800%05x %d %d %d 0 1\n", i * 7 % 3000 * 16,
				pid, pid, 1000 + i
		} }'
	} | "$MKREC" known.data
	export_as speedscope
	json out 'sorted(f["name"] for f in d["shared"]["frames"] if f["name"][0] == "f") == sorted(
		"f%d" % i for i in range(3000))'
	export_as firefox
	json out 'len(set(d["shared"]["funcTable"]["name"])) == d["shared"]["funcTable"]["length"]'
	export_as folded
	[[ $(wc -l < out) == 6000 && $(cut -d ' ' -f 2 out | sort -u) == 1 ]] || die "$(head out)"
}

# A frame of a CPU weighs as much as its samples; CPU 1 has none in the middle third
speedscope_has_the_time() {
	once known
	export_as speedscope
	holds '
d = json.load(open("out", encoding="utf-8"))
frames = d["shared"]["frames"]
assert [p["name"] for p in d["profiles"]] == ["CPU 0", "CPU 1"]
got = collections.Counter()
for p in d["profiles"]:
    assert p["unit"] == "nanoseconds" and len(p["samples"]) == len(p["weights"])
    assert sum(p["weights"]) == p["endValue"] - p["startValue"]
    for stack, weight in zip(p["samples"], p["weights"]):
        got[tuple(frames[i]["name"] for i in stack)] += weight
gap = got.pop(())
assert abs(gap - 300e6) < 2e6, gap
assert got == {(printed(c), o, s): n * 1000000 for (c, o, s), n in expected.items()}, got'
}

firefox_has_every_sample() {
	once known
	export_as firefox
	holds '
d = json.load(open("out", encoding="utf-8"))
strings, shared = d["shared"]["stringArray"], d["shared"]
for name in ("stackTable", "frameTable", "funcTable", "resourceTable"):
    for column, values in shared[name].items():
        assert column == "length" or len(values) == shared[name]["length"], (name, column)
got = collections.Counter()
for t in d["threads"]:
    s = t["samples"]
    assert s["length"] == len(s["stack"]) == len(s["time"]) and s["time"] == sorted(s["time"])
    for stack in s["stack"]:
        func = shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]
        resource = shared["funcTable"]["resource"][func]
        lib = d["libs"][shared["resourceTable"]["lib"][resource]]
        got[t["name"], lib["name"], strings[shared["funcTable"]["name"][func]]] += 1
assert got == {(printed(c), o, s): n for (c, o, s), n in expected.items()}, got
assert {(t["pid"], t["tid"], t["isMainThread"], t["processName"]) for t in d["threads"]} == {
    ("100", "100", True, "server;x,\"y\""), ("100", "101", False, "server;x,\"y\""),
    ("200", "200", True, printed("caf\udce9"))}'
}

# Parses the wire format of protobuf into p. In tests/readers pprof itself does so.
profile='
def fields(b):
    i = 0
    def varint():
        nonlocal i
        v = shift = 0
        while True:
            v |= (b[i] & 127) << shift
            shift += 7
            i += 1
            if b[i - 1] < 128:
                return v
    f = collections.defaultdict(list)
    while i < len(b):
        key = varint()
        if key & 7 == 0:
            f[key >> 3].append(varint())
        else:
            n = varint()
            f[key >> 3].append(b[i:i + n])
            i += n
    return f
def packed(chunks):
    out = []
    for c in chunks:
        out += [c] if isinstance(c, int) else fields_packed(c)
    return out
def fields_packed(b):
    v = shift = 0
    out = []
    for byte in b:
        v |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            out.append(v)
            v = shift = 0
    return out
p = fields(gzip.open("out").read())
strings = [s.decode() for s in p[6]]
text = lambda f, n: strings[(f.get(n) or [0])[0]]
'

pprof_has_every_sample() {
	need_feature protobuf-c
	once known
	export_as pprof
	holds "$profile"'
types = [fields(t) for t in p[1]]
assert [(text(t, 1), text(t, 2)) for t in types] == [("samples", "count"), ("cpu", "nanoseconds")]
functions = {fields(f)[1][0]: text(fields(f), 2) for f in p[5]}
mappings = {fields(m)[1][0]: fields(m) for m in p[3]}
locations = {}
for l in map(fields, p[4]):
    m = mappings[l[2][0]]
    assert m[2][0] <= l[3][0] < m[3][0]
    locations[l[1][0]] = (text(m, 5), functions[fields(l[4][0])[1][0]])
got, labels = collections.Counter(), collections.Counter()
for s in map(fields, p[2]):
    values, (location,) = packed(s[2]), packed(s[1])
    l = {text(f, 1): text(f, 2) if f.get(2) else (f.get(3) or [0])[0] for f in map(fields, s[3])}
    got[(l["thread_comm"],) + locations[location]] += values[0]
    where = "el", "security_state", "vmid", "execution_mode", "attribution"
    labels[tuple(l[key] for key in where)] += values[0]
    assert l["pid"] in (100, 200) and l["cpu"] in ("0", "1")
    assert l.get("cgroup") == {100: "/a,b.slice/c", 101: "/", 200: None}[l["tid"]], l
assert got == {(c.replace("\udce9", "?"), o, s): n for (c, o, s), n in expected.items()}, got
assert set(labels) == {("EL2", "Non-secure", "0", "Host Kernel", "CONTEXTIDR_EL1"),
                       ("EL1", "Secure", "5", "Host Kernel", "CONTEXTIDR_EL1")}, labels
assert p[12] == [1000000]'
}

# A guest whose VMID the registers do not tell, and a hypervisor, which has none
pprof_has_vmids_that_are_not_known() {
	need_feature protobuf-c
	once known
	printf '%s\n' 'type 0x587' 'has 3' 'hw 0 -1 -1 1000 0 0xa000000000400100 0 3' \
		'hw 0 -1 -1 1001 0 0xc000000000400100 0 0' | "$MKREC" perf.data
	"$PCSAMPLE" export -f pprof -o out 2> said
	holds "$profile"'
labels = [{text(f, 1): text(f, 2) for f in map(fields, fields(s)[3]) if f.get(2)} for s in p[2]]
got = sorted((l["el"], l.get("vmid")) for l in labels)
assert got == [("EL1", "not known"), ("EL2", None)], got'
}

# As perf records a command: samples do not say on which CPU they were
cpu_is_not_known() {
	: > kallsyms
	printf '%s\n' 'type 0x107' 'sample user 0x400100 1 1 1000 0 1' | "$MKREC" known.data
	export_as csv
	[[ $(tail -n 1 out | cut -d , -f 7-10) == 1,1,,user ]] || die "$(< out)"
	export_as json
	json out '"cpu" not in d["rows"][0]'
	export_as speedscope
	json out '[p["name"] for p in d["profiles"]] == ["all CPUs"]'
	"$PCSAMPLE" version --feature protobuf-c || return 0
	export_as pprof
	echo '[]' > expected.json
	holds "$profile"'
labels = [text(fields(l), 1) for s in map(fields, p[2]) for l in s[3]]
assert "tid" in labels and "cpu" not in labels, labels'
}

# There are two values for each event; a sample has those of its own event
pprof_has_all_events() {
	need_feature protobuf-c
	once known
	python3 "$here/mkcorpus.py" kinds
	"$PCSAMPLE" report -i kinds/identical-hybrid.data --json > report.json
	"$PCSAMPLE" export -i kinds/identical-hybrid.data -f pprof -o out --json > exported.json
	holds "$profile"'
events = json.load(open("report.json"))["events"]
assert len(events) == 2
assert json.load(open("exported.json"))["samples"] == sum(e["samples"] for e in events)
names = [text(fields(t), 1) for t in p[1]]
first, second = (e["event"] for e in events)
assert names == ["samples", first, "samples:" + second, second], names
values = [packed(fields(s)[2]) for s in p[2]]
assert all((v[0] > 0) != (v[2] > 0) for v in values), values
want = [[e["samples"], sum(r["period"] for r in e["rows"])] for e in events]
assert [sum(v) for v in zip(*values)] == sum(want, []), (want, values)'
	"$PCSAMPLE" export -i kinds/identical-hybrid.data -f pprof -o out --event cpu_atom/cycles/
	holds "$profile"'
assert [text(fields(t), 1) for t in p[1]] == ["samples", "cpu_atom/cycles/"]'
	# The same with call chains
	perf record -q -B -g -e cpu-clock -e task-clock -o two.data -- \
		"$(realpath "$O/tests/busy")" 0.1 2> said || skip "perf records nothing"
	"$PCSAMPLE" report -i two.data --json > report.json
	"$PCSAMPLE" export -i two.data -f pprof -o out
	holds "$profile"'
events = json.load(open("report.json"))["events"]
values = [packed(fields(s)[2]) for s in p[2]]
assert [sum(v) for v in zip(*values)][::2] == [e["samples"] for e in events], events
assert max(len(packed(fields(s)[1])) for s in p[2]) > 2'
}

# Firefox has a thread and the page has data for each event, as if it were exported alone
threads_and_pages_have_all_events() {
	once known
	python3 "$here/mkcorpus.py" kinds
	"$PCSAMPLE" report -i kinds/identical-hybrid.data --json > report.json
	"$PCSAMPLE" export -i kinds/identical-hybrid.data -f firefox -o out 2> said
	"$PCSAMPLE" export -i kinds/identical-hybrid.data -f html -o page 2>> said
	# As for diff and annotate
	"$PCSAMPLE" export -i kinds/identical-hybrid.data -f json --event cycles -o short 2> other
	says other 'samples of cpu_atom/cycles/: --event cpu_atom/cycles/ exports them'
	json short 'd["recording"]["event"] == "cpu_core/cycles/"'
	for event in cpu_core cpu_atom; do
		"$PCSAMPLE" export -i kinds/identical-hybrid.data -f html --event $event/cycles/ \
			-o $event.html 2> other
		"$PCSAMPLE" export -i kinds/identical-hybrid.data -f firefox \
			--event $event/cycles/ -o $event.json 2> other
	done
	holds '
events = json.load(open("report.json"))["events"]
threads = json.load(open("out"))["threads"]
got, weights = collections.Counter(), {}
for t in threads:
    comm, event = t["name"].split(": ")
    got[event] += t["samples"]["length"]
    weights[comm, event] = t["samples"]["weight"]
assert got == {e["event"]: e["samples"] for e in events} and len(got) == 2, got
assert len({t["tid"] for t in threads}) == len(threads)
assert sum(t["isMainThread"] for t in threads) == len({t["pid"] for t in threads})
pages = re.findall(r"class=\"event\"[^>]*>(.*?)</script>", open("page").read(), re.S)
assert len(pages) == 2
for text, name in zip(pages, ("cpu_core", "cpu_atom")):
    d, alone = json.loads(text), json.loads(re.search(r"id=\"data\">(.*?)</script>",
                                            open(name + ".html").read(), re.S).group(1))
    assert d.pop("events") == [e["event"] for e in events]
    assert alone["recording"].pop("not_shown") and not d["recording"].pop("not_shown", None)
    assert d == alone, name
    alone = json.load(open(name + ".json"))["threads"]
    want = {(t["name"], name + "/cycles/"): t["samples"]["weight"] for t in alone}
    assert want.items() <= weights.items() and want, want'
	if grep 'samples of' said; then
		die "all events are there"
	fi
}

# The page is one file, and no name can end the element that holds the data
html_is_one_page() {
	once known
	export_as html
	holds '
page = open("out", encoding="utf-8").read()
assert page.count("</script>") == 2 and page.count("<!--") == 1
loads = re.search(r"(src|href)=\"(?!data:)|https?:|url\(|@import|import\(|fetch\(|@@", page)
assert not loads, loads
assert re.search(r"Content-Security-Policy\" content=\"default-src .none.;", page)
d = json.loads(re.search(r"id=\"data\">(.*?)</script>", page, re.S).group(1))
assert d["schema"] == "pcsample-page"
cells, i, got = d["cells"], 0, collections.Counter()
while i < len(cells):
    n = cells[i + 2]
    for k in range(i + 3, i + 3 + 3 * n, 3):
        stack, node = [], cells[k] + 1
        while node:
            parent, t, level, dso, mode = d["nodes"][5 * (node - 1):5 * node]
            stack.insert(0, d["texts"][t])
            node = parent
        got[tuple(stack)] += cells[k + 1]
    i += 3 + 3 * n
assert got == {(printed(c), o, s): n for (c, o, s), n in expected.items()}, got
assert len(d["levels"]) == 2 and all(l["weight"] for l in d["levels"])'
}

# Counted by time, the samples are those counted by block. The strip has the samples of each CPU, in
# more columns than there are slots.
html_counts_by_time() {
	: > kallsyms
	python3 - > lines <<-'END'
		import random
		rng = random.Random(7)
		print("comm 1 1 app 1\nmmap 1 0x400000 0x100000 0 /app 2")
		for i in range(40000):
		    print("sample", rng.choice(["user", "user", "kernel"]),
		          hex(0x400000 + rng.randrange(64)), 1, 1, 1000 * i + 5,
		          rng.randrange(2), rng.choice([1000000, 3000000]))
	END
	"$MKREC" known.data < lines
	export_as html
	python3 - <<-'END'
		import collections, json, re
		page = open("out", encoding="utf-8").read()
		d = json.loads(re.search(r"id=\"data\">(.*?)</script>", page, re.S).group(1))

		def groups(values, heads):
		    i = 0
		    while i < len(values):
		        n = values[i + heads]
		        for k in range(i + heads + 1, i + heads + 1 + 3 * n, 3):
		            yield values[i:i + heads], values[k:k + 3]
		        i += heads + 1 + 3 * n

		columns, slots = d["columns"], d["slots"]
		assert columns == 40000 // 2 // 16 and slots <= 256, (columns, slots)
		assert slots == -(-columns // d["slot_columns"])
		want = collections.Counter()
		for line in open("lines"):
		    if line.startswith("sample"):
		        _, mode, ip, _, _, time, cpu, period = line.split()
		        column = (int(time) - 5) // d["column_ns"]
		        key = int(cpu), column, {"kernel": 1, "user": 2}[mode]
		        want[key] += int(period) // 1000000
		strip = {(cpu, column, mode): weight
		         for (cpu,), (column, mode, weight) in groups(d["strip"], 1)}
		assert strip == want
		by_time, by_block, of_slot = (collections.Counter() for _ in range(3))
		for (slot, cpu), (node, samples, weight) in groups(d["cells"], 2):
		    by_time[node] += samples
		    of_slot[slot] += weight
		for (block,), (node, samples, weight) in groups(d["blocks"], 1):
		    by_block[node] += samples
		assert by_time == by_block and sum(by_time.values()) == 40000
		for (cpu, column, mode), weight in want.items():
		    of_slot[column // d["slot_columns"]] -= weight
		assert not any(of_slot.values()), of_slot
	END
}

# A sample that stands for three periods, because two reads were missed, counts three times in
# report and in all exports.
missed_reads_have_their_weight() {
	: > kallsyms
	{
		echo comm 1 1 app 1
		echo mmap 1 0x400000 0x1000 0 /app 2
		echo mmap 1 0x500000 0x1000 0 /lib 2
		for i in {0..9}; do
			echo sample user 0x400100 1 1 $((i * 4000000 + 10)) 0 1000000
			echo sample user 0x500100 1 1 $((i * 4000000 + 3000010)) 0 3000000
		done
	} | "$MKREC" known.data
	"$PCSAMPLE" report -i known.data --sort dso > shares
	grep -qE '^ +75.00% .* 10  lib$' shares || die "$(cat shares)"
	export_as folded
	diff - out <<-'END'
		app;app;[unknown] 10
		app;lib;[unknown] 30
	END
	export_as firefox
	json out 'sum(sum(t["samples"]["weight"]) for t in d["threads"]) == 40'
	export_as html
	python3 - <<-'END'
		import json, re
		page = open("out", encoding="utf-8").read()
		d = json.loads(re.search(r"id=\"data\">(.*?)</script>", page, re.S).group(1))
		cells, i, weights = d["cells"], 0, []
		while i < len(cells):
		    end = i + 3 + 3 * cells[i + 2]
		    weights += cells[i + 5:end:3]
		    i = end
		assert set(weights) == {1, 3} and sum(weights) == 40, weights
		assert abs(d["weight_variation"] - 0.25) < 1e-6
	END
}

# perf record of a command records no CPUs. It records times only for several events, or if asked
# to.
recordings_of_perf() {
	local file format

	need_whole_cpus
	# Leave out kernel symbols: they are not tested here, and reading them 20 times is slow
	: > kallsyms
	perf record -q -B -e cpu-clock -o one.data -- "$BUSY" 0.1
	perf record -q -B -e cpu-clock,page-faults -o two.data -- "$BUSY" 0.1
	perf record -q -B -e cpu-clock --no-timestamp -o timeless.data -- "$BUSY" 0.1
	for file in {one,two,timeless}.data; do
		for format in folded csv json speedscope firefox html; do
			"$PCSAMPLE" export -i "$file" --kallsyms kallsyms -f $format > out
			[[ -s out ]] || die "$file: no $format"
		done
	done
	"$PCSAMPLE" export -i timeless.data -f json > out
	json out 'd["recording"]["duration_ns"] == 0'
	"$PCSAMPLE" report -i one.data > out
	grep -qE '^# Samples: .* of cpu-clock in [0-9]\.[0-9]+ s, asked for' out ||
		die "$(head -n 2 out)"
	"$PCSAMPLE" script -i one.data > out
	! grep -F '[65535]' out || die "of no such CPU"
}

# The notes about the recording, and the weights, are of the exported event
one_of_two_events() {
	local i event

	{
		echo event 1 2
		for i in {1..30}; do
			echo "sample user 0x400100 1 1 $((i * 1000)) 0 250000 0"
		done
		for i in {1..10}; do
			echo "sample user 0x400100 1 1 $((i * 3000)) 0 1 1"
		done
	} | "$MKREC" known.data
	"$PCSAMPLE" report -i known.data --json > out
	event=$(python3 -c 'import json; print(json.load(open("out"))["events"][1]["event"])')
	"$PCSAMPLE" export -i known.data -f json --event "$event" > out
	json out 'd["recording"]["samples"] == 10 and len(d["rows"]) == 1'
	"$PCSAMPLE" export -i known.data -f folded --event "$event" > out
	[[ $(< out) == *' 10' ]] || die "$(< out)"
	"$PCSAMPLE" export -i known.data -f html --event "$event" > out
	says out '"samples":10,'
}

# The mean of varying periods is no unit of a count: each of 1,000 light stacks counted as one
# sample, together as much as the heavy one with 99.9 %
periods_vary() {
	local i

	{
		echo 'event 0 0'
		echo 'sample user 1 1 1 1000 0 1000000 1'
		for i in {1..1000}; do
			echo "sample user 1 $((i + 1)) $((i + 1)) $((i + 1000)) 0 1 1"
		done
	} | "$MKREC" known.data
	"$PCSAMPLE" export -i known.data -f folded > out
	grep -x ':1;.* 1000000' out
	[ "$(grep -c ' 1$' out)" = 1000 ] || die "$(head out)"
	# All the same: a count of samples
	for i in {1..10}; do
		echo "sample user 1 1 1 $((i * 1000)) 0 4000 1"
	done | sed '1i event 0 0' | "$MKREC" known.data
	"$PCSAMPLE" export -i known.data -f folded > out
	grep -x ':1;.* 10' out
}

# inlines [CC]: make prog, whose debug information has inlined functions; a recording with a sample
# at each instruction of two functions; and what addr2line(1) prints for them. expected.json is
# [[stack, samples]], the process first. lines.json has for each file address [[file, line] of each
# frame], the innermost first.
inlines() {
	cat > prog.c <<-'END'
		static inline __attribute__((always_inline)) int inner(volatile int *x)
		{
			return *x * *x;
		}
		static inline __attribute__((always_inline)) int middle(volatile int *x)
		{
			int y = inner(x);
			return y + inner(x + 1) + 1;
		}
		__attribute__((noinline)) int outer(volatile int *x)
		{
			int y = *x;
			return y + middle(x);
		}
		__attribute__((noinline)) int other(volatile int *x)
		{
			return inner(x) + 3;
		}
		int main(int c, char **v)
		{
			volatile int x[2] = { c, c };
			return outer(x) + other(x);
		}
	END
	${1:-gcc} -O1 -g -o prog prog.c
	python3 - <<-'END'
		import collections, json, os, re, subprocess
		out = lambda *a: subprocess.check_output(a, text=True)
		load = re.findall(r"LOAD +(\S+) (\S+) \S+ (\S+)", out("readelf", "-lW", "prog"))
		load = [[int(n, 16) for n in l] for l in load]
		offset = lambda a: next(a - va + o for o, va, n in load if va <= a < va + n)
		stacks, lines = collections.Counter(), {}
		print("comm 7 7 prog 1", file=(rec := open("rec", "w")))
		print("mmap 7 0x10000000 0x100000 0", os.path.realpath("prog"), 2, file=rec)
		for function in "outer", "other":
		    code = out("objdump", "-d", "--disassemble=" + function, "prog")
		    found = re.findall(r"^ +([0-9a-f]+):\t", code, re.M)
		    told = out("addr2line", "-afie", "prog", *found)
		    told = re.split(r"^0x[0-9a-f]+\n", told, flags=re.M)[1:]
		    for n, (at, said) in enumerate(zip(found, told, strict=True)):
		        said = said.splitlines()
		        places = [p.split()[0].rsplit(":", 1) for p in said[1::2]]
		        stacks[";".join(["prog", "prog", *said[::2][::-1]])] += n + 1
		        lines[offset(int(at, 16))] = [[f, int(l)] for f, l in places]
		        for i in range(n + 1):
		            print("sample user", 0x10000000 + offset(int(at, 16)), 7, 7,
		                  999 + sum(stacks.values()) - n + i, 0, 1, file=rec)
		assert {len(s.split(";")) for s in stacks} == {3, 4, 5}, stacks
		with open("expected.json", "w") as f:
		    json.dump([["prog", "prog", s, n] for s, n in stacks.items()], f)
		json.dump(lines, open("lines.json", "w"))
	END
	"$MKREC" known.data < rec
	: > kallsyms
}

inlined_functions() {
	local cc

	need_feature libdw
	need addr2line
	for cc in gcc clang; do
		command -v $cc > /dev/null || continue
		inlines $cc
		inlines_are_right
		# The same from a separate file
		split_debug prog
		folded_inlines_are_right
		pprof_inlines_are_right
	done
	export_as folded --no-inline
	holds '
got = collections.Counter({l.rsplit(" ", 1)[0]: int(l.rsplit(" ", 1)[1]) for l in open("out")})
assert set(got) == {"prog;prog;outer", "prog;prog;other"} and sum(got.values()) == total, got'
}

folded_inlines_are_right() {
	export_as folded
	holds '
want = {s: n for (c, o, s), n in expected.items()}
got = {l.rsplit(" ", 1)[0]: int(l.rsplit(" ", 1)[1]) for l in open("out")}
assert got == want, (got, want)'
}

inlines_are_right() {
	local threads

	folded_inlines_are_right
	pprof_inlines_are_right
	export_as speedscope
	holds '
want = {s: n for (c, o, s), n in expected.items()}
d = json.load(open("out"))
names, got = [f["name"] for f in d["shared"]["frames"]], collections.Counter()
for p in d["profiles"]:
    for stack, weight in zip(p["samples"], p["weights"]):
        got[";".join(names[i] for i in stack)] += weight
assert got == want, (got, want)
assert names.count("inner") == 1, names'
	export_as firefox
	holds '
want = {s: n for (c, o, s), n in expected.items()}
d = json.load(open("out"))
shared, got = d["shared"], collections.Counter()
stacks, frames, names = shared["stackTable"], shared["frameTable"], shared["stringArray"]
for t in d["threads"]:
    for stack in t["samples"]["stack"]:
        path, depths = [], []
        while stack is not None:
            frame = stacks["frame"][stack]
            path.insert(0, names[shared["funcTable"]["name"][frames["func"][frame]]])
            depths.insert(0, frames["inlineDepth"][frame])
            stack = stacks["prefix"][stack]
        assert depths == list(range(len(path))), (path, depths)
        got[";".join(["prog", "prog", *path])] += 1
assert got == want, (got, want)'
	export_as html
	holds '
want = {s: n for (c, o, s), n in expected.items()}
page = open("out", encoding="utf-8").read()
d = json.loads(re.search(r"id=\"data\">(.*?)</script>", page, re.S).group(1))
cells, i, got = d["cells"], 0, collections.Counter()
while i < len(cells):
    n = cells[i + 2]
    for k in range(i + 3, i + 3 + 3 * n, 3):
        stack, levels, node = [], [], cells[k] + 1
        while node:
            parent, t, level, dso, mode = d["nodes"][5 * (node - 1):5 * node]
            stack.insert(0, d["texts"][t])
            levels.insert(0, level)
            node = parent
        assert levels == [0, 1, 2, 3, 3][:len(levels)], levels
        got[";".join(stack)] += cells[k + 1]
    i += 3 + 3 * n
assert got == want, (got, want)'
	# report counts by the innermost function, with one thread and with two
	for threads in 1 2; do
		"$PCSAMPLE" report -i known.data --sort sym,inline --json --threads $threads > out
		holds '
want = collections.Counter()
for (c, o, s), n in expected.items():
    names = s.split(";")[2:]
    want[names[0], names[-1] if names[1:] else "-"] += n
(event,) = json.load(open("out"))["events"]
got = {(row["symbol"], row["inlined"]): row["samples"] for row in event["rows"]}
assert got == want and len(event["rows"]) == len(got), (got, want)'
	done
	"$PCSAMPLE" report -i known.data --sort inline -q -t '|' > out
	[[ $(cut -d '|' -f 4 out | sort) == $'-\ninner\nmiddle' ]]
}

pprof_inlines_are_right() {
	"$PCSAMPLE" version --feature protobuf-c || return 0
	export_as pprof
	holds "$profile"'
want = {s: n for (c, o, s), n in expected.items()}
places = {int(k): v for k, v in json.load(open("lines.json")).items()}
functions = {fields(f)[1][0]: fields(f) for f in p[5]}
(mapping,) = map(fields, p[3])
assert [mapping[n] for n in (7, 8, 9, 10)] == [[1]] * 4, mapping
locations = {}
for l in map(fields, p[4]):
    lines = list(map(fields, l[4]))
    at = [[text(functions[n[1][0]], 4), (n.get(2) or [0])[0]] for n in lines]
    assert at == places[l[3][0] - mapping[2][0]], (at, places)
    locations[l[1][0]] = ";".join(text(functions[n[1][0]], 2) for n in reversed(lines))
got = collections.Counter()
for s in map(fields, p[2]):
    values, (location,) = packed(s[2]), packed(s[1])
    got["prog;prog;" + locations[location]] += values[0]
assert got == want, (got, want)
assert len(functions) == 4, functions	# outer, other, middle, inner'
}

the_name_of_the_output_says_the_format() {
	once known
	"$PCSAMPLE" export -i known.data -o a.folded
	"$PCSAMPLE" export -i known.data -f folded > b.folded
	cmp a.folded b.folded
	"$PCSAMPLE" export -i known.data -o x.speedscope.json
	grep -q speedscope.app x.speedscope.json
	"$PCSAMPLE" export -i known.data -o x.json
	grep -q pcsample-export x.json
	status 129 "$PCSAMPLE" export -i known.data -o x.txt
	status 129 "$PCSAMPLE" export -i known.data
	status 129 "$PCSAMPLE" export -i known.data -f flame
}

filters_hold() {
	once known
	"$PCSAMPLE" export -i known.data -f json -C 1 > only
	[[ $(grep -o '"cpu":[0-9]*' only | sort -u) == '"cpu":1' ]]
	"$PCSAMPLE" export -i known.data -f folded --tid 101 > only
	[[ $(cut -d ';' -f 1 only | sort -u) == worker ]]
	status 2 "$PCSAMPLE" export -i known.data -f folded --pid 999 2> said
	says said 'no samples of these CPUs'
	status 2 "$PCSAMPLE" export -i known.data -f folded --event cycles 2> said
	says said 'no event is called cycles'
}

# The output file appears only when it is complete; until then an older file remains
failure_leaves_nothing() {
	local format

	once known
	for format in folded csv json speedscope firefox html; do
		status 1 "$PCSAMPLE" export -i known.data -f $format -o /dev/full 2> said
		says said 'No space left on device'
	done
	status 1 "$PCSAMPLE" export -i known.data -f csv -o no/such/dir 2> said
	says said 'no/such/dir'
	echo before > out.csv
	(
		ulimit -f 1
		trap '' XFSZ
		status 1 "$PCSAMPLE" export -i known.data -o out.csv 2> /dev/null
	)
	[[ $(< out.csv) == before && $(echo out.csv*) == out.csv ]]
	head -c 20000 known.data > cut.data
	status 1 "$PCSAMPLE" export -i cut.data -o cut.csv 2> said
	says said cut.data
	[[ $(wc -l < cut.csv) -gt 1 ]]
}

# Killed while it writes, as by Ctrl-C, export leaves no part of the output under another name
killed_export_leaves_nothing() {
	python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' ||
		skip "the file system cannot make files without names"
	once known
	echo before > out.csv
	(
		ulimit -c 0 -f 1
		status 153 "$PCSAMPLE" export -i known.data -o out.csv
	)
	[[ $(< out.csv) == before && $(echo out.csv*) == out.csv ]] || die "$(ls)"
	umask 027
	"$PCSAMPLE" export -i known.data -o out.csv
	[[ $(stat -c %a out.csv) == 640 && $(echo out.csv*) == out.csv ]] || die "$(ls -l)"
}

# The recording is never replaced by what is made of it, whatever its name
output_is_not_the_input() {
	local name

	once known
	cp known.data kept
	ln -s known.data link
	ln known.data other
	for name in known.data ./known.data link other; do
		status 1 "$PCSAMPLE" export -i known.data -f folded -o $name 2> said
		says said "$name: is the recording itself; give another name with -o"
		status 1 "$PCSAMPLE" archive -i $name -o known.data 2> said
		says said "known.data: is the recording itself"
	done
	status 1 "$PCSAMPLE" export -f folded -i - -o other < known.data
	cmp known.data kept
	"$PCSAMPLE" archive -q -i known.data -o packed.tar
	cp packed.tar kept
	status 1 "$PCSAMPLE" export --archive packed.tar -f folded -o packed.tar 2> said
	says said 'packed.tar: is the recording itself'
	cmp packed.tar kept
}

# A page of 60 events would not open: it has the 50 with the most samples, and says so
page_has_fifty_events() {
	local i k

	{
		for ((i = 1; i < 60; i++)); do
			echo "event 1 $i"
		done
		for ((i = 0; i < 60; i++)); do
			for ((k = 0; k <= i; k++)); do
				echo "sample user 1 1 1 $((i * 100 + k + 1)) 0 1 $i"
			done
		done
	} | "$MKREC" known.data
	"$PCSAMPLE" export -i known.data -o page.html 2> said
	[ "$(grep -c 'class="event"' page.html)" = 50 ]
	# The first event is always there; of the others those with 2 to 11 samples are not
	[ "$(grep -c 'not shown: [0-9]* samples of' said)" = 9 ] || die "$(< said)"
	says said 'not shown: 2 samples of task-clock'
	says said 'not shown: 21 samples of 2 more events'
	says page.html '21 samples of 2 more events'
	"$PCSAMPLE" export -i known.data -f firefox -o out 2> said
	! grep 'samples of' said || die "all of them are there"
}

# folded_into NAME: export to that name
folded_into() {
	"$PCSAMPLE" export -i known.data --kallsyms kallsyms -f folded -o "$1"
}

links_are_followed() {
	once known
	export_as folded
	mkdir there
	ln -s there/new link
	folded_into link
	cmp out there/new
	folded_into link
	cmp out there/new
	(
		ulimit -f 1
		trap '' XFSZ
		status 1 "$PCSAMPLE" export -i known.data -f csv -o link 2> /dev/null
	)
	cmp out there/new
	[[ -L link && $(ls there) == new ]] || die "$(ls -l . there)"
}

# What others write to the same file stays, in its order. The link is like /dev/stdout, which a
# failure of this test would destroy.
open_files_are_added_to() {
	once known
	export_as folded
	ln -s /proc/self/fd/1 stdout
	ln -s /proc/self/fd/3 three
	{ echo before; cat out; echo behind; } > expected
	{ echo before; folded_into stdout; echo behind; } > to
	cmp expected to
	echo before > to
	folded_into stdout >> to
	echo behind >> to
	cmp expected to
	echo before > to
	folded_into three 3>> to
	echo behind >> to
	cmp expected to
	folded_into stdout | cmp - out
	[[ -L stdout && -L three ]] || die "$(ls -l)"
	status 129 "$PCSAMPLE" export -i known.data -f folded -o stdout --json 2> said
	says said '--json describes the file'
}

tap folded_has_every_sample csv_has_every_sample json_has_every_sample \
	many_functions speedscope_has_the_time firefox_has_every_sample pprof_has_every_sample \
	pprof_has_vmids_that_are_not_known cpu_is_not_known pprof_has_all_events \
	threads_and_pages_have_all_events html_is_one_page html_counts_by_time \
	missed_reads_have_their_weight recordings_of_perf \
	one_of_two_events periods_vary inlined_functions \
	the_name_of_the_output_says_the_format filters_hold failure_leaves_nothing \
	killed_export_leaves_nothing output_is_not_the_input page_has_fifty_events \
	links_are_followed open_files_are_added_to
