/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PCS_TEST_MUTEX_H
#define PCS_TEST_MUTEX_H

struct mutex {
	int held;
};

#define DEFINE_MUTEX(name)	struct mutex name

void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
void lockdep_assert_held(const struct mutex *lock);

#endif /* PCS_TEST_MUTEX_H */
