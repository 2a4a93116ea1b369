// SPDX-License-Identifier: GPL-2.0-only
/*
 * PC sampling: what the ID registers of a block say, and its register map.
 */
#include <arch-model/pcs-identify.h>

#include "table.h"
#include "tables.h"
#include "test.h"

/* Register maps */

static enum am_pcs_reg reg_of_h7_1(struct am_cell name)
{
	static const struct {
		const char *name;
		enum am_pcs_reg reg;
	} names[] = {
		{ "PMPCSR[31:0]", AM_PCS_REG_PC_LO },
		{ "PMPCSR[31:0] (alias)", AM_PCS_REG_PC_LO },
		{ "PMPCSR[63:32]", AM_PCS_REG_PC_HI },
		{ "PMPCSR[63:32] (alias)", AM_PCS_REG_PC_HI },
		{ "PMCID1SR", AM_PCS_REG_CID1 },
		{ "PMCID1SR (alias)", AM_PCS_REG_CID1 },
		{ "PMCID2SR", AM_PCS_REG_CID2 },
		{ "PMVIDSR", AM_PCS_REG_VID },
		{ "IMPLEMENTATION DEFINED", AM_PCS_REG_IMPDEF },
		{ "IMPLEMENTATION DEFINED for CoreSight compliance", AM_PCS_REG_IMPDEF },
		{ "Management and CoreSight compliance registers", AM_PCS_REG_MANAGEMENT },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (am_cell_is(name, names[i].name))
			return names[i].reg;
	return AM_PCS_REG_NONE;
}

/* What the map without a PMU has besides Table H7-1: the rest of Table K5-4, and PMPCSCTL */
static enum am_pcs_reg reg_beside_h7_1(unsigned int offset)
{
	if (offset == 0xE50)
		return AM_PCS_REG_CTL;
	return offset >= 0xF00 && offset < 0xFF0 ? AM_PCS_REG_MANAGEMENT : AM_PCS_REG_NONE;
}

/* Rules: S4-k */
static void test_table_h7_1(void)
{
	const struct am_pcs_id id = am_pcs_identify_pmu(0x47700A10, 0x10, 2);
	static enum am_pcs_reg map[0x1000 / 4];
	const char *text = table_h7_1;
	unsigned int offset, size;
	u64 begin, end;
	struct am_row row;

	for (offset = 0; offset < 0x1000; offset += 4)
		map[offset / 4] = reg_beside_h7_1(offset);
	am_table_line(&text, &row);
	while (am_table_line(&text, &row)) {
		REQUIRE(am_cell_number(row.cell[0], &begin), "no offset");
		end = begin;
		if (row.cell[0].length > 6) {
			row.cell[0].text += row.cell[0].length - 5;
			row.cell[0].length = 5;
			REQUIRE(am_cell_number(row.cell[0], &end), "no end of a range");
		}
		for (; begin <= end && begin < 0x1000; begin += 4) {
			map[begin / 4] = reg_of_h7_1(row.cell[1]);
			REQUIRE(map[begin / 4], "unknown: %.*s", row.cell[1].length,
				row.cell[1].text);
			/*
			 * The registers that the table calls aliases are in the second group of
			 * four words
			 */
			EXPECT_EQ(row.cell[1].text[row.cell[1].length - 1] == ')',
				  begin >= 0x220 && begin <= 0x228, "alias");
			EXPECT_EQ(am_cell_is(row.cell[1], "IMPLEMENTATION DEFINED"),
				  begin >> 8 == 6, "IMPLEMENTATION DEFINED");
		}
	}

	EXPECT_EQ(id.own_frame, true, "own frame");
	for (offset = 0; offset < 0x1004; offset++)
		for (size = 1; size <= 8; size *= 2)
			EXPECT(am_pcs_register_at(&id, offset, size) ==
			       (size == 4 && !(offset & 3) && offset < 0x1000 ?
				map[offset / 4] : AM_PCS_REG_NONE), "offset %#x, %u bytes",
			       offset, size);
}

struct place {
	unsigned int offset;
	enum am_pcs_reg reg;
};

static enum am_pcs_reg reg_in(const struct place *places, unsigned int count, unsigned int offset)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (places[i].offset == offset)
			return places[i].reg;
	return AM_PCS_REG_NONE;
}

