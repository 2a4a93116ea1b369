/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that the driver builds for. kernel-probes.h is made by
 * probe-kernel.sh, which asks the compiler: stable kernels take changes back, so that a version
 * number says little.
 */
#ifndef ARM_PCSAMPLE_KERNEL_API_H
#define ARM_PCSAMPLE_KERNEL_API_H

#include <linux/hrtimer.h>

#include "kernel-probes.h"

#if PCS_HAVE_HRTIMER_SETUP
#define pcs_hrtimer_setup	hrtimer_setup
#else
static inline void pcs_hrtimer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*function)(struct hrtimer *),
				     clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* ARM_PCSAMPLE_KERNEL_API_H */
