// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, sample files can't be read on a CPU without SSE 4.2, or damaged ones are taken for whole. */
#include "base/checksum.h"

#include "../../tap.h"

int main(void)
{
	static const struct {
		const char *text;
		uint32_t sum;
	} known[] = {{"", 0},
		     {"a", 0xc1d04330},
		     {"123456789", 0xe3069283},
		     {"12345678", 0x6087809a},
		     {"abcdefghijklmnopqrstuvwxyz", 0x9ee6ef25}};
	unsigned char bytes[48], other[1024];
	unsigned int i, same = 0;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		is(memphis_checksum_portable(0, known[i].text, strlen(known[i].text)), known[i].sum,
		   "by tables");
		is(memphis_checksum(0, known[i].text, strlen(known[i].text)), known[i].sum, "by this CPU");
	}
	/* RFC 3720, B.4: 32 bytes of zeros, of ones, rising, falling. */
	memset(bytes, 0, 32);
	is(memphis_checksum_portable(0, bytes, 32), 0x8a9136aa, "zeros");
	memset(bytes, 0xff, 32);
	is(memphis_checksum_portable(0, bytes, 32), 0x62a8ab43, "ones");
	for (i = 0; i < 32; i++)
		bytes[i] = (unsigned char)i;
	is(memphis_checksum_portable(0, bytes, 32), 0x46dd794e, "rising");
	for (i = 0; i < 32; i++)
		bytes[i] = (unsigned char)(31 - i);
	is(memphis_checksum_portable(0, bytes, 32), 0x113fdb5c, "falling");
	is(memphis_checksum_portable(memphis_checksum_portable(0, bytes, 13), bytes + 13, 19), 0x113fdb5c,
	   "in two parts");
	for (i = 0; i < sizeof(other); i++)
		other[i] = (unsigned char)(i * 167 + (i >> 3));
	for (i = 0; i < sizeof(other); i++)
		same += memphis_checksum(i, other + i / 2, sizeof(other) - i) ==
			memphis_checksum_portable(i, other + i / 2, sizeof(other) - i);
	is(same, sizeof(other), "both are the same, of any length and wherever it begins");
	return finish();
}
