/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers the places in the program that make the accesses. Each place is looked up once, because most records are of a few instructions. */
#ifndef MEMPHIS_PROGRAM_PLACES_H
#define MEMPHIS_PROGRAM_PLACES_H

#include "profile/profile.h"

/* A line of the program in one function, with the code that is inlined there. */
struct memphis_program_place {
	uint32_t object, function, path, line;
};

struct memphis_program_places {
	struct memphis_strings keys; /* number - 1 is the index in the list */
	struct memphis_program_place *list;
	size_t count, room;
	uint32_t *numbers; /* by row of the profile's instructions: the number, or 0 */
	size_t number_room;
	uint32_t *slots; /* by place: index + 1 in a list of the caller; all are 0 between calls */
	size_t slot_room;
};

/* Returns the number of the place of an instruction, a row of the profile: its index in the list; MEMPHIS_NONE if memory is exhausted. */
uint32_t memphis_program_place(struct memphis_program_places *places, const struct memphis_profile *profile,
			       uint32_t instruction);
void memphis_program_places_close(struct memphis_program_places *places);

#endif
