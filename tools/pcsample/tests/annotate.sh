#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample annotate, of programs with samples at known instructions.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

export HOME=/nonexistent

# program CC FLAG...: prog.c, which has a line with an inlined function, as prog
program() {
	cat > prog.c <<-END
		static inline __attribute__((always_inline)) long twice(long x)
		{
			return x * 2;
		}

		long work(long n)
		{
			long s = 0;

			while (n--)
				s += twice(s) ^ n;
			return s;
		}

		int main(void)
		{
			return work(10) == 7;
		}
	END
	"$@" -g -O1 -fno-pie -no-pie -o prog prog.c
}

# recording AT[:PERIOD]...: 100 samples at each virtual address of prog, mapped where it is linked.
# perf looks for a file in the mount namespace of the process, if that exists: so the PID is larger
# than any that pid_max allows.
recording() {
	local n=0 period

	{
		echo "comm 5000000 5000000 prog 1"
		readelf -lW prog | awk '$1 == "LOAD" && / R E / {
			print "mmap 5000000", $3, $6, $2, ENVIRON["PWD"] "/prog", 2 }'
		for at; do
			period=1
			[[ $at != *:* ]] || period=${at#*:}
			for i in {1..100}; do
				((++n))
				echo "sample user ${at%:*} 5000000 5000000 ${n}000 0 $period"
			done
		done
	} | "$MKREC" perf.data
}

# addresses SYMBOL: print the addresses of its instructions, by objdump
addresses() {
	"${OBJDUMP:-objdump}" -d --no-show-raw-insn prog |
		awk -v s="<$1>:" '$2 == s { on = 1; next } !NF { on = 0 }
			on { sub(":", "", $1); print "0x" $1 }'
}

need_x86_64() {
	[[ $(uname -m) == x86_64 ]] || skip "no x86-64"
	need objdump
}

x86_64_instructions_and_lines() {
	local at

	need_x86_64
	program gcc
	mapfile -t at < <(addresses work)
	recording "${at[0]}" "${at[2]}" "${at[2]}" "${at[2]}"
	"$PCSAMPLE" annotate --json work > a.json
	json a.json '[f["name"] for f in d["functions"]] == ["work"]'
	# There are as many instructions as objdump prints, with the same addresses and names
	python3 - "${at[@]}" <<-'END'
		import json, re, subprocess, sys
		f, = json.load(open("a.json"))["functions"]
		ours = [int(i["address"], 16) for i in f["instructions"]]
		theirs = [int(a, 16) for a in sys.argv[1:]]
		assert ours[:len(theirs)] == theirs, (ours, theirs)
		text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "prog"],
		                      capture_output=True, text=True).stdout
		for i in f["instructions"][:len(theirs)]:
		    line, = re.findall(rf"^ *{int(i['address'], 16):x}:\t(.*)$", text, re.M)
		    name = i["instruction"].split()[0]
		    # There are several ways to write prefixes, as in "data16 cs nopw"
		    theirs = re.sub(r"^((data16|[cdefgs]s|rex\S*) )+", "", line).split()[0]
		    assert name.rstrip("lqw") == theirs.rstrip("lqw"), (i, line)
	END
	json a.json '[i["samples"] for i in d["functions"][0]["instructions"]][:3] == [100, 0, 300]'
	json a.json 'd["functions"][0]["instructions"][2]["share"] == 0.75'
	json a.json '0.6 < d["functions"][0]["instructions"][2]["low"] < 0.75'
	json a.json 'all(i["file"].endswith("prog.c")
		for i in d["functions"][0]["instructions"] if "file" in i)'
	json a.json 'any(i.get("line") == 3 for i in d["functions"][0]["instructions"])'
	# The samples of a line are the sum of those of its instructions
	json a.json 'all(i["line_samples"] == sum(k["samples"]
			for k in d["functions"][0]["instructions"] if k.get("line") == i["line"])
		for i in d["functions"][0]["instructions"] if "line" in i)'
	"$PCSAMPLE" annotate > text
	says text 'prog.c:3  return x * 2;'
	says text '75.00%'
	says text 'where the interrupt was taken'
	"$PCSAMPLE" annotate -M intel --no-source > text
	[[ $(grep -c 'prog.c:' text) == 0 ]] || die "source lines"
	says text 'rax, '
}

