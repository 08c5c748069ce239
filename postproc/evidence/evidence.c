// SPDX-License-Identifier: BSD-3-Clause
/* Finds evidence in the heatmap of a variable and adds it to the profile. */
#include "evidence/evidence.h"

#include <errno.h>
#include <math.h>

#include "evidence/patterns.h"
#include "evidence/serial.h"
#include "evidence/strided.h"
#include "evidence/where.h"

/*
 * ---- cache lines that move between caches ----
 *
 * A load that finds its line modified in another cache is true sharing if other threads store to the loaded word. It
 * is false sharing if they store only to other words of the line.
 */

struct sum {
	uint64_t hitm;
	uint32_t lines, threads;
};

/* Returns whether another thread stores to the line or, if same_word is true, to the same word of the line. */
static bool is_stored_by_others(const struct memphis_heatmap_word *words, size_t count,
				const struct memphis_heatmap_word *word, bool same_word)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (words[i].stores && words[i].thread != word->thread &&
		    (words[i].word == word->word || !same_word))
			return true;
	return false;
}

static uint32_t count_threads(const struct memphis_heatmap_word *words, size_t count)
{
	uint32_t threads = 0;
	size_t i, j;

	for (i = 0; i < count; i++) {
		for (j = 0; words[j].thread != words[i].thread; j++)
			;
		threads += j == i;
	}
	return threads;
}

static void add_line(struct sum sums[2], const struct memphis_heatmap_word *words, size_t count)
{
	uint64_t hitm[2] = {0};
	struct sum *sum;
	size_t i;

	for (i = 0; i < count; i++)
		if (words[i].hitm && is_stored_by_others(words, count, &words[i], false))
			hitm[is_stored_by_others(words, count, &words[i], true)] += words[i].hitm;
	if (!hitm[0] && !hitm[1])
		return;
	sum = &sums[hitm[1] >= hitm[0]];
	sum->hitm += hitm[0] + hitm[1];
	sum->lines++;
	if (sum->threads < count_threads(words, count))
		sum->threads = count_threads(words, count);
}

/* Returns the number of loads of modified lines that were made on the selected node and in the selected regions. */
static uint64_t count_modified(const struct memphis_heatmap *heatmap)
{
	uint64_t modified = 0;
	size_t i;

	for (i = 0; i < heatmap->place_count; i++)
		modified += heatmap->places[i].modified;
	return modified;
}

/* Returns how many samples of the member, from all nodes, found the line modified in another cache. */
static uint64_t member_hitm(const struct memphis_heatmap *heatmap, uint32_t field)
{
	uint64_t hitm = 0;
	size_t i;

	for (i = 0; i < heatmap->field_count; i++)
		if (heatmap->fields[i].name == field)
			hitm += heatmap->fields[i].hitm;
	return hitm;
}

/* Sets the two members that have the most samples of lines modified in another cache. */
static void set_shared_members(const struct memphis_heatmap *heatmap, struct memphis_finding *finding)
{
	uint64_t most[2] = {0}, hitm;
	uint32_t name;
	size_t i;

	for (i = 0; i < heatmap->field_count; i++) {
		name = heatmap->fields[i].name;
		hitm = member_hitm(heatmap, name);
		if (!name || name == finding->fields[0] || name == finding->fields[1] || hitm <= most[1])
			continue;
		most[1] = hitm;
		finding->fields[1] = name;
		if (hitm > most[0]) {
			most[1] = most[0];
			finding->fields[1] = finding->fields[0];
			most[0] = hitm;
			finding->fields[0] = name;
		}
	}
}

/*
 * Sets the pattern, false or true sharing, to the one with more samples, and its evidence. Returns false if the
 * variable shows neither.
 */
static bool find_sharing(const struct memphis_heatmap *heatmap, struct memphis_finding *finding)
{
	struct sum sums[2] = {{0}}, *sum;
	size_t i, count;

	for (i = 0; i < heatmap->word_count; i += count) {
		for (count = 1; i + count < heatmap->word_count; count++)
			if (heatmap->words[i + count].line != heatmap->words[i].line)
				break;
		add_line(sums, &heatmap->words[i], count);
	}
	sum = &sums[sums[1].hitm >= sums[0].hitm];
	finding->pattern = sum == &sums[1] ? MEMPHIS_PATTERN_TRUE_SHARING : MEMPHIS_PATTERN_FALSE_SHARING;
	/* The words do not record which of their samples are from the selected node and regions, so this is an upper bound. */
	finding->samples = sum->hitm < count_modified(heatmap) ? sum->hitm : count_modified(heatmap);
	finding->lines = sum->lines;
	finding->line_threads = sum->threads;
	set_shared_members(heatmap, finding);
	return sum->hitm > 0;
}

