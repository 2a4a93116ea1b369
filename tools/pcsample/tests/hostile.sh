#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A recording, a directory of symbols and other users can name files that are not safe to read:
# FIFOs, devices, links, sparse files of a terabyte, files that shrink. Commands must return soon,
# with the rest of the report.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

# Do not use this user's ~/.debug
export HOME=/nonexistent

sanitized=$(nm "$PCSAMPLE" | grep -c __asan_init || true)

# bounded COMMAND...: it ends within a minute and with less than 4 GB of memory. A sanitized program
# reserves more, so only its time is limited.
bounded() {
	(
		[[ $sanitized != 0 ]] || ulimit -v 4000000
		exec timeout -s KILL 60 "$PCSAMPLE" "$@" < /dev/null
	)
}

# mapped PATH [BUILD-ID]: a recording with one sample in the file, and one in code without a file
mapped() {
	cat <<-END | "$MKREC" perf.data
		comm $$ $$ prog 0
		mmap $$ 0x400000 0x10000 0 $1 1 ${2:-}
		mmap $$ 0x900000 0x1000 0 //anon 1
		sample user 0x400200 $$ $$ 100 0
		sample user 0x900010 $$ $$ 101 0
	END
}

# report_comes ARG...: the report has both samples
report_comes() {
	bounded report --sort dso,sym "$@" > out
	says out '# Samples:   2 of'
}

# A file in the recording is not a valid file, or is not the one that its build id names
kept_files() {
	local id=00112233445566778899aabbccddeeff00112233 kept

	program other.so
	python3 - $id <<-'END'
		import struct, sys
		id = bytes.fromhex(sys.argv[1])
		def kept(size, stored, data, n=20):
		    return id + struct.pack("<B3xQQ", n, size, stored) + data
		elf = open("other.so", "rb").read()
		for i, b in enumerate([
		    b"x" * 100, kept(100, 50, b"x" * 56), kept(1 << 63, 8, b"x" * 8),
		    kept(8, 1 << 63, b"x" * 8), kept(64 << 20, 64, b"\x28\xb5\x2f\xfd" * 16),
		    kept(64, 64, b"x" * 64), kept(0, 0, b""), kept(len(elf), len(elf), elf),
		    kept(len(elf), len(elf), elf[:99]), kept(9, 9, b"x" * 9, 255), id[:9]]):
		        open(f"kept{i}", "wb").write(b)
	END
	for kept in kept*; do
		{
			echo "blob 243 $kept"
			echo "comm 7 7 prog 0"
			echo "mmap 7 0x400000 0x10000 0 /nowhere/prog 1 $id"
			echo "sample user 0x400200 7 7 100 0"
			echo "sample user 0x400201 7 7 101 0"
		} | "$MKREC" perf.data
		report_comes
		says out '/nowhere/prog: No such file'
	done
}

program() {
	echo 'int f(int x) { return x + 1; }' > prog.c
	gcc -g -O1 -shared -nostdlib -o "$1" prog.c
}

fifos_and_devices() {
	mkfifo fifo
	for path in "$PWD/fifo" /dev/zero /dev/stdin "$PWD" /proc/kmsg; do
		mapped "$path"
		report_comes
		bounded annotate > out 2>&1 || true
		bounded archive -q -o a.tar
	done
}

# Each of 10,000 events claims the whole file as its ids
ids_of_others() {
	local order

	for order in '<' '>'; do
		python3 - "$order" <<-'END'
			import struct, sys
			def pack(form, *values):
			    return struct.pack(sys.argv[1] + form, *values)
			n, size = 10000, 104 + 10000 * 128
			attr = pack("IIQQQQQ", 1, 112, 0, 1, 0x107, 0, 0).ljust(112, b"\0")
			head = pack("7Q", 0x32454c4946524550, 104, 128, 104, n * 128, size, 8)
			head += bytes(48)
			attr += pack("QQ", 0, size)
			open("perf.data", "wb").write(head + n * attr + pack("IHH", 68, 0, 8))
		END
		status 1 bounded report > out 2>&1
		# After the byte order was swapped, they are no longer read as attributes
		[[ $order == '>' ]] || says out 'the ids of event 1 are those of other events'
	done
}

links() {
	ln -s /dev/zero link
	mapped "$PWD/link"
	report_comes
}

