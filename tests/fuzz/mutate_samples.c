// SPDX-License-Identifier: BSD-3-Clause
/*
 * Part of the fuzzer of sample files: changes files chunk by chunk, and mostly corrects the checksums, so that code after the
 * checks is reached.
 */
#include <stdlib.h>
#include <string.h>

#include <memphis/format.h>

#include "fuzz.h"

#define CHUNKS_MAX 512

struct piece {
	size_t at, bytes; /* header, payload and padding */
};

/* Returns true if, in a file of several threads, the header of one of them begins at the offset. */
static bool is_member(const struct blob *file, size_t at)
{
	const uint64_t magic = MEMPHIS_FILE_MAGIC;

	return at + sizeof(struct memphis_file_header) <= file->count &&
	       !memcmp(file->bytes + at, &magic, sizeof(magic));
}

/* Finds the chunks of a file, up to the first invalid one. */
static size_t find_chunks(const struct blob *file, struct piece *pieces)
{
	size_t at = sizeof(struct memphis_file_header), count = 0, bytes;
	struct memphis_chunk header;

	while (count < CHUNKS_MAX && at + sizeof(header) <= file->count) {
		if (is_member(file, at)) {
			at += sizeof(struct memphis_file_header);
			continue;
		}
		memcpy(&header, file->bytes + at, sizeof(header));
		bytes = sizeof(header) + ((header.payload_bytes + 7ULL) & ~7ULL);
		if (header.magic != MEMPHIS_CHUNK_MAGIC || bytes > file->count - at)
			break;
		pieces[count++] = (struct piece){at, bytes};
		at += bytes;
	}
	return count;
}

static void seal_header(struct blob *file, size_t at)
{
	struct memphis_file_header header;

	memcpy(&header, file->bytes + at, sizeof(header));
	header.header_crc32c = memphis_crc32c(0, &header, sizeof(header) - 4);
	memcpy(file->bytes + at, &header, sizeof(header));
}

