/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers of system calls that the library must see even if the program, or a hook of another library, makes
 * them without the C library's functions. The library interposes syscall(2), which finds the handlers in a
 * table (syscall.c).
 */
#ifndef MEMPHIS_SYSCALL_H
#define MEMPHIS_SYSCALL_H

/*
 * Makes the system call and returns its result as syscall() does. `frame`: frame address of the library's
 * function that the program called.
 */
typedef long memphis_syscall_handler(long number, const long arguments[6], void *frame);

/*
 * Handlers for maps (map.c). Each handler makes the system call. It records the call only if another library
 * has overwritten the C function for this call (core/entries.h), because the hook of that library then makes
 * the system call. Otherwise either the C function has already recorded the call, or the C library has made
 * the call for its own use.
 */
extern memphis_syscall_handler memphis_map_call_mmap, memphis_map_call_munmap, memphis_map_call_mremap,
	memphis_map_call_shmat, memphis_map_call_shmdt, memphis_map_call_brk;

/*
 * Handlers for exec and for the end of the process (exec.c). Each does the same work before the call as the C
 * function, and makes the call.
 */
extern memphis_syscall_handler memphis_exec_call, memphis_exec_call_exit_group;

/* Handlers for waits (wait.c). Like the C functions, they never return a companion as a child. */
extern memphis_syscall_handler memphis_wait_call_wait4, memphis_wait_call_waitid;

/* Handler for calls that change the caller's rights (credentials.c). The companions make the same calls. */
extern memphis_syscall_handler memphis_credentials_call;

#endif
