/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shows what the ranks of an MPI program did in MPI and in I/O, and for which ranks they waited. Makes tables by rank,
 * by function and by file, and findings. The input is the sums that each process recorded (struct memphis_mpi_sum). A
 * process without MPI that calls I/O functions also counts as a rank.
 */
#ifndef MEMPHIS_POST_MPI_WAITS_H
#define MEMPHIS_POST_MPI_WAITS_H

#include "view/waiting.h"

/* Whether a rank waited for remote memory outside MPI (computing) or inside MPI (communicating). */
enum memphis_mpi_place { MEMPHIS_MPI_COMPUTING, MEMPHIS_MPI_COMMUNICATING, MEMPHIS_MPI_PLACES };

/* A process that called MPI or I/O functions. MPI functions for files, such as MPI_File_write(), count as I/O functions. */
struct memphis_mpi_rank {
	uint32_t process;           /* index in the profile */
	uint32_t rank;              /* rank in MPI_COMM_WORLD */
	uint32_t threads;           /* number of threads that called MPI or I/O functions */
	uint64_t ns;                /* time for which these threads were sampled; 0: unknown */
	struct memphis_mpi_sum sum; /* sum of all calls of MPI functions while the rank was sampled */
	/* sum of all calls of I/O functions: written bytes count as sent bytes, read bytes as received bytes */
	struct memphis_mpi_sum io;
	/* the ranks have compared their times in MPI_Finalize(); otherwise waits are unknown */
	bool compared;
	/* Cycles that the rank waited for remote DRAM. They are 0 unless the profile counts regions and threads separately. */
	struct memphis_estimate remote[MEMPHIS_MPI_PLACES];
};

/* An MPI or I/O function that is called in one region. */
struct memphis_mpi_call {
	uint32_t key;               /* number of the key in `keys` */
	struct memphis_mpi_sum sum; /* sum over all ranks */
	uint32_t ranks;             /* number of ranks that call the function */
	uint32_t last;              /* index of the last rank that calls the function, plus 1 */
	bool inside;                /* some call was made while its rank was sampled */
	bool io;                    /* an I/O function */
};

/* A file, with the calls for it while ranks were sampled. Calls that open a file are not assigned to any file. */
struct memphis_mpi_file {
	const char *path;           /* NULL: none, or unknown */
	struct memphis_mpi_sum sum; /* sum over all ranks */
	uint32_t ranks;             /* number of ranks that made calls for the file */
	uint32_t last;              /* index of the last rank that made calls for the file, plus 1 */
};

/* The bytes that a rank wrote to files with one function (0 if it only reads), and the time of its calls for files. */
struct memphis_mpi_write {
	uint32_t call, rank; /* indices in `calls` and in `ranks` */
	uint64_t bytes, ns;
	bool explains; /* a finding already uses these bytes as its explanation */
};

enum memphis_mpi_pattern {
	MEMPHIS_MPI_LATE_SENDER, /* ranks wait for messages that one rank starts to send late */
	MEMPHIS_MPI_LATE_RANK,   /* ranks wait in a collective call for one rank */
	MEMPHIS_MPI_IMBALANCE,   /* ranks wait in a collective call for different ranks */
	MEMPHIS_MPI_WRITER,      /* ranks wait for one rank that writes to files for all */
	MEMPHIS_MPI_PATTERNS
};

extern const char *const memphis_mpi_pattern_names[MEMPHIS_MPI_PATTERNS];

#define MEMPHIS_MPI_FINDING_SHARE 0.1  /* minimum ratio of waiting time to time in the region */
#define MEMPHIS_MPI_FINDING_LEAST 0.01 /* minimum ratio of waiting time to duration of the run */
#define MEMPHIS_MPI_WRITER_BYTES  0.9  /* a single writer writes at least this share of all bytes */
#define MEMPHIS_MPI_WRITER_TIME \
	0.5 /* minimum ratio of a single writer's time in calls for files to the waiting time of another rank */

struct memphis_mpi_finding {
	enum memphis_mpi_pattern pattern;
	uint32_t call;   /* index in `calls` */
	int32_t late;    /* rank for which others wait; MEMPHIS_MPI_NONE: several ranks */
	uint32_t *ranks; /* the ranks that wait: indices in `ranks`, ascending */
	size_t rank_count;
	double share;       /* waiting time of these ranks, divided by their time in the region */
	uint64_t waited_ns; /* time for which these ranks waited */
	/* The following members are set only for a single writer. */
	double bytes_share; /* the writer's share of the bytes that all ranks write */
	uint64_t bytes, write_ns;
};

/* The time that a rank waited in a function for another rank. */
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
	/* indices in `calls` in the order of the report: longest time first; calls outside sampling last */
	uint32_t *shown;
	size_t call_count, call_room;
	struct memphis_mpi_finding *findings; /* most waiting first */
	size_t finding_count, finding_room;
	struct memphis_mpi_wait *waits;
	size_t wait_count, wait_room;
	struct memphis_mpi_file *files; /* most time first */
	size_t file_count, file_room;
	struct memphis_mpi_write *writes;
	size_t write_count, write_room;
	struct memphis_strings paths; /* the number of a path is the index of its file, plus 1 */
	/* Each key is the path of the region, a NUL, and the function. The number of a key, minus 1, is its index in `calls`. */
	struct memphis_strings keys;
	uint64_t clock_error_ns; /* the largest error of the clock of any rank */
	/* number of messages and calls that were not recorded because the log was full */
	uint64_t left_out;
};

/*
 * Makes the tables of the selected processes. They are empty if no process called MPI or I/O functions. Returns 0 or
 * -ENOMEM. The caller must close the tables in both cases.
 */
int memphis_mpi_waits_make(struct memphis_mpi_waits *waits, const struct memphis_profile *profile,
			   const struct memphis_selection *selection, const struct memphis_waiting *waiting);
void memphis_mpi_waits_close(struct memphis_mpi_waits *waits);

/* Returns the path of the region that makes the call, for example "TimeLoop/Bound", or "" if it is outside all regions. */
static inline const char *memphis_mpi_call_region(const struct memphis_mpi_waits *waits, uint32_t call)
{
	return memphis_strings_get(&waits->keys, waits->calls[call].key);
}
const char *memphis_mpi_call_function(const struct memphis_mpi_waits *waits, uint32_t call);

#endif
