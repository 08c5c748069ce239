// SPDX-License-Identifier: BSD-3-Clause
/*
 * Demangles Rust names. The legacy scheme is the C++ scheme with a hash as last name, and escapes for
 * characters that C++ does not allow (rustc_symbol_mangling/src/legacy.rs). "v0" has its own grammar (RFC
 * 2603).
 */
#include "dwarf/demangle_rust.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- the legacy scheme ---- */

#define HASH_BYTES 17 /* length of "h" and 16 hexadecimal digits */

static bool is_hash(const char *name, size_t bytes)
{
	return bytes == HASH_BYTES && *name == 'h' && strspn(name + 1, "0123456789abcdef") >= HASH_BYTES - 1;
}

/* Returns the next name in "4main4work", and moves *at after it. Returns NULL if there is none. */
static const char *read_legacy_name(const char **at, size_t *bytes)
{
	const char *name;
	char *end;

	if (!isdigit((unsigned char)**at))
		return NULL;
	*bytes = strtoul(*at, &end, 10);
	name = end;
	if (!*bytes || strnlen(name, *bytes) < *bytes)
		return NULL;
	*at = name + *bytes;
	return name;
}

/* Returns the length of a legacy symbol, whose last name must be a hash. Returns 0 for other symbols. */
static size_t legacy_symbol_bytes(const char *symbol)
{
	const char *at = symbol + 3, *name, *last = NULL;
	size_t bytes = 0;

	if (strncmp(symbol, "_ZN", 3))
		return 0;
	while ((name = read_legacy_name(&at, &bytes)))
		last = name;
	return last && *at == 'E' && is_hash(last, (size_t)(at - last)) ? (size_t)(at + 1 - symbol) : 0;
}

/* Appends the character for an escape such as "$LT$" or "$u20$". Returns the length of the escape, or 0 if there is none. */
static size_t append_escape(struct memphis_text *text, const char *at, const char *end)
{
	static const struct {
		const char *escape, *character;
	} escapes[] = {{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"},
		       {"$GT$", ">"}, {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","}};
	size_t i, bytes;
	char character;
	char *stop;

	for (i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		bytes = strlen(escapes[i].escape);
		if ((size_t)(end - at) < bytes || memcmp(at, escapes[i].escape, bytes))
			continue;
		memphis_text_put(text, escapes[i].character);
		return bytes;
	}
	if (end - at < 4 || at[1] != 'u')
		return 0;
	character = (char)strtoul(at + 2, &stop, 16);
	if (*stop != '$' || stop >= end || stop > at + 4 || character < ' ' || character > '~')
		return 0;
	memphis_text_add(text, &character, 1);
	return (size_t)(stop + 1 - at);
}

/* Appends a name and replaces its escapes. "{{closure}}" becomes "{closure}". */
static void append_unescaped(struct memphis_text *text, const char *at, const char *end)
{
	static const char closure[] = "$u7b$$u7b$", closed[] = "$u7d$$u7d$";
	const size_t braces = sizeof(closure) - 1;
	size_t bytes;

	/* Skip the underscore that precedes an escape at the start of a name. */
	if (end - at > 1 && at[0] == '_' && at[1] == '$')
		at++;
	while (at < end) {
		bytes = 0;
		if ((size_t)(end - at) >= braces &&
		    (!memcmp(at, closure, braces) || !memcmp(at, closed, braces)))
			at += braces / 2;
		if (*at == '$')
			bytes = append_escape(text, at, end);
		if (at[0] == '.' && at + 1 < end && at[1] == '.') {
			memphis_text_put(text, "::");
			bytes = 2;
		}
		if (!bytes) {
			memphis_text_add(text, at, 1);
			bytes = 1;
		}
		at += bytes;
	}
}

/*
 * Converts a legacy name to the form of v0. "<impl T>" or "<impl Trait for T>" after a module contains
 * functions of a type from another module. The module and this part become "T" or "<T as Trait>".
 */
static void replace_impl_block(struct memphis_text *text)
{
	char *name = text->failed ? NULL : strdup(text->text), *start = name, *last, *separator;

	for (last = name; last && (last = strstr(last, "<impl ")); last++)
		if (last == name || last[-1] == ':')
			start = last;
	if (start && start != name + text->bytes && !strncmp(start, "<impl ", 6) &&
	    name[text->bytes - 1] == '>') {
		start += strlen("<impl ");
		name[text->bytes - 1] = '\0';
		memphis_text_cut(text, 0);
		separator = strstr(start, " for ");
		if (separator)
			memphis_text_print(text, "<%s as %.*s>", separator + strlen(" for "),
					   (int)(separator - start), start);
		else
			memphis_text_put(text, start);
	}
	free(name);
}

static char *demangle_legacy(const char *symbol)
{
	struct memphis_text text = {0};
	const char *at = symbol + 3, *name;
	size_t bytes;

	memphis_text_put(&text, "");
	while ((name = read_legacy_name(&at, &bytes))) {
		if (is_hash(name, bytes) && *at == 'E')
			break;
		if (text.bytes)
			memphis_text_put(&text, "::");
		append_unescaped(&text, name, name + bytes);
		replace_impl_block(&text);
	}
	if (text.failed)
		memphis_text_close(&text);
	return text.text;
}

/* ---- v0 ---- */

#define DEPTH_MAX 100
/* Maximum number of paths and types in a symbol, including those reached by back references. */
#define ITEMS_MAX 2000

struct reader {
	const char *start, *at; /* back references are offsets from `start` */
	struct memphis_text *text;
	unsigned int depth, items;
	bool failed;
};

static bool accept_character(struct reader *reader, char c)
{
	if (*reader->at != c)
		return false;
	reader->at++;
	return true;
}

/* Reads a number in base 62: "_" is 0, "0_" is 1. */
static uint64_t read_number(struct reader *reader)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *digit;
	uint64_t value = 0;

	if (accept_character(reader, '_'))
		return 0;
	while (*reader->at && (digit = strchr(digits, *reader->at))) {
		value = value * 62 + (uint64_t)(digit - digits);
		reader->at++;
	}
	reader->failed |= !accept_character(reader, '_');
	return value + 1;
}

