// SPDX-License-Identifier: GPL-2.0-only
/*
 * What perf gets of a sample (sample.c): its task, for an owner of the event in any PID namespace,
 * and while the task exits; its raw record; its call chain; and what it gets of a batch.
 */
#include <arch-model/pmpcsr-regs.h>
#include <linux/sched.h>
#include <string.h>

#include "arm_pcsample.h"
#include "places.h"
#include "test.h"

#define TARGET	3

/* Ids of the task in the first PID namespace, and in that of a container */
#define PID	1200
#define TID	1234
#define PID_IN	7
#define TID_IN	9

/* How the kernel shows -1 */
#define NONE	((u32)-1)

/* perf's TASK_TOMBSTONE: the owner of an event that was made in the kernel */
#define OF_KERNEL	((struct task_struct *)-1L)

struct task_struct init_task;
struct pid_namespace init_pid_ns;

static struct task_struct task = { .pid = TID, .tgid = PID };
static struct pid_namespace container, other;
static bool is_there;
/* For how many more questions the task lives; it exits while sample.c asks. */
static unsigned int lives;

static u32 pid, tid;

/* Taken since the last look */
static unsigned int taken;

struct task_struct *pcs_find_task(u32 number)
{
	if (!number)
		return &init_task;
	return is_there && number == TID ? &task : NULL;
}

static bool is_alive(void)
{
	if (lives)
		lives--;
	return lives;
}

u32 __task_pid_nr_ns(struct task_struct *of, enum pid_type type, struct pid_namespace *ns)
{
	assert_ptr_equal(of, &task);
	if (!is_alive() || ns != &container)
		return 0;
	return type == PIDTYPE_TGID ? PID_IN : TID_IN;
}

bool pid_alive(const struct task_struct *of)
{
	assert_ptr_equal(of, &task);
	return is_alive();
}

static void take(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	(void)event;
	(void)regs;
	taken++;
	assert_int_equal(data->cpu_entry.cpu, TARGET);
	assert_true(data->sample_flags & PERF_SAMPLE_TID);
	pid = data->tid_entry.pid;
	tid = data->tid_entry.tid;
}

/* A sample of user space, of a task by its number in the first namespace */
static enum pcs_outcome output(struct perf_event *event, u32 number)
{
	struct pcs_event ev = {
		.event = event, .sample = &ev.alone,
		.regs = { .pmpcsr = PMPCSR_NS | 0x400000 },
		.owner = {
			.host.kernel = { .kernel = AM_KERNEL_VHE, .has_el2 = true,
					 .names_tasks = true },
			.tid = number,
		},
	};

	return pcs_sample_output(&ev, TARGET, 1000);
}

/* The same for an event that was made in the kernel */
static void sample(struct pid_namespace *ns, u32 number)
{
	struct perf_event event = { .ns = ns, .overflow_handler = take, .owner = OF_KERNEL };

	pid = 0xDEAD;
	tid = 0xDEAD;
	assert_int_equal(output(&event, number), PCS_SAMPLE);
}

static void test_ids(void **state)
{
	static const struct {
		struct pid_namespace *ns;
		u32 number;
		bool is_there;
		u32 pid, tid;
	} rows[] = {
		{ &init_pid_ns, TID, true, PID, TID },
		{ &container, TID, true, PID_IN, TID_IN },
		{ &other, TID, true, 0, 0 },
		/* It has exited; its number means nothing in another namespace. */
		{ &init_pid_ns, TID, false, NONE, TID },
		{ &container, TID, false, NONE, NONE },
		/* The idle task is the same everywhere. */
		{ &init_pid_ns, 0, false, 0, 0 },
		{ &container, 0, false, 0, 0 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		is_there = rows[i].is_there;
		lives = 100;
		sample(rows[i].ns, rows[i].number);
		assert_int_equal(pid, rows[i].pid);
		assert_int_equal(tid, rows[i].tid);
	}
}

/* At whatever moment the task exits, an id of it is right, or -1, but not that of the idle task. */
static void test_a_task_that_goes(void **state)
{
	unsigned int last = 0, i;

	(void)state;
	is_there = true;
	for (i = 0; i < 6; i++) {
		lives = i;
		sample(&container, TID);
		assert_true(pid == PID_IN || pid == NONE);
		assert_true(tid == TID_IN || tid == NONE);
		last += tid == NONE;
	}
	/* The last times it lives on. */
	assert_in_range(last, 1, 5);
}

/* Nobody has the samples of a user's event without a buffer. The kernel's own has its handler. */
static void test_takers(void **state)
{
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take, .owner = &task };

	(void)state;
	is_there = true;
	lives = 100;
	/* As pcs_event_init() leaves an event that came without one */
	event.overflow_handler_context = &event;
	taken = 0;
	assert_int_equal(output(&event, TID), PCS_BUFFER_FULL);
	assert_int_equal(taken, 0);
	event.rb = &event;
	assert_int_equal(output(&event, TID), PCS_SAMPLE);
	assert_int_equal(taken, 1);
	event.rb = NULL;
	event.owner = OF_KERNEL;
	assert_int_equal(output(&event, TID), PCS_SAMPLE);
	assert_int_equal(taken, 2);
}

