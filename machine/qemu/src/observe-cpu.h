/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is observed of a vCPU, which all parts share: an access, the samplers that use it (IBS and PEBS; another PMU can be added as
 * another table of functions), the model clock, and when they are called next.
 */
#ifndef TARGET_I386_OBSERVE_CPU_H
#define TARGET_I386_OBSERVE_CPU_H

#include "cachemodel.h"
#include "combine.h"

/* One access, as passed to samplers. */
typedef struct ObserveAccess {
	uint64_t vaddr, paddr;
	unsigned bytes;
	unsigned latency; /* cycles */
	MemLevel level;
	int home; /* node of the memory; -1: no memory, or no lookup (an L1 hit) */
	bool load, store, locked;
	bool io;
	bool new_op; /* not part of the previous op: counts as a further op */
} ObserveAccess;

typedef struct ObserveSampler {
	/*
	 * Called when the countdown ends at the start of the instruction at pc. Returns true to run the
	 * instruction now, as already counted; false to handle interrupts first and count it then.
	 */
	bool (*op)(CPUX86State *env, uint64_t pc);
	/*
	 * Called after an access. Returns true if the sampler could have chosen it ("eligible"). Not called for an L1 hit that changes no
	 * state, if examine_hits is false and it does not end the countdown.
	 */
	bool (*access)(CPUX86State *env, const ObserveAccess *a);
	/*
	 * Called at an interrupt. The current instruction has ended or, if fault, will not be completed.
	 */
	void (*interrupt)(CPUX86State *env, bool fault);
} ObserveSampler;

/* A line that the vCPU has accessed, and its entry in the L1 at that time. */
typedef struct ObserveLine {
	uint64_t tag; /* virtual address of the line | MMU index + 1; 0 if unused */
	uint64_t line;
	const uint64_t *entry;
	uint8_t *recent; /* of the L1's set */
	uint8_t way;
} ObserveLine;

#define OBSERVE_LINES 64u

/* Event of a counter; CLOCK_NOTHING for all that is not emulated. */
typedef enum ClockEvent {
	CLOCK_NOTHING,
	CLOCK_INSTRUCTIONS,
	CLOCK_CYCLES,
	CLOCK_LOADS,
	CLOCK_EVENTS
} ClockEvent;

/* A running counter of the vCPU's PMU. */
typedef struct ClockCounter {
	uint64_t *value;
	ClockEvent event;
	unsigned privilege; /* CLOCK_KERNEL, CLOCK_USER */
	unsigned bit;       /* stands for the counter in overflow() */
} ClockCounter;

#define CLOCK_COUNTERS_MAX 12

typedef struct Clock {
	uint64_t stalls; /* cycles of loads since power on */
	/* Instructions, stalls and loads that the counters and the exact counts contain; later ones belong to the current privilege. */
	int64_t settled_insns;
	uint64_t settled_stalls, settled_loads;
	/* Number of instructions, and cycle, at which the next counter overflows; OBSERVE_NEVER if none does. */
	int64_t insns_due, cycles_due;
	ClockCounter counters[CLOCK_COUNTERS_MAX];
	unsigned count;
	void (*overflow)(CPUX86State *env,
			 uint64_t bits); /* called between two instructions, or in the last one's helper */
} Clock;

struct ObserveCpu {
	CPUState *cs;
	int index, node;
	const ObserveSampler *sampler; /* NULL while this vCPU does not sample */
	bool examine_hits;  /* the sampler must be called for L1 hits; otherwise they only count as ops */
	bool hits_eligible; /* what the sampler would return for the L1 hits that it is not called for */
	ObserveLine lines
		[OBSERVE_LINES]; /* indexed by address; emptied whenever QEMU flushes TLB entries of the vCPU */
	uint64_t rng;
	uint64_t untranslated; /* accesses lost because their TLB entry was evicted; no case is known */
	CacheCpu *cache;
	Combine combine;
	struct TruthCpu *truth;
	Clock clock;
	bool needed; /* the sampler or a counter of this vCPU needs instrumented code */
	struct IbsState *ibs;
	struct PebsState *pebs;
	struct AmdCounters *amd;
	uint64_t delivered; /* samples delivered to the guest since power on */
};

extern const ObserveConfig *observe_config;

/* Called once, when the machine is complete. create() gives a vCPU its env->observe.cpu. */
void observe_start(const ObserveConfig *config, void (*create)(CPUX86State *env));
/* Returns the vCPU's state, which is created at the first call; NULL until observe_start(). */
ObserveCpu *observe_cpu(CPUX86State *env);

/* Instructions that instrumented code has begun since power on. */
static inline int64_t observe_insns(const ObserveState *o)
{
	return o->deadline - o->countdown - o->insns_left;
}

/* Makes the countdown end at the first of what is due. */
static inline void observe_schedule(ObserveState *o)
{
	int64_t insns = observe_insns(o);

	o->deadline = MIN(o->sampler_due, o->clock_due);
	o->countdown = o->deadline - insns - o->insns_left;
}

/* Ops until the sampler is called, including those of the TB's instructions that have not started. */
static inline int64_t observe_ops_left(const ObserveState *o)
{
	return o->sampler_due - observe_insns(o);
}

/* For samplers: calls the sampler at OBSERVE_DUE or OBSERVE_NEVER. */
static inline void observe_set_due(ObserveState *o, int64_t due)
{
	o->sampler_due = due;
	observe_schedule(o);
}

/* For samplers: calls the sampler after this number of ops, at the start of the following instruction. */
static inline void observe_set_ops_left(ObserveState *o, int64_t ops)
{
	observe_set_due(o, observe_insns(o) + ops);
}

/* Counts ops that are no instructions. */
static inline void observe_use_ops(ObserveState *o, int64_t ops)
{
	o->sampler_due -= ops;
	if (o->sampler_due < o->deadline) {
		o->countdown -= o->deadline - o->sampler_due;
		o->deadline = o->sampler_due;
	}
}

/* Pseudo-random number of the vCPU's sequence. The seed is fixed, so that runs with -icount are repeatable. */
uint32_t observe_random(ObserveCpu *cpu);

/* For samplers: counts a sample that this vCPU has delivered to the guest. */
void observe_delivered(ObserveCpu *cpu);

#endif
