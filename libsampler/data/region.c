/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of names, without locks, in memory that is never freed.
 *
 * A new region is published when it replaces the newest region of its tree. After that, it is entered into
 * the hash table. Not only its creator does so: each creator of a region first enters the newest region, and
 * then searches the table. Therefore at most one region is not in the table yet, the newest one. A creator
 * stores the first region of its bucket as `same_hash` of the new region. As long as the newest region has
 * not changed, that bucket has not changed either.
 */
#include <string.h>

#include "data/region.h"

#define ARENA_BYTES 65536

struct memphis_region_arena {
	_Atomic size_t used; /* bytes; also increases when there is no room for the requested bytes */
	char regions[] __attribute__((aligned(16)));
};

static struct memphis_region_tree labels = {.most = UINT32_MAX, .bytes = MEMPHIS_REGION_NAME_MAX};
static struct memphis_region_tree calipers = {.most = MEMPHIS_REGIONS_MAX, .bytes = MEMPHIS_REGION_NAME_MAX};

static size_t bucket_index(const struct memphis_region_node *parent, const char *name, size_t length)
{
	__u64 hash = (__u64)(uintptr_t)parent * 0x9e3779b97f4a7c15u + length;
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
	return (hash ^ hash >> 32) % MEMPHIS_REGION_BUCKETS;
}

static bool has_name(const struct memphis_region_node *region, const char *name, size_t length)
{
	return region->length == length && !memcmp(region->name, name, length);
}

static struct memphis_region_node *find_in_bucket(struct memphis_region_node *region,
						  const struct memphis_region_node *parent, const char *name,
						  size_t length)
{
	while (region && !(region->parent == parent && has_name(region, name, length)))
		region = region->same_hash;
	return region;
}

/* Returns zeroed memory for the caller, or NULL. */
static void *allocate_node(struct memphis_region_tree *tree, size_t bytes)
{
	struct memphis_region_arena *arena = atomic_load_explicit(&tree->arena, memory_order_acquire), *more;
	const size_t room = ARENA_BYTES - sizeof(*arena);
	size_t at;

	for (;;) {
		at = arena ? atomic_fetch_add_explicit(&arena->used, bytes, memory_order_relaxed) : room;
		if (at + bytes <= room)
			return arena->regions + at;
		more = sys_map(ARENA_BYTES);
		if (!more)
			return NULL;
		if (atomic_compare_exchange_strong(&tree->arena, &arena, more))
			arena = more; /* the previous arena is kept, because its regions are in use */
		else
			sys_unmap(more, ARENA_BYTES);
	}
}

/* Enters the newest region into the hash table and the list. Has no effect if another call has already done so. */
static void enter_region(struct memphis_region_tree *tree, struct memphis_region_node *newest)
{
	struct memphis_region_node *same_hash = newest->same_hash;

	atomic_compare_exchange_strong(&tree->buckets[newest->bucket], &same_hash, newest);
	atomic_store_explicit(newest->older ? &newest->older->younger : &tree->first, newest,
			      memory_order_release);
}

static bool is_inside(const struct memphis_region_node *around, const char *name, size_t length)
{
	while (around && !has_name(around, name, length))
		around = around->parent;
	return around != NULL;
}

/* `label`: the registered name, or NULL. */
static struct memphis_region_node *create_region(struct memphis_region_tree *tree, size_t bucket,
						 struct memphis_region_node *parent,
						 const struct memphis_region_node *label, const char *name,
						 size_t length)
{
	struct memphis_region_node *newest, *same_hash, *found, *fresh = NULL;

	for (;;) {
		newest = atomic_load(&tree->newest);
		if (newest)
			enter_region(tree, newest);
		same_hash = atomic_load(&tree->buckets[bucket]);
		found = find_in_bucket(same_hash, parent, name, length);
		if (found)
			return found;
		if (newest && newest->id >= tree->most)
			return NULL;
		if (!fresh) {
			fresh = allocate_node(tree, (sizeof(*fresh) + length + 1 + 15) & ~(size_t)15);
			if (!fresh)
				return NULL;
			fresh->length = (__u32)length;
			fresh->bucket = bucket;
			fresh->parent = parent;
			memcpy(fresh->name, name, length);
			fresh->constant = fresh->name;
			fresh->recurs = is_inside(parent, name, length);
			fresh->label = label ? label : fresh; /* no registered name has the address `fresh` */
		}
		fresh->id = newest ? newest->id + 1 : 1;
		fresh->older = newest;
		fresh->same_hash = same_hash;
		if (!atomic_compare_exchange_strong(&tree->newest, &newest, fresh))
			continue;
		enter_region(tree, fresh);
		return fresh;
	}
}

