// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module reads of struct perf_sample_data, with a kernel of kernels/. If a test fails, all samples of such a kernel are invalid,
 * or samples contain what was on the kernel's stack.
 */
#include <string.h>

#include "../tap.h"
#include "compat.h"

#define ADDRESS 0x7f0000001040ULL
#define WEIGHT  0x1234000000c8ULL
#define SOURCE  0x68100842ULL

struct reading {
	u64 address, source, weight;
	const void *raw;
};

/* As in handler.c. */
static struct reading take(const struct perf_sample_data *data)
{
	return (struct reading){
		.address = memphis_has(data, PERF_SAMPLE_ADDR) ? data->addr : 0,
		.source = memphis_has(data, PERF_SAMPLE_DATA_SRC) ? data->data_src.val : 0,
		.weight = memphis_has(data, PERF_SAMPLE_WEIGHT_TYPE) ? memphis_weight(data) : 0,
		.raw = memphis_raw(data),
	};
}

/* A sample for which the driver has found nothing, on a stack that was full of `before`. */
static struct perf_sample_data begin(int before)
{
	struct perf_sample_data data;

	memset(&data, before, sizeof(data));
	perf_sample_data_init(&data, 0, 1000);
	return data;
}

static void test(int before)
{
	struct perf_sample_data data = begin(before);
	struct reading got;
	int record;

	got = take(&data);
	is(got.address, 0, "no address is read that the driver did not set");
	ok(got.source == 0 || got.source == PERF_MEM_NA, "no source: %llx", (unsigned long long)got.source);
	is(got.weight, 0, "no weight");
	ok(!got.raw, "no raw record");

	data.addr = ADDRESS;
	data.data_src.val = SOURCE;
	MOCK_WEIGHT(&data) = WEIGHT;
	MOCK_SET_FLAGS(&data, MOCK_FLAGS_OF_DRIVERS &
				      (PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE));
	got = take(&data);
	is(got.address, ADDRESS, "the address of a PEBS record is read");
	is(got.source, SOURCE, "the source");
	is(got.weight, WEIGHT, "the weight");
	ok(!got.raw, "a PEBS record has no raw record");

	data = begin(before);
	data.raw = (struct perf_raw_record *)&record;
	MOCK_SET_FLAGS(&data, MOCK_FLAGS_OF_DRIVERS & PERF_SAMPLE_RAW);
	got = take(&data);
	ok(got.raw == &record, "the raw record of IBS is read");
	is(got.address, 0, "a record of IBS has no address");
}

int main(void)
{
	test(0);
	test(0xff);
	test(0x5a);
	return finish();
}
