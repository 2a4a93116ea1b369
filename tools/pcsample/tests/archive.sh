#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pcsample archive, and reports from an archive when no other file is left.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# Do not use this user's ~/.debug
export HOME=/nonexistent

# program CC FLAG...: prog, with functions hot and cold; its debug information is in prog.debug
program() {
	cat > prog.c <<-END
		int cold(int x) { return x * 3; }
		int hot(int x) { return x + cold(x); }
		int main(void) { return hot(1); }
	END
	"$@" -g -O0 -fno-pie -no-pie -o prog prog.c
	"${1%gcc}objcopy" --only-keep-debug prog prog.debug
}

by_gcc() { program gcc; }

id_of() {
	readelf -n "$1" | awk '/Build ID/ { print $3 }'
}

# place SYMBOL: print the file offset of a function of prog
place() {
	local address

	address=$(readelf -sW prog | awk -v s="$1" '$8 == s { print "0x" $2; exit }')
	readelf -lW prog | awk -v a="$address" '
		function hex(t,  i, v) {
			for (i = 3; i <= length(t); i++)
				v = v * 16 + index("0123456789abcdef", substr(t, i, 1)) - 1
			return v
		}
		$1 == "LOAD" && hex(a) >= hex($3) && hex(a) < hex($3) + hex($5) {
			printf "%d\n", hex(a) - hex($3) + hex($2)
		}'
}

# recording PATH [BUILD-ID]: 300 samples in hot, 100 in cold, of a program mapped from PATH
recording() {
	{
		echo "comm 7 7 prog 1"
		echo "mmap 7 0x400000 0x100000 0 $1 2 ${2:-}"
		awk -v hot=$((0x400000 + $(place hot))) \
				-v cold=$((0x400000 + $(place cold))) 'BEGIN {
			for (i = 0; i < 400; i++)
				print "sample user", i % 4 ? hot : cold, 7, 7, 1000 + i * 1000, 0, 1
		}'
	} | "$MKREC" perf.data
}

# names_are_right REPORT-OPTION...: the report has both functions, with the right shares
names_are_right() {
	"$PCSAMPLE" report "$@" --sort dso,sym > out
	grep -qE '^ *75.00% .* prog +\[\.\] hot$' out || die "no hot: $(cat out)"
	grep -qE '^ *25.00% .* prog +\[\.\] cold$' out || die "no cold: $(cat out)"
}

packed_and_gone() {
	mkdir tmp
	export TMPDIR=$PWD/tmp
	once by_gcc
	recording "$PWD/prog" "$(id_of prog)"
	names_are_right
	"$PCSAMPLE" archive 2> said
	says said '1 files and 0 debug files'
	rm prog
	"$PCSAMPLE" report --sort sym > out
	[[ $(grep -c 'hot' out) == 0 ]] || die "found without the program"
	names_are_right --archive perf.data.tar.zst
	names_are_right --archive - < perf.data.tar.zst
	# Unpacked by tar, the archive works with --symfs
	mkdir d
	tar --zstd -xf perf.data.tar.zst -C d
	cmp perf.data d/perf.data
	names_are_right -i d/perf.data --symfs d
	# And as perf's cache of files by build id
	perf --buildid-dir "$PWD/d" report --stdio -i perf.data --sort sym > by_perf 2> /dev/null ||
		true
	says by_perf '[.] hot'
	[[ -z $(ls tmp) ]] || die "an unpacked archive is left"
}

other_machine() {
	command -v aarch64-linux-gnu-gcc > /dev/null || skip "no compiler for arm64"
	program aarch64-linux-gnu-gcc
	aarch64-linux-gnu-strip prog
	cp prog stripped
	mkdir -p root/usr/bin root/usr/lib/debug/.build-id/"$(id_of prog | cut -c 1-2)"
	cp prog root/usr/bin/prog
	program aarch64-linux-gnu-gcc
	cp prog.debug "root/usr/lib/debug/.build-id/$(id_of prog | sed 's#^..#&/#').debug"
	recording /usr/bin/prog "$(id_of prog)"
	"$PCSAMPLE" archive --symfs root --json > packed.json 2> said
	python3 -c 'import json; d = json.load(open("packed.json"))
assert d["files"] == 1 and d["debug_files"] == 1 and d["missing"] == 0, d'
	rm -r root
	names_are_right --archive perf.data.tar.zst
}

