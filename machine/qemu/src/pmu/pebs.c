/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel PEBS of the server parts from Skylake-SP to Granite Rapids: the counters' MSRs, RDPMC, the counting
 * of loads by latency or by source, and of instructions and cycles, the records, and the interrupt through the local APIC's LVTPC.
 * Source: Intel's Software Developer's Manual, volume 3, "Performance Monitoring" (chapters on
 * architectural performance monitoring version 4 and 5, processor event based sampling, load latency,
 * adaptive PEBS), and Intel's event lists for the codes of events.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "migration/vmstate.h"
#include "tcg/helper-tcg.h"
#include "clock.h"
#include "observe-registers.h"
#include "observe-switch.h"

#define MSR_PMC0         0x0c1
#define MSR_PERFEVTSEL0  0x186
#define MSR_OFFCORE_RSP0 0x1a6
#define MSR_FIXED_CTR0   0x309
#define MSR_METRICS      0x329
#define MSR_CAPABILITIES 0x345
#define MSR_FIXED_CTRL   0x38d
#define MSR_STATUS       0x38e
#define MSR_GLOBAL_CTRL  0x38f
#define MSR_STATUS_RESET 0x390
#define MSR_STATUS_SET   0x391
#define MSR_IN_USE       0x392
#define MSR_PEBS_ENABLE  0x3f1
#define MSR_DATA_CFG     0x3f2
#define MSR_LD_LAT       0x3f6 /* and 0x3f7, PEBS_FRONTEND */
#define MSR_FULL_PMC0    0x4c1
#define MSR_DS_AREA      0x600

/* CPUID leaf 0xA, EAX: counters, and the number of architectural events in EBX, none of which is missing. */
#define CPUID_PMU_EAX(version, counters, events) \
	((events) << 24 | COUNTER_BITS << 16 | (counters) << 8 | (version))
/* EDX: fixed counters; from version 5 on, AnyThread is deprecated, and ECX has a bit for each fixed counter. */
#define CPUID_PMU_EDX(fixed)    (COUNTER_BITS << 5 | (fixed))
#define CPUID_ANYTHREAD_REMOVED (1u << 15)
/* IA32_PERF_CAPABILITIES: records are written after the instruction; format; full-width writes; adaptive records; topdown. */
#define CAP_TRAP       (1u << 6)
#define CAP_FORMAT(n)  ((n) << 8)
#define CAP_FULL_WIDTH (1u << 13)
#define CAP_METRICS    (1u << 15)
/* IA32_MISC_ENABLE: counters, no branch trace store; PEBS is available if bit 12 is clear. */
#define MISC_PERFMON      (1u << 7)
#define MISC_BTS_UNAVAIL  (1u << 11)
#define MISC_PEBS_UNAVAIL (1u << 12)

/* IA32_PERFEVTSEL */
#define SELECT_EVENT   0xffffull
#define SELECT_USER    (1ull << 16)
#define SELECT_OS      (1ull << 17)
#define SELECT_EDGE    (1ull << 18)
#define SELECT_INT     (1ull << 20)
#define SELECT_ENABLE  (1ull << 22)
#define SELECT_COMPARE (1ull << 23 | 0xffull << 24) /* invert, counter mask */
/* Events with umask: all loads above the threshold; its companion where that needs one; loads that missed the L3. */
#define EVENT_LD_LATENCY 0x01cd /* MEM_TRANS_RETIRED.LOAD_LATENCY */
#define EVENT_AUXILIARY  0x8203 /* LD_BLOCKS, as the kernel uses it beside load latency */
#define EVENT_L3_MISS    0xd3   /* MEM_LOAD_L3_MISS_RETIRED, any umask */
/* Architectural events. Cycles and reference cycles are the same, as the clock has one frequency. */
#define EVENT_CYCLES           0x003c
#define EVENT_REFERENCE_CYCLES 0x013c
#define EVENT_INSTRUCTIONS     0x00c0
#define EVENT_LOADS \
	0x81d0 /* MEM_INST_RETIRED.ALL_LOADS; no architectural event, and counted without records */

