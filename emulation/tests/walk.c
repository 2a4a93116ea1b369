/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random walks over each register set, held against arch-model's state machine after every step.
 *
 * A step is an access to the block, of any size and by either bus master, or something that happens
 * to the PE: it goes to a loop at another Exception level and Security state, in AArch64 or AArch32
 * state, gets other contexts, falls asleep, calls CPU_SUSPEND, is reset, loses power, alone or with
 * its cluster, and its locks, its authentication interface, SDER32_EL3.SUNIDEN and the controls of
 * sampling and of snapshots change. In every second walk there are two PEs with a block each, and
 * nothing that happens to one of them may show in the other. The model is told the same. It says
 * whether an access gets an error response, and bit by bit what a read may return. Of the Debug
 * power domain it knows the Software lock; when that domain goes off and on, what answers then, and
 * the rest of its state stand here, as do the values of counters in a snapshot.
 *
 * Some of the machine is of no manual. This holds of it:
 *  - An error response is what error-response= says: an abort, at once or late, zeros or ones.
 *  - While the clock stands still, and with fault=no-block, each access gets one, and changes
 *    nothing; the PE goes on. With fault=error each access to a sample register does.
 *  - fault=devarch, devid, devtype and cidr hide the block from who identifies it, devaff makes it
 *    another PE's, and capture has PMSSCR_EL1.SS say 1. Nothing else changes.
 *  - With fault=lock the Software lock stays closed, with relock each 256th sample finds it closed.
 *  - With fault=frozen each sample is the first one.
 *  - With late-capture=N an IMPLEMENTATION DEFINED snapshot is of what is there at the Nth read of
 *    PMSSSR after the request, and that read and those before it find the snapshot before.
 *
 * The emulated device may differ from the model in these ways, and no other:
 *  - It does not count branches. As long as the PE is where it was when sampling became possible,
 *    the first sample is UNKNOWN, though a branch has retired since.
 *  - The first read after a reset may be 0xFFFFFFFF (H9.2, I5.3), and so may a read that activates
 *    sampling (H7.1.3), and the first Capture event after PMPCSCTL.SS = 1, which then leaves the
 *    other registers alone (D13.9).
 *  - An IMPLEMENTATION DEFINED snapshot of an UNKNOWN sample has none: 0xFFFFFFFF. Captures make
 *    suspended sampling active unless the Software lock is closed, as reads of PMPCSR do, and
 *    always capture the counters.
 *  - TCG knows where a translation block began. So the PC is that of a loop's first instruction,
 *    which the test knows, but for a PE on its way to sleep.
 *
 * Usage: walk QEMU FOLDER-OF-GUEST [--seed N] [--steps N] [--set NAME] [--level NAME] [--all]
 */

#include "blocks.h"
#include "machine.h"
#include "tap.h"

#include <arch-model/control-regs.h>
#include <arch-model/pcsr.h>
#include <arch-model/pmss-regs.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the manual stand for themselves here, as in the other tests: see blocks.h */
#undef PMPCSR_LO_NONE
#define PCSCTL          0xE50
#define SSCR            0xE30
#define CCNTSVR         0x6F8
#define EVCNTSVR0       0x600
#define OSLAR           0x300
#define EDSCR           0x088
#define EDPRCR          0x310
#define EDPRSR          0x314
#define GICD            0x08000000
#define GICD_SGIR       0xF00
#define PL061           0x09030000      /* its pin 5 is the gate of the clock */
#define PL061_DIR       0x400
#define PL061_PIN5      (0x20 << 2)
#define CORENPDRQ       1U
#define COREPURQ        8U
#define SPD             2U
#define ED_LO           0x0A0
#define ED_CID          0x0A4
#define ED_VID          0x0A8
#define ED_HI           0x0AC
#define SC2             (1U << 19)
#define CTL_IMP         2U
#define CTL_SS          0x10U
#define HCR_RW          (1ULL << 31)
#define HCR_E2H         (1ULL << 34)
#define HCR_TGE         (1ULL << 27)
#define SCR             0x530ULL        /* RW, HCE, RES1 */
#define SCR_NS          1ULL
#define SCR_RW          (1ULL << 10)
#define SCR_EEL2        (1ULL << 18)
#define SCR_NSE         (1ULL << 62)
#define SUNIDEN         2ULL            /* SDER32_EL3 */
#define VTCR_VS         (1ULL << 19)
#define PMSSE_PASSES_ON (1ULL << 30)
#define EPMSSAD         (3ULL << 45)
#define EPMSSAD_OPEN    EPMSSAD
#define EPMAD           (1ULL << 21)

/*
 * PE 0 makes accesses. Two others can be sampled at once, and the walk goes on with one or the
 * other. Without PSCI all PEs are on, so there are no more.
 */
#define FIRST           (level->psci ? 2U : 1U)
#define SECOND          (level->psci ? 1U : 2U)
#define NEIGHBOUR       3U      /* with PSCI PEs 2 and 3 can be a cluster, and PEs 0 and 1 */

/* What a cpu model implements, as far as samples show it */
#define A57     (AM_FEAT_AA64 | AM_FEAT_AA32)
#define MAX     (A57 | AM_FEAT_VHE | AM_FEAT_VMID16 | AM_FEAT_DEBUGV8P1)
#define MAX_PMU (MAX | AM_FEAT_PCSRV8P2 | AM_FEAT_DEBUGV8P2 | AM_FEAT_MOPS | AM_FEAT_SEL2)
#define V8P9    (AM_FEAT_PCSRV8P9 | AM_FEAT_DEBUGV8P4)
#define N1      (A57 | AM_FEAT_VHE | AM_FEAT_VMID16 | AM_FEAT_DEBUGV8P1 | AM_FEAT_DEBUGV8P2 | \
                 AM_FEAT_PCSRV8P2)

/* Snapshots that no feature and no ID register tells */
#define IMPDEF  "impdef-snapshots=on"

static const struct set {
    const char *name;
    const char *cpu;
    const char *device;
    uint64_t feat;
    bool has_lock;
} sets[] = {
    { "debug", "cortex-a57", "block=debug", A57 | AM_FEAT_PCSRV8, true },
    { "debug-v8.1", "max", "block=debug", MAX | AM_FEAT_PCSRV8, true },
    { "pmu32", "max", "pmu=on", MAX_PMU, true },
    { "pmu32-v8.2", "cortex-a57", "pmu=on", A57 | AM_FEAT_PCSRV8P2, true },
    { "pmu64", "max", "ext64=on", MAX_PMU | AM_FEAT_PMUV3_EXT64, false },
    { "frame32", "max", "pmu=off", MAX_PMU, true },
    { "frame64", "max", "pmu=off,ext64=on", MAX_PMU | AM_FEAT_PMUV3_EXT64, false },
    { "pmu32-v8p9", "max", "v8p9=on,software-lock=off", MAX_PMU | V8P9, false },
    { "pmu64-v8p9", "max", "v8p9=on,ext64=on", MAX_PMU | V8P9 | AM_FEAT_PMUV3_EXT64, false },
    { "frame32-v8p9", "max", "v8p9=on,pmu=off,software-lock=off", MAX_PMU | V8P9, false },
    { "frame64-v8p9", "max", "v8p9=on,pmu=off,ext64=on", MAX_PMU | V8P9 | AM_FEAT_PMUV3_EXT64,
      false },
    { "snapshot32", "max,pmu-ss=on", "v8p9=on", MAX_PMU | V8P9 | AM_FEAT_PMUV3_SS, false },
    { "snapshot64", "max,pmu-ss=on", "v8p9=on,ext64=on",
      MAX_PMU | V8P9 | AM_FEAT_PMUV3_SS | AM_FEAT_PMUV3_EXT64, false },
    { "impdef-v8.2", "cortex-a57", IMPDEF, A57 | AM_FEAT_PCSRV8P2, true },
    { "impdef", "neoverse-n1", IMPDEF, N1, true },
};

/* The highest Exception level, where PEs serve their mailboxes */
static const struct level {
    const char *name;
    const char *machine;
    uint64_t feat;
    const char *psci, *nap;     /* NULL: all PEs are on from reset on */
    const char *leave;          /* the loop that gets there from EL2 and EL1 */
    unsigned el;
} levels[] = {
    { "el1", "virt", 0, "psci_hvc", "nap_hvc", NULL, 1 },
    { "el2", "virt,virtualization=on", AM_FEAT_EL2, "psci_smc", "nap_smc", "spin_hvc", 2 },
    { "el3", "virt,secure=on,virtualization=on", AM_FEAT_EL2 | AM_FEAT_EL3, NULL, NULL, "spin_smc",
      3 },
    { "rme", "virt,secure=on,virtualization=on", AM_FEAT_EL2 | AM_FEAT_EL3 | AM_FEAT_RME, NULL,
      NULL, "spin_smc", 3 },
};

#define RME             3       /* its row */

#define COUNT(array)    (sizeof(array) / sizeof((array)[0]))

/*
 * What a walk has chosen for the machine
 */
