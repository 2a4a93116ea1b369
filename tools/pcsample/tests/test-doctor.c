// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doctor's findings on machines that are made of files.
 */
#include "unit.h"

#include <unistd.h>

#include "capture/doctor.h"

#define DEVICE	"sys/bus/event_source/devices/arm_pcsample/"
#define MDRAR	"sys/module/arm_pcsample/parameters/mdrar"
#define TREE	"sys/firmware/devicetree/base/"
#define DMI	"sys/class/dmi/id/"
#define HOLDER	"sys/bus/amba/drivers/coresight-cpu-debug/"
#define HOLDER_MODULE	"sys/module/coresight_cpu_debug/"

static struct doctor doctor;

static void examine(const char *machine, const char *release)
{
	doctor.root = temp_dir;
	doctor.machine = machine;
	doctor.release = release;
	doctor_examine(&doctor);
}

static const struct finding *finding(const char *check)
{
	unsigned int i;

	for (i = 0; i < doctor.nr; i++)
		if (!strcmp(doctor.finding[i].check, check))
			return &doctor.finding[i];
	fail_msg("no finding %s", check);
	return NULL;
}

static void has_no_finding(const char *check)
{
	unsigned int i;

	for (i = 0; i < doctor.nr; i++)
		assert_string_not_equal(doctor.finding[i].check, check);
}

/* The check has this grade and text; unless it is well, it names a fix */
static void finds(const char *check, enum finding_grade grade, const char *text, const char *fix)
{
	const struct finding *f = finding(check);

	if (f->grade != grade || !strstr(f->text, text) || !strstr(f->fix, fix))
		fail_msg("%s: grade %d, '%s', do '%s'", check, f->grade, f->text, f->fix);
	if (f->grade == FINDING_BAD)
		assert_true(f->fix[0]);
}

static void user(const char *capabilities, const char *paranoid)
{
	char text[128];

	snprintf(text, sizeof(text), "Name:\tpcsample\nCapEff:\t%s\nSeccomp:\t0\n", capabilities);
	temp_text("proc/self/status", text);
	temp_text("proc/sys/kernel/perf_event_paranoid", paranoid);
}

/* A node of the device tree; @compatible is a list with its NULs */
static void node(const char *name, const char *compatible, size_t size, const char *status)
{
	char path[128];

	snprintf(path, sizeof(path), TREE "%s/compatible", name);
	temp_write(path, compatible, size);
	if (!status)
		return;
	snprintf(path, sizeof(path), TREE "%s/status", name);
	temp_write(path, status, strlen(status) + 1);
}

#define NODE(name, compatible, status) node(name, compatible, sizeof(compatible), status)

static int make_board(void **state)
{
	temp_setup(state);
	user("000001ffffffffff", "2\n");
	temp_text("proc/kallsyms", "ffff800008000000 T _text\n");
	temp_text("proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	temp_text("sys/devices/system/cpu/present", "0-3\n");
	temp_text("sys/devices/system/cpu/isolated", "\n");
	NODE("cpus/cpu@0", "arm,neoverse-n1\0arm,armv8", NULL);
	NODE("soc/pmu@1000", "arm,other\0arm,pmu-pc-sample", NULL);
	NODE("soc/pmu@2000", "arm,pmu-pc-sample", "okay");
	NODE("soc/pmu@3000", "arm,pmu-pc-sample", "disabled");
	return 0;
}

static void add_driver(const char *blocks, const char *disabled, const char *readers)
{
	temp_text(DEVICE "cpumask", readers);
	temp_text(DEVICE "caps/blocks", blocks);
	temp_text(DEVICE "caps/disabled", disabled);
	temp_text(DEVICE "caps/attribution", "contextidr_el1\n");
	temp_text(DEVICE "caps/snapshots", blocks);
	temp_text(MDRAR, "0-3 0xff820003\n");
	temp_text(DEVICE "ledger/total", "planned 0\nsample 0\n");
}

static void remove_path(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", temp_dir, name);
	assert_int_equal(remove(path), 0);
}

static void test_all_well(void **state)
{
	unsigned int i;

	add_driver("0-3\n", "\n", "0,2\n");
	temp_text(DEVICE "ledger/total", "planned 100\nsample 95\nlate 5\n");
	examine("aarch64", "6.12.95+deb12-arm64");
	for (i = 0; i + 1 < doctor.nr; i++)
		if (doctor.finding[i].grade != FINDING_OK)
			fail_msg("%s: %s", doctor.finding[i].check, doctor.finding[i].text);
	finds("samples", FINDING_SKIPPED, "--sample finds registers that are frozen", "");
	finds("firmware", FINDING_OK, "2 PC-sample blocks", "");
	finds("blocks", FINDING_OK, "CPUs 0-3", "");
	finds("readers", FINDING_OK, "CPUs 0,2", "");
	finds("processes", FINDING_OK, "contextidr_el1", "");
	assert_true(doctor_can_sample(&doctor));
}

static void test_other_machine(void **state)
{
	examine("x86_64", "6.12.95");
	finds("machine", FINDING_BAD, "x86_64", "-e cpu-clock");
	finds("driver", FINDING_SKIPPED, "", "");
	assert_false(doctor_can_sample(&doctor));
}

static void test_old_kernel(void **state)
{
	examine("aarch64", "5.10.0-arm64");
	finds("kernel", FINDING_BAD, "6.1", "newer");
	examine("aarch64", "6.1.0");
	finds("kernel", FINDING_OK, "", "");
	examine("aarch64", "10.0");
	finds("kernel", FINDING_OK, "", "");
}

static void test_no_driver(void **state)
{
	examine("aarch64", "6.12.95");
	finds("driver", FINDING_BAD, "not installed", "make install");
	temp_text("lib/modules/6.12.95/modules.dep", "kernel/a.ko:\nextra/arm_pcsample.ko:\n");
	examine("aarch64", "6.12.95");
	finds("driver", FINDING_BAD, "not loaded", "modprobe arm_pcsample");
	temp_text("sys/bus/platform/drivers/arm_pcsample/uevent", "");
	examine("aarch64", "6.12.95");
	finds("driver", FINDING_BAD, "no block", "for each that the driver was offered");
	temp_text("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	examine("aarch64", "6.12.95");
	finds("signature", FINDING_NOTE, "signed", "mokutil");
	assert_false(doctor_can_sample(&doctor));
}

/* A device tree without our nodes, of a board that we do not know */
static void test_no_nodes(void **state)
{
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_BAD, "no device tree", "add a node");
	NODE("soc/serial@1", "arm,pl011\0arm,primecell", NULL);
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_BAD, "no PC-sample block", "add a node");
	temp_text(DMI "sys_vendor", "QEMU\n");
	examine("aarch64", "6.12.95");
	finds("machine", FINDING_OK, "virtual machine: QEMU", "");
	finds("firmware", FINDING_BAD, "no PC-sample block", "on the host");
	NODE("soc/pmu@1", "arm,pmu-pc-sample", "disabled");
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_BAD, "are disabled", "status");
	assert_false(doctor_can_sample(&doctor));
	NODE("soc/debug@1", "arm,coresight-cpu-debug\0arm,primecell", "disabled");
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_BAD, "are disabled", "arm,coresight-cpu-debug");
	NODE("soc/debug@2", "arm,coresight-cpu-debug\0arm,primecell", NULL);
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_OK, "1 PC-sample blocks", "");
}

