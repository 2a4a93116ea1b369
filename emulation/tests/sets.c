/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The register sets other than the external PMU block's 32-bit view, which registers.c tests: the
 * 64-bit view, FEAT_PCSRv8p9, and the external debug block of FEAT_PCSRv8; and hardware around the
 * blocks: clock, power of a cluster, a bus that hangs, places of real SoCs, nodes that are wrong.
 *
 * What is expected stands here as numbers from the manual (DDI 0487 M.a.a: H7.1, H9.2, I3.1, I5.3,
 * K5.4), not as the constants that the device is compiled with.
 */

#include "blocks.h"
#include "machine.h"
#include "tap.h"

#include <inttypes.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PMPCSCTL        0xE50
#define EN              1
#define IMP             2

#define EDSCR           0x088
#define EDPCSR_LO       0x0A0
#define EDCIDSR         0x0A4
#define EDVIDSR         0x0A8
#define EDPCSR_HI       0x0AC
#define OSLAR           0x300
#define EDPRCR          0x310
#define EDPRSR          0x314
#define EDDEVAFF0       0xFA8
#define EDLAR           0xFB0
#define EDLSR           0xFB4
#define EDAUTHSTATUS    0xFB8
#define EDDEVARCH       0xFBC
#define EDDEVID1        0xFC4
#define EDDEVID         0xFC8
#define EDDEVTYPE       0xFCC

#define SC2             (1U << 19)
#define VID_NS          (1U << 31)
#define VID_E2          (1U << 30)
#define VID_E3          (1U << 29)
#define VID_HV          (1U << 28)

#define GICD            0x08000000
#define GICD_SGIR       0xF00

#define EXT64           "-device arm-pcsample,id=pcs,ext64=on"
#define V8P9            "-device arm-pcsample,id=pcs,v8p9=on"
#define DEBUG           "-device arm-pcsample,id=pcs,block=debug"

static uint64_t rd64(unsigned cpu, unsigned offset)
{
    return bus_read64(BLOCK(cpu) + offset);
}

/*
 * 64-bit view
 */

static void power_on_smc(unsigned cpu)
{
    guest_forget(cpu);
    guest_call(0, "psci_smc", 0xC4000003, cpu, guest_symbol("_start"), 0);
    guest_serves(cpu);
}

/*
 * A counter is single-copy atomic (I3.1.1): while it counts, a carry from the lower word is in both
 * words of what was written and of what was read, or in neither. Of 20,000 pairs of accesses word
 * by word, 30 had it in one. It counts ns, and there are 10 to 100 us between two accesses.
 */
static void test_counter_in_one(void)
{
    const uint64_t carry = 1ULL << 32;
    unsigned wrong = 0, carried = 0;

    guest_call(1, "set_pmccfiltr_el0", 1 << 27);        /* NSH: counts at EL2 */
    guest_call(1, "set_pmcntenset_el0", 1ULL << 31);
    guest_call(1, "set_pmcr_el0", 0x41);                /* LC, E */
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t from = carry - 1 - rand() % 60000, to;

        bus_write64(BLOCK(1) + 0x0F8, from);
        to = rd64(1, 0x0F8);
        carried += to >= carry;
        wrong += to < from || to - from >= carry / 2;
    }
    tap_ok(!wrong && carried, "EXT64: PMCCNTR_EL0 is read and written in one: %u carries, %u wrong",
           carried, wrong);
    guest_call(1, "set_pmcr_el0", 0x40);
}

