/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCG plugin that counts the instructions which a vCPU executes between two markers.
 *
 * The markers are HINT instructions that no extension uses, NOPs on every PE:
 *   hint #0x6e    begin
 *   hint #0x6f    end: a line "VCPU USER KERNEL" goes to the file
 * USER and KERNEL are the numbers of instructions at addresses of the lower and of the upper
 * half of the address space, executed after the first and before the second marker. Each
 * instruction is counted when it executes, so that an exception in the middle of a translation
 * block makes no error.
 *
 * Option: out=FILE
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define HINT(n)     (0xD503201F | (n) << 5)
#define MARK_BEGIN  HINT(0x6E)
#define MARK_END    HINT(0x6F)

struct counts {
    uint64_t user, kernel;
    uint64_t user_at_begin, kernel_at_begin;
};

static struct qemu_plugin_scoreboard *scoreboard;
static FILE *out;

static void mark_begin(unsigned int vcpu, void *unused)
{
    struct counts *c = qemu_plugin_scoreboard_find(scoreboard, vcpu);

    c->user_at_begin = c->user;
    c->kernel_at_begin = c->kernel;
}

static void mark_end(unsigned int vcpu, void *unused)
{
    struct counts *c = qemu_plugin_scoreboard_find(scoreboard, vcpu);

    /* Without the first marker itself */
    fprintf(out, "%u %" PRIu64 " %" PRIu64 "\n", vcpu, c->user - c->user_at_begin - 1,
            c->kernel - c->kernel_at_begin);
    fflush(out);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    qemu_plugin_u64 user = qemu_plugin_scoreboard_u64_in_struct(scoreboard, struct counts, user);
    qemu_plugin_u64 kernel =
        qemu_plugin_scoreboard_u64_in_struct(scoreboard, struct counts, kernel);

    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        bool high = qemu_plugin_insn_vaddr(insn) >> 55 & 1;
        uint32_t opcode = 0;

        qemu_plugin_insn_data(insn, &opcode, sizeof(opcode));
        if (opcode == MARK_BEGIN) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_begin, QEMU_PLUGIN_CB_NO_REGS,
                                                   NULL);
        } else if (opcode == MARK_END) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
        }
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
            insn, QEMU_PLUGIN_INLINE_ADD_U64, high ? kernel : user, 1);
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
                                           int argc, char **argv)
{
    if (argc != 1 || strncmp(argv[0], "out=", 4)) {
        fprintf(stderr, "insn-count: it takes out=FILE\n");
        return -1;
    }
    out = fopen(argv[0] + 4, "w");
    if (!out) {
        perror(argv[0] + 4);
        return -1;
    }
    scoreboard = qemu_plugin_scoreboard_new(sizeof(struct counts));
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
