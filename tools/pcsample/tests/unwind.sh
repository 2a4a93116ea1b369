#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Callers from three sources: copies of stacks, which these tests make for assembly programs with
# known call frame information; branch records of a CPU in call-stack mode; and deferred records.
#
# Environment: O, the build directory.

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/built.sh"

export PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 HOME=/nonexistent

# recording ARCH OBJCOPY [LINK]: make perf.data of prog, sampled in leaf, with a stack of known
# callers. LINK is the symbol in arm64's link register.
recording() {
	nm prog > symbols
	"$2" -w -N 'ret_*' -N 'at_*' prog
	readelf -lW prog | awk '$1 == "LOAD" && / R E / { print $2, $3, $6 }' > text
	python3 - "$1" "${3:-ret_middle}" <<-'END'
		import struct, sys
		from mkcorpus import *
		at = {name: int(value, 16) for value, kind, name in map(str.split, open("symbols"))}
		offset, start, size = (int(v, 16) for v in open("text").read().split())
		S, arm = 0x7ffc0000, sys.argv[1] == "aarch64"

		def words(n, **values):
		    return struct.pack(f"<{n}Q", *(values.get(f"w{i}", 0x5a5a) for i in range(n)))
		if arm:
		    # A signed return address has bits above those of an address
		    stack = words(8, w0=S + 32, w1=at["ret_plain"] | 0x2b << 56, w4=S + 48,
		                  w5=at["ret_outer"], w6=0, w7=at["ret_start"])
		    regs = {29: S, 30: at[sys.argv[2]], 31: S, 32: at["at_leaf"]}
		else:
		    stack = words(20, w3=at["ret_middle"], w12=S + 112, w13=at["ret_plain"], w14=0,
		                  w15=at["ret_outer"], w17=at["ret_start"])
		    regs = {6: S + 96, 7: S, 8: at["at_leaf"]}
		mask = sum(1 << r for r in regs)
		kind = USUAL | CALLCHAIN | REGS_USER | STACK_USER | DATA_SRC
		r = Recording(Event("cycles", sample_type=kind, regs=mask, stack=len(stack)),
		              arch=sys.argv[1])
		r.begin()
		r.mmap(10, start, size, "prog", offset)
		values = [regs[i] for i in sorted(regs)]
		r.sample(ip=at["at_leaf"], pid=10, tid=10, regs=values, stack=stack)
		# A sample in the kernel
		r.sample(ip=KTEXT + 64, pid=10, tid=10, misc=KERNEL, regs=values, stack=stack,
		         chain=[CONTEXT_KERNEL, KTEXT + 64, KTEXT + 99])
		# Less of the stack, and none of it
		r.sample(ip=at["at_leaf"], pid=10, tid=10, regs=values,
		         stack=stack[:40 if arm else 112])
		r.sample(ip=at["at_leaf"], pid=10, tid=10, regs=values, stack=b"")
		r.write("perf.data")
	END
}

# frames FIELDS N: print field N of the frames of each sample, one sample a line
frames() {
	"$PCSAMPLE" script --no-inline -F "$1" 2> said > printed
	awk -v f="$2" 'NF { printf "%s%s", n++ ? " " : "", $f } !NF { if (n) print ""; n = 0 }
		END { if (n) print "" }' printed > frames
	cat frames
}

unwinds() {
	local all='leaf middle plain outer _start'

	frames ip,sym 2
	[[ $(sed -n 1p frames) = "$all" ]] || die 'another chain'
	[[ $(sed -n 2p frames) = "[unknown] [unknown] $all" ]] || die 'another chain in the kernel'
	[[ $(sed -n 3p frames) = 'leaf middle plain' ]] || die 'another chain of a part'
	[[ $(wc -l < frames) = 3 ]] || die 'a chain of nothing'
	! grep . said || die 'something is said not to be shown'
	# A caller's address is that of the call
	"$PCSAMPLE" script --no-inline -F ip,sym,symoff | grep -q 'middle+0x' || die 'no offset'
	"$PCSAMPLE" report --children --sort sym > out
	grep -q ' 50.00%.*\[.\] outer$' out || die "outer called two of four: $(< out)"
}