/*
 * ---- the place in the code that initialises a variable ----
 *
 * This is the place of the first sampled stores, provided that it stops storing once the whole variable has been
 * written. If these are in a small range only, as of a buffer that uses the variable's beginning at first, it is the
 * place that stored first in most parts.
 */

/*
 * The place is reported only if its stores were sampled in at least this share of the parts; a range with less is a
 * small one.
 */
#define PLACES_SHARE 0.25

static bool is_same_place(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	const struct memphis_profile_frame *x = memphis_program_frame(profile, a),
					   *y = memphis_program_frame(profile, b);

	return x->path == y->path && x->line == y->line && x->function == y->function;
}

/* Returns the time of the last sampled store at the place of this instruction, by any instruction there. */
static uint64_t last_store_time(const struct memphis_suspect *suspect, uint32_t instruction)
{
	const struct memphis_heatmap *heatmap = suspect->heatmap;
	uint64_t last_ns = 0;
	size_t i;

	for (i = 0; i < heatmap->store_count; i++)
		if (heatmap->stores[i].last_ns > last_ns &&
		    is_same_place(suspect->profile, heatmap->stores[i].instruction, instruction))
			last_ns = heatmap->stores[i].last_ns;
	return last_ns;
}

/* Returns the part whose first store is the earliest. */
static const struct memphis_part *find_first_part(const struct memphis_placement *placement)
{
	const struct memphis_part *part, *first = NULL;

	for (part = placement->parts; part < placement->parts + placement->part_count; part++)
		if (part->initialised != MEMPHIS_NONE &&
		    (!first || part->first_store->first_store_ns < first->first_store->first_store_ns))
			first = part;
	return first;
}

/*
 * Finds the place that was the first to store to most parts, and returns the part that it stored to first. Of two places
 * with equally many parts, the earlier one counts.
 */
static const struct memphis_part *find_main_part(const struct memphis_suspect *suspect)
{
	const struct memphis_placement *placement = &suspect->placement;
	const struct memphis_part *end = placement->parts + placement->part_count, *part, *other,
				  *found = NULL;
	size_t same, most = 0;

	for (part = placement->parts; part < end; part++) {
		if (part->initialised == MEMPHIS_NONE)
			continue;
		for (same = 0, other = placement->parts; other < end; other++)
			same += other->initialised != MEMPHIS_NONE &&
				is_same_place(suspect->profile, other->initialised, part->initialised);
		if (same < most ||
		    (same == most && part->first_store->first_store_ns >= found->first_store->first_store_ns))
			continue;
		most = same;
		found = part;
	}
	return found;
}

/*
 * Returns whether the stores before this time went to a small range of the variable only. `before_ns` is compared with
 * the first store to each part.
 */
static bool was_small_range(const struct memphis_placement *placement, uint64_t before_ns)
{
	size_t i, low = SIZE_MAX, high = 0;

	for (i = 0; i < placement->part_count; i++) {
		if (!placement->parts[i].first_store ||
		    placement->parts[i].first_store->first_store_ns >= before_ns)
			continue;
		low = low == SIZE_MAX ? i : low;
		high = i + 1;
	}
	return low == SIZE_MAX || (double)(high - low) < PLACES_SHARE * (double)placement->part_count;
}

/*
 * Judges whether the place has initialised the variable. It has if it stops storing after it has
 * stored to all parts. A part whose first sampled store is from another place, and later than the last store of this
 * place, does not count: its initialising stores were not sampled.
 */
static enum memphis_initialised judge_place(const struct memphis_suspect *suspect, uint32_t place)
{
	const struct memphis_placement *placement = &suspect->placement;
	const uint64_t last_ns = last_store_time(suspect, place), to_ns = suspect->heatmap->to_ns;
	uint64_t first_ns, everywhere_ns = 0;
	const struct memphis_part *part;
	size_t seen = 0, here = 0, elsewhere = 0;

	for (part = placement->parts; part < placement->parts + placement->part_count; part++) {
		seen += part->count != 0;
		if (part->initialised == MEMPHIS_NONE)
			continue;
		first_ns = part->first_store->first_store_ns;
		if (is_same_place(suspect->profile, part->initialised, place)) {
			here++;
			everywhere_ns = first_ns > everywhere_ns ? first_ns : everywhere_ns;
		} else {
			elsewhere += first_ns <= last_ns;
		}
	}
	if ((double)here < PLACES_SHARE * (double)seen)
		return MEMPHIS_INITIALISED_NOT_SAMPLED;
	if (last_ns > everywhere_ns + (to_ns - everywhere_ns) / 2)
		return MEMPHIS_INITIALISED_PERHAPS;
	return (double)here < MEMPHIS_PART_AGREE * (double)(here + elsewhere) ? MEMPHIS_INITIALISED_SEVERAL
									      : MEMPHIS_INITIALISED_AT;
}

