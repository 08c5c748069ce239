// SPDX-License-Identifier: BSD-3-Clause
/* The table of the kinds of samples. Selects regions by name, and processes by pid, rank and host. */
#include "profile/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/process_name.h"

#define NAMED 4 /* number of candidates that an error message lists */

#define SOURCE(name) (1 << MEMPHIS_SOURCE_##name)
#define FLAG(name)   MEMPHIS_FLAG_##name

const struct memphis_select_kind memphis_select_kinds[] = {
	{"remote-dram", "loads served by another node's memory", SOURCE(DRAM), FLAG(REMOTE), FLAG(REMOTE), 0},
	{"local-dram", "loads served by the node's own memory", SOURCE(DRAM), FLAG(REMOTE), 0, 0},
	{"dram", "loads served by any memory", SOURCE(DRAM), 0, 0, 0},
	{"remote-cache", "loads served by a cache of another node", SOURCE(PEER_CACHE), FLAG(REMOTE),
	 FLAG(REMOTE), 0},
	{"peer-cache", "loads served by any other core complex's cache", SOURCE(PEER_CACHE), 0, 0, 0},
	{"remote", "loads served by another node, memory or cache", 0, FLAG(REMOTE), FLAG(REMOTE), 0},
	{"hitm", "loads of lines that another cache held modified", 0, FLAG(HITM), FLAG(HITM), 0},
	{"away", "accesses whose page another node owns, stores and cached loads too", 0, 0, 0, 1},
	{"home", "accesses whose page the accessing node owns", 0, 0, 0, -1},
	{"away-stores", "stores to pages that another node owns", 0, FLAG(STORE), FLAG(STORE), 1},
	{"extension", "loads served by memory behind CXL and the like", SOURCE(EXTENSION), 0, 0, 0},
	{"loads", "all loads", 0, FLAG(LOAD), FLAG(LOAD), 0},
	{"stores", "all stores", 0, FLAG(STORE), FLAG(STORE), 0},
	{"locked", "locked accesses", 0, FLAG(LOCKED), FLAG(LOCKED), 0},
	{"tlb-miss", "accesses that missed both TLB levels", 0, FLAG(L2_TLB_MISS), FLAG(L2_TLB_MISS), 0},
	{"all", "every sample", 0, 0, 0, 0},
	{NULL, NULL, 0, 0, 0, 0},
};

const struct memphis_select_kind *memphis_select_kind(const char *name)
{
	const struct memphis_select_kind *kind;

	for (kind = memphis_select_kinds; kind->name; kind++)
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}

size_t memphis_region_ids(const struct memphis_process *process)
{
	uint32_t highest = 0;
	size_t i;

	for (i = 0; i < process->region_count; i++)
		if (process->regions[i].id > highest)
			highest = process->regions[i].id;
	return (size_t)(highest > 1 << 20 ? 1 << 20 : highest) + 1;
}

int memphis_selection_regions(const struct memphis_selection *selection,
			      const struct memphis_process *process, bool **wanted, size_t *count)
{
	const struct memphis_region *region;
	size_t id, steps;

	*count = memphis_region_ids(process);
	*wanted = calloc(*count, sizeof(**wanted));
	if (!*wanted)
		return -ENOMEM;
	for (id = 1; id < *count; id++) {
		region = memphis_process_region(process, (uint32_t)id);
		for (steps = 0; region && steps < process->region_count; steps++) {
			if (!strcmp(region->name, selection->region))
				(*wanted)[id] = true;
			region = memphis_process_region(process, region->parent);
		}
	}
	return 0;
}

static bool skip_word(const char **text, const char *word)
{
	const size_t bytes = strlen(word);

	if (strncmp(*text, word, bytes))
		return false;
	*text += bytes;
	return true;
}

int memphis_which_parse(struct memphis_which *which, const char *text)
{
	const char *colon = strrchr(text, ':');
	size_t host = colon ? (size_t)(colon - text) : 0;
	char *end;

	*which = (struct memphis_which){.text = text};
	if (colon) {
		if (!host || host >= sizeof(which->host))
			return -EINVAL;
		memcpy(which->host, text, host);
		text = colon + 1;
	} else {
		which->rank = skip_word(&text, "rank ");
		if (!which->rank)
			skip_word(&text, "process ");
	}
	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	which->number = strtoull(text, &end, 10);
	text = end;
	if (errno)
		return -EINVAL;
	if (!colon && skip_word(&text, " on host ")) {
		if (!*text || strlen(text) >= sizeof(which->host))
			return -EINVAL;
		strcpy(which->host, text);
		text = "";
	}
	return *text ? -EINVAL : 0;
}

bool memphis_selection_has(const struct memphis_selection *selection, const struct memphis_process *process)
{
	const struct memphis_which *which = &selection->which;
	const char *host;

	if (!which->text)
		return true;
	host = *which->host ? memphis_setting(&process->settings, "host") : NULL;
	if (*which->host && (!host || strcmp(host, which->host) != 0))
		return false;
	if (which->rank)
		return memphis_setting_number(&process->settings, "rank", UINT64_MAX) == which->number;
	return process->pid == which->number;
}

/*
 * Checks that the selected process exists and is unique. A pid is ambiguous if processes on several hosts have it.
 * Several entries with the same pid on one host are the same process before and after exec().
 */
static int check_process(const struct memphis_selection *selection, const struct memphis_processes *processes,
			 struct memphis_error *error)
{
	const struct memphis_which *which = &selection->which;
	const struct memphis_process *process, *last = NULL;
	struct memphis_text names = {0};
	size_t hosts = 0, i;
	int rc = 0;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (!memphis_selection_has(selection, process) ||
		    (last && memphis_process_same_host(process, last)))
			continue;
		last = process;
		if (hosts++ >= NAMED)
			continue;
		memphis_text_put(&names, hosts > 1 ? ", " : "");
		memphis_process_name(&names, process);
	}
	if (!hosts)
		rc = memphis_fail(
			error, -ENOENT,
			"no %s%s in these files; memphis report --by process --select all lists them",
			strchr(which->text, ' ') ? "" : "process ", which->text);
	else if (hosts > 1)
		rc = memphis_fail(error, -EINVAL,
				  "--process: \"%s\" is on several hosts: %s%s; give one as %s", which->text,
				  names.failed ? "?" : names.text, hosts > NAMED ? ", ..." : "",
				  which->rank ? "\"rank N on host HOST\"" : "HOST:PID or \"rank N\"");
	memphis_text_close(&names);
	return rc;
}

static bool has_region(const struct memphis_processes *processes, const char *name)
{
	const struct memphis_process *process;
	size_t i, j;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		for (j = 0; j < process->region_count; j++)
			if (!strcmp(process->regions[j].name, name))
				return true;
	}
	return false;
}

int memphis_selection_check(const struct memphis_selection *selection,
			    const struct memphis_processes *processes, struct memphis_error *error)
{
	int rc = selection->which.text ? check_process(selection, processes, error) : 0;

	if (rc)
		return rc;
	if (selection->region && !has_region(processes, selection->region))
		return memphis_fail(
			error, -ENOENT,
			"no region \"%s\" in these files; memphis report --by region --select all lists them",
			selection->region);
	return 0;
}
