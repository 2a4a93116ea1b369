// SPDX-License-Identifier: GPL-2.0-only
/* Tests of all register sets, on the hardware of hardware.h */
#include <stdio.h>
#include <string.h>

#include "ident.h"
#include "kinds.h"
#include "test.h"

static struct am_linux kernel;
static struct pcs_frame frame;

static void identify(const struct kind *kind, bool may_request)
{
	struct pcs_ident id = { .devaff = 0x80000000, .ids = hw.ids };

	hw.id = am_pcs_identify(&hw.ids);
	kernel = kernel_of(kind);
	frame = (struct pcs_frame){
		.base = hardware_block, .kernel = &kernel, .may_request = may_request,
	};
	assert_int_equal(pcs_ident_check(&id, 0, &frame), PCS_IDENT_GOOD);
	assert_int_equal(frame.set->source, kind->source);
}

/* A block of this kind, out of reset, that the driver has identified; PE 0 at Non-secure EL1 */
static void power_on(const struct kind *kind)
{
	plug_in(kind);
	identify(kind, false);
}

static const struct am_pcs_insn kernel_code = {
	.pc = 0xFFFF800008123450, .branch = true, .contextidr = 42, .contextidr_el2 = 43,
	.vmid = 0x1234, .vs = true,
};

static enum pcs_outcome take(struct pcs_regs *regs)
{
	return frame.set->take(&frame, regs);
}

/* Open the block and let the PE run some code; then there is a sample. */
static void open_and_run(void)
{
	struct pcs_regs regs;

	frame.set->open(&frame);
	take(&regs);
	retire(&kernel_code);
	hardware_forget_log();
}

static void start(const struct kind *kind)
{
	power_on(kind);
	open_and_run();
}

/*
 * Samples
 */

static void test_accesses(void **state)
{
	struct pcs_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		start(&kinds[i]);
		assert_int_equal(take(&regs), PCS_SAMPLE);
		assert_string_equal(hw.log, kinds[i].accesses);
	}
}

/* A value that the register set has; 0 if it does not */
static void is_given(const struct pcs_regs *regs, u8 bit, u32 value, u32 expected)
{
	assert_int_equal(value, regs->given & bit ? expected : 0);
}

static void test_a_sample(void **state)
{
	struct pcs_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		start(&kinds[i]);
		assert_int_equal(take(&regs), PCS_SAMPLE);
		assert_int_equal(regs.pmpcsr, 0xA0FF800008123450);	/* NS, EL1, PC[55:0] */
		if (!(kinds[i].feat & AM_FEAT_EL2))
			continue;
		is_given(&regs, ARM_PCSAMPLE_HAS_CID1, regs.pmcid1sr, 42);
		is_given(&regs, ARM_PCSAMPLE_HAS_CID2, regs.pmcid2sr, 43);
		is_given(&regs, ARM_PCSAMPLE_HAS_VMID, regs.pmvidsr, 0x1234);
	}
}

/* Values that the debug block has, by EDSCR.SC2 and by its implemented registers */
static void test_debug_gives(void **state)
{
	static const struct {
		unsigned int kind;
		u8 given;
		bool el_by_address;
	} rows[] = {
		{ 7, ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_VMID, true },
		{ 8, ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_VMID, true },
		{ 9, ARM_PCSAMPLE_HAS_CID1 | ARM_PCSAMPLE_HAS_CID2, false },
		{ 10, ARM_PCSAMPLE_HAS_CID1, true },
		{ 11, 0, true },
	};
	struct pcs_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		start(&kinds[rows[i].kind]);
		assert_int_equal(take(&regs), PCS_SAMPLE);
		assert_int_equal(regs.given, rows[i].given);
		assert_int_equal(regs.el_by_address, rows[i].el_by_address);
	}
}

static void run_code(void)
{
	struct am_pcs_insn insn = {
		.pc = any() & ~3ULL, .branch = chance(70), .contextidr = any(),
		.contextidr_el2 = any(), .vmid = any(), .vs = true,
	};

	retire(&insn);
}