static void is_virtual(const char *vendor, const char *product)
{
	temp_text(DMI "sys_vendor", vendor);
	temp_text(DMI "product_name", product);
	examine("aarch64", "6.12.95");
	finds("machine", FINDING_OK, "aarch64, a virtual machine: ", "");
	finds("firmware", FINDING_BAD, "", "on the host");
}

static void is_real(const char *vendor, const char *product)
{
	temp_text(DMI "sys_vendor", vendor);
	temp_text(DMI "product_name", product);
	examine("aarch64", "6.12.95");
	assert_string_equal(finding("machine")->text, "aarch64");
	finds("firmware", FINDING_BAD, "", "add a node");
}

/* Some vendors of virtual machines make others, too */
static void test_virtual_machines(void **state)
{
	is_real("Ampere(R)", "Mt. Jade");
	is_virtual("QEMU\n", "KVM Virtual Machine\n");
	is_virtual("Amazon EC2\n", "m6g.large\n");
	is_real("Amazon EC2\n", "m6g.metal\n");
	is_real("Amazon EC2\n", "m8g.metal-24xl\n");
	is_virtual("Google\n", "Google Compute Engine\n");
	is_real("Google\n", "Pixelbook\n");
	is_virtual("Microsoft Corporation\n", "Virtual Machine\n");
	is_real("Microsoft Corporation\n", "Surface Pro X\n");
	temp_text(TREE "hypervisor/compatible", "xen,xen");
	examine("aarch64", "6.12.95");
	finds("machine", FINDING_OK, "a virtual machine: a hypervisor in the device tree", "");
	temp_text("sys/hypervisor/type", "xen\n");
	examine("aarch64", "6.12.95");
	finds("machine", FINDING_OK, "a virtual machine: xen", "");
}

static void test_acpi(void **state)
{
	temp_text("sys/bus/acpi/devices/ARMHC503:00/path", "\\_SB.C000.DBG0\n");
	temp_text("sys/bus/acpi/devices/ARMHC503:01/path", "\\_SB.C001.DBG1\n");
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_OK, "ACPI describes 2 debug blocks", "");
	temp_text("sys/bus/platform/drivers/coresight-debug-platform/ARMHC503:00/uevent", "");
	temp_text(HOLDER_MODULE "initstate", "live\n");
	examine("aarch64", "6.12.95");
	finds("holder", FINDING_BAD, "holds 1 debug blocks", "rmmod coresight_cpu_debug");
}

/* Debug blocks that cannot sample: their CPUs are of Armv8.2 or later */
static void test_armv8p2(void **state)
{
	temp_text("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd cpuid dcpop\n\n");
	temp_text("sys/bus/acpi/devices/ARMHC503:00/path", "\\_SB.C000.DBG0\n");
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_BAD, "ACPI describes 1 debug blocks, but CPUs of Armv8.2 or",
	      "the address of the PMU frame of each CPU");
	remove_path("sys/bus/acpi/devices/ARMHC503:00/path");
	remove_path("sys/bus/acpi/devices/ARMHC503:00");
	NODE("soc/debug@1", "arm,coresight-cpu-debug\0arm,primecell", NULL);
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_BAD, "the device tree describes 1 debug blocks, but",
	      "blocks=CPU@ADDRESS");
	/* Not these features, or nothing said of them */
	temp_text("proc/cpuinfo", "Features\t: fp dcpodp\nother\t: dcpop\n");
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_OK, "1 PC-sample blocks", "");
	/* There is a block that samples */
	temp_text("proc/cpuinfo", "processor\t: 0\nFeatures\t: dcpop cpuid\n");
	NODE("soc/pmu@1", "arm,pmu-pc-sample", NULL);
	examine("aarch64", "6.12.95");
	finds("firmware", FINDING_OK, "2 PC-sample blocks", "");
}

