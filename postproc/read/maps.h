/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address space of a process over time. Finds the memory map that contained an address at the time of a
 * sample, and the loaded program or library (object) to which the map belongs.
 */
#ifndef MEMPHIS_MAPS_H
#define MEMPHIS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/binary.h"
#include "base/error.h"
#include "base/intervals.h"
#include "base/text.h"
#include "read/jit.h"

enum memphis_map_kind {
	MEMPHIS_MAP_ANONYMOUS = 0,
	MEMPHIS_MAP_FILE,
	MEMPHIS_MAP_HEAP,   /* [heap] */
	MEMPHIS_MAP_STACK,  /* [stack] */
	MEMPHIS_MAP_SHARED, /* shared memory: System V, shm_open, memfd or anonymous */
	MEMPHIS_MAP_SPECIAL /* [vdso], [vvar], //anon ... */
};

#define MEMPHIS_NO_INSTANCE UINT32_MAX

struct memphis_map {
	uint64_t start, end, offset;
	uint64_t first_ns, last_ns;     /* times of the first and the last list that contain the map */
	uint32_t list_first, list_last; /* indices of these lists */
	uint32_t binary;                /* index of the binary, or MEMPHIS_NO_BINARY */
	uint32_t instance;              /* index of the object mapped here, or MEMPHIS_NO_INSTANCE */
	enum memphis_map_kind kind;
	bool executable, writable;
	/*
	 * True if the list was made while the dynamic loader was mapping the file: the file has a build-id in
	 * the next list only.
	 */
	bool unfinished;
	char *path;
};

/* A program or library loaded at one address. */
struct memphis_instance {
	uint32_t binary;
	/*
	 * Run-time address minus link-time address. If the file is missing: run-time address minus the offset
	 * in the file, or 0 below 4 GiB.
	 */
	uint64_t bias;
	uint64_t low, high; /* run-time addresses; includes .bss */
	uint32_t list_last; /* index of the last list that contains a part of the object */
};

struct memphis_maps {
	struct memphis_map *list;
	size_t count, room;
	uint64_t *times_ns; /* time of each list */
	size_t time_count, time_room;
	uint64_t *unloads_ns; /* times at which dlclose() had finished unloading objects */
	size_t unload_count, unload_room;
	/* indexed by list: the latest unload since the previous list; 0 if none */
	uint64_t *last_unload_ns;
	/* text of the last list if it was made while the loader was working; NULL once another list follows */
	char *unfinished;
	struct memphis_instance *instances;
	size_t instance_count, instance_room;
	struct memphis_intervals index;
	struct memphis_jit jit; /* code generated at run time */
	/* maps of the process that forked this one, for code that it generated before the fork; or NULL */
	const struct memphis_maps *parent;
};

/* Returns true if the map is memory without a file that contains code generated at run time. */
static inline bool memphis_map_has_made_code(const struct memphis_map *map)
{
	return map->executable && map->kind != MEMPHIS_MAP_FILE && map->kind != MEMPHIS_MAP_SPECIAL &&
	       map->instance == MEMPHIS_NO_INSTANCE;
}

/*
 * Adds the list in the payload of a MAPS chunk. Lists must be added in the order of time. If the list was
 * made while the dynamic loader was working, it is used only if no other list follows. Returns 0, -EBADMSG or
 * -ENOMEM.
 */
int memphis_maps_add(struct memphis_maps *maps, struct memphis_binaries *binaries,
		     struct memphis_span payload, struct memphis_error *error);

/*
 * Finds the loaded objects, and builds the index for memphis_maps_find(). Must be called once, after the last
 * list. Returns 0 or -ENOMEM.
 */
int memphis_maps_settle(struct memphis_maps *maps, struct memphis_binaries *binaries);
void memphis_maps_close(struct memphis_maps *maps);

/*
 * Returns the map that contained `address` at `time_ns`, or NULL. For this address, the result is valid from
 * *from_ns up to, but not including, *to_ns.
 */
const struct memphis_map *memphis_maps_find(const struct memphis_maps *maps, uint64_t address,
					    uint64_t time_ns, uint64_t *from_ns, uint64_t *to_ns);

/*
 * Returns the index of the binary whose code was mapped at `pc` at `time_ns`, or MEMPHIS_NO_BINARY. An
 * executable map takes precedence over other maps, e.g. over the map of a heap block that was freed before
 * the binary was loaded at the same address. For code generated at run time, the result is the artificial
 * binary of struct memphis_jit. Sets *vaddr to the link-time address in the binary, or to `pc` if there is no
 * binary. For *from_ns and *to_ns, see memphis_maps_find().
 */
uint32_t memphis_maps_code(const struct memphis_maps *maps, uint64_t pc, uint64_t time_ns, uint64_t *vaddr,
			   uint64_t *from_ns, uint64_t *to_ns);

#endif
