/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU_SUSPEND that loses the state of the Core power domain, and with the last PE of a cluster that
 * of the Debug power domain.
 *
 * What is expected stands here as numbers from the manual (DDI 0487 M.a.a: H6.3, H6.7, H9.2, I5.3,
 * D24.5), not as the constants that the device is compiled with.
 */

#include "blocks.h"
#include "machine.h"
#include "tap.h"

#include <stdio.h>

#define PMPCSCTL        0xE50
#define EN              1
#define IMP             2
#define SSCR            0xE30

#define EDSCR           0x088
#define EDPCSR_LO       0x0A0
#define EDCIDSR         0x0A4
#define OSLAR           0x300
#define EDPRCR          0x310
#define EDPRSR          0x314
#define EDLAR           0xFB0
#define EDLSR           0xFB4
#define EDDEVARCH       0xFBC
#define SC2             (1U << 19)
#define CORENPDRQ       1
#define COREPURQ        8

#define PMSSSR          0x610
#define PMSSCR_IMPDEF   0x6F0

#define GICD            0x08000000
#define GICD_SGIR       0xF00

#define PMU_SS          "-M virt -cpu max,pmu-ss=on -smp 2 -device arm-pcsample,v8p9=on,"
#define EL2_DEBUG       "-M virt,virtualization=on -cpu max -smp 4 " \
                        "-device arm-pcsample,block=debug,"
#define DOWN            "cpu-suspend=on,suspend-state=power-down"

/* The PE sleeps: no register of its Core power domain answers, though the Debug power domain may */
static void falls_asleep(unsigned cpu, const char *nap, unsigned offset)
{
    guest_call(0, "write32", GICD, 1);
    guest_start(cpu, nap, 0);
    AWAIT(register_aborts(cpu, offset));
}

static void wakes_up(unsigned cpu)
{
    guest_call(0, "write32", GICD + GICD_SGIR, 1U << (16 + cpu));
    guest_serves_again(cpu);
}

static void power_on_smc(unsigned cpu)
{
    guest_forget(cpu);
    guest_call(0, "psci_smc", 0xC4000003, cpu, guest_symbol("_start"), 0);
    guest_serves(cpu);
}

static void open_debug_block(unsigned cpu)
{
    wr(cpu, EDLAR, KEY);
    wr(cpu, OSLAR, 0);
    rd(cpu, EDPCSR_LO);
}

/*
 * The PMU block, and the PE
 */

static void prepare_pmu(void)
{
    guest_call(1, "set_s3_0_c9_c14_5", 3 << 3);         /* PMECR_EL1.SSE */
    guest_call(1, "set_contextidr_el1", 0x1234);
    guest_call(1, "set_pmccntr_el0", 42);
    guest_call(1, "set_pmevcntr0_el0", 43);
    guest_call(1, "set_pmevtyper0_el0", 0x11);
    guest_call(1, "set_pmcntenset_el0", 0x80000001);
    guest_call(1, "set_pmovsset_el0", 1);
    wr(1, PMPCSCTL, EN);
    guest_loop(1, "spin_ret", 0);
    AWAIT(sample(1).cid1 == 0x1234);
    guest_stop(1);
    wr(1, SSCR, 1);
    guest_call(1, "set_pmcr_el0", 0x41);                /* LC, E */
}

static void test_retention(void)
{
    start_two(PMU_SS "cpu-suspend=on");
    prepare_pmu();
    falls_asleep(1, "nap_hvc", PMPCSR_LO);
    wakes_up(1);
    tap_is(rd(1, PMPCSCTL), EN | IMP, "retention: PMPCSCTL.EN stays");
    tap_is(latched(1).cid1, 0x1234, "retention: PMCID1SR stays");
    tap_is(rd(1, SSCR + 4), 0, "retention: PMSSCR_EL1.NC stays");
    tap_is(guest_call(1, "get_s3_0_c9_c14_5", 0), 3 << 3, "retention: PMECR_EL1.SSE stays");
    tap_is(guest_call(1, "get_pmcntenset_el0", 0), 0x80000001, "retention: PMCNTENSET_EL0 stays");
    tap_is(guest_call(1, "get_pmcr_el0", 0) & 0x41, 0x41, "retention: PMCR_EL0.E stays");
}

