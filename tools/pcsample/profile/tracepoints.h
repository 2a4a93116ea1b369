/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of tracepoints, by the formats that the recorder kept of tracefs; read by libtraceevent.
 */
#ifndef PCSAMPLE_PROFILE_TRACEPOINTS_H
#define PCSAMPLE_PROFILE_TRACEPOINTS_H

#include "profile/resolve.h"

struct tracepoints;

/**
 * tracepoints_open() - read the formats of a recording's tracepoints
 * @ret: takes them
 *
 * One thread may use them at a time.
 *
 * Return: 0; -ENOENT if the recording has none; -EOPNOTSUPP without libtraceevent; -EINVAL if they
 * are damaged; -ENOMEM.
 */
int tracepoints_open(struct tracepoints **ret, struct session *s, struct error *err);
void tracepoints_close(struct tracepoints *t);

/* Is it an event whose samples have fields? */
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
 * tracepoints_text() - the fields as the kernel's print format has them
 *
 * Return: a text that lives until the next call; NULL if the sample has no fields, or its event no
 * format.
 */
const char *tracepoints_text(struct tracepoints *t, const struct tracepoint_sample *x);

/* Does an event have that field, or is it "trace", which all have? */
bool tracepoints_has_field(const struct tracepoints *t, const char *name);

/* Those of an event, one after the other: the name of the @i-th, NULL behind the last */
const char *tracepoints_field_name(const struct tracepoints *t, const struct recorded_event *e,
				   unsigned int i);

/**
 * tracepoints_field_text() - the value of the field that tracepoints_field_name() names
 * @number: takes: is the text a decimal number?
 *
 * Return: as tracepoints_text().
 */
const char *tracepoints_field_text(struct tracepoints *t, const struct tracepoint_sample *x,
				   unsigned int i, bool *number);

#define TRACEPOINT_KEYS_MAX 8

/**
 * tracepoints_tell_apart() - tell samples apart by a field, too
 * @name: as tracepoints_has_field()
 *
 * Up to TRACEPOINT_KEYS_MAX. The first is key 0.
 */
void tracepoints_tell_apart(struct tracepoints *t, const char *name);

/**
 * tracepoints_key() - what a sample has in the fields that samples are told apart by
 * @id: takes a number; samples that have the same in all of them have the same
 *
 * Return: 0 or -ENOMEM.
 */
int tracepoints_key(struct tracepoints *t, const struct tracepoint_sample *x, u32 *id);

/* What samples of an id have in a key, as perf report prints it; "N/A" without the field */
const char *tracepoints_value(const struct tracepoints *t, u32 id, unsigned int key);

/**
 * tracepoints_filter() - let only samples pass whose fields match
 * @expression: as of the kernel's event filters, but for patterns:
 *	"prev_pid > 100 && prev_comm =~ \"sh.*\""
 *
 * Return: 0 or -EINVAL.
 */
int tracepoints_filter(struct tracepoints *t, const char *expression, struct error *err);

/* Return: whether the sample matches the filter. Without a filter all samples match. */
bool tracepoints_pass(struct tracepoints *t, const struct tracepoint_sample *x);

#endif /* PCSAMPLE_PROFILE_TRACEPOINTS_H */
