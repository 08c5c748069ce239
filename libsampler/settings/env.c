/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings: one table serves the environment, memphis_configure() and the messages about invalid values. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <memphis/device.h>
#include <memphis/job.h>

#include "base/range.h"
#include "base/say.h"
#include "settings/env.h"
#include "settings/hardware.h"

struct memphis_env_settings memphis_settings;

/* Parses `value` into the setting at `field`. Returns 0, or -EINVAL and leaves the setting unchanged. */
typedef int (*parse_fn)(void *field, const char *value);

static int parse_number(__u64 *out, const char *value, __u64 min, __u64 max)
{
	unsigned long long number;
	char *end;

	if (*value < '0' || *value > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno || *end || number < min || number > max)
		return -EINVAL;
	*out = number;
	return 0;
}

static int parse_output(void *field, const char *value)
{
	const char *at;

	if (!*value || strlen(value) >= sizeof(memphis_settings.output))
		return -EINVAL;
	/* Not expanded here: that takes functions and memory, which most of the processes that a program starts never need. */
	for (at = strchr(value, '%'); at; at = strchr(at + 2, '%'))
		if (!at[1] || !strchr("hprj%", at[1]))
			return -EINVAL;
	strcpy(field, value);
	return 0;
}

static int parse_device(void *field, const char *value)
{
	if (*value != '/' || strlen(value) >= sizeof(memphis_settings.device))
		return -EINVAL;
	strcpy(field, value);
	return 0;
}

static bool parse_auto(void *field, const char *value)
{
	if (strcmp(value, "auto"))
		return false;
	*(__u64 *)field = MEMPHIS_AUTO;
	return true;
}

static int parse_period(void *field, const char *value)
{
	if (parse_auto(field, value))
		return 0;
	return parse_number(field, value, 1, 1ull << 40);
}

static int parse_latency(void *field, const char *value)
{
	if (parse_auto(field, value))
		return 0;
	return parse_number(field, value, 0, UINT16_MAX);
}

static int parse_ring(void *field, const char *value)
{
	__u64 records;

	if (parse_number(&records, value, 2, 1u << 26) || (records & (records - 1)))
		return -EINVAL;
	*(__u64 *)field = records;
	return 0;
}

static int parse_alloc_min(void *field, const char *value)
{
	if (!strcmp(value, "off")) {
		*(__u64 *)field = UINT64_MAX;
		return 0;
	}
	return parse_number(field, value, 0, 1ull << 47);
}

static int parse_small(void *field, const char *value)
{
	return parse_number(field, value, 0, 1ull << 40);
}

static int parse_records(void *field, const char *value)
{
	return parse_number(field, value, 0, 1ull << 40);
}

static int parse_caliper_depth(void *field, const char *value)
{
	return parse_number(field, value, 1, 128); /* MEMPHIS_CALIPERS_MAX */
}

static int parse_depth(void *field, const char *value)
{
	return parse_number(field, value, 1, MEMPHIS_STACK_DEPTH_MAX);
}

/* Sets the field to the index of the name in the list. */
static int parse_name(void *field, const char *value, const char *const *names, __u64 count)
{
	__u64 i;

	for (i = 0; i < count; i++)
		if (!strcmp(value, names[i])) {
			*(__u64 *)field = i;
			return 0;
		}
	return -EINVAL;
}

static int parse_count(void *field, const char *value)
{
	if (parse_auto(field, value))
		return 0;
	return parse_name(field, value, memphis_count_names, MEMPHIS_COUNT_NAMES);
}

static int parse_hardware_filter(void *field, const char *value)
{
	return parse_name(field, value, memphis_hardware_filter_names, MEMPHIS_HARDWARE_FILTERS);
}

static int parse_events(void *field, const char *value)
{
	__u64 events = 0;
	size_t length;
	int i;

	if (parse_auto(field, value))
		return 0;
	for (;; value += length + 1) {
		length = strcspn(value, ",");
		for (i = 0; i < MEMPHIS_EVENTS; i++)
			if (strlen(memphis_event_names[i]) == length &&
			    !memcmp(memphis_event_names[i], value, length))
				break;
		if (i == MEMPHIS_EVENTS)
			return -EINVAL;
		events |= 1u << i;
		if (!value[length])
			break;
	}
	*(__u64 *)field = events;
	return 0;
}

static int parse_backend(void *field, const char *value)
{
	static const char *const names[] = {[MEMPHIS_BACKEND_DEVICE] = "device",
					    [MEMPHIS_BACKEND_PERF] = "perf",
					    [MEMPHIS_BACKEND_NONE] = "none"};
	size_t i;

	if (parse_auto(field, value))
		return 0;
	for (i = 0; i < ARRAY_SIZE(names) && strcmp(value, names[i]) != 0; i++)
		;
	if (i == ARRAY_SIZE(names))
		return -EINVAL;
	*(__u64 *)field = i;
	return 0;
}

