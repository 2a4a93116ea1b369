/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls for ever with a frame pointer that points nowhere: each sample with a call chain
 * makes the handler of the Profiling exception take a fault.
 */
	.text
	.globl	_start
_start:
	ldr	x29, =0x0000dead0000bee0
1:	mov	x1, #2000
2:	sub	x1, x1, #1
	cbnz	x1, 2b
	mov	x8, #173			// getppid
	svc	#0
	b	1b
