/* SPDX-License-Identifier: BSD-3-Clause */
/* Proposes a NUMA node and a CPU for each thread of a host, so that threads that share memory run on the same node. */
#ifndef MEMPHIS_PROPOSAL_H
#define MEMPHIS_PROPOSAL_H

#include "base/statistics.h"
#include "profile/profile.h"

struct memphis_placed_thread {
	uint32_t process, thread; /* row of the profile; index in the process */
	/* The node from which most of its samples are; without samples, the node on which it called MPI_Finalize(), or MEMPHIS_NODE_UNKNOWN. */
	uint16_t now;
	uint16_t node;    /* proposed */
	uint32_t cpu;     /* proposed; each CPU occurs once, unless there are more threads than CPUs */
	uint32_t partner; /* index of the thread with which it shares most, or MEMPHIS_NONE */
	uint64_t loads;   /* its samples of loads from DRAM */
	/* Samples of the loads that it made from pages of the partner, and that the partner made from its pages. */
	uint64_t shared;
};

struct memphis_proposal {
	uint32_t first; /* row of the first process of the host */
	struct memphis_placed_thread *threads;
	size_t thread_count, thread_room;
	bool pack; /* a node may get as many threads as it has CPUs */
	/* true: each node gets one thread, so that no threads run together, although nodes have more CPUs */
	bool alone;
	size_t idle_processes; /* number of processes without a thread that is placed */
	size_t left_out;       /* number of threads with hardly any samples, such as helpers of a runtime */
	uint64_t loads;        /* number of samples of loads from DRAM */
	struct memphis_share remote,
		proposed; /* shares of remote loads: as measured, and as predicted for the proposal */
	/*
	 * Number of loads from pages that no thread of their node used or allocated, although threads ran there. One of these threads may have
	 * placed the pages, and they would move with it. The prediction assumes that the pages stay; the upper end of the interval assumes that
	 * all these loads are remote.
	 */
	uint64_t unknown;
	uint64_t modified; /* number of samples of loads of lines that another thread had modified */
	/* shares of the loads of lines modified on another node */
	struct memphis_share modified_away, modified_proposed;
	/* Messages between ranks of the host; shares of messages between different nodes. `low` and `high` are the shares of bytes and of their number. */
	uint64_t message_bytes, message_count;
	struct memphis_share messages_away, messages_proposed;
	uint64_t message_loads; /* number of loads for messages; they are remote if the message is */
	/* The proposal is clearly better: the intervals do not overlap, or bytes between nodes are fewer by a tenth. */
	bool better;
};

/*
 * Proposes nodes for the threads of the selected processes on the host of process `first`, from profile->sharing and the messages between
 * ranks; its cells are by region and thread. If nothing was sampled, the threads that sent or received messages are placed. Each node receives
 * threads in proportion to its CPUs, or, with `pack`, as many as it has CPUs. Returns 0, or a negative errno with a message in *error; close
 * the proposal in either case.
 */
int memphis_proposal_make(struct memphis_proposal *proposal, const struct memphis_profile *profile,
			  const struct memphis_selection *selection, uint32_t first, bool pack,
			  struct memphis_error *error);
void memphis_proposal_close(struct memphis_proposal *proposal);

#endif
