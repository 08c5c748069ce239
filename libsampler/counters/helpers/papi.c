/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memphis-papi NAMES PID: reads events of PAPI for libmemphis (counters/helper.h). Software events of perf
 * are counted in all threads of the process, and in the threads and processes that they start (PAPI_attach,
 * PAPI_INHERIT). Events of other components are counted for the whole machine.
 *
 * memphis-papi --code NAME: prints the code of a core event, or the reason why it has no code. Exits with 0
 * or 1.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <papi.h>

#include "settings/counter_list.h"
#include "helper.h"
#include "papi_codes.h"

#define EVENTS_MAX  64
#define THREADS_MAX 4096

struct event {
	char name[HELPER_NAMES_MAX];
	char unit[PAPI_MIN_STR_LEN];
	int code, component;
	bool process, gauge;
	int set; /* event set of a machine-wide event; PAPI_NULL: not started */
};

/* A thread of the process, and the event set of all process events in this thread. */
struct thread {
	int tid, set;
};

static struct event events[EVENTS_MAX];
static int event_count, thread_count;
static struct thread threads[THREADS_MAX];
static int process;
static int domain = PAPI_DOM_ALL; /* PAPI_DOM_USER if perf refuses to count in the kernel */

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Returns true if the event needs no counter of the PMU. The names come from libpfm and perf_event_open(2). */
static bool is_software(const char *name)
{
	static const char *const names[] = {
		"PERF_COUNT_SW_",   "PAGE-FAULTS",      "FAULTS",     "MINOR-FAULTS",
		"MAJOR-FAULTS",     "CONTEXT-SWITCHES", "CS",         "CPU-MIGRATIONS",
		"MIGRATIONS",       "CPU-CLOCK",        "TASK-CLOCK", "ALIGNMENT-FAULTS",
		"EMULATION-FAULTS", "CGROUP-SWITCHES",
	};
	size_t i, length;

	if (!begins_with(name, "perf::"))
		return false;
	name += strlen("perf::");
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		length = strlen(names[i]);
		if (!strncmp(name, names[i], length) && (!i || !name[length] || name[length] == ':'))
			return true;
	}
	return false;
}

/* Returns the reason why the event can't be counted correctly, or NULL. Sets event->process. */
static const char *find_obstacle(struct event *event, const PAPI_component_info_t *component)
{
	if (component->disabled)
		return component->disabled_reason;
	if (begins_with(component->name, "perf_event") && strcmp(component->name, "perf_event_uncore")) {
		event->process = true;
		return is_software(event->name) ? NULL
						: "it would take a counter of the PMU that takes the samples";
	}
	if (!strcmp(component->name, "appio") || !strcmp(component->name, "sde") ||
	    !strcmp(component->name, "io"))
		return "this component counts in the calling process only";
	return NULL;
}

/*
 * Returns true for components whose values are gauges. The components are listed here because PAPI does not
 * report whether values can be added up.
 */
static bool is_gauge(const char *component)
{
	static const char *const gauges[] = {"coretemp", "lmsensors", "sysdetect", "cpufreq"};
	size_t i;

	for (i = 0; i < sizeof(gauges) / sizeof(*gauges); i++)
		if (begins_with(component, gauges[i]))
			return true;
	return false;
}

static void choose_unit(struct event *event, const PAPI_event_info_t *info)
{
	const char *name = event->name;

	if (*info->units)
		snprintf(event->unit, sizeof(event->unit), "%s", info->units);
	else if (strstr(name, "CLOCK"))
		strcpy(event->unit, "ns");
	else if (strstr(name, "bytes"))
		strcpy(event->unit, "bytes");
	else
		strcpy(event->unit, "count");
}

static bool find_event(struct event *event)
{
	const PAPI_component_info_t *component = NULL;
	PAPI_event_info_t info;
	const char *why = NULL;
	int status = PAPI_event_name_to_code(event->name, &event->code);

	if (status == PAPI_OK)
		status = PAPI_get_event_info(event->code, &info);
	if (status != PAPI_OK) {
		why = PAPI_strerror(status);
	} else {
		event->component = PAPI_get_event_component(event->code);
		component = PAPI_get_component_info(event->component);
		why = component ? find_obstacle(event, component) : "it has no component";
	}
	if (why) {
		helper_refuse(event->name, why);
		return false;
	}
	event->gauge = is_gauge(component->name);
	choose_unit(event, &info);
	event->set = PAPI_NULL;
	return true;
}

/*
 * Starts an event set with these events for thread `tid` (0: the whole machine). On failure, returns
 * PAPI_NULL and stores the error in *status.
 */
static int start_set(int component, int tid, const int *codes, int count, int *status)
{
	PAPI_option_t option;
	int set = PAPI_NULL, i;

	*status = PAPI_create_eventset(&set);
	if (*status == PAPI_OK)
		*status = PAPI_assign_eventset_component(set, component);
	if (*status == PAPI_OK && tid) {
		memset(&option, 0, sizeof(option));
		option.inherit.eventset = set;
		option.inherit.inherit = PAPI_INHERIT_ALL;
		*status = PAPI_set_opt(PAPI_INHERIT, &option);
		memset(&option, 0, sizeof(option));
		option.domain.eventset = set;
		option.domain.domain = domain;
		if (*status == PAPI_OK)
			*status = PAPI_set_opt(PAPI_DOMAIN, &option);
		if (*status == PAPI_OK)
			*status = PAPI_attach(set, (unsigned long)tid);
	}
	for (i = 0; i < count && *status == PAPI_OK; i++)
		*status = PAPI_add_event(set, codes[i]);
	if (*status == PAPI_OK)
		*status = PAPI_start(set);
	if (*status == PAPI_OK)
		return set;
	if (set != PAPI_NULL) {
		PAPI_cleanup_eventset(set);
		PAPI_destroy_eventset(&set);
	}
	return PAPI_NULL;
}

