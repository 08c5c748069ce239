/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cache model: private L1 and L2 per vCPU, and one inclusive L3 per node, which is also the
 * directory of its CPUs' copies; MSI between nodes. Home nodes come from the machine's NUMA map.
 * A modified line is written to memory when its node's L3 evicts it, when another node loads it,
 * and when an instruction bypasses or flushes the caches. Among the CPUs of a node, and when another
 * node stores into it, it stays modified.
 *
 * Locking: hits that change no state read the private arrays without a lock, and write only
 * the replacement hints of their vCPU. Every change of state, including changes of a vCPU's
 * own entries, holds a lock; otherwise a fill in progress could undo an invalidation by
 * another vCPU, and modified lines would never be found in a peer's cache. There is one
 * lock per stripe of lines: lines that share a set in any cache share the stripe, so the
 * same lock protects all lines that an access evicts.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/memalign.h"
#include "qemu/thread.h"
#include "cpu.h"
#include "hw/boards.h"
#include "hw/i386/x86.h"
#include "system/numa.h"
#include "cachemodel.h"

#define L3_WAYS     16
#define NO_OWNER    -1
#define STRIPES_MAX 64

typedef struct L3Entry {
	uint64_t sharers; /* CPUs whose L2 contains the line */
	uint32_t stamp;   /* of the last use, for LRU replacement */
	int16_t owner;    /* CPU with the line modified, or NO_OWNER */
	uint8_t state;    /* LINE_*, of the node as a whole */
} L3Entry;

/* A look-up touches one line of the host for each set, as the line numbers are apart from the entries. */
typedef struct L3Set {
	uint32_t lines[L3_WAYS] QEMU_ALIGNED(CACHE_LINE_BYTES);
	L3Entry entries[L3_WAYS];
} L3Set;

typedef struct L3Cache {
	L3Set *sets;
	uint32_t clocks[STRIPES_MAX]; /* one per stripe, as only stamps in the same set are compared */
} L3Cache;

typedef struct RamRange {
	uint64_t begin, end;
	int node;
} RamRange;

static QemuMutex stripe_locks[STRIPES_MAX];
static uint64_t stripe_mask;
static CacheCpu *cache_cpus[64];
static L3Cache *l3_caches;
static uint64_t l3_set_mask;
static uint64_t l1_sets, l2_sets;
static int node_count = 1;
static RamRange *ram_ranges;
static int ram_range_count;
static uint64_t ram_end;

/* ---- configuration ---- */

static uint64_t sets_of(const char *property, uint32_t kib, int ways)
{
	uint64_t sets = (uint64_t)kib * 1024 / CACHE_LINE_BYTES / ways;

	if (!sets || !is_power_of_2(sets) || sets * ways * CACHE_LINE_BYTES != (uint64_t)kib * 1024) {
		error_report(
			"-cpu property %s=%u: a cache of %d ways and %u byte lines needs a power of two of sets; take a power of two of KiB",
			property, kib, ways, CACHE_LINE_BYTES);
		exit(1);
	}
	return sets;
}

/* Guest RAM is in node order from address 0; a hole below 4 GiB shifts the part above it. */
static void map_ram(uint64_t offset, uint64_t bytes, int node, const X86MachineState *x86ms)
{
	uint64_t low = x86ms->below_4g_mem_size;
	uint64_t part;

	if (offset < low && bytes) {
		part = MIN(bytes, low - offset);
		ram_ranges[ram_range_count++] = (RamRange){offset, offset + part, node};
		offset += part;
		bytes -= part;
	}
	if (bytes) {
		uint64_t begin = offset - low + x86ms->above_4g_mem_start;

		ram_ranges[ram_range_count++] = (RamRange){begin, begin + bytes, node};
		if ((begin + bytes - 1) >> CACHE_LINE_SHIFT > UINT32_MAX) {
			error_report(
				"the cache model supports RAM at addresses below 256 GiB: use a smaller -m");
			exit(1);
		}
	}
}

