// SPDX-License-Identifier: BSD-3-Clause
/*
 * The verdict of memphis node --selftest on samples that are right, and on samples with one planted misreport each, which no machine of
 * ours makes. If these tests fail, a CPU that misreports passes the self-test, or a good one does not.
 */
#include <stdio.h>
#include <stdlib.h>

#include "selftest/selftest.h"
#include "../../tap.h"

#define LOAD    0x55550000abcd
#define LOADS   1000000
#define PERIOD  4000
#define SAMPLES 250 /* per phase */

/* Two packages: the CPU is on node 0, which has sub-NUMA clusters (node 1); node 2 is in the other package. */
static const struct memphis_phase some_phases[] = {
	{.name = "cache", .place = MEMPHIS_PLACE_CACHE, .node = 0, .bytes = 1 << 17, .low = 0x10000000},
	{.name = "node0", .place = MEMPHIS_PLACE_OWN_NODE, .node = 0, .bytes = 1 << 26, .low = 0x20000000},
	{.name = "node1", .place = MEMPHIS_PLACE_OWN_PACKAGE, .node = 1, .bytes = 1 << 26, .low = 0x30000000},
	{.name = "node2",
	 .place = MEMPHIS_PLACE_OTHER_PACKAGE,
	 .node = 2,
	 .bytes = 1 << 26,
	 .low = 0x40000000},
};
#define PHASES (sizeof(some_phases) / sizeof(*some_phases))

static struct memphis_sample some_sample(unsigned int phase, unsigned int number)
{
	static const uint16_t latencies[] = {14, 200, 230, 330};
	static const uint16_t sources[] = {MEMPHIS_SOURCE_L2, MEMPHIS_SOURCE_DRAM, MEMPHIS_SOURCE_DRAM,
					   MEMPHIS_SOURCE_DRAM};

	return (struct memphis_sample){
		.pc = LOAD,
		.address = some_phases[phase].low + number * 3ull * MEMPHIS_SELFTEST_STRIDE +
			   MEMPHIS_SELFTEST_OFFSET,
		.region = phase,
		.source = sources[phase],
		.flags = phase == 3 ? MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE : MEMPHIS_FLAG_LOAD,
		.latency_cycles = (uint16_t)(latencies[phase] + number % 5),
		.home_node = (uint16_t)some_phases[phase].node,
	};
}

static void add_samples(struct memphis_observation *observation, unsigned int phase)
{
	unsigned int i;

	for (i = 0; i < SAMPLES; i++)
		observation->samples[observation->sample_count++] = some_sample(phase, i);
	observation->accounting.interrupts += SAMPLES;
	observation->accounting.kept += SAMPLES;
}

/* What a good CPU reports: load latency samples all phases, local-dram and remote-dram one each. */
static struct memphis_observation good(unsigned int event)
{
	struct memphis_observation observation = {.hardware = MEMPHIS_HARDWARE_PEBS,
						  .event = event,
						  .pc = LOAD,
						  .period = PERIOD,
						  .has_count = true,
						  .thread_count = 1};
	unsigned int i;

	observation.samples = calloc(PHASES * SAMPLES, sizeof(*observation.samples));
	if (!observation.samples)
		exit(1);
	for (i = 0; i < PHASES; i++) {
		observation.plan.phases[i] = some_phases[i];
		observation.plan.phases[i].loads = LOADS;
		observation.plan.phases[i].bound = true;
		if (event == MEMPHIS_EVENT_ACCESS || (event == MEMPHIS_EVENT_LOCAL_DRAM && i == 1) ||
		    (event == MEMPHIS_EVENT_REMOTE_DRAM && i == 3))
			add_samples(&observation, i);
	}
	observation.plan.phase_count = PHASES;
	observation.count = observation.sample_count * PERIOD + 17;
	return observation;
}

