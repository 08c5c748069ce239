// SPDX-License-Identifier: BSD-3-Clause
/* Demangles C++, Fortran and Rust names, and shortens function names. */
#include "dwarf/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dwarf/demangle_rust.h"

#ifdef MEMPHIS_HAS_DEMANGLE
/* The C++ library contains this function and declares it in <cxxabi.h>, which C cannot include. */
char *__cxa_demangle(const char *mangled, char *room, size_t *bytes, int *status);
#endif

static char *demangle_cplusplus(const char *symbol)
{
	if (symbol && memphis_rust_mangled_bytes(symbol))
		return memphis_demangle_rust(symbol);
	if (!symbol || strncmp(symbol, "_Z", 2))
		return NULL;
#ifdef MEMPHIS_HAS_DEMANGLE
	return __cxa_demangle(symbol, NULL, NULL, NULL);
#else
	return NULL;
#endif
}

/* Characters of Fortran names. Compilers convert the names to lower case. */
#define LOWER_CASE "abcdefghijklmnopqrstuvwxyz0123456789_"

/* How compilers form the symbol of an object in a module: BEFORE module BETWEEN name AFTER. */
static const struct {
	const char *before, *between, *after;
} in_modules[] = {
	{"__", "_MOD_", ""}, /* gfortran */
	{"", "_mp_",
	 "_"}, /* ifort and ifx, not tested: "Fortran Module Naming Conventions" in Intel's developer guide */
};

static char *demangle_in_module(const char *symbol, size_t *scope)
{
	const char *before, *between, *after, *name;
	size_t i, module, bytes;
	char *text;

	for (i = 0; i < sizeof(in_modules) / sizeof(*in_modules); i++) {
		before = in_modules[i].before;
		after = in_modules[i].after;
		if (strncmp(symbol, before, strlen(before)))
			continue;
		between = strstr(symbol + strlen(before), in_modules[i].between);
		if (!between)
			continue;
		module = (size_t)(between - symbol) - strlen(before);
		name = between + strlen(in_modules[i].between);
		bytes = strlen(name);
		if (!module || bytes <= strlen(after) || strcmp(name + bytes - strlen(after), after) ||
		    strspn(symbol + strlen(before), LOWER_CASE) < module)
			continue;
		if (asprintf(&text, "%.*s::%.*s", (int)module, symbol + strlen(before),
			     (int)(bytes - strlen(after)), name) < 0)
			return NULL;
		*scope = module + 2;
		return text;
	}
	return NULL;
}

/*
 * Returns the length of a variable's name without LLVM's suffix ".0" or ".0.body". LLVM appends the suffix if
 * it splits the variable, or if it replaces a heap block by static memory.
 */
static size_t bytes_without_part(const char *name, size_t bytes)
{
	const char *at = name + bytes;
	size_t digits;

	while (*at == '.') {
		digits = strspn(at + 1, "0123456789");
		if (digits)
			at += 1 + digits;
		else if (!strncmp(at, ".body", 5))
			at += 5;
		else
			break;
	}
	return *at ? strlen(name) : bytes;
}

/*
 * Demangles a symbol of LLVM's flang (see "Bijective Internal Name Uniquing" in its documentation). The
 * symbol begins with "_Q". Then the scopes follow, each with a tag before its name: M (module), S
 * (submodule), F (procedure; without a name: the main program) or B (number of a block). The last name has
 * the tag P (procedure), E (variable) or EC (constant).
 */
static char *demangle_flang(const char *symbol, size_t *scope)
{
	struct memphis_text text = {0};
	const char *at = symbol + 2;
	size_t bytes = 0;
	char tag = 0;

	*scope = 0;
	if (!strcmp(symbol, "_QQmain"))
		return strdup("MAIN__");
	memphis_text_put(&text, "");
	while (*at && strchr("MSFB", *at)) {
		tag = *at++;
		bytes = strspn(at, LOWER_CASE);
		if (bytes && tag != 'B')
			memphis_text_print(&text, "%.*s::", (int)bytes, at);
		at += bytes;
	}
	*scope = text.bytes;
	tag = *at;
	if (tag)
		at += tag == 'E' && at[1] == 'C' ? 2 : 1;
	bytes = strspn(at, LOWER_CASE);
	if ((tag == 'E' || tag == 'P') && bytes && (!at[bytes] || at[bytes] == '.')) {
		bytes = tag == 'E' ? bytes_without_part(at, bytes) : strlen(at);
		memphis_text_print(&text, "%.*s", (int)bytes, at);
		if (!text.failed)
			return text.text;
	}
	memphis_text_close(&text);
	return NULL;
}

