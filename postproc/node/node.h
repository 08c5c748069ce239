/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is this machine fit for a measurement? What it is (topology), what moves on it (counters), how fast its memory is
 * (measurement), and the checks that judge all this, each a row of one table.
 */
#ifndef MEMPHIS_NODE_H
#define MEMPHIS_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

/* --- Files of /proc and /sys, below a directory that stands for the root: "" here, another one in tests. */

/* All of the file as a malloc'ed string, without white space at its end; NULL with errno set. */
char *memphis_root_read(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Its first number; false if there is none. */
bool memphis_root_number(uint64_t *value, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool memphis_root_has(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The number behind `key` in text of lines "key number"; false without. */
bool memphis_number_behind(uint64_t *value, const char *text, const char *key);

/* --- What the machine is. */

struct memphis_machine_node {
	unsigned int number;
	uint64_t memory_bytes, free_bytes;
	unsigned int cpu_count;
	char *cpus;           /* "0-3", or "" */
	bool usable;          /* its memory, and its CPUs if any, are of this process's cpuset */
	uint64_t cache_bytes; /* the last level's caches of its CPUs together */
};

struct memphis_machine_cpu {
	unsigned int number, package;
	unsigned int node;  /* index in nodes */
	bool first_of_core; /* the first of the threads of its core */
};

struct memphis_machine {
	const char *root;
	void *topology; /* hwloc's; NULL: not known */
	char host[128], model[128];
	struct memphis_machine_node *nodes; /* by number; those without memory, too */
	size_t node_count, node_room;
	struct memphis_machine_cpu *cpus;
	size_t cpu_count, cpu_room;
	unsigned int package_count, core_count;
	uint64_t cache_bytes;    /* the last-level cache of one CPU, the largest */
	unsigned int *distances; /* node_count x node_count, as the firmware tells them; NULL: not told */
};

/* 0; -ENOTSUP without hwloc; or another negative errno. Close it in either case. */
int memphis_machine_open(struct memphis_machine *machine, const char *root, struct memphis_error *error);
void memphis_machine_close(struct memphis_machine *machine);

/* Machines of one class should measure the same: model, nodes, CPUs and memory in a line. */
void memphis_machine_class(const struct memphis_machine *machine, struct memphis_text *text);

/* --- What counts up on it. */

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
	struct memphis_cpu_counters *cpus; /* by number */
	size_t cpu_count;
	struct memphis_memory_controller *controllers;
	size_t controller_count, controller_room;
	uint64_t machine_checks;
};

/* 0 or -ENOMEM; close it in either case. */
int memphis_machine_counters_read(struct memphis_machine_counters *counters,
				  const struct memphis_machine *machine);
void memphis_machine_counters_close(struct memphis_machine_counters *counters);

/* --- How fast its memory is. */

struct memphis_matrices {
	char host[128], class[320];
	unsigned int *nodes; /* their numbers, rising */
	size_t count;
	double *latency_ns; /* count x count: from CPUs of a node (row) to memory of a node; NAN: not measured */
	double *bandwidth_gb; /* likewise: 10^9 bytes per second of all cores of the node */
	bool huge_pages;      /* latency: all pages were */
};

/* 0, or a negative errno: -ENOTSUP without hwloc. Close it in either case. */
int memphis_matrices_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine,
			     struct memphis_error *error);
void memphis_matrices_close(struct memphis_matrices *matrices);

/* Makes room for so many nodes, with nothing measured. 0 or -ENOMEM. */
int memphis_matrices_resize(struct memphis_matrices *matrices, size_t count);

/* The latency of a pair by the nodes' numbers; NAN: not known. */
double memphis_matrices_latency(const struct memphis_matrices *matrices, unsigned int from, unsigned int to);

/* The largest of remote to local latency; NAN: not known. */
double memphis_matrices_factor(const struct memphis_matrices *matrices);

int memphis_matrices_save(const struct memphis_matrices *matrices, const char *path,
			  struct memphis_error *error);
int memphis_matrices_load(struct memphis_matrices *matrices, const char *path, struct memphis_error *error);

/* What stands farthest from the baseline, if it is more than `tolerance` (0.2: a fifth) worse. */
struct memphis_outlier {
	bool found, is_bandwidth;
	unsigned int from, to; /* nodes */
	double value, expected;
	size_t compared, worse; /* pairs; those beyond the tolerance */
};

void memphis_matrices_compare(const struct memphis_matrices *matrices,
			      const struct memphis_matrices *baseline, double tolerance,
			      struct memphis_outlier *outlier);

/* --- The verdict. */

enum memphis_verdict {
	MEMPHIS_VERDICT_OK,
	MEMPHIS_VERDICT_WARN,
	MEMPHIS_VERDICT_FAIL,
	MEMPHIS_VERDICT_UNKNOWN
};

extern const char *const memphis_verdict_names[];

struct memphis_finding_of_check {
	enum memphis_verdict verdict;
	struct memphis_text value; /* in a word or number, for --expect; empty: none */
	struct memphis_text evidence, remedy;
	bool ignored;         /* not checked, as was asked for */
	const char *expected; /* or NULL */
};

/* What there is to judge. */
struct memphis_examination {
	const struct memphis_machine *machine;
	const struct memphis_machine_counters *before, *quiet,
		*after;                                     /* nothing of ours ran from `before` to `quiet` */
	const struct memphis_matrices *matrices, *baseline; /* or NULL */
	const char *device;
	double tolerance;
};

typedef enum memphis_verdict memphis_check(const struct memphis_examination *examination,
					   struct memphis_finding_of_check *finding);

enum memphis_check_kind {
	MEMPHIS_CHECK_ADVICE,
	MEMPHIS_CHECK_NEEDED,   /* without an answer, nobody can say that the machine is fit */
	MEMPHIS_CHECK_MEASURED, /* made where `matrices` are there */
	MEMPHIS_CHECK_COMPARED  /* made where a baseline is there; then it is needed */
};

struct memphis_check_row {
	const char *name, *title;
	memphis_check *check;
	enum memphis_check_kind kind;
};

extern const struct memphis_check_row memphis_checks[];
extern const size_t memphis_check_count;

/* The checks: see memphis_checks. */
memphis_check memphis_check_nodes, memphis_check_memory_only, memphis_check_memory, memphis_check_free,
	memphis_check_interleaving, memphis_check_balancing, memphis_check_huge_pages, memphis_check_governor,
	memphis_check_boost, memphis_check_smt, memphis_check_throttling, memphis_check_memory_errors,
	memphis_check_machine_checks, memphis_check_kernel, memphis_check_module, memphis_check_device,
	memphis_check_pmu, memphis_check_perf, memphis_check_perf_limits, memphis_check_locked_memory,
	memphis_check_load, memphis_check_interrupts, memphis_check_clock, memphis_check_latency,
	memphis_check_bandwidth, memphis_check_baseline;

/* Makes all checks; `findings` has memphis_check_count entries, whose `ignored` and `expected` are set. */
void memphis_examine(const struct memphis_examination *examination,
		     struct memphis_finding_of_check *findings);
void memphis_findings_of_checks_close(struct memphis_finding_of_check *findings);

/* OK: fit, with `strict` without a warning; FAIL: unfit; UNKNOWN: a check that is needed could not be made. */
enum memphis_verdict memphis_judge(const struct memphis_finding_of_check *findings, bool strict);

/* For checks: fills in the line, and gives the verdict. */
enum memphis_verdict memphis_cannot_tell(struct memphis_finding_of_check *finding, const char *why);

void memphis_node_text(const struct memphis_examination *examination,
		       const struct memphis_finding_of_check *findings, enum memphis_verdict verdict,
		       struct memphis_text *text);
void memphis_node_json(const struct memphis_examination *examination,
		       const struct memphis_finding_of_check *findings, enum memphis_verdict verdict,
		       struct memphis_text *text);

#endif
