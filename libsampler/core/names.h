/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit names of blocks (memphis_name()), queued until the drain writes them to the files. */
#ifndef MEMPHIS_NAMES_H
#define MEMPHIS_NAMES_H

#include <memphis.h>

#include "base/text.h"
#include "core/thread.h"

/*
 * Queues a name for a range of memory. A length of 0 removes the range's name. Returns 0, -ENODEV if no
 * sample will ever need the name, -EINVAL, -ENOSPC or -ENOMEM.
 */
int memphis_names_add(const void *start, size_t bytes, const char *name, size_t length) MEMPHIS_ADDRESS_ONLY;

/* Called by the drain. Appends the queued names of `thread` as lines of a NAMES chunk, and removes them from the queue. */
void memphis_names_take(struct memphis_thread_record *thread, struct memphis_text_buffer *text);

/* Called by the drain. Treats the blocks of queued names as sampled, so that they are not dropped as short-lived. */
void memphis_names_touch(void);

/* Number of names queued so far. */
extern _Atomic __u64 memphis_names_given;

/* Returns the number of names that were dropped because the queue had no room. */
__u64 memphis_names_left_out(void);

/* Fork handler of the child. */
void memphis_names_forked(void);

#endif
