/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of the PC-sample blocks: every register, every rule of what a read latches, the
 * Software lock, error responses, the authentication interface, power, faults and the device tree.
 *
 * What is expected stands here as numbers from the manual (DDI 0487 M.a.a: I3.1, I5.3, H7.1, K5.4),
 * not as the constants that the device is compiled with.
 */

#include "blocks.h"
#include "machine.h"
#include "mailbox.h"
#include "tap.h"

#include <inttypes.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_identification(void)
{
    static const struct {
        unsigned offset;
        uint32_t value;
        const char *name;
    } ids[] = {
        { 0xFD0, 0x04, "PMPIDR4" }, { 0xFE0, 0x00, "PMPIDR0" }, { 0xFE4, 0xB0, "PMPIDR1" },
        { 0xFE8, 0x0B, "PMPIDR2" }, { 0xFEC, 0x00, "PMPIDR3" }, { 0xFF0, 0x0D, "PMCIDR0" },
        { 0xFF4, 0x90, "PMCIDR1" }, { 0xFF8, 0x05, "PMCIDR2" }, { 0xFFC, 0xB1, "PMCIDR3" },
        { 0xF00, 0, "PMITCTRL" }, { 0xFA0, 0, "0xFA0" }, { 0xFC0, 0, "0xFC0" },
        { 0xFD4, 0, "0xFD4" },
    };

    machine_start("-M virt,gic-version=3 -cpu max -smp 17 " DEVICE);
    guest_call(0, "set_oslar_el1", 0);
    tap_is(rd(0, PMDEVARCH), 0x47702A16, "PMDEVARCH: Arm, PMUv3, EXT32");
    tap_is(rd(0, PMDEVTYPE), 0x16, "PMDEVTYPE: PMU of a processor");
    tap_is(rd(0, PMDEVID), 0x1, "PMDEVID: FEAT_PCSRv8p2");
    tap_is(rd(0, PMCFGR), 0x1FF06, "PMCFGR: 6 event counters and the cycle counter, 64 bits");
    for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        tap_is(rd(0, ids[i].offset), ids[i].value, "%s", ids[i].name);
    }
    tap_is(rd(0, PMDEVAFF0), 0x80000000, "PMDEVAFF0 of PE 0");
    tap_is(rd(16, PMDEVAFF0), 0x80000100, "PMDEVAFF0 of PE 16, in a second cluster");
    tap_is(rd(16, PMDEVAFF1), 0, "PMDEVAFF1");
    tap_is(rd(0, PMAUTHSTATUS), 0xC, "PMAUTHSTATUS: Non-secure enabled, no other state");

    machine_start(VIRT "-device arm-pcsample,pmu=off,base=0x09200000,stride=0x10000");
    guest_call(0, "set_oslar_el1", 0);
    tap_is(bus_read32(0x09210000 + PMDEVARCH), 0x47700A10,
           "pmu=off: PMDEVARCH: PC sampling, EXT32");
    tap_is(bus_read32(0x09210000 + PMDEVTYPE), 0x10, "pmu=off: PMDEVTYPE.MAJOR is 0");
    tap_is(bus_read32(0x09210000 + PMDEVAFF0), 0x80000001, "base and stride place the blocks");
    tap_is(bus_read32(0x09200000 + PMCFGR), 0, "pmu=off: PMCFGR is RES0");

    machine_start("-M virt -cpu max,pmu=off -smp 1 " DEVICE);
    tap_is(rd(0, PMDEVARCH), 0x47700A10, "a PE without a PMU: PC sampling only");
}

static void test_os_lock(void)
{
    static const unsigned offsets[] = {
        PMPCSR_LO, PMPCSR_HI, PMCID1SR, PMVIDSR, ALIAS_LO, ALIAS_HI, ALIAS_CID1, PMCID2SR, PMCFGR,
    };

    machine_start("-M virt -cpu cortex-a57 -smp 1 " DEVICE);
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        tap_ok(register_aborts(0, offsets[i]), "OS Lock set at reset: 0x%03x gives an error",
               offsets[i]);
    }
    tap_ok(!register_aborts(0, PMDEVID) && !register_aborts(0, PMLSR),
           "OS Lock set: management registers answer");
    wr(0, PMLAR, KEY);
    tap_is(rd(0, PMLSR), 1, "OS Lock set: the Software lock opens");

    guest_call(0, "set_oslar_el1", 0);
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        tap_ok(!register_aborts(0, offsets[i]), "OS Lock clear: 0x%03x answers", offsets[i]);
    }
    guest_call(0, "set_oslar_el1", 1);
    tap_ok(register_aborts(0, PMPCSR_LO), "OS Lock set again: PMPCSR gives an error");

    guest_call(0, "set_oslar_el1", 0);
    guest_call(0, "set_osdlr_el1", 1);
    tap_ok(register_aborts(0, PMPCSR_LO), "OS Double Lock: PMPCSR gives an error");
    tap_ok(!register_aborts(0, PMDEVID), "OS Double Lock: PMDEVID answers");
    guest_call(0, "set_osdlr_el1", 0);
    tap_ok(!register_aborts(0, PMPCSR_LO), "OS Double Lock clear: PMPCSR answers");
}

/* A test writes a word once, and QEMU may store it again after the PE has answered: see guest.S */
static void test_mailbox(void)
{
    uint64_t rounds;
    unsigned answers = 0;

    machine_start(VIRT DEVICE);
    power_on(1);
    guest_loop(1, "spin_ret", 0);
    guest_stop(1);
    bus_write64(MAILBOX(1) + MAILBOX_STOP, 1);
    guest_loop(1, "spin_ret", 0);
    rounds = bus_read64(MAILBOX(1) + MAILBOX_COUNT);
    for (unsigned i = 0; i < 20; i++) {
        answers += guest_call(0, "get_cntfrq_el0", 0) != 0;
    }
    tap_ok(answers == 20 && bus_read64(MAILBOX(1) + MAILBOX_COUNT) == rounds,
           "a late store to STOP does not end the next loop");
    guest_stop(1);
}

