// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <zlib.h>
#if HAVE_LZMA
#include <lzma.h>
#endif

#include "base/elf-file.h"
#include "base/proc-files.h"
#include "symbols/eh-frame.h"
#include "symbols/elf-symbols.h"
#include "symbols/plt.h"

/* The files of a DSO stay open, in dso->elf, as names of symbols are in their string tables */
enum { FILE_MAIN, FILE_DEBUG, FILE_MINI, NR_FILES };

/*
 * Segments with code, by which virtual addresses of symbols become file offsets: mappings are known
 * by file offsets. They are those of the mapped file, as a debug file has no contents at its
 * offsets. prelink(8) moves a program or library, but not its debug file: moved_by() is the
 * distance of their lowest addresses.
 */
struct segments {
	struct elf_segment load[32];
	unsigned int nr;
};

struct elf_files {
	struct elf_file file[NR_FILES];
	const struct elf_file *mapped;	/* FILE_MAIN, or FILE_DEBUG if there is no FILE_MAIN */
	struct segments seg;		/* of @mapped */
	const struct elf_file *source;	/* the one with debug information; NULL if none has it */
	char path[PATH_MAX];	/* of FILE_MAIN, or of FILE_DEBUG if there is no FILE_MAIN */
};

/* Separate debug files */

/* Files that are stored under their build id, where the distributions and perf put them */
static int open_by_id(struct elf_file *f, const char *symfs, const struct build_id *id, bool debug,
		      char *path)
{
	static const char *const places[] = {
		"%s/usr/lib/debug/.build-id/%.2s/%s.debug",
		"%s/.build-id/%.2s/%s/debug",	/* of an archive; the next as well */
		"%s/.build-id/%.2s/%s/elf",
		"%s/.debug/.build-id/%.2s/%s/elf",
	};
	const size_t first_elf = 2, home = 3;
	char hex[BUILD_ID_HEX];
	const char *root;
	size_t i;

	if (id->size < 2)
		return -ENOENT;
	build_id_hex(id, hex);
	for (i = debug ? 0 : first_elf; i < ARRAY_SIZE(places); i++) {
		root = i == home ? getenv("HOME") : symfs ? symfs : "";
		if (!root || snprintf(path, PATH_MAX, places[i], root, hex, hex + 2) >= PATH_MAX)
			continue;
		if (elf_file_open(f, path))
			continue;
		if (build_id_same(&f->id, id))
			return 0;
		elf_file_close(f);
	}
	return -ENOENT;
}

/* Limit on the bytes to checksum: no debug file is that large, but a sparse file may be */
#define CRC_MAX_BYTES (16LL << 30)

static bool crc_is(int fd, u32 crc)
{
	static const size_t size = 1 << 16;
	u8 *buf = malloc(size);
	u32 sum = 0;
	ssize_t n = -1;

	if (!buf || lseek(fd, 0, SEEK_END) > CRC_MAX_BYTES) {
		free(buf);
		return false;
	}
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, buf, size)) > 0)
		sum = crc32(sum, buf, n);
	free(buf);
	return !n && sum == crc;
}

/* .gnu_debuglink: a file name, padded to 4, and the CRC32 of that file */
static int open_by_link(struct elf_file *f, struct elf_file *main_file, const char *symfs,
			const char *main_path)
{
	static const char *const places[] = { "%s%.*s/%s", "%s%.*s/.debug/%s",
					      "%s/usr/lib/debug%.*s/%s" };
	const char *name, *slash = strrchr(main_path, '/');
	size_t i, n, len, skip = symfs ? strlen(symfs) : 0;
	char path[PATH_MAX];
	Elf_Data *data;
	GElf_Shdr sh;
	u32 crc;

	if (!elf_file_section(main_file, ".gnu_debuglink", &sh, &data) || !slash ||
	    slash - main_path < skip)
		return -ENOENT;
	name = data->d_buf;
	len = strnlen(name, data->d_size);
	if (!len || ALIGN_UP(len + 1, 4) + 4 > data->d_size || memchr(name, '/', len))
		return -ENOENT;
	crc = load32(name + ALIGN_UP(len + 1, 4));
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		n = snprintf(path, sizeof(path), places[i], symfs ? symfs : "",
			     (int)(slash - main_path - skip), main_path + skip, name);
		if (n >= sizeof(path))
			continue;
		if (!strcmp(path, main_path) || elf_file_open(f, path))
			continue;
		if (build_id_same(&f->id, &main_file->id) || crc_is(f->fd, crc))
			return 0;
		elf_file_close(f);
	}
	return -ENOENT;
}

