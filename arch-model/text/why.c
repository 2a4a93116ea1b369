// SPDX-License-Identifier: GPL-2.0-only
/*
 * What decided, in words: one clause for each reason, with the rule it comes from. "%" stands for
 * the number that the verdict carries, "@" for the Security state of that number.
 */
#include <arch-model/pe.h>
#include <arch-model/why-text.h>

struct am_why_clause {
	const char *rule;
	const char *text;
};

static const struct am_why_clause am_why_clauses[AM_WHY_COUNT] = {
	[AM_WHY_NONE] = { "", "" },

	[AM_WHY_PE_NO_EL] = { "D1.2", "the PE has no such Exception level, or EL2 is disabled" },
	[AM_WHY_PE_STATE] = { "SCR_EL3", "SCR_EL3.{NSE,NS} = {1,0} is reserved" },
	[AM_WHY_PE_TGE] = { "HCR_EL2", "the PE cannot execute at EL1 while HCR_EL2.TGE is 1" },
	[AM_WHY_PE_AA32] = { "D1.2", "AArch64 is not possible below an EL that uses AArch32" },
	[AM_WHY_PE_NO_AA64] = { "A2.2", "FEAT_AA64 is not implemented and an EL uses AArch64" },

	[AM_WHY_PCS_BOTH_FRAMES] = {
		"S4-j", "FEAT_PCSRv8 and FEAT_PCSRv8p2 exclude each other" },
	[AM_WHY_PCS_TOO_NEW] = { "S4-j", "FEAT_PCSRv8 is not permitted from Armv8.2" },
	[AM_WHY_PCS_NO_V8P2] = { "A2.2", "FEAT_PCSRv8p9 needs FEAT_PCSRv8p2" },
	[AM_WHY_PCS_NO_DEBUGV8P4] = { "A2.2", "FEAT_PCSRv8p9 comes after FEAT_Debugv8p4" },

	[AM_WHY_PCS_NOT_ENABLED] = {
		"S4-c", "the authentication interface does not enable non-invasive debug" },
	[AM_WHY_PCS_NONSECURE] = { "S4-c", "non-invasive debug of Non-secure state is enabled" },
	[AM_WHY_PCS_NO_EL3] = { "S4-c", "non-invasive debug is enabled and there is no EL3" },
	[AM_WHY_PCS_STATE_ENABLED] = {
		"S4-c", "the authentication interface enables it for @ state" },
	[AM_WHY_PCS_SUNIDEN] = { "S4-c", "SDER.SUNIDEN allows it at Secure EL0" },
	[AM_WHY_PCS_STATE_DISABLED] = {
		"S4-c", "the authentication interface does not enable it for @ state" },

	[AM_WHY_PCS_SS] = { "S4-h", "PMPCSCTL.SS is 1, whatever PMPCSCTL.EN says" },
	[AM_WHY_PCS_EN] = { "S4-d", "PMPCSCTL.IMP is 1 and PMPCSCTL.EN decides" },
	[AM_WHY_PCS_IMPDEF] = {
		"S4-e", "PMPCSCTL.EN is not implemented: IMPLEMENTATION DEFINED at Warm reset" },

	[AM_WHY_PCS_CORE_OFF] = { "S0-b", "the Core power domain is off" },
	[AM_WHY_PCS_DOUBLE_LOCK] = { "S0-b", "the OS Double Lock is locked" },
	[AM_WHY_PCS_OS_LOCK] = { "S0-b", "the OS Lock is locked" },
	[AM_WHY_PCS_OS_LOCK_IGNORED] = {
		"I5.3", "PMCCR.OSLO lets a most secure access pass the OS Lock" },
	[AM_WHY_PCS_NO_REGISTER] = { "I5.2", "there is no sample register" },
	[AM_WHY_PCS_ACCESSIBLE] = { "S0-b", "powered, and no lock is locked" },

	[AM_WHY_PCS_LATCHED] = { "I5.3", "only the low word samples; this is of its last read" },
	[AM_WHY_PCS_ON_SNAPSHOT] = { "S4-i", "sampling on reads is disabled: the last capture" },
	[AM_WHY_PCS_PROHIBITED] = { "S0-d", "PC sampling is prohibited" },
	[AM_WHY_PCS_DEBUG] = { "S0-d", "the PE is in Debug state" },
	[AM_WHY_PCS_ACTIVATED] = { "S4-f", "sampling was suspended, and this read made it active" },
	[AM_WHY_PCS_NO_BRANCH] = {
		"S4-m", "no branch has retired since reset, Debug, suspended or prohibited state" },
	[AM_WHY_PCS_OBSCURED] = { "S4-l", "an IMPLEMENTATION DEFINED mechanism hides the samples" },
	[AM_WHY_PCS_SAME_BRANCH] = { "S4-m", "no branch has retired since the last read" },
	[AM_WHY_PCS_FIRST] = { "I5.3", "the first read after reset, a branch has retired" },
	[AM_WHY_PCS_SAMPLE] = { "S0-a", "an instruction that the PE executed" },

	[AM_WHY_CAP_NO_SS] = { "RSCLCQ", "FEAT_PMUv3_SS is not implemented" },
	[AM_WHY_CAP_EL3] = { "Table D13-10", "MDCR_EL3.PMSSE is %" },
	[AM_WHY_CAP_EL2] = { "Table D13-10", "MDCR_EL2.PMSSE is %" },
	[AM_WHY_CAP_EL1] = { "Table D13-10", "PMECR_EL1.SSE is %" },
	[AM_WHY_CAP_AA32] = { "J1.3", "EL% uses AArch32, which has no control of Capture events" },
	[AM_WHY_CAP_EL1_RESERVED] = { "PMECR_EL1", "PMECR_EL1.SSE is %, which is reserved" },
	[AM_WHY_CAP_OS_LOCK] = { "RTSYTY", "the OS Lock is locked" },
	[AM_WHY_CAP_DEBUG] = { "RTSYTY", "the PE is in Debug state" },
	[AM_WHY_CAP_NOT_ON_SNAPSHOT] = { "S4-h", "PMPCSCTL.SS is 0" },
	[AM_WHY_CAP_NO_SAMPLE] = { "D13.9", "Debug state, or PC sampling is prohibited" },
	[AM_WHY_CAP_SAMPLED] = { "D13.9", "PC sampling is allowed" },

	[AM_WHY_ID_CIDR] = { "K5.4", "the component ID is not that of a CoreSight component" },
	[AM_WHY_ID_NOT_ARM] = { "S4-k", "PMDEVARCH names no component of Arm" },
	[AM_WHY_ID_PART] = { "S4-k", "PMDEVARCH.ARCHPART % is neither a PMU nor PC sampling" },
	[AM_WHY_ID_ARCHVER] = { "I5.3", "the ARCHVER field is %, which is reserved" },
	[AM_WHY_ID_DEVTYPE] = { "S4-k", "the device type % does not fit the device architecture" },
	[AM_WHY_ID_NONE] = { "S4-j", "the PCSample field is 0" },
	[AM_WHY_ID_RESERVED] = { "S4-j", "the PCSample field is %, which is reserved" },
	[AM_WHY_ID_OFFSET] = { "EDDEVID1", "EDDEVID1.PCSROffset is %, which is reserved" },
	[AM_WHY_ID_PMU_FRAME] = { "S4-j", "sample registers of an external PMU" },
	[AM_WHY_ID_OWN_FRAME] = { "S4-k", "sample registers without a PMU, Table H7-1" },
	[AM_WHY_ID_DEBUG_FRAME] = { "S4-j", "sample registers of the external debug block" },

	[AM_WHY_WORLD_OTHER] = { "I5.3", "EL3, or not Non-secure state" },
	[AM_WHY_WORLD_VHE] = { "I5.3", "a VHE kernel runs at EL2" },
	[AM_WHY_WORLD_VHE_EL1] = { "I5.3", "below a VHE kernel, EL1 is a guest's" },
	[AM_WHY_WORLD_VCPU] = { "I5.3", "below a VHE kernel, and the task runs a guest" },
	[AM_WHY_WORLD_NO_VCPU] = { "I5.3", "below a VHE kernel, and the task runs no guest" },
	[AM_WHY_WORLD_HYP] = { "I5.3", "EL2 is below the kernel" },
	[AM_WHY_WORLD_NO_EL2] = { "I5.3", "without EL2 there are no guests" },
	[AM_WHY_WORLD_VMID] = { "I5.3", "the VMID is not that of the kernel" },
	[AM_WHY_WORLD_HOST_VMID] = { "I5.3", "the VMID is that of the kernel" },

	[AM_WHY_PROFEXC_NOT] = { "D24.2.45", "not the syndrome of a Profiling exception" },
	[AM_WHY_PROFEXC_FSC] = {
		"D24.2.45", "ISS.FSC is %: reserved, or a source that the PE does not have" },
	[AM_WHY_PROFEXC_SYNC] = { "IYZZVC", "taken synchronously: PSTATE.PPEND was 1" },
	[AM_WHY_PROFEXC_ASYNC] = { "D24.2.45", "taken asynchronously" },
	[AM_WHY_WHEN_NOT_DELIVERABLE] = { "IMTLSX", "it is disabled or masked" },
	[AM_WHY_WHEN_SYNCHRONISED] = {
		"RHFTPJ", "a Context synchronization event followed the observation" },
	[AM_WHY_WHEN_FINITE] = { "RDKCTL", "nothing says more than finite time" },

	[AM_WHY_TRBE_NO_EXC] = { "RVSCDV", "FEAT_TRBE_EXC is not implemented" },
	[AM_WHY_TRBE_EXTERNAL_MODE] = { "IWKGWP", "self-hosted trace is disabled" },
	[AM_WHY_TRBE_TRBEE_OFF] = { "RVSCDV", "MDCR_EL3.TRBEE is 0" },
	[AM_WHY_TRBE_NO_EL2] = { "RBNQRP", "EL2 is not enabled: as if TRFCR_EL2.EE were 1" },
	[AM_WHY_TRBE_EE2] = { "TRFCR_EL2", "TRFCR_EL2.EE is %" },
	[AM_WHY_TRBE_EE1] = { "TRFCR_EL1", "TRFCR_EL1.EE is %" },
	[AM_WHY_TRBE_EE1_RESERVED] = {
		"TRFCR_EL1", "TRFCR_EL1.EE is %, reserved, and behaves by its high bit" },

	[AM_WHY_TRBE_NSTB_RESERVED] = { "MDCR_EL3", "MDCR_EL3.{NSTBE,NSTB} is reserved" },
	[AM_WHY_TRBE_NO_OWNING_EL2] = { "MDCR_EL2", "no EL2 is enabled in @ state, which owns it" },
	[AM_WHY_TRBE_E2TB] = { "MDCR_EL2", "MDCR_EL2.E2TB names the level, in @ state" },
	[AM_WHY_TRBE_E2TB_RESERVED] = { "MDCR_EL2", "MDCR_EL2.E2TB is reserved" },

	[AM_WHY_TRBE_CLASS] = { "IKKVYZ", "EC is %" },
	[AM_WHY_TRBE_EC_RESERVED] = { "TRBSR_ELx", "EC is %, which is reserved" },
	[AM_WHY_TRBE_EL3_ALL] = { "ITCNHM", "MDCR_EL3.TRBEE is 3: EL3 takes every event" },
	[AM_WHY_TRBE_EL3_GPC] = {
		"RBNQRP", "MDCR_EL3.TRBEE is 2, a Granule Protection Check fault" },
	[AM_WHY_TRBE_EL3_GPF] = { "RBNQRP", "MDCR_EL3.TRBEE is 2, a GPF, and SCR_EL3.GPF is 1" },
	[AM_WHY_TRBE_EL3_EA] = {
		"RBNQRP", "MDCR_EL3.TRBEE is 2, an External abort, and SCR_EL3.EA is 1" },
	[AM_WHY_TRBE_EL2_ALL] = { "ITCNHM", "TRFCR_EL2.EE is 3: EL2 takes every event" },
	[AM_WHY_TRBE_EL2_GPC] = { "RBNQRP", "TRFCR_EL2.EE is 2, a Granule Protection Check fault" },
	[AM_WHY_TRBE_EL2_STAGE2] = { "RBNQRP", "TRFCR_EL2.EE is 2, a stage 2 fault" },
	[AM_WHY_TRBE_EL2_OWNER] = {
		"RBNQRP", "TRFCR_EL2.EE is 2, a fault, and EL2 owns the buffer" },
	[AM_WHY_TRBE_EL2_GPF] = { "RBNQRP", "TRFCR_EL2.EE is 2, a GPF, and HCR_EL2.GPF is 1" },
	[AM_WHY_TRBE_EL2_TEA] = {
		"RBNQRP", "TRFCR_EL2.EE is 2, an External abort, and HCR_EL2.TEA is 1" },
	[AM_WHY_TRBE_EL1] = { "RBNQRP", "neither EL3 nor EL2 takes it" },

	[AM_WHY_TRBE_TRBEE] = { "RMFMXQ", "MDCR_EL3.TRBEE is %: TRBSR_EL3.IRQ is ignored" },
	[AM_WHY_TRBE_DEBUG] = { "RMFMXQ", "the PE is in Debug state" },
	[AM_WHY_TRBE_AT_EL3] = { "IMTLSX", "masked at EL3, always" },
	[AM_WHY_TRBE_AT_EL2] = { "RMFMXQ", "an exception for TRBSR_EL1 is masked at EL2, always" },
	[AM_WHY_TRBE_NOT_OWNING] = { "RMFMXQ", "the PE is not in the owning Security state" },
	[AM_WHY_TRBE_EE2_OWN] = { "RMFMXQ", "at EL2, and TRFCR_EL2.EE is not 3" },
	[AM_WHY_TRBE_KE2] = { "RMFMXQ", "at EL2, and TRFCR_EL2.KE is 0" },
	[AM_WHY_TRBE_KE1] = { "RMFMXQ", "at EL1, and TRFCR_EL1.KE is 0" },
	[AM_WHY_TRBE_PM] = { "RMFMXQ", "PSTATE.PM is 1" },
	[AM_WHY_TRBE_TAKEN_EL3] = { "RMFMXQ", "TRBSR_EL3 is for EL3, from any lower level" },
	[AM_WHY_TRBE_TAKEN_EL2] = { "RMFMXQ", "TRBSR_EL2 is for EL2" },
	[AM_WHY_TRBE_TAKEN_TGE] = { "RMFMXQ", "TRBSR_EL1 is for EL2 while HCR_EL2.TGE is 1" },
	[AM_WHY_TRBE_TAKEN_EL1] = { "RMFMXQ", "TRBSR_EL1 is for EL1" },
	[AM_WHY_TRBE_NO_TRBSR] = { "TRBSR_ELx", "there is no TRBSR_EL%" },

	[AM_WHY_TRBE_FM] = { "IFZXSV", "TRBLIMITR_EL1.FM says" },
	[AM_WHY_TRBE_FM_RESERVED] = { "IFZXSV", "TRBLIMITR_EL1.FM is %, which is reserved" },
	[AM_WHY_TRBE_TM] = { "IJDWMT", "TRBLIMITR_EL1.TM says" },
	[AM_WHY_TRBE_TM_RESERVED] = { "IJDWMT", "TRBLIMITR_EL1.TM is %, which is reserved" },
	[AM_WHY_TRBE_DISABLED] = { "RSDCKT", "the Trace Buffer Unit is disabled" },
	[AM_WHY_TRBE_ENABLED] = {
		"RDJMDD", "writes may be ignored while the Trace Buffer Unit is enabled" },
	[AM_WHY_TRBE_STOPPED] = { "RSDCKT", "collection is stopped by TRBSR_EL%.S" },
	[AM_WHY_TRBE_RUNNING] = { "RSDCKT", "enabled, and nothing stops collection" },
	[AM_WHY_TRBE_OUT_OF_RANGE] = { "RMSPSD", "the write pointer is not in the buffer" },
	[AM_WHY_TRBE_MISALIGNED] = { "RXXZHM", "not a multiple of what TRBIDR_EL1.Align says" },
	[AM_WHY_TRBE_ALIGNED] = { "RXXZHM", "a multiple of what TRBIDR_EL1.Align says" },
	[AM_WHY_TRBE_TRIGGERED] = { "IZGFSK", "TRBSR_EL%.TRG is 1 already" },
	[AM_WHY_TRBE_DRAINED] = { "RQFGNQ", "more than TRBIDR_EL1.Align permits" },
	[AM_WHY_TRBE_NO_FLUSH] = { "RXRRWP", "no trace unit flush is under way" },
	[AM_WHY_TRBE_BSC_RESERVED] = { "TRBSR_ELx", "the BSC value is reserved" },
	[AM_WHY_TRBE_IMPDEF_OFF] = { "ILKLHH", "the IMPLEMENTATION DEFINED mechanism is off" },

	[AM_WHY_TRBE_FSC] = { "RQKLXR", "a fault that TRBSR_ELx.FSC can name" },
	[AM_WHY_TRBE_FSC_RESERVED] = { "TRBSR_ELx", "no value of TRBSR_ELx.FSC is for that" },
	[AM_WHY_TRBE_NO_FAULT] = {
		"RGQWBF", "an External abort of the write itself is not a fault" },
	[AM_WHY_TRBE_NO_RME] = { "RQKLXR", "FEAT_RME is not implemented: no granule protection" },
	[AM_WHY_TRBE_ABORT_IGNORED] = { "IFBNFC", "the External abort is ignored" },
	[AM_WHY_TRBE_ABORT_SERROR] = {
		"RVKWPM", "the External abort is taken as an SError exception" },
	[AM_WHY_TRBE_ABORT_NO_WALK] = {
		"ILNXGR", "only an abort of a walk can become an MMU fault" },
	[AM_WHY_TRBE_ABORT_V9P3] = { "INHQGS", "from Armv9.3 on none is reported to the unit" },
	[AM_WHY_TRBE_ABORT_POLICY] = { "RGQWBF", "an implementation has no such choice" },
	[AM_WHY_TRBE_UNORDERED] = { "RGTMJD", "asynchronous events are not ordered" },
	[AM_WHY_TRBE_ORDERED] = { "RMKCHT", "faults before External aborts before wrap" },

	[AM_WHY_PMU_NO_COUNTER] = { "S3-a", "there is no counter %" },
	[AM_WHY_PMU_EPMN_RESERVED] = { "PMCCR", "PMCCR.EPMN is %, more than there are counters" },
	[AM_WHY_PMU_HPMN_RESERVED] = { "MDCR_EL2", "MDCR_EL2.HPMN is %, which is reserved" },
	[AM_WHY_PMU_RANGE_1] = { "S3-a", "counter % is in the first range" },
	[AM_WHY_PMU_RANGE_2] = {
		"S3-a", "counter % is in the second range: not below MDCR_EL2.HPMN" },
	[AM_WHY_PMU_RANGE_3] = { "D13.5", "counter % is in the third range: not below PMCCR.EPMN" },
	[AM_WHY_PMU_E] = { "S3-a", "PMCR_EL0.E, which enables the first range, is %" },
	[AM_WHY_PMU_HPME] = { "S3-a", "MDCR_EL2.HPME, which enables the second range, is %" },
	[AM_WHY_PMU_EPME] = { "D13.5", "PMCCR.EPME, which enables the third range, is %" },

	[AM_WHY_PMU_DEBUG] = { "S3-e", "the PE is in Debug state" },
	[AM_WHY_PMU_CNTEN] = { "S3-a", "PMCNTENSET_EL0[%] is 0" },
	[AM_WHY_PMU_COUNTS] = { "S3-a", "counter % is enabled, and nothing stops or filters it" },
	[AM_WHY_PMU_UNATTRIBUTABLE] = {
		"S3-f", "counting of Unattributable events is IMPLEMENTATION DEFINED here" },

	[AM_WHY_PMU_RANGE_3_FREE] = { "D13.5", "nothing prohibits counting in the third range" },
	[AM_WHY_PMU_NO_EL3] = { "S3-d", "there is no EL3" },
	[AM_WHY_PMU_NOT_SECURE] = { "S3-d", "neither Secure state nor EL3" },
	[AM_WHY_PMU_SPME] = { "S3-d", "MDCR_EL3.{SPME,MPMX} allow it" },
	[AM_WHY_PMU_NO_SPME] = { "S3-d", "MDCR_EL3.SPME prohibits counting" },
	[AM_WHY_PMU_MPMX] = {
		"S3-d", "MDCR_EL3.MPMX prohibits counting at EL3 in the first range" },
	[AM_WHY_PMU_SUNIDEN] = { "S3-d", "SDER.SUNIDEN allows counting at Secure EL0" },
	[AM_WHY_PMU_HPMD] = {
		"S3-d", "MDCR_EL2.HPMD prohibits counting at EL2 in the first range" },
	[AM_WHY_PMU_AUTHENTICATED] = { "S3-d", "the authentication interface allows it" },

	[AM_WHY_PMU_SCCD] = { "S3-e", "stopped in Secure state by MDCR_EL3.SCCD" },
	[AM_WHY_PMU_HCCD] = { "S3-e", "stopped at EL2 by MDCR_EL2.HCCD" },
	[AM_WHY_PMU_MCCD] = { "S3-e", "stopped at EL3 by MDCR_EL3.MCCD" },

	[AM_WHY_PMU_NOT_FROZEN] = { "S3-c", "not frozen" },
	[AM_WHY_PMU_FZO] = { "S3-c", "frozen by PMCR_EL0.FZO, PMOVSSET_EL0[%] set" },
	[AM_WHY_PMU_HPMFZO] = { "S3-c", "frozen by MDCR_EL2.HPMFZO, PMOVSSET_EL0[%] set" },
	[AM_WHY_PMU_FZS] = { "S3-b", "frozen by PMCR_EL0.FZS, PMBSR_EL%.S set" },
	[AM_WHY_PMU_HPMFZS] = { "S3-b", "frozen by MDCR_EL2.HPMFZS, PMBSR_EL%.S set" },

	[AM_WHY_PMU_FILTERED_EL0] = {
		"S3-a", "the filter excludes EL0: bits U, and NSU or RLU" },
	[AM_WHY_PMU_FILTERED_EL1] = {
		"S3-a", "the filter excludes EL1: bits P, and NSK or RLK" },
	[AM_WHY_PMU_FILTERED_EL2] = {
		"S3-a", "the filter excludes EL2: bits NSH, and SH or RLH" },
	[AM_WHY_PMU_FILTERED_EL3] = { "S3-a", "the filter excludes EL3: bits P and M" },
	[AM_WHY_PMU_VS_RESERVED] = { "PMEVTYPER", "PMEVTYPER<n>_EL0.VS is %, which is reserved" },
	[AM_WHY_PMU_VS] = {
		"PMEVTYPER", "PMEVTYPER<n>_EL0.VS is %, not for the current PSTATE.SM" },

	[AM_WHY_PMU_SHORT] = { "RQZJKS", "event counters have 32 bits without FEAT_PMUv3p5" },
	[AM_WHY_PMU_LONG_RANGE_3] = {
		"RQZJKS", "counters of the third range have 64 bits, whatever the controls say" },
	[AM_WHY_PMU_LONG_EBEP] = {
		"RQZJKS", "64 bits while the PMU Profiling exception is enabled" },
	[AM_WHY_PMU_LP] = { "RQZJKS", "PMCR_EL0.LP is %" },
	[AM_WHY_PMU_HLP] = { "RQZJKS", "MDCR_EL2.HLP is %" },
	[AM_WHY_PMU_LC] = { "RNTZHW", "PMCR_EL0.LC is %" },
	[AM_WHY_PMU_LC_RES1] = { "PMCR_EL0", "PMCR_EL0.LC is RES1 without AArch32" },
	[AM_WHY_PMU_LC_EBEP] = {
		"RNTZHW", "64 bits while the PMU Profiling exception is enabled" },
	[AM_WHY_PMU_LONG_INSTRUCTIONS] = {
		"RFBGFH", "the instruction counter has 64 bits, whatever the controls say" },
	[AM_WHY_PMU_ODD] = { "CHAIN", "counter % is odd: CHAIN counts overflows of even ones" },
	[AM_WHY_PMU_CHAIN_RANGES] = { "CHAIN", "counter % is in another range" },
	[AM_WHY_PMU_CHAIN_FZO] = { "S3-c", "the overflow of counter % freezes the CHAIN counter" },
	[AM_WHY_PMU_CHAIN] = { "CHAIN", "counter % sees the overflow" },

	[AM_WHY_PMU_NO_EBEP] = { "RCXBNL", "FEAT_EBEP is not implemented" },
	[AM_WHY_PMEE3] = { "RGWLVY", "MDCR_EL3.PMEE is %" },
	[AM_WHY_PMEE3_RESERVED] = {
		"RGWLVY", "MDCR_EL3.PMEE is %: neither exception nor interrupt" },
	[AM_WHY_PMEE2] = { "RGWLVY", "MDCR_EL2.PMEE is %" },
	[AM_WHY_PMEE2_RESERVED] = {
		"RGWLVY", "MDCR_EL2.PMEE is %: neither exception nor interrupt" },
	[AM_WHY_PMEE1_TGE] = { "RGWLVY", "PMECR_EL1.PMEE is %, and HCR_EL2.TGE is 1" },
	[AM_WHY_PMEE1] = { "RGWLVY", "PMECR_EL1.PMEE is %" },
	[AM_WHY_PMEE1_RESERVED] = {
		"RGWLVY", "PMECR_EL1.PMEE is %: neither exception nor interrupt" },

	[AM_WHY_PMU_DEBUG_MASKED] = { "RSCBDZ", "masked in Debug state" },
	[AM_WHY_PMU_ABOVE_TARGET] = { "RSCBDZ", "the PE is above the target Exception level" },
	[AM_WHY_PMU_EL2_DELEGATES] = { "RSCBDZ", "at EL2, and MDCR_EL2.PMEE is not 3" },
	[AM_WHY_PMU_KPME] = { "RSCBDZ", "at the target Exception level, and PMECR_EL1.KPME is 0" },
	[AM_WHY_PMU_PM] = { "RSCBDZ", "at the target Exception level, and PSTATE.PM is 1" },
	[AM_WHY_PMU_PPEND] = { "RHLYTW", "PSTATE.PPEND is 1; the target is EL%" },
	[AM_WHY_PMU_OVERFLOW] = { "RKBPMJ", "a counter has overflowed; the target is EL%" },
	[AM_WHY_PMU_NO_OVERFLOW] = { "RKBPMJ", "no overflow flag that could cause it is set" },
	[AM_WHY_PMU_FLAG] = { "RKBPMJ", "the overflow flag of counter % is set" },
	[AM_WHY_PMU_OVERFLOW_SYNC] = { "RKBPMJ", "counter % has SYNC = 1: its flag is ignored" },
	[AM_WHY_PMU_INTEN] = { "RKBPMJ", "PMINTENSET_EL1[%] is 0" },
	[AM_WHY_PMU_NO_HALT] = { "ILMKZN", "FEAT_PMUv3p9 or FEAT_Debugv8p9 is not implemented" },
	[AM_WHY_PMU_PME] = { "ILMKZN", "EDECR.PME is 0" },
	[AM_WHY_PMU_NO_BRBE] = { "IZWQTX", "branches are not recorded" },
	[AM_WHY_PMU_NO_FREEZE] = { "IZWQTX", "no flag of a range whose BRBCR_ELx.FZP is 1 is set" },

	[AM_WHY_PMU_NO_SEBEP] = { "RGHRZF", "FEAT_SEBEP is not implemented" },
	[AM_WHY_PMU_CYCLES_NOT_SYNC] = { "RFCXWT", "the cycle counter has no synchronous mode" },
	[AM_WHY_PMU_SYNC_CLEAR] = { "RSSVKV", "the SYNC bit of counter % is 0" },
	[AM_WHY_PMU_EVENT_NOT_SYNC] = {
		"RSSVKV", "the SYNC bit is 1, and the event of counter % does not support it" },
	[AM_WHY_PMU_SYNC] = { "RSSVKV", "counter % is in synchronous mode" },
	[AM_WHY_PMU_SYNC_EVENT] = { "D14.7", "the manual lists event %" },
	[AM_WHY_PMU_SYNC_IMPDEF] = {
		"RXLMVX", "the manual does not list event %: IMPLEMENTATION DEFINED" },

	[AM_WHY_PMU_RETURN_UNMASKS] = {
		"RMQDPX", "an exception return that unmasks treats it as masked" },
	[AM_WHY_PMU_PENDS_NOTHING] = {
		"RNZLVW", "no overflowed synchronous counter counted the instruction" },
	[AM_WHY_PMU_PENDS_EITHER] = {
		"RMQDPX", "the instruction changes what decides, for counter %" },
	[AM_WHY_PMU_PENDS] = { "RNZLVW", "counter % counted the instruction, and has overflowed" },
	[AM_WHY_PPEND_CASE] = { "Table D13-2", "case % of the table" },
	[AM_WHY_PPEND_DEBUG_EXIT] = {
		"RGBQFX", "enabled, and unmasked after the exit from Debug state" },
};

