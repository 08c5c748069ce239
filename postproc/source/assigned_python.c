// SPDX-License-Identifier: BSD-3-Clause
/* Finds the variable to which a statement of Python assigns the object that one of its expressions yields. */
#include "source/assigned.h"

#include <stdio.h>

#include "source/python_tokens.h"

/* What is searched for, and by whom. */
struct search {
	const struct memphis_python_expression *expression;
	bool (*others)(void *context, const struct memphis_python_expression *value);
	void *context;
	struct memphis_python_expression value; /* the whole value that the statement assigns */
	char key[128];                          /* "['heat']", of a dictionary in which the object is */
};

/* Tokens from index `from` to before index `to` of a statement. */
struct range {
	const struct token *tokens;
	size_t from, to;
};

static const char *begin_of(const struct range *range)
{
	return range->tokens[range->from].text;
}

static const char *end_of(const struct range *range)
{
	return range->tokens[range->to - 1].text + range->tokens[range->to - 1].bytes;
}

static bool contains(const struct range *range, const struct memphis_python_expression *expression)
{
	return range->from < range->to && begin_of(range) <= expression->from &&
	       expression->to <= end_of(range);
}

static bool is_any(const struct token *token, const char *const *texts)
{
	for (; *texts; texts++)
		if (is(token, *texts))
			return true;
	return false;
}

/* Returns the index of the first token outside of brackets that is one of the texts, from `at` on; range->to if there is none. */
static size_t find_any(const struct range *range, size_t at, const char *const *texts)
{
	for (; at < range->to; at++) {
		if (is_any(&range->tokens[at], texts))
			return at;
		if (is_opening(&range->tokens[at]))
			at = match_forward(range->tokens, range->to, at);
	}
	return range->to;
}

static bool has(const struct range *range, const char *text)
{
	const char *const texts[] = {text, NULL};

	return find_any(range, range->from, texts) < range->to;
}

/* Returns true if one pair of brackets, beginning with `bracket`, is around the whole range. */
static bool is_bracketed(const struct range *range, const char *bracket)
{
	return range->to - range->from >= 2 && is(&range->tokens[range->from], bracket) &&
	       match_forward(range->tokens, range->to, range->from) == range->to - 1;
}

static struct range inside(const struct range *range)
{
	return (struct range){range->tokens, range->from + 1, range->to - 1};
}

/* Removes brackets that only group. Those of a tuple or of a generator make another object. */
static void strip(struct range *range)
{
	struct range inner;

	while (is_bracketed(range, "(")) {
		inner = inside(range);
		if (inner.from == inner.to || has(&inner, ",") || has(&inner, "for"))
			return;
		*range = inner;
	}
}

/* Returns the part of the range, separated by one of the texts, that contains the expression; an empty one if there is none. */
static struct range part_of(const struct range *range, const char *const *separators,
			    const struct memphis_python_expression *expression)
{
	struct range part = {range->tokens, range->from, range->from};

	while (part.from < range->to) {
		part.to = find_any(range, part.from, separators);
		if (contains(&part, expression))
			return part;
		part.from = part.to + 1;
	}
	return (struct range){range->tokens, range->to, range->to};
}

static bool holds(struct search *search, struct range range);

static const char *const commas[] = {",", NULL};

/* Does the same as holds() for the elements of a list or set. */
static bool list_holds(struct search *search, struct range elements)
{
	static const char *const loops[] = {"for", "async", NULL};

	elements.to = find_any(&elements, elements.from, loops);
	return holds(search, part_of(&elements, commas, search->expression));
}

