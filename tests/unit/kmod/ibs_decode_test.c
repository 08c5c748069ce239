// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the module's decoder and filter with raw IBS records of known meaning. If a test fails, samples have a wrong
 * source, or are dropped for a wrong reason.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../tap.h"
#include "decode/filter.h"
#include "decode/ibs_decode.h"
#include "ibs_vectors.h"

struct filtered {
	const char *name;
	struct memphis_config config;
	struct memphis_sample sample;
	unsigned int reason;
};

#define DROP(d)             \
	{                   \
		.drop = (d) \
	}
#define ACCESS(f, s)                                                   \
	{                                                              \
		.flags = (f), .source = (s), .home_node = 1, .node = 1 \
	}

static const struct filtered filters[] = {
	{"no filter", DROP(0), ACCESS(STORE, 0), KEPT},
	{"drop loads: a load is dropped", DROP(MEMPHIS_DROP_LOADS), ACCESS(LOAD, 5), MEMPHIS_REASON_LOADS},
	{"drop loads: a read-modify-write is kept", DROP(MEMPHIS_DROP_LOADS), ACCESS(LOAD | STORE, 5), KEPT},
	{"drop stores: a store is dropped", DROP(MEMPHIS_DROP_STORES), ACCESS(STORE, 0),
	 MEMPHIS_REASON_STORES},
	{"drop stores: a read-modify-write is kept", DROP(MEMPHIS_DROP_STORES), ACCESS(LOAD | STORE, 5),
	 KEPT},
	{"DRAM only: a load from DRAM is kept", DROP(MEMPHIS_DROP_NOT_DRAM),
	 ACCESS(LOAD, MEMPHIS_SOURCE_DRAM), KEPT},
	{"DRAM only: a load from extension memory is kept", DROP(MEMPHIS_DROP_NOT_DRAM),
	 ACCESS(LOAD, MEMPHIS_SOURCE_EXTENSION), KEPT},
	{"DRAM only: a load from the L3 is dropped", DROP(MEMPHIS_DROP_NOT_DRAM),
	 ACCESS(LOAD, MEMPHIS_SOURCE_L3), MEMPHIS_REASON_NOT_DRAM},
	{"DRAM only: a store is dropped", DROP(MEMPHIS_DROP_NOT_DRAM), ACCESS(STORE, 0),
	 MEMPHIS_REASON_NOT_DRAM},
	{"remote only: a remote load is kept", DROP(MEMPHIS_DROP_LOCAL), ACCESS(LOAD | REMOTE, 5), KEPT},
	{"remote only: a local load is dropped", DROP(MEMPHIS_DROP_LOCAL), ACCESS(LOAD, 5),
	 MEMPHIS_REASON_LOCAL},
	{"remote only: the hardware's flag decides on a load, not the page's node",
	 DROP(MEMPHIS_DROP_LOCAL),
	 {.flags = LOAD, .source = 5, .home_node = 0, .node = 1},
	 MEMPHIS_REASON_LOCAL},
	{"remote only: a store to the accessing node is dropped", DROP(MEMPHIS_DROP_LOCAL), ACCESS(STORE, 0),
	 MEMPHIS_REASON_LOCAL},
	{"remote only: a store to another node is kept",
	 DROP(MEMPHIS_DROP_LOCAL),
	 {.flags = STORE, .home_node = 0, .node = 1},
	 KEPT},
	{"remote only: a store to an unknown node is dropped",
	 DROP(MEMPHIS_DROP_LOCAL),
	 {.flags = STORE, .home_node = MEMPHIS_NODE_UNKNOWN, .node = 1},
	 MEMPHIS_REASON_LOCAL},
	{"latency: a load below the bound is dropped",
	 {.min_latency_cycles = 100},
	 {.flags = LOAD, .latency_cycles = 99},
	 MEMPHIS_REASON_LATENCY},
	{"latency: a load at the bound is kept",
	 {.min_latency_cycles = 100},
	 {.flags = LOAD, .latency_cycles = 100},
	 KEPT},
	{"latency: a store, which has none, is dropped",
	 {.min_latency_cycles = 1},
	 {.flags = STORE},
	 MEMPHIS_REASON_LATENCY},
	{"the first of several reasons counts",
	 {.drop = MEMPHIS_DROPS, .min_latency_cycles = 500},
	 ACCESS(LOAD, 1),
	 MEMPHIS_REASON_LOADS},
	{"the reason 'not DRAM' precedes 'local'",
	 {.drop = MEMPHIS_DROP_NOT_DRAM | MEMPHIS_DROP_LOCAL},
	 ACCESS(LOAD, 1),
	 MEMPHIS_REASON_NOT_DRAM},
	{"the reason 'local' precedes 'latency'",
	 {.drop = MEMPHIS_DROP_LOCAL, .min_latency_cycles = 500},
	 ACCESS(LOAD, 5),
	 MEMPHIS_REASON_LOCAL},
};

