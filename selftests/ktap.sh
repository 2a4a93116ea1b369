# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# TAP for the shell tests.

ktap_count=0
ktap_failed=0

# check DESCRIPTION COMMAND...: print one result; if it failed, print the command's output, too
check()
{
	description=$1
	shift
	ktap_count=$((ktap_count + 1))
	if ktap_output=$("$@" 2>&1); then
		echo "ok $ktap_count $description"
	else
		echo "not ok $ktap_count $description"
		echo "$ktap_output" | head -n 30 | sed 's/^/#   /'
		ktap_failed=$((ktap_failed + 1))
	fi
}

skip()
{
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count $1 # SKIP $2"
}

# skip_all REASON: skip all tests of this script
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

finish()
{
	echo "1..$ktap_count"
	[ "$ktap_failed" = 0 ]
	exit
}
