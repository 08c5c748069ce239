// SPDX-License-Identifier: BSD-3-Clause
/* Fuzzes what reads recordings of perf's: makes sample files of one, which the readers of sample files must take. */
#include <getopt.h>
#include <stdio.h>

#include "cmd/command.h"
#include "fuzz.h"
#include "perfdata/spool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *dump[] = {"dump", "--format", "json", NULL, NULL};
	char *report[] = {"report", "--jobs", "1", "--output", "/dev/null", NULL, NULL};

	dump[3] = report[5] = (char *)fuzz_file(0, data, size < FILE_BYTES_MAX ? size : FILE_BYTES_MAX);
	optind = 0;
	memphis_dump.run(4, dump);
	optind = 0;
	memphis_report.run(6, report);
	memphis_made_close();
	return 0;
}
