// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/text-file.h"
#include "capture/diagnose.h"
#include "perfdata/outcomes.h"

#define HZ_LIMIT	"/proc/sys/kernel/perf_event_max_sample_rate"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

bool has_capability(const char *root, unsigned int capability)
{
	char text[4096], *line;

	if (sysfs_read(text, sizeof(text), "%s/proc/self/status", root) < 0)
		return false;
	line = strstr(text, "\nCapEff:");
	return line && strtoull(line + 8, NULL, 16) >> capability & 1;
}

/*
 * Upstream knows values up to 2. The default of Debian's and Android's kernels is 3, and then they
 * require CAP_SYS_ADMIN. The default of Ubuntu's is 4, and then CAP_PERFMON is enough.
 */
bool perfmon_is_not_enough(const char *root, const char *paranoid)
{
	return !strcmp(paranoid, "3") && has_capability(root, CAP_PERFMON) &&
	       !has_capability(root, CAP_SYS_ADMIN);
}

/* Opening */

static int explain_permission(const struct capture_config *config, bool of_cpus, int code,
			      struct error *err)
{
	/* The highest perf_event_paranoid that lets everybody sample the kernel, or user space */
	int needed = config->event.exclude_user ? 1 : 2;
	char paranoid[16];

	if (sysfs_read(paranoid, sizeof(paranoid), "%s" PARANOID, config->root) < 0)
		strcpy(paranoid, "unknown");
	if (perfmon_is_not_enough(config->root, paranoid))
		return error_set(err, code,
				 "%s: this kernel has kernel.perf_event_paranoid at 3, where it wants CAP_SYS_ADMIN, and CAP_PERFMON is not enough: run it with sudo, or: sysctl kernel.perf_event_paranoid=2",
				 config->event.name);
	if (has_capability(config->root, CAP_PERFMON) ||
	    has_capability(config->root, CAP_SYS_ADMIN))
		return error_set(err, code,
				 "%s: %s, though this process has CAP_PERFMON: a security module, seccomp or kernel lockdown forbids perf_event_open",
				 config->event.name, strerror(-code));
	if (of_cpus)
		return error_set(err, code,
				 "%s: only privileged users may profile whole CPUs (kernel.perf_event_paranoid is %s, no CAP_PERFMON): run it with sudo, or: sysctl kernel.perf_event_paranoid=-1",
				 config->event.name, paranoid);
	if (config->attach && isdigit((unsigned char)paranoid[0]) && atoi(paranoid) <= needed)
		return error_set(err, code,
				 "%s: this user may not profile these processes, as they are another user's or more privileged: run it with sudo",
				 config->event.name);
	return error_set(err, code,
			 "%s: this user may not profile%s (kernel.perf_event_paranoid is %s, no CAP_PERFMON): run it with sudo, or: sysctl kernel.perf_event_paranoid=%d",
			 config->event.name, needed == 1 ? " the kernel" : "", paranoid, needed);
}

static int explain_invalid(const struct capture_config *config, int code, struct error *err)
{
	u64 limit;

	if (config->freq && !sysfs_read_number(&limit, "%s" HZ_LIMIT, config->root) &&
	    config->freq > limit)
		return error_set(err, code,
				 "%s: %llu Hz is more than the kernel's limit: use -F %llu or less, or: sysctl kernel.perf_event_max_sample_rate=%llu",
				 config->event.name, (unsigned long long)config->freq,
				 (unsigned long long)limit, (unsigned long long)config->freq);
	if (event_is_pcsample(&config->event))
		return error_set(err, code,
				 "%s: the driver does not accept this period or these targets; 'pcsample list' shows its limits",
				 config->event.name);
	return error_set(err, code, "%s: the kernel does not accept this event or period: %s",
			 config->event.name, strerror(-code));
}

/*
 * For snapshot=1 the driver has these two errors for more reasons: see the table in
 * Documentation/admin-guide/perf/arm_pcsample.rst. Returns 0 for any other error.
 */
