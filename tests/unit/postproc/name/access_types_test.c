// SPDX-License-Identifier: BSD-3-Clause
/*
 * The types of accesses, in programs whose lines say what they access. If these tests fail, a report shows a type or member that an
 * instruction does not access, or loses one.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/symbols.h"
#include "name/access_types.h"
#include "../../tap.h"

#define LINES_MAX 400

/* The source of a program: what each line accesses, and whether an instruction does that. */
struct source {
	const char *name, *mark;
	const char *own; /* precedes what a line accesses in programs of this compiler, or NULL */
	char lines[LINES_MAX][400];
	bool found[LINES_MAX][12];
	unsigned int count;
};

static void read_source(struct source *source, const char *path)
{
	FILE *file = fopen(path, "r");

	if (!ok(file != NULL, "%s is there", source->name))
		return;
	for (source->count = 1;
	     source->count < LINES_MAX && fgets(source->lines[source->count], sizeof(*source->lines), file);)
		source->count++;
	fclose(file);
}

/* Returns what the line accesses, or NULL. */
static char *mark_of(const struct source *source, unsigned int line)
{
	const char *text = line && line < source->count ? source->lines[line] : "", *mark, *other, *own;
	static char copy[400];

	mark = strstr(text, source->mark);
	if (!mark || mark == text || strspn(text, "/! \t") >= (size_t)(mark - text))
		return NULL;
	mark += strlen(source->mark);
	other = strstr(mark, source->mark);
	own = source->own ? strstr(mark, source->own) : NULL;
	if (own)
		snprintf(copy, sizeof(copy), "%s", own + strlen(source->own));
	else
		snprintf(copy, sizeof(copy), "%.*s", other ? (int)(other - 1 - mark) : INT_MAX, mark);
	copy[strcspn(copy, "\n")] = 0;
	return copy;
}

/* Notes that the line accesses the member. Returns false if the source does not say that. */
static bool expected(struct source *source, unsigned int line, const char *member)
{
	char *mark = mark_of(source, line), *each;
	unsigned int number = 0;

	for (each = strtok(mark, ";"); each; each = strtok(NULL, ";"), number++)
		if (!strcmp(each + strspn(each, " ?"), member)) {
			source->found[line][number] = true;
			return true;
		}
	return false;
}

static unsigned int line_in(const struct memphis_location *location, const struct source *source)
{
	const char *slash;
	size_t i;

	for (i = 0; i < location->count; i++) {
		slash = location->frames[i].path ? strrchr(location->frames[i].path, '/') : NULL;
		if (slash && !strcmp(slash + 1, source->name))
			return location->frames[i].line;
	}
	return 0;
}

/* Returns true for the thread pointer and the global offset table, which no line mentions. */
static bool is_of_linkage(const struct memphis_binary *binary, const struct memphis_code_memory *memory)
{
	const int section = memory->fixed ? memphis_binary_section(binary, (uint64_t)memory->offset) : -1;

	return (memory->thread && !memory->offset && memory->base == MEMPHIS_NO_REGISTER &&
		memory->index == MEMPHIS_NO_REGISTER) ||
	       (section >= 0 && !strncmp(binary->sections[section].name, "got", 3));
}

/* Compares each instruction with a memory operand with its line. */
static unsigned int check_program(const char *program, struct source *source)
{
	struct memphis_binaries binaries = {0};
	struct memphis_access_types types = {0};
	struct memphis_function_code code;
	struct memphis_access_type answer;
	struct memphis_location location;
	struct memphis_binary *binary;
	const struct memphis_code_op *op;
	char member[300];
	unsigned int line, wrong = 0;
	uint32_t number;
	int text;
	size_t i;

	number = memphis_binaries_add(&binaries, program, "");
	if (number == MEMPHIS_NO_BINARY)
		return UINT_MAX;
	binary = binaries.list[number];
	for (text = 0; (size_t)text < binary->section_count && strcmp(binary->sections[text].name, "text");
	     text++)
		;
	memphis_function_code_read(&binaries, binary, binary->sections[text].low, binary->sections[text].high,
				   &code);
	ok(code.count > 100, "the code of %s is decoded", strrchr(program, '/') + 1);
	for (i = 0; i < code.count; i++) {
		op = &code.list[i];
		if (!op->memory_count || op->effect == MEMPHIS_CODE_ADDRESS)
			continue;
		memphis_symbols_find(&binaries, binary, op->vaddr, &location);
		line = line_in(&location, source);
		if (!mark_of(source, line) || op->next == MEMPHIS_CODE_CALLS ||
		    is_of_linkage(binary, &op->memory[0]))
			continue;
		if (memphis_access_type_of(&types, &binaries, binary, op->vaddr, &answer))
			return UINT_MAX;
		if (answer.member)
			snprintf(member, sizeof(member), "%s", answer.member);
		else
			snprintf(member, sizeof(member), "(%s)", memphis_no_type_texts[answer.reason].name);
		if (!expected(source, line, member) && !op->memory[0].in_frame) {
			printf("# %s:%u, 0x%lx accesses %s\n", program, line, (unsigned long)op->vaddr,
			       member);
			wrong++;
		}
		memphis_access_type_close(&answer);
	}
	memphis_function_code_close(&code);
	memphis_access_types_close(&types);
	memphis_variables_close(binary);
	memphis_symbols_close(binary);
	memphis_binaries_close(&binaries);
	return wrong;
}

static unsigned int check_found(const char *program, struct source *source)
{
	unsigned int line, number, missing = 0;
	char *mark, *each;

	for (line = 1; line < source->count; line++) {
		mark = mark_of(source, line);
		for (number = 0, each = mark ? strtok(mark, ";") : NULL; each;
		     each = strtok(NULL, ";"), number++)
			if (!source->found[line][number] && each[strspn(each, " ")] != '?') {
				printf("# %s:%u: no instruction accesses%s\n", program, line, each);
				missing++;
			}
	}
	return missing;
}