static const struct set *set;
static const struct level *level;
static struct am_auth auth;
static struct am_pcs_impdef impdef;
static enum { RETENTION, POWER_DOWN, POWER_DOWN_LOCKED } suspend_state;
static bool power_request;      /* EDPRCR keeps a PE in CPU_SUSPEND powered */
static bool shared_power;       /* the Debug power domain goes down with the last PE ... */
static unsigned cluster;        /* ... of this many */
static uint32_t unknown;        /* what the device returns for UNKNOWN */
static bool half_read;          /* EXT64: a half of a register can be read */
static enum { LOW_FIRST, HIGH_FIRST, IN_HALVES } wide_read;     /* EXT32: PMPCSR in one access */
static enum { ABORTS, ZEROS, ONES, HANGS } error_response;
static unsigned late_capture;   /* reads of PMSSSR until a capture that was requested */
static bool gated_clock;
static bool clock_runs;         /* of all blocks */

/*
 * A block and its PE as the model has them, and what else is known of them
 */
static struct subject {
    unsigned cpu;
    struct am_pcs_id id;
    struct am_pe pe;
    struct am_pcs_access conditions;
    struct am_pcsr model;
    struct am_pcs_insn insn;    /* what the PE executes, over and over */
    enum { OFF, SERVES, LOOPS, SLEEPS, SUSPENDED } pe_does;
    bool neighbour_on;
    enum { GOOD, NO_BLOCK, DEVARCH, DEVID, DEVTYPE, CIDR, DEVAFF, LOCK, RELOCK, ERROR, FROZEN,
           CAPTURE } fault;
    unsigned relock_reads;      /* samples that were tried with fault=relock */
    bool requested;             /* EDPRCR.COREPURQ, which the Debug power domain has ... */
    bool copied;                /* ... and CORENPDRQ, which a Cold reset makes what COREPURQ is */
    bool dlk;                   /* OSDLR_EL1.DLK */
    bool state_lost;            /* EDPRSR.SPD */
    bool sc2, sc2_is_new;       /* EDSCR.SC2; it changed since the last sample */
    unsigned sse;               /* PMECR_EL1.SSE */
    uint64_t nc;                /* PMSSCR_EL1.NC */
    bool first_capture;         /* since PMPCSCTL.SS = 1 */
    struct am_impdef_snapshot snapshot;
    unsigned late;              /* reads of PMSSSR to go; 0: none was requested */
    struct counters {
        uint64_t cycles, events;
        uint32_t overflows;
        bool known;
    } counters, saved;          /* of the PMU, which stand still, and of the last snapshot */
    bool could_sample;          /* sampling was possible at the last change */
    bool restarted;             /* it became so, and there was no read since ... */
    uint64_t restart_pc;        /* ... and this is where the PE was then */
} now, other;

static bool two;                /* there is the other one */

static void swap_subjects(void)
{
    struct subject before = now;

    now = other;
    other = before;
}

static void each_subject(void (*act)(void))
{
    act();
    if (two) {
        swap_subjects();
        act();
        swap_subjects();
    }
}

static unsigned step, wrong;
static unsigned outcomes[AM_PCS_LATCHED + 1], captured, uncaptured, debug_resets, suspended;
static unsigned by_suniden;

/*
 * Random numbers: the same ones for the same seed
 */

static uint64_t random_state;

static uint64_t any(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static bool chance(unsigned percent)
{
    return any() % 100 < percent;
}

/*
 * The last steps, which are shown when one differs
 */

#define TOLD 16

static char told[TOLD][100];
static unsigned tells;

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...)
{
    char *line = told[tells++ % TOLD];
    int len = snprintf(line, sizeof(told[0]), "%u, PE %u: ", step, now.cpu);
    va_list ap;

    va_start(ap, format);
    vsnprintf(line + len, sizeof(told[0]) - len, format, ap);
    va_end(ap);
}

static void __attribute__((format(printf, 1, 2))) differs(const char *format, ...)
{
    char text[200];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    if (!wrong++) {
        for (unsigned i = tells > TOLD ? tells - TOLD : 0; i < tells; i++) {
            tap_note("  %s", told[i % TOLD]);
        }
    }
    tap_note("%s at %s, step %u, PE %u: %s", set->name, level->name, step, now.cpu, text);
}

static bool errors_abort(void)
{
    return error_response == ABORTS || error_response == HANGS;
}

static bool is_debug(void)
{
    return now.id.verdict.is == AM_PCS_VIEW_ED;
}

static bool debug_off(void)
{
    return shared_power && now.conditions.core_off && !(cluster == 2 && now.neighbour_on);
}

/* Does each access get an error response, and a write change nothing? */
static bool is_dead(void)
{
    return !clock_runs || now.fault == NO_BLOCK || debug_off();
}

static bool is_accessible(void)
{
    return !is_dead() && am_pcs_accessible(&now.pe, &now.conditions).is;
}

static bool has_impdef(void)
{
    return !strcmp(set->device, IMPDEF);
}

/* The register of a word in the 32-bit view is that of the half in the 64-bit view: I5.3. */
static enum am_pcs_reg register_of_half(unsigned offset)
{
    struct am_pcs_id words = now.id;

    words.verdict.is = AM_PCS_VIEW_EXT32;
    return am_pcs_register_at(&words, offset, 4);
}

static bool is_half(unsigned offset, unsigned bytes)
{
    return now.id.verdict.is == AM_PCS_VIEW_EXT64 && bytes == 4 &&
           register_of_half(offset) != AM_PCS_REG_NONE;
}

static enum am_pcs_reg register_at(unsigned offset, unsigned bytes)
{
    return half_read && is_half(offset, bytes) ? register_of_half(offset) :
           am_pcs_register_at(&now.id, offset, bytes);
}

static unsigned word_size(void)
{
    return now.id.verdict.is == AM_PCS_VIEW_EXT64 ? 8 : 4;
}

/*
 * The PE
 */

/* To be called at each change of the PE, the interface or the controls */
static void note_state(void)
{
    bool can = am_pcs_allowed(&now.pe, &auth).is > 0 &&
               am_pcs_mode(&now.pe, &now.model).is != AM_PCS_SUSPENDED;

    if (can && !now.could_sample) {
        now.restarted = true;
        now.restart_pc = now.insn.pc;
    }
    now.could_sample = can;
    am_pcsr_note_state(&now.model, &now.pe, &auth);
}

/* The PE has gone round its loop since the last step. One that sleeps executes nothing. */
static void run(void)
{
    if (now.pe_does == SERVES || now.pe_does == LOOPS) {
        am_pcsr_retire(&now.model, &now.pe, &auth, &now.insn);
    }
}

static void is_at_home(void)
{
    now.pe_does = SERVES;
    now.pe.el = level->el;
    now.pe.aa32 = 0;
    now.insn.pc = guest_symbol("serve");
    note_state();
    run();
}

static void set_sysreg(const char *function, uint64_t value)
{
    guest_call(now.cpu, function, value);
}

static bool has_snapshots(void)
{
    return am_has(&now.pe, AM_FEAT_PMUV3_SS);
}

/* PMSSE of each level, and who may access the PMU and its snapshots from outside */
static void set_snapshot_controls(uint64_t el3, uint64_t el2, unsigned el1)
{
    if (level->el == 3) {
        now.pe.mdcr_el3 = el3;
        set_sysreg("set_mdcr_el3", el3);
    }
    if (level->el >= 2) {
        now.pe.mdcr_el2 = el2;
        set_sysreg("set_mdcr_el2", el2);
    }
    now.sse = el1;
    set_sysreg("set_s3_0_c9_c14_5", el1 << 3);
}

static uint64_t any_pmsse(void)
{
    return chance(70) ? PMSSE_PASSES_ON : (any() % 4) << 30;
}

static void change_snapshot_controls(void)
{
    uint64_t who = (chance(70) ? EPMSSAD_OPEN : (any() % 4) << 45) | (chance(20) ? EPMAD : 0);

    set_snapshot_controls(any_pmsse() | who, any_pmsse(), chance(60) ? AM_CTL_ON : any() % 4);
    tell("MDCR_EL3 %" PRIx64 ", MDCR_EL2 %" PRIx64 ", SSE = %u", now.pe.mdcr_el3, now.pe.mdcr_el2,
         now.sse);
}

static void set_counters(void)
{
    now.counters.cycles = any();
    now.counters.events = any();
    now.counters.overflows = any() & 1;
    now.counters.known = true;
    set_sysreg("set_pmccntr_el0", now.counters.cycles);
    set_sysreg("set_pmevcntr0_el0", now.counters.events);
    set_sysreg(now.counters.overflows ? "set_pmovsset_el0" : "set_pmovsclr_el0", 1);
}

/* Retention of one PE is enough for the state of the domain. */
static bool debug_state_lost(void)
{
    return debug_off() && !(now.pe_does == SUSPENDED && suspend_state == RETENTION);
}

