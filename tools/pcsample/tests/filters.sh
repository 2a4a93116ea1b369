#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Options that choose samples: each command counts those, and no others.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

PCSAMPLE=$(realpath "${O:?}/pcsample")
MKREC=$(realpath "$O/tests/mkrec")

# 40 samples, a millisecond apart from 1 s on: of one and two in turn, of three in the kernel, and
# of a thread without a name; each fourth sample is idle
recording() {
	{
		printf 'comm 1 1 one 1\ncomm 2 2 two 1\n'
		printf 'mmap 1 0x400000 0x1000 0 /x/prog 1\nmmap 2 0x400000 0x1000 0 /x/other 1\n'
		printf 'kernel 0xffff800080000000 0x100000 0xffff800080000000 %s 0\n' \
			'[kernel.kallsyms]_text'
		for i in {0..9}; do
			t=$((1000000000 + 4000000 * i))
			echo "sample user 0x400100 1 1 $t 0 1000"
			echo "sample user 0x400100 2 2 $((t + 1000000)) 1 1000"
			task=$((i < 9 ? 7 : 0))
			echo "sample kernel 0xffff800080000010 $task $task $((t + 2000000)) 0 1000"
			echo "sample kernel 0xffff800080001010 0 0 $((t + 3000000)) 1 1000"
		done
	} | "$MKREC" perf.data
	printf '%s\n' 'ffff800080000000 T _text' 'ffff800080000010 T handle_irq' \
		'ffff800080001000 T cpu_do_idle' 'ffff800080002000 T something_else' \
		'ffff800080100000 T _end' > kallsyms
}

# count NUMBER OPTION...: script and the exports have that many samples
count() {
	local expected=$1 got

	shift
	got=$({ "$PCSAMPLE" script --kallsyms kallsyms "$@" 2> said || true; } | wc -l)
	[[ $got == "$expected" ]] || die "script $*: $got samples, not $expected"
	[[ $expected != 0 ]] || return 0
	got=$("$PCSAMPLE" export --kallsyms kallsyms -f folded "$@" |
		awk '{ n += $NF } END { print n }')
	[[ $got == "$expected" ]] || die "export $*: $got samples, not $expected"
}

times() {
	recording
	count 40
	count 10 --time 0%-25%
	count 10 --time 75%-100%
	count 10 --time 25%
	count 8 --time 20%/2
	count 8 --time 20%/5
	status 129 "$PCSAMPLE" report --time 20%/6 2> said
	status 129 "$PCSAMPLE" report --time 20%/0 2> said
	status 129 "$PCSAMPLE" report --time 30%/4 2> said
	status 129 "$PCSAMPLE" report --time 20%/2,20%/3 2> said
	says said "expected START,STOP, 0%-50% or 10%/2, not '20%/2,20%/3'"
	count 20 --time 1.010,1.029
	count 30 --time 1.010,
	count 5 --time ,1.0045
	count 0 --time 2,3
	"$PCSAMPLE" report --kallsyms kallsyms --time 50%-100% --sort pid > out
	says out '20 of '
	says out 'in 0.019 s on 2 CPUs'
	status 2 "$PCSAMPLE" report --time 2,3 2> said
	says said 'none of 40 is of these'
	status 129 "$PCSAMPLE" report --time yesterday 2> said
	says said 'START,STOP'
	"$PCSAMPLE" diff --time 0%-50%:50%-100% --all --sort comm perf.data perf.data > out
	says out '20 of '
}

names() {
	recording
	count 10 --comms one
	count 20 --comms one,two
	count 11 --comms swapper
	count 20 --comms :7,swapper
	count 0 --comms nobody
	count 10 --dsos prog
	count 20 --dsos /x/prog,other
	count 20 --dsos '[kernel.kallsyms]'
	count 5 --dsos prog --time 50%-100%
	count 20 -C 1
	count 9 --pid 7
	"$PCSAMPLE" diff --all --sort dso --comms two perf.data perf.data > out
	says out '10 of '
	[[ $("$PCSAMPLE" script --kallsyms kallsyms --symbols cpu_do_idle | wc -l) == 10 ]]
}