# data_of FILE: print its records, without header and features
data_of() {
	python3 - "$1" <<-'END'
		import struct, sys
		f = open(sys.argv[1], "rb").read()
		at, size = struct.unpack_from("<QQ", f, 40)
		sys.stdout.buffer.write(f[at:at + size])
	END
}

# A recording of `perf record --threads`: the records of each thread are in a file of its own,
# compressed or not
perf_reads_what_its_threads_recorded() {
	rm -rf real.data
	perf record -q -B -a --threads -e cpu-clock -o real.data sleep 0.3 &&
		perf script -i real.data > by_perf
}

directories() {
	local at form i k

	once by_gcc
	at=$((0x400000 + $(place hot)))
	for form in '' 'compress 81 2000'; do
		rm -rf perf.data thread*
		recording "$PWD/prog" "$(id_of prog)"
		mv perf.data whole
		mkdir perf.data
		for i in 0 1; do
			{
				[[ ! $form ]] || echo "$form"
				for k in {1..100}; do
					echo "sample user $at 7 7 $((k * 9 + i)) 1 1"
				done
			} | "$MKREC" thread || skip "built without zstd"
			data_of thread > perf.data/data.$i
		done
		mv whole perf.data/data
		"$PCSAMPLE" report --sort sym > out
		says out '# Samples:   600 of'
		[[ $("$PCSAMPLE" script | wc -l) == 600 ]] || die "not all samples"
		"$PCSAMPLE" archive -q -o dir.tar
		# Only the name of the recording differs
		"$PCSAMPLE" report --archive dir.tar --sort sym | tail -n +2 |
			diff - <(tail -n +2 out)
		truncate -s -20 perf.data/data.0
		status 1 "$PCSAMPLE" report > out 2> said
		says said 'perf.data/data.0: offset '
		[[ $(wc -l < said) == 1 ]] || die "$(< said)"
	done
	rm perf.data/data
	status 1 "$PCSAMPLE" report 2> said
	says said 'is a directory'
	[[ $(perf record --help 2>&1 | grep -c -- --threads) != 0 ]] || return 0
	perf record -q -B -a --threads -e cpu-clock -o real.data sleep 0.3 2> said || return 0
	# perf 6.1 dies when another recording on the machine wants build-ids
	until_true perf_reads_what_its_threads_recorded
	[[ $("$PCSAMPLE" script -i real.data | wc -l) == $(wc -l < by_perf) ]]
}

# The archive of a directory is beside it, whatever the directory is called on the command line
archives_of_directories() {
	local name

	once by_gcc
	recording "$PWD/prog" "$(id_of prog)"
	mkdir -p dir.data/below
	mv perf.data dir.data/data
	for name in dir.data dir.data/ dir.data// dir.data/. dir.data/below/..; do
		"$PCSAMPLE" archive -q -i $name
		[[ -e dir.data.tar.zst ]] || die "$name: $(find .)"
		rm dir.data.tar.zst
	done
	(
		cd dir.data
		"$PCSAMPLE" archive -q -i .
	)
	names_are_right --archive dir.data.tar.zst
	[[ $(ls -A dir.data) == $'below\ndata' ]] || die "$(ls -A dir.data)"
}

without_build_id() {
	program gcc -Wl,--build-id=none
	mkdir -p root/opt
	cp prog root/opt/
	recording /opt/prog
	"$PCSAMPLE" archive --symfs root -o a.tar 2> said
	tar -tf a.tar > list
	says list opt/prog
	rm -r root
	names_are_right --archive a.tar
}

