// SPDX-License-Identifier: GPL-2.0-only
/* Matching of blocks in the device tree and on the AMBA bus: match.c, amba_ids.c */
#include <stdlib.h>
#include <string.h>

#include <linux/amba/bus.h>

#include "arm_pcsample.h"
#include "test.h"

#define NODE(strings)	pcs_match_node(strings, sizeof(strings))

static void test_nodes(void **state)
{
	(void)state;

	assert_int_equal(NODE("arm,pmu-pc-sample"), PCS_NODE_PMU);
	assert_int_equal(NODE("vendor,pmu\0arm,pmu-pc-sample"), PCS_NODE_PMU);
	assert_int_equal(NODE("arm,coresight-cpu-debug\0arm,primecell"), PCS_NODE_DEBUG);
	assert_int_equal(NODE("arm,coresight-cpu-debug-v9\0arm,primecell"), PCS_NODE_NONE);
	assert_int_equal(NODE("arm,primecell"), PCS_NODE_NONE);
	assert_int_equal(NODE(""), PCS_NODE_NONE);
	assert_int_equal(pcs_match_node(NULL, 0), PCS_NODE_NONE);
}

/* The last string has no NUL: reads beyond the property are detected by the sanitizer */
static void test_node_without_end(void **state)
{
	static const char name[] = { 'a', 'r', 'm', ',', 'p', 'm', 'u' };
	char *list = malloc(sizeof(name));

	(void)state;
	memcpy(list, name, sizeof(name));
	assert_int_equal(pcs_match_node(list, sizeof(name)), PCS_NODE_NONE);
	free(list);
}

/*
 * Cores whose debug blocks sample, and the blocks' peripheral IDs without the revision: those that
 * coresight-cpu-debug has, and Cortex-A35, from its manual. Where all components of a core share
 * the ID, it is the debug block's only with the architecture of debug in DEVARCH and DEVTYPE.
 */
static const struct {
	const char *compatible;
	u32 id;
	bool shared;
} promised[] = {
	{ "arm,cortex-a35", 0xBBD04, false },
	{ "arm,cortex-a53", 0xBBD03, false },
	{ "arm,cortex-a57", 0xBBD07, false },
	{ "arm,cortex-a72", 0xBBD08, false },
	{ "arm,cortex-a73", 0xBBD09, false },
	{ "qcom,kryo", 0xF0205, true },
	{ "qcom,kryo", 0xF0211, true },
};

static bool is_promised(const struct pcs_core *core)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(promised); i++)
		if (!strcmp(core->compatible, promised[i].compatible))
			return true;
	return false;
}

static void test_cores(void **state)
{
	static const char a76[] = "arm,cortex-a76";
	const struct pcs_core *core;
	unsigned int n, i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(promised); i++) {
		const char *compatible = promised[i].compatible;

		core = pcs_match_core(compatible, strlen(compatible) + 1);
		assert_non_null(core);
		assert_string_equal(core->compatible, compatible);
	}
	assert_null(pcs_match_core(a76, sizeof(a76)));

	for (n = 0; (core = pcs_core(n)); n++)
		assert_true(is_promised(core));
}

/* What the AMBA bus has read of a CoreSight component */
struct component {
	u32 id, devarch, devtype;
};

static const struct component a_debug_block = { .devarch = 0x47706A15, .devtype = 0x15 };

/* As amba_lookup() of Linux looks for it in a driver's table */
static bool is_offered(const struct component *c)
{
	const struct amba_id *row;

	for (row = pcs_amba_ids; row->mask; row++) {
		const struct amba_cs_uci_id *uci = row->data;

		if ((c->id & row->mask) != row->id)
			continue;
		if (!uci || !uci->devarch_mask)
			return true;
		if (c->devtype == uci->devtype && (c->devarch & uci->devarch_mask) == uci->devarch)
			return true;
	}
	return false;
}

