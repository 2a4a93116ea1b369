// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that a user or a board can do to the driver, at random and at once: see storm_ops.c.
 * This file draws operations, starts the workers, watches them, and checks the result.
 *
 * Usage: storm [--seed N] [--seconds N] [--patience N] [--without NAME]...
 *
 * It prints its seed; --seed repeats the same schedule. An operation that takes longer than
 * --patience (60 s) is a hang: it is printed, with all others in flight. --without leaves out an
 * operation. At the end it prints of each how often it was possible, which unbinding has to have
 * been. The last line is "storm: N operations in N s, seed N, N complaints".
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcs_perf.h"
#include "storm.h"

#define SECOND	1000000000ULL
#define TICK	(SECOND / 10)

struct storm *storm;

/*
 * Drawing
 */

/* SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014 */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
	return x ^ (x >> 31);
}

uint64_t storm_draw(struct storm_step *step, uint64_t n)
{
	step->random += 0x9E3779B97F4A7C15ULL;
	return mix(step->random) % n;
}

static struct storm_step make_step(unsigned int worker, uint64_t number)
{
	return (struct storm_step) {
		.random = mix(mix(storm->seed) + ((uint64_t)worker << 40) + number),
		.flight = &storm->flight[worker],
	};
}

/*
 * Output: one write() for each line, because several processes write, and to keep lines in a panic
 */

static int output = STDOUT_FILENO;

static void print_line(const char *prefix, const char *format, va_list ap)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "%s", prefix);

	n += vsnprintf(line + n, sizeof(line) - n - 1, format, ap);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(output, line, n) != n)
		_exit(1);
}

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_line("", format, ap);
	va_end(ap);
}

void storm_complain(const char *format, ...)
{
	va_list ap;

	if (!storm->complaints++) {
		va_start(ap, format);
		vsnprintf(storm->first_complaint, sizeof(storm->first_complaint), format, ap);
		va_end(ap);
	}
	va_start(ap, format);
	print_line("# complaint: ", format, ap);
	va_end(ap);
}

void storm_begin(struct storm_step *step, const char *format, ...)
{
	struct storm_flight *flight = step->flight;
	va_list ap;

	flight->since = 0;
	va_start(ap, format);
	vsnprintf(flight->what, sizeof(flight->what), format, ap);
	va_end(ap);
	flight->tid = syscall(SYS_gettid);
	flight->since = pcs_now();
	storm->operations++;
}

/*
 * Workers
 */

/* Operations that are left out: by --without, or because the machine cannot do them */
static const char *unwanted[32];
static unsigned int nr_unwanted;

static bool is_unwanted(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_unwanted; i++)
		if (!strcmp(unwanted[i], name))
			return true;
	return false;
}

static const char *why_left_out(const struct storm_operation *op)
{
	if (is_unwanted(op->name))
		return "not wanted";
	return op->missing ? op->missing() : NULL;
}

static void say_what_is_left_out(void)
{
	const struct storm_operation *op;
	const struct storm_worker *w;

	for (w = storm_workers; w->name; w++) {
		for (op = w->operations; op->name; op++) {
			const char *why = why_left_out(op);

			if (why)
				say("# left out: %s: %s", op->name, why);
		}
	}
}

static struct storm_tally *tally_of(const struct storm_worker *w, const struct storm_operation *op)
{
	return &storm->tally[w - storm_workers][op - w->operations];
}

static void run_operation(const struct storm_worker *w, const struct storm_operation *op,
			  struct storm_step *step)
{
	struct storm_tally *tally = tally_of(w, op);

	tally->begun++;
	tally->done += op->run(step);
	step->flight->since = 0;
}

/*
 * If an operation that is left out is drawn, skip it, so that the others are drawn as on a machine
 * that can do it.
 */
static void work(const struct storm_worker *w, unsigned int index)
{
	const struct storm_operation *op;
	unsigned int weights = 0;
	uint64_t number;

	for (op = w->operations; op->name; op++)
		weights += op->weight;
	for (number = 0; !storm->stop; number++) {
		struct storm_step step = make_step(index, number);
		uint64_t at = storm_draw(&step, weights);

		for (op = w->operations; at >= op->weight; op++)
			at -= op->weight;
		if (!why_left_out(op))
			run_operation(w, op, &step);
		else
			pcs_sleep(100000);
	}
}

