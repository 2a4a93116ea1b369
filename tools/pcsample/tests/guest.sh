#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample with the real PMU, in the emulated machine or on a board: as root, with arm_pcsample
# loaded and two CPUs or more. tests/in-vm boots the machine for it.
#
# Usage: guest.sh [TEST...]; busy and counted, built from busy.c and counted.c, are beside it, and
# so are corpus and aarch32.py.
#
# The number and spread of samples depend on the load of the host and are not tested here;
# selftests/ and scripts/tests/demo measure them. These tests check which task the samples are of,
# and what becomes of them.
#
# recorded_here leaves an archive of a recording and a report in /out. tests/in-vm makes the same
# report on the host, which is another architecture.
#
# shellcheck shell=dash

tests=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR
. "$tests/tap.sh"

BUSY=$tests/busy
COUNTED=$tests/counted
PMU=/sys/bus/event_source/devices/arm_pcsample

record() {
	pcsample record "$@"
}

# Does each function of busy have samples?
busy_is_seen() {
	pcsample report -i "$1" --comms busy --sort sym -q -t '|' > rows
	grep -q seventy rows && grep -q thirty rows
}

# busy_is_recorded OPTION...: record busy, and longer if the host has no time for it
busy_is_recorded() {
	local seconds

	for seconds in 0.5 1 2 4; do
		record -C 0 "$@" -- taskset 1 "$BUSY" $seconds 2> said || :
		! busy_is_seen perf.data || return 0
	done
	cat said rows
	die "busy is not seen"
}

# samples FILE FIELDS: print them one a line, by perf
samples() {
	perf script -i "$1" -F "$2" 2> /dev/null
}

samples_said() {
	sed -n 's/^\[ pcsample record: \([0-9]*\) samples.*/\1/p' "$1"
}

# of_ledger FILE NAME: print a total of the recording's ledger
of_ledger() {
	pcsample report -i "$1" | sed -n 's/,//g; s/.*Ledger:.* '"$2"' \([0-9]*\).*/\1/p'
}

everything_is_accounted_for() {
	local said planned sum

	busy_is_recorded -a
	said=$(samples_said said)
	[ "$(samples perf.data ip | wc -l)" = "$said" ] || die "perf finds other than $said samples"
	# The outcomes of reads add up to the planned reads
	planned=$(of_ledger perf.data planned)
	sum=$(pcsample report -i perf.data | sed -n 's/,//g; s/.*Ledger:.* = //p' | tr '+' '\n' |
		awk '{ sum += $2 } END { print sum }')
	[ "$planned" = "$sum" ] || die "planned $planned, but the outcomes are $sum"
	[ "$(of_ledger perf.data sample)" = "$said" ] ||
		die "the driver wrote $(of_ledger perf.data sample) samples, the file has $said"
	pcsample report -i perf.data > profile
	says profile "found by $(cat $PMU/caps/attribution)"
}

# The samples of a file have plain records, are of an event that is described without batches, and
# have numbers of their own. Each reader has an event, with an id and numbers from 0 on.
has_plain_records() {
	python3 - "$1" <<-'END'
		import sys
		def number(at, size):
		    return int.from_bytes(data[at:at + size], "little")
		data = open(sys.argv[1], "rb").read()
		attrs, at, size = (number(i, 8) for i in (24, 40, 48))
		assert number(attrs + 8, 8) == 0, "config"
		end, reads = at + size, []
		while at < end:
		    if number(at, 4) == 9:
		        assert number(at + 56, 4) == number(at + 60, 2), "raw data"
		        reads.append((number(at + 8, 8), number(at + 84, 8)))
		    at += number(at + 6, 2)
		assert reads and len(set(reads)) == len(reads), "a read has two samples"
	END
}

# Also where the driver puts several samples into a record. perf complains if a sample comes later
# than the ends of rounds allow.
samples_that_share_records() {
	local event=arm_pcsample//

	record -a -F 4000 -o shared.data -- "$BUSY" 2
	[ ! -e $PMU/format/batch ] || event=arm_pcsample/batch=1/
	record -e $event -a -F 4000 -o asked.data -- "$BUSY" 0.5
	is_all_of shared.data
	is_all_of asked.data
	has_plain_records shared.data
	has_plain_records asked.data
	perf report --stdio -i shared.data > profile 2> complaints
	perf script -i shared.data > lines 2>> complaints
	[ ! -s complaints ] || die "perf complains: $(cat complaints)"
}

