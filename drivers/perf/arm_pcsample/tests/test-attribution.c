// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of attribution: which task, level and world a sample belongs to, by the table of places.h;
 * all other combinations are enumerated.
 */
#include <string.h>

#include "places.h"
#include "test.h"

static void test_table(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		const struct pcs_host *host = places[i].host;
		struct pcs_regs regs = {
			.pmpcsr = places[i].pmpcsr | 0x123456789ABCULL,
			.pmvidsr = places[i].vmid,
			.host_vmid = places[i].host_vmid,
			.given = ALL,
		};
		enum am_world world = pcs_world(host, &regs, places[i].in_vcpu, false);

		if (world != places[i].world)
			print_error("%s: world %d\n", places[i].name, world);
		assert_int_equal(world, places[i].world);
		assert_int_equal(am_linux_has_task(&host->kernel, world), places[i].has_task);
		assert_int_equal(pcs_attribution(host, world), places[i].attribution);
		assert_int_equal(pcs_has(host, &regs, world, true), places[i].known);
		/* Without the right to Context IDs there are none. */
		assert_int_equal(pcs_has(host, &regs, world, false), places[i].known & ~CIDS);
	}
}

/* A kernel that does not write TIDs names no task, whatever is in the Context ID. */
static void test_without_contextidr(void **state)
{
	struct pcs_host host = nvhe;
	enum am_world world;

	(void)state;
	host.kernel.names_tasks = false;
	for (world = AM_WORLD_USER; world <= AM_WORLD_OTHER; world++)
		assert_false(am_linux_has_task(&host.kernel, world));
	assert_int_equal(pcs_attribution(&host, AM_WORLD_USER), ARM_PCSAMPLE_ATTR_NONE);
	assert_int_equal(pcs_attribution(&host, AM_WORLD_GUEST_USER), ARM_PCSAMPLE_ATTR_VMID);
}

/*
 * A kernel at EL2 that does not write TIDs cannot tell a guest's EL0 from its own. It marks each
 * such sample, and refuses to exclude one of the two.
 */
static void test_guests(void **state)
{
	static const struct {
		struct pcs_host host;
		const char *name;
	} hosts[] = {
		{ { { AM_KERNEL_EL1, false, true }, true }, "absent" },
		{ { { AM_KERNEL_EL1, true, true }, true }, "vmid" },
		{ { { AM_KERNEL_EL1, true, false }, true }, "vmid" },
		{ { { AM_KERNEL_VHE, true, true }, true }, "task" },
		{ { { AM_KERNEL_VHE, true, false }, false }, "absent" },
		{ { { AM_KERNEL_VHE, true, false }, true }, "unknown" },
	};
	unsigned int i, bits;
	enum am_world world;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(hosts); i++) {
		const struct pcs_regs regs = { .pmpcsr = NS, .given = ALL };
		const struct pcs_host *host = &hosts[i].host;
		bool unknown = !strcmp(hosts[i].name, "unknown");

		assert_string_equal(pcs_guests_name(pcs_guests(host)), hosts[i].name);
		for (bits = 0; bits < 8; bits++) {
			struct pcs_filter filter = {
				.exclude_user = bits & 1,
				.exclude_host = bits & 2,
				.exclude_guest = bits & 4,
			};
			bool depends = !(bits & 1) && !(bits & 2) != !(bits & 4);

			assert_int_equal(pcs_filter_is_possible(host, &filter),
					 !(unknown && depends));
		}
		for (world = AM_WORLD_USER; world <= AM_WORLD_OTHER; world++)
			assert_int_equal(!!(pcs_has(host, &regs, world, true) &
					    ARM_PCSAMPLE_MAY_BE_GUEST),
					 unknown && world == AM_WORLD_USER);
	}
}

