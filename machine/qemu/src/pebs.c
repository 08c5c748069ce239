/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel PEBS with load latency, record format 3 (Skylake-SP, Cascade Lake): the counters' MSRs,
 * RDPMC, the counting of loads above the latency threshold, the record in the debug store (DS) area,
 * and the interrupt through the local APIC's LVTPC.
 * Source: Intel's Software Developer's Manual, volume 3, "Performance Monitoring" (chapters on
 * architectural performance monitoring version 4, processor event based sampling, load latency).
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "hw/i386/apic_internal.h"
#include "tcg/helper-tcg.h"
#include "observe.h"

#define COUNTERS       4
#define FIXED_COUNTERS 3
#define COUNTER_BITS   48
#define COUNTER_MASK   MAKE_64BIT_MASK(0, COUNTER_BITS)

#define MSR_PMC0         0x0c1
#define MSR_PERFEVTSEL0  0x186
#define MSR_OFFCORE_RSP0 0x1a6
#define MSR_FIXED_CTR0   0x309
#define MSR_CAPABILITIES 0x345
#define MSR_FIXED_CTRL   0x38d
#define MSR_STATUS       0x38e
#define MSR_GLOBAL_CTRL  0x38f
#define MSR_STATUS_RESET 0x390
#define MSR_STATUS_SET   0x391
#define MSR_IN_USE       0x392
#define MSR_PEBS_ENABLE  0x3f1
#define MSR_LD_LAT       0x3f6 /* and 0x3f7, PEBS_FRONTEND */
#define MSR_FULL_PMC0    0x4c1
#define MSR_DS_AREA      0x600

/* CPUID leaf 0xA: version 4, COUNTERS counters, seven architectural events; fixed counters in EDX. */
#define CPUID_PMU_EAX (7u << 24 | COUNTER_BITS << 16 | COUNTERS << 8 | 4)
#define CPUID_PMU_EDX (COUNTER_BITS << 5 | FIXED_COUNTERS)
/* IA32_PERF_CAPABILITIES: trap (records are written after the instruction), format 3, full-width writes. */
#define CAPABILITIES (1u << 6 | 3u << 8 | 1u << 13)
/* IA32_MISC_ENABLE: counters, no branch trace store; PEBS is available if bit 12 is clear. */
#define MISC_PERFMON      (1u << 7)
#define MISC_BTS_UNAVAIL  (1u << 11)
#define MISC_PEBS_UNAVAIL (1u << 12)

/* IA32_PERFEVTSEL */
#define SELECT_EVENT      0xffffull
#define SELECT_LD_LATENCY 0x01cdull /* MEM_TRANS_RETIRED.LOAD_LATENCY_GT */
#define SELECT_USER       (1ull << 16)
#define SELECT_OS         (1ull << 17)
#define SELECT_INT        (1ull << 20)
#define SELECT_ENABLE     (1ull << 22)

#define STATUS_DS_OVERFLOW (1ull << 62)
#define LD_LAT_MASK        0xffffull

/* The DS area in 64-bit mode: offsets of the fields that are used */
#define DS_INDEX     40
#define DS_MAXIMUM   48
#define DS_THRESHOLD 56
#define DS_RESET     64 /* one word per counter */

#define RECORD_WORDS 25
#define RECORD_BYTES (RECORD_WORDS * 8)

/* Data source: source in the low bits, then flags */
#define SOURCE_LOCKED (1u << 5)

static const uint8_t sources[MEM_LEVELS] = {
	[MEM_L1] = 0x1,          [MEM_L2] = 0x3,         [MEM_L3] = 0x4,          [MEM_PEER] = 0x7,
	[MEM_REMOTE_PEER] = 0xd, [MEM_LOCAL_DRAM] = 0xa, [MEM_REMOTE_DRAM] = 0xb, [MEM_OTHER] = 0xe,
};

typedef struct PebsState {
	uint64_t select[COUNTERS], counter[COUNTERS];
	uint64_t fixed_ctrl, fixed[FIXED_COUNTERS]; /* can be read and written, but do not count */
	uint64_t capabilities, status, global_ctrl, pebs_enable;
	uint64_t threshold[2]; /* thresholds of load latency, and of the front end (no effect) */
	uint64_t offcore[2];   /* no effect */
	uint64_t ds_area;
	uint64_t zero[3];

	unsigned counting;    /* bitmap of the counters that count loads now */
	unsigned overflowed;  /* bitmap of the counters that overflowed in this instruction */
	uint64_t pc;          /* instruction of the first load that made a counter overflow */
	ObserveAccess access; /* this load */
} PebsState;

