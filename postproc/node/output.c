// SPDX-License-Identifier: BSD-3-Clause
/* Prints the results of the checks as text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "node/node.h"

#define NODES_IN_FULL 4 /* up to this number of nodes, latencies under load are printed for all pairs */

static const char *const judgements[] = {
	[MEMPHIS_VERDICT_OK] = "fit",
	[MEMPHIS_VERDICT_FAIL] = "unfit",
	[MEMPHIS_VERDICT_UNKNOWN] = "could not be checked",
};

static size_t count_verdicts(const struct memphis_check_result *findings, enum memphis_verdict verdict)
{
	size_t i, found = 0;

	for (i = 0; i < memphis_check_count; i++)
		found += !findings[i].ignored && findings[i].verdict == verdict;
	return found;
}

static void put_headline(const struct memphis_examination *examination,
			 const struct memphis_check_result *findings, enum memphis_verdict verdict,
			 struct memphis_text *text)
{
	struct memphis_text class = {0};

	memphis_machine_put_class(examination->machine, &class);
	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print(text, "%s: %s", examination->machine->host, judgements[verdict]);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_print(text, " (%zu failed, %zu warnings, %zu not known of %zu checks)\n%s\n\n",
			   count_verdicts(findings, MEMPHIS_VERDICT_FAIL),
			   count_verdicts(findings, MEMPHIS_VERDICT_WARN),
			   count_verdicts(findings, MEMPHIS_VERDICT_UNKNOWN),
			   count_verdicts(findings, MEMPHIS_VERDICT_OK) +
				   count_verdicts(findings, MEMPHIS_VERDICT_FAIL) +
				   count_verdicts(findings, MEMPHIS_VERDICT_WARN) +
				   count_verdicts(findings, MEMPHIS_VERDICT_UNKNOWN),
			   class.text);
	memphis_text_close(&class);
}

static void put_matrix(struct memphis_text *text, const struct memphis_matrices *matrices,
		       const double *values, const char *title)
{
	size_t i, j;

	memphis_text_print(text, "\n%s\n  from \\ to", title);
	for (j = 0; j < matrices->count; j++)
		memphis_text_print(text, " %9u", matrices->nodes[j]);
	memphis_text_put(text, "\n");
	for (i = 0; i < matrices->count; i++) {
		/* Skip nodes without CPUs: nothing was measured from them. */
		for (j = 0; j < matrices->count && isnan(values[i * matrices->count + j]); j++)
			;
		if (j == matrices->count)
			continue;
		memphis_text_print(text, "  %9u", matrices->nodes[i]);
		for (j = 0; j < matrices->count; j++)
			if (isnan(values[i * matrices->count + j]))
				memphis_text_put(text, "         -");
			else
				memphis_text_print(text, " %9.1f", values[i * matrices->count + j]);
		memphis_text_put(text, "\n");
	}
}

/* Returns true if the latency of the pair was measured under load. */
static bool has_loaded_latency(const struct memphis_matrices *matrices, size_t from, size_t to)
{
	return !isnan(matrices->loaded[((from * matrices->count + to) + 1) * MEMPHIS_LOAD_STEPS - 1].ns);
}

/*
 * Returns true if the text shows the loaded latency of the pair. For machines with many nodes, only JSON
 * shows the pairs of different nodes.
 */
static bool is_shown_in_text(const struct memphis_matrices *matrices, size_t from, size_t to)
{
	return (from == to || matrices->count <= NODES_IN_FULL) && has_loaded_latency(matrices, from, to);
}

