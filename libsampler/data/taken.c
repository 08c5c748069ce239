/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of the small blocks that were chosen at random for recording and have not been freed. free() looks up each
 * address here. A filter of one byte for each bucket of the table answers almost all of these look-ups.
 */
#include <stdatomic.h>

#include "data/taken.h"

/*
 * Maximum number of attempts to take the lock, which is held for some ns only. In a child whose fork bypassed
 * the fork handlers, the lock may never be released, so no caller waits for long.
 */
#define SPINS 2000

#define TAG_SHIFT 3

unsigned char memphis_taken_filter[MEMPHIS_TAKEN_BUCKETS];
_Atomic __u64 memphis_taken_lost, memphis_taken_blocks;
/*
 * Slots of the buckets. A slot is 0, or 1 plus bits 3 to 34 of an address. Bit 3 is included because some
 * allocators align small blocks to 8 bytes. The bucket determines the upper bits of the address well enough.
 */
static __u32 (*buckets)[MEMPHIS_TAKEN_SLOTS];
static MEMPHIS_AT_FORK atomic_flag busy = ATOMIC_FLAG_INIT;

static int take_lock(void)
{
	int spins;

	for (spins = 0; spins < SPINS; spins++) {
		if (!atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
			return 1;
		__builtin_ia32_pause();
	}
	return 0;
}

static void release_lock(void)
{
	atomic_flag_clear_explicit(&busy, memory_order_release);
}

void memphis_taken_forked(void)
{
	atomic_flag_clear(&busy);
}

void memphis_taken_note_loss(__u64 stamp)
{
	__u64 none = 0;

	atomic_compare_exchange_strong(&memphis_taken_lost, &none, stamp);
}

static __u32 address_tag(__u64 address)
{
	return (__u32)(address >> TAG_SHIFT) + 1;
}

static __u32 *find_slot(__u32 *slots, __u32 tag)
{
	unsigned int i;

	for (i = 0; i < MEMPHIS_TAKEN_SLOTS; i++)
		if (slots[i] == tag)
			return &slots[i];
	return NULL;
}

/*
 * Computes the bucket's byte of the filter and stores it with one store. A reader without the lock must not
 * miss the bit of a live block.
 */
static void set_filter(__u32 bucket)
{
	unsigned int bits = 0, i;

	for (i = 0; i < MEMPHIS_TAKEN_SLOTS; i++)
		if (buckets[bucket][i])
			bits |= memphis_taken_bit((__u64)(buckets[bucket][i] - 1) << TAG_SHIFT);
	__atomic_store_n(&memphis_taken_filter[bucket], (unsigned char)bits, __ATOMIC_RELAXED);
}

int memphis_taken_add(const void *block)
{
	__u64 address = (__u64)(uintptr_t)block;
	__u32 bucket = memphis_taken_bucket(address), tag = address_tag(address), *slot;

	if (!tag || !take_lock())
		return 0;
	/*
	 * Map the memory on first use, because in programs that lock all their memory (mlockall(2)) the whole
	 * map becomes resident.
	 */
	if (!buckets)
		buckets = sys_map(MEMPHIS_TAKEN_BUCKETS * sizeof(*buckets));
	slot = buckets ? find_slot(buckets[bucket], tag) : NULL;
	/* If the address is still in the table, the release of the earlier block was not recorded. Use its slot. */
	if (buckets && !slot)
		slot = find_slot(buckets[bucket], 0);
	if (slot) {
		memphis_taken_blocks += !*slot;
		*slot = tag;
		set_filter(bucket);
	}
	release_lock();
	return slot != NULL;
}

int memphis_taken_remove(const void *block)
{
	__u64 address = (__u64)(uintptr_t)block;
	__u32 bucket = memphis_taken_bucket(address), tag = address_tag(address), *slot;

	if (!tag)
		return 0;
	if (!take_lock())
		return 1; /* harmless: a release of a block without a record has no effect */
	slot = buckets ? find_slot(buckets[bucket], tag) : NULL;
	if (slot) {
		memphis_taken_blocks--;
		*slot = 0;
		set_filter(bucket);
	}
	release_lock();
	return slot != NULL;
}
