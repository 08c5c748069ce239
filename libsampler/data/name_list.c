/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered names: a hash table with lock-free look-ups, in memory that is never freed. */
#include <string.h>

#include "data/name_list.h"

#define ARENA_BYTES 65536

struct memphis_listed_name {
	__u32 number, length;
	struct memphis_listed_name *same_hash; /* next name of the hash bucket */
	struct memphis_listed_name *younger;   /* name with the next number */
	char text[];
};

struct memphis_name_list memphis_part_names = {.most = MEMPHIS_PART_NAMES_MAX,
					       .bytes = MEMPHIS_PART_NAME_MAX_BYTES,
					       .lock = PTHREAD_MUTEX_INITIALIZER};
struct memphis_name_list memphis_file_names = {.most = MEMPHIS_FILE_NAMES_MAX,
					       .bytes = MEMPHIS_FILE_NAME_MAX_BYTES,
					       .lock = PTHREAD_MUTEX_INITIALIZER};

/* Sets *length to the length of the name in the list. */
static size_t bucket_of(const struct memphis_name_list *list, const char *name, __u32 *length)
{
	__u64 hash = 0x9e3779b97f4a7c15u;
	__u32 i;

	for (i = 0; i < list->bytes && name[i]; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
	*length = i;
	return (hash ^ hash >> 32) % MEMPHIS_NAME_BUCKETS;
}

static struct memphis_listed_name *find(struct memphis_name_list *list, size_t bucket, const char *name,
					__u32 length)
{
	struct memphis_listed_name *one = atomic_load_explicit(&list->buckets[bucket], memory_order_acquire);

	while (one && !(one->length == length && !memcmp(one->text, name, length)))
		one = one->same_hash;
	return one;
}

/* Creates a name. The caller holds the lock. */
static struct memphis_listed_name *add(struct memphis_name_list *list, size_t bucket, const char *name,
				       __u32 length)
{
	size_t bytes = (sizeof(struct memphis_listed_name) + length + 15) & ~(size_t)15;
	struct memphis_listed_name *one;

	if (list->last && list->last->number == list->most)
		return NULL;
	if (bytes > list->room) {
		char *more = sys_map(ARENA_BYTES);

		if (!more)
			return NULL;
		list->arena = more; /* the previous arena is kept: its names are in use */
		list->room = ARENA_BYTES;
	}
	one = (struct memphis_listed_name *)list->arena;
	list->arena += bytes;
	list->room -= bytes;
	one->number = list->last ? list->last->number + 1 : 1;
	one->length = length;
	memcpy(one->text, name, length);
	if (list->last)
		list->last->younger = one;
	else
		list->first = one;
	list->last = one;
	one->same_hash = atomic_load_explicit(&list->buckets[bucket], memory_order_relaxed);
	atomic_store_explicit(&list->buckets[bucket], one, memory_order_release);
	return one;
}

static __u32 number_of(struct memphis_name_list *list, const char *name, bool wait)
{
	struct memphis_listed_name *one;
	__u32 length;
	size_t bucket;

	if (!name || !*name)
		return 0;
	bucket = bucket_of(list, name, &length);
	one = find(list, bucket, name, length);
	if (one)
		return one->number;
	if (wait)
		pthread_mutex_lock(&list->lock);
	else if (pthread_mutex_trylock(&list->lock))
		return MEMPHIS_NAME_BUSY;
	one = find(list, bucket, name, length);
	if (!one)
		one = add(list, bucket, name, length);
	pthread_mutex_unlock(&list->lock);
	if (!one)
		atomic_fetch_add_explicit(&list->left_out, 1, memory_order_relaxed);
	return one ? one->number : 0;
}

__u32 memphis_name_number(struct memphis_name_list *list, const char *name)
{
	return number_of(list, name, true);
}

__u32 memphis_name_try(struct memphis_name_list *list, const char *name)
{
	return number_of(list, name, false);
}

void memphis_names_list(struct memphis_name_list *list, struct memphis_text *text, __u32 *written)
{
	struct memphis_listed_name *one;

	pthread_mutex_lock(&list->lock);
	one = list->last && list->last->number > *written ? list->first : NULL;
	for (; one; one = one->younger) {
		if (one->number <= *written)
			continue;
		memphis_text_add(text, "%u ", one->number);
		memphis_text_value(text, one->text, one->length);
		*written = one->number;
	}
	pthread_mutex_unlock(&list->lock);
}

__u64 memphis_name_list_left_out(const struct memphis_name_list *list)
{
	return atomic_load_explicit(&list->left_out, memory_order_relaxed);
}

void memphis_name_lists_forked(void)
{
	pthread_mutex_init(&memphis_part_names.lock, NULL);
	pthread_mutex_init(&memphis_file_names.lock, NULL);
}