static const struct {
	uint32_t first, count;
	size_t offset;
} registers[] = {
	{MSR_PMC0, COUNTERS, offsetof(PebsState, counter)},
	{MSR_PERFEVTSEL0, COUNTERS, offsetof(PebsState, select)},
	{MSR_OFFCORE_RSP0, 2, offsetof(PebsState, offcore)},
	{MSR_FIXED_CTR0, FIXED_COUNTERS, offsetof(PebsState, fixed)},
	{MSR_CAPABILITIES, 1, offsetof(PebsState, capabilities)},
	{MSR_FIXED_CTRL, 1, offsetof(PebsState, fixed_ctrl)},
	{MSR_STATUS, 1, offsetof(PebsState, status)},
	{MSR_GLOBAL_CTRL, 1, offsetof(PebsState, global_ctrl)},
	{MSR_STATUS_RESET, 3, offsetof(PebsState, zero)}, /* and STATUS_SET, IN_USE */
	{MSR_PEBS_ENABLE, 1, offsetof(PebsState, pebs_enable)},
	{MSR_LD_LAT, 2, offsetof(PebsState, threshold)},
	{MSR_FULL_PMC0, COUNTERS, offsetof(PebsState, counter)},
	{MSR_DS_AREA, 1, offsetof(PebsState, ds_area)},
};

bool pebs_present;

static bool has_pebs(CPUX86State *env)
{
	return env_archcpu(env)->observe.pebs;
}

PebsState *pebs_new(CPUX86State *env)
{
	PebsState *s = g_new0(PebsState, 1);

	if (has_pebs(env) && !IS_INTEL_CPU(env)) {
		error_report("-cpu property pebs is for Intel's models: Skylake-Server, Cascadelake-Server");
		exit(1);
	}
	pebs_present |= has_pebs(env);
	s->capabilities = CAPABILITIES;
	return s;
}

bool pebs_cpuid(CPUX86State *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
	if (!has_pebs(env)) {
		return false;
	}
	if (leaf == 1) {
		*ecx |= CPUID_EXT_DTES64 | CPUID_EXT_PDCM;
		*edx |= CPUID_DTS;
		return true;
	}
	*eax = CPUID_PMU_EAX;
	*ebx = *ecx = 0;
	*edx = CPUID_PMU_EDX;
	return true;
}

/* ---- the record ---- */

/*
 * Returns a host pointer to a word of the DS area or the buffer, or NULL if the guest has no mapping there.
 * The lookup uses kernel rights, whatever code runs. Accesses through the pointer do not count as guest accesses.
 */
static void *ds_word(CPUX86State *env, uint64_t vaddr, MMUAccessType type)
{
	void *host;

	if (vaddr % 8 || probe_access_flags(env, vaddr, 8, type, MMU_KNOSMAP64_IDX, true, &host, 0)) {
		warn_report_once("PEBS: no memory at 0x%" PRIx64 " of the DS area", vaddr);
		return NULL;
	}
	return host;
}

static uint64_t ds_read(CPUX86State *env, uint64_t vaddr)
{
	void *host = ds_word(env, vaddr, MMU_DATA_LOAD);

	return host ? ldq_le_p(host) : 0;
}

static void fill_record(CPUX86State *env, const PebsState *s, unsigned counters, uint64_t *word)
{
	static const uint8_t order[] = {R_EAX, R_EBX, R_ECX, R_EDX, R_ESI, R_EDI, R_EBP, R_ESP,
					8,     9,     10,    11,    12,    13,    14,    15};
	size_t i;

	*word++ = cpu_compute_eflags(env);
	*word++ = env->eip;
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		*word++ = env->regs[order[i]];
	}
	*word++ = counters;
	*word++ = s->access.vaddr;
	*word++ = sources[s->access.level] | (s->access.locked ? SOURCE_LOCKED : 0);
	*word++ = MIN(s->access.latency, 0xffff);
	*word++ = s->pc;
	*word++ = 0; /* transactions */
	*word++ = cpu_get_tsc(env) + env->tsc_offset;
}

