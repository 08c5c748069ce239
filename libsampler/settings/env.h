/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settings of the process. One table serves the environment, memphis_configure() and the messages about
 * invalid values. Functions must be called by one thread at a time unless stated otherwise.
 */
#ifndef MEMPHIS_ENV_H
#define MEMPHIS_ENV_H

#include "settings/core_events.h"
#include "settings/counter_list.h"
#include "base/sys.h"

#define MEMPHIS_AUTO UINT64_MAX /* stands for the default of the hardware (settings/hardware.h) */

enum memphis_backend_setting { MEMPHIS_BACKEND_DEVICE, MEMPHIS_BACKEND_PERF, MEMPHIS_BACKEND_NONE };

/*
 * Both values record all processes. They differ in when a process that the program starts is recorded: after
 * its first milliseconds (ALL), or from its start (AT_ONCE).
 */
#define MEMPHIS_RECORD_ALL     1
#define MEMPHIS_RECORD_AT_ONCE 2

struct memphis_env_settings {
	char output[1024]; /* pattern of the output directory, expanded by memphis_env_expand() */
	char device[256];
	__u64 backend;         /* enum memphis_backend_setting, or MEMPHIS_AUTO */
	__u64 period;          /* in units of `count`, or MEMPHIS_AUTO */
	__u64 min_latency;     /* in cycles, or MEMPHIS_AUTO */
	__u64 ring_records;    /* capacity of each ring; must be a power of two */
	__u64 alloc_min_bytes; /* minimum size of tracked blocks; with UINT64_MAX, no block is tracked */
	/* Of the smaller blocks, one is recorded for about this number of allocated bytes. With 0, none is recorded. */
	__u64 small_bytes;
	__u64 alloc_max_records;
	__u64 stack_depth;     /* or MEMPHIS_AUTO */
	__u64 callers;         /* number of bytes of the stack that are copied for samples in libraries; 0:
			    * off; or MEMPHIS_AUTO */
	__u64 python;          /* 1: call stacks of allocations contain the lines of Python code */
	__u64 count;           /* MEMPHIS_COUNT_*, or MEMPHIS_AUTO */
	__u64 events;          /* bitmap of enum memphis_sampling_event, or MEMPHIS_AUTO */
	__u64 drop;            /* bitmap of MEMPHIS_DROP_* */
	__u64 hardware_filter; /* filter of the hardware, MEMPHIS_HARDWARE_FILTER_* */
	__u64 record;          /* MEMPHIS_RECORD_* to sample the whole program; 0 to sample only inside
			     * calipers */
	__u64 kokkos;          /* enum memphis_kokkos */
	__u64 region_times;    /* 1: the calls and times of regions are counted */
	struct memphis_core_events region_counters; /* counting of cycles, instructions and other events
						     * for each region */
	__u64 spans;      /* begin and end are recorded for calipers down to this depth; 0: for no caliper */
	__u64 spans_max;  /* maximum number of spans per thread */
	__u64 mpi_events; /* messages and collective calls are recorded individually */
	__u64 disable;
	__u64 verbose;
	char counters[MEMPHIS_COUNTER_LIST_MAX]; /* list for settings/counter_list.h; empty: off */
	__u64 counters_interval_ms;
	__u64 counters_depth; /* calipers down to this depth are marked; the outermost caliper has depth 1 */
	char program[1024];   /* paths of the program's own code, separated by colons; if empty, the
			       * default is used */
	char ranks[1024];     /* list of ranges of ranks (base/range.h); if empty, all ranks are selected */
};

#define MEMPHIS_STACK_DEPTH_MAX 64

/* What is sampled in a program that reports its regions and kernels through Kokkos Tools. */
enum memphis_kokkos {
	MEMPHIS_KOKKOS_ALL,    /* the whole program; regions and kernels are calipers */
	MEMPHIS_KOKKOS_NESTED, /* regions only; kernels inside regions are calipers, too */
	MEMPHIS_KOKKOS_REGIONS /* only the regions */
};

extern struct memphis_env_settings memphis_settings;

/*
 * Sets all settings to their defaults, and then applies the environment. Variables with invalid values are
 * remembered for memphis_env_complain(). Does not allocate memory, so it can be called from the interposed
 * malloc().
 */
void memphis_env_load(void);

/*
 * Changes the setting with the given key, such as "period". Returns 0, -ENOENT if the key is unknown, or
 * -EINVAL if the value is invalid. On an error, the setting is not changed.
 */
int memphis_env_set(const char *key, const char *value);

/*
 * Checks a value without changing the setting. If the value is not accepted, returns a static description of
 * the accepted values. Otherwise, or if the variable is unknown, returns NULL.
 */
const char *memphis_env_refuses(const char *variable, const char *value);

/* Prints one line to standard error for each invalid value in the environment. Later calls print nothing. */
void memphis_env_complain(void);

extern pid_t memphis_env_pid; /* the process whose ID is used for %p; 0 means the calling process */

/*
 * Expands a pattern of a directory name: %h (host), %p (process ID), %r (MPI rank, or "0"), %j (batch job, or
 * "nojob") and %%. Writes at most `bytes` bytes to `out`, including the NUL. Returns 0, -ENAMETOOLONG, or
 * -EINVAL if the pattern contains another % sequence.
 */
int memphis_env_expand(char *out, size_t bytes, const char *pattern);

/*
 * The setting `ranks` selects MPI processes by their rank.
 *
 * memphis_env_is_chosen() returns 1 if this process is sampled. This is the case if its rank is selected. A
 * process without a rank is sampled if the setting is empty.
 *
 * memphis_env_speaks() returns 1 if this process prints messages that would be the same in every rank. These
 * are the processes with the lowest selected rank, those without a rank, and those for which MEMPHIS_VERBOSE
 * is set.
 */
int memphis_env_is_chosen(void);

/* Returns true if this program was launched directly by `memphis record` (MEMPHIS_ROOT), and not by another program. */
bool memphis_env_is_root(void);
int memphis_env_speaks(void);

/*
 * Takes a list of variables that ends with NULL. Returns the value of the first one that is set and not
 * empty, or NULL if there is none.
 */
const char *memphis_env_first(const char *const *names);
/*
 * Does the same as memphis_env_first(), for an environment in the format of /proc/PID/environ: strings that
 * each end with a NUL and follow each other directly.
 */
const char *memphis_env_first_in(const char *environment, size_t bytes, const char *const *names);
/*
 * Variables that are set by MPI launchers and batch systems: the rank, the number of ranks, the rank on the
 * host, and the job. The first variable in a list has precedence.
 */
extern const char *const memphis_env_rank[], *const memphis_env_ranks[];
extern const char *const memphis_env_local_rank[], *const memphis_env_job[];

#endif
