/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files by build id from the debuginfod servers of DEBUGINFOD_URLS. Servers are asked only if the
 * user wants it, since they learn what runs here, and may be slow.
 */
#ifndef PCSAMPLE_SYMBOLS_DEBUGINFOD_H
#define PCSAMPLE_SYMBOLS_DEBUGINFOD_H

#include "base/build-id.h"
#include "base/error.h"

struct debug_server;

/**
 * debug_server_open() - prepare to ask servers
 *
 * Loads libdebuginfod. No server is asked yet.
 *
 * Return: 0; -EOPNOTSUPP if it was not built in or is not installed; or -ENOMEM.
 */
int debug_server_open(struct debug_server **ret, struct error *err);
void debug_server_close(struct debug_server *server);

/**
 * debug_server_get() - ask for a file
 * @debug: the debug file, else the file that was mapped
 * @name: shown to the user as progress
 * @path: receives its name in the cache; to be freed
 *
 * May be called from several threads. The servers are not asked again after 20 seconds (or
 * DEBUGINFOD_TIMEOUT) without an answer, or after a failure other than a missing file.
 *
 * Return: 0; -ENOENT if no server has it; or a negative errno.
 */
int debug_server_get(struct debug_server *server, const struct build_id *id, bool debug,
		     const char *name, char **path);

/* Why the servers are no longer asked; an empty text if they are. @server may be NULL. */
const char *debug_server_problem(const struct debug_server *server);

#endif /* PCSAMPLE_SYMBOLS_DEBUGINFOD_H */
