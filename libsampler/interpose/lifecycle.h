/* SPDX-License-Identifier: BSD-3-Clause */
/* Initialisation and shutdown of the library in a process and in forked children. */
#ifndef MEMPHIS_LIFECYCLE_H
#define MEMPHIS_LIFECYCLE_H

/*
 * Checks whether this process is a child that was created without the fork handlers (_Fork(), a raw system
 * call). If so, does the work of the handlers. Does nothing in a child that shares its parent's memory
 * (vfork(), CLONE_VM), because its session is the parent's.
 */
void memphis_fork_check(void);

/* Fork handler of the child. Releases the lock of new_thread.c. */
void memphis_new_thread_forked(void);

/*
 * Open and close an unnamed caliper of the library, for programs that are sampled without their own calipers.
 * memphis_program_end() does not close it if the user wants the whole program sampled (MEMPHIS_RECORD).
 */
void memphis_program_begin(void);
void memphis_program_end(void);

#endif
