// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the variable or field that gets a block in Rust. Walks outwards from the allocating expression: from
 * an argument to its call, from a value to the field of its structure. The walk ends at the statement:
 * `let name = ..`, `place = ..` or `place.push(..)`. Works on the text, without a parser of the language.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "source/assigned.h"

/* Number of lines before the expression in which the start of its statement is searched. */
#define LINES_BACK 40
#define STEPS_MAX  32

static bool is_name_character(char c)
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
 * Returns the index of the delimiter before `at` at the same bracket level. A delimiter is an open bracket,
 * one of , ; } or the = of an assignment. Returns SIZE_MAX at the start of the text.
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
static size_t find_statement_start(const char *text, size_t at)
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
static size_t find_chain_start(const char *text, size_t at)
{
	int depth = 0;

	while (at && (depth || is_name_character(text[at - 1]) || strchr(".:!)]?", text[at - 1]) ||
		      (text[at - 1] == '>' && at > 1 && text[at - 2] != '-'))) {
		at--;
		depth += strchr(")]>", text[at]) != NULL;
		depth -= strchr("([<", text[at]) != NULL;
	}
	return at;
}

/* Accessors: methods that return what their object contains. */
static const char *const leading[] = {"borrow", "borrow_mut",   "lock",    "read",
				      "write",  "unwrap",       "expect",  "as_mut",
				      "as_ref", "as_deref_mut", "get_mut", "deref_mut"};

static bool is_one_of(const char *const *list, size_t count, const char *name, size_t bytes)
{
	while (count--)
		if (strlen(list[count]) == bytes && !memcmp(list[count], name, bytes))
			return true;
	return false;
}

/* Returns the index after the bracket that closes the bracket at `at`, or the end of the text. */
static size_t skip_brackets(const char *text, size_t at)
{
	int depth = 0;

	for (; text[at]; at++) {
		depth += strchr("([{", text[at]) != NULL;
		depth -= strchr(")]}", text[at]) != NULL;
		if (depth <= 0)
			return at + 1;
	}
	return at;
}

/* Removes the last method of the name if it is an accessor. Otherwise returns false. */
static bool remove_accessor(struct memphis_text *name)
{
	const char *dot = name->bytes ? strrchr(name->text, '.') : NULL;

	if (!dot || !is_one_of(leading, sizeof(leading) / sizeof(*leading), dot + 1, strlen(dot + 1)))
		return false;
	memphis_text_cut(name, (size_t)(dot - name->text));
	return true;
}

/*
 * Appends the place (a variable with fields and subscripts) without references and without the contents of
 * subscripts. Returns false if the text is not a place.
 */
static bool append_place(struct memphis_text *name, const char *text, size_t from, size_t to)
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
		else if (text[i] == '(' && !depth && remove_accessor(name))
			i = skip_brackets(text, i) - 1;
		else if (!depth && !is_name_character(text[i]) && text[i] != '.')
			return false;
		else if (!depth)
			memphis_text_add(name, text + i, 1);
	}
	return true;
}

/* Returns the length of the keyword and the blank after it, or 0 if the text does not begin with the keyword. */
static size_t keyword_bytes(const char *text, const char *word)
{
	const size_t bytes = strlen(word);

	return !strncmp(text, word, bytes) && isspace((unsigned char)text[bytes]) ? bytes + 1 : 0;
}

/* Stores the left side [from, equals) of an assignment or declaration. */
static bool append_left_side(struct memphis_text *name, const char *text, size_t from, size_t equals)
{
	static const char *const words[] = {"pub", "let", "static", "mut", "ref"};
	size_t i, to;

	from = skip_blanks(text, from);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		from = skip_blanks(text, from + keyword_bytes(text + from, words[i]));
	for (to = from; to < equals && !(text[to] == ':' && text[to + 1] != ':' && text[to - 1] != ':'); to++)
		;
	return append_place(name, text, from, to);
}

/* Methods by which a container grows or gets an element. */
static const char *const growing[] = {"push",        "push_back",  "push_front",        "push_str",
				      "insert",      "extend",     "extend_from_slice", "resize",
				      "resize_with", "reserve",    "reserve_exact",     "append",
				      "entry",       "clone_from", "get_or_insert_with"};
