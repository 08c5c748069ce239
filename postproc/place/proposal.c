// SPDX-License-Identifier: BSD-3-Clause
/* Proposes a node and a CPU for each thread of a host. */
#include "place/proposal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "place/partition.h"
#include "profile/profile.h"
#include "read/access.h"
#include "read/process_name.h"

/*
 * ---- messages between ranks of a host ----
 *
 * The MPI layer of the library counts messages. They become edges between threads. MPI transfers messages
 * within a host through shared memory. The sampled loads from this memory are attributed to the messages.
 */

struct messages_between {
	uint32_t from, to;     /* indices in proposal->threads */
	uint64_t bytes, count; /* sent bytes and number of sent messages */
};

/* Number of samples of a rank that are loads from MPI's shared memory in DRAM, during MPI calls. */
struct memphis_message_loads {
	uint64_t loads, remote;
};

struct memphis_messages {
	struct messages_between *list;
	size_t count, room;
	/* For each placed thread. The samples of all threads of a rank are stored at the thread that receives its messages. */
	struct memphis_message_loads *loads;
};

static const struct memphis_thread *find_thread(const struct memphis_profile *profile,
						const struct memphis_placed_thread *placed)
{
	return &profile->processes.list[placed->process].threads[placed->thread];
}

static uint64_t mpi_rank(const struct memphis_profile *profile, const struct memphis_placed_thread *placed)
{
	return memphis_setting_number(&profile->processes.list[placed->process].settings, "mpi_rank",
				      UINT64_MAX);
}

static uint64_t received_bytes(const struct memphis_thread *thread)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < thread->mpi_count; i++)
		bytes += thread->mpi[i].received ? thread->mpi[i].received_bytes : 0;
	return bytes;
}

/* Returns true if the thread has sent or received messages. */
static bool has_messages(const struct memphis_thread *thread)
{
	size_t i;

	for (i = 0; i < thread->mpi_count; i++)
		if (thread->mpi[i].sent || thread->mpi[i].received)
			return true;
	return false;
}

/* A rank on the host, and the thread that receives the rank's messages. */
struct receiver {
	uint64_t rank;
	uint32_t thread;
};

static int compare_receivers(const void *a, const void *b)
{
	const struct receiver *x = a, *y = b;

	return memphis_order(x->rank, y->rank);
}

/*
 * Returns a malloc'ed array of the receivers, sorted by rank, or NULL. The threads of each process must be
 * consecutive in the proposal.
 */
static struct receiver *find_receivers(const struct memphis_proposal *proposal,
				       const struct memphis_profile *profile, size_t *count)
{
	struct receiver *receivers = calloc(proposal->thread_count + 1, sizeof(*receivers)), *last;
	const struct memphis_placed_thread *placed = proposal->threads;
	uint32_t i;

	*count = 0;
	if (!receivers)
		return NULL;
	for (i = 0; i < proposal->thread_count; i++) {
		last = *count ? &receivers[*count - 1] : NULL;
		if (!last || placed[last->thread].process != placed[i].process)
			receivers[(*count)++] = (struct receiver){mpi_rank(profile, &placed[i]), i};
		else if (received_bytes(find_thread(profile, &placed[i])) >
			 received_bytes(find_thread(profile, &placed[last->thread])))
			last->thread = i;
	}
	qsort(receivers, *count, sizeof(*receivers), compare_receivers);
	return receivers;
}

