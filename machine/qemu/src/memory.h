/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to the memory of the nodes, in lines: totals by channel of each node's controller while instrumented code runs,
 * and exact counts by instruction and home node while accesses are counted.
 */
#ifndef TARGET_I386_MEMORY_H
#define TARGET_I386_MEMORY_H

/* Channels of the controller of a node, as on Zen 4 and 5 servers; addresses are interleaved by 256 bytes. */
#define MEMORY_CHANNELS 12

/* What an instruction has caused, in lines unless it says bytes. Each of the first three is a line read from memory. */
typedef enum MemoryCount {
	MEMORY_LOAD,     /* by a load */
	MEMORY_STORE,    /* to store into it: read for ownership */
	MEMORY_PREFETCH, /* by a hint */
	MEMORY_DIRTIED,  /* stored into as the first one since the line was clean, or counting began */
	MEMORY_WRITTEN,  /* written back; the instruction is the last one that stored into the line */
	MEMORY_DIRTY,    /* the same, but the line was still in a cache when counting stopped */
	MEMORY_NT_LINES, /* full lines that bypassed the caches */
	MEMORY_NT_PARTS, /* parts of lines that did */
	MEMORY_NT_BYTES, /* bytes of both */
	MEMORY_COUNTS
} MemoryCount;

/* Levels that serve a hint, and the column of hints that have no memory: as in MemLevel. */
#define MEMORY_HINT_LEVELS 8

/* The part of a vCPU. Only this vCPU writes it, except while all are stopped. */
typedef struct MemoryCpu MemoryCpu;

void memory_init(int nodes, uint64_t lines);
MemoryCpu *memory_cpu_new(int index, int node);

/* For exact counts: the instruction that the following calls for this vCPU belong to. */
void memory_instruction(MemoryCpu *m, uint64_t space, uint64_t pc);
/* Returns the number of this instruction, which is not 0. */
uint32_t memory_who(MemoryCpu *m);
/* By line: the instruction that stored into it last. */
extern uint32_t *memory_last_stored;
/* Returns true if this instruction is the last one that stored into the line, so that a further store changes no count. */
static inline bool memory_stored_last(uint64_t line, uint32_t who)
{
	return qatomic_read(&memory_last_stored[line]) == who;
}

/* Called with the line's lock held. */
void memory_read(MemoryCpu *m, uint64_t line, int home, MemoryCount reason);
void memory_stored(MemoryCpu *m, uint64_t line, int home);
void memory_written_back(MemoryCpu *m, uint64_t line, int home);

/* A store that bypassed the caches; the instruction is this vCPU's memory_who() at the time of the store. */
void memory_bypassed(MemoryCpu *m, uint64_t line, int home, unsigned bytes, uint32_t who);
/* A hint, by the level that served it; the last level stands for hints to addresses without memory. */
void memory_hinted(MemoryCpu *m, int level);

/* Lines that the channel of a node has read (or written) since power on. */
uint64_t memory_channel(int node, int channel, bool write);

/* For exact counts, while all vCPUs are stopped. memory_dirty() is called for each modified line before counting ends. */
void memory_start(void);
void memory_dirty(uint64_t line, int home);
void memory_stop(void);
void memory_reset(void);
void memory_write_head(FILE *f, const char *const *levels);
void memory_write(FILE *f);

#endif
