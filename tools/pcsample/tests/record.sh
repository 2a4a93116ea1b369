#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample record with the kernel's software clock, on any machine. The distribution's perf reads
# what it writes.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# Do not use it with &: $! would be the subshell
record() {
	"$PCSAMPLE" record -e cpu-clock "$@"
}

# perf_quiet ARG...: run perf, which must not complain
perf_quiet() {
	perf "$@" 2> complaints || {
		cat complaints
		die "perf $*"
	}
	[[ ! -s complaints ]] || {
		cat complaints
		die "perf complains: $*"
	}
}

# share FILE SYMBOL: its share of the samples of both functions in per cent, by perf report. Samples
# of the kernel do not count: there are more of them when other processes want the CPU.
share() {
	perf report --stdio -f -i "$1" --sort sym 2> /dev/null | awk -v s="$2" '
		$NF == "seventy" || $NF == "thirty" { sub("%", "", $1); share[$NF] = $1 }
		END { print 100 * share[s] / (share["seventy"] + share["thirty"]) }'
}

samples_in() {
	perf script -i "$1" -F ip 2> /dev/null | wc -l
}

# The number of samples that record printed
samples_said() {
	sed -n 's/^\[ pcsample record: \([0-9]*\) samples.*/\1/p' "$1"
}

# ran PID: wait until it has had 200 ms of CPU time, however busy the machine is
ran() {
	local ticks

	ticks() {
		cut -d' ' -f14 "/proc/$1/stat"
	}
	ticks=$(ticks "$1")
	while [[ $(($(ticks "$1") - ticks)) -lt 20 ]]; do
		sleep 0.05
	done
}
export -f ran

# Half a second of CPU time has 2,000 samples, or fewer if a virtual machine waits for its own CPU.
# The share may be off by seven standard deviations of that many samples: 1 in 10^11, or 1 in
# 1,300,000 if only every other sample is independent of the one before.
shares_of_a_command() {
	local samples off

	record -- "$BUSY" 0.5 2> said
	samples=$(samples_said said)
	between 400 "$samples" 2750
	off=$(awk -v n="$samples" 'BEGIN { print 700 * sqrt(0.7 * 0.3 / n) }')
	between "$(awk -v o="$off" 'BEGIN { print 70 - o }')" "$(share perf.data seventy)" \
		"$(awk -v o="$off" 'BEGIN { print 70 + o }')"
}

perf_reads_the_file() {
	need_whole_cpus
	record -- "$BUSY" 0.1 2> said
	perf_quiet report --stdio -i perf.data > /dev/null
	perf_quiet script -i perf.data > samples
	[[ $(wc -l < samples) == "$(samples_said said)" ]] || die "perf script shows other samples"
	perf_quiet evlist -i perf.data > events
	[[ $(paste -sd ' ' events) == "cpu-clock dummy:u" ]] || die "events: $(< events)"
	perf_quiet evlist -v -i perf.data > events
	says events 'sample_freq }: 4000'
	perf_quiet report --header-only -i perf.data > header
	says header "hostname : $(uname -n)"
	says header "os release : $(uname -r)"
	says header "clockid: monotonic"
	says header "cmdline : pcsample record -e cpu-clock -- $BUSY 0.1"
	perf_quiet report -D -i perf.data > dump
}

build_ids_are_those_of_the_files() {
	local id

	record -- "$BUSY" 0.1
	id=$(readelf -n "$BUSY" | awk '/Build ID/ { print $3 }')
	perf_quiet buildid-list -i perf.data > list
	says list "$id $BUSY"
	[[ $EUID != 0 ]] || says list '[kernel.kallsyms]'
	[[ $(wc -l < list) -lt 20 ]] || die "files that only the recorder has mapped"
}

