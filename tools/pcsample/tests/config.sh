#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What all commands share: the configuration file, colours, the pager, the usage.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

unset PCSAMPLE_CONFIG PCSAMPLE_PAGER PAGER NO_COLOR

recording() {
	printf '%s\n' 'comm 1 1 one 1' 'sample user 0x1000 1 1 1000 0 1' \
		'sample user 0x1000 1 1 9000 1 1' |
		"$MKREC" perf.data
}

# config TEXT: make a home directory with this configuration
config() {
	mkdir -p xdg/pcsample
	printf '%b' "$1" > xdg/pcsample/config
	export XDG_CONFIG_HOME=$PWD/xdg HOME=$PWD/home
}

# columns FILE: print the column titles of a report
columns() {
	grep '^# Overhead' "$1" | sed 's/.*Samples *//; s/  */ /g; s/ $//'
}

file_gives_defaults() {
	recording
	config '# comment\n[report]\n\tsort = cpu\n; another\nquiet = true\n[script]\nfields=ip\n'
	"$PCSAMPLE" report > out
	[[ $(columns out) == CPU && $(head -c 10 out) == '# Overhead' ]] || die "$(cat out)"
	"$PCSAMPLE" script > out
	[[ $(wc -w < out) == 2 ]] || die "$(cat out)"
	# The command line wins over the configuration, in each way to write an option
	for option in --sort=comm '--sort comm' --sor=comm -scomm '-s comm' '-qs comm'; do
		# shellcheck disable=SC2086 # words
		"$PCSAMPLE" report $option > out
		[[ $(columns out) == Command ]] || die "$option: $(cat out)"
	done
	mkdir ./-s
	"$PCSAMPLE" report --symfs -s > out
	[[ $(columns out) == CPU ]] || die "an argument taken for an option: $(cat out)"
	printf '[report]\nsort = tid\nquiet = false\n' > other
	"$PCSAMPLE" --config other report > out
	[[ $(columns out) == Tid ]] || die "$(cat out)"
	says out '# Recording'
	PCSAMPLE_CONFIG=other "$PCSAMPLE" report > out
	[[ $(columns out) == Tid ]] || die "$(cat out)"
	PCSAMPLE_CONFIG='' "$PCSAMPLE" report > out
	says out 'Symbol'
	unset XDG_CONFIG_HOME
	mkdir -p home/.config/pcsample
	cp other home/.config/pcsample/config
	"$PCSAMPLE" report > out
	[[ $(columns out) == Tid ]] || die "$(cat out)"
}

options_of_the_sampled_command_are_its_own() {
	need_feature libperf
	config '[stat]\nevent = cpu-clock\njson = true\n'
	"$PCSAMPLE" stat -- "$BUSY" 0.1 -e x > out
	grep -q '"event":"cpu-clock"' out || die "$(cat out)"
	"$PCSAMPLE" stat -e task-clock "$BUSY" 0.1 > out
	grep -q '"event":"task-clock"' out || die "$(cat out)"
}

errors_name_file_and_line() {
	recording
	config '[report]\nsort cpu\n'
	status 1 "$PCSAMPLE" report 2> said
	says said 'pcsample/config:2: expected key = value'
	config 'sort = cpu\n'
	status 1 "$PCSAMPLE" report 2> said
	says said 'config:1: no [section]'
	config '[report\n'
	status 1 "$PCSAMPLE" report 2> said
	says said 'config:1: expected [section]'
	config '[report]\n\nno-such = 1\n'
	status 1 "$PCSAMPLE" report 2> said
	says said "config:3: 'no-such' is not an option of pcsample report"
	status 0 "$PCSAMPLE" script > out
	config '[report]\nquiet = perhaps\n'
	status 1 "$PCSAMPLE" report 2> said
	says said 'quiet is true or false'
	config '[report]\nsort = nothing\n'
	status 129 "$PCSAMPLE" report 2> said
	status 1 "$PCSAMPLE" --config missing report 2> said
	says said 'missing: No such file'
	# Both inputs are endless
	status 1 timeout 60 "$PCSAMPLE" --config /dev/zero report 2> said
	says said '/dev/zero: more than 65536 lines'
	status 1 timeout 60 "$PCSAMPLE" --config <(tr '\0' a < /dev/zero) report 2> said
	says said ':1: more than 4096 characters'
	head -c 100000 /dev/urandom > xdg/pcsample/config
	status 1 "$PCSAMPLE" report 2> said
	config '[core]\ncolor = blue\n'
	status 129 "$PCSAMPLE" report 2> said
}

