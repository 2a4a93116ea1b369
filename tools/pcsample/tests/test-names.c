// SPDX-License-Identifier: GPL-2.0-only
/*
 * A name is demangled once, however often it is printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "symbols/names.h"

char *__wrap_demangle(const char *name);

static unsigned int calls;

char *__wrap_demangle(const char *name)
{
	calls++;
	return !strncmp(name, "_Z", 2) ? strdup("plain") : NULL;
}

#define NR_NAMES 100

/* Every other name is mangled */
static void make_dso(struct dso *dso)
{
	char name[16];
	u32 ref;
	int i;

	memset(dso, 0, sizeof(*dso));
	for (i = 0; i < NR_NAMES; i++) {
		sprintf(name, i % 2 ? "_Z%d" : "_plain%d", i);
		assert_int_equal(symtab_own_name(&dso->symtab, name, strlen(name), &ref), 0);
		assert_int_equal(symtab_add(&dso->symtab, 16 * i, 16, 16 * i + 16, ref,
					    SYM_RANK_GLOBAL), 0);
	}
	assert_int_equal(symtab_finish(&dso->symtab), 0);
}

static void test_names_are_made_once(void **state)
{
	struct names names;
	struct dso dso;
	int round, i;

	make_dso(&dso);
	names_init(&names, true);
	calls = 0;
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 10; i++)
			assert_string_equal(names_symbol(&names, &dso, 7, i),
					    i % 2 ? "plain" : symtab_name(&dso.symtab, i));
		/* A name that is not mangled is asked about only once, too */
		assert_int_equal(calls, 10);
	}
	names_deinit(&names);
	names_init(&names, false);
	assert_string_equal(names_symbol(&names, &dso, 7, 1), "_Z1");
	assert_int_equal(calls, 10);
	names_deinit(&names);
	symtab_deinit(&dso.symtab);
}

int main(void)
{
#define TEST(f) cmocka_unit_test(f)
	const struct CMUnitTest tests[] = {
		TEST(test_names_are_made_once),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
