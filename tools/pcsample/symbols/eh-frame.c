// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"
#include "symbols/eh-frame.h"

/*
 * .eh_frame_hdr (LSB Core 5.0, 10.6.2): version, three encodings, the address of .eh_frame, and a
 * sorted table with an entry for each frame description (FDE). This is how linkers write it: the
 * number of entries in 4 bytes, and in an entry two distances from the section, of 4 bytes each.
 */
#define HDR_VERSION		1
#define HDR_COUNT_UDATA4	0x03
#define HDR_TABLE_DATAREL4	0x3b	/* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define HDR_BYTES		12
#define HDR_ENTRY_BYTES		8

/* An FDE: bytes behind this word, distance of its CIE, first address, bytes of code (10.6.1.1.2) */
#define FDE_START		8
#define FDE_SIZE		12
#define FDE_BYTES		16

struct section {
	const u8 *p;
	u64 size, addr;
};

static bool read_section(const struct elf_file *f, const char *name, struct section *s)
{
	Elf_Data *data;
	GElf_Shdr sh;

	if (!elf_file_section(f, name, &sh, &data) || !data->d_buf)
		return false;
	*s = (struct section){ data->d_buf, data->d_size, sh.sh_addr };
	return true;
}

/*
 * The encoding of an FDE's addresses is in its CIE. It need not be read: if the first address,
 * taken as a distance from itself of 4 bytes, is the one in the table, it is so encoded
 * (DW_EH_PE_pcrel | DW_EH_PE_sdata4), and the size behind it has 4 bytes too.
 */
static bool read_size(const struct section *frames, u64 fde, u64 start, u32 *size)
{
	u64 at = fde - frames->addr;

	if (frames->size < FDE_BYTES || at > frames->size - FDE_BYTES)
		return false;
	if (fde + FDE_START + (s64)(s32)load32(frames->p + at + FDE_START) != start)
		return false;
	*size = load32(frames->p + at + FDE_SIZE);
	return true;
}

int eh_frame_walk(const struct elf_file *f, eh_frame_fn *fn, void *ctx)
{
	struct section hdr, frames;
	u64 i, nr, start, fde;
	const u8 *entry;
	int ret = 0;
	u32 size;

	if (!read_section(f, ".eh_frame_hdr", &hdr) || !read_section(f, ".eh_frame", &frames) ||
	    hdr.size < HDR_BYTES || hdr.p[0] != HDR_VERSION || hdr.p[2] != HDR_COUNT_UDATA4 ||
	    hdr.p[3] != HDR_TABLE_DATAREL4)
		return 0;
	nr = min((u64)load32(hdr.p + 8), (hdr.size - HDR_BYTES) / HDR_ENTRY_BYTES);
	for (i = 0; !ret && i < nr; i++) {
		entry = hdr.p + HDR_BYTES + i * HDR_ENTRY_BYTES;
		start = hdr.addr + (s64)(s32)load32(entry);
		fde = hdr.addr + (s64)(s32)load32(entry + 4);
		if (read_size(&frames, fde, start, &size))
			ret = fn(ctx, start, size);
	}
	return ret;
}
