// SPDX-License-Identifier: BSD-3-Clause
/* Loads the saved measurements of many machines, and ranks them. */
#include "node/cluster.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int load_file(struct memphis_cluster *cluster, const char *path, struct memphis_error *error)
{
	struct memphis_cluster_host *host = memphis_append(cluster->list, cluster->count, cluster->room);

	if (host)
		host->path = strdup(path);
	if (!host || !host->path)
		return memphis_fail(error, -ENOMEM, "out of memory");
	return memphis_matrices_load(&host->matrices, path, error);
}

/* Removes the host of the last file, which could not be read. Adds the reason to cluster->left_out. */
static void drop_last_host(struct memphis_cluster *cluster, const struct memphis_error *error)
{
	struct memphis_cluster_host *host = &cluster->list[--cluster->count];

	free(host->path);
	memphis_matrices_close(&host->matrices);
	memphis_text_put(&cluster->left_out, error->text);
	memphis_text_put(&cluster->left_out, "\n");
}

static int load_directory(struct memphis_cluster *cluster, const char *path, struct memphis_error *error)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	bool found = false;
	char *file;
	int rc = 0;

	if (!directory)
		return memphis_fail(error, -errno, "%s: %s", path, strerror(errno));
	while (!rc && (entry = readdir(directory))) {
		if (!memphis_ends_with(entry->d_name, MEMPHIS_NODE_SUFFIX))
			continue;
		if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
			rc = memphis_fail(error, -ENOMEM, "out of memory");
			break;
		}
		rc = load_file(cluster, file, error);
		free(file);
		found = true;
		if (rc && rc != -ENOMEM) {
			drop_last_host(cluster, error);
			rc = 0;
		}
	}
	closedir(directory);
	if (!rc && !found)
		rc = memphis_fail(error, -ENOENT,
				  "%s: no measurement (*" MEMPHIS_NODE_SUFFIX
				  ") here; memphis node --measure --save HOST" MEMPHIS_NODE_SUFFIX
				  " writes one",
				  path);
	return rc;
}

/* Compares by CPUs, packages and nodes, then by the host's name. */
static int compare_hosts(const void *a, const void *b)
{
	const struct memphis_cluster_host *x = a, *y = b;
	double larger;
	const int order = memphis_class_compare(x->matrices.class, y->matrices.class, &larger);

	return order ? order : strverscmp(x->matrices.host, y->matrices.host);
}

/* Compares by CPUs, packages and nodes, then by memory, then by the host's name. */
static int compare_classes(const void *a, const void *b)
{
	const struct memphis_cluster_host *x = a, *y = b;
	double larger;
	const int order = memphis_class_compare(x->matrices.class, y->matrices.class, &larger);

	if (!order && larger != 0)
		return larger > 0 ? -1 : 1;
	return order ? order : strverscmp(x->matrices.host, y->matrices.host);
}

int memphis_cluster_load(struct memphis_cluster *cluster, char *const *paths, size_t count,
			 struct memphis_error *error)
{
	const struct memphis_cluster_host *host;
	struct stat status;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < count; i++)
		rc = !stat(paths[i], &status) && S_ISDIR(status.st_mode)
			     ? load_directory(cluster, paths[i], error)
			     : load_file(cluster, paths[i], error);
	if (rc)
		return rc;
	qsort(cluster->list, cluster->count, sizeof(*cluster->list), compare_hosts);
	for (host = cluster->list + 1; host < cluster->list + cluster->count; host++)
		if (!compare_hosts(host - 1, host))
			return memphis_fail(error, -EINVAL,
					    "%s: a measurement of %s, as %s; give one of them", host->path,
					    host->matrices.host, host[-1].path);
	qsort(cluster->list, cluster->count, sizeof(*cluster->list), compare_classes);
	return 0;
}

void memphis_cluster_close(struct memphis_cluster *cluster)
{
	size_t i;

	for (i = 0; i < cluster->count; i++) {
		free(cluster->list[i].path);
		memphis_matrices_close(&cluster->list[i].matrices);
	}
	free(cluster->list);
	memphis_text_close(&cluster->left_out);
	memset(cluster, 0, sizeof(*cluster));
}

size_t memphis_cluster_class(const struct memphis_cluster *cluster, size_t first)
{
	const char *class = cluster->list[first].matrices.class;
	size_t end = first + 1;

	while (end < cluster->count && memphis_class_is_like(class, cluster->list[end].matrices.class))
		end++;
	return end - first;
}

/* Returns true if `value` is worse than `other`, or if `other` is NAN. */
static bool is_worse(struct memphis_cluster_quantity quantity, double value, double other)
{
	return isnan(other) || (memphis_cluster_row(quantity)->is_bandwidth ? value < other : value > other);
}

