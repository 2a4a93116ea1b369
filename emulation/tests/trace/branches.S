/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of branches of all kinds: branches N, N rounds led by a shift
 * register, so that they do not repeat. Only instructions that model knows.
 */
        .global _start
_start:
        ldr     x20, [sp, #16]          /* argv[1] */
        mov     x19, #0
1:      ldrb    w1, [x20], #1
        cbz     w1, 2f
        sub     w1, w1, #'0'
        mov     x2, #10
        madd    x19, x19, x2, x1
        b       1b
2:      mov     w21, #0xace1

round:  ubfx    w1, w21, #0, #1
        ubfx    w21, w21, #1, #31
        tbz     w1, #0, 3f
        mov     w2, #0xb400
        eor     w21, w21, w2
3:      and     w3, w21, #3
        adr     x4, table
        ldrsw   x5, [x4, w3, uxtw #2]
        add     x5, x5, x4
        blr     x5
        tst     w21, #0x10
        b.eq    4f
        isb
4:      subs    x19, x19, #1
        b.ne    round

        mov     x8, #93                 /* exit(0) */
        mov     x0, #0
        svc     #0

f0:     ret
f1:     mov     x9, x30
        bl      f0
        mov     x30, x9
        ret
f2:     mov     x10, x30
        bl      f1
        bl      f0
        br      x10
f3:     mov     w6, #3
5:      sub     w6, w6, #1
        cbnz    w6, 5b
        b       f0

        .balign 4
table:  .word   f0 - table, f1 - table, f2 - table, f3 - table
