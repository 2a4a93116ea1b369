#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each option of perf works with perf's meaning, or is answered by a message: commands/habits.tbl.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
LIST=$top/commands/habits.tbl

# rows KIND: print COMMAND|LETTER|NAME|ARGUMENT|KIND|TEXT, one a line
rows() {
	"$top/commands/habits.sh" rows "$LIST" |
		awk -F '|' -v kind="$1" '$1 != "keys" && $1 != "fields" && $5 == kind'
}

keys() {
	"$top/commands/habits.sh" rows "$LIST" | awk -F '|' '$1 == "keys" { print $3 }'
}

recording() {
	{
		printf 'comm 1 1 one 1\ncomm 2 2 two 1\n'
		printf 'mmap 1 0x400000 0x1000 0 /x/prog 1\nmmap 2 0x400000 0x1000 0 /x/other 1\n'
		printf 'kernel 0xffff800080000000 0x100000 0xffff800080000000 %s 0\n' \
			'[kernel.kallsyms]_text'
		for i in {0..9}; do
			t=$((1000000000 + 4000001 * i))
			echo "sample user 0x400100 1 1 $t 0 1000"
			echo "sample kernel 0xffff800080000010 2 2 $((t + 2000)) 0 3000"
		done
	} | "$MKREC" perf.data
	printf '%s\n' 'ffff800080000000 T _text' 'ffff800080000010 T handle_irq' \
		'ffff800080100000 T _end' > kallsyms
	cp perf.data perf.data.old
}

# Each option that the installed perf prints as "-x, --name" is in the list, with its letter
list_has_perfs_options() {
	local command letter name unknown=0

	need_perf
	"$top/commands/habits.sh" rows "$LIST" > all
	for command in report script annotate diff; do
		perf "$command" -h > help 2>&1 || true
		sed -nE 's/^ {4}(-(.), | {4})--([a-z0-9-]+).*/\2|\3/p' help > options
		[[ $(wc -l < options) -ge 20 ]] || skip "perf $command has no help"
		while IFS='|' read -r letter name; do
			awk -F '|' -v c="$command" -v l="$letter" -v n="$name" '
				$1 == c && $2 == l { letter = 1 }
				$1 == c && $3 == n { name = 1 }
				END { exit !(name && (letter || l == "")) }' all && continue
			echo "perf $command: ${letter:+-$letter, }--$name is not in habits.tbl"
			unknown=1
		done < options
	done
	[[ $unknown == 0 ]]
}

options_that_are_here() {
	"$PCSAMPLE" completion --json > here.json
	{ rows here; rows other; rows always; } > wanted
	[[ $(wc -l < wanted) -gt 50 ]]
	python3 - <<-'END'
		import json, sys
		have = {c["name"]: c["options"] for c in json.load(open("here.json"))["commands"]}
		missing = []
		for line in open("wanted"):
		    command, letter, name, argument = line.split("|")[:4]
		    if not any((not letter or o.get("letter") == letter) and
		               (not name or o["name"] in (name, "no-" + name)) and
		               ("argument" in o) == bool(argument) for o in have[command]):
		        missing.append(line)
		sys.exit("".join(missing) or 0)
	END
}

# The answer is one line, with the text of the list
others_are_answered() {
	local command letter name argument kind text

	rows use > wanted
	[[ $(wc -l < wanted) -gt 80 ]]
	while IFS='|' read -r command letter name argument kind text; do
		if [[ -n $name ]]; then
			status 129 "$PCSAMPLE" "$command" "--$name${argument:+=1}" > out 2> said
		else
			status 129 "$PCSAMPLE" "$command" "-$letter" > out 2> said
		fi
		[[ $(< said) == "pcsample $command: -"*": $text" ]] || die "$kind: $(< said)"
		[[ ! -s out ]]
	done < wanted
}