/* Rules: S4-j S4-k */
/* Reading: F1-12 */
static void test_register_maps(void)
{
	/* I5.2, Table I5-1, and S4 */
	static const struct place ext64[] = {
		{ 0x200, AM_PCS_REG_PC }, { 0x208, AM_PCS_REG_VCID },
		{ 0x220, AM_PCS_REG_PC }, { 0x228, AM_PCS_REG_CCID }, { 0xE50, AM_PCS_REG_CTL },
	};
	/* I5.2, Table I5-2 */
	static const struct place ext32[] = {
		{ 0x200, AM_PCS_REG_PC_LO }, { 0x204, AM_PCS_REG_PC_HI },
		{ 0x208, AM_PCS_REG_CID1 }, { 0x20C, AM_PCS_REG_VID },
		{ 0x220, AM_PCS_REG_PC_LO }, { 0x224, AM_PCS_REG_PC_HI },
		{ 0x228, AM_PCS_REG_CID1 }, { 0x22C, AM_PCS_REG_CID2 }, { 0xE50, AM_PCS_REG_CTL },
	};
	/* H9.2 */
	static const struct place ed[] = {
		{ 0x0A0, AM_PCS_REG_PC_LO }, { 0x0A4, AM_PCS_REG_CID1 },
		{ 0x0A8, AM_PCS_REG_VID }, { 0x0AC, AM_PCS_REG_PC_HI },
	};
	static const struct {
		u64 devarch;
		u64 devid;
		const struct place *words;
		const struct place *doublewords;
		bool own_frame;
	} blocks[] = {
		{ 0x47702A16, 1, ext32, NULL, false },
		{ 0x47702A16, 2, ext32, NULL, false },
		{ 0x47700A10, 1, ext32, NULL, true },
		{ 0x47702A26, 1, NULL, ext64, false },
		{ 0x47702A26, 2, NULL, ext64, false },
		{ 0x47700A10, 2, ext32, NULL, true },
		{ 0x47700A20, 1, NULL, ext64, true },
		{ 0x47700A20, 2, NULL, ext64, true },
	};
	struct am_pcs_id id;
	enum am_pcs_reg word, doubleword;
	unsigned int i, offset;

	for (i = 0; i < ARRAY_LEN(blocks); i++) {
		id = am_pcs_identify_pmu(blocks[i].devarch, blocks[i].own_frame ? 0x10 : 0x16,
					 blocks[i].devid);
		EXPECT_EQ(id.own_frame, blocks[i].own_frame, "own frame");
		for (offset = 0; offset < 0x1008; offset += 4) {
			word = AM_PCS_REG_NONE;
			doubleword = AM_PCS_REG_NONE;
			if (blocks[i].words)
				word = reg_in(ext32, ARRAY_LEN(ext32), offset);
			if (blocks[i].doublewords)
				doubleword = reg_in(ext64, ARRAY_LEN(ext64), offset);
			if (offset == 0xE50 && blocks[i].devid < 2) {
				word = AM_PCS_REG_NONE;
				doubleword = AM_PCS_REG_NONE;
			}
			if (offset >= 0x600 && offset < 0x700 && blocks[i].own_frame)
				word = AM_PCS_REG_IMPDEF;
			if (offset >= 0xE80 && offset < 0xF00)
				word = AM_PCS_REG_IMPDEF;
			if (offset >= 0xF00 && offset < 0x1000)
				word = AM_PCS_REG_MANAGEMENT;
			EXPECT(am_pcs_register_at(&id, offset, 4) == word, "word %#x", offset);
			EXPECT(am_pcs_register_at(&id, offset, 8) == doubleword,
			       "doubleword %#x", offset);
			EXPECT(!am_pcs_register_at(&id, offset, 1) &&
			       !am_pcs_register_at(&id, offset, 2) &&
			       !am_pcs_register_at(&id, offset, 16), "other sizes %#x", offset);
		}
	}

	for (i = 0; i < 4; i++) {
		id = am_pcs_identify_ed(i, 2);
		for (offset = 0; offset < 0x1008; offset += 4) {
			word = i ? reg_in(ed, ARRAY_LEN(ed), offset) : AM_PCS_REG_NONE;
			if ((word == AM_PCS_REG_CID1 && i < 2) || (word == AM_PCS_REG_VID && i < 3))
				word = AM_PCS_REG_NONE;
			if (i && offset >= 0xF00 && offset < 0x1000)
				word = AM_PCS_REG_MANAGEMENT;
			EXPECT(am_pcs_register_at(&id, offset, 4) == word, "debug word %#x",
			       offset);
			EXPECT(!am_pcs_register_at(&id, offset, 8), "debug %#x", offset);
		}
	}
}