/* Judges who has initialised the variable, and sets *first to the earliest part that this place has stored to. */
static enum memphis_initialised judge_places(const struct memphis_suspect *suspect,
					     const struct memphis_part **first)
{
	const enum memphis_initialised judged = judge_place(suspect, (*first)->initialised);
	const struct memphis_part *main = find_main_part(suspect);
	enum memphis_initialised rest;

	if (judged != MEMPHIS_INITIALISED_NOT_SAMPLED ||
	    !was_small_range(&suspect->placement, main->first_store->first_store_ns))
		return judged;
	rest = judge_place(suspect, main->initialised);
	if (rest < MEMPHIS_INITIALISED_SEVERAL)
		return judged;
	*first = main;
	return rest;
}

/*
 * Sets finding->initialised and finding->initialised_at. Clears finding->touched_by if the first sampled stores may
 * not be the first ones.
 */
static void find_initialised(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_part *first = find_first_part(&suspect->placement);

	finding->initialised = MEMPHIS_INITIALISED_NOT_SAMPLED;
	if (!suspect->stores)
		finding->initialised = MEMPHIS_INITIALISED_NO_STORES;
	else if (first)
		finding->initialised = judge_places(suspect, &first);
	if (finding->initialised >= MEMPHIS_INITIALISED_PERHAPS)
		finding->initialised_at = first->initialised;
	if (finding->initialised == MEMPHIS_INITIALISED_PERHAPS)
		finding->touched_by = MEMPHIS_NONE;
}

static int keep_finding(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
			struct memphis_finding *finding)
{
	struct memphis_finding *kept;

	if (finding->samples < memphis_finding_least(finding->pattern))
		return 0;
	finding->one_in = heatmap->one_in ? heatmap->one_in : 1;
	finding->doubt_ppm = (uint64_t)llround((1 - heatmap->certainty) * 1e6 * (double)finding->samples);
	kept = memphis_append(profile->evidence, profile->evidence_count, profile->evidence_room);
	if (!kept)
		return -ENOMEM;
	*kept = *finding;
	return 0;
}

static struct memphis_suspect make_suspect(const struct memphis_profile *profile,
					   const struct memphis_heatmap *heatmap, bool stores)
{
	return (struct memphis_suspect){.profile = profile,
					.heatmap = heatmap,
					.process = &profile->processes.list[heatmap->process],
					.stores = stores};
}

/* Adds a finding for each serial phase. Returns their number, or -ENOMEM. */
static int add_serial(struct memphis_profile *profile, const struct memphis_suspect *suspect)
{
	struct memphis_serial_search search;
	struct memphis_finding finding;
	int rc = memphis_serial_begin(&search, suspect), found = 0;

	while (!rc && (rc = memphis_serial_next(&search, suspect, &finding)) > 0) {
		find_initialised(suspect, &finding);
		rc = keep_finding(profile, suspect->heatmap, &finding);
		found++;
	}
	memphis_serial_close(&search);
	return rc ? rc : found;
}

int memphis_evidence_add_of_places(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
				   bool stores)
{
	struct memphis_suspect suspect = make_suspect(profile, heatmap, stores);
	struct memphis_finding finding;
	int rc = memphis_placement_make(&suspect.placement, heatmap);

	if (!rc && !memphis_find_pattern(&suspect, true, &finding))
		rc = add_serial(profile, &suspect);
	memphis_placement_close(&suspect.placement);
	return rc;
}

static int add_placement(struct memphis_profile *profile, struct memphis_suspect *suspect)
{
	struct memphis_finding finding;
	int rc = memphis_placement_make(&suspect->placement, suspect->heatmap);

	if (!rc && memphis_find_pattern(suspect, false, &finding)) {
		find_initialised(suspect, &finding);
		rc = memphis_finding_place(suspect, &(struct memphis_where){.thread = finding.thread},
					   &finding);
		if (!rc)
			rc = keep_finding(profile, suspect->heatmap, &finding);
	}
	memphis_placement_close(&suspect->placement);
	return rc;
}

int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap, bool stores)
{
	struct memphis_suspect suspect = make_suspect(profile, heatmap, stores);
	struct memphis_finding finding;
	int rc = add_placement(profile, &suspect);

	memphis_finding_begin(&suspect, &finding);
	if (!rc && find_sharing(heatmap, &finding)) {
		rc = memphis_finding_place(&suspect,
					   &(struct memphis_where){.modified = true, .thread = MEMPHIS_NONE},
					   &finding);
		if (!rc)
			rc = keep_finding(profile, heatmap, &finding);
	}
	memphis_finding_begin(&suspect, &finding);
	if (!rc && memphis_find_strided(heatmap, &finding))
		rc = keep_finding(profile, heatmap, &finding);
	return rc;
}
