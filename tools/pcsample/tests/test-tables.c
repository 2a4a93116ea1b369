// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lookup tables, each compared with its definition on random contents.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/idmap.h"
#include "base/intern.h"
#include "base/numbers.h"
#include "base/out.h"
#include "base/radix.h"
#include "perfdata/outcomes.h"
#include "profile/hist.h"
#include "symbols/dso.h"
#include "symbols/kallsyms.h"
#include "symbols/kallsyms-cache.h"
#include "symbols/load.h"
#include "symbols/perf-map.h"
#include "symbols/symtab.h"

static void test_intern(void **state)
{
	struct intern in = { 0 };
	char text[32];
	int i;

	for (i = 0; i < 5000; i++)
		assert_int_equal(intern_add(&in, text, sprintf(text, "text %d", i)), i);
	for (i = 0; i < 5000; i++) {
		sprintf(text, "text %d", i);
		assert_int_equal(intern_add(&in, text, sizeof(text)), i);
		assert_string_equal(intern_text(&in, i), text);
	}
	assert_int_equal(intern_add(&in, "text 17xyz", 7), 17);
	assert_int_equal(intern_add(&in, "", 0), 5000);
	assert_int_equal(intern_add(&in, "\0x", 2), 5000);
	intern_deinit(&in);
}

static void test_idmap(void **state)
{
	struct idmap map = { 0 };
	u64 i;

	assert_int_equal(idmap_get(&map, 1), IDMAP_NONE);
	for (i = 0; i < 10000; i++)
		assert_int_equal(idmap_set(&map, i << 32, i), 0);
	assert_int_equal(idmap_set(&map, 5ULL << 32, 99), 0);
	for (i = 0; i < 10000; i++)
		assert_int_equal(idmap_get(&map, i << 32), i == 5 ? 99 : i);
	assert_int_equal(idmap_get(&map, 1), IDMAP_NONE);
	assert_int_equal(map.nr, 10000);
	idmap_deinit(&map);
}

static const char *make_text(char *text, int i, unsigned int *made)
{
	++*made;
	sprintf(text, "text %d", i);
	return text;
}

/* A text is made once for each key, and keys of the same text have one id */
static void test_intern_key(void **state)
{
	struct intern in = { 0 };
	struct idmap ids = { 0 };
	unsigned int made = 0;
	char text[32];
	int i;

	for (i = 0; i < 5000; i++)
		assert_int_equal(intern_key(&in, &ids, i, make_text(text, i / 2, &made)), i / 2);
	for (i = 0; i < 5000; i++)
		assert_int_equal(intern_key(&in, &ids, i, make_text(text, -1, &made)), i / 2);
	assert_int_equal(made, 5000);
	idmap_deinit(&ids);
	intern_deinit(&in);
}

/* Keys of 8, 12 and 16 bytes: each of their members tells elements apart, and no other one does */
static void test_numbers(void **state)
{
	struct element {
		u32 key[4], other;
	} *array[3] = { NULL }, new;
	struct numbers numbers[3] = { 0 };
	size_t cap[3] = { 0 };
	u32 i, n, index[3];

	for (i = 0; i < 10000; i++) {
		new = (struct element){ .other = i };
		new.key[i % 4] = i / 8 + 1;
		index[0] = numbers_get(&numbers[0], &array[0], &cap[0], key[1], &new);
		index[1] = numbers_get(&numbers[1], &array[1], &cap[1], key[2], &new);
		index[2] = numbers_get(&numbers[2], &array[2], &cap[2], key[3], &new);
		for (n = 0; n < 3; n++) {
			assert_in_range(index[n], 0, numbers[n].nr - 1);
			assert_memory_equal(array[n][index[n]].key, new.key, 8 + 4 * n);
		}
	}
	for (n = 0; n < 3; n++) {
		assert_int_equal(numbers[n].nr, 1250 * (2 + n) + (n < 2));
		numbers_deinit(&numbers[n]);
		free(array[n]);
	}
}

/* Arrays that grow one after the other use the memory that earlier arrays have left */
static void test_pool_arrays(void **state)
{
	enum { ARRAYS = 1000, ELEMENTS = 100 };
	static struct {
		struct numbers {
			u64 v[3];
		} *at;
		size_t cap;
	} array[ARRAYS];
	struct pool pool = { 0 };
	u64 i, k;

	for (i = 0; i < ARRAYS; i++) {
		for (k = 0; k < ELEMENTS; k++) {
			assert_int_equal(pool_grow(&pool, &array[i].at, &array[i].cap, k + 1), 0);
			array[i].at[k] = (struct numbers){ { i, k, ~k } };
		}
		pool_trim(&pool, &array[i].at, &array[i].cap, ELEMENTS);
		assert_int_equal(array[i].cap, ELEMENTS);
	}
	/* 2344 KiB: blocks of 16, 32, ... 512, and two of 1024 KiB */
	assert_int_equal(pool.nr_blocks, 8);
	for (i = 0; i < ARRAYS; i += 2) {
		assert_int_equal(pool_grow(&pool, &array[i].at, &array[i].cap, ELEMENTS + 1), 0);
		array[i].at[ELEMENTS] = (struct numbers){ { 0 } };
	}
	for (i = 0; i < ARRAYS; i++) {
		for (k = 0; k < ELEMENTS; k++) {
			assert_int_equal(array[i].at[k].v[0], i);
			assert_int_equal(array[i].at[k].v[1], k);
			assert_int_equal(array[i].at[k].v[2], ~k);
		}
	}
	assert_int_equal(pool_grow(&pool, &array[0].at, &array[0].cap, SIZE_MAX / 16), -ENOMEM);
	assert_int_equal(pool_grow(&pool, &array[0].at, &array[0].cap, SIZE_MAX / 25), -ENOMEM);
	assert_int_equal(array[0].at[1].v[1], 1);
	pool_deinit(&pool);
}

