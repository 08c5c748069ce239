/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address space of a process over time: which mapping, and which object in it, an address belonged
 * to when it was sampled.
 */
#ifndef MEMPHIS_MAPS_H
#define MEMPHIS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/binary.h"
#include "base/error.h"
#include "base/intervals.h"
#include "base/text.h"

enum memphis_map_kind {
	MEMPHIS_MAP_ANONYMOUS = 0,
	MEMPHIS_MAP_FILE,
	MEMPHIS_MAP_HEAP,   /* [heap] */
	MEMPHIS_MAP_STACK,  /* [stack] */
	MEMPHIS_MAP_SHARED, /* shared memory: of System V, shm_open, memfd, and without a file */
	MEMPHIS_MAP_SPECIAL /* [vdso], [vvar], //anon ... */
};

#define MEMPHIS_NO_INSTANCE UINT32_MAX

struct memphis_map {
	uint64_t start, end, offset;
	uint64_t first_ns, last_ns;     /* of the lists that show it */
	uint32_t list_first, list_last; /* their numbers */
	uint32_t binary;                /* or MEMPHIS_NO_BINARY */
	uint32_t instance;              /* the object at its place, or MEMPHIS_NO_INSTANCE */
	enum memphis_map_kind kind;
	bool executable, writable;
	bool unfinished; /* the next list shows the same file there, as an object: the loader was mapping it */
	char *path;
};

/* One object loaded at one place. */
struct memphis_instance {
	uint32_t binary;
	uint64_t bias;      /* run-time address - link-time address; 0 where the file is missing */
	uint64_t low, high; /* run-time addresses, .bss included */
	uint32_t list_last; /* number of the last list that shows any of it */
};

struct memphis_maps {
	struct memphis_map *list;
	size_t count, room;
	uint64_t *times_ns; /* of the lists */
	size_t time_count, time_room;
	uint64_t *unloads_ns; /* when dlclose() had taken objects away */
	size_t unload_count, unload_room;
	uint64_t *
		last_unload_ns; /* by list: the last such time before it and behind the list before; 0: none */
	char *unfinished;       /* a list that was made while the loader worked: nothing newer is known yet */
	struct memphis_instance *instances;
	size_t instance_count, instance_room;
	struct memphis_intervals index;
};

/*
 * Adds one list: the payload of a MAPS chunk. Lists come in order of time; one that was made while the loader worked counts
 * only as long as no other one follows. 0, -EBADMSG or -ENOMEM.
 */
int memphis_maps_add(struct memphis_maps *maps, struct memphis_binaries *binaries,
		     struct memphis_span payload, struct memphis_error *error);

/* To be called once after the last list: finds the objects and prepares memphis_maps_find(). */
int memphis_maps_settle(struct memphis_maps *maps, struct memphis_binaries *binaries);
void memphis_maps_close(struct memphis_maps *maps);

/*
 * The map that held `address` at `time_ns`, or NULL. While from_ns <= time < to_ns the answer for the
 * same address is the same.
 */
const struct memphis_map *memphis_maps_find(const struct memphis_maps *maps, uint64_t address,
					    uint64_t time_ns, uint64_t *from_ns, uint64_t *to_ns);

/*
 * The binary that was mapped at `pc` at `time_ns`, or MEMPHIS_NO_BINARY. *vaddr becomes the link-time address in the binary, or
 * `pc` without one; from_ns and to_ns as above.
 */
uint32_t memphis_maps_code(const struct memphis_maps *maps, uint64_t pc, uint64_t time_ns, uint64_t *vaddr,
			   uint64_t *from_ns, uint64_t *to_ns);

#endif
