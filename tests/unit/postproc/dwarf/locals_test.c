// SPDX-License-Identifier: BSD-3-Clause
/*
 * Local variables in a frame, as each Fortran compiler describes them. If this fails, samples on a stack have the name of another variable,
 * or none.
 */
#include "dwarf/locals.h"

#include <gelf.h>
#include <stdlib.h>

#include "../../tap.h"
#include "dwarf/variables.h"

#define CFA         0x7f0000100000
#define FRAME_BYTES 16384

static struct memphis_binaries binaries;

/* Finds the symbol of a function whose name ends with `suffix`. */
static bool find_function(Elf *elf, const char *suffix, GElf_Sym *found)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	Elf_Data *data;
	const char *name;
	size_t i;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; gelf_getsym(data, (int)i, found); i++) {
			name = elf_strptr(elf, header.sh_link, found->st_name);
			if (name && GELF_ST_TYPE(found->st_info) == STT_FUNC &&
			    strlen(name) >= strlen(suffix) &&
			    !strcmp(name + strlen(name) - strlen(suffix), suffix))
				return true;
		}
	}
	return false;
}

/* Expects that the frame of the function, whose symbol ends with `function`, has `bytes` bytes in a row with this name. */
static void has_local(const char *file, const char *function, uint64_t bytes, const char *want)
{
	char path[4096], id[129] = "", sentence[512], none[] = "(none)";
	struct memphis_binary *binary;
	const char *got = none, *name;
	uint64_t address, low, high;
	uint32_t number, local;
	GElf_Sym symbol;

	snprintf(path, sizeof(path), FIXTURES "/%s", file);
	snprintf(sentence, sizeof(sentence), "%s: the frame of %s has %llu bytes of %s", file, function,
		 (unsigned long long)bytes, want);
	number = memphis_binaries_add(&binaries, path, id);
	binary = binaries.list[number];
	if (!find_function(binary->elf, function, &symbol)) {
		ok(false, "%s", sentence);
		return;
	}
	for (address = CFA - FRAME_BYTES; address < CFA; address += 8) {
		/* Registers that a frame's variables may be relative to; all lie below the CFA. */
		const struct memphis_frame_place frame = {.cfa = CFA,
							  .bp = CFA - 16,
							  .sp = CFA - 8192,
							  .bp_known = true,
							  .sp_known = true,
							  .pc = symbol.st_value + symbol.st_size / 2,
							  .end_pc = symbol.st_value + symbol.st_size / 2 + 1};

		local = memphis_locals_find(&binaries, binary, &frame, address, &low, &high);
		name = local == MEMPHIS_NO_LOCAL ? NULL : memphis_local_of(binary, local)->name;
		if (name && !strcmp(name, want) && high - low == bytes)
			got = name;
	}
	is_text(got, want, sentence);
}

/* Expects the local array of the procedure `use` in each file of the list. */
static void each_has_fixed(const char *list, const char *use)
{
	char names[4096], *name, *rest;

	snprintf(names, sizeof(names), "%s", list);
	for (name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		has_local(name, use, 400, "ocean::use::fixed");
}

int main(void)
{
	size_t i;

	each_has_fixed(FORTRAN, "__ocean_MOD_use");
	each_has_fixed(FLANG19, "_QMoceanPuse");
	each_has_fixed(FLANG22, "_QMoceanPuse");
	/* Private variables of parallel regions: flang 22 does not describe them, 19 with optimisation only. */
	has_local("fields-gfortran-5-0.so", "__ocean_MOD_use._omp_fn.0", 320, "ocean::use::own");
	if (*FLANG19)
		has_local("fields-flang19-4-2.so", "_QMoceanPuse..omp_par", 320, "ocean::use::own");
	for (i = 0; i < binaries.count; i++) {
		memphis_locals_close(binaries.list[i]);
		memphis_variables_close(binaries.list[i]);
	}
	memphis_binaries_close(&binaries);
	return finish();
}