/* IA32_FIXED_CTR_CTRL: four bits for each counter */
#define FIXED_OS   (1u << 0)
#define FIXED_USER (1u << 1)
#define FIXED_INT  (1u << 3)
#define FIXED_BITS 4
/* Bit of the first fixed counter in IA32_PERF_GLOBAL_CTRL and STATUS */
#define GLOBAL_FIXED 32

#define STATUS_DS_OVERFLOW (1ull << 62)
#define LD_LAT_MASK        0xffffull

/* The DS area in 64-bit mode: offsets of the fields that are used */
#define DS_INDEX     40
#define DS_MAXIMUM   48
#define DS_THRESHOLD 56
#define DS_RESET     64 /* counters' values after a record, a word each */

/* Adaptive records, which are the longest: groups of MSR_DATA_CFG, in their order in the record. The emulated CPUs have no branch records. */
#define GROUP_MEMORY      (1ull << 0)
#define GROUP_GPRS        (1ull << 1)
#define GROUP_XMMS        (1ull << 2)
#define GROUPS            (GROUP_MEMORY | GROUP_GPRS | GROUP_XMMS)
#define BASIC_WORDS       4
#define MEMORY_WORDS      4
#define GPR_WORDS         18
#define XMM_WORDS         32
#define RECORD_WORDS_MAX  (BASIC_WORDS + MEMORY_WORDS + GPR_WORDS + XMM_WORDS)
#define RECORD_SIZE_SHIFT 48
/* From Sapphire Rapids on: latency of the instruction in the low 16 bits, of the cache from bit 32 on. */
#define CACHE_LATENCY_SHIFT 32
/* Cycles from the instruction's dispatch to its access of the cache */
#define DISPATCH_CYCLES 5

/* Data source: source in the low bits, then flags */
#define SOURCE_LOCKED (1u << 5)

#define FORMAT_3 (CAP_TRAP | CAP_FORMAT(3u) | CAP_FULL_WIDTH)
#define FORMAT_4 (CAP_TRAP | CAP_FORMAT(4u) | CAP_FULL_WIDTH | CAP_BASELINE | CAP_METRICS)

#define COUNTERS_MAX 8
#define FIXED_MAX    4

/* Bit of IA32_PERF_CAPABILITIES: adaptive records. Bit of IA32_PERFEVTSEL: the event's records have the groups of data_cfg. */
#define CAP_BASELINE    (1u << 14)
#define SELECT_ADAPTIVE (1ull << 34)

typedef struct PebsModel {
	uint8_t model; /* of family 6 */
	uint8_t counters, fixed;
	uint8_t version, events; /* of architectural performance monitoring; architectural events */
	uint32_t capabilities;   /* IA32_PERF_CAPABILITIES */
	bool auxiliary;          /* load latency counts only beside the auxiliary event */
	bool two_latencies;      /* the record has the instruction's latency and the cache's */
} PebsModel;

/* What a counter counts at present. */
typedef struct PebsEvent {
	uint16_t levels; /* bitmap of MemLevel: loads that were served there */
	bool latency; /* only loads with at least the threshold's latency, whose records have source and latency */
	uint64_t privilege; /* SELECT_USER, SELECT_OS */
} PebsEvent;

typedef struct PebsState {
	const PebsModel *model;
	uint64_t select[COUNTERS_MAX], counter[COUNTERS_MAX];
	uint64_t fixed_ctrl, fixed[FIXED_MAX];
	uint64_t metrics; /* can be read and written, but does not count */
	uint64_t capabilities, status, global_ctrl, pebs_enable;
	uint64_t threshold[2]; /* thresholds of load latency, and of the front end (no effect) */
	uint64_t offcore[2];   /* no effect */
	uint64_t ds_area, data_cfg;
	uint64_t zero[3];

	PebsEvent event[COUNTERS_MAX];
	unsigned counting;    /* bitmap of the counters that count loads now */
	unsigned overflowed;  /* bitmap of the counters that overflowed in this instruction */
	uint64_t pc;          /* instruction of the first load that made a counter overflow */
	ObserveAccess access; /* this load */
} PebsState;

