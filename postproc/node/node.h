/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks whether a machine is fit for measurements. Reads its topology and event counters, measures the speed
 * of its memory, and judges them with a table of checks.
 */
#ifndef MEMPHIS_NODE_H
#define MEMPHIS_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <memphis/device.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "node/machine/machine.h"

/* ---- what this user can sample, and how ---- */

struct memphis_offer {
	const char *by; /* "device" or "perf"; NULL: neither of them */
	struct memphis_query query;
	char refusal[2560]; /* the device's reason for refusing, and perf's as the library states it */
	/* The hardware or the kernel lacks the event. If false, perf refuses because this user may not sample. */
	bool is_lacking;
};

/*
 * Opens and queries the device. Returns 0 or a negative errno; `opened` is true unless the device could not be opened. The device may have
 * another version of the ABI.
 */
int memphis_device_query(struct memphis_query *query, const char *root, const char *device, bool *opened);

/* Whether the device has a version of the ABI that this tool knows. */
bool memphis_device_is_known(const struct memphis_query *query);

/* Returns the name of an enum memphis_sampling_event; "ops" for IBS. */
const char *memphis_event_name(unsigned int hardware, unsigned int event);

/*
 * Appends one line with the class of the machine: model, nodes, CPUs and memory. Measurements on machines of
 * one class should agree.
 */
void memphis_machine_class(const struct memphis_machine *machine, struct memphis_text *text);

/*
 * Compare two classes. Their memory may differ a little, because firmware reserves a part of it. memphis_class_compare() is for sorting: it returns 0
 * if the classes are equal except for the memory; *larger is the relative difference of memory, positive if `b` has more than `a`.
 */
int memphis_class_compare(const char *a, const char *b, double *larger);
bool memphis_class_is_like(const char *a, const char *b);
#define MEMPHIS_CLASS_MEMORY 0.02 /* machines of one class differ by at most this share of their memory */

/* ---- measured speed of the memory ---- */

enum memphis_speed {
	MEMPHIS_SPEED_LATENCY,
	MEMPHIS_SPEED_READ, /* bandwidths of all cores of a node together, by kind of loop */
	MEMPHIS_SPEED_WRITE,
	MEMPHIS_SPEED_COPY,
	MEMPHIS_SPEED_TRIAD,
	MEMPHIS_SPEEDS
};

struct memphis_speed_row {
	const char *key;   /* in files */
	const char *json;  /* key in JSON */
	const char *word;  /* in sentences: "the bandwidth of reads" */
	const char *title; /* of the table */
	const char *unit;  /* ns, or GB/s: 10^9 bytes per second */
	bool is_bandwidth; /* more is better */
};

extern const struct memphis_speed_row memphis_speeds[MEMPHIS_SPEEDS];

#define MEMPHIS_LOAD_STEPS 4

/* A latency while other cores of the node read from the same memory. */
struct memphis_loaded_latency {
	double gb, ns; /* bandwidth of these cores; NAN: not measured */
};

/* The rate of DGEMM on all cores of a node together. */
struct memphis_dgemm {
	double *rates;                 /* GFLOP/s (10^9 operations per second) by node; NAN: not measured */
	char library[256], path[1024]; /* name and version of the BLAS, and where it is; "" if unknown */
	char lacking[1280];            /* reason why it could not be measured */
	bool is_slow;                  /* the BLAS is not known as an optimised one */
};

extern const struct memphis_speed_row memphis_dgemm_row, memphis_loaded_row;

struct memphis_matrices {
	char host[128], class[320];
	unsigned int *nodes; /* node numbers in ascending order */
	size_t count;
	/* By enum memphis_speed: count x count values, from CPUs of a node (row) to memory of a node (column); NAN if it was not measured. */
	double *values[MEMPHIS_SPEEDS];
	/* MEMPHIS_LOAD_STEPS values for each pair: the latency while a quarter, a half, three quarters, and all of the node's other cores read. */
	struct memphis_loaded_latency *loaded;
	struct memphis_dgemm dgemm;
	bool huge_pages; /* latency was measured with huge pages only */
};

/*
 * Measures latency and bandwidth between all nodes. Returns 0 or a negative errno, which is -ENOTSUP if the
 * tool was built without hwloc. The matrices must be closed in all cases.
 */
