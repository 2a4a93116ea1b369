// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text-file.h"
#include "capture/event.h"

#define DEVICES	"/sys/bus/event_source/devices"

#define SW(name, id)	{ name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, false }
#define HW(name, id)	{ name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, false }

const struct event_name event_names[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true },
	HW("cycles", CPU_CYCLES),
	HW("cpu-cycles", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	HW("bus-cycles", BUS_CYCLES),
	HW("ref-cycles", REF_CPU_CYCLES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	SW("page-faults", PAGE_FAULTS),
	SW("faults", PAGE_FAULTS),
	SW("minor-faults", PAGE_FAULTS_MIN),
	SW("major-faults", PAGE_FAULTS_MAJ),
	SW("context-switches", CONTEXT_SWITCHES),
	SW("cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", CPU_MIGRATIONS),
	SW("migrations", CPU_MIGRATIONS),
	SW("alignment-faults", ALIGNMENT_FAULTS),
	SW("emulation-faults", EMULATION_FAULTS),
	{ NULL, 0, 0, false }
};

bool event_is_pcsample(const struct event_spec *event)
{
	return !strcmp(event->pmu, PCSAMPLE_PMU);
}

/* The bits are those of linux/arm_pcsample.h */
bool event_is_snapshot(const struct event_spec *event)
{
	return event_is_pcsample(event) && event->config[0] >> 10 & 1;
}

unsigned int event_counter(const struct event_spec *event)
{
	return event->config[2] >> 32 & 0xffff;
}

bool event_is_profexc(const struct event_spec *event)
{
	return !strcmp(event->pmu, PROFEXC_PMU);
}

/* Fields of a PMU's configuration */

/*
 * Spread @value over the bits that @ranges names, "0-7,32-35", lowest first. @ranges comes from the
 * kernel, so that only its form is checked.
 */
static int set_bits(u64 *config, const char *ranges, u64 value)
{
	unsigned long first, last;
	char *end;

	for (;; ranges = end + 1) {
		first = strtoul(ranges, &end, 10);
		if (end == ranges)
			return -EINVAL;
		last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last > 63)
			return -EINVAL;
		for (; first <= last; first++, value >>= 1)
			*config = (*config & ~(1ULL << first)) | (value & 1) << first;
		if (*end != ',')
			break;
	}
	if (*end)
		return -EINVAL;
	return value ? -ERANGE : 0;
}

int event_set_term(struct event_spec *event, const char *root, const char *term, u64 value,
		   struct error *err)
{
	char format[128];
	unsigned int index = 0;
	int len, ret;

	if (!*term || strchr(term, '/'))
		return error_set(err, -EINVAL, "%s: '%s' is not the name of a field", event->name,
				 term);
	len = sysfs_read(format, sizeof(format), "%s" DEVICES "/%s/format/%s", root, event->pmu,
			 term);
	if (len < 0)
		return error_set(err, -ENOENT, "%s: PMU %s has no field '%s'; see 'pcsample list'",
				 event->name, event->pmu, term);
	len = 0;
	if (sscanf(format, "config%u:%n", &index, &len) != 1 || !len) {
		index = 0;
		len = strncmp(format, "config:", 7) ? 0 : 7;
	}
	ret = len && index < 3 ? set_bits(&event->config[index], format + len, value) : -EINVAL;
	if (ret == -ERANGE)
		return error_set(err, ret, "%s: %s=%#llx does not fit into %s", event->name, term,
				 (unsigned long long)value, format);
	if (ret)
		return error_set(err, ret, "%s: cannot use format '%s' of field %s", event->name,
				 format, term);
	return 0;
}

static int parse_terms(struct event_spec *event, const char *root, char *terms, bool alias,
		       struct error *err);

/* Replace a name from the PMU's events/ directory by its terms, which contain no other names */
static int parse_alias(struct event_spec *event, const char *root, const char *name,
		       struct error *err)
{
	char terms[256];

	if (strchr(name, '/') || sysfs_read(terms, sizeof(terms), "%s" DEVICES "/%s/events/%s",
					    root, event->pmu, name) < 0)
		return -ENOENT;
	return parse_terms(event, root, terms, true, err);
}

static int parse_term(struct event_spec *event, const char *root, char *term, bool alias,
		      struct error *err)
{
	char *text = strchr(term, '='), *end;
	u64 value = 1;
	int ret;

	if (!text) {
		ret = alias ? -ENOENT : parse_alias(event, root, term, err);
		if (ret != -ENOENT)
			return ret;
	} else {
		*text++ = '\0';
		errno = 0;
		value = strtoull(text, &end, 0);
		if (end == text || *end || errno || *text == '-')
			return error_set(err, -EINVAL, "%s: '%s' is not a number", event->name,
					 text);
	}
	if (!strcmp(term, "config")) {
		event->config[0] = value;
		return 0;
	}
	if (!strcmp(term, "config1") || !strcmp(term, "config2")) {
		event->config[term[6] - '0'] = value;
		return 0;
	}
	return event_set_term(event, root, term, value, err);
}

