/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bare-metal start-up, exception vectors of EL1, EL2 and EL3, and run_at()
 *
 * The test lives at EL3. run_at() leaves for another Exception level; whatever
 * exception comes first there ends the excursion: the vectors of all levels
 * add an entry to record[] and go back to the caller of run_at() at EL3.
 */
#define RECORD_SIZE     48
#define RECORD_MAX      4

        .section .text.start, "ax"
        .global _start
_start:
        adrp    x0, stack_el3
        add     x0, x0, :lo12:stack_el3
        mov     sp, x0
        adrp    x0, vectors_el3
        msr     vbar_el3, x0
        adrp    x0, vectors_el2
        msr     vbar_el2, x0
        adrp    x0, vectors_el1
        msr     vbar_el1, x0
        adrp    x0, bss_start
        adrp    x1, bss_end
1:      stp     xzr, xzr, [x0], #16
        cmp     x0, x1
        b.lo    1b
        adrp    x0, stack_el2
        msr     sp_el2, x0
        adrp    x0, stack_el1
        msr     sp_el1, x0
        adrp    x0, stack_el0
        msr     sp_el0, x0
        isb
        bl      main
        b       .

/*
 * void run_at(u64 spsr, const void *entry, u64 arg)
 *
 * Goes to @entry with PSTATE from @spsr and @arg in x0; a return from @entry
 * ends the excursion. Comes back with PSTATE as at EL3 exception entry.
 */
        .text
        .global run_at
run_at:
        adrp    x3, context
        add     x3, x3, :lo12:context
        stp     x19, x20, [x3]
        stp     x21, x22, [x3, #16]
        stp     x23, x24, [x3, #32]
        stp     x25, x26, [x3, #48]
        stp     x27, x28, [x3, #64]
        stp     x29, x30, [x3, #80]
        mov     x4, sp
        str     x4, [x3, #96]
        adrp    x4, record_count
        str     xzr, [x4, :lo12:record_count]
        adrp    x4, away
        mov     x5, #1
        str     x5, [x4, :lo12:away]
        msr     spsr_el3, x0
        msr     elr_el3, x1
        mov     x0, x2
        adrp    x30, run_end
        add     x30, x30, :lo12:run_end
        isb
        eret

/* UNDEFINED at EL0, an SMC exception at the other levels: comes back anyway */
        .global run_end
run_end:
        smc     #0

/* An exception at EL3. Expected only while away. */
back_from_run:
        adrp    x4, away
        ldr     x5, [x4, :lo12:away]
        cbz     x5, unexpected_exception
        str     xzr, [x4, :lo12:away]
        adrp    x3, run_x1
        str     x1, [x3, :lo12:run_x1]
        adrp    x3, context
        add     x3, x3, :lo12:context
        ldp     x19, x20, [x3]
        ldp     x21, x22, [x3, #16]
        ldp     x23, x24, [x3, #32]
        ldp     x25, x26, [x3, #48]
        ldp     x27, x28, [x3, #64]
        ldp     x29, x30, [x3, #80]
        ldr     x4, [x3, #96]
        mov     sp, x4
        ret

/*
 * Each vector has 32 instructions. x16-x18 are free: nobody comes back. x1 is
 * kept for run_x1.
 */
        .macro  record el, offset
        adrp    x16, record_count
        add     x16, x16, :lo12:record_count
        ldr     x17, [x16]
        add     x18, x17, #1
        str     x18, [x16]
        cmp     x17, #RECORD_MAX
        b.hs    1f
        mov     x18, #RECORD_SIZE
        mul     x17, x17, x18
        adrp    x16, record
        add     x16, x16, :lo12:record
        add     x16, x16, x17
        mov     x17, #\el
        mov     x18, #\offset
        stp     x17, x18, [x16]
        mrs     x17, esr_el\el
        mrs     x18, elr_el\el
        stp     x17, x18, [x16, #16]
        mrs     x17, spsr_el\el
        mrs     x18, far_el\el
        stp     x17, x18, [x16, #32]
1:
        .endm

        .macro  vectors el
        .balign 4096
vectors_el\el:
        .irp    offset, 0x000, 0x080, 0x100, 0x180, 0x200, 0x280, 0x300, 0x380, \
                        0x400, 0x480, 0x500, 0x580, 0x600, 0x680, 0x700, 0x780
        .balign 0x80
        record  \el, \offset
        .if     \el == 3
        b       back_from_run
        .else
        smc     #0
        .endif
        .endr
        .endm

        vectors 1
        vectors 2
        vectors 3

        .section .bss
        .balign 4096
        .skip   16384
stack_el0:
        .skip   16384
stack_el1:
        .skip   16384
stack_el2:
        .skip   65536
stack_el3:
context:
        .skip   112
        .balign 64
        .global run_x1
run_x1:
        .skip   8
        .global record_count, record
record_count:
        .skip   8
away:
        .skip   8
record:
        .skip   RECORD_SIZE * RECORD_MAX
