/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AMD Instruction-Based Sampling (op sampling): the MSRs, the choice of an op, its record,
 * and the NMI through the local APIC's extended LVT.
 * Source of the registers: Processor Programming References of families 19h (Zen 3, Zen 4) and 1Ah (Zen 5).
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/cpu-all.h"
#include "exec/exec-all.h"
#include "migration/vmstate.h"
#include "observe-registers.h"
#include "observe-switch.h"

#define MSR_FETCH_CTL      0xc0011030
#define MSR_OP_CTL         0xc0011033
#define MSR_OP_RIP         0xc0011034
#define MSR_OP_DATA        0xc0011035
#define MSR_OP_DATA2       0xc0011036
#define MSR_OP_DATA3       0xc0011037
#define MSR_DC_LIN_AD      0xc0011038
#define MSR_DC_PHYS_AD     0xc0011039
#define MSR_IBS_CTL        0xc001103a
#define MSR_BR_TARGET      0xc001103b
#define MSR_FETCH_CTL_EXTD 0xc001103c
#define MSR_OP_DATA4       0xc001103d
#define IBS_MSRS           (MSR_OP_DATA4 - MSR_FETCH_CTL + 1)

/* IbsOpCtl */
#define CTL_MAX_CNT_LOW   0xffffull /* bits 19:4 of the maximum */
#define CTL_L3_MISS_ONLY  (1ull << 16)
#define CTL_EN            (1ull << 17)
#define CTL_VAL           (1ull << 18)
#define CTL_CNT_CTL       (1ull << 19)    /* 1: count ops, 0: count cycles */
#define CTL_MAX_CNT_HIGH  (0x7full << 20) /* bits 26:20 of the maximum */
#define CTL_CUR_CNT_SHIFT 32
#define CTL_CUR_CNT       (0x7ffffffull << CTL_CUR_CNT_SHIFT)
#define CTL_LDLAT_SHIFT   59
#define CTL_LDLAT         (0xfull << CTL_LDLAT_SHIFT) /* n: loads that took more than (n + 1) * 128 cycles */
#define CTL_LDLAT_STEP    128
#define CTL_LDLAT_EN      (1ull << 63)
#define CUR_CNT_RANDOM    0x7f /* hardware randomizes the low 7 bits */

/* IbsOpData */
#define DATA_TAG_TO_RET_SHIFT 16
#define DATA_BRN_TAKEN        (1ull << 35)
#define DATA_BRN_RET          (1ull << 37)
#define DATA_RETURN           (1ull << 34)

/* IbsOpData2: DataSrc is in bits 2:0; Zen 4 has its bits 4:3 in bits 7:6 */
#define DATA2_REMOTE    (1ull << 4)
#define DATA2_HIT_OWNED (1ull << 5) /* CacheHitSt */
/* Values of DataSrc as Linux defines them for Zen 3 and Zen 4 (arch/x86/include/asm/amd-ibs.h). */
#define SRC_LOCAL_CACHE(zen4)  ((zen4) ? 1 : 2)
#define SRC_REMOTE_CACHE(zen4) ((zen4) ? 5 : 4)
#define SRC_DRAM               3
#define SRC_IO                 7

/* IbsOpData3 */
#define DATA3_LD             (1ull << 0)
#define DATA3_ST             (1ull << 1)
#define DATA3_DC_MISS        (1ull << 7)
#define DATA3_MISALIGNED     (1ull << 8)
#define DATA3_UC             (1ull << 14)
#define DATA3_LOCKED         (1ull << 15)
#define DATA3_LIN_VALID      (1ull << 17)
#define DATA3_PHYS_VALID     (1ull << 18)
#define DATA3_L2_MISS        (1ull << 20)
#define DATA3_WIDTH_SHIFT    22
#define DATA3_MISS_LAT_SHIFT 32

/* CPUID 8000_001B EAX */
#define CAPS_ZEN3 0x3ffu
#define CAPS_ZEN4 0xbffu
#define CAPS_ZEN5 0x81bffu
#define CAP_ZEN4  (1u << 11)
#define CAP_LDLAT (1u << 12)

/* Extended APIC registers: index = offset / 16 */
#define EAPIC_FEATURE 0x40
#define EAPIC_CONTROL 0x41
#define EAPIC_LVT     0x50
#define EAPIC_LVTS    4
#define LVT_MASKED    (1u << 16)
#define LVT_MODE(lvt) (((lvt) >> 8) & 7)
#define LVT_MODE_NMI  4

#define MAX_PREFIXES 4 /* of an instruction, that are skipped */

