#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Commands that read a recording report what went wrong when it was made.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# rounds SECONDS...: a recording whose rounds begin at these times. A round has half a second of
# samples of two CPUs, one CPU after the other, as a recorder empties its rings.
rounds() {
	local start cpu i

	for start; do
		for cpu in 0 1; do
			for i in {0..4}; do
				echo "sample user 0x400100 1 1 $((start * 1000000000 +
					i * 100000000 + cpu)) $cpu"
			done
		done
		echo round
	done | "$MKREC" perf.data
}

clock_that_goes_back() {
	rounds 100 101 102 103 104 105 106
	"$PCSAMPLE" report > out
	! grep 'went back' out || die "this clock does not go back"
	# Times may go back by less than a round: records of one ring may be older than those of
	# another
	rounds 100 101 102 101 103 104
	"$PCSAMPLE" report > out
	! grep 'went back' out || die "the rings are not in order"
	rounds 100 101 102 103 50 51 52 53 20 21 22
	"$PCSAMPLE" report > out
	says out 'Note:      the clock of the samples went back 2 times, by up to 52.000 s'
	"$PCSAMPLE" report --json > out
	says out 'went back 2 times'
	"$PCSAMPLE" export -f json > out
	says out 'went back 2 times'
	[[ $("$PCSAMPLE" script | wc -l) == 110 ]] || die "samples are missing"
}

# recorded_losses LINE...: a sample, and records of lost ones
recorded_losses() {
	{
		echo 'sample user 0x400100 1 1 1000 0'
		printf '%s\n' "$@"
	} | "$MKREC" perf.data
}

# In a complete recording LOST_SAMPLES repeat what LOST told, and add what was lost at the end
full_buffers() {
	recorded_losses 'lost 7' 'lost_samples 7' 'lost_samples 2'
	"$PCSAMPLE" report > out
	says out '# Lost:      9 samples in full buffers'
	if perf version > /dev/null 2>&1; then
		perf report --stdio -i perf.data > by_perf 2> /dev/null
		says by_perf 'Total Lost Samples: 9'
	fi
	"$PCSAMPLE" export -f json > out
	says out '"lost":9'
	# A recorder that was killed has told no more than losses of the CPU
	recorded_losses 'lost 7' 'lost_samples 2' 'lost 5'
	"$PCSAMPLE" report --json > out
	json out 'd["lost"] == 12'
	# Samples that a BPF filter dropped
	recorded_losses 'lost 7' 'lost_samples 7' 'lost_samples 100 0x8000'
	"$PCSAMPLE" report > out
	says out '# Lost:      7 samples in full buffers'
	recorded_losses 'lost 7' 'lost 5'
	"$PCSAMPLE" report > out
	says out '# Lost:      12 samples in full buffers'
	"$PCSAMPLE" report --json > out
	says out '"lost":12'
	"$PCSAMPLE" export -f json > out
	says out '"lost":12'
}

# Standard output is a full device. Commands that print little write at their end.
full_disk() {
	rounds 100 101 102
	while read -r command; do
		# shellcheck disable=SC2086 # the words of a command
		status 1 "$PCSAMPLE" $command 2> said > /dev/full < /dev/null
		says said 'standard output: No space left on device'
		[[ $(wc -l < said) == 1 ]] || die "$command: $(< said)"
	done <<-END
		report
		report --json
		script
		diff perf.data perf.data
		export --json -f folded -o out.folded
		archive --json -q -o out.tar
		list
		list --json
		doctor
		doctor --json
		explain sample
		version
		version --json
		completion bash
		completion --json
		--help
		report --help
	END
}

# The disk of temporary files is full, which hold what cannot be mapped or is compressed
full_temporary_files() {
	need_root
	rounds {100..300}
	mkdir full
	status 1 unshare -m bash -c "
		mount -t tmpfs -o size=16k none full
		TMPDIR=full exec $PCSAMPLE report -i - < <(cat perf.data)" 2> said
	says said 'full: temporary file: No space left on device; set TMPDIR'
	[[ $(wc -l < said) == 1 ]] || die "$(< said)"
}