/* The first row also serves models that have none. */
static const PebsModel models[] = {
	{0x55, 4, 3, 4, 7, FORMAT_3, false, false}, /* Skylake-SP, Cascade Lake */
	{0x6a, 8, 4, 5, 8, FORMAT_4, false, false}, /* Ice Lake-SP */
	{0x8f, 8, 4, 5, 8, FORMAT_4, true, true},   /* Sapphire Rapids */
	{0xcf, 8, 4, 5, 8, FORMAT_4, true, true},   /* Emerald Rapids */
	{0xad, 8, 4, 5, 8, FORMAT_4, false, true},  /* Granite Rapids */
};

static const struct {
	uint32_t first, count;
	size_t offset;
} registers[] = {
	{MSR_PMC0, COUNTERS_MAX, offsetof(PebsState, counter)},
	{MSR_PERFEVTSEL0, COUNTERS_MAX, offsetof(PebsState, select)},
	{MSR_OFFCORE_RSP0, 2, offsetof(PebsState, offcore)},
	{MSR_FIXED_CTR0, FIXED_MAX, offsetof(PebsState, fixed)},
	{MSR_METRICS, 1, offsetof(PebsState, metrics)},
	{MSR_CAPABILITIES, 1, offsetof(PebsState, capabilities)},
	{MSR_FIXED_CTRL, 1, offsetof(PebsState, fixed_ctrl)},
	{MSR_STATUS, 1, offsetof(PebsState, status)},
	{MSR_GLOBAL_CTRL, 1, offsetof(PebsState, global_ctrl)},
	{MSR_STATUS_RESET, 3, offsetof(PebsState, zero)}, /* and STATUS_SET, IN_USE */
	{MSR_PEBS_ENABLE, 1, offsetof(PebsState, pebs_enable)},
	{MSR_DATA_CFG, 1, offsetof(PebsState, data_cfg)},
	{MSR_LD_LAT, 2, offsetof(PebsState, threshold)},
	{MSR_FULL_PMC0, COUNTERS_MAX, offsetof(PebsState, counter)},
	{MSR_DS_AREA, 1, offsetof(PebsState, ds_area)},
};

const VMStateDescription vmstate_pebs = {
	.name = "pebs",
	.fields =
		(const VMStateField[]){
			VMSTATE_UINT64_ARRAY(select, PebsState, COUNTERS_MAX),
			VMSTATE_UINT64_ARRAY(counter, PebsState, COUNTERS_MAX),
			VMSTATE_UINT64(fixed_ctrl, PebsState),
			VMSTATE_UINT64_ARRAY(fixed, PebsState, FIXED_MAX), VMSTATE_UINT64(metrics, PebsState),
			VMSTATE_UINT64(status, PebsState), VMSTATE_UINT64(global_ctrl, PebsState),
			VMSTATE_UINT64(pebs_enable, PebsState), VMSTATE_UINT64_ARRAY(threshold, PebsState, 2),
			VMSTATE_UINT64_ARRAY(offcore, PebsState, 2), VMSTATE_UINT64(ds_area, PebsState),
			VMSTATE_UINT64(data_cfg, PebsState), VMSTATE_END_OF_LIST()},
};

bool pebs_present(CPUX86State *env)
{
	return env_archcpu(env)->observe.pebs;
}

static const PebsModel *model_of(CPUX86State *env)
{
	unsigned model = (env->cpuid_version >> 4 & 0xf) | (env->cpuid_version >> 12 & 0xf0);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		if (models[i].model == model) {
			return &models[i];
		}
	}
	return &models[0];
}

PebsState *pebs_new(CPUX86State *env)
{
	PebsState *s = g_new0(PebsState, 1);

	if (pebs_present(env) && !IS_INTEL_CPU(env)) {
		error_report("-cpu property pebs is for Intel's models, such as Skylake-Server");
		exit(1);
	}
	s->model = model_of(env);
	s->capabilities = s->model->capabilities;
	return s;
}

