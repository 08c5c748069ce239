// SPDX-License-Identifier: BSD-3-Clause
/* Condenses the profile of a large job (condense.h). */
#include "profile/condense.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/finding.h"
#include "profile/heatmap.h"
#include "read/thread.h"

/* A process, with the numbers that decide in choose_full_processes() whether it is kept in full. */
struct candidate {
	const uint64_t *run;
	uint32_t process;
	/* value of the current criterion; the processes with the largest values are kept in full */
	uint64_t key;
	uint64_t samples, remote, rank;
};

struct condensing {
	struct memphis_profile *profile;
	struct candidate *candidates;
	bool *full;           /* by process: it is kept in full */
	uint32_t *new_thread; /* by old number of a thread of the current process: its new number */
	size_t room;
};

static uint64_t invert_number(uint64_t number)
{
	return UINT64_MAX - number;
}

static uint64_t remote_key(const struct candidate *candidate)
{
	return candidate->remote;
}

static uint64_t samples_key(const struct candidate *candidate)
{
	return candidate->samples;
}

static uint64_t few_samples_key(const struct candidate *candidate)
{
	return invert_number(candidate->samples);
}

static uint64_t rank_key(const struct candidate *candidate)
{
	return invert_number(candidate->rank);
}

static uint64_t random_key(const struct candidate *candidate)
{
	return memphis_hash(candidate->run, 2 * sizeof(*candidate->run));
}

static const struct criterion {
	uint64_t (*key)(const struct candidate *candidate);
	size_t count;
} criteria[] = {
	{remote_key, MEMPHIS_FULL_REMOTE},      {samples_key, MEMPHIS_FULL_MOST},
	{few_samples_key, MEMPHIS_FULL_FEWEST}, {rank_key, MEMPHIS_FULL_RANKS},
	{random_key, MEMPHIS_FULL_RANDOM},
};

static int compare_runs(const uint64_t *a, const uint64_t *b)
{
	return memphis_order(a[0], b[0]) ?: memphis_order(a[1], b[1]);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return compare_runs(x->run, y->run);
}

static void count_samples(const struct condensing *condensing)
{
	const struct memphis_profile *profile = condensing->profile;
	const struct memphis_total *total = profile->totals.list, *end = total + profile->totals.count;
	const struct memphis_process *process;
	size_t i;

	for (i = 0; i < profile->processes.count; i++) {
		process = &profile->processes.list[i];
		condensing->candidates[i] = (struct candidate){
			.run = process->run,
			.process = (uint32_t)i,
			.rank = memphis_setting_number(&process->settings, "rank", UINT64_MAX)};
	}
	for (; total < end; total++) {
		condensing->candidates[total->process].samples += total->measure.count;
		if (memphis_goes_away(&total->access))
			condensing->candidates[total->process].remote += total->measure.latency_cycles;
	}
}

/*
 * Marks the processes that are kept in full. For each criterion, these are the first ones in its order. A process that
 * is already condensed can never be among them.
 */
static void choose_full_processes(const struct condensing *condensing)
{
	const size_t count = condensing->profile->processes.count;
	struct candidate *candidates = condensing->candidates;
	size_t i, j;

	count_samples(condensing);
	for (i = 0; i < sizeof(criteria) / sizeof(*criteria); i++) {
		for (j = 0; j < count; j++)
			candidates[j].key = criteria[i].key(&candidates[j]);
		qsort(candidates, count, sizeof(*candidates), compare_candidates);
		for (j = 0; j < criteria[i].count; j++)
			condensing->full[candidates[j].process] = true;
	}
}

/*
 * Compares evidence by variable and pattern (and source line, if the pattern has one). A report groups evidence in the
 * same way (diagnose/diagnosis.c).
 */
static int compare_patterns(const struct memphis_profile *profile, const struct memphis_finding *x,
			    const struct memphis_finding *y)
{
	const struct memphis_profile_frame *one, *other;

	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	if (x->pattern != y->pattern)
		return x->pattern < y->pattern ? -1 : 1;
	if (!memphis_patterns[x->pattern].of_line)
		return 0;
	one = memphis_program_frame(profile, x->instruction);
	other = memphis_program_frame(profile, y->instruction);
	return memphis_order(one->path, other->path) ?: memphis_order(one->line, other->line);
}

static uint64_t extrapolated_count(const struct memphis_finding *finding)
{
	return finding->samples * finding->one_in;
}