/* coresight-cpu-debug has no device, so it is no problem, or has devices that the driver wants */
static void test_holder(void **state)
{
	temp_text(HOLDER "uevent", "");
	temp_text(HOLDER_MODULE "parameters/enable", "N\n");
	temp_text(HOLDER_MODULE "initstate", "live\n");
	examine("aarch64", "6.12.95");
	has_no_finding("holder");
	temp_text(HOLDER "850000.debug/of_node", "");
	temp_text(HOLDER "852000.debug/of_node", "");
	examine("aarch64", "6.12.95");
	finds("holder", FINDING_BAD, "coresight-cpu-debug holds 2 debug blocks",
	      "rmmod coresight_cpu_debug; modprobe -r arm_pcsample; modprobe arm_pcsample; to keep");
}

/* It is no module: it has parameters there, but nobody can unload it. */
static void test_built_in_holder(void **state)
{
	const char *holder = "coresight-cpu-debug, which is built into this kernel, holds 1 debug";

	temp_text(HOLDER_MODULE "parameters/enable", "N\n");
	examine("aarch64", "6.12.95");
	has_no_finding("holder");
	temp_text(HOLDER "850000.debug/of_node", "");
	examine("aarch64", "6.12.95");
	finds("holder", FINDING_BAD, holder,
	      "initcall_blacklist=debug_init,debug_driver_init to the kernel's command line");
	assert_null(strstr(finding("holder")->fix, "rmmod"));

	/* It has no table of symbols to find the initcall in. */
	remove_path("proc/kallsyms");
	examine("aarch64", "6.12.95");
	finds("holder", FINDING_BAD, holder, "CONFIG_CORESIGHT_CPU_DEBUG=m");
	assert_null(strstr(finding("holder")->fix, "command line"));
}

static void test_blocks(void **state)
{
	add_driver("0-1\n", "\n", "0-1\n");
	examine("aarch64", "6.12.95");
	finds("blocks", FINDING_NOTE, "CPUs 2-3 cannot", "device tree");
	assert_true(doctor_can_sample(&doctor));
	add_driver("0-3\n", "0-3\n", "0-1\n");
	examine("aarch64", "6.12.95");
	finds("blocks", FINDING_BAD, "CPUs 0-3", "firmware");
	assert_false(doctor_can_sample(&doctor));
}

/* A component of a CPU, in a bus with two address cells */
static void component(const char *name, const char *compatible, u8 phandle, u32 address)
{
	const u8 cells[] = { 0, 0, 0, 2 }, cpu[] = { 0, 0, 0, phandle };
	const u8 reg[] = { 0, 0, 0, 0, address >> 24, address >> 16, address >> 8, address,
			   0, 0, 0, 0, 0, 0, 0x10, 0 };
	char path[128];

	node(name, compatible, strlen(compatible) + 1, NULL);
	temp_write(TREE "soc/#address-cells", cells, sizeof(cells));
	temp_write(TREE "soc/ranges", "", 0);
	snprintf(path, sizeof(path), TREE "%s/cpu", name);
	temp_write(path, cpu, sizeof(cpu));
	snprintf(path, sizeof(path), TREE "%s/reg", name);
	temp_write(path, reg, sizeof(reg));
}

static void trace_unit(const char *name, u8 phandle, u32 address)
{
	component(name, "arm,coresight-etm4x", phandle, address);
}

static void cpu_node(unsigned int cpu, u8 handle, const char *compatible)
{
	const u8 phandle[] = { 0, 0, 0, handle };
	char path[128];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/of_node/phandle", cpu);
	temp_write(path, phandle, sizeof(phandle));
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/of_node/compatible", cpu);
	temp_write(path, compatible, strlen(compatible) + 1);
}

/* What a node's property cpu refers to */
static void node_cpu_is(const char *name, u8 handle, u32 address)
{
	const u8 cells[] = { 0, 0, 0, 1 }, cpu[] = { 0, 0, 0, handle };
	const u8 reg[] = { address >> 24, address >> 16, address >> 8, address, 0, 0, 0x10, 0 };
	char path[128];

	temp_write(TREE "bus/#address-cells", cells, sizeof(cells));
	snprintf(path, sizeof(path), TREE "%s/cpu", name);
	temp_write(path, cpu, sizeof(cpu));
	snprintf(path, sizeof(path), TREE "%s/reg", name);
	temp_write(path, reg, sizeof(reg));
}

/* A driver has the device of a node, which is a link in sysfs. */
static void bind(const char *driver, const char *device, const char *name)
{
	char path[256], to[256];

	snprintf(path, sizeof(path), "sys/bus/%s/%s/uevent", driver, device);
	temp_text(path, "");
	snprintf(to, sizeof(to), "%s/" TREE "%s", temp_dir, name);
	snprintf(path, sizeof(path), "%s/sys/bus/%s/%s/of_node", temp_dir, driver, device);
	assert_int_equal(symlink(to, path), 0);
}

static void block_is(unsigned int n, int cpu, enum pcs_node kind, u64 address, const char *name,
		     const char *registers, const char *driver, bool disabled)
{
	const struct block *b = &doctor.block[n];

	assert_true(n < doctor.nr_blocks);
	assert_string_equal(b->name, name);
	assert_int_equal(b->cpu, cpu);
	assert_int_equal(b->node, kind);
	assert_int_equal(b->has_address, address != 0);
	assert_int_equal(b->address, address);
	assert_string_equal(b->registers ? b->registers : "", registers);
	assert_string_equal(b->driver ? b->driver : "", driver);
	assert_int_equal(b->disabled, disabled);
}

