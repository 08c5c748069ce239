// SPDX-License-Identifier: BSD-3-Clause
/* Adds instructions and objects to a profile, with functions and source lines from the binaries. */
#include "name/instructions.h"

#include "dwarf/symbols.h"

uint32_t memphis_name_object(struct memphis_profile *profile, const struct memphis_binary *binary)
{
	struct memphis_object object = {0};

	object.path = memphis_profile_string(profile, binary->path);
	object.build_id = memphis_profile_string(profile, binary->build_id);
	object.found = memphis_profile_string(profile, binary->found);
	object.debug_path = memphis_profile_string(profile, binary->debug_path);
	object.split_missing = memphis_profile_string(profile, binary->split_missing);
	object.state = (uint16_t)binary->state;
	object.unverified = binary->unverified;
	object.has_debug = binary->dwarf;
	if (object.path == MEMPHIS_NONE || object.build_id == MEMPHIS_NONE || object.found == MEMPHIS_NONE ||
	    object.debug_path == MEMPHIS_NONE || object.split_missing == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	return memphis_profile_object(profile, &object);
}

static uint32_t instruction_at(struct memphis_profile *profile, uint32_t object, uint32_t code, uint64_t pc,
			       uint32_t chain)
{
	struct memphis_binaries *binaries = &profile->processes.binaries;
	struct memphis_profile_frame frames[MEMPHIS_FRAMES_MAX] = {0};
	struct memphis_location location = {.count = 1};
	size_t i;

	if (code != MEMPHIS_NO_BINARY && binaries->list[code]->elf &&
	    memphis_symbols_find(binaries, binaries->list[code], pc, &location))
		return MEMPHIS_NONE;
	for (i = 0; i < location.count; i++) {
		frames[i].function = memphis_profile_string(profile, memphis_frame_name(&location.frames[i]));
		frames[i].path = memphis_profile_string(profile, location.frames[i].path);
		frames[i].line = location.frames[i].line;
		if (frames[i].function == MEMPHIS_NONE || frames[i].path == MEMPHIS_NONE)
			return MEMPHIS_NONE;
	}
	return memphis_profile_called_instruction(profile, object, pc, chain, frames, location.count);
}

uint32_t memphis_name_instruction(struct memphis_profile *profile, uint32_t code, uint64_t pc, uint32_t chain)
{
	const struct memphis_binary *binary = NULL;
	uint32_t object = MEMPHIS_NONE, instruction;

	if (code != MEMPHIS_NO_BINARY) {
		binary = profile->processes.binaries.list[code];
		object = memphis_name_object(profile, binary);
		if (object == MEMPHIS_NONE)
			return MEMPHIS_NONE;
	}
	instruction = instruction_at(profile, object, code, pc, chain);
	/* The lookup may have opened the debug information of the binary, so update its object. */
	if (instruction != MEMPHIS_NONE && binary &&
	    profile->objects[object].has_debug != (binary->dwarf != NULL) &&
	    memphis_name_object(profile, binary) == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	return instruction;
}
