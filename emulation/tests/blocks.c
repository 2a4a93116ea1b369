/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps that the register tests of all sets share; see blocks.h */

#include "blocks.h"
#include "machine.h"

#include <stdio.h>

uint32_t rd(unsigned cpu, unsigned offset)
{
    return bus_read32(BLOCK(cpu) + offset);
}

void wr(unsigned cpu, unsigned offset, uint32_t value)
{
    bus_write32(BLOCK(cpu) + offset, value);
}

struct sample latched(unsigned cpu)
{
    return (struct sample) {
        .hi = rd(cpu, PMPCSR_HI),
        .cid1 = rd(cpu, PMCID1SR),
        .vid = rd(cpu, PMVIDSR),
        .cid2 = rd(cpu, PMCID2SR),
    };
}

struct sample sample(unsigned cpu)
{
    uint32_t lo = rd(cpu, PMPCSR_LO);
    struct sample s = latched(cpu);

    s.lo = lo;
    return s;
}

bool pc_is_in(uint32_t lo, const char *function)
{
    char end[64];

    snprintf(end, sizeof(end), "%s_end", function);
    return lo >= guest_symbol(function) && lo < guest_symbol(end);
}

bool is_unknown(struct sample s)
{
    return s.hi == UNKNOWN_HI && s.cid1 == UNKNOWN && s.cid2 == UNKNOWN;
}

bool aborts(const char *access, uint64_t address)
{
    guest_call(0, access, address, 0);
    return SYNC_EXTERNAL_ABORT(guest_esr(0));
}

bool register_aborts(unsigned cpu, unsigned offset)
{
    return aborts("read32", BLOCK(cpu) + offset);
}

void power_on(unsigned cpu)
{
    guest_forget(cpu);
    guest_call(0, "psci_hvc", 0xC4000003, cpu, guest_symbol("_start"), 0);
    guest_serves(cpu);
}

void power_off(unsigned cpu)
{
    guest_start(cpu, "psci_hvc", 0x84000002);
    AWAIT(guest_call(0, "psci_hvc", 0xC4000004, cpu, 0, 0) == 1);       /* AFFINITY_INFO: OFF */
}

void open_block(unsigned cpu)
{
    guest_call(cpu, "set_oslar_el1", 0);
    wr(cpu, PMLAR, KEY);
    rd(cpu, PMPCSR_LO);
}

void start_two(const char *options)
{
    machine_start(options);
    power_on(1);
    open_block(0);
    open_block(1);
}

void set_property(const char *name, const char *value)
{
    machine_qmp("{\"execute\":\"qom-set\",\"arguments\":{\"path\":\"/machine/peripheral/pcs\","
                "\"property\":\"%s\",\"value\":%s}}", name, value);
}
