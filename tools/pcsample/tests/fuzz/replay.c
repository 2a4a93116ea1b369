// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay TARGET FILE...: feed each file to a target, whole, cut short, and with changed bytes. The
 * changes are the same in every run: some bytes, or every byte with DAMAGE=all. ONCE=1 in the
 * environment feeds only the whole files, for files that fuzzing kept. The program ends by
 * SIGVTALRM if one input takes 10 s of CPU time, which fuzzing calls a hang, and by SIGABRT if a
 * recording takes more memory or time than watch_run() allows.
 */
#include <stdio.h>
#include <sys/time.h>

#include "tests/fuzz/watch.h"

#define CHANGES		100
#define SECONDS_MAX	10

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

/* A copy of exactly @size bytes, so that AddressSanitizer sees a read beyond the end */
static void run_copy(const struct fuzz_target *t, const u8 *p, size_t size)
{
	static const struct itimerval limit = { .it_value = { .tv_sec = SECONDS_MAX } };
	u8 *copy = malloc(size ? size : 1);

	if (!copy || setitimer(ITIMER_VIRTUAL, &limit, NULL))
		abort();
	memcpy(copy, p, size);
	watch_run(t, copy, size);
	free(copy);
}

static void run_changed(const struct fuzz_target *t, u8 *p, size_t size, size_t at, u8 value)
{
	u8 was = p[at];

	p[at] = value;
	run_copy(t, p, size);
	p[at] = was;
}

/* Overwrite 2, 4 or 8 bytes, which may be a count, a size or an offset, by a special value */
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
	/* Every other time in the first KiB, which has the headers */
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
