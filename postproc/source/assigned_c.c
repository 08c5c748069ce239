// SPDX-License-Identifier: BSD-3-Clause
/* Finds the variable to which a C or C++ statement assigns an allocated block. Works on the tokens of the statement, without a parser of the language. */
#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/assigned.h"
#include "source/c_tokens.h"

static void append_name(struct memphis_assigned *assigned, const char *text, size_t bytes)
{
	size_t have = strlen(assigned->name);

	if (have + bytes < sizeof(assigned->name)) {
		memcpy(assigned->name + have, text, bytes);
		assigned->name[have + bytes] = 0;
	}
}

/*
 * Scans backwards over the object (x, p->x, a[i].x, ns::x) whose last token is at index `end`. Returns the
 * index of its first token, or SIZE_MAX if no object ends there.
 */
static size_t find_object_start(const struct token *tokens, size_t end)
{
	size_t at = end;

	for (;;) {
		while (is(&tokens[at], "]")) {
			at = match_back(tokens, at);
			if (!at)
				return SIZE_MAX;
			at--;
		}
		if (!is_word(&tokens[at]))
			return SIZE_MAX;
		if (!at ||
		    !(is(&tokens[at - 1], "->") || is(&tokens[at - 1], ".") || is(&tokens[at - 1], "::")))
			return at;
		if (at == 1)
			return at;
		at -= 2;
	}
}

static bool append_object(const struct token *tokens, size_t end, struct memphis_assigned *assigned)
{
	size_t at = find_object_start(tokens, end), depth = 0;

	if (at == SIZE_MAX)
		return false;
	/* Shorten this->x to x. */
	if (at + 2 <= end && is(&tokens[at], "this") && is(&tokens[at + 1], "->"))
		at += 2;
	assigned->name[0] = 0;
	for (; at <= end; at++) {
		if (is(&tokens[at], "]") && !--depth)
			append_name(assigned, "[]", 2);
		else if (is(&tokens[at], "["))
			depth++;
		else if (!depth)
			append_name(assigned, tokens[at].text, tokens[at].bytes);
	}
	return *assigned->name != 0;
}

/* Returns true if "(" follows the token at index `at`, directly or after template arguments. */
static bool is_called(const struct token *tokens, size_t count, size_t at)
{
	int depth = 0;

	for (at++; at < count; at++) {
		if (is(&tokens[at], "<"))
			depth++;
		else if (is(&tokens[at], ">") && depth)
			depth--;
		else if (!depth)
			return is(&tokens[at], "(");
	}
	return false;
}