/* .gnu_debugdata: an xz'd ELF file with the symbols that .dynsym has not */
#if HAVE_LZMA
#define MINI_MAX_BYTES (256U << 20)

static int open_mini(struct elf_file *f, struct elf_file *main_file)
{
	uint64_t limit = 256U << 20;
	size_t in = 0, out = 0, size;
	u8 *image = NULL;
	Elf_Data *data;
	GElf_Shdr sh;
	lzma_ret ret;
	int failed;

	if (!elf_file_section(main_file, ".gnu_debugdata", &sh, &data))
		return -ENOENT;
	for (size = max(data->d_size * 8, (size_t)1 << 16); size <= MINI_MAX_BYTES; size *= 2) {
		free(image);
		image = malloc(size);
		if (!image)
			return -ENOMEM;
		in = 0;
		out = 0;
		ret = lzma_stream_buffer_decode(&limit, 0, NULL, data->d_buf, &in, data->d_size,
						image, &out, size);
		if (ret != LZMA_BUF_ERROR)
			break;
	}
	failed = size > MINI_MAX_BYTES || ret != LZMA_OK ? -EINVAL :
							   elf_file_open_image(f, image, out);
	if (failed)
		free(image);
	else
		f->image = image;
	return failed;
}
#else
static int open_mini(struct elf_file *f, struct elf_file *main_file)
{
	return -ENOENT;
}
#endif

/* Addresses */

static void read_segments(const struct elf_file *f, bool debug, struct segments *s)
{
	size_t i;

	s->nr = 0;
	for (i = 0; i < f->nr && s->nr < ARRAY_SIZE(s->load); i++) {
		if (!f->load[i].code)
			continue;
		s->load[s->nr] = f->load[i];
		if (debug)
			s->load[s->nr].offset = f->load[i].vaddr - f->base;
		s->nr++;
	}
}

/* Distance between the addresses of a file and of the mapped file */
static u64 moved_by(const struct elf_files *files, const struct elf_file *f)
{
	return files->mapped->base - f->base;
}

static bool to_offset(const struct segments *s, u64 vaddr, u64 *offset)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (vaddr - s->load[i].vaddr < s->load[i].size) {
			*offset = vaddr - s->load[i].vaddr + s->load[i].offset;
			return true;
		}
	}
	return false;
}

/* Symbol tables */

static bool names_code(const GElf_Sym *sym)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS;
	case STT_NOTYPE:	/* a label in assembly */
		return sym->st_shndx != SHN_UNDEF && sym->st_shndx < SHN_LORESERVE &&
		       GELF_ST_VISIBILITY(sym->st_other) == STV_DEFAULT;
	}
	return false;
}

static enum symbol_rank rank_of(const GElf_Sym *sym)
{
	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		return SYM_RANK_LABEL;
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return SYM_RANK_LOCAL;
	case STB_WEAK:
		return SYM_RANK_WEAK;
	}
	return SYM_RANK_GLOBAL;
}

/* Sections by index: symbols ask for theirs one by one */
struct section_info {
	u64 end;	/* virtual address */
	bool code;
};

static struct section_info *read_sections(Elf *elf, size_t *nr)
{
	struct section_info *s;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (elf_getshdrnum(elf, nr) || !*nr)
		return NULL;
	s = calloc(*nr, sizeof(*s));
	while (s && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || elf_ndxscn(scn) >= *nr)
			continue;
		s[elf_ndxscn(scn)].end = sh.sh_addr + sh.sh_size;
		s[elf_ndxscn(scn)].code = sh.sh_flags & SHF_EXECINSTR;
	}
	return s;
}

/* As gelf_getsym(), which takes longer than all else that is done for a symbol */
static bool get_symbol(Elf_Data *data, bool is_64, size_t i, GElf_Sym *sym)
{
	if (!is_64 || data->d_type != ELF_T_SYM)
		return gelf_getsym(data, i, sym);
	if (i >= data->d_size / sizeof(*sym))
		return false;
	memcpy(sym, (char *)data->d_buf + i * sizeof(*sym), sizeof(*sym));
	return true;
}

/* 100 times as many as in the largest programs; a sparse file may claim any number */
#define SYMBOLS_MAX (1UL << 26)

