# SPDX-License-Identifier: GPL-2.0-only
#
# shellcheck shell=bash
#
# Judging figures. The sourcing script sets QUICK and recorded_figures, a file of lines NAME FULL
# QUICK, and has shopt lastpipe on: row() ends pipelines, and sets failed. It empties the file
# "figures" first.

failed=0
: "${recorded_figures:?}"

# finish: exit as the figures say
finish() {
	exit "$failed"
}

# stats: median, least and most of the numbers on standard input
stats() {
	sort -g | awk '{ v[NR] = $1 }
		END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'
}

# Recorded figures must depend on the code and not on the machine. Times mean nothing on another
# machine. Memory as a whole grows with the recording, which differs each time. Ratios to a walk of
# the records, or to less of the same work, change by half with the speed of memory alone.
goal_only() {
	case $1 in
	report_against_walk | cost_of_a_sample_at_*) ;;
	*) [[ $2 == s || $2 == ns || $2 == MiB ]] ;;
	esac
}

# row NAME UNIT GOAL at-least|at-most DECIMALS: of the numbers on standard input, one a round. Fails
# when the median misses the goal. It is also a loss when all rounds are more than 10 % worse than
# what was recorded: a real loss shows in every round. If the rounds differ by more than that, look
# at figures without such a spread, such as instructions.
row() {
	local name=$1 unit=$2 goal=$3 which=$4 decimals=$5 median low high recorded verdict

	read -r median low high < <(stats)
	recorded=$(awk -v n="$name" -v q="$QUICK" '$1 == n { print $(2 + q) }' \
		"$recorded_figures")
	! goal_only "$name" "$unit" || recorded=
	verdict=$(awk -v v="$median" -v l="$low" -v h="$high" -v g="$goal" -v r="${recorded:-0}" \
		-v w="$which" 'BEGIN {
			good = w == "at-least" ? v >= g : v <= g
			if (r && (w == "at-least" ? h < 0.9 * r : l > 1.1 * r))
				good = 0
			print good ? "pass" : "fail" }')
	printf "# %s: from %.${decimals}f to %.${decimals}f in the rounds; recorded %s\n" \
		"$name" "$low" "$high" "${recorded:-nothing}"
	printf "bench: %s %.${decimals}f %s goal %s %s\n" \
		"$name" "$median" "$unit" "$goal" "$verdict"
	[[ $verdict == pass ]] || failed=1
	goal_only "$name" "$unit" ||
		printf "%s %.${decimals}f\n" "$name" "$median" >> figures
}

# quotient: of two columns, line by line
quotient() {
	awk '{ print $1 / $2 }'
}

# record_figures: those of "figures" take the place of the recorded ones, in the column of QUICK
record_figures() {
	awk -v q="$QUICK" 'NR == FNR { new[$1] = $2; next }
		/^#/ { print; next }
		{ if ($1 in new) $(2 + q) = new[$1]; print; delete new[$1] }
		END { for (n in new) print n, (q ? "0 " : "") new[n] (q ? "" : " 0") }' \
		figures "$recorded_figures" > recorded.new
	cp recorded.new "$recorded_figures"
}