/* The setting names the accesses to keep, whereas memphis_config.drop contains those to drop. */
static int parse_filter(void *field, const char *value)
{
	static const struct {
		const char *name;
		__u32 drop;
	} filters[] = {
		{"none", 0},
		{"remote", MEMPHIS_DROP_LOCAL},
		{"dram", MEMPHIS_DROP_NOT_DRAM},
		{"loads", MEMPHIS_DROP_STORES},
		{"stores", MEMPHIS_DROP_LOADS},
	};
	const __u64 both = MEMPHIS_DROP_LOADS | MEMPHIS_DROP_STORES;
	__u64 drop = 0;
	size_t length, i;

	for (;; value += length + 1) {
		length = strcspn(value, ",");
		for (i = 0; i < ARRAY_SIZE(filters); i++)
			if (strlen(filters[i].name) == length && !memcmp(filters[i].name, value, length))
				break;
		if (i == ARRAY_SIZE(filters))
			return -EINVAL;
		drop |= filters[i].drop;
		if (!value[length])
			break;
	}
	if ((drop & both) == both)
		drop &= ~both; /* "loads,stores" keeps both */
	*(__u64 *)field = drop;
	return 0;
}

static int parse_record(void *field, const char *value)
{
	if (strcmp(value, "all") && strcmp(value, "at-once"))
		return -EINVAL;
	*(__u64 *)field = strcmp(value, "all") ? MEMPHIS_RECORD_AT_ONCE : MEMPHIS_RECORD_ALL;
	return 0;
}

static int parse_callers(void *field, const char *value)
{
	__u64 bytes = strcmp(value, "auto") ? 0 : MEMPHIS_AUTO;

	if (strcmp(value, "off") && strcmp(value, "auto") &&
	    (parse_number(&bytes, value, 64, MEMPHIS_STACK_BYTES_MAX) || bytes % 8))
		return -EINVAL;
	*(__u64 *)field = bytes;
	return 0;
}

static int parse_program(void *field, const char *value)
{
	const char *at = value;

	if (!strcmp(value, "auto")) {
		*(char *)field = '\0';
		return 0;
	}
	if (strlen(value) >= sizeof(memphis_settings.program))
		return -EINVAL;
	for (; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL)
		if (*at != '/')
			return -EINVAL;
	strcpy(field, value);
	return 0;
}

static int parse_kokkos(void *field, const char *value)
{
	static const char *const names[] = {
		[MEMPHIS_KOKKOS_ALL] = "all",
		[MEMPHIS_KOKKOS_NESTED] = "nested",
		[MEMPHIS_KOKKOS_REGIONS] = "regions",
	};

	return parse_name(field, value, names, ARRAY_SIZE(names));
}

static int parse_ranks(void *field, const char *value)
{
	unsigned long first, last;
	const char *at = value;
	int more = 1;

	if (!strcmp(value, "all")) {
		*(char *)field = '\0';
		return 0;
	}
	while (*value && more > 0)
		more = memphis_range_next(&at, &first, &last);
	if (more || at == value || strlen(value) >= sizeof(memphis_settings.ranks))
		return -EINVAL;
	strcpy(field, value);
	return 0;
}

static int parse_counters(void *field, const char *value)
{
	struct memphis_counters_item item;
	const char *at = value;
	int more = 1;

	if (!strcmp(value, "off")) {
		*(char *)field = '\0';
		return 0;
	}
	if (strlen(value) >= sizeof(memphis_settings.counters))
		return -EINVAL;
	while (more > 0)
		more = memphis_counters_parse_item(&at, &item);
	if (more)
		return more;
	strcpy(field, value);
	return 0;
}

static int parse_interval(void *field, const char *value)
{
	return parse_number(field, value, 10, 3600000);
}

static int parse_spans(void *field, const char *value)
{
	return parse_number(field, value, 0, 128); /* MEMPHIS_SPANS_DEPTH_MAX */
}

static int parse_switch(void *field, const char *value)
{
	return parse_number(field, value, 0, 1);
}

static int parse_region_counters(void *field, const char *value)
{
	return memphis_core_events_parse(field, value);
}

#define SETTING(key, variable, field, parse, preset, accepts)                                          \
	{                                                                                              \
		key, "MEMPHIS_" variable, offsetof(struct memphis_env_settings, field), parse, preset, \
			accepts                                                                        \
	}

