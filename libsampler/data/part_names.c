/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered names of pools and of their parts: a hash table with lock-free look-ups, in memory that is never freed. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "data/part_names.h"

#define BUCKETS     4096
#define ARENA_BYTES 65536

struct part_name {
	__u32 number, length;
	struct part_name *same_hash; /* next name of the hash bucket */
	struct part_name *younger;   /* name with the next number */
	char text[];
};

static _Atomic(struct part_name *) buckets[BUCKETS];
static _Atomic __u64 left_out;
/* Protects the variables below, and additions to the buckets. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct part_name *first, *last;
static char *arena;
static size_t arena_used = ARENA_BYTES;

/* Sets *length to the length of the name, at most MEMPHIS_PART_NAME_MAX_BYTES. */
static size_t bucket_of(const char *name, __u32 *length)
{
	__u64 hash = 0x9e3779b97f4a7c15u;
	__u32 i;

	for (i = 0; i < MEMPHIS_PART_NAME_MAX_BYTES && name[i]; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
	*length = i;
	return (hash ^ hash >> 32) % BUCKETS;
}

static struct part_name *find(size_t bucket, const char *name, __u32 length)
{
	struct part_name *one = atomic_load_explicit(&buckets[bucket], memory_order_acquire);

	while (one && !(one->length == length && !memcmp(one->text, name, length)))
		one = one->same_hash;
	return one;
}

/* Creates a name. The caller holds the lock. */
static struct part_name *add(size_t bucket, const char *name, __u32 length)
{
	size_t bytes = (sizeof(struct part_name) + length + 15) & ~(size_t)15;
	struct part_name *one;

	if (last && last->number == MEMPHIS_PART_NAMES_MAX)
		return NULL;
	if (arena_used + bytes > ARENA_BYTES) {
		char *more = sys_map(ARENA_BYTES);

		if (!more)
			return NULL;
		arena = more; /* the previous arena is kept: its names are in use */
		arena_used = 0;
	}
	one = (struct part_name *)(arena + arena_used);
	arena_used += bytes;
	one->number = last ? last->number + 1 : 1;
	one->length = length;
	memcpy(one->text, name, length);
	if (last)
		last->younger = one;
	else
		first = one;
	last = one;
	one->same_hash = atomic_load_explicit(&buckets[bucket], memory_order_relaxed);
	atomic_store_explicit(&buckets[bucket], one, memory_order_release);
	return one;
}

__u32 memphis_part_name(const char *name)
{
	struct part_name *one;
	__u32 length;
	size_t bucket;

	if (!name || !*name)
		return 0;
	bucket = bucket_of(name, &length);
	one = find(bucket, name, length);
	if (one)
		return one->number;
	pthread_mutex_lock(&lock);
	one = find(bucket, name, length);
	if (!one)
		one = add(bucket, name, length);
	pthread_mutex_unlock(&lock);
	if (!one)
		atomic_fetch_add_explicit(&left_out, 1, memory_order_relaxed);
	return one ? one->number : 0;
}

void memphis_part_names_list(struct memphis_text *text, __u32 *written)
{
	struct part_name *one;

	pthread_mutex_lock(&lock);
	one = last && last->number > *written ? first : NULL;
	for (; one; one = one->younger) {
		if (one->number <= *written)
			continue;
		memphis_text_add(text, "%u ", one->number);
		memphis_text_value(text, one->text, one->length);
		*written = one->number;
	}
	pthread_mutex_unlock(&lock);
}

__u64 memphis_part_names_left_out(void)
{
	return atomic_load_explicit(&left_out, memory_order_relaxed);
}

void memphis_part_names_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