# Each key that the installed perf sorts by is a column, or is answered by one line
keys_are_columns_or_answered() {
	local key text option

	recording
	keys > answered
	[[ $(wc -l < answered) -gt 40 ]]
	while IFS='|' read -r _ _ key _ _ text; do
		"$PCSAMPLE" report --sort "$key" > out 2> said < /dev/null &&
			die "$key is a column"
		[[ $(< said) == "pcsample report: --sort $key: $text" ]] || die "$key: $(< said)"
	done < <("$top/commands/habits.sh" rows "$LIST" | grep '^keys|')
	perf report -h > help 2>&1 || true
	sed -n '/sort by key(s)/,/^ *-/p' help | sed 's/.*key(s)://; /^ *-/d' |
		tr -s ' \t' '\n' | grep . > perfs || skip "perf lists no keys"
	for key in $(< perfs); do
		grep -qx "$key" answered && continue
		case $key in
		mispredict|abort|in_tx|cycles|*_from|*_to)
			"$PCSAMPLE" report -b --sort "$key" > out 2> said || true
			says said 'branch stacks, and it has none'
			;;
		trace|overhead_children)
			;;
		*)
			for option in --fields --sort; do
				"$PCSAMPLE" report $option "$key,comm" > out 2> said ||
					die "$key: $(< said)"
			done
			;;
		esac
	done
}

# Each field that the installed perf prints is a field, or is answered by one line
fields_are_printed_or_answered() {
	local field text

	recording
	"$top/commands/habits.sh" rows "$LIST" | grep '^fields|' > list
	[[ $(wc -l < list) -gt 20 ]]
	while IFS='|' read -r _ _ field _ _ text; do
		status 129 "$PCSAMPLE" script -F "+$field" > out 2> said
		[[ $(< said) == "pcsample script: -F $field: $text" ]] || die "$field: $(< said)"
	done < list
	status 129 "$PCSAMPLE" script -F trace:comm,trace 2> said
	says said '-F trace:comm: one list is for all events'
	perf script -h > help 2>&1 || true
	tr -d '\n' < help | tr -s ' ' | sed -n 's/.*Fields: \([a-z_,-]*\).*/\1/p' |
		tr ',' '\n' > perfs
	[[ -s perfs ]] || skip "perf lists no fields"
	for field in $(< perfs); do
		! grep -q "^fields||$field|" list || continue
		"$PCSAMPLE" script -F "$field" > out 2> said || [[ $? != 129 ]] ||
			die "$field: $(< said)"
	done
}

# A field that no sample has is not an empty column: it is an error if the user names it
fields_that_are_not_recorded() {
	local field

	printf 'type 0x3\nsample user 0x400100 1 1 5 0\nsample user 0x400200 1 1 6 0\n' |
		"$MKREC" perf.data
	for field in cpu time cgroup el state vmid brstack; do
		status 1 "$PCSAMPLE" script -F "comm,$field" > out 2> said
		[[ $(< said) == 'pcsample script: perf.data: '*$field* ]] || die "$field: $(< said)"
		[[ ! -s out ]]
	done
	status 1 "$PCSAMPLE" script --reltime > out 2> said
	says said '-F time: no sample has its time'
	"$PCSAMPLE" script > out
	[[ $(head -n 1 out) =~ ^' '+':1     1       1000 cpu-clock:            400100 ' ]] ||
		die "$(< out)"
	"$PCSAMPLE" script -F tid,trace > out 2> said
	says said 'not shown: -F trace: no event is a tracepoint'
	[[ $(wc -l < out) == 2 ]]
	"$PCSAMPLE" script --json | head -n 1 > out.json
	json out.json '"time_ns" not in d'
}

# accepts COMMAND OPTION...: the options do not change the output
accepts() {
	local command=$1

	shift
	"$PCSAMPLE" "$command" > plain
	"$PCSAMPLE" "$command" "$@" > out || die "$command $*"
	cmp plain out
}

rest_is_accepted() {
	local command options letter name argument text

	recording
	for command in report script diff; do
		mapfile -t options < <(rows 'done' | awk -F '|' -v c="$command" \
			'$1 == c { print $3 != "" ? "--" $3 : "-" $2 }')
		[[ ${#options[@]} -ge 2 ]]
		accepts "$command" "${options[@]}"
		# What is refused is accepted in its --no- form
		mapfile -t options < <(rows use | awk -F '|' -v c="$command" \
			'$1 == c && $3 != "" { print "--no-" $3 }')
		accepts "$command" "${options[@]}"
	done
	# And what is so anyway is refused in its --no- form
	{ rows 'done'; rows always; } | grep -v '^[a-z]*|[^|]*||' > wanted
	[[ $(wc -l < wanted) -gt 15 ]]
	while IFS='|' read -r command letter name argument _ text; do
		status 129 "$PCSAMPLE" "$command" "--no-$name" 2> said
		[[ $(< said) == "pcsample $command: --no-$name: $text" ]] || die "$(< said)"
	done < wanted
	# Single letters are accepted as well
	accepts report -fmn
}

# An argument of an option, with which the output of most commands is another one
example_of() {
	case $1 in
	call-graph) echo callee ;;
	comms) echo one ;;
	cpu|pid|tid) echo 1 ;;
	disassembler-style) echo intel ;;
	dsos) echo prog ;;
	field-separator) echo ',' ;;
	fields) echo comm ;;
	input) echo 'other.data' ;;
	kallsyms) echo kallsyms ;;
	max-stack) echo 1 ;;
	percent-limit) echo 80 ;;
	percentage) echo relative ;;
	sort) echo cpu ;;
	symbol|symbols) echo main ;;
	symfs) echo '/proc/self/fd' ;;
	time) echo '0%-50%' ;;
	vmlinux) echo '/dev/null' ;;
	*) die "no example of --$1" ;;
	esac
}

