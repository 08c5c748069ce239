/* SPDX-License-Identifier: BSD-3-Clause */
/* Proposes a NUMA node and a CPU for each thread of a host, so that threads that share memory run on the same node. */
#ifndef MEMPHIS_PROPOSAL_H
#define MEMPHIS_PROPOSAL_H

#include "base/statistics.h"
#include "profile/profile.h"

struct memphis_placed_thread {
	uint32_t process, thread; /* index of the process in the profile, and of the thread in the process */
	/*
	 * The node on which the thread ran when most of its samples were taken. Without samples: the node on
	 * which it called MPI_Finalize(), or MEMPHIS_NODE_UNKNOWN.
	 */
	uint16_t now;
	uint16_t node; /* proposed node */
	/* Proposed CPU. Each thread gets a different one, unless there are more threads than CPUs. */
	uint32_t cpu;
	uint32_t partner; /* index of the thread that shares most memory with this one, or MEMPHIS_NONE */
	uint64_t loads;   /* number of samples of this thread that are loads from DRAM */
	/*
	 * Number of samples that are loads by this thread from the partner's pages, or by the partner from
	 * this thread's pages.
	 */
	uint64_t shared;
};

struct memphis_proposal {
	uint32_t first; /* index of the first process of the host in the profile */
	struct memphis_placed_thread *threads;
	size_t thread_count, thread_room;
	bool pack; /* fill nodes: a node may get as many threads as it has CPUs */
	/* Each node gets only one thread, although nodes have more CPUs. So no two threads share a node. */
	bool alone;
	size_t idle_processes; /* number of processes of which no thread is placed */
	/* Number of threads that are not placed because they have few samples, such as helper threads of a runtime. */
	size_t left_out;
	uint64_t loads; /* number of samples that are loads from DRAM */
	/* Share of these loads that are remote: as measured, and as predicted for the proposal. */
	struct memphis_share remote, proposed;
	/*
	 * Number of loads from pages that no thread on the page's node used or allocated, although threads
	 * ran on that node. One of these threads may have placed the page, and then the page would move with
	 * it. The prediction assumes that these pages stay where they are. The upper end of its interval
	 * assumes that all these loads are remote.
	 */
	uint64_t unknown;
	/* Number of samples that are loads of cache lines that another thread had modified. */
	uint64_t modified;
	/*
	 * Share of these loads for which the line was modified on another node: as measured, and as predicted
	 * for the proposal.
	 */
	struct memphis_share modified_away, modified_proposed;
	/*
	 * Messages between ranks of the host, and the share of them between different nodes. `low` and `high`
	 * are the share of the bytes and the share of the number of messages, in ascending order.
	 */
	uint64_t message_bytes, message_count;
	struct memphis_share messages_away, messages_proposed;
	/* Number of sampled loads for messages. Such a load is remote if the message comes from another node. */
	uint64_t message_loads;
	/*
	 * The proposal is clearly better: the intervals of measured and predicted shares do not overlap, or more
	 * than a tenth fewer message bytes go to other nodes and the share of remote loads does not rise.
	 */
	bool better;
};

/*
 * Proposes nodes and CPUs for the threads of the selected processes on the host of process `first`. Uses
 * profile->sharing and the messages between ranks. The cells of the profile must be counted by region and
 * thread. If the run has no samples, only threads that sent or received messages are placed. Each node gets
 * threads in proportion to its CPUs, or with `pack` up to its number of CPUs. Returns 0, or a negative errno
 * with a message in *error. The caller must close the proposal in both cases.
 */
int memphis_proposal_make(struct memphis_proposal *proposal, const struct memphis_profile *profile,
			  const struct memphis_selection *selection, uint32_t first, bool pack,
			  struct memphis_error *error);
void memphis_proposal_close(struct memphis_proposal *proposal);

#endif
