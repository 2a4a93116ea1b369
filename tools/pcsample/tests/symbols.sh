#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Right symbols in the cases that users complain about. Each test builds a program, makes the
# recording that it would give, and compares names. See also tests/named.sh (real recordings),
# tests/record.sh (what the recorder must note), test-sideband.c (who mapped what when), and
# tests/cases (which case is tested where).
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# program: build a program with two functions and main
program() {
	cat > prog.c <<-'END'
		__attribute__((noinline)) int first(int x) { return x * 3; }
		static __attribute__((noinline)) int second(int x) { return first(x) + 1; }
		int main(int argc, char **argv) { return second(argc) & 64; }
	END
	# shellcheck disable=SC2086 # a list of options
	gcc -O1 -g -o prog prog.c ${1-}
}

# address FILE SYMBOL: print its virtual address; offset FILE ADDRESS: print its file offset
address() {
	nm "$1" | awk -v s="$2" '$3 == s && !n++ { print "0x" $1 }'
}

offset() {
	local at=$2 off va size

	readelf -lW "$1" | awk '$1 == "LOAD" { print $2, $3, $6 }' | while read -r off va size; do
		if ((at >= va && at < va + size)); then
			printf '0x%x\n' $((at - va + off))
			break
		fi
	done
}

# one_sample FILE OFFSET [BUILD-ID] [PATH-IN-RECORDING]: a recording of one sample in a file, all of
# which is mapped at 0x10000000
one_sample() {
	cat <<-END | "$MKREC" one.data
		comm 10 10 prog 0
		mmap 10 0x10000000 0x10000000 0 ${4:-$(realpath "$1")} 0 ${3-}
		sample user $((0x10000000 + $2)) 10 10 1 0
	END
}

# samples FILE: a recording with one sample at each address on standard input, in a file that is
# mapped as a whole
samples() {
	local file=$1 at n=0

	{
		echo 'comm 10 10 prog 0'
		echo "mmap 10 0x10000000 0x10000000 0 $(realpath "$file") 0"
		while read -r at; do
			at=$((0x10000000 + $(offset "$file" "$((at))")))
			echo "sample user $at 10 10 $n 0"
			n=$((n + 1))
		done
	} | "$MKREC" one.data
}

# name_is NAME [REPORT-OPTION...]: the sample in one.data has this symbol
name_is() {
	local name=$1 got

	shift
	got=$("$PCSAMPLE" report -i one.data --sort sym -q -t '|' --addresses "$@" |
		awk -F '|' '!/^#/ { print $4 }')
	[[ $got == "[.] $name" ]] || {
		"$PCSAMPLE" report -i one.data -v "$@" || :
		die "the sample is in '$got', not in '$name'"
	}
}

build_id() {
	readelf -n "$1" | awk '/Build ID/ { print $3 }'
}

position_independent_or_not() {
	local flags at

	for flags in -pie -no-pie '-static' '-no-pie -Wl,-Ttext-segment=0x7000000'; do
		program "$flags"
		for at in first second main; do
			address prog $at
		done | samples prog
		"$PCSAMPLE" script -i one.data -F sym > said
		printf ' %s\n' first second main | diff - said || die "$flags"
	done
}

symbols_by_build_id() {
	local id at

	program
	id=$(build_id prog)
	at=$(offset prog "$(address prog second)")
	mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}" root/bin
	objcopy --only-keep-debug prog "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	strip -o root/bin/prog prog
	one_sample prog "$at" "$id" /bin/prog
	name_is second --symfs "$PWD/root"
	# Without the program, the debug file is enough
	rm root/bin/prog
	name_is second --symfs "$PWD/root"
}

# A program in memory, as runc runs, is in no file of its path; its build id tells whose code it is
program_in_memory() {
	local id at

	program
	id=$(build_id prog)
	at=$(offset prog "$(address prog second)")
	one_sample prog "$at" "$id" '/memfd:runc_cloned:/proc/self/exe'
	"$PCSAMPLE" report -i one.data > said
	says said '[.] [unknown]'
	mkdir -p ".debug/.build-id/${id:0:2}/${id:2}"
	cp prog ".debug/.build-id/${id:0:2}/${id:2}/elf"
	HOME=$PWD name_is second
	# What is made there has no id
	one_sample prog "$at" '' '/memfd:jit'
	HOME=$PWD "$PCSAMPLE" report -i one.data > said
	says said '/tmp/perf-10.map: '
}

# Recordings have the first 20 bytes of a longer build id
long_build_id() {
	local at id=00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210

	program "-Wl,--build-id=0x$id"
	at=$(offset prog "$(address prog second)")
	one_sample prog "$at" "${id:0:40}"
	name_is second
	if perf version > /dev/null 2>&1; then
		perf record -q -N -e page-faults:u -c 1 -o real.data -- ./prog
		"$PCSAMPLE" report -i real.data -v > said
		! grep 'prog: is another file' said || die "the program is that one"
		perf buildid-list -i real.data > ids
		says ids "${id:0:40}"
	fi
	split_debug prog
	name_is second
	"$PCSAMPLE" archive -q -i one.data -o one.tar
	rm prog prog.debug
	name_is second --archive one.tar
}

# perf inject --mmap2-buildids: the attributes do not ask for build ids
build_ids_of_perf_inject() {
	local id at

	need python3
	program
	id=$(build_id prog)
	at=$(offset prog "$(address prog second)")
	one_sample prog "$at" "$id"
	python3 - <<-'END'
		import struct
		data = bytearray(open("one.data", "rb").read())
		at = struct.unpack_from("<Q", data, 24)[0] + 40
		flags, = struct.unpack_from("<Q", data, at)
		assert flags >> 34 & 1, "no build_id"
		struct.pack_into("<Q", data, at, flags & ~(1 << 34))
		open("one.data", "wb").write(data)
	END
	name_is second
}

