/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact counts: their rows, and the functions that count. The common case of truth_count(), an L1 hit of a load or a store that
 * changes no state, is inline, as it is that of most accesses; what it touches of a row is at its start.
 */
#ifndef TARGET_I386_TRUTH_COUNT_H
#define TARGET_I386_TRUTH_COUNT_H

#include "observe-cpu.h"
#include "truth-table.h"

typedef struct TruthCounts {
	uint64_t all[2], eligible[2]; /* [store] */
} TruthCounts;

/*
 * Numbers of accesses of an instruction that each level served: one row per address space and PC. What most accesses need, which hit in the
 * L1, is on one line of the host's caches.
 */
typedef struct QEMU_ALIGNED(64) PcRow {
	uint64_t space, pc;
	uint32_t who;    /* memory_who(); 0 until it is needed */
	uint32_t page;   /* slot of the instruction's last PageRow */
	uint32_t beyond; /* 1 + index in TruthCpu.beyond; 0: all accesses have hit in the L1 */
	TruthCounts l1;
} PcRow;

/* The same of an instruction for the levels after the L1: of MEM_L1 + 1 first. */
typedef struct TruthBeyond {
	TruthCounts levels[MEM_LEVELS - 1];
} TruthBeyond;

/* Accesses served by DRAM: one row per address space, PC, page and home node. */
typedef struct PageRow {
	uint64_t space, pc, page;
	int64_t home;
	uint64_t all[2], eligible[2]; /* [store] */
} PageRow;

/* The model clock: one row per address space and privilege. */
typedef struct ClockRow {
	uint64_t space, user;
	uint64_t insns, cycles;
	uint64_t loads[MEM_LEVELS], stalls[MEM_LEVELS]; /* stalls: cycles of these loads */
} ClockRow;

#define TRUTH_RECENT 4096u

struct TruthCpu {
	Table pcs, pages, clocks;
	GArray *beyond;              /* of TruthBeyond, for rows of pcs */
	PcRow *recent[TRUTH_RECENT]; /* cache of rows, indexed by PC; invalid after a resize of pcs */
	size_t recent_size;
	ClockRow *recent_clock[2]; /* by privilege; invalid after a resize of clocks */
	size_t recent_clocks_size;
	uint64_t delivered_before; /* samples delivered before the last reset */
};

/* Exact counts are on. */
extern bool truth_counting;

struct TruthCpu *truth_new(void);
/* Sets the counts of a vCPU to 0. */
void truth_clear(struct TruthCpu *t);
/* Returns the counts of a level; zeros, which no one may change, if there are none. */
const TruthCounts *truth_level(const struct TruthCpu *t, const PcRow *row, MemLevel level);
void truth_count(ObserveCpu *cpu, uint64_t space, bool user, uint64_t pc, const ObserveAccess *a,
		 bool eligible);
void truth_clock(ObserveCpu *cpu, uint64_t space, bool user, uint64_t insns, uint64_t cycles);

/* Returns the address space of an instruction's rows. Code of the kernel is the same in all of them and has 0, as rows of each process
 * would be ten times as many. */
static inline uint64_t truth_space(uint64_t space, bool user)
{
	return user ? space : 0;
}

/* Finds or adds a row, and remembers it in the caches above. */
PcRow *truth_find_pc(struct TruthCpu *t, uint64_t space, uint64_t pc);
ClockRow *truth_find_clock(struct TruthCpu *t, uint64_t space, bool user);

static inline PcRow *truth_pc(struct TruthCpu *t, uint64_t space, uint64_t pc)
{
	PcRow *row = t->recent[(pc ^ pc >> 10) % TRUTH_RECENT];

	if (likely(t->recent_size == t->pcs.size && row && row->pc == pc && row->space == space)) {
		return row;
	}
	return truth_find_pc(t, space, pc);
}

static inline ClockRow *truth_clock_row(struct TruthCpu *t, uint64_t space, bool user)
{
	ClockRow *row = t->recent_clock[user];

	if (likely(t->recent_clocks_size == t->clocks.size && row && row->space == space)) {
		return row;
	}
	return truth_find_clock(t, space, user);
}

/* Returns NULL if exact counts need more than the number of the hit; otherwise it is counted by truth_add_hit(). */
static inline PcRow *truth_hit(ObserveCpu *cpu, uint64_t space, uint64_t pc, uint64_t line, bool store)
{
	PcRow *row = truth_pc(cpu->truth, space, pc);

	if (store) {
		if (unlikely(!row->who)) {
			memory_instruction(cpu->cache->memory, space, pc);
			row->who = memory_who(cpu->cache->memory);
		}
		if (!memory_stored_last(line, row->who)) {
			return NULL;
		}
	}
	return row;
}

static inline void truth_add_hit(ObserveCpu *cpu, PcRow *row, uint64_t space, bool user, bool store)
{
	row->l1.all[store]++;
	row->l1.eligible[store] += cpu->hits_eligible;
	if (!store) {
		truth_clock_row(cpu->truth, space, user)->loads[MEM_L1]++;
	}
}

#endif
