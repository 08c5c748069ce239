// SPDX-License-Identifier: BSD-3-Clause
/* Finds the variable to which a Python statement assigns the object that one of its expressions creates. */
#include "source/assigned.h"

#include <stdio.h>

#include "source/python_tokens.h"

/* A search for the variable that gets the object of an expression. */
struct search {
	const struct memphis_python_expression *expression;
	bool (*others)(void *context, const struct memphis_python_expression *value);
	void *context;
	struct memphis_python_expression value; /* the complete value that the statement assigns */
	/* Key of the dictionary item that has the object, such as "['heat']". */
	char key[128];
};

/* The tokens [from, to) of a statement. */
struct range {
	const struct token *tokens;
	size_t from, to;
};

static const char *range_start(const struct range *range)
{
	return range->tokens[range->from].text;
}

static const char *range_end(const struct range *range)
{
	return range->tokens[range->to - 1].text + range->tokens[range->to - 1].bytes;
}

static bool contains_expression(const struct range *range, const struct memphis_python_expression *expression)
{
	return range->from < range->to && range_start(range) <= expression->from &&
	       expression->to <= range_end(range);
}

static bool is_one_of(const struct token *token, const char *const *texts)
{
	for (; *texts; texts++)
		if (is(token, *texts))
			return true;
	return false;
}

/*
 * Returns the index of the first token from `at` on that is one of the texts and outside of brackets, or
 * range->to if there is none.
 */
static size_t find_one_of(const struct range *range, size_t at, const char *const *texts)
{
	for (; at < range->to; at++) {
		if (is_one_of(&range->tokens[at], texts))
			return at;
		if (is_opening(&range->tokens[at]))
			at = match_forward(range->tokens, range->to, at);
	}
	return range->to;
}

static bool has_token(const struct range *range, const char *text)
{
	const char *const texts[] = {text, NULL};

	return find_one_of(range, range->from, texts) < range->to;
}

/* Returns true if the whole range is inside one pair of brackets, which `bracket` opens. */
static bool is_in_brackets(const struct range *range, const char *bracket)
{
	return range->to - range->from >= 2 && is(&range->tokens[range->from], bracket) &&
	       match_forward(range->tokens, range->to, range->from) == range->to - 1;
}

static struct range strip_brackets(const struct range *range)
{
	return (struct range){range->tokens, range->from + 1, range->to - 1};
}

/* Removes brackets that only group. Brackets of a tuple or a generator stay, because they create another object. */
static void strip_grouping(struct range *range)
{
	struct range inner;

	while (is_in_brackets(range, "(")) {
		inner = strip_brackets(range);
		if (inner.from == inner.to || has_token(&inner, ",") || has_token(&inner, "for"))
			return;
		*range = inner;
	}
}

/*
 * Splits the range at the separators, and returns the part that contains the expression. Returns an empty
 * range if there is none.
 */
static struct range find_part(const struct range *range, const char *const *separators,
			      const struct memphis_python_expression *expression)
{
	struct range part = {range->tokens, range->from, range->from};

	while (part.from < range->to) {
		part.to = find_one_of(range, part.from, separators);
		if (contains_expression(&part, expression))
			return part;
		part.from = part.to + 1;
	}
	return (struct range){range->tokens, range->to, range->to};
}

static bool may_be_object(struct search *search, struct range range);

static const char *const commas[] = {",", NULL};

/* Same as may_be_object(), for the elements of a list or set. */
static bool list_has_object(struct search *search, struct range elements)
{
	static const char *const loops[] = {"for", "async", NULL};

	elements.to = find_one_of(&elements, elements.from, loops);
	return may_be_object(search, find_part(&elements, commas, search->expression));
}

/* Same as may_be_object(), for the items of a dictionary or set. */
static bool dictionary_has_object(struct search *search, struct range items)
{
	static const char *const loops[] = {"for", "async", NULL}, *const colons[] = {":", NULL};
	const bool is_loop = find_one_of(&items, items.from, loops) < items.to;
	struct range item;
	size_t colon, used;

	items.to = find_one_of(&items, items.from, loops);
	item = find_part(&items, commas, search->expression);
	colon = find_one_of(&item, item.from, colons);
	if (item.from == item.to || colon == item.to)
		return may_be_object(search, item);
	used = strlen(search->key);
	if (!is_loop && colon == item.from + 1 && strchr("'\"", *range_start(&item)))
		snprintf(search->key + used, sizeof(search->key) - used, "[%.*s]",
			 (int)item.tokens[item.from].bytes, range_start(&item));
	return may_be_object(search, (struct range){item.tokens, colon + 1, item.to});
}