# The recording has no build id of a program whose functions are in a debug file, under two paths
debug_files_of_unknown_programs() {
	local kind expected

	for kind in sha1:1 none:2; do
		expected=${kind#*:}
		rm -rf perf.data* prog* root
		program gcc -Wl,--build-id="${kind%:*}"
		cat <<-END | "$MKREC" perf.data
			mmap 7 0x400000 0x100000 0 /opt/prog 1
			mmap 8 0x400000 0x100000 0 /srv/prog 1
			sample user $((0x400000 + $(place hot))) 7 7 1000 0 1
			sample user $((0x400000 + $(place cold))) 8 8 2000 0 1
		END
		split_debug prog
		mkdir -p root/opt root/srv
		cp prog prog.debug root/opt/
		cp prog prog.debug root/srv/
		"$PCSAMPLE" script --symfs root > here
		says here 'hot+0x0 (/opt/prog)'
		says here 'cold+0x0 (/srv/prog)'
		"$PCSAMPLE" archive --symfs root --json > packed.json
		json packed.json "d['files'] == 2 and d['debug_files'] == $expected"
		"$PCSAMPLE" script --archive perf.data.tar.zst | diff here -
	done
}

# Code that samples were called from, and that branches came from and went to
callers_and_branches() {
	local at name

	once by_gcc
	for name in caller from to; do
		sed "s/hot/$name/" prog.c > other.c
		gcc -g -O0 -fno-pie -no-pie -o $name other.c
	done
	at=$(place hot)
	cat <<-END | "$MKREC" perf.data
		type 0x1a7
		comm 7 7 prog 1
		mmap 7 0x400000 0x100000 0 $PWD/prog 2 $(id_of prog)
		mmap 7 0x800000 0x100000 0 $PWD/caller 2 $(id_of caller)
		mmap 7 0xc00000 0x100000 0 $PWD/from 2 $(id_of from)
		chain -512 $((0x400000 + at)) $((0x800000 + at + 4))
		sample user $((0x400000 + at)) 7 7 1000 0 1
	END
	"$PCSAMPLE" script > here
	says here 'caller+0x4'
	"$PCSAMPLE" archive --json > packed.json
	json packed.json 'd["files"] == 2 and d["missing"] == 0 and d["missing_samples"] == 0'
	"$PCSAMPLE" script --archive perf.data.tar.zst | diff here -
	# --all packs what nothing is in, too
	"$PCSAMPLE" archive --all --json > packed.json
	json packed.json 'd["files"] == 3'
	# A file that is missing counts its samples, not those that it called
	rm caller
	"$PCSAMPLE" archive -q --json > packed.json
	json packed.json 'd["files"] == 1 and d["missing"] == 1 and d["missing_samples"] == 0'
	python3 - "$here" "$at" <<-'END'
		import os, sys
		sys.path.insert(0, sys.argv[1])
		import mkcorpus as m
		at = int(sys.argv[2])
		r = m.Recording(m.Event("cycles", sample_type=m.USUAL | m.BRANCH, branches=8))
		r.pids = 5000000, 5000001
		r.begin()
		for i, name in enumerate(("prog", "from", "to")):
		    r.mmap(r.pids[0], 0x400000 + i * 0x100000, 0x100000, os.path.abspath(name), 0)
		r.some(3, branches=lambda i, n: [(0x500000 + at, 0x600000 + at, 0)])
		r.write("perf.data")
	END
	"$PCSAMPLE" script -F brstacksym > here
	[[ $(grep -c 'from+0x0/to+0x0' here) == 3 ]] || die "$(< here)"
	"$PCSAMPLE" archive -q
	"$PCSAMPLE" script -F brstacksym --archive perf.data.tar.zst | diff here -
}

# calls: a program that libc calls back
calls() {
	cat > calls.c <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		static int compare(const void *a, const void *b)
		{
			volatile int n = 30000;
			while (n)
				n--;
			getppid();
			return *(const char *)a - *(const char *)b;
		}
		int main(void)
		{
			char text[300];
			for (int round = 0; round < 3; round++) {
				for (int i = 0; i < 300; i++)
					text[i] = i * 7919 % 251;
				qsort(text, sizeof(text), 1, compare);
			}
			return 0;
		}
	END
	gcc -g -O1 -fno-omit-frame-pointer -o calls calls.c
}

# same_there COMMAND...: what it prints here and from the archive, but for the recording's name
same_there() {
	"$PCSAMPLE" "$@" -i real.data | sed '/^# Recording:/d' > here
	"$PCSAMPLE" "$@" --archive real.data.tar.zst | sed '/^# Recording:/d' > there
	[[ -s here ]] || die "nothing: $*"
	diff here there
}

# chains EVENT PERF-OPTION...: record `calls` and compare what was printed here and there
chains() {
	local event=$1 found

	shift
	perf record -q -N -e "$event" "$@" -o real.data -- ./calls > said 2>&1 || return 0
	"$PCSAMPLE" archive -i real.data 2> said
	same_there script
	found=$(grep -c 'qsort.*/libc' here || true)
	same_there report --children --sort dso,sym
	same_there export -f folded
	[[ $event != cpu-clock:u || $2 != dwarf ]] || [[ $found != 0 ]] ||
		"$PCSAMPLE" version | grep 'libdw *off' || die "no callers in libc"
}

chains_of_perf() {
	need_perf
	once calls
	chains cpu-clock:u --call-graph fp
	chains cpu-clock:u --call-graph dwarf
	[[ $EUID == 0 ]] || return 0
	chains raw_syscalls:sys_enter --call-graph fp
	chains raw_syscalls:sys_enter --call-graph dwarf,4096
}

# Two files of the same name, as libraries of two containers have
files_of_one_name() {
	local at

	mkdir a b
	once by_gcc
	at=$(place hot)
	mv prog a/prog
	sed -i 's/hot/warm/' prog.c
	gcc -g -O0 -fno-pie -no-pie -o b/prog prog.c
	cat <<-END | "$MKREC" perf.data
		mmap 7 0x400000 0x100000 0 $PWD/a/prog 2 $(id_of a/prog)
		mmap 8 0x400000 0x100000 0 $PWD/b/prog 2 $(id_of b/prog)
		sample user $((0x400000 + at)) 7 7 1000 0 1
		sample user $((0x400000 + at)) 8 8 2000 0 1
	END
	"$PCSAMPLE" archive 2> said
	says said '2 files'
	rm -r a b
	"$PCSAMPLE" report --archive perf.data.tar.zst --sort pid,sym > out
	says out '[.] hot'
	says out '[.] warm'
}

# Where the report is made, maps and dumps are missing, or are of other processes
generated_code() {
	local map=/tmp/perf-$$.map

	printf '1000 10 mapped\n' > "$map"
	mkdir home
	python3 - "home/jit-$$.dump" $$ <<-'END'
		import struct, sys
		pid = int(sys.argv[2])
		code = b"\x90" * 16
		body = struct.pack("<IIQQQQ", pid, pid, 0x8000, 0x8000, len(code), 1)
		body += b"dumped\0" + code
		with open(sys.argv[1], "wb") as f:
		    f.write(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, pid, 0, 0))
		    f.write(struct.pack("<IIQ", 0, 16 + len(body), 5) + body)
	END
	cat <<-END | "$MKREC" perf.data
		clockid 1
		comm $$ $$ vm 0
		mmap $$ 0x900000 0x1000 0 $PWD/home/jit-$$.dump 1
		mmap $$ 0x1000 0x1000 0 //anon 2
		mmap $$ 0x2000 0x1000 0 /memfd:code 2
		mmap $$ 0x8000 0x1000 0 //anon 3
		sample user 0x1008 $$ $$ 100 0
		sample user 0x2008 $$ $$ 100 0
		sample user 0x8008 $$ $$ 100 0
	END
	"$PCSAMPLE" archive --json > packed.json
	says packed.json '"jit_files":2'
	rm -r "$map" home
	"$PCSAMPLE" report --sort sym --archive perf.data.tar.zst > out
	says out '[.] mapped'
	says out '[.] dumped'
	"$PCSAMPLE" report --sort sym > out
	[[ $(grep -c 'mapped\|dumped' out) == 0 ]] || die "found without the archive"
}

