/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many samples of PEs at full speed: do the parts of a sample belong together, do they show where
 * the time goes, and what does one cost?
 */

#include "machine.h"
#include "mailbox.h"
#include "tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK(cpu)      (0x09100000 + 0x1000ULL * (cpu))
#define PMLAR           0xFB0
#define KEY             0xC5ACCE55

#define BUFFER          0x41000000
#define SAMPLES         10000   /* each different from the one before */
#define MAX_READS       2000000

#define TO_EL0          0x3C0
#define TO_EL1          0x3C5
#define TO_EL2          0x3C9
#define TO_EL0_A32      0x1D0
#define TO_EL0_T32      0x1F0

/* As collect() in guest.S lays it out */
struct sample {
    uint32_t lo, hi, cid1, vid, cid2, pad;
};

static unsigned sample_el(const struct sample *s)
{
    return s->hi >> 29 & 3;
}

static void open_block(unsigned cpu)
{
    guest_call(cpu, "set_oslar_el1", 0);
    bus_write32(BLOCK(cpu) + PMLAR, KEY);
    bus_read32(BLOCK(cpu) + 0x200);
}

static bool pc_is_in(uint32_t lo, const char *function)
{
    char end[64];

    snprintf(end, sizeof(end), "%s_end", function);
    return lo >= guest_symbol(function) && lo < guest_symbol(end);
}

/*
 * Coherence
 */

struct storm {
    const char *name;
    const char *options;
    const char *conduit;        /* PSCI, if PE 1 must be powered on */
    const char *set;            /* what the kernel sets for each process */
    uint64_t hcr;               /* HCR_EL2, if not 0 */
    uint64_t spsr;
    unsigned kernel_el, user_el;
    const char *user_a, *user_b;
    uint32_t (*identity)(const struct sample *s);
    uint32_t id_a, id_b;
};

static uint32_t cid1_of(const struct sample *s)
{
    return s->cid1;
}

static uint32_t cid2_of(const struct sample *s)
{
    return s->cid2;
}

static uint32_t vmid_of(const struct sample *s)
{
    return s->vid;
}

#define HCR_RW  (1ULL << 31)
#define HCR_E2H (1ULL << 34)
#define HCR_TGE (1ULL << 27)

static const struct storm storms[] = {
    {
        "a kernel at EL1 and its processes", "-M virt -cpu max -smp 2 -device arm-pcsample",
        "psci_hvc", "set_contextidr_el1", 0, TO_EL0, 1, 0, "user_svc_a", "user_svc_b",
        cid1_of, 0x0A0A, 0x0B0B,
    }, {
        "a kernel at EL1 and its AArch32 processes",
        "-M virt -cpu cortex-a57 -smp 2 -device arm-pcsample",
        "psci_hvc", "set_contextidr_el1", 0, TO_EL0_A32, 1, 0, "user_a32_a", "user_a32_b",
        cid1_of, 0x0A0A, 0x0B0B,
    }, {
        "a VHE kernel at EL2 and its processes",
        "-M virt,virtualization=on -cpu max -smp 2 -device arm-pcsample",
        "psci_smc", "set_contextidr_el2", HCR_RW | HCR_E2H | HCR_TGE, TO_EL0, 2, 0,
        "user_svc_a", "user_svc_b", cid2_of, 0x0A0A, 0x0B0B,
    }, {
        "a hypervisor and two guests at EL1",
        "-M virt,virtualization=on -cpu max -smp 2 -device arm-pcsample",
        "psci_smc", "set_vttbr_el2", 0, TO_EL1, 2, 1, "user_hvc_a", "user_hvc_b",
        vmid_of, 0x0A, 0x0B,
    }, {
        "firmware at EL3 and code at S-EL1",
        "-M virt,secure=on -cpu max -smp 2 -device arm-pcsample,spniden=on",
        NULL, "set_contextidr_el1", 0, TO_EL1, 3, 1, "user_smc_a", "user_smc_b",
        cid1_of, 0x0A0A, 0x0B0B,
    },
};

/*
 * The address after a system call is a PC of that process too: TCG stores it a few ns before it
 * says that there is a call.
 */
static bool pc_is_of(uint32_t lo, const char *user)
{
    return pc_is_in(lo, user) || pc_is_in(lo - 4, user);
}

static bool is_coherent(const struct storm *t, const struct sample *s)
{
    if (pc_is_of(s->lo, t->user_a)) {
        return sample_el(s) == t->user_el && t->identity(s) == t->id_a;
    }
    if (pc_is_of(s->lo, t->user_b)) {
        return sample_el(s) == t->user_el && t->identity(s) == t->id_b;
    }
    return sample_el(s) == t->kernel_el && s->lo != 0xFFFFFFFF;
}

