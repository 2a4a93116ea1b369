/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of addresses in code that runs on this machine now.
 */
#ifndef PCSAMPLE_SYMBOLS_LIVE_NAMES_H
#define PCSAMPLE_SYMBOLS_LIVE_NAMES_H

#include "symbols/dso.h"
#include "symbols/names.h"

#define LIVE_NAME_MAX	512

/**
 * struct live_names - what is known so far
 * @no_kernel: why there are no names of the kernel; empty if there are
 */
struct live_names {
	struct intern strings;
	struct dso_table dsos;
	struct names names;
	struct symtab *module;	/* of each in dsos.kallsyms */
	bool *read;
	struct error no_kernel;
};

/* Return: 0 or -ENOMEM */
int live_names_init(struct live_names *l);
void live_names_deinit(struct live_names *l);

/**
 * live_name_kernel() - "function+0x1c [module]" of an address of the kernel
 * @text: receives it, up to LIVE_NAME_MAX bytes
 *
 * Return: false if there is no symbol; @text is empty then.
 */
bool live_name_kernel(struct live_names *l, u64 addr, char *text);

/**
 * live_name_user() - "function+0x1c (object)" of an address of a process, by /proc/PID/maps
 * @pid: any of its threads
 *
 * Return: false if the address is not mapped; @text is empty then.
 */
bool live_name_user(struct live_names *l, s32 pid, u64 addr, char *text);

#endif /* PCSAMPLE_SYMBOLS_LIVE_NAMES_H */
