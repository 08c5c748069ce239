/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled memory hierarchy: private L1 and L2 per vCPU, one L3 per node, MSI coherence
 * between them, and the home node of each physical address.
 */
#ifndef TARGET_I386_CACHEMODEL_H
#define TARGET_I386_CACHEMODEL_H

#include "memory.h"

#define CACHE_LINE_SHIFT 6
#define CACHE_LINE_BYTES (1u << CACHE_LINE_SHIFT)

/* Level of the hierarchy that served an access. */
typedef enum MemLevel {
	MEM_L1,
	MEM_L2,
	MEM_L3,
	MEM_PEER,        /* modified in another CPU's cache, same node */
	MEM_REMOTE_PEER, /* modified in a cache of another node */
	MEM_LOCAL_DRAM,
	MEM_REMOTE_DRAM,
	MEM_OTHER, /* devices and holes */
	MEM_LEVELS
} MemLevel;

/* What an access needs. Hints need the line in the L1, in the L2 only, and without copies in other caches. */
typedef enum CacheAccess {
	CACHE_LOAD,
	CACHE_STORE,
	CACHE_PREFETCH_L1,
	CACHE_PREFETCH_L2,
	CACHE_PREFETCH_STORE,
} CacheAccess;

enum { LINE_INVALID, LINE_SHARED, LINE_MODIFIED };

#define PRIVATE_WAYS 8

/* Entry of a private cache: line number << 2 | state. */
typedef struct PrivateCache {
	uint64_t *entries;
	uint64_t set_mask;
	uint8_t *recent; /* per set: most recently used way, written by its vCPU only */
	uint8_t *victim; /* per set: next way to replace */
} PrivateCache;

typedef struct CacheCpu {
	int index, node;
	PrivateCache l1, l2;
	MemoryCpu *memory;
} CacheCpu;

/* Called once, when the machine is complete. Exits with a message if the configuration is invalid. */
void cachemodel_init(const ObserveConfig *config, int cpus);
CacheCpu *cachemodel_cpu_new(int index, int node);
int cachemodel_nodes(void);
/* Node that owns a physical address, or -1 if there is no RAM at this address. */
int cachemodel_home(uint64_t paddr);
/* Returns true if the entry contains the line in a state in which the access is a hit that changes no state. */
static inline bool private_serves(const uint64_t *entry, uint64_t line, bool store)
{
	uint64_t v = qatomic_read(entry);

	return v >> 2 == line && (v & 3) >= (store ? LINE_MODIFIED : LINE_SHARED);
}

static inline uint64_t *private_find(PrivateCache *c, uint64_t line)
{
	uint64_t set = line & c->set_mask;
	uint64_t *e = &c->entries[set * PRIVATE_WAYS];
	int way = c->recent[set];

	if (private_serves(&e[way], line, false)) {
		return &e[way];
	}
	for (way = 0; way < PRIVATE_WAYS; way++) {
		if (private_serves(&e[way], line, false)) {
			c->recent[set] = way;
			return &e[way];
		}
	}
	return NULL;
}

/* Returns true if the access is an L1 hit that changes no state, which is the common case. Takes no lock. */
static inline bool cachemodel_hit(CacheCpu *cpu, uint64_t line, bool store)
{
	uint64_t *e = private_find(&cpu->l1, line);

	return e && private_serves(e, line, store);
}

/* Any other access to one line; a store needs the line exclusively. home: result of cachemodel_home(). */
MemLevel cachemodel_access(CacheCpu *cpu, uint64_t line, CacheAccess access, int home);
/* Writes the line back if a cache has it modified; unless it is kept, drops all copies. */
void cachemodel_clean(CacheCpu *cpu, uint64_t line, bool keep);
/* Drops all lines of all caches, without writing any back, while all vCPUs are stopped. */
void cachemodel_empty(void);
/* Calls the function for each modified line, while all vCPUs are stopped. */
void cachemodel_each_modified(void (*found)(uint64_t line, int home));

#endif
