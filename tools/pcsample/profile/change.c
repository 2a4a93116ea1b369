// SPDX-License-Identifier: GPL-2.0-only
#include <float.h>
#include <math.h>

#include "base/array.h"
#include "profile/change.h"

/* Distributions */

/*
 * The continued fraction of the incomplete beta function (NIST DLMF 8.17.22), from the front by
 * the modified method of Lentz. It converges fast for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = DBL_MIN;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f, term, step;
	unsigned int m;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (m = 1; m < 1000; m++) {
		term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + term * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + term / c;
		c = fabs(c) < tiny ? tiny : c;
		f *= c * d;
		term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 + term * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + term / c;
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < DBL_EPSILON)
			break;
	}
	return f;
}

/* Regularized incomplete beta function, for a, b > 0 */
static double incomplete_beta(double x, double a, double b)
{
	double front;

	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* P(|T| >= |t|) */
static double student_two_sided(double t, double freedom)
{
	return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/*
 * Two-sided binomial test of k out of n with probability q. n and k need not be whole: the beta
 * function joins the steps of the distribution.
 */
static double binomial_two_sided(double k, double n, double q)
{
	double above = k > 0 ? incomplete_beta(q, k, n - k + 1) : 1;
	double below = k < n ? incomplete_beta(1 - q, n - k, k + 1) : 1;

	return fmin(1, 2 * fmin(above, below));
}

/* Tests */

/* Variance of the count, from its blocks */
static double block_variance(const struct change_side *s)
{
	const double b = CHANGE_BLOCKS;

	return (s->squares - (double)s->count * s->count / b) * b / (b - 1);
}

/* 97.5 % quantile of Student's t with 2 * (CHANGE_BLOCKS - 1) degrees of freedom */
#define T_QUANTILE	1.9990

struct change change_test(const struct change_side *a, const struct change_side *b, double share)
{
	const double freedom = 2 * (CHANGE_BLOCKS - 1);
	double count = (double)a->count + b->count, dispersion, rate, error;
	struct change c = { .p = 1 };

	c.delta = b->count / b->exposure - a->count / a->exposure;
	if (!count)
		return c;
	dispersion = fmax((block_variance(a) + block_variance(b)) / count,
			  fmax(1 - share, DBL_EPSILON));
	/* If there is no change, both have the same variance; at least that of one sample */
	rate = fmax(count, 1) / (a->exposure + b->exposure);
	error = sqrt(dispersion * rate * (1 / a->exposure + 1 / b->exposure));
	c.p = fmax(student_two_sided(c.delta / error, freedom),
		   binomial_two_sided(a->count / dispersion, count / dispersion,
				      a->exposure / (a->exposure + b->exposure)));
	/* The interval does not assume that the rates are equal */
	error = sqrt(dispersion * (fmax(a->count, 1) / (a->exposure * a->exposure) +
				   fmax(b->count, 1) / (b->exposure * b->exposure)));
	c.low = c.delta - T_QUANTILE * error;
	c.high = c.delta + T_QUANTILE * error;
	return c;
}

/* Many tests */

struct ranked {
	double p;
	size_t index;
};

static int compare_ranked(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->p, y = ((const struct ranked *)b)->p;

	return (x > y) - (x < y);
}

int change_holm(double *p, size_t nr)
{
	struct ranked *r = calloc(nr + 1, sizeof(*r));
	double least = 0;
	size_t i;

	if (!r)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		r[i] = (struct ranked){ p[i], i };
	qsort(r, nr, sizeof(*r), compare_ranked);
	for (i = 0; i < nr; i++) {
		least = fmin(1, fmax(least, r[i].p * (nr - i)));
		p[r[i].index] = least;
	}
	free(r);
	return 0;
}
