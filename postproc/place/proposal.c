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
 * The MPI layer has counted them; they are edges between placed threads. The sampled loads by which MPI moves them through its shared
 * memory belong to them.
 */

struct messages_between {
	uint32_t from, to;     /* indices of placed threads */
	uint64_t bytes, count; /* sent */
};

/* Samples of loads from DRAM that a rank made in MPI's shared memory, during calls of MPI. */
struct memphis_message_loads {
	uint64_t loads, remote;
};

struct memphis_messages {
	struct messages_between *list;
	size_t count, room;
	/* By placed thread: the samples of a rank, at the thread that receives its messages. */
	struct memphis_message_loads *loads;
};

static const struct memphis_thread *thread_of(const struct memphis_profile *profile,
					      const struct memphis_placed_thread *placed)
{
	return &profile->processes.list[placed->process].threads[placed->thread];
}

static uint64_t rank_of(const struct memphis_profile *profile, const struct memphis_placed_thread *placed)
{
	return memphis_setting_number(&profile->processes.list[placed->process].settings, "mpi_rank",
				      UINT64_MAX);
}

static uint64_t received_by(const struct memphis_thread *thread)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < thread->mpi_count; i++)
		bytes += thread->mpi[i].received ? thread->mpi[i].received_bytes : 0;
	return bytes;
}

/* Returns true if the thread has sent or received messages. */
static bool messages_has(const struct memphis_thread *thread)
{
	size_t i;

	for (i = 0; i < thread->mpi_count; i++)
		if (thread->mpi[i].sent || thread->mpi[i].received)
			return true;
	return false;
}

/* A rank of the host, and the thread that receives its messages. */
struct receiver {
	uint64_t rank;
	uint32_t thread;
};

static int compare_receivers(const void *a, const void *b)
{
	const struct receiver *x = a, *y = b;

	return memphis_order(x->rank, y->rank);
}

/* Returns the malloc'ed receivers, sorted by rank, or NULL. The threads of a process follow each other. */
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
			receivers[(*count)++] = (struct receiver){rank_of(profile, &placed[i]), i};
		else if (received_by(thread_of(profile, &placed[i])) >
			 received_by(thread_of(profile, &placed[last->thread])))
			last->thread = i;
	}
	qsort(receivers, *count, sizeof(*receivers), compare_receivers);
	return receivers;
}

