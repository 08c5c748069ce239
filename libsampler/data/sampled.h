/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that any thread's samples of this session have hit. The drain uses it to decide whether the file
 * needs the bounds of a stack or of thread-local variables, which name the samples there. Used by the drain
 * only.
 */
#ifndef MEMPHIS_SAMPLED_H
#define MEMPHIS_SAMPLED_H

#include <stdbool.h>
#include <linux/types.h>

/* Forgets all samples. Returns 0 or -ENOMEM. */
int memphis_sampled_open(void);

/* Records the address of a sample. */
void memphis_sampled_add(__u64 address);

/*
 * Returns true if a sample may have hit memory from `low` to `high`. Addresses are stored by 64 KiB extent
 * and by hash, so the result may be true although there was no sample.
 */
bool memphis_sampled_has(__u64 low, __u64 high);

#endif
