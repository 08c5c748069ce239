/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Are estimates as often right as they state? Worlds of small blocks are made at random: heaps whose extents have one or several sites,
 * and instructions that access blocks of one or several sites, not in proportion to their bytes. Blocks are recorded as the library
 * records them. Of the samples whose site is estimated with a certainty, that part must be right. If this fails, reports promise more
 * than they hold.
 */
#include <math.h>
#include <stdlib.h>

#include "attribute/small_blocks.h"
#include "../../tap.h"

#define WORLDS       300
#define SITES_MAX    6
#define EXTENTS      24
#define EXTENT       65536
#define BLOCKS_MAX   60000
#define INSTRUCTIONS 5
#define BINS         4

struct block {
	uint64_t address;
	uint32_t site;
	bool recorded;
};

static struct block blocks[BLOCKS_MAX];
static size_t block_count, site_first[SITES_MAX + 1], site_blocks[BLOCKS_MAX];
static uint32_t bytes_of[SITES_MAX], sites;
static uint64_t state = 1;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / (double)(1ull << 53);
}

static uint32_t below(uint32_t bound)
{
	return (uint32_t)(uniform() * bound);
}

/* Fills the heap. `mixed`: probability that an extent has several sites; these take turns at random, as in a container of strings. */
static void make_heap(double mean, double mixed)
{
	uint64_t address, end;
	uint32_t first, other, site, i;
	double part;
	size_t at = 0;

	block_count = 0;
	for (i = 0; i < EXTENTS; i++) {
		first = below(sites);
		other = below(sites);
		part = uniform() < mixed ? uniform() : 0;
		address = 0x10000000 + (uint64_t)i * EXTENT;
		for (end = address + EXTENT; address + 4096 < end; address += bytes_of[site] + 16) {
			site = uniform() < part ? other : first;
			blocks[block_count++] = (struct block){
				address, site, uniform() < 1 - exp(-(double)bytes_of[site] / mean)};
		}
	}
	for (site = 0; site < sites; site++) {
		site_first[site] = at;
		for (i = 0; i < block_count; i++)
			if (blocks[i].site == site)
				site_blocks[at++] = i;
	}
	site_first[sites] = at;
}

static void open_index(struct memphis_small_blocks *small, double mean)
{
	struct memphis_blocks found = {.group_count = sites};
	size_t i;

	found.groups = calloc(sites, sizeof(*found.groups));
	found.small = calloc(block_count, sizeof(*found.small));
	for (i = 0; i < block_count; i++) {
		if (!blocks[i].recorded)
			continue;
		found.groups[blocks[i].site].small = 1;
		found.small[found.small_count++] =
			(struct memphis_small_block){.start = blocks[i].address,
						     .end = blocks[i].address + bytes_of[blocks[i].site],
						     .from_ns = 100,
						     .to_ns = UINT64_MAX,
						     .mean_bytes = (uint64_t)mean,
						     .group = blocks[i].site};
	}
	if (memphis_small_blocks_open(small, &found, UINT64_MAX))
		exit(1);
	free(found.groups);
}

/* The samples of an instruction, and the sites of those outside recorded blocks. */
struct instruction {
	struct memphis_site_samples *outside, *inside;
	uint32_t *truth;
	struct memphis_site_evidence evidence;
};

static void sample(struct instruction *one, const struct memphis_small_blocks *small, size_t count)
{
	uint32_t favourite = below(sites), second = below(sites), site, mix;
	double loyal = uniform() < 0.6 ? 1 : 0.5 + uniform() / 2;
	const struct block *block;
	size_t i;

	one->outside = calloc(count, sizeof(*one->outside));
	one->inside = calloc(count, sizeof(*one->inside));
	one->truth = calloc(count, sizeof(*one->truth));
	for (i = 0; i < count; i++) {
		site = uniform() < loyal ? favourite : second;
		if (site_first[site] == site_first[site + 1])
			continue;
		block = &blocks[site_blocks[site_first[site] +
					    below((uint32_t)(site_first[site + 1] - site_first[site]))]];
		if (block->recorded) {
			one->inside[one->evidence.inside_count++] =
				(struct memphis_site_samples){small->site_of_group[block->site], 1};
			continue;
		}
		mix = memphis_small_blocks_mix(small, block->address, 1000);
		if (mix == MEMPHIS_NO_MIX)
			continue;
		one->truth[one->evidence.outside_count] = block->site;
		one->outside[one->evidence.outside_count++] = (struct memphis_site_samples){mix, 1};
	}
	one->evidence.outside = one->outside;
	one->evidence.inside = one->inside;
}

static const double edges[BINS + 1] = {0.75, 0.85, 0.93, 0.98, 1.01};
static double said[BINS], right[BINS], squares[BINS], samples[BINS];
static uint64_t all, certain;