static int add_section_symbols(struct dso *dso, struct elf_file *f, Elf_Scn *scn,
			       const GElf_Shdr *sh, unsigned int table, const struct segments *seg)
{
	Elf_Data *data = elf_getdata(scn, NULL), *strings;
	size_t nr_sections, i, nr;
	struct section_info *sections;
	const char *name;
	u64 start, shift, moved = moved_by(dso->elf, f);
	bool is_64 = gelf_getclass(f->elf) == ELFCLASS64;
	GElf_Sym sym;
	int ret;

	strings = elf_getdata(elf_getscn(f->elf, sh->sh_link), NULL);
	if (!data || !strings || !strings->d_buf || !strings->d_size || !sh->sh_entsize)
		return 0;
	if (strings->d_size > SYM_NAME_OFFSET_MASK ||
	    ((char *)strings->d_buf)[strings->d_size - 1])
		return -EINVAL;
	dso->symtab.strings[table].p = strings->d_buf;
	dso->symtab.strings[table].size = strings->d_size;
	nr = data->d_size / sh->sh_entsize;
	if (nr > SYMBOLS_MAX)
		return -EINVAL;
	sections = read_sections(f->elf, &nr_sections);
	ret = symtab_reserve(&dso->symtab, nr);
	for (i = 1; sections && !ret && i < nr && get_symbol(data, is_64, i, &sym); i++) {
		if (!names_code(&sym) || sym.st_name >= strings->d_size)
			continue;
		if (sym.st_shndx < nr_sections && !sections[sym.st_shndx].code)
			continue;
		name = (char *)strings->d_buf + sym.st_name;
		if (!name[0] || symbol_is_mapping(name))
			continue;
		if (f->machine == EM_ARM)
			sym.st_value &= ~1ULL;		/* Thumb */
		if (!to_offset(seg, sym.st_value + moved, &start))
			continue;
		shift = start - sym.st_value;
		ret = symtab_add(&dso->symtab, start, sym.st_size,
				 sym.st_shndx < nr_sections ? sections[sym.st_shndx].end + shift :
							      start,
				 table << SYM_NAME_TABLE_SHIFT | sym.st_name, rank_of(&sym));
	}
	free(sections);
	return ret;
}

