/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the counters of the memory controllers. The kernel describes their events in sysfs (Linux,
 * Documentation/ABI/testing/, sysfs-bus-event_source-devices-format and -events). For AMD since Zen 4, the
 * kernel lists no events. There, CAS commands are event 0x0a, and rdwrmask selects reads (1) or writes (2)
 * (Linux, tools/perf/pmu-events/arch/x86/amdzen4/memory-controller.json).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/range.h"
#include "base/sys.h"
#include "base/text.h"
#include "counters/source.h"
#include "counters/uncore_find.h"

#define DEVICES    "/sys/bus/event_source/devices"
#define NODES_MAX  1024
#define LINE_BYTES 64 /* bytes moved by a CAS command */

static struct memphis_text_buffer text;

/* Returns the first line of a file of the PMU, or NULL if there is none. The line is valid until the next call. */
static char *read_line(const char *format, const char *device, const char *name)
{
	char path[512];
	int used = snprintf(path, sizeof(path), "%s" DEVICES "/%s/", memphis_counters_root, device);

	snprintf(path + used, sizeof(path) - (size_t)used, format, name);
	if (memphis_text_read(&text, path) || !text.used)
		return NULL;
	text.data[strcspn(text.data, "\n")] = '\0';
	return text.data;
}

/*
 * Stores `value` in the bits of a field. sysfs describes a field as in "config1:0-7,32". Returns false if
 * there is no such field or the value is too large.
 */
static bool set_field(struct memphis_uncore_counter *counter, const char *device, const char *field,
		      __u64 value)
{
	const char *at = read_line("format/%s", device, field);
	unsigned long low, high;
	int word = 0, more;

	if (!at || strncmp(at, "config", 6))
		return false;
	at += 6;
	if (*at == '1' || *at == '2')
		word = *at++ - '0';
	if (*at++ != ':')
		return false;
	while ((more = memphis_range_next(&at, &low, &high)) > 0) {
		if (high > 63)
			return false;
		for (; low <= high; low++, value >>= 1)
			counter->config[word] |= (value & 1) << low;
	}
	return !more && !value;
}

/* Stores all terms of an event such as "event=0x04,umask=0x03". */
static bool set_event(struct memphis_uncore_counter *counter, const char *device, const char *event)
{
	char terms[256], *term, *rest, *equals;

	snprintf(terms, sizeof(terms), "%s", event);
	for (term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
		equals = strchr(term, '=');
		if (equals)
			*equals++ = '\0';
		if (!set_field(counter, device, term, equals ? strtoull(equals, NULL, 0) : 1))
			return false;
	}
	return true;
}

