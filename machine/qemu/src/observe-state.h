/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the observation state in CPUX86State, which translated code accesses at a constant
 * offset, and the configuration from the -cpu properties.
 */
#ifndef TARGET_I386_OBSERVE_STATE_H
#define TARGET_I386_OBSERVE_STATE_H

/* The TB flag that selects instrumented code; no bit of hflags or eflags uses this position. */
#define HF_OBSERVE_SHIFT 29
#define HF_OBSERVE_MASK  (1u << HF_OBSERVE_SHIFT)

/* op_accesses: relation of the next memory access to the op counted at the instruction's start. */
#define OBSERVE_OP_FIRST   0 /* the access belongs to this op */
#define OBSERVE_OP_MORE    1 /* the access may be a further op: see is_new_op() */
#define OBSERVE_OP_OUTSIDE 2 /* no instruction makes the access (interrupt delivery): ignored */

/* sampler_due while no sampler waits for an op, and while a sampler waits for the start of the next instruction. */
#define OBSERVE_NEVER (INT64_MAX / 2)
#define OBSERVE_DUE   (INT64_MIN / 2)

/* Value of the 32 bits of insns_left and op_accesses, which translated code stores together. */
#define OBSERVE_INSN(insns_left, op_accesses) ((insns_left) | (op_accesses) << 16)

typedef struct ObserveCpu ObserveCpu;

/* Written only by its vCPU, or in an exclusive section. Survives CPU reset. */
typedef struct ObserveState {
	uint64_t pc; /* current instruction of instrumented code, if it may access memory */
	/*
	 * Instructions up to the deadline, without those of the TB's instructions that have not started: a TB
	 * subtracts all its instructions at its start. deadline - countdown - insns_left is the number of
	 * instructions that have run in instrumented code: observe_insns().
	 */
	int64_t countdown;
	uint16_t insns_left;    /* counted instructions of the TB after the current one; 0 outside of TBs */
	uint16_t op_accesses;   /* OBSERVE_OP_* */
	bool op_load, op_store; /* kinds of accesses that the current op has made so far */
	uint32_t tb_flag;       /* HF_OBSERVE_MASK or 0; ORed into the TB flags */
	uint64_t op_start, op_end; /* range of their addresses */
	/* Ops of instrumented code that load since power on, and the number at which the next counter of loads overflows. */
	uint64_t loads, loads_due;
	/*
	 * Numbers of instructions: at the next call of the sampler, if the instructions up to then are single ops, of
	 * the clock, and of either. They change only with the countdown: observe_schedule().
	 */
	int64_t sampler_due, clock_due, deadline;
	ObserveCpu *cpu; /* NULL until the machine is complete */
} ObserveState;

typedef struct ObserveConfig {
	uint32_t l1_kib, l2_kib, l3_kib;
	uint32_t lat_l1, lat_l2, lat_l3, lat_peer, lat_dram, lat_rcache, lat_rdram;
	bool lat_jitter;
	bool model_time;
	uint32_t ibs_caps; /* 0: by CPU model */
	bool pebs;
	char *truth_file;
} ObserveConfig;

/* Called before instrumented code changes its privilege, and its address space. */
struct CPUArchState;
void observe_privilege(struct CPUArchState *env, unsigned cpl);
void observe_space(struct CPUArchState *env);
/* Called when the vCPU leaves its turn at PAUSE. */
void observe_pause(CPUState *cs);

/* For the table of -cpu properties. */
#define OBSERVE_PROPERTIES                                                         \
	DEFINE_PROP_UINT32("model-l1", X86CPU, observe.l1_kib, 32),                \
		DEFINE_PROP_UINT32("model-l2", X86CPU, observe.l2_kib, 512),       \
		DEFINE_PROP_UINT32("model-l3", X86CPU, observe.l3_kib, 2048),      \
		DEFINE_PROP_UINT32("lat-l1", X86CPU, observe.lat_l1, 4),           \
		DEFINE_PROP_UINT32("lat-l2", X86CPU, observe.lat_l2, 14),          \
		DEFINE_PROP_UINT32("lat-l3", X86CPU, observe.lat_l3, 46),          \
		DEFINE_PROP_UINT32("lat-peer", X86CPU, observe.lat_peer, 110),     \
		DEFINE_PROP_UINT32("lat-dram", X86CPU, observe.lat_dram, 190),     \
		DEFINE_PROP_UINT32("lat-rcache", X86CPU, observe.lat_rcache, 230), \
		DEFINE_PROP_UINT32("lat-rdram", X86CPU, observe.lat_rdram, 310),   \
		DEFINE_PROP_BOOL("lat-jitter", X86CPU, observe.lat_jitter, true),  \
		DEFINE_PROP_BOOL("model-time", X86CPU, observe.model_time, false), \
		DEFINE_PROP_UINT32("ibs-caps", X86CPU, observe.ibs_caps, 0),       \
		DEFINE_PROP_BOOL("pebs", X86CPU, observe.pebs, false),             \
		DEFINE_PROP_STRING("truth-file", X86CPU, observe.truth_file),

#endif
