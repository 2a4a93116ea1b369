#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Source lines in report and diff, compared with addr2line(1) and perf: this test builds a program
# and makes a recording with samples in each of its instructions.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

"$PCSAMPLE" version --feature libdw || {
	echo "1..0 # SKIP built without libdw"
	exit 0
}

# program CC: build prog from two files of the same name, with functions on the same lines, a header
# that is inlined in both, and a function without debug information. In known.data the first
# instruction of each function has one sample, the second two, and so on; one more sample is in no
# file. lines.json has [symbol, inlined or not, path, line, samples] of each instruction, by
# addr2line.
program() {
	mkdir -p one two
	cat > inner.h <<-'END'
		static inline __attribute__((always_inline)) int inner(volatile int *x)
		{
			return *x * *x;
		}
	END
	for dir in one two; do
		cat > $dir/part.c <<-END
			#include "../inner.h"
			int in_$dir(volatile int *x)
			{
				int y = inner(x);

				return y + inner(x + 1) + 3;
			}
		END
		"$1" -O1 -g -c -o $dir.o $dir/part.c
	done
	echo 'int bare(volatile int *x) { return *x + *x * 5; }' > bare.c
	"$1" -O1 -c -o bare.o bare.c
	cat > prog.c <<-'END'
		int in_one(volatile int *x), in_two(volatile int *x), bare(volatile int *x);
		int main(int c, char **v)
		{
			volatile int x[2] = { c, c };
			return in_one(x) + in_two(x) + bare(x);
		}
	END
	"$1" -O1 -g -o prog prog.c one.o two.o bare.o
	python3 - <<-'END'
		import json, os, re, subprocess
		out = lambda *a: subprocess.check_output(a, text=True)
		load = re.findall(r"LOAD +(\S+) (\S+) \S+ (\S+)", out("readelf", "-lW", "prog"))
		load = [[int(n, 16) for n in l] for l in load]
		offset = lambda a: next(a - va + o for o, va, n in load if va <= a < va + n)
		lines, total = [], 0
		print("comm 7 7 prog 1", file=(rec := open("rec", "w")))
		print("mmap 7 0x10000000 0x100000 0", os.path.realpath("prog"), 2, file=rec)
		def sample(at, n):
		    global total
		    for i in range(n):
		        total += 1
		        print("sample user", at, 7, 7, 999 + total, 0, 1, file=rec)
		for f in "in_one", "in_two", "bare", "main":
		    code = out("objdump", "-d", "--disassemble=" + f, "prog")
		    code = re.findall(r"^ +([0-9a-f]+):\t", code, re.M)
		    told = out("addr2line", "-afie", "prog", *code)
		    told = re.split(r"^0x[0-9a-f]+\n", told, flags=re.M)[1:]
		    for n, (at, said) in enumerate(zip(code, told, strict=True)):
		        at, said = int(at, 16), said.splitlines()
		        path, line = said[1].split()[0].rsplit(":", 1)
		        if path == "??":
		            path, line = "", at - int(code[0], 16)
		        lines.append([f, "inner" if len(said) > 2 else "-", path,
		                      int(str(line).replace("?", "0")), n + 1, offset(at)])
		        sample(0x10000000 + offset(at), n + 1)
		sample(0x20000000, 1)
		assert len({l[2] for l in lines}) == 6, lines	# of 3 names, and none
		json.dump(lines, open("lines.json", "w"))
	END
	"$MKREC" known.data < rec
	: > kallsyms
}

