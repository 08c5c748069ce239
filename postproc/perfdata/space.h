/* SPDX-License-Identifier: BSD-3-Clause */
/* The current address space of a process, derived from perf's records. The kernel does not report when memory is unmapped. */
#ifndef MEMPHIS_PERFDATA_SPACE_H
#define MEMPHIS_PERFDATA_SPACE_H

#include <stdbool.h>

#include "base/pool.h"
#include "base/text.h"
#include "perfdata/origin.h"

struct memphis_perfdata_map {
	uint64_t start, end, offset;
	uint64_t inode;          /* 0 if unknown */
	uint32_t path, build_id; /* numbers of strings; 0 if there is none */
	char permissions[5];
};

struct memphis_perfdata_space {
	struct memphis_perfdata_map *list; /* sorted by address, without overlaps */
	size_t count, room;
	size_t *sharers; /* number of spaces that share the list; NULL if it is not shared */
	/* Since the list was last written, a file was mapped (changed), or other memory (grown). */
	bool changed, grown;
	uint64_t version; /* number of maps of files with code that others have replaced */
};

/*
 * Reads an MMAP or MMAP2 record. Returns 1, 0 if it does not describe memory of a program, -EBADMSG if it is
 * too short, or -ENOMEM.
 */
int memphis_perfdata_map_read(const struct memphis_perfdata_event *event,
			      const struct perf_event_header *record, struct memphis_strings *strings,
			      struct memphis_perfdata_map *map, uint32_t *pid);

/* Adds a map. It replaces the parts of other maps in its address range. Returns 0 or -ENOMEM. */
int memphis_perfdata_space_add(struct memphis_perfdata_space *space, const struct memphis_perfdata_map *map);

/*
 * Gives the empty `space` the maps of `from`. Both share the list until one of them changes (copy on write).
 * Returns 0 or -ENOMEM.
 */
int memphis_perfdata_space_share(struct memphis_perfdata_space *space, struct memphis_perfdata_space *from);

/* Appends the list of maps in the format of a MAPS chunk. */
void memphis_perfdata_space_put(const struct memphis_perfdata_space *space,
				const struct memphis_strings *strings,
				const struct memphis_perfdata_origin *origin, uint64_t time_ns,
				struct memphis_text *text);

/* Returns the path of the mapped file with code at the lowest address, which is the program; or NULL. */
const char *memphis_perfdata_space_program(const struct memphis_perfdata_space *space,
					   const struct memphis_strings *strings);

/*
 * Appends the directory of the program. Appends nothing for directories such as /usr/bin, which contain many
 * programs: libraries below them do not belong to this program.
 */
void memphis_perfdata_program_directory(const char *program, struct memphis_text *text);

/* Returns true if the instruction is in the program's own code: in the program, or in a file below its directory. */
bool memphis_perfdata_space_is_own(const struct memphis_perfdata_space *space,
				   const struct memphis_strings *strings, uint64_t pc);
void memphis_perfdata_space_close(struct memphis_perfdata_space *space);

#endif
