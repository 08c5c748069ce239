// SPDX-License-Identifier: BSD-3-Clause
/* Runs a fuzzer's function on input files, one after the other; prints a line of TAP for each to descriptor 3. usage: replay FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

static bool replay(const char *path)
{
	static uint8_t room[FILES_MAX * FILE_BYTES_MAX];
	FILE *from = fopen(path, "r");
	uint8_t *data;
	size_t size;

	if (!from)
		return false;
	size = fread(room, 1, sizeof(room), from);
	fclose(from);
	/* A block of the exact size, so that the sanitizer catches reads beyond the end. */
	data = malloc(size);
	if (!data)
		return false;
	memcpy(data, room, size);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return true;
}

int main(int argc, char **argv)
{
	FILE *tap = fdopen(3, "w");
	int i, failed = 0;
	bool ok;

	if (!tap)
		tap = stdout;
	LLVMFuzzerInitialize(&argc, &argv);
	for (i = 1; i < argc; i++) {
		ok = replay(argv[i]);
		failed += !ok;
		fprintf(tap, "%sok %d - %s\n", ok ? "" : "not ", i, argv[i]);
		fflush(tap);
	}
	fprintf(tap, "1..%d\n", argc - 1);
	fclose(tap);
	return failed != 0;
}
