/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCG plugin that counts the instructions which a vCPU executes between two markers, and those of
 * the calls of some functions.
 *
 * The markers are HINT instructions that no extension uses, NOPs on every PE:
 *   hint #0x6e    begin
 *   hint #0x6f    end: a line "VCPU USER KERNEL" goes to the file
 *   hint #0x70    from here on each call of the function that begins at X0 and ends before X1 is
 *                 counted, up to the RET in it: a line "VCPU call NUMBER KERNEL" for each. It must
 *                 not have run before. The first function has the number 0, and may call the
 *                 others, but none itself.
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

#include <glib.h>
#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define HINT(n)     (0xD503201F | (n) << 5)
#define MARK_BEGIN  HINT(0x6E)
#define MARK_END    HINT(0x6F)
#define MARK_CALLS  HINT(0x70)

/* RET, RETAA, RETAB by X30 */
#define IS_RET(opcode) ((opcode) == 0xD65F03C0 || ((opcode) | 0x400) == 0xD65F0FFF)

#define MAX_FUNCTIONS   4

struct counts {
    uint64_t user, kernel;
    uint64_t user_at_begin, kernel_at_begin;
    uint64_t kernel_at_call[MAX_FUNCTIONS];
};

static struct {
    uint64_t begin, end;
} functions[MAX_FUNCTIONS];

static unsigned int nr_functions;

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

static uint64_t read_register(const char *name)
{
    g_autoptr(GArray) registers = qemu_plugin_get_registers();
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    uint64_t value = 0;

    for (unsigned int i = 0; i < registers->len; i++) {
        qemu_plugin_reg_descriptor *d = &g_array_index(registers, qemu_plugin_reg_descriptor, i);

        if (!strcmp(d->name, name)) {
            qemu_plugin_read_register(d->handle, bytes);
        }
    }
    for (unsigned int i = 0; i < bytes->len && i < 8; i++) {
        value |= (uint64_t)bytes->data[i] << 8 * i;
    }
    return value;
}

static void mark_calls(unsigned int vcpu, void *unused)
{
    if (nr_functions == MAX_FUNCTIONS) {
        fprintf(stderr, "insn-count: it counts calls of %d functions\n", MAX_FUNCTIONS);
        return;
    }
    functions[nr_functions].begin = read_register("x0");
    functions[nr_functions].end = read_register("x1");
    nr_functions++;
}

static void called(unsigned int vcpu, void *number)
{
    struct counts *c = qemu_plugin_scoreboard_find(scoreboard, vcpu);

    c->kernel_at_call[GPOINTER_TO_UINT(number)] = c->kernel;
}

/* With the RET, which is counted after this */
static void returns(unsigned int vcpu, void *number)
{
    struct counts *c = qemu_plugin_scoreboard_find(scoreboard, vcpu);
    unsigned int n = GPOINTER_TO_UINT(number);

    fprintf(out, "%u call %u %" PRIu64 "\n", vcpu, n, c->kernel - c->kernel_at_call[n] + 1);
    fflush(out);
}

static void count_calls(struct qemu_plugin_insn *insn, uint64_t vaddr, uint32_t opcode)
{
    for (unsigned int n = 0; n < nr_functions; n++) {
        if (vaddr == functions[n].begin) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, called, QEMU_PLUGIN_CB_NO_REGS,
                                                   GUINT_TO_POINTER(n));
        } else if (vaddr > functions[n].begin && vaddr < functions[n].end && IS_RET(opcode)) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, returns, QEMU_PLUGIN_CB_NO_REGS,
                                                   GUINT_TO_POINTER(n));
        }
    }
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    qemu_plugin_u64 user = qemu_plugin_scoreboard_u64_in_struct(scoreboard, struct counts, user);
    qemu_plugin_u64 kernel =
        qemu_plugin_scoreboard_u64_in_struct(scoreboard, struct counts, kernel);

    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t vaddr = qemu_plugin_insn_vaddr(insn);
        bool high = vaddr >> 55 & 1;
        uint32_t opcode = 0;

        qemu_plugin_insn_data(insn, &opcode, sizeof(opcode));
        if (opcode == MARK_BEGIN) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_begin, QEMU_PLUGIN_CB_NO_REGS,
                                                   NULL);
        } else if (opcode == MARK_END) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
        } else if (opcode == MARK_CALLS) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_calls, QEMU_PLUGIN_CB_R_REGS, NULL);
        }
        count_calls(insn, vaddr, opcode);
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
