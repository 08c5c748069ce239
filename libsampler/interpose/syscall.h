/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls that the library must know of, although the program, or a hook of another library, makes them without the C library's
 * functions: interposition of syscall(2) finds their handlers in a table (syscall.c).
 */
#ifndef MEMPHIS_SYSCALL_H
#define MEMPHIS_SYSCALL_H

/*
 * Makes the call and returns its result as syscall() does. `frame`: frame address of the library's function that the program called.
 */
typedef long memphis_syscall_handler(long number, const long arguments[6], void *frame);

/*
 * Maps (map.c). Each makes the system call. It records the call only if another library (core/entries.h) has
 * overwritten the function that the program calls for it; the hook of that library then makes the system
 * call. Otherwise that function has recorded the call, or the C library has made the call for itself.
 */
extern memphis_syscall_handler memphis_map_call_mmap, memphis_map_call_munmap, memphis_map_call_mremap,
	memphis_map_call_shmat, memphis_map_call_shmdt, memphis_map_call_brk;

/* Other programs and the end (exec.c). Each makes the call, and what the function of the C library would do before. */
extern memphis_syscall_handler memphis_exec_call, memphis_exec_call_exit_group;

/* Waits for children, which do not return the companions (wait.c). Each makes the call as the function of the C library does. */
extern memphis_syscall_handler memphis_wait_call_wait4, memphis_wait_call_waitid;

/* Calls that change what the caller may do (credentials.c), and that the companions follow. */
extern memphis_syscall_handler memphis_credentials_call;

#endif
