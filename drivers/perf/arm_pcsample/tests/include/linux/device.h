/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the kernel that the driver's parts with locks use, in user space: a test acts as the
 * machine. Most of the other headers in this folder include this one.
 */
#ifndef PCS_TEST_DEVICE_H
#define PCS_TEST_DEVICE_H

#include <arch-model/bits.h>
#include <arch-model/types.h>
#include <errno.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <stdbool.h>

#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, value)	((x) = (value))
#ifndef BIT
#define BIT(n)		(1UL << (n))
#endif

/* Only pointers to these are used, not their members */
struct device;
struct clk_bulk_data;
struct perf_event;
struct task_struct;
struct list_head { struct list_head *next; };
struct hrtimer { int unused; };

/* One CPU runs at a time: taking a lock twice is a deadlock */
struct test_lock {
	bool held;
};

#define raw_spinlock_t	struct test_lock

bool test_trylock(raw_spinlock_t *lock);
void test_unlock(raw_spinlock_t *lock);
void test_lock(raw_spinlock_t *lock);

#define raw_spin_lock_init(lock)		((lock)->held = false)
#define raw_spin_lock(lock)			test_lock(lock)
#define raw_spin_unlock(lock)			test_unlock(lock)
#define raw_spin_trylock(lock)			test_trylock(lock)
#define raw_spin_lock_irq(lock)			test_lock(lock)
#define raw_spin_unlock_irq(lock)		test_unlock(lock)
#define raw_spin_lock_irqsave(lock, flags)	((flags) = 0, test_lock(lock))
#define raw_spin_unlock_irqrestore(lock, flags)	((void)(flags), test_unlock(lock))

#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)

/* One CPU runs at a time, so one copy will do. */

#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

/* Accesses are not reordered here */
#define mb()	((void)0)

/* Executes a branch on the CPU that this code runs on */
void cpu_relax(void);

int smp_processor_id(void);
int smp_call_function_single(int cpu, void (*function)(void *info), void *info, int wait);

struct __call_single_data {
	void (*function)(void *info);
	void *info;
};

#define INIT_CSD(csd, f, i)	((csd)->function = (f), (csd)->info = (i))

int smp_call_function_single_async(int cpu, struct __call_single_data *csd);

int clk_bulk_prepare_enable(int nr, const struct clk_bulk_data *clocks);
void clk_bulk_disable_unprepare(int nr, const struct clk_bulk_data *clocks);
int pm_runtime_resume_and_get(struct device *dev);
int pm_runtime_put(struct device *dev);

__attribute__((format(printf, 2, 3)))
void dev_err(const struct device *dev, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void dev_warn(const struct device *dev, const char *format, ...);
void dev_notice(const struct device *dev, const char *format, ...);
__attribute__((format(printf, 1, 2)))
void pr_err(const char *format, ...);

#endif /* PCS_TEST_DEVICE_H */
