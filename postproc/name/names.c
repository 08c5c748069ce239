// SPDX-License-Identifier: BSD-3-Clause
/* Names the owners of samples. The table name_sources lists the sources of a block's name in order of preference. */
#include "name/names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/blocks.h"
#include "base/text.h"
#include "dwarf/binary.h"
#include "dwarf/demangle.h"
#include "dwarf/locals.h"
#include "dwarf/scopes.h"
#include "dwarf/symbols.h"
#include "dwarf/type/die.h"
#include "dwarf/variables.h"
#include "name/allocsite.h"
#include "read/maps.h"

/*
 * ---- names of segments, such as "heap" in [heap]:tx ----
 * The functions free the old *segment. The caller must free the new one. They return 0, or -ENOMEM with
 * *segment set to NULL.
 */

#define REMOVED " (deleted)"

/* Sets *segment to a formatted text. */
static int format_segment(char **text, const char *format, ...)
{
	va_list arguments;
	int rc;

	free(*text);
	va_start(arguments, format);
	rc = vasprintf(text, format, arguments);
	va_end(arguments);
	if (rc >= 0)
		return 0;
	*text = NULL;
	return -ENOMEM;
}

/* Sets *text to the path of a file or a part of it, without the suffix " (deleted)" that the kernel adds for deleted files. */
static int format_path(char **text, const char *path)
{
	size_t bytes = strlen(path), removed = strlen(REMOVED);

	if (bytes > removed && !strcmp(path + bytes - removed, REMOVED))
		bytes -= removed;
	return format_segment(text, "%.*s", (int)bytes, path);
}

/* Sets *segment to the base name of the file. */
static int name_file_segment(const char *path, char **segment)
{
	return format_path(segment, memphis_basename(path));
}

/* Sets *segment to the name of the section, or to the base name of the file if `section` is not a valid index. */
static int name_section_segment(const struct memphis_binary *binary, int section, char **segment)
{
	if (section >= 0 && (size_t)section < binary->section_count)
		return format_segment(segment, "%s", binary->sections[section].name);
	return name_file_segment(binary->path, segment);
}

/* Sets *segment to the kind of the mapping, or to the base name of the mapped file. If `map` is NULL, sets it to "unmapped". */
static int name_map_segment(const struct memphis_map *map, char **segment)
{
	static const char *const names[MEMPHIS_MAP_SPECIAL + 1] = {
		[MEMPHIS_MAP_ANONYMOUS] = "mmap",
		[MEMPHIS_MAP_SHARED] = "shm",
		[MEMPHIS_MAP_HEAP] = "heap",
		[MEMPHIS_MAP_STACK] = "stack",
	};
	size_t bytes;

	if (!map)
		return format_segment(segment, "unmapped");
	if (map->kind == MEMPHIS_MAP_FILE)
		return name_file_segment(map->path, segment);
	if (names[map->kind])
		return format_segment(segment, "%s", names[map->kind]);
	bytes = strlen(map->path);
	if (bytes > 2 && map->path[0] == '[' && map->path[bytes - 1] == ']')
		return format_segment(segment, "%.*s", (int)bytes - 2, map->path + 1);
	return format_segment(segment, "%s", map->path);
}

/* ---- array cookies: data that C++ stores in a block before the first element of an array ---- */

#define DEPTH_MAX     16
#define ALIGNMENT_MAX (1 << 20)

static uint64_t number_attribute(Dwarf_Die *die, unsigned int name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr_integrate(die, name, &attribute) && !dwarf_formudata(&attribute, &value)
		       ? value
		       : otherwise;
}

/*
 * Returns true if the DIE is a user-provided destructor. A destructor defaulted in the class does not count,
 * as it only calls the destructors of the parts.
 */
static bool is_destructor(Dwarf_Die *die)
{
	const char *name = dwarf_tag(die) == DW_TAG_subprogram ? dwarf_diename(die) : NULL;

	return name && *name == '~' &&
	       number_attribute(die, DW_AT_defaulted, DW_DEFAULTED_no) != DW_DEFAULTED_in_class &&
	       !dwarf_hasattr(die, DW_AT_artificial);
}

