// SPDX-License-Identifier: BSD-3-Clause
/* Checks of the measured latency, bandwidth and rate of DGEMM. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "node/node.h"

#define BLAS                                                                                               \
	"install OpenBLAS (Debian: libopenblas0, Fedora: openblas), or set MEMPHIS_BLAS to the path of a " \
	"BLAS"

static void put_span(struct memphis_text *text, const char *what, double low, double high, const char *unit)
{
	memphis_text_print(text, "%s %.1f", what, low);
	if (high > low)
		memphis_text_print(text, " to %.1f", high);
	memphis_text_print(text, " %s", unit);
}

/* Appends the range of the measured values. Returns false if no value was measured. */
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

enum memphis_verdict memphis_check_dgemm(const struct memphis_examination *examination,
					 struct memphis_check_result *finding)
{
	const struct memphis_dgemm *dgemm = &examination->matrices->dgemm;
	double low = NAN, high = NAN;
	size_t i;

	for (i = 0; i < examination->matrices->count; i++) {
		low = fmin(low, dgemm->rates[i]);
		high = fmax(high, dgemm->rates[i]);
	}
	if (isnan(low)) {
		memphis_text_put(&finding->evidence,
				 *dgemm->lacking ? dgemm->lacking : "no node has a core for this process");
		if (*dgemm->lacking)
			memphis_text_put(&finding->remedy, BLAS);
		return MEMPHIS_VERDICT_UNKNOWN;
	}
	memphis_text_print(&finding->value, "%.0f", low);
	put_span(&finding->evidence, "each node", low, high, memphis_dgemm_row.unit);
	memphis_text_print(&finding->evidence, ", by %s (%s)", dgemm->library, dgemm->path);
	if (!dgemm->is_slow)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->evidence, ": not known as an optimised library, and probably slow");
	memphis_text_put(&finding->remedy, BLAS);
	return MEMPHIS_VERDICT_WARN;
}

static void put_worst_deviation(struct memphis_check_result *finding, const struct memphis_outlier *outlier)
{
	memphis_text_print(&finding->evidence, "; most the %s ", outlier->row->word);
	if (outlier->row == &memphis_dgemm_row) {
		memphis_text_print(&finding->evidence, "of node %u", outlier->from);
		memphis_text_print(&finding->remedy,
				   "look at the load of node %u, its frequency, heat and power limits",
				   outlier->from);
	} else {
		memphis_text_print(&finding->evidence, "from node %u to node %u", outlier->from, outlier->to);
		memphis_text_print(
			&finding->remedy,
			"look at the memory modules of node %u, its load, and the link between the two",
			outlier->to);
	}
	memphis_text_print(&finding->evidence, ": %.1f %s, not %.1f", outlier->value, outlier->row->unit,
			   outlier->expected);
}

enum memphis_verdict memphis_check_baseline(const struct memphis_examination *examination,
					    struct memphis_check_result *finding)
{
	const struct memphis_matrices *matrices = examination->matrices, *baseline = examination->baseline;
	struct memphis_outlier outlier;

	if (strcmp(matrices->host, baseline->host) &&
	    !memphis_class_is_like(matrices->class, baseline->class)) {
		memphis_text_print(&finding->evidence, "it is of another kind of machine: %s",
				   baseline->class);
		return MEMPHIS_VERDICT_UNKNOWN;
	}
	memphis_matrices_compare(matrices, baseline, examination->tolerance, &outlier);
	if (!outlier.compared)
		return memphis_check_unknown(finding, "it has no pair of nodes in common with this machine");
	memphis_text_print(&finding->evidence, "%zu of %zu values of %s are worse by more than %.0f %%",
			   outlier.worse, outlier.compared, baseline->host, 100 * examination->tolerance);
	if (*baseline->dgemm.library && !memphis_dgemm_is_comparable(matrices, baseline))
		memphis_text_print(&finding->evidence,
				   "; DGEMM is not compared, since that of the baseline is by %s",
				   baseline->dgemm.library);
	if (!outlier.found)
		return MEMPHIS_VERDICT_OK;
	put_worst_deviation(finding, &outlier);
	return MEMPHIS_VERDICT_FAIL;
}
