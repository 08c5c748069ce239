/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata of the process: its settings, and the times during which it was sampled. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <memphis.h>

#include "record/allocator.h"
#include "backend/backend.h"
#include "settings/env.h"
#include "record/metadata.h"
#include "record/output_paths.h"
#include "record/program.h"
#include "record/pass.h"
#include "settings/hardware.h"
#include "record/maps.h"
#include "base/proc.h"
#include "core/entries.h"
#include "core/session.h"
#include "data/region_times.h"
#include "unwind/python.h"
#include "unwind/stack.h"

/*
 * Appends an argument to the command line. Quotes the argument for a shell unless all its characters are
 * known to need no quotes.
 */
static void add_argument(char *out, size_t size, size_t *used, const char *argument)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";
	int quote = !*argument || argument[strspn(argument, plain)];
	const char *p;

	if (*used + 4 * strlen(argument) + 4 > size)
		return;
	if (quote)
		out[(*used)++] = '\'';
	for (p = argument; *p; p++) {
		if (*p == '\'') {
			memcpy(out + *used, "'\\''", 4);
			*used += 4;
		} else {
			out[(*used)++] = *p;
		}
	}
	if (quote)
		out[(*used)++] = '\'';
}

static void add_command(struct memphis_text_buffer *text)
{
	char path[MEMPHIS_PROC_PATH], *line;
	struct memphis_text_buffer raw = {0};
	size_t size, used = 0, at;

	if (memphis_text_read(&raw, memphis_proc_memory(path, "cmdline")) || !raw.used)
		goto out;
	size = 4 * raw.used + 4096;
	line = sys_map(size);
	if (!line)
		goto out;
	for (at = 0; at < raw.used; at += strlen(raw.data + at) + 1) {
		if (at)
			line[used++] = ' ';
		add_argument(line, size, &used, raw.data + at);
	}
	line[used] = '\0';
	memphis_text_add_pair(text, "command", line);
	sys_unmap(line, size);
out:
	memphis_text_free(&raw);
}

static void add_executable(struct memphis_text_buffer *text)
{
	char path[MEMPHIS_PROC_PATH], target[PATH_MAX];
	ssize_t length = readlink(memphis_proc_memory(path, "exe"), target, sizeof(target) - 1);

	if (length <= 0)
		return;
	target[length] = '\0';
	memphis_text_add_pair(text, "executable", target);
}

static void add_cpu_model(struct memphis_text_buffer *text)
{
	struct memphis_text_buffer info = {0};
	char *line, *end;

	if (!memphis_text_read(&info, "/proc/cpuinfo")) {
		line = strstr(info.data, "model name");
		line = line ? strchr(line, ':') : NULL;
		end = line ? strchr(line, '\n') : NULL;
		if (end) {
			*end = '\0';
			memphis_text_add_pair(text, "cpu_model", line + 1 + (line[1] == ' '));
		}
	}
	memphis_text_free(&info);
}

/* Appends facts such as rank and job, which batch systems and MPI put into environment variables. */
static void add_env(struct memphis_text_buffer *text, const struct memphis_session *s)
{
	static const struct {
		const char *key;
		const char *const *names;
	} keys[] = {
		{"rank", memphis_env_rank},
		{"ranks", memphis_env_ranks},
		{"local_rank", memphis_env_local_rank},
		{"job_id", memphis_env_job},
	};
	struct memphis_text_buffer other = {0};
	char path[MEMPHIS_PROC_PATH];
	const char *value;
	size_t i;

	if (s->identity.other && memphis_text_read(&other, memphis_proc_memory(path, "environ")))
		return;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		value = s->identity.other ? memphis_env_first_in(other.data, other.used, keys[i].names)
					  : memphis_env_first(keys[i].names);
		if (value)
			memphis_text_add_pair(text, keys[i].key, value);
	}
	memphis_text_free(&other);
}

static unsigned int read_status_number(const struct memphis_text_buffer *status, const char *key)
{
	const char *line = status->used ? strstr(status->data, key) : NULL;

	return line ? (unsigned int)strtoul(line + strlen(key), NULL, 10) : 0;
}

