#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Columns of report that have perf's names have the same contents as perf's.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# perf_rows OPTION...: perf report of perf.data, without spaces and shares
perf_rows() {
	need_perf
	perf report -i perf.data --stdio -t '|' "$@" 2> said |
		awk -F '|' '!/^#/ && NF > 1 { gsub(/ /, ""); sub(/^[^|]*[|]/, ""); print }' | sort
}

# rows OPTION...: the same of pcsample report, without the interval
rows() {
	"$PCSAMPLE" report -q -t '|' "$@" | awk '!/^#/' | cut -d '|' -f 3- | sort
}

# Who splits a line by the separator finds the columns, whatever names there are
separators_are_not_in_names() {
	local separator

	printf '%s\n' 'comm 1 1 a|b,;c 1' 'comm 2 2 |, 1' 'mmap 1 0x400000 0x1000 0 /x|y;z,.so 2' \
		'sample user 0x400100 1 1 10 0 1' 'sample user 0x400100 2 2 20 0 1' |
		"$MKREC" perf.data
	for separator in '|' ',' ';'; do
		"$PCSAMPLE" report -q -t "$separator" --sort comm,dso,sym > out
		awk -F "$separator" 'NF != 6' out | diff - /dev/null
		need_perf
		perf report --stdio -q -t "$separator" --sort comm,dso 2> said | tr -d ' ' |
			awk -F "$separator" 'NF > 1 { print $2, $3 }' | sort > theirs
		awk -F "$separator" '{ print $4, $5 }' out | sort | diff - theirs
	done
	"$PCSAMPLE" report -t ' | ' --sort comm > out
	grep -F ' | 1 | a|b,;c' out
	"$PCSAMPLE" report -t ' ' --sort sym > out
	grep -F '[.].[unknown]' out
	grep '^# Overhead 95[.]%[.]interval Samples Symbol Shared[.]Object$' out
	status 129 "$PCSAMPLE" report -t . 2> said
	says said "-t cannot begin with '.'"
}

# U+009B does what ESC [ does, and so does its byte alone at a terminal without UTF-8
names_cannot_control_a_terminal() {
	local command

	printf 'comm 1 1 %s 1\nmmap 1 0x400000 0x1000 0 /%s 2\nsample user 0x400100 1 1 10 0 1\n' \
		$'a\xc2\x9b2Jb' $'\x9b2J\xc3\xa9' | "$MKREC" perf.data
	for command in report script 'report -t,' 'script -F comm,dso' 'export -f folded'; do
		# shellcheck disable=SC2086 # a list of words
		"$PCSAMPLE" $command > out 2> said
		cat out said | LC_ALL=C grep -a $'\x9b' && die "$command"
		LC_ALL=C grep -qa $'\xc3\xa9' out ||
			die "$command: a letter is lost: $(cat out)"
	done
	status 1 "$PCSAMPLE" report -i $'none\xc2\x9b2J' 2> said
	says said 'none??2J: No such file'
	{
		printf 'meta note \e[31mred\xc3\xa9\nmeta method \e[31mM\xc2\x9b\n'
		echo 'sample user 0x400100 1 1 10 0 1'
	} | "$MKREC" perf.data
	"$PCSAMPLE" report > out
	says out $'# Note:      ?[31mred\xc3\xa9'
	says out 'found by ?[31mM??'
}

# Messages name events: the name of one is its own line, and controls nothing
events_cannot_control_a_terminal() {
	local command

	python3 - <<-'END'
		import struct
		names = b"\33[31mred\nfake: error", b"\33]0;t\nx\7"
		open("events", "wb").write(struct.pack("<II", 2, 128) + b"".join(
		    bytes(128) + struct.pack("<II", 0, 64) + n.ljust(64, b"\0") for n in names))
	END
	printf '%s\n' 'event 1 1' 'blob 12 events' 'sample user 1 1 1 10 0 1 0' \
		'sample user 1 1 1 20 0 1 1' | "$MKREC" perf.data
	printf '%s\n' 'event 1 1' 'blob 12 events' 'comm 1 1 one 1' | "$MKREC" none.data
	for command in report script 'export -f folded' 'report --cpu 9' 'report -i none.data'; do
		# shellcheck disable=SC2086 # a list of words
		"$PCSAMPLE" $command > out 2> said || :
		! cat out said | LC_ALL=C grep -a $'[\x1b\x07]' || die "$command"
		! cat out said | grep '^fake' || die "$command"
	done
	says said '?[31mred?fake: error'
}

