/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMU snapshots: FEAT_PMUv3_SS of the external PMU block and of the PE.
 *
 * Expected values are numbers from the manual (DDI 0487 M.a.a: D13.9, D24.5, H7.1.1.1, I3.1, I5.3).
 * arch-model tells which Capture events are allowed. walk.c compares random sequences with it.
 */

#include "blocks.h"
#include "machine.h"
#include "tap.h"

#include <arch-model/control-regs.h>
#include <arch-model/pcsr.h>

#include <inttypes.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>

#undef PMPCSR_LO_NONE

#define EVCNTSVR(n)     (0x600 + 8 * (n))
#define CCNTSVR         0x6F8
#define ICNTSVR         0x700
#define SSCR            0xE30
#define PCSCTL          0xE50
#define CTL_IMP         2U
#define CTL_SS          0x10U
#define NC              (1ULL << 32)

#define CPU             "-cpu max,pmu-ss=on -smp 2 "
#define V8P9            "-device arm-pcsample,id=pcs,v8p9=on"

static uint64_t rd_pair(unsigned cpu, unsigned offset)
{
    return rd(cpu, offset) | (uint64_t)rd(cpu, offset + 4) << 32;
}

/* A Capture event, asked for from outside; returns PMSSCR_EL1 */
static uint64_t capture(unsigned cpu)
{
    wr(cpu, SSCR, 1);
    return rd_pair(cpu, SSCR);
}

static void start_ss(const char *options)
{
    start_two(options);
    guest_call(1, "set_s3_0_c9_c14_5", 3 << 3);         /* PMECR_EL1.SSE */
}

static void test_identification(void)
{
    void *fdt;
    int node;

    start_ss("-M virt " CPU V8P9);
    tap_is(rd(1, PMDEVID), 0x12, "PMDEVID: FEAT_PMUv3_SS and FEAT_PCSRv8p9");
    tap_is(rd(1, PMCFGR), 0x41FF06, "PMCFGR.SS");
    tap_is(rd(1, PMLSR), 0, "no Software lock: FEAT_Debugv8p4 is implied");
    tap_is(guest_call(1, "get_id_aa64dfr0_el1", 0) >> 16 & 15, 1, "ID_AA64DFR0_EL1.PMSS");
    tap_is(rd_pair(1, SSCR), NC, "PMSSCR_EL1 at reset: nothing captured");
    tap_is(rd(1, ICNTSVR), 0, "no FEAT_PMUv3_ICNTR: RES0");
    tap_is(rd(1, EVCNTSVR(6)), 0, "a counter that does not exist: RES0");

    start_two("-M virt -cpu max,pmu-ss=on,sebep=on,ebep=on -smp 2 " V8P9);
    guest_call(1, "set_s3_0_c9_c14_5", 0x1F);
    tap_is(guest_call(1, "get_s3_0_c9_c14_5", 0), 0x1F, "PMECR_EL1: SSE beside FEAT_EBEP's fields");
    start_two("-M virt,virtualization=on -cpu max,pmu-ss=on,ebep=on,pmecr-reset=0x1f -smp 2 "
              V8P9);
    tap_is(guest_call(1, "get_s3_0_c9_c14_5", 0), 0x1F, "pmecr-reset, below an EL2");
    start_two("-M virt -cpu max,pmu-ss=on,ebep=on,pmecr-reset=0x1f -smp 2 " V8P9);
    tap_is(guest_call(1, "get_s3_0_c9_c14_5", 0), 0, "the reset value where EL1 is the highest");
    start_two(VIRT V8P9);
    tap_is(rd(1, PMDEVID), 2, "pmu-ss=off: PMDEVID");
    tap_is(rd_pair(1, SSCR), 0, "pmu-ss=off: PMSSCR_EL1 is RES0");

    tap_ok(machine_fails("-M virt -cpu cortex-a57,pmu-ss=on " V8P9, "64-bit counters"),
           "pmu-ss needs 64-bit counters");
    tap_ok(machine_fails("-M virt -cpu max,pmu-ss-delegated=off " V8P9, "need an EL3"),
           "pmu-ss-delegated=off needs an EL3");

    fdt = machine_dump_dtb("-M virt " CPU V8P9);
    node = fdt_path_offset(fdt, "/pc-sample@9101000");
    tap_ok(fdt_getprop(fdt, node, "arm,pmu-snapshots", NULL), "the node says that captures work");
    free(fdt);
    fdt = machine_dump_dtb("-M virt,secure=on -cpu max,pmu-ss=on,pmu-ss-delegated=off -smp 2 "
                           V8P9);
    node = fdt_path_offset(fdt, "/pc-sample@9101000");
    tap_ok(!fdt_getprop(fdt, node, "arm,pmu-snapshots", NULL), "not where firmware has not opened");
    free(fdt);
    fdt = machine_dump_dtb("-M virt " CPU "-device arm-pcsample");
    node = fdt_path_offset(fdt, "/pc-sample@9101000");
    tap_ok(!fdt_getprop(fdt, node, "arm,pmu-snapshots", NULL), "nor without FEAT_PCSRv8p9");
    free(fdt);
}

