#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Trees of report -g: the text must be as perf draws it. The JSON is compared with a recording whose
# contents are known.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# In two commands function kN calls k2N+1, k2N+2, itself, or one of the first functions again
recording() {
	python3 - <<-'END' > lines
		import random
		rng = random.Random(5)
		print("type 0x1a7\ncomm 1 1 app 1\ncomm 2 2 other 1\nkernel 0xffff800080000000",
		      "0x100000 0xffff800080000000 [kernel.kallsyms]_text 0")
		at = lambda f: 0xffff800080000000 + 256 * f + 8
		for i in range(1200):
		    path = [0]
		    while rng.random() < 0.85 and len(path) < 9:
		        f = path[-1]
		        to = (2 * f + 1 + (rng.random() < 0.3)) % 40
		        path.append(rng.choice([f, 0, 3]) if rng.random() < 0.08 else to)
		    path.reverse()
		    print("chain -128", *map(at, path))
		    print("sample kernel", at(path[0]), *((1, 1) if i % 3 else (2, 2)), 1000 + i, 0,
		          rng.randrange(1, 100000))
		with open("kallsyms", "w") as f:
		    f.writelines("%x T k%d\n" % (at(i) - 8, i) for i in range(65))
	END
	"$MKREC" perf.data < lines
}

# draws OPTION...: the lines are perf's, but for rounding and names of rows
draws() {
	perf report -i perf.data --kallsyms kallsyms --stdio --no-inline "$@" 2> said > theirs
	"$PCSAMPLE" report --kallsyms kallsyms "$@" > ours
	python3 - "$@" <<-'END'
		import re, sys
		def name(m):
		    return "k%d" % (int(m[0], 16) >> 8 & 0xff)
		def lines(path):
		    for line in open(path):
		        line = re.sub("0xffff8000800[0-9a-f]{5}", name, line).replace("~-", "--")
		        line = line.replace(" (inlined)", "").rstrip()
		        if line.startswith("#") or not line.strip(" |"):
		            continue
		        numbers = [float(n) for n in re.findall(r"--([0-9.]+)%?--", line)]
		        if re.match(r" *[0-9.]+%", line):
		            line = line.split()[-1]
		        yield re.sub(r"--[0-9.]+%?--", "----", line), numbers
		ours, theirs = (list(lines(f)) for f in ("ours", "theirs"))
		assert len(ours) > 100, len(ours)
		unlike = [(o, t) for o, t in zip(ours, theirs) if o[0] != t[0]]
		assert len(ours) == len(theirs) and not unlike, unlike[:3]
		for o, t in zip(ours, theirs):
		    assert all(abs(a - b) < 0.011 for a, b in zip(o[1], t[1])), (o, t)
	END
}

trees_are_perfs() {
	need_perf
	once recording
	draws -s dso,sym -g
	draws -s dso,sym -g callee
	draws -s sym -g count
	draws -s dso,sym --no-children -G
	draws -s dso,sym --no-children -g
	draws -s dso,sym --no-children -g graph,0.3
	draws -s dso,sym --no-children -g graph,0.3,callee,function,period
	draws -s dso,sym -g fractal,10,caller
}

# The samples in the trees, of all rows and branches, and of marked branches
trees_have_all_samples() {
	local children order

	once recording
	for children in --children --no-children; do
		for order in caller callee; do
			"$PCSAMPLE" report --kallsyms kallsyms --json -s comm,sym $children \
				-g 0,$order > out
			ORDER=$children,$order python3 - <<-'END'
				import collections, json, os
				paths, comm, rows = [], {1: "app", 2: "other"}, {}
				for line in open("lines"):
				    words = line.split()
				    if words[0] == "chain":
				        chain = ["k%d" % (int(a) >> 8 & 0xff) for a in words[2:]]
				    elif words[0] == "sample":
				        paths.append((comm[int(words[3])], chain, int(words[7])))
				children, order = os.environ["ORDER"].split(",")
				def count(row, path, weight):
				    tree = rows.setdefault(row, collections.Counter())
				    for n in range(1, len(path) + 1):
				        tree[tuple(path[:n])] += weight
				for name, chain, weight in paths:
				    path = chain[::-1] if order == "caller" else chain
				    own = chain[0]
				    for f in set(path) if children == "--children" else [own]:
				        whole = order == "caller" and f == own
				        if whole or children == "--no-children":
				            count((name, f), path, weight)
				        else:
				            count((name, f), path[path.index(f):], weight)
				def walk(branches, path, tree):
				    last = None
				    for b in branches:
				        here = (*path, b["symbol"])
				        tree[here] = b["period"]
				        assert b["low"] <= b["share"] <= b["high"], b
				        assert b["few"] == (b["low"] < b["share"] / 2), b
				        assert last is None or b["period"] <= last
				        last = b["period"]
				        walk(b["branches"], here, tree)
				(event,) = json.load(open("out"))["events"]
				assert len(event["rows"]) == len(rows)
				few = 0
				for r in event["rows"]:
				    tree = {}
				    walk(r["branches"], (), tree)
				    assert tree == rows[r["comm"], r["symbol"]], r
				    few += str(r["branches"]).count("'few': True")
				    if len(r["branches"]) > 1:
				        continue
				    # The tree has all samples of the row
				    low = "children_low" if children == "--children" else "low"
				    assert r["branches"][0]["low"] == r[low], r
				assert few > 100
			END
		done
	done
}

