// SPDX-License-Identifier: BSD-3-Clause
/* CRC-32C. If this fails, sample files can't be read on a CPU without SSE 4.2, or damaged ones pass as intact. */
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
		ok(memphis_checksum_portable(0, known[i].text, strlen(known[i].text)) == known[i].sum,
		   "the checksum of '%s' by tables", known[i].text);
		ok(memphis_checksum(0, known[i].text, strlen(known[i].text)) == known[i].sum,
		   "the checksum of '%s' by this CPU", known[i].text);
	}
	/* RFC 3720, B.4: 32 bytes of zeros, of ones, ascending, descending. */
	memset(bytes, 0, 32);
	is(memphis_checksum_portable(0, bytes, 32), 0x8a9136aa, "the checksum of 32 bytes of zeros");
	memset(bytes, 0xff, 32);
	is(memphis_checksum_portable(0, bytes, 32), 0x62a8ab43, "the checksum of 32 bytes of ones");
	for (i = 0; i < 32; i++)
		bytes[i] = (unsigned char)i;
	is(memphis_checksum_portable(0, bytes, 32), 0x46dd794e, "the checksum of 32 ascending bytes");
	for (i = 0; i < 32; i++)
		bytes[i] = (unsigned char)(31 - i);
	is(memphis_checksum_portable(0, bytes, 32), 0x113fdb5c, "the checksum of 32 descending bytes");
	is(memphis_checksum_portable(memphis_checksum_portable(0, bytes, 13), bytes + 13, 19), 0x113fdb5c,
	   "a checksum can be computed in two parts");
	for (i = 0; i < sizeof(other); i++)
		other[i] = (unsigned char)(i * 167 + (i >> 3));
	for (i = 0; i < sizeof(other); i++)
		same += memphis_checksum(i, other + i / 2, sizeof(other) - i) ==
			memphis_checksum_portable(i, other + i / 2, sizeof(other) - i);
	is(same, sizeof(other), "tables and CPU agree for any length and alignment");
	return finish();
}