# Shares are of the function's period by default, as in perf
shares_are_of_periods() {
	local at

	need_x86_64
	program gcc
	mapfile -t at < <(addresses work)
	recording "${at[0]}:10" "${at[2]}:30" "${at[2]}:10" "${at[3]}:50"
	"$PCSAMPLE" annotate --json work > a.json
	json a.json '[(i["samples"], i["share"], i["low"] < i["share"] < i["high"])
		for i in d["functions"][0]["instructions"] if i["samples"]] == [
		(100, 0.1, True), (200, 0.4, True), (100, 0.5, True)]'
	json a.json 'sum(i.get("block_samples", 0)
		for i in d["functions"][0]["instructions"]) == 400'
	"$PCSAMPLE" annotate --no-source work > text
	awk '/^ +[0-9.]+%/ { print $1 }' text > ours
	printf '%s\n' 10.00% 40.00% 50.00% | diff - ours
	awk '/%>/ { sub(/%>.*/, ""); sum += $NF } END { exit sum != 100 }' text || die "blocks"
	"$PCSAMPLE" annotate work > text
	awk '/prog.c:/ && /^ +[0-9.]+%/ && !seen[$2]++ { sum += $1 }
		END { exit sum != 100 }' text || die "lines"
	need_perf
	perf annotate -i perf.data --stdio --no-source work 2> said |
		awk '$1 ~ /^[0-9.]+$/ && $1 > 0 && $2 == ":" { print $1 "%" }' > theirs
	diff ours theirs
}

# The target of a call has its demangled name
calls_of_cpp() {
	local at

	need_x86_64
	need_feature capstone
	need_feature libiberty
	cat > prog.cc <<-'END'
		namespace app { __attribute__((noinline)) int other(int x) { return x * 3; } }
		extern "C" int *work(int x) { return new int(app::other(x) + 1); }
		int main() { return !work(1); }
	END
	g++ -g -O1 -no-pie -o prog prog.cc
	mapfile -t at < <(addresses work)
	recording "${at[0]}"
	"$PCSAMPLE" annotate --no-source work > text
	says text '<app::other>'
	says text '<operator new@plt>'
}

arm64_on_any_machine() {
	local at

	command -v aarch64-linux-gnu-gcc > /dev/null || skip "no compiler for arm64"
	program aarch64-linux-gnu-gcc
	mapfile -t at < <(OBJDUMP=aarch64-linux-gnu-objdump addresses work)
	recording "${at[0]}" "${at[1]}" "${at[1]}"
	"$PCSAMPLE" annotate --json work > a.json
	python3 - "${at[@]}" <<-'END'
		import json, re, subprocess, sys
		f, = json.load(open("a.json"))["functions"]
		assert len(f["instructions"]) == len(sys.argv) - 1, f
		text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn",
		                       "prog"], capture_output=True, text=True).stdout
		for i in f["instructions"]:
		    line, = re.findall(rf"^ *{int(i['address'], 16):x}:\t(.*)$", text, re.M)
		    # "mov x0, #0" is an alias of movz, which capstone does not use
		    assert i["instruction"].split()[0].startswith(line.split()[0]), (i, line)
		# Basic blocks begin after branches and at their targets, and have all samples
		starts = [i for i in f["instructions"] if "block_samples" in i]
		assert sum(i["block_samples"] for i in starts) == f["samples"] == 300
		names = [i["instruction"].split()[0] for i in f["instructions"]]
		for n, name in enumerate(names[:-1]):
		    if name.startswith("b") or name in ("cbz", "cbnz", "ret"):
		        assert "block_samples" in f["instructions"][n + 1], names
	END
	json a.json 'any(i.get("line") in (3, 10) for i in d["functions"][0]["instructions"])'
}

