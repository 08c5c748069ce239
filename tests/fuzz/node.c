// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzzes the loading of files of memphis node --save and --since: loaded matrices are compared with themselves, saved, and loaded unchanged, and so are
 * counts of errors.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "node/node.h"

static void expect(bool held)
{
	if (!held)
		abort();
}

static void save_and_load(const struct memphis_matrices *matrices)
{
	char path[] = "/tmp/memphis-fuzz-XXXXXX";
	struct memphis_matrices again;
	struct memphis_error error;
	int fd = mkstemp(path);

	expect(fd >= 0 && !close(fd));
	expect(!memphis_matrices_save(matrices, path, &error));
	expect(!memphis_matrices_load(&again, path, &error));
	expect(again.count == matrices->count &&
	       !memcmp(again.nodes, matrices->nodes, again.count * sizeof(*again.nodes)));
	expect(!strcmp(again.host, matrices->host) && !strcmp(again.class, matrices->class));
	memphis_matrices_close(&again);
	unlink(path);
}

static void save_and_load_errors(const struct memphis_error_counts *counts)
{
	char path[] = "/tmp/memphis-fuzz-XXXXXX";
	struct memphis_error_counts again;
	struct memphis_error error;
	int fd = mkstemp(path);
	size_t i, found = 0;

	expect(fd >= 0 && !close(fd));
	expect(!memphis_error_counts_save(counts, path, &error));
	expect(!memphis_error_counts_load(&again, path, &error));
	for (i = 0; i < counts->count; i++) {
		(void)memphis_errors_since(counts, &counts->list[i], counts);
		if (!counts->list[i].value)
			continue;
		expect(found < again.count && again.list[found].value == counts->list[i].value &&
		       again.list[found].row == counts->list[i].row &&
		       !strcmp(again.list[found].device, counts->list[i].device));
		found++;
	}
	expect(found == again.count && again.time == counts->time && !strcmp(again.boot, counts->boot));
	memphis_error_counts_close(&again);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memphis_error_counts counts;
	struct memphis_matrices matrices;
	struct memphis_outlier outlier;
	struct memphis_error error;

	if (!memphis_error_counts_load(&counts, fuzz_file(0, data, size), &error)) {
		save_and_load_errors(&counts);
		memphis_error_counts_close(&counts);
	}
	if (!memphis_matrices_load(&matrices, fuzz_file(0, data, size), &error)) {
		memphis_matrices_compare(&matrices, &matrices, 0, &outlier);
		expect(!outlier.found && !outlier.worse);
		(void)memphis_matrices_factor(&matrices);
		if (matrices.count && matrices.count < 32)
			save_and_load(&matrices);
	}
	memphis_matrices_close(&matrices);
	return 0;
}
