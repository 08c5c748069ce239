/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs of tests/native call: libnative.so, which writes down real accesses to memory, one by one, without sampling hardware.
 *
 * A page of watched memory can't be accessed, so that the access faults; the handler of the fault knows the exact instruction, the address,
 * the thread and the callers, then lets the instruction run alone, and closes the page again. make.py makes samples of these accesses.
 * System calls can't access watched memory.
 * The node is that of a machine which does not exist: CPUs 0 and 1 on node 0, 2 and 3 on node 1, and so on. A page lies on the node of
 * the thread that touched it first.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread runs on this CPU from now on. Threads begin on CPU 0. */
void native_cpu(int cpu);

/*
 * From now on, some accesses to each whole page of this memory are written down; of many pages, to some of them. The name is what the
 * report should call the memory, as SEGMENT:VARIABLE. Pages that nobody has touched get their node by the next access; the others lie
 * on the node of the calling thread.
 */
void native_watch(const void *start, size_t bytes, const char *name);

/*
 * The same for memory whose lines travel between the caches of the threads: all accesses are written down, and each one is served by the cache of the
 * thread that was the last one to write.
 */
void native_watch_shared(const void *start, size_t bytes, const char *name);

/* The pages of watched memory lie on this node from now on. */
void native_move(const void *start, size_t bytes, int node);

/* Begins another round: as many accesses to each page are written down as after native_watch(). */
void native_round(void);

#ifdef __cplusplus
}
#endif

#endif
