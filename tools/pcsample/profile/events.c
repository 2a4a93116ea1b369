// SPDX-License-Identifier: GPL-2.0-only
#include "profile/events.h"

bool event_is_called(const struct recorded_event *e, const char *name)
{
	const char *slash = strchr(e->name, '/'), *colon = strrchr(e->name, ':');

	if (!strcmp(e->name, name))
		return true;
	/* "pmu/NAME/", or "NAME:u" */
	if (slash)
		return text_is(slash + 1, strcspn(slash + 1, "/"), name);
	return colon && e->attr.type != PERF_TYPE_TRACEPOINT &&
	       text_is(e->name, colon - e->name, name);
}

static void count_samples(struct session *s, u64 *samples)
{
	struct perfdata *pd = s->pd;
	const u8 *rec;
	u32 event;
	u64 pos = 0;

	if (pd->only >= 0) {
		samples[pd->only] = s->counts.samples;
		return;
	}
	while ((rec = perfdata_next(pd, &pos))) {
		if (rec_type(rec) != PERF_RECORD_SAMPLE)
			continue;
		event = perfdata_event_of(pd, rec);
		if (event != IDMAP_NONE)
			samples[event]++;
	}
}

int events_find(struct event_list *list, struct session *s, const char *name, struct error *err)
{
	const struct perfdata *pd = s->pd;
	bool known = false;
	size_t i;

	memset(list, 0, sizeof(*list));
	list->event = calloc(pd->nr_events, sizeof(*list->event));
	list->samples = calloc(pd->nr_events, sizeof(*list->samples));
	if (!list->event || !list->samples) {
		events_free(list);
		return error_set(err, -ENOMEM, "out of memory");
	}
	count_samples(s, list->samples);
	for (i = 0; i < pd->nr_events; i++) {
		if (name && !event_is_called(&pd->events[i], name))
			continue;
		known = true;
		if (list->samples[i] || (int)i == pd->only)
			list->event[list->nr++] = i;
	}
	if (list->nr)
		return 0;
	events_free(list);
	if (known)
		return error_set(err, -ENODATA, "%s: no samples; pcsample report says why",
				 pd->path);
	return error_set(err, -ENOENT, "%s: no event is called %s", pd->path, name);
}

void events_free(struct event_list *list)
{
	free(list->event);
	free(list->samples);
	memset(list, 0, sizeof(*list));
}
