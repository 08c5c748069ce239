// SPDX-License-Identifier: BSD-3-Clause
/* Reads the feature sections of a perf file (Linux, tools/perf/Documentation/perf.data-file-format.txt). */
#include "perfdata/origin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <memphis/sample.h>

#define CPUS_MAX   65536u
#define NODES_MAX  1024u /* Linux limits NODES_SHIFT to 10 */
#define BLOCKS_MAX (1u << 26)
#define IBS_PMU    "ibs_op"

/* The part of the contents that was not yet read. */
struct contents {
	const uint8_t *at, *end;
	bool is_short;
};

static const uint8_t *take(struct contents *contents, uint64_t bytes)
{
	const uint8_t *at = contents->at;

	if (bytes > (uint64_t)(contents->end - at))
		contents->is_short = true;
	if (contents->is_short)
		return NULL;
	contents->at += bytes;
	return at;
}

static uint32_t take_number(struct contents *contents)
{
	const uint8_t *at = take(contents, 4);
	uint32_t number = 0;

	if (at)
		memcpy(&number, at, 4);
	return number;
}

static uint64_t take_word(struct contents *contents)
{
	const uint8_t *at = take(contents, 8);
	uint64_t word = 0;

	if (at)
		memcpy(&word, at, 8);
	return word;
}

/* Reads a string. Returns a malloc'ed copy, or NULL if the contents end too early or memory is exhausted. */
static char *take_string(struct contents *contents)
{
	const uint32_t bytes = take_number(contents);
	const uint8_t *at = take(contents, bytes);

	return at ? strndup((const char *)at, bytes) : NULL;
}

static int result_of(const struct contents *contents, const void *made)
{
	if (contents->is_short)
		return -EBADMSG;
	return made ? 0 : -ENOMEM;
}

static int read_string(struct contents *contents, char **text)
{
	free(*text);
	*text = take_string(contents);
	return result_of(contents, *text);
}

static int read_host(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
		     struct contents *contents)
{
	(void)events;
	return read_string(contents, &origin->host);
}

static int read_release(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
			struct contents *contents)
{
	(void)events;
	return read_string(contents, &origin->release);
}

static int read_architecture(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
			     struct contents *contents)
{
	(void)events;
	return read_string(contents, &origin->architecture);
}

static int read_cpu(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
		    struct contents *contents)
{
	(void)events;
	return read_string(contents, &origin->cpu);
}

static int read_cpuid(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
		      struct contents *contents)
{
	(void)events;
	return read_string(contents, &origin->cpuid);
}

static int read_command(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
			struct contents *contents)
{
	uint32_t count = take_number(contents);
	char **argument;

	(void)events;
	for (; count && !contents->is_short; count--) {
		argument = memphis_append(origin->arguments, origin->argument_count, origin->argument_room);
		if (!argument)
			return -ENOMEM;
		*argument = take_string(contents);
		if (!*argument) {
			origin->argument_count--;
			return result_of(contents, NULL);
		}
	}
	return result_of(contents, origin);
}

/* Assigns the CPUs of a list such as "0-3,8" to the node. */
static int give_cpus(struct memphis_perfdata_origin *origin, const char *list, uint16_t node)
{
	unsigned int first, last, next = 0;
	size_t before;
	char *end;

	for (; *list >= '0' && *list <= '9'; list = *end == ',' ? end + 1 : end) {
		first = last = (unsigned int)strtoul(list, &end, 10);
		if (*end == '-')
			last = (unsigned int)strtoul(end + 1, &end, 10);
		/* Require ascending lists. The time for a malicious list is then limited by CPUS_MAX. */
		if (last >= CPUS_MAX || first > last || first < next)
			return -EBADMSG;
		next = last + 1;
		if (last >= origin->cpu_count) {
			before = origin->cpu_count;
			if (memphis_grow(&origin->cpu_nodes, &origin->cpu_room, last + 1,
					 sizeof(*origin->cpu_nodes)))
				return -ENOMEM;
			origin->cpu_count = last + 1;
			for (; before < origin->cpu_count; before++)
				origin->cpu_nodes[before] = MEMPHIS_NODE_UNKNOWN;
		}
		for (; first <= last; first++)
			origin->cpu_nodes[first] = node;
	}
	return 0;
}

