// SPDX-License-Identifier: BSD-3-Clause
/*
 * Attributes an address to a memory block, a static variable or a stack, or determines why the address
 * belongs to none of them.
 */
#include "attribute/join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/build_blocks.h"
#include "base/intervals.h"
#include "base/order.h"
#include "dwarf/locals.h"
#include "dwarf/variables.h"
#include "profile/reasons.h"
#include "profile/profile.h"
#include "read/callers.h"

/* The address and the time for which the owner is searched. */
struct place {
	const struct memphis_joined_process *joined;
	size_t process;
	uint64_t address, time_ns;
	uint32_t frame; /* frame of the sample there (see read/callers.h), or 0 */
};

static void set_owner(struct memphis_answer *answer, enum memphis_owner_kind kind,
		      enum memphis_unattributed reason, size_t process, uint32_t index, uint32_t item)
{
	answer->owner.kind = (uint16_t)kind;
	answer->owner.reason = (uint16_t)reason;
	answer->owner.process = (uint32_t)process;
	answer->owner.index = index;
	answer->owner.item = item;
}

/* Attributes addresses on threads' stacks to a frame, if frames were recorded, and to a local variable in this frame. */

struct search {
	const struct memphis_process *process;
	uint64_t time_ns, from_ns;
	const struct memphis_thread *thread;
	bool any;
};

/*
 * Keeps the thread that started last among those that were alive at the time. The C library reuses the stacks
 * of threads that have ended.
 */
static int keep_latest_thread(void *context, const struct memphis_interval *interval)
{
	struct search *search = context;
	const struct memphis_thread *thread = &search->process->threads[interval->value];
	uint64_t from_ns = memphis_setting_number(&thread->metadata, "start_time_ns", 0);

	search->any = true;
	if (search->time_ns < from_ns ||
	    search->time_ns >= memphis_setting_number(&thread->metadata, "end_time_ns", UINT64_MAX) ||
	    (search->thread && from_ns < search->from_ns))
		return 0;
	search->thread = thread;
	search->from_ns = from_ns;
	return 0;
}

/*
 * Returns the latest frames that were recorded up to `time_ns`, or NULL if there are none. Sets *to_ns to the
 * time of the next recorded frames.
 */
static const struct memphis_stack_frames_view *find_frames(const struct memphis_thread *thread,
							   uint64_t time_ns, uint64_t *to_ns)
{
	const struct memphis_stack_frames_view *list = thread->log->stack_frames;
	const size_t count = thread->log->frames_count,
		     next = memphis_bisect(i, count, list[i].stack_frames.time_ns <= time_ns);

	*to_ns = next < count ? list[next].stack_frames.time_ns : UINT64_MAX;
	return next ? &list[next - 1] : NULL;
}

/*
 * Returns the frame that contains the address, and sets *sp to the stack pointer in this frame. Returns NULL
 * if the address is below or above the recorded frames.
 */
static const struct memphis_stack_frame *find_frame(const struct memphis_thread *thread,
						    const struct memphis_stack_frames_view *view,
						    uint64_t address, uint64_t *sp)
{
	const struct memphis_stack_frame *frames;
	uint32_t i;

	if (!view->stack_frames.depth)
		return NULL;
	frames = thread->log->frames + view->first;
	*sp = view->stack_frames.low;
	for (i = 0; i < view->stack_frames.depth; i++) {
		if (address < *sp)
			return NULL;
		if (address < frames[i].cfa)
			return &frames[i];
		*sp = frames[i].cfa;
	}
	return NULL;
}

/*
 * Sets *answer to the variable at the address in the frame, or to the function of the frame if there is no
 * variable. Replaces the run-time PCs of the frame by link-time addresses.
 */
static void find_variable_in_frame(struct memphis_binaries *binaries, const struct memphis_process *process,
				   struct memphis_frame_place *frame, uint64_t address, uint64_t time_ns,
				   struct memphis_answer *answer)
{
	uint64_t from_ns, to_ns, low, high, vaddr;
	const uint32_t binary =
		memphis_maps_code(&process->log->maps, frame->pc, time_ns, &vaddr, &from_ns, &to_ns);
	uint32_t local;

