// SPDX-License-Identifier: BSD-3-Clause
/* Reads the static variables of a binary from its DWARF, and from the symbol table if DWARF lacks them. */
#include "dwarf/variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "dwarf/demangle.h"
#include "dwarf/scopes.h"
#include "dwarf/static_places.h"
#include "dwarf/type/types.h"

/*
 * ---- layout of COMMON blocks whose members have no locations in DWARF ----
 * With optimization, gfortran writes no locations for threadprivate blocks. The offsets of the members are
 * then computed here.
 */

#define DEPTH_MAX    32
#define BLANK_COMMON "__BLNK__" /* symbol of the COMMON block without a name */

/*
 * Returns the symbol of a COMMON block whose members have no locations, or NULL if they have. For the blank
 * block, the name that gfortran gives it is the symbol.
 */
static const char *common_block_symbol(Dwarf_Die *block)
{
	Dwarf_Attribute attribute;
	const char *linkage;
	Dwarf_Die member;

	if (dwarf_child(block, &member))
		return NULL;
	do {
		if (dwarf_tag(&member) == DW_TAG_variable && dwarf_hasattr(&member, DW_AT_location))
			return NULL;
	} while (!dwarf_siblingof(&member, &member));
	linkage = dwarf_formstring(dwarf_attr(block, DW_AT_linkage_name, &attribute));
	return linkage ? linkage : dwarf_diename(block);
}

#define SCOPE_DEPTH_MAX 64 /* maximum nesting of DIEs */

struct walk {
	struct memphis_variables *variables;
	bool fortran;
	struct memphis_text scope; /* enclosing scopes, "module::" or "/block/" */
	/* `in_function`: inside a function. `in_nameless`: inside a function that the debug information does not name. */
	bool in_function, in_nameless;
	bool in_elsewhere; /* inside a function that gets its scopes from its declaration */
	struct memphis_scopes *scopes;
	const struct memphis_thread_symbols *thread_symbols;
	int rc;
};

struct found {
	uint64_t address, bytes;
	uint64_t part; /* offset of this part in the variable */
	bool fortran, tls;
	Dwarf_Die die;
	const char *symbol, *file; /* set for a symbol without DWARF */
	bool nameless;
};

static int add_variable(struct memphis_variables *variables, const struct found *found, const char *scope,
			const char *name)
{
	uint64_t end = found->address + found->bytes;
	struct memphis_static *variable;

	variable = memphis_append(variables->list, variables->count, variables->room);
	if (!variable)
		return -ENOMEM;
	variable->low = found->address;
	variable->start = found->address - found->part;
	variable->high = end < found->address ? UINT64_MAX : end;
	variable->die = found->die;
	variable->fortran = found->fortran;
	variable->tls = found->tls;
	variable->symbol = found->symbol;
	variable->file = found->file;
	variable->nameless = found->nameless;
	variable->common = false;
	variable->short_name = strdup(name);
	if (!variable->short_name || asprintf(&variable->name, "%s%s", scope, name) < 0) {
		free(variable->short_name);
		variables->count--;
		return -ENOMEM;
	}
	return 0;
}

/* Returns true if the DIE refers to a separate declaration. The variable then gets the scopes of that declaration. */
static bool is_defined_elsewhere(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_specification) || dwarf_hasattr(die, DW_AT_abstract_origin);
}

/*
 * Returns true if the declaration is in a Fortran unit. With -flto, the units that contain the code have no
 * language. The declarations are in the units of the source files.
 */
static bool is_declared_in_fortran(Dwarf_Die *die)
{
	Dwarf_Die declaration = *die, unit;

	memphis_resolve_to_declaration(&declaration);
	return dwarf_diecu(&declaration, &unit, NULL, NULL) && memphis_is_fortran(&unit);
}

/*
 * Returns the malloc'ed name of an instance of a variable template: "table<float>". Compilers write the
 * template arguments only into the linkage name.
 */
static char *name_template(Dwarf_Die *die, const char *name)
{
	Dwarf_Attribute attribute;
	const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	const size_t bytes = strlen(name);
	char *clear = NULL, *own = NULL;
	size_t scope;

	if (linkage && !strncmp(linkage, "_Z", 2) && strchr(linkage, 'I'))
		clear = memphis_demangle_variable(linkage, false, &scope);
	if (clear && !strncmp(clear + scope, name, bytes) && clear[scope + bytes] == '<')
		own = strdup(clear + scope);
	free(clear);
	return own;
}

