// SPDX-License-Identifier: BSD-3-Clause
/* Computes CRC-32C checksums with the CPU's instruction or, without one, with slicing-by-8 tables. */
#include "base/checksum.h"

#include <pthread.h>

#include <memphis/format.h>

#define POLYNOMIAL 0x82f63b78u /* Castagnoli polynomial, bit-reflected */
#define SLICES     8

/* tables[n][b]: effect of byte b on the checksum when n more bytes follow. */
static uint32_t tables[SLICES][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
	unsigned int byte, bit, slice;
	uint32_t sum;

	for (byte = 0; byte < 256; byte++) {
		sum = byte;
		for (bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? POLYNOMIAL : 0);
		tables[0][byte] = sum;
	}
	for (slice = 1; slice < SLICES; slice++)
		for (byte = 0; byte < 256; byte++) {
			sum = tables[slice - 1][byte];
			tables[slice][byte] = sum >> 8 ^ tables[0][sum & 0xff];
		}
}

uint32_t memphis_checksum_portable(uint32_t sum, const void *data, size_t bytes)
{
	const uint8_t *p = data;
	unsigned int i;
	uint32_t next;

	pthread_once(&tables_once, make_tables);
	sum = ~sum;
	for (; bytes >= SLICES; bytes -= SLICES, p += SLICES) {
		sum ^= p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
		next = 0;
		for (i = 0; i < 4; i++)
			next ^= tables[SLICES - 1 - i][sum >> 8 * i & 0xff] ^ tables[3 - i][p[4 + i]];
		sum = next;
	}
	for (; bytes; bytes--)
		sum = sum >> 8 ^ tables[0][(sum ^ *p++) & 0xff];
	return ~sum;
}

#ifdef __x86_64__
uint32_t memphis_checksum(uint32_t sum, const void *data, size_t bytes)
{
	return __builtin_cpu_supports("sse4.2") ? memphis_crc32c(sum, data, bytes)
						: memphis_checksum_portable(sum, data, bytes);
}
#else
uint32_t memphis_checksum(uint32_t sum, const void *data, size_t bytes)
{
	return memphis_checksum_portable(sum, data, bytes);
}
#endif
