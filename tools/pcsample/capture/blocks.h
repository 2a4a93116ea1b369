/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PC-sample blocks that firmware, or who loaded the driver, says are there, and which driver
 * has them. Reads sysfs and the device tree, and no register of a block.
 */
#ifndef PCSAMPLE_CAPTURE_BLOCKS_H
#define PCSAMPLE_CAPTURE_BLOCKS_H

#include <stdbool.h>

#include <arch-model/types.h>
#include <arm_pcsample/match.h>

#include "base/cpuset.h"

/**
 * struct block - a PC-sample block
 * @node: what it is said to be; PCS_NODE_BY_HAND if nobody says
 * @acpi: ACPI describes it, else the device tree does or the driver's parameter blocks
 * @cpu: whose block it is; -1 if that is not told, or no CPU of this system
 * @has_address: @address is known
 * @address: as its bus numbers it
 * @disabled: its node is
 * @driver: the driver that has it, or NULL
 * @registers: the feature that its sample registers are of, if that can be told, or NULL
 * @name: of the node, or of the ACPI device
 */
struct block {
	enum pcs_node node;
	bool acpi;
	int cpu;
	bool has_address;
	u64 address;
	bool disabled;
	const char *driver;
	const char *registers;
	char name[64];
};

/**
 * blocks_find() - list the blocks
 * @root: where /proc and /sys are below
 * @b: receives them, sorted by CPU
 * @max: room in @b; further ones are left out
 *
 * Only root sees those of the driver's parameter.
 *
 * Return: how many.
 */
unsigned int blocks_find(const char *root, struct block *b, unsigned int max);

/** block_kind() - what it is said to be, for a message */
const char *block_kind(const struct block *b);

#endif /* PCSAMPLE_CAPTURE_BLOCKS_H */
