// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <stdio.h>
#include <sys/types.h>

#include "symbols/disasm.h"

#if HAVE_CAPSTONE
#include <capstone/capstone.h>

static bool in_group(const cs_insn *in, unsigned int group)
{
	unsigned int i;

	for (i = 0; i < in->detail->groups_count; i++)
		if (in->detail->groups[i] == group)
			return true;
	return false;
}

static u64 target_x86(const cs_x86 *x)
{
	return x->op_count && x->operands[0].type == X86_OP_IMM ? x->operands[0].imm : 0;
}

/* The last operand: "cbz x0, LABEL", "tbnz w0, #3, LABEL" */
static u64 target_arm64(const cs_arm64 *a)
{
	const cs_arm64_op *last = a->op_count ? &a->operands[a->op_count - 1] : NULL;

	return last && last->type == ARM64_OP_IMM ? last->imm : 0;
}

static void take_instruction(struct instruction *r, const cs_insn *in, u16 machine)
{
	*r = (struct instruction){ .vaddr = in->address, .size = in->size };
	snprintf(r->text, sizeof(r->text), "%-7s %s", in->mnemonic, in->op_str);
	if (!in->detail || !in->id)
		return;
	r->branches = in_group(in, CS_GRP_JUMP) || in_group(in, CS_GRP_CALL) ||
		      in_group(in, CS_GRP_RET) || in_group(in, CS_GRP_INT) ||
		      in_group(in, CS_GRP_IRET);
	/* capstone 4 puts some of these into none of the groups */
	if (machine == EM_AARCH64 && (in->id == ARM64_INS_BL || in->id == ARM64_INS_BLR ||
				      in->id == ARM64_INS_BR || in->id == ARM64_INS_RET ||
				      in->id == ARM64_INS_ERET))
		r->branches = true;
	if (r->branches)
		r->target = machine == EM_AARCH64 ? target_arm64(&in->detail->arm64) :
						    target_x86(&in->detail->x86);
}

static int open_handle(csh *handle, u16 machine, bool intel, struct error *err)
{
	cs_err ret;

	if (machine == EM_AARCH64)
		ret = cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, handle);
	else if (machine == EM_X86_64)
		ret = cs_open(CS_ARCH_X86, CS_MODE_64, handle);
	else if (machine == EM_ARM)
		return error_set(err, -ENOEXEC,
				 "no disassembler for 32-bit Arm, only for arm64 and x86-64");
	else
		return error_set(err, -ENOEXEC, "no disassembler for ELF machine %u", machine);
	if (ret)
		return error_set(err, -ENOEXEC, "capstone: %s", cs_strerror(ret));
	cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(*handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	if (machine == EM_X86_64 && !intel)
		cs_option(*handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return 0;
}

ssize_t disassemble(const u8 *p, size_t size, u64 vaddr, u16 machine, bool intel,
		    struct instruction **ret, struct error *err)
{
	struct instruction *list = NULL;
	size_t nr = 0, cap = 0, left = size;
	uint64_t at = vaddr;
	cs_insn *in;
	csh handle;
	int rc;

	rc = open_handle(&handle, machine, intel, err);
	if (rc)
		return rc;
	in = cs_malloc(handle);
	rc = in ? 0 : -ENOMEM;
	while (!rc && left && cs_disasm_iter(handle, &p, &left, &at, in)) {
		rc = mem_grow(&list, &cap, nr + 1);
		if (!rc)
			take_instruction(&list[nr++], in, machine);
	}
	if (in)
		cs_free(in, 1);
	cs_close(&handle);
	if (rc) {
		free(list);
		return error_set(err, rc, "out of memory");
	}
	*ret = list;
	return nr;
}
#else
ssize_t disassemble(const u8 *p, size_t size, u64 vaddr, u16 machine, bool intel,
		    struct instruction **ret, struct error *err)
{
	return error_set(err, -EOPNOTSUPP, "no instructions: pcsample was built without capstone");
}
#endif