/*
 * On a busy host the thread of the sampled PE may stand still for long, so what counts is samples
 * that are not like the one before. A read that takes a sample and three that get its contexts make
 * one.
 */
static void test_coherence(const struct storm *t)
{
    static struct sample samples[SAMPLES];
    const unsigned chunk = 500;
    unsigned bad = 0, user = 0, kernel = 0, after = 0, stored;
    uint64_t result;

    machine_start(t->options);
    if (t->conduit) {
        guest_call(0, t->conduit, 0xC4000003, 1, guest_symbol("_start"), 0);
    }
    guest_serves(1);
    open_block(0);
    open_block(1);
    if (t->hcr) {
        guest_call(1, "set_hcr_el2", t->hcr);
    }
    guest_loop(1, "storm", guest_symbol(t->set), t->spsr, guest_symbol(t->user_a),
               guest_symbol(t->user_b));
    result = guest_call(0, "collect", BLOCK(1), BUFFER, SAMPLES, MAX_READS);
    stored = result;
    for (unsigned i = 0; i < SAMPLES; i += chunk) {
        bus_read(BUFFER + i * sizeof(samples[0]), &samples[i], chunk * sizeof(samples[0]));
    }
    for (unsigned i = 0; i < stored; i++) {
        const struct sample *s = &samples[i];

        user += sample_el(s) == t->user_el;
        kernel += sample_el(s) == t->kernel_el;
        after += pc_is_of(s->lo, t->user_a) && !pc_is_in(s->lo, t->user_a);
        after += pc_is_of(s->lo, t->user_b) && !pc_is_in(s->lo, t->user_b);
        if (!is_coherent(t, s) && bad++ < 5) {
            tap_note("sample %u: PMPCSR 0x%08x%08x PMCID1SR 0x%x PMVIDSR 0x%x PMCID2SR 0x%x", i,
                     s->hi, s->lo, s->cid1, s->vid, s->cid2);
        }
    }
    tap_is(bad, 0, "incoherent samples: %s", t->name);
    tap_note("%u new samples in %u reads: %u of the kernel, %u of its users, %u of them after the "
             "system call", stored, (unsigned)(result >> 32), kernel, user, after);
    /* Without these the first test says nothing */
    tap_ok(stored == SAMPLES && user > SAMPLES / 100 && kernel > SAMPLES / 100,
           "%u new samples, and both levels: %s", SAMPLES, t->name);
}

/*
 * An access that hangs holds QEMU's lock. A PE that takes a system call meanwhile, or returns from
 * one, waits for the lock, and PE 0 mostly reads before that PE goes on. Of such samples at least
 * 53 % showed the system call, on a host with ten times the threads that it can run; the others
 * showed the address behind it. None of 59 showed it while AArch32 was not known here. 12 of 60 are
 * 5.1 standard deviations from 53 %.
 */
static void test_system_calls(const char *name, uint64_t spsr, const char *user_a,
                              const char *user_b, unsigned size)
{
    const char *users[] = { user_a, user_b };
    unsigned calls = 0, after = 0;
    char end[64];

    machine_start("-M virt -cpu cortex-a57 -smp 2 -device arm-pcsample,fault=error@0,"
                  "error-response=hang,hang-ms=1");
    guest_call(0, "psci_hvc", 0xC4000003, 1, guest_symbol("_start"), 0);
    guest_serves(1);
    open_block(1);
    guest_loop(1, "storm", guest_symbol("set_contextidr_el1"), spsr, guest_symbol(user_a),
               guest_symbol(user_b));
    for (unsigned tries = 0; calls + after < 60 && tries < 20000; tries++) {
        uint32_t pc = guest_call(0, "read_behind", BLOCK(0) + 0x200, BLOCK(1) + 0x200);

        for (unsigned j = 0; j < 2; j++) {
            snprintf(end, sizeof(end), "%s_end", users[j]);
            calls += pc == guest_symbol(end) - size;
            after += pc == guest_symbol(end);
        }
    }
    tap_ok(calls + after == 60 && calls >= 12,
           "a system call that waits is where the PE is: %u samples, %u behind it: %s", calls,
           after, name);
}

/*
 * Accuracy
 */

/* Lets the sampled PE go on for a random time, on a host that may stop it at any moment */
static void let_run(void)
{
    uint64_t rounds = guest_rounds(1);

    AWAIT(guest_rounds(1) >= rounds + 2);
    nanosleep(&(struct timespec) { .tv_nsec = 100000 + rand() % 800000 }, NULL);
}

/*
 * 5,000 independent samples of a share of 0.7 have a standard deviation of 0.65 points: 3 points
 * are 4.6 of them, odds of 1 to 240,000 against a false alarm. A round takes about 80 us, and the
 * time between two samples is spread over ten of them. Elsewhere is the rest of a round: two
 * returns and its count. Of rounds a quarter as long that was 0.4 %, and 1.2 % on a busy host. So
 * 0.3 % is expected at most, 15 of 5,000. The 50 that are too many are 9 standard deviations more.
 */
