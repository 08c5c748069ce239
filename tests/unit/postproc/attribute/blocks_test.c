// SPDX-License-Identifier: BSD-3-Clause
/* Replay of allocation events. If this fails, samples are attributed to blocks that were not at their address at that time. */
#include "attribute/build_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"

#define FAMILY 3

/* Processes that fork from each other; become() selects the one that the functions below work on. */
static struct memphis_process family[FAMILY], *process = family;
static struct memphis_process_log process_logs[FAMILY];
static struct memphis_blocks tables[FAMILY], *blocks = tables;
static size_t living;

static void become(size_t member)
{
	process = &family[member];
	blocks = &tables[member];
	if (living <= member)
		living = member + 1;
}

static void event(unsigned int thread, uint64_t time_ns, uint64_t address, uint64_t bytes, uint32_t stack,
		  uint32_t kind)
{
	struct memphis_allocation *allocation;
	struct memphis_thread_log *log;
	struct memphis_thread *one;

	while (process->thread_count <= thread) {
		one = memphis_append(process->threads, process->thread_count, process->thread_room);
		one->log = calloc(1, sizeof(*one->log));
	}
	log = process->threads[thread].log;
	allocation = memphis_append(log->allocations, log->allocation_count, log->allocation_room);
	*allocation = (struct memphis_allocation){time_ns, address, bytes, 0, stack, kind};
}

static void name(uint64_t time_ns, uint64_t address, uint64_t bytes, const char *text)
{
	struct memphis_naming *naming =
		memphis_append(process->log->namings, process->log->naming_count, process->log->naming_room);

	*naming = (struct memphis_naming){time_ns, address, bytes,
					  memphis_strings_add_text(&process->log->names, text)};
}

static void hold(uint64_t time_ns, uint64_t slot, uint64_t block)
{
	struct memphis_holder *holder =
		memphis_append(process->log->holders, process->log->holder_count, process->log->holder_room);

	*holder = (struct memphis_holder){time_ns, slot, block};
}

static void build(void)
{
	struct memphis_blocks *list[FAMILY];
	size_t i;

	for (i = 0; i < FAMILY; i++)
		list[i] = &tables[i];
	memphis_fork_blocks_add(&(struct memphis_processes){.list = family, .count = living});
	ok(!memphis_blocks_build(list, family, living), "the events are replayed");
}

/* Returns "stack name holders" of the block at the address, or "none" with " before" or " after" if there was or will be one. */
static const char *at(enum memphis_block_table table, uint64_t address, uint64_t time_ns)
{
	static char line[256];
	const struct memphis_block_group *group;
	struct memphis_block_answer answer;

	memphis_blocks_find(blocks, table, address, time_ns, &answer);
	if (!answer.block) {
		snprintf(line, sizeof(line), "none%s%s", answer.before ? " before" : "",
			 answer.after ? " after" : "");
		return line;
	}
	group = &blocks->groups[answer.block->group];
	snprintf(line, sizeof(line), "%u %s %zu", group->stack,
		 memphis_strings_get(&process->log->names, group->name),
		 memphis_strings_bytes(&blocks->holders, group->holders) / 8);
	return line;
}

static void clear_one(void)
{
	struct memphis_process_log *log = &process_logs[process - family];
	size_t i;

	for (i = 0; i < process->thread_count; i++) {
		free(process->threads[i].log->allocations);
		free(process->threads[i].log);
	}
	free(process->threads);
	free(log->namings);
	free(log->holders);
	free(log->stack_times_ns);
	memphis_settings_close(&process->settings);
	memphis_strings_close(&log->names);
	memphis_strings_close(&log->stacks);
	memphis_blocks_close(blocks);
	memset(process, 0, sizeof(*process));
	memset(log, 0, sizeof(*log));
	process->log = log;
}

static void clear(void)
{
	size_t member, i;

	for (member = FAMILY; member-- > 0;) {
		become(member);
		clear_one();
		process->run[1] = member;
		memphis_strings_add(&process->log->names, "", 0);
		/* Stacks 0 to 9, which the events below use. */
		for (i = 0; i < 10; i++)
			memphis_strings_add(&process->log->stacks, "stack number", i);
	}
	living = 1;
}