# holds ARCHIVE RECORDING: the recording in it is that one
holds() {
	tar --zstd -xOf "$1" perf.data | cmp - "$2"
	rm "$1"
}

# The recording is what came from a pipe, whatever its form and byte order
piped_in() {
	local name

	once by_gcc
	recording "$PWD/prog" "$(id_of prog)"
	python3 "$here/mkcorpus.py" kinds
	mv perf.data kinds/prog.data
	for name in prog identical-pipe identical-other-order explained-other-order-pipe; do
		name=kinds/$name.data
		"$PCSAMPLE" archive -q -i - < $name 2> said
		holds perf.data.tar.zst $name
		"$PCSAMPLE" archive -q < <(cat $name) 2> said
		holds perf.data.tar.zst $name
		"$PCSAMPLE" archive -q -i <(cat $name) -o named.tar.zst 2> said
		holds named.tar.zst $name
	done
	"$PCSAMPLE" archive -q -i - -o - < <(cat kinds/prog.data) > out.tar.zst
	names_are_right --archive out.tar.zst
	mv kinds/prog.data perf.data
	"$PCSAMPLE" archive -q -o a.tar
	names_are_right --archive a.tar
	# Where it was unpacked to is no name that a user knows
	"$PCSAMPLE" report --archive a.tar > out
	says out '# Recording: a.tar'
	"$PCSAMPLE" report --json --archive - < a.tar > out
	json out 'd["file"] == "standard input"'
}

