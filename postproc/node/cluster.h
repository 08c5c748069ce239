/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved measurements of many machines, compared with each other: the fastest, the slowest, and outliers. */
#ifndef MEMPHIS_CLUSTER_H
#define MEMPHIS_CLUSTER_H

#include "base/median.h"
#include "node/node.h"

#define MEMPHIS_CLUSTER_SUFFIX ".node"
/*
 * An outlier by the rule of base/median.h; the spread is at least this part of the median, since a difference of a few percent may be noise of the
 * measurement.
 */
#define MEMPHIS_CLUSTER_NOISE 0.01

/* What is compared: of each host, the worst node or pair of nodes. */
struct memphis_cluster_quantity {
	const char *key, *title;
	enum memphis_speed speed;
	bool remote; /* pairs of different nodes; or a node and its own memory */
};

extern const struct memphis_cluster_quantity memphis_cluster_quantities[];
extern const size_t memphis_cluster_quantity_count;

struct memphis_cluster_host {
	char *path;
	struct memphis_matrices matrices;
};

struct memphis_cluster {
	struct memphis_cluster_host *list; /* by class, then by host */
	size_t count, room;
};

struct memphis_cluster_value {
	const struct memphis_cluster_host *host;
	unsigned int from, to; /* nodes */
	double value, off;     /* off: deviation from the median as a part of it; positive is worse */
	bool outlier;
};

/* The values of the hosts of one class, the best one first. */
struct memphis_cluster_ranking {
	struct memphis_cluster_value *list;
	size_t count;
	double median, spread;
};

/*
 * Loads files of memphis node --save; of directories, the files HOST.node in them. Returns 0 or a negative errno with a message in *error. The
 * cluster must be closed in both cases.
 */
int memphis_cluster_load(struct memphis_cluster *cluster, char *const *paths, size_t count,
			 struct memphis_error *error);
void memphis_cluster_close(struct memphis_cluster *cluster);

/* Returns the number of hosts of one class, of which the first is list[first]. */
size_t memphis_cluster_class(const struct memphis_cluster *cluster, size_t first);

/* Ranks hosts of one class. Returns 0 or -ENOMEM; free ranking->list. */
int memphis_cluster_rank(const struct memphis_cluster_host *hosts, size_t count,
			 const struct memphis_cluster_quantity *quantity,
			 struct memphis_cluster_ranking *ranking);

/* Append the comparison; *slow becomes the number of hosts with a value that is an outlier and worse than the median. Return 0 or -ENOMEM. */
int memphis_cluster_text(const struct memphis_cluster *cluster, size_t *slow, struct memphis_text *text);
int memphis_cluster_json(const struct memphis_cluster *cluster, size_t *slow, struct memphis_text *text);

#endif
