// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the variable to which a C or C++ statement assigns an allocated block. Scans the tokens of the
 * statement; it does not parse the language.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "source/assigned.h"

#define TOKENS_MAX 512

struct token {
	const char *text;
	size_t bytes;
};

static bool is_word_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool is_word(const struct token *token)
{
	return is_word_start(*token->text);
}

static bool is(const struct token *token, const char *text)
{
	return token->bytes == strlen(text) && !memcmp(token->text, text, token->bytes);
}

static size_t string_bytes(const char *text)
{
	size_t bytes = 1;

	while (text[bytes] && text[bytes] != *text)
		bytes += text[bytes] == '\\' && text[bytes + 1] ? 2 : 1;
	return bytes + (text[bytes] != 0);
}

static size_t token_bytes(const char *text)
{
	static const char *const operators[] = {
		"<<=", ">>=", "...", "->*", "->", "::", "==", "!=", "<=", ">=", "+=", "-=",
		"*=",  "/=",  "%=",  "&=",  "|=", "^=", "&&", "||", "++", "--", "<<"};
	size_t bytes = 0, i;

	if (is_word_start(*text) || isdigit((unsigned char)*text)) {
		while (is_word_start(text[bytes]) || isdigit((unsigned char)text[bytes]))
			bytes++;
		return bytes;
	}
	if (*text == '"' || *text == '\'')
		return string_bytes(text);
	for (i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (!strncmp(text, operators[i], strlen(operators[i])))
			return strlen(operators[i]);
	return 1;
}

static size_t tokenize(const char *text, struct token *tokens)
{
	size_t count = 0;

	while (count < TOKENS_MAX) {
		text += strspn(text, " \t\r\n\v\f");
		if (!*text)
			break;
		tokens[count].text = text;
		tokens[count].bytes = token_bytes(text);
		text += tokens[count++].bytes;
	}
	return count;
}

static bool is_opening(const struct token *token)
{
	return is(token, "(") || is(token, "[") || is(token, "{");
}

static bool is_closing(const struct token *token)
{
	return is(token, ")") || is(token, "]") || is(token, "}");
}

/*
 * Returns the index of the opening bracket that matches the closing bracket at index `at`, or 0 if there is
 * none.
 */
static size_t match_back(const struct token *tokens, size_t at)
{
	int depth = 0;

	for (;; at--) {
		if (is_closing(&tokens[at]))
			depth++;
		else if (is_opening(&tokens[at]) && !--depth)
			return at;
		if (!at)
			return 0;
	}
}

static void append(struct memphis_assigned *assigned, const char *text, size_t bytes)
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
static size_t object_start(const struct token *tokens, size_t end)
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

static bool name_object(const struct token *tokens, size_t end, struct memphis_assigned *assigned)
{
	size_t at = object_start(tokens, end), depth = 0;

	if (at == SIZE_MAX)
		return false;
	/* Shorten this->x to x. */
	if (at + 2 <= end && is(&tokens[at], "this") && is(&tokens[at + 1], "->"))
		at += 2;
	assigned->name[0] = 0;
	for (; at <= end; at++) {
		if (is(&tokens[at], "]") && !--depth)
			append(assigned, "[]", 2);
		else if (is(&tokens[at], "["))
			depth++;
		else if (!depth)
			append(assigned, tokens[at].text, tokens[at].bytes);
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
	static const char *const keywords[] = {"if",     "while",  "for",  "switch",
					       "sizeof", "return", "else", "do"};
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

/* Returns true if the token is the operator `new` of C++, which a type follows, and not a variable or member of C with this name. */
static bool is_operator_new(const struct token *tokens, size_t count, size_t at)
{
	const struct token *next = &tokens[at + 1];

	return is(&tokens[at], "new") && !(at && (is(&tokens[at - 1], "->") || is(&tokens[at - 1], "."))) &&
	       at + 1 < count && (is_word(next) || is(next, "(") || is(next, "::"));
}

/* Returns true if the token is `new`, the name of the called function, or of any allocator if that is NULL. */
static bool is_call_of(const struct token *tokens, size_t count, size_t at, const char *callee)
{
	size_t bytes = callee ? strcspn(callee, "<") : 0;

	if (is_operator_new(tokens, count, at))
		return true;
	if (!is_word(&tokens[at]))
		return false;
	if (!callee)
		return !is_keyword(&tokens[at]) && is_called(tokens, count, at) && is_allocator(&tokens[at]);
	return tokens[at].bytes == bytes && !memcmp(tokens[at].text, callee, bytes) &&
	       (is_called(tokens, count, at) || (at + 1 < count && is(&tokens[at + 1], "<")));
}

/*
 * Returns the index of the call that allocates the block, or SIZE_MAX if the statement does not contain it.
 */
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
	/*
	 * A macro or a function pointer may hide the call of the allocator: use the first call on the right
	 * side of the assignment instead.
	 */
	if (callee)
		return SIZE_MAX;
	return after_assignment != SIZE_MAX ? after_assignment : first;
}

/*
 * Returns the index of the token before the call, ignoring casts and opening parentheses; SIZE_MAX if there
 * is no such token.
 */
static size_t before_call(const struct token *tokens, size_t call)
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

/* Stores the name of the object whose member function is called: x in x.resize(n), v in v->push_back(..). */
static bool name_receiver(const struct token *tokens, size_t call, struct memphis_assigned *assigned)
{
	if (call < 2 || !(is(&tokens[call - 1], ".") || is(&tokens[call - 1], "->")))
		return false;
	return name_object(tokens, call - 2, assigned);
}

static bool is_type_keyword(const struct token *token)
{
	return is(token, "struct") || is(token, "class") || is(token, "union") || is(token, "enum") ||
	       is(token, "namespace");
}

/* Returns the index of the bracket that closes the one at `at`, or `count`. */
static size_t match_forward(const struct token *tokens, size_t count, size_t at)
{
	int depth = 0;

	for (; at < count; at++) {
		if (is_opening(&tokens[at]))
			depth++;
		else if (is_closing(&tokens[at]) && !--depth)
			break;
	}
	return at;
}

/* Returns true if the name at `at`, with its parameters, begins the body of a function. */
static bool is_function(const struct token *tokens, size_t count, size_t at)
{
	size_t end = is(&tokens[at + 1], "(") ? match_forward(tokens, count, at + 1) : count;

	return end + 1 < count && is(&tokens[end + 1], "{");
}

/*
 * Returns the index of the next name that the statement declares or assigns to, after the one at `at`: b in `a(n),
 * b(m)`; SIZE_MAX if there is none.
 */
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
static bool lists(const char *list, const char *name)
{
	size_t bytes = strlen(name);

	for (; list; list = strchr(list, '|'), list += list != NULL)
		if (!strncmp(list, name, bytes) && (!list[bytes] || list[bytes] == '|'))
			return true;
	return false;
}

void memphis_assigned_join(char *list, size_t room, const char *name)
{
	size_t have = strlen(list);

	if (lists(list, name) || lists(list, "..."))
		return;
	if (have && have + strlen(name) + sizeof("||...") > room)
		name = "...";
	if (have + strlen(name) + 2 <= room)
		sprintf(list + have, "%s%s", have ? "|" : "", name);
}

/* Adds the names that the statement declares or assigns to after the first one. */
static void join_declared(const struct token *tokens, size_t count, struct memphis_assigned *assigned)
{
	struct memphis_assigned other;
	size_t at = 0;

	while ((at = next_declared(tokens, count, at)) != SIZE_MAX)
		if (name_object(tokens, at, &other))
			memphis_assigned_join(assigned->name, sizeof(assigned->name), other.name);
}

/*
 * Stores the name of the variable that is declared: x in std::vector<double> x(n), T x{...}, T x = y, and
 * unique_ptr<T> x(new T).
 */
static bool name_declared(const struct token *tokens, size_t count, size_t call,
			  struct memphis_assigned *assigned)
{
	size_t at, next;

	for (at = 1; at + 1 < count; at++) {
		if (is(&tokens[at], "=") || is(&tokens[at], ";"))
			return false;
		if (is(&tokens[at], "__attribute__") || is(&tokens[at], "alignas")) {
			at = match_forward(tokens, count, at + 1);
			continue;
		}
		if (!is(&tokens[at + 1], "(") && !is(&tokens[at + 1], "{") && !is(&tokens[at + 1], "=") &&
		    !is(&tokens[at + 1], ";"))
			continue;
		if (!is_word(&tokens[at]) || at == call || is_keyword(&tokens[at - 1]))
			continue;
		if (is_type_keyword(&tokens[at - 1]))
			return false;
		if (!is_word(&tokens[at - 1]) && !is(&tokens[at - 1], ">") && !is(&tokens[at - 1], "*"))
			return false;
		if (is_function(tokens, count, at))
			return false;
		/* The call belongs to the last name before it; a constructor, to any of the names. */
		while (call != SIZE_MAX && (next = next_declared(tokens, count, at)) < call)
			at = next;
		if (!name_object(tokens, at, assigned))
			return false;
		if (call == SIZE_MAX || call < at)
			join_declared(tokens, count, assigned);
		return true;
	}
	return false;
}

/*
 * Stores the name of the member that the call initializes in the initializer list of a constructor, such as
 * Class() : member(new T), other(n).
 */
static bool name_member(const struct token *tokens, size_t call, struct memphis_assigned *assigned)
{
	size_t at = call, name;
	int depth = 0;

	while (at && depth < 1) {
		at--;
		if (is_closing(&tokens[at]))
			depth--;
		else if (is_opening(&tokens[at]))
			depth++;
	}
	if (at < 2 || depth < 1 || is(&tokens[at], "[") || !is_word(&tokens[at - 1]))
		return false;
	name = at - 1;
	/* Skip the preceding initializers, `member(...),`, back to the colon that begins the list. */
	at = name - 1;
	while (is(&tokens[at], ",")) {
		if (!at || !is_closing(&tokens[at - 1]))
			return false;
		at = match_back(tokens, at - 1);
		if (at < 2 || !is_word(&tokens[at - 1]))
			return false;
		at -= 2;
	}
	if (!is(&tokens[at], ":"))
		return false;
	while (at--)
		if (is(&tokens[at], "?"))
			return false;
	return name_object(tokens, name, assigned);
}

static void name_by_address(const struct token *tokens, size_t count, size_t call,
			    struct memphis_assigned *assigned)
{
	int depth = 0;
	size_t at, end;

	for (at = call + 1; at + 1 < count; at++) {
		if (is_opening(&tokens[at]))
			depth++;
		else if (is_closing(&tokens[at]) && !--depth)
			return;
		if (!is(&tokens[at], "&") || !is_word(&tokens[at + 1]))
			continue;
		for (end = at + 1;
		     end + 1 < count && !is(&tokens[end + 1], ",") && !is_closing(&tokens[end + 1]); end++)
			if (is(&tokens[end + 1], "["))
				while (end + 1 < count && !is(&tokens[end + 1], "]"))
					end++;
		/* If a bracket is not closed, `end` is past the last token. */
		if (end < count && name_object(tokens, end, assigned))
			assigned->kind = MEMPHIS_ASSIGNED_NAME;
		return;
	}
}

static void name_left_side(const struct token *tokens, size_t equals, struct memphis_assigned *assigned)
{
	size_t start;

	if (!equals || !name_object(tokens, equals - 1, assigned))
		return;
	assigned->kind = MEMPHIS_ASSIGNED_NAME;
	start = object_start(tokens, equals - 1);
	/* Distinguish the assignment `*p = f()` from the declaration `double *p = f()`. */
	if (start && is(&tokens[start - 1], "*") &&
	    (start == 1 || !(is_word(&tokens[start - 2]) || is(&tokens[start - 2], "*") ||
			     is(&tokens[start - 2], ">") || is(&tokens[start - 2], ","))))
		assigned->kind = MEMPHIS_ASSIGNED_DEREF;
}

/* Finds the variable that the result of the call is assigned to. */
static void name_result(const struct token *tokens, size_t count, size_t call, bool by_address,
			struct memphis_assigned *assigned)
{
	size_t before;

	memset(assigned, 0, sizeof(*assigned));
	if (by_address || is(&tokens[call], "posix_memalign")) {
		name_by_address(tokens, count, call, assigned);
		return;
	}
	before = before_call(tokens, call);
	if (before != SIZE_MAX && is(&tokens[before], "return"))
		assigned->kind = MEMPHIS_ASSIGNED_RETURN;
	else if (before != SIZE_MAX && is(&tokens[before], "="))
		name_left_side(tokens, before, assigned);
	if (assigned->kind == MEMPHIS_ASSIGNED_NOTHING &&
	    (name_receiver(tokens, call, assigned) || name_member(tokens, call, assigned) ||
	     name_declared(tokens, count, call, assigned)))
		assigned->kind = MEMPHIS_ASSIGNED_NAME;
}

void memphis_assigned_c(const char *text, const char *callee, bool by_address,
			struct memphis_assigned *assigned)
{
	struct token tokens[TOKENS_MAX];
	size_t count = tokenize(text, tokens), call = find_call(tokens, count, callee), at;
	struct memphis_assigned other;

	memset(assigned, 0, sizeof(*assigned));
	if (call == SIZE_MAX)
		return;
	name_result(tokens, count, call, by_address, assigned);
	for (at = call + 1; at < count && *assigned->name; at++) {
		if (!is_call_of(tokens, count, at, callee))
			continue;
		name_result(tokens, count, at, by_address, &other);
		if (*other.name)
			memphis_assigned_join(assigned->name, sizeof(assigned->name), other.name);
	}
	assigned->several = strchr(assigned->name, '|');
}

void memphis_assigned_object(const char *text, struct memphis_assigned *assigned)
{
	struct token tokens[TOKENS_MAX];
	size_t count = tokenize(text, tokens), at;

	memset(assigned, 0, sizeof(*assigned));
	for (at = 0; at < count && !is(&tokens[at], "="); at++)
		;
	if (at < count && at) {
		name_left_side(tokens, at, assigned);
		if (assigned->kind == MEMPHIS_ASSIGNED_NAME)
			join_declared(tokens, count, assigned);
	} else if (name_declared(tokens, count, SIZE_MAX, assigned)) {
		assigned->kind = MEMPHIS_ASSIGNED_NAME;
	}
	for (at = 2; assigned->kind == MEMPHIS_ASSIGNED_NOTHING && at < count; at++)
		if (is_word(&tokens[at]) && is_called(tokens, count, at) &&
		    name_receiver(tokens, at, assigned))
			assigned->kind = MEMPHIS_ASSIGNED_NAME;
	assigned->several = strchr(assigned->name, '|');
}

bool memphis_assigned_returns(const char *body, size_t bytes, const char *name)
{
	size_t at, length = strlen(name);
	const char *next, *end = body + bytes;

	for (at = 0; at + 6 < bytes; at++) {
		if (strncmp(body + at, "return", 6) ||
		    (at && (is_word_start(body[at - 1]) || isdigit((unsigned char)body[at - 1]))))
			continue;
		next = body + at + 6;
		while (next < end && isspace((unsigned char)*next))
			next++;
		if (next < end && *next == '(') {
			/* Also accept `return (double *)p;` and `return (p);`. */
			const char *close = memchr(next, ')', (size_t)(end - next));
			const char *inner = next + 1;

			if (!close)
				return false;
			while (inner < close && isspace((unsigned char)*inner))
				inner++;
			if ((size_t)(close - inner) >= length && !memcmp(inner, name, length) &&
			    close - inner == (ptrdiff_t)length)
				return true;
			next = close + 1;
			while (next < end && isspace((unsigned char)*next))
				next++;
		}
		if ((size_t)(end - next) > length && !memcmp(next, name, length) &&
		    strchr("; \t\n)", next[length]))
			return true;
	}
	return false;
}
