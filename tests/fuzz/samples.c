// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzzes everything that reads sample files: runs `memphis report`, `compare` and `dump` on up to four files, with text and JSON
 * output. FUZZ_PROGRAMS names the directory of the programs that the seeds refer to, and of their sources.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "fuzz.h"

static char *programs;
static char runs[2][4096]; /* directories with the first two files, and with the last two */

static void make_run(const char *name, unsigned int first)
{
	char *run = runs[first / 2], link[4200];
	unsigned int i;

	snprintf(run, sizeof(runs[0]), "%s/%s", programs, name);
	mkdir(run, 0755);
	for (i = first; i < first + 2; i++) {
		snprintf(link, sizeof(link), "%s/%u.memphis", run, i);
		unlink(link);
		if (symlink(fuzz_file(i, "", 0), link))
			abort();
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	programs = getenv("FUZZ_PROGRAMS");
	if (!programs) {
		fputs("FUZZ_PROGRAMS must name the directory of the seeds' programs\n", stderr);
		exit(2);
	}
	make_run("a", 0);
	make_run("b", 2);
	return 0;
}

/* The argument of `memphis report` that each bit of the options adds. */
static const char *const option_of_bit[8][2] = {
	{"--format", "json"}, {"--sort", "latency"}, {"--region", "Bound"},  {"--threads", NULL},
	{"--node", "0"},      {"--select", "all"},   {"--select", "stores"}, {"--top", "1"},
};

/* Values of --by, which the length of the input selects. */
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
	const char *compare[] = {"compare", "--jobs",   "1",         "--binaries", programs, "--format",
				 "text",    "--output", "/dev/null", runs[0],      runs[0]};
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
	if (one.options & 1)
		compare[6] = "json";
	if (one.file_count == FILES_MAX)
		compare[10] = runs[1];
	if (one.file_count % 2 == 0)
		run(&memphis_compare, compare, sizeof(compare) / sizeof(*compare));
	run(&memphis_dump, dump, 3 + (int)one.file_count);
	fuzz_free(&one);
	return 0;
}
