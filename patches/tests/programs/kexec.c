// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts another kernel at once.
 *
 * Usage: kexec IMAGE INITRD COMMAND-LINE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int image, initrd;

	if (argc != 4)
		return 2;

	image = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	if (syscall(SYS_kexec_file_load, image, initrd, strlen(argv[3]) + 1, argv[3], 0)) {
		perror("kexec_file_load");
		return 1;
	}
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	perror("reboot");
	return 1;
}