static void test_ext64(void)
{
    static const struct {
        unsigned offset;
        const char *name;
    } wide[] = {
        { 0x200, "PMPCSR" }, { 0x208, "PMVCIDSR" }, { 0x220, "PMPCSR's alias" },
        { 0x228, "PMCCIDSR" }, { 0x0F8, "PMCCNTR_EL0" }, { 0xE00, "PMCFGR" },
        { 0xE50, "PMPCSCTL" }, { PMDEVAFF0, "PMDEVAFF" },
    };
    uint64_t pc;

    machine_start("-M virt,virtualization=on -cpu max -smp 2 " EXT64);
    power_on_smc(1);
    open_block(1);
    tap_is(rd(1, PMDEVARCH), 0x47702A26, "EXT64: PMDEVARCH: Arm, PMUv3, EXT64");
    tap_is(rd(1, PMDEVTYPE), 0x16, "EXT64: PMDEVTYPE: PMU of a processor");
    tap_is(rd(1, PMDEVID), 1, "EXT64: PMDEVID: FEAT_PCSRv8p2");
    tap_is(rd64(1, PMDEVAFF0), 0x80000001, "EXT64: PMDEVAFF is one register");
    tap_is(rd64(1, PMCFGR), 0x1FF06, "EXT64: PMCFGR is one register");
    tap_is(rd(1, PMLSR), 0, "EXT64: there is no Software lock");
    for (unsigned i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        tap_ok(register_aborts(1, wide[i].offset) && register_aborts(1, wide[i].offset + 4),
               "EXT64: a 32-bit read of %s gives an error", wide[i].name);
        tap_ok(!aborts("read64", BLOCK(1) + wide[i].offset), "EXT64: a 64-bit read of %s",
               wide[i].name);
    }
    tap_ok(aborts("read64", BLOCK(1) + PMLAR), "EXT64: management registers are words");
    test_counter_in_one();

    guest_call(1, "set_contextidr_el1", 0x11223344);
    guest_call(1, "set_contextidr_el2", 0x55667788);
    guest_call(1, "set_vttbr_el2", 0xCDULL << 48);
    guest_loop_at(1, TO_EL1, "spin_hvc");
    pc = rd64(1, 0x200);
    tap_ok(pc_is_in(pc, "spin_hvc") && pc >> 32 == HI(0, 1, 1), "EXT64: PMPCSR: a sample of EL1");
    tap_is(rd64(1, 0x208), 0xCD11223344, "EXT64: PMVCIDSR = VMID and CONTEXTIDR_EL1");
    tap_is(rd64(1, 0x228), 0x5566778811223344, "EXT64: PMCCIDSR = both Context IDs");
    guest_stop(1);
    guest_call(1, "set_contextidr_el1", 0x99);
    guest_loop_at(1, TO_EL0, "spin_svc");
    tap_is(rd64(1, 0x208), 0xCD11223344, "EXT64: PMVCIDSR has no side effect");
    pc = rd64(1, 0x220);
    tap_ok(pc_is_in(pc, "spin_svc") && pc >> 32 == HI(0, 1, 0), "EXT64: the alias takes a sample");
    tap_is(rd64(1, 0x208), 0xCD00000099, "EXT64: and latches for both");

    start_two(VIRT EXT64 ",half-read=on");
    guest_call(1, "set_contextidr_el1", 0x42);
    guest_loop(1, "spin_ret", 0);
    tap_ok(pc_is_in(rd(1, 0x200), "spin_ret"), "half-read: the low word takes a sample");
    tap_ok(rd(1, 0x204) == HI(0, 1, 1) && rd(1, 0x208) == 0x42, "half-read: the words of the rest");

    machine_start(VIRT EXT64 ",pmu=off,v8p9=on");
    guest_call(0, "set_oslar_el1", 0);
    tap_is(rd(0, PMDEVARCH), 0x47700A20, "EXT64 without a PMU: PMDEVARCH: PC sampling, EXT64");
    tap_is(rd(0, PMDEVTYPE), 0x10, "EXT64 without a PMU: PMDEVTYPE.MAJOR is 0");
    tap_is(rd64(0, PMPCSCTL), IMP, "EXT64: PMPCSCTL is one register");
    guest_call(0, "write64", BLOCK(0) + PMPCSCTL, EN);
    tap_ok(!guest_esr(0) && rd64(0, PMPCSCTL) == (EN | IMP), "EXT64: a write of PMPCSCTL");
    tap_ok(machine_fails("-M virt " EXT64 ",block=debug", "features of block=pmu"),
           "the debug block has no 64-bit view");
}

/*
 * FEAT_PCSRv8p9
 */

