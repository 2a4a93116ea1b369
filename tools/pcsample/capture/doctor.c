// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arch-model/pmpcsr-regs.h>
#include <arm_pcsample/match.h>

#include "base/array.h"
#include "base/text-file.h"
#include "capture/device-tree.h"
#include "capture/diagnose.h"
#include "capture/doctor.h"
#include "capture/event.h"
#include "capture/host-info.h"
#include "capture/ledger.h"
#if HAVE_LIBPERF
#include "capture/trial.h"
#endif

#define DEVICE		"/sys/bus/event_source/devices/" PCSAMPLE_PMU
#define MDRAR		"/sys/module/" PCSAMPLE_PMU "/parameters/mdrar"
#define DRIVER		"/sys/bus/platform/drivers/" PCSAMPLE_PMU
#define HOLDER		"/sys/bus/amba/drivers/coresight-cpu-debug"
#define ACPI_HOLDER	"/sys/bus/platform/drivers/coresight-debug-platform"
#define HOLDER_STATE	"/sys/module/coresight_cpu_debug/initstate"
#define FADT		"/sys/firmware/acpi/tables/FACP"
#define PMU_BLOCK	"arm,pmu-pc-sample"
#define DEBUG_BLOCK	"arm,coresight-cpu-debug"

/* In older kernels a sample gets the process and CPU of the reader instead of the target's */
#define FIRST_VERSION	6
#define FIRST_PATCH	1

#define REFUSED		"the driver refuses this SoC"
#define DMI		"/sys/class/dmi/id"

static struct finding *find(struct doctor *d, const char *check, enum finding_grade grade,
			    const char *format, ...) __attribute__((format(printf, 4, 5)));

static struct finding *find(struct doctor *d, const char *check, enum finding_grade grade,
			    const char *format, ...)
{
	struct finding *f = &d->finding[d->nr < DOCTOR_MAX ? d->nr++ : DOCTOR_MAX - 1];
	va_list ap;

	f->check = check;
	f->grade = grade;
	f->fix[0] = '\0';
	va_start(ap, format);
	vsnprintf(f->text, sizeof(f->text), format, ap);
	va_end(ap);
	return f;
}

static void fix(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fix(struct finding *f, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(f->fix, sizeof(f->fix), format, ap);
	va_end(ap);
}

static bool is_arm64(const struct doctor *d)
{
	return !strcmp(d->machine, "aarch64");
}

static int read_cpus(const struct doctor *d, struct cpus *cpus, const char *path)
{
	char text[CPUS_TEXT_MAX];
	int ret = sysfs_read(text, sizeof(text), "%s%s", d->root, path);

	return ret < 0 ? ret : cpus_parse(cpus, text);
}

/* CPUs as a list, for a message */
static const char *list(const struct cpus *cpus, char text[CPUS_TEXT_MAX])
{
	cpus_format(cpus, text, CPUS_TEXT_MAX);
	return text;
}

/* Machine and kernel */

/*
 * Who makes virtual machines; with the name of the product where the vendor makes other machines,
 * too
 */
static const struct { const char *vendor, *product; } virtual_machines[] = {
	{ "QEMU", "" }, { "VMware", "" }, { "Xen", "" }, { "innotek", "" }, { "KVM", "" },
	{ "Amazon EC2", "" }, { "Google", "Google Compute" },
	{ "Microsoft Corporation", "Virtual Machine" },
};

/* Only the name tells that Amazon's m6g.metal and the like are no virtual machines */
#define NO_VIRTUAL_MACHINE	".metal"

/* The hypervisor that runs this machine; NULL if there is no sign of one */
static const char *hypervisor(const struct doctor *d, char *text, size_t size)
{
	char product[128];
	unsigned int i;

	if (sysfs_read(text, size, "%s/sys/hypervisor/type", d->root) > 0)
		return text;
	if (sysfs_exists("%s" DEVICE_TREE "/hypervisor", d->root))
		return "a hypervisor in the device tree";
	if (sysfs_read(product, sizeof(product), "%s" DMI "/product_name", d->root) < 0)
		*product = '\0';
	if (sysfs_read(text, size, "%s" DMI "/sys_vendor", d->root) <= 0 ||
	    strstr(product, NO_VIRTUAL_MACHINE))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(virtual_machines); i++)
		if (strstr(text, virtual_machines[i].vendor) &&
		    strstr(product, virtual_machines[i].product))
			return text;
	return NULL;
}