bool pebs_cpuid(CPUX86State *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
	const PebsModel *model = model_of(env);

	if (!pebs_present(env)) {
		return false;
	}
	if (leaf == 1) {
		*ecx |= CPUID_EXT_DTES64 | CPUID_EXT_PDCM;
		*edx |= CPUID_DTS;
		return true;
	}
	*eax = CPUID_PMU_EAX(model->version, model->counters, model->events);
	*ebx = *ecx = 0;
	*edx = CPUID_PMU_EDX(model->fixed);
	if (model->version >= 5) {
		*ecx = MAKE_64BIT_MASK(0, model->fixed);
		*edx |= CPUID_ANYTHREAD_REMOVED;
	}
	return true;
}

/* ---- the record of a load in the debug store (DS) area, in the two formats of the emulated parts ---- */

static const uint8_t sources[MEM_LEVELS] = {
	[MEM_L1] = 0x1,          [MEM_L2] = 0x3,         [MEM_L3] = 0x4,          [MEM_PEER] = 0x7,
	[MEM_REMOTE_PEER] = 0xd, [MEM_LOCAL_DRAM] = 0xa, [MEM_REMOTE_DRAM] = 0xb, [MEM_OTHER] = 0xe,
};

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

/* Returns a word of the DS area, or 0 if the guest has no mapping there. */
static uint64_t read_ds(CPUX86State *env, uint64_t vaddr)
{
	void *host = ds_word(env, vaddr, MMU_DATA_LOAD);

	return host ? ldq_le_p(host) : 0;
}

static uint64_t *put_registers(CPUX86State *env, const uint8_t *order, uint64_t *word)
{
	size_t i;

	*word++ = cpu_compute_eflags(env);
	*word++ = env->eip;
	for (i = 0; i < CPU_NB_REGS; i++) {
		*word++ = env->regs[order[i]];
	}
	return word;
}

/* Only records of load latency have source and latency; those of other events have the address alone. */
static uint64_t *put_memory(const PebsState *s, unsigned counters, uint64_t *word)
{
	uint64_t latency = MIN(s->access.latency, 0xffff);
	bool described = s->event[ctz32(counters)].latency;

	*word++ = s->access.vaddr;
	*word++ = described ? sources[s->access.level] | (s->access.locked ? SOURCE_LOCKED : 0) : 0;
	if (s->model->two_latencies) {
		latency = latency << CACHE_LATENCY_SHIFT | MIN(latency + DISPATCH_CYCLES, 0xffff);
	}
	*word++ = described ? latency : 0;
	return word;
}

static unsigned legacy_record(CPUX86State *env, const PebsState *s, unsigned counters, uint64_t *words)
{
	static const uint8_t order[] = {R_EAX, R_EBX, R_ECX, R_EDX, R_ESI, R_EDI, R_EBP, R_ESP,
					8,     9,     10,    11,    12,    13,    14,    15};
	uint64_t *word = put_registers(env, order, words);

	*word++ = counters;
	word = put_memory(s, counters, word);
	*word++ = s->pc;
	*word++ = 0; /* transactions */
	*word++ = cpu_get_tsc(env) + env->tsc_offset;
	return word - words;
}

static unsigned adaptive_record(CPUX86State *env, const PebsState *s, unsigned counters, uint64_t *words)
{
	static const uint8_t order[] = {R_EAX, R_ECX, R_EDX, R_EBX, R_ESP, R_EBP, R_ESI, R_EDI,
					8,     9,     10,    11,    12,    13,    14,    15};
	uint64_t groups = s->select[ctz32(counters)] & SELECT_ADAPTIVE ? s->data_cfg & GROUPS : 0;
	uint64_t *word = words + 1;
	int i;

	*word++ = s->pc;
	*word++ = counters;
	*word++ = cpu_get_tsc(env) + env->tsc_offset;
	if (groups & GROUP_MEMORY) {
		word = put_memory(s, counters, word);
		*word++ = 0; /* transactions */
	}
	if (groups & GROUP_GPRS) {
		word = put_registers(env, order, word);
	}
	for (i = 0; groups & GROUP_XMMS && i < CPU_NB_REGS; i++) {
		*word++ = env->xmm_regs[i].ZMM_Q(0);
		*word++ = env->xmm_regs[i].ZMM_Q(1);
	}
	words[0] = groups | (uint64_t)((word - words) * 8) << RECORD_SIZE_SHIFT;
	return word - words;
}

