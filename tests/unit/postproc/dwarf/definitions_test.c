// SPDX-License-Identifier: BSD-3-Clause
/* Definitions of declared types, compared between units. If this fails, the report of a program with large structures never ends. */
#include "dwarf/type/definitions.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/binary.h"

#include "../../tap.h"

/* Finds the type to which the global variable points. */
static bool target_of(Dwarf *dwarf, const char *variable, Dwarf_Die *type)
{
	Dwarf_Off offset = 0, next;
	Dwarf_Attribute attribute;
	Dwarf_Die unit, die;
	size_t header;

	for (; !dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL); offset = next) {
		if (!dwarf_offdie(dwarf, offset + header, &unit) || dwarf_child(&unit, &die))
			continue;
		do {
			if (dwarf_tag(&die) == DW_TAG_variable && dwarf_diename(&die) &&
			    !strcmp(dwarf_diename(&die), variable))
				return dwarf_formref_die(dwarf_attr(&die, DW_AT_type, &attribute), type) &&
				       dwarf_formref_die(dwarf_attr(type, DW_AT_type, &attribute), type);
		} while (!dwarf_siblingof(&die, &die));
	}
	return false;
}

static void defines(Dwarf *dwarf, const char *variable, bool want, const char *sentence)
{
	Dwarf_Die type;

	if (!ok(target_of(dwarf, variable, &type), "%s points to a structure", variable))
		return;
	ok(dwarf_hasattr(&type, DW_AT_declaration), "which its unit only declares");
	memphis_type_plain(&type, &type);
	is(!dwarf_hasattr(&type, DW_AT_declaration), want, sentence);
}

int main(void)
{
	struct memphis_binaries binaries = {0};
	const uint32_t number = memphis_binaries_add(&binaries, WIDE, "");
	Dwarf *dwarf = memphis_binary_dwarf(&binaries, binaries.list[number]);

	if (ok(dwarf, "%s has debug information", WIDE)) {
		defines(dwarf, "narrow_held", true, "two units define it alike");
		defines(dwarf, "wide_held", false,
			"definitions with more members than can be compared are not taken");
	}
	memphis_binaries_close(&binaries);
	return finish();
}
