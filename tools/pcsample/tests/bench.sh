#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the bench's rules: the median is compared with the goal, and all rounds with the recorded
# figure plus 10 %.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
export recorded_figures=recorded
# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/bench/figures.sh"

shopt -s lastpipe

# gives "VALUE VERDICT FAILED" NAME UNIT GOAL WHICH NUMBER...: the bench prints this value, with one
# decimal, and this verdict, and fails or not
gives() {
	local wanted=$1 name=$2 unit=$3 goal=$4 which=$5 got

	shift 5
	failed=0
	printf '%s\n' "$@" | row "$name" "$unit" "$goal" "$which" 1 > lines
	got="$(awk '/^bench: / { print $3, $NF }' lines) $failed"
	[[ $got == "$wanted" ]] || die "$name of $* $unit, goal $which $goal: $got, not $wanted"
}

# The recorded figure is 20 in the full run and 10 in the quick one
start() {
	QUICK=$1
	: > figures
	printf '# what was\nknown 20 10\nkept 5 6\n' > recorded
}

the_median_counts() {
	start 0
	gives "3.0 pass 0" other x 2 at-least 9 1 3
	gives "2.5 pass 0" other x 2 at-least 1 4 2 3
}

a_missed_goal_fails() {
	start 0
	gives "2.0 pass 0" other x 2 at-least 2
	gives "1.9 fail 1" other x 2 at-least 1.9
	gives "2.0 pass 0" other x 2 at-most 2
	gives "2.1 fail 1" other x 2 at-most 2.1
}

a_loss_of_more_than_a_tenth_fails() {
	start 0
	gives "18.0 pass 0" known x 1 at-least 18
	gives "17.9 fail 1" known x 1 at-least 17.9
	gives "10.0 pass 0" known x 1 at-least 9 18 10
	gives "10.0 fail 1" known x 1 at-least 9 17.9 10
	gives "22.0 pass 0" known B 100 at-most 22
	gives "22.1 fail 1" known B 100 at-most 22.1
	gives "30.0 pass 0" known B 100 at-most 22 30 31
	gives "30.0 fail 1" known B 100 at-most 22.1 30 31
	start 1
	gives "9.0 pass 0" known x 1 at-least 9
	gives "8.9 fail 1" known x 1 at-least 8.9
}

what_the_machine_makes_is_held_against_the_goal_only() {
	start 0
	printf 'report_against_walk 5 5\n' >> recorded
	gives "9.9 pass 0" report_against_walk x 10 at-most 9.9
	gives "10.1 fail 1" report_against_walk x 10 at-most 10.1
	gives "99.0 pass 0" known ns 100 at-most 99
	gives "99.0 pass 0" known MiB 100 at-most 99
	gives "99.0 pass 0" known s 100 at-most 99
	gives "101.0 fail 1" known s 100 at-most 101
}

figures_are_recorded_in_their_column() {
	start 1
	printf 'known 11.5\nother 3.0\n' > figures
	record_figures
	printf '# what was\nknown 20 11.5\nkept 5 6\nother 0 3.0\n' | diff recorded - ||
		die "these were not recorded"
}

tap the_median_counts a_missed_goal_fails a_loss_of_more_than_a_tenth_fails \
	what_the_machine_makes_is_held_against_the_goal_only figures_are_recorded_in_their_column
