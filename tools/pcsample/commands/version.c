// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample version: version and build-time features.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "commands/plain-options.h"

static const struct {
	const char *name;
	int built;
	const char *use;
} features[] = {
	{ "libperf", HAVE_LIBPERF, "record, stat, stuck, top, doctor --sample, profexc record" },
	{ "libdw", HAVE_LIBDW, "source lines, inlined functions, callers of --call-graph dwarf" },
	{ "debuginfod", HAVE_DEBUGINFOD, "debug files from servers, --debuginfod" },
	{ "zstd", HAVE_ZSTD, "compressed records, kernel symbols kept in the file" },
	{ "lzma", HAVE_LZMA, ".gnu_debugdata" },
	{ "libiberty", HAVE_IBERTY, "C++, Rust and D names" },
	{ "capstone", HAVE_CAPSTONE, "annotate" },
	{ "libtraceevent", HAVE_TRACEEVENT, "fields of tracepoints" },
	{ "ncurses", HAVE_NCURSES, "top" },
	{ "protobuf-c", HAVE_PROTOBUF_C, "export to pprof" },
};

#define NR_FEATURES (sizeof(features) / sizeof(features[0]))

struct version_options {
	const char *feature;
	bool json;
};

static const struct plain_option plain[] = {
	SETS('f', struct version_options, feature),
	SETS('j', struct version_options, json),
	NO_ARGUMENTS(""),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return plain_option(plain, key, arg, state);
}

static const struct argp_option options[] = {
	{ "feature", 'f', "NAME", 0,
	  "print nothing; exit status 0 if feature NAME was built in, else 2", 0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 }
};

const struct argp version_argp = {
	.options = options,
	.parser = parse,
	.doc = "Print the version of pcsample and the optional features it was built with.",
};

static int check_feature(const char *name)
{
	size_t i;

	for (i = 0; i < NR_FEATURES; i++)
		if (!strcmp(name, features[i].name))
			return features[i].built ? EXIT_OK : EXIT_NOTHING;
	fprintf(stderr, "pcsample version: no feature is called '%s'\n", name);
	return EXIT_USAGE;
}

int cmd_version(int argc, char **argv)
{
	struct version_options o = { 0 };
	size_t i;

	argp_parse(&version_argp, argc, argv, 0, NULL, &o);
	if (o.feature)
		return check_feature(o.feature);
	if (o.json) {
		printf("{\"schema\":\"pcsample-version\",\"schema_version\":1,"
		       "\"version\":\"%s\",\"features\":{",
		       PCSAMPLE_VERSION);
		for (i = 0; i < NR_FEATURES; i++)
			printf("%s\"%s\":%s", i ? "," : "", features[i].name,
			       features[i].built ? "true" : "false");
		printf("}}\n");
		return EXIT_OK;
	}
	printf("pcsample %s\n", PCSAMPLE_VERSION);
	for (i = 0; i < NR_FEATURES; i++)
		printf("  %-13s %-3s  %s\n", features[i].name, features[i].built ? "on" : "off",
		       features[i].use);
	return EXIT_OK;
}
