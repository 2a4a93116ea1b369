#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzz targets on their seeds, on inputs that fuzzing found, and on damaged copies of them. It
# is most useful with SANITIZE=1. `make check-damage` damages every byte, and `make fuzz
# SECONDS=3600` looks for new inputs.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
O=$(realpath "${O:?}")
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
O=$O "$here/fuzz/seeds.sh" "$seeds"

# Run a target on its seeds, whole and damaged, and on inputs of fuzzing, which are damaged already
replay() {
	mkdir "$1"
	base64 -d "$here/fuzz/corpus/$1.txt" | tar --zstd -xf - -C "$1"
	ONCE=1 DAMAGE='' timeout 600 "$O/tests/fuzz/replay" "$1" "$1"/*
	timeout 600 "$O/tests/fuzz/replay" "$1" "$seeds/$1"/*
}

# Memory is limited by the size of the input, whatever it contains or claims: tests/fuzz/replay.c
memory() {
	mkdir large small
	python3 "$here/fuzz/dense.py" large 1000000
	python3 "$here/fuzz/dense.py" small 20000
	for target in perfdata export; do
		ONCE=1 DAMAGE='' timeout 600 "$O/tests/fuzz/replay" $target large/*
		DAMAGE='' timeout 600 "$O/tests/fuzz/replay" $target small/*
	done
}

perfdata() { replay perfdata; }
elf() { replay elf; }
dwarf() { replay dwarf; }
plt() { replay plt; }
images() { replay images; }
code() { replay code; }
build_id() { replay build-id; }
kallsyms() { replay kallsyms; }
perf_map() { replay perf-map; }
jitdump() { replay jitdump; }
archive() { replay tar; }
config() { replay config; }

tap memory perfdata elf dwarf plt images code build_id kallsyms perf_map jitdump archive config
