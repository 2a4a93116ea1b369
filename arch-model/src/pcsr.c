// SPDX-License-Identifier: GPL-2.0-only
/*
 * PC Sample-based Profiling: allowed, active, sampled, read. See pcsr.h.
 *
 * Written from the rules in prose. Where the manual's pseudocode says something else, the reading
 * chosen is in Documentation/conformance.md under the name given in the comment.
 */
#include <arch-model/control-regs.h>
#include <arch-model/edpcsr-regs.h>
#include <arch-model/pcsr.h>
#include <arch-model/pmpcsr-regs.h>
#include <arch-model/pmss-regs.h>

/* Rules: S4-j */
/* Reading: F1-10 */
enum am_why am_pcs_check(u64 feat)
{
	if ((feat & AM_FEAT_PCSRV8) && (feat & AM_FEAT_PCSRV8P2))
		return AM_WHY_PCS_BOTH_FRAMES;
	if ((feat & AM_FEAT_PCSRV8) && (feat & (AM_FEAT_DEBUGV8P2 | AM_FEAT_RME)))
		return AM_WHY_PCS_TOO_NEW;
	if ((feat & AM_FEAT_PCSRV8P9) && !(feat & AM_FEAT_PCSRV8P2))
		return AM_WHY_PCS_NO_V8P2;
	if ((feat & AM_FEAT_PCSRV8P9) && !(feat & AM_FEAT_DEBUGV8P4))
		return AM_WHY_PCS_NO_DEBUGV8P4;
	return AM_WHY_NONE;
}

/* Authentication */

/* Rules: S4-c */
struct am_auth am_auth_from_signals(const struct am_pe *pe, const struct am_auth_signals *signals)
{
	bool v8p4 = am_has(pe, AM_FEAT_DEBUGV8P4);
	bool rme = am_has(pe, AM_FEAT_RME);
	bool secure_state = am_has(pe, AM_FEAT_EL3) ? !rme || am_has(pe, AM_FEAT_SEL2) :
						      am_has(pe, AM_FEAT_SECURE_ONLY);
	bool invasive = signals->dbgen;
	bool secure = secure_state && signals->dbgen && signals->spiden;
	bool realm = rme && signals->dbgen && signals->rlpiden;
	bool root = realm && signals->rtpiden && (secure || !am_has(pe, AM_FEAT_SEL2));
	struct am_auth auth;

	/* From FEAT_Debugv8p4 on, non-invasive is what invasive is, and always on for Non-secure */
	auth.noninvasive = v8p4 || invasive || signals->niden;
	auth.secure = v8p4 ? secure : secure_state && auth.noninvasive &&
				      (signals->spiden || signals->spniden);
	auth.realm = realm;
	auth.root = root;
	return auth;
}

/* Rules: S4-c */
struct am_auth am_auth_from_status(u64 status)
{
	struct am_auth auth;

	auth.secure = FIELD_GET(PMAUTHSTATUS_SNID, status) == PMAUTHSTATUS_ENABLED;
	auth.realm = FIELD_GET(PMAUTHSTATUS_RLNID, status) == PMAUTHSTATUS_ENABLED;
	auth.root = FIELD_GET(PMAUTHSTATUS_RTNID, status) == PMAUTHSTATUS_ENABLED;

	/* NSNID is "not implemented" on a PE whose one Security state is Secure */
	if (FIELD_GET(PMAUTHSTATUS_NSNID, status) == PMAUTHSTATUS_NOT_IMPLEMENTED)
		auth.noninvasive = auth.secure;
	else
		auth.noninvasive = FIELD_GET(PMAUTHSTATUS_NSNID, status) == PMAUTHSTATUS_ENABLED;
	return auth;
}

/* Control */

/* The interface's word on a Security state other than Non-secure */
static bool am_auth_enables(const struct am_auth *auth, enum pcs_state state)
{
	if (state == PCS_STATE_ROOT)
		return auth->root;
	return state == PCS_STATE_REALM ? auth->realm : auth->secure;
}