/* Adds the variable at its locations. If there are several, each becomes an entry for a part of the variable. */
static void add_places(struct walk *walk, struct found *found, const char *scope, const char *name,
		       const struct memphis_static_place *places, size_t count)
{
	const uint64_t whole = memphis_type_bytes(&found->die, found->fortran);
	size_t i;

	for (i = 0; !walk->rc && i < count; i++) {
		found->address = places[i].address;
		found->bytes = places[i].bytes ? places[i].bytes : whole;
		found->part = places[i].part;
		found->tls = places[i].tls;
		walk->rc = add_variable(walk->variables, found, scope, name);
	}
}

static void walk_variable(struct walk *walk, Dwarf_Die *die)
{
	struct found found = {.fortran = walk->fortran, .die = *die, .nameless = walk->in_nameless};
	struct memphis_static_place places[MEMPHIS_STATIC_PARTS_MAX];
	const size_t count = memphis_static_places_read(die, walk->thread_symbols, places);
	const bool elsewhere = is_defined_elsewhere(die);
	const char *name = dwarf_diename(die);
	struct memphis_text scope = {0};
	char *template;

	if (!count)
		return;
	if (elsewhere)
		found.fortran = is_declared_in_fortran(die);
	if (elsewhere || walk->in_elsewhere)
		memphis_put_scopes(walk->scopes, &scope, die);
	else
		memphis_text_put(&scope, walk->scope.bytes ? walk->scope.text : "");
	/* The scope contains a lambda without a number. gcc writes the number only into the symbol. */
	found.nameless |= !scope.failed && strstr(scope.text, "{lambda}");
	template = name_template(die, name);
	if (scope.failed)
		walk->rc = -ENOMEM;
	else
		add_places(walk, &found, scope.text, template ? template : name, places, count);
	memphis_text_close(&scope);
	free(template);
}

static void keep_common_block(struct walk *walk, const Dwarf_Die *block)
{
	struct memphis_variables *variables = walk->variables;
	Dwarf_Die *kept = memphis_append(variables->commons, variables->common_count, variables->common_room);

	if (kept)
		*kept = *block;
	else
		walk->rc = -ENOMEM;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, unsigned int depth);

/* COMMON blocks are global, so their names do not contain the procedure that declares them. */
static void walk_common_block(struct walk *walk, Dwarf_Die *block, unsigned int depth)
{
	const struct memphis_text outer = walk->scope;

	memset(&walk->scope, 0, sizeof(walk->scope));
	memphis_put_common(&walk->scope, block);
	if (common_block_symbol(block))
		keep_common_block(walk, block);
	if (!walk->rc)
		walk_children(walk, block, depth);
	memphis_text_close(&walk->scope);
	walk->scope = outer;
}

static void walk_function(struct walk *walk, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	bool is_outlined;
	char *clear = memphis_demangle_function(name, &is_outlined);

	if (name)
		memphis_text_print(&walk->scope, "%s::", clear ? clear : name);
	walk->in_function = true;
	walk->in_nameless |= !name;
	walk->in_elsewhere |= is_outlined || is_defined_elsewhere(die);
	free(clear);
}

static void walk_die(struct walk *walk, Dwarf_Die *die, unsigned int depth)
{
	const bool in_elsewhere = walk->in_elsewhere, in_function = walk->in_function,
		   in_nameless = walk->in_nameless;
	const size_t outer = walk->scope.bytes;
	const char *name;

	switch (dwarf_tag(die)) {
	case DW_TAG_variable:
		walk_variable(walk, die);
		return;
	case DW_TAG_module:
		name = dwarf_diename(die);
		memphis_text_print(&walk->scope, "%s::", name ? name : "?");
		break;
	case DW_TAG_subprogram:
		walk_function(walk, die);
		break;
	case DW_TAG_namespace:
		name = dwarf_diename(die);
		memphis_text_print(&walk->scope, "%s::", name ? name : "(anonymous namespace)");
		break;
	case DW_TAG_common_block:
		walk_common_block(walk, die, depth + 1);
		return;
	case DW_TAG_lexical_block:
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		/* Skip classes outside of functions. Their functions are defined outside the class. */
		if (!walk->in_function)
			return;
		walk->in_elsewhere = true;
		break;
	default:
		return;
	}
	walk_children(walk, die, depth + 1);
	walk->in_elsewhere = in_elsewhere;
	walk->in_function = in_function;
	walk->in_nameless = in_nameless;
	memphis_text_cut(&walk->scope, outer);
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;

	if (walk->scope.failed)
		walk->rc = -ENOMEM;
	if (walk->rc || depth > SCOPE_DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		walk_die(walk, &die, depth);
	} while (!walk->rc && !dwarf_siblingof(&die, &die));
}