/*
 * The raw record
 */

static struct arm_pcsample_record record;
static u32 record_size;

static void take_record(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	(void)event;
	(void)regs;
	assert_true(data->sample_flags & PERF_SAMPLE_RAW);
	assert_int_equal(data->raw->size, data->raw->frag.size);
	assert_int_equal(data->dyn_size, sizeof(u32) + data->raw->size);
	assert_in_range(data->raw->size, 1, sizeof(record));
	record_size = data->raw->size;
	memcpy(&record, data->raw->frag.data, record_size);
}

#define COUNTS	(ARM_PCSAMPLE_HAS_CYCLES | ARM_PCSAMPLE_HAS_COUNTED)

/* A VMID that is UNKNOWN may be any */
static u16 vmid_of(const struct place *place)
{
	return place->known & ARM_PCSAMPLE_HAS_VMID ? place->vmid : 0x99;
}

/* All registers hold something, and @before is what the last sample has left in the record. */
static void record_of(const struct place *place, u8 given, bool with_ids, bool counts)
{
	const struct arm_pcsample_record before = {
		.has = COUNTS, .pmcid1sr = 0xDEAD, .pmcid2sr = 0xDEAD, .pmvidsr = 0xDEAD,
	};
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take_record,
				    .owner = OF_KERNEL };
	struct pcs_event ev = {
		.event = &event, .recorded = true, .with_ids = with_ids, .counts = counts,
		.record_size = pcs_record_size(counts),
		.sample = &ev.alone, .alone.record = before,
		.regs = {
			.pmpcsr = place->pmpcsr | 0x400000, .pmcid1sr = 0x111, .pmcid2sr = 0x222,
			.pmvidsr = vmid_of(place), .host_vmid = place->host_vmid, .given = given,
			.source = ARM_PCSAMPLE_SOURCE_PMU32,
		},
		.owner = { .host = *place->host, .in_vcpu = place->in_vcpu, .tid = TID },
	};

	assert_int_equal(pcs_sample_output(&ev, TARGET, 1000), PCS_SAMPLE);
}

static void compare_record(const struct place *place, u8 has, bool counts)
{
	assert_int_equal(record_size, counts ? sizeof(record) :
			 offsetof(struct arm_pcsample_record, cycles));
	assert_int_equal(record.size, record_size);
	assert_int_equal(record.has, has | (counts ? COUNTS : 0));
	assert_int_equal(record.attribution, place->attribution);
	assert_int_equal(record.source, ARM_PCSAMPLE_SOURCE_PMU32);
	assert_int_equal(record.pmpcsr, place->pmpcsr | 0x400000);
	assert_int_equal(record.pmcid1sr, has & ARM_PCSAMPLE_HAS_CID1 ? 0x111 : 0);
	assert_int_equal(record.pmcid2sr, has & ARM_PCSAMPLE_HAS_CID2 ? 0x222 : 0);
	assert_int_equal(record.pmvidsr, has & ARM_PCSAMPLE_HAS_VMID ? place->vmid : 0);
}

/*
 * A register is in the record only if it is known there, the block has it, and the owner of the
 * event may see it. All others may belong to anybody, and are 0.
 */
static void test_record(void **state)
{
	unsigned int i, n;

	(void)state;
	is_there = true;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (n = 0; n < 8 * 4; n++) {
			u8 given = n >> 2;
			bool with_ids = n & 1, counts = n & 2;

			record_of(&places[i], given, with_ids, counts);
			compare_record(&places[i], places[i].known & given &
				       (with_ids ? ALL : (u8)~CIDS), counts);
		}
	}
}

/*
 * One event sees samples of all places of a host, and takes none for another.
 */