static int compare_evidence(const void *a, const void *b, void *context)
{
	const struct memphis_profile *profile = context;
	const struct memphis_finding *x = a, *y = b;
	int rc = compare_patterns(profile, x, y);

	if (rc)
		return rc;
	if (extrapolated_count(x) != extrapolated_count(y))
		return extrapolated_count(x) > extrapolated_count(y) ? -1 : 1;
	return compare_runs(profile->processes.list[x->process].run, profile->processes.list[y->process].run);
}

/*
 * Moves to `to` the samples that `from` represents for condensed processes. If `all` is true, the process of `from` is
 * now condensed itself, and its own samples are moved, too.
 */
static void transfer_samples(struct memphis_finding *to, struct memphis_finding *from, bool all)
{
	to->processes += from->processes - 1 + all;
	to->apart_odds += all ? from->apart_odds : 0;
	to->read_odds += all ? from->read_odds : 0;
	to->others += from->others + (all ? extrapolated_count(from) : 0);
	to->others_doubt_ppm += from->others_doubt_ppm + (all ? from->doubt_ppm * from->one_in : 0);
	if (from->others_one_in > to->others_one_in)
		to->others_one_in = from->others_one_in;
	if (all && from->one_in > to->others_one_in)
		to->others_one_in = from->one_in;
	from->processes = 1;
	from->others = from->others_one_in = from->others_doubt_ppm = 0;
}

/*
 * Sorts the evidence by pattern and, within a pattern, by number of samples. The first element of each pattern then
 * represents all elements of the pattern whose processes are condensed. Processes with a first element are kept in
 * full.
 */
static void condense_evidence(const struct condensing *condensing)
{
	struct memphis_profile *profile = condensing->profile;
	struct memphis_finding *list = profile->evidence, *first = list, *finding;
	size_t kept = 0;

	if (!profile->evidence_count)
		return;
	qsort_r(list, profile->evidence_count, sizeof(*list), compare_evidence, profile);
	for (finding = list; finding < list + profile->evidence_count; finding++) {
		if (finding == list || compare_patterns(profile, first, finding))
			first = finding;
		if (finding == first)
			condensing->full[finding->process] = true;
	}
	for (finding = first = list; finding < list + profile->evidence_count; finding++) {
		const bool full = condensing->full[finding->process];

		if (finding > list && !compare_patterns(profile, first, finding)) {
			transfer_samples(first, finding, !full);
			if (!full)
				continue;
		}
		list[kept] = *finding;
		if (first == finding || compare_patterns(profile, first, finding))
			first = &list[kept];
		kept++;
	}
	profile->evidence_count = kept;
}

/*
 * Returns whether the heatmap shows evidence that is the first of its pattern. The evidence must be sorted by
 * compare_evidence().
 */
static bool is_first_of_pattern(const struct memphis_profile *profile, const struct memphis_heatmap *heatmap)
{
	const struct memphis_finding *list = profile->evidence, *finding;

	for (finding = list; finding < list + profile->evidence_count; finding++)
		if (finding->process == heatmap->process && finding->variable == heatmap->variable &&
		    (finding == list || compare_patterns(profile, finding - 1, finding)))
			return true;
	return false;
}

void memphis_profile_drop_heatmaps(struct memphis_profile *profile)
{
	size_t kept = 0, i;

	if (profile->processes.count <= MEMPHIS_HEATMAP_PROCESSES)
		return;
	if (profile->evidence_count)
		qsort_r(profile->evidence, profile->evidence_count, sizeof(*profile->evidence),
			compare_evidence, profile);
	for (i = 0; i < profile->heatmap_count; i++)
		if (is_first_of_pattern(profile, &profile->heatmaps[i]))
			profile->heatmaps[kept++] = profile->heatmaps[i];
		else
			memphis_heatmap_close(&profile->heatmaps[i]);
	profile->heatmap_count = kept;
}

/*
 * Returns whether the thread may be added to others. A thread that lost an unknown number of samples, or whose file is
 * incomplete, is kept separate.
 */
static bool can_be_condensed(const struct memphis_thread *thread)
{
	return thread->closed && !thread->unfinished && memphis_thread_balances(thread);
}

static void add_region_time(struct memphis_region_time *to, const struct memphis_region_time *from)
{
	size_t i;

	to->calls += from->calls;
	to->ns += from->ns;
	to->cpu_ns += from->cpu_ns;
	to->cycles += from->cycles;
	to->instructions += from->instructions;
	for (i = 0; i < MEMPHIS_REGION_EVENTS; i++)
		to->events[i] += from->events[i];
}

