/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares saved measurements of many machines with each other: the fastest and the slowest machines, and outliers. */
#ifndef MEMPHIS_CLUSTER_H
#define MEMPHIS_CLUSTER_H

#include "base/statistics.h"
#include "node/node.h"

/*
 * Minimum of the spread, as a fraction of the median. The measurement itself has noise of this order, so
 * smaller differences must not make outliers. The rule for outliers is in base/statistics.h.
 */
#define MEMPHIS_CLUSTER_NOISE 0.01

/*
 * Quantities that are compared in addition to those of enum memphis_speed. The value of a host is the value
 * of its worst node with this node's own memory. If `remote` is true, it is the value of the worst pair of
 * different nodes instead. For DGEMM, it is the lowest rate of its nodes, and hosts are compared only if they
 * have the same BLAS.
 */
enum { MEMPHIS_CLUSTER_LOADED = MEMPHIS_SPEEDS, MEMPHIS_CLUSTER_DGEMM };

struct memphis_cluster_quantity {
	unsigned int speed; /* an enum memphis_speed, MEMPHIS_CLUSTER_LOADED or MEMPHIS_CLUSTER_DGEMM */
	bool remote;
	const char *blas; /* DGEMM: name and version of the BLAS; "" if unknown */
};

static inline const struct memphis_speed_row *memphis_cluster_row(struct memphis_cluster_quantity quantity)
{
	return quantity.speed == MEMPHIS_CLUSTER_DGEMM    ? &memphis_dgemm_row
	       : quantity.speed == MEMPHIS_CLUSTER_LOADED ? &memphis_loaded_row
							  : &memphis_speeds[quantity.speed];
}

struct memphis_cluster_host {
	char *path;
	struct memphis_matrices matrices;
};

struct memphis_cluster {
	struct memphis_cluster_host *list; /* sorted by class: see memphis_machine_put_class() */
	size_t count, room;
	/* error messages, one per line, for the files of directories that could not be read */
	struct memphis_text left_out;
};

struct memphis_cluster_value {
	const struct memphis_cluster_host *host;
	unsigned int from, to; /* node numbers */
	/* off: deviation from the median, as a fraction of the median; positive means worse */
	double value, off;
	bool outlier;
};

/* The values of the hosts of one class, the best one first. */
struct memphis_cluster_ranking {
	struct memphis_cluster_value *list;
	size_t count;
	double median, spread;
};

/*
 * Loads files that memphis node --save wrote. For a directory, loads the files HOST.node in it, and skips
 * those that cannot be read. Returns 0, or a negative errno with a message in *error. The cluster must be
 * closed in both cases.
 */
int memphis_cluster_load(struct memphis_cluster *cluster, char *const *paths, size_t count,
			 struct memphis_error *error);
void memphis_cluster_close(struct memphis_cluster *cluster);

/* Returns the number of hosts in the class that begins at cluster->list[first]. */
size_t memphis_cluster_class(const struct memphis_cluster *cluster, size_t first);

/*
 * Advances *quantity to the next quantity that hosts of one class may have. Start with a quantity of zeros.
 * Returns false after the last one.
 */
bool memphis_cluster_next(const struct memphis_cluster_host *hosts, size_t count,
			  struct memphis_cluster_quantity *quantity);

/* Ranks hosts of one class. Returns 0 or -ENOMEM. The caller must free ranking->list. */
int memphis_cluster_rank(const struct memphis_cluster_host *hosts, size_t count,
			 struct memphis_cluster_quantity quantity, struct memphis_cluster_ranking *ranking);

/*
 * Append the comparison. Set *slow to the number of hosts with at least one outlier that is worse than the
 * median. Return 0 or -ENOMEM.
 */
int memphis_cluster_text(const struct memphis_cluster *cluster, size_t *slow, struct memphis_text *text);
int memphis_cluster_json(const struct memphis_cluster *cluster, size_t *slow, struct memphis_text *text);

#endif