static void test_accuracy(void)
{
    const unsigned count = 5000;
    unsigned a = 0, b = 0, other = 0;

    machine_start("-M virt -cpu max -smp 2 -device arm-pcsample");
    guest_call(0, "psci_hvc", 0xC4000003, 1, guest_symbol("_start"), 0);
    guest_serves(1);
    open_block(1);
    guest_loop(1, "split", 0);
    srand(1);
    for (unsigned i = 0; i < count; i++) {
        uint32_t pc;

        let_run();
        pc = bus_read32(BLOCK(1) + 0x200);
        if (pc_is_in(pc, "split_a")) {
            a++;
        } else if (pc_is_in(pc, "split_b")) {
            b++;
        } else {
            other++;
        }
    }
    tap_note("70:30 by construction, %u samples: %.4f, %u elsewhere", count,
             (double)a / (a + b), other);
    tap_ok(other < count / 100 && a > 0.67 * (a + b) && a < 0.73 * (a + b),
           "a share of 70 %% is measured to 3 points");
}

/*
 * Cost
 */

static void measure_read(void)
{
    const unsigned rounds = 100;
    static const uint64_t addresses[] = { BLOCK(1) + 0x200, BLOCK(1) + 0x204, 0x09000018 };
    double ns[3] = { 1e9, 1e9, 1e9 }, hz;

    machine_start("-M virt -cpu max -smp 2 -device arm-pcsample");
    guest_call(0, "psci_hvc", 0xC4000003, 1, guest_symbol("_start"), 0);
    guest_serves(1);
    open_block(1);
    guest_loop(1, "split", 0);
    hz = guest_call(0, "get_cntfrq_el0", 0);
    /*
     * The fastest of many rounds, because the host has other things to do too: the cache line that
     * the sampled PE's thread writes may be slow to come for longer than ten rounds take
     */
    for (unsigned i = 0; i < 3 * rounds; i++) {
        const unsigned count = 20000;
        double t = guest_call(0, "time_reads", addresses[i % 3], count) / hz * 1e9 / count;

        if (t < ns[i % 3]) {
            ns[i % 3] = t;
        }
    }
    tap_note("host time of one read: PMPCSR[31:0] %.0f ns, PMPCSR[63:32] %.0f ns, a register of "
             "QEMU's PL011 %.0f ns", ns[0], ns[1], ns[2]);
    tap_ok(ns[0] < 3 * ns[2], "taking a sample costs %.2f times a read of another device",
           ns[0] / ns[2]);
}

/* ns of one system call, the best of several tries and of @best */
static double system_call_ns(const char *options, double best)
{
    machine_start(options);
    guest_loop(0, "storm", guest_symbol("set_contextidr_el1"), TO_EL0, guest_symbol("user_svc_a"),
               guest_symbol("user_svc_b"));
    for (unsigned i = 0; i < 20; i++) {
        struct timespec begin, end;
        uint64_t rounds = guest_rounds(0);
        double ns;

        clock_gettime(CLOCK_MONOTONIC, &begin);
        nanosleep(&(struct timespec) { .tv_nsec = 10000000 }, NULL);
        rounds = guest_rounds(0) - rounds;
        clock_gettime(CLOCK_MONOTONIC, &end);
        ns = (end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec;
        if (rounds && ns / rounds / 2 < best) {
            best = ns / rounds / 2;
        }
    }
    return best;
}

/*
 * The device looks at the PE at each change of Exception level, sampled or not. In turns, as the
 * host may be slower for some seconds.
 */
static void measure_hooks(void)
{
    double without = 1e9, with = 1e9;

    for (unsigned i = 0; i < 4; i++) {
        without = system_call_ns("-M virt -cpu max -smp 1", without);
        with = system_call_ns("-M virt -cpu max -smp 1 -device arm-pcsample", with);
    }
    tap_note("host time of an empty system call: %.0f ns without the device, %.0f ns with it",
             without, with);
    tap_ok(with < 2 * without, "the device makes an empty system call %.2f times as long",
           with / without);
}

int main(int argc, char **argv)
{
    machine_setup(argc, argv);
    for (unsigned i = 0; i < sizeof(storms) / sizeof(storms[0]); i++) {
        test_coherence(&storms[i]);
    }
    test_system_calls("A64", TO_EL0, "user_svc_a", "user_svc_b", 4);
    test_system_calls("A32", TO_EL0_A32, "user_a32_a", "user_a32_b", 4);
    test_system_calls("T32", TO_EL0_T32, "user_t32_a", "user_t32_b", 2);
    test_accuracy();
    measure_read();
    measure_hooks();
    machine_stop();
    return tap_done();
}