static void map_nodes(void)
{
	const MachineState *ms = current_machine;
	const X86MachineState *x86ms = X86_MACHINE(ms);
	uint64_t offset = 0;
	int node, i;

	if (ms->numa_state && ms->numa_state->num_nodes) {
		node_count = ms->numa_state->num_nodes;
	}
	ram_ranges = g_new0(RamRange, 2 * node_count);
	for (node = 0; node < node_count; node++) {
		uint64_t bytes = node_count == 1 ? ms->ram_size : ms->numa_state->nodes[node].node_mem;

		map_ram(offset, bytes, node, x86ms);
		offset += bytes;
	}
	for (i = 0; i < ram_range_count; i++) {
		ram_end = MAX(ram_end, ram_ranges[i].end);
	}
}

void cachemodel_init(const ObserveConfig *config, int cpus)
{
	uint64_t l3_sets = sets_of("model-l3", config->l3_kib, L3_WAYS);
	int node, stripe;

	l1_sets = sets_of("model-l1", config->l1_kib, PRIVATE_WAYS);
	l2_sets = sets_of("model-l2", config->l2_kib, PRIVATE_WAYS);
	if (config->l1_kib > config->l2_kib || config->l2_kib > config->l3_kib) {
		error_report(
			"-cpu properties model-l1, model-l2, model-l3: each cache must be at least as large as the one before it (%u, %u, %u KiB)",
			config->l1_kib, config->l2_kib, config->l3_kib);
		exit(1);
	}
	if (cpus > (int)ARRAY_SIZE(cache_cpus)) {
		error_report(
			"the cache model supports at most %zu CPUs, this machine may have %d: use a smaller -smp maxcpus",
			ARRAY_SIZE(cache_cpus), cpus);
		exit(1);
	}
	/* All numbers of sets are powers of two, and an L2 has at least as many sets as an L1. */
	stripe_mask = MIN(MIN(l1_sets, l3_sets), STRIPES_MAX) - 1;
	for (stripe = 0; stripe < STRIPES_MAX; stripe++) {
		qemu_mutex_init(&stripe_locks[stripe]);
	}
	map_nodes();
	memory_init(node_count, ram_end >> CACHE_LINE_SHIFT);
	l3_set_mask = l3_sets - 1;
	l3_caches = g_new0(L3Cache, node_count);
	for (node = 0; node < node_count; node++) {
		l3_caches[node].sets = qemu_memalign(CACHE_LINE_BYTES, l3_sets * sizeof(L3Set));
		memset(l3_caches[node].sets, 0, l3_sets * sizeof(L3Set));
	}
}

static void private_init(PrivateCache *c, uint64_t sets)
{
	c->entries = g_new0(uint64_t, sets * PRIVATE_WAYS);
	c->recent = g_new0(uint8_t, sets);
	c->victim = g_new0(uint8_t, sets);
	c->set_mask = sets - 1;
}

CacheCpu *cachemodel_cpu_new(int index, int node)
{
	CacheCpu *cpu = g_new0(CacheCpu, 1);

	cpu->index = index;
	cpu->node = node;
	cpu->memory = memory_cpu_new(index, node);
	private_init(&cpu->l1, l1_sets);
	private_init(&cpu->l2, l2_sets);
	qatomic_set(&cache_cpus[index], cpu);
	return cpu;
}

int cachemodel_nodes(void)
{
	return node_count;
}

int cachemodel_home(uint64_t paddr)
{
	int i;

	for (i = 0; i < ram_range_count; i++) {
		if (paddr >= ram_ranges[i].begin && paddr < ram_ranges[i].end) {
			return ram_ranges[i].node;
		}
	}
	return -1;
}

/* ---- private caches ---- */