	if (binary == MEMPHIS_NO_BINARY || binaries->list[binary]->state != MEMPHIS_BINARY_OK)
		return;
	frame->end_pc = vaddr + (frame->end_pc - frame->pc);
	frame->pc = vaddr;
	local = memphis_locals_find(binaries, binaries->list[binary], frame, address, &low, &high);
	if (local == MEMPHIS_NO_LOCAL)
		return;
	answer->owner.index = binary;
	answer->owner.item = local;
	answer->owner.reason = memphis_local_of(binaries->list[binary], local)->name
				       ? MEMPHIS_ATTRIBUTED
				       : MEMPHIS_FRAME_WITHOUT_VARIABLE;
	answer->low = low;
	answer->high = high;
	answer->from_ns = from_ns;
	answer->to_ns = to_ns;
}

/* Sets *answer from the frames that were on the stack both at the begin and at the end of the thread's outermost caliper. */
static void find_variable_in_caliper(struct memphis_binaries *binaries, const struct memphis_process *process,
				     const struct memphis_thread *thread, uint64_t address, uint64_t time_ns,
				     struct memphis_answer *answer)
{
	const struct memphis_stack_frame *frame;
	const struct memphis_stack_frames_view *view;
	struct memphis_frame_place place;
	uint64_t to_ns, sp;

	view = find_frames(thread, time_ns, &to_ns);
	frame = view ? find_frame(thread, view, address, &sp) : NULL;
	if (!frame)
		return;
	place = (struct memphis_frame_place){
		.cfa = frame->cfa,
		.bp = frame->bp,
		.sp = sp,
		.sp_known = frame != thread->log->frames + view->first || view->stack_frames.same_sp,
		.bp_known = true,
		.pc = frame->pc,
		.end_pc = frame->end_pc,
	};
	find_variable_in_frame(binaries, process, &place, address, time_ns, answer);
	/*
	 * The answer is not valid before the frames were recorded, because a frame of the same function may
	 * have been at another address.
	 */
	if (answer->from_ns < view->stack_frames.time_ns)
		answer->from_ns = view->stack_frames.time_ns;
	if (answer->to_ns > to_ns)
		answer->to_ns = to_ns;
}

/*
 * If the place is on the stack of a thread, sets *answer to its owner and returns true. Uses the frame that
 * was recorded with the sample if this frame contains the address. Otherwise, uses the frames of the thread's
 * caliper.
 */
static bool find_on_stack(struct memphis_processes *processes, const struct place *place,
			  struct memphis_answer *answer)
{
	const struct memphis_process *process = place->joined->process;
	struct search search = {.process = process, .time_ns = place->time_ns};
	struct memphis_sampled_frame frame;

	memphis_intervals_find(&place->joined->stacks, place->address, keep_latest_thread, &search);
	if (memphis_frame_get(processes, place->frame, &frame) && place->address >= frame.low &&
	    place->address < frame.cfa) {
		struct memphis_frame_place in = {
			.cfa = frame.cfa,
			.bp = frame.bp,
			.sp = frame.low,
			.sp_known = !(frame.flags & MEMPHIS_FRAME_INNERMOST),
			.bp_known = !(frame.flags & MEMPHIS_FRAME_NO_BP),
			.pc = frame.pc,
			.end_pc = frame.pc,
		};

		set_owner(answer, MEMPHIS_OWNER_STACK, MEMPHIS_STACK_FRAME, 0, MEMPHIS_NO_BINARY, 0);
		find_variable_in_frame(&processes->binaries, process, &in, place->address, place->time_ns,
				       answer);
		return true;
	}
	if (!search.any)
		return false;
	set_owner(answer, MEMPHIS_OWNER_STACK, MEMPHIS_STACK_FRAME, 0, MEMPHIS_NO_BINARY, 0);
	if (search.thread)
		find_variable_in_caliper(&processes->binaries, process, search.thread, place->address,
					 place->time_ns, answer);
	return true;
}

