/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the latencies between nodes that memphis node measured. If the hardware reports no latencies, the cost of
 * remote accesses relative to local ones is estimated from them.
 */
#ifndef MEMPHIS_WEIGHTS_H
#define MEMPHIS_WEIGHTS_H

#include "node/node.h"
#include "view/rows.h"

struct memphis_measurement {
	const char *host; /* string of the processes; "": the measurement is for all hosts */
	char *path;
	struct memphis_matrices matrices;
};

struct memphis_weights {
	bool known;                       /* the tables show weights */
	struct memphis_measurement *list; /* sorted by host */
	size_t count, room;
	/*
	 * The measurement of the first host that has one, or NULL. Hosts without a measurement are assumed to be like
	 * this host.
	 */
	const char *path;
	const struct memphis_matrices *matrices;
};

/*
 * Loads measurements. If `path` is a file, it is used for all hosts. If `path` is a directory, the file HOST.node of
 * each host in it is loaded. If `path` is NULL, such files are searched among the inputs, and in those inputs that are
 * directories. Returns 0, or a negative errno with a message in *error. The caller must close the weights in both
 * cases.
 */
int memphis_weights_load(struct memphis_weights *weights, const struct memphis_profile *profile,
			 const char *path, char *const *inputs, size_t input_count,
			 struct memphis_error *error);

/*
 * Decides whether the tables show weights. They do if the user gave a file (`given`), or if a file was found and no
 * latencies were sampled.
 */
void memphis_weights_decide(struct memphis_weights *weights, const struct memphis_rows *rows, bool given);
void memphis_weights_close(struct memphis_weights *weights);

/*
 * Returns the measurement of the host. If it has none, returns that of the first host with a measurement. Returns NULL
 * if there is none at all.
 */
const struct memphis_matrices *memphis_weights_of_host(const struct memphis_weights *weights,
						       const char *host);

/* Returns whether the host has its own measurement. */
bool memphis_weights_has(const struct memphis_weights *weights, const char *host);

/*
 * Returns the latency of accesses from `node` to memory of `home`, divided by that of local accesses of `node`.
 * Returns 1 if it was not measured.
 */
double memphis_weight_of_pair(const struct memphis_weights *weights, uint32_t node, uint32_t home);

/* Returns the sum of the weights of all samples that the node has of the variable. */
double memphis_weight_of_variable(const struct memphis_weights *weights, const struct memphis_rows *rows,
				  uint32_t node, const struct memphis_variable_row *variable);

#endif
