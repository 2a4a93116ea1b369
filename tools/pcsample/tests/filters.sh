#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Options that select samples: each command counts the selected samples, and no others.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# 40 samples, one a millisecond, starting at 1 s: of processes one and two alternately, of three in
# the kernel, and of a thread without a name; each fourth sample is idle
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

# count NUMBER OPTION...: script and the exports have this number of samples
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
	status 129 "$PCSAMPLE" report --time 20%/2,20%-30% 2> said
	says said "expected START,STOP, 0%-50% or 10%/2, or several of a kind, not '20%/2,20%-30%'"
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

several_times() {
	recording
	count 16 --time 20%/2,20%/4
	count 16 --time 20%/4,20%/2
	count 20 --time 0%-25%,75%-100%
	# Ranges within each other, and adjacent ones: each sample counts once
	count 30 --time 0%-75%,25%-50%
	count 20 --time 0%-25%,25%-50%
	count 20 --time '1.000,1.009 1.030,'
	count 11 --time ',1.0045 1.020,1.022 1.037,1.050'
	count 0 --time '0.1,0.2 1.0001,1.0002 3,'
	# The gap between ranges is not part of the time that rates are of
	"$PCSAMPLE" report --kallsyms kallsyms --time '1.000,1.009 1.030,' --sort pid > out
	says out 'in 0.018 s on 2 CPUs'
	"$PCSAMPLE" diff --time '1.000,1.009 1.030,:25%-75%' --all --json perf.data perf.data > out
	json out 'd["old"]["samples"] == d["new"]["samples"] == 20'
	json out '0.017 < d["old"]["seconds"] < 0.021 and 0.017 < d["new"]["seconds"] < 0.021'
	status 2 "$PCSAMPLE" diff --time '0.1,0.2 2,3' perf.data perf.data 2> said
	says said 'perf.data: no samples of that time'
}

# Each range is accepted as by the installed perf, or refused as by it
times_are_perfs() {
	local range ours theirs

	cat > ranges <<-'END'
		10%/1,10%/2
		10%/3,10%/1
		0%-10%,30%-40%
		0%-60%,20%-30%
		7%
		7%/14
		33%/3,33%/1
		0%-0%
		0%-0.5%,99.5%-100%
		10%/2,
		50%/1,50%/2
		10%/1, 10%/3
		.5%
		.5%- 99.5%, 99.75%-100%
		 .25%/7,1e1%/2
		1.001,1.002
		,1.0099
		1.03,
		1.001,1.004 1.02,1.021
		,1.001 1.02,
		1.001, 1.002 1.02,
		1.001,1.002  1.02,1.03 1.0301,
		0.5,0.6 1.0390001,
		1.000000001,1.001000001 9,
		10%,20%/2
		10%,20%
		10%/11
		10%/0
		0%-10%,20%/2
		0%-110%
		10%/1 10%/3
		1.001
		1 2
		1.02,1.03 1.001,1.002
		1.001,1.002 1.002,1.003
		1.001, 1.02,
		1.001,1.002,1.003
		1.001,1.002 ,1.003
		1.0000000001,
		yesterday
	END
	need_perf
	{
		for i in {0..39}; do
			echo "sample user 0x400100 1 1 $((1000000000 + 1000000 * i)) 0 1000"
		done
		echo 'blob 21 span'	# times of the first and the last sample
	} > records
	python3 -c 'import struct
open("span", "wb").write(struct.pack("<QQ", 1000000000, 1039000000))'
	"$MKREC" perf.data < records
	while read -r range; do
		theirs=$(perf script -i perf.data --ns -F time --time "$range" 2>&1 < /dev/null) ||
			theirs=refused
		ours=$("$PCSAMPLE" script --ns -F time --time "$range" 2> said) || case $? in
		129) ours=refused ;;
		2) ours='' ;;
		*) die "$(< said)" ;;
		esac
		[[ $(tr -d ' \n' <<< "$ours") == "$(tr -d ' \n' <<< "$theirs")" ]] ||
			die "$range: perf: $theirs ours: $ours"
	done < ranges
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

