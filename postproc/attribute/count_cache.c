// SPDX-License-Identifier: BSD-3-Clause
/* The cache in front of the counts, and two caches of attributions: one by instruction and one by page of data. */
#include "attribute/count_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SET_BITS         12
#define WAYS             4    /* slots per set: owners that one instruction alternates between */
#define CACHE_SLOTS      4096 /* slots of each direct-mapped cache; a power of two */
#define CACHE_PAGE_SHIFT 16
#define AT_ONCE          32 /* samples whose sets are prefetched before the first sample is counted */

/*
 * The samples of one cell: one instruction, access, region and owner. The first cache line contains all members that decide whether a
 * sample belongs to the slot; the second contains the sums, the third the rest of the key.
 */
struct slot {
	uint64_t pc;
	/* Data addresses and times that are known to belong to the owner of the slot. */
	uint64_t low, high, from_ns, to_ns;
	struct memphis_access access;
	uint32_t region, callers;
	uint32_t code;

	struct memphis_measure measure __attribute__((aligned(64))); /* without accesses and doubt */

	uint64_t vaddr;
	struct memphis_owner owner;
} __attribute__((aligned(64)));

static const struct memphis_measure no_samples = {.low = UINT64_MAX};

/* The binary and link-time address of an instruction. */
struct cached_code {
	uint64_t pc, vaddr;
	uint64_t from_ns, to_ns; /* to_ns is 0 if the slot is empty */
	uint32_t code;
};

struct memphis_count_cache_tables {
	struct slot sets[1 << SET_BITS][WAYS];
	struct cached_code codes[CACHE_SLOTS];
	struct memphis_answer pages[CACHE_SLOTS];
	unsigned int next_way; /* slot to evict next, round robin */
};

int memphis_count_cache_open(struct memphis_count_cache *cache, struct memphis_join *join,
			     struct memphis_counts *counts, struct memphis_examples *examples)
{
	*cache = (struct memphis_count_cache){join, counts, examples, 0, 0, NULL};
	cache->tables = aligned_alloc(_Alignof(struct memphis_count_cache_tables), sizeof(*cache->tables));
	if (!cache->tables)
		return -ENOMEM;
	memset(cache->tables, 0, sizeof(*cache->tables));
	return 0;
}

void memphis_count_cache_close(struct memphis_count_cache *cache)
{
	free(cache->tables);
	cache->tables = NULL;
}

/* Adds the counts of the slot to the hash table and resets them; the key of the slot stays valid. */
static int flush_slot(struct memphis_count_cache *cache, struct slot *slot)
{
	const struct memphis_joined_process *joined = &cache->join->list[cache->process];
	struct memphis_count sum = {
		.key = {.pc = slot->vaddr,
			.code = slot->code,
			.owner = slot->owner,
			.region = slot->region,
			.access = slot->access,
			.callers = slot->callers},
		.measure = slot->measure,
	};

	if (!slot->measure.count)
		return 0;
	sum.measure.accesses = sum.measure.count * joined->stands_for;
	if (cache->join->selection->by_thread)
		sum.key.thread = joined->first_thread + (uint32_t)cache->thread;
	slot->measure = no_samples;
	return memphis_counts_add(cache->counts, &sum);
}

int memphis_count_cache_flush(struct memphis_count_cache *cache)
{
	struct slot *slot = cache->tables->sets[0], *end = slot + sizeof(cache->tables->sets) / sizeof(*slot);
	int rc = 0;

	for (; !rc && slot < end; slot++)
		rc = flush_slot(cache, slot);
	return rc;
}

int memphis_count_cache_begin(struct memphis_count_cache *cache, size_t process, size_t thread)
{
	bool other = process != cache->process;
	int rc = 0;

	/* Cached addresses are valid in one process only, and slots in one thread only if threads are counted separately. */
	if (other || (cache->join->selection->by_thread && thread != cache->thread))
		rc = memphis_count_cache_flush(cache);
	if (other)
		memset(cache->tables, 0, sizeof(*cache->tables));
	cache->process = process;
	cache->thread = thread;
	return rc;
}

static const struct cached_code *find_code(struct memphis_count_cache *cache, const struct memphis_seen *seen)
{
	struct cached_code *cached = &cache->tables->codes[(seen->pc ^ seen->pc >> 12) & (CACHE_SLOTS - 1)];

	if (cached->pc != seen->pc || seen->time_ns < cached->from_ns || seen->time_ns >= cached->to_ns) {
		cached->code =
			memphis_maps_code(&cache->join->list[cache->process].process->maps, seen->pc,
					  seen->time_ns, &cached->vaddr, &cached->from_ns, &cached->to_ns);
		cached->pc = seen->pc;
	}
	return cached;
}

/* Returns the owner of the sample's data address, from the cache if possible; NULL if memory is exhausted. */
static const struct memphis_answer *find_owner(struct memphis_count_cache *cache,
					       const struct memphis_seen *seen)
{
	struct memphis_answer *answer =
		&cache->tables->pages[seen->address >> CACHE_PAGE_SHIFT & (CACHE_SLOTS - 1)];

	if (seen->address >= answer->low && seen->address < answer->high &&
	    seen->time_ns >= answer->from_ns && seen->time_ns < answer->to_ns)
		return answer;
	if (!memphis_join_address(cache->join, cache->process, seen->address, seen->time_ns, answer))
		return answer;
	memset(answer, 0, sizeof(*answer));
	return NULL;
}