# Endless input that is no recording is not copied until the disk is full
endless_input() {
	local input

	for input in "-i /dev/zero" "-i - < <(yes)"; do
		status 1 bash -c "ulimit -f 100000; exec timeout 60 $PCSAMPLE report $input" 2> said
		says said 'no perf.data, expected PERFILE2'
	done
}

# As perf leaves it if it fails
empty_input() {
	: > perf.data
	status 1 "$PCSAMPLE" report 2> said
	says said 'report: perf.data: offset 0: empty, expected PERFILE2: its recorder failed'
	status 1 "$PCSAMPLE" script -i - < <(false) 2> said
	says said 'script: standard input: offset 0: empty, expected PERFILE2: its recorder'
	status 1 "$PCSAMPLE" diff perf.data perf.data 2> said
	says said 'perf.data: offset 0: empty, expected PERFILE2: its recorder failed'
	status 1 "$PCSAMPLE" report -i '' 2> said
	says said 'pcsample report: the name of the recording is empty: -i FILE'
}

# Without the file names are missing, which most commands have no place to say
missing_kallsyms() {
	rounds 100 101 102
	while read -r command; do
		# shellcheck disable=SC2086 # the words of a command
		status 1 "$PCSAMPLE" $command --kallsyms nowhere > out 2> said
		says said ': nowhere: No such file or directory'
		[[ $(wc -l < said) == 1 ]] || die "$command: $(< said)"
	done <<-END
		report -q
		script
		annotate
		diff perf.data perf.data
		export -f folded
		archive -o out.tar
	END
}

# The descriptor of a closed standard stream is not reused for the next file that is opened
closed_streams() {
	rounds 100 101 102
	"$PCSAMPLE" export --json -f csv -o open.csv > out
	status 1 "$PCSAMPLE" export --json -f csv -o closed.csv >&- 2> said
	says said 'standard output: Bad file descriptor'
	cmp open.csv closed.csv
	status 1 "$PCSAMPLE" report -i - <&- 2> said
	says said 'Bad file descriptor'
	status 1 "$PCSAMPLE" report -i missing 2>&-
}

need_recorder() {
	need_root
	need_feature libperf
}

# The records of all existing processes come first, and are many on a busy host: wait for a sample.
recording() {
	[[ $("$PCSAMPLE" report -i "$1" 2> /dev/null) == *'of cpu-clock'* ]]
}

killed_recorder() {
	need_recorder
	"$PCSAMPLE" record -e cpu-clock -a 2> said &
	until_true recording perf.data
	kill -KILL $!
	status 137 wait $!
	status 1 "$PCSAMPLE" report > out 2> said
	says out 'of cpu-clock'
	says said 'the recorder did not finish'
	status 1 "$PCSAMPLE" script > out 2> said
	says said 'the recorder did not finish'
	[[ -s out ]] || die "nothing was printed"
	# It has the records from before the first sample, so that kernel symbols are found
	status 1 "$PCSAMPLE" report --json > out 2> said
	json out "d['kernel'] == '$(uname -r)' and d['arch'] == '$(uname -m)'"
	json out "d['hostname'] == '$(uname -n)'"
	[[ $(grep -c 'unknown release' out) == 0 ]] || die "of unknown release"
	perf report --stdio -i perf.data > /dev/null 2> said || die "perf: $(< said)"
	# In a pipe, which does not say how long it should be
	"$PCSAMPLE" record -e cpu-clock -a -o - > pipe.data 2> said &
	until_true recording pipe.data
	kill -KILL $!
	status 137 wait $!
	status 1 "$PCSAMPLE" report -i pipe.data > out 2> said
	says out 'of cpu-clock'
	says said 'pipe.data: offset '
	[[ $(wc -l < said) == 1 ]] || die "$(< said)"
	# perf's own recorder leaves a size of 0
	perf record -q -a -e cpu-clock -o killed.data 2> said &
	until_true recording killed.data
	kill -KILL $!
	status 137 wait $!
	status 1 "$PCSAMPLE" report -i killed.data > out 2> said
	says said 'the recorder did not finish'
}

