/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heatmap of a variable in one process: which addresses were accessed when, by which thread, from which node, on which home node;
 * which members; which cache lines bounced between caches. It counts all samples of the variable, not only the selected ones; of a
 * process with very many samples only a part, evenly spread over its threads and over time. Times are since the process's start.
 */
#ifndef MEMPHIS_HEATMAP_H
#define MEMPHIS_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A profile that is saved keeps no heatmaps, only the evidence found in them, if it has more processes than this. */
#define MEMPHIS_HEATMAP_PROCESSES 16
#define MEMPHIS_HEATMAP_BINS      128 /* of addresses, at most */
#define MEMPHIS_HEATMAP_TICKS     64  /* of time, at most */
#define MEMPHIS_HEATMAP_LINES     16  /* cache lines kept: those most often found modified in another cache */
#define MEMPHIS_HEATMAP_REGIONS   1024 /* regions kept: those with most samples */
#define MEMPHIS_HEATMAP_STORES    64   /* storing instructions kept: those that stored first */

/* The samples of one step of addresses and one step of time. */
struct memphis_heatmap_spot {
	uint16_t bin, tick;
	uint16_t node, home;
	uint32_t count, selected;
};

/* The samples of one thread in one bin. */
struct memphis_heatmap_use {
	uint32_t thread; /* index in the process */
	uint16_t node, bin;
	uint32_t count, stores, selected;
	uint64_t first_ns;       /* time of the first sample */
	uint64_t first_store_ns; /* time of the first sampled store; 0: none */
	uint32_t first_store;    /* instruction of that store in the profile; MEMPHIS_NONE: none */
};

/* The variable's samples in one region. */
struct memphis_heatmap_region {
	uint32_t region; /* row of the profile */
	uint32_t count;
	uint32_t remote; /* selected samples whose home node is another one */
	uint32_t hitm;   /* samples that found the line modified in another cache; likewise below */
};

/* The samples of one member, from one node, over all elements of the variable. */
struct memphis_heatmap_field {
	uint32_t name;   /* string in the profile: "velocity.x" */
	uint32_t offset; /* lowest offset seen in the element */
	uint16_t node;
	uint32_t count, stores, hitm, selected;
};

/* The samples of one thread in one of the eight words of a cache line. */
struct memphis_heatmap_word {
	uint64_t line;   /* address / 64 */
	uint32_t thread; /* index in the process */
	uint16_t node;
	uint8_t word;
	uint32_t loads, stores, hitm;
};

/* An instruction that stores to the variable. */
struct memphis_heatmap_store {
	uint32_t instruction; /* row of the profile */
	uint32_t count;
	uint64_t first_ns, last_ns;
};

struct memphis_heatmap {
	uint32_t process, variable; /* rows of the profile */
	uint64_t low, high;         /* lowest and highest address */
	unsigned int bin_shift;     /* bin = (address >> shift) - (low >> shift) */
	uint64_t from_ns, to_ns;    /* first and last sample */
	unsigned int tick_shift;    /* tick = (ns >> shift) - (from >> shift) */
	uint64_t samples, selected; /* in the heatmap */
	uint64_t one_in;            /* about one in so many samples of the process was read */
	uint32_t element_bytes;     /* 0: unknown, and there are no fields */
	bool renewed; /* blocks were released and others allocated at the same address: pages may differ */
	struct memphis_heatmap_spot *spots; /* sorted by tick, bin, node, home */
	size_t spot_count, spot_room;
	struct memphis_heatmap_use *uses; /* sorted by thread, bin, node */
	size_t use_count, use_room;
	struct memphis_heatmap_field *fields; /* sorted by offset, node */
	size_t field_count, field_room;
	struct memphis_heatmap_region *regions; /* sorted by region */
	size_t region_count, region_room;
	struct memphis_heatmap_store *stores; /* sorted by instruction */
	size_t store_count, store_room;
	struct memphis_heatmap_word *words; /* line by line, the line found modified most often first */
	size_t word_count, word_room;
};

/* Frees the arrays and clears the heatmap. */
void memphis_heatmap_close(struct memphis_heatmap *heatmap);

#endif
