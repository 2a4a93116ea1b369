// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the identification of a block. The values are those of the manual (registers of I5.3),
 * written as numbers and not with the driver's masks.
 */
#include "ident.h"
#include "test.h"

/* A Cortex-A76's external PMU, as PE 0.0.2.1 */
static const struct pcs_ident good = {
	.cidr = { 0x0D, 0x90, 0x05, 0xB1 },
	.devarch = 0x47702A16,
	.devtype = 0x16,
	.devid = 0x1,
	.devaff = 0x80000201,
};

static const u64 mpidr = 0x81000201;

static enum pcs_ident_fault check(const struct pcs_ident *id)
{
	struct pcs_layout layout;

	return pcs_ident_check(id, mpidr, &layout);
}

static void test_layouts(void **state)
{
	static const struct {
		u32 devarch, devtype, devid;
		bool wide, control;
	} rows[] = {
		{ 0x47702A16, 0x16, 1, false, false },	/* PMU, EXT32, FEAT_PCSRv8p2 */
		{ 0x47702A16, 0x16, 2, false, true },	/* PMU, EXT32, FEAT_PCSRv8p9 */
		{ 0x47702A26, 0x16, 2, true, true },	/* PMU, EXT64 */
		{ 0x47700A10, 0x10, 1, false, false },	/* no PMU, EXT32 */
		{ 0x47700A20, 0x10, 2, true, true },	/* no PMU, EXT64 */
		{ 0x47702A16, 0x16, 0x13, false, true },	/* later version, snapshots too */
	};
	struct pcs_layout layout;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcs_ident id = good;

		id.devarch = rows[i].devarch;
		id.devtype = rows[i].devtype;
		id.devid = rows[i].devid;
		assert_int_equal(pcs_ident_check(&id, mpidr, &layout), PCS_IDENT_GOOD);
		assert_int_equal(layout.wide, rows[i].wide);
		assert_int_equal(layout.control, rows[i].control);
	}
}

/* Nothing there: a bus that answers with zeros or with ones */
static void test_nothing_there(void **state)
{
	struct pcs_ident zeros = {}, ones = {
		{ ~0U, ~0U, ~0U, ~0U }, ~0U, ~0U, ~0U, ~0ULL,
	};

	(void)state;
	assert_int_equal(check(&zeros), PCS_IDENT_CIDR);
	assert_int_equal(check(&ones), PCS_IDENT_CIDR);
}

/* Every single wrong bit that means something is found. */
static void test_each_bit_of_cidr(void **state)
{
	unsigned int word, bit;

	(void)state;
	for (word = 0; word < 4; word++) {
		for (bit = 0; bit < 32; bit++) {
			struct pcs_ident id = good;

			id.cidr[word] ^= 1U << bit;
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

		id.devarch ^= 1U << bit;
		/* ARCHVER and REVISION, 19:12, may change */
		if (bit >= 12 && bit <= 19)
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

		id.devtype ^= 1U << bit;
		assert_int_equal(check(&id), bit < 8 ? PCS_IDENT_DEVTYPE : PCS_IDENT_GOOD);
	}
}

static void test_major_follows_archpart(void **state)
{
	struct pcs_ident id = good;

	(void)state;
	id.devtype = 0x10;
	assert_int_equal(check(&id), PCS_IDENT_DEVTYPE);
	id.devarch = 0x47700A10;
	assert_int_equal(check(&id), PCS_IDENT_GOOD);
	id.devtype = 0x16;
	assert_int_equal(check(&id), PCS_IDENT_DEVTYPE);
}

static void test_pmu_without_pc_sampling(void **state)
{
	struct pcs_ident id = good;

	(void)state;
	id.devid = 0xFFFFFFF0;
	assert_int_equal(check(&id), PCS_IDENT_NO_PCSAMPLE);
}

static void test_each_bit_of_affinity(void **state)
{
	unsigned int bit;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		struct pcs_ident id = good;
		/* Aff3 39:32 and Aff2, Aff1, Aff0 23:0; not U, MT and the RES bits */
		bool affinity = bit <= 23 || (bit >= 32 && bit <= 39);

		id.devaff ^= 1ULL << bit;
		assert_int_equal(check(&id), affinity ? PCS_IDENT_AFFINITY : PCS_IDENT_GOOD);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_each_bit_of_cidr),
		cmocka_unit_test(test_each_bit_of_devarch),
		cmocka_unit_test(test_each_bit_of_devtype),
		cmocka_unit_test(test_major_follows_archpart),
		cmocka_unit_test(test_pmu_without_pc_sampling),
		cmocka_unit_test(test_each_bit_of_affinity),
	};

	return cmocka_run_group_tests_name("ident", tests, NULL, NULL);
}