command_alone() {
	record -- sh -c "$BUSY 0.5; $BUSY 0.5" 2> said
	pcsample report --sort comm -q -t '|' | cut -d '|' -f 4 > comms
	# Until exec, a process has its parent's name
	! grep -qvxE 'sh|busy|pcsample' comms || die "foreign samples: $(cat comms)"
	samples perf.data pid | sort -u > pids
	between 2 "$(wc -l < pids)" 3
}

running_process() {
	"$BUSY" 60 ready > out &
	until_true grep -q ready out
	record -p $! --duration 0.5
	kill $!
	[ "$(samples perf.data pid | sort -u | tr -d ' ')" = $! ] || die "other processes"
}

chosen_target() {
	record -C 1 --duration 0.3
	[ "$(samples perf.data cpu | sort -u | tr -d ' []:')" = 001 ] || die "other CPUs"
	status 1 record -C 99 --duration 1 2> said
	says said 'CPU 99 is not online'
}

only_reader() {
	local readers=/sys/bus/event_source/devices/arm_pcsample/readers before

	before=$(cat $readers)
	echo 0 > $readers
	record -a --duration 0.3 2> said
	status 1 record -C 0 --duration 0.3 -o none.data 2> refused
	echo "$before" > $readers
	says said 'note: arm_pcsample//: CPU 0 is the only reader'
	says refused 'CPU 0 is the only reader'
	pcsample report > profile
	says profile 'CPU 0 is the only reader'
	samples perf.data cpu > cpus
	says cpus '[001]'
	[ "$(grep -c '\[000\]' cpus)" = 0 ] || die "CPU 0 has read itself"
}

filters() {
	busy_is_recorded --all-user
	[ "$(samples perf.data ip,dso | grep -c '\[kernel')" = 0 ] || die "kernel samples"
	record -e arm_pcsample//k -C 0 -o kernel.data -- taskset 1 "$BUSY" 0.5
	[ "$(samples kernel.data ip,sym,dso | grep -c seventy)" = 0 ] || die "user samples"
}

has_nothing_of_user_space() {
	local status=0

	taskset 1 pcsample record -C 1 --all-user --duration 0.3 2> said || status=$?
	[ $status = 2 ]
}

# No user code runs on an idle CPU, and the recorder is bound to the other one. But processes begin
# and end on both, which takes long on a busy host.
reason_for_no_samples() {
	until_true has_nothing_of_user_space
	grep -Eq 'reads were (filtered|idle|late)' said || die "$(cat said)"
}

names_of_short_processes() {
	cp "$BUSY" one
	cp "$BUSY" two
	: > user
	while [ "$(wc -l < user)" -lt 30 ]; do
		# shellcheck disable=SC2016
		record -C 0 -F 2000 -- taskset 1 sh -c 'i=0; while [ $i -lt 15 ]; do
			./one 0.02; ./two 0.02; i=$((i + 1)); done'
		# If one or two is in user space, the sample is in one, two or a library; addresses
		# of the kernel begin with ffff
		samples perf.data comm,ip,sym,dso |
			awk '$1 ~ /^(one|two)$/ && $2 !~ /^ffff/' >> user
	done
	between 99 "$(awk '!/unknown/ { n++ } END { print 100 * n / NR }' user)" 100
}

