// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file-ids.h"
#include "tests/fuzz/targets.h"

void fuzz_build_id(const u8 *p, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct build_id id;

	if (fd < 0 || write(fd, p, size) != (ssize_t)size)
		abort();
	build_id_of_fd(&id, fd);
	build_id_from_notes(&id, p, size);
	close(fd);
}