static bool is_keyword(const struct token *token)
{
	static const char *const keywords[] = {"if",   "while", "for",  "switch", "sizeof",   "return",
					       "else", "do",    "case", "throw",  "co_return"};
	size_t i;

	for (i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (is(token, keywords[i]))
			return true;
	return false;
}

static bool is_allocator(const struct token *token)
{
	static const char *const names[] = {
		"malloc",  "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign",      "valloc",
		"pvalloc", "mmap",   "mmap64",  "shmat",        "strdup",        "posix_memalign"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is(token, names[i]))
			return true;
	return false;
}

/* Returns true if the token is the C++ operator `new`, which a type follows. Returns false for a C variable or member with this name. */
static bool is_operator_new(const struct token *tokens, size_t count, size_t at)
{
	const struct token *next = &tokens[at + 1];

	return is(&tokens[at], "new") && !(at && (is(&tokens[at - 1], "->") || is(&tokens[at - 1], "."))) &&
	       at + 1 < count && (is_word(next) || is(next, "(") || is(next, "::"));
}

/* Returns true if the token is the function's name. The function's template arguments are ignored. */
static bool is_function_name(const struct token *token, const char *function)
{
	const size_t bytes = strcspn(function, "<");

	return token->bytes == bytes && !memcmp(token->text, function, bytes);
}

/* Returns true for an operator new. Also returns true for "", which means any allocator. */
static bool is_allocation_function(const char *function)
{
	return !*function || !strncmp(function, "operator new", 12) || !strncmp(function, "_Zn", 3);
}

/* Returns true if the token calls `callee`, or any allocator if `callee` is "". */
static bool is_call_of(const struct token *tokens, size_t count, size_t at, const char *callee)
{
	if (is_allocation_function(callee) && is_operator_new(tokens, count, at))
		return true;
	if (!is_word(&tokens[at]))
		return false;
	if (!*callee)
		return !is_keyword(&tokens[at]) && is_called(tokens, count, at) && is_allocator(&tokens[at]);
	return is_function_name(&tokens[at], callee) &&
	       (is_called(tokens, count, at) || (at + 1 < count && is(&tokens[at + 1], "<")));
}

/* Returns the index of the call if the statement calls exactly one function, otherwise SIZE_MAX. */
static size_t find_only_call(const struct token *tokens, size_t count)
{
	size_t at, found = SIZE_MAX;

	for (at = 0; at < count; at++) {
		if (!is_word(&tokens[at]) || is_keyword(&tokens[at]) || !is_called(tokens, count, at))
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = at;
	}
	return found;
}

/* Returns the index of the call of the function, or SIZE_MAX if the statement does not contain it. */
static size_t find_call(const struct token *tokens, size_t count, const char *callee)
{
	size_t at, first = SIZE_MAX, after_assignment = SIZE_MAX;
	bool assigned = false;

	for (at = 0; at < count; at++) {
		if (is_call_of(tokens, count, at, callee))
			return at;
		if (is(&tokens[at], "="))
			assigned = true;
		if (!is_word(&tokens[at]) || is_keyword(&tokens[at]) || !is_called(tokens, count, at))
			continue;
		if (first == SIZE_MAX)
			first = at;
		if (assigned && after_assignment == SIZE_MAX)
			after_assignment = at;
	}
	/* The callee is a function object. Its call has the name of a variable, so accept the only call of the statement. */
	if (!strncmp(callee, "operator()", 10))
		return find_only_call(tokens, count);
	/* A macro or a function pointer may hide the call of the allocator. Use the first call on the right side of the assignment, or else the first call. */
	if (*callee)
		return SIZE_MAX;
	return after_assignment != SIZE_MAX ? after_assignment : first;
}

/* Returns the index of the token before the call, or SIZE_MAX if there is none. Skips casts and opening parentheses. */
static size_t token_before_call(const struct token *tokens, size_t call)
{
	size_t at = call, open;

	while (at > 1 && (is(&tokens[at - 1], "::") || is(&tokens[at - 1], ".") || is(&tokens[at - 1], "->")))
		at -= 2;
	while (at) {
		at--;
		if (is(&tokens[at], ")")) {
			open = match_back(tokens, at);
			/* The parentheses of a condition, as in if (x) malloc(..), are not a cast. */
			if (!open || (is_word(&tokens[open - 1]) && is_keyword(&tokens[open - 1]) &&
				      !is(&tokens[open - 1], "return")))
				return SIZE_MAX;
			at = open;
		} else if (is(&tokens[at], ">")) {
			/* Skip the template arguments of a cast such as static_cast<double *>(...). */
			while (at && !is(&tokens[at], "<"))
				at--;
			if (at)
				at--;
		} else if (!is(&tokens[at], "(")) {
			return at;
		}
	}
	return SIZE_MAX;
}

/* Returns the index of the name before template arguments that end at index `at`, or 0. */
static size_t token_before_template(const struct token *tokens, size_t at)
{
	int depth = 0;

	for (; at; at--) {
		if (is(&tokens[at], ">"))
			depth++;
		else if (is(&tokens[at], "<") && !--depth)
			return at - 1;
	}
	return 0;
}

static bool is_type_keyword(const struct token *token)
{
	return is(token, "struct") || is(token, "class") || is(token, "union") || is(token, "enum") ||
	       is(token, "namespace");
}

/*
 * Returns the index of the name before the bracket around the token at `at`. This name is the function that
 * gets the token as an argument, or the variable that is initialized. Skips casts and brackets that only
 * group. Returns SIZE_MAX if there is no such name.
 */
static size_t find_enclosing_name(const struct token *tokens, size_t at)
{
	size_t name;

	for (;;) {
		at = find_open(tokens, at);
		if (at == SIZE_MAX || !at || is(&tokens[at], "["))
			return SIZE_MAX;
		name = at - 1;
		if (is(&tokens[name], ">"))
			name = token_before_template(tokens, name);
		if (!is_word(&tokens[name]) || ends_with(&tokens[name], "_cast"))
			continue;
		return is_keyword(&tokens[name]) || (name && is_type_keyword(&tokens[name - 1])) ? SIZE_MAX
												 : name;
	}
}

/* Returns true if the name at index `at`, which is followed by a bracket, is a variable that is being declared. */
static bool is_declarator(const struct token *tokens, size_t at)
{
	const struct token *before;

	if (!at)
		return false;
	before = &tokens[at - 1];
	if (is_word(before))
		return !is_keyword(before) && !is(before, "new");
	if (at > 1 && (is(before, "*") || is(before, "&")))
		return is_word(&tokens[at - 2]) && !is_keyword(&tokens[at - 2]);
	return is(before, ">") || (is(before, ",") && find_open(tokens, at) == SIZE_MAX);
}

/* Stores the name of the object whose member function is called: x in x.resize(n), v in v->push_back(..). */
static bool append_receiver(const struct token *tokens, size_t call, struct memphis_assigned *assigned)
{
	if (call < 2 || !(is(&tokens[call - 1], ".") || is(&tokens[call - 1], "->")))
		return false;
	return append_object(tokens, call - 2, assigned);
}

/* Returns true if the name at `at`, with its parameters, is the head of a function definition. */
static bool begins_function_body(const struct token *tokens, size_t count, size_t at)
{
	size_t end = is(&tokens[at + 1], "(") ? match_forward(tokens, count, at + 1) : count;

	return end + 1 < count && is(&tokens[end + 1], "{");
}

/* Returns the index of the next name after `at` that the statement declares or assigns, such as b in `a(n), b(m)`. Returns SIZE_MAX if there is none. */
static size_t next_declared(const struct token *tokens, size_t count, size_t at)
{
	int depth = 0;

	for (; at + 1 < count && depth >= 0 && (depth || !is(&tokens[at], ";")); at++) {
		if (is_opening(&tokens[at]))
			depth++;
		else if (is_closing(&tokens[at]))
			depth--;
		if (depth || !is(&tokens[at], ","))
			continue;
		while (at + 2 < count && (is(&tokens[at + 1], "*") || is(&tokens[at + 1], "&")))
			at++;
		if (at + 2 < count && is_word(&tokens[at + 1]) &&
		    (is(&tokens[at + 2], "=") || is(&tokens[at + 2], "(") || is(&tokens[at + 2], "{") ||
		     is(&tokens[at + 2], ",") || is(&tokens[at + 2], ";")))
			return at + 1;
	}
	return SIZE_MAX;
}

/* Returns true if the list "x|y" contains the name. */
static bool has_listed_name(const char *list, const char *name)
{
	size_t bytes = strlen(name);

	while (strncmp(list, name, bytes) || (list[bytes] && list[bytes] != '|')) {
		list = strchr(list, '|');
		if (!list)
			return false;
		list++;
	}
	return true;
}

void memphis_assigned_join(char *list, size_t size, const char *name)
{
	size_t have = strlen(list);

	if (has_listed_name(list, name) || has_listed_name(list, "..."))
		return;
	if (have && have + strlen(name) + sizeof("||...") > size)
		name = "...";
	if (have + strlen(name) + 2 <= size)
		sprintf(list + have, "%s%s", have ? "|" : "", name);
}

/* Appends the names that the statement declares or assigns after index `at`. */
static void append_next_declared(const struct token *tokens, size_t count, size_t at,
				 struct memphis_assigned *assigned)
{
	struct memphis_assigned other;

	while ((at = next_declared(tokens, count, at)) != SIZE_MAX)
		if (append_object(tokens, at, &other))
			memphis_assigned_join(assigned->name, sizeof(assigned->name), other.name);
}

/* Returns true if the token before the word can end a type: it is another word, `>` or `*`. */
static bool is_behind_type(const struct token *tokens, size_t at)
{
	return is_word(&tokens[at]) && !is_keyword(&tokens[at - 1]) &&
	       (is_word(&tokens[at - 1]) || is(&tokens[at - 1], ">") || is(&tokens[at - 1], "*"));
}

/* Returns the index at which the template arguments that begin at `at` end, or `at` if no template arguments begin there. */
static size_t skip_template_arguments(const struct token *tokens, size_t count, size_t at)
{
	int depth = 0, brackets = 0;
	size_t end;

	if (!is(&tokens[at], "<"))
		return at;
	for (end = at; end < count && brackets >= 0 && !is(&tokens[end], ";") && !is(&tokens[end], "=");
	     end++) {
		brackets += is_opening(&tokens[end]) - is_closing(&tokens[end]);
		depth += is(&tokens[end], "<") - is(&tokens[end], ">") - 2 * is(&tokens[end], ">>");
		if (depth <= 0)
			return end;
	}
	return at;
}

/* Stores the name of the variable that the statement declares: x in std::vector<double> x(n), T x{...}, T x = y, and unique_ptr<T> x(new T). */
static bool append_declared(const struct token *tokens, size_t count, size_t call,
			    struct memphis_assigned *assigned)
{
	bool is_listed = false; /* the declaration has an earlier name without an initializer: T a, b(1) */
	size_t at, next;

	for (at = 1; at + 1 < count; at++) {
		at = skip_template_arguments(tokens, count, at);
		if (at + 1 >= count || is(&tokens[at], "=") || is(&tokens[at], ";"))
			return false;
		if (is(&tokens[at], "__attribute__") || is(&tokens[at], "alignas")) {
			at = match_forward(tokens, count, at + 1);
			continue;
		}
		is_listed |= is(&tokens[at + 1], ",") && is_behind_type(tokens, at);
		if (!is(&tokens[at + 1], "(") && !is(&tokens[at + 1], "{") && !is(&tokens[at + 1], "=") &&
		    !is(&tokens[at + 1], ";"))
			continue;
		if (!is_word(&tokens[at]) || at == call || is_keyword(&tokens[at - 1]))
			continue;
		if (is_type_keyword(&tokens[at - 1]))
			return false;
		if (!is_behind_type(tokens, at) && !(is_listed && is(&tokens[at - 1], ",")))
			return false;
		if (begins_function_body(tokens, count, at))
			return false;
		/* A visible call belongs to the last name before it. A constructor call may belong to any of the names. */
		while (call != SIZE_MAX && (next = next_declared(tokens, count, at)) < call)
			at = next;
		if (!append_object(tokens, at, assigned))
			return false;
		if (call == SIZE_MAX || call < at)
			append_next_declared(tokens, count, at, assigned);
		return true;
	}
	return false;
}

/* Returns true if another initializer or a function body follows the brackets that open at index `at`. */
static bool is_initializer_followed(const struct token *tokens, size_t count, size_t at)
{
	const size_t end = match_forward(tokens, count, at);

	return end + 1 < count && (is(&tokens[end + 1], ",") || is(&tokens[end + 1], "{"));
}

/*
 * Returns true if the name at index `at` is an entry of a constructor's initializer list, such as Class() :
 * member(new T), other(n). The list may begin on an earlier line.
 */
static bool is_member_initializer(const struct token *tokens, size_t count, size_t at)
{
	const bool begins_body = count && (is(&tokens[count - 1], "{") || is(&tokens[count - 1], "}"));

	/* Skip the preceding initializers, `member(...),`, back to the colon that begins the list. */
	while (at && is(&tokens[at - 1], ",")) {
		if (at < 3 || !is_closing(&tokens[at - 2]))
			return false;
		at = match_back(tokens, at - 2);
		if (!at || !is_word(&tokens[at - 1]))
			return false;
		at--;
	}
	if (!at)
		return begins_body && is_initializer_followed(tokens, count, 1);
	if (!is(&tokens[at - 1], ":"))
		return false;
	for (at--; at--;)
		if (is(&tokens[at], "?"))
			return false;
	return true;
}

/* Stores ".member" and the path: the place of the block in the object whose constructor runs. */
static void append_member(const struct token *tokens, size_t at, const char *path,
			  struct memphis_assigned *assigned)
{
	assigned->kind = MEMPHIS_ASSIGNED_OBJECT;
	snprintf(assigned->name, sizeof(assigned->name), ".%.*s%s", (int)tokens[at].bytes, tokens[at].text,
		 path);
}

/* Stores all names of a declaration `auto [a, b] = f()`. Returns false if no such declaration ends at index `end`. */
static bool append_binding(const struct token *tokens, size_t end, const char *path,
			   struct memphis_assigned *assigned)
{
	const unsigned long wanted = *path == '#' ? strtoul(path + 1, NULL, 10) : ULONG_MAX;
	unsigned long position = 0;
	size_t at = is(&tokens[end], "]") ? match_back(tokens, end) : 0, before = at;
	char name[sizeof(assigned->name)];

	while (before && is(&tokens[before - 1], "&"))
		before--;
	if (!before || !is(&tokens[before - 1], "auto"))
		return false;
	for (at++; at < end; at++) {
		snprintf(name, sizeof(name), "%.*s", (int)tokens[at].bytes, tokens[at].text);
		if (!is_word(&tokens[at]))
			continue;
		if (wanted == ULONG_MAX || position == wanted)
			memphis_assigned_join(assigned->name, sizeof(assigned->name), name);
		position++;
	}
	return true;
}

/* If brackets enclose the whole object before index `end`, returns the index of the closing one; otherwise `end`. */
static size_t skip_brackets(const struct token *tokens, size_t end)
{
	size_t open, start;

	while (end > 2 && is(&tokens[end - 1], ")")) {
		open = match_back(tokens, end - 1);
		start = find_object_start(tokens, end - 2);
		start -= start == open + 2 && is(&tokens[open + 1], "*");
		if (start != open + 1 || (open && is_word(&tokens[open - 1])))
			break;
		end--;
	}
	return end;
}

static void append_left_side(const struct token *tokens, size_t equals, const char *path,
			     struct memphis_assigned *assigned)
{
	char name[sizeof(assigned->name)];
	size_t start;

	equals = skip_brackets(tokens, equals);
	if (!equals)
		return;
	if (append_binding(tokens, equals - 1, path, assigned)) {
		assigned->kind = MEMPHIS_ASSIGNED_NAME;
		return;
	}
	if (!append_object(tokens, equals - 1, assigned))
		return;
	assigned->kind = MEMPHIS_ASSIGNED_NAME;
	start = find_object_start(tokens, equals - 1);
	/* Distinguish the assignment `*p = f()` from the declaration `double *p = f()`. */
	if (start && is(&tokens[start - 1], "*") &&
	    (start == 1 ||
	     !(is_word(&tokens[start - 2]) || is(&tokens[start - 2], "*") || is(&tokens[start - 2], ">") ||
	       is(&tokens[start - 2], ",") || is(&tokens[start - 2], ")")))) {
		snprintf(name, sizeof(name), "%s", assigned->name);
		snprintf(assigned->name, sizeof(assigned->name), "*%.*s", (int)sizeof(name) - 2, name);
	}
}

/* Appends the path to each name in the list. If the names are pointers, a "." at the start of the path becomes "->". */
static void add_path(struct memphis_assigned *assigned, const char *path, bool pointer)
{
	char whole[sizeof(assigned->name)] = "", one[sizeof(whole)];
	const char *name = assigned->name;
	const bool starred = *name == '*', arrow = (pointer || starred) && *path == '.';
	size_t bytes;

	if (!*path || *path == '#' || !strcmp(path, "*"))
		return;
	for (name += starred; *name; name += bytes, name += *name == '|') {
		bytes = strcspn(name, "|");
		snprintf(one, sizeof(one), "%.*s%s%s", (int)bytes, name, arrow ? "->" : "", path + arrow);
		memphis_assigned_join(whole, sizeof(whole), one);
	}
	memcpy(assigned->name, whole, sizeof(whole));
}

/* Returns true for the member functions that insert an element into a container. */
static bool is_insertion_function(const struct token *token)
{
	static const char *const names[] = {"push_back", "emplace_back", "push_front",  "emplace_front",
					    "insert",    "emplace",      "try_emplace", "push"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is(token, names[i]))
			return true;
	return false;
}

/* Appends the container into which the call at index `call` inserts its argument, or the smart pointer that it resets. */
static bool append_container(const struct token *tokens, size_t call, struct memphis_assigned *assigned)
{
	if (is(&tokens[call], "reset"))
		return append_receiver(tokens, call, assigned);
	if (!is_insertion_function(&tokens[call]) || !append_receiver(tokens, call, assigned))
		return false;
	append_name(assigned, "[]", 2);
	return true;
}

/* If index `at` is inside a `?:`, goes back to the "=" or "return" before its condition. Returns the new index. */
static size_t skip_condition(const struct token *tokens, size_t at)
{
	if (!is(&tokens[at], "?") && !is(&tokens[at], ":"))
		return at;
	while (at && !is(&tokens[at], "=") && !is(&tokens[at], "return") && !is(&tokens[at], ";") &&
	       !is(&tokens[at], "{")) {
		at--;
		if (is_closing(&tokens[at]))
			at = match_back(tokens, at);
	}
	return at;
}

/* Returns true if the token at index `at` is in the list of `return {a, b};`. */
static bool is_returned_list(const struct token *tokens, size_t at)
{
	const size_t open = is(&tokens[at], "{") ? at : find_open(tokens, at);

	return open != SIZE_MAX && open && is(&tokens[open], "{") && is(&tokens[open - 1], "return");
}

/* Returns the number of values before the token at index `at` in its list. */
static unsigned int position_in_list(const struct token *tokens, size_t at)
{
	const size_t open = find_open(tokens, at);
	unsigned int position = 0;
	int depth = 0;

	/* Start before the value, and go outwards: a cast may enclose the value. */
	while (open != SIZE_MAX && at > open + 1) {
		at--;
		depth += is_closing(&tokens[at]);
		depth -= is_opening(&tokens[at]);
		position += !depth && is(&tokens[at], ",");
	}
	return open == SIZE_MAX || is(&tokens[open], "{") ? position
							  : position + position_in_list(tokens, open);
}

/* Returns true if the "=" at index `at` belongs to a designated initializer, `.x = value` in a list. */
static bool is_in_designator(const struct token *tokens, size_t at)
{
	return is(&tokens[at], "=") && at > 2 && is_word(&tokens[at - 1]) && is(&tokens[at - 2], ".") &&
	       (is(&tokens[at - 3], "{") || is(&tokens[at - 3], ","));
}

#define NESTING_MAX 8 /* maximum number of nested calls on a line that pass the block on */

/* Finds the object to which the statement assigns the result of the call. */
static void find_target_of_call(const struct token *tokens, size_t count, size_t call, const char *path,
				struct memphis_assigned *assigned)
{
	char designated[128], inner[sizeof(designated)];
	bool is_new = is(&tokens[call], "new");
	size_t before, outer, level;

	memset(assigned, 0, sizeof(*assigned));
	for (level = 0; level < NESTING_MAX && assigned->kind == MEMPHIS_ASSIGNED_NOTHING; level++) {
		before = token_before_call(tokens, call);
		outer = find_enclosing_name(tokens, call);
		if (before != SIZE_MAX)
			before = skip_condition(tokens, before);
		if (before != SIZE_MAX && !*path && is_returned_list(tokens, before) &&
		    (outer == SIZE_MAX || outer < before)) {
			assigned->kind = MEMPHIS_ASSIGNED_RETURN;
			snprintf(assigned->name, sizeof(assigned->name), "#%u",
				 position_in_list(tokens, call));
			return;
		}
		if (before != SIZE_MAX && is(&tokens[before], "return") &&
		    (outer == SIZE_MAX || outer < before)) {
			assigned->kind = MEMPHIS_ASSIGNED_RETURN;
			snprintf(assigned->name, sizeof(assigned->name), "%s%s",
				 is_new && *path == '.' ? "->" : "", path + (is_new && *path == '.'));
			return;
		}
		if (before != SIZE_MAX && is_in_designator(tokens, before)) {
			snprintf(inner, sizeof(inner), ".%.*s%s%.60s",
				 (int)(tokens[before - 1].bytes < 60 ? tokens[before - 1].bytes : 60),
				 tokens[before - 1].text, is_new && *path == '.' ? "->" : "",
				 path + (is_new && *path == '.'));
			call = find_open(tokens, before);
			if (call == SIZE_MAX || level + 1 == NESTING_MAX)
				return;
			memcpy(designated, inner, sizeof(inner));
			path = designated;
			is_new = false;
			continue;
		}
		if (before != SIZE_MAX && is(&tokens[before], "=") && (outer == SIZE_MAX || outer < before))
			append_left_side(tokens, before, path, assigned);
		else if (level ? append_container(tokens, call, assigned)
			       : append_receiver(tokens, call, assigned))
			assigned->kind = MEMPHIS_ASSIGNED_NAME;
		else if (outer != SIZE_MAX && is_member_initializer(tokens, count, outer))
			append_member(tokens, outer, "", assigned);
		else if ((outer == SIZE_MAX || is_declarator(tokens, outer)) &&
			 append_declared(tokens, count, call, assigned))
			assigned->kind = MEMPHIS_ASSIGNED_NAME;
		if (assigned->kind != MEMPHIS_ASSIGNED_NOTHING || outer == SIZE_MAX ||
		    is_declarator(tokens, outer))
			break;
		call = outer;
		assigned->passed_on = true;
	}
	if (assigned->kind != MEMPHIS_ASSIGNED_NOTHING)
		add_path(assigned, path, is_new);
	else
		assigned->passed_on = false;
}

/* Finds the range of tokens of argument `position` of the call. Returns false if the call has fewer arguments. */
static bool find_argument(const struct token *tokens, size_t count, size_t call, unsigned int position,
			  size_t *first, size_t *end)
{
	size_t at = call + 1, last;

	while (at < count && !is(&tokens[at], "("))
		at++;
	last = at < count ? match_forward(tokens, count, at) : count;
	for (at++; at < last; at = *end + 1) {
		*first = at;
		for (*end = at; *end < last && !is(&tokens[*end], ","); ++*end)
			if (is_opening(&tokens[*end]))
				*end = match_forward(tokens, count, *end);
		if (!position--)
			return *end <= last && *first < *end;
	}
	return false;
}

/* Finds the object to which the argument in [first, end) refers, and appends from->path to its name. */
static void find_target_of_argument(const struct token *tokens, size_t first, size_t end,
				    const struct memphis_handover *from, struct memphis_assigned *assigned)
{
	bool address = false, star = false;
	size_t close;

	/* Remove casts, brackets and operators before the object. */
	while (first < end) {
		if (is(&tokens[first], "&")) {
			address = true;
		} else if (is(&tokens[first], "*")) {
			star = true;
		} else if (is(&tokens[first], "(")) {
			close = match_forward(tokens, end, first);
			if (close + 1 == end)
				end = close;
			else
				first = close;
		} else if (ends_with(&tokens[first], "_cast") || is(&tokens[first], "std")) {
			while (first < end && !is(&tokens[first], "("))
				first++;
			first--;
		} else {
			break;
		}
		first++;
	}
	if (first >= end || find_object_start(tokens, end - 1) != first)
		return;
	if (is(&tokens[first], "this") && first + 1 == end) {
		assigned->kind = MEMPHIS_ASSIGNED_OBJECT;
		snprintf(assigned->name, sizeof(assigned->name), ".%s",
			 from->path + strspn(from->path, "->."));
		return;
	}
	if (!append_object(tokens, end - 1, assigned))
		return;
	assigned->kind = MEMPHIS_ASSIGNED_NAME;
	if (from->by_reference) {
		add_path(assigned, from->path, star);
		return;
	}
	/* The path starts at a pointer. If the argument is the address of an object, the path must start at the object instead. */
	if (address && !strncmp(from->path, "->", 2)) {
		append_name(assigned, ".", 1);
		append_name(assigned, from->path + 2, strlen(from->path + 2));
	} else if (address && !strncmp(from->path, "[]", 2)) {
		append_name(assigned, from->path + 2, strlen(from->path + 2));
	} else if (!address) {
		add_path(assigned, *from->path == '*' ? "[]" : from->path, false);
	}
}

/* Stores the paths of all members in the constructor's initializer list, as ".a.data|.b.data". Returns false if the statement has no such list. */
static bool append_members(const struct token *tokens, size_t count, const char *path,
			   struct memphis_assigned *assigned)
{
	struct memphis_assigned member;
	size_t at;

	for (at = 0; at + 1 < count; at++) {
		if (!is_word(&tokens[at]) || is_keyword(&tokens[at]) ||
		    !(is(&tokens[at + 1], "(") || is(&tokens[at + 1], "{")) ||
		    !is_member_initializer(tokens, count, at))
			continue;
		append_member(tokens, at, path, &member);
		assigned->kind = MEMPHIS_ASSIGNED_OBJECT;
		memphis_assigned_join(assigned->name, sizeof(assigned->name), member.name);
	}
	return *assigned->name;
}

/* Finds the object whose constructor the statement calls. */
static void find_constructed_object(const struct token *tokens, size_t count,
				    const struct memphis_handover *from, struct memphis_assigned *assigned)
{
	size_t at, next;

	for (at = 0; at < count; at++) {
		if (!is_word(&tokens[at]) || !is_function_name(&tokens[at], from->callee))
			continue;
		for (next = at + 1; next < count && is(&tokens[next], "<");)
			while (next < count && !is(&tokens[next++], ">"))
				;
		if (next < count && is_word(&tokens[next])) {
			memphis_assigned_find_object(tokens[at].text, assigned);
			if (assigned->kind == MEMPHIS_ASSIGNED_NAME)
				add_path(assigned, from->path, false);
			return;
		}
		if (next >= count || !(is(&tokens[next], "(") || is(&tokens[next], "{")))
			continue;
		/* The initializer names a base class, or the class itself (a delegating constructor). */
		if (is_member_initializer(tokens, count, at)) {
			assigned->kind = MEMPHIS_ASSIGNED_OBJECT;
			snprintf(assigned->name, sizeof(assigned->name), "%s", from->path);
			return;
		}
		next = match_forward(tokens, count, next) + 1;
		/* Skip the head of the constructor's own definition. */
		if (next < count && is(&tokens[next], ":"))
			continue;
		find_target_of_call(tokens, count, at && is(&tokens[at - 1], "new") ? at - 1 : at, from->path,
				    assigned);
		return;
	}
	if (append_members(tokens, count, from->path, assigned))
		return;
	memphis_assigned_find_object(tokens[0].text, assigned);
	if (assigned->kind == MEMPHIS_ASSIGNED_NAME)
		add_path(assigned, from->path, false);
}

/* Finds the object whose member function the statement calls. */
static void find_called_object(const struct token *tokens, size_t count, const struct memphis_handover *from,
			       struct memphis_assigned *assigned)
{
	size_t call = find_call(tokens, count, from->callee);

	if (call == SIZE_MAX) {
		memphis_assigned_find_object(tokens[0].text, assigned);
		if (assigned->kind == MEMPHIS_ASSIGNED_NAME && !strncmp(from->callee, "operator", 8))
			add_path(assigned, from->path, false);
		else
			memset(assigned, 0, sizeof(*assigned));
		return;
	}
	if (call > 1 && (is(&tokens[call - 1], ".") || is(&tokens[call - 1], "->")) &&
	    !is(&tokens[call - 2], "this")) {
		if (!append_object(tokens, call - 2, assigned))
			return;
		assigned->kind = MEMPHIS_ASSIGNED_NAME;
		add_path(assigned, from->path, is(&tokens[call - 1], "->"));
		return;
	}
	assigned->kind = MEMPHIS_ASSIGNED_OBJECT;
	snprintf(assigned->name, sizeof(assigned->name), "%s", from->path);
}

/* Finds the object that gets the block of the call at index `call`. */
static void find_target(const struct token *tokens, size_t count, size_t call,
			const struct memphis_handover *from, struct memphis_assigned *assigned)
{
	static const struct memphis_handover by_pointer = {.path = "*"};
	size_t first, end;

	memset(assigned, 0, sizeof(*assigned));
	if (is(&tokens[call], "posix_memalign")) {
		if (find_argument(tokens, count, call, 0, &first, &end))
			find_target_of_argument(tokens, first, end, &by_pointer, assigned);
	} else if (from->kind == MEMPHIS_HANDS_ARGUMENT) {
		if (find_argument(tokens, count, call, from->position, &first, &end))
			find_target_of_argument(tokens, first, end, from, assigned);
	} else {
		find_target_of_call(tokens, count, call, from->path, assigned);
	}
}

/* Reduces the names "x|y" or ".x|.y" to the one that is nearest before offset `at`, where the call is. */
static void keep_nearest(const char *text, const struct token *tokens, size_t count, size_t at,
			 struct memphis_assigned *assigned)
{
	const char *name, *found = NULL;
	size_t i, bytes, root;

	for (i = 0; i < count && (size_t)(tokens[i].text - text) <= at; i++)
		for (name = assigned->name; *name; name += strcspn(name, "|"), name += *name == '|') {
			bytes = strspn(name, ".*");
			root = strcspn(name + bytes, ".->[|");
			if (tokens[i].bytes == root && !memcmp(tokens[i].text, name + bytes, root))
				found = name;
		}
	if (!found)
		return;
	bytes = strcspn(found, "|");
	memmove(assigned->name, found, bytes);
	assigned->name[bytes] = '\0';
}

/*
 * Returns the index of the last call of the function that begins at or before offset from->at. If there is
 * none, returns the index of the first call, or SIZE_MAX.
 */
static size_t find_call_before_offset(const char *text, const struct token *tokens, size_t count,
				      const struct memphis_handover *from)
{
	size_t call = find_call(tokens, count, from->callee), at;

	for (at = call; at < count && (size_t)(tokens[at].text - text) <= from->at; at++)
		if (is_call_of(tokens, count, at, from->callee))
			call = at;
	return call;
}

static void find_target_in_statement(const char *text, const struct token *tokens, size_t count,
				     const struct memphis_handover *from, struct memphis_assigned *assigned)
{
	struct memphis_assigned other;
	size_t call, at;

	if (from->kind == MEMPHIS_HANDS_OBJECT && from->constructor) {
		find_constructed_object(tokens, count, from, assigned);
		return;
	}
	if (from->kind == MEMPHIS_HANDS_OBJECT) {
		find_called_object(tokens, count, from, assigned);
		return;
	}
	call = find_call_before_offset(text, tokens, count, from);
	if (call != SIZE_MAX)
		find_target(tokens, count, call, from, assigned);
	/* Calls by constructors and operators of library classes are not visible in the text. */
	if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING && from->kind == MEMPHIS_HANDS_UNKNOWN &&
	    !append_members(tokens, count, from->path, assigned))
		memphis_assigned_find_object(tokens[0].text, assigned);
	if (call == SIZE_MAX)
		return;
	for (at = call + 1; !from->at && at < count && assigned->kind == MEMPHIS_ASSIGNED_NAME; at++) {
		if (!is_call_of(tokens, count, at, from->callee))
			continue;
		find_target(tokens, count, at, from, &other);
		if (other.kind == MEMPHIS_ASSIGNED_NAME)
			memphis_assigned_join(assigned->name, sizeof(assigned->name), other.name);
	}
}