static void test_values(void)
{
    start_ss("-M virt " CPU V8P9);
    guest_call(1, "set_pmccntr_el0", 0x123456789ABCDEF0);
    guest_call(1, "set_pmevcntr0_el0", 0xFEDCBA9876543210);
    tap_is(capture(1), 0, "a capture: {NC,SS} = {0,0}");
    tap_is(rd_pair(1, CCNTSVR), 0x123456789ABCDEF0, "PMCCNTSVR_EL1, 64 bits");
    tap_is(rd_pair(1, EVCNTSVR(0)), 0xFEDCBA9876543210, "PMEVCNTSVR0_EL1, 64 bits");
    tap_is(bus_read64(BLOCK(1) + CCNTSVR), 0x123456789ABCDEF0, "and in one access");
    guest_call(1, "set_pmccntr_el0", 42);
    tap_is(rd_pair(1, CCNTSVR), 0x123456789ABCDEF0, "it stays until the next capture");
    wr(1, CCNTSVR, 7);
    wr(1, SSCR, 0);
    wr(1, SSCR + 4, 1);
    tap_is(rd_pair(1, CCNTSVR), 0x123456789ABCDEF0, "it is read-only, and SS = 0 ignored");
    guest_call(1, "set_s3_0_c9_c13_3", 1);
    tap_is(rd_pair(1, CCNTSVR), 42, "a capture by the PE itself: PMSSCR_EL1");
    tap_is(guest_call(1, "get_s2_0_c14_c11_7", 0), 42, "PMCCNTSVR_EL1, read by the PE");
    tap_is(guest_call(1, "get_s2_0_c14_c8_0", 0), 0xFEDCBA9876543210,
           "PMEVCNTSVR0_EL1, read by the PE");
    tap_is(guest_call(1, "get_s3_0_c9_c13_3", 0), 0, "PMSSCR_EL1, read by the PE");

    set_property("fault", "\"capture@1\"");
    tap_is(capture(1), 1, "fault=capture: SS says that it is not over");

    start_ss("-M virt " CPU V8P9 ",ext64=on");
    guest_call(1, "set_pmccntr_el0", 0x123456789ABCDEF0);
    bus_write64(BLOCK(1) + SSCR, 1);
    tap_is(bus_read64(BLOCK(1) + SSCR), 0, "EXT64: a capture");
    tap_is(bus_read64(BLOCK(1) + CCNTSVR), 0x123456789ABCDEF0, "EXT64: PMCCNTSVR_EL1");
    tap_ok(register_aborts(1, CCNTSVR) && register_aborts(1, SSCR + 4),
           "EXT64: a 32-bit read gives an error");
}

/*
 * Counters that count are captured at one moment, as they are reset at one by PMCR_EL0.{P,C}. Both
 * times the host's clock is read for one counter after the other, which takes equally long in the
 * closest of many pairs: 0 or 1 ns of difference on a host with three threads for each that it can
 * run. It was at least 1,600 ns where all counters were brought up to date for each that is copied.
 */
static void test_moment(void)
{
    int64_t least = INT64_MAX;
    bool counts = true;

    start_ss("-M virt " CPU V8P9);
    guest_call(1, "set_pmevtyper0_el0", 0x11);          /* CPU_CYCLES */
    guest_call(1, "set_pmcntenset_el0", 0x80000001);
    for (int i = 0; i < 200; i++) {
        uint64_t cycles, events;
        int64_t apart;

        guest_call(1, "set_pmcr_el0", 0xC7);            /* LP, LC, C, P, E */
        capture(1);
        cycles = rd_pair(1, CCNTSVR);
        events = rd_pair(1, EVCNTSVR(0));
        apart = llabs((int64_t)(cycles - events));
        least = apart < least ? apart : least;
        counts &= cycles && events;
    }
    tap_ok(counts && least < 500, "two counters of cycles are captured %" PRId64 " ns apart",
           least);
}

