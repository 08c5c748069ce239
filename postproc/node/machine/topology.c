// SPDX-License-Identifier: BSD-3-Clause
/* Reads the topology of the machine with hwloc. */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node/machine/machine.h"

static hwloc_topology_t load_topology(const char *root)
{
	hwloc_topology_t topology;

	/* The root directory of hwloc can be set only by environment variables. */
	if (*root && (setenv("HWLOC_FSROOT", root, 1) || setenv("HWLOC_COMPONENTS", "linux,stop", 1)))
		return NULL;
	if (hwloc_topology_init(&topology))
		return NULL;
	/* Include nodes and CPUs outside of this job's cpuset. */
	if (hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
	    hwloc_topology_load(topology)) {
		hwloc_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

/* Returns the last-level cache above the object, or NULL if it is unknown. */
static hwloc_obj_t last_level_cache(hwloc_obj_t object)
{
	hwloc_obj_t last = NULL;

	for (; object; object = object->parent)
		if (hwloc_obj_type_is_dcache(object->type))
			last = object;
	return last;
}

static void add_caches(struct memphis_machine *machine, struct memphis_machine_node *node,
		       hwloc_const_cpuset_t cpus)
{
	hwloc_obj_t cpu = NULL, cache, before = NULL;

	while ((cpu = hwloc_get_next_obj_inside_cpuset_by_type(machine->topology, cpus, HWLOC_OBJ_PU, cpu))) {
		cache = last_level_cache(cpu);
		/*
		 * CPUs that share a cache are adjacent in hwloc's order, so it is sufficient to compare each
		 * cache with the previous one.
		 */
		if (!cache || cache == before)
			continue;
		node->cache_bytes += cache->attr->cache.size;
		if (cache->attr->cache.size > machine->cache_bytes)
			machine->cache_bytes = cache->attr->cache.size;
		before = cache;
	}
}

static int add_cpus(struct memphis_machine *machine, hwloc_const_cpuset_t cpus, unsigned int node)
{
	hwloc_topology_t topology = machine->topology;
	struct memphis_machine_cpu *cpu;
	hwloc_obj_t object = NULL, core, package;

	while ((object = hwloc_get_next_obj_inside_cpuset_by_type(topology, cpus, HWLOC_OBJ_PU, object))) {
		cpu = memphis_append(machine->cpus, machine->cpu_count, machine->cpu_room);
		if (!cpu)
			return -ENOMEM;
		core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, object);
		package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
		cpu->number = object->os_index;
		cpu->node = node;
		cpu->package = package ? package->os_index : 0;
		cpu->first_of_core = !core || hwloc_bitmap_first(core->cpuset) == (int)object->os_index;
		machine->core_count += cpu->first_of_core;
	}
	return 0;
}

/*
 * Finds the node's own CPUs. For a node without CPUs, hwloc returns nearby CPUs, although the kernel lists
 * them with other nodes.
 */
static void find_own_cpus(hwloc_bitmap_t cpus, const struct memphis_machine *machine, hwloc_obj_t object)
{
	char *list =
		memphis_root_read(machine->root, "/sys/devices/system/node/node%u/cpulist", object->os_index);

	if (list)
		hwloc_bitmap_list_sscanf(cpus, list);
	else
		hwloc_bitmap_copy(cpus, object->cpuset);
	free(list);
}

static int add_node(struct memphis_machine *machine, hwloc_obj_t object)
{
	struct memphis_machine_node *node =
		memphis_append(machine->nodes, machine->node_count, machine->node_room);
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	uint64_t kib;
	char *info;
	int rc = node && cpus ? 0 : -ENOMEM;

	if (rc)
		goto out;
	node->number = object->os_index;
	node->memory_bytes = object->attr->numanode.local_memory;
	info = memphis_root_read(machine->root, "/sys/devices/system/node/node%u/meminfo", node->number);
	if (memphis_number_after(&kib, info, "MemFree:"))
		node->free_bytes = kib * 1024;
	free(info);
	find_own_cpus(cpus, machine, object);
	node->cpu_count = (unsigned int)hwloc_bitmap_weight(cpus);
	if (hwloc_bitmap_list_asprintf(&node->cpus, cpus) < 0) {
		node->cpus = NULL;
		rc = -ENOMEM;
		goto out;
	}
	node->usable =
		hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(machine->topology), node->number) &&
		(!node->cpu_count ||
		 hwloc_bitmap_intersects(hwloc_topology_get_allowed_cpuset(machine->topology), cpus));
	add_caches(machine, node, cpus);
	rc = add_cpus(machine, cpus, (unsigned int)machine->node_count - 1);
out:
	hwloc_bitmap_free(cpus);
	return rc;
}

static int add_distances(struct memphis_machine *machine)
{
	const size_t count = machine->node_count;
	struct hwloc_distances_s *distances;
	unsigned int found = 1;
	size_t i, j;

	if (hwloc_distances_get_by_type(machine->topology, HWLOC_OBJ_NUMANODE, &found, &distances,
					HWLOC_DISTANCES_KIND_FROM_OS, 0) ||
	    !found)
		return 0;
	if (distances->nbobjs == count)
		machine->distances = calloc(count * count, sizeof(*machine->distances));
	for (i = 0; machine->distances && i < count; i++)
		for (j = 0; j < count; j++)
			machine->distances[i * count + j] = (unsigned int)distances->values[i * count + j];
	hwloc_distances_release(machine->topology, distances);
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const hwloc_obj_t *left = a, *right = b;

	return (*left)->os_index < (*right)->os_index ? -1 : (*left)->os_index > (*right)->os_index;
}

static int add_nodes(struct memphis_machine *machine)
{
	int count = hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_NUMANODE), i, rc = 0;
	hwloc_obj_t *objects = calloc(count > 0 ? (size_t)count : 1, sizeof(*objects));

	if (!objects)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		objects[i] = hwloc_get_obj_by_type(machine->topology, HWLOC_OBJ_NUMANODE, (unsigned int)i);
	qsort(objects, count > 0 ? (size_t)count : 0, sizeof(*objects), compare_numbers);
	for (i = 0; i < count && !rc; i++)
		rc = add_node(machine, objects[i]);
	free(objects);
	return rc ? rc : add_distances(machine);
}

int memphis_machine_open(struct memphis_machine *machine, const char *root, struct memphis_error *error)
{
	char *host;
	int rc;

	memset(machine, 0, sizeof(*machine));
	machine->root = root;
	memphis_processor_read(&machine->processor, root);
	host = memphis_root_read(root, "/proc/sys/kernel/hostname");
	snprintf(machine->host, sizeof(machine->host), "%s", host ? host : "?");
	free(host);
	machine->topology = load_topology(root);
	if (!machine->topology)
		return memphis_fail(error, -EIO, "hwloc does not recognise this machine");
	machine->package_count = (unsigned int)hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_PACKAGE);
	rc = add_nodes(machine);
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}

void memphis_machine_close(struct memphis_machine *machine)
{
	size_t i;

	for (i = 0; i < machine->node_count; i++)
		free(machine->nodes[i].cpus);
	free(machine->nodes);
	free(machine->cpus);
	free(machine->distances);
	if (machine->topology)
		hwloc_topology_destroy(machine->topology);
	memset(machine, 0, sizeof(*machine));
}
