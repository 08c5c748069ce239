// SPDX-License-Identifier: BSD-3-Clause
/* Reads the samples, accounting and counts of the access pattern from its sample files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memphis/sampling_events.h>

#include "read/decode.h"
#include "read/thread.h"
#include "selftest/selftest.h"

/* Returns the index of the phase whose name is the name of the region. Returns MEMPHIS_SELFTEST_PHASES if there is none. */
static unsigned int find_phase(const struct memphis_plan *plan, const struct memphis_process *process,
			       unsigned int id)
{
	const struct memphis_region *region = memphis_process_region(process, id);
	size_t i;

	for (i = 0; region && i < plan->phase_count; i++)
		if (!strcmp(plan->phases[i].name, region->name))
			return (unsigned int)i;
	return MEMPHIS_SELFTEST_PHASES;
}

static int add_samples(struct memphis_observation *observation, const struct memphis_process *process,
		       const struct memphis_chunk_view *chunk)
{
	struct memphis_decoder decoder;
	struct memphis_sample *sample;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0) {
		sample = memphis_append(observation->samples, observation->sample_count,
					observation->sample_room);
		if (!sample)
			return -ENOMEM;
		*sample = decoder.sample;
		sample->region = find_phase(&observation->plan, process, decoder.sample.region);
	}
	return rc;
}

static int read_thread(struct memphis_observation *observation, const struct memphis_process *process,
		       const struct memphis_thread *thread, struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc = memphis_file_open_part(&file, thread->path, thread->begin, thread->end, error);

	if (rc)
		return rc;
	while ((rc = memphis_file_next(&file, &chunk, error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = memphis_file_payload(&file, &chunk, error);
		if (rc)
			break;
		rc = add_samples(observation, process, &chunk);
		if (rc) {
			memphis_fail(error, rc, "%s: samples: %s", thread->path, strerror(-rc));
			break;
		}
	}
	memphis_file_close(&file);
	return rc;
}

#define NAME(event, name, source, flags) [event] = name,

static void read_settings(struct memphis_observation *observation, const struct memphis_process *process)
{
	static const char *const names[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(NAME)};
	char key[64];

	snprintf(key, sizeof(key), "counted_%s", names[observation->event]);
	observation->has_count = memphis_setting(&process->settings, key);
	observation->count = memphis_setting_number(&process->settings, key, 0);
	observation->period = memphis_setting_number(&process->settings, "period", 0);
	observation->starved_ns = memphis_setting_number(&process->settings, "starved_ns", 0);
}

int memphis_observation_read(struct memphis_observation *observation, char *directory,
			     struct memphis_error *error)
{
	struct memphis_processes processes = {0};
	const struct memphis_process *process;
	size_t i;
	int rc = memphis_processes_load(&processes, &directory, 1, error);

	if (!rc && processes.count != 1)
		rc = memphis_fail(error, -EIO, "%s: files of %zu processes, and not of one", directory,
				  processes.count);
	if (!rc) {
		process = processes.list;
		read_settings(observation, process);
		observation->thread_count = process->thread_count;
		for (i = 0; i < process->thread_count && !rc; i++) {
			memphis_accounting_add(&observation->accounting, &process->threads[i].accounting);
			rc = read_thread(observation, process, &process->threads[i], error);
		}
	}
	memphis_processes_close(&processes);
	return rc;
}

void memphis_observation_close(struct memphis_observation *observation)
{
	free(observation->samples);
	memset(observation, 0, sizeof(*observation));
}
