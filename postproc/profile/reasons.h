/* SPDX-License-Identifier: BSD-3-Clause */
/* The reasons why a sample has no variable, and why an interrupt produced no sample: numbers, names and explanations. */
#ifndef MEMPHIS_REASONS_H
#define MEMPHIS_REASONS_H

#include <memphis/format.h>

/* The reasons why a sample could not be attributed to a variable. */
enum memphis_unattributed {
	MEMPHIS_ATTRIBUTED = 0,
	MEMPHIS_FREED_BLOCK,
	MEMPHIS_NOT_YET_ALLOCATED,
	MEMPHIS_BLOCK_TOO_SMALL,
	MEMPHIS_ALLOCATIONS_OFF,
	MEMPHIS_ALLOCATION_LEFT_OUT,
	MEMPHIS_BEFORE_TRACKING,
	MEMPHIS_STACK_FRAME,
	MEMPHIS_NO_DEBUG_INFO,
	MEMPHIS_NO_SYMBOL,
	MEMPHIS_BINARY_IS_MISSING,
	MEMPHIS_BINARY_IS_CHANGED,
	MEMPHIS_MAPPED_FILE,
	MEMPHIS_ANONYMOUS_MAP,
	MEMPHIS_SPECIAL_MAP,
	MEMPHIS_OUTSIDE_EVERY_MAP,
	MEMPHIS_FRAME_WITHOUT_VARIABLE,
	MEMPHIS_RECORDED_BY_PERF, /* new reasons must follow here, because profiles contain the numbers */
	MEMPHIS_UNATTRIBUTED_REASONS
};

struct memphis_reason_text {
	const char *name, *help;
	const char *advice; /* what the user can do about it */
};

extern const struct memphis_reason_text memphis_unattributed_texts[MEMPHIS_UNATTRIBUTED_REASONS];

/* The reasons why the name of a block is only the place of its allocation, or lists several variables. */
enum memphis_no_name {
	MEMPHIS_NAMING_FOUND = 0, /* the block has the name of one variable */
	MEMPHIS_NAMING_SEVERAL,
	MEMPHIS_NAMING_LINE,
	MEMPHIS_NAMING_SOURCE,
	MEMPHIS_NAMING_CHANGED,
	MEMPHIS_NAMING_PYTHON,
	MEMPHIS_NAMING_ALLOCATOR,
	MEMPHIS_NAMING_NO_LINE,
	MEMPHIS_NAMING_NO_STACK,
	MEMPHIS_NAMING_CUT,
	MEMPHIS_NAMING_REASONS
};
/* element 0 has no texts */
extern const struct memphis_reason_text memphis_naming_texts[MEMPHIS_NAMING_REASONS];

/* How the name of a variable was found. */
enum memphis_how {
	MEMPHIS_HOW_UNKNOWN = 0,
	MEMPHIS_HOW_NONE, /* no name was found */
	MEMPHIS_HOW_DEBUG_INFO,
	MEMPHIS_HOW_SYMBOL,
	MEMPHIS_HOW_EXPLICIT, /* this way and those below are for blocks (name/names.c) */
	MEMPHIS_HOW_HOLDER,
	MEMPHIS_HOW_LOCAL,
	MEMPHIS_HOW_ASSIGNED,
	MEMPHIS_HOW_SITE,
	MEMPHIS_HOW_ESTIMATED, /* attribute/estimate.h */
	MEMPHIS_HOWS
};
extern const char *const memphis_how_names[MEMPHIS_HOWS]; /* element 0 is NULL */

/* Return the value with this name, or 0 if the name is NULL or unknown. */
enum memphis_no_name memphis_no_name_of(const char *name);
enum memphis_how memphis_how_of(const char *name);

/*
 * A further reason, in addition to enum memphis_no_callers: the return addresses in the file do not follow calls in
 * the program's binaries.
 */
#define MEMPHIS_NO_CALLERS_CHECK MEMPHIS_NO_CALLERS_REASONS

/* The reasons why the callers of a sample in a library are unknown. */
extern const struct memphis_reason_text memphis_no_callers_texts[MEMPHIS_NO_CALLERS_CHECK + 1];

/* The reasons why the type that an instruction accesses is unknown. */
enum memphis_no_type {
	MEMPHIS_NO_TYPE_NOT_EXAMINED = 0, /* not tried yet */
	MEMPHIS_NO_TYPE_DISASSEMBLER,
	MEMPHIS_NO_TYPE_BINARY,
	MEMPHIS_NO_TYPE_DEBUG,
	MEMPHIS_NO_TYPE_OPERAND,
	MEMPHIS_NO_TYPE_VARIABLE,
	MEMPHIS_NO_TYPE_VOID,
	MEMPHIS_NO_TYPE_OUTSIDE,
	MEMPHIS_NO_TYPE_STACK,
	MEMPHIS_NO_TYPE_STATIC,
	MEMPHIS_NO_TYPE_THREAD,
	MEMPHIS_NO_TYPE_REASONS
};
extern const struct memphis_reason_text memphis_no_type_texts[MEMPHIS_NO_TYPE_REASONS];

/*
 * Returns the name of an enum memphis_reason, for example "kernel-pc". Returns NULL for an unknown number, which
 * callers print as "reason-N".
 */
const char *memphis_filter_reason_name(unsigned int reason);

/* Returns the name of an enum memphis_source, or "?" for an unknown number. */
const char *memphis_source_name(unsigned int source);

#endif
