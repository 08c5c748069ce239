/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks whether a machine is fit for measurements: its topology, its event counters, the measured speed of
 * its memory, and the table of checks that judge all of these.
 */
#ifndef MEMPHIS_NODE_H
#define MEMPHIS_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

/*
 * --- Files of /proc and /sys, relative to a root directory: "" for the running system, another directory in
 * tests.
 */

/*
 * Returns the file's contents as a malloc'ed string without trailing white space; NULL with errno set on
 * failure.
 */
char *memphis_root_read(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads the first number of the file; false if there is none. */
bool memphis_root_number(uint64_t *value, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool memphis_root_has(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Finds the number after `key` in text with lines "key number"; false if there is none. */
bool memphis_number_after(uint64_t *value, const char *text, const char *key);

/* --- Topology of the machine. */

struct memphis_machine_node {
	unsigned int number;
	uint64_t memory_bytes, free_bytes;
	unsigned int cpu_count;
	char *cpus;           /* "0-3", or "" */
	bool usable;          /* its memory, and its CPUs if any, belong to this process's cpuset */
	uint64_t cache_bytes; /* sum of the last-level caches of its CPUs */
};

struct memphis_machine_cpu {
	unsigned int number, package;
	unsigned int node;  /* index in `nodes` */
	bool first_of_core; /* first hardware thread of its core */
};

struct memphis_machine {
	const char *root;
	void *topology; /* hwloc's topology; NULL: unknown */
	char host[128], model[128];
	struct memphis_machine_node *nodes; /* sorted by number; includes nodes without memory */
	size_t node_count, node_room;
	struct memphis_machine_cpu *cpus;
	size_t cpu_count, cpu_room;
	unsigned int package_count, core_count;
	uint64_t cache_bytes;    /* size of the largest last-level cache of a CPU */
	unsigned int *distances; /* node_count x node_count, from the firmware; NULL: unknown */
};

/* Returns 0, -ENOTSUP without hwloc, or another negative errno. Close the machine in either case. */
int memphis_machine_open(struct memphis_machine *machine, const char *root, struct memphis_error *error);
void memphis_machine_close(struct memphis_machine *machine);

/*
 * Appends the class of the machine (model, nodes, CPUs and memory) as one line. Machines of one class should
 * yield equal measurements.
 */
void memphis_machine_class(const struct memphis_machine *machine, struct memphis_text *text);

/* --- Event counters of the machine. */

enum memphis_throttle {
	MEMPHIS_THROTTLE_PACKAGE_HEAT,
	MEMPHIS_THROTTLE_PACKAGE_POWER,
	MEMPHIS_THROTTLE_CORE_HEAT,
	MEMPHIS_THROTTLE_CORE_POWER,
	MEMPHIS_THROTTLES
};

struct memphis_package_counters {
	unsigned int package;
	uint64_t throttled[MEMPHIS_THROTTLES];
};

struct memphis_cpu_counters {
	uint64_t busy_ticks, interrupts;
};

struct memphis_memory_controller {
	unsigned int number;
	uint64_t corrected, uncorrected;
};

struct memphis_machine_counters {
	uint64_t time_ns;
	bool has_throttles, has_cpus, has_interrupts, has_machine_checks;
	struct memphis_package_counters *packages;
	size_t package_count, package_room;
	struct memphis_cpu_counters *cpus; /* indexed by CPU number */
	size_t cpu_count;
	struct memphis_memory_controller *controllers;
	size_t controller_count, controller_room;
	uint64_t machine_checks;
};

/* Returns 0 or -ENOMEM; close the counters in either case. */
int memphis_machine_counters_read(struct memphis_machine_counters *counters,
				  const struct memphis_machine *machine);
void memphis_machine_counters_close(struct memphis_machine_counters *counters);

/* --- Measured speed of the memory. */

struct memphis_matrices {
	char host[128], class[320];
	unsigned int *nodes; /* node numbers, ascending */
	size_t count;
	/* count x count: latency from CPUs of a node (row) to memory of a node (column); NAN: not measured */
	double *latency_ns;
	double *bandwidth_gb; /* same layout: 10^9 bytes per second of all cores of the node */
	bool huge_pages;      /* all pages were huge pages during the latency measurement */
};

/* Returns 0 or a negative errno: -ENOTSUP without hwloc. Close the matrices in either case. */
int memphis_matrices_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine,
			     struct memphis_error *error);
void memphis_matrices_close(struct memphis_matrices *matrices);

/* Allocates matrices for `count` nodes, with no value measured. Returns 0 or -ENOMEM. */
int memphis_matrices_resize(struct memphis_matrices *matrices, size_t count);

/* Returns the latency between two nodes, given by their numbers; NAN: unknown. */
double memphis_matrices_latency(const struct memphis_matrices *matrices, unsigned int from, unsigned int to);

/* Returns the largest ratio of remote to local latency; NAN: unknown. */
double memphis_matrices_factor(const struct memphis_matrices *matrices);

int memphis_matrices_save(const struct memphis_matrices *matrices, const char *path,
			  struct memphis_error *error);
int memphis_matrices_load(struct memphis_matrices *matrices, const char *path, struct memphis_error *error);

/* The value that deviates most from the baseline, if it is more than `tolerance` (0.2: one fifth) worse. */
struct memphis_outlier {
	bool found, is_bandwidth;
	unsigned int from, to; /* node numbers */
	double value, expected;
	size_t compared, worse; /* number of compared values, and of those beyond the tolerance */
};

void memphis_matrices_compare(const struct memphis_matrices *matrices,
			      const struct memphis_matrices *baseline, double tolerance,
			      struct memphis_outlier *outlier);

/* --- Checks and the verdict. */

enum memphis_verdict {
	MEMPHIS_VERDICT_OK,
	MEMPHIS_VERDICT_WARN,
	MEMPHIS_VERDICT_FAIL,
	MEMPHIS_VERDICT_UNKNOWN
};

extern const char *const memphis_verdict_names[];

struct memphis_check_result {
	enum memphis_verdict verdict;
	/* the result as a single word or number, for --expect; empty: none */
	struct memphis_text value;
	struct memphis_text evidence, remedy;
	bool ignored;         /* the check was not made, as requested or for lack of data */
	const char *expected; /* value required by --expect, or NULL */
};

/* Input of the checks. */
struct memphis_examination {
	const struct memphis_machine *machine;
	/* no load of our own between `before` and `quiet` */
	const struct memphis_machine_counters *before, *quiet, *after;
	const struct memphis_matrices *matrices, *baseline; /* each may be NULL */
	const char *device;
	double tolerance;
};

typedef enum memphis_verdict memphis_check(const struct memphis_examination *examination,
					   struct memphis_check_result *finding);

enum memphis_check_kind {
	MEMPHIS_CHECK_ADVICE,
	MEMPHIS_CHECK_NEEDED,   /* without its result the machine cannot be declared fit */
	MEMPHIS_CHECK_MEASURED, /* made only if `matrices` exist */
	MEMPHIS_CHECK_COMPARED  /* made only if a baseline exists; then needed */
};

struct memphis_check_row {
	const char *name, *title;
	memphis_check *check;
	enum memphis_check_kind kind;
};

extern const struct memphis_check_row memphis_checks[];
extern const size_t memphis_check_count;

/* The checks listed in memphis_checks. */
memphis_check memphis_check_nodes, memphis_check_memory_only, memphis_check_memory, memphis_check_free,
	memphis_check_interleaving, memphis_check_balancing, memphis_check_huge_pages, memphis_check_governor,
	memphis_check_boost, memphis_check_smt, memphis_check_throttling, memphis_check_memory_errors,
	memphis_check_machine_checks, memphis_check_kernel, memphis_check_module, memphis_check_device,
	memphis_check_pmu, memphis_check_perf, memphis_check_perf_limits, memphis_check_locked_memory,
	memphis_check_load, memphis_check_interrupts, memphis_check_clock, memphis_check_latency,
	memphis_check_bandwidth, memphis_check_baseline;

/*
 * Makes all checks. `findings` has memphis_check_count entries; the caller sets their `ignored` and
 * `expected`.
 */
void memphis_examine(const struct memphis_examination *examination, struct memphis_check_result *findings);
void memphis_findings_of_checks_close(struct memphis_check_result *findings);

/*
 * Returns the overall verdict. OK: fit (with `strict`, without any warning); FAIL: unfit; UNKNOWN: a needed
 * check could not be made.
 */
enum memphis_verdict memphis_judge(const struct memphis_check_result *findings, bool strict);

/* For checks: stores the reason and returns MEMPHIS_VERDICT_UNKNOWN. */
enum memphis_verdict memphis_check_unknown(struct memphis_check_result *finding, const char *why);

void memphis_node_text(const struct memphis_examination *examination,
		       const struct memphis_check_result *findings, enum memphis_verdict verdict,
		       struct memphis_text *text);
void memphis_node_json(const struct memphis_examination *examination,
		       const struct memphis_check_result *findings, enum memphis_verdict verdict,
		       struct memphis_text *text);

#endif
