/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of each thread's TLS blocks: one block per object (ELF file) that defines thread-local variables. */
#ifndef MEMPHIS_TLS_H
#define MEMPHIS_TLS_H

#include <stdbool.h>

#include "base/sys.h"

#define MEMPHIS_TLS_MODULES 64 /* highest TLS module number examined, plus 1; numbers start at 1 */

struct memphis_text_buffer;

struct memphis_tls {
	/* The thread pointer, set once by the thread. 0: unknown, because the thread never called the library. */
	__u64 pointer;
	/* Addresses of the blocks, indexed by module number. The thread stores them when it ends. */
	__u64 left[MEMPHIS_TLS_MODULES];
	/* Used by the drain: the addresses and serials that the file contains so far. */
	__u64 written[MEMPHIS_TLS_MODULES];
	__u32 written_serial[MEMPHIS_TLS_MODULES];
};

static inline __u64 memphis_tls_pointer(void)
{
	__u64 pointer;

	/* System V ABI, AMD64 supplement, 3.4.6: the first word of the thread control block contains the block's own address. */
	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

/*
 * Updates the list of objects if one was loaded or unloaded. Asks the dynamic loader, so only threads of the
 * program may call it. Must not be called in a forked child, because the loader's lock may be held by a
 * thread that the child does not have.
 */
void memphis_tls_list(void);

/* Fork handler of the child. */
void memphis_tls_forked(void);

/* Called by the drain. Appends a line for each block of the thread that the file does not contain yet. */
void memphis_tls_add_lines(struct memphis_text_buffer *text, struct memphis_tls *tls, int ended);

/*
 * Called by the drain. Returns true if samples may have hit the thread's blocks. For a running thread, checks
 * only the blocks that were created together with the thread. For an ended thread, checks all blocks.
 */
bool memphis_tls_is_sampled(const struct memphis_tls *tls);

/* Called by a thread when it ends. Stores the addresses of its blocks, which can't be read afterwards. */
void memphis_tls_leave(struct memphis_tls *tls);

#endif
