// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the identification of a block. The values are from the manual (registers of I5.3),
 * written as numbers, without the driver's masks.
 */
#include "ident.h"
#include "test.h"

/* A Cortex-A76's external PMU, as PE 0.0.2.1 */
static const struct pcs_ident good = {
	.ids = {
		.cidr = { 0x0D, 0x90, 0x05, 0xB1 },
		.devarch = 0x47702A16,
		.devtype = 0x16,
		.devid = 0x1,
	},
	.devaff = 0x80000201,
};

static const u64 mpidr = 0x81000201;

static enum pcs_ident_fault check(const struct pcs_ident *id)
{
	struct pcs_frame frame = {};

	return pcs_ident_check(id, mpidr, &frame);
}

static void test_sets(void **state)
{
	static const struct {
		u32 devarch, devtype, devid;
		bool control;
		enum arm_pcsample_source source;
	} rows[] = {
		{ 0x47702A16, 0x16, 1, false, ARM_PCSAMPLE_SOURCE_PMU32 },
		{ 0x47702A16, 0x16, 2, true, ARM_PCSAMPLE_SOURCE_PMU32 },
		{ 0x47702A26, 0x16, 2, true, ARM_PCSAMPLE_SOURCE_PMU64 },
		{ 0x47700A10, 0x10, 1, false, ARM_PCSAMPLE_SOURCE_FRAME32 },
		{ 0x47700A20, 0x10, 2, true, ARM_PCSAMPLE_SOURCE_FRAME64 },
		/* with snapshots */
		{ 0x47702A16, 0x16, 0x12, true, ARM_PCSAMPLE_SOURCE_PMU32 },
		/* PMDEVTYPE is not implemented */
		{ 0x47702A16, 0, 1, false, ARM_PCSAMPLE_SOURCE_PMU32 },
	};
	struct pcs_frame frame = {};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcs_ident id = good;

		id.ids.devarch = rows[i].devarch;
		id.ids.devtype = rows[i].devtype;
		id.ids.devid = rows[i].devid;
		assert_int_equal(pcs_ident_check(&id, mpidr, &frame), PCS_IDENT_GOOD);
		assert_int_equal(frame.set->source, rows[i].source);
		assert_int_equal(frame.has_control, rows[i].control);
	}
}

/* No block: the bus answers with zeros or with ones */
static void test_nothing_there(void **state)
{
	struct pcs_ident zeros = {}, ones = {
		.ids = { { ~0U, ~0U, ~0U, ~0U }, ~0U, ~0U, ~0U, ~0U }, .devaff = ~0ULL,
	};

	(void)state;
	assert_int_equal(check(&zeros), PCS_IDENT_DEVARCH);
	assert_int_equal(check(&ones), PCS_IDENT_CIDR);
}

/* Every single wrong bit that matters is detected. */
static void test_each_bit_of_cidr(void **state)
{
	unsigned int word, bit;

	(void)state;
	for (word = 0; word < 4; word++) {
		for (bit = 0; bit < 32; bit++) {
			struct pcs_ident id = good;

			id.ids.cidr[word] ^= 1U << bit;
			assert_int_equal(check(&id), bit < 8 ? PCS_IDENT_CIDR : PCS_IDENT_GOOD);
		}
	}
}

static void test_each_bit_of_devarch(void **state)
{
	unsigned int bit;

	(void)state;
	for (bit = 0; bit < 32; bit++) {
		struct pcs_ident id = good;
		enum pcs_ident_fault expected = PCS_IDENT_DEVARCH;

		id.ids.devarch ^= 1U << bit;
		/* Any REVISION is accepted */
		if (bit >= 16 && bit <= 19)
			expected = PCS_IDENT_GOOD;
		assert_int_equal(check(&id), expected);
	}
}

static void test_each_bit_of_devtype(void **state)
{
	unsigned int bit;

	(void)state;
	for (bit = 0; bit < 32; bit++) {
		struct pcs_ident id = good;

		id.ids.devtype ^= 1U << bit;
		assert_int_equal(check(&id), bit < 8 ? PCS_IDENT_DEVTYPE : PCS_IDENT_GOOD);
	}
}

static void test_major_follows_archpart(void **state)
{
	struct pcs_ident id = good;

	(void)state;
	id.ids.devtype = 0x10;
	assert_int_equal(check(&id), PCS_IDENT_DEVTYPE);
	id.ids.devarch = 0x47700A10;
	assert_int_equal(check(&id), PCS_IDENT_GOOD);
	id.ids.devtype = 0x16;
	assert_int_equal(check(&id), PCS_IDENT_DEVTYPE);
}

/*
 * Driver and model agree for all values of the fields that matter: the driver accepts a block if
 * and only if the model knows its registers, and uses the same register set.
 */
static bool is_like_the_model(u32 devarch, u32 devtype, u32 devid, unsigned int *taken)
{
	struct pcs_ident id = good;
	struct pcs_frame frame = {};
	struct am_pcs_id model;

	id.ids.devarch = devarch;
	id.ids.devtype = devtype;
	id.ids.devid = devid;
	model = am_pcs_identify(&id.ids);
	if (pcs_ident_check(&id, mpidr, &frame))
		return !frame.set && model.verdict.is != AM_PCS_VIEW_EXT64 &&
		       model.verdict.is != AM_PCS_VIEW_EXT32;
	++*taken;
	return model.verdict.is == (int)frame.set->view &&
	       model.own_frame == frame.set->own_frame && frame.has_control == model.has_ctl;
}

