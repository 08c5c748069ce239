// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds function, file and line for the link-time address of an instruction. An index of address ranges finds
 * the compilation unit. It is built here, because Clang writes no .debug_aranges. An index for each unit,
 * built on first use, finds the function.
 */
#include "dwarf/symbols.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intervals.h"
#include "base/order.h"
#include "dwarf/demangle.h"
#include "dwarf/scopes.h"
#include "dwarf/type/types.h"

/*
 * ---- names of functions: qualified C++ names with namespaces, classes and parameters, and readable Fortran
 * names ----
 */

/* Cache of qualified names. */
struct memphis_qualified {
	/* Each key consists of two pointers: the address of the DIE, and the address of the symbol's name. */
	struct memphis_strings keys;
	/* Indexed by the number of the key. An entry is NULL if the function has no qualified name. */
	char **names;
	size_t room;
	struct memphis_scopes scopes;
};

/*
 * Returns the demangled name of a C++ or Rust function. For other languages, linkage names are used only if
 * debug information is missing.
 */
static char *name_by_linkage(const char *symbol, bool *is_outlined)
{
	return symbol && (!strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2))
		       ? memphis_demangle_function(symbol, is_outlined)
		       : NULL;
}

static const char *linkage_name(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));

	return name ? name
		    : dwarf_formstring(dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute));
}

static bool is_cplusplus(Dwarf_Die *function)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(function, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	}
	return false;
}

/*
 * Builds the name from the enclosing scopes and the plain name. Used for functions without a linkage name,
 * which functions with internal linkage may lack.
 */
static char *name_by_scopes(struct memphis_scopes *scopes, Dwarf_Die *function)
{
	struct memphis_text text = {0};
	const char *name = dwarf_diename(function);

	if (!name || !is_cplusplus(function))
		return NULL;
	memphis_put_scopes(scopes, &text, function);
	memphis_text_put(&text, name);
	if (!text.failed && strcmp(text.text, name))
		return text.text;
	memphis_text_close(&text);
	return NULL;
}

static char *make_qualified_name(struct memphis_scopes *scopes, Dwarf_Die *function, const char *symbol)
{
	Dwarf_Die enclosing;
	bool is_outlined = false;
	char *name = function ? name_by_linkage(linkage_name(function), &is_outlined) : NULL, *marked;

	if (!name)
		name = name_by_linkage(symbol, &is_outlined);
	if (!name && function)
		name = name_by_scopes(scopes, function);
	if (!name)
		name = memphis_demangle_function(function ? dwarf_diename(function) : symbol, &is_outlined);
	if (name && !*name && function && memphis_enclosing_function_find(scopes, function, &enclosing)) {
		free(name);
		name = make_qualified_name(scopes, &enclosing, NULL);
		name = name ? name : strdup(dwarf_diename(&enclosing));
	}
	if (name && !*name) {
		free(name);
		return NULL;
	}
	if (!name || !is_outlined)
		return name;
	if (asprintf(&marked, "%s" MEMPHIS_OUTLINED, name) < 0)
		return name;
	free(name);
	return marked;
}

/*
 * Returns the qualified name of a function. The caller knows its DIE, its symbol, or both, and passes NULL
 * for the other one. Inlined functions have no symbol. Returns NULL if the name needs no qualification, as in
 * C and Fortran. The name is valid until close_qualified().
 */
static const char *qualified_name(struct memphis_qualified *qualified, Dwarf_Die *function,
				  const char *symbol)
{
	const size_t known = qualified->keys.count;
	Dwarf_Die declaration = {0};
	const void *key[2];
	uint32_t number;

	/* Use the DIE of the declaration as key. Each inlined copy has its own DIE, but all share the declaration. */
	if (function) {
		declaration = *function;
		memphis_resolve_to_declaration(&declaration);
	}
	key[0] = declaration.addr;
	key[1] = symbol;
	if (memphis_grow(&qualified->names, &qualified->room, known + 2, sizeof(*qualified->names)))
		return NULL;
	number = memphis_strings_add(&qualified->keys, key, sizeof(key));
	if (number == MEMPHIS_NO_STRING)
		return NULL;
	if (qualified->keys.count != known)
		qualified->names[number] = make_qualified_name(&qualified->scopes, function, symbol);
	return qualified->names[number];
}

