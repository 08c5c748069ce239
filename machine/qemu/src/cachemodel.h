/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that the guest believes in: private L1 and L2 per vCPU, one L3 per node, MSI
 * coherence between them, and which node owns which physical address.
 */
#ifndef TARGET_I386_CACHEMODEL_H
#define TARGET_I386_CACHEMODEL_H

#define CACHE_LINE_SHIFT 6
#define CACHE_LINE_BYTES (1u << CACHE_LINE_SHIFT)

/* Who served an access. */
typedef enum MemLevel {
	MEM_L1,
	MEM_L2,
	MEM_L3,
	MEM_PEER,        /* modified in another CPU's cache, same node */
	MEM_REMOTE_PEER, /* modified in a cache of another node */
	MEM_LOCAL_DRAM,
	MEM_REMOTE_DRAM,
	MEM_OTHER, /* devices, and what is no RAM */
	MEM_LEVELS
} MemLevel;

typedef struct CacheCpu CacheCpu;

/* Once, when the machine is complete. Exits with a message if the configuration can't be. */
void cachemodel_init(const ObserveConfig *config, int cpus);
CacheCpu *cachemodel_cpu_new(int index, int node);
int cachemodel_nodes(void);
/* Node that owns a physical address, or -1 where there is no RAM. */
int cachemodel_home(uint64_t paddr);
/* Is it an L1 hit that changes no state? The common case, without a lock. */
bool cachemodel_hit(CacheCpu *cpu, uint64_t line, bool store);
/* Any other access to one line; store wants it exclusively. home is cachemodel_home()'s answer. */
MemLevel cachemodel_access(CacheCpu *cpu, uint64_t line, bool store, int home);

#endif