# name_event NAME: give the event of perf.data this name (EVENT_DESC is feature 12)
name_event() {
	python3 - "$1" <<-'END'
		import struct, sys
		attr = bytes(128)
		name = sys.argv[1].encode() + b"\0"
		name += bytes(-len(name) % 64)
		open("event", "wb").write(struct.pack("<II", 1, 128) + attr +
		    struct.pack("<II", 0, len(name)) + name)
	END
}

exactness_is_told() {
	local at

	program gcc
	mapfile -t at < <(addresses work)
	name_event 'arm_pcsample//'
	# All samples are at the first instruction, the target of a call
	{
		echo "blob 12 event"
		echo "comm 7 7 prog 1"
		readelf -lW prog | awk '$1 == "LOAD" && / R E / {
			print "mmap 7", $3, $6, $2, ENVIRON["PWD"] "/prog", 2 }'
		for i in {1..200}; do
			echo "sample user ${at[0]} 7 7 $((1000 * i)) 0 1"
		done
	} > lines
	"$MKREC" perf.data < lines
	"$PCSAMPLE" annotate > text
	says text 'it need only show targets of branches (100 % of these samples are)'
	says text 'this hardware shows targets of branches alone'
	for i in {1..200}; do
		echo "sample user ${at[1]} 7 7 $((1000 * i + 1)) 0 1"
	done >> lines
	"$MKREC" perf.data < lines
	"$PCSAMPLE" annotate > text
	says text '(50 % of these samples are); this hardware shows others too'
}

without_code() {
	local at

	program gcc
	mapfile -t at < <(addresses work)
	recording "${at[0]}"
	cp prog kept
	objcopy --only-keep-debug prog prog.debug
	rm prog
	status 2 "$PCSAMPLE" annotate 2> said
	says said 'no samples in functions with a name; pcsample report -v says why'
	# The recording is of another kernel
	printf '%s T _text\n%s T do_thing\n%s T after\n' ffff800080000000 ffff800080010000 \
		ffff800080010100 > kallsyms
	{
		echo "kernel 0xffff800080000000 0x1000000" \
			"0xffff800080000000 [kernel.kallsyms]_text 1"
		for i in {1..50}; do
			echo "sample kernel 0xffff800080010004 0 0 $((1000 * i)) 0 1"
		done
	} | "$MKREC" kernel.data
	"$PCSAMPLE" annotate -i kernel.data --kallsyms kallsyms > text
	says text '--vmlinux FILE'
	says text '0xffff800080010004'
	"$PCSAMPLE" annotate -i kernel.data --kallsyms kallsyms --json > a.json
	json a.json '"problem" in d["functions"][0]'
}

each_event_is_shown() {
	program gcc
	mapfile -t at < <(addresses work)
	{
		echo event 1 2
		echo "comm 7 7 prog 1"
		readelf -lW prog | awk '$1 == "LOAD" && / R E / {
			print "mmap 7", $3, $6, $2, ENVIRON["PWD"] "/prog", 2 }'
		for n in {1..30}; do
			echo "sample user ${at[0]} 7 7 $((1000 * n)) 0 1 $((n % 3 == 0))"
		done
	} | "$MKREC" perf.data
	"$PCSAMPLE" annotate work > text
	says text '# Samples:   20 of cpu-clock, 100.00 % of all'
	says text '# Samples:   10 of page-faults, 100.00 % of all'
	"$PCSAMPLE" annotate --event page-faults --json > a.json
	json a.json '[(f["event"], f["samples"]) for f in d["functions"]] == [("page-faults", 10)]'
	status 1 "$PCSAMPLE" annotate --event nosuch 2> said
	says said 'no event is called nosuch'
}