struct thread {
	pthread_t thread;
	const struct storm_worker *w;
	unsigned int index;
};

static void *run_thread(void *arg)
{
	struct thread *thread = arg;

	work(thread->w, thread->index);
	return NULL;
}

static void run_threads(const struct storm_worker *w, unsigned int index)
{
	struct thread threads[STORM_MAX_WORKERS];
	unsigned int i;

	for (i = 0; i < w->count; i++) {
		threads[i] = (struct thread) { .w = w, .index = index + i };
		if (pthread_create(&threads[i].thread, NULL, run_thread, &threads[i]))
			abort();
	}
	for (i = 0; i < w->count; i++)
		pthread_join(threads[i].thread, NULL);
}

static pid_t start_process(const struct storm_worker *w, unsigned int index)
{
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (w->threads)
		run_threads(w, index);
	else
		work(w, index);
	if (w->end)
		w->end();
	_exit(0);
}

/* Starts all workers; returns how many processes there are */
static unsigned int start_workers(pid_t *pids)
{
	unsigned int index = 0, processes = 0, i;
	const struct storm_worker *w;

	for (w = storm_workers; w->name; w++) {
		for (i = 0; i < w->count; i++)
			snprintf(storm->flight[index + i].worker, 16, "%s %u", w->name, i);
		for (i = 0; i < (w->threads ? 1 : w->count); i++)
			pids[processes++] = start_process(w, index + i);
		index += w->count;
	}
	return processes;
}

/*
 * The watchdog
 */

/* Words in messages of a kernel that has detected an error of its own or of ours */
static const char * const kernel_words[] = {
	"BUG:", "WARNING:", "Oops", "Internal error", "Unable to handle kernel", "KASAN:", "UBSAN:",
	"KFENCE:", "refcount_t:", "INFO: rcu", "INFO: task", "possible circular",
	"possible recursive", "inconsistent lock state", "suspicious RCU usage",
	"sleeping function called", "scheduling while atomic", "soft lockup", "hard LOCKUP",
	"corruption", "nobody cared", "ODEBUG:", "unreferenced object",
};

static int kmsg = -1;

static void open_kmsg(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg >= 0)
		lseek(kmsg, 0, SEEK_END);
	else
		say("# the kernel's log cannot be read: %s", strerror(errno));
}

/*
 * Complaints of the driver are about hardware. Its other messages answer requests of the storm,
 * such as a list of readers with an offline CPU.
 */
static bool is_complaint(const char *line, unsigned int level)
{
	unsigned int i;

	for (i = 0; i < sizeof(kernel_words) / sizeof(*kernel_words); i++)
		if (strstr(line, kernel_words[i]))
			return true;
	return level <= 4 && !strncmp(line, "arm_pcsample ", 13);
}

static void read_kmsg(void)
{
	char record[2048];
	ssize_t len;

	if (kmsg < 0)
		return;
	for (;;) {
		char *text;

		len = read(kmsg, record, sizeof(record) - 1);
		if (len < 0 && errno == EPIPE)	/* overwritten before it was read */
			continue;
		if (len <= 0)
			return;
		record[len] = 0;
		text = strchr(record, ';');
		if (!text)
			continue;
		text[1 + strcspn(text + 1, "\n")] = 0;
		if (is_complaint(text + 1, atoi(record) & 7))
			storm_complain("kernel: %s", text + 1);
	}
}

static void say_stack(pid_t tid)
{
	char path[64], line[128];
	FILE *stack;

	snprintf(path, sizeof(path), "/proc/%d/stack", tid);
	stack = fopen(path, "r");
	while (stack && fgets(line, sizeof(line), stack))
		say("#     %.*s", (int)strcspn(line, "\n"), line);
	if (stack)
		fclose(stack);
}

