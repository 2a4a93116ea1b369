/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends the files of a spool to a ClickHouse server, and removes those that it has.
 *
 * curl(1) does it, which knows proxies, certificates and passwords. A file is there until the
 * server said that it has all of it; if that answer is lost, the file is sent again, and replaces
 * itself (fleet/pcsample.sql). Who writes the spool bounds how much waits: `record --spool-size`.
 */
#ifndef PCSAMPLE_CAPTURE_SHIP_H
#define PCSAMPLE_CAPTURE_SHIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/idmap.h"

/**
 * struct ship - a spool and where its files go
 * @path: of the spool
 * @to: URL of the server, with parameters if there are any
 * @table: that takes the rows
 * @curl_config: a file of curl's options, for passwords; NULL for none
 * @timeout: seconds that one file may take
 * @fd: the directory
 * @lock: held by one shipper at a time
 * @refused: private: how often the server took other files and refused this one
 */
struct ship {
	const char *path, *to, *table, *curl_config;
	unsigned int timeout;
	int fd, lock;
	struct idmap refused;
};

/**
 * struct ship_round - what came of one look at the spool
 * @sent: files
 * @waiting: files that are still there
 * @aside: files that were renamed, as only they were refused
 * @reason: of the first failure: a status of HTTP, or a negative one of curl; 0 if there was none
 * @why: the same in words
 */
struct ship_round {
	size_t sent, waiting, aside;
	int reason;
	struct error why;
};

/* Return: 0 or a negative errno: -EBUSY if another shipper has the spool */
int ship_open(struct ship *s, struct error *err);
void ship_close(struct ship *s);

/**
 * ship_files() - send what is in the spool, the oldest first
 * @stop: set by a signal handler: no other file is begun
 *
 * Return: 0, also if the server took nothing; a negative errno if the spool cannot be read or curl
 * cannot be run.
 */
int ship_files(struct ship *s, const volatile int *stop, struct ship_round *round,
	       struct error *err);

#endif /* PCSAMPLE_CAPTURE_SHIP_H */
