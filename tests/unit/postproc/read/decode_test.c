// SPDX-License-Identifier: BSD-3-Clause
/* Decoding of samples. If this fails, samples are read wrongly. The bytes are written by hand, after the description in format.h. */
#include "read/decode.h"

#include <errno.h>
#include <stdbool.h>

#include "../../tap.h"

/* control KIND|CPU|REGION, pc +0x1000, address +0x2001, time 5, latency 300, dram LR home 1, cpu 2 node 1, region 7 */
static const uint8_t first[] = {0x07, 0x80, 0x40, 0x82, 0x80, 0x01, 0x05, 0xac,
				0x02, 0x05, 0x05, 0x01, 0x02, 0x01, 0x07};
/* differences only: pc -8, address -1, time +130, latency 0 */
static const uint8_t second[] = {0x00, 0x0f, 0x01, 0x82, 0x01, 0x00};

static void decodes_groups(void)
{
	struct memphis_decoder decoder;
	const struct memphis_sample *s = &decoder.sample;
	uint8_t both[sizeof(first) + sizeof(second)];

	memcpy(both, first, sizeof(first));
	memcpy(both + sizeof(first), second, sizeof(second));
	memphis_decoder_start(&decoder, both, sizeof(both), 2);
	ok(memphis_decoder_next(&decoder) == 1, "the first sample is decoded");
	ok(s->pc == 0x1000 && s->address == 0x2001 && s->time_ns == 5 && s->latency_cycles == 300,
	   "the first sample is relative to zeros");
	ok(s->source == 5 && s->flags == 5 && s->home_node == 1 && s->cpu == 2 && s->node == 1 &&
		   s->region == 7,
	   "all groups of the first sample are read");
	ok(memphis_decoder_next(&decoder) == 1, "the second sample is decoded");
	ok(s->pc == 0xff8 && s->address == 0x2000 && s->time_ns == 135 && s->latency_cycles == 0,
	   "the second sample is relative to the first; differences may be negative");
	ok(s->source == 5 && s->flags == 5 && s->home_node == 1 && s->cpu == 2 && s->node == 1 &&
		   s->region == 7,
	   "groups that are left out keep their values");
	ok(memphis_decoder_next(&decoder) == 0, "there is no third sample");
}

static int decode_one(const uint8_t *bytes, uint32_t count)
{
	struct memphis_decoder decoder;

	memphis_decoder_start(&decoder, bytes, count, 1);
	return memphis_decoder_next(&decoder);
}

static void refuses_nonsense(void)
{
	static const uint8_t control[] = {0x08, 0, 0, 0, 0};
	static const uint8_t source[] = {0x01, 0, 0, 0, 0, MEMPHIS_SOURCES, 0, 0};
	static const uint8_t home[] = {0x01, 0, 0, 0, 0, 1, 0, 0x80, 0x80, 0x04};
	static const uint8_t latency[] = {0x00, 0, 0, 0, 0x80, 0x80, 0x04};
	static const uint8_t wide[] = {0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0x02, 0,    0,    0};
	static const uint8_t endless[] = {0x00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					  0x80, 0x80, 0x80, 0x80, 0x80, 0};
	static struct memphis_columns columns;
	struct memphis_decoder decoder;
	uint32_t bytes, refused = 0;
	uint8_t room[80];

	ok(decode_one(control, sizeof(control)) == -EBADMSG, "an unknown group is refused");
	ok(decode_one(source, sizeof(source)) == -EBADMSG, "an unknown source is refused");
	ok(decode_one(home, sizeof(home)) == -EBADMSG, "a node of 17 bits is refused");
	ok(decode_one(latency, sizeof(latency)) == -EBADMSG, "a latency of 17 bits is refused");
	ok(decode_one(wide, sizeof(wide)) == -EBADMSG, "a number of 65 bits is refused");
	ok(decode_one(endless, sizeof(endless)) == -EBADMSG, "a number of eleven bytes is refused");
#define REFUSED_AMID(nonsense)                                                    \
	(memset(room, 0, sizeof(room)), memcpy(room, nonsense, sizeof(nonsense)), \
	 memphis_decoder_start(&decoder, room, sizeof(room), 3),                  \
	 memphis_decoder_block(&decoder, &columns) == -EBADMSG)
	ok(REFUSED_AMID(control) && REFUSED_AMID(source) && REFUSED_AMID(home) && REFUSED_AMID(latency) &&
		   REFUSED_AMID(wide) && REFUSED_AMID(endless),
	   "invalid samples in the middle of a chunk are refused when decoding into columns");
	for (bytes = 0; bytes < sizeof(first); bytes++)
		refused += decode_one(first, bytes) == -EBADMSG;
	ok(refused == sizeof(first), "a truncated sample is refused");
	memphis_decoder_start(&decoder, first, sizeof(first), 0);
	ok(memphis_decoder_next(&decoder) == -EBADMSG, "bytes after the last sample are refused");
}