# Names from files, one a line; a name may have a comma
names_in_files() {
	local command none='No such file or directory'

	recording
	{
		printf 'comm 1 1 one 1\ncomm 2 2 t,w,o 1\nmmap 1 0x400000 0x1000 0 /x/prog 1\n'
		for i in 1 2 1 3; do
			echo "sample user 0x400100 $i $i $((1000000000 + i)) 0 1000"
		done
	} | "$MKREC" commas.data
	printf '%s\n' t,w,o nobody > list
	[[ $("$PCSAMPLE" script -i commas.data --comms file://list | wc -l) == 1 ]]
	[[ $("$PCSAMPLE" script -i commas.data --comms "one,file://$PWD/list" | wc -l) == 3 ]]
	printf '%s\n' swapper :7 > list
	count 20 --comms file://list
	printf '%s\n' prog > list
	printf '%s\n' other > rest
	count 20 --dsos file://list,file://rest
	count 10 --dsos file://list
	: > rest
	count 0 --dsos file://rest
	printf '%s\n' cpu_do_idle nothing > list
	[[ $("$PCSAMPLE" script --kallsyms kallsyms --symbols file://list | wc -l) == 10 ]]
	"$PCSAMPLE" report --kallsyms kallsyms --symbols file://list -s sym -t ';' -q > out
	[[ $(cut -d ';' -f 3- out) == '10;[k] cpu_do_idle' ]] || die "$(< out)"
	"$PCSAMPLE" annotate --kallsyms kallsyms file://list > out
	says out cpu_do_idle
	[[ $(grep -c handle_irq out) == 0 ]]
	for command in 'script --symbols' 'report --symbols' 'annotate --symbol' 'script --comms' \
		'report --comms' 'export --dsos' 'diff --dsos' 'profexc report --dsos'; do
		# shellcheck disable=SC2086 # words
		status 1 "$PCSAMPLE" $command=file://missing > out 2> said
		echo "pcsample ${command%% *}: --${command##*--}: file://missing: $none" |
			diff - said
	done
	status 1 "$PCSAMPLE" annotate file://missing > out 2> said
	echo "pcsample annotate: functions: file://missing: $none" | diff - said
	# Reading from a FIFO without a writer would block
	mkfifo pipe
	status 1 "$PCSAMPLE" script --comms file://pipe 2> said
	says said 'file://pipe: not a regular file'
	truncate -s 16777217 long
	status 1 "$PCSAMPLE" script --comms file://long 2> said
	says said 'file://long: larger than 16 MB'
	need_perf
	printf '%s\n' one nobody > list
	perf script -i perf.data -F comm --comms two,file://list 2> said < /dev/null |
		sort | tr -d ' ' > theirs
	"$PCSAMPLE" script -F comm --comms two,file://list 2> said | sort | tr -d ' ' > out
	diff theirs out
	[[ $(wc -l < out) == 20 ]]
}

# Like perf, report leaves rows out without changing the shares of the others
report_chooses_rows() {
	recording
	"$PCSAMPLE" report --sort comm --comms one -t ';' -q > out
	[[ $(cut -d ';' -f 1,3,4 out) == '25.00%;10;one' ]] || die "$(< out)"
	status 2 "$PCSAMPLE" report --comms nobody 2> said
	says said 'none of 40 samples is in a row with these names'
}

# If options leave out all samples, the message does not say that there are none
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

# What no sample has chooses none: that is said, as in perf, and not that there are none of these
fields_that_samples_lack() {
	local command

	printf 'type 0x3\nsample user 0x400100 1 1 5 0\nsample user 0x400200 1 1 6 0\n' |
		"$MKREC" perf.data
	cp perf.data perf.data.old
	for command in report script annotate 'export -f folded' diff; do
		# shellcheck disable=SC2086 # words
		status 1 "$PCSAMPLE" $command --cpu 0 > out 2> said
		says said "pcsample ${command%% *}: perf.data"
		says said ': --cpu: no sample has its CPU; perf record --sample-cpu records it'
		# shellcheck disable=SC2086
		status 1 "$PCSAMPLE" $command --time 0%-50% > out 2> said
		says said ': --time: no sample has its time; perf record -T records it'
		[[ ! -s out ]]
	done
	printf 'type 0x1\nsample user 0x400100 1 1 5 0\n' | "$MKREC" perf.data
	status 1 "$PCSAMPLE" report --pid 1 2> said
	says said 'perf.data: --pid and --tid: no sample has its process; perf record records it'
	status 1 "$PCSAMPLE" script --tid 1 2> said
	# Of some events it can be said: perf adds the CPU to tracepoints alone
	python3 - "$here" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		kind = m.USUAL | m.IDENTIFIER
		r = m.Recording(m.Event("one", 0, 0, kind), m.Event("two", 0, 1, kind & ~m.CPU))
		r.begin().some(event=lambda i, at: i % 2, cpu=lambda i, at: 0)
		r.write("some.data")
	END
	"$PCSAMPLE" script -i some.data > out 2> said
	[[ $(wc -l < out) == 40 && ! -s said ]] || die "$(< said)"
	"$PCSAMPLE" script -i some.data -C 0 > out 2> said
	[[ $(wc -l < out) == 20 ]] || die "$(< out)"
	says said 'pcsample script: not shown: --cpu: samples of two, as they do not have their CPU'
	"$PCSAMPLE" report -i some.data -C 0 > out 2> said
	says said 'not shown: --cpu: samples of two'
}

# perf record -e one,two/time=0/: what has no time is of the time before it in the file
events_without_times() {
	local first

	for first in one two; do
		python3 - "$here" $first <<-'END'
			import sys
			sys.path.insert(0, sys.argv[1])
			import mkcorpus as m
			kind = m.USUAL | m.IDENTIFIER
			events = [m.Event("one", 0, 0, kind), m.Event("two", 0, 1, kind & ~m.TIME)]
			r = m.Recording(*(events if sys.argv[2] == "one" else events[::-1]))
			r.begin()
			for name in "early", "late":
			    r.comm(10, 10, name)
			    for i in range(20):
			        r.sample(event=i % 2, ip=m.TEXT, pid=10, tid=10)
			        if i % 5 == 4:
			            r.record(m.FINISHED_ROUND, b"")
			r.write("perf.data")
		END
		"$PCSAMPLE" report -q -t, -s comm > out
		awk -F, 'NF > 1 { print $3, $4 }' out | sort > rows
		printf '10 %s\n' early early late late | diff rows -
		"$PCSAMPLE" report > out
		[[ $(grep -c ' in 0.00[0-9] s' out) == 2 ]] || die "$(< out)"
		# The samples of both are in one order, and what is not known is not printed
		"$PCSAMPLE" script -F comm,time,event > out
		[[ $(awk '{ print $1 }' out | uniq | tr '\n' ' ') == 'early late ' ]] ||
			die "$(< out)"
		[[ $(grep -c '^ *[a-z]*  *5\.00[0-9]*: one:' out) == 20 ]] || die "$(< out)"
		[[ $(grep -c '^ *[a-z]* *two:' out) == 20 ]] || die "$(< out)"
		"$PCSAMPLE" script --time 0%-100% > out 2> said
		[[ $(wc -l < out) == 20 ]] || die "$(< out)"
		says said 'not shown: --time: samples of two, as they do not have their time'
	done
}

# Of records without a time, an earlier one in the file is an earlier one, though no record between
# the two has a time
order_without_times() {
	python3 - "$here" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		kind = m.USUAL | m.IDENTIFIER
		r = m.Recording(m.Event("two", 0, 1, kind & ~m.TIME), m.Event("one", 0, 0, kind))
		r.begin()
		for name in "a", "b", "timed", "c", "d", "timed", "e", "f":
		    r.comm(10, 10, name)
		    r.sample(event=name == "timed", ip=m.TEXT, pid=10, tid=10)
		r.write("perf.data")
	END
	"$PCSAMPLE" script -F comm > out
	[[ $(tr -d ' ' < out | tr '\n' ' ') == 'a b timed c d timed e f ' ]] || die "$(< out)"
	# Also if there is less than a nanosecond for each
	python3 - "$here" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		kind = m.USUAL | m.IDENTIFIER
		r = m.Recording(m.Event("two", 0, 1, kind & ~m.TIME), m.Event("one", 0, 0, kind))
		r.begin()
		r.rng.randrange = lambda *_: 1
		for i in range(50):
		    r.sample(event=i % 2, ip=m.TEXT, pid=10, tid=10)
		r.write("perf.data")
	END
	"$PCSAMPLE" script -F event | tr -d ' ' > out
	for _ in {1..25}; do
		printf 'two:\none:\n'
	done | diff - out
}

# perf record --tail-synthesize describes the kernel last
kernel_without_a_time() {
	python3 - "$here" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		r = m.Recording(m.Event("one", 0, 0, m.USUAL & ~m.TIME))
		r.comm(1, 1, "one")
		r.sample(ip=m.KTEXT + 0x40, misc=m.KERNEL)
		r.begin()
		r.write("perf.data")
	END
	"$PCSAMPLE" report -q -t, -s dso > out
	[[ $(awk -F, 'NF > 1 { print $4 }' out) == '[kernel.kallsyms]' ]] || die "$(< out)"
}

# strtoul() would take the first for 1
numbers_have_no_sign() {
	local number

	recording
	for number in -18446744073709551615 +1 99999999999999999999 1x 0-1-2 '0,' ''; do
		status 129 "$PCSAMPLE" report -C "$number" 2> said
		says said "pcsample report: expected numbers such as 0,2-3, not '$number'"
		status 129 "$PCSAMPLE" report --pid "$number"
		status 129 "$PCSAMPLE" report --threads "$number"
		status 129 "$PCSAMPLE" report --max-stack "$number"
	done
	count 20 --pid '1, 2'
	for number in inf nan -1 -0 '' x 1x; do
		status 129 "$PCSAMPLE" report --percent-limit "$number"
	done
	"$PCSAMPLE" report --percent-limit .5 > out
}

fields() {
	recording
	"$PCSAMPLE" script -F comm,pid,tid,cpu,time,event,ip,sym,symoff,dso > want
	"$PCSAMPLE" script -F +pid,-period | diff want -
	"$PCSAMPLE" script -F -period,+pid | diff want -
	"$PCSAMPLE" script -F comm,tid,cpu,time,period,event,ip,dso > want
	"$PCSAMPLE" script -F -sym | diff want -
	"$PCSAMPLE" script -F comm,ip,symoff > want
	"$PCSAMPLE" script -F comm,ip,sym,symoff | diff want -
	"$PCSAMPLE" script -F comm,ip,sym -F -sym,+symoff | diff want -
	# As in perf, a later -F changes those of an earlier one; empty words are none
	"$PCSAMPLE" script -F comm,ip,sym > want
	"$PCSAMPLE" script -F comm,cpu -F +ip,-cpu -F +sym | diff want -
	"$PCSAMPLE" script -F +pid,-time -F ,comm,,ip,sym, | diff want -
	"$PCSAMPLE" script -F comm,time > want
	"$PCSAMPLE" script -F +brstack,+pid -F comm -F +time | diff want -
	status 1 "$PCSAMPLE" script -F +brstack -F +time 2> said
	says said 'brstack prints branch stacks, and it has none'
	status 129 "$PCSAMPLE" script -F , 2> said
	says said 'no field to print'
	status 129 "$PCSAMPLE" script -F +nothing 2> said
	says said "no field is called 'nothing'"
	status 129 "$PCSAMPLE" script -F '' 2> said
	says said 'no field to print'
}

# Interrupts of the idle task are not idle
idle() {
	recording
	"$PCSAMPLE" report --kallsyms kallsyms --sort idle,comm -t ';' -q > out
	sort out | cut -d ';' -f 1,3- > rows
	printf '%s\n' '2.50%;1;busy;swapper' '22.50%;9;busy;:7' '25.00%;10;busy;one' \
		'25.00%;10;busy;two' '25.00%;10;idle;swapper' | diff rows -
	"$PCSAMPLE" report --kallsyms kallsyms --sort idle --json > out
	says out '"idle":"idle"'
	if "$PCSAMPLE" version --feature protobuf-c; then
		# A label in pprof's string table: field 2 of type string, with 4 bytes
		"$PCSAMPLE" export --kallsyms kallsyms -f pprof | gzip -dc > out
		LC_ALL=C grep -qaP '2\x04idle' out || die "no label"
		"$PCSAMPLE" export --kallsyms kallsyms -f pprof --comms one | gzip -dc > out
		! LC_ALL=C grep -qaP '2\x04idle' out || die "a label without idleness"
	fi
	status 129 "$PCSAMPLE" report --sort nothing 2> said
	says said "cannot sort by 'nothing'"
}

# Lines of common fields are written by other code: one more field must not change the rest
plain_lines() {
	local path fields

	path=/x/$(printf 'd%.0s' {1..300})
	{
		printf 'comm 1 1 one 1\ncomm 65 65 %s 1\n' "a longer name"
		printf 'mmap 1 0x400000 0x1000 0 /x/prog 1\n'
		printf 'mmap 65 0x400000 0x1000 0 %s 1\n' "$path"
		# Times from before the first second on; two threads with tids that share a cache
		# slot
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

tap times several_times times_are_perfs names names_in_files report_chooses_rows idle \
	none_is_chosen fields fields_that_samples_lack events_without_times \
	order_without_times kernel_without_a_time numbers_have_no_sign plain_lines
