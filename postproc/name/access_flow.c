// SPDX-License-Identifier: BSD-3-Clause
/*
 * Follows pointers through a function until nothing changes any more. What is not known in detail is unknown: after a call, the registers that
 * it may change; where two paths meet, what they do not agree on.
 */
#include "name/access_flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "name/registers.h"

#define ROUNDS_MAX 64 /* times that a block is followed, on average */

/* Makes the places in the frame relative to the CFA. */
static void place_in_frame(struct memphis_access_flow *flow, struct memphis_binaries *binaries)
{
	struct memphis_variable_place *place;
	struct memphis_cfa cfa;
	size_t i;

	for (i = 0; i < flow->places.place_count; i++) {
		place = &flow->places.places[i];
		cfa = (struct memphis_cfa){.known = flow->code.has_bp,
					   .reg = MEMPHIS_REG_BP,
					   .offset = flow->code.bp_offset,
					   .has_bp = true};
		if (place->place.base == MEMPHIS_AT_SP)
			memphis_cfa_at(binaries, flow->binary, place->from, &cfa);
		place->place = memphis_place_in_frame(place->place, &cfa);
	}
}

/* Joins the state at the end of a path with that before instruction `at`. Returns 1 if that changed, 0, or -ENOMEM. */
static int meet(struct memphis_access_flow *flow, const struct memphis_flow_state *from, size_t at)
{
	struct memphis_flow_state *state, before;
	const struct memphis_flow_slot *other;
	struct memphis_value value;
	size_t i, kept = 0;
	int changed = 0;

	if (at >= flow->code.count)
		return 0;
	state = flow->states[at];
	if (!state) {
		state = flow->states[at] = malloc(sizeof(*state));
		if (!state)
			return -ENOMEM;
		*state = *from;
		return 1;
	}
	before = *state;
	for (i = 0; i < MEMPHIS_GENERAL_REGISTERS; i++) {
		value = memphis_value_join(&before.registers[i], &from->registers[i]);
		changed |= !memphis_value_same(&value, &before.registers[i]);
		state->registers[i] = value;
	}
	for (i = 0; i < before.slot_count; i++) {
		other = memphis_flow_slot_at(from, before.slots[i].offset);
		value = other ? memphis_value_join(&before.slots[i].value, &other->value)
			      : (struct memphis_value){0};
		changed |= !memphis_value_same(&value, &before.slots[i].value);
		if (value.kind != MEMPHIS_VALUE_UNKNOWN)
			state->slots[kept++] = (struct memphis_flow_slot){before.slots[i].offset, value};
	}
	changed |= kept != before.slot_count;
	state->slot_count = kept;
	return changed;
}

struct work {
	size_t *list; /* leaders to follow from */
	bool *waits;
	size_t count;
};

static int lead_to(struct memphis_access_flow *flow, struct work *work,
		   const struct memphis_flow_state *state, size_t at)
{
	int changed = at < flow->code.count ? meet(flow, state, at) : 0;

	if (changed > 0 && !work->waits[at]) {
		work->waits[at] = true;
		work->list[work->count++] = at;
	}
	return changed < 0 ? changed : 0;
}

/* An indirect jump, such as that of a switch, may lead to any leader. */
static int lead_to_all(struct memphis_access_flow *flow, struct work *work,
		       const struct memphis_flow_state *state)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < flow->code.count; i++)
		if (flow->code.list[i].leader)
			rc = lead_to(flow, work, state, i);
	return rc;
}

