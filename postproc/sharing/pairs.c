// SPDX-License-Identifier: BSD-3-Clause
/*
 * Builds the pairs of threads that share memory. Adds up both directions (a loads from pages of b, and b from
 * pages of a) and all home nodes of the pages.
 */
#include "sharing/pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* A row of profile->sharing, as a contribution to a pair. */
struct part {
	uint32_t process, a, b, variable;
	struct memphis_shared_sum sum;
};

static int compare_parts(const void *x, const void *y)
{
	const struct part *p = x, *q = y;

	return memphis_order(p->process, q->process) ?:
	       memphis_order(p->a, q->a) ?:
	       memphis_order(p->b, q->b) ?:
	       memphis_order(p->variable, q->variable);
}

static bool is_same_pair(const struct part *p, const struct part *q)
{
	return p->process == q->process && p->a == q->a && p->b == q->b;
}

static void add_shared_sum(struct memphis_shared_sum *sum, const struct memphis_shared_sum *other)
{
	sum->loads[0] += other->loads[0];
	sum->loads[1] += other->loads[1];
	sum->remote += other->remote;
	sum->modified += other->modified;
	sum->bytes += other->bytes;
}

static int compare_variables(const void *x, const void *y)
{
	const struct memphis_shared_variable *p = x, *q = y;
	const uint64_t a = memphis_shared_samples(&p->sum), b = memphis_shared_samples(&q->sum);

	return memphis_order(b, a) ?: memphis_order(p->variable, q->variable);
}

static int compare_pairs(const void *x, const void *y)
{
	const struct memphis_thread_pair *p = x, *q = y;
	const uint64_t a = memphis_shared_samples(&p->sum), b = memphis_shared_samples(&q->sum);

	return memphis_order(b, a) ?:
	       memphis_order(p->process, q->process) ?:
	       memphis_order(p->a, q->a) ?:
	       memphis_order(p->b, q->b);
}

/*
 * Collects the rows that belong to pairs of different threads, and adds up the numbers of all other loads.
 * Returns the number of collected rows.
 */
static size_t collect_parts(struct memphis_thread_pairs *pairs, struct part *parts,
			    const struct memphis_profile *profile, const struct memphis_selection *selection)
{
	const struct memphis_sharing *row;
	size_t count = 0;
	bool swapped;

	for (row = profile->sharing; row < profile->sharing + profile->sharing_count; row++) {
		if (!memphis_selection_has(selection, &profile->processes.list[row->process]))
			continue;
		pairs->loads += row->loads;
		if (row->with == row->thread)
			pairs->own += row->loads;
		if (row->with == MEMPHIS_NONE)
			pairs->unowned += row->loads;
		if (row->with == row->thread || row->with == MEMPHIS_NONE)
			continue;
		swapped = row->with < row->thread;
		parts[count] = (struct part){
			.process = row->process,
			.a = swapped ? row->with : row->thread,
			.b = swapped ? row->thread : row->with,
			.variable = row->variable,
			.sum = {.remote = row->remote, .modified = row->modified, .bytes = row->bytes}};
		parts[count++].sum.loads[swapped] = row->loads;
	}
	return count;
}

/*
 * Builds a pair from its parts. `variables` is an array with room for at least `count` elements. Returns the
 * number of variables.
 */
static size_t make_pair(struct memphis_thread_pair *pair, struct memphis_shared_variable *variables,
			const struct part *parts, size_t count)
{
	size_t i;

	*pair = (struct memphis_thread_pair){
		.process = parts->process, .a = parts->a, .b = parts->b, .variables = variables};
	for (i = 0; i < count; i++) {
		if (!i || parts[i].variable != parts[i - 1].variable)
			variables[pair->variable_count++] =
				(struct memphis_shared_variable){.variable = parts[i].variable};
		add_shared_sum(&variables[pair->variable_count - 1].sum, &parts[i].sum);
		add_shared_sum(&pair->sum, &parts[i].sum);
	}
	qsort(variables, pair->variable_count, sizeof(*variables), compare_variables);
	return pair->variable_count;
}

int memphis_thread_pairs_make(struct memphis_thread_pairs *pairs, const struct memphis_profile *profile,
			      const struct memphis_selection *selection)
{
	struct part *parts = calloc(profile->sharing_count + 1, sizeof(*parts));
	size_t count, variables = 0, first, end;

	memset(pairs, 0, sizeof(*pairs));
	pairs->list = calloc(profile->sharing_count + 1, sizeof(*pairs->list));
	pairs->variables = calloc(profile->sharing_count + 1, sizeof(*pairs->variables));
	if (!parts || !pairs->list || !pairs->variables) {
		free(parts);
		return -ENOMEM;
	}
	count = collect_parts(pairs, parts, profile, selection);
	memphis_sort(parts, count, compare_parts);
	for (first = 0; first < count; first = end) {
		for (end = first; end < count && is_same_pair(&parts[end], &parts[first]); end++)
			;
		variables += make_pair(&pairs->list[pairs->count++], pairs->variables + variables,
				       parts + first, end - first);
	}
	memphis_sort(pairs->list, pairs->count, compare_pairs);
	free(parts);
	return 0;
}

void memphis_thread_pairs_close(struct memphis_thread_pairs *pairs)
{
	free(pairs->list);
	free(pairs->variables);
	memset(pairs, 0, sizeof(*pairs));
}
