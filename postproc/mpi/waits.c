// SPDX-License-Identifier: BSD-3-Clause
/* Finds what the ranks of an MPI program did in MPI and in I/O, and for which ranks they waited. */
#include "mpi/waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/text.h"
#include "profile/profile.h"
#include "read/thread.h"

#define DEEPEST 256 /* maximum depth of nested regions; only damaged files have deeper ones */

#define FILES 65536 /* files have smaller numbers than this; only damaged files have larger ones */

/* The regions and the files of one process. Regions are indexed by id, files by number. */
struct tree {
	const struct memphis_region **regions; /* by id; NULL: unknown */
	/* by region id: time that all threads spent in the region, including nested regions */
	uint64_t *inclusive_ns;
	size_t count;
	const char **paths; /* paths of files, by file number; NULL: unknown */
	size_t path_count, path_room;
};

static uint32_t parent_region(const struct tree *tree, uint32_t id)
{
	return id < tree->count && tree->regions[id] && tree->regions[id]->parent < tree->count
		       ? tree->regions[id]->parent
		       : 0;
}

static void close_tree(struct tree *tree)
{
	free(tree->regions);
	free(tree->inclusive_ns);
	free(tree->paths);
}

/* Reads the paths of the files. If a number has several paths, uses the first one, as for all settings. */
static int read_paths(struct tree *tree, const struct memphis_settings *files)
{
	const char *key = NULL, *path;
	unsigned long number;
	char *end;

	while (memphis_settings_next(files, &key, &path)) {
		number = strtoul(key, &end, 10);
		if (end == key || *end || number >= FILES)
			continue;
		if (number >= tree->path_count) {
			if (memphis_grow(&tree->paths, &tree->path_room, number + 1, sizeof(*tree->paths)))
				return -ENOMEM;
			memset(tree->paths + tree->path_count, 0,
			       (number + 1 - tree->path_count) * sizeof(*tree->paths));
			tree->path_count = number + 1;
		}
		if (!tree->paths[number] && *path)
			tree->paths[number] = path;
	}
	return 0;
}

static int open_tree(struct tree *tree, const struct memphis_process *process)
{
	size_t i, j, depth;
	uint32_t id;

	tree->count = memphis_region_ids(process);
	tree->regions = calloc(tree->count + 1, sizeof(*tree->regions));
	tree->inclusive_ns = calloc(tree->count + 1, sizeof(*tree->inclusive_ns));
	if (!tree->regions || !tree->inclusive_ns)
		return -ENOMEM;
	for (i = 0; i < process->region_count; i++)
		if (process->regions[i].id < tree->count)
			tree->regions[process->regions[i].id] = &process->regions[i];
	for (i = 0; i < process->thread_count; i++)
		for (j = 0; j < process->threads[i].time_count; j++) {
			id = process->threads[i].times[j].region;
			for (depth = 0; id && id < tree->count && depth < DEEPEST; depth++) {
				tree->inclusive_ns[id] += process->threads[i].times[j].ns;
				id = parent_region(tree, id);
			}
		}
	return read_paths(tree, &process->files);
}

/* Appends the path of the region, for example "TimeLoop/Bound". */
static void put_path(struct memphis_text *text, const struct tree *tree, uint32_t id)
{
	const char *names[DEEPEST];
	size_t depth = 0;

	for (; id && id < tree->count && tree->regions[id] && depth < DEEPEST; id = parent_region(tree, id))
		names[depth++] = tree->regions[id]->name;
	while (depth-- > 0) {
		memphis_text_put(text, names[depth]);
		memphis_text_put(text, depth ? "/" : "");
	}
}

/*
 * Returns the index of the call of this function in its region, and adds it if it is new. `region` is the innermost
 * region, which is the function itself. Returns MEMPHIS_NONE if memory is exhausted.
 */
static uint32_t find_or_add_call(struct memphis_mpi_waits *waits, const struct tree *tree, uint32_t region,
				 bool io)
{
	const struct memphis_region *own = region < tree->count ? tree->regions[region] : NULL;
	const char *other = io ? "(other I/O functions)" : "(other functions)";
	uint32_t number = MEMPHIS_NO_STRING;
	struct memphis_text key = {0};
	struct memphis_mpi_call *call;

	put_path(&key, tree, parent_region(tree, region));
	memphis_text_add(&key, "", 1);
	memphis_text_put(&key, own ? own->name : other);
	if (!key.failed)
		number = memphis_strings_add(&waits->keys, key.text, key.bytes);
	memphis_text_close(&key);
	if (number == MEMPHIS_NO_STRING)
		return MEMPHIS_NONE;
	if (number <= waits->call_count)
		return number - 1;
	call = memphis_append(waits->calls, waits->call_count, waits->call_room);
	if (!call)
		return MEMPHIS_NONE;
	*call = (struct memphis_mpi_call){.key = number};
	return number - 1;
}

