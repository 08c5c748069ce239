// SPDX-License-Identifier: BSD-3-Clause
/* Adds up latencies by source. Estimates what local memory would save, from the latencies of loads from local memory. */
#include "view/waiting.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "read/stands_for.h"

#define Z 1.959963984540054 /* 97.5 % quantile of the normal distribution: each tail has 2.5 % */

const char *const memphis_wait_obstacle_texts[] = {
	[MEMPHIS_OBSTACLE_NO_LOADS] = "no load from beyond the L2 was sampled",
	[MEMPHIS_OBSTACLE_NO_SAMPLES] = "this run took no samples (--backend none)",
	[MEMPHIS_OBSTACLE_NO_LATENCY] = "the sampled loads have no latency",
	[MEMPHIS_OBSTACLE_CYCLES] = "the period counts cycles, so that the number of loads is not known",
	[MEMPHIS_OBSTACLE_SOME_CYCLES] =
		"some periods count cycles, so that the number of loads is not known",
	[MEMPHIS_OBSTACLE_NO_OPS] = "these samples do not count instructions",
	[MEMPHIS_OBSTACLE_FILTER] = "the hardware's filter leaves instructions uncounted",
	[MEMPHIS_OBSTACLE_LOADS_DROPPED] = "no loads were sampled",
	[MEMPHIS_OBSTACLE_PART] = "instructions of a region or node are not counted apart",
	[MEMPHIS_OBSTACLE_NO_SOURCES] = "the hardware does not show which loads are remote",
	[MEMPHIS_OBSTACLE_NOT_COUNTED] = "no instructions were counted",
};

/* Returns the number of loads that each of these samples represents. */
static double loads_per_sample(const struct memphis_measure *samples)
{
	return (double)samples->accesses / (double)samples->count;
}

/*
 * Returns the latency of local memory for a node. If loads of this node were sampled too rarely, returns the latency
 * of all nodes together. Returns NULL if these were sampled too rarely, too.
 */
static const struct memphis_local_latency *local_latency(const struct memphis_waiting *waiting, uint16_t node)
{
	const struct memphis_local_latency *all = waiting->locals + waiting->local_count - 1;
	size_t i;

	for (i = 0; i + 1 < waiting->local_count; i++)
		if (waiting->locals[i].node == node && waiting->locals[i].count >= MEMPHIS_LOCAL_SAMPLES)
			return &waiting->locals[i];
	return waiting->local_count && all->count >= MEMPHIS_LOCAL_SAMPLES ? all : NULL;
}

static void add_wait(struct memphis_wait *wait, const struct memphis_wait *more)
{
	wait->count += more->count;
	wait->latency_cycles += more->latency_cycles;
	wait->cycles += more->cycles;
	wait->squares += more->squares;
}

/*
 * Returns the share of a remote load's latency that local memory would save, according to latencies that memphis node
 * measured. Returns NAN if they were not measured. The measurement was made on an idle machine. Under load, both
 * latencies are longer, and their ratio is assumed to be the same.
 */
static double measured_saving(const struct memphis_waiting *waiting, const struct memphis_access *access)
{
	if (!waiting->measured || access->home == MEMPHIS_NODE_UNKNOWN)
		return NAN;
	return 1 - memphis_matrices_latency(waiting->measured, access->node, access->node) /
			   memphis_matrices_latency(waiting->measured, access->node, access->home);
}

static void add_gain(struct memphis_waits *waits, const struct memphis_waiting *waiting,
		     const struct memphis_access *access, const struct memphis_measure *samples)
{
	const struct memphis_local_latency *local = local_latency(waiting, access->node);
	const double weight = loads_per_sample(samples), count = (double)samples->count,
		     sum = (double)samples->latency_cycles, squares = (double)samples->latency_squares,
		     saving = local ? NAN : measured_saving(waiting, access);
	struct memphis_wait gain = {.count = samples->count, .latency_cycles = samples->latency_cycles};

	if (local) {
		gain.cycles = weight * (sum - count * local->mean);
		gain.squares = weight * weight *
			       (squares - 2 * local->mean * sum + count * local->mean * local->mean);
		waits->spread += weight * count * sqrt(local->squares / (double)local->count);
	} else if (!isnan(saving)) {
		gain.cycles = weight * saving * sum;
		gain.squares = weight * weight * saving * saving * squares;
		waits->measured += samples->count;
	} else {
		waits->unknown += samples->count;
		return;
	}
	add_wait(&waits->gain, &gain);
}