/* Print to the console all waiting tasks, one of which may hold a worker up, and each CPU */
static void ask_kernel(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "w", 1) != 1 || write(fd, "l", 1) != 1)
		say("# no SysRq: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void say_flights(bool stacks)
{
	unsigned int i;

	for (i = 0; i < STORM_MAX_WORKERS; i++) {
		struct storm_flight *flight = &storm->flight[i];
		uint64_t since = flight->since;

		if (since)
			say("#   %s: %s, for %.1f s", flight->worker, flight->what,
			    (double)(pcs_now() - since) / SECOND);
		if (since && stacks)
			say_stack(flight->tid);
	}
}

/*
 * Has an operation been in flight for too long? Prints it, and the others in flight. Called once a
 * tick, and counts the ticks that an operation lasts: so a machine that the host does not run for
 * long is not taken for hung.
 */
static bool look_for_hang(void)
{
	static uint64_t last[STORM_MAX_WORKERS], ticks[STORM_MAX_WORKERS];
	bool hung = false;
	unsigned int i;

	for (i = 0; i < STORM_MAX_WORKERS; i++) {
		struct storm_flight *flight = &storm->flight[i];
		uint64_t since = flight->since;

		ticks[i] = since == last[i] ? ticks[i] + 1 : 0;
		last[i] = since;
		if (!since || ticks[i] * TICK < storm->patience)
			continue;
		hung = true;
		storm_complain("hang: %s: %s, for %.1f s", flight->worker, flight->what,
			       (double)(pcs_now() - since) / SECOND);
	}
	if (hung) {
		say("# in flight:");
		say_flights(true);
		ask_kernel();
	}
	return hung;
}

static bool all_ended(pid_t *pids, unsigned int nr)
{
	bool all = true;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		int status;

		if (!pids[i])
			continue;
		if (waitpid(pids[i], &status, WNOHANG) != pids[i]) {
			all = false;
			continue;
		}
		pids[i] = 0;
		if (WIFSIGNALED(status))
			storm_complain("process %u of the workers ended by signal %d", i,
				       WTERMSIG(status));
		else if (WEXITSTATUS(status))
			storm_complain("process %u of the workers ended with status %d", i,
				       WEXITSTATUS(status));
	}
	return all;
}

/*
 * Watch until all processes have ended; tell them to end at @end. Returns false on a hang.
 */
static bool watch(pid_t *pids, unsigned int nr, uint64_t end)
{
	unsigned int ticks;

	for (ticks = 1; !all_ended(pids, nr); ticks++) {
		pcs_sleep(TICK);
		read_kmsg();
		if (pcs_now() > end)
			storm->stop = true;
		if (look_for_hang())
			return false;
		if (ticks % 50 == 0) {
			say("# %llu operations; in flight:",
			    (unsigned long long)storm->operations);
			say_flights(false);
		}
	}
	read_kmsg();
	return true;
}

/*
 * Judging
 */

static void say_tallies(void)
{
	const struct storm_operation *op;
	const struct storm_worker *w;

	for (w = storm_workers; w->name; w++) {
		char line[400] = "";
		int n = 0;

		for (op = w->operations; op->name; op++) {
			struct storm_tally *tally = tally_of(w, op);

			if (!why_left_out(op) && n < (int)sizeof(line))
				n += snprintf(line + n, sizeof(line) - n, "%s %s %llu of %llu",
					      n ? "," : "", op->name,
					      (unsigned long long)tally->done,
					      (unsigned long long)tally->begun);
		}
		say("# done by %s:%s", w->name, line);
	}
}

/*
 * What never happened was not tested, whatever else the storm did. A few tries may all have been
 * made while the driver was away, which is up to half of the time: 20 in one storm of a million.
 */
#define ENOUGH_TRIES 20

static bool what_must_happen_did(struct storm_step *step)
{
	const struct storm_operation *op;
	const struct storm_worker *w;
	bool all = true;

	storm_begin(step, "looking for operations that never happened");
	for (w = storm_workers; w->name; w++) {
		for (op = w->operations; op->name; op++) {
			struct storm_tally *tally = tally_of(w, op);

			if (!op->must || tally->done || tally->begun < ENOUGH_TRIES)
				continue;
			storm_complain("%s: none of %llu happened", op->name,
				       (unsigned long long)tally->begun);
			all = false;
		}
	}
	return all;
}

static const struct {
	const char *description;
	bool (*holds)(struct storm_step *step);
} afterwards[] = {
	{ "what must happen did", what_must_happen_did },
	{ "every CPU comes online again", storm_cpus_come_online },
	{ "the ledger adds up", storm_ledger_adds_up },
	{ "the module unloads and loads", storm_module_reloads },
	{ "every CPU is sampled", storm_cpus_are_sampled },
};