static int find_arenas(struct memphis_joined_process *joined)
{
	const struct memphis_blocks *blocks = &joined->blocks;
	const struct memphis_maps *maps = &joined->process->log->maps;
	const struct memphis_map *map;
	uint64_t from_ns, to_ns;
	size_t i;

	joined->arena = calloc(maps->count + 1, sizeof(*joined->arena));
	if (!joined->arena)
		return -ENOMEM;
	for (i = 0; i < blocks->count; i++) {
		if (blocks->groups[blocks->list[i].group].table != MEMPHIS_BLOCKS_HEAP)
			continue;
		map = memphis_maps_find(maps, blocks->list[i].start,
					blocks->lifetimes[blocks->list[i].lifetime].from_ns, &from_ns,
					&to_ns);
		if (map)
			joined->arena[map - maps->list] = true;
	}
	return 0;
}

static int add_tls(struct memphis_joined_process *joined, const struct memphis_thread *thread)
{
	const struct memphis_thread_log *log = thread->log;
	struct memphis_tls_range *range;
	size_t i;

	for (i = 0; i < log->tls_count; i++) {
		range = memphis_append(joined->tls_ranges, joined->tls_count, joined->tls_room);
		if (!range || memphis_intervals_add(&joined->tls, log->tls[i].low, log->tls[i].high,
						    (uint32_t)joined->tls_count - 1))
			return -ENOMEM;
		range->low = log->tls[i].low;
		range->high = log->tls[i].high;
		range->object = log->tls[i].object;
		range->from_ns = memphis_setting_number(&thread->metadata, "start_time_ns", 0);
		range->to_ns = memphis_setting_number(&thread->metadata, "end_time_ns", UINT64_MAX);
	}
	return 0;
}

static int open_joined_process(struct memphis_join *join, struct memphis_joined_process *joined)
{
	struct memphis_process *process = joined->process;
	size_t i;
	int rc;

	rc = memphis_own_open(&joined->own, &process->log->maps, &join->processes->binaries);
	if (!rc)
		rc = find_arenas(joined);
	if (!rc)
		rc = memphis_small_blocks_open(
			&joined->small, &joined->blocks,
			memphis_setting_number(&process->losses, "small_blocks_lost_ns", UINT64_MAX));
	for (i = 0; !rc && i < process->thread_count; i++) {
		rc = memphis_intervals_add(&joined->stacks, process->threads[i].log->stack_low,
					   process->threads[i].log->stack_high, (uint32_t)i);
		if (!rc)
			rc = add_tls(joined, &process->threads[i]);
	}
	memphis_intervals_sort(&joined->stacks);
	memphis_intervals_sort(&joined->tls);
	if (!rc && join->selection->region)
		rc = memphis_selection_regions(join->selection, process, &joined->regions,
					       &joined->region_count);
	if (!rc && join->selection->by_region)
		rc = memphis_regions_add(join->profile, process, &joined->region_rows,
					 &joined->region_row_count);
	joined->weights = memphis_sample_weights(&process->settings);
	joined->start_ns = memphis_setting_number(&process->settings, "start_time_ns", 0);
	return rc;
}

static int build_blocks(struct memphis_join *join)
{
	struct memphis_processes *processes = join->processes;
	struct memphis_blocks **blocks = calloc(processes->count + 1, sizeof(*blocks));
	size_t i;
	int rc;

	if (!blocks)
		return -ENOMEM;
	for (i = 0; i < processes->count; i++)
		blocks[i] = &join->list[i].blocks;
	memphis_fork_blocks_add(processes);
	rc = memphis_blocks_build(blocks, processes->list, processes->count);
	free(blocks);
	return rc;
}

