/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The backend takes the samples. It is the module's device, perf_event_open(2) instead of the device, or none
 * on request. All backends accept the requests of the device's ABI (memphis/device.h). Code outside this
 * folder does not depend on which backend is open.
 */
#ifndef MEMPHIS_LIB_BACKEND_H
#define MEMPHIS_LIB_BACKEND_H

#include <poll.h>
#include <sys/types.h>

#include <memphis/device.h>

#include "base/text.h"

struct memphis_region_log;

/*
 * Space for the remedy text of one backend. The longest texts are the refusal of a CPU, with its name, and
 * perf's list of limits. The texts are for the user and must never be truncated.
 */
#define MEMPHIS_REMEDY_BYTES 512

/* Reason why a backend could not be opened, and what the user can do about it. */
struct memphis_refusal {
	char where[512];
	int err;                                     /* positive errno, or 0 if there is none */
	char remedy[2 * MEMPHIS_REMEDY_BYTES + 100]; /* remedies of two backends, with an error between
						      * them */
};

struct memphis_backend {
	const char *name; /* name in the metadata */
	/*
	 * Returns true if, according to files, sampling is possible. Does not allocate, so the interposed
	 * malloc() can call it.
	 */
	bool (*is_there)(void);
	/*
	 * Opens the backend for a process (0: the calling process). Returns 0. On failure, returns -errno and
	 * writes a text for the user to `remedy`.
	 */
	int (*open)(pid_t process, char *remedy, size_t bytes);
	void (*close)(void);
	/* Fork handler of the child, called before close(). Marks the open resources as the parent's. */
	void (*forked)(void);
	/* Makes a request MEMPHIS_IOC_*. Returns 0 or -errno (-EBADF if the program has closed the device). */
	int (*request)(unsigned long what, void *argument);
	/*
	 * Maps an area whose offset ATTACH has returned, or the session's page (offset 0). On failure,
	 * returns NULL and stores -errno in *error.
	 */
	void *(*map)(size_t bytes, int protection, __u64 offset, int *error);
	/*
	 * Takes back the areas of a thread that has ended, for use by other threads. The caller must not
	 * unmap them, because the kernel would have to interrupt all CPUs of the program. The areas of other
	 * threads remain mapped. NULL: the caller unmaps the areas when it detaches their thread.
	 */
	void (*recycle)(void *control, const void *ring);
	/*
	 * Returns the log in which calipers record changes of the thread's region (tid 0: the session's
	 * region), or NULL if no log is needed.
	 */
	struct memphis_region_log *(*log)(pid_t tid);
	/*
	 * Returns the number of region changes that found no room in the logs. Samples after such a change
	 * have the previous region.
	 */
	__u64 (*regions_left_out)(void);
	/* Called by the drain. Updates the rings, the accounting and `exited` of all threads. */
	void (*collect)(void);
	/* Fills in up to `max` descriptors that the drain must poll. Returns their number. */
	unsigned int (*descriptors)(struct pollfd *fds, unsigned int max);
	/* Writes what the user can do about an error (a positive errno) of a request. */
	void (*remedy)(int err, char *text, size_t bytes);
	/* Appends the lines of SETTINGS that only this backend has. NULL: there are none. */
	void (*metadata)(struct memphis_text_buffer *text, const struct memphis_query *query);
	bool shares_descriptors; /* true: the program's threads and the drain use each other's descriptors */
	/* Returns true if samples of the kernel are dropped without being counted, at least in some threads. NULL: never. */
	bool (*drops_kernel)(void);
};

extern const struct memphis_backend memphis_device, memphis_perf, memphis_none;

/* The open backend, or the device if none is open. Changes require the session's lock. */
extern const struct memphis_backend *memphis_backend;

/* Returns true if a backend that the settings allow can sample. Does not allocate, so the interposed malloc() can call it. */
bool memphis_backend_is_there(void);

/*
 * Opens the backend that the settings allow, queries it and configures it. Returns 0. On failure, returns
 * -ENODEV and fills in *refusal.
 */
int memphis_backend_open(pid_t process, struct memphis_query *query, struct memphis_config *config,
			 struct memphis_refusal *refusal);

/*
 * Opens the backend that the settings allow, and queries its properties. Ignores the other settings of the
 * sampling. Returns 0. On failure, returns -ENODEV and fills in *refusal. In both cases, the caller must call
 * memphis_backend->close() next.
 */
int memphis_backend_query(struct memphis_query *query, struct memphis_refusal *refusal);

/* Fork handler of the child. Marks the open resources as the parent's. The caller must call memphis_backend->close() next. */
void memphis_backend_forked(void);

/*
 * Returns what the user can do about an error (a positive errno) of a request. The text is static, so the
 * caller must hold the session's lock.
 */
const char *memphis_backend_remedy(int err);

/* Returns true if the instruction is in one of the ranges of the program's own code. */
static inline bool memphis_program_code_has(const struct memphis_program *program, __u64 pc)
{
	__u32 i;

	for (i = 0; i < program->count; i++)
		if (pc >= program->ranges[i].start && pc < program->ranges[i].end)
			return true;
	return false;
}

#endif
