/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses of the live small blocks that were taken (data/byte_sampler.h), so that their releases are recognised. A filter answers
 * for most other blocks from one byte, without a lock.
 */
#ifndef MEMPHIS_TAKEN_H
#define MEMPHIS_TAKEN_H

#include "base/sys.h"

/* Each bucket has room for 8 addresses and belongs to 512 bytes of memory, so that neighbouring blocks use neighbouring buckets. */
#define MEMPHIS_TAKEN_BUCKETS (1u << 17)
#define MEMPHIS_TAKEN_SLOTS   8

/* By bucket: bits of the addresses in it. */
extern unsigned char memphis_taken_filter[MEMPHIS_TAKEN_BUCKETS] __attribute__((visibility("hidden")));

static inline __u32 memphis_taken_bucket(__u64 address)
{
	/* The allocator's arenas are aligned to 64 MiB: the upper bits separate them. */
	return (__u32)((address >> 9) + (address >> 26) * 0x9e35u) & (MEMPHIS_TAKEN_BUCKETS - 1);
}

static inline unsigned int memphis_taken_bit(__u64 address)
{
	return 1u << (address >> 6 & 7);
}

/* Returns 0 if the block at this address is certainly not taken. */
static inline int memphis_taken_maybe(const void *block)
{
	__u64 address = (__u64)(uintptr_t)block;

	return __atomic_load_n(&memphis_taken_filter[memphis_taken_bucket(address)], __ATOMIC_RELAXED) &
	       memphis_taken_bit(address);
}

/* Enters the address of a live block. Returns 1, or 0 if there is no room. */
int memphis_taken_add(const void *block);

/* Removes the address. Returns 1 if it was in the table. To be called before the block is released. */
int memphis_taken_remove(const void *block);

/* Number of addresses in the table; its capacity is MEMPHIS_TAKEN_BUCKETS * MEMPHIS_TAKEN_SLOTS. */
extern _Atomic __u64 memphis_taken_blocks;

/* Fork handler of the child: releases the lock, which a thread of the parent may have held. */
void memphis_taken_forked(void);

/*
 * Time (base/clock.h) at which a small block was lost for lack of memory for its record; 0: none was. From then on, the blocks in the
 * files are no longer a random sample of the live blocks.
 */
extern _Atomic __u64 memphis_taken_lost;
void memphis_taken_note_loss(__u64 stamp);

#endif
