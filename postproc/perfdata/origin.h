/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine on which perf recorded, from the feature sections of the file. Missing sections are no error:
 * the values remain unknown.
 */
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

struct memphis_perfdata_origin {
	char *host, *release, *architecture, *cpu, *cpuid; /* NULL if unknown */
	char **arguments;                                  /* perf's own command line */
	size_t argument_count, argument_room;
	struct memphis_perfdata_node *nodes;
	size_t node_count, node_room;
	uint16_t *cpu_nodes; /* for each CPU: its node, or MEMPHIS_NODE_UNKNOWN */
	size_t cpu_count, cpu_room;
	uint64_t block_bytes; /* size of a block of physical memory; 0 if unknown */
	/* For each block: its node, or MEMPHIS_NODE_UNKNOWN if it is listed for no node or for several. */
	uint16_t *block_nodes;
	size_t block_count, block_room;
	/* Paths of files that have build-ids, and the build-ids in hexadecimal digits. */
	struct memphis_strings paths, build_ids;
	/* The number of a build-id in `build_ids`, for each number of a path in `paths`. */
	uint32_t *ids_of_paths;
	size_t path_room;
	/* Modification time of the file, as time of day. Program files that changed later are not those that were mapped. */
	uint64_t recorded_ns;
	bool has_clock;             /* the user told perf which clock to use */
	uint32_t clock;             /* clockid_t */
	uint64_t clock_ns, wall_ns; /* time of that clock and time of day at the same moment */
};

/*
 * Adds the contents of a feature section. Those of EVENT_DESC and PMU_MAPPINGS are added to the events.
 * Returns 0, -ENOMEM, or -EBADMSG if the contents end too early.
 */
int memphis_perfdata_origin_add(struct memphis_perfdata_origin *origin,
				struct memphis_perfdata_events *events, unsigned int feature,
				const uint8_t *contents, size_t bytes);

/*
 * Adds a BUILD_ID record. The build-id feature section consists of such records. Returns 0, -ENOMEM or
 * -EBADMSG.
 */
int memphis_perfdata_origin_add_build_id(struct memphis_perfdata_origin *origin,
					 const struct perf_event_header *record);
void memphis_perfdata_origin_close(struct memphis_perfdata_origin *origin);

/* Return the node of the CPU or of the physical address, or MEMPHIS_NODE_UNKNOWN. */
uint16_t memphis_perfdata_node_of_cpu(const struct memphis_perfdata_origin *origin, uint32_t cpu);
uint16_t memphis_perfdata_node_of_memory(const struct memphis_perfdata_origin *origin, uint64_t physical);

/* Returns the build-id of the file in hexadecimal digits, or NULL. */
const char *memphis_perfdata_build_id_of(const struct memphis_perfdata_origin *origin, const char *path);

/*
 * Appends the identity of a file for a list of maps: its build-id, if perf recorded one. perf omits it for
 * files without sampled instructions. Then the identity is "?INODE.RECORDED_NS" on the machine of the
 * recording, and "?elsewhere" on other machines. If the host is unknown, it is "?INODE.RECORDED_NS" if the
 * inode is known, otherwise "?elsewhere". It is "-" for memory without a file.
 */
void memphis_perfdata_identity_put(const struct memphis_perfdata_origin *origin, const char *path,
				   uint64_t inode, struct memphis_text *text);

/* Converts the bytes of a build-id to hexadecimal digits. */
void memphis_perfdata_build_id_text(char text[2 * MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX + 1], const uint8_t *id,
				    size_t bytes);

#endif
