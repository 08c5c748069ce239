// SPDX-License-Identifier: BSD-3-Clause
/* Adds instructions and objects to a profile, with functions and source lines from the binaries. */
#include "name/instructions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/loader.h"
#include "dwarf/symbols.h"
#include "name/calls.h"
#include "read/callers.h"

/*
 * ---- checks of call chains, and names of the called functions ----
 * The library unwinds the stack with call frame information alone. The checks here compare each call with the
 * machine code. A chain ends before the first call that the code does not confirm.
 */

#define CALLS_MAX 1024 /* maximum number of calls in a chain; further outer calls are dropped */

/* The calls of one chain that passed the check, as indices in profile->instructions. */
struct checked {
	uint32_t *calls;
	uint32_t count;
	uint32_t program; /* index of the first call in the program's own code, or MEMPHIS_NONE */
};

/* Stores the name of the imported function to which the call instruction refers. */
static int store_called_name(struct memphis_profile *profile, uint32_t row, struct memphis_binary *binary,
			     uint64_t call)
{
	char *name = memphis_import_find_by_call(binary, call);
	const uint32_t called = memphis_profile_add_string(profile, name);

	free(name);
	if (called == MEMPHIS_NONE)
		return -ENOMEM;
	memphis_profile_set_called(profile, row, called);
	return 0;
}

static int check_chain(struct memphis_join *join, uint32_t code, uint64_t pc, uint32_t callers,
		       struct checked *checked)
{
	struct memphis_processes *processes = join->processes;
	struct memphis_code_place inner = {code == MEMPHIS_NO_BINARY ? NULL : processes->binaries.list[code],
					   pc};
	struct memphis_code_place returns;
	const struct memphis_process *process;
	const uint64_t time_ns = join->chains_ns[callers - MEMPHIS_CALLERS_CHAINS];
	uint64_t from_ns, to_ns, call;
	size_t number, depth, i;
	uint32_t binary;

	depth = memphis_chain_depth(processes, callers, &number);
	process = &processes->list[number];
	checked->calls = calloc(depth + 1, sizeof(*checked->calls));
	if (!checked->calls)
		return -ENOMEM;
	for (i = 0; i < depth && i < CALLS_MAX; i++) {
		/*
		 * Check the address of the call, not the return address. If the called function never
		 * returns, the return address may be in another mapping.
		 */
		binary = memphis_maps_code(&process->log->maps, memphis_chain_pc(processes, callers, i) - 1,
					   time_ns, &returns.vaddr, &from_ns, &to_ns);
		if (binary == MEMPHIS_NO_BINARY)
			break;
		returns.binary = processes->binaries.list[binary];
		returns.vaddr++;
		if (!memphis_call_fits(&processes->binaries, &returns, &inner, &call))
			break;
		checked->calls[i] = memphis_instructions_add(join->profile, binary, call, MEMPHIS_NONE);
		if (checked->calls[i] == MEMPHIS_NONE)
			return -ENOMEM;
		if (store_called_name(join->profile, checked->calls[i], returns.binary, call))
			return -ENOMEM;
		if (checked->program == MEMPHIS_NONE &&
		    memphis_is_program_code(process, returns.binary->path))
			checked->program = (uint32_t)i;
		inner = (struct memphis_code_place){returns.binary, call};
	}
	checked->count = (uint32_t)i;
	return 0;
}

static uint32_t add_chain(struct memphis_join *join, uint32_t code, uint64_t pc, uint32_t callers)
{
	struct checked checked = {.program = MEMPHIS_NONE};
	uint32_t row = MEMPHIS_NONE;

	if (callers < MEMPHIS_CALLERS_CHAINS)
		return memphis_profile_add_chain(join->profile, callers, 0, NULL, 0);
	if (!check_chain(join, code, pc, callers, &checked)) {
		if (checked.program == MEMPHIS_NONE)
			row = memphis_profile_add_chain(join->profile, MEMPHIS_NO_CALLERS_CHECK, 0, NULL, 0);
		else
			row = memphis_profile_add_chain(join->profile, 0, checked.program, checked.calls,
							checked.count);
	}
	free(checked.calls);
	return row;
}

/*
 * Returns an address that identifies the function around `pc`: the start of the function. Returns `pc` itself
 * if the function is unknown.
 */
static uint64_t function_identity(struct memphis_binaries *binaries, uint32_t code, uint64_t pc)
{
	struct memphis_location location;

	if (code == MEMPHIS_NO_BINARY || !binaries->list[code]->elf ||
	    memphis_symbols_find(binaries, binaries->list[code], pc, &location) || !location.function_high)
		return pc;
	return location.function_low;
}

