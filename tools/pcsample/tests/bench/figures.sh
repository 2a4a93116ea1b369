# SPDX-License-Identifier: GPL-2.0-only
#
# shellcheck shell=bash
#
# Compares figures with goals and recorded ones. The sourcing script sets QUICK, and
# recorded_figures to a file of lines NAME FULL QUICK. It also sets shopt lastpipe, because row() is
# the last command of pipelines and sets failed, and empties the file "figures" first.

failed=0
: "${recorded_figures:?}"

# finish: exit as the figures say
finish() {
	exit "$failed"
}

# stats: print median, minimum and maximum of the numbers on standard input
stats() {
	sort -g | awk '{ v[NR] = $1 }
		END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'
}

# Is this figure compared with its goal only? Recorded figures must depend on the code, not on the
# machine. Times mean nothing on another machine. Total memory grows with the recording, which
# differs each time. Ratios to a walk of the records, or to a shorter recording, change by half with
# the speed of memory alone.
goal_only() {
	case $1 in
	report_against_walk | cost_of_a_sample_at_*) ;;
	*) [[ $2 == s || $2 == ns || $2 == MiB ]] ;;
	esac
}

# row NAME UNIT GOAL at-least|at-most DECIMALS: print a figure from the numbers on standard input,
# one a round. It fails if the median misses the goal, or if all rounds are more than 10 % worse
# than the recorded figure: a real loss shows in every round. If the rounds spread by more than
# that, look at figures that do not spread, such as instructions.
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

# quotient: divide the first column by the second
quotient() {
	awk '{ print $1 / $2 }'
}

# record_figures: replace the recorded figures by those of "figures", in the column of QUICK
record_figures() {
	awk -v q="$QUICK" 'NR == FNR { new[$1] = $2; next }
		/^#/ { print; next }
		{ if ($1 in new) $(2 + q) = new[$1]; print; delete new[$1] }
		END { for (n in new) print n, (q ? "0 " : "") new[n] (q ? "" : " 0") }' \
		figures "$recorded_figures" > recorded.new
	cp recorded.new "$recorded_figures"
}
