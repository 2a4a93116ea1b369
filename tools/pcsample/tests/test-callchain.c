// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call chains: which symbol each address belongs to, in valid and invalid chains.
 */
#include "profile/callchain.h"
#include "profile/samples.h"
#include "profile/stacks.h"
#include "tests/chain.h"
#include "tests/mkdata.h"
#include "tests/unit.h"

#define KERNEL		0xffff800080000000ULL
#define CODE		0x10000ULL
#define DEFERRED	((u64)-640)

#define CHAIN_TYPE (MKDATA_TYPE | PERF_SAMPLE_CALLCHAIN)

static struct mkdata m;
static char kallsyms[sizeof(temp_dir) + 16];

static int setup(void **state)
{
	if (temp_setup(state))
		return -1;
	/* Functions of 0x100 bytes; in user space a gap follows the first one */
	temp_text("kallsyms", "ffff800080000000 T k0\nffff800080000100 T k1\n"
			      "ffff800080000200 T k2\nffff800080000300 T _end\n");
	temp_text("tmp/perf-10.map", "10000 100 u0\n10200 100 u2\n10300 100 u3\n");
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", temp_dir);
	mkdata_init(&m, CHAIN_TYPE);
	mkdata_kernel(&m, KERNEL, 0x100000, KERNEL, "[kernel.kallsyms]_text", 0);
	mkdata_comm(&m, 10, 10, "prog", 0, false);
	mkdata_mmap(&m, 10, CODE, 0x10000, 0, "//anon", 0);
	return 0;
}

static int teardown(void **state)
{
	mkdata_deinit(&m);
	return temp_teardown(state);
}

static void add(u16 misc, u64 ip, const u64 *chain, u64 nr)
{
	static u64 time;
	const struct mkdata_sample s = {
		.ip = ip, .pid = 10, .tid = 10, .time = ++time, .misc = misc, .chain = chain,
		.nr_chain = nr,
	};

	mkdata_sample(&m, &s);
}

struct text {
	struct session *s;
	struct callchain chain;
	char *p, buf[4096];
};

/* "k1 u0-1 ?": the symbols from the first caller on; -1 for a return address, ? for no symbol */
static int print_chain(void *ctx, const struct sample_seen *sample)
{
	struct text *t = ctx;
	const struct callchain_frame *f;
	size_t i;

	assert_int_equal(callchain_find(&t->chain, t->s, sample->resolver, &sample->event->layout,
					sample->rec, &sample->x), 0);
	for (i = t->chain.caller; i < t->chain.nr; i++) {
		f = &t->chain.frame[i];
		t->p += sprintf(t->p, "%s%s%s", i > t->chain.caller ? " " : "",
				f->sym == SYM_NONE ? "?" :
				symtab_name(&t->s->dsos.dso[f->dso]->symtab, f->sym),
				f->back ? "-1" : "");
	}
	*t->p++ = '\n';
	*t->p = '\0';
	return 0;
}

static void open_recording(struct session **s)
{
	struct session_options options = {
		.symfs = temp_dir, .kallsyms = kallsyms, .threads = 1,
	};
	struct error err = { "" };
	size_t size;
	u8 *p = mkdata_file(&m, &size);

	temp_write("perf.data", p, size);
	free(p);
	snprintf(err.text, sizeof(err.text), "%s/perf.data", temp_dir);
	assert_int_equal(session_open(s, err.text, &options, &err), 0);
}

static void assert_chains(const char *expected)
{
	struct text t = { .p = t.buf };

	open_recording(&t.s);
	assert_true(callchain_recorded(&t.s->pd->events[0]));
	assert_int_equal(each_sample(t.s, 0, NULL, print_chain, &t), 0);
	callchain_deinit(&t.chain);
	session_close(t.s);
	assert_string_equal(t.buf, expected);
}

#define ADD(misc, ip, ...) do {						\
		const u64 chain_[] = { __VA_ARGS__ };			\
		add(misc, ip, chain_, ARRAY_SIZE(chain_));		\
	} while (0)

#define USER	PERF_RECORD_MISC_USER
#define IN_KERNEL PERF_RECORD_MISC_KERNEL

