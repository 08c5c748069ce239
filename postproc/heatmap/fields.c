// SPDX-License-Identifier: BSD-3-Clause
/* Counts the accesses to each member of a variable whose type is a structure, or an array of structures. */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/order.h"
#include "dwarf/type/types.h"

#define FIELD_LOOKUPS_MAX 20000 /* per variable, because lookups in debug information are slow */

static int compare_fields(const void *a, const void *b)
{
	const struct memphis_heatmap_field *x = a, *y = b;

	return memphis_order(x->name, y->name) ?: memphis_order(x->node, y->node);
}

static int compare_offsets(const void *a, const void *b)
{
	const struct memphis_heatmap_field *x = a, *y = b;

	return memphis_order(x->offset, y->offset) ?: compare_fields(a, b);
}

static void merge_fields(struct memphis_heatmap *heatmap)
{
	struct memphis_heatmap_field *fields = heatmap->fields, *last = NULL;
	size_t count = heatmap->field_count, i;

	heatmap->field_count = 0;
	qsort(fields, count, sizeof(*fields), compare_fields);
	for (i = 0; i < count; i++) {
		if (!last || compare_fields(last, &fields[i])) {
			last = &fields[heatmap->field_count++];
			*last = fields[i];
			continue;
		}
		last->count += fields[i].count;
		last->stores += fields[i].stores;
		last->hitm += fields[i].hitm;
		last->selected += fields[i].selected;
		if (fields[i].offset < last->offset)
			last->offset = fields[i].offset;
	}
	qsort(fields, heatmap->field_count, sizeof(*fields), compare_offsets);
}

static int compare_record_offsets(const void *a, const void *b)
{
	const struct memphis_heatmap_record *x = *(struct memphis_heatmap_record *const *)a,
					    *y = *(struct memphis_heatmap_record *const *)b;

	return memphis_order(x->owner, y->owner) ?: memphis_order(x->offset, y->offset);
}

/*
 * Sets *name to the name of the member at this offset in the element, as the number of a string of the profile. Sets
 * *name to 0 if the member is unknown or the type has no members. Sets *element_bytes to the size of the element if
 * the type is known.
 */
static int find_member(struct memphis_second_pass *pass, uint32_t owner, uint64_t offset, uint32_t *name,
		       uint64_t *element_bytes)
{
	struct memphis_field field;
	int rc;

	*name = 0;
	rc = memphis_field_find(pass->namer, &pass->numbers->owners[owner], offset, &field);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	*element_bytes = field.element_bytes;
	if (field.member && *field.member)
		*name = memphis_profile_add_string(pass->join->profile, field.member);
	memphis_field_close(&field);
	return *name == MEMPHIS_NONE ? -ENOMEM : 0;
}

/*
 * Finds the bytes of the variable that are elements. Sets *origin to the offset of the first element, and *end to the
 * end of the last one. If debug information describes no second element, *end is the end of the first element.
 * Otherwise *end is UINT64_MAX.
 */
static int find_elements(struct memphis_second_pass *pass, uint32_t number, uint64_t element_bytes,
			 uint64_t *origin, uint64_t *end)
{
	const struct memphis_owner *owner = &pass->numbers->owners[number];
	struct memphis_field second;
	int rc = memphis_field_find_origin(pass->namer, owner, origin);

	*end = UINT64_MAX;
	if (!rc)
		rc = memphis_field_find(pass->namer, owner, element_bytes, &second);
	if (!rc)
		memphis_field_close(&second);
	else if (rc == -ENOENT)
		*end = *origin + element_bytes;
	return rc == -ENOENT ? 0 : rc;
}

/*
 * Returns the last name of a path and its length, for example "y" of "velocity.y". Returns NULL if the path has
 * alternatives, or if it does not end with a name from the source code.
 */
static const char *last_path_name(const char *path, bool of_type, size_t *length)
{
	const char *end = path + strlen(path), *at = end;

	if (strpbrk(path, "|?{"))
		return NULL;
	while (end > path && strchr("[]()", end[-1]))
		end--;
	for (at = end; at > path && !strchr(".%>", at[-1]); at--)
		;
	if ((of_type && (at == path || at[-1] != '.')) || at == end || *at == '_')
		return NULL;
	*length = (size_t)(end - at);
	return at;
}

