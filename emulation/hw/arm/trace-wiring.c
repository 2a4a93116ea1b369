/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board side of the trace units and trace buffers of the CPUs
 */
#include "qemu/osdep.h"
#include "hw/arm/fdt.h"
#include "hw/arm/trace-wiring.h"
#include "hw/core/cpu.h"
#include "hw/irq.h"
#include "system/device_tree.h"
#include "target/arm/cpu.h"

#include <libfdt.h>

#define GIC_INTERNAL            32

static uint32_t cpu_phandle(void *fdt, int cpu)
{
    g_autofree char *node = g_strdup_printf("/cpus/cpu@%d", cpu);
    int offset = fdt_path_offset(fdt, node);
    uint32_t phandle = offset < 0 ? 0 : fdt_get_phandle(fdt, offset);

    if (!phandle) {
        phandle = qemu_fdt_alloc_phandle(fdt);
        qemu_fdt_setprop_cell(fdt, node, "phandle", phandle);
    }
    return phandle;
}

/* Binding arm,embedded-trace-extension */
static void add_ete_node(void *fdt, int cpu)
{
    g_autofree char *node = g_strdup_printf("/ete-%d", cpu);

    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible",
                            "arm,embedded-trace-extension");
    qemu_fdt_setprop_cell(fdt, node, "cpu", cpu_phandle(fdt, cpu));
}

/* Binding arm,trace-buffer-extension */
static void add_trbe_node(void *fdt)
{
    qemu_fdt_add_subnode(fdt, "/trbe");
    qemu_fdt_setprop_string(fdt, "/trbe", "compatible",
                            "arm,trace-buffer-extension");
    qemu_fdt_setprop_cells(fdt, "/trbe", "interrupts", GIC_FDT_IRQ_TYPE_PPI,
                           ARM_TRBE_IRQ - 16, GIC_FDT_IRQ_FLAGS_LEVEL_HI);
}

void arm_trace_wire(MachineState *machine, DeviceState *gic,
                    unsigned int num_spis)
{
    bool any_trbe = false;

    for (int i = 0; i < machine->smp.cpus; i++) {
        CPUState *cs = qemu_get_cpu(i);
        const ARMProfExcState *pf = &ARM_CPU(cs)->env.profexc;
        int ppi = num_spis + i * GIC_INTERNAL + ARM_TRBE_IRQ;

        if (!pf->has_trbe) {
            continue;
        }
        any_trbe = true;
        qdev_connect_gpio_out_named(DEVICE(cs), "trbirq", 0,
                                    qdev_get_gpio_in(gic, ppi));
        if (pf->has_ete) {
            add_ete_node(machine->fdt, i);
        }
    }
    if (any_trbe) {
        add_trbe_node(machine->fdt);
    }
}
