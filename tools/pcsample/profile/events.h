/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the events of a recording that have samples, and those that the user named.
 */
#ifndef PCSAMPLE_PROFILE_EVENTS_H
#define PCSAMPLE_PROFILE_EVENTS_H

#include "profile/session.h"

/**
 * struct event_list - events, as they are in the recording
 * @event: the indexes of @nr events
 * @samples: number of samples of each event of the recording
 */
struct event_list {
	u32 *event;
	size_t nr;
	u64 *samples;
};

/*
 * Is this the event's name? The part after the last ':' and the PMU around a name may be left out:
 * "cycles" is cycles:u, cpu_core/cycles/, cpu_atom/cycles/
 */
bool event_is_called(const struct recorded_event *e, const char *name);

/**
 * events_find() - the events that have samples
 * @name: only those that event_is_called() so; NULL for all
 *
 * If only one event can have samples, it is listed even if it has none.
 *
 * Return: 0; -ENOENT if none is called @name, -ENODATA if none has samples, -ENOMEM.
 */
int events_find(struct event_list *list, struct session *s, const char *name, struct error *err);
void events_free(struct event_list *list);

#endif /* PCSAMPLE_PROFILE_EVENTS_H */
