// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcsample ship: send the files of a spool to a server that stores the profiles of many machines.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "capture/ship.h"
#include "commands/command.h"
#include "commands/plain-options.h"

#define SPOOL		"/var/lib/pcsample"
#define TABLE		"pcsample.incoming"

/*
 * Seconds between two rounds. After a failure the next round is RETRY_S later; after each further
 * one the time doubles, up to a limit.
 */
#define LOOK_S		10
#define RETRY_S		1
#define RETRY_MAX_S	300
#define TIMEOUT_S	60

struct ship_options {
	struct ship ship;
	bool once, quiet, json;
};

enum { OPT_TO = 256, OPT_SPOOL, OPT_TABLE, OPT_CURL_CONFIG, OPT_TIMEOUT, OPT_ONCE, OPT_JSON };

static const struct argp_option option_table[] = {
	{ "to", OPT_TO, "URL", 0,
	  "send to this HTTP address of ClickHouse, such as http://HOST:8123/", 0 },
	{ "spool", OPT_SPOOL, "DIR", 0, "send the files in DIR (default: " SPOOL ")", 0 },
	{ "table", OPT_TABLE, "TABLE", 0, "insert into TABLE (default: " TABLE ")", 0 },
	{ "curl-config", OPT_CURL_CONFIG, "FILE", 0,
	  "read more options for curl from FILE, such as user, password, certificates", 0 },
	{ "timeout", OPT_TIMEOUT, "SECONDS", 0,
	  "give up sending a file after SECONDS (default: 60)", 0 },
	{ "once", OPT_ONCE, NULL, 0, "try each file once, and end", 0 },
	{ "json", OPT_JSON, NULL, 0, "print a line of JSON for each round that had files", 0 },
	{ "quiet", 'q', NULL, 0, "print only errors and warnings", 0 },
	{ 0 }
};

static bool is_name(const char *text)
{
	const char *p;

	for (p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '.')
			return false;
	return *text;
}

static const struct plain_option plain[] = {
	SETS(OPT_TO, struct ship_options, ship.to),
	SETS(OPT_SPOOL, struct ship_options, ship.path),
	SETS(OPT_CURL_CONFIG, struct ship_options, ship.curl_config),
	SETS(OPT_ONCE, struct ship_options, once),
	SETS(OPT_JSON, struct ship_options, json),
	SETS('q', struct ship_options, quiet),
	NO_ARGUMENTS("; the server is given with --to"),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ship_options *o = state->input;
	u64 seconds;

	switch (key) {
	case OPT_TABLE:
		if (!is_name(arg))
			argp_error(state, "--table %s: not a name such as " TABLE, arg);
		o->ship.table = arg;
		return 0;
	case OPT_TIMEOUT:
		if (!plain_number(&seconds, arg, 3600, NULL) || !seconds)
			argp_error(state, "--timeout %s: not 1 to 3600 seconds", arg);
		o->ship.timeout = seconds;
		return 0;
	case ARGP_KEY_END:
		if (!o->ship.to)
			argp_error(state, "no server: use --to, such as --to http://HOST:8123/");
		if (strncmp(o->ship.to, "http://", 7) && strncmp(o->ship.to, "https://", 8))
			argp_error(state, "--to %s: not an address such as http://HOST:8123/",
				   o->ship.to);
		if (strlen(o->ship.to) > 2048)
			argp_error(state, "--to: longer than 2048 characters");
		return 0;
	}
	return plain_option(plain, key, arg, state);
}

const struct argp ship_argp = {
	.options = option_table,
	.parser = parse,
	.doc = "Send the files of rows that 'pcsample record' writes into a spool to ClickHouse,"
	       " and remove each file when the server has stored it."
	       "\vIt runs until a signal ends it. If the server does not answer, it tries"
	       " again.\n\n"
	       "Examples:\n"
	       "  pcsample ship --to http://profiles:8123/\n"
	       "  pcsample ship --to https://profiles:8443/ --curl-config /etc/pcsample/curl.conf",
};

static volatile int stop;

static void on_signal(int number)
{
	stop = number;
}

/* A signal ends nanosleep(), and the loops that test @stop */
static void catch_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
}

/*
 * Report only changes: sending fails, it fails for another reason, or it works again. A server that
 * is down for a day must not fill the log.
 */
static void tell(const struct ship_options *o, const struct ship_round *round, int *told)
{
	if (round->aside)
		fprintf(stderr,
			"pcsample ship: %zu files that the server refuses are now %s/pcsample-0-*.refused\n",
			round->aside, o->ship.path);
	if (round->reason && round->reason != *told)
		fprintf(stderr, "pcsample ship: %s; %zu files wait\n", round->why.text,
			round->waiting);
	else if (!round->reason && *told && !o->quiet)
		fprintf(stderr, "pcsample ship: the server takes files again: %zu sent\n",
			round->sent);
	*told = round->reason;
}

/* Print one line about a round. Return: 0 or a negative errno */
static int print_json(const struct ship_round *round)
{
	static struct out o;
	struct json j;

	out_init(&o, STDOUT_FILENO);
	json_begin(&j, &o, "pcsample-ship", 1);
	json_u64(&j, "sent", round->sent);
	json_u64(&j, "waiting", round->waiting);
	json_u64(&j, "aside", round->aside);
	json_s64(&j, "reason", round->reason);
	json_string(&j, "why", round->why.text);
	json_end(&j);
	return out_flush(&o);
}

/* Vary the time by a quarter, so that hosts which lost the server together do not retry together */
static void wait_for(double seconds)
{
	double ns = seconds * 1e9 * (0.75 + 0.5 * drand48());
	struct timespec time = { ns / 1e9, (u64)ns % 1000000000 };

	nanosleep(&time, NULL);
}

static int ship_until_ended(struct ship_options *o)
{
	struct error err = { "" };
	struct ship_round round;
	double retry = RETRY_S;
	int told = 0;

	srand48(now_ns() ^ getpid());
	while (!stop) {
		if (ship_files(&o->ship, &stop, &round, &err))
			return complain("pcsample ship", &err);
		tell(o, &round, &told);
		if (o->json && (o->once || round.sent || round.waiting) && print_json(&round)) {
			fprintf(stderr, "pcsample ship: standard output: cannot write\n");
			return EXIT_FAILED;
		}
		if (o->once)
			return round.reason ? EXIT_FAILED : EXIT_OK;
		if (stop)
			break;
		if (!round.reason || round.sent)
			retry = RETRY_S;
		wait_for(round.reason ? retry : LOOK_S);
		if (round.reason)
			retry = retry * 2 < RETRY_MAX_S ? retry * 2 : RETRY_MAX_S;
	}
	return EXIT_OK;
}

int cmd_ship(int argc, char **argv)
{
	struct ship_options o = {
		.ship = { .path = SPOOL, .table = TABLE, .timeout = TIMEOUT_S },
	};
	struct error err = { "" };
	int status;

	argp_parse(&ship_argp, argc, argv, 0, NULL, &o);
	catch_signals();
	status = ship_open(&o.ship, &err) ? complain("pcsample ship", &err) : ship_until_ended(&o);
	ship_close(&o.ship);
	return status;
}
