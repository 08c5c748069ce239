/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that a compiler made at run time, as it described the code itself: in /tmp/perf-PID.map, or in jitdump files (jit-PID.dump). Of the
 * layout of both, perf's documentation is the reference (tools/perf/Documentation/jit-interface.txt, jitdump-specification.txt).
 */
#ifndef MEMPHIS_READ_JIT_H
#define MEMPHIS_READ_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intervals.h"
#include "dwarf/binary.h"

/* A function, or a part of one. */
struct memphis_jit_code {
	uint64_t low, high; /* run-time addresses */
	uint64_t
		base; /* address of `low` in the binary: the same, unless other code was there at another time */
	uint64_t from_ns;    /* time from which it was there; 0: not known, as in perf's map */
	uint64_t moved_from; /* address of the code of which this is a copy; 0: of none */
	const char *name;    /* NULL: not known */
	size_t line, line_count;
};

/* A line of the source, from this offset in the function on. */
struct memphis_jit_line {
	uint64_t offset;
	const char *path;
	uint32_t line;
};

/* The bytes of a file, which names point into. */
struct memphis_jit_text {
	char *bytes;
	size_t count, room;
	uint32_t number; /* of the file */
	bool is_dump;
};

struct memphis_jit {
	struct memphis_jit_text *texts;
	size_t text_count, text_room;
	struct memphis_jit_code *codes;
	size_t code_count, code_room;
	struct memphis_jit_line *lines;
	size_t line_count, line_room;
	/* of the description of lines that was read last, which is that of the next code */
	uint64_t lines_address;
	size_t lines_first;
	char **joined; /* names that were made here */
	size_t joined_count, joined_room;
	struct memphis_intervals index;
	uint32_t binary; /* that has the functions as symbols, and is no file */
	bool has_binary;
};

/* Adds a part of a file: the payload of a chunk, and its number. Returns 0 or -ENOMEM. */
int memphis_jit_add(struct memphis_jit *jit, bool is_dump, uint32_t number, const void *bytes, size_t count);

/*
 * Reads what was added. Damaged and unfinished descriptions end a file without an error: the program wrote it. `run` identifies the process;
 * `is_used`: it has code that was made at run time, which may not be described. Returns 0 or -ENOMEM.
 */
int memphis_jit_settle(struct memphis_jit *jit, struct memphis_binaries *binaries, const uint64_t run[2],
		       bool is_used);

/*
 * Returns the index of the binary for the code at `pc` at this time, or MEMPHIS_NO_BINARY. *vaddr becomes the address for its symbols. `*timed`:
 * the answer depends on the time.
 */
uint32_t memphis_jit_find(const struct memphis_jit *jit, uint64_t pc, uint64_t time_ns, uint64_t *vaddr,
			  bool *timed);
void memphis_jit_close(struct memphis_jit *jit);

#endif
