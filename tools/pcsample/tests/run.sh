#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh TEST...: run test programs and scripts, with TAP on standard output. O is the build
# directory. Each test is a TAP stream with its own plan. A test that dies is a failure. The exit
# status is 0 only if all passed.

set -uo pipefail

export O
export CMOCKA_MESSAGE_OUTPUT=TAP
export LC_ALL=C
# Suppress leaks of libraries in sanitized programs
LSAN_OPTIONS=suppressions=$(dirname "$(realpath "$0")")/lsan.supp:print_suppressions=0
export LSAN_OPTIONS
failed=0

# The limit of a program, for all of its tests; scripts have a limit for each test
limit=300

for test; do
	echo "# $(basename "$test")"
	if [[ $test == *.sh ]]; then
		"$test"
	else
		timeout -k 5 "$limit" "$test"
	fi
	status=$?
	[[ $status -eq 0 ]] || failed=1
	if [[ $status -eq 124 || $status -eq 137 ]]; then
		echo "not ok 0 - $(basename "$test") was not done in $limit s"
	elif [[ $status -gt 128 ]]; then
		echo "not ok 0 - $(basename "$test") died of signal $((status - 128))"
	fi
done
exit "$failed"
