/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The places that a PE can be sampled in, by the manual and by what KVM does: a row for each kind
 * of host and each place.
 */
#ifndef PCS_TEST_PLACES_H
#define PCS_TEST_PLACES_H

#include "attribution.h"

#define NS	0x8000000000000000ULL
#define NSE	0x0800000000000000ULL
#define EL(n)	((u64)(n) << 61)

#define ALL	(ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2 | ARM_PCSAMPLE_HAS_VMID)
#define CIDS	(ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2)
#define CID1	ARM_PCSAMPLE_HAS_CID1

/* Kernels: at EL1 of a PE without EL2; at EL1 with nVHE KVM; at EL2 */
static const struct pcs_host no_el2 = { { AM_KERNEL_EL1, false, true }, true };
static const struct pcs_host nvhe = { { AM_KERNEL_EL1, true, true }, true };
static const struct pcs_host vhe = { { AM_KERNEL_VHE, true, true }, true };

/**
 * struct place - where a PE is sampled, and what is known of such a sample
 * @name: for messages
 * @host: the kernel that runs on the PE
 * @pmpcsr: state and Exception level
 * @vmid: PMVIDSR
 * @host_vmid: VMID of the host
 * @in_vcpu: the task runs a guest
 * @world: what ran
 * @has_task: the Context ID names a task of the kernel
 * @attribution: how the record calls that
 * @known: ARM_PCSAMPLE_HAS_*: which context registers are not UNKNOWN
 */
struct place {
	const char *name;
	const struct pcs_host *host;
	u64 pmpcsr;
	u16 vmid, host_vmid;
	bool in_vcpu;
	enum am_world world;
	bool has_task;
	enum arm_pcsample_attribution attribution;
	u8 known;
};

static const struct place places[] = {
	{ "user, no EL2", &no_el2, NS | EL(0), 0x55, 0, false,
	  AM_WORLD_USER, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, CID1 },
	{ "kernel, no EL2", &no_el2, NS | EL(1), 0x55, 0, false,
	  AM_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, CID1 },
	{ "EL3, no EL2", &no_el2, EL(3), 0, 0, false,
	  AM_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },
	{ "Secure EL0, no EL2", &no_el2, EL(0), 0, 0, false,
	  AM_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },

	{ "user, nVHE", &nvhe, NS | EL(0), 0, 0, false,
	  AM_WORLD_USER, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, ALL },
	{ "kernel, nVHE", &nvhe, NS | EL(1), 0, 0, false,
	  AM_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, ALL },
	{ "kernel, VTTBR_EL2 left as it was", &nvhe, NS | EL(1), 0x1234, 0x1234, false,
	  AM_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1, ALL },
	{ "guest user, nVHE", &nvhe, NS | EL(0), 3, 0, false,
	  AM_WORLD_GUEST_USER, false, ARM_PCSAMPLE_ATTR_VMID, ALL },
	{ "guest kernel, nVHE", &nvhe, NS | EL(1), 3, 0, false,
	  AM_WORLD_GUEST_KERNEL, false, ARM_PCSAMPLE_ATTR_VMID, ALL },
	{ "hypervisor, nVHE", &nvhe, NS | EL(2), 0, 0, false,
	  AM_WORLD_HYP, false, ARM_PCSAMPLE_ATTR_NONE, CIDS },

	{ "user, VHE", &vhe, NS | EL(0), 0x77, 0, false,
	  AM_WORLD_USER, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2, CIDS },
	{ "kernel, VHE", &vhe, NS | EL(2), 0x77, 0, false,
	  AM_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2, CIDS },
	{ "kernel, VHE, between the runs of a vCPU", &vhe, NS | EL(2), 1, 0, true,
	  AM_WORLD_KERNEL, true, ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2, CIDS },
	{ "guest user, VHE", &vhe, NS | EL(0), 1, 0, true,
	  AM_WORLD_GUEST_USER, true, ARM_PCSAMPLE_ATTR_VMID, ALL },
	{ "guest kernel, VHE", &vhe, NS | EL(1), 1, 0, true,
	  AM_WORLD_GUEST_KERNEL, true, ARM_PCSAMPLE_ATTR_VMID, ALL },
	{ "guest kernel, VHE, vCPU just left", &vhe, NS | EL(1), 1, 0, false,
	  AM_WORLD_GUEST_KERNEL, true, ARM_PCSAMPLE_ATTR_VMID, ALL },

	{ "Secure EL1", &vhe, EL(1), 0, 0, false,
	  AM_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },
	{ "Secure EL2", &vhe, EL(2), 0, 0, false,
	  AM_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },
	{ "Realm EL1", &vhe, NS | NSE | EL(1), 0, 0, true,
	  AM_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, ALL },
	{ "Realm EL2", &vhe, NS | NSE | EL(2), 0, 0, false,
	  AM_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CIDS },
	{ "Root", &vhe, NSE | EL(3), 0, 0, false,
	  AM_WORLD_OTHER, false, ARM_PCSAMPLE_ATTR_OTHER_WORLD, CID1 },
};

#endif /* PCS_TEST_PLACES_H */