/* Identification: only what the register pages list is accepted */

static int view_of_part(unsigned int part, unsigned int version)
{
	switch (version << 12 | part) {
	case 0x0A10:
	case 0x2A16:
		return AM_PCS_VIEW_EXT32;
	case 0x0A20:
	case 0x2A26:
		return AM_PCS_VIEW_EXT64;
	}
	/* A part that exists, in an architecture version that does not */
	return part == 0xA10 || part == 0xA16 || part == 0xA20 || part == 0xA26 ? AM_RESERVED :
									       AM_PCS_VIEW_NONE;
}

/* Rules: S4-j S4-k */
/* Reading: M-17 M-18 */
static void test_identify_pmu(void)
{
	unsigned int part, version, pcsample;
	struct am_pcs_id id;
	int view;

	for (part = 0; part < 0x1000; part++) {
		for (version = 0; version < 16; version++) {
			view = view_of_part(part, version);
			for (pcsample = 0; pcsample < 16; pcsample++) {
				/* Neither REVISION nor the other fields of PMDEVID matter */
				id = am_pcs_identify_pmu(0x47700000 | (part & 15) << 16 |
							 version << 12 | part,
							 part & 6 ? 0x16 : 0x10, 0xF00 | pcsample);
				if (view <= 0)
					EXPECT_EQ(id.verdict.is, view, "no view");
				else if (!pcsample)
					EXPECT_EQ(id.verdict.is, AM_PCS_VIEW_NONE, "PCSample 0");
				else
					EXPECT_EQ(id.verdict.is, pcsample > 2 ? AM_RESERVED : view,
						  "view");
				EXPECT_EQ(id.has_ctl, view > 0 && pcsample == 2, "PMPCSCTL");
				EXPECT_EQ(id.has_cid && id.has_vid, id.verdict.is > 0, "contexts");
				EXPECT_EQ(id.own_frame, id.verdict.is > 0 && !(part & 6),
					  "own frame");
				EXPECT_EQ(id.has_snapshot || id.has_sc2 || id.in_core_domain ||
					  id.isa_in_pc || id.has_offset, false, "of other blocks");
			}
		}
	}
}

