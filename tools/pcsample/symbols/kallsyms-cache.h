/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cache of the running kernel's symbols. The kernel formats /proc/kallsyms anew for each reader,
 * which takes longer than the rest of a small report.
 */
#ifndef PCSAMPLE_SYMBOLS_KALLSYMS_CACHE_H
#define PCSAMPLE_SYMBOLS_KALLSYMS_CACHE_H

#include "symbols/kallsyms.h"

/**
 * kallsyms_read_running() - symbols of the running kernel, as kallsyms_read() of /proc/kallsyms
 *
 * The copy is $XDG_CACHE_HOME/pcsample/kallsyms-BOOT-MODULES: it holds for this boot and for the
 * modules that are loaded now. It has no symbols of BPF programs and trampolines, which come and
 * go; recordings have them in their side-band. Only a regular file that is this user's and that
 * nobody else can write is read. A missing cache is never an error.
 *
 * Return: as kallsyms_read().
 */
int kallsyms_read_running(struct kallsyms *k, struct error *err);

#endif /* PCSAMPLE_SYMBOLS_KALLSYMS_CACHE_H */