void memphis_assigned_find_c(const char *text, const struct memphis_handover *from,
			     struct memphis_assigned *assigned)
{
	struct token tokens[TOKENS_MAX];
	size_t count = memphis_c_tokenize(text, tokens);

	memset(assigned, 0, sizeof(*assigned));
	if (count)
		find_target_in_statement(text, tokens, count, from, assigned);
	if (from->at && from->kind != MEMPHIS_HANDS_RESULT)
		keep_nearest(text, tokens, count, from->at, assigned);
	assigned->several = strchr(assigned->name, '|');
}

/* Removes `for (...)` before a statement. The block is not assigned to the counters of the loop. Returns the number of remaining tokens. */
static size_t remove_loops(struct token *tokens, size_t count)
{
	size_t end;

	while (count > 1 && is(&tokens[0], "for")) {
		end = match_forward(tokens, count, 1) + 1;
		if (end >= count || is(&tokens[end], "{"))
			break;
		count -= end;
		memmove(tokens, tokens + end, count * sizeof(*tokens));
	}
	return count;
}

/* Finds the object that grows, x in x += y. Accepts it only if the right side has no call, because a call may allocate memory for itself. */
static void find_grown_object(const struct token *tokens, size_t count, struct memphis_assigned *assigned)
{
	size_t at, grows = 0;

	for (at = 1; at < count; at++) {
		if (is(&tokens[at], "("))
			return;
		if (is(&tokens[at], "+="))
			grows = at;
	}
	if (grows)
		append_left_side(tokens, grows, "", assigned);
}

