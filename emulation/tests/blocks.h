/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets, values and steps that the register tests of all sets share.
 *
 * The numbers are the manual's (DDI 0487 M.a.a), not the constants that the device is compiled
 * with.
 */
#ifndef EMULATION_TESTS_BLOCKS_H
#define EMULATION_TESTS_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#define BLOCK(cpu)      (0x09100000 + 0x1000ULL * (cpu))

#define PMPCSR_LO       0x200
#define PMPCSR_HI       0x204
#define PMCID1SR        0x208
#define PMVIDSR         0x20C
#define ALIAS_LO        0x220
#define ALIAS_HI        0x224
#define ALIAS_CID1      0x228
#define PMCID2SR        0x22C
#define PMCFGR          0xE00
#define PMDEVAFF0       0xFA8
#define PMDEVAFF1       0xFAC
#define PMLAR           0xFB0
#define PMLSR           0xFB4
#define PMAUTHSTATUS    0xFB8
#define PMDEVARCH       0xFBC
#define PMDEVID         0xFC8
#define PMDEVTYPE       0xFCC

#define KEY             0xC5ACCE55
#define NONE            0xFFFFFFFF
#define UNKNOWN         0xDEADC0DE      /* default of the device's property */
#define UNKNOWN_HI      0xC0ADC0DE      /* its bits in PMPCSR.{NS,EL,PC[55:32]} */
#define UNKNOWN_VMID    0xC0DE

/* SPSR values: all interrupts masked */
#define TO_EL0          0x3C0
#define TO_EL1          0x3C5
#define TO_EL2          0x3C9
#define TO_EL0_A32      0x1D0
#define TO_EL0_T32      0x1F0

/* PMPCSR[63:32] of a sample whose PC is below 4 GiB */
#define HI(nse, ns, el) ((uint32_t)(ns) << 31 | (el) << 29 | (nse) << 27)

#define VIRT            "-M virt -cpu max -smp 2 "
#define DEVICE          "-device arm-pcsample,id=pcs "

#define SYNC_EXTERNAL_ABORT(esr) (((esr) >> 26) == 0x25 && ((esr) & 0x3F) == 0x10)

struct sample {
    uint32_t lo, hi, cid1, vid, cid2;
};

/* Registers of the block of a PE at the default place, as a bus master reads and writes them */
uint32_t rd(unsigned cpu, unsigned offset);
void wr(unsigned cpu, unsigned offset, uint32_t value);

/** latched() - what the last read of PMPCSR[31:0] left; .lo is 0 */
struct sample latched(unsigned cpu);

/** sample() - read PMPCSR[31:0], then what it left. */
struct sample sample(unsigned cpu);

/** pc_is_in() - is an address in a function of the guest that has a NAME_end? */
bool pc_is_in(uint32_t lo, const char *function);

/** is_unknown() - has each register but PMPCSR[31:0] the value of UNKNOWN? */
bool is_unknown(struct sample s);

/** aborts() - does an access by PE 0 get an error response? @access: a function of the guest. */
bool aborts(const char *access, uint64_t address);
bool register_aborts(unsigned cpu, unsigned offset);

/* PE @cpu goes on or off, asked for by PE 0 or itself; both wait until it has happened */
void power_on(unsigned cpu);
void power_off(unsigned cpu);

/**
 * open_block() - open the OS Lock and the Software lock of a PE that serves, and drop the first
 * read of a PMU block
 */
void open_block(unsigned cpu);

/** start_two() - start a machine with two PEs and open their PMU blocks; @options: see machine.h */
void start_two(const char *options);

/** set_property() - set a property of the device named "pcs"; @value: as JSON. */
void set_property(const char *name, const char *value);

#endif
