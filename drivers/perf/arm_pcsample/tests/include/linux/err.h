/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PCS_TEST_ERR_H
#define PCS_TEST_ERR_H

/* Pointers at the end of the address space are no pointers. */
#define IS_ERR(pointer)		((unsigned long)(pointer) >= -4095UL)

#endif /* PCS_TEST_ERR_H */