/* Rules: S4-c */
struct am_verdict am_pcs_allowed(const struct am_pe *pe, const struct am_auth *auth)
{
	enum pcs_state state = am_security_state(pe);
	enum am_why impossible = am_pe_check(pe);

	if (impossible)
		return am_verdict(AM_RESERVED, impossible);
	if (!auth->noninvasive)
		return am_verdict(false, AM_WHY_PCS_NOT_ENABLED);
	if (state == PCS_STATE_NONSECURE)
		return am_verdict(true, AM_WHY_PCS_NONSECURE);
	/* Reading: M-1 */
	if (!am_has(pe, AM_FEAT_EL3))
		return am_verdict(true, AM_WHY_PCS_NO_EL3);
	if (am_auth_enables(auth, state))
		return am_verdict_of(true, AM_WHY_PCS_STATE_ENABLED, state);

	/* EL1 uses AArch32 wherever EL3 does */
	if (state == PCS_STATE_SECURE && pe->el == 0 && am_uses_aa32(pe, 1) &&
	    (pe->sder & SDER_SUNIDEN))
		return am_verdict(true, AM_WHY_PCS_SUNIDEN);
	return am_verdict_of(false, AM_WHY_PCS_STATE_DISABLED, state);
}

static bool am_pcs_samples_on_snapshot(const struct am_pe *pe, const struct am_pcsr *pcsr)
{
	return am_has(pe, AM_FEAT_PCSRV8P9 | AM_FEAT_PMUV3_SS) && (pcsr->pmpcsctl & PMPCSCTL_SS);
}

static bool am_pcs_has_en(const struct am_pe *pe, const struct am_pcsr *pcsr)
{
	return am_has(pe, AM_FEAT_PCSRV8P9) && (pcsr->pmpcsctl & PMPCSCTL_IMP);
}

/* Rules: S4-d S4-e S4-h */
struct am_verdict am_pcs_mode(const struct am_pe *pe, const struct am_pcsr *pcsr)
{
	bool suspended;

	if (am_pcs_samples_on_snapshot(pe, pcsr))
		return am_verdict(AM_PCS_ON_SNAPSHOT, AM_WHY_PCS_SS);
	if (am_pcs_has_en(pe, pcsr)) {
		suspended = !(pcsr->pmpcsctl & PMPCSCTL_EN);
		return am_verdict(suspended ? AM_PCS_SUSPENDED : AM_PCS_ON_READ, AM_WHY_PCS_EN);
	}
	return am_verdict(pcsr->suspended ? AM_PCS_SUSPENDED : AM_PCS_ON_READ, AM_WHY_PCS_IMPDEF);
}

/* The sample */

/* Rules: S0-a */
/* Reading: F1-2 */
struct am_pcs_sample am_pcs_create(const struct am_pe *pe, const struct am_auth *auth,
				   const struct am_pcs_insn *insn)
{
	bool has_cid2 = am_has(pe, AM_FEAT_VHE) || am_has(pe, AM_FEAT_DEBUGV8P2);
	bool wide_vmid = am_has(pe, AM_FEAT_VMID16) && insn->vs && !am_uses_aa32(pe, 2);
	struct am_pcs_sample sample;

	sample.valid = am_pcs_allowed(pe, auth).is > 0 && !pe->halted;
	sample.aa32 = am_uses_aa32(pe, pe->el);
	sample.el = pe->el;
	sample.state = am_security_state(pe);
	sample.pc = insn->pc;
	sample.contextidr = insn->contextidr;

	sample.has_el2 = pe->el != 3 && am_el2_enabled(pe);
	sample.el0_in_host = pe->el == 0 && am_el_is_in_host(pe, 0);
	sample.vmid = wide_vmid ? insn->vmid : insn->vmid & 0xFF;
	if (sample.has_el2 && has_cid2 && !am_uses_aa32(pe, 2))
		sample.contextidr_el2 = am_known(insn->contextidr_el2);
	else
		sample.contextidr_el2 = am_unknown(~0U);
	return sample;
}

