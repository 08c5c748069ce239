// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the variable or field that gets a block in Rust. Walks from the allocating expression outwards: from an argument to the call, from a value
 * to the field of a structure, up to the statement, `let name = ..`, `place = ..` or `place.push(..)`. It does not parse the language.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "source/assigned.h"

#define LINES_BACK 40 /* number of lines before the expression in which its statement may begin */
#define STEPS_MAX  32

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Appends a line without its comment. */
static void add_line(struct memphis_text *text, const char *line, size_t bytes)
{
	bool quoted = false;
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (line[i] == '"' && !(i && line[i - 1] == '\\'))
			quoted = !quoted;
		if (!quoted && line[i] == '/' && i + 1 < bytes && line[i + 1] == '/')
			break;
	}
	memphis_text_add(text, line, i);
	memphis_text_add(text, "\n", 1);
}

/*
 * Returns the index of the delimiter before `at` that is in no inner brackets: an open bracket, or one of , ; } and the = of an assignment. Returns
 * SIZE_MAX at the start of the text.
 */
static size_t find_delimiter(const char *text, size_t at)
{
	int depth = 0;

	while (at--) {
		if (strchr(")]", text[at]) || (text[at] == '}' && depth))
			depth++;
		else if (strchr("([{", text[at]) && depth)
			depth--;
		else if (!depth && strchr("([{},;", text[at]))
			return at;
		else if (!depth && text[at] == '=' && text[at + 1] != '=' && text[at + 1] != '>' &&
			 !(at && strchr("=!<>+-*/%&|^", text[at - 1])))
			return at;
	}
	return SIZE_MAX;
}

/* Returns the start of the statement that contains the character at `at`. */
static size_t statement_start(const char *text, size_t at)
{
	int depth = 0;

	for (; at; at--) {
		if (strchr(")]", text[at - 1]))
			depth++;
		else if (strchr("([", text[at - 1]))
			depth--;
		else if (!depth && strchr(";{}", text[at - 1]))
			break;
	}
	return at;
}

static size_t skip_blanks(const char *text, size_t at)
{
	return at + strspn(text + at, " \t\n");
}

/* Returns the start of the path, place or chain of calls that ends before `at`: std::sync::Arc, a.b[i].c, (0..n).map. */
static size_t chain_start(const char *text, size_t at)
{
	int depth = 0;

	while (at && (depth || in_name(text[at - 1]) || strchr(".:!)]?", text[at - 1]) ||
		      (text[at - 1] == '>' && at > 1 && text[at - 2] != '-'))) {
		at--;
		depth += strchr(")]>", text[at]) != NULL;
		depth -= strchr("([<", text[at]) != NULL;
	}
	return at;
}

/* Appends the place, without references and the contents of subscripts. Returns false if the text is no place. */
static bool put_place(struct memphis_text *name, const char *text, size_t from, size_t to)
{
	int depth = 0;
	size_t i;

	while (to > from && isspace((unsigned char)text[to - 1]))
		to--;
	while (from < to && strchr("&* \t\n", text[from]))
		from++;
	if (from == to || isdigit((unsigned char)text[from]))
		return false;
	for (i = from; i < to; i++) {
		if (text[i] == '[' && !depth++)
			memphis_text_put(name, "[]");
		else if (text[i] == ']')
			depth--;
		else if (!depth && !in_name(text[i]) && text[i] != '.')
			return false;
		else if (!depth)
			memphis_text_add(name, text + i, 1);
	}
	return true;
}

/* Returns the number of bytes of the keyword and the blank behind it, or 0. */
static size_t keyword_bytes(const char *text, const char *word)
{
	const size_t bytes = strlen(word);

	return !strncmp(text, word, bytes) && isspace((unsigned char)text[bytes]) ? bytes + 1 : 0;
}

/* Stores the left side [from, equals) of an assignment or declaration. */
static bool put_left_side(struct memphis_text *name, const char *text, size_t from, size_t equals)
{
	static const char *const words[] = {"pub", "let", "static", "mut", "ref"};
	size_t i, to;

	from = skip_blanks(text, from);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		from = skip_blanks(text, from + keyword_bytes(text + from, words[i]));
	for (to = from; to < equals && !(text[to] == ':' && text[to + 1] != ':' && text[to - 1] != ':'); to++)
		;
	return put_place(name, text, from, to);
}