static void add_samples(struct memphis_waits *waits, const struct memphis_waiting *waiting,
			const struct memphis_access *access, const struct memphis_measure *samples)
{
	const enum memphis_wait_source source = memphis_wait_source(access);
	const double weight = loads_per_sample(samples);

	if (waiting->why_not || source == MEMPHIS_WAIT_SOURCES || !samples->latency_cycles)
		return;
	add_wait(&waits->sources[source],
		 &(struct memphis_wait){samples->count, samples->latency_cycles,
					weight * (double)samples->latency_cycles,
					weight * weight * (double)samples->latency_squares});
	if (source == MEMPHIS_WAIT_REMOTE_DRAM)
		add_gain(waits, waiting, access, samples);
}

void memphis_waits_add_cell(struct memphis_waits *waits, const struct memphis_waiting *waiting,
			    const struct memphis_cell *cell)
{
	add_samples(waits, waiting, &cell->key.access, &cell->measure);
}

void memphis_waits_add(struct memphis_waits *waits, const struct memphis_waits *more)
{
	size_t i;

	for (i = 0; i < MEMPHIS_WAIT_SOURCES; i++)
		add_wait(&waits->sources[i], &more->sources[i]);
	add_wait(&waits->gain, &more->gain);
	waits->spread += more->spread;
	waits->measured += more->measured;
	waits->unknown += more->unknown;
}

uint64_t memphis_waits_count(const struct memphis_waits *waits)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < MEMPHIS_WAIT_SOURCES; i++)
		count += waits->sources[i].count;
	return count;
}

static struct memphis_estimate widen_interval(const struct memphis_waiting *waiting,
					      struct memphis_estimate estimate)
{
	estimate.low *= waiting->least;
	estimate.high *= waiting->most;
	return estimate;
}

struct memphis_estimate memphis_waited_for(const struct memphis_waiting *waiting,
					   const struct memphis_waits *waits, enum memphis_wait_source source)
{
	return widen_interval(waiting, memphis_compound_estimate(waits->sources[source].cycles,
								 waits->sources[source].squares,
								 waiting->largest[source]));
}

struct memphis_estimate memphis_waited(const struct memphis_waiting *waiting,
				       const struct memphis_waits *waits)
{
	struct memphis_wait sum = {0};
	double largest = 0;
	size_t i;

	for (i = 0; i < MEMPHIS_WAIT_SOURCES; i++) {
		add_wait(&sum, &waits->sources[i]);
		if (waits->sources[i].count)
			largest = fmax(largest, waiting->largest[i]);
	}
	return widen_interval(waiting, memphis_compound_estimate(sum.cycles, sum.squares, largest));
}

bool memphis_gain_is_known(const struct memphis_waits *waits)
{
	return waits->gain.count && !waits->unknown;
}

/*
 * Adds the uncertainty of the local latency to that of the remote terms. The gain is never negative, because memory
 * can stay where it is.
 */
struct memphis_estimate memphis_gain(const struct memphis_waiting *waiting, const struct memphis_waits *waits)
{
	struct memphis_estimate gain = memphis_compound_estimate(
		fmax(0, waits->gain.cycles), waits->gain.squares, waiting->largest[MEMPHIS_WAIT_REMOTE_DRAM]);

	gain.low = fmax(0, gain.low - Z * waits->spread);
	gain.high += Z * waits->spread;
	return widen_interval(waiting, gain);
}

/* Returns whether the total has samples, and belongs to the selected processes and nodes. */
static bool selects_total(const struct memphis_profile *profile, const struct memphis_selection *selection,
			  const struct memphis_total *total)
{
	return memphis_selection_has(selection, &profile->processes.list[total->process]) &&
	       (selection->node < 0 || total->access.node == selection->node) && total->measure.count;
}

