/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Index of the recorded small blocks of a process by extent (a fixed-size range of addresses) and time. Finds
 * the allocation sites of the blocks around an address.
 */
#ifndef MEMPHIS_SMALL_BLOCKS_H
#define MEMPHIS_SMALL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "attribute/blocks.h"
#include "base/pool.h"

/*
 * Only a random sample of small blocks is recorded. Most accesses to small blocks are therefore outside all
 * recorded blocks. The following functions estimate to which allocation site the accessed block belongs. They
 * use two kinds of evidence. Both are unbiased, because the probability that a block is recorded depends only
 * on its bytes.
 *	- The recorded blocks of the extent at the time of the sample estimate each site's share of the bytes.
 *	- The samples inside recorded blocks estimate each site's share of the accesses of the same instruction.
 * For a sample, the shares of its extent are multiplied by one factor for each site. The factors are chosen so
 * that the estimates of all samples of an instruction add up to the instruction's shares by the second kind of
 * evidence (iterative proportional fitting).
 */

#define MEMPHIS_MIX_PARTS 8

/* The recorded blocks of an extent at one time. Unused parts must be zero, because mixes are compared as bytes. */
struct memphis_mix {
	uint32_t blocks; /* effective number of recorded blocks, at least 1: see find_mix() */
	uint32_t count;  /* number of parts */
	struct memphis_mix_part {
		/* `share`: the site's part of the bytes, in units of 1 / MEMPHIS_MIX_WHOLE */
		uint32_t site, share;
	} parts[MEMPHIS_MIX_PARTS];
};

struct memphis_sites {
	size_t count;    /* number of sites, which are numbered from 0 */
	double *bytes;   /* indexed by site: estimated share of the bytes of all small blocks */
	double *taken;   /* indexed by site: fraction of its bytes that is in recorded blocks */
	double *pull;    /* indexed by site: factor for the process as a whole */
	double *work;    /* work space for 4 * count numbers */
	uint64_t blocks; /* number of recorded blocks */
	const struct memphis_mix *mixes;
	/*
	 * Returns true if reports show the blocks of both sites as one variable, such as blocks from one
	 * source line with different call stacks. NULL: all sites are different variables.
	 */
	bool (*is_same)(void *context, uint32_t site, uint32_t other);
	void *context;
};

/*
 * A number of samples. They are either outside recorded blocks, in extents with this mix, or inside recorded
 * blocks of this site.
 */
struct memphis_site_samples {
	uint32_t number; /* number of the mix, or of the site */
	uint64_t count;
};

struct memphis_site_evidence {
	const struct memphis_site_samples *outside, *inside;
	size_t outside_count, inside_count;
};

struct memphis_site_guess {
	uint32_t site;
	/* probability that the block belongs to this site, or to one that reports show as the same variable */
	double certainty;
};

/* Computes sites->pull, the factors of the process, from the samples of all its instructions. */
void memphis_sites_fit_process(struct memphis_sites *sites, const struct memphis_site_evidence *all);

/* Guesses the sites for the samples of one instruction. Sets guesses[i] for evidence->outside[i]. */
void memphis_sites_guess(struct memphis_sites *sites, const struct memphis_site_evidence *evidence,
			 struct memphis_site_guess *guesses);

#define MEMPHIS_NO_MIX UINT32_MAX

/* A change of the blocks in an extent: from `time_ns` until the next step, they come from the sites of `mix`. */
struct memphis_small_step {
	uint64_t time_ns;
	uint32_t mix; /* index in memphis_small_blocks.mixes, or MEMPHIS_NO_MIX */
};

struct memphis_small_extent {
	uint64_t number; /* address / MEMPHIS_SMALL_EXTENT_BYTES */
	size_t step, count;
};

struct memphis_small_blocks {
	struct memphis_small_extent *extents; /* sorted by number */
	size_t extent_count, extent_room;
	struct memphis_small_step *steps;
	size_t step_count, step_room;
	struct memphis_mix *mixes;
	size_t mix_count, mix_room;
	struct memphis_strings mix_numbers; /* finds equal mixes; the number is the index + 1 */
	struct memphis_sites sites;
	uint32_t *site_of_group, *group_of_site;
	uint64_t until_ns; /* records of small blocks after this time are incomplete */
};

/* Builds the index from blocks->small, and frees that array. Returns 0 or -ENOMEM. The index must be closed in both cases. */
int memphis_small_blocks_open(struct memphis_small_blocks *small, struct memphis_blocks *blocks,
			      uint64_t until_ns);
void memphis_small_blocks_close(struct memphis_small_blocks *small);

/* Returns the mix of the extent with this address at this time. Returns MEMPHIS_NO_MIX if no block is known there. */
uint32_t memphis_small_blocks_mix(const struct memphis_small_blocks *small, uint64_t address,
				  uint64_t time_ns);

#endif
