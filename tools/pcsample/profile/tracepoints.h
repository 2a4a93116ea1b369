/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of tracepoints. libtraceevent decodes them by the formats that the recorder copied from
 * tracefs.
 */
#ifndef PCSAMPLE_PROFILE_TRACEPOINTS_H
#define PCSAMPLE_PROFILE_TRACEPOINTS_H

#include "profile/resolve.h"

struct tracepoints;

/**
 * tracepoints_open() - read the formats of a recording's tracepoints
 * @ret: receives them
 *
 * Only one thread may use them at a time.
 *
 * Return: 0; -ENOENT if the recording has none; -EOPNOTSUPP without libtraceevent; -EINVAL if they
 * are damaged; -ENOMEM.
 */
int tracepoints_open(struct tracepoints **ret, struct session *s, struct error *err);
void tracepoints_close(struct tracepoints *t);

/* Do the samples of an event have fields? */
static inline bool tracepoints_is(const struct recorded_event *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT && e->attr.sample_type & PERF_SAMPLE_RAW;
}

/**
 * struct tracepoint_sample - a sample of a tracepoint
 * @e: its event
 * @rec: the record
 * @time: when
 * @cpu: where
 */
struct tracepoint_sample {
	const struct recorded_event *e;
	const u8 *rec;
	u64 time;
	u32 cpu;
};

/**
 * tracepoints_text() - the fields, printed by the kernel's print format
 *
 * Return: a text that is valid until the next call; NULL if the sample has no fields, or its event
 * has no format.
 */
const char *tracepoints_text(struct tracepoints *t, const struct tracepoint_sample *x);

/* Does an event have this field? All have "trace", which is the whole text. */
bool tracepoints_has_field(const struct tracepoints *t, const char *name);

/* The name of the @i-th field of an event; NULL behind the last one */
const char *tracepoints_field_name(const struct tracepoints *t, const struct recorded_event *e,
				   unsigned int i);

/**
 * tracepoints_field_text() - the value of the @i-th field
 * @number: receives whether the text is a decimal number
 *
 * Return: as tracepoints_text().
 */
const char *tracepoints_field_text(struct tracepoints *t, const struct tracepoint_sample *x,
				   unsigned int i, bool *number);

#define TRACEPOINT_KEYS_MAX 8

/**
 * tracepoints_tell_apart() - add a field to those that tell samples apart
 * @name: as in tracepoints_has_field()
 *
 * There may be TRACEPOINT_KEYS_MAX of them. The first one is key 0.
 */
void tracepoints_tell_apart(struct tracepoints *t, const char *name);

/**
 * tracepoints_key() - a number for a sample's values in the fields that tell samples apart
 * @id: receives it; samples with the same values in all these fields have the same number
 *
 * Return: 0 or -ENOMEM.
 */
int tracepoints_key(struct tracepoints *t, const struct tracepoint_sample *x, u32 *id);

/* The value of a key that all samples of an id have, as perf report prints it; "N/A" if none */
const char *tracepoints_value(const struct tracepoints *t, u32 id, unsigned int key);

/**
 * tracepoints_filter() - let only samples pass whose fields match
 * @expression: as in the kernel's event filters, but =~ with a regular expression instead of ~:
 *	"prev_pid > 100 && prev_comm =~ \"sh.*\""
 *
 * Return: 0 or -EINVAL.
 */
int tracepoints_filter(struct tracepoints *t, const char *expression, struct error *err);

/* Return: whether the sample matches the filter. Without a filter all samples match. */
bool tracepoints_pass(struct tracepoints *t, const struct tracepoint_sample *x);

#endif /* PCSAMPLE_PROFILE_TRACEPOINTS_H */
