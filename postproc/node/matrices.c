// SPDX-License-Identifier: BSD-3-Clause
/* Saves and loads matrices of latency and bandwidth, and compares them with a baseline. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/node.h"
#include "base/outfile.h"

#define HEADING "memphis-node 1"
/* maximum number of nodes that Linux supports */
#define NODES_MAX 1024
#define VALUE_MAX 1e9 /* upper limit for values in ns, GB/s and GFLOP/s */

const struct memphis_speed_row memphis_speeds[MEMPHIS_SPEEDS] = {
	[MEMPHIS_SPEED_LATENCY] = {"latency_ns", "latency_ns", "latency", "latency of a load from memory, ns",
				   "ns", false},
	[MEMPHIS_SPEED_READ] = {"read_gb", "read_gb_per_s", "bandwidth of reads", "bandwidth of reads, GB/s",
				"GB/s", true},
	[MEMPHIS_SPEED_WRITE] = {"write_gb", "write_gb_per_s", "bandwidth of writes",
				 "bandwidth of writes, GB/s", "GB/s", true},
	[MEMPHIS_SPEED_COPY] = {"copy_gb", "copy_gb_per_s", "bandwidth of a copy",
				"bandwidth of a copy, GB/s", "GB/s", true},
	[MEMPHIS_SPEED_TRIAD] = {"bandwidth_gb", "bandwidth_gb_per_s", "bandwidth",
				 "bandwidth of a triad, GB/s", "GB/s", true},
};

const struct memphis_speed_row memphis_dgemm_row = {
	"dgemm_gflop",   "dgemm_gflop_per_s",
	"rate of DGEMM", "rate of DGEMM on all cores of a node together, GFLOP/s",
	"GFLOP/s",       true};

const struct memphis_speed_row memphis_loaded_row = {
	"loaded",
	"loaded_latency_ns",
	"latency while all other cores of the node read",
	"latency while other cores read from the same memory, ns",
	"ns",
	false};

void memphis_machine_put_class(const struct memphis_machine *machine, struct memphis_text *text)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < machine->node_count; i++)
		bytes += machine->nodes[i].memory_bytes;
	memphis_text_print(text, "%s, packages: %u, nodes: %zu, CPUs: %zu, memory: %.0f GiB",
			   machine->processor.name, machine->package_count, machine->node_count,
			   machine->cpu_count, (double)bytes / 0x1p30);
}

/* Returns the memory size in GiB that the class states, or 0. Sets *bytes to the length of the text before it. */
static double memory_in_class(const char *class, size_t *bytes)
{
	static const char key[] = ", memory: ";
	const char *at = strstr(class, key);

	*bytes = at ? (size_t)(at - class) : strlen(class);
	return at ? strtod(at + strlen(key), NULL) : 0;
}

int memphis_class_compare(const char *a, const char *b, double *larger)
{
	size_t bytes_a, bytes_b;
	const double memory_a = memory_in_class(a, &bytes_a), memory_b = memory_in_class(b, &bytes_b);
	const int order = strncmp(a, b, bytes_a > bytes_b ? bytes_a : bytes_b);

	*larger = memory_a > 0 ? memory_b / memory_a - 1 : 0;
	return order;
}

bool memphis_class_is_like(const char *a, const char *b)
{
	double larger;

	return !memphis_class_compare(a, b, &larger) && fabs(larger) <= MEMPHIS_CLASS_MEMORY;
}

int memphis_matrices_resize(struct memphis_matrices *matrices, size_t count)
{
	const size_t pairs = count ? count * count : 1;
	size_t i, speed;

	matrices->nodes = calloc(count ? count : 1, sizeof(*matrices->nodes));
	matrices->loaded = calloc(pairs * MEMPHIS_LOAD_STEPS, sizeof(*matrices->loaded));
	matrices->dgemm.rates = calloc(count ? count : 1, sizeof(double));
	if (!matrices->nodes || !matrices->loaded || !matrices->dgemm.rates)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		matrices->dgemm.rates[i] = NAN;
	for (speed = 0; speed < MEMPHIS_SPEEDS; speed++) {
		matrices->values[speed] = calloc(pairs, sizeof(double));
		if (!matrices->values[speed])
			return -ENOMEM;
		for (i = 0; i < pairs; i++)
			matrices->values[speed][i] = NAN;
	}
	for (i = 0; i < pairs * MEMPHIS_LOAD_STEPS; i++)
		matrices->loaded[i] = (struct memphis_loaded_latency){NAN, NAN};
	matrices->count = count;
	return 0;
}

