// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay TARGET FILE...: feed files to a target, and each of them cut short and with bytes changed.
 * The changes are the same in every run: some, and at every byte with DAMAGE=all. ONCE=1 in the
 * environment: the files alone, as those that fuzzing kept. Ends by SIGVTALRM if one takes 10 s of
 * CPU time, which fuzzing calls a hang; and with status 1 if a recording takes more memory than
 * MEMORY_TIMES its size.
 */
#include <malloc.h>
#include <stdio.h>
#include <sys/time.h>

#include "tests/fuzz/targets.h"

#define CHANGES		100
#define SECONDS_MAX	10

/* And as much as is taken for a recording of nothing */
#define MEMORY_TIMES	10
#define MEMORY_LEAST	(4 << 20)

/* What is allocated, and the most that was since somebody looked. Sanitizers have their own. */
static size_t held, most_held;

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

static void *took(void *p)
{
	held += malloc_usable_size(p);
	most_held = max(most_held, held);
	return p;
}

void *malloc(size_t size)
{
	return took(__libc_malloc(size));
}

void *calloc(size_t nr, size_t size)
{
	return took(__libc_calloc(nr, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return took(__libc_memalign(alignment, size));
}

void *realloc(void *p, size_t size)
{
	size_t had = malloc_usable_size(p);
	void *grown = __libc_realloc(p, size);

	if (grown || !size)
		held -= had;
	return took(grown);
}

void free(void *p)
{
	held -= malloc_usable_size(p);
	__libc_free(p);
}
#endif

static u8 *read_all(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	u8 *p = malloc(4 << 20);

	if (!f || !p)
		return NULL;
	*size = fread(p, 1, 4 << 20, f);
	fclose(f);
	return p;
}

/* A copy of exactly its size, so that AddressSanitizer sees a read behind it */
static void run_copy(const struct fuzz_target *t, const u8 *p, size_t size)
{
	static const struct itimerval limit = { .it_value = { .tv_sec = SECONDS_MAX } };
	u8 *copy = malloc(size ? size : 1);
	size_t before;

	if (!copy || setitimer(ITIMER_VIRTUAL, &limit, NULL))
		abort();
	memcpy(copy, p, size);
	before = held;
	most_held = held;
	t->run(copy, size);
	if (t->bounded && most_held - before > MEMORY_TIMES * size + MEMORY_LEAST) {
		printf("replay: %zu bytes of memory for %zu\n", most_held - before, size);
		exit(1);
	}
	free(copy);
}

static void run_changed(const struct fuzz_target *t, u8 *p, size_t size, size_t at, u8 value)
{
	u8 was = p[at];

	p[at] = value;
	run_copy(t, p, size);
	p[at] = was;
}

/* A number of 2, 4 or 8 bytes where one may be: how many, how large or where something is */
static void run_claim(const struct fuzz_target *t, u8 *p, size_t size, u64 random)
{
	const u64 claims[] = {
		0, 1, 8, size / 8, size - 1, size, 2 * size, INT16_MAX, UINT16_MAX, INT32_MAX,
		UINT32_MAX, 1ULL << 32, 1ULL << 40, INT64_MAX, 1ULL << 63, UINT64_MAX,
	};
	u64 claim = claims[random % ARRAY_SIZE(claims)], was;
	size_t width = 2 << (random >> 8) % 3, at;

	if (size < width)
		return;
	/* As often in what is before the records */
	at = (random >> 32) % min(size - width + 1, random & 1 << 16 ? (size_t)1024 : size);
	at -= at % width;
	memcpy(&was, p + at, width);
	memcpy(p + at, &claim, width);
	run_copy(t, p, size);
	memcpy(p + at, &was, width);
}

static void replay_all(const struct fuzz_target *t, u8 *p, size_t size)
{
	size_t at;

	for (at = 0; at < size; at++) {
		run_copy(t, p, at);
		run_changed(t, p, size, at, ~p[at]);
		run_changed(t, p, size, at, 0);
		run_changed(t, p, size, at, 0xff);
	}
}

static void replay(const struct fuzz_target *t, u8 *p, size_t size)
{
	u64 random = size;
	unsigned int i;
	size_t at;

	run_copy(t, p, size);
	for (i = 1; size && i < CHANGES; i++) {
		random = hash64(random + i);
		at = (random >> 8) % size;
		if (i % 4 == 0) {
			run_copy(t, p, at);
			continue;
		}
		run_changed(t, p, size, at, i % 4 == 1 ? random : i % 4 == 2 ? 0xff : 0);
		run_claim(t, p, size, random);
	}
}

int main(int argc, char **argv)
{
	const struct fuzz_target *t = fuzz_targets;
	const char *damage = getenv("DAMAGE");
	size_t size;
	int i;
	u8 *p;

	while (t->name && (argc < 3 || strcmp(t->name, argv[1])))
		t++;
	if (!t->name) {
		fprintf(stderr, "usage: replay TARGET FILE...\n");
		return 129;
	}
	for (i = 2; i < argc; i++) {
		p = read_all(argv[i], &size);
		if (!p) {
			fprintf(stderr, "replay: %s: cannot read it\n", argv[i]);
			return 1;
		}
		if (getenv("ONCE"))
			run_copy(t, p, size);
		else
			replay(t, p, size);
		if (damage && !strcmp(damage, "all"))
			replay_all(t, p, size);
		free(p);
	}
	return 0;
}
