/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit names of blocks (memphis_name()), queued for the files. */
#ifndef MEMPHIS_NAMES_H
#define MEMPHIS_NAMES_H

#include <memphis.h>

#include "base/text.h"
#include "core/thread.h"

/* Queue a name for the memory; length 0 removes its name. 0, -ENODEV if no sample will ever need it, -EINVAL, -ENOSPC, -ENOMEM. */
int memphis_names_add(const void *start, size_t bytes, const char *name, size_t length) MEMPHIS_ADDRESS_ONLY;

/* The drain: append the queued names of `thread` as lines of NAMES, and remove them from the queue. */
void memphis_names_take(struct memphis_thread *thread, struct memphis_text *text);

/* The drain: mark the blocks of queued names as used, so that they are not dropped as short-lived. */
void memphis_names_touch(void);

/* Number of names given so far. */
extern _Atomic __u64 memphis_names_given;

/* Number of names for which the queue had no room. */
__u64 memphis_names_left_out(void);

/* In the child of a fork. */
void memphis_names_forked(void);

#endif
