// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measured latencies and bandwidths of a machine: their file, the NUMA factor, comparison and checks. If these tests fail, a
 * slow node passes for a good one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node/node.h"
#include "../../tap.h"

static char path[] = "/tmp/memphis-node-test-XXXXXX";

/* Two nodes with the given local and remote latencies; local bandwidths are 10, remote ones 5. */
static void make(struct memphis_matrices *matrices, double local, double remote)
{
	memset(matrices, 0, sizeof(*matrices));
	if (memphis_matrices_resize(matrices, 2))
		exit(1);
	strcpy(matrices->host, "amber");
	strcpy(matrices->class, "one of many");
	matrices->nodes[1] = 3;
	matrices->values[MEMPHIS_SPEED_LATENCY][0] = matrices->values[MEMPHIS_SPEED_LATENCY][3] = local;
	matrices->values[MEMPHIS_SPEED_LATENCY][1] = matrices->values[MEMPHIS_SPEED_LATENCY][2] = remote;
	matrices->values[MEMPHIS_SPEED_TRIAD][0] = matrices->values[MEMPHIS_SPEED_TRIAD][3] = 10;
	matrices->values[MEMPHIS_SPEED_TRIAD][1] = matrices->values[MEMPHIS_SPEED_TRIAD][2] = 5;
}

static int load(struct memphis_matrices *matrices, const char *text, struct memphis_error *error)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		exit(1);
	return memphis_matrices_load(matrices, path, error);
}

static void files(void)
{
	static const char *const bad[] = {
		"",
		"memphis-node 2\n",
		"memphis-node 1\nnodes\n",
		"memphis-node 1\nnodes 1 0\n",
		"memphis-node 1\nnodes 0 0\n",
		"memphis-node 1\nnodes 0 x\n",
		"memphis-node 1\nnodes 0 1024\n",
		"memphis-node 1\nnodes 0\nnodes 0\n",
		"memphis-node 1\nlatency_ns 0 0 1\n",
		"memphis-node 1\nnodes 0\nlatency_ns 0 1 1\n",
		"memphis-node 1\nnodes 0\nlatency_ns 0 0 0\n",
		"memphis-node 1\nnodes 0\nlatency_ns 0 0 -1\n",
		"memphis-node 1\nnodes 0\nlatency_ns 0 0 nan\n",
		"memphis-node 1\nnodes 0\nlatency_ns 0 0 inf\n",
		"memphis-node 1\nnodes 0\nlatency_ns 0 0 1x\n",
		"memphis-node 1\nnodes 0\nlatency_ns 0 0\n",
		"memphis-node 1\nnodes 0\nbandwidth_gb 4294967296 0 1\n",
		"memphis-node 1\nnodes 0\nread_gb 0 1 1\n",
		"memphis-node 1\nnodes 0\nloaded 0 0 5 1 1\n",
		"memphis-node 1\nnodes 0\nloaded 0 0 0 1 1\n",
		"memphis-node 1\nnodes 0\nloaded 0 1 1 1 1\n",
		"memphis-node 1\nnodes 0\nloaded 0 0 1 1\n",
		"memphis-node 1\nnodes 0\ndgemm_gflop 1 5\n",
		"memphis-node 1\nnodes 0\ndgemm_gflop 0 0\n",
		"memphis-node 1\nnodes 0\ndgemm_gflop 0\n",
		"memphis-node 1\ndgemm_gflop 0 5\n",
	};
	struct memphis_matrices matrices, loaded;
	struct memphis_error error;
	size_t i, refused = 0;

	make(&matrices, 90.5, 160.25);
	matrices.values[MEMPHIS_SPEED_LATENCY][2] = NAN;
	matrices.huge_pages = true;
	matrices.values[MEMPHIS_SPEED_WRITE][3] = 7.5;
	matrices.loaded[1 * MEMPHIS_LOAD_STEPS + 3] = (struct memphis_loaded_latency){20.5, 300};
	matrices.dgemm.rates[1] = 512.5;
	strcpy(matrices.dgemm.library, "Some BLAS 1.2 b");
	strcpy(matrices.dgemm.path, "/opt/some blas.so");
	is(memphis_matrices_save(&matrices, path, &error), 0, "matrices are saved");
	is(memphis_matrices_load(&loaded, path, &error), 0, "matrices are loaded");
	ok(loaded.count == 2 && loaded.nodes[0] == 0 && loaded.nodes[1] == 3 && loaded.huge_pages &&
		   !strcmp(loaded.host, "amber") && !strcmp(loaded.class, "one of many"),
	   "the file contains nodes, host, class and huge pages");
	ok(memphis_matrices_latency(&loaded, 0, 3) == 160.25 &&
		   memphis_matrices_latency(&loaded, 3, 3) == 90.5,
	   "the file contains the latencies, by node numbers");
	ok(isnan(memphis_matrices_latency(&loaded, 3, 0)) && isnan(memphis_matrices_latency(&loaded, 0, 1)),
	   "latencies that were not measured, or of unknown nodes, are unknown");
	ok(loaded.values[MEMPHIS_SPEED_TRIAD][1] == 5, "the file contains the bandwidths");
	ok(loaded.values[MEMPHIS_SPEED_WRITE][3] == 7.5 && isnan(loaded.values[MEMPHIS_SPEED_WRITE][0]) &&
		   isnan(loaded.values[MEMPHIS_SPEED_READ][3]),
	   "each loop has its own");
	ok(loaded.loaded[7].gb == 20.5 && loaded.loaded[7].ns == 300 && isnan(loaded.loaded[6].ns) &&
		   isnan(loaded.loaded[3].ns),
	   "the file contains latencies under load, by pair and step");
	ok(loaded.dgemm.rates[1] == 512.5 && isnan(loaded.dgemm.rates[0]) &&
		   !strcmp(loaded.dgemm.library, "Some BLAS 1.2 b") &&
		   !strcmp(loaded.dgemm.path, "/opt/some blas.so"),
	   "the file contains the rates of DGEMM and the library");
	memphis_matrices_close(&loaded);
	memphis_matrices_close(&matrices);
	is(load(&loaded, "memphis-node 1\nnew thing\nnodes 0\n", &error), 0, "unknown keys are skipped");
	memphis_matrices_close(&loaded);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		refused += load(&loaded, bad[i], &error) < 0;
		memphis_matrices_close(&loaded);
	}
	is(refused, sizeof(bad) / sizeof(*bad), "malformed files are refused");
}

