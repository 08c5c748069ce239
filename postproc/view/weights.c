// SPDX-License-Identifier: BSD-3-Clause
/* Finds measured latencies; estimates the cost of remote accesses relative to local ones. */
#include "view/weights.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".node"

static bool latency_is_sampled(const struct memphis_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->pair_count; i++)
		if (rows->matrix[i].sum.latency_cycles)
			return true;
	return false;
}

/* Returns the malloc'ed path of the first HOST.node that exists; NULL if there is none, or if out of memory. */
static char *look_for(const struct memphis_profile *profile, char *const *inputs, size_t count)
{
	const struct memphis_processes *processes = &profile->processes;
	const char *host = processes->count ? memphis_setting(&processes->list[0].settings, "host") : NULL;
	char *path;
	size_t i;

	/* A host name with a slash could lead out of the directory. */
	for (i = 0; host && !strchr(host, '/') && i < count; i++) {
		if (asprintf(&path, "%s/%s" SUFFIX, inputs[i], host) < 0)
			return NULL;
		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

int memphis_weights_load(struct memphis_weights *weights, const struct memphis_profile *profile,
			 const char *path, char *const *inputs, size_t input_count,
			 struct memphis_error *error)
{
	memset(weights, 0, sizeof(*weights));
	weights->path = path ? strdup(path) : look_for(profile, inputs, input_count);
	if (!weights->path)
		return path ? memphis_fail(error, -ENOMEM, "out of memory") : 0;
	return memphis_matrices_load(&weights->matrices, weights->path, error);
}

void memphis_weights_decide(struct memphis_weights *weights, const struct memphis_rows *rows, bool given)
{
	weights->known = weights->path && (given || !latency_is_sampled(rows));
}

void memphis_weights_close(struct memphis_weights *weights)
{
	free(weights->path);
	memphis_matrices_close(&weights->matrices);
	memset(weights, 0, sizeof(*weights));
}

double memphis_weight_of_pair(const struct memphis_weights *weights, uint32_t node, uint32_t home)
{
	double weight = memphis_matrices_latency(&weights->matrices, node, home) /
			memphis_matrices_latency(&weights->matrices, node, node);

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
