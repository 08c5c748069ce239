// SPDX-License-Identifier: BSD-3-Clause
/* Prints a proposal, and the settings of OpenMP and launchers that apply it. */
#include "place/proposal_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/order.h"
#include "read/process_name.h"
#include "view/counters_table.h"

#define NONE "-"

static const struct memphis_process *find_process(const struct memphis_profile *profile,
						  const struct memphis_placed_thread *thread)
{
	return &profile->processes.list[thread->process];
}

static const struct memphis_thread *find_thread(const struct memphis_profile *profile,
						const struct memphis_placed_thread *thread)
{
	return &find_process(profile, thread)->threads[thread->thread];
}

/* Appends "rank 3, OpenMP thread 2", or the process and thread ID "4711.4713" if the thread has neither number. */
static void put_name(struct memphis_text *text, const struct memphis_profile *profile,
		     const struct memphis_placed_thread *thread)
{
	const char *rank = memphis_setting(&find_process(profile, thread)->settings, "rank"),
		   *openmp = memphis_setting(&find_thread(profile, thread)->metadata, "openmp_thread");

	if (rank)
		memphis_text_print(text, "rank %s%s", rank, openmp ? ", " : "");
	if (openmp)
		memphis_text_print(text, "OpenMP thread %s", openmp);
	if (!openmp && (!rank || find_process(profile, thread)->thread_count > 1))
		memphis_text_print(text, "%s%" PRIu32 ".%" PRIu32, rank ? ", " : "",
				   find_process(profile, thread)->pid, find_thread(profile, thread)->tid);
}

static void put_share(struct memphis_text *text, const struct memphis_share *share)
{
	memphis_text_print(text, "%.1f %% (95 %% CI %.1f to %.1f)", 100 * share->share, 100 * share->low,
			   100 * share->high);
}

static void put_table(struct memphis_text *text, const struct memphis_proposal *proposal,
		      const struct memphis_profile *profile)
{
	const struct memphis_placed_thread *thread;
	struct memphis_text cell = {0};
	size_t i;

	memphis_text_put(
		text,
		"  node now  node  CPU  shares with its partner  thread                          partner\n");
	for (i = 0; i < proposal->thread_count; i++) {
		thread = &proposal->threads[i];
		if (thread->now == MEMPHIS_NODE_UNKNOWN)
			memphis_text_print(text, "  %8s", NONE);
		else
			memphis_text_print(text, "  %8u", thread->now);
		memphis_text_print(text, "  %4u  %3" PRIu32 "  %14" PRIu64 " %-7s  ", thread->node,
				   thread->cpu, thread->shared, proposal->loads ? "samples" : "lines");
		put_name(&cell, profile, thread);
		memphis_text_print(text, "%-30s  ", cell.text ? cell.text : "");
		memphis_text_close(&cell);
		if (thread->partner == MEMPHIS_NONE)
			memphis_text_put(text, NONE);
		else
			put_name(text, profile, &proposal->threads[thread->partner]);
		memphis_text_put(text, "\n");
	}
}

/* The threads [first, end) of the proposal, which belong to one process. */
struct group {
	size_t first, end;
	bool openmp; /* each thread has a different OpenMP number, from 0 to count - 1 */
};

static uint64_t openmp_number(const struct memphis_profile *profile,
			      const struct memphis_placed_thread *thread)
{
	return memphis_setting_number(&find_thread(profile, thread)->metadata, "openmp_thread", UINT64_MAX);
}

static bool next_group(const struct memphis_proposal *proposal, const struct memphis_profile *profile,
		       struct group *group)
{
	uint64_t number;
	size_t i, j;

	group->first = group->end;
	if (group->first == proposal->thread_count)
		return false;
	while (group->end < proposal->thread_count &&
	       proposal->threads[group->end].process == proposal->threads[group->first].process)
		group->end++;
	group->openmp = true;
	/* With nested teams, or if a team was created again, several threads may have the same number. */
	for (number = 0; group->openmp && number < group->end - group->first; number++) {
		for (i = group->first, j = 0; i < group->end; i++)
			j += openmp_number(profile, &proposal->threads[i]) == number;
		group->openmp = j == 1;
	}
	return true;
}

/* Returns the proposed CPU of the OpenMP thread with this number. */
static uint32_t find_cpu(const struct memphis_proposal *proposal, const struct memphis_profile *profile,
			 const struct group *group, size_t number)
{
	size_t i;

	for (i = group->first; i < group->end; i++)
		if (openmp_number(profile, &proposal->threads[i]) == number)
			return proposal->threads[i].cpu;
	return proposal->threads[group->first].cpu;
}

