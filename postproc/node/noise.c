// SPDX-License-Identifier: BSD-3-Clause
/* Checks for other load on the machine: busy CPUs and interrupts, and the processes and devices that cause them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node/node.h"

/* If a CPU is busy for more than this percentage of the time, other programs are considered to use it. */
#define BUSY 10
/* A larger number of interrupts per second on one CPU is too high. The timer alone causes at most 1000. */
#define MANY_INTERRUPTS 5000

/* Returns the increase of a count. Returns 0 if the count decreased, as when a CPU went offline or an interrupt was freed. */
static uint64_t count_increase(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static double elapsed_seconds(const struct memphis_examination *examination)
{
	return (double)(examination->quiet->time_ns - examination->before->time_ns) / 1e9;
}

/*
 * Advice about a busy process, by its control group. A row matches if a component of the control group's path
 * begins with `begin` and ends with `end`. The first matching row is used. The message is `before`, the
 * component and `after`.
 */
static const struct {
	const char *begin, *end, *before, *after;
} owners[] = {
	{"job_", "", "it belongs to ", " of the batch system: use a node of your own, or wait for its end"},
	{"user-", ".slice", "it runs in a login, ", " (loginctl): have it ended, or wait"},
	{"", ".service", "stop the service (systemctl stop ",
	 "), or give it other CPUs (systemctl set-property UNIT AllowedCPUs=LIST)"},
	{"", ".scope", "it runs in ", ", a container or a virtual machine: end that, or give it other CPUs"},
};

static bool matches_pattern(const char *part, size_t bytes, const char *begin, const char *end)
{
	const size_t first = strlen(begin), last = strlen(end);

	return bytes > first + last && !strncmp(part, begin, first) &&
	       !strncmp(part + bytes - last, end, last);
}

/*
 * Finds the first component that matches the row `owner` in the text of /proc/PID/cgroup. Returns its length,
 * or 0 if there is none.
 */
static size_t find_matching_part(const char *paths, size_t owner, const char **part)
{
	size_t bytes;

	for (*part = paths; **part; *part += bytes + strspn(*part + bytes, "/\n")) {
		bytes = strcspn(*part, "/\n");
		if (matches_pattern(*part, bytes, owners[owner].begin, owners[owner].end))
			return bytes;
	}
	return 0;
}

static void put_owner_advice(struct memphis_text *remedy, const char *root,
			     const struct memphis_running_process *process)
{
	char *paths = memphis_root_read(root, "/proc/%d/cgroup", (int)process->pid);
	const char *part;
	size_t i, bytes;

	for (i = 0; paths && i < sizeof(owners) / sizeof(*owners); i++) {
		bytes = find_matching_part(paths, i, &part);
		if (!bytes)
			continue;
		memphis_text_print(remedy, "%s%.*s%s", owners[i].before, (int)bytes, part, owners[i].after);
		break;
	}
	if (!paths || i == sizeof(owners) / sizeof(*owners))
		memphis_text_print(remedy, "end it, or give it other CPUs (taskset -apc LIST %d)",
				   (int)process->pid);
	free(paths);
}

/*
 * Appends the busiest process and sets *share to the percentage of a CPU that it used. Returns the process,
 * or NULL if none is known.
 */
static const struct memphis_running_process *put_process(const struct memphis_examination *examination,
							 struct memphis_text *text, double *share)
{
	const struct memphis_running_process *process;
	uint64_t ticks;

	process = memphis_busiest_process(&examination->before->processes, &examination->quiet->processes,
					  &ticks);
	/* Ignore a single tick: the process may have run for only a small part of it. */
	if (!process || ticks < 2)
		return NULL;
	*share = 100 * (double)ticks / (double)sysconf(_SC_CLK_TCK) / elapsed_seconds(examination);
	if (text)
		memphis_text_print(text, "; busiest %s %s (PID %d): %.0f %% of a CPU, last on CPU %u",
				   process->is_kernel ? "kernel thread" : "process", process->name,
				   (int)process->pid, *share, process->cpu);
	return process;
}

static void put_remedy(const struct memphis_examination *examination,
		       const struct memphis_running_process *process, double share,
		       struct memphis_text *remedy)
{
	if (!process || share <= BUSY)
		memphis_text_put(
			remedy,
			"no process that this user sees is that busy: they are short (execsnoop lists them), belong to others (mount option hidepid of /proc), or the kernel serves interrupts");
	else if (process->is_kernel)
		memphis_text_put(
			remedy,
			"the kernel works for a device, a file system or memory (perf top shows what it does); the boot option isolcpus=LIST keeps most of its threads off CPUs");
	else
		put_owner_advice(remedy, examination->machine->root, process);
}

enum memphis_verdict memphis_check_load(const struct memphis_examination *examination,
					struct memphis_check_result *finding)
{
	const struct memphis_machine_counters *before = examination->before, *after = examination->quiet;
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK), time = elapsed_seconds(examination), busy, sum = 0,
	       most = 0, share = 0;
	const struct memphis_running_process *process;
	size_t i, busy_cpus = 0, busiest = 0;
	uint64_t ticks;

	if (!after->has_cpus || time <= 0)
		return memphis_check_unknown(finding, "not reported by the kernel");
	for (i = 0; i < after->cpu_count; i++) {
		ticks = count_increase(before->cpus[i].busy_ticks, after->cpus[i].busy_ticks);
		busy = 100 * (double)ticks * tick / time;
		sum += busy;
		/* A single busy tick is ignored: the CPU may have been busy for only a small part of it. */
		busy_cpus += busy > BUSY && ticks > 1;
		if (busy > most) {
			most = busy;
			busiest = i;
		}
	}
	memphis_text_print(&finding->evidence, "%.2f CPUs busy in %.1f s", sum / 100, time);
	if (busy_cpus)
		memphis_text_print(&finding->evidence, "; %zu for more than %d %%, most CPU %zu with %.0f %%",
				   busy_cpus, BUSY, busiest, most);
	process = put_process(examination, &finding->evidence, &share);
	if (!busy_cpus)
		return MEMPHIS_VERDICT_OK;
	put_remedy(examination, process, share, &finding->remedy);
	return MEMPHIS_VERDICT_WARN;
}

