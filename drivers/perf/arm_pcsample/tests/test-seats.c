// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who reads whom (seats.c with assign.c) while CPUs come and go, and while the user of
 * hotplug/target stops several of them half way: what no kernel of a distribution lets anybody do.
 * And what CPU hotplug does between two steps of the driver.
 *
 * Usage: test-seats [--seed N] [--steps N]
 */
#include <linux/sched/isolation.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arm_pcsample.h"
#include "hardware.h"
#include "test.h"

#define MAX_EVENTS	8

struct pcs_driver arm_pcsample;
unsigned int test_nr_cpus;

extern char **test_param_readers;

/*
 * enum stage - how far a CPU has gone
 * @UP: it is online
 * @LEFT: it has left the driver (pcs_cpu_offline()). Its events of all PMUs run
 * @ENDED: perf has ended its events
 * @DEAD: it is gone
 */
enum stage {
	UP,
	LEFT,
	ENDED,
	DEAD,
};

/*
 * struct event - one of the driver's
 * @cpu: where it is, or PCS_NOBODY
 * @home: where it was opened. Events of other PMUs there write into the same buffer until that CPU
 *	has been at ENDED
 * @is_open: it is
 */
struct event {
	int cpu, home;
	bool is_open;
};

static enum stage stage[TEST_MAX_CPUS];
static struct event events[MAX_EVENTS];
static struct pcs_block blocks[TEST_MAX_CPUS];
static struct pcs_block *block_of[TEST_MAX_CPUS];
static unsigned int isolated_from = TEST_MAX_CPUS;

static u64 seed = 17;
static unsigned int steps = 20000;

static char said[256];
static unsigned int nr_replans;

/* Called while nobody holds arm_pcsample.lock, before the next one takes it; may be NULL */
static void (*between)(void);

/*
 * The kernel, and what is below seats.c
 */

void mutex_lock(struct mutex *lock)
{
	void (*hook)(void) = between;

	assert_false(lock->held);
	between = NULL;
	if (hook)
		hook();
	between = hook;
	lock->held = true;
}

void mutex_unlock(struct mutex *lock)
{
	assert_true(lock->held);
	lock->held = false;
}

void lockdep_assert_held(const struct mutex *lock)
{
	assert_true(lock->held);
}

void test_lock(raw_spinlock_t *lock)
{
	assert_false(lock->held);
	lock->held = true;
}

void test_unlock(raw_spinlock_t *lock)
{
	assert_true(lock->held);
	lock->held = false;
}

void pr_err(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(said, sizeof(said), format, ap);
	va_end(ap);
}

int topology_physical_package_id(int cpu)
{
	return cpu * 2 / (int)test_nr_cpus;
}

bool housekeeping_test_cpu(int cpu, enum hk_type type)
{
	(void)type;
	return (unsigned int)cpu < isolated_from;
}

/* Of the kernel's syntax, what a test needs: "CPU-CPU", and that no CPU is a list, too */
int cpulist_parse(const char *text, struct cpumask *mask)
{
	int first, last, cpu;

	cpumask_clear(mask);
	if (!*text)
		return 0;
	if (sscanf(text, "%d-%d", &first, &last) != 2)
		return -EINVAL;
	if (last >= nr_cpu_ids)
		return -ERANGE;
	for (cpu = first; cpu <= last; cpu++)
		cpumask_set_cpu(cpu, mask);
	return 0;
}

void pcs_reader_replan(void)
{
	assert_true(arm_pcsample.lock.held);
	assert_false(arm_pcsample.ledger_lock.held);
	nr_replans++;
}

bool pcs_reader_runs(int cpu)
{
	unsigned int i;

	for (i = 0; i < MAX_EVENTS; i++)
		if (events[i].is_open && events[i].cpu == cpu)
			return true;
	return false;
}

int pcs_block_hold(struct pcs_block *block)
{
	block->holds++;
	return 0;
}

void pcs_block_release(struct pcs_block *block)
{
	assert_true(block->holds--);
}

void pcs_block_open(struct pcs_block *block)
{
	assert_true(block->holds);
}

void pcs_block_reopen(struct pcs_block *block)
{
	assert_true(block->holds);
}

bool pcs_panic_wants_blocks(void)
{
	return false;
}

/* Its steps are the number of CPUs times that of targets: too many for a raw lock. */
void __real_pcs_assign(struct pcs_seats *seats);
void __wrap_pcs_assign(struct pcs_seats *seats);

void __wrap_pcs_assign(struct pcs_seats *seats)
{
	assert_true(arm_pcsample.lock.held);
	assert_false(arm_pcsample.ledger_lock.held);
	__real_pcs_assign(seats);
}