static void add_local(struct memphis_local_latency *local, const struct memphis_total *total)
{
	local->count += total->measure.count;
	local->mean += (double)total->measure.latency_cycles;
	local->squares += (double)total->measure.latency_squares;
}

/*
 * Adds up the latencies of loads from local memory for each node and for all nodes. Includes nodes that are not
 * selected, because the mean of all nodes may be needed.
 */
static int sum_locals(struct memphis_waiting *waiting, const struct memphis_profile *profile,
		      const struct memphis_selection *selection)
{
	struct memphis_local_latency all = {.node = MEMPHIS_NODE_UNKNOWN}, *local;
	const struct memphis_total *total;
	size_t i, j;

	for (i = 0; i < profile->totals.count; i++) {
		total = &profile->totals.list[i];
		if (memphis_wait_source(&total->access) != MEMPHIS_WAIT_LOCAL_DRAM ||
		    !total->measure.latency_cycles ||
		    !memphis_selection_has(selection, &profile->processes.list[total->process]))
			continue;
		for (j = 0; j < waiting->local_count && waiting->locals[j].node != total->access.node; j++)
			;
		local = j < waiting->local_count
				? &waiting->locals[j]
				: memphis_append(waiting->locals, waiting->local_count, waiting->local_room);
		if (!local)
			return -ENOMEM;
		local->node = total->access.node;
		add_local(local, total);
		add_local(&all, total);
	}
	local = memphis_append(waiting->locals, waiting->local_count, waiting->local_room);
	if (!local)
		return -ENOMEM;
	*local = all;
	for (j = 0; j < waiting->local_count; j++) {
		local = &waiting->locals[j];
		local->mean /= (double)local->count;
		local->squares = local->squares / (double)local->count - local->mean * local->mean;
	}
	return 0;
}

/* Returns the part with these keys, and adds it if it is new. Returns NULL if memory is exhausted. */
static struct memphis_waiting_part *find_or_add_part(struct memphis_waiting_parts *parts, uint32_t process,
						     uint32_t thread, uint16_t node, uint16_t home)
{
	struct memphis_waiting_part *part;
	size_t i;

	for (i = parts->count; i--;) {
		part = &parts->list[i];
		if (part->process == process && part->thread == thread && part->node == node &&
		    part->home == home)
			return part;
		/* Totals are sorted by process and thread, so the keys of earlier threads do not occur again. */
		if (part->process != process || part->thread != thread)
			break;
	}
	part = memphis_append(parts->list, parts->count, parts->room);
	if (part)
		*part = (struct memphis_waiting_part){
			.process = process, .thread = thread, .node = node, .home = home};
	return part;
}

static int add_total(struct memphis_waiting *waiting, const struct memphis_total *total)
{
	const enum memphis_wait_source source = memphis_wait_source(&total->access);
	struct memphis_waiting_part *thread, *pair;

	if (source == MEMPHIS_WAIT_SOURCES || !total->measure.latency_cycles)
		return 0;
	waiting->largest[source] =
		fmax(waiting->largest[source],
		     loads_per_sample(&total->measure) * (double)total->measure.latency_max_cycles);
	thread = find_or_add_part(&waiting->threads, total->process, total->thread, 0, 0);
	pair = find_or_add_part(&waiting->pairs, 0, 0, total->access.node, total->access.home);
	if (!thread || !pair)
		return -ENOMEM;
	add_samples(&waiting->all, waiting, &total->access, &total->measure);
	add_samples(&thread->waits, waiting, &total->access, &total->measure);
	add_samples(&pair->waits, waiting, &total->access, &total->measure);
	return 0;
}

static bool has_value(const struct memphis_process *process, const char *key, const char *value)
{
	const char *own = memphis_setting(&process->settings, key);

	return own && !strcmp(own, value);
}

static void find_hardware(struct memphis_waiting *waiting, const struct memphis_profile *profile,
			  const struct memphis_selection *selection)
{
	const struct memphis_process *process;
	struct memphis_stands_for stands;
	size_t i;

	waiting->least = waiting->most = 1;
	for (i = 0; i < profile->processes.count; i++) {
		process = &profile->processes.list[i];
		if (!memphis_selection_has(selection, process))
			continue;
		waiting->ibs |= has_value(process, "hardware", "ibs");
		waiting->pebs |= has_value(process, "hardware", "pebs");
		stands = memphis_stands_for(&process->settings);
		if (stands.accesses) {
			waiting->least = fmin(waiting->least, stands.low / (double)stands.accesses);
			waiting->most = fmax(waiting->most, stands.high / (double)stands.accesses);
		}
	}
}

