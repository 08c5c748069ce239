// SPDX-License-Identifier: BSD-3-Clause
#include "heatmap/program_places.h"

#include <stdlib.h>
#include <string.h>

static struct memphis_program_place make_place(const struct memphis_profile *profile, uint32_t instruction)
{
	const struct memphis_profile_frame *frame = memphis_program_frame(profile, instruction);
	const struct memphis_instruction *row =
		&profile->instructions[memphis_program_instruction(profile, instruction)];

	return (struct memphis_program_place){row->object,
					      profile->frames[row->frame + row->frame_count - 1].function,
					      frame->path, frame->line};
}

/* Extends `numbers` until it has an element for this instruction. New elements are 0. Returns -1 if memory is exhausted. */
static int grow_numbers(struct memphis_program_places *places, uint32_t instruction)
{
	const size_t before = places->number_room;

	if (instruction < before)
		return 0;
	if (memphis_grow(&places->numbers, &places->number_room, instruction + 1, sizeof(*places->numbers)))
		return -1;
	memset(places->numbers + before, 0, (places->number_room - before) * sizeof(*places->numbers));
	return 0;
}

/* Finds the place, or adds it if it is new. Returns its index in the list plus 1, or 0 if memory is exhausted. */
static uint32_t find_or_add_place(struct memphis_program_places *places,
				  const struct memphis_program_place *place)
{
	const uint32_t number = memphis_strings_add(&places->keys, place, sizeof(*place));

	if (number == MEMPHIS_NO_STRING)
		return 0;
	if (number > places->count) {
		if (!memphis_append(places->list, places->count, places->room) ||
		    memphis_grow(&places->slots, &places->slot_room, places->count, sizeof(*places->slots)))
			return 0;
		places->list[number - 1] = *place;
		places->slots[number - 1] = 0;
	}
	return number;
}

uint32_t memphis_program_place(struct memphis_program_places *places, const struct memphis_profile *profile,
			       uint32_t instruction)
{
	struct memphis_program_place place;

	if (instruction == MEMPHIS_NONE || grow_numbers(places, instruction))
		return MEMPHIS_NONE;
	if (!places->numbers[instruction]) {
		place = make_place(profile, instruction);
		places->numbers[instruction] = find_or_add_place(places, &place);
	}
	return places->numbers[instruction] - 1;
}

void memphis_program_places_close(struct memphis_program_places *places)
{
	memphis_strings_close(&places->keys);
	free(places->list);
	free(places->numbers);
	free(places->slots);
	memset(places, 0, sizeof(*places));
}
