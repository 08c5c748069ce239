/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects samples by kind of access, node, region and process. */
#ifndef MEMPHIS_SELECTION_H
#define MEMPHIS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "read/access.h"
#include "read/process.h"

/* A kind of samples, which is a possible argument of --select. */
struct memphis_select_kind {
	const char *name, *help;
	uint16_t sources;          /* bit mask of 1 << enum memphis_source; 0: any source */
	uint16_t flags, flags_set; /* a sample has this kind if (its flags & flags) == flags_set */
	/* 1: home node and accessing node must differ; -1: they must be equal; 0: both are selected */
	int8_t away;
};

/* the default is first; a row with a NULL name ends the list */
extern const struct memphis_select_kind memphis_select_kinds[];

/* Returns the kind with this name, or NULL if there is none. */
const struct memphis_select_kind *memphis_select_kind(const char *name);

/* A process, or a rank of a parallel program, optionally on one host only. See memphis_which_parse(). */
struct memphis_which {
	const char *text; /* the argument as given by the user; NULL: all processes */
	uint64_t number;
	bool rank;      /* `number` is a rank, not a pid */
	char host[256]; /* "": any host */
};

struct memphis_selection {
	const struct memphis_select_kind *kind;
	int64_t node; /* accessing node; -1: all nodes */
	struct memphis_which which;
	const char *region; /* name of the region; NULL: all regions */
	bool by_region;     /* count regions separately */
	bool by_thread;     /* count threads separately */
	bool by_rank;       /* count regions and threads separately, unless an input is a profile */
	/* Count all sources and flags separately, because the profile will later be filtered by other kinds. */
	bool all_apart;
};

/*
 * Returns the length of an array that is indexed by region id, which is the largest id of the process plus 1. Ids are
 * dense and at most 65535 (docs/format.md). Ids above 2^20, which only a damaged file contains, are ignored.
 */
size_t memphis_region_ids(const struct memphis_process *process);

/*
 * Sets *wanted to an array of *count elements, indexed by region id. An element is true if the region or an enclosing
 * region has the selected name. The caller must free *wanted. Returns 0 or -ENOMEM.
 */
int memphis_selection_regions(const struct memphis_selection *selection,
			      const struct memphis_process *process, bool **wanted, size_t *count);

/*
 * Parses the name of a process or rank: "4711", "n03:4711", "rank 17", or a name from a report such as "rank 17 on
 * host n03". Keeps a reference to `text`. Returns 0 or -EINVAL.
 */
int memphis_which_parse(struct memphis_which *which, const char *text);

/* Returns whether the process is selected. */
bool memphis_selection_has(const struct memphis_selection *selection, const struct memphis_process *process);

/*
 * Checks that the selected process and region exist. Returns 0, -ENOENT if one does not exist, or -EINVAL if processes
 * on several hosts have the selected pid. After a failure, *error has a message.
 */
int memphis_selection_check(const struct memphis_selection *selection,
			    const struct memphis_processes *processes, struct memphis_error *error);

/* Returns whether the selection includes this kind of access. Does not check regions and processes. */
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