static void close_qualified(struct memphis_qualified *qualified)
{
	size_t i;

	for (i = 1; i < qualified->keys.count; i++)
		free(qualified->names[i]);
	memphis_scopes_close(&qualified->scopes);
	memphis_strings_close(&qualified->keys);
	free(qualified->names);
	memset(qualified, 0, sizeof(*qualified));
}

#define DIE_DEPTH_MAX 128
#define NEAR_ROWS_MAX \
	64 /* for code without a line: number of rows before and after it that are searched for a line */

/* A path that DWARF stores relative to the unit's compilation directory, and its full path. */
struct joined_path {
	const char *relative;
	char *whole;
};

struct unit {
	Dwarf_Die skeleton; /* has the address ranges and the line table */
	Dwarf_Die die;      /* has the functions; with split DWARF, it is not the same DIE as `skeleton` */
	bool functions_read;
	bool in_blocks; /* functions inside lexical blocks of other functions were read, too */
	Dwarf_Die *functions;
	size_t function_count, function_room;
	struct memphis_intervals function_index;
	struct joined_path *joined;
	size_t joined_count, joined_room;
};

struct symbol {
	uint64_t low, high;
	const char *name;
};

/* A line that memphis_symbols_add_line() added. */
struct added_line {
	uint64_t low;
	const char *path;
	unsigned int line;
};

struct memphis_lines {
	struct unit *units;
	size_t unit_count, unit_room;
	struct memphis_intervals index; /* finds units by address */
	struct symbol *symbols;
	size_t symbol_count, symbol_room;
	struct memphis_intervals symbol_index;
	struct added_line *added; /* sorted by address */
	size_t added_count, added_room;
	struct memphis_qualified qualified;
};

/* Returns the full path. Prepends the unit's compilation directory to a relative path. */
static const char *absolute_path(struct unit *unit, const char *path)
{
	Dwarf_Attribute attribute;
	struct joined_path *joined;
	const char *directory;
	size_t i;

	if (!path || *path == '/')
		return path;
	for (i = 0; i < unit->joined_count; i++)
		if (unit->joined[i].relative == path)
			return unit->joined[i].whole;
	directory = dwarf_formstring(dwarf_attr(&unit->skeleton, DW_AT_comp_dir, &attribute));
	joined = directory ? memphis_append(unit->joined, unit->joined_count, unit->joined_room) : NULL;
	if (!joined)
		return path;
	if (asprintf(&joined->whole, "%s/%s", directory, path) < 0) {
		unit->joined_count--;
		return path;
	}
	joined->relative = path;
	return joined->whole;
}

static int add_ranges(struct memphis_intervals *index, Dwarf_Die *die, uint32_t value)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0)
		/* Skip functions that the linker discarded. Their address is 0. */
		if (low && memphis_intervals_add(index, low, high, value))
			return -ENOMEM;
	return 0;
}

static int read_units(struct memphis_lines *lines, Dwarf *dwarf)
{
	Dwarf_Die die, split;
	Dwarf_CU *cu = NULL;
	struct unit *unit;
	uint8_t type;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		if (dwarf_tag(&die) != DW_TAG_compile_unit && dwarf_tag(&die) != DW_TAG_skeleton_unit)
			continue;
		unit = memphis_append(lines->units, lines->unit_count, lines->unit_room);
		if (!unit)
			return -ENOMEM;
		unit->skeleton = unit->die = die;
		if (type == DW_UT_skeleton && split.addr)
			unit->die = split;
		if (add_ranges(&lines->index, &die, (uint32_t)lines->unit_count - 1))
			return -ENOMEM;
	}
	memphis_intervals_sort(&lines->index);
	return 0;
}

static int add_symbol(struct memphis_lines *lines, uint64_t low, uint64_t high, const char *name)
{
	struct symbol *symbol = memphis_append(lines->symbols, lines->symbol_count, lines->symbol_room);

	if (!symbol)
		return -ENOMEM;
	*symbol = (struct symbol){low, high, name};
	return memphis_intervals_add(&lines->symbol_index, low, high, (uint32_t)lines->symbol_count - 1);
}

static int read_symbols(struct memphis_lines *lines, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Sym entry;
	Elf_Data *data;
	size_t count, i;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &header) || !header.sh_entsize ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scn, NULL);
		count = data ? data->d_size / header.sh_entsize : 0;
		for (i = 0; i < count && gelf_getsym(data, (int)i, &entry); i++) {
			if ((GELF_ST_TYPE(entry.st_info) != STT_FUNC &&
			     GELF_ST_TYPE(entry.st_info) != STT_GNU_IFUNC) ||
			    entry.st_shndx == SHN_UNDEF)
				continue;
			if (add_symbol(lines, entry.st_value,
				       entry.st_value + (entry.st_size ? entry.st_size : 1),
				       elf_strptr(elf, header.sh_link, entry.st_name)))
				return -ENOMEM;
		}
	}
	return 0;
}