/* Instructions are counted one by one: a loop of two, and what counted() has around it */
static void test_instructions(void)
{
    start_ss("-M virt " CPU V8P9);
    guest_call(1, "set_pmevtyper0_el0", 0x08);          /* INST_RETIRED */
    guest_call(1, "set_pmcntenset_el0", 1);
    guest_call(1, "set_pmcr_el0", 0x81);
    for (uint64_t times = 1; times < 1000000; times *= 100) {
        tap_is(guest_call(1, "counted", times), 2 * times + 3,
               "INST_RETIRED of %" PRIu64 " times two instructions", times);
    }
}

/*
 * Table D13-10 and the OS Lock, for all values of the three controls, and PMUCaptureEventEnabled()
 * of J1.3 where EL2 or EL1 uses AArch32. A cycle counter that stands still at a value of its own
 * shows what was captured.
 */
static void test_controls(void)
{
    struct am_pe pe = {
        .feat = AM_FEAT_PMUV3_SS | AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_EL3,
        .el = 3,
    };
    /* SCR_EL3.{NS,RW} and HCR_EL2.RW; the last one stays */
    static const struct {
        uint64_t scr, hcr;
        uint8_t aa32;
    } states[] = { { 0x130, 1ULL << 31, 7 }, { 0x531, 0, 3 }, { 0x530, 1ULL << 31, 0 } };
    unsigned wrong = 0, seen[3] = {};
    uint64_t saved = 0, status = NC;

    machine_start("-M virt,secure=on,virtualization=on " CPU V8P9);
    guest_serves(1);
    for (unsigned n = 0; n < 128 * 3; n++) {
        unsigned state = n >> 7;
        uint64_t el3 = (uint64_t)(n & 3) << 30, el2 = (uint64_t)(n >> 2 & 3) << 30;
        unsigned sse = n >> 4 & 3, os_lock = n >> 6 & 1;
        struct am_verdict verdict;

        guest_call(1, "set_scr_el3", states[state].scr);
        guest_call(1, "set_hcr_el2", states[state].hcr);
        pe.aa32 = states[state].aa32;
        guest_call(1, "set_mdcr_el3", el3);
        guest_call(1, "set_mdcr_el2", el2);
        guest_call(1, "set_s3_0_c9_c14_5", sse << 3);
        guest_call(1, "set_oslar_el1", os_lock);
        guest_call(1, "set_pmccntr_el0", n + 1000);
        /* By PE 0, at EL3: EPMSSAD = 0 leaves captures to Secure accesses */
        guest_call(0, "write32", BLOCK(1) + SSCR, 1);

        pe.mdcr_el3 = el3;
        pe.mdcr_el2 = el2;
        verdict = am_capture_control(&pe, sse, os_lock, false);
        seen[verdict.is]++;
        if (verdict.is == AM_CAPTURE_ALLOWED) {
            saved = n + 1000;
        }
        if (verdict.is != AM_CAPTURE_DISABLED) {
            status = verdict.is == AM_CAPTURE_PROHIBITED ? NC : 0;
        }
        wrong += guest_call(0, "read32", BLOCK(1) + SSCR + 4) != status >> 32 ||
                 guest_call(0, "read32", BLOCK(1) + SSCR) != 0 ||
                 guest_call(0, "read32", BLOCK(1) + CCNTSVR) != saved;
    }
    tap_ok(!wrong && seen[0] && seen[1] && seen[2],
           "Table D13-10, and an EL2 or EL1 that uses AArch32: %u of 384 combinations differ from "
           "arch-model", wrong);

    guest_call(1, "set_mdcr_el3", 1 << 30);
    guest_call(1, "set_mdcr_el2", 1 << 30);
    guest_call(1, "set_oslar_el1", 1);
    tap_ok(!register_aborts(1, CCNTSVR), "the OS Lock leaves the snapshot registers alone");
    guest_call(1, "set_oslar_el1", 0);
    for (uint64_t epmssad = 0; epmssad < 4; epmssad++) {
        guest_call(1, "set_mdcr_el3", 1 << 30 | epmssad << 45);
        guest_call(1, "set_s3_0_c9_c14_5", 3 << 3);
        guest_call(1, "set_pmccntr_el0", 0x1234);
        guest_call(0, "write32", BLOCK(1) + SSCR, 1);
        tap_ok(guest_call(0, "read32", BLOCK(1) + CCNTSVR) == 0x1234 && !guest_esr(0) &&
               rd(1, CCNTSVR) == (epmssad == 3 ? 0x1234 : 0),
               "EPMSSAD = %" PRIu64 ": a Secure access, and a Non-secure one", epmssad);
    }
    guest_call(1, "set_mdcr_el3", 3ULL << 45 | 1 << 21);
    tap_is(rd(1, CCNTSVR), 0x1234, "EPMAD leaves the snapshot registers alone");
}