/* Appends the object whose method the statement at `at` calls: a.b[].c in a.b[i].lock().unwrap().c.push(x). */
static bool append_receiver(struct memphis_text *name, const char *text, size_t at)
{
	size_t bytes;

	while (is_name_character(text[at])) {
		bytes = 0;
		while (is_name_character(text[at + bytes]))
			bytes++;
		if (text[at + bytes] != '(') {
			memphis_text_print(name, "%s%.*s", name->bytes ? "." : "", (int)bytes, text + at);
		} else if (is_one_of(growing, sizeof(growing) / sizeof(*growing), text + at, bytes)) {
			return name->bytes;
		} else if (!is_one_of(leading, sizeof(leading) / sizeof(*leading), text + at, bytes)) {
			return false;
		}
		at += bytes;
		if (text[at] == '(')
			at = skip_brackets(text, at);
		for (; text[at] == '['; at = skip_brackets(text, at))
			memphis_text_put(name, "[]");
		at = skip_blanks(text, at + (text[at] == '?'));
		if (text[at] != '.')
			return false;
		at = skip_blanks(text, at + 1);
	}
	return false;
}

/* Returns the length of the name if `name: value` of a structure begins at `from`, otherwise 0. */
static size_t field_bytes(const char *text, size_t from)
{
	size_t to = from;

	while (is_name_character(text[to]))
		to++;
	return to > from && text[to] == ':' && text[to + 1] != ':' ? to - from : 0;
}

/* Returns true if the expression at `at` is the last one in its block, so that it is the value of the block. */
static bool is_value_of_block(const char *text, size_t at)
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

/* Skips blanks backwards. Returns the index after the last non-blank character before `at`. */
static size_t skip_blanks_back(const char *text, size_t at)
{
	while (at && isspace((unsigned char)text[at - 1]))
		at--;
	return at;
}

/* Returns true if the text before `at` ends with the word. */
static bool ends_with_word(const char *text, size_t at, const char *word)
{
	const size_t bytes = strlen(word);

	return at >= bytes && !memcmp(text + at - bytes, word, bytes) &&
	       (at == bytes || !is_name_character(text[at - bytes - 1]));
}

/* Returns the index of the bracket that opens the innermost group around `at`, or SIZE_MAX. */
static size_t find_open_bracket(const char *text, size_t at)
{
	int depth = 0;

	while (at--) {
		if (strchr(")]}", text[at]))
			depth++;
		else if (strchr("([{", text[at]) && !depth--)
			return at;
	}
	return SIZE_MAX;
}

/*
 * Returns the index of the start (the parameters or "move") of the closure whose body is at `at`. Returns
 * SIZE_MAX if `at` is not the body of a closure.
 */
static size_t find_closure_start(const char *text, size_t at)
{
	at = skip_blanks_back(text, at);
	if (!at || text[at - 1] != '|')
		return SIZE_MAX;
	for (at--; at && text[at - 1] != '|' && !strchr(";{}", text[at - 1]); at--)
		;
	if (!at || text[at - 1] != '|')
		return SIZE_MAX;
	at = skip_blanks_back(text, at - 1);
	if (ends_with_word(text, at, "move"))
		at = skip_blanks_back(text, at - strlen("move"));
	return !at || strchr("(,={;[:", text[at - 1]) ? at : SIZE_MAX;
}

/* Returns true if the closure at `at` is the argument of a call whose results are collected: it.map(closure).collect(). */
static bool is_collected(const char *text, size_t at)
{
	const size_t open = find_open_bracket(text, at);

	if (open == SIZE_MAX || text[open] != '(')
		return false;
	for (at = skip_brackets(text, open); text[at]; at = skip_brackets(text, at)) {
		at = skip_blanks(text, at);
		if (text[at] != '.')
			return false;
		at = skip_blanks(text, at + 1);
		if (!strncmp(text + at, "collect", 7) && !is_name_character(text[at + 7]))
			return true;
		at += strcspn(text + at, "(;{}");
		if (text[at] != '(')
			return false;
	}
	return false;
}

/* The kinds of blocks in curly brackets. */
enum block {
	BODY, /* body of a function: its value goes to the caller */
	CLOSURE,
	EXPRESSION, /* block, condition or match: its value is the value of an expression */
	NO_VALUE
};

/* Returns the index of the first keyword in [from, to) that is outside of brackets, or SIZE_MAX if there is none. */
static size_t find_keyword(const char *text, size_t from, size_t to)
{
	static const char *const words[] = {"unsafe", "loop", "async", "if", "match"};
	size_t i;

	for (; from < to; from += !strchr("([", text[from])) {
		if (strchr("([", text[from])) {
			from = skip_brackets(text, from);
			continue;
		}
		if (from && is_name_character(text[from - 1]))
			continue;
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (!strncmp(text + from, words[i], strlen(words[i])) &&
			    !is_name_character(text[from + strlen(words[i])]))
				return from;
	}
	return SIZE_MAX;
}

