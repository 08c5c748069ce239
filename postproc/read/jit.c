// SPDX-License-Identifier: BSD-3-Clause
/* Reads descriptions of code that a just-in-time compiler generated at run time. */
#include "read/jit.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "dwarf/symbols.h"

#define ADDRESSES_END \
	((uint64_t)1  \
	 << 57) /* larger than every address of the CPU; code that overlaps other code gets a `base` from here on */
#define NAMES_MAX 3 /* a range for which more functions are described gets no name */

#define DUMP_MAGIC          0x4a695444u
#define DUMP_ARCH_TIMESTAMP 0x1u /* flag: the times are not from CLOCK_MONOTONIC */

struct dump_header {
	uint32_t magic, version, bytes, machine, reserved, pid;
	uint64_t time, flags;
};

enum dump_record_id { DUMP_LOAD = 0, DUMP_MOVE = 1, DUMP_DEBUG_INFO = 2 };

struct dump_record {
	uint32_t id, bytes;
	uint64_t time;
};

/* Followed by the name (NUL-terminated) and the machine code. */
struct dump_load {
	uint32_t pid, tid;
	uint64_t vma, address, bytes, number;
};

struct dump_move {
	uint32_t pid, tid;
	uint64_t vma, from, to, bytes, number;
};

/* Followed by `count` entries, each with a NUL-terminated path. */
struct dump_debug_info {
	uint64_t address, count;
};

struct dump_entry {
	uint64_t address;
	uint32_t line, discriminator;
};

int memphis_jit_add(struct memphis_jit *jit, bool is_dump, uint32_t number, const void *bytes, size_t count)
{
	struct memphis_jit_text *text = jit->text_count ? &jit->texts[jit->text_count - 1] : NULL;

	if (!text || text->is_dump != is_dump || text->number != number) {
		text = memphis_append(jit->texts, jit->text_count, jit->text_room);
		if (!text)
			return -ENOMEM;
		*text = (struct memphis_jit_text){.number = number, .is_dump = is_dump};
	}
	if (memphis_grow(&text->bytes, &text->room, text->count + count + 1, 1))
		return -ENOMEM;
	if (count)
		memcpy(text->bytes + text->count, bytes, count);
	text->count += count;
	return 0;
}

/*
 * Adds the code range of `bytes` bytes at `low`. Returns NULL with *rc -ENOMEM if memory is exhausted, or
 * NULL with *rc 0 if the range is empty or the CPU has no such addresses.
 */
static struct memphis_jit_code *add_code(struct memphis_jit *jit, uint64_t low, uint64_t bytes,
					 uint64_t from_ns, const char *name, int *rc)
{
	struct memphis_jit_code *code;

	*rc = 0;
	if (!bytes || low >= ADDRESSES_END || bytes > ADDRESSES_END - low)
		return NULL;
	code = memphis_append(jit->codes, jit->code_count, jit->code_room);
	if (code)
		*code = (struct memphis_jit_code){
			.low = low, .high = low + bytes, .base = low, .from_ns = from_ns, .name = name};
	else
		*rc = -ENOMEM;
	return code;
}

/* Reads a line "START SIZE NAME" of a perf map (/tmp/perf-PID.map). START and SIZE are hexadecimal. */
static int read_line(struct memphis_jit *jit, char *line)
{
	uint64_t numbers[2];
	char *end;
	int i, rc;

	for (i = 0; i < 2; i++) {
		if (!isxdigit((unsigned char)*line))
			return 0;
		numbers[i] = strtoull(line, &end, 16);
		if (*end != ' ')
			return 0;
		line = end + 1;
	}
	if (*line)
		add_code(jit, numbers[0], numbers[1], 0, line, &rc);
	return *line ? rc : 0;
}

/* Reads a perf map. Ignores a last line without a newline: the program had not finished writing it. */
static int read_map(struct memphis_jit *jit, struct memphis_jit_text *text)
{
	char *line = text->bytes, *end;
	int rc = 0;

	while (!rc && (end = memchr(line, '\n', (size_t)(text->bytes + text->count - line)))) {
		*end = '\0';
		rc = read_line(jit, line);
		line = end + 1;
	}
	return rc;
}

static int read_load(struct memphis_jit *jit, const char *at, size_t bytes, uint64_t time_ns)
{
	const size_t first = jit->lines_first;
	struct memphis_jit_code *code;
	struct dump_load load;
	int rc;

	jit->lines_first = jit->line_count;
	if (bytes <= sizeof(load) || !at[sizeof(load)] || !memchr(at + sizeof(load), 0, bytes - sizeof(load)))
		return 0;
	memcpy(&load, at, sizeof(load));
	code = add_code(jit, load.address, load.bytes, time_ns, at + sizeof(load), &rc);
	if (code && load.address == jit->lines_address) {
		code->line = first;
		code->line_count = jit->line_count - first;
	}
	return rc;
}

