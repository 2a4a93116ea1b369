#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Progress of operations that take longer than a second goes to standard error, if that is a
# terminal: here a pseudo-terminal, and a pipe that delivers the recording slowly.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

export TERM=xterm
unset PCSAMPLE_PAGER PAGER

recording() {
	for i in {1..4000}; do
		echo "sample user 0x400100 1 1 $((i * 1000)) $((i % 2)) 1000"
	done | "$MKREC" perf.data
}

# in_terminal SECONDS STREAMS COMMAND...: run COMMAND; what it writes to the terminal goes to the
# file screen, the rest to the file elsewhere. STREAMS has o and e for the streams that are
# terminals. The recording comes through a pipe, its second half after SECONDS.
in_terminal() {
	python3 - "$@" <<-'END'
		import os, pty, subprocess, sys, threading, time
		seconds, streams, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
		ours, theirs = pty.openpty()
		elsewhere = open("elsewhere", "wb")
		p = subprocess.Popen(command, stdin=subprocess.PIPE,
		                     stdout=theirs if "o" in streams else elsewhere,
		                     stderr=theirs if "e" in streams else elsewhere)
		os.close(theirs)
		def feed():
		    data = open("perf.data", "rb").read()
		    half = len(data) // 2
		    p.stdin.write(data[:half])
		    p.stdin.flush()
		    time.sleep(seconds)
		    p.stdin.write(data[half:])
		    p.stdin.close()
		t = threading.Thread(target=feed)
		t.start()
		screen = b""
		while True:
		    try:
		        part = os.read(ours, 65536)
		    except OSError:
		        break
		    if not part:
		        break
		    screen += part
		t.join()
		open("screen", "wb").write(screen)
		sys.exit(p.wait())
	END
}

progress_on_a_terminal() {
	recording
	"$PCSAMPLE" report -i - < perf.data > expected
	in_terminal 1.2 e "$PCSAMPLE" report -i -
	cmp expected elsewhere
	says screen $'\rreading standard input '
	says screen ' MB'
	# The line is cleared at the end
	[[ $(tail -c 4 screen) == $'\r\e[K' ]] || die "left: $(cat -v screen)"
	in_terminal 1.2 e "$PCSAMPLE" export -i - -o out.folded
	says screen $'\rreading standard input '
	[[ $(tail -c 4 screen) == $'\r\e[K' ]] || die "left: $(cat -v screen)"
}

gone_before_output() {
	recording
	in_terminal 1.2 oe "$PCSAMPLE" --no-pager --color=never report -i -
	says screen $'\rreading standard input '
	sed 's/\r$//; s/^.*\x1b\[K//' screen > text
	"$PCSAMPLE" report -i - < perf.data | diff - text
	# The same with a pager
	PAGER='sed s/^/paged:/' in_terminal 1.2 oe "$PCSAMPLE" --color=never report -i -
	says screen $'\rreading standard input '
	says screen $'\r\e[Kpaged:# Recording:'
}

silence_otherwise() {
	recording
	in_terminal 0 e "$PCSAMPLE" report -i -
	[[ ! -s screen ]] || die "not long: $(cat -v screen)"
	in_terminal 1.2 '' "$PCSAMPLE" report -i -
	! grep -a 'reading' elsewhere || die "no terminal"
	TERM=dumb in_terminal 1.2 e "$PCSAMPLE" report -i -
	[[ ! -s screen ]] || die "a dumb terminal: $(cat -v screen)"
}

tap progress_on_a_terminal gone_before_output silence_otherwise