symbols_by_debug_link() {
	local at place

	program -Wl,--build-id=none
	at=$(offset prog "$(address prog second)")
	split_debug prog
	for place in . .debug; do
		mkdir -p $place
		[[ $place == . ]] || mv prog.debug $place/
		one_sample prog "$at"
		name_is second
	done
	# The debug file of another program has another checksum, and is not used
	echo more >> .debug/prog.debug
	name_is "$(printf '0x%016x' "$at")"
}

symbols_in_minidebuginfo() {
	local at

	need xz
	program
	at=$(offset prog "$(address prog second)")
	nm prog | awk '$2 == "t" { print $3 }' > keep
	objcopy --only-keep-debug prog full
	objcopy -S --remove-section .comment --keep-symbols=keep full mini
	strip prog
	xz mini
	objcopy --add-section .gnu_debugdata=mini.xz prog
	one_sample prog "$at"
	name_is second
}

moved_by_prelink() {
	local at id

	# As after prelink(8): the program has moved, its debug file has not
	program
	id=$(build_id prog)
	mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}" root/bin
	objcopy --only-keep-debug prog "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	at=$(offset prog "$(address prog second)")
	strip -o root/bin/prog prog
	python3 - root/bin/prog <<-'END' || skip "no python3"
		import struct, sys
		data = bytearray(open(sys.argv[1], 'rb').read())
		phoff, = struct.unpack_from('<Q', data, 32)
		phsize, phnum = struct.unpack_from('<HH', data, 54)
		for i in range(phnum):
		    at = phoff + i * phsize
		    vaddr, paddr = struct.unpack_from('<QQ', data, at + 16)
		    struct.pack_into('<QQ', data, at + 16, vaddr + 0x41000000, paddr + 0x41000000)
		open(sys.argv[1], 'wb').write(data)
	END
	one_sample prog "$at" "$id" /bin/prog
	name_is second --symfs "$PWD/root"
}

replaced_program_is_not_believed() {
	local id at

	program
	id=$(build_id prog)
	at=$(offset prog "$(address prog first)")
	one_sample prog "$at" "$id"
	name_is first
	# Another program of the same name, with other code at this address
	{ echo 'int before(int x) { return x * x + 11; }'; cat prog.c; } > other.c
	gcc -O1 -g -o prog other.c
	name_is "$(printf '0x%016x' "$at")"
	"$PCSAMPLE" report -i one.data -v > said
	says said 'another file now than the recorded one (build id)'
}

# Two processes have a file of one path and inode number, on two devices: here is the first one's.
# Both files' build ids are in the header, which does not tell which is whose.
inodes_of_two_devices() {
	local at inode device header

	case $(stat -f -c %T .) in
	btrfs | overlayfs) skip "records have other devices than stat(2) here" ;;
	esac
	program
	at=$(offset prog "$(address prog first)")
	read -r device inode < <(stat -c '%Hd:%Ld %i' prog)
	python3 - "$PWD/prog" "$(build_id prog)" <<-'END'
		import struct, sys
		path = sys.argv[1].encode() + bytes(64 - len(sys.argv[1]) % 64)
		with open("ids", "wb") as f:
		    for id in sys.argv[2], "00112233445566778899aabbccddeeff00112233":
		        f.write(struct.pack("<IHHi20sB3x", 0, 2, 36 + len(path), -1,
		                            bytes.fromhex(id), 20) + path)
	END
	for header in '' 'blob 2 ids'; do
		cat <<-END | "$MKREC" one.data
			comm 10 10 here 0
			comm 20 20 there 0
			mmap 10 0x10000000 0x10000000 0 $PWD/prog 0 $device $inode
			mmap 20 0x10000000 0x10000000 0 $PWD/prog 0 0:12345 $inode
			sample user $((0x10000000 + at)) 10 10 1 0
			sample user $((0x10000000 + at)) 20 20 1 0
			$header
		END
		"$PCSAMPLE" report -i one.data --sort comm,sym -t '|' --addresses -v > said
		says said '|here|[.] first'
		says said "|there|[.] $(printf '0x%016x' "$at")"
		says said 'prog: is another file now than the recorded one (inode'
	done
}

# same_stubs TRIPLET- OPTION...: a program linked like this has the stubs that objdump(1) prints
stubs_by_objdump() {
	objdump -d stubs | sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/0x\1 \2/p'
}

# Read the slot that each stub loads: objdump of binutils 2.44 assumes that stubs which begin with a
# BTI are 16 bytes long.
stubs_by_aarch64-linux-gnu-() {
	python3 - <<-'END'
		import re, subprocess

		def run(*command):
		    return subprocess.run(["aarch64-linux-gnu-" + command[0], *command[1:],
		                           "stubs"], check=True, capture_output=True,
		                          text=True).stdout

		slot = r"^([0-9a-f]{16}) .*_(?:JUMP_SLOT|GLOB_DAT?) +[0-9a-f]+ ([^ @]+)"
		names = {int(at, 16): name
		         for at, name in re.findall(slot, run("readelf", "-rW"), re.M)}
		before, page = "", 0
		text = run("objdump", "-d", "-j", ".plt", "--no-show-raw-insn")
		for at, insn in re.findall(r"^ +([0-9a-f]+):\t(.*)$", text, re.M):
		    at = int(at, 16)
		    if m := re.match(r"adrp\tx16, ([0-9a-f]+)", insn):
		        page, start = int(m[1], 16), at - 4 if before.startswith("bti") else at
		    elif m := re.match(r"ldr\tx17, \[x16(?:, #(\d+))?\]", insn):
		        name = names.get(page + int(m[1] or 0))
		        if name:
		            print(f"{start:#x} {name}@plt")
		    before = insn
	END
}

