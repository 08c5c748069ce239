/* SPDX-License-Identifier: BSD-3-Clause */
/* What the call stack of an allocation tells about the block: its place, and the variable to which that line assigns it. */
#ifndef MEMPHIS_SITE_H
#define MEMPHIS_SITE_H

#include "dwarf/binary.h"
#include "profile/reasons.h"

struct memphis_alloc_site {
	char name[256]; /* assigned variable, or several: "x|y"; "" if there is none */
	/* function that contains the name; without a name, the innermost function that has a line */
	char function[256];
	char path[1024];
	unsigned int line; /* line of the allocation; 0 if no frame has a line */
	/* The innermost line: that of the function which allocates for others, if they have the name. */
	char inner_path[1024];
	unsigned int inner_line;
	/* Binary that contains the instruction at `vaddr`, which belongs to the line with the name. */
	struct memphis_binary *binary;
	uint64_t vaddr;
	/* Without a line: "function+0x1f" or "program+0x1234", the return address in the program; "" if there is none. */
	char code[128];
	bool inside; /* the caller gets an address inside the block, behind data of the allocating function */
	enum memphis_no_name why_not; /* why there is no name, or several */
	bool unsure; /* the statement allocates several objects; `name` relies on the order of the calls */
};

#endif