/* Reads a name, which may be empty, and stores its start and length. Names with non-ASCII characters remain encoded. */
static void read_name(struct reader *reader, const char **name, size_t *bytes)
{
	char *end;

	if (accept_character(reader, 's'))
		read_number(reader);
	accept_character(reader, 'u');
	*bytes = 0;
	*name = reader->at;
	if (!isdigit((unsigned char)*reader->at)) {
		reader->failed = true;
		return;
	}
	*bytes = *reader->at == '0' ? 0 : strtoul(reader->at, &end, 10);
	reader->at = *reader->at == '0' ? reader->at + 1 : end;
	accept_character(reader, '_');
	if (strnlen(reader->at, *bytes) < *bytes) {
		reader->failed = true;
		*bytes = 0;
	}
	*name = reader->at;
	reader->at += *bytes;
}

static void read_path(struct reader *reader, bool is_type);
static void read_type(struct reader *reader);

/* Begins a path, type or constant. Returns false if the symbol is malformed, or if its back references lead to too much text. */
static bool enter_item(struct reader *reader)
{
	reader->failed |= reader->depth == DEPTH_MAX || reader->items == ITEMS_MAX;
	if (reader->failed)
		return false;
	reader->depth++;
	reader->items++;
	return true;
}

/* Moves to the target of a back reference. Returns the position after the reference, at which the caller must continue. */
static const char *follow_reference(struct reader *reader)
{
	const char *reference = reader->at - 1, *behind;
	const uint64_t place = read_number(reader);

	behind = reader->at;
	if (place >= (uint64_t)(reference - reader->start))
		reader->failed = true;
	else
		reader->at = reader->start + place;
	return behind;
}

static void skip_lifetime(struct reader *reader)
{
	if (accept_character(reader, 'L'))
		read_number(reader);
}

static void skip_binder(struct reader *reader)
{
	if (accept_character(reader, 'G'))
		read_number(reader);
}

