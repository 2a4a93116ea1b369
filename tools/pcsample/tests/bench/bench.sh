#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Speed, memory and sums of report and script, beside perf in the same run. For each figure it
# prints
#
#	bench: NAME VALUE UNIT goal GOAL pass|fail
#
# and before that how it was measured. figures.sh has the rules by which one fails. Commands run in
# turn, round by round; a figure is the median of the rounds. Instructions are counted by valgrind,
# so that other load does not change them.
#
# Environment: O, the build directory. QUICK=1 makes a shorter recording, and three rounds instead
# of five. PERF is the perf to compare with. RERECORD=1 makes a new recording instead of using that
# of an earlier run. RECORD=1 writes the figures to tests/bench/recorded.

set -euo pipefail
# row() ends pipelines, and sets failed
shopt -s lastpipe
export LC_ALL=C

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
O=$(realpath "${O:?}")
PERF=${PERF:-perf}
QUICK=${QUICK:-0}
rounds=5
seconds=100
if [[ $QUICK == 1 ]]; then
	rounds=3
	seconds=25
fi
dir=$O/bench-$QUICK
fields=comm,tid,time,ip,sym,dso
least_samples=3000000
export recorded_figures=$here/recorded

# shellcheck source-path=SCRIPTDIR source=figures.sh
. "$here/figures.sh"
mkdir -p "$dir"
cd "$dir"
exec 9> lock
flock -n 9 || { echo "bench: another bench runs in $dir" >&2; exit 1; }

# The recordings: raw.data as perf wrote it; 1x.data of at least 3 million samples; 3x.data and
# 10x.data, 3 and 10 times that

record_workload() {
	local rate=20000 most try

	"$here/workload.sh" "$dir/workload" 0
	most=$(< /proc/sys/kernel/perf_event_max_sample_rate)
	[[ $rate -le $most ]] || rate=$most
	# Record only what the workload starts: whatever else runs would differ each time. perf 6.1
	# crashes when another recording on the machine asks for build ids: see has_build_id().
	for try in 1 2 3; do
		"$PERF" record -q -F "$rate" -e cpu-clock -N -m 16M -o raw.new -- \
			"$here/workload.sh" "$dir/workload" "$seconds" > out.log 2> record.log &&
			break
		[[ $try != 3 ]] || { tail -n 5 record.log >&2; exit 1; }
	done
	mv raw.new raw.data
}

# Write the files in each run, so that all of their pages are in the page cache as they were
# written. The kernel reads a file back from disk into larger folios, of which a process maps five
# times as many bytes with a page fault. The walk and the report then take equally less time, which
# is more of the walk's: report_against_walk was 3.9 of a file as it was written, and 5.7 of the
# same bytes read back.
multiply_recordings() {
	local multiply=$O/tests/bench/multiply samples times

	rm -f {1,3,10}x.data {30,60,300}m.data
	samples=$("$O/tests/bench/walk" raw.data)
	times=$(((least_samples + samples - 1) / samples))
	"$multiply" raw.data 1x.data "$times"
	"$multiply" raw.data 3x.data $((3 * times))
	"$multiply" raw.data 10x.data $((10 * times))
	"$multiply" 3x.data 300m.data 1 300000000
	"$multiply" 1x.data 60m.data 1 60000000
	"$multiply" 1x.data 30m.data 1 30000000
	# While the files are being written to disk, each sample costs half as much again
	sync -f .
}

# stacks.data: has copies of stacks, to be unwound
record_stacks() {
	"$PERF" record -q -B -F 1500 -e cpu-clock:u --call-graph dwarf -m 16M -o stacks.new -- \
		g++ -O2 -c -o out.o workload/library.cc > out.log 2> record.log ||
		{ tail -n 5 record.log >&2; exit 1; }
	mv stacks.new stacks.data
}

for need in "$PERF linux-perf" "valgrind valgrind"; do
	command -v "${need% *}" > /dev/null ||
		{ echo "bench: no ${need% *}; on Debian: apt-get install ${need#* }" >&2; exit 1; }
