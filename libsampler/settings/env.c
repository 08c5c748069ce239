/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings. The environment, memphis_configure() and the messages about invalid values all use one table. */
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

static bool is_output(const char *value)
{
	const char *at;

	/*
	 * The pattern is not expanded here, because that needs functions and memory which most of the
	 * processes started by a program never need.
	 */
	for (at = strchr(value, '%'); at; at = strchr(at + 2, '%'))
		if (!at[1] || !strchr("hprj%", at[1]))
			return false;
	return *value;
}

/* Absolute paths, separated by colons. */
static bool is_path_list(const char *value)
{
	for (; value; value = strchr(value, ':') ? strchr(value, ':') + 1 : NULL)
		if (*value != '/')
			return false;
	return true;
}

static bool is_path(const char *value)
{
	return *value == '/';
}

static bool is_rank_list(const char *value)
{
	unsigned long first, last;
	const char *at = value;
	int more = 1;

	while (more > 0)
		more = memphis_range_next(&at, &first, &last);
	return !more && *value;
}

static bool is_counter_list(const char *value)
{
	struct memphis_counters_item item;
	int more = 1;

	while (more > 0)
		more = memphis_counters_parse_item(&value, &item);
	return !more;
}

/* Returns the index of the name, or `count` if the name is not in the list. */
static size_t find_name(const char *const *names, size_t count, const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (names[i] && strlen(names[i]) == length && !memcmp(names[i], name, length))
			break;
	return i;
}

/* Parses a list of names that are separated by commas. For each name, some bits are set. */
static int parse_list(__u64 *out, const char *value, const char *const *names, const __u64 *bits,
		      size_t count)
{
	size_t length, i;
	__u64 all = 0;

	for (;; value += length + 1) {
		length = strcspn(value, ",");
		i = find_name(names, count, value, length);
		if (i == count)
			return -EINVAL;
		all |= bits ? bits[i] : 1u << i;
		if (!value[length])
			break;
	}
	*out = all;
	return 0;
}

static int parse_events(void *field, const char *value)
{
	return parse_list(field, value, memphis_event_names, NULL, MEMPHIS_EVENTS);
}

/* The setting names the accesses to keep, but memphis_config.drop contains the accesses to drop. */
static int parse_filter(void *field, const char *value)
{
	static const char *const names[] = {"none", "remote", "dram", "loads", "stores"};
	static const __u64 drops[] = {0, MEMPHIS_DROP_LOCAL, MEMPHIS_DROP_NOT_DRAM, MEMPHIS_DROP_STORES,
				      MEMPHIS_DROP_LOADS};
	const __u64 both = MEMPHIS_DROP_LOADS | MEMPHIS_DROP_STORES;
	__u64 *drop = field;

	if (parse_list(drop, value, names, drops, ARRAY_SIZE(names)))
		return -EINVAL;
	if ((*drop & both) == both)
		*drop &= ~both; /* "loads,stores" keeps both */
	return 0;
}

static int parse_region_counters(void *field, const char *value)
{
	return memphis_core_events_parse(field, value);
}

static const char *const backends[] = {[MEMPHIS_BACKEND_DEVICE] = "device",
				       [MEMPHIS_BACKEND_PERF] = "perf",
				       [MEMPHIS_BACKEND_NONE] = "none"};
static const char *const records[] = {[MEMPHIS_RECORD_ALL] = "all", [MEMPHIS_RECORD_AT_ONCE] = "at-once"};
static const char *const kokkos[] = {[MEMPHIS_KOKKOS_ALL] = "all",
				     [MEMPHIS_KOKKOS_NESTED] = "nested",
				     [MEMPHIS_KOKKOS_REGIONS] = "regions"};
static const char *const off[] = {"off"};

/* A setting can be a text, a number, which may also be given by a name, or something else that has its own parser function. */
#define SETTING(key, variable, field) key, "MEMPHIS_" variable, offsetof(struct memphis_env_settings, field)
#define TEXT(field, check)            .bytes = sizeof(memphis_settings.field), .is_valid = check
#define NUMBER(least, most)           .min = least, .max = most
#define NAME(list)                    .names = list, .count = ARRAY_SIZE(list)
#define WORD(text)                    .word = text
#define PARSE(function)               .parse = function

