// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a Linux kernel learns from a sample. The table follows the manual and what KVM does: a row
 * for each kind of kernel and each place to be sampled in. Then all combinations.
 */
#include <arch-model/linux-sample.h>

#include "test.h"

#define NS	0x8000000000000000ULL
#define NSE	0x0800000000000000ULL
#define EL(n)	((u64)(n) << 61)

#define ALL	(AM_KNOWN_CID1 | AM_KNOWN_CID2 | AM_KNOWN_VMID)
#define CIDS	(AM_KNOWN_CID1 | AM_KNOWN_CID2)
#define CID1	AM_KNOWN_CID1

/* Kernels: at EL1 of a PE without EL2; at EL1 with KVM nVHE; at EL2; AArch32 */
static const struct am_linux no_el2 = { AM_KERNEL_EL1, false, true };
static const struct am_linux nvhe = { AM_KERNEL_EL1, true, true };
static const struct am_linux vhe = { AM_KERNEL_VHE, true, true };
static const struct am_linux arm = { AM_KERNEL_AA32, true, true };

static const struct {
	const char *name;
	const struct am_linux *host;
	u64 pmpcsr;
	u16 vmid, host_vmid;
	bool in_vcpu;
	enum am_world world;
	bool has_task;
	unsigned int known;
	enum am_why why;
} rows[] = {
	{ "user, no EL2", &no_el2, NS | EL(0), 0x55, 0, false,
	  AM_WORLD_USER, true, CID1, AM_WHY_WORLD_NO_EL2 },
	{ "kernel, no EL2", &no_el2, NS | EL(1), 0x55, 0, false,
	  AM_WORLD_KERNEL, true, CID1, AM_WHY_WORLD_NO_EL2 },
	{ "EL3, no EL2", &no_el2, EL(3), 0, 0, false,
	  AM_WORLD_OTHER, false, CID1, AM_WHY_WORLD_OTHER },
	{ "Secure EL0, no EL2", &no_el2, EL(0), 0, 0, false,
	  AM_WORLD_OTHER, false, CID1, AM_WHY_WORLD_OTHER },

	{ "user, nVHE", &nvhe, NS | EL(0), 0, 0, false,
	  AM_WORLD_USER, true, ALL, AM_WHY_WORLD_HOST_VMID },
	{ "kernel, nVHE", &nvhe, NS | EL(1), 0, 0, false,
	  AM_WORLD_KERNEL, true, ALL, AM_WHY_WORLD_HOST_VMID },
	{ "kernel, VTTBR_EL2 left as it was", &nvhe, NS | EL(1), 0x1234, 0x1234, false,
	  AM_WORLD_KERNEL, true, ALL, AM_WHY_WORLD_HOST_VMID },
	{ "guest user, nVHE", &nvhe, NS | EL(0), 3, 0, false,
	  AM_WORLD_GUEST_USER, false, ALL, AM_WHY_WORLD_VMID },
	{ "guest kernel, nVHE", &nvhe, NS | EL(1), 3, 0, false,
	  AM_WORLD_GUEST_KERNEL, false, ALL, AM_WHY_WORLD_VMID },
	{ "guest kernel, the high byte of the VMID", &nvhe, NS | EL(1), 0x1200, 0, false,
	  AM_WORLD_GUEST_KERNEL, false, ALL, AM_WHY_WORLD_VMID },
	{ "hypervisor, nVHE", &nvhe, NS | EL(2), 0, 0, false,
	  AM_WORLD_HYP, false, CIDS, AM_WHY_WORLD_HYP },

	{ "user, VHE", &vhe, NS | EL(0), 0x77, 0, false,
	  AM_WORLD_USER, true, CIDS, AM_WHY_WORLD_NO_VCPU },
	{ "kernel, VHE", &vhe, NS | EL(2), 0x77, 0, false,
	  AM_WORLD_KERNEL, true, CIDS, AM_WHY_WORLD_VHE },
	{ "kernel, VHE, between the runs of a vCPU", &vhe, NS | EL(2), 1, 0, true,
	  AM_WORLD_KERNEL, true, CIDS, AM_WHY_WORLD_VHE },
	{ "guest user, VHE", &vhe, NS | EL(0), 1, 0, true,
	  AM_WORLD_GUEST_USER, true, ALL, AM_WHY_WORLD_VCPU },
	{ "guest kernel, VHE", &vhe, NS | EL(1), 1, 0, true,
	  AM_WORLD_GUEST_KERNEL, true, ALL, AM_WHY_WORLD_VHE_EL1 },
	{ "guest kernel, VHE, vCPU just left", &vhe, NS | EL(1), 1, 0, false,
	  AM_WORLD_GUEST_KERNEL, true, ALL, AM_WHY_WORLD_VHE_EL1 },

	{ "user, AArch32", &arm, NS | EL(0), 0, 0, false,
	  AM_WORLD_USER, true, ALL, AM_WHY_WORLD_HOST_VMID },
	{ "kernel, AArch32", &arm, NS | EL(1), 0, 0, false,
	  AM_WORLD_KERNEL, true, ALL, AM_WHY_WORLD_HOST_VMID },
	{ "guest kernel, AArch32", &arm, NS | EL(1), 9, 0, false,
	  AM_WORLD_GUEST_KERNEL, false, ALL, AM_WHY_WORLD_VMID },
	{ "hypervisor, AArch32", &arm, NS | EL(2), 0, 0, false,
	  AM_WORLD_HYP, false, CIDS, AM_WHY_WORLD_HYP },

	{ "Secure EL1", &vhe, EL(1), 0, 0, false,
	  AM_WORLD_OTHER, false, CID1, AM_WHY_WORLD_OTHER },
	{ "Secure EL2", &vhe, EL(2), 0, 0, false,
	  AM_WORLD_OTHER, false, CID1, AM_WHY_WORLD_OTHER },
	{ "Realm EL0", &vhe, NS | NSE | EL(0), 0, 0, true,
	  AM_WORLD_OTHER, false, CIDS, AM_WHY_WORLD_OTHER },
	{ "Realm EL1", &vhe, NS | NSE | EL(1), 0, 0, true,
	  AM_WORLD_OTHER, false, ALL, AM_WHY_WORLD_OTHER },
	{ "Realm EL2", &vhe, NS | NSE | EL(2), 0, 0, false,
	  AM_WORLD_OTHER, false, CIDS, AM_WHY_WORLD_OTHER },
	{ "Root", &vhe, NSE | EL(3), 0, 0, false,
	  AM_WORLD_OTHER, false, CID1, AM_WHY_WORLD_OTHER },
};