static void test_software_lock(void)
{
    struct sample s;

    machine_start(VIRT "-device arm-pcsample,first-read-none=off");
    power_on(1);
    guest_call(1, "set_oslar_el1", 0);
    guest_call(1, "set_contextidr_el1", 0x1234);
    guest_loop(1, "spin_ret", 0);

    tap_is(rd(1, PMLSR), 3, "PMLSR: lock implemented, locked at reset");
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_ret"), "locked: PMPCSR[31:0] returns a sample");
    tap_ok(is_unknown(s), "locked: the other registers are not written");
    wr(1, PMLAR, KEY ^ 1);
    tap_is(rd(1, PMLSR), 3, "a wrong key does not unlock");
    wr(1, PMLAR, KEY);
    tap_is(rd(1, PMLSR), 1, "the key unlocks");
    tap_is(rd(1, PMLAR), 0, "PMLAR is write-only");
    tap_is(rd(0, PMLSR), 3, "the lock of another PE is its own");
    tap_ok(is_unknown(latched(1)), "unlocking latches nothing");
    s = sample(1);
    tap_is(s.hi, HI(0, 1, 1), "unlocked: PMPCSR[63:32] is written");
    tap_is(s.cid1, 0x1234, "unlocked: PMCID1SR is written");

    wr(1, PMLAR, 0);
    tap_is(rd(1, PMLSR), 3, "any other value locks");
    guest_stop(1);
    guest_call(1, "set_contextidr_el1", 0x5678);
    guest_loop_at(1, TO_EL0, "spin_svc");
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_svc"), "locked again: a fresh sample in PMPCSR[31:0]");
    tap_ok(s.hi == HI(0, 1, 1) && s.cid1 == 0x1234, "locked again: the rest is unchanged");
    s.hi = bus_read64(BLOCK(1) + PMPCSR_LO) >> 32;
    tap_is(s.hi, HI(0, 1, 1), "locked: a 64-bit read returns the unchanged high word");

    machine_start(VIRT "-device arm-pcsample,software-lock=off,first-read-none=off");
    power_on(1);
    guest_call(1, "set_oslar_el1", 0);
    tap_is(rd(1, PMLSR), 0, "software-lock=off: PMLSR is 0");
    wr(1, PMLAR, 0);
    guest_call(1, "set_contextidr_el1", 0x77);
    guest_loop(1, "spin_ret", 0);
    tap_is(sample(1).cid1, 0x77, "software-lock=off: reads latch");
}

static void test_latch(void)
{
    struct sample s;
    uint64_t wide;

    start_two(VIRT DEVICE);
    guest_call(1, "set_contextidr_el1", 0xA1A2A3A4);
    guest_loop(1, "spin_ret", 0);
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_ret"), "EL1: PC of the loop");
    tap_is(s.hi, HI(0, 1, 1), "EL1: PMPCSR.{NS,EL} = {1,1}, PC[55:32] = 0");
    tap_is(s.cid1, 0xA1A2A3A4, "EL1: PMCID1SR = CONTEXTIDR_EL1");
    tap_is(s.cid2, UNKNOWN, "no EL2: PMCID2SR is UNKNOWN");
    tap_is(s.vid, 0, "no EL2: PMVIDSR is RES0");

    guest_stop(1);
    guest_call(1, "set_contextidr_el1", 0xB1);
    guest_loop_at(1, TO_EL0, "spin_svc");
    s = latched(1);
    tap_is(s.hi, HI(0, 1, 1), "PMPCSR[63:32] does not change without a read of the low word");
    tap_is(s.cid1, 0xA1A2A3A4, "PMCID1SR does not change without a read of the low word");
    tap_is(rd(1, ALIAS_HI), HI(0, 1, 1), "the alias of the high word latches nothing");
    tap_is(rd(1, ALIAS_CID1), 0xA1A2A3A4, "the alias of PMCID1SR latches nothing");
    tap_is(latched(1).hi, HI(0, 1, 1), "reads of latched registers have no side effect");

    tap_ok(pc_is_in(rd(1, ALIAS_LO), "spin_svc"), "the alias of the low word takes a sample");
    s = latched(1);
    tap_is(s.hi, HI(0, 1, 0), "EL0: PMPCSR.{NS,EL} = {1,0}");
    tap_is(s.cid1, 0xB1, "the alias latches for the first view too");
    tap_is(rd(1, ALIAS_HI), HI(0, 1, 0), "alias of the high word");
    tap_is(rd(1, ALIAS_CID1), 0xB1, "alias of PMCID1SR");

    guest_stop(1);
    guest_call(1, "set_contextidr_el1", 0xC1);
    guest_loop(1, "spin_ret", 0);
    wide = bus_read64(BLOCK(1) + PMPCSR_LO);
    tap_ok(pc_is_in(wide, "spin_ret") && wide >> 32 == HI(0, 1, 1),
           "a 64-bit read returns both words of one sample");
    tap_is(rd(1, PMCID1SR), 0xC1, "a 64-bit read latches the Context ID");
    guest_stop(1);
    guest_loop_at(1, TO_EL0, "spin_svc");
    wide = bus_read64(BLOCK(1) + ALIAS_LO);
    tap_ok(pc_is_in(wide, "spin_svc") && wide >> 32 == HI(0, 1, 0), "a 64-bit read of the alias");
    guest_stop(1);

    tap_is(sample(0).hi, HI(0, 1, 1), "PE 0 has a latch of its own");

    start_two(VIRT "-device arm-pcsample,wide-read=high-first");
    guest_loop(1, "spin_ret", 0);
    rd(1, PMPCSR_LO);
    guest_stop(1);
    guest_loop_at(1, TO_EL0, "spin_svc");
    wide = bus_read64(BLOCK(1) + PMPCSR_LO);
    tap_ok(pc_is_in(wide, "spin_svc") && wide >> 32 == HI(0, 1, 1),
           "wide-read=high-first: high word of the sample before");

    start_two(VIRT "-device arm-pcsample,wide-read=error");
    tap_ok(aborts("read64", BLOCK(1) + PMPCSR_LO), "wide-read=error: 64-bit read gives an error");
    tap_ok(!register_aborts(1, PMPCSR_LO), "wide-read=error: 32-bit reads work");
}