static void test_radix_sort_is_stable(void **state)
{
	struct item {
		u64 key;
		u32 place;
	} *item;
	u64 mask[] = { 0, 1, 0xff, 0xfffff, ~0ULL };
	u32 round, i, nr;

	for (round = 0; round < 2 * ARRAY_SIZE(mask); round++) {
		nr = round % 2 ? 3000 : 300;
		item = malloc(nr * sizeof(*item));
		for (i = 0; i < nr; i++)
			item[i] = (struct item){ hash64(i) & mask[round / 2], i };
		assert_int_equal(radix_sort((void **)&item, nr, nr, sizeof(*item)), 0);
		for (i = 1; i < nr; i++)
			assert_true(item[i - 1].key < item[i].key ||
				    (item[i - 1].key == item[i].key &&
				     item[i - 1].place < item[i].place));
		free(item);
	}
}

static void test_symtab_against_definition(void **state)
{
	struct {
		u64 start, size;
	} sym[300];
	unsigned int round, i, k, n, want, found;
	struct symtab st;
	u64 addr, next, range, base;
	u32 name;

	srandom(2);
	for (round = 0; round < 100; round++) {
		memset(&st, 0, sizeof(st));
		n = 1 + random() % 300;
		range = 1ULL << (4 + round % 40);
		base = round % 3 ? 0xffff800000000000 : 0;
		for (i = 0; i < n; i++) {
			char text[16];

			sym[i].start = base + (hash64(random()) & (range - 1)) / 512 * 512 + i;
			sym[i].size = random() % 4 ? random() % (range / n + 2) : 0;
			sprintf(text, "%u", i);
			assert_int_equal(symtab_own_name(&st, text, strlen(text), &name), 0);
			assert_int_equal(symtab_add(&st, sym[i].start, sym[i].size,
						    sym[i].start + 4, name, SYM_RANK_GLOBAL), 0);
		}
		assert_int_equal(symtab_finish(&st), 0);
		for (i = 0; i < 2000; i++) {
			addr = base - 2 + (hash64(random()) & (2 * range - 1));
			if (i < n)
				addr = sym[i].start;
			found = symtab_find(&st, addr);
			/* the nearest symbol at or below the address, if it is long enough */
			want = n;
			next = UINT64_MAX;
			for (k = 0; k < n; k++) {
				if (sym[k].start > addr)
					next = min(next, sym[k].start);
				else if (want == n || sym[k].start > sym[want].start)
					want = k;
			}
			if (want < n && addr - sym[want].start >=
			    (sym[want].size ? sym[want].size : min(4ULL, next - sym[want].start)))
				want = n;
			if (want == n) {
				assert_int_equal(found, SYM_NONE);
			} else {
				assert_int_not_equal(found, SYM_NONE);
				assert_int_equal(st.syms[found].start, sym[want].start);
				assert_int_equal(strtoul(symtab_name(&st, found), NULL, 10), want);
			}
		}
		symtab_deinit(&st);
	}
}

/* As in a damaged file: sizes that reach beyond the last address, and a symbol of all addresses */
static void test_symtab_of_all_addresses(void **state)
{
	struct symtab st = { 0 };

	assert_int_equal(symtab_add(&st, 0, 16, 16, 0, SYM_RANK_GLOBAL), 0);
	assert_int_equal(symtab_add(&st, 1ULL << 63, 16, 16, 0, SYM_RANK_GLOBAL), 0);
	assert_int_equal(symtab_add(&st, -16ULL, 100, 100, 0, SYM_RANK_GLOBAL), 0);
	assert_int_equal(symtab_finish(&st), 0);
	assert_int_equal(symtab_find(&st, 0), 0);
	assert_int_equal(symtab_find(&st, 16), SYM_NONE);
	assert_int_equal(symtab_find(&st, (1ULL << 63) - 1), SYM_NONE);
	assert_int_equal(symtab_find(&st, (1ULL << 63) + 15), 1);
	assert_int_equal(symtab_find(&st, (1ULL << 63) + 16), SYM_NONE);
	assert_int_equal(symtab_find(&st, -17ULL), SYM_NONE);
	assert_int_equal(symtab_find(&st, -16ULL), 2);
	symtab_deinit(&st);
}