static int read_nodes(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
		      struct contents *contents)
{
	uint32_t count = take_number(contents);
	struct memphis_perfdata_node *node;
	int rc;

	(void)events;
	for (; count && !contents->is_short; count--) {
		node = memphis_append(origin->nodes, origin->node_count, origin->node_room);
		if (!node)
			return -ENOMEM;
		node->node = take_number(contents);
		node->memory_bytes = take_word(contents) * 1024;
		take_word(contents); /* skip the free memory */
		node->cpus = take_string(contents);
		if (!node->cpus || node->node >= NODES_MAX || origin->node_count > NODES_MAX) {
			rc = node->cpus ? -EBADMSG : result_of(contents, NULL);
			free(node->cpus);
			origin->node_count--;
			return rc;
		}
		rc = give_cpus(origin, node->cpus, (uint16_t)node->node);
		if (rc)
			return rc;
	}
	return result_of(contents, origin);
}

/* Node of a block that is listed for several nodes, while the list is read. */
#define NODES_SEVERAL (MEMPHIS_NODE_UNKNOWN - 1)

/* Assigns the blocks whose bits are set in the bitmap to the node. */
static int give_blocks(struct memphis_perfdata_origin *origin, const uint8_t *bitmap, size_t count,
		       uint16_t node)
{
	uint16_t *found;
	size_t i;

	if (memphis_grow(&origin->block_nodes, &origin->block_room, count, sizeof(*origin->block_nodes)))
		return -ENOMEM;
	for (; origin->block_count < count; origin->block_count++)
		origin->block_nodes[origin->block_count] = MEMPHIS_NODE_UNKNOWN;
	for (i = 0; i < count; i++) {
		found = &origin->block_nodes[i];
		if (bitmap[i / 8] >> i % 8 & 1)
			*found = *found == MEMPHIS_NODE_UNKNOWN ? node : NODES_SEVERAL;
	}
	return 0;
}

static int read_memory(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
		       struct contents *contents)
{
	uint64_t version = take_word(contents), node, blocks, left;
	const uint8_t *bitmap;
	unsigned int nodes = 0;
	size_t i;
	int rc = 0;

	(void)events;
	origin->block_bytes = take_word(contents);
	for (left = take_word(contents); version == 1 && left && !rc && !contents->is_short; left--) {
		node = take_word(contents);
		take_word(contents); /* skip the number of bits, which follows again as part of the bitmap */
		blocks = take_word(contents);
		if (blocks > BLOCKS_MAX || node >= NODES_MAX || ++nodes > NODES_MAX)
			contents->is_short = true;
		bitmap = take(contents, (blocks + 63) / 64 * 8);
		if (bitmap)
			rc = give_blocks(origin, bitmap, blocks, (uint16_t)node);
	}
	for (i = 0; i < origin->block_count; i++)
		if (origin->block_nodes[i] == NODES_SEVERAL)
			origin->block_nodes[i] = MEMPHIS_NODE_UNKNOWN;
	return rc ? rc : result_of(contents, origin);
}

static int read_pmus(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
		     struct contents *contents)
{
	uint32_t count = take_number(contents), type;
	char *name;

	(void)origin;
	for (; count && !contents->is_short; count--) {
		type = take_number(contents);
		name = take_string(contents);
		if (!name)
			return result_of(contents, NULL);
		if (!strcmp(name, IBS_PMU))
			memphis_perfdata_events_set_ibs(events, type);
		free(name);
	}
	return result_of(contents, origin);
}

/* Sets the name of all events with these attributes. */
static int name_events(struct memphis_perfdata_events *events, const uint8_t *attribute, size_t bytes,
		       const char *name)
{
	struct perf_event_attr wanted = {0};
	struct memphis_perfdata_event *event;
	size_t i;

	memcpy(&wanted, attribute, bytes < sizeof(wanted) ? bytes : sizeof(wanted));
	for (i = 0; i < events->count; i++) {
		event = &events->list[i];
		if (event->name || event->attribute.type != wanted.type ||
		    event->attribute.config != wanted.config)
			continue;
		event->name = strdup(name);
		if (!event->name)
			return -ENOMEM;
	}
	return 0;
}