/* Registers */

static u64 am_vmid_mask(const struct am_pe *pe)
{
	return am_has(pe, AM_FEAT_VMID16) ? 0xFFFF : 0xFF;
}

/* PMPCSR[63:32] and the context registers hold nothing */
static void am_pmpcsr_forget(struct am_pcsr *pcsr, const struct am_pe *pe)
{
	u64 high = PMPCSR_NS | PMPCSR_EL | (PMPCSR_PC & ~0xFFFFFFFFULL);

	if (am_has(pe, AM_FEAT_RME))
		high |= PMPCSR_NSE;
	pcsr->pmpcsr = am_unknown(high);
	pcsr->pmcid1sr = am_unknown(~0U);
	pcsr->pmcid2sr = am_unknown(~0U);
	pcsr->pmvidsr = am_unknown(am_vmid_mask(pe));
}

static void am_edpcsr_forget(struct am_pcsr *pcsr)
{
	pcsr->edpcsr_hi = am_unknown(~0U);
	pcsr->edcidsr = am_unknown(~0U);
	pcsr->edvidsr = am_unknown(~0U);
}

/* Rules: S4-e S4-g S4-l */
void am_pcsr_reset(struct am_pcsr *pcsr, const struct am_pe *pe,
		   const struct am_pcs_impdef *impdef, bool cold)
{
	bool v8p9 = am_has(pe, AM_FEAT_PCSRV8P9);

	pcsr->pmpcsctl = v8p9 && impdef->imp ? PMPCSCTL_IMP : 0;
	pcsr->suspended = !(v8p9 && impdef->imp) && am_has(pe, AM_FEAT_PCSRV8P2) &&
			  impdef->suspended_at_reset;
	pcsr->branch = false;
	pcsr->new_branch = false;
	pcsr->first = true;
	pcsr->sample = (struct am_pcs_sample){ .valid = false };

	if (!cold)
		return;
	pcsr->obscured = false;
	am_pmpcsr_forget(pcsr, pe);
	pcsr->pmpcsr.unknown |= 0xFFFFFFFF;
	am_edpcsr_forget(pcsr);
}

/*
 * SS = 1 makes sampling active, and where EN is not writable only a reset suspends it again. What
 * is captured is UNKNOWN until a branch retires after that (D13.9).
 */
/* Rules: S4-d S4-g S4-h */
void am_pcsr_write_pmpcsctl(struct am_pcsr *pcsr, const struct am_pe *pe, u64 value)
{
	u64 writable = am_pcs_has_en(pe, pcsr) ? PMPCSCTL_EN : 0;
	bool was_on_snapshot = am_pcs_samples_on_snapshot(pe, pcsr);

	if (!am_has(pe, AM_FEAT_PCSRV8P9))
		return;
	if (am_has(pe, AM_FEAT_PMUV3_SS))
		writable |= PMPCSCTL_SS;
	pcsr->pmpcsctl = (pcsr->pmpcsctl & ~writable) | (value & writable);
	if (!was_on_snapshot && am_pcs_samples_on_snapshot(pe, pcsr)) {
		pcsr->suspended = false;
		pcsr->branch = false;
	}
}

static bool am_pcs_can_sample(const struct am_pcsr *pcsr, const struct am_pe *pe,
			      const struct am_auth *auth)
{
	return !pe->halted && am_pcs_allowed(pe, auth).is > 0 &&
	       am_pcs_mode(pe, pcsr).is != AM_PCS_SUSPENDED;
}

/* Rules: S4-m */
void am_pcsr_note_state(struct am_pcsr *pcsr, const struct am_pe *pe, const struct am_auth *auth)
{
	if (!am_pcs_can_sample(pcsr, pe, auth))
		pcsr->branch = false;
}

