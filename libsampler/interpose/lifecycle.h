/* SPDX-License-Identifier: BSD-3-Clause */
/* Beginning and end of the library in a process, and in the children of a fork. */
#ifndef MEMPHIS_LIFECYCLE_H
#define MEMPHIS_LIFECYCLE_H

/*
 * If this process is a child created without the fork handlers (_Fork(), a raw system call), do now what these would have
 * done. A child that shares its parent's memory (vfork(), CLONE_VM) is left alone, since the session there is the parent's.
 */
void memphis_fork_check(void);

/*
 * Sampling without calipers of the program: the process has one of its own, without a name. memphis_program_end() closes it,
 * unless the user wants the whole program sampled (MEMPHIS_RECORD).
 */
void memphis_program_begin(void);
void memphis_program_end(void);

#endif