/*
 * Returns whether the file contains data. Devices, such as terminals, and files of the kernel do not. A file with an
 * unknown path counts as a file with data.
 */
static bool is_data_file(const char *path)
{
	static const char *const others[] = {"/dev/", "/proc/", "/sys/"};
	size_t i;

	if (path && !strncmp(path, "/dev/shm/", 9))
		return true;
	for (i = 0; path && i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(path, others[i], strlen(others[i])))
			return false;
	return true;
}

/* Adds the calls of an I/O function for one file. They belong to the last rank in the list. */
static int add_file(struct memphis_mpi_waits *waits, const struct tree *tree,
		    const struct memphis_mpi_sum *sum, uint32_t call)
{
	const uint32_t at = (uint32_t)waits->rank_count - 1,
		       number = (uint32_t)sum->partner - MEMPHIS_MPI_FILE;
	const char *path = number < tree->path_count ? tree->paths[number] : NULL;
	struct memphis_mpi_file *file;
	struct memphis_mpi_write *write;
	uint32_t index;

	index = memphis_strings_add_text(&waits->paths, path ? path : "?");
	if (index == MEMPHIS_NO_STRING)
		return -ENOMEM;
	if (index > waits->file_count && !memphis_append(waits->files, waits->file_count, waits->file_room))
		return -ENOMEM;
	file = &waits->files[index - 1];
	file->path = path;
	memphis_mpi_sum_add(&file->sum, sum);
	if (file->last != at + 1)
		file->ranks++;
	file->last = at + 1;
	if (!is_data_file(path))
		return 0;
	write = memphis_append(waits->writes, waits->write_count, waits->write_room);
	if (!write)
		return -ENOMEM;
	*write = (struct memphis_mpi_write){call, at, sum->sent_bytes, sum->ns, false};
	return 0;
}

/*
 * Adds the sum of a function's calls to the last rank in the list. If `all` is true, the rank was sampled all the
 * time. Otherwise it was sampled only inside regions, and calls outside regions do not count for the rank.
 */
static int add_sum(struct memphis_mpi_waits *waits, const struct tree *tree,
		   const struct memphis_mpi_sum *sum, bool all)
{
	const uint32_t at = (uint32_t)waits->rank_count - 1, around = parent_region(tree, sum->region);
	const uint32_t number = find_or_add_call(waits, tree, sum->region, memphis_mpi_sum_is_io(sum));
	struct memphis_mpi_rank *rank = &waits->ranks[at];
	struct memphis_mpi_call *call;
	struct memphis_mpi_wait *wait;

	if (number == MEMPHIS_NONE)
		return -ENOMEM;
	call = &waits->calls[number];
	memphis_mpi_sum_add(&call->sum, sum);
	call->io = memphis_mpi_sum_is_io(sum);
	if (sum->calls && call->last != at + 1) {
		call->ranks++;
		call->last = at + 1;
	}
	if (!around && !all)
		return 0;
	call->inside = true;
	memphis_mpi_sum_add(call->io ? &rank->io : &rank->sum, sum);
	if (call->io)
		return add_file(waits, tree, sum, number);
	if (!sum->waited_ns)
		return 0;
	wait = memphis_append(waits->waits, waits->wait_count, waits->wait_room);
	if (!wait)
		return -ENOMEM;
	*wait = (struct memphis_mpi_wait){
		.call = number,
		.rank = at,
		.partner = sum->partner,
		.ns = sum->waited_ns,
		.region_ns = around && tree->inclusive_ns[around] ? tree->inclusive_ns[around] : rank->ns};
	return 0;
}

/*
 * Returns the rank of the process in MPI_COMM_WORLD. This rank is unknown if the process was killed or does not use
 * MPI. The function then returns the rank that the launcher set, or else the pid. It ignores ranks of MEMPHIS_MPI_FILE
 * or more, which only damaged files contain.
 */
