#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample top in a terminal, on any machine.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# terminal: an invisible terminal of 120 columns, on a server of its own
terminal() {
	tmux -f /dev/null -S "$PWD/socket" "$@"
}

# start_top [ARG...]: writes its exit status to the file status, and its complaints to said
start_top() {
	need tmux
	"$PCSAMPLE" top --help > /dev/null || skip "built without ncurses or libperf"
	trap 'terminal kill-server || true' EXIT
	terminal new-session -d -x 120 -y 30 "'$PCSAMPLE' top -e cpu-clock -F 1000 -d 300ms $* \
		2> said; echo \$? > status.new; mv status.new status"
}

keys() {
	terminal send-keys "$@"
}

screen() {
	terminal capture-pane -p
}

shows() {
	screen | grep -E -e "$1" > /dev/null
}

# Print the commands in the rows, from the top
commands() {
	screen | sed -nE 's/^ *[0-9.]+% +[0-9.]+ - *[0-9.]+ +[0-9]+  (.{16})  .*/\1/p' |
		sed 's/ *$//'
}

sorted_by_command() {
	[[ $(commands | wc -l) -ge 3 ]] && commands | LC_ALL=C sort -c
}

reverse_by_command() {
	[[ $(commands | wc -l) -ge 3 ]] && commands | LC_ALL=C sort -rc
}

only_busy() {
	[[ $(commands | sort -u) == busy ]]
}

shows_what_runs() {
	need_whole_cpus
	start_top -a -- "$BUSY" 60
	until_true shows '^ *[0-9.]+% .* busy +busy +\[\.\]'
	until_true shows 'pcsample top  cpu-clock  [0-9]+ samples of the last'
	until_true shows 'CPU0 +\[\|'
	keys q
	until_true test -e status
	[[ $(< status) == 0 ]] || die "$(< said)"
}

sorts_and_filters() {
	need_whole_cpus
	start_top -a -- "$BUSY" 60
	until_true shows ' busy '
	keys c
	until_true sorted_by_command
	keys r
	until_true reverse_by_command
	keys r s / 'usy' Enter
	until_true only_busy
	until_true shows '^/usy'
	keys / Escape
	until_true shows 'q quit'
	keys p
	until_true shows 'paused'
	terminal resize-window -x 60 -y 12
	keys p / 'usy' Enter
	until_true shows 'busy'
	# A terminal of the usual size has room for functions
	terminal resize-window -x 80 -y 24
	until_true shows ' busy +busy +\[\.\] seventy'
	keys q
	until_true test -e status
	[[ $(< status) == 0 ]] || die "$(< said)"
}

# Bytes above ASCII are '?', also where char is unsigned, as on arm64
foreign_names() {
	need_whole_cpus
	cp "$BUSY" $'b\xc3\xa9z\x9bzy'
	start_top -a -- $'./b\xc3\xa9z\x9bzy' 60
	until_true shows 'b[?][?]z[?]zy +b[?][?]z[?]zy +\[\.\]'
	keys q
	until_true test -e status
	[[ $(< status) == 0 ]] || die "$(< said)"
}

ends_with_the_command() {
	# Other runs of this test may use /tmp
	mkdir tmp
	export TMPDIR=$PWD/tmp
	start_top -- "$BUSY" 1
	until_true test -e status
	[[ $(< status) == 0 ]] || die "$(< said)"
	[[ -z $(ls tmp) ]] || die "left in TMPDIR: $(ls tmp)"
}

failures_are_told() {
	"$PCSAMPLE" top --help > /dev/null || skip "built without ncurses or libperf"
	status 1 "$PCSAMPLE" top -e cpu-clock 2> said < /dev/null
	says said 'needs a terminal'
	status 129 "$PCSAMPLE" top -d never
	start_top -C 999
	until_true test -e status
	[[ $(< status) == 1 ]] || die "$(< status): $(< said)"
	says said 'CPU 999 is not online'
}

# shellcheck disable=SC2034 # for tap
few="ends_with_the_command failures_are_told"
tap shows_what_runs sorts_and_filters foreign_names ends_with_the_command failures_are_told
