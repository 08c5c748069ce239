// SPDX-License-Identifier: BSD-3-Clause
/* Merging of profiles. If this fails, a merged profile differs from the profile of all sample files together. */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>

#include "../../tap.h"
#include "profile/heatmap.h"

static uint32_t text(struct memphis_profile *profile, const char *string)
{
	return memphis_profile_add_string(profile, string);
}

static void add_process(struct memphis_profile *profile, uint64_t run)
{
	struct memphis_process *process =
		memphis_append(profile->processes.list, profile->processes.count, profile->processes.room);

	process->run[0] = run;
	process->pid = (uint32_t)run;
	process->threads = calloc(2, sizeof(*process->threads));
	process->thread_count = 2;
	profile->timelines =
		realloc(profile->timelines, profile->processes.count * sizeof(*profile->timelines));
	memset(&profile->timelines[profile->processes.count - 1], 0, sizeof(*profile->timelines));
	memphis_timeline_add(&profile->timelines[profile->processes.count - 1], 5, 0, 1, 1);
}

/* Makes a profile of one process. `before` is added first, so that numbers of strings differ between profiles. */
static void make(struct memphis_profile *profile, uint64_t run, const char *before, const char *variable_name)
{
	struct memphis_object object = {.state = MEMPHIS_BINARY_MISSING};
	struct memphis_variable variable = {0};
	struct memphis_profile_frame frame = {.line = 7};
	struct memphis_cell cell = {
		.measure.count = run, .measure.low = 100 + run, .measure.high = 200 + run};

	memset(profile, 0, sizeof(*profile));
	strcpy(profile->selection, "all");
	profile->by_region = profile->by_thread = true;
	add_process(profile, run);
	text(profile, before);
	object.path = text(profile, "/bin/model");
	variable.segment = text(profile, "heap");
	variable.name = text(profile, variable_name);
	frame.path = text(profile, "ice.F90");
	cell.key.variable = memphis_profile_add_variable(profile, &variable);
	cell.key.instruction = memphis_profile_add_instruction(
		profile, memphis_profile_add_object(profile, &object), 0x1000, &frame, 1);
	cell.key.region = memphis_profile_add_region(
		profile, text(profile, "Bound"),
		memphis_profile_add_region(profile, text(profile, "TimeLoop"), MEMPHIS_REGION_OUTSIDE));
	profile->regions[cell.key.region].written = run;
	cell.key.thread = 1;
	cell.key.access.home = 1;
	memphis_profile_add_cell(profile, &cell);
	memphis_totals_get(&profile->totals, 0, 1, cell.key.access)->measure.count = run;
}

static void merges(void)
{
	struct memphis_profile a, b, c;
	const struct memphis_process *process;
	struct memphis_error error;

	make(&a, 10, "first", "tx");
	make(&b, 20, "second", "tx");
	make(&c, 30, "third", "ty");
	ok(!memphis_profile_merge(&a, &b, &error) && !memphis_profile_merge(&a, &c, &error),
	   "three profiles are merged into one");
	ok(a.variable_count == 2 && a.instruction_count == 1 && a.object_count == 1 && a.region_count == 4,
	   "variables, instructions, objects and regions that are equal by name are stored once");
	ok(a.cell_count == 3 && a.cells[0].key.thread == 1 && a.cells[1].key.thread == 3 &&
		   a.cells[2].key.thread == 5,
	   "threads of different profiles stay separate");
	is_text(memphis_profile_text(&a, a.variables[a.cells[2].key.variable].name), "ty",
		"cells keep their variables");
	is_text(memphis_profile_text(&a, a.regions[a.cells[2].key.region].name), "Bound",
		"cells keep their regions");
	ok(a.regions[a.cells[2].key.region].written == 60, "the samples of equal regions are added");
	ok(memphis_profile_thread_of(&a, 3, &process) == &process->threads[1] && process->pid == 20,
	   "a thread's number leads to its process");
	ok(a.totals.count == 3 && a.totals.list[2].process == 2 && a.totals.list[2].measure.count == 30,
	   "totals keep their processes");
	ok(a.timelines[2].list[0].ticks[0] == 1, "timelines keep their processes");
	memphis_profile_close(&a);
}