done
if [[ ! -e raw.data || ${RERECORD:-0} == 1 ]]; then
	rm -rf ./*.data workload
	record_workload
fi
[[ -e stacks.data ]] || record_stacks
multiply_recordings
samples=$("$O/tests/bench/walk" 1x.data)
pcsample=$O/pcsample
report="$pcsample report --addresses --sort comm,dso,sym"

# Figures

# column COMMAND FIELD: of the runs, in the order of the rounds. FIELD: 2 CPU, 3 wall, 4 MiB
column() {
	awk -v c="$1" -v f="$2" '$1 == c { print $f }' runs
}

# beyond FILE N: memory of the runs of command N, without the FILE that it mapped
beyond() {
	column "$2" 4 | awk -v b="$(stat -c %s "$1")" '{ print $1 - b / 2^20 }'
}

: > figures
printf '# %s samples, %s bytes; perf %s; %s rounds; load %s\n' "$samples" "$(stat -c %s 1x.data)" \
	"$("$PERF" --version | awk '{ print $3 }')" "$rounds" "$(cut -d ' ' -f 1 /proc/loadavg)"

# Reading each file once takes it into the page cache
cat ./*.data > /dev/null
"$O/tests/bench/measure" "$rounds" \
	"$PERF report -i 1x.data --stdio --sort comm,dso,sym 2> /dev/null" \
	"$report -i 1x.data --threads 1" \
	"$report -i 1x.data --threads 2" \
	"$O/tests/bench/walk 1x.data" \
	"$PERF script -i 1x.data -F $fields 2> /dev/null" \
	"$pcsample script -i 1x.data -F $fields --threads 1" \
	"$report -i 300m.data | sed -n '/^ /{p;q}'" > runs
# The plain recording again: the machine may be slower by now
"$O/tests/bench/measure" "$rounds" \
	"$report -i 10x.data --threads 1" \
	"$report -i 1x.data --threads 1" \
	"$report -i 3x.data --threads 1" | sed 's/^/8/' >> runs

"$O/tests/bench/measure" "$rounds" \
	"$PERF report -i stacks.data --stdio --no-inline --children -g caller 2> /dev/null" \
	"$pcsample report -i stacks.data --children -G --threads 1" | sed 's/^[01]/9&/' >> runs

paste <(column 0 2) <(column 1 2) | quotient | row report_cpu_against_perf x 25 at-least 1
paste <(column 0 3) <(column 2 3) | quotient |
	row report_2_threads_wall_against_perf x 27 at-least 1
paste <(column 1 2) <(column 3 2) | quotient | row report_against_walk x 4 at-most 1
paste <(column 82 2) <(column 81 2) |
	awk -v n="$((2 * samples))" '{ print ($1 - $2) / n * 1e9 }' |
	row marginal_cost_of_a_sample ns 75 at-most 1
beyond 1x.data 1 | row memory_beyond_the_file MiB 160 at-most 0
beyond 10x.data 80 | row memory_beyond_the_file_10x MiB 480 at-most 0
paste <(beyond 1x.data 81) <(beyond 10x.data 80) |
	awk -v n="$((9 * samples))" '{ print ($2 - $1) * 2^20 / n }' |
	row memory_of_a_further_sample B 3 at-most 2
paste <(column 4 2) <(column 5 2) | quotient | row script_against_perf x 20 at-least 1
paste <(column 90 2) <(column 91 2) | quotient | row unwinding_against_perf x 5 at-least 1
paste <(column 91 4) <(column 90 4) | quotient |
	row memory_of_unwinding_against_perf x 1 at-most 2
column 6 3 | row first_row_of_300_MB s 1 at-most 2

# Cost of a sample of the 3x and 10x recordings, as a multiple of that of the plain one
paste <(column 82 2) <(column 81 2) | awk '{ print $1 / $2 / 3 }' |
	row cost_of_a_sample_at_3x x 1.1 at-most 2
paste <(column 80 2) <(column 81 2) | awk '{ print $1 / $2 / 10 }' |
	row cost_of_a_sample_at_10x x 1.1 at-most 2

# The HTML page of 9 million samples, if make check has downloaded what drives Chromium
if [[ -x ${CHROMIUM:-/usr/bin/chromium} ]]; then
	readers=$("$here/../../../../scripts/get" readers)
	"$pcsample" export -i 3x.data -o 3x.html
	NODE_PATH=$readers/node_modules "$readers/node" \
		"$here/../readers/open-page.js" 3x.html "$rounds" |
		row page_of_9_million_samples_opens s 2 at-most 2
else
	echo '# no Chromium: no page opened'
fi

# Instructions for the recording, for a short one (most of them for what precedes and follows the
# samples), and for each further sample of that one
few=$("$O/tests/bench/walk" 30m.data)
more=$("$O/tests/bench/walk" 60m.data)
# instructions FILE COMMAND...
instructions() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "${@:2}" -i "$1" --threads 1 \
		2>&1 > /dev/null | awk '/refs:/ { gsub(",", "", $NF); print $NF }'
}

# shellcheck disable=SC2086 # a list of words
{
	of_all=$(instructions 1x.data $report)
	of_few=$(instructions 30m.data $report)
	of_more=$(instructions 60m.data $report)
}
awk -v i="$of_all" -v n="$samples" 'BEGIN { print i / n }' |
	row report_instructions_of_a_sample instructions 400 at-most 0
awk -v i="$of_few" -v n="$few" 'BEGIN { print i / n }' |
	row report_instructions_of_a_sample_of_30_MB instructions 550 at-most 0
awk -v i="$((of_more - of_few))" -v n="$((more - few))" 'BEGIN { print i / n }' |
	row report_instructions_of_a_further_sample instructions 350 at-most 0
instructions 30m.data "$pcsample" script -F "$fields" | awk -v n="$few" '{ print $1 / n }' |
	row script_instructions_of_a_line instructions 750 at-most 0

# Sums for each command and object, compared with perf's. Columns: samples, command, object. Without
# -w perf truncates names of commands to the width of those of the first threads.
"$PERF" report -i 1x.data --stdio -n --sort comm,dso -w 8,12,64,256 -t '|' 2> /dev/null |
	awk -F '|' '!/^#/ && NF > 3 {
		gsub(/^ +| +$/, "", $3); gsub(/^ +| +$/, "", $4); print $2 + 0 "|" $3 "|" $4 }' |
	sort > sums.perf
"$pcsample" report -i 1x.data --sort comm,dso --quiet --field-separator '|' |
	awk -F '|' '!/^#/ { print $3 "|" $4 "|" $5 }' | sort > sums.pcsample
diff sums.perf sums.pcsample > sums.diff || :

# explain_differences: print the samples that differ, and the records of their processes, which show
# who is right
explain_differences() {
	sed 's/^/# difference: /' sums.diff
	diff <("$PERF" script -i 1x.data -F comm,tid,time,ip,dso 2> /dev/null) \
		<("$pcsample" script -i 1x.data -F comm,tid,time,ip,dso) |
		grep '^[<>]' | head -n 20 > samples.diff || :
	sed 's/^/# sample, < perf > pcsample: /' samples.diff
	awk '{ print $3 }' samples.diff | sort -u | head -n 3 | while read -r pid; do
		"$PERF" script -i 1x.data --show-task-events --show-mmap-events 2> /dev/null |
			awk -v p="$pid" '$2 == p && /PERF_RECORD_/' | head -n 40 |
			sed 's/^/# record: /'
	done
}

if [[ -s sums.diff ]]; then
	explain_differences
fi
awk '/^[<>]/ { n++ } END { print n + 0 }' sums.diff |
	row sums_that_differ_from_perf pairs 0 at-most 0
printf '# %s pairs of command and object\n' "$(wc -l < sums.perf)"

if [[ ${RECORD:-0} == 1 ]]; then
	record_figures
fi
finish
