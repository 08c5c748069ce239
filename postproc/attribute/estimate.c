// SPDX-License-Identifier: BSD-3-Clause
/*
 * Collects the evidence about each instruction from the counts. Replaces owners of kind MEMPHIS_OWNER_NEAR by
 * the estimated owners.
 */
#include "attribute/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* The counts whose samples are in or near small blocks, sorted by process and instruction. */
struct counted {
	struct memphis_count **list;
	struct memphis_site_samples *outside, *inside;
	struct memphis_site_guess *guesses;
	size_t count;
	/* the process whose counts are being processed */
	size_t process;
	const struct memphis_small_blocks *small;
	memphis_is_same_variable *is_same;
	void *context;
	bool with_examples; /* the examples were taken from the samples of these counts */
};

static bool is_same_site(void *context, uint32_t site, uint32_t other)
{
	const struct counted *counted = context;

	return counted->is_same(counted->context, counted->process, counted->small->group_of_site[site],
				counted->small->group_of_site[other]);
}

static bool is_in_small_block(const struct memphis_join *join, const struct memphis_owner *owner)
{
	return owner->kind == MEMPHIS_OWNER_GROUP &&
	       join->list[owner->process].blocks.groups[owner->index].small;
}

static int compare_counts(const void *a, const void *b)
{
	const struct memphis_count_key *x = &(*(struct memphis_count *const *)a)->key,
				       *y = &(*(struct memphis_count *const *)b)->key;

	/*
	 * Finally, compare the whole key. The result must not depend on the order of the counts, which varies
	 * with the number of threads.
	 */
	return memphis_order(x->owner.process, y->owner.process) ?:
	       memphis_order(x->code, y->code) ?:
	       memphis_order(x->pc, y->pc) ?:
	       memphis_order(x->callers, y->callers) ?:
	       memcmp(x, y, sizeof(*x));
}

/*
 * Returns true if both counts belong to one instruction with the same callers. A library function may access
 * blocks from different sites, depending on its caller.
 */
static bool is_same_instruction(const struct memphis_count *a, const struct memphis_count *b)
{
	return a->key.owner.process == b->key.owner.process && a->key.code == b->key.code &&
	       a->key.pc == b->key.pc && a->key.callers == b->key.callers;
}

/* Adds the samples to the last entry of the list if it has the same number; otherwise appends an entry. */
static void add_samples(struct memphis_site_samples *list, size_t *count, uint32_t number, uint64_t samples)
{
	if (*count && list[*count - 1].number == number)
		list[*count - 1].count += samples;
	else
		list[(*count)++] = (struct memphis_site_samples){number, samples};
}

static struct memphis_site_evidence collect_evidence(const struct memphis_join *join, struct counted *counted,
						     size_t from, size_t to)
{
	struct memphis_site_evidence evidence = {counted->outside, counted->inside, 0, 0};
	const struct memphis_owner *owner;
	size_t i;

	for (i = from; i < to; i++) {
		owner = &counted->list[i]->key.owner;
		if (owner->kind == MEMPHIS_OWNER_NEAR)
			add_samples(counted->outside, &evidence.outside_count, owner->index,
				    counted->list[i]->measure.count);
		else
			add_samples(counted->inside, &evidence.inside_count,
				    join->list[owner->process].small.site_of_group[owner->index],
				    counted->list[i]->measure.count);
	}
	return evidence;
}

/*
 * Removes the examples of samples without a variable that have one after the estimate. If there is no
 * estimate, gives the examples the owner that their samples get.
 */
static void resolve_examples(struct memphis_examples *examples, const struct memphis_count_key *key,
			     bool estimated)
{
	struct memphis_example *list = examples->list[key->owner.reason];
	unsigned int *count = &examples->count[key->owner.reason], i, kept = 0;

	for (i = 0; i < *count; i++) {
		if (list[i].code == key->code && list[i].pc == key->pc &&
		    !memcmp(&list[i].owner, &key->owner, sizeof(key->owner))) {
			if (estimated)
				continue;
			list[i].owner.kind = MEMPHIS_OWNER_MAP;
			list[i].owner.index = list[i].owner.item;
			list[i].owner.item = 0;
		}
		list[kept++] = list[i];
	}
	*count = kept;
}