static const struct setting {
	const char *key, *variable;
	size_t offset;
	parse_fn parse;
	const char *preset;  /* default value as text; NULL: zero */
	const char *accepts; /* description of accepted values, for messages */
} settings[] = {
	SETTING("output", "OUTPUT", output, parse_output, "memphis-%h-%p",
		"a directory, in which %h %p %r %j %% stand for host, pid, rank, job and %"),
	SETTING("device", "DEVICE", device, parse_device, "/dev/memphis", "an absolute path"),
	SETTING("backend", "BACKEND", backend, parse_backend, "auto", "device, perf, none or auto"),
	SETTING("period", "PERIOD", period, parse_period, "auto", "a positive number, or auto"),
	SETTING("count", "COUNT", count, parse_count, "auto", "ops, cycles, loads or auto"),
	SETTING("event", "EVENT", events, parse_events, "auto",
		"auto, or a comma list of load-latency, local-dram, remote-dram, remote-hitm, remote-forward"),
	SETTING("filter", "FILTER", drop, parse_filter, "none",
		"none, or a comma list of remote, dram, loads, stores"),
	SETTING("hardware_filter", "HARDWARE_FILTER", hardware_filter, parse_hardware_filter, "none",
		"none, l3-miss or latency"),
	SETTING("min_latency", "MIN_LATENCY", min_latency, parse_latency, "auto",
		"cycles, 0 to 65535, or auto"),
	SETTING("ring_records", "RING_RECORDS", ring_records, parse_ring, "8192", "a power of two from 2 on"),
	SETTING("alloc_min_bytes", "ALLOC_MIN_BYTES", alloc_min_bytes, parse_alloc_min, "4096",
		"a number of bytes, or off"),
	SETTING("small_bytes", "SMALL_BYTES", small_bytes, parse_small, "0",
		"a number of bytes, or 0 for none"),
	SETTING("alloc_max_records", "ALLOC_MAX_RECORDS", alloc_max_records, parse_records, "4000000",
		"a number"),
	SETTING("stack_depth", "STACK_DEPTH", stack_depth, parse_depth, "8", "1 to 64"),
	SETTING("callers", "CALLERS", callers, parse_callers, "auto",
		"a multiple of 8 from 64 to 16384, auto or off"),
	SETTING("program", "PROGRAM", program, parse_program, "auto",
		"auto, or absolute paths separated by colons"),
	SETTING("record", "RECORD", record, parse_record, NULL, "all, at-once, or not set"),
	SETTING("kokkos", "KOKKOS", kokkos, parse_kokkos, "all", "all, nested or regions"),
	SETTING("counters", "COUNTERS", counters, parse_counters, "off",
		"off, or a list of numastat, vmstat, net, io, uncore, pcp:METRIC[,METRIC...] and papi:EVENT[,EVENT...]"),
	SETTING("counters_interval_ms", "COUNTERS_INTERVAL_MS", counters_interval_ms, parse_interval, "1000",
		"milliseconds, 10 to 3600000"),
	SETTING("counters_depth", "COUNTERS_DEPTH", counters_depth, parse_caliper_depth, "1", "1 to 128"),
	SETTING("region_times", "REGION_TIMES", region_times, parse_switch, "1", "0 or 1"),
	SETTING("region_counters", "REGION_COUNTERS", region_counters, parse_region_counters, "0",
		"0, 1, or up to 6 events: perf's generic names (cache-misses, L1-dcache-load-misses ...), rCODE, cpu/event=N,umask=N/, or NAME=EVENT; memphis record --region-events also takes papi:EVENT"),
	SETTING("spans", "SPANS", spans, parse_spans, "1", "0 to 128"),
	SETTING("spans_max", "SPANS_MAX", spans_max, parse_records, "1000000", "a number"),
	SETTING("mpi_events", "MPI_EVENTS", mpi_events, parse_switch, "0", "0 or 1"),
	SETTING("ranks", "RANKS", ranks, parse_ranks, "all", "all, or a list of ranks like 0,2-3"),
	SETTING("disable", "DISABLE", disable, parse_switch, NULL, "0 or 1"),
	SETTING("verbose", "VERBOSE", verbose, parse_switch, NULL, "0 or 1"),
};

static __u32 bad; /* bit i: settings[i] had an invalid value in the environment */

_Static_assert(ARRAY_SIZE(settings) <= 32, "a bit for each setting");

/* Passes over the environment once: getenv() for each setting takes some 10 us in every process that a program starts. */
void memphis_env_load(void)
{
	static const char prefix[] = "MEMPHIS_";
	__u32 found = 0;
	char **variable;
	size_t i;

	bad = 0;
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (settings[i].preset)
			settings[i].parse((char *)&memphis_settings + settings[i].offset, settings[i].preset);
	for (variable = environ; variable && *variable; variable++) {
		const char *value;

		if (strncmp(*variable, prefix, sizeof(prefix) - 1) != 0)
			continue;
		value = strchr(*variable, '=');
		for (i = 0; value && i < ARRAY_SIZE(settings); i++) {
			const size_t length = strlen(settings[i].variable);

			/* Of two variables of one name, getenv(3) finds the first. */
			if ((size_t)(value - *variable) != length || found & 1u << i ||
			    memcmp(*variable, settings[i].variable, length) != 0)
				continue;
			found |= 1u << i;
			if (value[1] &&
			    settings[i].parse((char *)&memphis_settings + settings[i].offset, value + 1))
				bad |= 1u << i;
		}
	}
}

