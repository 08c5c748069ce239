// SPDX-License-Identifier: BSD-3-Clause
/* Finds the objects that a Fortran statement allocates or assigns to. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "source/assigned.h"

static bool is_name_character(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns true if `text` begins with the whole word `word`. Ignores case. */
static bool begins_with_word(const char *text, const char *word)
{
	size_t bytes = strlen(word);

	return !strncasecmp(text, word, bytes) && !is_name_character(text[bytes]);
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

/* Returns the position after the bracket that closes the bracket at `text`, or the end of the text if there is none. */
static const char *skip_brackets(const char *text)
{
	int depth = 0;
	char quote = 0;

	for (; *text; text++) {
		if (quote) {
			quote = *text == quote ? 0 : quote;
		} else if (*text == '\'' || *text == '"') {
			quote = *text;
		} else if (*text == '(' || *text == '[') {
			depth++;
		} else if (*text == ')' || *text == ']') {
			if (!--depth)
				return text + 1;
		}
	}
	return text;
}

/* Returns the end of a list item: the next comma or closing bracket that is not inside inner brackets. */
static const char *find_item_end(const char *text)
{
	while (*text && *text != ',' && *text != ')' && *text != ']')
		text = *text == '(' || *text == '[' ? skip_brackets(text) : text + 1;
	return text;
}

/*
 * Returns true if the brackets in [text, end) contain only numbers, and a component follows: a(2)%b. This is
 * a fixed element of an array of a derived type.
 */
static bool is_fixed_element(const char *text, const char *end, const char *all)
{
	while (++text < end - 1)
		if (!isdigit((unsigned char)*text) && !strchr(", \t", *text))
			return false;
	text = skip_blanks(end);
	return text < all && *text == '%';
}

/*
 * Returns the malloc'ed name of the object in lower case, or NULL if the text is no object. Removes
 * subscripts: a%b(i)%c(n,m) becomes a%b%c. Keeps constant subscripts before a component: a%b(2)%c(n,m)
 * becomes a%b(2)%c.
 */
static char *copy_object_name(const char *text, const char *end)
{
	char *name = malloc((size_t)(end - text) + 1), *to = name;
	const char *after;
	bool fixed;

	if (!name)
		return NULL;
	while (text < end) {
		if (*text == '(' || *text == '[') {
			after = skip_brackets(text);
			for (fixed = is_fixed_element(text, after, end); text < after; text++)
				if (fixed && !isspace((unsigned char)*text))
					*to++ = *text;
			continue;
		}
		if (is_name_character(*text) || *text == '%')
			*to++ = (char)tolower((unsigned char)*text);
		else if (!isspace((unsigned char)*text))
			goto refuse;
		text++;
	}
	*to = 0;
	if (!isalpha((unsigned char)*name))
		goto refuse;
	return name;

refuse:
	free(name);
	return NULL;
}

/* Returns true if the list item is a keyword argument such as `stat=` or `source=`, not an object. */
static bool is_keyword_item(const char *text, const char *end)
{
	text = skip_blanks(text);
	while (text < end && is_name_character(*text))
		text++;
	text = skip_blanks(text);
	return text < end && *text == '=' && text[1] != '=';
}

/* Returns the position after `type-spec ::`, or `text` if the list does not begin with a type. */
static const char *skip_type_spec(const char *text)
{
	const char *at = text;

	while (*at && *at != ',' && *at != ')') {
		if (at[0] == ':' && at[1] == ':')
			return at + 2;
		at = *at == '(' || *at == '[' ? skip_brackets(at) : at + 1;
	}
	return text;
}

static size_t list_allocated_objects(const char *text, char **names, size_t capacity)
{
	const char *end;
	size_t count = 0;

	for (text = skip_type_spec(text); *text && count < capacity; text = end + 1) {
		end = find_item_end(text);
		if (!is_keyword_item(text, end)) {
			names[count] = copy_object_name(text, end);
			count += names[count] != NULL;
		}
		if (*end != ',')
			break;
	}
	return count;
}

/*
 * Returns the position after the next "ALLOCATE(". Any text may precede it, such as `if (...)` or other
 * statements on the line.
 */
static const char *find_allocate(const char *text)
{
	char quote = 0, before = ' ';

	for (; *text; before = *text++) {
		if (quote) {
			quote = *text == quote ? 0 : quote;
		} else if (*text == '\'' || *text == '"') {
			quote = *text;
		} else if (!is_name_character(before) && before != '%' &&
			   begins_with_word(text, "allocate")) {
			text = skip_blanks(text + strlen("allocate"));
			return *text == '(' ? text + 1 : NULL;
		}
	}
	return NULL;
}

/* Stores x if the statement is an assignment x = ... to the whole variable x. Such an assignment may allocate x. */
static size_t list_assigned_object(const char *text, char **names, size_t capacity)
{
	const char *end, *next;

	text = skip_blanks(text);
	for (end = text; is_name_character(*end) || *end == '%'; end++)
		;
	next = skip_blanks(end);
	if (end == text || *next != '=' || next[1] == '=' || next[1] == '>' || !capacity)
		return 0;
	names[0] = copy_object_name(text, end);
	return names[0] != NULL;
}

size_t memphis_assigned_find_fortran(const char *text, bool *is_allocate, char **names, size_t capacity)
{
	const char *list = find_allocate(text);
	size_t count = 0;

	*is_allocate = list != NULL;
	if (!list)
		return list_assigned_object(text, names, capacity);
	for (; list && count < capacity; list = find_allocate(list))
		count += list_allocated_objects(list, names + count, capacity - count);
	return count;
}

/* Returns the position of the whole word in the text, or NULL. Ignores case. Skips words in strings. Finds names after "%", too. */
static const char *find_word(const char *text, const char *word)
{
	char quote = 0, before = ' ';

	for (; *text; before = *text++) {
		if (quote)
			quote = *text == quote ? 0 : quote;
		else if (*text == '\'' || *text == '"')
			quote = *text;
		else if (!is_name_character(before) && begins_with_word(text, word))
			return text;
	}
	return NULL;
}

/* Returns the start of the designator, such as a%b(i)%c, whose last name begins at `name`. */
static const char *find_designator_start(const char *text, const char *name)
{
	int depth = 0;

	while (name > text && (depth || is_name_character(name[-1]) || strchr("%)]", name[-1]))) {
		name--;
		depth += *name == ')' || *name == ']';
		depth -= *name == '(' || *name == '[';
	}
	return name;
}

/* Returns the malloc'ed actual argument with the keyword from->keyword, or else the one at `position`. */
static char *find_argument(const char *list, const struct memphis_handover *from, unsigned int position)
{
	const char *text, *end, *found = NULL, *found_end = NULL, *value;
	unsigned int at = 0;

	for (text = list; *text && *text != ')'; text = end + 1, at++) {
		end = find_item_end(text);
		value = skip_blanks(text);
		if (is_keyword_item(text, end)) {
			if (begins_with_word(value, from->keyword)) {
				found = skip_blanks(strchr(value, '=') + 1);
				found_end = end;
				break;
			}
		} else if (at == position) {
			found = value;
			found_end = end;
		}
		if (*end != ',')
			break;
	}
	return found ? copy_object_name(found, found_end) : NULL;
}

/* Appends the path to the malloc'ed name. Returns the new name, or NULL. */
static char *append_path(char *name, const char *path)
{
	char *whole = name ? realloc(name, strlen(name) + strlen(path) + 1) : NULL;

	if (!whole) {
		free(name);
		return NULL;
	}
	return strcat(whole, strcmp(path, "*") != 0 ? path : "");
}

/*
 * Returns the position of the procedure's name in the statement, or NULL. If the statement does not contain
 * `callee`, this is the only procedure that it calls: the call may use a generic name or a type-bound
 * procedure.
 */
static const char *find_procedure(const char *text, const char *callee)
{
	const char *found = find_word(text, callee), *end;

	if (found)
		return found;
	found = find_word(text, "call");
	if (!found)
		return NULL;
	found = skip_blanks(found + strlen("call"));
	for (end = found; is_name_character(*end) || *end == '%' ||
			  (*end == '(' && *skip_blanks(skip_brackets(end)) == '%');)
		end = *end == '(' ? skip_blanks(skip_brackets(end)) : end + 1;
	while (end > found && is_name_character(end[-1]))
		end--;
	return end;
}

/* Returns the end of a designator, with its subscripts or arguments. */
static const char *find_designator_end(const char *text)
{
	while (is_name_character(*text) || *text == '%' || *text == '(')
		text = *text == '(' ? skip_brackets(text) : text + 1;
	return text;
}

/*
 * Returns true if the whole expression is a name with arguments in brackets. A call of a function by its
 * generic name looks like this.
 */
static bool is_function_reference(const char *text)
{
	const char *end = find_designator_end(text);

	return end > text && end[-1] == ')' && is_name_character(*text) && !*skip_blanks(end);
}

/* Returns the malloc'ed name of the object to which the statement assigns the function's result, or NULL. */
static char *find_result_object(const char *text, const char *callee)
{
	const char *object = skip_blanks(text), *end = find_designator_end(object),
		   *equals = skip_blanks(end);
	const char *procedure = find_word(text, callee);
	bool is_result;

	if (*equals != '=' || equals[1] == '=')
		return NULL;
	is_result = procedure ? end <= find_designator_start(text, procedure)
			      : is_function_reference(skip_blanks(equals + 1 + (equals[1] == '>')));
	return is_result ? copy_object_name(object, end) : NULL;
}

void memphis_assigned_find_fortran_call(const char *text, const struct memphis_handover *from, char **name)
{
	const char *procedure, *start, *list;
	unsigned int position = from->position;

	*name = NULL;
	if (from->kind == MEMPHIS_HANDS_RESULT)
		*name = append_path(find_result_object(text, from->callee), from->path);
	if (from->kind != MEMPHIS_HANDS_ARGUMENT)
		return;
	procedure = find_procedure(text, from->callee);
	if (!procedure)
		return;
	start = find_designator_start(text, procedure);
	for (list = procedure; is_name_character(*list); list++)
		;
	list = skip_blanks(list);
	if (start < procedure) {
		/* For a type-bound procedure, the object before "%" is the first argument. */
		if (!position) {
			*name = copy_object_name(start, procedure);
			if (*name)
				(*name)[strlen(*name) - 1] = '\0';
			*name = append_path(*name, from->path);
			return;
		}
		position--;
	}
	if (*list == '(')
		*name = append_path(find_argument(list + 1, from, position), from->path);
}

/* Returns true if the list item is the object with this name. */
static bool is_same_object(const char *text, const char *end, const char *name)
{
	char *object = copy_object_name(skip_blanks(text), end);
	const bool same = object && !strcmp(object, name);

	free(object);
	return same;
}

char *memphis_assigned_find_fortran_copy(const char *text, const char *name)
{
	static const char *const procedures[] = {"move_alloc", "c_f_pointer"};
	const char *list, *end, *other;
	size_t i;

	for (i = 0; i < sizeof(procedures) / sizeof(*procedures); i++) {
		list = find_word(text, procedures[i]);
		if (!list)
			continue;
		list = skip_blanks(list + strlen(procedures[i]));
		end = *list == '(' ? find_item_end(list + 1) : list;
		if (*end != ',' || !is_same_object(list + 1, end, name))
			return NULL;
		other = skip_blanks(end + 1);
		if (is_keyword_item(other, find_item_end(other)))
			other = skip_blanks(strchr(other, '=') + 1);
		return copy_object_name(other, find_item_end(other));
	}
	list = strstr(text, "=>");
	if (!list)
		return NULL;
	other = skip_blanks(list + 2);
	end = other + strcspn(other, ";\n");
	if (!is_same_object(other, end, name) || strchr(other, '('))
		return NULL;
	while (list > text && isspace((unsigned char)list[-1]))
		list--;
	return copy_object_name(find_designator_start(text, list), list);
}

bool memphis_has_word(const char *line, size_t bytes, const char *word)
{
	const size_t length = strlen(word);
	size_t i;

	for (i = 0; i + length <= bytes; i++)
		if ((!i || !is_name_character(line[i - 1])) && !strncasecmp(line + i, word, length) &&
		    (i + length == bytes || !is_name_character(line[i + length])))
			return true;
	return false;
}

/*
 * Returns the position after the procedure's name if the statement begins the procedure, otherwise NULL. Sets
 * *is_function to true if the procedure is a function.
 */
static const char *find_after_header(const char *text, const char *procedure, bool *is_function)
{
	static const char *const kinds[] = {"function", "subroutine"};
	const char *found;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		found = find_word(text, kinds[i]);
		if (!found)
			continue;
		found = skip_blanks(found + strlen(kinds[i]));
		*is_function = !i;
		if (begins_with_word(found, procedure) && !begins_with_word(skip_blanks(text), "end"))
			return skip_blanks(found + strlen(procedure));
	}
	return NULL;
}

