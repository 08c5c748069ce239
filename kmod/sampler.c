// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selects the sampler of a session. Sessions of different samplers exclude each other, because the hardware has one
 * counter per CPU: perf would give it to one of them only, or alternate between them.
 */
#include <linux/mutex.h>

#include "pmu.h"
#include "sampler.h"
#include "session.h"

const struct memphis_sampler *memphis_sampler __ro_after_init;

/* Guards the two variables below; session.h documents the lock order. */
static DEFINE_MUTEX(memphis_sampler_lock);
static const struct memphis_sampler *memphis_sampler_in_use; /* by all open sessions */
static unsigned int memphis_sampler_sessions;

/* Returns true if sessions may use the per-CPU sampler. */
static bool memphis_sampler_needs_cpus(void)
{
	return !memphis_pmu.per_task || (memphis_pmu.filters_allowed &&
					 memphis_pmu.hardware_filters != BIT(MEMPHIS_HARDWARE_FILTER_NONE));
}

int __init memphis_sampler_init(void)
{
	memphis_sampler = memphis_pmu.per_task ? &memphis_sampler_task : &memphis_sampler_cpu;
	return memphis_sampler_needs_cpus() ? memphis_cpu_init() : 0;
}

void memphis_sampler_exit(void)
{
	if (memphis_sampler_needs_cpus())
		memphis_cpu_exit();
}

const struct memphis_sampler *memphis_sampler_of(const struct memphis_config *config)
{
	return config->hardware_filter ? &memphis_sampler_cpu : memphis_sampler;
}

int memphis_sampler_open(struct memphis_device_session *session)
{
	int error = -EBUSY;

	mutex_lock(&memphis_sampler_lock);
	if (!memphis_sampler_sessions || memphis_sampler_in_use == session->sampler)
		error = session->sampler->open(session);
	if (!error) {
		memphis_sampler_in_use = session->sampler;
		memphis_sampler_sessions++;
	}
	mutex_unlock(&memphis_sampler_lock);
	return error;
}

void memphis_sampler_close(struct memphis_device_session *session)
{
	mutex_lock(&memphis_sampler_lock);
	session->sampler->close(session);
	memphis_sampler_sessions--;
	mutex_unlock(&memphis_sampler_lock);
}
