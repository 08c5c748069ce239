// SPDX-License-Identifier: BSD-3-Clause
/* Checks of the speed of the CPUs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/node.h"

#define CPU "/sys/devices/system/cpu"

enum memphis_verdict memphis_check_governor(const struct memphis_examination *examination,
					    struct memphis_check_result *finding)
{
	const struct memphis_machine *machine = examination->machine;
	size_t i, told = 0, others = 0;
	char first[64] = "", *word;

	for (i = 0; i < machine->cpu_count; i++) {
		word = memphis_root_read(machine->root, CPU "/cpu%u/cpufreq/scaling_governor",
					 machine->cpus[i].number);
		if (!word)
			continue;
		if (!told++)
			snprintf(first, sizeof(first), "%s", word);
		else
			others += strcmp(word, first) != 0;
		free(word);
	}
	if (!told)
		return memphis_check_unknown(finding, "the firmware or a hypervisor decides");
	memphis_text_put(&finding->value, others ? "mixed" : first);
	memphis_text_print(&finding->evidence, "%s on %zu of %zu CPUs", first, told - others,
			   machine->cpu_count);
	if (!others && !strcmp(first, "performance"))
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->remedy,
			 "frequencies follow the load; as root: cpupower frequency-set -g performance");
	return MEMPHIS_VERDICT_WARN;
}

enum memphis_verdict memphis_check_boost(const struct memphis_examination *examination,
					 struct memphis_check_result *finding)
{
	const char *root = examination->machine->root;
	uint64_t boost, no_turbo;
	bool on;

	if (memphis_root_number(&no_turbo, root, CPU "/intel_pstate/no_turbo"))
		on = !no_turbo;
	else if (memphis_root_number(&boost, root, CPU "/cpufreq/boost"))
		on = boost;
	else
		return memphis_check_unknown(finding, "the firmware or a hypervisor decides");
	memphis_text_put(&finding->value, on ? "on" : "off");
	memphis_text_put(&finding->evidence, on ? "on" : "off");
	if (!on)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->remedy,
			 "times, not samples, depend on how many cores work; as root: echo 0 > " CPU
			 "/cpufreq/boost (Intel: echo 1 > " CPU "/intel_pstate/no_turbo)");
	return MEMPHIS_VERDICT_WARN;
}

enum memphis_verdict memphis_check_smt(const struct memphis_examination *examination,
				       struct memphis_check_result *finding)
{
	const struct memphis_machine *machine = examination->machine;
	uint64_t active;

	if (!memphis_root_number(&active, machine->root, CPU "/smt/active"))
		return memphis_check_unknown(finding, "not reported by the kernel");
	memphis_text_put(&finding->value, active ? "on" : "off");
	memphis_text_print(&finding->evidence, "%s: %zu CPUs on %u cores", active ? "on" : "off",
			   machine->cpu_count, machine->core_count);
	if (!active)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(
		&finding->remedy,
		"threads of one core share its caches: bind one to each core (OMP_PLACES=cores), or as root: echo off > " CPU
		"/smt/control");
	return MEMPHIS_VERDICT_WARN;
}

static const char *const throttle_names[MEMPHIS_THROTTLES] = {
	[MEMPHIS_THROTTLE_PACKAGE_HEAT] = "heat",
	[MEMPHIS_THROTTLE_PACKAGE_POWER] = "power",
	[MEMPHIS_THROTTLE_CORE_HEAT] = "heat of cores",
	[MEMPHIS_THROTTLE_CORE_POWER] = "power of cores",
};

/*
 * Appends how often a package has been throttled since boot. Sets *ever to true if it has been throttled.
 * Returns the number of events during the check.
 */
static uint64_t put_package(struct memphis_text *text, const struct memphis_package_counters *before,
			    const struct memphis_package_counters *after, bool *ever)
{
	uint64_t sum = 0, moved;
	bool any = false;
	size_t kind;

	memphis_text_print(text, "%spackage %u:", text->bytes ? "; " : "", after->package);
	for (kind = 0; kind < MEMPHIS_THROTTLES; kind++) {
		if (!after->throttled[kind])
			continue;
		moved = after->throttled[kind] - before->throttled[kind];
		memphis_text_print(text, "%s %" PRIu64 " by %s since boot", any ? "," : "",
				   after->throttled[kind], throttle_names[kind]);
		if (moved)
			memphis_text_print(text, ", %" PRIu64 " of them during the check", moved);
		any = true;
		sum += moved;
	}
	if (!any)
		memphis_text_put(text, " never");
	*ever |= any;
	return sum;
}

enum memphis_verdict memphis_check_throttling(const struct memphis_examination *examination,
					      struct memphis_check_result *finding)
{
	const struct memphis_machine_counters *before = examination->before, *after = examination->after;
	uint64_t moved = 0;
	bool ever = false;
	size_t i;

	if (!after->has_throttles)
		return memphis_check_unknown(finding, "the kernel counts none on this CPU");
	for (i = 0; i < after->package_count && i < before->package_count; i++)
		moved += put_package(&finding->evidence, &before->packages[i], &after->packages[i], &ever);
	if (!ever)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->remedy,
			 "look at cooling, fans and power limits (ipmitool sdr; turbostat)");
	return moved ? MEMPHIS_VERDICT_FAIL : MEMPHIS_VERDICT_WARN;
}

enum memphis_verdict memphis_check_machine_checks(const struct memphis_examination *examination,
						  struct memphis_check_result *finding)
{
	uint64_t before = examination->before->machine_checks, after = examination->after->machine_checks;

	if (!examination->after->has_machine_checks)
		return memphis_check_unknown(finding, "the kernel counts none here");
	memphis_text_print(&finding->evidence, "%" PRIu64 " since boot", after);
	if (!after)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->remedy, "the hardware reports errors: see dmesg or ras-mc-ctl --errors");
	if (after == before)
		return MEMPHIS_VERDICT_WARN;
	memphis_text_print(&finding->evidence, ", %" PRIu64 " of them during the check", after - before);
	return MEMPHIS_VERDICT_FAIL;
}

enum memphis_verdict memphis_check_clock(const struct memphis_examination *examination,
					 struct memphis_check_result *finding)
{
	const char *root = examination->machine->root;
	char *current =
		memphis_root_read(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	char *offered =
		memphis_root_read(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource");
	enum memphis_verdict verdict = MEMPHIS_VERDICT_OK;

	if (!current) {
		free(offered);
		return memphis_check_unknown(finding, "not reported by the kernel");
	}
	memphis_text_put(&finding->value, current);
	memphis_text_print(&finding->evidence, "%s, of %s", current, offered ? offered : "?");
	if (strcmp(current, "tsc")) {
		memphis_text_put(
			&finding->remedy,
			"reading the time costs more, and may enter the kernel: dmesg shows why not tsc (boot with tsc=reliable if it is)");
		verdict = MEMPHIS_VERDICT_WARN;
	}
	free(current);
	free(offered);
	return verdict;
}