/*
 * Returns the value of a node (from == to) or of a pair of nodes, given by their indices. Returns NAN if the
 * quantity has no such value, or if the value was not measured.
 */
static double quantity_value(const struct memphis_matrices *matrices,
			     struct memphis_cluster_quantity quantity, size_t from, size_t to)
{
	const size_t pair = from * matrices->count + to;

	if ((from != to) != quantity.remote)
		return NAN;
	if (quantity.speed == MEMPHIS_CLUSTER_DGEMM)
		return strcmp(matrices->dgemm.library, quantity.blas) ? NAN : matrices->dgemm.rates[from];
	/* The last step is the one in which all other cores of the node read. */
	if (quantity.speed == MEMPHIS_CLUSTER_LOADED)
		return matrices->loaded[(pair + 1) * MEMPHIS_LOAD_STEPS - 1].ns;
	return matrices->values[quantity.speed][pair];
}

/* Finds the worst node or pair of nodes of the host. The value is NAN if none was measured. */
static struct memphis_cluster_value find_worst(const struct memphis_cluster_host *host,
					       struct memphis_cluster_quantity quantity)
{
	const struct memphis_matrices *matrices = &host->matrices;
	struct memphis_cluster_value worst = {.host = host, .value = NAN};
	double value;
	size_t i, j;

	for (i = 0; i < matrices->count; i++)
		for (j = 0; j < matrices->count; j++) {
			value = quantity_value(matrices, quantity, i, j);
			if (isnan(value) || !is_worse(quantity, value, worst.value))
				continue;
			worst.value = value;
			worst.from = matrices->nodes[i];
			worst.to = matrices->nodes[j];
		}
	return worst;
}

static int compare_values(const void *a, const void *b)
{
	const struct memphis_cluster_value *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return strverscmp(x->host->matrices.host, y->host->matrices.host);
}

static int rank_quantity(struct memphis_cluster_ranking *ranking, struct memphis_cluster_quantity quantity)
{
	double *values = malloc((ranking->count + 1) * sizeof(*values));
	struct memphis_cluster_value *value;
	size_t i;

	if (!values)
		return -ENOMEM;
	for (i = 0; i < ranking->count; i++)
		values[i] = ranking->list[i].value;
	ranking->median = memphis_median(values, ranking->count);
	ranking->spread = fmax(memphis_spread(values, ranking->count, ranking->median),
			       MEMPHIS_CLUSTER_NOISE * ranking->median);
	for (i = 0; i < ranking->count; i++) {
		value = &ranking->list[i];
		value->off = memphis_cluster_row(quantity)->is_bandwidth ? 1 - value->value / ranking->median
									 : value->value / ranking->median - 1;
		value->outlier =
			ranking->count >= MEMPHIS_OUTLIER_LEAST &&
			fabs(value->value - ranking->median) > MEMPHIS_OUTLIER_SCALES * ranking->spread;
	}
	free(values);
	qsort(ranking->list, ranking->count, sizeof(*ranking->list), compare_values);
	return 0;
}

/*
 * Returns the name of the BLAS that follows `after` in alphabetical order, or the first one if `after` is
 * NULL. Returns NULL if there is none.
 */
static const char *next_blas(const struct memphis_cluster_host *hosts, size_t count, const char *after)
{
	const char *next = NULL, *library;
	size_t i;

	for (i = 0; i < count; i++) {
		library = hosts[i].matrices.dgemm.library;
		if ((!after || strcmp(library, after) > 0) && (!next || strcmp(library, next) < 0))
			next = library;
	}
	return next;
}

bool memphis_cluster_next(const struct memphis_cluster_host *hosts, size_t count,
			  struct memphis_cluster_quantity *quantity)
{
	if (quantity->speed < MEMPHIS_CLUSTER_DGEMM) {
		quantity->speed += quantity->remote;
		quantity->remote = !quantity->remote;
	}
	if (quantity->speed == MEMPHIS_CLUSTER_DGEMM) {
		quantity->blas = next_blas(hosts, count, quantity->blas);
		return quantity->blas;
	}
	return true;
}

int memphis_cluster_rank(const struct memphis_cluster_host *hosts, size_t count,
			 struct memphis_cluster_quantity quantity, struct memphis_cluster_ranking *ranking)
{
	struct memphis_cluster_value worst;
	size_t i;

	*ranking = (struct memphis_cluster_ranking){.list = calloc(count + 1, sizeof(*ranking->list))};
	if (!ranking->list)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		worst = find_worst(&hosts[i], quantity);
		if (!isnan(worst.value))
			ranking->list[ranking->count++] = worst;
	}
	return ranking->count ? rank_quantity(ranking, quantity) : 0;
}