static void put_loaded(struct memphis_text *text, const struct memphis_matrices *matrices)
{
	const struct memphis_loaded_latency *loaded;
	bool begun = false;
	size_t i, j, step;

	for (i = 0; i < matrices->count; i++)
		for (j = 0; j < matrices->count; j++) {
			if (!is_shown_in_text(matrices, i, j))
				continue;
			if (!begun)
				memphis_text_put(
					text,
					"\nlatency in ns while other cores of the node read, at their GB/s\n"
					"  from    to\n");
			begun = true;
			memphis_text_print(text, "  %4u  %4u %7.1f", matrices->nodes[i], matrices->nodes[j],
					   matrices->values[MEMPHIS_SPEED_LATENCY][i * matrices->count + j]);
			loaded = matrices->loaded + (i * matrices->count + j) * MEMPHIS_LOAD_STEPS;
			for (step = 0; step < MEMPHIS_LOAD_STEPS; step++)
				if (!isnan(loaded[step].ns))
					memphis_text_print(text, "  %7.1f at %.1f", loaded[step].ns,
							   loaded[step].gb);
			memphis_text_put(text, "\n");
		}
}

static void put_dgemm(struct memphis_text *text, const struct memphis_matrices *matrices)
{
	bool begun = false;
	size_t i;

	for (i = 0; i < matrices->count; i++) {
		if (isnan(matrices->dgemm.rates[i]))
			continue;
		if (!begun)
			memphis_text_print(text, "\n%s\n", memphis_dgemm_row.title);
		begun = true;
		memphis_text_print(text, "  %9u %9.1f\n", matrices->nodes[i], matrices->dgemm.rates[i]);
	}
}

void memphis_node_text(const struct memphis_examination *examination,
		       const struct memphis_check_result *findings, enum memphis_verdict verdict,
		       struct memphis_text *text)
{
	const struct memphis_check_result *finding;
	size_t i;

	put_headline(examination, findings, verdict, text);
	for (i = 0; i < memphis_check_count; i++) {
		finding = &findings[i];
		if (finding->ignored)
			continue;
		memphis_text_style(text,
				   finding->verdict == MEMPHIS_VERDICT_OK ? MEMPHIS_PLAIN : MEMPHIS_BOLD);
		memphis_text_print(text, "  %-8s", memphis_verdict_names[finding->verdict]);
		memphis_text_style(text, MEMPHIS_PLAIN);
		memphis_text_print(text, "%-15s ", memphis_checks[i].name);
		memphis_text_put_plain(text, finding->evidence.bytes ? finding->evidence.text : "");
		memphis_text_put(text, "\n");
		if (!finding->remedy.bytes)
			continue;
		/* The remedy may contain process names, which other users choose, so control characters must be replaced. */
		memphis_text_print(text, "%26sremedy: ", "");
		memphis_text_put_plain(text, finding->remedy.text);
		memphis_text_put(text, "\n");
	}
	if (!examination->matrices)
		return;
	for (i = 0; i < MEMPHIS_SPEEDS; i++)
		put_matrix(text, examination->matrices, examination->matrices->values[i],
			   memphis_speeds[i].title);
	put_loaded(text, examination->matrices);
	put_dgemm(text, examination->matrices);
}