static void put_openmp(struct memphis_text *text, const struct memphis_proposal *proposal,
		       const struct memphis_profile *profile, const struct group *group)
{
	const size_t count = group->end - group->first;
	size_t i;

	memphis_text_put(text, "    OMP_PROC_BIND=true OMP_PLACES='");
	for (i = 0; i < count; i++)
		memphis_text_print(text, "%s{%" PRIu32 "}", i ? "," : "",
				   find_cpu(proposal, profile, group, i));
	memphis_text_put(text, "'\n    GOMP_CPU_AFFINITY='");
	for (i = 0; i < count; i++)
		memphis_text_print(text, "%s%" PRIu32, i ? " " : "", find_cpu(proposal, profile, group, i));
	memphis_text_put(text, "'        (GNU OpenMP only)\n");
}

/* A rank with its threads. */
struct rank {
	uint64_t number;
	struct group group;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return memphis_order(x->number, y->number);
}

/*
 * Returns a malloc'ed array of the ranks on the host, sorted by number. Returns NULL if some process is not a
 * rank, or if memory is exhausted. If settings for launchers are impossible, sets *missing to the reason.
 */
static struct rank *list_ranks(const struct memphis_proposal *proposal, const struct memphis_profile *profile,
			       size_t *count, const char **missing)
{
	struct rank *ranks = calloc(proposal->thread_count + 1, sizeof(*ranks));
	struct group group = {.end = 0};
	size_t i;

	*count = 0;
	*missing = proposal->idle_processes ? "ranks without samples have no CPU here" : NULL;
	while (ranks && next_group(proposal, profile, &group)) {
		ranks[*count].group = group;
		ranks[*count].number = memphis_setting_number(
			&find_process(profile, &proposal->threads[group.first])->settings, "rank",
			UINT64_MAX);
		if (ranks[(*count)++].number == UINT64_MAX) {
			free(ranks);
			return NULL;
		}
	}
	if (ranks)
		qsort(ranks, *count, sizeof(*ranks), compare_ranks);
	for (i = 1; ranks && i < *count; i++)
		if (ranks[i].number == ranks[i - 1].number)
			*missing = "several processes have the same rank";
	return ranks;
}

static void put_ranks(struct memphis_text *text, const struct memphis_proposal *proposal,
		      const struct memphis_profile *profile, const struct rank *ranks, size_t count)
{
	const char *host = memphis_setting(&find_process(profile, &proposal->threads[0])->settings, "host");
	size_t threads = 0, i, j;

	memphis_text_put(
		text,
		"  Open MPI 4, mpirun --mca rmaps_rank_file_physical 1 --rankfile FILE with these lines:\n");
	for (i = 0; i < count; i++) {
		memphis_text_print(text, "    rank %" PRIu64 "=%s slot=", ranks[i].number,
				   host ? host : "HOST");
		for (j = ranks[i].group.first; j < ranks[i].group.end; j++, threads++)
			memphis_text_print(text, "%s%" PRIu32, j == ranks[i].group.first ? "" : ",",
					   proposal->threads[j].cpu);
		memphis_text_put(text, "\n");
	}
	memphis_text_put(text, "  MPICH, the ranks of this host in their order:\n    mpiexec -bind-to user:");
	for (i = 0; i < count; i++)
		for (j = ranks[i].group.first; j < ranks[i].group.end; j++)
			memphis_text_print(text, "%s%" PRIu32,
					   j != ranks[i].group.first ? "+"
					   : i                       ? ","
								     : "",
					   proposal->threads[j].cpu);
	memphis_text_put(text, "\n");
	if (threads > count)
		return;
	memphis_text_put(
		text,
		"  Slurm, the tasks of this host in the order of their ranks:\n    srun --cpu-bind=map_cpu:");
	for (i = 0; i < count; i++)
		memphis_text_print(text, "%s%" PRIu32, i ? "," : "",
				   proposal->threads[ranks[i].group.first].cpu);
	memphis_text_put(text, "\n");
}

