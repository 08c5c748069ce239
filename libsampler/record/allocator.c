/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the object (ELF file) whose allocator the program uses, and the calls of the allocator that the
 * library can't see. The library misses calls if the program itself defines the allocator, or if the loader
 * lists the allocator's object before the library. Symbols are looked up object by object, in the loader's
 * order.
 */
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "record/allocator.h"
#include "base/linkage.h"
#include "base/symbols.h"

/*
 * Objects before the library in the loader's order. The program calls the malloc() or free() of the first
 * one, and the mmap() or munmap() of the second one, instead of the library's functions.
 */
static const struct link_map *ahead, *maps_ahead;
/*
 * The object whose malloc() the library calls, if malloc_usable_size() belongs to another object. That
 * function would then receive blocks of a foreign allocator.
 */
static const struct link_map *sizeless;

/* Weak, since a static program does not define it. */
#pragma weak _DYNAMIC

/* Returns the first object that defines the symbol, searching from `map` up to, but not including, `end`; or NULL. */
static const struct link_map *find_definer(const struct link_map *map, const struct link_map *end,
					   const char *name)
{
	for (; map && map != end; map = map->l_next)
		if (memphis_symbol_find(map, name))
			return map;
	return NULL;
}

/* Returns the loader's entry for the library itself, or NULL if the library is linked into the program. */
static const struct link_map *find_own_map(void)
{
	const struct link_map *map = memphis_is_shared ? _r_debug.r_map : NULL;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map;
}

/* Returns the object that defines one of the functions and precedes the library in the loader's order, or NULL. */
static const struct link_map *find_object_ahead(const char *const *functions)
{
	const struct link_map *own = find_own_map(), *found = NULL;

	for (; own && *functions && !found; functions++)
		found = find_definer(_r_debug.r_map, own, *functions);
	return found;
}

/* Returns the object whose definition of the function the library calls. */
static const struct link_map *find_allocator(const char *function)
{
	const struct link_map *own = find_own_map();

	return find_definer(own ? own->l_next : _r_debug.r_map, NULL, function);
}

int memphis_allocator_can_be_tracked(void)
{
	static const char *const of_blocks[] = {"malloc", "calloc", "realloc", "free", NULL};
	static const char *const of_maps[] = {"mmap", "munmap", NULL};
	static int looked;

	if (!looked) {
		looked = 1;
		ahead = find_object_ahead(of_blocks);
		maps_ahead = find_object_ahead(of_maps);
		sizeless = find_allocator("malloc");
		if (sizeless == find_allocator("malloc_usable_size"))
			sizeless = NULL;
	}
	return !ahead && !sizeless;
}

/*
 * Returns the allocator's object if it also defines operator new(size_t), otherwise NULL. Such an operator
 * new does not call the interposed malloc().
 */
static const struct link_map *find_operators(void)
{
	const struct link_map *operators = find_definer(_r_debug.r_map, NULL, "_Znwm");

	return operators && operators == find_allocator("malloc") ? operators : NULL;
}

static void add_object(struct memphis_text_buffer *text, const char *key, const struct link_map *map)
{
	const char *program = (const char *)getauxval(AT_EXECFN);

	/* The entry of the program itself has an empty name. */
	if (map)
		memphis_text_add_pair(text, key, *map->l_name || !program ? map->l_name : program);
}

void memphis_allocator_add_metadata(struct memphis_text_buffer *text)
{
	add_object(text, "maps_ahead", maps_ahead);
	if (ahead)
		add_object(text, "allocator_ahead", ahead);
	else if (sizeless)
		add_object(text, "allocator_sizeless", sizeless);
	else
		add_object(text, "allocator_operators", find_operators());
}