/*
 * Returns the kind of the block that the bracket at *at opens. Sets *at to the start of the expression that
 * contains the block. For a condition, this is the start of its first branch.
 */
static enum block find_block(const char *text, size_t *at)
{
	const size_t closure = find_closure_start(text, *at);
	size_t end = skip_blanks_back(text, *at), start, keyword;
	const char *arrow;

	if (closure != SIZE_MAX) {
		*at = closure;
		return CLOSURE;
	}
	/* This is the arm of a match. */
	if (end > 1 && text[end - 1] == '>' && text[end - 2] == '=') {
		*at = find_open_bracket(text, end);
		return *at == SIZE_MAX ? NO_VALUE : find_block(text, at);
	}
	if (end && text[end - 1] == '=') {
		*at = end;
		return EXPRESSION;
	}
	/* Find the text before the block, from the start of its statement or argument. */
	for (start = end; start && !strchr(";{}([", text[start - 1]); start--)
		if (strchr(")]", text[start - 1])) {
			start = find_open_bracket(text, start - 1) + 1;
			start = start ? start : 1;
		}
	if (start && text[start - 1] == '}' && keyword_bytes(text + skip_blanks(text, start), "else")) {
		*at = find_open_bracket(text, start - 1);
		return *at == SIZE_MAX ? NO_VALUE : find_block(text, at);
	}
	keyword = find_keyword(text, start, end);
	if (keyword != SIZE_MAX) {
		*at = keyword;
		return EXPRESSION;
	}
	arrow = strstr(text + start, "->");
	return arrow && arrow < text + end ? BODY : NO_VALUE;
}

/* Prepends text to the path. The path leads from the assigned object to the block. */
static void prepend_to_path(char *path, size_t size, const char *before, size_t bytes)
{
	const size_t have = strlen(path);

	if (have + bytes >= size)
		return;
	memmove(path + bytes, path, have + 1);
	memcpy(path, before, bytes);
}

struct walk {
	const char *text;
	size_t at; /* start of the expression that the walk has reached */
	char path[128];
	struct memphis_text name;
	bool inside; /* the expression is no longer the allocating one, but contains it */
	struct memphis_assigned *assigned;
};

static bool set_assigned_kind(struct walk *walk, enum memphis_assigned_kind kind)
{
	walk->assigned->kind = kind;
	return false;
}

/*
 * Leaves a closure. If the statement collects the values of the closure, continues outwards. Otherwise the
 * caller gets the value.
 */
static bool leave_closure(struct walk *walk, size_t start)
{
	if (!is_collected(walk->text, start))
		return set_assigned_kind(walk, MEMPHIS_ASSIGNED_RETURN);
	prepend_to_path(walk->path, sizeof(walk->path), "[]", 2);
	walk->at = find_open_bracket(walk->text, start);
	return true;
}

/* Leaves the block that the bracket at `open` begins. The expression reached so far is the value of the block. */
static bool leave_block(struct walk *walk, size_t open)
{
	size_t at = open;

	switch (find_block(walk->text, &at)) {
	case CLOSURE:
		return leave_closure(walk, at);
	case EXPRESSION:
		walk->at = at;
		return true;
	case BODY:
		return set_assigned_kind(walk, MEMPHIS_ASSIGNED_RETURN);
	case NO_VALUE:
		break;
	}
	return false;
}

/* Returns true if the type name that ends before `at` is part of a declaration of that type. */
static bool is_type_declaration(const char *text, size_t at)
{
	static const char *const words[] = {"struct", "enum", "union"};
	size_t i;

	at = skip_blanks_back(text, find_chain_start(text, skip_blanks_back(text, at)));
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (ends_with_word(text, at, words[i]))
			return true;
	return false;
}

/*
 * Leaves the structure, list, call or block that the bracket at `open` begins. `field` is the length of the
 * field's name at `from` if the value belongs to a field of a structure, otherwise 0.
 */
