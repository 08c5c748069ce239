/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorded small blocks of a process by extent and time: finds the sites of the blocks around an address. */
#ifndef MEMPHIS_SMALL_BLOCKS_H
#define MEMPHIS_SMALL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "attribute/blocks.h"
#include "base/pool.h"

/*
 * Estimates which allocation site the blocks belong to that hold samples outside all recorded blocks. Of small blocks, only a random
 * sample is recorded. Two kinds of evidence remain, and both are unbiased, since the recorded blocks are taken by their bytes alone:
 *	- the recorded blocks of the extent at the time of the sample estimate the share of each site in its bytes;
 *	- the samples inside recorded blocks estimate the share of each site in the accesses of the same instruction.
 * For a sample, the shares of the extent are multiplied by factors of the sites. The factors are such that the estimates of all samples
 * of an instruction add up to its shares by the second kind of evidence (iterative proportional fitting).
 */

#define MEMPHIS_MIX_PARTS 8

/* The recorded blocks of an extent at a time. Unused parts are zeros, since mixes are compared as bytes. */
struct memphis_mix {
	uint32_t blocks; /* effective number of recorded blocks; at least 1 */
	uint32_t count;  /* number of parts */
	struct memphis_mix_part {
		/* `share`: the site's part of the bytes, in units of 1 / MEMPHIS_MIX_WHOLE */
		uint32_t site, share;
	} parts[MEMPHIS_MIX_PARTS];
};

struct memphis_sites {
	size_t count;    /* number of sites, which are numbered from 0 */
	double *bytes;   /* by site: estimated share of all bytes of small blocks */
	double *taken;   /* by site: part of its bytes that is in recorded blocks */
	double *pull;    /* by site: factor for the process as a whole */
	double *work;    /* work space for 4 * count numbers */
	uint64_t blocks; /* number of recorded blocks */
	const struct memphis_mix *mixes;
	/*
	 * Returns true if reports do not tell the blocks of both sites apart, as those of one line that several call stacks led to. NULL: they
	 * tell all sites apart.
	 */
	bool (*is_same)(void *context, uint32_t site, uint32_t other);
	void *context;
};

/* Samples outside recorded blocks, where the extent has this mix; or inside recorded blocks of a site. */
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
	double certainty; /* probability that the block is of this site, or of one that reports do not tell apart from it */
};

/* Fits the factors of the process to the samples of all its instructions. */
void memphis_sites_fit_process(struct memphis_sites *sites, const struct memphis_site_evidence *all);

/* Sets guesses[i] for evidence->outside[i], the samples of one instruction. */
void memphis_sites_guess(struct memphis_sites *sites, const struct memphis_site_evidence *evidence,
			 struct memphis_site_guess *guesses);

#define MEMPHIS_NO_MIX UINT32_MAX

/* A change of the blocks of an extent: from `time_ns` until the next change, they come from the sites of `mix`. */
struct memphis_small_step {
	uint64_t time_ns;
	uint32_t mix; /* index in mixes, or MEMPHIS_NO_MIX */
};

struct memphis_small_extent {
	uint64_t number; /* address / MEMPHIS_SMALL_EXTENT_BYTES */
	size_t step, count;
};

struct memphis_small_blocks {
	struct memphis_small_extent *extents; /* sorted */
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

/* Builds the index from blocks->small, and frees that array. Returns 0 or -ENOMEM; the index must be closed in both cases. */
int memphis_small_blocks_open(struct memphis_small_blocks *small, struct memphis_blocks *blocks,
			      uint64_t until_ns);
void memphis_small_blocks_close(struct memphis_small_blocks *small);

/* Returns the mix around the address at the time, or MEMPHIS_NO_MIX if no block is known there. */
uint32_t memphis_small_blocks_mix(const struct memphis_small_blocks *small, uint64_t address,
				  uint64_t time_ns);

#endif
