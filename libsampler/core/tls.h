/* SPDX-License-Identifier: BSD-3-Clause */
/* Where each thread's blocks of thread-local variables lie: one for each object that has such variables. */
#ifndef MEMPHIS_TLS_H
#define MEMPHIS_TLS_H

#include "base/sys.h"

#define MEMPHIS_TLS_MODULES 64 /* numbers of objects that are looked at, from 1 */

struct memphis_text;

struct memphis_tls {
	/* The thread's own, set once. 0: not known, as the thread never called us. */
	__u64 pointer;
	/* Left by the thread when it ends, by number. */
	__u64 left[MEMPHIS_TLS_MODULES];
	/* The drain's: what the file says. */
	__u64 told[MEMPHIS_TLS_MODULES];
	__u32 told_serial[MEMPHIS_TLS_MODULES];
};

/* The calling thread's pointer. */
static inline __u64 memphis_tls_pointer(void)
{
	__u64 pointer;

	/* System V ABI, AMD64 supplement, 3.4.6 (thread control block): its first word is its address. */
	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* The drain: an object came or went, look which ones there are. */
void memphis_tls_list(void);

/* The drain: adds lines for the blocks that the thread has got, as they go to the file. */
void memphis_tls_add(struct memphis_text *text, struct memphis_tls *tls, int ended);

/* The calling thread, at its end: afterwards its blocks are gone. */
void memphis_tls_leave(struct memphis_tls *tls);

#endif