#define HEAP   MEMPHIS_BLOCKS_HEAP
#define MAP    MEMPHIS_BLOCKS_MAP
#define MALLOC MEMPHIS_ALLOCATION_MALLOC
#define FREE   MEMPHIS_ALLOCATION_FREE

static void lifetimes(void)
{
	clear();
	event(0, 100, 0x1000, 64, 1, MALLOC);
	event(1, 200, 0x1000, 0, 0, FREE);
	event(0, 300, 0x1000, 32, 2, MALLOC);
	event(0, 400, 0x1000, 0, 0, FREE);
	event(1, 500, 0x1000, 64, 1, MALLOC);
	event(0, 600, 0x2000, 0, 9, MALLOC);
	build();
	is_text(at(HEAP, 0x1000, 99), "none after", "before its allocation there is no block");
	is_text(at(HEAP, 0x1000, 100), "1  0", "from its allocation on there is a block");
	is_text(at(HEAP, 0x103f, 199), "1  0", "a block contains its last byte");
	is_text(at(HEAP, 0x1040, 199), "none", "a block does not contain the byte after its last");
	is_text(at(HEAP, 0x1000, 200), "none before after", "a block that another thread released is gone");
	is_text(at(HEAP, 0x1000, 300), "2  0", "an address is used again by a later block");
	is_text(at(HEAP, 0x1020, 300), "none before after", "a later, smaller block does not reach as far");
	is_text(at(HEAP, 0x1030, 1UL << 60), "1  0", "a block that is never released lives on");
	is_text(at(HEAP, 0x2000, 700), "none", "a block of size 0 contains no address");
	ok(blocks->count == 2 && blocks->lifetime_count == 3,
	   "equal blocks are merged into one with two lifetimes");
}

static void ties_and_losses(void)
{
	clear();
	event(0, 100, 0x1000, 64, 1, MALLOC);
	event(0, 200, 0x1000, 64, 2, MALLOC);
	event(1, 200, 0x1000, 0, 0, FREE);
	event(1, 300, 0x1010, 64, 3, MALLOC);
	event(1, 400, 0x7000, 0, 0, FREE);
	build();
	is_text(at(HEAP, 0x1000, 250), "2  0",
		"of events at the same time, a release comes before an allocation");
	is_text(at(HEAP, 0x1000, 350), "none before", "a block is ended by a later block that overlaps it");
	is_text(at(HEAP, 0x1010, 350), "3  0", "of overlapping blocks, the later one is found");
	ok(blocks->overlapped == 1, "a block without a release is counted");
}

static void maps(void)
{
	clear();
	event(0, 100, 0x10000, 0x4000, 1, MEMPHIS_ALLOCATION_MAP);
	event(0, 200, 0x11000, 0x1000, 0, MEMPHIS_ALLOCATION_UNMAP);
	event(0, 300, 0x12000, 0x1000, 2, MEMPHIS_ALLOCATION_MAP);
	build();
	is_text(at(MAP, 0x11800, 150), "1  0", "a map is found");
	is_text(at(MAP, 0x11800, 250), "none before", "the unmapped middle of a map is gone");
	is_text(at(MAP, 0x10800, 250), "1  0", "the map before its unmapped middle stays");
	is_text(at(MAP, 0x13800, 250), "1  0", "the map after its unmapped middle stays");
	is_text(at(MAP, 0x12800, 350), "2  0", "a new map replaces a part of an older one");
	is_text(at(MAP, 0x13800, 350), "1  0", "a new map replaces no more than its own range");
	is_text(at(HEAP, 0x10800, 150), "none", "a map is no heap block");
	clear();
	event(0, 100, 0x10000, 0x4000, 1, MEMPHIS_ALLOCATION_SHARE);
	event(0, 110, 0x14000, 0x1000, 2, MEMPHIS_ALLOCATION_SHARE);
	event(0, 200, 0x10000, 0, 0, MEMPHIS_ALLOCATION_UNMAP);
	build();
	is_text(at(MAP, 0x13800, 150), "1  0", "shared memory is a map");
	is_text(at(MAP, 0x13800, 250), "none before", "shared memory that is detached is gone as a whole");
	is_text(at(MAP, 0x14800, 250), "2  0",
		"detaching shared memory leaves the neighbouring segment alone");
	ok(blocks->groups[0].shared && blocks->groups[1].shared, "shared memory is marked as shared");
}