/* More symbols in a group of buckets than it can count, and in one bucket */
static void test_symtab_of_crowded_symbols(void **state)
{
	const u64 far[] = { 64, 4096, 1ULL << 40 };
	struct symtab st = { 0 };
	unsigned int round, i;

	for (round = 0; round < ARRAY_SIZE(far); round++) {
		for (i = 0; i < 1000; i++)
			assert_int_equal(symtab_add(&st, 8 * i, 4, 0, 0, SYM_RANK_GLOBAL), 0);
		assert_int_equal(symtab_add(&st, 1000 * far[round], 4, 0, 0, SYM_RANK_GLOBAL), 0);
		assert_int_equal(symtab_finish(&st), 0);
		for (i = 0; i < 1000; i++) {
			assert_int_equal(symtab_find(&st, 8 * i + 3), i);
			assert_int_equal(symtab_find(&st, 8 * i + 4), SYM_NONE);
		}
		assert_int_equal(symtab_find(&st, 1000 * far[round] - 1), SYM_NONE);
		assert_int_equal(symtab_find(&st, 1000 * far[round]), 1000);
		symtab_deinit(&st);
	}
}

static void test_symtab_prefers_good_names(void **state)
{
	static const struct {
		const char *name;
		u64 size;
		enum symbol_rank rank;
	} sym[] = {
		{ "label", 0, SYM_RANK_LABEL }, { "local", 8, SYM_RANK_LOCAL },
		{ "__global", 8, SYM_RANK_GLOBAL }, { "global", 8, SYM_RANK_GLOBAL },
		{ "weak", 8, SYM_RANK_WEAK },
	};
	struct symtab st = { 0 };
	u32 name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sym); i++) {
		assert_int_equal(symtab_own_name(&st, sym[i].name, strlen(sym[i].name), &name), 0);
		assert_int_equal(symtab_add(&st, 100, sym[i].size, 200, name, sym[i].rank), 0);
	}
	assert_int_equal(symtab_finish(&st), 0);
	assert_int_equal(st.nr, 1);
	assert_string_equal(symtab_name(&st, symtab_find(&st, 107)), "global");
	assert_int_equal(symtab_find(&st, 108), SYM_NONE);
	assert_int_equal(symtab_find(&st, 99), SYM_NONE);
	symtab_deinit(&st);
	assert_int_equal(symtab_find(&st, 0), SYM_NONE);
}

static const struct build_id header_ids[] = {
	{ .bytes = { 1 }, .size = 1 }, { .bytes = { 2 }, .size = 1 }, { .bytes = { 3 }, .size = 1 },
};

static int map_a(struct dso_table *t, const struct build_id *id, u64 inode, u64 generation)
{
	const struct mapped_inode at = { .number = inode, .generation = generation };
	int index = dso_table_map(t, "/bin/a", 6, 1, 0, id, &at);

	assert_true(index >= 0);
	return index;
}

/* The build id that the header has for /bin/a: files without one get it */
static void set_a(struct dso_table *t, unsigned int id)
{
	assert_int_equal(dso_table_set_build_id(t, "/bin/a", &header_ids[id - 1]), 0);
}

static void assert_id(const struct dso_table *t, int index, unsigned int id)
{
	assert_int_equal(t->dso[index]->build_id.bytes[0], id);
	assert_int_equal(t->dso[index]->build_id.size, id ? 1 : 0);
}

/*
 * With 200,000 files of one path and as many build ids for it, code that looks at each file for
 * each id makes 4e10 comparisons, which take longer than a test may.
 */
static void test_build_ids_by_path(void **state)
{
	const int many = 200000;
	struct intern strings = { 0 };
	struct dso_table t;
	int has, lacks, other, i;

	assert_int_equal(dso_table_init(&t, &strings), 0);
	has = map_a(&t, &header_ids[0], 0, 0);
	lacks = map_a(&t, NULL, 1, 0);
	for (i = 2; i < many; i++)
		map_a(&t, NULL, i, 0);
	other = dso_table_map(&t, "/bin/b", 6, 1, 0, NULL, &(struct mapped_inode){ .number = 1 });
	for (i = 0; i < many; i++)
		set_a(&t, 1);
	assert_int_equal(dso_table_set_build_id(&t, "/bin/none", &header_ids[0]), 0);

	assert_id(&t, has, 1);
	/* These replaced each other: perf read the build id of the last one */
	for (i = lacks; i < other - 1; i++)
		assert_id(&t, i, 0);
	assert_id(&t, other - 1, 1);
	assert_id(&t, other, 0);
	assert_id(&t, DSO_INDEX_UNKNOWN, 0);
	for (i = 0; i < many; i++)
		set_a(&t, 2 + i % 2);
	assert_id(&t, has, 1);
	assert_id(&t, other - 1, 0);
	dso_table_deinit(&t);
	intern_deinit(&strings);
}

/* The same file in two mount namespaces, and mapped before the recording and in it */
static void test_build_ids_of_one_file(void **state)
{
	struct intern strings = { 0 };
	struct dso_table t;
	int host, guest;

	assert_int_equal(dso_table_init(&t, &strings), 0);
	host = map_a(&t, NULL, 5, 0);
	guest = dso_table_map(&t, "/bin/a", 6, 1, 7, NULL,
			      &(struct mapped_inode){ .number = 5, .generation = 9 });
	assert_int_equal(map_a(&t, NULL, 5, 9), host);
	assert_int_equal(map_a(&t, NULL, 5, 0), host);
	assert_int_not_equal(host, guest);
	set_a(&t, 2);
	assert_id(&t, host, 2);
	assert_id(&t, guest, 2);
	dso_table_deinit(&t);
	intern_deinit(&strings);
}