perf_reads_the_pipe() {
	record -o - -- "$BUSY" 0.1 2> said > pipe.data
	perf_quiet report --stdio -i - < pipe.data > profile
	says profile seventy
	perf script -i - < pipe.data > samples
	[[ $(wc -l < samples) == "$(samples_said said)" ]] || die "other samples"
	record -o - -- "$BUSY" 0.1 2> /dev/null | perf script -i - > samples
	says samples seventy
	mkfifo fifo
	perf script -i - < fifo > samples &
	record -o fifo -- "$BUSY" 0.1
	wait $!
	says samples thirty
}

closed_pipe_is_an_error() {
	need_whole_cpus
	# The reader exits at once: the recorder says so and does not die of a signal
	{ status 1 record -a -o - --duration 30 2> said; } | head -c 1 > /dev/null
	says said ' standard output: Broken pipe'
}

exit_status_is_the_commands() {
	status 7 record -- sh -c "$BUSY 0.05; exit 7"
	status 137 record -- sh -c "$BUSY 0.05; kill -9 \$\$"
	status 127 record -- ./nothing 2> said
	says said 'No such file'
	status 0 record -- "$BUSY" 0.05
}

# The signals that are ignored and blocked are those that the command would have without pcsample,
# as nohup wants it: HUP is ignored and USR1 blocked, and PIPE, which pcsample ignores, is not
signals_are_the_callers() {
	local show=(grep -E '^Sig(Ign|Blk)' /proc/self/status)

	cat > as_nohup.py <<-'END'
		import os, signal, sys
		signal.signal(signal.SIGHUP, signal.SIG_IGN)
		signal.signal(signal.SIGPIPE, signal.SIG_DFL)
		signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
		signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
		os.execvp(sys.argv[1], sys.argv[1:])
	END
	python3 as_nohup.py "${show[@]}" > expected
	says expected 'SigBlk:	0000000000000200'
	# It is too short to have samples for sure
	python3 as_nohup.py "$PCSAMPLE" record -q -e cpu-clock -- "${show[@]}" > got ||
		[[ $? == 2 ]]
	diff expected got
}

usage_errors() {
	status 129 record -F 0 2> said
	says said '-F 0'
	status 129 record -F 10 -c 10
	status 129 record -C x-y
	status 129 record -m 3
	status 129 record --duration never
	status 129 record --all-user --all-kernel
	# As -p "$(pidof PROGRAM)" if none runs
	status 129 record -p '' --duration 1 2> said
	says said '-p: no process is given'
	status 129 "$PCSAMPLE" record --nothing
	status 129 record -e cycles
	status 0 "$PCSAMPLE" record --help > help
	says help --duration
}

no_samples_is_an_error() {
	need_whole_cpus
	status 2 record -F 1 -- true 2> said
	says said 'no samples'
	[[ $(wc -l < said) == 1 ]] || die "more than one line"
}

wrong_event_leaves_the_old_file() {
	echo old > perf.data
	status 1 "$PCSAMPLE" record -e no-such-event -- true 2> said
	says said 'no-such-event: no such event'
	[[ $(< perf.data) == old ]] || die "perf.data was touched"
	if [[ ! -e /sys/bus/event_source/devices/arm_pcsample ]]; then
		status 1 "$PCSAMPLE" record -- true 2> said
		says said '-e cpu-clock'
		[[ $(< perf.data) == old ]] || die "perf.data was touched"
	fi
	record -- "$BUSY" 0.05
	[[ $(< perf.data.old) == old ]] || die "the old file was not kept"
}

# The older recording keeps the name that it has, with .old, and the link leads to the new one
link_leads_to_the_recording() {
	mkdir there
	echo old > there/perf.data
	ln -s there/perf.data link
	record -q -o link -- "$BUSY" 0.05
	[[ -L link && $(< there/perf.data.old) == old ]] || die "$(ls -l . there)"
	[[ $(ls) == $'link\nthere' ]] || die "$(ls -l)"
	between 5 "$(samples_in there/perf.data)" 1000
	rm there/perf.data
	record -q -o link -- "$BUSY" 0.05
	[[ -L link && $(< there/perf.data.old) == old ]] || die "$(ls -l . there)"
	between 5 "$(samples_in there/perf.data)" 1000
}