static bool leave_brackets(struct walk *walk, size_t open, size_t from, size_t field)
{
	const char *text = walk->text;
	size_t before = skip_blanks_back(text, open);

	if (text[open] == '{' && !field && is_value_of_block(text, walk->at))
		return leave_block(walk, open);
	if (text[open] == '{' && !field)
		return false;
	if (field) {
		prepend_to_path(walk->path, sizeof(walk->path), text + from, field);
		prepend_to_path(walk->path, sizeof(walk->path), ".", 1);
		/* This is code that the compiler derives for a type. Its lines are those of the type's fields. */
		if (is_type_declaration(text, open))
			return set_assigned_kind(walk, MEMPHIS_ASSIGNED_RETURN);
	}
	if (text[open] == '[' && before && text[before - 1] == '#')
		return set_assigned_kind(walk, MEMPHIS_ASSIGNED_RETURN);
	if (text[open] == '[')
		prepend_to_path(walk->path, sizeof(walk->path), "[]", 2);
	walk->at = before;
	walk->inside = true;
	return true;
}

/* Moves to the next enclosing expression. Returns false at the end of the walk. */
static bool step_outwards(struct walk *walk)
{
	const char *text = walk->text;
	size_t delimiter, from, start, field = 0;

	walk->at = find_chain_start(text, walk->at);
	start = find_closure_start(text, walk->at);
	if (start != SIZE_MAX)
		return leave_closure(walk, start);
	start = skip_blanks_back(text, walk->at);
	if (start > 1 && text[start - 1] == '>' && text[start - 2] == '=') {
		start = find_open_bracket(text, start);
		return start != SIZE_MAX && leave_block(walk, start);
	}
	delimiter = find_delimiter(text, walk->at);
	from = skip_blanks(text, delimiter == SIZE_MAX ? 0 : delimiter + 1);
	if (delimiter != SIZE_MAX && text[delimiter] == '=')
		return append_left_side(&walk->name, text, find_statement_start(text, delimiter),
					delimiter) &&
		       set_assigned_kind(walk, MEMPHIS_ASSIGNED_NAME);
	if (keyword_bytes(text + from, "return"))
		return set_assigned_kind(walk, MEMPHIS_ASSIGNED_RETURN);
	if (delimiter == SIZE_MAX || strchr(";}{", text[delimiter])) {
		if (append_receiver(&walk->name, text, from)) {
			if (walk->inside)
				prepend_to_path(walk->path, sizeof(walk->path), "[]", 2);
			return set_assigned_kind(walk, MEMPHIS_ASSIGNED_NAME);
		}
		memphis_text_cut(&walk->name, 0);
	}
	if (delimiter != SIZE_MAX && strchr("{,", text[delimiter]))
		field = field_bytes(text, from);
	while (delimiter != SIZE_MAX && text[delimiter] == ',')
		delimiter = find_delimiter(text, delimiter);
	if (delimiter != SIZE_MAX && strchr("([{", text[delimiter]))
		return leave_brackets(walk, delimiter, from, field);
	if (!is_value_of_block(text, walk->at))
		return false;
	start = find_open_bracket(text, walk->at);
	/* The start of the function may be before the text. */
	return start == SIZE_MAX ? set_assigned_kind(walk, MEMPHIS_ASSIGNED_RETURN)
				 : leave_block(walk, start);
}

void memphis_assigned_find_rust(const struct memphis_source_file *file, unsigned int line,
				unsigned int column, const struct memphis_handover *from,
				struct memphis_assigned *assigned)
{
	const unsigned int first = line > LINES_BACK ? line - LINES_BACK : 1;
	struct walk walk = {.assigned = assigned};
	struct memphis_text text = {0};
	const char *start;
	size_t bytes;
	unsigned int i;

	memset(assigned, 0, sizeof(*assigned));
	snprintf(walk.path, sizeof(walk.path), "%s", from->path);
	for (i = first; i < line + LINES_BACK; i++) {
		start = memphis_source_line(file, i, &bytes);
		if (!start)
			break;
		if (i == line)
			walk.at =
				text.bytes + (column && column <= bytes ? column - 1 : strspn(start, " \t"));
		add_line(&text, start, bytes);
	}
	walk.text = text.text;
	if (!text.failed && walk.at < text.bytes)
		for (i = 0; i < STEPS_MAX && step_outwards(&walk); i++)
			;
	if (assigned->kind != MEMPHIS_ASSIGNED_NOTHING && !walk.name.failed)
		snprintf(assigned->name, sizeof(assigned->name), "%s%s",
			 walk.name.bytes ? walk.name.text : "", walk.path);
	memphis_text_close(&walk.name);
	memphis_text_close(&text);
}