/* Rules: S4-k */
/* Reading: M-19 */
static void test_identify_by_type(void)
{
	unsigned int type, bit;
	struct am_pcs_id id;

	/* PMDEVTYPE: MAJOR is 6 with a PMU and 0 without, SUB is 1; 0 means not implemented */
	for (type = 0; type < 256; type++) {
		id = am_pcs_identify_pmu(0x47702A26, 0xFFFFFF00 | type, 1);
		EXPECT_EQ(id.verdict.is, type == 0x16 || !type ? AM_PCS_VIEW_EXT64 : AM_RESERVED,
			  "PMU");
		if (type && type != 0x16)
			EXPECT_EQ(id.verdict.why << 8 | id.verdict.detail,
				  AM_WHY_ID_DEVTYPE << 8 | type, "reason");
		id = am_pcs_identify_pmu(0x47700A20, type, 1);
		EXPECT_EQ(id.verdict.is, type == 0x10 || !type ? AM_PCS_VIEW_EXT64 : AM_RESERVED,
			  "no PMU");
	}
	/* Another architect, or PRESENT is 0 */
	for (bit = 20; bit < 32; bit++) {
		id = am_pcs_identify_pmu(0x47702A16 ^ 1U << bit, 0x16, 1);
		EXPECT_EQ(id.verdict.why, AM_WHY_ID_NOT_ARM, "reason");
		EXPECT_EQ(id.verdict.is, AM_PCS_VIEW_NONE, "view");
	}
	/* Only a block with a PMU has snapshots */
	for (bit = 0; bit < 16; bit++) {
		id = am_pcs_identify_pmu(0x47702A16, 0x16, bit << 4 | 1);
		EXPECT_EQ(id.has_snapshot, bit == 1, "snapshot");
		id = am_pcs_identify_pmu(0x47700A10, 0x10, bit << 4 | 1);
		EXPECT_EQ(id.has_snapshot, false, "snapshot without a PMU");
	}
	EXPECT_EQ(am_pcs_identify_pmu(0x47702A17, 0x16, 1).verdict.why, AM_WHY_ID_PART, "-");
	EXPECT_EQ(am_pcs_identify_pmu(0x47702B16, 0x16, 1).verdict.detail, 0xB16, "-");
	EXPECT_EQ(am_pcs_identify_pmu(0x47703A16, 0x16, 1).verdict.why, AM_WHY_ID_ARCHVER, "-");
	EXPECT_EQ(am_pcs_identify_pmu(0x47703A16, 0x16, 1).verdict.detail, 3, "-");
	EXPECT_EQ(am_pcs_identify_pmu(0, 0, 0).verdict.why, AM_WHY_ID_NOT_ARM, "nothing there");
	EXPECT_EQ(am_pcs_identify_pmu(0x47702A16, 0x16, 0).verdict.why, AM_WHY_ID_NONE, "-");
	EXPECT_EQ(am_pcs_identify_pmu(0x47702A16, 0x16, 1).verdict.why, AM_WHY_ID_PMU_FRAME, "-");
	EXPECT_EQ(am_pcs_identify_pmu(0x47700A10, 0x10, 1).verdict.why, AM_WHY_ID_OWN_FRAME, "-");
	EXPECT_EQ(am_pcs_identify_pmu(0x47700A10, 0x10, 3).verdict.why, AM_WHY_ID_RESERVED, "-");
	EXPECT_EQ(am_pcs_identify_pmu(0x47700A10, 0x10, 3).verdict.detail, 3, "-");
}

/* The view of an older debug block, of Armv7 or unknown version, by PCSample and PCSROffset */
static int view_of_debug(unsigned int pcsample, unsigned int offset)
{
	if (!pcsample)
		return AM_PCS_VIEW_NONE;
	return pcsample > 3 || offset > 2 ? AM_RESERVED : AM_PCS_VIEW_ED;
}

