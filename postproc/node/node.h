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

/* ---- the sampling hardware that this user can use ---- */

struct memphis_offer {
	const char *by; /* who offers it: "device" or "perf"; NULL: this user can use neither */
	struct memphis_query query;
	char refusal[2560]; /* error message of the device, and the library's explanation of perf's error */
	/* true: the hardware or the kernel lacks the event; false: perf refuses because this user may not sample */
	bool is_lacking;
};

/*
 * Opens and queries the device. Sets *opened to false if the device could not be opened. Returns 0 or a
 * negative errno. The device may have another version of the ABI: see memphis_device_is_known().
 */
int memphis_device_query(struct memphis_query *query, const char *root, const char *device, bool *opened);

/* Returns true if this tool knows the device's version of the ABI. */
bool memphis_device_is_known(const struct memphis_query *query);

/* Returns the name of an enum memphis_sampling_event. For IBS, the name is "ops". */
const char *memphis_event_name(unsigned int hardware, unsigned int event);

/*
 * Appends one line that describes the class of the machine: model, nodes, CPUs and memory. Measurements on
 * machines of the same class should agree.
 */
void memphis_machine_put_class(const struct memphis_machine *machine, struct memphis_text *text);

/*
 * Compare two classes. The memory of machines of the same class differs slightly, because firmware reserves a
 * part of it. memphis_class_compare() is for sorting. It returns 0 if the classes are equal except for the
 * memory, and sets *larger to the relative difference in memory, which is positive if `b` has more than `a`.
 * memphis_class_is_like() also allows a difference in memory of up to MEMPHIS_CLASS_MEMORY.
 */
int memphis_class_compare(const char *a, const char *b, double *larger);
bool memphis_class_is_like(const char *a, const char *b);
#define MEMPHIS_CLASS_MEMORY 0.02 /* machines of one class differ by at most this fraction of their memory */

/* ---- measured speed of the memory ---- */

enum memphis_speed {
	MEMPHIS_SPEED_LATENCY,
	/* this and the following: bandwidth of all cores of a node together, by kind of loop */
	MEMPHIS_SPEED_READ,
	MEMPHIS_SPEED_WRITE,
	MEMPHIS_SPEED_COPY,
	MEMPHIS_SPEED_TRIAD,
	MEMPHIS_SPEEDS
};

struct memphis_speed_row {
	const char *key;   /* key in files */
	const char *json;  /* key in JSON */
	const char *word;  /* name in sentences: "the bandwidth of reads" */
	const char *title; /* title of the table */
	const char *unit;  /* ns, or GB/s: 10^9 bytes per second */
	bool is_bandwidth; /* larger values are better */
};

extern const struct memphis_speed_row memphis_speeds[MEMPHIS_SPEEDS];

#define MEMPHIS_LOAD_STEPS 4

/* A latency that was measured while other cores of the node read from the same memory. */
struct memphis_loaded_latency {
	double gb, ns; /* gb: bandwidth of these cores in 10^9 bytes per second; NAN: not measured */
};

/* The rate of DGEMM on all cores of a node together. */
struct memphis_dgemm {
	double *rates;                 /* 10^9 operations per second, indexed by node; NAN: not measured */
	char library[256], path[1024]; /* name and version of the BLAS, and its path; "" if unknown */
	char lacking[1280];            /* reason why the rate could not be measured */
	bool is_slow;                  /* the BLAS is not known to be optimised */
};

extern const struct memphis_speed_row memphis_dgemm_row, memphis_loaded_row;

struct memphis_matrices {
	char host[128], class[320];
	unsigned int *nodes; /* numbers of the nodes, in ascending order */
	size_t count;
	/*
	 * indexed by enum memphis_speed: count x count values, from the CPUs of a node (row) to the memory of
	 * a node (column); NAN: not measured
	 */
	double *values[MEMPHIS_SPEEDS];
	/*
	 * MEMPHIS_LOAD_STEPS values for each pair: the latency while a quarter, a half, three quarters, and
	 * all of the node's other cores read
	 */
	struct memphis_loaded_latency *loaded;
	struct memphis_dgemm dgemm;
	bool huge_pages; /* true: all latencies were measured in huge pages */
};

/*
 * Measures latency and bandwidth between all nodes. Returns 0 or a negative errno: -ENOTSUP if the tool was
 * built without hwloc. The matrices must be closed in all cases.
 */
int memphis_matrices_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine,
			     struct memphis_error *error);
void memphis_matrices_close(struct memphis_matrices *matrices);

/* Measures the rate of DGEMM on all nodes, if a BLAS can be loaded. */
void memphis_dgemm_measure(struct memphis_matrices *matrices, const struct memphis_machine *machine);

/* Threads on cores of a node that run one of the loops of enum memphis_speed until they are stopped. */
struct memphis_crew;

/* Binds the calling thread to the CPU. Returns false if this is not possible. */
bool memphis_run_on(const struct memphis_machine *machine, unsigned int cpu);

/* Returns true if this process may use the CPU. */
bool memphis_is_allowed(const struct memphis_machine *machine, unsigned int cpu);

/*
 * Returns true if the CPU is the first hardware thread of a core of the node, and this process may use it.
 * `cpu` and `node` are indices, not numbers.
 */
bool memphis_is_core_of(const struct memphis_machine *machine, size_t cpu, size_t node);

/* Returns the number of cores of the node on which a crew can run. `node` is an index. */
size_t memphis_crew_size(const struct memphis_machine *machine, size_t node);

