/* SPDX-License-Identifier: BSD-3-Clause */
/* The NUMA nodes of the machine (chunk TOPOLOGY), including nodes that have only memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/range.h"
#include "record/metadata.h"

#define NODES_MAX 1024

/* Returns the total memory of a node in bytes, from its meminfo. */
static __u64 memory_bytes(struct memphis_text_buffer *file)
{
	const char *line = file->data ? strstr(file->data, "MemTotal:") : NULL;

	return line ? strtoull(line + strlen("MemTotal:"), NULL, 10) * 1024 : 0;
}

static void remove_newline(struct memphis_text_buffer *file)
{
	while (file->used && (file->data[file->used - 1] == '\n' || file->data[file->used - 1] == ' '))
		file->data[--file->used] = '\0';
}

static int add_node(struct memphis_text_buffer *text, struct memphis_text_buffer *file, const char *root,
		    unsigned int node)
{
	char path[256];
	char *space;
	__u64 bytes;

	snprintf(path, sizeof(path), "%.200s/node%u/meminfo", root, node);
	if (memphis_text_read(file, path))
		return -ENOENT;
	bytes = memory_bytes(file);
	snprintf(path, sizeof(path), "%.200s/node%u/cpulist", root, node);
	if (memphis_text_read(file, path))
		return -ENOENT;
	remove_newline(file);
	memphis_text_add(text, "node %u %llu %s ", node, bytes, file->used ? file->data : "-");
	snprintf(path, sizeof(path), "%.200s/node%u/distance", root, node);
	memphis_text_read(file, path);
	remove_newline(file);
	for (space = file->data; space && (space = strchr(space, ' '));)
		*space = ',';
	memphis_text_add(text, "%s\n", file->used ? file->data : "10");
	return 0;
}

void memphis_metadata_add_topology(struct memphis_text_buffer *text, const char *root)
{
	struct memphis_text_buffer online = {0}, file = {0};
	char path[256];
	unsigned long node, last;
	const char *list;

	snprintf(path, sizeof(path), "%.200s/online", root);
	if (memphis_text_read(&online, path) || !online.used) {
		/* A kernel without NUMA has no list of nodes: write one node with all CPUs and all memory. */
		memphis_text_add(text, "node 0 %llu 0-%ld 10\n",
				 (__u64)sysconf(_SC_PHYS_PAGES) * (__u64)sysconf(_SC_PAGESIZE),
				 sysconf(_SC_NPROCESSORS_CONF) - 1);
		goto out;
	}
	remove_newline(&online);
	for (list = online.data; memphis_range_next(&list, &node, &last) > 0;)
		for (; node <= last && node < NODES_MAX; node++)
			add_node(text, &file, root, (unsigned int)node);
out:
	memphis_text_free(&online);
	memphis_text_free(&file);
}

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

void memphis_metadata_add_machine(struct memphis_text_buffer *text, const char *root)
{
	struct memphis_text_buffer file = {0};
	char path[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%.150s%s", root, files[i].path);
		if (!memphis_text_read(&file, path) && file.used)
			memphis_text_add_pair(text, files[i].key, chosen_word(file.data));
	}
	memphis_text_free(&file);
}