/* Writes the record of the load s->access, which made these counters overflow. Returns true if an interrupt must be raised. */
static bool write_record(CPUX86State *env, PebsState *s, unsigned counters)
{
	uint64_t index = read_ds(env, s->ds_area + DS_INDEX);
	uint64_t words[RECORD_WORDS_MAX];
	unsigned count = s->capabilities & CAP_BASELINE ? adaptive_record(env, s, counters, words)
							: legacy_record(env, s, counters, words);
	void *head;
	unsigned i;

	if (index + count * 8 <= read_ds(env, s->ds_area + DS_MAXIMUM)) {
		/* Check both ends to write the record completely or not at all: it is in at most two pages. */
		if (!ds_word(env, index, MMU_DATA_STORE) ||
		    !ds_word(env, index + count * 8 - 8, MMU_DATA_STORE) ||
		    !(head = ds_word(env, s->ds_area + DS_INDEX, MMU_DATA_STORE))) {
			return false;
		}
		stq_le_p(head, index + count * 8);
		for (i = 0; i < count; i++) {
			stq_le_p(ds_word(env, index + i * 8, MMU_DATA_STORE), words[i]);
		}
		index += count * 8;
		observe_delivered(env->observe.cpu);
	}
	/* True for each later record as well, as an interrupt that was raised while masked is lost. */
	return index >= read_ds(env, s->ds_area + DS_THRESHOLD);
}

/* Restart the counter at the reset value; loads counted since the overflow belong to the new period. */
static void reload(CPUX86State *env, PebsState *s, unsigned counter)
{
	uint64_t reset = read_ds(env, s->ds_area + DS_RESET + 8 * counter);
	uint64_t period = -reset & COUNTER_MASK;

	if (period) {
		s->counter[counter] %= period;
	}
	s->counter[counter] = (s->counter[counter] + reset) & COUNTER_MASK;
}

/* Handle overflows after their load has retired; env has the state before the next instruction. */
static void settle(CPUX86State *env, PebsState *s)
{
	unsigned recorded = s->overflowed & s->pebs_enable;
	unsigned plain = s->overflowed & ~s->pebs_enable;
	bool interrupts = false;
	unsigned i;
	BQL_LOCK_GUARD();

	s->overflowed = 0;
	observe_set_due(&env->observe, OBSERVE_NEVER);
	/* With -icount, reading the time and raising an interrupt require can_do_io. */
	env_cpu(env)->neg.can_do_io = true;
	if (recorded && write_record(env, s, recorded)) {
		s->status |= STATUS_DS_OVERFLOW;
		interrupts = true;
	}
	for (i = 0; i < s->model->counters; i++) {
		if (recorded & 1u << i) {
			reload(env, s, i);
		} else if (plain & 1u << i) {
			s->status |= 1u << i;
			interrupts |= !!(s->select[i] & SELECT_INT);
		}
	}
	if (interrupts) {
		clock_interrupt(env, true);
	}
}

/* ---- counting ---- */

/* Counters of instructions and cycles have overflowed. */
static void note_overflow(CPUX86State *env, uint64_t bits)
{
	PebsState *s = env->observe.cpu->pebs;
	bool interrupts = false;
	unsigned i;

	s->status |= bits;
	for (i = 0; i < s->model->counters; i++) {
		interrupts |= (bits & 1ull << i) && (s->select[i] & SELECT_INT);
	}
	for (i = 0; i < s->model->fixed; i++) {
		interrupts |=
			(bits & 1ull << (GLOBAL_FIXED + i)) && (s->fixed_ctrl >> FIXED_BITS * i & FIXED_INT);
	}
	if (interrupts) {
		clock_interrupt(env, true);
	}
}