# The period of a clock event is in ns; that of another event is the number of events that a sample
# stands for
total_period() {
	{
		printf 'comm %s\n' '1 1 one 1' '2 2 two 1'
		for i in {1..40}; do
			pid=$((i % 2 + 1))
			echo "sample user 0x400100 $pid $pid $((i * 1000)) 0 $((i * i))"
		done
	} | "$MKREC" perf.data
	rows --sort comm --show-total-period > got
	printf '%s\n' '20|10660|two' '20|11480|one' | diff got -
	"$PCSAMPLE" report --sort comm --show-total-period > out
	grep -E '^# Overhead   95 % interval    Samples          Period  Command$' out
	grep -E '^    51\.85%  .{18} +20           11480  one$' out
	"$PCSAMPLE" report --sort comm --show-total-period -n --json > out
	json out '[r["period"] for r in d["events"][0]["rows"]] == [11480, 10660]'
	"$PCSAMPLE" report --sort comm -n > out
	! grep Period out || die "nobody asked for periods"
	perf_rows --sort comm -n --show-total-period > perf.rows
	diff got perf.rows
}

# Registers that do not tell EL0 from EL1 (ARM_PCSAMPLE_NO_EL), in a guest and in Secure state
el_is_not_known() {
	{
		echo 'type 0x587'
		echo 'comm 1 1 one 1'
		echo 'hw 0x400100 1 1 1000 0 0x8000000000400100 0 1'
		echo 'has 0x44'
		echo 'hw 0 -1 -1 1001 0 0x8000000000400100 3 3'
		echo 'hw 0 -1 -1 1002 0 0x400100 0 4'
	} | "$MKREC" perf.data
	rows --sort el,state,vmid > got
	printf '1|%s\n' 'EL0|Non-secure|0' 'not known|Non-secure|3' 'not known|Secure|0' |
		diff got -
	"$PCSAMPLE" report --sort el,state --json > out
	json out 'sorted(r["el"] for r in d["events"][0]["rows"]) == [
		"EL0", "not known", "not known"]'
	"$PCSAMPLE" script -F el,state > out
	[ "$(grep -c 'not known Non-secure\|not known Secure' out)" = 2 ]
	"$PCSAMPLE" script --json > out
	[ "$(grep -c '"el":' out)" = 1 ]
	"$PCSAMPLE" export -f csv > out
	[ "$(grep -c ',,Secure,0,\|,,Non-secure,3,' out)" = 2 ]
	"$PCSAMPLE" diff --normalize share --all --sort el perf.data perf.data > out
	grep -q ' not known' out
}

# One row for each text, whatever else the samples differ in
hardware_columns_alone() {
	local key

	printf '%s\n' 'type 0x587' 'comm 1 1 one 1' 'has 7' \
		'hw 0x400100 1 1 1000 0 0x8000000000400100 5 3' \
		'hw 0x400100 1 1 1001 0 0xa000000000400100 6 1' \
		'hw 0 -1 -1 1002 0 0x2000000000400100 6 1' | "$MKREC" perf.data
	rows --sort state > got
	printf '%s\n' '1|Secure' '2|Non-secure' | diff got -
	rows --sort method > got
	printf '%s\n' '1|VMID' '2|CONTEXTIDR_EL1' | diff got -
	rows --sort vmid > got
	printf '%s\n' '1|5' '2|6' | diff got -
	printf 'sample user 1 1 1 %s 0 1\n' 1000 2000 | "$MKREC" perf.data
	rows --sort el,state,vmid,method > got
	echo '2|-|-|-|interrupt' | diff got -
	for key in el state vmid; do
		rows --sort $key > got
		echo '2|-' | diff got -
	done
	rows --sort method > got
	echo '2|interrupt' | diff got -
}

