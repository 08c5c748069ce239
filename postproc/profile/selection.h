/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples are selected: by kind of access, node, region and process. */
#ifndef MEMPHIS_SELECTION_H
#define MEMPHIS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "read/access.h"
#include "read/process.h"

/* A kind of samples, the argument of --select. */
struct memphis_select_kind {
	const char *name, *help;
	uint16_t sources;          /* mask of 1 << enum memphis_source; 0: any */
	uint16_t flags, flags_set; /* the flags in the mask `flags` must equal `flags_set` */
	int8_t away; /* 1: home node and accessing node must differ; -1: must be equal; 0: any */
};

extern const struct memphis_select_kind
	memphis_select_kinds[]; /* first the default; terminated by a NULL name */

/* The kind of that name, or NULL. */
const struct memphis_select_kind *memphis_select_kind(const char *name);

/* A process, or a rank of a parallel program, perhaps on one host: see memphis_which_parse(). */
struct memphis_which {
	const char *text; /* the argument as given; NULL: all processes */
	uint64_t number;
	bool rank;      /* `number` is a rank, not a pid */
	char host[256]; /* "": any */
};

struct memphis_selection {
	const struct memphis_select_kind *kind;
	int64_t node; /* accessing node; -1: all */
	struct memphis_which which;
	const char *region; /* name; NULL: all */
	bool by_region;     /* count regions separately */
	bool by_thread;     /* count threads separately */
	bool all_apart; /* count all sources and flags separately: the profile will be filtered by other kinds later */
};

/*
 * Upper bound of the process's region ids, plus one: the length of arrays that are indexed by id. Ids are dense and at most 65535
 * (docs/format.md); ids beyond 2^20 in a damaged file are ignored.
 */
size_t memphis_region_ids(const struct memphis_process *process);

/* Fills *wanted, malloc'ed, *count entries: by region id, does the region or one around it have the selected name? 0 or -ENOMEM. */
int memphis_selection_regions(const struct memphis_selection *selection,
			      const struct memphis_process *process, bool **wanted, size_t *count);

/* Parses "4711", "n03:4711", "rank 17" or a process's name in a report, "rank 17 on host n03". Keeps `text`. 0 or -EINVAL. */
int memphis_which_parse(struct memphis_which *which, const char *text);

/* Is the process selected? */
bool memphis_selection_has(const struct memphis_selection *selection, const struct memphis_process *process);

/* 0 if the selected process and region exist; -ENOENT if not, -EINVAL if the pid is ambiguous between hosts, both with *error. */
int memphis_selection_check(const struct memphis_selection *selection,
			    const struct memphis_processes *processes, struct memphis_error *error);

/* Does the selection take accesses of this kind? Regions and processes are checked elsewhere. */
static inline bool memphis_selection_takes(const struct memphis_selection *selection,
					   const struct memphis_access *access)
{
	const struct memphis_select_kind *kind = selection->kind;

	if (kind->sources && !(kind->sources >> access->source & 1))
		return false;
	if ((access->flags & kind->flags) != kind->flags_set)
		return false;
	if (kind->away && (access->home == MEMPHIS_NODE_UNKNOWN || access->node == MEMPHIS_NODE_UNKNOWN ||
			   (access->home != access->node) != (kind->away > 0)))
		return false;
	return selection->node < 0 || access->node == selection->node;
}

#endif