# --no-NAME takes back what --NAME said, and --NAME what --no-NAME said
negations_take_back() {
	local command letter name argument kind text option last

	recording
	rows here | grep -v '^[a-z]*|[^|]*||' > wanted
	[[ $(wc -l < wanted) -gt 50 ]]
	for command in report script annotate diff; do
		"$PCSAMPLE" "$command" --kallsyms kallsyms > "plain.$command"
	done
	while IFS='|' read -r command letter name argument kind text; do
		last=--no-$name
		case $name in
		# Here, --no-NAME is in the manual, and has an effect of its own
		demangle|inline|source|children)
			option=--no-$name last=--$name
			[[ $name != children ]] || continue
			;;
		*)
			option=--$name
			;;&
		*)
			[[ -z $argument ]] || option="$option=$(example_of "$name")"
			;;
		esac
		"$PCSAMPLE" "$command" "$option" "$last" --kallsyms kallsyms > out 2> said ||
			die "$command $option $last: $(< said)"
		diff "plain.$command" out || die "$command $option $last"
		[[ ! -s said ]] || die "$command $option $last: $(< said)"
	done < wanted
	# Later options count, and letters are taken back, too
	"$PCSAMPLE" report -qt, -F comm -nU --no-hide-unresolved --no-sort -b --no-branch-stack \
		--no-fields --sort comm | cut -d, -f4- > out
	printf '%s\n' two one | diff - out
	"$PCSAMPLE" report -c one --no-percentage --percentage relative -qt, -s comm > out
	says out 100.00%
	status 129 "$PCSAMPLE" report --no-header=yes 2> said
	# As in perf, an abbreviation will do
	accepts report --show-nr --no-show-i
	status 129 "$PCSAMPLE" report --no-head 2> said
	says said "'--no-header' '--no-header-only'"
}

# perf says nothing else of --no-NAME than of --name
no_negation_is_unknown() {
	local command letter name argument kind text

	mkdir empty
	cd empty
	"$top/commands/habits.sh" rows "$LIST" > ../all
	while IFS='|' read -r command letter name argument kind text; do
		[[ $command != keys && $command != fields && -n $name ]] || continue
		"$PCSAMPLE" "$command" "--no-$name" > ../out 2> ../said < /dev/null || true
		[[ $(< ../said) != *unrecognized* ]] || die "$command: $(< ../said)"
	done < ../all
}

# Below another directory than /, nothing of the running kernel is used
symfs_is_the_only_place() {
	local release arch

	release=$(uname -r) arch=$(uname -m)
	recording
	[[ $EUID == 0 && $(grep -cv '^0* ' /proc/kallsyms) -gt 1000 ]] ||
		skip "no kernel symbols here"
	awk '$3 == "_text" { print $1 }' /proc/kallsyms > start
	{
		printf 'comm 1 1 one 1\nkernel 0x%s 0x100000 0x%s %s 0\n' \
			"$(< start)" "$(< start)" '[kernel.kallsyms]_text'
		echo "sample kernel 0x$(< start) 1 1 1000 0 1000"
		printf 'feature 4 %s\nfeature 6 %s\n' "$release" "$arch"
	} | "$MKREC" perf.data
	"$PCSAMPLE" report --sort sym > out
	[[ $(grep -c 'unknown' out) == 0 ]] || die "the kernel that runs has no names: $(< out)"
	mkdir root
	"$PCSAMPLE" report --sort sym --symfs root > out
	says out '[k] [unknown]'
	says out '# Note:      --symfs looks only below its directory: no kernel symbols'
	"$PCSAMPLE" report --sort sym --symfs root,hierarchy > hierarchy
	diff out hierarchy
	status 129 "$PCSAMPLE" report --symfs root,flat 2> said
	says said '--symfs root,flat: files are looked for below the directory at their full paths'
	# As pcsample also takes the files of this machine with it
	"$PCSAMPLE" report --sort sym --symfs / > out
	[[ $(grep -c 'unknown' out) == 0 ]] || die "--symfs /: $(< out)"
	# What pcsample archive packs
	echo "$(< start) T packed" > root/kallsyms
	"$PCSAMPLE" report --sort sym --symfs root > out
	says out '[k] packed'
}