/* Returns true if delete must call a destructor for objects of the type or for parts of them. */
static bool needs_destruction(Dwarf_Die *type, unsigned int depth)
{
	Dwarf_Die child, part;

	if (depth == DEPTH_MAX)
		return false;
	if (dwarf_tag(type) == DW_TAG_array_type)
		return memphis_type_of(type, &part) && needs_destruction(&part, depth + 1);
	if (!memphis_die_is_structure(type) || dwarf_child(type, &child))
		return false;
	do {
		if (is_destructor(&child) || (memphis_die_is_part(&child) && memphis_type_of(&child, &part) &&
					      needs_destruction(&part, depth + 1)))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static uint64_t type_alignment(Dwarf_Die *type, unsigned int depth)
{
	uint64_t most = number_attribute(type, DW_AT_alignment, 1), own, bytes;
	Dwarf_Die child, part;

	if (depth == DEPTH_MAX)
		return most;
	if (dwarf_tag(type) == DW_TAG_array_type && !dwarf_hasattr(type, DW_AT_GNU_vector)) {
		own = memphis_type_of(type, &part) ? type_alignment(&part, depth + 1) : 1;
		return own > most ? own : most;
	}
	if (!memphis_die_is_structure(type)) {
		bytes = memphis_type_size(type, false);
		/*
		 * This is wrong for complex numbers in C, which are aligned like one of their halves. In C++,
		 * the only language with array cookies, they are classes.
		 */
		return bytes > most && !(bytes & (bytes - 1)) ? bytes : most;
	}
	if (dwarf_child(type, &child))
		return most;
	do {
		if (!memphis_die_is_part(&child) || !memphis_type_of(&child, &part))
			continue;
		own = type_alignment(&part, depth + 1);
		most = own > most ? own : most;
		own = number_attribute(&child, DW_AT_alignment, 1);
		most = own > most ? own : most;
	} while (!dwarf_siblingof(&child, &child));
	return most;
}

/*
 * Returns the size of the array cookie in a block of `bytes` bytes with elements of `type`, or 0 if there is
 * none. `new T[n]` stores n before the elements if delete[] must call destructors (Itanium C++ ABI, section
 * 2.7, array operator new cookies).
 */
static uint64_t cookie_bytes(Dwarf_Die *type, uint64_t bytes)
{
	uint64_t element = memphis_type_size(type, false), cookie;

	if (!element || !(memphis_die_is_structure(type) || dwarf_tag(type) == DW_TAG_array_type) ||
	    !needs_destruction(type, 0))
		return 0;
	cookie = type_alignment(type, 0);
	if (cookie < sizeof(uint64_t))
		cookie = sizeof(uint64_t);
	/*
	 * The elements must fill the rest of the block exactly. Otherwise there is no cookie, as in memory
	 * that containers allocate. If the cookie size is a multiple of the element size, it is unknown
	 * whether there is a cookie. It then does not matter, because the offsets within an element are the
	 * same.
	 */
	if (cookie > ALIGNMENT_MAX || cookie % element == 0 || bytes <= cookie)
		return 0;
	return (bytes - cookie) % element == 0 ? cookie : 0;
}

#define NOT_FOUND  "<not-found>"
#define PAGE_BYTES 4096
#define NOT_ASKED  (MEMPHIS_POINTER_NONE + 1)
/* Maximum length of a chain of blocks, each of which holds the pointer to the next one. */
#define HOLDERS_DEPTH_MAX 4

void memphis_description_close(struct memphis_description *description)
{
	free(description->segment);
	free(description->name);
	free(description->qualified);
	free(description->site);
	free(description->object);
	free(description->declared);
	free(description->unit);
	memset(description, 0, sizeof(*description));
}

/* Stores where the variable is declared. This distinguishes variables with the same name. */
static int store_declaration(struct memphis_binary *binary, const Dwarf_Die *die, const char *file,
			     struct memphis_description *description)
{
	struct memphis_declaration declaration = {0};

	if (die->addr) {
		pthread_mutex_lock(&binary->lock);
		memphis_declaration_read(&declaration, die);
		pthread_mutex_unlock(&binary->lock);
		description->declared = declaration.place;
		description->unit = declaration.unit;
	} else if (file && format_segment(&description->declared, "%s", file)) {
		return -ENOMEM;
	}
	return format_path(&description->object, binary->path);
}

static int describe_static(struct memphis_namer *namer, const struct memphis_owner *owner,
			   struct memphis_description *description)
{
	struct memphis_binary *binary = namer->join->processes->binaries.list[owner->index];
	const struct memphis_static *variable = &binary->variables->list[owner->item];
	int rc;

	description->how = variable->die.addr ? MEMPHIS_HOW_DEBUG_INFO : MEMPHIS_HOW_SYMBOL;
	rc = variable->tls ? format_segment(&description->segment, "tls")
			   : name_section_segment(binary, memphis_binary_section(binary, variable->low),
						  &description->segment);
	if (!rc)
		rc = store_declaration(binary, &variable->die, variable->file, description);
	return rc ? rc : format_segment(&description->name, "%s", variable->name);
}

static void find_best_holder(struct memphis_namer *namer, size_t process, uint32_t group, unsigned int depth,
			     struct memphis_pointer_variable *best);

/*
 * Finds the holder of a block if the pointer at address `slot` is in a static variable. Returns false if no
 * loaded object contains the address.
 */
static bool find_holder_in_object(struct memphis_namer *namer, size_t process, uint64_t slot,
				  uint64_t time_ns, bool indexed, struct memphis_pointer_variable *holder)
{
	struct memphis_processes *processes = namer->join->processes;
	const struct memphis_maps *maps = &processes->list[process].log->maps;
	const struct memphis_instance *instance;
	const struct memphis_map *map;
	struct memphis_binary *binary;
	uint64_t from_ns, to_ns;

	map = memphis_maps_find(maps, slot, time_ns, &from_ns, &to_ns);
	if (!map || map->instance == MEMPHIS_NO_INSTANCE)
		return false;
	instance = &maps->instances[map->instance];
	binary = processes->binaries.list[instance->binary];
	if (binary->elf)
		memphis_pointer_variable_find(&processes->binaries, binary, slot - instance->bias, indexed,
					      holder);
	return true;
}

/*
 * Finds the holder of a block if the pointer to the block is at address `slot` inside another block. Example:
 * the block of p->next->data is held by the member `data` of another block. The function first finds the
 * holder of that other block (p->next), and then the component at the offset of `slot` in the structure to
 * which that holder points.
 */
static void find_holder_in_block(struct memphis_namer *namer, size_t process, uint64_t slot, uint64_t time_ns,
				 unsigned int depth, struct memphis_pointer_variable *holder)
{
	const uint64_t inherits_ns = namer->join->processes->list[process].inherits_ns;
	struct memphis_block_answer found;
	struct memphis_pointer_variable outer;

	/* For an inherited block, only the state at the time of inheritance is known. */
	if (namer->join->processes->list[process].parent && time_ns < inherits_ns)
		time_ns = inherits_ns;
	memphis_blocks_find(&namer->join->list[process].blocks, MEMPHIS_BLOCKS_HEAP, slot, time_ns, &found);
	if (!found.block || depth == HOLDERS_DEPTH_MAX)
		return;
	find_best_holder(namer, process, found.block->group, depth + 1, &outer);
	if (outer.rank < MEMPHIS_POINTER_OTHER)
		memphis_pointer_variable_find_in_block(&outer, slot - found.block->start,
						       found.block->end - found.block->start, holder);
	memphis_pointer_variable_close(&outer);
}

/* Returns the last component of a name: "tx" for "grid%tx". */
static const char *last_component(const char *name)
{
	const char *last = name + strlen(name);

	while (last > name && !strchr(".%>:", last[-1]))
		last--;
	return last;
}

static bool is_assigned_by_line(const struct memphis_pointer_variable *holder, const char *assigned)
{
	return *assigned && !strcmp(last_component(holder->name), last_component(assigned));
}

/*
 * Returns true if holder `a` gives a better name than holder `b`. A variable to which the allocating line
 * assigns is better than any other, because the others may be stale pointers that contain the same address by
 * chance.
 */
static bool is_better_holder(const struct memphis_pointer_variable *a,
			     const struct memphis_pointer_variable *b, const char *assigned)
{
	bool a_named, b_named;

	if (a->rank == MEMPHIS_POINTER_NONE || b->rank == MEMPHIS_POINTER_NONE)
		return a->rank < b->rank;
	a_named = is_assigned_by_line(a, assigned);
	b_named = is_assigned_by_line(b, assigned);
	if (a_named != b_named)
		return a_named;
	return a->rank < b->rank;
}

/* Returns the name derived from the call stack of the group's allocations, or NULL if memory is exhausted. */
static struct memphis_site_name *find_site(struct memphis_namer *namer, size_t process,
					   const struct memphis_block_group *group);

/*
 * Finds the best holder of the group's blocks. If no holder was recorded for them, uses the holders of other
 * blocks with the same call stack.
 */
static void find_best_holder(struct memphis_namer *namer, size_t process, uint32_t number, unsigned int depth,
			     struct memphis_pointer_variable *best)
{
	const struct memphis_blocks *blocks = &namer->join->list[process].blocks;
	const struct memphis_block_group *group = &blocks->groups[number];
	uint32_t set = group->holders ? group->holders : blocks->stack_holders[group->stack];
	size_t count = memphis_strings_bytes(&blocks->holders, set) / 8, i;
	const struct memphis_site_name *site = count ? find_site(namer, process, group) : NULL;
	const char *assigned = site && site->name ? site->name : "";
	struct memphis_pointer_variable holder;
	uint64_t slot;

	*best = (struct memphis_pointer_variable){.rank = MEMPHIS_POINTER_NONE};
	for (i = 0; i < count; i++) {
		memcpy(&slot, memphis_strings_get(&blocks->holders, set) + i * 8, 8);
		holder = (struct memphis_pointer_variable){.rank = MEMPHIS_POINTER_NONE};
		if (!find_holder_in_object(namer, process, slot, group->first_ns, group->holders != 0,
					   &holder))
			find_holder_in_block(namer, process, slot, group->first_ns, depth, &holder);
		if (holder.rank >= MEMPHIS_POINTER_OTHER || !is_better_holder(&holder, best, assigned) ||
		    (memphis_shared_slots_has(blocks, slot) && !is_assigned_by_line(&holder, assigned))) {
			memphis_pointer_variable_close(&holder);
			continue;
		}
		memphis_pointer_variable_close(best);
		*best = holder;
	}
}

/* Cached version of find_best_holder(). Returns NULL if memory is exhausted. */
static const struct memphis_pointer_variable *find_holder(struct memphis_namer *namer, size_t process,
							  uint32_t group)
{
	struct memphis_pointer_variable **holders = &namer->holders[process], *one;
	size_t count = namer->join->list[process].blocks.group_count, i;

	if (!*holders) {
		*holders = calloc(count, sizeof(**holders));
		for (i = 0; *holders && i < count; i++)
			(*holders)[i].rank = NOT_ASKED;
	}
	if (!*holders)
		return NULL;
	one = &(*holders)[group];
	if (one->rank == NOT_ASKED)
		find_best_holder(namer, process, group, 0, one);
	return one;
}

int memphis_namer_open(struct memphis_namer *namer, struct memphis_join *join,
		       struct memphis_sources *sources)
{
	namer->join = join;
	namer->sources = sources;
	namer->sites = calloc(join->processes->count + 1, sizeof(*namer->sites));
	namer->holders = calloc(join->processes->count + 1, sizeof(*namer->holders));
	return namer->sites && namer->holders ? 0 : -ENOMEM;
}

void memphis_namer_close(struct memphis_namer *namer)
{
	size_t i, j;

	memphis_access_types_close(&namer->types);
	for (i = 0; namer->sites && i < namer->join->processes->count; i++) {
		for (j = 0; namer->sites[i] && j < namer->join->processes->list[i].log->stacks.count; j++) {
			free(namer->sites[i][j].name);
			free(namer->sites[i][j].scope);
			free(namer->sites[i][j].place);
			free(namer->sites[i][j].inner_place);
			free(namer->sites[i][j].fallback);
		}
		free(namer->sites[i]);
	}
	for (i = 0; namer->holders && i < namer->join->processes->count; i++) {
		for (j = 0; namer->holders[i] && j < namer->join->list[i].blocks.group_count; j++)
			memphis_pointer_variable_close(&namer->holders[i][j]);
		free(namer->holders[i]);
	}
	memphis_local_holders_close(&namer->locals);
	memphis_checked_chains_close(&namer->chains);
	free(namer->sites);
	free(namer->holders);
	namer->sites = NULL;
	namer->holders = NULL;
}

static int fill_site(struct memphis_namer *namer, size_t process, const struct memphis_block_group *group,
		     struct memphis_site_name *site)
{
	struct memphis_alloc_site found;
	int rc = memphis_alloc_site_find(namer->join, namer->sources, process, group->stack, group->table,
					 &found);

	/* If the stack belongs to an allocator, its local variables do not name the blocks in that memory. */
	if (!rc && found.why_not != MEMPHIS_NAMING_ALLOCATOR)
		rc = memphis_local_holder_find(&namer->locals, namer->join, process, group->stack,
					       &site->local);
	if (rc)
		return rc;
	site->why_not = found.why_not;
	site->unsure = found.unsure;
	site->binary = found.binary;
	site->vaddr = found.vaddr;
	if (*found.name)
		rc = format_segment(&site->name, "%s", found.name);
	if (*found.name && !strchr(found.name, '|') && found.binary) {
		site->scope = memphis_member_find_scope(&namer->join->processes->binaries, found.binary,
							found.vaddr, found.name);
		rc = rc || !site->scope ? -ENOMEM : 0;
	}
	if (!rc && found.line)
		rc = format_segment(&site->place, "%s:%u", memphis_basename(found.path), found.line);
	if (!rc && found.line)
		rc = format_segment(&site->inner_place, "%s:%u", memphis_basename(found.inner_path),
				    found.inner_line);
	if (rc)
		return rc;
	site->inside = found.inside;
	if (found.line)
		return format_segment(&site->fallback, "<%s:%u>", found.function, found.line);
	return format_segment(&site->fallback, "<%s>",
			      *found.code ? found.code : memphis_naming_texts[found.why_not].name);
}

static struct memphis_site_name *find_site(struct memphis_namer *namer, size_t process,
					   const struct memphis_block_group *group)
{
	struct memphis_site_name **sites = &namer->sites[process];
	const uint32_t stack = group->stack;

	if (!*sites)
		*sites = calloc(namer->join->processes->list[process].log->stacks.count, sizeof(**sites));
	if (!*sites || (!(*sites)[stack].fallback && fill_site(namer, process, group, &(*sites)[stack])))
		return NULL;
	return &(*sites)[stack];
}

/* Returns true for blocks on the heap, and for parts (of pools) that are inside such a block. */
static bool is_in_heap(struct memphis_namer *namer, size_t process, const struct memphis_block_group *group)
{
	struct memphis_block_answer found = {0};

	if (group->table >= MEMPHIS_BLOCKS_PART)
		memphis_blocks_find(&namer->join->list[process].blocks, MEMPHIS_BLOCKS_HEAP,
				    group->first_address, group->first_ns, &found);
	return found.block || group->table == MEMPHIS_BLOCKS_HEAP;
}

static int name_group_segment(struct memphis_namer *namer, size_t process,
			      const struct memphis_block_group *group, char **segment)
{
	const struct memphis_maps *maps = &namer->join->processes->list[process].log->maps;
	const struct memphis_instance *instance;
	const struct memphis_binary *binary;
	const struct memphis_map *map;
	uint64_t from_ns, to_ns;

	if (group->pool)
		return format_segment(
			segment, "%s",
			memphis_strings_get(&namer->join->processes->list[process].log->names, group->pool));
	if (is_in_heap(namer, process, group))
		return format_segment(segment, "heap");
	if (group->shared)
		return format_segment(segment, "shm");
	map = memphis_maps_find(maps, group->first_address, group->first_ns, &from_ns, &to_ns);
	/*
	 * The map that was found is older: a library was mapped here, and was unmapped before the block was
	 * allocated. Use the next recorded list of maps.
	 */
	if (map && map->last_ns < group->first_ns && map->list_last + 1 < maps->time_count)
		map = memphis_maps_find(maps, group->first_address, maps->times_ns[map->list_last + 1],
					&from_ns, &to_ns);
	if (!map)
		return format_segment(segment, "mmap");
	if (map->instance == MEMPHIS_NO_INSTANCE)
		return name_map_segment(map, segment);
	instance = &maps->instances[map->instance];
	binary = namer->join->processes->binaries.list[instance->binary];
	/* The object was loaded here later. When the block existed, the address belonged to an anonymous mapping. */
	if (*binary->build_id && group->table == MEMPHIS_BLOCKS_MAP)
		return format_segment(segment, "mmap");
	return name_section_segment(
		binary, memphis_binary_section(binary, group->first_address - instance->bias), segment);
}

/* A block, and the facts from which its name is chosen. */
struct block_facts {
	const struct memphis_process *process;
	const struct memphis_block_group *group;
	struct memphis_site_name *site;
	const struct memphis_pointer_variable *holder;
};

static bool has_explicit_name(const struct block_facts *block)
{
	return block->group->name != 0;
}

static int use_explicit_name(const struct block_facts *block, struct memphis_description *description)
{
	return format_segment(&description->name, "%s",
			      memphis_strings_get(&block->process->log->names, block->group->name));
}

/*
 * If only the symbol of the holder is known, the type is unknown. Then the allocating line is preferred if it
 * assigns the block to a variable.
 */
static bool has_holder(const struct block_facts *block)
{
	/* A mapping of an allocator contains many blocks. The pointer held the address of only one of them. */
	if (block->site->why_not == MEMPHIS_NAMING_ALLOCATOR)
		return false;
	/* If users get only addresses inside the block, a pointer to the start of the block belongs to the allocator. */
	if (block->site->inside && block->site->name)
		return false;
	return block->holder->rank <= MEMPHIS_POINTER_SCALAR ||
	       (block->holder->rank == MEMPHIS_POINTER_SYMBOL && !block->site->name);
}

static int use_holder(const struct block_facts *block, struct memphis_description *description)
{
	const struct memphis_static *variable = block->holder->variable;
	int rc = format_segment(&description->name, "%s", block->holder->name);

	if (!rc && variable)
		rc = store_declaration(block->holder->binary, &variable->die, variable->file, description);
	return rc ? rc : format_segment(&description->qualified, "%s", block->holder->qualified);
}

/*
 * Returns true if the local variable is the better name. For an automatic array, the source line has no
 * assignment. If a line has several calls, only the machine code tells which of them allocated the block.
 */
static bool has_local(const struct block_facts *block)
{
	const struct memphis_site_name *site = block->site;

	return site->local && (!site->name || site->unsure || site->local->automatic) &&
	       memphis_local_holder_fits(site->local, block->group->first_bytes);
}

static int use_local(const struct block_facts *block, struct memphis_description *description)
{
	struct memphis_text name = {0}, qualified = {0};
	bool several = memphis_local_holder_put_names(block->site->local, block->group->first_bytes, &name,
						      &qualified);
	int rc = name.failed || qualified.failed ? -ENOMEM
						 : format_segment(&description->name, "%s", name.text);

	if (!rc)
		rc = format_segment(&description->qualified, "%s", qualified.text);
	description->why_not = several ? MEMPHIS_NAMING_SEVERAL : MEMPHIS_NAMING_FOUND;
	memphis_text_close(&name);
	memphis_text_close(&qualified);
	return rc;
}

static bool has_assignment(const struct block_facts *block)
{
	return block->site->name != NULL;
}

static int use_assignment(const struct block_facts *block, struct memphis_description *description)
{
	const struct memphis_site_name *site = block->site;

	description->why_not = site->why_not;
	return format_segment(&description->name, "%s%s", site->scope ? site->scope : "", site->name);
}

static bool has_site(const struct block_facts *block)
{
	(void)block;
	return true;
}

static int use_site(const struct block_facts *block, struct memphis_description *description)
{
	description->why_not = block->site->why_not;
	return format_segment(&description->name, "%s", block->site->fallback);
}

enum name_source { BY_CALL, BY_HOLDER, BY_LOCAL, BY_ASSIGNMENT, BY_SITE, NAME_SOURCES };

/* Sources of a block's name in order of preference. The first source that has a name is used. */
static const struct {
	enum memphis_how how;
	bool (*has)(const struct block_facts *block);
	int (*put)(const struct block_facts *block, struct memphis_description *description);
} name_sources[NAME_SOURCES] = {
	/* The program gave the memory a name with memphis_name() or memphis_pool_alloc(). */
	[BY_CALL] = {MEMPHIS_HOW_EXPLICIT, has_explicit_name, use_explicit_name},
	/* A static pointer or Fortran descriptor held the block's address during its lifetime. */
	[BY_HOLDER] = {MEMPHIS_HOW_HOLDER, has_holder, use_holder},
	/* The block is an automatic array, or the code after the call moves its address to a local variable. */
	[BY_LOCAL] = {MEMPHIS_HOW_LOCAL, has_local, use_local},
	/* The text of the allocating source line assigns the block to a variable. */
	[BY_ASSIGNMENT] = {MEMPHIS_HOW_ASSIGNED, has_assignment, use_assignment},
	/* Only the place of the allocation is known. */
	[BY_SITE] = {MEMPHIS_HOW_SITE, has_site, use_site},
};

/* Returns the first source that has a name, starting the search with `from`. */
static enum name_source find_name_source(const struct block_facts *block, enum name_source from)
{
	while (!name_sources[from].has(block))
		from++;
	return from;
}

/* Collects the facts about the block. Returns 0 or -ENOMEM. */
static int collect_facts(struct memphis_namer *namer, const struct memphis_owner *owner,
			 struct block_facts *block)
{
	block->process = &namer->join->processes->list[owner->process];
	block->group = &namer->join->list[owner->process].blocks.groups[owner->index];
	block->site = find_site(namer, owner->process, block->group);
	block->holder = find_holder(namer, owner->process, owner->index);
	return block->site && block->holder ? 0 : -ENOMEM;
}

static int describe_group(struct memphis_namer *namer, const struct memphis_owner *owner,
			  struct memphis_description *description)
{
	enum name_source source;
	struct block_facts block;
	const char *place;
	int rc;

	if (collect_facts(namer, owner, &block))
		return -ENOMEM;
	source = find_name_source(&block, BY_CALL);
	description->how = name_sources[source].how;
	rc = name_sources[source].put(&block, description);
	place = source == BY_LOCAL && block.site->local->place ? block.site->local->place : block.site->place;
	/* If the function itself keeps the block in a static variable, its callers only use the block. */
	if (source == BY_HOLDER && !(block.site->name && is_assigned_by_line(block.holder, block.site->name)))
		place = block.site->inner_place;
	if (!rc && place)
		rc = format_segment(&description->site, "%s", place);
	return rc ? rc : name_group_segment(namer, owner->process, block.group, &description->segment);
}

static int describe_estimate(struct memphis_namer *namer, const struct memphis_owner *owner,
			     struct memphis_description *description)
{
	int rc = describe_group(namer, owner, description);
	char *name = description->name;

	description->name = NULL;
	description->how = MEMPHIS_HOW_ESTIMATED;
	rc = rc ? rc : format_segment(&description->name, "~%s", name);
	free(name);
	return rc;
}

static int describe_stack(struct memphis_namer *namer, const struct memphis_owner *owner,
			  struct memphis_description *description)
{
	struct memphis_binaries *binaries = &namer->join->processes->binaries;
	struct memphis_binary *binary =
		owner->index == MEMPHIS_NO_BINARY ? NULL : binaries->list[owner->index];
	const struct memphis_local *local = binary ? memphis_local_of(binary, owner->item) : NULL;
	struct memphis_location location;
	struct memphis_text text = {0};
	const char *function = NULL;
	int rc;

	if (format_segment(&description->segment, "stack"))
		return -ENOMEM;
	if (local && local->name) {
		description->how = MEMPHIS_HOW_DEBUG_INFO;
		return format_segment(&description->name, "%s", local->name)
			       ? -ENOMEM
			       : store_declaration(binary, &local->die, NULL, description);
	}
	if (local && memphis_symbols_find(binaries, binary, local->vaddr, &location))
		return -ENOMEM;
	if (local)
		function = memphis_frame_name(&location.frames[location.count - 1]);
	if (!function)
		return format_segment(&description->name, NOT_FOUND);
	memphis_put_function(&text, function);
	rc = text.failed ? -ENOMEM : format_segment(&description->name, "<frame of %s>", text.text);
	memphis_text_close(&text);
	return rc;
}

static int describe_map(const struct memphis_namer *namer, const struct memphis_owner *owner, uint32_t map,
			struct memphis_description *description)
{
	const struct memphis_maps *maps = &namer->join->processes->list[owner->process].log->maps;

	return name_map_segment(map < maps->count ? &maps->list[map] : NULL, &description->segment);
}

int memphis_describe(struct memphis_namer *namer, const struct memphis_owner *owner,
		     struct memphis_description *description)
{
	const struct memphis_processes *processes = namer->join->processes;
	int rc = 0;

	memset(description, 0, sizeof(*description));
	description->how = MEMPHIS_HOW_NONE;
	switch (owner->kind) {
	case MEMPHIS_OWNER_STATIC:
		return describe_static(namer, owner, description);
	case MEMPHIS_OWNER_GROUP:
		return describe_group(namer, owner, description);
	case MEMPHIS_OWNER_ESTIMATE:
		return describe_estimate(namer, owner, description);
	case MEMPHIS_OWNER_SECTION:
		rc = owner->item == MEMPHIS_TLS_SECTION
			     ? format_segment(&description->segment, "tls")
			     : name_section_segment(processes->binaries.list[owner->index], (int)owner->item,
						    &description->segment);
		break;
	case MEMPHIS_OWNER_MAP:
		rc = describe_map(namer, owner, owner->index, description);
		break;
	/* Occurs only in memphis top, which does not estimate. Elsewhere, memphis_estimate() has replaced this kind. */
	case MEMPHIS_OWNER_NEAR:
		rc = describe_map(namer, owner, owner->item, description);
		break;
	case MEMPHIS_OWNER_STACK:
		return describe_stack(namer, owner, description);
	}
	return rc ? rc : format_segment(&description->name, NOT_FOUND);
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool memphis_is_one_variable(void *namer, size_t process, uint32_t group, uint32_t other)
{
	struct memphis_owner owners[] = {
		{.kind = MEMPHIS_OWNER_GROUP, .process = (uint32_t)process, .index = group},
		{.kind = MEMPHIS_OWNER_GROUP, .process = (uint32_t)process, .index = other}};
	struct memphis_description one = {0}, two = {0};
	/* If memory is exhausted, treat the two as different variables. */
	const bool is = !memphis_describe(namer, &owners[0], &one) &&
			!memphis_describe(namer, &owners[1], &two) &&
			is_same_text(one.segment, two.segment) && is_same_text(one.name, two.name) &&
			is_same_text(one.site, two.site) && is_same_text(one.qualified, two.qualified) &&
			is_same_text(one.declared, two.declared) && is_same_text(one.object, two.object);

	memphis_description_close(&one);
	memphis_description_close(&two);
	return is;
}

/* ---- element types of variables and blocks. The functions return -ENOENT if the type is unknown ---- */
struct element_type {
	struct memphis_binary *binary;
	Dwarf_Die type;
	bool fortran;
	Dwarf_Die array; /* Fortran: array type of the block; addr is NULL if it is unknown */
};

static int find_static_elements(struct memphis_namer *namer, const struct memphis_owner *owner,
				struct element_type *made)
{
	const struct memphis_static *variable;
	Dwarf_Die die;
	bool found;

	made->binary = namer->join->processes->binaries.list[owner->index];
	variable = &made->binary->variables->list[owner->item];
	made->fortran = variable->fortran;
	die = variable->die;
	if (!die.addr)
		return -ENOENT;
	pthread_mutex_lock(&made->binary->lock);
	found = memphis_type_of(&die, &made->type);
	pthread_mutex_unlock(&made->binary->lock);
	return found ? 0 : -ENOENT;
}

/* Finds the element type from the variable that holds the block, or from the variable to which the allocating line assigns it. */
static int find_group_elements(struct memphis_namer *namer, const struct memphis_owner *owner,
			       struct element_type *made)
{
	const struct memphis_pointer_variable *holder = NULL;
	struct memphis_site_name *site;
	struct block_facts block;
	enum name_source source;

	if (collect_facts(namer, owner, &block))
		return -ENOMEM;
	source = find_name_source(&block, BY_HOLDER);
	if (source == BY_HOLDER)
		holder = block.holder;
	if (source == BY_LOCAL) {
		holder = memphis_local_holder_get_only(block.site->local, block.group->first_bytes);
		if (!holder)
			return -ENOENT;
	}
	if (holder && holder->element.addr) {
		*made = (struct element_type){holder->binary, holder->element, holder->fortran,
					      holder->array};
		return 0;
	}
	site = block.site;
	if (!site->asked && site->name && site->binary)
		memphis_element_find_by_name(&namer->join->processes->binaries, site->binary, site->vaddr,
					     site->name, &site->element, &site->fortran);
	site->asked = true;
	*made = (struct element_type){site->binary, site->element, site->fortran, {.addr = NULL}};
	return site->element.addr ? 0 : -ENOENT;
}

static int find_elements(struct memphis_namer *namer, const struct memphis_owner *owner,
			 struct element_type *made)
{
	if (owner->kind == MEMPHIS_OWNER_GROUP)
		return find_group_elements(namer, owner, made);
	return owner->kind == MEMPHIS_OWNER_STATIC ? find_static_elements(namer, owner, made) : -ENOENT;
}

int memphis_field_find_origin(struct memphis_namer *namer, const struct memphis_owner *owner,
			      uint64_t *origin)
{
	const struct memphis_block_group *group;
	struct element_type made;
	int rc = find_elements(namer, owner, &made);

	*origin = 0;
	if (rc || owner->kind != MEMPHIS_OWNER_GROUP || made.fortran)
		return rc;
	group = &namer->join->list[owner->process].blocks.groups[owner->index];
	pthread_mutex_lock(&made.binary->lock);
	*origin = cookie_bytes(&made.type, group->first_bytes);
	pthread_mutex_unlock(&made.binary->lock);
	return 0;
}

/*
 * Returns true if the block can be an array of such elements. Otherwise the block is a header followed by
 * other data, and only the type of the header is known. A type with an open end is always a header. For other
 * types, every multiple of the page size is accepted, because the sizes of mappings are rounded up to pages.
 */
static bool is_array_of_elements(const struct memphis_block_group *group, const struct element_type *made,
				 uint64_t element_bytes)
{
	Dwarf_Die type = made->type;
	const uint64_t cookie = made->fortran ? 0 : cookie_bytes(&type, group->first_bytes);

	return !memphis_type_has_open_end(&type) &&
	       (!((group->first_bytes - cookie) % element_bytes) || !(group->first_bytes % PAGE_BYTES));
}

int memphis_field_find(struct memphis_namer *namer, const struct memphis_owner *owner, uint64_t offset,
		       struct memphis_field *field)
{
	bool block = owner->kind == MEMPHIS_OWNER_GROUP;
	struct element_type made;
	int rc = find_elements(namer, owner, &made);

	if (rc)
		return rc;
	pthread_mutex_lock(&made.binary->lock);
	rc = memphis_type_member(&made.type, made.fortran, block, offset, field);
	if (!rc && block && made.array.addr)
		memphis_shape_read(&made.array, made.fortran, &field->shape);
	if (!rc && block &&
	    !is_array_of_elements(&namer->join->list[owner->process].blocks.groups[owner->index], &made,
				  field->element_bytes)) {
		field->shape.rank = 0;
		rc = field->element ? -ENOENT : 0;
		if (rc)
			memphis_field_close(field);
	}
	pthread_mutex_unlock(&made.binary->lock);
	return rc;
}