/* H6.5: no OS Double Lock while EDPRCR.CORENPDRQ is 1 */
static void note_double_lock(void)
{
    now.conditions.double_lock = now.dlk && !now.copied;
}

static void debug_reset(void)
{
    now.conditions.software_locked = set->has_lock;
    now.requested = now.copied = false;
}

/* The Debug power domain gets power if the next PE that does is the first one of its cluster. */
static void debug_powers_up(void)
{
    if (debug_state_lost()) {
        debug_reset();
        debug_resets++;
    }
}

/* A Cold reset of what the block has in the Core power domain, and of the PMU */
static void core_reset(void)
{
    now.sc2 = now.sc2_is_new = false;
    now.state_lost = true;
    now.copied = now.requested;
    note_double_lock();
    now.sse = 0;
    now.nc = 1;
    am_pcsr_reset(&now.model, &now.pe, &impdef, true);
    am_impdef_reset(&now.snapshot);
    now.late = 0;
    now.counters.known = now.saved.known = false;
    now.could_sample = true;
    now.restarted = now.first_capture = false;
}

static void came_out_of_reset(void)
{
    memset(&now.insn, 0, sizeof(now.insn));
    now.insn.branch = true;
    now.pe = (struct am_pe) {
        .feat = set->feat | level->feat,
        .scr_el3 = level->el == 3 ? SCR : 0,
    };
    now.conditions.core_off = false;
    now.conditions.os_lock = true;
    now.dlk = false;
    core_reset();
    if (has_snapshots()) {
        set_snapshot_controls(PMSSE_PASSES_ON | EPMSSAD_OPEN, PMSSE_PASSES_ON, AM_CTL_ON);
    }
    if (has_snapshots() || has_impdef()) {
        set_counters();
    }
    if (level->el >= 2) {
        set_sysreg("set_vttbr_el2", 0);
        set_sysreg("set_vtcr_el2", 0);
        set_sysreg("set_hcr_el2", HCR_RW);
        set_sysreg("set_contextidr_el2", 0);
    }
    set_sysreg("set_contextidr_el1", 0);
    is_at_home();
}

static void cpu_off(unsigned cpu)
{
    guest_start(cpu, level->psci, 0x84000002);
    AWAIT(guest_call(0, level->psci, 0xC4000004, cpu, 0, 0) == 1);
}

static void cpu_on(unsigned cpu)
{
    debug_powers_up();
    guest_forget(cpu);
    guest_call(0, level->psci, 0xC4000003, cpu, guest_symbol("_start"), 0);
    guest_serves(cpu);
}

static void go_off(void)
{
    cpu_off(now.cpu);
    now.pe_does = OFF;
    now.conditions.core_off = true;
    now.state_lost = true;
}

static void go_on(void)
{
    cpu_on(now.cpu);
    came_out_of_reset();
}

static void change_neighbour(void)
{
    if (now.neighbour_on) {
        cpu_off(NEIGHBOUR);
    } else {
        cpu_on(NEIGHBOUR);
    }
    now.neighbour_on = !now.neighbour_on;
    tell("the neighbour goes %s", now.neighbour_on ? "on" : "off");
}

static void set_signal(const char *name, bool value, bool *signal);

/*
 * EL1 uses AArch32, or AArch64 again, as the level above it says. With AArch32 a system call of EL0
 * gets home only if that is EL3: see bounce_vectors.
 */
static void set_el1_to_a32(bool a32)
{
    bool by_el2 = am_el2_enabled(&now.pe);      /* else an EL2 that is disabled uses AArch32, too */

    if (by_el2) {
        now.pe.hcr_el2 = a32 ? 0 : HCR_RW;
        set_sysreg("set_hcr_el2", now.pe.hcr_el2);
    }
    now.pe.scr_el3 = a32 && !by_el2 ? now.pe.scr_el3 & ~SCR_RW : now.pe.scr_el3 | SCR_RW;
    set_sysreg("set_scr_el3", now.pe.scr_el3);
}

/* FEAT_RME is of Armv9, which has AArch32 at EL0 alone. */
static bool el1_can_use_a32(void)
{
    return level->el == 3 && !am_has(&now.pe, AM_FEAT_RME) &&
           (guest_call(now.cpu, "get_id_aa64pfr0_el1") >> 4 & 0xF) == 2;
}

static void go_home(void)
{
    bool a32 = am_uses_aa32(&now.pe, 1);

    if (now.pe_does == LOOPS) {
        guest_stop(now.cpu);
        is_at_home();
        if (a32) {
            set_el1_to_a32(false);
            set_signal("spniden", chance(70), &auth.secure);
        }
    }
}

/* PE 0 is always on. */
static void start_subject(void)
{
    debug_reset();
    now.neighbour_on = now.cpu == 1;
    if (level->psci) {
        go_on();
    } else {
        guest_forget(now.cpu);
        guest_serves(now.cpu);
        came_out_of_reset();
    }
}

static void start_pes(void)
{
    clock_runs = !gated_clock;
    guest_forget(0);
    guest_serves(0);
    guest_call(0, "write32", GICD, 1);
    each_subject(start_subject);
}

static void leave_mailbox(void)
{
    go_home();
    guest_forget(now.cpu);
}

static void reset_machine(void)
{
    each_subject(leave_mailbox);
    machine_reset();
    start_pes();
}

static void set_contexts(void)
{
    uint64_t vmid = any() & 0xFFFF, hcr = HCR_RW;
    bool has_vhe = am_has(&now.pe, AM_FEAT_VHE);

    now.insn.contextidr = any();
    if (level->el == 1) {
        set_sysreg("set_contextidr_el1", now.insn.contextidr);
        return;
    }
    /* With E2H = 1 the names of EL1's registers are those of EL2's */
    set_sysreg("set_hcr_el2", hcr);
    set_sysreg("set_contextidr_el1", now.insn.contextidr);
    now.insn.vmid = vmid;
    now.insn.vs = am_has(&now.pe, AM_FEAT_VMID16) && chance(50);
    set_sysreg("set_vttbr_el2", vmid << 48);
    set_sysreg("set_vtcr_el2", now.insn.vs ? VTCR_VS : 0);
    if (has_vhe) {
        now.insn.contextidr_el2 = any();
        set_sysreg("set_contextidr_el2", now.insn.contextidr_el2);
    }
    hcr |= chance(30) ? HCR_TGE : 0;
    hcr |= has_vhe && chance(50) ? HCR_E2H : 0;
    now.pe.hcr_el2 = hcr;
    set_sysreg("set_hcr_el2", hcr);
}

/* The state below EL3 */
static void set_security_state(void)
{
    uint64_t scr = SCR | (chance(50) ? SCR_NS : 0);

    if (am_has(&now.pe, AM_FEAT_RME) && (scr & SCR_NS) && chance(50)) {
        scr |= SCR_NSE;
    }
    if (am_has(&now.pe, AM_FEAT_SEL2) && chance(50)) {
        scr |= SCR_EEL2;
    }
    now.pe.scr_el3 = scr;
    set_sysreg("set_scr_el3", scr);
}

/* For Secure EL0 under an EL1 that uses AArch32, where the interface does not allow sampling */
static void set_suniden(void)
{
    now.pe.sder = chance(70) ? SUNIDEN : 0;
    set_sysreg("set_sder32_el3", now.pe.sder);
    if (chance(50)) {
        set_signal("spniden", false, &auth.secure);
    }
}

/* From its mailbox to a loop at this or a lower level */
static void go_loop(void)
{
    const char *spin = "spin_ret";
    struct am_pe there = now.pe;
    uint64_t spsr;

    there.el = chance(20) ? 0 : any() % (level->el + 1);
    if (there.el != level->el) {
        bool aa32 = there.el == 0 && chance(60);

        there.aa32 = aa32;
        if (am_pe_check(&there)) {
            return;
        }
        if (aa32 && chance(70) && el1_can_use_a32()) {
            if (chance(60)) {
                now.pe.scr_el3 &= ~SCR_NS;
            }
            set_el1_to_a32(true);
            set_suniden();
            there = now.pe;
            there.el = 0;
            there.aa32 = am_el2_enabled(&now.pe) ? 3 : 7;
        }
        spin = aa32 ? "spin_a32" : there.el ? level->leave : "spin_svc";
        spsr = aa32 ? TO_EL0_A32 : there.el == 2 ? TO_EL2 : there.el == 1 ? TO_EL1 : TO_EL0;
        guest_loop_at(now.cpu, spsr, spin);
    } else {
        guest_loop(now.cpu, spin, 0);
    }
    now.pe = there;
    now.pe_does = LOOPS;
    now.insn.pc = guest_symbol(spin);
    note_state();
    run();
    tell("loops in %s at EL%u, state %u, AArch32 %x, SDER %" PRIx64, spin, now.pe.el,
         am_security_state(&now.pe), now.pe.aa32, now.pe.sder);
}

/* There is no end of this but a reset. */
static void go_to_sleep(void)
{
    guest_start(now.cpu, "sleep_wfi", 0);
    now.insn.pc = guest_symbol("sleep_wfi_end") - 4;
    run();
    now.pe_does = SLEEPS;
    tell("sleeps");
}