static void check_machine(struct doctor *d)
{
	struct finding *f;
	char text[128];
	const char *host = hypervisor(d, text, sizeof(text));

	if (is_arm64(d)) {
		find(d, "machine", FINDING_OK, "aarch64%s%s", host ? ", a virtual machine: " : "",
		     host ? host : "");
		return;
	}
	f = find(d, "machine", FINDING_BAD,
		 "%s: PC-sample registers are part of the Arm architecture", d->machine);
	fix(f, "record on an Arm machine and report here; -e cpu-clock works here");
}

static void check_kernel(struct doctor *d)
{
	unsigned int version = 0, patch = 0;
	struct finding *f;

	if (sscanf(d->release, "%u.%u", &version, &patch) < 2)
		patch = 0;
	if (version > FIRST_VERSION || (version == FIRST_VERSION && patch >= FIRST_PATCH)) {
		find(d, "kernel", FINDING_OK, "Linux %s", d->release);
		return;
	}
	f = find(d, "kernel", FINDING_BAD, "Linux %s: the driver needs %u.%u or later", d->release,
		 FIRST_VERSION, FIRST_PATCH);
	fix(f, "install a newer kernel");
}

/* Of the header of an ACPI table (ACPI 6.5, 5.2.6) */
#define OEM_ID_AT	10
#define OEM_TABLE_AT	16
#define OEM_END		24

/* What the driver knows of this system; NULL if that is nothing. Only root can read the FADT. */
static const struct pcs_soc *known_soc(const struct doctor *d)
{
	char text[512];
	int len = property_read(text, sizeof(text), "%s" DEVICE_TREE "/compatible", d->root);
	const struct pcs_soc *soc = pcs_match_soc(text, len);

	if (!soc && property_read(text, sizeof(text), "%s" FADT, d->root) >= OEM_END)
		soc = pcs_match_oem(text + OEM_ID_AT, text + OEM_TABLE_AT);
	return soc;
}

/* A PMU shows that the user has overridden the refusal. */
static void check_soc(struct doctor *d)
{
	const struct pcs_soc *soc = is_arm64(d) ? known_soc(d) : NULL;
	struct finding *f;

	d->hangs = soc && soc->refused;
	d->refused = d->hangs && !sysfs_exists("%s" DEVICE, d->root);
	if (!soc)
		return;
	f = find(d, "soc", d->refused ? FINDING_BAD : FINDING_NOTE, "%s: %s", soc->compatible,
		 soc->why);
	if (d->refused)
		fix(f, "none: " PCSAMPLE_PMU
		       " reads nothing here without force=1, and with it the machine may hang");
	else if (d->hangs)
		fix(f, "none: " PCSAMPLE_PMU " was told to read here (force=1)");
	else
		fix(f, "make sure that the firmware turns on the debug module of each core");
}

/* Firmware */

/* The number of files that match a pattern below @d->root */
static size_t count_files(const struct doctor *d, const char *files)
{
	char pattern[PATH_MAX];
	size_t nr = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s%s", d->root, files);
	if (!glob(pattern, 0, NULL, &found)) {
		nr = found.gl_pathc;
		globfree(&found);
	}
	return nr;
}

/* Armv8.2 requires DC CVAP, which user programs see as dcpop (FEAT_DPB, A2.2) */
static bool is_armv8p2(const struct doctor *d)
{
	char text[4096], *features;

	if (sysfs_read(text, sizeof(text), "%s/proc/cpuinfo", d->root) < 0)
		return false;
	features = strstr(text, "Features");
	if (!features)
		return false;
	features[strcspn(features, "\n")] = '\0';
	return strstr(features, " dcpop");
}

/*
 * Debug blocks of Armv8.2 and later have no sample registers: the PMU block may have some. If the
 * driver has a PMU, it has found registers.
 */
static bool only_useless_blocks(struct doctor *d, const char *who, unsigned int nr)
{
	if (!is_armv8p2(d) || sysfs_exists("%s" DEVICE, d->root))
		return false;
	fix(find(d, "firmware", FINDING_BAD,
		 "%s describes %u debug blocks, but CPUs of Armv8.2 or later, as these are, sample in"
		 " their external PMU blocks", who, nr),
	    "add a node (" PMU_BLOCK ") with the address of the PMU frame of each CPU, or load the"
	    " driver with blocks=CPU@ADDRESS,...; take the addresses from the SoC's manual: a wrong"
	    " one can hang the machine");
	return true;
}

/* How many blocks there are that firmware describes, of these in a way */
static unsigned int count_blocks(const struct doctor *d, bool (*is)(const struct block *b))
{
	const struct block *b;
	unsigned int nr = 0;

	for (b = d->block; b < d->block + d->nr_blocks; b++)
		nr += b->node != PCS_NODE_BY_HAND && is(b);
	return nr;
}