static void read_constant(struct reader *reader)
{
	const char *digits, *behind;
	uint64_t value;
	char type;

	if (!enter_item(reader))
		return;
	if (accept_character(reader, 'B')) {
		behind = follow_reference(reader);
		read_constant(reader);
		reader->at = behind;
	} else if (accept_character(reader, 'p')) {
		memphis_text_put(reader->text, "_");
	} else {
		type = *reader->at ? *reader->at++ : '\0';
		if (accept_character(reader, 'n'))
			memphis_text_put(reader->text, "-");
		digits = reader->at;
		value = strtoull(digits, NULL, 16);
		reader->at += strspn(digits, "0123456789abcdef");
		/* Accept only numbers, characters and booleans. Constants of other types are not part of stable Rust. */
		if (!accept_character(reader, '_') || !strchr("ahijlmnostxybc", type))
			reader->failed = true;
		else if (type == 'b')
			memphis_text_put(reader->text, value ? "true" : "false");
		else if (reader->at - digits > 17)
			memphis_text_print(reader->text, "0x%.*s", (int)(reader->at - digits - 1), digits);
		else
			memphis_text_print(reader->text, "%llu", (unsigned long long)value);
	}
	reader->depth--;
}

static void read_argument(struct reader *reader)
{
	if (*reader->at == 'L') {
		skip_lifetime(reader);
		memphis_text_put(reader->text, "'_");
	} else if (accept_character(reader, 'K')) {
		read_constant(reader);
	} else {
		read_type(reader);
	}
}

/* Reads items until "E", and appends commas between them. */
static void read_list(struct reader *reader, void (*read)(struct reader *reader))
{
	bool first = true;

	while (!reader->failed && !accept_character(reader, 'E')) {
		if (!*reader->at)
			reader->failed = true;
		if (!first)
			memphis_text_put(reader->text, ", ");
		first = false;
		if (!reader->failed)
			read(reader);
	}
}

/* Reads a path and discards its text. */
static void skip_path(struct reader *reader)
{
	struct memphis_text *text = reader->text, skipped = {0};

	reader->text = &skipped;
	read_path(reader, false);
	memphis_text_close(&skipped);
	reader->text = text;
}