/*
 * CPUs 0 and 1 have debug blocks, CPU 2 one that another driver holds, CPU 3 a disabled PMU block;
 * there is one of no CPU. Two were given by hand, of which the driver has refused that of CPU 1.
 * The registers of CPU 2 cannot be told, as its core is not known.
 */
static void test_list_of_blocks(void **state)
{
	unsigned int cpu;

	temp_text("sys/devices/system/cpu/present", "0-4\n");
	for (cpu = 0; cpu < 5; cpu++)
		cpu_node(cpu, 9 + cpu, cpu == 2 ? "acme,core" : "arm,cortex-a53");
	NODE("bus/debug@850000", "arm,coresight-cpu-debug\0arm,primecell", NULL);
	node_cpu_is("bus/debug@850000", 9, 0x850000);
	NODE("bus/debug@852000", "arm,coresight-cpu-debug\0arm,primecell", "okay");
	node_cpu_is("bus/debug@852000", 10, 0x852000);
	NODE("bus/debug@854000", "arm,coresight-cpu-debug\0arm,primecell", NULL);
	node_cpu_is("bus/debug@854000", 11, 0x854000);
	NODE("bus/pmu@857000", "arm,pmu-pc-sample", "disabled");
	node_cpu_is("bus/pmu@857000", 12, 0x857000);
	NODE("bus/pmu@859000", "arm,pmu-pc-sample", NULL);
	node_cpu_is("bus/pmu@859000", 99, 0x859000);
	bind("amba/drivers/arm_pcsample", "850000.debug", "bus/debug@850000");
	bind("amba/drivers/arm_pcsample", "852000.debug", "bus/debug@852000");
	bind("amba/drivers/coresight-cpu-debug", "854000.debug", "bus/debug@854000");
	temp_text("sys/module/arm_pcsample/parameters/blocks", "1@0x123457000,4@0x123456000\n");
	temp_text("sys/bus/platform/devices/arm_pcsample.9.auto/uevent", "");
	temp_text("sys/bus/platform/devices/arm_pcsample.10.auto/uevent", "");
	temp_text("sys/bus/platform/drivers/arm_pcsample/arm_pcsample.10.auto/uevent", "");
	add_driver("0-1,4\n", "1\n", "0\n");
	temp_text(DEVICE "caps/authstatus", "0,4 0xc00c0cc\nbad\n1 0x88\n");
	examine("aarch64", "6.12.95");

	assert_int_equal(*doctor_authstatus(&doctor, 0), 0xC00C0CC);
	assert_int_equal(*doctor_authstatus(&doctor, 4), 0xC00C0CC);
	assert_int_equal(*doctor_authstatus(&doctor, 1), 0x88);
	assert_null(doctor_authstatus(&doctor, 2));
	assert_null(doctor_authstatus(&doctor, -1));
	assert_int_equal(doctor.nr_blocks, 7);
	block_is(0, -1, PCS_NODE_PMU, 0x859000, "pmu@859000", "FEAT_PCSRv8p2", "", false);
	block_is(1, 0, PCS_NODE_DEBUG, 0x850000, "debug@850000", "FEAT_PCSRv8", "arm_pcsample",
		 false);
	block_is(2, 1, PCS_NODE_BY_HAND, 0x123457000, "blocks=", "", "", false);
	block_is(3, 1, PCS_NODE_DEBUG, 0x852000, "debug@852000", "FEAT_PCSRv8", "arm_pcsample",
		 false);
	block_is(4, 2, PCS_NODE_DEBUG, 0x854000, "debug@854000", "", "coresight-cpu-debug", false);
	block_is(5, 3, PCS_NODE_PMU, 0x857000, "pmu@857000", "FEAT_PCSRv8p2", "", true);
	block_is(6, 4, PCS_NODE_BY_HAND, 0x123456000, "blocks=", "", "arm_pcsample", false);
	assert_true(doctor_has(&doctor, &doctor.block[1]));
	assert_true(doctor_has(&doctor, &doctor.block[3]));
	assert_true(doctor_has(&doctor, &doctor.block[6]));
	assert_false(doctor_has(&doctor, &doctor.block[0]));
	assert_false(doctor_has(&doctor, &doctor.block[2]));
	assert_false(doctor_has(&doctor, &doctor.block[4]));
	assert_true(cpus_has(&doctor.disabled, 1));
	assert_false(cpus_has(&doctor.disabled, 0));
	finds("firmware", FINDING_OK, "the device tree describes 4 PC-sample blocks", "");
}

/* Fields 7:6, 15:14 and 27:26 */
static void test_authentication_status(void **state)
{
	char text[AUTHSTATUS_TEXT_MAX];

	authstatus_tell(0xC, text);
	assert_string_equal(text, "");
	authstatus_tell(0x8C, text);
	assert_string_equal(text, ", in Secure state disabled");
	authstatus_tell(0xC0080CC, text);
	assert_string_equal(text, ", in Secure state enabled, in Realm state disabled,"
				  " in Root state enabled");
	assert_string_equal(authstatus_of(0x44, 0xC0), "reserved");
	assert_string_equal(authstatus_of(0xF3F, 0xC0), "not_implemented");
}