# Samples have the cgroup of the sampled task, not of the reader, which is in the root cgroup. On
# kernels before 6.2 the driver cannot tell, so the tool does not ask for it.
cgroup_of_what_was_sampled() {
	local at=/sys/fs/cgroup seconds

	grep -q " $at cgroup2 " /proc/mounts || mount -t cgroup2 none $at || skip "no cgroups"
	# perf knows only the root, unless a controller is enabled
	echo +pids > $at/cgroup.subtree_control
	mkdir -p $at/sampled
	for seconds in 0.5 1 2 4; do
		# shellcheck disable=SC2016
		record -C 0 -- taskset 1 sh -c 'echo $$ > '$at'/sampled/cgroup.procs
			exec "$0" "$1"' "$BUSY" $seconds
		! busy_is_seen perf.data || break
	done
	pcsample report --comms busy --sort cgroup -q -t '|' | cut -d '|' -f 4 | sort -u > cgroups
	case $(uname -r) in
	6.1[.-]*)
		[ "$(cat cgroups)" = N/A ] || die "$(cat cgroups)"
		skip "this kernel cannot"
		;;
	esac
	# By the time sh is called busy, it is in the cgroup
	[ "$(cat cgroups)" = /sampled ] || die "$(cat cgroups)"
	pcsample report --comms swapper --sort cgroup -q -t '|' | cut -d '|' -f 4 > cgroups
	! grep -v '^/$' cgroups || die "idle CPUs are in a cgroup"
}

# A program of 32-bit Arm that no compiler is needed for. perf finds the same names.
aarch32_program() {
	local seconds status=0

	python3 "$tests/aarch32.py" aarch32 > places
	timeout 0.2 ./aarch32 > said 2>&1 || status=$?
	# Where it cannot run, execvp() takes it for a script
	case $status in
	1 | 2 | 126 | 127) skip "this CPU, or this kernel, runs no programs of 32 bits" ;;
	esac
	taskset 1 ./aarch32 &
	for seconds in 0.5 1 2 4; do
		record -C 0 --duration $seconds
		pcsample report --comms aarch32 --sort dso,sym -q -t '|' | grep -F '[.]' > rows || :
		! { grep -q arm_work rows && grep -q thumb_work rows; } || break
	done
	kill $!
	cat rows
	says rows '|aarch32|[.] arm_work'
	says rows '|aarch32|[.] thumb_work'
	# The process has no other code, and nobody calls thumb_local or arm_label
	! grep -vE '\|aarch32\|\[\.\] (_start|arm_work|thumb_work)$' rows || die "other names"
	samples perf.data comm,ip,sym | awk '$1 == "aarch32" && $2 !~ /^ffff/ { print $3 }' |
		sort | uniq -c | awk '{ print $1 "|aarch32|[.] " $2 }' | sort > by_perf
	cut -d '|' -f 3- rows | sort | diff by_perf -
}

masked_kernel_thread() {
	modprobe pcs_spin || skip "no pcs_spin module"
	record -a --duration 1
	rmmod pcs_spin
	perf report --stdio -i perf.data --sort dso,sym > by_perf 2> /dev/null
	pcsample report -i perf.data --sort dso,sym > profile
	says by_perf '[pcs_spin]'
	says profile pcs_spin_masked
}

# CPU 1 answers neither interrupts nor the scheduler. Until that ends, everything runs on CPU 0:
# this shell may be on CPU 1.
wedged_cpu_is_found() {
	local here=$PWD spin=/sys/module/pcs_spin/parameters

	cat > meanwhile <<-END
		cd $here
		modprobe pcs_spin cpu=1 || exit 9
		echo 1 > $spin/wedge
		until grep -q Y $spin/wedged; do :; done
		timeout 30 pcsample stuck --json > stuck.json 2> said; echo \$? > status
		timeout 30 sh -o pipefail -c 'pcsample stuck 2>&1 | cat > text'; echo \$? >> status
		timeout 60 pcsample doctor --sample > findings 2>&1; echo \$? >> status
		cat $spin/wedged > wedged
		echo 0 > $spin/wedge
	END
	taskset 1 sh meanwhile || skip "no pcs_spin module"
	cat text said findings status
	[ "$(cat wedged)" = Y ] || die "CPU 1 was not wedged all the time"
	[ "$(tr '\n' ' ' < status)" = '2 2 0 ' ] || die "exit status"
	says text 'CPU 1: stuck'
	says text 'pcs_spin_masked+0x'
	says text '[pcs_spin]'
	says text 'EL1 Non-secure  pcs_spin/1/'
	[ "$(grep -c '^CPU' text)" = 1 ] || die "more than one CPU"
	says findings 'CPUs 1 answer nothing'
	python3 - <<-'END'
		import json
		d = json.load(open("stuck.json"))
		assert d["stuck"] == [1], d
		c, = d["cpus"]
		named = sum(p["samples"] for p in c["places"]
			    if "pcs_spin_masked" in p.get("name", ""))
		assert c["samples"] >= 20 and named > 0.9 * c["samples"], d
		assert all(p["comm"] == "pcs_spin/1" for p in c["places"]), d
	END
	# CPU 1 comes back unharmed
	until_true taskset 2 true
	status 0 pcsample stuck > text
	says text 'Every CPU answers: 0-1'
	rmmod pcs_spin
	pcsample stuck -C 1 > text
	says text 'CPU 1: answers'
}

