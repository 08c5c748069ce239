// SPDX-License-Identifier: BSD-3-Clause
/*
 * Single writers. A rank for which others wait is one if it writes at least MEMPHIS_MPI_WRITER_BYTES of the bytes that all ranks write to files
 * in the region of the waiting, and its calls for files last at least MEMPHIS_MPI_WRITER_TIME of the time for which another rank waits. If nobody
 * writes in this region, the next one around it counts, and at last the run. What is written explains one finding only, that of most waiting.
 */
#include <string.h>

#include "mpi/waits.h"

/* Returns whether the region is the one with the first `length` bytes of the path, or inside it. */
static bool is_in(const char *region, const char *path, size_t length)
{
	return !length || (!strncmp(region, path, length) && (!region[length] || region[length] == '/'));
}

/* What the ranks write in a region. */
struct written {
	uint64_t all, bytes, ns; /* bytes of all ranks; bytes and time of one */
};

static struct written written_in(const struct memphis_mpi_waits *waits, const char *path, size_t length,
				 int32_t rank)
{
	const struct memphis_mpi_write *write = waits->writes, *end = write + waits->write_count;
	struct written written = {0};

	for (; write < end; write++) {
		if (write->explains || !is_in(memphis_mpi_call_region(waits, write->call), path, length))
			continue;
		written.all += write->bytes;
		if (waits->ranks[write->rank].rank != (uint32_t)rank)
			continue;
		written.bytes += write->bytes;
		written.ns += write->ns;
	}
	return written;
}

/* Returns the length of the path without its last region. */
static size_t length_around(const char *path, size_t length)
{
	while (length && path[length - 1] != '/')
		length--;
	return length ? length - 1 : 0;
}

static void judge(struct memphis_mpi_waits *waits, struct memphis_mpi_finding *finding)
{
	const char *path = memphis_mpi_call_region(waits, finding->call);
	size_t length = strlen(path), i;
	struct written written = written_in(waits, path, length, finding->late);

	while (!written.all && length) {
		length = length_around(path, length);
		written = written_in(waits, path, length, finding->late);
	}
	if (!written.all || (double)written.bytes < MEMPHIS_MPI_WRITER_BYTES * (double)written.all ||
	    (double)written.ns * (double)finding->rank_count <
		    MEMPHIS_MPI_WRITER_TIME * (double)finding->waited_ns)
		return;
	finding->pattern = MEMPHIS_MPI_WRITER;
	finding->bytes = written.bytes;
	finding->bytes_share = (double)written.bytes / (double)written.all;
	finding->write_ns = written.ns;
	for (i = 0; i < waits->write_count; i++)
		waits->writes[i].explains |=
			is_in(memphis_mpi_call_region(waits, waits->writes[i].call), path, length);
}

void memphis_mpi_writers_find(struct memphis_mpi_waits *waits)
{
	struct memphis_mpi_finding *finding = waits->findings, *end = finding + waits->finding_count;

	for (; waits->write_count && finding < end; finding++)
		if (finding->late >= 0 && waits->rank_count > 1)
			judge(waits, finding);
}
