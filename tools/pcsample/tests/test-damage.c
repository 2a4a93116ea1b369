// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings that are cut short and recordings with changed bytes, in every command that reads
 * them. The commands are functions called in this process: to start thousands of programs would
 * take minutes.
 *
 * A small recording is cut at every byte, in all of its forms: a file and a pipe, compressed or
 * not. Each time the command must exit with status 1, print one line on standard error with the
 * offset of the damage and what was expected there, and show all samples before the damage. One
 * exception: a pipe does not say how long it is, so a pipe that ends between two records is whole.
 *
 * DAMAGE in the environment is "all" for every command at every byte, or "few" for every command at
 * each 97th byte, because each run takes long under valgrind. Otherwise pcsample report runs at
 * every byte, and each other command at every fortieth.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "commands/command.h"
#include "tests/mkdata.h"
#include "tests/unit.h"

#define SAMPLES		12
#define START		0x400000
#define OTHERS_STEP	40
#define FEW_STEP	97

/* A program with one function */

struct program {
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	Elf64_Sym sym[2];
	char strings[16];
	u8 code[64];
	Elf64_Shdr sh[4];
};

enum { SECTION_CODE = 1, SECTION_SYMBOLS, SECTION_STRINGS };

static void make_program(struct program *p)
{
	static const char names[] = "\0function";

	*p = (struct program){
		.eh = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(p->eh),
			.e_phoff = offsetof(struct program, ph), .e_phentsize = sizeof(p->ph),
			.e_phnum = 1,
			.e_shoff = offsetof(struct program, sh), .e_shentsize = sizeof(p->sh[0]),
			.e_shnum = ARRAY_SIZE(p->sh),
		},
		.ph = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = sizeof(*p),
			.p_memsz = sizeof(*p),
		},
		.sym[1] = {
			.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SECTION_CODE, .st_value = offsetof(struct program, code),
			.st_size = sizeof(p->code),
		},
		.sh[SECTION_CODE] = {
			.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = offsetof(struct program, code),
			.sh_offset = offsetof(struct program, code), .sh_size = sizeof(p->code),
		},
		.sh[SECTION_SYMBOLS] = {
			.sh_type = SHT_SYMTAB, .sh_offset = offsetof(struct program, sym),
			.sh_size = sizeof(p->sym), .sh_entsize = sizeof(p->sym[0]),
			.sh_link = SECTION_STRINGS, .sh_addralign = 8,
		},
		.sh[SECTION_STRINGS] = {
			.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct program, strings),
			.sh_size = sizeof(p->strings),
		},
	};
	memcpy(p->strings, names, sizeof(names));
	memset(p->code, 0x90, sizeof(p->code));		/* NOP */
}

/* The forms of a recording */

struct form {
	bool pipe;
	u32 packed;		/* type of the compressed records, 0 for none */
};

/**
 * struct recording - a recording in one of the forms
 * @records: offset of the first record
 * @end: offset behind the last one
 * @samples: for each offset, how many samples are whole in front of it
 * @between: for each offset, whether a record ends there
 */
struct recording {
	struct form form;
	u8 *bytes;
	size_t size, records, end;
	u32 *samples;
	bool *between;
};

#define PACKED_BYTES 100

static char program_path[PATH_MAX];
static char whole_path[PATH_MAX];
static char damaged_path[PATH_MAX];
static char archive_path[PATH_MAX];

static void add_sample(struct mkdata *m, unsigned int i)
{
	struct mkdata_sample s = {
		.ip = START + offsetof(struct program, code) + i,
		.pid = 10, .tid = 10, .time = 1000 + i, .cpu = i % 2, .period = 1,
	};

	mkdata_sample(m, &s);
}

static void fill(struct mkdata *m)
{
	static const char host[] = "\x08\0\0\0machine";
	static const struct perf_event_header round = {
		PERFDATA_RECORD_FINISHED_ROUND, 0, sizeof(round)
	};
	unsigned int i;

	mkdata_init(m, MKDATA_TYPE);
	mkdata_comm(m, 10, 10, "prog", 1, true);
	mkdata_mmap(m, 10, START, 0x1000, 0, program_path, 2);
	for (i = 0; i < SAMPLES; i++)
		add_sample(m, i);
	mkdata_bytes(m, &round, sizeof(round));
	mkdata_feature(m, PERFDATA_HOSTNAME, host, sizeof(host));
}

/* Number of samples that end within the first @size bytes of @p */
static unsigned int whole_samples(const u8 *p, size_t size)
{
	struct perf_event_header h;
	unsigned int nr = 0;
	size_t at;

	for (at = 0; size - at >= sizeof(h); at += h.size) {
		memcpy(&h, p + at, sizeof(h));
		if (h.size > size - at)
			break;
		nr += h.type == PERF_RECORD_SAMPLE;
	}
	return nr;
}