/* Add the first symbol table of a type. Return: 1 if it has symbols, else 0; or a negative errno */
static int add_symbols(struct dso *dso, struct elf_file *f, u32 type, unsigned int table,
		       const struct segments *seg)
{
	size_t before = dso->symtab.nr_added;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int ret;

	while (f->elf && (scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		ret = add_section_symbols(dso, f, scn, &sh, table, seg);
		return ret ? ret : dso->symtab.nr_added != before;
	}
	return 0;
}

/* Names that no file has */

struct own_symbols {
	struct dso *dso;
	const struct segments *seg;
};

/* Stubs of the procedure linkage table: func@plt, as binutils and perf call them */

static int add_plt_entry(void *ctx, u64 vaddr, u64 size, const char *name)
{
	const struct own_symbols *p = ctx;
	struct symtab *st = &p->dso->symtab;
	u32 ref, suffix;
	u64 start;
	int ret;

	if (!to_offset(p->seg, vaddr, &start))
		return 0;
	ret = symtab_own_name(st, name, strlen(name), &ref);
	if (ret)
		return ret;
	st->own_size--;		/* the suffix follows in place of the NUL */
	ret = symtab_own_name(st, "@plt", 4, &suffix);
	return ret ? ret : symtab_add(st, start, size, start + size, ref, SYM_RANK_LABEL);
}

static int add_plt(struct dso *dso, const struct elf_files *files)
{
	const struct elf_file *f = files->mapped, *debug = &files->file[FILE_DEBUG];
	struct own_symbols p = { dso, &files->seg };
	bool same = debug->elf && debug != f && !moved_by(files, debug);

	return plt_walk(f->elf, same ? debug->elf : NULL, add_plt_entry, &p);
}

/*
 * The vDSO has only the symbols that programs link to, and is in no file whose symbols a user could
 * install. But what calls of the clock spend most time in may be a function of its own: it is in
 * that of Linux 6.18 for x86-64. Such a function is called func@0x780, by its address.
 */
static int add_frame(void *ctx, u64 vaddr, u64 size)
{
	const struct own_symbols *p = ctx;
	struct symtab *st = &p->dso->symtab;
	char name[sizeof("func@0x") + 16];
	u64 start;
	u32 ref;
	int ret, len;

	if (!to_offset(p->seg, vaddr, &start))
		return 0;
	len = snprintf(name, sizeof(name), "func@%#" PRIx64, vaddr);
	ret = symtab_own_name(st, name, len, &ref);
	return ret ? ret : symtab_add(st, start, size, start, ref, SYM_RANK_FRAME);
}

static int add_frames(struct dso *dso, const struct elf_files *files)
{
	struct own_symbols p = { dso, &files->seg };

	return dso->kind == DSO_VDSO ? eh_frame_walk(files->mapped, add_frame, &p) : 0;
}

/* All of it */

/*
 * A debug file alone does not tell at which offsets of the program its segments were. With GNU ld
 * code has the same distances in the file as in memory; LLD moves segments together in the file.
 */
static bool keeps_distances(const struct elf_file *debug)
{
	Elf_Data *data;
	GElf_Shdr sh;

	return !elf_file_section(debug, ".comment", &sh, &data) ||
	       !memmem(data->d_buf, data->d_size, "LLD", 3);
}

static bool has_source(const struct elf_file *f)
{
	Elf_Data *data;
	GElf_Shdr sh;

	return elf_file_section(f, ".debug_info", &sh, &data) ||
	       elf_file_section(f, ".zdebug_info", &sh, &data);
}

static const struct elf_file *find_source(const struct elf_files *files)
{
	if (has_source(&files->file[FILE_DEBUG]))
		return &files->file[FILE_DEBUG];
	return has_source(&files->file[FILE_MAIN]) ? &files->file[FILE_MAIN] : NULL;
}

static int collect(struct dso *dso, struct elf_files *files)
{
	struct elf_file *main_file = &files->file[FILE_MAIN], *debug = &files->file[FILE_DEBUG];
	struct elf_file *mapped = main_file->elf ? main_file : debug;
	const struct segments *seg = &files->seg;
	int ret;

	files->mapped = mapped;
	if (mapped == debug && !keeps_distances(debug)) {
		dso_fail(dso, -ENOENT,
			 "%s: is gone, and its debug file does not tell where code was in it",
			 dso->path);
		return 0;
	}
	read_segments(mapped, mapped == debug, &files->seg);
	files->source = find_source(files);
	ret = add_symbols(dso, debug, SHT_SYMTAB, 0, seg);
	if (!ret)
		ret = add_symbols(dso, main_file, SHT_SYMTAB, 0, seg);
	if (!ret) {
		ret = add_symbols(dso, main_file, SHT_DYNSYM, 1, seg);
		if (ret >= 0 && !open_mini(&files->file[FILE_MINI], mapped))
			ret = add_symbols(dso, &files->file[FILE_MINI], SHT_SYMTAB, 2, seg);
	}
	if (ret >= 0)
		ret = add_plt(dso, files);
	if (!ret)
		ret = add_frames(dso, files);
	if (!ret && !dso->symtab.nr_added)
		dso_fail(dso, -ENOENT, "%s: has no symbols; install its debug symbols",
			 dso->path);
	if (!ret)
		ret = symtab_finish(&dso->symtab);
	return ret;
}

/* From a debuginfod server, if no copy was found on this machine */
static int open_from_server(struct elf_file *f, struct debug_server *server,
			    const struct build_id *id, bool debug, const struct dso *dso)
{
	char *path;
	int ret;

	if (!server || id->size < 2)
		return -ENOENT;
	ret = debug_server_get(server, id, debug, dso->name, &path);
	if (ret)
		return ret;
	ret = elf_file_open(f, path);
	if (!ret && !build_id_same(&f->id, id)) {
		elf_file_close(f);
		ret = -ESTALE;
	}
	free(path);
	return ret;
}

/*
 * A file system gives the inode number of a deleted file to a new file, with another generation.
 * These ones answer with the i_generation that the kernel's records have. Others do not answer, or
 * may pass the question on to another file system, as FUSE and eCryptfs do.
 */
static bool tells_generation(const struct statfs *fs)
{
	switch ((u32)fs->f_type) {
	case EXT4_SUPER_MAGIC:	/* ext2 and ext3, too */
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
		return true;
	}
	return false;
}

/*
 * Set inode, generation and device, each 0 if it is not known. On an overlay the kernel's records
 * have the inode of a layer, and stat(2) that of the overlay. Return: false if the file does not
 * answer.
 */
static bool read_inode(int fd, struct dso *found)
{
	u32 generation[2];	/* of the long in FS_IOC_GETVERSION, the kernel writes an int */
	struct statfs fs;
	struct stat st;

	found->inode = 0;
	found->generation = 0;
	found->device = 0;
	if (fstat(fd, &st))
		return false;
	if (!fstatfs(fd, &fs)) {
		if (fs.f_type == OVERLAYFS_SUPER_MAGIC)
			return true;
		if (tells_generation(&fs) && !ioctl(fd, FS_IOC_GETVERSION, generation))
			found->generation = generation[0];
	}
	found->inode = st.st_ino;
	found->device = st.st_dev;
	return true;
}

static bool is_inode(int fd, const struct dso *dso)
{
	struct dso found;

	return read_inode(fd, &found) && (!found.inode || dso_is_file(dso, &found));
}

bool elf_symbols_find(const char *path, struct dso *found)
{
	struct elf_file f;
	bool ok;

	if (elf_file_open(&f, path))
		return false;
	ok = read_inode(f.fd, found) && found->inode;
	found->build_id = f.id;
	elf_file_close(&f);
	return ok;
}

/* A file without a build id is identified by its inode, unless the user says where to look */
static bool is_recorded(const struct elf_file *f, const struct dso *dso, const char *symfs)
{
	if (dso->build_id.size)
		return build_id_same(&f->id, &dso->build_id);
	return symfs || !dso->inode || is_inode(f->fd, dso);
}

static int open_recorded(struct elf_file *f, const char *path, const struct dso *dso,
			 const char *symfs)
{
	int ret = elf_file_open(f, path);

	if (ret || is_recorded(f, dso, symfs))
		return ret;
	elf_file_close(f);
	return -ESTALE;
}

/*
 * Without a build id, the same path in another mount namespace may be any file. It is the recorded
 * one if the inode is on the same device: namespaces mostly share their file systems.
 */
static bool is_file_of_others(const struct elf_file *f, const struct dso *dso, const char *symfs)
{
	struct stat st;

	if (symfs || dso->build_id.size || !dso->mount_ns ||
	    dso->mount_ns == live_mount_ns("self"))
		return false;
	return !dso->inode || fstat(f->fd, &st) || st.st_ino != dso->inode ||
	       st.st_dev != dso->device;
}

/* From a process that still runs and has the file mapped, or sees it */
static int open_live(struct elf_file *f, const struct dso *dso, char *path)
{
	char found[PATH_MAX];
	enum live_place i;

	for (i = 0; i < NR_LIVE_PLACES; i++) {
		if ((!dso->build_id.size && !dso->inode) ||
		    !live_file(i, dso->mapper, dso->mount_ns, dso->path, found) ||
		    open_recorded(f, found, dso, NULL))
			continue;
		memcpy(path, found, PATH_MAX);
		return 0;
	}
	return -ENOENT;
}

/* From the copy in the recording */
static int open_kept(struct elf_file *f, const struct dso *dso, const struct kept_files *kept)
{
	int fd = kept_file_open(kept, &dso->build_id);

	if (fd < 0)
		return fd;
	if (elf_file_open_fd(f, fd, true))
		return -ENOEXEC;
	if (build_id_same(&f->id, &dso->build_id))
		return 0;
	elf_file_close(f);
	return -ESTALE;
}

/* The file that was mapped, or its debug file alone. Return: 0, or why there is neither */
static int open_mapped(struct dso *dso, struct elf_files *files, const char *symfs,
		       const struct kept_files *kept, struct debug_server *server)
{
	struct elf_file *main_file = &files->file[FILE_MAIN], *debug = &files->file[FILE_DEBUG];
	const struct build_id *id = &dso->build_id;
	char found[PATH_MAX];
	int ret;

	ret = open_recorded(main_file, files->path, dso, symfs);
	if (!ret && is_file_of_others(main_file, dso, symfs)) {
		elf_file_close(main_file);
		ret = -ESTALE;
	}
	if (ret && !symfs && !open_live(main_file, dso, files->path))
		ret = 0;
	if (!ret || !id->size)
		return ret;
	if (!open_kept(main_file, dso, kept) ||
	    !open_by_id(main_file, symfs, id, false, found) ||
	    !open_from_server(main_file, server, id, false, dso) ||
	    !open_by_id(debug, symfs, id, true, found) ||
	    !open_from_server(debug, server, id, true, dso))
		return 0;
	return ret;
}

/* The debug file of the mapped file, if there is one */
static void open_debug(struct dso *dso, struct elf_files *files, const char *symfs,
		       struct debug_server *server)
{
	struct elf_file *main_file = &files->file[FILE_MAIN], *debug = &files->file[FILE_DEBUG];
	char found[PATH_MAX];

	if (!open_by_id(debug, symfs, &main_file->id, true, found) ||
	    !open_by_link(debug, main_file, symfs, files->path))
		return;
	if (!has_source(main_file))
		open_from_server(debug, server, &main_file->id, true, dso);
}

static int open_files(struct dso *dso, struct elf_files *files, const char *symfs,
		      const struct kept_files *kept, struct debug_server *server)
{
	int ret;

	if (snprintf(files->path, PATH_MAX, "%s%s", symfs ? symfs : "", dso->path) >= PATH_MAX)
		return dso_fail(dso, -ENAMETOOLONG, "%s: path too long", dso->path);
	ret = open_mapped(dso, files, symfs, kept, server);
	if (ret == -ESTALE)
		return dso_fail(dso, ret,
				"%s: is another file now than the recorded one (%s)",
				files->path, dso->build_id.size ? "build id" :
				"inode; --symfs / takes it nevertheless");
	if (ret)
		return dso_fail(dso, ret, "%s: %s", files->path,
				ret == -ENOEXEC ? "no ELF file" : strerror(-ret));
	if (files->file[FILE_MAIN].elf)
		open_debug(dso, files, symfs, server);
	return 0;
}

static struct elf_files *new_files(struct dso *dso)
{
	struct elf_files *files = calloc(1, sizeof(*files));
	unsigned int i;

	for (i = 0; files && i < NR_FILES; i++)
		files->file[i].fd = -1;
	dso->elf = files;
	return files;
}

int elf_symbols_load(struct dso *dso, const char *symfs, const struct kept_files *kept,
		     struct debug_server *server)
{
	struct elf_files *files = new_files(dso);
	int ret;

	if (!files)
		return dso_fail(dso, -ENOMEM, "out of memory");
	ret = open_files(dso, files, symfs, kept, server);
	if (ret)
		return ret;
	ret = collect(dso, files);
	if (ret)
		dso_fail(dso, ret, "%s: %s", files->path,
			 ret == -EINVAL ? "damaged symbol table" : strerror(-ret));
	return ret;
}

int elf_symbols_load_image(struct dso *dso, const u8 *image, size_t size, const char *symfs,
			   struct debug_server *server)
{
	struct elf_files *files = new_files(dso);
	int ret;

	if (!files)
		return dso_fail(dso, -ENOMEM, "out of memory");
	ret = elf_file_open_image(&files->file[FILE_MAIN], image, size);
	if (!ret) {
		open_debug(dso, files, symfs, server);
		ret = collect(dso, files);
	}
	if (ret)
		dso_fail(dso, ret, "%s: damaged image", dso->path);
	return ret;
}

/* Debug information */

Elf *elf_symbols_debug(const struct dso *dso)
{
	const struct elf_files *files = dso->elf;

	return files && files->source ? files->source->elf : NULL;
}

Elf *elf_symbols_frames(const struct dso *dso)
{
	const struct elf_files *files = dso->elf;
	Elf_Data *data;
	GElf_Shdr sh;

	if (!files || !files->source ||
	    (!elf_file_section(files->source, ".debug_frame", &sh, &data) &&
	     !elf_file_section(files->source, ".zdebug_frame", &sh, &data)))
		return NULL;
	return files->source->elf;
}

bool elf_symbols_to_debug(const struct dso *dso, u64 offset, u64 *vaddr)
{
	const struct elf_files *files = dso->elf;
	unsigned int i;

	for (i = 0; files && files->source && i < files->seg.nr; i++) {
		if (offset - files->seg.load[i].offset >= files->seg.load[i].size)
			continue;
		*vaddr = offset - files->seg.load[i].offset + files->seg.load[i].vaddr;
		*vaddr -= moved_by(files, files->source);
		return true;
	}
	return false;
}

const struct elf_file *elf_symbols_file(const struct dso *dso, bool debug)
{
	const struct elf_files *files = dso->elf;
	const struct elf_file *f = files ? &files->file[debug ? FILE_DEBUG : FILE_MAIN] : NULL;

	return f && f->elf ? f : NULL;
}

void elf_symbols_release(struct dso *dso)
{
	struct elf_files *files = dso->elf;
	unsigned int i;

	for (i = 0; files && i < NR_FILES; i++)
		elf_file_close(&files->file[i]);
	free(files);
	dso->elf = NULL;
}