/*
 * CPU_SUSPEND, until an SGI comes. An abort tells that the Core power domain is down, so this is
 * for a block that gives none before.
 */
static void suspend(void)
{
    unsigned offset = is_debug() ? ED_CID : PMCID1SR, bytes = word_size();

    if (!is_accessible() || !errors_abort() || now.fault == ERROR ||
        (power_request && (now.requested || now.copied))) {
        return;
    }
    guest_start(now.cpu, level->nap, 0);
    AWAIT(aborts(bytes == 8 ? "read64" : "read32", BLOCK(now.cpu) + offset));
    now.pe_does = SUSPENDED;
    now.conditions.core_off = true;
    now.state_lost |= suspend_state != RETENTION;
    suspended++;
    tell("suspended");
}

static void wake_up(void)
{
    if (suspend_state != RETENTION) {
        debug_powers_up();
    }
    guest_call(0, "write32", GICD + GICD_SGIR, 1U << (16 + now.cpu));
    guest_serves_again(now.cpu);
    now.conditions.core_off = false;
    if (suspend_state != RETENTION) {
        now.conditions.os_lock |= suspend_state == POWER_DOWN_LOCKED;
        core_reset();
    }
    is_at_home();
    tell("wakes up");
}

static void set_os_lock(bool locked)
{
    set_sysreg("set_oslar_el1", locked);
    now.conditions.os_lock = locked;
    tell("OS Lock = %u", locked);
}

static void change_pe(void)
{
    /* It is on for a short time only: a PE that serves its mailbox takes time from the others. */
    if (cluster == 2 && now.cpu != 1 && chance(now.neighbour_on ? 50 : 10)) {
        change_neighbour();
    }
    if (now.pe_does == OFF) {
        tell("goes on");
        go_on();
        return;
    }
    if (now.pe_does == SUSPENDED) {
        if (chance(50)) {
            wake_up();
        }
        return;
    }
    if (now.pe_does == SLEEPS) {
        if (chance(20)) {
            tell("reset");
            reset_machine();
        }
        return;
    }
    go_home();
    if (now.conditions.os_lock && chance(60)) {
        set_os_lock(false);
    }
    switch (any() % 16) {
    case 0:
        set_os_lock(chance(50));
        break;
    case 1:
        if (level->psci && chance(50)) {
            tell("goes off");
            go_off();
        }
        break;
    case 2:
        if (chance(20)) {
            tell("reset");
            reset_machine();
        }
        break;
    case 3:
        if (chance(30)) {
            go_to_sleep();
        }
        break;
    case 4:
        if (!am_has(&now.pe, AM_FEAT_DEBUGV8P1)) {
            now.dlk = chance(30);
            set_sysreg("set_osdlr_el1", now.dlk);
            note_double_lock();
            tell("OSDLR_EL1 = %u", now.dlk);
        }
        break;
    case 5:
        if (has_snapshots()) {
            change_snapshot_controls();
        }
        break;
    case 6 ... 8:
        set_contexts();
        tell("other contexts, HCR_EL2 %" PRIx64, now.pe.hcr_el2);
        break;
    case 9:
        if (level->el == 3) {
            set_security_state();
            tell("SCR_EL3 %" PRIx64, now.pe.scr_el3);
        }
        break;
    case 10:
        if (level->psci) {
            suspend();
        }
        break;
    case 11:
        if (has_snapshots() || has_impdef()) {
            set_counters();
            tell("other counters");
        }
        break;
    default:
        break;
    }
    run();
    if (now.pe_does == SERVES && chance(85)) {
        go_loop();
    }
}

/*
 * The authentication interface
 */

static void set_signal(const char *name, bool value, bool *signal)
{
    *signal = value;
    set_property(name, value ? "true" : "false");
    each_subject(note_state);
    tell("%s = %u", name, value);
}

static void change_auth(void)
{
    if (!auth.noninvasive || chance(20)) {
        set_signal("niden", !auth.noninvasive, &auth.noninvasive);
        return;
    }
    switch (any() % 3) {
    case 0:
        set_signal("spniden", chance(70), &auth.secure);
        break;
    case 1:
        set_signal("rlpniden", chance(70), &auth.realm);
        break;
    case 2:
        set_signal("rtpniden", chance(70), &auth.root);
        break;
    }
}

/* As PMAUTHSTATUS or DBGAUTHSTATUS_EL1 shows it: nothing of a state that is not there */
static void check_auth(void)
{
    struct am_auth seen = am_auth_from_status(rd(now.cpu, PMAUTHSTATUS));
    bool has_el3 = am_has(&now.pe, AM_FEAT_EL3), has_rme = am_has(&now.pe, AM_FEAT_RME);

    if (seen.noninvasive != auth.noninvasive ||
        seen.secure != (has_el3 && auth.noninvasive && auth.secure) ||
        seen.realm != (has_rme && auth.noninvasive && auth.realm) ||
        seen.root != (has_rme && auth.noninvasive && auth.root)) {
        differs("the authentication status is %x", rd(now.cpu, PMAUTHSTATUS));
    }
}

/*
 * Accesses
 */

/* Did the last access by PE 0 get no error response? Where that is an abort, it is this one. */
static bool pe_was_answered(void)
{
    uint64_t esr = guest_esr(0);

    if (esr && !SYNC_EXTERNAL_ABORT(esr)) {
        differs("PE 0 takes an exception with the syndrome %" PRIx64, esr);
    }
    return !esr;
}

/* By qtest, which does not tell an error response, or by PE 0. Returns false for an error. */
static bool bus_access(bool by_pe, unsigned offset, unsigned bytes, uint64_t *value)
{
    uint64_t address = BLOCK(now.cpu) + offset;

    if (by_pe) {
        *value = guest_call(0, bytes == 8 ? "read64" : "read32", address);
        return pe_was_answered();
    }
    *value = bytes == 8 ? bus_read64(address) : bus_read32(address);
    return true;
}

/*
 * Is this what an access gets that the block gives an error response? Zeros and ones may be a value
 * as well, and so may the zeros that qtest reads where a PE takes an abort.
 */
static bool looks_like_error(bool by_pe, unsigned bytes, bool answered, uint64_t value)
{
    if (!errors_abort()) {
        return answered && value == (error_response == ZEROS ? 0 : bytes == 8 ? ~0ULL : NONE);
    }
    return by_pe ? !answered : !value;
}

/* A write by PE 0 to a register that is accessible, or not */
static void pe_write(unsigned offset, unsigned bytes, uint64_t value, bool accessible)
{
    bool answered;

    guest_call(0, bytes == 8 ? "write64" : "write32", BLOCK(now.cpu) + offset, value);
    answered = pe_was_answered();
    tell("PE 0 writes %" PRIx64 " to %x%s", value, offset, answered ? "" : ", error");
    if (answered != (accessible || !errors_abort())) {
        differs("a write to %x %s", offset, answered ? "is answered" : "gives an error");
    }
}

static void bus_write(unsigned offset, unsigned bytes, uint64_t value)
{
    if (bytes == 8) {
        bus_write64(BLOCK(now.cpu) + offset, value);
    } else {
        bus_write32(BLOCK(now.cpu) + offset, value);
    }
    tell("writes %" PRIx64 " to %x", value, offset);
}

/* With fault=relock each 256th sample finds the Software lock closed. */
static void try_sample(void)
{
    if (now.fault == RELOCK && ++now.relock_reads % 256 == 0) {
        now.conditions.software_locked = set->has_lock;
    }
}

/* A fault of the sample registers leaves PMPCSCTL alone. */
static struct am_pcs_read model_read(enum am_pcs_reg reg)
{
    if (is_dead() || (now.fault == ERROR && reg != AM_PCS_REG_CTL)) {
        return (struct am_pcs_read) { .verdict.is = AM_PCS_ERROR };
    }
    if ((reg == AM_PCS_REG_PC || reg == AM_PCS_REG_PC_LO) && is_accessible() &&
        am_pcs_mode(&now.pe, &now.model).is != AM_PCS_ON_SNAPSHOT) {
        try_sample();
    }
    if (is_debug()) {
        return am_edpcsr_read(&now.model, &now.pe, &auth, &now.conditions, reg, now.sc2, false);
    }
    return am_pmpcsr_read(&now.model, &now.pe, &auth, &now.conditions, reg);
}

/* All that a sample has, but for the low word */
static void forget_sample(void)
{
    uint64_t high = PMPCSR_NS | PMPCSR_EL | (PMPCSR_PC & ~0xFFFFFFFFULL);

    if (am_has(&now.pe, AM_FEAT_RME)) {
        high |= PMPCSR_NSE;
    }
    now.model.pmpcsr = am_unknown(high);
    now.model.pmcid1sr = now.model.pmcid2sr = am_unknown(~0U);
    now.model.pmvidsr = am_unknown(0xFFFF);
    now.model.edpcsr_hi = now.model.edcidsr = now.model.edvidsr = am_unknown(~0U);
}

