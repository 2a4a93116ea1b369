/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm external PMU block with PC Sample-based Profiling (FEAT_PCSRv8p2, EXT32 view)
 *
 * One 4 KiB register block for each vCPU, as software outside the PE sees it. The model follows
 * the Arm Architecture Reference Manual, DDI 0487 issue M.a.a:
 *   H7.1                     PC Sample-based Profiling: when it is allowed, what is UNKNOWN
 *   I3.1, I5.2, I5.3         access permissions, memory map and registers
 *   J1.3                     CreatePCSample(), Read_PMPCSR() and their helpers
 *   K5.4                     management registers
 * The debug component is that of an Armv8.2 PE, which may have a Software lock and a NIDEN
 * signal, whatever the CPU model of the vCPU is.
 *
 * QEMU interface ("-device arm-pcsample", no bus, TCG only):
 *  + MMIO: the block of vCPU n is at base + n * stride
 *  + for each block a node in the device tree that the guest gets:
 *      pc-sample@ADDRESS { compatible = "arm,pmu-pc-sample"; reg; cpu = <&CPU>; };
 *
 * Properties that shape the hardware:
 *  + "base", "stride"      place of the blocks; default 0x09100000, 4 KiB. Default place is a hole
 *                          in the memory map of the virt machine
 *  + "software-lock"       the blocks have a Software lock (on)
 *  + "pmu"                 the block is a PMU with its counters (on; vCPUs without a PMU always
 *                          have the PC-sampling-only block of Table H7-1)
 *  + "cpu-suspend"         a PE in PSCI CPU_SUSPEND is in a low-power state, where its Core power
 *                          domain cannot be accessed; the device tree offers that idle state (off).
 *                          Not with a GICv3 that has no Security extensions
 *  + "shared-power"        the Debug power domain goes down with the Core power domain (off)
 *  + "first-read-none"     the first read after a reset of the PE returns 0xFFFFFFFF (on)
 *  + "wide-read"           64-bit read of PMPCSR: "low-first" (atomic, default), "high-first" (an
 *                          interconnect split it in the wrong order), "error"
 *  + "error-response"      how an error response arrives: "abort" (external abort, default),
 *                          "zeros", "ones"
 *  + "unknown"             32-bit value of registers and fields that are architecturally UNKNOWN
 *
 * Properties that can also be changed while the machine runs (QMP qom-set, HMP qom-set):
 *  + "niden", "spniden", "rlpniden", "rtpniden"
 *                          authentication interface: non-invasive debug enabled at all (on), in
 *                          Secure (off), Realm (off) and Root (off) state
 *  + "fault"               blocks misbehave: NAME[@CPU][:NAME[@CPU]]..., for one vCPU or for all,
 *                          with the names of arm_pcsample_faults[] in arm_pcsample.c
 *
 * Property that says what is wrong from the start:
 *  + "node-fault"          bad device tree, written as "fault" is: "no-cpu" (no cpu property),
 *                          "two-blocks" (one more block and node), "small-reg" (reg is too small)
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

/*
 * All fields are protected by the BQL: MMIO, exception entry, EL change hooks and reset hold it.
 */
struct ARMPCSampleBlock {
    DeviceState parent_obj;

    MemoryRegion iomem;
    ARMPCSampleState *board;
    ARMCPU *cpu;

    /* Core power domain: written by a read of PMPCSR[31:0] */
    uint32_t pmpcsr_hi;
    uint32_t pmcid1sr;
    uint32_t pmcid2sr;
    uint32_t pmvidsr;
    bool first_read;            /* no read since reset of the PE */
    bool no_branch;             /* no branch since sampling was prohibited, if PC is restart_pc */
    uint64_t restart_pc;

    /* Debug power domain */
    bool slk;                   /* PMLSR.SLK */

    /* The PE between the two EL change hooks of an exception return: its state before */
    bool el_changing;
    ARMPCSample before;
    uint64_t vector;            /* where the last exception was taken to */

    /* fault=frozen */
    bool frozen;
    ARMPCSample frozen_sample;
};

/* Property "fault" or "node-fault": as it was given, and what it says of each vCPU */
typedef struct ARMPCSampleFaults {
    char *text;
    int *of_cpu;
} ARMPCSampleFaults;

struct ARMPCSampleState {
    DeviceState parent_obj;

    ARMPCSampleBlock **blocks;
    uint32_t num_blocks;
    uint32_t num_cpus;

    uint64_t base;
    uint64_t stride;
    uint32_t unknown;
    ARMPCSampleFaults faults;
    ARMPCSampleFaults node_faults;
    int wide_read;
    int error_response;
    bool software_lock;
    bool pmu;
    bool cpu_suspend;
    bool shared_power;
    bool first_read_none;
    bool niden;
    bool spniden;
    bool rlpniden;
    bool rtpniden;
};

#endif