/* Rules: S4-a */
u64 am_pcs_branch_target(const struct am_pcs_branch *branch)
{
	if (branch->exception)
		return branch->vector;
	return branch->taken ? branch->target : branch->next;
}

/* Rules: S4-a S4-b S4-m S0-a */
void am_pcsr_retire(struct am_pcsr *pcsr, const struct am_pe *pe, const struct am_auth *auth,
		    const struct am_pcs_insn *insn)
{
	am_pcsr_note_state(pcsr, pe, auth);
	if (am_pcs_mode(pe, pcsr).is == AM_PCS_SUSPENDED)
		return;

	pcsr->sample = am_pcs_create(pe, auth, insn);
	if (pcsr->sample.valid && insn->branch) {
		pcsr->branch = true;
		pcsr->new_branch = true;
	}
}

/* Accesses */

/* Rules: S0-b */
struct am_pcs_access am_pcs_access_from_edprsr(u64 edprsr)
{
	return (struct am_pcs_access){
		.core_off = !(edprsr & EDPRSR_PU),
		.os_lock = edprsr & EDPRSR_OSLK,
		.double_lock = edprsr & EDPRSR_DLK,
	};
}

/* Rules: S0-b */
/* Reading: F1-2 F1-9 */
struct am_verdict am_pcs_accessible(const struct am_pe *pe, const struct am_pcs_access *access)
{
	if (access->core_off)
		return am_verdict(false, AM_WHY_PCS_CORE_OFF);
	if (access->double_lock)
		return am_verdict(false, AM_WHY_PCS_DOUBLE_LOCK);
	if (!access->os_lock)
		return am_verdict(true, AM_WHY_PCS_ACCESSIBLE);
	if (am_has(pe, AM_FEAT_PMUV3_EXTPMN) && access->oslo && access->most_secure)
		return am_verdict(true, AM_WHY_PCS_OS_LOCK_IGNORED);
	return am_verdict(false, AM_WHY_PCS_OS_LOCK);
}

/* Does the OPTIONAL Software Lock keep this access from having side effects? */
static bool am_pcs_is_locked(const struct am_pe *pe, const struct am_pcs_access *access)
{
	if (am_has(pe, AM_FEAT_DEBUGV8P4) || am_has(pe, AM_FEAT_PMUV3_EXT64))
		return false;
	return access->memory_mapped && access->software_locked;
}

static struct am_pcs_read am_pcs_result(enum am_pcs_outcome outcome, enum am_why why,
					struct am_value value)
{
	return (struct am_pcs_read){ .verdict = am_verdict(outcome, why), .value = value };
}

/*
 * What the low word of PMPCSR or EDPCSR is, of a sampling that is active on reads.
 */
static struct am_pcs_read am_pcs_sample_now(const struct am_pcsr *pcsr, const struct am_pe *pe,
					    const struct am_auth *auth)
{
	struct am_verdict allowed = am_pcs_allowed(pe, auth);
	struct am_value none = am_known(PMPCSR_LO_NONE), unknown = am_unknown(PMPCSR_LO_NONE);
	struct am_pcs_read read;

	if (pe->halted)
		return am_pcs_result(AM_PCS_NONE, AM_WHY_PCS_DEBUG, none);
	if (allowed.is <= 0)
		return am_pcs_result(AM_PCS_NONE, AM_WHY_PCS_PROHIBITED, none);
	if (!pcsr->branch)
		return am_pcs_result(AM_PCS_UNKNOWN, AM_WHY_PCS_NO_BRANCH, unknown);
	if (pcsr->obscured)
		return am_pcs_result(AM_PCS_UNKNOWN, AM_WHY_PCS_OBSCURED, unknown);
	/* Reading: F1-7 */
	if (!pcsr->new_branch && !am_has(pe, AM_FEAT_MOPS | AM_FEAT_PCSRV8P2))
		return am_pcs_result(AM_PCS_UNKNOWN, AM_WHY_PCS_SAME_BRANCH, unknown);

	read = am_pcs_result(AM_PCS_SAMPLE, pcsr->first ? AM_WHY_PCS_FIRST : AM_WHY_PCS_SAMPLE,
			     am_known((u32)pcsr->sample.pc));
	read.may_be_none = pcsr->first;
	return read;
}