/* Merges two lists that are sorted by region. */
static int merge_region_times(struct memphis_thread *to, const struct memphis_thread *from)
{
	struct memphis_region_time *merged = calloc(to->time_count + from->time_count + 1, sizeof(*merged));
	size_t i = 0, j = 0, count = 0;

	if (!merged)
		return -ENOMEM;
	while (i < to->time_count || j < from->time_count) {
		if (j == from->time_count ||
		    (i < to->time_count && to->times[i].region <= from->times[j].region)) {
			if (j < from->time_count && to->times[i].region == from->times[j].region)
				add_region_time(&to->times[i], &from->times[j++]);
			merged[count++] = to->times[i++];
		} else {
			merged[count++] = from->times[j++];
		}
	}
	free(to->times);
	to->times = merged;
	to->time_count = to->time_room = count;
	return 0;
}

/* Returns whether `sum` comes before `other` in the order of region and partner. */
static bool is_before(const struct memphis_mpi_sum *sum, const struct memphis_mpi_sum *other)
{
	return sum->region < other->region || (sum->region == other->region && sum->partner < other->partner);
}

/* Merges two lists that are sorted by region and partner. */
static int merge_mpi_sums(struct memphis_thread *to, const struct memphis_thread *from)
{
	struct memphis_mpi_sum *merged = calloc(to->mpi_count + from->mpi_count + 1, sizeof(*merged));
	size_t i = 0, j = 0, count = 0;

	if (!merged)
		return -ENOMEM;
	while (i < to->mpi_count || j < from->mpi_count) {
		if (j == from->mpi_count || (i < to->mpi_count && !is_before(&from->mpi[j], &to->mpi[i]))) {
			if (j < from->mpi_count && !is_before(&to->mpi[i], &from->mpi[j]))
				memphis_mpi_sum_add(&to->mpi[i], &from->mpi[j++]);
			merged[count++] = to->mpi[i++];
		} else {
			merged[count++] = from->mpi[j++];
		}
	}
	free(to->mpi);
	to->mpi = merged;
	to->mpi_count = to->mpi_room = count;
	return 0;
}

static int compare_waiting_times(const void *a, const void *b)
{
	const struct memphis_mpi_sum *x = a, *y = b;

	return memphis_order(y->waited_ns, x->waited_ns) ?: memphis_order(x->partner, y->partner);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct memphis_mpi_sum *x = a, *y = b;
	const uint64_t p = x->sent_bytes + x->received_bytes, q = y->sent_bytes + y->received_bytes;

	return memphis_order(q, p) ?: memphis_order(x->partner, y->partner);
}

static int compare_partners(const void *a, const void *b)
{
	const struct memphis_mpi_sum *x = a, *y = b;

	return memphis_order(x->partner, y->partner);
}

/*
 * Keeps only the most important partners of one region, and adds all others to one sum. The sums must all have ranks
 * as partners, or all have files, and there must be at least one. Returns the number of remaining sums, which are
 * sorted by partner.
 */
static size_t reduce_partners(struct memphis_mpi_sum *sums, size_t count)
{
	const bool io = memphis_mpi_sum_is_io(sums);
	struct memphis_mpi_sum others = {.region = sums->region,
					 .partner = io ? MEMPHIS_MPI_FILE : MEMPHIS_MPI_OTHERS};
	size_t i, kept = 0;

	if (count > MEMPHIS_CONDENSED_PARTNERS + 1) {
		qsort(sums, count, sizeof(*sums), io ? compare_bytes : compare_waiting_times);
		for (i = 0; i < count; i++)
			if (sums[i].partner == MEMPHIS_MPI_NONE ||
			    (sums[i].partner >= 0 && sums[i].partner != others.partner &&
			     kept < MEMPHIS_CONDENSED_PARTNERS))
				sums[kept++] = sums[i];
			else
				memphis_mpi_sum_add(&others, &sums[i]);
		sums[kept++] = others;
		count = kept;
		qsort(sums, count, sizeof(*sums), compare_partners);
	}
	return count;
}

static void reduce_mpi_sums(struct memphis_thread *thread)
{
	struct memphis_mpi_sum *sums = thread->mpi;
	size_t first, end, kept = 0, left;

	for (first = 0; first < thread->mpi_count; first = end) {
		for (end = first; end < thread->mpi_count && sums[end].region == sums[first].region &&
				  memphis_mpi_sum_is_io(&sums[end]) == memphis_mpi_sum_is_io(&sums[first]);
		     end++)
			;
		left = reduce_partners(sums + first, end - first);
		memmove(sums + kept, sums + first, left * sizeof(*sums));
		kept += left;
	}
	thread->mpi_count = kept;
	sums = kept ? reallocarray(thread->mpi, kept, sizeof(*sums)) : NULL;
	if (sums) {
		thread->mpi = sums;
		thread->mpi_room = kept;
	}
}