#define NR_AFTERWARDS (sizeof(afterwards) / sizeof(*afterwards))
#define NR_RESULTS (2 + NR_AFTERWARDS)

static unsigned int results, failures;

static void result(bool ok, const char *description)
{
	say("%sok %u %s", ok ? "" : "not ", ++results, description);
	failures += !ok;
}

/* Check in a separate process, because this may hang, too */
static bool judge(unsigned int i)
{
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (!pid) {
		struct storm_step step = make_step(0, i);
		uint64_t before = storm->complaints;
		bool holds = afterwards[i].holds(&step);

		if (!holds && storm->complaints == before)
			storm_complain("%s: it is not so", afterwards[i].description);
		step.flight->since = 0;
		_exit(0);
	}
	return watch(&pid, 1, UINT64_MAX);
}

static void judge_all(void)
{
	unsigned int i;

	snprintf(storm->flight[0].worker, 16, "afterwards");
	for (i = 0; i < NR_AFTERWARDS; i++) {
		uint64_t before = storm->complaints;

		if (!judge(i)) {
			result(false, afterwards[i].description);
			return;
		}
		result(storm->complaints == before, afterwards[i].description);
	}
}

static void run_storm(uint64_t seconds)
{
	pid_t pids[STORM_MAX_WORKERS];
	unsigned int processes;
	bool ended;

	processes = start_workers(pids);
	ended = watch(pids, processes, pcs_now() + seconds * SECOND);
	result(ended, "every operation ends");
	result(!storm->complaints, "nobody complains");
	if (storm->complaints)
		say("# the first: %s", storm->first_complaint);
	say("# %llu samples seen by recorders", (unsigned long long)storm->samples);
	say_tallies();
	if (ended)
		judge_all();
	while (results < NR_RESULTS)
		result(false, "not looked at, as something hangs");
}

/*
 * Command line
 */

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	if (*end || !*text) {
		fprintf(stderr, "storm: %s is no number\n", text);
		exit(2);
	}
	return n;
}

static void __attribute__((noreturn)) usage(void)
{
	fprintf(stderr,
		"Usage: storm [--seed N] [--seconds N] [--patience N] [--without NAME]...\n");
	exit(2);
}

static void init_locks(void)
{
	pthread_mutexattr_t shared;
	int cpu;

	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	for (cpu = 0; cpu < PCS_MAX_CPUS; cpu++)
		pthread_mutex_init(&storm->fail_lock[cpu], &shared);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "patience", required_argument, NULL, 'p' },
		{ "without", required_argument, NULL, 'w' },
		{}
	};
	uint64_t seconds = 20, begin;
	int option;

	storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (storm == MAP_FAILED)
		abort();
	init_locks();
	storm->patience = 60 * SECOND;
	if (getrandom(&storm->seed, 4, 0) != 4)
		abort();

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			storm->seed = number(optarg);
			break;
		case 't':
			seconds = number(optarg);
			break;
		case 'p':
			storm->patience = number(optarg) * SECOND;
			break;
		case 'w':
			if (nr_unwanted < sizeof(unwanted) / sizeof(*unwanted))
				unwanted[nr_unwanted++] = optarg;
			break;
		default:
			usage();
		}
	}
	if (optind != argc)
		usage();

	/* Processes that must be silent close their standard output. */
	output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);
	say("TAP version 13");
	if (!pcs_available()) {
		say("1..0 # SKIP %s", pcs_why_not);
		return 4;
	}
	say("1..%zu", NR_RESULTS);
	say("# seed %llu", (unsigned long long)storm->seed);
	open_kmsg();
	storm_look_around();
	say_what_is_left_out();

	begin = pcs_now();
	storm_start_sleepers();
	run_storm(seconds);
	say("storm: %llu operations in %llu s, seed %llu, %llu complaints",
	    (unsigned long long)storm->operations,
	    (unsigned long long)((pcs_now() - begin) / SECOND), (unsigned long long)storm->seed,
	    (unsigned long long)storm->complaints);
	return failures != 0;
}
