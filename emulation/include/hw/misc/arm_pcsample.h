/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm PC Sample-based Profiling blocks: external PMU, own frame, or external debug
 *
 * One 4 KiB register block for each vCPU, as software outside the PE sees it. The model follows
 * the Arm Architecture Reference Manual, DDI 0487 issue M.a.a:
 *   H7.1                     PC Sample-based Profiling: when it is allowed, what is UNKNOWN
 *   H9.2                     external debug registers (FEAT_PCSRv8)
 *   I3.1, I5.2, I5.3         external PMU: access permissions, memory map and registers
 *   J1.3                     CreatePCSample(), Read_PMPCSR() and their helpers
 *   D13.9                    PMU snapshots
 *   K5.4                     management registers
 * The debug component is that of an Armv8.0 to Armv8.2 PE, which may have a Software lock and a
 * NIDEN signal, whatever the CPU model of the vCPU is.
 *
 * QEMU interface ("-device arm-pcsample", no bus, TCG only):
 *  + MMIO: the block of vCPU n is at base + n * stride, or where "addresses" says
 *  + for each block a node in the device tree that the guest gets:
 *      pc-sample@ADDRESS { compatible = "arm,pmu-pc-sample"; reg; cpu = <&CPU>; };
 *    or, with block=debug, the node that upstream device trees have:
 *      debug@ADDRESS { compatible = "arm,coresight-cpu-debug", "arm,primecell"; reg;
 *                      clocks; clock-names = "apb_pclk"; cpu = <&CPU>; };
 *
 * Properties that choose the register set:
 *  + "block"               "pmu": external PMU block (FEAT_PCSRv8p2, default); "debug": external
 *                          debug block (FEAT_PCSRv8). EDSCR.SC2 is there if the vCPU has EL2 and
 *                          FEAT_VHE
 *  + "pmu"                 the PMU block has counters (on; vCPUs without a PMU always have the
 *                          PC-sampling-only block of Table H7-1)
 *  + "ext64"               64-bit view of the PMU block (FEAT_PMUv3_EXT64); it has no Software
 *                          lock (off)
 *  + "v8p9"                FEAT_PCSRv8p9: PMPCSCTL (off). The block has FEAT_PMUv3_SS if its vCPU
 *                          has ("-cpu max,pmu-ss=on", target/arm/pmuss.h): PMSSCR_EL1 and what it
 *                          captures, and with v8p9 PMPCSCTL.SS; there is no Software lock then
 *  + "impdef-snapshots"    the IMPLEMENTATION DEFINED PMU snapshots of Cortex-A55 to A78 and
 *                          Neoverse cores of their time, at 0x600 to 0x6F0 (off). Not with "ext64",
 *                          nor with a vCPU that has FEAT_PMUv3_SS. Which core it is, its MIDR_EL1
 *                          says
 *  + "late-capture"        how many reads of PMSSSR after a request still find the snapshot before;
 *                          then the capture is made (0). Nothing says that one is under way
 *  + "imp"                 PMPCSCTL.IMP: EN can be written (on)
 *  + "suspended-at-reset"  state of sampling at Warm reset where PMPCSCTL.EN does not say (off)
 *  + "pcsample"            EDDEVID.PCSample: 1, 2 or 3 (3)
 *  + "pcsroffset"          EDDEVID1.PCSROffset (2)
 *  + "part"                part number in the Peripheral ID; default 0, or 0xD03 with block=debug
 *
 * Properties that shape the hardware:
 *  + "base", "stride"      place of the blocks; default 0x09100000, 4 KiB. Default place is a hole
 *                          in the memory map of the virt machine
 *  + "addresses"           or the address of each vCPU's block, ADDRESS[:ADDRESS]..., as a real
 *                          SoC has them: on top of whatever the virt machine has there
 *  + "software-lock"       the blocks have a Software lock (on)
 *  + "cpu-suspend"         a PE in PSCI CPU_SUSPEND is in a low-power state, where its Core power
 *                          domain cannot be accessed; the device tree offers that idle state (off).
 *                          Not with a GICv3 that has no Security extensions
 *  + "suspend-state"       what CPU_SUSPEND is: "retention" loses nothing (default). From
 *                          "power-down" a PE wakes up with what its Core power domain has for
 *                          profiling as after a Cold reset: the block's registers there, the PMU
 *                          and PMECR_EL1.SSE. All else of the PE stays, as CPU_SUSPEND returns:
 *                          Linux is told of retention, and does not go through cpu_resume(), which
 *                          restores the rest. From "power-down-locked" it wakes up with its OS Lock
 *                          set too, as firmware leaves it on some boards. A CPU_SUSPEND that finds
 *                          an interrupt pending returns at once, and loses nothing
 *  + "power-request"       the power controller honours EDPRCR.{COREPURQ,CORENPDRQ} (on)
 *  + "shared-power"        the Debug power domain goes down with the Core power domain, and
 *                          loses its state unless that is retention of any PE (off)
 *  + "cluster"             number of neighbouring PEs that share one Debug power domain: with
 *                          shared-power it goes down with the last of them (1)
 *  + "gated-clock"         apb_pclk comes through a gate that pin 5 of the virt machine's PL061
 *                          opens, closed at reset; the device tree says so (off)
 *  + "first-read-none"     the first read after a reset of the PE, or after a suspension of
 *                          sampling, returns 0xFFFFFFFF (on), else an UNKNOWN value; so does the
 *                          first capture after PMPCSCTL.SS = 1
 *  + "repeat-unknown"      reads of a PE that has been in WFI since the read before are UNKNOWN,
 *                          as H9.2 permits FEAT_PCSRv8, and I5.3 FEAT_PCSRv8p2; the latter not
 *                          with FEAT_MOPS, says H7.1.3, which is left to who sets this (off)
 *  + "wide-read"           EXT32: 64-bit read of PMPCSR: "low-first" (atomic, default),
 *                          "high-first" (an interconnect split it in the wrong order), "error"
 *  + "half-read"           EXT64: 32-bit reads of 64-bit registers work (off)
 *  + "error-response"      how an error response arrives: "abort" (external abort, default),
 *                          "zeros", "ones", "hang" (the bus stands still until it times out, then
 *                          an external abort)
 *  + "hang-ms"             how long that takes (100)
 *  + "unknown"             32-bit value of registers and fields that are architecturally UNKNOWN
 *
 * Properties that can also be changed while the machine runs (QMP qom-set, HMP qom-set). Migration
 * keeps them, whatever the other side was started with:
 *  + "niden", "spniden", "rlpniden", "rtpniden"
 *                          authentication interface: non-invasive debug enabled at all (on), in
 *                          Secure (off), Realm (off) and Root (off) state
 *  + "fault"               blocks misbehave: NAME[@CPU][:NAME[@CPU]]..., for one vCPU or for all,
 *                          with the names of arm_pcsample_faults[] in arm_pcsample.c
 *
 * Property that says what is wrong from the start:
 *  + "node-fault"          bad device tree, written as "fault" is: "no-cpu" (no cpu property),
 *                          "two-blocks" (one more block and node), "small-reg" (reg is too small),
 *                          "wrong-cpu" (cpu is another vCPU), "shared" (reg is the block of
 *                          another vCPU), "missing" (no node), "disabled" (status), "no-clock"
 *                          (block=debug: no clock, so that the AMBA bus does not open the gate)
 */