static struct memphis_region_node *find_region(const struct memphis_region_tree *tree, size_t bucket,
					       const struct memphis_region_node *parent, const char *name,
					       size_t length)
{
	return find_in_bucket(atomic_load_explicit(&tree->buckets[bucket], memory_order_acquire), parent,
			      name, length);
}

struct memphis_region_node *memphis_region_find(struct memphis_region_tree *tree,
						struct memphis_region_node *parent, const char *name,
						size_t length)
{
	struct memphis_region_node *region;
	size_t bucket;

	if (length > tree->bytes)
		length = tree->bytes;
	bucket = bucket_index(parent, name, length);
	region = find_region(tree, bucket, parent, name, length);
	return region ? region : create_region(tree, bucket, parent, NULL, name, length);
}

struct memphis_region_node *memphis_region_after(struct memphis_region_tree *tree,
						 struct memphis_region_node *region)
{
	struct memphis_region_node *newest = atomic_load(&tree->newest);

	if (newest)
		enter_region(tree, newest);
	return atomic_load_explicit(region ? &region->younger : &tree->first, memory_order_acquire);
}

struct memphis_region_node *memphis_region_label(const char *name, size_t length)
{
	return memphis_region_find(&labels, NULL, name, length);
}

struct memphis_region_node *memphis_region_get(struct memphis_region_node *parent, const char *name,
					       size_t length)
{
	const struct memphis_region_node *label;
	struct memphis_region_node *region;
	size_t bucket;

	if (length > calipers.bytes)
		length = calipers.bytes;
	bucket = bucket_index(parent, name, length);
	region = find_region(&calipers, bucket, parent, name, length);
	if (region)
		return region;
	label = memphis_region_label(name, length);
	return create_region(&calipers, bucket, parent, label, name, length);
}

void memphis_region_list(struct memphis_text_buffer *text, struct memphis_region_node **written)
{
	struct memphis_region_node *region = *written;

	while ((region = memphis_region_after(&calipers, region))) {
		memphis_text_add(text, "%u %u ", region->id, region->parent ? region->parent->id : 0);
		memphis_text_add_value(text, region->name, region->length);
		*written = region;
	}
}

struct memphis_name_list memphis_part_names = {
	.names = {.most = MEMPHIS_PART_NAMES_MAX, .bytes = MEMPHIS_PART_NAME_MAX_BYTES}};
struct memphis_name_list memphis_file_names = {
	.names = {.most = MEMPHIS_FILE_NAMES_MAX, .bytes = MEMPHIS_FILE_NAME_MAX_BYTES}};
struct memphis_name_list memphis_python_lines = {
	.names = {.most = MEMPHIS_PYTHON_LINES_MAX, .bytes = MEMPHIS_PYTHON_LINE_MAX_BYTES}};

__u32 memphis_name_number(struct memphis_name_list *list, const char *name)
{
	const struct memphis_region_node *found;

	if (!name || !*name)
		return 0;
	found = memphis_region_find(&list->names, NULL, name, strnlen(name, list->names.bytes));
	if (!found)
		atomic_fetch_add_explicit(&list->left_out, 1, memory_order_relaxed);
	return found ? found->id : 0;
}

void memphis_names_list(struct memphis_name_list *list, struct memphis_text_buffer *text,
			struct memphis_region_node **written)
{
	struct memphis_region_node *name = *written;

	while ((name = memphis_region_after(&list->names, name))) {
		memphis_text_add(text, "%u ", name->id);
		memphis_text_add_value(text, name->name, name->length);
		*written = name;
	}
}

__u64 memphis_name_list_left_out(const struct memphis_name_list *list)
{
	return atomic_load_explicit(&list->left_out, memory_order_relaxed);
}
