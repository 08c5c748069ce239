// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes profiles like those of the ranks of one program on 32 hosts: the same variables, lines and regions; half of the cells are
 * common to all ranks; threads, metadata, accounting, totals and timelines are different.
 * usage: merge_profiles DIRECTORY COUNT                     rank R as DIRECTORY/hostHH.R.mprof
 *        merge_profiles DIRECTORY COUNT FIRST RANKS         the ranks from FIRST on of a large job like the case study's: eight on a host,
 *                                                           each of eight threads on one node
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/file/mprof.h"
#include "profile/finding.h"
#include "profile/profile.h"
#include "profile/wait_source.h"

#define NODES        8
#define VARIABLES    150
#define INSTRUCTIONS 500
#define FINDINGS     3
#define OBJECTS      12

/*
 * The job: by default, 1,000 ranks of 128 threads on 32 hosts, each on all nodes of its host. All ranks together have one and a half times as
 * many different cells as one.
 */
static unsigned int hosts = 32, threads = 128, ranks = 1000, cells = 2000, regions = 40;
static bool one_node;

static void die(const char *what)
{
	fprintf(stderr, "merge_profiles: %s\n", what);
	exit(1);
}

static uint32_t string(struct memphis_profile *profile, const char *format, unsigned int number)
{
	char text[256];

	snprintf(text, sizeof(text), format, number, number);
	return memphis_profile_add_string(profile, text);
}

/* Names are the same for all ranks, which ran the same program. */
static void add_names(struct memphis_profile *profile)
{
	struct memphis_profile_frame frames[2];
	struct memphis_variable variable = {0};
	struct memphis_object object = {0};
	unsigned int i;

	memphis_strings_add(&profile->strings, "", 0);
	for (i = 0; i < OBJECTS; i++) {
		object.path = string(profile, "/opt/apps/model/lib/libpart%u.so.1", i);
		object.build_id = string(profile, "5a1f3c7e9b2d4f60718293a4b5c6d7e8f90%05u", i);
		object.found = object.path;
		object.has_debug = true;
		memphis_profile_add_object(profile, &object);
	}
	for (i = 0; i < VARIABLES; i++) {
		variable.segment = memphis_profile_add_string(profile, i % 5 ? "heap" : "bss");
		variable.name = string(profile, "state%u", i);
		variable.qualified = string(profile, "ice_state%u::state%u", i);
		variable.site = string(profile, "ice_domain%u.F90:120", i);
		variable.how = memphis_profile_add_string(profile, "holder");
		memphis_profile_add_variable(profile, &variable);
	}
	for (i = 0; i < INSTRUCTIONS; i++) {
		frames[0].function = string(profile, "ice_transport::kernel%u", i / 10);
		frames[0].path = string(profile, "/home/user/model/source/ice_transport%u.F90", i / 50);
		frames[0].line = 100 + i;
		frames[1] = frames[0];
		frames[1].function = memphis_profile_add_string(profile, "ice_step::step");
		memphis_profile_add_instruction(profile, i % OBJECTS, 0x1000 + 16 * i, frames, 1 + i % 2);
	}
	memphis_profile_add_region(profile, 0, 0);
	for (i = 0; i < regions; i++)
		memphis_profile_add_region(profile, string(profile, "region%u", i), i < 4 ? 0 : 2 + i % 4);
}

