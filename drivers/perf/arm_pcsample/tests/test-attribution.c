// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of whose a sample is. The table is written from the manual and from what KVM does, a row
 * for each kind of host and each place to be sampled at; the rest of the space is enumerated.
 */
#include "attribution.h"
#include "test.h"

#define NS	0x8000000000000000ULL
#define NSE	0x0800000000000000ULL
#define EL(n)	((u64)(n) << 61)

#define ALL	(ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2 | ARM_PCSAMPLE_HAS_VMID)
#define CIDS	(ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2)
#define CID1	ARM_PCSAMPLE_HAS_CID1

/* Kernels: at EL1 of a PE without EL2; at EL1 with nVHE KVM; at EL2 */
static const struct pcs_host no_el2 = { 1, false, true };
static const struct pcs_host nvhe = { 1, true, true };
static const struct pcs_host vhe = { 2, true, true };

static const struct {
	const char *name;
	const struct pcs_host *host;
	u64 pmpcsr;
	u16 vmid, host_vmid;
	bool in_vcpu;
	enum pcs_world world;
	bool has_task;
	enum arm_pcsample_attribution attribution;
	u8 known;
} rows[] = {
	{ "user, no EL2", &no_el2, NS | EL(0), 0x55, 0, false,
	  PCS_WORLD_USER, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, CID1 },
	{ "kernel, no EL2", &no_el2, NS | EL(1), 0x55, 0, false,
	  PCS_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, CID1 },
	{ "EL3, no EL2", &no_el2, EL(3), 0, 0, false,
	  PCS_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },
	{ "Secure EL0, no EL2", &no_el2, EL(0), 0, 0, false,
	  PCS_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },

	{ "user, nVHE", &nvhe, NS | EL(0), 0, 0, false,
	  PCS_WORLD_USER, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, ALL },
	{ "kernel, nVHE", &nvhe, NS | EL(1), 0, 0, false,
	  PCS_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, ALL },
	{ "kernel, VTTBR_EL2 left as it was", &nvhe, NS | EL(1), 0x1234, 0x1234, false,
	  PCS_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, ALL },
	{ "guest user, nVHE", &nvhe, NS | EL(0), 3, 0, false,
	  PCS_WORLD_GUEST_USER, false, ARM_PCSAMPLE_ATTR_VMID, ALL },
	{ "guest kernel, nVHE", &nvhe, NS | EL(1), 3, 0, false,
	  PCS_WORLD_GUEST_KERNEL, false, ARM_PCSAMPLE_ATTR_VMID, ALL },
	{ "hypervisor, nVHE", &nvhe, NS | EL(2), 0, 0, false,
	  PCS_WORLD_HYP, false, ARM_PCSAMPLE_ATTR_NONE, CIDS },

	{ "user, VHE", &vhe, NS | EL(0), 0x77, 0, false,
	  PCS_WORLD_USER, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2, CIDS },
	{ "kernel, VHE", &vhe, NS | EL(2), 0x77, 0, false,
	  PCS_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2, CIDS },
	{ "kernel, VHE, between the runs of a vCPU", &vhe, NS | EL(2), 1, 0, true,
	  PCS_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2, CIDS },
	{ "guest user, VHE", &vhe, NS | EL(0), 1, 0, true,
	  PCS_WORLD_GUEST_USER, true, ARM_PCSAMPLE_ATTR_VMID, ALL },
	{ "guest kernel, VHE", &vhe, NS | EL(1), 1, 0, true,
	  PCS_WORLD_GUEST_KERNEL, true, ARM_PCSAMPLE_ATTR_VMID, ALL },
	{ "guest kernel, VHE, vCPU just left", &vhe, NS | EL(1), 1, 0, false,
	  PCS_WORLD_GUEST_KERNEL, true, ARM_PCSAMPLE_ATTR_VMID, ALL },

	{ "Secure EL1", &vhe, EL(1), 0, 0, false,
	  PCS_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },
	{ "Secure EL2", &vhe, EL(2), 0, 0, false,
	  PCS_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },
	{ "Realm EL1", &vhe, NS | NSE | EL(1), 0, 0, true,
	  PCS_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, ALL },
	{ "Realm EL2", &vhe, NS | NSE | EL(2), 0, 0, false,
	  PCS_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CIDS },
	{ "Root", &vhe, NSE | EL(3), 0, 0, false,
	  PCS_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },
};

