/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes JSON, member by member; places the commas.
 */
#ifndef PCSAMPLE_BASE_JSON_H
#define PCSAMPLE_BASE_JSON_H

#include "base/out.h"

/**
 * struct json - a document being written
 * @o: where to
 * @more: the innermost object or array has a member, so that a comma comes before the next one
 */
struct json {
	struct out *o;
	bool more;
};

/**
 * json_begin() - begin a document: an object with the name of its schema
 * @j: document
 * @o: where it goes
 * @schema: as "pcsample-stat"
 * @version: raised when a member changes its meaning or goes away
 */
void json_begin(struct json *j, struct out *o, const char *schema, unsigned int version);

/** json_end() - end the document with a newline */
void json_end(struct json *j);

/* Members. @key is NULL in an array; it is not escaped */
void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
/* Begin an object in an array, in a line of its own */
void json_object_line(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);
void json_string(struct json *j, const char *key, const char *text);
/* The first @len bytes of @text; no more than 511 */
void json_part(struct json *j, const char *key, const char *text, size_t len);

void json_u64(struct json *j, const char *key, u64 value);
void json_s64(struct json *j, const char *key, s64 value);
void json_bool(struct json *j, const char *key, bool value);

/* A value that is written as given: "null", or a number in a format of its own */
void json_raw(struct json *j, const char *key, const char *value);

/* With up to 9 @decimals */
void json_fixed(struct json *j, const char *key, double value, unsigned int decimals);

#endif /* PCSAMPLE_BASE_JSON_H */