/* Write a record. Returns true if an interrupt must be raised. */
static bool record(CPUX86State *env, PebsState *s, unsigned counters)
{
	uint64_t index = ds_read(env, s->ds_area + DS_INDEX);
	uint64_t words[RECORD_WORDS];
	void *head;
	unsigned i;

	if (index + RECORD_BYTES <= ds_read(env, s->ds_area + DS_MAXIMUM)) {
		/* Check both ends to write the record completely or not at all: it is in at most two pages. */
		if (!ds_word(env, index, MMU_DATA_STORE) ||
		    !ds_word(env, index + RECORD_BYTES - 8, MMU_DATA_STORE) ||
		    !(head = ds_word(env, s->ds_area + DS_INDEX, MMU_DATA_STORE))) {
			return false;
		}
		stq_le_p(head, index + RECORD_BYTES);
		fill_record(env, s, counters, words);
		for (i = 0; i < RECORD_WORDS; i++) {
			stq_le_p(ds_word(env, index + i * 8, MMU_DATA_STORE), words[i]);
		}
		index += RECORD_BYTES;
		observe_delivered(env->observe.cpu);
	}
	/* True for each later record as well, as an interrupt that was raised while masked is lost. */
	return index >= ds_read(env, s->ds_area + DS_THRESHOLD);
}

/* Restart the counter at the reset value; loads counted since the overflow belong to the new period. */
static void reload(CPUX86State *env, PebsState *s, unsigned counter)
{
	uint64_t reset = ds_read(env, s->ds_area + DS_RESET + 8 * counter);
	uint64_t period = -reset & COUNTER_MASK;

	if (period) {
		s->counter[counter] %= period;
	}
	s->counter[counter] = (s->counter[counter] + reset) & COUNTER_MASK;
}

/* Raise the NMI, which masks the LVTPC entry, as on hardware. */
static void interrupt(CPUX86State *env)
{
	APICCommonState *apic = APIC_COMMON(env_archcpu(env)->apic_state);
	uint32_t *lvt = &apic->lvt[APIC_LVT_PERFORM];

	if (!(*lvt & APIC_LVT_MASKED) && (*lvt >> 8 & 7) == APIC_DM_NMI) {
		*lvt |= APIC_LVT_MASKED;
		cpu_interrupt(env_cpu(env), CPU_INTERRUPT_NMI);
	}
}

/* Handle overflows after their load has retired; env has the state before the next instruction. */
static void settle(CPUX86State *env, PebsState *s)
{
	unsigned recorded = s->overflowed & s->pebs_enable;
	unsigned plain = s->overflowed & ~s->pebs_enable;
	bool tell = false;
	unsigned i;
	BQL_LOCK_GUARD();

	s->overflowed = 0;
	env->observe.countdown = OBSERVE_NEVER;
	/* With -icount, reading the time and raising an interrupt require can_do_io. */
	env_cpu(env)->neg.can_do_io = true;
	if (recorded && record(env, s, recorded)) {
		s->status |= STATUS_DS_OVERFLOW;
		tell = true;
	}
	for (i = 0; i < COUNTERS; i++) {
		if (recorded & 1u << i) {
			reload(env, s, i);
		} else if (plain & 1u << i) {
			s->status |= 1u << i;
			tell |= !!(s->select[i] & SELECT_INT);
		}
	}
	if (tell) {
		interrupt(env);
	}
}

/* ---- counting ---- */

static void overflow(CPUX86State *env, PebsState *s, unsigned counter, const ObserveAccess *a)
{
	if (!s->overflowed) {
		s->pc = env->observe.pc;
		s->access = *a;
	}
	s->overflowed |= 1u << counter;
	env->observe.countdown = OBSERVE_DUE; /* call pebs_op() when the next instruction starts */
}

static bool pebs_access(CPUX86State *env, const ObserveAccess *a)
{
	PebsState *s = env->observe.cpu->pebs;
	uint64_t privilege = env->hflags & HF_CPL_MASK ? SELECT_USER : SELECT_OS;
	bool counted = false;
	unsigned i;

	if (!a->load || a->latency < (s->threshold[0] & LD_LAT_MASK)) {
		return false;
	}
	for (i = 0; i < COUNTERS; i++) {
		if ((s->counting & 1u << i) && (s->select[i] & privilege)) {
			counted = true;
			s->counter[i] = (s->counter[i] + 1) & COUNTER_MASK;
			if (!s->counter[i]) {
				overflow(env, s, i, a);
			}
		}
	}
	return counted;
}