/* The events of a realloc(): a release, and an allocation that refers to it. */
static void move(uint64_t time_ns, uint64_t from, uint64_t to, uint64_t bytes, uint32_t stack)
{
	event(0, time_ns, from, 0, 0, FREE);
	event(0, time_ns, to, bytes, stack, MALLOC);
	process->threads[0].log->allocations[process->threads[0].log->allocation_count - 1].previous = from;
}

static void identity(void)
{
	clear();
	event(0, 100, 0x1000, 0x100, 1, MALLOC);
	hold(150, 0x8000, 0x1000);
	move(200, 0x1000, 0x2000, 0x200, 2);
	event(1, 250, 0x1000, 0x100, 3, MALLOC);
	move(300, 0x2000, 0x2000, 0x80, 2);
	name(350, 0x2000, 0x80, "grows");
	move(400, 0x2000, 0x3000, 0x400, 2);
	event(0, 500, 0x3000, 0, 0, FREE);
	event(0, 600, 0x4000, 0x100, 4, MALLOC);
	name(610, 0x4040, 0x40, "part");
	move(620, 0x4000, 0x5000, 0x200, 5);
	move(700, 0x5000, 0x6000, 0x60, 5);
	move(800, 0x999000, 0x7000, 0x60, 5);
	build();
	is_text(at(HEAP, 0x2100, 250), "1  1", "a block that realloc moved keeps its call stack and holders");
	is_text(at(HEAP, 0x1000, 250), "3  0", "a block at the old address of a moved block is another one");
	is_text(at(HEAP, 0x2000, 320), "1  1",
		"a block that realloc left in place keeps its call stack and holders");
	is_text(at(HEAP, 0x2090, 320), "none before", "a block that realloc left in place has the new size");
	is_text(at(HEAP, 0x33ff, 450), "1 grows 1",
		"a block that realloc moved keeps its name, over its new size");
	is_text(at(HEAP, 0x3000, 550), "none before", "a block that realloc moved is gone after its release");
	is_text(at(HEAP, 0x5050, 650), "4 part 0", "a named part of a moved block keeps its name");
	is_text(at(HEAP, 0x5030, 650), "4  0", "the rest of a moved block has no name");
	is_text(at(HEAP, 0x51ff, 650), "4  0", "the new bytes of a moved block have no name");
	is_text(at(HEAP, 0x6050, 750), "4 part 0", "a block that shrinks keeps the rest of its named part");
	is_text(at(HEAP, 0x6060, 750), "none", "a named part ends at the end of a block that shrank");
	is_text(at(HEAP, 0x7000, 850), "5  0",
		"a block that realloc made of an unknown one has the call stack of realloc");

	clear();
	event(0, 100, 0x10000, 0x4000, 1, MEMPHIS_ALLOCATION_MAP);
	event(0, 200, 0x10000, 0x4000, 0, MEMPHIS_ALLOCATION_UNMAP);
	event(0, 200, 0x20000, 0x8000, 2, MEMPHIS_ALLOCATION_MAP);
	process->threads[0].log->allocations[2].previous = 0x10000;
	event(0, 300, 0x30000, 0x4000, 3, MEMPHIS_ALLOCATION_MAP);
	event(0, 400, 0x20000, 0x1000, 0, MEMPHIS_ALLOCATION_UNMAP);
	event(0, 400, 0x31000, 0x1000, 4, MEMPHIS_ALLOCATION_MAP);
	process->threads[0].log->allocations[5].previous = 0x20000;
	build();
	is_text(at(MAP, 0x27fff, 250), "1  0", "a map that mremap moved keeps its call stack");
	is_text(at(MAP, 0x31800, 450), "1  0",
		"a part of a map that mremap moved replaces the map at its new address");
	is_text(at(MAP, 0x30800, 450), "3  0", "the replaced map stays before the moved part");
	is_text(at(MAP, 0x32800, 450), "3  0", "the replaced map stays after the moved part");
	is_text(at(MAP, 0x20800, 450), "none before", "the moved part is gone from its old address");
	is_text(at(MAP, 0x21800, 450), "1  0", "the rest of a map whose part was moved stays");
}