# diff knows what report knows: each key by itself, and of samples of another event
diff_by_hardware_columns() {
	{
		echo 'type 0x587'
		echo 'comm 1 1 one 1'
		echo 'has 7'
		printf '%s\n' 'hw 0x400100 1 1 1000 0 0x8000000000400100 5 3' \
			'hw 0x400100 1 1 1001 0 0xa000000000400100 5 3' \
			'has 3' 'hw 0 -1 -1 1002 0 0xc000000000400100 0 0' \
			'has 1' 'hw 0 -1 -1 1003 0 0x2000000000400100 0 4'
	} | "$MKREC" perf.data
	printf 'sample user 1 1 1 %s 0 1\n' 1000 2000 | "$MKREC" clock.data
	diff_rows() {
		"$PCSAMPLE" diff --normalize share --all --sort "$@" | grep -v '^#' |
			awk '{ sub(/.* few */, ""); $1 = $1; print }' | sort
	}
	diff_rows vmid perf.data perf.data > got
	printf '%s\n' - 5 'not known' | diff got -
	diff_rows state perf.data perf.data > got
	printf '%s\n' Non-secure Secure | diff got -
	diff_rows el,state,vmid perf.data perf.data > got
	printf '%s\n' 'EL0 Non-secure 5' 'EL1 Non-secure 5' 'EL1 Secure not known' \
		'EL2 Non-secure -' | diff got -
	# Rows with and without the columns are different rows
	diff_rows state,vmid,dso perf.data clock.data > got
	printf '%s\n' '- - [unknown]' 'Non-secure - [unknown]' 'Non-secure 5 [unknown]' \
		'Secure not known [unknown]' | diff got -
	"$PCSAMPLE" diff --normalize share --all --sort state,vmid --json perf.data clock.data > out
	json out 'sorted((r.get("state", ""), str(r.get("vmid", "")), r["old_samples"],
		r["new_samples"]) for r in d["rows"]) == [("", "", 0, 2),
		("Non-secure", "", 1, 0), ("Non-secure", "5", 2, 0), ("Secure", "not known", 1, 0)]'
	"$PCSAMPLE" diff --normalize share --all --json perf.data clock.data > out
	json out 'not any("state" in r or "vmid" in r for r in d["rows"])'
}