x86_64_stacks() {
	need_feature libdw
	command -v gcc > /dev/null || skip "no compiler"
	[[ $(gcc -dumpmachine) = x86_64* ]] || skip "no compiler for x86-64"
	cat > prog.S <<-'END'
		.text
		.globl _start
		.type leaf, @function
		leaf:	.cfi_startproc
			sub $24, %rsp
			.cfi_adjust_cfa_offset 24
		at_leaf: nop
			add $24, %rsp
			ret
			.cfi_endproc
			.size leaf, . - leaf
		.type middle, @function
		middle:	.cfi_startproc
			push %rbp
			.cfi_def_cfa_offset 16
			.cfi_offset rbp, -16
			mov %rsp, %rbp
			.cfi_def_cfa_register rbp
			sub $64, %rsp
			call leaf
		ret_middle: leave
			ret
			.cfi_endproc
			.size middle, . - middle
		# Only a frame pointer, no call frame information
		.type plain, @function
		plain:	push %rbp
			mov %rsp, %rbp
			call middle
		ret_plain: leave
			ret
			.size plain, . - plain
		# The rule of PLTs: rsp + 8 + ((rip & 0) >= 0) << 3
		.type outer, @function
		outer:	.cfi_startproc
			sub $8, %rsp
			.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x30, 0x1a
			.cfi_escape 0x30, 0x2a, 0x33, 0x24, 0x22
			call plain
		ret_outer: add $8, %rsp
			ret
			.cfi_endproc
			.size outer, . - outer
		.type _start, @function
		_start:	.cfi_startproc
			.cfi_undefined rip
			call outer
		ret_start: hlt
			.cfi_endproc
			.size _start, . - _start
	END
	gcc -nostdlib -static -no-pie -Wl,--build-id=none -o prog prog.S
	recording x86_64 objcopy
	unwinds
	# Only .debug_frame, plain and compressed
	sed -i '1i .cfi_sections .debug_frame' prog.S
	for packed in none zlib; do
		gcc -g -gz=$packed -nostdlib -static -no-pie -Wl,--build-id=none -o prog prog.S
		readelf -SW prog > sections
		says sections .debug_frame
		! grep eh_frame sections || die 'another section than was asked for'
		recording x86_64 objcopy
		unwinds
	done
}

arm64_stacks() {
	need_feature libdw
	command -v aarch64-linux-gnu-gcc > /dev/null || skip "no compiler for arm64"
	cat > prog.S <<-'END'
		.text
		.globl _start
		.type leaf, %function
		leaf:	.cfi_startproc
			nop
		at_leaf: nop
			ret
			.cfi_endproc
			.size leaf, . - leaf
		.type middle, %function
		middle:	.cfi_startproc
			stp x29, x30, [sp, -32]!
			.cfi_def_cfa_offset 32
			.cfi_offset 29, -32
			.cfi_offset 30, -24
			bl leaf
		ret_middle: ldp x29, x30, [sp], 32
			ret
			.cfi_endproc
			.size middle, . - middle
		# Only a frame pointer, no call frame information
		.type plain, %function
		plain:	stp x29, x30, [sp, -16]!
			mov x29, sp
			bl middle
		ret_plain: ldp x29, x30, [sp], 16
			ret
			.size plain, . - plain
		.type outer, %function
		outer:	.cfi_startproc
			stp x29, x30, [sp, -16]!
			.cfi_def_cfa_offset 16
			.cfi_offset 29, -16
			.cfi_offset 30, -8
			mov x29, sp
			bl plain
		ret_outer: ldp x29, x30, [sp], 16
			ret
			.cfi_endproc
			.size outer, . - outer
		.type _start, %function
		_start:	.cfi_startproc
			.cfi_undefined x30
			bl outer
		ret_start: b .
			.cfi_endproc
			.size _start, . - _start
	END
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -o prog prog.S
	recording aarch64 aarch64-linux-gnu-objcopy
	unwinds
	# A leaf function without call frame information, as in the vDSO
	sed -i '0,/[.]cfi_startproc/s///; 0,/[.]cfi_endproc/s///' prog.S
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -o prog prog.S
	recording aarch64 aarch64-linux-gnu-objcopy
	unwinds
	# leaf has a frame and the link register is in leaf itself, so it has called: the frame
	# tells the caller
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -o prog prog.S
	recording aarch64 aarch64-linux-gnu-objcopy at_leaf
	frames ip,sym 2
	[[ $(sed -n 1p frames) = 'leaf plain outer _start' ]] || die 'another chain by the frame'
	# leaf has a frame and has not called: the link register is the frame's return address
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=none -o prog prog.S
	recording aarch64 aarch64-linux-gnu-objcopy ret_plain
	frames ip,sym 2
	[[ $(sed -n 1p frames) = 'leaf plain outer _start' ]] || die 'its caller is there twice'
}

# Of programs of 32 bits there is the sampled frame, and a word about the others
narrow_stacks() {
	need_feature libdw
	python3 - <<-'END'
		from mkcorpus import *
		narrow_stacks().write("perf.data")
	END
	frames ip 1
	[[ $(wc -l < frames) = 40 ]] || die 'no frames of samples'
	[[ $(sed -n 2p frames) = 4 ]] || die 'another frame'
	says said 'not shown: callers in 32-bit programs were recorded as copies of the stack'
	"$PCSAMPLE" report > out
	says out '# Not shown: callers in 32-bit programs'
}

for_x86_64() {
	need_feature libdw
	command -v gcc > /dev/null || skip "no compiler"
	[[ $(gcc -dumpmachine) = x86_64* ]] || skip "no compiler for x86-64"
}

