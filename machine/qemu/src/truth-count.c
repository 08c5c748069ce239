/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact counts of every access and of the model clock. Each vCPU has hash tables of its own, which only this vCPU writes. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "truth-count.h"

bool truth_counting;

struct TruthCpu *truth_new(void)
{
	struct TruthCpu *t = g_new0(struct TruthCpu, 1);

	table_init(&t->pcs, sizeof(PcRow), offsetof(PcRow, who));
	table_init(&t->pages, sizeof(PageRow), offsetof(PageRow, all));
	table_init(&t->clocks, sizeof(ClockRow), offsetof(ClockRow, insns));
	t->beyond = g_array_new(false, true, sizeof(TruthBeyond));
	return t;
}

void truth_clear(struct TruthCpu *t)
{
	table_clear(&t->pcs);
	table_clear(&t->pages);
	table_clear(&t->clocks);
	g_array_set_size(t->beyond, 0);
	t->recent_size = 0;
	t->recent_clocks_size = 0;
}

const TruthCounts *truth_level(const struct TruthCpu *t, const PcRow *row, MemLevel level)
{
	static const TruthCounts none;

	if (level == MEM_L1) {
		return &row->l1;
	}
	return row->beyond ? &g_array_index(t->beyond, TruthBeyond, row->beyond - 1).levels[level - 1]
			   : &none;
}

/* The same for counting: adds the counts if there are none. */
static TruthCounts *add_level(struct TruthCpu *t, PcRow *row, MemLevel level)
{
	if (level != MEM_L1 && !row->beyond) {
		g_array_set_size(t->beyond, t->beyond->len + 1);
		row->beyond = t->beyond->len;
	}
	return (TruthCounts *)truth_level(t, row, level);
}

PcRow *truth_find_pc(struct TruthCpu *t, uint64_t space, uint64_t pc)
{
	const uint64_t key[] = {space, pc};
	PcRow *row = table_row(&t->pcs, key);

	if (t->recent_size != t->pcs.size) {
		memset(t->recent, 0, sizeof(t->recent));
		t->recent_size = t->pcs.size;
	}
	t->recent[(pc ^ pc >> 10) % TRUTH_RECENT] = row;
	return row;
}

ClockRow *truth_find_clock(struct TruthCpu *t, uint64_t space, bool user)
{
	const uint64_t key[] = {space, user};
	ClockRow *row = table_row(&t->clocks, key);

	if (t->recent_clocks_size != t->clocks.size) {
		memset(t->recent_clock, 0, sizeof(t->recent_clock));
		t->recent_clocks_size = t->clocks.size;
	}
	t->recent_clock[user] = row;
	return row;
}

static void count_one(ObserveCpu *cpu, uint64_t space, uint64_t pc, const ObserveAccess *a, MemLevel level,
		      bool store, bool eligible)
{
	const uint64_t key[] = {space, pc, a->vaddr & TARGET_PAGE_MASK, a->home};
	PcRow *row = truth_pc(cpu->truth, space, pc);
	TruthCounts *counts = add_level(cpu->truth, row, level);
	PageRow *page;

	counts->all[store]++;
	counts->eligible[store] += eligible;
	if (level == MEM_LOCAL_DRAM || level == MEM_REMOTE_DRAM) {
		page = table_row_near(&cpu->truth->pages, key, &row->page);
		page->all[store]++;
		page->eligible[store] += eligible;
	}
}

void truth_clock(ObserveCpu *cpu, uint64_t space, bool user, uint64_t insns, uint64_t cycles)
{
	ClockRow *row = truth_clock_row(cpu->truth, space, user);

	row->insns += insns;
	row->cycles += cycles;
}

void truth_count(ObserveCpu *cpu, uint64_t space, bool user, uint64_t pc, const ObserveAccess *a,
		 bool eligible)
{
	ClockRow *row = truth_clock_row(cpu->truth, space, user);

	row->loads[a->level] += a->load;
	row->stalls[a->level] += a->level == MEM_L1 || !a->load ? 0 : a->latency;
	space = truth_space(space, user);
	if (!a->load || !a->store) {
		count_one(cpu, space, pc, a, a->level, a->store, eligible);
		return;
	}
	/* A locked read-modify-write: its load fetched the line, and its store hit in L1. */
	count_one(cpu, space, pc, a, a->level, false, eligible);
	count_one(cpu, space, pc, a, a->io ? MEM_OTHER : MEM_L1, true, eligible);
}