# Who records no kernel, as perf does for an ordinary user, need not be told why it has no symbols
kernel_that_is_not_sampled() {
	need_perf
	mkdir root
	perf record -q -e cpu-clock:u -o user.data -- "$BUSY" 0.1
	"$PCSAMPLE" report -i user.data --symfs root > out
	! grep 'no kernel symbols' out || die "$(< out)"
	need_whole_cpus
	perf record -q -e cpu-clock:u,cpu-clock -o both.data -- "$BUSY" 0.1
	"$PCSAMPLE" report -i both.data --symfs root > out
	says out 'no kernel symbols'
}

fields_are_columns() {
	recording
	"$PCSAMPLE" report -q -t, --kallsyms kallsyms -F overhead,sample,sym,period,comm |
		cut -d, -f1,3- > out
	printf '%s\n' '75.00%,10,30000,[k] handle_irq,two' '25.00%,10,10000,[.] [unknown],one' |
		diff - out
	"$PCSAMPLE" report -q -t, --kallsyms kallsyms -F sym -s comm,sym | cut -d, -f4- > out
	printf '%s\n' '[k] handle_irq,two' '[.] [unknown],one' | diff - out
	"$PCSAMPLE" report -q -t, -s overhead,comm | cut -d, -f4- > out
	printf '%s\n' two one | diff - out
	# With a + they are added to the default keys
	{
		"$PCSAMPLE" report -q -t, --kallsyms kallsyms -s +pid
		"$PCSAMPLE" report -q -t, --kallsyms kallsyms -F +period,tid
		"$PCSAMPLE" report -q -t, -s comm -F +period --percent-limit 30%
	} | cut -d, -f1,3- > out
	printf '%s\n' '75.00%,10,two,[kernel.kallsyms],[k] handle_irq,2' \
		'25.00%,10,one,prog,[.] [unknown],1' \
		'75.00%,10,30000,two,[kernel.kallsyms],[k] handle_irq,2' \
		'25.00%,10,10000,one,prog,[.] [unknown],1' '75.00%,10,30000,two' | diff - out
	status 129 "$PCSAMPLE" report -F overhead 2> said
	# Spaces separate keys, too
	"$PCSAMPLE" report -q -t, -s 'comm, pid' -F ' sample,  tid' | cut -d, -f3- > out
	printf '%s\n' 10,2,two,2 10,1,one,1 | diff - out
	"$PCSAMPLE" diff --all -s 'dso, comm' --json > out.json
	json out.json 'sorted((r["dso"], r["comm"]) for r in d["rows"]) == [
		("[kernel.kallsyms]", "two"), ("prog", "one")]'
	# --sort takes columns of numbers, too
	"$PCSAMPLE" report -q -t, -s sample,comm,period | cut -d, -f3- > out
	printf '%s\n' 10,30000,two 10,10000,one | diff - out
	status 129 "$PCSAMPLE" report -s sample 2> said
}

unresolved_are_hidden() {
	recording
	"$PCSAMPLE" report -q -t, -U --kallsyms kallsyms | cut -d, -f1,4- > out
	echo '75.00%,two,[kernel.kallsyms],[k] handle_irq' | diff - out
	"$PCSAMPLE" report -U --kallsyms kallsyms > out
	says out '# Hidden:    code without names; shares count it, unlike perf'
	"$PCSAMPLE" report --kallsyms kallsyms > out
	! grep '^# Hidden' out || die "nothing is"
}

# If rows are selected by several names, the names are a column: else rows would look alike. A
# single name is not a column, as in perf.
what_chooses_is_a_column() {
	recording
	chosen() {
		"$PCSAMPLE" report -q -t, --kallsyms kallsyms "$@" | cut -d, -f1,4-
	}
	chosen -s pid -c one,two > out
	printf '%s\n' '75.00%,2,two' '25.00%,1,one' | diff - out
	{
		chosen -s comm -c one
		chosen -s comm -d 'prog,[kernel.kallsyms]'
		chosen -s comm -S handle_irq
		chosen -s comm -U
	} > out
	printf '%s\n' '25.00%,one' '75.00%,two,[kernel.kallsyms]' '25.00%,one,prog' \
		'75.00%,two' '75.00%,two,[k] handle_irq' | diff - out
	chosen -s comm -d prog > out
	echo '25.00%,one' | diff - out
}