#ifndef HW_MISC_ARM_PCSAMPLE_H
#define HW_MISC_ARM_PCSAMPLE_H

#include "exec/memory.h"
#include "hw/qdev-core.h"
#include "qom/object.h"
#include "target/arm/cpu.h"

#define TYPE_ARM_PCSAMPLE "arm-pcsample"
OBJECT_DECLARE_SIMPLE_TYPE(ARMPCSampleState, ARM_PCSAMPLE)

#define TYPE_ARM_PCSAMPLE_BLOCK "arm-pcsample-block"
OBJECT_DECLARE_SIMPLE_TYPE(ARMPCSampleBlock, ARM_PCSAMPLE_BLOCK)

/* A child bus of each vCPU: what sits on it is reset with the PE, by PSCI too */
#define TYPE_ARM_PCSAMPLE_BUS "arm-pcsample-bus"

/* What the PE offers for sampling: type PCSample of J1.3 */
typedef struct ARMPCSample {
    bool valid;
    bool rw;                    /* the PE is in AArch64 state */
    bool has_el2;
    bool el0h;                  /* EL0 of an EL2 host (HCR_EL2.{E2H,TGE} = {1,1}) */
    uint8_t el;
    ARMSecuritySpace ss;
    uint16_t vmid;
    uint32_t contextidr;
    uint32_t contextidr_el2;
    bool contextidr_el2_known;
    uint64_t pc;
} ARMPCSample;

