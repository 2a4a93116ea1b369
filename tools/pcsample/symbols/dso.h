/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that contains code: files, the kernel and its modules, the vDSO, generated code.
 * load.h reads its symbols.
 */
#ifndef PCSAMPLE_SYMBOLS_DSO_H
#define PCSAMPLE_SYMBOLS_DSO_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/build-id.h"
#include "base/error.h"
#include "base/idmap.h"
#include "base/intern.h"
#include "symbols/embedded-files.h"
#include "symbols/kallsyms.h"
#include "symbols/symtab.h"

enum dso_kind {
	DSO_UNKNOWN,		/* no map covers the address */
	DSO_FILE,
	DSO_IMAGE,		/* a file that the user named, profile/firmware-images.h */
	DSO_KERNEL,
	DSO_MODULE,
	DSO_VDSO,
	DSO_GENERATED,		/* anonymous executable memory: symbols from /tmp/perf-PID.map */
	DSO_JITDUMP,		/* code that its process wrote to jit-PID.dump as it made it */
	DSO_BPF,		/* a BPF program, or other code that the kernel announced by name */
	DSO_NONE,		/* [heap], [stack]: executable, but without any symbols */
};

/* Are the symbols of a DSO loaded? */
enum dso_state { DSO_NEW, DSO_LOADED };

/**
 * struct dso - one piece of code
 * @path: as it was mapped
 * @name: in reports
 * @alike: index of the first DSO with this name, which may be this one. Files of different
 *	directories may have one name, and files that replaced each other
 * @next_of_path: index of the next DSO with this path, or IDMAP_NONE
 * @build_id: as recorded, or size 0
 * @guessed: @build_id is one that the header has for @path, at which other files were mapped, too
 * @pid: the process, for DSO_GENERATED and DSO_JITDUMP
 * @mapper: a process that mapped it, for DSO_FILE
 * @mount_ns: mount namespace of that process, 0 if not known
 * @inode: 0 if not known
 * @generation: of the inode: a file system reuses the number of a deleted file. 0 if not known
 * @device: that the inode is on, as the records have it; 0 if not known. For files on btrfs and
 *	overlayfs, stat(2) has another one
 * @twin: @path had an inode of this number on another device, too
 * @state: DSO_LOADED once @symtab is ready; it never changes after that
 * @symtab: addresses are file offsets for DSO_FILE, DSO_IMAGE, DSO_VDSO and DSO_JITDUMP, else
 *	virtual
 */
struct dso {
	struct symtab symtab;	/* first: each sample needs its first half and @state */
	atomic_int state;
	enum dso_kind kind;
	const char *path;
	const char *name;
	u32 alike, next_of_path;
	bool mapped;		/* by dso_table_map() */
	bool guessed;
	bool twin;
	struct build_id build_id;
	s32 pid, mapper;
	u64 mount_ns;
	u64 inode, generation, device;
	char *problem;		/* or NULL: dso_problem() */
	pthread_mutex_t lock;
	void *elf;		/* handles that keep the strings of @symtab mapped */
	struct source *source;	/* of source_find() */
	struct cfi *cfi;	/* of cfi_find() */
};

#define DSO_INDEX_UNKNOWN	0
#define DSO_INDEX_KERNEL	1
#define DSO_INDEX_HYPERVISOR	2
#define DSO_INDEX_GUEST		3
#define DSO_INDEX_FIXED		4

/**
 * struct dso_table - all code of a recording
 * @dso: the first DSO_INDEX_FIXED are always there
 * @symfs: directory in front of all paths; NULL for none
 * @server: to ask for files that are not here; NULL for none
 * @kallsyms: of the recorded kernel; empty if not known
 * @vdso: image of the recorded machine's vDSO; NULL if not known
 * @kept: files that the recording contains
 *
 * Pointers to DSOs are stable.
 */