const char *am_why_rule(enum am_why why)
{
	return (unsigned int)why < AM_WHY_COUNT ? am_why_clauses[why].rule : "";
}

struct am_output {
	char *text;
	unsigned int size;
	unsigned int length;
};

static void am_put(struct am_output *out, char c)
{
	if (out->length < out->size)
		out->text[out->length] = c;
	out->length++;
}

static void am_put_state(struct am_output *out, unsigned int state)
{
	static const char *const names[] = {
		[PCS_STATE_SECURE] = "Secure",
		[PCS_STATE_NONSECURE] = "Non-secure",
		[PCS_STATE_ROOT] = "Root",
		[PCS_STATE_REALM] = "Realm",
	};
	const char *p;

	for (p = names[state & 3]; *p; p++)
		am_put(out, *p);
}

static void am_put_number(struct am_output *out, unsigned int number)
{
	if (number >= 10)
		am_put_number(out, number / 10);
	am_put(out, '0' + number % 10);
}

unsigned int am_why_print(struct am_verdict verdict, char *text, unsigned int size)
{
	struct am_output out = { .text = text, .size = size };
	const char *p = "";

	if ((unsigned int)verdict.why < AM_WHY_COUNT)
		p = am_why_clauses[verdict.why].text;
	for (; *p; p++) {
		if (*p == '%')
			am_put_number(&out, verdict.detail);
		else if (*p == '@')
			am_put_state(&out, verdict.detail);
		else
			am_put(&out, *p);
	}
	if (size)
		text[out.length < size ? out.length : size - 1] = '\0';
	return out.length;
}