static int read_move(struct memphis_jit *jit, const char *at, size_t bytes, uint64_t time_ns)
{
	struct memphis_jit_code *code;
	struct dump_move move;
	int rc;

	if (bytes < sizeof(move) || !time_ns)
		return 0;
	memcpy(&move, at, sizeof(move));
	code = add_code(jit, move.to, move.bytes, time_ns, NULL, &rc);
	if (code)
		code->moved_from = move.from;
	return rc;
}

static int read_debug_info(struct memphis_jit *jit, const char *at, size_t bytes, uint64_t time_ns)
{
	(void)time_ns;
	static const char same[] = "\xff"; /* this path means: the same path as in the preceding entry */
	const char *end = at + bytes, *path = NULL, *name;
	struct dump_debug_info info;
	struct memphis_jit_line *line;
	struct dump_entry entry;

	(void)time_ns;
	if (bytes < sizeof(info))
		return 0;
	memcpy(&info, at, sizeof(info));
	jit->lines_address = info.address;
	jit->lines_first = jit->line_count;
	for (at += sizeof(info); info.count; info.count--) {
		if ((size_t)(end - at) < sizeof(entry))
			return 0;
		memcpy(&entry, at, sizeof(entry));
		name = at + sizeof(entry);
		at = memchr(name, 0, (size_t)(end - name));
		if (!at)
			return 0;
		at++;
		path = strcmp(name, same) ? name : path;
		if (!path || !*path || !entry.line || entry.address < info.address)
			continue;
		line = memphis_append(jit->lines, jit->line_count, jit->line_room);
		if (!line)
			return -ENOMEM;
		*line = (struct memphis_jit_line){entry.address - info.address, path, entry.line};
	}
	return 0;
}

static int read_dump(struct memphis_jit *jit, const struct memphis_jit_text *text)
{
	static int (*const readers[])(struct memphis_jit * jit, const char *at, size_t bytes,
				      uint64_t time_ns) = {
		[DUMP_LOAD] = read_load,
		[DUMP_MOVE] = read_move,
		[DUMP_DEBUG_INFO] = read_debug_info,
	};
	struct dump_header header;
	struct dump_record record;
	size_t at;
	int rc = 0;

	if (text->count < sizeof(header))
		return 0;
	memcpy(&header, text->bytes, sizeof(header));
	if (header.magic != DUMP_MAGIC || header.bytes < sizeof(header))
		return 0;
	for (at = header.bytes; !rc && at <= text->count && text->count - at >= sizeof(record);
	     at += record.bytes) {
		memcpy(&record, text->bytes + at, sizeof(record));
		if (record.bytes < sizeof(record) || record.bytes > text->count - at)
			break;
		if (record.id < sizeof(readers) / sizeof(*readers))
			rc = readers[record.id](jit, text->bytes + at + sizeof(record),
						record.bytes - sizeof(record),
						header.flags & DUMP_ARCH_TIMESTAMP ? 0 : record.time);
	}
	return rc;
}