holes() {
	# A sparse file of a terabyte, which is no ELF file
	truncate -s 1T hole
	mapped "$PWD/hole"
	report_comes
	# A table of 10^10 symbols
	program prog
	python3 - <<-'END'
		import struct
		data = bytearray(open("prog", "rb").read())
		shoff, = struct.unpack_from("<Q", data, 40)
		size, count = struct.unpack_from("<HH", data, 58)
		for i in range(count):
		    at = shoff + i * size
		    if struct.unpack_from("<I", data, at + 4)[0] in (2, 11):
		        struct.pack_into("<QQ", data, at + 24, len(data), 24 * 10**10)
		open("huge", "wb").write(data)
	END
	truncate -s 300G huge
	mapped "$PWD/huge"
	report_comes
	# A program names a debug file whose checksum would take hours
	objcopy --only-keep-debug prog prog.debug
	objcopy --strip-all --remove-section=.note.gnu.build-id \
		--add-gnu-debuglink=prog.debug prog linked
	objcopy --remove-section=.note.gnu.build-id prog.debug
	truncate -s 4T prog.debug
	mapped "$PWD/linked"
	report_comes
}

# Files that others can put there
maps_and_dumps() {
	local map=/tmp/perf-$$.map dump=$PWD/jit-$$.dump

	mapped "$dump"
	for kind in fifo hole link owner; do
		rm -f "$map" "$dump"
		case $kind in
		fifo)
			mkfifo "$map" "$dump"
			;;
		hole)
			truncate -s 1T "$map" "$dump"
			;;
		link)
			ln -s /dev/zero "$map"
			ln -s /dev/zero "$dump"
			;;
		owner)
			[[ $EUID == 0 ]] || continue
			echo '900000 1000 evil' | tee "$dump" > "$map"
			chown 12345 "$map" "$dump"
			;;
		esac
		report_comes
		[[ $(grep -c evil out) == 0 ]] || die "another user's map was read"
		bounded archive -q -o a.tar
		tar -tf a.tar > list
		[[ $(grep -c 'tmp/\|dump' list) == 0 ]] || die "packed: $(< list)"
	done
	rm -f "$map" "$dump"
}

# --symfs names a directory of somebody else
directory_of_symbols() {
	mkdir -p root
	mkfifo 'root/[vdso]'
	cat <<-END | "$MKREC" perf.data
		comm $$ $$ prog 0
		mmap $$ 0x70000 0x1000 0 [vdso] 1
		sample user 0x70010 $$ $$ 100 0
		sample user 0x70011 $$ $$ 101 0
	END
	report_comes --symfs root
	rm 'root/[vdso]'
	truncate -s 1T 'root/[vdso]'
	report_comes --symfs root
}

list_without_end() {
	mapped /none
	report_comes --kallsyms /dev/zero
	says out 'File too large'
}

# Debug information names a source file, which annotate reads
source_that_is_none() {
	mkdir src
	echo 'int f(int x) { return x + 1; }' > src/fifo.c
	gcc -g -O1 -shared -nostdlib -o prog "$PWD/src/fifo.c"
	rm src/fifo.c
	mkfifo src/fifo.c
	at=$((0x400000 + $(readelf -sW prog | awk '$8 == "f" { print "0x" $2; exit }')))
	cat <<-END | "$MKREC" perf.data
		mmap 7 0x400000 0x10000 0 $PWD/prog 1
		sample user $at 7 7 100 0
	END
	bounded annotate > out
	says out 'fifo.c:1'
}