/* Returns true if the unit has a language. Partial units, which dwz makes, have none. */
static bool has_language(Dwarf_Die *unit)
{
	return dwarf_srclang(unit) >= 0;
}

static bool begins_in_fortran(Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
		if (has_language(&die))
			return memphis_is_fortran(&die);
	return false;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Records the source file of the unit, and whether its compiler writes no debug information for COMMON blocks. */
static void note_unit(struct walk *walk, Dwarf_Die *unit)
{
	struct memphis_variables *variables = walk->variables;
	const char *name = dwarf_diename(unit), *producer, **kept;
	Dwarf_Attribute attribute;

	if (walk->fortran) {
		variables->has_fortran = true;
		producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
		variables->lacks_commons |= producer && strstr(producer, "flang");
	}
	if (!name)
		return;
	kept = memphis_append(variables->units, variables->unit_count, variables->unit_room);
	if (kept)
		*kept = memphis_basename(name);
	else
		walk->rc = -ENOMEM;
}

static int read_dwarf(struct memphis_variables *variables, Dwarf *dwarf, struct memphis_scopes *scopes,
		      const struct memphis_thread_symbols *thread_symbols)
{
	struct walk walk = {.variables = variables, .scopes = scopes, .thread_symbols = thread_symbols};
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t unit;

	walk.fortran = begins_in_fortran(dwarf);
	memphis_text_put(&walk.scope, "");
	while (!walk.rc && dwarf_get_units(dwarf, cu, &cu, NULL, &unit, &die, &split) == 0) {
		if (unit == DW_UT_skeleton && split.addr)
			die = split;
		if (dwarf_tag(&die) != DW_TAG_compile_unit && dwarf_tag(&die) != DW_TAG_partial_unit)
			continue;
		if (has_language(&die))
			walk.fortran = memphis_is_fortran(&die);
		note_unit(&walk, &die);
		walk_children(&walk, &die, 0);
		variables->has_dwarf = true;
	}
	memphis_text_close(&walk.scope);
	memphis_sort(variables->units, variables->unit_count, compare_texts);
	return walk.rc;
}

/* Adds a variable that is known only by its symbol. `file` is its source file, or NULL if unknown. */
static int add_symbol(struct memphis_variables *variables, const char *name, const GElf_Sym *symbol, bool tls,
		      const char *file)
{
	struct found found = {.address = symbol->st_value,
			      .bytes = symbol->st_size,
			      .tls = tls,
			      .symbol = name,
			      .file = file};
	size_t scope_bytes = 0;
	char *clear = memphis_demangle_fortran(name, &scope_bytes), *scope;
	int rc = -ENOMEM;

	found.fortran = clear != NULL;
	if (!clear)
		clear = memphis_demangle_variable(name, true, &scope_bytes);
	if (!clear)
		return add_variable(variables, &found, "", name);
	scope = strndup(clear, scope_bytes);
	if (scope)
		rc = add_variable(variables, &found, scope, clear + scope_bytes);
	free(scope);
	free(clear);
	return rc;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct memphis_static *x = a, *y = b;

	return memphis_order(x->tls, y->tls) ?:
	       memphis_order(x->low, y->low) ?:
	       memphis_order(x->high, y->high);
}

/*
 * Returns true if the variable gets the size of its symbol, because the size in DWARF is missing or too
 * small. DWARF has no size for arrays of unknown length. flang describes scalar pointers without the rest of
 * their descriptor, and flang 19 gives derived types a smaller type. A member of a COMMON block may begin at
 * the symbol of the block, but its name differs.
 */
static bool takes_size_of_symbol(const struct memphis_static *one, const char *name, uint64_t bytes)
{
	Dwarf_Attribute attribute;
	Dwarf_Die die = one->die;
	const char *linkage;

	if (one->high == one->low)
		return true;
	if (!one->fortran || one->high - one->low >= bytes)
		return false;
	linkage = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute));
	return linkage && !strcmp(linkage, name);
}