static void add_ids(struct memphis_text_buffer *text, const struct memphis_session *s)
{
	struct memphis_text_buffer status = {0};
	char path[MEMPHIS_PROC_PATH];

	memphis_text_read(&status, memphis_proc(path, "status"));
	memphis_text_add(text, "pid %d\nppid %u\nuid %u\n", (int)s->identity.pid,
			 read_status_number(&status, "\nPPid:"), read_status_number(&status, "\nUid:"));
	memphis_text_free(&status);
}

static const char *recording_mode(const struct memphis_session *s)
{
	if (s->identity.other)
		return "attached";
	return memphis_settings.record ? "program" : "caliper";
}

static void add_drop(struct memphis_text_buffer *text, __u32 drop)
{
	static const char *const names[] = {"loads", "stores", "not_dram", "local"};
	const char *comma = "";
	size_t i;

	memphis_text_add(text, "drop %s", drop ? "" : "none");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (drop & 1u << i) {
			memphis_text_add(text, "%s%s", comma, names[i]);
			comma = ",";
		}
	memphis_text_add(text, "\n");
}

static void add_events(struct memphis_text_buffer *text, __u32 events)
{
	const char *comma = "";
	int i;

	memphis_text_add(text, "event ");
	for (i = 0; i < MEMPHIS_EVENTS; i++)
		if (events & 1u << i) {
			memphis_text_add(text, "%s%s", comma, memphis_event_names[i]);
			comma = ",";
		}
	memphis_text_add(text, "\n");
}

/* Appends the hardware's own count of each event, for comparison with the estimates from samples. */
static void add_counts(struct memphis_text_buffer *text, const struct memphis_session *s, const __u64 *counts)
{
	int i;

	for (i = 0; i < MEMPHIS_EVENTS; i++)
		if (s->config.events & 1u << i)
			memphis_text_add(text, "counted_%s %llu\n", memphis_event_names[i], counts[i]);
}

static void add_hardware(struct memphis_text_buffer *text, const struct memphis_session *s)
{
	const struct memphis_query *query = &s->query;
	const struct memphis_config *config = &s->config;

	memphis_text_add(text, "hardware %s\n", memphis_hardware(query->hardware)->name);
	memphis_text_add(text, "hardware_capabilities 0x%x\n", query->hardware_capabilities);
	memphis_text_add_pair(text, "pmu", query->pmu);
	memphis_text_add(text, "sampler %s\n", query->sampler == MEMPHIS_SAMPLER_CPU ? "cpu" : "task");
	memphis_text_add(text, "period %llu\nperiod_min %llu\ncount %s\n", config->period, query->period_min,
			 memphis_count_names[config->count]);
	if (query->hardware == MEMPHIS_HARDWARE_PEBS)
		add_events(text, config->events);
	add_drop(text, config->drop);
	if (query->hardware == MEMPHIS_HARDWARE_IBS)
		memphis_text_add_pair(text, "hardware_filter",
				      memphis_hardware_filter_names[config->hardware_filter]);
	memphis_text_add(text, "min_latency %u\nring_records %u\nwakeup_records %u\n",
			 config->min_latency_cycles, config->ring_records, config->wakeup_records);
}

static void add_sampling(struct memphis_text_buffer *text, const struct memphis_session *s)
{
	const struct memphis_config *config = &s->config;

	memphis_text_add_pair(text, "backend", memphis_backend->name);
	if (memphis_backend->metadata)
		memphis_backend->metadata(text, &s->query);
	memphis_text_add(text, "mode %s\n", recording_mode(s));
	if (memphis_backend != &memphis_none)
		add_hardware(text, s);
	if (config->stack_bytes) {
		memphis_text_add(text, "stack_bytes %u\n", config->stack_bytes);
		memphis_program_add_metadata(text);
	}
	memphis_text_add(text, "drain_interval_ms %d\n", MEMPHIS_DRAIN_INTERVAL_MS);
	if (s->identity.other || memphis_settings.alloc_min_bytes == UINT64_MAX)
		memphis_text_add(text, "alloc_min_bytes off\n");
	else
		memphis_text_add(text, "alloc_min_bytes %llu\nsmall_bytes %llu\n",
				 memphis_settings.alloc_min_bytes, memphis_settings.small_bytes);
	if (!s->identity.other)
		memphis_allocator_add_metadata(text);
	if (*memphis_settings.counters) {
		memphis_text_add_pair(text, "counters", memphis_settings.counters);
		memphis_text_add(text, "counters_interval_ms %llu\ncounters_depth %llu\n",
				 memphis_settings.counters_interval_ms, memphis_settings.counters_depth);
	}
	memphis_text_add(text, "alloc_max_records %llu\n", memphis_settings.alloc_max_records);
	if (memphis_settings.stack_depth == MEMPHIS_AUTO)
		memphis_text_add(text, "stack_depth %d\nstacks_many %d\nstack_depth_many %d\n",
				 MEMPHIS_STACK_DEPTH_FEW, MEMPHIS_STACKS_MANY, MEMPHIS_STACK_DEPTH_MANY);
	else
		memphis_text_add(text, "stack_depth %llu\n", memphis_settings.stack_depth);
	if (!s->identity.other)
		memphis_text_add(text, "spans %llu\nspans_max %llu\n", memphis_settings.spans,
				 memphis_settings.spans_max);
	if (memphis_settings.mpi_events)
		memphis_text_add_pair(text, "mpi_events", "1");
}