# A symbol's name of some hundred bytes, each part of which has the part before it twice: in C++, in
# Rust, in Rust with characters beyond ASCII, and in C++ that could be Rust's older scheme. The text
# of the three short ones fits.
names_that_grow() {
	local at name

	need_feature libiberty
	python3 - <<-'END'
		def base(n, digits):
		    return (base(n // len(digits), digits) if n >= len(digits) else "") + \
		        digits[n % len(digits)]
		figures = "0123456789"
		lower, upper = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		# the function's name is S_; each level has a template and an instance
		def cpp(levels, first):
		    out = "_Z1fI" + first + "IiiE"
		    for k in range(1, levels):
		        last = "S" + base(2 * k - 1, figures + upper) + "_"
		        out += f"{len(str(k)) + 1}x{k}I{last}{last}E"
		    return out + "Evv"
		def rust(levels, first):
		    out, last = "INvC1a1f", 8
		    out += "T" + first + first + "E"
		    for k in range(1, levels):
		        again, last = "B" + base(last - 1, figures + lower + upper) + "_", len(out)
		        out += "T" + again + again + "E"
		    return "_R" + out + "E"
		# an associative array of two of the one before, which are so many characters before
		def d(levels):
		    again = ["THQfQh"] + ["THQhQj"] * (levels - 1)
		    return "_D1a__T1bTHii" + "".join(again) + "Zi"
		with open("names.s", "w") as f:
		    for levels in 60, 2:
		        for name in cpp(levels, "2x0"), cpp(levels, "4x17h"), rust(levels, "l"), \
		                rust(levels, "NvC1au8gdel_5qa"), d(levels):
		            f.write(f".globl {name}\n.type {name}, @function\n{name}: ret\n"
		                    f".size {name}, 1\n")
	END
	gcc -nostdlib -shared -o names names.s
	{
		echo "mmap 7 0x400000 0x10000 0 $PWD/names 1"
		readelf -sW names | awk '$4 == "FUNC" { print $2, $8 }' | sort -u |
		while read -r at name; do
			echo "$name" >> mangled
			echo "sample user $((0x400000 + 0x$at)) 7 7 100 0"
		done
	} | "$MKREC" perf.data
	bounded report --sort sym -q > out
	bounded script -F ip,sym > lines
	bounded export -f pprof -o pprof.gz
	awk 'length > 200' mangled | while read -r name; do
		says out "$name"
		says lines "$name"
	done
	says out 'f<x0<int, int>, x1<x0<int, int>, x0<int, int> > >'
	says out 'f<x17h<int, int>, x1<x17h<int, int>, x17h<int, int> > >'
	says out 'a::f::<(i32, i32), ((i32, i32), (i32, i32))>'
	says out 'a::f::<(a::gödel, a::gödel), ((a::gödel, a::gödel), (a::gödel, a::gödel))>'
}

# Lists of the kernel's symbols whose modules, or lists of made code, are as many as their lines
modules_without_number() {
	local kind

	need_feature zstd
	need zstd
	for kind in m __b; do
		awk -v kind=$kind 'BEGIN {
			print "ffffffff81000000 T _text"
			for (i = 0; i < 300000; i++)
				printf "ffffffffc%07x t f\t[%s%d]\n", i * 64, kind, i
		}' > list
		zstd -q -f list
		{
			echo 'blob 241 list.zst'
			echo "sample kernel 0xffffffffc0000040 7 7 100 0"
			echo "sample kernel 0xffffffffc0000080 7 7 101 0"
		} | "$MKREC" perf.data
		report_comes
		says out '[k] f'
	done
}

# 300,000 slots of the GOT for one function, which has as many names: stubs have the plainest one
stubs_of_one_function() {
	local at

	[[ $(uname -m) == x86_64 ]] || skip "not x86-64"
	python3 - <<-'END'
		with open("stubs.s", "w") as f:
		    f.write('.section .plt, "ax", @progbits\n'
		            "jmp *slots(%rip)\n.balign 16\njmp *last(%rip)\n.balign 16\n"
		            ".text\n_f: ret\n.data\nslots:\n")
		    for i in range(300000):
		        name = "plain" if i == 150000 else f"_f{i}"
		        f.write(f".type {name}, @gnu_indirect_function\n.set {name}, _f\n"
		                f"{'last: ' * (i == 299999)}.quad {name}\n")
	END
	gcc -nostdlib -shared -o stubs stubs.s
	[[ $(readelf -rW stubs | grep -c R_X86_64_IRELATIV) == 300000 ]] || skip "another linker"
	at=$((0x400000 + $(readelf -SW stubs | awk '$3 == ".plt" { print "0x" $6 }')))
	{
		echo "mmap 7 0x400000 0x10000000 0 $PWD/stubs 1"
		echo "sample user $at 7 7 100 0"
		echo "sample user $((at + 16)) 7 7 101 0"
	} | "$MKREC" perf.data
	report_comes
	[[ $(grep -c 'plain@plt' out) == 2 ]] || die "$(< out)"
}

# many_samples: 20,000 samples in prog, the first half in f, the second half in g
many_samples() {
	local first second

	printf 'int %s(int x) { return x + 1; }\n' f g > prog.c
	gcc -O1 -shared -nostdlib -o prog prog.c
	first=$((0x400000 + $(readelf -sW prog | awk '$8 == "f" { print "0x" $2; exit }')))
	second=$((0x400000 + $(readelf -sW prog | awk '$8 == "g" { print "0x" $2; exit }')))
	{
		echo "mmap 7 0x400000 0x10000 0 $PWD/prog 1"
		awk -v first=$first -v second=$second 'BEGIN {
			for (i = 0; i < 20000; i++)
				print "sample user", i < 10000 ? first : second, 7, 7, 100 + i, 0
		}'
	} | "$MKREC" perf.data
}

