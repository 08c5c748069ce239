/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of each thread's blocks of thread-local variables: one block per object (ELF file) with such variables. */
#ifndef MEMPHIS_TLS_H
#define MEMPHIS_TLS_H

#include "base/sys.h"

#define MEMPHIS_TLS_MODULES 64 /* highest TLS module number examined, + 1; numbers start at 1 */

struct memphis_text;

struct memphis_tls {
	/* Thread pointer, set once by the thread. 0: unknown, as the thread never called the library. */
	__u64 pointer;
	/* Addresses of the blocks by module number, stored by the thread when it ends. */
	__u64 left[MEMPHIS_TLS_MODULES];
	/* Used by the drain: what the file contains so far. */
	__u64 written[MEMPHIS_TLS_MODULES];
	__u32 written_serial[MEMPHIS_TLS_MODULES];
};

/* Returns the calling thread's thread pointer. */
static inline __u64 memphis_tls_pointer(void)
{
	__u64 pointer;

	/* System V ABI, AMD64 supplement, 3.4.6 (thread control block): its first word is its address. */
	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/* The drain: list the objects again, after one was loaded or unloaded. */
void memphis_tls_list(void);

/* The drain: add lines for the blocks of the thread that the file does not contain yet. */
void memphis_tls_add(struct memphis_text *text, struct memphis_tls *tls, int ended);

/* The calling thread, at its end: store the blocks' addresses, which can't be read afterwards. */
void memphis_tls_leave(struct memphis_tls *tls);

#endif
