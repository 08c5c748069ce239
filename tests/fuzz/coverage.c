// SPDX-License-Identifier: BSD-3-Clause
/* Part of the fuzzer: which edges of the code under test were taken, how often in powers of two. */
#include <string.h>

#include "fuzz.h"

#define SLOTS (1 << 16)

static uint8_t counts[SLOTS], seen[SLOTS];
static uintptr_t before;

/* Called by the compiler's instrumentation (-fsanitize-coverage=trace-pc) in every block of the code under test. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	uintptr_t pc = (uintptr_t)__builtin_return_address(0);
	size_t slot = (pc ^ before << 7) * 0x9e3779b97f4a7c15ULL >> 48;

	before = pc;
	if (counts[slot] < 255)
		counts[slot]++;
}

void fuzz_coverage_begin(void)
{
	memset(counts, 0, sizeof(counts));
	before = 0;
}

bool fuzz_coverage_is_new(void)
{
	bool is_new = false;
	unsigned int bucket;
	size_t i;

	for (i = 0; i < SLOTS; i++) {
		if (!counts[i])
			continue;
		bucket = 1U << (31 - __builtin_clz(counts[i]));
		is_new |= (bucket & ~(unsigned int)seen[i]) != 0;
		seen[i] |= (uint8_t)bucket;
	}
	return is_new;
}

size_t fuzz_coverage_total(void)
{
	size_t total = 0, i;

	for (i = 0; i < SLOTS; i++)
		total += seen[i] != 0;
	return total;
}
