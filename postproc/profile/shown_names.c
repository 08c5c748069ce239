// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the names under which outputs show variables. If several variables have the same name, a suffix distinguishes
 * them, for example "grid (model.c)" or "table (libocean.so)".
 */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A variable of one of the profiles. */
struct named {
	struct memphis_profile *profile;
	const struct memphis_variable *variable;
	size_t side; /* index of the profile */
	char *beside;
};

static const char *profile_text(const struct named *one, uint32_t string)
{
	const char *text = memphis_profile_text(one->profile, string);

	return text ? text : "";
}

/* Returns the last `count` components of a path. */
static const char *last_components(const char *path, unsigned int count)
{
	const char *at = path + strlen(path);

	while (at > path && (at[-1] != '/' || --count))
		at--;
	return at;
}

/*
 * Appends the name of the variable's source file. This is the compilation unit if the variable is local to it, or the
 * file of the declaration. For a block, it is the file of its allocation site.
 */
static void append_file(struct memphis_text *text, const struct named *one, unsigned int components)
{
	const struct memphis_variable *variable = one->variable;
	const char *place = profile_text(one, variable->unit       ? variable->unit
					      : variable->declared ? variable->declared
								   : variable->site);
	const char *colon = variable->unit ? NULL : strrchr(place, ':'),
		   *name = last_components(place, components);

	memphis_text_print(text, "%.*s", colon ? (int)(colon - name) : (int)strlen(name), name);
}

static void append_file_name(struct memphis_text *text, const struct named *one)
{
	append_file(text, one, 1);
}

static void append_file_with_directory(struct memphis_text *text, const struct named *one)
{
	append_file(text, one, 2);
}

static void append_site(struct memphis_text *text, const struct named *one)
{
	if (one->variable->site)
		memphis_text_put(text, profile_text(one, one->variable->site));
	else
		append_file_name(text, one);
}

static void append_object(struct memphis_text *text, const struct named *one)
{
	memphis_text_put(text, last_components(profile_text(one, one->variable->object), 1));
}

static void append_line(struct memphis_text *text, const struct named *one)
{
	memphis_text_put(text, last_components(profile_text(one, one->variable->declared), 1));
	if (one->variable->unit)
		memphis_text_print(text, ", %s", last_components(profile_text(one, one->variable->unit), 1));
}

static void append_line_and_object(struct memphis_text *text, const struct named *one)
{
	append_line(text, one);
	memphis_text_print(text, ", %s", last_components(profile_text(one, one->variable->object), 2));
}

/* The possible suffixes, in order of preference. The first one that differs for all variables with the same name is used. */
static const struct {
	void (*put)(struct memphis_text *text, const struct named *one);
	/* the suffix contains a line number, which can differ in another build of the program */
	bool has_line;
} besides[] = {
	{append_site, true},    {append_file_name, false},
	{append_object, false}, {append_file_with_directory, false},
	{append_line, true},    {append_line_and_object, true},
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(profile_text(x, x->variable->name), profile_text(y, y->variable->name));

	if (!order)
		order = strcmp(profile_text(x, x->variable->segment), profile_text(y, y->variable->segment));
	if (!order)
		order = (x->side > y->side) - (x->side < y->side);
	return order ? order : (x->variable > y->variable) - (x->variable < y->variable);
}

static bool has_same_name(const struct named *a, const struct named *b)
{
	return !strcmp(profile_text(a, a->variable->name), profile_text(b, b->variable->name)) &&
	       !strcmp(profile_text(a, a->variable->segment), profile_text(b, b->variable->segment));
}

static int compare_suffixes(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->side != y->side ? (x->side > y->side) - (x->side < y->side) : strcmp(x->beside, y->beside);
}

/*
 * Gives all variables in the list the suffix with this number. Returns 1 if all variables of each profile now have
 * different suffixes, 0 if not, or -ENOMEM.
 */
static int try_suffix(struct named *list, size_t count, size_t number)
{
	struct memphis_text text;
	size_t i;

	for (i = 0; i < count; i++) {
		memset(&text, 0, sizeof(text));
		memphis_text_put(&text, "");
		besides[number].put(&text, &list[i]);
		if (text.failed)
			return -ENOMEM;
		free(list[i].beside);
		list[i].beside = text.text;
	}
	qsort(list, count, sizeof(*list), compare_suffixes);
	for (i = 1; i < count; i++)
		if (!compare_suffixes(&list[i - 1], &list[i]))
			return 0;
	return 1;
}

static int set_shown_name(const struct named *one)
{
	struct memphis_text text = {0};

	memphis_text_put(&text, profile_text(one, one->variable->name));
	if (one->beside && *one->beside)
		memphis_text_print(&text, " (%s)", one->beside);
	one->profile->shown[one->variable - one->profile->variables] = text.failed ? NULL : text.text;
	return text.failed ? -ENOMEM : 0;
}

/*
 * Finds suffixes for the variables with the same name. Does nothing if no profile has several of them. If `lines` is
 * false, suffixes with line numbers are not used.
 */
static int distinguish_group(struct named *list, size_t count, bool lines)
{
	bool several = false;
	size_t i;
	int rc = 0;

	for (i = 1; i < count; i++)
		several |= list[i].side == list[i - 1].side;
	if (!several)
		return 0;
	for (i = 0; !rc && i < sizeof(besides) / sizeof(*besides); i++)
		if (lines || !besides[i].has_line)
			rc = try_suffix(list, count, i);
	/*
	 * If no suffix distinguishes all variables, use the last one, with lines, which distinguishes at least some.
	 * If several profiles are compared, use the names without suffixes.
	 */
	if (!rc && !lines)
		return 0;
	for (i = 0; rc >= 0 && i < count; i++)
		if (set_shown_name(&list[i]))
			rc = -ENOMEM;
	return rc < 0 ? rc : 0;
}

int memphis_shown_names_find(struct memphis_profile *const *profiles, size_t count)
{
	size_t variables = 0, first, end, i, j;
	struct named *list;
	int rc = 0;

	for (i = 0; i < count; i++) {
		memphis_shown_names_close(profiles[i]);
		profiles[i]->shown = calloc(profiles[i]->variable_count + 1, sizeof(*profiles[i]->shown));
		if (!profiles[i]->shown)
			return -ENOMEM;
		profiles[i]->shown_count = profiles[i]->variable_count;
		variables += profiles[i]->variable_count;
	}
	list = calloc(variables + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (i = variables = 0; i < count; i++)
		for (j = 0; j < profiles[i]->variable_count; j++)
			list[variables++] = (struct named){profiles[i], &profiles[i]->variables[j], i, NULL};
	qsort(list, variables, sizeof(*list), compare_named);
	for (first = 0; !rc && first < variables; first = end) {
		for (end = first + 1; end < variables && has_same_name(&list[first], &list[end]); end++)
			;
		rc = distinguish_group(list + first, end - first, count == 1);
	}
	for (i = 0; i < variables; i++)
		free(list[i].beside);
	free(list);
	return rc;
}
