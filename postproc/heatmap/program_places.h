/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers the places in the program that make the accesses. Most records come from a few instructions, so the place of
 * each instruction is looked up only once.
 */
#ifndef MEMPHIS_PROGRAM_PLACES_H
#define MEMPHIS_PROGRAM_PLACES_H

#include "profile/profile.h"

/* A source line in one function of an object. Code that is inlined at this line belongs to the same place. */
struct memphis_program_place {
	uint32_t object, function, path, line;
};

struct memphis_program_places {
	struct memphis_strings keys; /* the number of a key, minus 1, is its index in `list` */
	struct memphis_program_place *list;
	size_t count, room;
	/* by row of the profile's instructions: index in `list` plus 1, or 0 if not looked up yet */
	uint32_t *numbers;
	size_t number_room;
	/* by place: for temporary use by callers, who reset all elements to 0 when they finish */
	uint32_t *slots;
	size_t slot_room;
};

/*
 * Returns the index in places->list of the place of an instruction. `instruction` is a row of the profile. Returns
 * MEMPHIS_NONE if memory is exhausted.
 */
uint32_t memphis_program_place(struct memphis_program_places *places, const struct memphis_profile *profile,
			       uint32_t instruction);
void memphis_program_places_close(struct memphis_program_places *places);

#endif
