/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled memory hierarchy: private L1 and L2 per vCPU, one L3 per node, MSI coherence
 * between them, and the home node of each physical address.
 */
#ifndef TARGET_I386_CACHEMODEL_H
#define TARGET_I386_CACHEMODEL_H

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

typedef struct CacheCpu CacheCpu;

/* Called once, when the machine is complete. Exits with a message if the configuration is invalid. */
void cachemodel_init(const ObserveConfig *config, int cpus);
CacheCpu *cachemodel_cpu_new(int index, int node);
int cachemodel_nodes(void);
/* Node that owns a physical address, or -1 if there is no RAM at this address. */
int cachemodel_home(uint64_t paddr);
/* Returns true if the access is an L1 hit that changes no state, which is the common case. Takes no lock. */
bool cachemodel_hit(CacheCpu *cpu, uint64_t line, bool store);
/* Any other access to one line; a store needs the line exclusively. home: result of cachemodel_home(). */
MemLevel cachemodel_access(CacheCpu *cpu, uint64_t line, bool store, int home);

#endif