/*
 * Returns true if no other expression in the value has allocated memory. Then the operations around the
 * expression have reused the memory of their operand.
 */
static bool is_only_allocation(struct search *search)
{
	return !search->others(search->context, &search->value);
}

/* Returns true if the token at `at` is a binary operator. */
static bool is_binary_operator(const struct range *range, size_t at)
{
	static const char *const operators[] = {"+", "-",  "*", "/", "//", "%", "**",
						"&", "<<", "|", "^", ">>", NULL};
	const struct token *before = &range->tokens[at - 1];

	return at > range->from && is_one_of(&range->tokens[at], operators) &&
	       !is_one_of(before, operators) && !is(before, "~");
}

/*
 * Narrows the range to the operand that contains the expression. If the expression consists of several
 * operands, narrows the range to these. Returns false if the range has no arithmetic outside of brackets.
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
		if (at < range->to && !is_binary_operator(range, at))
			continue;
		any |= at < range->to;
		operand.to = at;
		if (operand.from < at && range_start(&operand) == expression->from)
			first = operand.from;
		while (operand.from < at && strchr("+-~", *operand.tokens[operand.from].text)) {
			operand.from++;
			any = true;
		}
		if (contains_expression(&operand, expression))
			found = operand;
		else if (first < at && range_end(&operand) == expression->to)
			found = (struct range){range->tokens, first, at};
		operand.from = at + 1;
	}
	if (any)
		*range = found;
	return any;
}

/* Returns true if the subscript contains a slice or adds an axis. The result is then a view of the object's memory. */
static bool is_slice_or_new_axis(const struct range *subscript)
{
	static const char *const views[] = {":", "...", "None", "newaxis", NULL};
	const struct range inner = strip_brackets(subscript);

	return find_one_of(&inner, inner.from, views) < inner.to;
}

/* Usual names of the imported numpy module. */
static const char *const modules[] = {"np", "numpy", "_nx", NULL};
/* Methods and attributes that usually return a view of their object's memory. */
static const char *const views[] = {"reshape", "ravel",    "view", "squeeze", "transpose", "swapaxes",
				    "T",       "diagonal", "real", "imag",    "astype",    NULL};
/* numpy functions that usually return their first argument, or a view of its memory. */
static const char *const passing[] = {
	"asarray", "asanyarray",  "ascontiguousarray", "moveaxis", "rollaxis",     "reshape",        "ravel",
	"squeeze", "expand_dims", "transpose",         "swapaxes", "broadcast_to", "asfortranarray", NULL};

/*
 * Narrows the range to the object of which the result usually is a view. The range is an attribute, a slice,
 * or a call of one of the methods and functions above. Returns false for anything else.
 */
static bool find_viewed_object(struct range *range)
{
	struct range last = *range;
	size_t name = range->to - 1;

	if (is_closing(&range->tokens[name])) {
		last.from = match_back(range->tokens, name);
		if (last.from <= range->from)
			return false;
		if (is(&range->tokens[last.from], "[") && is_slice_or_new_axis(&last)) {
			range->to = last.from;
			return true;
		}
		if (!is(&range->tokens[last.from], "("))
			return false;
		name = last.from - 1;
	}
	if (name >= range->from + 2 && is(&range->tokens[name - 1], ".") &&
	    is_one_of(&range->tokens[name], views) &&
	    !(name == range->from + 2 && is_one_of(&range->tokens[range->from], modules))) {
		range->to = name - 1;
		return true;
	}
	if (name + 1 != last.from || !is_one_of(&range->tokens[name], passing))
		return false;
	range->from = last.from + 1;
	range->to = find_one_of(range, range->from, commas);
	if (range->to == last.to)
		range->to--;
	return range->from < range->to;
}

