/* SPDX-License-Identifier: BSD-3-Clause */
/* Initialisation and shutdown of the library in a process and in forked children. */
#ifndef MEMPHIS_LIFECYCLE_H
#define MEMPHIS_LIFECYCLE_H

/*
 * If this process is a child created without the fork handlers (_Fork(), a raw system call), runs what the
 * handlers would have run. A child that shares its parent's memory (vfork(), CLONE_VM) is left alone, since
 * its session is the parent's.
 */
void memphis_fork_check(void);

/* Fork handler of the child: releases the lock of new_thread.c. */
void memphis_new_thread_forked(void);

/*
 * Open and close an unnamed caliper of the library, for programs that are sampled without calipers of their
 * own. If the user wants the whole program sampled (MEMPHIS_RECORD), memphis_program_end() does not close it.
 */
void memphis_program_begin(void);
void memphis_program_end(void);

#endif
