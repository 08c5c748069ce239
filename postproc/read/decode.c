// SPDX-License-Identifier: BSD-3-Clause
/*
 * Decodes samples. Decoding dominates the time of reports with many samples, so a block of samples is decoded
 * in several passes that avoid unpredictable branches. The passes find where the encoded numbers begin,
 * unpack them (several at once with SIMD), and sum up the differences.
 */
#include "read/decode.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Tests define MEMPHIS_PORTABLE to run the code for CPUs other than x86-64. */
#if defined(__x86_64__) && !defined(MEMPHIS_PORTABLE)
#include <emmintrin.h>
#define MEMPHIS_WIDE
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define RARELY(cond)  __builtin_expect(!!(cond), 0)

/*
 * Number of bytes that split() may read before the groups of a sample: the control byte, 16 bytes of numbers,
 * and eight bytes from the start of the last number.
 */
#define AHEAD 40

void memphis_decoder_start(struct memphis_decoder *decoder, const uint8_t *payload, uint32_t bytes,
			   uint32_t count)
{
	memset(decoder, 0, sizeof(*decoder));
	decoder->next = payload;
	decoder->end = payload + bytes;
	decoder->left = count;
}

int memphis_decode_varint(const uint8_t **next, const uint8_t *end, uint64_t *value)
{
	const uint8_t *at = *next;
	uint64_t result = 0;
	unsigned int shift;

	for (shift = 0; shift < 70; shift += 7) {
		if (at == end || (shift == 63 && *at > 1))
			return -EBADMSG;
		result |= (uint64_t)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80)) {
			*next = at;
			*value = result;
			return 0;
		}
	}
	return -EBADMSG;
}

static int decode_varint(struct memphis_decoder *decoder, uint64_t *value)
{
	return memphis_decode_varint(&decoder->next, decoder->end, value);
}

static int decode_groups(struct memphis_decoder *decoder, unsigned int control)
{
	struct memphis_sample *sample = &decoder->sample;
	uint64_t a, b;

	if (control & MEMPHIS_CODE_KIND) {
		if (decoder->end - decoder->next < 3 || decoder->next[0] >= MEMPHIS_SOURCES)
			return -EBADMSG;
		sample->source = *decoder->next++;
		sample->flags = *decoder->next++;
		if (decode_varint(decoder, &a) || a > UINT16_MAX)
			return -EBADMSG;
		sample->home_node = (uint16_t)a;
	}
	if (control & MEMPHIS_CODE_CPU) {
		if (decode_varint(decoder, &a) || decode_varint(decoder, &b) || a > UINT16_MAX ||
		    b > UINT16_MAX)
			return -EBADMSG;
		sample->cpu = (uint16_t)a;
		sample->node = (uint16_t)b;
	}
	if (control & MEMPHIS_CODE_REGION) {
		if (decode_varint(decoder, &a) || a > UINT32_MAX)
			return -EBADMSG;
		sample->region = (uint32_t)a;
	}
	return 0;
}

static ALWAYS_INLINE uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

int memphis_decoder_next(struct memphis_decoder *decoder)
{
	struct memphis_sample *sample = &decoder->sample;
	uint64_t pc, address, time_ns, latency;
	unsigned int control;

	if (!decoder->left)
		return decoder->next == decoder->end ? 0 : -EBADMSG;
	if (decoder->next == decoder->end || *decoder->next & ~MEMPHIS_CODES)
		return -EBADMSG;
	control = *decoder->next++;
	if (decode_varint(decoder, &pc) || decode_varint(decoder, &address) ||
	    decode_varint(decoder, &time_ns) || decode_varint(decoder, &latency) || latency > UINT16_MAX)
		return -EBADMSG;
	sample->pc += unzigzag(pc);
	sample->address += unzigzag(address);
	sample->time_ns += time_ns;
	sample->latency_cycles = (uint16_t)latency;
	if (control && decode_groups(decoder, control))
		return -EBADMSG;
	decoder->left--;
	return 1;
}