/* Follows the instructions from a leader to where the path ends or forks. */
static int follow(struct memphis_access_flow *flow, struct work *work, size_t at)
{
	struct memphis_flow_state state = *flow->states[at];
	const struct memphis_code_op *op;
	int rc = 0;

	for (;; at++) {
		op = &flow->code.list[at];
		memphis_flow_apply(flow, &state, op);
		memphis_flow_execute(flow, &state, op);
		if (op->target)
			rc = lead_to(flow, work, &state, memphis_function_code_at(&flow->code, op->target));
		if (!rc && op->next == MEMPHIS_CODE_SWITCHES)
			rc = lead_to_all(flow, work, &state);
		if (rc || op->next == MEMPHIS_CODE_JUMPS || op->next == MEMPHIS_CODE_SWITCHES ||
		    op->next == MEMPHIS_CODE_ENDS || at + 1 == flow->code.count)
			return rc;
		if (flow->code.list[at + 1].leader)
			return lead_to(flow, work, &state, at + 1);
	}
}

static int follow_all(struct memphis_access_flow *flow, struct work *work)
{
	size_t left = flow->code.count * ROUNDS_MAX, at;
	int rc = 0;

	while (!rc && work->count && left--) {
		at = work->list[--work->count];
		work->waits[at] = false;
		rc = follow(flow, work, at);
	}
	/* Too many rounds: nothing is known, as after damaged code. */
	for (at = 0; !rc && work->count && at < flow->code.count; at++) {
		free(flow->states[at]);
		flow->states[at] = NULL;
	}
	return rc;
}

/* Also follows code that no path leads to: handlers of exceptions, and parts that the compiler moved away. */
static int analyse(struct memphis_access_flow *flow)
{
	const struct memphis_flow_state nothing = {.slot_count = 0};
	struct work work = {.list = malloc((flow->code.count + 1) * sizeof(*work.list)),
			    .waits = calloc(flow->code.count + 1, sizeof(*work.waits))};
	int rc = work.list && work.waits ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !rc && i < flow->code.count; i++) {
		if (!flow->code.list[i].leader || flow->states[i] || (i && flow->code.list[i].padding))
			continue;
		rc = lead_to(flow, &work, &nothing, i);
		if (!rc)
			rc = follow_all(flow, &work);
	}
	free(work.list);
	free(work.waits);
	return rc;
}

int memphis_access_flow_open(struct memphis_access_flow *flow, struct memphis_binaries *binaries,
			     struct memphis_binary *binary, uint64_t vaddr, uint64_t low, uint64_t high)
{
	int rc;

	memset(flow, 0, sizeof(*flow));
	flow->binary = binary;
	flow->low = low;
	flow->high = high;
	rc = memphis_pointer_places_read_function(binaries, binary, vaddr, &flow->places);
	flow->variables = memphis_variables_of(binaries, binary);
	if (!rc && !flow->variables)
		rc = -ENOMEM;
	if (rc || !flow->places.scope_count)
		return rc;
	rc = memphis_function_code_read(binaries, binary, low, high, &flow->code);
	if (rc)
		return rc == -ENOTSUP ? 0 : rc;
	place_in_frame(flow, binaries);
	flow->states = calloc(flow->code.count + 1, sizeof(*flow->states));
	if (!flow->states)
		return -ENOMEM;
	pthread_mutex_lock(&binary->lock);
	rc = memphis_flow_add_seeds(flow);
	if (!rc)
		rc = analyse(flow);
	pthread_mutex_unlock(&binary->lock);
	return rc;
}

void memphis_access_flow_close(struct memphis_access_flow *flow)
{
	size_t i;

	for (i = 0; flow->states && i < flow->code.count; i++)
		free(flow->states[i]);
	free(flow->states);
	free(flow->seeds);
	memphis_function_code_close(&flow->code);
	memphis_pointer_places_close(&flow->places);
	memset(flow, 0, sizeof(*flow));
}

void memphis_flow_state_before(const struct memphis_access_flow *flow, size_t at,
			       struct memphis_flow_state *state)
{
	size_t i = at;

	while (i && !flow->states[i] && !flow->code.list[i].leader)
		i--;
	if (flow->states[i])
		*state = *flow->states[i];
	else
		memset(state, 0, sizeof(*state));
	for (; i < at; i++) {
		memphis_flow_apply(flow, state, &flow->code.list[i]);
		memphis_flow_execute(flow, state, &flow->code.list[i]);
	}
}
