#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample record --every --spool, on any machine.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# spool [ARG...]: record into the directory s
spool() {
	"$PCSAMPLE" record -q -a -e cpu-clock -F 500 --every 0.5s --spool s "$@"
}

nr_files() {
	find s -type f -name "$1" | wc -l
}

# writes [TEST...]: is there one unfinished file, for which find's TESTs are true?
writes() {
	[[ $(find s -name '.pcsample-*' "$@" | wc -l) == 1 ]]
}

# Recordings are complete, and the gap between them is a few periods of 2 ms: to open a new recorder
# would take many times that
recordings_follow_each_other() {
	local file first most last=''

	need_whole_cpus
	spool --duration 2
	[[ $(nr_files '.*') == 0 ]] || die "left over: $(ls -A s)"
	between 2 "$(nr_files 'pcsample-*Z-*.data')" 6
	for file in s/*; do
		"$PCSAMPLE" script -i "$file" -F time > when
		first=$(head -n 1 when | tr -d ' :')
		most=$(awk -v last="$last" 'BEGIN { printf "%.6f", last + 0.02 }')
		[[ -z $last ]] || between 0 "$first" "$most"
		last=$(tail -n 1 when | tr -d ' :')
	done
}

exports_follow_each_other() {
	need_whole_cpus
	need_feature protobuf-c
	spool --duration 1.5 --format pprof
	[[ $(nr_files '.*') == 0 ]] || die "left over: $(ls -A s)"
	between 2 "$(nr_files '*.pb.gz')" 5
	[[ $(nr_files '*') == "$(nr_files '*.pb.gz')" ]]
	gzip -t s/*
}

oldest_files_go() {
	need_whole_cpus
	spool --duration 2.5 --spool-size 1K
	[[ $(nr_files '*') == 1 ]] || die "$(ls s)"
	touch -d '1 hour ago' "s/pcsample-20000101T000000.000Z-1.data" s/others
	head -c 5000 /dev/zero > s/others
	head -c 5000 /dev/zero > s/pcsample-20000101T000000.000Z-1.data
	spool --duration 0.4 --spool-size 1K
	[[ -e s/others && ! -e s/pcsample-20000101T000000.000Z-1.data ]] || die "$(ls s)"
}

# A killed recorder leaves a file whose name begins with a dot; the next recorder removes it
killed_recorder_leaves_no_half_file() {
	local pid

	need_whole_cpus
	"$PCSAMPLE" record -q -a -e cpu-clock --every 60s --spool s &
	pid=$!
	until_true writes
	status 1 spool --duration 0.1 2> said
	says said 'another recorder'
	kill -KILL $pid
	wait $pid || true
	[[ $(nr_files 'pcsample-*') == 0 && $(nr_files '.pcsample-*') == 1 ]]
	spool --duration 0.3
	[[ $(nr_files '.*') == 0 && $(nr_files 'pcsample-*') == 1 ]] || die "$(ls -A s)"
}

# systemd ends it by SIGTERM: the interval so far is kept, and exported
terminated_recorder_keeps_what_it_has() {
	local pid

	need_whole_cpus
	"$PCSAMPLE" record -q -a -e cpu-clock -F 500 --every 60s --spool s --format folded &
	pid=$!
	until_true writes -size +100k
	kill -TERM $pid
	wait $pid
	[[ $(nr_files '*') == 1 && $(nr_files '*.folded') == 1 ]] || die "$(ls -A s)"
	[[ -s $(echo s/*) ]]
}

# at_rename CODE: a library for LD_PRELOAD by which each export runs C when its file is complete and
# about to get its name
at_rename() {
	cat > rename.c <<-END
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <signal.h>
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>
		static int exports;
		__attribute__((constructor)) static void begin(int argc, char **argv)
		{
			exports = argc > 1 && !strcmp(argv[1], "export");
		}
		int rename(const char *from, const char *to)
		{
			int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
			if (exports) {
				$1
			}
			return next(from, to);
		}
	END
	gcc -O1 -shared -fPIC -o rename.so rename.c -ldl
}

# preloaded COMMAND...: run it with that library, instead of this shell
preloaded() {
	export LD_PRELOAD=$PWD/rename.so
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
	exec "$@"
}

has_files() {
	[[ $(nr_files "$1") -ge $2 ]]
}

# all_exist LINES: each line of JSON is about a file that is there
all_exist() {
	python3 - "$1" <<-'END'
		import json, os, sys
		for line in open(sys.argv[1]):
		    assert os.path.exists(json.loads(line)["file"]), line
	END
}

# One export is killed: its recording and the next interval are kept, and it goes on
failed_export_loses_nothing() {
	local pid kept

	need_whole_cpus
	at_rename 'if (!unlink("kill")) raise(SIGKILL);'
	touch kill
	preloaded "$PCSAMPLE" record -q -a -e cpu-clock -F 500 --every 0.5s --spool s \
		--format folded --json > lines 2> said &
	pid=$!
	until_true has_files 'pcsample-*.folded' 3
	kill -TERM $pid
	status 1 wait $pid
	kept=$(echo s/pcsample-*.data)
	says said "the export of a recording failed; it is kept as $kept"
	[[ ! -e ${kept%.data}.folded && $(nr_files '.*') == 0 ]] || die "$(ls -A s)"
	# Nor what the export had written
	[[ $(nr_files 'pcsample-*.folded.*') == 0 ]] || die "$(ls -A s)"
	"$PCSAMPLE" export -i "$kept" -f folded -o kept
	[[ -s kept ]]
	[[ $(grep -c 'the export of' said) == 1 ]] || die "$(< said)"
	all_exist lines
	[[ $(wc -l < lines) == "$(nr_files '*.folded')" ]] || die "$(< lines) $(ls -A s)"
}

# Nobody takes a file that an export still writes, and no line is about it
exports_are_hidden_until_complete() {
	local pid

	need_whole_cpus
	at_rename 'while (!access("hold", F_OK)) close(creat("reached", 0600)), usleep(20000);'
	touch hold
	preloaded "$PCSAMPLE" record -q -a -e cpu-clock -F 500 --every 0.5s --spool s \
		--format folded --json > lines &
	pid=$!
	until_true test -e reached
	[[ ! -s lines ]] || die "$(< lines)"
	[[ $(nr_files 'pcsample-*') == 0 && $(nr_files '.pcsample-*.folded*') == 1 ]] ||
		die "$(ls -A s)"
	rm hold
	until_true has_files 'pcsample-*.folded' 2
	all_exist lines
	kill -TERM $pid
	wait $pid
	[[ $(nr_files '*') == "$(nr_files 'pcsample-*.folded')" ]] || die "$(ls -A s)"
	all_exist lines
	[[ $(wc -l < lines) == "$(nr_files '*')" ]] || die "$(< lines) $(ls -A s)"
}

# is_up_to_date LINES: only the present interval is not complete, and each file has its line
is_up_to_date() {
	[[ $(nr_files '.*') == 1 && -s $1 && $(wc -l < "$1") == "$(nr_files 'pcsample-*')" ]]
}

# The file and its line do not wait for the end of the next interval
line_comes_with_the_file() {
	local format pid

	need_whole_cpus
	for format in data folded; do
		rm -rf s
		"$PCSAMPLE" record -q -a -e cpu-clock -F 500 --every 3s --spool s \
			--format $format --json > lines &
		pid=$!
		until_true is_up_to_date lines
		all_exist lines
		kill -TERM $pid
		wait $pid
		[[ $(wc -l < lines) == "$(nr_files '*')" ]] || die "$(< lines) $(ls -A s)"
	done
}

failures_are_told() {
	status 129 "$PCSAMPLE" record -a --every 60s
	status 129 "$PCSAMPLE" record -a --spool s
	status 129 "$PCSAMPLE" record -a --every 60s --spool s --spool-size x
	status 129 "$PCSAMPLE" record -a --every 60s --spool s --format x
	status 129 "$PCSAMPLE" record -a --format csv
	status 1 "$PCSAMPLE" record -e cpu-clock --every 60s --spool s -- true 2> said
	says said 'add -a'
	status 1 "$PCSAMPLE" record -a -e cpu-clock --every 60s --spool no/such 2> said
	says said 'no/such'
}

# A full disk: what fits becomes a file of the spool. The disk has room for the records of all
# processes before the first sample, however many there are.
full_spool() {
	need_root
	unshare -m bash -e <<-END
		mkdir full
		mount -t tmpfs -o size=4m none full
		$PCSAMPLE record -e cpu-clock -a -F 20000 --every 60s --spool full --duration 60 \
			2> said && exit 1
		cp full/pcsample-*.data kept.data
	END
	says said 'No space left on device'
	# And what is left out or lost, as in record.sh
	local others="no space to keep |containers are too large|records were lost"
	[[ $(grep -Evc "$others" said) == 1 && $(grep -c 'records were lost' said) -le 1 ]] ||
		die "said twice: $(< said)"
	"$PCSAMPLE" report -i kept.data > out
	says out 'No space left on device'
}

# shellcheck disable=SC2034 # for tap
few="terminated_recorder_keeps_what_it_has failures_are_told full_spool"
tap recordings_follow_each_other exports_follow_each_other oldest_files_go \
	killed_recorder_leaves_no_half_file terminated_recorder_keeps_what_it_has \
	failed_export_loses_nothing exports_are_hidden_until_complete \
	line_comes_with_the_file failures_are_told full_spool
