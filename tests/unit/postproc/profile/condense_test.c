// SPDX-License-Identifier: BSD-3-Clause
/*
 * Profiles of large jobs. If this fails, the numbers of a job depend on the order in which the profiles of its ranks were merged, or samples are
 * missing in it.
 */
#include "profile/condense.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../tap.h"
#include "profile/file/mprof.h"
#include "profile/finding.h"
#include "profile/heatmap.h"
#include "profile/profile.h"
#include "read/thread.h"

#define RANKS    1300
#define THREADS  3
#define PARTNERS 40 /* of the MPI calls of a rank */
#define LATE     33 /* the one for which it waits */
#define UNEVEN   77 /* a rank with a thread whose accounting does not balance */

static void die(const char *reason)
{
	printf("Bail out! %s\n", reason);
	exit(1);
}

static void add_thread(struct memphis_profile *profile, struct memphis_process *process, unsigned int rank,
		       unsigned int number)
{
	const struct memphis_access access = {
		.node = 0, .home = 1, .source = MEMPHIS_SOURCE_DRAM, .flags = MEMPHIS_FLAG_LOAD};
	struct memphis_thread *thread =
		memphis_append(process->threads, process->thread_count, process->thread_room);
	struct memphis_total *total = memphis_totals_get(&profile->totals, 0, number, access);
	struct memphis_region_time *time;
	struct memphis_mpi_sum *sum;
	int partner;

	total->measure.count = 100 + rank * 37 % 1009 + number;
	total->measure.accesses = 1000 * total->measure.count;
	total->measure.latency_cycles = 300 * total->measure.count;
	thread->path = strdup("thread.memphis");
	thread->tid = 10 * rank + number;
	thread->closed = true;
	thread->samples = thread->read = thread->selected = total->measure.count;
	thread->accounting.interrupts = thread->accounting.kept = total->measure.count;
	thread->accounting.interrupts += rank == UNEVEN && number == 1;
	for (partner = 0; number == 0 && partner < PARTNERS; partner++) {
		sum = memphis_append(thread->mpi, thread->mpi_count, thread->mpi_room);
		*sum = (struct memphis_mpi_sum){.region = 2,
						.partner = partner,
						.received = 1,
						.waited_ns = partner == LATE ? 900 : 1};
	}
	/* Files: number 0 is the unknown one. */
	for (partner = 0; number == 0 && partner < PARTNERS; partner++) {
		sum = memphis_append(thread->mpi, thread->mpi_count, thread->mpi_room);
		*sum = (struct memphis_mpi_sum){.region = 2,
						.partner = MEMPHIS_MPI_FILE + partner,
						.calls = 1,
						.sent_bytes = partner == LATE ? 9000 : 10,
						.ns = 3};
	}
	/* Thread 1 did not open region 2. */
	time = memphis_append(thread->times, thread->time_count, thread->time_room);
	*time = (struct memphis_region_time){.region = 1, .calls = 2, .ns = 1000 + rank};
	if (number == 1)
		return;
	time = memphis_append(thread->times, thread->time_count, thread->time_room);
	*time = (struct memphis_region_time){.region = 2, .calls = 3, .ns = 10, .events = {5}};
}

static void add_process(struct memphis_profile *profile, unsigned int rank)
{
	struct memphis_process *process =
		memphis_append(profile->processes.list, profile->processes.count, profile->processes.room);
	struct memphis_region *region;
	char text[64];
	unsigned int i;

	process->run[0] = 0x9e3779b97f4a7c15ull * (rank + 1);
	process->run[1] = rank;
	process->pid = 1000 + rank;
	process->closed = true;
	if (asprintf(&process->path, "host%02u/%u.process.memphis", rank / 8, process->pid) < 0)
		abort();
	snprintf(text, sizeof(text), "rank %u\nranks %u\nhost host%02u\nperiod 1000\n", rank, RANKS,
		 rank / 8);
	memphis_settings_add(&process->settings, (struct memphis_span){text, strlen(text)});
	for (i = 1; i <= 2; i++) {
		region = memphis_append(process->regions, process->region_count, process->region_room);
		region->id = i;
		region->name = strdup(i == 1 ? "TimeLoop" : "Bound");
		region->parent = i - 1;
	}
	for (i = 0; i < THREADS; i++)
		add_thread(profile, process, rank, i);
	profile->timelines = calloc(1, sizeof(*profile->timelines));
	memphis_timeline_add(&profile->timelines[0], 5, 0, 1, 1);
}

