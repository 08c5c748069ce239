/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples are selected: by kind of access, node, region and process. */
#ifndef MEMPHIS_SELECTION_H
#define MEMPHIS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "read/access.h"
#include "read/process.h"

/* A kind of samples: one of the possible arguments of --select. */
struct memphis_select_kind {
	const char *name, *help;
	uint16_t sources;          /* mask of 1 << enum memphis_source; 0: any */
	uint16_t flags, flags_set; /* the sample's flags, masked with `flags`, must equal flags_set */
	int8_t away; /* 1: home node and accessing node must differ; -1: they must be equal; 0: any */
};

extern const struct memphis_select_kind memphis_select_kinds[]; /* default first; ends with a NULL name */

/* Returns the kind with this name, or NULL if there is none. */
const struct memphis_select_kind *memphis_select_kind(const char *name);

/* A process or a rank of a parallel program, optionally restricted to one host; see memphis_which_parse(). */
struct memphis_which {
	const char *text; /* the argument as given; NULL: all processes */
	uint64_t number;
	bool rank;      /* `number` is a rank, not a pid */
	char host[256]; /* "": any host */
};

struct memphis_selection {
	const struct memphis_select_kind *kind;
	int64_t node; /* accessing node; -1: all */
	struct memphis_which which;
	const char *region; /* name; NULL: all */
	bool by_region;     /* count regions separately */
	bool by_thread;     /* count threads separately */
	bool by_rank;       /* both, unless an input is a profile */
	/* count all sources and flags separately, since the profile will be filtered by other kinds later */
	bool all_apart;
};

/*
 * Returns the length of an array that is indexed by region id: the largest id of the process + 1. Ids are dense and at most 65535
 * (docs/format.md); ids above 2^20, which only a damaged file contains, are ignored.
 */
size_t memphis_region_ids(const struct memphis_process *process);

/*
 * Sets *wanted to a malloc'ed array of *count entries, indexed by region id: true if the region itself or an enclosing region has the
 * selected name. Returns 0 or -ENOMEM.
 */
int memphis_selection_regions(const struct memphis_selection *selection,
			      const struct memphis_process *process, bool **wanted, size_t *count);

/*
 * Parses "4711", "n03:4711", "rank 17", or the name of a process in a report, "rank 17 on host n03". Keeps a reference to `text`. Returns 0
 * or -EINVAL.
 */
int memphis_which_parse(struct memphis_which *which, const char *text);

/* Returns whether the process is selected. */
bool memphis_selection_has(const struct memphis_selection *selection, const struct memphis_process *process);

/*
 * Returns 0 if the selected process and region exist, -ENOENT if not, or -EINVAL if processes on several hosts have the selected pid. On
 * failure, *error has a message.
 */
int memphis_selection_check(const struct memphis_selection *selection,
			    const struct memphis_processes *processes, struct memphis_error *error);

/* Returns whether the selection includes accesses of this kind. Regions and processes are checked elsewhere. */
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