perf_and_pcsample_read_each_other() {
	perf record -q -e arm_pcsample// -a -o perfs.data -- "$BUSY" 1 > /dev/null
	pcsample report -i perfs.data > profile
	says profile busy
	record -a -o ours.data -- "$BUSY" 0.5
	perf report --stdio -i ours.data > /dev/null 2> complaints
	[ ! -s complaints ] || die "perf complains: $(cat complaints)"
	perf evlist -v -i ours.data > events
	says events 'arm_pcsample//'
	grep -q 'arm_pcsample//.*RAW' events
	perf buildid-list -i ours.data > list
	says list "$BUSY"
	record -a -o - -- "$BUSY" 0.5 2> /dev/null | perf script -F comm,ip,sym -i - > piped
	says piped busy
}

# perfs KIND OPTION...: have perf record corpus/KIND.data
perfs() {
	local kind=$1

	shift
	perf record -q -o "corpus/$kind.data" "$@" -- "$BUSY" 0.2 > /dev/null 2> said ||
		die "$kind: $(cat said)"
}

# Each kind of recording that perf can make here, compared sample by sample: on another machine perf
# may be older than these recordings
recordings_of_perf() {
	mkdir corpus
	perfs plain -e cpu-clock
	perfs all -a -e cpu-clock
	perfs chains -a -g -e cpu-clock
	perfs dwarf --call-graph dwarf -e cpu-clock:u
	perfs events -a -e cpu-clock,page-faults,context-switches
	perfs group -e '{cpu-clock,page-faults}:S'
	perfs tracepoint -a -e sched:sched_switch -e sched:sched_wakeup
	perfs switches -a --switch-events -e cpu-clock
	perfs addresses -d -e page-faults -c 1
	perfs ours -a -e arm_pcsample//
	perf record -q -a -e cpu-clock -o - -- "$BUSY" 0.2 2> said | cat > corpus/pipe.data
	perf stat record -e cpu-clock -o corpus/stat.data -- "$BUSY" 0.2 > text 2>&1
	python3 "$tests/corpus" -v -j 1 --pcsample "$(command -v pcsample)" corpus > table || :
	cat table
	says table 'corpus: 12 files'
	says table ', 0 wrong'
	[ "$(grep -c '^identical\|^explained' table)" -ge 6 ] || die "too few are the same"
}

settings_are_recorded() {
	record -a --seed 4711 -F 500 -o seed.data --duration 0.3
	pcsample report -i seed.data > profile
	says profile 'asked for 500.0'
	perf evlist -v -i seed.data > events
	grep -Eq 'config2( })?: (0x1267|4711)' events || die "$(cat events)"
	record -a --no-dither -c 2ms -o steps.data --duration 0.3
	perf evlist -v -i steps.data > events
	says events 'config: 0x200'
	says events 'sample_freq }: 2000000'
}

limits() {
	status 1 record -a -c 1us --duration 1 2> said
	says said 'does not accept this period'
	status 1 record -a -F 1000000 --duration 1 2> said
	says said 'perf_event_max_sample_rate'
}

samples_of_driver() {
	awk '$1 == "sample" { print $2 }' $PMU/ledger/total
}

has_sampled() {
	[ "$(samples_of_driver)" -gt $(($1 + 20)) ]
}

# is_all_of FILE: the file has as many samples as the ledger says
is_all_of() {
	local counted there

	counted=$(of_ledger "$1" sample)
	there=$(samples "$1" ip | wc -l)
	[ "$counted" = "$there" ] || die "the ledger has $counted samples, $1 has $there"
}