static void test_first_read(void)
{
    struct sample s;

    machine_start(VIRT DEVICE);
    guest_call(0, "set_oslar_el1", 0);
    wr(0, PMLAR, KEY);
    tap_ok(is_unknown(latched(0)), "sample registers are UNKNOWN at reset");
    s = sample(0);
    tap_is(s.lo, NONE, "first read after reset: 0xFFFFFFFF");
    tap_ok(is_unknown(s), "first read after reset: the rest is UNKNOWN");
    s = sample(0);
    tap_ok(s.lo != NONE && s.hi == HI(0, 1, 1), "second read: a sample");

    machine_start(VIRT "-device arm-pcsample,first-read-none=off,unknown=0x5a5a5a5a");
    guest_call(0, "set_oslar_el1", 0);
    wr(0, PMLAR, KEY);
    s = latched(0);
    tap_ok(s.hi == 0x405A5A5A && s.cid1 == 0x5A5A5A5A, "unknown=: value of UNKNOWN fields");
    s = sample(0);
    tap_ok(s.lo != NONE && s.hi == HI(0, 1, 1), "first-read-none=off: the first read is a sample");
}

static void test_authentication(void)
{
    struct sample s;

    start_two(VIRT "-device arm-pcsample,id=pcs,niden=off");
    guest_call(1, "set_contextidr_el1", 0x99);
    guest_loop(1, "spin_ret", 0);
    s = sample(1);
    tap_is(s.lo, NONE, "niden=off: PMPCSR[31:0] is 0xFFFFFFFF");
    tap_ok(is_unknown(s), "niden=off: the rest is UNKNOWN");
    tap_is(rd(1, PMAUTHSTATUS), 0x8, "niden=off: PMAUTHSTATUS.NSNID says disabled");

    set_property("niden", "true");
    tap_is(rd(1, PMAUTHSTATUS), 0xC, "niden=on while running: PMAUTHSTATUS.NSNID says enabled");
    s = sample(1);
    tap_ok(s.lo == UNKNOWN && is_unknown(s), "no branch since sampling was prohibited: UNKNOWN");
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_ret") && s.cid1 == 0x99, "then a sample");

    rd(1, PMPCSR_LO);
    set_property("niden", "false");
    tap_is(latched(1).cid1, 0x99, "niden=off while running: what is latched stays");
    s = sample(1);
    tap_ok(s.lo == NONE && is_unknown(s), "until the next read");
}

/* A machine with EL3: the PEs serve at EL3, all of them from reset on */
static void start_el3(const char *options)
{
    machine_start(options);
    guest_serves(1);
    open_block(0);
    open_block(1);
}

static void test_secure(const char *spniden, bool allowed)
{
    char options[256];
    struct sample s;

    snprintf(options, sizeof(options), "-M virt,secure=on -cpu cortex-a57 -smp 2 "
             "-device arm-pcsample,spniden=%s", spniden);
    start_el3(options);
    tap_is(rd(1, PMAUTHSTATUS), allowed ? 0xCC : 0x8C, "spniden=%s: PMAUTHSTATUS", spniden);

    guest_call(1, "set_contextidr_el1", 0x31);
    guest_loop(1, "spin_ret", 0);
    s = sample(1);
    if (allowed) {
        tap_ok(pc_is_in(s.lo, "spin_ret") && s.hi == HI(0, 0, 3), "spniden=on: sample of EL3");
        tap_ok(s.cid1 == 0x31 && s.cid2 == UNKNOWN, "EL3: PMCID1SR, and PMCID2SR is UNKNOWN");
    } else {
        tap_ok(s.lo == NONE && is_unknown(s), "spniden=off: nothing from EL3");
    }
    guest_stop(1);

    guest_loop_at(1, TO_EL1, "spin_smc");
    s = sample(1);
    if (allowed) {
        tap_ok(pc_is_in(s.lo, "spin_smc") && s.hi == HI(0, 0, 1), "spniden=on: sample of S-EL1");
    } else {
        tap_ok(s.lo == NONE && is_unknown(s), "spniden=off: nothing from S-EL1");
    }
    guest_stop(1);

    guest_loop_at(1, TO_EL0, "spin_svc");
    s = sample(1);
    if (allowed) {
        tap_ok(pc_is_in(s.lo, "spin_svc") && s.hi == HI(0, 0, 0), "spniden=on: sample of S-EL0");
    } else {
        tap_ok(s.lo == NONE && is_unknown(s), "spniden=off: nothing from S-EL0");
    }
    guest_stop(1);

    guest_call(1, "set_scr_el3", 0x531);
    guest_loop_at(1, TO_EL1, "spin_smc");
    if (!allowed) {
        s = sample(1);
        tap_ok(s.lo == UNKNOWN && is_unknown(s),
               "from EL3 to Non-secure EL1: UNKNOWN before a branch");
    }
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_smc") && s.hi == HI(0, 1, 1),
           "spniden=%s: sample of Non-secure EL1", spniden);
    guest_stop(1);

    guest_call(1, "set_scr_el3", 0x130);        /* Secure, EL1 is AArch32 */
    guest_call(1, "set_sder32_el3", 2);         /* SUNIDEN */
    guest_loop_at(1, TO_EL0_A32, "spin_a32");
    sample(1);
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_a32") && s.hi == HI(0, 0, 0),
           "spniden=%s: SDER.SUNIDEN allows Secure AArch32 EL0", spniden);
}

