// SPDX-License-Identifier: GPL-2.0-only
/* Tests of register sets whose samples are PMU snapshots, on the hardware of hardware.h */
#include <arch-model/control-regs.h>
#include <string.h>

#include "hardware.h"
#include "ident.h"
#include "sets.h"
#include "test.h"

#define FEAT	(AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_VHE | AM_FEAT_VMID16 | AM_FEAT_PCSRV8P2 | \
		 AM_FEAT_PCSRV8P9 | AM_FEAT_DEBUGV8P4 | AM_FEAT_PMUV3_SS)

#define SAMPLE32	"r4:200 r4:204 r4:208 r4:22c r4:20c"
#define SAMPLE64	"r8:200 r8:208 r8:228"

/*
 * Both views: the accesses of opening, which ends with a read to complete the write; of a snapshot
 * with all counts, of one with none, and of one not taken
 */
static const struct view {
	u32 devarch;
	u64 feat;
	const char *name, *open, *counted, *bare, *refused;
} views[] = {
	{ 0x47702A16, FEAT, "snapshot32", "r4:e50 w4:e50 r4:e50",
	  "w4:e30 r4:e30 r4:e34 r4:6f8 r4:6fc r4:700 r4:704 r4:610 r4:614 " SAMPLE32,
	  "w4:e30 r4:e30 r4:e34 " SAMPLE32, "w4:e30 r4:e30 r4:e34" },
	{ 0x47702A26, FEAT | AM_FEAT_PMUV3_EXT64, "snapshot64", "r8:e50 w8:e50 r8:e50",
	  "w8:e30 r8:e30 r8:6f8 r8:700 r8:610 " SAMPLE64,
	  "w8:e30 r8:e30 " SAMPLE64, "w8:e30 r8:e30" },
};

static struct am_linux kernel = { .kernel = AM_KERNEL_VHE, .has_el2 = true, .names_tasks = true };
static struct pcs_frame frame;

static void identify(const struct view *view, u32 devid, bool may_capture)
{
	struct pcs_ident id = {
		.ids = {
			.cidr = { 0x0D, 0x90, 0x05, 0xB1 },
			.devarch = view->devarch, .devtype = 0x16, .devid = devid,
		},
		.devaff = 0x80000000,
	};

	hw = (struct hardware){
		.ids = id.ids,
		.pe = { .feat = view->feat, .el = 1, .mdcr_el2 = 1ULL << 30 },
		.chosen = { .imp = true },
		.auth = { .noninvasive = true },
		.sse = 3,
		.nc = true,
	};
	hw.id = am_pcs_identify(&hw.ids);
	hardware_reset();
	frame = (struct pcs_frame){
		.base = hardware_block, .kernel = &kernel, .may_capture = may_capture,
		.counter = { PCS_COUNTER_NONE, PCS_COUNTER_NONE, PCS_COUNTER_NONE },
	};
	assert_int_equal(pcs_ident_check(&id, 0, &frame), PCS_IDENT_GOOD);
}

static void retire(u64 pc)
{
	const struct am_pcs_insn insn = {
		.pc = pc, .branch = true, .contextidr = 42, .contextidr_el2 = 43, .vmid = 44,
		.vs = true,
	};

	am_pcsr_retire(&hw.pcsr, &hw.pe, &hw.auth, &insn);
}

static enum pcs_outcome take(struct pcs_regs *regs)
{
	*regs = (struct pcs_regs){};
	hardware_forget_log();
	return frame.set->take(&frame, regs);
}

static void open_and_run(void)
{
	frame.set = frame.snapshots;
	frame.set->open(&frame);
	retire(0x1000);
}

static void start(const struct view *view)
{
	identify(view, 0x12, true);
	open_and_run();
}

static void test_who_has_them(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(views); i++) {
		identify(&views[i], 0x12, true);
		assert_string_equal(frame.snapshots->name, views[i].name);
		assert_ptr_equal(frame.set, frame.reads);
		assert_ptr_not_equal(frame.set, frame.snapshots);
		/*
		 * No snapshots without the firmware's permission, without PMPCSCTL.SS, or without
		 * either feature
		 */
		identify(&views[i], 0x12, false);
		assert_null(frame.snapshots);
		identify(&views[i], 0x11, true);
		assert_null(frame.snapshots);
		identify(&views[i], 0x02, true);
		assert_null(frame.snapshots);
	}
}