/* The latest sample, as PMPCSR and the context registers show it */
static void am_pmpcsr_latch(struct am_pcsr *pcsr, const struct am_pe *pe)
{
	const struct am_pcs_sample *sample = &pcsr->sample;
	u64 pmpcsr = sample->aa32 ? (u32)sample->pc : sample->pc & PMPCSR_PC;

	pmpcsr |= FIELD_PREP(PMPCSR_EL, sample->el);
	if (sample->state & PCS_STATE_NONSECURE)
		pmpcsr |= PMPCSR_NS;
	if (sample->state & PCS_STATE_ROOT)
		pmpcsr |= PMPCSR_NSE;

	pcsr->pmpcsr = am_known(pmpcsr);
	pcsr->pmcid1sr = am_known(sample->contextidr);
	pcsr->pmcid2sr = sample->contextidr_el2;
	if (sample->has_el2 && sample->el <= 1 && !sample->el0_in_host)
		pcsr->pmvidsr = am_known(sample->vmid);
	else
		pcsr->pmvidsr = am_unknown(am_vmid_mask(pe));
}

/* A read of PMPCSR[31:0] or PMPCSR[63:0]; its result is the low word */
static struct am_pcs_read am_pmpcsr_sample(struct am_pcsr *pcsr, const struct am_pe *pe,
					   const struct am_auth *auth,
					   const struct am_pcs_access *access)
{
	struct am_verdict mode = am_pcs_mode(pe, pcsr);
	struct am_pcs_read read;

	/* Reading: F1-4 */
	if (mode.is == AM_PCS_ON_SNAPSHOT)
		return am_pcs_result(AM_PCS_LATCHED, AM_WHY_PCS_ON_SNAPSHOT, pcsr->pmpcsr);

	am_pcsr_note_state(pcsr, pe, auth);
	read = am_pcs_sample_now(pcsr, pe, auth);
	/* Reading: M-2 */
	if (am_pcs_is_locked(pe, access))
		return read;

	/* Reading: F1-3 M-3 */
	if (mode.is == AM_PCS_SUSPENDED && am_pcs_allowed(pe, auth).is > 0) {
		pcsr->suspended = false;
		if (am_pcs_has_en(pe, pcsr))
			pcsr->pmpcsctl |= PMPCSCTL_EN;
		if (read.verdict.is == AM_PCS_UNKNOWN) {
			read.verdict.why = AM_WHY_PCS_ACTIVATED;
			read.may_be_none = true;
		}
	}

	pcsr->new_branch = false;
	pcsr->first = false;
	if (read.verdict.is == AM_PCS_SAMPLE) {
		am_pmpcsr_latch(pcsr, pe);
	} else {
		am_pmpcsr_forget(pcsr, pe);
		pcsr->pmpcsr = am_join(am_high(pcsr->pmpcsr), read.value);
	}
	read.value = pcsr->pmpcsr;
	return read;
}

/* Rules: S4-f S4-g S4-h S4-i S4-j S4-m S4-n S0-b S0-c S0-d */
/* Reading: F1-2 F1-8 F1-11 */
struct am_pcs_read am_pmpcsr_read(struct am_pcsr *pcsr, const struct am_pe *pe,
				  const struct am_auth *auth, const struct am_pcs_access *access,
				  enum am_pcs_reg reg)
{
	struct am_verdict accessible = am_pcs_accessible(pe, access);
	struct am_pcs_read read;

	if (!accessible.is)
		return am_pcs_result(AM_PCS_ERROR, accessible.why, am_known(0));