static bool pebs_op(CPUX86State *env, uint64_t pc)
{
	PebsState *s = env->observe.cpu->pebs;

	if (s->overflowed && (env->hflags & HF_INHIBIT_IRQ_MASK)) {
		/* The interrupt shadow of STI or MOV SS delays the record by one instruction. */
		env->observe.countdown = OBSERVE_DUE;
		return true;
	}
	settle(env, s);
	return false;
}

static void pebs_interrupt(CPUX86State *env, bool fault)
{
	PebsState *s = env->observe.cpu->pebs;

	/* Settle before the handler's first instruction, which is not the load's successor. */
	if (s->overflowed) {
		settle(env, s);
	}
}

static const ObserveSampler pebs_sampler = {
	.op = pebs_op,
	.access = pebs_access,
	.interrupt = pebs_interrupt,
};

/* ---- registers ---- */

static uint64_t *find_register(PebsState *s, uint32_t msr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(registers); i++) {
		if (msr - registers[i].first < registers[i].count) {
			return (uint64_t *)((char *)s + registers[i].offset) + (msr - registers[i].first);
		}
	}
	return NULL;
}

static void choose_counters(CPUX86State *env, PebsState *s)
{
	unsigned i;

	s->counting = 0;
	for (i = 0; i < COUNTERS; i++) {
		if ((s->select[i] & SELECT_ENABLE) && (s->select[i] & SELECT_EVENT) == SELECT_LD_LATENCY) {
			s->counting |= s->global_ctrl & 1u << i;
		}
	}
	env->observe.cpu->examine_hits =
		s->counting && (s->threshold[0] & LD_LAT_MASK) <= observe_config->lat_l1;
	/* A counter that is stopped before its record is written gets no record. */
	s->overflowed &= s->counting;
	observe_sampling(env, s->counting ? &pebs_sampler : NULL);
}

bool pebs_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	uint64_t *reg;

	if (!has_pebs(env)) {
		return false;
	}
	if (msr == MSR_IA32_MISC_ENABLE) {
		*val = (env->msr_ia32_misc_enable & ~MISC_PEBS_UNAVAIL) | MISC_PERFMON | MISC_BTS_UNAVAIL;
		return true;
	}
	reg = find_register(env->observe.cpu->pebs, msr);
	if (reg) {
		*val = *reg;
	}
	return reg;
}

bool pebs_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	PebsState *s = env->observe.cpu->pebs;
	uint64_t *reg = has_pebs(env) ? find_register(s, msr) : NULL;

	if (!reg) {
		return false;
	}
	switch (msr) {
	case MSR_CAPABILITIES:
	case MSR_STATUS:
	case MSR_IN_USE:
		break;
	case MSR_STATUS_RESET:
		s->status &= ~val;
		break;
	case MSR_STATUS_SET:
		s->status |= val;
		break;
	case MSR_PMC0 ... MSR_PMC0 + COUNTERS - 1:
		*reg = (int32_t)val & COUNTER_MASK;
		break;
	case MSR_FULL_PMC0 ... MSR_FULL_PMC0 + COUNTERS - 1:
		*reg = val & COUNTER_MASK;
		break;
	default:
		*reg = val;
		choose_counters(env, s);
		break;
	}
	return true;
}

#define RDPMC_FIXED (1u << 30)

void HELPER(pebs_rdpmc)(CPUX86State *env)
{
	PebsState *s = observe_cpu(env)->pebs;
	uint32_t which = env->regs[R_ECX];
	bool fixed = which & RDPMC_FIXED;
	uint64_t val;

	which &= ~RDPMC_FIXED;
	if ((!(env->cr[4] & CR4_PCE_MASK) && (env->hflags & HF_CPL_MASK)) ||
	    which >= (fixed ? FIXED_COUNTERS : COUNTERS)) {
		raise_exception_err_ra(env, EXCP0D_GPF, 0, GETPC());
	}
	val = fixed ? s->fixed[which] : s->counter[which];
	env->regs[R_EAX] = (uint32_t)val;
	env->regs[R_EDX] = val >> 32;
}