static bool is_acpi(const struct block *b)
{
	return b->acpi;
}

static bool is_node(const struct block *b)
{
	return !b->acpi;
}

static bool is_debug_node(const struct block *b)
{
	return !b->acpi && b->node == PCS_NODE_DEBUG;
}

static bool is_disabled(const struct block *b)
{
	return b->disabled;
}

static void check_firmware(struct doctor *d)
{
	unsigned int acpi = count_blocks(d, is_acpi), nodes = count_blocks(d, is_node);
	unsigned int disabled = count_blocks(d, is_disabled);
	struct finding *f;
	char text[128];

	if (!is_arm64(d)) {
		find(d, "firmware", FINDING_SKIPPED, "not an Arm machine");
		return;
	}
	if (d->refused) {
		find(d, "firmware", FINDING_SKIPPED, REFUSED);
		return;
	}
	if (acpi) {
		if (!only_useless_blocks(d, "ACPI", acpi))
			find(d, "firmware", FINDING_OK, "ACPI describes %u debug blocks", acpi);
		return;
	}
	if (nodes && count_blocks(d, is_debug_node) == nodes &&
	    only_useless_blocks(d, "the device tree", nodes))
		return;
	if (nodes > disabled) {
		find(d, "firmware", FINDING_OK, "the device tree describes %u PC-sample blocks",
		     nodes - disabled);
		return;
	}
	f = find(d, "firmware", FINDING_BAD, "%s",
		 nodes ? "the PC-sample blocks in the device tree are disabled" :
		 sysfs_exists("%s" DEVICE_TREE, d->root) ?
		 "the device tree describes no PC-sample block" :
		 "there is no device tree, and ACPI describes no debug block (ARMHC503)");
	if (nodes)
		fix(f, "set status = \"okay\" in the nodes with compatible = \"" PMU_BLOCK
		       "\" or \"" DEBUG_BLOCK "\", with an overlay");
	else if (hypervisor(d, text, sizeof(text)))
		fix(f,
		    "none: a guest does not see the registers of the host's CPUs; run it on the host");
	else
		fix(f,
		    "add a node for each CPU, or load the driver with blocks=CPU@ADDRESS,..., with addresses from the SoC's manual: a wrong one can hang the machine");
}

/* Driver */

static bool module_is_signed_only(const struct doctor *d)
{
	char text[128];

	if (sysfs_read(text, sizeof(text), "%s/sys/module/module/parameters/sig_enforce",
		       d->root) > 0 && *text == 'Y')
		return true;
	return sysfs_read(text, sizeof(text), "%s/sys/kernel/security/lockdown", d->root) > 0 &&
	       !strstr(text, "[none]");
}

static bool module_is_installed(const struct doctor *d)
{
	char path[PATH_MAX], *text;
	size_t size;
	bool found;

	snprintf(path, sizeof(path), "%s/lib/modules/%s/modules.dep", d->root, d->release);
	if (sysfs_slurp(&text, &size, 16U << 20, path))
		return false;
	found = strstr(text, "/" PCSAMPLE_PMU ".ko");
	free(text);
	return found;
}

static void check_driver(struct doctor *d)
{
	struct finding *f;

	if (!is_arm64(d)) {
		find(d, "driver", FINDING_SKIPPED, "not an Arm machine");
		return;
	}
	if (d->refused) {
		find(d, "driver", FINDING_SKIPPED, REFUSED);
		return;
	}
	d->pmu = sysfs_exists("%s" DEVICE, d->root);
	if (d->pmu) {
		find(d, "driver", FINDING_OK, PCSAMPLE_PMU " is loaded");
		return;
	}
	if (sysfs_exists("%s" DRIVER, d->root)) {
		f = find(d, "driver", FINDING_BAD,
			 PCSAMPLE_PMU " is loaded, but found no block it can use");
		fix(f, "dmesg | grep " PCSAMPLE_PMU
		    " has the reason for each that the driver was offered");
	} else if (module_is_installed(d)) {
		f = find(d, "driver", FINDING_BAD, PCSAMPLE_PMU " is installed, but not loaded");
		fix(f, "modprobe " PCSAMPLE_PMU);
	} else {
		f = find(d, "driver", FINDING_BAD, PCSAMPLE_PMU " is not installed for Linux %s",
			 d->release);
		fix(f,
		    "make && make install, in the source of pcsample, with this kernel's headers");
	}
	if (module_is_signed_only(d))
		fix(find(d, "signature", FINDING_NOTE, "this kernel loads signed modules only"),
		    "sign " PCSAMPLE_PMU ".ko with a key that is enrolled (mokutil), or turn"
		    " Secure Boot off");
}

