/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What registers say about a Profiling exception, or about the interrupt in its place, and which
 * events want it.
 *
 * Pure: unit tests compile it in user space.
 */
#ifndef ARM_PROFEXC_DECODE_H
#define ARM_PROFEXC_DECODE_H

#include <arch-model/types.h>
#include <linux/arm_profexc.h>

/* Classes and modes as indices of tables; their values are user ABI */
#define PRX_NR_CLASSES	0x31
#define PRX_NR_MODES	3
#define PRX_NR_SOURCES	3

/**
 * struct prx_filter - what a perf event asks for
 * @classes: bit n for each class n
 * @modes: bit n for each mode n
 * @exclude_user: not what interrupted EL0
 * @exclude_kernel: not what interrupted another Exception level, and no kernel addresses
 * @exclude_idle: not what interrupted the idle task
 */
struct prx_filter {
	u64 classes;
	u8 modes;
	bool exclude_user;
	bool exclude_kernel;
	bool exclude_idle;
};

/**
 * prx_filter_parse() - from the numbers of a perf event to a filter
 * @config: perf_event_attr.config
 * @config1: perf_event_attr.config1
 * @filter: @classes and @modes are set
 *
 * Return: false if they mean nothing.
 */
bool prx_filter_parse(u64 config, u64 config1, struct prx_filter *filter);

/**
 * prx_wants() - does a perf event want this?
 * @filter: its filter
 * @record: a record that prx_classify() completed
 * @idle: the idle task was interrupted
 */
bool prx_wants(const struct prx_filter *filter, const struct arm_profexc_record *record,
	       bool idle);

/**
 * prx_classify() - complete a record
 * @record: source, mode, pstate and the registers of the source are as read, @flags is 0; class,
 *	    el and flags are set
 * @sync: the exception is synchronous, as its syndrome or PSTATE.PPEND say
 *
 * A management event that has more than one cause is of the class of the gravest: a fault before
 * what the buffer does by itself. The flags tell the rest.
 */
void prx_classify(struct arm_profexc_record *record, bool sync);

/* Take the kernel's addresses out of a record */
void prx_hide_kernel(struct arm_profexc_record *record);

/* Name of a class, as in sysfs and debugfs; NULL if @class is none */
const char *prx_class_name(unsigned int class);

/* Name of a mode: "exception", "irq"; NULL if @mode is none */
const char *prx_mode_name(unsigned int mode);

/* Name of a source: "pmu", "spe", "trbe"; NULL if @source is none */
const char *prx_source_name(unsigned int source);

#endif /* ARM_PROFEXC_DECODE_H */
