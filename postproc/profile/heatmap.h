/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heatmap of a variable in one process shows when each address was accessed, by which thread, from which node and
 * on which home node. It also shows which members were accessed, and which cache lines moved between caches. It counts
 * all samples of the variable, not only the selected ones. If the process has very many samples, it counts a part of
 * them, evenly spread over threads and time. All times are relative to the start of the process.
 */
#ifndef MEMPHIS_HEATMAP_H
#define MEMPHIS_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* If a profile has more processes than this, it is saved with heatmaps of only the worst process of each finding (condense.h). */
#define MEMPHIS_HEATMAP_PROCESSES 16
/* If there are more heatmaps in memory than this, those that will not be saved are dropped. */
#define MEMPHIS_HEATMAPS_AT_ONCE 512
#define MEMPHIS_HEATMAP_BINS     128 /* maximum number of bins of addresses */
#define MEMPHIS_HEATMAP_TICKS    64  /* maximum number of time steps */
/* number of cache lines that are kept: those most often found modified in another cache */
#define MEMPHIS_HEATMAP_LINES   16
#define MEMPHIS_HEATMAP_REGIONS 1024 /* number of regions that are kept: those with the most samples */
#define MEMPHIS_LATENCY_BINS    60   /* number of bins for latencies of 16 bits */
/* number of storing instructions that are kept: those that stored first */
#define MEMPHIS_HEATMAP_STORES 64

/* The samples in one bin of addresses and one time step (tick), from one node and with one home node. */
struct memphis_heatmap_spot {
	uint16_t bin, tick;
	uint16_t node, home;
	uint32_t count, selected;
	/*
	 * The members below are valid only while evidence is searched. `loads` and `stores` are the numbers of loads
	 * and stores; an instruction that does both counts as both. `remote` is the number of loads from another
	 * node's memory that no other pattern explains.
	 */
	uint32_t loads, stores, remote;
	/* lowest and highest position of a sample in the bin (memphis_heatmap_fraction()) */
	uint16_t lowest, highest;
};

/* The samples of one thread in one bin, from one node. */
struct memphis_heatmap_use {
	uint32_t thread; /* index in the process */
	uint16_t node, bin;
	uint32_t count, stores, selected;
	uint32_t remote;         /* as in struct memphis_heatmap_spot */
	uint64_t first_ns;       /* time of the first sample */
	uint64_t first_store_ns; /* time of the first sampled store; 0 if no store was sampled */
	/* the profile's row of the instruction that made this store, or MEMPHIS_NONE */
	uint32_t first_store;
};

/*
 * The addresses of a block, or of several adjacent blocks: low <= address < high. Positions number the bytes of all
 * extents consecutively, without the gaps between them. `position` is the position of `low`.
 */
struct memphis_heatmap_extent {
	uint64_t low, high, position;
};

/*
 * The variable's samples at one place in the program (a line of a function), by thread and region. Only places with
 * loads from DRAM, or with loads of modified lines, are listed. Valid only while evidence is searched.
 */
struct memphis_heatmap_place {
	/* the profile's row of one instruction at the place, the same for all rows of the place */
	uint32_t instruction;
	uint32_t thread; /* index in the process */
	uint32_t region; /* row of the profile */
	/* number of samples of any kind between the first and the last remote load of the place */
	uint32_t meanwhile;
	uint32_t remote, modified; /* number of remote loads; number of loads of modified lines */
	uint32_t local;            /* number of loads from the node's own DRAM */
	uint32_t phase; /* number, from 1, of the serial phase that explains the remote loads; 0: none */
};

/* The variable's samples in one region. */
struct memphis_heatmap_region {
	uint32_t region; /* row of the profile */
	uint32_t count;
	uint32_t remote; /* number of selected samples whose home node differs from the accessing node */
	/* number of samples that found the line modified in another cache; the same below */
	uint32_t hitm;
};

/* The samples of one member from one node. All elements of the variable are added up. */
struct memphis_heatmap_field {
	uint32_t name;   /* string of the profile, for example "velocity.x" */
	uint32_t offset; /* lowest sampled offset of the member in the element */
	uint16_t node;
	uint32_t count, stores, hitm, selected;
};

/* The samples of one thread, from one node, in one of the eight words of a cache line. */
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

/* The variable's loads from one source of data whose latency falls into one bin. */
struct memphis_heatmap_latency {
	uint16_t source, bin; /* enum memphis_wait_source; result of memphis_latency_bin() */
	uint32_t count;
	uint64_t cycles; /* the sum of the latencies */
};

/* The selected samples of the variable that one source line made in one time step, from one node. */
struct memphis_heatmap_moment {
	/* the profile's row of one instruction of the line, the same for all rows of the line */
	uint32_t instruction;
	uint32_t tick, node;
	uint32_t selected; /* number of samples */
};

/* How a loop computes the addresses of its loads, as far as its machine code shows. */
enum memphis_load_order {
	MEMPHIS_ORDER_COUNTED, /* by counting, or in an unknown way */
	/* from data that the loop loads, for example indices into another array, or pointers of a list */
	MEMPHIS_ORDER_INDIRECT,
	/*
	 * Without counting: each address is computed from the previous one (as random numbers are), from a
	 * floating-point number, by a function, or from bits of a product (as by hash functions).
	 */
	MEMPHIS_ORDER_RANDOM
};