/*
 * Starts a crew of `size` threads on cores of the node, without the node's first `left_out` cores. Each
 * thread works on a part of the `bytes` bytes at `base`. Loops with stores overwrite them. Returns NULL if
 * memory is exhausted, if a thread cannot be created, or if the buffer is too small to be divided.
 */
struct memphis_crew *memphis_crew_start(const struct memphis_machine *machine, size_t node, size_t left_out,
					size_t size, enum memphis_speed loop, void *base, size_t bytes);

/* Stops the crew. Returns the sum of its bandwidths in 10^9 bytes per second, or NAN if `crew` is NULL. */
double memphis_crew_stop(struct memphis_crew *crew);

/* Allocates matrices for `count` nodes, with all values NAN (not measured). Returns 0 or -ENOMEM. */
int memphis_matrices_resize(struct memphis_matrices *matrices, size_t count);

/* Return the measured speed or latency between the nodes with these numbers. Return NAN if it is unknown. */
double memphis_matrices_value(const struct memphis_matrices *matrices, enum memphis_speed speed,
			      unsigned int from, unsigned int to);
double memphis_matrices_latency(const struct memphis_matrices *matrices, unsigned int from, unsigned int to);

/* Returns the largest ratio of remote to local latency, or NAN if it is unknown. */
double memphis_matrices_factor(const struct memphis_matrices *matrices);

int memphis_matrices_save(const struct memphis_matrices *matrices, const char *path,
			  struct memphis_error *error);
int memphis_matrices_load(struct memphis_matrices *matrices, const char *path, struct memphis_error *error);

/*
 * The value that deviates most from the baseline. `found` is true if a value is worse by more than
 * `tolerance` (0.2 means 20 %).
 */
struct memphis_outlier {
	bool found;
	/* row of memphis_speeds; or memphis_dgemm_row, with `to` equal to `from` */
	const struct memphis_speed_row *row;
	enum memphis_speed speed;
	unsigned int from, to; /* node numbers */
	double value, expected;
	/* number of values that were compared, and number of values that are worse by more than the tolerance */
	size_t compared, worse;
};

/* Returns true if both DGEMM rates were measured with the same library. */
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
	/* result as a single word or number, which --expect compares; empty if there is none */
	struct memphis_text value;
	struct memphis_text evidence, remedy;
	/* the check was skipped, because the user excluded it or its input is missing */
	bool ignored;
	const char *expected; /* value that --expect requires, or NULL */
};

/* Input of the checks. */
struct memphis_examination {
	const struct memphis_machine *machine;
	/* this program does not load the machine between the readings `before` and `quiet` */
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
	MEMPHIS_CHECK_NEEDED,   /* without the result of this check, the machine is not declared fit */
	MEMPHIS_CHECK_MEASURED, /* skipped if `matrices` is NULL */
	MEMPHIS_CHECK_COMPARED  /* skipped if `baseline` is NULL, otherwise like NEEDED */
};

struct memphis_check_row {
	const char *name, *title;
	memphis_check *check;
	enum memphis_check_kind kind;
};

extern const struct memphis_check_row memphis_checks[];
extern const size_t memphis_check_count;

/*
 * Returns the maximum number of samples per second and CPU with the library's default period. Returns 0 if
 * Memphis does not support the hardware.
 */
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

/* Makes all checks. The caller has set `ignored` and `expected` in each of the memphis_check_count entries of `findings`. */
void memphis_examine(const struct memphis_examination *examination, struct memphis_check_result *findings);
void memphis_findings_of_checks_close(struct memphis_check_result *findings);

/*
 * Returns the overall verdict. OK: the machine is fit. With `strict`, warnings make it unfit. FAIL: the
 * machine is unfit. UNKNOWN: a needed check could not be made.
 */
enum memphis_verdict memphis_judge(const struct memphis_check_result *findings, bool strict);

/* Appends the error counts that are not 0. */
void memphis_errors_json(const struct memphis_examination *examination, struct memphis_json *json);

/* Appends the busiest process and the busiest interrupt, or null. */
void memphis_noise_json(const struct memphis_examination *examination, struct memphis_json *json);

/* Returns true if one of the checks of hardware errors has failed. */
bool memphis_errors_failed(const struct memphis_check_result *findings);

/* Helper for checks: stores the reason and returns MEMPHIS_VERDICT_UNKNOWN. */
enum memphis_verdict memphis_check_unknown(struct memphis_check_result *finding, const char *why);

void memphis_node_text(const struct memphis_examination *examination,
		       const struct memphis_check_result *findings, enum memphis_verdict verdict,
		       struct memphis_text *text);
void memphis_node_json(const struct memphis_examination *examination,
		       const struct memphis_check_result *findings, enum memphis_verdict verdict,
		       struct memphis_text *text);

/* Number of bytes that sysfs accepts in one write, which limits the list of counters. */
#define MEMPHIS_CONTROLLERS_BYTES 4096

/*
 * Writes a list of memory controllers' counters to the module (kmod/controllers/list.h). All users of the
 * device can then read these counters. A line end alone is an empty list. Returns 0, or a negative errno with
 * a message in *error.
 */
int memphis_controllers_write(const char *root, const char *list, struct memphis_error *error);

/* Appends the names of the counters in such a list, each once: "amd_umc cas_read, amd_umc cas_write". */
void memphis_controllers_names(struct memphis_text *text, const char *list);

#endif