/* The same for a dictionary, or a set. */
static bool dictionary_holds(struct search *search, struct range items)
{
	static const char *const loops[] = {"for", "async", NULL}, *const colons[] = {":", NULL};
	const bool is_loop = find_any(&items, items.from, loops) < items.to;
	struct range item;
	size_t colon, used;

	items.to = find_any(&items, items.from, loops);
	item = part_of(&items, commas, search->expression);
	colon = find_any(&item, item.from, colons);
	if (item.from == item.to || colon == item.to)
		return holds(search, item);
	used = strlen(search->key);
	if (!is_loop && colon == item.from + 1 && strchr("'\"", *begin_of(&item)))
		snprintf(search->key + used, sizeof(search->key) - used, "[%.*s]",
			 (int)item.tokens[item.from].bytes, begin_of(&item));
	return holds(search, (struct range){item.tokens, colon + 1, item.to});
}

/* Returns true if nothing else in the value has allocated memory, so that the operations around the expression have used that of their operand. */
static bool is_alone(struct search *search)
{
	return !search->others(search->context, &search->value);
}

/* Returns true if the token at `at` is an operator between two operands, not before one. */
static bool is_between(const struct range *range, size_t at)
{
	static const char *const operators[] = {"+", "-",  "*", "/", "//", "%", "**",
						"&", "<<", "|", "^", ">>", NULL};
	const struct token *before = &range->tokens[at - 1];

	return at > range->from && is_any(&range->tokens[at], operators) && !is_any(before, operators) &&
	       !is(before, "~");
}

/*
 * Narrows the range to the operand of arithmetic that contains the expression, or to those of which the expression consists. Returns false if there is no
 * arithmetic outside of brackets.
 */
static bool find_operand(struct range *range, const struct memphis_python_expression *expression)
{
	struct range operand = {range->tokens, range->from, range->from};
	struct range found = {range->tokens, range->to, range->to};
	bool any = false;
	size_t at, first = range->to;

	for (at = range->from; at <= range->to; at++) {
		if (at < range->to && is_opening(&range->tokens[at])) {
			at = match_forward(range->tokens, range->to, at);
			continue;
		}
		if (at < range->to && !is_between(range, at))
			continue;
		any |= at < range->to;
		operand.to = at;
		if (operand.from < at && begin_of(&operand) == expression->from)
			first = operand.from;
		while (operand.from < at && strchr("+-~", *operand.tokens[operand.from].text)) {
			operand.from++;
			any = true;
		}
		if (contains(&operand, expression))
			found = operand;
		else if (first < at && end_of(&operand) == expression->to)
			found = (struct range){range->tokens, first, at};
		operand.from = at + 1;
	}
	if (any)
		*range = found;
	return any;
}

/* Returns true if the subscript has a slice or a new axis: then its result shares the memory of the object. */
static bool is_slice(const struct range *subscript)
{
	static const char *const views[] = {":", "...", "None", "newaxis", NULL};
	const struct range inner = inside(subscript);

	return find_any(&inner, inner.from, views) < inner.to;
}

/* Names by which programs import numpy. */
static const char *const modules[] = {"np", "numpy", "_nx", NULL};
/* Methods and attributes whose result usually shares the memory of their object. */
static const char *const views[] = {"reshape", "ravel",    "view", "squeeze", "transpose", "swapaxes",
				    "T",       "diagonal", "real", "imag",    "astype",    NULL};
/* Functions of numpy whose result usually is their first argument, or shares its memory. */
static const char *const passing[] = {
	"asarray", "asanyarray",  "ascontiguousarray", "moveaxis", "rollaxis",     "reshape",        "ravel",
	"squeeze", "expand_dims", "transpose",         "swapaxes", "broadcast_to", "asfortranarray", NULL};

/*
 * Narrows the range to the object of which it accesses an attribute, calls a method, or takes a slice, or which it gives to a function, whose result
 * usually shares the object's memory. Returns false if it does something else.
 */