static uint32_t process_rank(const struct memphis_process *process)
{
	static const char *const keys[] = {"mpi_rank", "rank"};
	uint64_t rank;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		rank = memphis_setting_number(&process->settings, keys[i], UINT64_MAX);
		if (rank < MEMPHIS_MPI_FILE)
			return (uint32_t)rank;
	}
	return process->pid;
}

static int add_process(struct memphis_mpi_waits *waits, const struct memphis_process *process, uint32_t index)
{
	const struct memphis_settings *settings = &process->settings;
	const uint64_t clock_error_ns = memphis_setting_number(settings, "mpi_clock_error_ns", 0);
	const char *mode = memphis_setting(settings, "mode");
	struct memphis_mpi_rank *rank;
	struct tree tree = {0};
	uint32_t threads = 0;
	size_t i, j;
	int rc;

	for (i = 0; i < process->thread_count; i++)
		threads += process->threads[i].others ? process->threads[i].mpi_threads
						      : process->threads[i].mpi_count > 0;
	if (!threads)
		return 0;
	rank = memphis_append(waits->ranks, waits->rank_count, waits->rank_room);
	if (!rank)
		return -ENOMEM;
	*rank = (struct memphis_mpi_rank){.process = index,
					  .rank = process_rank(process),
					  .threads = threads,
					  .ns = threads * memphis_setting_number(settings, "active_ns", 0),
					  .compared =
						  memphis_setting_number(settings, "mpi_compared", 0) > 0};
	waits->left_out += memphis_setting_number(settings, "mpi_left_out", 0);
	if (clock_error_ns > waits->clock_error_ns)
		waits->clock_error_ns = clock_error_ns;
	rc = open_tree(&tree, process);
	for (i = 0; !rc && i < process->thread_count; i++)
		for (j = 0; !rc && j < process->threads[i].mpi_count; j++)
			rc = add_sum(waits, &tree, &process->threads[i].mpi[j],
				     !mode || strcmp(mode, "caliper") != 0);
	close_tree(&tree);
	return rc;
}

