# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by scripts that boot the emulated machine with several kinds of hardware, and check what
# the driver prints and counts. The arguments of the script are options of scripts/vm.
#
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"
. "$top/scripts/lib/tap.sh"

options=("$@" --no-pin)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The guest loads the driver with each set of parameters in turn. After a line "== PARAMETERS" it
# prints the driver's new log lines, what doctor says of the blocks, and the accounts after some
# time of sampling with $load running.
load=''
# shellcheck disable=SC2016 # for the guest's shell
guest='
	seconds=$0
	eval "$load"
	for parameters; do
		echo "== $parameters"
		modprobe -r arm_pcsample
		dmesg -c >/dev/null
		modprobe arm_pcsample $parameters
		(
			cd /sys/bus/event_source/devices/arm_pcsample || { dmesg; exit; }
			perf record -q -o /tmp/perf.data -e arm_pcsample// -F 2000 -a -- \
				sleep "$seconds"
			[ "$(nproc)" -gt 1 ] || {
				pcsample record -a -o /tmp/perf.data -- true
				echo "record $?"
				pcsample doctor >/dev/null
				echo "doctor $?"
			}
			dmesg
			pcsample doctor | sed -n "s/^ *\(CPU [0-9]*: external\)/\1/p"
			for file in cpumask caps/* ledger/*; do
				sed "s,^,$file ," "$file"
			done
		)
	done'

# boot NAME SECONDS PARAMETERS... -- VM-OPTION...: run a guest; its output goes to $tmp/NAME, and
# its standard error to $tmp/NAME.stderr.
boot()
{
	local name=$1 arguments=()

	shift
	while [ "$1" != -- ]; do
		arguments+=("$1")
		shift
	done
	shift
	"$top/scripts/vm" "${options[@]}" "$@" -- sh -c "load='$load'$guest" "${arguments[@]}" \
		>"$tmp/$name" 2>"$tmp/$name.stderr" || touch "$tmp/$name.failed"
}

# on NAME PARAMETERS: select the part of a guest's output that the tests look at.
guest_output=''
on()
{
	if [ -e "$tmp/$1.failed" ]; then
		cat "$tmp/$1.stderr" "$tmp/$1"
		return 1
	fi
	guest_output=$(awk -v want="== $2" '/^== / { here = $0 == want; next } here' "$tmp/$1")
}

# value NAME: print a word or number from the guest's output; nothing if a list is empty
value()
{
	sed -n "s,^$1 ,,p" <<<"$guest_output"
}

# complaints [CPU]: print the driver's complaints, about all blocks or about that of one CPU
complaints()
{
	local block='[0-9a-f]+'

	[ -z "${1:-}" ] || printf -v block '%x' $((0x9100000 + $1 * 0x1000))
	grep -E "arm_pcsample $block\." <<<"$guest_output" || true
}

# Lines of driver, device core and perf besides those that must be there
other_lines()
{
	grep -E '^\[' <<<"$guest_output" |
		grep -vE 'arm_pcsample: [0-9]+ CPUs, readers|arm_pcsample [0-9a-f]+\.' |
		grep -vE 'loading out-of-tree|module verification|hrtimer: interrupt took' |
		grep -v 'deferred probe pending' || true
}

balances()
{
	awk '$1 ~ "^ledger/" { gap[$1] += $2 == "planned" ? -$3 : $3; files++ }
		END { for (file in gap) if (gap[file]) exit 1; exit !files }' <<<"$guest_output"
}

# holds [!] COMMAND...: the command must succeed (or fail, with !); else print the guest's output
holds()
{
	"$@" || {
		echo "does not hold: $*"
		printf '%s\n' "$guest_output"
		return 1
	}
}

# says CPU WORDS: there is exactly one complaint about the CPU's block, with these words
says()
{
	holds test "$(complaints "$1" | wc -l)" = 1
	holds grep -qE "$2" <<<"$(complaints "$1")"
}

# refused CPU WORDS [NAME]: the complaint is WORDS, and the CPU is not a target
refused()
{
	on "${3:-zeros}" ''
	says "$1" "$2"
	holds test -z "$(value "ledger/cpu$1 planned")"
}

# counted CPU OUTCOME [NAME]: all of its reads have this outcome, none is a sample
counted()
{
	on "${3:-zeros}" ''
	holds test "$(value "ledger/cpu$1 $2")" -gt 100
	holds test "$(value "ledger/cpu$1 sample")" = 0
}

# the_good_ones NAME BLOCKS CPU...: these CPUs are sampled without a complaint, the list of blocks
# is BLOCKS, and the accounts add up.
the_good_ones()
{
	local cpu

	on "$1" ''
	holds test "$(value caps/blocks)" = "$2"
	holds test -z "$(other_lines)"
	shift 2
	for cpu; do
		holds test -z "$(complaints "$cpu")"
		holds test "$(value "ledger/cpu$cpu sample")" -gt 100
	done
	holds balances
}

good_everywhere()
{
	the_good_ones "$1" 0-1 0 1
	holds test -z "$(complaints)"
	holds test -z "$(value caps/disabled)"
	holds test "$(value 'ledger/total prohibited')" = 0
	holds test "$(value 'ledger/total error')" = 0
}

debug_disabled()
{
	on "$1" ''
	holds test "$(value caps/disabled)" = 0-1
	holds test "$(value caps/authstatus)" = "0-1 ${2:-0x8}"
	holds test "$(complaints | grep -c 'non-invasive debug is disabled')" = 2
	holds test "$(value 'ledger/total sample')" = 0
	holds test "$(value 'ledger/total prohibited')" -gt 100
	holds balances
}