static struct memphis_lines *open_added_lines(struct memphis_binary *binary)
{
	if (!binary->lines)
		binary->lines = calloc(1, sizeof(*binary->lines));
	return binary->lines;
}

int memphis_symbols_add(struct memphis_binary *binary, uint64_t low, uint64_t high, const char *name)
{
	struct memphis_lines *lines = open_added_lines(binary);

	return lines ? add_symbol(lines, low, high, name) : -ENOMEM;
}

int memphis_symbols_add_line(struct memphis_binary *binary, uint64_t low, const char *path, unsigned int line)
{
	struct memphis_lines *lines = open_added_lines(binary);
	struct added_line *added =
		lines ? memphis_append(lines->added, lines->added_count, lines->added_room) : NULL;

	if (!added)
		return -ENOMEM;
	*added = (struct added_line){low, path, line};
	return 0;
}

static int compare_added(const void *a, const void *b)
{
	const struct added_line *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

void memphis_symbols_sort(struct memphis_binary *binary)
{
	struct memphis_lines *lines = binary->lines;

	if (!lines)
		return;
	memphis_intervals_sort(&lines->symbol_index);
	if (lines->added_count)
		qsort(lines->added, lines->added_count, sizeof(*lines->added), compare_added);
}

/* Finds the line of an address among the added lines. The function begins at `low`. */
static void find_added_line(const struct memphis_lines *lines, uint64_t low, uint64_t vaddr,
			    struct memphis_frame *frame)
{
	size_t first = 0, last = lines->added_count, middle;

	while (first < last) {
		middle = first + (last - first) / 2;
		if (lines->added[middle].low <= vaddr)
			first = middle + 1;
		else
			last = middle;
	}
	if (!first || lines->added[first - 1].low < low)
		return;
	frame->path = lines->added[first - 1].path;
	frame->line = lines->added[first - 1].line;
}

static struct memphis_lines *binary_lines(struct memphis_binaries *binaries, struct memphis_binary *binary)
{
	struct memphis_lines *lines = binary->lines;
	Dwarf *dwarf;

	if (lines)
		return lines;
	lines = calloc(1, sizeof(*lines));
	if (!lines)
		return NULL;
	binary->lines = lines;
	pthread_mutex_lock(&binary->lock);
	dwarf = memphis_binary_dwarf(binaries, binary);
	pthread_mutex_unlock(&binary->lock);
	if ((dwarf && read_units(lines, dwarf)) || read_symbols(lines, binary->debug_elf) ||
	    read_symbols(lines, binary->elf)) {
		memphis_symbols_close(binary);
		return NULL;
	}
	memphis_intervals_sort(&lines->symbol_index);
	return lines;
}

void memphis_symbols_close(struct memphis_binary *binary)
{
	struct memphis_lines *lines = binary->lines;
	size_t i, j;

	if (!lines)
		return;
	for (i = 0; i < lines->unit_count; i++) {
		for (j = 0; j < lines->units[i].joined_count; j++)
			free(lines->units[i].joined[j].whole);
		free(lines->units[i].joined);
		free(lines->units[i].functions);
		memphis_intervals_close(&lines->units[i].function_index);
	}
	free(lines->units);
	free(lines->symbols);
	free(lines->added);
	memphis_intervals_close(&lines->index);
	memphis_intervals_close(&lines->symbol_index);
	close_qualified(&lines->qualified);
	free(lines);
	binary->lines = NULL;
}

/* Keeps the smallest range that contains an address. */
static int keep_narrowest(void *context, const struct memphis_interval *interval)
{
	const struct memphis_interval **best = context;

	if (!*best || interval->high - interval->low < (*best)->high - (*best)->low)
		*best = interval;
	return 0;
}

static const struct memphis_interval *find_narrowest(const struct memphis_intervals *index, uint64_t address)
{
	const struct memphis_interval *best = NULL;

	memphis_intervals_find(index, address, keep_narrowest, &best);
	return best;
}

/*
 * Collects the functions of a unit: at top level, in modules, namespaces and classes, and in other functions
 * (Fortran's CONTAINS). If unit->in_blocks is set, also collects functions in lexical blocks: GCC places the
 * body of a parallel region in the block that contains the region.
 */
static int read_functions(struct unit *unit, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die, *function;
	int tag, rc = 0;

	if (depth > DIE_DEPTH_MAX || dwarf_child(parent, &die))
		return 0;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram) {
			function = memphis_append(unit->functions, unit->function_count, unit->function_room);
			if (!function)
				return -ENOMEM;
			*function = die;
			rc = add_ranges(&unit->function_index, &die, (uint32_t)unit->function_count - 1);
		}
		if (!rc && (tag == DW_TAG_subprogram || (unit->in_blocks && tag == DW_TAG_lexical_block) ||
			    tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
			    tag == DW_TAG_structure_type))
			rc = read_functions(unit, &die, depth + 1);
	} while (!rc && !dwarf_siblingof(&die, &die));
	return rc;
}