/* The low word has no sample although the model has one. */
static void no_sample(struct am_value low)
{
    if (now.conditions.software_locked) {
        return;
    }
    forget_sample();
    now.model.pmpcsr = am_join(am_high(now.model.pmpcsr), low);
}

/*
 * A PE on its way to sleep is seen anywhere between mailbox and WFI, and for a moment behind it:
 * QEMU stores the address of the next instruction before the PE halts.
 */
static bool is_on_way_to_sleep(uint32_t pc)
{
    return now.pe_does == SLEEPS && (pc_is_in(pc, "sleep_wfi") ||
                                 pc == (uint32_t)guest_symbol("sleep_wfi_end") ||
                                 (pc >= guest_symbol("serve") && pc < guest_symbol("home_el")));
}

/* Does the model permit this? */
static bool permits(struct am_value value, uint64_t seen)
{
    return am_permits(value, seen) ||
           (is_on_way_to_sleep(seen) && am_permits(value, (seen & ~0xFFFFFFFFULL) | now.insn.pc));
}

/* Is the PE where it was when sampling became possible, as far as the device can tell? */
static bool is_where_it_restarted(void)
{
    return now.restarted && (now.insn.pc == now.restart_pc || is_on_way_to_sleep(now.restart_pc));
}

/* After a sample was taken, or tried to be: whether it has made sampling active */
static void note_restart(enum am_why why, unsigned outcome)
{
    if (outcome == AM_PCS_SAMPLE || outcome == AM_PCS_UNKNOWN) {
        now.restarted = why == AM_WHY_PCS_ACTIVATED ||
                    (now.restarted && now.pe_does == SLEEPS);
        now.restart_pc = now.insn.pc;
    }
    now.could_sample = am_pcs_allowed(&now.pe, &auth).is > 0 &&
                   am_pcs_mode(&now.pe, &now.model).is != AM_PCS_SUSPENDED;
}

static void compare_sample(const struct am_pcs_read *read, uint64_t seen)
{
    enum am_pcs_outcome outcome = read->verdict.is;
    bool is_new = outcome == AM_PCS_SAMPLE;
    uint32_t low = seen;

    if (permits(read->value, seen)) {
        outcomes[outcome]++;
        by_suniden += is_new && am_pcs_allowed(&now.pe, &auth).why == AM_WHY_PCS_SUNIDEN;
    } else if (is_new && read->may_be_none && low == NONE) {
        outcomes[AM_PCS_NONE]++;
        no_sample(am_known(NONE));
    } else if (is_new && is_where_it_restarted() && low == unknown) {
        outcomes[AM_PCS_UNKNOWN]++;
        no_sample(am_unknown(NONE));
    } else {
        differs("outcome %u, value %" PRIx64 " but for %" PRIx64 "; the block has %" PRIx64,
                outcome, read->value.value, read->value.unknown, seen);
    }

    note_restart(read->verdict.why, outcome);
    if (now.conditions.software_locked) {
        /* "Since the last read" (H7.1.3) is said of all reads, with side effects or without */
        now.model.new_branch = false;
    } else {
        now.sc2_is_new = false;
    }
}

/* The format of these two is that of the last sample: the manual does not say what else it is. */
static bool is_of_other_format(enum am_pcs_reg reg)
{
    return now.sc2_is_new && (reg == AM_PCS_REG_PC_HI || reg == AM_PCS_REG_VID);
}

static void read_register(unsigned offset, unsigned bytes)
{
    enum am_pcs_reg reg = register_at(offset, bytes);
    bool by_pe = chance(20), answered;
    struct am_pcs_read read;
    uint64_t seen;

    run();
    read = model_read(reg);
    answered = bus_access(by_pe, offset, bytes, &seen);
    tell("reads %u bytes at %x: %" PRIx64 "%s", bytes, offset, seen, answered ? "" : ", error");
    if (read.verdict.is == AM_PCS_ERROR) {
        outcomes[AM_PCS_ERROR]++;
        if (!looks_like_error(by_pe, bytes, answered, seen)) {
            differs("%x answers with %" PRIx64, offset, seen);
        }
        return;
    }
    if (!answered) {
        differs("%x gives an error", offset);
        return;
    }
    switch (read.verdict.is) {
    case AM_PCS_LATCHED:
        outcomes[AM_PCS_LATCHED]++;
        if (!permits(read.value, seen) && !is_of_other_format(reg)) {
            differs("%x is %" PRIx64 " but for %" PRIx64 "; the block has %" PRIx64, offset,
                    read.value.value, read.value.unknown, seen);
        }
        break;
    default:
        compare_sample(&read, seen);
    }
}

/* What is no register of the set has no effect on those that are, and no value. */
static void read_nothing(unsigned offset, unsigned bytes)
{
    bool by_pe = chance(50), answered, is_error;
    uint64_t seen;

    answered = bus_access(by_pe, offset, bytes, &seen);
    is_error = looks_like_error(by_pe, bytes, answered, seen);
    tell("reads nothing of %u bytes at %x: %" PRIx64, bytes, offset, seen);
    if (!is_error && (is_half(offset, bytes) || bytes > word_size() || is_dead())) {
        differs("%u bytes at %x are no register, and answer", bytes, offset);
    }
    if (!is_error && answered && seen && bytes == 4) {
        differs("%x has no register, and the block has %" PRIx64, offset, seen);
    }
}

/*
 * EXT32: one access of 64 bits is one of the low word and one of the high word, in any order: I5.3.
 * wide_read says in which.
 */
static void read_both_words(unsigned offset)
{
    struct am_pcs_read low, high;
    uint64_t seen;

    run();
    high = model_read(AM_PCS_REG_PC_HI);
    low = model_read(AM_PCS_REG_PC_LO);
    if (low.verdict.is == AM_PCS_ERROR) {
        return;
    }
    bus_access(chance(20), offset, 8, &seen);
    tell("reads both words at %x: %" PRIx64, offset, seen);
    if (low.verdict.is == AM_PCS_LATCHED) {
        outcomes[AM_PCS_LATCHED]++;
        if (!permits(low.value, (uint32_t)seen)) {
            differs("low word %" PRIx64 "; the block has %" PRIx64, low.value.value, seen);
        }
    } else {
        compare_sample(&low, (uint32_t)seen);
    }
    if (wide_read == LOW_FIRST) {
        high = model_read(AM_PCS_REG_PC_HI);
    }
    if (!am_permits(high.value, seen >> 32)) {
        differs("high word %" PRIx64 "; the block has %" PRIx64, high.value.value, seen);
    }
}

/* The sample registers in any order, and what lies around them */
static void read_something(void)
{
    static const unsigned debug[] = { ED_LO, ED_LO, ED_LO, ED_CID, ED_VID, ED_HI, 0x9C, 0xB0 };
    unsigned bytes = chance(10) ? 12 - word_size() : word_size();
    unsigned offset;

    if (is_debug()) {
        offset = debug[any() % COUNT(debug)];
    } else if (chance(40)) {
        offset = chance(50) ? 0x200 : 0x220;
    } else {
        offset = chance(5) ? PCSCTL : 0x200 + 4 * (any() % 12);
    }
    offset -= offset % bytes;
    if (register_at(offset, bytes) != AM_PCS_REG_NONE) {
        read_register(offset, bytes);
    } else if (now.id.verdict.is == AM_PCS_VIEW_EXT32 && bytes == 8 && offset % 0x20 == 0 &&
               wide_read != IN_HALVES) {
        read_both_words(offset);
    } else {
        read_nothing(offset, bytes);
    }
}

/* The registers of a sample in the order of a driver */
static void take_sample(void)
{
    static const unsigned words[] = { 0x200, 0x204, 0x208, 0x20C, 0x22C };
    static const unsigned aliases[] = { 0x220, 0x224, 0x228, 0x20C, 0x22C };
    static const unsigned debug[] = { ED_LO, ED_HI, ED_CID, ED_VID };
    static const unsigned wide[] = { 0x200, 0x208, 0x228 };

    if (is_debug()) {
        for (unsigned i = 0; i < COUNT(debug); i++) {
            if (register_at(debug[i], 4) != AM_PCS_REG_NONE) {
                read_register(debug[i], 4);
            }
        }
    } else if (now.id.verdict.is == AM_PCS_VIEW_EXT64) {
        for (unsigned i = 0; i < COUNT(wide); i++) {
            read_register(wide[i], 8);
        }
    } else {
        const unsigned *offsets = chance(50) ? words : aliases;

        for (unsigned i = 0; i < COUNT(words); i++) {
            read_register(offsets[i], 4);
        }
    }
}

