/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AMD's core performance counters: six pairs of MSRs from C001_0200 on, of which the first four are also at C001_0000. Those of the
 * events below advance with the model clock; all others can be programmed, and do not count. With PerfMonV2, the global control
 * enables them, and the global status has their overflows.
 * Source: Processor Programming References of families 19h and 1Ah, and AMD64 Architecture Programmer's Manual, volume 2,
 * "Performance Monitoring Counters".
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "migration/vmstate.h"
#include "clock.h"
#include "observe-registers.h"
#include "observe-switch.h"

#define COUNTERS        6
#define LEGACY_COUNTERS 4

#define LEAF_PERFMON_V2 0x80000022

#define MSR_LEGACY_SELECT  0xc0010000
#define MSR_LEGACY_COUNTER 0xc0010004
#define MSR_CORE           0xc0010200 /* select and counter alternate */
#define MSR_GLOBAL_STATUS  0xc0000300
#define MSR_GLOBAL_CONTROL 0xc0000301
#define MSR_STATUS_CLEAR   0xc0000302
#define MSR_STATUS_SET     0xc0000303

/* PERF_CTL. An event's code has 12 bits; cycles and instructions have no unit mask. */
#define SELECT_EVENT(select) (((select)&0xff) | ((select) >> 24 & 0xf00))
#define SELECT_UNITS(select) ((select) >> 8 & 0xff)
#define SELECT_USER          (1ull << 16)
#define SELECT_OS            (1ull << 17)
#define SELECT_EDGE          (1ull << 18)
#define SELECT_INT           (1ull << 20)
#define SELECT_ENABLE        (1ull << 22)
#define SELECT_COMPARE       (1ull << 23 | 0xffull << 24) /* invert, counter mask */

#define EVENT_CYCLES       0x76
#define EVENT_INSTRUCTIONS 0xc0
#define EVENT_DISPATCH     0x29 /* LsDispatch */
#define UNIT_LOADS         0x01 /* and the only unit that is emulated */

typedef struct AmdCounters {
	uint64_t select[COUNTERS], value[COUNTERS];
	uint64_t control, status; /* PerfMonV2: bit per counter */
} AmdCounters;

const VMStateDescription vmstate_amd_counters = {
	.name = "amd-counters",
	.fields = (const VMStateField[]){VMSTATE_UINT64_ARRAY(select, AmdCounters, COUNTERS),
					 VMSTATE_UINT64_ARRAY(value, AmdCounters, COUNTERS),
					 VMSTATE_UINT64(control, AmdCounters),
					 VMSTATE_UINT64(status, AmdCounters), VMSTATE_END_OF_LIST()},
};

struct AmdCounters *amd_counters_new(void)
{
	return g_new0(AmdCounters, 1);
}

bool amd_counters_present(CPUX86State *env)
{
	return env->features[FEAT_8000_0001_ECX] & CPUID_EXT3_PERFCORE;
}

bool amd_perfmon_v2(CPUX86State *env)
{
	return amd_counters_present(env) && env->cpuid_xlevel >= LEAF_PERFMON_V2;
}

static ClockEvent event_of(uint64_t select)
{
	if (!(select & SELECT_ENABLE) || (select & (SELECT_EDGE | SELECT_COMPARE))) {
		return CLOCK_NOTHING;
	}
	switch (SELECT_EVENT(select)) {
	case EVENT_CYCLES:
		return CLOCK_CYCLES;
	case EVENT_INSTRUCTIONS:
		return CLOCK_INSTRUCTIONS;
	case EVENT_DISPATCH:
		return SELECT_UNITS(select) == UNIT_LOADS ? CLOCK_LOADS : CLOCK_NOTHING;
	default:
		return CLOCK_NOTHING;
	}
}

static void overflow(CPUX86State *env, uint64_t bits)
{
	AmdCounters *s = env->observe.cpu->amd;
	unsigned i;

	s->status |= bits;
	for (i = 0; i < COUNTERS; i++) {
		if ((bits & 1ull << i) && (s->select[i] & SELECT_INT)) {
			clock_interrupt(env, false);
			return;
		}
	}
}

static void choose_counters(CPUX86State *env, AmdCounters *s)
{
	unsigned i;

	env->observe.cpu->clock.overflow = overflow;
	clock_clear(env);
	for (i = 0; i < COUNTERS; i++) {
		unsigned privilege = (s->select[i] & SELECT_USER ? CLOCK_USER : 0) |
				     (s->select[i] & SELECT_OS ? CLOCK_KERNEL : 0);

		if (!amd_perfmon_v2(env) || (s->control & 1ull << i)) {
			clock_add(env, (ClockCounter){&s->value[i], event_of(s->select[i]), privilege, i});
		}
	}
	observe_counting(env);
}

static uint64_t *find_register(AmdCounters *s, uint32_t msr)
{
	if (msr - MSR_LEGACY_SELECT < LEGACY_COUNTERS) {
		return &s->select[msr - MSR_LEGACY_SELECT];
	}
	if (msr - MSR_LEGACY_COUNTER < LEGACY_COUNTERS) {
		return &s->value[msr - MSR_LEGACY_COUNTER];
	}
	if (msr - MSR_CORE < 2 * COUNTERS) {
		return (msr - MSR_CORE) % 2 ? &s->value[(msr - MSR_CORE) / 2]
					    : &s->select[(msr - MSR_CORE) / 2];
	}
	return NULL;
}

static bool global_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	const AmdCounters *s = env->observe.cpu->amd;

	if (!amd_perfmon_v2(env) || msr < MSR_GLOBAL_STATUS || msr > MSR_STATUS_SET) {
		return false;
	}
	clock_settle(env);
	*val = msr == MSR_GLOBAL_STATUS ? s->status : msr == MSR_GLOBAL_CONTROL ? s->control : 0;
	return true;
}

static bool global_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	AmdCounters *s = env->observe.cpu->amd;

	if (!amd_perfmon_v2(env) || msr < MSR_GLOBAL_STATUS || msr > MSR_STATUS_SET) {
		return false;
	}
	clock_settle(env);
	val &= MAKE_64BIT_MASK(0, COUNTERS);
	switch (msr) {
	case MSR_GLOBAL_CONTROL:
		s->control = val;
		choose_counters(env, s);
		break;
	case MSR_STATUS_CLEAR:
		s->status &= ~val;
		break;
	case MSR_STATUS_SET:
		s->status |= val;
		break;
	}
	return true;
}

bool amd_counters_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	uint64_t *reg = amd_counters_present(env) ? find_register(env->observe.cpu->amd, msr) : NULL;

	if (reg) {
		clock_settle(env);
		*val = *reg;
	}
	return reg || global_rdmsr(env, msr, val);
}

bool amd_counters_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	AmdCounters *s = env->observe.cpu->amd;
	uint64_t *reg = amd_counters_present(env) ? find_register(s, msr) : NULL;

	if (reg) {
		clock_settle(env);
		*reg = reg >= s->value ? val & COUNTER_MASK : val;
		choose_counters(env, s);
	}
	return reg || global_wrmsr(env, msr, val);
}

bool amd_counters_rdpmc(CPUX86State *env, uint32_t which, uint64_t *val)
{
	if (which >= COUNTERS) {
		return false;
	}
	clock_settle(env);
	*val = env->observe.cpu->amd->value[which];
	return true;
}