/*
 * Returns true if a variable from DWARF covers the symbol. The first `dwarf_count` variables are from DWARF,
 * and sorted by compare_addresses().
 */
static bool is_known_from_dwarf(struct memphis_variables *variables, size_t dwarf_count, const char *name,
				const GElf_Sym *symbol, bool tls)
{
	struct memphis_static key = {.low = symbol->st_value, .tls = tls};
	size_t at = memphis_bisect(i, dwarf_count, compare_addresses(&variables->list[i], &key) < 0);
	struct memphis_static *one;
	bool known = false;

	for (; at < dwarf_count; at++) {
		one = &variables->list[at];
		if (one->low != key.low || one->tls != key.tls)
			break;
		if (takes_size_of_symbol(one, name, symbol->st_size))
			one->high = one->low + symbol->st_size;
		one->symbol = name;
		known |= one->high >= one->low + symbol->st_size;
	}
	return known;
}

/*
 * Returns true if the file name, which is from a symbol table, is a source file in a language other than
 * Fortran. Some linkers, and link-time optimization, write names that are not source files.
 */
static bool is_other_source(const char *file)
{
	static const char *const endings[] = {"c", "cc", "cpp", "cxx", "C", "s", "S", "rs", "d", "go", NULL};
	const char *dot = file ? strrchr(file, '.') : NULL;
	size_t i;

	for (i = 0; dot && endings[i]; i++)
		if (!strcmp(dot + 1, endings[i]))
			return true;
	return false;
}

/*
 * Records whether the file, which is from a symbol table, may have variables that DWARF lacks. Ignores the
 * compiler's start files, which have none.
 */
static void note_file(struct memphis_variables *variables, const char *file)
{
	size_t at;

	if (!is_other_source(file) || !strcmp(file, "crtstuff.c"))
		return;
	file = memphis_basename(file);
	at = memphis_bisect(i, variables->unit_count, compare_texts(&variables->units[i], &file) < 0);
	variables->lacks_others |= at == variables->unit_count || strcmp(variables->units[at], file) != 0;
}

static int read_symbols(struct memphis_variables *variables, Elf *elf, size_t dwarf_count,
			const struct memphis_thread_symbols *thread_symbols)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;
	const char *name, *file;
	size_t i, count;
	int type, rc = 0;
	bool tls;

	while (!rc && elf && (scn = elf_nextscn(elf, scn))) {
		file = NULL;
		if (!gelf_getshdr(scn, &header) || !header.sh_entsize ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(scn, NULL);
		count = data ? data->d_size / header.sh_entsize : 0;
		for (i = 0; !rc && i < count && gelf_getsym(data, (int)i, &symbol); i++) {
			type = GELF_ST_TYPE(symbol.st_info);
			/* In a symbol table, the local symbols of a source file follow its name. */
			if (type == STT_FILE) {
				file = elf_strptr(elf, header.sh_link, symbol.st_name);
				note_file(variables, file);
			}
			if ((type != STT_OBJECT && type != STT_COMMON && type != STT_TLS) ||
			    symbol.st_shndx == SHN_UNDEF || !symbol.st_size)
				continue;
			name = elf_strptr(elf, header.sh_link, symbol.st_name);
			variables->has_symbols = true;
			tls = memphis_thread_symbol_offset(thread_symbols, elf, &symbol);
			if (!name || !*name ||
			    is_known_from_dwarf(variables, dwarf_count, name, &symbol, tls))
				continue;
			rc = add_symbol(variables, name, &symbol, tls,
					GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? file : NULL);
		}
	}
	return rc;
}

