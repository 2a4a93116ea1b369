/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading properties of the device tree, which the kernel shows as files.
 */
#ifndef PCSAMPLE_CAPTURE_DEVICE_TREE_H
#define PCSAMPLE_CAPTURE_DEVICE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <arch-model/types.h>

#include "base/cpuset.h"

#define DEVICE_TREE	"/sys/firmware/devicetree/base"

/**
 * property_read() - read a property, or any other file of bytes
 * @value: receives the bytes, which need not be a text
 * @size: bytes of @value; what is longer is cut off
 * @format: printf-like path
 *
 * Return: how many bytes, or -1.
 */
int property_read(void *value, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** property_has() - does a property have this string? It may have several, each with its NUL */
bool property_has(const char *path, const char *wanted);

/** cells_value() - the number in @nr cells, one or two, at @value */
u64 cells_value(const u8 *value, unsigned int nr);

/**
 * node_cpu() - the CPU that a node's property cpu refers to
 * @root: where /sys is below
 * @node: path of the node
 * @among: the CPUs to look at
 *
 * Return: its number, or -1.
 */
int node_cpu(const char *root, const char *node, const struct cpus *among);

/**
 * node_address() - where a node's registers begin, as its bus numbers them
 * @node: path of the node
 * @address: the address
 *
 * Return: false if the node names none.
 */
bool node_address(const char *node, u64 *address);

/**
 * node_translate() - make a physical address of one on the bus of a node
 * @root: where /sys is below
 * @node: path of the node
 * @address: the address; undefined if it cannot be translated
 *
 * Return: false if the ranges of a bus above the node do not cover the address, or are missing.
 */
bool node_translate(const char *root, const char *node, u64 *address);

#endif /* PCSAMPLE_CAPTURE_DEVICE_TREE_H */
