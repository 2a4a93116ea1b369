/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PCS_TEST_JIFFIES_H
#define PCS_TEST_JIFFIES_H

#define msecs_to_jiffies(ms)	(ms)

#endif /* PCS_TEST_JIFFIES_H */
