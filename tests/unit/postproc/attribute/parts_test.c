/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of pools: which part contained an address at a time, and which pointers name it. If this fails, samples in a program's own arena get
 * the name of the arena, or of a part that is gone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/build_blocks.h"
#include "attribute/blocks.h"
#include "../../tap.h"

#define MALLOC MEMPHIS_ALLOCATION_MALLOC
#define FREE   MEMPHIS_ALLOCATION_FREE
#define MAP    MEMPHIS_ALLOCATION_MAP
#define UNMAP  MEMPHIS_ALLOCATION_UNMAP
#define PART   MEMPHIS_ALLOCATION_PART
#define END    MEMPHIS_ALLOCATION_PART_FREE
#define RESET  MEMPHIS_ALLOCATION_POOL_RESET

/* Pools 1 and 2 are called "pool" and "inner"; a part may be called "part". */
#define IN_POOL  (1ull << 32 | 1)
#define IN_INNER (2ull << 32 | 2)
#define CALLED   (3ull << 48)

static struct memphis_process family[2], *process = family;
static struct memphis_process_log process_logs[2];
static struct memphis_blocks tables[2], *blocks = tables;
static struct memphis_thread_log logs[2];
static struct memphis_thread threads[2];
static size_t living;

static void add_log(size_t member, uint64_t time_ns, uint32_t kind, uint64_t address, uint64_t bytes,
		    uint64_t previous, uint32_t stack)
{
	struct memphis_thread_log *log = &logs[member];
	struct memphis_allocation *event =
		memphis_append(log->allocations, log->allocation_count, log->allocation_room);

	*event = (struct memphis_allocation){time_ns, address, bytes, previous, stack, kind};
}

static void event(uint64_t time_ns, uint32_t kind, uint64_t address, uint64_t bytes, uint64_t previous,
		  uint32_t stack)
{
	add_log(0, time_ns, kind, address, bytes, previous, stack);
}

static void hold(uint64_t time_ns, uint64_t slot, uint64_t block)
{
	struct memphis_holder *holder =
		memphis_append(process->log->holders, process->log->holder_count, process->log->holder_room);

	*holder = (struct memphis_holder){time_ns, slot, block};
}

static void call(uint64_t time_ns, uint64_t address, uint64_t bytes, const char *text)
{
	struct memphis_naming *naming =
		memphis_append(process->log->namings, process->log->naming_count, process->log->naming_room);

	*naming = (struct memphis_naming){time_ns, address, bytes,
					  memphis_strings_add_text(&process->log->names, text)};
}

static void clear(void)
{
	static const char *const names[] = {"pool", "inner", "part"};
	struct memphis_process_log *log;
	size_t member, i;
	uint32_t *number;

	for (member = 0; member < 2; member++) {
		process = &family[member];
		log = &process_logs[member];
		free(logs[member].allocations);
		memset(&logs[member], 0, sizeof(logs[member]));
		free(log->namings);
		free(log->holders);
		free(log->part_names);
		free(log->stack_times_ns);
		memphis_settings_close(&process->settings);
		memphis_strings_close(&log->names);
		memphis_strings_close(&log->stacks);
		memphis_blocks_close(&tables[member]);
		memset(process, 0, sizeof(*process));
		memset(log, 0, sizeof(*log));
		process->log = log;
		threads[member].log = &logs[member];
		process->threads = &threads[member];
		process->thread_count = 1;
		process->run[1] = member;
		memphis_strings_add(&process->log->names, "", 0);
		for (i = 0; i < 10; i++)
			memphis_strings_add(&process->log->stacks, "stack number", i);
		for (i = 0; i < 4; i++) {
			number = memphis_append(process->log->part_names, process->log->part_name_count,
						process->log->part_name_room);
			*number = i ? memphis_strings_add_text(&process->log->names, names[i - 1]) : 0;
		}
	}
	process = family;
	blocks = tables;
	living = 1;
}

static void build(void)
{
	struct memphis_blocks *list[] = {&tables[0], &tables[1]};

	memphis_fork_blocks_add(&(struct memphis_processes){.list = family, .count = living});
	ok(!memphis_blocks_build(list, family, living), "the events are replayed");
}