/*
 * What the driver's callbacks and perf do
 */

static void move_events(int from, int to)
{
	unsigned int i;

	if (from == PCS_NOBODY || to == PCS_NOBODY)
		return;
	for (i = 0; i < MAX_EVENTS; i++)
		if (events[i].cpu == from)
			events[i].cpu = to;
}

static void come(int cpu)
{
	int stand_in;

	mutex_lock(&arm_pcsample.lock);
	stand_in = pcs_seats_cpu_online(cpu);
	mutex_unlock(&arm_pcsample.lock);
	stage[cpu] = UP;
	move_events(stand_in, cpu);
}

static void leave(int cpu)
{
	int stand_in;

	mutex_lock(&arm_pcsample.lock);
	stand_in = pcs_seats_cpu_offline(cpu);
	mutex_unlock(&arm_pcsample.lock);
	stage[cpu] = LEFT;
	move_events(cpu, stand_in);
}

static void end_events_of(int cpu)
{
	unsigned int i;

	stage[cpu] = ENDED;
	for (i = 0; i < MAX_EVENTS; i++) {
		if (events[i].cpu == cpu)
			events[i].cpu = PCS_NOBODY;
		if (events[i].home == cpu)
			events[i].home = PCS_NOBODY;
	}
}

static void die(int cpu)
{
	mutex_lock(&arm_pcsample.lock);
	pcs_seats_cpu_dead(cpu);
	mutex_unlock(&arm_pcsample.lock);
	stage[cpu] = DEAD;
}

static void go_all_the_way(int cpu)
{
	leave(cpu);
	end_events_of(cpu);
	die(cpu);
}

/*
 * What is opened on a stand-in that waits goes with the events that came there, as perf moves all
 * of a CPU: it is left out of check_writers().
 */
static void open_event(unsigned int i, int cpu)
{
	bool waits = arm_pcsample.stands_in_for[cpu] != PCS_NOBODY;

	if (events[i].is_open || pcs_event_opened(cpu, 0, false))
		return;
	events[i] = (struct event) {
		.cpu = cpu,
		.home = waits ? PCS_NOBODY : cpu,
		.is_open = true,
	};
}

static void close_event(unsigned int i)
{
	if (!events[i].is_open)
		return;
	events[i] = (struct event) { .cpu = PCS_NOBODY, .home = PCS_NOBODY };
	pcs_event_closed(false);
}

/*
 * What holds at any time
 */

static bool reads_any(int reader)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (arm_pcsample.reader[cpu] == reader)
			return true;
	return false;
}

/* A ring buffer has room for the writers of one CPU. */
static void check_writers(void)
{
	unsigned int i;

	for (i = 0; i < MAX_EVENTS; i++) {
		const struct event *event = &events[i];

		if (event->cpu != PCS_NOBODY && event->home != PCS_NOBODY &&
		    event->cpu != event->home)
			assert_false(reads_any(event->cpu));
	}
}

static void check_targets(void)
{
	const struct cpumask *readers = &arm_pcsample.readers;
	int cpu, reader, now;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		bool alone = cpumask_first(readers) == cpu &&
			     test_next_cpu(cpu + 1, readers) == nr_cpu_ids;

		reader = arm_pcsample.seats.reader[cpu];
		now = arm_pcsample.reader[cpu];
		assert_int_equal(reader == PCS_NOBODY, alone || cpumask_empty(readers));
		assert_true(now == reader || now == PCS_NOBODY);
		if (reader == PCS_NOBODY)
			continue;
		assert_int_not_equal(reader, cpu);
		assert_true(cpumask_test_cpu(reader, readers));
		assert_int_equal(stage[reader], UP);
	}
}

/* Nobody waits for a CPU that is up again, or gone. */
static void check_waiting(void)
{
	int cpu, place;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		place = arm_pcsample.stands_in_for[cpu];
		if (place == PCS_NOBODY)
			continue;
		assert_true(stage[place] == LEFT || stage[place] == ENDED);
		assert_true(cpumask_test_cpu(place, &arm_pcsample.leaving));
	}
}

