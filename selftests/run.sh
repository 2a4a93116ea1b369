#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [TEST...]: runs the tests beside it one after the other, for machines without make, and
# prints their results as one TAP. A TEST is a name with or without .sh; none: all. The exit status
# is 0 if none failed.

cd "$(dirname "$0")" || exit 1
output=$(mktemp)
trap 'rm -f "$output"' EXIT

if [ $# = 0 ]; then
	set -- ./*
fi
status=0
count=0
echo "TAP version 13"
for test; do
	test=${test#./}
	[ -f "$test" ] || test=$test.sh
	if [ ! -x "$test" ] || [ "$test" = run.sh ]; then
		continue
	fi

	read -r begin _ </proc/uptime
	"./$test" >"$output" 2>&1
	result=$?
	read -r end _ </proc/uptime
	[ "$result" = 0 ] || [ "$result" = 4 ] || status=1	# 4: skipped
	awk -v test="${test%.sh}" -v result="$result" -v count="$count" \
		-v begin="$begin" -v end="$end" '
		BEGIN { printf "# %s: %.1f s\n", test, end - begin }
		/^(not )?ok / {
			if (/^not /)
				failed++
			sub(/ok [0-9]+ (- )?/, "ok " ++count " " test ": ")
			print
			next
		}
		/^1\.\.0 # SKIP/ {
			sub(/^1\.\.0/, "ok " ++count " " test)
			print
			next
		}
		/^TAP version|^1\.\./ { next }
		{ sub(/^(# )?/, "# "); print }
		END {
			if (result != 0 && result != 4 && !failed)
				print "not ok " ++count " " test ": exit status " result
		}' "$output"
	count=$((count + $(grep -cE '^((not )?ok |1\.\.0 # SKIP)' "$output")))
	if [ "$result" != 0 ] && [ "$result" != 4 ] && ! grep -q '^not ok' "$output"; then
		count=$((count + 1))
	fi
done
echo "1..$count"
exit "$status"
