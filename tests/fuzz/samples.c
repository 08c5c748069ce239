// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzzes all that reads sample files: `memphis report` and `memphis dump` are run on up to four of them, as text
 * and as JSON. FUZZ_PROGRAMS names the directory of the programs that the seeds point into, and of their source.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "fuzz.h"

static char *programs;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	programs = getenv("FUZZ_PROGRAMS");
	if (!programs) {
		fputs("FUZZ_PROGRAMS must name the directory of the seeds' programs\n", stderr);
		exit(2);
	}
	return 0;
}

/* What each bit of the options adds to `memphis report`. */
static const char *const option_of_bit[8][2] = {
	{"--format", "json"}, {"--sort", "latency"}, {"--region", "Bound"},  {"--threads", NULL},
	{"--node", "0"},      {"--select", "all"},   {"--select", "stores"}, {"--top", "1"},
};

/* What the length chooses. */
static const char *const by[] = {"region", "thread", "home", "line", "function", "field"};
#define BY (sizeof(by) / sizeof(*by))

static void run(const struct memphis_command *command, const char *const *arguments, int count)
{
	char *copy[40];
	int i;

	for (i = 0; i < count; i++)
		copy[i] = (char *)arguments[i];
	copy[count] = NULL;
	optind = 0;
	command->run(count, copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *arguments[40] = {"report",   "--jobs", "1",        "--binaries", programs,
				     "--source", programs, "--output", "/dev/null"};
	const char *dump[3 + FILES_MAX] = {"dump", "--format", "json"};
	struct fuzz_case one;
	unsigned int i, count = 9;

	fuzz_unpack(&one, data, size);
	if (!one.file_count)
		return -1;
	for (i = 0; i < 8; i++) {
		if (!(one.options >> i & 1))
			continue;
		arguments[count++] = option_of_bit[i][0];
		if (option_of_bit[i][1])
			arguments[count++] = option_of_bit[i][1];
	}
	if (size % (BY + 2) < BY) {
		arguments[count++] = "--by";
		arguments[count++] = by[size % (BY + 2)];
	}
	for (i = 0; i < one.file_count; i++)
		arguments[count++] = dump[3 + i] = fuzz_file(i, one.files[i].bytes, one.files[i].count);
	run(&memphis_report, arguments, (int)count);
	run(&memphis_dump, dump, 3 + (int)one.file_count);
	fuzz_free(&one);
	return 0;
}
