// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, addresses are looked for in the wrong program, library or segment. */
#include "read/maps.h"

#include "../../tap.h"

#include <errno.h>

static struct memphis_binaries binaries;
static struct memphis_maps maps;

static int add(const char *text)
{
	struct memphis_error error;

	return memphis_maps_add(&maps, &binaries, (struct memphis_span){text, strlen(text)}, &error);
}

static const char *at(uint64_t address, uint64_t time_ns)
{
	static const char *const kinds[] = {"anonymous", "file", "heap", "stack", "shared", "special"};
	static char line[256];
	uint64_t from_ns, to_ns;
	const struct memphis_map *map = memphis_maps_find(&maps, address, time_ns, &from_ns, &to_ns);

	if (!map)
		return "none";
	snprintf(line, sizeof(line), "%s %s%s", kinds[map->kind], map->path,
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
	is_text(at(0x30000, 150), "file /nowhere/old.so",
		"what went may have been there until it was missed");
	is_text(at(0x30000, 901), "anonymous ", "what came may have been there since it was missing");
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

/* Of one that the loader had mapped in part, the next list tells; where there is none, that one has to do. */
static void prefers_what_is_loaded(void)
{
	const char *loading = "time_ns 200 loading\n0x30000 0x34000 r--p 0x0 - /nowhere/plugin.so\n";

	ok(!add("time_ns 100\n") && !add(loading) &&
		   !add("time_ns 300\n0x30000 0x31000 r--p 0x0 aa /nowhere/plugin.so\n"
			"0x31000 0x32000 r-xp 0x1000 aa /nowhere/plugin.so\n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "a list that was made while the loader worked");
	ok(maps.time_count == 2 && binaries.count == 1 && !strcmp(binaries.list[0]->build_id, "aa"),
	   "gives way to the next one");
	is_text(at(0x31800, 250), "file /nowhere/plugin.so always", "also for samples before that");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
	ok(!add("time_ns 100\n") && !add(loading) && !memphis_maps_settle(&maps, &binaries) &&
		   maps.time_count == 2,
	   "the last one counts");
	is_text(at(0x31800, 250), "file /nowhere/plugin.so always", "for want of another");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
	ok(add("time_ns 100 loading\n0x30000 r--p 0x0 - /nowhere/plugin.so\n") == -EBADMSG,
	   "nonsense in it is noticed");
	memphis_maps_close(&maps);
}

static const struct memphis_map *found(uint64_t address, uint64_t time_ns)
{
	uint64_t from_ns, to_ns;

	return memphis_maps_find(&maps, address, time_ns, &from_ns, &to_ns);
}

/* A list that is read before the loader announces its work may show part of an object, without build-id. */
static void prefers_what_is_known(void)
{
	ok(!add("time_ns 100\n0x40000 0x41000 r--p 0x0 - /nowhere/data\n") &&
		   !add("time_ns 200\n0x30000 0x31000 r--p 0x0 - /nowhere/plugin.so\n"
			"0x31000 0x32000 r-xp 0x1000 - /nowhere/plugin.so\n"
			"0x32000 0x38000 r--p 0x2000 - /nowhere/plugin.so\n"
			"0x40000 0x41000 r--p 0x0 - /nowhere/data\n") &&
		   !add("time_ns 300\n0x30000 0x31000 r--p 0x0 aa /nowhere/plugin.so\n"
			"0x31000 0x32000 r-xp 0x1000 aa /nowhere/plugin.so\n"
			"0x32000 0x33000 rw-p 0x2000 aa /nowhere/plugin.so\n"
			"0x33000 0x38000 rw-p 0x0 - \n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "a list with files that are no objects yet");
	ok(!strcmp(binaries.list[found(0x31800, 250)->binary]->build_id, "aa"),
	   "the next list tells which object it is, for times before that, too");
	ok(found(0x34000, 250)->kind == MEMPHIS_MAP_ANONYMOUS, "and what stands behind its maps");
	ok(!*binaries.list[found(0x40000, 250)->binary]->build_id, "a file that is no object stays one");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
}

/* Between two lists one library went, and another came where it had stood. */
static void knows_when_an_object_went(void)
{
	ok(!add("time_ns 100\n0x30000 0x31000 r-xp 0x0 aa /nowhere/old.so\n"
		"0x40000 0x41000 rw-p 0x0 - \n") &&
		   !add("time_ns 200 unloaded_ns 130 150\n0x30000 0x31000 r-xp 0x0 bb /nowhere/new.so\n"
			"0x40000 0x42000 rw-p 0x0 - \n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "a list that tells when objects were unloaded");
	is_text(at(0x30000, 120), "file /nowhere/old.so", "until then it is the one before");
	is_text(at(0x30000, 149), "file /nowhere/old.so", "until the last of them");
	is_text(at(0x30000, 150), "file /nowhere/new.so", "then it is the one that came");
	ok(maps.last_unload_ns[0] == 0 && maps.last_unload_ns[1] == 150, "between these two lists");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
}

/* A file that is not here, at two places, and memory between them that has nothing to do with it. */
static void keeps_places_apart(void)
{
	ok(!add("time_ns 100\n"
		"0x30000 0x31000 r-xp 0x0 aa /nowhere/plugin.so\n"
		"0x31000 0x32000 rw-p 0x1000 aa /nowhere/plugin.so\n"
		"0x40000 0x41000 rw-p 0x0 - \n") &&
		   !add("time_ns 200\n"
			"0x40000 0x41000 rw-p 0x0 - \n"
			"0x50000 0x51000 r-xp 0x0 aa /nowhere/plugin.so\n"
			"0x51000 0x52000 rw-p 0x1000 aa /nowhere/plugin.so\n") &&
		   !add("time_ns 300\n"
			"0x40000 0x41000 rw-p 0x0 - \n"
			"0x50000 0x51000 r-xp 0x0 aa /nowhere/plugin.so\n"
			"0x51000 0x51800 r--p 0x1000 aa /nowhere/plugin.so\n"
			"0x51800 0x52000 rw-p 0x1800 aa /nowhere/plugin.so\n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "a library that is not here, at two places");
	ok(maps.instance_count == 2, "is there twice");
	ok(maps.list[1].instance == maps.list[0].instance && maps.list[4].instance == maps.list[3].instance &&
		   maps.list[3].instance != maps.list[0].instance,
	   "each with all its parts");
	ok(maps.list[5].instance == maps.list[3].instance && maps.list[6].instance == maps.list[3].instance,
	   "also those that were changed later");
	ok(maps.list[2].instance == MEMPHIS_NO_INSTANCE, "what lies between them is neither's .bss");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
}

int main(void)
{
	prefers_what_is_loaded();
	prefers_what_is_known();
	knows_when_an_object_went();
	keeps_places_apart();
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
	is_text(at(0x1800, 150), "file /nowhere/one always", "a map that is always there");
	is_text(at(0x2000, 150), "none", "its end is outside");
	is_text(at(0x9800, 100), "heap [heap] always", "a heap that grows");
	is_text(at(0x10000, 300), "anonymous  always", "an anonymous map");
	is_text(at(0x20000, 100), "anonymous ", "one that will grow");
	is_text(at(0x21800, 300), "anonymous  always", "and has grown");
	is_text(at(0x30000, 100), "file /nowhere/old.so",
		"of two libraries at one address, the earlier one at first");
	is_text(at(0x30000, 199), "file /nowhere/old.so", "and until the list that shows the later one");
	is_text(at(0x30000, 200), "file /nowhere/new file.so", "from which on it is that");
	is_text(at(0x90010, 1), "stack [stack] always", "a stack");
	is_text(at(0xa0010, 1), "special [vdso] always", "something of the kernel's");
	ok(binaries.count == 3 && binaries.list[0]->state == MEMPHIS_BINARY_MISSING,
	   "a file that is not there is missing, and nothing else is said about it");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
	return finish();
}
