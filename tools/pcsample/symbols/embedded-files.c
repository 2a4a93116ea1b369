// SPDX-License-Identifier: GPL-2.0-only
#include <sys/mman.h>
#include <unistd.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/array.h"
#include "perfdata/format.h"
#include "symbols/embedded-files.h"

#if HAVE_ZSTD
static int unpack(u8 *to, size_t size, const u8 *p, size_t stored)
{
	return ZSTD_decompress(to, size, p, stored) == size ? 0 : -EINVAL;
}
#else
static int unpack(u8 *to, size_t size, const u8 *p, size_t stored)
{
	return -EOPNOTSUPP;
}
#endif

static int copy_file(const struct perfdata_kept_file *f, const u8 *p)
{
	int fd = memfd_create("kept", MFD_CLOEXEC), ret = 0;
	void *to = MAP_FAILED;

	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, f->size))
		to = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (to == MAP_FAILED) {
		ret = -errno;
		close(fd);
		return ret;
	}
	if (f->stored == f->size)
		memcpy(to, p, f->size);
	else
		ret = unpack(to, f->size, p, f->stored);
	munmap(to, f->size);
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

int kept_file_open(const struct kept_files *kept, const struct build_id *id)
{
	struct perfdata_kept_file f;
	size_t left = kept->size;
	const u8 *p = kept->p;

	while (id->size && left >= sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		p += sizeof(f);
		left -= sizeof(f);
		if (!f.size || f.size > KEPT_FILE_MAX || f.stored > left)
			return -EINVAL;
		if (f.build_id_size == id->size && !memcmp(f.build_id, id->bytes, id->size))
			return copy_file(&f, p);
		if (left < ALIGN_UP(f.stored, 8))
			break;
		p += ALIGN_UP(f.stored, 8);
		left -= ALIGN_UP(f.stored, 8);
	}
	return -ENOENT;
}
