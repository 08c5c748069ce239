// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads event counters before and after the checks: throttling, memory errors, machine checks, busy CPU time,
 * and interrupts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "node/node.h"

#define CPU  "/sys/devices/system/cpu"
#define EDAC "/sys/devices/system/edac/mc/mc"

#define CONTROLLERS_MAX 64

/*
 * Counts since boot, in one directory per CPU; all CPUs of a package show the same package counts. See Linux,
 * arch/x86/kernel/cpu/mce/therm_throt.c.
 */
static const char *const throttle_files[MEMPHIS_THROTTLES] = {
	[MEMPHIS_THROTTLE_PACKAGE_HEAT] = "package_throttle_count",
	[MEMPHIS_THROTTLE_PACKAGE_POWER] = "package_power_limit_count",
	[MEMPHIS_THROTTLE_CORE_HEAT] = "core_throttle_count",
	[MEMPHIS_THROTTLE_CORE_POWER] = "core_power_limit_count",
};

static struct memphis_package_counters *package_of(struct memphis_machine_counters *counters,
						   unsigned int number)
{
	struct memphis_package_counters *package;
	size_t i;

	for (i = 0; i < counters->package_count; i++)
		if (counters->packages[i].package == number)
			return &counters->packages[i];
	package = memphis_append(counters->packages, counters->package_count, counters->package_room);
	if (package)
		package->package = number;
	return package;
}

static int read_throttles(struct memphis_machine_counters *counters, const struct memphis_machine *machine)
{
	struct memphis_package_counters *package;
	const struct memphis_machine_cpu *cpu;
	uint64_t value;
	size_t i, kind;

	for (i = 0; i < machine->cpu_count; i++) {
		cpu = &machine->cpus[i];
		package = package_of(counters, cpu->package);
		if (!package)
			return -ENOMEM;
		for (kind = 0; kind < MEMPHIS_THROTTLES; kind++) {
			if (!memphis_root_number(&value, machine->root, CPU "/cpu%u/thermal_throttle/%s",
						 cpu->number, throttle_files[kind]))
				continue;
			counters->has_throttles = true;
			if (kind <= MEMPHIS_THROTTLE_PACKAGE_POWER)
				package->throttled[kind] =
					value > package->throttled[kind] ? value : package->throttled[kind];
			else if (cpu->first_of_core)
				package->throttled[kind] += value;
		}
	}
	return 0;
}

/* Reads the error counts of the EDAC memory controllers (Linux, Documentation/admin-guide/ras.rst). */
static int read_controllers(struct memphis_machine_counters *counters, const struct memphis_machine *machine)
{
	struct memphis_memory_controller *controller, found;

	for (found.number = 0; found.number < CONTROLLERS_MAX; found.number++) {
		if (!memphis_root_number(&found.corrected, machine->root, EDAC "%u/ce_count", found.number) ||
		    !memphis_root_number(&found.uncorrected, machine->root, EDAC "%u/ue_count", found.number))
			continue;
		controller = memphis_append(counters->controllers, counters->controller_count,
					    counters->controller_room);
		if (!controller)
			return -ENOMEM;
		*controller = found;
	}
	return 0;
}

/*
 * Reads the busy time of each CPU from lines of the form: cpuN user nice system idle iowait irq softirq
 * steal. See proc(5).
 */
static void read_busy(struct memphis_machine_counters *counters, const struct memphis_machine *machine)
{
	char *text = memphis_root_read(machine->root, "/proc/stat"), *line, *rest = text;
	uint64_t user, nice, system, idle, waiting, irq, softirq;
	unsigned int cpu;

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line,
			   "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNu64,
			   &cpu, &user, &nice, &system, &idle, &waiting, &irq, &softirq) != 8 ||
		    cpu >= counters->cpu_count)
			continue;
		counters->cpus[cpu].busy_ticks = user + nice + system + irq + softirq;
		counters->has_cpus = true;
	}
	free(text);
}

/*
 * Adds the counts in a line of /proc/interrupts. `line` begins after the colon, with a count for each CPU in
 * `columns`, followed by a description.
 */
static uint64_t add_interrupts(struct memphis_machine_counters *counters, char *line,
			       const unsigned int *columns, size_t column_count)
{
	uint64_t value, sum = 0;
	size_t i;
	char *end;

	for (i = 0; i < column_count; i++, line = end) {
		value = strtoull(line, &end, 10);
		if (end == line)
			break;
		sum += value;
		if (columns[i] < counters->cpu_count)
			counters->cpus[columns[i]].interrupts += value;
	}
	return sum;
}

/*
 * Parses the header line of /proc/interrupts, which lists the online CPUs. Returns their numbers in a
 * malloc'ed array.
 */
static unsigned int *read_columns(char *line, size_t *count)
{
	unsigned int *columns = NULL, number;
	size_t room = 0;
	char *word;

	while ((word = strsep(&line, " \t"))) {
		if (sscanf(word, "CPU%u", &number) != 1)
			continue;
		if (memphis_grow(&columns, &room, *count + 1, sizeof(*columns)))
			break;
		columns[(*count)++] = number;
	}
	return columns;
}

static void read_interrupts(struct memphis_machine_counters *counters, const struct memphis_machine *machine)
{
	char *text = memphis_root_read(machine->root, "/proc/interrupts"), *rest = text, *line, *name;
	unsigned int *columns;
	size_t column_count = 0;
	uint64_t sum;

	line = strsep(&rest, "\n");
	columns = read_columns(line, &column_count);
	while (columns && (line = strsep(&rest, "\n"))) {
		name = line + strspn(line, " ");
		line = strchr(name, ':');
		if (!line)
			continue;
		sum = add_interrupts(counters, line + 1, columns, column_count);
		if (!strncmp(name, "MCE:", 4)) {
			counters->machine_checks = sum;
			counters->has_machine_checks = true;
		}
		counters->has_interrupts = true;
	}
	free(columns);
	free(text);
}

int memphis_machine_counters_read(struct memphis_machine_counters *counters,
				  const struct memphis_machine *machine)
{
	struct timespec now;
	size_t i;
	int rc;

	memset(counters, 0, sizeof(*counters));
	for (i = 0; i < machine->cpu_count; i++)
		if (machine->cpus[i].number >= counters->cpu_count)
			counters->cpu_count = machine->cpus[i].number + 1;
	counters->cpus = calloc(counters->cpu_count ? counters->cpu_count : 1, sizeof(*counters->cpus));
	if (!counters->cpus)
		return -ENOMEM;
	read_busy(counters, machine);
	read_interrupts(counters, machine);
	clock_gettime(CLOCK_MONOTONIC, &now);
	counters->time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	rc = read_throttles(counters, machine);
	return rc ? rc : read_controllers(counters, machine);
}

void memphis_machine_counters_close(struct memphis_machine_counters *counters)
{
	free(counters->packages);
	free(counters->cpus);
	free(counters->controllers);
	memset(counters, 0, sizeof(*counters));
}
