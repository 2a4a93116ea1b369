# SPDX-License-Identifier: GPL-2.0-only
#
# For shell tests: sourced, by bash and by busybox. Each test is a function run by `tap NAME...`, in
# a directory of its own and with its output in a log whose end is shown if it fails. It fails when
# a command in it does: beware of `| grep -q`, which ends the command before it with SIGPIPE. With
# FEW=1 in the environment those in the list $few are run alone, where a script has one.
#
# A test that is not done in $limit seconds fails, and so does one that leaves a process behind.
#
# shellcheck shell=dash

set -euo pipefail

# shellcheck source=scripts/lib/limit.sh disable=SC3028 # busybox runs this in /tests
. "$(dirname "${BASH_SOURCE:-/tests/tap.sh}")/limit.sh"
limit=300

# What is asserted. The text goes to the log.
die() {
	echo "FAILED: $*"
	exit 1
}

skip() {
	echo "# SKIP $*" > "$tap_dir/skip"
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

tap() {
	local name number=0 failed=0 result tap_once

	if [ "${FEW:-}" = 1 ] && [ -n "${few:-}" ]; then
		# shellcheck disable=SC2086 # a list
		set -- $few
	fi
	echo "1..$#"
	limits_start
	tap_once=$(mktemp -d "${TMPDIR:-/tmp}/pcsample-tap-XXXXXX")
	for name; do
		number=$((number + 1))
		tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/pcsample-tap-XXXXXX")
		mkdir "$tap_dir/work"
		result=ok
		: > "$tap_dir/log"
		limit_begin "$limit" "$tap_dir/log"
		# In the condition of an || a failing command would not end the subshell
		set +e
		(
			set -e
			cd "$tap_dir/work"
			"$name"
		) >> "$tap_dir/log" 2>&1 < /dev/null
		# shellcheck disable=SC2181
		[ $? = 0 ] || result='not ok'
		set -e
		limit_end "$tap_dir/log" || result='not ok'
		if [ -e "$tap_dir/skip" ]; then
			echo "ok $number - $name $(cat "$tap_dir/skip")"
		else
			echo "$result $number - $name"
		fi
		if [ "$result" != ok ]; then
			tail -n 40 "$tap_dir/log" | cut -c 1-300 | sed 's/^/# /'
			failed=1
		fi
		rm -rf "$tap_dir"
	done
	rm -rf "$tap_once"
	limits_stop
	return $failed
}
