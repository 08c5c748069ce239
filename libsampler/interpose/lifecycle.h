/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's beginning and end in a process, and in the children of a fork. */
#ifndef MEMPHIS_LIFECYCLE_H
#define MEMPHIS_LIFECYCLE_H

/*
 * Is this process still the one that the session belongs to? If it is a child that was made past the fork
 * handlers (_Fork(), a raw system call), do now what they would have done. A child that shares the memory of its
 * parent (vfork(), CLONE_VM) is left alone: what is done to the session there, is done to the parent's.
 */
void memphis_fork_check(void);

/*
 * Sampling without a caliper: the process has one of its own, which bears no name. Ends with memphis_program_end(), unless it
 * is the user who wants the whole program sampled.
 */
void memphis_program_begin(void);
void memphis_program_end(void);

#endif