static void test_pmpcsctl(void)
{
    struct sample s;

    machine_start(VIRT V8P9);
    power_on(1);
    tap_is(rd(1, PMDEVID), 2, "PCSRv8p9: PMDEVID");
    tap_ok(register_aborts(1, PMPCSCTL), "PCSRv8p9: OS Lock: PMPCSCTL gives an error");
    guest_call(1, "set_oslar_el1", 0);
    guest_loop(1, "spin_ret", 0);
    tap_is(rd(1, PMPCSCTL), IMP, "PCSRv8p9: suspended at reset");
    tap_is(rd(1, PMPCSR_LO), NONE, "PCSRv8p9: Software lock: a read finds it suspended");
    tap_is(rd(1, PMPCSCTL), IMP, "PCSRv8p9: Software lock: and leaves it so");
    wr(1, PMPCSCTL, EN);
    tap_is(rd(1, PMPCSCTL), IMP, "PCSRv8p9: Software lock: PMPCSCTL cannot be written");
    wr(1, PMLAR, KEY);

    s = sample(1);
    tap_ok(s.lo == NONE && is_unknown(s), "PCSRv8p9: the first read finds it suspended");
    tap_is(rd(1, PMPCSCTL), EN | IMP, "PCSRv8p9: and activates it: EN is 1");
    sample(1);
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_ret") && s.hi == HI(0, 1, 1), "PCSRv8p9: then there are samples");
    wr(1, PMPCSCTL, 0);
    tap_is(rd(1, PMPCSCTL), IMP, "PCSRv8p9: EN = 0 suspends");
    tap_is(latched(1).hi, HI(0, 1, 1), "PCSRv8p9: what is latched stays");
    tap_is(rd(1, PMPCSR_LO), NONE, "PCSRv8p9: suspended: no sample");
    wr(1, PMPCSCTL, 0);
    wr(1, PMPCSCTL, EN);
    tap_is(rd(1, PMPCSCTL), EN | IMP, "PCSRv8p9: EN = 1 activates");
    tap_ok(rd(1, PMPCSR_LO) != NONE, "PCSRv8p9: then no read says suspended");
    wr(1, PMPCSCTL, ~0U);
    tap_is(rd(1, PMPCSCTL), EN | IMP, "PCSRv8p9: SS and reserved bits are RES0");
    tap_is(rd(1, PMPCSCTL + 4), 0, "PCSRv8p9: the upper word is RES0");

    wr(1, PMPCSCTL, 0);
    set_property("niden", "false");
    tap_is(rd(1, PMPCSR_LO), NONE, "PCSRv8p9: prohibited: no sample");
    tap_is(rd(1, PMPCSCTL), IMP, "PCSRv8p9: prohibited: a read does not activate");
    set_property("niden", "true");
    wr(1, PMPCSCTL, EN);
    guest_stop(1);
    power_off(1);
    power_on(1);
    guest_call(1, "set_oslar_el1", 0);
    tap_is(rd(1, PMPCSCTL), IMP, "PCSRv8p9: reset of the PE suspends");

    start_two(VIRT V8P9 ",first-read-none=off");
    guest_loop(1, "spin_ret", 0);
    wr(1, PMPCSCTL, 0);
    s = sample(1);
    tap_ok(s.lo == UNKNOWN && is_unknown(s), "first-read-none=off: suspended: UNKNOWN");
    tap_is(rd(1, PMPCSCTL), EN | IMP, "first-read-none=off: and active");

    machine_start(VIRT V8P9 ",imp=off,suspended-at-reset=on,software-lock=off");
    guest_call(0, "set_oslar_el1", 0);
    wr(0, PMPCSCTL, EN);
    tap_is(rd(0, PMPCSCTL), 0, "IMP = 0: EN is RAZ/WI");
    tap_is(rd(0, PMPCSR_LO), NONE, "IMP = 0: suspended at reset");
    rd(0, PMPCSR_LO);
    tap_is(sample(0).hi, HI(0, 1, 1), "IMP = 0: a read activates");
    wr(0, PMPCSCTL, 0);
    tap_is(sample(0).hi, HI(0, 1, 1), "IMP = 0: nothing suspends but a reset");

    machine_start("-M virt,secure=on -cpu max -smp 2 " V8P9);
    guest_serves(1);
    open_block(1);
    guest_call(1, "set_mdcr_el3", 1 << 21);
    wr(1, PMPCSCTL, 0);
    tap_is(rd(1, PMPCSCTL), IMP, "EPMAD has no effect on PMPCSCTL");
}

/*
 * External debug block
 */

static struct sample ed_latched(unsigned cpu)
{
    return (struct sample) {
        .hi = rd(cpu, EDPCSR_HI),
        .cid1 = rd(cpu, EDCIDSR),
        .vid = rd(cpu, EDVIDSR),
    };
}

static struct sample ed_sample(unsigned cpu)
{
    uint32_t lo = rd(cpu, EDPCSR_LO);
    struct sample s = ed_latched(cpu);

    s.lo = lo;
    return s;
}

static void open_debug_block(unsigned cpu)
{
    wr(cpu, EDLAR, KEY);
    wr(cpu, OSLAR, 0);
    rd(cpu, EDPCSR_LO);
}

static void test_debug_identification(void)
{
    void *fdt;
    int node;

    machine_start("-M virt,secure=on -cpu cortex-a57 -smp 2 " DEBUG);
    tap_is(rd(1, EDDEVARCH), 0x47706A15, "debug: EDDEVARCH of Armv8.0");
    tap_is(rd(1, EDDEVTYPE), 0x15, "debug: EDDEVTYPE: debug logic of a processor");
    tap_is(rd(1, EDDEVID), 3, "debug: EDDEVID.PCSample");
    tap_is(rd(1, EDDEVID1), 2, "debug: EDDEVID1.PCSROffset");
    tap_is(rd(1, EDDEVAFF0), 0x80000001, "debug: EDDEVAFF0");
    tap_is(rd(1, EDAUTHSTATUS), 0xAE, "debug: DBGAUTHSTATUS: Non-secure, non-invasive only");
    tap_is(rd(1, 0xFE0), 0x03, "debug: EDPIDR0: Cortex-A53");
    tap_is(rd(1, 0xFE4), 0xBD, "debug: EDPIDR1");
    tap_is(rd(1, 0xFE8), 0x0B, "debug: EDPIDR2");
    tap_is(rd(1, 0xFF4), 0x90, "debug: EDCIDR1: CoreSight");
    tap_is(rd(1, 0x200), 0, "debug: no PMPCSR here");

    machine_start(VIRT DEBUG ",niden=off,part=0xd08,pcsample=2,pcsroffset=0");
    tap_is(rd(0, EDAUTHSTATUS), 0x0A, "debug: niden=off: DBGAUTHSTATUS");
    tap_is(rd(0, 0xFE0), 0x08, "part=0xd08: Cortex-A72");
    tap_is(rd(0, EDDEVID), 2, "pcsample=2: EDDEVID");
    tap_is(rd(0, EDDEVID1), 0, "pcsroffset=0: EDDEVID1");

    fdt = machine_dump_dtb(VIRT DEBUG);
    node = fdt_path_offset(fdt, "/debug@9101000");
    tap_ok(node >= 0 && !fdt_node_check_compatible(fdt, node, "arm,coresight-cpu-debug") &&
           !fdt_node_check_compatible(fdt, node, "arm,primecell") &&
           fdt_getprop(fdt, node, "clocks", NULL) &&
           !strcmp(fdt_getprop(fdt, node, "clock-names", NULL), "apb_pclk"),
           "debug: device tree: the node that upstream has");
    free(fdt);
}