static void add_settings(struct memphis_settings *settings, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_settings(struct memphis_settings *settings, const char *format, ...)
{
	char text[4096];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	if (memphis_settings_add(settings, (struct memphis_span){text, strlen(text)}))
		die("out of memory");
}

static void add_thread(struct memphis_profile *profile, struct memphis_process *process, unsigned int rank,
		       unsigned int number)
{
	static const struct memphis_access kinds[] = {
		{0, 0, MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_LOAD},
		{0, 1, MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE},
		{0, 0, MEMPHIS_SOURCE_L1, MEMPHIS_FLAG_LOAD},
		{0, 1, MEMPHIS_SOURCE_L1, MEMPHIS_FLAG_LOAD},
		{0, 0, MEMPHIS_SOURCE_L2, MEMPHIS_FLAG_LOAD},
		{0, 0, MEMPHIS_SOURCE_L3, MEMPHIS_FLAG_LOAD},
		{0, 0, MEMPHIS_SOURCE_UNKNOWN, MEMPHIS_FLAG_STORE},
		{0, 1, MEMPHIS_SOURCE_UNKNOWN, MEMPHIS_FLAG_STORE},
		{0, 0, MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_L1_TLB_MISS},
		{0, 1, MEMPHIS_SOURCE_PEER_CACHE, MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_HITM},
	};
	struct memphis_thread *thread =
		memphis_append(process->threads, process->thread_count, process->thread_room);
	struct memphis_region_time *time;
	struct memphis_access access;
	struct memphis_total *total;
	size_t i;

	if (!thread || asprintf(&thread->path, "/scratch/job4711/host%02u.%u.%u.thread.memphis", rank % hosts,
				process->pid, process->pid + number) < 0)
		die("out of memory");
	thread->tid = process->pid + number;
	thread->closed = true;
	thread->start_time_ns = 1000000007ull * (rank + 1) + number;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		access = kinds[i];
		access.node = (uint16_t)(one_node ? rank % NODES : number * NODES / threads);
		access.home = (uint16_t)((access.node + kinds[i].home) % NODES);
		total = memphis_totals_get(&profile->totals, 0, number, access);
		if (!total)
			die("out of memory");
		total->measure.count = 40 + (rank * 7 + number * 3 + i * 11) % 97;
		total->measure.accesses = total->measure.count * 100003;
		total->measure.latency_cycles = total->measure.count * 311;
		thread->selected += total->measure.count;
	}
	for (i = 0; i < regions; i++) {
		time = memphis_append(thread->times, thread->time_count, thread->time_room);
		if (!time)
			die("out of memory");
		*time = (struct memphis_region_time){.region = (unsigned int)i + 1,
						     .calls = 1000,
						     .ns = 1000000000 +
							   (rank * 7919 + number * 104729) % 1000003,
						     .cycles = 3000000000,
						     .instructions = 4000000000};
	}
	thread->read = thread->samples = thread->accounting.kept = thread->selected;
	thread->accounting.filtered[MEMPHIS_REASON_KERNEL_PC] = rank % 13;
	thread->accounting.filtered[MEMPHIS_REASON_NOT_MEMORY] = 3 * thread->accounting.kept;
	thread->accounting.interrupts = 4 * thread->accounting.kept + rank % 13;
	add_settings(&thread->metadata,
		     "name model.exe\nstart_time_ns %" PRIu64
		     "\nstack 0x7f%08x000-0x7f%08x800\nattached 1\nopenmp_thread %u\n",
		     (uint64_t)thread->start_time_ns, number, number, number);
}

/*
 * Adds samples of a thread, and loads that waited, at 400 points of time with 268 ms between them. Their data are on the
 * thread's own node and on the next one.
 */
static void add_thread_over_time(struct memphis_timeline *timeline, unsigned int rank, unsigned int number)
{
	const uint16_t node = (uint16_t)(one_node ? rank % NODES : number * NODES / threads);
	uint64_t time_ns;
	unsigned int i, home;

	for (i = 0; i < 400; i++) {
		time_ns = (uint64_t)i << 28;
		for (home = 0; home < 2; home++) {
			memphis_timeline_add_thread(timeline, time_ns, number, node,
						    (uint16_t)((node + home) % NODES),
						    (rank + i * (home + 1) + number) % 3);
			memphis_timeline_add_wait(timeline, time_ns, node,
						  home ? MEMPHIS_WAIT_REMOTE_DRAM : MEMPHIS_WAIT_LOCAL_DRAM,
						  3, 3 * 311 + i);
		}
		memphis_timeline_add_wait(timeline, time_ns, node, MEMPHIS_WAIT_L3, 2, 2 * 71 + i);
	}
}

static void add_process(struct memphis_profile *profile, unsigned int rank)
{
	struct memphis_process *process =
		memphis_append(profile->processes.list, profile->processes.count, profile->processes.room);
	uint64_t time_ns = (uint64_t)1000000000 * (rank + 1);
	unsigned int i, at;

	profile->timelines = calloc(2, sizeof(*profile->timelines));
	if (!process || !profile->timelines)
		die("out of memory");
	process->run[0] = 0x9e3779b97f4a7c15ull * (rank + 1);
	process->run[1] = rank;
	process->pid = 20000 + rank / hosts * 200;
	process->closed = true;
	process->has_maps = true;
	if (asprintf(&process->path, "/scratch/job4711/host%02u.%u.process.memphis", rank % hosts,
		     process->pid) < 0)
		die("out of memory");
	add_settings(
		&process->settings,
		"command ./model.exe -in namelist.%u\nexecutable /opt/apps/model/bin/model.exe\nhost host%02u\n"
		"pid %u\nppid %u\nuid 1000\nkernel_release 6.12.0\nmachine x86_64\nperiod 100003\ncount ops\n"
		"cpu_model AMD EPYC 9554 64-Core Processor\nlibrary_version 0.1.0\nbackend device\nhardware ibs\n"
		"pmu ibs_op\nsampler task\nmode caliper\ndrop none\nmin_latency 0\nring_records 16384\n"
		"rank %u\nranks %u\nlocal_rank %u\njob_id 4711\nstart_time_ns %" PRIu64
		"\nstop_time_ns %" PRIu64 "\nstart_realtime_ns %" PRIu64
		"\nenabled_ns 120000000000\nstarved_ns 0\nthreads %u\n",
		rank, rank % hosts, process->pid, process->pid - 1, rank, ranks, rank / hosts, time_ns,
		time_ns + 100000000000, 1700000000000000000 + time_ns, threads);
	for (i = 0; i < NODES; i++) {
		struct memphis_node *node =
			memphis_append(process->nodes, process->node_count, process->node_room);

		if (!node)
			die("out of memory");
		node->node = i;
		node->memory_bytes = 64ull << 30;
		node->cpus = strdup("0-15,128-143");
		node->distances = strdup("10,12,12,12,32,32,32,32");
	}
	for (i = 0; i < regions; i++) {
		struct memphis_region *region =
			memphis_append(process->regions, process->region_count, process->region_room);

		if (!region || asprintf(&region->name, "region%u", i) < 0)
			die("out of memory");
		region->id = i + 1;
		region->parent = i < 4 ? 0 : 1 + i % 4;
	}
	for (i = 0; i < threads; i++)
		add_thread(profile, process, rank, i);
	for (i = 0; i < 200; i++)
		for (at = 0; at < 2 * NODES; at++)
			memphis_timeline_add(&profile->timelines[0], (uint64_t)i << 29, (uint16_t)(at / 2),
					     (uint16_t)((at / 2 + at % 2) % NODES), 1 + at % 2 * i);
	for (i = 0; i < threads; i++)
		add_thread_over_time(&profile->timelines[0], rank, i);
}