static void put_settings(struct memphis_text *text, const struct memphis_proposal *proposal,
			 const struct memphis_profile *profile)
{
	struct group group = {.end = 0};
	const char *missing;
	bool openmp = false;
	struct rank *ranks;
	size_t count;

	ranks = list_ranks(proposal, profile, &count, &missing);
	if (ranks && missing)
		memphis_text_print(text, "  no lines for launchers: %s\n", missing);
	else if (ranks)
		put_ranks(text, proposal, profile, ranks, count);
	while (next_group(proposal, profile, &group)) {
		if (!group.openmp)
			continue;
		memphis_text_put(text, "  OpenMP, ");
		memphis_process_name(text, find_process(profile, &proposal->threads[group.first]));
		memphis_text_put(text, ":\n");
		put_openmp(text, proposal, profile, &group);
		openmp = true;
	}
	if (!openmp && !ranks)
		memphis_text_put(
			text,
			"  Bind each thread to its CPU with pthread_setaffinity_np(3), or the process with taskset -c CPU if it has one thread.\n");
	free(ranks);
}

static void put_loads(struct memphis_text *text, const struct memphis_proposal *proposal)
{
	memphis_text_put(text, "loads from remote DRAM: ");
	put_share(text, &proposal->remote);
	memphis_text_print(text, " of %" PRIu64 " sampled loads now", proposal->loads);
	if (proposal->better) {
		memphis_text_put(text, ", ");
		put_share(text, &proposal->proposed);
		memphis_text_put(text, " as proposed");
	}
	memphis_text_put(text, "\n");
	if (proposal->message_loads)
		memphis_text_print(
			text,
			"%" PRIu64
			" of these loads are from memory that MPI shares between ranks: predicted from the messages\n",
			proposal->message_loads);
}

/* Appends "50.0 %", or "50.0 to 75.0 %" if the shares of the bytes and of the number of messages differ. */
static void put_range(struct memphis_text *text, const struct memphis_share *range)
{
	if (range->high - range->low < 0.0005)
		memphis_text_print(text, "%.1f %%", 100 * range->share);
	else
		memphis_text_print(text, "%.1f to %.1f %%", 100 * range->low, 100 * range->high);
}

static void put_messages(struct memphis_text *text, const struct memphis_proposal *proposal)
{
	char bytes[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_print(text, "messages between ranks of this host: ");
	put_range(text, &proposal->messages_away);
	memphis_text_print(text, " of %s in %" PRIu64 " messages between nodes now",
			   memphis_counters_print(bytes, (double)proposal->message_bytes, "bytes"),
			   proposal->message_count);
	if (proposal->better) {
		memphis_text_put(text, ", ");
		put_range(text, &proposal->messages_proposed);
		memphis_text_put(text, " as proposed");
	}
	memphis_text_put(text, "\n");
}

void memphis_proposal_text(struct memphis_text *text, const struct memphis_proposal *proposal,
			   const struct memphis_profile *profile)
{
	const struct memphis_process *process = &profile->processes.list[proposal->first];
	const char *host = memphis_setting(&process->settings, "host");

	memphis_text_print(text, "PLACEMENT ON HOST %s: %zu thread%s, %zu nodes\n", host ? host : "?",
			   proposal->thread_count, proposal->thread_count == 1 ? "" : "s",
			   process->node_count);
	if (!proposal->loads && !proposal->message_count) {
		memphis_text_put(
			text,
			"loads from remote DRAM: no sampled load from DRAM has a known home; nothing to propose\n");
		return;
	}
	if (proposal->loads)
		put_loads(text, proposal);
	if (proposal->message_count)
		put_messages(text, proposal);
	if (proposal->modified) {
		memphis_text_put(text, "lines modified by another thread, of another node: ");
		put_share(text, &proposal->modified_away);
		memphis_text_print(text, " of %" PRIu64 " now", proposal->modified);
		if (proposal->better) {
			memphis_text_put(text, ", ");
			put_share(text, &proposal->modified_proposed);
			memphis_text_put(text, " as proposed");
		}
		memphis_text_put(text, "\n");
	}
	if (proposal->unknown && proposal->unknown * 100 >= proposal->loads)
		memphis_text_print(
			text,
			"not known: which thread placed the pages of %.1f %% of these loads; calipers around the code that first writes them would show it\n",
			100.0 * (double)proposal->unknown / (double)proposal->loads);
	if (proposal->left_out)
		memphis_text_print(text, "not placed: %zu thread%s with hardly any samples\n",
				   proposal->left_out, proposal->left_out == 1 ? "" : "s");
	if (proposal->alone)
		memphis_text_put(
			text,
			"no two threads are joined: there is one thread for each node; --pack allows as many as a node has CPUs\n");
	if (!proposal->better) {
		memphis_text_put(
			text,
			"No other placement of the threads is clearly better: leave them where they are.");
		if (proposal->remote.low > 0.1)
			memphis_text_put(
				text,
				" What is remote is used by threads of several nodes, or was placed by none of its users: see the findings of memphis report.");
		memphis_text_put(text, "\n");
		return;
	}
	put_table(text, proposal, profile);
	put_settings(text, proposal, profile);
	memphis_text_print(
		text,
		"Assumed: pages follow the thread that uses them first or allocates them, as by first touch; the next run shares memory, and sends messages, in the same way; %s, which are free for this job.\n",
		proposal->pack ? "a node may get as many threads as it has CPUs"
			       : "each node gets threads in proportion to its CPUs");
}

static void put_share_json(struct memphis_json *json, const char *key, const struct memphis_share *share)
{
	memphis_json_open(json, key, '{');
	memphis_json_real(json, "share", share->share);
	memphis_json_real(json, "low", share->low);
	memphis_json_real(json, "high", share->high);
	memphis_json_close(json, '}');
}

/* Returns true if both rows have the same pair of threads and the same home node. The variables may differ. */
static bool is_same_pair(const struct memphis_sharing *a, const struct memphis_sharing *b)
{
	return a->process == b->process && a->thread == b->thread && a->with == b->with && a->home == b->home;
}

static void put_pair_json(struct memphis_json *json, const struct memphis_process *process,
			  const struct memphis_sharing *pair)
{
	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "pid", process->pid);
	memphis_json_number(json, "tid", process->threads[pair->thread].tid);
	if (pair->with == MEMPHIS_NONE)
		memphis_json_null(json, "with");
	else
		memphis_json_number(json, "with", process->threads[pair->with].tid);
	if (pair->home == MEMPHIS_NODE_UNKNOWN)
		memphis_json_null(json, "home");
	else
		memphis_json_number(json, "home", pair->home);
	memphis_json_number(json, "loads", pair->loads);
	memphis_json_number(json, "remote", pair->remote);
	memphis_json_number(json, "modified", pair->modified);
	memphis_json_close(json, '}');
}