static void names(void)
{
	clear();
	event(0, 100, 0x1000, 0x300, 1, MALLOC);
	name(200, 0x1100, 0x100, "middle");
	name(250, 0x1100, 0x100, "again");
	event(0, 300, 0x1000, 0, 0, FREE);
	event(0, 400, 0x1000, 0x300, 2, MALLOC);
	name(500, 0x900000, 16, "static");
	name(600, 0x900008, 16, "other");
	build();
	is_text(at(HEAP, 0x1100, 150), "1  0", "a block has no name before it is named");
	is_text(at(HEAP, 0x1100, 200), "1 middle 0", "a named part of a block has its name");
	is_text(at(HEAP, 0x10ff, 200), "1  0", "the block before its named part has no name");
	is_text(at(HEAP, 0x1200, 200), "1  0", "the block after its named part has no name");
	is_text(at(HEAP, 0x11ff, 260), "1 again 0", "a second name replaces the first");
	is_text(at(HEAP, 0x1100, 350), "none before after", "the release of a block releases its named part");
	is_text(at(HEAP, 0x1250, 350), "none before after", "the release of a block releases its last part");
	is_text(at(HEAP, 0x1100, 450), "2  0", "the next block at the address does not inherit the name");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900004, 550), "0 static 0",
		"memory outside of all blocks can be named");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900008, 650), "0 other 0", "named memory can be renamed in part");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900004, 650), "0 static 0",
		"the rest of partly renamed memory keeps its name");
}

static void holders(void)
{
	clear();
	event(0, 100, 0x1000, 64, 1, MALLOC);
	hold(200, 0x8000, 0x1000);
	hold(200, 0x8008, 0x1000);
	hold(250, 0x8000, 0x1000);
	hold(250, 0x8010, 0x1004);
	event(0, 300, 0x1000, 0, 0, FREE);
	hold(350, 0x8018, 0x1000);
	event(0, 400, 0x1000, 64, 1, MALLOC);
	build();
	is_text(at(HEAP, 0x1000, 150), "1  2", "holders count for a block's whole lifetime, each slot once");
	is_text(at(HEAP, 0x1000, 450), "1  0", "holders do not count for the next block at the address");
	ok(memphis_strings_bytes(&blocks->holders, blocks->stack_holders[1]) == 16,
	   "the holders of a call stack are those of its blocks that had any");
}

#define MS 1000000u

static void fork_from(size_t parent, size_t child, uint64_t time_ns)
{
	char text[128];

	become(child);
	snprintf(text, sizeof(text), "parent_run %016x%016x\nfork_time_ns %llu\n", 0, (unsigned int)parent,
		 (unsigned long long)time_ns);
	memphis_settings_add(&process->settings, (struct memphis_span){text, strlen(text)});
	become(parent);
}

static void reallocate(unsigned int thread, uint64_t time_ns, uint64_t address, uint64_t bytes,
		       uint64_t previous)
{
	event(thread, time_ns, address, bytes, 1, MALLOC);
	process->threads[thread]
		.log->allocations[process->threads[thread].log->allocation_count - 1]
		.previous = previous;
}

