/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings: one table feeds the environment, memphis_configure() and what is said about bad values. */
#ifndef MEMPHIS_ENV_H
#define MEMPHIS_ENV_H

#include "settings/counter_list.h"
#include "base/sys.h"

#define MEMPHIS_AUTO UINT64_MAX /* as suits the hardware: settings/hardware.h */

enum memphis_backend_setting { MEMPHIS_BACKEND_DEVICE, MEMPHIS_BACKEND_PERF };

struct memphis_settings {
	char output[1024]; /* pattern of the directory */
	char device[256];
	__u64 backend;     /* enum memphis_backend_setting, or MEMPHIS_AUTO */
	__u64 period;      /* or MEMPHIS_AUTO */
	__u64 min_latency; /* likewise */
	__u64 ring_records;
	__u64 alloc_min_bytes; /* UINT64_MAX: off */
	__u64 alloc_max_records;
	__u64 stack_depth;
	__u64 count;  /* MEMPHIS_COUNT_*, or MEMPHIS_AUTO */
	__u64 drop;   /* MEMPHIS_DROP_* */
	__u64 record; /* sample the whole program */
	__u64 kokkos; /* enum memphis_kokkos */
	__u64 disable;
	__u64 verbose;
	char counters[MEMPHIS_COUNTER_LIST_MAX]; /* settings/counter_list.h; empty: off */
	__u64 counter_interval_ms;
	char ranks[1024]; /* a list of numbers and ranges, or empty: all */
};

#define MEMPHIS_STACK_DEPTH_MAX 64

/* What is sampled of a program that tells about itself through Kokkos Tools. */
enum memphis_kokkos {
	MEMPHIS_KOKKOS_ALL,    /* everything; regions and kernels are calipers */
	MEMPHIS_KOKKOS_NESTED, /* regions; kernels in them are calipers, too */
	MEMPHIS_KOKKOS_REGIONS /* regions */
};

extern struct memphis_settings memphis_settings;

/* Take the defaults, then the environment; safe below malloc(). Bad values are kept for env_complain(). */
void memphis_env_load(void);

/* One setting by its key ("period"). -ENOENT unknown key, -EINVAL bad value; then nothing changes. */
int memphis_env_set(const char *key, const char *value);

/* What the setting of this variable takes, if it does not take the value; else NULL. Changes nothing. */
const char *memphis_env_refuses(const char *variable, const char *value);

/* Say on stderr, once, one line for each bad value that the environment had. */
void memphis_env_complain(void);

extern pid_t memphis_env_pid; /* what %p stands for; 0: the calling process */

/*
 * Expand %h %p %r %j %% of a directory pattern. Writes at most `bytes` with the NUL to `out`; 0, or
 * -ENAMETOOLONG, or -EINVAL for an unknown % sequence.
 */
int memphis_env_expand(char *out, size_t bytes, const char *pattern);

/*
 * The ranks that are sampled, of a program that has ranks: is this process one of them? And does it speak for all, where each
 * would say the same: the first of them does, or who was asked to be verbose.
 */
int memphis_env_is_chosen(void);
int memphis_env_speaks(void);

/* First of the variables (a NULL-ended list) that is set and not empty, or NULL. */
const char *memphis_env_first(const char *const *names);
/* The same in an environment as procfs shows it: strings that end in NUL, one after the other. */
const char *memphis_env_first_in(const char *environment, size_t bytes, const char *const *names);
extern const char *const memphis_env_rank[], *const memphis_env_ranks[];
extern const char *const memphis_env_local_rank[], *const memphis_env_job[];

#endif
