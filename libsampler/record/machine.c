/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration of the machine, as far as it makes runs differ: the subset of the checks of memphis node that
 * reads files.
 */
#include <stdio.h>
#include <string.h>

#include "record/metadata.h"

static const struct {
	const char *key, *path;
} files[] = {
	{"numa_balancing", "/proc/sys/kernel/numa_balancing"},
	{"huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled"},
	{"smt", "/sys/devices/system/cpu/smt/active"},
	{"governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
	{"boost", "/sys/devices/system/cpu/cpufreq/boost"},
	{"no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
	{"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
};

/* Returns the word in brackets, as in "always [madvise] never", or the first word if there are no brackets. */
static char *chosen_word(char *text)
{
	char *open = strchr(text, '['), *word = open ? open + 1 : text;

	word[strcspn(word, "] \n")] = '\0';
	return word;
}

void memphis_metadata_machine(struct memphis_text_buffer *text, const char *root)
{
	struct memphis_text_buffer file = {0};
	char path[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%.150s%s", root, files[i].path);
		if (!memphis_text_read(&file, path) && file.used)
			memphis_text_pair(text, files[i].key, chosen_word(file.data));
	}
	memphis_text_free(&file);
}