static void place_of(struct pcs_event *ev, const struct place *place, u8 given, bool names_tasks)
{
	ev->regs = (struct pcs_regs) {
		.pmpcsr = place->pmpcsr | 0x400000, .pmcid1sr = 0x111, .pmcid2sr = 0x222,
		.pmvidsr = vmid_of(place), .host_vmid = place->host_vmid, .given = given,
		.source = ARM_PCSAMPLE_SOURCE_PMU32,
	};
	ev->owner = (struct pcs_owner) {
		.host = *place->host, .in_vcpu = place->in_vcpu, .tid = TID,
	};
	ev->owner.host.kernel.names_tasks = names_tasks;
	assert_int_equal(pcs_sample_output(ev, TARGET, 1000), PCS_SAMPLE);
}

static void test_places(void **state)
{
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take_record,
				    .owner = OF_KERNEL };
	static struct pcs_event ev;
	unsigned int i, n;

	(void)state;
	is_there = true;
	for (n = 0; n < 3 * ARRAY_SIZE(places); n++) {
		const struct place *place = &places[n % ARRAY_SIZE(places)];

		if (!n || place->host != places[(n - 1) % ARRAY_SIZE(places)].host)
			ev = (struct pcs_event) {
				.event = &event, .recorded = true, .with_ids = true,
				.record_size = pcs_record_size(false), .sample = &ev.alone,
			};
		for (i = 0; i < 8; i++) {
			place_of(&ev, place, i, true);
			compare_record(place, place->known & i, false);
			place_of(&ev, place, i, false);
			assert_true(record.attribution != ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL1);
			assert_true(record.attribution != ARM_PCSAMPLE_ATTR_CONTEXTIDR_EL2);
		}
	}
}

/*
 * Where the address tells EL0 from EL1, a kernel thread at an address of user space is in the
 * kernel, and a task that is none is not, whichever was seen first.
 */
static void test_kernel_threads(void **state)
{
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take_record,
				    .owner = OF_KERNEL };
	struct pcs_event ev = {
		.event = &event, .recorded = true, .sample = &ev.alone,
		.record_size = pcs_record_size(false),
	};
	unsigned int i;

	(void)state;
	is_there = true;
	for (i = 0; i < 6; i++) {
		bool is_kernel = i & 1;

		task.flags = is_kernel ? PF_KTHREAD : 0;
		ev.regs = (struct pcs_regs) {
			.pmpcsr = NS | 0x400000, .el_by_address = true, .given = CID1,
		};
		ev.owner = (struct pcs_owner) { .host = no_el2, .tid = TID };
		assert_int_equal(pcs_sample_output(&ev, TARGET, 1000), PCS_SAMPLE);
		assert_int_equal(ev.alone.misc, is_kernel ? PERF_RECORD_MISC_KERNEL :
							    PERF_RECORD_MISC_USER);
		assert_int_equal(record.pmpcsr, NS | EL(is_kernel ? 1 : 0) | 0x400000);
	}
	task.flags = 0;
}

/* What is filtered is what pcs_is_filtered() says, for all filters, places and tasks. */
static void test_filters(void **state)
{
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take,
				    .owner = OF_KERNEL };
	unsigned int bits, i, n;

	(void)state;
	is_there = true;
	for (bits = 0; bits < 64; bits++) {
		for (i = 0; i < ARRAY_SIZE(places); i++) {
			struct pcs_event ev = {
				.event = &event, .sample = &ev.alone,
				.filter = {
					.exclude_user = bits & 1, .exclude_kernel = bits & 2,
					.exclude_hv = bits & 4, .exclude_idle = bits & 8,
					.exclude_host = bits & 16, .exclude_guest = bits & 32,
				},
			};

			for (n = 0; n < 4; n++) {
				const struct place *p = &places[i];
				bool idle = n & 1, el_is_known;

				ev.regs = (struct pcs_regs) {
					.pmpcsr = p->pmpcsr, .pmvidsr = vmid_of(p),
					.host_vmid = p->host_vmid, .el_by_address = n & 2,
				};
				ev.owner = (struct pcs_owner) {
					.host = *p->host, .in_vcpu = p->in_vcpu,
					.tid = idle ? 0 : TID,
				};
				el_is_known = pcs_el_is_known(&ev.regs, p->world);
				assert_int_equal(pcs_sample_output(&ev, TARGET, 1000) ==
						 PCS_FILTERED,
						 pcs_is_filtered(&ev.filter, p->world, el_is_known,
								 p->has_task && idle));
			}
		}
	}
}

/*
 * Batches
 */

static struct arm_pcsample_batch batch;
static struct arm_pcsample_member members[ARM_PCSAMPLE_BATCH_MAX];
static struct perf_sample_data of_batch;
static bool is_full;