int memphis_matrices_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine,
			     struct memphis_error *error);
void memphis_matrices_close(struct memphis_matrices *matrices);

/* Measures the rate of DGEMM on all nodes, if a BLAS can be loaded. */
void memphis_dgemm_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine);

/* Threads on cores of a node that run one of the loops of enum memphis_speed until they are stopped. */
struct memphis_crew;

/* Binds the calling thread to the CPU. Returns whether that is possible. */
bool memphis_run_on(const struct memphis_machine *machine, unsigned int cpu);

/* Returns whether this process may use the CPU. */
bool memphis_is_allowed(const struct memphis_machine *machine, unsigned int cpu);

/* Returns whether the CPU, an index, is the first of a core of the node, an index, and this process may use it. */
bool memphis_is_core_of(const struct memphis_machine *machine, size_t cpu, size_t node);

/* Returns the number of cores of the node, an index, on which a crew can run. */
size_t memphis_crew_size(const struct memphis_machine *machine, size_t node);

/*
 * Starts a crew of `size` threads on cores of the node, without its first `left_out` cores. Each thread works on a part of the `bytes` at `base`; loops
 * with stores change them. Returns NULL if there is no memory, or no thread can be created, or the buffer is too small to be divided.
 */
struct memphis_crew *memphis_crew_start(const struct memphis_machine *machine, size_t node, size_t left_out,
					size_t size, enum memphis_speed loop, void *base, size_t bytes);

/* Ends the crew, and returns the sum of its bandwidths in 10^9 bytes per second; NAN if `crew` is NULL. */
double memphis_crew_stop(struct memphis_crew *crew);

/* Allocates matrices for `count` nodes; all values are "not measured". Returns 0 or -ENOMEM. */
int memphis_matrices_resize(struct memphis_matrices *matrices, size_t count);

/* Return the speed that was measured between the nodes with these numbers, and its latency; NAN if unknown. */
double memphis_matrices_value(const struct memphis_matrices *matrices, enum memphis_speed speed,
			      unsigned int from, unsigned int to);
double memphis_matrices_latency(const struct memphis_matrices *matrices, unsigned int from, unsigned int to);

/* Returns the largest ratio of remote to local latency; NAN if unknown. */
double memphis_matrices_factor(const struct memphis_matrices *matrices);

int memphis_matrices_save(const struct memphis_matrices *matrices, const char *path,
			  struct memphis_error *error);
int memphis_matrices_load(struct memphis_matrices *matrices, const char *path, struct memphis_error *error);

/*
 * The value that deviates most from the baseline. `found` is true if it is worse by more than `tolerance`
 * (0.2 is one fifth).
 */
struct memphis_outlier {
	bool found;
	/* row of memphis_speeds, or memphis_dgemm_row: then `to` is `from` */
	const struct memphis_speed_row *row;
	enum memphis_speed speed;
	unsigned int from, to; /* node numbers */
	double value, expected;
	/* number of values that were compared, and number of those that are worse than the tolerance */
	size_t compared, worse;
};

/* Returns whether both rates of DGEMM are of the same library. */
bool memphis_dgemm_is_comparable(const struct memphis_matrices *matrices,
				 const struct memphis_matrices *baseline);

void memphis_matrices_compare(const struct memphis_matrices *matrices,
			      const struct memphis_matrices *baseline, double tolerance,
			      struct memphis_outlier *outlier);

/* ---- checks and the verdict ---- */

enum memphis_verdict {
	MEMPHIS_VERDICT_OK,
	MEMPHIS_VERDICT_WARN,
	MEMPHIS_VERDICT_FAIL,
	MEMPHIS_VERDICT_UNKNOWN
};

extern const char *const memphis_verdict_names[];

struct memphis_check_result {
	enum memphis_verdict verdict;
	/* result as a single word or number, for --expect; empty if there is none */
	struct memphis_text value;
	struct memphis_text evidence, remedy;
	bool ignored;         /* the check was not made, because the user excluded it or data is missing */
	const char *expected; /* value that --expect requires, or NULL */
};

