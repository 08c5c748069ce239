/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whose allocator the program has, and what of it the library can't see: it may be defined in the program itself, or be loaded
 * ahead of the library. Objects are asked in the loader's order, each by its own table: dlsym() would also answer with a
 * program's stub for the address of a function that it does not define, and may allocate.
 */
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "record/allocator.h"
#include "base/linkage.h"

/* The objects whose malloc() or free(), and mmap(), are called instead of the library's ... */
static const struct link_map *ahead, *maps_ahead;
/* ... and the one whose blocks another one's malloc_usable_size() would be asked about. */
static const struct link_map *sizeless;

/* A static program has none. */
#pragma weak _DYNAMIC

struct table {
	const ElfW(Sym) * symbols;
	const char *names;
	const __u32 *gnu_hash, *hash;
};

/* The loader adds the object's address to these, if it can write there. */
static const void *pointer(const struct link_map *map, const ElfW(Dyn) * entry)
{
	return (const void *)(entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr
							      : entry->d_un.d_ptr);
}

static struct table table_of(const struct link_map *map)
{
	struct table table = {0};
	const ElfW(Dyn) * entry;

	for (entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			table.symbols = pointer(map, entry);
		else if (entry->d_tag == DT_STRTAB)
			table.names = pointer(map, entry);
		else if (entry->d_tag == DT_GNU_HASH)
			table.gnu_hash = pointer(map, entry);
		else if (entry->d_tag == DT_HASH)
			table.hash = pointer(map, entry);
	}
	return table;
}

static bool is_defined(const struct table *table, __u32 number, const char *name)
{
	const ElfW(Sym) *symbol = &table->symbols[number];

	return symbol->st_shndx != SHN_UNDEF && !strcmp(table->names + symbol->st_name, name);
}

/* Counts and the first number in front; then words of a filter, buckets, and the hash of each symbol, odd for the last one. */
static bool defines_by_gnu_hash(const struct table *table, const char *name)
{
	const __u32 *word = table->gnu_hash;
	const __u32 count = word[0], first = word[1], filter_words = word[2] * (sizeof(ElfW(Addr)) / 4);
	const __u32 *buckets = word + 4 + filter_words, *hashes = buckets + count;
	__u32 hash = 5381, number;
	const char *at;

	for (at = name; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	number = count ? buckets[hash % count] : 0;
	for (; number >= first && number; number++) {
		if ((hashes[number - first] | 1) == (hash | 1) && is_defined(table, number, name))
			return true;
		if (hashes[number - first] & 1)
			break;
	}
	return false;
}

static bool defines(const struct link_map *map, const char *name)
{
	const struct table table = table_of(map);
	__u32 number;

	if (!table.symbols || !table.names)
		return false;
	if (table.gnu_hash)
		return defines_by_gnu_hash(&table, name);
	/* Its second word is the number of all symbols. */
	for (number = 1; table.hash && number < table.hash[1]; number++)
		if (is_defined(&table, number, name))
			return true;
	return false;
}

/* The first from there on that defines it, before `end`; NULL: none. */
static const struct link_map *definer(const struct link_map *map, const struct link_map *end,
				      const char *name)
{
	for (; map && map != end; map = map->l_next)
		if (defines(map, name))
			return map;
	return NULL;
}

/* The library itself; NULL where it is part of the program. */
static const struct link_map *own_map(void)
{
	const struct link_map *map = memphis_is_shared ? _r_debug.r_map : NULL;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map;
}

/* The object that has one of them called in the library's place. */
static const struct link_map *find_ahead(const char *const *functions)
{
	const struct link_map *own = own_map(), *found = NULL;

	for (; own && *functions && !found; functions++)
		found = definer(_r_debug.r_map, own, *functions);
	return found;
}

/* Whose malloc() the library calls. */
static const struct link_map *find_allocator(const char *function)
{
	const struct link_map *own = own_map();

	return definer(own ? own->l_next : _r_debug.r_map, NULL, function);
}

int memphis_allocator_can_be_tracked(void)
{
	static const char *const of_blocks[] = {"malloc", "calloc", "realloc", "free", NULL};
	static const char *const of_maps[] = {"mmap", "munmap", NULL};
	static int looked;

	if (!looked) {
		looked = 1;
		ahead = find_ahead(of_blocks);
		maps_ahead = find_ahead(of_maps);
		sizeless = find_allocator("malloc");
		if (sizeless == find_allocator("malloc_usable_size"))
			sizeless = NULL;
	}
	return !ahead && !sizeless;
}

/* operator new(size_t) of the allocator itself goes past its malloc(). */
static const struct link_map *find_operators(void)
{
	const struct link_map *operators = definer(_r_debug.r_map, NULL, "_Znwm");

	return operators && operators == find_allocator("malloc") ? operators : NULL;
}

static void add(struct memphis_text *text, const char *key, const struct link_map *map)
{
	const char *program = (const char *)getauxval(AT_EXECFN);

	/* The program itself has no name there. */
	if (map)
		memphis_text_pair(text, key, *map->l_name || !program ? map->l_name : program);
}

void memphis_allocator_metadata(struct memphis_text *text)
{
	add(text, "maps_ahead", maps_ahead);
	if (ahead)
		add(text, "allocator_ahead", ahead);
	else if (sizeless)
		add(text, "allocator_sizeless", sizeless);
	else
		add(text, "allocator_operators", find_operators());
}
