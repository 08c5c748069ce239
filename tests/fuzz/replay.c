// SPDX-License-Identifier: BSD-3-Clause
/* Gives a fuzzer's input files to it, one after the other, and tells each by a line of TAP. usage: replay FILE... */
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
	/* Exactly as large, for the sanitizer's sake. */
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