static int compare_codes(const void *a, const void *b)
{
	const struct memphis_jit_code *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Code that a run-time compiler reported without a time. While the ranges are searched from low to high addresses, the
 * list has those that contain the address which the search has reached.
 */
struct together {
	const struct memphis_jit_code **list;
	size_t count;
};

/*
 * Returns the sorted names of the functions as one string, separated by "|". Returns NULL if there are more
 * than NAMES_MAX names, or, with *rc -ENOMEM, if memory is exhausted.
 */
static const char *join_names(struct memphis_jit *jit, const struct together *together, int *rc)
{
	const char *names[NAMES_MAX];
	struct memphis_text text = {0};
	size_t count = 0, at, i;
	char **kept;

	for (i = 0; i < together->count; i++) {
		for (at = 0; at < count && strcmp(names[at], together->list[i]->name) < 0; at++)
			;
		if (at < count && !strcmp(names[at], together->list[i]->name))
			continue;
		if (count == NAMES_MAX)
			return NULL;
		memmove(names + at + 1, names + at, (count++ - at) * sizeof(*names));
		names[at] = together->list[i]->name;
	}
	if (count == 1)
		return names[0];
	for (i = 0; i < count; i++) {
		memphis_text_put(&text, i ? "|" : "");
		memphis_text_put(&text, names[i]);
	}
	kept = text.failed ? NULL : memphis_append(jit->joined, jit->joined_count, jit->joined_room);
	if (!kept) {
		memphis_text_close(&text);
		*rc = -ENOMEM;
		return NULL;
	}
	*kept = text.text;
	return *kept;
}

/* Adds the address range [low, high), which lies in all of the code ranges in `together`. */
static int add_part(struct memphis_jit *jit, const struct together *together, uint64_t low, uint64_t high)
{
	const struct memphis_jit_code *first = together->list[0];
	struct memphis_jit_code *part;
	const char *name;
	int rc = 0;

	if (!together->count)
		return 0;
	name = join_names(jit, together, &rc);
	part = name ? add_code(jit, low, high - low, 0, name, &rc) : NULL;
	/* Keep the source lines only if the part is a whole function, because their offsets count from the function's start. */
	if (part && together->count == 1 && first->low == low && first->high == high) {
		part->line = first->line;
		part->line_count = first->line_count;
	}
	return rc;
}

/*
 * Replaces the code ranges of unknown time by parts that do not overlap. If several functions are described
 * for a part, it gets the names of all of them, because the description does not tell which one was there at
 * the time of a sample.
 */
static int divide_untimed(struct memphis_jit *jit)
{
	const size_t all = jit->code_count;
	struct memphis_jit_code *old = calloc(all + 1, sizeof(*old));
	uint64_t *bounds = calloc(2 * all + 1, sizeof(*bounds));
	struct together together = {calloc(all + 1, sizeof(*together.list)), 0};
	size_t count = 0, bound_count = 0, next = 0, kept, i, j;
	int rc = old && bounds && together.list ? 0 : -ENOMEM;

	for (i = jit->code_count = 0; !rc && i < all; i++) {
		if (jit->codes[i].from_ns) {
			jit->codes[jit->code_count++] = jit->codes[i];
			continue;
		}
		old[count++] = jit->codes[i];
		bounds[bound_count++] = jit->codes[i].low;
		bounds[bound_count++] = jit->codes[i].high;
	}
	if (!rc && count) {
		qsort(old, count, sizeof(*old), compare_codes);
		qsort(bounds, bound_count, sizeof(*bounds), compare_numbers);
	}
	for (i = 0; !rc && i + 1 < bound_count; i++) {
		if (bounds[i] == bounds[i + 1])
			continue;
		for (j = kept = 0; j < together.count; j++)
			if (together.list[j]->high > bounds[i])
				together.list[kept++] = together.list[j];
		for (together.count = kept; next < count && old[next].low == bounds[i]; next++)
			together.list[together.count++] = &old[next];
		rc = add_part(jit, &together, bounds[i], bounds[i + 1]);
	}
	free(together.list);
	free(bounds);
	free(old);
	return rc;
}

/* Returns the index of the first code range that does not sort before address `low` and time `from_ns`. */
static size_t find_code(const struct memphis_jit *jit, uint64_t low, uint64_t from_ns)
{
	const struct memphis_jit_code wanted = {.low = low, .from_ns = from_ns};
	size_t first = 0, last = jit->code_count, middle;

	while (first < last) {
		middle = first + (last - first) / 2;
		if (compare_codes(&jit->codes[middle], &wanted) < 0)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

/* A code range that was moved. name_moved() sorts these by time. */
struct moved {
	uint64_t time_ns;
	size_t code;
};

/*
 * Gives each moved code range the name and lines of the code that it was moved from. Proceeds in the order of
 * time, as code may be moved several times.
 */
static int name_moved(struct memphis_jit *jit)
{
	struct moved *moved = calloc(jit->code_count + 1, sizeof(*moved));
	struct memphis_jit_code *code, *from;
	size_t count = 0, at, i;

	for (i = 0; moved && i < jit->code_count; i++)
		if (jit->codes[i].moved_from)
			moved[count++] = (struct moved){jit->codes[i].from_ns, i};
	if (count)
		qsort(moved, count, sizeof(*moved), compare_numbers);
	for (i = 0; i < count; i++) {
		code = &jit->codes[moved[i].code];
		at = find_code(jit, code->moved_from, code->from_ns);
		from = at ? &jit->codes[at - 1] : NULL;
		if (!from || from->low != code->moved_from)
			continue;
		code->name = from->name;
		code->line = from->line;
		code->line_count = from->line_count;
	}
	free(moved);
	return moved ? 0 : -ENOMEM;
}

/*
 * Chooses the addresses of the code ranges in the binary. A range that overlaps one at a lower or equal
 * address gets a `base` outside the CPU's address range, so that each symbol has its own addresses.
 */
static void place(struct memphis_jit *jit)
{
	uint64_t free = ADDRESSES_END, end = 0;
	struct memphis_jit_code *code;

	for (code = jit->codes; code < jit->codes + jit->code_count; code++) {
		if (code->low < end) {
			code->base = free;
			free += code->high - code->low;
		}
		end = code->high > end ? code->high : end;
	}
}

static int add_symbols(struct memphis_jit *jit, struct memphis_binary *binary)
{
	const struct memphis_jit_code *code;
	const struct memphis_jit_line *line;
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < jit->code_count; i++) {
		code = &jit->codes[i];
		rc = memphis_intervals_add(&jit->index, code->low, code->high, i);
		if (!rc && code->name)
			rc = memphis_symbols_add(binary, code->base, code->base + (code->high - code->low),
						 code->name);
		for (line = jit->lines + code->line; !rc && line < jit->lines + code->line + code->line_count;
		     line++)
			if (line->offset < code->high - code->low)
				rc = memphis_symbols_add_line(binary, code->base + line->offset, line->path,
							      line->line);
	}
	memphis_intervals_sort(&jit->index);
	memphis_symbols_sort(binary);
	return rc;
}

int memphis_jit_settle(struct memphis_jit *jit, struct memphis_binaries *binaries, const uint64_t run[2],
		       bool is_used)
{
	char id[40];
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < jit->text_count; i++)
		rc = jit->texts[i].is_dump ? read_dump(jit, &jit->texts[i]) : read_map(jit, &jit->texts[i]);
	if (!rc)
		rc = divide_untimed(jit);
	if (rc || !(jit->code_count || is_used))
		return rc;
	snprintf(id, sizeof(id), "%016" PRIx64 "%016" PRIx64, run[0], run[1]);
	jit->binary = memphis_binaries_add_jit(binaries, id);
	jit->has_binary = jit->binary != MEMPHIS_NO_BINARY;
	if (!jit->has_binary)
		return -ENOMEM;
	if (!jit->code_count)
		return 0;
	qsort(jit->codes, jit->code_count, sizeof(*jit->codes), compare_codes);
	rc = name_moved(jit);
	if (rc)
		return rc;
	place(jit);
	return add_symbols(jit, binaries->list[jit->binary]);
}

struct lookup {
	const struct memphis_jit *jit;
	uint64_t time_ns;
	const struct memphis_jit_code *best;
	unsigned int candidates;
};

/*
 * Returns true if `code` is a better match than `than` for a sample at `time_ns`. Code that was there before
 * that time is better than code that came later. Of several such codes, the latest is best: code of unknown
 * time has time 0. If all came later, the earliest is best.
 */
static bool is_better(const struct memphis_jit_code *code, const struct memphis_jit_code *than,
		      uint64_t time_ns)
{
	const bool was_there = code->from_ns <= time_ns, was = than->from_ns <= time_ns;

	if (was_there != was)
		return was_there;
	return was ? code->from_ns > than->from_ns : code->from_ns < than->from_ns;
}

static int consider(void *context, const struct memphis_interval *interval)
{
	struct lookup *lookup = context;
	const struct memphis_jit_code *code = &lookup->jit->codes[interval->value];

	lookup->candidates++;
	if (!lookup->best || is_better(code, lookup->best, lookup->time_ns))
		lookup->best = code;
	return 0;
}

uint32_t memphis_jit_find(const struct memphis_jit *jit, uint64_t pc, uint64_t time_ns, uint64_t *vaddr,
			  bool *timed)
{
	struct lookup lookup = {.jit = jit, .time_ns = time_ns};

	memphis_intervals_find(&jit->index, pc, consider, &lookup);
	*timed = lookup.candidates > 1;
	if (!lookup.best)
		return MEMPHIS_NO_BINARY;
	*vaddr = lookup.best->base + (pc - lookup.best->low);
	return jit->binary;
}

void memphis_jit_close(struct memphis_jit *jit)
{
	size_t i;

	for (i = 0; i < jit->text_count; i++)
		free(jit->texts[i].bytes);
	for (i = 0; i < jit->joined_count; i++)
		free(jit->joined[i]);
	free(jit->texts);
	free(jit->codes);
	free(jit->lines);
	free(jit->joined);
	memphis_intervals_close(&jit->index);
	memset(jit, 0, sizeof(*jit));
}
