// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the rows of the manual's tables that the registers of a CPU select; see routing.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <arch-model/control-regs.h>
#include <arch-model/pmu-regs.h>
#include <arch-model/table-rows.h>
#include <arch-model/trbe-regs.h>

#include "base/array.h"
#include "explain/routing.h"

/* Registers */

enum register_id { PFR0, DFR0, DFR1, DFR2, HCR_EL2, MDCR_EL2, PMECR_EL1, TRFCR_EL1, TRFCR_EL2 };

static const char * const register_names[] = {
	[PFR0] = "ID_AA64PFR0_EL1",
	[DFR0] = "ID_AA64DFR0_EL1",
	[DFR1] = "ID_AA64DFR1_EL1",
	[DFR2] = "ID_AA64DFR2_EL1",
	[HCR_EL2] = "HCR_EL2",
	[MDCR_EL2] = "MDCR_EL2",
	[PMECR_EL1] = "PMECR_EL1",
	[TRFCR_EL1] = "TRFCR_EL1",
	[TRFCR_EL2] = "TRFCR_EL2",
};

#define PFR0_EL3	GENMASK_ULL(15, 12)
#define DFR0_PMUVER	GENMASK_ULL(11, 8)
#define DFR0_PMUVER_IMPDEF	0xf
#define DFR0_TRACEBUFFER	GENMASK_ULL(47, 44)
#define DFR1_EBEP	GENMASK_ULL(51, 48)
#define DFR2_TRBE_EXC	GENMASK_ULL(27, 24)

/* How a source was seen to report */
enum seen { SEEN_NOTHING, SEEN_EXCEPTION, SEEN_IRQ };

/**
 * struct cpu - what was read of a CPU
 * @number: its number
 * @value: by enum register_id
 * @have: bit n is set for each register that the kernel could read
 * @at_el2: the kernel runs at EL2
 * @pmu: how its PMU was seen to report
 * @trbe: how its trace buffer was
 */
struct cpu {
	unsigned int number;
	u64 value[ARRAY_SIZE(register_names)];
	u32 have;
	bool at_el2;
	enum seen pmu;
	enum seen trbe;
};

static enum seen seen_of(const char *word)
{
	if (!strcmp(word, "exception"))
		return SEEN_EXCEPTION;
	return strcmp(word, "irq") ? SEEN_NOTHING : SEEN_IRQ;
}

static void set_register(struct cpu *cpu, const char *name, const char *text)
{
	unsigned long long value;
	size_t i;

	if (sscanf(text, "%llx", &value) != 1)
		return;
	for (i = 0; i < ARRAY_SIZE(register_names); i++) {
		if (!strcmp(name, register_names[i])) {
			cpu->value[i] = value;
			cpu->have |= 1U << i;
		}
	}
}

static void set_line(struct cpu *cpu, const char *name, const char *text)
{
	if (!strcmp(name, "kernel"))
		cpu->at_el2 = !strcmp(text, "EL2");
	else if (!strcmp(name, "pmu"))
		cpu->pmu = seen_of(text);
	else if (!strcmp(name, "trbe"))
		cpu->trbe = seen_of(text);
	else
		set_register(cpu, name, text);
}

/* Controls */

/* Set a control from a field of a register, if the kernel could read the register */
static void know(struct am_controls *controls, const struct cpu *cpu, enum register_id id,
		 enum am_control control, u64 field)
{
	if (cpu->have & 1U << id)
		am_control_is(controls, control, FIELD_GET(field, cpu->value[id]));
}

/* How a source was seen to report limits what EL2 and EL3 can have set */
static void learn_pmu(struct am_controls *controls, const struct cpu *cpu)
{
	const char *el = cpu->at_el2 ? "EL2" : "EL1";

	if (cpu->pmu)
		am_table_narrow(AM_TABLE_D13_1, controls, el,
				cpu->pmu == SEEN_EXCEPTION ? el : "IRQ");
}

