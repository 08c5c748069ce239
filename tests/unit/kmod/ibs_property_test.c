// SPDX-License-Identifier: BSD-3-Clause
/*
 * Properties that hold for every record: decodes two million random records, half of them unconstrained. If a test fails,
 * a kernel address or a value out of range can reach user space, or reserved bits change the result.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../tap.h"
#include "decode/filter.h"
#include "decode/ibs_filter.h"
#include "ibs_vectors.h"

#define RECORDS 2000000

struct record {
	const struct generation *generation;
	__u64 registers[MEMPHIS_IBS_REGISTERS];
};

struct result {
	unsigned int reason;
	struct memphis_sample sample;
	__u64 physical;
};

static __u64 next_random(void)
{
	static __u64 state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1d;
}

static __u64 random_address(void)
{
	static const __u64 edges[] = {
		0, 1, USER_LIMIT - 1, USER_LIMIT, 0x0000800000000000, 0xffff800000000000, ~0ULL};
	__u64 random = next_random();

	switch (random >> 61) {
	case 0:
		return random;
	case 1:
		return 0xffff800000000000 | random;
	case 2:
		return edges[random % ARRAY_SIZE(edges)];
	default:
		return random % USER_LIMIT;
	}
}

static void fill(struct record *record, bool garbage)
{
	__u64 *registers = record->registers;
	unsigned int i;

	record->generation = &generations[next_random() % ARRAY_SIZE(generations)];
	for (i = 0; i < MEMPHIS_IBS_REGISTERS; i++)
		registers[i] = next_random();
	if (garbage)
		return;
	registers[MEMPHIS_IBS_OP_CTL] |= CTL;
	registers[MEMPHIS_IBS_OP_RIP] = random_address();
	registers[MEMPHIS_IBS_OP_DATA] &= 0xffffffff;
	/* Make uncached accesses rare and misses common, so that every value of DataSrc occurs. */
	registers[MEMPHIS_IBS_OP_DATA3] &= next_random() % 8 ? ~0x4000ULL : ~0ULL;
	registers[MEMPHIS_IBS_OP_DATA3] |= next_random() % 8 ? DATA_LOAD : 0;
	registers[MEMPHIS_IBS_DC_LINEAR] = random_address();
}

static struct memphis_ibs_machine machine_of(const struct generation *generation)
{
	struct memphis_ibs_machine machine;

	memphis_ibs_machine_init(&machine, generation->family, generation->model, generation->capabilities,
				 USER_LIMIT);
	return machine;
}

static const struct memphis_ibs_record *raw_of(const struct record *record)
{
	/* A heap block of exactly the size of a record, so that the sanitizer catches reads beyond its end. */
	static struct memphis_ibs_record *raw;

	if (!raw)
		raw = malloc(sizeof(*raw));
	raw->capabilities = record->generation->capabilities;
	memcpy(raw->registers, record->registers, sizeof(raw->registers));
	return raw;
}

static struct result decode(const struct record *record)
{
	const struct memphis_ibs_machine machine = machine_of(record->generation);
	struct result result;

	memset(&result, 0xaa, sizeof(result));
	result.reason = decode_record(&machine, raw_of(record), sizeof(struct memphis_ibs_record),
				      &result.sample, &result.physical);
	return result;
}

/*
 * The filter before decoding agrees with the filter after decoding. The late filter drops every
 * record that the early one drops, for the same reason, with any latency and page node. It
 * keeps each plain load that the early filter passes, or drops the load for its latency only.
 */
static bool filters_agree(const struct record *record, const struct result *result)
{
	static const __u32 latencies[] = {0, 1, 0x7fff, 0xffff};
	const struct memphis_ibs_machine machine = machine_of(record->generation);
	const struct memphis_config config = {
		.drop = next_random() % (MEMPHIS_DROPS + 1),
		.min_latency_cycles = latencies[next_random() % ARRAY_SIZE(latencies)],
	};
	const bool plain = !(record->registers[MEMPHIS_IBS_OP_DATA3] & (0x4002 | machine.blind));
	struct memphis_sample sample = result->sample;
	struct memphis_ibs_filter filter;
	unsigned int early, late;

	memphis_ibs_filter_init(&filter, &machine, &config);
	early = memphis_ibs_filter(&filter, raw_of(record));
	sample.node = next_random() % 2;
	sample.home_node = next_random() % 2;
	late = memphis_filter(&config, &sample);
	if (early != KEPT)
		return plain && early == late;
	return !plain || late == KEPT || late == MEMPHIS_REASON_LATENCY;
}

/* Returns whether a dropped record has one of the decoder's reasons and an unchanged result. */
static bool dropped_well(const struct result *result)
{
	struct result untouched;

	memset(&untouched, 0xaa, sizeof(untouched));
	untouched.reason = result->reason;
	return result->reason <= MEMPHIS_REASON_KERNEL_ADDRESS &&
	       !memcmp(result, &untouched, sizeof(untouched));
}

