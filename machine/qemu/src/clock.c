/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model clock: see clock.h. The number of instructions results from the countdown (observe-cpu.h), so that it costs nothing while
 * code runs; it is divided by privilege and address space when these change.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "hw/i386/apic_internal.h"
#include "system/cpu-timers.h"
#include "system/model-time.h"
#include "clock.h"
#include "truth-count.h"

static unsigned privilege_of(unsigned cpl)
{
	return cpl ? CLOCK_USER : CLOCK_KERNEL;
}

void clock_init(CPUX86State *env)
{
	ObserveState *o = &env->observe;
	Clock *c = &o->cpu->clock;

	c->insns_due = c->cycles_due = OBSERVE_NEVER;
	o->loads_due = UINT64_MAX;
	o->clock_due = o->sampler_due = o->deadline = o->countdown = OBSERVE_NEVER;
}

static uint64_t left(const ClockCounter *counter)
{
	return (COUNTER_MASK + 1) - *counter->value;
}

/* Determines when the next of the counters that count this privilege overflows. */
static void schedule(CPUX86State *env, unsigned privilege)
{
	ObserveState *o = &env->observe;
	Clock *c = &o->cpu->clock;
	int64_t insns = observe_insns(o);
	const ClockCounter *counter;

	c->insns_due = c->cycles_due = OBSERVE_NEVER;
	o->loads_due = UINT64_MAX;
	for (counter = c->counters; counter < &c->counters[c->count]; counter++) {
		if (!(counter->privilege & privilege)) {
			continue;
		}
		if (counter->event == CLOCK_CYCLES) {
			c->cycles_due = MIN(c->cycles_due, (int64_t)(insns + c->stalls + left(counter)));
		} else if (counter->event == CLOCK_LOADS) {
			o->loads_due = MIN(o->loads_due, o->loads + left(counter));
		} else {
			c->insns_due = MIN(c->insns_due, (int64_t)(insns + left(counter)));
		}
	}
	o->clock_due = c->insns_due;
	if (c->cycles_due != OBSERVE_NEVER) {
		o->clock_due = MIN(o->clock_due, (int64_t)(c->cycles_due - c->stalls));
	}
	observe_schedule(o);
}

static void settle(CPUX86State *env)
{
	ObserveState *o = &env->observe;
	Clock *c = &o->cpu->clock;
	unsigned privilege = privilege_of(env->hflags & HF_CPL_MASK);
	uint64_t insns = observe_insns(o) - c->settled_insns;
	uint64_t cycles = insns + (c->stalls - c->settled_stalls), loads = o->loads - c->settled_loads;
	const uint64_t counts[CLOCK_EVENTS] = {
		[CLOCK_INSTRUCTIONS] = insns, [CLOCK_CYCLES] = cycles, [CLOCK_LOADS] = loads};
	uint64_t bits = 0;
	const ClockCounter *counter;

	if (!cycles && !loads) {
		return;
	}
	c->settled_insns += insns;
	c->settled_stalls = c->stalls;
	c->settled_loads = o->loads;
	if (truth_counting) {
		truth_clock(o->cpu, env->cr[3] & ~0xfffull, privilege == CLOCK_USER, insns, cycles);
	}
	for (counter = c->counters; counter < &c->counters[c->count]; counter++) {
		if (counter->privilege & privilege) {
			uint64_t before = *counter->value;

			*counter->value = (before + counts[counter->event]) & COUNTER_MASK;
			bits |= *counter->value < before ? 1ull << counter->bit : 0;
		}
	}
	if (bits) {
		c->overflow(env, bits);
	}
}

void clock_settle(CPUX86State *env)
{
	settle(env);
	if (env->observe.cpu->clock.count) {
		schedule(env, privilege_of(env->hflags & HF_CPL_MASK));
	}
}

void clock_settle_all(void)
{
	CPUState *cs;

	CPU_FOREACH(cs)
	{
		CPUX86State *env = cpu_env(cs);

		if (observe_cpu(env)) {
			/* The vCPU is between two TBs. */
			env->observe.insns_left = 0;
			clock_settle(env);
		}
	}
}

void observe_privilege(CPUX86State *env, unsigned cpl)
{
	settle(env);
	if (env->observe.cpu->clock.count) {
		schedule(env, privilege_of(cpl));
	}
}

void observe_space(CPUX86State *env)
{
	if (truth_counting) {
		clock_settle(env);
	}
}

void clock_clear(CPUX86State *env)
{
	env->observe.cpu->clock.count = 0;
}

void clock_add(CPUX86State *env, ClockCounter counter)
{
	Clock *c = &env->observe.cpu->clock;

	if (counter.event != CLOCK_NOTHING && counter.privilege) {
		assert(c->count < CLOCK_COUNTERS_MAX);
		c->counters[c->count++] = counter;
	}
}

void clock_count(CPUX86State *env)
{
	schedule(env, privilege_of(env->hflags & HF_CPL_MASK));
}

void clock_loads_due(ObserveState *o)
{
	o->loads_due = UINT64_MAX;
	o->clock_due = MIN(o->clock_due, observe_insns(o));
	observe_schedule(o);
}

void clock_stall(CPUX86State *env, unsigned latency)
{
	ObserveState *o = &env->observe;
	Clock *c = &o->cpu->clock;

	c->stalls += latency;
	if (model_time) {
		model_time_stall(env_cpu(env), latency);
	}
	if (c->cycles_due != OBSERVE_NEVER && (int64_t)(c->cycles_due - c->stalls) < o->clock_due) {
		o->clock_due = c->cycles_due - c->stalls;
		observe_schedule(o);
	}
}

void observe_pause(CPUState *cs)
{
	if (model_time) {
		model_time_stall(cs, CLOCK_PAUSE);
	} else if (!icount_enabled()) {
		/* The vCPU that this one waits for may need the host CPU. */
		sched_yield();
	}
}

bool clock_op(CPUX86State *env)
{
	/* Linux must not get an NMI between STI and HLT, which would then wait for an interrupt that has been handled. */
	if (env->hflags & HF_INHIBIT_IRQ_MASK) {
		return true;
	}
	clock_settle(env);
	return false;
}

void clock_interrupt(CPUX86State *env, bool mask)
{
	APICCommonState *apic = APIC_COMMON(env_archcpu(env)->apic_state);
	uint32_t *lvt = &apic->lvt[APIC_LVT_PERFORM];
	BQL_LOCK_GUARD();

	if (!(*lvt & APIC_LVT_MASKED) && (*lvt >> 8 & 7) == APIC_DM_NMI) {
		*lvt |= mask ? APIC_LVT_MASKED : 0;
		/* With -icount, raising an interrupt requires can_do_io. */
		env_cpu(env)->neg.can_do_io = true;
		cpu_interrupt(env_cpu(env), CPU_INTERRUPT_NMI);
	}
}