/* Returns "stack pool name" of the innermost part at the address, or "none". */
static const char *at(uint64_t address, uint64_t time_ns)
{
	static char line[128];
	struct memphis_block_answer answer;
	const struct memphis_block_group *group;
	int table;

	for (table = MEMPHIS_BLOCKS_PART_LAST; table >= MEMPHIS_BLOCKS_PART; table--) {
		memphis_blocks_find(blocks, (enum memphis_block_table)table, address, time_ns, &answer);
		if (!answer.block)
			continue;
		group = &blocks->groups[answer.block->group];
		snprintf(line, sizeof(line), "%u %s %s", group->stack,
			 memphis_strings_get(&process->log->names, group->pool),
			 memphis_strings_get(&process->log->names, group->name));
		return line;
	}
	return "none";
}

static bool in_heap(uint64_t address, uint64_t time_ns)
{
	struct memphis_block_answer answer;

	memphis_blocks_find(blocks, MEMPHIS_BLOCKS_HEAP, address, time_ns, &answer);
	return answer.block;
}

static void lifetimes(void)
{
	clear();
	event(100, MALLOC, 0x10000, 0x10000, 0, 1);
	event(200, PART, 0x10000, 0x1000, IN_POOL, 2);
	event(210, PART, 0x11000, 0x1000, IN_POOL | CALLED, 3);
	event(300, END, 0x10000, 0, 1, 0);
	event(400, PART, 0x10000, 0x800, IN_POOL, 4);
	event(410, END, 0x11800, 0, 1, 0);
	event(420, END, 0x11000, 0, 2, 0);
	event(500, RESET, 0x10000, 0x2000, 1, 0);
	event(600, PART, 0x10000, 0x2000, 1, 5);
	event(610, PART, 0x18000, 0, IN_POOL, 6);
	event(620, PART, 0x19000, 16, 0, 6);
	event(700, FREE, 0x10000, 0, 0, 0);
	event(800, END, 0x10000, 0, 1, 0);
	build();
	is_text(at(0x10000, 199), "none", "before a part begins, its memory belongs to the block");
	ok(in_heap(0x10000, 199) && in_heap(0x10000, 250), "which is known all the time");
	is_text(at(0x10fff, 250), "2 pool ", "the last byte of a part belongs to it");
	is_text(at(0x11000, 250), "3 pool part", "the next part has the name that the caller gave");
	is_text(at(0x12000, 250), "none", "memory that no part contains belongs to the block");
	is_text(at(0x10000, 350), "none", "a part that was released owns nothing");
	is_text(at(0x10000, 450), "4 pool ", "another part reuses its address");
	is_text(at(0x10900, 450), "none", "which is smaller");
	is_text(at(0x11000, 450), "3 pool part",
		"a release at an address inside a part, or from another pool, has no effect");
	is_text(at(0x10000, 550), "none", "the reset of the pool ends its parts");
	is_text(at(0x11000, 550), "none", "all of them");
	is_text(at(0x11000, 650), "5  ", "a pool may have no name");
	is_text(at(0x18000, 650), "none", "a part of no bytes is ignored");
	is_text(at(0x19000, 650), "none", "and so is a part of no pool");
	is_text(at(0x11000, 750), "none", "the release of the block ends its parts");
	is(blocks->overlapped, 0, "nothing overlapped");
}