/* Returns the alignment of the type in bytes, or 0 if it is unknown. */
static uint64_t type_alignment(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;
	int depth, bytes;

	for (depth = 0; dwarf_tag(type) == DW_TAG_array_type; depth++)
		if (depth == DEPTH_MAX || !memphis_type_of(type, type))
			return 0;
	if (dwarf_tag(type) == DW_TAG_string_type)
		return 1;
	bytes = dwarf_bytesize(type);
	if (dwarf_tag(type) != DW_TAG_base_type || bytes <= 0 ||
	    !dwarf_attr(type, DW_AT_encoding, &attribute) || dwarf_formudata(&attribute, &encoding))
		return 0;
	/* A complex number has the alignment of its real part. */
	if (encoding == DW_ATE_complex_float)
		bytes /= 2;
	return (uint64_t)bytes;
}

/*
 * Computes the layout of a COMMON block: members are in the order of declaration, each aligned as its type
 * requires. Sets *end to the end of the last member, or to 0 if it is unknown. Adds the members as variables,
 * unless `symbol` is NULL. `symbol` gives the address of the block.
 */
static int read_members(struct memphis_variables *variables, Dwarf_Die *block, const char *scope,
			const struct memphis_static *symbol, uint64_t *end)
{
	struct found found = {.fortran = true};
	uint64_t alignment;
	const char *name;
	Dwarf_Die type;
	int rc = 0;

	*end = 0;
	if (dwarf_child(block, &found.die))
		return 0;
	do {
		found.bytes =
			dwarf_tag(&found.die) == DW_TAG_variable ? memphis_type_bytes(&found.die, true) : 0;
		alignment = found.bytes && memphis_type_of(&found.die, &type) ? type_alignment(&type) : 0;
		if (!alignment) {
			*end = 0;
			return 0;
		}
		*end = (*end + alignment - 1) / alignment * alignment;
		name = dwarf_diename(&found.die);
		if (symbol && name) {
			found.address = symbol->low + *end;
			found.tls = symbol->tls;
			rc = add_variable(variables, &found, scope, name);
		}
		*end += found.bytes;
	} while (!rc && !dwarf_siblingof(&found.die, &found.die));
	return rc;
}

/*
 * Adds the members of COMMON blocks for which DWARF has no locations. The symbol of a block gives its
 * address. If the computed size differs from the size of the symbol, the layout is regarded as wrong and not
 * used.
 */
static int place_common_blocks(struct memphis_variables *variables)
{
	size_t count = variables->count, i, j;
	struct memphis_static symbol;
	char scope[256];
	const char *name;
	uint64_t end;
	int rc = 0;

	for (i = 0; i < variables->common_count; i++) {
		name = dwarf_diename(&variables->commons[i]);
		snprintf(scope, sizeof(scope), "/%s/", name && strcmp(name, BLANK_COMMON) ? name : "");
		name = common_block_symbol(&variables->commons[i]);
		for (j = 0; !rc && j < count; j++) {
			/* Copy the entry, because the list may be moved when it grows. */
			symbol = variables->list[j];
			if (symbol.die.addr || strcmp(symbol.symbol, name))
				continue;
			variables->list[j].common = true;
			read_members(variables, &variables->commons[i], scope, NULL, &end);
			if (end && end == symbol.high - symbol.low)
				rc = read_members(variables, &variables->commons[i], scope, &symbol, &end);
		}
	}
	free(variables->commons);
	variables->commons = NULL;
	return rc;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(struct memphis_static *const *)a)->name, (*(struct memphis_static *const *)b)->name);
}

/*
 * Returns the length of the symbol without the number at its end: the length of "step.seen" for
 * "step.seen.3". clang appends the number to distinguish variables with the same name in a function.
 */
static size_t length_without_number(const char *symbol)
{
	const char *point = strrchr(symbol, '.');

	return point && point[1] && !point[1 + strspn(point + 1, "0123456789")] ? (size_t)(point - symbol)
										: strlen(symbol);
}

/*
 * Names the variable by its symbol, such as "_ZZ4stepiE4seen" in C++ or "step.seen" in C (clang). Does so
 * only if the last name remains the same. With `signatures`, function names get their parameters.
 */
