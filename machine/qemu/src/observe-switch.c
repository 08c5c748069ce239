/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns instrumented code on and off: see observe-switch.h. */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "system/model-time.h"
#include "clock.h"
#include "observe-switch.h"

/* Time that instrumentation stays on after the last vCPU stops sampling, as retranslation is expensive. */
#define OBSERVE_LINGER_NS (50 * 1000 * 1000)

static bool observing_all; /* tb_flag of every vCPU is set, or will be set soon */
static bool everything;    /* exact counts are on */
static int needing_cpus;
static QEMUTimer *linger_timer;

bool observe_needed(void)
{
	return everything || model_time || qatomic_read(&needing_cpus) > 0;
}

uint32_t observe_flag(void)
{
	return observing_all ? HF_OBSERVE_MASK : 0;
}

static void set_flags(CPUState *unused, run_on_cpu_data data)
{
	bool on = observe_needed();
	CPUState *cs;

	clock_settle_all();
	if (on && !observing_all) {
		/* Code that was not instrumented has stored into lines of which caches would still have copies. */
		cachemodel_empty();
	}
	observing_all = on;
	CPU_FOREACH(cs)
	{
		CPUX86State *env = cpu_env(cs);

		if (observe_cpu(env)) {
			env->observe.tb_flag = observe_flag();
		}
	}
}

static void linger_over(void *opaque)
{
	if (!qatomic_read(&needing_cpus)) {
		async_safe_run_on_cpu(first_cpu, set_flags, RUN_ON_CPU_NULL);
	}
}

/* One more vCPU, or the machine, needs instrumented code, or one less. */
static void change_need(CPUX86State *env, bool needed)
{
	if (!needed) {
		if (qatomic_fetch_dec(&needing_cpus) == 1) {
			timer_mod(linger_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + OBSERVE_LINGER_NS);
		}
		return;
	}
	qatomic_inc(&needing_cpus);
	/* Takes effect on this vCPU at once (WRMSR ends its TB), on others as soon as they can be stopped. */
	env->observe.tb_flag = HF_OBSERVE_MASK;
	if (!qatomic_read(&observing_all)) {
		async_safe_run_on_cpu(env_cpu(env), set_flags, RUN_ON_CPU_NULL);
	}
}

/* Called when the vCPU's sampler or running counters have changed. */
static void update_need(CPUX86State *env)
{
	ObserveCpu *cpu = env->observe.cpu;
	bool needed = cpu->sampler || cpu->clock.count;

	if (cpu->needed != needed) {
		cpu->needed = needed;
		change_need(env, needed);
	}
}

void observe_sampling(CPUX86State *env, const ObserveSampler *sampler)
{
	ObserveCpu *cpu = observe_cpu(env);

	cpu->sampler = sampler;
	if (!sampler) {
		observe_set_due(&env->observe, OBSERVE_NEVER);
	}
	update_need(env);
}

void observe_counting(CPUX86State *env)
{
	clock_count(env);
	update_need(env);
}

void observe_need_machine(CPUX86State *env, bool needed)
{
	change_need(env, needed);
}

void observe_everything(bool on)
{
	everything = on;
	set_flags(NULL, RUN_ON_CPU_NULL);
}

void observe_switch_init(void)
{
	observing_all = model_time;
	linger_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, linger_over, NULL);
}