static void add_frame(struct memphis_location *location, const char *function)
{
	struct memphis_frame *frames = location->frames;

	/* If there are too many frames, ignore the innermost ones. */
	if (location->count == MEMPHIS_FRAMES_MAX)
		return;
	memmove(frames + 1, frames, location->count * sizeof(*frames));
	memset(frames, 0, sizeof(*frames));
	frames->function = function;
	location->count++;
}

static void set_call_site(struct memphis_location *location, struct unit *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_attr(inlined, DW_AT_call_line, &attribute) && !dwarf_formudata(&attribute, &number))
		location->frames->line = (unsigned int)number;
	if (dwarf_attr(inlined, DW_AT_call_column, &attribute) && !dwarf_formudata(&attribute, &number))
		location->frames->column = (unsigned int)number;
	if (dwarf_attr(inlined, DW_AT_call_file, &attribute) && !dwarf_formudata(&attribute, &number) &&
	    !dwarf_getsrcfiles(&unit->skeleton, &files, &count) && number < count)
		location->frames->path = absolute_path(unit, dwarf_filesrc(files, number, NULL, NULL));
}

/* Replaces the DIE by its child (inlined call or lexical block) that contains `vaddr`. Returns false if there is none. */
static bool enter_inlined_scope(Dwarf_Die *at, uint64_t vaddr)
{
	bool found = false;
	Dwarf_Die die;
	int tag;

	if (dwarf_child(at, &die))
		return false;
	do {
		tag = dwarf_tag(&die);
		found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
			dwarf_haspc(&die, vaddr) > 0;
	} while (!found && !dwarf_siblingof(&die, &die));
	if (found)
		*at = die;
	return found;
}

/*
 * Adds a frame for each inlined call that contains `vaddr`, from the outermost to the innermost. Stores the
 * DIE of the innermost function.
 */
static void add_inlined_frames(struct memphis_location *location, struct memphis_lines *lines,
			       struct unit *unit, Dwarf_Die *function, uint64_t vaddr, Dwarf_Die *innermost)
{
	Dwarf_Die at = *function;
	int depth;

	*innermost = at;
	for (depth = 0; depth < DIE_DEPTH_MAX && enter_inlined_scope(&at, vaddr); depth++) {
		if (dwarf_tag(&at) != DW_TAG_inlined_subroutine)
			continue;
		set_call_site(location, unit, &at);
		add_frame(location, dwarf_diename(&at));
		location->frames->qualified = qualified_name(&lines->qualified, &at, NULL);
		*innermost = at;
	}
}

/* Returns true if the instruction belongs to the function or inlined call itself, not to a call inlined into it. */
static bool is_own_code(const Dwarf_Die *function, uint64_t vaddr)
{
	Dwarf_Die at = *function;
	int depth;

	if (dwarf_haspc(&at, vaddr) < 1)
		return false;
	for (depth = 0; depth < DIE_DEPTH_MAX && enter_inlined_scope(&at, vaddr); depth++)
		if (dwarf_tag(&at) == DW_TAG_inlined_subroutine)
			return false;
	return true;
}

/* Returns the name of the function symbol at address `low`, or NULL if no function begins there. */
static const char *find_symbol_name(const struct memphis_lines *lines, uint64_t low)
{
	const struct memphis_interval *range = find_narrowest(&lines->symbol_index, low);

	return range && range->low == low ? lines->symbols[range->value].name : NULL;
}