# If several objects have the selected name, the object is a column, with a distinct text for each
objects_of_one_name() {
	{
		printf 'comm %d %d one 1\n' 1 1 2 2 3 3
		printf 'mmap 1 0x400000 0x1000 0 /x/prog 1\n'
		printf 'mmap 2 0x400000 0x1000 0 /y/prog 1 %s\n' \
			1234567890abcdef1234567890abcdef12345678
		printf 'mmap 3 0x400000 0x1000 0 /y/prog 1 %s\n' \
			abcdef1234567890abcdef1234567890abcdef12
		printf 'kernel 0xffff800080000000 0x100000 0xffff800080000000 %s 0\n' \
			'[kernel.kallsyms]_text'
		printf 'kernel 0xffff8000%d000000 0x1000 0 [mod_%s] 0\n' 90 a 91 b
		for i in 1 2 3 1 2 1; do
			echo "sample user 0x400100 $i $i 1000 0 1000"
		done
		for i in 90 91 91 91 91 91 91 91 91 91; do
			echo "sample kernel 0xffff8000${i}000010 1 1 1000 0 1000"
		done
	} | "$MKREC" perf.data
	printf '%s\n' 'ffff800080000000 T _text' 'ffff800080100000 T _end' \
		'ffff800090000000 t poll_it	[mod_a]' 'ffff800090000800 t other	[mod_a]' \
		'ffff800091000000 t poll_it	[mod_b]' > kallsyms
	chosen() {
		"$PCSAMPLE" report -q -t, --kallsyms kallsyms "$@" 2> said | cut -d, -f3-
	}
	chosen -s comm,sym -d prog > out
	printf '%s\n' '3,one,[.] [unknown],/x/prog' \
		'2,one,[.] [unknown],/y/prog (build id 12345678)' \
		'1,one,[.] [unknown],/y/prog (build id abcdef12)' | diff - out
	chosen -d prog > out
	printf '%s\n' '3,one,/x/prog,[.] [unknown]' \
		'2,one,/y/prog (build id 12345678),[.] [unknown]' \
		'1,one,/y/prog (build id abcdef12),[.] [unknown]' | diff - out
	# The same without -d, if rows would look alike
	chosen > out
	printf '%s\n' '9,one,[mod_b],[k] poll_it' '3,one,/x/prog,[.] [unknown]' \
		'2,one,/y/prog (build id 12345678),[.] [unknown]' \
		'1,one,/y/prog (build id abcdef12),[.] [unknown]' '1,one,[mod_a],[k] poll_it' |
		diff - out
	chosen -F sample,pid,sym > out
	printf '%s\n' '9,1,[k] poll_it,[mod_b]' '3,1,[.] [unknown],prog' '2,2,[.] [unknown],prog' \
		'1,3,[.] [unknown],prog' '1,1,[k] poll_it,[mod_a]' > want
	sed 's/,[^,]*prog.*/,prog/' out | diff want -
	# Without symbols, objects of the same name are one row, as in perf
	chosen -s dso > out
	printf '%s\n' '9,[mod_b]' '6,prog' '1,[mod_a]' | diff - out
	# The column is as wide as its longest text
	"$PCSAMPLE" report -q --kallsyms kallsyms -d prog > table
	awk '!/^#/ { print index($0, "[.] [unknown]") }' table | sort -u > out
	[[ $(wc -l < out) == 1 && $(< out) -gt 60 ]] || die "$(< table)"
	chosen -s comm,sym -d /x/prog > out
	echo '3,one,[.] [unknown]' | diff - out
	chosen -s comm -S poll_it > out
	printf '%s\n' '9,one,[mod_b]' '1,one,[mod_a]' | diff - out
	chosen -s sym -S poll_it > out
	printf '%s\n' '9,[k] poll_it,[mod_b]' '1,[k] poll_it,[mod_a]' | diff - out
	chosen -s comm -d '[mod_a]' -S poll_it > out
	echo '1,one' | diff - out
	"$PCSAMPLE" report --kallsyms kallsyms -s comm -S poll_it --json > out.json 2> said
	json out.json '[r["dso"] for r in d["events"][0]["rows"]] == ["[mod_b]", "[mod_a]"]'
}