char *memphis_demangle_fortran(const char *symbol, size_t *scope)
{
	return strncmp(symbol, "_Q", 2) ? demangle_in_module(symbol, scope) : demangle_flang(symbol, scope);
}

/*
 * Suffixes that compilers append to the name of a function for a clone, a part, or the body of a parallel
 * region. A number or further suffixes may follow. Sources: cgraphclones.c and omp-low.c of gcc,
 * CGOpenMPRuntime.cpp, OMPIRBuilder.cpp and CodeExtractor.cpp of LLVM. icx has its own suffixes for OpenMP
 * regions.
 */
static const struct {
	const char *text;
	bool is_outlined;
} suffixes[] = {
	{"._omp_fn", true},        {"._omp_cpyfn", true}, {".omp_outlined", true}, {"..omp_par", true},
	{".omp_task_entry", true}, {".DIR.OMP.", true},   {".constprop", false},   {".isra", false},
	{".part", false},          {".cold", false},      {".lto_priv", false},    {".localalias", false},
	{".llvm", false},          {".clone", false},     {".specialized", false}, {".extracted", false},
};

/* Returns the length of the name without the number that gcc appends to a contained procedure: "advance.1". */
static size_t bytes_without_number(const char *name, size_t bytes)
{
	size_t end = bytes;

	while (end && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end == bytes || end < 2 || name[end - 1] != '.')
		return bytes;
	return isalnum((unsigned char)name[end - 2]) || name[end - 2] == '_' ? end - 1 : bytes;
}

/*
 * Returns the length of the name without compilers' suffixes. Sets *is_outlined to true if a suffix denotes
 * the body of a parallel region.
 */
static size_t bytes_without_clone_suffix(const char *name, bool *is_outlined)
{
	size_t bytes = strlen(name), i, length;
	const char *at;

	/* Start after the mangled part, because Rust's mangled names may contain "..". */
	for (at = strchr(name + memphis_rust_mangled_bytes(name), '.'); at; at = strchr(at + 1, '.'))
		for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
			length = strlen(suffixes[i].text);
			if (strncmp(at, suffixes[i].text, length) ||
			    (islower((unsigned char)at[length]) && suffixes[i].text[length - 1] != '.'))
				continue;
			if ((size_t)(at - name) < bytes)
				bytes = (size_t)(at - name);
			*is_outlined |= suffixes[i].is_outlined;
		}
	return bytes;
}

bool memphis_is_outlined(const char *name)
{
	bool is_outlined = false;

	bytes_without_clone_suffix(name, &is_outlined);
	return is_outlined;
}

/* Skips the prefix of "master.0.procedure", the name that gfortran gives to a procedure with ENTRY statements. */
static const char *skip_master_prefix(const char *name)
{
	const size_t digits = strncmp(name, "master.", 7) ? 0 : strspn(name + 7, "0123456789");

	return digits && name[7 + digits] == '.' && name[8 + digits] ? name + 8 + digits : name;
}

char *memphis_demangle_function(const char *name, bool *is_outlined)
{
	bool outlined = false;
	char *base, *clear;
	size_t scope, bytes;

	if (is_outlined)
		*is_outlined = false;
	if (!name)
		return NULL;
	bytes = bytes_without_clone_suffix(name, &outlined);
	base = strndup(name, memphis_rust_mangled_bytes(name) ? bytes : bytes_without_number(name, bytes));
	if (!base)
		return NULL;
	if (is_outlined)
		*is_outlined = outlined;
	clear = demangle_cplusplus(base);
	if (!clear)
		clear = memphis_demangle_fortran(base, &scope);
	if (!clear && strcmp(skip_master_prefix(base), name) != 0)
		clear = strdup(skip_master_prefix(base));
	free(base);
	return clear;
}

/* Returns true if the word "operator" ends at `at`. */
static bool ends_with_operator(const char *name, const char *at)
{
	static const char word[] = "operator";
	const size_t bytes = sizeof(word) - 1;

	return (size_t)(at - name) >= bytes && !memcmp(at - bytes, word, bytes) &&
	       ((size_t)(at - name) == bytes || strchr(":) ", at[-1 - (int)bytes]));
}

/* Returns true if the angle bracket at `at` is part of an operator's name: operator<, operator<<=, operator->. */
static bool is_in_operator_name(const char *name, const char *at)
{
	while (at > name && strchr("<>=-", at[-1]))
		at--;
	return ends_with_operator(name, at);
}

/*
 * Returns the position of the parenthesis that opens the parameter list, or the end of the string if there is
 * none. The parentheses of "(anonymous namespace)" and "operator()" do not open a parameter list.
 */