/*
 * A driver that is built into the kernel cannot be unloaded, and this one has no file unbind, as it
 * sets suppress_bind_attrs. What remains is to skip its initcall: debug_init, or debug_driver_init
 * while it was an AMBA driver alone, as in Linux 6.1. Nothing else of arm64 has an initcall of
 * either name. The kernel looks the names up in its own table of symbols.
 */
static void release_built_in(const struct doctor *d, struct finding *f)
{
	if (sysfs_exists("%s/proc/kallsyms", d->root))
		fix(f,
		    "add initcall_blacklist=debug_init,debug_driver_init to the kernel's command line, and boot again");
	else
		fix(f,
		    "build the kernel with CONFIG_CORESIGHT_CPU_DEBUG=m, or with CONFIG_KALLSYMS=y, for initcall_blacklist=");
}

/*
 * A device has one driver, and coresight-cpu-debug may have the debug blocks. If that module is
 * loaded without having devices, it does no harm. Modules alone have a file initstate.
 */
static void check_holder(struct doctor *d)
{
	size_t held = count_files(d, HOLDER "/*/of_node") +
		      count_files(d, HOLDER "/ARMHC503:*") +
		      count_files(d, ACPI_HOLDER "/ARMHC503:*");
	bool module = sysfs_exists("%s" HOLDER_STATE, d->root);
	struct finding *f;

	if (!held || d->refused)
		return;
	f = find(d, "holder", d->pmu ? FINDING_NOTE : FINDING_BAD,
		 "coresight-cpu-debug%s holds %zu debug blocks",
		 module ? "" : ", which is built into this kernel,", held);
	if (module)
		fix(f, "rmmod coresight_cpu_debug; modprobe -r " PCSAMPLE_PMU "; modprobe "
		       PCSAMPLE_PMU "; to keep it so, write \"blacklist coresight_cpu_debug\" to"
		       " /etc/modprobe.d/" PCSAMPLE_PMU ".conf");
	else
		release_built_in(d, f);
}

/* What the driver found */

/*
 * What the driver has read of a register is a line for each value: a list of CPUs, and the value.
 * Take the next such line off @rest. Returns false after the last one.
 */
static bool next_value(char **rest, char **cpus, u64 *value)
{
	char *number;

	while (*rest) {
		*cpus = strsep(rest, "\n");
		number = strchr(*cpus, ' ');
		if (!number)
			continue;
		*number++ = '\0';
		*value = strtoull(number, NULL, 16);
		return true;
	}
	return false;
}

static void read_authstatus(struct doctor *d)
{
	char text[4096], *rest = text, *cpus;
	u64 value;

	d->nr_authstatus = 0;
	if (sysfs_read(text, sizeof(text), "%s" DEVICE "/caps/authstatus", d->root) < 0)
		return;
	while (d->nr_authstatus < AUTHSTATUS_MAX && next_value(&rest, &cpus, &value)) {
		struct authstatus *a = &d->authstatus[d->nr_authstatus];

		a->value = value;
		if (!cpus_parse(&a->cpus, cpus))
			d->nr_authstatus++;
	}
}

const u32 *doctor_authstatus(const struct doctor *d, int cpu)
{
	const struct authstatus *a;

	for (a = d->authstatus; a < d->authstatus + d->nr_authstatus; a++)
		if (cpu >= 0 && cpus_has(&a->cpus, cpu))
			return &a->value;
	return NULL;
}

const char *authstatus_of(u32 authstatus, u32 field)
{
	switch (FIELD_GET(field, authstatus)) {
	case PMAUTHSTATUS_ENABLED:
		return "enabled";
	case PMAUTHSTATUS_DISABLED:
		return "disabled";
	case PMAUTHSTATUS_NOT_IMPLEMENTED:
		return "not_implemented";
	default:
		return "reserved";
	}
}

void authstatus_tell(u32 authstatus, char text[AUTHSTATUS_TEXT_MAX])
{
	static const struct {
		const char *name;
		u32 field;
	} states[] = {
		{ "Secure", PMAUTHSTATUS_SNID },
		{ "Realm", PMAUTHSTATUS_RLNID },
		{ "Root", PMAUTHSTATUS_RTNID },
	};
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(states); i++)
		if (FIELD_GET(states[i].field, authstatus) != PMAUTHSTATUS_NOT_IMPLEMENTED)
			len += snprintf(text + len, AUTHSTATUS_TEXT_MAX - len, ", in %s state %s",
					states[i].name,
					authstatus_of(authstatus, states[i].field));
}