/* Adds the messages that the thread has sent to each rank on the host. */
static int add_sent_messages(struct memphis_messages *messages, const struct memphis_thread *thread,
			     uint32_t from, const struct receiver *receivers, size_t count)
{
	struct messages_between *between;
	const struct receiver *to;
	struct receiver key;
	size_t i;

	for (i = 0; i < thread->mpi_count; i++) {
		if (!thread->mpi[i].sent || thread->mpi[i].partner < 0 ||
		    thread->mpi[i].partner >= MEMPHIS_MPI_FILE)
			continue;
		key.rank = (uint64_t)thread->mpi[i].partner;
		to = bsearch(&key, receivers, count, sizeof(*receivers), compare_receivers);
		if (!to || to->thread == from)
			continue;
		between = memphis_append(messages->list, messages->count, messages->room);
		if (!between)
			return -ENOMEM;
		*between = (struct messages_between){from, to->thread, thread->mpi[i].sent_bytes,
						     thread->mpi[i].sent};
	}
	return 0;
}

/*
 * Returns true if the samples of the cell are loads from DRAM in memory that MPI shares between ranks. The
 * nodes of the CPU and of the memory must be known.
 */
static bool is_mpi_load(const struct memphis_profile *profile, const struct memphis_cell *cell)
{
	const struct memphis_access *access = &cell->key.access;

	return access->flags & MEMPHIS_FLAG_LOAD && access->source == MEMPHIS_SOURCE_DRAM &&
	       access->node != MEMPHIS_NODE_UNKNOWN && access->home != MEMPHIS_NODE_UNKNOWN &&
	       memphis_region_is_mpi(profile, cell->key.region) &&
	       memphis_profile_is_shared(profile, cell->key.variable);
}

/* Adds the loads of all threads of a rank to the rank's receiver. */
static void add_message_loads(struct memphis_messages *messages, const struct memphis_proposal *proposal,
			      const struct memphis_profile *profile, const struct receiver *receivers,
			      size_t count)
{
	const struct memphis_process *process;
	const struct memphis_cell *cell;
	struct memphis_message_loads *loads;
	size_t i;

	for (cell = profile->cells; cell < profile->cells + profile->cell_count; cell++) {
		if (!is_mpi_load(profile, cell))
			continue;
		memphis_profile_thread_of(profile, cell->key.thread, &process);
		for (i = 0; i < count; i++) {
			if (&profile->processes.list[proposal->threads[receivers[i].thread].process] !=
			    process)
				continue;
			loads = &messages->loads[receivers[i].thread];
			loads->loads += cell->measure.count;
			loads->remote +=
				cell->key.access.node == cell->key.access.home ? 0 : cell->measure.count;
		}
	}
}

/*
 * Collects the messages between the threads of the proposal, and the loads that transfer them. Ignores
 * messages to other hosts. The receiver of a rank is the thread of the rank that received most bytes. The
 * cells of the profile must be counted by region and thread. Returns 0 or -ENOMEM. The caller must close the
 * messages in both cases.
 */
static int collect_messages(struct memphis_messages *messages, const struct memphis_proposal *proposal,
			    const struct memphis_profile *profile)
{
	struct receiver *receivers;
	size_t count;
	uint32_t i;
	int rc = 0;

	memset(messages, 0, sizeof(*messages));
	messages->loads = calloc(proposal->thread_count + 1, sizeof(*messages->loads));
	receivers = find_receivers(proposal, profile, &count);
	if (!receivers || !messages->loads) {
		free(receivers);
		return -ENOMEM;
	}
	for (i = 0; !rc && i < proposal->thread_count; i++)
		rc = add_sent_messages(messages, find_thread(profile, &proposal->threads[i]), i, receivers,
				       count);
	if (!rc && messages->count)
		add_message_loads(messages, proposal, profile, receivers, count);
	free(receivers);
	return rc;
}

