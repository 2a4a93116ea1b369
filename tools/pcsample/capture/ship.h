/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends the files of a spool to a ClickHouse server, and removes those that the server has.
 *
 * curl(1) sends them, as it knows proxies, certificates and passwords. A file is removed when the
 * server has confirmed all of it. If the confirmation is lost, the file is sent again, and its rows
 * replace the earlier ones (fleet/pcsample.sql). `record --spool-size` limits how much waits.
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
 * @table: the table for the rows
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
 * struct ship_round - results of sending what is in the spool
 * @sent: files
 * @waiting: files that are still there
 * @aside: files that were renamed, since the server refused them and took others
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
 * @stop: set by a signal handler; then no further file is sent
 *
 * Return: 0, also if the server took nothing; a negative errno if the spool cannot be read or curl
 * cannot be run.
 */
int ship_files(struct ship *s, const volatile int *stop, struct ship_round *round,
	       struct error *err);

#endif /* PCSAMPLE_CAPTURE_SHIP_H */