static void private_set_state(PrivateCache *c, uint64_t line, int state)
{
	uint64_t *e = &c->entries[(line & c->set_mask) * PRIVATE_WAYS];
	int way;

	/* Do not call private_find(), which would write the replacement hints of another vCPU. */
	for (way = 0; way < PRIVATE_WAYS; way++) {
		if ((e[way] >> 2) == line && (e[way] & 3)) {
			qatomic_set(&e[way], state ? line << 2 | state : 0);
			return;
		}
	}
}

/* Insert a line; returns the evicted entry, or 0. */
static uint64_t private_fill(PrivateCache *c, uint64_t line, int state)
{
	uint64_t set = line & c->set_mask;
	uint64_t *e = &c->entries[set * PRIVATE_WAYS];
	uint64_t old;
	int way;

	for (way = 0; way < PRIVATE_WAYS && (e[way] & 3); way++) {
	}
	if (way == PRIVATE_WAYS) {
		/* Round robin, except for the most recently used way. */
		way = c->victim[set];
		if (way == c->recent[set]) {
			way = (way + 1) % PRIVATE_WAYS;
		}
		c->victim[set] = (way + 1) % PRIVATE_WAYS;
	}
	old = e[way];
	qatomic_set(&e[way], line << 2 | state);
	c->recent[set] = way;
	return old & 3 ? old : 0;
}

static void private_empty(PrivateCache *c)
{
	memset(c->entries, 0, (c->set_mask + 1) * PRIVATE_WAYS * sizeof(*c->entries));
}

static void cpu_set_state(int index, uint64_t line, int state)
{
	private_set_state(&cache_cpus[index]->l1, line, state);
	private_set_state(&cache_cpus[index]->l2, line, state);
}

/* ---- L3 ---- */

static L3Entry *l3_find(int node, uint64_t line)
{
	L3Set *set = &l3_caches[node].sets[line & l3_set_mask];
	int way;

	for (way = 0; way < L3_WAYS; way++) {
		if (set->lines[way] == line && set->entries[way].state) {
			return &set->entries[way];
		}
	}
	return NULL;
}

static void l3_drop_sharers(L3Entry *e, uint64_t line, int except)
{
	uint64_t sharers = e->sharers;

	while (sharers) {
		int cpu = ctz64(sharers);

		sharers &= sharers - 1;
		if (cpu != except) {
			cpu_set_state(cpu, line, LINE_INVALID);
		}
	}
	e->sharers &= except < 0 ? 0 : 1ull << except;
	if (e->owner != except) {
		e->owner = NO_OWNER;
	}
}

/* The line leaves the state "modified": called by the CPU whose access is the reason. */
static void write_back(CacheCpu *cpu, uint64_t line)
{
	memory_written_back(cpu->memory, line, cachemodel_home(line << CACHE_LINE_SHIFT));
}

static L3Entry *l3_fill(CacheCpu *cpu, uint64_t line)
{
	int node = cpu->node;
	L3Set *set = &l3_caches[node].sets[line & l3_set_mask];
	uint32_t now = l3_caches[node].clocks[line & stripe_mask];
	L3Entry *victim = &set->entries[0];
	uint64_t best = 0;
	int way;

	/*
	 * LRU, but a line in a private cache is evicted only if there is no other line: hits in
	 * L1 and L2 do not update the stamp, so that hot lines appear old. Empty entries come first.
	 * The loop has no branches, as they could not be predicted.
	 */
	for (way = 0; way < L3_WAYS; way++) {
		L3Entry *e = &set->entries[way];
		uint64_t rank =
			(uint64_t)!e->state << 33 | (uint64_t)!e->sharers << 32 | (uint32_t)(now - e->stamp);
		bool better = rank > best;

		victim = better ? e : victim;
		best = better ? rank : best;
	}
	/* The L3 is inclusive: evict the line from the node's private caches as well. */
	if (victim->state) {
		l3_drop_sharers(victim, set->lines[victim - set->entries], -1);
	}
	if (victim->state == LINE_MODIFIED) {
		write_back(cpu, set->lines[victim - set->entries]);
	}
	set->lines[victim - set->entries] = line;
	*victim = (L3Entry){.owner = NO_OWNER, .state = LINE_SHARED};
	return victim;
}

