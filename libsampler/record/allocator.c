/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identifies the object whose allocator the program uses, and the calls that the library can't see: the
 * allocator may be defined in the program itself, or be loaded before the library. Symbols are looked up in
 * the symbol table of each object, in the loader's order, instead of with dlsym(), which may allocate and may
 * return a program's PLT stub for a function that the program does not define.
 */
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "record/allocator.h"
#include "base/linkage.h"

/* Objects whose malloc() or free(), and whose mmap(), are called instead of the library's. */
static const struct link_map *ahead, *maps_ahead;
/* An object whose blocks would be passed to another object's malloc_usable_size(). */
static const struct link_map *sizeless;

/* Weak, since a static program does not define it. */
#pragma weak _DYNAMIC

struct table {
	const ElfW(Sym) * symbols;
	const char *names;
	const __u32 *gnu_hash, *hash;
};

/* The dynamic loader has already added the load address to these entries, unless the section is read-only. */
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

/*
 * Layout of DT_GNU_HASH: number of buckets, first symbol number, number of words in the Bloom filter, shift;
 * then the filter, the buckets, and the hash of each symbol, whose lowest bit is set in the last symbol of a
 * chain.
 */
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
	/* The second word of DT_HASH is the number of symbols. */
	for (number = 1; table.hash && number < table.hash[1]; number++)
		if (is_defined(&table, number, name))
			return true;
	return false;
}

/*
 * Returns the first object that defines the symbol, searching from `map` up to, but not including, `end`; or
 * NULL.
 */
static const struct link_map *definer(const struct link_map *map, const struct link_map *end,
				      const char *name)
{
	for (; map && map != end; map = map->l_next)
		if (defines(map, name))
			return map;
	return NULL;
}

/* Returns the entry of the library itself, or NULL if the library is linked into the program. */
static const struct link_map *own_map(void)
{
	const struct link_map *map = memphis_is_shared ? _r_debug.r_map : NULL;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map;
}

/* Returns the object before the library that defines one of the functions, or NULL. */
static const struct link_map *find_ahead(const char *const *functions)
{
	const struct link_map *own = own_map(), *found = NULL;

	for (; own && *functions && !found; functions++)
		found = definer(_r_debug.r_map, own, *functions);
	return found;
}

/* Returns the object whose definition of the function the library calls. */
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

/*
 * Returns the allocator's object if it also defines operator new(size_t), which then bypasses malloc(); else
 * NULL.
 */
static const struct link_map *find_operators(void)
{
	const struct link_map *operators = definer(_r_debug.r_map, NULL, "_Znwm");

	return operators && operators == find_allocator("malloc") ? operators : NULL;
}

static void add(struct memphis_text_buffer *text, const char *key, const struct link_map *map)
{
	const char *program = (const char *)getauxval(AT_EXECFN);

	/* The entry of the program itself has an empty name. */
	if (map)
		memphis_text_pair(text, key, *map->l_name || !program ? map->l_name : program);
}

void memphis_allocator_metadata(struct memphis_text_buffer *text)
{
	add(text, "maps_ahead", maps_ahead);
	if (ahead)
		add(text, "allocator_ahead", ahead);
	else if (sizeless)
		add(text, "allocator_sizeless", sizeless);
	else
		add(text, "allocator_operators", find_operators());
}