/*
 * In all combinations of {NSE, NS, EL}, vCPU or not, VMID of the host or not, on each host: no
 * sample of another world is taken for one of this host, which only has Non-secure state and its
 * own ELs.
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
			u64 pmpcsr = EL(el) | (ns ? NS : 0) | (nse ? NSE : 0);
			enum am_world world = am_linux_world(&hosts[h]->kernel, pmpcsr,
							     foreign ? 9 : 8, 8, in_vcpu).is;
			bool guest = h == 1 ? foreign && el < 2 : h == 2 && (el == 1 ||
				     (el == 0 && in_vcpu));
			bool host_user = ns && !nse && el == 0 && !guest;
			bool host_kernel = ns && !nse && el == pcs_kernel_el(hosts[h]) && !guest;

			assert_int_equal(world == AM_WORLD_USER, host_user);
			assert_int_equal(world == AM_WORLD_KERNEL, host_kernel);
		}
	}
}

/* Each filter bit with each world: U K H u k o, as in enum am_world; x means excluded */
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
		for (world = AM_WORLD_USER; world <= AM_WORLD_OTHER; world++) {
			assert_int_equal(pcs_is_filtered(&rules[i].filter, world, true, false),
					 rules[i].busy[world] == 'x');
			assert_int_equal(pcs_is_filtered(&rules[i].filter, world, true, true),
					 rules[i].idle[world] == 'x');
		}
	}
}

/*
 * Registers that do not tell EL0 from EL1 (EDVIDSR). For this kernel the address tells, and for its
 * threads the task. For a guest nothing does, so excluding part of it excludes all of it.
 */
static void test_el_by_address(void **state)
{
	static const struct {
		u64 pmpcsr;
		u16 vmid;
		bool never_user;
		enum am_world world;
		bool known;
	} cases[] = {
		{ NS | EL(0), 0, false, AM_WORLD_USER, true },
		{ NS | EL(0), 0, true, AM_WORLD_KERNEL, true },
		{ NS | EL(1), 0, false, AM_WORLD_KERNEL, true },
		{ NS | EL(0), 3, true, AM_WORLD_GUEST_USER, false },
		{ NS | EL(1), 3, false, AM_WORLD_GUEST_KERNEL, false },
		{ EL(0), 0, true, AM_WORLD_OTHER, false },
		{ EL(1), 0, false, AM_WORLD_OTHER, false },
	};
	static const struct pcs_filter none = {}, no_user = { .exclude_user = true },
		no_kernel = { .exclude_kernel = true };
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pcs_regs regs = {
			.pmpcsr = cases[i].pmpcsr, .pmvidsr = cases[i].vmid,
			.given = CID1 | ARM_PCSAMPLE_HAS_VMID, .el_by_address = true,
		};
		enum am_world world = pcs_world(&nvhe, &regs, false, cases[i].never_user);
		u8 has = pcs_has(&nvhe, &regs, world, true);

		assert_int_equal(world, cases[i].world);
		assert_int_equal(pcs_el_is_known(&regs, world), cases[i].known);
		assert_int_equal(!!(has & ARM_PCSAMPLE_NO_EL), !cases[i].known);
		assert_int_equal(has & ARM_PCSAMPLE_HAS_CID2, 0);
		if (cases[i].world == AM_WORLD_KERNEL)
			assert_int_equal(regs.pmpcsr, NS | EL(1));

		assert_false(pcs_is_filtered(&none, world, cases[i].known, false));
		if (cases[i].known || cases[i].world == AM_WORLD_OTHER)
			continue;
		assert_true(pcs_is_filtered(&no_user, world, false, false));
		assert_true(pcs_is_filtered(&no_kernel, world, false, false));
	}
}

/* Without the Context ID that names the task, a sample has no task. */
static void test_no_context_id(void **state)
{
	struct pcs_regs regs = { .given = ARM_PCSAMPLE_HAS_CID1 };

	(void)state;
	assert_true(pcs_host_of(&nvhe, &regs).kernel.names_tasks);
	assert_false(pcs_host_of(&vhe, &regs).kernel.names_tasks);
	regs.given = ARM_PCSAMPLE_HAS_CID2;
	assert_false(pcs_host_of(&nvhe, &regs).kernel.names_tasks);
	assert_true(pcs_host_of(&vhe, &regs).kernel.names_tasks);
}

