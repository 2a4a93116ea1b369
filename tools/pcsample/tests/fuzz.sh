#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzz targets on their seeds, on what fuzzing found, and on those damaged in fixed ways. Under
# SANITIZE=1 this is where it counts; `make fuzz SECONDS=3600` looks for more.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
O=$(realpath "${O:?}")
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
O=$O "$here/fuzz/seeds.sh" "$seeds"

replay() {
	timeout 100 "$O/tests/fuzz/replay" "$1" "$seeds/$1"/*
}

perfdata() { replay perfdata; }
elf() { replay elf; }
dwarf() { replay dwarf; }
kallsyms() { replay kallsyms; }
perf_map() { replay perf-map; }
jitdump() { replay jitdump; }

tap perfdata elf dwarf kallsyms perf_map jitdump
