/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm PC-sample blocks: where they are, what the guest is told of them, and what is wrong with them
 *
 * See include/hw/misc/arm_pcsample.h for the interface.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/cutils.h"
#include "qemu/main-loop.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "exec/address-spaces.h"
#include "hw/boards.h"
#include "hw/core/cpu.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/device_tree.h"
#include "system/reset.h"
#include "system/tcg.h"
#include "arm_pcsample_internal.h"
#include "trace.h"

#include <libfdt.h>

static const char *const arm_pcsample_faults[] = {
    [FAULT_NONE] = "none",
    [FAULT_NO_BLOCK] = "no-block",
    [FAULT_DEVARCH] = "devarch",
    [FAULT_DEVID] = "devid",
    [FAULT_DEVTYPE] = "devtype",
    [FAULT_CIDR] = "cidr",
    [FAULT_DEVAFF] = "devaff",
    [FAULT_LOCK] = "lock",
    [FAULT_RELOCK] = "relock",
    [FAULT_ERROR] = "error",
    [FAULT_FROZEN] = "frozen",
    [FAULT_CAPTURE] = "capture",
    [FAULT_SLOW] = "slow",
};

/* Values of the "node-fault" property */
enum {
    NODE_GOOD, NODE_NO_CPU, NODE_TWO_BLOCKS, NODE_SMALL_REG, NODE_WRONG_CPU, NODE_SHARED,
    NODE_MISSING, NODE_DISABLED, NODE_NO_CLOCK,
};

static const char *const arm_pcsample_node_faults[] = {
    [NODE_GOOD] = "none",
    [NODE_NO_CPU] = "no-cpu",
    [NODE_TWO_BLOCKS] = "two-blocks",
    [NODE_SMALL_REG] = "small-reg",
    [NODE_WRONG_CPU] = "wrong-cpu",
    [NODE_SHARED] = "shared",
    [NODE_MISSING] = "missing",
    [NODE_DISABLED] = "disabled",
    [NODE_NO_CLOCK] = "no-clock",
};

/* Values of the "block" property */
enum { BLOCK_PMU, BLOCK_DEBUG };

static const char *const arm_pcsample_block_names[] = {
    [BLOCK_PMU] = "pmu",
    [BLOCK_DEBUG] = "debug",
};

static const char *const arm_pcsample_suspend_states[] = {
    [SUSPEND_RETENTION] = "retention",
    [SUSPEND_POWER_DOWN] = "power-down",
    [SUSPEND_POWER_DOWN_LOCKED] = "power-down-locked",
};

static const char *const arm_pcsample_wide_reads[] = {
    [WIDE_LOW_FIRST] = "low-first",
    [WIDE_HIGH_FIRST] = "high-first",
    [WIDE_ERROR] = "error",
};

/* Values of the "error-response" property */
enum { ERROR_ABORT, ERROR_ZEROS, ERROR_ONES, ERROR_HANG };

static const char *const arm_pcsample_error_responses[] = {
    [ERROR_ABORT] = "abort",
    [ERROR_ZEROS] = "zeros",
    [ERROR_ONES] = "ones",
    [ERROR_HANG] = "hang",
};

#define ENUM_LOOKUP(name, names)                                                \
    static const QEnumLookup name##_lookup = {                                  \
        .array = names,                                                         \
        .size = ARRAY_SIZE(names),                                              \
    };

ENUM_LOOKUP(fault, arm_pcsample_faults)
ENUM_LOOKUP(node_fault, arm_pcsample_node_faults)

bool arm_pcsample_has_fault(const ARMPCSampleBlock *b, int fault)
{
    const ARMPCSampleState *s = b->board;

    return s->faults.of_cpu[CPU(b->cpu)->cpu_index] == fault;
}

/*
 * "NAME[@CPU][:NAME[@CPU]]...": what is wrong with one vCPU's block, or with all of them. Returns
 * false if a name is none of @names or there is no such vCPU.
 */
static bool parse_faults(ARMPCSampleFaults *faults, unsigned num_cpus, const QEnumLookup *names,
                         Error **errp)
{
    g_auto(GStrv) words = g_strsplit(faults->text ?: "none", ":", -1);
    g_autofree int *of_cpu = g_new0(int, num_cpus);

    for (char **word = words; *word; word++) {
        char *at = strchr(*word, '@');
        unsigned cpu, first = 0, last = num_cpus - 1;
        int fault;

        if (at) {
            *at++ = '\0';
            if (qemu_strtoui(at, NULL, 10, &first) || first >= num_cpus) {
                error_setg(errp, "%s: there is no vCPU %s", TYPE_ARM_PCSAMPLE, at);
                return false;
            }
            last = first;
        }
        fault = qapi_enum_parse(names, *word, -1, errp);
        if (fault < 0) {
            return false;
        }
        for (cpu = first; cpu <= last; cpu++) {
            of_cpu[cpu] = fault;
        }
    }
    g_free(faults->of_cpu);
    faults->of_cpu = g_steal_pointer(&of_cpu);
    return true;
}

/*
 * Management registers that all register sets have: K5.4
 */