static void write_control(void)
{
    static const uint32_t values[] = { 0, PMPCSCTL_EN, PMPCSCTL_EN, CTL_SS, CTL_SS,
                                       CTL_SS | PMPCSCTL_EN, CTL_IMP, ~0U };
    uint32_t value = values[any() % COUNT(values)];
    bool had_ss = now.model.pmpcsctl & CTL_SS;

    bus_write(PCSCTL, word_size(), value);
    if (!is_accessible() || now.conditions.software_locked) {
        return;
    }
    run();
    am_pcsr_write_pmpcsctl(&now.model, &now.pe, value);
    note_state();
    if (!had_ss && (now.model.pmpcsctl & CTL_SS)) {
        now.first_capture = true;
        now.restarted = true;
        now.restart_pc = now.insn.pc;
    }
}

static void write_edscr(void)
{
    bool on = chance(50);

    bus_write(EDSCR, 4, on ? SC2 : 0);
    if (is_accessible() && !now.conditions.software_locked && now.id.has_sc2 &&
        am_has(&now.pe, AM_FEAT_EL2)) {
        now.sc2_is_new |= now.sc2 != on;
        now.sc2 = on;
    }
    if (is_accessible() && !!(rd(now.cpu, EDSCR) & SC2) != now.sc2) {
        differs("EDSCR is %x", rd(now.cpu, EDSCR));
    }
}

static void check_lock(void)
{
    uint32_t status = rd(now.cpu, PMLSR);

    if (status != (set->has_lock ? now.conditions.software_locked ? 3 : 1 : 0)) {
        differs("the lock status is %x", status);
    }
}

static void write_lock(void)
{
    bool open = chance(75);

    bus_write(PMLAR, 4, open ? KEY : any() & 0xFFFF);
    if (set->has_lock) {
        now.conditions.software_locked = !open || now.fault == LOCK;
    }
    check_lock();
}

/* OSLAR_EL1 from outside */
static void write_oslar(void)
{
    bool locked = chance(20);

    bus_write(OSLAR, 4, locked);
    if (!now.conditions.core_off && !now.conditions.double_lock &&
        !now.conditions.software_locked) {
        now.conditions.os_lock = locked;
    }
}

/*
 * What EDPRSR says of the conditions for an access is how the model takes it. A read with power
 * clears SPD, and it is UNPREDICTABLE whether that holds under the OS Double Lock: here it does.
 */
static void check_edprsr(void)
{
    uint32_t status = rd(now.cpu, EDPRSR);
    struct am_pcs_access seen = am_pcs_access_from_edprsr(status);

    tell("EDPRSR is %x", status);
    if (seen.core_off != now.conditions.core_off || !!(status & SPD) != now.state_lost ||
        (!seen.core_off && (seen.double_lock != now.conditions.double_lock ||
                            seen.os_lock != now.conditions.os_lock))) {
        differs("EDPRSR is %x", status);
    }
    if (!now.conditions.core_off && !now.conditions.software_locked) {
        now.state_lost = false;
    }
}

/*
 * CORENPDRQ is UNKNOWN/WI where the Core power domain cannot be accessed (H9.2, EDPRCR), and reads
 * as 0 there.
 */
static void use_edprcr(void)
{
    if (chance(50)) {
        /* A request would power a PE in CPU_SUSPEND, which sleeps on: suspend.c has that. */
        bool asleep = now.pe_does == SUSPENDED && power_request, open = is_accessible();
        uint32_t value = asleep ? 0 : any() & (COREPURQ | CORENPDRQ);

        bus_write(EDPRCR, 4, value);
        if (!now.conditions.software_locked) {
            now.requested = value & COREPURQ;
            now.copied = open ? value & CORENPDRQ : now.copied;
            note_double_lock();
        }
    }
    if (rd(now.cpu, EDPRCR) != ((now.requested ? COREPURQ : 0) |
                           (is_accessible() && now.copied ? CORENPDRQ : 0))) {
        differs("EDPRCR is %x", rd(now.cpu, EDPRCR));
    }
}

/* Then there is no register, not even to open the Software lock, and a write changes nothing. */
static void use_nothing(void)
{
    static const unsigned offsets[] = { PMLAR, PMLSR, PMDEVARCH, PMAUTHSTATUS, EDPRCR, EDPRSR };
    unsigned offset = offsets[any() % COUNT(offsets)];
    bool answered;
    uint64_t seen;

    if (offset == PMLAR || chance(20)) {
        pe_write(offset, 4, KEY, false);
        return;
    }
    answered = bus_access(true, offset, 4, &seen);
    tell("reads %x of a dead block: %" PRIx64, offset, seen);
    if (!looks_like_error(true, 4, answered, seen)) {
        differs("%x of a dead block answers with %" PRIx64, offset, seen);
    }
}

static struct am_pcs_id identity(void)
{
    struct am_pcs_ids ids = {
        .devarch = rd(now.cpu, PMDEVARCH),
        .devtype = rd(now.cpu, PMDEVTYPE),
        .devid = rd(now.cpu, PMDEVID),
        .devid1 = rd(now.cpu, 0xFC4),
    };

    for (unsigned i = 0; i < 4; i++) {
        ids.cidr[i] = rd(now.cpu, 0xFF0 + 4 * i);
    }
    return am_pcs_identify(&ids);
}

/* With EXT64 it is one register. */
static uint64_t devaff(void)
{
    uint64_t address = BLOCK(now.cpu) + PMDEVAFF0;

    return now.id.verdict.is == AM_PCS_VIEW_EXT64 ? bus_read64(address) : rd(now.cpu, PMDEVAFF0);
}

/* A fault of an ID register hides the block, or makes it another PE's. */
static void check_identity(void)
{
    int is = identity().verdict.is;
    bool hidden = now.fault == DEVARCH || now.fault == DEVID || now.fault == DEVTYPE ||
                  now.fault == CIDR;

    if (hidden ? is > 0 : is != now.id.verdict.is) {
        differs("it is identified as view %d", is);
    }
    if (am_pcs_is_of_pe(devaff(), now.cpu) != (now.fault != DEVAFF)) {
        differs("PMDEVAFF is %" PRIx64, devaff());
    }
}

static void set_clock(bool runs)
{
    clock_runs = runs;
    bus_write32(PL061 + PL061_DIR, PL061_PIN5 >> 2);
    bus_write32(PL061 + PL061_PIN5, runs ? PL061_PIN5 >> 2 : 0);
    tell("the clock %s", runs ? "runs" : "stops");
}

/* What the property calls them */
static const char *const faults[] = {
    [GOOD] = "none", [NO_BLOCK] = "no-block", [DEVARCH] = "devarch", [DEVID] = "devid",
    [DEVTYPE] = "devtype", [CIDR] = "cidr", [DEVAFF] = "devaff", [LOCK] = "lock",
    [RELOCK] = "relock", [ERROR] = "error", [FROZEN] = "frozen", [CAPTURE] = "capture",
};

static void set_fault(unsigned fault)
{
    char value[64];

    now.fault = fault;
    snprintf(value, sizeof(value), "\"%s@%u:%s@%u\"", faults[other.fault], two ? other.cpu : 0,
             faults[fault], now.cpu);
    set_property("fault", value);
    tell("fault=%s", faults[fault]);
}

static void read_register(unsigned offset, unsigned bytes);

/* More samples than the Software lock stays open for */
static void try_relock(void)
{
    unsigned offset = is_debug() ? ED_LO : 0x200;

    if (is_dead()) {
        return;
    }
    set_fault(RELOCK);
    for (unsigned i = 0; i < 260; i++) {
        read_register(offset, word_size());
        check_lock();
    }
}

/*
 * What could be sampled first is what each sample shows from then on, wherever the PE is. What the
 * fault does to the rest no manual says, so a reset ends it.
 */
static void try_frozen(void)
{
    unsigned offset = is_debug() ? ED_LO : 0x200;
    uint32_t frozen = NONE, low;
    uint64_t seen;

    if (!is_accessible() || (now.pe_does != SERVES && now.pe_does != LOOPS) ||
        am_pcs_mode(&now.pe, &now.model).is == AM_PCS_ON_SNAPSHOT) {
        return;
    }
    set_fault(FROZEN);
    for (unsigned i = 0; i < 10; i++) {
        go_home();
        go_loop();
        if (frozen == NONE && am_pcs_allowed(&now.pe, &auth).is > 0) {
            frozen = now.insn.pc;
        }
        bus_access(false, offset, word_size(), &seen);
        low = seen;
        tell("reads %" PRIx64, seen);
        if (low != NONE && low != unknown && low != frozen) {
            differs("a block that is frozen in %x has %" PRIx64, frozen, seen);
        }
    }
    set_fault(GOOD);
    reset_machine();
}

static void change_fault(void)
{
    unsigned fault = 1 + any() % (COUNT(faults) - 1);

    if (now.fault != GOOD) {
        set_fault(GOOD);
    } else if (fault == FROZEN) {
        try_frozen();
    } else if (fault == RELOCK) {
        try_relock();
    } else {
        set_fault(fault);
    }
    if (!is_dead()) {
        check_identity();
        write_lock();
    }
}

static void check_control(void)
{
    if (now.id.has_ctl && is_accessible()) {
        read_register(PCSCTL, word_size());
    }
}