/* A new file has the inode of a deleted one */
static void test_build_ids_of_reused_inodes(void **state)
{
	struct intern strings = { 0 };
	struct dso_table t;
	int first, second;

	assert_int_equal(dso_table_init(&t, &strings), 0);
	first = map_a(&t, NULL, 5, 8);
	second = map_a(&t, NULL, 5, 9);
	assert_int_not_equal(first, second);
	assert_int_equal(map_a(&t, NULL, 5, 9), second);
	assert_int_equal(map_a(&t, NULL, 5, 0), second);
	set_a(&t, 2);
	assert_id(&t, first, 0);
	assert_id(&t, second, 2);
	assert_int_equal(map_a(&t, NULL, 5, 8), first);
	dso_table_deinit(&t);
	intern_deinit(&strings);
}

/* Host and container have other files at one path. perf reads the host's, which was mapped first */
static void test_build_ids_of_containers(void **state)
{
	struct intern strings = { 0 };
	struct dso_table t;
	int host, guest;

	assert_int_equal(dso_table_init(&t, &strings), 0);
	host = map_a(&t, NULL, 5, 0);
	guest = map_a(&t, NULL, 6, 0);
	assert_int_equal(map_a(&t, NULL, 5, 0), host);
	assert_int_equal(map_a(&t, NULL, 6, 0), guest);
	set_a(&t, 2);
	set_a(&t, 2);
	assert_id(&t, host, 2);
	assert_id(&t, guest, 0);
	/* Where it could read both, the order is that of its tables */
	set_a(&t, 1);
	assert_id(&t, host, 0);
	assert_id(&t, guest, 0);
	set_a(&t, 2);
	assert_id(&t, host, 0);
	dso_table_deinit(&t);
	intern_deinit(&strings);
}

static int map_a_on(struct dso_table *t, u64 mount_ns, u64 device)
{
	const struct mapped_inode at = { .number = 5, .device = device };
	int index = dso_table_map(t, "/bin/a", 6, 1, mount_ns, NULL, &at);

	assert_true(index >= 0);
	return index;
}

/* Two file systems have a file of one path and inode number */
static void test_inodes_of_two_devices(void **state)
{
	struct dso found = { .inode = 5, .device = 1 };
	struct intern strings = { 0 };
	int first, second, guest;
	struct dso_table t;

	assert_int_equal(dso_table_init(&t, &strings), 0);
	guest = map_a_on(&t, 7, 1);
	first = map_a_on(&t, 0, 1);
	/* The device of a file here does not matter yet: it may be on btrfs */
	assert_true(dso_is_file(t.dso[first], &found));
	found.device = 3;
	assert_true(dso_is_file(t.dso[first], &found));
	second = map_a_on(&t, 0, 2);
	assert_int_not_equal(first, second);
	assert_int_equal(map_a_on(&t, 7, 1), guest);
	assert_int_equal(map_a_on(&t, 0, 1), first);
	assert_false(dso_same_inode(t.dso[first], t.dso[second]));
	assert_true(dso_same_inode(t.dso[first], t.dso[guest]));
	assert_false(dso_is_file(t.dso[first], &found));
	assert_true(dso_is_file(t.dso[guest], &found));
	found.device = 1;
	assert_true(dso_is_file(t.dso[first], &found));
	assert_false(dso_is_file(t.dso[second], &found));
	/* They were mapped in turns: the header's build id is that of the first file */
	set_a(&t, 2);
	assert_id(&t, guest, 2);
	assert_id(&t, first, 2);
	assert_id(&t, second, 0);
	set_a(&t, 1);
	assert_id(&t, guest, 0);
	assert_id(&t, first, 0);
	assert_id(&t, second, 0);
	dso_table_deinit(&t);
	intern_deinit(&strings);
}

static struct dso there;

static bool find_there(const char *path, struct dso *found)
{
	assert_string_equal(path, "/bin/a");
	*found = there;
	return found->inode != 0;
}

/* The file that is at the path now is that of the container, from which perf recorded */
static void test_build_ids_of_what_is_there(void **state)
{
	static const struct {
		u64 inode;
		unsigned int build_id, host, guest;
	} is[] = {
		{ .host = 2 },					/* none */
		{ .inode = 7, .build_id = 2, .host = 2 },	/* one that was not mapped */
		{ .inode = 6, .build_id = 2, .guest = 2 },	/* the one with the build id */
		{ .inode = 5, .build_id = 1, .host = 1 },	/* the other one */
		{ .inode = 6, .build_id = 1, .host = 2, .guest = 1 },	/* perf read the other */
	};
	struct intern strings = { 0 };
	struct dso_table t;
	int host, guest, i;

	for (i = 0; i < ARRAY_SIZE(is); i++) {
		assert_int_equal(dso_table_init(&t, &strings), 0);
		host = map_a(&t, NULL, 5, 0);
		guest = map_a(&t, NULL, 6, 0);
		assert_int_equal(map_a(&t, NULL, 5, 0), host);
		set_a(&t, 2);
		there.inode = is[i].inode;
		if (is[i].build_id)
			there.build_id = header_ids[is[i].build_id - 1];
		dso_table_check_guesses(&t, find_there);
		assert_id(&t, host, is[i].host);
		assert_id(&t, guest, is[i].guest);
		dso_table_deinit(&t);
		intern_deinit(&strings);
		strings = (struct intern){ 0 };
	}
}