/* Returns true if the event occurs only in the kernel. There, perf_event_paranoid decides whether users may count. */
static bool needs_kernel(const char *name)
{
	return strstr(name, "CONTEXT") || strstr(name, "::CS") || strstr(name, "MIGRATIONS") ||
	       strstr(name, "CGROUP");
}

static int process_codes(int codes[EVENTS_MAX])
{
	int count = 0, i;

	for (i = 0; i < event_count; i++)
		if (events[i].process)
			codes[count++] = events[i].code;
	return count;
}

static void drop_event(int at, const char *why)
{
	helper_refuse(events[at].name, why);
	memmove(&events[at], &events[at + 1], (size_t)(event_count - at - 1) * sizeof(*events));
	event_count--;
}

/*
 * Tests with the first thread whether perf allows counting in the kernel. If it does not, counts in user mode
 * only and refuses events that occur only in the kernel.
 */
static void choose_domain(void)
{
	int codes[EVENTS_MAX], count = process_codes(codes), status, set, i;

	if (!count)
		return;
	set = start_set(events[0].process ? events[0].component : 0, process, codes, count, &status);
	if (set == PAPI_NULL) {
		domain = PAPI_DOM_USER;
		for (i = event_count - 1; i >= 0; i--)
			if (events[i].process && needs_kernel(events[i].name))
				drop_event(
					i,
					"it happens in the kernel, which sysctl kernel.perf_event_paranoid=1 lets users count");
		return;
	}
	PAPI_stop(set, NULL);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* Returns true if the thread belongs to libmemphis, not to the program. */
static bool is_library_thread(int tid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", process, tid);
	file = fopen(path, "r");
	if (file) {
		if (!fgets(name, sizeof(name), file))
			name[0] = '\0';
		fclose(file);
	}
	return begins_with(name, "memphis-");
}

/* Attaches to all threads of the process. The threads and children that they start later inherit the event sets. */
static void attach_threads(void)
{
	int codes[EVENTS_MAX], count = process_codes(codes), status = PAPI_OK, i;
	const char *why = "it has no threads";
	struct dirent *entry;
	char path[64];
	DIR *tasks;

	if (!count)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", process);
	tasks = opendir(path);
	while (tasks && thread_count < THREADS_MAX && (entry = readdir(tasks))) {
		int tid = atoi(entry->d_name), set;

		if (tid <= 0 || is_library_thread(tid))
			continue;
		for (i = 0; i < event_count && !events[i].process; i++)
			;
		set = start_set(events[i].component, tid, codes, count, &status);
		if (set != PAPI_NULL)
			threads[thread_count++] = (struct thread){tid, set};
		else
			why = PAPI_strerror(status);
	}
	if (tasks)
		closedir(tasks);
	for (i = event_count - 1; i >= 0 && !thread_count; i--)
		if (events[i].process)
			drop_event(i, why);
}

/* Starts each machine-wide event in a separate set, so that a failure affects no other event. */
static void start_machine_events(void)
{
	int status, i;

	for (i = event_count - 1; i >= 0; i--) {
		if (events[i].process)
			continue;
		events[i].set = start_set(events[i].component, 0, &events[i].code, 1, &status);
		if (events[i].set == PAPI_NULL)
			drop_event(i, PAPI_strerror(status));
	}
}

static void start_events(const char *names)
{
	int status = PAPI_library_init(PAPI_VER_CURRENT);
	char name[HELPER_NAMES_MAX];

	if (status != PAPI_VER_CURRENT) {
		helper_refuse("papi",
			      status < 0 ? PAPI_strerror(status) : "another version of PAPI than at build");
		return;
	}
	while (event_count < EVENTS_MAX && memphis_counters_name(&names, name, sizeof(name))) {
		struct event *event = &events[event_count];

		memset(event, 0, sizeof(*event));
		strcpy(event->name, name);
		event_count += find_event(event);
	}
	if (*names)
		helper_refuse(names, "too many events");
	choose_domain();
	attach_threads();
	start_machine_events();
}

static void print_value(const struct event *event, double value)
{
	helper_value(event->process ? "process" : "host", event->gauge ? "gauge" : "counter", -1, event->unit,
		     value, event->name);
}

static void read_events(void)
{
	long long values[EVENTS_MAX];
	double sums[EVENTS_MAX] = {0};
	int codes[EVENTS_MAX], count = process_codes(codes), i, at, status;

	for (i = 0; i < thread_count; i++)
		if (PAPI_read(threads[i].set, values) == PAPI_OK)
			for (at = 0; at < count; at++)
				sums[at] += (double)values[at];
	for (i = at = 0; i < event_count; i++) {
		if (events[i].process) {
			print_value(&events[i], sums[at++]);
			continue;
		}
		status = PAPI_read(events[i].set, values);
		if (status == PAPI_OK)
			print_value(&events[i], (double)values[0]);
		else
			helper_lost(events[i].name, PAPI_strerror(status));
	}
}

int main(int count, char **arguments)
{
	bool begun = false;

	if (count == 3 && !strcmp(arguments[1], "--code"))
		return papi_print_code(arguments[2]);
	if (count < 3 || !helper_begin())
		return 2;
	process = atoi(arguments[2]);
	while (helper_next()) {
		if (!begun)
			start_events(arguments[1]);
		begun = true;
		read_events();
		helper_done();
	}
	return 0;
}
