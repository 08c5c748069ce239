// SPDX-License-Identifier: BSD-3-Clause
/* The comparison of machines as text and JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "node/cluster.h"

#define LISTED 3 /* number of fastest and of slowest hosts that are listed; outliers are always listed */

/* Sets slow[i] to true for each host with a slow outlier. i is the index in cluster->list. */
static void mark_slow(const struct memphis_cluster *cluster, const struct memphis_cluster_ranking *ranking,
		      bool *slow)
{
	size_t i;

	for (i = 0; i < ranking->count; i++)
		if (ranking->list[i].outlier && ranking->list[i].off > 0)
			slow[ranking->list[i].host - cluster->list] = true;
}

static size_t count_marked(const bool *slow, size_t count)
{
	size_t marked = 0, i;

	for (i = 0; i < count; i++)
		marked += slow[i];
	return marked;
}

static size_t host_width(const struct memphis_cluster *cluster)
{
	size_t width = 4, i;

	for (i = 0; i < cluster->count; i++)
		if (strlen(cluster->list[i].matrices.host) > width)
			width = strlen(cluster->list[i].matrices.host);
	return width;
}

static void put_value(struct memphis_text *text, const struct memphis_cluster_value *value,
		      struct memphis_cluster_quantity quantity, size_t width)
{
	struct memphis_text host = {0};

	memphis_text_put_plain(&host, value->host->matrices.host);
	memphis_text_put(text, "  ");
	memphis_layout_put_cell(text, &host, width);
	memphis_text_close(&host);
	memphis_text_print(text, "%10.1f %-4s", value->value, memphis_cluster_row(quantity)->unit);
	/* Appends the deviation as a share of the median. A lower bandwidth, which is worse, is shown as negative. */
	memphis_text_print(text, "  %+6.1f %%",
			   100 * (memphis_cluster_row(quantity)->is_bandwidth ? 0 - value->off : value->off));
	if (quantity.remote)
		memphis_text_print(text, "  node %u to memory of node %u", value->from, value->to);
	else
		memphis_text_print(text, "  node %u", value->from);
	if (value->outlier)
		memphis_text_print(text, "  outlier: %s", value->off > 0 ? "slower" : "faster");
	memphis_text_put(text, "\n");
}

/* Appends the ranking. `hosts` is the number of hosts in the class. It is shown if some of them lack the quantity. */
static void put_ranking(struct memphis_text *text, const struct memphis_cluster_ranking *ranking,
			struct memphis_cluster_quantity quantity, size_t hosts, size_t width)
{
	const double limit = MEMPHIS_OUTLIER_SCALES * ranking->spread;
	size_t i, left_out = 0;

	memphis_text_print(text, "\n%s", memphis_cluster_row(quantity)->word);
	if (quantity.speed != MEMPHIS_CLUSTER_DGEMM)
		memphis_text_put(text, quantity.remote ? ", other memory" : ", own memory");
	if (quantity.speed == MEMPHIS_CLUSTER_DGEMM && *quantity.blas) {
		memphis_text_put(text, " by ");
		memphis_text_put_plain(text, quantity.blas);
	}
	memphis_text_print(text, ", of the slowest %s of ", quantity.remote ? "pair of nodes" : "node");
	if (ranking->count < hosts)
		memphis_text_print(text, "%zu of %zu hosts", ranking->count, hosts);
	else
		memphis_text_put(text, "each host");
	memphis_text_print(text, ": median %.1f %s", ranking->median, memphis_cluster_row(quantity)->unit);
	if (ranking->count >= MEMPHIS_OUTLIER_LEAST)
		memphis_text_print(text, ", outliers differ by more than %.1f", limit);
	memphis_text_put(text, "\n");
	for (i = 0; i < ranking->count; i++) {
		if (i >= LISTED && i + LISTED < ranking->count && !ranking->list[i].outlier) {
			left_out++;
			continue;
		}
		if (left_out)
			memphis_text_print(text, "  ... %zu hosts between them\n", left_out);
		left_out = 0;
		put_value(text, &ranking->list[i], quantity, width);
	}
}

static int put_class(const struct memphis_cluster *cluster, size_t first, size_t count, bool *slow,
		     struct memphis_text *text)
{
	struct memphis_cluster_quantity quantity = {.speed = 0};
	struct memphis_cluster_ranking ranking;
	int rc;

	memphis_text_print(text, "%s%zu host%s: ", first ? "\n" : "", count, count == 1 ? "" : "s");
	memphis_text_put_plain(text, cluster->list[first].matrices.class);
	memphis_text_put(text, "\n");
	if (count < MEMPHIS_OUTLIER_LEAST)
		memphis_text_print(text, "no host is judged, since there are fewer than %d\n",
				   MEMPHIS_OUTLIER_LEAST);
	do {
		rc = memphis_cluster_rank(&cluster->list[first], count, quantity, &ranking);
		if (!rc && ranking.count) {
			put_ranking(text, &ranking, quantity, count, host_width(cluster));
			mark_slow(cluster, &ranking, slow);
		}
		free(ranking.list);
	} while (!rc && memphis_cluster_next(&cluster->list[first], count, &quantity));
	return rc;
}

