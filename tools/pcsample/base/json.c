// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/array.h"
#include "base/json.h"

static void begin_member(struct json *j, const char *key)
{
	if (j->more)
		out_char(j->o, ',');
	j->more = true;
	if (!key)
		return;
	out_char(j->o, '"');
	out_text(j->o, key);
	out_text(j->o, "\":");
}

void json_object(struct json *j, const char *key)
{
	begin_member(j, key);
	out_char(j->o, '{');
	j->more = false;
}

void json_object_end(struct json *j)
{
	out_char(j->o, '}');
	j->more = true;
}

void json_object_line(struct json *j)
{
	out_text(j->o, j->more ? ",\n{" : "\n{");
	j->more = false;
}

void json_array(struct json *j, const char *key)
{
	begin_member(j, key);
	out_char(j->o, '[');
	j->more = false;
}

void json_array_end(struct json *j)
{
	out_char(j->o, ']');
	j->more = true;
}

void json_string(struct json *j, const char *key, const char *text)
{
	begin_member(j, key);
	out_char(j->o, '"');
	out_json(j->o, text);
	out_char(j->o, '"');
}

void json_part(struct json *j, const char *key, const char *text, size_t len)
{
	char line[512];

	snprintf(line, sizeof(line), "%.*s", (int)min(len, sizeof(line) - 1), text);
	json_string(j, key, line);
}

void json_u64(struct json *j, const char *key, u64 value)
{
	begin_member(j, key);
	out_u64(j->o, value, 0);
}

void json_s64(struct json *j, const char *key, s64 value)
{
	begin_member(j, key);
	out_s64(j->o, value, 0);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_member(j, key);
	out_text(j->o, value ? "true" : "false");
}

void json_raw(struct json *j, const char *key, const char *value)
{
	begin_member(j, key);
	out_text(j->o, value);
}

void json_fixed(struct json *j, const char *key, double value, unsigned int decimals)
{
	begin_member(j, key);
	if (value < 0)
		out_char(j->o, '-');
	out_fixed(j->o, value < 0 ? -value : value, decimals, 0);
}

void json_begin(struct json *j, struct out *o, const char *schema, unsigned int version)
{
	j->o = o;
	j->more = false;
	json_object(j, NULL);
	json_string(j, "schema", schema);
	json_u64(j, "schema_version", version);
}

void json_end(struct json *j)
{
	json_object_end(j);
	out_char(j->o, '\n');
}
