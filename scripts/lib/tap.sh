# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For test suites in shell: results in TAP. Call plan first, then a test function for each test, and
# finish. A test that is not done in $limit seconds fails, and so does one that leaves a process
# behind.

# shellcheck source=scripts/lib/limit.sh
. "$(dirname "${BASH_SOURCE[0]}")/limit.sh"
limit=600

tests_run=0
tests_failed=0

plan()
{
	echo "TAP version 13"
	echo "1..$1"
	limits_start
}

# ok DESCRIPTION COMMAND...: the test passes if the command does; what it printed is shown if not.
ok()
{
	local description=$1 log status=0

	shift
	log=$(mktemp)
	limit_begin "$limit" "$log"
	# A shell of its own, and not under ||, so that `set -e` holds in the test.
	set +e
	(
		set -e
		trap - EXIT
		"$@"
	) >>"$log" 2>&1
	status=$?
	set -e
	limit_end "$log" || status=1
	report "$description" "$status" "$*" "$(tr -d '\0' <"$log")"
	rm -f "$log"
}

later_names=()
later_commands=()

# later DESCRIPTION COMMAND...: as ok, but beside others: as many at a time as there are CPUs, each
# with a folder of its own below the present $tmp as its $tmp. settle prints the results, in order.
later()
{
	local description=$1 dir=$tmp/$tests_run.${#later_names[@]}

	shift
	later_names+=("$description")
	later_commands+=("$*")
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n || true
	done
	mkdir "$dir"
	(
		trap - EXIT
		limit_begin "$limit" "$dir.output" "$BASHPID"
		set +e
		(
			set -e
			# shellcheck disable=SC2030,SC2031 # it is to stay in there
			tmp=$dir
			"$@"
		) >>"$dir.output" 2>&1
		status=$?
		limit_end "$dir.output" "$BASHPID" || status=1
		echo "$status" >"$dir.status"
	) &
}

settle()
{
	local i first=$tests_run

	wait
	for i in "${!later_names[@]}"; do
		# shellcheck disable=SC2031 # see later
		report "${later_names[i]}" "$(<"$tmp/$first.$i.status")" "${later_commands[i]}" \
			"$(<"$tmp/$first.$i.output")"
	done
	later_names=()
	later_commands=()
}

# report DESCRIPTION STATUS COMMAND OUTPUT
report()
{
	local description=$1 status=$2 command=$3 output=$4

	tests_run=$((tests_run + 1))
	if [ "$status" = 0 ]; then
		echo "ok $tests_run $description"
	else
		echo "not ok $tests_run $description"
		tests_failed=$((tests_failed + 1))
		printf '%s\n' "status $status: $command" "$output" | sed 's/^/# /'
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
	limits_stop
	exit $((tests_failed > 0))
}