static bool find_viewed(struct range *range)
{
	struct range last = *range;
	size_t name = range->to - 1;

	if (is_closing(&range->tokens[name])) {
		last.from = match_back(range->tokens, name);
		if (last.from <= range->from)
			return false;
		if (is(&range->tokens[last.from], "[") && is_slice(&last)) {
			range->to = last.from;
			return true;
		}
		if (!is(&range->tokens[last.from], "("))
			return false;
		name = last.from - 1;
	}
	if (name >= range->from + 2 && is(&range->tokens[name - 1], ".") &&
	    is_any(&range->tokens[name], views) &&
	    !(name == range->from + 2 && is_any(&range->tokens[range->from], modules))) {
		range->to = name - 1;
		return true;
	}
	if (name + 1 != last.from || !is_any(&range->tokens[name], passing))
		return false;
	range->from = last.from + 1;
	range->to = find_any(range, range->from, commas);
	if (range->to == last.to)
		range->to--;
	return range->from < range->to;
}

/* Returns true if the object that the tokens yield is, contains, or shares the memory of what the expression yields. */
static bool holds(struct search *search, struct range range)
{
	static const char *const others[] = {"lambda", "yield", "await", "not", "in", "is", "<", ">",
					     "<=",     ">=",    "==",    "!=",  ":=", "@",  ",", NULL};
	static const char *const conditions[] = {"if", NULL}, *const alternatives[] = {"else", NULL};
	static const char *const choices[] = {"or", "and", NULL};
	struct range part;
	size_t at;

	strip(&range);
	if (!contains(&range, search->expression))
		return false;
	if (begin_of(&range) == search->expression->from && end_of(&range) == search->expression->to)
		return true;
	at = find_any(&range, range.from, conditions);
	if (at < range.to) {
		part = (struct range){range.tokens, find_any(&range, at, alternatives) + 1, range.to};
		range.to = at;
		return holds(search, contains(&range, search->expression) ? range : part);
	}
	if (find_any(&range, range.from, choices) < range.to)
		return holds(search, part_of(&range, choices, search->expression));
	if (find_any(&range, range.from, others) < range.to)
		return false;
	if (is_bracketed(&range, "["))
		return list_holds(search, inside(&range));
	if (is_bracketed(&range, "{"))
		return dictionary_holds(search, inside(&range));
	return (find_operand(&range, search->expression) || find_viewed(&range)) && is_alone(search) &&
	       holds(search, range);
}

/*
 * Returns true if the tokens are a variable: a name, with attributes and keys that are texts. An element of an array is assigned a copy of the value.
 */
static bool is_variable(const struct range *target)
{
	size_t at = target->from;

	if (at == target->to || !is_word(&target->tokens[at]))
		return false;
	for (at++; at < target->to; at += 2) {
		if (is(&target->tokens[at], ".") && at + 1 < target->to)
			continue;
		if (!is(&target->tokens[at], "[") || at + 2 >= target->to ||
		    !strchr("'\"", *target->tokens[at + 1].text) || !is(&target->tokens[at + 2], "]"))
			return false;
		at++;
	}
	return true;
}

static void take_name(const struct search *search, const struct range *target,
		      struct memphis_assigned *assigned)
{
	size_t used = 0, at;

	if (!is_variable(target))
		return;
	for (at = target->from; at < target->to; at++)
		used += (size_t)snprintf(assigned->name + used,
					 used < sizeof(assigned->name) ? sizeof(assigned->name) - used : 0,
					 "%.*s", (int)target->tokens[at].bytes, target->tokens[at].text);
	used += (size_t)snprintf(assigned->name + used,
				 used < sizeof(assigned->name) ? sizeof(assigned->name) - used : 0, "%s",
				 search->key);
	if (used < sizeof(assigned->name))
		assigned->kind = MEMPHIS_ASSIGNED_NAME;
}

/* Returns the index of the part in which the expression is, and the number of all parts in *count. */
static size_t index_of(const struct range *range, const struct memphis_python_expression *expression,
		       size_t *count)
{
	struct range part = {range->tokens, range->from, range->from};
	size_t index = SIZE_MAX;

	for (*count = 0; part.from < range->to; ++*count) {
		part.to = find_any(range, part.from, commas);
		if (contains(&part, expression))
			index = *count;
		part.from = part.to + 1;
	}
	return index;
}