static void put_json_nodes(struct memphis_json *json, const struct memphis_machine *machine)
{
	const struct memphis_machine_node *node;
	size_t i, j;

	memphis_json_open(json, "nodes", '[');
	for (i = 0; i < machine->node_count; i++) {
		node = &machine->nodes[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "node", node->number);
		memphis_json_number(json, "memory_bytes", node->memory_bytes);
		memphis_json_number(json, "free_bytes", node->free_bytes);
		memphis_json_string(json, "cpus", node->cpus);
		memphis_json_open(json, "distances", '[');
		for (j = 0; machine->distances && j < machine->node_count; j++)
			memphis_json_number(json, NULL, machine->distances[i * machine->node_count + j]);
		memphis_json_close(json, ']');
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_json_matrix(struct memphis_json *json, const char *key,
			    const struct memphis_matrices *matrices, const double *values)
{
	size_t i, j;

	memphis_json_open(json, key, '[');
	for (i = 0; i < matrices->count; i++) {
		memphis_json_open(json, NULL, '[');
		for (j = 0; j < matrices->count; j++)
			memphis_json_real(json, NULL, values[i * matrices->count + j]);
		memphis_json_close(json, ']');
	}
	memphis_json_close(json, ']');
}

static void put_json_loaded(struct memphis_json *json, const struct memphis_matrices *matrices)
{
	const struct memphis_loaded_latency *loaded = matrices->loaded;
	size_t i, j, step;

	memphis_json_open(json, "loaded_latency", '[');
	for (i = 0; i < matrices->count; i++)
		for (j = 0; j < matrices->count; j++)
			for (step = 1; step <= MEMPHIS_LOAD_STEPS; step++, loaded++) {
				if (isnan(loaded->ns))
					continue;
				memphis_json_open(json, NULL, '{');
				memphis_json_number(json, "from", matrices->nodes[i]);
				memphis_json_number(json, "to", matrices->nodes[j]);
				memphis_json_real(json, "share_of_cores", (double)step / MEMPHIS_LOAD_STEPS);
				memphis_json_real(json, "read_gb_per_s", loaded->gb);
				memphis_json_real(json, "latency_ns", loaded->ns);
				memphis_json_close(json, '}');
			}
	memphis_json_close(json, ']');
}

static void put_json_dgemm(struct memphis_json *json, const struct memphis_matrices *matrices)
{
	const struct memphis_dgemm *dgemm = &matrices->dgemm;
	size_t i;

	memphis_json_open(json, memphis_dgemm_row.json, '[');
	for (i = 0; i < matrices->count; i++)
		memphis_json_real(json, NULL, dgemm->rates[i]);
	memphis_json_close(json, ']');
	memphis_json_string(json, "blas", *dgemm->library ? dgemm->library : NULL);
	memphis_json_string(json, "blas_path", *dgemm->path ? dgemm->path : NULL);
}

static void put_json_checks(struct memphis_json *json, const struct memphis_check_result *findings)
{
	const struct memphis_check_result *finding;
	size_t i;

	memphis_json_open(json, "checks", '[');
	for (i = 0; i < memphis_check_count; i++) {
		finding = &findings[i];
		if (finding->ignored)
			continue;
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "name", memphis_checks[i].name);
		memphis_json_string(json, "title", memphis_checks[i].title);
		memphis_json_string(json, "verdict", memphis_verdict_names[finding->verdict]);
		memphis_json_string(json, "value", finding->value.text);
		memphis_json_string(json, "expected", finding->expected);
		memphis_json_string(json, "evidence", finding->evidence.text);
		memphis_json_string(json, "remedy", finding->remedy.text);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

void memphis_node_json(const struct memphis_examination *examination,
		       const struct memphis_check_result *findings, enum memphis_verdict verdict,
		       struct memphis_text *text)
{
	static const char *const words[] = {"fit", "", "unfit", "unknown"};
	const struct memphis_machine *machine = examination->machine;
	const struct memphis_matrices *matrices = examination->matrices;
	struct memphis_json json = {.text = text};
	struct memphis_text class = {0};
	size_t i;

	memphis_machine_put_class(machine, &class);
	memphis_json_open(&json, NULL, '{');
	memphis_json_string(&json, "host", machine->host);
	memphis_json_string(&json, "class", class.text);
	memphis_json_string(&json, "verdict", words[verdict]);
	memphis_json_number(&json, "packages", machine->package_count);
	memphis_json_number(&json, "cores", machine->core_count);
	memphis_json_number(&json, "cpus", machine->cpu_count);
	put_json_nodes(&json, machine);
	put_json_checks(&json, findings);
	memphis_errors_json(examination, &json);
	memphis_noise_json(examination, &json);
	if (matrices) {
		for (i = 0; i < MEMPHIS_SPEEDS; i++)
			put_json_matrix(&json, memphis_speeds[i].json, matrices, matrices->values[i]);
		put_json_loaded(&json, matrices);
		put_json_dgemm(&json, matrices);
		memphis_json_real(&json, "numa_factor", memphis_matrices_factor(matrices));
		memphis_json_bool(&json, "huge_pages", matrices->huge_pages);
	}
	memphis_json_close(&json, '}');
	memphis_text_put(text, "\n");
	memphis_text_close(&class);
}
