#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the files in sysfs with their documentation.

cd "$(dirname "$0")" || exit 1
. ../ktap.sh

pmu=/sys/bus/event_source/devices/arm_pcsample
abi=sysfs-bus-event_source-devices-arm_pcsample
rst=arm_pcsample.rst
[ -d ../../Documentation ] && abi=../../Documentation/ABI/testing/$abi &&
	rst=../../Documentation/admin-guide/perf/$rst

[ -d "$pmu" ] || skip_all "no PMU arm_pcsample here"

# Our files, with N for the number of a CPU; files of the driver core are left out
files()
{
	(cd "$pmu/" && find . -type f | sed 's,^\./,,') |
		grep -vE '^(type|uevent|nr_addr_filters|perf_event_mux_interval_ms|power/.*)$' |
		sed 's,^ledger/cpu[0-9]*$,ledger/cpuN,' | sort -u
}

documented()
{
	sed -n "s,^What:[[:space:]]*$pmu/,,p" "$abi" | sort -u
}

every_file_is_documented()
{
	for file in $(files); do
		case $file in
		format/*) name='format/*' ;;
		*) name=$file ;;
		esac
		documented | grep -qxF "$name" || echo "$file is not in $abi"
	done | fail_if_any || return 1
	for parameter in /sys/module/arm_pcsample/parameters/*; do
		grep -qx "What:[[:space:]]*$parameter" "$abi" || echo "$parameter is not in $abi"
	done | fail_if_any
}

everything_documented_is_there()
{
	for name in $(documented | grep -vF '*') format/event format/jitter format/targets \
		format/seed format/snapshot format/counter format/batch; do
		files | grep -qxF "$name" || echo "$name is in $abi, and is not there"
	done | fail_if_any || return 1
	sed -n 's,^What:[[:space:]]*\(/sys/module/.*\),\1,p' "$abi" | while read -r parameter; do
		[ -e "$parameter" ] || echo "$parameter is not there"
	done | fail_if_any
}

fail_if_any()
{
	! grep .
}

formats_are_as_documented()
{
	for format in "$pmu"/format/*; do
		grep -q "^$(basename "$format") *$(cat "$format") " "$rst" ||
			echo "$(basename "$format") $(cat "$format") is not in $rst"
	done | fail_if_any
}

ledger_lines()
{
	cut -d' ' -f1 "$1"
}

ledger_is_as_documented()
{
	for file in "$pmu"/ledger/*; do
		[ "$(ledger_lines "$file")" = "$(ledger_lines "$pmu/ledger/total")" ] ||
			echo "$file has other lines than total"
	done | fail_if_any || return 1
	abi_lines=$(awk '/ledger\/cpuN/ { on = 1 } /parameters/ { on = 0 }
		     on && /^\t\t\t[a-z]/ && $1 ~ /^[a-z_]+$/ && NF > 1 { print $1 }' "$abi")
	[ "$abi_lines" = "$(ledger_lines "$pmu/ledger/total")" ] || {
		echo "$abi: $abi_lines"
		return 1
	}
	rst_lines=$(awk '/^line  / { on = 1; next } on && /^===/ { bars++; next }
			 bars == 1 && /^[a-z]/ { print $1 }' "$rst")
	[ "planned
$rst_lines" = "$(ledger_lines "$pmu/ledger/total")" ] || {
		echo "$rst: $rst_lines"
		return 1
	}
}

# What the documentation says of who may read and write a file
modes()
{
	stat -c '%a %n' "$pmu"/cpumask "$pmu"/readers "$pmu"/format/* "$pmu"/events/* \
		"$pmu"/caps/* "$pmu"/ledger/* /sys/module/arm_pcsample/parameters/* | awk '
		BEGIN {
			modes["(RO)"] = 444
			modes["(RO, root only)"] = 400
			modes["(RW)"] = 644
		}
		NR == FNR && $1 == "What:" { what[++n] = $2 }
		NR == FNR && $1 == "Description:" {
			match($0, /\([^)]*\)/)
			while (n)
				mode[what[n--]] = modes[substr($0, RSTART, RLENGTH)]
		}
		NR == FNR { next }
		{
			name = $2
			sub(/format\/.*/, "format/*", name)
			sub(/ledger\/cpu[0-9]*$/, "ledger/cpuN", name)
			if ($1 != mode[name])
				print $2 " has mode " $1 ", and not " mode[name]
		}' "$abi" - | fail_if_any
}

values()
{
	grep -qxE '[0-9]+' "$pmu/type" &&
		grep -qxE '[0-9,-]+' "$pmu/readers" &&
		[ "$(cat "$pmu/cpumask")" = "$(cat "$pmu/readers")" ] &&
		grep -qxE '[0-9,-]+' "$pmu/caps/blocks" &&
		grep -qxE '[0-9,-]*' "$pmu/caps/disabled" &&
		[ "$(wc -l <"$pmu/caps/authstatus")" -gt 0 ] &&
		! grep -vxE '[0-9,-]+ 0x[0-9a-f]+' "$pmu/caps/authstatus" &&
		grep -qxE 'contextidr_el1|contextidr_el2|none' "$pmu/caps/attribution" &&
		grep -qxE '[0-9,-]*' "$pmu/caps/snapshots" &&
		grep -qxE 'absent|vmid|task|unknown' "$pmu/caps/guests" &&
		grep -qxE '[0-9]+' "$pmu/caps/min_period" &&
		grep -qxE '[0-9]+' /sys/module/arm_pcsample/parameters/longest_tick &&
		[ "$(wc -l </sys/module/arm_pcsample/parameters/mdrar)" -gt 0 ] &&
		! grep -vxE '[0-9,-]+ 0x[0-9a-f]+' /sys/module/arm_pcsample/parameters/mdrar
}

check "every file is documented" every_file_is_documented
check "everything documented is there" everything_documented_is_there
check "formats are as documented" formats_are_as_documented
check "the ledger is as documented" ledger_is_as_documented
check "modes" modes
check "values" values
finish