/* Judges and frees the observation. Returns the rows that are not well, "VERDICT CHECK[ PHASE]", separated by "; ". */
static const char *complaints(struct memphis_observation observation)
{
	static char room[1024];
	struct memphis_selftest_rows rows = {0};
	const struct memphis_selftest_row *row;
	size_t i, used = 0;

	*room = '\0';
	memphis_selftest_judge(&rows, &observation);
	for (i = 0; i < rows.count; i++) {
		row = &rows.list[i];
		if (row->verdict == MEMPHIS_VERDICT_OK)
			continue;
		used += (size_t)snprintf(room + used, sizeof(room) - used, "%s%s %s%s%s", used ? "; " : "",
					 memphis_verdict_names[row->verdict], row->check,
					 *row->phase ? " " : "", row->phase);
		/* A row that fails or warns says what it means. */
		if (row->verdict != MEMPHIS_VERDICT_UNKNOWN && !row->remedy.bytes)
			used += (size_t)snprintf(room + used, sizeof(room) - used, " (no remedy)");
	}
	memphis_selftest_rows_close(&rows);
	memphis_observation_close(&observation);
	return room;
}

/* Returns the evidence of a row; frees the observation. */
static const char *evidence(struct memphis_observation observation, const char *check, const char *phase)
{
	static char room[1024];
	struct memphis_selftest_rows rows = {0};
	size_t i;

	snprintf(room, sizeof(room), "no such row");
	memphis_selftest_judge(&rows, &observation);
	for (i = 0; i < rows.count; i++)
		if (!strcmp(rows.list[i].check, check) && !strcmp(rows.list[i].phase, phase))
			snprintf(room, sizeof(room), "%s", rows.list[i].evidence.text);
	memphis_selftest_rows_close(&rows);
	memphis_observation_close(&observation);
	return room;
}

/* Changes the first `count` samples of the phase. */
#define SPOIL(observation, phase, count, change)                                    \
	do {                                                                        \
		size_t at, left = (count);                                          \
		for (at = 0; at < (observation).sample_count && left; at++) {       \
			struct memphis_sample *sample = &(observation).samples[at]; \
			if (sample->region != (phase))                              \
				continue;                                           \
			change;                                                     \
			left--;                                                     \
		}                                                                   \
	} while (0)

static void right_samples(void)
{
	is_text(complaints(good(MEMPHIS_EVENT_ACCESS)), "", "right samples of load latency pass");
	is_text(complaints(good(MEMPHIS_EVENT_LOCAL_DRAM)), "", "right samples of local-dram pass");
	is_text(complaints(good(MEMPHIS_EVENT_REMOTE_DRAM)), "", "right samples of remote-dram pass");
	is_text(complaints(good(MEMPHIS_EVENT_REMOTE_FORWARD)), "",
		"an event that nothing provokes passes without samples");
	is_text(evidence(good(MEMPHIS_EVENT_ACCESS), "instruction", ""),
		"exactly the load: 100.0 % of 1000 (95 % CI 99.6 to 100.0), at least 95 %",
		"the share has a confidence interval and its limit");
	is_text(evidence(good(MEMPHIS_EVENT_ACCESS), "latency", ""),
		"median cycles (95 % CI): cache: 16 (16 to 16), node0: 202 (202 to 202), node1: 232 (232 to 232), node2: 332 (332 to 332)",
		"medians have confidence intervals");
	is_text(evidence(good(MEMPHIS_EVENT_REMOTE_DRAM), "count", ""),
		"the event has counted 1000017; node1: 1000000 loads; node2: 1000000 loads; expected are 950000 to 2060000",
		"the count is compared with the loads");
}

static void wrong_fields(void)
{
	struct memphis_observation one = good(MEMPHIS_EVENT_ACCESS);
	unsigned int i;

	for (i = 0; i < PHASES; i++)
		SPOIL(one, i, 25, sample->pc += 3);
	is_text(complaints(one), "fail instruction", "10 % of instructions that are the next one fail");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 0, 50, sample->pc += 3);
	is_text(complaints(one), "warn instruction", "5 % can't be distinguished from the limit");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 1, 20, sample->pc += 3);
	is_text(complaints(one), "", "2 % are within the limit");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 1, 20, sample->pc += 3);
	SPOIL(one, 2, 5, sample->pc += 4096);
	is_text(evidence(one, "instruction", ""),
		"exactly the load: 97.5 % of 1000 (95 % CI 96.3 to 98.3), at least 95 %; 20 within 15 bytes after it, 5 elsewhere",
		"skid and other instructions are counted apart");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 1, 250, sample->address -= MEMPHIS_SELFTEST_OFFSET);
	is_text(complaints(one), "fail address", "addresses of the line instead of the word fail");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 2, 250, sample->address = some_phases[3].low + MEMPHIS_SELFTEST_OFFSET);
	is_text(complaints(one), "fail address", "addresses of another buffer fail");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 3, 250, sample->home_node = 0);
	is_text(complaints(one), "fail home", "wrong home nodes fail");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 3, 250, sample->home_node = MEMPHIS_NODE_UNKNOWN);
	is_text(complaints(one), "fail home", "unknown home nodes fail");
}

