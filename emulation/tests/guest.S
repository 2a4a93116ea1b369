/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest of the register tests: each PE waits at the Exception level in which it was reset until
 * the test, which writes to RAM through qtest, tells it to call one of the functions below.
 *
 * A PE's mailbox (mailbox.h has the same offsets for the test):
 *   +0x00 FN      function to call
 *   +0x08 ARGS    x0 to x4
 *   +0x30 RESULT  x0 on return
 *   +0x38 ESR     of the last Data Abort taken from this Exception level, else 0
 *   +0x40 STOP    not 0: the spin functions return
 *   +0x48 COUNT   times that the PE went round its mailbox loop
 *   +0x50 ENTERED not 0: a function that loops until STOP is in its loop
 *   +0x58 BELL    number of the test's last call
 *   +0x60 DONE    number of the last call that has returned: the PE calls FN if BELL differs
 *
 * The PE writes RESULT, ESR, COUNT, ENTERED and DONE, and the test the others. QEMU writes for the
 * test by memmove(), which may store a value twice, and the PE may run between the two stores: what
 * it wrote to the same word would be lost. So the test clears ENTERED before it changes BELL.
 *
 * The MMU stays off. x28 is the mailbox of the PE, at its own Exception level.
 */
#include "mailbox.h"

	.arch	armv8.1-a
	.section .text.start, "ax"
	.global	_start
_start:
	mrs	x0, mpidr_el1
	ubfx	x0, x0, #0, #8
	ldr	x28, =MAILBOX_BASE
	add	x28, x28, x0, lsl #MAILBOX_SHIFT
	add	x1, x28, #(1 << MAILBOX_SHIFT)
	mov	sp, x1

	adr	x0, vectors
	adr	x1, bounce_vectors
	mrs	x2, CurrentEL
	cmp	x2, #(2 << 2)
	b.lt	1f
	b.eq	2f
	msr	vbar_el3, x0
	msr	vbar_el2, x1
	msr	vbar_el1, x1
	mov	x3, #0x530		/* SCR_EL3: RW, HCE, RES1, Secure */
	msr	scr_el3, x3
	b	3f
2:	msr	vbar_el2, x0
	msr	vbar_el1, x1
	mov	x3, #(1 << 31)		/* HCR_EL2.RW */
	msr	hcr_el2, x3
	b	3f
1:	msr	vbar_el1, x0
3:	lsr	x2, x2, #2
	adr	x3, home_el
	str	x2, [x3]
	isb

