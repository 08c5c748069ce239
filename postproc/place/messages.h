/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between ranks of a host, of which the MPI layer has counted the bytes, as edges between placed threads. */
#ifndef MEMPHIS_PLACE_MESSAGES_H
#define MEMPHIS_PLACE_MESSAGES_H

#include "place/partition.h"
#include "place/proposal.h"

struct memphis_messages_between {
	uint32_t from, to; /* indices of placed threads */
	uint64_t bytes;    /* sent */
};

struct memphis_messages {
	struct memphis_messages_between *list;
	size_t count, room;
};

/* Returns true if the thread has sent or received messages. */
bool memphis_messages_has(const struct memphis_thread *thread);

/*
 * Collects the messages between the threads of the proposal. Those to ranks of other hosts are left out. The receiver is the thread of the
 * rank that has received most. Returns 0 or -ENOMEM; close the messages in either case.
 */
int memphis_messages_collect(struct memphis_messages *messages, const struct memphis_proposal *proposal,
			     const struct memphis_profile *profile);
void memphis_messages_close(struct memphis_messages *messages);

/*
 * Adds the edges. The weight is in sampled loads: a message to another node makes its receiver load each of its lines from there, of which one
 * in `period` would be sampled; 0: nothing is sampled, and the weight is in lines.
 */
void memphis_messages_add(const struct memphis_messages *messages, struct memphis_graph *graph,
			  uint64_t period);

/* Returns the bytes of the messages between different parts. */
uint64_t memphis_messages_cut(const struct memphis_messages *messages, const uint32_t *part);

#endif
