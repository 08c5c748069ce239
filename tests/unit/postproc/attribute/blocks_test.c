// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, samples are attributed to blocks that did not stand there at that time. */
#include "attribute/build_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"

#define FAMILY 3

/* What is done goes to one of them: see become(). */
static struct memphis_process family[FAMILY], *process = family;
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
		memphis_append(process->namings, process->naming_count, process->naming_room);

	*naming = (struct memphis_naming){time_ns, address, bytes,
					  memphis_strings_add_text(&process->names, text)};
}

static void hold(uint64_t time_ns, uint64_t slot, uint64_t block)
{
	struct memphis_holder *holder =
		memphis_append(process->holders, process->holder_count, process->holder_room);

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

/* "stack name slots" of the block there, or why there is none. */
static const char *at(enum memphis_block_table table, uint64_t address, uint64_t time_ns)
{
	static char line[256];
	const struct memphis_group *group;
	struct memphis_block_answer answer;

	memphis_blocks_find(blocks, table, address, time_ns, &answer);
	if (!answer.block) {
		snprintf(line, sizeof(line), "none%s%s", answer.before ? " before" : "",
			 answer.after ? " after" : "");
		return line;
	}
	group = &blocks->groups[answer.block->group];
	snprintf(line, sizeof(line), "%u %s %zu", group->stack,
		 memphis_strings_get(&process->names, group->name),
		 memphis_strings_bytes(&blocks->holders, group->holders) / 8);
	return line;
}

static void clear_one(void)
{
	size_t i;

	for (i = 0; i < process->thread_count; i++) {
		free(process->threads[i].log->allocations);
		free(process->threads[i].log);
	}
	free(process->threads);
	free(process->namings);
	free(process->holders);
	free(process->stack_times_ns);
	memphis_settings_close(&process->settings);
	memphis_strings_close(&process->names);
	memphis_strings_close(&process->stacks);
	memphis_blocks_close(blocks);
	memset(process, 0, sizeof(*process));
}

static void clear(void)
{
	size_t member, i;

	for (member = FAMILY; member-- > 0;) {
		become(member);
		clear_one();
		process->run[1] = member;
		memphis_strings_add(&process->names, "", 0);
		/* Stacks 0 to 9, as events below use them. */
		for (i = 0; i < 10; i++)
			memphis_strings_add(&process->stacks, "stack number", i);
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
	is_text(at(HEAP, 0x1000, 100), "1  0", "from its allocation on there is one");
	is_text(at(HEAP, 0x103f, 199), "1  0", "to its last byte");
	is_text(at(HEAP, 0x1040, 199), "none", "not further");
	is_text(at(HEAP, 0x1000, 200), "none before after", "released by another thread, it is gone");
	is_text(at(HEAP, 0x1000, 300), "2  0", "the address is used again");
	is_text(at(HEAP, 0x1020, 300), "none before after", "by a smaller block");
	is_text(at(HEAP, 0x1030, 1UL << 60), "1  0", "what is never released lives on");
	is_text(at(HEAP, 0x2000, 700), "none", "a block of no bytes holds no address");
	ok(blocks->count == 2 && blocks->lifetime_count == 3,
	   "equal blocks are folded into one with two lifetimes");
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
	is_text(at(HEAP, 0x1000, 250), "2  0", "at the same time, a release comes before an allocation");
	is_text(at(HEAP, 0x1000, 350), "none before",
		"a block that another one overlaps must have been released");
	is_text(at(HEAP, 0x1010, 350), "3  0", "the newer one holds");
	ok(blocks->overlapped == 1, "such a missing release is counted");
}

static void maps(void)
{
	clear();
	event(0, 100, 0x10000, 0x4000, 1, MEMPHIS_ALLOCATION_MAP);
	event(0, 200, 0x11000, 0x1000, 0, MEMPHIS_ALLOCATION_UNMAP);
	event(0, 300, 0x12000, 0x1000, 2, MEMPHIS_ALLOCATION_MAP);
	build();
	is_text(at(MAP, 0x11800, 150), "1  0", "a map is there");
	is_text(at(MAP, 0x11800, 250), "none before", "its middle is unmapped");
	is_text(at(MAP, 0x10800, 250), "1  0", "what is left of it stays");
	is_text(at(MAP, 0x13800, 250), "1  0", "on both sides");
	is_text(at(MAP, 0x12800, 350), "2  0", "a new map replaces part of it");
	is_text(at(MAP, 0x13800, 350), "1  0", "and only that part");
	is_text(at(HEAP, 0x10800, 150), "none", "a map is no heap block");
	clear();
	event(0, 100, 0x10000, 0x4000, 1, MEMPHIS_ALLOCATION_SHARE);
	event(0, 110, 0x14000, 0x1000, 2, MEMPHIS_ALLOCATION_SHARE);
	event(0, 200, 0x10000, 0, 0, MEMPHIS_ALLOCATION_UNMAP);
	build();
	is_text(at(MAP, 0x13800, 150), "1  0", "shared memory is a map");
	is_text(at(MAP, 0x13800, 250), "none before", "that goes as a whole");
	is_text(at(MAP, 0x14800, 250), "2  0", "and nothing else with it");
	ok(blocks->groups[0].shared && blocks->groups[1].shared, "it is known as such");
}

/* A release and what realloc made of the block. */
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
	is_text(at(HEAP, 0x1000, 250), "3  0", "what comes to stand at its old place is another block");
	is_text(at(HEAP, 0x2000, 320), "1  1", "also one that stayed in its place");
	is_text(at(HEAP, 0x2090, 320), "none before", "only its size is new");
	is_text(at(HEAP, 0x33ff, 450), "1 grows 1", "it keeps its name, too, over its whole new size");
	is_text(at(HEAP, 0x3000, 550), "none before", "until it is released");
	is_text(at(HEAP, 0x5050, 650), "4 part 0", "a part keeps its name");
	is_text(at(HEAP, 0x5030, 650), "4  0", "and the rest has none");
	is_text(at(HEAP, 0x51ff, 650), "4  0", "nor has what is new");
	is_text(at(HEAP, 0x6050, 750), "4 part 0", "a smaller block keeps what is left of the part");
	is_text(at(HEAP, 0x6060, 750), "none", "and no more");
	is_text(at(HEAP, 0x7000, 850), "5  0",
		"what was realloc'ed from an unknown block has its own call stack");

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
	is_text(at(MAP, 0x27fff, 250), "1  0", "so does a map that mremap moved");
	is_text(at(MAP, 0x31800, 450), "1  0", "a part of it replaces what stood at its new place");
	is_text(at(MAP, 0x30800, 450), "3  0", "in front of it ...");
	is_text(at(MAP, 0x32800, 450), "3  0", "and behind it that stays");
	is_text(at(MAP, 0x20800, 450), "none before", "at its old place it is gone");
	is_text(at(MAP, 0x21800, 450), "1  0", "and the rest is there");
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
	is_text(at(HEAP, 0x1100, 150), "1  0", "before it was named");
	is_text(at(HEAP, 0x1100, 200), "1 middle 0", "a part of a block has its name");
	is_text(at(HEAP, 0x10ff, 200), "1  0", "the part before it has none");
	is_text(at(HEAP, 0x1200, 200), "1  0", "nor has the part behind it");
	is_text(at(HEAP, 0x11ff, 260), "1 again 0", "a second name wins over the first");
	is_text(at(HEAP, 0x1100, 350), "none before after",
		"the release of the block releases all its parts");
	is_text(at(HEAP, 0x1250, 350), "none before after", "the last one too");
	is_text(at(HEAP, 0x1100, 450), "2  0", "the next block there has not inherited the name");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900004, 550), "0 static 0",
		"memory that is no block can be named");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900008, 650), "0 other 0", "and renamed in part");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900004, 650), "0 static 0", "the rest keeps its name");
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
	is_text(at(HEAP, 0x1000, 150), "1  2", "holders count for a block's whole life, each slot once");
	is_text(at(HEAP, 0x1000, 450), "1  0", "but not for the next block there");
	ok(memphis_strings_bytes(&blocks->holders, blocks->stack_holders[1]) == 16,
	   "blocks of one call stack that were held have had the same holders");
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
	is_text(at(HEAP, 0x1000, 300 * MS), "9  0", "the parent has another block by now");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900000, 300 * MS), "0 later 0", "and another name");
	become(1);
	is_text(at(HEAP, 0x1000, 120 * MS), "1 whole 0", "the child has the block and its name");
	is_text(at(HEAP, 0x2010, 300 * MS), "2 part 0", "the name of a part");
	is_text(at(HEAP, 0x2000, 300 * MS), "2  0", "and of that part alone; no holder of later");
	is_text(at(HEAP, 0x3000, 120 * MS), "3  1", "the holder");
	is_text(at(HEAP, 0x3000, 300 * MS), "3  0", "until it releases the block");
	is_text(at(MAP, 0x12800, 300 * MS), "4  0", "what is left of a map");
	is_text(at(MAP, 0x11800, 300 * MS), "none", "and not what is gone");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900000, 300 * MS), "0 static 0", "named memory that is no block");
	is_text(at(HEAP, 0x4000, 300 * MS), "none", "no block that was gone");
	ok(memphis_strings_bytes(&blocks->holders, blocks->stack_holders[5]) == 8,
	   "but what had held that one, for others of the call stack");
	become(2);
	is_text(at(HEAP, 0x1000, 300 * MS), "1 whole 0", "so has the child's child");
	is_text(at(HEAP, 0x3000, 300 * MS), "3  0", "as they were then");
	is_text(at(HEAP, 0x6000, 300 * MS), "6  0", "a name holds for what stood there when it was given");
	is_text(at(MEMPHIS_BLOCKS_NAMED, 0x900000, 300 * MS), "0 static 0", "of two generations before");
}

