/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbered names: a tree of names that all lie at the top. */
#include <string.h>

#include "data/name_list.h"

struct memphis_name_list memphis_part_names = {
	.names = {.most = MEMPHIS_PART_NAMES_MAX, .bytes = MEMPHIS_PART_NAME_MAX_BYTES}};
struct memphis_name_list memphis_file_names = {
	.names = {.most = MEMPHIS_FILE_NAMES_MAX, .bytes = MEMPHIS_FILE_NAME_MAX_BYTES}};

__u32 memphis_name_number(struct memphis_name_list *list, const char *name)
{
	const struct memphis_region_node *found;

	if (!name || !*name)
		return 0;
	found = memphis_region_find(&list->names, NULL, name, strnlen(name, list->names.bytes));
	if (!found)
		atomic_fetch_add_explicit(&list->left_out, 1, memory_order_relaxed);
	return found ? found->id : 0;
}

void memphis_names_list(struct memphis_name_list *list, struct memphis_text_buffer *text,
			struct memphis_region_node **written)
{
	struct memphis_region_node *name = *written;

	while ((name = memphis_region_after(&list->names, name))) {
		memphis_text_add(text, "%u ", name->id);
		memphis_text_value(text, name->name, name->length);
		*written = name;
	}
}

__u64 memphis_name_list_left_out(const struct memphis_name_list *list)
{
	return atomic_load_explicit(&list->left_out, memory_order_relaxed);
}
