/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done before a process executes another program, or ends without the functions that exit(3) calls. */
#ifndef MEMPHIS_EXEC_H
#define MEMPHIS_EXEC_H

/*
 * Writes all remaining data and closes the files, as at exit(3), before the process ends by a system call. Waits for each lock, and for the
 * data, at most for the seconds that memphis_session_close() does. Does nothing in a child of vfork(), in a process that is not sampled,
 * and in a signal handler that has interrupted the library: there it is async-signal-safe.
 */
void memphis_before_exit(void);

/* Handlers of system calls (interpose/syscall.c). Each makes the call, and what the function of the C library would do before. */
long memphis_exec_call_execve(const long arguments[6], void *frame);
long memphis_exec_call_execveat(const long arguments[6], void *frame);
long memphis_exec_call_exit_group(const long arguments[6], void *frame);

#endif
