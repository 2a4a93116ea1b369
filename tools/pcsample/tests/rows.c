// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "symbols/load.h"
#include "tests/rows.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *print_rows(struct session *s)
{
	char name[REPORT_TEXT_MAX], comm[REPORT_TEXT_MAX], *text = calloc(1, 1), **lines;
	const struct hist_entry *e;
	struct aggregate a;
	struct place p;
	struct report r;
	size_t i, n;

	assert_int_equal(aggregate_run(&a, s, BY_COMM | BY_DSO | BY_SYM | BY_ADDR, NULL, NULL), 0);
	assert_int_equal(report_init(&r, s, &a, -1, NULL, true), 0);
	lines = calloc(r.nr + 1, sizeof(*lines));
	for (i = 0, n = 1; i < r.nr; i++) {
		e = report_entry(&r, i);
		aggregate_place(&a.hist, e->key, &p);
		n += asprintf(&lines[i], "%s %s %s %d\n", report_comm(s, &p, comm),
			      s->dsos.dso[p.dso]->name, report_symbol(&r, &p, name),
			      (int)report_counts(&r, i)->count);
	}
	qsort(lines, r.nr, sizeof(*lines), by_text);
	text = realloc(text, n);
	for (i = 0; i < r.nr; i++) {
		strcat(text, lines[i]);
		free(lines[i]);
	}
	free(lines);
	report_deinit(&r);
	aggregate_deinit(&a);
	return text;
}

char *rows_of(const char *path, unsigned int threads, char *damage, size_t size)
{
	struct session_options options = { .threads = threads };
	struct error err = { "" };
	struct session *s;
	char *text;

	if (session_open(&s, path, &options, &err)) {
		assert_true(err.text[0]);
		if (!damage)
			fail_msg("%s", err.text);
		snprintf(damage, size, "%s", err.text);
		return NULL;
	}
	text = print_rows(s);
	if (damage)
		snprintf(damage, size, "%s", s->pd->damage.text);
	else
		assert_string_equal(s->pd->damage.text, "");
	session_close(s);
	return text;
}

void assert_rows(const struct mkdata *m, const char *expected)
{
	size_t size;
	u8 *p = mkdata_file(m, &size);
	char *rows = rows_of(mkdata_write(p, size), 1, NULL, 0);

	assert_string_equal(rows, expected);
	free(rows);
	/* The same again, from the pipe form and with two threads */
	free(p);
	p = mkdata_pipe(m, &size);
	rows = rows_of(mkdata_write(p, size), 2, NULL, 0);
	assert_string_equal(rows, expected);
	free(rows);
	free(p);
}

static char *problems(const struct mkdata *m)
{
	struct session_options options = { .threads = 1 };
	char *text = calloc(1, 1), *more;
	struct session *s;
	size_t size, i;
	u8 *p = mkdata_file(m, &size);

	assert_int_equal(session_open(&s, mkdata_write(p, size), &options, NULL), 0);
	for (i = 0; i < s->dsos.nr; i++) {
		dso_load(&s->dsos, s->dsos.dso[i]);
		assert_true(asprintf(&more, "%s%s", text, dso_problem(s->dsos.dso[i])) >= 0);
		free(text);
		text = more;
	}
	session_close(s);
	free(p);
	return text;
}

void assert_no_problems(const struct mkdata *m)
{
	char *text = problems(m);

	assert_string_equal(text, "");
	free(text);
}

void assert_problem(const struct mkdata *m, const char *problem)
{
	char *text = problems(m);

	if (!strstr(text, problem))
		fail_msg("'%s' does not have '%s'", text, problem);
	free(text);
}
