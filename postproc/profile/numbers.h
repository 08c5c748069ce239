/* SPDX-License-Identifier: BSD-3-Clause */
/* New numbers for the rows of a profile, whose contents are added to another one. */
#ifndef MEMPHIS_NUMBERS_H
#define MEMPHIS_NUMBERS_H

#include "profile/finding.h"
#include "profile/heatmap.h"
#include "profile/profile.h"

/* The new number of each row; the old one is the index. */
struct memphis_numbers {
	uint32_t *strings, *objects, *variables, *instructions, *chains, *regions;
};

/* Allocates room for the rows of the profile, with all numbers 0. Returns 0 or -ENOMEM; close the numbers in either case. */
int memphis_numbers_open(struct memphis_numbers *numbers, const struct memphis_profile *profile);
void memphis_numbers_close(struct memphis_numbers *numbers);

/*
 * Adds the objects, variables, instructions, chains and regions of `from` to `to`, and sets their numbers; those of the strings must be set.
 * The rows of `from` are overwritten. `sorted`: in the order of their contents, if the new numbers of the strings are in that order.
 * Returns 0 or -ENOMEM.
 */
int memphis_numbers_move(struct memphis_numbers *numbers, struct memphis_profile *to,
			 struct memphis_profile *from, bool sorted);

/* Replace the numbers of strings, or all numbers of rows except those of processes and threads. */
void memphis_object_renumber(struct memphis_object *object, const uint32_t *strings);
void memphis_variable_renumber(struct memphis_variable *variable, const uint32_t *strings);
void memphis_finding_renumber(struct memphis_finding *finding, const struct memphis_numbers *numbers);
void memphis_heatmap_renumber(struct memphis_heatmap *heatmap, const struct memphis_numbers *numbers);

typedef int memphis_compare_rows(const void *a, const void *b, void *context);

/*
 * Returns the numbers [first, first + count) in a malloc'ed array. Unless `compare` is NULL, sorts them with
 * it; `compare` receives pointers to two of the numbers. Returns NULL if memory is exhausted.
 */
uint32_t *memphis_numbers_sorted(uint32_t first, size_t count, memphis_compare_rows *compare, void *context);

/* Compares two lists of numbers. */
int memphis_numbers_compare(const uint32_t *a, const uint32_t *b, size_t count);

#endif