static void test_debug_locks(void)
{
    static const unsigned offsets[] = { EDSCR, EDPCSR_LO, EDCIDSR, EDVIDSR, EDPCSR_HI };
    struct sample s;

    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG ",first-read-none=off");
    power_on(1);
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        tap_ok(register_aborts(1, offsets[i]), "debug: OS Lock: 0x%03x gives an error", offsets[i]);
    }
    tap_is(rd(1, EDPRSR), 0x2B, "EDPRSR, locked: PU, SPD, SR, OSLK");
    tap_is(rd(1, EDPRSR), 0x2B, "EDPRSR, locked: a read clears nothing");
    wr(1, OSLAR, 0);
    tap_is(rd(1, EDPRSR) & 0x20, 0x20, "OSLAR: not through a closed Software lock");
    tap_is(rd(1, EDLSR), 3, "EDLSR: locked at reset");
    wr(1, EDLAR, KEY);
    tap_is(rd(1, EDLSR), 1, "EDLAR: the key opens");
    tap_is(rd(1, EDPRSR), 0x2B, "EDPRSR: sticky bits are there");
    tap_is(rd(1, EDPRSR), 0x21, "EDPRSR: a read clears SPD and SR");
    wr(1, OSLAR, 0);
    tap_is(rd(1, EDPRSR), 0x01, "OSLAR: 0 unlocks");
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        tap_ok(!register_aborts(1, offsets[i]), "debug: unlocked: 0x%03x answers", offsets[i]);
    }
    tap_ok(aborts("read64", BLOCK(1) + EDPCSR_LO), "debug: a 64-bit read gives an error");
    wr(1, OSLAR, 1);
    tap_ok(register_aborts(1, EDPCSR_LO), "OSLAR: 1 locks");
    tap_ok(!register_aborts(1, OSLAR) && !register_aborts(1, EDDEVID), "OS Lock: OSLAR answers");
    wr(1, OSLAR, 0);
    guest_call(1, "set_osdlr_el1", 1);
    tap_ok(register_aborts(1, EDPCSR_LO) && register_aborts(1, OSLAR),
           "OS Double Lock: EDPCSR and OSLAR give an error");
    tap_is(rd(1, EDPRSR), 0x41, "OS Double Lock: EDPRSR.DLK");
    wr(1, EDPRCR, 1);
    tap_ok(rd(1, EDPRCR) == 0 && register_aborts(1, EDPCSR_LO),
           "OS Double Lock: a write of EDPRCR.CORENPDRQ is ignored");
    guest_call(1, "set_osdlr_el1", 0);
    wr(1, EDPRCR, 1);
    guest_call(1, "set_osdlr_el1", 1);
    tap_ok(rd(1, EDPRSR) == 0x01 && !register_aborts(1, EDPCSR_LO),
           "EDPRCR.CORENPDRQ = 1: OSDLR_EL1.DLK does not lock");
    wr(1, EDPRCR, 0);
    tap_ok(rd(1, EDPRSR) == 0x41 && register_aborts(1, EDPCSR_LO),
           "until the request is withdrawn");
    guest_call(1, "set_osdlr_el1", 0);

    guest_call(1, "set_contextidr_el1", 0x1234);
    guest_loop(1, "spin_ret", 0);
    ed_sample(1);
    guest_stop(1);
    wr(1, EDLAR, 0);
    guest_call(1, "set_contextidr_el1", 0x5678);
    guest_loop_at(1, TO_EL0, "spin_svc");
    s = ed_sample(1);
    tap_ok(pc_is_in(s.lo, "spin_svc") && s.cid1 == 0x1234,
           "debug: Software lock: EDPCSR[31:0] is a sample, the rest is unchanged");
}

