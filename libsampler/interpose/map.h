/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps of the program: mmap() and its family. If another library has overwritten an interposed function (core/entries.h), its hook makes
 * the system call by syscall(2), and the event is recorded there.
 */
#ifndef MEMPHIS_MAP_H
#define MEMPHIS_MAP_H

/*
 * Handlers of system calls (interpose/syscall.c). Each makes the call, and records it if the function that the program calls for it is
 * overwritten; otherwise that function has recorded it, or the C library has made the call for itself.
 */
long memphis_map_call_mmap(const long arguments[6], void *frame);
long memphis_map_call_munmap(const long arguments[6], void *frame);
long memphis_map_call_mremap(const long arguments[6], void *frame);
long memphis_map_call_shmat(const long arguments[6], void *frame);
long memphis_map_call_shmdt(const long arguments[6], void *frame);
long memphis_map_call_brk(const long arguments[6], void *frame);

#endif
