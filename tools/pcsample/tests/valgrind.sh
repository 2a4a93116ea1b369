#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The unit tests and the commands that read recordings, under memcheck of valgrind: unlike the
# sanitizers it sees the use of what was never written, and looks into the libraries.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

O=$(realpath "${O:?}")
PCSAMPLE=$O/pcsample
MKREC=$O/tests/mkrec

# status EXPECTED of the command, and no complaint, which would make it 99
memcheck() {
	local expected=$1

	shift
	status "$expected" valgrind -q --error-exitcode=99 --leak-check=full \
		--show-leak-kinds=definite --errors-for-leak-kinds=definite "$@"
}

# test-change and test-stats compute for seconds and hold no memory
unit_tests() {
	local name

	for name in capture-doctor capture-event capture-tree liveness perfdata perfdata-write \
		sideband synth tables; do
		memcheck 0 "$O/tests/test-$name"
	done
}

recording() {
	printf '%s\n' 'comm 10 10 prog 0' "mmap 10 0x1000 0x10000 0x1000 $(realpath /bin/sh) 0" \
		'sample user 0x1004 10 10 7 0' 'sample user 0x2004 10 10 8 1' \
		'sample user 0x1004 10 11 9 0' | "$MKREC" "$1"
}

commands() {
	recording perf.data
	memcheck 0 "$PCSAMPLE" report --json
	memcheck 0 "$PCSAMPLE" report --sort comm,dso,sym
	memcheck 0 "$PCSAMPLE" script
	memcheck 0 "$PCSAMPLE" diff perf.data perf.data
	for format in folded speedscope firefox csv json html; do
		memcheck 0 "$PCSAMPLE" export --format "$format" -o "out.$format"
	done
}

damaged_recordings() {
	local size n

	recording whole.data
	size=$(stat -c %s whole.data)
	for n in 50 200 $((size / 2)) $((size - 60)) $((size - 30)); do
		head -c "$n" whole.data > cut.data
		memcheck 1 "$PCSAMPLE" report -i cut.data 2> said
		[[ $(grep -c '^pcsample' said) == 1 ]] || die "cut at $n: $(cat said)"
		says said cut.data
		says said 'offset'
	done
}

tap unit_tests commands damaged_recordings
