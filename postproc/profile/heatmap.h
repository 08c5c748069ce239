/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A closer look at the leading variables of each process: which part was accessed when, by which thread, from which node, and whose
 * memory it is; which members; which cache lines went to and fro. All samples of these variables count, not only the selected ones;
 * of a process with very many samples some, spread evenly over its threads and over time.
 */
#ifndef MEMPHIS_HEATMAP_H
#define MEMPHIS_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMPHIS_HEATMAP_PROCESSES \
	16 /* a profile of more, as a file, holds evidence in the place of close-ups */
#define MEMPHIS_HEATMAP_BINS    128 /* of addresses; at most */
#define MEMPHIS_HEATMAP_TICKS   64  /* of time; at most */
#define MEMPHIS_HEATMAP_LINES   16 /* cache lines kept: those that were found modified elsewhere most often */
#define MEMPHIS_HEATMAP_REGIONS 1024 /* those with most samples */
#define MEMPHIS_HEATMAP_STORES  64   /* instructions: those that were seen first */

struct memphis_heatmap_spot {
	uint16_t bin, tick;
	uint16_t node, home;
	uint32_t count, selected;
};

/* A thread's share of a bin. */
struct memphis_heatmap_use {
	uint32_t thread; /* of the process */
	uint16_t node, bin;
	uint32_t count, stores, selected;
	uint64_t first_ns;       /* after the process's start */
	uint64_t first_store_ns; /* likewise, of its first store that was sampled ... */
	uint32_t
		first_store; /* ... and the instruction of the profile that made it; MEMPHIS_NONE: none was */
};

/* The variable's accesses inside a caliper. */
struct memphis_heatmap_region {
	uint32_t region; /* row of the profile */
	uint32_t count;
	uint32_t remote; /* selected ones that went to another node's memory */
	uint32_t hitm;
};

/* A member of the variable's elements, over all elements. */
struct memphis_heatmap_field {
	uint32_t name;   /* string of the profile: "velocity.x" */
	uint32_t offset; /* in the element, of the lowest byte seen */
	uint16_t node;
	uint32_t count, stores, hitm, selected;
};

/* A thread's accesses to one of the eight words of a cache line. */
struct memphis_heatmap_word {
	uint64_t line;   /* address / 64 */
	uint32_t thread; /* of the process */
	uint16_t node;
	uint8_t word;
	uint32_t loads, stores, hitm;
};

/* An instruction that stores to the variable. */
struct memphis_heatmap_store {
	uint32_t instruction; /* of the profile */
	uint32_t count;
	uint64_t first_ns, last_ns; /* after the process's start */
};

struct memphis_heatmap {
	uint32_t process, variable; /* in the profile */
	uint64_t low, high;         /* addresses seen */
	unsigned int bin_shift;     /* bin = (address >> shift) - (low >> shift) */
	uint64_t from_ns, to_ns;    /* after the process's start */
	unsigned int tick_shift;    /* tick = (ns >> shift) - (from >> shift) */
	uint64_t samples, selected; /* that were looked at */
	uint64_t one_in;            /* of so many samples one was looked at, about */
	uint32_t element_bytes;     /* 0: not known, there are no fields */
	bool renewed; /* memory of it was released and allocated again: its pages are not always the same */
	struct memphis_heatmap_spot *spots; /* by tick, bin, node, home */
	size_t spot_count, spot_room;
	struct memphis_heatmap_use *uses; /* by thread, bin, node */
	size_t use_count, use_room;
	struct memphis_heatmap_field *fields; /* by offset, node */
	size_t field_count, field_room;
	struct memphis_heatmap_region *regions; /* by region */
	size_t region_count, region_room;
	struct memphis_heatmap_store *stores; /* those that were seen first, by instruction */
	size_t store_count, store_room;
	struct memphis_heatmap_word *words; /* line by line, those found modified most often first */
	size_t word_count, word_room;
};

void memphis_heatmap_close(struct memphis_heatmap *heatmap);

#endif