/* What had not been written when the process forked is in the files of both, stamped nearly alike. */
static void told_twice(void)
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
	/* The parent released it at once, and left both records out. */
	event(0, 99 * MS + 3000, 0x4000, 64, 4, MALLOC);
	become(0);
	build();
	is_text(at(HEAP, 0x3000, 200 * MS), "1 moved 0", "realloc() has moved the name");
	become(1);
	is_text(at(HEAP, 0x2000, 200 * MS), "2 named 0", "the name stays where its block is told again");
	is_text(at(HEAP, 0x3000, 200 * MS), "1 moved 0", "also the one that moved");
	is_text(at(HEAP, 0x4000, 200 * MS), "4  0", "what the child alone tells of");
	/* The same of a child's child that was forked at once. */
	fork_from(1, 2, 100 * MS + 500);
	for (living = FAMILY; living-- > 0;)
		memphis_blocks_close(&tables[living]);
	living = FAMILY;
	build();
	become(2);
	is_text(at(HEAP, 0x2000, 200 * MS), "2 named 0", "in the next generation");
	is_text(at(HEAP, 0x3000, 200 * MS), "1 moved 0", "likewise");
	is_text(at(HEAP, 0x4000, 200 * MS), "4  0", "likewise");
	/* Damaged files: everyone is another one's child. */
	fork_from(2, 0, 50 * MS);
	for (living = FAMILY; living-- > 0;)
		memphis_blocks_close(&tables[living]);
	living = FAMILY;
	build();
}

/* realloc() of a parent's thread has released the old block, and not yet allocated the new one, when the child inherits. */
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
	is_text(at(HEAP, 0x3000, 65 * MS), "1 moved 0", "realloc() has moved the name");
	become(1);
	is_text(at(HEAP, 0x3000, 65 * MS), "1 moved 0", "for the child, too");
	is_text(at(HEAP, 0x4000, 75 * MS), "2  0",
		"of another thread, whose realloc() the child's files tell");
	is_text(at(HEAP, 0x5000, 75 * MS), "1 moved 0", "and so on");
	become(2);
	is_text(at(HEAP, 0x5000, 90 * MS), "1 moved 0", "in the next generation");
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
	told_twice();
	moved_at_fork();
	for (member = FAMILY; member-- > 0;) {
		become(member);
		clear_one();
	}
	return finish();
}
