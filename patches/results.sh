# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What check-series and check-posting have in common: what they print, which is KTAP and at the end
# a table of the boots, what they remember, and when they leave out a kernel or a boot for lack of
# time. Source after lib.sh, with `results`, `seconds` and `minutes` set, and then `stamps`.
# shellcheck disable=SC2154,SC2034 # what they set

number=0 failures=0 patches=0 booted=0

# result OK DESCRIPTION: a test of KTAP; what it had to say is in the log of the last step.
result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		tail -n 40 "$results/step" | sed 's/^/# /'
	fi
}

# once KEY DESCRIPTION COMMAND...: a test whose success is remembered.
once()
{
	local stamp=$stamps/$1 description=$2

	shift 2
	status=0
	if [ ! -e "$stamp" ]; then
		step "$@"
		[ "$status" != 0 ] || touch "$stamp"
	fi
	result "$status" "$description"
}

declare -A built=()
builder=''

# build_ahead CONFIG...: builds the kernels that are not built yet, in this order. A boot keeps one
# CPU of the host busy, and leaves the others to this.
build_ahead()
{
	local config log

	for config; do
		[ -z "${built[$config]:-}" ] || continue
		! late_kernel "$config" || return 0
		log=$results/built-$config.log
		: >"$log"
		attempt "$log" build_kernel "$config"
		echo "$status" >"$results/built-$config.new"
		mv "$results/built-$config.new" "$results/built-$config"
	done
}

# start_to_build CONFIG...: runs build_ahead beside this script, and ends it with this script
start_to_build()
{
	rm -f "$results"/built-*
	# As a job it is a process group, so that all of a make ends with it.
	set -m
	build_ahead "$@" &
	builder=$!
	set +m
	trap 'kill -- "-$builder" 2>/dev/null || true' EXIT
}

# need_kernel CONFIG: waits until build_ahead has built it, or builds it if nobody does. A kernel
# that was tried before is not tried again.
need_kernel()
{
	local done=$results/built-$1

	[ -z "${built[$1]:-}" ] || return 0
	say "$(basename "$0"): building the kernel, $1"
	while [ -n "$builder" ] && [ ! -e "$done" ] && kill -0 "$builder" 2>/dev/null; do
		sleep 1
	done
	if [ -n "$builder" ] && [ -e "$done" ]; then
		status=$(<"$done")
		cp "$done.log" "$results/step"
	else
		step build_kernel "$1"
	fi
	built[$1]=$status
	result "$status" "all of the kernel builds, $1"
}

# late N: no N minutes are left.
late()
{
	[ -n "$minutes" ] && [ $((60 * minutes - SECONDS)) -lt $((60 * $1)) ]
}

# late_kernel CONFIG: there is no time to build it, which takes 20 minutes on a host that is slow if
# nothing of it is there, nor to boot it then.
late_kernel()
{
	[ -z "${built[$1]:-}" ] || return 1
	if [ -e "$series_tree/build-$1/vmlinux" ]; then
		late 8
	else
		late 25
	fi
}

left_out=()
# leave_out NAME: for lack of time
leave_out()
{
	number=$((number + 1))
	left_out+=("$1")
	echo "ok $number - $1 # SKIP no time is left"
}

table=()
# row NAME CONFIG FIRST: the boot that ended now and began at FIRST, for the table at the end. Tests
# that were skipped are counted apart.
row()
{
	local passed skipped failed figures

	skipped=$(grep -cE '^[[:space:]]*ok .*# SKIP' "$results/step" || true)
	passed=$(($(grep -cE '^[[:space:]]*ok ' "$results/step" || true) - skipped))
	failed=$(grep -cE '^[[:space:]]*not ok ' "$results/step" || true)
	figures=$(sed -n 's/^# figures: //p' "$results/step" | tail -n 1)
	[ "$skipped" = 0 ] || figures="$skipped skipped${figures:+, $figures}"
	[ "$status" = 0 ] || figures="FAILED${figures:+, $figures}"
	table+=("$(printf '%-13s %-8s %3d of %-3d %5d s  %s' "$1" "$2" "$passed" \
		$((passed + failed)) $((SECONDS - $3)) "$figures")")
}

# A boot whose tests are all skipped has tested nothing: sets status.
tested_something()
{
	[ "$status" = 0 ] || return 0
	# Not -q, which may end the first grep by SIGPIPE
	grep -E '^[[:space:]]*ok ' "$results/step" | grep -cv '# SKIP' >/dev/null || status=1
}

# boot_one NAME CONFIG TEST [OPTION...]: with boot_row, for which the kernel is there
boot_one()
{
	local name=$1 config=$2 tests=${3//[:,]/ } first

	if late_kernel "$config" || late 5; then
		leave_out "$name"
		return
	fi
	need_kernel "$config"
	[ "${built[$config]}" = 0 ] || return 0
	booted=$((booted + 1)) first=$SECONDS
	step boot_row "${@:2}"
	tested_something
	result "$status" "$name: boots, and $tests pass"
	row "$name" "$config" "$first"
	sed -n 's/^[[:space:]]*\(\(not \)\?ok .*\)/# \1/p' "$results/step"
	cp "$results/step" "$results/$name.log"
}

# boots_of FILE [NAME...]: boots each row of FILE, or those with these names. Those of one kernel
# come one after the other, while the kernels of the next ones are built.
boots_of()
{
	local boots configs config each

	mapfile -t boots < <(awk -v names=" ${*:2} " \
		'NF && !/^#/ && (names == "  " || index(names, " " $1 " "))' "$1")
	mapfile -t configs < <(printf '%s\n' "${boots[@]}" | awk 'NF && !seen[$2]++ { print $2 }')
	start_to_build "${configs[@]}"
	for config in "${configs[@]}"; do
		for each in "${boots[@]}"; do
			# shellcheck disable=SC2086 # a list of words
			set -- $each
			[ "${2:-}" != "$config" ] || boot_one "$@"
		done
	done
}

# end_with LINE: the plan, the table, and that as the last line. If something was left out and
# nothing has failed the exit status is 77.
end_with()
{
	echo "1..$number"
	if [ ${#table[@]} -gt 0 ]; then
		echo
		printf '# %-13s %-8s %-10s %7s  %s\n' boot kernel tests time figures
		printf '# %s\n' "${table[@]}"
		echo
	fi
	[ ${#left_out[@]} = 0 ] || echo "# left out for lack of time: ${left_out[*]}"
	echo "$1"
	if [ "$failures" = 0 ] && [ ${#left_out[@]} -gt 0 ]; then
		exit 77
	fi
	exit $((failures > 0))
}