serve:
	ldr	x0, [x28, #MAILBOX_COUNT]
	add	x0, x0, #1
	str	x0, [x28, #MAILBOX_COUNT]
	ldr	x9, [x28, #MAILBOX_BELL]
	ldr	x10, [x28, #MAILBOX_DONE]
	cmp	x9, x10
	b.eq	serve
	str	xzr, [x28, #MAILBOX_ESR]
	ldp	x0, x1, [x28, #MAILBOX_ARGS]
	ldp	x2, x3, [x28, #MAILBOX_ARGS + 16]
	ldr	x4, [x28, #MAILBOX_ARGS + 32]
	ldr	x9, [x28, #MAILBOX_FN]
	blr	x9
	str	x0, [x28, #MAILBOX_RESULT]
	ldr	x9, [x28, #MAILBOX_BELL]
	dmb	sy
	str	x9, [x28, #MAILBOX_DONE]
	b	serve

	.balign	8
home_el:
	.quad	0
	.pool

	.text
	.macro	ventry target
	.balign	0x80
	b	\target
	.endm

/* Of the Exception level that serves the mailbox */
	.balign	0x800
vectors:
	.rept	4
	ventry	stray
	.endr
	ventry	own_sync
	.rept	3
	ventry	stray
	.endr
	ventry	left_lower
	.rept	3
	ventry	stray
	.endr
	ventry	left_lower
	.rept	3
	ventry	stray
	.endr

/*
 * Of the levels between the one that runs test code and the one that serves: go on upwards. Where
 * EL1 uses AArch32, the entry of a system call is at 8, and that goes to EL3: smc #0.
 */
	.balign	0x800
bounce_vectors:
	b	bounce
	nop
	.inst	0xe1600070
	.rept	15
	ventry	bounce
	.endr

stray:
	b	stray

/* A Data Abort: note the syndrome, step over the instruction. x17 is nobody's here. */
own_sync:
	ldr	x17, home_el_address
	ldr	x17, [x17]
	cmp	x17, #2
	b.lt	1f
	b.eq	2f
	mrs	x17, esr_el3
	str	x17, [x28, #MAILBOX_ESR]
	mrs	x17, elr_el3
	add	x17, x17, #4
	msr	elr_el3, x17
	eret
2:	mrs	x17, esr_el2
	str	x17, [x28, #MAILBOX_ESR]
	mrs	x17, elr_el2
	add	x17, x17, #4
	msr	elr_el2, x17
	eret
1:	mrs	x17, esr_el1
	str	x17, [x28, #MAILBOX_ESR]
	mrs	x17, elr_el1
	add	x17, x17, #4
	msr	elr_el1, x17
	eret

bounce:
	ldr	x17, home_el_address
	ldr	x17, [x17]
	cmp	x17, #2
	b.eq	1f
	smc	#0
1:	hvc	#0

	.balign	8
home_el_address:
	.quad	home_el

	.macro	function name
	.global	\name
	.balign	4
\name:
	.endm

	.macro	end name
	.global	\name\()_end
\name\()_end:
	.endm

/* eret_to(spsr, pc, x0, x1): runs code at a lower level until that takes an exception to here */
function eret_to
	stp	x29, x30, [sp, #-16]!
	ldr	x17, home_el_address
	ldr	x17, [x17]
	cmp	x17, #2
	b.lt	1f
	b.eq	2f
	msr	spsr_el3, x0
	msr	elr_el3, x1
	b	3f
2:	msr	spsr_el2, x0
	msr	elr_el2, x1
	b	3f
1:	msr	spsr_el1, x0
	msr	elr_el1, x1
3:	mov	x0, x2
	mov	x1, x3
function eret_to_eret
	eret
left_lower:
	ldp	x29, x30, [sp], #16
	ret

/* spin_*(&STOP): loops until STOP, then leaves to the next level, or returns */
	.macro	spin name, leave:vararg
	.balign	64
	function \name
	str	x0, [x0, #(MAILBOX_ENTERED - MAILBOX_STOP)]
	ldr	x1, [x0]
	cbz	x1, \name
	end	\name
	\leave
	.endm

	spin	spin_ret, ret
	spin	spin_svc, svc #0
	spin	spin_hvc, hvc #0
	spin	spin_smc, smc #0

/* The same in A32: str r0, [r0, #16]; ldr r1, [r0]; cmp r1, #0; beq; svc #0 */
	.balign	64
function spin_a32
	.inst	0xe5800010
	.inst	0xe5901000
	.inst	0xe3510000
	.inst	0x0afffffb
	end	spin_a32
	.inst	0xef000000

/*
 * storm(&STOP, set, spsr, user_a, user_b): a kernel with two processes that do nothing but system
 * calls. Before each of them runs, set(its identity) is called. ENTERED counts the rounds, of two
 * system calls each.
 */
function storm
	stp	x29, x30, [sp, #-64]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	str	x23, [sp, #48]
	mov	x19, x0
	mov	x20, x1
	mov	x21, x2
	mov	x22, x3
	mov	x23, x4
1:	ldr	x0, =ID_A
	blr	x20
	mov	x0, x21
	mov	x1, x22
	bl	eret_to
	ldr	x0, =ID_B
	blr	x20
	mov	x0, x21
	mov	x1, x23
	bl	eret_to
	ldr	x0, [x19, #(MAILBOX_ENTERED - MAILBOX_STOP)]
	add	x0, x0, #1
	str	x0, [x19, #(MAILBOX_ENTERED - MAILBOX_STOP)]
	ldr	x0, [x19]
	cbz	x0, 1b
	ldr	x23, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #64
	ret
	.pool

	.macro	user name, leave:vararg
	.balign	64
	function \name
	mov	x0, #4
1:	subs	x0, x0, #1
	b.ne	1b
	\leave
	end	\name
	.endm

	user	user_svc_a, svc #0
	user	user_svc_b, svc #0
	user	user_hvc_a, hvc #0
	user	user_hvc_b, hvc #0
	user	user_smc_a, smc #0
	user	user_smc_b, smc #0

/* The same in A32: mov r0, #4; subs r0, r0, #1; bne; svc #0 */
	.macro	user_a32 name
	.balign	64
	function \name
	.inst	0xe3a00004
	.inst	0xe2500001
	.inst	0x1afffffd
	.inst	0xef000000
	end	\name
	.endm

	user_a32	user_a32_a
	user_a32	user_a32_b

/* In T32: movs r0, #4; subs r0, #1; bne; svc #0 */
	.macro	user_t32 name
	.balign	64
	function \name
	.hword	0x2004, 0x3801, 0xd1fd, 0xdf00
	end	\name
	.endm

	user_t32	user_t32_a
	user_t32	user_t32_b

/*
 * split(&STOP): spends 70 % of its time in split_a and 30 % in split_b, which are alike. ENTERED
 * counts the rounds.
 */
function split
	stp	x29, x30, [sp, #-32]!
	str	x19, [sp, #16]
	mov	x19, x0
1:	mov	x0, #28000
	bl	split_a
	mov	x0, #12000
	bl	split_b
	ldr	x0, [x19, #(MAILBOX_ENTERED - MAILBOX_STOP)]
	add	x0, x0, #1
	str	x0, [x19, #(MAILBOX_ENTERED - MAILBOX_STOP)]
	ldr	x0, [x19]
	cbz	x0, 1b
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret

	.macro	half name
	.balign	64
	function \name
	eor	x1, x1, x0
	add	x2, x2, x1, lsr #3
	mul	x3, x2, x1
	subs	x0, x0, #1
	b.ne	\name
	ret
	end	\name
	.endm

	half	split_a
	half	split_b

/*
 * returns(times): the cycle counter counts from 2^40 on while event counter 0, of cycles too, goes
 * to overflow 20 us after each 64 exception returns to where they come from. Returns how often the
 * cycle counter was behind what it had been, in that many times 64.
 */
function returns
	mov	x9, #0x41		/* PMCR_EL0: E, LC */
	msr	pmcr_el0, x9
	mov	x9, #0x11		/* CPU_CYCLES */
	msr	pmevtyper0_el0, x9
	msr	pmccfiltr_el0, xzr
	mov	x10, #(1 << 40)
	msr	pmccntr_el0, x10
	mov	w9, #1
	orr	w9, w9, #0x80000000
	msr	pmcntenset_el0, x9
	mov	x11, x0
	mov	x0, #0
	mrs	x9, daif
	add	x9, x9, #5		/* EL1h */
	msr	spsr_el1, x9
	adr	x12, 3f
1:	mov	x9, #-20000
	msr	pmevcntr0_el0, x9
	mov	x13, #64
2:	msr	elr_el1, x12
	eret
3:	mrs	x9, pmccntr_el0
	cmp	x9, x10
	cinc	x0, x0, lo
	mov	x10, x9
	subs	x13, x13, #1
	b.ne	2b
	subs	x11, x11, #1
	b.ne	1b
	msr	pmcntenclr_el0, x13
	ret

/*
 * traces(buffer, times): traces this PE to a circular buffer of 4 KiB, and prohibits and allows
 * that again 256 times while event counter 0, of cycles, goes to overflow after 20 us, in that many
 * times. Returns TRBSR_EL1.WRAP and how far the buffer is filled, or 0 if there was no trace.
 */
function traces
	msr	s3_0_c9_c11_2, x0	/* TRBBASER_EL1, TRBPTR_EL1, TRBSR_EL1 */
	msr	s3_0_c9_c11_1, x0
	msr	s3_0_c9_c11_3, xzr
	add	x9, x0, #4096
	add	x9, x9, #0x3f		/* TRBLIMITR_EL1: nVM, TM = ignore, FM = circular, E */
	msr	s3_0_c9_c11_0, x9
	mov	x9, #0x201		/* TRCVICTLR: SSSTATUS, always */
	msr	s2_1_c0_c0_2, x9
	mov	x10, #2			/* TRFCR_EL1.E1TRE */
	msr	s3_0_c1_c2_1, x10
	mov	x9, #1			/* TRCPRGCTLR.EN */
	msr	s2_1_c0_c1_0, x9
	mov	x9, #0x41		/* PMCR_EL0: E, LC */
	msr	pmcr_el0, x9
	mov	x9, #0x11		/* CPU_CYCLES */
	msr	pmevtyper0_el0, x9
	mov	x9, #1
	msr	pmcntenset_el0, x9
	mov	x11, #-20000
1:	msr	pmevcntr0_el0, x11
	mov	x12, #256
2:	msr	s3_0_c1_c2_1, xzr
	isb
	msr	s3_0_c1_c2_1, x10
	isb
	subs	x12, x12, #1
	b.ne	2b
	subs	x1, x1, #1
	b.ne	1b
	msr	s3_0_c1_c2_1, xzr
	isb
	hint	#18			/* TSB CSYNC */
	msr	pmcntenclr_el0, x9
	msr	s2_1_c0_c1_0, xzr
	mrs	x9, s3_0_c9_c11_1
	sub	x0, x9, x0
	mrs	x9, s3_0_c9_c11_3
	and	x9, x9, #(1 << 20)
	orr	x0, x0, x9
	msr	s3_0_c9_c11_0, xzr
	ret

/*
 * changing(&STOP): calls an instruction that another PE changes. ENTERED has the value that it gave
 * in its low bit, and counts the calls in the others.
 */
	.balign	4096
function changing
	stp	x29, x30, [sp, #-16]!
	mov	x1, x0
	mov	x2, #0
1:	isb
	bl	changed
	add	x2, x2, #2
	orr	x3, x2, x0
	str	x3, [x1, #(MAILBOX_ENTERED - MAILBOX_STOP)]
	ldr	x3, [x1]
	cbz	x3, 1b
	ldp	x29, x30, [sp], #16
	ret
	.balign	64
changed:
	mov	x0, #0
	ret
	.balign	4096

/*
 * change(&ENTERED, times): changes the instruction that another PE calls by changing(), in the way
 * of B2.7.4.2, and waits until two calls have ended. The second one began after the change. Returns
 * how often it still executed the old instruction.
 */
function change
	adr	x2, changed
	ldr	w3, [x2]		/* mov x0, #0 */
	mov	x4, #0
1:	eor	w3, w3, #(1 << 5)	/* mov x0, #1, and back */
	str	w3, [x2]
	dc	cvau, x2
	dsb	ish
	ic	ivau, x2
	dsb	ish
	ldr	x5, [x0]
	add	x5, x5, #4
2:	ldr	x6, [x0]
	cmp	x6, x5
	b.lo	2b
	eor	w6, w6, w3, lsr #5
	and	x6, x6, #1
	add	x4, x4, x6
	subs	x1, x1, #1
	b.ne	1b
	mov	x0, x4
	ret

/* counted(times): a Capture event that the PE makes itself, after a loop that counter 0 counts */
function counted
	msr	pmevcntr0_el0, xzr
	isb
1:	subs	x0, x0, #1
	b.ne	1b
	mov	x1, #1
	msr	s3_0_c9_c13_3, x1	/* PMSSCR_EL1 */
	isb
	mrs	x0, s2_0_c14_c8_0	/* PMEVCNTSVR0_EL1 */
	ret

/*
 * collect(block, buffer, count, reads): reads PMPCSR, PMCID1SR, PMVIDSR and PMCID2SR as 32-bit
 * registers, with pauses of changing length, and stores each sample that differs from the one
 * before as six words, until there are count of them or it has read as often as it may. Returns the
 * number of reads in the upper and that of stored samples in the lower word.
 */
function collect
	mov	x5, #1
	mov	x4, #0
	mov	x6, #0
	mov	w7, #-1
1:	ldr	w9, [x0, #0x200]
	ldr	w10, [x0, #0x204]
	ldr	w11, [x0, #0x208]
	ldr	w12, [x0, #0x20c]
	ldr	w13, [x0, #0x22c]
	add	x6, x6, #1
	cmp	w9, w7
	ccmp	w10, w8, #0, eq
	ccmp	w11, w14, #0, eq
	ccmp	w12, w15, #0, eq
	ccmp	w13, w16, #0, eq
	b.eq	2f
	stp	w9, w10, [x1], #8
	stp	w11, w12, [x1], #8
	stp	w13, wzr, [x1], #8
	mov	w7, w9
	mov	w8, w10
	mov	w14, w11
	mov	w15, w12
	mov	w16, w13
	add	x4, x4, #1
	cmp	x4, x2
	b.eq	4f
2:	mov	x9, #1103
	mul	x5, x5, x9
	add	x5, x5, #57
	and	x9, x5, #0x3fff
3:	subs	x9, x9, #1
	b.pl	3b
	cmp	x6, x3
	b.ne	1b
4:	orr	x0, x4, x6, lsl #32
	ret

/* time_reads(address, count): ticks of the generic timer that count 32-bit reads take */
function time_reads
	isb
	mrs	x3, cntvct_el0
1:	ldr	w4, [x0]
	subs	x1, x1, #1
	b.ne	1b
	isb
	mrs	x4, cntvct_el0
	sub	x0, x4, x3
	ret

/* read_behind(address that aborts, address): reads the second one right after the first one */
function read_behind
	ldr	w9, [x0]
	ldr	w0, [x1]
	ret

function get_cntfrq_el0
	mrs	x0, cntfrq_el0
	ret

/* Loads and stores that may abort: read*(address), write*(address, value) */
	.macro	access name, insn:vararg
	function \name
	\insn
	ret
	.endm

	access	read8, ldrb w0, [x0]
	access	read16, ldrh w0, [x0]
	access	read32, ldr w0, [x0]
	access	read64, ldr x0, [x0]
	access	write8, strb w1, [x0]
	access	write32, str w1, [x0]
	access	write64, str x1, [x0]

	.macro	sysreg name
	function set_\name
	msr	\name, x0
	isb
	ret
	function get_\name
	mrs	x0, \name
	ret
	.endm

	sysreg	contextidr_el1
	sysreg	contextidr_el2
	sysreg	vttbr_el2
	sysreg	vtcr_el2
	sysreg	hcr_el2
	sysreg	scr_el3
	sysreg	sder32_el3
	sysreg	mdcr_el2
	sysreg	mdcr_el3
	sysreg	osdlr_el1
	sysreg	vbar_el1
	sysreg	pmcr_el0
	sysreg	pmccntr_el0
	sysreg	pmcntenset_el0
	sysreg	pmccfiltr_el0
	sysreg	pmevcntr0_el0
	sysreg	pmevtyper0_el0
	sysreg	pmovsset_el0
	sysreg	pmovsclr_el0
	sysreg	s3_0_c9_c14_5		/* PMECR_EL1 */
	sysreg	s3_0_c9_c13_3		/* PMSSCR_EL1 */
	sysreg	s2_0_c14_c11_7		/* PMCCNTSVR_EL1 */
	sysreg	s2_0_c14_c8_0		/* PMEVCNTSVR0_EL1 */

function set_oslar_el1
	msr	oslar_el1, x0
	isb
	ret

function get_oslsr_el1
	mrs	x0, oslsr_el1
	ret

function get_mpidr_el1
	mrs	x0, mpidr_el1
	ret

function get_id_aa64pfr0_el1
	mrs	x0, id_aa64pfr0_el1
	ret

function get_id_aa64dfr0_el1
	mrs	x0, id_aa64dfr0_el1
	ret

/* sleep_*(): for ever, as nothing interrupts. The psci one is CPU_SUSPEND. */
function sleep_wfi
	msr	daifclr, #0xf
1:	wfi
	end	sleep_wfi
	b	1b
/* The same in A32 and T32: wfi; b */
function sleep_a32
	.inst	0xe320f003
	.inst	0xeafffffd
function sleep_t32
	.hword	0xbf30
	.hword	0xe7fd
function sleep_psci
	ldr	x0, =0xC4000001
	mov	x1, #1
1:	hvc	#0
	end	sleep_psci
	b	1b
	.pool

/*
 * nap_*(): CPU_SUSPEND or WFI until another PE sends an SGI, for which GICD_CTLR must be 1.
 * Interrupts are masked, so that the PE goes on behind it. The MMIO is to GICC_PMR, GICC_CTLR,
 * GICC_IAR and GICC_EOIR.
 */
	.macro	nap name, call:vararg
function \name
	mov	x4, #0x08010000
	mov	w1, #0xff
	str	w1, [x4, #4]
	mov	w1, #1
	str	w1, [x4]
	ldr	x0, =0xC4000001
	\call
	end	\name
	ldr	w1, [x4, #12]
	str	w1, [x4, #16]
	ret
	.endm

	nap	nap_hvc, hvc #0
	nap	nap_smc, smc #0
	nap	nap_wfi, wfi
	.pool

/* psci_*(function, x1, x2, x3) */
	access	psci_hvc, hvc #0
	access	psci_smc, smc #0
