// SPDX-License-Identifier: BSD-3-Clause
/* Blocks outlive fork(): a child also has what its parent had allocated before. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

static struct memphis_process *parent_of(struct memphis_processes *processes,
					 const struct memphis_process *child)
{
	const char *wanted = memphis_setting(&child->settings, "parent_run");
	char run[33];
	size_t i;

	for (i = 0; wanted && i < processes->count; i++) {
		snprintf(run, sizeof(run), "%016" PRIx64 "%016" PRIx64, processes->list[i].run[0],
			 processes->list[i].run[1]);
		if (&processes->list[i] != child && !strcmp(run, wanted))
			return &processes->list[i];
	}
	return NULL;
}

/* The parent's stacks have other numbers in the child. */
static int inherit_one(struct memphis_process *child, const struct memphis_process *parent,
		       const struct memphis_allocation *event)
{
	struct memphis_allocation *copy =
		memphis_append(child->inherited, child->inherited_count, child->inherited_room);
	size_t bytes = memphis_strings_bytes(&parent->stacks, event->stack);

	if (!copy)
		return -ENOMEM;
	*copy = *event;
	copy->stack = memphis_strings_add(&child->stacks, memphis_strings_get(&parent->stacks, event->stack),
					  bytes);
	if (copy->stack == MEMPHIS_NO_STRING)
		return -ENOMEM;
	return memphis_process_note_stack(child, copy->stack, event->time_ns);
}

static int inherit_list(struct memphis_process *child, const struct memphis_process *parent,
			const struct memphis_allocation *list, size_t count, uint64_t before_ns)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (list[i].time_ns < before_ns && inherit_one(child, parent, &list[i]))
			return -ENOMEM;
	return 0;
}

static bool is_release(const struct memphis_allocation *event)
{
	return event->kind == MEMPHIS_ALLOCATION_FREE || event->kind == MEMPHIS_ALLOCATION_UNMAP;
}

static int compare_times(const void *a, const void *b)
{
	const struct memphis_allocation *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return is_release(y) - is_release(x);
}

static int inherit_from(struct memphis_process *child, const struct memphis_process *parent)
{
	uint64_t before_ns = memphis_setting_number(&child->settings, "start_time_ns", UINT64_MAX);
	size_t i;
	int rc = inherit_list(child, parent, parent->inherited, parent->inherited_count, before_ns);

	for (i = 0; !rc && i < parent->thread_count; i++)
		rc = inherit_list(child, parent, parent->threads[i].log->allocations,
				  parent->threads[i].log->allocation_count, before_ns);
	if (!rc && child->inherited_count)
		qsort(child->inherited, child->inherited_count, sizeof(*child->inherited), compare_times);
	return rc;
}

/* Parents first; `depth` ends circles, which only damaged files have. */
static int inherit(struct memphis_processes *processes, struct memphis_process *child, size_t depth)
{
	struct memphis_process *parent = parent_of(processes, child);
	int rc;

	if (!parent || child->inherited_count || depth > processes->count)
		return 0;
	rc = inherit(processes, parent, depth + 1);
	return rc ? rc : inherit_from(child, parent);
}

int memphis_processes_inherit(struct memphis_processes *processes)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < processes->count; i++)
		rc = inherit(processes, &processes->list[i], 0);
	return rc;
}

void memphis_processes_drop_allocations(struct memphis_processes *processes)
{
	struct memphis_process *process;
	struct memphis_thread *thread;
	size_t i, j;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		free(process->inherited);
		process->inherited = NULL;
		process->inherited_count = process->inherited_room = 0;
		for (j = 0; j < process->thread_count; j++) {
			thread = &process->threads[j];
			free(thread->log->allocations);
			thread->log->allocations = NULL;
			thread->log->allocation_count = thread->log->allocation_room = 0;
		}
	}
}
