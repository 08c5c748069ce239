/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that perf recorded on: what the feature sections of the file say. What they lack is unknown, and no error. */
#ifndef MEMPHIS_PERFDATA_ORIGIN_H
#define MEMPHIS_PERFDATA_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/text.h"
#include "perfdata/events.h"

struct memphis_perfdata_node {
	uint32_t node;
	uint64_t memory_bytes;
	char *cpus; /* "0-3,8" */
};

/* Blocks of physical memory that belong to a node. */
struct memphis_perfdata_memory {
	uint32_t node;
	uint64_t *blocks; /* bitmap */
	uint64_t count;   /* of bits */
};

struct memphis_perfdata_origin {
	char *host, *release, *architecture, *cpu, *cpuid; /* NULL: unknown */
	char **arguments;                                  /* perf's own command line */
	size_t argument_count, argument_room;
	struct memphis_perfdata_node *nodes;
	size_t node_count, node_room;
	uint16_t *cpu_nodes; /* by CPU: MEMPHIS_NODE_UNKNOWN, or its node */
	size_t cpu_count, cpu_room;
	uint64_t block_bytes; /* 0: unknown */
	struct memphis_perfdata_memory *memory;
	size_t memory_count, memory_room;
	struct memphis_strings paths, build_ids; /* of files with build-ids; both as text */
	uint32_t *ids_of_paths;                  /* by number of the path: number of the build-id */
	size_t path_room;
	uint64_t
		recorded_ns; /* time of day at which the file was changed last: files changed later are not those that were mapped */
	bool has_clock;             /* perf was told which clock to use */
	uint32_t clock;             /* clockid_t */
	uint64_t clock_ns, wall_ns; /* the clock and the time of day at the same moment */
};

/* Adds what the contents of a feature say; of EVENT_DESC and PMU_MAPPINGS, to the events. Returns 0, -ENOMEM, or -EBADMSG if they end too early. */
int memphis_perfdata_origin_add(struct memphis_perfdata_origin *origin,
				struct memphis_perfdata_events *events, unsigned int feature,
				const uint8_t *contents, size_t bytes);

/* Adds a record of a build-id, which are also the contents of that feature. Returns 0, -ENOMEM or -EBADMSG. */
int memphis_perfdata_origin_add_build_id(struct memphis_perfdata_origin *origin,
					 const struct perf_event_header *record);
void memphis_perfdata_origin_close(struct memphis_perfdata_origin *origin);

/* Returns the node of the CPU, or of the physical address, or MEMPHIS_NODE_UNKNOWN. */
uint16_t memphis_perfdata_node_of_cpu(const struct memphis_perfdata_origin *origin, uint32_t cpu);
uint16_t memphis_perfdata_node_of_memory(const struct memphis_perfdata_origin *origin, uint64_t physical);

/* Returns the build-id of the file, or NULL. */
const char *memphis_perfdata_build_id_of(const struct memphis_perfdata_origin *origin, const char *path);

/*
 * Appends what identifies a file as a list of maps has it: its build-id; if perf did not record one, as of files without sampled instructions,
 * "?INODE.RECORDED_NS" on the machine that it was on, and "?elsewhere" on others; "-" for memory without a file.
 */
void memphis_perfdata_identity_put(const struct memphis_perfdata_origin *origin, const char *path,
				   uint64_t inode, struct memphis_text *text);

/* Stores the bytes of a build-id as hexadecimal digits. */
void memphis_perfdata_build_id_text(char text[2 * MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX + 1], const uint8_t *id,
				    size_t bytes);

#endif
