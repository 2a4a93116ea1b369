#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fields of tracepoints, compared with perf's, on recordings that mkcorpus.py writes and on some
# that perf makes here.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

made() {
	python3 "$here/mkcorpus.py" kinds
}

real_recording() {
	perf record -q -B -a -e sched:sched_switch,irq:softirq_entry,cpu-clock "$@" -o real.data \
		-- sleep 0.1 > said 2>&1 ||
		skip "perf records no tracepoints here: $(tail -n 1 said)"
}

# Only lines of tracepoints: other tests compare names of code. Newer perfs have wider columns.
lines_of_tracepoints() {
	grep -v ' cpu-clock: ' | sed 's/  */ /g; s/^ //'
}

# same_as_perfs OPTION...: script prints what perf script prints
same_as_perfs() {
	perf script "$@" 2> said | lines_of_tracepoints > theirs
	"$PCSAMPLE" script "$@" 2> said | lines_of_tracepoints > ours
	[[ -s ours ]] || die "nothing is printed"
	diff ours theirs > differs || die "$*: $(head -n 6 differs)"
	! grep 'not shown: fields' said || die "they are"
}

script_is_perfs() {
	local kind

	need_feature libtraceevent
	made
	for kind in tracepoint tracepoint-pipe other-order-tracepoint; do
		same_as_perfs -i "kinds/identical-$kind.data"
		same_as_perfs -i "kinds/identical-$kind.data" -F trace
		same_as_perfs -i "kinds/identical-$kind.data" -F comm,tid,time,event,trace
	done
	[[ $(grep -c 'state=S flags=' ours) -gt 0 ]] || die "these are not the fields"
}

script_is_perfs_on_the_kernels() {
	need_feature libtraceevent
	real_recording
	# libtraceevent has a plugin that prints this event in another way
	perf script -i real.data 2> said | grep 'sched_switch: prev_comm=' > theirs ||
		skip "perf prints by plugins here"
	# Without names of threads, which perf 6.12 forgets when they exit
	same_as_perfs -i real.data -F tid,cpu,time,event,trace
	real_recording -g
	same_as_perfs -i real.data --no-inline -F tid,cpu,time,event,trace
}

fields_in_json() {
	need_feature libtraceevent
	made
	"$PCSAMPLE" script --json -i kinds/identical-tracepoint.data 2> said | head -n 3 > lines
	head -n 1 lines > out
	json out 'd["trace"] == "comm=task0 pid=100 prio=120" and
		d["fields"] == {"comm": "task0", "pid": 100, "prio": 120}'
	tail -n 1 lines > out
	json out 'd["fields"]["name"] == "name2" and d["fields"]["delta"] == -2'
}

# with_format PRINT: a recording whose tracepoint has this format; "len" is 4,294,967,295
with_format() {
	PRINT=$1 python3 - "$here" <<-'END'
		import os, sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		kind = m.USUAL | m.RAW
		r = m.Recording(m.Event("corpus:hostile", 2, 9, kind, 1, False))
		fields = ("u8 bytes[8]", 8, 8, 0), ("u32 len", 16, 4, 0)
		text = m.trace_format("hostile", 9, fields, os.environ["PRINT"])
		r.features[m.TRACING] = m.tracing_data(r, {("corpus", "hostile"): text})
		values = 9, 0, 0, 1, b"12345678", 2**32 - 1
		r.begin().some(3, raw=lambda i, at: r.pack("HBBi8sI", *values))
		r.write("hostile.data")
	END
}

# Formats that ask for more memory than the sample has
formats_that_read_on() {
	local print

	need_feature libtraceevent
	for print in '"%s", __print_hex(REC->bytes, REC->len)' \
		'"%s", __print_hex_str(REC->bytes, 1 << 30)' \
		'"%s", __print_array(REC->bytes, REC->len, 8)' \
		'"%d", REC->bytes[REC->len]' '"%d", REC->bytes[0x7fffffffff]' \
		'"%100000000ph", REC->bytes' '"%*ph", REC->len, REC->bytes'; do
		with_format "$print"
		"$PCSAMPLE" script -i hostile.data > out 2> said
		says out 'len=4294967295'
		[[ $(wc -c < out) -lt 1000 ]] || die "$print: $(wc -c < out) bytes"
	done
	with_format '"%s", __print_hex(REC->bytes, 16 / 2)'
	"$PCSAMPLE" script -i hostile.data > out
	says out 'hostile: 31 32 33 34 35 36 37 38'
}

# libtraceevent 1.7 dies of a signal on some of these
damaged_formats() {
	local print

	need_feature libtraceevent
	for print in '"%d", REC->len + ' '"%d", (u64)' '"%d", REC->len ? ' '"%s", __print_hex(' \
		'"' '"%d", REC->[' '"%s", __print_flags(REC->len, "|", {' '"%d", - '; do
		with_format "$print"
		"$PCSAMPLE" script -i hostile.data > out 2> said
		[[ $(wc -l < out) == 3 ]] || die "$print: $(< out)"
	done
	made
	sed 's/tracing0.6/tracinG0.6/' kinds/identical-tracepoint.data > damaged.data
	"$PCSAMPLE" script -i damaged.data > out 2> said
	says said 'not shown: fields of tracepoints: their formats in damaged.data: damaged'
	[[ $(wc -l < out) == 40 ]] || die "where they were is known"
}

# their_rows KEYS FILE, our_rows KEYS FILE: print "SAMPLES VALUE..." of each row. For an event
# without the field perf prints N/A, or as much of it as fits into the column, which may be nothing.
their_rows() {
	perf report --stdio -n -F sample -s "$1" -i "$2" 2> said | sed '/^#/d; /^ *$/d' |
		awk '{ gsub("N/A", ""); $1 = $1; print }' | sort
}

