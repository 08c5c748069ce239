// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the memory map that contained an address at a certain time. The lists of maps are snapshots, so the
 * map may be uncertain between two lists.
 */
#include "read/maps.h"

struct lookup {
	const struct memphis_maps *maps;
	uint64_t time_ns;
	bool code; /* an instruction was executed at the address */
	const struct memphis_map *best;
	unsigned int doubt;
	uint64_t distance_ns;
	unsigned int candidates;
};

/*
 * Returns how doubtful it is that `map` existed at time lookup->time_ns. The library makes a list soon after
 * each change.
 * - 0: between the first and the last list that contain the map
 * - 1: after the last list with the map, and before the next list
 * - 2: before the first list with the map, and after the previous list
 * - 3: at another time, or after the object was unloaded
 * - 4: the list was made while the loader was working
 * - 5: an instruction was executed here, and the map is not executable
 *
 * Sets *distance_ns to the distance in time to the nearest list with the map, or to 0 if the result is 0, 4 or 5.
 */
static unsigned int doubt_of(const struct lookup *lookup, const struct memphis_map *map,
			     uint64_t *distance_ns)
{
	const uint64_t *times_ns = lookup->maps->times_ns;
	uint64_t time_ns = lookup->time_ns, unload_ns;
	uint32_t next = map->list_last + 1;

	*distance_ns = 0;
	if (lookup->code && !map->executable)
		return 5;
	if (map->unfinished)
		return 4;
	if (time_ns > map->last_ns) {
		*distance_ns = time_ns - map->last_ns;
		unload_ns = lookup->maps->last_unload_ns[next];
		if (map->instance != MEMPHIS_NO_INSTANCE && unload_ns && time_ns >= unload_ns)
			return 3;
		return next == lookup->maps->time_count || time_ns < times_ns[next] ? 1 : 3;
	}
	if (time_ns < map->first_ns) {
		*distance_ns = map->first_ns - time_ns;
		return map->list_first == 0 || time_ns >= times_ns[map->list_first - 1] ? 2 : 3;
	}
	return 0;
}

static int consider(void *context, const struct memphis_interval *interval)
{
	struct lookup *lookup = context;
	const struct memphis_map *map = &lookup->maps->list[interval->value];
	uint64_t distance_ns;
	unsigned int doubt = doubt_of(lookup, map, &distance_ns);

	lookup->candidates++;
	if (!lookup->best || doubt < lookup->doubt ||
	    (doubt == lookup->doubt && distance_ns < lookup->distance_ns)) {
		lookup->best = map;
		lookup->doubt = doubt;
		lookup->distance_ns = distance_ns;
	}
	return 0;
}

static const struct memphis_map *find(const struct memphis_maps *maps, uint64_t address, uint64_t time_ns,
				      bool code, uint64_t *from_ns, uint64_t *to_ns)
{
	struct lookup lookup = {.maps = maps, .time_ns = time_ns, .code = code};

	memphis_intervals_find(&maps->index, address, consider, &lookup);
	if (lookup.candidates < 2) {
		*from_ns = 0;
		*to_ns = UINT64_MAX;
	} else {
		*from_ns = time_ns;
		*to_ns = time_ns + 1;
	}
	return lookup.best;
}

const struct memphis_map *memphis_maps_find(const struct memphis_maps *maps, uint64_t address,
					    uint64_t time_ns, uint64_t *from_ns, uint64_t *to_ns)
{
	return find(maps, address, time_ns, false, from_ns, to_ns);
}

/* Finds code that was generated at run time. If the code was generated before a fork, only the parent has its description. */
static uint32_t find_made_code(const struct memphis_maps *maps, uint64_t pc, uint64_t time_ns,
			       uint64_t *vaddr, bool *timed)
{
	uint32_t binary = memphis_jit_find(&maps->jit, pc, time_ns, vaddr, timed);

	while (binary == MEMPHIS_NO_BINARY && (maps = maps->parent))
		binary = memphis_jit_find(&maps->jit, pc, time_ns, vaddr, timed);
	return binary;
}

uint32_t memphis_maps_code(const struct memphis_maps *maps, uint64_t pc, uint64_t time_ns, uint64_t *vaddr,
			   uint64_t *from_ns, uint64_t *to_ns)
{
	const struct memphis_map *map = find(maps, pc, time_ns, true, from_ns, to_ns);
	const struct memphis_instance *instance;
	uint32_t binary;
	bool timed;

	*vaddr = pc;
	if (!map || map->instance == MEMPHIS_NO_INSTANCE) {
		binary = find_made_code(maps, pc, time_ns, vaddr, &timed);
		if (timed) {
			*from_ns = time_ns;
			*to_ns = time_ns + 1;
		}
		if (binary == MEMPHIS_NO_BINARY && maps->jit.has_binary && map &&
		    memphis_map_has_made_code(map))
			binary = maps->jit.binary;
		return binary;
	}
	instance = &maps->instances[map->instance];
	*vaddr = pc - instance->bias;
	return instance->binary;
}