static void test_control(void **state)
{
	static const u32 found[] = { 0, PMPCSCTL_EN, PMPCSCTL_SS, PMPCSCTL_EN | PMPCSCTL_SS };
	unsigned int i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(views); i++) {
		for (n = 0; n < 2 * ARRAY_SIZE(found); n++) {
			const u64 en = n & 1 ? PMPCSCTL_IMP | PMPCSCTL_EN : 0;
			u64 before;

			identify(&views[i], 0x12, true);
			hw.chosen.imp = en;
			hardware_reset();
			am_pcsr_write_pmpcsctl(&hw.pcsr, &hw.pe, found[n / 2]);
			before = hw.pcsr.pmpcsctl;
			hardware_forget_log();
			frame.snapshots->open(&frame);
			assert_string_equal(hw.log, views[i].open);
			frame.snapshots->open(&frame);
			assert_int_equal(hw.pcsr.pmpcsctl, en | PMPCSCTL_SS);
			assert_true(frame.snapshots->close(&frame));
			assert_int_equal(hw.pcsr.pmpcsctl, before);
		}
	}
}

static void test_a_snapshot(void **state)
{
	struct pcs_regs regs;
	unsigned int i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(views); i++) {
		start(&views[i]);
		frame.counter[PCS_COUNT_CYCLES] = PCS_COUNTER_CYCLES;
		frame.counter[PCS_COUNT_INSTRUCTIONS] = PCS_COUNTER_INSTRUCTIONS;
		frame.counter[PCS_COUNT_EVENT] = 2;
		hw.counter[31] = 0x123456789ABCDEF0;
		hw.counter[32] = 0xFEDCBA9876543210;
		hw.counter[2] = 0x1111222233334444;
		assert_int_equal(take(&regs), PCS_SAMPLE);
		assert_string_equal(hw.log, views[i].counted);
		assert_true(regs.captured);
		assert_int_equal(regs.saved[PCS_COUNT_CYCLES], 0x123456789ABCDEF0);
		assert_int_equal(regs.saved[PCS_COUNT_INSTRUCTIONS], 0xFEDCBA9876543210);
		assert_int_equal(regs.saved[PCS_COUNT_EVENT], 0x1111222233334444);
		assert_int_equal(regs.pmpcsr, 0x2000000000001000 | PMPCSR_NS);
		assert_int_equal(regs.pmcid1sr, 42);
		assert_int_equal(regs.pmcid2sr, 43);
		assert_int_equal(regs.pmvidsr, 44);

		for (n = 0; n < PCS_NR_COUNTS; n++)
			frame.counter[n] = PCS_COUNTER_NONE;
		assert_int_equal(take(&regs), PCS_SAMPLE);
		assert_string_equal(hw.log, views[i].bare);
	}
}

/* The result of a request is reported, and a dead bus does not block the reader. */
static void test_no_snapshot(void **state)
{
	struct pcs_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(views); i++) {
		start(&views[i]);
		hw.sse = 2;
		assert_int_equal(take(&regs), PCS_PROHIBITED);
		assert_string_equal(hw.log, views[i].refused);
		assert_false(regs.captured);
		hw.sse = 0;				/* ignored: NC keeps its value */
		assert_int_equal(take(&regs), PCS_PROHIBITED);
		assert_false(regs.captured);

		/* The capture takes some time, and then never ends. */
		hw.sse = 3;
		hw.busy = 60;
		assert_int_equal(take(&regs), PCS_SAMPLE);
		assert_true(regs.captured);
		hw.busy = 1000000;
		assert_int_equal(take(&regs), PCS_ERROR);
		assert_false(regs.captured);
		assert_true(hw.busy > 1000000 - 100);
		hw.busy = 0;

		hw.dead = true;
		hw.dead_value = ~0ULL;
		assert_int_equal(take(&regs), PCS_ERROR);
		hw.dead_value = 0;
		assert_int_equal(take(&regs), PCS_ERROR);
		assert_false(regs.captured);
		hw.dead = false;

		/* Counters are captured even if the PC is not. */
		hw.auth.noninvasive = false;
		assert_int_equal(take(&regs), PCS_PROHIBITED);
		assert_true(regs.captured);
	}
}

