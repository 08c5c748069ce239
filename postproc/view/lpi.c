// SPDX-License-Identifier: BSD-3-Clause
/* Divides the remote latency by the number of ops. This number is computed from the accounting of interrupts. */
#include "view/lpi.h"

#include <math.h>
#include <string.h>

#include "read/stands_for.h"

const char *const memphis_worth_names[] = {
	[MEMPHIS_WORTH_NOT_GIVEN] = NULL, [MEMPHIS_WORTH_UNDECIDED] = "undecided",
	[MEMPHIS_WORTH_NO] = "no",        [MEMPHIS_WORTH_LITTLE] = "no",
	[MEMPHIS_WORTH_YES] = "yes",
};

/* Facts about the selected processes, from their accounting and their settings. */
struct ops_facts {
	uint64_t kept, lost;
	double ops;
	bool filtered;   /* a filter of the hardware was on, so interrupts do not count all ops */
	bool no_loads;   /* samples of loads were dropped */
	bool some_loads; /* samples of some remote loads may have been dropped */
};

static bool drops_kind(const struct memphis_process *process, const char *kind)
{
	const char *drop = memphis_setting(&process->settings, "drop");

	return drop && strstr(drop, kind);
}

/* Returns the number of interrupts for ops that the program itself executed in user mode. */
static uint64_t count_ops(const struct memphis_accounting *accounting)
{
	const uint64_t others = accounting->filtered[MEMPHIS_REASON_INVALID] +
				accounting->filtered[MEMPHIS_REASON_KERNEL_PC] +
				accounting->filtered[MEMPHIS_REASON_STOPPED] +
				accounting->filtered[MEMPHIS_REASON_GUEST];

	return accounting->interrupts > others ? accounting->interrupts - others : 0;
}

static void add_process(struct ops_facts *facts, const struct memphis_process *process)
{
	const double stands_for = (double)memphis_stands_for(&process->settings).accesses;
	const char *filter = memphis_setting(&process->settings, "hardware_filter");
	size_t i;

	for (i = 0; i < process->thread_count; i++) {
		facts->kept += process->threads[i].accounting.kept;
		facts->lost += process->threads[i].accounting.lost;
		facts->ops += stands_for * (double)count_ops(&process->threads[i].accounting);
	}
	facts->filtered |= filter && strcmp(filter, "none") != 0;
	facts->no_loads |= drops_kind(process, "loads");
	facts->some_loads |= drops_kind(process, "not_dram") ||
			     memphis_setting_number(&process->settings, "min_latency", 0) > 0;
}

/* Returns whether the hardware reports the sources of loads. Without sources, it is unknown which loads are remote. */
static bool has_sources(const struct memphis_waits *waits)
{
	return memphis_waits_count(waits) > waits->sources[MEMPHIS_WAIT_UNKNOWN].count;
}

static enum memphis_wait_obstacle find_obstacle(const struct memphis_waiting *waiting,
						const struct ops_facts *facts,
						const struct memphis_selection *selection)
{
	if (waiting->why_not)
		return waiting->why_not;
	if (!waiting->ibs || waiting->pebs)
		return MEMPHIS_OBSTACLE_NO_OPS;
	if (facts->filtered)
		return MEMPHIS_OBSTACLE_FILTER;
	if (facts->no_loads)
		return MEMPHIS_OBSTACLE_LOADS_DROPPED;
	if (selection->region || selection->node >= 0)
		return MEMPHIS_OBSTACLE_PART;
	if (!has_sources(&waiting->all))
		return MEMPHIS_OBSTACLE_NO_SOURCES;
	return facts->ops > 0 ? MEMPHIS_OBSTACLE_NONE : MEMPHIS_OBSTACLE_NOT_COUNTED;
}

/* Returns the upper limit of the share of waiting that local memory would save, or a negative number if it is unknown. */
static double saving_limit(const struct memphis_waiting *waiting, const struct memphis_waits *waits)
{
	const struct memphis_estimate all = memphis_waited(waiting, waits),
				      gain = memphis_gain(waiting, waits);

	return memphis_gain_is_known(waits) && all.value > 0 ? gain.high / all.value : -1;
}

/*
 * Decides whether remote memory is worth the effort. `saved` is the result of saving_limit(). `caches` is the share of
 * the latency that is caused by caches, which the placement of memory does not change.
 */
static enum memphis_worth judge_latency(const struct memphis_estimate *lpi, double saved, double caches)
{
	if (lpi->high < MEMPHIS_LPI_WORTH)
		return MEMPHIS_WORTH_NO;
	if (saved >= 0 && saved < MEMPHIS_LPI_LITTLE && caches <= 0.5)
		return MEMPHIS_WORTH_LITTLE;
	return lpi->low > MEMPHIS_LPI_WORTH ? MEMPHIS_WORTH_YES : MEMPHIS_WORTH_UNDECIDED;
}

/*
 * Returns the largest term of any source. If there is no remote sample, the upper limit uses it in place of a remote
 * term, because a remote load takes at least as long as other loads.
 */
static double largest_term(const struct memphis_waiting *waiting)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < MEMPHIS_WAIT_SOURCES; i++)
		largest = fmax(largest, waiting->largest[i]);
	return largest;
}

/*
 * Returns the latency, in cycles, of loads that got their data from memory or caches of another node. `of` are the
 * sums of all threads, or of one thread.
 */