/* One file has one build id, whatever the header says */
static void test_build_ids_that_disagree(void **state)
{
	struct intern strings = { 0 };
	struct dso_table t;
	int file;

	assert_int_equal(dso_table_init(&t, &strings), 0);
	file = map_a(&t, NULL, 5, 0);
	set_a(&t, 1);
	set_a(&t, 2);
	assert_id(&t, file, 1);
	dso_table_deinit(&t);
	intern_deinit(&strings);
}

/* Most records have build ids: the header has those, and no one knows which is that of the rest */
static void test_build_ids_in_records(void **state)
{
	struct intern strings = { 0 };
	struct dso_table t;
	int first, second, lacks;

	assert_int_equal(dso_table_init(&t, &strings), 0);
	lacks = map_a(&t, NULL, 5, 0);
	first = map_a(&t, &header_ids[0], 0, 0);
	second = map_a(&t, &header_ids[1], 0, 0);
	set_a(&t, 1);
	set_a(&t, 2);
	assert_id(&t, first, 1);
	assert_id(&t, second, 2);
	assert_id(&t, lacks, 0);
	dso_table_deinit(&t);
	/* The kernel could not read the build id once: it is the same file */
	assert_int_equal(dso_table_init(&t, &strings), 0);
	lacks = map_a(&t, NULL, 5, 0);
	first = map_a(&t, &header_ids[0], 0, 0);
	set_a(&t, 1);
	assert_id(&t, lacks, 1);
	dso_table_deinit(&t);
	intern_deinit(&strings);
}

static void test_hist_against_definition(void **state)
{
	enum { KEYS = 500, BLOCKS = 9 };
	static u64 count[KEYS][BLOCKS], weight[KEYS];
	u64 key[HIST_BATCH * HIST_WORDS_MAX], w[HIST_BATCH], total, squares;
	struct hist one, two;
	struct hist_entry *e;
	unsigned int words, i, k, n, b;

	for (words = 2; words <= HIST_WORDS_MAX; words += 2) {
		memset(count, 0, sizeof(count));
		memset(weight, 0, sizeof(weight));
		assert_int_equal(hist_init(&one, words), 0);
		assert_int_equal(hist_init(&two, words), 0);
		for (b = 0; b < BLOCKS; b++) {
			for (n = 0; n < 2000; n += HIST_BATCH) {
				for (i = 0; i < HIST_BATCH; i++) {
					k = random() % KEYS;
					w[i] = random() % 100;
					memset(key + i * words, 0, words * 8);
					key[i * words + k % words] = k + 1;
					count[k][b]++;
					weight[k] += w[i];
				}
				/* a block is counted by one thread, so it is in one histogram */
				assert_int_equal(hist_add(b % 2 ? &one : &two, key, w, HIST_BATCH,
							  b), 0);
			}
		}
		assert_int_equal(hist_merge(&one, &two, 0, two.nr), 0);
		for (i = 0; i < one.nr; i++) {
			e = hist_entry(&one, i);
			for (k = 0; !e->key[k]; k++)
				;
			k = e->key[k] - 1;
			for (b = 0, total = 0, squares = 0; b < BLOCKS; b++) {
				total += count[k][b];
				squares += count[k][b] * count[k][b];
			}
			assert_int_equal(hist_counts(&one, i)->count, total);
			assert_int_equal(e->weight, weight[k]);
			assert_int_equal(hist_counts(&one, i)->squares, squares);
		}
		hist_deinit(&one);
		hist_deinit(&two);
	}
}

/* A key that is in no other place than 0, and its number */
static u64 *nth_key(u64 *key, unsigned int words, unsigned int place, u64 n)
{
	memset(key, 0, words * sizeof(*key));
	key[place] = n;
	return key;
}

/* More entries than the first slots and the first piece have room for, differing in one word */
static void check_growth(unsigned int words, unsigned int place)
{
	const u64 nr = 2 * HIST_PIECE + 1, one = 1;
	u64 key[HIST_WORDS_MAX], i, round;
	struct hist h;

	assert_int_equal(hist_init(&h, words), 0);
	for (round = 0; round < 2; round++)
		for (i = round; i < nr; i++)
			assert_int_equal(hist_add(&h, nth_key(key, words, place, i), &one, 1, 0),
					 0);
	assert_int_equal(h.nr, nr);
	assert_true(h.nr_slots >= 2 * nr);
	for (i = 0; i < nr; i++) {
		assert_int_equal(hist_find(&h, nth_key(key, words, place, i)), i);
		assert_int_equal(hist_counts(&h, i)->count, i ? 2 : 1);
	}
	assert_true(hist_find(&h, nth_key(key, words, place, nr)) == HIST_NONE);
	hist_deinit(&h);
}