static void memory(void)
{
	clear();
	event(100, PART, 0x10000, 0x1000, IN_POOL, 1);
	event(110, PART, 0x20000, 0x4000, IN_POOL, 2);
	event(120, PART, 0x30000, 0x1000, IN_POOL, 3);
	event(200, PART, 0x10800, 0x1000, IN_POOL, 4);
	event(300, MALLOC, 0x30f00, 0x1000, 0, 5);
	event(400, MAP, 0x21000, 0x1000, 0, 6);
	event(500, UNMAP, 0x23000, 0x1000, 0, 0);
	build();
	is_text(at(0x10000, 150), "1 pool ", "the memory around a part need not be known");
	is_text(at(0x10000, 250), "none", "a part ends when another one of its pool overlaps it");
	is_text(at(0x10800, 250), "4 pool ", "which takes its place");
	is(blocks->overlapped, 1, "this is counted");
	is_text(at(0x30000, 350), "none", "a block of malloc() in its place ends a part");
	is_text(at(0x21000, 450), "none", "a new map ends the part where it lies");
	is_text(at(0x20000, 450), "2 pool ", "but not before it");
	is_text(at(0x22000, 550), "2 pool ", "nor behind it");
	is_text(at(0x23000, 550), "none", "unmapped memory has no part");

	clear();
	event(100, MALLOC, 0x10000, 0x4000, 0, 1);
	event(110, PART, 0x10000, 0x1000, IN_POOL, 2);
	event(110, PART, 0x13000, 0x1000, IN_POOL, 3);
	event(200, FREE, 0x10000, 0, 0, 0);
	event(201, MALLOC, 0x10000, 0x8000, 0x10000, 4);
	event(300, FREE, 0x10000, 0, 0, 0);
	event(301, MALLOC, 0x10000, 0x2000, 0x10000, 4);
	event(400, FREE, 0x10000, 0, 0, 0);
	event(401, MALLOC, 0x50000, 0x2000, 0x10000, 4);
	event(500, MAP, 0x80000, 0x4000, 0, 5);
	event(510, PART, 0x81000, 0x1000, IN_POOL, 6);
	event(520, UNMAP, 0x80000, 0x4000, 0, 0);
	event(521, MAP, 0x80000, 0x8000, 0x80000, 5);
	build();
	is_text(at(0x13000, 250), "3 pool ", "a block that realloc() lets grow in its place keeps its parts");
	is_text(at(0x10000, 350), "2 pool ", "one that shrinks keeps those that still fit");
	is_text(at(0x13000, 350), "none", "and loses the others");
	is_text(at(0x10000, 450), "none", "a block that moves loses all");
	is_text(at(0x81000, 550), "6 pool ", "mremap() is the same");
}

static void nesting(void)
{
	clear();
	event(100, MALLOC, 0x10000, 0x10000, 0, 1);
	event(110, PART, 0x10000, 0x8000, IN_POOL, 2);
	event(120, PART, 0x11000, 0x1000, IN_INNER, 3);
	event(130, PART, 0x12000, 0x1000, IN_INNER, 4);
	event(140, PART, 0x11800, 0x100, 3, 5);
	event(150, PART, 0x11810, 0x10, 4, 6);
	event(200, RESET, 0x11810, 0x10, 4, 0);
	event(210, END, 0x11800, 0, 3, 0);
	event(220, RESET, 0x11000, 0x2000, 2, 0);
	event(230, PART, 0x11000, 0x1000, IN_INNER, 7);
	event(300, END, 0x10000, 0, 1, 0);
	event(400, PART, 0x11f00, 0x1000, IN_POOL, 8);
	event(410, PART, 0x12e00, 0x1000, IN_INNER, 9);
	build();
	is_text(at(0x10000, 125), "2 pool ", "a part with parts of another pool in it is still there");
	is_text(at(0x11000, 135), "3 inner ", "of two parts, the inner one owns the address");
	is_text(at(0x11800, 145), "5  ", "and so it is at the third level");
	is_text(at(0x11810, 155), "6  ", "deeper parts take the place of those at the third level");
	is_text(at(0x11800, 155), "3 inner ", "which end");
	is_text(at(0x11800, 215), "3 inner ", "the next level owns what an inner part released");
	is_text(at(0x11800, 225), "2 pool ", "and so on");
	is_text(at(0x11000, 240), "7 inner ", "the inner pool can be used again");
	is_text(at(0x11000, 350), "none", "the end of a part ends the parts in it");
	is_text(at(0x12e80, 405), "8 pool ", "a part is alive");
	is_text(at(0x12e80, 415), "9 inner ", "until one of another pool overlaps it in part");
	is_text(at(0x12000, 415), "none", "since one of the two releases is missing");
}

