// SPDX-License-Identifier: BSD-3-Clause
/* Lists of a process's maps, merged over time. If this fails, addresses are looked up in the wrong program, library or segment. */
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
	ok(add("0x1000 0x2000 r-xp 0x0 - /a\n") != 0, "a list without a time is refused");
	ok(add("time_ns x\n") != 0, "a time that is no number is refused");
	ok(add("time_ns 1\n0x1000 2000 r-xp 0x0 - /a\n") != 0, "an end without 0x is refused");
	ok(add("time_ns 1\n0x3000 0x2000 r-xp 0x0 - /a\n") != 0, "an end before the start is refused");
	ok(add("time_ns 1\n0x1000 0x2000 r-xp\n") != 0, "a truncated line is refused");
	memphis_maps_close(&maps);
}

/* An address with a map in the first list, with none in the next two, and with another map in the last list. */
static void knows_when_nothing_was_there(void)
{
	ok(!add("time_ns 100\n0x30000 0x31000 r-xp 0x0 bb /nowhere/old.so\n") && !add("time_ns 200\n") &&
		   !add("time_ns 900\n") && !add("time_ns 1000\n0x30000 0x31000 rw-p 0x0 - \n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "lists with a gap at an address are read");
	is_text(at(0x30000, 150), "file /nowhere/old.so",
		"a map may have stayed until the first list without it");
	is_text(at(0x30000, 901), "anonymous ", "a map may have come right after the last list without it");
	memphis_maps_close(&maps);
}

/* A mapped data file, a library without build-id and a library with one, each followed by anonymous memory. */
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
	   "a list of objects whose files are missing is read");
	ok(maps.list[1].instance == MEMPHIS_NO_INSTANCE, "memory after a data file is no .bss");
	ok(maps.list[4].instance == maps.list[3].instance, "memory after a file with code is its .bss");
	ok(maps.list[6].instance == maps.list[5].instance, "memory after a file with a build-id is its .bss");
	memphis_maps_close(&maps);
}

/*
 * A list that was made while the dynamic loader worked may contain a partly mapped
 * object. The next list replaces it; without a next list, it is used unchanged.
 */
static void prefers_what_is_loaded(void)
{
	const char *loading = "time_ns 200 loading\n0x30000 0x34000 r--p 0x0 - /nowhere/plugin.so\n";

	ok(!add("time_ns 100\n") && !add(loading) &&
		   !add("time_ns 300\n0x30000 0x31000 r--p 0x0 aa /nowhere/plugin.so\n"
			"0x31000 0x32000 r-xp 0x1000 aa /nowhere/plugin.so\n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "a list that was made while the loader worked, and the next one, are read");
	ok(maps.time_count == 2 && binaries.count == 1 && !strcmp(binaries.list[0]->build_id, "aa"),
	   "a list that was made while the loader worked is replaced by the next one");
	is_text(at(0x31800, 250), "file /nowhere/plugin.so always",
		"the replacing list also counts for samples before its time");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
	ok(!add("time_ns 100\n") && !add(loading) && !memphis_maps_settle(&maps, &binaries) &&
		   maps.time_count == 2,
	   "a last list that was made while the loader worked is kept");
	is_text(at(0x31800, 250), "file /nowhere/plugin.so always",
		"a last list that was made while the loader worked is used");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
	ok(add("time_ns 100 loading\n0x30000 r--p 0x0 - /nowhere/plugin.so\n") == -EBADMSG,
	   "a malformed list that was made while the loader worked is refused");
	memphis_maps_close(&maps);
}

static const struct memphis_map *found(uint64_t address, uint64_t time_ns)
{
	uint64_t from_ns, to_ns;

	return memphis_maps_find(&maps, address, time_ns, &from_ns, &to_ns);
}

/* A list that is made before the dynamic loader announces its work may contain a partly mapped object, without build-id. */
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
	   "a list that shows an object without build-id is read");
	ok(!strcmp(binaries.list[found(0x31800, 250)->binary]->build_id, "aa"),
	   "the next list identifies an object, also for earlier times");
	ok(found(0x34000, 250)->kind == MEMPHIS_MAP_ANONYMOUS,
	   "the next list shows the memory after an object, also for earlier times");
	ok(!*binaries.list[found(0x40000, 250)->binary]->build_id,
	   "a file without a build-id in any list keeps none");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
}