static void check_blocks(struct doctor *d)
{
	struct cpus possible, missing;
	struct finding *f;
	char text[CPUS_TEXT_MAX];

	if (!d->pmu) {
		find(d, "blocks", FINDING_SKIPPED, "no driver");
		return;
	}
	read_cpus(d, &d->targets, DEVICE "/caps/blocks");
	d->usable = d->targets;
	read_authstatus(d);
	if (read_cpus(d, &d->disabled, DEVICE "/caps/disabled"))
		memset(&d->disabled, 0, sizeof(d->disabled));
	if (read_cpus(d, &possible, "/sys/devices/system/cpu/present"))
		possible = d->targets;
	if (!cpus_empty(&d->disabled)) {
		f = find(d, "blocks", FINDING_BAD,
			 "CPUs %s have their non-invasive debug disabled: no sample can come of them",
			 list(&d->disabled, text));
		fix(f,
		    "only firmware can change that: look for a debug or CoreSight setting, or a fused-off part");
		cpus_and_not(&d->targets, &d->disabled);
		return;
	}
	missing = possible;
	cpus_and_not(&missing, &d->targets);
	if (cpus_empty(&missing)) {
		find(d, "blocks", FINDING_OK, "CPUs %s can be sampled", list(&d->targets, text));
		return;
	}
	f = find(d, "blocks", FINDING_NOTE, "CPUs %s cannot be sampled", list(&missing, text));
	fix(f, "add their blocks to the device tree; dmesg | grep " PCSAMPLE_PMU
	       " tells of blocks that do not fit");
}

/* A debug block that the driver uses has sample registers, whatever its CPU is. */
static void add_registers(struct doctor *d)
{
	struct block *b;

	for (b = d->block; b < d->block + d->nr_blocks; b++)
		if (b->node == PCS_NODE_DEBUG && doctor_has(d, b))
			b->registers = "FEAT_PCSRv8";
}

static void read_roms(struct doctor *d)
{
	char text[4096], *rest = text, *cpus;
	struct rom *rom = d->rom;

	d->nr_roms = 0;
	if (sysfs_read(text, sizeof(text), "%s" MDRAR, d->root) < 0)
		return;
	for (; d->nr_roms < ROMS_MAX && next_value(&rest, &cpus, &rom->mdrar); rom++) {
		snprintf(rom->cpus, sizeof(rom->cpus), "%s", cpus);
		d->nr_roms++;
	}
}

/* Only EL1 can read MDRAR_EL1. The table is not read: on some systems that hangs the bus. */
static void check_rom(struct doctor *d)
{
	const struct rom *rom;

	read_roms(d);
	if (!is_arm64(d)) {
		find(d, "rom-table", FINDING_SKIPPED, "not an Arm machine");
		return;
	}
	if (!d->nr_roms)
		find(d, "rom-table", FINDING_SKIPPED,
		     "not known: MDRAR_EL1 is read by the driver, when it is loaded");
	for (rom = d->rom; rom < d->rom + d->nr_roms; rom++) {
		unsigned long long mdrar = rom->mdrar;

		if (rom_is_valid(rom))
			find(d, "rom-table", FINDING_OK,
			     "MDRAR_EL1 of CPUs %s is 0x%llx: a table of debug components is at"
			     " 0x%llx; nothing was read there", rom->cpus, mdrar,
			     mdrar & MDRAR_ROMADDR);
		else
			find(d, "rom-table", FINDING_SKIPPED,
			     "MDRAR_EL1 of CPUs %s is 0x%llx: no address that is valid", rom->cpus,
			     mdrar);
	}
}

/*
 * Does firmware say where a block is that samples? A node says it also while it is disabled, or the
 * driver is not loaded. One that the driver has refused is perhaps wrong.
 */
static bool is_described(const struct doctor *d, const struct block *b)
{
	return b->cpu >= 0 && b->registers &&
	       (b->driver || b->disabled || !sysfs_exists("%s" DRIVER, d->root));
}

/* The CPUs whose blocks are at places that nobody knows */
static int find_cpus_without(const struct doctor *d, struct cpus *without)
{
	int ret = read_cpus(d, without, "/sys/devices/system/cpu/present");
	struct cpus known = d->usable;
	const struct block *b;

	if (ret)
		return ret;
	for (b = d->block; b < d->block + d->nr_blocks; b++)
		if (is_described(d, b))
			cpus_add(&known, b->cpu);
	cpus_and_not(without, &known);
	return 0;
}