static void test_contexts(void **state)
{
	/* Neither the sample's address nor that where the kernel was entered is a return address */
	ADD(USER, CODE + 0x10, PERF_CONTEXT_USER, CODE + 0x10, CODE + 0x210);
	ADD(IN_KERNEL, KERNEL + 0x10, PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x210,
	    PERF_CONTEXT_USER, CODE + 0x200, CODE + 0x310);
	/* A sample in the kernel with only the user's part of the chain: all of it is callers */
	ADD(IN_KERNEL, KERNEL + 0x10, PERF_CONTEXT_USER, CODE + 0x10, CODE + 0x210);
	/* Without a marker, addresses are the user's */
	ADD(USER, CODE + 0x10, CODE + 0x10, CODE + 0x210);
	/* Recursion */
	ADD(USER, CODE + 0x10, PERF_CONTEXT_USER, CODE + 0x10, CODE + 0x10, CODE + 0x10);
	assert_chains("u2-1\n"
		      "k2-1 u2 u3-1\n"
		      "u0 u2-1\n"
		      "u2-1\n"
		      "u0-1 u0-1\n");
}

static void test_returns(void **state)
{
	/* A return address may be the end of a function and so the first address of the next one */
	ADD(IN_KERNEL, KERNEL, PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 0x100, KERNEL + 0x200);
	ADD(USER, CODE, PERF_CONTEXT_USER, CODE, CODE + 0x300, CODE + 0x100);
	/* A return address where code starts after a gap: a signal handler's return */
	ADD(USER, CODE, PERF_CONTEXT_USER, CODE, CODE + 0x200, CODE + 0x310);
	/* Where code was interrupted, nothing is subtracted */
	ADD(IN_KERNEL, KERNEL + 0x100, PERF_CONTEXT_KERNEL, KERNEL + 0x100, PERF_CONTEXT_USER,
	    CODE + 0x300);
	/* Addresses that are not code */
	ADD(USER, CODE, PERF_CONTEXT_USER, CODE, 0, CODE + 0x150, 0x5000);
	assert_chains("k0-1 k1-1\n"
		      "u2-1 u0-1\n"
		      "u2 u3-1\n"
		      "u3\n"
		      "? ?-1 ?-1\n");
}

static void test_unknown_contexts(void **state)
{
	/* After a marker of later kernels, addresses are unknown until a known marker */
	ADD(USER, CODE, PERF_CONTEXT_USER, CODE, (u64)-3000, CODE + 0x10, PERF_CONTEXT_USER,
	    CODE + 0x210);
	/* The number that stands for a deferred chain is not an address */
	ADD(IN_KERNEL, KERNEL, PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 0x110, DEFERRED, CODE + 0x10);
	ADD(USER, CODE, DEFERRED, CODE);
	/* Chains of markers alone, with a marker at the end, and an empty one */
	ADD(USER, CODE, PERF_CONTEXT_USER, PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER);
	ADD(USER, CODE, PERF_CONTEXT_USER, CODE, CODE + 0x210, PERF_CONTEXT_MAX, ~0ULL);
	add(USER, CODE, NULL, 0);
	/* There are no symbols of guests and hypervisors */
	ADD(USER, CODE, PERF_CONTEXT_USER, CODE, PERF_CONTEXT_GUEST_KERNEL, KERNEL,
	    PERF_CONTEXT_HV, KERNEL, PERF_CONTEXT_GUEST, CODE, PERF_CONTEXT_GUEST_USER, CODE);
	assert_chains("? u2\n"
		      "k1-1\n"
		      "\n"
		      "\n"
		      "u2-1\n"
		      "\n"
		      "? ? ? ?\n");
}

/* The count is larger than the record */
static void test_damaged_counts(void **state)
{
	static const u64 counts[] = { 3, 4, 8190, 1ULL << 32, 1ULL << 61, ~0ULL };
	const u64 chain[] = { PERF_CONTEXT_USER, CODE, CODE + 0x210 };
	char expected[64] = "u2-1\n";
	size_t at, i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		at = m.size;
		add(USER, CODE, chain, ARRAY_SIZE(chain));
		at = m.size - at;
		memcpy(m.data + m.size - sizeof(chain) - 8, &counts[i], 8);
		assert_true(at > sizeof(chain) + 8);
		if (i)
			strcat(expected, "\n");
	}
	assert_chains(expected);
}