static void add_finding(struct memphis_profile *profile, unsigned int rank, uint32_t variable)
{
	struct memphis_finding *finding =
		memphis_append(profile->evidence, profile->evidence_count, profile->evidence_room);
	struct memphis_heatmap *heatmap =
		memphis_append(profile->heatmaps, profile->heatmap_count, profile->heatmap_room);

	*finding = (struct memphis_finding){.pattern = MEMPHIS_PATTERN_FIRST_TOUCH,
					    .variable = variable,
					    .processes = 1,
					    .samples = 10 + rank * 31 % 1301,
					    .apart_odds = 100 - (int64_t)(rank % 7),
					    .one_in = 1 + rank % 2,
					    .thread = MEMPHIS_NONE,
					    .touched_by = THREADS - 1,
					    .instruction = MEMPHIS_NONE,
					    .initialised_at = MEMPHIS_NONE};
	heatmap->variable = variable;
	heatmap->samples = heatmap->one_in = 1;
	profile->processes.list[0].heatmaps = 1;
}

/* The profile of one rank, as memphis reduce makes it. */
static void make(struct memphis_profile *profile, unsigned int rank)
{
	struct memphis_object object = {.state = MEMPHIS_BINARY_MISSING};
	struct memphis_variable variable = {0};
	struct memphis_profile_frame frame = {.line = 7};
	struct memphis_cell cell = {.measure.count = rank + 1, .measure.low = 100, .measure.high = 200};
	uint32_t number;

	memset(profile, 0, sizeof(*profile));
	strcpy(profile->selection, "all");
	profile->by_region = true;
	memphis_profile_add_string(profile, rank % 2 ? "b" : "a");
	object.path = memphis_profile_add_string(profile, "/bin/model");
	variable.segment = memphis_profile_add_string(profile, "heap");
	variable.name = memphis_profile_add_string(profile, rank % 3 ? "tx" : "ty");
	number = memphis_profile_add_variable(profile, &variable);
	add_process(profile, rank);
	add_finding(profile, rank, number);
	cell.key.variable = number;
	cell.key.instruction = memphis_profile_add_instruction(
		profile, memphis_profile_add_object(profile, &object), 0x1000, &frame, 1);
	cell.key.region = memphis_profile_add_region(profile, memphis_profile_add_string(profile, "TimeLoop"),
						     MEMPHIS_REGION_OUTSIDE);
	memphis_profile_add_cell(profile, &cell);
}

/* Saves the profile and loads it again, as between two merges. */
static void pass_on(struct memphis_profile *profile, const char *path)
{
	struct memphis_error error;

	memphis_profile_order(profile);
	if (memphis_mprof_save(profile, path, &error))
		die(error.text);
	memphis_profile_close(profile);
	if (memphis_mprof_load(profile, path, &error))
		die(error.text);
}

/* Merges ranks in the order of `ranks`, in groups of `group`, each of which is condensed, saved and loaded before it is merged. */
static void merge(struct memphis_profile *job, const unsigned int *ranks, size_t group, const char *path)
{
	struct memphis_profile part, rank;
	struct memphis_error error;
	size_t i, j;

	memset(job, 0, sizeof(*job));
	for (i = 0; i < RANKS; i += group) {
		memset(&part, 0, sizeof(part));
		for (j = i; j < i + group && j < RANKS; j++) {
			make(&rank, ranks[j]);
			if (memphis_profile_merge(&part, &rank, &error))
				die(error.text);
		}
		memphis_profile_condense(&part);
		if (group > 1)
			pass_on(&part, path);
		if (memphis_profile_merge(job, &part, &error))
			die(error.text);
		/* Also in between, when it is not complete. */
		if (i % (5 * group) == 0)
			memphis_profile_condense(job);
	}
	memphis_profile_condense(job);
	memphis_profile_order(job);
}

static uint64_t file_hash(const struct memphis_profile *profile, const char *path)
{
	struct memphis_error error;
	FILE *file;
	char *bytes = malloc(1 << 24);
	uint64_t hash;

	if (memphis_mprof_save(profile, path, &error))
		die(error.text);
	file = fopen(path, "r");
	if (!file)
		die(path);
	hash = memphis_hash(bytes, fread(bytes, 1, 1 << 24, file));
	fclose(file);
	free(bytes);
	return hash;
}