static int read_event_names(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
			    struct contents *contents)
{
	uint32_t count = take_number(contents), bytes = take_number(contents), ids;
	const uint8_t *attribute;
	char *name;
	int rc;

	(void)origin;
	/* Ignore a second description, which would describe the same events. */
	if (events->named)
		return 0;
	events->named = true;
	for (; count && !contents->is_short; count--) {
		attribute = take(contents, bytes);
		ids = take_number(contents);
		name = take_string(contents);
		take(contents, 8ULL * ids);
		rc = name && attribute && !contents->is_short ? name_events(events, attribute, bytes, name)
							      : result_of(contents, NULL);
		free(name);
		if (rc)
			return rc;
	}
	return result_of(contents, origin);
}

static int read_clock(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
		      struct contents *contents)
{
	(void)events;
	take_number(contents); /* skip the version */
	origin->clock = take_number(contents);
	origin->wall_ns = take_word(contents);
	origin->clock_ns = take_word(contents);
	origin->has_clock = !contents->is_short;
	return result_of(contents, origin);
}

void memphis_perfdata_build_id_text(char text[2 * MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX + 1], const uint8_t *id,
				    size_t bytes)
{
	size_t i;

	*text = '\0';
	for (i = 0; i < bytes && i < MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

/* The record consists of a header, the PID, 24 bytes with the id and its size, and the path. */
int memphis_perfdata_origin_add_build_id(struct memphis_perfdata_origin *origin,
					 const struct perf_event_header *record)
{
	const uint8_t *body = (const uint8_t *)record + sizeof(*record), *id = body + 4;
	const size_t fixed = 28;
	struct perf_event_header header;
	char text[2 * MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX + 1];
	size_t id_bytes = MEMPHIS_PERFDATA_BUILD_ID_BYTES_MAX, before = origin->paths.count;
	uint32_t path, build_id;
	size_t bytes;

	/* Copy the header, because records inside a feature section are not aligned. */
	memcpy(&header, record, sizeof(header));
	bytes = header.size - sizeof(header);
	if (bytes < fixed)
		return -EBADMSG;
	if (header.misc & MEMPHIS_PERFDATA_MISC_BUILD_ID_SIZE && id[20] && id[20] < id_bytes)
		id_bytes = id[20];
	memphis_perfdata_build_id_text(text, id, id_bytes);
	path = memphis_strings_add(&origin->paths, body + fixed,
				   strnlen((const char *)body + fixed, bytes - fixed));
	build_id = memphis_strings_add_text(&origin->build_ids, text);
	if (path == MEMPHIS_NO_STRING || build_id == MEMPHIS_NO_STRING ||
	    memphis_grow(&origin->ids_of_paths, &origin->path_room, origin->paths.count,
			 sizeof(*origin->ids_of_paths)))
		return -ENOMEM;
	/* Keep the first build-id of a path. Further ones belong to guests (virtual machines). */
	if (origin->paths.count > before)
		origin->ids_of_paths[path] = build_id;
	return 0;
}

static int read_build_ids(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
			  struct contents *contents)
{
	struct perf_event_header header;
	const uint8_t *record;
	int rc = 0;

	(void)events;
	/* Ignore a rest that is shorter than a header: it is padding. */
	while (!rc && (size_t)(contents->end - contents->at) >= sizeof(header)) {
		memcpy(&header, contents->at, sizeof(header));
		if (header.size < sizeof(header))
			return -EBADMSG;
		record = take(contents, header.size);
		rc = record ? memphis_perfdata_origin_add_build_id(origin,
								   (const struct perf_event_header *)record)
			    : -EBADMSG;
	}
	return rc;
}

static const struct feature {
	enum memphis_perfdata_feature number;
	int (*read)(struct memphis_perfdata_origin *origin, struct memphis_perfdata_events *events,
		    struct contents *contents);
} features[] = {
	{MEMPHIS_PERFDATA_BUILD_ID, read_build_ids},  {MEMPHIS_PERFDATA_HOSTNAME, read_host},
	{MEMPHIS_PERFDATA_OSRELEASE, read_release},   {MEMPHIS_PERFDATA_ARCH, read_architecture},
	{MEMPHIS_PERFDATA_CPUDESC, read_cpu},         {MEMPHIS_PERFDATA_CPUID, read_cpuid},
	{MEMPHIS_PERFDATA_CMDLINE, read_command},     {MEMPHIS_PERFDATA_EVENT_DESC, read_event_names},
	{MEMPHIS_PERFDATA_NUMA_TOPOLOGY, read_nodes}, {MEMPHIS_PERFDATA_PMU_MAPPINGS, read_pmus},
	{MEMPHIS_PERFDATA_MEM_TOPOLOGY, read_memory}, {MEMPHIS_PERFDATA_CLOCK_DATA, read_clock},
};

int memphis_perfdata_origin_add(struct memphis_perfdata_origin *origin,
				struct memphis_perfdata_events *events, unsigned int feature,
				const uint8_t *contents, size_t bytes)
{
	struct contents left = {contents, contents + bytes, false};
	size_t i;

	for (i = 0; i < sizeof(features) / sizeof(*features); i++)
		if (features[i].number == feature)
			return features[i].read(origin, events, &left);
	return 0;
}

void memphis_perfdata_origin_close(struct memphis_perfdata_origin *origin)
{
	size_t i;

	for (i = 0; i < origin->argument_count; i++)
		free(origin->arguments[i]);
	for (i = 0; i < origin->node_count; i++)
		free(origin->nodes[i].cpus);
	free(origin->host);
	free(origin->release);
	free(origin->architecture);
	free(origin->cpu);
	free(origin->cpuid);
	free(origin->arguments);
	free(origin->nodes);
	free(origin->cpu_nodes);
	free(origin->block_nodes);
	memphis_strings_close(&origin->paths);
	memphis_strings_close(&origin->build_ids);
	free(origin->ids_of_paths);
	memset(origin, 0, sizeof(*origin));
}

uint16_t memphis_perfdata_node_of_cpu(const struct memphis_perfdata_origin *origin, uint32_t cpu)
{
	return cpu < origin->cpu_count ? origin->cpu_nodes[cpu] : MEMPHIS_NODE_UNKNOWN;
}

uint16_t memphis_perfdata_node_of_memory(const struct memphis_perfdata_origin *origin, uint64_t physical)
{
	uint64_t block;

	if (!origin->block_bytes || !physical)
		return MEMPHIS_NODE_UNKNOWN;
	block = physical / origin->block_bytes;
	return block < origin->block_count ? origin->block_nodes[block] : MEMPHIS_NODE_UNKNOWN;
}

const char *memphis_perfdata_build_id_of(const struct memphis_perfdata_origin *origin, const char *path)
{
	const uint32_t number = origin->paths.count ? memphis_strings_find(&origin->paths, path, strlen(path))
						    : MEMPHIS_NO_STRING;

	return number == MEMPHIS_NO_STRING
		       ? NULL
		       : memphis_strings_get(&origin->build_ids, origin->ids_of_paths[number]);
}

/*
 * Returns true if the file is on this machine. If the host of the recording is unknown, relies on the inode,
 * which differs for files of other machines.
 */
static bool is_here(const struct memphis_perfdata_origin *origin, uint64_t inode)
{
	struct utsname own;

	return origin->host ? !uname(&own) && !strcmp(own.nodename, origin->host) : inode > 0;
}

/* Does not include the device number, because perf and stat(2) report different ones for overlayfs and btrfs. */
void memphis_perfdata_identity_put(const struct memphis_perfdata_origin *origin, const char *path,
				   uint64_t inode, struct memphis_text *text)
{
	const char *id = memphis_perfdata_build_id_of(origin, path);

	if (id)
		memphis_text_put(text, id);
	else if (*path != '/')
		memphis_text_put(text, "-");
	else if (is_here(origin, inode))
		memphis_text_print(text, "?%" PRIu64 ".%" PRIu64, inode, origin->recorded_ns);
	else
		memphis_text_put(text, "?elsewhere");
}