/*
 * The invasive fields read as zero in PMAUTHSTATUS, and as disabled in DBGAUTHSTATUS_EL1: nobody
 * debugs here.
 */
uint32_t arm_pcsample_authstatus(const ARMPCSampleBlock *b, bool invasive)
{
    const ARMPCSampleState *s = b->board;
    unsigned off = PMAUTHSTATUS_DISABLED;
    unsigned on = s->niden ? PMAUTHSTATUS_ENABLED : off;
    uint32_t r = FIELD_PREP(PMAUTHSTATUS_NSNID, on) | (invasive ? off : 0);

    if (arm_pcsample_have_secure_state(b)) {
        r |= FIELD_PREP(PMAUTHSTATUS_SNID, s->spniden ? on : off) |
             (invasive ? off << 4 : 0);
    }
    if (arm_pcsample_have_rme(b)) {
        r |= FIELD_PREP(PMAUTHSTATUS_RLNID, s->rlpniden ? on : off) |
             FIELD_PREP(PMAUTHSTATUS_RTNID, s->rtpniden ? on : off);
    }
    return r;
}

/* PMDEVAFF, EDDEVAFF */
uint64_t arm_pcsample_devaff(const ARMPCSampleBlock *b)
{
    uint64_t aff = arm_cpu_mp_affinity(b->cpu);

    if (arm_pcsample_has_fault(b, FAULT_DEVAFF)) {
        aff ^= 1;
    }
    return (aff & PMDEVAFF_AFF) | BIT_ULL(31);
}

/* Peripheral ID: designer Arm (JEP106 0x43B). Component class 9, CoreSight. */
uint32_t arm_pcsample_component_id(const ARMPCSampleBlock *b, hwaddr offset)
{
    uint32_t part = b->board->part;
    const uint8_t pidr[] = { part, 0xB0 | part >> 8, 0x0B, 0x00 };
    static const uint8_t cidr[] = { 0x0D, 0x90, 0x05, 0xB1 };

    switch (offset) {
    case PMPIDR4:
        return 0x04;
    case PMPIDR0 ... PMPIDR3:
        return pidr[(offset - PMPIDR0) / 4];
    case PMCIDR0 ... PMCIDR3:
        return arm_pcsample_has_fault(b, FAULT_CIDR) ? 0xFF : cidr[(offset - PMCIDR0) / 4];
    default:
        return 0;
    }
}

/* PMLSR, EDLSR */
uint32_t arm_pcsample_lsr(const ARMPCSampleBlock *b)
{
    return b->board->software_lock ? PMLSR_SLI | (b->slk ? PMLSR_SLK : 0) : 0;
}

/* PMLAR, EDLAR */
void arm_pcsample_write_lar(ARMPCSampleBlock *b, uint32_t value)
{
    if (b->board->software_lock) {
        b->slk = value != PMLAR_KEY || arm_pcsample_has_fault(b, FAULT_LOCK);
    }
}

/*
 * Accesses
 */

static const char *access_error(const ARMPCSampleBlock *b, hwaddr offset, unsigned size,
                                MemTxAttrs attrs)
{
    if (arm_pcsample_has_fault(b, FAULT_NO_BLOCK)) {
        return "no block (fault)";
    }
    if (!b->board->clock_runs) {
        return "apb_pclk is stopped";
    }
    if (!arm_pcsample_debug_powered(b)) {
        return "Debug power domain is off";
    }
    return b->set->access_error(b, offset, size, attrs);
}

static MemTxResult error_response(const ARMPCSampleBlock *b, hwaddr offset,
                                  uint64_t *data, const char *why)
{
    trace_arm_pcsample_error(CPU(b->cpu)->cpu_index, offset, why);
    switch (b->board->error_response) {
    case ERROR_ZEROS:
        *data = 0;
        return MEMTX_OK;
    case ERROR_ONES:
        *data = ~0ULL;
        return MEMTX_OK;
    case ERROR_HANG:
        /* With the BQL: whoever else uses the interconnect waits too */
        g_usleep(b->board->hang_ms * 1000);
        *data = 0;
        return MEMTX_ERROR;
    default:
        *data = 0;
        return MEMTX_ERROR;
    }
}

/* fault=slow: only the reader waits. Without the BQL the PE that is sampled goes on meanwhile. */
static void take_long(ARMPCSampleBlock *b)
{
    if (arm_pcsample_has_fault(b, FAULT_SLOW) && ++b->reads % 64 < 8) {
        bql_unlock();
        g_usleep(100);
        bql_lock();
    }
}

static MemTxResult arm_pcsample_read(void *opaque, hwaddr offset, uint64_t *data,
                                     unsigned size, MemTxAttrs attrs)
{
    ARMPCSampleBlock *b = opaque;
    const char *why = access_error(b, offset, size, attrs);

    if (why) {
        return error_response(b, offset, data, why);
    }
    take_long(b);
    *data = b->set->read(b, offset, size);
    trace_arm_pcsample_read(CPU(b->cpu)->cpu_index, offset, *data, size);
    return MEMTX_OK;
}

