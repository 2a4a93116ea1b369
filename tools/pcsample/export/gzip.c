// SPDX-License-Identifier: GPL-2.0-only
#include "export/gzip.h"

/* Added to windowBits: write the header and trailer of gzip instead of those of zlib */
#define GZIP_FORMAT	16
#define MEMORY_LEVEL	8

int gzip_init(struct gzip *gz, struct out *o)
{
	memset(gz, 0, sizeof(*gz));
	gz->o = o;
	if (deflateInit2(&gz->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT,
			 MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	return 0;
}

static void deflate_bytes(struct gzip *gz, const void *data, size_t size, int flush)
{
	u8 buf[OUT_ITEM_MAX];

	gz->z.next_in = (u8 *)data;
	gz->z.avail_in = size;
	do {
		gz->z.next_out = buf;
		gz->z.avail_out = sizeof(buf);
		deflate(&gz->z, flush);
		out_bytes(gz->o, (char *)buf, sizeof(buf) - gz->z.avail_out);
	} while (!gz->z.avail_out);
}

void gzip_write(struct gzip *gz, const void *data, size_t size)
{
	deflate_bytes(gz, data, size, Z_NO_FLUSH);
}

void gzip_end(struct gzip *gz)
{
	deflate_bytes(gz, NULL, 0, Z_FINISH);
}

void gzip_deinit(struct gzip *gz)
{
	deflateEnd(&gz->z);
}