/* Cycle mode: if the count ends within a miss, the op is chosen at random from the next ones. */
#define CYCLE_SKID_OPS 64

enum tag { TAG_NONE, TAG_OPEN, TAG_RETIRED };

typedef struct IbsState {
	uint64_t msr[IBS_MSRS];
	uint32_t lvt[EAPIC_LVTS];
	bool running; /* the counter is running, so that any counted op may be chosen */
	bool skidding;
	enum tag tag;

	/* the chosen op */
	uint64_t rip;
	bool has_access;
	bool interrupted;     /* by an interrupt, so that the next instruction is not the op's successor */
	ObserveAccess access; /* first access of the op, extended by the accesses merged with it */
} IbsState;

typedef struct IbsBranch {
	bool is_branch;
	bool always; /* unconditional */
	bool is_return;
	unsigned length; /* bytes up to the next instruction; set only for a conditional branch */
} IbsBranch;

static const ObserveSampler ibs_sampler;

#define REG(s, name) ((s)->msr[(name)-MSR_FETCH_CTL])

const VMStateDescription vmstate_ibs = {
	.name = "ibs",
	.fields = (const VMStateField[]){VMSTATE_UINT64_ARRAY(msr, IbsState, IBS_MSRS),
					 VMSTATE_UINT32_ARRAY(lvt, IbsState, EAPIC_LVTS),
					 VMSTATE_END_OF_LIST()},
};

IbsState *ibs_new(void)
{
	IbsState *s = g_new0(IbsState, 1);
	int i;

	/* The entries are masked, as after reset; otherwise Linux would consider them in use. */
	for (i = 0; i < EAPIC_LVTS; i++) {
		s->lvt[i] = LVT_MASKED;
	}
	REG(s, MSR_IBS_CTL) = 0x100; /* LVT offset 0, valid */
	return s;
}

uint32_t ibs_cpuid_caps(CPUX86State *env)
{
	uint32_t caps = env_archcpu(env)->observe.ibs_caps;
	uint32_t family = (env->cpuid_version >> 8 & 0xf) + (env->cpuid_version >> 20 & 0xff);
	uint32_t model = (env->cpuid_version >> 4 & 0xf) | (env->cpuid_version >> 12 & 0xf0);

	if (!(env->features[FEAT_8000_0001_ECX] & CPUID_EXT3_IBS)) {
		return 0;
	}
	if (caps) {
		return caps;
	}
	if (family == 0x1a) {
		return CAPS_ZEN5;
	}
	/* Genoa is 19h/11h; 19h models below 10h and 20h-5Fh are Zen 3. */
	return family == 0x19 && model >= 0x10 && model < 0x20 ? CAPS_ZEN4 : CAPS_ZEN3;
}

static bool is_zen4(CPUX86State *env)
{
	return ibs_cpuid_caps(env) & CAP_ZEN4;
}

/* ---- the counter ---- */

static uint64_t max_count(const IbsState *s)
{
	uint64_t ctl = REG(s, MSR_OP_CTL);

	return (ctl & CTL_MAX_CNT_LOW) << 4 | (ctl & CTL_MAX_CNT_HIGH);
}

static void counter_stop(CPUX86State *env, IbsState *s)
{
	s->running = false;
	s->tag = TAG_NONE;
	env->observe.cpu->examine_hits = false;
	env->observe.cpu->hits_eligible = false;
	observe_set_due(&env->observe, OBSERVE_NEVER);
}

static void counter_start(CPUX86State *env, IbsState *s, uint64_t current)
{
	uint64_t max = max_count(s);

	s->running = true;
	s->skidding = false;
	s->tag = TAG_NONE;
	env->observe.cpu->examine_hits = false;
	env->observe.cpu->hits_eligible = true;
	observe_set_ops_left(&env->observe, max > current ? max - current - 1 : 0);
}

/* The chosen op is not a sample: start counting to the next op, with new random low bits. */
static void counter_restart(CPUX86State *env, IbsState *s)
{
	counter_start(env, s, observe_random(env->observe.cpu) & CUR_CNT_RANDOM);
}

static uint64_t read_op_ctl(CPUX86State *env, IbsState *s)
{
	uint64_t ctl = REG(s, MSR_OP_CTL);
	int64_t left = observe_ops_left(&env->observe);

	if (s->running) {
		uint64_t current = max_count(s) - MIN(MAX(left + 1, 0), (int64_t)max_count(s));

		ctl = (ctl & ~CTL_CUR_CNT) | (current << CTL_CUR_CNT_SHIFT & CTL_CUR_CNT);
	}
	return ctl;
}