static void test_table(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcs_regs regs = {
			.pmpcsr = rows[i].pmpcsr | 0x123456789ABCULL,
			.pmvidsr = rows[i].vmid,
			.host_vmid = rows[i].host_vmid,
		};
		enum pcs_world world = pcs_world(rows[i].host, &regs, rows[i].in_vcpu);

		if (world != rows[i].world)
			print_error("%s: world %d\n", rows[i].name, world);
		assert_int_equal(world, rows[i].world);
		assert_int_equal(pcs_has_task(rows[i].host, world), rows[i].has_task);
		assert_int_equal(pcs_attribution(rows[i].host, world), rows[i].attribution);
		assert_int_equal(pcs_known_fields(rows[i].host, &regs, world), rows[i].known);
	}
}

/* A kernel that does not write its TIDs names no task, whatever the Context ID holds. */
static void test_without_contextidr(void **state)
{
	struct pcs_host host = nvhe;
	enum pcs_world world;

	(void)state;
	host.contextidr = false;
	for (world = PCS_WORLD_USER; world <= PCS_WORLD_OTHER; world++)
		assert_false(pcs_has_task(&host, world));
	assert_int_equal(pcs_attribution(&host, PCS_WORLD_USER), ARM_PCSAMPLE_ATTR_NONE);
	assert_int_equal(pcs_attribution(&host, PCS_WORLD_GUEST_USER), ARM_PCSAMPLE_ATTR_VMID);
}

static void test_tid(void **state)
{
	struct pcs_regs regs = { .pmcid1sr = 111, .pmcid2sr = 222 };

	(void)state;
	assert_int_equal(pcs_tid(&no_el2, &regs), 111);
	assert_int_equal(pcs_tid(&nvhe, &regs), 111);
	assert_int_equal(pcs_tid(&vhe, &regs), 222);
}

/*
 * All of {NSE, NS, EL}, vCPU or not, VMID foreign or not, on each host: no sample from another
 * world is ever taken for one of this host, which has nothing but Non-secure state and its own ELs.
 */
static void test_nothing_foreign_passes_for_the_host(void **state)
{
	static const struct pcs_host *hosts[] = { &no_el2, &nvhe, &vhe };
	unsigned int h, bits;

	(void)state;
	for (h = 0; h < 3; h++) {
		for (bits = 0; bits < 64; bits++) {
			unsigned int el = bits & 3;
			bool ns = bits & 4, nse = bits & 8, in_vcpu = bits & 16;
			bool foreign = bits & 32;
			struct pcs_regs regs = {
				.pmpcsr = EL(el) | (ns ? NS : 0) | (nse ? NSE : 0),
				.pmvidsr = foreign ? 9 : 8,
				.host_vmid = 8,
			};
			enum pcs_world world = pcs_world(hosts[h], &regs, in_vcpu);
			bool guest = h == 1 ? foreign && el < 2 : h == 2 && (el == 1 ||
				     (el == 0 && in_vcpu));
			bool host_user = ns && !nse && el == 0 && !guest;
			bool host_kernel = ns && !nse && el == hosts[h]->kernel_el && !guest;

			assert_int_equal(world == PCS_WORLD_USER, host_user);
			assert_int_equal(world == PCS_WORLD_KERNEL, host_kernel);
		}
	}
}

/* Each filter bit against each world: U K H u k o, as in enum pcs_world; x: excluded */
static void test_filters(void **state)
{
	static const struct {
		struct pcs_filter filter;
		const char *busy, *idle;
	} rules[] = {
		{ {}, "......", "......" },
		{ { .exclude_user = true }, "x..x..", "x..x.." },
		{ { .exclude_kernel = true }, ".x..x.", ".x..x." },
		{ { .exclude_hv = true }, "..x..x", "..x..x" },
		{ { .exclude_idle = true }, "......", ".x...." },
		{ { .exclude_host = true }, "xxx..x", "xxx..x" },
		{ { .exclude_guest = true }, "...xx.", "...xx." },
		/* perf's :u and :k */
		{ { .exclude_kernel = true, .exclude_hv = true, .exclude_guest = true },
		  ".xxxxx", ".xxxxx" },
		{ { .exclude_user = true, .exclude_hv = true, .exclude_guest = true },
		  "x.xxxx", "x.xxxx" },
	};
	unsigned int i;
	int world;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		for (world = PCS_WORLD_USER; world <= PCS_WORLD_OTHER; world++) {
			assert_int_equal(pcs_is_filtered(&rules[i].filter, world, false),
					 rules[i].busy[world] == 'x');
			assert_int_equal(pcs_is_filtered(&rules[i].filter, world, true),
					 rules[i].idle[world] == 'x');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_without_contextidr),
		cmocka_unit_test(test_tid),
		cmocka_unit_test(test_nothing_foreign_passes_for_the_host),
		cmocka_unit_test(test_filters),
	};

	return cmocka_run_group_tests_name("attribution", tests, NULL, NULL);
}