const char *memphis_env_refuses(const char *variable, const char *value)
{
	struct memphis_env_settings scratch;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].variable, variable))
			return settings[i].parse((char *)&scratch + settings[i].offset, value)
				       ? settings[i].accepts
				       : NULL;
	return NULL;
}

int memphis_env_set(const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (strcmp(settings[i].key, key))
			continue;
		return settings[i].parse((char *)&memphis_settings + settings[i].offset, value);
	}
	return -ENOENT;
}

void memphis_env_complain(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		const char *value = getenv(settings[i].variable);

		if (!(bad & 1u << i) || !value || !memphis_env_speaks())
			continue;
		memphis_say("memphis: %s=%.200s is invalid, using %s; valid values: %s\n",
			    settings[i].variable, value,
			    settings[i].preset ? settings[i].preset : "the default", settings[i].accepts);
	}
	bad = 0;
}

const char *const memphis_env_rank[] = {MEMPHIS_RANK_VARIABLES, NULL};
const char *const memphis_env_ranks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
					 "SLURM_NTASKS", NULL};
const char *const memphis_env_local_rank[] = {
	"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PALS_LOCAL_RANKID",
	"MV2_COMM_WORLD_LOCAL_RANK",  "SLURM_LOCALID",   NULL};
const char *const memphis_env_job[] = {MEMPHIS_JOB_VARIABLES, NULL};

const char *memphis_env_first(const char *const *names)
{
	for (; *names; names++) {
		const char *value = getenv(*names);

		if (value && *value)
			return value;
	}
	return NULL;
}

const char *memphis_env_first_in(const char *environment, size_t bytes, const char *const *names)
{
	const char *end = environment + bytes, *entry;

	for (; *names; names++) {
		size_t length = strlen(*names);

		for (entry = environment; entry < end; entry += strlen(entry) + 1)
			if (!strncmp(entry, *names, length) && entry[length] == '=' && entry[length + 1])
				return entry + length + 1;
	}
	return NULL;
}

pid_t memphis_env_pid;

static int own_rank(unsigned long *rank)
{
	const char *text = memphis_env_first(memphis_env_rank);
	unsigned long last;

	return text && memphis_range_next(&text, rank, &last) > 0;
}

bool memphis_env_is_root(void)
{
	const char *root = getenv("MEMPHIS_ROOT");

	return root && strtol(root, NULL, 10) == getpid();
}

int memphis_env_is_chosen(void)
{
	const char *at = memphis_settings.ranks;
	unsigned long rank, first, last;

	if (!*at)
		return 1;
	/* A process without a rank is a launcher or not an MPI program, and is not sampled. */
	if (!own_rank(&rank))
		return 0;
	while (memphis_range_next(&at, &first, &last) > 0)
		if (rank >= first && rank <= last)
			return 1;
	return 0;
}

int memphis_env_speaks(void)
{
	const char *at = memphis_settings.ranks;
	unsigned long rank, first, last, lowest = *at ? ULONG_MAX : 0;

	if (memphis_settings.verbose || !own_rank(&rank))
		return 1;
	while (memphis_range_next(&at, &first, &last) > 0)
		lowest = first < lowest ? first : lowest;
	return rank == lowest;
}

int memphis_env_expand(char *out, size_t bytes, const char *pattern)
{
	struct utsname host;
	char pid[16];
	const char *word;
	size_t used = 0;

	uname(&host);
	snprintf(pid, sizeof(pid), "%d", (int)(memphis_env_pid ? memphis_env_pid : getpid()));
	for (; *pattern; pattern++) {
		char one[2] = {*pattern, '\0'};

		word = one;
		if (*pattern == '%') {
			switch (*++pattern) {
			case 'h':
				word = host.nodename;
				break;
			case 'p':
				word = pid;
				break;
			case 'r':
				word = memphis_env_first(memphis_env_rank);
				word = word ? word : MEMPHIS_NO_RANK;
				break;
			case 'j':
				word = memphis_env_first(memphis_env_job);
				word = word ? word : MEMPHIS_NO_JOB;
				break;
			case '%':
				break;
			default:
				return -EINVAL;
			}
		}
		if (used + strlen(word) >= bytes)
			return -ENAMETOOLONG;
		strcpy(out + used, word);
		used += strlen(word);
	}
	out[used] = '\0';
	return 0;
}
