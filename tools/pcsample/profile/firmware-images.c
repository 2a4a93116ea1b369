// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include <arch-model/pc-sample.h>

#include "profile/firmware-images.h"
#include "symbols/elf-symbols.h"
#include "symbols/load.h"

/* What the user says */

#define BIT_OF(state) (1U << PCS_STATE_##state)

/* Non-secure EL2 is a hypervisor other than Linux: samples of Linux have addresses at any level */
static const struct {
	const char *name;
	u8 el, states;
} levels[] = {
	{ "el3", 3, BIT_OF(SECURE) | BIT_OF(ROOT) },
	{ "el2", 2, BIT_OF(NONSECURE) },
	{ "s-el2", 2, BIT_OF(SECURE) },
	{ "s-el1", 1, BIT_OF(SECURE) },
	{ "s-el0", 0, BIT_OF(SECURE) },
	{ "r-el2", 2, BIT_OF(REALM) },
	{ "r-el1", 1, BIT_OF(REALM) },
	{ "r-el0", 0, BIT_OF(REALM) },
};

int image_option_parse(const char *arg, struct image_option *ret)
{
	size_t len = strcspn(arg, "="), i;
	char *at, *end;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < ARRAY_SIZE(levels); i++)
		if (text_is(arg, len, levels[i].name))
			break;
	if (i == ARRAY_SIZE(levels) || !arg[len])
		return -ENOENT;
	ret->el = levels[i].el;
	ret->states = levels[i].states;
	ret->path = strdup(arg + len + 1);
	if (!ret->path)
		return -ENOMEM;
	at = strrchr(ret->path, '@');
	if (!at || strncmp(at + 1, "0x", 2))
		return 0;
	errno = 0;
	ret->base = strtoull(at + 1, &end, 16);
	ret->moved = !*end && end > at + 3 && !errno;
	if (ret->moved)
		*at = '\0';
	return 0;
}

void image_option_free(struct image_option *o)
{
	free(o->path);
	memset(o, 0, sizeof(*o));
}

/* Where code is */

void images_deinit(struct images *im)
{
	free(im->range);
	memset(im, 0, sizeof(*im));
}

static int add_segment(struct images *im, const struct image_option *o,
		       const struct elf_segment *segment, u64 lowest, u32 dso)
{
	u64 start = segment->vaddr + (o->moved ? o->base - lowest : 0);

	if (start + segment->size < start)
		return 0;
	if (mem_grow(&im->range, &im->cap, im->nr + 1))
		return -ENOMEM;
	im->range[im->nr++] = (struct image_range){
		.el = o->el,
		.states = o->states,
		.range = {
			.start = start,
			.end = start + segment->size,
			.shift = segment->offset - start,
			.dso = dso,
		},
	};
	return 0;
}

static int add_segments(struct images *im, const struct image_option *o,
			const struct elf_file *f, u32 dso)
{
	size_t before = im->nr, i;
	int ret = 0;

	for (i = 0; i < f->nr && !ret; i++)
		if (f->load[i].code)
			ret = add_segment(im, o, &f->load[i], f->base, dso);
	return ret ? ret : im->nr > before ? 0 : -ENOEXEC;
}

int images_add(struct images *im, const struct image_option *o, struct dso_table *dsos,
	       struct error *err)
{
	int dso = dso_table_image(dsos, o->path), ret;
	const struct elf_file *f;

	if (dso < 0)
		return dso;
	dso_load(dsos, dsos->dso[dso]);
	f = elf_symbols_file(dsos->dso[dso], false);
	if (!f)
		return error_set(err, -ENOEXEC, "%s",
				 dso_problem(dsos->dso[dso])[0] ? dso_problem(dsos->dso[dso]) :
								   o->path);
	ret = add_segments(im, o, f, dso);
	if (ret == -ENOEXEC)
		return error_set(err, ret, "%s: has no code that is loaded anywhere", o->path);
	return ret;
}

const struct range *images_find(const struct images *im, const struct sample_layout *l,
				const u8 *rec, u64 *ip)
{
	struct arm_pcsample_record hw;
	const struct image_range *r;
	u64 pc;

	if (!sample_arm_record(l, rec, &hw))
		return NULL;
	pc = pcs_pc(hw.pmpcsr);
	for (r = im->range; r < im->range + im->nr; r++) {
		if (r->el != sample_el(&hw) || !(r->states & 1U << pcs_state(hw.pmpcsr)) ||
		    pc < r->range.start || pc >= r->range.end)
			continue;
		*ip = pc;
		return &r->range;
	}
	return NULL;
}