static void find_places(struct recording *r, const struct mkdata *m, const u8 *plain, size_t nr)
{
	size_t at, next, packed = 0, n;
	struct perf_event_header h;

	r->samples = calloc(r->size + 1, sizeof(*r->samples));
	r->between = calloc(r->size + 1, sizeof(*r->between));
	assert_non_null(r->samples);
	assert_non_null(r->between);
	for (at = 0; at < m->size; at = next) {
		memcpy(&h, m->data + at, sizeof(h));
		next = at + h.size;
		for (n = at; n < next; n++)
			r->samples[r->records + n] =
				whole_samples(plain, r->form.packed ?
					      min(packed * PACKED_BYTES, nr) : at);
		packed++;
	}
	for (n = r->records + m->size; n <= r->size; n++)
		r->samples[n] = SAMPLES;
	/* A pipe has events and features as records, too */
	at = r->form.pipe ? sizeof(struct perfdata_pipe_header) : r->records;
	for (; at < r->end; at += h.size) {
		memcpy(&h, r->bytes + at, sizeof(h));
		r->between[at + h.size] = true;
	}
}

static void make_recording(struct recording *r, struct form form)
{
	struct mkdata m;
	u8 *plain;
	size_t nr;

	fill(&m);
	nr = m.size;
	plain = malloc(nr);
	assert_non_null(plain);
	memcpy(plain, m.data, nr);
	if (form.packed)
		mkdata_compress(&m, form.packed, PACKED_BYTES);
	memset(r, 0, sizeof(*r));
	r->form = form;
	r->bytes = form.pipe ? mkdata_pipe(&m, &r->size) : mkdata_file(&m, &r->size);
	r->records = (u8 *)memmem(r->bytes, r->size, m.data, m.size) - r->bytes;
	r->end = r->records + m.size;
	find_places(r, &m, plain, nr);
	free(plain);
	mkdata_deinit(&m);
}

static void free_recording(struct recording *r)
{
	free(r->bytes);
	free(r->samples);
	free(r->between);
}

/* Commands */

/* A standard stream whose output goes to a file while a command runs */
struct capture {
	int fd, saved;
	FILE *f;
};

static void capture_begin(struct capture *c, FILE *f, int fd)
{
	fflush(f);
	c->f = f;
	c->fd = fd;
	c->saved = dup(fileno(f));
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	dup2(fd, fileno(f));
}

static void capture_end(struct capture *c, char *text, size_t size)
{
	ssize_t n;

	fflush(c->f);
	dup2(c->saved, fileno(c->f));
	close(c->saved);
	n = pread(c->fd, text, size - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
}

#define TEXT_MAX 65536

struct result {
	int status;
	char out[TEXT_MAX], err[4096];
};

#define WORDS 10

/**
 * struct reader - a command that reads recordings
 * @words: of its command line, after "pcsample NAME"
 * @count: how many samples its output is about
 * @least: with fewer samples there is no result: diff compares rates, which needs two times
 */
struct reader {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *words[WORDS];
	unsigned int (*count)(const char *out);
	unsigned int least;
};

static void run(const struct reader *c, struct result *r)
{
	static int fds[2] = { -1, -1 };
	char *argv[WORDS + 2] = { NULL }, name[64];
	struct capture out, err;
	int argc = 1, i;

	for (i = 0; i < 2 && fds[i] < 0; i++)
		fds[i] = memfd_create("output", MFD_CLOEXEC);
	snprintf(name, sizeof(name), "pcsample %s", c->name);
	argv[0] = name;
	for (i = 0; c->words[i]; i++)
		argv[argc++] = strdup(c->words[i]);
	capture_begin(&out, stdout, fds[0]);
	capture_begin(&err, stderr, fds[1]);
	r->status = c->run(argc, argv);
	capture_end(&out, r->out, sizeof(r->out));
	capture_end(&err, r->err, sizeof(r->err));
	while (argc > 1)
		free(argv[--argc]);
}

/* The number in "# Samples:   N of ..." */
static unsigned int count_report(const char *out)
{
	const char *p = strstr(out, "# Samples:");

	return p ? strtoul(p + strlen("# Samples:"), NULL, 10) : 0;
}

static unsigned int count_lines(const char *out)
{
	unsigned int nr = 0;

	for (; *out; out++)
		nr += *out == '\n';
	return nr;
}

/* The sum of the numbers of lines "prog;[...];function N" */
static unsigned int count_folded(const char *out)
{
	unsigned int nr = 0;
	const char *end;

	for (; (end = strchr(out, '\n')); out = end + 1)
		nr += strtoul((char *)memrchr(out, ' ', end - out) + 1, NULL, 10);
	return nr;
}

/* New samples of the function's row in diff --json */
static unsigned int count_diff(const char *out)
{
	const char *p = strstr(out, "\"new_samples\":");

	return p ? strtoul(p + strlen("\"new_samples\":"), NULL, 10) : 0;
}

/* The output has no number of samples: an archive, or a report of no Profiling exceptions */
static unsigned int count_none(const char *out)
{
	return 0;
}

static const struct reader readers[] = {
	{
		.name = "report", .run = cmd_report, .count = count_report,
		.words = { "-i", damaged_path, "--threads=1" },
	},
	{
		.name = "script", .run = cmd_script, .count = count_lines,
		.words = { "-i", damaged_path, "--threads=1" },
	},
	{
		.name = "annotate", .run = cmd_annotate, .count = count_report,
		.words = { "-i", damaged_path, "--threads=1" },
	},
	{
		.name = "diff", .run = cmd_diff, .count = count_diff, .least = 2,
		.words = { "--json", "--sort=comm", "--threads=1", whole_path, damaged_path },
	},
	{
		.name = "export", .run = cmd_export, .count = count_folded,
		.words = { "-i", damaged_path, "-f", "folded", "--threads=1" },
	},
	{
		.name = "archive", .run = cmd_archive, .count = count_none,
		.words = { "-i", damaged_path, "-q", "-o", archive_path, "--threads=1" },
	},
	{
		.name = "profexc", .run = cmd_profexc, .count = count_none,
		.words = { "report", "-i", damaged_path, "--threads=1" },
	},
};

static void write_damaged(const u8 *p, size_t size)
{
	int fd;

	/* A new file: some filesystems write to the disk when a file's contents are replaced */
	unlink(damaged_path);
	fd = open(damaged_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, size), size);
	close(fd);
}