/* Narrows both to the element of a list "a, b = x, y" that has the expression. Returns false if they do not correspond. */
static bool find_element(struct range *targets, struct range *values,
			 const struct memphis_python_expression *expression)
{
	const size_t none = 0;
	size_t target_count, value_count, index;
	struct range part = {targets->tokens, targets->from, targets->from};

	index_of(targets, expression, &target_count);
	index = index_of(values, expression, &value_count);
	if (target_count == 1 && value_count == 1)
		return true;
	if (index == SIZE_MAX || target_count != value_count || has(targets, "*") || has(values, "*"))
		return false;
	*values = part_of(values, commas, expression);
	for (;; index--) {
		part.to = find_any(targets, part.from, commas);
		if (index == none)
			break;
		part.from = part.to + 1;
	}
	*targets = part;
	return true;
}

/* Passes over the head of a compound statement that has its body in the same line. */
static void pass_head(struct range *range)
{
	static const char *const heads[] = {"if",  "elif",   "else",    "for", "while", "with",
					    "try", "except", "finally", "def", "class", NULL};
	static const char *const colons[] = {":", NULL};
	const size_t colon =
		is_any(&range->tokens[range->from], heads) ? find_any(range, range->from, colons) : range->to;

	if (colon + 1 < range->to)
		range->from = colon + 1;
}

static void analyse(struct search *search, struct range range, struct memphis_assigned *assigned)
{
	static const char *const equals[] = {"=", NULL}, *const colons[] = {":", NULL};
	static const char *const changes[] = {
		"+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", ">>=", "<<=", NULL};
	struct range targets = range, values = range;
	size_t at;

	pass_head(&range);
	if (is(&range.tokens[range.from], "return")) {
		range.from++;
		if (range.from == range.to)
			return;
		search->value = (struct memphis_python_expression){begin_of(&range), end_of(&range)};
		if (holds(search, range) && !*search->key)
			assigned->kind = MEMPHIS_ASSIGNED_RETURN;
		return;
	}
	at = find_any(&range, range.from, changes);
	if (at < range.to) {
		/* The operation itself, not the value. */
		targets = (struct range){range.tokens, range.from, at};
		if (begin_of(&range) == search->expression->from && end_of(&range) == search->expression->to)
			take_name(search, &targets, assigned);
		return;
	}
	at = find_any(&range, range.from, equals);
	/* If there are several targets, the object has several names. */
	if (at + 1 >= range.to || find_any(&range, at + 1, equals) < range.to)
		return;
	targets = (struct range){range.tokens, range.from, at};
	values = (struct range){range.tokens, at + 1, range.to};
	targets.to = find_any(&targets, targets.from, colons); /* an annotation */
	if (!contains(&values, search->expression))
		return;
	strip(&values);
	if (!find_element(&targets, &values, search->expression))
		return;
	search->value = (struct memphis_python_expression){begin_of(&values), end_of(&values)};
	if (holds(search, values))
		take_name(search, &targets, assigned);
}

/* Finds the statement that contains the expression. Returns false if there is none, or it is too long. */
static bool find_statement(const struct memphis_source_file *file,
			   const struct memphis_python_expression *expression,
			   struct python_statement *statement)
{
	const char *at = file->text;

	while (memphis_python_statement_next(file, &at, statement))
		if (statement->end >= expression->to)
			return statement->count && statement->tokens[0].text <= expression->from;
	return false;
}

void memphis_assigned_python(const struct memphis_source_file *file,
			     const struct memphis_python_expression *expression,
			     bool (*others)(void *context, const struct memphis_python_expression *value),
			     void *context, struct memphis_assigned *assigned)
{
	struct search search = {.expression = expression, .others = others, .context = context};
	struct python_statement statement;

	memset(assigned, 0, sizeof(*assigned));
	if (find_statement(file, expression, &statement))
		analyse(&search, (struct range){statement.tokens, 0, statement.count}, assigned);
}

