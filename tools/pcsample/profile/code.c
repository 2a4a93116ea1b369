// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <unistd.h>

#include "profile/code.h"
#include "profile/kernel.h"
#include "symbols/elf-symbols.h"

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

static int read_elf(struct code_bytes *c, const struct elf_file *f, u64 offset, size_t size,
		    struct error *err)
{
	const struct elf_segment *segment = elf_file_segment_of(f, offset);
	const char *image;
	size_t image_size;

	image = elf_rawfile(f->elf, &image_size);
	if (!image)
		return error_set(err, -EINVAL, "%s: %s", c->from, elf_errmsg(-1));
	c->machine = f->machine;
	c->vaddr = segment ? offset - segment->offset + segment->vaddr : offset;
	return take_bytes(c, (const u8 *)image, image_size, offset, size, err);
}

static int read_file(struct code_bytes *c, const struct dso *dso, u64 offset, size_t size,
		     struct error *err)
{
	const struct elf_file *f = elf_symbols_file(dso, false);

	snprintf(c->from, sizeof(c->from), "%s", dso->path);
	if (f)
		return read_elf(c, f, offset, size, err);
	if (dso_problem(dso)[0])
		return error_set(err, -ENOENT, "%s", dso_problem(dso));
	return error_set(err, -ENOENT, "%s: only its debug file is here, which has no code",
			 dso->path);
}

static int read_vdso(struct code_bytes *c, struct session *s, u64 offset, size_t size,
		     struct error *err)
{
	struct elf_file f;
	int ret;

	if (!s->dsos.vdso)
		return error_set(err, -ENOENT, "the recorded vDSO is not known");
	snprintf(c->from, sizeof(c->from), "image of the vDSO");
	if (elf_file_open_image(&f, s->dsos.vdso, s->dsos.vdso_size))
		return error_set(err, -EINVAL, "%s: no ELF file", c->from);
	ret = read_elf(c, &f, offset, size, err);
	elf_file_close(&f);
	return ret;
}

/* The kernel, by virtual address */

/* Read from the segment that has the address: both /proc/kcore and vmlinux have segments */
static int read_segment(struct code_bytes *c, const struct elf_file *f, u64 vaddr, size_t size,
			struct error *err)
{
	const struct elf_segment *segment = elf_file_segment(f, vaddr);
	u64 skip = segment ? vaddr - segment->vaddr : 0;

	if (!segment || size > segment->file_size - skip)
		return error_set(err, -ENOENT, "%s: has nothing at 0x%llx", c->from,
				 (unsigned long long)vaddr);
	c->p = malloc(size + 1);
	if (!c->p)
		return error_set(err, -ENOMEM, "out of memory");
	if (pread(f->fd, c->p, size, segment->offset + skip) != (ssize_t)size)
		return error_set(err, -EIO, "%s: cannot read 0x%llx", c->from,
				 (unsigned long long)vaddr);
	c->machine = f->machine;
	c->size = size;
	c->vaddr = vaddr;
	return 0;
}

/* @ret: of opening the file. Return: 0, or a negative errno with a message */
static int open_kernel(struct elf_file *f, const char *path, int ret, struct error *err)
{
	if (ret == -ENOEXEC || (!ret && gelf_getclass(f->elf) != ELFCLASS64))
		ret = error_set(err, -EINVAL, "%s: no ELF file of a 64-bit kernel", path);
	else if (ret)
		error_set(err, ret, "%s: %s", path, strerror(-ret));
	if (ret)
		elf_file_close(f);
	return ret;
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

/* The symbol _text says how far from its link address the kernel ran (KASLR) */
static int read_vmlinux(struct code_bytes *c, const struct session *s, const char *path, u64 vaddr,
			size_t size, struct error *err)
{
	u64 linked, ran = kallsyms_find(&s->dsos.kallsyms, "_text") + s->dsos.kallsyms.shift;
	struct elf_file f;
	int ret = open_kernel(&f, path, elf_file_open(&f, path), err);

	if (ret)
		return ret;
	snprintf(c->from, sizeof(c->from), "%s", path);
	linked = symbol_in(f.elf, "_text");
	if (!linked || !ran)
		ret = error_set(err, -EINVAL, "%s: has no symbol _text to place it by", path);
	else
		ret = read_segment(c, &f, vaddr - ran + linked, size, err);
	elf_file_close(&f);
	c->vaddr = vaddr;
	return ret;
}

static int read_kcore(struct code_bytes *c, const struct session *s, u64 vaddr, size_t size,
		      struct error *err)
{
	struct elf_file f;
	int fd, ret;

	if (s->options.only_symfs)
		return error_set(err, -ENOENT,
				 "--symfs looks only below its directory: --vmlinux FILE gives the code");
	if (!kernel_symbols_running(s->pd, &s->sb.kernel_id) || s->dsos.kallsyms.shift)
		return error_set(err, -ESTALE,
				 "the recorded kernel does not run here: --vmlinux FILE gives its code");
	fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, -errno, "/proc/kcore: %s; --vmlinux FILE gives the code",
				 strerror(errno));
	ret = open_kernel(&f, "/proc/kcore", elf_file_open_fd(&f, fd, false), err);
	if (ret)
		return ret;
	snprintf(c->from, sizeof(c->from), "/proc/kcore, the running kernel");
	ret = read_segment(c, &f, vaddr, size, err);
	elf_file_close(&f);
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