static void learn_trbe(struct am_controls *controls, const struct cpu *cpu)
{
	const char *el = cpu->at_el2 ? "EL2" : "EL1";

	if (cpu->trbe == SEEN_EXCEPTION)
		am_table_narrow(cpu->at_el2 ? AM_TABLE_D6_9 : AM_TABLE_D6_8, controls, el, el);
	else if (cpu->trbe == SEEN_IRQ)
		am_table_narrow(AM_TABLE_D6_8, controls, "IRQ", "HIGH");
}

static void controls_of(struct am_controls *controls, const struct cpu *cpu)
{
	am_controls_init(controls);
	know(controls, cpu, MDCR_EL2, AM_MDCR_EL2_PMEE, MDCR_EL2_PMEE);
	know(controls, cpu, MDCR_EL2, AM_MDCR_EL2_E2TB, MDCR_EL2_E2TB);
	know(controls, cpu, HCR_EL2, AM_HCR_EL2_TGE, HCR_EL2_TGE);
	know(controls, cpu, HCR_EL2, AM_HCR_EL2_TEA, HCR_EL2_TEA);
	know(controls, cpu, HCR_EL2, AM_HCR_EL2_GPF, HCR_EL2_GPF);
	know(controls, cpu, PMECR_EL1, AM_PMECR_EL1_PMEE, PMECR_PMEE);
	know(controls, cpu, PMECR_EL1, AM_PMECR_EL1_KPME, PMECR_KPME);
	know(controls, cpu, TRFCR_EL1, AM_TRFCR_EL1_EE, TRFCR_EE);
	know(controls, cpu, TRFCR_EL1, AM_TRFCR_EL1_KE, TRFCR_KE);
	know(controls, cpu, TRFCR_EL2, AM_TRFCR_EL2_EE, TRFCR_EE);
	know(controls, cpu, TRFCR_EL2, AM_TRFCR_EL2_KE, TRFCR_KE);
	if (!cpu->at_el2) {
		am_control_is(controls, AM_HCR_EL2_TGE, 0);
	} else if (!FIELD_GET(PFR0_EL3, cpu->value[PFR0])) {
		/* Without EL3 its controls behave as if they delegated. */
		am_control_is(controls, AM_MDCR_EL3_PMEE, 1);
		am_control_is(controls, AM_MDCR_EL3_TRBEE, 1);
	}
}

/* Lines */

struct line {
	char text[512];
	size_t used;
};

__attribute__((format(printf, 2, 3)))
static void add(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line->used += vsnprintf(line->text + line->used, sizeof(line->text) - line->used, format,
				args);
	va_end(args);
	line->used = min(line->used, sizeof(line->text) - 1);
}

/* The numbers of the bits of a set: "1,3" */
static void add_set(struct line *line, u64 set, const char *between)
{
	const char *separator = "";
	unsigned int i;

	for (i = 0; i < 64; i++) {
		if (!(set >> i & 1))
			continue;
		add(line, "%s%u", separator, i);
		separator = between;
	}
	if (!set)
		add(line, "-");
}

/* What is explained, a source of one CPU, and who takes the lines about it */
struct subject {
	const struct cpu *cpu;
	const char *source;
	const struct routing_lines *lines;
};

static bool is_of_pmu(enum am_control control)
{
	return control == AM_MDCR_EL3_PMEE || control == AM_MDCR_EL2_PMEE ||
	       control == AM_PMECR_EL1_PMEE || control == AM_PMECR_EL1_KPME;
}

static void tell_controls(const struct subject *of, bool pmu, const struct am_controls *controls)
{
	struct line line = { .used = 0 };
	unsigned int control;

	add(&line, "cpu%u %s controls:", of->cpu->number, of->source);
	for (control = 0; control < AM_PSTATE_PM; control++) {
		if (control != AM_HCR_EL2_TGE && is_of_pmu(control) != pmu)
			continue;
		add(&line, " %s ", am_control_name(control));
		add_set(&line, controls->may[control], "|");
	}
	of->lines->take(of->lines->ctx, line.text);
}

static void tell_table(const struct subject *of, enum am_manual_table table,
		       const struct am_controls *controls, const char *when)
{
	struct line line = { .used = 0 };
	struct am_answer answer;
	unsigned int i;

	am_table_look_up(table, controls, &answer);
	add(&line, "cpu%u %s %s%s row ", of->cpu->number, of->source, am_table_name(table), when);
	add_set(&line, answer.rows, ",");
	for (i = 0; i < answer.nr_results; i++)
		add(&line, "%s %s %s", i ? ";" : ":", answer.result[i].name,
		    answer.result[i].value);
	of->lines->take(of->lines->ctx, line.text);
}