# stream_behind_what_was_there FILE
stream_behind_what_was_there() {
	[[ $(head -n 1 "$1") == before ]] || die "$(ls -l)"
	tail -n +2 "$1" | perf script -i - > samples
	between 5 "$(wc -l < samples)" 1000
}

# The links are like /dev/stdout, which a failure of this test would destroy
open_files_get_a_stream() {
	ln -s /proc/self/fd/1 stdout
	ln -s /proc/self/fd/3 three
	echo before | tee one > other
	record -q -o stdout -- "$BUSY" 0.05 >> one
	stream_behind_what_was_there one
	record -q -o three -- "$BUSY" 0.05 3>> other
	stream_behind_what_was_there other
	[[ $(ls) == $'one\nother\nsamples\nstdout\nthree' ]] || die "$(ls -l)"
	[[ -L stdout && -L three ]] || die "$(ls -l)"
	status 129 record --json -o stdout 2> said
	says said 'both write to standard output'
}

# A command has no samples while it sleeps, and its rate is of the time that it ran: 1000 Hz, less
# if the host is busy. A rate of the whole time on one of several CPUs would be 375 Hz at most.
rate_of_a_command() {
	record -F 1000 -- sh -c "sleep 0.5; exec $BUSY 0.3"
	"$PCSAMPLE" report > out
	says out 'Hz while it ran, asked for 1000.0'
	between 500 "$(sed -n 's/.* s: \([0-9.]*\) Hz while it ran.*/\1/p' out)" 1100
	# The program counts the CPU time before its exec, too, as part of the 0.3 s
	between 0.28 "$(sed -n 's/.*which ran it for \([0-9.]*\) s:.*/\1/p' out)" 0.6
	"$PCSAMPLE" report --json > out
	json out '500 < d["events"][0]["rate_hz"] < 1100 and d["events"][0]["ran_ns"] > 2.8e8'
	# The CPU time of some of the threads is not known
	"$PCSAMPLE" report --tid 1-65535 > out 2> said || true
	[[ $(grep -c ' Hz' out) == 0 ]] || die "a rate of some threads: $(grep Hz out)"
	# Nor is it known for a recording of perf
	perf record -q -B -e cpu-clock -F 1000 -o perf.perf -- "$BUSY" 0.1 > /dev/null 2>&1
	"$PCSAMPLE" report -i perf.perf > out
	[[ $(grep -c 'Hz on each' out) == 0 ]] || die "a rate of CPUs: $(grep Hz out)"
	[[ $EUID != 0 ]] || {
		record -a -F 1000 -- "$BUSY" 0.2
		"$PCSAMPLE" report > out
		says out ' Hz on each, asked for 1000.0'
	}
}

# The recording exists, and was flushed at least once
recording() {
	[[ -e $1 && $(stat -c %s "$1") -gt 20000 ]]
}

sigint_keeps_the_data() {
	need_root
	"$PCSAMPLE" record -e cpu-clock -a -o int.data 2> said &
	until_true recording int.data
	kill -INT $!
	status 0 wait $!
	perf_quiet report --header-only -i int.data > header
	says header 'hostname :'
	[[ $(samples_in int.data) == "$(samples_said said)" ]] || die "samples differ"
}

sigterm_ends_the_command() {
	local pid

	"$PCSAMPLE" record -e cpu-clock -o term.data -- sh -c "echo \$\$ > pid; exec $BUSY 60" &
	until_true recording term.data
	pid=$(< pid)
	kill -TERM $!
	status 143 wait $!
	if kill -0 "$pid" 2> /dev/null; then
		die "the command still runs"
	fi
	between 50 "$(share term.data seventy)" 90
}

sigkill_leaves_a_readable_file() {
	need_root
	"$PCSAMPLE" record -e cpu-clock -a -o kill.data &
	until_true recording kill.data
	sleep 0.5
	kill -KILL $!
	status 137 wait $!
	perf_quiet report --stdio -i kill.data > /dev/null
	between 100 "$(samples_in kill.data)" 1000000
}

