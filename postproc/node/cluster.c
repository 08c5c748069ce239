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

const struct memphis_cluster_quantity memphis_cluster_quantities[] = {
	{"local_latency_ns", "latency of a node's own memory", MEMPHIS_SPEED_LATENCY, false},
	{"remote_latency_ns", "latency of another node's memory", MEMPHIS_SPEED_LATENCY, true},
	{"local_bandwidth_gb_per_s", "bandwidth of a node's own memory", MEMPHIS_SPEED_TRIAD, false},
	{"remote_bandwidth_gb_per_s", "bandwidth of another node's memory", MEMPHIS_SPEED_TRIAD, true},
};
const size_t memphis_cluster_quantity_count =
	sizeof(memphis_cluster_quantities) / sizeof(*memphis_cluster_quantities);

static int load_file(struct memphis_cluster *cluster, const char *path, struct memphis_error *error)
{
	struct memphis_cluster_host *host = memphis_append(cluster->list, cluster->count, cluster->room);

	if (host)
		host->path = strdup(path);
	if (!host || !host->path)
		return memphis_fail(error, -ENOMEM, "out of memory");
	return memphis_matrices_load(&host->matrices, path, error);
}

static bool is_measurement(const char *name)
{
	const size_t bytes = strlen(name), end = strlen(MEMPHIS_CLUSTER_SUFFIX);

	return bytes > end && !strcmp(name + bytes - end, MEMPHIS_CLUSTER_SUFFIX);
}

static int load_directory(struct memphis_cluster *cluster, const char *path, struct memphis_error *error)
{
	const size_t before = cluster->count;
	DIR *directory = opendir(path);
	struct dirent *entry;
	char *file;
	int rc = 0;

	if (!directory)
		return memphis_fail(error, -errno, "%s: %s", path, strerror(errno));
	while (!rc && (entry = readdir(directory))) {
		if (!is_measurement(entry->d_name))
			continue;
		if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
			rc = memphis_fail(error, -ENOMEM, "out of memory");
			break;
		}
		rc = load_file(cluster, file, error);
		free(file);
	}
	closedir(directory);
	if (!rc && cluster->count == before)
		rc = memphis_fail(error, -ENOENT,
				  "%s: no measurement (*" MEMPHIS_CLUSTER_SUFFIX
				  ") here; memphis node --measure --save HOST" MEMPHIS_CLUSTER_SUFFIX
				  " writes one",
				  path);
	return rc;
}

static int compare_hosts(const void *a, const void *b)
{
	const struct memphis_cluster_host *x = a, *y = b;
	const int order = strcmp(x->matrices.class, y->matrices.class);

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
	memset(cluster, 0, sizeof(*cluster));
}

size_t memphis_cluster_class(const struct memphis_cluster *cluster, size_t first)
{
	size_t end = first + 1;

	while (end < cluster->count &&
	       !strcmp(cluster->list[end].matrices.class, cluster->list[first].matrices.class))
		end++;
	return end - first;
}

/* Returns whether `value` is worse than `than`, which may be NAN. */
static bool is_worse(const struct memphis_cluster_quantity *quantity, double value, double than)
{
	return isnan(than) || (memphis_speeds[quantity->speed].is_bandwidth ? value < than : value > than);
}

/* Finds the worst node or pair of nodes; the value is NAN if none was measured. */
static struct memphis_cluster_value worst_of(const struct memphis_cluster_host *host,
					     const struct memphis_cluster_quantity *quantity)
{
	const struct memphis_matrices *matrices = &host->matrices;
	const double *values = matrices->values[quantity->speed];
	struct memphis_cluster_value worst = {.host = host, .value = NAN};
	double value;
	size_t i, j;

	for (i = 0; i < matrices->count; i++)
		for (j = 0; j < matrices->count; j++) {
			value = values[i * matrices->count + j];
			if ((i != j) != quantity->remote || isnan(value) ||
			    !is_worse(quantity, value, worst.value))
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

static int judge(struct memphis_cluster_ranking *ranking, const struct memphis_cluster_quantity *quantity)
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
		value->off = (value->value / ranking->median - 1) *
			     (memphis_speeds[quantity->speed].is_bandwidth ? -1 : 1);
		value->outlier =
			ranking->count >= MEMPHIS_OUTLIER_LEAST &&
			fabs(value->value - ranking->median) > MEMPHIS_OUTLIER_SCALES * ranking->spread;
	}
	free(values);
	qsort(ranking->list, ranking->count, sizeof(*ranking->list), compare_values);
	return 0;
}

int memphis_cluster_rank(const struct memphis_cluster_host *hosts, size_t count,
			 const struct memphis_cluster_quantity *quantity,
			 struct memphis_cluster_ranking *ranking)
{
	struct memphis_cluster_value worst;
	size_t i;

	*ranking = (struct memphis_cluster_ranking){.list = calloc(count + 1, sizeof(*ranking->list))};
	if (!ranking->list)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		worst = worst_of(&hosts[i], quantity);
		if (!isnan(worst.value))
			ranking->list[ranking->count++] = worst;
	}
	return ranking->count ? judge(ranking, quantity) : 0;
}