# Branches with few samples are marked, and branches below the limit are not drawn
few_samples_are_marked() {
	once recording
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g 0.1 > out
	says out "# Tree:      what the code of a row called, if it has 0.10 % of all"
	says out ' samples; ~ marks a branch with few samples'
	[[ $(grep -c -e '--[0-9.]*%~-k' out) -gt 20 && $(grep -c -e '--[0-9.]*%--k' out) -gt 20 ]]
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g --percent-limit 20 > out
	! grep -e '--1\?[0-9]\.[0-9]*%' out || die "smaller than the limit"
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g 0.1 > out
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g ,0.1,, > again
	diff out again
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g > out
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g , > again
	diff out again
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g 99999999999999999999 > out
	! grep -e '--' out || die "a branch of more than all"
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g fractal,99999999999999999999 > out
	! grep -e '--' out || die "a branch of more than all"
	"$PCSAMPLE" report --kallsyms kallsyms -s sym -g none > out
	! grep -e '^ *|' out || die "a tree"
}

# --max-stack cuts off the outer ends of chains, also when callers are counted
stacks_have_a_limit() {
	once recording
	"$PCSAMPLE" report --kallsyms kallsyms --json -s sym -g 0,callee --max-stack 2 > out
	python3 - <<-'END'
		import json
		def depth(branches):
		    return 1 + max((depth(b["branches"]) for b in branches), default=0)
		(event,) = json.load(open("out"))["events"]
		depths = {depth(r["branches"]) - 1 for r in event["rows"]}
		assert max(depths) == 2, depths
	END
	"$PCSAMPLE" script --kallsyms kallsyms --max-stack 2 > out
	[[ $(awk '/^\t/ { n++; next } n > m { m = n } { n = 0 } END { print m }' out) == 2 ]]
	status 129 "$PCSAMPLE" report --max-stack 0 2> said
}

# The word behind -g is its own, whatever follows
later_options_win() {
	once recording
	draw() {
		"$PCSAMPLE" report --kallsyms kallsyms "$@"
	}
	draw -s sym -g caller > want
	# As in perf, -G says the order, whatever the order of -g
	for how in '-g caller -G' '-g callee -G' '-g callee -g caller' '-G -s sym -g callee'; do
		# shellcheck disable=SC2086 # words
		draw -s sym $how > out
		diff want out || die "$how"
	done
	draw -s sym -g callee > want
	draw -g caller -g callee -s sym > out
	diff want out
	! diff out <(draw -s sym -G) > same || die "the same"
}

what_it_does_not_know() {
	once recording
	status 129 "$PCSAMPLE" report -g folded 2> said
	says said 'pcsample export -f folded'
	status 129 "$PCSAMPLE" report -g address 2> said
	status 129 "$PCSAMPLE" report -g graph,0.5,10 2> said
	says said 'no limit of the number of branches'
	status 129 "$PCSAMPLE" report -g inf 2> said
	status 129 "$PCSAMPLE" report -g sideways 2> said
	status 129 "$PCSAMPLE" report callee 2> said
	says said 'unexpected argument'
	status 129 "$PCSAMPLE" report -g -t, 2> said
	echo 'sample user 0x400100 1 1 10 0' | "$MKREC" plain.data
	status 1 "$PCSAMPLE" report -i plain.data -g --no-children 2> said
	says said '-g counts call chains, and it has none'
}

tap trees_are_perfs trees_have_all_samples few_samples_are_marked stacks_have_a_limit \
	later_options_win what_it_does_not_know