void memphis_metadata_add_settings(struct memphis_text_buffer *text, const struct memphis_session *s)
{
	struct utsname host;
	char build_id[2 * MEMPHIS_BUILD_ID_MAX + 1];

	uname(&host);
	add_command(text);
	add_executable(text);
	memphis_maps_executable_build_id(build_id);
	memphis_text_add_pair(text, "build_id", build_id);
	if (*memphis_output_work_directory())
		memphis_text_add_pair(text, "directory", memphis_output_work_directory());
	memphis_text_add_pair(text, "host", host.nodename);
	add_ids(text, s);
	memphis_text_add_pair(text, "kernel_release", host.release);
	memphis_text_add_pair(text, "machine", host.machine);
	add_cpu_model(text);
	memphis_metadata_add_machine(text, "");
	memphis_text_add_pair(text, "library_version", MEMPHIS_VERSION);
	add_sampling(text, s);
	memphis_text_add(text, "page_bytes %ld\n", sysconf(_SC_PAGESIZE));
	add_env(text, s);
	if (s->identity.parent_run.pid)
		memphis_text_add(text, "parent_run %016llx%016llx\nfork_time_ns %llu\n",
				 s->identity.parent_run.id[0], s->identity.parent_run.id[1],
				 s->identity.forked_ns);
	memphis_text_add(text, "run %016llx%016llx\n", s->identity.run.id[0], s->identity.run.id[1]);
	memphis_text_add(text, "start_time_ns %llu\nstart_realtime_ns %llu\n", s->identity.start_ns,
			 s->identity.start_realtime_ns);
}

/* Appends the names of the region events. They are separated by blanks, because a name may contain commas but no blanks. */
static void add_region_events(struct memphis_text_buffer *text)
{
	const struct memphis_core_events *events = &memphis_settings.region_counters;
	char names[MEMPHIS_COUNTER_EVENTS_MAX * MEMPHIS_CORE_EVENT_NAME_BYTES] = "";
	unsigned int i;

	for (i = 0; i < events->count; i++) {
		strcat(names, i ? " " : "");
		strcat(names, events->names[i]);
	}
	if (events->count)
		memphis_text_add_pair(text, "region_events", names);
}

/* Appends whether cycles and instructions of regions are counted. This is known once a thread has opened a caliper. */
static void add_region_counters(struct memphis_text_buffer *text)
{
	static const struct memphis_error_answer reasons[] = {
		{{ENOENT}, "absent"},
		{{EOPNOTSUPP}, "unreadable"},
		{{EACCES, EPERM}, "forbidden"},
		{{EBUSY}, "shared"},
		{{0}, "failed"},
	};
	const int err = atomic_load(&memphis_region_counters_error);

	if (!memphis_region_counters_on)
		return;
	memphis_text_add_pair(text, "region_counters", "cycles,instructions");
	add_region_events(text);
	if (err)
		memphis_text_add_pair(text, "region_counters_refused", memphis_answer_for(reasons, -err));
}

