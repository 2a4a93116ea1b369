# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For those who run tests: a test that takes too long is ended, with all that it has started, and
# its log says what it waited for. Sourced by bash and by busybox.
#
# What belongs to a test is known by its parents, and by a word in its environment once it has none:
# sessions and namespaces do not hide it. (An applet that busybox runs without exec has the
# environment that busybox began with, and is known by its parents alone.)

# look_for MARK: "marked PID" of all with MARK in their environment, "bare PID" of all without one.
# A process that begins another program has none for a moment: whether it is marked shows later. So
# each environment is read once, for both answers.
look_for() {
	local mark

	mark=$(printf '%s\n' "$1" | sed 's/[][\.*^$+?(){}|]/\\&/g')
	set -- /proc/[0-9]*/environ
	{
		printf '%s\n' "$@"
		# Some of them have ended by now. The grep of busybox takes one pattern with -o.
		grep -asoHE "$mark|=" "$@" || :
	} | awk -F : '
		NF == 1 { bare[$1] }
		NF > 1 { delete bare[$1] }
		NF > 1 && $0 != $1 ":=" { marked[$1] }
		function say(what, path) {
			split(path, part, "/")
			print what, part[3]
		}
		END {
			for (path in marked)
				say("marked", path)
			for (path in bare)
				say("bare", path)
		}'
}

# marked_by MARK: those with MARK in their environment
marked_by() {
	look_for "$1" | sed -n 's/^marked //p'
}

# processes_of TOP MARK [EXCEPT]: those below the process TOP, or with MARK in their environment and
# then those below them; not EXCEPT, and what is below that
processes_of() {
	{
		marked_by "$2"
		cat /proc/[0-9]*/stat 2> /dev/null |
			sed -n 's/^\([0-9]*\) (.*) \([A-Za-z]\) \([0-9]*\) .*/\1 \2 \3/p' || :
	} | awk -v top="$1" -v except="${3:-0}" '
		NF == 1 { marked[$1] }
		NF == 3 && $2 != "Z" { parent[$1] = $3 }
		END {
			for (pid in parent) {
				found = 0
				for (at = pid; at > 1 && at != except; at = parent[at])
					found = found || at in marked || (at == top && pid != top)
				if (found && at != except)
					print pid
			}
		}'
}

# tell_of PID...: what they are, and where in the kernel they wait
tell_of() {
	local pid

	for pid; do
		printf '%7s %s [%s]\n' "$pid" \
			"$(tr '\0\n' '  ' 2> /dev/null < "/proc/$pid/cmdline" | cut -c 1-150)" \
			"$(cat "/proc/$pid/wchan" 2> /dev/null || :)"
	done
}

# end_of MARK [PID...]: what is marked so, what that starts meanwhile, and those others
end_of() {
	local mark=$1 signal pid pids

	shift
	for signal in TERM TERM KILL KILL; do
		pids=
		for pid in "$@" $(marked_by "$mark"); do
			! is_running "$pid" || pids="$pids $pid"
		done
		[ -n "$pids" ] || return 0
		# shellcheck disable=SC2086 # a list
		kill -s "$signal" $pids 2> /dev/null || :
		sleep 0.5
	done
}

is_running() {
	grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"
}

limit_dir=
limit_bare=

# limits_start: watch from here on, by a process that ends when this one does
limits_start() {
	limit_dir=$(mktemp -d "${TMPDIR:-/tmp}/pcsample-limit-XXXXXX")
	unset LIMIT_RUN
	limit_bare=" $(look_for '=' | sed -n 's/^bare //p' | tr '\n' ' ')"
	# No job of this shell, which may wait for all it has
	(limit_watch > /dev/null 2>&1 < /dev/null &)
	# Below the watch nothing is marked
	export LIMIT_RUN
}

limits_stop() {
	[ -z "$limit_dir" ] || rm -rf "$limit_dir"
	limit_dir=
}

# limit_begin SECONDS LOG [TOP [QUIET FILE]]: from now on the processes below TOP, by default this
# shell, may take SECONDS. Once FILE is not empty, they must add to it at least every QUIET seconds.
# Sets LIMIT_RUN, by which what it leaves behind is known.
limit_begin() {
	local top=${3:-$$} now

	now=$(date +%s)
	LIMIT_RUN="$top.$now.$2"
	{
		echo "$((now + $1)) $1 $top $LIMIT_RUN"
		echo "${4:-0} ${5:-}"
	} > "$limit_dir/$top.new"
	mv "$limit_dir/$top.new" "$limit_dir/$top.now"
}

# limit_end LOG [TOP]: it has ended. Fails, and says so in LOG, if what it started has not; that is
# ended then.
limit_end() {
	local log=$1 top=${2:-$$} tries=50 left

	rm -f "$limit_dir/$top.now"
	while left=$(left_behind) && [ -n "$left" ]; do
		if [ $((tries = tries - 1)) = 0 ]; then
			# What begins no program for so long is of somebody else
			left=$(echo "$left" | sed -n 's/^marked //p')
			[ -n "$left" ] || return 0
			{
				echo "FAILED: left behind:"
				# shellcheck disable=SC2086 # a list
				tell_of $left
			} >> "$log"
			end_of "LIMIT_RUN=$LIMIT_RUN"
			return 1
		fi
		sleep 0.1
	done
}

# left_behind: what has the mark of the present test, but for those that look for it, and what may
# turn out to have it; as look_for tells
left_behind() {
	local what pid

	look_for "LIMIT_RUN=$LIMIT_RUN" | while read -r what pid; do
		if [ "$what" = marked ]; then
			! is_running "$pid" || echo "$what $pid"
		elif begins_a_program "$pid"; then
			echo "$what $pid"
		fi
	done
}

# begins_a_program PID: so it seems of one without environment. Not a thread of the kernel, nor what
# has ended, nor another user's; nor what had none when the tests began, and has none for good.
begins_a_program() {
	[ -e "/proc/$1/exe" ] && [ -r "/proc/$1/environ" ] || return 1
	case $limit_bare in
	*" $1 "*) return 1 ;;
	esac
}

# over END SECONDS QUIET FILE: what is over, if one of the two limits is
over() {
	local now

	now=$(date +%s)
	if [ "$now" -ge "$1" ]; then
		echo "not done in $2 s"
	elif [ "$3" != 0 ] && [ -s "$4" ] && [ $((now - $(stat -c %Y "$4"))) -ge "$3" ]; then
		echo "nothing said for $3 s"
	else
		return 1
	fi
}

limit_watch() {
	local now end seconds top run quiet file why pids me

	set +e
	trap - EXIT INT TERM
	read -r me _ < /proc/self/stat
	while kill -0 $$ && [ -d "$limit_dir" ]; do
		sleep 1
		for now in "$limit_dir"/*.now; do
			{
				read -r end seconds top run && read -r quiet file
			} < "$now" || continue
			why=$(over "$end" "$seconds" "$quiet" "$file") || continue
			rm -f "$now"
			pids=$(processes_of "$top" "LIMIT_RUN=$run" "$me")
			{
				echo "FAILED: $why, but waiting for:"
				# shellcheck disable=SC2086 # a list
				tell_of $pids
			} >> "${run#*.*.}"
			# Only these: the next test may begin before the last of them has ended
			# shellcheck disable=SC2086
			end_of "LIMIT_RUN=$run" $pids
		done
	done
	rm -rf "$limit_dir"
}
