# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For test suites in shell: results in TAP. Call plan first, then a test function for each test.

tests_run=0
tests_failed=0

plan()
{
	echo "TAP version 13"
	echo "1..$1"
}

# ok DESCRIPTION COMMAND...: the test passes if the command does; what it printed is shown if not.
ok()
{
	local description=$1 output status=0

	shift
	tests_run=$((tests_run + 1))
	# A shell of its own, and not under ||, so that `set -e` holds in the test.
	set +e
	output=$(
		set -e
		"$@" 2>&1
	)
	status=$?
	set -e
	if [ "$status" = 0 ]; then
		echo "ok $tests_run $description"
	else
		echo "not ok $tests_run $description"
		tests_failed=$((tests_failed + 1))
		printf '%s\n' "status $status: $*" "$output" | sed 's/^/# /'
	fi
}

skip()
{
	tests_run=$((tests_run + 1))
	echo "ok $tests_run $1 # SKIP $2"
}

# Ends the suite with the status that scripts/check wants.
finish()
{
	exit $((tests_failed > 0))
}