static void compare(void)
{
	struct memphis_matrices now, baseline;
	struct memphis_outlier outlier;

	make(&now, 90, 160);
	make(&baseline, 90, 160);
	memphis_matrices_compare(&now, &baseline, 0.2, &outlier);
	ok(!outlier.found && outlier.compared == 8 && !outlier.worse, "equal values are not worse");
	now.values[MEMPHIS_SPEED_LATENCY][2] = 190;
	memphis_matrices_compare(&now, &baseline, 0.2, &outlier);
	ok(!outlier.found, "values within the tolerance are not worse");
	now.values[MEMPHIS_SPEED_LATENCY][2] = 200;
	now.values[MEMPHIS_SPEED_TRIAD][1] = 2.5;
	memphis_matrices_compare(&now, &baseline, 0.2, &outlier);
	ok(outlier.found && outlier.worse == 2 && outlier.speed == MEMPHIS_SPEED_TRIAD && outlier.from == 0 &&
		   outlier.to == 3 && outlier.value == 2.5 && outlier.expected == 5,
	   "of two worse values, the one that deviates more is reported");
	now.values[MEMPHIS_SPEED_TRIAD][1] = 50;
	memphis_matrices_compare(&now, &baseline, 0.2, &outlier);
	ok(outlier.found && outlier.worse == 1 && outlier.speed == MEMPHIS_SPEED_LATENCY &&
		   outlier.from == 3 && outlier.to == 0,
	   "better values do not count");
	now.dgemm.rates[0] = now.dgemm.rates[1] = 100;
	baseline.dgemm.rates[0] = 119;
	baseline.dgemm.rates[1] = 400;
	memphis_matrices_compare(&now, &baseline, 0.2, &outlier);
	ok(outlier.compared == 10 && outlier.worse == 2 && outlier.row == &memphis_dgemm_row &&
		   outlier.from == 3 && outlier.to == 3 && outlier.value == 100 && outlier.expected == 400,
	   "a lower rate of DGEMM is reported, with its node");
	strcpy(baseline.dgemm.library, "another");
	memphis_matrices_compare(&now, &baseline, 0.2, &outlier);
	ok(outlier.compared == 8 && outlier.row == &memphis_speeds[MEMPHIS_SPEED_LATENCY],
	   "rates of DGEMM by different libraries are not compared");
	now.nodes[1] = 1;
	memphis_matrices_compare(&now, &baseline, 0.2, &outlier);
	is(outlier.compared, 2, "only nodes of the same number are compared");
	memphis_matrices_close(&now);
	memphis_matrices_close(&baseline);
}

