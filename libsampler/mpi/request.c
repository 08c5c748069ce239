/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of the program that have not completed yet, by handle: lists in buckets, from a pool. */
#include "mpi/request.h"

#define REQUESTS 32768
#define BUCKETS  16384 /* a power of two */

static struct pooled {
	struct memphis_mpi_request request;
	uint32_t next; /* in the bucket or in the list of free entries, plus 1 */
} pool[REQUESTS];
static uint32_t buckets[BUCKETS]; /* first entry, plus 1 */
static uint32_t fresh, spare; /* entries from `fresh` on were never used; `spare`: first free entry, plus 1 */

static uint32_t *find_bucket(uintptr_t handle)
{
	return &buckets[(uint64_t)handle * 0x9e3779b97f4a7c15u >> 40 & (BUCKETS - 1)];
}

/* Returns the link to the request, or to the end of its bucket. */
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
	/* A request that was completed where the layer did not see it, as by a failed call, may have had the same handle. */
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