static void test_debug_samples(void)
{
    struct sample s;

    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG);
    power_on(1);
    open_debug_block(1);
    wr(1, EDSCR, SC2);
    tap_is(rd(1, EDSCR), 0x3C02, "debug: EDSCR: Non-debug state; SC2 is RES0 without FEAT_VHE");
    guest_call(1, "set_contextidr_el1", 0xA1A2A3A4);
    guest_loop(1, "spin_ret", 0);
    s = ed_sample(1);
    tap_ok(pc_is_in(s.lo, "spin_ret") && s.hi == 0, "debug: EDPCSR: the PC and nothing else");
    tap_is(s.cid1, 0xA1A2A3A4, "debug: EDCIDSR = CONTEXTIDR_EL1");
    tap_is(s.vid, VID_NS, "debug: EDVIDSR: Non-secure, EL1 or EL0, high word is zero");
    guest_stop(1);
    guest_call(1, "set_contextidr_el1", 0xB1);
    guest_loop_at(1, TO_EL0, "spin_svc");
    tap_is(ed_latched(1).cid1, 0xA1A2A3A4, "debug: only EDPCSR[31:0] latches");
    s = ed_sample(1);
    tap_ok(pc_is_in(s.lo, "spin_svc") && s.hi == 0 && s.vid == VID_NS && s.cid1 == 0xB1,
           "debug: EL0 looks as EL1 does");
    guest_stop(1);
    guest_loop_at(1, TO_EL0_A32, "spin_a32");
    s = ed_sample(1);
    tap_ok(pc_is_in(s.lo, "spin_a32") && s.vid == VID_NS, "debug: AArch32 EL0");

    machine_start("-M virt -cpu cortex-a57 -smp 1 " DEBUG ",pcsample=1");
    open_debug_block(0);
    s = ed_sample(0);
    tap_ok(s.lo != NONE && !s.cid1 && !s.vid, "pcsample=1: neither EDCIDSR nor EDVIDSR");
    machine_start("-M virt -cpu cortex-a57 -smp 1 " DEBUG ",pcsample=2");
    open_debug_block(0);
    guest_call(0, "set_contextidr_el1", 0x77);
    s = ed_sample(0);
    tap_ok(s.cid1 == 0x77 && !s.vid, "pcsample=2: EDCIDSR, no EDVIDSR");

    machine_start("-M virt,secure=on -cpu cortex-a57 -smp 2 " DEBUG ",spniden=on");
    guest_serves(1);
    open_debug_block(1);
    guest_loop(1, "spin_ret", 0);
    tap_is(ed_sample(1).vid, VID_E3, "debug: EL3: EDVIDSR.E3, Secure");
    guest_stop(1);
    guest_loop_at(1, TO_EL1, "spin_smc");
    tap_is(ed_sample(1).vid, 0, "debug: Secure EL1");

    machine_start("-M virt,secure=on -cpu cortex-a57 -smp 2 " DEBUG);
    guest_serves(1);
    open_debug_block(1);
    guest_loop(1, "spin_ret", 0);
    s = ed_sample(1);
    tap_ok(s.lo == NONE && s.hi == UNKNOWN && s.cid1 == UNKNOWN && s.vid == (VID_NS | VID_HV),
           "debug: prohibited: 0xFFFFFFFF, the rest is UNKNOWN, and there is no VMID without EL2");
    machine_start("-M virt,secure=on -cpu cortex-a57 -smp 1 " DEBUG ",unknown=0xa5a5a5a5");
    open_debug_block(0);
    s = ed_sample(0);
    tap_ok(s.hi == 0 && s.vid == (VID_NS | VID_E3), "EDVIDSR.HV UNKNOWN and 0: no high word");
    machine_start("-M virt,secure=on,virtualization=on -cpu cortex-a57 -smp 1 " DEBUG);
    open_debug_block(0);
    tap_is(ed_sample(0).vid, VID_NS | VID_E2 | VID_HV | 0xDE, "no VMID[15:8] without FEAT_VMID16");
    machine_start("-M virt,secure=on,virtualization=on -cpu max -smp 1 " DEBUG);
    open_debug_block(0);
    tap_is(ed_sample(0).vid, VID_NS | VID_E2 | VID_HV | 0xC0DE, "and with it all of the VMID");
    wr(0, EDSCR, SC2);
    s = ed_sample(0);
    tap_ok(s.lo == NONE && s.hi == 0xC0ADC0DE && s.vid == UNKNOWN,
           "SC2 = 1: prohibited: what is not RES0 is UNKNOWN");
}

