/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases: runs of a kernel whose memory traffic is known in closed form. cases.c measures them; traffic.c and ../fft3d have the kernels.
 *
 * A case is KERNEL:SIZE[xSIZE...][+VARIANT...]. Each OpenMP thread works on separate problems, one after the other ("batched"), in memory
 * that it touched first, or that the next thread touched first (-x). There are so many problems that a problem's data is no longer in a
 * cache when the problem is repeated. Each case has a caliper with its name.
 */
#ifndef CASES_H
#define CASES_H

#include <stddef.h>
#include <stdint.h>

#define WORD        sizeof(double)
#define LINE_BYTES  64
#define ARRAYS_MAX  3
#define SIZES_MAX   4
#define THREADS_MAX 1024
#define NODES_MAX   64

/* Variants of a kernel. */
enum variant {
	VARIANT_NT = 1,       /* non-temporal stores */
	VARIANT_PREFETCH = 2, /* software prefetch */
	VARIANT_SEPARATE = 4, /* two loop nests instead of a combined one */
};

struct problem {
	const char *name; /* of the case */
	const struct kernel *kernel;
	size_t size[SIZES_MAX];
	unsigned int variant;
};

/* Bytes between the caches and memory, in whole lines. */
struct traffic {
	size_t loads;  /* read by loads: what samples can estimate */
	size_t reads;  /* all reads: by loads, by stores that miss, and by prefetches */
	size_t writes; /* lines written back, and non-temporal stores */
};

/*
 * The traffic of a problem has two closed forms: for caches that hold all bytes used between two uses of a word, and for caches that hold
 * few of them. The functions of a kernel are in a section of their own, so that exact counts can be selected by code.
 */
struct kernel {
	const char *name;
	const char *arrays[ARRAYS_MAX];
	const char *code, *code_end;
	unsigned int sizes;
	unsigned int
		unit[SIZES_MAX]; /* sizes must be multiples of these, so that rows and arrays share no line */
	unsigned int variants;
	void (*run)(const struct problem *problem, double *const *arrays);
	void (*words)(const struct problem *problem, size_t *words);
	size_t (*used_bytes)(
		/* between two uses of a word; NULL, or 0: no word is used twice */
		const struct problem *problem);
	struct traffic (*traffic)(const struct problem *problem, int fits);
	/* Measures the case instead of run() and the functions below it, and returns an exit status. */
	int (*whole)(const struct problem *problem, size_t cache);
};

/* The functions of a kernel are declared with IN_SECTION(name), and CODE_OF(name) initializes `code` and `code_end`. */
#define IN_SECTION(name)     __attribute__((section("code_" #name), noinline))
#define SECTION_LIMITS(name) extern const char __start_code_##name[], __stop_code_##name[]
#define CODE_OF(name)        .code = __start_code_##name, .code_end = __stop_code_##name

struct case_row {
	const char *name;
	const char *const *arrays; /* ARRAYS_MAX names, or fewer and NULL */
	const char *code, *code_end;
	const char *zone;
	size_t used_bytes;
	size_t array_bytes; /* of all arrays, times the number of passes */
	int threads;
	struct traffic traffic;
	const size_t *home_bytes; /* of the arrays, by the node of their memory */
};

/* Returns "any" if the closed form holds for any cache, else "fits", "beyond", or, where no closed form is valid, "band". */
const char *cases_zone(const struct problem *problem, size_t cache, size_t *used_bytes);

/* Returns an array whose pages have no memory yet, so that the first store decides the node of each; it is never freed. Exits without memory. */
double *cases_reserve(size_t words);

/* Returns the node of the calling thread, below NODES_MAX. */
unsigned int cases_node(void);

/* Replaces the content of the caches by clean lines, so that modified lines are written back. `scratch` has cases_scratch_words(cache). */
void cases_evict(const double *scratch, size_t cache);
size_t cases_scratch_words(size_t cache);

void cases_print(const struct case_row *row, size_t cache);

/* main() of a program: `kernels` ends with an entry without name. */
int cases_main(int argc, char **argv, const struct kernel *kernels);

#endif
