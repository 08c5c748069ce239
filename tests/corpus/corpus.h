/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs of tests/corpus call: libcorpus.so, which writes down what memory is called in truth. tests/corpus/run makes samples in this
 * memory and compares the names of the report with the truth.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The memory is accessed here, by the calling line. `truth` ends with its text or with a semicolon:
 *	NAME[|NAME...][ #ID][ in FUNCTION[ or FUNCTION...]]
 * The report must give the memory one of the names, in which * stands for anything, and the instruction one of the functions. Two variables of one
 * name have different IDs, and must not share a row. A comment on each line that allocates the block of a variable states it: `site: NAME[ #ID]`.
 */
void corpus_truth(const void *start, size_t bytes, const char *truth);

/* The same by the instruction at `pc`. */
void corpus_truth_at(const void *start, size_t bytes, const char *truth, const void *pc);

/* Some time passes, in which the library searches for pointers to blocks. This may be called once. */
void corpus_compute(void);

/* Nothing of the time that programs usually need passes: neither is there a search for pointers at the end. */
void corpus_is_short(void);

/* The compiler must assume that this uses the memory. */
void corpus_use(const void *start);

#ifdef __cplusplus
}
#endif

/* Keeps the call from being the caller's last one, whose frame would then be gone. */
#define TRUTH(start, bytes, truth)                   \
	do {                                         \
		corpus_truth(start, bytes, truth);   \
		__asm__ volatile("" : : : "memory"); \
	} while (0)

enum { BYTES = 1 << 17, COUNT = BYTES / sizeof(double) };

#endif
