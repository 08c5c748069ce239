/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of a load in the debug store (DS) area, in the two formats of the emulated parts. Source: as in pebs.c.
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "tcg/helper-tcg.h"
#include "pebs.h"

/* The DS area in 64-bit mode: offsets of the fields that are used */
#define DS_INDEX     40
#define DS_MAXIMUM   48
#define DS_THRESHOLD 56

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

uint64_t pebs_ds_read(CPUX86State *env, uint64_t vaddr)
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

bool pebs_record(CPUX86State *env, PebsState *s, unsigned counters)
{
	uint64_t index = pebs_ds_read(env, s->ds_area + DS_INDEX);
	uint64_t words[RECORD_WORDS_MAX];
	unsigned count = s->capabilities & CAP_BASELINE ? adaptive_record(env, s, counters, words)
							: legacy_record(env, s, counters, words);
	void *head;
	unsigned i;

	if (index + count * 8 <= pebs_ds_read(env, s->ds_area + DS_MAXIMUM)) {
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
	return index >= pebs_ds_read(env, s->ds_area + DS_THRESHOLD);
}