/* Stores the receiver of the member function that the statement at `at` calls: a.b in a.b.push(x). */
static bool put_receiver(struct memphis_text *name, const char *text, size_t at)
{
	static const char *const functions[] = {"push",        "push_back", "push_front",        "push_str",
						"insert",      "extend",    "extend_from_slice", "resize",
						"resize_with", "reserve",   "reserve_exact",     "append",
						"entry",       "clone_from"};
	size_t end = at, last = 0, i;

	while (in_name(text[end]) || strchr(".[", text[end] ? text[end] : ' ')) {
		if (text[end] == '.')
			last = end;
		end += text[end] == '[' ? strcspn(text + end, "]") : 1;
	}
	if (!last || text[end] != '(')
		return false;
	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strlen(functions[i]) == end - last - 1 &&
		    !strncmp(text + last + 1, functions[i], end - last - 1))
			return put_place(name, text, at, last);
	return false;
}

/* Returns the bytes of `field` in the structure's field `field: value`, which begins at `from`; 0 if it is something else. */
static size_t field_bytes(const char *text, size_t from)
{
	size_t to = from;

	while (in_name(text[to]))
		to++;
	return to > from && text[to] == ':' && text[to + 1] != ':' ? to - from : 0;
}

/* Returns true if the expression at `at` is the last one of its block, whose value is that of the block. */
static bool is_tail(const char *text, size_t at)
{
	int depth = 0;

	for (; text[at]; at++) {
		if (strchr("([{", text[at]))
			depth++;
		else if (strchr(")]}", text[at]) && !depth--)
			return text[at] == '}';
		else if (!depth && text[at] == ';')
			return false;
	}
	return false;
}

/* Walks outwards from the expression at `at`. */
static void walk(const char *text, size_t at, struct memphis_assigned *assigned)
{
	struct memphis_text name = {0};
	char path[128] = "", inner[128];
	size_t delimiter, from, start, bytes;
	unsigned int step;

	for (step = 0; step < STEPS_MAX; step++) {
		at = chain_start(text, at);
		delimiter = find_delimiter(text, at);
		from = skip_blanks(text, delimiter == SIZE_MAX ? 0 : delimiter + 1);
		if (delimiter != SIZE_MAX && text[delimiter] == '=') {
			if (put_left_side(&name, text, statement_start(text, delimiter), delimiter))
				assigned->kind = MEMPHIS_ASSIGNED_NAME;
			break;
		}
		if (keyword_bytes(text + from, "return")) {
			assigned->kind = MEMPHIS_ASSIGNED_RETURN;
			break;
		}
		if (delimiter == SIZE_MAX || text[delimiter] == ';' || text[delimiter] == '}' ||
		    text[delimiter] == '{') {
			if (put_receiver(&name, text, from)) {
				assigned->kind = MEMPHIS_ASSIGNED_NAME;
				break;
			}
		}
		if (delimiter != SIZE_MAX && text[delimiter] == ',') {
			bytes = field_bytes(text, from);
			start = at;
			while (delimiter != SIZE_MAX && text[delimiter] == ',')
				delimiter = find_delimiter(text, start = delimiter);
		} else {
			bytes = delimiter != SIZE_MAX && text[delimiter] == '{' ? field_bytes(text, from) : 0;
		}
		if (bytes) {
			snprintf(inner, sizeof(inner), "%s", path);
			snprintf(path, sizeof(path), ".%.*s%.*s", (int)bytes, text + from,
				 (int)(sizeof(path) - bytes - 2), inner);
		}
		if (delimiter == SIZE_MAX || !strchr("([{", text[delimiter])) {
			/* The value of a function's body, which begins further up. */
			if (is_tail(text, at))
				assigned->kind = MEMPHIS_ASSIGNED_RETURN;
			break;
		}
		for (at = delimiter; at && isspace((unsigned char)text[at - 1]); at--)
			;
		if (text[delimiter] == '{' && !bytes) {
			/* A block whose value is assigned or returned. */
			if (!is_tail(text, delimiter + 1))
				break;
			if (at && text[at - 1] != '=') {
				assigned->kind = MEMPHIS_ASSIGNED_RETURN;
				break;
			}
		}
	}
	if (assigned->kind == MEMPHIS_ASSIGNED_NAME && !name.failed)
		snprintf(assigned->name, sizeof(assigned->name), "%s%s", name.text, path);
	memphis_text_close(&name);
}

void memphis_assigned_rust(const struct memphis_source_file *file, unsigned int line, unsigned int column,
			   struct memphis_assigned *assigned)
{
	const unsigned int first = line > LINES_BACK ? line - LINES_BACK : 1;
	struct memphis_text text = {0};
	const char *start;
	size_t bytes, at = 0;
	unsigned int i;

	memset(assigned, 0, sizeof(*assigned));
	for (i = first; i < line + LINES_BACK; i++) {
		start = memphis_source_line(file, i, &bytes);
		if (!start)
			break;
		if (i == line)
			at = text.bytes + (column && column <= bytes ? column - 1 : strspn(start, " \t"));
		add_line(&text, start, bytes);
	}
	if (!text.failed && at < text.bytes)
		walk(text.text, at, assigned);
	memphis_text_close(&text);
}
