// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, addresses are looked for in the wrong program, library or segment. */
#include "maps.h"

#include "../tap.h"

static struct memphis_binaries binaries;
static struct memphis_maps maps;

static int add(const char *text)
{
	struct memphis_error error;

	return memphis_maps_add(&maps, &binaries, (struct memphis_span){text, strlen(text)}, &error);
}

static const char *at(uint64_t address, uint64_t time_ns)
{
	static const char *const kinds[] = {"anonymous", "file", "heap", "stack", "special"};
	static char line[256];
	uint64_t from_ns, to_ns;
	const struct memphis_map *map = memphis_maps_find(&maps, address, time_ns, &from_ns, &to_ns);

	if (!map)
		return "none";
	snprintf(line, sizeof(line), "%s %s %u%s", kinds[map->kind], map->path, map->number,
		 from_ns == 0 && to_ns == UINT64_MAX ? " always" : "");
	return line;
}

static void refuses_nonsense(void)
{
	ok(add("0x1000 0x2000 r-xp 0x0 - /a\n") != 0, "a list without its time is refused");
	ok(add("time_ns x\n") != 0, "a time that is no number is refused");
	ok(add("time_ns 1\n0x1000 2000 r-xp 0x0 - /a\n") != 0, "an end without 0x is refused");
	ok(add("time_ns 1\n0x3000 0x2000 r-xp 0x0 - /a\n") != 0, "an end before the start is refused");
	ok(add("time_ns 1\n0x1000 0x2000 r-xp\n") != 0, "a line that is cut off is refused");
	memphis_maps_close(&maps);
}

/* Shown by the first list, by neither of two, by the last. */
static void knows_when_nothing_was_there(void)
{
	ok(!add("time_ns 100\n0x30000 0x31000 r-xp 0x0 bb /nowhere/old.so\n") && !add("time_ns 200\n") &&
		   !add("time_ns 900\n") && !add("time_ns 1000\n0x30000 0x31000 rw-p 0x0 - \n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "lists with a gap");
	is_text(at(0x30000, 150), "file /nowhere/old.so 0",
		"what went may have been there until it was missed");
	is_text(at(0x30000, 901), "anonymous  0", "what came may have been there since it was missing");
	memphis_maps_close(&maps);
}

/* A mapped file of data, a library without build-id, one with it: each with anonymous memory behind it. */
static void knows_bss(void)
{
	ok(!add("time_ns 100\n"
		"0x10000 0x11000 rw-s 0x0 - /nowhere/data\n"
		"0x11000 0x12000 rw-p 0x0 - \n"
		"0x20000 0x21000 r-xp 0x0 - /nowhere/plain.so\n"
		"0x21000 0x22000 rw-p 0x1000 - /nowhere/plain.so\n"
		"0x22000 0x23000 rw-p 0x0 - \n"
		"0x31000 0x32000 rw-p 0x1000 dd /nowhere/known.so\n"
		"0x32000 0x33000 rw-p 0x0 - \n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "objects whose files are not here");
	ok(maps.list[1].instance == MEMPHIS_NO_INSTANCE, "data have no .bss");
	ok(maps.list[4].instance == maps.list[3].instance, "what has code may have one");
	ok(maps.list[6].instance == maps.list[5].instance, "and what has a build-id");
	memphis_maps_close(&maps);
}

int main(void)
{
	knows_when_nothing_was_there();
	knows_bss();
	memphis_binaries_close(&binaries);
	refuses_nonsense();
	ok(!add("time_ns 100\n"
		"0x1000 0x2000 r-xp 0x0 aa /nowhere/one\n"
		"0x5000 0x9000 rw-p 0x0 - [heap]\n"
		"0x10000 0x11000 rw-p 0x0 - \n"
		"0x20000 0x21000 rw-p 0x0 - \n"
		"0x30000 0x31000 r-xp 0x0 bb /nowhere/old.so\n"
		"0x90000 0x91000 rw-p 0x0 - [stack]\n"
		"0xa0000 0xa1000 r-xp 0x0 - [vdso]\n"),
	   "a list is read");
	ok(!add("time_ns 200\n"
		"0x1000 0x2000 r-xp 0x0 aa /nowhere/one\n"
		"0x5000 0xa000 rw-p 0x0 - [heap]\n"
		"0x20000 0x22000 rw-p 0x0 - \n"
		"0x30000 0x31000 r-xp 0x0 cc /nowhere/new file.so\n"),
	   "and another one");
	ok(!memphis_maps_settle(&maps, &binaries), "they are put together");
	ok(maps.count == 10, "a map that both show is one");
	is_text(at(0x1800, 150), "file /nowhere/one 0 always", "a map that is always there");
	is_text(at(0x2000, 150), "none", "its end is outside");
	is_text(at(0x9800, 100), "heap [heap] 0 always", "a heap that grows");
	is_text(at(0x10000, 300), "anonymous  0 always", "anonymous maps are numbered");
	is_text(at(0x20000, 100), "anonymous  1", "by address");
	is_text(at(0x21800, 300), "anonymous  1 always", "one that grows keeps its number");
	is_text(at(0x30000, 100), "file /nowhere/old.so 0",
		"of two libraries at one address, the earlier one at first");
	is_text(at(0x30000, 199), "file /nowhere/old.so 0", "and until the list that shows the later one");
	is_text(at(0x30000, 200), "file /nowhere/new file.so 0", "from which on it is that");
	is_text(at(0x90010, 1), "stack [stack] 0 always", "a stack");
	is_text(at(0xa0010, 1), "special [vdso] 0 always", "something of the kernel's");
	ok(binaries.count == 3 && binaries.list[0]->state == MEMPHIS_BINARY_MISSING,
	   "a file that is not there is missing, and nothing else is said about it");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
	return finish();
}
