// SPDX-License-Identifier: GPL-2.0-only
/* The hardware that the register sets are tested on; see hardware.h. */
#include <arch-model/edpcsr-regs.h>
#include <arch-model/pmpcsr-regs.h>
#include <linux/io.h>
#include <stdio.h>
#include <string.h>

#include "hardware.h"
#include "test.h"

/* Registers that arch-model does not define */
#define LAR		0xFB0
#define LSR		0xFB4
#define AUTHSTATUS	0xFB8

#define LAR_KEY		0xC5ACCE55

/* EDSCR of a debugger: HDE and INTdis are set, STATUS says Non-debug state */
#define EDSCR_OTHERS	0x00C04002
#define SC2		(1U << 19)

struct hardware hw;
char hardware_block[0x1000];

static u64 random_state = 0x9E3779B97F4A7C15;

void seed_any(u64 seed)
{
	random_state = 0x9E3779B97F4A7C15 ^ seed;
}

u64 any(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

bool chance(unsigned int percent)
{
	return any() % 100 < percent;
}

/* Accesses beyond the log's size are not logged. */
static void note_access(char kind, unsigned int bytes, unsigned int offset)
{
	if (hw.log_len + 16 > sizeof(hw.log))
		return;
	hw.log_len += snprintf(hw.log + hw.log_len, sizeof(hw.log) - hw.log_len, "%s%c%u:%x",
			       hw.log_len ? " " : "", kind, bytes, offset);
}

void hardware_forget_log(void)
{
	hw.log_len = 0;
	hw.log[0] = '\0';
}

void hardware_reset(void)
{
	am_pcsr_reset(&hw.pcsr, &hw.pe, &hw.chosen, true);
	am_impdef_reset(&hw.snapshot);
	hw.sc2 = false;
	hw.edprcr &= COREPURQ;
	if (hw.edprcr)
		hw.edprcr |= CORENPDRQ;
}

u64 hardware_authstatus(void)
{
	u64 on = hw.auth.noninvasive ? PMAUTHSTATUS_ENABLED : PMAUTHSTATUS_DISABLED;
	u64 status = FIELD_PREP(PMAUTHSTATUS_NSNID, on);

	if (hw.no_authstatus)
		return 0;
	if (am_has(&hw.pe, AM_FEAT_EL3))
		status |= FIELD_PREP(PMAUTHSTATUS_SNID, hw.auth.secure ? 3 : 2);
	if (am_has(&hw.pe, AM_FEAT_RME))
		status |= FIELD_PREP(PMAUTHSTATUS_RLNID, hw.auth.realm ? 3 : 2) |
			  FIELD_PREP(PMAUTHSTATUS_RTNID, hw.auth.root ? 3 : 2);
	return status;
}

/*
 * PMU snapshots: 64-bit registers, which the 32-bit view has as two words
 */

#define SVR		0x600
#define SSCR		0xE30
#define SSCR_NC		(1ULL << 32)

static bool is_snapshot_reg(unsigned int offset)
{
	return hw.id.has_snapshot &&
	       ((offset >= SVR && offset < SVR + 8 * ARRAY_SIZE(hw.saved)) ||
		(offset & ~7U) == SSCR);
}

static u64 read_snapshot_reg(unsigned int offset, unsigned int bytes)
{
	u64 value;

	assert_int_equal(bytes, hw.id.verdict.is == AM_PCS_VIEW_EXT64 ? 8 : 4);
	assert_int_equal(offset % bytes, 0);
	if (offset < SSCR)
		value = hw.saved[(offset - SVR) / 8];
	else
		value = (hw.nc ? SSCR_NC : 0) | (hw.busy != 0);
	if (offset == SSCR && hw.busy)
		hw.busy--;
	return offset & 4 ? value >> 32 : bytes == 4 ? (u32)value : value;
}

static void capture(void)
{
	struct am_verdict verdict = am_capture_control(&hw.pe, hw.sse, false, false);

	if (verdict.is == AM_CAPTURE_DISABLED)
		return;
	hw.nc = verdict.is == AM_CAPTURE_PROHIBITED;
	if (hw.nc)
		return;
	hw.noise = any();
	memcpy(hw.saved, hw.counter, sizeof(hw.saved));
	am_pcsr_capture(&hw.pcsr, &hw.pe, &hw.auth);
}

/*
 * IMPLEMENTATION DEFINED snapshots: offsets of the Technical Reference Manuals
 */

static bool is_impdef_reg(unsigned int offset)
{
	return hw.impdef && offset >= 0x600 && offset <= 0x6F0;
}

static u64 unknown(unsigned int number);

/* As with reads of PMPCSR, the Software lock leaves suspended sampling as it is */
struct am_pcs_read hardware_capture_impdef(struct am_impdef_snapshot *snapshot,
					   struct am_pcsr *pcsr)
{
	return am_impdef_capture(snapshot, pcsr, &hw.pe, &hw.auth,
				 hw.activates && hw.lsr != LSR_LOCKED, !hw.refuses);
}

/* The locks have no effect */
static void capture_impdef(void)
{
	if (hw.executes)
		hw.executes();
	hw.noise = any();
	hardware_capture_impdef(&hw.snapshot, &hw.pcsr);
	if (!hw.snapshot.nc)
		memcpy(hw.saved, hw.counter, sizeof(hw.saved));
}

static u32 read_impdef_reg(unsigned int offset)
{
	const struct am_pcs_access access = { .memory_mapped = true, .core_off = hw.off };
	struct am_pcs_read read;

	if (offset == 0x610 && hw.capture_in && !--hw.capture_in)
		capture_impdef();
	switch (offset) {
	case 0x618:
		return hw.saved[31];
	case 0x61C:
		return hw.saved[31] >> 32;
	case 0x620 ... 0x620 + 4 * 5:
		return hw.saved[(offset - 0x620) / 4];
	}
	read = am_impdef_read(&hw.snapshot, &hw.pe, &access, offset);
	assert_int_equal(read.verdict.is, AM_PCS_LATCHED);
	return read.value.value | (unknown(offset) & read.value.unknown);
}

/*
 * Fail on an access that would get an error response: most systems do not survive one. With
 * FEAT_DoPD that is any access without Core power, the management registers included. The driver
 * makes none on other PEs either.
 */
static void may_access(unsigned int offset)
{
	assert_false(hw.no_clock);
	assert_false(hw.off);
	if (offset < 0xF00)
		assert_false(hw.os_lock || hw.double_lock);
}

static bool read_other(unsigned int offset, u64 *value)
{
	switch (offset) {
	case PMDEVARCH:
		*value = hw.ids.devarch;
		return true;
	case PMDEVTYPE:
		*value = hw.ids.devtype;
		return true;
	case PMDEVID:
		*value = hw.ids.devid;
		return true;
	case EDDEVID1:
		*value = hw.ids.devid1;
		return true;
	case PMDEVAFF0:
	case PMDEVAFF1:
		assert_int_not_equal(hw.id.verdict.is, AM_PCS_VIEW_EXT64);
		*value = offset == PMDEVAFF0 ? 0x80000000 : 0;
		return true;
	case PMCIDR0:
	case PMCIDR1:
	case PMCIDR2:
	case PMCIDR3:
		*value = hw.ids.cidr[(offset - PMCIDR0) / 4];
		return true;
	case LSR:
		*value = hw.lsr;
		return true;
	case AUTHSTATUS:
		*value = hardware_authstatus();
		return true;
	case EDSCR:
		assert_true(hw.id.has_sc2);
		*value = EDSCR_OTHERS | (hw.sc2 ? SC2 : 0);
		return true;
	case EDPRCR:
		assert_int_equal(hw.id.verdict.is, AM_PCS_VIEW_ED);
		*value = hw.edprcr;
		return true;
	default:
		return false;
	}
}

struct am_pcs_read hardware_read(struct am_pcsr *pcsr, enum am_pcs_reg reg)
{
	struct am_pcs_access access = {
		.memory_mapped = true, .software_locked = hw.lsr == LSR_LOCKED,
		.core_off = hw.off, .os_lock = hw.os_lock,
		.double_lock = hw.double_lock,
	};

	if (hw.id.verdict.is == AM_PCS_VIEW_ED)
		return am_edpcsr_read(pcsr, &hw.pe, &hw.auth, &access, reg, hw.sc2, false);
	return am_pmpcsr_read(pcsr, &hw.pe, &hw.auth, &access, reg);
}

/* An UNKNOWN value, which differs between registers. */
static u64 unknown(unsigned int number)
{
	if (hw.ones && number == hw.ones)
		return ~0ULL;
	return hw.noise * (2 * number + 1);
}

u64 test_read(const void *address, unsigned int bytes)
{
	unsigned int offset = (const char *)address - hardware_block;
	enum am_pcs_reg reg = am_pcs_register_at(&hw.id, offset, bytes);
	struct am_pcs_read read;
	u64 value;

	note_access('r', bytes, offset);
	may_access(offset);
	if (bytes == 4 && read_other(offset, &value))
		return value;
	if (bytes == 8 && offset == PMDEVAFF && hw.id.verdict.is == AM_PCS_VIEW_EXT64)
		return 0x80000000;
	if (hw.dead)
		return hw.dead_value;
	if (is_snapshot_reg(offset))
		return read_snapshot_reg(offset, bytes);
	if (is_impdef_reg(offset)) {
		assert_int_equal(bytes, 4);
		return read_impdef_reg(offset);
	}
	if (hw.executes && (reg == AM_PCS_REG_PC || reg == AM_PCS_REG_PC_LO))
		hw.executes();
	read = hardware_read(&hw.pcsr, reg);
	assert_int_not_equal(read.verdict.is, AM_PCS_ERROR);
	if (read.verdict.is != AM_PCS_LATCHED && hw.lsr != LSR_LOCKED)
		hw.noise = any();
	return read.value.value | (unknown(reg) & read.value.unknown);
}

void test_write(u64 value, void *address, unsigned int bytes)
{
	unsigned int offset = (char *)address - hardware_block;

	note_access('w', bytes, offset);
	may_access(offset);
	if (bytes == 4 && offset == LAR) {
		if (hw.lsr & PMLSR_SLI)
			hw.lsr = value == LAR_KEY && !hw.lock_is_stuck ? LSR_OPEN : LSR_LOCKED;
		return;
	}
	if (is_impdef_reg(offset)) {
		assert_int_equal(bytes, 4);
		assert_int_equal(offset, 0x6F0);
		assert_int_equal(value, 1);
		if (hw.dead || hw.ignores)
			return;
		if (hw.late)
			hw.capture_in = hw.late;
		else
			capture_impdef();
		return;
	}
	/* Locked, so the write has no effect: the driver has tried to open it, but it is stuck. */
	if (hw.lsr == LSR_LOCKED) {
		assert_true(hw.lock_is_stuck);
		return;
	}
	if (bytes == 4 && offset == EDSCR && hw.id.has_sc2) {
		assert_int_equal(value & ~SC2, EDSCR_OTHERS);
		hw.sc2 = value & SC2;
		return;
	}
	/* With FEAT_DoPD there is no COREPURQ. CWRR would reset the PE. */
	if (bytes == 4 && offset == EDPRCR && hw.id.verdict.is == AM_PCS_VIEW_ED) {
		assert_int_equal(value & ~(CORENPDRQ | (hw.id.in_core_domain ? 0 : COREPURQ)), 0);
		hw.edprcr = value;
		return;
	}
	if (is_snapshot_reg(offset)) {
		assert_int_equal(offset, SSCR);
		assert_int_equal(value, 1);
		if (!hw.dead)
			capture();
		return;
	}
	assert_int_equal(am_pcs_register_at(&hw.id, offset, bytes), AM_PCS_REG_CTL);
	am_pcsr_write_pmpcsctl(&hw.pcsr, &hw.pe, value);
}