void memphis_proposal_json(struct memphis_json *json, const struct memphis_proposal *proposal,
			   const struct memphis_profile *profile)
{
	const struct memphis_sharing *pair, *next, *const end = profile->sharing + profile->sharing_count;
	const struct memphis_placed_thread *thread;
	struct memphis_sharing sum;
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "host",
			    memphis_setting(&profile->processes.list[proposal->first].settings, "host"));
	memphis_json_number(json, "loads", proposal->loads);
	put_share_json(json, "remote", &proposal->remote);
	put_share_json(json, "proposed", &proposal->proposed);
	memphis_json_number(json, "unknown", proposal->unknown);
	memphis_json_number(json, "modified", proposal->modified);
	put_share_json(json, "modified_away", &proposal->modified_away);
	put_share_json(json, "modified_proposed", &proposal->modified_proposed);
	memphis_json_open(json, "messages", '{');
	memphis_json_number(json, "bytes", proposal->message_bytes);
	memphis_json_number(json, "count", proposal->message_count);
	put_share_json(json, "between_nodes", &proposal->messages_away);
	put_share_json(json, "between_nodes_proposed", &proposal->messages_proposed);
	memphis_json_number(json, "loads", proposal->message_loads);
	memphis_json_close(json, '}');
	memphis_json_bool(json, "better", proposal->better);
	memphis_json_open(json, "threads", '[');
	for (i = 0; i < proposal->thread_count; i++) {
		thread = &proposal->threads[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "pid", find_process(profile, thread)->pid);
		memphis_json_number(json, "tid", find_thread(profile, thread)->tid);
		memphis_json_string(json, "rank",
				    memphis_setting(&find_process(profile, thread)->settings, "rank"));
		memphis_json_string(
			json, "openmp_thread",
			memphis_setting(&find_thread(profile, thread)->metadata, "openmp_thread"));
		if (thread->now == MEMPHIS_NODE_UNKNOWN)
			memphis_json_null(json, "node_now");
		else
			memphis_json_number(json, "node_now", thread->now);
		memphis_json_number(json, "node", thread->node);
		memphis_json_number(json, "cpu", thread->cpu);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_open(json, "sharing", '[');
	for (pair = profile->sharing; pair < end; pair = next) {
		sum = *pair;
		for (next = pair + 1; next < end && is_same_pair(next, pair); next++) {
			sum.loads += next->loads;
			sum.remote += next->remote;
			sum.modified += next->modified;
		}
		if (memphis_process_same_host(&profile->processes.list[sum.process],
					      &profile->processes.list[proposal->first]))
			put_pair_json(json, &profile->processes.list[sum.process], &sum);
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}
