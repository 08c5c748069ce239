// SPDX-License-Identifier: BSD-3-Clause
/* Releases the description of an element. */
#include "dwarf/type/field.h"

#include <stdlib.h>
#include <string.h>

void memphis_field_close(struct memphis_field *field)
{
	free(field->path);
	free(field->member);
	memset(field, 0, sizeof(*field));
}