static void write_op_ctl(CPUX86State *env, IbsState *s, uint64_t val)
{
	uint64_t keep = CTL_MAX_CNT_LOW | CTL_EN | CTL_VAL | CTL_CNT_CTL | CTL_MAX_CNT_HIGH | CTL_CUR_CNT |
			(is_zen4(env) ? CTL_L3_MISS_ONLY : 0) |
			(ibs_cpuid_caps(env) & CAP_LDLAT ? CTL_LDLAT | CTL_LDLAT_EN : 0);

	REG(s, MSR_OP_CTL) = val & keep;
	/* Discard a chosen op that has not been delivered, whether counting continues or stops. */
	counter_stop(env, s);
	observe_sampling(env, val & CTL_EN ? &ibs_sampler : NULL);
	if ((val & (CTL_EN | CTL_VAL)) == CTL_EN && max_count(s)) {
		counter_start(env, s, (val & CTL_CUR_CNT) >> CTL_CUR_CNT_SHIFT);
	}
}

/* ---- the sample ---- */

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:          /* segment */
	case 0x40 ... 0x4f: /* REX */
	case 0x66:
	case 0x67:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return false;
	}
}

/* Finds out by its opcode whether an instruction of 64-bit mode is a branch. It must just have been executed, so that its page is mapped. */
static IbsBranch decode_branch(CPUX86State *env, uint64_t rip)
{
	uint8_t bytes[MAX_PREFIXES + 2];
	IbsBranch jump = {.is_branch = true, .always = true};
	IbsBranch none = {0};
	unsigned at = 0;

	if (!(env->hflags & HF_CS64_MASK) ||
	    cpu_memory_rw_debug(env_cpu(env), rip, bytes, sizeof(bytes), false)) {
		return none;
	}
	while (at < MAX_PREFIXES && is_prefix(bytes[at])) {
		at++;
	}
	switch (bytes[at]) {
	case 0x70 ... 0x7f: /* Jcc rel8 */
	case 0xe0 ... 0xe3: /* LOOP, JRCXZ */
		return (IbsBranch){.is_branch = true, .length = at + 2};
	case 0x0f:
		if (bytes[at + 1] >= 0x80 && bytes[at + 1] <= 0x8f) { /* Jcc rel32 */
			return (IbsBranch){.is_branch = true, .length = at + 6};
		}
		return none;
	case 0xc2:
	case 0xc3: /* RET */
		jump.is_return = true;
		return jump;
	case 0xe8:
	case 0xe9:
	case 0xeb:
		return jump;
	case 0xff: /* CALL, JMP through register or memory */
		return (bytes[at + 1] >> 3 & 7) >= 2 && (bytes[at + 1] >> 3 & 7) <= 5 ? jump : none;
	default:
		return none;
	}
}

static bool is_l3_miss(const IbsState *s)
{
	return s->has_access && s->access.load && s->access.level > MEM_PEER;
}

static bool is_slow_load(const IbsState *s)
{
	uint64_t threshold = ((REG(s, MSR_OP_CTL) & CTL_LDLAT) >> CTL_LDLAT_SHIFT) + 1;

	return s->has_access && s->access.load && s->access.level != MEM_L1 &&
	       s->access.latency > threshold * CTL_LDLAT_STEP;
}

/* Returns true if the filters of IbsOpCtl drop the chosen op, which is then no sample. */
static bool is_filtered(const IbsState *s)
{
	uint64_t ctl = REG(s, MSR_OP_CTL);

	return ((ctl & CTL_L3_MISS_ONLY) && !is_l3_miss(s)) || ((ctl & CTL_LDLAT_EN) && !is_slow_load(s));
}

static uint64_t data_source(const ObserveAccess *a, bool zen4)
{
	switch (a->level) {
	case MEM_L3:
		return SRC_LOCAL_CACHE(zen4) | DATA2_HIT_OWNED;
	/* CacheHitSt 0 (here and for MEM_REMOTE_PEER): the line was modified. */
	case MEM_PEER:
		/* A peer on the same node shares the L3, which transfers the data. */
		return SRC_LOCAL_CACHE(zen4);
	case MEM_REMOTE_PEER:
		return SRC_REMOTE_CACHE(zen4) | DATA2_REMOTE;
	case MEM_LOCAL_DRAM:
		return SRC_DRAM;
	case MEM_REMOTE_DRAM:
		return SRC_DRAM | DATA2_REMOTE;
	case MEM_OTHER:
		return SRC_IO;
	default:
		return 0;
	}
}

