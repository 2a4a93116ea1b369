// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"
#include "base/progress.h"
#include "symbols/debuginfod.h"

#if HAVE_DEBUGINFOD
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <pthread.h>
#include <unistd.h>

#define TIMEOUT_SECONDS 20

/*
 * The library is loaded when it is wanted: it brings a whole HTTP client, which would slow down
 * every start. It stays loaded: what curl and its TLS keep for the whole process has no other end.
 */
struct debug_server {
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find_debuginfo;
	__typeof__(debuginfod_find_executable) *find_executable;
	debuginfod_client *client;

	pthread_mutex_t lock;
	struct error problem;
	long timeout;		/* seconds */

	/* The file that is asked for */
	const char *name;
	u64 since;		/* now_ns() of the last byte */
	long done;
	bool late;
};

/* The library's callback has no argument for us, but runs in the thread that asks */
static _Thread_local struct debug_server *asking;

/*
 * Until a server answers @a counts calls and @b is 0, then they are bytes (debuginfod_find_*(3),
 * progress). Return: end the transfer?
 */
static int on_progress(debuginfod_client *client, long a, long b)
{
	struct debug_server *server = asking;
	long done = b > 0 ? a : 0;

	if (done != server->done) {
		server->done = done;
		server->since = now_ns();
	}
	server->late = now_ns() - server->since >= server->timeout * 1000000000ULL;
	progress("asking debuginfod for", server->name, done, max(b, 0L));
	return server->late;
}

static long timeout_seconds(void)
{
	const char *text = getenv("DEBUGINFOD_TIMEOUT");
	long seconds = text ? strtol(text, NULL, 10) : 0;

	return seconds > 0 ? seconds : TIMEOUT_SECONDS;
}

static int load_library(struct debug_server *server)
{
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_set_progressfn) *set_progressfn;
	void *library = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return -EOPNOTSUPP;
	begin = dlsym(library, "debuginfod_begin");
	set_progressfn = dlsym(library, "debuginfod_set_progressfn");
	server->end = dlsym(library, "debuginfod_end");
	server->find_debuginfo = dlsym(library, "debuginfod_find_debuginfo");
	server->find_executable = dlsym(library, "debuginfod_find_executable");
	if (!begin || !set_progressfn || !server->end || !server->find_debuginfo ||
	    !server->find_executable)
		return -EOPNOTSUPP;
	server->client = begin();
	if (!server->client)
		return -ENOMEM;
	set_progressfn(server->client, on_progress);
	return 0;
}

int debug_server_open(struct debug_server **ret, struct error *err)
{
	struct debug_server *server = calloc(1, sizeof(*server));
	int failed;

	if (!server)
		return error_set(err, -ENOMEM, "out of memory");
	pthread_mutex_init(&server->lock, NULL);
	server->timeout = timeout_seconds();
	/*
	 * A server that did not answer in that time is not asked again, neither by us nor by the
	 * library.
	 */
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
	failed = load_library(server);
	if (failed) {
		debug_server_close(server);
		return error_set(err, failed, failed == -ENOMEM ? "out of memory" :
				 "--debuginfod: no " DEBUGINFOD_SONAME
				 " here; on Debian: apt-get install libdebuginfod1");
	}
	*ret = server;
	return 0;
}

void debug_server_close(struct debug_server *server)
{
	if (!server)
		return;
	if (server->client)
		server->end(server->client);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

/* A server that lacks a file still answers: keep asking it for others */
static void give_up(struct debug_server *server, int ret)
{
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);

	/* The library tells of the same time limit when it is the first to notice */
	if (server->late || ret == -ETIME)
		error_set(&server->problem, ret,
			  "debuginfod: no answer of %s in %ld s: not asked again",
			  urls ? urls : "?", server->timeout);
	else if (ret != -ENOENT)
		error_set(&server->problem, ret, "debuginfod: %s: %s: not asked again",
			  urls ? urls : "?", strerror(-ret));
}

int debug_server_get(struct debug_server *server, const struct build_id *id, bool debug,
		     const char *name, char **path)
{
	int fd = -EAGAIN;

	*path = NULL;
	pthread_mutex_lock(&server->lock);
	if (!server->problem.text[0]) {
		server->name = name;
		server->since = now_ns();
		server->done = 0;
		server->late = false;
		asking = server;
		/* elfutils 0.192, which Debian 13 has, says nothing until a server answers. */
		progress_wait("asking debuginfod for", name);
		fd = (debug ? server->find_debuginfo : server->find_executable)
			(server->client, id->bytes, id->size, path);
		progress_end();
		if (fd < 0)
			give_up(server, fd);
		else
			close(fd);
	}
	pthread_mutex_unlock(&server->lock);
	return fd < 0 ? fd : 0;
}

const char *debug_server_problem(const struct debug_server *server)
{
	return server ? server->problem.text : "";
}
#else
int debug_server_open(struct debug_server **ret, struct error *err)
{
	return error_set(err, -EOPNOTSUPP,
			 "built without debuginfod; see 'pcsample version'");
}

void debug_server_close(struct debug_server *server)
{
}

int debug_server_get(struct debug_server *server, const struct build_id *id, bool debug,
		     const char *name, char **path)
{
	return -EOPNOTSUPP;
}

const char *debug_server_problem(const struct debug_server *server)
{
	return "";
}
#endif