/* Guess where the blocks are that firmware does not describe */
static void check_candidates(struct doctor *d)
{
	unsigned int unmapped;
	char left_out[128] = "";
	struct cpus without;

	d->nr_candidates = 0;
	if (!is_arm64(d) || d->hangs || find_cpus_without(d, &without))
		return;
	d->nr_candidates = candidates_find(d->root, &without, d->candidate, CANDIDATES_MAX,
					   &unmapped);
	if (!d->nr_candidates && candidates_unlike(d->root) && !cpus_empty(&without))
		find(d, "candidates", FINDING_SKIPPED,
		     "nothing can be guessed on %s: its debug blocks are at places of no known map",
		     candidates_unlike(d->root));
	if (unmapped)
		snprintf(left_out, sizeof(left_out),
			 "%u places are left out: the ranges of their buses give no physical address"
			 " of them", unmapped);
	if (!d->nr_candidates && unmapped)
		find(d, "candidates", FINDING_SKIPPED, "%s", left_out);
	if (!d->nr_candidates)
		return;
	fix(find(d, "candidates", FINDING_NOTE,
		 "%u blocks may be at places guessed from other components of the CPUs; nothing was"
		 " read there%s%s",
		 d->nr_candidates, unmapped ? "; " : "", left_out),
	    "look them up in the SoC's manual; modprobe " PCSAMPLE_PMU " blocks=%u@0x%llx,... has"
	    " the CPUs read them, and a wrong one can hang the machine", d->candidate[0].cpu,
	    (unsigned long long)d->candidate[0].address);
}

/* Never bad: no board needs snapshots, and the kernel only knows those that firmware describes */
static void check_snapshots(struct doctor *d)
{
	struct cpus cpus;
	char text[CPUS_TEXT_MAX];

	if (!d->pmu || read_cpus(d, &cpus, DEVICE "/caps/snapshots"))
		find(d, "snapshots", FINDING_SKIPPED, "no driver that takes PMU snapshots");
	else if (cpus_empty(&cpus))
		find(d, "snapshots", FINDING_SKIPPED,
		     "no CPU has PMU snapshots that firmware lets the kernel take, as far as the"
		     " device tree says (arm,pmu-snapshots)");
	else
		find(d, "snapshots", FINDING_OK,
		     "CPUs %s have PMU snapshots: -e " PCSAMPLE_PMU "/snapshot=1/ takes some",
		     list(&cpus, text));
}

static void check_readers(struct doctor *d)
{
	struct cpus readers, isolated;
	struct finding *f;
	char text[CPUS_TEXT_MAX];

	if (!d->pmu) {
		find(d, "readers", FINDING_SKIPPED, "no driver");
		return;
	}
	if (read_cpus(d, &readers, DEVICE "/cpumask") || cpus_empty(&readers)) {
		memset(&d->targets, 0, sizeof(d->targets));
		f = find(d, "readers", FINDING_BAD, "no CPU reads the others");
		fix(f, "echo 0-1 > " DEVICE "/readers");
		return;
	}
	if (cpus_count(&readers) == 1 && cpus_within(&d->targets, &readers)) {
		memset(&d->targets, 0, sizeof(d->targets));
		f = find(d, "readers", FINDING_BAD,
			 "CPU %s alone reads, and no CPU reads itself", list(&readers, text));
		fix(f, "echo 0-1 > " DEVICE "/readers, if there are two CPUs");
		return;
	}
	if (!read_cpus(d, &isolated, "/sys/devices/system/cpu/isolated")) {
		cpus_and(&isolated, &readers);
		if (!cpus_empty(&isolated)) {
			f = find(d, "readers", FINDING_NOTE,
				 "CPUs %s are isolated, and read the others: the timer disturbs them",
				 list(&isolated, text));
			fix(f, "echo LIST > " DEVICE "/readers, with CPUs that are not isolated");
			return;
		}
	}
	if (cpus_count(&readers) == 1) {
		f = find(d, "readers", FINDING_NOTE,
			 "CPU %s alone reads the others: nobody samples it", list(&readers, text));
		fix(f, "echo 0-1 > " DEVICE "/readers, if there are two CPUs");
		return;
	}
	find(d, "readers", FINDING_OK, "CPUs %s read the others", list(&readers, text));
}