# Code that has no VMID, and code whose VMID the registers do not tell
vmid_is_not_known() {
	{
		echo 'type 0x587'
		echo 'comm 1 1 one 1'
		# A guest with the highest VMID; user space and kernel of a host at EL2
		printf '%s\n' 'source 1' 'has 7' 'hw 0 -1 -1 1000 0 0xa000000000400100 0xffff 3' \
			'has 3' 'hw 0x400100 1 1 1001 0 0x8000000000400100 0 2' \
			'hw 0x400100 1 1 1002 0 0xc000000000400100 0 2'
		# Secure EL1 and EL3, a hypervisor, and user space of this host or of a guest
		printf '%s\n' 'has 1' 'hw 0 -1 -1 1003 0 0x2000000000400100 0 4' \
			'hw 0 -1 -1 1004 0 0x6000000000400100 0 4' \
			'has 3' 'hw 0 -1 -1 1005 0 0xc000000000400100 0 0' \
			'has 0x83' 'hw 0x400100 1 1 1006 0 0x8000000000400100 0 0'
		# Debug blocks: guests with EDSCR.SC2 = 1, and a kernel without EL2
		printf '%s\n' 'source 5' 'has 3' 'hw 0 -1 -1 1007 0 0xa000000000400100 0 3' \
			'hw 0 -1 -1 1008 0 0x8000000000400100 0 3' \
			'has 1' 'hw 0x400100 1 1 1009 0 0xa000000000400100 0 1'
		# IMPLEMENTATION DEFINED snapshots: a guest, and user space of a host at EL2
		printf '%s\n' 'source 7' 'has 3' 'hw 0 -1 -1 1010 0 0xa000000000400100 0 3' \
			'hw 0x400100 1 1 1011 0 0x8000000000400100 0 2'
	} | "$MKREC" perf.data
	rows --sort el,state,vmid,method > got
	printf '%s\n' '1|EL0|Non-secure|not known|VMID' '1|EL0|Non-secure|not known|nothing' \
		'1|EL1|Non-secure|-|CONTEXTIDR_EL1' '1|EL1|Non-secure|65535|VMID' \
		'1|EL1|Secure|not known|other world' '1|EL2|Non-secure|-|CONTEXTIDR_EL2' \
		'1|EL2|Non-secure|-|nothing' '1|EL3|Secure|-|other world' \
		'2|EL0|Non-secure|-|CONTEXTIDR_EL2' '2|EL1|Non-secure|not known|VMID' | diff - got
	"$PCSAMPLE" report --sort vmid --json > out
	json out '{r["vmid"]: r["samples"] for r in d["events"][0]["rows"]} == {
		"-": 6, "not known": 5, "65535": 1}'
	"$PCSAMPLE" script -F time,vmid > out
	sed 's/^.*: *//' out > got
	printf '%s\n' 'vmid 65535' '' '' 'vmid not known' '' '' 'vmid not known' 'vmid not known' \
		'vmid not known' '' 'vmid not known' '' | diff - got
	"$PCSAMPLE" script --json > out
	grep -o '"vmid":.*}' out | sort | uniq -c | sed 's/^ *//' > got
	printf '%s\n' '5 "vmid":"not known"}' '1 "vmid":65535}' | diff - got
	"$PCSAMPLE" export -f csv > out
	awk -F, 'NR > 1 { print $11 "," $12 "," $13 }' out | sort -u > got
	printf '%s\n' '0,Non-secure,' '0,Non-secure,not known' '1,Non-secure,' \
		'1,Non-secure,65535' '1,Non-secure,not known' '1,Secure,not known' '2,Non-secure,' \
		'3,Secure,' | diff - got
	"$PCSAMPLE" export -f json > out
	json out '[sum(r["samples"] for r in d["rows"] if r.get("vmid") == vmid)
		   for vmid in (None, "not known", 65535)] == [6, 5, 1]'
	"$PCSAMPLE" export -f html > out
	says out '"el":3,"state":"Secure","weight":1}'
	says out '"el":1,"state":"Secure","vmid":"not known","weight":1}'
}

# Two ids with the same path are one cgroup, as of a service that was restarted. One id is announced
# twice, another one never. perf has one row for each id.
cgroups_by_path() {
	local type

	# After the id there is nothing, or the page size of data or code, or both
	for type in 0x200187 0x600187 0xa00187 0xe00187; do
		{
			echo "type $type"
			printf 'cgroup %s 0\n' '1 /' '4294967299 /a.slice/b' '5 /a.slice/b' \
				'5 /other'
			for cgroup in {1,5,4294967299,6,0}; do
				echo "sample user 0x400100 1 1 1000 0 1 0 $cgroup"
			done
			echo 'sample user 0x400100 1 1 1001 0 1 0 1'
			echo 'cgroup 7 /late 1001'
			echo 'sample user 0x400100 1 1 1002 0 1 0 7'
		} | "$MKREC" perf.data
		rows --sort cgroup > got
		printf '%s\n' '1|/late' '1|N/A' '1|unknown' '2|/' '2|/a.slice/b' | diff got -
	done
	"$PCSAMPLE" report --sort cgroup,pid --json > out
	json out 'sorted((r["cgroup"], r["samples"]) for r in d["events"][0]["rows"]) == [
		("/", 2), ("/a.slice/b", 2), ("/late", 1), ("N/A", 1), ("unknown", 1)]'
	"$PCSAMPLE" diff --normalize share --all --sort cgroup --json perf.data perf.data > out
	json out 'sorted(r["cgroup"] for r in d["rows"]) == [
		"/", "/a.slice/b", "/late", "N/A", "unknown"]'
	perf_rows --sort cgroup -n |
		awk -F '|' '{ n[$2] += $1 } END { for (c in n) print n[c] "|" c }' |
		sort > perf.rows
	diff got perf.rows
}