# The kernel ran at another address than it is linked at: _text tells the distance
code_of_a_vmlinux() {
	command -v aarch64-linux-gnu-gcc > /dev/null || skip "no compiler for arm64"
	cat > k.S <<-'END'
		.globl _text, do_thing
		.text
		_text:
			.space 0x1000
		do_thing:
			mrs x0, daif
			msr daifset, #2
			ret
		.type do_thing, %function
		.size do_thing, . - do_thing
	END
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0xffff800010000000,-e,_text \
		-Wl,--build-id=none -o vmlinux k.S
	printf '%s T _text\n%s T do_thing\n%s T after\n' ffffa00080000000 ffffa00080001000 \
		ffffa0008000100c > kallsyms
	{
		echo "kernel 0xffffa00080000000 0x1000000" \
			"0xffffa00080000000 [kernel.kallsyms]_text 1"
		for i in {1..50}; do
			echo "sample kernel 0xffffa00080001004 0 0 $((1000 * i)) 0 1"
		done
	} | "$MKREC" perf.data
	"$PCSAMPLE" annotate --kallsyms kallsyms --vmlinux vmlinux > text
	grep -q '100.00%.*0xffffa00080001004  msr  *daifset, #2' text || die "$(cat text)"
	says text 'ret'
	status 1 "$PCSAMPLE" annotate --kallsyms kallsyms --vmlinux missing > text 2> said
	[[ $(< said) == 'pcsample annotate: --vmlinux missing: No such file or directory' ]]
	head -c 100 vmlinux > short
	"$PCSAMPLE" annotate --kallsyms kallsyms --vmlinux short > text
	says text 'no symbol _text'
}

usage_and_filters() {
	local at

	program gcc
	mapfile -t at < <(addresses work)
	mapfile -t of_main < <(addresses main)
	recording "${at[0]}" "${at[1]}" "${of_main[0]}"
	"$PCSAMPLE" annotate --json > a.json
	json a.json '[f["name"] for f in d["functions"]] == ["work", "main"]'
	"$PCSAMPLE" annotate --json --number 1 > a.json
	json a.json '[f["name"] for f in d["functions"]] == ["work"]'
	"$PCSAMPLE" annotate --json --percent-limit 50 > a.json
	json a.json '[f["name"] for f in d["functions"]] == ["work"]'
	"$PCSAMPLE" annotate --json -s main > a.json
	json a.json '[f["name"] for f in d["functions"]] == ["main"]'
	status 2 "$PCSAMPLE" annotate nothing
	status 2 "$PCSAMPLE" annotate --dsos other 2> said
	says said 'no samples in functions with a name in other'
	# It is the limit that leaves all of them out, not that they have no names
	status 2 "$PCSAMPLE" annotate --percent-limit 90 > text 2> said
	says said 'pcsample annotate: perf.data: no such function has 90 % of the samples,'
	says said ' and the one with the most has 66.67 %: lower --percent-limit'
	status 2 "$PCSAMPLE" annotate main --percent-limit 90 > text 2> said
	says said 'the one with the most has 33.33 %: lower --percent-limit'
	status 2 "$PCSAMPLE" annotate nothing --percent-limit 90 > text 2> said
	says said 'no samples in nothing'
	status 2 "$PCSAMPLE" report --percent-limit 90 > text 2> said
	says said 'no such row has a share of 90 %, and the largest has 66.67 %: lower'
	status 129 "$PCSAMPLE" annotate a b
	status 129 "$PCSAMPLE" annotate -M pdp11
	for at in 0 -1 -18446744073709551610 99999999999999999999 +5 ' 5' 5x '' 100001; do
		status 129 "$PCSAMPLE" annotate --number "$at"
	done
	status 1 "$PCSAMPLE" annotate -i missing
}

for feature in capstone libdw; do
	"$PCSAMPLE" version --feature $feature || {
		echo "1..0 # SKIP built without $feature"
		exit 0
	}
done
tap x86_64_instructions_and_lines shares_are_of_periods calls_of_cpp arm64_on_any_machine \
	exactness_is_told without_code code_of_a_vmlinux each_event_is_shown usage_and_filters
