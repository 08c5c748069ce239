/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that a just-in-time compiler generated at run time and described in /tmp/perf-PID.map or in a jitdump
 * file (jit-PID.dump). The documentation of perf defines both formats
 * (tools/perf/Documentation/jit-interface.txt, jitdump-specification.txt).
 */
#ifndef MEMPHIS_READ_JIT_H
#define MEMPHIS_READ_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intervals.h"
#include "dwarf/binary.h"

/* The address range of a function or of a part of a function. */
struct memphis_jit_code {
	uint64_t low, high; /* run-time addresses */
	/* address of `low` in the binary: equal to `low`, unless the range overlaps other code */
	uint64_t base;
	uint64_t from_ns;    /* time from which the code was there; 0 if unknown, as in a perf map */
	uint64_t moved_from; /* address of the code of which this is a copy; 0 if it is not a copy */
	const char *name;    /* NULL if unknown */
	size_t line, line_count;
};

/* A source line of a function. It begins at `offset` in the function's code. */
struct memphis_jit_line {
	uint64_t offset;
	const char *path;
	uint32_t line;
};

/* The bytes of one description file. Names and paths point into them. */
struct memphis_jit_text {
	char *bytes;
	size_t count, room;
	uint32_t number; /* number of the file */
	bool is_dump;
};

struct memphis_jit {
	struct memphis_jit_text *texts;
	size_t text_count, text_room;
	struct memphis_jit_code *codes;
	size_t code_count, code_room;
	struct memphis_jit_line *lines;
	size_t line_count, line_room;
	/* address and first index in `lines` of the description that was read last; it belongs to the next code record */
	uint64_t lines_address;
	size_t lines_first;
	char **joined; /* names that are joined from those of several functions */
	size_t joined_count, joined_room;
	struct memphis_intervals index;
	/* index of an artificial binary, without a file, that has the functions as symbols */
	uint32_t binary;
	bool has_binary;
};

/* Adds the next bytes of a description file: the payload of a chunk. `number` is the number of the file. Returns 0 or -ENOMEM. */
int memphis_jit_add(struct memphis_jit *jit, bool is_dump, uint32_t number, const void *bytes, size_t count);

/*
 * Parses the added files. Ignores damaged and unfinished records: the program wrote them, so they are no
 * error of the recording. `run` identifies the process. `is_used` is true if the process has memory with code
 * generated at run time, even if no file describes the code. Returns 0 or -ENOMEM.
 */
int memphis_jit_settle(struct memphis_jit *jit, struct memphis_binaries *binaries, const uint64_t run[2],
		       bool is_used);

/*
 * Returns the index of the binary for the code at `pc` at time `time_ns`, or MEMPHIS_NO_BINARY. Sets *vaddr
 * to the address in that binary, and *timed to true if the result depends on the time.
 */
uint32_t memphis_jit_find(const struct memphis_jit *jit, uint64_t pc, uint64_t time_ns, uint64_t *vaddr,
			  bool *timed);
void memphis_jit_close(struct memphis_jit *jit);

#endif
