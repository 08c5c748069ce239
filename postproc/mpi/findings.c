// SPDX-License-Identifier: BSD-3-Clause
/*
 * Findings about MPI: ranks that others wait for. A rank counts as waiting in a function if it waits there for at least
 * MEMPHIS_MPI_FINDING_SHARE of the time that it spends in the region around the call. Regions that last briefly give no findings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mpi/waits.h"

/*
 * Single writers. A rank for which others wait is one if it writes at least MEMPHIS_MPI_WRITER_BYTES of the bytes that all ranks write to files
 * in the region of the waiting, and its calls for files last at least MEMPHIS_MPI_WRITER_TIME of the time for which another rank waits. If nobody
 * writes in this region, the next one around it counts, and at last the run. What is written explains one finding only, that of most waiting.
 */

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

/* Turns findings about a late rank into those about a single writer, if it writes meanwhile. */
static void mpi_writers_find(struct memphis_mpi_waits *waits)
{
	struct memphis_mpi_finding *finding = waits->findings, *end = finding + waits->finding_count;

	for (; waits->write_count && finding < end; finding++)
		if (finding->late >= 0 && waits->rank_count > 1)
			judge(waits, finding);
}

const char *const memphis_mpi_pattern_names[MEMPHIS_MPI_PATTERNS] = {
	[MEMPHIS_MPI_LATE_SENDER] = "late-sender",
	[MEMPHIS_MPI_LATE_RANK] = "late-rank",
	[MEMPHIS_MPI_IMBALANCE] = "imbalance",
	[MEMPHIS_MPI_WRITER] = "single-writer",
};

static int compare_waits(const void *a, const void *b)
{
	const struct memphis_mpi_wait *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	if (x->partner != y->partner)
		return x->partner < y->partner ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Adds up the entries of several threads. The list is sorted. */
static void join_threads(struct memphis_mpi_waits *waits)
{
	struct memphis_mpi_wait *to = waits->waits, *from;
	const struct memphis_mpi_wait *end = waits->waits + waits->wait_count;

	for (from = waits->waits; from < end; from++) {
		if (to > waits->waits && !compare_waits(to - 1, from))
			to[-1].ns += from->ns;
		else
			*to++ = *from;
	}
	waits->wait_count = (size_t)(to - waits->waits);
}

static bool is_long(uint64_t ns, uint64_t region_ns)
{
	return region_ns && (double)ns >= MEMPHIS_MPI_FINDING_SHARE * (double)region_ns;
}

static struct memphis_mpi_finding *add_finding(struct memphis_mpi_waits *waits,
					       enum memphis_mpi_pattern pattern, uint32_t call, int32_t late)
{
	struct memphis_mpi_finding *finding =
		memphis_append(waits->findings, waits->finding_count, waits->finding_room);

	if (!finding)
		return NULL;
	*finding = (struct memphis_mpi_finding){.pattern = pattern, .call = call, .late = late};
	finding->ranks = calloc(waits->rank_count, sizeof(*finding->ranks));
	return finding->ranks ? finding : NULL;
}

/* Adds the ranks that wait long for messages of one sender: `list` has the waits for it. */
static int find_late_sender(struct memphis_mpi_waits *waits, const struct memphis_mpi_wait *list,
			    size_t count)
{
	struct memphis_mpi_finding *finding = NULL;
	uint64_t region_ns = 0;
	size_t i;

	/* The sum of many senders names none of them. */
	for (i = 0; list->partner >= 0 && i < count; i++) {
		if (!is_long(list[i].ns, list[i].region_ns))
			continue;
		if (!finding)
			finding = add_finding(waits, MEMPHIS_MPI_LATE_SENDER, list->call, list->partner);
		if (!finding)
			return -ENOMEM;
		finding->ranks[finding->rank_count++] = list[i].rank;
		finding->waited_ns += list[i].ns;
		region_ns += list[i].region_ns;
	}
	if (finding)
		finding->share = (double)finding->waited_ns / (double)region_ns;
	return 0;
}

/* Sums, by rank, all waits in one collective call. */
struct rank_sum {
	uint64_t ns, region_ns;
};

/* Returns the partner for which the waiting ranks wait most, and for how long. The list is sorted by partner. */
static int32_t most_awaited(const struct memphis_mpi_wait *list, size_t count, const struct rank_sum *sums,
			    uint64_t *most)
{
	int32_t partner = MEMPHIS_MPI_NONE;
	uint64_t ns = 0;
	size_t i;

	*most = 0;
	for (i = 0; i < count; i++) {
		if (i && list[i].partner != list[i - 1].partner)
			ns = 0;
		if (is_long(sums[list[i].rank].ns, sums[list[i].rank].region_ns))
			ns += list[i].ns;
		if (list[i].partner >= 0 && ns > *most) {
			*most = ns;
			partner = list[i].partner;
		}
	}
	return partner;
}

/* Most ranks that make the call wait long: for one rank if it is the cause of half of the waiting. `list`: all waits in the call. */
static int find_imbalance(struct memphis_mpi_waits *waits, const struct memphis_mpi_wait *list, size_t count)
{
	struct rank_sum *sums = calloc(waits->rank_count, sizeof(*sums));
	struct memphis_mpi_finding *finding;
	uint64_t waited = 0, region_ns = 0, most;
	size_t i, waiting = 0;
	int32_t late;

	if (!sums)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		sums[list[i].rank].ns += list[i].ns;
		sums[list[i].rank].region_ns = list[i].region_ns;
	}
	for (i = 0; i < waits->rank_count; i++)
		if (is_long(sums[i].ns, sums[i].region_ns)) {
			waiting++;
			waited += sums[i].ns;
			region_ns += sums[i].region_ns;
		}
	late = most_awaited(list, count, sums, &most);
	if (!waiting || 2 * waiting < waits->calls[list->call].ranks) {
		free(sums);
		return 0;
	}
	if (2 * most < waited)
		finding = add_finding(waits, MEMPHIS_MPI_IMBALANCE, list->call, MEMPHIS_MPI_NONE);
	else
		finding = add_finding(waits, MEMPHIS_MPI_LATE_RANK, list->call, late);
	if (finding) {
		finding->waited_ns = finding->late == MEMPHIS_MPI_NONE ? waited : most;
		finding->share = (double)finding->waited_ns / (double)region_ns;
		for (i = 0; i < waits->rank_count; i++)
			if (is_long(sums[i].ns, sums[i].region_ns))
				finding->ranks[finding->rank_count++] = (uint32_t)i;
	}
	free(sums);
	return finding ? 0 : -ENOMEM;
}

