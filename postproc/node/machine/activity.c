// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads event counters before and after the checks: throttling, errors, machine checks, busy time of CPUs
 * and processes, and interrupts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "node/machine/machine.h"

#define CPU "/sys/devices/system/cpu"

/*
 * Files with counts since boot, in the directory of each CPU. All CPUs of a package show the same package
 * counts. See Linux, arch/x86/kernel/cpu/mce/therm_throt.c.
 */
static const char *const throttle_files[MEMPHIS_THROTTLES] = {
	[MEMPHIS_THROTTLE_PACKAGE_HEAT] = "package_throttle_count",
	[MEMPHIS_THROTTLE_PACKAGE_POWER] = "package_power_limit_count",
	[MEMPHIS_THROTTLE_CORE_HEAT] = "core_throttle_count",
	[MEMPHIS_THROTTLE_CORE_POWER] = "core_power_limit_count",
};

static struct memphis_package_counters *find_or_add_package(struct memphis_machine_counters *counters,
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
		package = find_or_add_package(counters, cpu->package);
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

/* Reads the busy time of each CPU from lines of the form: cpuN user nice system idle iowait irq softirq steal. See proc(5). */
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

static void add_interrupts(struct memphis_machine_counters *counters)
{
	const struct memphis_interrupts *interrupts = &counters->interrupts;
	const uint64_t *value = interrupts->counts;
	size_t line, cpu;

	for (line = 0; line < interrupts->count; line++) {
		const bool is_machine_check = !strcmp(interrupts->lines[line].label, "MCE");

		counters->has_machine_checks |= is_machine_check;
		for (cpu = 0; cpu < interrupts->cpus; cpu++, value++) {
			counters->cpus[cpu].interrupts += *value;
			counters->machine_checks += is_machine_check ? *value : 0;
		}
	}
	counters->has_interrupts = interrupts->count > 0;
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
	rc = memphis_interrupts_read(&counters->interrupts, machine->root, counters->cpu_count);
	if (rc)
		return rc;
	add_interrupts(counters);
	clock_gettime(CLOCK_MONOTONIC, &now);
	counters->time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	rc = memphis_running_read(&counters->processes, machine->root);
	if (!rc)
		rc = read_throttles(counters, machine);
	return rc ? rc : memphis_error_counts_read(&counters->errors, machine->root, machine->host);
}

void memphis_machine_counters_close(struct memphis_machine_counters *counters)
{
	free(counters->packages);
	free(counters->cpus);
	memphis_error_counts_close(&counters->errors);
	memphis_running_close(&counters->processes);
	memphis_interrupts_close(&counters->interrupts);
	memset(counters, 0, sizeof(*counters));
}