static void seal(struct blob *file)
{
	struct piece pieces[CHUNKS_MAX];
	struct memphis_chunk chunk;
	size_t count, i;

	if (file->count < sizeof(struct memphis_file_header))
		return;
	seal_header(file, 0);
	count = find_chunks(file, pieces);
	for (i = 0; i < count; i++) {
		uint8_t *at = file->bytes + pieces[i].at;

		memcpy(&chunk, at, sizeof(chunk));
		chunk.payload_crc32c = memphis_crc32c(0, at + sizeof(chunk), chunk.payload_bytes);
		chunk.header_crc32c = memphis_crc32c(0, &chunk, sizeof(chunk) - 4);
		memcpy(at, &chunk, sizeof(chunk));
		if (is_member(file, pieces[i].at + pieces[i].bytes))
			seal_header(file, pieces[i].at + pieces[i].bytes);
	}
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

/* Returns the size of a record in the chunk; 1 for records of variable size. */
static size_t record_bytes(unsigned int type)
{
	switch (type) {
	case MEMPHIS_CHUNK_ACCOUNTING:
		return sizeof(struct memphis_accounting);
	case MEMPHIS_CHUNK_ALLOCATIONS:
		return sizeof(struct memphis_allocation);
	case MEMPHIS_CHUNK_HOLDERS:
		return sizeof(struct memphis_holder);
	case MEMPHIS_CHUNK_COUNTERS:
		return sizeof(struct memphis_counter_value);
	case MEMPHIS_CHUNK_COUNTER_MARKS:
		return sizeof(struct memphis_counter_mark);
	case MEMPHIS_CHUNK_REGION_TIMES:
		return sizeof(struct memphis_region_time);
	case MEMPHIS_CHUNK_SPANS:
		return sizeof(struct memphis_region_span);
	case MEMPHIS_CHUNK_MPI:
		return sizeof(struct memphis_mpi_sum);
	}
	return 1;
}

/* Lets libFuzzer change the payload, which may grow or shrink, and updates the header. */
static void change_payload(struct blob *file, const struct piece *piece)
{
	struct memphis_chunk header;
	uint8_t payload[4096 + 256] = {0};
	size_t bytes, record;

	memcpy(&header, file->bytes + piece->at, sizeof(header));
	record = record_bytes(header.type);
	bytes = header.payload_bytes;
	if (bytes > 4096)
		return;
	memcpy(payload, file->bytes + piece->at + sizeof(header), bytes);
	bytes = LLVMFuzzerMutate(payload, bytes, fuzz_below(2) ? bytes + 1 : 4096);
	bytes = (bytes + record - 1) / record * record;
	memset(payload + bytes, 0, sizeof(payload) - bytes > 8 ? 8 : 0);
	cut_out(file, piece->at + sizeof(header), piece->bytes - sizeof(header));
	insert(file, piece->at + sizeof(header), payload, (bytes + 7) & ~7UL);
	header.payload_bytes = (uint32_t)bytes;
	if (record > 1)
		header.count = (uint32_t)(bytes / record);
	else if (!fuzz_below(4))
		header.count += (uint32_t)fuzz_below(3) - 1;
	memcpy(file->bytes + piece->at, &header, sizeof(header));
}

/* Inserts a random chunk of `other` before a random chunk of `file`; both may be the same file. */
static void borrow(struct blob *file, const struct blob *other)
{
	struct piece pieces[CHUNKS_MAX], theirs[CHUNKS_MAX];
	size_t count = find_chunks(file, pieces), their_count = find_chunks(other, theirs);
	const struct piece *their = &theirs[fuzz_below(their_count)];
	uint8_t *copy;

	if (!count || !their_count)
		return;
	copy = malloc(their->bytes);
	if (!copy)
		abort();
	memcpy(copy, other->bytes + their->at, their->bytes);
	insert(file, pieces[fuzz_below(count)].at, copy, their->bytes);
	free(copy);
}

static void change_file(struct blob *file)
{
	struct piece pieces[CHUNKS_MAX], *piece;
	size_t count = find_chunks(file, pieces), header = sizeof(struct memphis_chunk);

	if (!count || !fuzz_below(16)) {
		file->count = LLVMFuzzerMutate(file->bytes, file->count, FILE_BYTES_MAX);
		return;
	}
	piece = &pieces[fuzz_below(count)];
	switch (fuzz_below(16)) {
	case 0:
		cut_out(file, piece->at, piece->bytes);
		break;
	case 1:
		borrow(file, file);
		break;
	case 2:
		/* Keep the magic number, without which it would not be a chunk. */
		LLVMFuzzerMutate(file->bytes + piece->at + 4, header - 4, header - 4);
		break;
	case 3:
		LLVMFuzzerMutate(file->bytes, sizeof(struct memphis_file_header),
				 sizeof(struct memphis_file_header));
		break;
	default:
		change_payload(file, piece);
		break;
	}
}

static size_t pack(struct fuzz_case *one, uint8_t *data, size_t max_size)
{
	size_t size = 0, i;
	uint32_t bytes;

	if (max_size)
		data[size++] = one->options;
	for (i = 0; i < one->file_count && max_size - size > sizeof(bytes); i++) {
		bytes = (uint32_t)one->files[i].count;
		if (bytes > max_size - size - sizeof(bytes))
			bytes = (uint32_t)(max_size - size - sizeof(bytes));
		memcpy(data + size, &bytes, sizeof(bytes));
		memcpy(data + size + sizeof(bytes), one->files[i].bytes, bytes);
		size += sizeof(bytes) + bytes;
	}
	fuzz_free(one);
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct fuzz_case one;
	struct blob *file;
	size_t times;

	fuzz_seed(seed);
	fuzz_unpack(&one, data, size);
	if (!one.file_count) {
		fuzz_free(&one);
		return LLVMFuzzerMutate(data, size, max_size);
	}
	if (!fuzz_below(16))
		one.options ^= (uint8_t)(1 << fuzz_below(8));
	for (times = 1 + fuzz_below(3); times; times--) {
		file = &one.files[fuzz_below(one.file_count)];
		change_file(file);
		if (fuzz_below(64))
			seal(file);
	}
	return pack(&one, data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
				 size_t second_size, uint8_t *out, size_t out_max, unsigned int seed)
{
	struct fuzz_case one, two;
	struct blob *file;

	fuzz_seed(seed);
	fuzz_unpack(&one, first, first_size);
	fuzz_unpack(&two, second, second_size);
	if (one.file_count && two.file_count) {
		file = &one.files[fuzz_below(one.file_count)];
		borrow(file, &two.files[fuzz_below(two.file_count)]);
		seal(file);
	}
	fuzz_free(&two);
	return pack(&one, out, out_max);
}
