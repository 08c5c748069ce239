// SPDX-License-Identifier: BSD-3-Clause
/* The MD5 digest (RFC 1321). */
#include "base/md5.h"

#include <math.h>
#include <string.h>

#define BLOCK_BYTES 64u

static uint32_t rotate_left(uint32_t x, unsigned int bits)
{
	return x << bits | x >> (32 - bits);
}

/* RFC 1321, section 3.4: constant number i is the integer part of 2^32 * |sin(i + 1)|. */
static uint32_t sine_constant(unsigned int i)
{
	return (uint32_t)(fabs(sin(i + 1)) * 4294967296.0);
}

static void add_block(uint32_t state[4], const uint8_t *block)
{
	static const unsigned int bits[4][4] = {
		{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	static const unsigned int factor[4] = {1, 5, 3, 7}, first[4] = {0, 1, 5, 0};
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], mixed[4], word, next;
	unsigned int i, round;

	for (i = 0; i < 64; i++) {
		round = i / 16;
		mixed[0] = (b & c) | (~b & d);
		mixed[1] = (b & d) | (c & ~d);
		mixed[2] = b ^ c ^ d;
		mixed[3] = c ^ (b | ~d);
		memcpy(&word, block + (factor[round] * i + first[round]) % 16 * 4, sizeof(word));
		next = b + rotate_left(a + mixed[round] + word + sine_constant(i), bits[round][i % 4]);
		a = d;
		d = c;
		c = b;
		b = next;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void memphis_md5(const void *data, size_t bytes, uint8_t digest[MEMPHIS_MD5_BYTES])
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	const uint64_t bits = (uint64_t)bytes * 8;
	uint8_t last[2 * BLOCK_BYTES] = {0};
	const uint8_t *at = data;
	size_t left = bytes, padded;

	for (; left >= BLOCK_BYTES; at += BLOCK_BYTES, left -= BLOCK_BYTES)
		add_block(state, at);
	if (left)
		memcpy(last, at, left);
	last[left] = 0x80;
	padded = left + 1 + sizeof(bits) <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
	memcpy(last + padded - sizeof(bits), &bits, sizeof(bits));
	add_block(state, last);
	if (padded > BLOCK_BYTES)
		add_block(state, last + BLOCK_BYTES);
	memcpy(digest, state, MEMPHIS_MD5_BYTES);
}