/* Captures were disabled after one was taken: the registers still show that one. */
static void test_old_snapshot(void **state)
{
	struct pcs_regs first, second;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(views); i++) {
		start(&views[i]);
		frame.counter[PCS_COUNT_CYCLES] = PCS_COUNTER_CYCLES;
		hw.counter[31] = 1000;
		assert_int_equal(take(&first), PCS_SAMPLE);
		hw.counter[31] = 2000;
		hw.sse = 0;
		retire(0x2000);
		assert_int_equal(take(&second), PCS_SAMPLE);
		assert_int_equal(second.pmpcsr, first.pmpcsr);
		assert_int_equal(second.saved[PCS_COUNT_CYCLES], first.saved[PCS_COUNT_CYCLES]);
	}
}

/* A walk over states of the PE, compared with the model */
static void test_like_the_model(void **state)
{
	unsigned int i, n, samples, none;
	struct pcs_regs regs;

	(void)state;
	for (i = 0; i < 4 * ARRAY_SIZE(views); i++) {
		identify(&views[i / 4], 0x12, true);
		hw.chosen = (struct am_pcs_impdef){ i & 1, i & 2 };
		hardware_reset();
		open_and_run();
		samples = 0;
		none = 0;
		for (n = 0; n < 20000; n++) {
			struct am_pcsr before;
			bool expected;

			hw.pe.el = any() % 3;
			hw.auth.noninvasive = chance(90);
			hw.pe.halted = chance(5);
			am_pcsr_note_state(&hw.pcsr, &hw.pe, &hw.auth);
			retire(any() & ~3ULL);
			hw.sse = chance(90) ? 3 : any() % 4;
			before = hw.pcsr;
			expected = am_capture_control(&hw.pe, hw.sse, false, false).is ==
				   AM_CAPTURE_ALLOWED &&
				   am_pcsr_capture(&before, &hw.pe, &hw.auth).is > 0;
			if (!expected) {
				/* No PC; prohibited; or disabled, with the previous snapshot */
				none += take(&regs) != PCS_SAMPLE;
				continue;
			}
			assert_int_equal(take(&regs), PCS_SAMPLE);
			assert_int_equal(regs.pmpcsr, before.pmpcsr.value);
			assert_true(am_permits(before.pmcid1sr, regs.pmcid1sr));
			assert_true(am_permits(before.pmcid2sr, regs.pmcid2sr));
			samples++;
		}
		assert_true(samples > 10000 && none > 500);
	}
}

/*
 * IMPLEMENTATION DEFINED snapshots
 */

static void identify_impdef(struct am_linux *linux_is, u32 devid, bool core, bool may_capture)
{
	struct pcs_ident id = {
		.ids = {
			.cidr = { 0x0D, 0x90, 0x05, 0xB1 },
			.devarch = 0x47702A16, .devtype = 0x16, .devid = devid,
		},
		.devaff = 0x80000000,
	};

	hw = (struct hardware){
		.ids = id.ids,
		.chosen = { .imp = true },
		.pe = {
			.feat = AM_FEAT_AA64 | AM_FEAT_EL2 | AM_FEAT_VHE | AM_FEAT_VMID16 |
				AM_FEAT_PCSRV8P2,
			.el = 1,
		},
		.auth = { .noninvasive = true },
		.impdef = true,
	};
	hw.id = am_pcs_identify(&hw.ids);
	hardware_reset();
	frame = (struct pcs_frame){
		.base = hardware_block, .kernel = linux_is, .may_capture = may_capture,
		.impdef_core = core,
		.counter = { PCS_COUNTER_CYCLES, PCS_COUNTER_NONE, 2 },
	};
	assert_int_equal(pcs_ident_check(&id, 0, &frame), PCS_IDENT_GOOD);
}

