/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples count: by kind of access, node, region, process. */
#ifndef MEMPHIS_SELECTION_H
#define MEMPHIS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "read/access.h"
#include "read/process.h"

struct memphis_select_kind {
	const char *name, *help;
	uint16_t sources;          /* mask of 1 << enum memphis_source; 0 = any */
	uint16_t flags, flags_set; /* those of `flags` must be as in `flags_set` */
	int8_t away;               /* home node: 1 must differ from the accessing one, -1 must not, 0 any */
};

extern const struct memphis_select_kind memphis_select_kinds[]; /* the default first; ends with a NULL name */

const struct memphis_select_kind *memphis_select_kind(const char *name);

/* A process, or a rank of a parallel program, perhaps on one host: see memphis_which_parse(). */
struct memphis_which {
	const char *text; /* as it was asked for; NULL = all */
	uint64_t number;
	bool rank; /* the number is one, not a pid */
	char host[256];
};

struct memphis_selection {
	const struct memphis_select_kind *kind;
	int64_t node; /* -1 = all */
	struct memphis_which which;
	const char *region; /* NULL = all */
	bool by_region;     /* count each region apart */
	bool by_thread;     /* count each thread apart */
	bool all_apart;     /* count all sources and flags apart: something else will be selected later */
};

/* Ids of regions are below this: dense, at most 65535 (docs/format.md). A file that claims otherwise has no region beyond. */
size_t memphis_region_ids(const struct memphis_process *process);

/* By region id: does it, or a region around it, have the wanted name? malloc'ed; *count entries. */
int memphis_selection_regions(const struct memphis_selection *selection,
			      const struct memphis_process *process, bool **wanted, size_t *count);

/* "4711", "n03:4711", "rank 17", and as a report names them, "rank 17 on host n03". 0 or -EINVAL. */
int memphis_which_parse(struct memphis_which *which, const char *text);

bool memphis_selection_has(const struct memphis_selection *selection, const struct memphis_process *process);

/*
 * Is there anything of the process and region that was asked for? 0, or with *error -ENOENT, or -EINVAL where processes of several
 * hosts are meant.
 */
int memphis_selection_check(const struct memphis_selection *selection,
			    const struct memphis_processes *processes, struct memphis_error *error);

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
