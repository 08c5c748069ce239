/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls that the library must know of, although the program, or a hook of another library, makes them without the C library's
 * functions: interposition of syscall(2) finds their handlers in a table (syscall.c).
 */
#ifndef MEMPHIS_SYSCALL_H
#define MEMPHIS_SYSCALL_H

#include <stdbool.h>
#include <unistd.h>

#include "base/sys.h"

/*
 * Maps (map.c). Each makes the call, and records it if the function that the program calls for it is overwritten by another library
 * (core/entries.h), whose hook then makes the system call; otherwise that function has recorded it, or the C library has made the call for
 * itself. `frame`, in all of these: frame address of the library's function that the program called.
 */
long memphis_map_call_mmap(const long arguments[6], void *frame);
long memphis_map_call_munmap(const long arguments[6], void *frame);
long memphis_map_call_mremap(const long arguments[6], void *frame);
long memphis_map_call_shmat(const long arguments[6], void *frame);
long memphis_map_call_shmdt(const long arguments[6], void *frame);
long memphis_map_call_brk(const long arguments[6], void *frame);

/* Other programs and the end (exec.c). Each makes the call, and what the function of the C library would do before. */
long memphis_exec_call_execve(const long arguments[6], void *frame);
long memphis_exec_call_execveat(const long arguments[6], void *frame);
long memphis_exec_call_exit_group(const long arguments[6], void *frame);

/* Waits for children, which do not return the companions (wait.c). Each makes the call as the function of the C library does. */
long memphis_wait_call_wait4(const long arguments[6], void *frame);
long memphis_wait_call_waitid(const long arguments[6], void *frame);

/* The headers of some of the supported systems do not have it. */
#define MEMPHIS_SYS_LANDLOCK_RESTRICT_SELF 446

/* Returns true in the thread that the process began with. */
static inline bool memphis_is_first_thread(void)
{
	return sys_gettid() == getpid();
}

/*
 * Credentials (credentials.c). Called before the program makes one of these system calls: setuid() and others, capset(), prctl(), seccomp(), landlock_restrict_self(). The
 * companions make it first, since afterwards the program may have no right to send them signals. Before the program confines its system
 * calls or files, the session's files are finished. Other options of prctl() and operations of seccomp() have no effect. Waits for the companions.
 * Of calls that change only the calling thread, like prctl(), those of the first thread are followed.
 */
void memphis_credentials_change(long number, const long arguments[6]);

#endif
