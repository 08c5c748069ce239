/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of each thread's TLS blocks: one block per object (ELF file) that defines thread-local variables. */
#ifndef MEMPHIS_TLS_H
#define MEMPHIS_TLS_H

#include <stdbool.h>

#include "base/sys.h"

#define MEMPHIS_TLS_MODULES 64 /* highest TLS module number examined, plus 1; numbers start at 1 */

struct memphis_text_buffer;

struct memphis_tls {
	/* Thread pointer, set once by the thread. 0: unknown, because the thread never called the library. */
	__u64 pointer;
	/* Addresses of the blocks by module number; stored by the thread when it ends. */
	__u64 left[MEMPHIS_TLS_MODULES];
	/* Used by the drain: the addresses and serials that the file contains so far. */
	__u64 written[MEMPHIS_TLS_MODULES];
	__u32 written_serial[MEMPHIS_TLS_MODULES];
};

static inline __u64 memphis_tls_pointer(void)
{
	__u64 pointer;

	/*
	 * System V ABI, AMD64 supplement, 3.4.6: the first word of the thread control block contains the
	 * block's own address.
	 */
	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/*
 * Lists the objects again if one was loaded or unloaded. Asks the dynamic loader; so it is for threads of the
 * program only. It must not be called in a forked child: a thread that the child does not have may hold the
 * loader's lock.
 */
void memphis_tls_list(void);

/* Fork handler of the child. */
void memphis_tls_forked(void);

/* Called by the drain: appends a line for each block of the thread that the file does not contain yet. */
void memphis_tls_add(struct memphis_text_buffer *text, struct memphis_tls *tls, int ended);

/*
 * Called by the drain: returns whether samples fell into memory of the thread's blocks: those that were made with the thread, and, of an
 * ended thread, all others.
 */
bool memphis_tls_is_sampled(const struct memphis_tls *tls);

/* Called by a thread when it ends: stores the addresses of its blocks, which can't be read afterwards. */
void memphis_tls_leave(struct memphis_tls *tls);

#endif