# A command that cannot be sampled is not run, and the message is not about its end.
command_waits_for_the_events() {
	status 1 "$PCSAMPLE" record -e cpu-clock -F 10000000 -- touch ran 2> said
	says said "more than the kernel's limit"
	[[ ! -e ran ]] || die "it ran"
}

duration_ends_it() {
	local start=$SECONDS

	record -o d.data --duration 300ms -- "$BUSY" 60
	between 0 $((SECONDS - start)) 10
	between 50 "$(share d.data seventy)" 90
}

# The recording has the maps of all processes, however many there are
full_disk_keeps_what_fits() {
	need_root
	unshare -m bash -e <<-END
		mkdir full
		mount -t tmpfs -o size=4m none full
		$PCSAMPLE record -e cpu-clock -a -F 20000 -o full/perf.data --duration 60 2> said &&
			exit 1
		cp full/perf.data kept.data
	END
	says said 'No space left on device'
	says said 'the samples until then are in'
	# It may also say what was left out, if nothing more had to be written before the end, that
	# files of containers are too large, if containers run here, and what was lost, if the host
	# let it wait
	local others="no space to keep |containers are too large|records were lost"
	[[ $(grep -Evc "$others" said) == 2 && $(grep -c 'records were lost' said) -le 1 ]] ||
		die "said twice: $(< said)"
	perf_quiet report --header-only -i kept.data > header
	says header 'hostname :'
	between 1000 "$(samples_in kept.data)" 100000
	# The recording has the reason of its end
	"$PCSAMPLE" report -i kept.data > out
	says out 'No space left on device'
}

deleted_program_keeps_its_build_id() {
	local id

	need_root
	cp "$BUSY" gone
	id=$(readelf -n gone | awk '/Build ID/ { print $3 }')
	./gone 60 ready > out &
	until_true grep -q ready out
	rm gone
	record -a -- bash -c "ran $!"
	kill $!
	perf buildid-list -i perf.data > list
	says list "$id"
	perf script -i perf.data -F comm,ip,sym,dso > samples
	says samples "$PWD/gone (deleted))"
}

program_in_another_mount_namespace() {
	local id

	need_root
	id=$(readelf -n "$BUSY" | awk '/Build ID/ { print $3 }')
	mkdir inside
	unshare -m bash -ec "
		mount -t tmpfs none inside
		cp $BUSY inside/contained
		exec inside/contained 60 ready > out" &
	until_true grep -q ready out
	record -a -- bash -c "ran $!"
	kill $!
	[[ ! -e inside/contained ]] || die "no namespace"
	perf buildid-list -i perf.data > list
	grep -q "$id .*inside/contained" list || die "no build-id: $(cat list)"
}

# 50 processes of 10 ms, one after the other, of ten programs
short_processes_are_named() {
	need_root
	for i in {0..9}; do
		cp "$BUSY" "short$i"
	done
	# shellcheck disable=SC2016
	record -a -- bash -c 'for n in {0..4}; do for i in {0..9}; do ./short$i 0.01; done; done'
	perf script -i perf.data -F comm,ip,sym,dso | grep '^ *short' > samples
	between 1000 "$(wc -l < samples)" 4000
	# Debian's stripped libraries have no names for code that runs before main. All else has
	# names.
	grep -F '[unknown]' samples | grep -v '\[unknown\] (/usr/lib/' > nameless || true
	(( 100 * $(wc -l < nameless) <= $(wc -l < samples) )) || die "$(head -n 20 nameless)"
	for i in {0..9}; do
		grep -q "^ *short$i .*short$i)" samples || die "short$i is missing"
	done
}

running_process_is_named() {
	need_root
	"$BUSY" 60 ready > out &
	until_true grep -q ready out
	record -a -- bash -c "ran $!"
	kill $!
	perf script -i perf.data -F comm,pid,ip,sym,dso | awk -v p=$! '$2 == p' > samples
	between 400 "$(wc -l < samples)" 8000
	# All that it runs. On a busy host 2 % are in clock_gettime(), of libc and of the vDSO.
	between 99 "$(awk '/seventy|thirty|kernel|main|clock_gettime/ { n++ }
		END { print 100 * n / NR }' samples)" 100
}

