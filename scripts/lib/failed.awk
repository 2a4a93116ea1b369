# SPDX-License-Identifier: GPL-2.0-only
#
# Prints the output around each failed test of a suite, from the result before it to the result
# after it: some tests explain a failure before its result, others behind it. Where no test failed,
# but the suite did, its last lines.

BEGIN {
	most = 40
}

function flush(wanted,    i)
{
	for (i = 0; wanted && i < held; i++)
		print between[i]
	held = 0
}

{
	line = $0
	sub(/^[# \t]*/, "", line)
	last[NR % most] = $0
}

line ~ /^(ok|not ok)( |$)|^Bail out!/ {
	fails = line !~ /^ok/
	flush(fails || failed_before)
	failed_before = fails
	if (fails)
		print
	some = some || fails
	next
}

{
	between[held++] = $0
}

END {
	flush(failed_before)
	for (i = NR > most ? NR - most + 1 : 1; !some && i <= NR; i++)
		print last[i % most]
}