same_stubs() {
	local prefix=$1 at name n=0

	shift
	printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' \
		'int main(int c, char **v) { puts(v[0]); return atoi(v[0]) + getchar(); }' > stubs.c
	"${prefix}gcc" -O1 -fno-builtin -fPIC "$@" -o stubs stubs.c 2> said || {
		skip "$* does not link here: $(tail -n 1 said)"
	}
	"stubs_by_${prefix:-objdump}" > stubs.list
	while read -r at name; do
		printf '%s\n%s + 4\n' "$at" "$at"
		printf ' %s\n' "$name" "$name" >&3
		n=$((n + 1))
	done < stubs.list > places 3> expected
	((n >= 3)) || die "$n stubs with $*"
	samples stubs < places
	"$PCSAMPLE" script -i one.data -F sym > said
	diff expected said || die "$prefix $*"
	echo "$prefix $*: $n stubs"
}

# .plt, .plt.got and .plt.sec
stubs_of_x86_64() {
	local flags

	[[ $(uname -m) == x86_64 ]] || skip "not on x86-64"
	for flags in '-fcf-protection=none -Wl,-z,lazy' '-fcf-protection=none -Wl,-z,now' \
		'-fcf-protection=full -Wl,-z,lazy,-z,ibtplt' \
		'-fcf-protection=full -Wl,-z,now,-z,ibtplt'; do
		# shellcheck disable=SC2086 # a list of options
		same_stubs '' $flags
	done
	readelf -SW stubs | grep -q '\.plt\.sec' || die "no .plt.sec"
	readelf -SW stubs | grep -q '\.plt\.got' || die "no .plt.got"
}

# Entries of 16 bytes, of 24 bytes with BTI or pointer authentication, and a header with BTI
stubs_of_arm64() {
	local flags

	need aarch64-linux-gnu-gcc
	for flags in -Wl,-z,lazy -Wl,-z,now '-mbranch-protection=standard -Wl,-z,lazy' \
		-Wl,-z,force-bti -Wl,-z,pac-plt '-no-pie -Wl,-z,force-bti' \
		'-mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt'; do
		# shellcheck disable=SC2086 # a list of options
		same_stubs aarch64-linux-gnu- $flags
	done
}

mapping_symbols_name_nothing() {
	local CC=aarch64-linux-gnu-gcc at

	need $CC
	cat > a.s <<-'END'
		.text
		.globl code
		.type code, %function
		code:	nop
			b 1f
			.word 0xdeadbeef
		1:	ret
		.size code, . - code
	END
	$CC -nostdlib -shared -o liba.so a.s
	nm liba.so | grep -q " [$]d" || die "no mapping symbols"
	at=$(address liba.so code)
	one_sample liba.so $(($(offset liba.so "$at") + 8))
	name_is code
	one_sample liba.so $(($(offset liba.so "$at") + 12))
	name_is code
}

# A program of 32-bit Arm, in which T32 functions have odd symbols, and $a, $t and $d name nothing
aarch32_programs() {
	need python3
	python3 "$here/aarch32.py" prog > places
	{
		echo 'comm 10 10 prog 0'
		echo "mmap 10 0x10000 0x1000 0 $PWD/prog 0"
		awk '{ print "sample user", $1, 10, 10, NR, 0 }' places
	} | "$MKREC" one.data
	"$PCSAMPLE" script -i one.data -F sym > said
	awk '{ print " " $2 }' places | diff - said
	"$PCSAMPLE" report -i one.data --sort dso,sym -q -t '|' | cut -d '|' -f 3- | sort > rows
	awk '{ n[$2]++ } END { for (f in n) print n[f] "|prog|[.] " f }' places | sort |
		diff - rows
	# Addresses alone, and why
	"$PCSAMPLE" annotate -i one.data thumb_work > said
	says said 'Samples:   5 of'
	[[ $(grep -c '20.00%.* 1  *0x[0-9a-f]* *$' said) == 5 ]] || die "$(< said)"
	! "$PCSAMPLE" version --feature capstone ||
		says said 'Code:      no disassembler for 32-bit Arm, only for arm64 and x86-64'
}

indirect_functions() {
	local flags at size i

	cat > ifunc.c <<-'END'
		static int fast(int x) { return x * 7; }
		static int (*choose(void))(int) { return fast; }
		int work(int) __attribute__((ifunc("choose")));
		int main(int c, char **v) { return work(c); }
	END
	gcc -O1 -o prog ifunc.c
	one_sample prog "$(offset prog "$(address prog fast)")"
	name_is fast
	# A stub has the name of the ifunc symbol, not that of the resolver
	for flags in '' -static -no-pie; do
		# shellcheck disable=SC2086 # none, or one
		gcc -O1 -o prog ifunc.c $flags
		{
			echo 'comm 10 10 prog 0'
			echo "mmap 10 0x10000000 0x10000000 0 $(realpath prog) 0"
			read -r at size < <(readelf -SW prog |
				awk '{ sub(/\[ *[0-9]+\]/, "") } $1 == ".plt" { print $4, $5 }')
			for ((i = 0; i < 0x$size; i += 8)); do
				echo "sample user $((0x10000000 + 0x$at + i)) 10 10 1 0"
			done
		} | "$MKREC" one.data
		"$PCSAMPLE" report -i one.data --sort sym -q -t '|' --addresses > said
		says said '[.] work@plt'
		! grep -F '*ABS*' said || die "a stub without a name"
	done
}

