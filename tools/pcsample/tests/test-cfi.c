// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expressions of call frame information: DWARF 5, 2.5.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "symbols/cfi.h"

#define CFA	0x2000
#define STACK	0x1008		/* the one address with memory */

#define LIT(value)		{ .atom = DW_OP_lit0 + (value) }
#define OP(name)		{ .atom = DW_OP_##name }
#define OP_OF(name, value)	{ .atom = DW_OP_##name, .number = (value) }
#define OP_AT(name, at)		{ .atom = DW_OP_##name, .offset = (at) }
#define JUMP_AT(name, at, by)	{ .atom = DW_OP_##name, .number = (by), .offset = (at) }

static bool read_memory(void *ctx, u64 addr, unsigned int size, u64 *value)
{
	const u64 memory = 0x1122334455667788;

	assert_in_range(size, 1, sizeof(memory));
	*value = 0;
	memcpy(value, &memory, size);
	return addr == STACK;
}

/* Register 7 is 0x1000, register 31 is 0x3000, and no other is known */
static bool compute(const Dwarf_Op *ops, size_t nr, bool has_cfa, u64 *result, bool *is_value)
{
	const struct cfi_rule rule = { .kind = CFI_EXPRESSION, .ops = ops, .nr_ops = nr };
	const u64 reg[CFI_REGS_MAX] = { [7] = 0x1000, [31] = 0x3000 }, cfa = CFA;

	return cfi_compute(&rule, reg, 1ULL << 31 | 1 << 7, has_cfa ? &cfa : NULL, read_memory,
			   NULL, result, is_value);
}

static void gives(u64 expected, const Dwarf_Op *ops, size_t nr)
{
	bool is_value;
	u64 result;

	if (!compute(ops, nr, true, &result, &is_value))
		fail_msg("operation 0x%x: no result", ops[nr - 1].atom);
	if (result != expected || is_value)
		fail_msg("operation 0x%x: 0x%llx, expected 0x%llx", ops[nr - 1].atom,
			 (unsigned long long)result, (unsigned long long)expected);
}

static void fails(const Dwarf_Op *ops, size_t nr)
{
	bool is_value;
	u64 result;

	if (compute(ops, nr, true, &result, &is_value))
		fail_msg("operation 0x%x: 0x%llx, expected none", ops[nr - 1].atom,
			 (unsigned long long)result);
}

#define LIST(...)		((const Dwarf_Op[]){ __VA_ARGS__ })
#define GIVES(expected, ...)	gives(expected, LIST(__VA_ARGS__), ARRAY_SIZE(LIST(__VA_ARGS__)))
#define FAILS(...)		fails(LIST(__VA_ARGS__), ARRAY_SIZE(LIST(__VA_ARGS__)))