int memphis_join_open(struct memphis_join *join, struct memphis_profile *profile,
		      const struct memphis_selection *selection, struct memphis_error *error)
{
	struct memphis_processes *processes = &profile->processes;
	size_t i;

	memset(join, 0, sizeof(*join));
	join->profile = profile;
	join->processes = processes;
	join->selection = selection;
	join->list = calloc(processes->count + 1, sizeof(*join->list));
	profile->timelines = calloc(processes->count + 1, sizeof(*profile->timelines));
	join->chains_ns = malloc((processes->chains.count + 1) * sizeof(*join->chains_ns));
	for (i = 0; join->chains_ns && i < processes->chains.count; i++)
		join->chains_ns[i] = UINT64_MAX;
	if (!join->list || !profile->timelines || !join->chains_ns)
		return memphis_fail(error, -ENOMEM, "out of memory");
	if (build_blocks(join))
		return memphis_fail(error, -ENOMEM, "out of memory");
	for (i = 0; i < processes->count; i++) {
		join->list[i].process = &processes->list[i];
		join->list[i].first_thread = memphis_profile_thread(profile, i);
		if (open_joined_process(join, &join->list[i]))
			return memphis_fail(error, -ENOMEM, "out of memory");
	}
	memphis_processes_drop_allocations(processes);
	return 0;
}

void memphis_join_close(struct memphis_join *join)
{
	size_t i;

	for (i = 0; join->list && i < join->processes->count; i++) {
		memphis_own_close(&join->list[i].own);
		memphis_blocks_close(&join->list[i].blocks);
		memphis_small_blocks_close(&join->list[i].small);
		memphis_intervals_close(&join->list[i].stacks);
		memphis_intervals_close(&join->list[i].tls);
		free(join->list[i].tls_ranges);
		free(join->list[i].arena);
		free(join->list[i].regions);
		free(join->list[i].region_rows);
	}
	free(join->list);
	free(join->chains_ns);
	memphis_counts_close(&join->counts);
	memset(join, 0, sizeof(*join));
}

/* An owner of the place, and the range of addresses and times for which it was found. */
struct candidate {
	struct memphis_answer found;
	/* true: the owner is the same in the whole range, because nothing with another owner can lie inside it */
	bool whole;
};

static enum memphis_unattributed lost_binary_reason(const struct memphis_binary *binary)
{
	if (binary->state == MEMPHIS_BINARY_NOT_ELF)
		return MEMPHIS_MAPPED_FILE;
	return binary->state == MEMPHIS_BINARY_CHANGED ? MEMPHIS_BINARY_IS_CHANGED
						       : MEMPHIS_BINARY_IS_MISSING;
}

static enum memphis_unattributed unnamed_reason(const struct memphis_variables *variables)
{
	return variables->has_dwarf || variables->has_symbols ? MEMPHIS_NO_SYMBOL : MEMPHIS_NO_DEBUG_INFO;
}

/* Returns true if parts of pools in the table `from` or a later one begin in [low, high) at any time. */
static bool has_parts(const struct memphis_joined_process *joined, int from, uint64_t low, uint64_t high)
{
	int table;

	for (table = from; table < MEMPHIS_BLOCK_TABLES; table++)
		if (memphis_intervals_any(&joined->blocks.index[table], low, high))
			return true;
	return false;
}

/*
 * Finds the block of this table that contains the place. Other owners may lie inside a block: thread-local
 * variables and parts of pools in any block, and heap blocks in a mapped block. candidate->whole is then
 * false.
 */
static bool find_block(const struct place *place, enum memphis_block_table table, struct candidate *candidate,
		       struct memphis_block_answer *found)
{
	const struct memphis_joined_process *joined = place->joined;
	struct memphis_answer *answer = &candidate->found;

	memphis_blocks_find(&joined->blocks, table, place->address, place->time_ns, found);
	if (!found->block)
		return false;
	set_owner(answer, MEMPHIS_OWNER_GROUP, MEMPHIS_ATTRIBUTED, place->process, found->block->group, 0);
	answer->low = found->block->start;
	answer->high = found->block->end;
	answer->from_ns = found->from_ns;
	answer->to_ns = found->to_ns;
	candidate->whole =
		table != MEMPHIS_BLOCKS_MAP &&
		!memphis_intervals_any(&joined->tls, answer->low, answer->high) &&
		!has_parts(joined, table < MEMPHIS_BLOCKS_PART ? MEMPHIS_BLOCKS_PART : (int)table + 1,
			   answer->low, answer->high);
	return true;
}