/*
 * perf's layout: u32 capabilities, seven registers, the branch target, and IbsOpData4 on newer parts, and two that no part has yet;
 * `extra` counts the last four.
 */
static unsigned int build_record(char *record, const struct vector *vector, unsigned int extra)
{
	const __u64 registers[11] = {vector->ctl,        vector->rip,    vector->data, vector->data2,
				     vector->data3,      vector->linear, PHYSICAL,     0x1111111111111111,
				     0x2222222222222222, ~0ULL,          ~0ULL};
	unsigned int bytes = (MEMPHIS_IBS_REGISTERS + extra) * sizeof(__u64);

	memcpy(record, &vector->capabilities, sizeof(__u32));
	memcpy(record + sizeof(__u32), registers, bytes);
	return sizeof(__u32) + bytes;
}

static bool agrees(const struct vector *vector, unsigned int extra)
{
	struct memphis_ibs_machine machine;
	struct memphis_sample sample;
	char record[96];
	unsigned int bytes = build_record(record, vector, extra);
	unsigned int reason;
	__u64 want = vector->data3 & 0x40000 ? PHYSICAL : MEMPHIS_IBS_NO_PHYSICAL;
	__u64 physical = 1;

	memset(&sample, 0xaa, sizeof(sample));
	memphis_ibs_machine_init(&machine, vector->family, vector->model, vector->capabilities, USER_LIMIT);
	reason = decode_record(&machine, record, bytes, &sample, &physical);
	if (reason != vector->reason) {
		printf("# reason %u, expected %u\n", reason, vector->reason);
		return false;
	}
	if (reason != KEPT)
		return true;
	if (sample.source != vector->source || sample.flags != vector->flags ||
	    sample.latency_cycles != vector->latency || sample.pc != vector->rip ||
	    sample.address != vector->linear || physical != want) {
		printf("# source %u flags %#x latency %u pc %#" PRIx64 " address %#" PRIx64
		       " physical %#" PRIx64 "\n",
		       sample.source, sample.flags, sample.latency_cycles, (uint64_t)sample.pc,
		       (uint64_t)sample.address, (uint64_t)physical);
		return false;
	}
	return true;
}

static void test_vectors(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++)
		ok(agrees(&vectors[i], 1), "%s", vectors[i].name);
}

/* Each value of DataSrc in each generation, with all combinations of RmtNode and CacheHitSt. */
static void test_sources(void)
{
	static const struct source_vector reserved = {"reserved", 0, 0, 0, 0, 0};
	const struct generation *generation;
	const struct source_vector *want;
	unsigned int value, bits;
	bool holds;

	for (generation = generations; generation < &generations[ARRAY_SIZE(generations)]; generation++)
		for (value = 0; value < generation->source_count; value++) {
			want = generation->sources[value].name ? &generation->sources[value] : &reserved;
			holds = true;
			for (bits = 0; bits < 4; bits++) {
				bool remote = bits & 1, owned = bits & 2;
				const struct vector vector = {
					.family = generation->family,
					.model = generation->model,
					.capabilities = generation->capabilities,
					.ctl = CTL,
					.rip = PC,
					.data2 = (value & 7) | (value & 0x18) << 3 | bits << 4,
					.data3 = DATA_LOAD,
					.linear = LINEAR,
					.reason = KEPT,
					.source = remote ? want->remote_source : want->source,
					.flags = LOAD | (remote ? want->remote_flags : want->flags) |
						 (owned ? 0 : want->modified),
					.latency = 300,
				};

				holds = agrees(&vector, 1) && holds;
			}
			ok(holds, "%s, DataSrc %u: %s", generation->name, value, want->name);
		}
}