static void name_by_symbol(struct memphis_static *one, bool signatures)
{
	const size_t own = strlen(one->short_name);
	const char *symbol = one->symbol ? one->symbol : "";
	const size_t bytes = length_without_number(symbol);
	char *clear = NULL;
	size_t scope = 0;

	if (!strncmp(symbol, "_Z", 2))
		clear = memphis_demangle_variable(symbol, signatures, &scope);
	else if (bytes > own + 1 && symbol[bytes - own - 1] == '.' &&
		 !strncmp(symbol + bytes - own, one->short_name, own) &&
		 asprintf(&clear, "%.*s::%s", (int)(bytes - own - 1), symbol, one->short_name) >= 0)
		scope = bytes - own + 1;
	if (clear && !strcmp(clear + scope, one->short_name)) {
		free(one->name);
		one->name = clear;
	} else {
		free(clear);
	}
}

/*
 * Returns true if the symbol is a COMMON block. This is so if DWARF says it. Otherwise the compiler must be
 * one that does not describe COMMON blocks, and DWARF must describe all sources in other languages: their
 * symbols may also end with "_".
 */
static bool is_common_block(const struct memphis_variables *variables, const struct memphis_static *one)
{
	const size_t bytes = strlen(one->symbol);

	if (one->symbol[bytes - 1] != '_' || strpbrk(one->symbol, ".$") || is_other_source(one->file))
		return false;
	return one->common || (!one->fortran && variables->lacks_commons && !variables->lacks_others);
}

/*
 * Names Fortran symbols that contain several variables for which DWARF has no locations. These are COMMON
 * blocks of flang, which writes no debug information for them, and variables in an EQUIVALENCE after
 * link-time optimization by gfortran.
 */
static int name_blocks(struct memphis_variables *variables)
{
	struct memphis_static *one;
	char *name = NULL;
	size_t i;
	int rc = 0;

	for (i = 0; rc >= 0 && variables->has_fortran && i < variables->count; i++) {
		one = &variables->list[i];
		if (one->die.addr || !one->symbol || !*one->symbol)
			continue;
		if (!strncmp(one->symbol, "equiv.", 6) && !is_other_source(one->file))
			rc = asprintf(&name, "<part of an EQUIVALENCE>");
		else if (!strcmp(one->symbol, BLANK_COMMON))
			rc = asprintf(&name, "<part of //>");
		else if (is_common_block(variables, one))
			rc = asprintf(&name, "<part of /%.*s/>", (int)(strlen(one->symbol) - 1), one->symbol);
		if (rc >= 0 && name) {
			free(one->name);
			one->name = name;
			name = NULL;
		}
	}
	free(variables->units);
	variables->units = NULL;
	return rc < 0 ? -ENOMEM : 0;
}

/* Returns true if only the symbol is known, and the symbol begins with the name, such as "seen.0" for "seen". */
static bool has_own_symbol(const struct memphis_static *one)
{
	return !one->die.addr && one->symbol && !strncmp(one->symbol, one->name, strlen(one->name));
}

/* Gives the variable a name that distinguishes it from others: with the parameters of its function, or its symbol. */
static void use_distinct_name(struct memphis_static *one)
{
	char *symbol;

	if (one->die.addr) {
		name_by_symbol(one, true);
		return;
	}
	symbol = strdup(one->symbol);
	if (!symbol)
		return;
	free(one->name);
	one->name = symbol;
}

/*
 * Distinguishes variables that have the same name. In overloaded functions, the parameters of the function
 * are added. In C functions without debug information, the whole symbol is used, which has a number.
 */
static int disambiguate_names(struct memphis_variables *variables)
{
	struct memphis_static **list = malloc((variables->count + 1) * sizeof(*list)), *one;
	size_t count = 0, first, end, i;
	bool several;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < variables->count; i++) {
		one = &variables->list[i];
		if (one->nameless)
			name_by_symbol(one, false);
		if (has_own_symbol(one) ||
		    (one->die.addr && !one->fortran && strcmp(one->name, one->short_name) != 0))
			list[count++] = one;
	}
	qsort(list, count, sizeof(*list), compare_names);
	for (first = 0; first < count; first = end) {
		several = false;
		for (end = first + 1; end < count && !strcmp(list[first]->name, list[end]->name); end++)
			several |= list[end]->low != list[first]->low;
		for (i = first; several && i < end; i++)
			use_distinct_name(list[i]);
	}
	free(list);
	return 0;
}

static void mark_without_overlap(struct memphis_variables *variables, const struct memphis_intervals *index)
{
	const struct memphis_interval *list = index->list;
	size_t count = index->count, i;
	uint64_t end = 0;

	for (i = 0; i < count; i++) {
		variables->list[list[i].value].alone =
			list[i].low >= end && (i + 1 == count || list[i + 1].low >= list[i].high);
		if (list[i].high > end)
			end = list[i].high;
	}
}