/* Finds what is to be said about one call. */
static int find_in_call(struct memphis_mpi_waits *waits, const struct memphis_mpi_wait *list, size_t count)
{
	size_t first, last;
	int rc = 0;

	if (!waits->calls[list->call].sum.received)
		return find_imbalance(waits, list, count);
	for (first = 0; !rc && first < count; first = last) {
		for (last = first; last < count && list[last].partner == list[first].partner; last++)
			;
		rc = find_late_sender(waits, list + first, last - first);
	}
	return rc;
}

/* Drops the findings about waiting that does not matter in the run, which lasts as long as the rank that was sampled longest. */
static void drop_small(struct memphis_mpi_waits *waits)
{
	struct memphis_mpi_finding *finding, *to = waits->findings;
	const struct memphis_mpi_finding *end = waits->findings + waits->finding_count;
	uint64_t longest = 0;
	size_t i;

	for (i = 0; i < waits->rank_count; i++)
		if (waits->ranks[i].ns > longest)
			longest = waits->ranks[i].ns;
	for (finding = waits->findings; finding < end; finding++) {
		if ((double)finding->waited_ns <
		    MEMPHIS_MPI_FINDING_LEAST * (double)longest * (double)finding->rank_count)
			free(finding->ranks);
		else
			*to++ = *finding;
	}
	waits->finding_count = (size_t)(to - waits->findings);
}

static int compare_findings(const void *a, const void *b)
{
	const struct memphis_mpi_finding *x = a, *y = b;

	if (x->waited_ns != y->waited_ns)
		return x->waited_ns > y->waited_ns ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

static int compare_calls(const void *a, const void *b, void *context)
{
	const struct memphis_mpi_call *calls = context, *x = &calls[*(const uint32_t *)a],
				      *y = &calls[*(const uint32_t *)b];

	if (x->inside != y->inside)
		return x->inside ? -1 : 1;
	if (x->sum.ns != y->sum.ns)
		return x->sum.ns > y->sum.ns ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static int compare_files(const void *a, const void *b)
{
	const struct memphis_mpi_file *x = a, *y = b;

	if (x->sum.ns != y->sum.ns)
		return x->sum.ns > y->sum.ns ? -1 : 1;
	return strcmp(x->path ? x->path : "", y->path ? y->path : "");
}

/* Sorts the tables of functions and files. */
static int sort_tables(struct memphis_mpi_waits *waits)
{
	uint32_t i;

	if (waits->file_count)
		qsort(waits->files, waits->file_count, sizeof(*waits->files), compare_files);

	waits->shown = malloc((waits->call_count + 1) * sizeof(*waits->shown));
	if (!waits->shown)
		return -ENOMEM;
	for (i = 0; i < waits->call_count; i++)
		waits->shown[i] = i;
	qsort_r(waits->shown, waits->call_count, sizeof(*waits->shown), compare_calls, waits->calls);
	return 0;
}

int memphis_mpi_findings_make(struct memphis_mpi_waits *waits)
{
	const struct memphis_mpi_wait *list = waits->waits;
	size_t first, last;
	int rc = sort_tables(waits);

	if (rc || !waits->wait_count)
		return rc;
	qsort(waits->waits, waits->wait_count, sizeof(*waits->waits), compare_waits);
	join_threads(waits);
	for (first = 0; !rc && first < waits->wait_count; first = last) {
		for (last = first; last < waits->wait_count && list[last].call == list[first].call; last++)
			;
		rc = find_in_call(waits, list + first, last - first);
	}
	drop_small(waits);
	if (waits->finding_count)
		qsort(waits->findings, waits->finding_count, sizeof(*waits->findings), compare_findings);
	mpi_writers_find(waits);
	return rc;
}