static char *find_parameters(char *name)
{
	char *end = name + strlen(name), *close = strrchr(name, ')'), *at;
	int depth = 0;

	if (!close || strstr(close, "::"))
		return end;
	for (at = close; at >= name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (!depth)
			break;
	}
	return at <= name || ends_with_operator(name, at) ? end : at;
}

/* Removes template arguments. Keeps the angle brackets in names of operators. */
static void remove_template_arguments(char *name)
{
	char *to = name, *from;
	int depth = 0;

	for (from = name; *from; from++) {
		if (*from == '<' && (depth || !is_in_operator_name(name, from))) {
			depth++;
			continue;
		}
		if (*from == '>' && depth) {
			depth--;
			continue;
		}
		if (!depth)
			*to++ = *from;
	}
	while (to > name && to[-1] == ' ')
		to--;
	*to = 0;
}

/* Removes the return type. The mangled name of a template function contains it. */
static void remove_return_type(char *name)
{
	char *space = NULL, *at;
	int depth = 0;

	for (at = name; *at && strncmp(at, "operator", 8); at++) {
		depth += *at == '(' || *at == '{' || *at == '[';
		depth -= *at == ')' || *at == '}' || *at == ']';
		if (*at == ' ' && !depth)
			space = at;
	}
	if (space)
		memmove(name, space + 1, strlen(space + 1) + 1);
}

/* Replaces Rust's "<T as Trait>::function" by "T::function". */
static void remove_trait(char *name)
{
	char *as, *end;
	int depth;

	while (*name == '<') {
		depth = 0;
		as = NULL;
		for (end = name; *end; end++) {
			if (depth == 1 && !as && !strncmp(end, " as ", 4))
				as = end;
			depth += *end == '<';
			depth -= *end == '>' && end[-1] != '-';
			if (!depth)
				break;
		}
		if (!as || !*end)
			return;
		memmove(as, end + 1, strlen(end + 1) + 1);
		memmove(name, name + 1, strlen(name + 1) + 1);
	}
}

/* Removes the operator of a lambda from the scope of its variable, as in "main::{lambda(int)#1}::operator()(int) const::sum". */
static void remove_lambda_operator(char *name)
{
	char *at = strstr(name, "}::operator()("), *end;

	end = at ? strstr(at + 3, ")::") : NULL;
	if (at && !end)
		end = strstr(at + 3, ") const::");
	if (end)
		memmove(at + 1, strstr(end, "::"), strlen(strstr(end, "::")) + 1);
}

/*
 * Returns the length of the scope, which is the part before the last name. Skips "::" inside parameters and
 * template arguments.
 */
static size_t scope_bytes(const char *name)
{
	size_t bytes = 0;
	const char *at;
	int depth = 0;

	for (at = name; *at; at++) {
		depth += *at == '(' || *at == '<' || *at == '{';
		depth -= *at == ')' || *at == '>' || *at == '}';
		if (!depth && at[0] == ':' && at[1] == ':')
			bytes = (size_t)(at + 2 - name);
	}
	return bytes;
}

/*
 * Removes the parameters of functions from the scopes, as in "ns::function(int) const::name". Keeps the
 * parameters of lambdas, which distinguish them.
 */
static void remove_parameters(char *name)
{
	char *at = name, *end;

	while ((at = strchr(at, '('))) {
		end = strpbrk(at, ")}");
		if (end && (!strncmp(end, ")::", 3) || !strncmp(end, ") const::", 9)) &&
		    strncmp(at, "(anonymous", 10) != 0)
			memmove(at, strstr(end, "::"), strlen(strstr(end, "::")) + 1);
		else
			at++;
	}
}

/* Returns true for compilers' names of unnamed constants: "C.12.3456" (gcc), or "anon" with a hash (rustc). */
static bool is_compiler_constant(const char *name, size_t bytes)
{
	return (bytes == 1 && *name == 'C') || (bytes == 4 && !strncmp(name, "anon", 4));
}

/*
 * Returns the malloc'ed name of a static variable of a C function, or NULL if the symbol has no known form.
 * gcc appends a number to the name, "seen.0". clang puts the function before it, "step.seen".
 */
static char *name_c_static(const char *symbol)
{
	const size_t first = strcspn(symbol, ".");
	const char *last = symbol + first + (symbol[first] == '.');
	const size_t bytes = strcspn(last, ".");
	char *name = NULL;

	if (!first || !bytes || is_compiler_constant(symbol, first))
		return NULL;
	if (bytes_without_part(symbol, first) == first)
		return strndup(symbol, first);
	if (bytes_without_part(last, bytes) != bytes ||
	    asprintf(&name, "%.*s::%.*s", (int)first, symbol, (int)bytes, last) < 0)
		return NULL;
	return name;
}