/* Is @text one line about @path, with an offset and what was expected there? */
static bool is_one_line(const char *text, const char *command, const char *path)
{
	char start[PATH_MAX + 64];
	const char *end = strchr(text, '\n');

	snprintf(start, sizeof(start), "pcsample %s: %s: ", command, path);
	return end && !end[1] && !strncmp(text, start, strlen(start)) &&
	       strstr(text, "offset ") && strstr(text, "expected");
}

static void check_cut(const struct reader *c, const struct recording *r, size_t n)
{
	static struct result result;
	unsigned int found;
	bool told;

	run(c, &result);
	told = is_one_line(result.err, c->name, damaged_path);
	/* A pipe that ends between two records looks whole */
	if (!told && r->form.pipe && r->between[n])
		assert_true(result.status == EXIT_OK || result.status == EXIT_NOTHING);
	else if (!told || result.status != EXIT_FAILED)
		fail_msg("%s, cut at %zu of %zu: status %d, %s", c->name, n, r->size,
			 result.status, result.err);
	found = c->count == count_none ? r->samples[n] : c->count(result.out);
	if (found != r->samples[n] && r->samples[n] >= c->least)
		fail_msg("%s, cut at %zu of %zu: %u samples, expected %u: %s", c->name, n,
			 r->size, found, r->samples[n], result.err);
}

/* Does this command, by its index, run for this byte? */
static bool wanted(size_t command, size_t byte)
{
	const char *text = getenv("DAMAGE");

	if (text && !strcmp(text, "all"))
		return true;
	if (text && !strcmp(text, "few"))
		return (byte + command) % FEW_STEP == 0;
	return !command || (byte + command) % OTHERS_STEP == 0;
}

static void cut_everywhere(struct form form)
{
	struct recording r;
	size_t n, i;

	make_recording(&r, form);
	for (n = 0; n < r.size; n++) {
		write_damaged(r.bytes, n);
		for (i = 0; i < ARRAY_SIZE(readers); i++)
			if (wanted(i, n))
				check_cut(&readers[i], &r, n);
	}
	free_recording(&r);
}

static void test_cut_file(void **state)
{
	cut_everywhere((struct form){ .pipe = false });
}

static void test_cut_pipe(void **state)
{
	cut_everywhere((struct form){ .pipe = true });
}

#if HAVE_ZSTD
static void test_cut_packed_file(void **state)
{
	cut_everywhere((struct form){ .packed = PERFDATA_RECORD_COMPRESSED });
	cut_everywhere((struct form){ .packed = PERFDATA_RECORD_COMPRESSED2 });
}

static void test_cut_packed_pipe(void **state)
{
	cut_everywhere((struct form){ .pipe = true, .packed = PERFDATA_RECORD_COMPRESSED });
	cut_everywhere((struct form){ .pipe = true, .packed = PERFDATA_RECORD_COMPRESSED2 });
}
#endif