/* Finds the innermost part of a pool that contains the place. */
static bool find_part(const struct place *place, struct candidate *candidate)
{
	struct memphis_block_answer found;
	int table;

	for (table = MEMPHIS_BLOCKS_PART_LAST; table >= MEMPHIS_BLOCKS_PART; table--)
		if (place->joined->blocks.index[table].count &&
		    find_block(place, (enum memphis_block_table)table, candidate, &found))
			return true;
	return false;
}

/* Returns true if named memory or parts of pools may overlap loaded objects and stacks. */
static bool may_be_covered(const struct memphis_joined_process *joined)
{
	return joined->blocks.index[MEMPHIS_BLOCKS_NAMED].count ||
	       joined->blocks.index[MEMPHIS_BLOCKS_PART].count;
}

struct tls_search {
	const struct memphis_joined_process *joined;
	uint64_t time_ns;
	const struct memphis_tls_range *best;
};

/*
 * Keeps the thread that started last among those that were alive at the time. New threads reuse stacks and
 * the thread-local memory in them.
 */
static int keep_latest_tls(void *context, const struct memphis_interval *interval)
{
	struct tls_search *search = context;
	const struct memphis_tls_range *range = &search->joined->tls_ranges[interval->value];

	if (search->time_ns >= range->from_ns && search->time_ns < range->to_ns &&
	    (!search->best || range->from_ns >= search->best->from_ns))
		search->best = range;
	return 0;
}

/*
 * Finds the thread-local variable that contains the place. Returns 1 if the place is in thread-local memory,
 * 0 if not, or -ENOMEM.
 */
static int find_tls(struct memphis_join *join, const struct place *place,
		    const struct memphis_block_answer *heap, struct candidate *candidate)
{
	const struct memphis_joined_process *joined = place->joined;
	struct tls_search search = {joined, place->time_ns, NULL};
	struct memphis_answer *answer = &candidate->found;
	const struct memphis_maps *maps = &joined->process->log->maps;
	const struct memphis_variables *variables;
	const struct memphis_static *variable;
	struct memphis_binary *binary;
	const struct memphis_map *map;
	uint64_t from_ns, to_ns;

	memphis_intervals_find(&joined->tls, place->address, keep_latest_tls, &search);
	/* If the library was unloaded by dlclose(), its former thread-local memory may now be part of another block. */
	if (!search.best ||
	    (heap->block && (search.best->low < heap->block->start || search.best->high > heap->block->end)))
		return 0;
	map = memphis_maps_find(maps, search.best->object, place->time_ns, &from_ns, &to_ns);
	if (!map || map->instance == MEMPHIS_NO_INSTANCE)
		return 0;
	candidate->whole = false;
	binary = join->processes->binaries.list[maps->instances[map->instance].binary];
	if (binary->state != MEMPHIS_BINARY_OK) {
		set_owner(answer, MEMPHIS_OWNER_SECTION, lost_binary_reason(binary), 0,
			  maps->instances[map->instance].binary, MEMPHIS_TLS_SECTION);
		return 1;
	}
	variables = memphis_variables_of(&join->processes->binaries, binary);
	if (!variables)
		return -ENOMEM;
	variable = memphis_variables_find_tls(variables, place->address - search.best->low);
	if (variable)
		set_owner(answer, MEMPHIS_OWNER_STATIC, MEMPHIS_ATTRIBUTED, 0,
			  maps->instances[map->instance].binary, (uint32_t)(variable - variables->list));
	else
		set_owner(answer, MEMPHIS_OWNER_SECTION, unnamed_reason(variables), 0,
			  maps->instances[map->instance].binary, MEMPHIS_TLS_SECTION);
	return 1;
}

/* Finds the variable at the address in the static memory of a loaded object, including .bss. Returns 0 or -ENOMEM. */
static int find_static(struct memphis_join *join, const struct memphis_map *map,
		       const struct memphis_instance *instance, uint64_t address,
		       struct memphis_answer *answer)
{
	struct memphis_binary *binary = join->processes->binaries.list[instance->binary];
	uint64_t vaddr = address - instance->bias;
	const struct memphis_variables *variables;
	const struct memphis_static *variable;
	enum memphis_unattributed reason;