enum { ROUNDS = 50 };

/* Decodes all samples of a chunk through columns. Returns their number, or the error of the first invalid one. */
static int decode_columns(const uint8_t *bytes, uint32_t size, uint32_t count, struct memphis_sample *samples)
{
	static struct memphis_columns columns;
	struct memphis_decoder decoder;
	struct memphis_access access;
	int found = 0, some, i;

	memphis_decoder_start(&decoder, bytes, size, count);
	while ((some = memphis_decoder_block(&decoder, &columns)) > 0) {
		for (i = 0; i < some; i++, found++) {
			access = memphis_access_unpack(columns.way[i]);
			samples[found].pc = columns.pc[i];
			samples[found].address = columns.address[i];
			samples[found].time_ns = columns.time_ns[i];
			samples[found].latency_cycles = (uint16_t)columns.latency_cycles[i];
			samples[found].region = columns.region[i];
			samples[found].source = access.source;
			samples[found].flags = access.flags;
			samples[found].home_node = access.home;
			samples[found].node = access.node;
		}
	}
	return some ? some : found;
}

static bool kind_is(const struct memphis_sample *sample, unsigned int source, unsigned int flags,
		    unsigned int home)
{
	return sample->source == source && sample->flags == flags && sample->home_node == home;
}

/* Columns have a decoder of their own, with a fast path in the middle of a chunk and a bounds-checked one at its end. */
static void the_same_in_columns(void)
{
	/* kind (source 5, flags 5) with home 128, which takes two bytes */
	static const uint8_t far[] = {0x01, 0x02, 0x02, 0x01, 0x00, 0x05, 0x05, 0x80, 0x01};
	/* kind (source 2, flags 1) with home 3: pc +1, address +2^46, time +2^21, latency 16383 */
	static const uint8_t near[] = {0x01, 0x02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20,
				       0x80, 0x80, 0x80, 0x01, 0xff, 0x7f, 0x02, 0x01, 0x03};
	/* the longest numbers: pc -1, address -2^63, time +1 */
	static const uint8_t longest[] = {0x00, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0xff, 0x01, 0x01, 0x00};
	/* no differences; latency 65535, cpu 3, node 300, region 2^32 - 1 */
	static const uint8_t slow[] = {0x06, 0x00, 0x00, 0x00, 0xff, 0xff, 0x03, 0x03,
				       0xac, 0x02, 0xff, 0xff, 0xff, 0xff, 0x0f};
	/* no differences; latency 1, cpu 0, node 0, region 0 */
	static const uint8_t quick[] = {0x06, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00};
	static const struct {
		const uint8_t *bytes;
		size_t count;
	} samples[] = {{second, sizeof(second)},   {far, sizeof(far)},   {near, sizeof(near)},
		       {longest, sizeof(longest)}, {slow, sizeof(slow)}, {quick, sizeof(quick)}};
	enum { KINDS = sizeof(samples) / sizeof(*samples) };
	static uint8_t bytes[ROUNDS * KINDS * 20];
	static struct memphis_sample all[ROUNDS * KINDS];
	unsigned int i, kind, right[KINDS] = {0};
	const struct memphis_sample *s;
	uint64_t pc, address, time_ns;
	uint8_t *p = bytes;

	for (i = 0; i < ROUNDS; i++)
		for (kind = 0; kind < KINDS; kind++)
			p = (uint8_t *)memcpy(p, samples[kind].bytes, samples[kind].count) +
			    samples[kind].count;
	ok(decode_columns(bytes, (uint32_t)(p - bytes), ROUNDS * KINDS, all) == ROUNDS * KINDS,
	   "all samples of a long chunk are decoded into columns");
	for (i = 0, s = all; i < ROUNDS; i++, s += KINDS) {
		/* In each round pc -8 +1 +1 -1, address -1 +1 +2^46 -2^63, time 130 + 1 + 2^21 + 1. */
		pc = 0 - 7ULL * i;
		address = i * ((1ULL << 46) - (1ULL << 63));
		time_ns = i * (132 + (1ULL << 21));
		right[0] += s[0].pc == pc - 8 && s[0].address == address - 1 &&
			    s[0].time_ns == time_ns + 130 && s[0].latency_cycles == 0 &&
			    (i ? kind_is(&s[0], 2, 1, 3) : kind_is(&s[0], 0, 0, 0));
		right[1] += s[1].pc == pc - 7 && s[1].address == address && s[1].time_ns == time_ns + 131 &&
			    kind_is(&s[1], 5, 5, 128);
		right[2] += s[2].pc == pc - 6 && s[2].address == address + (1ULL << 46) &&
			    s[2].time_ns == time_ns + 131 + (1ULL << 21) && s[2].latency_cycles == 16383 &&
			    kind_is(&s[2], 2, 1, 3);
		pc -= 7;
		address += (1ULL << 46) - (1ULL << 63);
		time_ns += 132 + (1ULL << 21);
		right[3] += s[3].pc == pc && s[3].address == address && s[3].time_ns == time_ns &&
			    s[3].latency_cycles == 0 && s[3].region == 0 && s[3].node == 0 &&
			    kind_is(&s[3], 2, 1, 3);
		right[4] += s[4].pc == pc && s[4].address == address && s[4].time_ns == time_ns &&
			    s[4].latency_cycles == 65535 && s[4].region == UINT32_MAX && s[4].node == 300 &&
			    kind_is(&s[4], 2, 1, 3);
		right[5] += s[5].pc == pc && s[5].address == address && s[5].time_ns == time_ns &&
			    s[5].latency_cycles == 1 && s[5].region == 0 && s[5].node == 0 &&
			    kind_is(&s[5], 2, 1, 3);
	}
	ok(right[0] == ROUNDS, "columns: differences alone are decoded");
	ok(right[1] == ROUNDS, "columns: a node of two bytes is decoded");
	ok(right[2] == ROUNDS, "columns: a kind, and numbers of two to seven bytes are decoded");
	ok(right[3] == ROUNDS, "columns: numbers of ten bytes are decoded");
	ok(right[4] == ROUNDS, "columns: the largest latency, another node and region are decoded");
	ok(right[5] == ROUNDS, "columns: the return to the first node and no region is decoded");
	ok(decode_columns(bytes, (uint32_t)(p - bytes), ROUNDS * KINDS + 1, all) == -EBADMSG,
	   "a missing sample is an error");
	ok(decode_columns(bytes, (uint32_t)(p - bytes), ROUNDS * KINDS - 1, all) == -EBADMSG,
	   "an excess sample is refused");
}

static void full_range(void)
{
	/* pc and address from 0 to 2^64-1, which is -1 */
	static const uint8_t bytes[] = {0x00, 0x01, 0x01, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00};
	struct memphis_decoder decoder;

	memphis_decoder_start(&decoder, bytes, sizeof(bytes), 1);
	ok(memphis_decoder_next(&decoder) == 1 && decoder.sample.pc == UINT64_MAX &&
		   decoder.sample.address == UINT64_MAX && decoder.sample.time_ns == UINT64_MAX,
	   "differences are taken modulo 2^64");
}

int main(void)
{
	decodes_groups();
	refuses_nonsense();
	the_same_in_columns();
	full_range();
	return finish();
}
