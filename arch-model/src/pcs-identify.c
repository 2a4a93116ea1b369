// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which PC-sample registers a block has, and where they are; see pcs-identify.h.
 */
#include <arch-model/edpcsr-regs.h>
#include <arch-model/pcs-identify.h>
#include <arch-model/pmpcsr-regs.h>

/* Identification */

static struct am_pcs_id am_id_without(int is, enum am_why why, unsigned int detail)
{
	return (struct am_pcs_id){ .verdict = am_verdict_of(is, why, detail) };
}

static bool am_is_arm(u64 devarch)
{
	return FIELD_GET(PMDEVARCH_ARCHITECT, devarch) == PMDEVARCH_ARCHITECT_ARM &&
	       (devarch & PMDEVARCH_PRESENT);
}

/*
 * The rest of PMDEVARCH, and PMDEVTYPE. A minor revision adds to its predecessor; another ARCHVER
 * is another programmers' model (I5.3).
 */
static struct am_pcs_id am_pmu_frame(u64 pmdevarch, u64 pmdevtype)
{
	unsigned int version = FIELD_GET(PMDEVARCH_ARCHVER, pmdevarch);
	unsigned int part = FIELD_GET(PMDEVARCH_ARCHPART, pmdevarch);
	unsigned int type = pmdevtype & (PMDEVTYPE_SUB | PMDEVTYPE_MAJOR);
	bool is_32 = part == PMDEVARCH_ARCHPART_PMU32 || part == PMDEVARCH_ARCHPART_PCS32;
	bool is_pmu = part == PMDEVARCH_ARCHPART_PMU32 || part == PMDEVARCH_ARCHPART_PMU64;
	bool is_own = part == PMDEVARCH_ARCHPART_PCS32 || part == PMDEVARCH_ARCHPART_PCS64;

	if (!is_pmu && !is_own)
		return am_id_without(AM_PCS_VIEW_NONE, AM_WHY_ID_PART, part);
	/* Reading: M-18 */
	if (version != (is_pmu ? PMDEVARCH_ARCHVER_PMUV3 : PMDEVARCH_ARCHVER_PCSRV8P2))
		return am_id_without(AM_RESERVED, AM_WHY_ID_ARCHVER, version);
	/* Reading: M-19 */
	if (type && type != (is_pmu ? PMDEVTYPE_PMU : PMDEVTYPE_PCS))
		return am_id_without(AM_RESERVED, AM_WHY_ID_DEVTYPE, type);
	return (struct am_pcs_id){
		.verdict = am_verdict(is_32 ? AM_PCS_VIEW_EXT32 : AM_PCS_VIEW_EXT64,
				      is_own ? AM_WHY_ID_OWN_FRAME : AM_WHY_ID_PMU_FRAME),
		.own_frame = is_own,
	};
}

/* Rules: S4-j S4-k */
struct am_pcs_id am_pcs_identify_pmu(u64 pmdevarch, u64 pmdevtype, u64 pmdevid)
{
	unsigned int pcsample = FIELD_GET(PMDEVID_PCSAMPLE, pmdevid);
	struct am_pcs_id id;

	if (!am_is_arm(pmdevarch))
		return am_id_without(AM_PCS_VIEW_NONE, AM_WHY_ID_NOT_ARM, 0);
	id = am_pmu_frame(pmdevarch, pmdevtype);
	if (id.verdict.is <= 0)
		return id;
	if (pcsample == PMDEVID_PCSAMPLE_NONE)
		return am_id_without(AM_PCS_VIEW_NONE, AM_WHY_ID_NONE, 0);
	/* Reading: M-17 */
	if (pcsample > PMDEVID_PCSAMPLE_V8P9)
		return am_id_without(AM_RESERVED, AM_WHY_ID_RESERVED, pcsample);

	id.has_ctl = pcsample == PMDEVID_PCSAMPLE_V8P9;
	id.has_snapshot = !id.own_frame &&
			  FIELD_GET(PMDEVID_PMSS, pmdevid) == PMDEVID_PMSS_V3;
	id.has_cid = true;
	id.has_vid = true;
	return id;
}

