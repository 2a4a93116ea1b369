// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only process of a kernel that runs the tests: it loads the module and powers off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	int fd = open("/arch-model-tests.ko", O_RDONLY);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		perror("arch-model-tests.ko");
	reboot(RB_POWER_OFF);
	return 1;
}