# If files are missing here, rows have no names, and the report says why
missing_symbols() {
	"$MKREC" perf.data <<-'END'
		comm 1 1 app 1
		mmap 1 0x400000 0x10000 0 /nowhere/app 2
		mmap 1 0x500000 0x10000 0 /nowhere/libapp.so 2
		sample user 0x400100 1 1 10 0
		sample user 0x500100 1 1 11 0
		sample user 0x500200 1 1 12 0
	END
	"$PCSAMPLE" report -i perf.data > out
	says out '# Symbols:   missing for 100.0 % of the samples, in 2 files, most of them in: '
	says out ' /nowhere/libapp.so: No such file or directory (-v: the others)'
	"$PCSAMPLE" report -i perf.data -v > out
	says out '# Symbols:   /nowhere/app: No such file or directory'
	# Rows below the limit are not shown, but count as nameless
	"$PCSAMPLE" report -i perf.data --percent-limit 50 > out
	says out '# Symbols:   missing for 100.0 % of the samples, in 2 files, most of them in: '
	"$PCSAMPLE" report -i perf.data --percent-limit 50 --json > out
	json out 'd["events"][0]["nameless"] == {"share": 1, "objects": [
		{"dso": "app", "share": 0.333333,
		 "why": "/nowhere/app: No such file or directory"},
		{"dso": "libapp.so", "share": 0.666667,
		 "why": "/nowhere/libapp.so: No such file or directory"}]}'
	"$PCSAMPLE" report -i perf.data --sort comm --json > out
	json out '"nameless" not in d["events"][0]'
	"$PCSAMPLE" report -i perf.data --sort comm > out
	if grep Symbols: out; then
		die "asked for no symbols"
	fi
}

# A stripped program still has symbols for what others call: the report must say why most of it has
# no name
stripped_programs() {
	local at

	echo 'static int __attribute__((noinline)) f(int x) { return x * x + 1; }
		int main(int c, char **v) { return f(c); }' > prog.c
	gcc -O1 -no-pie -rdynamic -o prog prog.c
	at=$(nm prog | awk '$3 == "f" { print "0x" $1 }')
	strip prog
	{
		echo "comm 1 1 prog 1"
		readelf -lW prog | awk -v p="$PWD/prog" '$1 == "LOAD" && / R E / {
			print "mmap 1", $3, $6, $2, p, 2 }'
		echo "sample user $at 1 1 10 0"
	} | "$MKREC" perf.data
	"$PCSAMPLE" report > out
	says out "# Symbols:   missing for 100.0 % of the samples, in 1 file: $PWD/prog: "
	says out 'install its debug symbols'
	"$PCSAMPLE" report -v > out
	says out "# Symbols:   $PWD/prog: no symbols of this code; install its debug symbols"
}