static void names(void)
{
	clear();
	event(100, MALLOC, 0x10000, 0x10000, 0, 1);
	event(110, PART, 0x10000, 0x1000, IN_POOL, 2);
	event(110, PART, 0x11000, 0x1000, IN_POOL, 3);
	call(200, 0x11000, 0x1000, "given");
	call(300, 0x11800, 0x100, "piece");
	call(310, 0x10000, 0x10000, "all");
	event(400, END, 0x11000, 0, 1, 0);
	build();
	is_text(at(0x11000, 150), "3 pool ", "a part has no name at first");
	is_text(at(0x11000, 250), "3 pool given", "memphis_name() names it");
	is_text(at(0x11800, 350), "3 pool piece", "or a piece of it");
	is_text(at(0x11900, 350), "3 pool given", "the rest keeps its name");
	is_text(at(0x10000, 350), "2 pool ", "the name of the whole block does not name its parts");
	is_text(at(0x11800, 450), "none", "the release ends all pieces");
	is_text(at(0x11000, 450), "none", "of a part");
}

static size_t holders_at(enum memphis_block_table table, uint64_t address, uint64_t time_ns)
{
	struct memphis_block_answer answer;

	memphis_blocks_find(blocks, table, address, time_ns, &answer);
	return answer.block ? memphis_strings_bytes(&blocks->holders,
						    blocks->groups[answer.block->group].holders) /
				      8
			    : 0;
}

static void holders(void)
{
	clear();
	event(100, MALLOC, 0x10000, 0x10000, 0, 1);
	event(110, PART, 0x10000, 0x1000, IN_POOL, 2);
	event(110, PART, 0x11000, 0x1000, IN_POOL, 3);
	event(110, PART, 0x12000, 0x1000, IN_POOL, 4);
	hold(120, 0x8000, 0x10000);
	hold(120, 0x8010, 0x11000);
	hold(120, 0x8020, 0x12000);
	hold(130, 0x8020, 0x11000);
	build();
	is(holders_at(MEMPHIS_BLOCKS_HEAP, 0x18000, 150), 1, "a pointer to the block holds the block");
	is(holders_at(MEMPHIS_BLOCKS_PART, 0x10000, 150), 1, "and the part that begins there");
	is(holders_at(MEMPHIS_BLOCKS_PART, 0x11000, 150), 2, "a pointer to a part holds it");
	ok(memphis_shared_slots_has(blocks, 0x8000), "a pointer to a block and a part proves nothing");
	ok(memphis_shared_slots_has(blocks, 0x8020), "nor does one to parts from several lines");
	ok(!memphis_shared_slots_has(blocks, 0x8010), "a pointer to one part names it");
	ok(!memphis_shared_slots_has(blocks, 0x8018), "other addresses are no pointers");
}

static void set(size_t member, const char *key, const char *value)
{
	char line[64];
	int bytes = snprintf(line, sizeof(line), "%s %s\n", key, value);

	memphis_settings_add(&family[member].settings, (struct memphis_span){line, (size_t)bytes});
}

static void children(void)
{
	const uint64_t ms = 1000000;

	clear();
	living = 2;
	set(1, "parent_run", "00000000000000000000000000000000");
	set(1, "fork_time_ns", "200000000");
	add_log(0, 100 * ms, PART, 0x10000, 0x1000, IN_POOL | CALLED, 2);
	add_log(0, 199 * ms, PART, 0x11000, 0x1000, IN_POOL, 3);
	add_log(1, 199 * ms + 5, PART, 0x11000, 0x1000, IN_POOL, 3);
	add_log(1, 300 * ms, RESET, 0x10000, 0x1000, 1, 0);
	add_log(0, 400 * ms, END, 0x10000, 0, 1, 0);
	build();
	is_text(at(0x10000, 350 * ms), "2 pool part",
		"the parent keeps its part when the child releases its own");
	process = &family[1];
	blocks = &tables[1];
	is_text(at(0x10000, 250 * ms), "2 pool part", "a child inherits parts with their names");
	is_text(at(0x10000, 350 * ms), "none", "and resets its own pool");
	is_text(at(0x11000, 450 * ms), "3 pool ", "a part in the files of both is one part");
	is(blocks->overlapped, 0, "and does not count as overlapped");
	process = family;
	blocks = tables;
}

int main(void)
{
	lifetimes();
	memory();
	nesting();
	names();
	holders();
	children();
	clear();
	for (size_t i = 0; i < 2; i++) {
		memphis_strings_close(&process_logs[i].names);
		memphis_strings_close(&process_logs[i].stacks);
		free(process_logs[i].part_names);
	}
	return finish();
}
