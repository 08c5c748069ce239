/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampling of allocations by bytes. A Poisson process over the allocated bytes selects the blocks. Its events
 * are on average `mean` bytes apart. A block of s bytes is taken with probability 1 - exp(-s / mean),
 * independently of earlier allocations. The inverse of this probability is the block's weight in unbiased
 * estimates.
 */
#ifndef MEMPHIS_BYTE_SAMPLER_H
#define MEMPHIS_BYTE_SAMPLER_H

#include "base/sys.h"

/* Mean distance in bytes; 0: no block is taken. A thread uses a new value from its next event on. */
extern __u64 memphis_small_mean __attribute__((visibility("hidden")));

/* Doubles the mean distance, unless it is 0. */
void memphis_small_double_mean(void);

/* State of a thread; initially all zeros. */
struct memphis_byte_sampler {
	__u64 left;  /* bytes before the next event, modulo 2^64 */
	__u64 mean;  /* mean distance for which `left` was drawn */
	__u64 state; /* state of the random number generator; 0: no seed yet */
};

extern __thread struct memphis_byte_sampler memphis_own_sampler
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * Counts the bytes of a block. Returns 0 if the block is certainly not taken. Otherwise,
 * memphis_byte_sampler_takes() decides. `bytes` must be below 2^63.
 */
static inline int memphis_byte_sampler_pass(struct memphis_byte_sampler *sampler, __u64 bytes)
{
	sampler->left -= bytes;
	return (long long)sampler->left < 0;
}

/*
 * Decides about the block that memphis_byte_sampler_pass() counted last. Returns the mean distance at which
 * the block is taken, or 0 if it is not taken.
 */
__u64 memphis_byte_sampler_takes(struct memphis_byte_sampler *sampler, __u64 bytes);

#endif
