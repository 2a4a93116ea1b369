/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes recordings in the formats of other tools.
 */
#ifndef PCSAMPLE_EXPORT_H
#define PCSAMPLE_EXPORT_H

#include "export/job.h"

/**
 * struct export_format - a format
 * @suffix: of its files
 * @write: NULL if it is not built in
 * @by: BY_*, what its rows are told apart by
 * @binary: not to be written to a terminal
 * @stacks: it has stacks, so that it can show callers
 * @events: how many events a file can have
 */
struct export_format {
	const char *name, *suffix;
	export_fn *write;
	unsigned int by;
	bool binary, stacks;
	unsigned int events;
};

/* The @i-th format; NULL behind the last */
const struct export_format *export_format_at(size_t i);

/* By name, and by the suffix of a file. Return: NULL if there is none */
const struct export_format *export_format_named(const char *name);
const struct export_format *export_format_of_file(const char *path);

#endif /* PCSAMPLE_EXPORT_H */