/*
 * Checks the result with a second source: compares the member at the sample's address with the member that the debug
 * information gives for the instruction. The names can differ although both are right, because one of the two types
 * can contain the other. Counts comparisons in heatmap->typed and differences in heatmap->contradicted.
 */
static int check_instruction_type(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				  struct memphis_heatmap_record *record, uint32_t name)
{
	const uint32_t number = memphis_second_pass_instruction(pass, record);
	const struct memphis_profile *profile = pass->join->profile;
	const char *member, *field;
	size_t length = 0, other = 0;

	if (number == MEMPHIS_NONE)
		return -ENOMEM;
	member = memphis_profile_text(profile, profile->instructions[number].member);
	member = member ? last_path_name(member, true, &length) : NULL;
	field = last_path_name(memphis_profile_text(profile, name), false, &other);
	if (!member || !field)
		return 0;
	heatmap->typed++;
	heatmap->contradicted += length != other || strncasecmp(member, field, length) != 0;
	return 0;
}

/* Looks up each distinct offset in the element only once. */
int memphis_heatmap_fill_fields(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				struct memphis_heatmap_record **records, size_t count)
{
	uint32_t *names = NULL, number, owner = MEMPHIS_NONE;
	struct memphis_strings offsets = {0};
	struct memphis_heatmap_field *field;
	size_t room = 0, known = 0, i;
	uint64_t element, first = 0, origin = 0, end = 0;
	struct {
		uint64_t offset;
		uint32_t owner, zero;
	} key = {0};
	int rc;

	for (key.owner = records[0]->owner, i = 1; i < count; i++)
		if (records[i]->owner < key.owner)
			key.owner = records[i]->owner;
	rc = find_member(pass, key.owner, 0, &number, &first);
	if (rc || !first || first > UINT32_MAX || !number)
		return rc;
	heatmap->element_bytes = (uint32_t)first;
	/*
	 * The order of the records decides which offsets are looked up before FIELD_LOOKUPS_MAX is reached. Sorting
	 * makes it independent of the order of the files.
	 */
	qsort(records, count, sizeof(*records), compare_record_offsets);
	for (i = 0; !rc && i < count; i++) {
		if (records[i]->offset == MEMPHIS_NO_OFFSET)
			continue;
		key.owner = records[i]->owner;
		if (key.owner != owner)
			rc = find_elements(pass, key.owner, first, &origin, &end);
		owner = key.owner;
		if (rc)
			break;
		if (records[i]->offset < origin || records[i]->offset >= end)
			continue;
		key.offset = (records[i]->offset - origin) % first;
		if (known >= FIELD_LOOKUPS_MAX &&
		    memphis_strings_find(&offsets, &key, sizeof(key)) == MEMPHIS_NO_STRING)
			continue;
		number = memphis_strings_add(&offsets, &key, sizeof(key));
		if (number == MEMPHIS_NO_STRING || memphis_grow(&names, &room, number, sizeof(*names))) {
			rc = -ENOMEM;
			break;
		}
		if (number > known) {
			rc = find_member(pass, key.owner, key.offset, &names[number - 1], &element);
			known = number;
		}
		if (rc || !names[number - 1])
			continue;
		field = memphis_append(heatmap->fields, heatmap->field_count, heatmap->field_room);
		if (!field) {
			rc = -ENOMEM;
			break;
		}
		field->name = names[number - 1];
		field->offset = (uint32_t)key.offset;
		field->node = records[i]->node;
		field->count = 1;
		field->stores = !!(records[i]->flags & MEMPHIS_FLAG_STORE);
		field->hitm = !!(records[i]->flags & MEMPHIS_FLAG_HITM);
		field->selected = records[i]->selected;
		if (field->selected)
			rc = check_instruction_type(pass, heatmap, records[i], names[number - 1]);
	}
	memphis_strings_close(&offsets);
	free(names);
	if (!rc)
		merge_fields(heatmap);
	return rc;
}