# The JSON has what the lines above the text's table say
lines_of_the_head_are_in_json() {
	"$MKREC" perf.data <<-END
		type 0x200587
		feature 3 host
		feature 4 6.1.0
		feature 5 9.9
		feature 6 aarch64
		meta method CONTEXTIDR_EL1
		meta note a note
		meta ledger.total.planned 10
		meta ledger.total.sample 6
		meta ledger.total.late 4
		sample user 0x400100 1 1 10 0
		lost 7
	END
	"$PCSAMPLE" report > out
	for line in 'by version 9.9 on host, Linux 6.1.0 aarch64' 'asked for 1000.0' \
		'Lost:      7 samples' 'planned 10 = sample 6 + late 4' 'too busy for 40 % of' \
		'found by CONTEXTIDR_EL1' 'Note:      a note' 'missing for 100.0 %'; do
		says out "$line"
	done
	"$PCSAMPLE" report --json > out
	json out 'd["recorder"] == "9.9" and d["hostname"] == "host" and
		d["kernel"] == "6.1.0" and d["arch"] == "aarch64"'
	json out 'd["events"][0]["asked_hz"] == 1000 and d["lost"] == 7'
	json out 'd["ledger"] == {"planned": 10, "sample": 6, "late": 4}'
	json out 'len(d["notes"]) == 3 and "too busy for 40 %" in d["notes"][0] and
		d["notes"][1] == "a note"'
	json out 'd["events"][0]["method"] == "CONTEXTIDR_EL1"'
	json out 'd["events"][0]["nameless"]["share"] == 1'
	"$PCSAMPLE" export -f json > out
	json out 'd["recording"]["recorder"] == "9.9" and d["recording"]["asked_hz"] == 1000'
	json out 'd["recording"]["lost"] == 7 and d["recording"]["malformed_records"] == 0'
	json out 'd["recording"]["ledger"]["late"] == 4 and len(d["recording"]["notes"]) == 3'
	perf record -q -B -e instructions:u -c 100000 -o perf.data -- true ||
		perf record -q -B -e page-faults -c 2 -o perf.data -- "$BUSY" 0.1
	"$PCSAMPLE" report --json > out
	json out '"asked_hz" not in d["events"][0] and
		d["events"][0]["sample_period"] in (2, 100000)'
	json out 'd["events"][0]["method"] == "interrupt"'
}

# with_ledger LATE PREEMPTED: what report says of busy readers, for 1000 reads
with_ledger() {
	"$MKREC" perf.data <<-END
		meta ledger.total.planned 1000
		meta ledger.total.sample $((1000 - $1 - $2))
		meta ledger.total.late $1
		meta ledger.total.preempted $2
		sample user 0x400100 1 1 10 0
	END
	"$PCSAMPLE" report -i perf.data > out
}

busy_readers() {
	with_ledger 80 40
	says out 'too busy for 12 % of the reads: lower -F'
	with_ledger 50 40
	if grep 'too busy' out; then
		die "that is little"
	fi
}

# Each event of a group has samples; tests/corpus.sh compares them with perf's
groups_of_events() {
	perf record -q -B -e '{cpu-clock,task-clock}:S' -o perf.data -- "$BUSY" 0.1
	"$PCSAMPLE" report -i perf.data > out
	grep '# Samples: .* of cpu-clock' out > first
	grep '# Samples: .* of task-clock' out > second
	! grep 'Not shown' out || die "all of it is"
	"$PCSAMPLE" script -F event > events
	[[ $(grep -c cpu-clock events) -ge 10 && $(grep -c task-clock events) -ge 10 ]]
}

# Kinds of recordings that tests/corpus does not cover: perf prints nothing of them, or as much
more_kinds() {
	python3 "$here/mkcorpus.py" kinds
	printf 'ffffffff81000000 T %s\n' _text kfunc > kallsyms
	echo 'ffffffff81010000 T kend' >> kallsyms
	python3 - "$here" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		kind = m.USUAL | m.CALLCHAIN | m.REGS_USER | m.STACK_USER
		e = m.Event("cycles", sample_type=kind, regs=3, stack=64)
		r = m.Recording(e, arch="riscv64")
		r.begin().some(chain=lambda i, at: [m.CONTEXT_USER, at["ip"]],
		               regs=lambda i, at: (1, 2), stack=lambda i, at: bytes(64))
		r.write("kinds/stacks.data")
		r = m.plain()
		for pid in 10, 11:
		    r.record(8, r.pack("IIQ", pid, pid, 12345))
		r.write("kinds/reads.data")
		r = m.plain()
		r.record(m.SWITCH, b"", 1 << 13)
		r.write("kinds/switches.data")
		r = m.Recording(m.Event("cycles", sample_type=m.USUAL | 1 << 17 | 1 << 18))
		r.begin()
		for i in range(10):
		    kernel = i % 2
		    r.now += 1000
		    body = (m.KTEXT if kernel else m.TEXT) + 64, 10, 10, r.now, 0, 0, 1, 0, 0
		    r.record(m.SAMPLE, r.pack("QIIQIIQQQ", *body), m.KERNEL if kernel else m.USER)
		r.write("kinds/transactions.data")
		# A group that would repeat its samples 50 times for each event; a member has a
		# period as simpleperf gives events that are only read
		kind = m.USUAL | m.ID | m.READ | m.CALLCHAIN
		form = m.GROUP_FORMAT | m.ID_FORMAT
		members = [m.Event("added", 0, 1, kind, i and 1 << 62, False, form)
		           for i in range(50)]
		r = m.Recording(m.Event("cycles", 0, 0, kind, 1000, False, form), *members)
		r.begin().some(chain=lambda i, at: [m.CONTEXT_USER] + [m.TEXT] * 500,
		               reads=lambda i, at: [(i + 1, 100 + k) for k in range(51)])
		r.write("kinds/group.data")
	END
}