/*
 * The loads of the variable by one source line of a function. Known only if the samples of the process are a random
 * sample of all loads, including those that hit the L1. evidence/strided.h uses them.
 */
struct memphis_heatmap_load {
	uint32_t instruction; /* the profile's row of one instruction of the line */
	uint32_t count;       /* number of sampled loads */
	uint32_t fetched;     /* number of these loads that fetched a cache line from the L3 or from memory */
	uint32_t selected;    /* number of the fetching loads that are selected */
	/* Number of the fetching loads on the selected node and in the selected regions, even if their kind is not selected. */
	uint32_t counted;
	uint32_t lines;             /* number of different cache lines that the loads fetched */
	uint32_t narrowest, widest; /* minimum and maximum number of bytes that one load reads */
	uint64_t bytes;             /* sum of the bytes that the loads read */
	/*
	 * `others` is the number of samples in the same function that may use the same cache lines: stores, and loads
	 * at other source lines that fetched no line. others_widest is the most bytes that one of them accesses.
	 */
	uint32_t others, others_widest;
	enum memphis_load_order order; /* valid only while evidence is searched */
};

/*
 * The part of an array that contains 95 % of the selected samples from one node. There is no such part if it would be
 * most of the array.
 */
struct memphis_heatmap_part {
	uint32_t name; /* string of the profile, for example "[30..59]" */
	uint16_t node;
	uint32_t count;       /* number of selected samples from the node */
	uint64_t first, last; /* first and last element of the part, from 0 */
	uint64_t elements;    /* number of elements of the array */
};

struct memphis_heatmap {
	uint32_t process, variable; /* rows of the profile */
	uint64_t low, high;         /* lowest and highest address */
	unsigned int bin_shift;     /* bin = (address >> shift) - (low >> shift) */
	/*
	 * The extents of the variable's blocks, sorted by address. There are extents only while evidence is searched,
	 * and only if the blocks are far apart. In that case, `low`, `high` and the bins are positions, not addresses.
	 */
	struct memphis_heatmap_extent *extents;
	size_t extent_count;
	uint64_t from_ns, to_ns;    /* times of the first and the last sample */
	unsigned int tick_shift;    /* tick = (ns >> shift) - (from >> shift) */
	uint64_t samples, selected; /* number of samples in the heatmap; number of selected ones */
	uint64_t one_in;            /* about one in one_in samples of the process was read */
	/* probability that a sample really belongs to the variable; valid only while evidence is searched */
	double certainty;
	uint32_t element_bytes; /* size of an element, or 0 if it is unknown (`fields` is then empty) */
	/*
	 * `typed` is the number of selected samples whose member is known twice: from the address and from the
	 * instruction. `contradicted` is the number of these for which the two members differ.
	 */
	uint64_t typed, contradicted;
	/* Blocks were freed, and others were allocated at the same addresses. These may have other pages. */
	bool renewed;
	/*
	 * `reused`: malloc reused memory of other variables, whose pages may still be on the nodes where these
	 * variables placed them. `reused_of` is the row of such a variable, or MEMPHIS_NONE. Both are valid only while
	 * evidence is searched.
	 */
	bool reused;
	uint32_t reused_of;
	/*
	 * malloc placed the pages when it wrote in front of the blocks, which are smaller than a page. Valid only
	 * while evidence is searched.
	 */
	bool small_blocks;
	/*
	 * Different nodes use parts of memory that are smaller than a bin (evidence/neighbours.h). Known only if there
	 * are many samples, and valid only while evidence is searched.
	 */
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
	/* the loads of source lines with enough fetches for a finding; most fetches first */
	struct memphis_heatmap_load *loads;
	size_t load_count, load_room;
	struct memphis_heatmap_moment *moments; /* sorted by instruction, tick, node */
	size_t moment_count, moment_room;
	struct memphis_heatmap_word *words; /* grouped by line, most often modified line first */
	size_t word_count, word_room;
};

/*
 * Returns the bin of a latency. There are four bins per factor of 2, so a bin is at most a quarter wider than its
 * lower end. Below 8, each latency has its own bin.
 */
unsigned int memphis_latency_bin(uint64_t cycles);

/* Returns the lowest latency of the bin. The bin ends just before the lowest latency of the next bin. */
uint64_t memphis_latency_bin_low(unsigned int bin);

/*
 * Return the position of an address of the variable, and the address at a position. Both are equal if the heatmap has
 * no extents.
 */
uint64_t memphis_heatmap_position(const struct memphis_heatmap *heatmap, uint64_t address);
uint64_t memphis_heatmap_address(const struct memphis_heatmap *heatmap, uint64_t position);

/*
 * Convert between a position and its place in the bin. memphis_heatmap_fraction() returns the place as a number from 0
 * (beginning of the bin) to 65535 (end). memphis_heatmap_offset() returns the number of bytes from the beginning of a
 * bin to such a place.
 */
uint16_t memphis_heatmap_fraction(const struct memphis_heatmap *heatmap, uint64_t position);
uint64_t memphis_heatmap_offset(const struct memphis_heatmap *heatmap, uint16_t fraction);

/* Frees the arrays and clears the heatmap. */
void memphis_heatmap_close(struct memphis_heatmap *heatmap);

#endif