static void record_access(IbsState *s, bool zen4)
{
	const ObserveAccess *a = &s->access;
	uint64_t data3 = DATA3_LIN_VALID | DATA3_PHYS_VALID;
	unsigned width = a->bytes > 63 ? 7 : ctz32(pow2ceil(a->bytes)) + 1;

	data3 |= (a->load ? DATA3_LD : 0) | (a->store ? DATA3_ST : 0);
	data3 |= (a->locked ? DATA3_LOCKED : 0) | (a->io ? DATA3_UC : 0);
	data3 |= a->vaddr & (a->bytes - 1) ? DATA3_MISALIGNED : 0;
	data3 |= (uint64_t)width << DATA3_WIDTH_SHIFT;
	if (a->level != MEM_L1) {
		data3 |= DATA3_DC_MISS;
	}
	/* Only loads have L2 miss, source and latency, as hardware does not report them for stores. */
	if (a->load && a->level != MEM_L1) {
		data3 |= (uint64_t)MIN(a->latency, 0xffff) << DATA3_MISS_LAT_SHIFT;
		if (a->level != MEM_L2) {
			data3 |= DATA3_L2_MISS;
			REG(s, MSR_OP_DATA2) = data_source(a, zen4);
		}
	}
	REG(s, MSR_OP_DATA3) = data3;
	REG(s, MSR_DC_LIN_AD) = a->vaddr;
	REG(s, MSR_DC_PHYS_AD) = a->paddr;
}

static void record(CPUX86State *env, IbsState *s, uint64_t next)
{
	unsigned to_ret = 8 + (s->has_access && s->access.load ? s->access.latency : 0);
	IbsBranch branch = decode_branch(env, s->rip);

	REG(s, MSR_OP_RIP) = s->rip;
	REG(s, MSR_OP_DATA) = 2 | (uint64_t)MIN(to_ret, 0xffff) << DATA_TAG_TO_RET_SHIFT;
	REG(s, MSR_OP_DATA2) = 0;
	REG(s, MSR_OP_DATA3) = 0;
	REG(s, MSR_DC_LIN_AD) = 0;
	REG(s, MSR_DC_PHYS_AD) = 0;
	REG(s, MSR_BR_TARGET) = 0;
	if (branch.is_branch && !s->interrupted) {
		bool taken = branch.always || next != s->rip + branch.length;

		REG(s, MSR_OP_DATA) |=
			DATA_BRN_RET | (branch.is_return ? DATA_RETURN : 0) | (taken ? DATA_BRN_TAKEN : 0);
		REG(s, MSR_BR_TARGET) = taken ? next : 0;
	}
	if (s->has_access) {
		record_access(s, is_zen4(env));
	}
	REG(s, MSR_OP_CTL) &= ~CTL_CUR_CNT;
	REG(s, MSR_OP_CTL) |= CTL_VAL | (uint64_t)(observe_random(env->observe.cpu) & CUR_CNT_RANDOM)
						<< CTL_CUR_CNT_SHIFT;
}

/* Deliver the chosen op, which has retired; the instruction at `next` has not started. */
static bool deliver(CPUX86State *env, IbsState *s, uint64_t next)
{
	CPUState *cs = env_cpu(env);
	uint32_t lvt = s->lvt[REG(s, MSR_IBS_CTL) & 3];

	if (env->hflags & HF_INHIBIT_IRQ_MASK) {
		/* The interrupt shadow of STI or MOV SS delays delivery by one instruction. */
		s->tag = TAG_RETIRED;
		observe_set_due(&env->observe, OBSERVE_DUE);
		return true;
	}
	if (is_filtered(s)) {
		counter_restart(env, s);
		return false;
	}
	record(env, s, next);
	counter_stop(env, s);
	if ((lvt & LVT_MASKED) || LVT_MODE(lvt) != LVT_MODE_NMI) {
		return false;
	}
	observe_delivered(env->observe.cpu);
	/* With -icount, raising an interrupt requires can_do_io. */
	cs->neg.can_do_io = true;
	bql_lock();
	cpu_interrupt(cs, CPU_INTERRUPT_NMI);
	bql_unlock();
	/* The guest takes the NMI before the next instruction; an NMI at the TB's end would favour some PCs. */
	return false;
}

static void choose(CPUX86State *env, IbsState *s, uint64_t pc)
{
	s->running = false;
	env->observe.cpu->hits_eligible = false;
	s->tag = TAG_OPEN;
	s->rip = pc;
	s->has_access = false;
	s->interrupted = false;
	env->observe.cpu->examine_hits = true;       /* of this op */
	observe_set_due(&env->observe, OBSERVE_DUE); /* call ibs_op() when the next instruction starts */
}

