/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observation, for the insertions in QEMU's own files. Every function here is cheap, or is not called,
 * while nothing is observed.
 */
#ifndef TARGET_I386_OBSERVE_H
#define TARGET_I386_OBSERVE_H

#include "exec/memop.h"
#include "exec/memopidx.h"
#include "exec/mmu-access-type.h"
#include "tcg/observe-kind.h"

/* Softmmu: stores the physical address of the access just made; false if its TLB entry has been evicted. */
bool observe_translate(CPUState *cs, uint64_t vaddr, unsigned mmu_idx, bool store, uint64_t *paddr, bool *io);

/* Softmmu: stores the physical address, for which no access has been made; false if it is none of RAM. Faults are dropped. */
bool observe_look_up(CPUX86State *env, uint64_t vaddr, unsigned mmu_idx, uint64_t *paddr);

/* Run the next instruction alone in a TB, uncounted, and without an interrupt before it. */
void observe_run_one(CPUState *cs);
/* Run at most this number of instructions in the next TB. */
void observe_run(CPUState *cs, int insns);

/* Called when QEMU flushes TLB entries of the vCPU: forgets the physical addresses of its lines. */
void observe_flush(CPUState *cs);

void observe_access(CPUX86State *env, uint64_t vaddr, uint32_t info);
void observe_block_slow(CPUX86State *env, uint64_t vaddr, unsigned size, bool store, int mmu_idx);

/* Observe an access that a helper function makes instead of translated code. */
static inline void observe_helper_access(CPUX86State *env, uint64_t vaddr, uint32_t oi, uint32_t kind)
{
	if (unlikely(env->observe.tb_flag)) {
		observe_access(env, vaddr, oi | kind);
	}
}

/* Observe accesses through host pointers (XSAVE and similar), line by line when QEMU prepares them. */
static inline void observe_block(CPUX86State *env, uint64_t vaddr, unsigned size, MMUAccessType type,
				 int mmu_idx)
{
	if (unlikely(env->observe.tb_flag)) {
		observe_block_slow(env, vaddr, size, type == MMU_DATA_STORE, mmu_idx);
	}
}

/*
 * Called when an instruction leaves its TB early: takes back the count of the instructions that have not started.
 * insns: their number, and the current instruction.
 */
void observe_leave_tb(CPUState *cs, const TranslationBlock *tb, int insns);

/*
 * Called before an interrupt, exception or trap is delivered. fault: by an instruction, which is not completed. resumes: before
 * an instruction that has not started, and runs with EFLAGS.RF when the interrupt is over.
 */
void observe_interrupt_slow(CPUX86State *env, bool fault, bool resumes);
static inline void observe_interrupt(CPUX86State *env, bool fault, bool resumes)
{
	if (unlikely(env->observe.tb_flag)) {
		observe_interrupt_slow(env, fault, resumes);
	}
}

/* Return true if the MSR belongs to the emulation; observe_rdmsr() then stores its value in *val. */
bool observe_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool observe_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);

/* True if the machine has counters, which RDPMC then reads. Constant once the guest runs. */
extern bool observe_counters;

#endif