/* Returns true if the value of the tokens is the object of the expression, contains it, or shares its memory. */
static bool may_be_object(struct search *search, struct range range)
{
	static const char *const others[] = {"lambda", "yield", "await", "not", "in", "is", "<", ">",
					     "<=",     ">=",    "==",    "!=",  ":=", "@",  ",", NULL};
	static const char *const conditions[] = {"if", NULL}, *const alternatives[] = {"else", NULL};
	static const char *const choices[] = {"or", "and", NULL};
	struct range part;
	size_t at;

	strip_grouping(&range);
	if (!contains_expression(&range, search->expression))
		return false;
	if (range_start(&range) == search->expression->from && range_end(&range) == search->expression->to)
		return true;
	at = find_one_of(&range, range.from, conditions);
	if (at < range.to) {
		part = (struct range){range.tokens, find_one_of(&range, at, alternatives) + 1, range.to};
		range.to = at;
		return may_be_object(search, contains_expression(&range, search->expression) ? range : part);
	}
	if (find_one_of(&range, range.from, choices) < range.to)
		return may_be_object(search, find_part(&range, choices, search->expression));
	if (find_one_of(&range, range.from, others) < range.to)
		return false;
	if (is_in_brackets(&range, "["))
		return list_has_object(search, strip_brackets(&range));
	if (is_in_brackets(&range, "{"))
		return dictionary_has_object(search, strip_brackets(&range));
	return (find_operand(&range, search->expression) || find_viewed_object(&range)) &&
	       is_only_allocation(search) && may_be_object(search, range);
}

/*
 * Returns true if the tokens are a variable: a name, possibly with attributes and string keys. An array
 * element does not count, because assigning to it copies the value.
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

static void append_target(const struct search *search, const struct range *target,
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

/* Returns the index of the part (between commas) that contains the expression. Stores the number of parts in *count. */
static size_t find_part_index(const struct range *range, const struct memphis_python_expression *expression,
			      size_t *count)
{
	struct range part = {range->tokens, range->from, range->from};
	size_t index = SIZE_MAX;

	for (*count = 0; part.from < range->to; ++*count) {
		part.to = find_one_of(range, part.from, commas);
		if (contains_expression(&part, expression))
			index = *count;
		part.from = part.to + 1;
	}
	return index;
}

/*
 * Narrows both ranges to one element of "a, b = x, y": the value that contains the expression, and the target
 * at the same position. Returns false if the lists do not correspond.
 */
static bool find_paired_element(struct range *targets, struct range *values,
				const struct memphis_python_expression *expression)
{
	const size_t none = 0;
	size_t target_count, value_count, index;
	struct range part = {targets->tokens, targets->from, targets->from};

	find_part_index(targets, expression, &target_count);
	index = find_part_index(values, expression, &value_count);
	if (target_count == 1 && value_count == 1)
		return true;
	if (index == SIZE_MAX || target_count != value_count || has_token(targets, "*") ||
	    has_token(values, "*"))
		return false;
	*values = find_part(values, commas, expression);
	for (;; index--) {
		part.to = find_one_of(targets, part.from, commas);
		if (index == none)
			break;
		part.from = part.to + 1;
	}
	*targets = part;
	return true;
}

/* Skips the head of a compound statement if its body is on the same line. */
static void skip_head(struct range *range)
{
	static const char *const heads[] = {"if",  "elif",   "else",    "for", "while", "with",
					    "try", "except", "finally", "def", "class", NULL};
	static const char *const colons[] = {":", NULL};
	const size_t colon = is_one_of(&range->tokens[range->from], heads)
				     ? find_one_of(range, range->from, colons)
				     : range->to;

	if (colon + 1 < range->to)
		range->from = colon + 1;
}

static void analyse_statement(struct search *search, struct range range, struct memphis_assigned *assigned)
{
	static const char *const equals[] = {"=", NULL}, *const colons[] = {":", NULL};
	static const char *const changes[] = {
		"+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", ">>=", "<<=", NULL};
	struct range targets = range, values = range;
	size_t at;

	skip_head(&range);
	if (is(&range.tokens[range.from], "return")) {
		range.from++;
		if (range.from == range.to)
			return;
		search->value = (struct memphis_python_expression){range_start(&range), range_end(&range)};
		if (may_be_object(search, range) && !*search->key)
			assigned->kind = MEMPHIS_ASSIGNED_RETURN;
		return;
	}
	at = find_one_of(&range, range.from, changes);
	if (at < range.to) {
		/* The expression must be the whole statement, `a += b`, not an operand of it. */
		targets = (struct range){range.tokens, range.from, at};
		if (range_start(&range) == search->expression->from &&
		    range_end(&range) == search->expression->to)
			append_target(search, &targets, assigned);
		return;
	}
	at = find_one_of(&range, range.from, equals);
	/* With several targets, a = b = zeros(n), the object has several names. Give up. */
	if (at + 1 >= range.to || find_one_of(&range, at + 1, equals) < range.to)
		return;
	targets = (struct range){range.tokens, range.from, at};
	values = (struct range){range.tokens, at + 1, range.to};
	targets.to = find_one_of(&targets, targets.from, colons); /* skip the annotation */
	if (!contains_expression(&values, search->expression))
		return;
	strip_grouping(&values);
	if (!find_paired_element(&targets, &values, search->expression))
		return;
	search->value = (struct memphis_python_expression){range_start(&values), range_end(&values)};
	if (may_be_object(search, values))
		append_target(search, &targets, assigned);
}