static void check_attribution(struct doctor *d)
{
	struct finding *f;
	char text[64];

	if (!d->pmu) {
		find(d, "processes", FINDING_SKIPPED, "no driver");
		return;
	}
	if (sysfs_read(text, sizeof(text), "%s" DEVICE "/caps/attribution", d->root) < 0)
		strcpy(text, "none");
	if (strcmp(text, "none")) {
		find(d, "processes", FINDING_OK, "samples are given to processes by %s", text);
		return;
	}
	f = find(d, "processes", FINDING_NOTE,
		 "samples cannot be given to processes: the kernel does not put its tasks into CONTEXTIDR");
	fix(f, "build the kernel with CONFIG_PID_IN_CONTEXTIDR=y; Debian's has it");
}

/* All reads since the driver was loaded */
static void check_ledger(struct doctor *d)
{
	struct ledgers ledgers;
	const struct ledger *total = &ledgers.total;
	struct finding *f;
	u64 planned, none, late;

	if (!d->pmu || ledgers_read(&ledgers, d->root, NULL)) {
		find(d, "reads", FINDING_SKIPPED, "no driver");
		return;
	}
	if (!ledgers_known(&ledgers)) {
		f = find(d, "reads", FINDING_SKIPPED, "only users with CAP_PERFMON may see them");
		fix(f, "run it with sudo");
		ledgers_release(&ledgers);
		return;
	}
	planned = ledger_get(total, OUTCOME_PLANNED);
	none = ledger_outcome(total, OUTCOME_PROHIBITED);
	late = ledger_outcome(total, OUTCOME_LATE) + ledger_outcome(total, OUTCOME_PREEMPTED);
	if (!planned) {
		find(d, "reads", FINDING_OK, "nothing was sampled since the driver was loaded");
	} else if (ledger_outcome(total, OUTCOME_ERROR)) {
		f = find(d, "reads", FINDING_NOTE,
			 "%llu of %llu reads since the driver was loaded were answered with an error",
			 (unsigned long long)ledger_outcome(total, OUTCOME_ERROR),
			 (unsigned long long)planned);
		fix(f, "dmesg | grep " PCSAMPLE_PMU);
	} else if (none > planned / 2) {
		f = find(d, "reads", FINDING_NOTE,
			 "%llu of %llu reads since the driver was loaded were prohibited",
			 (unsigned long long)none, (unsigned long long)planned);
		fix(f,
		    "firmware forbids it, or the CPUs were in a Security state that may not be seen");
	} else if (late > planned / 10) {
		f = find(d, "reads", FINDING_NOTE,
			 "the readers were too late, or out of budget, for %llu of %llu reads",
			 (unsigned long long)late, (unsigned long long)planned);
		fix(f, "a lower -F, more readers (echo LIST > " DEVICE
		       "/readers), or readers with less to do");
	} else {
		find(d, "reads", FINDING_OK, "%llu reads since the driver was loaded, %llu samples",
		     (unsigned long long)planned,
		     (unsigned long long)ledger_outcome(total, OUTCOME_SAMPLE));
	}
	ledgers_release(&ledgers);
}

/* This user */

static void check_permission(struct doctor *d)
{
	char text[16] = "unknown";
	struct finding *f;

	sysfs_read(text, sizeof(text), "%s/proc/sys/kernel/perf_event_paranoid", d->root);
	if (perfmon_is_not_enough(d->root, text)) {
		d->may = false;
		f = find(d, "permission", FINDING_BAD,
			 "CAP_PERFMON is not enough: kernel.perf_event_paranoid is 3, and then this kernel wants CAP_SYS_ADMIN");
		fix(f, "sysctl kernel.perf_event_paranoid=2");
		return;
	}
	d->may = has_capability(d->root, CAP_PERFMON) || has_capability(d->root, CAP_SYS_ADMIN) ||
		 (strcmp(text, "unknown") && atoi(text) <= 0);
	if (d->may) {
		find(d, "permission", FINDING_OK, "this user may profile whole CPUs");
		return;
	}
	f = find(d, "permission", FINDING_BAD,
		 "this user may not profile whole CPUs: no CAP_PERFMON, and kernel.perf_event_paranoid is %s",
		 text);
	fix(f, "sudo pcsample ..., or: sysctl kernel.perf_event_paranoid=-1");
}

static bool kallsyms_has_addresses(const struct doctor *d)
{
	char text[512];

	return sysfs_read(text, sizeof(text), "%s/proc/kallsyms", d->root) >= 0 &&
	       host_shows_addresses(text);
}

static void check_symbols(struct doctor *d)
{
	struct finding *f;

	if (kallsyms_has_addresses(d)) {
		find(d, "symbols", FINDING_OK, "the kernel's symbols can be read");
		return;
	}
	f = find(d, "symbols", FINDING_NOTE,
		 "the kernel hides its addresses from this user: kernel samples stay without names");
	fix(f, "sudo pcsample ..., or: sysctl kernel.kptr_restrict=0");
}