static void test_like_the_model(void **state)
{
	static const u32 parts[] = { 0xA10, 0xA16, 0xA20, 0xA26, 0xA15, 0xA11, 0 };
	static const u32 types[] = { 0, 0x10, 0x16, 0x15, 0x06, 0x26, 0xFF };
	unsigned int version, type, devid, taken = 0;
	u32 devarch;

	(void)state;
	for (version = 0; version < 256 * ARRAY_SIZE(parts); version++) {
		devarch = 0x47700000 | version % 256 << 12 | parts[version / 256];
		for (type = 0; type < ARRAY_SIZE(types); type++)
			for (devid = 0; devid < 4096; devid += devid < 256 ? 1 : 251)
				assert_true(is_like_the_model(devarch, types[type], devid, &taken));
	}
	assert_true(taken > 1000);
}

/* Versions above FEAT_PCSRv8p9 are reserved: their registers may be different (I5.3). */
static void test_reserved_versions(void **state)
{
	struct pcs_ident id = good;

	(void)state;
	for (id.ids.devid = 3; id.ids.devid < 16; id.ids.devid++)
		assert_int_equal(check(&id), PCS_IDENT_PCSAMPLE);
}

static void test_pmu_without_pc_sampling(void **state)
{
	struct pcs_ident id = good;

	(void)state;
	id.ids.devid = 0xFFFFFFF0;
	assert_int_equal(check(&id), PCS_IDENT_NO_PCSAMPLE);
}

/* The user may say that an external PMU block samples, and nothing else. */
static void test_assumed_pc_sampling(void **state)
{
	static const struct {
		u32 devarch, devtype, devid;
		enum pcs_ident_fault fault;
		enum arm_pcsample_source source;
		bool assumed, control;
	} rows[] = {
		{ 0x47702A16, 0x16, 0, PCS_IDENT_GOOD, ARM_PCSAMPLE_SOURCE_PMU32, true, false },
		{ 0x47702A26, 0, 0xFFFFFFF0, PCS_IDENT_GOOD, ARM_PCSAMPLE_SOURCE_PMU64, true,
		  false },
		/* PMDEVID says so itself */
		{ 0x47702A16, 0x16, 1, PCS_IDENT_GOOD, ARM_PCSAMPLE_SOURCE_PMU32, false, false },
		{ 0x47702A16, 0x16, 2, PCS_IDENT_GOOD, ARM_PCSAMPLE_SOURCE_PMU32, false, true },
		{ 0x47702A16, 0x16, 3, PCS_IDENT_PCSAMPLE, 0, false, false },
		/* Not a PMU */
		{ 0x47700A10, 0x10, 0, PCS_IDENT_NO_PCSAMPLE, 0, false, false },
		{ 0x47706A15, 0x15, 0, PCS_IDENT_NO_PCSAMPLE, 0, false, false },
		{ 0x47708A15, 0x15, 0, PCS_IDENT_V8P2, 0, false, false },
		/* Nothing, or something else */
		{ 0, 0, 0, PCS_IDENT_DEVARCH, 0, false, false },
		{ 0x47702A16, 0x14, 0, PCS_IDENT_DEVTYPE, 0, true, false },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcs_frame frame = { .assumes_pcsample = true };
		struct pcs_ident id = good;

		id.ids.devarch = rows[i].devarch;
		id.ids.devtype = rows[i].devtype;
		id.ids.devid = rows[i].devid;
		id.ids.devid1 = 2;
		assert_int_equal(pcs_ident_check(&id, mpidr, &frame), rows[i].fault);
		assert_int_equal(frame.pcsample_is_assumed, rows[i].assumed);
		if (rows[i].fault)
			continue;
		assert_int_equal(frame.set->source, rows[i].source);
		assert_int_equal(frame.has_control, rows[i].control);
		id.devaff ^= 1;
		assert_int_equal(pcs_ident_check(&id, mpidr, &frame), PCS_IDENT_AFFINITY);
	}
}

/* A debug block of Armv8.0 and Armv8.1 may have PC sampling, a later one has none (A2.2). */
static void test_debug_without_pc_sampling(void **state)
{
	struct pcs_ident id = good;
	u32 version;

	(void)state;
	id.ids.devtype = 0x15;
	id.ids.devid1 = 2;
	for (version = 6; version <= 0xB; version++) {
		id.ids.devarch = 0x47700A15 | version << 12;
		id.ids.devid = 0xFFFFFFF0;
		assert_int_equal(check(&id), version < 8 ? PCS_IDENT_NO_PCSAMPLE : PCS_IDENT_V8P2);
		if (version < 8)
			continue;
		id.ids.devid = 3;
		assert_int_equal(check(&id), PCS_IDENT_V8P2);
	}
}

static void test_each_bit_of_affinity(void **state)
{
	unsigned int bit;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		struct pcs_ident id = good;
		/* Aff3 39:32 and Aff2, Aff1, Aff0 23:0 matter; U, MT and the RES bits do not */
		bool affinity = bit <= 23 || (bit >= 32 && bit <= 39);

		id.devaff ^= 1ULL << bit;
		assert_int_equal(check(&id), affinity ? PCS_IDENT_AFFINITY : PCS_IDENT_GOOD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_each_bit_of_cidr),
		cmocka_unit_test(test_each_bit_of_devarch),
		cmocka_unit_test(test_each_bit_of_devtype),
		cmocka_unit_test(test_major_follows_archpart),
		cmocka_unit_test(test_like_the_model),
		cmocka_unit_test(test_reserved_versions),
		cmocka_unit_test(test_pmu_without_pc_sampling),
		cmocka_unit_test(test_assumed_pc_sampling),
		cmocka_unit_test(test_debug_without_pc_sampling),
		cmocka_unit_test(test_each_bit_of_affinity),
	};

	return cmocka_run_group_tests_name("ident", tests, NULL, NULL);
}