/* The CPU of an ACPI device is its parent. */
static void test_list_of_acpi_blocks(void **state)
{
	temp_text("sys/devices/system/cpu/present", "0-1\n");
	temp_text("sys/bus/acpi/devices/ARMHC503:00/path", "\\_SB.C001.DBG1\n");
	temp_text("sys/bus/acpi/devices/ARMHC503:01/path", "\\_SB.C000.DBG0\n");
	temp_text("sys/devices/system/cpu/cpu1/firmware_node/ARMHC503:00/path", "");
	temp_text("sys/devices/system/cpu/cpu0/firmware_node/ARMHC503:01/path", "");
	temp_text("sys/bus/platform/drivers/arm_pcsample/ARMHC503:00/uevent", "");
	examine("aarch64", "6.12.95");
	assert_int_equal(doctor.nr_blocks, 2);
	block_is(0, 0, PCS_NODE_DEBUG, 0, "ARMHC503:01", "", "", false);
	block_is(1, 1, PCS_NODE_DEBUG, 0, "ARMHC503:00", "", "arm_pcsample", false);
	add_driver("1\n", "\n", "0\n");
	examine("aarch64", "6.12.95");
	block_is(0, 0, PCS_NODE_DEBUG, 0, "ARMHC503:01", "", "", false);
	block_is(1, 1, PCS_NODE_DEBUG, 0, "ARMHC503:00", "FEAT_PCSRv8", "arm_pcsample", false);
}

/*
 * CPU 0 has a block already. CPU 1 is a core that samples in its PMU block, CPU 2 one that samples
 * in its debug block. The address of CPU 3's trace unit does not tell where its block is. The
 * phandle 10 is a newline character.
 */
static void test_candidates(void **state)
{
	const struct candidate *c = doctor.candidate;

	cpu_node(0, 9, "arm,cortex-a76");
	cpu_node(1, 10, "arm,cortex-a76");
	cpu_node(2, 11, "arm,cortex-a53");
	cpu_node(3, 12, "arm,cortex-a76");
	trace_unit("soc/etm@7040000", 9, 0x7040000);
	trace_unit("soc/etm@7240000", 11, 0x7240000);
	trace_unit("soc/etm@7140000", 10, 0x7140000);
	trace_unit("soc/etm@7345000", 12, 0x7345000);
	add_driver("0\n", "\n", "0\n");
	examine("aarch64", "6.12.95");
	finds("candidates", FINDING_NOTE, "2 blocks", "blocks=1@0x7130000,...");
	assert_int_equal(doctor.nr_candidates, 2);
	assert_true(c[0].cpu == 1 && c[0].pmu && c[0].address == 0x7130000);
	assert_string_equal(c[0].evidence, "etm@7140000");
	assert_true(c[1].cpu == 2 && !c[1].pmu && c[1].address == 0x7210000);
	assert_string_equal(c[1].evidence, "etm@7240000");

	add_driver("0-3\n", "\n", "0-1\n");
	examine("aarch64", "6.12.95");
	assert_int_equal(doctor.nr_candidates, 0);
}

static void candidate_is(unsigned int n, unsigned int cpu, bool pmu, u64 address,
			 const char *evidence)
{
	const struct candidate *c = &doctor.candidate[n];

	assert_true(n < doctor.nr_candidates);
	assert_int_equal(c->cpu, cpu);
	assert_int_equal(c->pmu, pmu);
	assert_int_equal(c->address, address);
	assert_string_equal(c->evidence, evidence);
}

/*
 * CPUs 0 and 1 are in the map of a cluster, which is taken for Cortex-A53 and the like alone: CPU 2
 * has none. CPU 3 has its own map, which two nodes tell, and of CPU 4 the debug block is described,
 * in which it does not sample.
 */
static void test_maps(void **state)
{
	static const char rk3588[] = "radxa,rock-5b\0rockchip,rk3588";

	temp_text("sys/devices/system/cpu/present", "0-4\n");
	cpu_node(0, 9, "arm,cortex-a53");
	cpu_node(1, 10, "arm,cortex-a53");
	cpu_node(2, 11, "arm,cortex-a76");
	cpu_node(3, 12, "arm,cortex-a76");
	cpu_node(4, 13, "arm,cortex-a76");
	trace_unit("soc/etm@85c000", 9, 0x85c000);
	component("soc/cti@85b000", "arm,coresight-cti-v8-arch", 10, 0x85b000);
	trace_unit("soc/etm@85e000", 11, 0x85e000);
	component("soc/cti@7320000", "arm,coresight-cti", 12, 0x7320000);
	trace_unit("soc/etm@7340000", 12, 0x7340000);
	component("soc/debug@7410000", "arm,coresight-cpu-debug", 13, 0x7410000);
	examine("aarch64", "6.12.95");
	finds("candidates", FINDING_NOTE, "4 blocks", "blocks=0@0x850000,...");
	assert_int_equal(doctor.nr_candidates, 4);
	candidate_is(0, 0, false, 0x850000, "etm@85c000");
	candidate_is(1, 1, false, 0x856000, "cti@85b000");
	assert_non_null(strstr(doctor.candidate[2].evidence, "cti@7320000"));
	assert_non_null(strstr(doctor.candidate[2].evidence, "etm@7340000"));
	candidate_is(2, 3, true, 0x7330000, doctor.candidate[2].evidence);
	candidate_is(3, 4, true, 0x7430000, "debug@7410000");

	temp_write(TREE "compatible", rk3588, sizeof(rk3588));
	examine("aarch64", "6.12.95");
	assert_int_equal(doctor.nr_candidates, 0);
	finds("candidates", FINDING_SKIPPED, "on rockchip,rk3588", "");
}

/*
 * The places of the debug blocks of CPUs 0 to 2 are described, and the trace units tell the same
 * ones. CPU 0's node is disabled, that of CPU 2 has been refused once the driver is loaded. CPU 3's
 * block is then one that was given by hand. Debug of CPUs 1 and 3 is disabled.
 */