int main(void)
{
	static const struct {
		const char *stem, *name, *mark;
		bool all; /* the compiler attributes each access to its line */
	} programs[] = {
		{"records-gcc-0", "records.c", "// ", true},
		{"records-gcc-2", "records.c", "// ", true},
		{"records-gcc-3", "records.c", "// ", true},
		{"records-clang-0", "records.c", "// ", true},
		{"records-clang-2", "records.c", "// ", false},
		{"parallel-gcc-0", "parallel.c", "// ", true},
		{"parallel-gcc-2", "parallel.c", "// ", true},
		{"containers-g++-0", "containers.cc", "// ", true},
		{"containers-g++-2", "containers.cc", "// ", true},
		{"threads-gcc-gd-0", "threads.c", "// ", true},
		{"threads-gcc-gd-2", "threads.c", "// ", true},
		{"threads-gcc-ie-0", "threads.c", "// ", true},
		{"threads-gcc-ie-2", "threads.c", "// ", true},
		{"threads-gcc-pie-0", "threads.c", "// ", true},
		{"threads-gcc-pie-2", "threads.c", "// ", true},
		{"threads-gcc-exec-0", "threads.c", "// ", true},
		{"threads-gcc-exec-2", "threads.c", "// ", true},
		{"threads-clang-gd-0", "threads.c", "// ", true},
		{"threads-clang-gd-2", "threads.c", "// ", true},
		{"threads-clang-ie-0", "threads.c", "// ", true},
		{"threads-clang-ie-2", "threads.c", "// ", true},
		{"threads-clang-pie-0", "threads.c", "// ", true},
		{"threads-clang-pie-2", "threads.c", "// ", true},
		{"threads-clang-exec-0", "threads.c", "// ", true},
		{"threads-clang-exec-2", "threads.c", "// ", true},
		{"threads-gcc-desc-2", "threads.c", "// ", true},
		{"domain-g++-0", WALKS_SOURCE "/domain.cc", "// ", true},
		{"domain-g++-2", WALKS_SOURCE "/domain.cc", "// ", true},
		{"domain-g++-3", WALKS_SOURCE "/domain.cc", "// ", true},
		{"nested-g++-0", WALKS_SOURCE "/nested.cc", "// ", true},
		{"nested-g++-2", WALKS_SOURCE "/nested.cc", "// ", true},
		{"nested-g++-3", WALKS_SOURCE "/nested.cc", "// ", true},
		{"domain-clang++-0", WALKS_SOURCE "/domain.cc", "// ", true},
		{"domain-clang++-2", WALKS_SOURCE "/domain.cc", "// ", true},
		{"domain-clang++-3", WALKS_SOURCE "/domain.cc", "// ", true},
		{"nested-clang++-0", WALKS_SOURCE "/nested.cc", "// ", true},
		{"nested-clang++-2", WALKS_SOURCE "/nested.cc", "// ", true},
		{"nested-clang++-3", WALKS_SOURCE "/nested.cc", "// ", true},
		{"units-g++-plain-0", "units/units.cc", "// ", true},
		{"units-g++-plain-0", "units/odr.cc", "// ", true},
		{"units-g++-plain-2", "units/units.cc", "// ", true},
		{"units-g++-plain-2", "units/odr.cc", "// ", true},
		{"units-g++-types-2", "units/units.cc", "// ", true},
		{"units-g++-types-2", "units/odr.cc", "// ", true},
		{"units-g++-types4-2", "units/units.cc", "// ", true},
		{"units-g++-types4-2", "units/odr.cc", "// ", true},
		{"units-g++-split-2", "units/units.cc", "// ", true},
		{"units-g++-split-2", "units/odr.cc", "// ", true},
		{"units-g++-lto-2", "units/units.cc", "// ", true},
		{"units-g++-lto-2", "units/odr.cc", "// ", true},
		{"units-clang++-plain-0", "units/units.cc", "// ", true},
		{"units-clang++-plain-0", "units/odr.cc", "// ", true},
		{"units-clang++-plain-2", "units/units.cc", "// ", true},
		{"units-clang++-plain-2", "units/odr.cc", "// ", true},
		{"units-clang++-types-2", "units/units.cc", "// ", true},
		{"units-clang++-types4-2", "units/units.cc", "// ", true},
		{"units-clang++-split-2", "units/units.cc", "// ", true},
		{"units-clang++-split-2", "units/odr.cc", "// ", true},
		{"arrays-gfortran-0", "arrays.F90", "! ", true},
		{"arrays-gfortran-2", "arrays.F90", "! ", true},
	};
	struct source *source;
	const char *slash;
	char path[4096];
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		source = calloc(1, sizeof(*source));
		if (!source)
			return 1;
		slash = strrchr(programs[i].name, '/');
		source->name = slash ? slash + 1 : programs[i].name;
		source->own = strstr(programs[i].stem, "clang") ? "// clang: " : NULL;
		source->mark = programs[i].mark;
		snprintf(path, sizeof(path), "%s%s", *programs[i].name == '/' ? "" : ACCESSES_SOURCE "/",
			 programs[i].name);
		read_source(source, path);
		snprintf(path, sizeof(path), ACCESSES "/%s.so", programs[i].stem);
		is(check_program(path, source), 0, "no instruction has another type than its line");
		if (programs[i].all)
			is(check_found(path, source), 0,
			   "each line has an instruction with each of its types");
		free(source);
	}
	return finish();
}