static void forks(void)
{
	clear();
	event(0, 10 * MS, 0x1000, 64, 1, MALLOC);
	event(0, 11 * MS, 0x2000, 64, 2, MALLOC);
	event(0, 12 * MS, 0x3000, 64, 3, MALLOC);
	event(0, 13 * MS, 0x10000, 0x3000, 4, MEMPHIS_ALLOCATION_SHARE);
	event(0, 14 * MS, 0x4000, 64, 5, MALLOC);
	hold(15 * MS, 0x8000, 0x4000);
	event(0, 16 * MS, 0x4000, 0, 0, FREE);
	event(0, 17 * MS, 0x5000, 64, 5, MALLOC);
	name(18 * MS, 0x1000, 64, "whole");
	name(18 * MS, 0x2010, 16, "part");
	name(18 * MS, 0x900000, 16, "static");
	hold(19 * MS, 0x8008, 0x3000);
	event(0, 19 * MS, 0x11000, 0x1000, 0, MEMPHIS_ALLOCATION_UNMAP);
	fork_from(0, 1, 100 * MS);
	event(0, 101 * MS, 0x1000, 0, 0, FREE);
	event(0, 102 * MS, 0x1000, 64, 9, MALLOC);
	name(103 * MS, 0x900000, 16, "later");
	hold(104 * MS, 0x8010, 0x2000);
	become(1);
	event(0, 150 * MS, 0x3000, 0, 0, FREE);
	event(0, 151 * MS, 0x3000, 64, 3, MALLOC);
	name(152 * MS, 0x6000, 64, "child's");
	event(0, 153 * MS, 0x6000, 64, 6, MALLOC);
	fork_from(1, 2, 200 * MS);
	become(1);
	event(0, 210 * MS, 0x1000, 0, 0, FREE);
	become(0);
	build();
	is_text(at(HEAP, 0x1000, 300 * MS), "9  0",
		"after the fork, the parent has another block at the address");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900000, 300 * MS), "0 later 0",
		"after the fork, the parent renames memory");
	become(1);
	is_text(at(HEAP, 0x1000, 120 * MS), "1 whole 0", "a child inherits a block and its name");
	is_text(at(HEAP, 0x2010, 300 * MS), "2 part 0", "a child inherits the name of a part");
	is_text(at(HEAP, 0x2000, 300 * MS), "2  0", "a child does not inherit holders from after the fork");
	is_text(at(HEAP, 0x3000, 120 * MS), "3  1", "a child inherits holders");
	is_text(at(HEAP, 0x3000, 300 * MS), "3  0",
		"an inherited holder does not outlive the child's release");
	is_text(at(MAP, 0x12800, 300 * MS), "4  0", "a child inherits the rest of a map");
	is_text(at(MAP, 0x11800, 300 * MS), "none", "a child does not inherit an unmapped part of a map");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900000, 300 * MS), "0 static 0",
		"a child inherits the name of memory outside of all blocks");
	is_text(at(HEAP, 0x4000, 300 * MS), "none", "a child does not inherit a released block");
	ok(memphis_strings_bytes(&blocks->holders, blocks->stack_holders[5]) == 8,
	   "a child inherits the holders of a released block, for other blocks of the call stack");
	become(2);
	is_text(at(HEAP, 0x1000, 300 * MS), "1 whole 0", "a grandchild inherits a block and its name");
	is_text(at(HEAP, 0x3000, 300 * MS), "3  0", "a grandchild inherits the blocks of its parent's fork");
	is_text(at(HEAP, 0x6000, 300 * MS), "6  0",
		"a name does not apply to a block that is allocated later");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900000, 300 * MS), "0 static 0",
		"a grandchild inherits the name of memory outside of all blocks");
}