void memphis_assigned_find_object(const char *text, struct memphis_assigned *assigned)
{
	struct token tokens[TOKENS_MAX];
	size_t count = remove_loops(tokens, memphis_c_tokenize(text, tokens)), at;

	memset(assigned, 0, sizeof(*assigned));
	for (at = 0; at < count && !is(&tokens[at], "="); at++)
		;
	if (at < count && at) {
		append_left_side(tokens, at, "", assigned);
		if (assigned->kind == MEMPHIS_ASSIGNED_NAME)
			append_next_declared(tokens, count, at, assigned);
	} else if (append_declared(tokens, count, SIZE_MAX, assigned)) {
		assigned->kind = MEMPHIS_ASSIGNED_NAME;
	}
	for (at = 2; assigned->kind == MEMPHIS_ASSIGNED_NOTHING && at < count; at++)
		if (is_word(&tokens[at]) && is_called(tokens, count, at) &&
		    append_receiver(tokens, at, assigned))
			assigned->kind = MEMPHIS_ASSIGNED_NAME;
	if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING)
		find_grown_object(tokens, count, assigned);
	assigned->several = strchr(assigned->name, '|');
}

void memphis_assigned_find_left_side(const struct token *tokens, size_t equals,
				     struct memphis_assigned *assigned)
{
	memset(assigned, 0, sizeof(*assigned));
	append_left_side(tokens, equals, "", assigned);
}
