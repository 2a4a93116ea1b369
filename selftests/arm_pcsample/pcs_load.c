// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs to be sampled; see pcs_load.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcs_load.h"
#include "pcs_perf.h"

#define LOOP(name)					\
	".globl	" name "\n"				\
	".type	" name ", %function\n"			\
	".balign	64\n"				\
	name ":\n"					\
	"	subs	x0, x0, #1\n"			\
	"	b.ne	" name "\n"			\
	"	ret\n"					\
	".globl	" name "_end\n"				\
	name "_end:\n"					\
	".size	" name ", . - " name "\n"

asm(".pushsection .text\n" LOOP("pcs_loop_a") LOOP("pcs_loop_b") ".popsection\n");

void pcs_load_loop(uint64_t unused)
{
	for (;;)
		pcs_loop_a(1000000);
}

void pcs_load_70_30(uint64_t unused)
{
	for (;;) {
		pcs_loop_a(70000);
		pcs_loop_b(30000);
	}
}

void pcs_load_lockstep(uint64_t period)
{
	for (;;) {
		if (pcs_now() % period < period * 3 / 10)
			pcs_loop_a(20000);
		else
			pcs_loop_b(20000);
	}
}

void pcs_load_syscalls(uint64_t unused)
{
	for (;;)
		syscall(SYS_getppid);
}

void pcs_load_mixed(uint64_t unused)
{
	for (;;) {
		pcs_loop_a(1000);
		sched_yield();
	}
}

#define CORE_REG(r) (KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
		     KVM_REG_ARM_CORE_REG(regs.r))

static void set_reg(int vcpu, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	if (ioctl(vcpu, KVM_SET_ONE_REG, &reg))
		_exit(1);
}

/* A guest with @code, of @size bytes, at PCS_GUEST_PC; x1 points outside its memory. */
static void run_guest(uint64_t pstate, const uint32_t *code, size_t size)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = PCS_GUEST_PC,
		.memory_size = 0x10000,
	};
	int kvm = open("/dev/kvm", O_RDWR), vm, vcpu;
	struct kvm_vcpu_init init;
	uint32_t *memory;

	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	memory = mmap(NULL, region.memory_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memcpy(memory, code, size);
	region.userspace_addr = (uintptr_t)memory;
	if (vm < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		_exit(1);
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init) || ioctl(vcpu, KVM_ARM_VCPU_INIT, &init))
		_exit(1);
	set_reg(vcpu, CORE_REG(pc), PCS_GUEST_PC);
	set_reg(vcpu, CORE_REG(pstate), 0x3C0 | pstate);
	set_reg(vcpu, CORE_REG(regs[1]), PCS_GUEST_PC + region.memory_size);
	for (;;)
		if (ioctl(vcpu, KVM_RUN, 0) && errno != EINTR)
			_exit(1);
}

void pcs_load_guest(uint64_t pstate)
{
	static const uint32_t code[] = {
		0x14000000,		/* b . */
	};

	run_guest(pstate, code, sizeof(code));
}

void pcs_load_exits(uint64_t pstate)
{
	static const uint32_t code[] = {
		0x52803E82,		/* 0: mov w2, #500 */
		0x71000442,		/* 1: subs w2, w2, #1 */
		0x54FFFFE1,		/* b.ne 1b */
		0xB9400023,		/* ldr w3, [x1] */
		0x17FFFFFC,		/* b 0b */
	};

	run_guest(pstate, code, sizeof(code));
}

pid_t pcs_load_start(int cpu, void (*fn)(uint64_t arg), uint64_t arg)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		abort();
	pid = fork();
	if (pid < 0)
		abort();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pcs_pin(0, cpu);
		close(ready[0]);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		close(ready[1]);
		fn(arg);
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		abort();
	close(ready[0]);
	return pid;
}

void pcs_load_stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

bool pcs_ends_within(pid_t pid, unsigned int ms, int *status)
{
	uint64_t end = pcs_now() + ms * 1000000ULL;

	do {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		pcs_sleep(1000000);
	} while (pcs_now() < end);
	return false;
}

pid_t pcs_unload_start(int leader)
{
	pid_t pid = fork();

	if (!pid) {
		close(leader);
		_exit(syscall(SYS_delete_module, "arm_pcsample", O_NONBLOCK) ? errno : 0);
	}
	return pid;
}
