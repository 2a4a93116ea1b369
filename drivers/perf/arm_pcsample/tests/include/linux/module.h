/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PCS_TEST_MODULE_H
#define PCS_TEST_MODULE_H

#define MODULE_DEVICE_TABLE(type, name)	_Static_assert(sizeof(name), "a table of " #type)

/* A test sets a parameter, which is a text, through this pointer, as the variable is static. */
#define module_param_named(name, value, ...)	char **test_param_##name = &(value)
#define MODULE_PARM_DESC(name, text)	_Static_assert(sizeof(text), "a description of " #name)

#endif /* PCS_TEST_MODULE_H */