# script_with FILE: run pcsample script until its pipe is full, then truncate FILE and read the
# rest. Sets $script to its pid; the file rest has its lines.
script_with() {
	local line

	mkfifo fifo
	"$PCSAMPLE" script -F ip,sym > fifo 2> said &
	script=$!
	exec 3< fifo
	read -r line <&3
	[[ $line == *' f' ]] || die "no f: $line"
	: > "$1"
	cat <&3 > rest
	exec 3<&-
}

# A mapped file that shrinks causes SIGBUS: so files of other users are read, not mapped
shrinking_program() {
	need_root
	many_samples
	chown 12345 prog
	script_with prog
	status 0 wait $script
	[[ $(wc -l < rest) == 19999 ]] || die "samples are missing"
	[[ $(grep -c ' g$' rest) == 10000 ]] || die "g has no name"
}

shrinking_recording() {
	many_samples
	script_with perf.data
	status 1 wait $script
	[[ $(< said) == 'pcsample: a file became shorter while it was read' ]] || die "$(< said)"
}

# Somebody else's recording must not make the archive write outside its directory
names_that_lead_out() {
	program prog
	mkdir sub
	mapped "$PWD/sub/../prog"
	status 1 "$PCSAMPLE" archive -o a.tar 2> said
	says said 'would lead out of the archive'
	[[ ! -e a.tar ]] || die "an archive that cannot be unpacked"
}

# Memory is only limited without sanitizers
# shellcheck disable=SC2034 # for tap
few="fifos_and_devices ids_of_others links holes maps_and_dumps directory_of_symbols
	source_that_is_none names_that_grow modules_without_number stubs_of_one_function
	shrinking_program shrinking_recording names_that_lead_out"
# A pass over all samples for each of 5,000 events took 25 s. Sanitized programs take longer.
many_events() {
	[[ $sanitized = 0 ]] || skip "takes too long with sanitizers"
	python3 - <<-'END'
		import struct
		events, samples, kind = 5000, 300000, 1 << 16 | 7
		ids = struct.pack("<%dQ" % events, *range(1, events + 1))
		def attr(i):
		    a = struct.pack("<IIQQQQQ", 2, 128, i, 1, kind, 0, 1 << 18)
		    return a.ljust(128, b"\0") + struct.pack("<QQ", 104 + 8 * i, 8)
		def sample(i):
		    return struct.pack("<IHHQQiiQ", 9, 2, 40, i % events + 1, 4096, 7, 7, i + 1)
		attrs = b"".join(map(attr, range(events)))
		data = b"".join(map(sample, range(samples)))
		at = 104 + len(ids)
		head = 104, 144, at, len(attrs), at + len(attrs), len(data), 0, 0, 0, 0, 0, 0
		open("perf.data", "wb").write(
		    b"PERFILE2" + struct.pack("<12Q", *head) + ids + attrs + data)
	END
	(
		ulimit -t 10
		bounded export -f firefox -o out.json
	)
	json out.json 'sum(t["samples"]["length"] for t in d["threads"]) == 300000'
	json out.json 'len(d["threads"]) == 5000'
}

tap fifos_and_devices ids_of_others links holes maps_and_dumps directory_of_symbols \
	list_without_end kept_files source_that_is_none names_that_grow modules_without_number \
	stubs_of_one_function shrinking_program shrinking_recording names_that_lead_out \
	many_events
