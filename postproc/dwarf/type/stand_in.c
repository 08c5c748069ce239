// SPDX-License-Identifier: BSD-3-Clause
/* Types that a compiler writes in place of those that its debug information can't describe. */
#include "dwarf/type/stand_in.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *compiler;   /* what precedes the version in DW_AT_producer */
	unsigned long versions; /* major versions below this one do so */
	const char *type;       /* name of the base type ... */
	int bytes;              /* ... and its size */
} stand_ins[] = {
	/* LLVM's flang: 19 does so for derived types, 22 does not; the versions between them are not tested. */
	{"flang version ", 22, "integer", 4},
};

bool memphis_is_stand_in(Dwarf_Die *type)
{
	const char *name = dwarf_tag(type) == DW_TAG_base_type ? dwarf_diename(type) : NULL, *producer, *at;
	Dwarf_Attribute attribute;
	Dwarf_Die unit;
	size_t i;

	for (i = 0; name && i < sizeof(stand_ins) / sizeof(*stand_ins); i++) {
		if (strcmp(name, stand_ins[i].type) || dwarf_bytesize(type) != stand_ins[i].bytes ||
		    !dwarf_diecu(type, &unit, NULL, NULL))
			continue;
		producer = dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &attribute));
		at = producer ? strstr(producer, stand_ins[i].compiler) : NULL;
		if (at && strtoul(at + strlen(stand_ins[i].compiler), NULL, 10) < stand_ins[i].versions)
			return true;
	}
	return false;
}