recording_without_cgroups() {
	local type

	echo 'sample user 0x400100 1 1 1000 0' | "$MKREC" perf.data
	[[ $(rows --sort cgroup) == '1|N/A' ]] || die "$(rows --sort cgroup)"
	# With AUX data or an unknown field at the end, the id cannot be found
	for type in 0x300187 0x2200187; do
		printf '%s\n' "type $type" 'sample user 0x400100 1 1 1000 0 1 0 5' |
			"$MKREC" perf.data
		[[ $(rows --sort cgroup) == '1|N/A' ]] || die "$(rows --sort cgroup)"
	done
}

# Samples of a later event do not change the rows of an earlier one
intervals_of_events() {
	local i at

	for ((i = 0; i < 4000; i++)); do
		at=$((0x400000 + i * 7919 % 4001 % 2 * 0x100000))
		echo "sample user $at 1 1 $((i * 1000)) 0 1 0"
	done > first
	for ((; i < 8000; i++)); do
		echo "sample user 0x400000 1 1 $((i * 1000)) 0 1 1"
	done > second
	{
		echo event 1 0
		printf 'mmap 1 %s 0x1000 0 %s 0\n' 0x400000 /a 0x500000 /b
		cat first second
	} | "$MKREC" perf.data
	"$PCSAMPLE" report --sort dso --json > out
	json out 'len(d["events"]) == 2 and d["events"][0]["samples"] == 4000'
	json out 'all(r["effective_samples"] > 2000 for r in d["events"][0]["rows"])'
}

# snapshots: two programs run for equal times, one of them executes four times as many instructions;
# two samples have no counts
snapshots() {
	# EVENT_DESC, feature 12: one event, with its name; the attributes are those of the header
	python3 - <<-'END'
		import struct
		name = b"arm_pcsample//".ljust(64, b"\0")
		open("event", "wb").write(struct.pack("<II", 1, 128) + bytes(128) +
		    struct.pack("<II", 0, len(name)) + name)
	END
	{
		echo 'type 0x587'
		echo 'blob 12 event'
		echo 'counter 0x21'
		printf 'comm %s\n' '1 1 slow 1' '2 2 fast 1'
		echo 'counts 7 7 7'
		echo 'hw 0x400100 1 1 900 0 0x8000000000400100 0 1 1000'
		for i in {1..40}; do
			echo 'has 0x3c'
			echo "counts 1000 $((i % 2 ? 400 : 1600)) $((i % 2 ? 30 : 10))"
			echo "hw 0x400100 $((2 - i % 2)) $((2 - i % 2)) $((i * 1000)) 0" \
				"0x8000000000400100 0 1 1000"
		done
		echo 'has 4'
		echo 'hw 0x400100 2 2 50000 0 0x8000000000400100 0 1 1000'
	} | "$MKREC" perf.data
}

# shares OPTION...: print the share of each command in the report
shares() {
	"$PCSAMPLE" report -q -t '|' --sort comm "$@" |
		awk -F '|' '!/^#/ { gsub(/ /, ""); print $1, $NF }' | sort
}