static struct memphis_estimate remote_latency(const struct memphis_waiting *waiting,
					      const struct memphis_waits *of)
{
	const struct memphis_wait *memory = &of->sources[MEMPHIS_WAIT_REMOTE_DRAM],
				  *cache = &of->sources[MEMPHIS_WAIT_REMOTE_CACHE];
	const double largest = fmax(memory->count ? waiting->largest[MEMPHIS_WAIT_REMOTE_DRAM] : 0,
				    cache->count ? waiting->largest[MEMPHIS_WAIT_REMOTE_CACHE] : 0);

	return memphis_compound_estimate(memory->cycles + cache->cycles, memory->squares + cache->squares,
					 largest > 0 ? largest : largest_term(waiting));
}

static double remote_cycles(const struct memphis_waits *waits)
{
	return waits->sources[MEMPHIS_WAIT_REMOTE_DRAM].cycles +
	       waits->sources[MEMPHIS_WAIT_REMOTE_CACHE].cycles;
}

/*
 * Judges the thread with the most remote latency by itself. Other threads may spin while they wait for it. They then
 * execute ops without doing work, which makes the latency per op of all threads too small.
 */
static void judge_worst_thread(struct memphis_lpi_thread *most, const struct memphis_waiting *waiting,
			       const struct memphis_profile *profile,
			       const struct memphis_selection *selection, bool some_loads)
{
	const struct memphis_waiting_parts *threads = &waiting->threads;
	const struct memphis_waiting_part *part, *worst = NULL;
	const struct memphis_accounting *accounting;
	const struct memphis_process *process;
	struct memphis_estimate lpi;
	size_t count = 0, i;
	double ops, lost, scale;
	uint64_t loads;

	for (i = 0; i < profile->processes.count; i++)
		if (memphis_selection_has(selection, &profile->processes.list[i]))
			count += profile->processes.list[i].thread_count;
	for (part = threads->list; part < threads->list + threads->count; part++)
		if (remote_cycles(&part->waits) > (worst ? remote_cycles(&worst->waits) : 0))
			worst = part;
	if (!worst || count < 2)
		return;
	process = &profile->processes.list[worst->process];
	accounting = &process->threads[worst->thread].accounting;
	ops = (double)memphis_stands_for(&process->settings).accesses * (double)count_ops(accounting);
	if (!(ops > 0) || process->threads[worst->thread].others)
		return;
	lost = accounting->kept + accounting->lost
		       ? (double)accounting->lost / (double)(accounting->kept + accounting->lost)
		       : 0;
	if (!(lost < 1))
		return;
	lpi = remote_latency(waiting, &worst->waits);
	scale = 1 / (1 - lost) / ops;
	most->process = worst->process;
	most->thread = worst->thread;
	most->lpi = (struct memphis_estimate){lpi.value * scale, lpi.low * scale,
					      some_loads ? INFINITY : lpi.high * scale};
	most->share = remote_cycles(&worst->waits) / remote_cycles(&waiting->all);
	loads = worst->waits.sources[MEMPHIS_WAIT_REMOTE_DRAM].count +
		worst->waits.sources[MEMPHIS_WAIT_REMOTE_CACHE].count;
	most->named = loads >= MEMPHIS_LPI_SAMPLES && most->share >= MEMPHIS_LPI_MOST;
	most->worth = loads < MEMPHIS_LPI_SAMPLES
			      ? MEMPHIS_WORTH_UNDECIDED
			      : judge_latency(&most->lpi, saving_limit(waiting, &worst->waits),
					      worst->waits.sources[MEMPHIS_WAIT_REMOTE_CACHE].cycles /
						      remote_cycles(&worst->waits));
}

void memphis_lpi_find(struct memphis_lpi *verdict, const struct memphis_waiting *waiting,
		      const struct memphis_profile *profile, const struct memphis_selection *selection)
{
	struct ops_facts facts = {.kept = 0};
	struct memphis_estimate lpi;
	double scale;
	size_t i;

	for (i = 0; i < profile->processes.count; i++)
		if (memphis_selection_has(selection, &profile->processes.list[i]))
			add_process(&facts, &profile->processes.list[i]);
	*verdict = (struct memphis_lpi){.why_not = find_obstacle(waiting, &facts, selection),
					.ops = facts.ops,
					.most.thread = MEMPHIS_NONE};
	if (facts.kept + facts.lost)
		verdict->lost = (double)facts.lost / (double)(facts.kept + facts.lost);
	if (verdict->why_not)
		return;
	lpi = remote_latency(waiting, &waiting->all);
	/*
	 * The ops of the kernel in each period are included in both numbers, so they cancel out. Lost samples are
	 * counted as ops. Their mean latency is assumed to be that of the samples that were kept.
	 */
	scale = 1 / (1 - verdict->lost) / facts.ops;
	verdict->lpi = (struct memphis_estimate){lpi.value * scale, lpi.low * scale,
						 facts.some_loads ? INFINITY : lpi.high * scale};
	if (lpi.value > 0)
		verdict->caches = waiting->all.sources[MEMPHIS_WAIT_REMOTE_CACHE].cycles / lpi.value;
	verdict->saved = saving_limit(waiting, &waiting->all);
	verdict->worth = judge_latency(&verdict->lpi, verdict->saved, verdict->caches);
	judge_worst_thread(&verdict->most, waiting, profile, selection, facts.some_loads);
	verdict->most.named = memphis_lpi_is_alone(verdict) ||
			      (verdict->most.named && verdict->worth != MEMPHIS_WORTH_LITTLE);
}