/* With no event there are as many readers as the user wants, if there are CPUs for them. */
static void check_readers(void)
{
	int cpu, nr_wanted = 0, nr_readers = 0, nr_up = 0;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		bool reads = cpumask_test_cpu(cpu, &arm_pcsample.readers);
		bool wanted = cpumask_test_cpu(cpu, &arm_pcsample.wanted);

		assert_false(reads && stage[cpu] != UP);
		assert_int_equal(cpumask_test_cpu(cpu, &arm_pcsample.online), stage[cpu] == UP);
		nr_readers += reads;
		nr_wanted += wanted;
		nr_up += stage[cpu] == UP;
		if (!arm_pcsample.nr_events)
			assert_true(reads || !wanted || stage[cpu] != UP);
	}
	assert_true(nr_readers && nr_readers <= nr_wanted);
	/* Isolated CPUs do not stand in for others. */
	if (!arm_pcsample.nr_events && isolated_from == TEST_MAX_CPUS)
		assert_int_equal(nr_readers, nr_wanted < nr_up ? nr_wanted : nr_up);
}

/* Whatever becomes of CPUs, events end with their CPU or are on a reader. */
static void check_events(void)
{
	unsigned int i;

	for (i = 0; i < MAX_EVENTS; i++)
		if (events[i].cpu != PCS_NOBODY && stage[events[i].cpu] == UP)
			assert_true(cpumask_test_cpu(events[i].cpu, &arm_pcsample.readers));
}

static void check(void)
{
	check_targets();
	check_waiting();
	check_readers();
	check_events();
	check_writers();
}

/*
 * Tests
 */

static int load_driver(unsigned int nr_cpus)
{
	unsigned int cpu;

	memset(&arm_pcsample, 0, sizeof(arm_pcsample));
	memset(blocks, 0, sizeof(blocks));
	memset(events, 0, sizeof(events));
	memset(stage, 0, sizeof(stage));
	for (cpu = 0; cpu < MAX_EVENTS; cpu++)
		events[cpu] = (struct event) { .cpu = PCS_NOBODY, .home = PCS_NOBODY };
	test_nr_cpus = nr_cpus;
	arm_pcsample.block = block_of;
	assert_int_equal(pcs_seats_alloc(), 0);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		blocks[cpu].checked = true;
		block_of[cpu] = &blocks[cpu];
		come(cpu);
	}
	said[0] = '\0';
	return pcs_seats_init();
}

static void close_all(void)
{
	unsigned int i;

	for (i = 0; i < MAX_EVENTS; i++)
		close_event(i);
}

static void unload_driver(void)
{
	close_all();
	pcs_seats_free();
}

/* A few CPUs of those that are up */
static void want_any_readers(void)
{
	struct cpumask readers = {};
	int cpu;

	for_each_cpu(cpu, &arm_pcsample.online)
		if (chance(40))
			cpumask_set_cpu(cpu, &readers);
	assert_int_equal(pcs_set_readers(&readers), cpumask_empty(&readers) ? -EINVAL :
						    arm_pcsample.nr_events ? -EBUSY : 0);
}

static void move_cpu(int cpu)
{
	int i, nr_up = 0;

	for (i = 0; i < nr_cpu_ids; i++)
		nr_up += stage[i] == UP;
	if (stage[cpu] == UP && nr_up > 1)
		leave(cpu);
	else if (stage[cpu] != UP && chance(50))
		come(cpu);
	else if (stage[cpu] == LEFT)
		end_events_of(cpu);
	else if (stage[cpu] == ENDED)
		die(cpu);
}

static void walk(unsigned int nr_cpus)
{
	unsigned int step;

	assert_int_equal(load_driver(nr_cpus), 0);
	for (step = 0; step < steps; step++) {
		if (chance(15))
			open_event(any() % MAX_EVENTS, cpumask_first(&arm_pcsample.readers));
		else if (chance(15))
			open_event(any() % MAX_EVENTS, any() % nr_cpus);
		else if (chance(20))
			close_event(any() % MAX_EVENTS);
		else if (chance(10))
			close_all();
		else if (chance(10))
			want_any_readers();
		else
			move_cpu(any() % nr_cpus);
		check();
	}
	unload_driver();
}

static void test_walks(void **state)
{
	unsigned int nr_cpus;

	(void)state;
	seed_any(seed);
	for (nr_cpus = 2; nr_cpus < 10; nr_cpus++)
		walk(nr_cpus);
	isolated_from = 3;
	walk(6);
	isolated_from = TEST_MAX_CPUS;
}

/* Beyond the 64 CPUs that an event's mask can name */
static void test_many_cpus(void **state)
{
	struct cpumask readers = {};
	int cpu;

	(void)state;
	assert_int_equal(load_driver(200), 0);
	cpumask_set_cpu(70, &readers);
	cpumask_set_cpu(199, &readers);
	assert_int_equal(pcs_set_readers(&readers), 0);
	check();
	for (cpu = 0; cpu < 200; cpu++)
		assert_int_equal(arm_pcsample.reader[cpu], cpu == 199 || (cpu < 100 && cpu != 70) ?
				 70 : 199);
	assert_int_equal(pcs_event_opened(199, 1ULL << 63, false), 0);
	assert_int_equal(pcs_event_opened(198, 0, false), -EINVAL);
	pcs_event_closed(false);
	block_of[63] = NULL;
	assert_int_equal(pcs_event_opened(199, 1ULL << 63, false), -EINVAL);
	block_of[63] = &blocks[63];
	unload_driver();
}

