/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heatmap of a variable in one process. It records when, by which thread, from which node and on which home node each address was
 * accessed, which members were accessed, and which cache lines bounced between caches. It counts all samples of the variable, not only the
 * selected ones. If the process has very many samples, only a part is counted, evenly spread over threads and time. All times are relative
 * to the start of the process.
 */
#ifndef MEMPHIS_HEATMAP_H
#define MEMPHIS_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A saved profile of more processes than this contains the heatmaps of the worst process of each finding only (condense.h). */
#define MEMPHIS_HEATMAP_PROCESSES 16
/* Number of heatmaps that are kept in memory before those that are not saved are dropped. */
#define MEMPHIS_HEATMAPS_AT_ONCE 512
#define MEMPHIS_HEATMAP_BINS     128  /* maximum number of bins of addresses */
#define MEMPHIS_HEATMAP_TICKS    64   /* maximum number of steps of time */
#define MEMPHIS_HEATMAP_LINES    16   /* cache lines kept: those most often found modified in another cache */
#define MEMPHIS_HEATMAP_REGIONS  1024 /* regions kept: those with the most samples */
#define MEMPHIS_LATENCY_BINS     60   /* for latencies of 16 bits */
#define MEMPHIS_HEATMAP_STORES   64   /* storing instructions kept: those that stored first */

/* The samples in one bin of addresses and one step of time. */
struct memphis_heatmap_spot {
	uint16_t bin, tick;
	uint16_t node, home;
	uint32_t count, selected;
	/* Stores; and loads from another node's memory that no other pattern explains. These, and the next ones, while evidence is found only. */
	uint32_t stores, remote;
	uint16_t lowest, highest; /* positions of samples in the bin (memphis_heatmap_fraction()) */
};

/* Counts the samples of one bin by thread and accessing node. */
struct memphis_heatmap_use {
	uint32_t thread; /* index in the process */
	uint16_t node, bin;
	uint32_t count, stores, selected;
	uint32_t remote;         /* as above */
	uint64_t first_ns;       /* time of the first sample */
	uint64_t first_store_ns; /* time of the first sampled store; 0 if no store was sampled */
	uint32_t first_store;    /* instruction of this store (row of the profile), or MEMPHIS_NONE */
};

/* The addresses of a block, or of neighbouring ones, low <= address < high; and the position of `low` on an axis without the memory in between. */
struct memphis_heatmap_extent {
	uint64_t low, high, position;
};

/*
 * The variable's samples at one place of the program (a line of a function), by thread and region. Made of places with loads from DRAM, or with loads
 * of modified lines; only while evidence is found.
 */
struct memphis_heatmap_place {
	uint32_t
		instruction; /* row of the profile: one of the place's instructions, the same in all rows of the place */
	uint32_t thread; /* index in the process */
	uint32_t region; /* row of the profile */
	/* samples of all kinds from the first to the last remote load of the place */
	uint32_t meanwhile;
	uint32_t remote, modified; /* number of remote loads; of loads of modified lines */
	uint32_t local;            /* number of loads from the node's own DRAM */
	uint32_t phase; /* number of the serial phase that explains its remote loads, from 1; 0: none */
};

/* The variable's samples in one region. */
struct memphis_heatmap_region {
	uint32_t region; /* row of the profile */
	uint32_t count;
	uint32_t remote; /* selected samples whose home node differs from the accessing node */
	uint32_t hitm;   /* samples that found the line modified in another cache; also used below */
};

/* Counts the samples of one member by accessing node, summed over all elements of the variable. */
struct memphis_heatmap_field {
	uint32_t name;   /* string in the profile, such as "velocity.x" */
	uint32_t offset; /* lowest sampled offset of the member in the element */
	uint16_t node;
	uint32_t count, stores, hitm, selected;
};

/* The samples of one thread from one node in one of the eight words of a cache line. */
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

/* The variable's loads from one source whose latencies are in one bin. */
struct memphis_heatmap_latency {
	uint16_t source, bin; /* enum memphis_wait_source; memphis_latency_bin() */
	uint32_t count;
	uint64_t cycles; /* the sum of the latencies */
};

/* The selected samples of the variable that one source line made in one step of time. */
struct memphis_heatmap_moment {
	uint32_t
		instruction; /* row of the profile: one of the line's instructions, the same in all rows of the line */
	uint32_t tick, node;
	uint32_t selected; /* number of samples */
};

/* How a loop computes the address that it loads from, as far as its code shows. */
enum memphis_load_order {
	MEMPHIS_ORDER_COUNTED, /* by counting; or it is not known */
	MEMPHIS_ORDER_INDIRECT, /* from data that the loop loads: an index in another array, or a pointer in a list */
	/* Not by counting: from the last one as random numbers are, from a floating-point number, or by a function. */
	MEMPHIS_ORDER_RANDOM
};

/*
 * The loads of the variable by one source line of a function. Known only if the samples of the process show a random part of all loads,
 * those that hit the L1 included; evidence/strided.h judges them.
 */