static void test_rows(void)
{
	struct am_verdict world;
	struct am_linux host;
	unsigned int i;
	u64 pmpcsr;

	for (i = 0; i < ARRAY_LEN(rows); i++) {
		/* Set an address, and the RES0 bit */
		pmpcsr = rows[i].pmpcsr | 0x123456789ABCULL | 1ULL << 60;
		world = am_linux_world(rows[i].host, pmpcsr, rows[i].vmid, rows[i].host_vmid,
				       rows[i].in_vcpu);
		EXPECT(world.is == (int)rows[i].world, "%s: world %d", rows[i].name, world.is);
		EXPECT(world.why == rows[i].why, "%s: reason %d", rows[i].name, world.why);
		EXPECT(am_linux_has_task(rows[i].host, rows[i].world) == rows[i].has_task,
		       "%s: has a task", rows[i].name);
		EXPECT(am_linux_known(rows[i].host, pmpcsr, rows[i].world) == rows[i].known,
		       "%s: known", rows[i].name);
		/* A kernel that does not write its TIDs names no task */
		host = *rows[i].host;
		host.names_tasks = false;
		EXPECT(!am_linux_has_task(&host, rows[i].world), "%s: no TID", rows[i].name);
	}
	/* Only the kind of kernel decides which register has the TID */
	for (i = 0; i < 4; i++) {
		host = (struct am_linux){ AM_KERNEL_EL1, i & 1, i & 2 };
		EXPECT_EQ(am_linux_tid(&host, 0x11223344, 0x55667788), 0x11223344, "TID at EL1");
		host.kernel = AM_KERNEL_VHE;
		EXPECT_EQ(am_linux_tid(&host, 0x11223344, 0x55667788), 0x55667788, "TID at EL2");
		host.kernel = AM_KERNEL_AA32;
		EXPECT_EQ(am_linux_tid(&host, 0x11223344, 0x55667788), 0x112233,
			  "TID beside an ASID");
	}
}

/* Valid registers, if EL2 is enabled; I5.3 lists no exception */
static unsigned int known_by_state(const struct am_linux *host, bool ns, bool nse, unsigned int el,
				   bool user)
{
	bool el2 = host->has_el2 && ns && el < 3;
	bool tge = el == 0 && (nse || (user && host->kernel == AM_KERNEL_VHE));

	return CID1 | (el2 ? AM_KNOWN_CID2 : 0) | (el2 && el < 2 && !tge ? AM_KNOWN_VMID : 0);
}

/*
 * In all combinations of {NSE, NS, EL}, vCPU or not, VMID of the host or not, TIDs written or not:
 * no foreign sample is taken for one of the host
 */
static void test_nothing_foreign(void)
{
	static const struct am_linux *const hosts[] = { &no_el2, &nvhe, &vhe };
	bool ns, nse, in_vcpu, foreign, guest, user, kernel;
	unsigned int h, bits, el;
	struct am_linux host;
	int world;
	u64 pmpcsr;

	for (h = 0; h < ARRAY_LEN(hosts); h++)
		for (bits = 0; bits < 128; bits++) {
			host = *hosts[h];
			host.names_tasks = bits & 64;
			el = bits & 3;
			ns = bits & 4;
			nse = bits & 8;
			in_vcpu = bits & 16;
			foreign = bits & 32;
			pmpcsr = EL(el) | (ns ? NS : 0) | (nse ? NSE : 0);
			world = am_linux_world(&host, pmpcsr, foreign ? 9 : 8, 8, in_vcpu).is;
			guest = h == 1 ? foreign && el < 2 :
				h == 2 && (el == 1 || (el == 0 && in_vcpu));
			user = ns && !nse && el == 0 && !guest;
			kernel = ns && !nse && el == (h == 2 ? 2 : 1) && !guest;
			EXPECT_EQ(world == AM_WORLD_USER, user, "user");
			EXPECT_EQ(world == AM_WORLD_KERNEL, kernel, "kernel");
			EXPECT_EQ(world == AM_WORLD_OTHER, !ns || nse || el == 3, "other");
			EXPECT_EQ(am_linux_known(&host, pmpcsr, world),
				  known_by_state(&host, ns, nse, el, user), "known");
			/* A guest of a host at EL2 runs in a task of the host */
			EXPECT_EQ(am_linux_has_task(&host, world),
				  host.names_tasks && (user || kernel || (h == 2 && guest && ns &&
									  !nse)), "task");
		}
}

const struct am_test am_tests_linux_sample[] = {
	{ "who ran, by the place of the sample", test_rows, 147 },
	{ "nothing foreign passes for the host", test_nothing_foreign, 1920 },
	{ NULL, NULL, 0 },
};