void memphis_matrices_close(struct memphis_matrices *matrices)
{
	size_t speed;

	free(matrices->nodes);
	free(matrices->loaded);
	free(matrices->dgemm.rates);
	for (speed = 0; speed < MEMPHIS_SPEEDS; speed++)
		free(matrices->values[speed]);
	memset(matrices, 0, sizeof(*matrices));
}

/* Returns the index of the node, or matrices->count if the matrices do not contain it. */
static size_t find_node(const struct memphis_matrices *matrices, unsigned int node)
{
	size_t i;

	for (i = 0; i < matrices->count && matrices->nodes[i] != node; i++)
		;
	return i;
}

static double pair_value(const struct memphis_matrices *matrices, const double *values, unsigned int from,
			 unsigned int to)
{
	size_t i = find_node(matrices, from), j = find_node(matrices, to);

	return i < matrices->count && j < matrices->count ? values[i * matrices->count + j] : NAN;
}

double memphis_matrices_value(const struct memphis_matrices *matrices, enum memphis_speed speed,
			      unsigned int from, unsigned int to)
{
	return matrices->count ? pair_value(matrices, matrices->values[speed], from, to) : NAN;
}

double memphis_matrices_latency(const struct memphis_matrices *matrices, unsigned int from, unsigned int to)
{
	return memphis_matrices_value(matrices, MEMPHIS_SPEED_LATENCY, from, to);
}

double memphis_matrices_factor(const struct memphis_matrices *matrices)
{
	const double *latency = matrices->values[MEMPHIS_SPEED_LATENCY];
	double factor = NAN, remote;
	size_t i, j;

	for (i = 0; i < matrices->count; i++)
		for (j = 0; j < matrices->count; j++) {
			remote = latency[i * matrices->count + j] / latency[i * matrices->count + i];
			if (i != j && !isnan(remote) && !(remote <= factor))
				factor = remote;
		}
	return factor;
}

static void put_values(struct memphis_text *text, const struct memphis_matrices *matrices, const char *key,
		       const double *values)
{
	size_t i, j;

	for (i = 0; i < matrices->count; i++)
		for (j = 0; j < matrices->count; j++)
			if (!isnan(values[i * matrices->count + j]))
				memphis_text_print(text, "%s %u %u %.6g\n", key, matrices->nodes[i],
						   matrices->nodes[j], values[i * matrices->count + j]);
}

static void put_loaded(struct memphis_text *text, const struct memphis_matrices *matrices)
{
	const struct memphis_loaded_latency *loaded = matrices->loaded;
	size_t i, j, step;

	for (i = 0; i < matrices->count; i++)
		for (j = 0; j < matrices->count; j++)
			for (step = 0; step < MEMPHIS_LOAD_STEPS; step++, loaded++)
				if (!isnan(loaded->ns))
					memphis_text_print(text, "%s %u %u %zu %.6g %.6g\n",
							   memphis_loaded_row.key, matrices->nodes[i],
							   matrices->nodes[j], step + 1, loaded->gb,
							   loaded->ns);
}

static void put_dgemm(struct memphis_text *text, const struct memphis_matrices *matrices)
{
	size_t i;

	if (*matrices->dgemm.library)
		memphis_text_print(text, "blas %s\n", matrices->dgemm.library);
	if (*matrices->dgemm.path)
		memphis_text_print(text, "blas_path %s\n", matrices->dgemm.path);
	for (i = 0; i < matrices->count; i++)
		if (!isnan(matrices->dgemm.rates[i]))
			memphis_text_print(text, "%s %u %.6g\n", memphis_dgemm_row.key, matrices->nodes[i],
					   matrices->dgemm.rates[i]);
}

int memphis_matrices_save(const struct memphis_matrices *matrices, const char *path,
			  struct memphis_error *error)
{
	struct memphis_text text = {0};
	size_t i;

	memphis_text_print(&text, HEADING "\nhost %s\nclass %s\nhuge_pages %s\nnodes", matrices->host,
			   matrices->class, matrices->huge_pages ? "yes" : "no");
	for (i = 0; i < matrices->count; i++)
		memphis_text_print(&text, " %u", matrices->nodes[i]);
	memphis_text_put(&text, "\n");
	for (i = 0; i < MEMPHIS_SPEEDS; i++)
		put_values(&text, matrices, memphis_speeds[i].key, matrices->values[i]);
	put_loaded(&text, matrices);
	put_dgemm(&text, matrices);
	return memphis_outfile_write(path, &text, error);
}

