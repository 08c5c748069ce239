/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory into which samples of this session fell, of any thread: decides whether the bounds of a stack and of thread-local variables are
 * needed to name what was accessed there. Used by the drain only.
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
 * Returns whether a sample fell into memory from `low` to `high`. May return true although there was none, since addresses are stored by
 * 64 KiB and by hash.
 */
bool memphis_sampled_has(__u64 low, __u64 high);

#endif