enum memphis_fortran_role memphis_fortran_role_find(const char *text, const char *procedure, const char *name,
						    unsigned int *position)
{
	bool is_function;
	const char *list = find_after_header(text, procedure, &is_function), *at, *end, *result;

	if (!list)
		return MEMPHIS_FORTRAN_OUTSIDE;
	result = is_function ? find_word(list, "result") : NULL;
	result = result ? skip_blanks(result + strlen("result")) : NULL;
	if (result ? *result == '(' && begins_with_word(skip_blanks(result + 1), name)
		   : is_function && !strcasecmp(procedure, name))
		return MEMPHIS_FORTRAN_RESULT;
	*position = 0;
	for (at = list + (*list == '('); *list == '(' && *at && *at != ')'; at = end + 1, ++*position) {
		end = find_item_end(at);
		if (begins_with_word(skip_blanks(at), name))
			return MEMPHIS_FORTRAN_DUMMY;
		if (*end != ',')
			break;
	}
	return MEMPHIS_FORTRAN_LOCAL;
}

bool memphis_is_fortran_path(const char *path, bool *fixed)
{
	static const char *const free_form[] = {"f90", "f95", "f03", "f08", "f18"};
	static const char *const fixed_form[] = {"f", "for", "ftn", "fpp"};
	const char *dot = strrchr(path, '.');
	size_t i;

	*fixed = false;
	if (!dot)
		return false;
	for (i = 0; i < sizeof(free_form) / sizeof(*free_form); i++)
		if (!strcasecmp(dot + 1, free_form[i]))
			return true;
	for (i = 0; i < sizeof(fixed_form) / sizeof(*fixed_form); i++)
		if (!strcasecmp(dot + 1, fixed_form[i]))
			return *fixed = true;
	return false;
}