static bool source_is_sound(const struct memphis_sample *sample)
{
	const bool load = sample->flags & LOAD;

	if (sample->source >= MEMPHIS_SOURCES || (!load && (sample->source || sample->latency_cycles)))
		return false;
	if (sample->source == MEMPHIS_SOURCE_L1 && sample->latency_cycles)
		return false;
	if ((sample->flags & REMOTE) && sample->source != MEMPHIS_SOURCE_PEER_CACHE &&
	    sample->source != MEMPHIS_SOURCE_DRAM && sample->source != MEMPHIS_SOURCE_EXTENSION)
		return false;
	return !(sample->flags & HITM) || sample->source == MEMPHIS_SOURCE_L3 ||
	       sample->source == MEMPHIS_SOURCE_PEER_CACHE;
}

/* Returns whether a kept record has user addresses and consistent values in range, and the fields that the handler fills are unchanged. */
static bool kept_well(const struct record *record, const struct result *result)
{
	const struct memphis_sample *sample = &result->sample;
	const __u64 *registers = record->registers;

	if (!sample->pc || sample->pc >= USER_LIMIT || sample->address >= USER_LIMIT ||
	    sample->pc != registers[MEMPHIS_IBS_OP_RIP] ||
	    sample->address != registers[MEMPHIS_IBS_DC_LINEAR])
		return false;
	if (result->physical != MEMPHIS_IBS_NO_PHYSICAL &&
	    result->physical != registers[MEMPHIS_IBS_DC_PHYSICAL])
		return false;
	if (sample->flags & ~MEMPHIS_FLAGS || !(sample->flags & (LOAD | STORE)) ||
	    ((sample->flags & TLB2) && !(sample->flags & TLB1)))
		return false;
	return source_is_sound(sample) && sample->time_ns == 0xaaaaaaaaaaaaaaaa &&
	       sample->region == 0xaaaaaaaa && sample->home_node == 0xaaaa && sample->cpu == 0xaaaa &&
	       sample->node == 0xaaaa;
}

/* Flips random reserved bits and checks that the result is the same. */
static bool reserved_are_ignored(struct record *record, const struct result *result)
{
	struct result again;

	record->registers[MEMPHIS_IBS_OP_DATA2] ^= next_random() & record->generation->reserved_data2;
	record->registers[MEMPHIS_IBS_OP_DATA3] ^= next_random() & record->generation->reserved_data3;
	again = decode(record);
	return !memcmp(result, &again, sizeof(again));
}

static void print_record(const struct record *record)
{
	unsigned int i;

	printf("# %s:", record->generation->name);
	for (i = 0; i < MEMPHIS_IBS_REGISTERS; i++)
		printf(" %#" PRIx64, (uint64_t)record->registers[i]);
	printf("\n");
}

int main(void)
{
	static unsigned int reasons[MEMPHIS_REASONS + 1], sources[MEMPHIS_SOURCES];
	static unsigned int bad_drops, bad_samples, misled, disagreed;
	struct record record;
	unsigned int i;

	for (i = 0; i < RECORDS; i++) {
		unsigned int bad = bad_drops + bad_samples + misled + disagreed;
		struct result result;

		fill(&record, i & 1);
		result = decode(&record);
		if (result.reason == KEPT) {
			bad_samples += !kept_well(&record, &result);
			sources[result.sample.source % MEMPHIS_SOURCES]++;
			disagreed += i % 8 == 0 && !filters_agree(&record, &result);
		} else {
			bad_drops += !dropped_well(&result);
		}
		reasons[result.reason % ARRAY_SIZE(reasons)]++;
		misled += !reserved_are_ignored(&record, &result);
		if (bad_drops + bad_samples + misled + disagreed > bad && bad < 5)
			print_record(&record);
	}

	is(bad_samples, 0, "kept records have user addresses and consistent values in range");
	is(bad_drops, 0, "dropped records have one of the decoder's reasons, and an untouched result");
	is(disagreed, 0, "the filter before decoding agrees with the filter after it");
	is(misled, 0, "reserved bits do not change the result");
	for (i = 0; i <= MEMPHIS_REASON_KERNEL_ADDRESS; i++)
		ok(reasons[i] > 1000, "reason %u occurred (%u times)", i, reasons[i]);
	ok(reasons[KEPT] > 100000, "many records were kept (%u)", reasons[KEPT]);
	for (i = 0; i <= MEMPHIS_SOURCE_FILL_BUFFER; i++)
		ok(sources[i] > 1000, "source %u occurred (%u times)", i, sources[i]);
	return finish();
}