static void test_described_places(void **state)
{
	unsigned int cpu;
	char name[64];

	temp_text("sys/devices/system/cpu/present", "0-3\n");
	for (cpu = 0; cpu < 4; cpu++) {
		cpu_node(cpu, 9 + cpu, "arm,cortex-a53");
		snprintf(name, sizeof(name), "soc/etm@85%c000", 'c' + cpu);
		trace_unit(name, 9 + cpu, 0x85c000 + 0x1000 * cpu);
	}
	for (cpu = 0; cpu < 3; cpu++) {
		snprintf(name, sizeof(name), "soc/debug@85%u000", 2 * cpu);
		component(name, "arm,coresight-cpu-debug", 9 + cpu, 0x850000 + 0x2000 * cpu);
	}
	NODE("soc/debug@850000", "arm,coresight-cpu-debug", "disabled");
	examine("aarch64", "6.12.95");
	assert_int_equal(doctor.nr_candidates, 1);
	candidate_is(0, 3, false, 0x856000, "etm@85f000");

	bind("amba/drivers/arm_pcsample", "852000.debug", "soc/debug@852000");
	temp_text("sys/bus/platform/drivers/arm_pcsample/uevent", "");
	add_driver("1,3\n", "1,3\n", "0\n");
	examine("aarch64", "6.12.95");
	assert_int_equal(doctor.nr_candidates, 1);
	candidate_is(0, 2, false, 0x854000, "etm@85e000");
}

/* Beside the four cores of a cluster, and of a core that samples in a described block */
static void test_outside_of_maps(void **state)
{
	cpu_node(0, 9, "arm,cortex-a53");
	cpu_node(1, 10, "arm,cortex-a53");
	cpu_node(2, 11, "arm,cortex-a53");
	component("soc/cti@857000", "arm,coresight-cti", 9, 0x857000);
	component("soc/debug@7410000", "arm,coresight-cpu-debug", 10, 0x7410000);
	trace_unit("soc/etm@85c800", 11, 0x85c800);
	examine("aarch64", "6.12.95");
	assert_int_equal(doctor.nr_candidates, 0);
	has_no_finding("candidates");
}

/* The properties of a bus, whose name ends with /; @ranges: NULL for none */
static void bus(const char *name, u8 address_cells, const u8 *ranges, size_t size)
{
	const u8 nr_address[] = { 0, 0, 0, address_cells }, nr_size[] = { 0, 0, 0, 1 };
	char path[128];

	snprintf(path, sizeof(path), TREE "%s#address-cells", name);
	temp_write(path, nr_address, sizeof(nr_address));
	snprintf(path, sizeof(path), TREE "%s#size-cells", name);
	temp_write(path, nr_size, sizeof(nr_size));
	snprintf(path, sizeof(path), TREE "%sranges", name);
	if (ranges)
		temp_write(path, ranges, size);
}

/* On a bus with one address cell */
static void trace_unit_on(const char *name, u8 handle, u32 address)
{
	const u8 cpu[] = { 0, 0, 0, handle };
	const u8 reg[] = { address >> 24, address >> 16, address >> 8, address, 0, 0, 0x10, 0 };
	char path[128];

	NODE(name, "arm,coresight-etm4x", NULL);
	snprintf(path, sizeof(path), TREE "%s/cpu", name);
	temp_write(path, cpu, sizeof(cpu));
	snprintf(path, sizeof(path), TREE "%s/reg", name);
	temp_write(path, reg, sizeof(reg));
}

/*
 * soc is at 0x40_0000_0000 of the system, with two cells for an address. The first 1 MiB of
 * soc/apb, with one cell, is at 0x7000000 of soc, the second one at 0x9000000. CPUs 0 and 1 have
 * trace units there; CPU 2 has one behind these, and CPU 3 one on a bus without ranges.
 * That of CPU 4 is on a bus that numbers as soc does.
 */
static void test_translated(void **state)
{
	static const u8 soc[] = {
		0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0x40,  0, 0, 0, 0,  0x80, 0, 0, 0,
	};
	static const u8 apb[] = {
		0, 0, 0, 0,	0, 0, 0, 0,  7, 0, 0, 0,	0, 0x10, 0, 0,
		0, 0x10, 0, 0,	0, 0, 0, 0,  9, 0, 0, 0,	0, 0x10, 0, 0,
	};
	unsigned int cpu;

	temp_text("sys/devices/system/cpu/present", "0-4\n");
	for (cpu = 0; cpu < 5; cpu++)
		cpu_node(cpu, 9 + cpu, "arm,cortex-a76");
	bus("", 2, NULL, 0);
	bus("soc/", 2, soc, sizeof(soc));
	bus("soc/apb/", 1, apb, sizeof(apb));
	bus("soc/island/", 1, NULL, 0);
	bus("soc/same/", 1, (const u8 *)"", 0);
	trace_unit_on("soc/apb/etm@40000", 9, 0x40000);
	trace_unit_on("soc/apb/etm@140000", 10, 0x140000);
	trace_unit_on("soc/apb/etm@240000", 11, 0x240000);
	trace_unit_on("soc/island/etm@40000", 12, 0x40000);
	trace_unit_on("soc/same/etm@40040000", 13, 0x40040000);
	examine("aarch64", "6.12.95");
	finds("candidates", FINDING_NOTE, "; 2 places are left out", "blocks=0@0x4007030000,...");
	assert_int_equal(doctor.nr_candidates, 3);
	candidate_is(0, 0, true, 0x4007030000, "etm@40000");
	candidate_is(1, 1, true, 0x4009030000, "etm@140000");
	candidate_is(2, 4, true, 0x4040030000, "etm@40040000");

	temp_text("sys/devices/system/cpu/present", "2\n");
	examine("aarch64", "6.12.95");
	assert_int_equal(doctor.nr_candidates, 0);
	finds("candidates", FINDING_SKIPPED, "1 places are left out", "");
}