missing_files_are_told() {
	once by_gcc
	recording "$PWD/prog" "$(id_of prog)"
	rm prog
	"$PCSAMPLE" archive 2> said
	says said 'prog: No such file'
	says said '0 files'
	"$PCSAMPLE" report --archive perf.data.tar.zst --sort comm > out
	says out '400'
	# Another file is now at the recorded path: it must not be packed
	program gcc -DOTHER
	printf 'int other;\n' >> prog.c
	gcc -O2 -fno-pie -no-pie -o prog prog.c
	"$PCSAMPLE" archive 2> said
	says said 'another file now than the recorded one'
}

# Record only the command, so that there are few of the records that crash perf 6.1
perf_records_with_ids() {
	perf record -q -e cpu-clock -o perf.data -- \
		dd if=/dev/zero of=/dev/null bs=4k count=50000 > /dev/null 2>&1
}

kernel_of_perfs_recordings() {
	[[ $EUID == 0 && $(grep -cv '^0* ' /proc/kallsyms) -gt 1000 ]] ||
		skip "no kernel symbols here"
	perf record -q -B -e cpu-clock -a -o perf.data -- true > /dev/null 2>&1 ||
		skip "perf does not record"
	until_true perf_records_with_ids	# as in directories()
	"$PCSAMPLE" archive --quiet
	tar --zstd -tf perf.data.tar.zst > list
	says list kallsyms
	"$PCSAMPLE" report --sort dso,sym > here
	"$PCSAMPLE" report --sort dso,sym --archive perf.data.tar.zst > there
	diff <(grep -F '[k]' here) <(grep -F '[k]' there)
}

errors_are_told() {
	once by_gcc
	recording "$PWD/prog" "$(id_of prog)"
	status 1 "$PCSAMPLE" archive -o - 2> said > /dev/full
	says said 'No space left on device'
	status 1 "$PCSAMPLE" archive -o no/such/directory.tar 2> said
	says said 'No such file'
	status 129 "$PCSAMPLE" archive --json -o -
	status 1 "$PCSAMPLE" report --archive missing.tar.zst 2> said
	says said 'missing.tar.zst'
	"$PCSAMPLE" archive -q -o good.tar
	[[ $(find . -name 'good.tar*' | wc -l) == 1 ]] || die "temporary files are left"
	[[ -z $(find . -name 'directory.tar*') ]] || die "something was written"
	mkfifo pipe.tar
	timeout 20 cat pipe.tar > copy.tar &
	"$PCSAMPLE" archive -q -o pipe.tar
	wait $!
	[[ -p pipe.tar ]] || die "a file took the place of the FIFO"
	cmp copy.tar good.tar
}