/* Returns whether all selected processes were recorded without sampling. */
static bool took_no_samples(const struct memphis_profile *profile, const struct memphis_selection *selection)
{
	bool none = false;
	size_t i;

	for (i = 0; i < profile->processes.count; i++) {
		if (!memphis_selection_has(selection, &profile->processes.list[i]))
			continue;
		none = has_value(&profile->processes.list[i], "backend", "none");
		if (!none)
			break;
	}
	return none;
}

/* Returns the reason why nothing can be estimated from the totals, or MEMPHIS_OBSTACLE_NONE. */
static enum memphis_wait_obstacle find_obstacle(const struct memphis_profile *profile,
						const struct memphis_selection *selection)
{
	bool waits = false, timed = false, weighed = false, unweighed = false;
	const struct memphis_total *total;
	size_t i;

	for (i = 0; i < profile->totals.count; i++) {
		total = &profile->totals.list[i];
		if (!selects_total(profile, selection, total) || !memphis_waits(&total->access) ||
		    !(total->access.flags & MEMPHIS_FLAG_LOAD))
			continue;
		waits = true;
		if (!total->measure.latency_cycles)
			continue;
		timed = true;
		weighed |= total->measure.accesses > 0;
		unweighed |= !total->measure.accesses;
	}
	if (!waits)
		return took_no_samples(profile, selection) ? MEMPHIS_OBSTACLE_NO_SAMPLES
							   : MEMPHIS_OBSTACLE_NO_LOADS;
	if (!timed)
		return MEMPHIS_OBSTACLE_NO_LATENCY;
	if (!weighed)
		return MEMPHIS_OBSTACLE_CYCLES;
	/* An estimate from the other processes only could be mistaken for an estimate of all processes. */
	if (unweighed)
		return MEMPHIS_OBSTACLE_SOME_CYCLES;
	return MEMPHIS_OBSTACLE_NONE;
}

int memphis_waiting_make(struct memphis_waiting *waiting, const struct memphis_profile *profile,
			 const struct memphis_selection *selection, const struct memphis_matrices *measured)
{
	const struct memphis_total *total;
	size_t i;
	int rc;

	memset(waiting, 0, sizeof(*waiting));
	waiting->measured = measured;
	find_hardware(waiting, profile, selection);
	waiting->why_not = find_obstacle(profile, selection);
	rc = sum_locals(waiting, profile, selection);
	for (i = 0; !rc && !waiting->why_not && i < profile->totals.count; i++) {
		total = &profile->totals.list[i];
		if (selects_total(profile, selection, total))
			rc = add_total(waiting, total);
	}
	return rc;
}

void memphis_waiting_close(struct memphis_waiting *waiting)
{
	free(waiting->locals);
	free(waiting->threads.list);
	free(waiting->pairs.list);
	memset(waiting, 0, sizeof(*waiting));
}

struct memphis_sum memphis_sum_of(const struct memphis_waiting *waiting, const struct memphis_cell *cell)
{
	struct memphis_sum sum = {
		.measure = cell->measure,
		.lines = memphis_moves_line(&cell->key.access) ? cell->measure.accesses : 0,
		.stores = cell->key.access.flags & MEMPHIS_FLAG_STORE ? cell->measure.count : 0,
		.hitm = cell->key.access.flags & MEMPHIS_FLAG_HITM ? cell->measure.count : 0,
	};

	memphis_waits_add_cell(&sum.waits, waiting, cell);
	return sum;
}

void memphis_sum_add(struct memphis_sum *sum, const struct memphis_sum *more)
{
	memphis_measure_add(&sum->measure, &more->measure);
	sum->lines += more->lines;
	sum->stores += more->stores;
	sum->hitm += more->hitm;
	memphis_waits_add(&sum->waits, &more->waits);
}
