#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# keep.sh TARGET...: of the inputs that run.sh left below O/corpus, pack the smallest set that
# reaches the same code into tests/fuzz/corpus/TARGET.txt, as a tar archive compressed by zstd, in
# base64. run.sh begins with these, and the suite replays them.

set -euo pipefail

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
O=$(realpath "${O:?}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$here/corpus"
for target; do
	mkdir "$tmp/$target"
	FUZZ_TARGET=$target "$O/tests/fuzz/libfuzzer" -set_cover_merge=1 -max_len=8192 \
		-rss_limit_mb=2048 "$tmp/$target" "$O/corpus/$target" > "$tmp/log" 2>&1
	(cd "$tmp/$target" && printf '%s\n' *) > "$tmp/names"
	tar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 -C "$tmp/$target" \
		-T "$tmp/names" -cf - | zstd -q -19 | base64 > "$here/corpus/$target.txt"
	printf 'keep: %s: %s inputs\n' "$target" "$(find "$tmp/$target" -type f | wc -l)"
done