static int explain_snapshot(const struct event_spec *event, int code, struct error *err)
{
	unsigned int counter = event_counter(event);
	char other[96] = "";

	switch (-code) {
	case EOPNOTSUPP:
		if (counter)
			snprintf(other, sizeof(other),
				 ", or cannot count event %#x (then take another counter=)",
				 counter);
		return error_set(err, code,
				 "%s: a CPU has no PMU snapshots, or firmware or a hypervisor disables them%s: name CPUs that 'pcsample doctor' lists with -C, or sample without snapshot=1",
				 event->name, other);
	case EBUSY:
		if (counter)
			snprintf(other, sizeof(other),
				 ", or an event with another counter= than %#x is open", counter);
		return error_set(err, code,
				 "%s: pinned events of others leave no counter free on a CPU%s: end those, or name other CPUs with -C",
				 event->name, other);
	default:
		return 0;
	}
}

int explain_open(const struct capture_config *config, bool of_cpus, int code, struct error *err)
{
	const char *name = config->event.name;

	if (event_is_snapshot(&config->event) && explain_snapshot(&config->event, code, err))
		return code;
	switch (-code) {
	case EACCES:
	case EPERM:
		return explain_permission(config, of_cpus, code, err);
	case EINVAL:
		return explain_invalid(config, code, err);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return error_set(err, code,
				 "%s: this machine cannot sample it (%s), as often in a virtual machine; -e cpu-clock works everywhere",
				 name, strerror(-code));
	case EMFILE:
		return error_set(err, code,
				 "%s: too many open files for one event on each CPU: raise the limit with ulimit -n",
				 name);
	case ENOBUFS:
		return error_set(err, code,
				 "%s: not even the smallest ring buffer fits this user's limit of locked memory: sysctl kernel.perf_event_mlock_kb, or ulimit -l",
				 name);
	case EBUSY:
		return error_set(err, code, "%s: the hardware is in use by another profiler", name);
	case ENOSYS:
		return error_set(err, code, "%s: this kernel is built without perf events", name);
	default:
		return error_set(err, code, "%s: cannot open it: %s", name, strerror(-code));
	}
}

/* No PMU */

int explain_no_pmu(const char *root, struct error *err)
{
	struct utsname uts;

	uname(&uts);
	if (strcmp(uts.machine, "aarch64"))
		return error_set(err, -ENODEV,
				 "this is an %s machine: PC-sample registers are an Arm thing; -e cpu-clock works here",
				 uts.machine);
	return error_set(err, -ENODEV,
			 "no " PCSAMPLE_PMU " PMU: 'modprobe " PCSAMPLE_PMU "' loads its driver,"
			 " 'pcsample doctor' says what is missing; -e cpu-clock works without");
}

/* No samples */

void explain_no_samples(const struct event_spec *event, u64 discarded,
			const struct ledger *ledger, struct error *err)
{
	const struct outcome_text *reason = NULL, *r;
	u64 planned, count, most = 0;

	if (discarded) {
		error_set(err, -ENODATA,
			  "%s: no samples of these processes, %llu of others: they ran for too short, or on CPUs without a PC-sample block; -a records all",
			  event->name, (unsigned long long)discarded);
		return;
	}
	if (!ledger && event_is_pcsample(event)) {
		error_set(err, -ENODATA,
			  "%s: no samples; only users with CAP_PERFMON may see why: run it with sudo",
			  event->name);
		return;
	}
	if (!ledger) {
		error_set(err, -ENODATA,
			  "%s: no samples: nothing ran while it was on; sample for longer, or with a higher -F%s",
			  event->name,
			  event->type == PERF_TYPE_SOFTWARE ? ""
							    : "; -e cpu-clock works everywhere");
		return;
	}
	planned = ledger_get(ledger, OUTCOME_PLANNED);
	/* Name the most frequent outcome only */
	for (r = outcomes; r < outcomes + NR_OUTCOMES; r++) {
		count = r->why ? ledger_get(ledger, r->name) : 0;
		if (count > most) {
			most = count;
			reason = r;
		}
	}
	if (!planned)
		error_set(err, -ENODATA, "%s: no samples: not one read was due; record for longer",
			  event->name);
	else if (!reason)
		error_set(err, -ENODATA, "%s: no samples of %llu reads: see 'pcsample doctor'",
			  event->name, (unsigned long long)planned);
	else
		error_set(err, -ENODATA, "%s: no samples: %llu of %llu reads were %s: %s",
			  event->name, (unsigned long long)most, (unsigned long long)planned,
			  reason->name, reason->why);
}
