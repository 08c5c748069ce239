/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observation of every access, the samplers that stand on it (IBS and PEBS; another PMU can be
 * another table of functions), and the switch that turns instrumented code on and off.
 */
#ifndef TARGET_I386_OBSERVE_H
#define TARGET_I386_OBSERVE_H

#include "cachemodel.h"
#include "observe-hooks.h"

/* One access as samplers see it. */
typedef struct ObserveAccess {
	uint64_t vaddr, paddr;
	unsigned bytes;
	unsigned latency; /* cycles */
	MemLevel level;
	int home; /* node of the memory; -1: none, or not asked (an L1 hit) */
	bool load, store, locked;
	bool io;
	bool new_op; /* not part of the op before: counts as one more */
} ObserveAccess;

typedef struct ObserveSampler {
	/*
	 * The countdown went below zero at the start of the instruction at pc. True: run that
	 * instruction now, as counted; false: look for interrupts first, and count it then.
	 */
	bool (*op)(CPUX86State *env, uint64_t pc);
	/* Returns whether the sampler could have chosen this access ("eligible"). */
	bool (*access)(CPUX86State *env, const ObserveAccess *a);
	/* The instruction that ran is over, or, if fault, never came to its end. */
	void (*interrupt)(CPUX86State *env, bool fault);
} ObserveSampler;

struct ObserveCpu {
	CPUState *cs;
	int index, node;
	const ObserveSampler *sampler; /* NULL: this vCPU does not sample now */
	uint64_t rng;
	uint64_t untranslated; /* accesses lost, as the TLB had forgotten their page: none known */
	CacheCpu *cache;
	struct TruthCpu *truth;
	struct IbsState *ibs;
	struct PebsState *pebs;
	uint64_t delivered; /* samples handed to the guest since power on */
};

extern const ObserveConfig *observe_config;

ObserveCpu *observe_cpu(CPUX86State *env);
/* Pseudo-random, per vCPU, the same at each start: runs under -icount can be repeated. */
uint32_t observe_random(ObserveCpu *cpu);

/* Samplers: one more sample of this vCPU is the guest's. */
void observe_delivered(ObserveCpu *cpu);
/* Samplers: this vCPU starts or ends sampling. */
void observe_sampling(CPUX86State *env, const ObserveSampler *sampler);
/* Truth: all vCPUs observe from the next instruction on. Call in an exclusive section. */
void observe_everything(bool on);

extern const ObserveSampler ibs_sampler;
bool ibs_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool ibs_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
struct IbsState *ibs_new(void);

bool pebs_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool pebs_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
struct PebsState *pebs_new(CPUX86State *env);

bool truth_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);
bool truth_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
struct TruthCpu *truth_new(void);
void truth_check_file(void);
void truth_count(ObserveCpu *cpu, uint64_t space, uint64_t pc, const ObserveAccess *a, bool eligible);
extern bool truth_counting;

#endif