static int read_all_functions(struct unit *unit)
{
	unit->function_count = 0;
	memphis_intervals_close(&unit->function_index);
	if (read_functions(unit, &unit->die, 0))
		return -ENOMEM;
	memphis_intervals_sort(&unit->function_index);
	unit->functions_read = true;
	return 0;
}

/*
 * Finds the address range of the unit's function that contains `vaddr`. Sets *range to NULL if there is none.
 * Returns 0 or -ENOMEM.
 */
static int find_function_range(struct unit *unit, uint64_t vaddr, const struct memphis_interval **range)
{
	*range = NULL;
	if (!unit->functions_read) {
		unit->in_blocks = memphis_is_fortran(&unit->die);
		if (read_all_functions(unit))
			return -ENOMEM;
	}
	*range = find_narrowest(&unit->function_index, vaddr);
	/* Search the blocks only if necessary, because C++ has many of them. */
	if (*range || unit->in_blocks)
		return 0;
	unit->in_blocks = true;
	if (read_all_functions(unit))
		return -ENOMEM;
	*range = find_narrowest(&unit->function_index, vaddr);
	return 0;
}

static int find_function(struct memphis_lines *lines, struct unit *unit, uint64_t vaddr,
			 struct memphis_location *location, Dwarf_Die *innermost)
{
	const struct memphis_interval *range;
	Dwarf_Die *function;

	if (find_function_range(unit, vaddr, &range))
		return -ENOMEM;
	if (!range)
		return 0;
	function = &unit->functions[range->value];
	location->frames->function = dwarf_diename(function);
	location->frames->qualified =
		qualified_name(&lines->qualified, function, find_symbol_name(lines, range->low));
	location->function_low = range->low;
	location->function_high = range->high;
	add_inlined_frames(location, lines, unit, function, vaddr, innermost);
	return 0;
}

/* Returns the index of the last row with an address not above `vaddr`, or 0. Rows are sorted by address. */
static size_t find_row(Dwarf_Lines *table, size_t count, uint64_t vaddr)
{
	Dwarf_Addr from;
	size_t rows =
		memphis_bisect(i, count, !dwarf_lineaddr(dwarf_onesrcline(table, i), &from) && from <= vaddr);

	return rows ? rows - 1 : 0;
}

/* State of the search for a line near an instruction without a line. */
struct near {
	struct unit *unit;
	const Dwarf_Die *function; /* innermost function, possibly inlined, that contains the instruction */
	Dwarf_Lines *table;
	struct memphis_frame *frame;
	uint64_t distance; /* distance in bytes of the best row so far */
};

/* Uses the row if it has a line, belongs to the same function, and is nearer than the best row so far. */
static void keep_nearest_row(struct near *near, size_t number, uint64_t vaddr)
{
	Dwarf_Line *row = dwarf_onesrcline(near->table, number);
	uint64_t distance;
	Dwarf_Addr from;
	int line;

	if (dwarf_lineaddr(row, &from) || dwarf_lineno(row, &line) || !line)
		return;
	distance = from > vaddr ? from - vaddr : vaddr - from;
	if (distance >= near->distance || !is_own_code(near->function, from))
		return;
	near->frame->near_line = (unsigned int)line;
	near->frame->near_path = absolute_path(near->unit, dwarf_linesrc(row, NULL, NULL));
	near->distance = distance;
}

/* Compilers write line 0 for code that they have merged from several lines (DWARF 5, section 6.2.2). Find a line near it. */
static void find_near_line(struct unit *unit, uint64_t vaddr, const Dwarf_Die *function,
			   struct memphis_frame *frame)
{
	struct near near = {.unit = unit, .function = function, .frame = frame, .distance = UINT64_MAX};
	size_t count, number, at;

	if (!function->addr || dwarf_getsrclines(&unit->skeleton, &near.table, &count) || !count)
		return;
	number = find_row(near.table, count, vaddr);
	for (at = number > NEAR_ROWS_MAX ? number - NEAR_ROWS_MAX : 0;
	     at < count && at <= number + NEAR_ROWS_MAX; at++)
		keep_nearest_row(&near, at, vaddr);
}

/* Finds the line of the innermost frame. */
static void find_line(struct unit *unit, uint64_t vaddr, const Dwarf_Die *function,
		      struct memphis_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->skeleton, vaddr);
	int number, column;

	if (!line || dwarf_lineno(line, &number))
		return;
	frame->line = (unsigned int)number;
	frame->column = dwarf_linecol(line, &column) ? 0 : (unsigned int)column;
	frame->path = absolute_path(unit, dwarf_linesrc(line, NULL, NULL));
	if (!number)
		find_near_line(unit, vaddr, function, frame);
}