/* Make one read and compare it with the model. Returns whether there was a sample. */
static bool take_and_compare(void)
{
	struct am_pcsr before = hw.pcsr;
	enum am_pcs_outcome expected = hardware_read(&before, AM_PCS_REG_PC_LO).verdict.is;
	struct pcs_regs regs;
	enum pcs_outcome outcome = take(&regs);

	switch (expected) {
	case AM_PCS_SAMPLE:
		assert_int_equal(outcome, PCS_SAMPLE);
		compare_sample(&frame, &regs);
		return true;
	case AM_PCS_NONE:
		assert_int_equal(outcome, is_all_allowed() ? PCS_DEBUG : PCS_PROHIBITED);
		return false;
	case AM_PCS_UNKNOWN:		/* the driver cannot detect it */
		return false;
	default:
		fail();
		return false;
	}
}

static void test_like_the_model(void **state)
{
	unsigned int i, n, samples;

	(void)state;
	for (i = 0; i < 4 * ARRAY_SIZE(kinds); i++) {
		power_on(&kinds[i / 4]);
		hw.chosen = (struct am_pcs_impdef){ i & 1, i & 2 };
		hardware_reset();
		open_and_run();
		for (n = 0, samples = 0; n < 20000; n++) {
			if (chance(20))
				change_pe();
			if (chance(60))
				run_code();
			hardware_forget_log();
			samples += take_and_compare();
		}
		assert_true(samples > 2000);
	}
}

/* Debug state is told from prohibited sampling, if the authentication interface says enough. */
static void test_no_sample(void **state)
{
	struct pcs_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		start(&kinds[i]);
		hw.pe.halted = true;
		if (kinds[i].feat & AM_FEAT_EL3)
			assert_int_equal(take(&regs), PCS_PROHIBITED);
		hw.auth = (struct am_auth){ true, true, true, true };
		assert_int_equal(take(&regs), PCS_DEBUG);
		/* Without it nothing is known, and the block is not taken for a disabled one. */
		hw.no_authstatus = true;
		assert_int_equal(take(&regs), PCS_PROHIBITED);
		assert_false(pcs_frame_is_disabled(&frame));
		hw.no_authstatus = false;
		hw.pe.halted = false;
		hw.auth.noninvasive = false;
		assert_int_equal(take(&regs), PCS_PROHIBITED);
	}
}

/* The bus answers errors with zeros or with ones */
static void test_dead_bus(void **state)
{
	struct pcs_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		start(&kinds[i]);
		hw.dead = true;
		assert_int_equal(take(&regs), PCS_ERROR);
		hw.dead_value = ~0ULL;
		/* Without EDVIDSR this looks like a PE that may not be sampled. */
		if (!is_debug(&kinds[i]) || frame.has_vid)
			assert_int_equal(take(&regs), PCS_ERROR);
		else
			assert_int_equal(take(&regs), PCS_DEBUG);
	}
}

/* Addresses whose low word is that of a dead bus, but not all of the sample */
static void test_zeros_in_a_sample(void **state)
{
	struct am_pcs_insn insn = kernel_code;
	struct pcs_regs regs;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		start(&kinds[i]);
		insn.pc = 0xFFFF800100000000;
		retire(&insn);
		assert_int_equal(take(&regs), PCS_SAMPLE);
		assert_int_equal(regs.pmpcsr, 0xA0FF800100000000);
		if (is_debug(&kinds[i]) && !frame.has_vid)
			continue;
		insn.pc = 0;
		retire(&insn);
		assert_int_equal(take(&regs), PCS_SAMPLE);
		assert_int_equal(regs.pmpcsr & PMPCSR_PC, 0);
	}
}

/* Without a sample EDPCSR's high word and EDVIDSR are UNKNOWN: a dead bus has ones in both. */
static void test_ones_without_a_sample(void **state)
{
	static const enum am_pcs_reg words[] = { AM_PCS_REG_PC_HI, AM_PCS_REG_VID };
	struct pcs_regs regs;
	unsigned int i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!is_debug(&kinds[i]))
			continue;
		for (n = 0; n < ARRAY_SIZE(words); n++) {
			start(&kinds[i]);
			hw.auth = (struct am_auth){ true, true, true, true };
			hw.pe.halted = true;
			hw.ones = words[n];
			assert_int_equal(take(&regs), PCS_DEBUG);
		}
	}
}

/*
 * Opening and closing
 */

static void test_authentication(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		power_on(&kinds[i]);
		assert_false(pcs_frame_is_disabled(&frame));
		hw.auth.noninvasive = false;
		assert_true(pcs_frame_is_disabled(&frame));
	}
}

