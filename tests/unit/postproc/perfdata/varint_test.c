// SPDX-License-Identifier: BSD-3-Clause
/* The code of samples. If this fails, reports of recordings of perf's show other samples than were recorded. */
#include "perfdata/varint.h"

#include "../../tap.h"

static void encoded(uint64_t value, const char *bytes, size_t count)
{
	uint8_t to[10];
	const uint8_t *end = memphis_varint_encode(to, value);

	ok((size_t)(end - to) == count && !memcmp(to, bytes, count), "the bytes of 0x%llx",
	   (unsigned long long)value);
}

#define ENCODED(value, bytes) encoded(value, bytes, sizeof(bytes) - 1)

int main(void)
{
	const struct memphis_sample first = {.pc = 1,
					     .address = 2,
					     .time_ns = 3,
					     .latency_cycles = 4,
					     .source = 5,
					     .flags = 6,
					     .home_node = 0xffff,
					     .cpu = 0xffff,
					     .node = 0xfffe,
					     .region = 0xffffffff};
	struct memphis_sample second = first;
	static const struct memphis_sample none;
	uint8_t to[MEMPHIS_SAMPLE_CODE_BYTES_MAX];
	size_t bytes;

	ENCODED(0, "\0");
	ENCODED(0x7f, "\x7f");
	ENCODED(0x80, "\x80\x01");
	ENCODED(0x3fff, "\xff\x7f");
	ENCODED(0x123456789a, "\x9a\xf1\xd9\xa2\xa3\x02");
	ENCODED(0xffffffffffffff, "\xff\xff\xff\xff\xff\xff\xff\x7f");
	ENCODED(0x100000000000000, "\x80\x80\x80\x80\x80\x80\x80\x80\x01");
	ENCODED(UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");

	bytes = memphis_sample_encode(to, &first, &none);
	ok(bytes == 21 &&
		   !memcmp(to,
			   "\x07\x02\x04\x03\x04\x05\x06\xff\xff\x03\xff\xff\x03\xfe\xff\x03\xff\xff\xff\xff\x0f",
			   21),
	   "a sample with all groups");
	second.pc = 0;
	second.address = 0x1002;
	second.time_ns = 1003;
	bytes = memphis_sample_encode(to, &second, &first);
	ok(bytes == 7 && !memcmp(to, "\x00\x01\x80\x40\xe8\x07\x04", 7), "a sample without groups");
	second.flags = 7;
	bytes = memphis_sample_encode(to, &second, &first);
	ok(bytes == 12 && !memcmp(to, "\x01\x01\x80\x40\xe8\x07\x04\x05\x07\xff\xff\x03", 12),
	   "a sample of another kind");
	return finish();
}
