/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One emulated machine under test: QEMU as a child process, spoken to by the qtest protocol (memory
 * and MMIO), by QMP (reset, properties, migration) and by the mailboxes of the guest (guest.S).
 *
 * The vCPUs run under TCG all the while, so a register read through qtest is what any other bus
 * master would see. qtest cannot tell an error response from data: read through a PE for that.
 */
#ifndef EMULATION_TESTS_MACHINE_H
#define EMULATION_TESTS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * machine_setup() - take QEMU and the folder of the guest from the command line of a test
 * @argc: of main()
 * @argv: of main()
 */
void machine_setup(int argc, char **argv);

/**
 * machine_start() - start a machine whose PEs serve their mailboxes
 * @options: QEMU options, separated by blanks, in addition to those for the virt machine
 *
 * The program ends with a "Bail out!" line if QEMU does not start.
 */
void machine_start(const char *options);

/** machine_stop() - end the machine that runs, if one does */
void machine_stop(void);

/**
 * machine_fails() - try a machine that must not start
 * @options: as for machine_start()
 * @message: what QEMU must say on stderr
 *
 * Returns: QEMU ended with an error and said so
 */
bool machine_fails(const char *options, const char *message);

/**
 * machine_dump_dtb() - the device tree that the guest would get
 * @options: as for machine_start()
 *
 * Returns: the tree, to be freed
 */
void *machine_dump_dtb(const char *options);

/**
 * machine_patience() - end the program if a condition does not come true in a minute
 * @since: 0 before the first call
 * @what: the condition
 */
void machine_patience(uint64_t *since, const char *what);

/* Waits for a condition by looking again and again */
#define AWAIT(condition)                                                        \
    for (uint64_t since = 0; !(condition);) {                                   \
        machine_patience(&since, #condition);                                   \
    }

/**
 * machine_qmp() - send one QMP command
 * @command: JSON text; printf format
 *
 * Returns: the answer, valid until the next call, or NULL if it is an error, which is noted
 */
const char *machine_qmp(const char *command, ...) __attribute__((format(printf, 1, 2)));

/**
 * machine_migrate() - go on in another QEMU process
 * @options: as for machine_start(), with the same devices
 */
void machine_migrate(const char *options);

/** machine_reset() - reset the machine; it has happened on return. */
void machine_reset(void);

/* Physical memory and MMIO, as a bus master with no PE's attributes */
uint32_t bus_read32(uint64_t address);
uint64_t bus_read64(uint64_t address);
void bus_write32(uint64_t address, uint32_t value);
void bus_write64(uint64_t address, uint64_t value);

/** bus_read() - copy memory of the guest; @len: at most 16 KiB. */
void bus_read(uint64_t address, void *to, unsigned len);

/** guest_symbol() - address of a function of the guest; @name: it must exist. */
uint64_t guest_symbol(const char *name);

/**
 * guest_call() - call a function of the guest on a PE and wait until it returns
 * @cpu: number of the PE
 * @function: its name in guest.S
 * @x: arguments, registers x0 to x4
 *
 * Returns: x0
 */
uint64_t guest_call_args(unsigned cpu, const char *function, const uint64_t x[5]);
#define guest_call(cpu, function, ...) \
    guest_call_args(cpu, function, (const uint64_t[5]) { __VA_ARGS__ })

/** guest_start() - like guest_call(), but does not wait. */
void guest_start_args(unsigned cpu, const char *function, const uint64_t x[5]);
#define guest_start(cpu, function, ...) \
    guest_start_args(cpu, function, (const uint64_t[5]) { __VA_ARGS__ })

/** guest_esr() - syndrome of the Data Abort that the last call on a PE ran into, or 0. */
uint64_t guest_esr(unsigned cpu);

/**
 * guest_loop() - call a function that runs until guest_stop(), and wait until it does
 * @cpu: number of the PE
 * @function: its name in guest.S; it gets the address of STOP in x0
 * @x: further arguments, registers x1 to x4
 */
void guest_loop_args(unsigned cpu, const char *function, const uint64_t x[4]);
#define guest_loop(cpu, function, ...) \
    guest_loop_args(cpu, function, (const uint64_t[4]) { __VA_ARGS__ })

/**
 * guest_loop_at() - let a PE loop at a lower Exception level until guest_stop()
 * @cpu: number of the PE
 * @spsr: SPSR for the exception return that goes there
 * @spin: the function to be in, one that can leave that level again
 */
void guest_loop_at(unsigned cpu, uint64_t spsr, const char *spin);

/** guest_rounds() - what the function that loops has left in ENTERED: not 0, or a count. */
uint64_t guest_rounds(unsigned cpu);

/** guest_serves_again() - wait until a call that guest_start() began is over. */
void guest_serves_again(unsigned cpu);

/** guest_stop() - end a loop; waits until the PE serves its mailbox again. */
void guest_stop(unsigned cpu);

/** guest_forget() - the mailbox of a PE that was reset or powered off is empty. */
void guest_forget(unsigned cpu);

/** guest_serves() - wait until a PE serves its mailbox, for a minute at most. */
void guest_serves(unsigned cpu);

#endif