	switch (reg) {
	case AM_PCS_REG_PC:
	case AM_PCS_REG_PC_LO:
		read = am_pmpcsr_sample(pcsr, pe, auth, access);
		if (reg == AM_PCS_REG_PC_LO)
			read.value = am_low(read.value);
		return read;
	case AM_PCS_REG_PC_HI:
		read.value = am_high(pcsr->pmpcsr);
		break;
	case AM_PCS_REG_CID1:
		read.value = pcsr->pmcid1sr;
		break;
	case AM_PCS_REG_CID2:
		read.value = pcsr->pmcid2sr;
		break;
	case AM_PCS_REG_VID:
		read.value = pcsr->pmvidsr;
		break;
	case AM_PCS_REG_VCID:
		read.value = am_join(pcsr->pmvidsr, pcsr->pmcid1sr);
		break;
	case AM_PCS_REG_CCID:
		read.value = am_join(pcsr->pmcid2sr, pcsr->pmcid1sr);
		break;
	case AM_PCS_REG_CTL:
		read.value = am_known(pcsr->pmpcsctl);
		break;
	default:
		return am_pcs_result(AM_PCS_ERROR, AM_WHY_PCS_NO_REGISTER, am_known(0));
	}
	return am_pcs_result(AM_PCS_LATCHED, AM_WHY_PCS_LATCHED, read.value);
}

/* The latest sample, as EDPCSR[63:32], EDCIDSR and EDVIDSR show it */
static void am_edpcsr_latch(struct am_pcsr *pcsr, bool sc2, bool hv)
{
	const struct am_pcs_sample *sample = &pcsr->sample;
	bool ns = sample->state != PCS_STATE_SECURE;
	u32 high = sample->aa32 ? 0 : sample->pc >> 32;
	u32 vid = FIELD_PREP(EDVIDSR_NS, ns);

	pcsr->edcidsr = am_known(sample->contextidr);
	if (sc2) {
		high &= EDPCSR_HI_PC;
		high |= FIELD_PREP(EDPCSR_HI_EL, sample->el) | FIELD_PREP(EDPCSR_HI_NS, ns);
		pcsr->edpcsr_hi = am_known(high);
		pcsr->edvidsr = sample->contextidr_el2;
		return;
	}

	if (sample->has_el2 && sample->el <= 1)
		vid |= FIELD_PREP(EDVIDSR_VMID, sample->vmid);
	vid |= FIELD_PREP(EDVIDSR_E2, sample->el == 2);
	vid |= FIELD_PREP(EDVIDSR_E3, sample->el == 3 && !sample->aa32);
	vid |= FIELD_PREP(EDVIDSR_HV, high || hv);
	pcsr->edpcsr_hi = am_known(high);
	pcsr->edvidsr = am_known(vid);
}

static struct am_pcs_read am_edpcsr_sample(struct am_pcsr *pcsr, const struct am_pe *pe,
					   const struct am_auth *auth,
					   const struct am_pcs_access *access, bool sc2, bool hv)
{
	struct am_pcs_read read;

	am_pcsr_note_state(pcsr, pe, auth);
	read = am_pcs_sample_now(pcsr, pe, auth);
	if (am_pcs_is_locked(pe, access))
		return read;

	pcsr->new_branch = false;
	pcsr->first = false;
	if (read.verdict.is == AM_PCS_SAMPLE)
		am_edpcsr_latch(pcsr, sc2, hv);
	else
		am_edpcsr_forget(pcsr);
	return read;
}

/* Rules: S0-b S0-c S0-d S4-j S4-m */
/* Reading: F1-2 M-4 */
struct am_pcs_read am_edpcsr_read(struct am_pcsr *pcsr, const struct am_pe *pe,
				  const struct am_auth *auth, const struct am_pcs_access *access,
				  enum am_pcs_reg reg, bool sc2, bool hv)
{
	struct am_verdict accessible = am_pcs_accessible(pe, access);
	struct am_value value;