static int add_thread(struct memphis_thread *to, struct memphis_thread *from)
{
	int rc = from->time_count ? merge_region_times(to, from) : 0;

	if (!to->others)
		to->mpi_threads = to->mpi_count > 0;
	to->mpi_threads += from->others ? from->mpi_threads : from->mpi_count > 0;
	if (!rc && from->mpi_count)
		rc = merge_mpi_sums(to, from);
	to->others += from->others + 1;
	to->samples += from->samples;
	to->read += from->read;
	to->selected += from->selected;
	to->own += from->own;
	if (from->start_time_ns < to->start_time_ns)
		to->start_time_ns = from->start_time_ns;
	memphis_homes_add(&to->homes, &from->homes);
	memphis_accounting_add(&to->accounting, &from->accounting);
	memphis_thread_close(from);
	return rc;
}

/*
 * Adds up all threads that can be condensed. The first of them holds the sum, and loses data that is about a single
 * thread (its tid, metadata and path). Sets condensing->new_thread.
 */
static int condense_threads(struct condensing *condensing, struct memphis_process *process)
{
	struct memphis_thread *threads = process->threads, *shrunk;
	size_t sum = SIZE_MAX, kept = 0, i;
	int rc = 0;

	if (memphis_grow(&condensing->new_thread, &condensing->room, process->thread_count,
			 sizeof(*condensing->new_thread)))
		return -ENOMEM;
	for (i = 0; !rc && i < process->thread_count; i++) {
		if (can_be_condensed(&threads[i]) && sum != SIZE_MAX) {
			rc = add_thread(&threads[sum], &threads[i]);
			condensing->new_thread[i] = (uint32_t)sum;
			continue;
		}
		if (can_be_condensed(&threads[i])) {
			sum = kept;
			threads[i].tid = 0;
			memphis_settings_close(&threads[i].metadata);
			free(threads[i].path);
			threads[i].path = NULL;
		}
		condensing->new_thread[i] = (uint32_t)kept;
		if (kept < i) {
			threads[kept] = threads[i];
			memset(&threads[i], 0, sizeof(threads[i]));
		}
		kept++;
	}
	/* After a failure, the list can still be closed, because threads that were added or moved are all zeros. */
	if (rc)
		return rc;
	if (sum != SIZE_MAX)
		reduce_mpi_sums(&threads[sum]);
	process->thread_count = kept;
	shrunk = kept ? reallocarray(threads, kept, sizeof(*threads)) : NULL;
	if (shrunk) {
		process->threads = shrunk;
		process->thread_room = kept;
	}
	return 0;
}

static int condense_process(struct condensing *condensing, size_t number, struct memphis_total *totals,
			    size_t count)
{
	struct memphis_profile *profile = condensing->profile;
	struct memphis_process *process = &profile->processes.list[number];
	int rc = condense_threads(condensing, process);
	size_t i;

	if (rc)
		return rc;
	process->condensed = true;
	for (i = 0; i < count; i++)
		totals[i].thread = condensing->new_thread[totals[i].thread];
	memphis_timeline_close(&profile->timelines[number]);
	memphis_counters_drop_ticks(process->counters);
	return 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct memphis_total *x = a, *y = b;

	return memphis_order(x->process, y->process);
}

static int condense_processes(struct condensing *condensing)
{
	struct memphis_profile *profile = condensing->profile;
	struct memphis_totals *totals = &profile->totals;
	size_t first = 0, end = 0, i;
	int rc = 0;

	memphis_strings_close(&totals->keys);
	memphis_sort(totals->list, totals->count, compare_processes);
	for (i = 0; !rc && i < profile->processes.count; i++, first = end) {
		while (end < totals->count && totals->list[end].process == i)
			end++;
		if (!condensing->full[i] && !profile->processes.list[i].condensed)
			rc = condense_process(condensing, i, totals->list + first, end - first);
	}
	memphis_totals_sort(totals);
	return rc;
}

int memphis_profile_condense(struct memphis_profile *profile)
{
	const size_t count = profile->processes.count;
	struct condensing condensing = {.profile = profile};
	int rc = -ENOMEM;

	memphis_profile_drop_heatmaps(profile);
	if (count <= MEMPHIS_CONDENSED_ABOVE || profile->by_thread)
		return 0;
	condensing.candidates = calloc(count, sizeof(*condensing.candidates));
	condensing.full = calloc(count, sizeof(*condensing.full));
	if (condensing.candidates && condensing.full) {
		choose_full_processes(&condensing);
		condense_evidence(&condensing);
		rc = condense_processes(&condensing);
	}
	free(condensing.candidates);
	free(condensing.full);
	free(condensing.new_thread);
	return rc;
}
