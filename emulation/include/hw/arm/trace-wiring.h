/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Board side of the trace units and trace buffers of the CPUs
 */
#ifndef HW_ARM_TRACE_WIRING_H
#define HW_ARM_TRACE_WIRING_H

#include "hw/boards.h"

/* INTID of TRBIRQ, a PPI; the architecture recommends none */
#define ARM_TRBE_IRQ            31

/**
 * arm_trace_wire - connect TRBIRQ of each CPU that has a trace buffer, and
 * describe trace buffers and trace units in the device tree of @machine
 * @gic: interrupt controller; it and the CPUs are realized
 * @num_spis: inputs of @gic that come before the PPIs of the first CPU
 */
void arm_trace_wire(MachineState *machine, DeviceState *gic,
                    unsigned int num_spis);

#endif