static void close_messages(struct memphis_messages *messages)
{
	free(messages->list);
	free(messages->loads);
	memset(messages, 0, sizeof(*messages));
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/*
 * Returns the share of messages that thread `to` gets from other parts. If `to` is MEMPHIS_NONE, returns this
 * share for all threads. `share` is the share of the bytes. MPI makes some accesses once for each message,
 * and others once for each cache line. The share of remote accesses is therefore between the share of bytes
 * and the share of messages, and `low` and `high` are set to these two.
 */
static struct memphis_share share_of_messages_away(const struct memphis_messages *messages,
						   const uint32_t *part, uint32_t to)
{
	const struct messages_between *between;
	uint64_t bytes = 0, count = 0, bytes_away = 0, count_away = 0;
	double by_bytes, by_count;

	for (between = messages->list; between < messages->list + messages->count; between++) {
		if (to != MEMPHIS_NONE && between->to != to)
			continue;
		bytes += between->bytes;
		count += between->count;
		if (part[between->from] == part[between->to])
			continue;
		bytes_away += between->bytes;
		count_away += between->count;
	}
	by_count = share_of(count_away, count);
	by_bytes = bytes ? share_of(bytes_away, bytes) : by_count;
	return (struct memphis_share){by_bytes, by_bytes < by_count ? by_bytes : by_count,
				      by_bytes < by_count ? by_count : by_bytes};
}

/*
 * Predicts how many of the sampled loads from MPI's shared memory will be remote with the new partition. If
 * the receiver loads messages from the sender's memory, the number of remote loads is proportional to the
 * messages from other parts. If the sender stores into the receiver's memory, there are no remote loads. In
 * the result, `share`, `low` and `high` are numbers of samples.
 */
static struct memphis_share predict_message_loads(const struct memphis_messages *messages, size_t threads,
						  const uint32_t *before, const uint32_t *part)
{
	const struct memphis_message_loads *at;
	struct memphis_share sum = {0}, was, then;
	uint32_t i;

	for (i = 0; i < threads; i++) {
		at = &messages->loads[i];
		if (!at->loads)
			continue;
		was = share_of_messages_away(messages, before, i);
		then = share_of_messages_away(messages, part, i);
		if (was.low > 0) {
			sum.share += fmin((double)at->remote / was.share * then.share, (double)at->loads);
			sum.low += fmin((double)at->remote / was.high * then.low, (double)at->loads);
			sum.high += fmin((double)at->remote / was.low * then.high, (double)at->loads);
		} else {
			/*
			 * All messages came from the receiver's own node, and so did all loads. The samples
			 * do not tell which rank owns the memory.
			 */
			sum.share += (double)at->loads * then.share;
			sum.high += (double)at->loads * then.high;
		}
	}
	return sum;
}

/* A thread with less than 1 / WORKS_FROM of the busiest thread's samples is a helper, and is not placed. */
#define WORKS_FROM 20

struct node_cpus {
	uint32_t *list;
	size_t count, room, used;
};

/* The state of a proposal while it is being made. */
struct draft {
	struct memphis_proposal *proposal;
	const struct memphis_profile *profile;
	const struct memphis_process *machine; /* a process on the host; its topology is used */
	struct node_cpus *cpus;                /* for each node, in the order of machine->nodes */
	struct memphis_graph graph;
	struct memphis_messages messages;
	uint32_t *part; /* for each thread: index of its proposed node in machine->nodes */
	/* For each thread: index of the node on which it ran when most of its samples were taken. */
	uint32_t *before;
};

/* Parses a list of CPUs such as "0-3,8". "-" is the empty list. Returns 0, -ENOMEM, or -EINVAL. */
static int parse_cpus(struct node_cpus *cpus, const char *text)
{
	unsigned long low, high;
	uint32_t *cpu;
	char *end;

	while (*text >= '0' && *text <= '9') {
		low = high = strtoul(text, &end, 10);
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (high < low || high >= 65536)
			return -EINVAL;
		for (; low <= high; low++) {
			cpu = memphis_append(cpus->list, cpus->count, cpus->room);
			if (!cpu)
				return -ENOMEM;
			*cpu = (uint32_t)low;
		}
		if (*end && (*end != ',' || !end[1]))
			return -EINVAL;
		text = end + (*end == ',');
	}
	return *text && strcmp(text, "-") != 0 ? -EINVAL : 0;
}

static uint32_t node_index(const struct draft *draft, uint16_t node)
{
	size_t i;

	for (i = 0; i < draft->machine->node_count; i++)
		if (draft->machine->nodes[i].node == node)
			return (uint32_t)i;
	return MEMPHIS_NONE;
}

static size_t thread_index(const struct draft *draft, uint32_t process, uint32_t thread)
{
	const struct memphis_proposal *proposal = draft->proposal;
	const struct memphis_placed_thread *threads = proposal->threads;
	const size_t at = memphis_bisect(i, proposal->thread_count,
					 threads[i].process < process || (threads[i].process == process &&
									  threads[i].thread < thread));

	return at < proposal->thread_count && threads[at].process == process && threads[at].thread == thread
		       ? at
		       : SIZE_MAX;
}

static bool is_placed(const struct draft *draft, const struct memphis_selection *selection, size_t process)
{
	const struct memphis_process *at = &draft->profile->processes.list[process];

	return memphis_selection_has(selection, at) && memphis_process_same_host(at, draft->machine);
}

/*
 * Returns true if the thread has enough samples to be placed. If the run has no samples, the thread must have
 * messages. `most` is the number of samples of the busiest thread.
 */
static bool has_enough_work(const struct memphis_thread *thread, uint64_t most)
{
	return most ? thread->read && thread->read * WORKS_FROM >= most : has_messages(thread);
}

static int add_threads(struct draft *draft, const struct memphis_selection *selection)
{
	struct memphis_proposal *proposal = draft->proposal;
	const struct memphis_processes *processes = &draft->profile->processes;
	const struct memphis_process *process;
	struct memphis_placed_thread *placed;
	uint64_t most = 0;
	size_t before, i, j;

	for (i = 0; i < processes->count; i++)
		for (j = 0; is_placed(draft, selection, i) && j < processes->list[i].thread_count; j++)
			if (processes->list[i].threads[j].read > most)
				most = processes->list[i].threads[j].read;
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (!is_placed(draft, selection, i))
			continue;
		before = proposal->thread_count;
		for (j = 0; j < process->thread_count; j++) {
			if (!has_enough_work(&process->threads[j], most)) {
				proposal->left_out++;
				continue;
			}
			placed = memphis_append(proposal->threads, proposal->thread_count,
						proposal->thread_room);
			if (!placed)
				return -ENOMEM;
			*placed = (struct memphis_placed_thread){.process = (uint32_t)i,
								 .thread = (uint32_t)j,
								 .now = MEMPHIS_NODE_UNKNOWN,
								 .partner = MEMPHIS_NONE};
		}
		proposal->idle_processes += proposal->thread_count == before;
	}
	return 0;
}