static int build_variables(struct memphis_binaries *binaries, struct memphis_binary *binary,
			   struct memphis_variables *variables)
{
	Dwarf *dwarf = memphis_binary_dwarf(binaries, binary);
	struct memphis_thread_symbols thread_symbols = {0};
	struct memphis_static *variable;
	size_t dwarf_count, i;
	int rc;

	rc = memphis_thread_symbols_add(&thread_symbols, binary->debug_elf);
	if (!rc)
		rc = memphis_thread_symbols_add(&thread_symbols, binary->elf);
	if (!rc && dwarf)
		rc = read_dwarf(variables, dwarf, &binary->scopes, &thread_symbols);
	dwarf_count = variables->count;
	memphis_sort(variables->list, dwarf_count, compare_addresses);
	if (!rc)
		rc = read_symbols(variables, binary->debug_elf, dwarf_count, &thread_symbols);
	if (!rc)
		rc = read_symbols(variables, binary->elf, dwarf_count, &thread_symbols);
	memphis_thread_symbols_close(&thread_symbols);
	if (!rc)
		rc = place_common_blocks(variables);
	if (!rc)
		rc = name_blocks(variables);
	if (!rc)
		rc = disambiguate_names(variables);
	for (i = 0; !rc && i < variables->count; i++) {
		variable = &variables->list[i];
		/* Assume a size of at least one word. In stripped binaries, the size of descriptors is not recorded. */
		if (variable->high == variable->low)
			variable->high = variable->low + 8;
		if (memphis_intervals_add(variable->tls ? &variables->tls_index : &variables->index,
					  variable->low, variable->high, (uint32_t)i))
			rc = -ENOMEM;
	}
	memphis_intervals_sort(&variables->index);
	memphis_intervals_sort(&variables->tls_index);
	mark_without_overlap(variables, &variables->index);
	mark_without_overlap(variables, &variables->tls_index);
	return rc;
}

static void close_variables(struct memphis_variables *variables)
{
	size_t i;

	for (i = 0; i < variables->count; i++) {
		free(variables->list[i].name);
		free(variables->list[i].short_name);
	}
	free(variables->list);
	free(variables->commons);
	free(variables->units);
	memphis_intervals_close(&variables->index);
	memphis_intervals_close(&variables->tls_index);
	free(variables);
}

const struct memphis_variables *memphis_variables_of(struct memphis_binaries *binaries,
						     struct memphis_binary *binary)
{
	struct memphis_variables *variables = __atomic_load_n(&binary->variables, __ATOMIC_ACQUIRE);

	if (variables)
		return variables;
	pthread_mutex_lock(&binary->lock);
	variables = binary->variables;
	if (!variables) {
		variables = calloc(1, sizeof(*variables));
		if (variables && build_variables(binaries, binary, variables)) {
			close_variables(variables);
			variables = NULL;
		}
		__atomic_store_n(&binary->variables, variables, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&binary->lock);
	return variables;
}

void memphis_variables_close(struct memphis_binary *binary)
{
	if (binary->variables)
		close_variables(binary->variables);
	binary->variables = NULL;
}

struct search {
	const struct memphis_variables *variables;
	const struct memphis_static *best;
};

static int keep_smaller(void *context, const struct memphis_interval *interval)
{
	struct search *search = context;
	const struct memphis_static *one = &search->variables->list[interval->value], *best = search->best;

	if (!best || (!best->die.addr && one->die.addr) ||
	    (!best->die.addr == !one->die.addr && one->high - one->low < best->high - best->low))
		search->best = one;
	return 0;
}

const struct memphis_static *memphis_variables_find(const struct memphis_variables *variables, uint64_t vaddr)
{
	struct search search = {variables, NULL};

	memphis_intervals_find(&variables->index, vaddr, keep_smaller, &search);
	return search.best;
}

const struct memphis_static *memphis_variables_find_tls(const struct memphis_variables *variables,
							uint64_t offset)
{
	struct search search = {variables, NULL};

	memphis_intervals_find(&variables->tls_index, offset, keep_smaller, &search);
	return search.best;
}
