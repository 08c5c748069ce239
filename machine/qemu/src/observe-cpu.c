/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the vCPUs: see observe-cpu.h. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "observe-cpu.h"

const ObserveConfig *observe_config;
static void (*create_cpu)(CPUX86State *env);

void observe_start(const ObserveConfig *config, void (*create)(CPUX86State *env))
{
	observe_config = config;
	create_cpu = create;
}

ObserveCpu *observe_cpu(CPUX86State *env)
{
	/* Hotplugged CPUs are created after observe_start(). */
	if (!env->observe.cpu && create_cpu) {
		create_cpu(env);
	}
	return env->observe.cpu;
}

uint32_t observe_random(ObserveCpu *cpu)
{
	/* xorshift64*, upper half */
	cpu->rng ^= cpu->rng >> 12;
	cpu->rng ^= cpu->rng << 25;
	cpu->rng ^= cpu->rng >> 27;
	return (cpu->rng * 0x2545f4914f6cdd1dull) >> 32;
}

void observe_delivered(ObserveCpu *cpu)
{
	qatomic_set(&cpu->delivered, cpu->delivered + 1);
}
