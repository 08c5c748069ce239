// SPDX-License-Identifier: BSD-3-Clause
/* Notes of the report about the settings of the machines on which the data was recorded. */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>

#include "view/distinct.h"

#define NAMED 3 /* maximum number of hosts that a note lists by name */

/* Machine settings that make runs differ between machines of the same type. memphis node checks them too. */
static const struct set_up {
	const char *key, *value, *text;
} set_ups[] = {
	{"numa_balancing", "1", "the kernel moved pages (NUMA balancing)"},
	{"numa_balancing", "2", "the kernel moved pages between tiers of memory (NUMA balancing)"},
	{"numa_balancing", "3", "the kernel moved pages (NUMA balancing)"},
	{"huge_pages", "never", "there were no transparent huge pages"},
	{"smt", "1", "cores had several threads"},
	{"governor", "powersave", "frequencies followed the load"},
	{"governor", "ondemand", "frequencies followed the load"},
	{"governor", "conservative", "frequencies followed the load"},
	{"governor", "schedutil", "frequencies followed the load"},
	{"boost", "1", "turbo frequencies were on"},
	{"no_turbo", "0", "turbo frequencies were on"},
	{"clocksource", "hpet", "time was read from the HPET"},
	{"clocksource", "acpi_pm", "time was read from the ACPI timer"},
};

static bool has_set_up(const struct memphis_process *process, const struct set_up *set_up)
{
	const char *value = memphis_setting(&process->settings, set_up->key);

	return value && !strcmp(value, set_up->value);
}

/*
 * Returns a malloc'ed description of those settings of the process's machine that are worth a note. Returns
 * NULL if there are none.
 */
static char *describe_set_up(const struct memphis_process *process, struct memphis_text *notes)
{
	struct memphis_text text = {0};
	const char *last = "";
	size_t i;

	for (i = 0; i < sizeof(set_ups) / sizeof(*set_ups); i++) {
		/* Two settings (boost, no_turbo) may describe the same thing. */
		if (!has_set_up(process, &set_ups[i]) || !strcmp(last, set_ups[i].text))
			continue;
		memphis_text_put(&text, *last ? ", " : "");
		last = set_ups[i].text;
		memphis_text_put(&text, last);
	}
	notes->failed |= text.failed;
	return text.text;
}

/* Writes one line for all hosts that have the same description as host number `first`. Frees these descriptions. */
static void note_set_up(struct memphis_text *notes, const struct memphis_distinct *hosts, char **set_ups,
			size_t first, size_t count)
{
	char *set_up = set_ups[first];
	size_t same = 0, named = 0, i;

	for (i = first; i < count; i++)
		same += set_ups[i] && !strcmp(set_ups[i], set_up);
	if (same > 1)
		memphis_text_print(notes, "%zu hosts (", same);
	else
		memphis_text_put(notes, "host ");
	for (i = first; i < count; i++) {
		if (!set_ups[i] || strcmp(set_ups[i], set_up) != 0)
			continue;
		if (named++ < NAMED)
			memphis_text_print_plain(notes, "%s%s", named > 1 ? ", " : "", hosts[i].text);
		if (i > first)
			free(set_ups[i]);
		set_ups[i] = NULL;
	}
	if (same > 1)
		memphis_text_put(notes, same > NAMED ? ", ...)" : ")");
	memphis_text_print(notes, ": %s; run memphis node on %s for advice\n", set_up,
			   same > 1 ? "those hosts" : "that host");
	free(set_up);
}

void memphis_put_machine_notes(struct memphis_text *notes, const struct memphis_processes *processes)
{
	struct memphis_distinct *hosts;
	char **set_ups = NULL;
	size_t count, i;

	notes->failed |= memphis_distinct_list(&hosts, &count, processes, NULL, "host") != 0;
	set_ups = calloc(count + 1, sizeof(*set_ups));
	notes->failed |= !set_ups;
	for (i = 0; set_ups && i < count; i++)
		set_ups[i] = describe_set_up(&processes->list[hosts[i].process], notes);
	for (i = 0; set_ups && i < count; i++)
		if (set_ups[i])
			note_set_up(notes, hosts, set_ups, i, count);
	free(set_ups);
	free(hosts);
}
