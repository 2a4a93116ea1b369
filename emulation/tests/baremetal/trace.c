/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace.h"

u8 trace_buffer[BUFFER_PAGES * PAGE] __attribute__((aligned(PAGE)));

/*
 * x0: how many branches. Three of them make a byte of trace. TSB CSYNC writes
 * out what the trace unit holds.
 */
asm(".text\n"
    ".global branches, branches_end\n"
    "branches:\n"
    "mov x1, x0\n"
    "1: subs x1, x1, #1\n"
    "b.ne 1b\n"
    "hint #18\n"
    "nop\n"
    "ret\n"
    "branches_end:\n");

void trace_enable(u64 base, u64 limit, u64 mode)
{
    trace_enable_from(base, base, limit, mode);
}

void trace_enable_from(u64 base, u64 ptr, u64 limit, u64 mode)
{
    for (unsigned int i = 0; i < sizeof(trace_buffer); i++) {
        trace_buffer[i] = 0xee;
    }
    write_reg(TRBBASER_EL1, base);
    write_reg(TRBPTR_EL1, ptr);
    write_reg(TRBLIMITR_EL1, limit | mode | TRBLIMITR_E);
    write_reg(TRCPRGCTLR, 1);
    isb();
}

void trace_run(unsigned int el, u64 count)
{
    run_el(el, SPSR_PM, branches, count);
}

u64 trace_run_unmasked(unsigned int el, u64 unmasked, u64 count)
{
    run_at(SPSR_ELH(el) | (SPSR_DAIF & ~unmasked), branches, count);
    return count - run_x1;
}

bool trace_disable(void)
{
    bool irq;

    write_reg(TRCPRGCTLR, 0);
    isb();
    irq = ppi_level(INTID_TRBIRQ);
    write_reg(TRBLIMITR_EL1, 0);
    isb();
    return irq;
}

u64 trbsr(unsigned int el)
{
    if (el == 1) {
        return read_reg(TRBSR_EL1);
    }
    if (!features.trbe_exc) {
        return 0;
    }
    return el == 2 ? read_reg(TRBSR_EL2) : read_reg(TRBSR_EL3);
}

int recorded_el(void)
{
    int found = 0;

    for (int el = 1; el <= 3; el++) {
        if (trbsr(el)) {
            found = found ? -1 : el;
        }
    }
    return found;
}

void setup_el1(void)
{
    reset_controls();
    write_reg(TRFCR_EL1, TRFCR_ExTRE);
}

void trigger_at(u64 at)
{
    write_reg(TRCRSCTLR2, FIELD(2, 16) | 1);    /* counter 0 at zero */
    write_reg(TRCCNTCTLR0, 1);                  /* counts always */
    write_reg(TRCCNTVR0, at);
    write_reg(TRCEVENTCTL0R, 2);
}

void check(const char *what, bool ok)
{
    if (wrong(ok)) {
        print("# %s: TRBSR 0x%lx TRBPTR base+0x%lx TRBTRG 0x%lx\n", what,
              read_reg(TRBSR_EL1), read_reg(TRBPTR_EL1) - BASE,
              read_reg(TRBTRG_EL1));
    }
}

bool buffer_is_trace(u64 end)
{
    for (int i = 0; i < 11; i++) {
        if (trace_buffer[i]) {
            return false;
        }
    }
    for (u64 i = end - BASE; i < sizeof(trace_buffer); i++) {
        if (trace_buffer[i] != 0xee) {
            return false;
        }
    }
    return trace_buffer[11] == 0x80 && trace_buffer[end - 1 - BASE] != 0xee;
}