/* Returns the index of the node on which the process called MPI_Finalize(), or MEMPHIS_NONE if it is unknown. */
static uint32_t final_mpi_node(const struct draft *draft, const struct memphis_process *process)
{
	const uint64_t cpu = memphis_setting_number(&process->settings, "mpi_cpu", UINT64_MAX);
	size_t i, j;

	for (i = 0; i < draft->machine->node_count; i++)
		for (j = 0; j < draft->cpus[i].count; j++)
			if (draft->cpus[i].list[j] == cpu)
				return (uint32_t)i;
	return MEMPHIS_NONE;
}

/* Finds the node on which each thread ran when most of its samples were taken. */
static int find_nodes(struct draft *draft)
{
	const struct memphis_totals *totals = &draft->profile->totals;
	struct memphis_proposal *proposal = draft->proposal;
	const size_t nodes = draft->machine->node_count;
	uint64_t *counts = calloc(proposal->thread_count * nodes + 1, sizeof(*counts)), *own;
	uint32_t node;
	size_t i, j, at;

	if (!counts)
		return -ENOMEM;
	for (i = 0; i < totals->count; i++) {
		at = thread_index(draft, totals->list[i].process, totals->list[i].thread);
		node = node_index(draft, totals->list[i].access.node);
		if (at != SIZE_MAX && node != MEMPHIS_NONE)
			counts[at * nodes + node] += totals->list[i].measure.count;
	}
	for (i = 0; i < proposal->thread_count; i++) {
		own = counts + i * nodes;
		for (j = 0, node = 0; j < nodes; j++)
			node = own[j] > own[node] ? (uint32_t)j : node;
		if (!own[node])
			node = final_mpi_node(draft,
					      &draft->profile->processes.list[proposal->threads[i].process]);
		draft->before[i] = node == MEMPHIS_NONE ? 0 : node;
		if (node != MEMPHIS_NONE)
			proposal->threads[i].now = (uint16_t)draft->machine->nodes[node].node;
	}
	free(counts);
	return 0;
}

