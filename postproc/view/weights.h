/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What remote accesses cost beside local ones, by what memphis node has measured: an estimate, where the hardware told no
 * latencies.
 */
#ifndef MEMPHIS_WEIGHTS_H
#define MEMPHIS_WEIGHTS_H

#include "node/node.h"
#include "view/rows.h"

struct memphis_weights {
	bool known;
	char *path; /* of the file */
	struct memphis_matrices matrices;
};

/*
 * Takes `path`, or if that is NULL and no latency was sampled, the first host's HOST.node in one of the directories. 0, or a negative
 * errno with *error; without a file there is none. Close it in either case.
 */
int memphis_weights_find(struct memphis_weights *weights, const struct memphis_rows *rows, const char *path,
			 char *const *inputs, size_t input_count, struct memphis_error *error);
void memphis_weights_close(struct memphis_weights *weights);

/* How many local accesses one of this pair takes the time of; what was not measured counts as local. */
double memphis_weight_of_pair(const struct memphis_weights *weights, uint32_t node, uint32_t home);

/* Of all samples of the variable on that node. */
double memphis_weight_of_variable(const struct memphis_weights *weights, const struct memphis_rows *rows,
				  uint32_t node, const struct memphis_variable_row *variable);

#endif