static struct unit *find_unit(const struct memphis_lines *lines, uint64_t vaddr)
{
	const struct memphis_interval *range = find_narrowest(&lines->index, vaddr);

	return range ? &lines->units[range->value] : NULL;
}

int memphis_symbols_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			 struct memphis_location *location)
{
	struct memphis_lines *lines = binary_lines(binaries, binary);
	const struct memphis_interval *range;
	Dwarf_Die innermost = {0};
	struct unit *unit;

	memset(location, 0, sizeof(*location));
	location->count = 1;
	if (!lines)
		return -ENOMEM;
	unit = find_unit(lines, vaddr);
	if (unit) {
		if (find_function(lines, unit, vaddr, location, &innermost))
			return -ENOMEM;
		find_line(unit, vaddr, &innermost, &location->frames[0]);
	}
	if (location->frames[location->count - 1].function)
		return 0;
	range = find_narrowest(&lines->symbol_index, vaddr);
	if (range) {
		location->frames[location->count - 1].function = lines->symbols[range->value].name;
		location->frames[location->count - 1].qualified =
			qualified_name(&lines->qualified, NULL, lines->symbols[range->value].name);
		location->function_low = range->low;
		location->function_high = range->high;
		if (!unit)
			find_added_line(lines, range->low, vaddr, &location->frames[0]);
	}
	return 0;
}

int memphis_symbols_find_function(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t vaddr, Dwarf_Die *unit_die, Dwarf_Die *function)
{
	struct memphis_lines *lines = binary_lines(binaries, binary);
	const struct memphis_interval *range;
	struct unit *unit;

	if (!lines)
		return -ENOMEM;
	unit = find_unit(lines, vaddr);
	if (!unit)
		return -ENOENT;
	if (find_function_range(unit, vaddr, &range))
		return -ENOMEM;
	if (!range)
		return -ENOENT;
	*unit_die = unit->die;
	*function = unit->functions[range->value];
	return 0;
}

const char *memphis_symbols_find_file(struct memphis_binaries *binaries, struct memphis_binary *binary,
				      uint64_t vaddr, const char *name)
{
	struct memphis_lines *lines = binary_lines(binaries, binary);
	struct unit *unit = lines ? find_unit(lines, vaddr) : NULL;
	const size_t length = strlen(name);
	const char *path;
	Dwarf_Files *files;
	size_t count, i, bytes;

	if (!unit || dwarf_getsrcfiles(&unit->skeleton, &files, &count))
		return NULL;
	for (i = 0; i < count; i++) {
		path = dwarf_filesrc(files, i, NULL, NULL);
		bytes = path ? strlen(path) : 0;
		if (bytes > length && path[bytes - length - 1] == '/' && !strcmp(path + bytes - length, name))
			return absolute_path(unit, path);
	}
	return NULL;
}

void memphis_symbols_visit_lines(struct memphis_binaries *binaries, struct memphis_binary *binary,
				 uint64_t low, uint64_t high, const char *path,
				 void (*visit)(void *context, uint64_t from, uint64_t to, unsigned int line),
				 void *context)
{
	struct memphis_lines *lines = binary_lines(binaries, binary);
	struct unit *unit = lines ? find_unit(lines, low) : NULL;
	Dwarf_Line *line, *next;
	Dwarf_Lines *table;
	Dwarf_Addr from, to;
	const char *source;
	size_t count, i;
	bool end;
	int number;

	if (!unit || dwarf_getsrclines(&unit->skeleton, &table, &count))
		return;
	for (i = find_row(table, count, low); i + 1 < count; i++) {
		line = dwarf_onesrcline(table, i);
		next = dwarf_onesrcline(table, i + 1);
		if (dwarf_lineaddr(line, &from) || from >= high)
			return;
		if (dwarf_lineaddr(next, &to) || dwarf_lineendsequence(line, &end) || end || to <= low ||
		    from >= to || dwarf_lineno(line, &number))
			continue;
		source = absolute_path(unit, dwarf_linesrc(line, NULL, NULL));
		if (source && !strcmp(source, path))
			visit(context, from < low ? low : from, to > high ? high : to, (unsigned int)number);
	}
}