static const struct setting {
	const char *key, *variable;
	size_t offset;
	const char *preset;  /* default value as text; NULL stands for zero */
	const char *accepts; /* description of the accepted values, used in messages */
	const char *word;    /* the word for an empty text, or for UINT64_MAX, which is MEMPHIS_AUTO */
	size_t bytes;        /* size of a text in bytes */
	bool (*is_valid)(const char *text);
	const char *const *names; /* names for values; the index of a name is its value */
	size_t count;
	__u64 min, max;                       /* range of a number; if max is 0, only names are accepted */
	enum { ANY, POWER_OF_TWO, WORDS } of; /* accepted numbers; WORDS: multiples of 8 */
	int (*parse)(void *field,
		     const char *value); /* returns 0; on an error, returns -EINVAL and does not change
					  * the setting */
} settings[] = {
	{SETTING("output", "OUTPUT", output), "memphis-%h-%p",
	 "a directory, in which %h %p %r %j %% stand for host, pid, rank, job and %",
	 TEXT(output, is_output)},
	{SETTING("device", "DEVICE", device), "/dev/memphis", "an absolute path", TEXT(device, is_path)},
	{SETTING("backend", "BACKEND", backend), "auto", "device, perf, none or auto", WORD("auto"),
	 NAME(backends)},
	{SETTING("period", "PERIOD", period), "auto", "a positive number, or auto", WORD("auto"),
	 NUMBER(1, 1ull << 40)},
	{SETTING("count", "COUNT", count), "auto", "ops, cycles, loads or auto", WORD("auto"),
	 NAME(memphis_count_names)},
	{SETTING("event", "EVENT", events), "auto",
	 "auto, or a comma list of load-latency, local-dram, remote-dram, remote-hitm, remote-forward",
	 WORD("auto"), PARSE(parse_events)},
	{SETTING("filter", "FILTER", drop), "none", "none, or a comma list of remote, dram, loads, stores",
	 PARSE(parse_filter)},
	{SETTING("hardware_filter", "HARDWARE_FILTER", hardware_filter), "none", "none, l3-miss or latency",
	 NAME(memphis_hardware_filter_names)},
	{SETTING("min_latency", "MIN_LATENCY", min_latency), "auto", "cycles, 0 to 65535, or auto",
	 WORD("auto"), NUMBER(0, UINT16_MAX)},
	{SETTING("ring_records", "RING_RECORDS", ring_records), "8192", "a power of two from 2 on",
	 NUMBER(2, 1u << 26), .of = POWER_OF_TWO},
	{SETTING("alloc_min_bytes", "ALLOC_MIN_BYTES", alloc_min_bytes), "4096", "a number of bytes, or off",
	 WORD("off"), NUMBER(0, 1ull << 47)},
	{SETTING("small_bytes", "SMALL_BYTES", small_bytes), "2048", "a number of bytes, or 0 for none",
	 NUMBER(0, 1ull << 40)},
	{SETTING("alloc_max_records", "ALLOC_MAX_RECORDS", alloc_max_records), "4000000", "a number",
	 NUMBER(0, 1ull << 40)},
	{SETTING("stack_depth", "STACK_DEPTH", stack_depth), "auto", "1 to 64, or auto", WORD("auto"),
	 NUMBER(1, MEMPHIS_STACK_DEPTH_MAX)},
	{SETTING("callers", "CALLERS", callers), "auto", "a multiple of 8 from 64 to 16384, auto or off",
	 WORD("auto"), NAME(off), NUMBER(64, MEMPHIS_STACK_BYTES_MAX), .of = WORDS},
	{SETTING("python", "PYTHON", python), "1", "0 or 1", NUMBER(0, 1)},
	{SETTING("program", "PROGRAM", program), "auto", "auto, or absolute paths separated by colons",
	 WORD("auto"), TEXT(program, is_path_list)},
	{SETTING("record", "RECORD", record), NULL, "all, at-once, or not set", NAME(records)},
	{SETTING("kokkos", "KOKKOS", kokkos), "all", "all, nested or regions", NAME(kokkos)},
	{SETTING("counters", "COUNTERS", counters), "off",
	 "off, or a list of numastat, vmstat, net, io, uncore, pcp:METRIC[,METRIC...] and papi:EVENT[,EVENT...]",
	 WORD("off"), TEXT(counters, is_counter_list)},
	{SETTING("counters_interval_ms", "COUNTERS_INTERVAL_MS", counters_interval_ms), "1000",
	 "milliseconds, 10 to 3600000", NUMBER(10, 3600000)},
	{SETTING("counters_depth", "COUNTERS_DEPTH", counters_depth), "1", "1 to 128",
	 NUMBER(1, 128)}, /* MEMPHIS_CALIPERS_MAX */
	{SETTING("region_times", "REGION_TIMES", region_times), "1", "0 or 1", NUMBER(0, 1)},
	{SETTING("region_counters", "REGION_COUNTERS", region_counters), "0",
	 "0, 1, or up to 6 events: perf's generic names (cache-misses, L1-dcache-load-misses ...), rCODE, cpu/event=N,umask=N/, or NAME=EVENT; memphis record --region-events also takes papi:EVENT",
	 PARSE(parse_region_counters)},
	{SETTING("spans", "SPANS", spans), "1", "0 to 128", NUMBER(0, 128)}, /* MEMPHIS_SPANS_DEPTH_MAX */
	{SETTING("spans_max", "SPANS_MAX", spans_max), "1000000", "a number", NUMBER(0, 1ull << 40)},
	{SETTING("mpi_events", "MPI_EVENTS", mpi_events), "0", "0 or 1", NUMBER(0, 1)},
	{SETTING("ranks", "RANKS", ranks), "all", "all, or a list of ranks like 0,2-3", WORD("all"),
	 TEXT(ranks, is_rank_list)},
	{SETTING("disable", "DISABLE", disable), NULL, "0 or 1", NUMBER(0, 1)},
	{SETTING("verbose", "VERBOSE", verbose), NULL, "0 or 1", NUMBER(0, 1)},
};