static void test_software_lock(void **state)
{
	(void)state;

	power_on(&kinds[0]);
	assert_true(pcs_frame_unlock(&frame));
	pcs_frame_relock(&frame);
	assert_string_equal(hw.log, "r4:fb4");		/* there is no lock */

	hw.lsr = LSR_OPEN;
	assert_true(pcs_frame_unlock(&frame));
	pcs_frame_relock(&frame);
	assert_int_equal(hw.lsr, LSR_OPEN);			/* it was open before */

	hw.lsr = LSR_LOCKED;
	assert_true(pcs_frame_unlock(&frame));
	assert_int_equal(hw.lsr, LSR_OPEN);
	assert_true(pcs_frame_unlock(&frame));		/* again */
	pcs_frame_relock(&frame);
	assert_int_equal(hw.lsr, LSR_LOCKED);

	hw.lock_is_stuck = true;
	assert_false(pcs_frame_unlock(&frame));
}

/* Code whose contexts all tell the address */
static struct am_pcs_insn code_at(u32 where)
{
	return (struct am_pcs_insn){
		.pc = 0xFFFF800000000000 | (u64)where << 20, .branch = true, .vs = true,
		.contextidr = where, .contextidr_el2 = where + 1, .vmid = where + 2,
	};
}

/* Take a sample, and check that all its parts are of one instruction. */
static enum pcs_outcome take_locked(struct pcs_regs *last)
{
	enum pcs_outcome outcome;
	struct pcs_regs regs;
	u32 where;

	outcome = pcs_frame_take(&frame, &regs, last);
	if (outcome != PCS_SAMPLE)
		return outcome;
	where = regs.pmpcsr >> 20 & 0xFFFFFF;
	is_given(&regs, ARM_PCSAMPLE_HAS_CID1, regs.pmcid1sr, where);
	if (kernel.has_el2) {
		is_given(&regs, ARM_PCSAMPLE_HAS_CID2, regs.pmcid2sr, where + 1);
		is_given(&regs, ARM_PCSAMPLE_HAS_VMID, regs.pmvidsr, (where + 2) & 0xFFFF);
	}
	*last = regs;
	return PCS_SAMPLE;
}

/*
 * At any time between samples, something else closes the Software lock. There are few tasks, so
 * samples are mostly of the same one, or sampling is prohibited. No sample may mix two
 * instructions.
 */
static void test_others_lock(void **state)
{
	unsigned int i, n, samples, locked;
	struct am_pcs_insn code;
	struct pcs_regs last;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		start(&kinds[i]);
		hw.lsr = LSR_OPEN;
		assert_true(pcs_frame_unlock(&frame));
		last = (struct pcs_regs){};
		for (n = samples = locked = 0; n < 4000; n++) {
			hw.auth.noninvasive = !chance(10);
			code = code_at(any() % 4);
			retire(&code);
			if (chance(10)) {
				hw.lsr = LSR_LOCKED;
				locked++;
			}
			hardware_forget_log();
			samples += take_locked(&last) == PCS_SAMPLE;
		}
		assert_true(samples > 2000 && locked > 300);
		assert_true(frame.relocked && frame.was_locked);
	}
}

static void takes(const struct am_pcs_insn *insn, struct pcs_regs *last, const char *accesses)
{
	retire(insn);
	hardware_forget_log();
	assert_int_equal(take_locked(last), PCS_SAMPLE);
	assert_string_equal(hw.log, accesses);
}

/* The driver only checks the lock if nothing but the low word has changed. */
static void test_lock_is_asked(void **state)
{
	const struct am_pcs_insn code = code_at(1), other = code_at(2);
	struct pcs_regs regs, last = {};
	char asked[64];

	(void)state;
	start(&kinds[0]);
	assert_true(pcs_frame_unlock(&frame));
	hardware_forget_log();
	assert_int_equal(pcs_frame_take(&frame, &regs, &last), PCS_SAMPLE);
	assert_string_equal(hw.log, kinds[0].accesses);		/* there is no lock */

	snprintf(asked, sizeof(asked), "%s r4:fb4", kinds[0].accesses);
	hw.lsr = LSR_OPEN;
	assert_true(pcs_frame_unlock(&frame));
	takes(&code, &last, asked);				/* the first sample */
	takes(&other, &last, kinds[0].accesses);
	takes(&other, &last, asked);

	retire(&other);
	hw.lsr = LSR_LOCKED;
	hw.lock_is_stuck = true;
	assert_int_equal(take_locked(&last), PCS_ERROR);
}

