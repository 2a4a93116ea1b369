// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/code.h"
#include "lib/elf-symbols.h"
#include "lib/kernel-symbols.h"
#include "lib/regular-file.h"

#define CODE_MAX	(16U << 20)

void code_deinit(struct code_bytes *c)
{
	free(c->p);
	memset(c, 0, sizeof(*c));
}

static int take_bytes(struct code_bytes *c, const u8 *image, size_t image_size, u64 offset,
		      size_t size, struct error *err)
{
	if (offset > image_size || size > image_size - offset)
		return error_set(err, -EINVAL, "%s: ends before its code", c->from);
	c->p = malloc(size + 1);
	if (!c->p)
		return error_set(err, -ENOMEM, "out of memory");
	memcpy(c->p, image + offset, size);
	c->size = size;
	return 0;
}

/* Files */

static u64 vaddr_of_offset(Elf *elf, u64 offset)
{
	size_t nr = 0, i;
	GElf_Phdr ph;

	elf_getphdrnum(elf, &nr);
	for (i = 0; i < nr && gelf_getphdr(elf, i, &ph); i++)
		if (ph.p_type == PT_LOAD &&
		    offset >= ph.p_offset && offset - ph.p_offset < ph.p_filesz)
			return offset - ph.p_offset + ph.p_vaddr;
	return offset;
}

static int read_elf(struct code_bytes *c, Elf *elf, u64 offset, size_t size, struct error *err)
{
	const char *image;
	size_t image_size;
	GElf_Ehdr eh;

	image = elf_rawfile(elf, &image_size);
	if (!image || !gelf_getehdr(elf, &eh))
		return error_set(err, -EINVAL, "%s: %s", c->from, elf_errmsg(-1));
	c->machine = eh.e_machine;
	c->vaddr = vaddr_of_offset(elf, offset);
	return take_bytes(c, (const u8 *)image, image_size, offset, size, err);
}

static int read_file(struct code_bytes *c, const struct dso *dso, u64 offset, size_t size,
		     struct error *err)
{
	Elf *elf = elf_symbols_file(dso, false);

	snprintf(c->from, sizeof(c->from), "%s", dso->path);
	if (elf)
		return read_elf(c, elf, offset, size, err);
	if (dso->problem.text[0])
		return error_set(err, -ENOENT, "%s", dso->problem.text);
	return error_set(err, -ENOENT, "%s: only its debug file is here, which has no code",
			 dso->path);
}

static int read_vdso(struct code_bytes *c, struct session *s, u64 offset, size_t size,
		     struct error *err)
{
	Elf *elf;
	int ret;

	if (!s->dsos.vdso)
		return error_set(err, -ENOENT, "the recorded vDSO is not known");
	snprintf(c->from, sizeof(c->from), "image of the vDSO");
	elf = elf_memory((char *)s->dsos.vdso, s->dsos.vdso_size);
	if (!elf)
		return error_set(err, -EINVAL, "%s: %s", c->from, elf_errmsg(-1));
	ret = read_elf(c, elf, offset, size, err);
	elf_end(elf);
	return ret;
}

/* The kernel, by virtual address */

/* Read from the segment that has the address, as /proc/kcore and vmlinux both have them */
static int read_segment(struct code_bytes *c, int fd, u64 vaddr, size_t size, struct error *err)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	unsigned int i;

	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_phentsize != sizeof(ph))
		return error_set(err, -EINVAL, "%s: no ELF file of a 64-bit kernel", c->from);
	c->machine = eh.e_machine;
	c->p = malloc(size + 1);
	if (!c->p)
		return error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), eh.e_phoff + i * sizeof(ph)) != sizeof(ph))
			break;
		if (ph.p_type != PT_LOAD || vaddr < ph.p_vaddr ||
		    vaddr - ph.p_vaddr >= ph.p_filesz || size > ph.p_filesz - (vaddr - ph.p_vaddr))
			continue;
		if (pread(fd, c->p, size, ph.p_offset + (vaddr - ph.p_vaddr)) != (ssize_t)size)
			return error_set(err, -EIO, "%s: cannot read 0x%llx", c->from,
					 (unsigned long long)vaddr);
		c->size = size;
		c->vaddr = vaddr;
		return 0;
	}
	return error_set(err, -ENOENT, "%s: has nothing at 0x%llx", c->from,
			 (unsigned long long)vaddr);
}

static u64 symbol_in(Elf *elf, const char *wanted)
{
	Elf_Scn *scn = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Sym sym;
	int i;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; data && gelf_getsym(data, i, &sym); i++) {
			name = elf_strptr(elf, sh.sh_link, sym.st_name);
			if (name && !strcmp(name, wanted))
				return sym.st_value;
		}
	}
	return 0;
}

/* The kernel ran as far from where it was linked as its symbol _text did */
static int read_vmlinux(struct code_bytes *c, const struct session *s, const char *path, u64 vaddr,
			size_t size, struct error *err)
{
	u64 linked = 0, ran = kallsyms_find(&s->dsos.kallsyms, "_text") + s->dsos.kallsyms.shift;
	struct stat st;
	int fd, ret;
	Elf *elf;

	fd = regular_open(path, &st);
	if (fd == -EINVAL)
		return error_set(err, fd, "%s: expected a regular file", path);
	if (fd < 0)
		return error_set(err, fd, "%s: %s", path, strerror(-fd));
	snprintf(c->from, sizeof(c->from), "%s", path);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, is_of_others(&st) ? ELF_C_READ : ELF_C_READ_MMAP, NULL);
	if (elf)
		linked = symbol_in(elf, "_text");
	elf_end(elf);
	if (!linked || !ran)
		ret = error_set(err, -EINVAL, "%s: has no symbol _text to place it by", path);
	else
		ret = read_segment(c, fd, vaddr - ran + linked, size, err);
	close(fd);
	c->vaddr = vaddr;
	return ret;
}

static int read_kcore(struct code_bytes *c, const struct session *s, u64 vaddr, size_t size,
		      struct error *err)
{
	int fd, ret;

	if (!kernel_symbols_running(s->pd) || s->dsos.kallsyms.shift)
		return error_set(err, -ESTALE,
				 "the recorded kernel does not run here: --vmlinux FILE gives its code");
	fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, -errno, "/proc/kcore: %s; --vmlinux FILE gives the code",
				 strerror(errno));
	snprintf(c->from, sizeof(c->from), "/proc/kcore, the running kernel");
	ret = read_segment(c, fd, vaddr, size, err);
	close(fd);
	return ret;
}

int code_read(struct session *s, u32 index, u64 addr, size_t size, const char *vmlinux,
	      struct code_bytes *c, struct error *err)
{
	const struct dso *dso = s->dsos.dso[index];

	memset(c, 0, sizeof(*c));
	if (size > CODE_MAX)
		return error_set(err, -EFBIG, "%s: a function of %zu bytes", dso->name, size);
	switch (dso->kind) {
	case DSO_FILE:
	case DSO_IMAGE:
		return read_file(c, dso, addr, size, err);
	case DSO_VDSO:
		return read_vdso(c, s, addr, size, err);
	case DSO_KERNEL:
		if (vmlinux)
			return read_vmlinux(c, s, vmlinux, addr, size, err);
		return read_kcore(c, s, addr, size, err);
	case DSO_MODULE:
		return read_kcore(c, s, addr, size, err);
	default:
		return error_set(err, -ENOENT, "%s: its code was not kept", dso->name);
	}
}