static void replace_owner(struct memphis_join *join, struct memphis_count *count,
			  const struct memphis_site_guess *guess, bool with_examples)
{
	const struct memphis_joined_process *joined = &join->list[count->key.owner.process];
	struct memphis_owner *owner = &count->key.owner;

	if (with_examples)
		resolve_examples(&join->profile->examples, &count->key,
				 guess->certainty >= MEMPHIS_CERTAIN_ENOUGH);
	if (guess->certainty < MEMPHIS_CERTAIN_ENOUGH) {
		owner->kind = MEMPHIS_OWNER_MAP;
		owner->index = owner->item;
	} else {
		owner->kind = MEMPHIS_OWNER_ESTIMATE;
		owner->index = joined->small.group_of_site[guess->site];
		owner->reason = MEMPHIS_ATTRIBUTED;
		count->measure.doubt_ppm =
			(uint64_t)llround((1 - guess->certainty) * 1e6) * count->measure.count;
	}
	owner->item = 0;
}

/* Estimates the owners of the counts with indices [from, to), which belong to one instruction. */
static void estimate_instruction(struct memphis_join *join, struct counted *counted, size_t from, size_t to)
{
	struct memphis_joined_process *joined = &join->list[counted->list[from]->key.owner.process];
	const struct memphis_site_evidence evidence = collect_evidence(join, counted, from, to);
	size_t i, at = 0;

	if (!evidence.outside_count)
		return;
	memphis_sites_guess(&joined->small.sites, &evidence, counted->guesses);
	for (i = from; i < to; i++) {
		if (counted->list[i]->key.owner.kind != MEMPHIS_OWNER_NEAR)
			continue;
		while (counted->outside[at].number != counted->list[i]->key.owner.index)
			at++;
		replace_owner(join, counted->list[i], &counted->guesses[at], counted->with_examples);
	}
}

/* Estimates the owners of the counts with indices [from, to), which belong to one process. */
static void estimate_process(struct memphis_join *join, struct counted *counted, size_t from, size_t to)
{
	struct memphis_joined_process *joined = &join->list[counted->list[from]->key.owner.process];
	const struct memphis_site_evidence evidence = collect_evidence(join, counted, from, to);
	size_t next;

	counted->process = counted->list[from]->key.owner.process;
	counted->small = &joined->small;
	joined->small.sites.is_same = is_same_site;
	joined->small.sites.context = counted;
	memphis_sites_fit_process(&joined->small.sites, &evidence);
	for (; from < to; from = next) {
		for (next = from + 1;
		     next < to && is_same_instruction(counted->list[from], counted->list[next]); next++)
			;
		estimate_instruction(join, counted, from, next);
	}
}

static void estimate_all(struct memphis_join *join, struct counted *counted)
{
	size_t from, next;

	qsort(counted->list, counted->count, sizeof(*counted->list), compare_counts);
	for (from = 0; from < counted->count; from = next) {
		for (next = from + 1; next < counted->count && counted->list[next]->key.owner.process ==
								       counted->list[from]->key.owner.process;
		     next++)
			;
		estimate_process(join, counted, from, next);
	}
}

int memphis_estimate(struct memphis_join *join, struct memphis_counts *counts,
		     memphis_is_same_variable *is_same, void *context)
{
	struct counted counted = {
		.is_same = is_same, .context = context, .with_examples = counts == &join->counts};
	size_t i, room = counts->count + 1;
	int rc = 0;

	counted.list = malloc(room * sizeof(*counted.list));
	counted.outside = malloc(room * sizeof(*counted.outside));
	counted.inside = malloc(room * sizeof(*counted.inside));
	counted.guesses = malloc(room * sizeof(*counted.guesses));
	if (!counted.list || !counted.outside || !counted.inside || !counted.guesses)
		rc = -ENOMEM;
	for (i = 0; !rc && i < counts->count; i++)
		if (counts->cells[i].key.owner.kind == MEMPHIS_OWNER_NEAR ||
		    is_in_small_block(join, &counts->cells[i].key.owner))
			counted.list[counted.count++] = &counts->cells[i];
	if (!rc)
		estimate_all(join, &counted);
	free(counted.list);
	free(counted.outside);
	free(counted.inside);
	free(counted.guesses);
	return rc;
}
