// SPDX-License-Identifier: BSD-3-Clause
/* Estimated waiting and the verdict on profiles made by hand. If this fails, reports state wrong cycles, or judge by them wrongly. */
#include "view/lpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../tap.h"
#include "profile/heatmap.h"

static struct memphis_profile profile;
static struct memphis_waiting waiting;
static struct memphis_lpi lpi;
static struct memphis_selection selection;

/* Makes a profile of one process and thread without samples. `settings` are lines "KEY VALUE". */
static void begin(const char *settings, struct memphis_accounting accounting)
{
	struct memphis_process *process;

	memphis_profile_close(&profile);
	process = memphis_append(profile.processes.list, profile.processes.count, profile.processes.room);
	memphis_settings_add(&process->settings, (struct memphis_span){settings, strlen(settings)});
	process->threads = calloc(1, sizeof(*process->threads));
	process->thread_count = 1;
	process->threads[0].accounting = accounting;
	profile.timelines = calloc(1, sizeof(*profile.timelines));
	selection = (struct memphis_selection){.kind = memphis_select_kind("remote-dram"), .node = -1};
}

static void add(uint16_t node, uint16_t source, uint16_t flags, uint64_t count, uint64_t latency,
		uint64_t period)
{
	struct memphis_access access = {node, 0, source, MEMPHIS_FLAG_LOAD | flags};

	memphis_measure_add(&memphis_totals_get(&profile.totals, 0, 0, access)->measure,
			    &(struct memphis_measure){.count = count,
						      .accesses = count * period,
						      .latency_cycles = count * latency,
						      .latency_squares = count * latency * latency,
						      .latency_max_cycles = latency});
}

static void sum(void)
{
	memphis_waiting_close(&waiting);
	memphis_waiting_make(&waiting, &profile, &selection, NULL);
	memphis_lpi_find(&lpi, &waiting, &profile, &selection);
}

static const char *print(struct memphis_estimate estimate)
{
	static char room[96];

	snprintf(room, sizeof(room), "%.5g %.4g %.4g", estimate.value, estimate.low, estimate.high);
	return room;
}

/* The books of IBS: all interrupts, and those in the kernel among them. */
static struct memphis_accounting books(uint64_t interrupts, uint64_t kernel)
{
	struct memphis_accounting accounting = {.interrupts = interrupts, .kept = 100};

	accounting.filtered[MEMPHIS_REASON_KERNEL_PC] = kernel;
	return accounting;
}

static void test_pebs(void)
{
	struct memphis_cell cell = {.measure.count = 2,
				    .measure.accesses = 2000,
				    .measure.latency_cycles = 600,
				    .measure.latency_squares = 180000};
	struct memphis_waits waits = {.spread = 0};

	begin("hardware pebs\nperiod 1000\n", (struct memphis_accounting){.interrupts = 1, .kept = 1});
	add(0, MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_REMOTE, 1, 300, 1000);
	sum();
	/* One term of 300000: 0.02532 and 5.572 of it, as in Poisson's distribution. */
	is_text(print(memphis_waited(&waiting, &waiting.all)), "3e+05 7595 1.671e+06",
		"one sample has the interval of one term");
	is_text(print(memphis_waited_for(&waiting, &waiting.all, MEMPHIS_WAIT_L3)), "0 0 0",
		"a source that no load of the run waited for has no interval");
	ok(!memphis_gain_is_known(&waiting.all), "without loads from local memory, the gain is not known");
	is_text(memphis_wait_obstacle_texts[lpi.why_not], "these samples do not count instructions",
		"PEBS does not tell lpi");
	add(0, MEMPHIS_SOURCE_DRAM, 0, 9, 100, 1000);
	sum();
	ok(!memphis_gain_is_known(&waiting.all), "9 loads from local memory are too few for a gain");
	add(0, MEMPHIS_SOURCE_DRAM, 0, 1, 100, 1000);
	sum();
	/* 300 - 100; the interval of one term of 200, with one of 300 more */
	is_text(print(memphis_gain(&waiting, &waiting.all)), "2e+05 5064 1.414e+06",
		"10 are enough: the gain of one load");
	cell.key.access = (struct memphis_access){1, 0, MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_REMOTE};
	memphis_waits_add_cell(&waits, &waiting, &cell);
	is_text(print(memphis_waited(&waiting, &waits)), "6e+05 7.266e+04 2.167e+06", "a row of two samples");
	ok(memphis_gain_is_known(&waits) && waits.gain.cycles == 400000,
	   "a node without own local loads has the local latency of all nodes");
	cell.measure.latency_cycles = cell.measure.latency_squares = 0;
	memphis_waits_add_cell(&waits, &waiting, &cell);
	is(memphis_waits_count(&waits), 2, "samples without a latency do not wait");
}