/* No finding names a command with which the driver would read registers */
static void tells_to_read_nothing(void)
{
	unsigned int i;

	assert_int_equal(doctor.nr_candidates, 0);
	for (i = 0; i < doctor.nr; i++) {
		assert_null(strstr(doctor.finding[i].fix, "modprobe"));
		assert_null(strstr(doctor.finding[i].fix, "blocks="));
	}
}

/* HiKey 960, on which reads of debug registers end in an SError, and HiKey, on which some do */
static void test_dangerous_soc(void **state)
{
	static const char hikey960[] = "hisilicon,hi3660-hikey960\0hisilicon,hi3660";
	static const char hikey[] = "hisilicon,hi6220-hikey\0hisilicon,hi6220";

	cpu_node(1, 10, "arm,cortex-a73");
	trace_unit("soc/etm@7140000", 10, 0x7140000);
	temp_text("lib/modules/6.12.95/modules.dep", "extra/arm_pcsample.ko:\n");
	temp_text(HOLDER "850000.debug/of_node", "");
	examine("aarch64", "6.12.95");
	has_no_finding("soc");
	finds("candidates", FINDING_NOTE, "1 blocks", "modprobe arm_pcsample blocks=");

	temp_write(TREE "compatible", hikey, sizeof(hikey));
	examine("aarch64", "6.12.95");
	finds("soc", FINDING_NOTE, "hisilicon,hi6220: where firmware leaves", "firmware");
	finds("candidates", FINDING_NOTE, "1 blocks", "modprobe arm_pcsample blocks=");

	temp_write(TREE "compatible", hikey960, sizeof(hikey960));
	examine("aarch64", "6.12.95");
	finds("soc", FINDING_BAD, "hisilicon,hi3660: reads of debug registers", "force=1");
	finds("firmware", FINDING_SKIPPED, "the driver refuses this SoC", "");
	tells_to_read_nothing();

	/* The user has overridden that. */
	remove_path(HOLDER "850000.debug/of_node");
	add_driver("0\n", "\n", "0\n");
	examine("aarch64", "6.12.95");
	finds("soc", FINDING_NOTE, "hisilicon,hi3660", "force=1");
	finds("driver", FINDING_OK, "is loaded", "");
	tells_to_read_nothing();

	examine("x86_64", "6.12.95");
	has_no_finding("soc");
}

/* Orion O6: the header of its FADT */
static void test_dangerous_acpi(void **state)
{
	static const char fadt[] = "FACP\x14\1\0\0\6\0CIXTEKSKY1EDK2\1\0\0\0CIX \1\0\0\1";

	temp_write("sys/firmware/acpi/tables/FACP", fadt, 20);
	temp_text("sys/bus/acpi/devices/ARMHC503:00/path", "\\_SB.C000.DBG0\n");
	examine("aarch64", "6.12.95");
	has_no_finding("soc");
	temp_write("sys/firmware/acpi/tables/FACP", fadt, sizeof(fadt));
	examine("aarch64", "6.12.95");
	finds("soc", FINDING_BAD, "cix,sky1: reads of debug registers hang the bus", "force=1");
	tells_to_read_nothing();
}

static void test_rom_table(void **state)
{
	examine("aarch64", "6.12.95");
	finds("rom-table", FINDING_SKIPPED, "not known", "");
	assert_int_equal(doctor.nr_roms, 0);

	/* Loaded, with no block: there is no PMU. */
	temp_text(MDRAR, "0-3 0xff820003\n");
	examine("aarch64", "6.12.95");
	finds("rom-table", FINDING_OK,
	      "CPUs 0-3 is 0xff820003: a table of debug components is at 0xff820000; nothing was",
	      "");

	temp_text(MDRAR, "0-3,8 0x0\n4-7 0xffff800010000002\n");
	examine("aarch64", "6.12.95");
	finds("rom-table", FINDING_SKIPPED, "CPUs 0-3,8 is 0x0: no address", "");
	assert_int_equal(doctor.nr_roms, 2);
	assert_string_equal(doctor.rom[1].cpus, "4-7");
	assert_int_equal(doctor.rom[1].mdrar, 0xffff800010000002);
	assert_false(rom_is_valid(&doctor.rom[1]));

	examine("x86_64", "6.12.95");
	finds("rom-table", FINDING_SKIPPED, "not an Arm machine", "");
}

/* Of 256 CPUs each second one: no list of them is cut off. */
static void test_long_lists(void **state)
{
	char list[1024], line[1100];
	size_t length = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < 256; cpu += 2)
		length += snprintf(list + length, sizeof(list) - length, "%s%u", cpu ? "," : "",
				   cpu);
	snprintf(line, sizeof(line), "%s\n", list);
	add_driver(line, "\n", "0-1\n");
	snprintf(line, sizeof(line), "%s 0xff820003\n", list);
	temp_text(MDRAR, line);
	temp_text("sys/devices/system/cpu/present", "0-255\n");
	examine("aarch64", "6.12.95");
	assert_string_equal(doctor.rom[0].cpus, list);
	finds("rom-table", FINDING_OK, "254 is 0xff820003: a table of debug components is at", "");
	finds("snapshots", FINDING_OK, "254 have PMU snapshots: -e arm_pcsample/snapshot=1/", "");
	finds("blocks", FINDING_NOTE, "253,255 cannot be sampled", "device tree");
}