static int parse_text(const struct setting *setting, char *field, const char *value)
{
	const bool is_word = setting->word && !strcmp(value, setting->word);

	if (strlen(value) >= setting->bytes || (!is_word && !setting->is_valid(value)))
		return -EINVAL;
	strcpy(field, is_word ? "" : value);
	return 0;
}

static int parse_number(const struct setting *setting, __u64 *field, const char *value)
{
	unsigned long long number;
	char *end;

	if (!setting->max || *value < '0' || *value > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno || *end || number < setting->min || number > setting->max ||
	    (setting->of == POWER_OF_TWO && number & (number - 1)) || (setting->of == WORDS && number % 8))
		return -EINVAL;
	*field = number;
	return 0;
}

/*
 * Parses the value and stores it in the given settings. Returns 0. On an error, returns -EINVAL and does not
 * change the setting.
 */
static int parse_setting(const struct setting *setting, struct memphis_env_settings *to, const char *value)
{
	void *field = (char *)to + setting->offset;
	const size_t i = find_name(setting->names, setting->count, value, strlen(value));

	if (setting->bytes)
		return parse_text(setting, field, value);
	if (setting->word && !strcmp(value, setting->word))
		*(__u64 *)field = UINT64_MAX;
	else if (i < setting->count)
		*(__u64 *)field = i;
	else if (setting->parse)
		return setting->parse(field, value);
	else
		return parse_number(setting, field, value);
	return 0;
}

static __u32 bad; /* bit i is set if the environment had an invalid value for settings[i] */

_Static_assert(ARRAY_SIZE(settings) <= 32, "a bit for each setting");

/*
 * Searches the environment only once. Calling getenv() for each setting would take about 10 us, in every
 * process that a program starts.
 */
void memphis_env_load(void)
{
	static const char prefix[] = "MEMPHIS_";
	__u32 found = 0;
	char **variable;
	size_t i;

	bad = 0;
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (settings[i].preset)
			parse_setting(&settings[i], &memphis_settings, settings[i].preset);
	for (variable = environ; variable && *variable; variable++) {
		const char *value;

		if (strncmp(*variable, prefix, sizeof(prefix) - 1) != 0)
			continue;
		value = strchr(*variable, '=');
		for (i = 0; value && i < ARRAY_SIZE(settings); i++) {
			const size_t length = strlen(settings[i].variable);

			/* If a variable occurs twice, the first occurrence counts, as in getenv(3). */
			if ((size_t)(value - *variable) != length || found & 1u << i ||
			    memcmp(*variable, settings[i].variable, length) != 0)
				continue;
			found |= 1u << i;
			if (value[1] && parse_setting(&settings[i], &memphis_settings, value + 1))
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
			return parse_setting(&settings[i], &scratch, value) ? settings[i].accepts : NULL;
	return NULL;
}

int memphis_env_set(const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].key, key))
			return parse_setting(&settings[i], &memphis_settings, value);
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

static int read_own_rank(unsigned long *rank)
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
	/* A process without a rank is a launcher, or not an MPI program. It is not sampled. */
	if (!read_own_rank(&rank))
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

	if (memphis_settings.verbose || !read_own_rank(&rank))
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