# said_by COMMAND...: print what the command writes to standard error
said_by() {
	{ "$PCSAMPLE" "$@" --kallsyms kallsyms > /dev/null; } 2>&1
}

# Each kind of data, in every command that reads a recording
what_is_not_shown() {
	local kind word format

	once more_kinds
	while read -r kind word; do
		"$PCSAMPLE" report -i "kinds/$kind.data" > out
		says out "# Not shown: $word"
		"$PCSAMPLE" report -i "kinds/$kind.data" --json > out.json
		json out.json "any(t.startswith('$word') for t in d['not_shown'])"
		said_by script -i "kinds/$kind.data" > out
		case $kind in
		*tracepoint|stacks) ;;
		*) says out "pcsample script: not shown: $word" ;;
		esac
		"$PCSAMPLE" annotate -i "kinds/$kind.data" --kallsyms kallsyms kfunc > out
		says out "# Not shown: $word"
		"$PCSAMPLE" annotate -i "kinds/$kind.data" --kallsyms kallsyms --json kfunc \
			> out.json
		json out.json "any(t.startswith('$word') for t in d['not_shown'])"
		for format in folded csv json speedscope firefox html pprof; do
			# Where chains are shown, another message is about these stacks
			case $kind.$format in
			stacks.csv | stacks.json) ;;
			stacks.*) continue ;;
			*.pprof) "$PCSAMPLE" version --feature protobuf-c || continue ;;
			esac
			said_by export -i "kinds/$kind.data" -f "$format" -o out > said
			says said "pcsample export: not shown: $word"
		done
		"$PCSAMPLE" export -i "kinds/$kind.data" -f json > out.json
		json out.json "any(t.startswith('$word') for t in d['recording']['not_shown'])"
		"$PCSAMPLE" diff "kinds/$kind.data" "kinds/$kind.data" > out
		says out "# Not shown: kinds/$kind.data: $word"
		"$PCSAMPLE" diff --json "kinds/$kind.data" "kinds/$kind.data" > out
		says out "\"$word"
	done <<-END
		identical-branches branch stacks were recorded with cycles
		group counted in the samples of the leader of their group: added, added
		told-memory weights, data sources or data addresses were recorded with
		identical-tracepoint fields of tracepoints were recorded with corpus:corpus_wakeup
		told-trace a hardware trace of 64 bytes was recorded by intel_bts//
		told-unknown-records 3 records of unknown type (2 of 40, 1 of 41)
		stacks call chains were recorded with cycles
		reads 2 counts of threads that ended
		switches 1 context switches
		transactions states of transactions were recorded with cycles
		transactions registers were recorded with cycles
	END
	"$PCSAMPLE" export -i kinds/identical-branches.data -f html > out 2> said
	says out '"not_shown":["branch stacks were recorded'
	said_by script -i kinds/stacks.data > out
	says out 'callers in user space were recorded as copies of the stack (--call-graph dwarf)'
	"$PCSAMPLE" report -i kinds/identical-plain.data > out
	! grep -c 'Not shown' out || die "all of it is"
}