/* Between two lists a library was unloaded, and another one was loaded at its address. */
static void knows_when_an_object_went(void)
{
	ok(!add("time_ns 100\n0x30000 0x31000 r-xp 0x0 aa /nowhere/old.so\n"
		"0x40000 0x41000 rw-p 0x0 - \n") &&
		   !add("time_ns 200 unloaded_ns 130 150\n0x30000 0x31000 r-xp 0x0 bb /nowhere/new.so\n"
			"0x40000 0x42000 rw-p 0x0 - \n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "a list with the times of unloading is read");
	is_text(at(0x30000, 120), "file /nowhere/old.so", "before any unloading, the old library is found");
	is_text(at(0x30000, 149), "file /nowhere/old.so",
		"until the last unloading, the old library is found");
	is_text(at(0x30000, 150), "file /nowhere/new.so",
		"from the last unloading on, the new library is found");
	ok(maps.last_unload_ns[0] == 0 && maps.last_unload_ns[1] == 150,
	   "the last unloading is stored with its list");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
}

/* Between two lists, memory was given back and a library was loaded at its address. */
static void finds_code_in_executable_maps(void)
{
	uint64_t vaddr, from_ns, to_ns;
	uint32_t binary;

	ok(!add("time_ns 100\n0x30000 0x40000 rw-p 0x0 - \n") &&
		   !add("time_ns 200\n0x30000 0x31000 r--p 0x0 aa /nowhere/plugin.so\n"
			"0x31000 0x32000 r-xp 0x1000 aa /nowhere/plugin.so\n"
			"0x32000 0x33000 rw-p 0x2000 aa /nowhere/plugin.so\n") &&
		   !add("time_ns 300\n0x30000 0x40000 rw-p 0x0 - \n") &&
		   !memphis_maps_settle(&maps, &binaries),
	   "a library at the address of a former heap block is read");
	binary = memphis_maps_code(&maps, 0x31800, 110, &vaddr, &from_ns, &to_ns);
	ok(binary != MEMPHIS_NO_BINARY && !strcmp(binaries.list[binary]->path, "/nowhere/plugin.so"),
	   "code that was executed long before the list with the library belongs to the library");
	ok(from_ns <= 110 && to_ns > 110, "the answer is valid at the time of the question");
	binary = memphis_maps_code(&maps, 0x31800, 290, &vaddr, &from_ns, &to_ns);
	ok(binary != MEMPHIS_NO_BINARY, "so does code that was executed after it");
	is_text(at(0x31800, 110), "anonymous ", "data at that address and time belongs to the former memory");
	ok(memphis_maps_code(&maps, 0x38000, 150, &vaddr, &from_ns, &to_ns) == MEMPHIS_NO_BINARY,
	   "code in memory without an object belongs to no binary");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
}

/* A missing file that is mapped at two addresses, with unrelated memory in between. */
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
	   "lists with a missing library at two addresses are read");
	ok(maps.instance_count == 2, "a library at two addresses has two instances");
	ok(maps.list[1].instance == maps.list[0].instance && maps.list[4].instance == maps.list[3].instance &&
		   maps.list[3].instance != maps.list[0].instance,
	   "each instance has all its maps");
	ok(maps.list[5].instance == maps.list[3].instance && maps.list[6].instance == maps.list[3].instance,
	   "maps that were split later belong to their instance");
	ok(maps.list[2].instance == MEMPHIS_NO_INSTANCE,
	   "memory between two instances is the .bss of neither");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
}

int main(void)
{
	prefers_what_is_loaded();
	prefers_what_is_known();
	knows_when_an_object_went();
	finds_code_in_executable_maps();
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
	   "a second list is read");
	ok(!memphis_maps_settle(&maps, &binaries), "two lists are put together");
	ok(maps.count == 10, "a map in both lists is stored once");
	is_text(at(0x1800, 150), "file /nowhere/one always", "a map in all lists is found at any time");
	is_text(at(0x2000, 150), "none", "the end of a map is outside");
	is_text(at(0x9800, 100), "heap [heap] always", "a heap that grows is found with its full size");
	is_text(at(0x10000, 300), "anonymous  always", "an anonymous map is found after it left the lists");
	is_text(at(0x20000, 100), "anonymous ", "an anonymous map that grows is found before that");
	is_text(at(0x21800, 300), "anonymous  always",
		"an anonymous map that grew is found with its new size");
	is_text(at(0x30000, 100), "file /nowhere/old.so",
		"of two libraries at one address, the earlier one is found at first");
	is_text(at(0x30000, 199), "file /nowhere/old.so",
		"the earlier library is found until the second list");
	is_text(at(0x30000, 200), "file /nowhere/new file.so",
		"the later library is found from the second list on");
	is_text(at(0x90010, 1), "stack [stack] always", "a stack is found");
	is_text(at(0xa0010, 1), "special [vdso] always", "the kernel's [vdso] is found");
	ok(binaries.count == 3 && binaries.list[0]->state == MEMPHIS_BINARY_MISSING,
	   "a file that does not exist is missing");
	memphis_maps_close(&maps);
	memphis_binaries_close(&binaries);
	return finish();
}
