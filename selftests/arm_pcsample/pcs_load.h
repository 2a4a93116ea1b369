/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs to be sampled, with known behaviour.
 */
#ifndef PCS_LOAD_H
#define PCS_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Two loops of the same two instructions, of @n iterations each */
void pcs_loop_a(uint64_t n);
void pcs_loop_b(uint64_t n);
extern const char pcs_loop_a_end[], pcs_loop_b_end[];

static inline bool pcs_in_loop_a(uint64_t ip)
{
	return ip >= (uintptr_t)pcs_loop_a && ip < (uintptr_t)pcs_loop_a_end;
}

static inline bool pcs_in_loop_b(uint64_t ip)
{
	return ip >= (uintptr_t)pcs_loop_b && ip < (uintptr_t)pcs_loop_b_end;
}

/* Run @fn(arg) in a child process on a CPU until pcs_load_stop(); returns when it runs. */
pid_t pcs_load_start(int cpu, void (*fn)(uint64_t arg), uint64_t arg);
void pcs_load_stop(pid_t pid);

/* Does a child end within @ms? Sets @status if it does. */
bool pcs_ends_within(pid_t pid, unsigned int ms, int *status);

/*
 * Unload the driver in a child, whose exit status is the errno of that. @leader is an event of
 * pcs_open_former_leader(), which the child does not keep.
 */
pid_t pcs_unload_start(int leader);

/* For pcs_load_start(): */
void pcs_load_loop(uint64_t unused);		/* pcs_loop_a() for ever */
void pcs_load_70_30(uint64_t unused);		/* 70 % in pcs_loop_a(), 30 % in pcs_loop_b() */
void pcs_load_lockstep(uint64_t period);	/* in loop a for the first 30 % of each @period */
void pcs_load_syscalls(uint64_t unused);	/* getppid() for ever */
void pcs_load_guest(uint64_t pstate);		/* a guest of KVM with that PSTATE */
void pcs_load_exits(uint64_t pstate);		/* a guest that exits to the host all the time */
void pcs_load_mixed(uint64_t unused);		/* loop a and sched_yield() in turn */

/* The guest of pcs_load_guest() is one instruction, a branch to itself, at this address. */
#define PCS_GUEST_PC	0x40000000ULL
#define PCS_PSTATE_EL0T	0x0
#define PCS_PSTATE_EL1H	0x5

#endif /* PCS_LOAD_H */
