#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples in the man pages and in README.md work as they are written.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

pages=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../Documentation")
readme=$(realpath "$pages/../../../README.md")

# in_path NAME: make a program of the script on stdin
in_path() {
	{
		echo '#!/bin/bash'
		cat
	} > "bin/$1"
	chmod +x "bin/$1"
}

# Make the examples work here: use an event that this machine has, and shorten long durations
make_scene() {
	mkdir bin
	export PATH=$PWD/bin:$PATH PCSAMPLE_CONFIG=$PWD/config
	in_path pcsample <<< "exec '$PCSAMPLE' \"\$@\""
	in_path sleep <<< "exec '$BUSY' 0.2"
	in_path make <<< "exec '$BUSY' 0.2"
	# shellcheck disable=SC2016 # for the script
	in_path ssh <<< 'shift; exec "$@"'
	printf '[%s]\nevent = cpu-clock\n' record stat > config
	pcsample record -- "$BUSY" 0.2
	for file in before after old new; do
		cp perf.data "$file.data"
	done
	echo 'PMAUTHSTATUS: 0xaa  EDPRSR: 0x1' > registers.txt
}

# Print the examples of a man page, as a reader sees them
of_page() {
	sed -n '/^# EXAMPLES/,/^# [^E]/s/^\t//p' "$1" |
		sed 's/++$//; s/\\\(.\)/\1/g; s/_host_/host/'
}

# README.md's list of commands: cut off the explanation that follows a command
of_readme() {
	sed -n '/^## The profiler/,/^## [^T]/s/^    \(pcsample [^ ].*\)/\1/p' "$readme" |
		sed 's/   .*//; s/SYMBOL/seventy/; s/OLD NEW/old.data new.data/'
}

# Replace names and numbers in examples that are of another machine
here() {
	sed -E 's/--duration [0-9]+/--duration 300ms/; s/-C [0-9]+/-C 0/
		s/memcpy --dsos libc.so.6/seventy --dsos busy/; s,> /(etc|usr)/.*/,> ,'
}

# Examples that other tests run: a terminal (top.sh), the registers (in-vm), arm_profexc
# (profexc.sh), a database (ship.sh), PMU snapshots (in-vm). And those that need the kernel's debug
# symbols, which are a gigabyte.
elsewhere='^pcsample (top|stuck|profexc|ship)|snapshot=1|--weight|--vmlinux'

run_examples() {
	local command count=0

	while read -r command; do
		bash -o pipefail -c "$command" > out 2> said || {
			tail -n 5 out said
			die "$command"
		}
		count=$((count + 1))
	done < <(grep -vE "$elsewhere" examples | here)
	[[ $count -ge $1 ]] || die "$count examples are not all"
}

examples_of_the_man_pages() {
	need_root
	make_scene
	for page in "$pages"/*.1.scd; do
		of_page "$page"
	done > examples
	run_examples 20
}

examples_of_the_readme() {
	make_scene
	of_readme > examples
	run_examples 5
}

# The file that pcsample-config(5) shows is a valid configuration
example_of_a_config() {
	make_scene
	awk '/^```/ { shown = !shown; next } shown' "$pages/pcsample-config.5.scd" > config
	[[ -s config ]]
	pcsample report > out
	[[ $(head -n 1 out) == '# Overhead '* ]] || die "not quiet: $(head -n 3 out)"
	pcsample record -e cpu-clock -- "$BUSY" 0.2
	[[ $(perf script -i perf.data -F event,period 2> /dev/null | wc -l) -gt 500 ]] ||
		die "not at 10000 Hz"
}

tap examples_of_the_man_pages examples_of_the_readme example_of_a_config
