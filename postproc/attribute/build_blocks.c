// SPDX-License-Identifier: BSD-3-Clause
/*
 * Builds the blocks of all processes. The replay of a child process starts from the state of its parent at
 * the fork. When the replay of the parent reaches this point, it builds the child, recursively, and then
 * continues.
 */
#include "attribute/build_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/replay.h"
#include "base/order.h"
#include "attribute/blocks.h"
#include "read/fork_blocks.h"

#define CONFLICT UINT32_MAX /* mark: blocks from one call stack have different holders */

/* A call stack in the parent, and the holders that its blocks had before the fork. */
struct held_before {
	uint32_t stack, holders;
};

/* All processes, and the forked ones among them (`children`), sorted by parent and by time of inheritance. */
struct build {
	struct memphis_blocks *const *blocks;
	struct memphis_process *list;
	struct memphis_process **children;
	size_t child_count;
};

/* The state while the blocks of one process are built. */
struct process_build {
	const struct build *build;
	struct memphis_replay replay;
	struct held_before *held_before;
	size_t held_before_count, held_before_room;
};

static int add_inherited_holders(struct process_build *one, struct memphis_translation *translation,
				 uint32_t stack, uint32_t holders)
{
	struct held_before *held;

	if (!stack || !holders)
		return 0;
	held = memphis_append(one->held_before, one->held_before_count, one->held_before_room);
	if (!held)
		return -ENOMEM;
	held->stack = stack;
	held->holders = holders;
	return memphis_translate_stack(translation, &held->stack) ||
			       memphis_translate_holders(translation, &held->holders)
		       ? -ENOMEM
		       : 0;
}

static int translate_block(struct memphis_translation *translation, struct memphis_live_block *block)
{
	return memphis_translate_stack(translation, &block->stack) ||
			       memphis_translate_name(translation, &block->name) ||
			       memphis_translate_name(translation, &block->pool_name) ||
			       memphis_translate_holders(translation, &block->holders)
		       ? -ENOMEM
		       : 0;
}

/*
 * Copies the block that a thread of the parent released last. If realloc() was moving this block at the time
 * of the fork, the child replays the allocation of the new block and needs the old one.
 */
static int inherit_released_block(struct memphis_replay *replay, struct memphis_translation *translation,
				  const struct memphis_released *from)
{
	struct memphis_released *kept;
	size_t i;
	int rc = 0;

	if (!from->count)
		return 0;
	kept = memphis_append(replay->released_before, replay->released_before_count,
			      replay->released_before_room);
	if (!kept)
		return -ENOMEM;
	*kept = *from;
	kept->pieces = calloc(from->count, sizeof(*kept->pieces));
	if (!kept->pieces)
		return -ENOMEM;
	memcpy(kept->pieces, from->pieces, from->count * sizeof(*kept->pieces));
	for (i = 0; !rc && i < kept->count; i++)
		rc = translate_block(translation, &kept->pieces[i]);
	return rc;
}

/* Copies the live blocks, the blocks released last, and the holders of each call stack from the parent. */
static int inherit_blocks(struct process_build *one, const struct process_build *from)
{
	struct memphis_replay *replay = &one->replay;
	const struct memphis_replay *parent = &from->replay;
	struct memphis_translation translation;
	const struct memphis_block_group *group;
	struct memphis_live_block *at;
	struct memphis_live_blocks *live;
	uint64_t next;
	size_t i;
	int rc = memphis_translation_open(&translation, replay->process, parent->process,
					  &replay->blocks->holders, &parent->blocks->holders);

	for (live = replay->live; !rc && live < replay->live + MEMPHIS_BLOCK_TABLES; live++) {
		rc = memphis_live_blocks_copy(live, &parent->live[live - replay->live]);
		for (next = 0; !rc && (at = memphis_live_blocks_at(live, next)); next = at->end)
			rc = translate_block(&translation, at);
	}
	for (i = 0; !rc && i < parent->source_count; i++)
		rc = inherit_released_block(replay, &translation, &parent->released[i]);
	for (i = 0; !rc && i < parent->released_before_count; i++)
		rc = inherit_released_block(replay, &translation, &parent->released_before[i]);
	for (i = 0; !rc && i < parent->blocks->group_count; i++) {
		group = &parent->blocks->groups[i];
		rc = add_inherited_holders(one, &translation, group->stack, group->holders);
	}
	for (i = 0; !rc && i < from->held_before_count; i++)
		rc = add_inherited_holders(one, &translation, from->held_before[i].stack,
					   from->held_before[i].holders);
	memphis_translation_close(&translation);
	return rc;
}

static int build_process(const struct build *build, struct memphis_process *process,
			 const struct process_build *parent);

