// SPDX-License-Identifier: GPL-2.0-only
/* Matching of blocks in the device tree: match.c */
#include <stdlib.h>
#include <string.h>

#include "match.h"
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

static void test_cores(void **state)
{
	static const char a72[] = "arm,cortex-a72", a76[] = "arm,cortex-a76";
	const struct pcs_core *core;
	unsigned int n;

	(void)state;
	core = pcs_match_core(a72, sizeof(a72));
	assert_non_null(core);
	assert_int_equal(core->id, 0xBBD08);
	assert_false(core->shared_part);
	assert_null(pcs_match_core(a76, sizeof(a76)));

	for (n = 0; (core = pcs_core(n)); n++) {
		assert_true(core->id && core->id <= PCS_ID_MASK);
		assert_non_null(pcs_match_core(core->compatible, strlen(core->compatible) + 1));
	}
	assert_int_equal(n, 7);
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
		cmocka_unit_test(test_qualcomm),
		cmocka_unit_test(test_socs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