# rows SORT EXPRESSION [OPTION...]: the report has one row for each value of EXPRESSION, which is
# Python of an instruction's symbol f, inlined function i, path p, line l and file offset o.
# $nowhere is its value for the sample in no file.
rows() {
	local sort=$1 expression=$2

	shift 2
	"$PCSAMPLE" report -i known.data --sort "$sort" --kallsyms kallsyms --json "$@" > out
	python3 - "$sort" "$expression" "$nowhere" <<-'END'
		import collections, json, os, sys
		names = {"sym": "symbol", "inline": "inlined"}
		want = collections.Counter()
		for f, i, p, l, n, o in json.load(open("lines.json")):
		    b = os.path.basename(p)
		    want[eval(sys.argv[2])] += n
		want[eval(sys.argv[3])] += 1
		d = json.load(open("out"))
		rows, got = d["events"][0]["rows"], collections.Counter()
		keys = [names.get(k, k) for k in sys.argv[1].split(",")]
		for row in rows:
		    got[tuple(row[k] for k in keys)] += row["samples"]
		assert got == want, (got - want, want - got)
		assert len(rows) == len(want) and sum(want.values()) == d["samples"], rows
	END
}

# With one thread and with two, and with the keys in each order
lines_are_right() {
	local line='f"{b}:{l}" if b else f"{f}+{l}"' threads

	for threads in 1 2; do
		nowhere='("??:0",)' rows srcline "($line,)" --threads $threads
	done
	nowhere='("-",)' rows srcfile '(b or "-",)'
	nowhere='("??:0",)' rows srcline '(f"{p}:{l}" if p else f"{f}+{l}",)' --full-source-path
	nowhere='("-",)' rows srcfile '(p or "-",)' --full-source-path
	nowhere='("[unknown]", "-", "??:0", "-")'
	rows sym,inline,srcline,srcfile "(f, i, $line, b or '-')"
	nowhere='("7", "??:0", "[unknown]")' rows pid,srcline,dso "('7', $line, 'prog')"
}

lines_of_a_program() {
	local cc

	need addr2line
	for cc in gcc clang; do
		command -v $cc > /dev/null || continue
		program $cc
		lines_are_right
		# The same from a separate file, whose name the program has
		split_debug prog
		lines_are_right
	done
}

# Without symbols and lines, each address is a row, with the address that it has in the file
stripped_program() {
	need addr2line
	program gcc
	strip prog
	nowhere='("??:0",)' rows srcline '(f"prog[{o:x}]",)'
	nowhere='("-",)' rows srcfile '("-",)'
}

# A perf that asks addr2line(1) has ??:0 for some code without a line, and SYMBOL+N for other code
lines() {
	awk '$2 ~ /:/ && $2 != "??:0" { print; next } { n += $1 } END { print n, "no line" }' | sort
}

perf_says_the_same() {
	need perf
	need addr2line
	program gcc
	perf report -i known.data --stdio --sort srcline -n -t '|' 2> said |
		awk -F '|' '!/^#/ && NF > 2 { print $2 + 0, $3 }' | lines > perf.rows
	"$PCSAMPLE" report -i known.data --sort srcline -q -t '|' --kallsyms kallsyms |
		awk -F '|' '!/^#/ { print $3, $4 }' | lines > rows
	[[ $(wc -l < rows) -ge 8 ]] || die "$(cat rows said)"
	diff perf.rows rows
}

# The new recording has more samples in the last line of the last function
diff_by_line() {
	need addr2line
	program gcc
	"$MKREC" old.data < <(cat rec rec rec rec)
	"$MKREC" new.data < <(
		cat rec rec rec rec
		for _ in {1..400}; do
			tail -n 2 rec | head -n 1
		done
	)
	"$PCSAMPLE" diff --normalize share --sort srcline --json --kallsyms kallsyms old.data \
		new.data > out
	json out '[r["srcline"] for r in d["rows"] if r["delta"] > 0] == ["prog.c:6"]'
	"$PCSAMPLE" diff --normalize share --sort dso,sym,srcline --kallsyms kallsyms --all \
		old.data new.data > out
	grep -E ' prog +\[\.\] in_one +inner\.h:3$' out
	grep -E ' prog +\[\.\] bare +bare\+[0-9]+$' out
}

tap lines_of_a_program stripped_program perf_says_the_same diff_by_line
