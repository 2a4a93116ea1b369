// SPDX-License-Identifier: GPL-2.0-only
#include <malloc.h>
#include <stdio.h>
#include <time.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "tests/fuzz/watch.h"

/*
 * Limit of memory: ten times the input and 4 MiB. A recording of one sample takes almost as much,
 * most of it for the table of counts and zstd.
 */
#define MEMORY_TIMES	10
#define MEMORY_LEAST	(4UL << 20)

/* Limit of CPU time: sanitized code is about ten times slower */
#define NS_EACH		20000ULL
#define NS_LEAST	1000000000ULL

/* What is allocated now, and the most since watch_run() began */
static size_t held, most_held;

static void took(size_t size)
{
	held += size;
	most_held = max(most_held, held);
}

#if defined(__has_feature)
#define CLANG_SANITIZES __has_feature(address_sanitizer)
#else
#define CLANG_SANITIZES 0
#endif

#if defined(__SANITIZE_ADDRESS__) || CLANG_SANITIZES
/*
 * A sanitizer has its own allocator, which calls hooks. The functions are declared in
 * sanitizer/allocator_interface.h, which GCC does not install.
 */
int __sanitizer_install_malloc_and_free_hooks(void (*took)(const volatile void *p, size_t size),
					      void (*gave)(const volatile void *p));
size_t __sanitizer_get_allocated_size(const volatile void *p);

static void note_malloc(const volatile void *p, size_t size)
{
	took(__sanitizer_get_allocated_size(p));
}

static void note_free(const volatile void *p)
{
	if (p)
		held -= __sanitizer_get_allocated_size(p);
}

static void begin(void)
{
	static bool installed;

	if (!installed && !__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free))
		abort();
	installed = true;
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *p);

static void *noted(void *p)
{
	took(malloc_usable_size(p));
	return p;
}

void *malloc(size_t size)
{
	return noted(__libc_malloc(size));
}

void *calloc(size_t nr, size_t size)
{
	return noted(__libc_calloc(nr, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return noted(__libc_memalign(alignment, size));
}

void *realloc(void *p, size_t size)
{
	size_t had = malloc_usable_size(p);
	void *grown = __libc_realloc(p, size);

	if (grown || !size)
		held -= had;
	return noted(grown);
}

void free(void *p)
{
	held -= malloc_usable_size(p);
	__libc_free(p);
}

static void begin(void)
{
}
#endif

#if HAVE_ZSTD
/*
 * zstd allocates the window that the stream asks for, 128 MiB at most (perf record -z22), but uses
 * no more of it than it unpacks. Limit it to the window of perf record -z.
 */
#define WINDOW_LOG	19

ZSTD_DStream *__real_ZSTD_createDStream(void);
ZSTD_DStream *__wrap_ZSTD_createDStream(void);

ZSTD_DStream *__wrap_ZSTD_createDStream(void)
{
	ZSTD_DStream *stream = __real_ZSTD_createDStream();

	if (stream)
		ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG);
	return stream;
}
#endif

size_t watch_unpacked;

static u64 cpu_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
		abort();
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void watch_run(const struct fuzz_target *t, const u8 *p, size_t size)
{
	size_t before, taken;
	u64 since, ns;

	begin();
	before = held;
	most_held = held;
	watch_unpacked = 0;
	since = cpu_ns();
	t->run(p, size);
	size = max(size, watch_unpacked);
	if (!t->bounded)
		return;
	taken = most_held - before;
	ns = cpu_ns() - since;
	if (taken > MEMORY_TIMES * size + MEMORY_LEAST) {
		fprintf(stderr, "fuzz: %zu bytes of memory for %zu\n", taken, size);
		abort();
	}
	if (ns > NS_EACH * size + NS_LEAST) {
		fprintf(stderr, "fuzz: %.1f s for %zu bytes\n", ns / 1e9, size);
		abort();
	}
}