weighed_by_counts() {
	local event keys

	snapshots
	shares > got
	printf '%s\n' '50.00% fast' '50.00% slow' | diff got -
	shares --weight cycles > got
	printf '%s\n' '50.00% fast' '50.00% slow' | diff got -
	shares --weight instructions > got
	printf '%s\n' '20.00% slow' '80.00% fast' | diff got -
	for event in 0x21 r21 33; do
		shares --weight "$event" > got
		printf '%s\n' '25.00% fast' '75.00% slow' | diff got -
	done
	"$PCSAMPLE" report --sort comm --weight instructions > out
	grep '^# Weight:    instructions since the previous sample; 2 samples have no count$' out
	"$PCSAMPLE" report --sort comm --weight instructions --json > out
	json out '[(r["comm"], r["samples"], r["period"]) for r in d["events"][0]["rows"]] == [
		("fast", 21, 32000), ("slow", 21, 8000)]'
	json out '(d["events"][0]["weight"], d["events"][0]["uncounted"]) == ("instructions", 2)'
	# The weight of samples does not depend on the keys of --sort.
	for keys in dso,sym comm,cpu comm,el,cgroup; do
		"$PCSAMPLE" report --sort "$keys" --weight instructions --json > out
		json out 'sum(r["period"] for r in d["events"][0]["rows"]) == 40000'
	done
}

# Process 1 has no counts, and process 2 has: those of its samples that --pid leaves out do not make
# its own uncounted
counts_of_one_process() {
	local i pids

	{
		echo 'type 0x587'
		echo 'counter 0x21'
		for i in {1..20}; do
			printf '%s\n' 'has 0x3c' 'counts 1000 400 10' \
				"hw 1 2 2 $((i * 2000)) 0 0x8000000000000001 0 1 1000" 'has 4' \
				"hw 1 1 1 $((i * 2000 + 9)) 0 0x8000000000000001 0 1 1000"
		done
	} | "$MKREC" perf.data
	for pids in '--pid 2' '--pid 2 --percentage relative'; do
		# shellcheck disable=SC2086 # words
		"$PCSAMPLE" report --sort pid --weight instructions $pids > out
		says out '; 0 samples have no count'
		says out ' 100.00%'
	done
	status 2 "$PCSAMPLE" report --sort pid --weight instructions --pid 1 2> said
	says said 'no sample has such a count'
}

# Of two events one has counts: those of the other are not shown, and not uncounted
counts_of_one_event() {
	local i

	{
		echo 'type 0x587'
		echo 'event 1 0'
		echo 'counter 0x21'
		echo 'has 0x3c'
		echo 'counts 1000 400 10'
		for i in {1..60}; do
			echo "hw 0x400100 1 1 $((i * 1000)) 0 0x8000000000400100 0 1 1000"
			echo "sample user 0x400200 2 2 $((i * 1000 + 9)) 0 1000 1"
		done
	} | "$MKREC" perf.data
	"$PCSAMPLE" report --sort pid --weight instructions > out
	[ "$(grep -c '^# Weight: .*; 0 samples have no count' out)" = 1 ] || die "$(< out)"
	says out '# Not shown: 60 samples of cpu-clock, which has no such counts'
	[ "$(grep -c '^ .*%' out)" = 1 ] || die "$(< out)"
	"$PCSAMPLE" report --sort pid --weight instructions --json > out
	json out '[(e["samples"], e["uncounted"]) for e in d["events"]] == [(60, 0)]'
	json out 'any("60 samples of cpu-clock" in line for line in d["not_shown"])'
	status 2 "$PCSAMPLE" report --sort pid --weight instructions --pid 2 2> said
	says said 'no sample has such a count'
}