static void test_hist_grows(void **state)
{
	unsigned int words, place;

	for (words = 2; words <= HIST_WORDS_MAX; words += 2)
		for (place = 0; place < words; place++)
			check_growth(words, place);
}

static char *copy_of(const char *text)
{
	char *copy = malloc(strlen(text) + 1);

	return strcpy(copy, text);
}

static void test_kallsyms(void **state)
{
	const char *text = "ffff800080000000 T _text\n"
			   "ffff800080000010 t local.0\n"
			   "ffff800080000020 D data\n"
			   "ffff800080000030 W weak\n"
			   "ffff800080010000 T far\n"
			   "ffff800079000000 t init_module\t[mod_a]\n"
			   "ffff800079000040 t run\t[mod_a]\n"
			   "ffff800079000040 t $x\t[mod_a]\n"
			   "ffff800079000048 t $x.12\t[mod_a]\n"
			   "ffff800079000050 t $xyz\t[mod_a]\n"
			   "ffff80007a000000 t run\t[mod_b]\n"
			   "ffff80007a0000";	/* cut off */
	struct symtab st = { 0 };
	struct error err = { "" };
	struct kallsyms k;

	assert_int_equal(kallsyms_parse(&k, copy_of(text), strlen(text), &err), 0);
	assert_int_equal(k.nr_modules, 3);
	assert_int_equal(kallsyms_find(&k, "weak"), 0xffff800080000030);
	assert_int_equal(kallsyms_find(&k, "data"), 0);
	k.shift = 0x1000;
	assert_int_equal(kallsyms_symtab(&k, NULL, &st), 0);
	assert_string_equal(symtab_name(&st, symtab_find(&st, 0xffff80008000102f)), "local.0");
	assert_int_equal(symtab_find(&st, 0xffff800080000000), SYM_NONE);
	/* A symbol is as large as the gap to the next one; the size of the last one is unknown */
	assert_string_equal(symtab_name(&st, symtab_find(&st, 0xffff800080010fff)), "weak");
	assert_string_equal(symtab_name(&st, symtab_find(&st, 0xffff800080011fff)), "far");
	assert_int_equal(symtab_find(&st, 0xffff800080012000), SYM_NONE);
	symtab_deinit(&st);
	k.shift = 0;
	assert_int_equal(kallsyms_symtab(&k, "mod_a", &st), 0);
	assert_int_equal(st.nr, 3);
	assert_string_equal(symtab_name(&st, symtab_find(&st, 0xffff800079000048)), "run");
	assert_string_equal(symtab_name(&st, symtab_find(&st, 0xffff800079000050)), "$xyz");
	symtab_deinit(&st);
	assert_int_equal(kallsyms_symtab(&k, "mod_c", &st), -ENOENT);
	symtab_deinit(&st);
	kallsyms_deinit(&k);
}

/* Any number of digits, in either case; characters next to the digits in ASCII are no digits */
static void test_kallsyms_addresses(void **state)
{
	static const struct {
		const char *text;
		u64 addr;
	} line[] = {
		{ "0123456789abcdef T f\n", 0x0123456789abcdef },
		{ "fedcba9876543210 T f\n", 0xfedcba9876543210 },
		{ "FEDCBA9876543210 T f\n", 0xfedcba9876543210 },
		{ "ffffFFFF81000000 T f\n", 0xffffffff81000000 },
		{ "c0008000 T f\n", 0xc0008000 },
		{ "ffff80008000 T f\n", 0xffff80008000 },
		{ "f T f\n", 0xf },
	};
	static const char nearly[] = "/:`g@Gpq\x10\xb0";
	struct error err = { "" };
	char bad[32];
	struct kallsyms k;
	size_t i, at;

	for (i = 0; i < ARRAY_SIZE(line); i++) {
		assert_int_equal(kallsyms_parse(&k, copy_of(line[i].text), strlen(line[i].text),
						&err), 0);
		assert_int_equal(kallsyms_find(&k, "f"), line[i].addr);
		kallsyms_deinit(&k);
	}
	for (i = 0; nearly[i]; i++) {
		for (at = 0; at < 16; at++) {
			strcpy(bad, line[0].text);
			bad[at] = nearly[i];
			assert_int_equal(kallsyms_parse(&k, copy_of(bad), strlen(bad), &err),
					 -EINVAL);
		}
	}
}

/* Cut a copy of the list short, or make one of its numbers too large */
static void damage_copy(const char *path, unsigned int way)
{
	const u64 much = ~0ULL;
	FILE *f = fopen(path, "r+");
	long size;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	if (way < 4) {
		const long sizes[] = { 0, 20, size / 2, size - 1 };

		assert_int_equal(ftruncate(fileno(f), sizes[way]), 0);
	} else {
		/*
		 * magic, numbers of symbols and modules; the last module's name, length and number
		 * of symbols
		 */
		const long places[] = { 0, 8, 16, size - 48, size - 40, size - 8 };

		fseek(f, places[way - 4], SEEK_SET);
		fwrite(&much, sizeof(much), 1, f);
	}
	fclose(f);
}