/* Returns true if the value is the variable, or shares its memory. */
static bool keeps(struct search *search, struct range value, const char *name)
{
	bool is_same = true;

	search->value = (struct memphis_python_expression){begin_of(&value), end_of(&value)};
	strip(&value);
	while (is_same && value.to > value.from + 1) {
		is_same = find_viewed(&value) && is_alone(search);
		strip(&value);
	}
	return is_same && value.from + 1 == value.to && is(&value.tokens[value.from], name);
}

/* Returns true if the statement returns the variable, or what shares its memory. */
static bool is_returned(struct search *search, const struct python_statement *statement, const char *name)
{
	struct range value = {statement->tokens, 0, statement->count};

	pass_head(&value);
	if (!is(&value.tokens[value.from], "return") || value.from + 1 == value.to)
		return false;
	value.from++;
	return keeps(search, value, name);
}

/* Returns true if arithmetic with the variable is in the value. */
static bool is_calculated(const struct range *value, const char *name)
{
	struct memphis_python_expression variable;
	struct range operand;
	size_t at;

	for (at = value->from; at < value->to; at++) {
		variable = (struct memphis_python_expression){
			value->tokens[at].text, value->tokens[at].text + value->tokens[at].bytes};
		operand = *value;
		if (is(&value->tokens[at], name) && find_operand(&operand, &variable) && operand.from == at &&
		    operand.to == at + 1)
			return true;
	}
	return false;
}

/* Returns true if the statement assigns something else to the variable. What is calculated from it would have memory of its own. */
static bool is_changed(struct search *search, const struct python_statement *statement, const char *name)
{
	static const char *const equals[] = {"=", NULL}, *const in[] = {"in", NULL};
	struct range range = {statement->tokens, 0, statement->count}, value;
	const bool is_loop = is(&range.tokens[0], "for");
	size_t end, at;

	if (!is_loop)
		pass_head(&range);
	end = find_any(&range, range.from, is_loop ? in : equals);
	for (at = range.from; at < end && end < range.to; at++)
		if (is(&range.tokens[at], name) && !(at && is(&range.tokens[at - 1], ".")) &&
		    !is(&range.tokens[at + 1], ".") && !is(&range.tokens[at + 1], "["))
			break;
	if (at >= end || end == range.to)
		return false;
	value = (struct range){range.tokens, end + 1, range.to};
	if (is_loop || at != range.from || end != at + 1 || value.from == value.to ||
	    find_any(&value, value.from, equals) < value.to)
		return true;
	search->value = (struct memphis_python_expression){begin_of(&value), end_of(&value)};
	return !keeps(search, value, name) && !(is_calculated(&value, name) && is_alone(search));
}

/* Returns true if the statement defines the function. */
static bool defines(const struct python_statement *statement, const char *function)
{
	const size_t at = statement->count && is(&statement->tokens[0], "async");

	return statement->count > at + 1 && is(&statement->tokens[at], "def") &&
	       is(&statement->tokens[at + 1], function);
}

bool memphis_assigned_python_returns(
	const struct memphis_source_file *file, const struct memphis_python_expression *expression,
	const char *function, const char *name,
	bool (*others)(void *context, const struct memphis_python_expression *value), void *context)
{
	struct search search = {.expression = expression, .others = others, .context = context};
	bool inside = false, passed = false, returned = false;
	const char *at = file->text;
	struct python_statement statement;
	size_t indent = 0;

	while (memphis_python_statement_next(file, &at, &statement)) {
		if (statement.end < expression->to) {
			if (defines(&statement, function)) {
				inside = true;
				indent = statement.indent;
			} else if (inside && statement.indent <= indent) {
				inside = false;
			}
			continue;
		}
		if (!inside || (passed && statement.indent <= indent) || !statement.count)
			return returned;
		if (passed && is_changed(&search, &statement, name))
			return false;
		returned |= passed && is_returned(&search, &statement, name);
		passed = true;
	}
	return returned;
}