static void test_layouts(void)
{
	static const struct vector remote_dram = {
		"", ZEN3, CTL, PC, 0, 0x13, DATA_LOAD, LINEAR, KEPT, MEMPHIS_SOURCE_DRAM, LOAD | REMOTE, 300};
	const struct vector *remote = &remote_dram;
	struct memphis_ibs_machine machine;
	struct memphis_sample sample;
	struct vector no_physical = *remote;
	char record[96];
	unsigned int bytes;
	__u64 physical;

	ok(agrees(remote, 0), "a record of 60 bytes has no branch target");
	ok(agrees(remote, 1), "a record of 68 bytes has a branch target (Zen 3, kernels 6.1 and 6.12)");
	ok(agrees(remote, 2), "a record of 76 bytes has a branch target and IbsOpData4");

	ok(agrees(remote, 4),
	   "further registers of a later part do not change the meaning of the first ones");

	memphis_ibs_machine_init(&machine, ZEN3, USER_LIMIT);
	bytes = build_record(record, remote, 0);
	ok(decode_record(&machine, record, bytes - 1, &sample, &physical) == MEMPHIS_REASON_INVALID,
	   "a record that is one byte too short is invalid");
	ok(decode_record(&machine, record, 0, &sample, &physical) == MEMPHIS_REASON_INVALID,
	   "an empty record is invalid");
	/* perf's record of ibs_fetch: capabilities, IbsFetchCtl, IbsFetchLinAd, IbsFetchPhysAd, and IC_IBS_EXTD_CTL since Zen. */
	ok(decode_record(&machine, record, 28, &sample, &physical) == MEMPHIS_REASON_INVALID &&
		   decode_record(&machine, record, 36, &sample, &physical) == MEMPHIS_REASON_INVALID,
	   "a record of fetch sampling is invalid");

	no_physical.data3 &= ~0x40000ULL;
	bytes = build_record(record, &no_physical, 1);
	physical = 1;
	ok(decode_record(&machine, record, bytes, &sample, &physical) == KEPT &&
		   physical == MEMPHIS_IBS_NO_PHYSICAL,
	   "an invalid physical address is not returned");

	bytes = build_record(record, remote, 1);
	((struct memphis_ibs_record *)record)->registers[MEMPHIS_IBS_DC_PHYSICAL] = 0;
	physical = 1;
	ok(decode_record(&machine, record, bytes, &sample, &physical) == KEPT &&
		   physical == MEMPHIS_IBS_NO_PHYSICAL,
	   "a physical address of 0 that is marked valid counts as withheld, and is not returned");
}

static void test_filters(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		unsigned int reason = memphis_filter(&filters[i].config, &filters[i].sample);

		if (reason != filters[i].reason)
			printf("# reason %u, expected %u\n", reason, filters[i].reason);
		ok(reason == filters[i].reason, "%s", filters[i].name);
	}
	ok(memphis_filter_needs_home(&filters[12].config, &filters[12].sample) == 1,
	   "remote only: a store needs the page's node");
	ok(memphis_filter_needs_home(&filters[9].config, &filters[9].sample) == 0,
	   "remote only: a load does not need the page's node");
	ok(memphis_filter_needs_home(
		   &(struct memphis_config){.drop = MEMPHIS_DROP_LOCAL | MEMPHIS_DROP_NOT_DRAM},
		   &filters[12].sample) == 0,
	   "remote DRAM only: a store is dropped without the page's node");
}

int main(void)
{
	test_vectors();
	test_sources();
	test_layouts();
	test_filters();
	return finish();
}
