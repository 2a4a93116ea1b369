#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# seeds.sh DIR: make small inputs for each fuzz target, and unpack those that fuzzing found:
# tests/fuzz/found/TARGET-NAME.xxd is a hex dump of one. O is the build directory.

set -euo pipefail

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
mkrec=$(realpath "${O:?}/tests/mkrec")
mkdir -p "$1"/{perfdata,elf,dwarf,plt,images,code,build-id,kallsyms,perf-map,jitdump,tar,config}
cd "$1"

recording() {
	cat <<-END
		$1
		feature 3 host
		meta version 1
		meta period 100000
		kernel 0xffff800008000000 0x1000000 0xffff800008000000 [kernel.kallsyms]_text 0
		comm 10 10 prog 0
		mmap 10 0x1000 0x10000 0 /bin/prog 0
		mmap 10 0x4000 0x1000 0x3000 /lib/other.so 3
		mmap 10 0x9000 0x1000 0 /tmp/jit-10.dump 3
		mmap 10 0x20000 0x1000 0 //anon 4 0123456789abcdef0123456789abcdef01234567
		ksymbol 0xffff800009000000 0x100 bpf_prog_x 4
		fork 10 10 11 11 5
		comm 11 11 child 6 exec
		sample user 0x1004 10 10 7 0
		sample kernel 0xffff800008000010 11 11 8 1
		sample hyp 0x1 0 0 9 1
		lost 3
	END
}

# Parts of the recording: a list of kernel symbols, and a vDSO
printf '%s\n' 'ffff800008000000 T _text' 'ffff800008000010 t local' \
	'ffff800008000020 W weak' 'ffff800008000030 d data' \
	$'ffff800009000000 t first\t[ext4]' $'ffff800009000100 T second\t[ext4]' > kallsyms/list
linker=-Wl,-z,max-page-size=16,-z,norelro,-z,noseparate-code
small=(-O1 -fPIC -shared -nostdlib "$linker")
echo 'int gettime(int x) { return x + 1; }' | gcc "${small[@]}" -Wl,-s -x c -o code/vdso -

recording 'type 0x187' | "$mkrec" perfdata/file
recording pipe | "$mkrec" perfdata/pipe
{
	recording 'type 0x1a7'
	echo 'chain -128 0xffff800008000010 0xffff800008000020 -512 0x1004 0x4010 0x9010'
	echo 'sample kernel 0xffff800008000010 11 11 10 0'
	echo 'chain 0x1004 -640 7 -3000 8 -32 9 -2048 10 -2176 11 -2560 12'
	echo 'sample user 0x1004 10 10 11 0'
} | "$mkrec" perfdata/chains
recording 'event 0 0' | "$mkrec" perfdata/events
if command -v zstd > /dev/null; then
	zstd -q -c kallsyms/list > list.zst
	{
		recording 'type 0x187'
		printf '%s\n' 'feature 5 6.12.0' 'feature 6 aarch64' 'blob 241 list.zst' \
			'blob 242 code/vdso' 'meta note a note' 'meta scope system' \
			'meta duration 1000000' 'meta ledger.total.planned 5' \
			'mmap 10 0x70000 0x1000 0 [vdso] 5' 'sample user 0x70100 10 10 9 1' round
	} | "$mkrec" perfdata/private
	rm list.zst
fi
# Status 2: built without zstd
recording 'compress 81 200' | "$mkrec" perfdata/packed || [[ $? == 2 ]]
recording 'compress 83 150' | "$mkrec" perfdata/packed2 || [[ $? == 2 ]]
recording $'pipe\ncompress 81 300' | "$mkrec" perfdata/packed-pipe || [[ $? == 2 ]]
{
	echo 'type 0x587'
	echo 'hw 0xffff800008000010 10 10 7 0 0xa000800008000010 3 1'
} | "$mkrec" perfdata/hardware

cat > a.c <<-'END'
	static inline __attribute__((always_inline)) int inner(int x) { return x * x; }
	int outer(int x) { return inner(x) + inner(x + 1); }
	int other(int x);
	int last(int x) { return other(outer(x)); }
END
gcc "${small[@]}" -o elf/shared a.c
gcc -g "${small[@]}" -o dwarf/shared a.c
gcc -O1 -c -g1 -o dwarf/object a.c
# A function, but no unit with code: once an empty array was sorted
echo 'int x; __asm__(".text; .type f, %function; f: ret; .size f, 1");' |
	gcc -g "${small[@]}" -x c -o dwarf/no-code -
strip -o elf/stripped elf/shared
objcopy --only-keep-debug dwarf/shared dwarf/debug
# Stubs: lazy ones, resolved ones, and ifuncs of a static program
cp elf/shared plt/lazy
gcc "${small[@]}" -Wl,-z,now -fcf-protection -o plt/now a.c
cat > ifunc.c <<-'END'
	static int one(int x) { return x; }
	static int (*choose(void))(int) { return one; }
	int chosen(int x) __attribute__((ifunc("choose")));
	void _start(void) { chosen(1); for (;;) ; }
END
gcc "$linker" -O1 -static -nostdlib -no-pie -fno-pie -o plt/static ifunc.c
if command -v aarch64-linux-gnu-gcc > /dev/null; then
	aarch64-linux-gnu-gcc "${small[@]}" -o plt/arm64 a.c
	aarch64-linux-gnu-gcc "${small[@]}" -mbranch-protection=standard -o elf/arm64-bti a.c
fi
cp plt/static images/program
cp elf/* plt/* code
cp elf/shared elf/stripped plt/static build-id
rm a.c ifunc.c

printf '1000 10 name\n0x2000 20 another name\nbad\n' > perf-map/map
printf '\x44\x54\x69\x4a\x01\0\0\0\x28\0\0\0\x3e\0\0\0\0\0\0\0\x0a\0\0\0' > jitdump/dump
head -c 16 /dev/zero >> jitdump/dump
{
	printf '\0\0\0\0\x44\0\0\0\x64\0\0\0\0\0\0\0\x0a\0\0\0\x0a\0\0\0'
	printf '\0\x10\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0'
	printf 'jit\0\xc3\xc3\xc3\xc3\xc3\xc3\xc3\xc3'
	printf '\x01\0\0\0\x40\0\0\0\xc8\0\0\0\0\0\0\0\x0a\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0'
	printf '\0\x10\0\0\0\0\0\0\0\x30\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0'
} >> jitdump/dump

# Archives
(
	cd perf-map
	mkdir sub
	cp map perf.data
	cp map sub/file
	tar --format=ustar -b 1 -cf ../tar/plain perf.data sub
	! command -v zstd > /dev/null || zstd -q -o ../tar/packed ../tar/plain
	rm -r sub perf.data
)
cat > config/file <<-'END'
	# comment
	[core]
	color = auto
	pager = less -S
	[report]
	sort = comm,sym
	addresses = true
END

for found in "$here"/found/*.xxd; do
	[[ -e $found ]] || continue
	name=$(basename "$found" .xxd)
	for target in *; do
		[[ $name != "$target"-* ]] || grep -v '^#' "$found" | xxd -r > "$target/$name"
	done
done
