// SPDX-License-Identifier: BSD-3-Clause
/* Part of the fuzzer: changes sample files, knowing about chunks, so that what is behind check sums is reached. */
#include <stdlib.h>
#include <string.h>

#include <memphis/format.h>

#include "fuzz.h"

#define CHUNKS_MAX 512

static uint64_t state = 1;

void fuzz_seed(uint64_t seed)
{
	state = seed * 2 + 1;
}

uint64_t fuzz_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL >> 16;
}

void fuzz_free(struct fuzz_case *one)
{
	unsigned int i;

	for (i = 0; i < one->file_count; i++)
		free(one->files[i].bytes);
	memset(one, 0, sizeof(*one));
}

void fuzz_copy(struct fuzz_case *to, const struct fuzz_case *from)
{
	unsigned int i;

	to->file_count = from->file_count;
	for (i = 0; i < from->file_count; i++) {
		to->files[i].count = from->files[i].count;
		to->files[i].bytes = malloc(FILE_BYTES_MAX);
		memcpy(to->files[i].bytes, from->files[i].bytes, from->files[i].count);
	}
}

struct piece {
	size_t at, bytes; /* header, payload and padding */
};

/* The chunks of a file, as far as they can be followed. */
static size_t find_chunks(const struct blob *file, struct piece *pieces)
{
	size_t at = sizeof(struct memphis_file_header), count = 0, bytes;
	struct memphis_chunk header;

	while (count < CHUNKS_MAX && at + sizeof(header) <= file->count) {
		memcpy(&header, file->bytes + at, sizeof(header));
		bytes = sizeof(header) + ((header.payload_bytes + 7ULL) & ~7ULL);
		if (header.magic != MEMPHIS_CHUNK_MAGIC || bytes > file->count - at)
			break;
		pieces[count++] = (struct piece){at, bytes};
		at += bytes;
	}
	return count;
}

static void seal(struct blob *file)
{
	struct memphis_file_header header;
	struct piece pieces[CHUNKS_MAX];
	struct memphis_chunk chunk;
	size_t count, i;

	if (file->count < sizeof(header))
		return;
	memcpy(&header, file->bytes, sizeof(header));
	header.header_crc32c = memphis_crc32c(0, &header, sizeof(header) - 4);
	memcpy(file->bytes, &header, sizeof(header));
	count = find_chunks(file, pieces);
	for (i = 0; i < count; i++) {
		uint8_t *at = file->bytes + pieces[i].at;

		memcpy(&chunk, at, sizeof(chunk));
		chunk.payload_crc32c = memphis_crc32c(0, at + sizeof(chunk), chunk.payload_bytes);
		chunk.header_crc32c = memphis_crc32c(0, &chunk, sizeof(chunk) - 4);
		memcpy(at, &chunk, sizeof(chunk));
	}
}

static const uint64_t interesting[] = {0,
				       1,
				       2,
				       7,
				       8,
				       0x7f,
				       0x80,
				       0xff,
				       0x100,
				       0xfff,
				       0x1000,
				       0xffff,
				       0x10000,
				       0x7fffffff,
				       0x80000000,
				       0xffffffff,
				       0x100000000,
				       0x7fffffffffffffff,
				       0x8000000000000000,
				       0xfffffffffffffff8,
				       0xffffffffffffffff};

static void change_bytes(struct blob *file, size_t from, size_t to)
{
	size_t at = from + fuzz_below(to - from), width = (size_t)1 << fuzz_below(4);
	uint64_t value;

	if (to <= from)
		return;
	if (width > to - at)
		width = to - at;
	memset(&value, 0, sizeof(value));
	memcpy(&value, file->bytes + at, width);
	switch (fuzz_below(5)) {
	case 0:
		value ^= 1ULL << fuzz_below(width * 8);
		break;
	case 1:
		value = interesting[fuzz_below(sizeof(interesting) / sizeof(*interesting))];
		break;
	case 2:
		value += fuzz_below(33) - 16;
		break;
	case 3:
		value = fuzz_random();
		break;
	case 4:
		/* what text is made of */
		value = (uint64_t)(unsigned char)" \n0x123456789abcdef-\\:/%[]"[fuzz_below(26)];
		width = 1;
		break;
	}
	memcpy(file->bytes + at, &value, width);
}

static void insert(struct blob *file, size_t at, const uint8_t *bytes, size_t count)
{
	if (at > file->count || count > FILE_BYTES_MAX - file->count)
		return;
	memmove(file->bytes + at + count, file->bytes + at, file->count - at);
	memmove(file->bytes + at, bytes, count);
	file->count += count;
}

static void cut_out(struct blob *file, size_t at, size_t count)
{
	memmove(file->bytes + at, file->bytes + at + count, file->count - at - count);
	file->count -= count;
}

/* Makes a payload longer or shorter, with the header in step. */
static void resize_payload(struct blob *file, const struct piece *piece)
{
	struct memphis_chunk header;
	uint8_t filling[64];
	size_t grow = fuzz_below(9) * 8, i;

	memcpy(&header, file->bytes + piece->at, sizeof(header));
	for (i = 0; i < sizeof(filling); i++)
		filling[i] = (uint8_t)fuzz_random();
	if (fuzz_below(2) && grow <= sizeof(filling)) {
		insert(file, piece->at + piece->bytes, filling, grow);
		header.payload_bytes += (uint32_t)grow;
	} else if (fuzz_below(2)) {
		header.payload_bytes -=
			header.payload_bytes ? (uint32_t)fuzz_below(8) % (header.payload_bytes + 1) : 0;
	} else if (piece->bytes > sizeof(header) + 8) {
		cut_out(file, piece->at + piece->bytes - 8, 8);
		header.payload_bytes = (uint32_t)(piece->bytes - sizeof(header) - 8);
	}
	header.count += (uint32_t)fuzz_below(3) - 1;
	memcpy(file->bytes + piece->at, &header, sizeof(header));
}

static void mutate_chunk(struct blob *file, const struct blob *other)
{
	struct piece pieces[CHUNKS_MAX], theirs[CHUNKS_MAX], *piece, *their;
	size_t count = find_chunks(file, pieces), their_count = find_chunks(other, theirs);

	if (!count)
		return;
	piece = &pieces[fuzz_below(count)];
	switch (fuzz_below(8)) {
	case 0:
		cut_out(file, piece->at, piece->bytes);
		break;
	case 1:
		if (their_count) {
			their = &theirs[fuzz_below(their_count)];
			insert(file, piece->at, other->bytes + their->at, their->bytes);
		}
		break;
	case 2:
		resize_payload(file, piece);
		break;
	case 3:
		change_bytes(file, piece->at, piece->at + sizeof(struct memphis_chunk));
		break;
	default:
		change_bytes(file, piece->at + sizeof(struct memphis_chunk), piece->at + piece->bytes);
		break;
	}
}

void fuzz_mutate(struct fuzz_case *one, const struct fuzz_case *other)
{
	size_t times = 1 + fuzz_below(6);
	struct blob *file;

	while (times--) {
		file = &one->files[fuzz_below(one->file_count)];
		switch (fuzz_below(24)) {
		case 0:
			file->count = fuzz_below(file->count + 1);
			break;
		case 1:
			change_bytes(file, 0, file->count);
			break;
		default:
			mutate_chunk(file, &other->files[fuzz_below(other->file_count)]);
			break;
		}
		if (fuzz_below(32))
			seal(file);
	}
}
