// SPDX-License-Identifier: BSD-3-Clause
/* Names of the members that share a byte, of a union or bit-fields. */
#include "dwarf/type/member_names.h"

#include <stdlib.h>
#include <string.h>

void memphis_member_names_close(struct memphis_member_names *names)
{
	while (names->count)
		free(names->list[--names->count]);
	names->more = false;
}

void memphis_member_names_add(struct memphis_member_names *names, struct memphis_text *name)
{
	size_t i;

	names->failed |= name->failed;
	if (!name->failed && name->bytes) {
		for (i = 0; i < names->count && strcmp(names->list[i], name->text) != 0; i++)
			;
		if (i == names->count && i < MEMPHIS_SHARING_MAX) {
			names->list[names->count++] = name->text;
			memset(name, 0, sizeof(*name));
		}
	} else {
		names->more = true;
	}
	memphis_text_close(name);
}

void memphis_member_names_put(struct memphis_text *text, const struct memphis_member_names *names,
			      const char *separator)
{
	bool alone = names->count == 1 && !names->more;
	size_t i;

	text->failed |= names->failed;
	if (alone)
		memphis_text_put(text, names->list[0]);
	if (alone || !names->count)
		return;
	for (i = 0; i < names->count; i++)
		memphis_text_print(text, "%s%s", i ? "|" : separator,
				   names->list[i] + strspn(names->list[i], ".%"));
	memphis_text_put(text, names->more ? "|...}" : "}");
}
