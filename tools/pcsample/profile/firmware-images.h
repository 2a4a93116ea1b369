/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images of code that runs besides Linux: firmware, hypervisors, and what runs in Secure and Realm
 * state. No record of perf says where they are loaded, so the user does.
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
 * @moved: it is loaded at @base, not where it was linked
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

/* Code of all images: a range has the addresses of loaded code; addresses in its DSO are offsets */
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
 * images_find() - find the code of a sample outside Linux, to which the driver gave no address
 * @rec: the sample
 * @ip: receives the address that the hardware sampled, if there is an image of it
 *
 * Return: NULL if there is no image of that level and state with code at that address.
 */
const struct range *images_find(const struct images *im, const struct sample_layout *l,
				const u8 *rec, u64 *ip);

#endif /* PCSAMPLE_PROFILE_FIRMWARE_IMAGES_H */
