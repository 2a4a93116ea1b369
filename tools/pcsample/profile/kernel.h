/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the symbols of the recorded kernel. The running kernel may be another one, or the same one
 * loaded at another address.
 */
#ifndef PCSAMPLE_PROFILE_KERNEL_H
#define PCSAMPLE_PROFILE_KERNEL_H

#include "profile/sideband.h"

/**
 * kernel_symbols_running() - is the running kernel the recorded one?
 * @mapped: build id in the record of its mapping, for recordings without a list of build ids; NULL
 *	or size 0 if it is not known. Then the release decides.
 */
bool kernel_symbols_running(const struct perfdata *pd, const struct build_id *mapped);

/**
 * kernel_symbols_find() - get the list of symbols
 * @k: receives it; stays empty if none of the recorded kernel is found
 * @list: the file that the user names, or NULL
 * @below: the only directory to look in, or NULL
 * @mapped: as of kernel_symbols_running()
 * @err: why it stays empty
 *
 * In this order: the file that the user names; the copy in the recording; that of an archive which
 * was unpacked to @below or, if @below is NULL, /proc/kallsyms if the running kernel is the
 * recorded one. May run in a thread: it touches nothing but @k.
 */
void kernel_symbols_find(struct kallsyms *k, const struct perfdata *pd, const char *list,
			 const char *below, const struct build_id *mapped, struct error *err);

/**
 * struct kernel_place - what kernel_symbols_place() works on
 * @pd: the recording
 * @sb: complete, so that it says where the kernel was. Modules without a record are added to it.
 * @dsos: has the list of symbols; the vDSO's image is added to it
 * @symfs: directory in front of all file names; NULL for none
 * @only_symfs: do not take the vDSO of this machine
 * @vdso: receives the memory of the image, to be freed after @dsos
 * @note: receives a line about what is missing, or NULL
 */
struct kernel_place {
	struct perfdata *pd;
	struct sideband *sb;
	struct dso_table *dsos;
	const char *symfs;
	bool only_symfs;
	u8 *vdso;
	const char *note;
};

/**
 * kernel_symbols_place() - move the list of symbols to where the recorded kernel was loaded
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_symbols_place(struct kernel_place *to);

#endif /* PCSAMPLE_PROFILE_KERNEL_H */