/* Replays all events of a process. When the replay reaches the state that a child inherits, builds the child. */
static int replay_events(struct process_build *one)
{
	const struct build *build = one->build;
	struct memphis_replay *replay = &one->replay;
	size_t child = memphis_bisect(i, build->child_count, build->children[i]->parent < replay->process);
	const struct memphis_event_source *source;
	struct memphis_process *next;
	struct memphis_history history;
	int rc;

	rc = memphis_history_open(&history, replay->process);
	replay->source_count = history.sources;
	replay->released = calloc((size_t)history.sources + 1, sizeof(*replay->released));
	if (!replay->released)
		rc = -ENOMEM;
	while (!rc) {
		source = memphis_history_next(&history);
		next = child < build->child_count ? build->children[child] : NULL;
		if (next && next->parent == replay->process &&
		    (!source || next->inherits_ns <= source->time_ns)) {
			rc = build_process(build, next, one);
			child++;
			continue;
		}
		if (!source)
			break;
		rc = memphis_replay_event(replay, source);
		memphis_history_advance(&history);
	}
	memphis_history_close(&history);
	return rc;
}

static void merge_holders(uint32_t *known, uint32_t holders)
{
	*known = !*known || *known == holders ? holders : CONFLICT;
}

/*
 * Finds, for each call stack, the holders of the blocks that were allocated from it. A block may be released
 * before any scan sees the pointer to it. Such a block gets the holders of other blocks from the same call
 * stack, provided that all known holders agree.
 */
static int find_stack_holders(const struct process_build *one)
{
	struct memphis_blocks *blocks = one->replay.blocks;
	const size_t stacks = one->replay.process->log->stacks.count;
	const struct held_before *held;
	size_t i;

	blocks->stack_holders = calloc(stacks + 1, sizeof(*blocks->stack_holders));
	if (!blocks->stack_holders)
		return -ENOMEM;
	for (i = 0; i < one->held_before_count; i++) {
		held = &one->held_before[i];
		merge_holders(&blocks->stack_holders[held->stack], held->holders);
	}
	for (i = 0; i < blocks->group_count; i++)
		if (blocks->groups[i].holders && blocks->groups[i].stack)
			merge_holders(&blocks->stack_holders[blocks->groups[i].stack],
				      blocks->groups[i].holders);
	for (i = 0; i < stacks; i++)
		if (blocks->stack_holders[i] == CONFLICT)
			blocks->stack_holders[i] = 0;
	return 0;
}

static int compare_namings(const void *a, const void *b)
{
	const struct memphis_naming *x = a, *y = b;

	return memphis_order(x->time_ns, y->time_ns);
}

static int compare_holders(const void *a, const void *b)
{
	const struct memphis_holder *x = a, *y = b;

	return memphis_order(x->time_ns, y->time_ns) ?: memphis_order(x->slot, y->slot);
}

static void sort_events(struct memphis_process *process)
{
	memphis_sort(process->log->namings, process->log->naming_count, compare_namings);
	memphis_sort(process->log->holders, process->log->holder_count, compare_holders);
}

static int build_process(const struct build *build, struct memphis_process *process,
			 const struct process_build *parent)
{
	struct memphis_blocks *blocks = build->blocks[process - build->list];
	struct process_build one = {
		.build = build,
		.replay = {.blocks = blocks, .process = process, .ended = {.blocks = blocks}}};
	int rc = 0;

	if (memphis_strings_add(&blocks->holders, "", 0))
		return -ENOMEM;
	if (parent)
		rc = inherit_blocks(&one, parent);
	if (!rc)
		rc = replay_events(&one);
	if (!rc)
		rc = memphis_replay_end(&one.replay);
	if (!rc)
		rc = memphis_ended_fold(&one.replay.ended);
	if (!rc)
		rc = find_stack_holders(&one);
	if (!rc)
		rc = memphis_shared_slots_find(blocks);
	memphis_replay_close(&one.replay);
	free(one.held_before);
	return rc;
}

static int compare_children(const void *a, const void *b)
{
	const struct memphis_process *x = *(struct memphis_process *const *)a;
	const struct memphis_process *y = *(struct memphis_process *const *)b;

	return memphis_order(x->parent, y->parent) ?:
	       memphis_order(x->inherits_ns, y->inherits_ns) ?:
	       memphis_order(x, y);
}

int memphis_blocks_build(struct memphis_blocks *const *blocks, struct memphis_process *list, size_t count)
{
	struct build build = {.blocks = blocks, .list = list};
	size_t i;
	int rc = 0;

	for (i = 0; i < count; i++) {
		memset(blocks[i], 0, sizeof(*blocks[i]));
		sort_events(&list[i]);
	}
	build.children = calloc(count + 1, sizeof(struct memphis_process *));
	if (!build.children)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (list[i].parent)
			build.children[build.child_count++] = &list[i];
	qsort(build.children, build.child_count, sizeof(struct memphis_process *), compare_children);
	for (i = 0; !rc && i < count; i++)
		if (!list[i].parent)
			rc = build_process(&build, &list[i], NULL);
	free(build.children);
	return rc;
}