static MemTxResult arm_pcsample_write(void *opaque, hwaddr offset, uint64_t data,
                                      unsigned size, MemTxAttrs attrs)
{
    ARMPCSampleBlock *b = opaque;
    const char *why = access_error(b, offset, size, attrs);

    trace_arm_pcsample_write(CPU(b->cpu)->cpu_index, offset, data, size);
    if (why) {
        return error_response(b, offset, &data, why);
    }
    b->set->write(b, offset, data, size);
    return MEMTX_OK;
}

static const MemoryRegionOps arm_pcsample_ops = {
    .read_with_attrs = arm_pcsample_read,
    .write_with_attrs = arm_pcsample_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.min_access_size = 4,
    .impl.max_access_size = 8,
    .valid.min_access_size = 4,
    .valid.max_access_size = 8,
};

/*
 * The block as a device on a bus of its PE
 */

static void debug_domain_reset(ARMPCSampleBlock *b)
{
    b->slk = b->board->software_lock;
    b->edprcr = 0;
}

/* The Debug power domain gets power, and an External debug reset: H6.7 */
static void debug_domain_powers_up(const ARMPCSampleBlock *b)
{
    const ARMPCSampleState *s = b->board;

    for (unsigned i = 0; i < s->num_blocks; i++) {
        if (arm_pcsample_same_cluster(b, s->blocks[i])) {
            debug_domain_reset(s->blocks[i]);
        }
    }
}

static void core_domain_reset(ARMPCSampleBlock *b)
{
    const ARMPCSampleState *s = b->board;

    b->set->cold_reset(b);
    b->first_read = true;
    b->no_branch = false;
    b->asleep = false;
    b->active = s->v8p9 && s->imp ? false : !s->suspended_at_reset;
    b->on_capture = false;
    b->first_capture = false;
    memset(&b->impdef, 0, sizeof(b->impdef));
    b->impdef.nc = true;
}

/*
 * The Core power domain gets power, and a Cold reset, before it counts as on. So does the Debug
 * power domain, if this PE is the first of its cluster.
 */
void arm_pcsample_powers_up(ARMPCSampleBlock *b)
{
    core_domain_reset(b);
    if (arm_pcsample_debug_state_lost(b)) {
        debug_domain_powers_up(b);
    }
}

static void arm_pcsample_block_reset_hold(Object *obj, ResetType type)
{
    ARMPCSampleBlock *b = ARM_PCSAMPLE_BLOCK(obj);

    arm_pcsample_powers_up(b);
    b->frozen = false;
}

static const VMStateDescription vmstate_arm_pcsample_sample = {
    .name = TYPE_ARM_PCSAMPLE_BLOCK "/sample",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(valid, ARMPCSample),
        VMSTATE_BOOL(rw, ARMPCSample),
        VMSTATE_BOOL(has_el2, ARMPCSample),
        VMSTATE_BOOL(el0h, ARMPCSample),
        VMSTATE_UINT8(el, ARMPCSample),
        VMSTATE_UINT32(ss, ARMPCSample),
        VMSTATE_UINT16(vmid, ARMPCSample),
        VMSTATE_UINT32(contextidr, ARMPCSample),
        VMSTATE_UINT32(contextidr_el2, ARMPCSample),
        VMSTATE_BOOL(contextidr_el2_known, ARMPCSample),
        VMSTATE_UINT64(pc, ARMPCSample),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_arm_pcsample_block = {
    .name = TYPE_ARM_PCSAMPLE_BLOCK,
    .version_id = 6,
    .minimum_version_id = 6,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(pc_lo, ARMPCSampleBlock),
        VMSTATE_UINT32(pc_hi, ARMPCSampleBlock),
        VMSTATE_UINT32(cid1, ARMPCSampleBlock),
        VMSTATE_UINT32(cid2, ARMPCSampleBlock),
        VMSTATE_UINT32(vid, ARMPCSampleBlock),
        VMSTATE_BOOL(first_read, ARMPCSampleBlock),
        VMSTATE_BOOL(no_branch, ARMPCSampleBlock),
        VMSTATE_UINT64(restart_pc, ARMPCSampleBlock),
        VMSTATE_BOOL(asleep, ARMPCSampleBlock),
        VMSTATE_BOOL(active, ARMPCSampleBlock),
        VMSTATE_BOOL(on_capture, ARMPCSampleBlock),
        VMSTATE_BOOL(first_capture, ARMPCSampleBlock),
        VMSTATE_BOOL(impdef.nc, ARMPCSampleBlock),
        VMSTATE_UINT8(impdef.late, ARMPCSampleBlock),
        VMSTATE_UINT64(impdef.pc, ARMPCSampleBlock),
        VMSTATE_UINT32(impdef.cid1, ARMPCSampleBlock),
        VMSTATE_UINT32(impdef.cid2, ARMPCSampleBlock),
        VMSTATE_UINT32(impdef.ovs, ARMPCSampleBlock),
        VMSTATE_UINT64(impdef.ccnt, ARMPCSampleBlock),
        VMSTATE_UINT32_ARRAY(impdef.evcnt, ARMPCSampleBlock, 31),
        VMSTATE_BOOL(sc2, ARMPCSampleBlock),
        VMSTATE_BOOL(spd, ARMPCSampleBlock),
        VMSTATE_BOOL(sr, ARMPCSampleBlock),
        VMSTATE_UINT32(edprcr, ARMPCSampleBlock),
        VMSTATE_BOOL(slk, ARMPCSampleBlock),
        VMSTATE_BOOL(frozen, ARMPCSampleBlock),
        VMSTATE_STRUCT(frozen_sample, ARMPCSampleBlock, 1, vmstate_arm_pcsample_sample,
                       ARMPCSample),
        VMSTATE_UINT32(reads, ARMPCSampleBlock),
        /*
         * Between translation blocks the PE is in no exception return, and no exception waits to be
         * taken: @was_allowed and @vector are dead.
         */
        VMSTATE_END_OF_LIST()
    }
};