/* Returns the number of bytes in a unit, or 0 if the unit does not measure bytes. */
static double unit_bytes(const char *unit)
{
	static const struct {
		const char *name;
		double bytes;
	} units[] = {{"Bytes", 1}, {"bytes", 1}, {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
	size_t i;

	for (i = 0; unit && i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].bytes;
	return 0;
}

/*
 * Reads the file of a CPU or node into `text`. `format` contains the place of its `number`. Cuts `text` after
 * the first line. Returns false if there is no such file.
 */
static bool read_system_file(const char *format, int number)
{
	char path[512];
	int used = snprintf(path, sizeof(path), "%s/sys/devices/system/", memphis_counters_root);

	snprintf(path + used, sizeof(path) - (size_t)used, format, number);
	if (memphis_text_read(&text, path) || !text.used)
		return false;
	text.data[strcspn(text.data, "\n")] = '\0';
	return true;
}

static long read_cpu_number(const char *format, int cpu)
{
	return read_system_file(format, cpu) ? strtol(text.data, NULL, 10) : -1;
}

static int find_node_of_cpu(int cpu)
{
	char path[256];
	int node;

	for (node = 0; node < NODES_MAX; node++) {
		snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%d/cpu%d", memphis_counters_root,
			 node, cpu);
		if (!access(path, F_OK))
			return node;
	}
	return -1;
}

/* The node of a CPU in a PMU's cpumask. The kernel opens the controllers' counters once per socket, or once per die. */
static struct {
	int cpu;
	int node;       /* -1: unknown, or several */
	char nodes[24]; /* list of the nodes if there are several */
} place;

static bool is_on_same_die(int node, long package, long die)
{
	const char *at;
	unsigned long cpu, last;

	if (!read_system_file("node/node%d/cpulist", node))
		return false;
	at = text.data;
	return memphis_range_next(&at, &cpu, &last) > 0 &&
	       read_cpu_number("cpu/cpu%d/topology/physical_package_id", (int)cpu) == package &&
	       read_cpu_number("cpu/cpu%d/topology/die_id", (int)cpu) == die;
}

/* Stores the nodes from `first` to `end` - 1 in place.nodes. */
static void write_nodes(unsigned long first, unsigned long end)
{
	const size_t used = strlen(place.nodes);

	snprintf(place.nodes + used, sizeof(place.nodes) - used, end - first > 1 ? "%s%lu-%lu" : "%s%lu",
		 used ? "," : "", first, end - 1);
}

/*
 * Finds the node or nodes to which the counters of a CPU belong. With several nodes per socket or die (AMD:
 * NPS, Intel: sub-NUMA clustering), sysfs does not show to which of them a controller belongs. The counter is
 * then assigned to all nodes on the die of the CPU together. Nodes without CPUs belong to no die.
 */
static void find_place(int cpu)
{
	const long package = read_cpu_number("cpu/cpu%d/topology/physical_package_id", cpu);
	const long die = read_cpu_number("cpu/cpu%d/topology/die_id", cpu);
	unsigned long node, last, first = 0, count = 0;
	bool before = false, beside;
	char online[256];
	const char *at = online;

	place.cpu = cpu;
	place.node = find_node_of_cpu(cpu);
	place.nodes[0] = '\0';
	if (package < 0 || !read_system_file("node/online", 0))
		return;
	snprintf(online, sizeof(online), "%s", text.data);
	while (memphis_range_next(&at, &node, &last) > 0) {
		for (; node <= last; node++) {
			beside = is_on_same_die((int)node, package, die);
			count += beside;
			if (beside && !before)
				first = node;
			else if (before && !beside)
				write_nodes(first, node);
			before = beside;
		}
		if (before)
			write_nodes(first, node);
		before = false;
	}
	if (count > 1)
		place.node = -1;
	else
		place.nodes[0] = '\0';
}

/*
 * Sets the name of the counter to "imc EVENT" for a PMU "uncore_imc_3". All channels of a controller have the
 * same name, so they are added up.
 */
static void name_counter(struct memphis_uncore_counter *counter, const char *device, const char *event)
{
	const char *start = strncmp(device, "uncore_", 7) ? device : device + 7;
	size_t length = strlen(start);

	while (length && start[length - 1] >= '0' && start[length - 1] <= '9')
		length--;
	if (length && start[length] && start[length - 1] == '_')
		length--;
	else
		length = strlen(start);
	snprintf(counter->name, sizeof(counter->name), "%.*s %.40s", (int)length, start, event);
	counter->writes = strstr(event, "write") != NULL;
}

/*
 * Adds a copy of the counter for each CPU in the PMU's cpumask, which usually has one CPU per socket. Returns
 * the number of copies.
 */
static unsigned int add_counters(const struct memphis_uncore_counter *like, const char *device,
				 struct memphis_uncore_counter *to, unsigned int max)
{
	const char *at = read_line("%s", device, "cpumask");
	unsigned int added = 0;
	unsigned long cpu, last;
	char list[1024];

	snprintf(list, sizeof(list), "%s", at ? at : "");
	for (at = list; added < max && memphis_range_next(&at, &cpu, &last) > 0;)
		for (; cpu <= last && added < max; cpu++, added++) {
			if (place.cpu != (int)cpu)
				find_place((int)cpu);
			to[added] = *like;
			to[added].cpu = (int)cpu;
			to[added].node = place.node;
			if (place.nodes[0])
				snprintf(to[added].name, sizeof(to[added].name), "%.32s (nodes %.22s)",
					 like->name, place.nodes);
		}
	return added;
}

/*
 * Adds counters for an event. Returns their number, or 0 if the event does not count bytes or its description
 * is not understood.
 */
static unsigned int find_event(const char *device, __u32 type, const char *event, const char *terms,
			       double bytes, struct memphis_uncore_counter *to, unsigned int max)
{
	struct memphis_uncore_counter counter = {.type = type, .bytes = bytes, .fd = {.fd = -1}};

	if (bytes <= 0 || !set_event(&counter, device, terms))
		return 0;
	name_counter(&counter, device, event);
	return add_counters(&counter, device, to, max);
}

/* Returns true if the event counts memory traffic. A name with a dot is not an event but an attribute of one (.unit, .scale). */
static bool is_traffic_event(const char *event)
{
	static const char *const events[] = {"cas_count_read", "cas_count_write", "data_read", "data_write"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (!strncmp(event, events[i], strlen(events[i])) && !strchr(event, '.'))
			return true;
	return false;
}

static unsigned int find_in_device(const char *device, struct memphis_uncore_counter *to, unsigned int max)
{
	char path[512], terms[256];
	unsigned int found = 0;
	struct memphis_directory events;
	const char *line, *name;
	double bytes;
	__u32 type;

	line = read_line("%s", device, "type");
	if (!line)
		return 0;
	type = (__u32)strtoul(line, NULL, 10);
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/events", memphis_counters_root, device);
	memphis_directory_open(&events, path);
	while ((name = memphis_directory_next(&events))) {
		if (!is_traffic_event(name))
			continue;
		line = read_line("events/%s.unit", device, name);
		bytes = unit_bytes(line);
		line = read_line("events/%s.scale", device, name);
		bytes *= line ? memphis_text_number(line, NULL) : 1;
		line = read_line("events/%s", device, name);
		snprintf(terms, sizeof(terms), "%s", line ? line : "");
		found += find_event(device, type, name, terms, bytes, to + found, max - found);
	}
	memphis_directory_close(&events);
	if (!found && !strncmp(device, "amd_umc_", 8)) {
		found += find_event(device, type, "cas_read", "event=0x0a,rdwrmask=0x1", LINE_BYTES, to, max);
		found += find_event(device, type, "cas_write", "event=0x0a,rdwrmask=0x2", LINE_BYTES,
				    to + found, max - found);
	}
	return found;
}

unsigned int memphis_uncore_find(struct memphis_uncore_counter *to, unsigned int max)
{
	unsigned int found = 0;
	struct memphis_directory devices;
	const char *name;
	char path[512];

	place.cpu = -1;
	snprintf(path, sizeof(path), "%s" DEVICES, memphis_counters_root);
	memphis_directory_open(&devices, path);
	while ((name = memphis_directory_next(&devices)))
		if (!strncmp(name, "uncore_imc", 10) || !strncmp(name, "amd_umc_", 8))
			found += find_in_device(name, to + found, max - found);
	memphis_directory_close(&devices);
	return found;
}