	if (binary->state != MEMPHIS_BINARY_OK) {
		reason = lost_binary_reason(binary);
		/*
		 * A missing file without a build-id and without executable maps is possibly not a program or
		 * library, but a file that the program mapped.
		 */
		if (reason == MEMPHIS_BINARY_IS_MISSING && !*binary->build_id && !map->executable)
			reason = MEMPHIS_MAPPED_FILE;
		set_owner(answer, MEMPHIS_OWNER_SECTION, reason, 0, instance->binary, UINT32_MAX);
		return 0;
	}
	variables = memphis_variables_of(&join->processes->binaries, binary);
	if (!variables)
		return -ENOMEM;
	variable = memphis_variables_find(variables, vaddr);
	if (variable) {
		set_owner(answer, MEMPHIS_OWNER_STATIC, MEMPHIS_ATTRIBUTED, 0, instance->binary,
			  (uint32_t)(variable - variables->list));
		if (variable->alone) {
			answer->low = variable->low + instance->bias;
			answer->high = variable->high + instance->bias;
		}
		return 0;
	}
	set_owner(answer, MEMPHIS_OWNER_SECTION, unnamed_reason(variables), 0, instance->binary,
		  (uint32_t)memphis_binary_section(binary, vaddr));
	return 0;
}

/* Returns true if perf recorded the process. perf records neither allocations nor releases. */
static bool is_perf_recording(const struct memphis_process *process)
{
	const char *backend = memphis_setting(&process->settings, "backend");

	return backend && !strcmp(backend, "perf.data");
}

static enum memphis_unattributed allocator_reason(const struct memphis_process *process)
{
	const char *threshold = memphis_setting(&process->settings, "alloc_min_bytes");

	if ((threshold && !strcmp(threshold, "off")) ||
	    memphis_setting(&process->settings, "allocator_ahead") ||
	    memphis_setting(&process->settings, "allocator_sizeless"))
		return MEMPHIS_ALLOCATIONS_OFF;
	if (memphis_setting_number(&process->losses, "allocations_left_out", 0))
		return MEMPHIS_ALLOCATION_LEFT_OUT;
	if (memphis_setting_number(&process->settings, "alloc_min_bytes", 0) > 1)
		return MEMPHIS_BLOCK_TOO_SMALL;
	return MEMPHIS_BEFORE_TRACKING;
}

/* Returns the reason why an address that is in no block, object or stack has no owner. */
static enum memphis_unattributed unowned_reason(const struct memphis_joined_process *joined,
						const struct memphis_map *map,
						const struct memphis_block_answer *heap,
						const struct memphis_block_answer *mapped)
{
	enum memphis_unattributed reason;
	bool allocator;

	if (map && map->kind == MEMPHIS_MAP_SPECIAL)
		return MEMPHIS_SPECIAL_MAP;
	if (is_perf_recording(joined->process))
		return MEMPHIS_RECORDED_BY_PERF;
	allocator = map &&
		    (map->kind == MEMPHIS_MAP_HEAP || joined->arena[map - joined->process->log->maps.list]);
	/*
	 * In memory of the allocator, a block that was not tracked is more likely than an access after a
	 * release: correct programs do not access released memory, and the allocator reuses it.
	 */
	reason = allocator_reason(joined->process);
	if (allocator && reason != MEMPHIS_BEFORE_TRACKING)
		return reason;
	if (heap->before || mapped->before)
		return MEMPHIS_FREED_BLOCK;
	if (heap->after || mapped->after)
		return MEMPHIS_NOT_YET_ALLOCATED;
	if (!map)
		return MEMPHIS_OUTSIDE_EVERY_MAP;
	return allocator ? MEMPHIS_BEFORE_TRACKING : MEMPHIS_ANONYMOUS_MAP;
}

/*
 * Finds memory that the program mapped at an address where the lists of maps show an object at other times.
 * This is possible after the last list with the object, if the object was unloaded, and before the first list
 * with it.
 */