/* Random addresses: each frame has an existing DSO, and each stack is as deep as its chain */
#define RANDOM_SAMPLES	300
#define RANDOM_MAX	8000

static u64 random_address(void)
{
	static const u64 near[] = { 0, CODE, KERNEL, PERF_CONTEXT_MAX, -640, -512, -128 };
	u64 n = near[(size_t)(chain_uniform() * ARRAY_SIZE(near))];

	if (chain_uniform() < 0.1)
		return n;
	if (chain_uniform() < 0.1)
		return chain_uniform() * 0x1p64;
	return n + chain_uniform() * 0x400;
}

struct random {
	struct session *s;
	struct callchain chain;
	struct stacks stacks;
	unsigned int samples;
};

static int take_random(void *ctx, const struct sample_seen *sample)
{
	struct random *r = ctx;
	const u32 *path;
	size_t depth, i;
	u32 node;
	u64 nr;

	assert_non_null(sample_callchain(&sample->event->layout, sample->rec, &nr));
	assert_int_equal(callchain_find(&r->chain, r->s, sample->resolver, &sample->event->layout,
					sample->rec, &sample->x), 0);
	assert_true(r->chain.nr <= nr && r->chain.caller <= r->chain.nr);
	for (i = 0; i < r->chain.nr; i++) {
		assert_true(r->chain.frame[i].dso < r->s->dsos.nr);
		assert_true(r->chain.frame[i].ip < PERF_CONTEXT_MAX);
	}
	assert_int_equal(stacks_add(&r->stacks, sample, &node), 0);
	path = stacks_path(&r->stacks, node, &depth);
	assert_int_equal(depth, 2 + r->chain.nr - r->chain.caller);
	assert_int_equal(path[depth - 1], node);
	r->samples++;
	return 0;
}

static void test_random_chains(void **state)
{
	u64 *chain = malloc(RANDOM_MAX * sizeof(*chain)), nr, k;
	struct random r = { 0 };
	unsigned int i;

	assert_non_null(chain);
	for (i = 0; i < RANDOM_SAMPLES; i++) {
		nr = i ? chain_uniform() * (i % 10 ? 50 : RANDOM_MAX) : RANDOM_MAX;
		for (k = 0; k < nr; k++)
			chain[k] = random_address();
		add(i % 2 ? USER : IN_KERNEL, i % 2 ? CODE : KERNEL, chain, nr);
	}
	free(chain);
	open_recording(&r.s);
	stacks_init(&r.stacks, r.s, STACK_PROCESS, true, true, true);
	assert_int_equal(each_sample(r.s, 0, NULL, take_random, &r), 0);
	assert_int_equal(r.samples, RANDOM_SAMPLES);
	stacks_deinit(&r.stacks);
	callchain_deinit(&r.chain);
	session_close(r.s);
}

/* The same addresses have different callers, by the address space of the thread */
static void test_address_spaces(void **state)
{
	const u64 chain[] = { PERF_CONTEXT_USER, CODE, CODE + 0x210 };
	struct mkdata_sample s = {
		.ip = CODE, .chain = chain, .nr_chain = ARRAY_SIZE(chain),
	};
	char expected[1024] = "";
	unsigned int i;

	temp_text("tmp/perf-11.map", "10000 400 other\n");
	mkdata_comm(&m, 11, 11, "other", 0, false);
	mkdata_mmap(&m, 11, CODE, 0x10000, 0, "//anon", 0);
	/* More samples than one batch has, so that threads alternate in the resolver */
	for (i = 0; i < 100; i++) {
		s.pid = 10 + i % 3;
		s.tid = s.pid + 64 * (i % 2);
		s.time = 1000 + i;
		mkdata_sample(&m, &s);
		strcat(expected, i % 3 == 0 ? "u2-1\n" : i % 3 == 1 ? "other-1\n" : "?-1\n");
	}
	assert_chains(expected);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_contexts),
		TEST(test_returns),
		TEST(test_unknown_contexts),
		TEST(test_damaged_counts),
		TEST(test_random_chains),
		TEST(test_address_spaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