/* PMPCSCTL is opened twice, and gets the value back that it had. @en: EN can be written. */
static void open_and_close(const struct kind *kind, bool en, u32 found)
{
	bool has_control = kind->feat & AM_FEAT_PCSRV8P9;

	power_on(kind);
	hw.chosen.imp = en;
	hardware_reset();
	am_pcsr_write_pmpcsctl(&hw.pcsr, &hw.pe, found);
	found = hw.pcsr.pmpcsctl;
	frame.set->open(&frame);
	frame.set->open(&frame);
	assert_int_equal(hw.pcsr.pmpcsctl, has_control && en ? PMPCSCTL_IMP | PMPCSCTL_EN : 0);
	assert_int_equal(frame.set->close(&frame), has_control);
	assert_int_equal(hw.pcsr.pmpcsctl, found);
	assert_false(frame.set->close(&frame));
	if (!has_control)
		assert_string_equal(hw.log, "");
}

static void test_control(void **state)
{
	static const u32 found[] = { 0, PMPCSCTL_EN, PMPCSCTL_SS, PMPCSCTL_EN | PMPCSCTL_SS };
	unsigned int i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (is_debug(&kinds[i]))
			continue;
		for (n = 0; n < 2 * ARRAY_SIZE(found); n++)
			open_and_close(&kinds[i], n & 1, found[n / 2]);
	}
}

/* While the block is open, EDSCR.SC2 is what the kernel needs, whatever a debugger has set. */
static void test_sc2(void **state)
{
	unsigned int i, found;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!is_debug(&kinds[i]) || !(kinds[i].feat & AM_FEAT_DEBUGV8P1))
			continue;
		for (found = 0; found < 2; found++) {
			power_on(&kinds[i]);
			hw.sc2 = found;
			frame.set->open(&frame);
			frame.set->open(&frame);
			assert_int_equal(hw.sc2, kinds[i].kernel == AM_KERNEL_VHE);
			assert_false(frame.set->close(&frame));
			assert_int_equal(hw.sc2, found);
			hardware_forget_log();
			frame.set->close(&frame);
			assert_string_equal(hw.log, "");
		}
	}
}

/*
 * Power is asked for only if that is wanted, and by the bits that there are. EDPRCR gets back what
 * a debugger had there, even if the block is opened twice and power was lost in between.
 */
static void test_power_requests(void **state)
{
	unsigned int i, found, dopd, wanted;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds) * 16; i++) {
		const struct kind *kind = &kinds[i / 16];
		u32 there = CORENPDRQ;

		dopd = is_debug(kind) && (i & 1);
		wanted = i & 2;
		if (!dopd)
			there |= COREPURQ;
		found = ((i & 4 ? CORENPDRQ : 0) | (i & 8 ? COREPURQ : 0)) & there;
		plug_in(kind);
		hw.ids.devid |= dopd * EDDEVID_DEBUGPOWER_DOPD << 4;
		hw.edprcr = found;
		identify(kind, wanted);
		frame.set->open(&frame);
		assert_int_equal(hw.edprcr, wanted && is_debug(kind) ? there : found);
		if (!wanted || !is_debug(kind)) {
			assert_null(strstr(hw.log, "4:310"));
			continue;
		}
		hardware_reset();
		frame.set->open(&frame);
		assert_int_equal(hw.edprcr, there);
		frame.set->close(&frame);
		pcs_frame_withdraw(&frame);
		assert_int_equal(hw.edprcr, found);
		hardware_forget_log();
		pcs_frame_withdraw(&frame);
		assert_string_equal(hw.log, "");
	}
}

/* Fail unless these are the accesses that were made since the last call */
static void accessed(const char *accesses)
{
	assert_string_equal(hw.log, accesses);
	hardware_forget_log();
}

/*
 * A write may be on its way when the clock stops or power goes, so each register is read back
 * before the driver says that it has done with the block.
 */
