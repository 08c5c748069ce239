/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Companions: tasks that do the library's work beside the program's threads. They run in the program's
 * address space, but are not threads of the program. A companion is created by clone(2) with the sharing
 * flags CLONE_VM and CLONE_FILES only. It has its own PID and is a child of the program, but the C library
 * and the program do not know it. A single-threaded program remains single-threaded: glibc's fast paths,
 * unshare(2), fork(2) and set*id(2) behave as without the library. When the program is killed, the memory
 * remains until the companion has written its contents.
 *
 * Of the C library's thread-local data, a companion has only errno and the locale. Its code may make system
 * calls, and may call string functions, snprintf() and sscanf(). It must not call malloc(), stdio streams,
 * POSIX threads or the dynamic loader (dl_iterate_phdr(), dlsym()), because these have further thread-local
 * data. In a program with one thread, the C library does not even lock the data that these functions share.
 * tests/house/companion.bats checks the calls of the object files against a list.
 *
 * A fault in a companion (SIGSEGV, SIGBUS ...) ends the companion, or the function that
 * memphis_companion_try() has called. The program continues.
 */
#ifndef MEMPHIS_COMPANION_H
#define MEMPHIS_COMPANION_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/sys.h"

/* Names of the companions' tasks, and of the programs that they start. */
#define MEMPHIS_DRAIN_NAME    "memphis-drain"
#define MEMPHIS_COUNTERS_NAME "memphis-counter"
#define MEMPHIS_PCP_NAME      "memphis-pcp"
#define MEMPHIS_PAPI_NAME     "memphis-papi"

/* Objects of this struct are static. All members after `run` are initially zero. */
struct memphis_companion {
	const char *name;  /* name of the task, at most 15 bytes */
	void (*run)(void); /* the companion ends when it returns */

	/* PID of the companion; 0: it does not run. The kernel sets it to 0 when the task ends. */
	_Atomic __u32 pid;
	pid_t program; /* process for which the companion works */
	/* futex: number of the latest call of memphis_companions_follow() that the companion has carried out */
	_Atomic __u32 followed;
	pid_t unwaited; /* PID of a companion that may still have an entry in the process table; 0: none */
	char *memory;   /* stack and thread-local variables of the companion */
	struct memphis_companion *next; /* next companion in the list of all companions that were ever
					 * started */
	bool is_listed;
};

/* Called once, when the library is loaded. */
void memphis_companion_setup(void);

/*
 * Starts the companion, which must not be running. Async-signal-safe, so it can be called in a forked child.
 * Returns 0 or -errno:
 * - -EAGAIN or another error of clone(2)
 * - -ENOMEM
 * - -EINVAL: children of the process belong to another PID namespace, and the companion would be its first
 *   process
 * - -EDQUOT: the user may have only few processes (RLIMIT_NPROC), and the program may need them
 * - -ENOSYS: the process runs in Valgrind
 */
int memphis_companion_start(struct memphis_companion *companion);

/*
 * Does the same in a child that was just forked. Does not check the PID namespace of the child's children,
 * which is always the child's own one. The check would take some 20 us, because procfs creates files for a
 * new process.
 */
int memphis_companion_start_forked(struct memphis_companion *companion);

/*
 * Returns true if children of the process would be in another PID namespace. This is the case after
 * unshare(2) or setns(2), called by this program or by a program that executed it. Companions can't be
 * started then.
 */
bool memphis_companion_is_apart(void);

/* Returns true if the process runs in Valgrind. */
bool memphis_companion_is_valgrind(void);

/* Returns true while the companion runs. */
static inline bool memphis_companion_runs(const struct memphis_companion *companion)
{
	return atomic_load(&companion->pid) != 0;
}

/*
 * Waits for the end of the companion, at most until the CLOCK_MONOTONIC time `until_ns`. Removes its entry
 * from the process table. Returns false if the companion still runs.
 */
bool memphis_companion_wait(struct memphis_companion *companion, __u64 until_ns);

/* Fork handler of the child, which has no companions. Async-signal-safe. */
void memphis_companion_forked(struct memphis_companion *companion);

/* PID of the calling companion; 0 in the program's threads. */
extern __thread pid_t memphis_companion_pid __attribute__((tls_model("initial-exec")));

static inline bool memphis_companion_is_self(void)
{
	return memphis_companion_pid != 0;
}

/* True if the process adopts orphans (PR_SET_CHILD_SUBREAPER). These can be companions of programs that were killed. */
extern bool memphis_companions_are_adopted;

/*
 * Returns true if the process, which may have ended, has the name of a companion or of a companion's helper
 * program. Async-signal-safe.
 */
bool memphis_companion_has_name(pid_t pid);

/*
 * memphis_companions_are_there() returns true if this process has a companion. memphis_companion_has_pid()
 * returns true if `pid` is a companion of this process, possibly one that has ended. Async-signal-safe.
 */
bool memphis_companions_are_there(void);
bool memphis_companion_has_pid(pid_t pid);

/* Returns true while a companion with this PID runs in this memory, whatever process it works for. Async-signal-safe. */
bool memphis_companion_runs_as(pid_t pid);

/*
 * Must be called with the PID that a wait of the program has returned. Returns true if it is the PID of a
 * companion. In this case, removes the companion's entry from the process table, unless the wait has done so.
 * Forgets the PID, because the kernel may give it to another child.
 */
bool memphis_companion_reap(pid_t pid);

/*
 * Makes a system call in all companions of this process. The program is about to change its credentials, and
 * the call changes those of the companions in the same way. A companion that does not answer in time is
 * killed. Async-signal-safe. A signal handler that has interrupted this function changes nothing.
 */
void memphis_companions_follow(long number, const long arguments[6]);

/*
 * Called in a companion. Returns true if the program still uses this memory. Returns false if the program has
 * ended or executes another program. Makes a system call.
 */
bool memphis_companion_is_needed(void);

/*
 * Leaves the program's session. The kernel may schedule each session as a group, and a companion must not
 * compete with all threads of the program in one group. Leaving takes some microseconds, so a companion that
 * has no data yet stays in the session. Each companion has its own process group from the start.
 */
void memphis_companion_leave_session(void);

/*
 * Gives the companion its own descriptor table, which contains only the `count` descriptors in `keep`
 * (ascending; -1: none). The companion then takes no numbers from the program, keeps none of its files open,
 * and does not slow down its system calls. Descriptors 0 to 2 are opened if they are not kept, because
 * libraries treat them as the standard streams. Returns 0, or -errno if the companion still shares the
 * program's table (before Linux 5.9).
 */
int memphis_companion_own_descriptors(const int *keep, unsigned int count);

/*
 * Calls the function, which reads memory that the program may unmap at any time, for example the memory of a
 * library that is unloaded. Returns 0, or -EFAULT if a read failed. In this case the function has not
 * returned, so it must hold no lock. In a thread of the program, only calls the function.
 */
int memphis_companion_try(void (*function)(void *), void *data);

#endif