our_rows() {
	"$PCSAMPLE" report -q -t $'\t' --sort "$1" -i "$2" |
		awk -F '\t' 'NF {
			out = $3
			for (i = 4; i <= NF; i++)
				out = out " " $i
			print out
		}' | awk '{ gsub("N/A", ""); $1 = $1; print }' | sort
}

# their_values KEYS FILE: the same from the text of perf script, for all events together. In
# recordings of mkcorpus.py a function is at=FUNCTION.
their_values() {
	perf script -F event,trace -i "$2" 2> said | KEYS=$1 python3 -c '
import collections, os, re, sys
rows = collections.Counter()
for line in sys.stdin:
	found = (re.search(rf"[ :]{key}=(\S*)", line)
		 for key in os.environ["KEYS"].replace("function", "at").split(","))
	rows[" ".join(f[1] for f in found if f and f[1])] += 1
for value, n in rows.items():
	print(f"{n} {value}".strip())' | sort
}

our_values() {
	our_rows "$@" | awk '
		{ n = $1; $1 = ""; sum[$0] += n }
		END { for (value in sum) print sum[value] value }' | sort
}

# Debian 13's perf report dies of SIGSEGV on some of these
rows_are_perfs() {
	their_values "$@" > theirs
	our_values "$@" > ours
	[[ $(wc -l < ours) -gt 1 ]] || die "too few rows"
	diff ours theirs > differs || die "$*: $(head -n 6 differs)"
	their_rows "$@" > theirs || {
		[[ $? == 139 ]] || die "perf report: $(tail -n 1 said)"
		return 0
	}
	our_rows "$@" > ours
	diff ours theirs > differs || die "$*: $(head -n 6 differs)"
}

# Not by names of threads: perf cuts those off at a space
sorted_by_fields() {
	need_feature libtraceevent
	made
	for field in prio flags delta name function on; do
		rows_are_perfs "$field" kinds/identical-tracepoint.data
	done
	rows_are_perfs prio,flags kinds/identical-tracepoint.data
	real_recording
	rows_are_perfs prev_pid,next_prio real.data
	rows_are_perfs prev_state real.data
}

field_in_json() {
	need_feature libtraceevent
	made
	"$PCSAMPLE" report --sort prio,trace --json -i kinds/identical-tracepoint.data > out
	json out 'd["events"][0]["rows"][0]["prio"] == "120" and
		d["events"][1]["rows"][0]["prio"] == "N/A"'
	json out 'not any("tracepoint" in t for t in d["not_shown"])'
}

unknown_fields() {
	need_feature libtraceevent
	made
	status 129 "$PCSAMPLE" report --sort nothing -i kinds/identical-tracepoint.data 2> said
	says said "cannot sort by 'nothing': it is not a column"
	status 129 "$PCSAMPLE" report --sort nothing -i kinds/identical-plain.data 2> said
	says said "cannot sort by 'nothing'"
}

# filtered EXPRESSION: print the number of samples that pass
filtered() {
	"$PCSAMPLE" script -F trace --filter "$1" -i kinds/identical-tracepoint.data 2> said |
		wc -l
}

filters() {
	local expression

	need_feature libtraceevent
	made
	"$PCSAMPLE" script -F trace -i kinds/identical-tracepoint.data 2> said > all
	[[ $(filtered 'pid == 101') == $(grep -c pid=101 all) ]] || die "pid"
	[[ $(filtered 'comm == "a task"') == $(grep -c 'comm=a task' all) ]] || die "comm"
	[[ $(filtered 'comm =~ "^task" && pid == 100') == $(grep -c 'comm=task.* pid=100' all) ]] ||
		die "regular expression"
	[[ $(filtered 'flags < 3 || pid == 101') == \
		$(grep -cE 'pid=101|flags=(ONE|TWO|) ' all) ]] || die "or"
	"$PCSAMPLE" report --filter 'pid == 101' -i kinds/identical-tracepoint.data > out
	says out "$(grep -c pid=101 all) of corpus:corpus_wakeup"
	status 2 "$PCSAMPLE" script --filter 'pid == 3' -i kinds/identical-tracepoint.data 2> said
	status 1 "$PCSAMPLE" report --filter 'pit == 3' -i kinds/identical-tracepoint.data 2> said
	says said "--filter: no tracepoint of kinds/identical-tracepoint.data has a field 'pit'"
	for expression in 'pid == ' '(pid == 3' 'pid' 'comm ~ "a*"' 'pid > -1'; do
		status 1 "$PCSAMPLE" report --filter "$expression" \
			-i kinds/identical-tracepoint.data 2> said
		says said "--filter '$expression': "
	done
	status 1 "$PCSAMPLE" report --filter 'pid == 3' -i kinds/identical-plain.data 2> said
	says said 'has no formats of them'
}

# Built without the library, script says that the fields are not shown
without_the_library() {
	! "$PCSAMPLE" version --feature libtraceevent || skip "built with libtraceevent"
	made
	"$PCSAMPLE" script -i kinds/identical-tracepoint.data > out 2> said
	says said 'not shown: fields of tracepoints: built without libtraceevent; perf script shows'
	[[ $(wc -l < out) == 40 ]] || die "where they were is known"
}

tap script_is_perfs script_is_perfs_on_the_kernels fields_in_json formats_that_read_on \
	damaged_formats sorted_by_fields field_in_json unknown_fields filters without_the_library
