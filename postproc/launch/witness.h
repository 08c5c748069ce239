/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process in the tool's process group that tells signals to the group from signals to the tool. It blocks all signals and does nothing
 * else, so that a signal waits in it exactly if it was sent to the group: siginfo_t does not tell.
 */
#ifndef MEMPHIS_WITNESS_H
#define MEMPHIS_WITNESS_H

#include <stdbool.h>

struct memphis_witness {
	int fd; /* -1: there is no witness */
};

/* Starts the witness; it ends with the tool. All signals must be blocked. Without memory or processes, there is none. */
void memphis_witness_start(struct memphis_witness *witness);

/* Returns whether the witness got the signal, too, and takes it from there; `otherwise` if there is no witness. */
bool memphis_witness_saw(struct memphis_witness *witness, int signal, bool otherwise);

/* Ends the witness, if there is one. */
void memphis_witness_end(struct memphis_witness *witness);

#endif