static bool find_program_map(const struct place *place, const struct memphis_map *map,
			     struct candidate *candidate)
{
	struct memphis_block_answer found;

	memphis_blocks_find(&place->joined->blocks, MEMPHIS_BLOCKS_MAP, place->address, place->time_ns,
			    &found);
	return found.block && (found.from_ns > map->last_ns || found.to_ns <= map->first_ns) &&
	       find_block(place, MEMPHIS_BLOCKS_MAP, candidate, &found);
}

/*
 * Finds the owner of the place. If several owners contain the place, finds the innermost one. Returns 0 or
 * -ENOMEM.
 */
static int find_owner(struct memphis_join *join, const struct place *place, struct candidate *candidate)
{
	const struct memphis_joined_process *joined = place->joined;
	const struct memphis_maps *maps = &joined->process->log->maps;
	struct memphis_answer *found = &candidate->found;
	struct memphis_block_answer heap, mapped;
	enum memphis_unattributed reason;
	const struct memphis_map *map;
	uint64_t from_ns, to_ns;
	uint32_t index, mix;
	bool in_heap;
	int rc;

	if (find_part(place, candidate))
		return 0;
	in_heap = find_block(place, MEMPHIS_BLOCKS_HEAP, candidate, &heap);
	/* Libraries that were loaded at run time (dlopen) have their thread-local variables in heap blocks. */
	if (joined->tls.count) {
		rc = find_tls(join, place, &heap, candidate);
		if (rc)
			return rc < 0 ? rc : 0;
	}
	if (in_heap || find_block(place, MEMPHIS_BLOCKS_NAMED, candidate, &mapped))
		return 0;
	map = memphis_maps_find(maps, place->address, place->time_ns, &from_ns, &to_ns);
	if (map && map->instance != MEMPHIS_NO_INSTANCE) {
		if (find_program_map(place, map, candidate))
			return 0;
		rc = find_static(join, map, &maps->instances[map->instance], place->address, found);
		if (rc || found->owner.reason != MEMPHIS_MAPPED_FILE) {
			found->from_ns = from_ns;
			found->to_ns = to_ns;
			/* Named memory, or memory that the program mapped, may overlap the object. */
			candidate->whole =
				!may_be_covered(joined) && !joined->blocks.index[MEMPHIS_BLOCKS_MAP].count;
			return rc;
		}
	}
	if (find_on_stack(join->processes, place, found)) {
		candidate->whole = !may_be_covered(joined);
		return 0;
	}
	if (map && map->kind == MEMPHIS_MAP_STACK) {
		set_owner(found, MEMPHIS_OWNER_STACK, MEMPHIS_STACK_FRAME, 0, MEMPHIS_NO_BINARY, 0);
		return 0;
	}
	if (find_block(place, MEMPHIS_BLOCKS_MAP, candidate, &mapped) ||
	    (map && map->instance != MEMPHIS_NO_INSTANCE))
		return 0;
	reason = unowned_reason(joined, map, &heap, &mapped);
	index = map ? (uint32_t)(map - maps->list) : UINT32_MAX;
	mix = memphis_small_blocks_mix(&joined->small, place->address, place->time_ns);
	if (mix == MEMPHIS_NO_MIX)
		set_owner(found, MEMPHIS_OWNER_MAP, reason, place->process, index, 0);
	else
		set_owner(found, MEMPHIS_OWNER_NEAR, reason, place->process, mix, index);
	return 0;
}

int memphis_join_address(struct memphis_join *join, size_t process, uint64_t address, uint64_t time_ns,
			 uint32_t frame, struct memphis_answer *answer)
{
	const struct place place = {&join->list[process], process, address, time_ns, frame};
	const struct memphis_answer here = {
		.low = address, .high = address + 1, .from_ns = time_ns, .to_ns = time_ns + 1};
	struct candidate candidate = {.found = here};
	int rc = find_owner(join, &place, &candidate);

	*answer = candidate.whole ? candidate.found : here;
	answer->owner = candidate.found.owner;
	return rc;
}
