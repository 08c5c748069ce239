/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit names of blocks (memphis_name()), on their way to the files. */
#ifndef MEMPHIS_NAMES_H
#define MEMPHIS_NAMES_H

#include <memphis.h>

#include "base/text.h"
#include "core/thread.h"

/* Without a length the memory has no name any more. 0, -ENODEV when no sample will ever need it, -EINVAL, -ENOSPC, -ENOMEM. */
int memphis_names_add(const void *start, size_t bytes, const char *name, size_t length) MEMPHIS_ADDRESS_ONLY;

/* The drain: append the lines of NAMES that `thread` has waiting, and forget them. */
void memphis_names_take(struct memphis_thread *thread, struct memphis_text *text);

/* The drain: blocks that have been named since the last time must not be dropped for their short lives. */
void memphis_names_touch(void);

/* How many were given. */
extern _Atomic __u64 memphis_names_given;

__u64 memphis_names_left_out(void);
void memphis_names_forked(void);

#endif