/* Make other nodes share (load) or invalidate (store) the line. Returns true if a node had it modified. */
static bool other_nodes_yield(CacheCpu *cpu, uint64_t line, bool store)
{
	bool modified = false;
	int other;

	for (other = 0; other < node_count; other++) {
		L3Entry *e = other == cpu->node ? NULL : l3_find(other, line);

		if (!e) {
			continue;
		}
		modified |= e->state == LINE_MODIFIED;
		if (store) {
			l3_drop_sharers(e, line, -1);
			e->state = LINE_INVALID;
		} else if (e->state == LINE_MODIFIED) {
			if (e->owner != NO_OWNER) {
				cpu_set_state(e->owner, line, LINE_SHARED);
			}
			e->owner = NO_OWNER;
			e->state = LINE_SHARED;
			write_back(cpu, line);
		}
	}
	return modified;
}

/* Updates the directory after the line was evicted from this CPU's L2. */
static void l2_evicted(CacheCpu *cpu, uint64_t entry)
{
	uint64_t line = entry >> 2;
	L3Entry *e = l3_find(cpu->node, line);

	private_set_state(&cpu->l1, line, LINE_INVALID);
	if (e) {
		e->sharers &= ~(1ull << cpu->index);
		if (e->owner == cpu->index) {
			e->owner = NO_OWNER;
		}
	}
}

/* ---- an access ---- */

static const MemoryCount read_reasons[] = {
	[CACHE_LOAD] = MEMORY_LOAD,
	[CACHE_STORE] = MEMORY_STORE,
	[CACHE_PREFETCH_L1] = MEMORY_PREFETCH,
	[CACHE_PREFETCH_L2] = MEMORY_PREFETCH,
	[CACHE_PREFETCH_STORE] = MEMORY_PREFETCH,
};

static MemLevel l3_access(CacheCpu *cpu, uint64_t line, CacheAccess access, int home, L3Entry **entry)
{
	L3Entry *e = l3_find(cpu->node, line);
	bool store = access == CACHE_STORE;
	MemLevel level;

	if (!e) {
		if (other_nodes_yield(cpu, line, store)) {
			level = MEM_REMOTE_PEER;
		} else {
			level = home == cpu->node ? MEM_LOCAL_DRAM : MEM_REMOTE_DRAM;
			memory_read(cpu->memory, line, home, read_reasons[access]);
		}
		*entry = l3_fill(cpu, line);
		return level;
	}
	*entry = e;
	if (e->owner != NO_OWNER && e->owner != cpu->index) {
		if (!store) {
			cpu_set_state(e->owner, line, LINE_SHARED);
			e->owner = NO_OWNER;
		}
		return MEM_PEER;
	}
	return MEM_L3;
}

static MemLevel access_locked(CacheCpu *cpu, uint64_t line, CacheAccess access, int home)
{
	uint64_t *in_l1 = private_find(&cpu->l1, line);
	uint64_t *in_l2 = private_find(&cpu->l2, line);
	MemLevel level = in_l1 ? MEM_L1 : MEM_L2;
	bool store = access == CACHE_STORE;
	L3Entry *e = NULL;
	uint64_t old;
	int state;

	if (!in_l2) {
		level = l3_access(cpu, line, access, home, &e);
		e->sharers |= 1ull << cpu->index;
	} else if ((store || access == CACHE_PREFETCH_STORE) && (*in_l2 & 3) != LINE_MODIFIED) {
		e = l3_find(cpu->node, line);
	}
	if (e) {
		e->stamp = ++l3_caches[cpu->node].clocks[line & stripe_mask];
	}
	if (store && e) {
		if (e->state != LINE_MODIFIED) {
			other_nodes_yield(cpu, line, true);
		}
		l3_drop_sharers(e, line, cpu->index);
		e->owner = cpu->index;
		e->state = LINE_MODIFIED;
	} else if (access == CACHE_PREFETCH_STORE && e) {
		/* The other copies are dropped, as for a store, but the line is not modified yet. */
		other_nodes_yield(cpu, line, true);
		l3_drop_sharers(e, line, cpu->index);
	}
	if (store) {
		memory_stored(cpu->memory, line, home);
	}
	state = store ? LINE_MODIFIED : in_l2 ? (int)(*in_l2 & 3) : LINE_SHARED;
	if (in_l2) {
		qatomic_set(in_l2, line << 2 | state);
	} else {
		old = private_fill(&cpu->l2, line, state);
		if (old) {
			l2_evicted(cpu, old);
		}
	}
	if (in_l1) {
		qatomic_set(in_l1, line << 2 | state);
	} else if (access != CACHE_PREFETCH_L2) {
		private_fill(&cpu->l1, line, state);
	}
	return level;
}