static void test_two_values(void **state)
{
	static const struct {
		u8 atom;
		s64 a, b, result;
	} cases[] = {
		{ DW_OP_plus, -10, 3, -7 },	{ DW_OP_minus, -10, 3, -13 },
		{ DW_OP_mul, -10, 3, -30 },	{ DW_OP_and, -10, 3, 2 },
		{ DW_OP_or, -10, 3, -9 },	{ DW_OP_xor, -10, 3, -11 },
		{ DW_OP_shl, -10, 3, -80 },	{ DW_OP_shr, -10, 3, 0x1ffffffffffffffe },
		{ DW_OP_shra, -10, 3, -2 },
		{ DW_OP_shl, 1, 63, INT64_MIN },	{ DW_OP_shl, 1, 64, 0 },
		{ DW_OP_shr, INT64_MIN, 63, 1 },	{ DW_OP_shr, INT64_MIN, 64, 0 },
		{ DW_OP_shra, INT64_MIN, 62, -2 },	{ DW_OP_shra, INT64_MIN, 64, -1 },
		{ DW_OP_eq, -1, 1, 0 },	{ DW_OP_eq, 1, 1, 1 },
		{ DW_OP_ne, -1, 1, 1 },	{ DW_OP_ne, 1, 1, 0 },
		{ DW_OP_lt, -1, 1, 1 },	{ DW_OP_lt, 1, 1, 0 },	{ DW_OP_lt, 1, -1, 0 },
		{ DW_OP_le, -1, 1, 1 },	{ DW_OP_le, 1, 1, 1 },	{ DW_OP_le, 1, -1, 0 },
		{ DW_OP_gt, -1, 1, 0 },	{ DW_OP_gt, 1, 1, 0 },	{ DW_OP_gt, 1, -1, 1 },
		{ DW_OP_ge, -1, 1, 0 },	{ DW_OP_ge, 1, 1, 1 },	{ DW_OP_ge, 1, -1, 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		GIVES(cases[i].result, OP_OF(consts, cases[i].a), OP_OF(consts, cases[i].b),
		      { .atom = cases[i].atom });
		FAILS(LIT(1), { .atom = cases[i].atom });
	}
}

static void test_order_of_values(void **state)
{
	GIVES(9, LIT(3), OP(dup), OP(mul));
	GIVES(3, LIT(3), LIT(4), OP(drop));
	GIVES(-3, LIT(5), LIT(2), OP(over), OP(minus));
	GIVES(5, LIT(4), LIT(5), LIT(6), OP_OF(pick, 1));
	GIVES(4, LIT(4), LIT(5), LIT(6), OP_OF(pick, 2));
	GIVES(-3, LIT(5), LIT(2), OP(swap), OP(minus));
	/* 1 2 3 become 3 1 2 */
	GIVES(2, LIT(1), LIT(2), LIT(3), OP(rot));
	GIVES(3 * (1 - 2), LIT(1), LIT(2), LIT(3), OP(rot), OP(minus), OP(mul));
	FAILS(OP(dup));
	FAILS(LIT(1), OP(over));
	FAILS(LIT(1), OP_OF(pick, 1));
	FAILS(LIT(1), OP(swap));
	FAILS(LIT(1), LIT(2), OP(rot));
	FAILS(LIT(1), OP(drop));
}

static void test_one_value(void **state)
{
	GIVES(-5, LIT(5), OP(neg));
	GIVES(~5ULL, LIT(5), OP(not));
	GIVES(5, LIT(5), OP(abs));
	GIVES(5, LIT(5), OP(neg), OP(abs));
	GIVES(5 + 1000, LIT(5), OP_OF(plus_uconst, 1000));
	GIVES(5, LIT(5), OP(nop));
	FAILS(OP(neg));
	FAILS(OP_OF(plus_uconst, 1000));
}

static void test_sources(void **state)
{
	static const u8 constants[] = {
		DW_OP_addr, DW_OP_const1u, DW_OP_const1s, DW_OP_const2u, DW_OP_const2s,
		DW_OP_const4u, DW_OP_const4s, DW_OP_const8u, DW_OP_const8s, DW_OP_constu,
		DW_OP_consts,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(constants); i++)
		GIVES(77, { .atom = constants[i], .number = 77 });
	GIVES(31, LIT(31));
	GIVES(0x1008, OP_OF(breg7, 8));
	GIVES(0xff8, { .atom = DW_OP_bregx, .number = 7, .number2 = -8 });
	GIVES(0x3000, OP(breg31));
	FAILS(LIT(1), OP(breg6));
	FAILS(LIT(1), OP_OF(bregx, CFI_REGS_MAX));
	FAILS(LIT(1), OP_OF(bregx, 256 + 7));
	GIVES(0x1122334455667788, OP_OF(breg7, 8), OP(deref));
	GIVES(0x55667788, OP_OF(breg7, 8), OP_OF(deref_size, 4));
	GIVES(0x1122334455667788, OP_OF(breg7, 8), OP_OF(deref_size, 8));
	FAILS(OP(breg7), OP(deref));
	FAILS(OP_OF(breg7, 8), OP_OF(deref_size, 0));
	FAILS(OP_OF(breg7, 8), OP_OF(deref_size, 9));
	FAILS(OP(deref));
	FAILS(LIT(1), LIT(2), OP(form_tls_address));
}

static void test_address_of_the_frame(void **state)
{
	const Dwarf_Op cfa[] = { LIT(1), OP(call_frame_cfa) };
	bool is_value;
	u64 result;

	GIVES(CFA, OP(call_frame_cfa));
	/* The CFA does not depend on itself */
	assert_false(compute(cfa, 2, false, &result, &is_value));
}

static void test_value_or_address(void **state)
{
	const Dwarf_Op ops[] = { LIT(3), OP(stack_value) };
	bool is_value = false;
	u64 result;

	assert_true(compute(ops, 2, true, &result, &is_value));
	assert_true(is_value && result == 3);
	assert_true(compute(ops, 1, true, &result, &is_value));
	assert_false(is_value);
}

/* The operand counts bytes from the end of the branch */
static void test_branches(void **state)
{
	GIVES(1 + 3, OP_AT(lit1, 0), JUMP_AT(skip, 1, 1), OP_AT(lit2, 4), OP_AT(lit3, 5),
	      OP_AT(plus, 6));
	GIVES(1 + 3, OP_AT(lit1, 0), OP_AT(lit1, 1), JUMP_AT(bra, 2, 1), OP_AT(lit2, 5),
	      OP_AT(lit3, 6), OP_AT(plus, 7));
	GIVES(2 + 3, OP_AT(lit1, 0), OP_AT(lit0, 1), JUMP_AT(bra, 2, 1), OP_AT(lit2, 5),
	      OP_AT(lit3, 6), OP_AT(plus, 7));
	/* Five rounds: 100 + 5 + 4 + 3 + 2 + 1 */
	GIVES(115, OP_OF(const1u, 100), OP_AT(lit5, 2), OP_AT(swap, 3), OP_AT(over, 4),
	      OP_AT(plus, 5), OP_AT(swap, 6), OP_AT(lit1, 7), OP_AT(minus, 8), OP_AT(dup, 9),
	      JUMP_AT(bra, 10, -10), OP_AT(drop, 13));
	FAILS(OP_AT(lit1, 0), JUMP_AT(skip, 1, -3));
	FAILS(OP_AT(lit1, 0), OP_AT(dup, 1), JUMP_AT(bra, 2, -4));
	FAILS(JUMP_AT(bra, 0, 0));
}

static void test_depth(void **state)
{
	Dwarf_Op ops[65] = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i].atom = DW_OP_lit9;
	gives(9, ops, 64);
	fails(ops, 65);
	fails(ops, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_values),
		cmocka_unit_test(test_order_of_values),
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_address_of_the_frame),
		cmocka_unit_test(test_value_or_address),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests_name("cfi", tests, NULL, NULL);
}