# script has the counts of each sample, and exports to tables have their sums. Other commands say
# where the counts are shown.
counts_are_shown() {
	local where="counts since the CPU's previous sample were recorded with arm_pcsample//"

	snapshots
	"$PCSAMPLE" script -F comm,counts > out 2> said
	[ ! -s said ]
	[ "$(grep -c 'slow *cycles 1000 instructions 400 0x21 30$' out)" = 20 ]
	[ "$(grep -c 'fast *cycles 1000 instructions 1600 0x21 10$' out)" = 20 ]
	[ "$(grep -c '\(slow\|fast\) *$' out)" = 2 ]
	"$PCSAMPLE" script 2>&1 > out | grep -F "$where"
	"$PCSAMPLE" script --json > out 2> said
	[ ! -s said ]
	[ "$(grep -c '"cycles":1000,"instructions":1600,"counted":10}' out)" = 20 ]
	[ "$(grep -c '"cycles"' out)" = 40 ]

	"$PCSAMPLE" report > out
	says out "$where"
	"$PCSAMPLE" report --weight cycles > out
	[ "$(grep -cF "$where" out)" = 0 ]
	"$PCSAMPLE" export -f csv > out 2> said
	[ ! -s said ]
	grep -q ',cycles,instructions,counted$' out
	[ "$(grep -o 'slow,1,1,.*' out | cut -d , -f 12-)" = 20000,8000,600 ]
	[ "$(grep -o 'fast,2,2,.*' out | cut -d , -f 12-)" = 20000,32000,200 ]
	"$PCSAMPLE" export -f json > out 2> said
	[ ! -s said ]
	json out '[(r["comm"], r["cycles"], r["instructions"], r["counted"])
		for r in d["rows"]] == [("slow", 20000, 8000, 600), ("fast", 20000, 32000, 200)]'
	"$PCSAMPLE" export -f folded 2>&1 > out | grep -F "$where"

	# Without counts the columns are empty, and JSON has no such members
	echo 'sample user 0x400100 1 1 1000 0' | "$MKREC" perf.data
	"$PCSAMPLE" export -f csv > out
	[ "$(sed -n 2p out | grep -o ',,,$')" = ,,, ]
	"$PCSAMPLE" export -f json > out
	[ "$(grep -c instructions out)" = 0 ]
	! "$PCSAMPLE" script -F comm,counts 2> said || false
	says said 'no sample is a PMU snapshot; arm_pcsample/snapshot=1/ records those'
}

# fails STATUS TEXT OPTION...: what report says if --weight names no weight, or one without data
fails() {
	local status=$1 text=$2 got=0

	shift 2
	"$PCSAMPLE" report "$@" > out 2> said || got=$?
	[[ $got = "$status" ]] || die "status $got: $(cat said)"
	grep -F -e "$text" said
}

weights_there_are_not() {
	snapshots
	fails 129 "not 'time'" --weight time
	fails 129 "not '0'" --weight 0
	fails 129 "not 'r'" --weight r
	fails 129 "not '0x10000'" --weight 0x10000
	fails 129 'branches have no weight' -b --weight cycles
	fails 1 'counter=0x8/ counts it' --weight r8
	echo 'sample user 0x400100 1 1 1000 0' | "$MKREC" perf.data
	fails 2 'no sample has such a count' --weight cycles
}

