/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Companions: tasks that do the library's work beside the program's threads, in their address space, without
 * being threads of the program. A companion is made by clone(2) with CLONE_VM and CLONE_FILES only. It has a
 * PID of its own and is a child of the program, but the C library and the program know nothing of it. A
 * single-threaded program remains single-threaded: glibc's fast paths, unshare(2), fork(2) and set*id(2)
 * behave as without the library. When the program is killed, the memory stays until the companion has written
 * its contents.
 * Of the C library's thread-local data, a companion has only errno and the locale. Its code may call system
 * calls, functions of strings, snprintf() and sscanf(). It must not call malloc(), stdio streams, POSIX
 * threads or the dynamic loader (dl_iterate_phdr(), dlsym()), which have further thread-local data. In a
 * program with one thread, the C library does not even lock the data that they share.
 * tests/house/companion.bats compares the objects with a list.
 * A fault in a companion (SIGSEGV, SIGBUS ...) ends the companion, or the function that
 * memphis_companion_try() calls; the program goes on.
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

/* Objects of this struct are static; all members after the name and the function are zero at first. */
struct memphis_companion {
	const char *name;  /* of the task, at most 15 bytes */
	void (*run)(void); /* the companion ends when it returns */

	/* PID of the companion; 0: none runs. The kernel sets it to 0 when the task ends. */
	_Atomic __u32 pid;
	pid_t program; /* process that the companion works for */
	/* futex: number of the latest call of memphis_companions_follow() whose system call the companion has made */
	_Atomic __u32 followed;
	pid_t unwaited; /* PID of a companion whose entry may still be in the table of processes; 0: none */
	char *memory;   /* stack and thread-local variables of the companion */
	struct memphis_companion *next; /* next companion in the list of all that were ever started */
	bool is_listed;
};

/* Called once, when the library is loaded. */
void memphis_companion_setup(void);

/*
 * Starts the companion, which must not be running. Async-signal-safe, so that it can be called in a forked child. Returns 0, or -errno:
 * -EAGAIN or others of clone(2); -ENOMEM; -EINVAL if children belong to another PID namespace, whose first process the companion would be;
 * -EDQUOT if the user may have few processes (RLIMIT_NPROC), which the program may need; -ENOSYS in Valgrind.
 */
int memphis_companion_start(struct memphis_companion *companion);

/*
 * Does the same in a child that was just forked. Does not check the PID namespace of its children, which is always the child's own; the
 * check would take some 20 us, because procfs creates files for a new process.
 */
int memphis_companion_start_forked(struct memphis_companion *companion);

/*
 * Returns true if children of the process would be in another PID namespace: after unshare(2) or setns(2), here or before an exec. No companion
 * can be started then.
 */
bool memphis_companion_is_apart(void);

/* Returns true while the companion runs. */
static inline bool memphis_companion_runs(const struct memphis_companion *companion)
{
	return atomic_load(&companion->pid) != 0;
}

/*
 * Waits for the end of the companion, at most until the CLOCK_MONOTONIC time `until_ns`, and removes its entry from the table of processes.
 * Returns false if it still runs.
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

/* True if the process adopts orphans (PR_SET_CHILD_SUBREAPER), among them companions of programs that were killed. */
extern bool memphis_companions_are_adopted;

/* Returns true if the process, which may have ended, has the name of a companion or of its helper. Async-signal-safe. */
bool memphis_companion_has_name(pid_t pid);

/* Return true if this process has a companion, and if `pid` is a companion of this process, possibly an ended one. Async-signal-safe. */
bool memphis_companions_are_there(void);
bool memphis_companion_has_pid(pid_t pid);

/* Returns true while a companion with this memory, of any process, has the PID. Async-signal-safe. */
bool memphis_companion_runs_as(pid_t pid);

/*
 * Must be called with the PID that a wait of the program has returned. Returns true if it was the PID of a
 * companion. In this case, removes its entry from the table of processes, unless the wait has done so.
 * Forgets the PID, because the kernel may give it to another child.
 */
bool memphis_companion_reap(pid_t pid);

/*
 * Makes a system call in all companions of this process, which changes their credentials as the program is about to change its own. A
 * companion that does not answer in time is killed. Async-signal-safe. A signal handler that has interrupted this function changes nothing.
 */
void memphis_companions_follow(long number, const long arguments[6]);

/*
 * Returns true, in a companion, if the program still has this memory: false once the program has ended or executes another program.
 * Costs a system call.
 */
bool memphis_companion_is_needed(void);

/*
 * Leaves the program's session: the kernel may schedule each session apart, and a companion must not wait for all threads of the program. A
 * companion that has nothing to lose yet stays in the session, as leaving it takes some microseconds. Each companion starts in a process
 * group of its own anyway.
 */
void memphis_companion_leave_session(void);

/*
 * Gives the companion a table of descriptors of its own, with only the `count` ones of `keep` (ascending; -1: none), so that it takes no
 * numbers from the program, keeps none of its files open, and does not slow down its system calls. Descriptors 0 to 2 are opened if they
 * are not kept, because libraries treat them as the standard streams. Returns 0; or -errno if the companion still shares the program's
 * table (before Linux 5.9).
 */
int memphis_companion_own_descriptors(const int *keep, unsigned int count);

/*
 * Calls the function, which reads memory that the program may unmap at any time, such as that of a library that it unloads. Returns 0, or
 * -EFAULT if a read failed: the function has not returned then, so it must hold no lock. In a thread of the program, only calls the function.
 */
int memphis_companion_try(void (*function)(void *), void *data);

#endif
