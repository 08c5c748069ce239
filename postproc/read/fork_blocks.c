// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the memory blocks that each process inherited from its parent. Memory survives fork(), so a child has
 * all blocks of its parent, and their recorded call stacks, names and holders apply to the child too.
 */
#include "read/fork_blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/chunks.h"

#define GENERATIONS_MAX 1000
/* A realloc() during which the process forks is assumed to take no longer than this. */
#define BEFORE_NS 1000000u

static struct memphis_process *parent_of(struct memphis_processes *processes,
					 const struct memphis_process *child)
{
	const char *wanted = memphis_setting(&child->settings, "parent_run");
	uint64_t run[2];
	size_t i;

	if (!wanted || sscanf(wanted, "%16" SCNx64 "%16" SCNx64, &run[0], &run[1]) != 2)
		return NULL;
	for (i = 0; i < processes->count; i++)
		if (&processes->list[i] != child && !memcmp(processes->list[i].run, run, sizeof(run)))
			return &processes->list[i];
	return NULL;
}

/* Returns true if the process has too many ancestors. In damaged files, the chain of parents may be a cycle. */
static bool has_too_many_ancestors(const struct memphis_process *process)
{
	size_t generations = 0;

	for (; process->parent && generations <= GENERATIONS_MAX; process = process->parent)
		generations++;
	return generations > GENERATIONS_MAX;
}

/*
 * Returns the time as of which the child inherits its parent's blocks: shortly before the fork or before the
 * first event in the child's own files, whichever is earlier. The child's files also contain events from
 * before the fork that the parent had not written yet. The child writes them itself because the parent may
 * drop events that explain none of the parent's samples. The events of both processes between this time and
 * the fork are replayed together.
 */
static uint64_t first_event_ns(const struct memphis_process *process)
{
	const struct memphis_thread_log *log;
	uint64_t first_ns = process->forked_ns;
	size_t i;

	for (i = 0; i < process->thread_count; i++) {
		log = process->threads[i].log;
		if (log->allocation_count && log->allocations[0].time_ns < first_ns)
			first_ns = log->allocations[0].time_ns;
	}
	for (i = 0; i < process->log->naming_count; i++)
		if (process->log->namings[i].time_ns < first_ns)
			first_ns = process->log->namings[i].time_ns;
	return first_ns > BEFORE_NS ? first_ns - BEFORE_NS : 0;
}

void memphis_fork_blocks_add(struct memphis_processes *processes)
{
	struct memphis_process *process, *ancestor;
	uint64_t started_ns;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		process->parent = parent_of(processes, process);
		started_ns = memphis_setting_number(&process->settings, "start_time_ns", UINT64_MAX);
		process->forked_ns = memphis_setting_number(&process->settings, "fork_time_ns", started_ns);
		process->inherits_ns = first_event_ns(process);
	}
	for (i = 0; i < processes->count; i++)
		if (has_too_many_ancestors(&processes->list[i]))
			processes->list[i].parent = NULL;
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		process->log->maps.parent = process->parent ? &process->parent->log->maps : NULL;
	}
	/*
	 * Make sure that no ancestor inherits later than its descendants. The blocks of a parent are known
	 * only from the time at which the parent itself inherits.
	 */
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		for (ancestor = process->parent; ancestor; ancestor = ancestor->parent)
			if (ancestor->inherits_ns > process->inherits_ns)
				ancestor->inherits_ns = process->inherits_ns;
	}
}

void memphis_processes_drop_allocations(struct memphis_processes *processes)
{
	struct memphis_process *process;
	struct memphis_thread *thread;
	size_t i, j;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		for (j = 0; j < process->thread_count; j++) {
			thread = &process->threads[j];
			free(thread->log->allocations);
			thread->log->allocations = NULL;
			thread->log->allocation_count = thread->log->allocation_room = 0;
		}
	}
}

uint32_t memphis_inherit_stack(struct memphis_process *child, const struct memphis_process *from,
			       uint32_t stack)
{
	uint64_t time_ns = stack < from->log->stack_time_count ? from->log->stack_times_ns[stack] : 0;
	uint32_t translated =
		memphis_strings_add(&child->log->stacks, memphis_strings_get(&from->log->stacks, stack),
				    memphis_strings_bytes(&from->log->stacks, stack));

	if (translated == MEMPHIS_NO_STRING || memphis_process_note_stack(child, translated, time_ns))
		return MEMPHIS_NO_STRING;
	return translated;
}

uint32_t memphis_inherit_name(struct memphis_process *child, const struct memphis_process *from,
			      uint32_t name)
{
	return memphis_strings_add_text(&child->log->names, memphis_strings_get(&from->log->names, name));
}

int memphis_translation_open(struct memphis_translation *translation, struct memphis_process *child,
			     const struct memphis_process *from, struct memphis_strings *sets,
			     const struct memphis_strings *from_sets)
{
	*translation = (struct memphis_translation){
		.child = child, .from = from, .sets = sets, .from_sets = from_sets};
	translation->stacks = calloc(from->log->stacks.count + 1, sizeof(*translation->stacks));
	translation->names = calloc(from->log->names.count + 1, sizeof(*translation->names));
	translation->holders = calloc(from_sets->count + 1, sizeof(*translation->holders));
	return translation->stacks && translation->names && translation->holders ? 0 : -ENOMEM;
}

void memphis_translation_close(struct memphis_translation *translation)
{
	free(translation->stacks);
	free(translation->names);
	free(translation->holders);
}

/* Number 0, the empty string, is the same in every process and needs no translation. */
int memphis_translate_stack(struct memphis_translation *translation, uint32_t *stack)
{
	uint32_t *translated = &translation->stacks[*stack];

	if (*stack && !*translated)
		*translated = memphis_inherit_stack(translation->child, translation->from, *stack);
	*stack = *translated;
	return *stack == MEMPHIS_NO_STRING ? -ENOMEM : 0;
}

int memphis_translate_name(struct memphis_translation *translation, uint32_t *name)
{
	uint32_t *translated = &translation->names[*name];

	if (*name && !*translated)
		*translated = memphis_inherit_name(translation->child, translation->from, *name);
	*name = *translated;
	return *name == MEMPHIS_NO_STRING ? -ENOMEM : 0;
}

int memphis_translate_holders(struct memphis_translation *translation, uint32_t *holders)
{
	uint32_t *translated = &translation->holders[*holders];

	if (*holders && !*translated)
		*translated = memphis_strings_add(translation->sets,
						  memphis_strings_get(translation->from_sets, *holders),
						  memphis_strings_bytes(translation->from_sets, *holders));
	*holders = *translated;
	return *holders == MEMPHIS_NO_STRING ? -ENOMEM : 0;
}