# colored COMMAND...: does its output have an escape sequence?
colored() {
	"$@" > colors
	grep -q $'\033\[' colors
}

# on_terminal COMMAND: run a shell command whose output is a terminal
on_terminal() {
	timeout 60 script -qec "$1" /dev/null < /dev/null
}

colors_where_they_are_wanted() {
	awk 'BEGIN {
		for (i = 0; i < 3000; i++)
			printf "sample user 0x1000 1 %d %d 0 1000\n",
				i < 2000 ? 1 : 1 + i % 2, i * 1000 + 1
	}' | "$MKREC" b.data
	command -v script > /dev/null || skip "no script(1)"
	# No row has changed: the line with the summary is faint
	local 	diff="$PCSAMPLE --no-pager diff --sort comm --percent-limit 100.1 b.data b.data"
	# shellcheck disable=SC2086 # words
	! colored $diff || die "colours in a file"
	# shellcheck disable=SC2086
	colored ${diff/--no-pager/--no-pager --color=always} || die "no colours with always"
	TERM=xterm on_terminal "$diff" > out
	grep -q $'\033\[' out || die "no colours at a terminal: $(cat out)"
	NO_COLOR=1 TERM=xterm on_terminal "$diff" > out
	! grep -q $'\033\[' out || die "NO_COLOR is ignored"
	TERM=dumb on_terminal "$diff" > out
	! grep -q $'\033\[' out || die "TERM=dumb is ignored"
	NO_COLOR=1 TERM=xterm on_terminal "${diff/--no-pager/--no-pager --color=always}" > out
	grep -q $'\033\[' out || die "--color=always is weaker than NO_COLOR"
	config '[core]\ncolor = never\n'
	TERM=xterm on_terminal "$diff" > out
	! grep -q $'\033\[' out || die "core.color is ignored"
	status 129 "$PCSAMPLE" --color=perhaps report
}

pager_at_a_terminal() {
	command -v script > /dev/null || skip "no script(1)"
	recording
	export TERM=dumb
	PCSAMPLE_PAGER='tr a-z A-Z' on_terminal "$PCSAMPLE report" > out
	says out RECORDING
	PAGER='tr a-z A-Z' on_terminal "$PCSAMPLE report" > out
	says out RECORDING
	PAGER='tr a-z A-Z' on_terminal "$PCSAMPLE --no-pager report" > out
	says out Recording
	config '[core]\npager = tr a-z A-Z\n'
	on_terminal "$PCSAMPLE report" > out
	says out RECORDING
	PCSAMPLE_PAGER='cat' on_terminal "$PCSAMPLE report" > out
	says out Recording
	"$PCSAMPLE" report > out
	says out Recording
	# The pager exits before all is written: no complaint, and the command exits, too
	awk 'BEGIN { for (i = 0; i < 20000; i++) print "sample user 4096 1 1", i + 1, "0 1" }' |
		"$MKREC" long.data
	PCSAMPLE_PAGER='head -n 3' on_terminal "$PCSAMPLE script -i long.data" > out || true
	[[ $(wc -l < out) -le 3 ]] || die "$(cat out)"
	PCSAMPLE_PAGER=/no/such/pager on_terminal "$PCSAMPLE report" > out || true
	says out "pcsample: the pager '/no/such/pager' does not run; see the output with --no-pager"
	# Nobody chose less, and a board may have none
	mkdir bin
	ln -s "$(command -v sh)" bin/
	config ''
	on_terminal "env -u PAGER -u PCSAMPLE_PAGER PATH=$PWD/bin $PCSAMPLE report" > out
	says out Recording
}

usage_of_the_program() {
	"$PCSAMPLE" --help > out
	says out ' report '
	says out '--no-pager'
	status 129 "$PCSAMPLE" 2> said
	says said Usage
	status 129 "$PCSAMPLE" reprot 2> said
	says said "did you mean 'report'"
	status 129 "$PCSAMPLE" --no-such-option report
	status 129 "$PCSAMPLE" --color
	"$PCSAMPLE" --version > out
	says out pcsample
	"$PCSAMPLE" report --help > help
	"$PCSAMPLE" report -h | cmp - help
	"$PCSAMPLE" help report | cmp - help
	status 129 "$PCSAMPLE" help reprot 2> said
	says said "did you mean 'report'"
	status 129 "$PCSAMPLE" report perf.data 2> said
	says said 'given with -i'
}

tap file_gives_defaults options_of_the_sampled_command_are_its_own errors_name_file_and_line \
	colors_where_they_are_wanted pager_at_a_terminal usage_of_the_program