static void test_rme(const char *signals, bool realm, bool root)
{
    const uint64_t realm_scr = 0x531 | 1ULL << 62;
    char options[256];
    struct sample s;

    snprintf(options, sizeof(options), "-M virt,secure=on,virtualization=on -cpu max,x-rme=on "
             "-smp 2 -device arm-pcsample%s", signals);
    start_el3(options);
    tap_is(rd(1, PMAUTHSTATUS), 0x0800808C | (realm ? 0x4000 : 0) | (root ? 0x04000000 : 0),
           "RME%s: PMAUTHSTATUS", signals);
    guest_loop(1, "spin_ret", 0);
    s = sample(1);
    if (root) {
        tap_ok(pc_is_in(s.lo, "spin_ret") && s.hi == HI(1, 0, 3), "RME%s: Root at EL3", signals);
    } else {
        tap_is(s.lo, NONE, "RME%s: nothing from Root", signals);
        tap_is(s.hi, 0xC8ADC0DE, "RME%s: NSE is UNKNOWN too", signals);
    }
    guest_stop(1);

    guest_call(1, "set_contextidr_el2", 0x42);
    guest_call(1, "set_scr_el3", realm_scr);
    guest_loop_at(1, TO_EL2, "spin_smc");
    sample(1);
    s = sample(1);
    if (realm) {
        tap_ok(pc_is_in(s.lo, "spin_smc") && s.hi == HI(1, 1, 2) && s.cid2 == 0x42,
               "RME%s: Realm at EL2", signals);
    } else {
        tap_is(s.lo, NONE, "RME%s: nothing from Realm", signals);
    }
    guest_stop(1);

    guest_call(1, "set_scr_el3", 0x531);
    guest_loop_at(1, TO_EL2, "spin_smc");
    sample(1);
    tap_is(sample(1).hi, HI(0, 1, 2), "RME%s: Non-secure at EL2", signals);
}

/*
 * Accesses to the PMU and its snapshots that MDCR_EL3.{EPMADE,EPMAD} and EPMSSAD leave to some:
 * J1.3, AllowExternalPMUAccess() and AllowExternalPMSSAccess(). The PEs are in Root state here.
 */
static void test_rme_accesses(void)
{
    static const uint64_t epmad[] = { 0, 1 << 21, 1 << 2, 1 << 2 | 1 << 21 };

    start_el3("-M virt,secure=on,virtualization=on -cpu max,x-rme=on,pmu-ss=on -smp 2 "
              "-device arm-pcsample");
    for (unsigned i = 0; i < 4; i++) {
        guest_call(1, "set_mdcr_el3", epmad[i]);
        tap_is(rd(1, PMCFGR), i ? 0 : 0x41FF06, "RME: {EPMADE,EPMAD} = %u: Non-secure access", i);
        tap_ok(!register_aborts(1, PMCFGR), "RME: {EPMADE,EPMAD} = %u: Root access", i);
    }
    for (uint64_t epmssad = 0; epmssad < 4; epmssad++) {
        guest_call(1, "set_mdcr_el3", epmssad << 45);
        tap_is(rd(1, 0xE34), epmssad == 3, "RME: EPMSSAD = %" PRIu64 ": Non-secure access",
               epmssad);
        tap_ok(!register_aborts(1, 0xE34), "RME: EPMSSAD = %" PRIu64 ": Root access", epmssad);
    }
}

static void power_on_smc(unsigned cpu)
{
    guest_forget(cpu);
    guest_call(0, "psci_smc", 0xC4000003, cpu, guest_symbol("_start"), 0);
    guest_serves(cpu);
}

static void test_el2(void)
{
    const uint64_t rw = 1ULL << 31, tge = 1ULL << 27, e2h = 1ULL << 34, vs = 1ULL << 19;
    struct sample s;

    machine_start("-M virt,virtualization=on -cpu max -smp 2 " DEVICE);
    power_on_smc(1);
    open_block(1);
    guest_call(1, "set_contextidr_el1", 0x11);
    guest_call(1, "set_contextidr_el2", 0x22);
    guest_call(1, "set_vttbr_el2", 0xABCDULL << 48);
    guest_call(1, "set_vtcr_el2", vs);

    guest_loop(1, "spin_ret", 0);
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_ret") && s.hi == HI(0, 1, 2), "EL2: PMPCSR.EL is 2");
    tap_is(s.cid1, 0x11, "EL2: PMCID1SR = CONTEXTIDR_EL1");
    tap_is(s.cid2, 0x22, "EL2: PMCID2SR = CONTEXTIDR_EL2");
    tap_is(s.vid, UNKNOWN_VMID, "EL2: PMVIDSR is UNKNOWN");
    guest_stop(1);

    guest_loop_at(1, TO_EL1, "spin_hvc");
    s = sample(1);
    tap_is(s.hi, HI(0, 1, 1), "EL1 of a guest: PMPCSR.EL is 1");
    tap_ok(s.cid1 == 0x11 && s.cid2 == 0x22, "EL1 of a guest: both Context IDs");
    tap_is(s.vid, 0xABCD, "EL1 of a guest: a 16-bit VMID with VTCR_EL2.VS = 1");
    guest_stop(1);

    guest_call(1, "set_vtcr_el2", 0);
    guest_loop_at(1, TO_EL0, "spin_svc");
    s = sample(1);
    tap_is(s.hi, HI(0, 1, 0), "EL0 of a guest: PMPCSR.EL is 0");
    tap_is(s.vid, 0xCD, "EL0 of a guest: an 8-bit VMID with VTCR_EL2.VS = 0");
    guest_stop(1);

    guest_call(1, "set_hcr_el2", rw | e2h);
    guest_loop_at(1, TO_EL0, "spin_svc");
    tap_is(sample(1).vid, 0xCD, "EL0 with E2H = 1, TGE = 0: VMID");
    guest_stop(1);

    guest_call(1, "set_hcr_el2", rw | tge | e2h);
    guest_loop_at(1, TO_EL0, "spin_svc");
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_svc") && s.hi == HI(0, 1, 0), "EL0 of a VHE host");
    tap_is(s.vid, UNKNOWN_VMID, "EL0 of a VHE host: PMVIDSR is UNKNOWN");
    tap_is(s.cid2, 0x22, "EL0 of a VHE host: PMCID2SR = CONTEXTIDR_EL2");
    tap_is(s.cid1, 0x11, "EL0 of a VHE host: PMCID1SR = CONTEXTIDR_EL1, not redirected");
    guest_stop(1);
    guest_loop(1, "spin_ret", 0);
    s = sample(1);
    tap_ok(s.hi == HI(0, 1, 2) && s.cid2 == 0x22 && s.cid1 == 0x11, "EL2 of a VHE host");
    guest_stop(1);

    machine_start("-M virt,virtualization=on -cpu cortex-a57 -smp 2 " DEVICE);
    power_on_smc(1);
    open_block(1);
    guest_call(1, "set_vttbr_el2", 0xABCDULL << 48);
    guest_call(1, "set_vtcr_el2", vs);
    guest_loop_at(1, TO_EL1, "spin_hvc");
    s = sample(1);
    tap_is(s.vid, 0xCD, "no FEAT_VMID16: an 8-bit VMID whatever VS is");
    tap_is(s.cid2, UNKNOWN, "neither FEAT_VHE nor FEAT_Debugv8p2: PMCID2SR is UNKNOWN");

    start_el3("-M virt,secure=on,virtualization=on -cpu max -smp 2 "
              "-device arm-pcsample,spniden=on");
    guest_call(1, "set_contextidr_el2", 0x22);
    guest_loop(1, "spin_ret", 0);
    s = sample(1);
    tap_ok(s.hi == HI(0, 0, 3) && s.cid2 == UNKNOWN && s.vid == UNKNOWN_VMID,
           "EL3 with EL2 implemented: PMCID2SR and PMVIDSR are UNKNOWN");
    guest_stop(1);
    guest_loop_at(1, TO_EL1, "spin_smc");
    s = sample(1);
    tap_ok(s.hi == HI(0, 0, 1) && s.cid2 == UNKNOWN && s.vid == UNKNOWN_VMID,
           "S-EL1 with EL2 disabled (SCR_EL3.EEL2 = 0): PMCID2SR and PMVIDSR are UNKNOWN");
}

