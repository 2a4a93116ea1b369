// SPDX-License-Identifier: GPL-2.0-only
/*
 * A KVM guest while the host is profiled: it sees none of the features, is never disturbed, and
 * computes what it computes.
 *
 * Usage: guest SECONDS CODE [LENGTH], where CODE is programs/guest-code, and LENGTH how far it
 * counts on average in one round, in which it is left seven times. Rounds of about one length would
 * be in step with samples, as each sample makes its round longer: one in eight is long, and up to
 * fourteen times the average.
 */
#include <elf.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define GUEST_RAM	0x40000000UL
#define GUEST_MMIO	0x10000000UL
#define CORE_REG(r)	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
			 KVM_REG_ARM_CORE_REG(r))
/* PSTATE.PM, which the guest sets, and PPEND are nobody's to see */
#define HIDDEN		(3UL << 32)

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void set_reg(int vcpu, uint64_t id, uint64_t value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	if (ioctl(vcpu, KVM_SET_ONE_REG, &reg))
		die("KVM_SET_ONE_REG");
}

static uint64_t get_reg(int vcpu, uint64_t id)
{
	uint64_t value;
	struct kvm_one_reg reg = { .id = id, .addr = (uintptr_t)&value };

	if (ioctl(vcpu, KVM_GET_ONE_REG, &reg))
		die("KVM_GET_ONE_REG");
	return value;
}

/* Whether any of the bits are in a register, as they are or after user space has set them */
static int shows_hidden(int vcpu, uint64_t id)
{
	uint64_t value = get_reg(vcpu, id);

	set_reg(vcpu, id, value | HIDDEN);
	return ((value | get_reg(vcpu, id)) & HIDDEN) != 0;
}

/* The code is the only segment, and has no need to be where it was linked. */
static void load_code(void *ram, const char *path)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	int i, fd = open(path, O_RDONLY);

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != sizeof(header))
		die(path);
	for (i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment),
			  header.e_phoff + i * sizeof(segment)) != sizeof(segment))
			die(path);
		if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
		    pread(fd, ram, segment.p_vaddr + segment.p_filesz - header.e_entry,
			  segment.p_offset + header.e_entry - segment.p_vaddr) <= 0)
			die(path);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	int kvm = open("/dev/kvm", O_RDWR), vm, vcpu, size;
	struct kvm_userspace_memory_region region = { .guest_phys_addr = GUEST_RAM,
						      .memory_size = 0x10000 };
	unsigned long rounds = 0, wrong = 0, seen = 0, mean = 300000, length;
	time_t end = time(NULL) + atoi(argv[1]);
	struct kvm_vcpu_init init = { 0 };
	struct kvm_run *run;
	uint64_t value;
	void *ram;

	if (argc > 3)
		mean = atol(argv[3]);
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	ram = mmap(NULL, 0x10000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	load_code(ram, argv[2]);
	region.userspace_addr = (uintptr_t)ram;
	if (vm < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		die("KVM");
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init) || ioctl(vcpu, KVM_ARM_VCPU_INIT, &init))
		die("KVM_ARM_VCPU_INIT");
	size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	set_reg(vcpu, CORE_REG(regs.pc), GUEST_RAM);
	length = mean;
	set_reg(vcpu, CORE_REG(regs.regs[19]), length);

	/* A host that is slow may need longer for a round. */
	while (time(NULL) < end || !rounds) {
		if (ioctl(vcpu, KVM_RUN, 0) || run->exit_reason != KVM_EXIT_MMIO) {
			printf("# exit %u\n", run->exit_reason);
			return 1;
		}
		memcpy(&value, run->mmio.data, sizeof(value));
		switch (run->mmio.phys_addr - GUEST_MMIO) {
		case 0:		/* ID_AA64DFR0_EL1.SEBEP */
			seen += value >> 24 & 15 ? 1 : 0;
			break;
		case 8:		/* ID_AA64DFR1_EL1.EBEP */
			seen += value >> 48 & 15 ? 1 : 0;
			break;
		case 16:	/* ID_AA64DFR2_EL1 */
			seen += value ? 1 : 0;
			break;
		case 24:
			rounds++;
			wrong += value != length * (length + 1) / 2;
			length = rand() % 8 ? mean / 8 : rand() % (57 * mean / 4) + 1;
			set_reg(vcpu, CORE_REG(regs.regs[19]), length);
			break;
		case 32:	/* It has set PM in both */
			seen += shows_hidden(vcpu, CORE_REG(regs.pstate));
			seen += shows_hidden(vcpu, CORE_REG(spsr[0]));
			break;
		default:
			printf("# a store to %llx\n", run->mmio.phys_addr);
			return 1;
		}
	}
	printf("# %lu rounds, %lu wrong, a feature seen %lu times\n", rounds, wrong, seen);
	return wrong || seen;
}