/* MDCR_EL3.EPMSSAD = 0b11, or no EL3. PE 0 is in the most secure state there is. */
static bool may_use_snapshots(bool by_pe)
{
    return by_pe || level->el != 3 || (now.pe.mdcr_el3 & EPMSSAD) == EPMSSAD_OPEN;
}

/* Writes 1 to PMSSCR_EL1.SS, from outside or on the PE. Returns false if it gets an error. */
static bool request_capture(void)
{
    bool by_pe = chance(20);

    /* Where the PE was then, if the event took a sample, the test would not know. */
    if (now.pe_does == SERVES && am_pcs_mode(&now.pe, &now.model).is != AM_PCS_ON_SNAPSHOT &&
        chance(50)) {
        set_sysreg("set_s3_0_c9_c13_3", 1);
        tell("the PE requests a capture");
        return true;
    }
    if (!by_pe) {
        bus_write(SSCR, word_size(), 1);
        return may_use_snapshots(false);
    }
    pe_write(SSCR, word_size(), 1, true);
    return true;
}

static void check_saved(unsigned offset, struct am_value value)
{
    bool by_pe = chance(20), answered;
    uint64_t seen;

    answered = bus_access(by_pe, offset, 8, &seen);
    if (!may_use_snapshots(by_pe)) {
        if (!looks_like_error(by_pe, 8, answered, seen)) {
            differs("%x answers with %" PRIx64 " though access is disabled", offset, seen);
        }
    } else if (!am_permits(value, seen)) {
        differs("%x is %" PRIx64 "; the block has %" PRIx64, offset, value.value, seen);
    }
}

/*
 * A Capture event, asked for from outside. Then reads have no side effects, and the low word shows
 * which of the permitted results it has.
 */
static void capture(void)
{
    unsigned bytes = word_size();
    struct am_pcsr before = now.model;
    struct am_pcs_read read;
    struct am_verdict verdict;
    uint64_t low;

    if (now.conditions.core_off || is_dead() || now.fault == ERROR) {
        return;
    }
    run();
    verdict = am_capture_control(&now.pe, now.sse, now.conditions.os_lock, false);
    if (!request_capture()) {
        return;
    }
    if (verdict.is != AM_CAPTURE_DISABLED) {
        now.nc = verdict.is == AM_CAPTURE_PROHIBITED;
    }
    if (verdict.is == AM_CAPTURE_ALLOWED) {
        now.saved = now.counters;
    }
    check_saved(SSCR, am_known(now.nc << 32 | (now.fault == CAPTURE)));
    check_saved(CCNTSVR, now.saved.known ? am_known(now.saved.cycles) : am_unknown(~0ULL));
    check_saved(EVCNTSVR0, now.saved.known ? am_known(now.saved.events) : am_unknown(~0ULL));
    if (verdict.is != AM_CAPTURE_ALLOWED ||
        am_pcs_mode(&now.pe, &now.model).is != AM_PCS_ON_SNAPSHOT) {
        return;
    }

    before = now.model;
    if (am_pcsr_capture(&now.model, &now.pe, &auth).is) {
        captured++;
    } else {
        uncaptured++;
    }
    read = model_read(AM_PCS_REG_PC_LO);
    bus_access(false, 0x200, bytes, &low);
    low = (uint32_t)low;
    if (!permits(am_low(read.value), low)) {
        if (now.first_capture && low == NONE) {
            now.model.pmpcsr = am_join(am_high(before.pmpcsr), am_known(NONE));
            now.model.pmcid1sr = before.pmcid1sr;
            now.model.pmcid2sr = before.pmcid2sr;
            now.model.pmvidsr = before.pmvidsr;
        } else if (is_where_it_restarted() && low == unknown) {
            no_sample(am_unknown(NONE));
        } else {
            differs("a capture: %" PRIx64 " but for %" PRIx64 "; the block has %" PRIx64,
                    read.value.value, read.value.unknown, low);
        }
    }
    if (now.could_sample) {
        now.restarted = now.restarted && now.pe_does == SLEEPS;
        now.restart_pc = now.insn.pc;
    }
    now.first_capture = false;
    take_sample();
}

/* PMPCSSR of a capture that the model has a sample of: it may have none */
static void compare_snapshot(const struct am_pcs_read *read)
{
    enum am_pcs_outcome outcome = read->verdict.is;
    uint32_t low = rd(now.cpu, PMPCSSR_LO);

    if (permits(am_low(now.snapshot.pmpcssr), low)) {
        *(low == NONE ? &uncaptured : &captured) += 1;
    } else if (outcome == AM_PCS_SAMPLE && low == NONE &&
               (read->may_be_none || is_where_it_restarted())) {
        uncaptured++;
        am_impdef_reset(&now.snapshot);
        now.snapshot.nc = false;
        now.snapshot.pmpcssr = am_join(am_high(now.snapshot.pmpcssr), am_known(NONE));
    } else {
        differs("a snapshot: %" PRIx64 " but for %" PRIx64 "; the block has %x",
                now.snapshot.pmpcssr.value, now.snapshot.pmpcssr.unknown, low);
    }
    note_restart(read->verdict.why, outcome);
}

/* The PE has executed its loop meanwhile. */
static void capture_impdef(void)
{
    struct am_pcs_read read;

    run();
    try_sample();
    read = am_impdef_capture(&now.snapshot, &now.model, &now.pe, &auth,
                             !now.conditions.software_locked, true);
    now.saved = now.counters;
    compare_snapshot(&read);
}

/* A register of an IMPLEMENTATION DEFINED snapshot, of the sample or a counter, or another word */
static void read_snapshot_word(unsigned offset)
{
    bool by_pe = chance(20), answered;
    bool accessible = !is_dead() && am_impdef_accessible(&now.pe, &now.conditions).is;
    struct am_pcs_read read = am_impdef_read(&now.snapshot, &now.pe, &now.conditions, offset);
    struct am_value value = am_known(0);
    uint64_t seen;

    answered = bus_access(by_pe, offset, 4, &seen);
    tell("reads %x: %" PRIx64 "%s", offset, seen, answered ? "" : ", error");
    if (!accessible) {
        outcomes[AM_PCS_ERROR]++;
        if (!looks_like_error(by_pe, 4, answered, seen)) {
            differs("%x answers with %" PRIx64, offset, seen);
        }
        return;
    }
    if (!answered) {
        differs("%x gives an error", offset);
    }
    if (read.verdict.is == AM_PCS_LATCHED) {
        outcomes[AM_PCS_LATCHED]++;
        value = read.value;
    } else if (offset == PMCCNTSR_LO) {
        value = am_known((uint32_t)now.saved.cycles);
    } else if (offset == PMCCNTSR_HI) {
        value = am_known(now.saved.cycles >> 32);
    } else if (offset == PMEVCNTSR(0)) {
        value = am_known((uint32_t)now.saved.events);
    } else if (offset == PMOVSSR) {
        value = am_known(now.saved.overflows);
    } else if (offset > PMEVCNTSR(0) && offset < PMEVCNTSR(6)) {
        value = am_unknown(~0U);        /* no one has set these counters */
    }
    if (!now.saved.known && offset >= PMOVSSR && offset < PMEVCNTSR(6)) {
        value = am_unknown(~0U);
    }
    if (!permits(value, seen)) {
        differs("%x is %" PRIx64 " but for %" PRIx64 "; the block has %" PRIx64, offset,
                value.value, value.unknown, seen);
    }
    if (offset == PMSSSR && now.late && !--now.late) {
        capture_impdef();
    }
}

static void read_snapshot(void)
{
    for (unsigned offset = PMPCSSR_LO; offset <= PMEVCNTSR(0); offset += 4) {
        read_snapshot_word(offset);
    }
}

/*
 * A write to a register of the IMPLEMENTATION DEFINED snapshots: PMSSCR.SS = 1 captures, or asks
 * for a capture that comes later.
 */
static void write_snapshot_word(unsigned offset, uint32_t value)
{
    bool accessible = !is_dead() && am_impdef_accessible(&now.pe, &now.conditions).is;

    if (chance(20)) {
        pe_write(offset, 4, value, accessible);
    } else {
        bus_write(offset, 4, value);
    }
    if (!accessible || offset != PMSSCR_IMPDEF || !(value & PMSSCR_IMPDEF_SS)) {
        return;
    }
    now.late = late_capture;
    if (!now.late) {
        capture_impdef();
    }
}

static void use_snapshots(void)
{
    if (chance(10)) {
        write_snapshot_word(PMPCSSR_LO + 4 * (any() % 8), any());
    } else {
        write_snapshot_word(PMSSCR_IMPDEF, chance(10) ? any() & ~1U : any() | 1);
    }
    if (chance(70)) {
        read_snapshot();
    }
}