percentage_is_relative() {
	recording
	"$PCSAMPLE" report -q -t, -s comm -c one --percentage absolute | cut -d, -f1 > out
	"$PCSAMPLE" report -q -t, -s comm -c one --percentage relative | cut -d, -f1 >> out
	printf '%s\n' 25.00% 100.00% | diff - out
	status 129 "$PCSAMPLE" report --percentage some 2> said
	status 129 "$PCSAMPLE" report --percentage relative -S main 2> said
}

# Times as perf script prints them
times_of_script() {
	recording
	times() {
		"$PCSAMPLE" script -F time,ip "$@" | awk '{ print $1 }' | head -n 4 | tr '\n' ' '
	}
	[[ $(times) == '1.000000: 1.000002: 1.004000: 1.004002: ' ]]
	[[ $(times --ns) == '1.000000000: 1.000002000: 1.004000001: 1.004002001: ' ]]
	[[ $(times --reltime) == '0.000000: 0.000002: 0.004000: 0.004002: ' ]]
	[[ $(times --deltatime --ns) == '0.000000000: 0.000002000: 0.003998001: 0.000002000: ' ]]
	status 129 "$PCSAMPLE" script --reltime --deltatime 2> said
}

# perf diff has other short options than the other commands
letters_of_diff() {
	recording
	"$PCSAMPLE" diff -C two --json > out
	json out 'd["old"]["samples"] == 10'
	"$PCSAMPLE" diff --cpu 0 --json > out
	json out 'd["old"]["samples"] == 20'
	status 129 "$PCSAMPLE" diff -c delta 2> said
	says said '--normalize=share compares shares'
}

# As perf does without -i, commands read a recording that is piped in, and no older perf.data
piped_recordings() {
	local command

	recording
	mv perf.data earlier
	printf 'pipe\ncomm 1 1 piped 1\nmmap 1 0x400000 0x1000 0 /x/prog 1\n%s\n' \
		'sample user 0x400100 1 1 5 0 1000' | "$MKREC" piped
	for command in 'report -s comm' 'script -F comm' 'export -f folded'; do
		# shellcheck disable=SC2002,SC2086 # a pipe; words
		cat piped | "$PCSAMPLE" $command > out 2> said
		says out piped
		[[ ! -s said ]] || die "$(< said)"
	done
	cp earlier perf.data
	# shellcheck disable=SC2002
	cat piped | "$PCSAMPLE" report -s comm > out
	says out piped
	# shellcheck disable=SC2002
	cat piped | dd bs=1 2> said | "$PCSAMPLE" report -s comm > out
	says out piped
	"$PCSAMPLE" report -s comm -i perf.data > out < <(cat piped)
	says out two
	# In the loop of a script the pipe is the script's, which has all of it
	printf '%s\n' one two nobody nobody | while read -r word; do
		status 0 "$PCSAMPLE" report -q -t, -s comm > row 2> said
		cut -d, -f4 row | grep -x "$word" || true
		says said 'pcsample report: no recording is piped in: reading perf.data'
	done > out
	printf '%s\n' one two | diff - out
	rm perf.data
	status 1 "$PCSAMPLE" report 2> said < /dev/null
	[[ $(< said) == 'pcsample report: perf.data: No such file or directory' ]]
}

page_has_the_list() {
	local page=$top/Documentation/pcsample-for-perf-users.7.scd.in command

	need scdoc
	"$top/commands/habits.sh" page "$page" "$LIST" > page.scd
	scdoc < page.scd > page 2> complaints
	[[ ! -s complaints ]] || die "$(< complaints)"
	for command in report script annotate diff; do
		says page "perf $command"
	done
	! grep -n '^@' page.scd || die "a table is missing"
	[[ $(grep -c '^|' page.scd) == $("$top/commands/habits.sh" rows "$LIST" | wc -l) ]]
}

tap list_has_perfs_options options_that_are_here others_are_answered \
	keys_are_columns_or_answered fields_are_printed_or_answered \
	fields_that_are_not_recorded rest_is_accepted \
	negations_take_back no_negation_is_unknown symfs_is_the_only_place \
	kernel_that_is_not_sampled \
	fields_are_columns unresolved_are_hidden what_chooses_is_a_column objects_of_one_name \
	percentage_is_relative times_of_script \
	letters_of_diff piped_recordings page_has_the_list
