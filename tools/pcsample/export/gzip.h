/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output that is compressed by gzip.
 */
#ifndef PCSAMPLE_EXPORT_GZIP_H
#define PCSAMPLE_EXPORT_GZIP_H

#include <zlib.h>

#include "base/out.h"

struct gzip {
	struct out *o;
	z_stream z;
};

/* Return: 0 or -ENOMEM */
int gzip_init(struct gzip *gz, struct out *o);
void gzip_write(struct gzip *gz, const void *data, size_t size);
/* Write what is left and the trailer, without which readers call the file truncated */
void gzip_end(struct gzip *gz);
void gzip_deinit(struct gzip *gz);

#endif /* PCSAMPLE_EXPORT_GZIP_H */
