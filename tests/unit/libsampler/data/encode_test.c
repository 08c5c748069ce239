/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the encoding of samples with bytes written by hand. If this fails, every sample file is wrong. */
#include <string.h>

#include "data/encode.h"
#include "../../tap.h"

static unsigned char bytes[MEMPHIS_SAMPLE_CODE_BYTES_MAX];

static int coded_as(const struct memphis_sample *sample, const struct memphis_sample *previous,
		    const unsigned char *expected, size_t length)
{
	memset(bytes, 0xaa, sizeof(bytes));
	return memphis_encode_sample(bytes, sample, previous) == length && !memcmp(bytes, expected, length);
}

int main(void)
{
	const struct memphis_sample zero = {0};
	const struct memphis_sample first = {
		.time_ns = 1000,
		.pc = 0x401000,
		.address = 0x7f0000000040,
		.region = 300,
		.source = MEMPHIS_SOURCE_DRAM,
		.flags = MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE,
		.latency_cycles = 310,
		.home_node = 1,
		.cpu = 130,
		.node = 2,
	};
	struct memphis_sample next = first, largest;

	/* control; pc * 2 = 0x802000; address * 2 = 0xfe0000000080; 1000; 310; kind; cpu 130; node; region 300 */
	static const unsigned char first_bytes[] = {
		0x07, 0x80, 0xc0, 0x80, 0x04, 0x80, 0x81, 0x80, 0x80, 0x80, 0xc0, 0x3f,
		0xe8, 0x07, 0xb6, 0x02, 0x05, 0x05, 0x01, 0x82, 0x01, 0x02, 0xac, 0x02,
	};
	/* Zigzag-coded differences: pc - 4 -> 7, address + 64 -> 128; time + 5; latency 0 */
	static const unsigned char next_bytes[] = {0x00, 0x07, 0x80, 0x01, 0x05, 0x00};

	ok(coded_as(&first, &zero, first_bytes, sizeof(first_bytes)),
	   "the first sample of a chunk is encoded relative to zeros");
	next.pc -= 4;
	next.address += 64;
	next.time_ns += 5;
	next.latency_cycles = 0;
	ok(coded_as(&next, &first, next_bytes, sizeof(next_bytes)),
	   "a sample similar to the previous one takes six bytes");
	ok(coded_as(&zero, &zero, (const unsigned char *)"\0\0\0\0\0", 5),
	   "a sample of zeros takes five bytes");

	next = first;
	next.home_node = MEMPHIS_NODE_UNKNOWN;
	ok(coded_as(&next, &first, (const unsigned char *)"\x01\x00\x00\x00\xb6\x02\x05\x05\xff\xff\x03", 11),
	   "a change of the home node encodes the kind, and nothing else");
	next = first;
	next.cpu = 3;
	ok(coded_as(&next, &first, (const unsigned char *)"\x02\x00\x00\x00\xb6\x02\x03\x02", 8),
	   "a change of the CPU encodes CPU and node");
	next = first;
	next.region = 0;
	ok(coded_as(&next, &first, (const unsigned char *)"\x04\x00\x00\x00\xb6\x02\x00", 7),
	   "leaving all regions encodes the region");

	memset(&largest, 0xff, sizeof(largest));
	largest.pc = 0x8000000000000000;
	largest.address = 0x8000000000000000;
	ok(memphis_encode_sample(bytes, &largest, &zero) <= MEMPHIS_SAMPLE_CODE_BYTES_MAX,
	   "the longest encoding is within the bound");
	return finish();
}