static void add_edges(struct draft *draft)
{
	const struct memphis_profile *profile = draft->profile;
	struct memphis_proposal *proposal = draft->proposal;
	struct memphis_graph *graph = &draft->graph;
	const struct memphis_sharing *pair;
	uint64_t remote = 0, weight;
	const struct memphis_message_loads *loads;
	size_t from, to;
	uint32_t node;

	for (pair = profile->sharing; pair < profile->sharing + profile->sharing_count; pair++) {
		from = thread_index(draft, pair->process, pair->thread);
		if (from == SIZE_MAX)
			continue;
		weight = pair->loads + pair->modified;
		proposal->loads += pair->loads;
		remote += pair->remote;
		proposal->threads[from].loads += pair->loads;
		to = pair->with == MEMPHIS_NONE ? SIZE_MAX : thread_index(draft, pair->process, pair->with);
		node = node_index(draft, pair->home);
		if (to != SIZE_MAX) {
			graph->edges[from * graph->vertices + to] += to == from ? 0 : weight;
			graph->edges[to * graph->vertices + from] += to == from ? 0 : weight;
		} else if (node != MEMPHIS_NONE) {
			graph->tied[from * graph->parts + node] += weight;
		}
	}
	for (from = 0; from < proposal->thread_count; from++) {
		loads = &draft->messages.loads[from];
		proposal->threads[from].loads += loads->loads;
		proposal->message_loads += loads->loads;
		remote += loads->remote;
	}
	proposal->loads += proposal->message_loads;
	proposal->remote = memphis_share_of(remote, proposal->loads);
}

/*
 * Sums the messages, and adds them as edges. The weight of an edge is the expected number of sampled loads: a
 * receiver on another node loads each cache line of a message from there, and one in `period` loads is
 * sampled. If `period` is 0, nothing is sampled, and the weight is the number of lines.
 */
static void add_messages(struct draft *draft)
{
	const uint64_t period = memphis_setting_number(&draft->machine->settings, "period", 0);
	const struct memphis_messages *messages = &draft->messages;
	struct memphis_graph *graph = &draft->graph;
	const struct messages_between *between;
	uint64_t weight;

	for (between = messages->list; between < messages->list + messages->count; between++) {
		draft->proposal->message_bytes += between->bytes;
		draft->proposal->message_count += between->count;
		weight = between->bytes / MEMPHIS_LINE_BYTES / (period ? period : 1) + 1;
		graph->edges[between->from * graph->vertices + between->to] += weight;
		graph->edges[between->to * graph->vertices + between->from] += weight;
	}
}

static void find_partners(const struct draft *draft)
{
	const struct memphis_graph *graph = &draft->graph;
	struct memphis_placed_thread *threads = draft->proposal->threads;
	size_t i, j;

	for (i = 0; i < graph->vertices; i++)
		for (j = 0; j < graph->vertices; j++)
			if (graph->edges[i * graph->vertices + j] > threads[i].shared) {
				threads[i].shared = graph->edges[i * graph->vertices + j];
				threads[i].partner = (uint32_t)j;
			}
}