/* As long as the PE is on its way the PC moves, or is that of the WFI already. */
static void test_aarch32_wfi(const char *function, uint64_t spsr)
{
    uint32_t pc = 0, wfi = guest_symbol(function);

    start_two("-M virt -cpu cortex-a57 -smp 2 " DEVICE);
    guest_start(1, "eret_to", spsr, wfi);
    for (unsigned same = 0; same < 1000; same++) {
        uint32_t now = rd(1, PMPCSR_LO);

        same = now == pc ? same : 0;
        pc = now;
    }
    tap_is(pc, wfi, "AArch32 EL0 in WFI: %s", function);
}

static void test_aarch32(void)
{
    struct sample s;

    start_two("-M virt -cpu cortex-a57 -smp 2 " DEVICE);
    guest_call(1, "set_contextidr_el1", 0x3232);
    guest_loop_at(1, TO_EL0_A32, "spin_a32");
    s = sample(1);
    tap_ok(pc_is_in(s.lo, "spin_a32") && s.hi == HI(0, 1, 0), "AArch32 EL0: PC[55:32] = 0");
    tap_is(s.cid1, 0x3232, "AArch32 EL0 under an AArch64 EL1: PMCID1SR = CONTEXTIDR_EL1");
    test_aarch32_wfi("sleep_a32", TO_EL0_A32);
    test_aarch32_wfi("sleep_t32", TO_EL0_T32);
}

static void test_power(void)
{
    struct sample s;

    machine_start(VIRT DEVICE);
    tap_ok(register_aborts(1, PMPCSR_LO), "a PE that was never on: PMPCSR gives an error");
    tap_ok(register_aborts(1, PMCFGR), "a PE that was never on: PMCFGR gives an error");
    tap_ok(!register_aborts(1, PMDEVARCH), "a PE that was never on: PMDEVARCH answers");
    wr(1, PMLAR, KEY);
    tap_is(rd(1, PMLSR), 1, "a PE that was never on: the Software lock opens");

    power_on(1);
    tap_ok(register_aborts(1, PMPCSR_LO), "PE is on, OS Lock is set");
    guest_call(1, "set_oslar_el1", 0);
    tap_ok(!register_aborts(1, PMPCSR_LO), "PE is on, OS Lock is clear");
    guest_call(1, "set_contextidr_el1", 0x55);
    guest_loop(1, "spin_ret", 0);
    tap_is(sample(1).cid1, 0x55, "a sample of the PE");
    guest_stop(1);

    power_off(1);
    tap_ok(register_aborts(1, PMPCSR_LO), "off by PSCI: PMPCSR gives an error");
    tap_ok(register_aborts(1, PMPCSR_HI), "off by PSCI: latched registers give an error");
    tap_is(rd(1, PMLSR), 1, "off by PSCI: the Debug power domain keeps the Software lock");

    power_on(1);
    guest_call(1, "set_oslar_el1", 0);
    tap_ok(is_unknown(latched(1)), "on again: sample registers are UNKNOWN");
    s = sample(1);
    tap_ok(s.lo == NONE && is_unknown(s), "on again: a first read");
    tap_is(sample(1).hi, HI(0, 1, 1), "on again: a sample");

    machine_reset();
    tap_is(rd(0, PMLSR), 3, "reset of the machine closes the Software lock");
    tap_is(rd(1, PMLSR), 3, "reset of the machine closes that of a PE which is off, too");

    machine_start(VIRT "-device arm-pcsample,shared-power=on");
    tap_ok(register_aborts(1, PMDEVARCH), "shared-power: no register answers while the PE is off");
    power_on(1);
    wr(1, PMLAR, KEY);
    tap_is(rd(1, PMLSR), 1, "shared-power: the lock opens");
    power_off(1);
    power_on(1);
    tap_is(rd(1, PMLSR), 3, "shared-power: a power cycle closes the lock");

    machine_start(VIRT "-device arm-pcsample,error-response=zeros");
    guest_call(0, "read32", BLOCK(1) + PMPCSR_LO);
    tap_ok(!guest_esr(0), "error-response=zeros: no abort");
    tap_is(rd(1, PMPCSR_LO), 0, "error-response=zeros: reads 0");
    machine_start(VIRT "-device arm-pcsample,error-response=ones");
    tap_is(rd(1, PMPCSR_LO), NONE, "error-response=ones: reads all ones");
}

