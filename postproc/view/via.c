// SPDX-License-Identifier: BSD-3-Clause
/* Finds the name of the library function through which a line of the program accessed memory. */
#include "view/via.h"

#include <string.h>

#include "base/text.h"
#include "name/system_libraries.h"

const struct memphis_chain *memphis_known_chain(const struct memphis_profile *profile, uint32_t instruction)
{
	const uint32_t chain = profile->instructions[instruction].chain;

	return chain == MEMPHIS_NONE || profile->chains[chain].reason ? NULL : &profile->chains[chain];
}

static bool is_system_code(const struct memphis_profile *profile, uint32_t instruction)
{
	const uint32_t object = profile->instructions[instruction].object;
	const char *path =
		object == MEMPHIS_NONE ? NULL : memphis_profile_text(profile, profile->objects[object].path);

	return path && memphis_is_system_library(memphis_basename(path));
}

/* Returns the public name of a function if `function` is an internal name of the C library, and `function` itself otherwise. */
static const char *public_name(const struct memphis_profile *profile, uint32_t instruction,
			       const char *function)
{
	const char *known = function ? memphis_libc_public(function) : NULL;

	return known && is_system_code(profile, instruction) ? known : function;
}

static bool is_copy_function(const char *function)
{
	return function &&
	       (!strcmp(function, "memcpy") || !strcmp(function, "memmove") || !strcmp(function, "mempcpy"));
}

static const char *enclosing_function(const struct memphis_profile *profile, uint32_t instruction)
{
	const struct memphis_instruction *at = &profile->instructions[instruction];

	return memphis_profile_text(profile, profile->frames[at->frame + at->frame_count - 1].function);
}

uint32_t memphis_copied_by(const struct memphis_profile *profile, uint32_t instruction)
{
	const struct memphis_chain *chain = memphis_known_chain(profile, instruction);
	uint32_t called;

	if (!chain ||
	    !is_copy_function(public_name(profile, instruction, enclosing_function(profile, instruction))))
		return 0;
	called = profile->instructions[profile->calls[chain->call]].called;
	return is_copy_function(public_name(profile, instruction, memphis_profile_text(profile, called)))
		       ? called
		       : 0;
}

const char *memphis_leaf_function(const struct memphis_profile *profile, uint32_t instruction)
{
	const struct memphis_instruction *at = &profile->instructions[instruction];
	const uint32_t copied = memphis_copied_by(profile, instruction);
	const char *function = copied ? memphis_profile_text(profile, copied)
				      : enclosing_function(profile, instruction),
		   *path = NULL;

	if (function)
		return public_name(profile, instruction, function);
	if (at->object != MEMPHIS_NONE)
		path = memphis_profile_text(profile, profile->objects[at->object].path);
	return path ? memphis_basename(path) : "?";
}

const char *memphis_via(const struct memphis_profile *profile, uint32_t instruction)
{
	const struct memphis_chain *chain = memphis_known_chain(profile, instruction);
	const struct memphis_instruction *program =
		&profile->instructions[memphis_program_instruction(profile, instruction)];
	const struct memphis_profile_frame *line = memphis_program_frame(profile, instruction);
	const char *called;

	if (line != &profile->frames[program->frame])
		return memphis_profile_text(profile, line[-1].function);
	if (!chain)
		return NULL;
	called = memphis_profile_text(
		profile, profile->instructions[profile->calls[chain->call + chain->program]].called);
	if (chain->program)
		instruction = profile->calls[chain->call + chain->program - 1];
	return called ? public_name(profile, instruction, called)
		      : memphis_leaf_function(profile, instruction);
}
