// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "capture/clocks.h"

/* Smaller differences mean nothing: this process may be preempted between reading two clocks */
#define SLACK_NS	100000000

void clocks_read(struct clocks *c)
{
	s64 monotonic = now_ns();

	c->wall = clock_ns(CLOCK_REALTIME) - monotonic;
	c->asleep = clock_ns(CLOCK_BOOTTIME) - monotonic;
}

void clocks_compare(const struct clocks *before, const struct clocks *after,
		    struct clocks_notes *notes)
{
	double wall = after->wall - before->wall, asleep = after->asleep - before->asleep;

	notes->wall[0] = '\0';
	notes->asleep[0] = '\0';
	if (asleep > SLACK_NS)
		snprintf(notes->asleep, sizeof(notes->asleep),
			 "the machine was suspended for %.3f s meanwhile", asleep / 1e9);
	/* CLOCK_MONOTONIC stands still while the machine is suspended, the time of day does not */
	wall -= asleep > SLACK_NS ? asleep : 0;
	if (fabs(wall) > SLACK_NS)
		snprintf(notes->wall, sizeof(notes->wall),
			 "the time of day was set %s by %.3f s meanwhile: the recording keeps to the old one",
			 wall < 0 ? "back" : "forward", fabs(wall) / 1e9);
}