/* Input of the checks. */
struct memphis_examination {
	const struct memphis_machine *machine;
	/* between `before` and `quiet`, this program does not load the machine */
	const struct memphis_machine_counters *before, *quiet, *after;
	const struct memphis_error_counts *last; /* counts of the last look; NULL if there are none */
	const struct memphis_matrices *matrices, *baseline; /* NULL if not available */
	const char *device;
	const struct memphis_offer *offer;
	double tolerance;
};

typedef enum memphis_verdict memphis_check(const struct memphis_examination *examination,
					   struct memphis_check_result *finding);

enum memphis_check_kind {
	MEMPHIS_CHECK_ADVICE,
	MEMPHIS_CHECK_NEEDED,   /* the machine is not declared fit without the result of this check */
	MEMPHIS_CHECK_MEASURED, /* made only if `matrices` is not NULL */
	MEMPHIS_CHECK_COMPARED  /* made only if `baseline` is not NULL; then needed */
};

struct memphis_check_row {
	const char *name, *title;
	memphis_check *check;
	enum memphis_check_kind kind;
};

extern const struct memphis_check_row memphis_checks[];
extern const size_t memphis_check_count;

/* Returns the maximum number of samples per second of a CPU with the library's default period; 0 if Memphis does not support the hardware. */
double memphis_default_rate(const struct memphis_examination *examination);

/* The functions of the checks in memphis_checks. */
memphis_check memphis_check_nodes, memphis_check_memory_only, memphis_check_memory, memphis_check_free,
	memphis_check_interleaving, memphis_check_balancing, memphis_check_huge_pages, memphis_check_governor,
	memphis_check_boost, memphis_check_smt, memphis_check_throttling, memphis_check_memory_errors,
	memphis_check_pcie_errors, memphis_check_fabric_errors, memphis_check_machine_checks,
	memphis_check_kernel, memphis_check_module, memphis_check_device, memphis_check_pmu,
	memphis_check_events, memphis_check_filters, memphis_check_period, memphis_check_latency_meaning,
	memphis_check_sub_numa, memphis_check_perf, memphis_check_perf_limits, memphis_check_locked_memory,
	memphis_check_load, memphis_check_interrupts, memphis_check_clock, memphis_check_latency,
	memphis_check_bandwidth, memphis_check_dgemm, memphis_check_baseline;

/*
 * Makes all checks. The caller has set `ignored` and `expected` in each of the memphis_check_count entries of
 * `findings`.
 */
void memphis_examine(const struct memphis_examination *examination, struct memphis_check_result *findings);
void memphis_findings_of_checks_close(struct memphis_check_result *findings);

/*
 * Returns the overall verdict: OK if the machine is fit (with `strict`, only if there are no warnings), FAIL
 * if it is unfit, UNKNOWN if a needed check could not be made.
 */
enum memphis_verdict memphis_judge(const struct memphis_check_result *findings, bool strict);

/* Appends the counts of errors that are not 0. */
void memphis_errors_json(const struct memphis_examination *examination, struct memphis_json *json);

/* Appends the busiest process and the busiest interrupt, or null. */
void memphis_noise_json(const struct memphis_examination *examination, struct memphis_json *json);

/* Returns whether a check of errors that the hardware counts has failed. */
bool memphis_errors_failed(const struct memphis_check_result *findings);

/* Helper for checks: stores the reason and returns MEMPHIS_VERDICT_UNKNOWN. */
enum memphis_verdict memphis_check_unknown(struct memphis_check_result *finding, const char *why);

void memphis_node_text(const struct memphis_examination *examination,
		       const struct memphis_check_result *findings, enum memphis_verdict verdict,
		       struct memphis_text *text);
void memphis_node_json(const struct memphis_examination *examination,
		       const struct memphis_check_result *findings, enum memphis_verdict verdict,
		       struct memphis_text *text);

/* Bytes that sysfs accepts in one write: space for a list of counters. */
#define MEMPHIS_CONTROLLERS_BYTES 4096

/*
 * Writes the list of counters of memory controllers that all users of the device can read (kmod/controllers/list.h) to the module; a line
 * end alone is an empty list. Returns 0, or an error with a message in *error.
 */
int memphis_controllers_write(const char *root, const char *list, struct memphis_error *error);

/* Appends the names in such a list, each once: "amd_umc cas_read, amd_umc cas_write". */
void memphis_controllers_names(struct memphis_text *text, const char *list);

#endif