static void test_samples(void)
{
    struct sample s;

    start_ss("-M virt " CPU V8P9);
    guest_call(1, "set_contextidr_el1", 0x31);
    guest_loop(1, "spin_ret", 0);
    wr(1, PCSCTL, CTL_SS);
    tap_is(rd(1, PCSCTL), CTL_SS | CTL_IMP, "PMPCSCTL.SS");
    capture(1);
    tap_is(rd(1, PMPCSR_LO), NONE, "the first capture after SS = 1 has no PC");
    capture(1);
    capture(1);
    s = latched(1);
    s.lo = rd(1, PMPCSR_LO);
    tap_ok(pc_is_in(s.lo, "spin_ret") && s.hi == HI(0, 1, 1) && s.cid1 == 0x31,
           "a capture takes the PC and the Context ID");
    tap_is(rd(1, 0x220), s.lo, "reads of PMPCSR show it again");
    guest_stop(1);
    guest_call(1, "set_contextidr_el1", 0x32);
    guest_loop(1, "spin_ret", 0);
    tap_ok(rd(1, PMPCSR_LO) == s.lo && rd(1, PMCID1SR) == 0x31, "and take no sample");
    capture(1);
    tap_is(rd(1, PMCID1SR), 0x32, "the next capture does");
    guest_stop(1);
    guest_call(1, "set_s3_0_c9_c14_5", 2 << 3);
    guest_call(1, "set_contextidr_el1", 0x33);
    guest_loop(1, "spin_ret", 0);
    tap_is(capture(1), NC, "SSE = 0b10: prohibited");
    tap_is(rd(1, PMCID1SR), 0x32, "and the sample stays");
}

/* A Capture event is of the PE, whichever of its blocks requests it. */
static void test_two_blocks(void)
{
    struct sample s;

    start_ss("-M virt " CPU V8P9 ",node-fault=two-blocks@1");
    guest_call(1, "set_contextidr_el1", 0x31);
    guest_loop(1, "spin_ret", 0);
    wr(1, PCSCTL, CTL_SS);
    wr(2, PCSCTL, CTL_SS);
    capture(1);
    for (unsigned requester = 1; requester <= 2; requester++) {
        guest_stop(1);
        guest_call(1, "set_contextidr_el1", 0x40 + requester);
        guest_loop(1, "spin_ret", 0);
        capture(requester);
        for (unsigned block = 1; block <= 2; block++) {
            s = latched(block);
            s.lo = rd(block, PMPCSR_LO);
            tap_ok(pc_is_in(s.lo, "spin_ret") && s.cid1 == 0x40 + requester,
                   "two blocks of a PE: a request of %u gives %u a sample", requester, block);
        }
    }
    guest_stop(1);
}

/*
 * The IMPLEMENTATION DEFINED snapshots: offsets of the Technical Reference Manuals (Arm 100442,
 * 100798, 101779)
 */
