/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's requests that have not completed yet, in a hash table by handle. Each bucket is a linked
 * list, whose entries come from a pool.
 */
#include "mpi/request.h"

#define REQUESTS 32768
#define BUCKETS  16384 /* a power of two */

static struct pooled {
	struct memphis_mpi_request request;
	uint32_t next; /* index + 1 of the next entry in the bucket, or in the list of free entries */
} pool[REQUESTS];
static uint32_t buckets[BUCKETS]; /* index + 1 of the first entry of each bucket */
static uint32_t fresh, spare;     /* fresh: index of the first entry that was never used; spare: index + 1 of
			       * the first free entry */

static uint32_t *find_bucket(uintptr_t handle)
{
	return &buckets[(uint64_t)handle * 0x9e3779b97f4a7c15u >> 40 & (BUCKETS - 1)];
}

/* Returns the link that points to the request. If the request is not in the table, returns the link at the end of its bucket. */
static uint32_t *find_request(uintptr_t handle)
{
	uint32_t *link = find_bucket(handle);

	while (*link && pool[*link - 1].request.handle != handle)
		link = &pool[*link - 1].next;
	return link;
}

void memphis_mpi_request_add(uintptr_t handle, const struct memphis_mpi_request *request)
{
	uint32_t number = 0, *link;

	if (handle == HANDLE(MPI_REQUEST_NULL))
		return;
	lock();
	/*
	 * There may be an old request with the same handle. It has completed without the layer noticing, for
	 * example in a call that failed.
	 */
	number = *find_request(handle);
	if (number) {
		pool[number - 1].request = *request;
		pool[number - 1].request.handle = handle;
		unlock();
		return;
	}
	if (spare) {
		number = spare;
		spare = pool[number - 1].next;
	} else if (fresh < REQUESTS) {
		number = ++fresh;
	}
	if (number) {
		link = find_bucket(handle);
		pool[number - 1].request = *request;
		pool[number - 1].request.handle = handle;
		pool[number - 1].next = *link;
		*link = number;
	}
	unlock();
}

struct memphis_mpi_request memphis_mpi_request_get(uintptr_t handle)
{
	struct memphis_mpi_request request = {.kind = MEMPHIS_MPI_REQUEST_NONE};
	uint32_t number;

	if (handle == HANDLE(MPI_REQUEST_NULL))
		return request;
	lock();
	number = *find_request(handle);
	if (number)
		request = pool[number - 1].request;
	unlock();
	return request;
}

void memphis_mpi_request_start(uintptr_t handle, uint32_t entry)
{
	uint32_t number;

	lock();
	number = *find_request(handle);
	if (number)
		pool[number - 1].request.entry = entry;
	unlock();
}

void memphis_mpi_request_remove(uintptr_t handle)
{
	uint32_t *link, number;

	lock();
	link = find_request(handle);
	number = *link;
	if (number) {
		*link = pool[number - 1].next;
		pool[number - 1].request.handle = 0;
		pool[number - 1].next = spare;
		spare = number;
	}
	unlock();
}