static bool has_thread_before(const struct draft *draft, uint32_t node)
{
	size_t i;

	for (i = 0; i < draft->graph.vertices; i++)
		if (draft->before[i] == node)
			return true;
	return false;
}

/*
 * Returns true if clearly fewer message bytes go to other nodes, and the share of remote loads does not rise.
 * Byte counts are exact, so every difference is real. A difference of up to a tenth is still not worth a
 * change.
 */
static bool has_fewer_bytes_away(const struct memphis_proposal *proposal)
{
	return proposal->proposed.share <= proposal->remote.share &&
	       proposal->messages_proposed.share < proposal->messages_away.share * 0.9;
}

static uint64_t round_number(double number)
{
	return (uint64_t)(number + 0.5);
}

/* Counts the samples that are remote with the proposal, and the loads of lines modified on another node, before and after. */
static void predict_remote_loads(const struct draft *draft)
{
	const struct memphis_profile *profile = draft->profile;
	struct memphis_proposal *proposal = draft->proposal;
	uint64_t loads = 0, most = 0, away_before = 0, away = 0;
	bool unknown;
	const struct memphis_messages *messages = &draft->messages;
	const struct memphis_share by_messages =
		predict_message_loads(messages, proposal->thread_count, draft->before, draft->part);
	const struct memphis_sharing *pair;
	size_t from, to;
	bool apart;

	for (pair = profile->sharing; pair < profile->sharing + profile->sharing_count; pair++) {
		from = thread_index(draft, pair->process, pair->thread);
		if (from == SIZE_MAX)
			continue;
		to = pair->with == MEMPHIS_NONE ? SIZE_MAX : thread_index(draft, pair->process, pair->with);
		apart = draft->part[from] !=
			(to == SIZE_MAX ? node_index(draft, pair->home) : draft->part[to]);
		unknown = to == SIZE_MAX && has_thread_before(draft, node_index(draft, pair->home));
		proposal->unknown += unknown ? pair->loads : 0;
		loads += apart ? pair->loads : 0;
		most += apart || unknown ? pair->loads : 0;
		if (to == SIZE_MAX)
			continue;
		proposal->modified += pair->modified;
		away += apart ? pair->modified : 0;
		away_before += draft->before[from] != draft->before[to] ? pair->modified : 0;
	}
	proposal->proposed = memphis_share_of(loads + round_number(by_messages.share), proposal->loads);
	proposal->proposed.low = memphis_share_of(loads + round_number(by_messages.low), proposal->loads).low;
	proposal->proposed.high =
		memphis_share_of(most + round_number(by_messages.high), proposal->loads).high;
	proposal->modified_away = memphis_share_of(away_before, proposal->modified);
	proposal->modified_proposed = memphis_share_of(away, proposal->modified);
	proposal->messages_away = share_of_messages_away(messages, draft->before, MEMPHIS_NONE);
	proposal->messages_proposed = share_of_messages_away(messages, draft->part, MEMPHIS_NONE);
	proposal->better = proposal->proposed.high < proposal->remote.low || has_fewer_bytes_away(proposal) ||
			   (proposal->proposed.share <= proposal->remote.share &&
			    proposal->modified_proposed.high < proposal->modified_away.low);
}

/*
 * Sets the maximum number of threads of each node. It is in proportion to the node's CPUs, rounded up, so
 * that the memory of all nodes is used. With `pack`, it is the number of CPUs of the node. If there are more
 * threads than CPUs, several threads share a CPU.
 */
