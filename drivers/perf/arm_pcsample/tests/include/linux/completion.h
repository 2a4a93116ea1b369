/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who answers, and when, is up to a test.
 */
#ifndef PCS_TEST_COMPLETION_H
#define PCS_TEST_COMPLETION_H

#include <stdbool.h>

struct completion {
	unsigned int done;
};

void init_completion(struct completion *x);
void complete(struct completion *x);
void wait_for_completion(struct completion *x);
unsigned long wait_for_completion_timeout(struct completion *x, unsigned long timeout);
bool try_wait_for_completion(struct completion *x);

#endif /* PCS_TEST_COMPLETION_H */