static void arm_pcsample_block_realize(DeviceState *dev, Error **errp)
{
    ARMPCSampleBlock *b = ARM_PCSAMPLE_BLOCK(dev);

    b->cpu = ARM_CPU(dev->parent_bus->parent);
    memory_region_init_io(&b->iomem, OBJECT(dev), &arm_pcsample_ops, b,
                          TYPE_ARM_PCSAMPLE_BLOCK, PCSR_BLOCK_SIZE);
    arm_pcsample_watch(b);
    if (b->set->watch) {
        b->set->watch(b);
    }
}

static void arm_pcsample_block_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->realize = arm_pcsample_block_realize;
    dc->vmsd = &vmstate_arm_pcsample_block;
    dc->bus_type = TYPE_ARM_PCSAMPLE_BUS;
    dc->desc = "Arm PC-sample block of one PE";
    dc->user_creatable = false;
    dc->hotpluggable = false;
    rc->phases.hold = arm_pcsample_block_reset_hold;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

/*
 * The board: places the blocks and describes them to the guest
 */

#define CLOCK_PIN   5

static void set_clock(void *opaque, int n, int level)
{
    ARM_PCSAMPLE(opaque)->clock_runs = level;
}

static bool connect_clock(ARMPCSampleState *s, Error **errp)
{
    Object *pl061 = object_resolve_path_type("", "pl061", NULL);

    if (!pl061) {
        error_setg(errp, "%s: gated-clock needs a machine with one PL061", TYPE_ARM_PCSAMPLE);
        return false;
    }
    qdev_connect_gpio_out(DEVICE(pl061), CLOCK_PIN, qdev_get_gpio_in_named(DEVICE(s), "clock", 0));
    return true;
}

/* "addresses", or base and stride. There is room for a second block of each vCPU. */
static bool find_addresses(ARMPCSampleState *s, Error **errp)
{
    g_auto(GStrv) words = g_strsplit(s->addresses ?: "", ":", -1);
    unsigned i;

    s->address = g_new0(hwaddr, 2 * s->num_cpus);
    for (i = 0; i < 2 * s->num_cpus; i++) {
        s->address[i] = s->base + i * s->stride;
    }
    if (!s->addresses) {
        return true;
    }
    if (g_strv_length(words) != s->num_cpus) {
        error_setg(errp, "%s: %u addresses for %u vCPUs", TYPE_ARM_PCSAMPLE,
                   g_strv_length(words), s->num_cpus);
        return false;
    }
    for (i = 0; i < s->num_cpus; i++) {
        uint64_t address;

        if (qemu_strtou64(words[i], NULL, 16, &address) || address % PCSR_BLOCK_SIZE) {
            error_setg(errp, "%s: '%s' is no hexadecimal multiple of 0x%x", TYPE_ARM_PCSAMPLE,
                       words[i], PCSR_BLOCK_SIZE);
            return false;
        }
        s->address[i] = address;
    }
    return true;
}

static bool map_block(ARMPCSampleState *s, unsigned index, ARMCPU *cpu, Error **errp)
{
    hwaddr addr = s->address[index];
    MemoryRegion *sysmem = get_system_memory();
    MemoryRegionSection there = memory_region_find(sysmem, addr, PCSR_BLOCK_SIZE);
    bool overlaps = there.mr && (!s->addresses || there.mr->ram || there.mr->ops ==
                                 &arm_pcsample_ops);
    ARMPCSampleBlock *b;
    BusState *bus;

    if (overlaps) {
        error_setg(errp, "%s: block %u at 0x%" HWADDR_PRIx " overlaps '%s'; "
                   "choose another place", TYPE_ARM_PCSAMPLE, index, addr,
                   memory_region_name(there.mr));
    }
    if (there.mr) {
        memory_region_unref(there.mr);
    }
    if (overlaps) {
        return false;
    }

    bus = QLIST_FIRST(&DEVICE(cpu)->child_bus);
    if (!bus || !object_dynamic_cast(OBJECT(bus), TYPE_ARM_PCSAMPLE_BUS)) {
        bus = qbus_new(TYPE_ARM_PCSAMPLE_BUS, DEVICE(cpu), "pc-sample");
        if (!qbus_realize(bus, errp)) {
            return false;
        }
    }
    b = ARM_PCSAMPLE_BLOCK(qdev_new(TYPE_ARM_PCSAMPLE_BLOCK));
    object_property_add_child(OBJECT(s), "block[*]", OBJECT(b));
    b->board = s;
    b->set = s->block == BLOCK_DEBUG ? &arm_pcsample_debug : &arm_pcsample_pmu;
    s->blocks[index] = b;
    if (!qdev_realize_and_unref(DEVICE(b), bus, errp)) {
        return false;
    }
    /* With "addresses" on top of the virt machine's flash, PCIe or platform bus */
    memory_region_add_subregion_overlap(sysmem, addr, &b->iomem, 1);
    return true;
}

