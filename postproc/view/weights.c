// SPDX-License-Identifier: BSD-3-Clause
/* Finds the measurements of the hosts on which a run was made. Estimates the cost of remote accesses relative to local ones. */
#include "view/weights.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/order.h"

static bool latency_is_sampled(const struct memphis_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->pair_count; i++)
		if (rows->matrix[i].sum.measure.latency_cycles)
			return true;
	return false;
}

/* The hosts on which a run was made. */
struct hosts {
	const char **names; /* sorted, without duplicates; the strings belong to the processes */
	size_t count;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int find_hosts(struct hosts *hosts, const struct memphis_processes *processes)
{
	const char *name;
	size_t kept = 0, i;

	hosts->count = 0;
	hosts->names = calloc(processes->count + 1, sizeof(*hosts->names));
	if (!hosts->names)
		return -ENOMEM;
	for (i = 0; i < processes->count; i++) {
		name = memphis_setting(&processes->list[i].settings, "host");
		if (name)
			hosts->names[hosts->count++] = name;
	}
	qsort(hosts->names, hosts->count, sizeof(*hosts->names), compare_names);
	for (i = 0; i < hosts->count; i++)
		if (!kept || strcmp(hosts->names[kept - 1], hosts->names[i]))
			hosts->names[kept++] = hosts->names[i];
	hosts->count = kept;
	return 0;
}

static int add_measurement(struct memphis_weights *weights, const char *host, const char *path,
			   struct memphis_error *error)
{
	struct memphis_measurement *added = memphis_append(weights->list, weights->count, weights->room);

	if (added)
		*added = (struct memphis_measurement){.host = host, .path = strdup(path)};
	if (!added || !added->path)
		return memphis_fail(error, -ENOMEM, "out of memory");
	return memphis_matrices_load(&added->matrices, path, error);
}

/* Loads the file if its name is HOST.node for a host of the run that has no measurement yet. */
static int load_if_of_host(struct memphis_weights *weights, const struct hosts *hosts, const char *path,
			   struct memphis_error *error)
{
	const char *name = memphis_basename(path), **host;
	char *stem;
	size_t i;

	if (!memphis_ends_with(name, MEMPHIS_NODE_SUFFIX))
		return 0;
	stem = strndup(name, strlen(name) - strlen(MEMPHIS_NODE_SUFFIX));
	if (!stem)
		return memphis_fail(error, -ENOMEM, "out of memory");
	host = bsearch(&stem, hosts->names, hosts->count, sizeof(*hosts->names), compare_names);
	free(stem);
	for (i = 0; host && i < weights->count; i++)
		if (weights->list[i].host == *host)
			host = NULL;
	return host ? add_measurement(weights, *host, path, error) : 0;
}

/* Loads the file, or all files of the directory, whose names are HOST.node for hosts of the run. */
static int load_from_path(struct memphis_weights *weights, const struct hosts *hosts, const char *path,
			  struct memphis_error *error)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	char *file;
	int rc = 0;

	if (!directory)
		return load_if_of_host(weights, hosts, path, error);
	while (!rc && (entry = readdir(directory))) {
		if (!memphis_ends_with(entry->d_name, MEMPHIS_NODE_SUFFIX))
			continue;
		if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
			rc = memphis_fail(error, -ENOMEM, "out of memory");
			break;
		}
		rc = load_if_of_host(weights, hosts, file, error);
		free(file);
	}
	closedir(directory);
	return rc;
}

static int compare_measurements(const void *a, const void *b)
{
	const struct memphis_measurement *x = a, *y = b;

	return strcmp(x->host, y->host);
}

/* Returns the measurement of the host, or NULL if it has none. */
static const struct memphis_measurement *find_measurement(const struct memphis_weights *weights,
							  const char *host)
{
	const struct memphis_measurement key = {.host = host};

	return host && weights->count
		       ? bsearch(&key, weights->list, weights->count, sizeof(key), compare_measurements)
		       : NULL;
}

static void use_measurement(struct memphis_weights *weights, const struct memphis_measurement *chosen)
{
	weights->path = chosen->path;
	weights->matrices = &chosen->matrices;
}

static int load_from_inputs(struct memphis_weights *weights, const struct memphis_processes *processes,
			    char *const *paths, size_t count, struct memphis_error *error)
{
	const struct memphis_measurement *found = NULL;
	struct hosts hosts;
	size_t i;
	int rc = find_hosts(&hosts, processes);

	if (rc)
		memphis_fail(error, rc, "out of memory");
	for (i = 0; !rc && i < count; i++)
		rc = load_from_path(weights, &hosts, paths[i], error);
	memphis_sort(weights->list, weights->count, compare_measurements);
	for (i = 0; !rc && !found && i < processes->count; i++) {
		found = find_measurement(weights, memphis_setting(&processes->list[i].settings, "host"));
		if (found)
			use_measurement(weights, found);
	}
	free(hosts.names);
	return rc;
}

int memphis_weights_load(struct memphis_weights *weights, const struct memphis_profile *profile,
			 const char *path, char *const *inputs, size_t input_count,
			 struct memphis_error *error)
{
	struct stat status;
	int rc;

	memset(weights, 0, sizeof(*weights));
	if (!path)
		return load_from_inputs(weights, &profile->processes, inputs, input_count, error);
	if (!stat(path, &status) && S_ISDIR(status.st_mode)) {
		rc = load_from_inputs(weights, &profile->processes, (char *const[]){(char *)path}, 1, error);
		return rc || weights->count
			       ? rc
			       : memphis_fail(error, -ENOENT,
					      "%s: no HOST" MEMPHIS_NODE_SUFFIX " of a host of this run",
					      path);
	}
	rc = add_measurement(weights, "", path, error);
	if (!rc)
		use_measurement(weights, weights->list);
	return rc;
}

bool memphis_weights_has(const struct memphis_weights *weights, const char *host)
{
	return find_measurement(weights, host);
}

const struct memphis_matrices *memphis_weights_of_host(const struct memphis_weights *weights,
						       const char *host)
{
	const struct memphis_measurement *own = find_measurement(weights, host);

	return own ? &own->matrices : weights->matrices;
}

void memphis_weights_decide(struct memphis_weights *weights, const struct memphis_rows *rows, bool given)
{
	weights->known = weights->path && (given || !latency_is_sampled(rows));
}

void memphis_weights_close(struct memphis_weights *weights)
{
	size_t i;

	for (i = 0; i < weights->count; i++) {
		free(weights->list[i].path);
		memphis_matrices_close(&weights->list[i].matrices);
	}
	free(weights->list);
	memset(weights, 0, sizeof(*weights));
}

double memphis_weight_of_pair(const struct memphis_weights *weights, uint32_t node, uint32_t home)
{
	double weight = memphis_matrices_latency(weights->matrices, node, home) /
			memphis_matrices_latency(weights->matrices, node, node);

	return isnan(weight) ? 1 : weight;
}

double memphis_weight_of_variable(const struct memphis_weights *weights, const struct memphis_rows *rows,
				  uint32_t node, const struct memphis_variable_row *variable)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < rows->home_count; i++)
		if (variable->homes[i])
			sum += (double)variable->homes[i] *
			       memphis_weight_of_pair(weights, node, rows->homes[i]);
	return sum;
}