struct dso_table {
	struct dso **dso;
	size_t nr, cap;
	struct intern *strings;
	struct idmap by_key;
	struct dso_text {
		u32 named;	/* the first DSO of this name: index + 1 */
		u32 at;		/* the newest DSO of this path: index + 1 */
		u32 mapped;	/* the DSO of this path that was mapped last: index + 1 */
		u32 guessed;	/* a DSO of this path whose build id is a guess: index + 1 */
		bool side_by_side; /* after another inode, an earlier one was mapped again */
		bool told;	/* dso_table_set_build_id() has seen all DSOs of this path */
		u8 kind;	/* of this path, enum dso_kind + 1; 0: not known */
	} *text;		/* private: by id of @strings */
	size_t texts;
	const char *symfs;
	struct debug_server *server;
	struct kallsyms kallsyms;
	const u8 *vdso;
	size_t vdso_size;
	struct kept_files kept;
};

/* Memory that the table takes, without that of symbols */
size_t dso_table_bytes(const struct dso_table *t);

/* @strings: must outlive the table. dso_table_deinit() (load.h) frees it, also after -ENOMEM. */
int dso_table_init(struct dso_table *t, struct intern *strings);

/**
 * struct mapped_inode - what distinguishes files of the same name, if build ids do not
 * @number: 0 if not known
 * @generation: 0 if not known; distinguishes files that had the same inode one after the other
 * @device: 0 if not known; distinguishes files of mount namespaces
 */
struct mapped_inode {
	u64 number, generation, device;
};

/**
 * dso_table_map() - the DSO of a user mapping
 * @path: file name of the PERF_RECORD_MMAP*
 * @pid: whose mapping it is
 * @mount_ns: mount namespace of that process, 0 if not known: in each a path may be another file
 * @id: build id if the record has one; NULL or size 0 otherwise
 * @inode: NULL if not known
 *
 * Call it in the order of time: dso_table_set_build_id() goes by it.
 *
 * Return: index in @t->dso, or -ENOMEM.
 */
int dso_table_map(struct dso_table *t, const char *path, size_t len, s32 pid, u64 mount_ns,
		  const struct build_id *id, const struct mapped_inode *inode);

/* As dso_table_map(), for a module, BPF program or the like in the kernel's address space */
int dso_table_kernel_map(struct dso_table *t, const char *name, size_t len, enum dso_kind kind,
			 const struct build_id *id);

/* Are both inodes known, and the same? Generations and devices count where both are known. */
bool dso_same_inode(const struct dso *a, const struct dso *b);

/*
 * Is a file that is here the mapped one, by its inode? @found: inode, generation and device of
 * stat(2). The device counts only for a DSO that has a twin.
 */
bool dso_is_file(const struct dso *dso, const struct dso *found);

/* Why symbols are missing; empty if there is no reason to tell */
static inline const char *dso_problem(const struct dso *dso)
{
	return dso->problem ? dso->problem : "";
}

/* As error_set() */
int dso_fail(struct dso *dso, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As dso_table_map(), for a file that is not below @t->symfs */
int dso_table_image(struct dso_table *t, const char *path);

/**
 * dso_table_set_build_id() - take a build id from the list in the header, which has only paths
 *
 * perf reads these build ids from the paths when the recording ends. If a file was replaced
 * meanwhile, the build id belongs to the file mapped last: those mapped before stay without one,
 * and are identified by their inodes. If files of one path are mapped in turns, some are those of
 * containers, and perf reads the path outside of these: the build id belongs to the file mapped
 * first. If records have build ids of the path, and others, all that is known is in the records.
 * Of several build ids for a path, the first one counts if one file was mapped, else none.
 *
 * Return: 0 or -ENOMEM.
 */
int dso_table_set_build_id(struct dso_table *t, const char *path, const struct build_id *id);

/**
 * dso_table_check_guesses() - correct what dso_table_set_build_id() has guessed, by what is here
 * @find: sets inode, generation, device and build id of the file that is at a path; false if there
 *	is none
 *
 * If one of the files that were mapped at a path is there now, that one has its build id, and no
 * other: perf may have read the path in a container.
 */
void dso_table_check_guesses(struct dso_table *t,
			     bool (*find)(const char *path, struct dso *found));

#endif /* PCSAMPLE_SYMBOLS_DSO_H */