static void test_power_down(void)
{
    struct sample s;

    start_two(PMU_SS DOWN);
    prepare_pmu();
    falls_asleep(1, "nap_hvc", PMPCSR_LO);
    tap_ok(register_aborts(1, PMPCSCTL) && !register_aborts(1, PMDEVID),
           "power-down: asleep: the Core power domain is off, the Debug power domain is on");
    wakes_up(1);
    tap_is(rd(1, PMPCSCTL), IMP, "power-down: PMPCSCTL.EN is lost");
    tap_ok(is_unknown(latched(1)), "power-down: the sample registers are UNKNOWN");
    tap_is(rd(1, SSCR + 4), 1, "power-down: PMSSCR_EL1.NC is 1");
    tap_is(guest_call(1, "get_s3_0_c9_c14_5", 0), 0, "power-down: PMECR_EL1.SSE is lost");
    tap_is(guest_call(1, "get_pmcr_el0", 0) & 1, 0, "power-down: PMCR_EL0.E is 0");
    tap_is(guest_call(1, "get_pmcntenset_el0", 0), 0, "power-down: no counter is enabled");
    tap_is(guest_call(1, "get_pmovsset_el0", 0), 0, "power-down: no counter has overflowed");
    tap_is(guest_call(1, "get_pmccntr_el0", 0), UNKNOWN, "power-down: PMCCNTR_EL0 is UNKNOWN");
    tap_is(guest_call(1, "get_pmevcntr0_el0", 0), UNKNOWN, "power-down: PMEVCNTR0_EL0 is UNKNOWN");
    tap_ok(guest_call(1, "get_pmevtyper0_el0", 0) != 0x11, "power-down: PMEVTYPER0_EL0 is UNKNOWN");
    tap_is(guest_call(1, "get_contextidr_el1", 0), 0x1234, "power-down: CONTEXTIDR_EL1 stays");

    guest_loop(1, "spin_ret", 0);
    s = sample(1);
    tap_ok(s.lo == NONE && rd(1, PMPCSCTL) == (EN | IMP), "power-down: a read finds it suspended");
    guest_stop(1);
    falls_asleep(1, "nap_hvc", PMPCSR_LO);
    wakes_up(1);
    tap_is(rd(1, PMPCSCTL), IMP, "power-down: and so does the next one");

    wr(1, PMPCSCTL, EN);
    guest_start(1, "nap_wfi", 0);
    AWAIT(rd(1, PMPCSR_LO) == guest_symbol("nap_wfi_end") - 4);
    wakes_up(1);
    tap_is(rd(1, PMPCSCTL), EN | IMP, "power-down: a PE in WFI loses nothing");
    tap_ok(machine_fails("-M virt -device arm-pcsample,suspend-state=power-down",
                         "needs cpu-suspend=on"), "suspend-state without cpu-suspend is refused");
}

static void test_os_lock(void)
{
    start_two(VIRT "-device arm-pcsample," DOWN "-locked");
    falls_asleep(1, "nap_hvc", PMPCSR_LO);
    wakes_up(1);
    tap_ok(register_aborts(1, PMPCSR_LO) && register_aborts(1, PMCFGR),
           "power-down-locked: the OS Lock is set");
    tap_is(guest_call(1, "get_oslsr_el1", 0), 0xA, "power-down-locked: OSLSR_EL1.OSLK, for the PE");
    guest_call(1, "set_oslar_el1", 0);
    tap_ok(!register_aborts(1, PMPCSR_LO), "power-down-locked: the PE clears it");

    start_two(VIRT "-device arm-pcsample," DOWN);
    falls_asleep(1, "nap_hvc", PMPCSR_LO);
    wakes_up(1);
    tap_is(guest_call(1, "get_oslsr_el1", 0), 0x8, "power-down: the OS Lock is not set");
}

static void test_impdef_snapshots(void)
{
    start_two(VIRT "-device arm-pcsample,impdef-snapshots=on," DOWN);
    wr(1, PMSSCR_IMPDEF, 1);
    tap_is(rd(1, PMSSSR), 0, "impdef-snapshots: a capture");
    falls_asleep(1, "nap_hvc", PMPCSR_LO);
    wakes_up(1);
    tap_is(rd(1, PMSSSR), 1, "power-down: PMSSSR.NC is 1");
}

/*
 * The debug block
 */

static void test_debug(void)
{
    machine_start(EL2_DEBUG DOWN);
    power_on_smc(1);
    open_debug_block(1);
    guest_call(1, "set_contextidr_el1", 0x1234);
    wr(1, EDSCR, SC2);
    guest_loop(1, "spin_ret", 0);
    AWAIT(rd(1, EDPCSR_LO) != NONE && rd(1, EDCIDSR) == 0x1234);
    guest_stop(1);
    rd(1, EDPRSR);
    falls_asleep(1, "nap_smc", EDPCSR_LO);
    tap_is(rd(1, EDPRSR), 0x02, "debug: asleep: EDPRSR: SPD, no PU");
    wakes_up(1);
    tap_is(rd(1, EDPRSR), 0x0B, "debug: awake: EDPRSR: PU, SPD, SR");
    tap_is(rd(1, EDSCR) & SC2, 0, "debug: EDSCR.SC2 is lost");
    tap_is(rd(1, EDCIDSR), UNKNOWN, "debug: EDCIDSR is UNKNOWN");
    tap_is(rd(1, EDLSR), 1, "debug: the Software lock stays open: the Debug power domain was on");

    wr(1, EDSCR, SC2);
    wr(1, EDPRCR, CORENPDRQ);
    guest_start(1, "nap_smc", 0);
    AWAIT(rd(1, EDPCSR_LO) == guest_symbol("nap_smc_end") - 4);
    wakes_up(1);
    tap_is(rd(1, EDSCR) & SC2, SC2, "debug: EDPRCR.CORENPDRQ: nothing is lost");
    tap_is(rd(1, EDPRCR), CORENPDRQ, "debug: nor is the request");
    wr(1, EDPRCR, 0);

    rd(1, EDPRSR);
    falls_asleep(1, "nap_smc", EDPCSR_LO);
    wr(1, EDPRCR, CORENPDRQ);
    tap_ok(rd(1, EDPRCR) == 0 && register_aborts(1, EDPCSR_LO),
           "debug: asleep: a write of CORENPDRQ is ignored");
    wr(1, EDPRCR, COREPURQ);
    tap_is(rd(1, EDPRSR), 0x0B, "debug: asleep: COREPURQ gives power: EDPRSR: PU, SPD, SR");
    tap_is(rd(1, EDSCR) & SC2, 0, "debug: and EDSCR.SC2 was lost");
    tap_is(rd(1, EDPRCR), COREPURQ | CORENPDRQ, "debug: the Cold reset copies COREPURQ");
    wr(1, EDSCR, SC2);
    wakes_up(1);
    tap_is(rd(1, EDSCR) & SC2, SC2, "debug: nothing is lost after that");

    machine_start(EL2_DEBUG DOWN ",power-request=off");
    power_on_smc(1);
    open_debug_block(1);
    wr(1, EDPRCR, CORENPDRQ);
    falls_asleep(1, "nap_smc", EDPCSR_LO);
    wakes_up(1);
    tap_is(rd(1, EDPRCR), 0, "debug: power-request=off: EDPRCR.CORENPDRQ is lost");
}

