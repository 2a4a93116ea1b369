/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images of what runs besides Linux - firmware, hypervisors, what is in other worlds - by the
 * addresses at which they are loaded. No side-band describes them, so the user says what is
 * loaded where.
 */
#ifndef PCSAMPLE_PROFILE_FIRMWARE_IMAGES_H
#define PCSAMPLE_PROFILE_FIRMWARE_IMAGES_H

#include "perfdata/sample.h"
#include "profile/sideband.h"

#define IMAGES_MAX 16

/**
 * struct image_option - an image that the user named
 * @el: Exception level at which it runs
 * @states: Security states in which it runs, bits of enum pcs_state
 * @path: ELF file
 * @moved: it is not where it was linked, but at
 * @base: address of its lowest segment
 */
struct image_option {
	u8 el, states;
	char *path;
	bool moved;
	u64 base;
};

/**
 * image_option_parse() - read LEVEL=FILE or LEVEL=FILE@ADDRESS
 * @ret: image_option_free() frees it
 *
 * LEVEL is el3, el2, or s-el0, s-el1, s-el2, r-el0, r-el1, r-el2 in Secure and Realm state.
 *
 * Return: 0; -ENOENT if @arg does not begin with a level and '='; or -ENOMEM.
 */
int image_option_parse(const char *arg, struct image_option *ret);
void image_option_free(struct image_option *o);

/* Code of all images: a range's addresses are as loaded, its DSO's are file offsets */
struct images {
	struct image_range {
		u8 el, states;
		struct range range;
	} *range;
	size_t nr, cap;
};

void images_deinit(struct images *im);

/**
 * images_add() - read where the code of an image is
 *
 * Return: 0, -ENOMEM, or a negative errno of a file that cannot be read or has no code.
 */
int images_add(struct images *im, const struct image_option *o, struct dso_table *dsos,
	       struct error *err);

/**
 * images_find() - the code of a sample that the driver gave no address, as it is not Linux's
 * @rec: the sample
 * @ip: takes the address that the hardware saw, if there is an image of it
 *
 * Return: NULL if there is no image of that level and state with code at that address.
 */
const struct range *images_find(const struct images *im, const struct sample_layout *l,
				const u8 *rec, u64 *ip);

#endif /* PCSAMPLE_PROFILE_FIRMWARE_IMAGES_H */
