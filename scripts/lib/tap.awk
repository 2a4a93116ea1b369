# SPDX-License-Identifier: GPL-2.0-only
#
# Reads TAP or KTAP and prints "PASSED FAILED SKIPPED". Set status to the exit status of what
# printed it. Tests may nest by indentation: a test with subtests is counted through them, unless it
# failed and none of them did. These count as failures, too: a plan that is missing or was not kept,
# a suite without a test, "Bail out!", and an exit status that is not 0 without a failed test. Exit
# status 4 is kselftest's for "all tests were skipped".

function close_level(level)
{
	if (level in plan && plan[level] != results[level])
		failed++
	delete plan[level]
	delete results[level]
	delete failures[level]
}

# The subtests that came since the last result of this level are those of the test that ends now.
function result(level, is_ok, is_skip,    deeper, had_subtests, sub_failed)
{
	for (deeper = deepest; deeper > level; deeper--) {
		if (!(deeper in results))
			continue
		had_subtests = 1
		sub_failed += failures[deeper]
		close_level(deeper)
	}
	deepest = level
	results[level]++
	if (had_subtests) {
		if (!is_ok && !sub_failed)
			failed++
		failures[level] += sub_failed > 0 || !is_ok
		return
	}
	if (is_skip)
		skipped++
	else if (is_ok)
		passed++
	else
		failed++
	failures[level] += !is_ok
}

BEGIN {
	passed = failed = skipped = 0
}

{
	match($0, /^[ \t]*/)
	level = RLENGTH
	line = substr($0, level + 1)
	if (level > deepest && line ~ /^(ok|not ok|[0-9]+\.\.[0-9]+)/)
		deepest = level
}

line ~ /^1\.\.0( |$)/ {
	if (line ~ /# *[Ss][Kk][Ii][Pp]/)
		skipped++
	planned = 1
	next
}

line ~ /^[0-9]+\.\.[0-9]+/ {
	# Several test programs may follow each other, each with a plan of its own.
	if (level in plan)
		close_level(level)
	sub(/^[0-9]+\.\./, "", line)
	plan[level] = line + 0
	planned = 1
	next
}

line ~ /^(not )?ok( |$)/ {
	result(level, line !~ /^not /, line ~ /# *[Ss][Kk][Ii][Pp]/)
}

line ~ /^Bail out!/ {
	failed++
}

END {
	for (level = deepest; level >= 0; level--)
		if (level in plan)
			close_level(level)
	if (!failed && (!planned || !(passed + skipped)))
		failed++
	if (status && !failed && !(status == 4 && skipped && !passed))
		failed++
	print passed, failed, skipped
}