static void set_access(struct memphis_sample *sample, uint64_t way)
{
	const struct memphis_access access = memphis_access_unpack(way);

	sample->source = access.source;
	sample->flags = access.flags;
	sample->home_node = access.home;
	sample->node = access.node;
}

/*
 * Slow path: decodes the groups of a sample, unless there is only a KIND group. Returns the address after the
 * groups, or NULL if they are invalid.
 */
static __attribute__((noinline)) const uint8_t *
split_groups(struct memphis_decoder *decoder, unsigned int control, const uint8_t *next, uint64_t way)
{
	decoder->next = next;
	set_access(&decoder->sample, way);
	return decode_groups(decoder, control) ? NULL : decoder->next;
}

/* Returns the continuation bits of 16 bytes of varints; the bit of the first byte is the lowest. */
#ifdef MEMPHIS_WIDE
static ALWAYS_INLINE unsigned int continuation_bits(const uint8_t *bytes)
{
	return (unsigned int)_mm_movemask_epi8(_mm_loadu_si128((const __m128i_u *)bytes));
}
#else
static ALWAYS_INLINE unsigned int continuation_bits(const uint8_t *bytes)
{
	unsigned int bits = 0, i;

	for (i = 0; i < 16; i++)
		bits |= (unsigned int)(bytes[i] >> 7) << i;
	return bits;
}
#endif

/*
 * Splits samples into groups and numbers. Copies each number as the eight bytes that begin with it, and
 * leaves the decoding to unpack(). In nearly all samples, the four numbers fit in 16 bytes and none is longer
 * than eight bytes, so the ends of all four are found at once. Stops before the first sample that is invalid
 * or does not fit. The slow path decodes that sample.
 */
static ALWAYS_INLINE unsigned int split(struct memphis_decoder *decoder, struct memphis_columns *columns)
{
	const uint8_t *next = decoder->next, *address, *time_ns, *latency, *behind;
	unsigned int limit = decoder->left < MEMPHIS_COLUMN ? decoder->left : MEMPHIS_COLUMN;
	unsigned int control, continued, end[4], count;
	uint64_t way = memphis_access_pack(&decoder->sample);
	uint32_t kind_bits, mask;

	for (count = 0; count < limit && decoder->end - next >= AHEAD; count++) {
		control = next[0];
		/*
		 * In `continued`, a clear bit marks the last byte of a number. Find the first four: each is
		 * the lowest set bit of end[i].
		 */
		continued = continuation_bits(next + 1);
		end[0] = continued ^ 0xffff;
		end[1] = end[0] & (end[0] - 1);
		end[2] = end[1] & (end[1] - 1);
		end[3] = end[2] & (end[2] - 1);
		/* Eight continuation bits in a row mean that a number is longer than eight bytes. */
		continued &= continued >> 1;
		continued &= continued >> 2;
		continued &= continued >> 4;
		if (RARELY(control > MEMPHIS_CODES || !end[3] || continued))
			break;
		address = next + 2 + __builtin_ctz(end[0]);
		time_ns = next + 2 + __builtin_ctz(end[1]);
		latency = next + 2 + __builtin_ctz(end[2]);
		behind = next + 2 + __builtin_ctz(end[3]);
		/* A number of more than two bytes may exceed the 16 bits of a latency. */
		if (RARELY(behind - latency > 2))
			break;
		memcpy(&columns->pc[count], next + 1, 8);
		memcpy(&columns->address[count], address, 8);
		memcpy(&columns->time_ns[count], time_ns, 8);
		memcpy(&columns->latency_cycles[count], latency, 8);
		mask = 0 - (control & MEMPHIS_CODE_KIND);
		memcpy(&kind_bits, behind, 4);
		kind_bits &= mask & 0xffffff;
		if (RARELY(control > MEMPHIS_CODE_KIND || (kind_bits & 0xff) >= MEMPHIS_SOURCES ||
			   kind_bits & 0x800000)) {
			behind = split_groups(decoder, control, behind, way);
			if (!behind)
				break;
			way = memphis_access_pack(&decoder->sample);
		} else {
			way = (way & ~(uint64_t)mask) | kind_bits;
			behind += 3 * control;
		}
		columns->way[count] = way;
		columns->region[count] = decoder->sample.region;
		next = behind;
	}
	decoder->next = next;
	set_access(&decoder->sample, way);
	return count;
}