static void check_sums(const struct memphis_profile *job)
{
	uint64_t kept = 0, interrupts = 0, totals = 0, calls = 0, ns = 0, events = 0, expected = 0,
		 samples = 0, found = 0;
	int64_t odds = 0, expected_odds = 0;
	size_t threads = 0, condensed = 0, unbalanced = 0, named = 0, processes = 0, i, j, k;
	const struct memphis_process *process;
	const struct memphis_finding *finding;
	const struct memphis_mpi_sum *sum;
	uint64_t received = 0, waited = 0, late = 0, partners = 0, written = 0, io_ns = 0, largest = 0;

	for (i = 0; i < RANKS; i++)
		for (j = 0; j < THREADS; j++)
			expected += 100 + i * 37 % 1009 + j;
	for (i = 0; i < job->processes.count; i++) {
		process = &job->processes.list[i];
		threads += memphis_process_threads(process);
		condensed += process->condensed;
		named += process->node_count == 0 && process->region_count == 2 &&
			 !strcmp(process->regions[1].name, "Bound");
		for (j = 0; j < process->thread_count; j++) {
			kept += process->threads[j].accounting.kept;
			interrupts += process->threads[j].accounting.interrupts;
			unbalanced += !memphis_thread_balances(&process->threads[j]);
			for (k = 0; k < process->threads[j].mpi_count; k++) {
				sum = &process->threads[j].mpi[k];
				received += sum->received;
				waited += sum->waited_ns;
				late += sum->partner == LATE && sum->waited_ns == 900;
				written += sum->sent_bytes;
				io_ns += sum->ns;
				largest += sum->partner == MEMPHIS_MPI_FILE + LATE && sum->sent_bytes == 9000;
				partners = process->condensed && process->threads[j].mpi_count > partners
						   ? process->threads[j].mpi_count
						   : partners;
			}
			for (k = 0; k < process->threads[j].time_count; k++) {
				calls += process->threads[j].times[k].calls;
				ns += process->threads[j].times[k].ns;
				events += process->threads[j].times[k].events[0];
			}
		}
	}
	for (i = 0; i < job->totals.count; i++)
		totals += job->totals.list[i].measure.count;
	ok(kept == expected && interrupts == expected + 1 && totals == expected,
	   "samples and accounting are the sums of all threads");
	ok(threads == RANKS * THREADS && named == RANKS,
	   "each thread is counted, and each process has its regions");
	ok(unbalanced == 1, "a thread whose accounting does not balance is not hidden in a sum");
	ok(calls == RANKS * (THREADS * 2 + 2 * 3) &&
		   ns == THREADS * (1000ull * RANKS + RANKS * (RANKS - 1) / 2) + 20ull * RANKS &&
		   events == 10ull * RANKS,
	   "calls, times and events of regions are sums");
	ok(received == RANKS * PARTNERS && waited == RANKS * (900 + PARTNERS - 1) && late == RANKS &&
		   partners == 2 * 17,
	   "sums of MPI calls are exact, and the late rank is one of the few partners that are told apart");
	ok(written == RANKS * (9000 + (PARTNERS - 1) * 10) && io_ns == 3ull * RANKS * PARTNERS &&
		   largest == RANKS,
	   "sums of I/O calls are exact, and the file with most bytes is told apart");
	ok(condensed >= RANKS - 100 && condensed < RANKS, "most processes are condensed (%zu of %d)",
	   condensed, RANKS);
	for (i = 0; i < RANKS; i++) {
		samples += (10 + i * 31 % 1301) * (1 + i % 2);
		expected_odds += 100 - (int64_t)(i % 7);
	}
	for (finding = job->evidence; finding < job->evidence + job->evidence_count; finding++) {
		found += finding->samples * finding->one_in + finding->others;
		odds += finding->apart_odds;
		processes += finding->processes;
	}
	ok(found == samples && processes == RANKS && odds == expected_odds,
	   "evidence has the samples and the odds of all processes, and their number");
	ok(job->heatmap_count == 2, "the worst process of each finding keeps its heatmap");
}

int main(void)
{
	static const size_t groups[] = {1, 64, 1100, RANKS};
	unsigned int ranks[RANKS], other, kept, seed = 1;
	struct memphis_profile job;
	uint64_t first = 0, hash;
	size_t i, j;
	char path[] = "/tmp/condense_test.XXXXXX";

	close(mkstemp(path));
	for (i = 0; i < RANKS; i++)
		ranks[i] = (unsigned int)i;
	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		merge(&job, ranks, groups[i], path);
		hash = file_hash(&job, path);
		if (!i) {
			first = hash;
			check_sums(&job);
		}
		ok(hash == first, "merged in groups of %zu: the same file", groups[i]);
		memphis_profile_close(&job);
		for (j = RANKS - 1; j > 0; j--) {
			seed = seed * 1103515245 + 12345;
			other = (seed >> 8) % (unsigned int)(j + 1);
			kept = ranks[j];
			ranks[j] = ranks[other];
			ranks[other] = kept;
		}
	}
	unlink(path);
	return finish();
}
