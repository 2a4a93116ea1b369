/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What programs/guest.c runs: the ID registers and the sum of a loop go to MMIO, for ever. How long
 * the loop is comes in X19.
 * PSTATE.PM, which masks nothing of the host's, is one all the time; a program can set it without
 * knowing of it.
 */
	.text
	.globl	_start
_start:
	mov	x20, #0x10000000		// not memory: each store is an exit
	.inst	0xd501431f			// msr pm, #1
	mov	x0, #0x3c5
	orr	x0, x0, #1 << 32
	msr	spsr_el1, x0
	str	x0, [x20, #32]
1:	mrs	x0, id_aa64dfr0_el1
	str	x0, [x20]
	mrs	x0, id_aa64dfr1_el1
	str	x0, [x20, #8]
	mrs	x0, S3_0_C0_C5_2		// ID_AA64DFR2_EL1
	str	x0, [x20, #16]
	mov	x2, x19
	mov	x0, #0
2:	add	x0, x0, x2
	subs	x2, x2, #1
	b.ne	2b
	str	x0, [x20, #24]
	b	1b
