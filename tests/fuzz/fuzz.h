/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the fuzzer: cases (sets of sample files), their mutation, and what the code under test covered. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILES_MAX      4
#define FILE_BYTES_MAX (64 << 10)

struct blob {
	uint8_t *bytes;
	size_t count;
};

struct fuzz_case {
	struct blob files[FILES_MAX];
	unsigned int file_count;
};

uint64_t fuzz_random(void);
void fuzz_seed(uint64_t seed);
static inline size_t fuzz_below(size_t limit)
{
	return limit ? (size_t)(fuzz_random() % limit) : 0;
}

/* Changes the case here and there; `other` lends chunks. Mostly with the check sums set right again. */
void fuzz_mutate(struct fuzz_case *one, const struct fuzz_case *other);
void fuzz_copy(struct fuzz_case *to, const struct fuzz_case *from);
void fuzz_free(struct fuzz_case *one);

/* Begins a run; afterwards, did it reach anything that no run before did? */
void fuzz_coverage_begin(void);
bool fuzz_coverage_is_new(void);
size_t fuzz_coverage_total(void);

#endif
