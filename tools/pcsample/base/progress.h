/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of long operations.
 */
#ifndef PCSAMPLE_BASE_PROGRESS_H
#define PCSAMPLE_BASE_PROGRESS_H

#include "base/array.h"

/**
 * struct progress_listener - functions that show progress; called from any thread, and often
 * @show: reports progress: @what is the activity, such as "reading"; @name is its object, or NULL;
 *	@total is 0 if it is not known
 * @wait: as @show, before a long call that cannot report progress
 * @end: the operation is over
 * @output: something is about to be written to standard output
 */
struct progress_listener {
	void (*show)(const char *what, const char *name, u64 done, u64 total);
	void (*wait)(const char *what, const char *name);
	void (*end)(void);
	void (*output)(void);
};

/* NULL for none. Set it before threads are started. */
extern const struct progress_listener *progress_listener;

static inline void progress(const char *what, const char *name, u64 done, u64 total)
{
	if (unlikely(progress_listener))
		progress_listener->show(what, name, done, total);
}

static inline void progress_wait(const char *what, const char *name)
{
	if (unlikely(progress_listener))
		progress_listener->wait(what, name);
}

static inline void progress_end(void)
{
	if (unlikely(progress_listener))
		progress_listener->end();
}

static inline void progress_output(void)
{
	if (unlikely(progress_listener))
		progress_listener->output();
}

#endif /* PCSAMPLE_BASE_PROGRESS_H */
