/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm trace unit, FEAT_ETE
 *
 * CPU property, off by default:
 *  + ete: FEAT_ETE; needs trbe, the only place its trace goes to
 */
#ifndef TARGET_ARM_ETE_H
#define TARGET_ARM_ETE_H

#include "cpu.h"

void ete_realize(ARMCPU *cpu, Error **errp);
void ete_reset(CPUARMState *env);

/* Branches are traced in the present state: translated code reports them. */
bool ete_wants_branches(CPUARMState *env);

/* Registers of the trace unit, the trace buffer or the filters changed. */
void ete_state_changed(CPUARMState *env);

/*
 * A branch retires.
 * @insn_flags: INSN_*
 * @target: address of the next instruction
 */
void ete_branch(CPUARMState *env, uint32_t insn_flags, uint64_t target);

/* An exception return retires, whatever it returns to. */
void ete_exception_return(CPUARMState *env);

/* TSB CSYNC */
void ete_synchronize(CPUARMState *env);

#endif
