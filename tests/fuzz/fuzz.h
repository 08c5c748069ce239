/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the fuzzers of the post-processor share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILES_MAX      4
#define FILE_BYTES_MAX (64 << 10)

/* Functions that libFuzzer calls; LLVMFuzzerMutate() is libFuzzer's own. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
				 size_t second_size, uint8_t *out, size_t out_max, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

struct blob {
	uint8_t *bytes;
	size_t count;
};

/* An input of the fuzzer of sample files: a bit for each option of the report, and the files. */
struct fuzz_case {
	uint8_t options;
	struct blob files[FILES_MAX];
	unsigned int file_count;
};

/* Splits an input: a byte of options, then files, each after its length in 32 bits; the last one may be shorter. Allocates the files. */
void fuzz_unpack(struct fuzz_case *one, const uint8_t *data, size_t size);
void fuzz_free(struct fuzz_case *one);

uint64_t fuzz_random(void);
void fuzz_seed(uint64_t seed);
static inline size_t fuzz_below(size_t limit)
{
	return limit ? (size_t)(fuzz_random() % limit) : 0;
}

/* Returns a path to an in-memory file with these bytes, valid until the same number is used again. */
const char *fuzz_file(unsigned int number, const void *bytes, size_t count);

#endif