static void put_slow(const struct memphis_cluster *cluster, const bool *slow, struct memphis_text *text)
{
	const size_t count = count_marked(slow, cluster->count);
	bool judged = false;
	size_t i;

	for (i = 0; i < cluster->count; i += memphis_cluster_class(cluster, i))
		judged = judged || memphis_cluster_class(cluster, i) >= MEMPHIS_OUTLIER_LEAST;
	if (!judged)
		return;
	if (!count) {
		memphis_text_put(text, "\nno host is slower than the others\n");
		return;
	}
	memphis_text_print(text, "\n%zu of %zu hosts %s slower than the others:", count, cluster->count,
			   count == 1 ? "is" : "are");
	for (i = 0; i < cluster->count; i++)
		if (slow[i]) {
			memphis_text_put(text, " ");
			memphis_text_put_plain(text, cluster->list[i].matrices.host);
		}
	memphis_text_put(text, "\n");
}

int memphis_cluster_text(const struct memphis_cluster *cluster, size_t *slow, struct memphis_text *text)
{
	bool *marked = calloc(cluster->count + 1, sizeof(*marked));
	size_t first, count;
	int rc = marked ? 0 : -ENOMEM;

	for (first = 0; !rc && first < cluster->count; first += count) {
		count = memphis_cluster_class(cluster, first);
		rc = put_class(cluster, first, count, marked, text);
	}
	if (!rc) {
		put_slow(cluster, marked, text);
		*slow = count_marked(marked, cluster->count);
	}
	free(marked);
	return rc ? rc : text->failed ? -ENOMEM : 0;
}

static void put_json_value(struct memphis_json *json, const struct memphis_cluster_value *value,
			   struct memphis_cluster_quantity quantity)
{
	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "host", value->host->matrices.host);
	memphis_json_real(json, "value", value->value);
	memphis_json_number(json, "node", value->from);
	if (quantity.speed == MEMPHIS_CLUSTER_DGEMM)
		memphis_json_string(json, "blas", value->host->matrices.dgemm.library);
	else
		memphis_json_number(json, "memory", value->to);
	memphis_json_real(json, "worse", value->off);
	memphis_json_bool(json, "outlier", value->outlier);
	memphis_json_close(json, '}');
}

static int put_json_quantity(struct memphis_json *json, const struct memphis_cluster *cluster, size_t first,
			     size_t count, struct memphis_cluster_quantity quantity, bool *slow)
{
	struct memphis_cluster_ranking ranking;
	size_t i;
	int rc = memphis_cluster_rank(&cluster->list[first], count, quantity, &ranking);

	if (!rc && ranking.count) {
		mark_slow(cluster, &ranking, slow);
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "quantity", memphis_cluster_row(quantity)->json);
		memphis_json_string(json, "memory",
				    quantity.speed == MEMPHIS_CLUSTER_DGEMM ? NULL
				    : quantity.remote                       ? "other"
									    : "own");
		memphis_json_real(json, "median", ranking.median);
		memphis_json_real(json, "spread", ranking.spread);
		memphis_json_open(json, "hosts", '[');
		for (i = 0; i < ranking.count; i++)
			put_json_value(json, &ranking.list[i], quantity);
		memphis_json_close(json, ']');
		memphis_json_close(json, '}');
	}
	free(ranking.list);
	return rc;
}

int memphis_cluster_json(const struct memphis_cluster *cluster, size_t *slow, struct memphis_text *text)
{
	bool *marked = calloc(cluster->count + 1, sizeof(*marked));
	struct memphis_json json = {.text = text};
	size_t first, count, i;
	struct memphis_cluster_quantity quantity;
	int rc = marked ? 0 : -ENOMEM;

	memphis_json_open(&json, NULL, '{');
	memphis_json_open(&json, "classes", '[');
	for (first = 0; !rc && first < cluster->count; first += count) {
		count = memphis_cluster_class(cluster, first);
		memphis_json_open(&json, NULL, '{');
		memphis_json_string(&json, "class", cluster->list[first].matrices.class);
		memphis_json_open(&json, "quantities", '[');
		quantity = (struct memphis_cluster_quantity){.speed = 0};
		do
			rc = put_json_quantity(&json, cluster, first, count, quantity, marked);
		while (!rc && memphis_cluster_next(&cluster->list[first], count, &quantity));
		memphis_json_close(&json, ']');
		memphis_json_close(&json, '}');
	}
	memphis_json_close(&json, ']');
	memphis_json_open(&json, "slow", '[');
	for (i = 0; !rc && i < cluster->count; i++)
		if (marked[i])
			memphis_json_string(&json, NULL, cluster->list[i].matrices.host);
	memphis_json_close(&json, ']');
	memphis_json_close(&json, '}');
	memphis_text_put(text, "\n");
	if (!rc)
		*slow = count_marked(marked, cluster->count);
	free(marked);
	return rc ? rc : text->failed ? -ENOMEM : 0;
}