struct memphis_heatmap_load {
	uint32_t instruction; /* row of the profile: one of the line's instructions */
	uint32_t count;       /* samples of loads */
	uint32_t fetched;     /* number of these loads that fetched a cache line from the L3 or from memory */
	uint32_t selected;    /* number of these that are selected */
	uint32_t
		counted; /* number of these in the selected regions and on the selected node, of whatever kind */
	uint32_t lines;             /* number of different cache lines that they fetched */
	uint32_t narrowest, widest; /* bytes that a load reads */
	uint64_t bytes;             /* sum over the loads */
	/* Samples that may use the same cache lines: stores of the function, and loads of its other lines that fetched none. */
	uint32_t others, others_widest;
	enum memphis_load_order order; /* while evidence is found only */
};

/* The part of an array in which 95 % of the selected samples of one accessing node lie. If this is most of the array, there is no such part. */
struct memphis_heatmap_part {
	uint32_t name; /* string in the profile, such as "[30..59]" */
	uint16_t node;
	uint32_t count;       /* selected samples of the node */
	uint64_t first, last; /* first and last element of the part, from 0 */
	uint64_t elements;    /* number of elements of the array */
};

struct memphis_heatmap {
	uint32_t process, variable; /* rows of the profile */
	uint64_t low, high;         /* lowest and highest address */
	unsigned int bin_shift;     /* bin = (address >> shift) - (low >> shift) */
	/*
	 * Sorted by address, while evidence is found, if the variable has blocks that are far apart: `low`, `high` and bins are then of positions, and
	 * not of addresses.
	 */
	struct memphis_heatmap_extent *extents;
	size_t extent_count;
	uint64_t from_ns, to_ns;    /* times of the first and the last sample */
	unsigned int tick_shift;    /* tick = (ns >> shift) - (from >> shift) */
	uint64_t samples, selected; /* number of samples in the heatmap; number of selected ones */
	uint64_t one_in;            /* about one in one_in samples of the process was read */
	double certainty; /* probability that a sample is one of the variable; while evidence is found only */
	uint32_t element_bytes; /* 0 if unknown; `fields` is then empty */
	/*
	 * Selected samples of which both the address and the instruction show the member, and those for which these are different members.
	 */
	uint64_t typed, contradicted;
	/* Blocks were released and others were allocated at the same addresses, perhaps on different pages. */
	bool renewed;
	/*
	 * malloc gave out the memory of other variables again, and may have kept its pages; the row of such a variable, or MEMPHIS_NONE. While evidence is
	 * found only.
	 */
	bool reused;
	uint32_t reused_of;
	/* Nodes use parts of bins that are smaller than a bin (evidence/neighbours.h). Known of many samples, while evidence is found only. */
	bool parts_of_bins;
	struct memphis_heatmap_spot *spots; /* sorted by tick, bin, node, home */
	size_t spot_count, spot_room;
	struct memphis_heatmap_use *uses; /* sorted by thread, bin, node */
	size_t use_count, use_room;
	struct memphis_heatmap_field *fields; /* sorted by offset, node */
	size_t field_count, field_room;
	struct memphis_heatmap_region *regions; /* sorted by region */
	size_t region_count, region_room;
	struct memphis_heatmap_place *places; /* sorted by instruction, thread, region */
	size_t place_count, place_room;
	struct memphis_heatmap_store *stores; /* sorted by instruction */
	size_t store_count, store_room;
	struct memphis_heatmap_part *parts; /* sorted by node */
	size_t part_count, part_room;
	struct memphis_heatmap_latency *latencies; /* sorted by source, bin */
	size_t latency_count, latency_room;
	/* Loads of lines with enough fetches for a finding; most fetches first. */
	struct memphis_heatmap_load *loads;
	size_t load_count, load_room;
	struct memphis_heatmap_moment *moments; /* sorted by instruction, tick, node */
	size_t moment_count, moment_room;
	struct memphis_heatmap_word *words; /* grouped by line, most often modified line first */
	size_t word_count, word_room;
};

/*
 * Returns the bin of a latency. There are four bins for each doubling, so that a bin is at most a quarter wider than its lower end; below
 * 8, each latency has a bin.
 */
unsigned int memphis_latency_bin(uint64_t cycles);

/* Returns the lowest latency of the bin. The bin ends before the lowest latency of the next one. */
uint64_t memphis_latency_bin_low(unsigned int bin);

/* Returns the position of an address of the variable, and the address at a position: both are the same if there are no extents. */
uint64_t memphis_heatmap_position(const struct memphis_heatmap *heatmap, uint64_t address);
uint64_t memphis_heatmap_address(const struct memphis_heatmap *heatmap, uint64_t position);

/* Return where a position is in its bin, from 0 at the beginning to 65535 at the end; and how many bytes from the beginning such a place is. */
uint16_t memphis_heatmap_fraction(const struct memphis_heatmap *heatmap, uint64_t position);
uint64_t memphis_heatmap_offset(const struct memphis_heatmap *heatmap, uint16_t fraction);

/* Frees the arrays and clears the heatmap. */
void memphis_heatmap_close(struct memphis_heatmap *heatmap);

#endif
