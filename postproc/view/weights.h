/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The latencies between nodes that memphis node measured, and the cost of remote accesses relative to local ones that is estimated from them
 * where the hardware reports no latencies.
 */
#ifndef MEMPHIS_WEIGHTS_H
#define MEMPHIS_WEIGHTS_H

#include "node/node.h"
#include "view/rows.h"

struct memphis_measurement {
	const char *host; /* belongs to the processes; "": all hosts */
	char *path;
	struct memphis_matrices matrices;
};

struct memphis_weights {
	bool known;                       /* the tables will have weights */
	struct memphis_measurement *list; /* by host */
	size_t count, room;
	/*
	 * The measurement of the first host that has one. Other hosts without a measurement are assumed to be like it. NULL if there is
	 * none.
	 */
	const char *path;
	const struct memphis_matrices *matrices;
};

/*
 * Loads `path`, a file for all hosts; if it is a directory, HOST.node of each host in it; if it is NULL, those among the inputs and in directories
 * of the inputs. Returns 0, or a negative errno with *error. Close the weights in either case.
 */
int memphis_weights_load(struct memphis_weights *weights, const struct memphis_profile *profile,
			 const char *path, char *const *inputs, size_t input_count,
			 struct memphis_error *error);

/* Decides whether the tables have weights: if the file was `given`, or if it was found and no latency was sampled. */
void memphis_weights_decide(struct memphis_weights *weights, const struct memphis_rows *rows, bool given);
void memphis_weights_close(struct memphis_weights *weights);

/* Returns the measurement of the host, or else that of the first host that has one; NULL if there is none. */
const struct memphis_matrices *memphis_weights_of_host(const struct memphis_weights *weights,
						       const char *host);

/* Returns whether the host has a measurement of its own. */
bool memphis_weights_has(const struct memphis_weights *weights, const char *host);

/* Returns the latency of the pair relative to a local access of the node; 1 if it was not measured. */
double memphis_weight_of_pair(const struct memphis_weights *weights, uint32_t node, uint32_t home);

/* Returns the sum of the weights of all samples of the variable on this node. */
double memphis_weight_of_variable(const struct memphis_weights *weights, const struct memphis_rows *rows,
				  uint32_t node, const struct memphis_variable_row *variable);

#endif