static void assert_same_symbols(const struct kallsyms *a, const struct kallsyms *b)
{
	struct symtab x = { 0 }, y = { 0 };
	u32 i, differ = 0;

	assert_int_equal(kallsyms_symtab(a, NULL, &x), 0);
	assert_int_equal(kallsyms_symtab(b, NULL, &y), 0);
	assert_int_equal(x.nr, y.nr);
	for (i = 0; i < x.nr; i++)
		differ += x.syms[i].start != y.syms[i].start || x.syms[i].size != y.syms[i].size ||
			  strcmp(symtab_name(&x, i), symtab_name(&y, i));
	assert_int_equal(differ, 0);
	symtab_deinit(&x);
	symtab_deinit(&y);
}

/* The running kernel's symbols are the same from the cached copy, however that is damaged */
static void test_kallsyms_copy(void **state)
{
	char dir[] = "/tmp/test-tables-XXXXXX", below[64], pattern[80];
	struct kallsyms k, copied;
	struct error err = { "" };
	unsigned int way;
	glob_t found;

	if (kallsyms_read(&k, "/proc/kallsyms", &err))
		skip();		/* this user sees none */
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CACHE_HOME", dir, 1);
	snprintf(below, sizeof(below), "%s/pcsample", dir);
	snprintf(pattern, sizeof(pattern), "%s/kallsyms-*", below);
	for (way = 0; way <= 10; way++) {
		/* the first time the list itself, of which a copy is made; then the copy */
		assert_int_equal(kallsyms_read_running(&copied, &err), 0);
		kallsyms_deinit(&copied);
		assert_int_equal(kallsyms_read_running(&copied, &err), 0);
		assert_same_symbols(&k, &copied);
		kallsyms_deinit(&copied);
		assert_int_equal(glob(pattern, 0, NULL, &found), 0);
		assert_int_equal(found.gl_pathc, 1);
		if (way < 10)
			damage_copy(found.gl_pathv[0], way);
		else
			unlink(found.gl_pathv[0]);
		globfree(&found);
	}
	kallsyms_deinit(&k);
	assert_int_equal(rmdir(below), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void test_kallsyms_of_no_use(void **state)
{
	struct error err = { "" };
	struct kallsyms k;
	const char *text;

	text = "0000000000000000 T _text\n0000000000000000 T run\n";
	assert_int_equal(kallsyms_parse(&k, copy_of(text), strlen(text), &err), -EPERM);
	assert_non_null(strstr(err.text, "kptr_restrict"));
	text = "hello world\n";
	assert_int_equal(kallsyms_parse(&k, copy_of(text), strlen(text), &err), -EINVAL);
	text = "ffff800079000000 t x\t[\n";
	assert_int_equal(kallsyms_parse(&k, copy_of(text), strlen(text), &err), -EINVAL);
	assert_int_equal(kallsyms_parse(&k, copy_of(""), 0, &err), 0);
	kallsyms_deinit(&k);
}

static void test_perf_map(void **state)
{
	static const char text[] = "1000 20 first name\n"
				   "0x1020 0x10 second\n"
				   "garbage\n"
				   "1000\n"
				   "2000 0 empty\n"
				   "fffffffffffffff0 20 wraps\n"
				   "3000 8 cut";
	char symfs[] = "/tmp/pcsample-test-map-XXXXXX", tmp[64], path[96], link[96];
	struct symtab st = { 0 };
	struct error err = { "" };
	FILE *map;

	assert_non_null(mkdtemp(symfs));
	sprintf(tmp, "%s/tmp", symfs);
	sprintf(path, "%s/perf-1000001.map", tmp);
	sprintf(link, "%s/perf-1000002.map", tmp);
	assert_int_equal(mkdir(tmp, 0700), 0);
	map = fopen(path, "w");
	assert_int_equal(fwrite(text, 1, sizeof(text) - 1, map), sizeof(text) - 1);
	fclose(map);
	assert_int_equal(perf_map_load_process(&st, symfs, 1000001, &err), 0);
	assert_int_equal(st.nr, 2);
	assert_string_equal(symtab_name(&st, symtab_find(&st, 0x101f)), "first name");
	assert_string_equal(symtab_name(&st, symtab_find(&st, 0x1020)), "second");
	symtab_deinit(&st);
	/* another user's link into /etc is not followed */
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(perf_map_load_process(&st, symfs, 1000002, &err), -ELOOP);
	unlink(link);
	unlink(path);
	assert_int_equal(perf_map_load_process(&st, symfs, 1000001, &err), -ENOENT);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(perf_map_load_process(&st, symfs, 1000001, &err), -EINVAL);
	rmdir(path);
	rmdir(tmp);
	rmdir(symfs);
}

static struct out out;

static const char *written(void)
{
	out.buf[out.used] = '\0';
	out.used = 0;
	return out.buf;
}

static void test_out(void **state)
{
	static const double values[] = {
		0, 0.004, 0.005, 0.995, 1, 12.344, 99.999, 100, 123456.789,
	};
	char want[64], text[16];
	size_t i;

	out_init(&out, -1);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		snprintf(want, sizeof(want), "%8.3f", values[i]);
		out_fixed(&out, values[i], 3, 8);
		assert_string_equal(written(), want);
	}
	out_u64(&out, UINT64_MAX, 0);
	assert_string_equal(written(), "18446744073709551615");
	out_s64(&out, INT64_MIN, 0);
	assert_string_equal(written(), "-9223372036854775808");
	out_s64(&out, -7, 4);
	assert_string_equal(written(), "  -7");
	out_grouped(&out, 1234567);
	assert_string_equal(written(), "1,234,567");
	out_grouped(&out, 0);
	assert_string_equal(written(), "0");
	out_hex(&out, 0xabc, 8);
	assert_string_equal(written(), "0x00000abc");
	for (i = 0; i < 64; i++) {
		snprintf(want, sizeof(want), "0x%016llx", 0xfedcba9876543210ULL << i);
		out_hex(&out, 0xfedcba9876543210ULL << i, 16);
		assert_string_equal(written(), want);
		snprintf(want, sizeof(want), "%16llx", 0xfedcba9876543210ULL >> i);
		out_hex_right(text, 0xfedcba9876543210ULL >> i);
		assert_memory_equal(text, want, 16);
	}
	out_hex_right(text, 0);
	assert_memory_equal(text, "               0", 16);
	out_left(&out, "ab", 4);
	assert_string_equal(written(), "ab  ");
	out_clean(&out, "a\033[31mb", 10);
	assert_string_equal(written(), "a?[31mb   ");
	out_clean(&out, "\xc3\xa9\xc3\x9b\xc2\xa0\xe2\x82\xac", 0);
	assert_string_equal(written(), "\xc3\xa9\xc3\x9b\xc2\xa0\xe2\x82\xac");
	out_clean(&out, "a\xc2\x9b[31m\x9b[32m\xff\x7f", 0);
	assert_string_equal(written(), "a??[31m?[32m??");
	out_clean(&out, "plain text, \xc2", 0);
	assert_string_equal(written(), "plain text, ?");
	out_json(&out, "q\"\\\n\xc3\xa9\xff\xe2\x82");
	assert_string_equal(written(), "q\\\"\\\\\\u000a\xc3\xa9"
				       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_out_keeps_every_byte(void **state)
{
	static char text[3 * OUT_BYTES];
	FILE *f = tmpfile();
	size_t i, n = 0;
	char c;

	out_init(&out, fileno(f));
	for (i = 0; i < 20000; i++) {
		out_u64(&out, i, 9);
		out_char(&out, '\n');
		n += 10;
	}
	memset(text, 'x', sizeof(text) - 1);
	out_text(&out, text);
	n += sizeof(text) - 1;
	assert_int_equal(out_flush(&out), 0);
	assert_int_equal(lseek(fileno(f), 0, SEEK_END), n);
	rewind(f);
	for (i = 0; i < 20000; i++) {
		unsigned int v;

		assert_int_equal(fscanf(f, "%u%c", &v, &c), 2);
		assert_int_equal(v, i);
	}
	fclose(f);
	out_init(&out, -1);
	out_text(&out, "lost");
	assert_int_equal(out_flush(&out), -EBADF);
}

/* The names of the driver's ledger, in the order of its source */
static void test_outcomes(void **state)
{
	FILE *f = fopen(TOP "/drivers/perf/arm_pcsample/ledger.c", "re");
	char line[256], name[32];
	int nr = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " [PCS_%*[A-Z_]] = \"%31[a-z_]\"", name) != 1)
			continue;
		assert_true(nr < NR_OUTCOMES);
		assert_string_equal(outcomes[nr++].name, name);
	}
	fclose(f);
	assert_int_equal(nr, NR_OUTCOMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intern),
		cmocka_unit_test(test_idmap),
		cmocka_unit_test(test_intern_key),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_pool_arrays),
		cmocka_unit_test(test_radix_sort_is_stable),
		cmocka_unit_test(test_symtab_against_definition),
		cmocka_unit_test(test_symtab_of_all_addresses),
		cmocka_unit_test(test_symtab_of_crowded_symbols),
		cmocka_unit_test(test_symtab_prefers_good_names),
		cmocka_unit_test(test_build_ids_by_path),
		cmocka_unit_test(test_build_ids_of_one_file),
		cmocka_unit_test(test_build_ids_of_reused_inodes),
		cmocka_unit_test(test_build_ids_of_containers),
		cmocka_unit_test(test_inodes_of_two_devices),
		cmocka_unit_test(test_build_ids_of_what_is_there),
		cmocka_unit_test(test_build_ids_that_disagree),
		cmocka_unit_test(test_build_ids_in_records),
		cmocka_unit_test(test_hist_against_definition),
		cmocka_unit_test(test_hist_grows),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_kallsyms_addresses),
		cmocka_unit_test(test_kallsyms_copy),
		cmocka_unit_test(test_kallsyms_of_no_use),
		cmocka_unit_test(test_perf_map),
		cmocka_unit_test(test_out),
		cmocka_unit_test(test_out_keeps_every_byte),
		cmocka_unit_test(test_outcomes),
	};

	return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