static void take_batch(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	const struct arm_pcsample_record *first = data->raw->frag.data;
	const u8 *bytes = data->raw->frag.data;
	unsigned int i;

	(void)regs;
	if (is_full)
		event->lost_samples++;
	of_batch = *data;
	record = *first;
	memcpy(&batch, bytes + first->size, sizeof(batch));
	assert_in_range(batch.nr, 1, ARM_PCSAMPLE_BATCH_MAX);
	assert_int_equal(batch.stride, offsetof(struct arm_pcsample_member, record) + first->size);
	assert_int_equal(batch.reserved, 0);
	assert_int_equal(data->raw->size, first->size + sizeof(batch) + batch.nr * batch.stride);
	assert_int_equal(data->raw->size, data->raw->frag.size);
	assert_int_equal((data->raw->size + sizeof(u32)) % sizeof(u64), 0);
	assert_int_equal(data->dyn_size, sizeof(u32) + data->raw->size);
	for (i = 0; i < batch.nr; i++)
		memcpy(&members[i], bytes + first->size + sizeof(batch) + i * batch.stride,
		       batch.stride);
}

/* Number @n of an event, all of whose fields differ from those of others */
static void add_to_batch(struct pcs_event *ev, unsigned int n)
{
	struct arm_pcsample_record *plan = &ev->sample->record;

	plan->planned = 1000 * n;
	plan->late = n;
	plan->seq = n;
	plan->target = n % 5;
	plan->reader = 77;
	plan->has = ev->counts ? COUNTS : 0;
	if (ev->counts)
		plan->cycles = 3 * n;
	ev->regs = (struct pcs_regs) {
		.pmpcsr = NS | EL(n & 1) | (0x400000 + 4 * n), .pmcid1sr = n, .given = CID1,
	};
	ev->owner = (struct pcs_owner) { .host = no_el2, .tid = n % 3 ? TID : 0 };
	assert_int_equal(pcs_sample_output(ev, n % 5, 100 + n), PCS_BATCHED);
}

static void compare_member(unsigned int i, unsigned int n, bool counts)
{
	const struct arm_pcsample_member *m = &members[i];

	assert_int_equal(m->ip, 0x400000 + 4 * n);
	assert_int_equal(m->misc, n & 1 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	assert_int_equal(m->pid, n % 3 ? PID : 0);
	assert_int_equal(m->tid, n % 3 ? TID : 0);
	assert_int_equal(m->period, 100 + n);
	assert_int_equal(m->cgroup, 0);
	assert_int_equal(m->reserved, 0);
	assert_int_equal(m->record.size, pcs_record_size(counts));
	assert_int_equal(m->record.seq, n);
	assert_int_equal(m->record.planned, 1000 * n);
	assert_int_equal(m->record.late, n);
	assert_int_equal(m->record.target, n % 5);
	assert_int_equal(m->record.reader, 77);
	assert_int_equal(m->record.has, CID1 | (counts ? COUNTS : 0));
	assert_int_equal(m->record.pmcid1sr, n);
	if (counts)
		assert_int_equal(m->record.cycles, 3 * n);
}

/* The record is that of the member that was chosen, and stands for all. */
static void compare_chosen(unsigned int i)
{
	const struct arm_pcsample_member *m = &members[i];

	assert_memory_equal(&record, &m->record, record.size);
	assert_int_equal(of_batch.ip, m->ip);
	assert_int_equal(of_batch.tid_entry.pid, m->pid);
	assert_int_equal(of_batch.tid_entry.tid, m->tid);
	assert_int_equal(of_batch.cpu_entry.cpu, m->record.target);
	assert_int_equal(of_batch.period, batch.nr * m->period);
}

/* Batches of each size, one after the other, in which each member is chosen once */
static void batches_of(bool counts)
{
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take_batch,
				    .owner = OF_KERNEL };
	struct pcs_event ev = {
		.event = &event, .recorded = true, .with_ids = true, .counts = counts,
		.record_size = pcs_record_size(counts),
	};
	unsigned int nr, i, chosen, n = 0;

	assert_int_equal(pcs_batch_create(&ev), 0);
	for (nr = 1; nr <= ARM_PCSAMPLE_BATCH_MAX; nr++) {
		for (chosen = 0; chosen < nr; chosen++) {
			for (i = 0; i < nr; i++) {
				add_to_batch(&ev, n + i);
				assert_int_equal(ev.batch->nr, i + 1);
				assert_int_equal(ev.batch->since, 1000 * n + n);
			}
			ev.batch->random.next = ((u64)chosen << 32) / nr + 1;
			assert_int_equal(pcs_batch_output(&ev), PCS_SAMPLE);
			assert_int_equal(ev.batch->nr, 0);
			assert_int_equal(batch.nr, nr);
			for (i = 0; i < nr; i++)
				compare_member(i, n + i, counts);
			compare_chosen(chosen);
			n += nr;
		}
	}
	free(ev.batch);
}

