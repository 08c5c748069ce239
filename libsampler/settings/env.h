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

#define MEMPHIS_AUTO UINT64_MAX /* placeholder for the default of the hardware (settings/hardware.h) */

enum memphis_backend_setting { MEMPHIS_BACKEND_DEVICE, MEMPHIS_BACKEND_PERF, MEMPHIS_BACKEND_NONE };

/* Both values record all processes. A process that a program starts is recorded after its first milliseconds (ALL), or from its start (AT_ONCE). */
#define MEMPHIS_RECORD_ALL     1
#define MEMPHIS_RECORD_AT_ONCE 2

struct memphis_env_settings {
	char output[1024]; /* directory pattern, for memphis_env_expand() */
	char device[256];
	__u64 backend;         /* enum memphis_backend_setting, or MEMPHIS_AUTO */
	__u64 period;          /* in units of `count`, or MEMPHIS_AUTO */
	__u64 min_latency;     /* in cycles, or MEMPHIS_AUTO */
	__u64 ring_records;    /* capacity of each ring; a power of two */
	__u64 alloc_min_bytes; /* minimum size of tracked blocks; UINT64_MAX: no block is tracked */
	/* mean distance in bytes of the smaller blocks that are recorded; 0: none is recorded */
	__u64 small_bytes;
	__u64 alloc_max_records;
	__u64 stack_depth; /* or MEMPHIS_AUTO */
	__u64 callers;     /* bytes of the stack to copy with samples in libraries; 0: off; or MEMPHIS_AUTO */
	__u64 python;      /* 1: call stacks of allocations have the lines of Python */
	__u64 count;       /* MEMPHIS_COUNT_*, or MEMPHIS_AUTO */
	__u64 events;      /* bitmap of enum memphis_sampling_event, or MEMPHIS_AUTO */
	__u64 drop;        /* mask of MEMPHIS_DROP_* */
	__u64 hardware_filter; /* filter of the hardware: MEMPHIS_HARDWARE_FILTER_* */
	__u64 record;       /* MEMPHIS_RECORD_*: sample the whole program, not only inside calipers; 0: no */
	__u64 kokkos;       /* enum memphis_kokkos */
	__u64 region_times; /* 1: count the calls and times of regions */
	struct memphis_core_events region_counters; /* cycles, instructions and events of regions */
	__u64 spans;      /* depth of calipers down to which begin and end are recorded; 0: they are not */
	__u64 spans_max;  /* spans per thread */
	__u64 mpi_events; /* messages and collective calls are recorded one by one */
	__u64 disable;
	__u64 verbose;
	char counters[MEMPHIS_COUNTER_LIST_MAX]; /* list for settings/counter_list.h; empty: off */
	__u64 counters_interval_ms;
	__u64 counters_depth; /* calipers down to this depth are marked; the outermost has depth 1 */
	char program[1024];   /* colon-separated paths of the program's own code; empty: by default */
	char ranks[1024];     /* list of ranges (base/range.h); empty: all ranks */
};

#define MEMPHIS_STACK_DEPTH_MAX 64

/* What is sampled in a program that reports regions and kernels through Kokkos Tools. */
enum memphis_kokkos {
	MEMPHIS_KOKKOS_ALL,    /* the whole program; regions and kernels are calipers */
	MEMPHIS_KOKKOS_NESTED, /* regions only; kernels inside regions are calipers, too */
	MEMPHIS_KOKKOS_REGIONS /* regions only */
};

extern struct memphis_env_settings memphis_settings;

/*
 * Sets all settings to their defaults, then applies the environment. Stores which variables have invalid
 * values, for memphis_env_complain(). Does not allocate, so it can be called from the interposed malloc().
 */
void memphis_env_load(void);

/*
 * Changes one setting by its key ("period"). Returns 0, -ENOENT (unknown key) or -EINVAL (invalid value). On
 * error, the setting is unchanged.
 */
int memphis_env_set(const char *key, const char *value);

/*
 * Checks a value without changing the setting. Returns NULL if the value is accepted or the variable is
 * unknown, else a static description of the accepted values.
 */
const char *memphis_env_refuses(const char *variable, const char *value);

/* Prints one line to standard error for each invalid value in the environment. Later calls print nothing. */
void memphis_env_complain(void);

extern pid_t memphis_env_pid; /* process that %p expands to; 0: the calling process */

/*
 * Expands %h (host), %p (pid), %r (MPI rank, else "0"), %j (batch job, else "nojob") and %% in a directory
 * pattern. Writes at most `bytes` bytes, including the NUL, to `out`. Returns 0, -ENAMETOOLONG, or -EINVAL
 * for an unknown % sequence.
 */
int memphis_env_expand(char *out, size_t bytes, const char *pattern);

/*
 * The setting `ranks` selects MPI processes by rank. memphis_env_is_chosen() returns 1 if this process is
 * sampled: its rank is selected, or it has no rank and no ranks are selected. memphis_env_speaks() returns 1
 * if this process prints messages that would be the same in every rank: processes with the lowest selected
 * rank, without a rank, or with MEMPHIS_VERBOSE do.
 */
int memphis_env_is_chosen(void);

/* Returns true if `memphis record` has launched this program itself (MEMPHIS_ROOT). */
bool memphis_env_is_root(void);
int memphis_env_speaks(void);

/* Returns the value of the first variable in a NULL-terminated list that is set and not empty, or NULL. */
const char *memphis_env_first(const char *const *names);
/*
 * Same as memphis_env_first(), for an environment in the format of /proc/PID/environ: contiguous
 * NUL-terminated strings.
 */
const char *memphis_env_first_in(const char *environment, size_t bytes, const char *const *names);
/* Variables of MPI launchers and batch systems, in order of precedence: rank, number of ranks, rank on the host, job. */
extern const char *const memphis_env_rank[], *const memphis_env_ranks[];
extern const char *const memphis_env_local_rank[], *const memphis_env_job[];

#endif