# sampled SYMBOL N WORDS: print the frames of prog.S, sampled there with a stack of these numbers
# and symbols, and the frame pointer at the word N
sampled() {
	gcc -nostdlib -static -Wl,--build-id=none -o prog prog.S
	nm prog > symbols
	objcopy -w -N 'behind_*' prog
	readelf -lW prog | awk '$1 == "LOAD" && / R E / { print $2, $3, $6 }' > text
	python3 - "$@" <<-'END'
		import struct, sys
		from mkcorpus import *
		at = {name: int(value, 16) for value, kind, name in map(str.split, open("symbols"))}
		offset, start, size = (int(v, 16) for v in open("text").read().split())
		S, ip = 0x7ffc0000, at[sys.argv[1]]
		words = [at.get(word) or int(word) for word in sys.argv[3].split()]
		stack = struct.pack(f"<{len(words)}Q", *words)
		kind = USUAL | CALLCHAIN | REGS_USER | STACK_USER
		r = Recording(Event("cycles", sample_type=kind, regs=7 << 6, stack=len(stack)))
		r.begin()
		r.mmap(10, start, size, "prog", offset)
		regs = S + 8 * int(sys.argv[2]), S, ip
		r.sample(ip=ip, pid=10, tid=10, regs=regs, stack=stack)
		r.write("perf.data")
	END
	frames ip,sym,symoff 2
}

# A handler returns to the first instruction of a trampoline, and that to the first of a function:
# the byte before neither is in it. As in glibc, only the call frame information begins earlier.
through_a_signal() {
	for_x86_64
	cat > prog.S <<-'END'
		.text
		.globl _start
		.type handler, @function
		handler: .cfi_startproc
			ret
			.cfi_endproc
			.size handler, . - handler
			.cfi_startproc
			.cfi_signal_frame
			.cfi_def_cfa rsp, 32
			.cfi_offset rip, -8
			nop
		.type trampoline, @function
		trampoline: nop
			.cfi_endproc
			.size trampoline, . - trampoline
			.fill 16, 1, 0x90
		.type _start, @function
		_start:	.cfi_startproc
			.cfi_undefined rip
			nop
			.cfi_endproc
			.size _start, . - _start
	END
	sampled handler 0 'trampoline 0 0 0 _start 0'
	[[ $(< frames) = 'handler+0x0 trampoline+0x0 _start+0x0' ]] || die 'another chain'
}

# LLVM's call frame information says that %rbp is below the stack pointer when it was popped
behind_pops() {
	for_x86_64
	cat > prog.S <<-'END'
		.text
		.globl _start
		.type last, @function
		last:	.cfi_startproc
			.cfi_offset rbp, -16
			jmp *%rax
			.cfi_endproc
			.size last, . - last
		.type framed, @function
		framed:	.cfi_startproc
			.cfi_def_cfa rbp, 16
			.cfi_offset rbp, -16
			nop
		behind_call: nop
			.cfi_endproc
			.size framed, . - framed
		.type _start, @function
		_start:	.cfi_startproc
			.cfi_undefined rip
			nop
		behind_second: nop
			.cfi_endproc
			.size _start, . - _start
	END
	sampled last 2 'behind_call 0 0 behind_second'
	[[ $(< frames) = 'last+0x0 framed+0x0 _start+0x0' ]] || die 'another chain'
}

# Without call frame information, %rbp is a guess: what it leads to is no frame outside of all code
no_frame_pointer() {
	for_x86_64
	cat > prog.S <<-'END'
		.text
		.globl _start
		.type _start, @function
		_start:	nop
		behind_call: nop
			.size _start, . - _start
	END
	sampled _start 1 '0 24 behind_call 0 4660'
	[[ $(< frames) = '_start+0x0 _start+0x0' ]] || die 'another chain'
	sampled _start 1 '0 24 4660 0'
	[[ $(< frames) = '_start+0x0' ]] || die 'a frame that is none'
}

# Linux 6.19: the same cookie in two threads is another chain, and one thread has no chain
deferred_chains() {
	python3 - <<-'END'
		from mkcorpus import *
		DEFERRED = 2**64 - 640
		r = Recording(Event("cycles", sample_type=USUAL | CALLCHAIN)).begin()
		def later(tid, cookie, chain):
		    tail, r.tail = r.tail, lambda: r.pack("IIQII", tid, tid, r.now, 0, 0)
		    r.record(22, r.pack(f"QQ{len(chain)}Q", cookie, len(chain), *chain))
		    r.tail = tail
		for tid, cookie in (10, 7), (11, 7), (10, 8):
		    r.sample(ip=KTEXT, pid=tid, tid=tid, misc=KERNEL,
		             chain=[CONTEXT_KERNEL, KTEXT, DEFERRED, cookie])
		later(10, 7, [CONTEXT_USER, TEXT + 16, TEXT + 32])
		later(11, 7, [CONTEXT_USER, TEXT + 48, DEFERRED, 7])
		r.write("perf.data")
	END
	frames ip 1
	[[ $(sed -n 1p frames) = 'ffffffff81000000 10 20' ]] || die 'another chain'
	[[ $(sed -n 2p frames) = 'ffffffff81000000 30' ]] || die 'another chain of thread 11'
	[[ $(sed -n 3p frames) = 'ffffffff81000000' ]] || die 'a chain that there is not'
	"$PCSAMPLE" report > out
	says out '2 call chains of user space that the kernel recorded later'
}

tap x86_64_stacks arm64_stacks narrow_stacks through_a_signal behind_pops \
	no_frame_pointer deferred_chains