static void test_debug_el2(void)
{
    struct sample s;

    machine_start("-M virt,virtualization=on -cpu max -smp 2 " DEBUG);
    power_on_smc(1);
    open_debug_block(1);
    tap_is(rd(1, EDDEVARCH), 0x47707A15, "debug: EDDEVARCH of Armv8.1");
    tap_is(rd(1, EDSCR), 0x3C02, "EDSCR.SC2 is 0 at reset");
    guest_call(1, "set_contextidr_el1", 0x11);
    guest_call(1, "set_contextidr_el2", 0x22);
    guest_call(1, "set_vttbr_el2", 0xABCDULL << 48);
    guest_call(1, "set_vtcr_el2", 1ULL << 19);
    guest_loop(1, "spin_ret", 0);
    s = ed_sample(1);
    tap_ok(s.hi == 0 && s.vid == (VID_NS | VID_E2), "SC2 = 0: EL2: EDVIDSR.E2, VMID is RES0");
    guest_stop(1);
    guest_loop_at(1, TO_EL1, "spin_hvc");
    tap_is(ed_sample(1).vid, VID_NS | 0xABCD, "SC2 = 0: EL1: VMID");

    wr(1, EDSCR, SC2);
    tap_is(rd(1, EDSCR), 0x3C02 | SC2, "EDSCR.SC2 can be set");
    s = ed_sample(1);
    tap_ok(pc_is_in(s.lo, "spin_hvc") && s.hi == HI(0, 1, 1), "SC2 = 1: EL1: EDPCSR.{NS,EL}");
    tap_ok(s.cid1 == 0x11 && s.vid == 0x22, "SC2 = 1: EDVIDSR = CONTEXTIDR_EL2");
    guest_stop(1);
    guest_loop_at(1, TO_EL0, "spin_svc");
    tap_is(ed_sample(1).hi, HI(0, 1, 0), "SC2 = 1: EL0");
    guest_stop(1);
    guest_loop(1, "spin_ret", 0);
    tap_is(ed_sample(1).hi, HI(0, 1, 2), "SC2 = 1: EL2");
}

/* Sleeping PEs: wait until their PC says that they sleep */
static void test_debug_sleep(void)
{
    uint32_t wfi = guest_symbol("sleep_wfi_end") - 4;
    struct sample s;

    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG);
    power_on(1);
    open_debug_block(1);
    guest_start(1, "sleep_wfi", 0);
    AWAIT(rd(1, EDPCSR_LO) == wfi);
    tap_ok(rd(1, EDPCSR_LO) == wfi && rd(1, EDPCSR_LO) == wfi, "debug: a PE in WFI shows the WFI");

    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG ",repeat-unknown=on");
    power_on(1);
    open_debug_block(1);
    guest_start(1, "sleep_wfi", 0);
    AWAIT(rd(1, EDPCSR_LO) == UNKNOWN);
    s = ed_sample(1);
    tap_ok(s.lo == UNKNOWN && s.cid1 == UNKNOWN,
           "repeat-unknown: no branch since the last read: UNKNOWN");

    /* Interrupts are masked: what ends the WFI is no exception. */
    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG ",repeat-unknown=on");
    power_on(1);
    open_debug_block(1);
    guest_call(0, "write32", GICD, 1);
    guest_start(1, "nap_wfi", 0);
    AWAIT(rd(1, EDPCSR_LO) == UNKNOWN);
    guest_call(0, "write32", GICD + GICD_SGIR, 1U << 17);
    guest_serves_again(1);
    tap_ok(rd(1, EDPCSR_LO) != UNKNOWN, "repeat-unknown: awake, there are branches: a sample");

    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG ",cpu-suspend=on");
    power_on(1);
    open_debug_block(1);
    rd(1, EDPRSR);
    guest_start(1, "sleep_psci", 0);
    AWAIT(register_aborts(1, EDPCSR_LO));
    tap_is(rd(1, EDPRSR), 0x00, "CPU_SUSPEND: EDPRSR: no PU, and no SPD: nothing is lost");
    wr(1, EDPRCR, 1);
    tap_ok(rd(1, EDPRCR) == 0 && register_aborts(1, EDPCSR_LO),
           "EDPRCR: asleep: a write of CORENPDRQ is ignored");
    wr(1, EDPRCR, 8);
    tap_is(rd(1, EDPRCR), 8, "EDPRCR.COREPURQ");
    tap_ok(!register_aborts(1, EDPCSR_LO), "EDPRCR.COREPURQ brings the power up");
    wr(1, EDPRCR, 1);
    tap_ok(!register_aborts(1, EDPCSR_LO), "EDPRCR.CORENPDRQ keeps the power on");
    tap_is(rd(1, EDPRSR), 0x01, "EDPRSR after CPU_SUSPEND: PU, and no SPD");
    wr(1, OSLAR, 1);
    wr(1, EDPRCR, 0);
    tap_is(rd(1, EDPRCR), 0, "EDPRCR: CORENPDRQ under the OS Lock: UNKNOWN");
    wr(1, OSLAR, 0);
    tap_is(rd(1, EDPRCR), 1, "EDPRCR: and a write of it was ignored");
    wr(1, EDPRCR, 0);
    tap_ok(register_aborts(1, EDPCSR_LO), "without the request it goes down again");

    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG ",cpu-suspend=on,power-request=off");
    power_on(1);
    open_debug_block(1);
    wr(1, EDPRCR, 9);
    guest_start(1, "sleep_psci", 0);
    AWAIT(register_aborts(1, EDPCSR_LO));
    tap_ok(true, "power-request=off: EDPRCR is ignored");

    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG ",cpu-suspend=on");
    power_on(1);
    open_debug_block(1);
    guest_start(1, "sleep_psci", 0);
    AWAIT(register_aborts(1, EDPCSR_LO));
    tap_is(rd(1, EDPRSR), 0x02, "CPU_SUSPEND: EDPRSR: SPD from before");
    tap_is(rd(1, EDPRSR), 0x02, "CPU_SUSPEND: a read of EDPRSR clears nothing");
    wr(1, EDPRCR, 8);
    tap_is(rd(1, EDPRSR), 0x0B, "EDPRSR after CPU_SUSPEND: PU, SPD, SR");
    tap_is(rd(1, EDPRSR), 0x01, "and a read clears SPD and SR");
}