/* Starts loading from the host's memory what a miss needs, so that it is not loaded piece by piece. */
static void prefetch(const CacheCpu *cpu, uint64_t line)
{
	const L3Set *own = &l3_caches[cpu->node].sets[line & l3_set_mask];
	int node, way;

	__builtin_prefetch(&cpu->l2.entries[(line & cpu->l2.set_mask) * PRIVATE_WAYS]);
	for (node = 0; node < node_count; node++) {
		__builtin_prefetch(l3_caches[node].sets[line & l3_set_mask].lines);
	}
	for (way = 0; way < L3_WAYS; way += CACHE_LINE_BYTES / sizeof(L3Entry)) {
		__builtin_prefetch(&own->entries[way]);
	}
}

MemLevel cachemodel_access(CacheCpu *cpu, uint64_t line, CacheAccess access, int home)
{
	QemuMutex *lock = &stripe_locks[line & stripe_mask];
	MemLevel level;

	prefetch(cpu, line);
	qemu_mutex_lock(lock);
	level = access_locked(cpu, line, access, home);
	qemu_mutex_unlock(lock);
	return level;
}

void cachemodel_clean(CacheCpu *cpu, uint64_t line, bool keep)
{
	QemuMutex *lock = &stripe_locks[line & stripe_mask];
	int node;

	qemu_mutex_lock(lock);
	for (node = 0; node < node_count; node++) {
		L3Entry *e = l3_find(node, line);

		if (!e) {
			continue;
		}
		if (e->state == LINE_MODIFIED) {
			write_back(cpu, line);
			e->state = LINE_SHARED;
		}
		if (!keep) {
			l3_drop_sharers(e, line, -1);
			e->state = LINE_INVALID;
		} else if (e->owner != NO_OWNER) {
			cpu_set_state(e->owner, line, LINE_SHARED);
			e->owner = NO_OWNER;
		}
	}
	qemu_mutex_unlock(lock);
}

void cachemodel_empty(void)
{
	int node, i;

	for (i = 0; i < (int)ARRAY_SIZE(cache_cpus); i++) {
		if (cache_cpus[i]) {
			private_empty(&cache_cpus[i]->l1);
			private_empty(&cache_cpus[i]->l2);
		}
	}
	for (node = 0; node < node_count; node++) {
		memset(l3_caches[node].sets, 0, (l3_set_mask + 1) * sizeof(L3Set));
	}
}

void cachemodel_each_modified(void (*found)(uint64_t line, int home))
{
	uint64_t set;
	int node, way;

	for (node = 0; node < node_count; node++) {
		for (set = 0; set <= l3_set_mask; set++) {
			const L3Set *s = &l3_caches[node].sets[set];

			for (way = 0; way < L3_WAYS; way++) {
				if (s->entries[way].state == LINE_MODIFIED) {
					found(s->lines[way],
					      cachemodel_home((uint64_t)s->lines[way] << CACHE_LINE_SHIFT));
				}
			}
		}
	}
}
