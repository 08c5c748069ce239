/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of AMD's memory controllers (UMC), as Linux' amd_uncore drives them on Zen 4 and 5: each channel of a node has four, in MSRs
 * that all CPUs of the node share. CAS commands count, one for each line that the channel reads or writes; all other events can be
 * programmed, and do not count.
 * Source: Processor Programming Reference of family 19h models 10h-1Fh, "UMC Performance Monitors"; CPUID 8000_0022.
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "cpu.h"
#include "observe-registers.h"
#include "observe-switch.h"

#define LEAF_FEATURES 0x80000001
#define LEAF_COUNTERS 0x80000022

#define COUNTERS (4 * MEMORY_CHANNELS) /* of a node: four per channel */

/* CPUID 8000_0022 */
#define EAX_PERFMON_V2    1u
#define EBX_CORE_COUNTERS 6u
#define EBX_UMC_SHIFT     16

#define MSR_UMC 0xc0010800 /* select and counter alternate */

/* PERF_CTL */
#define SELECT_EVENT(select) ((select)&0xff)
#define SELECT_READS         (1ull << 8)
#define SELECT_WRITES        (1ull << 9)
#define SELECT_ENABLE        (1ull << 31)

#define EVENT_CAS 0x0a

/* A counter does not wrap around: it stays at its maximum, with the overflow bit above it. */
#define VALUE_MAX ((1ull << 49) - 1)

typedef struct UmcCounter {
	uint64_t select;
	uint64_t value;  /* when it was started, or written */
	uint64_t before; /* what its channel had done then */
} UmcCounter;

static QemuMutex lock;
static UmcCounter *counters; /* of all nodes */
static unsigned enabled;

void umc_init(void)
{
	qemu_mutex_init(&lock);
	counters = g_new0(UmcCounter, cachemodel_nodes() * COUNTERS);
}

void umc_cpuid(CPUX86State *env, uint32_t leaf, uint32_t *eax, uint32_t *ebx, uint32_t *ecx)
{
	if (!amd_perfmon_v2(env)) {
		return;
	}
	switch (leaf) {
	case LEAF_FEATURES:
		/* Without it, Linux has no counters outside of cores. */
		*ecx |= CPUID_EXT3_TOPOEXT;
		break;
	case LEAF_COUNTERS:
		*eax |= EAX_PERFMON_V2;
		*ebx |= EBX_CORE_COUNTERS | COUNTERS << EBX_UMC_SHIFT;
		*ecx |= MAKE_64BIT_MASK(0, MEMORY_CHANNELS);
		break;
	}
}

/* Number of CAS commands of the channel that the counter's event counts, since power on. */
static uint64_t commands(const UmcCounter *c)
{
	int index = c - counters;
	int node = index / COUNTERS, channel = index % COUNTERS / (COUNTERS / MEMORY_CHANNELS);
	bool all = !(c->select & (SELECT_READS | SELECT_WRITES));
	uint64_t sum = 0;

	if (!(c->select & SELECT_ENABLE) || SELECT_EVENT(c->select) != EVENT_CAS) {
		return 0;
	}
	if (all || (c->select & SELECT_READS)) {
		sum += memory_channel(node, channel, false);
	}
	if (all || (c->select & SELECT_WRITES)) {
		sum += memory_channel(node, channel, true);
	}
	return sum;
}

static uint64_t value_of(const UmcCounter *c)
{
	return MIN(c->value + (commands(c) - c->before), VALUE_MAX);
}

static UmcCounter *find_counter(CPUX86State *env, uint32_t msr)
{
	uint32_t index = (msr - MSR_UMC) / 2;

	if (!amd_perfmon_v2(env) || msr < MSR_UMC || index >= COUNTERS) {
		return NULL;
	}
	return &counters[env->observe.cpu->node * COUNTERS + index];
}

bool umc_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
	const UmcCounter *c = find_counter(env, msr);

	if (c) {
		QEMU_LOCK_GUARD(&lock);
		*val = (msr - MSR_UMC) % 2 ? value_of(c) : c->select;
	}
	return c;
}

bool umc_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
	UmcCounter *c = find_counter(env, msr);
	unsigned others, now;

	if (!c) {
		return false;
	}
	QEMU_LOCK_GUARD(&lock);
	others = enabled - !!(c->select & SELECT_ENABLE);
	if ((msr - MSR_UMC) % 2) {
		c->value = val & VALUE_MAX;
	} else {
		c->value = value_of(c);
		c->select = val;
	}
	c->before = commands(c);
	now = others + !!(c->select & SELECT_ENABLE);
	/* The model of the caches must run while any counter does. */
	if (!enabled != !now) {
		observe_need_machine(env, now);
	}
	enabled = now;
	return true;
}