# Records that would take more memory than the recording's size allows, and unreadable ones
records_that_are_left_out() {
	local words='records of processes and mappings: together with the earlier ones they would'

	mkdir dense
	python3 "$here/fuzz/dense.py" dense 1000000
	"$PCSAMPLE" report -i dense/programs > out
	says out "$words"
	says out '# Samples:   2 of'
	"$PCSAMPLE" script -i dense/programs 2> out > samples
	says out "$words"
	python3 "$here/fuzz/dense.py" dense 100000
	"$PCSAMPLE" report -i dense/programs > out
	! grep -c 'Not shown' out || die "there is memory for all of these"
	python3 - "$here" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		r = m.plain()
		r.record(m.MMAP, bytes(8))
		r.write("short.data")
	END
	"$PCSAMPLE" script -i short.data 2> out > samples
	says out 'not shown: 1 records of processes and mappings are too short'
}

where_it_comes_from() {
	perf record -q -B -e cpu-clock -c 1000003 -o perf.data -- "$BUSY" 0.1
	perf report --header-only -i perf.data > theirs 2> said
	"$PCSAMPLE" report --header-only > out
	for line in hostname 'os release' 'perf version' arch 'nrcpus online' 'nrcpus avail' \
		cpudesc cpuid 'total memory' cmdline 'time of first sample' \
		'time of last sample'; do
		sed -n "s/ *$//; s/^# $line *: //p" theirs > their
		sed -n "s/^# $line : //p" out > our
		cmp their our || die "$line: $(< our), perf $(< their)"
	done
	says out 'event : name = cpu-clock'
	says out 'sample_period = 1000003, sample_type = IP|TID|TIME'
	! grep -q Overhead out || die "there is more"
	"$PCSAMPLE" script --header > out
	says out '# cmdline : '
	says out cpu-clock:
	"$PCSAMPLE" report --json > out
	json out '{h["name"] for h in d["header"]} >= {"hostname", "cpudesc", "cmdline", "event"}'
	"$PCSAMPLE" script --json --header-only > out
	json out 'd["schema"] == "pcsample-script-header" and d["header"][0]["name"] == "hostname"'
	"$PCSAMPLE" export -o out.html 2> said
	says out.html '"name":"cmdline","value":"'
}

recordings_without_samples() {
	python3 "$here/mkcorpus.py" kinds
	status 2 "$PCSAMPLE" report -i kinds/told-trace-alone.data 2> said
	says said 'no samples: a hardware trace of 64 bytes was recorded by intel_bts//'
	# Also if the end of the file is missing
	head -c -13 kinds/told-stat.data > cut.data
	status 1 "$PCSAMPLE" report -i cut.data 2> said
	says said 'no samples: 2 counts of perf stat record: perf stat report prints them'
	says said 'cut.data: offset'
	perf stat record -e task-clock -o stat.data true > out 2>&1 ||
		skip "perf stat records nothing"
	status 2 "$PCSAMPLE" report -i stat.data 2> said
	says said 'counts of perf stat record: perf stat report prints them'
	if grep 'never fired' said; then
		die "it was not to fire"
	fi
	# But not for a field that only samples have
	status 2 "$PCSAMPLE" script -i stat.data -F comm,cpu,time 2> said
	says said 'counts of perf stat record: perf stat report prints them'
}

# never_fired EVENT MESSAGE: what report says of a recording of these arguments of Event()
never_fired() {
	PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 -c "from mkcorpus import *
Recording($1).begin().write('silent.data')" 2> said || die "$(< said)"
	status 2 "$PCSAMPLE" report -i silent.data 2> said
	says said "no samples: $2"
}

# The doctor examines counters of the hardware
events_that_never_fired() {
	never_fired 'Event("cycles")' 'event cycles never fired; does its counter work here?'
	never_fired 'Event("faults", 1, 2), Event("dummy", 1, 9)' 'event faults never fired: it did'
	never_fired 'Event("dummy", 1, 9)' 'event dummy counts nothing'
	never_fired 'Event("dummy", 1, 9), Event("a:b", 2, 7), Event("a:c", 2, 8)' \
		'event a:b and 1 more never fired: it did not happen'
}