/*
 * A cluster: PEs 2 and 3
 */

static void open_both(void)
{
    open_debug_block(2);
    open_debug_block(3);
    rd(2, EDPRSR);
    rd(3, EDPRSR);
}

static void power_off_smc(unsigned cpu)
{
    guest_start(cpu, "psci_smc", 0x84000002);
    AWAIT(guest_call(0, "psci_smc", 0xC4000004, cpu, 0, 0) == 1);
}

static void test_cluster(void)
{
    machine_start(EL2_DEBUG "shared-power=on,cluster=2," DOWN);
    power_on_smc(2);
    power_on_smc(3);
    open_both();
    wr(3, EDSCR, SC2);
    falls_asleep(2, "nap_smc", EDPCSR_LO);
    tap_is(rd(2, EDLSR), 1, "cluster=2: PE 3 keeps the Debug power domain of PE 2 on");
    wakes_up(2);
    tap_is(rd(2, EDLSR), 1, "cluster=2: which loses nothing");

    falls_asleep(2, "nap_smc", EDPCSR_LO);
    falls_asleep(3, "nap_smc", EDDEVARCH);
    tap_ok(register_aborts(2, EDDEVARCH), "cluster=2: both asleep: nothing answers");
    wakes_up(2);
    tap_ok(rd(2, EDLSR) == 3 && rd(3, EDLSR) == 3,
           "cluster=2: the first that wakes up finds the Software locks of both closed");
    tap_ok(register_aborts(3, EDPCSR_LO), "cluster=2: PE 3 sleeps on");
    wr(3, EDLAR, KEY);
    wakes_up(3);
    tap_is(rd(3, EDLSR), 1, "cluster=2: the second one closes none");
    tap_is(rd(3, EDSCR) & SC2, 0, "cluster=2: but has lost EDSCR.SC2");

    open_both();
    falls_asleep(3, "nap_smc", EDPCSR_LO);
    power_off_smc(2);
    tap_ok(register_aborts(3, EDDEVARCH), "cluster=2: one off and one asleep: nothing answers");
    wakes_up(3);
    tap_is(rd(3, EDLSR), 3, "cluster=2: the Software lock is closed after that too");
    wr(3, EDLAR, KEY);
    falls_asleep(3, "nap_smc", EDDEVARCH);
    power_on_smc(2);
    tap_is(rd(3, EDLSR), 3, "cluster=2: also if the one that was off comes first");

    wakes_up(3);
    open_both();
    wr(3, EDPRCR, CORENPDRQ);
    falls_asleep(2, "nap_smc", EDPCSR_LO);
    guest_start(3, "nap_smc", 0);
    AWAIT(rd(3, EDPCSR_LO) == guest_symbol("nap_smc_end") - 4);
    wakes_up(2);
    tap_is(rd(2, EDLSR), 1, "cluster=2: EDPRCR.CORENPDRQ of PE 3 keeps the cluster on");
    wakes_up(3);

    machine_start(EL2_DEBUG "shared-power=on,cluster=2,cpu-suspend=on");
    power_on_smc(2);
    power_on_smc(3);
    open_both();
    falls_asleep(2, "nap_smc", EDPCSR_LO);
    falls_asleep(3, "nap_smc", EDDEVARCH);
    wakes_up(2);
    tap_ok(rd(2, EDLSR) == 1 && rd(3, EDLSR) == 1, "retention: the cluster loses nothing");
}

int main(int argc, char **argv)
{
    machine_setup(argc, argv);

    test_retention();
    test_power_down();
    test_os_lock();
    test_impdef_snapshots();
    test_debug();
    test_cluster();
    machine_stop();
    return tap_done();
}
