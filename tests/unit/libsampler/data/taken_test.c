/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses of taken small blocks. If this fails, releases of blocks are missing, and samples get the names of blocks that are gone;
 * or every release takes the slow path.
 */
#include <pthread.h>
#include <stdlib.h>

#include "data/taken.h"
#include "../../tap.h"

#define THREADS 4
#define BLOCKS  20000

static _Atomic int missed;

static void *at(__u64 address)
{
	return (void *)(uintptr_t)address;
}

/* Enters and removes addresses that share buckets and filter bytes with those of other threads. */
static void *churn(void *number)
{
	__u64 own = (__u64)(uintptr_t)number, i, address;

	for (i = 0; i < BLOCKS; i++) {
		address = 0x7f0000000000 + (i % 512) * 512 + own * 64;
		if (!memphis_taken_add(at(address)))
			continue;
		missed += !memphis_taken_maybe(at(address)) || !memphis_taken_remove(at(address));
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned int i, held = 0;
	const __u64 heap = 0x555500000000;

	ok(!memphis_taken_maybe(at(heap)), "no block is in the empty table");
	is((__u64)memphis_taken_remove(at(heap)), 0, "removing an unknown block says so");
	is((__u64)memphis_taken_add(at(heap)), 1, "a block is entered");
	ok(memphis_taken_maybe(at(heap)), "the filter knows it");
	ok(!memphis_taken_maybe(at(heap + 64)), "the filter does not take the block next to it for it");
	is((__u64)memphis_taken_remove(at(heap + 16)), 0, "a block with the same bit is not in the table");
	ok(memphis_taken_maybe(at(heap)), "and its look-up leaves the filter alone");
	is((__u64)memphis_taken_remove(at(heap)), 1, "a block is removed");
	ok(!memphis_taken_maybe(at(heap)), "and the filter forgets it");

	memphis_taken_add(at(heap));
	memphis_taken_add(at(heap + 16));
	memphis_taken_remove(at(heap));
	ok(memphis_taken_maybe(at(heap + 16)), "a bit that two blocks share stays for the second one");
	memphis_taken_remove(at(heap + 16));
	memphis_taken_add(at(heap));
	is((__u64)memphis_taken_remove(at(heap + 8)), 0, "a block of 8 bytes is not the one before it");
	memphis_taken_add(at(heap));
	is(memphis_taken_blocks, 1, "a block is entered once");
	memphis_taken_remove(at(heap));

	for (i = 0; i < 12; i++)
		held += (unsigned int)memphis_taken_add(at(heap + 16 * i));
	is(held, 8, "a full bucket takes no more blocks");
	for (i = 0; i < 12; i++)
		held -= (unsigned int)memphis_taken_remove(at(heap + 16 * i));
	is(held, 0, "blocks that had no room are not found");
	is(memphis_taken_blocks, 0, "the table counts its blocks");

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, churn, (void *)(uintptr_t)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	is((__u64)missed, 0, "the filter never misses a block while other threads change its byte");
	/* A removal gives up while the thread that has the lock has no CPU. */
	for (i = 0; i < 512 * THREADS; i++)
		memphis_taken_remove(at(0x7f0000000000 + i / THREADS * 512 + i % THREADS * 64));
	is(memphis_taken_blocks, 0, "no block is left over that can't be removed");

	memphis_taken_note_loss(17);
	memphis_taken_note_loss(18);
	is(memphis_taken_lost, 17, "the time of the first loss is kept");
	return finish();
}