/* Sleeping PEs: the guest cannot say when they do, so wait until their PC says so */
static void test_sleep(void)
{
    uint32_t wfi = guest_symbol("sleep_wfi_end") - 4, hvc = guest_symbol("sleep_psci_end") - 4;
    struct sample s;
    void *fdt;
    int node;

    start_two(VIRT DEVICE);
    guest_start(1, "sleep_wfi", 0);
    AWAIT(sample(1).lo == wfi);
    s = sample(1);
    tap_ok(s.lo == wfi && s.hi == HI(0, 1, 1), "a PE in WFI shows the WFI");
    start_two(VIRT DEVICE);
    guest_start(1, "sleep_psci", 0);
    AWAIT(sample(1).lo == hvc);
    tap_ok(!register_aborts(1, PMPCSR_LO), "a PE in CPU_SUSPEND answers");

    start_two(VIRT "-device arm-pcsample,cpu-suspend=on");
    guest_start(1, "sleep_psci", 0);
    AWAIT(register_aborts(1, PMPCSR_LO));
    tap_ok(register_aborts(1, PMCID1SR), "cpu-suspend=on: a PE in CPU_SUSPEND gives an error");
    tap_ok(!register_aborts(1, PMDEVID), "cpu-suspend=on: management registers answer");
    start_two(VIRT "-device arm-pcsample,cpu-suspend=on");
    guest_start(1, "sleep_wfi", 0);
    AWAIT(sample(1).lo == wfi);
    tap_ok(!register_aborts(1, PMPCSR_LO), "cpu-suspend=on: a PE in WFI answers");

    fdt = machine_dump_dtb(VIRT "-device arm-pcsample,cpu-suspend=on");
    node = fdt_path_offset(fdt, "/cpus/idle-states/cpu-retention");
    tap_ok(node >= 0 && !fdt_node_check_compatible(fdt, node, "arm,idle-state"),
           "cpu-suspend=on: device tree: an idle state");
    free(fdt);
}

static void test_access_sizes(void)
{
    struct sample before, after;

    start_two(VIRT DEVICE);
    guest_call(1, "set_contextidr_el1", 0x66);
    guest_loop(1, "spin_ret", 0);
    before = sample(1);
    tap_ok(aborts("read8", BLOCK(1) + PMPCSR_LO), "byte read gives an error");
    tap_ok(aborts("read16", BLOCK(1) + PMPCSR_LO), "halfword read gives an error");
    tap_ok(aborts("read64", BLOCK(1) + PMCID1SR), "64-bit read of two registers gives an error");
    tap_ok(aborts("read64", BLOCK(1) + 0xFB0), "64-bit read of management registers: error");
    tap_ok(aborts("write8", BLOCK(1) + PMLAR), "byte write gives an error");
    guest_call(0, "write64", BLOCK(1) + PMLAR, 0);
    tap_ok(SYNC_EXTERNAL_ABORT(guest_esr(0)) && rd(1, PMLSR) == 1,
           "64-bit write of PMLAR gives an error and does not lock");

    guest_call(0, "write32", BLOCK(1) + PMPCSR_HI, 0);
    guest_call(0, "write32", BLOCK(1) + PMCID1SR, 0);
    guest_call(0, "write32", BLOCK(1) + PMDEVID, 0);
    tap_ok(!guest_esr(0), "writes of read-only registers are ignored");
    after = latched(1);
    tap_ok(after.hi == before.hi && after.cid1 == 0x66 && rd(1, PMDEVID) == 1,
           "read-only registers keep their values");
    tap_is(bus_read32(BLOCK(1) + 0x210), 0, "reserved: RES0");
    tap_is(bus_read32(BLOCK(1) + 0xE50), 0, "PMPCSCTL: RES0 without FEAT_PCSRv8p9");
}

static void test_pmu(void)
{
    uint64_t count;

    start_two(VIRT DEVICE);
    guest_call(1, "set_pmccfiltr_el0", 0);
    guest_call(1, "set_pmcntenset_el0", 1ULL << 31);
    guest_call(1, "set_pmcr_el0", 1 | 1 << 6);          /* E, LC */
    tap_is(rd(1, 0xE04), 0x41, "PMCR_EL0 from outside: LC and E; bits [31:11] are RAZ");
    tap_is(rd(1, 0xC00), 1U << 31, "PMCNTENSET_EL0 from outside");
    tap_is(rd(0, 0xC00), 0, "PMCNTENSET_EL0 of another PE");
    count = bus_read64(BLOCK(1) + 0x0F8);
    tap_ok(count && bus_read64(BLOCK(1) + 0x0F8) > count, "PMCCNTR_EL0 from outside counts");
    tap_is(rd(1, 0xE20), rd(0, 0xE20), "PMCEID0");
    tap_ok(rd(1, 0xE20) & 1 << 17, "PMCEID0 has CPU_CYCLES");

    guest_call(1, "set_pmevcntr0_el0", 0x1122334455667788);
    tap_is(rd(1, 0x000), 0x55667788, "PMEVCNTR0_EL0[31:0] from outside");
    guest_call(1, "set_pmevtyper0_el0", 0x11);
    tap_is(rd(1, 0x400), 0x11, "PMEVTYPER0_EL0 from outside");
    wr(1, 0x000, 0xABCD);
    tap_is((uint32_t)guest_call(1, "get_pmevcntr0_el0", 0), 0xABCD, "a write from outside");
    wr(1, 0xC20, 1U << 31);
    tap_is(guest_call(1, "get_pmcntenset_el0", 0), 0, "PMCNTENCLR_EL0 from outside");
    wr(1, PMLAR, 0);
    wr(1, 0x000, 0x1234);
    tap_is((uint32_t)guest_call(1, "get_pmevcntr0_el0", 0), 0xABCD,
           "Software lock: a write from outside is ignored");
    tap_is(rd(1, 0x0F0), 0, "a counter that does not exist: RES0");

    start_el3("-M virt,secure=on -cpu cortex-a57 -smp 2 " DEVICE);
    guest_call(1, "set_mdcr_el3", 1 << 21);             /* EPMAD */
    tap_is(bus_read32(BLOCK(1) + 0xE04), 0, "EPMAD: no PMU register for a Non-secure access");
    tap_ok(!register_aborts(1, 0xE04), "EPMAD: PMU registers answer a Secure access");
    tap_is(bus_read32(BLOCK(1) + PMPCSR_LO), NONE, "EPMAD has no effect on sampling");
}

