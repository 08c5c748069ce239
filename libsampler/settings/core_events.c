/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of the setting MEMPHIS_REGION_COUNTERS. The names are those of perf-list(1). Supported are the
 * generic events, which the kernel knows for each CPU, and raw events, which are given by their codes. The
 * vendors' names of events are not supported, because that would require the vendors' tables.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "base/sys.h"
#include "settings/core_events.h"

/* Characters that are allowed in the names that users give to events. All characters of PAPI's names are among them. */
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:"

struct name {
	const char *name;
	__u64 value;
};

static const struct name generic[] = {
	{"cache-references", PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", PERF_COUNT_HW_CACHE_MISSES},
	{"branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"idle-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES},
	{NULL, 0},
};

/* These events are always counted. */
static const struct name always[] = {
	{"cycles", 0},
	{"cpu-cycles", 0},
	{"instructions", 0},
	{NULL, 0},
};

/* Cache events have the form CACHE-OPERATION, for example L1-dcache-load-misses. */
static const struct name caches[] = {
	{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
	{"LLC", PERF_COUNT_HW_CACHE_LL},        {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
	{"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
	{"node", PERF_COUNT_HW_CACHE_NODE},     {NULL, 0},
};

#define OPERATION(operation, result) \
	(PERF_COUNT_HW_CACHE_OP_##operation << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct name operations[] = {
	{"loads", OPERATION(READ, ACCESS)},
	{"load-misses", OPERATION(READ, MISS)},
	{"stores", OPERATION(WRITE, ACCESS)},
	{"store-misses", OPERATION(WRITE, MISS)},
	{"prefetches", OPERATION(PREFETCH, ACCESS)},
	{"prefetch-misses", OPERATION(PREFETCH, MISS)},
	{NULL, 0},
};

static const struct name *find_by_name(const struct name *names, const char *name)
{
	for (; names->name && strcmp(names->name, name); names++)
		;
	return names->name ? names : NULL;
}

static bool parse_cache(const char *name, struct memphis_counter_event *event)
{
	const struct name *cache, *operation;
	size_t length;

	for (cache = caches; cache->name; cache++) {
		length = strlen(cache->name);
		if (strncmp(name, cache->name, length) || name[length] != '-')
			continue;
		operation = find_by_name(operations, name + length + 1);
		if (!operation)
			return false;
		*event = (struct memphis_counter_event){
			.type = PERF_TYPE_HW_CACHE,
			.config = cache->value | operation->value,
		};
		return true;
	}
	return false;
}

static bool parse_number(const char *text, int base, __u64 max, __u64 *number)
{
	char *end;

	if (*text < '0' || (*text > '9' && base == 0))
		return false;
	errno = 0;
	*number = strtoull(text, &end, base);
	return !errno && !*end && *number <= max;
}

/* Parses a raw event: "r" followed by the code in hexadecimal digits. Returns false if the name does not have this form. */
static bool parse_raw(const char *name, struct memphis_counter_event *event)
{
	event->type = PERF_TYPE_RAW;
	return name[0] == 'r' && strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1) &&
	       parse_number(name + 1, 16, UINT64_MAX, &event->config);
}

/*
 * The terms of "cpu/TERM=NUMBER,.../", and their positions in `config` of struct perf_event_attr for raw
 * events. The upper bits of the term "event" exist only on AMD.
 */
static const struct term {
	const char *name;
	__u64 max;
	int shift;
} terms[] = {
	{"event", 0xfff, 0}, {"umask", 0xff, 8}, {"edge", 1, 18}, {"inv", 1, 23}, {"cmask", 0xff, 24},
};

static bool add_term(char *text, struct memphis_counter_event *event)
{
	char *value = strchr(text, '=');
	__u64 number = 1;
	size_t i;

	if (value)
		*value++ = '\0';
	for (i = 0; i < ARRAY_SIZE(terms) && strcmp(terms[i].name, text); i++)
		;
	if (i == ARRAY_SIZE(terms) || (value && !parse_number(value, 0, terms[i].max, &number)))
		return false;
	if (terms[i].shift)
		event->config |= number << terms[i].shift;
	else
		event->config |= (number & 0xff) | (number & 0xf00) << 24;
	return true;
}

static bool parse_terms(const char *name, struct memphis_counter_event *event)
{
	char text[MEMPHIS_CORE_EVENT_NAME_BYTES], *term, *rest;
	size_t length = strlen(name);

	if (strncmp(name, "cpu/", 4) || length < 6 || length >= sizeof(text) || name[length - 1] != '/')
		return false;
	memcpy(text, name + 4, length - 4);
	text[length - 5] = '\0';
	event->type = PERF_TYPE_RAW;
	for (term = strtok_r(text, ",", &rest); term; term = strtok_r(NULL, ",", &rest))
		if (!add_term(term, event))
			return false;
	return true;
}

static bool parse_event(const char *name, struct memphis_counter_event *event)
{
	const struct name *known = find_by_name(generic, name);

	memset(event, 0, sizeof(*event));
	if (known) {
		event->config = known->value;
		return true;
	}
	return parse_cache(name, event) || parse_raw(name, event) || parse_terms(name, event);
}

/* Returns the end of an event: the first comma that is not between slashes, or the NUL. */
static const char *find_event_end(const char *event)
{
	bool inside = false;

	for (; *event && (inside || *event != ','); event++)
		inside ^= *event == '/';
	return event;
}

/* Returns the event with this name, or NULL. */
static const struct memphis_counter_event *find_listed_event(const struct memphis_core_events *events,
							     const char *name)
{
	__u32 i;

	for (i = 0; i < events->count; i++)
		if (!strcmp(events->names[i], name))
			return &events->list[i];
	return NULL;
}

/* Splits NAME=EVENT. Without "=", the event itself is used as its name. Returns the event, or NULL if the name is not valid. */
static char *split_name(char *text, const char **name)
{
	char *end = text + strcspn(text, "=/");

	*name = text;
	if (*end != '=')
		return text;
	*end = '\0';
	return end != text && strspn(text, NAME_CHARACTERS) == (size_t)(end - text) ? end + 1 : NULL;
}

static bool add_event(struct memphis_core_events *events, char *text)
{
	const struct memphis_counter_event *before;
	struct memphis_counter_event event;
	const char *name;
	char *code = split_name(text, &name);
	size_t length;

	if (!code)
		return false;
	/* All events are counted in user mode only. */
	length = strlen(code);
	if (length > 2 && !strcmp(code + length - 2, ":u"))
		code[length - 2] = '\0';
	/* These events have their own columns and can't be given another name. */
	if (find_by_name(always, code))
		return code == name;
	if (!parse_event(code, &event))
		return false;
	before = find_listed_event(events, name);
	if (before)
		return before->type == event.type && before->config == event.config;
	if (events->count == MEMPHIS_COUNTER_EVENTS_MAX || strlen(name) >= MEMPHIS_CORE_EVENT_NAME_BYTES)
		return false;
	events->list[events->count] = event;
	strcpy(events->names[events->count++], name);
	return true;
}

static int parse_list(struct memphis_core_events *events, const char *text)
{
	char event[2 * MEMPHIS_CORE_EVENT_NAME_BYTES];
	const char *end;
	size_t length;

	for (;; text = end + 1) {
		end = find_event_end(text);
		length = (size_t)(end - text);
		if (!length || length >= sizeof(event))
			return -EINVAL;
		memcpy(event, text, length);
		event[length] = '\0';
		if (!add_event(events, event))
			return -EINVAL;
		if (!*end)
			return 0;
	}
}

int memphis_core_events_parse(struct memphis_core_events *events, const char *text)
{
	struct memphis_core_events parsed = {.on = strcmp(text, "0") != 0};

	if (strcmp(text, "0") && strcmp(text, "1") && parse_list(&parsed, text))
		return -EINVAL;
	*events = parsed;
	return 0;
}