/* Adds a heatmap of the variable: it is stored to by an instruction of its own, in the last region. */
static void add_heatmap(struct memphis_profile *profile, uint64_t pc)
{
	struct memphis_heatmap *heatmap =
		memphis_append(profile->heatmaps, profile->heatmap_count, profile->heatmap_room);
	struct memphis_profile_frame frame = {.path = text(profile, "ice.F90"), .line = 9};
	uint32_t instruction = memphis_profile_add_instruction(profile, 0, pc, &frame, 1);

	*(struct memphis_heatmap_use *)memphis_append(heatmap->uses, heatmap->use_count, heatmap->use_room) =
		(struct memphis_heatmap_use){.first_store = instruction};
	*(struct memphis_heatmap_store *)memphis_append(heatmap->stores, heatmap->store_count,
							heatmap->store_room) =
		(struct memphis_heatmap_store){.instruction = instruction};
	*(struct memphis_heatmap_region *)memphis_append(heatmap->regions, heatmap->region_count,
							 heatmap->region_room) =
		(struct memphis_heatmap_region){.region = (uint32_t)profile->region_count - 1};
	*(struct memphis_heatmap_field *)memphis_append(heatmap->fields, heatmap->field_count,
							heatmap->field_room) =
		(struct memphis_heatmap_field){.name = text(profile, "velocity")};
	*(struct memphis_heatmap_part *)memphis_append(heatmap->parts, heatmap->part_count,
						       heatmap->part_room) =
		(struct memphis_heatmap_part){.name = text(profile, "[3..4]")};
}

static void merges_heatmaps(void)
{
	const struct memphis_heatmap *heatmap;
	struct memphis_profile a, b;
	struct memphis_error error;

	/* Strings, variables, instructions and regions have other numbers in the second profile. */
	make(&a, 10, "first", "tx");
	memphis_profile_add_region(&a, text(&a, "Advection"), MEMPHIS_REGION_OUTSIDE);
	add_heatmap(&a, 0x2000);
	make(&b, 20, "second", "ty");
	text(&b, "third");
	memphis_profile_add_region(&b, text(&b, "Dynamics"), MEMPHIS_REGION_OUTSIDE);
	add_heatmap(&b, 0x3000);
	ok(!memphis_profile_merge(&a, &b, &error) && a.heatmap_count == 2, "heatmaps are merged");
	heatmap = &a.heatmaps[1];
	is(heatmap->process, 1, "heatmaps keep their processes");
	is_text(memphis_profile_text(&a, a.variables[heatmap->variable].name), "ty",
		"heatmaps keep their variables");
	is_text(memphis_profile_text(&a, heatmap->parts[0].name), "[3..4]", "heatmaps keep their parts");
	is(a.instructions[heatmap->uses[0].first_store].pc, 0x3000,
	   "heatmaps keep the instructions of first stores");
	is(a.instructions[heatmap->stores[0].instruction].pc, 0x3000,
	   "heatmaps keep the instructions that store");
	is_text(memphis_profile_text(&a, a.regions[heatmap->regions[0].region].name), "Dynamics",
		"heatmaps keep their regions");
	is_text(memphis_profile_text(&a, heatmap->fields[0].name), "velocity",
		"heatmaps keep the names of fields");
	memphis_profile_close(&a);
}

static void adds(void)
{
	struct memphis_profile a, b;
	struct memphis_error error;

	make(&a, 10, "first", "tx");
	make(&b, 20, "second", "tx");
	a.by_thread = b.by_thread = false;
	ok(!memphis_profile_merge(&a, &b, &error) && a.cell_count == 1 && a.cells[0].measure.count == 30 &&
		   a.cells[0].measure.low == 110 && a.cells[0].measure.high == 220,
	   "cells with equal keys are added");
	make(&b, 20, "second", "tx");
	b.by_thread = false;
	ok(memphis_profile_merge(&a, &b, &error) == -EINVAL, "a process that is in both profiles is refused");
	is_text(error.text, "process 20 is in two of these profiles", "the message names the process");
	make(&b, 40, "second", "tx");
	ok(memphis_profile_merge(&a, &b, &error) == -EINVAL && a.cells[0].measure.count == 30,
	   "a profile made with other options is refused, and nothing is added");
	memphis_profile_close(&a);
}

int main(void)
{
	merges();
	merges_heatmaps();
	adds();
	return finish();
}