static void test_debug_powerdown(void)
{
    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG);
    power_on(1);
    open_debug_block(1);
    rd(1, EDPRSR);
    tap_is(rd(1, EDPRSR), 0x01, "EDPRSR: PU, nothing lost");
    power_off(1);
    tap_is(rd(1, EDPRSR), 0x02, "off by PSCI: EDPRSR: SPD, no PU");
    tap_is(rd(1, EDPRSR), 0x02, "off by PSCI: a read of EDPRSR clears nothing");
    power_on(1);
    tap_is(rd(1, EDPRSR), 0x2B, "on again: EDPRSR: PU, SPD, SR, OSLK");
    tap_is(rd(1, EDPRSR), 0x21, "on again: a read clears SPD and SR");
}

/*
 * What is around the blocks
 */

static void test_clock(void)
{
    const uint64_t pl061 = 0x09030000;
    const fdt32_t *clock;
    void *fdt;
    int node;

    machine_start(VIRT DEBUG ",gated-clock=on");
    tap_ok(register_aborts(0, EDDEVARCH) && register_aborts(0, EDPRSR),
           "gated-clock: nothing answers at reset");
    bus_write32(pl061 + 0x400, 1 << 5);
    bus_write32(pl061 + (1 << 5 << 2), 1 << 5);
    tap_is(rd(0, EDDEVTYPE), 0x15, "gated-clock: pin 5 of the PL061 opens the gate");
    machine_migrate(VIRT DEBUG ",gated-clock=on");
    tap_ok(!register_aborts(0, EDDEVARCH), "gated-clock: migration keeps it open");
    bus_write32(pl061 + (1 << 5 << 2), 0);
    tap_ok(register_aborts(0, EDDEVARCH), "gated-clock: and closes it");
    machine_migrate(VIRT DEBUG ",gated-clock=on");
    tap_ok(register_aborts(0, EDDEVARCH), "gated-clock: migration keeps it closed");

    fdt = machine_dump_dtb(VIRT DEBUG ",gated-clock=on,node-fault=no-clock@1");
    clock = fdt_getprop(fdt, fdt_path_offset(fdt, "/debug@9100000"), "clocks", NULL);
    node = clock ? fdt_node_offset_by_phandle(fdt, fdt32_to_cpu(*clock)) : -1;
    tap_ok(node >= 0 && !fdt_node_check_compatible(fdt, node, "gpio-gate-clock"),
           "gated-clock: device tree: the block's clock is the gate");
    node = fdt_path_offset(fdt, "/debug@9101000");
    tap_ok(node >= 0 && !fdt_getprop(fdt, node, "clocks", NULL),
           "node-fault=no-clock: a node without a clock");
    free(fdt);
}