/* Finds the statement that contains the expression. Returns false if there is none, or if it is too long. */
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

void memphis_assigned_find_python(const struct memphis_source_file *file,
				  const struct memphis_python_expression *expression,
				  bool (*others)(void *context,
						 const struct memphis_python_expression *value),
				  void *context, struct memphis_assigned *assigned)
{
	struct search search = {.expression = expression, .others = others, .context = context};
	struct python_statement statement;

	memset(assigned, 0, sizeof(*assigned));
	if (find_statement(file, expression, &statement))
		analyse_statement(&search, (struct range){statement.tokens, 0, statement.count}, assigned);
}

/* Returns true if the value is the variable, or a view of its memory. */
static bool shares_memory(struct search *search, struct range value, const char *name)
{
	bool is_same = true;

	search->value = (struct memphis_python_expression){range_start(&value), range_end(&value)};
	strip_grouping(&value);
	while (is_same && value.to > value.from + 1) {
		is_same = find_viewed_object(&value) && is_only_allocation(search);
		strip_grouping(&value);
	}
	return is_same && value.from + 1 == value.to && is(&value.tokens[value.from], name);
}

/* Returns true if the statement returns the variable, or a view of its memory. */
static bool is_returned_by(struct search *search, const struct python_statement *statement, const char *name)
{
	struct range value = {statement->tokens, 0, statement->count};

	skip_head(&value);
	if (!is(&value.tokens[value.from], "return") || value.from + 1 == value.to)
		return false;
	value.from++;
	return shares_memory(search, value, name);
}

/* Returns true if the variable is an operand of arithmetic in the value. */
static bool is_in_arithmetic(const struct range *value, const char *name)
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

/*
 * Returns true if the statement assigns another object to the variable. The result of a calculation with the
 * variable counts as another object if it has its own memory.
 */
static bool is_reassigned_by(struct search *search, const struct python_statement *statement,
			     const char *name)
{
	static const char *const equals[] = {"=", NULL}, *const in[] = {"in", NULL};
	struct range range = {statement->tokens, 0, statement->count}, value;
	const bool is_loop = is(&range.tokens[0], "for");
	size_t end, at;

	if (!is_loop)
		skip_head(&range);
	end = find_one_of(&range, range.from, is_loop ? in : equals);
	for (at = range.from; at < end && end < range.to; at++)
		if (is(&range.tokens[at], name) && !(at && is(&range.tokens[at - 1], ".")) &&
		    !is(&range.tokens[at + 1], ".") && !is(&range.tokens[at + 1], "["))
			break;
	if (at >= end || end == range.to)
		return false;
	value = (struct range){range.tokens, end + 1, range.to};
	if (is_loop || at != range.from || end != at + 1 || value.from == value.to ||
	    find_one_of(&value, value.from, equals) < value.to)
		return true;
	search->value = (struct memphis_python_expression){range_start(&value), range_end(&value)};
	return !shares_memory(search, value, name) &&
	       !(is_in_arithmetic(&value, name) && is_only_allocation(search));
}

/* Returns true if the statement defines the function. */
static bool defines_function(const struct python_statement *statement, const char *function)
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
			if (defines_function(&statement, function)) {
				inside = true;
				indent = statement.indent;
			} else if (inside && statement.indent <= indent) {
				inside = false;
			}
			continue;
		}
		if (!inside || (passed && statement.indent <= indent) || !statement.count)
			return returned;
		if (passed && is_reassigned_by(&search, &statement, name))
			return false;
		returned |= passed && is_returned_by(&search, &statement, name);
		passed = true;
	}
	return returned;
}
