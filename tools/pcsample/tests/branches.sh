#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Branch stacks: compare with perf, on recordings that mkcorpus.py makes.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# made: write branchy.data and variants of it. Branches are between functions of a program, code
# without a name and the kernel, and have all flags that exist.
made() {
	local function

	for function in one two three; do
		echo "int __attribute__((noinline)) $function(int x) { return x * x + 1; }"
	done > prog.c
	echo 'int main(int c, char **v) { return one(c) + two(c) + three(c); }' >> prog.c
	gcc -O1 -no-pie -o prog prog.c
	nm prog | awk '$3 ~ /^(one|two|three|main)$/ { print $1 }' > functions
	python3 - "$here" <<-'END'
		import os, sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		own = [int(line, 16) for line in open("functions")]
		page = min(own) & ~0xfff

		def make(name, kinds=8, **how):
		    r = m.Recording(m.Event("cycles", sample_type=m.USUAL | m.BRANCH,
		                            branches=kinds),
		                    m.Event("faults", 1, 2), **how)
		    for e in r.events:
		        e.sample_type |= m.ID | m.IDENTIFIER
		    r.features[15] = b""
		    # perf looks for a file in the mount namespace of the process, if that exists:
		    # so these are larger than any PID that pid_max allows.
		    r.pids = 5000000, 5000001
		    r.begin()
		    r.mmap(r.pids[0], page, 0x1000, os.path.abspath("prog"), page & 0xffff)
		    rng = r.rng
		    def end():
		        return rng.choice((rng.choice(own) + rng.randrange(8),
		                           0x7f000000 + 16 * rng.randrange(9),
		                           m.KTEXT + 64 + 16 * rng.randrange(9), 0x1234))
		    def flags(i):
		        # For a branch neither predicted nor mispredicted, perf report prints what
		        # it printed for the branch before
		        low = rng.choice((1, 2, 3)) | rng.randrange(4) << 2
		        low |= rng.choice((0, 1, 7, 32767)) << 4
		        # perf 6.1 does not byte-swap kinds above 15
		        kind = rng.randrange(15 if "order" in how else 16)
		        new = rng.randrange(8) if kind == 15 else 0
		        return low | kind << 20 | rng.randrange(4) << 24 | new << 26
		    r.some(60, event=lambda i, at: i % 6 == 5,
		           branches=lambda i, at: [(end(), end(), flags(i)) for _ in range(i % 33)])
		    r.write(name + ".data")
		make("branchy")
		make("branchy-index", 8 | m.HW_INDEX)
		make("branchy-counters", 8 | m.HW_INDEX | m.COUNTERS)
		make("branchy-pipe", 8 | m.HW_INDEX, pipe=True)
		make("branchy-swapped", 8, order=">", arch="s390x")
	END
}

# sum: add up the NUMBERs of lines "NUMBER|WORD|..." that are equal otherwise. Code without a name
# is one row, whether an address is printed or not.
sum() {
	sed -E 's/\[[.kHug?]\] *//g; s/(0x)?[0-9a-f]{16}/[unknown]/g; s/ *[|] */|/g; s/ *$//' |
		awk -F '|' '{ n = $1; sub(/^[^|]*/, ""); sum[$0] += n }
			END { for (row in sum) print sum[row] row }' | sort
}

# same_rows KEYS [FILE]: compare with perf. perf 6.1 crashes with -s and symbols, but not with -F.
same_rows() {
	our_rows "$@"
	perf report --stdio -b -t '|' -F "sample,$1" -i "${2:-branchy.data}" > rows 2> said ||
		die "perf report: status $?: $(tail -n 1 said)"
	sed '/^#/d; /|/!d' rows | sum > theirs
	diff ours theirs > differs || die "$*: $(head -n 6 differs)"
}