/* Only for EL0 below a kernel at EL2 is the task asked; elsewhere the registers suffice. */
static void test_who_asks_the_task(void **state)
{
	static const struct pcs_host no_kvm = { { AM_KERNEL_VHE, true, true }, false };
	static const struct {
		const struct pcs_host *host;
		u64 pmpcsr;
		u8 given;
		u16 vmid;
		bool asked;
	} cases[] = {
		{ &vhe, NS | EL(0), ALL, 3, true },
		{ &vhe, NS | EL(0), ALL, 0, false },	/* no guest has VMID 0 in KVM */
		{ &vhe, NS | EL(0), CIDS, 0, true },	/* the debug block with SC2 = 1 */
		{ &vhe, NS | EL(1), ALL, 3, false },
		{ &vhe, NS | EL(2), ALL, 3, false },
		{ &vhe, EL(0), ALL, 3, false },
		{ &vhe, NS | NSE | EL(0), ALL, 3, false },
		{ &no_kvm, NS | EL(0), ALL, 3, false },
		{ &nvhe, NS | EL(0), ALL, 3, false },
		{ &no_el2, NS | EL(0), ALL, 3, false },
	};
	struct pcs_host nameless = vhe;
	struct pcs_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		regs = (struct pcs_regs) { .pmpcsr = cases[i].pmpcsr, .pmvidsr = cases[i].vmid,
					   .given = cases[i].given };
		assert_int_equal(pcs_task_decides(cases[i].host, &regs), cases[i].asked);
	}
	nameless.kernel.names_tasks = false;
	regs = (struct pcs_regs) { .pmpcsr = NS | EL(0), .pmvidsr = 3, .given = ALL };
	assert_false(pcs_task_decides(&nameless, &regs));
}

/* No branch since the last read: the same address, and the idle task or an impossible TID */
static void test_unknown(void **state)
{
	struct pcs_regs last = { .pmpcsr = NS | EL(1) | 0x1000, .given = ALL }, regs = last;
	struct pcs_host nameless = nvhe;

	(void)state;
	assert_true(pcs_is_idle_again(&nvhe, &regs, &last));
	nameless.kernel.names_tasks = false;
	assert_false(pcs_is_idle_again(&nameless, &regs, &last));

	regs.pmpcsr += 4;
	assert_false(pcs_is_idle_again(&nvhe, &regs, &last));	/* another address */
	regs = last;
	last.pmcid1sr = 42;
	regs.pmcid1sr = last.pmcid1sr;
	assert_false(pcs_is_idle_again(&nvhe, &regs, &last));	/* a task in a one-branch loop */

	regs.pmcid1sr = 0x3FFFFF;
	assert_false(pcs_is_unknown(&nvhe, &regs));
	regs.pmcid1sr = 0x400000;
	assert_true(pcs_is_unknown(&nvhe, &regs));
	assert_false(pcs_is_unknown(&nameless, &regs));
	regs.pmvidsr = 3;
	/* a guest has Context IDs of its own */
	assert_false(pcs_is_unknown(&nvhe, &regs));

	regs = (struct pcs_regs){ .pmpcsr = NS | EL(2) | 0x1000, .given = ALL };
	assert_false(pcs_is_unknown(&nvhe, &regs));
	assert_true(pcs_is_unknown(&no_el2, &regs));
}

/*
 * A read is too long if it takes four times the mean of those before it. Long ones among others do
 * not become usual, even if each third is one; a slower clock does.
 */
static void test_long_reads(void **state)
{
	u64 usual = 0, took;
	unsigned int i;

	(void)state;
	assert_false(pcs_took_too_long(&usual, 1000));
	assert_int_equal(1000, usual);
	assert_false(pcs_took_too_long(&usual, 4000));
	usual = 1000;
	assert_true(pcs_took_too_long(&usual, 4001));

	for (i = 0; i < 300; i++) {
		took = i % 3 ? 1000 : 1000000000;
		assert_int_equal(took != 1000, pcs_took_too_long(&usual, took));
	}
	for (i = 0; i < 30; i++)
		pcs_took_too_long(&usual, 10000);
	assert_false(pcs_took_too_long(&usual, 10000));
	assert_true(usual > 9000 && usual <= 10000);
	for (i = 0; i < 30; i++)
		assert_false(pcs_took_too_long(&usual, 1000));
	assert_true(pcs_took_too_long(&usual, 10000));
	/* After a first read that was long, too */
	usual = 0;
	pcs_took_too_long(&usual, 10000000);
	for (i = 0; i < 80; i++)
		pcs_took_too_long(&usual, 1000);
	assert_true(pcs_took_too_long(&usual, 10000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_without_contextidr),
		cmocka_unit_test(test_guests),
		cmocka_unit_test(test_nothing_foreign_passes_for_the_host),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_el_by_address),
		cmocka_unit_test(test_no_context_id),
		cmocka_unit_test(test_who_asks_the_task),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_long_reads),
	};

	return cmocka_run_group_tests_name("attribution", tests, NULL, NULL);
}