static int parse_nodes(struct memphis_matrices *matrices, struct memphis_span line)
{
	struct memphis_span rest = line, field;
	uint64_t number;
	size_t count = 0, i;
	int rc;

	while (memphis_next_field(&rest, &field))
		count++;
	if (matrices->count || !count || count > NODES_MAX)
		return -EINVAL;
	rc = memphis_matrices_resize(matrices, count);
	for (i = 0; !rc && i < count; i++) {
		if (!memphis_next_number(&line, false, &number) || number >= NODES_MAX ||
		    (i && number <= matrices->nodes[i - 1]))
			return -EINVAL;
		matrices->nodes[i] = (unsigned int)number;
	}
	return rc;
}

/* Parses the next field as a number. Returns false unless it is positive and below VALUE_MAX. */
static bool parse_number(struct memphis_span *line, double *value)
{
	struct memphis_span field;
	char number[32], *end;

	if (!memphis_next_field(line, &field) || field.bytes >= sizeof(number))
		return false;
	memcpy(number, field.text, field.bytes);
	number[field.bytes] = '\0';
	*value = strtod(number, &end);
	return !*end && end > number && *value > 0 && *value < VALUE_MAX;
}

/*
 * Parses the next two fields as node numbers, and sets *pair to the index of this pair in a matrix. Returns
 * false if one of them is not a node of the matrices.
 */
static bool parse_pair(const struct memphis_matrices *matrices, struct memphis_span *line, size_t *pair)
{
	uint64_t from, to;
	size_t i, j;

	if (!memphis_next_number(line, false, &from) || !memphis_next_number(line, false, &to) ||
	    from >= NODES_MAX || to >= NODES_MAX)
		return false;
	i = find_node(matrices, (unsigned int)from);
	j = find_node(matrices, (unsigned int)to);
	*pair = i * matrices->count + j;
	return i < matrices->count && j < matrices->count;
}

static int parse_value(const struct memphis_matrices *matrices, double *values, struct memphis_span line)
{
	size_t pair;
	double value;

	if (!parse_pair(matrices, &line, &pair) || !parse_number(&line, &value))
		return -EINVAL;
	values[pair] = value;
	return 0;
}

static int parse_loaded(const struct memphis_matrices *matrices, struct memphis_span line)
{
	struct memphis_loaded_latency loaded;
	uint64_t step;
	size_t pair;

	if (!parse_pair(matrices, &line, &pair) || !memphis_next_number(&line, false, &step) || !step ||
	    step > MEMPHIS_LOAD_STEPS || !parse_number(&line, &loaded.gb) || !parse_number(&line, &loaded.ns))
		return -EINVAL;
	matrices->loaded[pair * MEMPHIS_LOAD_STEPS + step - 1] = loaded;
	return 0;
}

static int parse_dgemm(const struct memphis_matrices *matrices, struct memphis_span line)
{
	uint64_t node;
	double value;
	size_t i;

	if (!memphis_next_number(&line, false, &node) || node >= NODES_MAX || !parse_number(&line, &value))
		return -EINVAL;
	i = find_node(matrices, (unsigned int)node);
	if (i == matrices->count)
		return -EINVAL;
	matrices->dgemm.rates[i] = value;
	return 0;
}

static int parse_line(struct memphis_matrices *matrices, struct memphis_span line)
{
	struct memphis_span key;
	size_t speed;

	if (!memphis_next_field(&line, &key))
		return 0;
	if (memphis_span_is(key, "host"))
		snprintf(matrices->host, sizeof(matrices->host), "%.*s", (int)line.bytes, line.text);
	else if (memphis_span_is(key, "class"))
		snprintf(matrices->class, sizeof(matrices->class), "%.*s", (int)line.bytes, line.text);
	else if (memphis_span_is(key, "huge_pages"))
		matrices->huge_pages = memphis_span_is(line, "yes");
	else if (memphis_span_is(key, "nodes"))
		return parse_nodes(matrices, line);
	else if (memphis_span_is(key, memphis_loaded_row.key))
		return parse_loaded(matrices, line);
	else if (memphis_span_is(key, memphis_dgemm_row.key))
		return parse_dgemm(matrices, line);
	else if (memphis_span_is(key, "blas"))
		snprintf(matrices->dgemm.library, sizeof(matrices->dgemm.library), "%.*s", (int)line.bytes,
			 line.text);
	else if (memphis_span_is(key, "blas_path"))
		snprintf(matrices->dgemm.path, sizeof(matrices->dgemm.path), "%.*s", (int)line.bytes,
			 line.text);
	for (speed = 0; speed < MEMPHIS_SPEEDS; speed++)
		if (memphis_span_is(key, memphis_speeds[speed].key))
			return parse_value(matrices, matrices->values[speed], line);
	/* Ignore unknown keys, which later versions may write. */
	return 0;
}

