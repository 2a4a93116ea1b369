/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which PC-sample registers a block has, from its ID registers, and where they are.
 *
 * Arm DDI 0487 M.a.a, H7.1.2, I5.2 and I5.3 (external PMU block, and the block without a PMU), H9.2
 * (external debug block), K5.4 (CoreSight management registers). The ID registers of both blocks
 * are at the same offsets.
 */
#ifndef ARCH_MODEL_PCS_IDENTIFY_H
#define ARCH_MODEL_PCS_IDENTIFY_H

#include <arch-model/pmpcsr-regs.h>
#include <arch-model/types.h>
#include <arch-model/why.h>

/**
 * struct am_pcs_ids - ID registers of a block, as read
 * @cidr: PMCIDR0 to PMCIDR3, or EDCIDR0 to EDCIDR3
 * @devarch: PMDEVARCH or EDDEVARCH
 * @devtype: PMDEVTYPE or EDDEVTYPE
 * @devid: PMDEVID or EDDEVID
 * @devid1: EDDEVID1; no register of a PMU block
 */
struct am_pcs_ids {
	u32 cidr[4];
	u32 devarch;
	u32 devtype;
	u32 devid;
	u32 devid1;
};

/**
 * enum am_pcs_view - where the sample registers are
 * @AM_PCS_VIEW_NONE: nowhere
 * @AM_PCS_VIEW_ED: external debug block (FEAT_PCSRv8)
 * @AM_PCS_VIEW_EXT32: external PMU block, 32-bit view
 * @AM_PCS_VIEW_EXT64: external PMU block, 64-bit view
 */
enum am_pcs_view {
	AM_PCS_VIEW_NONE,
	AM_PCS_VIEW_ED,
	AM_PCS_VIEW_EXT32,
	AM_PCS_VIEW_EXT64,
};

/**
 * struct am_pcs_id - the register set that the ID registers describe
 * @verdict: is: enum am_pcs_view; AM_PCS_VIEW_NONE if the block has no sample registers,
 *	     AM_RESERVED if a field has a reserved value, so that nothing is known of the registers
 * @own_frame: the block holds PC sampling only (Table H7-1)
 * @has_ctl: FEAT_PCSRv8p9: PMPCSCTL is there
 * @has_cid: a Context ID register is there
 * @has_vid: the VMID register is there
 * @has_snapshot: FEAT_PMUv3_SS: PMSSCR_EL1 and the saved counters are there
 * @has_sc2: EDSCR.SC2 is there, if the PE implements EL2 (FEAT_Debugv8p1)
 * @in_core_domain: the debug block is in the Core power domain, its ID registers too (FEAT_DoPD)
 * @isa_in_pc: bits [1:0] of the low word are the instruction set state (Armv7)
 * @has_offset: the PC is 8 or 4 bytes ahead (Armv7)
 *
 * The members after @verdict are false unless the verdict is a view.
 */
struct am_pcs_id {
	struct am_verdict verdict;
	bool own_frame;
	bool has_ctl;
	bool has_cid;
	bool has_vid;
	bool has_snapshot;
	bool has_sc2;
	bool in_core_domain;
	bool isa_in_pc;
	bool has_offset;
};

/**
 * am_pcs_identify() - which sample registers does a block have?
 * @ids: its ID registers
 *
 * For any Armv8 or Armv9 block: an external PMU, a PC-sample block without a PMU, or an external
 * debug block. Anything else, and a bus that answers with zeros or ones, is AM_PCS_VIEW_NONE.
 */
struct am_pcs_id am_pcs_identify(const struct am_pcs_ids *ids);

/*
 * The same for an external PMU block or a PC-sample block alone, without PMCIDR. A PMDEVTYPE of 0
 * means that it is not implemented.
 */
struct am_pcs_id am_pcs_identify_pmu(u64 pmdevarch, u64 pmdevtype, u64 pmdevid);

/**
 * am_pcs_identify_ed() - the same for a debug block of which EDDEVARCH is not known
 * @eddevid: EDDEVID, or DBGDEVID of Armv7
 * @eddevid1: EDDEVID1, or DBGDEVID1 of Armv7.1
 *
 * PCSROffset 0 means "offset" in Armv7 and "no EDPCSR" in Armv8; the block is believed in the
 * first sense if PCSample says that EDPCSR is there, as Linux does.
 */
struct am_pcs_id am_pcs_identify_ed(u64 eddevid, u64 eddevid1);

/* Is a block that of the PE with this MPIDR_EL1? @devaff: PMDEVAFF1:PMDEVAFF0, or EDDEVAFF1:0 */
static inline bool am_pcs_is_of_pe(u64 devaff, u64 mpidr)
{
	return !((devaff ^ mpidr) & PMDEVAFF_AFF);
}

/* The register map */

/**
 * enum am_pcs_reg - what an offset of a block names
 * @AM_PCS_REG_NONE: nothing, or nothing of that access size
 * @AM_PCS_REG_PC: PMPCSR, 64 bits
 * @AM_PCS_REG_PC_LO: PMPCSR[31:0], EDPCSR[31:0]
 * @AM_PCS_REG_PC_HI: PMPCSR[63:32], EDPCSR[63:32]
 * @AM_PCS_REG_CID1: PMCID1SR, EDCIDSR
 * @AM_PCS_REG_CID2: PMCID2SR
 * @AM_PCS_REG_VID: PMVIDSR, EDVIDSR
 * @AM_PCS_REG_VCID: PMVCIDSR
 * @AM_PCS_REG_CCID: PMCCIDSR
 * @AM_PCS_REG_CTL: PMPCSCTL; in the 32-bit view its low word, the high word is RES0
 * @AM_PCS_REG_IMPDEF: IMPLEMENTATION DEFINED
 * @AM_PCS_REG_MANAGEMENT: CoreSight management
 */
enum am_pcs_reg {
	AM_PCS_REG_NONE,
	AM_PCS_REG_PC,
	AM_PCS_REG_PC_LO,
	AM_PCS_REG_PC_HI,
	AM_PCS_REG_CID1,
	AM_PCS_REG_CID2,
	AM_PCS_REG_VID,
	AM_PCS_REG_VCID,
	AM_PCS_REG_CCID,
	AM_PCS_REG_CTL,
	AM_PCS_REG_IMPDEF,
	AM_PCS_REG_MANAGEMENT,
};

/**
 * am_pcs_register_at() - which register is at an offset?
 * @id: the block; nothing is there unless its verdict is a view
 * @offset: byte offset in the block
 * @bytes: access size, 4 or 8
 *
 * Return: an enum am_pcs_reg; AM_PCS_REG_NONE for an access that a driver must not make, which
 * includes the 64-bit access of the 32-bit view whose atomicity is IMPLEMENTATION DEFINED, and
 * the deprecated 32-bit access of the 64-bit view.
 */
enum am_pcs_reg am_pcs_register_at(const struct am_pcs_id *id, unsigned int offset,
				   unsigned int bytes);

#endif /* ARCH_MODEL_PCS_IDENTIFY_H */