static void change_block(void)
{
    if (is_dead()) {
        use_nothing();
        return;
    }
    /* As with the OS Lock: closed, it leaves sampling suspended. */
    if (now.conditions.software_locked && chance(60)) {
        write_lock();
        return;
    }
    switch (any() % 9) {
    case 0:
        if (set->has_lock || chance(10)) {
            write_lock();
        }
        break;
    case 1:
        if (is_debug()) {
            write_oslar();
        }
        break;
    case 2:
        if (is_debug()) {
            check_edprsr();
        }
        break;
    case 3:
        check_auth();
        break;
    case 4:
        if (is_debug()) {
            write_edscr();
        }
        break;
    case 5:
        check_identity();
        break;
    case 6:
        if (is_debug()) {
            use_edprcr();
            break;
        }
        /* fall through */
    default:
        if (now.id.has_ctl) {
            write_control();
        }
    }
}

static void one_step(void)
{
    unsigned n = any() % 100;

    if (two && chance(40)) {
        swap_subjects();
    }
    if (gated_clock && chance(clock_runs ? 2 : 25)) {
        set_clock(!clock_runs);
    }
    if (chance(now.fault == GOOD ? 4 : 20)) {
        change_fault();
    }
    if (n < 25) {
        change_pe();
    } else if (n < 32) {
        change_auth();
    } else if (n < 45) {
        change_block();
    } else if (n < 60 && has_snapshots()) {
        if (!(now.model.pmpcsctl & CTL_SS) && chance(40)) {
            write_control();
        }
        capture();
    } else if (n < 55 && has_impdef()) {
        use_snapshots();
    } else if (n < 60 && has_impdef()) {
        read_snapshot_word(PMPCSSR_LO + any() % (PMSSCR_IMPDEF - PMPCSSR_LO + 4) / 4 * 4);
    } else if (n < 80) {
        read_something();
    } else {
        take_sample();
    }
    if (chance(30)) {
        check_control();
    }
}

/*
 * Walks
 */

static void identify(unsigned pcsample, unsigned offset)
{
    bool debug = set->feat & AM_FEAT_PCSRV8, wide = set->feat & AM_FEAT_PMUV3_EXT64;
    int view = debug ? offset == 2 ? AM_PCS_VIEW_ED : AM_RESERVED :
               wide ? AM_PCS_VIEW_EXT64 : AM_PCS_VIEW_EXT32;

    now.id = identity();
    if (now.id.verdict.is != view || now.id.own_frame != !strncmp(set->name, "frame", 5) ||
        now.id.has_ctl != !!(set->feat & AM_FEAT_PCSRV8P9) ||
        now.id.has_snapshot != !!(set->feat & AM_FEAT_PMUV3_SS) ||
        (debug && view != AM_RESERVED && (now.id.has_cid != (pcsample >= 2) ||
                                          now.id.has_vid != (pcsample == 3)))) {
        differs("it is identified as view %d", now.id.verdict.is);
    }
}

static const char *on_off(bool on)
{
    return on ? "on" : "off";
}

static void walk(unsigned steps, uint64_t seed)
{
    static const char *const suspend_states[] = { "retention", "power-down", "power-down-locked" };
    static const char *const wide_reads[] = { "low-first", "high-first", "error" };
    static const char *const error_responses[] = { "abort", "zeros", "ones", "hang" };
    unsigned pcsample = 3, offset = 2, samples;
    bool first_none, repeat_unknown;
    char options[640], more[64] = "";

    /* A walk is the same whether others go before it or not. */
    random_state = (seed * COUNT(sets) + (set - sets)) * COUNT(levels) + (level - levels) + 1;
    for (unsigned i = 0; i < 20; i++) {
        any();
    }
    impdef.imp = chance(70);
    impdef.suspended_at_reset = chance(50);
    first_none = chance(50);
    repeat_unknown = chance(50) && !(set->feat & AM_FEAT_MOPS);
    unknown = any() << 1;
    suspend_state = any() % 3;
    power_request = chance(50);
    half_read = chance(50);
    wide_read = any() % 3;
    error_response = chance(50) ? ABORTS : any() % 4;
    late_capture = has_impdef() && chance(50) ? any() % 4 : 0;
    two = chance(50);
    gated_clock = level->psci && chance(40);    /* else there are two PL061 */
    shared_power = level->psci && chance(75);
    cluster = level->psci ? 1 + any() % 2 : 1;
    if (set->feat & AM_FEAT_PCSRV8) {
        impdef.suspended_at_reset = false;
        pcsample = chance(75) ? 3 : 1 + any() % 2;
        offset = chance(90) ? 2 : any() % 2;
        snprintf(more, sizeof(more), ",pcsample=%u,pcsroffset=%u", pcsample, offset);
    }
    snprintf(options, sizeof(options), "-M %s -cpu %s%s -smp %u -device arm-pcsample,id=pcs,%s%s,"
             "imp=%s,suspended-at-reset=%s,first-read-none=%s,repeat-unknown=%s,unknown=0x%x,"
             "shared-power=%s,cluster=%u,half-read=%s,wide-read=%s,error-response=%s,hang-ms=1,"
             "gated-clock=%s,late-capture=%u",
             level->machine, set->cpu, level->feat & AM_FEAT_RME ? ",x-rme=on" : "",
             level->psci ? 4 : two ? 3 : 2, set->device, more, on_off(impdef.imp),
             on_off(impdef.suspended_at_reset), on_off(first_none), on_off(repeat_unknown),
             unknown, on_off(shared_power), cluster, on_off(half_read), wide_reads[wide_read],
             error_responses[error_response], on_off(gated_clock), late_capture);
    if (level->psci) {
        size_t len = strlen(options);

        snprintf(options + len, sizeof(options) - len, ",cpu-suspend=on,suspend-state=%s,"
                 "power-request=%s", suspend_states[suspend_state], on_off(power_request));
    }

    auth = (struct am_auth) { .noninvasive = true };
    now = (struct subject) { .cpu = FIRST, .conditions.memory_mapped = true };
    other = (struct subject) { .cpu = SECOND, .conditions.memory_mapped = true };
    memset(outcomes, 0, sizeof(outcomes));
    captured = uncaptured = debug_resets = suspended = by_suniden = step = wrong = tells = 0;
    machine_start(options);
    start_pes();
    if (gated_clock) {
        set_clock(true);
    }
    set_signal("spniden", true, &auth.secure);
    set_signal("rlpniden", true, &auth.realm);
    set_signal("rtpniden", true, &auth.root);
    identify(pcsample, offset);
    other.id = now.id;
    if (now.id.verdict.is > 0) {
        for (step = 1; step <= steps && !wrong; step++) {
            one_step();
        }
    }

    samples = outcomes[AM_PCS_SAMPLE] + captured;
    tap_ok(!wrong && (now.id.verdict.is <= 0 || samples >= steps / 100),
           "%s at %s: %u steps from seed %" PRIu64 ": %u samples, %u without, %u UNKNOWN, "
           "%u latched, %u errors, %u captures with and %u without a sample, "
           "%u power cycles of the Debug power domain, %u suspensions, %u by SUNIDEN", set->name,
           level->name, now.id.verdict.is > 0 ? steps : 0, seed, outcomes[AM_PCS_SAMPLE],
           outcomes[AM_PCS_NONE], outcomes[AM_PCS_UNKNOWN], outcomes[AM_PCS_LATCHED],
           outcomes[AM_PCS_ERROR], captured, uncaptured, debug_resets, suspended, by_suniden);
    if (wrong) {
        tap_note("again: emulation/tests/run walk --set %s --level %s --steps %u --seed %" PRIu64,
                 set->name, level->name, steps, seed);
        tap_note("with %s", options);
    }
}

/* FEAT_RME excludes FEAT_PCSRv8, and of these CPU models one has it */
static bool can_have_rme(const struct set *s)
{
    return s->feat & AM_FEAT_SEL2;
}

int main(int argc, char **argv)
{
    const char *only_set = NULL, *only_level = NULL;
    unsigned steps = 250;
    uint64_t seed = 17;
    bool all = false;

    for (int i = 3; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (!strcmp(argv[i], "--all")) {
            all = true;
            continue;
        } else if (!strcmp(argv[i], "--seed")) {
            seed = strtoull(value, NULL, 0);
        } else if (!strcmp(argv[i], "--steps")) {
            steps = strtoul(value, NULL, 0);
        } else if (!strcmp(argv[i], "--set")) {
            only_set = value;
        } else if (!strcmp(argv[i], "--level")) {
            only_level = value;
        } else {
            fprintf(stderr, "walk: unknown option %s: see the top of walk.c\n", argv[i]);
            return 2;
        }
        i++;
    }
    machine_setup(argc > 3 ? 3 : argc, argv);

    for (unsigned i = 0; i < COUNT(sets); i++) {
        set = &sets[i];
        if (only_set && strcmp(only_set, set->name)) {
            continue;
        }
        /* Without --all one level each, another one with the next seed */
        for (unsigned l = 0, possible = can_have_rme(set) ? COUNT(levels) : RME;
             l < possible; l++) {
            level = &levels[l];
            if (only_level ? strcmp(only_level, level->name) :
                             !all && l != (i + seed) % possible) {
                continue;
            }
            walk(steps, seed);
        }
    }
    machine_stop();
    return tap_done();
}
