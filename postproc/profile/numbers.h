/* SPDX-License-Identifier: BSD-3-Clause */
/* Renumbers the rows of a profile when they are added to another profile. */
#ifndef MEMPHIS_NUMBERS_H
#define MEMPHIS_NUMBERS_H

#include "profile/finding.h"
#include "profile/heatmap.h"
#include "profile/profile.h"

/* The new numbers of all rows: strings[old number] is the new number of a string, and so on. */
struct memphis_numbers {
	uint32_t *strings, *objects, *variables, *instructions, *chains, *regions;
};

/*
 * Allocates an element for each row of the profile. All numbers are 0. Returns 0 or -ENOMEM. The caller must close the
 * numbers in both cases.
 */
int memphis_numbers_open(struct memphis_numbers *numbers, const struct memphis_profile *profile);
void memphis_numbers_close(struct memphis_numbers *numbers);

/*
 * Adds the objects, variables, instructions, chains and regions of `from` to `to`, and sets their new numbers. The new
 * numbers of the strings must be set already. Overwrites the rows of `from`. If `sorted` is true, adds the rows in the
 * order of their contents, provided that the new numbers of the strings are in the order of their texts. Returns 0 or
 * -ENOMEM.
 */
int memphis_numbers_move(struct memphis_numbers *numbers, struct memphis_profile *to,
			 struct memphis_profile *from, bool sorted);

/*
 * Replace old numbers in a row by new ones. The first two replace the numbers of strings. The last two replace all
 * numbers except those of processes and threads.
 */
void memphis_object_renumber(struct memphis_object *object, const uint32_t *strings);
void memphis_variable_renumber(struct memphis_variable *variable, const uint32_t *strings);
void memphis_finding_renumber(struct memphis_finding *finding, const struct memphis_numbers *numbers);
void memphis_heatmap_renumber(struct memphis_heatmap *heatmap, const struct memphis_numbers *numbers);

typedef int memphis_compare_rows(const void *a, const void *b, void *context);

/*
 * Returns the numbers `first` to `first` + `count` - 1 in an array that the caller must free. If `compare` is not
 * NULL, sorts them with it. `compare` gets pointers to two of the numbers. Returns NULL if memory is exhausted.
 */
uint32_t *memphis_numbers_sorted(uint32_t first, size_t count, memphis_compare_rows *compare, void *context);

/* Compares two lists of `count` numbers in lexicographic order. */
int memphis_numbers_compare(const uint32_t *a, const uint32_t *b, size_t count);

#endif