/* Every ID there is, of a component's first revision and of its last one */
static void test_amba_ids(void **state)
{
	unsigned int i;
	u32 id;

	(void)state;
	for (id = 0; id <= 0xFFFFF; id++) {
		struct component c = a_debug_block;
		bool expected = false;

		for (i = 0; i < ARRAY_SIZE(promised); i++)
			expected |= promised[i].id == id;
		c.id = id;
		assert_int_equal(is_offered(&c), expected);
		c.id = id | 0xFFF00000;
		assert_int_equal(is_offered(&c), expected);
	}
}

/* Only the version of the architecture, DEVARCH[19:12], may be another. */
static void test_amba_components(void **state)
{
	static const struct component others[] = {
		{ .devarch = 0x47702A16, .devtype = 0x16 },	/* PMU */
		{ .devarch = 0x47704A13, .devtype = 0x13 },	/* trace unit */
		{ .devarch = 0x47701A14, .devtype = 0x14 },	/* cross-trigger interface */
		{ .devarch = 0x47706A15, .devtype = 0x16 },
		{ .devarch = 0x47702A16, .devtype = 0x15 },
		{ .devarch = 0, .devtype = 0x15 },
		{ .devarch = 0, .devtype = 0 },
	};
	unsigned int i, j, bit;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(promised); i++) {
		for (j = 0; j < ARRAY_SIZE(others); j++) {
			struct component c = others[j];

			c.id = promised[i].id;
			assert_int_equal(is_offered(&c), !promised[i].shared);
		}
		for (bit = 0; bit < 32; bit++) {
			struct component c = a_debug_block;

			c.id = promised[i].id;
			c.devarch ^= 1U << bit;
			assert_int_equal(is_offered(&c),
					 !promised[i].shared || (bit >= 12 && bit < 20));
		}
		for (bit = 0; bit < 8; bit++) {
			struct component c = a_debug_block;

			c.id = promised[i].id;
			c.devtype ^= 1U << bit;
			assert_int_equal(is_offered(&c), !promised[i].shared);
		}
	}
}

/* Also those with Arm's cores */
static void test_qualcomm(void **state)
{
	static const char db410c[] = "qcom,apq8016-sbc\0qcom,apq8016";
	static const char phone[] = "xiaomi,wt86047\0qcom,msm8916";
	static const char others[] = "acme,qcom,thing\0rockchip,rk3399";

	(void)state;
	assert_true(pcs_match_qualcomm(db410c, sizeof(db410c)));
	assert_true(pcs_match_qualcomm(phone, sizeof(phone)));
	assert_false(pcs_match_qualcomm(phone, sizeof(phone) - 1));
	assert_false(pcs_match_qualcomm(others, sizeof(others)));
	assert_false(pcs_match_qualcomm(NULL, 0));
}

static void test_socs(void **state)
{
	static const char hikey960[] = "hisilicon,hi3660-hikey960\0hisilicon,hi3660";
	static const char hikey[] = "hisilicon,hi6220-hikey\0hisilicon,hi6220";
	static const char rock[] = "radxa,rockpi4\0rockchip,rk3399";

	(void)state;
	assert_true(pcs_match_soc(hikey960, sizeof(hikey960))->refused);
	assert_false(pcs_match_soc(hikey, sizeof(hikey))->refused);
	assert_null(pcs_match_soc(rock, sizeof(rock)));
	/* As they are in memory: no NUL if all characters are used */
	assert_true(pcs_match_oem("CIXTEKSKY1EDK2", "SKY1EDK2\1\1")->refused);
	assert_null(pcs_match_oem("CIXTEK", "SKY2EDK2"));
	assert_null(pcs_match_oem("BOCHS ", "BXPC    "));
	assert_null(pcs_match_oem("", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_node_without_end),
		cmocka_unit_test(test_cores),
		cmocka_unit_test(test_amba_ids),
		cmocka_unit_test(test_amba_components),
		cmocka_unit_test(test_qualcomm),
		cmocka_unit_test(test_socs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
