# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The cache: $cache/NAME/KEY is a folder that is complete or absent. A key says everything that the
# content depends on, so an entry is never changed once it is there, and nobody who uses one is hurt
# by another being made. Entries that nobody asked for in a month go when their name is next built.
#
# The cache may be copied to another path, or be shared by hosts of several kinds. A path below it
# therefore counts in a key as relative to it, and an entry that holds its own path has that path in
# its key. What the host's compiler has made, or is linked with the host's libraries, has $host in
# its key.

cache_days=30

# key_of WORD...: a short hash of the words; a name of a function stands for the function's text,
# and the path of the cache for nothing.
key_of()
{
	local word

	for word; do
		if declare -F -- "$word" >/dev/null; then
			declare -f -- "$word"
		else
			printf '%s\n' "${word//"$cache"\//}"
		fi
	done | sha256sum | cut -c1-12
}

# attempt LOG COMMAND...: runs a function or command with its output added to LOG, and sets status.
# `set -e` holds inside it, which it would not under `if` or `||`; so neither may its callers be.
attempt()
{
	local log=$1

	shift
	set +e
	(
		set -e
		"$@"
	) >>"$log" 2>&1 </dev/null
	status=$?
	set -e
}

# cache_make NAME KEY BUILDER [ARG...]: sets REPLY to the folder $cache/NAME/KEY. If it is absent,
# BUILDER is called with ARGs. The variable `out` is an empty folder to fill; `final` is the later
# path of that folder, for contents that must know it.
cache_make()
{
	local name=$1 key=$2 builder=$3 final=$cache/$1/$2 out lock log status

	shift 3
	if [ ! -d "$final" ]; then
		mkdir -p "$cache/$name"
		exec {lock}>"$cache/$name/.lock"
		flock -n "$lock" || {
			say "pcsample: waiting for somebody else who is making $name"
			flock "$lock"
		}
		if [ ! -d "$final" ]; then
			rm -rf "$cache/$name"/.new.*
			find "$cache/$name" -mindepth 1 -maxdepth 1 -type d -mtime "+$cache_days" \
				-exec rm -rf {} +
			out=$(mktemp -d "$cache/$name/.new.XXXXXX")
			chmod 755 "$out"
			log=$cache/$name/.log
			say "pcsample: making $name ($key)"
			: >"$log"
			attempt "$log" "$builder" "$@"
			[ "$status" = 0 ] || {
				tail -n 40 "$log" >&2
				die "$name could not be made; all of it is in $log"
			}
			mv -T "$out" "$final"
		fi
		exec {lock}>&-
	fi
	touch -c "$final" 2>/dev/null || true
	REPLY=$final
}
