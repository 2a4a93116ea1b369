#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh SECONDS [TARGET...]: fuzz the targets one after the other, for SECONDS in all. Findings are
# left below O/found; keep one as tests/fuzz/found/TARGET-NAME.xxd (xxd FILE), with a line that says
# what it was, so that the suite replays it. keep.sh keeps inputs that reach more code. Exit status
# 1 if anything was found.

set -euo pipefail

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
O=$(realpath "${O:?}")
seconds=$1
shift
targets=("$@")
[[ $# -gt 0 ]] || targets=(perfdata export elf dwarf plt images code build-id kallsyms perf-map
		    jitdump tar config)
rm -rf "$O/seeds"
"$here/seeds.sh" "$O/seeds"
# Inputs full of records that take much memory for their size
python3 "$here/dense.py" "$O/seeds/perfdata" 16000
mkdir -p "$O/found"
failed=0
for target in "${targets[@]}"; do
	# The target export reads recordings
	of=${target/export/perfdata}
	mkdir -p "$O/corpus/$target"
	base64 -d "$here/corpus/$of.txt" | tar --zstd -xf - -C "$O/corpus/$target"
	status=0
	length=8192
	[[ $of != perfdata ]] || length=32768
	FUZZ_TARGET=$target "$O/tests/fuzz/libfuzzer" -max_len="$length" -timeout=10 \
		-rss_limit_mb=2048 -max_total_time=$((seconds / ${#targets[@]} + 1)) \
		-print_final_stats=1 -artifact_prefix="$O/found/$target-" "$O/corpus/$target" \
		"$O/seeds/$of" > "$O/$target.log" 2>&1 || status=$?
	printf 'fuzz: %s: %s runs, %s\n' "$target" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$O/$target.log")" \
		"$([[ $status == 0 ]] && echo 'nothing found' || echo "found: see $O/$target.log")"
	[[ $status == 0 ]] || failed=1
done
exit $failed