int memphis_chain_find_row(struct memphis_checked_chains *checked, struct memphis_join *join, uint32_t code,
			   uint64_t pc, uint32_t callers, uint32_t *row)
{
	struct {
		uint64_t function;
		uint32_t code, callers;
	} key = {.code = code, .callers = callers};
	uint32_t number;

	*row = MEMPHIS_NONE;
	if (!callers)
		return 0;
	if (callers >= MEMPHIS_CALLERS_CHAINS)
		key.function = function_identity(&join->processes->binaries, code, pc);
	number = memphis_strings_find(&checked->keys, &key, sizeof(key));
	if (number != MEMPHIS_NO_STRING) {
		*row = checked->rows[number - 1];
		return 0;
	}
	number = memphis_strings_add(&checked->keys, &key, sizeof(key));
	if (number == MEMPHIS_NO_STRING || memphis_grow(&checked->rows, &checked->room, number, sizeof(*row)))
		return -ENOMEM;
	*row = checked->rows[number - 1] = add_chain(join, code, pc, callers);
	return *row == MEMPHIS_NONE ? -ENOMEM : 0;
}

void memphis_checked_chains_close(struct memphis_checked_chains *checked)
{
	memphis_strings_close(&checked->keys);
	free(checked->rows);
}

uint32_t memphis_instructions_add_object(struct memphis_profile *profile, const struct memphis_binary *binary)
{
	struct memphis_object object = {0};

	object.path = memphis_profile_add_string(profile, binary->path);
	object.build_id = memphis_profile_add_string(profile, binary->build_id);
	object.found = memphis_profile_add_string(profile, binary->found);
	object.debug_path = memphis_profile_add_string(profile, binary->debug_path);
	object.split_missing = memphis_profile_add_string(profile, binary->split_missing);
	object.state = (uint16_t)binary->state;
	object.unverified = binary->unverified;
	object.has_debug = binary->dwarf;
	if (object.path == MEMPHIS_NONE || object.build_id == MEMPHIS_NONE || object.found == MEMPHIS_NONE ||
	    object.debug_path == MEMPHIS_NONE || object.split_missing == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	return memphis_profile_add_object(profile, &object);
}

static uint32_t add_instruction(struct memphis_profile *profile, uint32_t object, uint32_t code, uint64_t pc,
				uint32_t chain)
{
	struct memphis_binaries *binaries = &profile->processes.binaries;
	struct memphis_profile_frame frames[MEMPHIS_FRAMES_MAX] = {0};
	struct memphis_location location = {.count = 1};
	size_t i;

	if (code != MEMPHIS_NO_BINARY && memphis_binary_has_symbols(binaries->list[code]) &&
	    memphis_symbols_find(binaries, binaries->list[code], pc, &location))
		return MEMPHIS_NONE;
	for (i = 0; i < location.count; i++) {
		frames[i].function =
			memphis_profile_add_string(profile, memphis_frame_name(&location.frames[i]));
		frames[i].path = memphis_profile_add_string(profile, location.frames[i].path);
		frames[i].line = location.frames[i].line;
		if (location.frames[i].near_line) {
			frames[i].path = memphis_profile_add_string(profile, location.frames[i].near_path);
			frames[i].line = location.frames[i].near_line;
			frames[i].approximate = true;
		}
		if (frames[i].function == MEMPHIS_NONE || frames[i].path == MEMPHIS_NONE)
			return MEMPHIS_NONE;
	}
	return memphis_profile_add_called_instruction(profile, object, pc, chain, frames, location.count);
}

uint32_t memphis_instructions_add(struct memphis_profile *profile, uint32_t code, uint64_t pc, uint32_t chain)
{
	const struct memphis_binary *binary = NULL;
	uint32_t object = MEMPHIS_NONE, instruction;

	if (code != MEMPHIS_NO_BINARY) {
		binary = profile->processes.binaries.list[code];
		object = memphis_instructions_add_object(profile, binary);
		if (object == MEMPHIS_NONE)
			return MEMPHIS_NONE;
	}
	instruction = add_instruction(profile, object, code, pc, chain);
	/*
	 * The lookup may have opened the debug information of the binary. Update the object, which states
	 * whether there is any.
	 */
	if (instruction != MEMPHIS_NONE && binary &&
	    profile->objects[object].has_debug != (binary->dwarf != NULL) &&
	    memphis_instructions_add_object(profile, binary) == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	return instruction;
}