static void wrong_sources(void)
{
	struct memphis_observation one = good(MEMPHIS_EVENT_ACCESS);

	SPOIL(one, 3, 250, sample->flags &= ~MEMPHIS_FLAG_REMOTE);
	is_text(complaints(one), "fail source node2",
		"memory of the other package that is not flagged remote fails");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 1, 250, sample->flags |= MEMPHIS_FLAG_REMOTE);
	is_text(complaints(one), "fail source node0", "own memory that is flagged remote fails");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 2, 250, sample->flags |= MEMPHIS_FLAG_REMOTE);
	is_text(complaints(one), "", "within a package the flag remote is information");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 2, 250, sample->flags |= MEMPHIS_FLAG_REMOTE);
	is_text(evidence(one, "source", "node1"),
		"DRAM: 100.0 % of 250 (95 % CI 98.5 to 100.0), at least 90 %; sources: dram 100.0 %; flagged remote: 100.0 %, which is information: the node is in the own package",
		"the share of the flag within a package is reported");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 1, 100, sample->source = MEMPHIS_SOURCE_L3);
	is_text(complaints(one), "fail source node0", "loads from memory that are reported as L3 hits fail");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 0, 250, sample->source = MEMPHIS_SOURCE_DRAM);
	is_text(complaints(one), "fail source cache", "loads from a cache that are reported as DRAM fail");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 3, 250, sample->source = MEMPHIS_SOURCE_UNKNOWN);
	is_text(complaints(one), "fail source node2", "unknown sources fail");
	one = good(MEMPHIS_EVENT_REMOTE_DRAM);
	SPOIL(one, 3, 250,
	      (sample->region = 1, sample->address += some_phases[1].low - some_phases[3].low,
	       sample->home_node = 0));
	is_text(complaints(one), "fail samples; fail source",
		"remote-dram with samples of the own node's memory fails");
	one = good(MEMPHIS_EVENT_LOCAL_DRAM);
	SPOIL(one, 1, 100,
	      (sample->region = 3, sample->address += some_phases[3].low - some_phases[1].low,
	       sample->home_node = 2));
	is_text(complaints(one), "fail source",
		"local-dram with 40 % of samples from the other package fails");
}

static void wrong_latencies(void)
{
	struct memphis_observation one = good(MEMPHIS_EVENT_ACCESS);

	SPOIL(one, 3, 250, sample->latency_cycles -= 150);
	is_text(complaints(one), "fail latency", "remote memory that is faster than the own fails");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 1, 250, sample->latency_cycles = 3);
	is_text(complaints(one), "fail latency", "memory that is faster than a cache fails");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 3, 250, sample->latency_cycles = (uint16_t)(145 + at % 100));
	is_text(complaints(one), "warn latency", "medians whose intervals overlap can't be distinguished");
	one = good(MEMPHIS_EVENT_ACCESS);
	SPOIL(one, 2, 250, sample->latency_cycles -= 50);
	is_text(complaints(one), "", "within a package the order of latencies is information");
}

