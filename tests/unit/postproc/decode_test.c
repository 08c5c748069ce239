// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, samples are read as something else than was written. Bytes are literal, from format.h's words. */
#include "decode.h"
#include "../tap.h"

/* control KIND|CPU|REGION, pc +0x1000, address +0x2001, time 5, latency 300, dram LR home 1, cpu 2 node 1, region 7 */
static const uint8_t first[] = {0x07, 0x80, 0x40, 0x82, 0x80, 0x01, 0x05, 0xac,
				0x02, 0x05, 0x05, 0x01, 0x02, 0x01, 0x07};
/* nothing but differences: pc -8, address -1, time +130, latency 0 */
static const uint8_t second[] = {0x00, 0x0f, 0x01, 0x82, 0x01, 0x00};

static void decodes_groups(void)
{
	struct memphis_decoder decoder;
	const struct memphis_sample *s = &decoder.sample;
	uint8_t both[sizeof(first) + sizeof(second)];

	memcpy(both, first, sizeof(first));
	memcpy(both + sizeof(first), second, sizeof(second));
	memphis_decoder_start(&decoder, both, sizeof(both), 2);
	ok(memphis_decoder_next(&decoder) == 1, "the first sample is there");
	ok(s->pc == 0x1000 && s->address == 0x2001 && s->time_ns == 5 && s->latency_cycles == 300,
	   "the first sample counts from zero");
	ok(s->source == 5 && s->flags == 5 && s->home_node == 1 && s->cpu == 2 && s->node == 1 &&
		   s->region == 7,
	   "all groups of the first sample are read");
	ok(memphis_decoder_next(&decoder) == 1, "the second sample is there");
	ok(s->pc == 0xff8 && s->address == 0x2000 && s->time_ns == 135 && s->latency_cycles == 0,
	   "the second sample counts from the first, down as well");
	ok(s->source == 5 && s->flags == 5 && s->home_node == 1 && s->cpu == 2 && s->node == 1 &&
		   s->region == 7,
	   "groups left out keep their values");
	ok(memphis_decoder_next(&decoder) == 0, "there is no third one");
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
	 decode_one(room, sizeof(room)) == -EBADMSG)
	ok(REFUSED_AMID(control) && REFUSED_AMID(source) && REFUSED_AMID(home) && REFUSED_AMID(latency) &&
		   REFUSED_AMID(wide) && REFUSED_AMID(endless),
	   "likewise in the middle of a chunk");
	for (bytes = 0; bytes < sizeof(first); bytes++)
		refused += decode_one(first, bytes) == -EBADMSG;
	ok(refused == sizeof(first), "a sample that is cut anywhere is refused");
	memphis_decoder_start(&decoder, first, sizeof(first), 0);
	ok(memphis_decoder_next(&decoder) == -EBADMSG, "bytes behind the last sample are refused");
}

/* The decoder reads samples in the middle of a chunk another way than those at its end: the same in a long chunk. */
static void the_same_in_a_long_chunk(void)
{
	enum { ROUNDS = 50 };
	/* another node's: kind 5, 5 with home 128, which takes two bytes */
	static const uint8_t far[] = {0x01, 0x02, 0x02, 0x01, 0x00, 0x05, 0x05, 0x80, 0x01};
	/* kind 2, 1 with home 3: pc +1, address +2^46, time 2^21, latency 16383 */
	static const uint8_t near[] = {0x01, 0x02, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20,
				       0x80, 0x80, 0x80, 0x01, 0xff, 0x7f, 0x02, 0x01, 0x03};
	/* the longest numbers there are: pc -1, address -2^63, time +1 */
	static const uint8_t longest[] = {0x00, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff,
					  0xff, 0xff, 0xff, 0xff, 0x01, 0x01, 0x00};
	uint8_t bytes[ROUNDS * (sizeof(second) + sizeof(far) + sizeof(near) + sizeof(longest))], *p = bytes;
	struct memphis_decoder decoder;
	const struct memphis_sample *s = &decoder.sample;
	unsigned int i, right[4] = {0};

	for (i = 0; i < ROUNDS; i++) {
		p = (uint8_t *)memcpy(p, second, sizeof(second)) + sizeof(second);
		p = (uint8_t *)memcpy(p, far, sizeof(far)) + sizeof(far);
		p = (uint8_t *)memcpy(p, near, sizeof(near)) + sizeof(near);
		p = (uint8_t *)memcpy(p, longest, sizeof(longest)) + sizeof(longest);
	}
	memphis_decoder_start(&decoder, bytes, sizeof(bytes), 4 * ROUNDS);
	for (i = 0; i < ROUNDS; i++) {
		/* In each round pc -8 +1 +1 -1, address -1 +1 +2^46 -2^63, time 130 + 1 + 2^21 + 1. */
		uint64_t pc = 0 - 7ULL * i, address = i * ((1ULL << 46) - (1ULL << 63)),
			 time_ns = i * (132 + (1ULL << 21));

		right[0] += memphis_decoder_next(&decoder) == 1 && s->pc == pc - 8 &&
			    s->address == address - 1 && s->time_ns == time_ns + 130 &&
			    s->latency_cycles == 0 && s->home_node == (i ? 3 : 0) &&
			    s->source == (i ? 2 : 0) && s->flags == (i ? 1 : 0);
		right[1] += memphis_decoder_next(&decoder) == 1 && s->pc == pc - 7 && s->address == address &&
			    s->time_ns == time_ns + 131 && s->home_node == 128 && s->source == 5 &&
			    s->flags == 5;
		right[2] += memphis_decoder_next(&decoder) == 1 && s->pc == pc - 6 &&
			    s->address == address + (1ULL << 46) &&
			    s->time_ns == time_ns + 131 + (1ULL << 21) && s->latency_cycles == 16383 &&
			    s->home_node == 3 && s->source == 2 && s->flags == 1;
		right[3] += memphis_decoder_next(&decoder) == 1 && s->pc == pc - 7 &&
			    s->address == address + (1ULL << 46) - (1ULL << 63) &&
			    s->time_ns == time_ns + 132 + (1ULL << 21) && s->latency_cycles == 0 &&
			    s->home_node == 3 && s->source == 2 && s->flags == 1;
	}
	ok(right[0] == ROUNDS, "differences alone");
	ok(right[1] == ROUNDS, "a node that takes two bytes");
	ok(right[2] == ROUNDS, "a kind, and numbers of two to seven bytes");
	ok(right[3] == ROUNDS, "numbers of ten bytes");
	ok(memphis_decoder_next(&decoder) == 0, "that was all");
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
	the_same_in_a_long_chunk();
	full_range();
	return finish();
}
