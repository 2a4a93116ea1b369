// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of each reason.
 */
#include <arch-model/why-text.h>

#include "test.h"

static unsigned int length(const char *text)
{
	unsigned int n = 0;

	while (text[n])
		n++;
	return n;
}

static void test_each_reason(void)
{
	char text[160];
	unsigned int why, n;

	for (why = AM_WHY_NONE + 1; why < AM_WHY_COUNT; why++) {
		n = am_why_print(am_verdict_of(0, why, 17), text, sizeof(text));
		EXPECT(n >= 7 && n <= 90, "reason %u: %u characters", why, n);
		EXPECT(n == length(text), "reason %u: not ended", why);
		EXPECT(length(am_why_rule(why)) >= 4, "reason %u: no rule", why);
	}
	EXPECT_EQ(am_why_print(am_verdict(0, AM_WHY_NONE), text, sizeof(text)), 0, "no reason");
	EXPECT(am_same_text(text, ""), "text without a reason");
	EXPECT(am_same_text(am_why_rule(AM_WHY_NONE), ""), "rule without a reason");
}

static void test_print(void)
{
	struct am_verdict cap = am_verdict_of(0, AM_WHY_CAP_EL2, 10);
	struct am_verdict state = am_verdict_of(0, AM_WHY_PCS_STATE_ENABLED, PCS_STATE_REALM);
	char text[80];
	unsigned int n;

	EXPECT_EQ(am_why_print(cap, text, sizeof(text)), 20, "length");
	EXPECT(am_same_text(text, "MDCR_EL2.PMSSE is 10"), "text: %s", text);
	EXPECT(am_same_text(am_why_rule(AM_WHY_CAP_EL2), "Table D13-10"), "rule");
	cap.detail = 0;
	am_why_print(cap, text, sizeof(text));
	EXPECT(am_same_text(text, "MDCR_EL2.PMSSE is 0"), "text: %s", text);
	am_why_print(state, text, sizeof(text));
	EXPECT(am_same_text(text, "the authentication interface enables it for Realm state"),
	       "text: %s", text);

	state.detail = PCS_STATE_ROOT;
	am_why_print(state, text, sizeof(text));
	EXPECT(am_same_text(text, "the authentication interface enables it for Root state"),
	       "text: %s", text);
	state.detail = PCS_STATE_SECURE;
	am_why_print(state, text, sizeof(text));
	EXPECT(am_same_text(text, "the authentication interface enables it for Secure state"),
	       "text: %s", text);
	state.detail = PCS_STATE_NONSECURE;
	am_why_print(state, text, sizeof(text));
	EXPECT(am_same_text(text, "the authentication interface enables it for Non-secure state"),
	       "text: %s", text);

	/* Too little room: the text is cut and terminated, and the full length is returned */
	for (n = 0; n < 20; n++) {
		text[n] = 'x';
		EXPECT_EQ(am_why_print(cap, text, n), 19, "length");
		EXPECT_EQ(text[n], 'x', "written behind the end");
		if (n)
			EXPECT_EQ(length(text), n - 1, "length of a cut text");
	}

	/* No such reason: no text, and no crash */
	EXPECT_EQ(am_why_print(am_verdict(0, (enum am_why)AM_WHY_COUNT), text, 8), 0, "beyond");
	EXPECT_EQ(am_why_print(am_verdict(0, (enum am_why)-1), text, 8), 0, "below");
	EXPECT(am_same_text(am_why_rule((enum am_why)AM_WHY_COUNT), ""), "rule beyond");
}

const struct am_test am_tests_why[] = {
	{ "each reason has a text", test_each_reason, 669 },
	{ "printing a reason", test_print, 70 },
	{ NULL, NULL, 0 },
};