static void test_sources(void)
{
	begin("hardware pebs\nperiod 1\n", (struct memphis_accounting){.interrupts = 1, .kept = 1});
	add(0, MEMPHIS_SOURCE_L1, 0, 5, 5, 1);
	add(0, MEMPHIS_SOURCE_L2, 0, 5, 14, 1);
	sum();
	is_text(memphis_wait_obstacle_texts[waiting.why_not], "no load from beyond the L2 was sampled",
		"loads from the L1 and L2 do not wait");
	add(0, MEMPHIS_SOURCE_L3, 0, 1, 40, 1);
	add(0, MEMPHIS_SOURCE_PEER_CACHE, 0, 1, 100, 1);
	add(0, MEMPHIS_SOURCE_PEER_CACHE, MEMPHIS_FLAG_REMOTE, 1, 200, 1);
	add(0, MEMPHIS_SOURCE_FILL_BUFFER, 0, 1, 60, 1);
	sum();
	ok(waiting.all.sources[MEMPHIS_WAIT_L3].cycles == 40 &&
		   waiting.all.sources[MEMPHIS_WAIT_PEER_CACHE].cycles == 100 &&
		   waiting.all.sources[MEMPHIS_WAIT_REMOTE_CACHE].cycles == 200 &&
		   waiting.all.sources[MEMPHIS_WAIT_FILL_BUFFER].cycles == 60,
	   "each source has its own sum");
	is(memphis_waits_count(&waiting.all), 4, "and no other load is in one");
	is(waiting.threads.count, 1, "one thread");
	is(waiting.pairs.count, 1, "and one pair of nodes");
}

/* A process whose period counts ops, and one whose period counts cycles. */
static void test_counts(void)
{
	begin("hardware ibs\nperiod 10320\n", books(1000, 0));
	add(0, MEMPHIS_SOURCE_DRAM, 0, 20, 100, 10000);
	add(0, MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_REMOTE, 20, 300, 0);
	sum();
	is_text(memphis_wait_obstacle_texts[waiting.why_not],
		"some periods count cycles, so that the number of loads is not known",
		"loads whose number is not known are not estimated, nor counted as none");
	ok(lpi.why_not == waiting.why_not, "and there is no verdict");
	selection.node = 0;
	profile.totals.list[1].access.node = 1;
	sum();
	ok(!waiting.why_not, "loads that are not selected do not matter");
}

static void test_lpi(void)
{
	begin("hardware ibs\nperiod 10320\n", books(0, 0));
	sum();
	is_text(memphis_wait_obstacle_texts[lpi.why_not], "no load from beyond the L2 was sampled",
		"an empty profile has no verdict");
	begin("hardware ibs\nperiod 10320\n", books(1500, 500));
	add(0, MEMPHIS_SOURCE_DRAM, 0, 100, 200, 10000);
	sum();
	/* No remote sample of 1000 ops: at most 3.689 terms of 200 cycles. */
	is_text(print(lpi.lpi), "0 0 0.7378",
		"no remote load: the upper limit is that of a load as slow as the slowest");
	is(lpi.worth, MEMPHIS_WORTH_UNDECIDED, "which may be worth it, as there are few ops");
	begin("hardware ibs\nperiod 10320\n", books(100500, 500));
	add(0, MEMPHIS_SOURCE_DRAM, 0, 100, 200, 10000);
	sum();
	is(lpi.worth, MEMPHIS_WORTH_NO, "of 100000 ops, it is not");
	add(0, MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_REMOTE, 100, 300, 10000);
	sum();
	/* 100 terms of 300 in 100000 ops; 81.364 and 121.627 terms */
	is_text(print(lpi.lpi), "0.3 0.2441 0.3649", "100 remote loads");
	is(lpi.worth, MEMPHIS_WORTH_YES, "are worth it");
	begin("hardware ibs\nperiod 10320\nhardware_filter l3-miss\n", books(1500, 500));
	add(0, MEMPHIS_SOURCE_DRAM, 0, 100, 200, 10000);
	sum();
	is_text(memphis_wait_obstacle_texts[lpi.why_not],
		"the hardware's filter leaves instructions uncounted",
		"a filter of the hardware prevents the verdict");
	begin("hardware ibs\nperiod 10320\ndrop loads\n", books(1500, 500));
	add(0, MEMPHIS_SOURCE_DRAM, 0, 100, 200, 10000);
	sum();
	is_text(memphis_wait_obstacle_texts[lpi.why_not], "no loads were sampled",
		"so does one that drops loads");
	begin("hardware ibs\nperiod 10320\ndrop stores,not_dram\n", books(150000, 500));
	add(0, MEMPHIS_SOURCE_DRAM, 0, 100, 200, 10000);
	sum();
	ok(isinf(lpi.lpi.high) && lpi.worth == MEMPHIS_WORTH_UNDECIDED,
	   "one that drops remote caches leaves no upper limit");
	begin("hardware ibs\nperiod 10320\n", books(1500, 500));
	add(0, MEMPHIS_SOURCE_UNKNOWN, 0, 100, 200, 10000);
	sum();
	is_text(memphis_wait_obstacle_texts[lpi.why_not], "the hardware does not show which loads are remote",
		"CPUs without sources have no verdict");
}

static void test_bins(void)
{
	unsigned int bin, good = 0;

	for (bin = 0; bin < MEMPHIS_LATENCY_BINS; bin++)
		good += memphis_latency_bin(memphis_latency_bin_low(bin)) == bin &&
			(!bin || memphis_latency_bin(memphis_latency_bin_low(bin) - 1) == bin - 1);
	is(good, MEMPHIS_LATENCY_BINS, "each latency is in the bin that begins at or before it");
	is(memphis_latency_bin(UINT16_MAX), MEMPHIS_LATENCY_BINS - 1,
	   "the longest latency is in the last bin");
	is(memphis_latency_bin_low(memphis_latency_bin(329)), 320, "329 cycles are in the bin from 320");
	is(memphis_latency_bin_low(memphis_latency_bin(329) + 1), 384, "up to below 384");
}

int main(void)
{
	test_pebs();
	test_sources();
	test_counts();
	test_lpi();
	test_bins();
	memphis_waiting_close(&waiting);
	memphis_profile_close(&profile);
	return finish();
}
