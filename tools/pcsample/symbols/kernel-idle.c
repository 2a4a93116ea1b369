// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/kernel-idle.h"
#include "symbols/load.h"

/* The functions in which arm64, x86-64, and both wait, in Linux 6.1 to 7.3 */
static const char *const names[] = {
	"cpu_do_idle", "psci_cpu_suspend_enter", "psci_enter_idle_state",
	"psci_enter_domain_idle_state", "acpi_processor_ffh_lpi_enter",
	"default_idle", "native_safe_halt", "pv_native_safe_halt", "mwait_idle", "intel_idle",
	"intel_idle_irq", "intel_idle_ibrs", "intel_idle_xstate", "intel_idle_hlt",
	"amd_e400_idle", "acpi_idle_do_entry", "acpi_idle_enter", "acpi_safe_halt",
	"acpi_processor_ffh_cstate_enter", "tdx_safe_halt", "xen_safe_halt",
	"arch_cpu_idle", "default_idle_call", "poll_idle", "cpu_idle_poll",
};

static bool is_idle(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void kernel_idle_find(struct kernel_idle *k, struct dso_table *dsos)
{
	struct dso *kernel = dsos->dso[DSO_INDEX_KERNEL];
	const struct symtab *st = &kernel->symtab;
	u32 i;

	dso_load(dsos, kernel);
	k->nr = 0;
	for (i = 0; i < st->nr && k->nr < KERNEL_IDLE_MAX; i++) {
		if (!is_idle(symtab_name(st, i)))
			continue;
		k->range[k->nr].start = st->syms[i].start;
		k->range[k->nr++].end = st->syms[i].start + st->syms[i].size;
	}
}