/* phandle of the device tree's node of a vCPU; it may have none yet */
static uint32_t cpu_phandle(void *fdt, int cpu_index)
{
    g_autofree char *path = g_strdup_printf("/cpus/cpu@%d", cpu_index);
    int node = fdt_path_offset(fdt, path);
    uint32_t phandle = node >= 0 ? fdt_get_phandle(fdt, node) : 0;

    if (!phandle && node >= 0) {
        phandle = qemu_fdt_alloc_phandle(fdt);
        qemu_fdt_setprop_cell(fdt, path, "phandle", phandle);
    }
    return phandle;
}

/* The phandle of a node that the virt machine has made */
static uint32_t phandle_of(void *fdt, const char *compatible)
{
    int node = fdt_node_offset_by_compatible(fdt, -1, compatible);

    return node >= 0 ? fdt_get_phandle(fdt, node) : 0;
}

/* A gate for apb_pclk at pin CLOCK_PIN of the PL061. Returns its phandle. */
static uint32_t describe_gate(void *fdt)
{
    const char *node = "/pc-sample-clock";
    uint32_t phandle = qemu_fdt_alloc_phandle(fdt);

    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", "gpio-gate-clock");
    qemu_fdt_setprop_cell(fdt, node, "clocks", phandle_of(fdt, "fixed-clock"));
    qemu_fdt_setprop_cell(fdt, node, "#clock-cells", 0);
    qemu_fdt_setprop_cells(fdt, node, "enable-gpios", phandle_of(fdt, "arm,pl061"), CLOCK_PIN, 0);
    qemu_fdt_setprop_cell(fdt, node, "phandle", phandle);
    return phandle;
}

/* Firmware says so in the node, for there is no other way to know (MDCR_EL3.EPMSSAD) */
static bool snapshots_are_open(const ARMCPU *cpu)
{
    return cpu->env.profexc.has_pmu_ss && cpu->env.profexc.pmu_ss_delegated;
}

static void describe_block(const ARMPCSampleState *s, void *fdt, unsigned index, uint32_t clock)
{
    static const char debug_compatible[] = "arm,coresight-cpu-debug\0arm,primecell";
    bool debug = s->block == BLOCK_DEBUG;
    unsigned cpu_index = CPU(s->blocks[index]->cpu)->cpu_index;
    int fault = s->node_faults.of_cpu[cpu_index];
    hwaddr addr = s->address[fault == NODE_SHARED ? (index + 1) % s->num_cpus : index];
    g_autofree char *node = g_strdup_printf("/%s@%" HWADDR_PRIx "%s",
                                            debug ? "debug" : "pc-sample", addr,
                                            fault == NODE_SHARED ? ",1" : "");
    uint64_t size = PCSR_BLOCK_SIZE;

    if (fault == NODE_MISSING) {
        return;
    }
    if (fault == NODE_SMALL_REG) {
        size = debug ? EDPRSR : PMPCSR_ALIAS_LO;
    }
    if (fault == NODE_WRONG_CPU) {
        cpu_index = (cpu_index + 1) % s->num_cpus;
    }
    qemu_fdt_add_subnode(fdt, node);
    if (debug) {
        qemu_fdt_setprop(fdt, node, "compatible", debug_compatible, sizeof(debug_compatible));
    } else {
        qemu_fdt_setprop_string(fdt, node, "compatible", "arm,pmu-pc-sample");
    }
    qemu_fdt_setprop_sized_cells(fdt, node, "reg", 2, addr, 2, size);
    if (clock && fault != NODE_NO_CLOCK) {
        qemu_fdt_setprop_cell(fdt, node, "clocks", clock);
        qemu_fdt_setprop_string(fdt, node, "clock-names", "apb_pclk");
    }
    if (!debug && s->pmu && (s->impdef_snapshots ||
                             (s->v8p9 && snapshots_are_open(s->blocks[index]->cpu)))) {
        qemu_fdt_setprop(fdt, node, "arm,pmu-snapshots", NULL, 0);
    }
    if (fault != NODE_NO_CPU) {
        qemu_fdt_setprop_cell(fdt, node, "cpu", cpu_phandle(fdt, cpu_index));
    }
    if (fault == NODE_DISABLED) {
        qemu_fdt_setprop_string(fdt, node, "status", "disabled");
    }
}

/*
 * An idle state for all CPUs, entered by PSCI: standby with retention, so that CPU_SUSPEND returns
 * as it does in QEMU, whatever "suspend-state" is.
 */