static void tell_both_pm(const struct subject *of, enum am_manual_table table,
			 struct am_controls controls)
{
	am_control_is(&controls, AM_PSTATE_PM, 0);
	tell_table(of, table, &controls, " PM=0");
	am_control_is(&controls, AM_PSTATE_PM, 1);
	tell_table(of, table, &controls, " PM=1");
}

/* A CPU has no such source (not @has), or one without Profiling exceptions */
static void tell_none(const struct subject *of, bool has)
{
	struct line line = { .used = 0 };

	add(&line, "cpu%u %s %s", of->cpu->number, of->source,
	    has ? "has no exception: interrupt" : "is not there");
	of->lines->take(of->lines->ctx, line.text);
}

/* CPUs */

static void explain_pmu(const struct cpu *cpu, const struct routing_lines *lines)
{
	const struct subject of = { .cpu = cpu, .source = "pmu", .lines = lines };
	unsigned int version = FIELD_GET(DFR0_PMUVER, cpu->value[DFR0]);
	struct am_controls controls;

	if (!FIELD_GET(DFR1_EBEP, cpu->value[DFR1])) {
		tell_none(&of, version && version != DFR0_PMUVER_IMPDEF);
		return;
	}
	controls_of(&controls, cpu);
	learn_pmu(&controls, cpu);
	tell_controls(&of, true, &controls);
	tell_both_pm(&of, AM_TABLE_D13_1, controls);
}

/* Which TRBSR_ELx records an event, and what an event that is recorded there causes */
static void explain_trbe(const struct cpu *cpu, const struct routing_lines *lines)
{
	const struct subject of = { .cpu = cpu, .source = "trbe", .lines = lines };
	struct am_controls controls;
	struct am_answer recorded;
	const char *other;

	if (!FIELD_GET(DFR2_TRBE_EXC, cpu->value[DFR2])) {
		tell_none(&of, FIELD_GET(DFR0_TRACEBUFFER, cpu->value[DFR0]));
		return;
	}
	controls_of(&controls, cpu);
	learn_trbe(&controls, cpu);
	tell_controls(&of, false, &controls);
	tell_table(&of, AM_TABLE_D6_5, &controls, "");
	tell_table(&of, AM_TABLE_D6_6, &controls, "");
	tell_table(&of, AM_TABLE_D6_7, &controls, "");

	am_table_look_up(AM_TABLE_D6_7, &controls, &recorded);
	other = recorded.result[recorded.nr_results - 1].value;
	if (!strcmp(other, "EL1") || !strcmp(other, "?"))
		tell_both_pm(&of, AM_TABLE_D6_8, controls);
	if (!strcmp(other, "EL2") || !strcmp(other, "?"))
		tell_both_pm(&of, AM_TABLE_D6_9, controls);
	if (!strcmp(other, "EL3") || !strcmp(other, "?"))
		tell_table(&of, AM_TABLE_D6_10, &controls, "");
}

/* Return: number of CPUs that it explained, 0 or 1 */
static unsigned int explain_cpu(const struct cpu *cpu, const struct routing_lines *lines)
{
	if (!cpu->have)
		return 0;
	explain_pmu(cpu, lines);
	explain_trbe(cpu, lines);
	return 1;
}

unsigned int routing_explain(const char *text, const struct routing_lines *lines)
{
	struct cpu cpu = { .have = 0 };
	unsigned int number, cpus = 0;
	char name[32], value[32];

	for (; *text; text += strcspn(text, "\n"), text += !!*text) {
		if (sscanf(text, "cpu%u %31s %31s", &number, name, value) != 3)
			continue;
		if (number != cpu.number) {
			cpus += explain_cpu(&cpu, lines);
			cpu = (struct cpu){ .number = number };
		}
		set_line(&cpu, name, value);
	}
	return cpus + explain_cpu(&cpu, lines);
}