static void test_batches(void **state)
{
	(void)state;
	is_there = true;
	batches_of(false);
	batches_of(true);
}

/* perf counts one lost record, and the driver the rest of its samples. */
static void test_full_buffer(void **state)
{
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take_batch,
				    .owner = OF_KERNEL };
	struct pcs_event ev = {
		.event = &event, .recorded = true, .record_size = pcs_record_size(false),
	};
	unsigned int i;

	(void)state;
	is_there = true;
	assert_int_equal(pcs_batch_create(&ev), 0);
	for (i = 0; i < 7; i++)
		add_to_batch(&ev, i);
	is_full = true;
	assert_int_equal(pcs_batch_output(&ev), PCS_BUFFER_FULL);
	is_full = false;
	assert_int_equal(event.lost_samples, 7);
	/* Nobody to take them is no loss of perf's. */
	event.owner = &task;
	add_to_batch(&ev, 7);
	assert_int_equal(pcs_batch_output(&ev), PCS_BUFFER_FULL);
	assert_int_equal(event.lost_samples, 7);
	free(ev.batch);
}

/* What is filtered is in no batch. */
static void test_filtered_batch(void **state)
{
	struct perf_event event = { .ns = &init_pid_ns, .overflow_handler = take_batch,
				    .owner = OF_KERNEL };
	struct pcs_event ev = {
		.event = &event, .recorded = true, .record_size = pcs_record_size(false),
		.filter.exclude_user = true,
	};

	(void)state;
	is_there = true;
	assert_int_equal(pcs_batch_create(&ev), 0);
	ev.regs = (struct pcs_regs) { .pmpcsr = NS | EL(0) | 0x400000, .given = CID1 };
	ev.owner = (struct pcs_owner) { .host = no_el2, .tid = TID };
	assert_int_equal(pcs_sample_output(&ev, TARGET, 1000), PCS_FILTERED);
	assert_int_equal(ev.batch->nr, 0);
	add_to_batch(&ev, 1);
	assert_int_equal(pcs_batch_output(&ev), PCS_SAMPLE);
	assert_int_equal(batch.nr, 1);
	assert_int_equal(members[0].record.seq, 1);
	free(ev.batch);
}

/*
 * The call chain, of the sampled PC alone: struct perf_callchain_entry
 */

static u64 chain[3], chain_size;

static void take_chain(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	(void)event;
	(void)regs;
	assert_true(data->sample_flags & PERF_SAMPLE_CALLCHAIN);
	assert_in_range(data->callchain->nr, 0, 2);
	memcpy(chain, data->callchain, (1 + data->callchain->nr) * sizeof(u64));
	chain_size = data->dyn_size;
}

/* An event that excludes user space or the kernel from its chains gets samples of both. */
static void chain_of(bool user, bool without_user, bool without_kernel)
{
	struct perf_event event = {
		.attr = {
			.sample_type = PERF_SAMPLE_CALLCHAIN,
			.exclude_callchain_user = without_user,
			.exclude_callchain_kernel = without_kernel,
		},
		.ns = &init_pid_ns, .overflow_handler = take_chain, .owner = OF_KERNEL,
	};
	struct pcs_event ev = {
		.event = &event, .sample = &ev.alone,
		.regs = { .pmpcsr = NS | EL(user ? 0 : 2) | 0x400000, .given = ALL },
		.owner = { .host = vhe },
	};

	assert_int_equal(pcs_sample_output(&ev, TARGET, 1000), PCS_SAMPLE);
}

static void test_callchain(void **state)
{
	unsigned int n;

	(void)state;
	for (n = 0; n < 8; n++) {
		bool user = n & 1, without_user = n & 2, without_kernel = n & 4;

		chain_of(user, without_user, without_kernel);
		if (user ? without_user : without_kernel) {
			assert_int_equal(chain[0], 0);
			assert_int_equal(chain_size, sizeof(u64));
			continue;
		}
		assert_int_equal(chain[0], 2);
		assert_int_equal(chain[1], user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL);
		assert_int_equal(chain[2], 0x400000);
		assert_int_equal(chain_size, 3 * sizeof(u64));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_a_task_that_goes),
		cmocka_unit_test(test_takers),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_kernel_threads),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_full_buffer),
		cmocka_unit_test(test_filtered_batch),
		cmocka_unit_test(test_callchain),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
