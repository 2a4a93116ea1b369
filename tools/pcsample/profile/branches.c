// SPDX-License-Identifier: GPL-2.0-only
#include <arch-model/bits.h>

#include "profile/branches.h"

const char *branch_prediction(u64 flags)
{
	bool not_taken = flags & BRANCH_NOT_TAKEN;

	if (flags & BRANCH_PREDICTED)
		return not_taken ? "PN" : "P";
	if (flags & BRANCH_MISPREDICTED || not_taken)
		return not_taken ? "MN" : "M";
	return "-";
}

/* PERF_BR_EXTEND_ABI, Linux 6.1: the kind is in new_type */
#define TYPE_EXTENDED 15

static const char *extended_type(const struct session *s, unsigned int type)
{
	static const char *const names[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST" };
	static const char *const others[] = { "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5" };
	static const char *const arm64[] = {
		"ARM64_FIQ", "ARM64_DEBUG_HALT", "ARM64_DEBUG_EXIT", "ARM64_DEBUG_INST",
		"ARM64_DEBUG_DATA",
	};
	const char *arch = session_string(s, PERFDATA_ARCH);

	if (type < ARRAY_SIZE(names))
		return names[type];
	type -= ARRAY_SIZE(names);
	if (type >= ARRAY_SIZE(others))
		return "?";
	return arch && !strcmp(arch, "aarch64") ? arm64[type] : others[type];
}

const char *branch_kind(const struct session *s, u64 flags)
{
	static const char *const names[TYPE_EXTENDED] = {
		"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET",
		"COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX",
	};
	unsigned int type = FIELD_GET(BRANCH_TYPE, flags);

	return type == TYPE_EXTENDED ? extended_type(s, FIELD_GET(BRANCH_NEW_TYPE, flags)) :
				       names[type];
}

const char *branch_speculation(u64 flags)
{
	static const char *const names[] = {
		"-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH",
	};

	return names[FIELD_GET(BRANCH_SPEC, flags)];
}