#define REPEAT_BYTE(bits) (0x0101010101010101ULL * (bits))

/* The compiler uses one or two SIMD registers for this vector. */
typedef uint64_t vector __attribute__((vector_size(32)));

/*
 * Decodes the varint at the start of each group of eight bytes: joins the low seven bits of each of its
 * bytes, by merging bytes in pairs, fours and eights. Processes four entries at a time. The values after the
 * last entry are not used and may be overwritten.
 */
static ALWAYS_INLINE void unpack(uint64_t *column, unsigned int count, bool differences)
{
	unsigned int i;
	vector word, ends;

	for (i = 0; i < count; i += 4) {
		memcpy(&word, &column[i], sizeof(word));
		ends = ~word & REPEAT_BYTE(0x80);
		word &= (ends ^ (ends - 1)) & REPEAT_BYTE(0x7f);
		word = (word & 0x007f007f007f007fULL) | (word & 0x7f007f007f007f00ULL) >> 1;
		word = (word & 0x00003fff00003fffULL) | (word & 0x3fff00003fff0000ULL) >> 2;
		word = (word & 0x0fffffffULL) | (word & 0x0fffffff00000000ULL) >> 4;
		if (differences)
			word = word >> 1 ^ (0 - (word & 1));
		memcpy(&column[i], &word, sizeof(word));
	}
}

static ALWAYS_INLINE int decode_block(struct memphis_decoder *decoder, struct memphis_columns *columns)
{
	struct memphis_sample *sample = &decoder->sample;
	unsigned int count = split(decoder, columns), i;
	uint64_t pc = sample->pc, address = sample->address, time_ns = sample->time_ns;
	int rc;

	if (!count) {
		rc = memphis_decoder_next(decoder);
		if (rc <= 0)
			return rc;
		columns->pc[0] = sample->pc;
		columns->address[0] = sample->address;
		columns->time_ns[0] = sample->time_ns;
		columns->latency_cycles[0] = sample->latency_cycles;
		columns->way[0] = memphis_access_pack(sample);
		columns->region[0] = sample->region;
		return 1;
	}
	unpack(columns->pc, count, true);
	unpack(columns->address, count, true);
	unpack(columns->time_ns, count, false);
	unpack(columns->latency_cycles, count, false);
	for (i = 0; i < count; i++) {
		columns->pc[i] = pc += columns->pc[i];
		columns->address[i] = address += columns->address[i];
		columns->time_ns[i] = time_ns += columns->time_ns[i];
	}
	sample->pc = pc;
	sample->address = address;
	sample->time_ns = time_ns;
	sample->latency_cycles = (uint16_t)columns->latency_cycles[count - 1];
	decoder->left -= count;
	return (int)count;
}

#ifdef MEMPHIS_WIDE
/*
 * decode_block() compiled for AVX2 and BMI2. CPUs that support sampling have had these since about 2015, and
 * so have most machines that read the files.
 */
__attribute__((target("avx2,bmi,bmi2"))) static int decode_wide(struct memphis_decoder *decoder,
								struct memphis_columns *columns)
{
	return decode_block(decoder, columns);
}

static int decode_narrow(struct memphis_decoder *decoder, struct memphis_columns *columns)
{
	return decode_block(decoder, columns);
}

int memphis_decoder_block(struct memphis_decoder *decoder, struct memphis_columns *columns)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")
		       ? decode_wide(decoder, columns)
		       : decode_narrow(decoder, columns);
}
#else
int memphis_decoder_block(struct memphis_decoder *decoder, struct memphis_columns *columns)
{
	return decode_block(decoder, columns);
}
#endif
