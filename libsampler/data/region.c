/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of regions: a hash table with lock-free look-ups, in memory that is never freed. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "data/region.h"

#define BUCKETS     1024
#define ARENA_BYTES 65536

static _Atomic(struct memphis_region *) buckets[BUCKETS];
/* Protects the variables below, and additions to the buckets. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct memphis_region *first, *last;
static char *arena;
static size_t arena_used = ARENA_BYTES;

static size_t bucket_of(const struct memphis_region *parent, const char *name, size_t length)
{
	__u64 hash = (__u64)(uintptr_t)parent * 0x9e3779b97f4a7c15u + length;
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
	return (hash ^ hash >> 32) % BUCKETS;
}

static struct memphis_region *find(size_t bucket, const struct memphis_region *parent, const char *name,
				   size_t length)
{
	struct memphis_region *region;

	region = atomic_load_explicit(&buckets[bucket], memory_order_acquire);
	while (region &&
	       !(region->parent == parent && region->length == length && !memcmp(region->name, name, length)))
		region = region->same_hash;
	return region;
}

/* Creates a region. The caller holds the lock. */
static struct memphis_region *add(size_t bucket, struct memphis_region *parent, const char *name,
				  size_t length)
{
	size_t bytes = (sizeof(struct memphis_region) + length + 1 + 15) & ~(size_t)15;
	struct memphis_region *region;

	if (last && last->id == MEMPHIS_REGIONS_MAX)
		return NULL;
	if (arena_used + bytes > ARENA_BYTES) {
		char *more = sys_map(ARENA_BYTES);

		if (!more)
			return NULL;
		arena = more; /* the previous arena is kept: its regions are in use */
		arena_used = 0;
	}
	region = (struct memphis_region *)(arena + arena_used);
	arena_used += bytes;
	region->id = last ? last->id + 1 : 1;
	region->length = (__u32)length;
	region->parent = parent;
	memcpy(region->name, name, length);
	if (last)
		last->younger = region;
	else
		first = region;
	last = region;
	region->same_hash = atomic_load_explicit(&buckets[bucket], memory_order_relaxed);
	atomic_store_explicit(&buckets[bucket], region, memory_order_release);
	return region;
}

static struct memphis_region *get(struct memphis_region *parent, const char *name, size_t length, bool wait)
{
	struct memphis_region *region;
	size_t bucket;

	if (length > MEMPHIS_REGION_NAME_MAX)
		length = MEMPHIS_REGION_NAME_MAX;
	bucket = bucket_of(parent, name, length);
	region = find(bucket, parent, name, length);
	if (region)
		return region;
	if (wait)
		pthread_mutex_lock(&lock);
	else if (pthread_mutex_trylock(&lock))
		return NULL;
	region = find(bucket, parent, name, length);
	if (!region)
		region = add(bucket, parent, name, length);
	pthread_mutex_unlock(&lock);
	return region;
}

struct memphis_region *memphis_region_get(struct memphis_region *parent, const char *name, size_t length)
{
	return get(parent, name, length, true);
}

struct memphis_region *memphis_region_try(struct memphis_region *parent, const char *name, size_t length)
{
	return get(parent, name, length, false);
}

void memphis_region_list(struct memphis_text *text, struct memphis_region **written)
{
	struct memphis_region *region;

	pthread_mutex_lock(&lock);
	region = *written ? (*written)->younger : first;
	for (; region; region = region->younger) {
		memphis_text_add(text, "%u %u ", region->id, region->parent ? region->parent->id : 0);
		memphis_text_value(text, region->name, region->length);
		*written = region;
	}
	pthread_mutex_unlock(&lock);
}

void memphis_region_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