static void add_entries(struct memphis_text_buffer *text, const char *key, unsigned int entries)
{
	static const char *const names[MEMPHIS_ENTRIES] = {
		[MEMPHIS_ENTRY_MMAP] = "mmap",     [MEMPHIS_ENTRY_MUNMAP] = "munmap",
		[MEMPHIS_ENTRY_MREMAP] = "mremap", [MEMPHIS_ENTRY_SHMAT] = "shmat",
		[MEMPHIS_ENTRY_SHMDT] = "shmdt",   [MEMPHIS_ENTRY_SBRK] = "sbrk",
		[MEMPHIS_ENTRY_BRK] = "brk",
	};
	const char *before = " ";
	unsigned int i;

	if (!entries)
		return;
	memphis_text_add(text, "%s", key);
	for (i = 0; i < MEMPHIS_ENTRIES; i++)
		if (entries & 1u << i) {
			memphis_text_add(text, "%s%s", before, names[i]);
			before = ",";
		}
	memphis_text_add(text, "\n");
}

/* Appends the interposed functions that another library has overwritten. */
static void add_overwritten(struct memphis_text_buffer *text)
{
	const unsigned int bypassed = memphis_entries_bypassed();

	add_entries(text, "maps_redirected", memphis_entries_look() & ~bypassed);
	add_entries(text, "maps_bypassed", bypassed & ~MEMPHIS_ENTRIES_OF_BREAK);
	add_entries(text, "break_bypassed", bypassed & MEMPHIS_ENTRIES_OF_BREAK);
}

/* Appends the version of the Python interpreter, if the process has one, and whether its lines are recorded. */
static void add_python(struct memphis_text_buffer *text)
{
	static const char *const states[] = {[MEMPHIS_PYTHON_READ] = "recorded",
					     [MEMPHIS_PYTHON_OFF] = "off",
					     [MEMPHIS_PYTHON_VERSION] = "unknown-version",
					     [MEMPHIS_PYTHON_LAYOUT] = "unknown-layout"};
	const unsigned long version = memphis_python_version();

	if (memphis_python_state() == MEMPHIS_PYTHON_NONE)
		return;
	memphis_text_add(text, "python_version %lu.%lu.%lu\n", version >> 24, version >> 16 & 0xff,
			 version >> 8 & 0xff);
	memphis_text_add_pair(text, "python_lines", states[memphis_python_state()]);
}

void memphis_metadata_add_activity(struct memphis_text_buffer *text, const struct memphis_session *s,
				   int closing)
{
	struct memphis_stats stats;
	__u64 now = now_ns(), since = s->activity.since_ns;

	if (closing)
		memphis_text_add(text, "stop_time_ns %llu\nstop_realtime_ns %llu\n", now,
				 clock_ns(CLOCK_REALTIME));
	memphis_text_add(text, "active_count %llu\nactive_ns %llu\n", s->activity.count,
			 s->activity.ns + (since && now > since ? now - since : 0));
	if (s->activity.pauses)
		memphis_text_add(text, "pauses %llu\n", s->activity.pauses);
	memphis_text_add(text, "active_first_ns %llu\nactive_last_ns %llu\n", s->activity.first_ns,
			 since ? now : s->activity.last_ns);
	/* If the program has closed the device, the counts written earlier remain valid. */
	if (!memphis_backend->request(MEMPHIS_IOC_STATS, &stats)) {
		if (s->query.sampler == MEMPHIS_SAMPLER_CPU)
			memphis_text_add(text, "unattached %llu\n", stats.unattached - s->unattached_before);
		else if (s->identity.other)
			memphis_text_add(text, "cpu_ns %llu\n", s->activity.cpu_ns);
		memphis_text_add(text, "enabled_ns %llu\nstarved_ns %llu\n", stats.enabled_ns,
				 stats.starved_ns);
		if (s->query.hardware == MEMPHIS_HARDWARE_PEBS)
			add_counts(text, s, stats.counts);
	}
	if (memphis_backend->drops_kernel && memphis_backend->drops_kernel())
		memphis_text_add_pair(text, "uncounted", "kernel");
	memphis_text_add(text, "allocations_unsampled %llu\n", s->output.allocations_unsampled);
	memphis_text_add(text, "threads %u\n", (unsigned int)s->threads_attached);
	if (!s->identity.other) {
		add_overwritten(text);
		add_python(text);
	}
	add_region_counters(text);
}