static void add_cells(struct memphis_profile *profile, unsigned int rank)
{
	struct memphis_cell cell;
	unsigned int i, which;

	for (i = 0; i < cells; i++) {
		/* The first half of the cells is common to all ranks. */
		which = i < cells / 2 ? i : cells / 2 + (i - cells / 2 + rank * 17) % cells;
		memset(&cell, 0, sizeof(cell));
		cell.key.variable = which % VARIABLES;
		cell.key.instruction = which % INSTRUCTIONS;
		cell.key.region = 2 + which % regions;
		cell.key.access.node = (uint16_t)(which / 7 % NODES);
		cell.key.access.home = (uint16_t)(which / 11 % NODES);
		cell.key.access.source = MEMPHIS_SOURCE_DRAM;
		cell.key.access.flags = MEMPHIS_FLAG_LOAD | (which % 3 ? 0 : MEMPHIS_FLAG_REMOTE);
		cell.measure.count = 1 + (which * 31 + rank) % 101;
		cell.measure.accesses = cell.measure.count * 100003;
		cell.measure.latency_cycles = cell.measure.count * 400;
		cell.measure.latency_max_cycles = 900 + which % 50;
		cell.measure.low = 0x7f0000000000 + which * 4096ull + rank;
		cell.measure.high = cell.measure.low + 4000;
		if (memphis_profile_add_cell(profile, &cell))
			die("out of memory");
	}
}

/* Some patterns are found in all ranks, others in every third one. */
static void add_findings(struct memphis_profile *profile, unsigned int rank)
{
	struct memphis_finding *finding;
	unsigned int i;

	for (i = 0; i < FINDINGS; i++) {
		if (i && rank % 3 != i)
			continue;
		finding = memphis_append(profile->evidence, profile->evidence_count, profile->evidence_room);
		if (!finding)
			die("out of memory");
		*finding = (struct memphis_finding){.pattern = MEMPHIS_PATTERN_FIRST_TOUCH,
						    .variable = i,
						    .processes = 1,
						    .samples = 100 + rank * 31 % 1009,
						    .one_in = 1,
						    .node = MEMPHIS_NODE_UNKNOWN,
						    .thread = MEMPHIS_NONE,
						    .touched_by = 0,
						    .store_share = -1,
						    .home_share = 1,
						    .even_share = 1.0 / NODES,
						    .instruction = MEMPHIS_NONE,
						    .initialised_at = MEMPHIS_NONE};
	}
}

int main(int count, char **arguments)
{
	struct memphis_error error;
	unsigned int rank, first = 0, end;
	char path[4096];

	if ((count != 3 && count != 5) || !(end = (unsigned int)atoi(arguments[2])))
		die("usage: merge_profiles DIRECTORY COUNT [FIRST RANKS]");
	if (count == 5) {
		first = (unsigned int)atoi(arguments[3]);
		ranks = (unsigned int)atoi(arguments[4]);
		hosts = ranks < 8 ? 1 : ranks / 8;
		threads = 8;
		cells = 300;
		regions = 8;
		one_node = true;
	}
	for (rank = first; rank < first + end; rank++) {
		struct memphis_profile profile = {.selection = "all", .by_region = true};

		add_names(&profile);
		add_process(&profile, rank);
		add_cells(&profile, rank);
		add_findings(&profile, rank);
		snprintf(path, sizeof(path), "%s/host%02u.%u.mprof", arguments[1], rank % hosts, rank);
		if (memphis_profile_order(&profile))
			die("out of memory");
		if (memphis_mprof_save(&profile, path, &error))
			die(error.text);
		memphis_profile_close(&profile);
	}
	return 0;
}
