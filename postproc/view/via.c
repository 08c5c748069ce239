// SPDX-License-Identifier: BSD-3-Clause
/* Names the function of a library through which a line of the program accessed memory. */
#include "view/via.h"

#include "base/text.h"
#include "name/system_libraries.h"

const struct memphis_chain *memphis_known_chain(const struct memphis_profile *profile, uint32_t instruction)
{
	const uint32_t chain = profile->instructions[instruction].chain;

	return chain == MEMPHIS_NONE || profile->chains[chain].reason ? NULL : &profile->chains[chain];
}

const char *memphis_leaf_function(const struct memphis_profile *profile, uint32_t instruction)
{
	const struct memphis_instruction *at = &profile->instructions[instruction];
	const char *function = memphis_profile_text(
			   profile, profile->frames[at->frame + at->frame_count - 1].function),
		   *known = function ? memphis_libc_public(function) : NULL, *path = NULL;

	if (at->object != MEMPHIS_NONE)
		path = memphis_profile_text(profile, profile->objects[at->object].path);
	if (known && path && memphis_is_system_library(memphis_basename(path)))
		return known;
	if (function)
		return function;
	return path ? memphis_basename(path) : "?";
}

const char *memphis_via(const struct memphis_profile *profile, uint32_t instruction)
{
	const struct memphis_chain *chain = memphis_known_chain(profile, instruction);

	if (chain && chain->program)
		instruction = profile->calls[chain->call + chain->program - 1];
	return memphis_leaf_function(profile, instruction);
}
