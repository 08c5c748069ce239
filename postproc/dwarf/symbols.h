/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds function, file and line for the link-time address of an instruction. Handles inlined calls. */
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
	/* Unqualified source name, or NULL. All strings are valid as long as the binary. */
	const char *function;
	const char *qualified; /* C++ name with namespaces, classes and parameters, or NULL */
	const char *path;      /* or NULL */
	unsigned int line;     /* 0 if unknown */
	/*
	 * If the instruction has no line: line and file of the nearest code with a line in the same function.
	 * The line is 0 if there is none.
	 */
	unsigned int near_line;
	const char *near_path;
	unsigned int column; /* from 1; 0 if unknown */
};

/*
 * Function and source line of an instruction. frames[0] is the innermost function. frames[i + 1] is the
 * caller into which the function of frames[i] was inlined.
 */
struct memphis_location {
	struct memphis_frame frames[MEMPHIS_FRAMES_MAX];
	size_t count; /* at least 1, even if no function is known */
	/* Address range of the outermost function, which is not inlined. Both are 0 if it is unknown. */
	uint64_t function_low, function_high;
};

/* Returns the qualified name of the frame's function. Without one, returns its plain name, or NULL. */
static inline const char *memphis_frame_name(const struct memphis_frame *frame)
{
	return frame->qualified ? frame->qualified : frame->function;
}

/* Finds the location of the instruction at `vaddr`. Returns 0 or -ENOMEM. Not thread-safe for calls with the same binary. */
int memphis_symbols_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			 struct memphis_location *location);

/*
 * Finds the DIEs of the function that contains the instruction at `vaddr`, and of its compilation unit.
 * Returns 0, -ENOENT if there is no debug information, or -ENOMEM. Not thread-safe for calls with the same
 * binary.
 */
int memphis_symbols_find_function(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t vaddr, Dwarf_Die *unit, Dwarf_Die *function);

/*
 * Returns the path of the file that ends with /NAME, of those that the unit of the instruction at `vaddr` was compiled
 * from. Returns NULL if there is none. The string is valid as long as the binary. Not thread-safe for calls with the
 * same binary.
 */
const char *memphis_symbols_find_file(struct memphis_binaries *binaries, struct memphis_binary *binary,
				      uint64_t vaddr, const char *name);

/*
 * Calls visit(context, from, to, line) for each range [from, to) in [low, high) that the line table assigns
 * to a line of `path`.
 */
void memphis_symbols_visit_lines(struct memphis_binaries *binaries, struct memphis_binary *binary,
				 uint64_t low, uint64_t high, const char *path,
				 void (*visit)(void *context, uint64_t from, uint64_t to, unsigned int line),
				 void *context);
void memphis_symbols_close(struct memphis_binary *binary);

/*
 * Add a function, or the line of the code from address `low` on, to a binary that is not a file
 * (memphis_binaries_add_jit()). The strings must remain valid as long as the binary is used. The calls may
 * come in any order. Call memphis_symbols_sort() after the last one. Return 0 or -ENOMEM.
 */
int memphis_symbols_add(struct memphis_binary *binary, uint64_t low, uint64_t high, const char *name);
int memphis_symbols_add_line(struct memphis_binary *binary, uint64_t low, const char *path,
			     unsigned int line);
void memphis_symbols_sort(struct memphis_binary *binary);

#endif