static void wrong_counts(void)
{
	struct memphis_observation one = good(MEMPHIS_EVENT_LOCAL_DRAM);

	one.count = 2 * one.count;
	is_text(complaints(one), "fail period", "half of the samples that the count stands for fail");
	one = good(MEMPHIS_EVENT_LOCAL_DRAM);
	one.count -= PERIOD + 100;
	is_text(complaints(one), "fail period", "two samples too many fail");
	one = good(MEMPHIS_EVENT_LOCAL_DRAM);
	one.plan.phases[1].loads = 2 * LOADS;
	is_text(complaints(one), "fail count", "an event that counts half of the loads fails");
	one = good(MEMPHIS_EVENT_REMOTE_HITM);
	one.count = 500000;
	is_text(complaints(one), "fail count; fail period",
		"an event that counts loads that it is not about fails");
	one = good(MEMPHIS_EVENT_ACCESS);
	one.accounting.filtered[0]++;
	is_text(complaints(one), "fail samples", "an accounting that does not balance fails");
	one = good(MEMPHIS_EVENT_ACCESS);
	one.accounting.kept -= 2;
	one.accounting.lost += 2;
	is_text(complaints(one), "fail samples", "an accounting that differs from the files fails");
	one = good(MEMPHIS_EVENT_ACCESS);
	one.accounting.interrupts += 2;
	one.accounting.lost += 2;
	one.count += 2 * PERIOD;
	is_text(complaints(one), "warn samples", "lost samples are a warning");
	one = good(MEMPHIS_EVENT_ACCESS);
	one.sample_count = one.accounting.kept = one.accounting.interrupts = 0;
	one.count = 0;
	is_text(complaints(one),
		"fail samples; unknown instruction; unknown address; unknown home; unknown source cache; unknown source node0; unknown source node1; unknown source node2; unknown latency",
		"no samples at all fail, and nothing else is judged");
}

static void conditions(void)
{
	struct memphis_observation one = good(MEMPHIS_EVENT_ACCESS);

	one.plan.phase_count = 2;
	one.sample_count = one.accounting.interrupts = one.accounting.kept = 2 * SAMPLES;
	one.count = 2 * SAMPLES * PERIOD;
	is_text(complaints(one), "", "a machine with one node passes");
	one = good(MEMPHIS_EVENT_ACCESS);
	one.plan.phases[3].bound = false;
	SPOIL(one, 3, 250, (sample->home_node = 0, sample->flags &= ~MEMPHIS_FLAG_REMOTE));
	is_text(complaints(one), "unknown memory node2", "a buffer that is not on its node is not judged");
	one = good(MEMPHIS_EVENT_LOCAL_DRAM);
	one.plan.phases[3].place = MEMPHIS_PLACE_MODIFIED;
	one.event = MEMPHIS_EVENT_REMOTE_HITM;
	SPOIL(one, 1, 250,
	      (sample->region = 3, sample->address += some_phases[3].low - some_phases[1].low,
	       sample->home_node = 2));
	is_text(complaints(one), "", "modified lines of the other package are loads of remote-hitm");
}

static void verdicts(void)
{
	struct memphis_selftest_rows rows = {0};

	is(memphis_selftest_verdict(&rows, false), MEMPHIS_VERDICT_UNKNOWN,
	   "without rows the verdict is unknown");
	memphis_selftest_row(&rows, "ops", "home", "")->verdict = MEMPHIS_VERDICT_OK;
	is(memphis_selftest_verdict(&rows, true), MEMPHIS_VERDICT_OK, "all rows are well: fit");
	memphis_selftest_row(&rows, "ops", "home", "")->verdict = MEMPHIS_VERDICT_WARN;
	is(memphis_selftest_verdict(&rows, false), MEMPHIS_VERDICT_OK, "a warning does not make it unfit");
	is(memphis_selftest_verdict(&rows, true), MEMPHIS_VERDICT_FAIL,
	   "a warning makes it unfit with --strict");
	memphis_selftest_row(&rows, "ops", "run", "");
	is(memphis_selftest_verdict(&rows, false), MEMPHIS_VERDICT_UNKNOWN,
	   "an event that could not be tested: unknown");
	memphis_selftest_row(&rows, "ops", "home", "")->verdict = MEMPHIS_VERDICT_FAIL;
	is(memphis_selftest_verdict(&rows, false), MEMPHIS_VERDICT_FAIL, "a failure takes precedence");
	memphis_selftest_rows_close(&rows);
}

int main(void)
{
	right_samples();
	wrong_fields();
	wrong_sources();
	wrong_latencies();
	wrong_counts();
	conditions();
	verdicts();
	return finish();
}
