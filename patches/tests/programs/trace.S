/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program whose taken branches can be counted: of each kind, in a loop as often as the first
 * argument says, with enough other instructions that perf can keep up with the trace of it.
 */
	.text
	.globl	_start
_start:
	ldr	x1, [sp, #16]			// argv[1]
	mov	x20, #0
	mov	x3, #10
1:	ldrb	w2, [x1], #1
	cbz	w2, 2f
	sub	w2, w2, #'0'
	madd	x20, x20, x3, x2
	b	1b
2:	adr	x21, indirect
loop:
	.rept	4000
	eor	x1, x1, x20, lsl #7
	.endr
	bl	direct
	blr	x21
	tbz	x20, #0, even
	add	x2, x2, #1
even:
	cbz	x20, out
	b	forward
	nop
forward:
	subs	x20, x20, #1
	b.ne	loop
out:
	mov	x0, #0
	mov	x8, #93
	svc	#0

direct:
	add	x5, x5, #3
	ret
indirect:
	adr	x6, target
	br	x6
	nop
target:
	ret