/* An overflow is found out by another thread than the PE's. */
static void test_counters_during_exception_returns(void)
{
    start_two(VIRT DEVICE);
    tap_is(guest_call(1, "returns", 3000), 0, "exception returns while counters overflow");
}

/* The trace unit is nobody's but the PE's: QEMU ends if another thread has to do with its state. */
static void test_counters_of_a_traced_pe(void)
{
    start_two("-M virt -cpu max,ebep=on,trbe=on,ete=on -smp 2 " DEVICE);
    tap_ok(guest_call(1, "traces", 0x43000000, 300) > 0,
           "a PE is traced while its counters overflow");
    guest_loop(1, "spin_ret", 0);
    wr(1, 0xE04, 1);
    tap_is(rd(1, 0xE04) & 1, 1, "PMCR_EL0 of a PE with a trace unit, from outside");
}

/*
 * Where IC IVAU does nothing, a PE keeps what it translated between QEMU's look at a store and the
 * store: 6 to 45 of 100,000 changes in each of six runs. The PEs wait for each other at each
 * change, which takes long where the host has a CPU for one of them at a time: no call has to make
 * them all.
 */
static void test_changed_instructions(void)
{
    uint64_t stale = 0;

    start_two(VIRT DEVICE);
    guest_loop(1, "changing", 0);
    for (unsigned i = 0; i < 50; i++) {
        stale += guest_call(0, "change", MAILBOX(1) + MAILBOX_ENTERED,
                            1000);
    }
    tap_is(stale, 0, "instructions that another PE has changed");
    guest_stop(1);
}

static void test_faults(void)
{
    uint32_t pc;

    start_two(VIRT "-device arm-pcsample,id=pcs");
    set_property("fault", "\"no-block@1\"");
    tap_ok(register_aborts(1, PMDEVARCH), "fault=no-block: error on every access");
    tap_ok(!register_aborts(0, PMDEVARCH), "fault=no-block@1: another block has no fault");
    set_property("fault", "\"devarch@1\"");
    tap_is(rd(1, PMDEVARCH), 0x47602A16, "fault=devarch: not present");
    set_property("fault", "\"devid@1\"");
    tap_is(rd(1, PMDEVID), 0, "fault=devid: no PC sampling");
    set_property("fault", "\"devtype@1\"");
    tap_is(rd(1, PMDEVTYPE), 0x14, "fault=devtype: another component");
    set_property("fault", "\"cidr@1\"");
    tap_is(rd(1, 0xFF0), 0xFF, "fault=cidr: not a CoreSight component");
    set_property("fault", "\"devaff@1\"");
    tap_is(rd(1, PMDEVAFF0), 0x80000000, "fault=devaff: another PE");
    set_property("fault", "\"lock@1\"");
    wr(1, PMLAR, KEY);
    tap_is(rd(1, PMLSR), 3, "fault=lock: the lock does not open");
    set_property("fault", "\"error@1\"");
    tap_ok(register_aborts(1, PMPCSR_LO) && !register_aborts(1, PMDEVID),
           "fault=error: sample registers give an error");
    set_property("fault", "\"none\"");
    wr(1, PMLAR, KEY);
    guest_loop(1, "spin_ret", 0);
    set_property("fault", "\"frozen@1\"");
    pc = sample(1).lo;
    guest_stop(1);
    guest_loop_at(1, TO_EL0, "spin_svc");
    tap_ok(pc_is_in(pc, "spin_ret") && sample(1).lo == pc && sample(1).hi == HI(0, 1, 1),
           "fault=frozen: the same sample for ever");
    set_property("fault", "\"none\"");
    tap_ok(pc_is_in(sample(1).lo, "spin_svc"), "fault=none: it lives");
}

static bool property_is(const char *name, const char *value)
{
    const char *answer = machine_qmp("{\"execute\":\"qom-get\",\"arguments\":{\"path\":"
                                     "\"/machine/peripheral/pcs\",\"property\":\"%s\"}}", name);

    return answer && strstr(answer, value);
}

static void test_migration(void)
{
    struct sample before, after;
    uint32_t frozen;

    start_two(VIRT DEVICE);
    wr(0, PMLAR, 0);
    guest_call(1, "set_contextidr_el1", 0x4D);
    guest_loop(1, "spin_ret", 0);
    before = sample(1);
    machine_migrate(VIRT DEVICE);
    after = latched(1);
    tap_ok(after.hi == before.hi && after.cid1 == 0x4D && after.cid2 == before.cid2,
           "migration keeps what is latched");
    tap_ok(rd(0, PMLSR) == 3 && rd(1, PMLSR) == 1, "migration keeps the Software locks");
    tap_ok(pc_is_in(sample(1).lo, "spin_ret"), "no first read after migration");

    set_property("fault", "\"frozen@1\"");
    frozen = sample(1).lo;
    guest_stop(1);
    guest_loop_at(1, TO_EL0, "spin_svc");
    machine_migrate(VIRT DEVICE);
    tap_is(sample(1).lo, frozen, "migration keeps a fault, and the sample that is frozen");
    tap_ok(property_is("fault", "frozen@1"), "migration keeps what \"fault\" reads as");
    set_property("fault", "\"none\"");
    tap_ok(pc_is_in(sample(1).lo, "spin_svc"), "fault=none after migration");
    set_property("niden", "false");
    machine_migrate(VIRT DEVICE);
    tap_is(sample(1).lo, NONE, "migration keeps the authentication interface");
}