/* Rules: S4-j */
/* Reading: F1-1 M-5 */
static void test_identify_ed(void)
{
	unsigned int pcsample, offset, power;
	struct am_pcs_id id;
	bool is_ed;

	for (pcsample = 0; pcsample < 16; pcsample++) {
		for (offset = 0; offset < 16; offset++) {
			is_ed = view_of_debug(pcsample, offset) == AM_PCS_VIEW_ED;
			/* neither AuxRegs nor HSR matter */
			id = am_pcs_identify_ed(0x01000000 | pcsample, 0x20 | offset);
			EXPECT_EQ(id.verdict.is, view_of_debug(pcsample, offset), "view");
			EXPECT_EQ(id.verdict.why, !pcsample ? AM_WHY_ID_NONE :
				  pcsample > 3 ? AM_WHY_ID_RESERVED :
				  offset > 2 ? AM_WHY_ID_OFFSET : AM_WHY_ID_DEBUG_FRAME, "reason");
			EXPECT_EQ(id.verdict.detail, !pcsample ? 0 : pcsample > 3 ? pcsample :
				  offset > 2 ? offset : 0, "value in the reason");
			EXPECT_EQ(id.has_cid, is_ed && pcsample >= 2, "EDCIDSR");
			EXPECT_EQ(id.has_vid, is_ed && pcsample == 3, "EDVIDSR");
			EXPECT_EQ(id.isa_in_pc, is_ed && offset < 2, "instruction set in [1:0]");
			EXPECT_EQ(id.has_offset, is_ed && offset == 0, "offset");
			EXPECT_EQ(id.has_ctl || id.own_frame || id.has_snapshot || id.has_sc2,
				  false, "of other blocks");
		}
	}
	for (power = 0; power < 16; power++)
		EXPECT_EQ(am_pcs_identify_ed(power << 4 | 3, 2).in_core_domain, power == 1, "DoPD");
}

/* Any block, by all its ID registers */

static const struct am_pcs_ids a_pmu = {
	{ 0x0D, 0x90, 0x05, 0xB1 }, 0x47702A16, 0x16, 0x12, 0xFFFFFFFF,
};

static const struct am_pcs_ids a_debug_block = {
	{ 0x0D, 0x90, 0x05, 0xB1 }, 0x47706A15, 0x15, 0x03, 0x02,
};

/* Rules: S4-j S4-k */
/* Reading: M-19 */
static void test_component_id(void)
{
	const struct am_pcs_ids zeros = {}, ones = { { ~0U, ~0U, ~0U, ~0U }, ~0U, ~0U, ~0U, ~0U };
	struct am_pcs_ids ids;
	unsigned int word, bit;

	EXPECT_EQ(am_pcs_identify(&a_pmu).verdict.is, AM_PCS_VIEW_EXT32, "a PMU");
	EXPECT_EQ(am_pcs_identify(&a_pmu).has_ctl, true, "PMPCSCTL");
	EXPECT_EQ(am_pcs_identify(&a_pmu).has_snapshot, true, "snapshots");
	EXPECT_EQ(am_pcs_identify(&zeros).verdict.why, AM_WHY_ID_NOT_ARM, "zeros");
	EXPECT_EQ(am_pcs_identify(&ones).verdict.why, AM_WHY_ID_CIDR, "ones");
	EXPECT_EQ(am_pcs_identify(&ones).verdict.is, AM_PCS_VIEW_NONE, "ones");

	/* Each bit of the four component ID registers matters, except for RES0 bits */
	for (word = 0; word < 4; word++)
		for (bit = 0; bit < 32; bit++) {
			ids = a_pmu;
			ids.cidr[word] ^= 1U << bit;
			EXPECT_EQ(am_pcs_identify(&ids).verdict.is,
				  bit < 8 ? AM_PCS_VIEW_NONE : AM_PCS_VIEW_EXT32, "PMCIDR");
		}

	/* PMCIDR is not implemented: the other registers decide */
	ids = a_pmu;
	for (word = 0; word < 4; word++)
		ids.cidr[word] = 0xFFFFFF00;
	EXPECT_EQ(am_pcs_identify(&ids).verdict.is, AM_PCS_VIEW_EXT32, "no PMCIDR");
	ids.devtype = 0xFFFFFF00;
	EXPECT_EQ(am_pcs_identify(&ids).verdict.is, AM_PCS_VIEW_EXT32, "no PMDEVTYPE");
	/* A debug block of another architect is not recognized */
	ids = a_debug_block;
	ids.devarch ^= 1U << 21;
	EXPECT_EQ(am_pcs_identify(&ids).verdict.why, AM_WHY_ID_NOT_ARM, "another architect");
}

