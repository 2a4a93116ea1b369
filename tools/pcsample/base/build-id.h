/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids: the identity of a program, library, kernel or module.
 */
#ifndef PCSAMPLE_BASE_BUILD_ID_H
#define PCSAMPLE_BASE_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

#include <arch-model/types.h>

#define BUILD_ID_MAX	20

/* @size is 0 where there is no build-id. Of a longer one @bytes has the first, as in perf. */
struct build_id {
	u8 size;
	u8 bytes[BUILD_ID_MAX];
};

/** build_id_same() - are both known and the same? */
bool build_id_same(const struct build_id *a, const struct build_id *b);

#define BUILD_ID_HEX	(2 * BUILD_ID_MAX + 1)

/** build_id_hex() - @id in lowercase hexadecimal, or empty; @hex has BUILD_ID_HEX bytes */
const char *build_id_hex(const struct build_id *id, char *hex);

/**
 * build_id_from_notes() - find NT_GNU_BUILD_ID in ELF notes
 * @id: result
 * @notes: notes as of a 4-byte aligned PT_NOTE segment or /sys/kernel/notes; not trusted
 * @size: bytes of it
 *
 * Return: true if there is one
 */
bool build_id_from_notes(struct build_id *id, const void *notes, size_t size);

/** build_id_of_sysfs() - build-id in a notes file of sysfs */
bool build_id_of_sysfs(struct build_id *id, const char *path);

#endif /* PCSAMPLE_BASE_BUILD_ID_H */