/* Rules: S4-j */
/* Reading: F1-1 M-5 */
struct am_pcs_id am_pcs_identify_ed(u64 eddevid, u64 eddevid1)
{
	unsigned int pcsample = FIELD_GET(EDDEVID_PCSAMPLE, eddevid);
	unsigned int offset = FIELD_GET(EDDEVID1_PCSROFFSET, eddevid1);

	if (pcsample == EDDEVID_PCSAMPLE_NONE)
		return am_id_without(AM_PCS_VIEW_NONE, AM_WHY_ID_NONE, 0);
	if (pcsample > EDDEVID_PCSAMPLE_PC_CID_VID)
		return am_id_without(AM_RESERVED, AM_WHY_ID_RESERVED, pcsample);
	if (offset > EDDEVID1_PCSROFFSET_NONE)
		return am_id_without(AM_RESERVED, AM_WHY_ID_OFFSET, offset);
	return (struct am_pcs_id){
		.verdict = am_verdict(AM_PCS_VIEW_ED, AM_WHY_ID_DEBUG_FRAME),
		.has_cid = pcsample >= EDDEVID_PCSAMPLE_PC_CID,
		.has_vid = pcsample == EDDEVID_PCSAMPLE_PC_CID_VID,
		.in_core_domain = FIELD_GET(EDDEVID_DEBUGPOWER, eddevid) == EDDEVID_DEBUGPOWER_DOPD,
		.isa_in_pc = offset != EDDEVID1_PCSROFFSET_NONE,
		.has_offset = offset == EDDEVID1_PCSROFFSET_ISA,
	};
}

/* A debug block that says which debug architecture it has: Armv8 or later */
static struct am_pcs_id am_pcs_identify_ed_v8(const struct am_pcs_ids *ids)
{
	unsigned int version = FIELD_GET(PMDEVARCH_ARCHVER, ids->devarch);
	unsigned int type = ids->devtype & (PMDEVTYPE_SUB | PMDEVTYPE_MAJOR);
	struct am_pcs_id id = am_pcs_identify_ed(ids->devid, ids->devid1);

	if (version < EDDEVARCH_ARCHVER_V8 || version > EDDEVARCH_ARCHVER_V8P9)
		return am_id_without(AM_RESERVED, AM_WHY_ID_ARCHVER, version);
	if (type && type != EDDEVTYPE_DEBUG)
		return am_id_without(AM_RESERVED, AM_WHY_ID_DEVTYPE, type);
	if (id.verdict.is <= 0)
		return id;
	if (version >= EDDEVARCH_ARCHVER_V8P2)
		return am_id_without(AM_RESERVED, AM_WHY_PCS_TOO_NEW, 0);
	/* Reading: M-5 */
	if (id.isa_in_pc)
		return am_id_without(AM_RESERVED, AM_WHY_ID_OFFSET,
				     FIELD_GET(EDDEVID1_PCSROFFSET, ids->devid1));
	id.has_sc2 = version >= EDDEVARCH_ARCHVER_V8P1;
	return id;
}

/* PMCIDR0 to PMCIDR3 without their RES0 bits, the first in the lowest byte */
static u32 am_cidr(const struct am_pcs_ids *ids)
{
	return (ids->cidr[0] & 0xFF) | (ids->cidr[1] & 0xFF) << 8 | (ids->cidr[2] & 0xFF) << 16 |
	       (ids->cidr[3] & 0xFF) << 24;
}

/* Rules: S4-j S4-k */
struct am_pcs_id am_pcs_identify(const struct am_pcs_ids *ids)
{
	u32 cidr = am_cidr(ids);

	/* Reading: M-19 */
	if (cidr && cidr != CORESIGHT_CIDR)
		return am_id_without(AM_PCS_VIEW_NONE, AM_WHY_ID_CIDR, 0);
	if (am_is_arm(ids->devarch) &&
	    FIELD_GET(PMDEVARCH_ARCHPART, ids->devarch) == EDDEVARCH_ARCHPART_DEBUG)
		return am_pcs_identify_ed_v8(ids);
	return am_pcs_identify_pmu(ids->devarch, ids->devtype, ids->devid);
}

