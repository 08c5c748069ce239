// SPDX-License-Identifier: BSD-3-Clause
/* Makes short names of DWARF types for reports. */
#include "dwarf/type/type_name.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/type/definitions.h"
#include "dwarf/type/die.h"

#define DEPTH_MAX 32

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	       tag == DW_TAG_atomic_type;
}

/* Returns true for template arguments that reports omit: numbers, and arguments that most programs leave at their defaults. */
static bool is_omitted_argument(const char *argument)
{
	static const char *const prefixes[] = {
		"std::allocator<",      "std::less<",        "std::hash<", "std::equal_to<",
		"std::default_delete<", "std::char_traits<", "true",       "false"};
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(argument, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Appends a template argument. Its own arguments become "<...>". Returns the rest of the text. */
static const char *append_argument(struct memphis_text *text, const char *at, bool shown)
{
	int depth = 0;

	for (; *at && (depth || (*at != ',' && *at != '>')); at++) {
		if (*at == '<' && !depth++ && shown)
			memphis_text_put(text, "<...>");
		depth -= *at == '>';
		if (!depth && *at != '>' && shown && !(*at == ' ' && at[1] == '>'))
			memphis_text_print(text, "%c", *at);
	}
	return at;
}

/* Appends a name with shortened template arguments. */
static void append_short_name(struct memphis_text *text, const char *name)
{
	bool first = true, shown;

	while (*name && *name != '<')
		memphis_text_print(text, "%c", *name++);
	if (!*name++)
		return;
	memphis_text_put(text, "<");
	while (*name && *name != '>') {
		name += strspn(name, ", ");
		shown = !is_omitted_argument(name);
		if (shown && !first)
			memphis_text_put(text, ", ");
		first &= !shown;
		name = append_argument(text, name, shown);
	}
	memphis_text_put(text, text->bytes && text->text[text->bytes - 1] == '>' ? " >" : ">");
	if (*name)
		append_short_name(text, name + 1);
}

static bool is_reserved_name(const char *name)
{
	return *name == '_';
}

/* Appends the namespaces and classes that contain the type. Skips inline namespaces of library versions ("std::__cxx11"). */
static void append_scopes(struct memphis_text *text, Dwarf_Die *type)
{
	Dwarf_Die *scopes = NULL, declaration = *type;
	const char *name;
	int count, tag;

	memphis_type_resolve_to_declaration(&declaration);
	count = dwarf_getscopes_die(&declaration, &scopes);
	/* scopes[0] is the type itself. */
	while (count-- > 1) {
		tag = dwarf_tag(&scopes[count]);
		name = memphis_type_own_name(&scopes[count]);
		if ((tag != DW_TAG_namespace && tag != DW_TAG_class_type && tag != DW_TAG_structure_type) ||
		    !name || is_reserved_name(name))
			continue;
		append_short_name(text, name);
		memphis_text_put(text, "::");
	}
	free(scopes);
}

static void append_named_type(struct memphis_text *text, Dwarf_Die *type)
{
	const char *name = memphis_type_own_name(type);

	if (!name) {
		memphis_text_put(text, "(anonymous)");
		return;
	}
	if (!is_reserved_name(name))
		append_scopes(text, type);
	append_short_name(text, name);
}

/* Returns true if the typedef is the only name of its type. */
static bool names_unnamed_type(Dwarf_Die *name)
{
	Dwarf_Die type;

	return memphis_type_plain(name, &type) && !dwarf_diename(&type) &&
	       (memphis_die_is_structure(&type) || dwarf_tag(&type) == DW_TAG_enumeration_type);
}

static void append_type_name(struct memphis_text *text, const Dwarf_Die *type, unsigned int depth)
{
	Dwarf_Die at = *type, target;
	int tag;

	if (!type->addr || depth == DEPTH_MAX) {
		memphis_text_put(text, type->addr ? "?" : "void");
		return;
	}
	tag = dwarf_tag(&at);
	memphis_type_declared(&at, &target);
	if (memphis_die_is_descriptor(&at)) {
		memphis_text_put(text, "descriptor of ");
		append_type_name(text, &target, depth + 1);
	} else if (memphis_die_is_pointer(&at) || tag == DW_TAG_array_type) {
		append_type_name(text, &target, depth + 1);
		memphis_text_put(text, tag == DW_TAG_array_type ? "[]" : "*");
	} else if (is_qualifier(tag) || (tag == DW_TAG_typedef && !names_unnamed_type(&at))) {
		append_type_name(text, &target, depth + 1);
	} else if (tag == DW_TAG_subroutine_type) {
		memphis_text_put(text, "function");
	} else {
		append_named_type(text, &at);
	}
}

void memphis_type_put_name(struct memphis_text *text, const Dwarf_Die *type)
{
	append_type_name(text, type, 0);
}