/*
 * Advice about interrupts, by the label of their line in /proc/interrupts. The label of a device's interrupt
 * is a number, which is not in this table.
 */
static const struct {
	const char *label, *remedy;
} causes[] = {
	{"LOC",
	 "the timer, mostly for processes with timers of their own; the boot option nohz_full=LIST stops its regular ticks on CPUs with one thread each"},
	{"RES", "threads wake each other often; give the program that does other CPUs"},
	{"CAL", "CPUs have each other do work: look for programs that change memory maps or load code often"},
	{"TLB", "a program unmaps, protects or moves memory that its threads on other CPUs use"},
	{"PMI",
	 "something counts or samples events: perf, or the NMI watchdog (sysctl kernel.nmi_watchdog=0)"},
	{"NMI",
	 "something counts or samples events: perf, or the NMI watchdog (sysctl kernel.nmi_watchdog=0)"},
};

static void put_interrupt_advice(struct memphis_text *remedy, const struct memphis_interrupt_line *line)
{
	size_t i;

	for (i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (!strcmp(line->label, causes[i].label))
			memphis_text_put(remedy, causes[i].remedy);
	if (remedy->bytes)
		return;
	if (isdigit((unsigned char)*line->label))
		memphis_text_print(
			remedy,
			"move it: as root, echo LIST > /proc/irq/%s/smp_affinity_list (irqbalance --banirq=%s leaves it there), or leave that CPU out",
			line->label, line->label);
	else
		memphis_text_put(remedy, "leave that CPU out");
}

enum memphis_verdict memphis_check_interrupts(const struct memphis_examination *examination,
					      struct memphis_check_result *finding)
{
	const struct memphis_machine_counters *before = examination->before, *after = examination->quiet;
	double time = elapsed_seconds(examination), rate, sum = 0, most = 0;
	size_t i, busiest = 0, line, cpu;
	uint64_t count;

	if (!after->has_interrupts || time <= 0)
		return memphis_check_unknown(finding, "not reported by the kernel");
	for (i = 0; i < after->cpu_count; i++) {
		rate = (double)count_increase(before->cpus[i].interrupts, after->cpus[i].interrupts) / time;
		sum += rate;
		if (rate > most) {
			most = rate;
			busiest = i;
		}
	}
	memphis_text_print(&finding->evidence, "%.0f per second, most on CPU %zu: %.0f", sum, busiest, most);
	count = memphis_busiest_interrupt(&before->interrupts, &after->interrupts, &line, &cpu);
	if (count)
		memphis_text_print(&finding->evidence, "; busiest %s (%s): %.0f on CPU %zu",
				   after->interrupts.lines[line].label, after->interrupts.lines[line].name,
				   (double)count / time, cpu);
	if (most < MANY_INTERRUPTS || !count)
		return MEMPHIS_VERDICT_OK;
	put_interrupt_advice(&finding->remedy, &after->interrupts.lines[line]);
	return MEMPHIS_VERDICT_WARN;
}

void memphis_noise_json(const struct memphis_examination *examination, struct memphis_json *json)
{
	const struct memphis_machine_counters *before = examination->before, *after = examination->quiet;
	const struct memphis_running_process *process;
	size_t line = 0, cpu = 0;
	double share = 0;
	uint64_t count;

	process = put_process(examination, NULL, &share);
	if (process) {
		memphis_json_open(json, "busiest_process", '{');
		memphis_json_number(json, "pid", (uint64_t)process->pid);
		memphis_json_string(json, "name", process->name);
		memphis_json_bool(json, "kernel", process->is_kernel);
		memphis_json_real(json, "cpus", share / 100);
		memphis_json_number(json, "last_cpu", process->cpu);
		memphis_json_close(json, '}');
	} else {
		memphis_json_null(json, "busiest_process");
	}
	count = memphis_busiest_interrupt(&before->interrupts, &after->interrupts, &line, &cpu);
	if (count) {
		memphis_json_open(json, "busiest_interrupt", '{');
		memphis_json_string(json, "line", after->interrupts.lines[line].label);
		memphis_json_string(json, "name", after->interrupts.lines[line].name);
		memphis_json_real(json, "per_second", (double)count / elapsed_seconds(examination));
		memphis_json_number(json, "cpu", cpu);
		memphis_json_close(json, '}');
	} else {
		memphis_json_null(json, "busiest_interrupt");
	}
}
