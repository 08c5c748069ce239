// SPDX-License-Identifier: BSD-3-Clause
/* Checks of the measured latency and bandwidth. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "node/node.h"

static void put_span(struct memphis_text *text, const char *what, double low, double high, const char *unit)
{
	memphis_text_print(text, "%s %.1f", what, low);
	if (high > low)
		memphis_text_print(text, " to %.1f", high);
	memphis_text_print(text, " %s", unit);
}

/* Appends the range of the measured values. Returns false if none was measured. */
static bool put_range(struct memphis_check_result *finding, const struct memphis_matrices *matrices,
		      const double *values, const char *unit)
{
	double local_low = NAN, local_high = NAN, low = NAN, high = NAN, value;
	size_t i, j;

	for (i = 0; i < matrices->count; i++)
		for (j = 0; j < matrices->count; j++) {
			value = values[i * matrices->count + j];
			if (i == j) {
				local_low = fmin(local_low, value);
				local_high = fmax(local_high, value);
			} else {
				low = fmin(low, value);
				high = fmax(high, value);
			}
		}
	if (isnan(local_low) && isnan(low)) {
		memphis_text_put(&finding->evidence,
				 "no node has enough free memory available to this process");
		return false;
	}
	if (!isnan(local_low))
		put_span(&finding->evidence, "local", local_low, local_high, unit);
	if (!isnan(low))
		put_span(&finding->evidence, isnan(local_low) ? "remote" : ", remote", low, high, unit);
	return true;
}

enum memphis_verdict memphis_check_latency(const struct memphis_examination *examination,
					   struct memphis_check_result *finding)
{
	const struct memphis_matrices *matrices = examination->matrices;
	double factor = memphis_matrices_factor(matrices);

	if (!put_range(finding, matrices, matrices->values[MEMPHIS_SPEED_LATENCY], "ns"))
		return MEMPHIS_VERDICT_UNKNOWN;
	memphis_text_print(&finding->evidence, ", in %s pages", matrices->huge_pages ? "huge" : "small");
	if (isnan(factor))
		return MEMPHIS_VERDICT_OK;
	memphis_text_print(&finding->evidence, ", NUMA factor %.2f", factor);
	memphis_text_print(&finding->value, "%.2f", factor);
	return MEMPHIS_VERDICT_OK;
}

enum memphis_verdict memphis_check_bandwidth(const struct memphis_examination *examination,
					     struct memphis_check_result *finding)
{
	const struct memphis_matrices *matrices = examination->matrices;

	return put_range(finding, matrices, matrices->values[MEMPHIS_SPEED_TRIAD], "GB/s")
		       ? MEMPHIS_VERDICT_OK
		       : MEMPHIS_VERDICT_UNKNOWN;
}

enum memphis_verdict memphis_check_baseline(const struct memphis_examination *examination,
					    struct memphis_check_result *finding)
{
	const struct memphis_matrices *matrices = examination->matrices, *baseline = examination->baseline;
	struct memphis_outlier outlier;

	if (strcmp(matrices->host, baseline->host) && strcmp(matrices->class, baseline->class)) {
		memphis_text_print(&finding->evidence, "it is of another kind of machine: %s",
				   baseline->class);
		return MEMPHIS_VERDICT_UNKNOWN;
	}
	memphis_matrices_compare(matrices, baseline, examination->tolerance, &outlier);
	if (!outlier.compared)
		return memphis_check_unknown(finding, "it has no pair of nodes in common with this machine");
	memphis_text_print(&finding->evidence, "%zu of %zu values of %s are worse by more than %.0f %%",
			   outlier.worse, outlier.compared, baseline->host, 100 * examination->tolerance);
	if (!outlier.found)
		return MEMPHIS_VERDICT_OK;
	memphis_text_print(&finding->evidence, "; most the %s from node %u to node %u: %.1f %s, not %.1f",
			   memphis_speeds[outlier.speed].word, outlier.from, outlier.to, outlier.value,
			   memphis_speeds[outlier.speed].unit, outlier.expected);
	memphis_text_print(&finding->remedy,
			   "look at the memory modules of node %u, its load, and the link between the two",
			   outlier.to);
	return MEMPHIS_VERDICT_FAIL;
}
