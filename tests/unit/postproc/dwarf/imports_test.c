// SPDX-License-Identifier: BSD-3-Clause
/* Names by which code calls functions of other objects. If this fails, the report says memmove where the source has memcpy. */
#include "dwarf/loader.h"

#include <stdlib.h>

#include "../../tap.h"
#include "symtab.h"

static struct memphis_binaries binaries;
static struct memphis_binary *binary;

static uint64_t value_of(const char *wanted)
{
	GElf_Sym symbol;

	if (!find_symbol(binary->elf, wanted, &symbol))
		exit(99);
	return symbol.st_value;
}

static void names(const char *call, const char *want, const char *how)
{
	char *got = memphis_import_find_by_call(binary, value_of(call));
	char sentence[256];

	snprintf(sentence, sizeof(sentence), "%s: %s", how, call);
	if (want)
		is_text(got, want, sentence);
	else
		ok(!got, "%s has no name (%s)", sentence, got ? got : "NULL");
	free(got);
}

static void knows(const char *path, const char *how)
{
	const uint32_t number = memphis_binaries_add(&binaries, path, "");

	binary = binaries.list[number];
	if (!ok(binary->elf, "%s is there", path))
		return;
	names("stub", "memcpy", how);
	names("word", "memmove", how);
	names("both", "memmove", how);
	names("mangled", "ocean::Grid::step(int)", how);
	names("tracked", "mempcpy", how);
	names("within", NULL, how);
	names("by_register", NULL, how);
	names("by_pointer", NULL, how);
	names("jump", NULL, how);
	ok(!memphis_import_find_by_call(binary, 0x1000000), "%s: nor has an address outside", how);
}

int main(void)
{
	knows(IMPORTS "-lazy.so", "stubs that are bound at their first call");
	knows(IMPORTS "-now.so", "stubs that are bound at the start");
	knows(IMPORTS "-ibtplt.so", "stubs with indirect branch tracking");
	memphis_binaries_close(&binaries);
	return finish();
}
