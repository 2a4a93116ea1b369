#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Speed, memory and sums of report and script, side by side with perf in one run. For each figure
#
#	bench: NAME VALUE UNIT goal GOAL pass|fail
#
# and in front of it how it was found. A figure fails when it misses its goal, or is more than 10 %
# worse than tests/bench/recorded has it; times are not held against that, since they mean nothing
# on another machine. Commands run in turn, round by round; the figure is
# the median over the rounds.
#
# Environment: O, the build directory; QUICK=1 for a shorter recording and three rounds in place of
# five; PERF, the perf to compare with; RERECORD=1 to not use the recording of an earlier run;
# RECORD=1 to write the figures to tests/bench/recorded.

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
failed=0

mkdir -p "$dir"
cd "$dir"
exec 9> lock
flock -n 9 || { echo "bench: another bench runs in $dir" >&2; exit 1; }

# The recording: 1x.data of at least 3 million samples, 3x.data and 10x.data of that many times it

record_workload() {
	local rate=20000 most times samples

	command -v "$PERF" > /dev/null ||
		{ echo "bench: no perf; on Debian: apt-get install linux-perf" >&2; exit 1; }
	"$here/workload.sh" "$dir/workload" 0
	most=$(< /proc/sys/kernel/perf_event_max_sample_rate)
	[[ $rate -le $most ]] || rate=$most
	"$PERF" record -q -a -F "$rate" -e cpu-clock -N -m 16M -o raw.data -- \
		"$here/workload.sh" "$dir/workload" "$seconds" > /dev/null 2> record.log ||
		{ cat record.log >&2; exit 1; }
	samples=$("$O/tests/bench/walk" raw.data)
	times=$(((least_samples + samples - 1) / samples))
	"$O/tests/bench/multiply" raw.data 1x.data "$times"
	"$O/tests/bench/multiply" raw.data 3x.data $((3 * times))
	"$O/tests/bench/multiply" raw.data 10x.data $((10 * times))
	"$O/tests/bench/multiply" 3x.data 300m.data 1 300000000
	touch complete
	rm raw.data
}

if [[ ! -e complete || ${RERECORD:-0} == 1 ]]; then
	rm -f complete ./*.data
	record_workload
fi
samples=$("$O/tests/bench/walk" 1x.data)
pcsample=$O/pcsample
report="$pcsample report --addresses --sort comm,dso,sym"

# Figures

# stats: median, least and most of the numbers on standard input
stats() {
	sort -g | awk '{ v[NR] = $1 }
		END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'
}

# column COMMAND FIELD: of the runs, in the order of the rounds. FIELD: 2 CPU, 3 wall, 4 MiB
column() {
	awk -v c="$1" -v f="$2" '$1 == c { print $f }' runs
}

# row NAME UNIT GOAL at-least|at-most DECIMALS: of the numbers on standard input, one a round
row() {
	local name=$1 unit=$2 goal=$3 which=$4 decimals=$5 median low high recorded verdict

	read -r median low high < <(stats)
	recorded=$(awk -v n="$name" -v q="$QUICK" '$1 == n { print $(2 + q) }' "$here/recorded")
	[[ $unit != s && $unit != ns ]] || recorded=
	verdict=$(awk -v v="$median" -v g="$goal" -v r="${recorded:-0}" -v w="$which" 'BEGIN {
		good = w == "at-least" ? v >= g : v <= g
		if (r && (w == "at-least" ? v < 0.9 * r : v > 1.1 * r))
			good = 0
		print good ? "pass" : "fail" }')
	printf "# %s: from %.${decimals}f to %.${decimals}f in the rounds; recorded %s\n" \
		"$name" "$low" "$high" "${recorded:-nothing}"
	printf "bench: %s %.${decimals}f %s goal %s %s\n" \
		"$name" "$median" "$unit" "$goal" "$verdict"
	[[ $verdict == pass ]] || failed=1
	printf "%s %.${decimals}f\n" "$name" "$median" >> figures
}

# quotient: of two columns, line by line
quotient() {
	awk '{ print $1 / $2 }'
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
	"$report -i 3x.data --threads 1" \
	"$report -i 300m.data | sed -n '/^ /{p;q}'" > runs
"$O/tests/bench/measure" $((QUICK == 1 ? 1 : rounds)) "$report -i 10x.data --threads 1" |
	sed 's/^0/8/' >> runs

paste <(column 0 2) <(column 1 2) | quotient | row report_cpu_against_perf x 20 at-least 1
paste <(column 0 3) <(column 2 3) | quotient |
	row report_2_threads_wall_against_perf x 27 at-least 1
paste <(column 1 2) <(column 3 2) | quotient | row report_against_walk x 10 at-most 1
paste <(column 6 2) <(column 1 2) |
	awk -v n="$((2 * samples))" '{ print ($1 - $2) / n * 1e9 }' |
	row marginal_cost_of_a_sample ns 75 at-most 1
file_mib=$(awk -v b="$(stat -c %s 1x.data)" 'BEGIN { print b / 2^20 }')
column 1 4 | awk -v f="$file_mib" '{ print $1 - f }' |
	row memory_beyond_the_file MiB 160 at-most 0
file_mib=$(awk -v b="$(stat -c %s 10x.data)" 'BEGIN { print b / 2^20 }')
column 8 4 | awk -v f="$file_mib" '{ print $1 - f }' |
	row memory_beyond_the_file_10x MiB 480 at-most 0
paste <(column 4 2) <(column 5 2) | quotient | row script_against_perf x 10 at-least 1
column 7 3 | row first_row_of_300_MB s 1 at-most 2

# Cost of a sample at three and ten times the length, against that of the plain recording
paste <(column 6 2) <(column 1 2) | awk '{ print $1 / $2 / 3 }' |
	row cost_of_a_sample_at_3x x 1.1 at-most 2
paste <(column 8 2) <(column 1 2) | awk 'NF == 2 { print $1 / $2 / 10 }' |
	row cost_of_a_sample_at_10x x 1.1 at-most 2

# Sums for each command and object, against perf's. Columns: samples, command, object
"$PERF" report -i 1x.data --stdio -n --sort comm,dso -t '|' 2> /dev/null |
	awk -F '|' '!/^#/ && NF > 3 {
		gsub(/^ +| +$/, "", $3); gsub(/^ +| +$/, "", $4); print $2 + 0 "|" $3 "|" $4 }' |
	sort > sums.perf
"$pcsample" report -i 1x.data --sort comm,dso --quiet --field-separator '|' |
	awk -F '|' '!/^#/ { print $3 "|" $4 "|" $5 }' | sort > sums.pcsample
diff sums.perf sums.pcsample > sums.diff || :
sed 's/^/# difference: /' sums.diff
awk '/^[<>]/ { n++ } END { print n + 0 }' sums.diff |
	row sums_that_differ_from_perf pairs 0 at-most 0
printf '# %s pairs of command and object\n' "$(wc -l < sums.perf)"

if [[ ${RECORD:-0} == 1 ]]; then
	# One column for each length of recording
	awk -v q="$QUICK" 'NR == FNR { new[$1] = $2; next }
		/^#/ { print; next }
		{ $(2 + q) = new[$1]; print; delete new[$1] }
		END { for (n in new) print n, (q ? "0 " : "") new[n] (q ? "" : " 0") }' \
		figures "$here/recorded" > recorded.new
	cp recorded.new "$here/recorded"
fi
exit "$failed"