static void describe_idle_state(void *fdt)
{
    const char *states = "/cpus/idle-states", *state = "/cpus/idle-states/cpu-retention";
    uint32_t phandle = qemu_fdt_alloc_phandle(fdt);
    CPUState *cs;

    qemu_fdt_add_subnode(fdt, states);
    qemu_fdt_setprop_string(fdt, states, "entry-method", "psci");
    qemu_fdt_add_subnode(fdt, state);
    qemu_fdt_setprop_string(fdt, state, "compatible", "arm,idle-state");
    qemu_fdt_setprop_cell(fdt, state, "arm,psci-suspend-param", 1);
    qemu_fdt_setprop_cell(fdt, state, "entry-latency-us", 1);
    qemu_fdt_setprop_cell(fdt, state, "exit-latency-us", 1);
    qemu_fdt_setprop_cell(fdt, state, "min-residency-us", 2);
    qemu_fdt_setprop_cell(fdt, state, "phandle", phandle);
    CPU_FOREACH(cs) {
        g_autofree char *path = g_strdup_printf("/cpus/cpu@%d", cs->cpu_index);

        qemu_fdt_setprop_cell(fdt, path, "cpu-idle-states", phandle);
    }
}

static void arm_pcsample_realize(DeviceState *dev, Error **errp)
{
    ARMPCSampleState *s = ARM_PCSAMPLE(dev);
    void *fdt = MACHINE(qdev_get_machine())->fdt;
    unsigned i, num_cpus = 0;
    uint32_t clock = 0;
    Object *gicv3;
    CPUState *cs;

    CPU_FOREACH(cs) {
        num_cpus++;
    }
    if (!tcg_enabled()) {
        error_setg(errp, "%s needs TCG: under another accelerator the PE runs unseen",
                   TYPE_ARM_PCSAMPLE);
        return;
    }
    if (s->base % PCSR_BLOCK_SIZE || s->stride % PCSR_BLOCK_SIZE || !s->stride) {
        error_setg(errp, "%s: base and stride must be multiples of 0x%x",
                   TYPE_ARM_PCSAMPLE, PCSR_BLOCK_SIZE);
        return;
    }
    /*
     * Linux puts the redistributor to sleep with the PE if it may, and QEMU's has no wake request
     * that would end that.
     */
    gicv3 = object_resolve_path_type("", "arm-gicv3-common", NULL);
    if (s->cpu_suspend && gicv3 &&
        !object_property_get_bool(gicv3, "has-security-extensions", &error_abort)) {
        error_setg(errp, "%s: cpu-suspend needs a machine with gic-version=2 or secure=on",
                   TYPE_ARM_PCSAMPLE);
        return;
    }
    if (s->suspend_state != SUSPEND_RETENTION && !s->cpu_suspend) {
        error_setg(errp, "%s: suspend-state needs cpu-suspend=on", TYPE_ARM_PCSAMPLE);
        return;
    }
    if (!parse_faults(&s->faults, num_cpus, &fault_lookup, errp) ||
        !parse_faults(&s->node_faults, num_cpus, &node_fault_lookup, errp)) {
        return;
    }
    if (s->unknown == PMPCSR_LO_NONE) {
        error_setg(errp, "%s: an UNKNOWN value of 0x%x would look like no sample",
                   TYPE_ARM_PCSAMPLE, s->unknown);
        return;
    }

    if (!s->cluster || s->pcsample < 1 || s->pcsample > 3 || s->part > 0xFFF) {
        error_setg(errp, "%s: cluster must be at least 1, pcsample 1 to 3, part up to 0xfff",
                   TYPE_ARM_PCSAMPLE);
        return;
    }
    if (s->block == BLOCK_DEBUG && (s->v8p9 || s->ext64)) {
        error_setg(errp, "%s: v8p9 and ext64 are features of block=pmu", TYPE_ARM_PCSAMPLE);
        return;
    }
    if (s->impdef_snapshots && (s->block == BLOCK_DEBUG || s->ext64 ||
                                ARM_CPU(qemu_get_cpu(0))->env.profexc.has_pmu_ss)) {
        error_setg(errp, "%s: impdef-snapshots are of block=pmu, without ext64 and pmu-ss",
                   TYPE_ARM_PCSAMPLE);
        return;
    }

    if (s->late_capture && !s->impdef_snapshots) {
        error_setg(errp, "%s: late-capture needs impdef-snapshots=on", TYPE_ARM_PCSAMPLE);
        return;
    }

    if (s->ext64 || ARM_CPU(qemu_get_cpu(0))->env.profexc.has_pmu_ss) {
        s->software_lock = false;       /* H8.4; FEAT_PMUv3_SS implies FEAT_Debugv8p4 */
    }
    if (s->block == BLOCK_DEBUG && !s->part) {
        s->part = 0xD03;                /* Cortex-A53 */
    }
    s->num_cpus = num_cpus;
    s->clock_runs = !s->gated_clock;
    if (!find_addresses(s, errp) || (s->gated_clock && !connect_clock(s, errp))) {
        return;
    }
    s->blocks = g_new0(ARMPCSampleBlock *, 2 * num_cpus);
    for (i = 0; i < num_cpus; i++) {
        if (!map_block(s, s->num_blocks++, ARM_CPU(qemu_get_cpu(i)), errp)) {
            return;
        }
    }
    for (i = 0; i < num_cpus; i++) {
        if (s->node_faults.of_cpu[i] == NODE_TWO_BLOCKS &&
            !map_block(s, s->num_blocks++, ARM_CPU(qemu_get_cpu(i)), errp)) {
            return;
        }
    }
    if (fdt && s->gated_clock) {
        clock = describe_gate(fdt);
    } else if (fdt && s->block == BLOCK_DEBUG) {
        clock = phandle_of(fdt, "fixed-clock");
    }
    for (i = 0; fdt && i < s->num_blocks; i++) {
        describe_block(s, fdt, i, clock);
    }
    if (fdt && s->cpu_suspend) {
        describe_idle_state(fdt);
    }
    /* A device without a bus is not reset with the machine unless it asks */
    qemu_register_resettable(OBJECT(dev));
}