/* The node of a block, or an error number of libfdt */
static int block_node(const void *fdt, uint64_t address)
{
    char path[64];

    snprintf(path, sizeof(path), "/pc-sample@%" PRIx64, address);
    return fdt_path_offset(fdt, path);
}

/* The path of the CPU that a block's node names */
static const char *block_cpu(const void *fdt, uint64_t address)
{
    static char path[64];
    int len = 0, node = block_node(fdt, address);
    const fdt32_t *cpu = fdt_getprop(fdt, node, "cpu", &len);

    if (!cpu || len != 4 ||
        fdt_get_path(fdt, fdt_node_offset_by_phandle(fdt, fdt32_to_cpu(*cpu)),
                     path, sizeof(path))) {
        return "";
    }
    return path;
}

static uint64_t block_size(const void *fdt, uint64_t address)
{
    int len = 0;
    const fdt32_t *reg = fdt_getprop(fdt, block_node(fdt, address), "reg", &len);

    return reg && len == 16 ? (uint64_t)fdt32_to_cpu(reg[2]) << 32 | fdt32_to_cpu(reg[3]) : 0;
}

static void test_device_tree(void)
{
    void *fdt = machine_dump_dtb(VIRT DEVICE);
    int node = block_node(fdt, BLOCK(1));

    tap_ok(node >= 0 && !fdt_node_check_compatible(fdt, node, "arm,pmu-pc-sample"),
           "device tree: a node for each block");
    tap_ok(!strcmp(block_cpu(fdt, BLOCK(0)), "/cpus/cpu@0") &&
           !strcmp(block_cpu(fdt, BLOCK(1)), "/cpus/cpu@1"), "device tree: the node names its PE");
    tap_is(block_size(fdt, BLOCK(1)), 0x1000, "device tree: reg");
    free(fdt);

    fdt = machine_dump_dtb(VIRT "-device arm-pcsample,node-fault=no-cpu@1");
    tap_ok(!*block_cpu(fdt, BLOCK(1)) && *block_cpu(fdt, BLOCK(0)),
           "node-fault=no-cpu: one node without a cpu");
    free(fdt);
    fdt = machine_dump_dtb(VIRT "-device arm-pcsample,node-fault=small-reg@0");
    tap_ok(block_size(fdt, BLOCK(0)) == 0x220 && block_size(fdt, BLOCK(1)) == 0x1000,
           "node-fault=small-reg: one small reg");
    free(fdt);
    fdt = machine_dump_dtb(VIRT "-device arm-pcsample,node-fault=two-blocks@1");
    tap_ok(!strcmp(block_cpu(fdt, BLOCK(2)), "/cpus/cpu@1"),
           "node-fault=two-blocks: a second block for one PE");
    free(fdt);

    machine_start(VIRT "-device arm-pcsample,node-fault=two-blocks@0");
    open_block(0);
    wr(2, PMLAR, KEY);
    tap_is(rd(2, PMDEVAFF0), 0x80000000, "node-fault=two-blocks: the second block answers");
    rd(2, PMPCSR_LO);
    tap_is(sample(2).hi, HI(0, 1, 1), "node-fault=two-blocks: the second block samples");
}

static void test_bad_options(void)
{
    tap_ok(machine_fails("-M virt -device arm-pcsample,base=0x09000000", "overlaps 'pl011'"),
           "base on top of another device is refused");
    tap_ok(machine_fails("-M virt -device arm-pcsample,base=0x09100800",
                         "multiples of 0x1000"), "base off a page boundary is refused");
    tap_ok(machine_fails("-M virt -smp 2 -device arm-pcsample,stride=0", "multiples of 0x1000"),
           "stride 0 is refused");
    tap_ok(machine_fails("-M virt -device arm-pcsample -device arm-pcsample", "overlaps"),
           "a second device at the same place is refused");
    tap_ok(machine_fails("-M virt -device arm-pcsample,fault=lock@1", "no vCPU 1"),
           "a fault of a vCPU that is not there is refused");
    tap_ok(machine_fails("-M virt -device arm-pcsample,fault=fire", "value: fire"),
           "an unknown fault is refused");
    tap_ok(machine_fails("-M virt -device arm-pcsample,unknown=0xffffffff", "no sample"),
           "an UNKNOWN value of all ones is refused");
    tap_ok(machine_fails("-M virt,gic-version=3 -device arm-pcsample,cpu-suspend=on",
                         "gic-version=2 or secure=on"), "cpu-suspend with a GICv3 is refused");
    tap_ok(machine_fails("-M virt -accel qtest -device arm-pcsample", "needs TCG"),
           "another accelerator is refused");
    tap_ok(machine_fails("-M virt -device arm-pcsample-block", "arm-pcsample-block"),
           "a block alone is refused");
}

int main(int argc, char **argv)
{
    machine_setup(argc, argv);

    test_identification();
    test_os_lock();
    test_mailbox();
    test_software_lock();
    test_latch();
    test_first_read();
    test_authentication();
    test_secure("off", false);
    test_secure("on", true);
    test_rme("", false, false);
    test_rme(",rlpniden=on", true, false);
    test_rme(",rtpniden=on", false, true);
    test_rme_accesses();
    test_el2();
    test_aarch32();
    test_power();
    test_sleep();
    test_access_sizes();
    test_pmu();
    test_counters_during_exception_returns();
    test_counters_of_a_traced_pe();
    test_changed_instructions();
    test_faults();
    test_migration();
    test_device_tree();
    test_bad_options();
    machine_stop();
    return tap_done();
}