/* Records that were not yet written at a fork are in the files of both processes, with nearly equal time stamps. */
static void recorded_twice(void)
{
	clear();
	event(0, 10 * MS, 0x1000, 64, 1, MALLOC);
	name(11 * MS, 0x1000, 64, "moved");
	event(0, 99 * MS, 0x2000, 64, 2, MALLOC);
	name(99 * MS + 50, 0x2000, 64, "named");
	event(0, 99 * MS + 1000, 0x1000, 0, 0, FREE);
	reallocate(0, 99 * MS + 2000, 0x3000, 128, 0x1000);
	fork_from(0, 1, 100 * MS);
	become(1);
	event(0, 99 * MS + 80, 0x2000, 64, 2, MALLOC);
	name(99 * MS + 50, 0x2000, 64, "named");
	event(0, 99 * MS + 900, 0x1000, 0, 0, FREE);
	reallocate(0, 99 * MS + 2100, 0x3000, 128, 0x1000);
	/* The parent released this block at once, and wrote neither record. */
	event(0, 99 * MS + 3000, 0x4000, 64, 4, MALLOC);
	become(0);
	build();
	is_text(at(HEAP, 0x3000, 200 * MS), "1 moved 0",
		"recorded twice: realloc() moves the name in the parent");
	become(1);
	is_text(at(HEAP, 0x2000, 200 * MS), "2 named 0",
		"recorded twice: a block keeps its name in the child");
	is_text(at(HEAP, 0x3000, 200 * MS), "1 moved 0",
		"recorded twice: realloc() moves the name in the child");
	is_text(at(HEAP, 0x4000, 200 * MS), "4  0", "a block that only the child's file contains is found");
	/* The same for a grandchild that was forked at once. */
	fork_from(1, 2, 100 * MS + 500);
	for (living = FAMILY; living-- > 0;)
		memphis_blocks_close(&tables[living]);
	living = FAMILY;
	build();
	become(2);
	is_text(at(HEAP, 0x2000, 200 * MS), "2 named 0",
		"recorded twice: a block keeps its name in the grandchild");
	is_text(at(HEAP, 0x3000, 200 * MS), "1 moved 0",
		"recorded twice: the grandchild has the moved block");
	is_text(at(HEAP, 0x4000, 200 * MS), "4  0",
		"the grandchild has the block that only the child's file contains");
	/* Damaged files: a cycle of parents and children. */
	fork_from(2, 0, 50 * MS);
	for (living = FAMILY; living-- > 0;)
		memphis_blocks_close(&tables[living]);
	living = FAMILY;
	build();
}

/* At the fork, realloc() in a thread of the parent has released the old block, but not yet allocated the new one. */
static void moved_at_fork(void)
{
	clear();
	event(0, 10 * MS, 0x1000, 64, 1, MALLOC);
	name(11 * MS, 0x1000, 64, "moved");
	event(1, 12 * MS, 0x2000, 64, 2, MALLOC);
	event(0, 20 * MS, 0x1000, 0, 0, FREE);
	event(1, 30 * MS, 0x2000, 0, 0, FREE);
	reallocate(0, 60 * MS, 0x3000, 128, 0x1000);
	fork_from(0, 1, 60 * MS + 1000);
	become(1);
	reallocate(0, 60 * MS + 500, 0x4000, 128, 0x2000);
	event(0, 70 * MS, 0x3000, 0, 0, FREE);
	reallocate(0, 71 * MS, 0x5000, 64, 0x3000);
	fork_from(1, 2, 80 * MS);
	become(0);
	build();
	is_text(at(HEAP, 0x3000, 65 * MS), "1 moved 0", "moved at the fork: the parent's block has the name");
	become(1);
	is_text(at(HEAP, 0x3000, 65 * MS), "1 moved 0", "moved at the fork: the child's block has the name");
	is_text(at(HEAP, 0x4000, 75 * MS), "2  0",
		"moved at the fork: the child's file contains the realloc() of another thread");
	is_text(at(HEAP, 0x5000, 75 * MS), "1 moved 0", "moved at the fork: the child moves the block again");
	become(2);
	is_text(at(HEAP, 0x5000, 90 * MS), "1 moved 0",
		"moved at the fork: the grandchild's block has the name");
}

int main(void)
{
	size_t member;

	lifetimes();
	ties_and_losses();
	maps();
	identity();
	names();
	holders();
	forks();
	recorded_twice();
	moved_at_fork();
	for (member = FAMILY; member-- > 0;) {
		become(member);
		clear_one();
	}
	return finish();
}