static void test_writes_are_complete(void **state)
{
	static const struct {
		unsigned int kind;
		const char *open, *close, *withdraw;
	} rows[] = {
		{ 2, "r4:e50 w4:e50 r4:e50", "w4:e50 r4:e50", "" },
		{ 4, "r8:e50 w8:e50 r8:e50", "w8:e50 r8:e50", "" },
		{ 7, "r4:310 w4:310 r4:310", "", "w4:310 r4:310" },
		{ 9, "r4:310 w4:310 r4:310 r4:88 r4:88 w4:88 r4:88", "r4:88 w4:88 r4:88",
		  "w4:310 r4:310" },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		plug_in(&kinds[rows[i].kind]);
		identify(&kinds[rows[i].kind], true);
		frame.set->open(&frame);
		accessed(rows[i].open);
		frame.set->close(&frame);
		accessed(rows[i].close);
		pcs_frame_withdraw(&frame);
		accessed(rows[i].withdraw);
	}

	power_on(&kinds[0]);
	hw.lsr = LSR_LOCKED;
	assert_true(pcs_frame_unlock(&frame));
	accessed("r4:fb4 r4:fb4 w4:fb0 r4:fb4");
	pcs_frame_relock(&frame);
	accessed("w4:fb0 r4:fb4");
}

/*
 * A block without EDVIDSR on a PE with EL2 or EL3 is refused: its samples could be those of a
 * hypervisor, or of Secure state.
 * So is one without EDSCR.SC2 if the kernel has TIDs in CONTEXTIDR_EL2.
 */
static void test_worlds(void **state)
{
	static const struct {
		struct am_linux kernel;
		bool has_el3;
		u32 devarch, devid;
		enum pcs_ident_fault fault;
	} rows[] = {
		{ { AM_KERNEL_EL1, true, true }, false, 0x47706A15, 3, PCS_IDENT_GOOD },
		{ { AM_KERNEL_EL1, true, true }, false, 0x47706A15, 2, PCS_IDENT_WORLDS },
		{ { AM_KERNEL_EL1, true, true }, false, 0x47706A15, 1, PCS_IDENT_WORLDS },
		{ { AM_KERNEL_EL1, false, true }, false, 0x47706A15, 2, PCS_IDENT_GOOD },
		{ { AM_KERNEL_EL1, false, true }, true, 0x47706A15, 2, PCS_IDENT_WORLDS },
		{ { AM_KERNEL_EL1, false, true }, true, 0x47706A15, 1, PCS_IDENT_WORLDS },
		{ { AM_KERNEL_EL1, false, true }, true, 0x47706A15, 3, PCS_IDENT_GOOD },
		{ { AM_KERNEL_VHE, true, true }, false, 0x47707A15, 3, PCS_IDENT_GOOD },
		{ { AM_KERNEL_VHE, true, true }, false, 0x47706A15, 3, PCS_IDENT_WORLDS },
		{ { AM_KERNEL_VHE, true, true }, false, 0x47707A15, 2, PCS_IDENT_WORLDS },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pcs_frame tried = {
			.base = hardware_block, .kernel = &rows[i].kernel,
			.has_el3 = rows[i].has_el3,
		};
		const struct pcs_ident id = {
			.ids = {
				.cidr = { 0x0D, 0x90, 0x05, 0xB1 },
				.devarch = rows[i].devarch,
				.devtype = 0x15,
				.devid = rows[i].devid,
				.devid1 = 2,
			},
		};

		assert_int_equal(pcs_ident_check(&id, 0, &tried), rows[i].fault);
		assert_int_equal(!tried.set, rows[i].fault != PCS_IDENT_GOOD);
	}
}

/* A block that the model does not know, or without sample registers, has no set. */
static void test_no_set(void **state)
{
	struct am_pcs_id id = { .verdict = { .is = AM_PCS_VIEW_NONE } };

	(void)state;
	assert_null(pcs_sets_find(&id));
	id.verdict.is = AM_RESERVED;
	assert_null(pcs_sets_find(&id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_a_sample),
		cmocka_unit_test(test_debug_gives),
		cmocka_unit_test(test_like_the_model),
		cmocka_unit_test(test_no_sample),
		cmocka_unit_test(test_dead_bus),
		cmocka_unit_test(test_zeros_in_a_sample),
		cmocka_unit_test(test_ones_without_a_sample),
		cmocka_unit_test(test_authentication),
		cmocka_unit_test(test_software_lock),
		cmocka_unit_test(test_others_lock),
		cmocka_unit_test(test_lock_is_asked),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_sc2),
		cmocka_unit_test(test_power_requests),
		cmocka_unit_test(test_writes_are_complete),
		cmocka_unit_test(test_worlds),
		cmocka_unit_test(test_no_set),
	};

	return cmocka_run_group_tests_name("sets", tests, NULL, NULL);
}