static void keep_example(struct memphis_count_cache *cache, const struct memphis_seen *seen,
			 const struct cached_code *code, const struct memphis_owner *owner)
{
	const struct memphis_joined_process *joined = &cache->join->list[cache->process];
	const struct memphis_example example = {
		.since_ns = seen->time_ns > joined->start_ns ? seen->time_ns - joined->start_ns : 0,
		.pid = joined->process->pid,
		.tid = joined->process->threads[cache->thread].tid,
		.thread = joined->first_thread + (uint32_t)cache->thread,
		.code = code->code,
		.pc = code->vaddr,
		.address = seen->address,
		.owner = *owner,
	};

	memphis_examples_add(cache->examples, owner->reason, &example);
}

static inline bool same_access(const struct memphis_access *a, const struct memphis_access *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Returns whether the sample belongs to the cell of the slot. */
static bool same_cell(const struct slot *slot, const struct memphis_seen *seen,
		      const struct cached_code *code, const struct memphis_owner *owner)
{
	return slot->pc == seen->pc && slot->vaddr == code->vaddr && slot->code == code->code &&
	       slot->region == seen->region && slot->callers == seen->callers &&
	       same_access(&slot->access, &seen->access) && !memcmp(&slot->owner, owner, sizeof(*owner));
}

/*
 * Slow path, used if no slot of the set covers the sample: attributes the sample and finds or evicts a slot. Returns NULL if memory is
 * exhausted.
 */
static __attribute__((noinline)) struct slot *look_up_slot(struct memphis_count_cache *cache,
							   struct slot *set, const struct memphis_seen *seen)
{
	const struct cached_code *code = find_code(cache, seen);
	const struct memphis_answer *answer = find_owner(cache, seen);
	unsigned int way;
	struct slot *slot;

	if (!answer)
		return NULL;
	for (way = 0; way < WAYS && !same_cell(&set[way], seen, code, &answer->owner); way++)
		;
	if (way == WAYS) {
		for (way = 0; way < WAYS && set[way].measure.count; way++)
			;
		slot = &set[way < WAYS ? way : cache->tables->next_way++ % WAYS];
		if (flush_slot(cache, slot))
			return NULL;
		*slot = (struct slot){.pc = seen->pc,
				      .access = seen->access,
				      .region = seen->region,
				      .callers = seen->callers,
				      .measure = no_samples,
				      .vaddr = code->vaddr,
				      .code = code->code,
				      .owner = answer->owner};
	} else {
		slot = &set[way];
	}
	slot->low = answer->low;
	slot->high = answer->high;
	slot->from_ns = answer->from_ns > code->from_ns ? answer->from_ns : code->from_ns;
	slot->to_ns = answer->to_ns < code->to_ns ? answer->to_ns : code->to_ns;
	if (answer->owner.reason != MEMPHIS_ATTRIBUTED) {
		/*
		 * Any sample without a variable may become an example. Invalidating the slot's times sends all such samples through this
		 * slow path.
		 */
		slot->to_ns = 0;
		keep_example(cache, seen, code, &answer->owner);
	}
	return slot;
}

static inline struct slot *set_of(struct memphis_count_cache *cache, const struct memphis_seen *seen)
{
	uint64_t access;

	_Static_assert(sizeof(access) == sizeof(seen->access), "an access is hashed as one word");
	memcpy(&access, &seen->access, sizeof(access));
	access = (seen->pc ^ access * 0x9e3779b97f4a7c15ULL ^ (uint64_t)seen->region << 32 ^
		  (uint64_t)seen->callers << 40) *
		 0xff51afd7ed558ccdULL;
	return cache->tables->sets[access >> (64 - SET_BITS)];
}

static inline bool takes(const struct slot *slot, const struct memphis_seen *seen)
{
	return slot->pc == seen->pc && seen->address >= slot->low && seen->address < slot->high &&
	       seen->time_ns >= slot->from_ns && seen->time_ns < slot->to_ns &&
	       same_access(&slot->access, &seen->access) && slot->region == seen->region &&
	       slot->callers == seen->callers;
}

static inline int add(struct memphis_count_cache *cache, struct slot *set, const struct memphis_seen *seen)
{
	struct memphis_measure *sum;
	struct slot *slot = set;

	while (slot < set + WAYS && !takes(slot, seen))
		slot++;
	if (slot == set + WAYS) {
		slot = look_up_slot(cache, set, seen);
		if (!slot)
			return -ENOMEM;
	}
	sum = &slot->measure;
	sum->count++;
	sum->latency_cycles += seen->latency_cycles;
	sum->latency_squares += (uint64_t)seen->latency_cycles * seen->latency_cycles;
	if (seen->latency_cycles > sum->latency_max_cycles)
		sum->latency_max_cycles = seen->latency_cycles;
	if (seen->address < sum->low)
		sum->low = seen->address;
	if (seen->address > sum->high)
		sum->high = seen->address;
	return 0;
}

int memphis_count_cache_add(struct memphis_count_cache *cache, const struct memphis_seen *list, size_t count)
{
	struct slot *sets[AT_ONCE];
	size_t some, i;
	int rc = 0;

	for (; !rc && count; list += some, count -= some) {
		some = count < AT_ONCE ? count : AT_ONCE;
		for (i = 0; i < some; i++) {
			sets[i] = set_of(cache, &list[i]);
			__builtin_prefetch(sets[i], 1);
			__builtin_prefetch((char *)sets[i] + 64, 1);
		}
		for (i = 0; !rc && i < some; i++)
			rc = add(cache, sets[i], &list[i]);
	}
	return rc;
}