# Cut off the columns that are added where rows would look alike
our_rows() {
	local commas=${1//[^,]/}

	"$PCSAMPLE" report -b -q -t '|' --sort "$1" -i "${2:-branchy.data}" 2> said |
		cut -d '|' -f 3-$((4 + ${#commas})) | sum > ours
	[[ -s ours ]] || die "no rows: $(< said)"
}

# A second reference beside perf report: the branches that perf script prints, counted
rows_are_of_perfs_lines() {
	need_perf
	once made
	perf script -i branchy.data -F tid,brstacksym > lines 2> said
	for keys in symbol_from symbol_to mispredict in_tx abort cycles \
		symbol_from,symbol_to,mispredict,in_tx,abort,cycles; do
		our_rows "$keys"
		KEYS=$keys python3 -c '
import os, re
for one in re.findall(r"(\S+)/(\S+)/([PM])/([X-])/([A-])/(\d+)/", open("lines").read()):
	source, target, prediction, in_tx, abort, cycles = one
	row = {"symbol_from": source.split("+")[0], "symbol_to": target.split("+")[0],
	       "mispredict": "N" if prediction == "P" else "Y", "cycles": cycles.lstrip("0") or "-",
	       "in_tx": "T" if in_tx == "X" else ".", "abort": "A" if abort == "A" else "."}
	print(1, *(row[key] for key in os.environ["KEYS"].split(",")), sep="|")' |
			sum > theirs
		diff ours theirs > differs || die "$keys: $(head -n 6 differs)"
	done
}

rows_are_perfs() {
	need_perf
	once made
	for keys in dso_from dso_to symbol_from symbol_to mispredict in_tx abort cycles dso sym \
		comm,dso_from,symbol_from,symbol_to,cycles comm,mispredict \
		symbol_from,symbol_to,mispredict,in_tx,abort dso_from,dso_to; do
		same_rows "$keys"
	done
	for file in index counters pipe swapped; do
		same_rows symbol_from,dso_to,mispredict,cycles "branchy-$file.data"
	done
}

default_rows() {
	once made
	"$PCSAMPLE" report -b -i branchy.data > out
	says out '# Samples:   50, with 724 branches, of cycles'
	says out '# Not shown: 10 samples of faults, which has no branch stacks'
	if grep 'Not shown: branch' out; then
		die "they are shown"
	fi
	grep -E '^# Overhead   95 % interval   Branches  Command .* Block Cycles  Target' out
	"$PCSAMPLE" report -q -b -i branchy.data > asked
	"$PCSAMPLE" report -q -i branchy.data \
		--sort comm,dso_from,symbol_from,symbol_to,cycles > named
	diff asked named
	"$PCSAMPLE" report -b --threads 3 -i branchy.data -q | diff - asked
	"$PCSAMPLE" report -b -i branchy.data --json > out
	json out 'd["samples"] == 60 and d["events"][0]["samples"] == 50 and
		d["events"][0]["branches"] == 724 and
		sum(r["samples"] for r in d["events"][0]["rows"]) == 724'
	json out 'any(t.startswith("10 samples of faults") for t in d["not_shown"])'
	# With -U both ends have names
	"$PCSAMPLE" report -b -U -q -i branchy.data --sort symbol_from,symbol_to > out
	if grep -F '[unknown]' out; then
		die "these have no names"
	fi
	says out one
}

# entries FILE: script's output without spaces. perf 6.1 does not print whether a branch was
# speculative.
entries() {
	tr -d ' ' < "$1" > packed
	if ! grep -qE '/[0-9]+/[A-Z0-9_]*/(-|N/A|[A-Z_]*PATH)' theirs; then
		sed -Ei 's:(/[0-9]+/[A-Z0-9_]*)/(-|[A-Z_]*PATH):\1:g' packed
	fi
	cat packed
}

lines_are_perfs() {
	local file fields

	need_perf
	once made
	# For a pipe, perf 6.1 prints other fields than -F asks for
	for file in branchy branchy-index branchy-counters branchy-swapped; do
		for fields in brstack ip,brstack brstacksym ip,dso,brstack comm,dso,ip,brstacksym
		do
			perf script -i "$file.data" -F "$fields,tid,time" 2> said > theirs
			"$PCSAMPLE" script -i "$file.data" -F "$fields,tid,time" 2> said > ours
			[[ -s ours ]] || die "nothing is printed: $(< said)"
			entries ours > our
			entries theirs > their
			diff our their > differs || die "$file $fields: $(head -n 6 differs)"
		done
	done
}

# A recording of arm64 has arm64's names for kinds of branches; a branch may be not taken
lines_of_branches() {
	python3 - "$here" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		for arch in "x86_64", "aarch64":
		    e = m.Event("cycles", sample_type=m.IP | m.TID | m.BRANCH, branches=8)
		    r = m.Recording(e, arch=arch)
		    r.begin()
		    branches = [(0x400010, 0x400200, 2 | 1 << 33 | 1 << 20),
		                (0x400300, 0x7f000040, 0x13f00098)]
		    r.sample(pid=11, tid=11, branches=branches)
		    r.write(arch + ".data")
	END
	"$PCSAMPLE" script -i x86_64.data -F brstack > out
	diff out - <<< "$(printf ' 0x400010/0x400200/PN/-/-/0/COND/- %s ' \
		' 0x400300/0x7f000040/-/-/A/9/ARCH_2/SPEC_CORRECT_PATH')"
	"$PCSAMPLE" report -q -i x86_64.data --sort mispredict -t '|' | cut -d '|' -f 3- > out
	diff out - <<< "$(printf '1|%s\n' N N/A)"
	"$PCSAMPLE" script -i aarch64.data -F brstackoff > out
	says out '0x300/0x1040/-/-/A/9/ARM64_DEBUG_HALT/SPEC_CORRECT_PATH'
	"$PCSAMPLE" script -i aarch64.data --json > out 2> said
	json out 'd["branches"][1] == {
		"from": "0x0000000000400300", "dso_from": "/nowhere/second",
		"to": "0x000000007f000040", "dso_to": "/nowhere/libc.so.6", "prediction": "-",
		"in_tx": False, "abort": True, "cycles": 9, "type": "ARM64_DEBUG_HALT",
		"speculation": "SPEC_CORRECT_PATH"}'
	! grep 'branch stacks' said || die "they are shown"
}

# Without branches the command fails, and says what to do
told_where_there_are_none() {
	once made
	python3 "$here/mkcorpus.py" kinds
	status 1 "$PCSAMPLE" report -b -i kinds/identical-plain.data 2> said
	says said 'it has none; perf record -b records some, and perf report -b --itrace=i100usl'
	status 1 "$PCSAMPLE" report --sort symbol_from -i kinds/told-trace.data 2> said
	says said 'perf report -b --itrace=i100usl makes some of hardware traces'
	status 1 "$PCSAMPLE" script -F +brstack -i kinds/identical-plain.data 2> said
	says said 'it has none; perf record -b records some'
	status 129 "$PCSAMPLE" report -b --children -i branchy.data 2> said
	says said 'b does not count callers'
	status 129 "$PCSAMPLE" report -b --sort srcline -i branchy.data 2> said
	status 2 "$PCSAMPLE" report -b --pid 77 -i branchy.data 2> said
	says said 'none of 60 is of these'
}

tap rows_are_perfs rows_are_of_perfs_lines default_rows lines_are_perfs lines_of_branches \
	told_where_there_are_none
