// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>

#include "export/export.h"

/* The finest rows, for formats that are made of rows */
#define BY_ROW		(BY_COMM | BY_PID | BY_TID | BY_CPU | BY_DSO | BY_EL | BY_STATE | \
			 BY_VMID | BY_METHOD | BY_CGROUP | BY_EVENT)

/*
 * A page has all that a browser needs of each event, and takes 100 kB and more for each: a browser
 * does not open the page of perf record -e 'syscalls:*'
 */
#define PAGE_EVENTS	50

static const struct export_format formats[] = {
	{ "folded", ".folded", export_folded, BY_EVENT, false, true, 1 },
	{ "pprof", ".pb.gz",
#if HAVE_PROTOBUF_C
	  export_pprof,
#else
	  NULL,
#endif
	  BY_ROW | BY_ADDR | BY_IDLE, true, true, UINT_MAX },
	{ "speedscope", ".speedscope.json", export_speedscope, BY_EVENT, false, true, 1 },
	{ "firefox", ".firefox.json", export_firefox, BY_EVENT, false, true, UINT_MAX },
	{ "html", ".html", export_html, BY_EVENT | BY_EL | BY_STATE | BY_VMID, false,
	  true, PAGE_EVENTS },
	{ "csv", ".csv", export_csv, BY_ROW | BY_SYM, false, false, 1 },
	{ "rows", ".rows.gz", export_rows, BY_EVENT, true, false, 1 },
	/* behind other formats whose suffix ends in .json */
	{ "json", ".json", export_json, BY_ROW | BY_SYM, false, false, 1 },
};

const struct export_format *export_format_at(size_t i)
{
	return i < ARRAY_SIZE(formats) ? &formats[i] : NULL;
}

const struct export_format *export_format_named(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(name, formats[i].name))
			return &formats[i];
	return NULL;
}

const struct export_format *export_format_of_file(const char *path)
{
	size_t len = strlen(path), n, i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		n = strlen(formats[i].suffix);
		if (len > n && !strcmp(path + len - n, formats[i].suffix))
			return &formats[i];
	}
	return NULL;
}