static bool ibs_op(CPUX86State *env, uint64_t pc)
{
	IbsState *s = env->observe.cpu->ibs;

	if (s->tag != TAG_NONE) {
		return deliver(env, s, pc);
	}
	if (s->running) {
		choose(env, s, pc);
		return true;
	}
	observe_set_due(&env->observe, OBSERVE_NEVER);
	return false;
}

static void note_access(IbsState *s, const ObserveAccess *a)
{
	if (!s->has_access) {
		s->access = *a;
		s->has_access = true;
		return;
	}
	/* Merge the next piece of a wide access, or the store of a read-modify-write. */
	s->access.bytes = MAX(s->access.bytes, a->vaddr + a->bytes - s->access.vaddr);
	s->access.load |= a->load;
	s->access.store |= a->store;
}

static void count_latency(CPUX86State *env, IbsState *s, const ObserveAccess *a)
{
	ObserveState *o = &env->observe;

	if (!s->skidding && a->load && a->level != MEM_L1) {
		observe_use_ops(o, a->latency);
		if (observe_ops_left(o) < 0) {
			observe_set_ops_left(o, observe_random(o->cpu) % CYCLE_SKID_OPS);
			s->skidding = true;
		}
	}
}

static bool ibs_access(CPUX86State *env, const ObserveAccess *a)
{
	IbsState *s = env->observe.cpu->ibs;

	if (s->tag == TAG_OPEN) {
		if (a->new_op) {
			s->tag = TAG_RETIRED;
			return false;
		}
		note_access(s, a);
		return true;
	}
	if (!s->running) {
		return false;
	}
	if (a->new_op) {
		observe_use_ops(&env->observe, 1);
	}
	if (a->new_op && observe_ops_left(&env->observe) < 0) {
		choose(env, s, env->observe.pc);
		note_access(s, a);
	} else if (!(REG(s, MSR_OP_CTL) & CTL_CNT_CTL)) {
		count_latency(env, s, a);
	}
	return true;
}

static void ibs_interrupt(CPUX86State *env, bool fault)
{
	IbsState *s = env->observe.cpu->ibs;

	if (s->tag == TAG_OPEN && fault) {
		/* The op did not retire, so there is no sample. */
		counter_restart(env, s);
	} else if (s->tag != TAG_NONE) {
		s->tag = TAG_RETIRED;
		s->interrupted = true;
	}
}

static const ObserveSampler ibs_sampler = {
	.op = ibs_op,
	.access = ibs_access,
	.interrupt = ibs_interrupt,
};

/* ---- registers ---- */

static bool has_ibs(CPUX86State *env)
{
	return env->features[FEAT_8000_0001_ECX] & CPUID_EXT3_IBS;
}

bool ibs_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	IbsState *s = env->observe.cpu->ibs;

	if (msr < MSR_FETCH_CTL || msr > MSR_OP_DATA4 || !has_ibs(env)) {
		return false;
	}
	*val = msr == MSR_OP_CTL ? read_op_ctl(env, s) : s->msr[msr - MSR_FETCH_CTL];
	return true;
}

bool ibs_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	IbsState *s = env->observe.cpu->ibs;

	if (msr < MSR_FETCH_CTL || msr > MSR_OP_DATA4 || !has_ibs(env)) {
		return false;
	}
	if (msr == MSR_OP_CTL) {
		write_op_ctl(env, s, val);
	} else if (msr != MSR_IBS_CTL) {
		s->msr[msr - MSR_FETCH_CTL] = val;
	}
	return true;
}

bool ibs_apic_read(CPUX86State *env, int index, uint64_t *val)
{
	ObserveCpu *cpu = observe_cpu(env);

	if (!cpu || !has_ibs(env)) {
		return false;
	}
	if (index == EAPIC_FEATURE) {
		*val = EAPIC_LVTS << 16;
	} else if (index == EAPIC_CONTROL) {
		*val = 0;
	} else if (index >= EAPIC_LVT && index < EAPIC_LVT + EAPIC_LVTS) {
		*val = cpu->ibs->lvt[index - EAPIC_LVT];
	} else {
		return false;
	}
	return true;
}

bool ibs_apic_write(CPUX86State *env, int index, uint64_t val)
{
	ObserveCpu *cpu = observe_cpu(env);

	if (!cpu || !has_ibs(env)) {
		return false;
	}
	if (index >= EAPIC_LVT && index < EAPIC_LVT + EAPIC_LVTS) {
		cpu->ibs->lvt[index - EAPIC_LVT] = val & (LVT_MASKED | 0x7ff);
		return true;
	}
	return index == EAPIC_FEATURE || index == EAPIC_CONTROL;
}
