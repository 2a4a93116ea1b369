/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PERFDATA_TRACING_DATA: files of tracefs that the recorder copied, for the fields of tracepoints.
 */
#ifndef PCSAMPLE_PERFDATA_TRACING_H
#define PCSAMPLE_PERFDATA_TRACING_H

#include "perfdata/span.h"

/**
 * struct tracing_head - properties of the recorded kernel
 * @big_endian: byte order of the recorded machine, and so of the raw data of samples
 * @long_size: bytes of its long
 */
struct tracing_head {
	bool big_endian;
	u8 long_size;
};

/*
 * Called with the format of an event of @system; if @system is NULL, with the text of
 * printk_formats. @text does not end with NUL.
 */
typedef int tracing_fn(void *ctx, const char *system, const char *text, size_t size);

/**
 * tracing_read() - read the section, and pass each format to a callback
 * @s: the section
 * @head: filled before the first call of @fn
 *
 * Reading stops at damage.
 *
 * Return: 0, what @fn returned, or -EINVAL if the beginning is damaged.
 */
int tracing_read(struct perfdata_span s, struct tracing_head *head, tracing_fn *fn, void *ctx);

#endif /* PCSAMPLE_PERFDATA_TRACING_H */
