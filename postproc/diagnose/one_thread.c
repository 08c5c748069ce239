// SPDX-License-Identifier: BSD-3-Clause
#include "diagnose/one_thread.h"

#include <string.h>

/* threads are helper threads if together they have at most one in this number of the process's samples */
#define HELPERS_ONE_IN 200

/* Returns whether one thread does all the work of the process. Ignores helper threads of a runtime, which hardly run. */
static bool works_alone(const struct memphis_process *process)
{
	uint64_t samples = 0, most = 0;
	size_t i;

	for (i = 0; i < process->thread_count; i++) {
		samples += process->threads[i].read;
		most = process->threads[i].read > most ? process->threads[i].read : most;
	}
	return process->thread_count == 1 || (most && samples - most <= samples / HELPERS_ONE_IN);
}

/* Returns whether the variable is allocated in shared memory or in a mapped file, and not in memory of the process. */
static bool is_shared_memory(const struct memphis_profile *profile, const struct memphis_variable *variable)
{
	static const char *const own[] = {"heap", "mmap", "stack"};
	const char *segment = memphis_profile_text(profile, variable->segment);
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(segment, own[i]))
			return false;
	return variable->site != 0;
}

bool memphis_finding_is_of_one_thread(const struct memphis_finding *finding,
				      const struct memphis_profile *profile)
{
	return works_alone(&profile->processes.list[finding->process]) &&
	       !is_shared_memory(profile, &profile->variables[finding->variable]);
}