static void test_cluster(void)
{
    machine_start("-M virt -cpu max -smp 4 -device arm-pcsample,shared-power=on,cluster=2");
    tap_ok(!register_aborts(1, PMDEVARCH), "cluster=2: PE 0 powers the block of PE 1");
    tap_ok(register_aborts(2, PMDEVARCH) && register_aborts(3, PMDEVARCH),
           "cluster=2: PEs 2 and 3 are off, and so are their blocks");
    power_on(3);
    tap_ok(!register_aborts(2, PMDEVARCH), "cluster=2: PE 3 powers the block of PE 2");
    tap_ok(register_aborts(2, PMPCSR_LO), "cluster=2: but not its Core power domain");
    power_off(3);
    tap_ok(register_aborts(2, PMDEVARCH), "cluster=2: both off again");

    power_on(2);
    power_on(3);
    wr(2, PMLAR, KEY);
    wr(3, PMLAR, KEY);
    power_off(2);
    power_on(2);
    tap_is(rd(2, PMLSR), 1, "cluster=2: PE 3 keeps the Software lock of PE 2 open");
    power_off(2);
    power_off(3);
    power_on(3);
    tap_ok(rd(2, PMLSR) == 3 && rd(3, PMLSR) == 3,
           "cluster=2: both off: the first that comes on closes the Software locks of both");
    wr(2, PMLAR, KEY);
    power_on(2);
    tap_is(rd(2, PMLSR), 1, "cluster=2: the second that comes on closes none");

    machine_start("-M virt -cpu cortex-a57 -smp 4 " DEBUG ",shared-power=on,cluster=2");
    power_on(3);
    wr(2, EDLAR, KEY);
    wr(2, EDPRCR, 8);
    power_off(3);
    power_on(2);
    tap_ok(rd(2, EDLSR) == 3 && rd(2, EDPRCR) == 0,
           "cluster=2: both off: EDLSR.SLK and EDPRCR.COREPURQ are reset");

    machine_start("-M virt -cpu cortex-a57 -smp 4 " DEBUG
                  ",shared-power=on,cluster=2,cpu-suspend=on");
    power_on(2);
    power_on(3);
    open_debug_block(3);
    guest_start(3, "sleep_psci", 0);
    AWAIT(register_aborts(3, EDPCSR_LO));
    power_off(2);
    tap_ok(register_aborts(3, EDDEVARCH), "cluster=2: one off and one in CPU_SUSPEND");
    power_on(2);
    tap_is(rd(3, EDLSR), 1, "cluster=2: retention keeps the Software lock open");
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void test_hang(void)
{
    double since;

    machine_start(VIRT "-device arm-pcsample,error-response=hang,hang-ms=300");
    since = now();
    tap_ok(register_aborts(1, PMPCSR_LO) && now() - since >= 0.3,
           "error-response=hang: the bus stands still, then an external abort");
}

static void test_relock(void)
{
    unsigned n = 0;

    start_two(VIRT "-device arm-pcsample,fault=relock@1");
    while (rd(1, PMLSR) == 1 && n < 1000) {
        rd(1, PMPCSR_LO);
        n++;
    }
    tap_is(n, 255, "fault=relock: the lock closes with the 256th read");
    wr(1, PMLAR, KEY);
    tap_is(rd(1, PMLSR), 1, "fault=relock: it can be opened again");
    tap_is(rd(0, PMLSR), 1, "fault=relock@1: not the one of PE 0");
}

static void test_addresses(void)
{
    machine_start("-M virt -cpu cortex-a57 -smp 2 " DEBUG ",addresses=850000:22110000");
    tap_is(bus_read32(0x850000 + EDDEVAFF0), 0x80000000, "addresses: on top of the flash");
    tap_is(bus_read32(0x22110000 + EDDEVAFF0), 0x80000001, "addresses: on top of a PCIe window");
    tap_ok(machine_fails("-M virt -smp 2 " DEBUG ",addresses=850000", "1 addresses for 2 vCPUs"),
           "addresses: one for each vCPU");
    tap_ok(machine_fails("-M virt " DEBUG ",addresses=850010", "multiple of 0x1000"),
           "addresses: at a page boundary");
    tap_ok(machine_fails("-M virt -smp 2 " DEBUG ",addresses=850000:850000", "overlaps"),
           "addresses: not the same twice");
    tap_ok(machine_fails("-M virt " DEBUG ",addresses=40000000", "overlaps"),
           "addresses: not in memory");
}

static const char *node_cpu(const void *fdt, const char *path)
{
    static char cpu_path[64];
    int len = 0;
    const fdt32_t *cpu = fdt_getprop(fdt, fdt_path_offset(fdt, path), "cpu", &len);

    if (!cpu || len != 4 ||
        fdt_get_path(fdt, fdt_node_offset_by_phandle(fdt, fdt32_to_cpu(*cpu)), cpu_path,
                     sizeof(cpu_path))) {
        return "";
    }
    return cpu_path;
}

static void test_nodes(void)
{
    void *fdt;

    fdt = machine_dump_dtb(VIRT "-device arm-pcsample,node-fault=wrong-cpu@1");
    tap_ok(!strcmp(node_cpu(fdt, "/pc-sample@9101000"), "/cpus/cpu@0"),
           "node-fault=wrong-cpu: the node names another PE");
    free(fdt);
    fdt = machine_dump_dtb(VIRT "-device arm-pcsample,node-fault=shared@1");
    tap_ok(!strcmp(node_cpu(fdt, "/pc-sample@9100000"), "/cpus/cpu@0") &&
           !strcmp(node_cpu(fdt, "/pc-sample@9100000,1"), "/cpus/cpu@1") &&
           fdt_path_offset(fdt, "/pc-sample@9101000") < 0,
           "node-fault=shared: two nodes for one block");
    free(fdt);
    fdt = machine_dump_dtb(VIRT "-device arm-pcsample,node-fault=missing@1");
    tap_ok(fdt_path_offset(fdt, "/pc-sample@9100000") >= 0 &&
           fdt_path_offset(fdt, "/pc-sample@9101000") < 0, "node-fault=missing: no node");
    free(fdt);
    fdt = machine_dump_dtb(VIRT "-device arm-pcsample,node-fault=disabled@1");
    tap_ok(!strcmp(fdt_getprop(fdt, fdt_path_offset(fdt, "/pc-sample@9101000"), "status", NULL),
                   "disabled"), "node-fault=disabled: a node that is disabled");
    free(fdt);
}

int main(int argc, char **argv)
{
    machine_setup(argc, argv);

    test_ext64();
    test_pmpcsctl();
    test_debug_identification();
    test_debug_locks();
    test_debug_samples();
    test_debug_el2();
    test_debug_sleep();
    test_debug_powerdown();
    test_clock();
    test_cluster();
    test_hang();
    test_relock();
    test_addresses();
    test_nodes();
    machine_stop();
    return tap_done();
}
