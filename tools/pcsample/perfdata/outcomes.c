// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include "perfdata/outcomes.h"

const struct outcome_text outcomes[NR_OUTCOMES] = {
	[OUTCOME_SAMPLE] = { "sample", NULL },
	[OUTCOME_FILTERED] = { "filtered",
		"the event (:u, :k) or the choice of targets excludes them" },
	[OUTCOME_IDLE] = { "idle", "the targets were idle or powered off all the time" },
	[OUTCOME_PROHIBITED] = { "prohibited",
		"the hardware prohibits it: external debug is switched off by firmware or fuses,"
		" or only a prohibited Security state ran" },
	[OUTCOME_DEBUG] = { "debug", "the targets were halted in Debug state" },
	[OUTCOME_NO_BRANCH] = { "no_branch",
		"the CPUs had just been powered up, or their registers may have held no sample" },
	[OUTCOME_ERROR] = { "error", "the registers answered with errors: see dmesg" },
	[OUTCOME_LATE] = { "late",
		"the reader CPU came too late: it is overloaded, lower -F" },
	[OUTCOME_PREEMPTED] = { "preempted", "the reader was out of its budget: lower -F" },
	[OUTCOME_BUFFER_FULL] = { "buffer_full",
		"the ring buffers were full: raise -m or lower -F" },
};