static void test_impdef(void)
{
    struct sample s;

    start_two("-M virt -cpu max -smp 2 -device arm-pcsample,id=pcs,impdef-snapshots=on");
    guest_call(1, "set_contextidr_el1", 0x31);
    guest_call(1, "set_pmccntr_el0", 0x123456789ABCDEF0);
    guest_call(1, "set_pmevcntr0_el0", 0xFEDCBA9876543210);
    tap_is(rd(1, PMDEVID), 1, "IMPDEF: PMDEVID.PMSS is 0");
    tap_is(rd(1, 0x610), 1, "IMPDEF: PMSSSR.NC at reset");
    guest_loop(1, "spin_ret", 0);
    wr(1, 0x6F0, 0);
    tap_is(rd(1, 0x610), 1, "IMPDEF: PMSSCR: 0 is no request");
    wr(1, 0x6F0, 1);
    tap_is(rd(1, 0x610), 0, "IMPDEF: a capture");
    tap_is(rd_pair(1, 0x618), 0x123456789ABCDEF0, "IMPDEF: PMCCNTSR, 64 bits");
    tap_is(rd(1, 0x620), 0x76543210, "IMPDEF: PMEVCNTSR0, 32 bits");
    tap_is(rd(1, 0x620 + 4 * 6), 0, "IMPDEF: a counter that does not exist");
    tap_is(rd(1, 0x6F0), 0, "IMPDEF: PMSSCR is write-only");
    tap_ok(pc_is_in(rd(1, 0x600), "spin_ret") && rd(1, 0x604) == HI(0, 1, 1) &&
           rd(1, 0x608) == 0x31, "IMPDEF: PMPCSSR and PMCIDSSR");

    s = sample(1);
    guest_stop(1);
    guest_call(1, "set_contextidr_el1", 0x32);
    guest_loop(1, "spin_ret", 0);
    wr(1, 0x6F0, 1);
    tap_is(rd(1, 0x608), 0x32, "IMPDEF: the next capture");
    tap_ok(rd(1, PMCID1SR) == s.cid1 && rd(1, PMPCSR_HI) == s.hi, "IMPDEF: PMPCSR is left alone");
    tap_is(sample(1).cid1, 0x32, "IMPDEF: and reads sample");
    set_property("niden", "false");
    wr(1, 0x6F0, 1);
    tap_ok(rd(1, 0x600) == NONE && !rd(1, 0x610), "IMPDEF: prohibited: counters, and no PC");
    set_property("niden", "true");
    guest_stop(1);

    guest_call(1, "set_oslar_el1", 1);
    tap_ok(!register_aborts(1, 0x618) && register_aborts(1, PMCID1SR),
           "IMPDEF: the OS Lock leaves the snapshot registers alone");
    wr(1, PMLAR, 0);
    guest_call(1, "set_pmccntr_el0", 77);
    wr(1, 0x6F0, 1);
    tap_is(rd(1, 0x618), 77, "IMPDEF: so do both locks captures");
    power_off(1);
    tap_ok(register_aborts(1, 0x618), "IMPDEF: without power an access gives an error");
    tap_ok(machine_fails("-M virt " CPU "-device arm-pcsample,impdef-snapshots=on", "without"),
           "IMPDEF: not with FEAT_PMUv3_SS");
}

/* A capture that takes its time: until the third read of PMSSSR */
static void test_late_impdef(void)
{
    const char *late = "-M virt -cpu max -smp 2 -device arm-pcsample,impdef-snapshots=on,"
                       "late-capture=3";

    start_two(late);
    guest_call(1, "set_pmccntr_el0", 41);
    wr(1, 0x6F0, 1);
    tap_ok(rd(1, 0x610) == 1 && rd(1, 0x610) == 1, "late-capture: PMSSSR.NC stays 1");
    guest_call(1, "set_pmccntr_el0", 42);
    tap_is(rd(1, 0x618), 0, "late-capture: nothing was captured");
    tap_is(rd(1, 0x610), 1, "late-capture: the read that it comes after still says so");
    tap_ok(rd(1, 0x618) == 42 && rd(1, 0x610) == 0, "late-capture: then it has what is now");

    guest_call(1, "set_pmccntr_el0", 43);
    wr(1, 0x6F0, 1);
    tap_ok(rd(1, 0x610) == 0 && rd(1, 0x618) == 42, "late-capture: NC = 0 and old counters");
    machine_migrate(late);
    tap_ok(rd(1, 0x610) == 0 && rd(1, 0x610) == 0 && rd(1, 0x618) == 43,
           "late-capture: migration keeps one that is under way");
    guest_call(1, "set_pmccntr_el0", 44);
    tap_ok(rd(1, 0x610) == 0 && rd(1, 0x618) == 43, "late-capture: one request, one capture");

    wr(1, 0x6F0, 1);
    power_off(1);
    power_on(1);
    tap_ok(rd(1, 0x610) && rd(1, 0x610) && rd(1, 0x610) && rd(1, 0x610),
           "late-capture: one that is under way does not outlive a reset");
    tap_ok(machine_fails("-M virt -device arm-pcsample,late-capture=1", "needs impdef-snapshots"),
           "late-capture: not of other captures");
}

int main(int argc, char **argv)
{
    machine_setup(argc, argv);

    test_identification();
    test_values();
    test_moment();
    test_instructions();
    test_controls();
    test_samples();
    test_two_blocks();
    test_impdef();
    test_late_impdef();
    machine_stop();
    return tap_done();
}