names_of_cpp_and_rust() {
	need_feature libiberty
	cat > a.s <<-'END'
		.text
		.globl _ZN3abc3defEi, _RNvCs1234_7mycrate3foo
		.type _ZN3abc3defEi, @function
		.type _RNvCs1234_7mycrate3foo, @function
		_ZN3abc3defEi: ret
		.size _ZN3abc3defEi, 1
		_RNvCs1234_7mycrate3foo: ret
		.size _RNvCs1234_7mycrate3foo, 1
	END
	gcc -nostdlib -shared -o liba.so a.s
	one_sample liba.so "$(offset liba.so "$(address liba.so _ZN3abc3defEi)")"
	name_is abc::def
	name_is _ZN3abc3defEi --no-demangle
	one_sample liba.so "$(offset liba.so "$(address liba.so _RNvCs1234_7mycrate3foo)")"
	name_is mycrate::foo
}

inlined_functions_and_lines() {
	need_feature libdw
	cat > prog.c <<-'END'
		static inline __attribute__((always_inline)) int inner(volatile int *x)
		{
			return *x * *x;
		}
		static inline __attribute__((always_inline)) int middle(volatile int *x)
		{
			return inner(x) + 1;
		}
		int outer(volatile int *x) { return middle(x); }
		int main(int c, char **v) { return outer(&c); }
	END
	for cc in gcc clang; do
		command -v $cc > /dev/null || continue
		$cc -O1 -g -o prog prog.c
		one_sample prog "$(offset prog "$(address prog outer)")"
		"$PCSAMPLE" script -i one.data -F sym,srcline,inline > said
		at=$PWD/prog.c
		says said " outer inner inlined $at:3 middle inlined $at:7 $at:9"
		# and from a separate file
		split_debug prog
		"$PCSAMPLE" script -i one.data -F sym,srcline,inline > said
		says said " outer inner inlined $PWD/prog.c:3"
	done
}

