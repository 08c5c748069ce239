// SPDX-License-Identifier: BSD-3-Clause
/* Descriptions of code made at run time. If this fails, such code has a wrong name, or a damaged description ends the report. */
#include "read/jit.h"

#include "../../tap.h"

#include "dwarf/symbols.h"

static struct memphis_binaries binaries;
static struct memphis_jit jit;
static char dump[1024];
static size_t dump_bytes;

static void put(const void *bytes, size_t count)
{
	memcpy(dump + dump_bytes, bytes, count);
	dump_bytes += count;
}

static void begin_dump(uint64_t flags)
{
	const uint32_t header[] = {0x4a695444, 1, 40, 62, 0, 100};
	const uint64_t rest[] = {0, flags};

	dump_bytes = 0;
	put(header, sizeof(header));
	put(rest, sizeof(rest));
}

static void put_record(uint32_t id, uint64_t time, const uint64_t *numbers, size_t count, const char *name)
{
	const size_t name_bytes = name ? strlen(name) + 1 : 0;
	const uint32_t header[] = {id, (uint32_t)(16 + count * 8 + name_bytes)};

	put(header, sizeof(header));
	put(&time, sizeof(time));
	put(numbers, count * 8);
	put(name ? name : "", name_bytes);
}

static void put_load(uint64_t time, uint64_t address, uint64_t bytes, const char *name)
{
	put_record(0, time, (uint64_t[]){0, address, address, bytes, 0}, 5, name);
}

static void put_move(uint64_t time, uint64_t from, uint64_t to, uint64_t bytes)
{
	put_record(1, time, (uint64_t[]){0, to, from, to, bytes, 0}, 6, NULL);
}

static int settle(bool is_dump, const char *text, size_t bytes)
{
	const uint64_t run[2] = {1, 2};

	memphis_jit_close(&jit);
	return memphis_jit_add(&jit, is_dump, 1, text, bytes / 2) ||
	       memphis_jit_add(&jit, is_dump, 1, text + bytes / 2, bytes - bytes / 2) ||
	       memphis_jit_settle(&jit, &binaries, run, false);
}

static const char *at(uint64_t pc, uint64_t time_ns)
{
	struct memphis_location location;
	uint64_t vaddr;
	bool timed;
	uint32_t binary = memphis_jit_find(&jit, pc, time_ns, &vaddr, &timed);

	if (binary == MEMPHIS_NO_BINARY)
		return "no code";
	if (memphis_symbols_find(&binaries, binaries.list[binary], vaddr, &location))
		return "no memory";
	return location.frames[0].function ? location.frames[0].function : "no name";
}

static int settle_map(const char *text)
{
	return settle(false, text, strlen(text));
}

static void reads_maps(void)
{
	ok(!settle_map("1000 10 LazyCompile:~f /a b.js:1\n0x2000 0x10 g\n1008 10 h\nnonsense\n3000 zz i\n"
		       "-1 10 j\nffffffffffffff00 100 k\n4000 0 l\n5000 10 unfinish"),
	   "a map with nonsense in it is read");
	is_text(at(0x1000, 5), "LazyCompile:~f /a b.js:1", "a name may have blanks");
	is_text(at(0x2001, 5), "g", "numbers may begin with 0x");
	is_text(at(0x1008, 5), "LazyCompile:~f /a b.js:1|h", "code for which there are two names has both");
	is_text(at(0x1010, 5), "h", "the end of a function is not part of it");
	is_text(at(0x1018, 5), "no code", "behind the last function is none");
	is_text(at(0x4000, 5), "no code", "a function without size is left out");
	is_text(at(0x5000, 5), "no code", "a line without end is left out");
	ok(!settle_map("1000 10 a\n1000 10 b\n1000 10 a\n1000 10 c\n1000 8 d\n"), "many names are read");
	is_text(at(0x1000, 5), "no code", "code for which there are four names has none");
	is_text(at(0x1008, 5), "a|b|c", "code for which there are three names has all");
}

static void reads_dumps(void)
{
	size_t cut;

	begin_dump(0);
	put_load(100, 0x1000, 0x10, "first");
	put_load(200, 0x1000, 0x20, "second");
	put_move(300, 0x1000, 0x2000, 0x20);
	put_move(400, 0x2000, 0x3000, 0x20);
	put_move(500, 0x7000, 0x4000, 0x20);
	ok(!settle(true, dump, dump_bytes), "a dump is read");
	is_text(at(0x1004, 150), "first", "code has the name that was there at the time");
	is_text(at(0x1004, 250), "second", "later code replaces it");
	is_text(at(0x1004, 50), "first", "code of which the time is before all has the first name");
	is_text(at(0x1018, 50), "second", "where only one function was, it has its name at any time");
	is_text(at(0x3004, 450), "second", "code that was moved twice keeps its name");
	is_text(at(0x4004, 550), "no name", "code that was moved from nowhere has no name");
	for (cut = 0; cut < dump_bytes; cut++)
		if (settle(true, dump, cut))
			break;
	ok(cut == dump_bytes, "a dump may end anywhere");
	begin_dump(1);
	put_load(100, 0x1000, 0x10, "first");
	put_load(200, 0x1000, 0x10, "second");
	ok(!settle(true, dump, dump_bytes), "a dump with other times than ours is read");
	is_text(at(0x1004, 150), "first|second", "then it is not known what was there");
	begin_dump(0);
	put_load(100, 0x1000, 0x10, "");
	put_load(100, UINT64_MAX - 8, 0x10, "wraps");
	dump[44] = 8;
	ok(!settle(true, dump, dump_bytes) && !jit.code_count,
	   "a record that is shorter than its head ends the file");
}

int main(void)
{
	size_t i;

	reads_maps();
	reads_dumps();
	memphis_jit_close(&jit);
	for (i = 0; i < binaries.count; i++)
		memphis_symbols_close(binaries.list[i]);
	memphis_binaries_close(&binaries);
	return finish();
}
