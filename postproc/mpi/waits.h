/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks of an MPI program did in MPI and in I/O, and for which ranks they waited: tables by rank, by function and by file, and findings.
 * Made from the sums of the processes (struct memphis_mpi_sum). A process without MPI that calls I/O functions is a rank, too.
 */
#ifndef MEMPHIS_POST_MPI_WAITS_H
#define MEMPHIS_POST_MPI_WAITS_H

#include "view/waiting.h"

/* Where a rank waited for remote memory. */
enum memphis_mpi_place { MEMPHIS_MPI_COMPUTING, MEMPHIS_MPI_COMMUNICATING, MEMPHIS_MPI_PLACES };

/* A process that called MPI or I/O functions. MPI's functions for files are I/O functions. */
struct memphis_mpi_rank {
	uint32_t process;           /* index in the profile */
	uint32_t rank;              /* rank in MPI_COMM_WORLD */
	uint32_t threads;           /* number of threads that called these functions */
	uint64_t ns;                /* time for which these threads were sampled; 0: unknown */
	struct memphis_mpi_sum sum; /* sum over all calls of MPI functions while the rank was sampled */
	/* sum over calls of I/O functions: written bytes count as sent, read bytes as received */
	struct memphis_mpi_sum io;
	bool compared; /* the ranks have compared their times */
	/* Cycles of waiting for remote DRAM; 0 unless the profile is by region and thread. */
	struct memphis_estimate remote[MEMPHIS_MPI_PLACES];
};

/* An MPI or I/O function in a region. */
struct memphis_mpi_call {
	uint32_t key;               /* number of the key in `keys` */
	struct memphis_mpi_sum sum; /* sum over all ranks */
	uint32_t ranks;             /* number of ranks that call it */
	uint32_t last;              /* the last rank that calls it, plus 1 */
	bool inside;                /* it was called while ranks were sampled */
	bool io;                    /* an I/O function */
};

/* A file, and the calls for it while ranks were sampled. Calls that open files count for no file. */
struct memphis_mpi_file {
	const char *path;           /* NULL: none, or unknown */
	struct memphis_mpi_sum sum; /* sum over all ranks */
	uint32_t ranks;             /* number of ranks with calls for it */
	uint32_t last;              /* the last rank with calls for it, plus 1 */
};

/* The bytes that a rank wrote to files by a function, and the time of the function's calls for files. */
struct memphis_mpi_write {
	uint32_t call, rank; /* indices in `calls` and in `ranks` */
	uint64_t bytes, ns;
	bool explains; /* these bytes explain a finding */
};

enum memphis_mpi_pattern {
	MEMPHIS_MPI_LATE_SENDER, /* ranks wait for messages that one rank begins to send late */
	MEMPHIS_MPI_LATE_RANK,   /* ranks wait in a collective call for one rank */
	MEMPHIS_MPI_IMBALANCE,   /* ranks wait in a collective call, for different ones */
	MEMPHIS_MPI_WRITER,      /* ranks wait for one that writes to files for all */
	MEMPHIS_MPI_PATTERNS
};

extern const char *const memphis_mpi_pattern_names[MEMPHIS_MPI_PATTERNS];

#define MEMPHIS_MPI_FINDING_SHARE 0.1  /* minimum share of waiting in the time of a region */
#define MEMPHIS_MPI_FINDING_LEAST 0.01 /* minimum share of waiting in the time of the run */
#define MEMPHIS_MPI_WRITER_BYTES  0.9 /* minimum share of a single writer in the bytes that all ranks write */
#define MEMPHIS_MPI_WRITER_TIME \
	0.5 /* minimum ratio of its time in calls for files to the waiting time of another rank */

struct memphis_mpi_finding {
	enum memphis_mpi_pattern pattern;
	uint32_t call;   /* in `calls` */
	int32_t late;    /* rank that is waited for; MEMPHIS_MPI_NONE: several */
	uint32_t *ranks; /* ranks that wait: indices in `ranks`, ascending */
	size_t rank_count;
	double share;       /* share of waiting in the time that these ranks spend in the region */
	uint64_t waited_ns; /* time for which these ranks waited */
	/* These members are about a single writer. */
	double bytes_share; /* its share of the bytes that all ranks write */
	uint64_t bytes, write_ns;
};

/* How long a rank waited in a function for another rank. */
struct memphis_mpi_wait {
	uint32_t call, rank; /* indices in `calls` and in `ranks` */
	int32_t partner;
	uint64_t ns;
	uint64_t region_ns; /* time that the rank spent in the region */
};

struct memphis_mpi_waits {
	struct memphis_mpi_rank *ranks; /* in the order of the processes */
	size_t rank_count, rank_room;
	struct memphis_mpi_call *calls;
	uint32_t *shown; /* indices of calls: most time first; those outside sampling last */
	size_t call_count, call_room;
	struct memphis_mpi_finding *findings; /* most waiting first */
	size_t finding_count, finding_room;
	struct memphis_mpi_wait *waits;
	size_t wait_count, wait_room;
	struct memphis_mpi_file *files; /* most time first */
	size_t file_count, file_room;
	struct memphis_mpi_write *writes;
	size_t write_count, write_room;
	struct memphis_strings paths; /* the number of a path is that of its file, plus 1 */
	/* Keys: path of the region, NUL, function. The number of a key minus 1 is the call. */
	struct memphis_strings keys;
	uint64_t clock_error_ns; /* the largest error of any rank's clock */
	uint64_t left_out;       /* number of messages and calls beyond the limit of the log */
};

/* Makes the tables of the selected processes; empty if no process called MPI or I/O functions. Returns 0 or -ENOMEM; close them in either case. */
int memphis_mpi_waits_make(struct memphis_mpi_waits *waits, const struct memphis_profile *profile,
			   const struct memphis_selection *selection, const struct memphis_waiting *waiting);
void memphis_mpi_waits_close(struct memphis_mpi_waits *waits);

/* Returns the path of the region that makes the call, "TimeLoop/Bound"; "" outside all regions. */
static inline const char *memphis_mpi_call_region(const struct memphis_mpi_waits *waits, uint32_t call)
{
	return memphis_strings_get(&waits->keys, waits->calls[call].key);
}
const char *memphis_mpi_call_function(const struct memphis_mpi_waits *waits, uint32_t call);

#endif
