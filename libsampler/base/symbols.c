/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up symbols in the symbol table of one loaded object. */
#include <stdbool.h>
#include <string.h>

#include "base/symbols.h"
#include "base/sys.h"

struct table {
	const ElfW(Sym) * symbols;
	const char *names;
	const __u32 *gnu_hash, *hash;
};

/*
 * Returns the address in an entry of the dynamic section. The dynamic loader has already added the load
 * address to it, unless the section is read-only.
 */
static const void *entry_address(const struct link_map *map, const ElfW(Dyn) * entry)
{
	return (const void *)(entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr
							      : entry->d_un.d_ptr);
}

static struct table find_symbol_table(const struct link_map *map)
{
	struct table table = {0};
	const ElfW(Dyn) * entry;

	for (entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			table.symbols = entry_address(map, entry);
		else if (entry->d_tag == DT_STRTAB)
			table.names = entry_address(map, entry);
		else if (entry->d_tag == DT_GNU_HASH)
			table.gnu_hash = entry_address(map, entry);
		else if (entry->d_tag == DT_HASH)
			table.hash = entry_address(map, entry);
	}
	return table;
}

/* Returns the symbol if it is defined and has this name, otherwise NULL. */
static const ElfW(Sym) * match_symbol(const struct table *table, __u32 number, const char *name)
{
	const ElfW(Sym) *symbol = &table->symbols[number];

	return symbol->st_shndx != SHN_UNDEF && !strcmp(table->names + symbol->st_name, name) ? symbol : NULL;
}

/*
 * Looks up the symbol in the table DT_GNU_HASH. Its layout: the number of buckets, the number of the first
 * symbol, the number of words in the Bloom filter, a shift, the filter, the buckets, and the hashes of the
 * symbols. The lowest bit of a hash is set in the last symbol of a chain.
 */
static const ElfW(Sym) * find_by_gnu_hash(const struct table *table, const char *name)
{
	const __u32 *word = table->gnu_hash;
	const __u32 count = word[0], first = word[1], filter_words = word[2] * (sizeof(ElfW(Addr)) / 4);
	const __u32 *buckets = word + 4 + filter_words, *hashes = buckets + count;
	const ElfW(Sym) *found = NULL;
	__u32 hash = 5381, number;
	const char *at;

	for (at = name; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	number = count ? buckets[hash % count] : 0;
	for (; number >= first && number && !found; number++) {
		if ((hashes[number - first] | 1) == (hash | 1))
			found = match_symbol(table, number, name);
		if (hashes[number - first] & 1)
			break;
	}
	return found;
}

const void *memphis_symbol_find(const struct link_map *map, const char *name)
{
	const struct table table = find_symbol_table(map);
	const ElfW(Sym) *found = NULL;
	__u32 number;

	if (!table.symbols || !table.names)
		return NULL;
	if (table.gnu_hash)
		found = find_by_gnu_hash(&table, name);
	/* DT_HASH: the second word is the number of symbols. */
	else
		for (number = 1; table.hash && number < table.hash[1] && !found; number++)
			found = match_symbol(&table, number, name);
	return found ? (const void *)(map->l_addr + found->st_value) : NULL;
}