threads_have_their_names() {
	need_root
	python3 - > out <<-'END' &
		import threading, time
		def work(name):
		    open("/proc/thread-self/comm", "w").write(name)
		    while True:
		        sum(range(1000))
		for n in ("first", "second"):
		    threading.Thread(target=work, args=(n,), daemon=True).start()
		time.sleep(0.2)
		print("ready", flush=True)
		time.sleep(60)
	END
	until_true grep -q ready out
	record -a -- bash -c "ran $!"
	kill $!
	perf report --stdio -i perf.data --sort comm > profile
	says profile first
	says profile second
}

attached_process() {
	local pid recorder start=$SECONDS

	python3 - > out <<-'END' &
		import os, threading
		def work():
		    while not os.path.exists("stop"):
		        sum(range(1000))
		for n in range(3):
		    threading.Thread(target=work).start()
		print("ready", flush=True)
	END
	pid=$!
	until_true grep -q ready out
	"$PCSAMPLE" record -e cpu-clock -p "$pid" -o attached.data &
	recorder=$!
	until_true recording attached.data
	ran "$pid"
	# Recording ends when the process exits, and not before
	kill -0 "$recorder"
	touch stop
	wait "$recorder"
	between 0 $((SECONDS - start)) 30
	perf script -i attached.data -F pid,tid > samples
	[[ $(cut -d/ -f1 samples | sort -u | tr -d ' ') == "$pid" ]] || die "other processes"
	between 3 "$(sort -u samples | wc -l)" 4
	status 1 record -p "$pid" 2> said
	says said "$pid: no such process"
	status 129 record -p 1 -a
	status 129 record -p x
}

# A thread that has ended when its event is to be opened is left out
threads_that_come_and_go() {
	local pid

	python3 - > out <<-'END' &
		import threading, time
		for n in range(40):
		    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
		print("ready", flush=True)
		while True:
		    threading.Thread(target=time.sleep, args=(0.002,)).start()
		    time.sleep(0.001)
	END
	pid=$!
	until_true grep -q ready out
	for _ in {1..8}; do
		record -q -p "$pid" --duration 20ms 2> said || [[ $? == 2 ]] || die "$(< said)"
	done
	kill "$pid"
}

chosen_cpus_only() {
	need_root
	record -C 0 -- "$BUSY" 0.1
	perf script -i perf.data -F cpu | sort -u | tr -d ' []:' > cpus
	[[ $(< cpus) == 000 ]] || die "samples of CPUs $(< cpus)"
	status 1 record -C 4000 --duration 1 2> said
	says said 'CPU 4000 is not online'
}

period_is_kept() {
	record -c 1ms -- "$BUSY" 0.1
	[[ $(perf script -i perf.data -F period | sort -u | tr -d ' ') == 1000000 ]] || die "period"
	perf evlist -v -i perf.data > events
	says events 'sample_freq }: 1000000'
}

only_user_space() {
	record --all-user -- "$BUSY" 0.1
	status 129 record -e cpu-clock:u -- "$BUSY" 0.1
	"$PCSAMPLE" record -e cpu-clock:u -o two.data -- "$BUSY" 0.1
	perf script -i perf.data -F ip,sym,dso > samples
	perf script -i two.data -F ip,sym,dso >> samples
	[[ $(grep -c kernel samples) == 0 ]] || die "kernel samples"
}

# rows_of FILE, perf_rows_of FILE: print SAMPLES CGROUP of all samples, by pcsample and by perf
rows_of() {
	"$PCSAMPLE" report -i "$1" --sort cgroup -q -t '|' | awk -F '|' '!/^#/ { print $3, $4 }' |
		sort > rows
}