static bool has_names; /* the sites 2 n and 2 n + 1 have one name */

static bool is_same(void *context, uint32_t site, uint32_t other)
{
	const struct memphis_small_blocks *small = context;

	return small->group_of_site[site] / 2 == small->group_of_site[other] / 2;
}

static void judge(struct instruction *list, struct memphis_small_blocks *small)
{
	struct memphis_site_guess *guesses;
	double excess[BINS] = {0};
	bool hit;
	size_t i, j;
	int bin;

	for (i = 0; i < INSTRUCTIONS; i++) {
		guesses = calloc(list[i].evidence.outside_count + 1, sizeof(*guesses));
		memphis_sites_guess(&small->sites, &list[i].evidence, guesses);
		for (j = 0; j < list[i].evidence.outside_count; j++) {
			all++;
			if (guesses[j].certainty < edges[0])
				continue;
			certain++;
			for (bin = 0; guesses[j].certainty >= edges[bin + 1]; bin++)
				;
			hit = small->group_of_site[guesses[j].site] >> has_names ==
			      list[i].truth[j] >> has_names;
			samples[bin]++;
			said[bin] += guesses[j].certainty;
			right[bin] += hit;
			excess[bin] += guesses[j].certainty - hit;
		}
		free(guesses);
	}
	for (bin = 0; bin < BINS; bin++)
		squares[bin] += excess[bin] * excess[bin];
}

static void world(double mean, double mixed)
{
	struct instruction list[INSTRUCTIONS] = {{0}};
	struct memphis_site_samples *outside, *inside;
	struct memphis_site_evidence together = {0};
	struct memphis_small_blocks small;
	size_t i, count = 0, samples_each = 20 + below(400);

	sites = 2 + below(SITES_MAX - 1);
	for (i = 0; i < sites; i++)
		bytes_of[i] = 16 * (1 + below(i % 2 ? 6 : 30));
	make_heap(mean, mixed);
	open_index(&small, mean);
	for (i = 0; i < INSTRUCTIONS; i++) {
		sample(&list[i], &small, samples_each);
		count += list[i].evidence.outside_count + list[i].evidence.inside_count;
	}
	together.outside = outside = calloc(count + 1, sizeof(*outside));
	together.inside = inside = calloc(count + 1, sizeof(*inside));
	for (i = 0; i < INSTRUCTIONS; i++) {
		memcpy(outside + together.outside_count, list[i].outside,
		       list[i].evidence.outside_count * sizeof(*outside));
		memcpy(inside + together.inside_count, list[i].inside,
		       list[i].evidence.inside_count * sizeof(*inside));
		together.outside_count += list[i].evidence.outside_count;
		together.inside_count += list[i].evidence.inside_count;
	}
	if (has_names) {
		small.sites.is_same = is_same;
		small.sites.context = &small;
	}
	memphis_sites_fit_process(&small.sites, &together);
	judge(list, &small);
	for (i = 0; i < INSTRUCTIONS; i++) {
		free(list[i].outside);
		free(list[i].inside);
		free(list[i].truth);
	}
	free(outside);
	free(inside);
	memphis_small_blocks_close(&small);
}

/* Checks that the certainties of each bin hold in worlds of this kind. */
static void calibration(const char *what, double mean, double mixed)
{
	double excess, deviation;
	int i;

	memset(said, 0, sizeof(said));
	memset(right, 0, sizeof(right));
	memset(squares, 0, sizeof(squares));
	memset(samples, 0, sizeof(samples));
	all = certain = 0;
	state = 12345;
	for (i = 0; i < WORLDS; i++)
		world(mean, mixed);
	printf("# %s: %.1f %% of %llu samples estimated\n", what, 100.0 * (double)certain / (double)all,
	       (unsigned long long)all);
	for (i = 0; i < BINS; i++) {
		if (!samples[i])
			continue;
		/* Samples of a world depend on each other, worlds do not. */
		excess = (said[i] - right[i]) / samples[i];
		deviation = sqrt(squares[i]) / samples[i];
		printf("# said %.3f, right %.3f (%.0f samples, deviation %.3f)\n", said[i] / samples[i],
		       right[i] / samples[i], samples[i], deviation);
		ok(excess < 0.03 + 3 * deviation && deviation < 0.05,
		   "%s: certainties from %.2f on are not too large by 0.03 (3 standard deviations)", what,
		   edges[i]);
	}
}

int main(void)
{
	uint64_t told_apart;

	calibration("one site in most extents", 2048, 0.1);
	calibration("several sites in most extents", 2048, 0.9);
	calibration("few recorded blocks", 32768, 0.5);
	told_apart = certain;
	has_names = true;
	calibration("few recorded blocks, and two sites of each name", 32768, 0.5);
	ok(certain > told_apart, "more samples are certain if sites need not be told apart");
	return finish();
}
