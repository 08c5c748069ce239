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

	ok(decode_one(control, sizeof(control)) == -EBADMSG, "an unknown group is refused");
	ok(decode_one(source, sizeof(source)) == -EBADMSG, "an unknown source is refused");
	ok(decode_one(home, sizeof(home)) == -EBADMSG, "a node of 17 bits is refused");
	ok(decode_one(latency, sizeof(latency)) == -EBADMSG, "a latency of 17 bits is refused");
	ok(decode_one(wide, sizeof(wide)) == -EBADMSG, "a number of 65 bits is refused");
	ok(decode_one(endless, sizeof(endless)) == -EBADMSG, "a number of eleven bytes is refused");
	for (bytes = 0; bytes < sizeof(first); bytes++)
		refused += decode_one(first, bytes) == -EBADMSG;
	ok(refused == sizeof(first), "a sample that is cut anywhere is refused");
	memphis_decoder_start(&decoder, first, sizeof(first), 0);
	ok(memphis_decoder_next(&decoder) == -EBADMSG, "bytes behind the last sample are refused");
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
	full_range();
	return finish();
}
