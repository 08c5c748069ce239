/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps the link-time address of an instruction to function, file and line; handles inlined calls. */
#ifndef MEMPHIS_SYMBOLS_H
#define MEMPHIS_SYMBOLS_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/text.h"
#include "dwarf/binary.h"

#define MEMPHIS_FRAMES_MAX 32

struct memphis_frame {
	/* unqualified name in the source, or NULL; all strings are valid as long as the binary */
	const char *function;
	const char *qualified; /* C++ name with namespaces, classes and parameters; NULL if there is none */
	const char *path;      /* or NULL */
	unsigned int line;     /* 0 if unknown */
	/* If the line of the instruction is unknown: that of the nearest code of the same function that has one, and its file; or 0. */
	unsigned int near_line;
	const char *near_path;
	unsigned int column; /* from 1; 0 if unknown */
};

/*
 * Function and source line of an instruction. frames[0] is the innermost function; each further frame is the
 * caller into which the previous one was inlined.
 */
struct memphis_location {
	struct memphis_frame frames[MEMPHIS_FRAMES_MAX];
	size_t count; /* at least 1, even if no function is known */
	/* address range of the outermost function, which is not inlined; 0, 0 if unknown */
	uint64_t function_low, function_high;
};

/* Returns the qualified name of the frame's function if it has one, else its plain name, or NULL. */
static inline const char *memphis_frame_name(const struct memphis_frame *frame)
{
	return frame->qualified ? frame->qualified : frame->function;
}

/*
 * Finds the location of the instruction at `vaddr`. Returns 0 or -ENOMEM. Not thread-safe for calls with the
 * same binary.
 */
int memphis_symbols_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			 struct memphis_location *location);

/*
 * Finds the debug information of the function that contains the instruction at `vaddr`, and of its unit. Returns 0,
 * -ENOENT if there is none, or -ENOMEM. Not thread-safe for calls with the same binary.
 */
int memphis_symbols_find_function(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t vaddr, Dwarf_Die *unit, Dwarf_Die *function);

/* Calls visit(context, from, to, line) for each range of instructions within [low, high) that the line table assigns to a line of `path`. */
void memphis_symbols_visit_lines(struct memphis_binaries *binaries, struct memphis_binary *binary,
				 uint64_t low, uint64_t high, const char *path,
				 void (*visit)(void *context, uint64_t from, uint64_t to, unsigned int line),
				 void *context);
void memphis_symbols_close(struct memphis_binary *binary);

/*
 * These functions add a function, and the line of the code from an address on, to a binary that is no file (memphis_binaries_add_jit()). The strings must
 * remain valid as long as the binary is used. Calls may come in any order; memphis_symbols_sort() must follow the last one. Returns 0 or -ENOMEM.
 */
int memphis_symbols_add(struct memphis_binary *binary, uint64_t low, uint64_t high, const char *name);
int memphis_symbols_add_line(struct memphis_binary *binary, uint64_t low, const char *path,
			     unsigned int line);
void memphis_symbols_sort(struct memphis_binary *binary);

#endif
