/* SPDX-License-Identifier: GPL-2.0-only */
#define MODULE_DEVICE_TABLE(type, name)	_Static_assert(sizeof(name), "a table of " #type)