perf_rows_of() {
	perf report -i "$1" --sort cgroup --stdio -n -t '|' 2> /dev/null |
		awk -F '|' '!/^#/ && NF > 2 { print $2 + 0, $3 }' | sort > perf.rows
}

# If another recorder asks for build-ids, the kernel also marks other recorders' maps as if they had
# them, and perf 6.1 crashes on its own recording: then record again
perf_has_rows() {
	# shellcheck disable=SC2016
	perf record -B -q -a --all-cgroups -e cpu-clock -F 1000 -o theirs.data -- \
		bash -c 'echo $$ > "$0/cgroup.procs" && exec "$1" 0.3' "$1" "$BUSY" &&
		perf_rows_of theirs.data
}

cgroups_as_perf_has_them() {
	local at

	need_root
	at=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ || $3 == "cgroup2" { print $2 }' \
		/proc/mounts | head -n 1)
	[[ -n $at ]] || skip "no cgroups are mounted"
	at+=/pcsample-test-$$
	mkdir "$at" || skip "cannot make a cgroup"
	# shellcheck disable=SC2064 # now
	trap "rmdir $at/late $at" EXIT
	perf record -B -q --all-cgroups -e cpu-clock -o any.data true 2> said ||
		skip "perf cannot: $(head -n 1 said)"
	until_true perf_has_rows "$at"
	rows_of theirs.data
	[[ $(cat rows) == *"/${at##*/}"* ]] || skip "this kernel does not tell: $(cat rows)"
	diff perf.rows rows
	# One cgroup that exists, and one that is made while recording
	cp "$BUSY" mine
	# shellcheck disable=SC2016
	record -a -F 1000 -- bash -c \
		'mkdir "$0/late" && echo $$ > "$0/late/cgroup.procs" && exec "$1" 0.3' "$at" ./mine
	"$PCSAMPLE" report --sort comm,cgroup -q -t '|' |
		awk -F '|' '$4 == "mine" { print $5 }' > got
	[[ $(wc -l < got) == 1 && $(< got) == *"/${at##*/}/late" ]] || die "$(cat got)"
	rows_of perf.data
	perf_rows_of perf.data
	diff perf.rows rows
	perf script --show-cgroup-events -i perf.data 2> /dev/null |
		grep "PERF_RECORD_CGROUP.*/${at##*/}$"
}

# A driver that cannot fill the field, a kernel without cgroups, and a kernel that lacks another
# feature
cgroups_that_are_refused() {
	cat > refuse.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <linux/perf_event.h>
		#include <stdlib.h>
		#include <sys/syscall.h>
		long syscall(long nr, long a, long b, long c, long d, long e, long f)
		{
			static long (*next)(long nr, ...);
			struct perf_event_attr *attr = (void *)a;
			if (!next)
				next = dlsym(RTLD_NEXT, "syscall");
			if (nr == SYS_perf_event_open &&
			    (attr->sample_type & strtoull(getenv("SAMPLE_TYPE"), 0, 0) ||
			     attr->read_format & strtoull(getenv("READ_FORMAT"), 0, 0))) {
				errno = atoi(getenv("REFUSAL"));
				return -1;
			}
			return next(nr, a, b, c, d, e, f);
		}
	END
	gcc -O1 -shared -fPIC -fno-builtin -o refuse.so refuse.c -ldl
	refused 22 0 0
	"$PCSAMPLE" report --sort cgroup -q -t '|' | awk -F '|' '{ print $4 }' > whole
	[[ $(< whole) != N/A ]] || skip "this kernel has no cgroups"
	refused 95 0x200000 0
	[[ $("$PCSAMPLE" report --sort cgroup -q -t '|') == *'|N/A' ]]
	refused 22 0x200000 0
	[[ $("$PCSAMPLE" report --sort cgroup -q -t '|') == *'|N/A' ]]
	refused 22 0 0x10
	"$PCSAMPLE" report --sort cgroup -q -t '|' | awk -F '|' '{ print $4 }' | diff whole -
	refused 22 0x200000 0x10
	[[ $("$PCSAMPLE" report --sort cgroup -q -t '|') == *'|N/A' ]]
}