/* Reset of the machine resets the Debug power domain; the PEs reset the Core power domain */
static void arm_pcsample_reset_hold(Object *obj, ResetType type)
{
    ARMPCSampleState *s = ARM_PCSAMPLE(obj);
    unsigned i;

    for (i = 0; i < s->num_blocks; i++) {
        debug_domain_reset(s->blocks[i]);
    }
}

/* A signal of the authentication interface changes, perhaps while the PEs run */
static void set_signal(ARMPCSampleState *s, bool *signal, bool value)
{
    bool old = *signal;
    unsigned i;

    for (i = 0; i < s->num_blocks; i++) {
        ARMPCSample before, after;

        *signal = old;
        arm_pcsample_create(s->blocks[i], &before);
        *signal = value;
        arm_pcsample_create(s->blocks[i], &after);
        if (!before.valid && after.valid) {
            arm_pcsample_restarts(s->blocks[i], after.pc);
        }
    }
    *signal = value;
}

#define SIGNAL_PROPERTY(name)                                                   \
    static bool get_##name(Object *obj, Error **errp)                           \
    {                                                                           \
        return ARM_PCSAMPLE(obj)->name;                                         \
    }                                                                           \
                                                                                \
    static void set_##name(Object *obj, bool value, Error **errp)               \
    {                                                                           \
        set_signal(ARM_PCSAMPLE(obj), &ARM_PCSAMPLE(obj)->name, value);         \
    }

SIGNAL_PROPERTY(niden)
SIGNAL_PROPERTY(spniden)
SIGNAL_PROPERTY(rlpniden)
SIGNAL_PROPERTY(rtpniden)

#define ENUM_PROPERTY(name, names)                                              \
    ENUM_LOOKUP(name, names)                                                    \
                                                                                \
    static int get_##name(Object *obj, Error **errp)                            \
    {                                                                           \
        return ARM_PCSAMPLE(obj)->name;                                         \
    }                                                                           \
                                                                                \
    static void set_##name(Object *obj, int value, Error **errp)                \
    {                                                                           \
        ARM_PCSAMPLE(obj)->name = value;                                        \
    }

ENUM_PROPERTY(block, arm_pcsample_block_names)
ENUM_PROPERTY(suspend_state, arm_pcsample_suspend_states)
ENUM_PROPERTY(wide_read, arm_pcsample_wide_reads)
ENUM_PROPERTY(error_response, arm_pcsample_error_responses)

static char *get_fault(Object *obj, Error **errp)
{
    return g_strdup(ARM_PCSAMPLE(obj)->faults.text ?: "none");
}

static void set_fault(Object *obj, const char *value, Error **errp)
{
    ARMPCSampleState *s = ARM_PCSAMPLE(obj);
    ARMPCSampleFaults new = { .text = g_strdup(value) };

    /* Before realize nobody knows how many vCPUs there are */
    if (DEVICE(obj)->realized && !parse_faults(&new, s->num_cpus, &fault_lookup, errp)) {
        g_free(new.text);
        return;
    }
    g_free(s->faults.text);
    g_free(s->faults.of_cpu);
    s->faults = new;
}

/* The property "fault" reads as what was loaded */
static int arm_pcsample_post_load(void *opaque, int version_id)
{
    ARMPCSampleState *s = opaque;
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < s->num_cpus; i++) {
        unsigned fault = s->faults.of_cpu[i];

        if (fault >= ARRAY_SIZE(arm_pcsample_faults)) {
            g_string_free(text, true);
            return -EINVAL;
        }
        g_string_append_printf(text, "%s%s@%u", i ? ":" : "", arm_pcsample_faults[fault], i);
    }
    g_free(s->faults.text);
    s->faults.text = g_string_free(text, false);
    return 0;
}

/* The input of the clock, which nothing drives again after a load, and what qom-set can change */
static const VMStateDescription vmstate_arm_pcsample = {
    .name = TYPE_ARM_PCSAMPLE,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = arm_pcsample_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(clock_runs, ARMPCSampleState),
        VMSTATE_BOOL(niden, ARMPCSampleState),
        VMSTATE_BOOL(spniden, ARMPCSampleState),
        VMSTATE_BOOL(rlpniden, ARMPCSampleState),
        VMSTATE_BOOL(rtpniden, ARMPCSampleState),
        VMSTATE_VARRAY_UINT32(faults.of_cpu, ARMPCSampleState, num_cpus, 1, vmstate_info_int32,
                              int),
        VMSTATE_END_OF_LIST()
    }
};