static void overflow(CPUX86State *env, PebsState *s, unsigned counter, const ObserveAccess *a)
{
	if (!s->overflowed) {
		s->pc = env->observe.pc;
		s->access = *a;
	}
	s->overflowed |= 1u << counter;
	observe_set_due(&env->observe, OBSERVE_DUE); /* call pebs_op() when the next instruction starts */
}

static bool pebs_access(CPUX86State *env, const ObserveAccess *a)
{
	PebsState *s = env->observe.cpu->pebs;
	uint64_t privilege = env->hflags & HF_CPL_MASK ? SELECT_USER : SELECT_OS;
	bool slow = a->latency >= (s->threshold[0] & LD_LAT_MASK), counted = false;
	unsigned left, i;

	if (!a->load) {
		return false;
	}
	for (left = s->counting; left; left &= left - 1) {
		i = ctz32(left);
		if ((s->event[i].levels & 1u << a->level) && (s->event[i].privilege & privilege) &&
		    (slow || !s->event[i].latency)) {
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
		observe_set_due(&env->observe, OBSERVE_DUE);
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
	uint32_t count;
	size_t i;

	if (s->model->version < 5 && (msr == MSR_METRICS || msr == MSR_DATA_CFG)) {
		return NULL;
	}
	for (i = 0; i < ARRAY_SIZE(registers); i++) {
		count = registers[i].count == COUNTERS_MAX ? s->model->counters
			: registers[i].count == FIXED_MAX  ? s->model->fixed
							   : registers[i].count;
		if (msr - registers[i].first < count) {
			return (uint64_t *)((char *)s + registers[i].offset) + (msr - registers[i].first);
		}
	}
	return NULL;
}

/* Returns what a counter with this selection counts; nothing (no levels) for the events that are not emulated. */
static PebsEvent event_of(uint64_t select)
{
	static const uint16_t sources_by_umask[] = {1u << MEM_LOCAL_DRAM, 1u << MEM_REMOTE_DRAM,
						    1u << MEM_REMOTE_PEER};
	PebsEvent event = {.privilege = select & (SELECT_USER | SELECT_OS)};
	size_t i;

	if ((select & SELECT_EVENT) == EVENT_LD_LATENCY) {
		event.latency = true;
		event.levels = MAKE_64BIT_MASK(0, MEM_LEVELS);
	} else if ((select & 0xff) == EVENT_L3_MISS) {
		/* Umask 08h, a clean line forwarded by another node's cache, does not occur in the model. */
		for (i = 0; i < ARRAY_SIZE(sources_by_umask); i++) {
			event.levels |= select & 0x100u << i ? sources_by_umask[i] : 0;
		}
	}
	return event;
}

/* Records of instructions and cycles are not emulated: a counter that PEBS is enabled for does not count them. */
static ClockEvent clock_event_of(const PebsState *s, unsigned counter)
{
	uint64_t select = s->select[counter];

	if (!(select & SELECT_ENABLE) || !(s->global_ctrl & 1u << counter) ||
	    (s->pebs_enable & 1u << counter) || (select & (SELECT_EDGE | SELECT_COMPARE))) {
		return CLOCK_NOTHING;
	}
	switch (select & SELECT_EVENT) {
	case EVENT_CYCLES:
	case EVENT_REFERENCE_CYCLES:
		return CLOCK_CYCLES;
	case EVENT_INSTRUCTIONS:
		return CLOCK_INSTRUCTIONS;
	case EVENT_LOADS:
		return CLOCK_LOADS;
	default:
		return CLOCK_NOTHING;
	}
}

static void choose_clock_counters(CPUX86State *env, PebsState *s)
{
	static const ClockEvent fixed_events[FIXED_MAX] = {CLOCK_INSTRUCTIONS, CLOCK_CYCLES, CLOCK_CYCLES,
							   CLOCK_NOTHING};
	unsigned i;

	env->observe.cpu->clock.overflow = note_overflow;
	clock_clear(env);
	for (i = 0; i < s->model->counters; i++) {
		unsigned privilege = (s->select[i] & SELECT_USER ? CLOCK_USER : 0) |
				     (s->select[i] & SELECT_OS ? CLOCK_KERNEL : 0);

		clock_add(env, (ClockCounter){&s->counter[i], clock_event_of(s, i), privilege, i});
	}
	for (i = 0; i < s->model->fixed; i++) {
		unsigned control = s->fixed_ctrl >> FIXED_BITS * i;
		unsigned privilege =
			(control & FIXED_USER ? CLOCK_USER : 0) | (control & FIXED_OS ? CLOCK_KERNEL : 0);

		if (s->global_ctrl & 1ull << (GLOBAL_FIXED + i)) {
			clock_add(env,
				  (ClockCounter){&s->fixed[i], fixed_events[i], privilege, GLOBAL_FIXED + i});
		}
	}
	observe_counting(env);
}

static void choose_counters(CPUX86State *env, PebsState *s)
{
	bool auxiliary = !s->model->auxiliary, hits = false;
	unsigned i, on = 0;

	for (i = 0; i < s->model->counters; i++) {
		if ((s->select[i] & SELECT_ENABLE) && (s->global_ctrl & 1u << i)) {
			on |= 1u << i;
			auxiliary |= (s->select[i] & SELECT_EVENT) == EVENT_AUXILIARY;
		}
	}
	s->counting = 0;
	for (i = 0; i < s->model->counters; i++) {
		s->event[i] = event_of(s->select[i]);
		if ((on & 1u << i) && s->event[i].levels && (auxiliary || !s->event[i].latency)) {
			s->counting |= 1u << i;
			hits |= s->event[i].latency;
		}
	}
	env->observe.cpu->examine_hits = hits && (s->threshold[0] & LD_LAT_MASK) <= observe_config->lat_l1;
	/* A counter that is stopped before its record is written gets no record. */
	s->overflowed &= s->counting;
	observe_sampling(env, s->counting ? &pebs_sampler : NULL);
	choose_clock_counters(env, s);
}

bool pebs_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	uint64_t *reg;

	if (!pebs_present(env)) {
		return false;
	}
	if (msr == MSR_IA32_MISC_ENABLE) {
		*val = (env->msr_ia32_misc_enable & ~MISC_PEBS_UNAVAIL) | MISC_PERFMON | MISC_BTS_UNAVAIL;
		return true;
	}
	reg = find_register(env->observe.cpu->pebs, msr);
	if (reg) {
		clock_settle(env);
		*val = *reg;
	}
	return reg;
}

bool pebs_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	PebsState *s = env->observe.cpu->pebs;
	uint64_t *reg = pebs_present(env) ? find_register(s, msr) : NULL;

	if (!reg) {
		return false;
	}
	clock_settle(env);
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
	case MSR_PMC0 ... MSR_PMC0 + COUNTERS_MAX - 1:
		*reg = (int32_t)val & COUNTER_MASK;
		observe_counting(env);
		break;
	case MSR_FULL_PMC0 ... MSR_FULL_PMC0 + COUNTERS_MAX - 1:
	case MSR_FIXED_CTR0 ... MSR_FIXED_CTR0 + FIXED_MAX - 1:
		*reg = val & COUNTER_MASK;
		observe_counting(env);
		break;
	default:
		*reg = val;
		choose_counters(env, s);
		break;
	}
	return true;
}

#define RDPMC_METRICS (1u << 29)
#define RDPMC_FIXED   (1u << 30)

bool pebs_rdpmc(CPUX86State *env, uint32_t which, uint64_t *val)
{
	PebsState *s = env->observe.cpu->pebs;
	bool fixed = which & RDPMC_FIXED, metrics = which == RDPMC_METRICS && s->model->version >= 5;

	which = metrics ? 0 : which & ~RDPMC_FIXED;
	if (which >= (fixed ? s->model->fixed : s->model->counters)) {
		return false;
	}
	clock_settle(env);
	*val = metrics ? s->metrics : fixed ? s->fixed[which] : s->counter[which];
	return true;
}
