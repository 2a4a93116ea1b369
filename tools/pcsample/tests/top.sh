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

# make_processes: children.sh starts early and orphan, and, once the file renewed exists, later.
# They make page faults as long as the file go exists. Each fault is a sample, and 32 MB are 500,000
# of them: a matter of seconds.
make_processes() {
	cat > faults.c <<-'END'
		#include <sys/mman.h>
		#include <unistd.h>
		enum { PAGES = 256, SIZE = 4096 };
		int main(void)
		{
			volatile char *p = mmap(0, PAGES * SIZE, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			int i;
			madvise((void *)p, PAGES * SIZE, MADV_NOHUGEPAGE);
			while (!access("go", F_OK)) {
				for (i = 0; i < PAGES; i++)
					p[i * SIZE] = 1;
				madvise((void *)p, PAGES * SIZE, MADV_DONTNEED);
				usleep(500);
			}
			return 0;
		}
	END
	gcc -O1 -o early faults.c
	cp early orphan
	cp early later
	cat > children.sh <<-'END'
		(./orphan &)
		./early &
		until [ -e renewed ]; do sleep 0.05; done
		./later &
		wait
	END
	touch go
	trap 'rm -f go; touch begin renewed' EXIT
}

# The first recording was replaced
is_renewed() {
	[[ -n $(find tmp -name '[1-9]*.data') && -z $(find tmp -name 0.data) ]]
}

# shows_after LINES COMMAND...: there are rows of all commands, with their objects, after so many
# lines
shows_after() {
	tail -n "+$(($1 + 1))" out | head -n -1 | python3 -c 'import json, sys
rows = [r for line in sys.stdin for r in json.loads(line)["rows"]]
sys.exit(not set(sys.argv[1:]) <= {r["comm"] for r in rows if r["dso"] == r["comm"]})' "${@:2}"
}

# still_shown ARG...: top with these arguments samples children.sh. A new recording has the
# processes of the one before, even if their parents are gone, and what they start later.
still_shown() {
	local top lines

	rm -f out
	TMPDIR=$PWD/tmp "$PCSAMPLE" top --json -d 200ms -e page-faults -c 1 "$@" > out 2> said &
	top=$!
	until_true test -s out
	touch begin
	until_true shows_after 0 early orphan
	until_true is_renewed
	lines=$(wc -l < out)
	touch renewed
	until_true shows_after "$lines" early orphan later
	rm go
	status 0 wait "$top"
	[[ -z $(ls tmp) ]] || die "left in TMPDIR: $(ls tmp)"
}

a_new_recording_has_all_processes() {
	local pid

	"$PCSAMPLE" top --help > /dev/null || skip "built without ncurses or libperf"
	make_processes
	mkdir tmp
	still_shown -- sh -c 'sh children.sh & wait'
	rm begin renewed
	touch go
	sh -c 'until [ -e begin ]; do sleep 0.05; done; sh children.sh & wait' &
	pid=$!
	still_shown -p "$pid"
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
tap shows_what_runs sorts_and_filters foreign_names ends_with_the_command \
	a_new_recording_has_all_processes failures_are_told
