#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Columns of report whose names are perf's have what perf has in them.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

PCSAMPLE=$(realpath "${O:?}/pcsample")
MKREC=$(realpath "$O/tests/mkrec")

# perf_rows OPTION...: what perf report prints of perf.data, without spaces and shares
perf_rows() {
	command -v perf > /dev/null || skip "no perf"
	perf report -i perf.data --stdio -t '|' "$@" 2> said |
		awk -F '|' '!/^#/ && NF > 1 { gsub(/ /, ""); sub(/^[^|]*[|]/, ""); print }' | sort
}

# rows OPTION...: the same of report, without the interval
rows() {
	"$PCSAMPLE" report -q -t '|' "$@" | awk '!/^#/' | cut -d '|' -f 3- | sort
}

# Of a clock a period is ns, of other events how many of them a sample stands for
total_period() {
	{
		printf 'comm %s\n' '1 1 one 1' '2 2 two 1'
		for i in {1..40}; do
			pid=$((i % 2 + 1))
			echo "sample user 0x400100 $pid $pid $((i * 1000)) 0 $((i * i))"
		done
	} | "$MKREC" perf.data
	rows --sort comm --show-total-period > got
	printf '%s\n' '20|10660|two' '20|11480|one' | diff got -
	"$PCSAMPLE" report --sort comm --show-total-period > out
	grep -E '^# Overhead   95 % interval    Samples          Period  Command$' out
	grep -E '^    51\.85%  .{18} +20           11480  one$' out
	"$PCSAMPLE" report --sort comm --show-total-period -n --json > out
	json out '[r["period"] for r in d["events"][0]["rows"]] == [11480, 10660]'
	"$PCSAMPLE" report --sort comm -n > out
	! grep Period out || die "nobody asked for periods"
	perf_rows --sort comm -n --show-total-period > perf.rows
	diff got perf.rows
}

tap total_period