static int parse_terms(struct event_spec *event, const char *root, char *terms, bool alias,
		       struct error *err)
{
	char *term, *rest = NULL;
	int ret = 0;

	for (term = strtok_r(terms, ",", &rest); term && !ret; term = strtok_r(NULL, ",", &rest))
		ret = parse_term(event, root, term, alias, err);
	return ret;
}

/* Names */

static int parse_modifiers(struct event_spec *event, const char *text, struct error *err)
{
	bool user = false, kernel = false;
	const char *c;

	for (c = text; *c; c++) {
		user |= *c == 'u';
		kernel |= *c == 'k';
		if (!strchr("uk", *c))
			return error_set(err, -EINVAL,
					 "%s: modifier '%c' is not known; u and k are", event->name,
					 *c);
	}
	if (user != kernel) {
		event->exclude_kernel = user;
		event->exclude_user = kernel;
	}
	return 0;
}

static int find_pmu(struct event_spec *event, const char *root, const char *name,
		    struct error *err)
{
	char text[CPUS_TEXT_MAX];
	u64 type;
	int ret;

	if (!*name || *name == '.' || strlen(name) >= sizeof(event->pmu))
		return error_set(err, -EINVAL, "%s: no such event; see 'pcsample list'",
				 event->name);
	snprintf(event->pmu, sizeof(event->pmu), "%s", name);
	ret = sysfs_read_number(&type, "%s" DEVICES "/%s/type", root, name);
	if (ret)
		return error_set(err, -ENODEV, "%s: no such event or PMU; see 'pcsample list'",
				 event->name);
	event->type = type;
	event->in_ns = event_is_pcsample(event);
	ret = sysfs_read(text, sizeof(text), "%s" DEVICES "/%s/cpumask", root, name);
	if (ret < 0)
		return 0;
	event->on_cpumask = true;
	if (cpus_parse(&event->cpumask, text))
		return error_set(err, -EINVAL, "%s: cannot read the CPUs of PMU %s: '%.64s'",
				 event->name, name, text);
	return 0;
}

static int parse_pmu_event(struct event_spec *event, const char *root, char *text,
			   struct error *err)
{
	char *terms = strchr(text, '/'), *modifiers = NULL;
	int ret;

	if (terms) {
		*terms++ = '\0';
		modifiers = strchr(terms, '/');
		if (!modifiers)
			return error_set(err, -EINVAL, "%s: a slash is missing after the terms",
					 event->name);
		*modifiers++ = '\0';
		if (*modifiers == ':')
			modifiers++;
	}
	ret = find_pmu(event, root, text, err);
	if (!ret && terms)
		ret = parse_terms(event, root, terms, false, err);
	if (!ret && modifiers)
		ret = parse_modifiers(event, modifiers, err);
	return ret;
}

/* Return: 1 if @text is generic or raw, 0 if not */
static int parse_generic(struct event_spec *event, const char *text)
{
	const struct event_name *e;
	char *end;
	u64 raw;

	for (e = event_names; e->name; e++) {
		if (strcmp(e->name, text))
			continue;
		event->type = e->type;
		event->config[0] = e->config;
		event->in_ns = e->in_ns;
		return 1;
	}
	if (*text != 'r' || !isxdigit((unsigned char)text[1]))
		return 0;
	raw = strtoull(text + 1, &end, 16);
	if (*end)
		return 0;
	event->config[0] = raw;
	event->type = PERF_TYPE_RAW;
	return 1;
}

int event_parse(struct event_spec *event, const char *root, const char *text, struct error *err)
{
	char copy[sizeof(event->name)], *colon;
	int ret;

	memset(event, 0, sizeof(*event));
	if (strlen(text) + 3 > sizeof(copy))
		return error_set(err, -EINVAL, "event name of %zu characters is too long",
				 strlen(text));
	strcpy(event->name, text);
	strcpy(copy, text);
	if (!strchr(copy, '/')) {
		colon = strchr(copy, ':');
		if (colon)
			*colon++ = '\0';
		if (!parse_generic(event, copy)) {
			ret = find_pmu(event, root, copy, err);
			if (ret)
				return ret;
			/* there is room for the slashes, checked above */
			stpcpy(stpcpy(stpcpy(event->name, copy), "//"), colon ? colon : "");
		}
		return colon ? parse_modifiers(event, colon, err) : 0;
	}
	return parse_pmu_event(event, root, copy, err);
}
