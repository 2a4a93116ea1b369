/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings in the formats of other tools, one file each.
 */
#ifndef PCSAMPLE_EXPORT_H
#define PCSAMPLE_EXPORT_H

#include "export/job.h"

/**
 * struct export_format - what can be written
 * @suffix: of the files that have it
 * @write: NULL if it was not built in
 * @by: what its counts are told apart by, BY_*
 * @binary: nothing for a terminal
 * @stacks: it has them, so that callers can be in it
 * @events: it holds several
 */
struct export_format {
	const char *name, *suffix;
	export_fn *write;
	unsigned int by;
	bool binary, stacks, events;
};

/* The formats from @i = 0 on; NULL behind the last */
const struct export_format *export_format_at(size_t i);

/* NULL if there is none */
const struct export_format *export_format_named(const char *name);
const struct export_format *export_format_of_file(const char *path);

#endif /* PCSAMPLE_EXPORT_H */
