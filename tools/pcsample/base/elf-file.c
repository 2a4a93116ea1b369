// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/elf-file.h"
#include "base/safe-file.h"

void elf_file_close(struct elf_file *f)
{
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->image);
	free(f->load);
	*f = (struct elf_file){ .fd = -1 };
}

static int add_segment(struct elf_file *f, const GElf_Phdr *ph)
{
	if (mem_grow(&f->load, &f->cap, f->nr + 1))
		return -ENOMEM;
	f->base = f->nr ? min(f->base, (u64)ph->p_vaddr) : ph->p_vaddr;
	f->load[f->nr++] = (struct elf_segment){
		.vaddr = ph->p_vaddr,
		.offset = ph->p_offset,
		.size = ph->p_memsz,
		.file_size = ph->p_filesz,
		.code = ph->p_flags & PF_X,
	};
	return 0;
}

/* A segment with 8-byte alignment, such as .note.gnu.property, has no build id */
static void find_id_in_segment(struct elf_file *f, const GElf_Phdr *ph)
{
	Elf_Data *data;

	if (f->id.size || ph->p_align > 4)
		return;
	data = elf_getdata_rawchunk(f->elf, ph->p_offset, min(ph->p_filesz, (GElf_Xword)4096),
				    ELF_T_BYTE);
	if (data && data->d_buf)
		build_id_from_notes(&f->id, data->d_buf, data->d_size);
}

static int read_segments(struct elf_file *f)
{
	size_t nr = 0, i;
	GElf_Phdr ph;
	int ret = 0;

	elf_getphdrnum(f->elf, &nr);
	nr = min(nr, (size_t)ELF_SEGMENTS_MAX);
	for (i = 0; i < nr && !ret && gelf_getphdr(f->elf, i, &ph); i++) {
		if (ph.p_type == PT_LOAD)
			ret = add_segment(f, &ph);
		else if (ph.p_type == PT_NOTE)
			find_id_in_segment(f, &ph);
	}
	return ret;
}

/* Kernel modules have no segments; those of debug files may have no contents */
static void find_id_in_sections(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	while (!f->id.size && (scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			build_id_from_notes(&f->id, data->d_buf, data->d_size);
	}
}

static int examine(struct elf_file *f)
{
	int ret = -ENOEXEC;
	GElf_Ehdr eh;

	if (f->elf && elf_kind(f->elf) == ELF_K_ELF && gelf_getehdr(f->elf, &eh)) {
		f->machine = eh.e_machine;
		ret = read_segments(f);
		find_id_in_sections(f);
	}
	if (ret)
		elf_file_close(f);
	return ret;
}

int elf_file_open_fd(struct elf_file *f, int fd, bool map)
{
	elf_version(EV_CURRENT);
	*f = (struct elf_file){ .fd = fd };
	f->elf = elf_begin(fd, map ? ELF_C_READ_MMAP : ELF_C_READ, NULL);
	return examine(f);
}

int elf_file_open(struct elf_file *f, const char *path)
{
	struct stat st;
	int fd = regular_open(path, &st);

	*f = (struct elf_file){ .fd = -1 };
	if (fd < 0)
		return fd == -EINVAL ? -ENOEXEC : fd;
	return elf_file_open_fd(f, fd, !is_of_others(&st));
}

int elf_file_open_image(struct elf_file *f, const u8 *image, size_t size)
{
	elf_version(EV_CURRENT);
	*f = (struct elf_file){ .fd = -1 };
	f->elf = elf_memory((char *)image, size);
	return examine(f);
}

Elf_Scn *elf_file_section(const struct elf_file *f, const char *name, GElf_Shdr *sh,
			  Elf_Data **data)
{
	Elf_Scn *scn = NULL;
	const char *text;
	size_t names;

	if (!f->elf || elf_getshdrstrndx(f->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, sh))
			continue;
		text = elf_strptr(f->elf, names, sh->sh_name);
		if (!text || strcmp(text, name))
			continue;
		*data = elf_rawdata(scn, NULL);
		return *data && (*data)->d_buf ? scn : NULL;
	}
	return NULL;
}

const struct elf_segment *elf_file_segment(const struct elf_file *f, u64 vaddr)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		if (vaddr - f->load[i].vaddr < f->load[i].file_size)
			return &f->load[i];
	return NULL;
}

const struct elf_segment *elf_file_segment_of(const struct elf_file *f, u64 offset)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		if (offset - f->load[i].offset < f->load[i].file_size)
			return &f->load[i];
	return NULL;
}
