/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A loop with a branch of every kind, taken and not taken, between instructions that are none. No
 * library: every instruction that the program executes is in this file.
 */
	.text
	.globl	_start
_start:
	ldr	x20, =8000000
	adr	x21, indirect
loop:
	add	x0, x0, #1
	bl	direct
	eor	x1, x1, x0
	blr	x21
	tbz	x20, #0, even
	add	x2, x2, #1
even:
	cbz	x20, out
	add	x3, x3, x2
	b	forward
	nop
forward:
	cmp	x20, #7
	b.eq	loop_end
	mul	x4, x3, x0
loop_end:
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
	add	x7, x7, #1
	br	x6
	nop
target:
	sub	x7, x7, #1
	ret
