// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/build-id.h"
#include "base/text-file.h"

/* Real note sections are much smaller; a hostile file may claim more */
#define NOTES_MAX	(1U << 16)

bool build_id_same(const struct build_id *a, const struct build_id *b)
{
	return a->size && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

const char *build_id_hex(const struct build_id *id, char *hex)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int i;

	for (i = 0; i < id->size; i++) {
		hex[2 * i] = digits[id->bytes[i] >> 4];
		hex[2 * i + 1] = digits[id->bytes[i] & 0xf];
	}
	hex[2 * i] = '\0';
	return hex;
}

/* Notes */

struct note_header {
	u32 name_size;
	u32 data_size;
	u32 type;
};

static size_t align4(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

bool build_id_from_notes(struct build_id *id, const void *notes, size_t size)
{
	struct note_header h;
	const u8 *at = notes;
	size_t body;

	id->size = 0;
	while (size >= sizeof(h)) {
		memcpy(&h, at, sizeof(h));
		at += sizeof(h);
		size -= sizeof(h);
		if (h.name_size > NOTES_MAX || h.data_size > NOTES_MAX)
			return false;
		body = align4(h.name_size) + h.data_size;
		if (body > size)
			return false;
		if (h.type == NT_GNU_BUILD_ID && h.name_size == 4 && !memcmp(at, "GNU", 4) &&
		    h.data_size) {
			id->size = min(h.data_size, (u32)BUILD_ID_MAX);
			memset(id->bytes, 0, sizeof(id->bytes));
			memcpy(id->bytes, at + 4, id->size);
			return true;
		}
		body = align4(body);
		if (body > size)
			return false;
		at += body;
		size -= body;
	}
	return false;
}

bool build_id_of_sysfs(struct build_id *id, const char *path)
{
	char *notes;
	size_t size;
	bool found;

	id->size = 0;
	if (sysfs_slurp(&notes, &size, NOTES_MAX, path))
		return false;
	found = build_id_from_notes(id, notes, size);
	free(notes);
	return found;
}
