/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses of the live small blocks that were taken (data/byte_sampler.h). They are needed to recognise
 * the releases of these blocks. For most other blocks, one byte of a filter shows without a lock that they
 * were not taken.
 */
#ifndef MEMPHIS_TAKEN_H
#define MEMPHIS_TAKEN_H

#include "base/sys.h"

/* Each bucket has room for 8 addresses and covers 512 bytes of memory, so that neighbouring blocks use neighbouring buckets. */
#define MEMPHIS_TAKEN_BUCKETS (1u << 17)
#define MEMPHIS_TAKEN_SLOTS   8

/* One byte for each bucket. It contains the bits of the addresses in the bucket. */
extern unsigned char memphis_taken_filter[MEMPHIS_TAKEN_BUCKETS] __attribute__((visibility("hidden")));

static inline __u32 memphis_taken_bucket(__u64 address)
{
	/* Use the upper bits, too: the allocator's arenas are aligned to 64 MiB and would otherwise share the same buckets. */
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

/* Adds the address of a live block. Returns 1, or 0 if there is no room. */
int memphis_taken_add(const void *block);

/* Removes the address. Must be called before the block is released. Returns 1 if the address was in the table. */
int memphis_taken_remove(const void *block);

/* Number of addresses in the table; its capacity is MEMPHIS_TAKEN_BUCKETS * MEMPHIS_TAKEN_SLOTS. */
extern _Atomic __u64 memphis_taken_blocks;

/* Fork handler of the child: releases the lock, which a thread of the parent may have held. */
void memphis_taken_forked(void);

/*
 * Time (stamp of base/clock.h) at which the first small block was lost because there was no memory for its
 * record; 0: none was lost. From then on, the blocks in the files are no longer a random sample of the live
 * blocks.
 */
extern _Atomic __u64 memphis_taken_lost;
void memphis_taken_note_loss(__u64 stamp);

#endif