losses_are_told() {
	local before

	before=$(samples_of_driver)
	pcsample record -a -F 2000 -m 1 -o lost.data 2> said &
	until_true has_sampled "$before"
	kill -STOP $!
	sleep 1
	kill -CONT $!
	sleep 0.3
	kill -INT $!
	wait $!
	says said 'records were lost'
	between 1 "$(of_ledger lost.data buffer_full)" 1000000
	is_all_of lost.data
}

target_goes_offline() {
	pcsample record -a -o hotplug.data --duration 2 2> said &
	until_true test -s hotplug.data
	sleep 0.5
	echo 0 > /sys/devices/system/cpu/cpu1/online
	sleep 0.5
	echo 1 > /sys/devices/system/cpu/cpu1/online
	status 0 wait $!
	is_all_of hotplug.data
	between 1 "$(samples hotplug.data cpu | grep -c 001)" 1000000
}

stat_adds_up() {
	pcsample stat -a -F 1000 --json -- "$BUSY" 0.5 > stat.json
	python3 - <<-'END'
		import json
		d = json.load(open("stat.json"))
		l = d["ledger"]
		assert l["planned"] == sum(v for k, v in l.items() if k != "planned"), l
		assert l["sample"] == d["samples"] == sum(c["samples"] for c in d["cpus"]), d
		for c in d["cpus"]:
		    l = c["ledger"]
		    assert l["planned"] == sum(v for k, v in l.items() if k != "planned"), l
	END
	pcsample stat -a --duration 0.3 2> text
	says text total
	says text reads/s
}

# Whoever may sample, but has no CAP_PERFMON, may not see what became of the reads
without_cap_perfmon() {
	local paranoid

	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	cat > as_user <<-'END'
		import os, sys
		os.setgid(65534)
		os.setuid(65534)
		os.execvp(sys.argv[1], sys.argv[1:])
	END
	echo -1 > /proc/sys/kernel/perf_event_paranoid
	python3 as_user pcsample stat -a --json --duration 0.5 > stat.json 2> said || :
	python3 as_user pcsample stat -a --duration 0.5 2> text || :
	python3 as_user pcsample stuck -a --duration 500 > places 2>> said || :
	python3 as_user pcsample doctor > findings || :
	mkdir -m 777 /tmp/of_user
	python3 as_user pcsample record -a --json -o /tmp/of_user/perf.data --duration 0.5 \
		> record.json 2>> said || :
	rm -r /tmp/of_user
	echo "$paranoid" > /proc/sys/kernel/perf_event_paranoid
	cat said
	json stat.json 'd["samples"] and "ledger" not in d'
	json stat.json 'not any("reads_per_second" in c for c in d["cpus"])'
	json record.json 'd["samples"] and "ledger" not in d'
	says text samples/s
	says text 'Only users with CAP_PERFMON'
	says places 'not known: only users with CAP_PERFMON'
	says findings 'only users with CAP_PERFMON'
}

doctor_and_list() {
	pcsample doctor --sample > text || {
		cat text
		die "the doctor is not content"
	}
	says text 'follow what runs there'
	says text 'will sample the PC-sample registers here'
	pcsample doctor --json > doctor.json
	python3 -c 'import json; assert json.load(open("doctor.json"))["can_sample"]'
	# QEMU's CPUs have no such table
	says text 'is 0x0: no address'
	python3 - <<-'END'
		import json
		rom, = json.load(open("doctor.json"))["rom_tables"]
		assert rom["mdrar"] == "0x0" and not rom["valid"] and rom["cpus"], rom
	END
	python3 - <<-'END'
		import json
		blocks = json.load(open("doctor.json"))["blocks"]
		assert [b["cpu"] for b in blocks] == list(range(len(blocks))) and blocks, blocks
		assert all(b["driver"] == "arm_pcsample" and b["usable"] for b in blocks), blocks
		assert all(b["noninvasive_debug"] == "enabled" for b in blocks), blocks
		assert all(int(b["authstatus"], 16) & 0xc == 0xc for b in blocks), blocks
		secure = {b["secure_noninvasive_debug"] for b in blocks}
		assert secure == {"not_implemented"}, secure
		assert all(b["registers"] and b["address"] != "0x0" for b in blocks), blocks
	END
	pcsample list > text
	says text 'arm_pcsample, the PC-sample registers'
	says text 'arm_pcsample/pc/'
	record -e arm_pcsample/pc/ -a -o named.data --duration 0.3
}

