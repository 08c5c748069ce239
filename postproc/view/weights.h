/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimated cost of remote accesses relative to local ones, from the latencies that memphis node measured. Used where the hardware reports no
 * latencies.
 */
#ifndef MEMPHIS_WEIGHTS_H
#define MEMPHIS_WEIGHTS_H

#include "node/node.h"
#include "view/rows.h"

struct memphis_weights {
	bool known;
	char *path; /* path of the loaded file */
	struct memphis_matrices matrices;
};

/*
 * Loads `path`. If it is NULL and no latency was sampled, loads HOST.node of the first host from an input directory, if such a file exists.
 * Returns 0, or a negative errno with *error. Close the weights in either case.
 */
int memphis_weights_find(struct memphis_weights *weights, const struct memphis_rows *rows, const char *path,
			 char *const *inputs, size_t input_count, struct memphis_error *error);
void memphis_weights_close(struct memphis_weights *weights);

/* Returns the latency of the pair relative to a local access of the node; 1 if it was not measured. */
double memphis_weight_of_pair(const struct memphis_weights *weights, uint32_t node, uint32_t home);

/* Returns the sum of the weights of all samples of the variable on this node. */
double memphis_weight_of_variable(const struct memphis_weights *weights, const struct memphis_rows *rows,
				  uint32_t node, const struct memphis_variable_row *variable);

#endif