static const Property arm_pcsample_properties[] = {
    DEFINE_PROP_UINT64("base", ARMPCSampleState, base, 0x09100000),
    DEFINE_PROP_UINT64("stride", ARMPCSampleState, stride, PCSR_BLOCK_SIZE),
    DEFINE_PROP_UINT32("unknown", ARMPCSampleState, unknown, 0xDEADC0DE),
    DEFINE_PROP_STRING("addresses", ARMPCSampleState, addresses),
    DEFINE_PROP_UINT32("part", ARMPCSampleState, part, 0),
    DEFINE_PROP_UINT32("cluster", ARMPCSampleState, cluster, 1),
    DEFINE_PROP_UINT32("hang-ms", ARMPCSampleState, hang_ms, 100),
    DEFINE_PROP_UINT8("pcsample", ARMPCSampleState, pcsample, EDDEVID_PCSAMPLE_PC_CID_VID),
    DEFINE_PROP_UINT8("pcsroffset", ARMPCSampleState, pcsroffset, EDDEVID1_PCSROFFSET_NONE),
    DEFINE_PROP_UINT8("late-capture", ARMPCSampleState, late_capture, 0),
    DEFINE_PROP_STRING("node-fault", ARMPCSampleState, node_faults.text),
    DEFINE_PROP_BOOL("software-lock", ARMPCSampleState, software_lock, true),
    DEFINE_PROP_BOOL("pmu", ARMPCSampleState, pmu, true),
    DEFINE_PROP_BOOL("ext64", ARMPCSampleState, ext64, false),
    DEFINE_PROP_BOOL("v8p9", ARMPCSampleState, v8p9, false),
    DEFINE_PROP_BOOL("impdef-snapshots", ARMPCSampleState, impdef_snapshots, false),
    DEFINE_PROP_BOOL("imp", ARMPCSampleState, imp, true),
    DEFINE_PROP_BOOL("suspended-at-reset", ARMPCSampleState, suspended_at_reset, false),
    DEFINE_PROP_BOOL("power-request", ARMPCSampleState, power_request, true),
    DEFINE_PROP_BOOL("gated-clock", ARMPCSampleState, gated_clock, false),
    DEFINE_PROP_BOOL("repeat-unknown", ARMPCSampleState, repeat_unknown, false),
    DEFINE_PROP_BOOL("half-read", ARMPCSampleState, half_read, false),
    DEFINE_PROP_BOOL("cpu-suspend", ARMPCSampleState, cpu_suspend, false),
    DEFINE_PROP_BOOL("shared-power", ARMPCSampleState, shared_power, false),
    DEFINE_PROP_BOOL("first-read-none", ARMPCSampleState, first_read_none, true),
};

static void arm_pcsample_init(Object *obj)
{
    ARM_PCSAMPLE(obj)->niden = true;
    qdev_init_gpio_in_named(DEVICE(obj), set_clock, "clock", 1);
}

static void arm_pcsample_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->realize = arm_pcsample_realize;
    dc->vmsd = &vmstate_arm_pcsample;
    dc->desc = "Arm PC Sample-based Profiling blocks";
    dc->hotpluggable = false;
    rc->phases.hold = arm_pcsample_reset_hold;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    device_class_set_props(dc, arm_pcsample_properties);

    /* Not qdev properties, because they can change after realize */
    object_class_property_add_bool(klass, "niden", get_niden, set_niden);
    object_class_property_add_bool(klass, "spniden", get_spniden, set_spniden);
    object_class_property_add_bool(klass, "rlpniden", get_rlpniden, set_rlpniden);
    object_class_property_add_bool(klass, "rtpniden", get_rtpniden, set_rtpniden);
    object_class_property_add_str(klass, "fault", get_fault, set_fault);
    object_class_property_add_enum(klass, "block", "ArmPCSampleBlockKind",
                                   &block_lookup, get_block, set_block);
    object_class_property_add_enum(klass, "suspend-state", "ArmPCSampleSuspendState",
                                   &suspend_state_lookup, get_suspend_state,
                                   set_suspend_state);
    object_class_property_add_enum(klass, "wide-read", "ArmPCSampleWideRead",
                                   &wide_read_lookup, get_wide_read, set_wide_read);
    object_class_property_add_enum(klass, "error-response", "ArmPCSampleErrorResponse",
                                   &error_response_lookup, get_error_response,
                                   set_error_response);
}

static const TypeInfo arm_pcsample_types[] = {
    {
        .name = TYPE_ARM_PCSAMPLE_BUS,
        .parent = TYPE_BUS,
        .instance_size = sizeof(BusState),
    },
    {
        .name = TYPE_ARM_PCSAMPLE_BLOCK,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(ARMPCSampleBlock),
        .class_init = arm_pcsample_block_class_init,
    },
    {
        .name = TYPE_ARM_PCSAMPLE,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(ARMPCSampleState),
        .instance_init = arm_pcsample_init,
        .class_init = arm_pcsample_class_init,
    },
};

DEFINE_TYPES(arm_pcsample_types)