/* A capture that takes its time is waited for; one that takes too long leaves what was there */
static void test_late_impdef(void)
{
	struct pcs_regs regs;
	unsigned int late;

	for (late = 1; late < 6; late++) {
		hw.late = late;
		hw.capture_in = 0;
		retire(0x1000 * late);
		hw.counter[31]++;
		assert_int_equal(take(&regs), PCS_SAMPLE);
		if (late < 5) {
			assert_int_equal(regs.saved[PCS_COUNT_CYCLES], hw.counter[31]);
			assert_int_equal(regs.pmpcsr & 0xFFFFFFFF, 0x1000 * late);
		} else {
			assert_int_equal(regs.saved[PCS_COUNT_CYCLES], hw.counter[31] - 1);
		}
	}
	hw.late = 0;

	/* The first one after a reset */
	am_impdef_reset(&hw.snapshot);
	hw.late = 3;
	retire(0x9000);
	hw.counter[31]++;
	assert_int_equal(take(&regs), PCS_SAMPLE);
	assert_int_equal(regs.pmpcsr & 0xFFFFFFFF, 0x9000);
	am_impdef_reset(&hw.snapshot);
	hw.late = 10;
	assert_int_equal(take(&regs), PCS_PROHIBITED);
	hw.late = 0;
	hw.capture_in = 0;
}

static void test_impdef(void **state)
{
	struct am_linux el1 = { .kernel = AM_KERNEL_EL1, .has_el2 = true };
	struct am_linux no_el2 = { .kernel = AM_KERNEL_EL1 };
	struct pcs_regs regs;

	(void)state;
	/* By the part number; not if the block has the architecture's; at EL1 not without a VMID */
	identify_impdef(&kernel, 1, false, true);
	assert_null(frame.snapshots);
	identify_impdef(&kernel, 1, true, false);
	assert_null(frame.snapshots);
	identify_impdef(&el1, 1, true, true);
	assert_null(frame.snapshots);
	identify_impdef(&kernel, 0x11, true, true);
	assert_null(frame.snapshots);
	identify_impdef(&no_el2, 1, true, true);
	assert_string_equal(frame.snapshots->name, "impdef");
	identify_impdef(&kernel, 1, true, true);
	assert_int_equal(frame.snapshots->source, ARM_PCSAMPLE_SOURCE_IMPDEF);
	assert_false(frame.snapshots->wide);

	/* Sampling is made active by the read of the set that takes samples by reads. */
	frame.set = frame.snapshots;
	hardware_forget_log();
	frame.set->open(&frame);
	assert_string_equal(hw.log, "r4:200");
	retire(0x1000);
	hw.counter[31] = 0x123456789ABCDEF0;
	hw.counter[2] = 0x1111222233334444;
	assert_int_equal(take(&regs), PCS_SAMPLE);
	assert_string_equal(hw.log, "r4:618 w4:6f0 r4:610 r4:618 r4:618 r4:61c r4:628 "
				    "r4:600 r4:604 r4:608 r4:60c");
	assert_true(regs.captured);
	assert_int_equal(regs.saved[PCS_COUNT_CYCLES], 0x123456789ABCDEF0);
	assert_int_equal(regs.saved[PCS_COUNT_EVENT], 0x33334444);
	assert_int_equal(regs.pmpcsr, 0x2000000000001000 | PMPCSR_NS);
	assert_int_equal(regs.pmcid1sr, 42);
	assert_int_equal(regs.pmcid2sr, 43);
	assert_int_equal(regs.given, ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2);

	hw.auth.noninvasive = false;
	assert_int_equal(take(&regs), PCS_PROHIBITED);
	assert_true(regs.captured);
	hw.auth.noninvasive = true;
	test_late_impdef();
	hw.dead = true;
	hw.dead_value = ~0ULL;
	assert_int_equal(take(&regs), PCS_ERROR);
	assert_false(regs.captured);
	hw.dead_value = 0;
	assert_int_equal(take(&regs), PCS_ERROR);
	assert_false(regs.captured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_has_them),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_a_snapshot),
		cmocka_unit_test(test_no_snapshot),
		cmocka_unit_test(test_old_snapshot),
		cmocka_unit_test(test_like_the_model),
		cmocka_unit_test(test_impdef),
	};

	return cmocka_run_group_tests_name("snapshots", tests, NULL, NULL);
}