# refused ERRNO SAMPLE_TYPE READ_FORMAT: record an event that the kernel refuses with ERRNO if it
# has any of these bits
refused() {
	env REFUSAL="$1" SAMPLE_TYPE="$2" READ_FORMAT="$3" LD_PRELOAD="$PWD/refuse.so" \
		ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" \
		"$PCSAMPLE" record -q -e cpu-clock:u -- "$BUSY" 0.1
}

# While it is stopped, the recorder cannot empty its rings, which have one page
losses_are_told() {
	local lost

	need_root
	"$PCSAMPLE" record -e cpu-clock -a -F 10000 -m 1 -o lost.data 2> said &
	until_true recording lost.data
	kill -STOP $!
	sleep 0.5
	kill -CONT $!
	sleep 0.2
	kill -INT $!
	status 0 wait $!
	says said 'records were lost'
	lost=$(sed -n 's/^pcsample record: \([0-9]*\) records were lost.*/\1/p' said)
	perf report --stdio -i lost.data > profile 2> /dev/null
	says profile "Total Lost Samples: $lost"
	"$PCSAMPLE" report -i lost.data --json > profile.json
	json profile.json "d['lost'] == $lost"
}

users_without_privileges() {
	local paranoid

	need_root
	paranoid=$(< /proc/sys/kernel/perf_event_paranoid)
	[[ $paranoid -ge 1 && $paranoid -le 2 ]] || skip "perf_event_paranoid is $paranoid"
	chmod 755 "$PWD/.." && chmod 777 .
	# Other users may have no access to the tree
	cp "$PCSAMPLE" "$BUSY" .
	status 1 setpriv --reuid=65534 --regid=65534 --clear-groups \
		./pcsample record -e cpu-clock -a --duration 1 2> said
	says said 'sysctl kernel.perf_event_paranoid=-1'
	status 1 setpriv --reuid=65534 --regid=65534 --clear-groups \
		./pcsample record -e cpu-clock -p 1 --duration 1 2> said
	says said "another user's"
	if [[ $paranoid == 2 ]]; then
		status 1 setpriv --reuid=65534 --regid=65534 --clear-groups \
			./pcsample record -e cpu-clock:k -- ./busy 0.01 2> said
		says said 'sysctl kernel.perf_event_paranoid=1'
	fi
	mkdir -m 755 others
	status 1 setpriv --reuid=65534 --regid=65534 --clear-groups \
		./pcsample record -e cpu-clock -o others/user.data -- ./busy 0.01 2> said
	says said 'others/user.data: cannot open for writing: Permission denied'
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		./pcsample record -e cpu-clock -o user.data -- ./busy 0.3
	between 60 "$(share user.data seventy)" 80
}

# shellcheck disable=SC2034 # for tap
# Each way to record, to stop and to fail, once
few="perf_reads_the_pipe closed_pipe_is_an_error command_waits_for_the_events sigint_keeps_the_data
	attached_process full_disk_keeps_what_fits program_in_another_mount_namespace
	losses_are_told"
tap shares_of_a_command rate_of_a_command perf_reads_the_file \
	build_ids_are_those_of_the_files perf_reads_the_pipe closed_pipe_is_an_error \
	exit_status_is_the_commands signals_are_the_callers usage_errors no_samples_is_an_error \
	wrong_event_leaves_the_old_file link_leads_to_the_recording \
	open_files_get_a_stream sigint_keeps_the_data sigterm_ends_the_command \
	sigkill_leaves_a_readable_file command_waits_for_the_events duration_ends_it \
	full_disk_keeps_what_fits deleted_program_keeps_its_build_id \
	program_in_another_mount_namespace short_processes_are_named running_process_is_named \
	threads_have_their_names attached_process threads_that_come_and_go chosen_cpus_only \
	period_is_kept only_user_space cgroups_as_perf_has_them cgroups_that_are_refused \
	losses_are_told users_without_privileges
