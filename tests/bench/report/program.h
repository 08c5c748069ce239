/* SPDX-License-Identifier: BSD-3-Clause */
/* A debug binary for the generator of sample files: its functions, objects and segments; error exit, arrays, random numbers. */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

struct bench_range {
	uint64_t start, bytes;
};

struct bench_segment {
	uint64_t vaddr, offset, file_bytes, memory_bytes;
	char permissions[5];
};

struct bench_program {
	const char *path; /* absolute */
	char build_id[129];
	struct bench_range *functions, *arrays, *pointers; /* link-time addresses */
	size_t function_count, array_count, pointer_count;
	struct bench_segment segments[16];
	size_t segment_count;
};

/* Reads symbols, segments and build-id of `path`; exits on failure. */
void bench_program_read(struct bench_program *program, const char *path);

_Noreturn __attribute__((format(printf, 1, 2))) void bench_die(const char *format, ...);

/* Makes room for one more element in an array of `count`; returns the array, never NULL. */
void *bench_more(void *array, size_t count, size_t element_bytes);

/* Random numbers, the same in each run: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t bench_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Returns a uniformly distributed number in [0, limit). */
static inline uint64_t bench_below(uint64_t *state, uint64_t limit)
{
	return (uint64_t)((unsigned __int128)bench_random(state) * limit >> 64);
}

#endif