# Kish's effective number of samples: as many of equal weight would have the same error. While the
# host runs other programs reads are late, and a sample after a long wait weighs as hundreds do.
effective_samples() {
	pcsample script -i "$1" --comms counted -F sym,counts | sed -n 's/.* instructions //p' |
		awk '{ sum += $1; squares += $1 * $1 }
			END { print squares ? int(sum * sum / squares) : 0 }'
}

# slow_share OPTION...: per cent of slow() in what slow() and fast() have in a report, which stays
slow_share() {
	pcsample report --comms counted --sort sym -t '|' "$@" > profile
	awk -F '|' '/\[\.\] (slow|fast)$/ { all += $1 } /\[\.\] slow$/ { slow = $1 }
		END { print all ? 100 * slow / all : 0 }' profile
}

minus() {
	awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'
}

# On a machine whose PMU takes snapshots. 3 points are allowed. When samples are as good as 2000 of
# equal weight, half of the interval in which something happens is a 4000th of the time on average:
# at the 8 changes between slow() and fast() at most 0.2 points are charged to the wrong one. The
# kernel's instructions are charged by time: where they are 3 % of all, as on a host with twice the
# load that it has CPUs for, that is 0.7 points.
snapshots_are_weighed() {
	local seconds n real by_weight by_time

	grep -q . $PMU/caps/snapshots || skip "no PMU snapshots here"
	for seconds in 20 60 200; do
		record -C 0 -c 1ms -e arm_pcsample/snapshot=1/ -- \
			taskset 1 "$COUNTED" $seconds > counts 2> said
		n=$(effective_samples perf.data)
		[ "$n" -lt 2000 ] || break
	done
	cat said
	[ "$n" -ge 2000 ] || die "they are $n of equal weight"
	real=$(awk '{ all += $2 } /slow/ { slow = $2 } END { print 100 * slow / all }' counts)
	by_time=$(slow_share)
	by_weight=$(slow_share --weight instructions)
	says profile '# Weight:'
	echo "slow() has $real % of the instructions, $by_weight % by weight, $by_time % by time"
	between -3 "$(minus "$by_weight" "$real")" 3
	between 10 "$(minus "$by_time" "$real")" 100
}

# The recording has programs of Debian, one of this tree, the vDSO, and the kernel with a module
recorded_here() {
	cat > work.py <<-'END'
		import time, zlib
		end = time.monotonic() + 0.7
		while time.monotonic() < end:
		    for i in range(1000):
		        time.monotonic()
		    zlib.crc32(bytes(100000))
	END
	modprobe pcs_spin cpu=0
	record -C 0 -F 4000 -- taskset 1 sh -c "python3 work.py; $BUSY 0.7"
	rmmod pcs_spin
	mkdir -p /out
	pcsample report -q -t '|' --sort comm,dso,sym > /out/report
	pcsample archive -q -o /out/perf.data.tar.zst
	says /out/report '|busy|[.] seventy'
	says /out/report '|[vdso]|'
	says /out/report '|[pcs_spin]|[k] pcs_spin_masked'
}

without_the_driver() {
	rmmod arm_pcsample
	status 1 record -a --duration 1 2> said
	says said 'modprobe arm_pcsample'
	status 2 pcsample doctor > text
	says text 'modprobe arm_pcsample'
	says text 'not known: MDRAR_EL1'
	status 1 pcsample stat -e arm_pcsample// -a --duration 1 2> said
	says said 'modprobe arm_pcsample'
	modprobe arm_pcsample
	pcsample doctor > text
}

# Load the module from where the machine's kernel has it
[ -d $PMU ] || modprobe arm_pcsample
if [ $# = 0 ]; then
	set -- recorded_here everything_is_accounted_for samples_that_share_records \
		command_alone running_process chosen_target only_reader filters \
		reason_for_no_samples names_of_short_processes aarch32_program \
		cgroup_of_what_was_sampled masked_kernel_thread wedged_cpu_is_found \
		perf_and_pcsample_read_each_other recordings_of_perf \
		settings_are_recorded limits losses_are_told target_goes_offline stat_adds_up \
		without_cap_perfmon doctor_and_list snapshots_are_weighed without_the_driver
fi
tap "$@"