static void check_rate(struct doctor *d)
{
	struct finding *f;
	u64 hz;

	if (sysfs_read_number(&hz, "%s/proc/sys/kernel/perf_event_max_sample_rate", d->root)) {
		find(d, "rate", FINDING_BAD, "this kernel has no perf events");
		d->may = false;
		return;
	}
	if (hz >= 4000) {
		find(d, "rate", FINDING_OK, "the kernel allows up to %llu samples per second",
		     (unsigned long long)hz);
		return;
	}
	f = find(d, "rate", FINDING_NOTE, "the kernel allows no more than %llu samples per second",
		 (unsigned long long)hz);
	fix(f, "sysctl kernel.perf_event_max_sample_rate=100000, or -F %llu",
	    (unsigned long long)hz);
}

/* Samples */

#if HAVE_LIBPERF
static void judge_trial(struct doctor *d, const struct trial *trial)
{
	struct cpus running = d->targets;
	struct finding *f;
	char text[CPUS_TEXT_MAX];

	if (!cpus_empty(&trial->frozen)) {
		f = find(d, "samples", FINDING_BAD, "%s", trial->text);
		fix(f,
		    "leave CPUs %s out with -C; a debugger or firmware that holds their PMU block can freeze it",
		    list(&trial->frozen, text));
		cpus_and_not(&d->targets, &trial->frozen);
	} else if (!cpus_empty(&trial->silent)) {
		f = find(d, "samples", FINDING_NOTE,
			 "CPUs %s gave too few samples or ran too little to tell",
			 list(&trial->silent, text));
		fix(f, "cat " DEVICE "/ledger/cpu*: what became of the reads");
	} else {
		cpus_and_not(&running, &trial->stuck);
		find(d, "samples", FINDING_OK, "samples of CPUs %s follow what runs there",
		     list(&running, text));
	}
}

/* Isolated CPUs are left alone. */
static void take_samples(struct doctor *d)
{
	static struct trial trial;
	struct cpus busy = d->targets, isolated;
	char text[CPUS_TEXT_MAX];
	struct error err;
	int ret;

	if (!read_cpus(d, &isolated, "/sys/devices/system/cpu/isolated"))
		cpus_and_not(&busy, &isolated);
	ret = trial_run(&trial, &busy, &err);
	if (!cpus_empty(&trial.stuck))
		fix(find(d, "stuck", FINDING_BAD,
			 "CPUs %s answer nothing and get no time accounted",
			 list(&trial.stuck, text)),
		    "pcsample stuck: where they execute");
	if (ret)
		find(d, "samples", FINDING_BAD, "%s", err.text);
	else
		judge_trial(d, &trial);
}
#else
static void take_samples(struct doctor *d)
{
	fix(find(d, "samples", FINDING_BAD, "this pcsample was built without libperf"),
	    "install libperf's headers and build it again");
}
#endif

static void check_samples(struct doctor *d)
{
	if (!doctor_can_sample(d))
		find(d, "samples", FINDING_SKIPPED, "this user can take none");
	else if (d->sample)
		take_samples(d);
	else
		find(d, "samples", FINDING_SKIPPED,
		     "not taken; pcsample doctor --sample finds registers that are frozen");
}

void doctor_examine(struct doctor *d)
{
	d->nr = 0;
	d->pmu = false;
	d->may = false;
	memset(&d->targets, 0, sizeof(d->targets));
	memset(&d->usable, 0, sizeof(d->usable));
	memset(&d->disabled, 0, sizeof(d->disabled));
	d->nr_authstatus = 0;
	d->nr_blocks = blocks_find(d->root, d->block, BLOCKS_MAX);
	check_machine(d);
	check_kernel(d);
	check_soc(d);
	check_firmware(d);
	check_driver(d);
	check_holder(d);
	check_blocks(d);
	add_registers(d);
	check_rom(d);
	check_candidates(d);
	check_snapshots(d);
	check_readers(d);
	check_attribution(d);
	check_ledger(d);
	check_permission(d);
	check_symbols(d);
	check_rate(d);
	check_samples(d);
}

bool doctor_has(const struct doctor *d, const struct block *b)
{
	return b->cpu >= 0 && b->driver && !strcmp(b->driver, PCSAMPLE_PMU) &&
	       cpus_has(&d->usable, b->cpu);
}

bool doctor_can_sample(const struct doctor *d)
{
	return d->pmu && d->may && !cpus_empty(&d->targets);
}