	if (!accessible.is)
		return am_pcs_result(AM_PCS_ERROR, accessible.why, am_known(0));

	/* EDSCR.SC2 is RES0 otherwise */
	sc2 = sc2 && am_has(pe, AM_FEAT_EL2 | AM_FEAT_DEBUGV8P1);

	switch (reg) {
	case AM_PCS_REG_PC_LO:
		return am_edpcsr_sample(pcsr, pe, auth, access, sc2, hv);
	case AM_PCS_REG_PC_HI:
		value = pcsr->edpcsr_hi;
		break;
	case AM_PCS_REG_CID1:
		value = pcsr->edcidsr;
		break;
	case AM_PCS_REG_VID:
		value = pcsr->edvidsr;
		break;
	default:
		return am_pcs_result(AM_PCS_ERROR, AM_WHY_PCS_NO_REGISTER, am_known(0));
	}
	return am_pcs_result(AM_PCS_LATCHED, AM_WHY_PCS_LATCHED, value);
}

/* Snapshots */

static enum am_capture am_capture_of(unsigned int control)
{
	if (control == AM_CTL_ON)
		return AM_CAPTURE_ALLOWED;
	return control == AM_CTL_OWN ? AM_CAPTURE_PROHIBITED : AM_CAPTURE_DISABLED;
}

/* Rules: S4-h */
/* Reading: M-21 */
struct am_verdict am_capture_control(const struct am_pe *pe, unsigned int sse, bool os_lock,
				     bool in_debug_state)
{
	unsigned int el3 = FIELD_GET(MDCR_EL3_PMSSE, pe->mdcr_el3);
	unsigned int el2 = FIELD_GET(MDCR_EL2_PMSSE, pe->mdcr_el2);
	struct am_verdict verdict;

	if (!am_has(pe, AM_FEAT_PMUV3_SS | AM_FEAT_AA64))
		return am_verdict(AM_CAPTURE_DISABLED, AM_WHY_CAP_NO_SS);

	/* EL2 decides also where it is disabled in the current Security state (RYWLFL, RTSYTY) */
	if (am_has(pe, AM_FEAT_EL3) && el3 != AM_CTL_DELEGATE)
		verdict = am_verdict_of(am_capture_of(el3), AM_WHY_CAP_EL3, el3);
	else if (am_has(pe, AM_FEAT_EL2) && am_uses_aa32(pe, 2))
		verdict = am_verdict_of(AM_CAPTURE_DISABLED, AM_WHY_CAP_AA32, 2);
	else if (am_has(pe, AM_FEAT_EL2) && el2 != AM_CTL_DELEGATE)
		verdict = am_verdict_of(am_capture_of(el2), AM_WHY_CAP_EL2, el2);
	else if (am_uses_aa32(pe, 1))
		verdict = am_verdict_of(AM_CAPTURE_DISABLED, AM_WHY_CAP_AA32, 1);
	else if (sse == AM_CTL_DELEGATE)
		verdict = am_verdict_of(AM_CAPTURE_DISABLED, AM_WHY_CAP_EL1_RESERVED, sse);
	else
		verdict = am_verdict_of(am_capture_of(sse), AM_WHY_CAP_EL1, sse);

	if (verdict.is == AM_CAPTURE_ALLOWED && os_lock)
		return am_verdict(AM_CAPTURE_PROHIBITED, AM_WHY_CAP_OS_LOCK);
	if (verdict.is == AM_CAPTURE_ALLOWED && pe->halted && !in_debug_state)
		return am_verdict(AM_CAPTURE_PROHIBITED, AM_WHY_CAP_DEBUG);
	return verdict;
}