/* Rules: S4-j */
/* Reading: M-5 */
static void test_identify_v8_debug(void)
{
	unsigned int version, pcsample, offset, type;
	struct am_pcs_ids ids = a_debug_block;
	struct am_pcs_id id;
	enum am_why why;
	bool is_ed;

	for (version = 0; version < 16; version++)
		for (pcsample = 0; pcsample < 16; pcsample++)
			for (offset = 0; offset < 16; offset++) {
				ids.devarch = 0x47700A15 | version << 12 | offset << 16;
				ids.devid = 0x0F000000 | pcsample;
				ids.devid1 = 0xF0 | offset;
				id = am_pcs_identify(&ids);
				if (version < 6 || version > 11)
					why = AM_WHY_ID_ARCHVER;
				else if (!pcsample)
					why = AM_WHY_ID_NONE;
				else if (pcsample > 3)
					why = AM_WHY_ID_RESERVED;
				else if (offset > 2)
					why = AM_WHY_ID_OFFSET;
				else if (version > 7)
					why = AM_WHY_PCS_TOO_NEW;
				else
					why = offset < 2 ? AM_WHY_ID_OFFSET : AM_WHY_ID_DEBUG_FRAME;
				EXPECT_EQ(id.verdict.why, why, "reason");
				EXPECT_EQ(id.verdict.is, why == AM_WHY_ID_NONE ? AM_PCS_VIEW_NONE :
					  why == AM_WHY_ID_DEBUG_FRAME ? AM_PCS_VIEW_ED :
					  AM_RESERVED, "view");
				is_ed = why == AM_WHY_ID_DEBUG_FRAME;
				EXPECT_EQ(id.has_sc2, is_ed && version > 6, "EDSCR.SC2");
				EXPECT_EQ(id.has_cid, is_ed && pcsample > 1, "EDCIDSR");
				EXPECT_EQ(id.isa_in_pc || id.has_offset, false, "of Armv7");
				if (why == AM_WHY_ID_ARCHVER)
					EXPECT_EQ(id.verdict.detail, version, "version");
				if (why == AM_WHY_ID_OFFSET)
					EXPECT_EQ(id.verdict.detail, offset, "offset");
			}

	ids = a_debug_block;
	for (type = 0; type < 256; type++) {
		ids.devtype = 0xFFFFFF00 | type;
		id = am_pcs_identify(&ids);
		EXPECT_EQ(id.verdict.is, type == 0x15 || !type ? AM_PCS_VIEW_ED : AM_RESERVED, "-");
		EXPECT_EQ(id.verdict.detail, type == 0x15 ? 0 : type, "EDDEVTYPE");
	}
}

static void test_affinity(void)
{
	unsigned int bit;

	/* Aff3 to Aff0 matter; MT, U and bit 31 do not */
	for (bit = 0; bit < 64; bit++)
		EXPECT_EQ(am_pcs_is_of_pe(0x80000201 ^ 1ULL << bit, 0x80000201),
			  (bit >= 24 && bit < 32) || bit >= 40, "affinity");
}

const struct am_test am_tests_pcs_identify[] = {
	{ "Table H7-1", test_table_h7_1, 16617 },
	{ "register maps", test_register_maps, 32840 },
	{ "PMDEVARCH and PMDEVID", test_identify_pmu, 5242880 },
	{ "PMDEVTYPE", test_identify_by_type, 832 },
	{ "EDDEVID and EDDEVID1", test_identify_ed, 2064 },
	{ "component ID", test_component_id, 137 },
	{ "debug block of Armv8", test_identify_v8_debug, 23798 },
	{ "affinity", test_affinity, 64 },
	{ NULL, NULL, 0 },
};