static int set_capacities(struct draft *draft, struct memphis_error *error)
{
	struct memphis_graph *graph = &draft->graph;
	struct memphis_proposal *proposal = draft->proposal;
	size_t all = 0, capacity, most = 0, cpus = 0, i;
	int rc;

	for (i = 0; i < graph->parts; i++) {
		rc = parse_cpus(&draft->cpus[i], draft->machine->nodes[i].cpus);
		if (rc)
			return memphis_fail(error, rc,
					    rc == -ENOMEM ? "out of memory"
							  : "the list of CPUs of node %" PRIu32
							    " is malformed",
					    draft->machine->nodes[i].node);
		all += draft->cpus[i].count;
	}
	if (!all)
		return memphis_fail(error, -ENODATA, "the files do not say which CPUs the nodes have");
	for (i = 0; i < graph->parts; i++) {
		capacity = (graph->vertices * draft->cpus[i].count + all - 1) / all;
		if (proposal->pack && capacity < draft->cpus[i].count)
			capacity = draft->cpus[i].count;
		graph->capacity[i] = (uint32_t)capacity;
		most = capacity > most ? capacity : most;
		cpus = draft->cpus[i].count > cpus ? draft->cpus[i].count : cpus;
	}
	proposal->alone = most == 1 && cpus > 1 && graph->vertices > 1;
	return 0;
}

static void assign_cpus(const struct draft *draft)
{
	struct memphis_placed_thread *thread;
	struct node_cpus *cpus;
	size_t i;

	for (i = 0; i < draft->graph.vertices; i++) {
		thread = &draft->proposal->threads[i];
		cpus = &draft->cpus[draft->part[i]];
		thread->node = (uint16_t)draft->machine->nodes[draft->part[i]].node;
		thread->cpu = cpus->list[cpus->used++ % cpus->count];
	}
}

static int place_threads(struct draft *draft, const struct memphis_selection *selection,
			 struct memphis_error *error)
{
	struct memphis_proposal *proposal = draft->proposal;
	const size_t nodes = draft->machine->node_count;
	int rc;

	if (!nodes)
		return memphis_fail(error, -ENODATA, "the files do not contain the nodes of the machine");
	if (add_threads(draft, selection))
		return memphis_fail(error, -ENOMEM, "out of memory");
	if (!proposal->thread_count)
		return memphis_fail(error, -ENODATA, "no thread has samples or messages to other ranks");
	draft->cpus = calloc(nodes, sizeof(*draft->cpus));
	draft->part = calloc(proposal->thread_count + 1, sizeof(*draft->part));
	draft->before = calloc(proposal->thread_count + 1, sizeof(*draft->before));
	rc = memphis_graph_open(&draft->graph, proposal->thread_count, nodes);
	if (rc || !draft->cpus || !draft->part || !draft->before ||
	    collect_messages(&draft->messages, proposal, draft->profile))
		return memphis_fail(error, -ENOMEM, "out of memory");
	rc = set_capacities(draft, error);
	if (rc)
		return rc;
	if (find_nodes(draft))
		return memphis_fail(error, -ENOMEM, "out of memory");
	add_edges(draft);
	add_messages(draft);
	find_partners(draft);
	memcpy(draft->part, draft->before, proposal->thread_count * sizeof(*draft->part));
	if (memphis_partition(&draft->graph, draft->part))
		return memphis_fail(error, -ENOMEM, "out of memory");
	predict_remote_loads(draft);
	assign_cpus(draft);
	return 0;
}

int memphis_proposal_make(struct memphis_proposal *proposal, const struct memphis_profile *profile,
			  const struct memphis_selection *selection, uint32_t first, bool pack,
			  struct memphis_error *error)
{
	struct draft draft = {
		.proposal = proposal, .profile = profile, .machine = &profile->processes.list[first]};
	size_t i;
	int rc;

	*proposal = (struct memphis_proposal){.first = first, .pack = pack};
	rc = place_threads(&draft, selection, error);
	for (i = 0; draft.cpus && i < draft.machine->node_count; i++)
		free(draft.cpus[i].list);
	free(draft.cpus);
	free(draft.part);
	free(draft.before);
	memphis_graph_close(&draft.graph);
	close_messages(&draft.messages);
	return rc;
}

void memphis_proposal_close(struct memphis_proposal *proposal)
{
	free(proposal->threads);
	memset(proposal, 0, sizeof(*proposal));
}