# Objects with functions of the same names, at the same and at other offsets: the rows are perf's,
# each with its object
functions_of_one_name() {
	local file f i long=0x40

	for file in a b; do
		cat > $file.s <<-END
			.globl first, second
			.type first, %function
			.type second, %function
			first: .space 0x40
			.size first, 0x40
			second: .space $long
			.size second, $long
		END
		long=0x48
		gcc -shared -nostdlib -Wl,--build-id=none -o $file.so $file.s
	done
	f=$((16#$(nm a.so | awk '$3 == "first" { print $1 }')))
	{
		echo 'comm 1 1 one 1'
		echo "mmap 1 0x400000 0x10000 0 $PWD/a.so 1"
		echo "mmap 1 0x500000 0x10000 0 $PWD/b.so 1"
		for i in 0x400000 0x400001 0x400002 0x400003 0x400041 0x500000 0x500001 0x500040 \
			0x500041; do
			echo "sample user $((f + i)) 1 1 1000 0 1000"
		done
	} | "$MKREC" perf.data
	rows --sort sym > got
	printf '%s|%s|%s\n' 1 '[.] second' a.so 2 '[.] first' b.so 2 '[.] second' b.so \
		4 '[.] first' a.so | diff got -
	rows --sort dso,sym > by_dso
	printf '%s|%s|%s\n' 1 a.so '[.] second' 2 b.so '[.] first' 2 b.so '[.] second' \
		4 a.so '[.] first' | diff by_dso -
	rows --sort sym -S first,second | diff got -
	rows --sort sym,comm -F comm,sym | sed 's/|one//' | diff got -
	# If all rows are of one object, there is no column of objects
	rows --sort sym --percentage relative -d a.so > one
	printf '%s|%s\n' 1 '[.] second' 4 '[.] first' | diff one -
	cut -d '|' -f 1,2 got | tr -d ' ' > ours
	perf_rows -n --sort sym > theirs
	diff ours theirs
}

# --pid and --tid leave rows out, but shares remain those of all samples; -C and --time change both
shares_of_tasks() {
	local option

	{
		printf 'comm %s\n' '1 1 one 1' '1 2 two 1' '3 3 three 1'
		for i in {1..40}; do
			set -- '1 1' '1 2' '3 3' '1 2'
			shift $((i % 4))
			echo "sample user 0x400100 $1 $((i * 1000)) $((i / 3 % 2)) $((i * i))"
		done
	} | "$MKREC" perf.data
	for option in '--pid 1' '--tid 2' '--tid 2,3' '--pid 1 --tid 2' '--pid 9 --tid 2,3' \
		'--tid 2 --percentage relative' '--tid 1 --percentage absolute'; do
		# shellcheck disable=SC2086 # words
		"$PCSAMPLE" report -q -t '|' --sort comm $option 2> said |
			awk -F '|' '!/^#/ { print $1 "|" $3 "|" $4 }' > got || :
		[[ -s got || $option == *9* ]] || die "$option: $(< said)"
		command -v perf > /dev/null || continue
		# shellcheck disable=SC2086 # words
		perf report -i perf.data --stdio -t '|' -n --sort comm $option 2> said |
			awk -F '|' '!/^#/ && NF == 3 { gsub(/ /, ""); print }' > theirs
		diff got theirs || die "$option"
	done
	"$PCSAMPLE" report --threads 1 --tid 2 > one
	"$PCSAMPLE" report --threads 3 --tid 2 | diff one -
	says one '# Samples:   40 of '
	"$PCSAMPLE" report --tid 2 -C 1 > one
	says one '# Samples:   20 of '
	"$PCSAMPLE" report --tid 2 --json > out
	json out '[r["samples"] for r in d["events"][0]["rows"]] == [20]'
	status 2 "$PCSAMPLE" report --tid 9 2> said
	says said 'none of 40 is of these CPUs, processes'
}

# A row of --sort pid is a process here, and a thread in perf
pid_of_perf() {
	{
		printf 'comm %s\n' '1 1 one 1' '1 2 two 1' '3 3 three 1'
		for i in '1 1' '1 2' '1 2' '3 3' '3 3' '3 3' '3 3'; do
			echo "sample user 0x400100 $i 1000 0 1"
		done
	} | "$MKREC" perf.data
	rows --sort pid > got
	printf '%s\n' '3|1' '4|3' | diff got -
	for key in pid sym,pid,comm; do
		"$PCSAMPLE" report --sort $key > out
		says out "# Pid:       of the process; perf's pid is --sort tid,comm"
	done
	for key in tid pid,tid comm; do
		"$PCSAMPLE" report --sort $key > out
		! grep '^# Pid:' out || die "$key"
	done
	rows --sort tid,comm | tr '|' ':' > got
	printf '%s\n' 1:1:one 2:2:two 4:3:three | diff got -
	perf_rows -n --sort pid | tr '|' ':' > theirs
	diff got theirs
}

tap functions_of_one_name shares_of_tasks pid_of_perf weighed_by_counts counts_of_one_process \
	counts_of_one_event counts_are_shown \
	weights_there_are_not total_period separators_are_not_in_names \
	names_cannot_control_a_terminal events_cannot_control_a_terminal \
	intervals_of_events el_is_not_known vmid_is_not_known hardware_columns_alone \
	diff_by_hardware_columns cgroups_by_path recording_without_cgroups