/* A register set: arm_pcsample_pmu.c, arm_pcsample_debug.c */
typedef struct ARMPCSampleSet ARMPCSampleSet;

/*
 * All fields are protected by the BQL: MMIO, exception entry, EL change hooks and reset hold it.
 */
struct ARMPCSampleBlock {
    DeviceState parent_obj;

    MemoryRegion iomem;
    ARMPCSampleState *board;
    const ARMPCSampleSet *set;
    ARMCPU *cpu;

    /* Core power domain: written by a read of the low word */
    uint32_t pc_lo;             /* PMPCSR[31:0], for reads with PMPCSCTL.SS = 1 */
    uint32_t pc_hi;             /* PMPCSR[63:32], EDPCSR[63:32] */
    uint32_t cid1;              /* CONTEXTIDR_EL1: PMCID1SR, EDCIDSR */
    uint32_t cid2;              /* PMCID2SR; EDVIDSR with EDSCR.SC2 = 1 */
    uint32_t vid;               /* PMVIDSR; EDVIDSR with EDSCR.SC2 = 0 */
    bool first_read;            /* no read since reset of the PE */
    bool no_branch;             /* no branch since sampling was prohibited, if PC is restart_pc */
    uint64_t restart_pc;
    bool asleep;                /* the PE was in WFI at the last read, and has not woken up since */
    bool active;                /* sampling is not suspended; with PMPCSCTL.IMP = 1 this is EN */
    bool on_capture;            /* PMPCSCTL.SS: Capture events sample, reads do not */
    bool first_capture;         /* none since SS became 1 */

    /* IMPLEMENTATION DEFINED snapshots: what the last one left */
    struct {
        bool nc;                /* PMSSSR.NC: none since reset of the PE */
        uint8_t late;           /* reads of PMSSSR until the one that was requested; 0: none was */
        uint64_t pc;
        uint32_t cid1, cid2, ovs;
        uint64_t ccnt;
        uint32_t evcnt[31];
    } impdef;

    /* External debug block */
    bool sc2;                   /* EDSCR.SC2; Core power domain, Cold reset */
    bool spd, sr;               /* EDPRSR: powered down, reset since the last read */
    uint32_t edprcr;

    /* Debug power domain */
    bool slk;                   /* PMLSR.SLK, EDLSR.SLK */

    /* The PE between its two EL change hooks: could it be sampled before? */
    bool was_allowed;
    uint64_t vector;            /* where the last exception was taken to */

    /* fault=frozen; @reads: fault=relock, fault=slow */
    bool frozen;
    ARMPCSample frozen_sample;
    uint32_t reads;
};

/* Property "fault" or "node-fault": as it was given, and what it says of each vCPU */
typedef struct ARMPCSampleFaults {
    char *text;
    int *of_cpu;
} ARMPCSampleFaults;

struct ARMPCSampleState {
    DeviceState parent_obj;

    ARMPCSampleBlock **blocks;
    hwaddr *address;            /* of each block */
    uint32_t num_blocks;
    uint32_t num_cpus;
    bool clock_runs;

    uint64_t base;
    uint64_t stride;
    char *addresses;
    uint32_t unknown;
    uint32_t part;
    uint32_t cluster;
    uint32_t hang_ms;
    uint8_t pcsample;
    uint8_t pcsroffset;
    uint8_t late_capture;
    ARMPCSampleFaults faults;
    ARMPCSampleFaults node_faults;
    int block;
    int wide_read;
    int error_response;
    bool software_lock;
    bool pmu;
    bool ext64;
    bool v8p9;
    bool impdef_snapshots;
    bool imp;
    bool suspended_at_reset;
    int suspend_state;
    bool cpu_suspend;
    bool power_request;
    bool shared_power;
    bool gated_clock;
    bool first_read_none;
    bool repeat_unknown;
    bool half_read;
    bool niden;
    bool spniden;
    bool rlpniden;
    bool rtpniden;
};

#endif
