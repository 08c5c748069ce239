/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds symbols of compiled test programs. */
#ifndef SYMTAB_H
#define SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

/* Stores the entry of the symbol in the symbol table. Returns false if there is none. */
static inline bool find_symbol(Elf *elf, const char *wanted, GElf_Sym *symbol)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	Elf_Data *data;
	const char *name;
	int i;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; gelf_getsym(data, i, symbol); i++) {
			name = elf_strptr(elf, header.sh_link, symbol->st_name);
			if (name && !strcmp(name, wanted))
				return true;
		}
	}
	return false;
}

#endif