/* Returns true if the last line has no line feed. The number in this line may then be incomplete. */
static bool is_truncated(const char *path)
{
	FILE *file = fopen(path, "re");
	const bool cut = file && !fseek(file, -1, SEEK_END) && getc(file) != '\n';

	if (file)
		fclose(file);
	return cut;
}

int memphis_matrices_load(struct memphis_matrices *matrices, const char *path, struct memphis_error *error)
{
	char *text = memphis_root_read("", "%s", path);
	struct memphis_span rest = {text, text ? strlen(text) : 0}, line;
	unsigned int number = 1;
	int rc = 0;

	memset(matrices, 0, sizeof(*matrices));
	if (!text) {
		rc = errno ? -errno : -EIO;
		return memphis_fail(error, rc, "%s: %s", path, strerror(-rc));
	}
	if (!memphis_next_line(&rest, &line) || !memphis_span_is(line, HEADING))
		rc = memphis_fail(error, -EINVAL, "%s: not a file of memphis node --save", path);
	if (!rc && is_truncated(path))
		rc = memphis_fail(error, -EINVAL, "%s: the end of the last line is missing: the file was cut",
				  path);
	while (!rc && memphis_next_line(&rest, &line)) {
		number++;
		rc = parse_line(matrices, line);
		if (rc)
			memphis_fail(error, rc, "%s, line %u: %s", path, number,
				     rc == -ENOMEM ? "out of memory" : "not what memphis node --save writes");
	}
	if (!*matrices->host)
		snprintf(matrices->host, sizeof(matrices->host), "%s", memphis_basename(path));
	free(text);
	return rc;
}

/*
 * Compares one pair of nodes with the baseline. Stores it in *outlier if it is worse by more than `tolerance`, and
 * the worst pair so far. `worse` is the relative loss: 0.5 if the latency is 50 % higher, or if the bandwidth is
 * lower by a factor of 1.5.
 */
static void compare_pair(struct memphis_outlier *outlier, double *most, const struct memphis_outlier *pair,
			 double tolerance)
{
	const double worse =
		pair->row->is_bandwidth ? pair->expected / pair->value - 1 : pair->value / pair->expected - 1;

	if (isnan(worse))
		return;
	outlier->compared++;
	outlier->worse += worse > tolerance;
	if (worse <= tolerance || worse <= *most)
		return;
	*most = worse;
	outlier->found = true;
	outlier->row = pair->row;
	outlier->speed = pair->speed;
	outlier->from = pair->from;
	outlier->to = pair->to;
	outlier->value = pair->value;
	outlier->expected = pair->expected;
}

bool memphis_dgemm_is_comparable(const struct memphis_matrices *matrices,
				 const struct memphis_matrices *baseline)
{
	return !strcmp(matrices->dgemm.library, baseline->dgemm.library);
}

static void compare_dgemm(const struct memphis_matrices *matrices, const struct memphis_matrices *baseline,
			  double tolerance, struct memphis_outlier *outlier, double *most)
{
	struct memphis_outlier node = {.row = &memphis_dgemm_row};
	size_t i, j;

	if (!memphis_dgemm_is_comparable(matrices, baseline))
		return;
	for (i = 0; i < matrices->count; i++) {
		j = find_node(baseline, matrices->nodes[i]);
		if (j == baseline->count)
			continue;
		node.from = node.to = matrices->nodes[i];
		node.value = matrices->dgemm.rates[i];
		node.expected = baseline->dgemm.rates[j];
		compare_pair(outlier, most, &node, tolerance);
	}
}

void memphis_matrices_compare(const struct memphis_matrices *matrices,
			      const struct memphis_matrices *baseline, double tolerance,
			      struct memphis_outlier *outlier)
{
	struct memphis_outlier pair;
	double most = 0;
	size_t i, j, speed;

	memset(outlier, 0, sizeof(*outlier));
	for (speed = 0; speed < MEMPHIS_SPEEDS; speed++)
		for (i = 0; i < matrices->count; i++)
			for (j = 0; j < matrices->count; j++) {
				pair = (struct memphis_outlier){.row = &memphis_speeds[speed],
								.speed = (enum memphis_speed)speed,
								.from = matrices->nodes[i],
								.to = matrices->nodes[j]};
				pair.value = matrices->values[speed][i * matrices->count + j];
				pair.expected =
					pair_value(baseline, baseline->values[speed], pair.from, pair.to);
				compare_pair(outlier, &most, &pair, tolerance);
			}
	compare_dgemm(matrices, baseline, tolerance, outlier, &most);
}
