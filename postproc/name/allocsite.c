// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the source line that names a block, by walking from the innermost to the outermost frame of the
 * allocation's call stack. If the line belongs to a wrapper (`return malloc(n)`; `p = malloc(n); ... return
 * p;`; `*p = malloc(n)`), continues with its caller. Skips frames in system headers, in libraries that
 * allocate on behalf of their callers, and in code without line information.
 */
#include "name/allocsite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/demangle.h"
#include "dwarf/source_digests.h"
#include "dwarf/symbols.h"
#include "name/calls.h"
#include "name/system_libraries.h"

#define OBJECTS_MAX 64 /* maximum number of objects in an ALLOCATE statement */

struct walk {
	struct memphis_join *join;
	struct memphis_sources *sources;
	struct memphis_alloc_site *site;
	char callee[256]; /* function that the current frame calls; "" is the allocator */
	bool by_address;  /* the callee stores the block's address through a pointer argument */
	bool from_system; /* the callee is defined in a system header */
	size_t process;
	bool settled;    /* the name is final: do not look at further frames */
	bool is_map;     /* the memory was mapped, not allocated */
	bool in_pool;    /* no frame of the stack of a part of a pool was visited yet */
	bool after_pool; /* the place is a line in the pool's own code */
};

/* A function in the call stack, possibly inlined. */
struct frame {
	struct memphis_binary *binary;
	const struct memphis_location *location;
	const struct memphis_frame *at;
	uint64_t return_vaddr;
	uint64_t bias;
	bool outermost; /* not inlined: this function contains the call instruction */
};

/*
 * Libraries that allocate on behalf of their callers, so that variables of the callers name the memory:
 * message passing, its transport layers, and huge pages. Entries are prefixes of file names, and long enough
 * to exclude libraries of programs such as libpsmile and libsmartredis.
 */
static const char *const allocating_libraries[] = {
	"libmpi.",     "libmpi_",   "libmpi+",       "libmpich",         "libmpicxx",  "libmpifort",
	"libmpigi",    "libmpigf",  "libmpiwrapper", "libmpitrampoline", "libpmpi",    "libopen-pal",
	"libopen-rte", "liboshmem", "libpmix",       "libprrte",         "libsma.",    "libucm.",
	"libucp.",     "libucs.",   "libuct.",       "libucc.",          "libfabric.", "libpsm2",
	"libpsm3",     "libpsm_",   "libhugetlbfs",  "libnuma.",
};

static bool is_allocating_library(const struct memphis_binary *binary)
{
	const char *name = memphis_basename(binary->path);
	size_t i;

	for (i = 0; i < sizeof(allocating_libraries) / sizeof(*allocating_libraries); i++)
		if (!strncmp(name, allocating_libraries[i], strlen(allocating_libraries[i])))
			return true;
	return false;
}

/* Returns true if the library function stores the block's address through a pointer argument. */
static bool stores_by_address(const char *function)
{
	return !strcmp(function, "MPI_Win_allocate") || !strcmp(function, "MPI_Win_allocate_shared") ||
	       !strcmp(function, "MPI_Alloc_mem");
}

/*
 * Continues with the caller of a function in such a library. Names from MPI's profiling interface lose their
 * P, as the caller's source does not have it.
 */
static void pass_library(struct walk *walk, const struct memphis_frame *at)
{
	const char *function = at->function ? at->function : "?";

	snprintf(walk->callee, sizeof(walk->callee), "%s", function + !strncmp(function, "PMPI_", 5));
	walk->by_address = stores_by_address(walk->callee);
	walk->from_system = false;
}

static void keep_place(struct walk *walk, const struct memphis_frame *at)
{
	struct memphis_alloc_site *site = walk->site;
	const char *name = memphis_frame_name(at);
	struct memphis_text function = {0};

	memphis_put_function(&function, name ? name : "?");
	snprintf(site->function, sizeof(site->function), "%s", function.failed ? "?" : function.text);
	memphis_text_close(&function);
	snprintf(site->path, sizeof(site->path), "%s", at->path);
	site->line = at->line;
}

static void take_name(struct walk *walk, const struct frame *frame, const char *name)
{
	keep_place(walk, frame->at);
	snprintf(walk->site->name, sizeof(walk->site->name), "%s", name);
	walk->site->why_not = MEMPHIS_NAMING_FOUND;
	walk->site->binary = frame->binary;
	walk->site->vaddr = frame->return_vaddr - 1;
}

/* Takes the names of all objects that the line allocates, because it is unclear which of them the call allocates. */
static void take_list(struct walk *walk, const struct frame *frame, const char *list)
{
	take_name(walk, frame, list);
	walk->site->why_not = MEMPHIS_NAMING_SEVERAL;
}

/* Returns true if a recorded call stack has this call as its innermost frame. */
static bool was_seen(const struct walk *walk, uint64_t return_pc)
{
	const struct memphis_strings *stacks = &walk->join->list[walk->process].process->stacks;
	uint64_t pc;
	size_t i;

	for (i = 1; i < stacks->count; i++) {
		if (memphis_strings_bytes(stacks, (uint32_t)i) < 8)
			continue;
		memcpy(&pc, memphis_strings_get(stacks, (uint32_t)i), 8);
		if (pc == return_pc)
			return true;
	}
	return false;
}

/* Removes the calls that no recorded allocation came from. */
static void keep_seen(const struct walk *walk, struct memphis_calls *calls, uint64_t bias)
{
	size_t i, kept = 0;

	for (i = 0; i < calls->count; i++)
		if (was_seen(walk, calls->returns[i] + bias))
			calls->returns[kept++] = calls->returns[i];
	calls->count = kept;
}

/* Returns the index of the call that returns to `vaddr`, or -1. */
static int index_of(const struct memphis_calls *calls, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < calls->count; i++)
		if (calls->returns[i] == vaddr)
			return (int)i;
	return -1;
}

/*
 * Returns the index of the object that the frame's call allocates, or -1 if it is ambiguous. ALLOCATE(a, b,
 * c) calls the allocator once per object, in this order. If the optimizer has duplicated the calls for
 * special cases, only calls from which an allocation was recorded count, and there must be one for each
 * object.
 */
static int object_of_call(const struct walk *walk, const struct frame *frame, unsigned int first,
			  unsigned int last, size_t objects)
{
	struct memphis_calls calls;

	if (!memphis_calls_find_like(&walk->join->processes->binaries, frame->binary, frame->return_vaddr,
				     frame->location->function_low, frame->location->function_high,
				     frame->at->path, first, last, &calls))
		return -1;
	if (calls.count != objects)
		keep_seen(walk, &calls, frame->bias);
	return calls.count == objects ? index_of(&calls, frame->return_vaddr) : -1;
}

static void name_from_fortran(struct walk *walk, const struct frame *frame,
			      const struct memphis_source_file *file)
{
	char *names[OBJECTS_MAX] = {NULL}, *text, list[sizeof(walk->site->name)] = "";
	unsigned int first, last;
	bool is_allocate;
	size_t count, i;
	int index = 0;

	walk->settled = true;
	walk->site->why_not = MEMPHIS_NAMING_LINE;
	text = memphis_statement_fortran(file, frame->at->line, &first, &last);
	if (!text)
		return;
	count = memphis_assigned_fortran(text, &is_allocate, names, OBJECTS_MAX);
	if (count > 1)
		index = object_of_call(walk, frame, first, last, count);
	if (count && index >= 0)
		take_name(walk, frame, names[index]);
	walk->site->unsure = count > 1;
	for (i = 0; i < count; i++) {
		if (index < 0)
			memphis_assigned_join(list, sizeof(list), names[i]);
		free(names[i]);
	}
	if (*list)
		take_list(walk, frame, list);
	free(text);
}

static void raise_line(void *context, uint64_t from, uint64_t to, unsigned int line)
{
	unsigned int *last = context;

	(void)from;
	(void)to;
	if (line > *last)
		*last = line;
}

/* Returns true if the frame's function returns the variable `name`. */
static bool returns(const struct walk *walk, const struct frame *frame,
		    const struct memphis_source_file *file, const char *name, unsigned int line)
{
	unsigned int last = line + 60, known = 0;
	const char *from, *to;
	size_t bytes;

	if (frame->outermost) {
		/* The last line with code is an estimate of the function's last one. */
		memphis_symbols_visit_lines(&walk->join->processes->binaries, frame->binary,
					    frame->location->function_low, frame->location->function_high,
					    frame->at->path, raise_line, &known);
		if (known >= line)
			last = known;
	}
	if (last > file->line_count)
		last = (unsigned int)file->line_count;
	from = memphis_source_line(file, line, &bytes);
	to = memphis_source_line(file, last, &bytes);
	return from && to && memphis_assigned_returns(from, (size_t)(to - from) + bytes, name);
}

static void name_from_c(struct walk *walk, const struct frame *frame, const struct memphis_source_file *file)
{
	struct memphis_assigned assigned;
	unsigned int first, last;
	char *text = memphis_statement_c(file, frame->at->line, &first, &last);

	walk->settled = true;
	if (!*walk->site->name)
		walk->site->why_not = MEMPHIS_NAMING_LINE;
	if (!text)
		return;
	memphis_assigned_c(text, *walk->callee ? walk->callee : NULL, walk->by_address, &assigned);
	if (assigned.kind == MEMPHIS_ASSIGNED_NOTHING && walk->from_system)
		memphis_assigned_object(text, &assigned);
	free(text);
	walk->by_address = assigned.kind == MEMPHIS_ASSIGNED_DEREF;
	switch (assigned.kind) {
	case MEMPHIS_ASSIGNED_NOTHING:
		return;
	case MEMPHIS_ASSIGNED_RETURN:
		walk->settled = false;
		return;
	case MEMPHIS_ASSIGNED_DEREF:
		walk->settled = false;
		break;
	case MEMPHIS_ASSIGNED_NAME:
		/*
		 * The function may be a wrapper that returns the variable. In that case, keep the name but
		 * continue: a caller may have a better one.
		 */
		walk->settled = !returns(walk, frame, file, assigned.name, frame->at->line);
		break;
	}
	walk->site->unsure = assigned.several;
	if (assigned.several)
		take_list(walk, frame, assigned.name);
	else
		take_name(walk, frame, assigned.name);
}

/*
 * Continues with the caller if the line returns or ignores the result of memphis_pool_alloc(): its function is then a part of the pool's own
 * code. The place of the line counts only if no caller has one.
 */
static void pass_pool(struct walk *walk)
{
	if (walk->in_pool && (!walk->settled || !*walk->site->name)) {
		walk->settled = false;
		walk->after_pool = true;
		*walk->site->name = '\0';
	}
	walk->in_pool = false;
}

/*
 * Returns true for a frame beyond which no line names the block: one of Python, whose callers are lines of Python; or of an allocator that has
 * mapped the memory, which holds blocks of many callers.
 */
static bool ends_search(struct walk *walk, const struct frame *frame)
{
	const char *name = memphis_basename(frame->binary->path);

	if (walk->is_map && memphis_is_allocator(name, memphis_frame_name(frame->at))) {
		*walk->site->name = '\0';
		walk->site->line = 0;
		walk->site->why_not = MEMPHIS_NAMING_ALLOCATOR;
		return true;
	}
	if (!memphis_is_python(name))
		return false;
	if (!*walk->site->name && !walk->site->line)
		walk->site->why_not = MEMPHIS_NAMING_PYTHON;
	return true;
}

/* Returns true if the source is not the one that was compiled: by its contents, if the compiler has noted them, else by its time. */
static bool is_changed(const struct walk *walk, const struct frame *frame,
		       const struct memphis_source_file *file)
{
	const uint8_t *known =
		memphis_source_digest_find(&walk->join->processes->binaries, frame->binary, frame->at->path);
	uint8_t digest[MEMPHIS_MD5_BYTES];

	if (!known)
		return file->changed_ns > frame->binary->changed_ns;
	memphis_md5(file->text, file->bytes, digest);
	return memcmp(digest, known, sizeof(digest)) != 0;
}

static void visit_frame(struct walk *walk, const struct frame *frame)
{
	const struct memphis_source_file *file;
	bool fixed;

	if (is_allocating_library(frame->binary)) {
		pass_library(walk, frame->at);
		return;
	}
	if (ends_search(walk, frame)) {
		walk->settled = true;
		return;
	}
	if (frame->at->path && frame->at->line && !memphis_is_system_source(frame->at->path)) {
		if (!walk->site->line || walk->after_pool)
			keep_place(walk, frame->at);
		walk->after_pool = false;
		file = memphis_source_file(walk->sources, frame->at->path);
		if (!file || is_changed(walk, frame, file)) {
			if (!*walk->site->name)
				walk->site->why_not = file ? MEMPHIS_NAMING_CHANGED : MEMPHIS_NAMING_SOURCE;
			walk->settled = true;
		} else if (memphis_is_fortran_path(frame->at->path, &fixed)) {
			name_from_fortran(walk, frame, file);
		} else {
			name_from_c(walk, frame, file);
		}
		pass_pool(walk);
	}
	walk->from_system = frame->at->path && memphis_is_system_source(frame->at->path);
	snprintf(walk->callee, sizeof(walk->callee), "%s", frame->at->function ? frame->at->function : "?");
}

int memphis_alloc_site_find(struct memphis_join *join, struct memphis_sources *sources, size_t process,
			    uint32_t stack, enum memphis_block_table table, struct memphis_alloc_site *site)
{
	const struct memphis_process *owner = join->list[process].process;
	size_t depth = memphis_strings_bytes(&owner->stacks, stack) / 8, i, j;
	struct walk walk = {.join = join,
			    .sources = sources,
			    .site = site,
			    .process = process,
			    .in_pool = table >= MEMPHIS_BLOCKS_PART,
			    .is_map = table == MEMPHIS_BLOCKS_MAP};
	uint64_t pc, vaddr, from_ns, to_ns, time_ns;
	struct memphis_location location;
	struct frame frame;
	uint32_t code;

	memset(site, 0, sizeof(*site));
	site->why_not = depth ? MEMPHIS_NAMING_NO_LINE : MEMPHIS_NAMING_NO_STACK;
	time_ns = stack < owner->stack_time_count ? owner->stack_times_ns[stack] : 0;
	for (i = 0; i < depth && !walk.settled; i++) {
		memcpy(&pc, memphis_strings_get(&owner->stacks, stack) + i * 8, 8);
		code = memphis_maps_code(&owner->maps, pc - 1, time_ns, &vaddr, &from_ns, &to_ns);
		if (code == MEMPHIS_NO_BINARY || !join->processes->binaries.list[code]->elf) {
			snprintf(walk.callee, sizeof(walk.callee), "?");
			continue;
		}
		frame.binary = join->processes->binaries.list[code];
		frame.location = &location;
		frame.return_vaddr = vaddr + 1;
		frame.bias = pc - frame.return_vaddr;
		if (memphis_symbols_find(&join->processes->binaries, frame.binary, vaddr, &location))
			return -ENOMEM;
		for (j = 0; j < location.count && !walk.settled; j++) {
			frame.at = &location.frames[j];
			frame.outermost = j + 1 == location.count;
			visit_frame(&walk, &frame);
		}
	}
	return 0;
}
