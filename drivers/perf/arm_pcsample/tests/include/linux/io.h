/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's register accessors, for the driver's code in user space: a test acts as the
 * hardware.
 */
#ifndef PCS_TEST_IO_H
#define PCS_TEST_IO_H

#include <arch-model/types.h>

#define __iomem

u64 test_read(const void *address, unsigned int bytes);
void test_write(u64 value, void *address, unsigned int bytes);

#define readl_relaxed(address)		((u32)test_read(address, 4))
#define readq_relaxed(address)		test_read(address, 8)
#define writel_relaxed(value, address)	test_write(value, address, 4)
#define writeq_relaxed(value, address)	test_write(value, address, 8)

#endif /* PCS_TEST_IO_H */
