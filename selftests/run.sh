#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [TEST...]: run the tests of the folders beside it one after the other, on machines without
# make, and print their results as one TAP. A TEST is a name with or without .sh, with arguments if
# it takes any: run.sh hotplug 'storm --seconds 5'. Without TEST, all run. The exit status is 0 if
# none failed.

cd "$(dirname "$0")" || exit 1
dir=$(mktemp -d)
trap 'start_fair_servers; rm -rf "$dir"' EXIT

# Linux 6.12 has a deadline server for each CPU, which runs ordinary tasks that starve, and warns if
# the CPU goes offline while its server is active ("Dying CPU not properly vacated!" and
# "dl_rq->running_bw > old"); later kernels stop it in sched_cpu_dying(). On a busy host the CPUs of
# an emulated machine do starve. A server without time remains inactive. Stop the servers once for
# all tests: 6.12 also warns if that is done on a CPU that has just come online.
stop_fair_servers()
{
	for server in /sys/kernel/debug/sched/fair_server/cpu*; do
		[ -w "$server/runtime" ] || continue
		cat "$server/runtime" >"$dir/${server##*/}"
		echo 0 >"$server/runtime"
	done
}

start_fair_servers()
{
	for server in "$dir"/cpu*; do
		[ ! -e "$server" ] ||
			cat "$server" >"/sys/kernel/debug/sched/fair_server/${server##*/}/runtime"
	done
}

stop_fair_servers

# find_test NAME: set path
find_test()
{
	for path in arm_*/"$1" arm_*/"$1.sh"; do
		[ ! -f "$path" ] || [ ! -x "$path" ] || return 0
	done
	return 1
}

if [ $# = 0 ]; then
	for path in arm_*/*; do
		[ ! -x "$path" ] || set -- "$@" "${path##*/}"
	done
fi
status=0
count=0
echo "TAP version 13"
for test; do
	name=${test%% *}
	arguments=${test#"$name"}
	if ! find_test "$name"; then
		count=$((count + 1))
		status=1
		echo "not ok $count $name: there is no such test"
		continue
	fi

	# Print each line at once, because the machine may not survive until the next one. Do not
	# wait for what a test leaves behind that hangs in the kernel.
	read -r begin _ </proc/uptime
	# shellcheck disable=SC2086 # words
	{
		"./$path" $arguments 2>&1
		echo $? >"$dir/status"
		echo "run.sh: end"
	} | awk -v test="${name%.sh}" -v count="$count" '
		/^(not )?ok / {
			sub(/ok [0-9]+ (- )?/, "ok " ++count " " test ": ")
			print
			fflush()
			next
		}
		/^1\.\.0 # SKIP/ {
			sub(/^1\.\.0/, "ok " ++count " " test)
			print
			next
		}
		/^run\.sh: end$/ { exit }
		/^TAP version|^1\.\./ { next }
		{ sub(/^(# )?/, "# "); print; fflush() }
		END { print count >"'"$dir"'/count" }' | tee "$dir/output"
	read -r end _ </proc/uptime
	read -r result <"$dir/status"
	before=$count
	read -r count <"$dir/count"
	echo "$name $begin $end" | awk '{ printf "# %s: %.1f s\n", $1, $3 - $2 }'
	[ "$result" = 0 ] || [ "$result" = 4 ] || {	# 4: skipped
		status=1
		grep -q '^not ok' "$dir/output" || {
			count=$((count + 1))
			echo "not ok $count $name: exit status $result"
		}
	}
	# For example, an option -t that names no test
	[ "$result" != 0 ] || [ "$count" -gt "$before" ] || {
		status=1
		count=$((count + 1))
		echo "not ok $count $name: it ran no test"
	}
done
echo "1..$count"
exit "$status"