static const char *judged(memphis_check *check, double local, double remote, const char *word)
{
	struct memphis_machine_node nodes[2] = {{.number = 0, .cpu_count = 2}, {.number = 3, .cpu_count = 2}};
	struct memphis_machine machine = {
		.root = "", .topology = &machine, .nodes = nodes, .node_count = 2, .package_count = 2};
	struct memphis_matrices matrices;
	struct memphis_examination examination = {.machine = &machine, .matrices = &matrices};
	struct memphis_check_result finding = {0};
	enum memphis_verdict verdict;
	bool said;

	make(&matrices, local, remote);
	verdict = check(&examination, &finding);
	said = finding.evidence.text && strstr(finding.evidence.text, word);
	memphis_text_close(&finding.value);
	memphis_text_close(&finding.evidence);
	memphis_text_close(&finding.remedy);
	memphis_matrices_close(&matrices);
	return said ? memphis_verdict_names[verdict] : "not said";
}

static void factors(void)
{
	struct memphis_matrices matrices;

	make(&matrices, 100, 160);
	ok(fabs(memphis_matrices_factor(&matrices) - 1.6) < 1e-9,
	   "the NUMA factor is that of the slowest pair");
	matrices.values[MEMPHIS_SPEED_LATENCY][1] = NAN;
	matrices.values[MEMPHIS_SPEED_LATENCY][2] = 250;
	ok(fabs(memphis_matrices_factor(&matrices) - 2.5) < 1e-9,
	   "the NUMA factor ignores pairs that were not measured");
	matrices.values[MEMPHIS_SPEED_LATENCY][2] = NAN;
	ok(isnan(memphis_matrices_factor(&matrices)), "the NUMA factor is unknown without a measured pair");
	memphis_matrices_close(&matrices);
	ok(!strcmp(judged(memphis_check_interleaving, 100, 160, "at most 1.60 of local"), "ok"),
	   "interleaving: slower remote memory is ok");
	ok(!strcmp(judged(memphis_check_interleaving, 100, 101, "at most 1.01 of local"), "warn"),
	   "interleaving: equally fast remote memory is a warning");
	ok(!strcmp(judged(memphis_check_latency, 100, 160, "NUMA factor 1.60"), "ok"),
	   "latency: the NUMA factor is reported");
	ok(!strcmp(judged(memphis_check_latency, NAN, NAN, "no node has enough free memory"), "unknown"),
	   "latency: without a measurement the result is unknown");
}

static void check_filters(const struct memphis_offer *offer, const char *value, const char *evidence)
{
	const struct memphis_machine machine = {.root = ""};
	const struct memphis_examination examination = {.machine = &machine, .offer = offer};
	struct memphis_check_result finding = {0};
	enum memphis_verdict verdict = memphis_check_filters(&examination, &finding);

	ok(verdict == MEMPHIS_VERDICT_OK && !strcmp(finding.value.text, value) &&
		   !strcmp(finding.evidence.text, evidence),
	   "filters: %s", finding.evidence.text);
	memphis_text_close(&finding.value);
	memphis_text_close(&finding.evidence);
}

static void filters(void)
{
	struct memphis_offer offer = {.by = "device",
				      .query = {.hardware = MEMPHIS_HARDWARE_IBS,
						.hardware_filters = 1u << MEMPHIS_HARDWARE_FILTER_NONE |
								    1u << MEMPHIS_HARDWARE_FILTER_L3_MISS,
						.filter_sampler = MEMPHIS_SAMPLER_CPU,
						.filter_period_min = 262144}};

	check_filters(&offer, "l3-miss",
		      "l3-miss, by device; all CPUs are sampled, with a period of at least 262144");
	offer.by = "perf";
	offer.query.filter_sampler = MEMPHIS_SAMPLER_TASK;
	offer.query.hardware_filters |= 1u << MEMPHIS_HARDWARE_FILTER_LATENCY;
	check_filters(
		&offer, "l3-miss+latency",
		"l3-miss, latency, by perf; counts of rare loads are too high in threads that are interrupted often");
	offer.query.hardware_filters = 1u << MEMPHIS_HARDWARE_FILTER_NONE;
	check_filters(&offer, "none", "none: they need Zen 4 and Linux 5.19");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0 || close(fd))
		return 1;
	files();
	compare();
	factors();
	filters();
	unlink(path);
	return finish();
}
