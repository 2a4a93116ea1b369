/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Framework of the model's tests. The same files are compiled on the host (test/main.c, TAP) and in
 * the kernel (kunit/arch-model-kunit.c, KTAP), so they include only this header.
 */
#ifndef ARCH_MODEL_TEST_H
#define ARCH_MODEL_TEST_H

#include <arch-model/pe.h>
#include <arch-model/types.h>

/**
 * struct am_test - one test
 * @name: what it shows
 * @run: runs it
 * @points: number of comparisons that it makes. The test fails if it makes more or fewer, so that
 *     no row or combination is dropped unnoticed.
 */
struct am_test {
	const char *name;
	void (*run)(void);
	unsigned long points;
};

extern const struct am_test am_tests_pcsr[];
extern const struct am_test am_tests_pcsr_registers[];
extern const struct am_test am_tests_pcs_identify[];
extern const struct am_test am_tests_linux_sample[];
extern const struct am_test am_tests_layout[];
extern const struct am_test am_tests_trbe[];
extern const struct am_test am_tests_trbe_buffer[];
extern const struct am_test am_tests_profexc[];
extern const struct am_test am_tests_pmu[];
extern const struct am_test am_tests_pmu_count[];
extern const struct am_test am_tests_why[];
extern const struct am_test am_tests_table_rows[];
extern const struct am_test am_tests_states[];

#ifndef __printf
#define __printf(format, first)	__attribute__((__format__(printf, format, first)))
#endif

/* Print one line about a difference; further ones of the same test are only counted */
__printf(3, 4) void am_test_fail(const char *file, int line, const char *format, ...);

/* Failures and points of the running test */
extern unsigned long am_test_failures;
extern unsigned long am_test_points;

/* One comparison */
#define EXPECT(condition, ...)						\
	do {								\
		am_test_points++;					\
		if (!(condition))					\
			am_test_fail(__FILE__, __LINE__, __VA_ARGS__);	\
	} while (0)

/* Check a condition that does not compare the model with another source */
#define REQUIRE(condition, ...)						\
	do {								\
		if (!(condition))					\
			am_test_fail(__FILE__, __LINE__, __VA_ARGS__);	\
	} while (0)

#define EXPECT_EQ(a, b, what)						\
	do {								\
		unsigned long long eq_a = (a), eq_b = (b);		\
									\
		EXPECT(eq_a == eq_b, "%s: %#llx, expected %#llx", what, eq_a, eq_b); \
	} while (0)

/* Are two texts the same? */
static inline bool am_same_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

/* A fixed pseudo-random sequence (splitmix64) */
static inline u64 am_random(u64 *state)
{
	u64 z = (*state += 0x9E3779B97F4A7C15ULL);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
	return z ^ (z >> 31);
}

/* Enumeration of PE states */

/**
 * struct am_pe_walk - all states of PEs with different Exception levels and Security states
 * @pe: the current state: feat, scr_el3, hcr_el2, el and aa32 vary
 * @possible: can a PE be in this state?
 * @step: private
 */
struct am_pe_walk {
	struct am_pe pe;
	bool possible;
	unsigned int step;
};

/* Go to the first or next state; false after the last. Start with *walk zeroed. */
bool am_pe_next(struct am_pe_walk *walk);

#endif /* ARCH_MODEL_TEST_H */
