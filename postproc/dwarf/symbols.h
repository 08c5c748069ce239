/* SPDX-License-Identifier: BSD-3-Clause */
/* From the link-time address of an instruction to its function, file and line, inlined calls included. */
#ifndef MEMPHIS_SYMBOLS_H
#define MEMPHIS_SYMBOLS_H

#include "dwarf/binary.h"

#define MEMPHIS_FRAMES_MAX 32

struct memphis_frame {
	const char *function;  /* as its source names it, or NULL; all strings live as long as the binary */
	const char *qualified; /* C++: with namespaces, classes and parameters; NULL: `function` says all */
	const char *path;      /* or NULL */
	unsigned int line;     /* 0 = not known */
};

/* frames[0] is where the instruction stands; the others are the calls that were inlined around it. */
struct memphis_location {
	struct memphis_frame frames[MEMPHIS_FRAMES_MAX];
	size_t count;                         /* at least 1, even if nothing is known */
	uint64_t function_low, function_high; /* of the function that is not inlined; 0, 0 = not known */
};

/* The whole name of the frame's function, or NULL. */
static inline const char *memphis_frame_name(const struct memphis_frame *frame)
{
	return frame->qualified ? frame->qualified : frame->function;
}

/* Not to be called from several threads at once for the same binary. 0 or -ENOMEM. */
int memphis_symbols_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			 struct memphis_location *location);

/*
 * The code of one source line inside [low, high): calls visit(counters, from, to) for each stretch of
 * instructions whose line is one of [line_first, line_last] of `path`.
 */
void memphis_symbols_lines(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t low,
			   uint64_t high, const char *path, unsigned int line_first, unsigned int line_last,
			   void (*visit)(void *counters, uint64_t from, uint64_t to), void *counters);

/* Largest line of `path` with code in [low, high): where the function ends, roughly. 0 = not known. */
unsigned int memphis_symbols_last_line(struct memphis_binaries *binaries, struct memphis_binary *binary,
				       uint64_t low, uint64_t high, const char *path);
void memphis_symbols_close(struct memphis_binary *binary);

#endif