# The directory of an unpacked archive is removed when the command is interrupted
interrupted() {
	once by_gcc
	recording "$PWD/prog" "$(id_of prog)"
	"$PCSAMPLE" archive -q -o good.tar
	mkdir tmp
	mkfifo fifo
	for signal in INT TERM HUP; do
		TMPDIR=$PWD/tmp env --default-signal=INT,TERM,HUP \
			"$PCSAMPLE" report --archive - < fifo &
		exec 3> fifo
		head -c 1000 good.tar >&3
		until_true compgen -G 'tmp/pcsample-*/perf.data'
		kill -$signal $!
		status $((128 + $(kill -l $signal))) wait $!
		exec 3>&-
		[[ -z $(ls tmp) ]] || die "$signal leaves $(ls tmp)"
	done
	# And when the reader of its output exits, as head(1) does
	python3 - "$PCSAMPLE" script --archive good.tar <<-'END'
		import os, subprocess, sys
		read, write = os.pipe()
		os.close(read)
		os.environ["TMPDIR"] = "tmp"
		run = subprocess.run(sys.argv[1:], stdout=write)
		assert run.returncode == 1, run.returncode
		assert not os.listdir("tmp"), os.listdir("tmp")
	END
}

# hostile MESSAGE: the archive bad.tar is refused, and nothing is written outside the directory
hostile() {
	status 1 "$PCSAMPLE" report --archive bad.tar 2> said
	says said "$1"
	[[ $(wc -l < said) == 1 ]] || die "more than a line: $(cat said)"
	[[ ! -e escaped && ! -e ../escaped && ! -e /tmp/escaped ]] || die "it escaped"
}

hostile_archives() {
	local size

	once by_gcc
	recording "$PWD/prog" "$(id_of prog)"
	"$PCSAMPLE" archive -q -o good.tar
	size=$(stat -c %s good.tar)
	for n in 0 1 511 512 513 1000 $((size / 2)) $((size - 1025)) $((size - 1023)); do
		head -c "$n" good.tar > bad.tar
		hostile bad.tar
	done
	"$PCSAMPLE" archive -q -o good.tar.zst
	head -c 300 good.tar.zst > bad.tar
	hostile bad.tar
	head -c 3000 /dev/urandom > bad.tar
	hostile 'not an archive'
	printf x | dd of=good.tar bs=1 seek=3 conv=notrunc status=none
	cp good.tar bad.tar
	hostile 'not an archive'
	python3 - <<-'END'
		import io, tarfile
		def make(name, kind, target=""):
		    with tarfile.open(f"{name}.tar", "w", format=tarfile.USTAR_FORMAT) as t:
		        i = tarfile.TarInfo(target if kind == "file" else "perf.data")
		        if kind == "file":
		            i.size = 4
		            t.addfile(i, io.BytesIO(b"evil"))
		        else:
		            i.type = {"link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE,
		                      "fifo": tarfile.FIFOTYPE}[kind]
		            i.linkname = target
		            t.addfile(i)
		make("up", "file", "../escaped")
		make("middle", "file", "a/../../escaped")
		make("root", "file", "/tmp/escaped")
		make("link", "link", "/etc/passwd")
		make("hard", "hard", "/etc/passwd")
		make("fifo", "fifo")
		with tarfile.open("twice.tar", "w", format=tarfile.USTAR_FORMAT) as t:
		    for i in range(2):
		        i = tarfile.TarInfo("perf.data")
		        t.addfile(i)
		with tarfile.open("empty.tar", "w", format=tarfile.USTAR_FORMAT) as t:
		    pass
	END
	for kind in up middle root link hard fifo; do
		cp $kind.tar bad.tar
		hostile 'refusing to unpack'
	done
	cp twice.tar bad.tar
	hostile 'File exists'
	cp empty.tar bad.tar
	hostile 'has no perf.data'
}

tap packed_and_gone directories archives_of_directories other_machine without_build_id \
	debug_files_of_unknown_programs callers_and_branches chains_of_perf files_of_one_name \
	generated_code piped_in missing_files_are_told kernel_of_perfs_recordings errors_are_told \
	interrupted hostile_archives
