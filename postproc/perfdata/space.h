/* SPDX-License-Identifier: BSD-3-Clause */
/* The address space of a process, as records of perf's describe it: what is mapped now. The kernel does not report what is unmapped. */
#ifndef MEMPHIS_PERFDATA_SPACE_H
#define MEMPHIS_PERFDATA_SPACE_H

#include <stdbool.h>

#include "base/pool.h"
#include "base/text.h"
#include "perfdata/origin.h"

struct memphis_perfdata_map {
	uint64_t start, end, offset;
	uint64_t inode;          /* 0: unknown */
	uint32_t path, build_id; /* numbers of strings; 0: none */
	char permissions[5];
};

struct memphis_perfdata_space {
	struct memphis_perfdata_map *list; /* sorted, without overlaps */
	size_t count, room;
	size_t *sharers; /* how many spaces have this list, until one of them changes; NULL: only this one */
	bool changed, grown; /* a file, or other memory, was mapped since the list was written */
};

/* Reads a record of type MMAP or MMAP2. Returns 1; 0 if it is no map of a program; -EBADMSG if it is too short; or -ENOMEM. */
int memphis_perfdata_map_read(const struct memphis_perfdata_event *event,
			      const struct perf_event_header *record, struct memphis_strings *strings,
			      struct memphis_perfdata_map *map, uint32_t *pid);

/* Adds a map, which replaces others in its range. Returns 0 or -ENOMEM. */
int memphis_perfdata_space_add(struct memphis_perfdata_space *space, const struct memphis_perfdata_map *map);

/* Gives the maps of another one to `space`, which is empty. Both have the same list until one of them changes. Returns 0 or -ENOMEM. */
int memphis_perfdata_space_share(struct memphis_perfdata_space *space, struct memphis_perfdata_space *from);

/* Appends the list of maps as a MAPS chunk has it. */
void memphis_perfdata_space_put(const struct memphis_perfdata_space *space,
				const struct memphis_strings *strings,
				const struct memphis_perfdata_origin *origin, uint64_t time_ns,
				struct memphis_text *text);

/* Returns the path of the first program or library with code, which is that of the program; or NULL. */
const char *memphis_perfdata_space_program(const struct memphis_perfdata_space *space,
					   const struct memphis_strings *strings);

/* Appends the directory of the program unless it is one of programs of many origins, below which libraries are not those of one program. */
void memphis_perfdata_program_directory(const char *program, struct memphis_text *text);

/* Returns whether the instruction is in the program's own code: the program, or what is below its directory. */
bool memphis_perfdata_space_is_own(const struct memphis_perfdata_space *space,
				   const struct memphis_strings *strings, uint64_t pc);
void memphis_perfdata_space_close(struct memphis_perfdata_space *space);

#endif