static void test_snapshots(void **state)
{
	add_driver("0-3\n", "\n", "0,2\n");
	temp_text(DEVICE "caps/snapshots", "2-3\n");
	examine("aarch64", "6.12.95");
	finds("snapshots", FINDING_OK, "CPUs 2-3 have PMU snapshots", "");
	temp_text(DEVICE "caps/snapshots", "\n");
	examine("aarch64", "6.12.95");
	finds("snapshots", FINDING_SKIPPED, "arm,pmu-snapshots", "");
	assert_true(doctor_can_sample(&doctor));
}

static void test_readers(void **state)
{
	add_driver("0-3\n", "\n", "1\n");
	examine("aarch64", "6.12.95");
	finds("readers", FINDING_NOTE, "CPU 1 alone", "/readers");
	assert_true(doctor_can_sample(&doctor));
	add_driver("1\n", "\n", "1\n");
	examine("aarch64", "6.12.95");
	finds("readers", FINDING_BAD, "no CPU reads itself", "/readers");
	assert_false(doctor_can_sample(&doctor));
	add_driver("0-3\n", "\n", "1-2\n");
	temp_text("sys/devices/system/cpu/isolated", "2-3\n");
	examine("aarch64", "6.12.95");
	finds("readers", FINDING_NOTE, "CPUs 2 are isolated", "/readers");
}

static void test_ledger(void **state)
{
	add_driver("0-3\n", "\n", "0-1\n");
	temp_text(DEVICE "ledger/total", "planned 100\nsample 10\nprohibited 90\n");
	examine("aarch64", "6.12.95");
	finds("reads", FINDING_NOTE, "90 of 100", "firmware");
	temp_text(DEVICE "ledger/total", "planned 100\nsample 50\nlate 20\npreempted 30\n");
	examine("aarch64", "6.12.95");
	finds("reads", FINDING_NOTE, "50 of 100", "lower -F");
	temp_text(DEVICE "ledger/total", "planned 100\nsample 97\nerror 3\n");
	examine("aarch64", "6.12.95");
	finds("reads", FINDING_NOTE, "3 of 100", "dmesg");
	temp_text(DEVICE "caps/attribution", "none\n");
	examine("aarch64", "6.12.95");
	finds("processes", FINDING_NOTE, "CONTEXTIDR", "CONFIG_PID_IN_CONTEXTIDR");
}

/* Some users may sample, and not read the ledger */
static void test_ledger_that_may_not_be_read(void **state)
{
	char path[PATH_MAX];
	uid_t me = geteuid();

	add_driver("0-3\n", "\n", "0-1\n");
	temp_text(DEVICE "ledger/total", "planned 100\nsample 95\nlate 5\n");
	snprintf(path, sizeof(path), "%s/" DEVICE "ledger/total", temp_dir);
	assert_int_equal(chmod(path, 0) | chmod(temp_dir, 0755), 0);
	/* root may read it all the same */
	if (!me)
		assert_int_equal(seteuid(65534), 0);
	examine("aarch64", "6.12.95");
	assert_int_equal(seteuid(me), 0);
	finds("reads", FINDING_SKIPPED, "CAP_PERFMON", "sudo");
}

static void test_users(void **state)
{
	add_driver("0-3\n", "\n", "0-1\n");
	user("0000000000000000", "2\n");
	temp_text("proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T _stext\n");
	temp_text("proc/sys/kernel/perf_event_max_sample_rate", "1000\n");
	examine("aarch64", "6.12.95");
	finds("permission", FINDING_BAD, "perf_event_paranoid is 2", "sysctl");
	finds("symbols", FINDING_NOTE, "hides", "kptr_restrict");
	finds("rate", FINDING_NOTE, "1000", "-F 1000");
	assert_false(doctor_can_sample(&doctor));
	user("0000000000000000", "-1\n");
	examine("aarch64", "6.12.95");
	finds("permission", FINDING_OK, "", "");
	user("0000004000000000", "2\n");	/* CAP_PERFMON alone */
	examine("aarch64", "6.12.95");
	finds("permission", FINDING_OK, "", "");
	assert_true(doctor_can_sample(&doctor));
	user("0000004000000000", "3\n");	/* as Debian has it */
	examine("aarch64", "6.12.95");
	finds("permission", FINDING_BAD, "not enough", "perf_event_paranoid=2");
	assert_false(doctor_can_sample(&doctor));
	user("0000004000200000", "3\n");	/* with CAP_SYS_ADMIN */
	examine("aarch64", "6.12.95");
	finds("permission", FINDING_OK, "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_well, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_other_machine, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_old_kernel, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_no_driver, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_holder, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_built_in_holder, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_no_nodes, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_virtual_machines, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_acpi, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_armv8p2, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_blocks, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_list_of_blocks, temp_setup, temp_teardown),
		cmocka_unit_test(test_authentication_status),
		cmocka_unit_test_setup_teardown(test_list_of_acpi_blocks, temp_setup,
						temp_teardown),
		cmocka_unit_test_setup_teardown(test_candidates, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_maps, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_described_places, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_outside_of_maps, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_translated, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_dangerous_soc, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_dangerous_acpi, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(test_rom_table, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_long_lists, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_snapshots, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_readers, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_ledger, make_board, temp_teardown),
		cmocka_unit_test_setup_teardown(test_ledger_that_may_not_be_read, make_board,
						temp_teardown),
		cmocka_unit_test_setup_teardown(test_users, make_board, temp_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