/* Adds the messages that the thread has sent to each rank of the host. */
static int collect_thread(struct memphis_messages *messages, const struct memphis_thread *thread,
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

/* Returns whether the cell has loads from DRAM of known nodes in memory that MPI shares between ranks. */
static bool is_load_of_mpi(const struct memphis_profile *profile, const struct memphis_cell *cell)
{
	const struct memphis_access *access = &cell->key.access;

	return access->flags & MEMPHIS_FLAG_LOAD && access->source == MEMPHIS_SOURCE_DRAM &&
	       access->node != MEMPHIS_NODE_UNKNOWN && access->home != MEMPHIS_NODE_UNKNOWN &&
	       memphis_region_is_mpi(profile, cell->key.region) &&
	       memphis_profile_is_shared(profile, cell->key.variable);
}

/* Adds the loads of all threads of a rank to its receiver. */
static void collect_loads(struct memphis_messages *messages, const struct memphis_proposal *proposal,
			  const struct memphis_profile *profile, const struct receiver *receivers,
			  size_t count)
{
	const struct memphis_process *process;
	const struct memphis_cell *cell;
	struct memphis_message_loads *loads;
	size_t i;

	for (cell = profile->cells; cell < profile->cells + profile->cell_count; cell++) {
		if (!is_load_of_mpi(profile, cell))
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
 * Collects the messages between the threads of the proposal, and the loads. Messages to ranks of other hosts are left out. The receiver is the
 * thread of the rank that has received most. The cells of the profile must be by region and thread. Returns 0 or -ENOMEM; close the messages
 * in either case.
 */
static int messages_collect(struct memphis_messages *messages, const struct memphis_proposal *proposal,
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
		rc = collect_thread(messages, thread_of(profile, &proposal->threads[i]), i, receivers, count);
	if (!rc && messages->count)
		collect_loads(messages, proposal, profile, receivers, count);
	free(receivers);
	return rc;
}

static void messages_close(struct memphis_messages *messages)
{
	free(messages->list);
	free(messages->loads);
	memset(messages, 0, sizeof(*messages));
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/*
 * Returns the share of messages that go from another part to thread `to`, or to any thread if that is MEMPHIS_NONE. `share` is the share of
 * the bytes. MPI makes some accesses once for each message, and others once for each line: in whatever ratio, the share of all these
 * accesses is between the share of the bytes and the share of the number of messages. These two are `low` and `high`.
 */
static struct memphis_share memphis_messages_away(const struct memphis_messages *messages,
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
	by_count = ratio(count_away, count);
	by_bytes = bytes ? ratio(bytes_away, bytes) : by_count;
	return (struct memphis_share){by_bytes, by_bytes < by_count ? by_bytes : by_count,
				      by_bytes < by_count ? by_count : by_bytes};
}

/*
 * Predicts how many of the sampled loads of MPI's shared memory are remote if the parts change. If the receiver loads messages from memory
 * of the sender, remote loads are in proportion to the messages that come from other parts; if the sender stores into memory of the
 * receiver, there are none. `share` is a number of samples here, as are `low` and `high`.
 */
static struct memphis_share messages_remote_loads(const struct memphis_messages *messages, size_t threads,
						  const uint32_t *before, const uint32_t *part)
{
	const struct memphis_message_loads *at;
	struct memphis_share sum = {0}, was, then;
	uint32_t i;

	for (i = 0; i < threads; i++) {
		at = &messages->loads[i];
		if (!at->loads)
			continue;
		was = memphis_messages_away(messages, before, i);
		then = memphis_messages_away(messages, part, i);
		if (was.low > 0) {
			sum.share += fmin((double)at->remote / was.share * then.share, (double)at->loads);
			sum.low += fmin((double)at->remote / was.high * then.low, (double)at->loads);
			sum.high += fmin((double)at->remote / was.low * then.high, (double)at->loads);
		} else {
			/* All messages came from the node itself, and so did the loads, whichever rank owns the memory. */
			sum.share += (double)at->loads * then.share;
			sum.high += (double)at->loads * then.high;
		}
	}
	return sum;
}

/* A thread is a helper if it has less than one in this number of the samples of the busiest thread. */
#define WORKS_FROM 20

struct node_cpus {
	uint32_t *list;
	size_t count, room, used;
};

/* A proposal that is being made. */
struct making {
	struct memphis_proposal *proposal;
	const struct memphis_profile *profile;
	const struct memphis_process *machine; /* a process whose topology is that of the host */
	struct node_cpus *cpus;                /* by index of machine->nodes */
	struct memphis_graph graph;
	struct memphis_messages messages;
	uint32_t *part;   /* by thread: index of machine->nodes */
	uint32_t *before; /* by thread: index of the node from which it has most samples */
};

/* Parses "0-3,8"; "-" is an empty list. Returns 0, -ENOMEM, or -EINVAL. */
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

static uint32_t node_index(const struct making *making, uint16_t node)
{
	size_t i;

	for (i = 0; i < making->machine->node_count; i++)
		if (making->machine->nodes[i].node == node)
			return (uint32_t)i;
	return MEMPHIS_NONE;
}

static size_t thread_index(const struct making *making, uint32_t process, uint32_t thread)
{
	const struct memphis_proposal *proposal = making->proposal;
	const struct memphis_placed_thread *threads = proposal->threads;
	const size_t at = memphis_bisect(i, proposal->thread_count,
					 threads[i].process < process || (threads[i].process == process &&
									  threads[i].thread < thread));

	return at < proposal->thread_count && threads[at].process == process && threads[at].thread == thread
		       ? at
		       : SIZE_MAX;
}

static bool is_placed(const struct making *making, const struct memphis_selection *selection, size_t process)
{
	const struct memphis_process *at = &making->profile->processes.list[process];

	return memphis_selection_has(selection, at) && memphis_process_same_host(at, making->machine);
}

/* Returns whether the thread has enough samples, or messages, to be placed. `most`: number of samples of the busiest thread. */
static bool has_enough_work(const struct memphis_thread *thread, uint64_t most)
{
	return most ? thread->read && thread->read * WORKS_FROM >= most : messages_has(thread);
}

static int add_threads(struct making *making, const struct memphis_selection *selection)
{
	struct memphis_proposal *proposal = making->proposal;
	const struct memphis_processes *processes = &making->profile->processes;
	const struct memphis_process *process;
	struct memphis_placed_thread *placed;
	uint64_t most = 0;
	size_t before, i, j;

	for (i = 0; i < processes->count; i++)
		for (j = 0; is_placed(making, selection, i) && j < processes->list[i].thread_count; j++)
			if (processes->list[i].threads[j].read > most)
				most = processes->list[i].threads[j].read;
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (!is_placed(making, selection, i))
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

/* Returns the index of the node on which the process called MPI_Finalize(), or MEMPHIS_NONE. */
static uint32_t last_node_of(const struct making *making, const struct memphis_process *process)
{
	const uint64_t cpu = memphis_setting_number(&process->settings, "mpi_cpu", UINT64_MAX);
	size_t i, j;

	for (i = 0; i < making->machine->node_count; i++)
		for (j = 0; j < making->cpus[i].count; j++)
			if (making->cpus[i].list[j] == cpu)
				return (uint32_t)i;
	return MEMPHIS_NONE;
}

/* Sets the node from which each thread has most samples. */
static int find_nodes(struct making *making)
{
	const struct memphis_totals *totals = &making->profile->totals;
	struct memphis_proposal *proposal = making->proposal;
	const size_t nodes = making->machine->node_count;
	uint64_t *counts = calloc(proposal->thread_count * nodes + 1, sizeof(*counts)), *own;
	uint32_t node;
	size_t i, j, at;

	if (!counts)
		return -ENOMEM;
	for (i = 0; i < totals->count; i++) {
		at = thread_index(making, totals->list[i].process, totals->list[i].thread);
		node = node_index(making, totals->list[i].access.node);
		if (at != SIZE_MAX && node != MEMPHIS_NONE)
			counts[at * nodes + node] += totals->list[i].measure.count;
	}
	for (i = 0; i < proposal->thread_count; i++) {
		own = counts + i * nodes;
		for (j = 0, node = 0; j < nodes; j++)
			node = own[j] > own[node] ? (uint32_t)j : node;
		if (!own[node])
			node = last_node_of(making,
					    &making->profile->processes.list[proposal->threads[i].process]);
		making->before[i] = node == MEMPHIS_NONE ? 0 : node;
		if (node != MEMPHIS_NONE)
			proposal->threads[i].now = (uint16_t)making->machine->nodes[node].node;
	}
	free(counts);
	return 0;
}

static void add_edges(struct making *making)
{
	const struct memphis_profile *profile = making->profile;
	struct memphis_proposal *proposal = making->proposal;
	struct memphis_graph *graph = &making->graph;
	const struct memphis_sharing *pair;
	uint64_t remote = 0, weight;
	const struct memphis_message_loads *loads;
	size_t from, to;
	uint32_t node;

	for (pair = profile->sharing; pair < profile->sharing + profile->sharing_count; pair++) {
		from = thread_index(making, pair->process, pair->thread);
		if (from == SIZE_MAX)
			continue;
		weight = pair->loads + pair->modified;
		proposal->loads += pair->loads;
		remote += pair->remote;
		proposal->threads[from].loads += pair->loads;
		to = pair->with == MEMPHIS_NONE ? SIZE_MAX : thread_index(making, pair->process, pair->with);
		node = node_index(making, pair->home);
		if (to != SIZE_MAX) {
			graph->edges[from * graph->vertices + to] += to == from ? 0 : weight;
			graph->edges[to * graph->vertices + from] += to == from ? 0 : weight;
		} else if (node != MEMPHIS_NONE) {
			graph->tied[from * graph->parts + node] += weight;
		}
	}
	for (from = 0; from < proposal->thread_count; from++) {
		loads = &making->messages.loads[from];
		proposal->threads[from].loads += loads->loads;
		proposal->message_loads += loads->loads;
		remote += loads->remote;
	}
	proposal->loads += proposal->message_loads;
	proposal->remote = memphis_share_of(remote, proposal->loads);
}

/*
 * Sums the messages, and adds them as edges. The weight is in sampled loads: a message to another node makes its receiver load each of its lines from
 * there, of which one in `period` would be sampled; 0: nothing is sampled, and the weight is in lines.
 */
static void add_messages(struct making *making)
{
	const uint64_t period = memphis_setting_number(&making->machine->settings, "period", 0);
	const struct memphis_messages *messages = &making->messages;
	struct memphis_graph *graph = &making->graph;
	const struct messages_between *between;
	uint64_t weight;

	for (between = messages->list; between < messages->list + messages->count; between++) {
		making->proposal->message_bytes += between->bytes;
		making->proposal->message_count += between->count;
		weight = between->bytes / MEMPHIS_LINE_BYTES / (period ? period : 1) + 1;
		graph->edges[between->from * graph->vertices + between->to] += weight;
		graph->edges[between->to * graph->vertices + between->from] += weight;
	}
}

static void find_partners(const struct making *making)
{
	const struct memphis_graph *graph = &making->graph;
	struct memphis_placed_thread *threads = making->proposal->threads;
	size_t i, j;

	for (i = 0; i < graph->vertices; i++)
		for (j = 0; j < graph->vertices; j++)
			if (graph->edges[i * graph->vertices + j] > threads[i].shared) {
				threads[i].shared = graph->edges[i * graph->vertices + j];
				threads[i].partner = (uint32_t)j;
			}
}

static bool ran_on(const struct making *making, uint32_t node)
{
	size_t i;

	for (i = 0; i < making->graph.vertices; i++)
		if (making->before[i] == node)
			return true;
	return false;
}

/* The bytes are exact, so that each difference is real; a small one is not worth a change. */
static bool has_nearer_messages(const struct memphis_proposal *proposal)
{
	return proposal->proposed.share <= proposal->remote.share &&
	       proposal->messages_proposed.share < proposal->messages_away.share * 0.9;
}

static uint64_t round_number(double number)
{
	return (uint64_t)(number + 0.5);
}

/* Counts the samples that the proposal makes remote, and the modified lines between different nodes before and after. */
static void predict(const struct making *making)
{
	const struct memphis_profile *profile = making->profile;
	struct memphis_proposal *proposal = making->proposal;
	uint64_t loads = 0, most = 0, away_before = 0, away = 0;
	bool unknown;
	const struct memphis_messages *messages = &making->messages;
	const struct memphis_share by_messages =
		messages_remote_loads(messages, proposal->thread_count, making->before, making->part);
	const struct memphis_sharing *pair;
	size_t from, to;
	bool apart;

	for (pair = profile->sharing; pair < profile->sharing + profile->sharing_count; pair++) {
		from = thread_index(making, pair->process, pair->thread);
		if (from == SIZE_MAX)
			continue;
		to = pair->with == MEMPHIS_NONE ? SIZE_MAX : thread_index(making, pair->process, pair->with);
		apart = making->part[from] !=
			(to == SIZE_MAX ? node_index(making, pair->home) : making->part[to]);
		unknown = to == SIZE_MAX && ran_on(making, node_index(making, pair->home));
		proposal->unknown += unknown ? pair->loads : 0;
		loads += apart ? pair->loads : 0;
		most += apart || unknown ? pair->loads : 0;
		if (to == SIZE_MAX)
			continue;
		proposal->modified += pair->modified;
		away += apart ? pair->modified : 0;
		away_before += making->before[from] != making->before[to] ? pair->modified : 0;
	}
	proposal->proposed = memphis_share_of(loads + round_number(by_messages.share), proposal->loads);
	proposal->proposed.low = memphis_share_of(loads + round_number(by_messages.low), proposal->loads).low;
	proposal->proposed.high =
		memphis_share_of(most + round_number(by_messages.high), proposal->loads).high;
	proposal->modified_away = memphis_share_of(away_before, proposal->modified);
	proposal->modified_proposed = memphis_share_of(away, proposal->modified);
	proposal->messages_away = memphis_messages_away(messages, making->before, MEMPHIS_NONE);
	proposal->messages_proposed = memphis_messages_away(messages, making->part, MEMPHIS_NONE);
	proposal->better = proposal->proposed.high < proposal->remote.low || has_nearer_messages(proposal) ||
			   (proposal->proposed.share <= proposal->remote.share &&
			    proposal->modified_proposed.high < proposal->modified_away.low);
}

/*
 * Each node receives threads in proportion to its CPUs, rounded up, so that all memories serve them, or fills its CPUs; with more threads than
 * CPUs, several share one.
 */
static int set_capacities(struct making *making, struct memphis_error *error)
{
	struct memphis_graph *graph = &making->graph;
	struct memphis_proposal *proposal = making->proposal;
	size_t all = 0, capacity, most = 0, cpus = 0, i;
	int rc;

	for (i = 0; i < graph->parts; i++) {
		rc = parse_cpus(&making->cpus[i], making->machine->nodes[i].cpus);
		if (rc)
			return memphis_fail(error, rc,
					    rc == -ENOMEM ? "out of memory"
							  : "the list of CPUs of node %" PRIu32
							    " is malformed",
					    making->machine->nodes[i].node);
		all += making->cpus[i].count;
	}
	if (!all)
		return memphis_fail(error, -ENODATA, "the files do not say which CPUs the nodes have");
	for (i = 0; i < graph->parts; i++) {
		capacity = (graph->vertices * making->cpus[i].count + all - 1) / all;
		if (proposal->pack && capacity < making->cpus[i].count)
			capacity = making->cpus[i].count;
		graph->capacity[i] = (uint32_t)capacity;
		most = capacity > most ? capacity : most;
		cpus = making->cpus[i].count > cpus ? making->cpus[i].count : cpus;
	}
	proposal->alone = most == 1 && cpus > 1 && graph->vertices > 1;
	return 0;
}

static void assign_cpus(const struct making *making)
{
	struct memphis_placed_thread *thread;
	struct node_cpus *cpus;
	size_t i;

	for (i = 0; i < making->graph.vertices; i++) {
		thread = &making->proposal->threads[i];
		cpus = &making->cpus[making->part[i]];
		thread->node = (uint16_t)making->machine->nodes[making->part[i]].node;
		thread->cpu = cpus->list[cpus->used++ % cpus->count];
	}
}

static int propose(struct making *making, const struct memphis_selection *selection,
		   struct memphis_error *error)
{
	struct memphis_proposal *proposal = making->proposal;
	const size_t nodes = making->machine->node_count;
	int rc;

	if (!nodes)
		return memphis_fail(error, -ENODATA, "the files do not contain the nodes of the machine");
	if (add_threads(making, selection))
		return memphis_fail(error, -ENOMEM, "out of memory");
	if (!proposal->thread_count)
		return memphis_fail(error, -ENODATA, "no thread has samples or messages to other ranks");
	making->cpus = calloc(nodes, sizeof(*making->cpus));
	making->part = calloc(proposal->thread_count + 1, sizeof(*making->part));
	making->before = calloc(proposal->thread_count + 1, sizeof(*making->before));
	rc = memphis_graph_open(&making->graph, proposal->thread_count, nodes);
	if (rc || !making->cpus || !making->part || !making->before ||
	    messages_collect(&making->messages, proposal, making->profile))
		return memphis_fail(error, -ENOMEM, "out of memory");
	rc = set_capacities(making, error);
	if (rc)
		return rc;
	if (find_nodes(making))
		return memphis_fail(error, -ENOMEM, "out of memory");
	add_edges(making);
	add_messages(making);
	find_partners(making);
	memcpy(making->part, making->before, proposal->thread_count * sizeof(*making->part));
	if (memphis_partition(&making->graph, making->part))
		return memphis_fail(error, -ENOMEM, "out of memory");
	predict(making);
	assign_cpus(making);
	return 0;
}

int memphis_proposal_make(struct memphis_proposal *proposal, const struct memphis_profile *profile,
			  const struct memphis_selection *selection, uint32_t first, bool pack,
			  struct memphis_error *error)
{
	struct making making = {
		.proposal = proposal, .profile = profile, .machine = &profile->processes.list[first]};
	size_t i;
	int rc;

	*proposal = (struct memphis_proposal){.first = first, .pack = pack};
	rc = propose(&making, selection, error);
	for (i = 0; making.cpus && i < making.machine->node_count; i++)
		free(making.cpus[i].list);
	free(making.cpus);
	free(making.part);
	free(making.before);
	memphis_graph_close(&making.graph);
	messages_close(&making.messages);
	return rc;
}

void memphis_proposal_close(struct memphis_proposal *proposal)
{
	free(proposal->threads);
	memset(proposal, 0, sizeof(*proposal));
}