# As perf does, report leaves rows out without changing the shares of the others
report_chooses_rows() {
	recording
	"$PCSAMPLE" report --sort comm --comms one -t ';' -q > out
	[[ $(cut -d ';' -f 1,3,4 out) == '25.00%;10;one' ]] || die "$(< out)"
	status 2 "$PCSAMPLE" report --comms nobody 2> said
	says said 'no row of 40 samples has these names'
}

# Not that there are none, where options left all of them out
none_is_chosen() {
	local command option

	recording
	for command in script 'export -f folded' annotate; do
		for option in '--pid 99' '--tid 99' '--time 2,3' '-C 7'; do
			# shellcheck disable=SC2086 # words
			status 2 "$PCSAMPLE" $command $option > out 2> said
			says said 'perf.data: no samples of these CPUs, processes, threads'
		done
	done
	status 2 "$PCSAMPLE" script -S nothing 2> said
	says said 'perf.data: no samples in these symbols'
}

fields() {
	recording
	"$PCSAMPLE" script -F comm,pid,tid,cpu,time,event,ip,sym,symoff,dso > want
	"$PCSAMPLE" script -F +pid,-period | diff want -
	"$PCSAMPLE" script -F -period,+pid | diff want -
	status 129 "$PCSAMPLE" script -F +nothing 2> said
	says said "no field is called 'nothing'"
	status 129 "$PCSAMPLE" script -F '' 2> said
	says said 'no field to print'
}

# The idle task's interrupts are no idleness
idle() {
	recording
	"$PCSAMPLE" report --kallsyms kallsyms --sort idle,comm -t ';' -q > out
	sort out | cut -d ';' -f 1,3- > rows
	printf '%s\n' '2.50%;1;busy;swapper' '22.50%;9;busy;:7' '25.00%;10;busy;one' \
		'25.00%;10;busy;two' '25.00%;10;idle;swapper' | diff rows -
	"$PCSAMPLE" report --kallsyms kallsyms --sort idle --json > out
	says out '"idle":"idle"'
	if "$PCSAMPLE" version --feature protobuf-c; then
		# The text of a label: a string of four bytes in the table of strings
		"$PCSAMPLE" export --kallsyms kallsyms -f pprof | gzip -dc > out
		LC_ALL=C grep -qaP '2\x04idle' out || die "no label"
		"$PCSAMPLE" export --kallsyms kallsyms -f pprof --comms one | gzip -dc > out
		! LC_ALL=C grep -qaP '2\x04idle' out || die "a label without idleness"
	fi
	status 129 "$PCSAMPLE" report --sort nothing 2> said
	says said "cannot sort by 'nothing'"
}

# Most lines are put together at once, others part by part: with a field more they are the same
plain_lines() {
	local path fields

	path=/x/$(printf 'd%.0s' {1..300})
	{
		printf 'comm 1 1 one 1\ncomm 65 65 %s 1\n' "a longer name"
		printf 'mmap 1 0x400000 0x1000 0 /x/prog 1\n'
		printf 'mmap 65 0x400000 0x1000 0 %s 1\n' "$path"
		# From before the first second on, threads that take the place from each other
		for t in 0 5 999 1000000 999999999 1000000000 1999999999 3600000000000; do
			echo "sample user 0x400100 1 1 $t 0 1000"
			echo "sample user 0x400200 65 65 $t 1 1000"
			echo "sample kernel 0xffff800080000010 1 1 $((t + 1)) 0 1000"
		done
	} | "$MKREC" perf.data
	for fields in comm,tid,time,ip,sym,dso comm,pid,tid,time,ip,sym time,ip,sym,dso; do
		"$PCSAMPLE" script -F "$fields" > plain 2> said
		"$PCSAMPLE" script -F "$fields,period" 2> said | sed 's/: \{1,\}1000 /: /' > parts
		cmp plain parts || die "$fields: $(diff plain parts | head -n 4)"
		[[ $(wc -l < plain) == 24 ]] || die "lines are missing"
	done
}

tap times names report_chooses_rows idle none_is_chosen fields plain_lines