/*
 * Two readers are half way. Events of other PMUs run on CPU 0 until perf ends them, so who stands
 * in for it reads nothing, whatever becomes of the other one.
 */
static void test_two_are_half_way(void **state)
{
	int first;

	(void)state;
	assert_int_equal(load_driver(6), 0);
	open_event(0, 0);
	open_event(1, 3);
	leave(0);
	first = events[0].cpu;
	assert_int_not_equal(first, 0);
	assert_false(reads_any(first));
	leave(3);
	assert_false(reads_any(first));
	end_events_of(3);
	die(3);
	assert_false(reads_any(first));
	assert_true(reads_any(events[1].cpu) || events[1].cpu == PCS_NOBODY);
	check();

	/* It comes back, and its events with it. */
	come(0);
	assert_int_equal(events[0].cpu, 0);
	assert_true(reads_any(0));
	unload_driver();
}

/* Another CPU dies than the one that is half way. It does not read, so nothing changes. */
static void test_another_dies(void **state)
{
	unsigned int before;
	int stand_in;

	(void)state;
	assert_int_equal(load_driver(6), 0);
	open_event(0, 0);
	leave(0);
	stand_in = events[0].cpu;
	before = nr_replans;
	go_all_the_way(5);
	assert_false(reads_any(stand_in));
	assert_int_equal(nr_replans, before);
	end_events_of(0);
	die(0);
	assert_true(reads_any(stand_in));
	check();
	unload_driver();
}

/* Who stands in for a CPU that is half way goes itself: what it has not begun passes on. */
static void test_a_stand_in_goes(void **state)
{
	int first, second;

	(void)state;
	assert_int_equal(load_driver(6), 0);
	open_event(0, 0);
	leave(0);
	first = events[0].cpu;
	go_all_the_way(first);
	second = events[0].cpu;
	assert_int_not_equal(first, second);
	assert_false(reads_any(second));
	come(0);
	assert_int_equal(events[0].cpu, 0);
	assert_true(reads_any(0));
	assert_false(cpumask_test_cpu(second, &arm_pcsample.readers));
	check();
	unload_driver();
}

static int nr_locked, nr_goes;

static void cpu_0_goes(void)
{
	if (nr_locked++ == nr_goes)
		go_all_the_way(0);
}

/* A CPU that would be a reader goes offline at any moment of the choice. */
static void test_a_cpu_goes_while_readers_are_chosen(void **state)
{
	(void)state;
	for (nr_goes = 0; nr_goes < 8; nr_goes++) {
		assert_int_equal(load_driver(4), 0);
		cpumask_clear(&arm_pcsample.wanted);
		cpumask_clear(&arm_pcsample.readers);
		nr_locked = 0;
		between = cpu_0_goes;
		assert_int_equal(pcs_seats_init(), 0);
		between = NULL;
		assert_string_equal(said, "");
		check();
		unload_driver();
	}
}

static void test_the_parameter(void **state)
{
	static const struct {
		const char *text;
		int ret;
		const char *said;
	} cases[] = {
		{ "1-2", 0, "" },
		{ "2-4", -ERANGE, "arm_pcsample: readers=2-4: not a list of" },
		{ "x", -EINVAL, "arm_pcsample: readers=x: not a list of" },
		{ "", -EINVAL, "arm_pcsample: readers=: not a list of" },
	};
	char text[16];
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strcpy(text, cases[i].text);
		*test_param_readers = text;
		assert_int_equal(load_driver(4), cases[i].ret);
		assert_memory_equal(said, cases[i].said, strlen(cases[i].said) + !cases[i].ret);
		assert_int_equal(cpumask_test_cpu(1, &arm_pcsample.readers), !cases[i].ret);
		unload_driver();
	}
	*test_param_readers = NULL;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_many_cpus),
		cmocka_unit_test(test_two_are_half_way),
		cmocka_unit_test(test_another_dies),
		cmocka_unit_test(test_a_stand_in_goes),
		cmocka_unit_test(test_a_cpu_goes_while_readers_are_chosen),
		cmocka_unit_test(test_the_parameter),
	};
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--steps"))
			steps = strtoul(argv[i + 1], NULL, 0);
	}
	return cmocka_run_group_tests_name("seats", tests, NULL, NULL);
}
