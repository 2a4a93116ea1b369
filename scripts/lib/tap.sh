# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For tests in shell: results in TAP. Sourced by bash and, for the tests that run in the emulated
# machine, by busybox. A test is a function or a command; it fails when a command in it does: beware
# of `| grep -q`, which ends the command before it with SIGPIPE.
#
# Either `tap NAME...` runs functions, each in a directory of its own; with FEW=1 in the environment
# those in the list $few are run alone, where a script has one. Or call plan, then ok or later for
# each test, and finish.
#
# A test that is not done in $limit seconds fails, and so does one that leaves a process behind. One
# that takes more than $slow seconds says so.

set -euo pipefail

# shellcheck source=scripts/lib/limit.sh disable=SC3028 # busybox runs this in /tests
. "$(dirname "${BASH_SOURCE:-/tests/tap.sh}")/limit.sh"
limit=600 slow=60

tap_number=0
tap_failed=0

# In a test: what is asserted. The text is shown. Those who have common.sh keep its own.
command -v die > /dev/null || die() {
	echo "FAILED: $*"
	exit 1
}

# In a test: it cannot be done here
skip() {
	echo "$*" > "$tap_log.skip"
	exit 0
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# What a user may see of a CPU and of the kernel is little by default
need_whole_cpus() {
	[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 0 ] ||
		skip "needs root, or kernel.perf_event_paranoid below 1"
}

# status EXPECTED COMMAND...: the exit status is EXPECTED
status() {
	local expected=$1 got=0

	shift
	"$@" || got=$?
	[ "$got" = "$expected" ] || die "exit status $got, not $expected: $*"
}

# says FILE TEXT: a line of FILE has TEXT in it
says() {
	grep -qF -e "$2" "$1" || {
		tail -n 20 "$1"
		die "$1 does not say '$2'"
	}
}

# between LOW VALUE HIGH, as numbers
between() {
	awk -v l="$1" -v v="$2" -v h="$3" 'BEGIN { exit !(v + 0 >= l + 0 && v + 0 <= h + 0) }' ||
		die "$2 is not between $1 and $3"
}

# json FILE EXPRESSION: the document in FILE, d, is so, in Python
json() {
	python3 -c "import json, sys; d = json.load(open('$1')); sys.exit(not ($2))" ||
		die "$1: not so: $2"
}

# until_true COMMAND...: poll, for at most 60 s
until_true() {
	local end

	end=$(($(date +%s) + 60))
	until "$@" > /dev/null 2>&1; do
		[ "$(date +%s)" -lt "$end" ] || die "never came true: $*"
		sleep 0.05
	done
}

# once FUNCTION: have the files that FUNCTION makes, which it does for the first test alone. They
# may name each other by their paths then, which stay until the last test has ended.
once() {
	local kept=$tap_once/$1 back=$PWD

	if [ ! -e "$kept.made" ]; then
		rm -rf "$kept"
		mkdir "$kept"
		cd "$kept"
		"$1"
		cd "$back"
		: > "$kept.made"
	fi
	cp -R "$kept/." .
}

# tap_run LOG TOP DIR COMMAND...: sets tap_status and tap_seconds. TOP is the process that the test
# is below. A test sees the variables of its callers: those here have names that no suite has.
tap_run() {
	local tap_top=$2 tap_dir=$3 tap_start

	tap_start=$(date +%s)
	tap_log=$1
	shift 3
	: > "$tap_log"
	limit_begin "$limit" "$tap_log" "$tap_top"
	# Not under ||, where a failing command would not end the subshell
	set +e
	(
		set -e
		trap - EXIT
		cd "$tap_dir"
		"$@"
	) >> "$tap_log" 2>&1 < /dev/null
	tap_status=$?
	set -e
	limit_end "$tap_log" "$tap_top" || tap_status=1
	tap_seconds=$(($(date +%s) - tap_start))
}

# tap_report DESCRIPTION LOG STATUS SECONDS COMMAND: the end of the log is shown if the test has
# failed
tap_report() {
	tap_number=$((tap_number + 1))
	[ "$4" -le "$slow" ] || echo "# $1 took $4 s"
	if [ "$3" != 0 ]; then
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_number - $1"
		{
			echo "status $3: $5"
			tail -n 100 "$2"
		} | tr -d '\0' | cut -c 1-300 | sed 's/^/# /'
	elif [ -e "$2.skip" ]; then
		echo "ok $tap_number - $1 # SKIP $(cat "$2.skip")"
	else
		echo "ok $tap_number - $1"
	fi
	rm -f "$2" "$2.skip"
}

plan() {
	echo "TAP version 13"
	echo "1..$1"
	limits_start
}

# ok DESCRIPTION COMMAND...: a test in the present directory
ok() {
	local tap_words=$1 tap_file

	shift
	tap_file=$(mktemp)
	tap_run "$tap_file" "$$" . "$@"
	tap_report "$tap_words" "$tap_file" "$tap_status" "$tap_seconds" "$*"
}

tap_later=0

# later DESCRIPTION COMMAND...: as ok, but in parallel, as many at a time as there are CPUs. Each
# command has a $tmp of its own, below the present one. settle prints the results, in order. For
# bash.
# shellcheck disable=SC2030,SC2031,SC3028,SC3045 # $tmp is to stay in there; bash
later() {
	local tap_job=$tmp/$tap_number.$tap_later

	tap_later=$((tap_later + 1))
	mkdir "$tap_job"
	echo "$1" > "$tap_job.description"
	shift
	echo "$*" > "$tap_job.command"
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n || true
	done
	(
		trap - EXIT
		tmp=$tap_job
		tap_run "$tap_job.log" "$BASHPID" . "$@"
		echo "$tap_status" > "$tap_job.status"
		echo "$tap_seconds" > "$tap_job.seconds"
	) &
}

# shellcheck disable=SC2031 # see later
settle() {
	local i=0 first=$tap_number dir

	wait
	while [ "$i" -lt "$tap_later" ]; do
		dir=$tmp/$first.$i
		tap_report "$(cat "$dir.description")" "$dir.log" "$(cat "$dir.status")" \
			"$(cat "$dir.seconds")" "$(cat "$dir.command")"
		i=$((i + 1))
	done
	tap_later=0
}

# Ends the suite with the status that scripts/check wants
finish() {
	limits_stop
	exit $((tap_failed > 0))
}

tap() {
	local tap_name tap_place tap_once

	if [ "${FEW:-}" = 1 ] && [ -n "${few:-}" ]; then
		# shellcheck disable=SC2086 # a list
		set -- $few
	fi
	plan $#
	tap_once=$(mktemp -d "${TMPDIR:-/tmp}/pcsample-tap-XXXXXX")
	for tap_name; do
		tap_place=$(mktemp -d "${TMPDIR:-/tmp}/pcsample-tap-XXXXXX")
		mkdir "$tap_place/work"
		tap_run "$tap_place/log" "$$" "$tap_place/work" "$tap_name"
		tap_report "$tap_name" "$tap_place/log" "$tap_status" "$tap_seconds" "$tap_name"
		rm -rf "$tap_place"
	done
	rm -rf "$tap_once"
	limits_stop
	[ "$tap_failed" = 0 ]
}
