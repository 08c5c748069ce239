// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzzes the loading of profiles (.mprof). An input is the content of the compressed frame, records with their lengths; it is put
 * into a frame with a valid checksum, reported, compared with itself and merged. The first byte of the input selects options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "cmd/command.h"
#include "fuzz.h"

#define HEADER_BYTES 16
#define PLAIN_MAX    (64 << 10)

static const char header[HEADER_BYTES + 1] = "\x89MPROF\r\n\x01\0\0\0\0\0\0";

static const char *frame(const uint8_t *data, size_t size)
{
	static uint8_t file[HEADER_BYTES + PLAIN_MAX * 2];
	static ZSTD_CCtx *zstd;
	size_t bytes;

	if (!zstd) {
		zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
	}
	memcpy(file, header, HEADER_BYTES);
	bytes = ZSTD_compress2(zstd, file + HEADER_BYTES, sizeof(file) - HEADER_BYTES, data, size);
	if (ZSTD_isError(bytes))
		abort();
	return fuzz_file(0, file, HEADER_BYTES + bytes);
}

static void run(const struct memphis_command *command, const char *const *arguments)
{
	char *copy[16];
	int count = 0;

	for (; arguments[count]; count++)
		copy[count] = (char *)arguments[count];
	copy[count] = NULL;
	optind = 0;
	command->run(count, copy);
}

static const char *const by[] = {"region", "thread", "home", "line", "function", "field", "instruction"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = {"text", "json", "html", "json"};
	const char *report[] = {"report", "--output", "/dev/null", "--format", NULL, "--by",
				NULL,     "--select", NULL,        NULL,       NULL, NULL};
	const char *compare[] = {"compare", "--output", "/dev/null", "--format", NULL, NULL, NULL, NULL};
	const char *merge[] = {"merge", "-o", "/dev/null", NULL, NULL};
	unsigned int how;

	if (!size || size > PLAIN_MAX)
		return -1;
	how = *data;
	report[9] = compare[5] = compare[6] = merge[3] = frame(data + 1, size - 1);
	report[4] = compare[4] = formats[how & 3];
	report[6] = by[(how >> 2) % 7];
	report[8] = how & 0x80 ? "remote-dram" : "all";
	if (how & 0x40)
		report[10] = "--explain";
	if ((how & 3) == 2)
		compare[4] = "text";
	run(&memphis_report, report);
	run(&memphis_compare, compare);
	run(&memphis_merge, merge);
	return 0;
}