/* Rules: S4-h S4-i */
/* Reading: F1-5 F1-6 */
struct am_verdict am_pcsr_capture(struct am_pcsr *pcsr, const struct am_pe *pe,
				  const struct am_auth *auth)
{
	struct am_pcs_read now;

	if (am_pcs_mode(pe, pcsr).is != AM_PCS_ON_SNAPSHOT)
		return am_verdict(false, AM_WHY_CAP_NOT_ON_SNAPSHOT);

	am_pcsr_note_state(pcsr, pe, auth);
	if (!am_pcs_can_sample(pcsr, pe, auth)) {
		pcsr->pmpcsr = am_join(am_high(pcsr->pmpcsr), am_known(PMPCSR_LO_NONE));
		return am_verdict(false, AM_WHY_CAP_NO_SAMPLE);
	}

	/* The rules for two reads hold for two Capture events, too (D13.9) */
	now = am_pcs_sample_now(pcsr, pe, auth);
	pcsr->new_branch = false;
	if (now.verdict.is == AM_PCS_SAMPLE) {
		am_pmpcsr_latch(pcsr, pe);
	} else {
		am_pmpcsr_forget(pcsr, pe);
		pcsr->pmpcsr.unknown |= PMPCSR_LO_NONE;
	}
	return am_verdict(true, AM_WHY_CAP_SAMPLED);
}

/* IMPLEMENTATION DEFINED snapshots */

/* Without FEAT_RME, which came later: bits [60:56] are RES0 */
#define AM_PMPCSSR	(PMPCSR_NS | PMPCSR_EL | PMPCSR_PC)

void am_impdef_reset(struct am_impdef_snapshot *snapshot)
{
	snapshot->nc = true;
	snapshot->pmpcssr = am_unknown(AM_PMPCSSR);
	snapshot->pmcidssr = am_unknown(~0U);
	snapshot->pmcid2ssr = am_unknown(~0U);
}

struct am_verdict am_impdef_accessible(const struct am_pe *pe, const struct am_pcs_access *access)
{
	struct am_pcs_access unlocked = *access;

	unlocked.os_lock = false;
	return am_pcs_accessible(pe, &unlocked);
}

struct am_pcs_read am_impdef_capture(struct am_impdef_snapshot *snapshot, struct am_pcsr *pcsr,
				     const struct am_pe *pe, const struct am_auth *auth,
				     bool activates, bool counts)
{
	const struct am_pcs_access access = {};
	struct am_pcsr copy = *pcsr;
	struct am_pcs_read read = am_pmpcsr_read(&copy, pe, auth, &access, AM_PCS_REG_PC);

	snapshot->nc = !counts;
	snapshot->pmpcssr = copy.pmpcsr;
	snapshot->pmcidssr = copy.pmcid1sr;
	snapshot->pmcid2ssr = copy.pmcid2sr;

	pcsr->branch = copy.branch;
	pcsr->new_branch = copy.new_branch;
	pcsr->first = copy.first;
	if (activates) {
		pcsr->suspended = copy.suspended;
		pcsr->pmpcsctl = copy.pmpcsctl;
	}
	return read;
}

struct am_pcs_read am_impdef_read(const struct am_impdef_snapshot *snapshot, const struct am_pe *pe,
				  const struct am_pcs_access *access, unsigned int offset)
{
	struct am_verdict accessible = am_impdef_accessible(pe, access);
	struct am_value value;

	if (!accessible.is)
		return am_pcs_result(AM_PCS_ERROR, accessible.why, am_known(0));

	switch (offset) {
	case PMPCSSR_LO:
		value = am_low(snapshot->pmpcssr);
		break;
	case PMPCSSR_HI:
		value = am_high(snapshot->pmpcssr);
		break;
	case PMCIDSSR:
		value = snapshot->pmcidssr;
		break;
	case PMCID2SSR:
		value = snapshot->pmcid2ssr;
		break;
	case PMSSSR:
		value = am_known(snapshot->nc);		/* PMSSSR_NC is bit 0 */
		break;
	default:
		return am_pcs_result(AM_PCS_ERROR, AM_WHY_PCS_NO_REGISTER, am_known(0));
	}
	return am_pcs_result(AM_PCS_LATCHED, AM_WHY_PCS_LATCHED, value);
}