why_reads_gave_no_sample() {
	printf '%s\n' 'comm 1 1 one 1' 'meta ledger.total.planned 100' 'meta ledger.total.idle 10' \
		'meta ledger.total.late 85' 'meta ledger.total.preempted 5' | "$MKREC" perf.data
	status 2 "$PCSAMPLE" report 2> said
	says said 'no samples: 85 of 100 reads were late: the reader CPU came too late'
}

# perf asks for precise addresses (:ppp) with each clock of the kernel
clocks_are_not_precise() {
	perf record -q -B -e cpu-clock:ppp -o perf.data -- "$BUSY" 0.1
	"$PCSAMPLE" annotate seventy > out
	says out '# Addresses: the address is where the interrupt was taken'
}

# Most exports have one event
other_events_of_an_export() {
	python3 "$here/mkcorpus.py" kinds
	"$PCSAMPLE" export -i kinds/identical-hybrid.data -f folded -o out 2> said
	says said 'not shown: 13 samples of cpu_atom/cycles/: --event cpu_atom/cycles/ exports them'
	"$PCSAMPLE" export -i kinds/identical-hybrid.data -f json -o out 2> said
	json out 'd["recording"]["not_shown"][0].startswith("13 samples of cpu_atom/cycles/")'
	"$PCSAMPLE" version --feature protobuf-c || return 0
	"$PCSAMPLE" export -i kinds/identical-hybrid.data -f pprof -o out 2> said
	if grep 'samples of' said; then
		die "pprof has all events"
	fi
}

call_chains() {
	# -B: perf 6.1 overruns its stack for build-ids of some linkers
	perf record -q -B -e cpu-clock -g -o perf.data -- "$BUSY" 0.1
	"$PCSAMPLE" report -i perf.data > out
	says out 'call chains were recorded'
	"$PCSAMPLE" export -i perf.data -f json > out
	says out 'call chains were recorded'
	if grep 'copies of the stack' out; then
		die "there are none"
	fi
	# But not where they are shown
	"$PCSAMPLE" report -i perf.data --children > out
	"$PCSAMPLE" export -i perf.data -f html > out.html
	if grep 'chains were' out out.html; then
		die "they are here"
	fi
	perf record -q -B -e cpu-clock --call-graph dwarf -o perf.data -- "$BUSY" 0.1
	"$PCSAMPLE" report -i perf.data > out
	says out 'call chains were recorded'
	"$PCSAMPLE" report -i perf.data --children > out
	if "$PCSAMPLE" version | grep -q 'libdw *on'; then
		! grep 'copies of the stack' out || die "they are unwound"
	else
		says out 'callers in user space were recorded as copies of the stack'
	fi
	perf record -q -B -e cpu-clock -o perf.data -- "$BUSY" 0.1
	"$PCSAMPLE" report -i perf.data > out
	if grep -e chains -e callers out; then
		die "there are none"
	fi
}

# A path of any length leaves room for the reason, and what remains of a character is none
reason_behind_a_long_path() {
	local name dir path

	name=$(printf 'é%.0s' {1..100})
	dir=$name/$name/$name
	for path in "$dir" "x$dir"; do
		status 1 "$PCSAMPLE" report -i "$path" 2> said
		says said ': No such file or directory'
		says said '...'
		says said "pcsample report: ${path:0:20}"
		[ "$(wc -c < said)" -lt 600 ] || die "$(< said)"
		python3 -c 'open("said", encoding="utf-8").read()'
	done
	mkdir -p "$dir"
	head -c 100 /dev/zero > "$dir/zero.data"
	status 1 "$PCSAMPLE" report -i "$dir/zero.data" 2> said
	says said 'PERFILE2'
}

tap missing_symbols stripped_programs lines_of_the_head_are_in_json busy_readers call_chains \
	groups_of_events what_is_not_shown where_it_comes_from recordings_without_samples \
	events_that_never_fired why_reads_gave_no_sample records_that_are_left_out \
	other_events_of_an_export clocks_are_not_precise clock_that_goes_back full_buffers \
	full_disk full_temporary_files endless_input empty_input missing_kallsyms \
	closed_streams killed_recorder \
	reason_behind_a_long_path
