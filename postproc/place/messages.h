/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between ranks of a host, which the MPI layer has counted, as edges between placed threads; and the sampled loads by which MPI moves
 * them through its shared memory.
 */
#ifndef MEMPHIS_PLACE_MESSAGES_H
#define MEMPHIS_PLACE_MESSAGES_H

#include "place/partition.h"
#include "place/proposal.h"

struct memphis_messages_between {
	uint32_t from, to;     /* indices of placed threads */
	uint64_t bytes, count; /* sent */
};

/* Samples of loads from DRAM that a rank made in MPI's shared memory, during calls of MPI. */
struct memphis_message_loads {
	uint64_t loads, remote;
};

struct memphis_messages {
	struct memphis_messages_between *list;
	size_t count, room;
	/* by placed thread: those of a rank at the thread that receives its messages */
	struct memphis_message_loads *loads;
};

/* Returns true if the thread has sent or received messages. */
bool memphis_messages_has(const struct memphis_thread *thread);

/*
 * Collects the messages between the threads of the proposal, and the loads. Messages to ranks of other hosts are left out. The receiver is the
 * thread of the rank that has received most. The cells of the profile must be by region and thread. Returns 0 or -ENOMEM; close the messages
 * in either case.
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

/* Returns the bytes of all messages; sets *count to their number. */
uint64_t memphis_messages_bytes(const struct memphis_messages *messages, uint64_t *count);

/*
 * Returns the share of messages that go from another part to thread `to`, or MEMPHIS_NONE: to any thread. `share` is that of the bytes. MPI's
 * accesses for messages have a part for each message, and one for each line: whatever both are, the share of these accesses is between that of
 * the bytes and that of the number of messages, which are `low` and `high`.
 */
struct memphis_share memphis_messages_away(const struct memphis_messages *messages, const uint32_t *part,
					   uint32_t to);

/*
 * Predicts how many of the sampled loads of MPI's shared memory are remote if the parts change. Where the receiver loads messages from memory of
 * the sender, remote loads are in proportion to the messages that come from other parts; where the sender stores into memory of the receiver,
 * there are none. `share` is a number of samples here, as are `low` and `high`.
 */
struct memphis_share memphis_messages_remote_loads(const struct memphis_messages *messages, size_t threads,
						   const uint32_t *before, const uint32_t *part);

#endif