# A dump: old() at 0x1000 since time 100, new() in its place since 200, moved() at 0x3000 since 300
jit_dump() {
	need python3
	python3 - "$1" <<-'END'
		import struct, sys
		out = struct.pack('<IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, 10, 0, 0)
		def load(time, addr, index, name):
		    body = struct.pack('<IIQQQQ', 10, 10, addr, addr, 16, index)
		    body += name + b'\0' + bytes(16)
		    return struct.pack('<IIQ', 0, 16 + len(body), time) + body
		out += load(100, 0x1000, 1, b'old') + load(200, 0x1000, 2, b'new')
		out += struct.pack('<IIQIIQQQQQ', 1, 64, 300, 10, 10, 0x3000, 0x1000, 0x3000, 16, 2)
		out += struct.pack('<IIQ', 3, 16, 400)
		open(sys.argv[1], 'wb').write(out)
	END
}

generated_code_by_jitdump() {
	jit_dump jit-10.dump
	cat <<-END > rec
		clockid 1
		comm 10 10 vm 0
		mmap 10 0x900000 0x1000 0 $PWD/jit-10.dump 1
		mmap 10 0x1000 0x4000 0 //anon 2
		sample user 0x1004 10 10 50 0
		sample user 0x1004 10 10 150 0
		sample user 0x1004 10 10 250 0
		sample user 0x300f 10 10 350 0
	END
	"$MKREC" jit.data < rec
	"$PCSAMPLE" script -i jit.data -F time,sym > said
	diff - said <<-END
		    0.000000:  [unknown]
		    0.000000:  old
		    0.000000:  new
		    0.000000:  new
	END
	# A truncated dump is read as far as it goes
	for n in 0 39 60 100 140 200; do
		head -c "$n" jit-10.dump > part && mv part jit-10.dump
		"$PCSAMPLE" script -i jit.data -F sym > said
	done
}

generated_code_by_perf_map() {
	local map=/tmp/perf-$$.map

	printf '1000 10 generated\n1010 10 more code\n' > "$map"
	cat <<-END | "$MKREC" one.data
		comm $$ $$ vm 0
		mmap $$ 0x1000 0x1000 0 //anon 0
		sample user 0x1018 $$ $$ 1 0
	END
	name_is 'more code'
	# With --symfs the map is below that directory
	mkdir -p root/tmp
	mv "$map" root/tmp/
	name_is 'more code' --symfs "$PWD/root"
	if [[ $EUID == 0 ]]; then
		# The file of another user is not trusted
		mv "root$map" "$map"
		chown 65534 "$map"
		name_is 0x0000000000001018
		"$PCSAMPLE" report -i one.data -v > said
		says said "another user's"
	fi
	rm -f "$map"
}

map_in_a_container() {
	local pid inside

	[[ $EUID == 0 ]] || skip "not root"
	unshare --mount --pid --fork --mount-proc true 2> /dev/null || skip "no namespaces here"
	mkdir own
	unshare --mount --pid --fork --mount-proc bash -c '
		exec 3> own/ready
		mount -t tmpfs none /tmp
		echo "1000 10 in_container" > /tmp/perf-1.map
		echo ready >&3
		exec sleep 100' &
	inside=$!
	until_true test -s own/ready
	pid=$(pgrep -P $inside)
	cat <<-END | "$MKREC" one.data
		comm $pid $pid vm 0
		mmap $pid 0x1000 0x1000 0 //anon 0
		sample user 0x1008 $pid $pid 1 0
	END
	name_is in_container
	"$PCSAMPLE" report -i one.data -v > said
	# The first process of a PID namespace ignores signals for which it has no handler, but
	# SIGKILL
	kill -KILL "$pid"
	! grep 'No such file' said || die "the map was found"
}

# The recording has the recorded machine's vDSO; this machine may be another architecture
# vdso_samples OFFSET...: a recording of another machine, with a sample at each offset in ./vdso.so
vdso_samples() {
	{
		echo 'feature 6 aarch64'
		echo 'feature 4 6.12.0'
		echo "blob 242 $PWD/vdso.so"
		echo 'comm 10 10 prog 0'
		echo 'mmap 10 0xffff80000000 0x1000 0 [vdso] 0'
		for offset; do
			echo "sample user $((0xffff80000000 + offset)) 10 10 1 0"
		done
	} | "$MKREC" one.data
}

vdso_of_another_machine() {
	need aarch64-linux-gnu-gcc
	cat > vdso.s <<-'END'
		.text
		.globl __kernel_clock_gettime
		.type __kernel_clock_gettime, %function
		__kernel_clock_gettime:
			mrs x0, cntvct_el0
			ret
		.size __kernel_clock_gettime, . - __kernel_clock_gettime
	END
	aarch64-linux-gnu-gcc -nostdlib -shared -s -o vdso.so vdso.s
	vdso_samples "$(offset vdso.so "$(nm -D vdso.so | awk '{ print "0x" $1 }')") + 4"
	name_is __kernel_clock_gettime
	"$PCSAMPLE" annotate -i one.data __kernel_clock_gettime > said
	says said ret
}

# The vDSO's symbol table has what programs link to. Other functions have their bounds in the call
# frame information, and their names in a debug file. Parts of a function have bounds as well.
vdso_functions_without_symbols() {
	local at

	need aarch64-linux-gnu-gcc
	cat > vdso.s <<-'END'
		.text
		.globl __kernel_clock_gettime
		.type read_clock, %function
		read_clock:
			.cfi_startproc
			mrs x0, cntvct_el0
			ret
			.cfi_endproc
		.size read_clock, . - read_clock
			.zero 16
		.type __kernel_clock_gettime, %function
		__kernel_clock_gettime:
			.cfi_startproc
			b read_clock
			.cfi_endproc
			.cfi_startproc
			ret
			.cfi_endproc
		.size __kernel_clock_gettime, . - __kernel_clock_gettime
	END
	aarch64-linux-gnu-gcc -nostdlib -shared -Wl,--build-id,--eh-frame-hdr -o vdso.so vdso.s
	at=$((16#$(nm vdso.so | awk '$3 == "read_clock" { print $1 }')))
	cp vdso.so vdso.dbg
	aarch64-linux-gnu-strip vdso.so
	vdso_samples "$at" $((at + 4)) $((at + 8)) $((at + 20)) $((at + 24)) $((at + 28))
	"$PCSAMPLE" script -i one.data -F ip,sym | awk 'NF { print $2 }' > names
	printf 'func@%#x\n' "$at" "$at" > want
	printf '%s\n' '[unknown]' '[unknown]' __kernel_clock_gettime __kernel_clock_gettime >> want
	diff want names
	"$PCSAMPLE" annotate -i one.data "$(printf 'func@%#x' "$at")" > said
	says said cntvct_el0
	at=$(build_id vdso.so)
	mkdir -p "root/usr/lib/debug/.build-id/${at:0:2}"
	cp vdso.dbg "root/usr/lib/debug/.build-id/${at:0:2}/${at:2}.debug"
	"$PCSAMPLE" script -i one.data --symfs root -F ip,sym | awk 'NF { print $2 }' > names
	sed 's/^func@.*/read_clock/' want | diff - names
}

# The list does not tell where a BPF program ends, but a trampoline of ftrace is not in it
lists_of_made_code() {
	printf '%s\n' 'ffffffff81000000 T _text' $'ffffffffc0000000 t program\t[bpf]' \
		$'ffffffffc0001000 t trampoline\t[__builtin__ftrace]' > list
	{
		echo 'sample kernel 0xffffffffc0000010 7 7 100 0'
		echo 'sample kernel 0xffffffffc0001010 7 7 101 0'
	} | "$MKREC" one.data
	"$PCSAMPLE" script -i one.data --kallsyms list -F ip,sym > said
	says said 'ffffffffc0000010 program'
	says said 'ffffffffc0001010 trampoline'
}

# All names come from the list in the recording: of a kernel that does not run here, with BPF
# programs between the modules
modules_after_a_reboot() {
	local program=ffff800079000000

	need zstd
	cat > kallsyms <<-END
		ffff800080000000 T _text
		ffff800080010000 T vfs_read
		ffff800080020000 T _etext
		ffff800078000000 t ext4_write	[ext4]
		ffff800078001000 t ext4_read	[ext4]
		ffff80007a000000 t nfs_read	[nfs]
		$program t bpf_prog_0011223344556677_early	[bpf]
		ffff800079000400 t bpf_prog_8899aabbccddeeff_other	[bpf]
		ffff800077000000 t bpf_trampoline_6442536467	[bpf]
		ffff80007b000000 t kprobe_insn_page	[__builtin__kprobes]
	END
	zstd -q kallsyms
	cat <<-END | "$MKREC" one.data
		feature 6 aarch64
		feature 4 6.12.0
		blob 241 $PWD/kallsyms.zst
		kernel 0xffff800080000000 0x1000000 0xffff800080000000 [kernel.kallsyms]_text 0
		kernel 0xffff800078000000 0x2000 0 /lib/modules/6.12.0/kernel/ext4.ko 0
		ksymbol 0xffff800079000400 0x80 bpf_prog_8899aabbccddeeff_other 4
		comm 10 10 prog 0
		sample kernel 0xffff800080010010 10 10 5 0
		sample kernel 0xffff800078001010 10 10 6 0
		sample kernel 0xffff80007a000010 10 10 7 0
		sample kernel 0xffff8000790003f0 10 10 8 0
		sample kernel 0xffff800079000410 10 10 9 0
		sample kernel 0xffff800077000010 10 10 10 0
		sample kernel 0xffff80007b000010 10 10 11 0
	END
	"$PCSAMPLE" script -i one.data -F sym,dso > said
	diff - said <<-END
		 vfs_read ([kernel.kallsyms])
		 ext4_read (/lib/modules/6.12.0/kernel/ext4.ko)
		 nfs_read ([nfs])
		 bpf_prog_0011223344556677_early (bpf_prog_0011223344556677_early)
		 bpf_prog_8899aabbccddeeff_other (bpf_prog_8899aabbccddeeff_other)
		 bpf_trampoline_6442536467 (bpf_trampoline_6442536467)
		 kprobe_insn_page (kprobe_insn_page)
	END
	# The same kernel at another address: symbols are shifted; where its modules were is unknown
	sed 's/ffff8000\(8\)/ffffa000\1/' kallsyms > moved
	"$PCSAMPLE" script -i one.data --kallsyms moved -F sym,dso > said
	says said ' vfs_read ([kernel.kallsyms])'
	! grep -q nfs_read said || die "a module where another may be"
}

# dump_in_container NAME: sleep in new namespaces, with a dump that has one function
dump_in_container() {
	# shellcheck disable=SC2016
	unshare --mount --pid --fork --mount-proc bash -c '
		cd / && mount -t tmpfs none /tmp
		python3 -c "import struct, sys
body = struct.pack(\"<IIQQQQ\", 1, 1, 0x1000, 0x1000, 16, 1) + sys.argv[1].encode() + bytes(17)
open(\"/tmp/jit-1.dump\", \"wb\").write(
    struct.pack(\"<IIIIIIQQ\", 0x4a695444, 1, 40, 62, 0, 1, 0, 0) +
    struct.pack(\"<IIQ\", 0, 16 + len(body), 100) + body)" "$0"
		touch /tmp/ready
		exec sleep 100' "$1" &
	until_true has_dump $!
	inside=$(pgrep -P $!)
}

has_dump() {
	test -e "/proc/$(pgrep -P "$1")/root/tmp/ready"
}

# Two containers, each with a process 1 and its own /tmp/jit-1.dump
jitdumps_in_containers() {
	local one two

	[[ $EUID == 0 ]] || skip "not root"
	need python3
	unshare --mount --pid --fork --mount-proc true 2> /dev/null || skip "no namespaces here"
	dump_in_container first
	one=$inside
	dump_in_container second
	two=$inside
	{
		echo 'clockid 1'
		for pid in "$one" "$two"; do
			echo "comm $pid $pid vm 0"
			echo "namespaces $pid $(stat -L -c %i "/proc/$pid/ns/mnt") 0"
			echo "mmap $pid 0x900000 0x1000 0 /tmp/jit-1.dump 1"
			echo "sample user 0x1004 $pid $pid 150 0"
		done
	} | "$MKREC" one.data
	"$PCSAMPLE" script -i one.data -F sym > said
	diff - said <<-END
		 first
		 second
	END
	"$PCSAMPLE" archive -q -i one.data -o one.tar
	kill -KILL "$one" "$two"
	until_true test ! -e "/proc/$one/root/tmp" -a ! -e "/proc/$two/root/tmp"
	"$PCSAMPLE" report -i one.data -v > said
	says said '/tmp/jit-1.dump: is in a container'
	# In the archive, each process has its own dump
	"$PCSAMPLE" script --archive one.tar -F sym > said
	diff - said <<-END
		 first
		 second
	END
}

# kernel_with BUILD-ID RELEASE [WORD]: write a recording without a list of build ids in its header
kernel_with() {
	cat <<-END | "$MKREC" one.data
		feature 6 $(uname -m)
		feature 4 $2
		${3:-}
		kernel 0x$start 0x10000000 0x$start [kernel.kallsyms]_text 0 $1
		comm 10 10 prog 0
		sample kernel 0x$at 10 10 5 0
	END
}

# Kernels of one release may differ. perf record 7.2 writes no list of build ids in the
# header, but the kernel's in the record of its mapping.
kernel_by_build_id_of_its_mapping() {
	local id start at form

	id=$(od -An -v -tx1 -j 16 -N 20 /sys/kernel/notes | tr -d ' \n') || skip "no notes"
	[[ $(head -c 16 /sys/kernel/notes | tail -c 4) == GNU ]] 2> /dev/null ||
		skip "the build id is not the first note"
	start=$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)
	at=$(awk '$3 == "vfs_read" { print $1 }' /proc/kallsyms)
	[[ -n $at && $at != 0000000000000000 ]] || skip "no addresses in /proc/kallsyms"
	for form in '' pipe; do
		kernel_with "$id" another "$form"
		"$PCSAMPLE" script -i one.data -F sym > said
		says said vfs_read
		kernel_with "${id:2}00" "$(uname -r)" "$form"
		"$PCSAMPLE" script -i one.data -F sym > said
		says said '[unknown]'
		"$PCSAMPLE" report -i one.data > said
		says said 'does not run here: no kernel symbols'
	done
	# Also where no thread works ahead
	"$PCSAMPLE" report -i one.data --threads 1 > said
	says said 'does not run here: no kernel symbols'
}

# With page-table isolation, arm64 enters and leaves the kernel by a copy of some of its pages
trampoline_of_arm64() {
	printf '%s\n' 'ffffab5c2c810000 T _text' 'ffffab5c2e4f6000 t tramp_vectors' \
		'ffffab5c2e4f6000 T __entry_tramp_text_start' 'ffffab5c2e4f8000 t tramp_exit' \
		'ffffab5c2e4f9000 T __entry_tramp_text_end' > kallsyms
	cat <<-END | "$MKREC" one.data
		feature 6 aarch64
		kernel 0xffffab5c2c810000 0x2000000 0xffffab5c2c810000 [kernel.kallsyms]_text 0
		comm 10 10 prog 0
		sample kernel 0xffffffffff5f4430 10 10 1 0
		sample kernel 0xffffffffff5f6010 10 10 2 0
	END
	"$PCSAMPLE" script -i one.data --kallsyms kallsyms -F sym,dso > said
	diff - said <<-END
		 tramp_vectors ([kernel.kallsyms])
		 tramp_exit ([kernel.kallsyms])
	END
	# Without a sample on the way out, the address may be in any of the pages
	cat <<-END | "$MKREC" one.data
		feature 6 aarch64
		kernel 0xffffab5c2c810000 0x2000000 0xffffab5c2c810000 [kernel.kallsyms]_text 0
		sample kernel 0xffffffffff5f4430 10 10 1 0
	END
	"$PCSAMPLE" script -i one.data --kallsyms kallsyms -F sym,dso > said
	says said ' [unknown]'
}

# serve ANSWER: start a debuginfod server of the files below served/, or one that accepts requests
# and never answers. Sets DEBUGINFOD_URLS; the file asked has the requests.
serve() {
	need python3
	: > asked
	python3 - "$1" <<-'END' &
		import http.server, os, socketserver, sys, threading

		class Handler(http.server.SimpleHTTPRequestHandler):
		    def __init__(self, *args):
		        super().__init__(*args, directory="served")
		    def do_GET(self):
		        with open("asked", "a") as f:
		            f.write(self.path + "\n")
		        if sys.argv[1] == "never":
		            threading.Event().wait(100)
		        super().do_GET()
		    def log_message(self, *args):
		        pass

		class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
		    daemon_threads = True

		server = Server(("127.0.0.1", 0), Handler)
		with open("port.new", "w") as f:
		    f.write(str(server.server_port))
		os.rename("port.new", "port")
		server.serve_forever()
	END
	server=$!
	trap 'kill $server' EXIT
	until_true test -s port
	DEBUGINFOD_URLS="http://127.0.0.1:$(< port)/"
	export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH=$PWD/cache no_proxy='*'
}

# served_program: prog is stripped, the original is on the server, one.data has a sample in it
served_program() {
	local id

	program
	id=$(build_id prog)
	mkdir -p "served/buildid/$id"
	one_sample prog "$(offset prog "$(address prog second)")" "$id"
	cp prog "served/buildid/$id/executable"
	objcopy --only-keep-debug prog "served/buildid/$id/debuginfo"
	strip prog
}

servers_are_asked_if_wanted() {
	need_feature debuginfod
	served_program
	serve at_once
	# Without the option no server is asked, whatever the environment says
	"$PCSAMPLE" report -i one.data > said
	"$PCSAMPLE" export -i one.data -f folded > said
	"$PCSAMPLE" annotate -i one.data > said || :
	[[ ! -s asked && ! -e cache ]] || die "asked for $(< asked)"
	name_is second --debuginfod
	says asked /debuginfo
	"$PCSAMPLE" script -i one.data -F sym,srcline --debuginfod > said
	says said "second $PWD/prog.c:2"
	# The program is missing, and the option names the server
	rm -r cache prog
	: > asked
	DEBUGINFOD_URLS='' status 129 "$PCSAMPLE" report -i one.data --debuginfod 2> said
	says said 'no servers: set DEBUGINFOD_URLS'
	name_is second "--debuginfod=$DEBUGINFOD_URLS"
	says asked /executable
	# A file that the server does not have is not worth a complaint
	rm -r cache served/buildid
	"$PCSAMPLE" report -i one.data --debuginfod > said 2> complaints
	[[ ! -s complaints ]] || die "$(< complaints)"
	# But a server that cannot be reached is
	kill $server
	wait $server || :
	trap - EXIT
	rm -rf cache
	"$PCSAMPLE" report -i one.data --debuginfod > said 2> complaints
	says complaints 'not asked again'
	[[ $(wc -l < complaints) == 1 ]] || die "more than a line"
}

servers_that_never_answer() {
	local start

	need_feature debuginfod
	served_program
	cat <<-END | "$MKREC" one.data
		mmap 10 0x10000000 0x10000000 0 $PWD/prog 0 $(build_id prog)
		mmap 10 0x20000000 0x10000000 0 $PWD/gone 0 000102030405060708090a0b0c0d0e0f10111213
		sample user 0x10001000 10 10 1 0
		sample user 0x20001000 10 10 1 0
	END
	serve never
	start=${EPOCHREALTIME/./}
	DEBUGINFOD_TIMEOUT=2 timeout 60 "$PCSAMPLE" report -i one.data --debuginfod \
		--threads 1 > said 2> complaints
	between 2000 $(((${EPOCHREALTIME/./} - start) / 1000)) 50000
	says complaints "no answer of $DEBUGINFOD_URLS in 2 s: not asked again"
	[[ $(wc -l < asked) == 1 ]] || die "asked again: $(< asked)"
	# At a terminal, it says what it waits for
	TERM=xterm DEBUGINFOD_TIMEOUT=3 PCSAMPLE_PAGER=cat timeout 60 python3 -c 'import pty, sys
pty.spawn(sys.argv[1:])' "$PCSAMPLE" report -i one.data --debuginfod --threads 1 > shown
	says shown 'asking debuginfod for '
}

# image FILE ADDRESS FUNCTION...: build an ELF image with these functions, linked at ADDRESS
image() {
	local file=$1 at=$2 f

	shift 2
	for f; do
		printf '%s\n' ".globl $f" ".type $f, %function" "$f: add x0, x0, #1" "b $f" \
			".size $f, . - $f"
	done > image.s
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none,-e,0 -Wl,-Ttext-segment="$at" \
		-o "$file" image.s
}

# world EL NS NSE FILE FUNCTION [BIAS]: a sample in FUNCTION, as the driver reports code outside
# Linux
world() {
	local pc

	pc=$(address "$4" "$5")
	printf 'hw 0 -1 -1 %d 0 %#x 0 4\n' $((++time)) \
		$((($2 << 63) | ($1 << 61) | ($3 << 59) | (pc + ${6:-0})))
}

# Firmware, hypervisors and other code outside Linux is found by level, state and address
images_by_load_address() {
	local time=0

	need aarch64-linux-gnu-gcc
	# Two images have the same address, and two have the same level
	image bl31.elf 0x40000000 bl31_entry psci_cpu_suspend
	image hyp.elf 0x40000000 hyp_vector hyp_run
	image plugin.elf 0x50000000 hyp_plugin
	image tee.elf 0xffffff8000000000 tee_call tee_crypto
	image rmm.elf 0x60000000 rmm_run
	{
		echo 'type 0x587'
		world 3 0 0 bl31.elf bl31_entry
		world 3 0 1 bl31.elf psci_cpu_suspend
		world 2 1 0 hyp.elf hyp_run
		world 2 1 0 plugin.elf hyp_plugin
		world 1 0 0 tee.elf tee_crypto $((0x100000 - 0xffffff8000000000))
		world 2 1 1 rmm.elf rmm_run
		# One sample in Linux, and one in no image
		echo "hw 0xffff800080000010 -1 -1 $((++time)) 0 $((1 << 63 | 2 << 61)) 0 1"
		world 3 0 1 plugin.elf hyp_plugin
	} | "$MKREC" one.data
	"$PCSAMPLE" script -i one.data --symfs el3=bl31.elf --symfs el2=hyp.elf \
		--symfs el2=plugin.elf --symfs s-el1=tee.elf@0x100000 --symfs r-el2=rmm.elf \
		--kallsyms /dev/null -F sym,dso > said
	diff - said <<-END
		 bl31_entry (bl31.elf)
		 psci_cpu_suspend (bl31.elf)
		 hyp_run (hyp.elf)
		 hyp_plugin (plugin.elf)
		 tee_crypto (tee.elf)
		 rmm_run (rmm.elf)
		 [unknown] ([unknown])
		 [unknown] ([unknown])
	END
	"$PCSAMPLE" report -i one.data --symfs el3=bl31.elf --sort el,state,dso,sym -q -t '|' > rows
	says rows 'EL3|Root|bl31.elf|[H] psci_cpu_suspend'
	[[ $(grep -c '\[H\]' rows) == 2 ]] || die "$(< rows)"
	"$PCSAMPLE" annotate -i one.data --symfs el3=bl31.elf psci_cpu_suspend > said
	says said 'x0, x0, #'
	# An image that the user names must exist
	status 1 "$PCSAMPLE" report -i one.data --symfs el3=none.elf 2> said
	says said 'none.elf: No such file'
	status 1 "$PCSAMPLE" report -i one.data --symfs el2=image.s 2> said
	says said 'image.s: no ELF file'
	[[ $(wc -l < said) == 1 ]] || die "more than a line"
	# Any other name is a directory, which must exist
	status 1 "$PCSAMPLE" report -i one.data --symfs el4=bl31.elf 2> said
	[[ $(< said) == 'pcsample report: --symfs el4=bl31.elf: No such file or directory' ]]
	status 1 "$PCSAMPLE" annotate -i one.data --symfs one.data 2> said
	[[ $(< said) == 'pcsample annotate: --symfs one.data: Not a directory' ]]
	mkdir el4=bl31.elf
	"$PCSAMPLE" report -i one.data --symfs el4=bl31.elf > said
}

tap position_independent_or_not symbols_by_build_id program_in_memory long_build_id \
	build_ids_of_perf_inject symbols_by_debug_link symbols_in_minidebuginfo moved_by_prelink \
	replaced_program_is_not_believed inodes_of_two_devices stubs_of_x86_64 stubs_of_arm64 \
	mapping_symbols_name_nothing aarch32_programs indirect_functions \
	names_of_cpp_and_rust inlined_functions_and_lines generated_code_by_jitdump \
	generated_code_by_perf_map map_in_a_container jitdumps_in_containers \
	vdso_of_another_machine vdso_functions_without_symbols modules_after_a_reboot \
	lists_of_made_code kernel_by_build_id_of_its_mapping trampoline_of_arm64 \
	images_by_load_address servers_are_asked_if_wanted servers_that_never_answer