char *memphis_demangle_variable(const char *symbol, bool signatures, size_t *scope)
{
	bool outlined = false;
	char *base = strndup(symbol, bytes_without_clone_suffix(symbol, &outlined)),
	     *clear = demangle_cplusplus(base);

	if (clear)
		remove_lambda_operator(clear);
	if (clear && !signatures)
		remove_parameters(clear);
	if (!clear && base)
		clear = name_c_static(base);
	if (!clear && base && strcmp(base, symbol) != 0)
		clear = strdup(base);
	if (clear)
		*scope = scope_bytes(clear);
	free(base);
	return clear;
}

/*
 * gcc numbers the lambdas of each function: "main::{lambda(int)#1}::operator()(int) const". clang numbers
 * those of a compilation unit: "main::$_0::operator()(int) const".
 */
char *memphis_demangle_lambda(const char *symbol)
{
	char *name = memphis_demangle_function(symbol, NULL), *lambda = NULL, *end, *at;
	int depth = 0;

	end = name ? strstr(name, "}::operator()") : NULL;
	for (at = end; at && at > name; at--) {
		depth += (*at == '}') - (*at == '{');
		if (!depth)
			break;
	}
	if (end && !depth)
		lambda = strndup(at, (size_t)(end + 1 - at));
	at = name && !end ? strstr(name, "::$_") : NULL;
	if (at && asprintf(&lambda, "{lambda#%lu}", strtoul(at + 4, NULL, 10) + 1) < 0)
		lambda = NULL;
	free(name);
	return lambda;
}

void memphis_put_called(struct memphis_text *text, const char *name)
{
	char *shorter = strdup(name);

	if (shorter) {
		*find_parameters(shorter) = 0;
		remove_trait(shorter);
		remove_template_arguments(shorter);
		remove_return_type(shorter);
	}
	memphis_text_put_plain(text, shorter ? shorter : name);
	free(shorter);
}

void memphis_put_function(struct memphis_text *text, const char *name)
{
	const size_t bytes = strlen(name), mark = strlen(MEMPHIS_OUTLINED);
	const bool outlined = bytes > mark && !strcmp(name + bytes - mark, MEMPHIS_OUTLINED);
	char *shorter = bytes > MEMPHIS_FUNCTION_SHORT ? strndup(name, bytes - (outlined ? mark : 0)) : NULL;

	if (shorter) {
		*find_parameters(shorter) = 0;
		if (strlen(shorter) > MEMPHIS_FUNCTION_SHORT) {
			remove_trait(shorter);
			remove_template_arguments(shorter);
			remove_return_type(shorter);
		}
	}
	memphis_text_put_plain(text, shorter ? shorter : name);
	if (shorter && outlined)
		memphis_text_put(text, MEMPHIS_OUTLINED);
	free(shorter);
}

void memphis_copy_last_name(const char *full, char *name, size_t size)
{
	const char *at, *last = full;
	int depth = 0;

	for (at = full; *at && (*at != '(' || depth || at == last); at++) {
		depth += *at == '<' || *at == '{';
		depth -= *at == '>' || *at == '}';
		if (!depth && at[0] == ':' && at[1] == ':')
			last = at + 2;
	}
	snprintf(name, size, "%.*s", (int)(at - last), last);
}

/*
 * Returns the length of the name without template arguments, suffixes of clones, and underscores appended by
 * Fortran compilers.
 */
static size_t bytes_of_plain_name(const char *name)
{
	size_t bytes = strcspn(name, "<.");

	while (bytes > 1 && name[bytes - 1] == '_')
		bytes--;
	return bytes;
}

bool memphis_is_same_function(const char *name, const char *other)
{
	const size_t bytes = bytes_of_plain_name(name);

	return bytes == bytes_of_plain_name(other) && !strncasecmp(name, other, bytes);
}

/* Returns true if the text before `at` ends with the name, or with the name and template arguments. */
static bool ends_with_class_name(const char *full, const char *at, const char *name, size_t bytes)
{
	int depth = 0;

	if (at > full && at[-1] == '>')
		do {
			at--;
			depth += *at == '>';
			depth -= *at == '<';
		} while (depth && at > full);
	return at - full >= (ptrdiff_t)bytes && !strncmp(at - bytes, name, bytes) &&
	       (at - bytes == full || strchr(": ", at[-(ptrdiff_t)bytes - 1]));
}

bool memphis_is_constructor(const char *full, const char *function)
{
	const size_t bytes = strcspn(function, "<");
	const char *at;

	for (at = full; at && (at = strstr(at, "::")); at += 2)
		if (!strncmp(at + 2, function, bytes) && (!at[2 + bytes] || strchr("(<", at[2 + bytes])) &&
		    ends_with_class_name(full, at, function, bytes))
			return true;
	return false;
}
