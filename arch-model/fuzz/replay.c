// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replays inputs of the fuzzer, one in each file, without libFuzzer. TAP.
 */
#include <stdio.h>
#include <stdlib.h>

#include <arch-model/types.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int main(int argc, char **argv)
{
	static u8 data[4096];
	size_t size;
	FILE *file;
	int i;

	printf("TAP version 13\n");
	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "rb");
		if (!file) {
			perror(argv[i]);
			return EXIT_FAILURE;
		}
		size = fread(data, 1, sizeof(data), file);
		fclose(file);
		LLVMFuzzerTestOneInput(data, size);
	}
	printf("ok 1 %d inputs of the fuzzer\n1..1\n", argc - 1);
	return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