/* Adds up how long each rank waited for remote DRAM, separately inside and outside MPI. */
static int add_remote_waiting(struct memphis_mpi_waits *waits, const struct memphis_profile *profile,
			      const struct memphis_selection *selection,
			      const struct memphis_waiting *waiting)
{
	const struct memphis_process *process;
	struct memphis_waits(*sums)[MEMPHIS_MPI_PLACES];
	const struct memphis_cell *cell;
	size_t i;
	int place;

	if (!profile->by_region || !profile->by_thread || waiting->why_not)
		return 0;
	sums = calloc(profile->processes.count + 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	for (cell = profile->cells; cell < profile->cells + profile->cell_count; cell++) {
		if (!memphis_profile_takes(profile, selection, cell))
			continue;
		memphis_profile_thread_of(profile, cell->key.thread, &process);
		place = memphis_region_is_mpi(profile, cell->key.region) ? MEMPHIS_MPI_COMMUNICATING
									 : MEMPHIS_MPI_COMPUTING;
		memphis_waits_add_cell(&sums[process - profile->processes.list][place], waiting, cell);
	}
	for (i = 0; i < waits->rank_count; i++)
		for (place = 0; place < MEMPHIS_MPI_PLACES; place++)
			waits->ranks[i].remote[place] = memphis_waited_for(
				waiting, &sums[waits->ranks[i].process][place], MEMPHIS_WAIT_REMOTE_DRAM);
	free(sums);
	return 0;
}

/*
 * ---- findings: ranks for which other ranks wait ----
 *
 * A rank waits long in a function if its waiting there is at least the share MEMPHIS_MPI_FINDING_SHARE of the time
 * that it spends in the region around the call. Findings whose waiting is a small share of the run are dropped.
 */

/*
 * ---- single writers ----
 *
 * A rank for which others wait is a single writer if two conditions hold:
 * - In the region where others wait, it writes at least the share MEMPHIS_MPI_WRITER_BYTES of the bytes that all ranks
 *   write to files.
 * - The time of its calls for files is at least MEMPHIS_MPI_WRITER_TIME times the waiting time of another rank.
 *
 * If no rank writes in this region, the search continues in the enclosing region, and so on up to the whole run.
 * Written bytes explain only one finding, which is the one with the most waiting.
 */

/* Returns whether `region` is the region with the first `length` bytes of `path`, or is nested in it. */
static bool is_in_region(const char *region, const char *path, size_t length)
{
	return !length || (!strncmp(region, path, length) && (!region[length] || region[length] == '/'));
}

/* The data that ranks wrote to files in a region. */
struct written {
	/* bytes that all ranks wrote; bytes that one rank wrote, and the time of all its calls for files */
	uint64_t all, bytes, ns;
};

static struct written sum_writes(const struct memphis_mpi_waits *waits, const char *path, size_t length,
				 int32_t rank)
{
	const struct memphis_mpi_write *write = waits->writes, *end = write + waits->write_count;
	struct written written = {0};

	for (; write < end; write++) {
		if (write->explains ||
		    !is_in_region(memphis_mpi_call_region(waits, write->call), path, length))
			continue;
		written.all += write->bytes;
		if (waits->ranks[write->rank].rank != (uint32_t)rank)
			continue;
		written.bytes += write->bytes;
		written.ns += write->ns;
	}
	return written;
}

/* Returns the length of the path without its innermost region. */
static size_t parent_length(const char *path, size_t length)
{
	while (length && path[length - 1] != '/')
		length--;
	return length ? length - 1 : 0;
}

static void set_writer(struct memphis_mpi_waits *waits, struct memphis_mpi_finding *finding)
{
	const char *path = memphis_mpi_call_region(waits, finding->call);
	size_t length = strlen(path), i;
	struct written written = sum_writes(waits, path, length, finding->late);

	while (!written.all && length) {
		length = parent_length(path, length);
		written = sum_writes(waits, path, length, finding->late);
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
			is_in_region(memphis_mpi_call_region(waits, waits->writes[i].call), path, length);
}

/* Changes a finding about a late rank to one about a single writer, if the late rank writes files while others wait. */
static void find_writers(struct memphis_mpi_waits *waits)
{
	struct memphis_mpi_finding *finding = waits->findings, *end = finding + waits->finding_count;

	for (; waits->write_count && finding < end; finding++)
		if (finding->late >= 0 && waits->rank_count > 1)
			set_writer(waits, finding);
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

	return memphis_order(x->call, y->call) ?:
	       memphis_order(x->partner, y->partner) ?:
	       memphis_order(x->rank, y->rank);
}

/* Merges the entries of threads of the same rank. The list must be sorted. */
static void merge_threads(struct memphis_mpi_waits *waits)
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

static bool is_long_wait(uint64_t ns, uint64_t region_ns)
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

/* Adds a finding about the ranks that wait long for messages from one sender. `list` contains all waits for this sender. */
static int add_late_sender(struct memphis_mpi_waits *waits, const struct memphis_mpi_wait *list, size_t count)
{
	struct memphis_mpi_finding *finding = NULL;
	uint64_t region_ns = 0;
	size_t i;

	/* If the partner is negative, the entry is the sum of many senders, and no single sender is late. */
	for (i = 0; list->partner >= 0 && i < count; i++) {
		if (!is_long_wait(list[i].ns, list[i].region_ns))
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

/* The sum of all waits of one rank in one collective call. */
struct rank_sum {
	uint64_t ns, region_ns;
};

/*
 * Returns the rank for which the ranks that wait long wait most, and sets *most to the time that they wait for it. The
 * list must be sorted by partner.
 */
static int32_t find_most_awaited(const struct memphis_mpi_wait *list, size_t count,
				 const struct rank_sum *sums, uint64_t *most)
{
	int32_t partner = MEMPHIS_MPI_NONE;
	uint64_t ns = 0;
	size_t i;

	*most = 0;
	for (i = 0; i < count; i++) {
		if (i && list[i].partner != list[i - 1].partner)
			ns = 0;
		if (is_long_wait(sums[list[i].rank].ns, sums[list[i].rank].region_ns))
			ns += list[i].ns;
		if (list[i].partner >= 0 && ns > *most) {
			*most = ns;
			partner = list[i].partner;
		}
	}
	return partner;
}

/*
 * Adds a finding about a collective call if at least half of the ranks that make the call wait long. The finding names
 * one late rank if this rank causes at least half of the waiting. `list` contains all waits in the call.
 */
static int add_imbalance(struct memphis_mpi_waits *waits, const struct memphis_mpi_wait *list, size_t count)
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
		if (is_long_wait(sums[i].ns, sums[i].region_ns)) {
			waiting++;
			waited += sums[i].ns;
			region_ns += sums[i].region_ns;
		}
	late = find_most_awaited(list, count, sums, &most);
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
			if (is_long_wait(sums[i].ns, sums[i].region_ns))
				finding->ranks[finding->rank_count++] = (uint32_t)i;
	}
	free(sums);
	return finding ? 0 : -ENOMEM;
}

/* Adds the findings about one call. Calls that receive messages can have a late sender, and the others an imbalance. */
static int add_findings_of_call(struct memphis_mpi_waits *waits, const struct memphis_mpi_wait *list,
				size_t count)
{
	size_t first, last;
	int rc = 0;

	if (!waits->calls[list->call].sum.received)
		return add_imbalance(waits, list, count);
	for (first = 0; !rc && first < count; first = last) {
		for (last = first; last < count && list[last].partner == list[first].partner; last++)
			;
		rc = add_late_sender(waits, list + first, last - first);
	}
	return rc;
}

/*
 * Drops findings whose waiting is a small share of the run. The duration of the run is the longest time for which a
 * rank was sampled.
 */
static void drop_minor_findings(struct memphis_mpi_waits *waits)
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

	return memphis_order(y->waited_ns, x->waited_ns) ?: memphis_order(x->call, y->call);
}

static int compare_calls(const void *a, const void *b, void *context)
{
	const struct memphis_mpi_call *calls = context, *x = &calls[*(const uint32_t *)a],
				      *y = &calls[*(const uint32_t *)b];

	return memphis_order(y->inside, x->inside) ?:
	       memphis_order(y->sum.ns, x->sum.ns) ?:
	       memphis_order(x->key, y->key);
}

static int compare_files(const void *a, const void *b)
{
	const struct memphis_mpi_file *x = a, *y = b;

	return memphis_order(y->sum.ns, x->sum.ns) ?: strcmp(x->path ? x->path : "", y->path ? y->path : "");
}

/* Sorts the tables of functions and files for the report. */
static int sort_tables(struct memphis_mpi_waits *waits)
{
	uint32_t i;

	memphis_sort(waits->files, waits->file_count, compare_files);

	waits->shown = malloc((waits->call_count + 1) * sizeof(*waits->shown));
	if (!waits->shown)
		return -ENOMEM;
	for (i = 0; i < waits->call_count; i++)
		waits->shown[i] = i;
	qsort_r(waits->shown, waits->call_count, sizeof(*waits->shown), compare_calls, waits->calls);
	return 0;
}

static int make_findings(struct memphis_mpi_waits *waits)
{
	const struct memphis_mpi_wait *list = waits->waits;
	size_t first, last;
	int rc = sort_tables(waits);

	if (rc || !waits->wait_count)
		return rc;
	qsort(waits->waits, waits->wait_count, sizeof(*waits->waits), compare_waits);
	merge_threads(waits);
	for (first = 0; !rc && first < waits->wait_count; first = last) {
		for (last = first; last < waits->wait_count && list[last].call == list[first].call; last++)
			;
		rc = add_findings_of_call(waits, list + first, last - first);
	}
	drop_minor_findings(waits);
	memphis_sort(waits->findings, waits->finding_count, compare_findings);
	find_writers(waits);
	return rc;
}

int memphis_mpi_waits_make(struct memphis_mpi_waits *waits, const struct memphis_profile *profile,
			   const struct memphis_selection *selection, const struct memphis_waiting *waiting)
{
	size_t i;
	int rc = 0;

	memset(waits, 0, sizeof(*waits));
	for (i = 0; !rc && i < profile->processes.count; i++)
		if (memphis_selection_has(selection, &profile->processes.list[i]))
			rc = add_process(waits, &profile->processes.list[i], (uint32_t)i);
	if (!rc && waits->rank_count)
		rc = add_remote_waiting(waits, profile, selection, waiting);
	return rc ? rc : make_findings(waits);
}

const char *memphis_mpi_call_function(const struct memphis_mpi_waits *waits, uint32_t call)
{
	const char *region = memphis_mpi_call_region(waits, call);

	return region + strlen(region) + 1;
}

void memphis_mpi_waits_close(struct memphis_mpi_waits *waits)
{
	size_t i;

	for (i = 0; i < waits->finding_count; i++)
		free(waits->findings[i].ranks);
	memphis_strings_close(&waits->keys);
	memphis_strings_close(&waits->paths);
	free(waits->files);
	free(waits->writes);
	free(waits->ranks);
	free(waits->calls);
	free(waits->shown);
	free(waits->findings);
	free(waits->waits);
	memset(waits, 0, sizeof(*waits));
}
