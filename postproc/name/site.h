/* SPDX-License-Identifier: BSD-3-Clause */
/* The result for the call stack of an allocation: the place of the allocation, and the variable that gets the block. */
#ifndef MEMPHIS_SITE_H
#define MEMPHIS_SITE_H

#include "dwarf/binary.h"
#include "profile/reasons.h"

struct memphis_alloc_site {
	char name[256]; /* assigned variable, or several: "x|y"; "" if there is none */
	/* Function in whose scope `name` is valid. Without a name: the innermost function that has a line. */
	char function[256];
	char path[1024];
	unsigned int line; /* line of the allocation; 0 if no frame has a line */
	/* The innermost line. It differs from `line` if a function allocates for its callers and a caller has the name. */
	char inner_path[1024];
	unsigned int inner_line;
	/* Binary and address of the instruction that belongs to the line with the name. */
	struct memphis_binary *binary;
	uint64_t vaddr;
	/*
	 * Text for a block without a line, made from the return address in the program: "function+0x1f" or
	 * "program+0x1234". It is "" if there is none.
	 */
	char code[128];
	/* The caller gets an address inside the block: the allocating function keeps its own data in front. */
	bool inside;
	enum memphis_no_name why_not; /* reason if there is no name, or if there are several */
	/* The statement allocates several objects. `name` was chosen by the order of the calls. */
	bool unsure;
};

#endif