/* The register map */

/* What shares the block with the sample registers (I5.2, Table H7-1, Table K5-4) */
static enum am_pcs_reg am_pcs_other_register(const struct am_pcs_id *id, unsigned int offset)
{
	switch (offset >> 8) {
	case 0x6:
		/* With a PMU these are its snapshot registers */
		return id->own_frame ? AM_PCS_REG_IMPDEF : AM_PCS_REG_NONE;
	case 0xE:
		if (id->verdict.is == AM_PCS_VIEW_ED || offset < 0xE80)
			return AM_PCS_REG_NONE;
		return AM_PCS_REG_IMPDEF;
	case 0xF:
		return AM_PCS_REG_MANAGEMENT;
	}
	return AM_PCS_REG_NONE;
}

static enum am_pcs_reg am_pcs_word_at(const struct am_pcs_id *id, unsigned int offset)
{
	switch (offset) {
	case PMPCSR_LO:
	case PMPCSR_ALIAS_LO:
		return AM_PCS_REG_PC_LO;
	case PMPCSR_HI:
	case PMPCSR_ALIAS_HI:
		return AM_PCS_REG_PC_HI;
	case PMCID1SR:
	case PMCID1SR_ALIAS:
		return AM_PCS_REG_CID1;
	case PMVIDSR:
		return AM_PCS_REG_VID;
	case PMCID2SR:
		return AM_PCS_REG_CID2;
	case PMPCSCTL:
		return id->has_ctl ? AM_PCS_REG_CTL : AM_PCS_REG_NONE;
	}
	return am_pcs_other_register(id, offset);
}

static enum am_pcs_reg am_pcs_doubleword_at(const struct am_pcs_id *id, unsigned int offset)
{
	switch (offset) {
	case PMPCSR:
	case PMPCSR_ALIAS:
		return AM_PCS_REG_PC;
	case PMVCIDSR:
		return AM_PCS_REG_VCID;
	case PMCCIDSR:
		return AM_PCS_REG_CCID;
	case PMPCSCTL:
		return id->has_ctl ? AM_PCS_REG_CTL : AM_PCS_REG_NONE;
	}
	return AM_PCS_REG_NONE;
}

static enum am_pcs_reg am_pcs_debug_word_at(const struct am_pcs_id *id, unsigned int offset)
{
	switch (offset) {
	case EDPCSR_LO:
		return AM_PCS_REG_PC_LO;
	case EDPCSR_HI:
		return AM_PCS_REG_PC_HI;
	case EDCIDSR:
		return id->has_cid ? AM_PCS_REG_CID1 : AM_PCS_REG_NONE;
	case EDVIDSR:
		return id->has_vid ? AM_PCS_REG_VID : AM_PCS_REG_NONE;
	}
	return am_pcs_other_register(id, offset);
}

/* Rules: S4-j S4-k */
/* Reading: F1-12 */
enum am_pcs_reg am_pcs_register_at(const struct am_pcs_id *id, unsigned int offset,
				   unsigned int bytes)
{
	if (offset & (bytes - 1))
		return AM_PCS_REG_NONE;

	switch (id->verdict.is) {
	case AM_PCS_VIEW_ED:
		return bytes == 4 ? am_pcs_debug_word_at(id, offset) : AM_PCS_REG_NONE;
	case AM_PCS_VIEW_EXT32:
		return bytes == 4 ? am_pcs_word_at(id, offset) : AM_PCS_REG_NONE;
	case AM_PCS_VIEW_EXT64:
		if (bytes == 8)
			return am_pcs_doubleword_at(id, offset);
		return bytes == 4 ? am_pcs_other_register(id, offset) : AM_PCS_REG_NONE;
	}
	return AM_PCS_REG_NONE;
}