/* Reads the last name of a path. For closures and other unnamed items, a letter denotes the kind. */
static void read_last_name(struct reader *reader)
{
	const char space = *reader->at ? *reader->at++ : '\0', *name;
	size_t bytes;

	read_path(reader, false);
	read_name(reader, &name, &bytes);
	if (!isupper((unsigned char)space)) {
		if (bytes)
			memphis_text_print(reader->text, "::%.*s", (int)bytes, name);
		return;
	}
	memphis_text_put(reader->text, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{");
	if (bytes)
		memphis_text_print(reader->text, ":%.*s", (int)bytes, name);
	memphis_text_put(reader->text, "}");
}

static void read_path(struct reader *reader, bool is_type)
{
	const char *name, *behind;
	size_t bytes;

	if (!enter_item(reader))
		return;
	switch (*reader->at ? *reader->at++ : '\0') {
	case 'C':
		read_name(reader, &name, &bytes);
		memphis_text_print(reader->text, "%.*s", (int)bytes, name);
		break;
	case 'M':
		if (accept_character(reader, 's'))
			read_number(reader);
		skip_path(reader);
		read_type(reader);
		break;
	case 'X':
		if (accept_character(reader, 's'))
			read_number(reader);
		skip_path(reader);
		/* fallthrough */
	case 'Y':
		memphis_text_put(reader->text, "<");
		read_type(reader);
		memphis_text_put(reader->text, " as ");
		read_path(reader, true);
		memphis_text_put(reader->text, ">");
		break;
	case 'N':
		read_last_name(reader);
		break;
	case 'I':
		read_path(reader, is_type);
		if (is_type) {
			memphis_text_put(reader->text, "<");
			read_list(reader, read_argument);
			memphis_text_put(reader->text, ">");
		} else {
			/* Discard the arguments of functions, because names of the legacy scheme do not contain them. */
			bytes = reader->text->bytes;
			read_list(reader, read_argument);
			if (!reader->text->failed)
				memphis_text_cut(reader->text, bytes);
		}
		break;
	case 'B':
		behind = follow_reference(reader);
		read_path(reader, is_type);
		reader->at = behind;
		break;
	default:
		reader->failed = true;
	}
	reader->depth--;
}

static void read_function_type(struct reader *reader)
{
	const char *name;
	size_t bytes;

	skip_binder(reader);
	accept_character(reader, 'U');
	if (accept_character(reader, 'K') && !accept_character(reader, 'C'))
		read_name(reader, &name, &bytes);
	memphis_text_put(reader->text, "fn(");
	read_list(reader, read_type);
	memphis_text_put(reader->text, ")");
	if (accept_character(reader, 'u'))
		return;
	memphis_text_put(reader->text, " -> ");
	read_type(reader);
}

static void read_trait(struct reader *reader)
{
	const char *name;
	size_t bytes;

	read_path(reader, true);
	while (!reader->failed && accept_character(reader, 'p')) {
		read_name(reader, &name, &bytes);
		memphis_text_print(reader->text, "<%.*s = ", (int)bytes, name);
		read_type(reader);
		memphis_text_put(reader->text, ">");
	}
}

static void read_traits(struct reader *reader)
{
	bool first = true;

	skip_binder(reader);
	memphis_text_put(reader->text, "dyn ");
	while (!reader->failed && !accept_character(reader, 'E')) {
		if (!first)
			memphis_text_put(reader->text, " + ");
		first = false;
		read_trait(reader);
	}
	skip_lifetime(reader);
}

/* Returns the name of the basic type that the letter denotes, or NULL. */
static const char *basic_type_name(char letter)
{
	static const char *const names[] = {
		['a' - 'a'] = "i8",    ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64",
		['e' - 'a'] = "str",   ['f' - 'a'] = "f32",  ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize",
		['j' - 'a'] = "usize", ['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",  ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128",  ['p' - 'a'] = "_",    ['s' - 'a'] = "i16",  ['t' - 'a'] = "u16",
		['u' - 'a'] = "()",    ['v' - 'a'] = "...",  ['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",
		['z' - 'a'] = "!"};

	return letter >= 'a' && letter <= 'z' ? names[letter - 'a'] : NULL;
}

static void read_type(struct reader *reader)
{
	static const struct {
		char letter;
		const char *text;
	} pointers[] = {{'R', "&"}, {'Q', "&mut "}, {'P', "*const "}, {'O', "*mut "}};
	const char *basic = basic_type_name(*reader->at), *behind;
	size_t i;

	if (!enter_item(reader))
		return;
	if (basic) {
		memphis_text_put(reader->text, basic);
		reader->at++;
		goto done;
	}
	for (i = 0; i < sizeof(pointers) / sizeof(*pointers); i++)
		if (accept_character(reader, pointers[i].letter)) {
			memphis_text_put(reader->text, pointers[i].text);
			skip_lifetime(reader);
			read_type(reader);
			goto done;
		}
	switch (*reader->at ? *reader->at++ : '\0') {
	case 'A':
		memphis_text_put(reader->text, "[");
		read_type(reader);
		memphis_text_put(reader->text, "; ");
		read_constant(reader);
		memphis_text_put(reader->text, "]");
		break;
	case 'S':
		memphis_text_put(reader->text, "[");
		read_type(reader);
		memphis_text_put(reader->text, "]");
		break;
	case 'T':
		memphis_text_put(reader->text, "(");
		read_list(reader, read_type);
		memphis_text_put(reader->text, ")");
		break;
	case 'F':
		read_function_type(reader);
		break;
	case 'D':
		read_traits(reader);
		break;
	case 'B':
		behind = follow_reference(reader);
		read_type(reader);
		reader->at = behind;
		break;
	default:
		reader->at -= *reader->at != '\0';
		read_path(reader, true);
	}
done:
	reader->depth--;
}

static bool is_v0_symbol(const char *symbol)
{
	return symbol[0] == '_' && symbol[1] == 'R' && symbol[2] && strchr("CMXYNIB0123456789", symbol[2]);
}

static char *demangle_v0(const char *symbol)
{
	struct memphis_text text = {0};
	struct reader reader = {.text = &text};

	/* Skip the digits, which are the version of the encoding. */
	reader.start = reader.at = symbol + 2 + strspn(symbol + 2, "0123456789");
	memphis_text_put(&text, "");
	read_path(&reader, false);
	if (reader.failed || text.failed)
		memphis_text_close(&text);
	return text.text;
}

size_t memphis_rust_mangled_bytes(const char *symbol)
{
	return is_v0_symbol(symbol) ? strcspn(symbol, ".") : legacy_symbol_bytes(symbol);
}

char *memphis_demangle_rust(const char *symbol)
{
	if (is_v0_symbol(symbol))
		return demangle_v0(symbol);
	return legacy_symbol_bytes(symbol) ? demangle_legacy(symbol) : NULL;
}
