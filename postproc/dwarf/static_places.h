/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads from the debug information where a static or thread-local variable is, as a whole or in parts. */
#ifndef MEMPHIS_STATIC_PLACES_H
#define MEMPHIS_STATIC_PLACES_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_thread_symbol {
	uint64_t low, high; /* offsets in the TLS block of the binary */
	const char *name;
};

/* The thread-local memory of a binary: the link-time addresses of its initial contents, and its symbols. */
struct memphis_thread_symbols {
	uint64_t low, high;
	struct memphis_thread_symbol *list;
	size_t count, room;
};

/* Adds the thread-local symbols of the file. `elf` may be NULL. Returns 0 or -ENOMEM. */
int memphis_thread_symbols_add(struct memphis_thread_symbols *symbols, Elf *elf);
void memphis_thread_symbols_close(struct memphis_thread_symbols *symbols);

/*
 * Replaces the value of a symbol for a thread-local variable by its offset in the TLS block. Returns false
 * for other symbols. The symbol type alone is not sufficient: after link-time optimization, thread-local
 * COMMON blocks have the type of other variables, and an address as their value.
 */
bool memphis_thread_symbol_offset(const struct memphis_thread_symbols *symbols, Elf *elf, GElf_Sym *symbol);

#define MEMPHIS_STATIC_PARTS_MAX 64

/* The location of a variable or of a part of it. */
struct memphis_static_place {
	uint64_t address; /* link-time address, or offset in the TLS block */
	uint64_t bytes;   /* size of the part; 0 for the whole variable */
	uint64_t part;    /* offset of the part in the variable */
	bool tls;
};

/*
 * Stores the locations of the variable (DWARF 5, sections 2.6.1.1.1, 2.6.1.2 and 2.5.1.3). A location is an
 * address, or a constant with a TLS operator. It may have a constant added, as for members of COMMON. LLVM
 * may split a variable into parts, and omit some of them. Returns the number of locations, or 0 if the
 * variable is not static.
 */
size_t memphis_static_places_read(Dwarf_Die *die, const struct memphis_thread_symbols *symbols,
				  struct memphis_static_place places[MEMPHIS_STATIC_PARTS_MAX]);

#endif
