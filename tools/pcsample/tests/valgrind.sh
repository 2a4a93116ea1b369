#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The unit tests and every command, under valgrind's memcheck: unlike the sanitizers it finds reads
# of uninitialized memory, and checks the libraries.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

O=$(realpath "${O:?}")
PCSAMPLE=$O/pcsample
MKREC=$O/tests/mkrec

# memcheck EXPECTED COMMAND...: the status is EXPECTED; a complaint of memcheck would make it 99
memcheck() {
	local expected=$1

	shift
	status "$expected" valgrind -q --error-exitcode=99 --leak-check=full \
		--show-leak-kinds=definite --errors-for-leak-kinds=definite "$@"
}

# For commands whose status depends on the machine, or that have the leaks of libperf: record.sh
# looks for leaks of the tool (lsan.supp)
memcheck_without_leaks() {
	local got=0

	valgrind -q --error-exitcode=99 --leak-check=no "$@" || got=$?
	[[ $got -le 2 ]] || die "exit status $got: $*"
}

# test-change and test-stats compute for seconds and allocate no memory
unit_tests() {
	local name

	for name in clocks doctor event process-tree cpu-progress frozen reader writer safe-file \
		sideband snapshot tables; do
		memcheck 0 "$O/tests/test-$name"
	done
}

# All commands that read recordings, on truncated and changed ones
damaged_recordings() {
	DAMAGE=few memcheck 0 "$O/tests/test-damage"
}

recording() {
	printf '%s\n' 'comm 10 10 prog 0' "mmap 10 0x1000 0x10000 0x1000 $(realpath /bin/sh) 0" \
		'sample user 0x1004 10 10 7 0' 'sample user 0x2004 10 10 8 1' \
		'sample user 0x1004 10 11 9 0' | "$MKREC" "$1"
}

commands_that_read() {
	recording perf.data
	memcheck 0 "$PCSAMPLE" report --json
	memcheck 0 "$PCSAMPLE" report --sort comm,dso,sym
	memcheck 0 "$PCSAMPLE" script
	memcheck 0 "$PCSAMPLE" diff perf.data perf.data
	memcheck 0 "$PCSAMPLE" archive -q -o packed.tar
	memcheck 0 "$PCSAMPLE" report --archive packed.tar
	memcheck 2 "$PCSAMPLE" profexc report
	for format in folded speedscope firefox pprof csv json html; do
		"$PCSAMPLE" export --format "$format" -o out > /dev/null 2>&1 || continue
		memcheck 0 "$PCSAMPLE" export --format "$format" -o "out.$format"
	done
}

# A function with source lines and an inlined function
instructions_and_lines() {
	local at

	cat > prog.c <<-'END'
		static inline __attribute__((always_inline)) int inner(int x) { return x * x; }
		int outer(int x) { return inner(x) + inner(x + 1); }
	END
	gcc -g -O1 -shared -nostdlib -o prog prog.c
	at=$((0x400000 + $(readelf -sW prog | awk '$8 == "outer" { print "0x" $2; exit }')))
	printf '%s\n' "mmap 7 0x400000 0x10000 0 $PWD/prog 1" "sample user $at 7 7 100 0" \
		"sample user $((at + 3)) 7 7 101 0" | "$MKREC" perf.data
	memcheck 0 "$PCSAMPLE" annotate
	memcheck 0 "$PCSAMPLE" annotate --json
	memcheck 0 "$PCSAMPLE" report --sort sym,inline,srcline
}

commands_that_tell() {
	memcheck 0 "$PCSAMPLE" version
	memcheck 0 "$PCSAMPLE" explain sample
	memcheck 0 "$PCSAMPLE" completion bash
	memcheck 0 "$PCSAMPLE" completion --json
	memcheck_without_leaks "$PCSAMPLE" list
	memcheck_without_leaks "$PCSAMPLE" doctor --json
	memcheck_without_leaks "$PCSAMPLE" profexc list
}

commands_that_record() {
	"$PCSAMPLE" version --feature libperf || skip "built without libperf"
	memcheck_without_leaks "$PCSAMPLE" record -e cpu-clock -- "$O/tests/busy" 0.1
	memcheck_without_leaks "$PCSAMPLE" record -e cpu-clock -o - -- "$O/tests/busy" 0.1 > pipe
	memcheck_without_leaks "$PCSAMPLE" stat -e cpu-clock -- "$O/tests/busy" 0.1
	memcheck_without_leaks "$PCSAMPLE" stuck -C 0 --json
	"$PCSAMPLE" top --help > /dev/null 2>&1 || return 0
	memcheck_without_leaks "$PCSAMPLE" top -e cpu-clock --json -n 1 -d 1
}

tap unit_tests damaged_recordings commands_that_read instructions_and_lines commands_that_tell \
	commands_that_record