/* The whole recording: no command complains, and each finds all samples */
static void test_whole(void **state)
{
	static struct result result;
	struct recording r;
	size_t i;

	make_recording(&r, (struct form){ .pipe = false });
	write_damaged(r.bytes, r.size);
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		run(&readers[i], &result);
		if (readers[i].run == cmd_profexc)
			continue;
		if (result.err[0] || result.status != EXIT_OK)
			fail_msg("%s: status %d, %s", readers[i].name, result.status, result.err);
		if (readers[i].count != count_none)
			assert_int_equal(readers[i].count(result.out), SAMPLES);
	}
	free_recording(&r);
}

/*
 * The last record is a sample without any field, so its id would be behind the file. In a file of
 * whole pages that memory is seldom mapped: a file of this size begins and ends at a huge page.
 */
#define SHORT_FILE	(4UL << 20)

static void check_short_sample(struct mkdata *m)
{
	static const struct perf_event_header sample = {
		PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample)
	};
	struct perf_event_header *fill;
	static struct result result;
	size_t i, size, room;
	u8 *p;

	p = mkdata_pipe(m, &size);
	free(p);
	room = SHORT_FILE - size - sizeof(sample);
	fill = calloc(1, room);
	assert_non_null(fill);
	for (i = 0; i < room / sizeof(*fill); i++)
		fill[i] = (struct perf_event_header){
			PERFDATA_RECORD_FINISHED_ROUND, 0, sizeof(*fill)
		};
	mkdata_bytes(m, fill, room);
	free(fill);
	mkdata_bytes(m, &sample, sizeof(sample));
	p = mkdata_pipe(m, &size);
	assert_int_equal(size, SHORT_FILE);
	write_damaged(p, size);
	free(p);
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		run(&readers[i], &result);
		if (result.status != EXIT_FAILED || !strstr(result.err, "sample of 8 bytes") ||
		    !is_one_line(result.err, readers[i].name, damaged_path))
			fail_msg("%s: status %d, %s", readers[i].name, result.status, result.err);
	}
}

static void test_sample_without_id(void **state)
{
	struct mkdata m;

	/* Counts of a group are made into samples first of all */
	mkdata_init(&m, MKDATA_TYPE | PERF_SAMPLE_READ);
	m.attr[0].read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	mkdata_add_event(&m, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	check_short_sample(&m);
	mkdata_deinit(&m);
	/* Samples of one event have no times: those of the other tell when they were */
	mkdata_init(&m, MKDATA_TYPE);
	mkdata_add_event(&m, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	m.attr[1].sample_type &= ~PERF_SAMPLE_TIME;
	check_short_sample(&m);
	mkdata_deinit(&m);
}

/* A changed byte may be valid, too. A command that fails says why, with a status of the manual */
static void change_everywhere(struct form form)
{
	static struct result result;
	struct recording r;
	size_t n, i;

	make_recording(&r, form);
	for (n = 0; n < r.size; n++) {
		r.bytes[n] ^= 0xff;
		write_damaged(r.bytes, r.size);
		r.bytes[n] ^= 0xff;
		for (i = 0; i < ARRAY_SIZE(readers); i++) {
			if (!wanted(i, n))
				continue;
			run(&readers[i], &result);
			if (result.status > EXIT_NOTHING ||
			    (result.status && !result.err[0]))
				fail_msg("%s, byte %zu changed: status %d, %s", readers[i].name,
					 n, result.status, result.err);
		}
	}
	free_recording(&r);
}

static void test_changed_bytes(void **state)
{
	change_everywhere((struct form){ .pipe = false });
	change_everywhere((struct form){ .pipe = true });
}

static int setup(void **state)
{
	struct program program;
	struct recording r;

	if (temp_setup(state))
		return -1;
	snprintf(program_path, sizeof(program_path), "%s/prog", temp_dir);
	snprintf(whole_path, sizeof(whole_path), "%s/whole", temp_dir);
	snprintf(damaged_path, sizeof(damaged_path), "%s/damaged", temp_dir);
	snprintf(archive_path, sizeof(archive_path), "%s/archive.tar", temp_dir);
	make_program(&program);
	temp_write("prog", &program, sizeof(program));
	make_recording(&r, (struct form){ .pipe = false });
	temp_write("whole", r.bytes, r.size);
	free_recording(&r);
	return 0;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, temp_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_whole),
		TEST(test_cut_file),
		TEST(test_cut_pipe),
#if HAVE_ZSTD
		TEST(test_cut_packed_file),
		TEST(test_cut_packed_pipe),
#endif
		TEST(test_sample_without_id),
		TEST(test_changed_bytes),
	};

	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
