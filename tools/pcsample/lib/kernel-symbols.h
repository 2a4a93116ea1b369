/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding the symbols of the kernel that was recorded: it need not be the one that runs now, nor
 * need it be at the same address.
 */
#ifndef PCSAMPLE_LIB_KERNEL_SYMBOLS_H
#define PCSAMPLE_LIB_KERNEL_SYMBOLS_H

#include "lib/session.h"

/* Is the running kernel the recorded one? */
bool kernel_symbols_running(const struct perfdata *pd);

/**
 * kernel_symbols_find() - get the list of symbols
 * @k: takes it; stays empty if there is none that is right
 * @err: why it stays empty
 *
 * In this order: the file that the user names; the copy in the recording; /proc/kallsyms if the
 * running kernel is the recorded one. Does not touch the session, so it may run in a thread.
 */
void kernel_symbols_find(struct kallsyms *k, const struct perfdata *pd,
			 const struct session_options *options, struct error *err);

/**
 * kernel_symbols_place() - put the list where the kernel was when it was recorded
 *
 * After the side-band is complete: it says where the kernel was. Adds modules that the side-band
 * does not tell of, and the vDSO's image.
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_symbols_place(struct session *s);

#endif /* PCSAMPLE_LIB_KERNEL_SYMBOLS_H */
