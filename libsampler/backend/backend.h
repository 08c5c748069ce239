/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The backend that takes the samples: the module's device, or perf_event_open(2) instead, or none on request. All accept the
 * requests of the device's ABI (memphis/device.h); nothing outside this folder depends on which one is open.
 */
#ifndef MEMPHIS_LIB_BACKEND_H
#define MEMPHIS_LIB_BACKEND_H

#include <poll.h>
#include <sys/types.h>

#include <memphis/device.h>

#include "base/text.h"

struct memphis_region_log;

/*
 * Space for the remedy of one backend; the longest are the refusal of a CPU, with the CPU's name, and perf's list of limits. Texts
 * are for the user, and never cut.
 */
#define MEMPHIS_REMEDY_BYTES 512

/* Reason why a backend could not be opened, and what the user can do about it. */
struct memphis_refusal {
	char where[512];
	int err;                                     /* positive errno, or 0 if there is none */
	char remedy[2 * MEMPHIS_REMEDY_BYTES + 100]; /* remedies of two backends, and an error between them */
};

struct memphis_backend {
	const char *name; /* as written to the metadata */
	/*
	 * Returns true if samples are possible, as far as files can show. Does not allocate, so it can be
	 * called from the interposed malloc().
	 */
	bool (*is_there)(void);
	/*
	 * Opens the backend for a process (0: the calling one). Returns 0, or -errno and a text for the user
	 * in `remedy`.
	 */
	int (*open)(pid_t process, char *remedy, size_t bytes);
	void (*close)(void);
	/* Fork handler of the child, called before close(): marks what is open as belonging to the parent. */
	void (*forked)(void);
	/* Makes a request MEMPHIS_IOC_*. Returns 0 or -errno (-EBADF if the program has closed the device). */
	int (*request)(unsigned long what, void *argument);
	/*
	 * Maps an area that ATTACH returned, or the session's page (offset 0). Returns NULL and stores -errno
	 * in *error on failure.
	 */
	void *(*map)(size_t bytes, int protection, __u64 offset, int *error);
	/*
	 * Takes back the areas of a thread that has ended, which the caller must not unmap: the kernel interrupts all CPUs of the
	 * program for that. Those of other threads remain mapped. NULL: the caller unmaps areas when it detaches their thread.
	 */
	void (*recycle)(void *control, const void *ring);
	/*
	 * Returns the log in which calipers record changes of the thread's region (tid 0: the session's), or
	 * NULL if none is needed.
	 */
	struct memphis_region_log *(*log)(pid_t tid);
	/*
	 * Returns the number of region changes that the logs had no room for. Samples after such a change
	 * have the region before it.
	 */
	__u64 (*regions_left_out)(void);
	/* Called by the drain: updates rings, accounting and `exited` of all threads. */
	void (*collect)(void);
	/* Fills in descriptors to wait for, at most `max`, and returns their number. */
	unsigned int (*descriptors)(struct pollfd *fds, unsigned int max);
	/* Writes what a user can do about an error (positive) of a request. */
	void (*remedy)(int err, char *text, size_t bytes);
	/* Appends lines of SETTINGS that only this backend has. NULL: it has none. */
	void (*metadata)(struct memphis_text_buffer *text, const struct memphis_query *query);
	bool shares_descriptors; /* the program's threads and the drain use each other's descriptors */
	/* Returns true if samples of the kernel are dropped without a count, of some threads at least. NULL: they never are. */
	bool (*drops_kernel)(void);
};

extern const struct memphis_backend memphis_device, memphis_perf, memphis_none;

/* The open backend, or the device if none is open. Changed under the session's lock. */
extern const struct memphis_backend *memphis_backend;

/*
 * Returns true if a backend that the settings allow can sample. Does not allocate, so it can be called from
 * the interposed malloc().
 */
bool memphis_backend_is_there(void);

/*
 * Opens the backend that the settings allow, then queries and configures it. Returns 0, or -ENODEV and fills
 * in *refusal.
 */
int memphis_backend_open(pid_t process, struct memphis_query *query, struct memphis_config *config,
			 struct memphis_refusal *refusal);

/*
 * Opens the backend that the settings allow, and queries what it offers. The settings of the sampling itself don't matter. Returns 0, or
 * -ENODEV and fills in *refusal. memphis_backend->close() must be called next in both cases.
 */
int memphis_backend_query(struct memphis_query *query, struct memphis_refusal *refusal);

/*
 * Fork handler of the child: marks what is open as belonging to the parent. memphis_backend->close() must be
 * called next.
 */
void memphis_backend_forked(void);

/*
 * Returns what a user can do about an error (positive) of a request. The text is static: the caller holds the
 * session's lock.
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
